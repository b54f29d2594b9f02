"""`rocbands report`: all that can be said, in one HTML file."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from rocbands.cli import load, messages, options, several
from rocbands.cli.messages import ReportBar
from rocbands.cli.output import wrap_lines


@messages.command(
    "report",
    "All of it in one HTML file.",
    """
  rocbands report --example
  rocbands report --example --costs 20 1 --prevalence 0.02 --capacity 0.05
  rocbands report scores.csv --positive malignant --score logistic -o one.html
  rocbands report --example --folds fold --json > report.json
""",
)
@load.reads
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=messages.OutputFile(),
    default="report.html",
    show_default=True,
    help="The HTML file to write.",
)
@options.flag(
    "--classes", "Labels are of several classes, and each --score is the column of one of them."
)
@several.by
@options.level
@options.future("Class sizes of the future test set; by default those of SCORES.")
@click.option("--title", metavar="TEXT", help="What to call the report.")
@click.option(
    "--focus",
    metavar="NAME",
    multiple=True,
    help="A model to show in detail; at most two.  [default: those with the largest AUC]",
)
@click.option("--fpr", type=float, metavar="RATE", help="False positive rate to start at.")
@options.costs
@click.option(
    "--prevalence", type=float, metavar="P", help="Share of positives where the model will be used."
)
@click.option(
    "--capacity",
    "--rate",
    type=options.NUMBER,
    metavar="P",
    help="Share of the cases that can be acted on.",
)
@options.flag("--json", "Print all numbers as JSON instead of writing a file.", name="as_json")
@options.seed()
def report(
    *,
    source: load.Source,
    output: str,
    focus: tuple[str, ...],
    as_json: bool,
    classes: bool,
    by: str | None,
    **asked: Any,
) -> None:
    """Write a report on all models in SCORES: one HTML file that needs no other and no network.

    It contains curves with bands by several methods and at several levels, areas, thresholds, costs
    and rates with limits, where one model is better, and how far all of that can be trusted. With
    --classes or --by it is about the curves of several classes, or of groups of people.
    """
    from rocbands.io.records import json_of
    from rocbands.reporting.report import check_page, make_report

    target = None if as_json else check_page(output)
    title, level, rng = (asked.pop(name) for name in ("title", "level", "rng"))
    data: Any
    if classes or by is not None:
        options.refuse("classes or groups", *_ONE_MODEL, *(("by",) if classes else ()))
        how = {"level": level, "rng": rng}
        data = (
            several.ask_classes(source, **how)
            if classes
            else several.ask_subgroups(source, by, **how)
        )
        asked = {}
    else:
        data = source.read()
        asked |= {"focus": focus or None, "command": shlex.join(["rocbands", *sys.argv[1:]])}
        for note in getattr(data, "notes", ()):
            messages.remark(note)
    with ReportBar() as bar:
        page = make_report(
            data,
            target,
            title=title,
            level=level,
            rng=rng,
            source=source.name,
            progress=bar,
            **asked,
        )
    if target is None:
        click.echo(json_of(page.payload))
        return
    click.echo("\n".join(line for said in page.headline for line in wrap_lines(said)))
    messages.remark(f"Wrote {output}", prefix="")


_ONE_MODEL = ("future", "fpr", "costs", "c_fn", "c_fp", "prevalence", "capacity", "focus")

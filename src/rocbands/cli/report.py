"""`rocbands report`: all that can be said, in one HTML file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from rocbands.cli import load, many, messages, options
from rocbands.cli.messages import ReportBar
from rocbands.cli.output import wrap_lines

__all__ = ["report"]


@messages.command(
    "report",
    "All of it in one HTML file.",
    """
  rocbands report --example
  rocbands report scores.csv -o models.html --title "Spring release" --seed 1
  rocbands report scores.csv --costs 20 1 --prevalence 0.02 --capacity 0.05
  rocbands report scores.csv --folds fold --json > report.json
""",
)
@load.reads_counts
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=messages.OutputFile(),
    default="report.html",
    show_default=True,
    help="The HTML file to write.",
)
@many.options
@options.level
@options.future("Class sizes of the future test set; by default those of SCORES.")
@load.groups
@load.weights
@load.folds
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
    rows: dict[str, Any],
    output: str,
    focus: tuple[str, ...],
    as_json: bool,
    classes: str | None,
    by: str | None,
    **asked: Any,
) -> None:
    """Write a report on all models in SCORES: one HTML file that needs no other and no network.

    It contains curves with bands by several methods and at several levels, areas, thresholds, costs
    and rates with limits, where one model is better, and how far all of that can be trusted.
    """
    from rocbands.io.records import json_of
    from rocbands.reporting.payload import build_payload
    from rocbands.reporting.report import check_page, report, write_page
    from rocbands.reporting.request import CountedCurves, ReportRequest

    target = None if as_json else check_page(output)
    if classes is not None or by is not None:
        others = {f"--{name}": asked[name] for name in _ONE_MODEL} | {"--focus": focus or None}
        found = many.build(classes, by, rows, others, level=asked["level"], rng=asked["rng"])
        page = report(found, path=target, title=asked["title"])
        if target is None:
            click.echo(json_of(page.payload))
            return
        click.echo("\n".join(line for said in page.headline for line in wrap_lines(said)))
        messages.remark(f"Wrote {output}", prefix="")
        return
    models = load.read_models(**rows)
    asked |= models.columns
    with ReportBar() as bar:
        request = ReportRequest.from_models(
            models.rows or CountedCurves(models.curves, models.positive or "label not known"),
            focus=focus or None,
            command=shlex.join(["rocbands", *sys.argv[1:]]),
            source=_name_source(rows["source"]),
            **asked,
        )
        payload = build_payload(request, bar)
    if target is None:
        click.echo(json_of(payload))
        return
    write_page(payload, target)
    click.echo("\n".join(line for said in payload["headline"] for line in wrap_lines(said)))
    messages.remark(f"Wrote {output}", prefix="")


_ONE_MODEL = ("future", "fpr", "costs", "prevalence", "capacity")  # not for classes or groups


def _name_source(source: str | None) -> str:
    if source is None:
        return "the example"
    return "stdin" if source == "-" else Path(source).name

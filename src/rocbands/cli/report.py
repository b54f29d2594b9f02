"""`rocbands summary` and `report`: the answer first, and all results in one HTML file."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from functools import partial
from typing import Any

import click

from rocbands.cli import load, messages, options, several
from rocbands.cli.output import Output, wrap_lines
from rocbands.cli.progress import Bar, working


@messages.command("summary", "Which model to use, and metrics of all models with limits.")
@load.reads
@options.text(
    "--metric",
    "Metric, such as auc, brier or 'sensitivity at specificity 0.95'; repeat it for several.",
    "NAME",
    multiple=True,
    name="metrics",
)
@options.number("--fpr", "Largest false positive rate that the threshold is for.", "RATE")
@options.number("--rate", "Share of the cases that can be acted on.", "P", also="--capacity")
@options.costs
@options.level
@options.number("--prevalence", "Prevalence where the models will be used.", "P")
@options.output("Forest plots in a PNG, PDF or SVG file.")
@options.seed()
def summary(*, source: load.Source, metrics: tuple[str, ...], out: Output, **how: Any) -> None:
    """Which model in SCORES to use, and the metrics of all models with confidence limits.

    Without --fpr, --rate or --costs the model is chosen by its AUC, and thresholds are for three
    usual false positive rates. By default the metrics are AUC, average precision, and the Brier
    score of scores from 0 to 1. A metric at a rate or a threshold is written as 'precision at rate
    0.05', 'specificity at sensitivity 0.9' or 'accuracy at threshold 0.5'. SCORES is a file of rows
    or counts: see 'rocbands band --help'.
    """
    import rocbands as rb

    data = source.read()
    with working("Summary"), messages.warnings_about("summary"):
        found = rb.summary(data, metrics=metrics or None, **how)
    out.show_result(found)


@messages.command(
    "report", "Report with all results in one HTML file.", aliases={"at_fpr": "--fpr"}
)
@load.reads
@options.text(
    "--output",
    "HTML file to write.",
    "FILE",
    also="-o",
    type=messages.OutputFile(),
    default="report.html",
)
@options.flag("--classes", "Labels of several classes; each --score is the column of one class.")
@several.by_group
@options.number("--threshold", "With --by, the threshold at which groups are compared.", "T")
@load.column("--reader", "Column of readers: the file is a reader study, with a row per reading.")
@load.column("--case", "Reader study: column of cases.")
@load.column("--test", "Reader study: column of tests, if there are several.")
@options.text(
    "--compare",
    "Reader study: test to compare; repeat it for others. Differences are in this order.",
    "TEST",
    multiple=True,
)
@options.text("--algorithm", "Reader study: reader that is a stand-alone algorithm.", "NAME")
@options.number("--margin", "Reader study: margin of non-inferiority.", "M")
@options.text(
    "--random",
    "Reader study: what limits are for: both (default), cases or readers.",
    known=("both", "cases", "readers"),
)
@options.level
@options.future("Class sizes of the future test set; by default those of SCORES.")
@options.text("--title", "Title of the report.", "TEXT")
@options.text("--focus", "Model to show in detail; at most two.", "NAME", multiple=True)
@options.number("--fpr", "Initial false positive rate.", "RATE")
@options.costs
@options.number("--prevalence", "Prevalence where the model will be used.", "P")
@options.number("--capacity", "Share of the cases that can be acted on.", "P", also="--rate")
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
    against: str | None,
    reader: str | None,
    case: str | None,
    test: str | None,
    compare: tuple[str, ...],
    algorithm: str | None,
    margin: float | None,
    random: str | None,
    **asked: Any,
) -> None:
    """Write a report on all models in SCORES: one HTML file that needs no network.

    It contains curves with bands by several methods and at several levels, AUCs, thresholds, costs
    and rates with limits, comparisons of the models, and the measured coverage of the bands. With
    --by it is on the groups of people that one model scored, with --classes on several classes, and
    with --reader on a reader study: readers, their average, and what the difference of tests holds
    for.
    """
    from rocbands.io.records import json_of
    from rocbands.reporting.report import check_page, make_reader_report, make_report

    target = None if as_json else check_page(output)
    how = {name: asked.pop(name) for name in ("level", "rng")}
    threshold = asked.pop("threshold")
    data: Any
    make: Any
    if reader is None:
        options.refuse("models", *_STUDY, instead="name the column of readers by --reader")
    command = shlex.join(["rocbands", *sys.argv[1:]])
    if reader is not None:
        options.refuse(
            "a reader study", "classes", "by", "threshold", "against", *_ONE_MODEL, *_MODELS
        )
        named = {"reader": reader, "case": case, "test": test}
        asks = {"algorithm": algorithm, "margin": margin, "random": random or "both"}
        data = _read_study(source, named, compare, **asks, level=how["level"])
        make = partial(make_reader_report, rng=how["rng"], title=asked["title"], command=command)
    elif classes:
        options.refuse("classes", "by", "threshold", "against", *_ONE_MODEL)
        data = several.ask_classes(source, **how)
    elif by is not None:
        options.refuse("groups", *_ONE_MODEL)
        cut = {"threshold": threshold, "at_fpr": asked["fpr"] if threshold is None else None}
        cut["prevalence"] = asked["prevalence"]
        data = several.ask_subgroups(source, by, against=against, **cut, **how)
        asked["positive"] = source.positive
    else:
        options.refuse("models", "threshold", "against", instead="name a column of groups by --by")
        data = source.read()
        for note in getattr(data, "notes", ()):
            messages.remark(note)
    if reader is None:
        asked |= {"focus": focus or None, "command": command}
        make = partial(make_report, **how, **asked)
    with Bar("Making the report") as bar:
        page = make(data, target, source=source.name, progress=bar)
    if target is None:
        click.echo(json_of(page.payload))
        return
    said = map(messages.write_message, (*page.headline, *page.statistics))
    click.echo("\n".join(line for sentence in said for line in wrap_lines(sentence)))
    messages.remark(f"Wrote {output}", prefix="")


def _read_study(
    source: load.Source, named: dict[str, str | None], compare: tuple[str, ...], **how: Any
) -> Any:
    """Compare the tests of a reader study."""
    import rocbands as rb
    from rocbands.cli import readings

    if source.path is None:
        raise messages.usage("Give a file of readings, or - for stdin.")
    given = {
        **named,
        "label": source.label,
        "score": next(iter(source.score), None),
        "clusters": source.design.get("clusters"),
        "positive": source.positive,
        **asdict(source.form),
        "drop_missing": source.drop_missing,
    }
    data = readings.choose_tests(readings.read(source.path, given), compare)
    for note in data.notes:
        messages.remark(note)
    with messages.warnings_about("readers"):
        study = rb.compare_readers(data, **how)
    readings.remark_direction(study, compare)
    return study


_STUDY = ("case", "test", "compare", "algorithm", "margin", "random")
_ONE_MODEL = ("future", "costs", "c_fn", "c_fp")  # what groups and classes have no use for
# What a reader study has no use for, besides.
_MODELS = (
    *("focus", "fpr", "prevalence", "capacity", "rest", "only", "example"),
    *("weights", "strata", "folds", "time", "until"),
)

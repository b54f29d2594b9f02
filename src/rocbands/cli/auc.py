"""`rocbands auc`: areas under ROC curves, and parts of them, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.messages import usage
from rocbands.cli.options import is_given
from rocbands.cli.output import Page, for_each, json_models, save_plot, show

if TYPE_CHECKING:
    from rocbands.core.interval import Interval

__all__ = ["command"]

_WHOLE, _FOLDS, _PARTS = "METHODS", "FOLD_METHODS", "PARTIAL_METHODS"


def _table_of(asked: Mapping[str, Any]) -> str:
    """Return the name of the table that lists the methods for what is asked."""
    if asked.get("fpr") or asked.get("tpr"):
        return _PARTS
    return _FOLDS if asked.get("folds") else _WHOLE


@messages.command(
    "auc",
    short_help="Areas under ROC curves, with confidence intervals.",
    epilog="""\b
Examples:
  rocbands auc --example --plot forest.png
  rocbands auc scores.csv --fpr-range 0,0.1 --corrected --groups patient
  rocbands auc week.parquet --only-group north
  cut -d , -f 1,2 scores.csv | rocbands auc - --json
""",
)
@load.reads_counts
@options.method("auc", "Interval method", registry=_table_of)
@options.settings
@options.level
@options.alternative("'greater' for a lower limit only, 'less' for an upper one only.")
@click.option(
    "--null", type=options.NUMBER, metavar="A", help="Test whether the area is A, such as 0.5."
)
@click.option(
    "--fpr-range",
    "fpr",
    type=options.Range(),
    metavar="A,B",
    help="Only the part of the area between two false positive rates.",
)
@click.option(
    "--tpr-range",
    "tpr",
    type=options.Range(),
    metavar="A,B",
    help="Only the part of the area between two true positive rates.",
)
@click.option(
    "--corrected", is_flag=True, help="Rescale such a part: guessing has 0.5, perfection 1."
)
@load.design
@load.folds
@click.option(
    "--repeats",
    type=options.Whole(),
    metavar="N",
    help="How often the folds were dealt anew, with --folds.",
)
@options.resamples
@options.plot("Forest plot in a PNG, PDF or SVG file.")
@options.forms
@options.seed()
def command(
    *,
    method: str | None,
    settings: tuple[str, ...],
    n_resamples: int | None,
    plot: str | None,
    form: str,
    **asked: Any,
) -> None:
    """Area under the ROC curve of each model in SCORES, with its interval.

    Ties count one half. SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with
    gzip, or - for stdin: one row for each case, one column of labels, one column of scores for
    each model; or counts that 'rocbands count' wrote. A larger score means more positive.
    """
    import rocbands as rb

    names = ("level", "alternative", "null", "fpr", "tpr", "corrected", "repeats", "rng")
    how = {name: asked.pop(name) for name in names}
    _check_together(how, asked)
    how["method"] = options.build_method(
        "auc",
        method,
        settings,
        table=_table_of({**how, **asked}),
        n_resamples=n_resamples,
        level=how["level"],
    )
    models = load.read_models(**asked)
    found = _intervals(models, {name: value for name, value in how.items() if value is not None})
    table = rb.tabulate(found)
    save_plot(table, plot)
    page = Page.of(table)
    if how["null"] is not None:
        tests = {"pvalue": [interval.pvalue for interval in found.values()]}
        said = f"The p-values are of the test that the area is {how['null']:g}."
        page = page._replace(
            sentence=f"{page.sentence}\n{said}",
            rows={**page.rows, **tests},
            whole=lambda: {**table.columns(), **tests},
        )
    show(form, [page], lambda: json_models(found, "rocbands.aucs/1"))


def _check_together(how: dict[str, Any], asked: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    folds = asked["folds"]
    for name in ("groups", "weights", "strata"):
        if asked[name] is not None and folds is not None:
            raise usage(f"Give --{name} or --folds, not both.")
    if how["repeats"] is not None and folds is None:
        raise usage("--repeats goes with --folds; there are none. Leave it out.")
    if how["fpr"] is None and how["tpr"] is None:
        if how["corrected"]:
            raise usage("--corrected is for part of the area. Say --fpr-range A,B or --tpr-range.")
        if folds is not None and how["null"] is not None:
            raise usage("--null is for rows, not for folds. Leave it out, or --folds.")
        return
    if how["fpr"] is not None and how["tpr"] is not None:
        raise usage("Give --fpr-range or --tpr-range, not both.")
    for name in ("folds", "null", "alternative"):
        if is_given(name):
            raise usage(f"--{name} is for the whole area. Leave it out, or the range.")


def _intervals(models: load.Models, how: dict[str, Any]) -> dict[str, Interval]:
    import rocbands as rb

    def pick(*names: str) -> dict[str, Any]:
        return {name: how[name] for name in ("method", "level", *names) if name in how}

    if "folds" in models.columns:
        rows, folds = models.rows, models.columns["folds"]
        assert rows is not None, "counts have no folds"
        asked = {"folds": folds, **pick("alternative", "repeats")}
        return for_each(
            rows.models,
            "Interval",
            lambda _, scores: rb.fold_auc_interval(rows.is_positive, scores, **asked),
        )
    if "fpr" in how or "tpr" in how:
        part = pick("fpr", "tpr", "corrected", "rng")
        return for_each(
            models.curves, "Interval", lambda _, roc: rb.partial_auc_interval(roc, **part)
        )
    whole = pick("alternative", "null", "rng")
    return for_each(models.curves, "Interval", lambda _, roc: rb.auc_interval(roc, **whole))

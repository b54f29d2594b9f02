"""`rocbands auc` and `ap`: areas under curves, and parts of them, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rocbands.cli import load, messages, options
from rocbands.cli.messages import usage
from rocbands.cli.options import is_given
from rocbands.cli.output import Page, for_each, json_models, save_plot, show

if TYPE_CHECKING:
    from rocbands.core.interval import Interval

__all__ = ["ap", "auc"]


_WHOLE, _FOLDS, _PARTS = "METHODS", "FOLD_METHODS", "PARTIAL_METHODS"


def _choose_table(asked: Mapping[str, Any]) -> str:
    """Return the name of the table that lists the methods for what is asked."""
    if asked.get("fpr") or asked.get("tpr"):
        return _PARTS
    return _FOLDS if asked.get("folds") else _WHOLE


@messages.command(
    "auc",
    "Areas under ROC curves, with confidence intervals.",
    """
  rocbands auc --example --plot forest.png
  rocbands auc scores.csv --fpr-range 0,0.1 --corrected
  rocbands auc scores.csv --folds fold
  cut -d , -f 1,3 scores.csv | rocbands auc - --json
""",
)
@load.reads_counts
@options.method("auc", "Interval method", registry=_choose_table)
@options.settings
@options.level
@options.alternative("'greater' for a lower limit only, 'less' for an upper one only.")
@options.number("--null", "Test whether the area is A, such as 0.5.", "A")
@options.rates_between(
    "--fpr-range", "Only the part of the area between two false positive rates.", name="fpr"
)
@options.rates_between(
    "--tpr-range", "Only the part of the area between two true positive rates.", name="tpr"
)
@options.flag("--corrected", "Rescale such a part: guessing has 0.5, perfection 1.")
@load.design
@load.folds
@options.whole("--repeats", "How often the folds were dealt anew, with --folds.")
@options.resamples
@options.plot("Forest plot in a PNG, PDF or SVG file.")
@options.forms
@options.seed()
def auc(
    *, rows: dict[str, Any], choose: options.Choose, plot: str | None, form: str, **how: Any
) -> None:
    """Area under the ROC curve of each model in SCORES, with its interval.

    Ties count one half. SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with
    gzip, or - for stdin: one row for each case, one column of labels, one column of scores for
    each model; or counts that 'rocbands count' wrote. A larger score means more positive.
    """
    import rocbands as rb

    _check_together(how, rows)
    how["method"] = choose(table=_choose_table({**how, **rows}), level=how["level"])
    models = load.read_models(**rows)
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


@messages.command(
    "ap",
    "Average precisions, with confidence intervals.",
    """
  rocbands ap --example
  rocbands ap scores.csv --prevalence 0.02
""",
)
@load.reads_counts
@options.level
@options.alternative("'greater' for a lower limit only, 'less' for an upper one only.")
@options.number(
    "--prevalence",
    "Share of positives where the model will be used; by default that of the rows, with its error.",
    "P",
)
@options.plot("Forest plot in a PNG, PDF or SVG file.")
@options.forms
def ap(*, rows: dict[str, Any], alternative: Any, plot: str | None, form: str, **how: Any) -> None:
    """Average precision of each model in SCORES, with its interval.

    The number is scikit-learn's average_precision_score: tied scores are one step. SCORES is a CSV,
    TSV, JSON lines, Parquet, Feather or Excel file, plain or packed, or - for stdin: one row for
    each case, one column of labels, one column of scores for each model; or counts that 'rocbands
    count' wrote. A larger score means more positive.
    """
    import rocbands as rb

    models = load.read_models(**rows)
    found = for_each(
        models.curves,
        "Interval",
        lambda _, roc: rb.average_precision_interval(roc, alternative=alternative, **how),
    )
    gap = None
    if models.rows is not None and len(found) == 2 and alternative == "two-sided":
        how["names"] = models.rows.names
        gap = rb.average_precision_difference(
            models.rows.is_positive, *models.rows.models.values(), **how
        )
    table = rb.tabulate(found)
    save_plot(table, plot)
    pages = [Page.of(table)]
    more = {} if gap is None else {"difference": gap}
    pages += [Page.of(gap, "Difference", "difference")] if gap is not None else []
    show(form, pages, lambda: json_models(found, "rocbands.average-precisions/2", **more))

"""`rocbands auc` and `ap`: AUC, partial AUC and average precision, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.output import Output, Page, for_each, json_models

_RANGES = ("fpr", "specificity", "tpr", "sensitivity")


def _choose_table(asked: Mapping[str, Any]) -> str:
    """Return the name of the table of methods for these options."""
    if any(asked.get(name) for name in _RANGES):
        return "PARTIAL_METHODS"
    return "FOLD_METHODS" if asked.get("folds") else "METHODS"


@messages.command("auc", "AUC, with confidence intervals.")
@load.reads
@options.method("auc", "Interval method", registry=_choose_table)
@options.level
@options.alternative("'greater' for a lower limit only, 'less' for an upper one only.")
@options.number("--null", "Test that the AUC is A, such as 0.5.", "A")
@options.rates_between("--fpr-range", "Partial AUC: false positive rates A to B.", name="fpr")
@options.rates_between("--specificity-range", "The same in specificities.", name="specificity")
@options.rates_between("--tpr-range", "Partial AUC: true positive rates A to B.", name="tpr")
@options.rates_between("--sensitivity-range", "The same in sensitivities.", name="sensitivity")
@options.flag("--corrected", "Rescale a partial AUC: 0.5 for guessing, 1 for perfection.")
@options.whole("--repeats", "Repetitions of the cross-validation, with --folds.", default=1)
@options.output("Forest plot in a PNG, PDF or SVG file.")
@options.seed()
def auc(
    *,
    source: load.Source,
    choose: options.Choose,
    level: float,
    alternative: Any,
    null: float | None,
    corrected: bool,
    repeats: int,
    out: Output,
    rng: Any,
    **ranges: Any,
) -> None:
    """AUC of each model in SCORES, with a confidence interval.

    Ties count one half. SCORES is a file of rows or counts: see 'rocbands band --help'.
    """
    import rocbands as rb

    part = {name: ends for name, ends in ranges.items() if ends is not None}
    folds = source.design.get("folds")
    chosen = choose(table=_choose_table({**part, "folds": folds}), level=level)
    how: dict[str, Any] = {"method": chosen, "alternative": alternative}
    ask: Any
    if folds is None:
        options.refuse("rows without --folds", "repeats")
    if part:
        options.refuse("part of the area", "null", "folds")
        ask, how = rb.partial_auc_interval, {**how, **part, "corrected": corrected, "rng": rng}
    elif folds is not None:
        options.refuse("folds", "null", "corrected")
        ask = rb.fold_auc_interval
    else:
        options.refuse("the whole area", "corrected", instead="pass --fpr-range A,B")
        ask, how = rb.auc_interval, how | {"rng": rng} | ({} if null is None else {"null": null})
    parts = load.split_models(replace(source, repeats=repeats).read())
    found = for_each(parts, "Interval", lambda _, part: ask(part, level=level, **how))
    table = rb.Table(found)
    out.save(table)
    page = Page.of(table)
    if null is not None:
        tests = {"pvalue": [interval.pvalue for interval in found.values()]}
        said = f"The p-values test that the area is {null:g}."
        page = page._replace(
            below=f"{page.below}\n{said}".strip(),
            rows={**page.rows, **tests},
            whole=lambda: {**table.columns(), **tests},
        )
    out.show([page], lambda: json_models(found, "rocbands.aucs/1"))


@messages.command("ap", "Average precisions, with confidence intervals.")
@load.reads
@options.level
@options.alternative("'greater' for a lower limit only, 'less' for an upper one only.")
@options.number("--prevalence", "Prevalence; by default estimated from the rows.", "P")
@options.output("Forest plot in a PNG, PDF or SVG file.")
def ap(*, source: load.Source, alternative: Any, out: Output, **how: Any) -> None:
    """Average precision of each model in SCORES, with a confidence interval.

    With two models also the difference.

    Average precision is defined as in scikit-learn: tied scores are one step. SCORES is a file of
    rows or counts: see 'rocbands band --help'.
    """
    import rocbands as rb

    data = source.read()
    found = for_each(
        load.split_models(data),
        "Interval",
        lambda _, part: rb.average_precision_interval(part, alternative=alternative, **how),
    )
    gap = None
    if alternative == "two-sided":
        gap = load.find_difference(data, rb.average_precision_difference, **how)
    table, schema = rb.Table(found), "rocbands.average-precisions/2"
    out.save(table)
    if gap is None:
        out.show([Page.of(table)], lambda: json_models(found, schema))
    elif out.form in ("text", "markdown", "latex"):
        out.show([Page.of(table), Page.of(gap, "Difference", "difference")], str)
    else:
        out.show_models(found, schema, difference=gap)

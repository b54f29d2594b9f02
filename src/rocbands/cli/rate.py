"""`rocbands rate`: what is found when a fixed share of cases is acted on."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.messages import warnings_about
from rocbands.cli.output import for_each, save_plot, show_models

__all__ = ["rate"]


@messages.command(
    "rate",
    "What is found when a fixed share of cases is acted on.",
    """
  rocbands rate --example --rate 0.05 --rate 0.2
  rocbands rate scores.csv --folds fold --rate 0.05 --plot recall.png
  rocbands rate scores.csv --score score_logistic --rate 0.05
""",
)
@load.reads_counts
@options.number(
    "--rate",
    "Share of cases that are acted on, in (0, 1); repeat it for several. By default all.",
    "R",
    name="rates",
    also="--capacity",
    multiple=True,
)
@load.folds
@options.method("rates", "Method of the limits")
@options.settings
@options.word(
    "--sampling",
    "full: how many rows are positive is random; stratified: class sizes are fixed. By "
    "default full, unless another option determines the share of positives.",
    "NAME",
    ("full", "stratified"),
)
@options.word(
    "--scheme",
    "How folds are put together: counts or reference. By default what suits them.",
    "NAME",
    ("counts", "reference"),
)
@options.number(
    "--prevalence", "Share of positives to which folds are brought, with --scheme reference.", "P"
)
@options.future(
    "Limits for a future test set of P positives and N negatives, instead of the true curve."
)
@options.level
@options.resamples
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@click.option(
    "--space",
    type=options.OneOf(["recall", "roc"]),
    default="recall",
    show_default=True,
    help="Draw recall against the rate, or along lines of equal rate in ROC space.",
)
@options.forms
@options.seed()
def rate(
    *,
    rows: dict[str, Any],
    choose: options.Choose,
    rates: tuple[float, ...],
    plot: str | None,
    space: str,
    form: str,
    **how: Any,
) -> None:
    """Share of positives that each model in SCORES finds when a fixed share of cases is acted on.

    The cases with the highest scores are acted on. Two models with --rate: also the difference of
    what they find, the first minus the second, on the same rows.
    """
    import rocbands as rb

    usual = "parametric" if _has_fixed_classes(how) else None
    chosen = choose(default=usual, level=how["level"], future=how["future"])
    if chosen is not None:
        how["method"] = chosen
    models = load.read_models(**rows)
    folds = models.columns.get("folds")

    def bound(name: str, rates: list[float] | None) -> Any:
        if folds is None:
            return rb.rate_bounds(models.curves[name], rates=rates, **how)
        assert models.rows is not None, "counts have no folds"
        labels, scores = models.rows.is_positive, models.rows.models[name]
        return rb.rate_bounds(labels, scores, folds=folds, rates=rates, **how)

    wanted = list(rates) or None
    every = dict.fromkeys(models.names)
    found = for_each(every, "Bounds", lambda name, _: bound(name, wanted))
    gap = None
    pair = models.pair() if wanted else None
    if pair is not None and wanted is not None:
        one, two = pair.models.values()
        asked = {"level": how["level"], "sampling": how["sampling"] or "full", "folds": folds}
        with warnings_about("difference"):
            gap = rb.rate_difference(
                pair.is_positive, one, two, wanted, names=(pair.names[0], pair.names[1]), **asked
            )
    if plot is not None:
        from rocbands.plot.rates import draw_models_at_rates

        whole = for_each(every, "Curve", lambda name, _: bound(name, None)) if wanted else found
        save_plot(draw_models_at_rates(whole, gap, space=space, mark=wanted or ()), plot)
    show_models(form, found, "rocbands.rates/1", difference=gap)


def _has_fixed_classes(how: dict[str, Any]) -> bool:
    """Tell whether options determine the share of positives, so that another default is due."""
    fixed = how["future"] is not None or how["prevalence"] is not None
    return fixed or how["sampling"] == "stratified" or how["scheme"] == "reference"

"""`rocbands rate`: what is found when a fixed share of cases is acted on."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.messages import warnings_about
from rocbands.cli.output import for_each, save_plot, show_models


@messages.command(
    "rate",
    "What is found when a fixed share of cases is acted on.",
    """
  rocbands rate --example --rate 0.05 --rate 0.2
  rocbands rate --example --folds fold --rate 0.05 --plot recall.png
  rocbands rate scores.csv --positive malignant --score logistic --rate 0.05
""",
)
@load.reads
@options.number(
    "--rate",
    "Share of cases that are acted on, in (0, 1); repeat it for several. By default all.",
    "R",
    also="--capacity",
    multiple=True,
)
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
    source: load.Source,
    choose: options.Choose,
    rate: tuple[float, ...],
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
    how["method"] = choose(default=usual, level=how["level"], future=how["future"])
    data = source.read()
    parts, wanted = load.split_models(data), list(rate) or None
    found = for_each(parts, "Bounds", lambda _, part: rb.rate_bounds(part, rate=wanted, **how))
    pair = load.as_pair(data) if wanted else None
    gap = None
    if pair is not None and wanted is not None:
        asked = {"level": how["level"], "sampling": how["sampling"] or "full"}
        with warnings_about("difference"):
            gap = rb.rate_difference(pair, rate=wanted, **asked)
    if plot is not None:
        from rocbands.plot.rates import draw_models_at_rates

        whole = found
        if wanted:
            whole = for_each(parts, "Curve", lambda _, part: rb.rate_bounds(part, **how))
        save_plot(draw_models_at_rates(whole, gap, space=space, mark=wanted or ()), plot)
    show_models(form, found, "rocbands.rates/1", difference=gap)


def _has_fixed_classes(how: dict[str, Any]) -> bool:
    """Tell whether options determine the share of positives, so that another default is due."""
    fixed = how["future"] is not None or how["prevalence"] is not None
    return fixed or how["sampling"] == "stratified" or how["scheme"] == "reference"

"""`rocbands rate`: recall if a fixed share of the cases is acted on."""

from __future__ import annotations

from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.output import Output, for_each


@messages.command("rate", "Recall if a fixed share of the cases is acted on.")
@load.reads
@options.numbers("--rate", "Share of cases acted on; by default all.", "R", also="--capacity")
@options.rates_between("--between", "Limits for all rates from A to B at once.")
@options.text(
    "--worth",
    "Limits of the mean worth of a decision at one --rate: of a true positive, false positive, "
    "false negative and true negative; 1 0 0 1 is the accuracy.",
    "TP FP FN TN",
    type=(options.NUMBER,) * 4,
)
@options.method("rates", "Method of the limits")
@options.text(
    "--sampling",
    "full: the number of positives is random; stratified: class sizes are fixed. By default "
    "full, unless another option fixes the share of positives.",
    "NAME",
    known=("full", "stratified"),
)
@options.text("--scheme", "Combination of folds: counts, reference.", known=("counts", "reference"))
@options.number("--prevalence", "Reference prevalence of the folds, with --scheme reference.", "P")
@options.future("Limits for a future test set of P positives and N negatives.")
@options.level
@options.one_of("--space", "Plot recall against the rate, or ROC curves.", ("recall", "roc"))
@options.output("Plot of all models in a PNG, PDF or SVG file.")
@options.seed()
def rate(
    *,
    source: load.Source,
    choose: options.Choose,
    rate: tuple[float, ...],
    between: tuple[float, float] | None,
    worth: tuple[float, ...] | None,
    space: str,
    out: Output,
    **how: Any,
) -> None:
    """Recall of each model in SCORES if a fixed share of the cases is acted on.

    These are the cases with the highest scores. With two models and --rate also the difference of
    recall, first minus second, on the same rows.
    """
    import rocbands as rb

    if between is not None and (rate or worth is not None):
        raise messages.usage("--between has rates of its own: leave --rate and --worth out.")
    if worth is not None and len(rate) != 1:
        raise messages.usage("--worth is for one --rate.")
    # Options that fix the share of positives change the default method.
    fixed = how["future"] is not None or how["prevalence"] is not None
    fixed |= how["sampling"] == "stratified" or how["scheme"] == "reference"
    usual = "parametric" if fixed else None
    how["method"] = choose(default=usual, level=how["level"], future=how["future"])
    data = source.read()
    parts, wanted = load.split_models(data), list(rate or between or ()) or None
    found = for_each(parts, "Bounds", lambda _, part: rb.rate_bounds(part, rate=wanted, **how))
    gap = None
    if rate and worth is None:
        asked = {"level": how["level"], "sampling": how["sampling"] or "full"}
        gap = load.find_difference(data, rb.rate_difference, rate=wanted, **asked)
    if out.plot is not None:
        from rocbands.plot.rates import draw_models_at_rates

        whole = found
        if wanted:
            whole = for_each(parts, "Curve", lambda _, part: rb.rate_bounds(part, **how))
        out.save(draw_models_at_rates(whole, gap, space=space, mark=wanted or ()))
    shown: dict[str, Any] = found
    if between is not None:
        shown = {name: part.between(*between) for name, part in found.items()}
    elif worth is not None:
        named = dict(zip(("tp", "fp", "fn", "tn"), worth, strict=True))
        shown = {name: part.linear(rate[0], **named) for name, part in found.items()}
    out.show_models(shown, "rocbands.rates/1", difference=gap)

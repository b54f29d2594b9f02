"""`rocbands band`, `smooth`, `average`, `two-sided`, `roc`: curves with bands and averages."""

from __future__ import annotations

from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.output import Output, for_each
from rocbands.core.arguments import VIEWS

_VIEWS = ["roc", "pr", "gains", "lift", "det", "cost", "net-benefit"]
_WITHOUT_PREVALENCE = ("roc", "det", "cost")  # views that do not depend on the prevalence


@messages.command("band", "Confidence bands for ROC curves.")
@load.reads
@options.method("bands", "Band method")
@options.level
@options.future("Band for the ROC curve of a future test set of P positives and N negatives.")
@options.text(
    "--view",
    "Other coordinates for the same band: precision-recall, cumulative gains, lift, DET, least "
    "cost or net benefit; can be repeated.",
    name="views",
    multiple=True,
    type=options.OneOf(_VIEWS, VIEWS),
)
@options.number("--prevalence", "Prevalence, for --view; by default estimated.", "P")
@options.output("Plot of all models in a PNG, PDF or SVG file.", log=True)
@options.seed()
def band(
    *,
    source: load.Source,
    choose: options.Choose,
    views: tuple[str, ...],
    prevalence: float | None,
    out: Output,
    **how: Any,
) -> None:
    """Confidence band for the ROC curve of each model in SCORES.

    SCORES is a CSV, TSV, JSON lines, Parquet, Feather or Excel file, plain or compressed, or - for
    stdin: one row for each case, one column of labels, one column of scores for each model; or
    counts that 'rocbands count' wrote. A larger score means more positive. With --folds the default
    method is fold-average.
    """
    import rocbands as rb

    if views:
        options.refuse("--view, only for ROC curves", "log")
    else:
        options.refuse("ROC curves", "prevalence", instead="pass a view, such as --view pr")
    usual = "fold-average" if "folds" in source.design else None
    how["method"] = choose(default=usual, level=how["level"], future=how["future"])
    parts = load.split_models(source.read())
    roc_band = rb.roc_band  # imported here, so that the bar does not include import time
    bands = for_each(parts, "Band", lambda _, part: roc_band(part, **how))
    if views:
        found = _build_views(bands, views, prevalence, how["rng"])
        out.draw_panels(list(found.values()))
        out.show_models(_name_views(found), "rocbands.views/1")
    else:
        out.draw_curves(bands)
        out.show_models(bands, "rocbands.bands/1")


Views = dict[str, dict[str, Any]]  # by view, then by model


def _build_views(
    bands: dict[str, Any], views: tuple[str, ...], prevalence: float | None, rng: Any
) -> Views:
    """Return the bands in other coordinates."""
    found = {}
    for view in dict.fromkeys(views):
        unused = len(set(views)) > 1 and view in _WITHOUT_PREVALENCE
        asked = {"prevalence": None if unused else prevalence, "rng": rng}
        found[view] = for_each(bands, "View", lambda _, band, v=view, a=asked: band.view(v, **a))
    return found


def _name_views(found: Views) -> dict[str, Any]:
    """Name all views by their model and, if there are several, their coordinates."""
    return {
        name if len(found) == 1 else f"{name}, {view}": result
        for view, results in found.items()
        for name, result in results.items()
    }


@messages.command("average", "Averages of curves over folds or runs.")
@load.reads
@options.text(
    "--view",
    "Coordinates: ROC, precision-recall, cumulative gains, lift, DET, least cost or net benefit.",
    type=options.OneOf(_VIEWS, VIEWS),
    default="roc",
)
@options.numbers("--at", "Fpr, recall, rate or weight to average at; by default 0 to 1.", "X")
@options.flag("--independent", "No row was used by two folds, neither to train nor to test.")
@options.level
@options.number("--prevalence", "Prevalence; by default each fold has its own.", "P")
@options.output("Plot of all models in a PNG, PDF or SVG file.")
def average(*, source: load.Source, at: tuple[float, ...], out: Output, **how: Any) -> None:
    """Average of the curves of all folds, for each model in SCORES, with pointwise limits.

    --folds names the column of folds; for runs, the number of the run is the fold. Each fold has a
    curve of its own. The curves are averaged at fixed false positive rates, or at fixed recalls,
    rates or weights of costs with --view.
    """
    import rocbands as rb

    parts = load.split_models(source.read())
    asked = {"at": list(at) or None, **how}
    found = for_each(parts, "Average", lambda _, part: rb.average_curve(part, **asked))
    out.draw_panels([found])
    out.show_models(found, "rocbands.average-curves/1")


@messages.command("two-sided", "Curves of markers whose low and high values are both positive.")
@load.reads
@options.level
@options.resamples
@options.output("Plot of all models in a PNG, PDF or SVG file.")
@options.seed()
def two_sided(*, source: load.Source, out: Output, **how: Any) -> None:
    """Two-sided curve of each model in SCORES: low and high values both point to positives.

    At each false positive rate the best pair of thresholds is taken: a case is called positive if
    its score is at most the lower or at least the upper one. The limits of the area allow for this
    choice, and a test tells whether two sides are better than one.
    """
    import rocbands as rb

    parts = load.split_models(source.read())
    found = for_each(parts, "Curve", lambda _, part: rb.two_sided_curve(part, **how))
    out.draw_panels([found])
    out.show_models(found, "rocbands.two-sided-curves/1")


@messages.command("roc", "ROC curves, as data.")
@load.reads
@options.output("Plot of all models in a PNG, PDF or SVG file.", log=True)
def roc(*, source: load.Source, out: Output) -> None:
    """ROC curve of each model in SCORES: counts and rates at every distinct score.

    The table shows a few of the thresholds; --format csv and --json have all. A case is called
    positive if its score is at least the threshold.
    """
    import rocbands as rb

    curves = for_each(load.split_models(source.read()), "Curve", lambda _, part: rb.roc_curve(part))
    out.draw_curves(curves)
    out.show_models(curves, "rocbands.roc-curves/1")


@messages.command("smooth", "Smooth ROC curves, with bands and areas.")
@load.reads
@options.method("smooth", "How the curve is fitted")
@options.level
@options.output("Plot of all models in a PNG, PDF or SVG file.", log=True)
@options.seed()
def smooth(
    *, source: load.Source, choose: options.Choose, level: float, out: Output, rng: Any
) -> None:
    """Smooth ROC curve of each model in SCORES, with a confidence band and limits of the AUC.

    The default method is binormal. Limits hold if the model of the method does; 'rocbands band'
    assumes none.
    """
    import rocbands as rb

    how: dict[str, Any] = {"method": choose(level=level), "level": level, "rng": rng}
    parts = load.split_models(source.read())
    smooth_curve = rb.smooth_curve
    found = for_each(parts, "Curve", lambda _, part: smooth_curve(part, **how))
    out.draw_curves(found)
    out.show_models(found, "rocbands.smooth-curves/1")

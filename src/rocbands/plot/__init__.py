"""Pictures of results; matplotlib is loaded when the first one is drawn, not before."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rocbands.errors import InputError, call
from rocbands.plot.files import save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "save"]

# The module and the function that draw each class of results, by name: nothing is loaded before it
# is needed, and matplotlib least of all.
_DRAW_FUNCTIONS: dict[str, tuple[str, str]] = {
    "RocCurve": ("rocbands.plot.roc", "draw_roc"),
    "Band": ("rocbands.plot.roc", "draw_band"),
    "RocBands": ("rocbands.plot.many", "draw_roc_bands"),
    "Subgroups": ("rocbands.plot.many", "draw_subgroups"),
    "View": ("rocbands.plot.views", "draw_view"),
    "NetBenefit": ("rocbands.plot.views", "draw_net_benefit"),
    "Interval": ("rocbands.plot.forest", "draw_interval"),
    "dict": ("rocbands.plot.forest", "draw_intervals"),
    "list": ("rocbands.plot.forest", "draw_intervals"),
    "OperatingPoints": ("rocbands.plot.points", "draw_points"),
    "Comparison": ("rocbands.plot.difference", "draw_comparison"),
    "Comparisons": ("rocbands.plot.difference", "draw_comparisons"),
    "DifferenceBand": ("rocbands.plot.difference", "draw_difference_band"),
    "CostCurve": ("rocbands.plot.costs", "draw_cost_curve"),
    "CostIntervals": ("rocbands.plot.costs", "draw_cost_intervals"),
    "CostDifference": ("rocbands.plot.costs", "draw_cost_difference"),
    "Plan": ("rocbands.plot.plan", "draw_plan"),
    "OwnDataResult": ("rocbands.plot.forest", "draw_own_data"),
    "RateBounds": ("rocbands.plot.rates", "draw_rate_bounds"),
    "RateDifference": ("rocbands.plot.difference", "draw_rate_difference"),
    "Table": ("rocbands.plot.tables", "draw_table"),
}


def draw(result: object, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw a result and return the axes.

    Parameters
    ----------
    result : RocCurve, Band, View, RateBounds, OperatingPoints, Interval(s), costs and differences
        What to draw; of a dict or list of intervals a forest plot, by the names in the dict.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure. Empty axes get labels, limits, a grid and the
        chance line, as far as they have none; to others only the result is added, an interval
        below those that are there.
    **style
        For curves and bands: `label` (the name of the model), `color`, `curve_kwargs` (for the
        line) and, for a band, `band_kwargs` (for the polygon) or, for points, `point_kwargs` (for
        their markers). Each call takes the next colour and line style. For an interval: `label`,
        `color` and `line_kwargs`; for several: `color`. For a difference band: `labels` (the names
        of both models). For bounds at a rate: `space`, 'recall' or 'roc', and as for bands. For
        costs: `prevalence` of the upper axis, as for curves and bands, and for intervals `mask`
        and `mark`.

    Returns
    -------
    Axes
        The axes, with a legend for curves and bands.

    See Also
    --------
    save : write the picture to a file.

    Examples
    --------
    >>> import rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> y, models = rb.load_example()
    >>> ax = Figure().subplots()
    >>> for name, scores in models.items():
    ...     ax = draw(rb.roc_curve(y, scores, positive="malignant"), ax, label=name)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['logistic (AUC 0.90)', 'neighbours (AUC 0.80)']
    """
    # A result of another distribution names its own module and function.
    found: tuple[str, str] | None = getattr(type(result), "DRAW_FUNCTION", None)
    names = (kind.__name__ for kind in type(result).__mro__)
    known = next((name for name in names if name in _DRAW_FUNCTIONS), None)
    if found is None and known is not None:
        found = _DRAW_FUNCTIONS[known]
    if found is None:
        raise InputError(
            f"There are pictures of {', '.join(_DRAW_FUNCTIONS)}, not of {type(result).__name__}. "
            f"Make one of those first, for example with {call('roc_curve', '...')} or "
            f"{call('roc_band', '...')}."
        )
    module, function = found
    axes: Axes = getattr(import_module(module), function)(result, ax, **style)
    return axes

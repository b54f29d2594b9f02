"""Pictures of results; matplotlib is loaded when the first one is drawn, not before."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocbands.core.result import check_style
from rocbands.errors import InputError, call
from rocbands.io.writing import check_place, whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    "OperatingPoints": ("rocbands.plot.roc", "draw_points"),
    "Comparison": ("rocbands.plot.comparison", "draw_comparison"),
    "Comparisons": ("rocbands.plot.comparison", "draw_comparisons"),
    "DifferenceBand": ("rocbands.plot.comparison", "draw_difference_band"),
    "CostCurve": ("rocbands.plot.costs", "draw_cost_curve"),
    "CostIntervals": ("rocbands.plot.costs", "draw_cost_intervals"),
    "CostDifference": ("rocbands.plot.costs", "draw_cost_difference"),
    "SampleSize": ("rocbands.plot.comparison", "draw_plan"),
    "OwnDataResult": ("rocbands.plot.forest", "draw_own_data"),
    "RateBounds": ("rocbands.plot.rates", "draw_rate_bounds"),
    "RateDifference": ("rocbands.plot.comparison", "draw_rate_difference"),
    "Table": ("rocbands.plot.forest", "draw_table"),
}

# By suffix: what savefig is told. Without dates the same picture gives the same bytes.
_FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"dpi": 200},
    ".pdf": {"metadata": {"CreationDate": None}},
    ".svg": {"metadata": {"Date": None}},
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
        of both models). For a view: as for bands; `iso_f1`, lines of equal F1 behind a precision-
        recall curve; `mark`, an abscissa whose limits are marked. For bounds at a rate: as for
        bands; `space`, 'recall' (against the rate) or 'roc' (with intervals along lines of equal
        rate); `mark`, rates whose intervals stand out. For costs: as for curves and bands;
        `prevalence`, at which the upper axis turns w into costs; for intervals `mark`, some of the
        w, drawn as bars, and `mask`, which leaves out w whose thresholds lie outside the scores of
        a class (that hides where limits are doubtful, and makes none of them better); for a
        difference `ratios`, whether there is an upper axis.

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
    >>> sample = rb.load_example()
    >>> ax = Figure().subplots()
    >>> for name in sample.models:
    ...     ax = draw(rb.roc_curve(sample[name]), ax, label=name)
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
    drawn = getattr(import_module(module), function)
    check_style(drawn, style)
    axes: Axes = drawn(result, ax, **style)
    return axes


def save(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of `ax` to a PNG, PDF or SVG file, wholly or not at all.

    Parameters
    ----------
    ax : matplotlib Axes
        As :func:`draw` returns it; the whole figure is written.
    path : str or path-like
        The file, replaced if it exists; its suffix says the format.

    Examples
    --------
    >>> import tempfile
    >>> import rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> ax = rb.roc_curve([1, 0, 1, 0], [4, 3, 2, 1]).plot(Figure().subplots())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(ax, f"{folder}/roc.svg")
    """
    target = check_target(path)
    with whole_file(target) as partial:
        _write(ax, partial, target.suffix.lower())


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return `path` if a picture can be written there, as far as can be told beforehand."""
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise InputError(
            f"A picture's file name must end in {', '.join(_FORMATS)}",
            f"got '{target.name}'",
            "Choose one of these endings.",
        )
    return check_place(target, "A picture")


def _write(ax: Axes, path: Path, suffix: str) -> None:
    from matplotlib import rc_context

    figure = ax.figure.canvas.figure  # also where the axes are part of a subfigure
    # Journals refuse Type 3 fonts; a fixed salt gives the names inside an SVG once and for all.
    with rc_context({"pdf.fonttype": 42, "svg.hashsalt": "rocbands"}), path.open("wb") as file:
        figure.savefig(file, format=suffix[1:], **_FORMATS[suffix])

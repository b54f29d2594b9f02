"""Pictures of results; matplotlib is imported when the first one is drawn."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocbands.core.result import check_style
from rocbands.errors import InputError, Message, call
from rocbands.io.writing import check_place, whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The module and the function that draw each class of results, as text: nothing is imported before
# it is needed, least of all matplotlib.
_DRAW_FUNCTIONS: dict[str, tuple[str, str]] = {
    "RocCurve": ("rocbands.plot.roc", "draw_roc"),
    "Band": ("rocbands.plot.roc", "draw_band"),
    "ClassBands": ("rocbands.plot.many", "draw_class_bands"),
    "Subgroups": ("rocbands.plot.many", "draw_subgroups"),
    "GroupGaps": ("rocbands.plot.comparison", "draw_group_gaps"),
    "View": ("rocbands.plot.views", "draw_view"),
    "TwoSidedCurve": ("rocbands.plot.roc", "draw_two_sided"),
    "AverageCurve": ("rocbands.plot.averages", "draw_average"),
    "NetBenefit": ("rocbands.plot.decisions", "draw_net_benefit"),
    "NetBenefitDifference": ("rocbands.plot.decisions", "draw_net_benefit_difference"),
    "Interval": ("rocbands.plot.forest", "draw_interval"),
    "dict": ("rocbands.plot.forest", "draw_intervals"),
    "list": ("rocbands.plot.forest", "draw_intervals"),
    "BestThreshold": ("rocbands.plot.roc", "draw_best_threshold"),
    "OperatingPoints": ("rocbands.plot.roc", "draw_points"),
    "Comparison": ("rocbands.plot.comparison", "draw_comparison"),
    "Comparisons": ("rocbands.plot.comparison", "draw_comparisons"),
    "DifferenceBand": ("rocbands.plot.comparison", "draw_difference_band"),
    "CostCurve": ("rocbands.plot.costs", "draw_cost_curve"),
    "CostIntervals": ("rocbands.plot.costs", "draw_cost_intervals"),
    "CostDifference": ("rocbands.plot.costs", "draw_cost_difference"),
    "SampleSize": ("rocbands.plot.comparison", "draw_plan"),
    "ReaderStudySize": ("rocbands.plot.comparison", "draw_reader_plan"),
    "RateBounds": ("rocbands.plot.rates", "draw_rate_bounds"),
    "RateDifference": ("rocbands.plot.comparison", "draw_rate_difference"),
    "Table": ("rocbands.plot.forest", "draw_table"),
    "ReaderStudy": ("rocbands.plot.readers", "draw_reader_study"),
    "Summary": ("rocbands.plot.summary", "draw_summary"),
}

# Arguments of savefig by suffix. Without dates the same picture gives the same bytes.
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
        What to draw; a dict (by name) or list of intervals becomes a forest plot.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure. Empty axes get labels, limits, a grid and the
        chance line unless they have their own; to others only the result is added, an interval
        below those already there.
    **style
        What the method ``plot`` of that result takes, such as `label` (the name of the model),
        `color`, `curve_kwargs`, `band_kwargs` or `legend`; for several intervals: `color`. Each
        call takes the next colour and line style.

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
    kinds = (kind.__name__ for kind in type(result).__mro__)
    known = (_DRAW_FUNCTIONS[name] for name in kinds if name in _DRAW_FUNCTIONS)
    # Results of other packages name their own module and function.
    found = getattr(type(result), "DRAW_FUNCTION", None) or next(known, None)
    if found is None:
        raise InputError(
            Message(
                "There are pictures of {}, not of {}. Make one of those first, for example with {} "
                "or {}.",
                ", ".join(_DRAW_FUNCTIONS),
                type(result).__name__,
                call("roc_curve", "..."),
                call("roc_band", "..."),
            )
        )
    module, function = found
    drawn = getattr(import_module(module), function)
    check_style(drawn, style)
    axes: Axes = drawn(result, ax=ax, **style)
    return axes


def save(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of `ax` to a PNG, PDF or SVG file, atomically.

    Parameters
    ----------
    ax : matplotlib Axes
        As :func:`draw` returns it; the whole figure is written.
    path : str or path-like
        The file, replaced if it exists; its suffix determines the format.

    Examples
    --------
    >>> import tempfile
    >>> import rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> ax = rb.roc_curve([1, 0, 1, 0], [4, 3, 2, 1]).plot(Figure().subplots())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(ax, f"{folder}/roc.svg")
    """
    from matplotlib import rc_context

    target = check_target(path)
    suffix = target.suffix.lower()
    figure = ax.figure.canvas.figure  # also where the axes are part of a subfigure
    # Some journals refuse Type 3 fonts; a fixed salt makes the identifiers in an SVG reproducible.
    fonts = rc_context({"pdf.fonttype": 42, "svg.hashsalt": "rocbands"})
    with whole_file(target) as partial, fonts, partial.open("wb") as file:
        figure.savefig(file, format=suffix[1:], **_FORMATS[suffix])


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return `path` if it looks like a place where a picture can be written."""
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise InputError(
            f"A picture's file name must end in {', '.join(_FORMATS)}",
            f"got '{target.name}'",
            "Choose one of these endings.",
        )
    return check_place(target, "A picture")

"""Drawing averages of curves over folds or runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from rocbands.core.result import percent
from rocbands.plot import canvas
from rocbands.plot.canvas import Properties
from rocbands.plot.layout import LegendPlace
from rocbands.plot.views import LABELS, Limits, add_references, scale_by_probit
from rocbands.views.average import AverageCurve

_LABELS = {
    **LABELS,
    "roc": ("False positive rate", "True positive rate"),
    "net-benefit": ("Threshold probability", "Largest net benefit"),
}
_SQUARE = ("roc", "pr", "gains", "det")


def draw_average(
    average: AverageCurve,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw the average, its limits, and the curves of the folds as thin lines."""
    x_label, y_label = _LABELS[average.view]
    x_limits, y_limits = _choose_limits(average)
    axes, empty = canvas.prepare_axes(
        ax, (5, 5), x_label=x_label, y_label=y_label, x_limits=x_limits, y_limits=y_limits
    )
    if empty:
        if average.view == "det":
            scale_by_probit(axes, x_limits, y_limits)
        if average.view in _SQUARE:
            axes.set_aspect("equal")
        add_references(axes, average.view)
    style = canvas.next_style(axes, color)
    name = f"{label or 'Model'}, mean of {average.n_folds} {average.folds_word}"
    x, low, high = average.at, average.lower, average.upper
    # A single abscissa is a point, which a line would not show.
    look: dict[str, Any] = {} if x.size > 1 else {"marker": "o", "markersize": 4}
    line = style.add_line(axes, x, average.mean, curve_kwargs, label=name, linewidth=1.8, **look)
    thin: dict[str, Any] = {"color": to_rgba(line.get_color(), 0.45), "linewidth": 0.6, **look}
    for fold in average.fold_curves:
        axes.plot(x, fold, zorder=2.2, **thin)
    if average.view == "det":  # the axes have no 0
        bottom, top = sorted(axes.get_ylim())
        low, high = (np.clip(side, bottom, top) for side in (low, high))
    text = f"{percent(average.level)} limits of the mean, for each point alone"
    points = canvas.outline(x, high, low)
    style.add_band(axes, points, band_kwargs, line=line, label=text)
    return canvas.add_legend(axes, legend)


def _choose_limits(average: AverageCurve) -> tuple[Limits, Limits]:
    """Return the limits of both axes."""
    unit, highest = (-canvas.MARGIN, 1.0 + canvas.MARGIN), float(average.upper.max())
    if average.view == "det":  # from half a case of each class
        across, up = (min(0.5 / size, 0.2) for size in (average.n_neg, average.n_pos))
        return (across, 0.7), (up, 0.95)
    if average.view == "cost":
        return unit, (-canvas.MARGIN / 2, 0.5 + canvas.MARGIN / 2)
    if average.view == "lift":
        return unit, (0.0, 1.05 * highest)
    if average.view == "net-benefit":
        least = min(float(average.lower.min()), 0.0)
        room = 0.05 * max(highest - least, 1e-6)
        return unit, (least - room, highest + room)
    return unit, unit

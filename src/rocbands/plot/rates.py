"""Drawing recall at a rate: against the rate, or along isometrics in ROC space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Polygon
from matplotlib.ticker import PercentFormatter

from rocbands.core.checks import FloatArray, check_choice, check_unit_interval
from rocbands.core.result import percent
from rocbands.plot import canvas
from rocbands.plot.canvas import Properties, Style
from rocbands.plot.comparison import draw_rate_difference
from rocbands.plot.layout import LegendPlace
from rocbands.plot.roc import finish_roc_axes
from rocbands.rates.result import RateBounds, RateDifference

FEW = 12  # rates up to which each has an interval of its own
MARKED = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # isometrics in a picture of many rates


class FeasiblePatch(Polygon):
    """All recalls that a rate allows, at one share of positives."""

    prevalence = -1.0


def draw_rate_bounds(
    bounds: RateBounds,
    ax: Axes | None = None,
    *,
    space: str = "recall",
    mark: npt.ArrayLike | None = None,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw recall and its limits: a band for many rates, intervals for a few."""
    check_choice(space, ("recall", "roc"), "space")
    axes = _prepare_recall_axes(ax) if space == "recall" else canvas.prepare_roc_axes(ax)[0]
    style = canvas.next_style(axes, color)
    if space == "recall":
        _add_feasible(axes, bounds)
    many = bounds.rate.size > FEW
    low, middle, high = _place_points(bounds, space)
    name = label or ("Recall" if bounds.n_folds == 1 else f"Mean of {bounds.n_folds} folds")
    markers = {} if many else canvas.POINT_LOOK
    x, y = middle.T
    line = style.add_line(axes, x, y, curve_kwargs, label=name, **markers)
    # The picture looks like a band, so the legend says that the limits are pointwise.
    new = "" if bounds.future is None else " on new rows"
    text = f"{percent(bounds.level)} limits for each rate alone{new}"
    if many:
        outline = np.concatenate([low, high[::-1]])
        style.add_band(axes, outline, band_kwargs, line=line, label=text)
    marked = bounds if mark is None and not many else _choose_marked(bounds, space, mark)
    if marked is not None:
        _add_intervals(axes, marked, space, style, label=None if many else text)
    return finish_roc_axes(axes, legend=legend)


def draw_models_at_rates(
    models: Mapping[str, RateBounds],
    gap: RateDifference | None = None,
    *,
    space: str = "recall",
    mark: npt.ArrayLike = (),
) -> Axes:
    """Draw the limits of several models in one picture, and the difference of two beside them."""
    import matplotlib.pyplot as plt

    if gap is None:
        _, axes = plt.subplots(figsize=(5, 5), layout="constrained")
    else:
        _, (axes, beside) = plt.subplots(
            1, 2, figsize=(10, 5), width_ratios=(5, 4), layout="constrained"
        )
        draw_rate_difference(gap, beside)
    chosen = mark if np.size(mark) else None
    for name, bounds in models.items():
        draw_rate_bounds(bounds, axes, space=space, mark=chosen, label=name)
    return axes


def _choose_marked(bounds: RateBounds, space: str, mark: npt.ArrayLike | None) -> RateBounds | None:
    """Return the bounds at the marked rates; in ROC space, by default, at some round ones."""
    if mark is not None:
        wanted = check_unit_interval(mark, "mark")
    elif space == "roc":
        some = np.array(MARKED)
        wanted = some[(some >= bounds.rate[0]) & (some <= bounds.rate[-1])]
    else:
        return None
    return bounds.at(wanted) if wanted.size else None


def _place_points(bounds: RateBounds, space: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points of the lower limit, of the recall and of the upper limit, one in each row."""
    across = bounds.fpr_upper, bounds.fpr, bounds.fpr_lower
    if space == "recall":
        across = bounds.rate, bounds.rate, bounds.rate
    up = bounds.tpr_lower, bounds.tpr, bounds.tpr_upper
    low, middle, high = (np.column_stack(point) for point in zip(across, up, strict=True))
    return low, middle, high


def _add_intervals(
    ax: Axes, bounds: RateBounds, space: str, style: Style, label: str | None
) -> None:
    """Draw an interval for each rate; in ROC space on its isometric, with the rate beside it."""
    low, _, high = _place_points(bounds, space)
    ink = to_rgba(style.color, 0.8)
    look: dict[str, Any] = {"linewidth": 2.2, "zorder": 3.0, "solid_capstyle": "butt"}
    for rate, start, end in zip(bounds.rate.tolist(), low, high, strict=True):
        ax.plot(*zip(start, end, strict=True), color=ink, label=label, **look)
        label = None  # one entry in the legend for all
        if space == "roc":
            ends = _find_isometric(rate, bounds.prevalence)
            ax.plot(*ends.T, color="0.55", linestyle=(0, (1, 2)), linewidth=0.8, zorder=1.3)
            if style.turn == 0:
                _write_rate(ax, rate)


def _write_rate(ax: Axes, rate: float) -> None:
    """Write the rate where its isometric meets the diagonal, at fpr = tpr = rate."""
    ax.text(
        rate, rate, f"{100 * rate:.3g}%", fontsize="x-small", color="0.3", ha="center", va="center",
        zorder=1.4, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    )  # fmt: skip


def _find_isometric(rate: float, prevalence: float) -> FloatArray:
    """End points, in the unit square, of the line rate = pi * tpr + (1 - pi) * fpr."""
    most = min(1.0, rate / prevalence)
    least = max(0.0, (rate - (1.0 - prevalence)) / prevalence)
    up = np.array([least, most])
    return np.column_stack([np.clip((rate - prevalence * up) / (1.0 - prevalence), 0, 1), up])


def _add_feasible(ax: Axes, bounds: RateBounds) -> None:
    pi = bounds.prevalence
    stand = (patch for patch in ax.patches if isinstance(patch, FeasiblePatch))
    if any(abs(patch.prevalence - pi) < 1e-9 for patch in stand):
        return
    corners = [(0, 0), (pi, 1), (1, 1), (1 - pi, 0)]
    patch = FeasiblePatch(
        corners, facecolor="0.94", edgecolor="0.7", linewidth=0.8, zorder=0.6,
        label=f"Possible at {100 * pi:.3g}% positives",
    )  # fmt: skip
    patch.prevalence = pi
    ax.add_patch(patch)


def _prepare_recall_axes(ax: Axes | None) -> Axes:
    """Return axes for recall against the rate, both in percent."""
    axes, empty = canvas.prepare_roc_axes(
        ax, x_label="Rate: share of cases acted on", y_label="Recall: share of positives found"
    )
    if empty:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PercentFormatter(1.0))
    return axes

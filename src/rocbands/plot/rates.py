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
from rocbands.plot.differences import draw_rate_difference
from rocbands.plot.roc import (
    BandPatch,
    CurveLine,
    Look,
    finished,
    furnished,
    merged,
    next_look,
)
from rocbands.rates.result import RateBounds, RateDifference

__all__ = ["draw_models_at_rates", "draw_rate_bounds"]

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
    curve_kwargs: Mapping[str, Any] | None = None,
    band_kwargs: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw recall and its limits; of many rates a band, of a few an interval for each.

    Parameters
    ----------
    bounds : RateBounds
        What to draw.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    space : {'recall', 'roc'}, default 'recall'
        'recall': recall against the rate, inside the parallelogram that it cannot leave. 'roc':
        recall against the false positive rate, with intervals along lines of equal rate.
    mark : array-like, optional
        Rates whose intervals stand out of the band; by default none against the rate, and a few
        in ROC space.
    label : str, optional
        The name of the model, for the legend.
    color : color, optional
        By default the next of the palette.
    curve_kwargs, band_kwargs : mapping, optional
        Properties of the line or the markers, and of the polygon.

    Returns
    -------
    Axes
        The axes.
    """
    check_choice(space, ("recall", "roc"), "space")
    axes = _recall_axes(ax) if space == "recall" else furnished(ax)
    look = next_look(axes, color)
    if space == "recall":
        _add_feasible(axes, bounds)
    many = bounds.rate.size > FEW
    if many:
        _add_band(axes, bounds, space, look, band_kwargs)
    marked = bounds if mark is None and not many else _marked(bounds, space, mark)
    if marked is not None:
        _add_intervals(axes, marked, space, look, label=None if many else _limits(bounds))
    _add_line(axes, bounds, space, look, label, curve_kwargs)
    return finished(axes)


def draw_models_at_rates(
    models: Mapping[str, RateBounds],
    gap: RateDifference | None = None,
    *,
    space: str = "recall",
    mark: npt.ArrayLike = (),
) -> Axes:
    """Draw the limits of several models in one picture, and the difference of two beside them.

    Parameters
    ----------
    models : mapping of str to RateBounds
        What to draw, by name.
    gap : RateDifference, optional
        What to draw beside them.
    space, mark
        As for :func:`draw_rate_bounds`.

    Returns
    -------
    Axes
        Those of the models.
    """
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


def _marked(bounds: RateBounds, space: str, mark: npt.ArrayLike | None) -> RateBounds | None:
    """Return the rates that stand out: those asked for, or in ROC space some within reach."""
    if mark is not None:
        wanted = check_unit_interval(mark, "mark")
    elif space == "roc":
        some = np.array(MARKED)
        wanted = some[(some >= bounds.rate[0]) & (some <= bounds.rate[-1])]
    else:
        return None
    return bounds.at(wanted) if wanted.size else None


def _places(bounds: RateBounds, space: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points of the lower limit, of the recall and of the upper limit, one in each row."""
    across = (
        (bounds.rate, bounds.rate, bounds.rate)
        if space == "recall"
        else (bounds.fpr_upper, bounds.fpr, bounds.fpr_lower)
    )
    up = bounds.lower, bounds.tpr, bounds.upper
    low, middle, high = (np.column_stack(point) for point in zip(across, up, strict=True))
    return low, middle, high


def _add_band(
    ax: Axes, bounds: RateBounds, space: str, look: Look, wishes: Mapping[str, Any] | None
) -> None:
    low, _, high = _places(bounds, space)
    properties: dict[str, Any] = {
        "facecolor": to_rgba(look.color, 0.18),
        "edgecolor": to_rgba(look.color, 0.75),
        "linestyle": look.dashes,
        "linewidth": 0.6,
        "joinstyle": "round",
        "zorder": 1.5,
        "label": _limits(bounds),
    }
    patch = BandPatch(np.concatenate([low, high[::-1]]), **merged(properties, wishes, BandPatch))
    patch.turn = look.turn
    ax.add_patch(patch)


def _add_line(
    ax: Axes,
    bounds: RateBounds,
    space: str,
    look: Look,
    label: str | None,
    wishes: Mapping[str, Any] | None,
) -> None:
    many = bounds.rate.size > FEW
    _, middle, _ = _places(bounds, space)
    properties: dict[str, Any] = {
        "color": look.color,
        "linestyle": look.dashes if many else "none",
        "linewidth": 1.4,
        "zorder": 2.5 if many else 3.5,
        "label": label or ("recall" if bounds.n_folds == 1 else f"mean of {bounds.n_folds} folds"),
    }
    if not many:
        properties |= {"marker": "o", "markersize": 5, "markeredgecolor": "white", "clip_on": False}
    line = CurveLine(middle[:, 0], middle[:, 1], **merged(properties, wishes, CurveLine))
    line.turn = look.turn
    ax.add_line(line)


def _add_intervals(ax: Axes, bounds: RateBounds, space: str, look: Look, label: str | None) -> None:
    """Draw an interval for each rate; in ROC space on its isometric, with the rate beside it."""
    low, _, high = _places(bounds, space)
    ink = to_rgba(look.color, 0.8)
    for rate, start, end in zip(bounds.rate.tolist(), low, high, strict=True):
        across, up = np.stack([start, end]).T
        ax.plot(
            across, up, color=ink, linewidth=2.2, zorder=3.0, solid_capstyle="butt", label=label
        )
        label = None
        if space == "roc":
            ends = _isometric(rate, bounds.prevalence)
            ax.plot(*ends.T, color="0.55", linestyle=(0, (1, 2)), linewidth=0.8, zorder=1.3)
            if look.turn == 0:
                _name(ax, rate)


def _name(ax: Axes, rate: float) -> None:
    """Write the rate where its isometric meets the diagonal: guessing finds that share, too."""
    ax.text(
        rate, rate, f"{100 * rate:.3g}%", fontsize="x-small", color="0.3", ha="center", va="center",
        zorder=1.4, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    )  # fmt: skip


def _isometric(rate: float, prevalence: float) -> FloatArray:
    """Both ends of the line of equal rate inside the unit square."""
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
        label=f"possible at prevalence {pi:.3g}",
    )  # fmt: skip
    patch.prevalence = pi
    ax.add_patch(patch)


def _limits(bounds: RateBounds) -> str:
    kind = "pointwise" if bounds.future is None else "prediction"
    return f"{100 * bounds.level:.10g}% {kind} limits, {bounds.method}"


def _recall_axes(ax: Axes | None) -> Axes:
    fresh = not (isinstance(ax, Axes) and ax.has_data())
    axes = furnished(ax)
    if fresh:
        for axis, roc, words in (
            (axes.xaxis, "False positive rate", "Rate: share of cases acted on"),
            (axes.yaxis, "True positive rate", "Recall: share of positives found"),
        ):
            if axis.get_label_text() == roc:
                axis.set_label_text(words)
            axis.set_major_formatter(PercentFormatter(1.0))
    return axes

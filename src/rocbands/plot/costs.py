"""Drawing costs along the operating condition: cost curves, and costs with their limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from rocbands.core.checks import BoolArray, FloatArray, check_flag, check_unit_interval
from rocbands.cost.conditions import check_prevalence
from rocbands.cost.result import CostCurve, CostDifference, CostIntervals
from rocbands.errors import InputError
from rocbands.plot.cost_axes import FEW, SIZE, UNITS, add_trivial, cost_axes, finished_costs, runs
from rocbands.plot.cost_difference import draw_cost_difference
from rocbands.plot.roc import VISIBLE, BandPatch, CurveLine, Look, merged, next_look

__all__ = ["draw_cost_curve", "draw_cost_intervals", "draw_models_by_cost"]

ASIDE = 0.008  # of the axis
MARKERS = ("o", "s", "D", "^")
DOTS = 60  # breakpoints up to which each can be told from the next
STRIP = 0.016  # of the axes' height, where errors are few


def draw_cost_curve(
    curve: CostCurve,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    prevalence: float | None = None,
    curve_kwargs: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw a cost curve, its breakpoints, and the cost of calling all rows alike.

    Parameters
    ----------
    curve : CostCurve
        What to draw.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    label : str, optional
        The name of the model, for the legend.
    color : color, optional
        By default the next of the palette.
    prevalence : float, optional
        Share of positives at which the upper axis turns w into costs; by default that of the data.
    curve_kwargs : mapping, optional
        Properties of the line, as matplotlib's Line2D takes them.

    Returns
    -------
    Axes
        The axes.
    """
    own = curve.roc.n_pos / (curve.roc.n_pos + curve.roc.n_neg)
    axes = cost_axes(ax, UNITS["stratified"], _share(prevalence, own))
    look = next_look(axes, color)
    axes.update_datalim(add_trivial(axes, "stratified", own))
    properties: dict[str, Any] = {
        "color": look.color,
        "linestyle": look.dashes,
        "linewidth": 1.4,
        "zorder": 2.5,
        "label": f"{label or 'cost curve'}, best thresholds of the same rows: optimistic",
    }
    if curve.w.size <= DOTS:
        properties |= {"marker": "o", "markersize": 3}
    line = CurveLine(curve.w, curve.cost, **merged(properties, curve_kwargs, CurveLine))
    line.turn = look.turn
    axes.add_line(line)
    if curve.floor is not None and curve.certificate >= VISIBLE:
        _add_floor(axes, curve.floor, look)
    return finished_costs(axes)


def _add_floor(ax: Axes, floor: CostCurve, look: Look) -> None:
    """Add, thin, the lowest cost curve that bins allow."""
    line = CurveLine(
        floor.w,
        floor.cost,
        color=look.color,
        linestyle=":",
        linewidth=0.6,
        zorder=2.5,
        label="lowest cost curve in these bins",
    )
    line.turn = look.turn
    ax.add_line(line)


def draw_cost_intervals(
    found: CostIntervals,
    ax: Axes | None = None,
    *,
    mask: bool = False,
    mark: npt.ArrayLike = (),
    label: str | None = None,
    color: Any = None,
    prevalence: float | None = None,
    curve_kwargs: Mapping[str, Any] | None = None,
    band_kwargs: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw costs and their limits; of many w a band, of a few an interval for each.

    Where errors are few there is a strip along the upper side (of a few w, hollow markers): limits
    by 'gaussian' and 'exact' fail there.

    Parameters
    ----------
    found : CostIntervals
        What to draw.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    mask : bool, default False
        Leave out w whose thresholds lie outside the scores of a class. That hides where limits are
        doubtful, and makes none of them better.
    mark : array-like, optional
        Some of the w, whose intervals shall stand out of the band.
    label : str, optional
        The name of the model, for the legend.
    color : color, optional
        By default the next of the palette.
    prevalence : float, optional
        Share of positives at which the upper axis turns w into costs; by default the one that the
        intervals know.
    curve_kwargs, band_kwargs : mapping, optional
        Properties of the line or the markers, and of the polygon.

    Returns
    -------
    Axes
        The axes.
    """
    check_flag(mask, "mask")
    track = _Track.of(found, mask)
    axes = cost_axes(ax, UNITS[found.sampling], _share(prevalence, found.prevalence))
    look = next_look(axes, color)
    n_pos, n_neg = found.roc.n_pos, found.roc.n_neg
    add_trivial(axes, found.sampling, n_pos / (n_pos + n_neg))
    text = f"{label or 'cost'}, {100 * found.level:.10g}% limits at each w, {found.method}"
    if mask:
        text += "\n(only thresholds within the scores of both classes)"
    wishes = {"label": text, **(curve_kwargs or {})}
    bars = track.at(mark) & track.seen
    if np.unique(found.w).size > FEW:
        _add_band(axes, track, look, band_kwargs)
        _add_strips(axes, track, look, _doubt(found))
        _add_line(axes, track, look, wishes)
    else:
        bars = track.seen
        _add_points(axes, track, look, wishes, _doubt(found))
    _add_bars(axes, track, bars, look)
    return finished_costs(axes)


def draw_models_by_cost(
    models: Mapping[str, CostIntervals],
    gap: CostDifference | None = None,
    **style: Any,
) -> Axes:
    """Draw the costs of several models in one picture, and the difference of two below them.

    Parameters
    ----------
    models : mapping of str to CostIntervals
        What to draw, by name.
    gap : CostDifference, optional
        What to draw below them.
    **style
        `mask`, `mark` and `prevalence`, as for :func:`draw_cost_intervals`.

    Returns
    -------
    Axes
        Those of the models.
    """
    import matplotlib.pyplot as plt

    if gap is None:
        _, axes = plt.subplots(figsize=SIZE, layout="constrained")
    else:
        _, (axes, below) = plt.subplots(
            2, 1, figsize=(6.4, 7.6), height_ratios=(3, 2), layout="constrained", sharex=True
        )
    for name, found in models.items():
        draw_cost_intervals(found, axes, label=name, **style)
    if gap is not None:
        axes.set_xlabel("")
        draw_cost_difference(gap, below, ratios=False)
    return axes


class _Track(NamedTuple):
    """Costs in the order of w, and which of them are drawn."""

    w: FloatArray
    cost: FloatArray
    low: FloatArray
    high: FloatArray
    few: BoolArray
    seen: BoolArray

    @classmethod
    def of(cls, found: CostIntervals, mask: bool) -> _Track:
        order = np.argsort(found.w, kind="stable")
        seen = found.inside[order] if mask else np.ones(len(found), dtype=np.bool_)
        if not seen.any():
            raise InputError(
                "No threshold lies within the scores of both classes: mask=True leaves nothing to "
                "draw. Leave it out."
            )
        w, cost, low, high = (
            part[order] for part in (found.w, found.cost, found.lower, found.upper)
        )
        return cls(w, cost, low, high, found.reliable[order] == "unreliable", seen)

    def at(self, mark: npt.ArrayLike) -> BoolArray:
        """Tell which w are marked."""
        wanted = np.atleast_1d(check_unit_interval(mark, "mark"))
        same = np.isclose(self.w[:, None], wanted, rtol=0.0, atol=1e-9)
        if not same.any(axis=0).all():
            raise InputError(
                f"`mark` must be some of the w that there are intervals for; got "
                f"{wanted[~same.any(axis=0)][0]:g}. Ask cost_interval for it, too."
            )
        return np.asarray(same.any(axis=1))


def _share(wanted: float | None, own: float) -> float:
    return own if wanted is None else float(check_prevalence(wanted))


def _doubt(found: CostIntervals) -> str:
    """Say what few errors mean for these limits."""
    if found.needs_many_errors:
        return "too few errors; these limits fail here"
    return "few errors; gaussian limits would fail here"


def _add_band(ax: Axes, track: _Track, look: Look, wishes: Mapping[str, Any] | None) -> None:
    """Add a polygon for each stretch that is drawn."""
    properties: dict[str, Any] = {
        "facecolor": to_rgba(look.color, 0.18),
        "edgecolor": to_rgba(look.color, 0.75),
        "linestyle": look.dashes,
        "linewidth": 0.6,
        "joinstyle": "round",
        "zorder": 1.5,
    }
    for part in runs(track.seen):
        w, low, high = track.w[part], track.low[part], track.high[part]
        outline = np.column_stack([np.append(w, w[::-1]), np.append(low, high[::-1])])
        patch = BandPatch(outline, **merged(properties, wishes, BandPatch))
        patch.turn = look.turn
        ax.add_patch(patch)


def _add_line(ax: Axes, track: _Track, look: Look, wishes: Mapping[str, Any]) -> None:
    properties: dict[str, Any] = {
        "color": look.color,
        "linestyle": look.dashes,
        "linewidth": 1.4,
        "zorder": 2.5,
    }
    cost = np.where(track.seen, track.cost, np.nan)
    line = CurveLine(track.w, cost, **merged(properties, wishes, CurveLine))
    line.turn = look.turn
    ax.add_line(line)


def _add_points(ax: Axes, track: _Track, look: Look, wishes: Mapping[str, Any], doubt: str) -> None:
    """Add a marker at each w; a hollow one where errors are few."""
    properties: dict[str, Any] = {
        "color": look.color,
        "linestyle": "none",
        "marker": MARKERS[look.turn % len(MARKERS)],
        "markersize": 5.5,
        "zorder": 3.5,
    }
    line = CurveLine(
        _aside(ax, track.w[track.seen], look),
        track.cost[track.seen],
        **merged(properties, wishes, CurveLine),
    )
    line.turn = look.turn
    ax.add_line(line)
    few = track.few & track.seen
    if few.any():
        hollow = properties | {"markerfacecolor": "white", "zorder": 3.6}
        ax.plot(_aside(ax, track.w[few], look), track.cost[few], label=f"hollow: {doubt}", **hollow)


def _add_bars(ax: Axes, track: _Track, chosen: BoolArray, look: Look) -> None:
    """Draw the limits at some w as upright bars."""
    if chosen.any():
        ax.vlines(
            _aside(ax, track.w[chosen], look), track.low[chosen], track.high[chosen],
            color=to_rgba(look.color, 0.8), linewidth=2.2, zorder=3.0,
        )  # fmt: skip


def _aside(ax: Axes, w: FloatArray, look: Look) -> FloatArray:
    """Move the bars of later models a little aside, so that none covers another."""
    left, right = ax.get_xlim()
    return np.asarray(w + ASIDE * (right - left) * look.turn)


def _add_strips(ax: Axes, track: _Track, look: Look, doubt: str) -> None:
    """Mark where errors are few, below the upper side; of each model in a row of its own."""
    between = (track.w[1:] + track.w[:-1]) / 2.0
    ends = np.concatenate((track.w[:1], between, track.w[-1:]))
    for part in runs(track.few & track.seen):
        left, right = ends[part.start], ends[part.stop]
        strip = Rectangle(
            (left, 1.0 - 1.6 * STRIP * (look.turn + 1)), right - left, STRIP,
            transform=ax.get_xaxis_transform(), facecolor=to_rgba(look.color, 0.3),
            edgecolor=look.color, hatch="xxxx", linewidth=0.6, zorder=2.0, label=doubt,
        )  # fmt: skip
        ax.add_patch(strip)

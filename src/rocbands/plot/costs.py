"""Drawing costs along the operating condition w: cost curves, costs with limits, differences.

The lower axis is w; the upper axis translates it into a ratio of costs at some share of positives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter

from rocbands.core.checks import BoolArray, FloatArray, check_flag, check_unit_interval
from rocbands.core.result import percent
from rocbands.cost.conditions import Sampling, check_prevalence, write_ratio
from rocbands.cost.curve import CostCurve
from rocbands.cost.result import CostDifference, CostIntervals
from rocbands.errors import InputError, Message, arg, call
from rocbands.plot import canvas, layout
from rocbands.plot.canvas import Properties, Style
from rocbands.plot.comparison import add_difference
from rocbands.plot.layout import LegendPlace, SpacedLocator

X_LABEL = "w: share of the total possible cost that comes from missed positives"
RATIO_LABEL = "Cost of a missed positive : of a false alarm, at {:.3g}% positives"
UNITS: dict[Sampling, str] = {
    "stratified": "Cost, as a share of the total possible cost",
    "full": "Cost per row, in units of the dearer error",
    "varying": "Cost per row, in units of the dearer error",
}
SIZE = (6.4, 4.8)
RATIOS = np.concatenate([step * 10.0 ** np.arange(-9, 10) for step in (1, 2, 5)])
EDGE = 0.02  # of the axis, at both ends, without ratios
GAP = 0.42  # inches between two ratios that are written
FEW = 12  # operating conditions up to which each has an interval of its own
MARKERS = ("o", "s", "D", "^")
DOTS = 60  # breakpoints up to which each is marked
STRIP = 0.016  # height of the strip that marks few errors, relative to the axes


def draw_cost_curve(
    curve: CostCurve,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    prevalence: float | None = None,
    curve_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw a cost curve, its breakpoints, and the cost of calling all rows alike."""
    share = _choose_prevalence(prevalence, curve.roc.prevalence)
    axes = _prepare_cost_axes(ax, UNITS["stratified"], share)
    style = canvas.next_style(axes, color)
    axes.update_datalim(_add_trivial(axes, "stratified", curve.roc.prevalence))
    text = f"{label or 'Least cost'}, thresholds from these rows (optimistic)"
    dots = {"marker": "o", "markersize": 3} if curve.w.size <= DOTS else {}
    style.add_line(axes, curve.w, curve.cost, curve_kwargs, label=text, **dots)
    if curve.floor is not None and curve.certificate >= canvas.VISIBLE:
        floor = curve.floor
        style.add_line(
            axes, floor.w, floor.cost, None, linestyle=":", linewidth=0.6,
            label="Lowest cost curve in these bins",
        )  # fmt: skip
    return _finish_cost_axes(axes, legend)


def draw_cost_intervals(
    intervals: CostIntervals,
    ax: Axes | None = None,
    *,
    mask: bool = False,
    mark: npt.ArrayLike = (),
    label: str | None = None,
    color: Any = None,
    prevalence: float | None = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw costs and their limits: a band for many w, intervals for a few.

    A strip along the upper side (hollow markers for a few w) shows where errors are few: limits by
    'gaussian' and 'exact' fail there.
    """
    check_flag(mask, "mask")
    track = _Track.from_intervals(intervals, mask)
    share = _choose_prevalence(prevalence, intervals.prevalence)
    axes = _prepare_cost_axes(ax, UNITS[intervals.sampling], share)
    style = canvas.next_style(axes, color)
    own = intervals.sampling == "varying"
    base = intervals.prevalence if own else intervals.roc.prevalence
    _add_trivial(axes, intervals.sampling, base)
    text = f"{percent(intervals.level)} limits for each w alone"
    if mask:
        text += " (only thresholds within the scores of both classes)"
    doubt = "Few errors: Gaussian limits would fail"
    if intervals.needs_many_errors:
        doubt = "Too few errors: these limits fail"
    wishes = {"label": label or "Cost", **(curve_kwargs or {})}
    bars = track.find(mark) & track.seen
    if np.unique(intervals.w).size > FEW:
        cost = np.where(track.seen, track.cost, np.nan)
        line = style.add_line(axes, track.w, cost, wishes)
        for part in find_runs(track.seen):
            points = canvas.outline(track.w[part], track.low[part], track.high[part])
            style.add_band(axes, points, band_kwargs, line=line, label=text)
        _add_strips(axes, track, style, doubt)
    else:
        bars = track.seen
        _add_markers(axes, track, style, wishes, doubt)
    _add_bars(axes, track, bars, style, "_" if np.unique(intervals.w).size > FEW else text)
    return _finish_cost_axes(axes, legend)


def draw_models_by_cost(
    models: Mapping[str, CostIntervals], gap: CostDifference | None = None, **style: Any
) -> Axes:
    """Draw the costs of several models in one picture, and the difference of two below them."""
    import matplotlib.pyplot as plt

    if gap is None:
        _, axes = plt.subplots(figsize=SIZE, layout="constrained")
    else:
        _, (axes, below) = plt.subplots(
            2, 1, figsize=(6.4, 7.6), height_ratios=(3, 2), layout="constrained", sharex=True
        )
    for name, intervals in models.items():
        draw_cost_intervals(intervals, axes, label=name, **style)
    if gap is not None:
        axes.set_xlabel("")
        canvas.add_legend(axes, first="lower center")  # nearer, without the label
        draw_cost_difference(gap, below, ratios=False)
    return axes


def draw_cost_difference(
    difference: CostDifference,
    ax: Axes | None = None,
    *,
    prevalence: float | None = None,
    ratios: bool = True,
    legend: LegendPlace = True,
) -> Axes:
    """Draw the difference of two models' costs with its limits, and where one is cheaper."""
    share = _choose_prevalence(prevalence, difference.prevalence)
    many = np.unique(difference.w).size > FEW
    order = np.argsort(difference.w, kind="stable")
    w, middle, lower, upper = (
        part[order]
        for part in (difference.w, difference.difference, difference.lower, difference.upper)
    )
    axes = _prepare_difference_axes(ax, difference, share if ratios else None)
    every = "all w together" if difference.simultaneous else "each w alone"
    text = f"{percent(difference.level)} limits for {every}"
    if many:
        add_difference(axes, w, (lower, middle, upper), text)
    else:
        axes.vlines(w, lower, upper, color="0.5", linewidth=2.2, zorder=2.5, label=text)
        axes.plot(w, middle, "o", color="0.15", markersize=5, zorder=2.8, label="Difference")
    extra: list[Any] = []
    for model, (cheaper, limit) in enumerate(((upper < 0, upper), (lower > 0, lower))):
        if cheaper.any():
            text = f"{difference.names[model]} cheaper, by at least this"
            extra.append(_shade_cheaper(axes, w, limit, cheaper, model, text, many))
    return canvas.add_legend(axes, legend, "upper right", extra)


def _shade_cheaper(
    ax: Axes,
    w: FloatArray,
    limit: FloatArray,
    cheaper: BoolArray,
    model: int,
    text: str,
    many: bool,
) -> Artist:
    """Shade from zero to the nearer limit where a model is cheaper; return its legend's handle."""
    style = canvas.advantage_style(model)
    bar: dict[str, Any] = {"color": style["edgecolor"], "linewidth": 4}
    for part in find_runs(cheaper):
        if many and part.stop - part.start > 1:
            canvas.shade_advantage(ax, w[part], limit[part], model)
        else:
            ax.vlines(w[part], 0.0, limit[part], zorder=2.6, **bar)
    return Patch(**style, label=text) if many else Line2D([], [], label=text, **bar)


class RatioLocator(SpacedLocator):
    """Places of round cost ratios along w, far enough from each other to be read.

    w / (1 - w) is the cost ratio times the odds of being positive.
    """

    def __init__(self, prevalence: float) -> None:
        self.prevalence = prevalence
        odds = (1.0 - prevalence) / prevalence
        super().__init__((RATIOS / (RATIOS + odds)).tolist(), GAP)

    def order(self, vmin: float, vmax: float) -> list[float]:
        """Return the places between two w, those in the middle first."""
        middle, width = (vmin + vmax) / 2.0, vmax - vmin
        # Near either end the text of a ratio would not fit.
        near = [place for place in self.places if abs(place - middle) <= (0.5 - EDGE) * width]
        return sorted(near, key=lambda place: abs(place - middle))

    def format_ratio(self, w: float, _: int | None = None) -> str:
        """Write the ratio at w.

        Examples
        --------
        >>> RatioLocator(0.5).format_ratio(0.75), RatioLocator(0.5).format_ratio(0.25)
        ('3:1', '1:3')
        """
        return write_ratio(w, self.prevalence) if 0.0 < w < 1.0 else ""


class TrivialLine(Line2D):
    """The cost of calling all rows alike; `unit` is what costs on these axes are measured in."""

    unit: tuple[Sampling, float] = ("stratified", 0.0)


def _choose_prevalence(wanted: float | None, own: float) -> float:
    return own if wanted is None else float(check_prevalence(wanted))


def _prepare_cost_axes(
    ax: Axes | None, y_label: str, prevalence: float | None, size: tuple[float, float] = SIZE
) -> Axes:
    """Return axes for costs along w; empty ones get cost ratios along the upper side."""
    axes, empty = canvas.prepare_axes(
        ax, size, x_label=X_LABEL, y_label=y_label, x_limits=(0.0, 1.0)
    )
    if empty and prevalence is not None:
        above = axes.secondary_xaxis("top")
        locator = RatioLocator(prevalence)
        above.xaxis.set_major_locator(locator)
        above.xaxis.set_major_formatter(FuncFormatter(locator.format_ratio))
        above.set_xlabel(RATIO_LABEL.format(100.0 * prevalence), fontsize="small")
        layout.fit_text(above.xaxis.label, layout.width_of(axes))
        above.tick_params(labelsize="small")
    return axes


def _prepare_difference_axes(
    ax: Axes | None, difference: CostDifference, prevalence: float | None
) -> Axes:
    """Return axes for differences of costs; their limits ignore trivial intervals."""
    words = f"Difference of costs\n(below 0: {difference.names[0]} is cheaper)"
    axes = _prepare_cost_axes(ax, words, prevalence, (6.4, 4.6))
    if axes.has_data():
        return axes
    if axes.get_autoscaley_on():
        # Intervals from -1 to 1 carry no information, and would make all others invisible.
        claims = (difference.lower > -1.0) | (difference.upper < 1.0)
        claims |= not claims.any()
        bottom = float(difference.lower.min(where=claims, initial=-0.005))
        top = float(difference.upper.max(where=claims, initial=0.005))
        axes.set_ylim(bottom - 0.06 * (top - bottom), top + 0.06 * (top - bottom))
    canvas.add_zero_line(axes)
    return axes


def _finish_cost_axes(ax: Axes, legend: LegendPlace) -> Axes:
    """Renew the legend; axes without user limits start at cost 0."""
    ax.autoscale_view(scalex=False)
    if ax.get_autoscaley_on():
        ax.set_ylim(0.0, ax.get_ylim()[1], auto=True)
    return canvas.add_legend(ax, legend, "lower center")


def _add_trivial(ax: Axes, sampling: Sampling, prevalence: float) -> FloatArray:
    """Add the cost of calling all rows alike, if missing; return its points.

    It defines the unit of costs, so costs in other units are refused. It does not change the limits
    of the axes, because models may lie far below it.
    """
    # Calling all rows positive costs 1 - w, all negative w: the smaller one, as a share of the
    # total possible cost, or per row in units of the dearer error.
    unit = (sampling, 0.0 if sampling == "stratified" else prevalence)
    w = np.union1d(np.linspace(0.0, 1.0, 201), [prevalence])
    cost = np.minimum(w, 1.0 - w)
    if sampling != "stratified":
        cost /= np.maximum(w / prevalence, (1.0 - w) / (1.0 - prevalence))
    there = [line.unit for line in ax.lines if isinstance(line, TrivialLine)]
    if any(other != sampling for other, _ in there):
        raise InputError(
            Message(
                "Costs of different {} have different units and cannot share axes. Draw them on "
                "axes of their own.",
                arg("sampling"),
            )
        )
    if unit not in there:
        line = TrivialLine(
            w, cost, color="0.45", linestyle=(0, (2, 2)), linewidth=1, zorder=1.4,
            label="All rows called alike",
        )  # fmt: skip
        line.unit = unit
        ax.add_artist(line)
    return np.column_stack([w, cost])


class _Track(NamedTuple):
    """Costs in the order of w, and which of them are drawn."""

    w: FloatArray
    cost: FloatArray
    low: FloatArray
    high: FloatArray
    few: BoolArray
    seen: BoolArray

    @classmethod
    def from_intervals(cls, intervals: CostIntervals, mask: bool) -> _Track:
        order = np.argsort(intervals.w, kind="stable")
        seen = intervals.inside[order] if mask else np.ones(len(intervals), dtype=np.bool_)
        if not seen.any():
            raise InputError(
                Message(
                    "No threshold lies within the scores of both classes: {} leaves nothing to "
                    "draw. Leave it out.",
                    arg("mask", True),
                )
            )
        w, cost, low, high = (
            part[order] for part in (intervals.w, intervals.cost, intervals.lower, intervals.upper)
        )
        return cls(w, cost, low, high, intervals.reliable[order] == "unreliable", seen)

    def find(self, mark: npt.ArrayLike) -> BoolArray:
        """Tell which w are marked."""
        wanted = np.atleast_1d(check_unit_interval(mark, "mark"))
        same = np.isclose(self.w[:, None], wanted, rtol=0.0, atol=1e-9)
        if not same.any(axis=0).all():
            raise InputError(
                "must be among the w of the intervals",
                f"got {wanted[~same.any(axis=0)][0]:g}",
                Message("Pass it to {} too.", call("cost_interval", "...")),
                argument="mark",
            )
        return np.asarray(same.any(axis=1))


def _add_markers(
    ax: Axes, track: _Track, style: Style, wishes: Mapping[str, Any], doubt: str
) -> None:
    """Add a marker at each w; a hollow one where errors are few."""
    marker = MARKERS[style.turn % len(MARKERS)]
    properties: dict[str, Any] = {"linestyle": "none", "marker": marker, "markersize": 5.5}
    style.add_line(
        ax, track.w[track.seen], track.cost[track.seen], wishes, zorder=3.5, **properties
    )
    few = track.few & track.seen
    if few.any():
        ax.plot(
            track.w[few], track.cost[few], color=style.color,
            label=f"Hollow: {doubt[0].lower()}{doubt[1:]}", markerfacecolor="white", zorder=3.6,
            **properties,
        )  # fmt: skip


def _add_bars(ax: Axes, track: _Track, chosen: BoolArray, style: Style, text: str) -> None:
    """Draw the limits at some w as vertical bars.

    Bars of several models at the same w differ by their caps, which get wider, and by their lines,
    which get thinner.
    """
    if not chosen.any():
        return
    w, low, high = track.w[chosen], track.low[chosen], track.high[chosen]
    color, width = to_rgba(style.color, 0.8), 2.4 / (1.0 + style.turn % 4)
    order = 3.0 + 0.01 * style.turn
    ax.vlines(w, low, high, color=color, linewidth=width, zorder=order, label=text)
    for limit in (low, high):
        ax.plot(
            w, limit, linestyle="none", marker="_", markersize=6 + 4 * (style.turn % 4),
            color=color, zorder=3.0,
        )  # fmt: skip


def _add_strips(ax: Axes, track: _Track, style: Style, doubt: str) -> None:
    """Mark where errors are few, below the upper side, in one row for each model."""
    between = (track.w[1:] + track.w[:-1]) / 2.0
    ends = np.concatenate((track.w[:1], between, track.w[-1:]))
    for part in find_runs(track.few & track.seen):
        left, right = ends[part.start], ends[part.stop]
        strip = Rectangle(
            (left, 1.0 - 1.6 * STRIP * (style.turn + 1)), right - left, STRIP,
            transform=ax.get_xaxis_transform(), facecolor=to_rgba(style.color, 0.3),
            edgecolor=style.color, hatch="xxxx", linewidth=0.6, zorder=2.0, label=doubt,
        )  # fmt: skip
        ax.add_patch(strip)


def find_runs(marked: BoolArray) -> list[slice]:
    """Return the runs of neighbours that are marked.

    Examples
    --------
    >>> find_runs(np.array([True, True, False, True]))
    [slice(0, 2, None), slice(3, 4, None)]
    """
    padded = np.concatenate(([False], marked, [False]))
    turns = np.flatnonzero(padded[1:] != padded[:-1]).tolist()
    return [slice(start, stop) for start, stop in zip(turns[::2], turns[1::2], strict=True)]

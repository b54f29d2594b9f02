"""Drawing decision curves: net benefit of a model, of treating all and of treating none.

Limits are those of the model's lead over the better of treating all and treating none, drawn from
that line. So the lower edge is above both lines exactly where the model is shown to be better; a
band of the model's own net benefit would not tell, since treating all has an error, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from rocbands.core.checks import FloatArray
from rocbands.core.comparison import BetterRange
from rocbands.core.result import percent
from rocbands.decision.result import NetBenefit, NetBenefitDifference
from rocbands.plot import canvas
from rocbands.plot.canvas import CurveLine, Properties
from rocbands.plot.comparison import FEW, add_difference, name_difference
from rocbands.plot.layout import LegendPlace
from rocbands.views.coordinates import FINE
from rocbands.views.view import View

SIZE = (6, 4.5)
_BAR = 0.025  # height of the bar of the proven range, as a share of the axis
_NARROWEST = 0.006  # bar of one threshold
_X_LABEL, _Y_LABEL = "Threshold probability", "Net benefit"


class DecisionCurve(NamedTuple):
    """What is drawn: net benefits, limits of the lead over the better alternative, where > 0."""

    threshold: FloatArray
    net_benefit: FloatArray
    treat_all: FloatArray
    lower: FloatArray
    upper: FloatArray
    better: Sequence[BetterRange]
    limits: str  # what the limits are, in the legend

    @classmethod
    def from_net_benefit(cls, found: NetBenefit) -> DecisionCurve:
        """Take the columns of the rule "treat if the probability is at least t"."""
        order = np.argsort(found.threshold, kind="stable")
        at, value, treat_all, lower, upper = (
            column[order]
            for column in (
                found.threshold, found.net_benefit, found.treat_all, found.difference_lower,
                found.difference_upper,
            )
        )  # fmt: skip
        text = f"{percent(found.level)} limits of the lead, {_say_coverage(found)}"
        return cls(at, value, treat_all, lower, upper, found.better, text)

    @classmethod
    def from_view(cls, view: View) -> DecisionCurve:
        """Take the model at its best threshold, from a band of its ROC curve."""
        at = FINE * view.coordinates.grid()[-1]
        rows = view.compare_defaults(at)
        centre = rows["difference"] + np.maximum(rows["treat_all"], 0.0)
        text = f"{percent(view.level)} limits of the lead, all thresholds"
        lower, upper = rows["difference_lower"], rows["difference_upper"]
        return cls(at, centre, rows["treat_all"], lower, upper, view.better, text)

    def follow_treat_all(self) -> tuple[FloatArray, FloatArray]:
        """Net benefit of treating all, p - (1 - p) t / (1 - t), at many thresholds."""
        t = float(self.threshold[0])
        p = float(self.treat_all[0]) * (1.0 - t) + t
        at = 0.99 * FINE
        return at, p - (1.0 - p) * at / (1.0 - at)


def draw_net_benefit(
    found: NetBenefit,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw a decision curve of predicted probabilities."""
    curve = DecisionCurve.from_net_benefit(found)
    axes = prepare_decision_axes(ax, curve)
    add_decision_curve(axes, curve, label or "Model", color, curve_kwargs, band_kwargs)
    return canvas.add_legend(axes, legend, "upper right")


def prepare_decision_axes(ax: Axes | None, curve: DecisionCurve) -> Axes:
    """Return axes with the lines of treating all and treating none."""
    top = float(max((np.maximum(curve.treat_all, 0.0) + curve.upper).max(), 1e-6))
    axes, empty = canvas.prepare_axes(
        ax, SIZE, x_label=_X_LABEL, y_label=_Y_LABEL,
        x_limits=(-canvas.MARGIN, 1.0 + canvas.MARGIN),
        y_limits=(-0.15 * top, 1.05 * top),
    )  # fmt: skip
    if empty:
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
        look = canvas.CHANCE_LINE | {"color": "0.35", "zorder": 2.0}
        axes.plot(*curve.follow_treat_all(), label="Treat all", **look)
        axes.axhline(0.0, color="0.35", linewidth=0.8, zorder=2.0, label="Treat none")
    return axes


def add_decision_curve(
    axes: Axes,
    curve: DecisionCurve,
    label: str,
    color: Any = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
) -> CurveLine:
    """Add a model's curve, its limits, and a bar where it is better than both alternatives.

    A few thresholds are single points: nothing is claimed between them.
    """
    style = canvas.next_style(axes, color)
    base = np.maximum(curve.treat_all, 0.0)
    low, high = base + curve.lower, base + curve.upper
    if curve.threshold.size <= FEW:
        dots: dict[str, Any] = {"marker": "o", "markersize": 4, "linestyle": "none"}
        x, y = curve.threshold, curve.net_benefit
        line = style.add_line(axes, x, y, curve_kwargs, label=label, **dots)
        axes.vlines(x, low, high, color=style.color, linewidth=2.2, label=curve.limits)
        for part in curve.better:
            for at in x[(x >= part.low) & (x <= part.high) & (part.model == 1)].tolist():
                _add_bar(axes, at - _NARROWEST, at + _NARROWEST, style)
        return line
    line = style.add_line(axes, curve.threshold, curve.net_benefit, curve_kwargs, label=label)
    points = canvas.outline(curve.threshold, high, low)
    style.add_band(axes, points, band_kwargs, line=line, label=curve.limits)
    for part in curve.better:
        if part.model == 1:
            _add_proven(axes, curve, part, style)
    return line


def _add_proven(axes: Axes, curve: DecisionCurve, part: BetterRange, style: canvas.Style) -> None:
    """Shade the lead that is shown, and mark its range by a bar at the foot of the axes."""
    inside = (curve.threshold >= part.low) & (curve.threshold <= part.high)
    x = np.unique(np.concatenate(([part.low, part.high], curve.threshold[inside])))
    all_, lower = (np.interp(x, curve.threshold, side) for side in (curve.treat_all, curve.lower))
    base = np.maximum(all_, 0.0)
    top = base + np.maximum(lower, 0.0)
    axes.fill_between(
        x, base, top, color=style.color, alpha=0.3, linewidth=0, zorder=1.6,
        label="Lead of at least this",
    )  # fmt: skip
    _add_bar(axes, part.low, max(part.high, part.low + _NARROWEST), style)


def _add_bar(axes: Axes, start: float, end: float, style: canvas.Style) -> None:
    foot = 0.012 + style.turn * 1.4 * _BAR
    axes.axvspan(
        start, end, foot, foot + _BAR, color=style.color, alpha=0.85, linewidth=0, zorder=2.6,
        label="Better than both",
    )  # fmt: skip


def draw_net_benefit_difference(
    found: NetBenefitDifference, ax: Axes | None = None, *, legend: LegendPlace = True
) -> Axes:
    """Draw the difference of two models' net benefits, and where one of them has more."""
    order = np.argsort(found.threshold, kind="stable")
    x, middle, lower, upper = (
        part[order] for part in (found.threshold, found.difference, found.lower, found.upper)
    )
    axes, empty = canvas.prepare_axes(
        ax, (6, 4), x_label=_X_LABEL,
        y_label=f"Difference of net benefit\n({name_difference(found.names)})",
        x_limits=(-canvas.MARGIN, 1.0 + canvas.MARGIN), y_limits=_choose_limits(x, lower, upper),
    )  # fmt: skip
    if empty:
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
        canvas.add_zero_line(axes)
    text = f"{percent(found.level)} limits, {_say_coverage(found)}"
    if x.size > FEW:
        add_difference(axes, x, (lower, middle, upper), text)
    else:
        axes.vlines(x, lower, upper, color="0.5", linewidth=2.2, zorder=2.5, label=text)
        axes.plot(x, middle, "o", color="0.15", markersize=5, zorder=2.8, label="Difference")
        return canvas.add_legend(axes, legend)
    for part in found.better:
        inside = (x >= part.low) & (x <= part.high)
        limit = lower if part.model == 1 else upper
        canvas.shade_advantage(axes, x[inside], limit[inside], part.model - 1)
    ahead = sorted({part.model - 1 for part in found.better})
    extra: list[Any] = [
        Patch(**canvas.advantage_style(k), label=f"{found.names[k]} has more, by at least this")
        for k in ahead
    ]
    return canvas.add_legend(axes, legend, "upper right", extra)


def draw_models_by_net_benefit(
    models: Mapping[str, NetBenefit], gap: NetBenefitDifference | None = None
) -> Axes:
    """Draw the decision curves of several models, and the difference of two below them."""
    if gap is None:
        axes, *below = canvas.make_axes(1, 1, SIZE)
    else:
        axes, *below = canvas.make_axes(2, 1, (SIZE[0], 1.8 * SIZE[1]))
    for name, found in models.items():
        draw_net_benefit(found, axes, label=name)
    if gap is not None:
        draw_net_benefit_difference(gap, below[0])
    return axes


def _say_coverage(found: NetBenefit | NetBenefitDifference) -> str:
    return "all thresholds" if found.coverage == "simultaneous" else "each threshold"


def _choose_limits(x: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[float, float]:
    """Limits of the axis: near 1 the odds grow, and with them all differences."""
    some = (x <= 0.9) | (x.size < 5)
    some |= not some.any()
    bottom, top = min(float(lower[some].min()), -0.005), max(float(upper[some].max()), 0.005)
    room = top - bottom
    return bottom - 0.06 * room, top + 0.06 * room

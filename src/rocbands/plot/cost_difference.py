"""Drawing the difference of two classifiers' costs, and where one of them is cheaper."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rocbands.core.checks import BoolArray
from rocbands.cost.conditions import check_prevalence
from rocbands.cost.result import CostDifference
from rocbands.plot.cost_axes import FEW, cost_axes, runs
from rocbands.plot.difference import HATCHES, INK
from rocbands.plot.roc import COLORS

__all__ = ["draw_cost_difference"]


def draw_cost_difference(
    gap: CostDifference,
    ax: Axes | None = None,
    *,
    prevalence: float | None = None,
    ratios: bool = True,
) -> Axes:
    """Draw the difference with its limits, and where one classifier is cheaper.

    Parameters
    ----------
    gap : CostDifference
        What to draw; of many w a band, of a few an interval for each.
    ax : Axes, optional
        Where to draw; by default on a new figure. Labels and limits that stand are kept.
    prevalence : float, optional
        Share of positives at which the upper axis turns w into costs; by default the one that the
        difference knows.
    ratios : bool, default True
        Whether there is an upper axis.

    Returns
    -------
    Axes
        The axes, with a legend.
    """
    share = gap.prevalence if prevalence is None else float(check_prevalence(prevalence))
    many = np.unique(gap.w).size > FEW
    axes = _axes(ax, gap, share if ratios else None, many)
    order = np.argsort(gap.w, kind="stable")
    w, middle, lower, upper = (
        part[order] for part in (gap.w, gap.difference, gap.lower, gap.upper)
    )
    if many:
        axes.fill_between(w, lower, upper, color="0.5", alpha=0.25, linewidth=0, label=_limits(gap))
        for edge in (lower, upper):
            axes.plot(w, edge, color="0.4", linewidth=0.7)
        axes.plot(w, middle, color=INK, linewidth=1.4, zorder=2.8, label="difference")
    else:
        axes.vlines(w, lower, upper, color="0.5", linewidth=2.2, zorder=2.5, label=_limits(gap))
        axes.plot(w, middle, "o", color=INK, markersize=5, zorder=2.8, label="difference")
    handles = axes.get_legend_handles_labels()[0]
    # Between the nearer limit and zero: how much cheaper a classifier is at least.
    for model, (cheaper, near) in enumerate(((upper < 0, upper), (lower > 0, lower))):
        if cheaper.any():
            _shade(axes, w, near, cheaper, model, many)
            text = f"{gap.names[model]} is cheaper, by at least this"
            bar = Line2D([], [], color=COLORS[model], linewidth=4, label=text)
            handles.append(Patch(**_style(model), label=text) if many else bar)
    place: Any = "best" if many else "upper right"
    axes.legend(handles=handles, loc=place, fontsize="small", framealpha=0.85, edgecolor="none")
    return axes


def _shade(ax: Axes, w: Any, near: Any, cheaper: BoolArray, model: int, many: bool) -> None:
    """Shade what is between zero and the limits of one model's own stretches."""
    style = _style(model)
    ink = style["edgecolor"]
    for part in runs(cheaper):
        alone = part.stop - part.start == 1
        if alone or not many:
            ax.vlines(w[part], 0.0, near[part], color=ink, linewidth=4, zorder=2.6)
        else:
            ax.fill_between(w[part], 0.0, near[part], linewidth=0, zorder=2.2, **style)
            bar = Line2D(w[part][[0, -1]], [0, 0], color=ink, linewidth=4, zorder=2.6)
            bar.set_solid_capstyle("butt")
            ax.add_line(bar)


def _style(model: int) -> dict[str, Any]:
    color = COLORS[model]
    return {"facecolor": (color, 0.35), "edgecolor": color, "hatch": HATCHES[model]}


def _limits(gap: CostDifference) -> str:
    together = "for all w together" if gap.simultaneous else "at each w"
    return f"{100 * gap.level:.10g}% limits {together}, {gap.method}"


def _axes(ax: Axes | None, gap: CostDifference, share: float | None, many: bool) -> Axes:
    words = f"Difference of costs\n(below 0: {gap.names[0]} is cheaper)"
    axes = cost_axes(ax, words, share, (6.4, 4.6))
    if axes.has_data():
        return axes
    if axes.get_autoscaley_on():
        # Limits that reach from -1 to 1 claim nothing, and would hide all others.
        claims = (gap.lower > -1.0) | (gap.upper < 1.0)
        claims |= not claims.any()
        bottom = float(gap.lower.min(where=claims, initial=-0.005))
        top = float(gap.upper.max(where=claims, initial=0.005))
        # A legend steers clear of a band, but not of bars: above those it gets room of its own.
        above = 0.06 if many else 0.45
        axes.set_ylim(bottom - 0.06 * (top - bottom), top + above * (top - bottom))
    axes.axhline(0.0, color="0.3", linestyle=(0, (4, 2)), linewidth=1, zorder=2.4)
    return axes

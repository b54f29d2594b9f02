"""Drawing plans of studies: what larger and smaller ones achieve."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from rocbands.comparison.sample_size import Plan
from rocbands.plot.axes import COLORS, add_legend, prepare_axes

__all__ = ["draw_plan"]


def draw_plan(plan: Plan, ax: Axes | None = None, *, color: Any = None) -> Axes:
    """Draw the power or the width against the number of positives, and mark the plan.

    Parameters
    ----------
    plan : Plan
        What to draw.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    color : color, optional
        Of the line.

    Returns
    -------
    Axes
        The axes.
    """
    name = "Power" if plan.width is None else "Width"
    reached = float(plan.power if plan.width is None else plan.width)  # type: ignore[arg-type]
    ratio = plan.n_neg / plan.n_pos
    axes, _ = prepare_axes(
        ax, (5.6, 4.0), x_label=f"Number of positives ({ratio:.3g} times as many negatives)",
        y_label=name,
    )  # fmt: skip
    ink = COLORS[0] if color is None else color
    marker = "." if plan.sizes.size <= 12 else None  # simulated sizes are few
    axes.plot(plan.sizes, plan.achieved, color=ink, linewidth=1.4, marker=marker)
    text = f"{plan.n_pos:,} positives and {plan.n_neg:,} negatives: {name.lower()} {reached:.3g}"
    axes.plot([plan.n_pos], [reached], "o", color=ink, markeredgecolor="white", label=text)
    if axes.get_autoscaley_on():
        axes.set_ylim(0.0, 1.02 if name == "Power" else None)
    return add_legend(axes)

"""Pictures of studies: lines with their limits, panel by panel."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rocbands.errors import InputError
from rocbands.plot.axes import COLORS, DASHES
from rocbands_papers.paper import Panel, PaperResult

__all__ = ["draw_panel", "draw_paper"]

WIDTH, HEIGHT = 4.4, 3.3  # of a panel, in inches
ACROSS = 3


def draw_paper(result: PaperResult, ax: Axes | None = None) -> Axes:
    """Draw all panels of a study; on given axes only a study that has one.

    Returns
    -------
    Axes
        Of the first panel.
    """
    if not result.panels:
        raise InputError(f"The study {result.name} has no picture.")
    if ax is not None:
        if len(result.panels) > 1:
            raise InputError(
                f"The picture of {result.name} has {len(result.panels)} panels and does not fit on "
                "one pair of axes. Leave `ax` out."
            )
        return draw_panel(result.panels[0], ax)
    count = len(result.panels)
    across = min(count, ACROSS)
    down = math.ceil(count / across)
    figure = Figure(figsize=(WIDTH * across, HEIGHT * down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False).ravel()
    for panel, place in zip(result.panels, axes, strict=False):
        draw_panel(panel, place)
    for place in axes[count:]:
        place.set_visible(False)
    figure.suptitle(f"{result.title}\n{result.paper}", fontsize=10)
    first: Axes = axes[0]
    return first


def draw_panel(panel: Panel, ax: Axes) -> Axes:
    """Draw the lines of a panel, with whiskers where limits are known."""
    for turn, line in enumerate(panel.lines):
        color, dashes = COLORS[turn % len(COLORS)], DASHES[turn % len(DASHES)]
        few = len(line.x) <= 20
        ax.plot(
            line.x,
            line.y,
            color=color,
            linestyle=dashes,
            linewidth=1.4,
            marker="o" if few else None,
            markersize=3,
            label=line.label,
        )
        if line.low and few:
            ax.vlines(line.x, line.low, line.high, color=color, linewidth=0.8)
        elif line.low:
            ax.fill_between(line.x, line.low, line.high, color=color, alpha=0.15, linewidth=0)
    if panel.target is not None:
        ax.axhline(panel.target, color="0.3", linewidth=0.8, linestyle=(0, (2, 2)))
    if panel.log_x:
        ax.set_xscale("log")
    ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    ax.title.set_fontsize(9)
    ax.grid(alpha=0.25)
    if len(panel.lines) > 1 or panel.lines[0].label:
        ax.legend(fontsize=7, framealpha=0.8)
    return ax

"""Drawing the band for a difference of two ROC curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from rocbands.comparison.result import DifferenceBand
from rocbands.errors import InputError
from rocbands.plot.roc import COLORS

__all__ = ["draw_difference"]

INK = "0.15"
HATCHES = ("///", "...")  # for readers without colours


def draw_difference(
    band: DifferenceBand, ax: Axes | None = None, *, labels: tuple[str, str] | None = None
) -> Axes:
    """Draw the difference, its band, and where which model is better.

    Parameters
    ----------
    band : DifferenceBand
        The band.
    ax : Axes, optional
        Where to draw; by default on a new figure. Axes titles and limits that stand are kept.
    labels : (str, str), optional
        The names of model 1 and model 2; by default as the band calls them.

    Returns
    -------
    Axes
        The axes, with a legend.
    """
    names = _names(labels or band.names)
    axes = _furnished(ax, band, names)
    level = f"{100 * band.level:.10g}% simultaneous band"
    axes.fill_between(
        band.fpr, band.lower, band.upper, color="0.5", alpha=0.25, linewidth=0, label=level
    )
    for edge in (band.lower, band.upper):
        axes.plot(band.fpr, edge, color="0.4", linewidth=0.7)
    marked = set()
    for part in band.better:
        style = _style(part.model)
        inside = band.fpr[(band.fpr > part.low) & (band.fpr < part.high)]
        at = np.concatenate(([part.low], inside, [part.high]))
        # Between the nearer limit and zero: how much better the model is at least.
        near = band.lower_at(at) if part.model == 1 else band.upper_at(at)
        axes.fill_between(at, 0.0, near, linewidth=0, zorder=2.2, **style)
        axes.plot([part.low, part.high], [0, 0], color=style["edgecolor"], linewidth=4, zorder=2.6)
        axes.lines[-1].set_solid_capstyle("butt")
        marked.add(part.model)
    axes.plot(band.fpr, band.difference, color=INK, linewidth=1.4, zorder=2.8, label="difference")
    _legend(axes, names, marked)
    return axes


def _names(labels: tuple[str, str]) -> tuple[str, str]:
    if isinstance(labels, str) or len(labels) != 2:
        raise InputError(f"`labels` must be the names of both models; got {labels!r}.")
    return str(labels[0]), str(labels[1])


def _style(model: int) -> dict[str, Any]:
    color = COLORS[model - 1]
    return {"facecolor": (color, 0.35), "edgecolor": color, "hatch": HATCHES[model - 1]}


def _legend(ax: Axes, names: tuple[str, str], marked: set[int]) -> None:
    handles = ax.get_legend_handles_labels()[0]
    handles += [
        Patch(**_style(model), label=f"{names[model - 1]} finds more positives, by at least this")
        for model in sorted(marked)
    ]
    ax.legend(handles=handles, loc="best", fontsize="small", framealpha=0.85, edgecolor="none")


def _furnished(ax: Axes | None, band: DifferenceBand, names: tuple[str, str]) -> Axes:
    if ax is None:
        # pyplot, so that notebooks and plt.show() see the figure.
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    if not isinstance(ax, Axes):
        raise InputError(
            f"`ax` must be one matplotlib Axes; got {type(ax).__name__}. "
            "Of an array of axes pick one, for example axes[0]."
        )
    if ax.has_data():
        return ax
    if ax.get_autoscalex_on():
        ax.set_xlim(0.0, 1.0)
    if ax.get_autoscaley_on():
        reach = 1.08 * max(float(band.upper.max()), -float(band.lower.min()), 0.01)
        ax.set_ylim(-reach, reach)
    ax.set_xlabel(ax.get_xlabel() or "False positive rate")
    ax.set_ylabel(ax.get_ylabel() or f"True positive rate: {names[0]} minus {names[1]}")
    ax.set_axisbelow(True)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.6)
    ax.axhline(0.0, color="0.3", linestyle=(0, (4, 2)), linewidth=1, zorder=2.4)
    for end in band.fpr_range:
        ax.axvline(end, color="0.6", linestyle=(0, (1, 3)), linewidth=0.8, zorder=1.2)
    return ax

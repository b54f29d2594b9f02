"""Drawing differences between classifiers: one line for each pair, and where no difference is."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.ticker import PercentFormatter

from rocbands.comparison.result import Comparison, Comparisons
from rocbands.plot.roc import COLORS, MARGIN
from rocbands.rates.result import RateDifference

__all__ = ["draw_comparison", "draw_comparisons", "draw_rate_difference"]

FEW = 12  # rates up to which each has a row of its own


def draw_comparison(
    comparison: Comparison, ax: Axes | None = None, *, color: Any = COLORS[0]
) -> Axes:
    """Draw the difference of two classifiers with its interval.

    Parameters
    ----------
    comparison : Comparison
        What to draw.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    color : color, optional
        Of the interval.

    Returns
    -------
    Axes
        The axes.
    """
    gap, low, high = comparison.difference, comparison.low, comparison.high
    axes = _draw([_label(*comparison.names)], [gap], [low], [high], ax, color)
    if comparison.margin is not None:
        axes.axvline(-comparison.margin, color="0.4", linestyle=":", linewidth=1)
    axes.set_xlabel(f"Difference of {comparison.quantity}, {comparison.level:.10g} interval")
    return axes


def draw_comparisons(
    comparisons: Comparisons, ax: Axes | None = None, *, color: Any = COLORS[0]
) -> Axes:
    """Draw the differences of all pairs with their simultaneous intervals.

    Parameters
    ----------
    comparisons : Comparisons
        What to draw.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    color : color, optional
        Of the intervals.

    Returns
    -------
    Axes
        The axes.
    """
    names = comparisons.names
    labels = [_label(names[i], names[j]) for i, j in comparisons.pairs]
    axes = _draw(labels, comparisons.differences, comparisons.low, comparisons.high, ax, color)
    axes.set_xlabel(f"Difference of AUC, simultaneous {comparisons.level:.10g} intervals")
    return axes


def draw_rate_difference(
    gap: RateDifference, ax: Axes | None = None, *, color: Any = COLORS[0]
) -> Axes:
    """Draw the difference of two recalls; of many rates a band, of a few a row for each.

    Parameters
    ----------
    gap : RateDifference
        What to draw.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    color : color, optional
        Of the intervals.

    Returns
    -------
    Axes
        The axes.
    """
    words = f"Recall of {_label(*gap.names)}"
    each = f"{100 * gap.level:.10g}% intervals"
    if gap.rate.size <= FEW:
        labels = [f"rate {100 * rate:.3g}%" for rate in gap.rate]
        axes = _draw(labels, gap.difference, gap.lower, gap.upper, ax, color)
        axes.set_xlabel(f"{words}, {each}")
        return axes
    axes = _difference_axes(ax, words)
    axes.fill_between(
        gap.rate, gap.lower, gap.upper, color=color, alpha=0.18, linewidth=0,
        label=f"{each}, each by itself",
    )  # fmt: skip
    for edge in (gap.lower, gap.upper):
        axes.plot(gap.rate, edge, color=to_rgba(color, 0.75), linewidth=0.6)
    axes.plot(gap.rate, gap.difference, color=color, linewidth=1.4, zorder=2.5, label="difference")
    axes.legend(loc="best", fontsize="small", framealpha=0.85, edgecolor="none")
    return axes


def _label(one: str, two: str) -> str:
    return f"{one} \N{MINUS SIGN} {two}"


def _draw(labels: list[str], middle: Any, low: Any, high: Any, ax: Axes | None, color: Any) -> Axes:
    """Draw one interval in each row, from the top down, and where no difference is."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(figsize=(6.4, 1.4 + 0.35 * len(labels)), layout="constrained").subplots()
    middle, low, high = (np.asarray(part, dtype=np.float64) for part in (middle, low, high))
    place = np.arange(len(labels))[::-1]
    ax.axvline(0.0, color="0.4", linestyle="--", linewidth=1)
    reach = np.stack((middle - low, high - middle))
    ax.errorbar(middle, place, xerr=reach, fmt="o", color=color, capsize=3)
    ax.set_yticks(place, labels)
    ax.set_ylim(-0.6, len(labels) - 0.4)
    return ax


def _difference_axes(ax: Axes | None, words: str) -> Axes:
    if ax is None:
        # pyplot, so that notebooks and plt.show() see the figure.
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    if ax.has_data():
        return ax
    if ax.get_autoscalex_on():
        ax.set_xlim(-MARGIN, 1 + MARGIN)
    ax.set_xlabel(ax.get_xlabel() or "Rate: share of cases acted on")
    ax.set_ylabel(ax.get_ylabel() or words)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_axisbelow(True)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.6)
    ax.axhline(0.0, color="0.3", linestyle=(0, (4, 2)), linewidth=1, zorder=2.4)
    return ax

"""Drawing differences between classifiers: one line for each pair, and where no difference is."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rocbands.core.comparison import Comparison, Comparisons
from rocbands.plot.roc import COLORS

__all__ = ["draw_comparison", "draw_comparisons", "draw_rows"]


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
    gap = comparison.difference
    label = _label(*comparison.names)
    axes = draw_rows([label], [gap.estimate], [gap.low], [gap.high], ax, color)
    if comparison.margin is not None:
        axes.axvline(-comparison.margin, color="0.4", linestyle=":", linewidth=1)
    axes.set_xlabel(f"Difference of {comparison.quantity}, {gap.level:.10g} interval")
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
    axes = draw_rows(labels, comparisons.differences, comparisons.low, comparisons.high, ax, color)
    axes.set_xlabel(f"Difference of AUC, simultaneous {comparisons.level:.10g} intervals")
    return axes


def _label(one: str, two: str) -> str:
    return f"{one} \N{MINUS SIGN} {two}"


def draw_rows(
    labels: list[str], middle: Any, low: Any, high: Any, ax: Axes | None, color: Any
) -> Axes:
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

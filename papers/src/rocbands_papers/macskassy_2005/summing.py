"""Means of measured figures, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rocbands.study.results import Figure
from rocbands_papers.paper import Line

__all__ = ["line_of", "mean_of", "spread_text"]


def mean_of(figures: Iterable[Figure], *, independent: bool = True) -> Figure:
    """Mean of several figures; those that share data get the interval of complete dependence.

    Examples
    --------
    >>> both = [Figure(0.9, 0.75, 1.0, 50), Figure(0.8, 0.7, 0.95, 50)]
    >>> [round(number, 3) for number in mean_of(both, independent=False)]
    [0.85, 0.725, 0.975, 100]
    """
    listed = list(figures)
    halves = [(one.high - one.low) / 2.0 for one in listed]
    half = (math.hypot(*halves) if independent else math.fsum(halves)) / len(listed)
    value = math.fsum(one.value for one in listed) / len(listed)
    return Figure(value, value - half, value + half, sum(one.n for one in listed))


def spread_text(figures: Iterable[Figure]) -> str:
    """Say the range and the mean of some figures.

    Examples
    --------
    >>> spread_text([Figure(0.9, 0.8, 1.0, 50), Figure(0.8, 0.7, 0.9, 50)])
    '0.80 to 0.90, on average 0.85'
    """
    values = [one.value for one in figures]
    mean = math.fsum(values) / len(values)
    return f"{min(values):.2f} to {max(values):.2f}, on average {mean:.2f}"


def line_of(label: str, x: Iterable[float], figures: Iterable[Figure]) -> Line:
    """Draw figures along x, with their intervals."""
    value, low, high = (tuple(column) for column in list(zip(*figures, strict=True))[:3])
    return Line(label, tuple(x), value, low, high)

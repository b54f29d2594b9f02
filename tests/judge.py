"""Judging how often a statement held by the exact binomial interval of its share."""

from __future__ import annotations

from scipy.stats import binomtest


def may_lie_in(count: int, reps: int, low: float, high: float, level: float = 0.99) -> bool:
    """Tell whether the exact interval of a measured share reaches into [low, high]."""
    reach = binomtest(int(count), int(reps)).proportion_ci(level, method="exact")
    return bool(reach.high >= low and reach.low <= high)

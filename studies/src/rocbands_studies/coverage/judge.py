"""Counting how often a band holds, and judging the count by exact binomial intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import betaincinv

from rocbands.core.band import Band
from rocbands_studies.coverage.worlds import World


def count_held(
    world: World,
    make: Callable[[np.ndarray, np.ndarray], Band],
    *,
    n_pos: int,
    n_neg: int,
    reps: int,
    seed: int,
) -> int:
    """Number of fresh test sets whose band contains the true curve."""
    rng = np.random.default_rng(seed)
    return sum(make(*world.draw(rng, n_pos, n_neg)).contains(world.truth) for _ in range(reps))


def binomial_interval(count: int, reps: int, level: float = 0.99) -> tuple[float, float]:
    """Clopper and Pearson's exact interval for a probability."""
    tail = (1 - level) / 2
    low = betaincinv(count, reps - count + 1, tail) if count else 0.0
    high = betaincinv(count + 1, reps - count, 1 - tail) if count < reps else 1.0
    return float(low), float(high)


def may_lie_in(count: int, reps: int, low: float, high: float, level: float = 0.99) -> bool:
    """Tell whether the exact interval of a measured share reaches into [low, high]."""
    reach = binomial_interval(count, reps, level)
    return reach[1] >= low and reach[0] <= high

"""Stratified two-phase sampling: a fast approximation selects the draws to compute in full.

Neyman (1938), Journal of the American Statistical Association 33, 101-116; formulas (C9) to (C11)
of docs/likelihood.md, section "Critical values".
"""

from __future__ import annotations

import math

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray


def choose_draws(
    approximation: FloatArray, full: int, rng: np.random.Generator
) -> tuple[CountArray, FloatArray]:
    """Choose draws by (C9); return them and their weights, the lengths of their runs.

    In descending order of the approximation the first `full` draws have weight 1. The others form
    runs whose length is 1 / `full` of all draws before them; one random draw represents each run.
    Estimated fractions are unbiased for any approximation; a good one reduces their variance.

    Examples
    --------
    >>> chosen, weights = choose_draws(np.arange(10.0), 2, np.random.default_rng(1))
    >>> chosen[:2], weights
    (array([9, 8]), array([1., 1., 1., 2., 4., 1.]))
    """
    size = approximation.size
    steps = np.exp(np.arange(1.0, 1.0 + np.ceil(full * np.log(size / full))) / full)
    stops = np.minimum(np.concatenate((np.arange(full + 1), np.round(full * steps))), size)
    stops = np.unique(np.append(stops, size)).astype(np.int64)
    order = np.argsort(-approximation, kind="stable")
    return order[rng.integers(stops[:-1], stops[1:])], np.diff(stops).astype(np.float64)


def find_quantile(values: FloatArray, weights: FloatArray, level: float, slack: float) -> float:
    """Smallest value with weighted share >= `level`, counting one extra draw above it, (C10).

    `slack`: how far a share may fall below the level by rounding.
    """
    order = np.argsort(values)
    size = weights.sum()
    share = np.cumsum(weights[order]) / size
    # The observed set counts as one more draw, so that the quantile has its level on average.
    place = int(np.searchsorted(share, level * (1.0 + 1.0 / size) - slack))
    return float(values[order[min(place, order.size - 1)]])


def find_share_error(beyond: BoolArray, weights: FloatArray) -> float:
    """Find the standard error of the weighted fraction of draws beyond a value, (C11).

    The binomial variance of all draws, and the variance of the choice within runs, estimated from
    differences of neighbouring runs.
    """
    size = float(weights.sum())
    share = float(weights @ beyond) / size
    several = weights * (weights > 1.0)
    apart = np.diff(beyond.astype(np.float64)) ** 2 * several[1:] * several[:-1]
    return math.sqrt(max(share * (1.0 - share), 0.0) / size + float(apart.sum()) / 2.0 / size**2)

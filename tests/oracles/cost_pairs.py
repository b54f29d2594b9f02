"""Slow and obvious: two classifiers' costs, case by case and resample by resample."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
from scipy.optimize import brentq, minimize_scalar


def discordant_by_walking(
    one: list[float], two: list[float], limits_1: list[float], limits_2: list[float]
) -> list[tuple[int, int]]:
    """Cases that only classifier 1, and that only classifier 2 calls positive, at each pair of thresholds."""
    found = []
    for t1, t2 in zip(limits_1, limits_2, strict=True):
        only_1 = only_2 = 0
        for s1, s2 in zip(one, two, strict=True):
            if s1 >= t1 and not s2 >= t2:
                only_1 += 1
            if s2 >= t2 and not s1 >= t1:
                only_2 += 1
        found.append((only_1, only_2))
    return found


def losses(
    labels: list[int], one: list[bool], two: list[bool], c_fn: float, c_fp: float
) -> list[float]:
    """Loss of classifier 2 minus loss of classifier 1, of each case."""

    def loss(label: int, said: bool) -> float:
        if label == 1:
            return 0.0 if said else c_fn
        return c_fp if said else 0.0

    return [loss(y, b) - loss(y, a) for y, a, b in zip(labels, one, two, strict=True)]


def law_by_listing(parts: list[list[float]], weights: list[float]) -> dict[float, float]:
    """Law of the weighted sum of the parts' means, over every resample of every part."""
    law: dict[float, float] = {0.0: 1.0}
    for part, weight in zip(parts, weights, strict=True):
        chance = 1.0 / len(part) ** len(part)
        own: dict[float, float] = defaultdict(float)
        for draw in itertools.product(part, repeat=len(part)):
            own[round(weight * sum(draw) / len(part), 12)] += chance
        both: dict[float, float] = defaultdict(float)
        for (x, p), (y, q) in itertools.product(law.items(), own.items()):
            both[round(x + y, 12)] += p * q
        law = both
    return dict(sorted(law.items()))


def moments_of(law: dict[float, float]) -> tuple[float, float]:
    mean = sum(x * p for x, p in law.items())
    return mean, sum((x - mean) ** 2 * p for x, p in law.items())


def percentiles_of(law: dict[float, float], level: float) -> tuple[float, float]:
    """Smallest atom with more than the tail at or below it, and with all but the tail."""
    tail, total, low, high = (1.0 - level) / 2.0, 0.0, math.nan, math.nan
    for x, p in sorted(law.items()):
        total += p
        if math.isnan(low) and total > tail + 1e-12:
            low = x
        if math.isnan(high) and total >= 1.0 - tail - 1e-12:
            high = x
    return low, high


def tango_by_likelihood(b: int, c: int, size: int, z: float) -> tuple[float, float]:
    """Limits of the score test whose nuisance share is found by climbing the likelihood."""
    rest = size - b - c

    def score(d: float) -> float:
        low, high = max(0.0, -d), (1.0 - d) / 2.0  # share of the cases that count for 2 only

        def unlikely(q: float) -> float:
            terms = ((b, q + d), (c, q), (rest, 1.0 - 2.0 * q - d))
            return -sum(n * math.log(max(p, 1e-300)) for n, p in terms if n)

        found = minimize_scalar(
            unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
        )
        q = min((low, high, float(found.x)), key=unlikely)
        return (b - c - size * d) ** 2 - z**2 * size * max(2.0 * q + d * (1.0 - d), 0.0)

    middle, edge = (b - c) / size, 1.0 - 1e-9
    low = -1.0 if score(-edge) <= 0 else brentq(score, -edge, middle - 1e-12)
    high = 1.0 if score(edge) <= 0 else brentq(score, middle + 1e-12, edge)
    return low, high


def covariance_by_rows(
    calls_1: np.ndarray, calls_2: np.ndarray, values: np.ndarray, parts: list[np.ndarray]
) -> np.ndarray:
    """Covariance over conditions of sums over rows of centred values, part by part.

    `values` is what a row adds at each condition where only classifier 1 calls it positive.
    """
    effect = (calls_1.astype(float) - calls_2.astype(float)) * values
    total = np.zeros((effect.shape[1],) * 2)
    for part in parts:
        mean = effect[part].mean(axis=0)
        for row in effect[part]:
            total += np.outer(row - mean, row - mean)
    return total

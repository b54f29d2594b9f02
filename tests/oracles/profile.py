"""Profile likelihood of precision-recall and gains, from (P1): a search over the prevalence.

Plane 'pr' has false positives per positive as abscissa, plane 'gains' the rate.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import rel_entr


def d(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Kullback-Leibler divergence of two coins; infinite where q excludes p."""
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def false_positive_rate(plane: str, x: float, v: float, p: np.ndarray) -> np.ndarray:
    """u(p): the false positive rate of the point (x, v) at prevalence p."""
    return x * p / (1 - p) if plane == "pr" else (x - p * v) / (1 - p)


def cost(plane: str, m: int, n: int, k: float, x: float, v: float) -> float:
    """Least of N d(m/N, p) + n d(k/n, u(p)) over all p, on finer and finer grids."""
    low, high = 0.0, 1.0
    for points in (4001, *[101] * 6):
        p = np.linspace(low, high, points)[1:-1]
        value = (m + n) * d(m / (m + n), p) + n * d(k / n, false_positive_rate(plane, x, v, p))
        best, step = int(np.argmin(value)), p[1] - p[0]
        low, high = p[best] - step, p[best] + step
    return float(value[best])


def distance(
    plane: str, points: np.ndarray, m: int, n: int, x: float, v: float, up: bool = True
) -> float:
    """(P1) above the curve, or below it; `points` are rates, as in tests.oracles.likelihood."""
    side, least = 1 if up else -1, math.inf
    expected = false_positive_rate(plane, x, v, m / (m + n))
    for u, y in points:
        recall = m * d(y, v) if side * (v - y) > 0 else 0.0
        if recall < least:
            false = cost(plane, m, n, n * u, x, v) if side * (u - expected) > 1e-12 else 0.0
            least = min(least, recall + false)
    return least


def limit(
    plane: str, points: np.ndarray, m: int, n: int, c: float, at: float, up: bool = True
) -> float:
    """Where the distance is c: of w at a recall ('pr'), of recall at a rate ('gains')."""
    low, high = 0.0, 1.0  # of w / (1 + w) or recall
    outward = up == (plane == "gains")
    for _ in range(30):
        middle = (low + high) / 2
        point = (middle / (1 - middle), at) if plane == "pr" else (at, middle)
        inside = distance(plane, points, m, n, *point, up) <= c
        low, high = (middle, high) if inside == outward else (low, middle)
    return (low + high) / 2

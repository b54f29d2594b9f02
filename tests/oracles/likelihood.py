"""The likelihood band from its definition, one vertex after the other.

Nothing is shared with src. Numbers are those of docs/likelihood.md, "How it is computed".
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

Future = tuple[int, int] | None


def d(p: float, q: float) -> float:
    """Kullback-Leibler divergence of two coins, 0 ln 0 = 0."""

    def part(a: float, b: float) -> float:
        if a == 0:
            return 0.0
        return math.inf if b <= 0 else a * math.log(a / b)

    return part(p, q) + part(1 - p, 1 - q)


def g(p1: float, n1: int, p2: float, n2: int | None) -> float:
    """One-sample distance, (E1), or with a second sample the test of homogeneity, (E2)."""
    if n2 is None:
        return n1 * d(p1, p2)
    q = (n1 * p1 + n2 * p2) / (n1 + n2)
    return n1 * d(p1, q) + n2 * d(p2, q)


def points(fp: np.ndarray, tp: np.ndarray, pieces: int = 3000) -> np.ndarray:
    """All vertices as rates; tied segments are cut into many pieces."""
    out = [(0.0, 0.0)]
    for i in range(1, len(fp)):
        across, up = fp[i] - fp[i - 1], tp[i] - tp[i - 1]
        cuts = pieces if across and up else 1
        shares = np.linspace(0, 1, cuts + 1)[1:]
        x = (fp[i - 1] + shares * across) / fp[-1]
        out.extend(zip(x, (tp[i - 1] + shares * up) / tp[-1], strict=True))
    return np.array(out)


def distance_up(
    pts: np.ndarray, m: int, n: int, u: float, v: float, future: Future = None
) -> float:
    """(E3): how far (u, v) lies north-west of the curve through the points."""
    m2, n2 = future or (None, None)
    return min(
        (g(x, n, u, n2) if x > u else 0.0) + (g(y, m, v, m2) if y < v else 0.0) for x, y in pts
    )


def distance(pts: np.ndarray, m: int, n: int, u: float, v: float, future: Future = None) -> float:
    """D: the larger of both sides; the lower side is the upper one of the curve turned round."""
    low = distance_up(1 - pts, m, n, 1 - u, 1 - v, future)
    return max(distance_up(pts, m, n, u, v, future), low)


def cost(k: float, n: int, rate: float, side: int, future: int | None = None) -> float:
    """Cost of a rate left (-1) or right (1) of k of n; zero on the other side."""
    return g(k / n, n, rate, future) if side * (n * rate - k) > 0 else 0.0


def supremum(
    pts: np.ndarray,
    m: int,
    n: int,
    x: np.ndarray,
    y: np.ndarray,
    future: Future = None,
    steps: int = 200,
) -> float:
    """(E16): largest distance of a polyline, walked in small steps; a little too small."""
    walk = np.linspace(0, 1, steps + 1)
    return max(
        distance(pts, m, n, a + t * (b - a), c + t * (d - c), future)
        for a, b, c, d in zip(x, x[1:], y, y[1:], strict=False)
        for t in (walk if b > a and d > c else (0.0, 1.0))
    )


def line_limits(
    pts: np.ndarray, m: int, n: int, c: float, rate: float, p: float, future: Future = None
) -> tuple[float, float]:
    """(E19): lowest and highest v with (u, v) in the region and p v + (1 - p) u = rate."""

    def highest(points: np.ndarray, rate: float) -> float:
        low, high = max(0.0, (rate - 1 + p) / p), min(1.0, rate / p)

        def inside(v: float) -> bool:
            u = min(max((rate - p * v) / (1 - p), 0.0), 1.0)
            return distance_up(points, m, n, u, v, future) <= c

        if inside(high):
            return high
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if inside(middle) else (low, middle)
        return low

    return 1 - highest(1 - pts, 1 - rate), highest(pts, rate)


def upper(pts: np.ndarray, m: int, n: int, c: float, u: float, future: Future = None) -> float:
    """(E9): the largest v that some vertex within reach of u allows."""
    m2, n2 = future or (None, None)
    best = 0.0
    for x, y in pts:
        budget = c - (g(x, n, u, n2) if x > u else 0.0)
        if budget < 0:
            continue

        def over(v: float, y: float = y, budget: float = budget) -> float:
            return g(y, m, v, m2) - budget

        if y >= 1 or over(1.0) <= 0:
            return 1.0
        if best > y and over(best) >= 0:
            continue  # what this vertex allows is not above what another does
        if over(y) >= 0:
            best = max(best, y)
        else:
            inside = over(1 - 1e-16) > 0
            best = max(best, brentq(over, y, 1 - 1e-16, xtol=1e-15) if inside else 1.0)
    return best


def random_curve(
    rng: np.random.Generator, m: int, n: int, levels: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Cumulative counts of a chance curve, from (0, 0); tied if `levels` is given."""
    labels = rng.permutation(np.repeat([1, 0], [m, n]))
    score = np.sort(rng.integers(0, levels, m + n) if levels else np.arange(m + n))[::-1]
    end = np.append(np.flatnonzero(np.diff(score)), m + n - 1)
    tp = np.append(0, np.cumsum(labels)[end])
    return np.append(0, end + 1) - tp, tp

"""Slow and obvious: the Berk-Jones statistic by its definition, boxes one by one, bands by hulls."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise
from math import factorial, log

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr

Box = tuple[float, float, float, float]  # left, right, bottom, top


def divergence(count: int, size: int, rate: Decimal) -> Decimal:
    """n KL(count/n || rate) in 40 digits; a rate that excludes what was seen costs infinitely."""
    with localcontext(prec=40):
        total = Decimal(0)
        for seen, chance in ((count, rate), (size - count, 1 - rate)):
            if seen and chance <= 0:
                return Decimal("Infinity")
            if seen:
                total += seen * (Decimal(seen) / size / chance).ln()
        return total


def interval(count: int, size: int, bound: float) -> tuple[float, float]:
    """All rates within `bound` of a count, by bracketing."""

    def excess(rate: float) -> float:
        seen = count * log(count / size / rate) if count else 0.0
        rest = size - count
        return seen + (rest * log(rest / size / (1 - rate)) if rest else 0.0) - bound

    share, ends = count / size, {"xtol": 1e-15, "rtol": 1e-14, "maxiter": 500}
    low = brentq(excess, 1e-300, share, **ends) if count else 0.0
    high = brentq(excess, share, 1 - 1e-16, **ends) if count < size else 1.0
    return low, high


def largest(true_cdf: np.ndarray) -> np.ndarray:
    """The statistic of samples in rows, given the true cdf at each value; continuous laws only."""
    u = np.sort(true_cdf, axis=-1)
    n = u.shape[-1]
    before, at = np.arange(n) / n, np.arange(1, n + 1) / n
    either = [n * (rel_entr(f, u) + rel_entr(1 - f, 1 - u)) for f in (before, at)]
    return np.maximum(*either).max(axis=-1)


def miss(value: float, size: int) -> float:
    """P(statistic > value) by Steck's determinant in 40 digits; for small samples only."""
    with localcontext(prec=40):
        low = [_lowest(j, size, Decimal(value)) for j in range(1, size + 1)]
        high = [1 - rate for rate in reversed(low)]
        rows = [
            [
                max(b - a, Decimal(0)) ** (j - i + 1) / factorial(j - i + 1)
                if j >= i - 1
                else Decimal(0)
                for j, a in enumerate(low)
            ]
            for i, b in enumerate(high)
        ]
        return float(1 - factorial(size) * _determinant(rows))


def _lowest(count: int, size: int, bound: Decimal) -> Decimal:
    """Smallest rate within `bound` of a count, by bisection."""
    out, into = Decimal(0), Decimal(count) / size
    for _ in range(130):
        middle = (out + into) / 2
        if divergence(count, size, middle) > bound:
            out = middle
        else:
            into = middle
    return into


def _determinant(rows: list[list[Decimal]]) -> Decimal:
    if len(rows) == 1:
        return rows[0][0]
    pivot = max(range(len(rows)), key=lambda r: abs(rows[r][0]))
    head, sign = rows[pivot], -1 if pivot % 2 else 1
    rest = [
        [value - row[0] / head[0] * above for value, above in zip(row[1:], head[1:], strict=True)]
        for r, row in enumerate(rows)
        if r != pivot
    ]
    return sign * head[0] * _determinant(rest)


def boxes(labels: np.ndarray, scores: np.ndarray, bounds: tuple[float, float]) -> list[Box]:
    """One box for the threshold above all scores and one for each score; `bounds` of neg, pos."""
    found = []
    for threshold in [None, *sorted(set(scores), reverse=True)]:
        chosen = np.zeros(scores.size, bool) if threshold is None else scores >= threshold
        sides = [
            interval(int((chosen & (labels == c)).sum()), int((labels == c).sum()), bound)
            for c, bound in enumerate(bounds)
        ]
        found.append((*sides[0], *sides[1]))
    return found


def hull_limits(one: Box, other: Box, x: float) -> tuple[float, float] | None:
    """Lowest and highest point at x of the convex hull of two boxes."""
    corners = [(u, v) for box in (one, other) for u in box[:2] for v in box[2:]]
    heights = []
    for p in corners:
        for q in corners:
            if p[0] <= x <= q[0]:
                share = (x - p[0]) / (q[0] - p[0]) if q[0] > p[0] else 0.0
                heights.append(p[1] + share * (q[1] - p[1]))
    return (min(heights), max(heights)) if heights else None


def band_limits(all_boxes: list[Box], x: float) -> tuple[float, float]:
    """What the hulls of neighbouring boxes cover at x."""
    found = [hull_limits(one, other, x) for one, other in pairwise(all_boxes)]
    covered = [limits for limits in found if limits is not None]
    return min(low for low, _ in covered), max(high for _, high in covered)

"""Partial areas, one piece after the other, with whole numbers; and what one case adds to them."""

from __future__ import annotations

import itertools
from fractions import Fraction

from tests.oracles.averaging import Rows, vertices

Corners = list[tuple[Fraction, Fraction]]


def area(rows: Rows, start: Fraction, stop: Fraction) -> Fraction:
    return area_under(vertices(rows), start, stop)


def area_right(rows: Rows, start: Fraction, stop: Fraction) -> Fraction:
    """Area to the right of the curve between two true positive rates."""
    return area_under([(1 - y, 1 - x) for x, y in reversed(vertices(rows))], 1 - stop, 1 - start)


def area_under(corners: Corners, start: Fraction, stop: Fraction) -> Fraction:
    total = Fraction(0)
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        left, right = max(x0, start), min(x1, stop)
        if left < right:
            heights = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) for x in (left, right)]
            total += (right - left) * sum(heights) / 2
    return total


def weighted_area(rows: Rows, weights: list[float], start: float, stop: float) -> float:
    """Area where each case counts as much as its weight says."""
    corners = [(0.0, 0.0)]
    for threshold in sorted({s for _, s in rows}, reverse=True):
        fp = sum(w for (y, s), w in zip(rows, weights, strict=True) if y == 0 and s >= threshold)
        tp = sum(w for (y, s), w in zip(rows, weights, strict=True) if y == 1 and s >= threshold)
        corners.append((fp, tp))
    fp, tp = corners[-1]
    return float(area_under([(x / fp, y / tp) for x, y in corners], start, stop))  # type: ignore


def influence(rows: Rows, case: int, start: float, stop: float, step: float = 1e-6) -> float:
    """How fast the area moves with the weight of one case."""
    ends = []
    for sign in (1, -1):
        weights = [1.0] * len(rows)
        weights[case] += sign * step
        ends.append(weighted_area(rows, weights, start, stop))
    return (ends[0] - ends[1]) / (2 * step)

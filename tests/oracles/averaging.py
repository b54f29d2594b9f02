"""Averages of curves, one resample and one point after the other."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction

from tests.oracles.pairs import vertices_by_threshold

Rows = list[tuple[int, float]]  # (label, score)


def vertices(rows: Rows) -> list[tuple[Fraction, Fraction]]:
    labels, scores = [y for y, _ in rows], [s for _, s in rows]
    corners = vertices_by_threshold(labels, scores)
    fp, tp = corners[-1]
    return [(Fraction(x, fp), Fraction(y, tp)) for x, y in corners]


def top(rows: Rows, fpr: Fraction) -> Fraction:
    """Largest tpr on the curve at one fpr."""
    corners, heights = vertices(rows), []
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        if x0 == x1 == fpr:
            heights.append(y1)
        elif x0 <= fpr <= x1 and x0 < x1:
            heights.append(y0 + (y1 - y0) * (fpr - x0) / (x1 - x0))
    return max(heights)


def leftmost(rows: Rows, tpr: Fraction) -> Fraction:
    """Smallest fpr on the curve at one tpr."""
    corners, places = vertices(rows), []
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        if y0 == y1 == tpr:
            places.append(x0)
        elif y0 <= tpr <= y1 and y0 < y1:
            places.append(x0 + (x1 - x0) * (tpr - y0) / (y1 - y0))
    return min(places)


def rates(rows: Rows, threshold: float) -> tuple[Fraction, Fraction]:
    neg = [s for y, s in rows if y == 0]
    pos = [s for y, s in rows if y == 1]
    return (
        Fraction(sum(s >= threshold for s in neg), len(neg)),
        Fraction(sum(s >= threshold for s in pos), len(pos)),
    )


def every_stratified_resample(rows: Rows) -> Counter[tuple[tuple[int, float], ...]]:
    """All resamples, with how often each comes up whatever the order of its rows."""
    neg = [row for row in rows if row[0] == 0]
    pos = [row for row in rows if row[0] == 1]
    return Counter(
        (*sorted(one), *sorted(other))
        for one in itertools.product(neg, repeat=len(neg))
        for other in itertools.product(pos, repeat=len(pos))
    )


Law = dict[Fraction, Fraction]


def law(every: Counter, value: Callable[[Rows], Fraction]) -> Law:
    """Probability of each value over all resamples."""
    found: Law = defaultdict(Fraction)
    for rows, times in every.items():
        found[value(list(rows))] += Fraction(times, every.total())
    return dict(sorted(found.items()))


def quantiles(found: Law, level: Fraction) -> tuple[Fraction, Fraction]:
    """Central interval: what is left when (1 - level) / 2 is cut off at both ends."""
    tail = (1 - level) / 2
    low = min(v for v in found if sum(p for w, p in found.items() if w <= v) > tail)
    high = max(v for v in found if sum(p for w, p in found.items() if w >= v) > tail)
    return low, high


def resamples(rows: Rows, count: int, seed: int) -> Iterator[Rows]:
    """Unstratified, drawn again where a class is missing."""
    source = random.Random(seed)
    while count:
        drawn = source.choices(rows, k=len(rows))
        if {y for y, _ in drawn} == {0, 1}:
            count -= 1
            yield drawn


def empirical(values: list[float], level: float) -> tuple[float, float]:
    ordered = sorted(values)
    k = math.floor(len(values) * (1 - level) / 2 + 1e-9)
    return ordered[k], ordered[len(values) - k - 1]


def around(mean: float, half: float) -> tuple[float, float]:
    return max(0.0, mean - half), min(1.0, mean + half)


def spread(values: list[float]) -> tuple[float, float]:
    """Mean, and standard deviation with one degree of freedom taken off."""
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))

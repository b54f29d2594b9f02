"""Every resample of a tiny test set, one after the other, each with its probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, pairwise, product
from math import factorial

import numpy as np

Weighted = tuple[np.ndarray, np.ndarray, int]
Points = list[tuple[float, float]]


def draws(names: Sequence[int], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """All draws of `size` with replacement, order left aside, and in how many orders each comes."""
    for draw in combinations_with_replacement(names, size):
        orders = factorial(size)
        for copies in Counter(draw).values():
            orders //= factorial(copies)
        yield draw, orders


def all_resamples(
    labels: np.ndarray, scores: np.ndarray, *, stratified: bool
) -> Iterator[Weighted]:
    """All draws of rows that hold both classes, with their weights."""
    rows = list(range(len(labels)))
    if stratified:
        pos, neg = ([r for r in rows if labels[r] == kind] for kind in (1, 0))
        both = product(draws(pos, len(pos)), draws(neg, len(neg)))
        found = ((a + b, times_a * times_b) for (a, times_a), (b, times_b) in both)
    else:
        found = draws(rows, len(rows))
    for draw, times in found:
        took = list(draw)
        if len(set(labels[took])) == 2:
            yield labels[took], scores[took], times


def all_cluster_resamples(
    labels: np.ndarray, scores: np.ndarray, clusters: np.ndarray
) -> Iterator[Weighted]:
    """All draws of whole clusters that hold both classes, with their weights."""
    names = np.unique(clusters)
    for draw, times in draws(list(range(len(names))), len(names)):
        took = np.concatenate([np.flatnonzero(clusters == names[name]) for name in draw])
        if len(set(labels[took])) == 2:
            yield labels[took], scores[took], times


def points(labels: np.ndarray, scores: np.ndarray) -> Points:
    """Vertices of the ROC curve, from the definition."""
    path = [(0.0, 0.0)]
    for t in sorted(set(scores), reverse=True):
        above = scores >= t
        path.append((float(np.mean(above[labels == 0])), float(np.mean(above[labels == 1]))))
    return path


def where(path: Points, c: float, slope: float) -> float:
    """The x of the one point of the path with y + slope x = c, walking along it."""
    for (x0, y0), (x1, y1) in pairwise(path):
        c0, c1 = y0 + slope * x0, y1 + slope * x1
        if c0 <= c <= c1 and c1 > c0:
            return x0 + (c - c0) / (c1 - c0) * (x1 - x0)
    return path[-1][0]


def largest_distance(one: Points, other: Points, slope: float) -> float:
    """Largest displacement: looked for at the vertices of both."""
    lines = [y + slope * x for x, y in one + other]
    apart = max(abs(where(one, c, slope) - where(other, c, slope)) for c in lines)
    return apart * float(np.hypot(1, slope))


def height(path: Points, fpr: float) -> float:
    """Topmost y at an fpr."""
    best = 0.0
    for (x0, y0), (x1, y1) in pairwise(path):
        if x0 <= fpr + 1e-12 and fpr <= x1 + 1e-12:
            share = 1.0 if x1 - x0 < 1e-12 else (fpr - x0) / (x1 - x0)
            best = max(best, y0 + share * (y1 - y0))
    return best


def law(
    resamples: Iterable[Weighted], measure: Callable[[np.ndarray, np.ndarray], float]
) -> dict[float, float]:
    """Probability of each value of a measure of (labels, scores), rounded to 9 digits."""
    counts: Counter[float] = Counter()
    for labels, scores, times in resamples:
        counts[round(measure(labels, scores), 9)] += times
    total = sum(counts.values())
    return {value: count / total for value, count in sorted(counts.items())}

"""The average curve of readers from pairs of cases and lines, one reader and one line at a time."""

from __future__ import annotations

from itertools import pairwise

from tests.oracles.average_curves import rates


def crossing(y: list[int], s: list[float], c: float) -> float:
    """The abscissa at which one reader's curve meets the line x + y = c."""
    points = rates(y, s)
    for (x0, y0), (x1, y1) in pairwise(points):
        start, end = x0 + y0, x1 + y1
        if start <= c <= end:
            return x0 + (x1 - x0) * (c - start) / (end - start)
    return 1.0


def average(y: list[int], readers: list[list[float]], c: float) -> tuple[float, float]:
    """The point of the average curve on the line x + y = c."""
    x = sum(crossing(y, one, c) for one in readers) / len(readers)
    return x, c - x


def area(y: list[int], s: list[float]) -> float:
    """Share of pairs that are ordered correctly, ties counted one half."""
    pos = [score for label, score in zip(y, s, strict=True) if label]
    neg = [score for label, score in zip(y, s, strict=True) if not label]
    wins = sum((p > q) + 0.5 * (p == q) for p in pos for q in neg)
    return wins / (len(pos) * len(neg))


def deviation(y: list[int], readers: list[list[float]], c: float, draws: int, rng: object) -> float:
    """Standard deviation of the average's abscissa when cases are drawn, with all their readings."""
    found = []
    while len(found) < draws:
        cases = rng.integers(0, len(y), len(y)).tolist()  # type: ignore[attr-defined]
        labels = [y[k] for k in cases]
        if 0 < sum(labels) < len(labels):
            drawn = [[one[k] for k in cases] for one in readers]
            found.append(average(labels, drawn, c)[0])
    mean = sum(found) / draws
    return (sum((x - mean) ** 2 for x in found) / draws) ** 0.5

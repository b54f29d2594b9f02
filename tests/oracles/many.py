"""Slow, obvious versions of what is said of several classes and clusters; nothing is shared."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import t as student


def wins(pos: np.ndarray, neg: np.ndarray) -> np.ndarray:
    """1 where the positive scores higher, 1/2 where they are equal; pairs in a matrix."""
    return (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)


def move_average(y, scores, pairs, w):
    """Average area, and what each row adds to it; weights `w`."""
    classes = np.unique(y)
    splits = (
        [(a, [b]) for a, b in itertools.permutations(classes, 2)]
        if pairs
        else [(a, [b for b in classes if b != a]) for a in classes]
    )
    move, total = np.zeros(len(y)), 0.0
    for a, others in splits:
        column = scores[:, list(classes).index(a)]
        pos, neg = np.flatnonzero(y == a), np.flatnonzero(np.isin(y, others))
        p, n = (w[rows] / w[rows].sum() for rows in (pos, neg))
        table = wins(column[pos], column[neg])
        area = p @ table @ n
        total += area / len(splits)
        move[pos] += p * (table @ n - area) / len(splits)
        move[neg] += n * (p @ table - area) / len(splits)
    return total, move


def average_area(y, scores, pairs, level):
    """Average area, standard error and limits, from the matrix of all pairs of each curve.

    Each curve's area moves by (mean of a row's wins - area) / size when a row changes; a row's
    moves in all curves are added before they are squared.
    """
    classes = np.unique(y)
    size = {c: int((y == c).sum()) for c in classes}
    n, k = len(y), len(classes)
    splits = (
        [(a, [b]) for a, b in itertools.permutations(classes, 2)]
        if pairs
        else [(a, [b for b in classes if b != a]) for a in classes]
    )
    move, weight, total = np.zeros(n), dict.fromkeys(classes, 0.0), 0.0
    for a, others in splits:
        column = scores[:, list(classes).index(a)]
        pos, neg = np.flatnonzero(y == a), np.flatnonzero(np.isin(y, others))
        table = wins(column[pos], column[neg])
        area = table.mean()
        total += area / len(splits)
        move[pos] += (table.mean(axis=1) - area) / len(pos) / len(splits)
        move[neg] += (table.mean(axis=0) - area) / len(neg) / len(splits)
        weight[a] += size[a] / len(pos) / len(splits)
        for b in others:
            weight[b] += size[b] / len(neg) / len(splits)
    spread, parts, cases = total * (1 - total), [], []
    for c in classes:
        squares = ((move[y == c] * size[c] / weight[c]) ** 2).sum()
        share = (squares + 0.5 * 0.6 * (1 - size[c] / n)) / ((size[c] - 1) * spread + 0.5)
        parts.append(weight[c] ** 2 * share / size[c])
        cases.append(size[c] - 1 + (0.5 / spread if spread > 0 else np.inf))
    unit = max(
        sum(parts), 1 / sum(size[a] * size[b] for a, b in itertools.combinations(classes, 2))
    )
    df = sum(parts) ** 2 / sum(p**2 / c for p, c in zip(parts, cases, strict=True))
    q = student.ppf((1 + level) / 2, min(df, 1e9))
    # All areas A with (total - A)^2 <= q^2 unit A (1 - A): ends by bisection.
    limits = []
    for end in (0.0, 1.0):
        inside, outside = total, end
        for _ in range(200):
            middle = (inside + outside) / 2
            kept = (total - middle) ** 2 <= q**2 * unit * middle * (1 - middle)
            inside, outside = (middle, outside) if kept else (inside, middle)
        limits.append(inside)
    return total, (unit * spread) ** 0.5, *limits, k


def area_between(one, two, points=400_001):
    """Area between two staircases, from a fine grid of fpr."""
    x = (np.arange(points) + 0.5) / points
    return np.abs(np.interp(x, one.x, one.y) - np.interp(x, two.x, two.y)).mean()

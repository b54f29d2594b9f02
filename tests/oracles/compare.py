"""Slow and obvious: pairs of cases one by one, swaps one by one, resamples one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from statistics import mean

import numpy as np


def win(positive: float, negative: float) -> Fraction:
    if positive == negative:
        return Fraction(1, 2)
    return Fraction(int(positive > negative))


def split(labels, scores) -> tuple[list[float], list[float]]:
    rows = list(zip(labels, scores, strict=True))
    return [s for y, s in rows if y == 1], [s for y, s in rows if y == 0]


def delong_covariance(labels, models) -> list[list[Fraction]]:
    """DeLong's covariance of the areas, from the matrix of all pairs, in exact fractions."""
    tables = []
    for scores in models:
        pos, neg = split(labels, scores)
        tables.append([[win(p, q) for q in neg] for p in pos])
    m, n = len(tables[0]), len(tables[0][0])
    areas = [sum(map(sum, table)) / Fraction(m * n) for table in tables]
    rows = [[sum(row) / Fraction(n) for row in table] for table in tables]
    columns = [[sum(column) / Fraction(m) for column in zip(*t, strict=True)] for t in tables]

    def together(values, i, j):
        gaps = zip(values[i], values[j], strict=True)
        return sum((a - areas[i]) * (b - areas[j]) for a, b in gaps) / (len(values[i]) - 1)

    k = range(len(models))
    return [[together(rows, i, j) / m + together(columns, i, j) / n for j in k] for i in k]


def clustered_variance(labels, one, two, clusters) -> float:
    """Obuchowski's (1997) variance of the difference of two areas, term by term."""
    pos_clusters, neg_clusters = split(labels, clusters)
    gaps = []
    for scores in (one, two):
        pos, neg = split(labels, scores)
        gaps.append(
            (
                [mean(win(p, q) for q in neg) for p in pos],
                [mean(win(p, q) for p in pos) for q in neg],
            )
        )
    pos, neg = ([a - b for a, b in zip(gaps[0][k], gaps[1][k], strict=True)] for k in (0, 1))
    d, m, n = mean(pos), len(pos), len(neg)
    names = sorted(set(clusters))
    x = {g: sum(v - d for v, h in zip(pos, pos_clusters, strict=True) if h == g) for g in names}
    y = {g: sum(v - d for v, h in zip(neg, neg_clusters, strict=True) if h == g) for g in names}
    i10, i01, i = len(set(pos_clusters)), len(set(neg_clusters)), len(names)
    s10 = Fraction(i10, (i10 - 1) * m) * sum(v**2 for v in x.values())
    s01 = Fraction(i01, (i01 - 1) * n) * sum(v**2 for v in y.values())
    s11 = Fraction(i, i - 1) * sum(x[g] * y[g] for g in names)
    return float(s10 / m + s01 / n + 2 * s11 / (m * n))


def design_variance(labels, one, two, clusters=None, weights=None, strata=None) -> float:
    """Variance of the difference of two weighted areas, from sums over clusters within strata."""
    size = len(labels)
    clusters = list(range(size)) if clusters is None else list(clusters)
    weights = [Fraction(1)] * size if weights is None else [Fraction(w) for w in weights]
    strata = [0] * size if strata is None else list(strata)
    rows = {k: [i for i in range(size) if labels[i] == k] for k in (0, 1)}
    mass = {k: sum(weights[i] for i in rows[k]) for k in (0, 1)}
    share = [weights[i] / mass[labels[i]] for i in range(size)]

    def place(scores) -> list[Fraction]:
        def against(i: int) -> Fraction:
            won = ((scores[i], scores[j]) if labels[i] else (scores[j], scores[i]) for j in others)
            return sum(share[j] * win(*pair) for j, pair in zip(others, won, strict=True))

        found = []
        for i in range(size):
            others = rows[1 - labels[i]]
            found.append(against(i))
        return found

    gap = [a - b for a, b in zip(place(one), place(two), strict=True)]
    names = sorted(set(clusters))
    layer = dict(zip(clusters, strata, strict=True))
    z, kish = {}, {}
    for k in (1, 0):
        centre = sum(share[i] * gap[i] for i in rows[k])
        z[k] = {
            g: sum(share[i] * (gap[i] - centre) for i in rows[k] if clusters[i] == g) for g in names
        }
        kish[k] = 1 / sum(sum(share[i] for i in rows[k] if clusters[i] == g) ** 2 for g in names)

    def multiply(x, y) -> Fraction:
        if len(set(layer.values())) == 1:
            return sum(x[g] * y[g] for g in names)
        total = Fraction(0)
        for h in set(layer.values()):
            own = [g for g in names if layer[g] == h]
            if len(own) == 1:
                total += x[own[0]] * y[own[0]]
                continue
            inner = sum(x[g] * y[g] for g in own) - sum(x[g] for g in own) * sum(
                y[g] for g in own
            ) / Fraction(len(own))
            q = Fraction(len(own), len(own) - 1) * Fraction(len(names) - 1, len(names))
            total += q * inner
        return total

    own = [kish[k] / max(kish[k] - 1, Fraction(1, 2)) * multiply(z[k], z[k]) for k in (1, 0)]
    across = 2 * Fraction(len(names), len(names) - 1) * multiply(z[1], z[0])
    return float(max(sum(own) + across, sum(own) / 10))


def lost_among_first(positives: list[int], sizes: list[int], called: int) -> Fraction:
    """Positives among the lowest rows, where those of each level are shared evenly by its rows."""
    lost, start = Fraction(0), 0
    for size in sizes:
        here = positives[start : start + size]
        taken = min(max(called - start, 0), size)
        lost += Fraction(taken * sum(here), size)
        start += size
    return lost


def level_sizes(scores) -> list[int]:
    return [list(scores).count(value) for value in sorted(set(scores))]


def apart(labels, one, two, swap=None, order=None, first=0) -> Fraction:
    """Mean distance of the true positive rates over all numbers of rows called negative.

    After swapping the ranks of some rows, tied rows in the given order; where a rank comes twice,
    the one of model 1 goes first if `first` is 0.
    """
    n = len(labels)
    swap, order = swap or [False] * n, order or list(range(n))
    ranks = []
    for scores in (one, two):
        line = sorted(range(n), key=lambda i: (scores[i], order[i]))
        ranks.append([line.index(i) for i in range(n)])
    marked = [[(rank, origin ^ first) for rank in r] for origin, r in enumerate(ranks)]
    lines = []
    for k in (0, 1):
        key = [marked[1 - k][i] if swap[i] else marked[k][i] for i in range(n)]
        lines.append([labels[i] for i in sorted(range(n), key=key.__getitem__)])
    sizes = [level_sizes(scores) for scores in (one, two)]
    gaps = (
        abs(lost_among_first(lines[0], sizes[0], k) - lost_among_first(lines[1], sizes[1], k))
        for k in range(1, n + 1)
    )
    return sum(gaps, Fraction(0)) / (n * sum(labels))


def all_swaps(labels, one, two, order=None, first=0) -> list[Fraction]:
    """Statistic of every one of the 2^n ways to swap ranks, the observed one first."""
    ways = product((False, True), repeat=len(labels))
    return [apart(labels, one, two, list(swap), order, first) for swap in ways]


def resampled_difference(labels, one, two, rows) -> tuple[float, float]:
    """Difference of areas and its DeLong variance on chosen rows, repeated ones repeated."""
    y = [labels[i] for i in rows]
    chosen = [[scores[i] for i in rows] for scores in (one, two)]
    areas = [
        float(mean(win(p, q) for p in pos for q in neg))
        for pos, neg in (split(y, s) for s in chosen)
    ]
    cov = np.array(delong_covariance(y, chosen), dtype=float)
    return areas[0] - areas[1], cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]


def height(labels, scores, fpr: float) -> float:
    """Largest true positive rate at a false positive rate, straight along ties."""
    pos, neg = split(labels, scores)
    points = [(0.0, 0.0)] + [
        (sum(q >= t for q in neg) / len(neg), sum(p >= t for p in pos) / len(pos))
        for t in sorted(set(scores), reverse=True)
    ]
    best = 0.0
    for (x0, y0), (x1, y1) in pairwise(points):
        if x1 <= fpr + 1e-12:
            best = max(best, y1)
        elif x0 <= fpr:
            best = max(best, y0 + (fpr - x0) / (x1 - x0) * (y1 - y0))
    return best

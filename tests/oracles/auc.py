"""Slow and obvious: placements by pairs, clusters by loops, resamples by complete enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import sqrt
from statistics import NormalDist

import numpy as np
from scipy.optimize import brentq


def win(p: float, q: float) -> float:
    return 1.0 if p > q else 0.5 if p == q else 0.0


def auc_of(pos: list[float], neg: list[float]) -> float:
    return sum(win(p, q) for p in pos for q in neg) / len(pos) / len(neg)


def obuchowski(y: list[int], s: list[float], clusters: list[object]) -> float:
    """Obuchowski (1997), as printed: sums of structural components over clusters."""
    rows = list(zip(y, s, clusters, strict=True))
    pos = [score for label, score, _ in rows if label]
    neg = [score for label, score, _ in rows if not label]
    auc = auc_of(pos, neg)
    s10 = s01 = s11 = 0.0
    names = sorted(set(clusters), key=str)
    for name in names:
        here = [(label, score) for label, score, cluster in rows if cluster == name]
        x = [sum(win(v, q) for q in neg) / len(neg) for label, v in here if label]
        z = [sum(win(p, v) for p in pos) / len(pos) for label, v in here if not label]
        s10 += (sum(x) - len(x) * auc) ** 2
        s01 += (sum(z) - len(z) * auc) ** 2
        s11 += (sum(x) - len(x) * auc) * (sum(z) - len(z) * auc)
    i10 = len({cluster for label, _, cluster in rows if label})
    i01 = len({cluster for label, _, cluster in rows if not label})
    s10 *= i10 / ((i10 - 1) * len(pos))
    s01 *= i01 / ((i01 - 1) * len(neg))
    s11 *= len(names) / (len(names) - 1)
    return s10 / len(pos) + s01 / len(neg) + 2 * s11 / (len(pos) * len(neg))


def all_resamples(pos: list[float], neg: list[float]) -> dict[float, float]:
    """Law of the AUC over all resamples of each class: its values to 12 digits and their shares."""
    count: Counter[float] = Counter()
    for p in product(pos, repeat=len(pos)):
        for q in product(neg, repeat=len(neg)):
            count[round(auc_of(list(p), list(q)), 12)] += 1
    total = sum(count.values())
    return {value: times / total for value, times in sorted(count.items())}


def independent_cases(y: list[int], s: list[float], clusters: list[object]) -> tuple[float, float]:
    """Least local numbers of positives and negatives, cluster by cluster and point by point.

    At each point of the curve every cluster has so many rows of each class above it; inside a step of
    ties of both classes, a share of those at the step. No cluster has two rows of one class and score.
    """
    scores, names = sorted(set(s), reverse=True), sorted(set(clusters), key=str)
    totals = {k: [sum(a == k and g == n for a, g in zip(y, clusters, strict=True)) for n in names]
              for k in (1, 0)}  # fmt: skip

    def above(k: int, i: int) -> list[float]:
        """Rows of class k in each cluster, at or above the i-th highest score."""
        top = set(scores[:i])
        rows = list(zip(y, s, clusters, strict=True))
        return [float(sum(a == k and v in top and g == n for a, v, g in rows)) for n in names]

    points = []  # sums of squares and products at each point, for both classes
    steps = [{k: above(k, i) for k in (1, 0)} for i in range(len(scores) + 1)]

    def sums(i: int) -> dict[str, float]:
        at, out = steps[i], {}
        for k in (1, 0):
            low = [t - a for t, a in zip(totals[k], at[k], strict=True)]
            out[f"A{k}"], out[f"C{k}"] = sum(at[k]), sum(a * a for a in at[k])
            out[f"B{k}"] = sum(b * b for b in low)
            out[f"T{k}"] = sum(a * t for a, t in zip(at[k], totals[k], strict=True))
            out[f"O{k}"] = sum(a * t for a, t in zip(at[k], totals[1 - k], strict=True))
        out["PQ"] = sum(a * b for a, b in zip(at[1], at[0], strict=True))
        return out

    whole = [sums(i) for i in range(len(scores) + 1)]
    for i, here in enumerate(whole):
        points.append((i, here, i))
        if i < len(scores):
            gap = [whole[i + 1][f"A{k}"] - here[f"A{k}"] for k in (1, 0)]
            if min(gap) > 0:
                many = int(min(128, max(8, 8 * sqrt(sum(gap)))))
                for j in range(1, many):
                    mixed = {key: (1 - j / many) * v + j / many * whole[i + 1][key]
                             for key, v in here.items()}  # fmt: skip
                    points.append((i, mixed, i + 1))
    numbers = []
    for k in (1, 0):
        size, squares = sum(totals[k]), sum(t * t for t in totals[k])
        kish, rows = size**2 / squares, min(20, size)
        counts = [whole[i][f"A{k}"] for i, _, _ in points]
        under = [size - whole[end][f"A{k}"] for _, _, end in points]
        least = kish
        for place, (i, at, end) in enumerate(points):
            x, up = at[f"A{k}"] / size, at[f"A{k}"]
            if not 0.05 + 1e-9 < x < 0.95 - 1e-9:
                continue
            far = max(place, next(j for j, c in enumerate(counts) if c >= rows))
            deep = min(place, max(j for j, c in enumerate(under) if c >= rows))
            unit = points[far][1][f"C{k}"] / points[far][1][f"A{k}"]
            unit_low = points[deep][1][f"B{k}"] / (size - points[deep][1][f"A{k}"])
            om_a = (at[f"C{k}"] + unit**2) / (up + unit)
            om_b = (at[f"B{k}"] + unit_low**2) / (size - up + unit_low)

            def variance(kind: int, at: dict[str, float] = at) -> float:
                n = sum(totals[kind])
                u = at[f"A{kind}"] / n
                square = sum(t * t for t in totals[kind])
                return max(at[f"C{kind}"] - 2 * u * at[f"T{kind}"] + u * u * square, 0.0) / n**2

            m, n = sum(totals[1]), sum(totals[0])
            y1, x0 = at["A1"] / m, at["A0"] / n
            both = sum(a * b for a, b in zip(totals[1], totals[0], strict=True))
            rho = 0.0
            inside = min(whole[i]["A1"], whole[i]["A0"]) > 0
            inside = inside and whole[end]["A1"] < m and whole[end]["A0"] < n
            if both and inside and variance(1) * variance(0) > 0:
                cov = at["PQ"] - x0 * at["O1"] - y1 * at["O0"] + x0 * y1 * both
                rho = max(-1.0, min(1.0, cov / (m * n) / sqrt(variance(1) * variance(0))))
            apart = ((1 - x) ** 2 * at[f"C{k}"] + x**2 * at[f"B{k}"]) / size**2
            alone = ((1 - x) ** 2 * up + x**2 * (size - up)) / size**2
            design = max(variance(k), alone / 2) / apart
            design *= kish / max(kish - 1, 0.5) * (1 - 1 / size) * (1 + max(0.0, -rho))
            least = min(least, size / ((1 - x) * om_a + x * om_b) / design)
        numbers.append(max(min(kish, least), 1.0))
    return numbers[0], numbers[1]


def newcombe(auc: float, m: int, n: int, level: float) -> tuple[float, float]:
    """Newcombe (2006), method 5: |A - theta| = z sqrt(variance at theta)."""
    z, star = NormalDist().inv_cdf((1 + level) / 2), (m + n) / 2 - 1

    def apart(theta: float) -> float:
        inner = 1 + star * (1 - theta) / (2 - theta) + star * theta / (1 + theta)
        return abs(auc - theta) - z * sqrt(theta * (1 - theta) * inner / (m * n))

    low = 0.0 if auc == 0 else brentq(apart, 0.0, min(auc, 1 - 1e-12), xtol=1e-14)
    high = 1.0 if auc == 1 else brentq(apart, max(auc, 1e-12), 1.0, xtol=1e-14)
    return low, high


def bca(
    pos: list[float], neg: list[float], values: np.ndarray, tail: float
) -> tuple[float, float, float, float]:
    """Bias, acceleration by leaving rows out, and the shares of resamples below the two limits."""
    normal, auc = NormalDist(), auc_of(pos, neg)
    bias = normal.inv_cdf(float(np.mean(values < auc) + np.mean(values == auc) / 2))
    left_out = [
        [auc_of(pos[:i] + pos[i + 1 :], neg) for i in range(len(pos))],
        [auc_of(pos, neg[:i] + neg[i + 1 :]) for i in range(len(neg))],
    ]
    cubes = squares = 0.0
    for part in left_out:
        u = [(len(part) - 1) * (sum(part) / len(part) - value) for value in part]
        cubes += sum(v**3 for v in u) / len(part) ** 3
        squares += sum(v**2 for v in u) / len(part) ** 2
    bend = cubes / (6 * squares**1.5)
    low, high = (
        normal.cdf(bias + (bias + z) / (1 - bend * (bias + z)))
        for z in (normal.inv_cdf(tail), normal.inv_cdf(1 - tail))
    )
    return bias, bend, low, high

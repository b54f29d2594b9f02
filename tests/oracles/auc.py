"""Slow and obvious: placements by pairs, groups by loops, resamples by complete enumeration."""

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


def obuchowski(y: list[int], s: list[float], groups: list[object]) -> float:
    """Obuchowski (1997), as printed: sums of structural components over clusters."""
    rows = list(zip(y, s, groups, strict=True))
    pos = [score for label, score, _ in rows if label]
    neg = [score for label, score, _ in rows if not label]
    auc = auc_of(pos, neg)
    s10 = s01 = s11 = 0.0
    names = sorted(set(groups), key=str)
    for name in names:
        here = [(label, score) for label, score, group in rows if group == name]
        x = [sum(win(v, q) for q in neg) / len(neg) for label, v in here if label]
        z = [sum(win(p, v) for p in pos) / len(pos) for label, v in here if not label]
        s10 += (sum(x) - len(x) * auc) ** 2
        s01 += (sum(z) - len(z) * auc) ** 2
        s11 += (sum(x) - len(x) * auc) * (sum(z) - len(z) * auc)
    i10 = len({group for label, _, group in rows if label})
    i01 = len({group for label, _, group in rows if not label})
    s10 *= i10 / ((i10 - 1) * len(pos))
    s01 *= i01 / ((i01 - 1) * len(neg))
    s11 *= len(names) / (len(names) - 1)
    return s10 / len(pos) + s01 / len(neg) + 2 * s11 / (len(pos) * len(neg))


def all_resamples(pos: list[float], neg: list[float], *, stratified: bool) -> dict[float, float]:
    """Law of the AUC over all resamples, rounded to 12 digits: its values and their shares."""
    count: Counter[float] = Counter()
    if stratified:
        for p in product(pos, repeat=len(pos)):
            for q in product(neg, repeat=len(neg)):
                count[round(auc_of(list(p), list(q)), 12)] += 1
    else:
        rows = [(1, v) for v in pos] + [(0, v) for v in neg]
        for drawn in product(rows, repeat=len(rows)):
            p, q = [v for k, v in drawn if k], [v for k, v in drawn if not k]
            if p and q:
                count[round(auc_of(p, q), 12)] += 1
    total = sum(count.values())
    return {value: times / total for value, times in sorted(count.items())}


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

"""Critical value of an untied curve, vertex by vertex and level by level; shares nothing with src.

Only the chance values are looked up: `chance(level)` of given class sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from statistics import NormalDist

from tests.oracles.excess import largest_excess

Chance = Callable[[float], float]


def area(labels: Iterable[bool]) -> float:
    """Share of the pairs whose positive comes first; labels from the highest score down."""
    labels = list(labels)
    pairs = [(i, j) for i, p in enumerate(labels) if p for j, q in enumerate(labels) if not q]
    return sum(i < j for i, j in pairs) / len(pairs)


def corner_weight(labels: Iterable[bool]) -> float:
    """(C12) and (C13): largest weight of a vertex with the largest Youden index."""
    labels = list(labels)
    auc = area(labels)
    if auc < 0.5:
        labels, auc = labels[::-1], 1 - auc
    m, n = sum(labels), len(labels) - sum(labels)
    fp = tp = 0
    vertices = [(0, 0)]
    for positive in labels:
        tp, fp = tp + positive, fp + (not positive)
        vertices.append((fp, tp))
    best = max(n * tp - m * fp for fp, tp in vertices)
    weights = []
    for fp, tp in vertices:
        if n * tp - m * fp < best:
            continue
        x, y = (fp + 0.5) / (n + 1), 1 - (m - tp + 0.5) / (m + 1)
        ratio = max(y - x, 0) * math.sqrt(m * n / (x * (1 - x) * y * (1 - y))) / (m + n)
        angle, errors = math.atan(ratio), fp + m - tp
        weights.append(math.tan(angle / 2) ** 2 * errors**2 / (errors**2 + 9))
    sharp = sharpness(best / (m * n), auc, m, n)
    return 4 / 3 * sharp**2 * max(weights) * 4 * m * n / (m + n) ** 2


def sharpness(youden: float, auc: float, m: int, n: int) -> float:
    """(C12): 0 like normal scores, 1 like two straight pieces of the same AUC."""
    if auc == 1:
        return 0.0
    if auc == 0.5:
        return 1.0
    normal = NormalDist()
    smooth = 2 * normal.cdf(normal.inv_cdf(auc) / math.sqrt(2)) - 1
    found = (youden - (1 / m + 1 / n) / 2 - smooth) / (2 * auc - 1 - smooth)
    return min(max(found, 0.0), 1.0)


def smooth_value(
    auc: float, m: int, n: int, level: float, levels: list[float], chance: Chance
) -> float:
    """(C6): largest sum of chance and excess over the levels up to this one."""
    sums = []
    for lower in [one for one in levels if one <= level]:
        excess = largest_excess(auc, m, n, lower)
        sums.append(chance(lower) + (max(excess, 0) if min(m, n) <= 12 else excess))
    return max(sums)


def critical_value(
    labels: Iterable[bool], level: float, levels: list[float], chance: Chance
) -> float:
    """(C14) and (C15), on top of (C6)."""
    labels = list(labels)
    m, n, auc = sum(labels), len(labels) - sum(labels), area(labels)
    value = smooth_value(auc, m, n, level, levels, chance)
    base = math.exp(min(value, chance(level))) + corner_weight(labels) / (1 - level)
    value = max(value, math.log(base))
    return max(value, -math.log(1 - level)) if auc in (0, 1) else value

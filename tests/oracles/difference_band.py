"""The difference band by its formulas, one case, one point and one side after the other.

Nothing is shared with the package: calls of single rows, sums over rows, Tango's estimate by a
search over the likelihood, limits by stepping, or by bisection above every point of a curve. Slopes
are an input but for :func:`slope`.
"""

from __future__ import annotations

from functools import partial
from math import erf, log, sqrt
from statistics import NormalDist

import numpy as np

from tests.oracles.resamples import Points, height, points

TINY = 1e-12
FLOOR, TILT_POS, TILT_NEG, WINDOW = 1 / 2, 3 / 5, 1 / 3, 3 / 2


def call(labels: np.ndarray, scores: np.ndarray, row: int, x: float) -> float:
    """Share of a row that is called positive at fpr x: 1, 0, or the share of a tie."""
    neg = scores[labels == 0]
    for t in sorted(set(scores), reverse=True):
        reached, before = float(np.mean(neg >= t)), float(np.mean(neg > t))
        if reached > x + TINY:
            share = min(max((x - before) / (reached - before), 0.0), 1.0)
            return 1.0 if scores[row] > t else share if scores[row] == t else 0.0
    return 1.0


def calls(labels: np.ndarray, scores: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Calls of all rows at all points, shape (rows, points)."""
    return np.array([[call(labels, scores, r, x) for x in grid] for r in range(len(labels))])


def discordance(d: float, b: float, c: float, m: float) -> float:
    """Largest likelihood over q: only model 1 finds q + d, only model 2 q (d >= 0), else mirrored.

    The log likelihood b log(q + d) + c log(q) + (m - b - c) log(1 - 2q - d) is concave in q, so
    that its derivative falls: bisection. The derivative has the sign of its product with q, q + d
    and 1 - 2q - d, which are 0 at the ends.
    """
    if d < 0:
        return discordance(-d, c, b, m)

    low, high = 0.0, (1 - d) / 2
    for _ in range(60):
        q = (low + high) / 2
        rises = (b * q + c * (q + d)) * (1 - 2 * q - d) > 2 * (m - b - c) * q * (q + d)
        low, high = (q, high) if rises else (low, q)
    return low + high + d


def stepped(variance, critical: float, reach: float) -> float:
    """Smallest h on [0, reach] with h^2 >= critical^2 V(h), or the end: coarse steps, then fine."""
    low, width = 0.0, reach
    for _ in range(6):
        for k in range(100):
            h = low + width * (k + 1) / 100
            if h * h >= critical * critical * variance(h):
                break
        else:
            return reach
        low, width = low + width * k / 100, width / 100
    return low + width


def paired_variance(
    side: int,
    h: float,
    *,
    d: float,
    a: float,
    b: float,
    c: float,
    m: int,
    v0: float,
    n_part: float,
    jump: float,
) -> float:
    """V(h) of the same rows, to one side."""
    moved = min(max(d + side * h * a, -1.0), 1.0)
    tp = max(0.0, discordance(moved, b, c, m) - moved**2) / m - ((b + c) / m - d**2) / m
    tn = sqrt(n_part**2 / 4 + (h * (1 - a) * jump) ** 2) - n_part / 2
    return v0 + max(0.0, TILT_POS * tp + TILT_NEG * tn)


def paired_limits(
    labels: np.ndarray,
    one: np.ndarray,
    two: np.ndarray,
    grid: np.ndarray,
    slopes: tuple[np.ndarray, np.ndarray],
    critical: float,
) -> dict[str, np.ndarray]:
    """Difference, variances, discordant counts and limits at each point of the grid."""
    m, n = int((labels == 1).sum()), int((labels == 0).sum())
    called = calls(labels, one, grid), calls(labels, two, grid)
    found: dict[str, list[float]] = {
        name: [] for name in ("D", "Vp", "Vn", "b", "c", "V0", "lower", "upper")
    }
    u_all, v_all = [], []
    for g, x in enumerate(grid):
        c1, c2 = called[0][:, g], called[1][:, g]
        r1, r2 = slopes[0][g], slopes[1][g]
        d = float(np.mean(c1[labels == 1]) - np.mean(c2[labels == 1]))
        u = c1[labels == 1] - c2[labels == 1] - d
        v = r1 * (c1[labels == 0] - x) - r2 * (c2[labels == 0] - x)
        u_all.append(u)
        v_all.append(v)
        vp = sum(u**2) / (m * max(m - 1, 1))
        vn = sum(v**2) / (n * max(n - 1, 1))
        a_part = vp + FLOOR / m**2
        n_part = vn + FLOOR * (r1**2 + r2**2) / (2 * n**2)
        v0 = a_part + n_part
        a = a_part / v0
        psi = (m - 1) * vp + d**2
        b, c = max(0.0, m * (psi + d) / 2), max(0.0, m * (psi - d) / 2)
        jump = sqrt((r1**2 + r2**2) / 2) / n
        point = {"d": d, "a": a, "b": b, "c": c, "m": m, "v0": v0, "n_part": n_part, "jump": jump}
        limits = [
            d + side * stepped(partial(paired_variance, side, **point), critical, 1 - side * d)
            for side in (-1, 1)
        ]
        for name, value in zip(found, (d, vp, vn, b, c, v0, *limits), strict=True):
            found[name].append(float(value))
    u_all, v_all = np.array(u_all), np.array(v_all)
    covariance = u_all @ u_all.T / (m * max(m - 1, 1)) + v_all @ v_all.T / (n * max(n - 1, 1))
    return {**{name: np.array(values) for name, values in found.items()}, "covariance": covariance}


def curve_points(labels: np.ndarray, scores: np.ndarray) -> list[tuple[float, float]]:
    """Middles of the vertical pieces of a curve; tied steps of both classes are cut into points."""
    pos, neg = scores[labels == 1], scores[labels == 0]
    pieces: list[list[float]] = [[0.0, 0.0, 0.0]]  # fpr, foot, top
    for t in sorted(set(scores), reverse=True):
        across, up = int(np.sum(neg == t)), int(np.sum(pos == t))
        if not across:
            pieces[-1][2] += up / pos.size
            continue
        x, y = pieces[-1][0], pieces[-1][2]
        count = int(min(128, max(8, 8 * sqrt(across + up)))) if up else 1
        for k in range(1, count + 1):
            foot = y + up / pos.size * k / count
            pieces.append([x + across / neg.size * k / count, foot, foot])
    return [(x, (foot + top) / 2) for x, foot, top in pieces]


def divergence(a: float, b: float) -> float:
    """a ln(a / b) + (1 - a) ln((1 - a) / (1 - b)), infinite where b excludes an outcome."""
    total = 0.0
    for p, q in ((a, b), (1 - a, 1 - b)):
        if p > 0:
            total += p * log(p / q) if q > 0 else np.inf
    return total


def upper_height(path: list[tuple[float, float]], m: int, n: int, u: float, bound: float) -> float:
    """Largest height at fpr u that some point of the curve allows, by bisection."""
    first = max(i for i, (x, _) in enumerate(path) if x <= u + TINY)
    best = 0.0
    for x, y in path[first:]:
        left = bound - (n * divergence(x, u) if x > u + TINY else 0.0)
        if left < 0:
            continue
        low, high = y, 1.0
        if y < 1 - TINY:
            for _ in range(60):
                v = (low + high) / 2
                low, high = (v, high) if m * divergence(y, v) <= left else (low, v)
        best = max(best, high)
    return best


def curve_limits(
    labels: np.ndarray, scores: np.ndarray, grid: np.ndarray, critical: float
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limit of the height of one curve."""
    m, n = int((labels == 1).sum()), int((labels == 0).sum())
    path = curve_points(labels, scores)
    turned = [(1 - x, 1 - y) for x, y in reversed(path)]
    bound = critical**2 / 2
    upper = [upper_height(path, m, n, u, bound) for u in grid]
    lower = [1 - upper_height(turned, m, n, 1 - u, bound) for u in grid]
    return np.array(lower), np.array(upper)


def unpaired_limits(
    sets: list[tuple[np.ndarray, np.ndarray]],
    grid: np.ndarray,
    slopes: tuple[np.ndarray, np.ndarray],
    critical: float,
) -> dict[str, np.ndarray]:
    """Limits for two test sets, each (labels, scores), and the covariance of the difference."""
    covariance = np.zeros((grid.size, grid.size))
    v0 = np.zeros(grid.size)
    heights, below, above = [], [], []
    for (labels, scores), r in zip(sets, slopes, strict=True):
        called = calls(labels, scores, grid)
        pos, neg = called[labels == 1], called[labels == 0]
        u, v = pos - pos.mean(axis=0), r * (neg - grid)
        m, n = len(pos), len(neg)
        own = u.T @ u / (m * max(m - 1, 1)) + v.T @ v / (n * max(n - 1, 1))
        covariance += own
        v0 += np.diag(own) + FLOOR / (2 * m**2) + FLOOR * r**2 / (2 * n**2)
        low, high = curve_limits(labels, scores, grid, critical)
        heights.append(pos.mean(axis=0))
        below.append([max(t - at, 0.0) for t, at in zip(heights[-1], low, strict=True)])
        above.append([max(at - t, 0.0) for t, at in zip(heights[-1], high, strict=True)])
    d = heights[0] - heights[1]
    lower = [
        max(at - sqrt(one**2 + two**2), -1.0)
        for at, one, two in zip(d, below[0], above[1], strict=True)
    ]
    upper = [
        min(at + sqrt(one**2 + two**2), 1.0)
        for at, one, two in zip(d, above[0], below[1], strict=True)
    ]
    return {
        "D": d,
        "V0": v0,
        "covariance": covariance,
        "lower": np.array(lower),
        "upper": np.array(upper),
    }


def middle(path: Points, x: float) -> float:
    """Height of the curve at x, halfway up where it is vertical."""
    tops = [y for at, y in path if abs(at - x) <= TINY]
    return (min(tops) + max(tops)) / 2 if tops else height(path, x)


def kernel_slope(labels: np.ndarray, scores: np.ndarray, x: float) -> float:
    """Slope over x -+ .01 of the curve of two kernel estimates on pooled normal scores."""
    normal = NormalDist()
    total = len(scores)
    z = np.array(
        [normal.inv_cdf((np.sum(scores < s) + np.sum(scores == s) / 2) / total) for s in scores]
    )
    widths = []
    for kind in (0, 1):
        own = np.sort(z[labels == kind])[::-1]
        size = own.size
        sd = float(np.std(own, ddof=1)) if own.max() > own.min() else 0.0
        upper, lower = (
            own[np.searchsorted(np.arange(1, size + 1), q * size)] for q in (0.25, 0.75)
        )
        spread = min(sd, float(upper - lower) / 1.34) or sd or 1.0
        widths.append(0.9 * spread * size**-0.2)
    reach = 4.5 * max(widths)
    at = np.linspace(z.max() + reach, z.min() - reach, 161)
    curve = []
    for kind in (0, 1):
        own = z[labels == kind]
        share = np.array(
            [np.mean([0.5 * (1 + erf((s - t) / widths[kind] / sqrt(2))) for s in own]) for t in at]
        )
        share[0], share[-1] = 0.0, 1.0
        curve.append(share)
    ends = max(x - 0.01, 0.0), min(x + 0.01, 1.0)
    foot, top = np.interp(ends, curve[0], curve[1])
    return float((top - foot) / (ends[1] - ends[0]))


def slope(labels: np.ndarray, scores: np.ndarray, x: float) -> float:
    """Slope of one curve at x: the kernel's, and chords where ties leave few distinct scores."""
    neg = scores[labels == 0]
    n = neg.size
    error = sqrt(x * (1 - x) / n)
    path = points(labels, scores)
    low, high = max(x - error, 0.0), min(x + error, 1.0)
    chord = (middle(path, high) - middle(path, low)) / (high - low)
    step = next(t for t in sorted(set(neg), reverse=True) if np.mean(neg >= t) > x + TINY)
    if np.sum(neg == step) >= 2:
        far, near = min(x + WINDOW * error, 1.0), max(x - WINDOW * error, 0.0)
        chord = max(
            (middle(path, far) - middle(path, x)) / (far - x),
            (middle(path, x) - middle(path, near)) / (x - near),
        )
    ends = {at for at, _ in path}
    passed = sum(low + 1e-9 < at < high - 1e-9 for at in ends)
    weight = 1 / (passed + 1)
    return weight * chord + (1 - weight) * kernel_slope(labels, scores, x)

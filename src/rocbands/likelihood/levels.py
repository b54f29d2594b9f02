"""Critical values for tied scores, in closed form.

With ties the true curve is a polygon, and so is the observed one: twice the statistic is the
largest square of correlated normals, two at each inner vertex, one across the segment before it and
one across the segment after it. They form a chain, and the probability that it stays within +-z is
approximated step by step, with Siegmund's correction for discrete steps (Sequential Analysis, 1985,
section 10.4). Formulas (T1) to (T9) of docs/likelihood.md, section "Tied scores"; constants were
chosen by simulation, which `python -m rocbands_studies.coverage ties` repeats. The statistic itself
is drawn in tests/oracles/tied_levels.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from rocbands.core.checks import CountArray, FloatArray

ROWS_AS_ONE = 20.0  # rows of a rough curve that act as one level
MOST_VERTICES = 8192  # that are looked at
_ROOT = math.sqrt(2.0 * math.pi)
_HIGHEST = 100.0  # no critical value is higher
_CLOSE = 1e-11  # relative error of the left side of (T8)

Future = tuple[int, int] | None


class Chain(NamedTuple):
    """Steps from one normal variable to the next, turns first, and what (T8) and (T9) need."""

    distance: FloatArray  # 1 - correlation
    thinning: FloatArray  # how many of the variables act as one
    number: FloatArray  # of steps for which each one stands
    lift: float
    rows: float  # of both classes, effective ones for a future set

    def cross(self, g: float) -> float:
        """Return the left side of (T8): -log of the probability that no square exceeds 2 g."""
        z = math.sqrt(2.0 * g)
        beyond = 2.0 * float(ndtr(-z))
        t = z * np.sqrt(self.distance * self.thinning / 2.0)
        within = ndtr(t)
        kappa = 4.0 * t * (within - 0.5) / (t * within + np.exp(-t * t / 2.0) / _ROOT)
        steps = float((self.number * kappa / self.thinning).sum())
        rate = 0.98 * (1.0 + 3.6 * beyond) * math.exp(-g) / (z * _ROOT)
        return rate * steps - math.log1p(-beyond)


def find_level_values(
    pos: CountArray, neg: CountArray, levels: Sequence[float], future: Future = None
) -> list[float]:
    """Return the critical value at each confidence level.

    `pos`, `neg`: cases at each distinct score, of which there are two or more, the highest first.
    `future`: class sizes of a future set whose curve is to be covered, instead of the true one.

    Examples
    --------
    >>> pos = np.array([10, 8, 6, 4, 2])
    >>> [round(value, 6) for value in find_level_values(pos, pos[::-1], [0.9, 0.95])]
    [2.00159, 2.525209]
    """
    pos, neg, future = _order_classes(pos, neg, future)
    chain, share = build_chain(pos, neg, future), 1.0
    if future is not None:
        sizes = zip((int(pos.sum()), int(neg.sum())), future, strict=True)
        share = max(later / (now + later) for now, later in sizes)
    least = share if _has_corner(pos, neg) else 0.0
    return [max(_solve(chain, level), -least * math.log1p(-level)) for level in levels]


def build_chain(pos: CountArray, neg: CountArray, future: Future = None) -> Chain:
    """Describe the chain of normal variables along the curve of these levels, (T1) to (T7)."""
    counts = np.array([neg, pos], dtype=np.float64)  # across, up
    sizes = counts.sum(axis=1, keepdims=True)
    shares = (counts + 0.5) / (sizes + 0.5 * pos.size)  # (T1)
    below = np.cumsum(shares, axis=1)[:, :-1]
    above = np.cumsum(shares[:, ::-1], axis=1)[:, -2::-1]  # 1 - below, without cancellation
    vertices, first, second = _choose_vertices(pos.size - 1)
    below, above = below[:, vertices], above[:, vertices]
    effective, later = sizes, None
    if future is not None:
        later = np.array([[future[1]], [future[0]]], dtype=np.float64)
        effective = sizes * later / (sizes + later)
    variance = effective * below * above  # of the counts at each vertex
    # Two variables at each vertex, across the segment before and across the segment after it.
    beside = np.stack([shares[:, vertices], shares[:, vertices + 1]])
    slope = effective * beside / np.sqrt(variance)
    angle = np.arctan2(slope[:, 1], slope[:, 0])  # (T2)
    cos, sin = np.cos(angle), np.sin(angle)
    tilt = rough = (sin * cos) ** 2 * (1.0 / (sizes * beside)).sum(axis=1)  # (T3)
    if later is not None:
        rough = tilt - np.minimum((sin * cos) ** 2 * (1.0 / (later * beside)).sum(axis=1), tilt)
    few = sin**2 / variance[0] + cos**2 / variance[1]  # (T4)
    thinning = 1.0 + ROWS_AS_ONE * rough + few**3  # (T5)

    at_turns, turn = thinning.mean(axis=0), angle[1] - angle[0]
    turning = float((turn**2 / at_turns).sum())
    noise = float((tilt.sum(axis=0) / at_turns).sum())
    part = max(0.0, 1.0 - noise / turning) if turning > 0.0 else 0.0
    turns = 1.0 - np.cos(turn * math.sqrt(part))  # (T6)

    ratio = np.sqrt(below[:, first] * above[:, second] / (below[:, second] * above[:, first]))
    across, up = cos[1, first] * cos[0, second], sin[1, first] * sin[0, second]
    along = np.maximum(0.0, 1.0 - across * ratio[1] - up * ratio[0])  # (T7)
    at_along = (thinning[1, first] + thinning[0, second]) / 2.0

    rows, weights = float(effective.sum()), 1.0 / thinning
    skewed = (float(effective[0, 0] - effective[1, 0]) / rows) ** 2
    lift = 1.0 + skewed * float((np.minimum(few, 1.0) * weights).sum() / weights.sum())  # (T9)
    stands = (pos.size - 1) / turns.size, (pos.size - 2) / max(along.size, 1)
    return Chain(
        np.concatenate((turns, along)),
        np.concatenate((at_turns, at_along)),
        np.repeat(stands, (turns.size, along.size)),
        lift,
        rows,
    )


def _choose_vertices(count: int) -> tuple[CountArray, CountArray, CountArray]:
    """Choose the inner vertices to look at, and the places among them of steps along a segment.

    All of them, or of very many evenly spaced pairs of neighbours, which stand for all: the
    critical value changes by less than 1%.
    """
    if count <= MOST_VERTICES:
        vertices = np.arange(count)
        return vertices, vertices[:-1], vertices[1:]
    start = np.linspace(0, count - 2, MOST_VERTICES // 2).astype(np.int64)
    vertices = np.union1d(start, start + 1)
    first = np.searchsorted(vertices, start)
    return vertices, first, first + 1


def _solve(chain: Chain, level: float) -> float:
    """Solve (T8) by secants of the logarithm, which falls nearly like -g, and bend by (T9)."""
    wanted = math.log(-math.log(level) / chain.lift)
    low, high = 1e-6, _HIGHEST
    g = 2.0
    gap = math.log(chain.cross(g)) - wanted
    slope = -1.0
    while abs(gap) > _CLOSE:
        low, high = (g, high) if gap > 0.0 else (low, g)
        following = g - gap / slope
        if not low < following < high:
            following = (low + high) / 2.0
        if following in (low, high):
            break
        next_gap = math.log(chain.cross(following)) - wanted
        slope = min((next_gap - gap) / (following - g), -1e-3)
        g, gap = following, next_gap
    return g * (chain.rows + 6.0) / (chain.rows + 3.0 * g)


def _has_corner(pos: CountArray, neg: CountArray) -> bool:
    """Tell whether the floor applies: separated classes, or one empty cell of two levels."""
    if pos.size == 2 and not (pos.all() and neg.all()):
        return True
    held = [np.flatnonzero(side) for side in (pos, neg)]
    return bool(held[0][-1] < held[1][0] or held[1][-1] < held[0][0])


def _order_classes(
    pos: CountArray, neg: CountArray, future: Future
) -> tuple[CountArray, CountArray, Future]:
    """Choose between a curve and the class-swapped one, which have the same law.

    Both get the same value to the last digit, whichever was given.
    """
    if pos.tolist() <= neg[::-1].tolist():  # any order of the two will do
        return pos, neg, future
    return neg[::-1], pos[::-1], None if future is None else (future[1], future[0])

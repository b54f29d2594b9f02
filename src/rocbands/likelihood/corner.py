"""Corners of the true curve, and separated classes: what they add to the critical value.

At a corner both rates err at once, and the statistic is larger there than on a smooth curve.
Formulas (C12) to (C15) of docs/likelihood.md, section "Critical values". A reference
implementation is tests/oracles/corner.py, compared in tests/likelihood/test_corner.py.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import CountArray

# Where the smaller class has more cases, the excess of smooth curves is enough for corners.
MOST_CASES = 2_000
_STRENGTH = 4.0 / 3.0  # of a sharp corner; .8 if its place were known
_FEW_ERRORS = 3.0  # below about so many a corner cannot be told from none


def raise_value(value: float, chance: float, weight: float, level: float) -> float:
    """Raise a critical value for a corner of the given weight, (C14).

    `chance`: the value under chance. The probability beyond c is (1 - level) e^(value - c) on the
    smooth parts of the curve, and weight e^(-c) at the corner.
    """
    return max(value, math.log(math.exp(min(value, chance)) + weight / (1.0 - level)))


def bound_weight(n_pos: int, n_neg: int) -> float:
    """Largest weight of a corner with these class sizes."""
    if min(n_pos, n_neg) > MOST_CASES:
        return 0.0
    return _STRENGTH * 4.0 * n_pos * n_neg / (n_pos + n_neg) ** 2


def weigh_corner(fp: CountArray, tp: CountArray, auc: float) -> float:
    """Weight of the corner at the vertex with the largest Youden index, (C13).

    `fp`, `tp`: cumulative counts at the vertices, from (0, 0). It is the same for the class-swapped
    curve and, unless the AUC is 1/2, for negated scores.

    Examples
    --------
    >>> corner = np.array([0, 10, 100]), np.array([0, 90, 100])
    >>> print(round(weigh_corner(*corner, 0.9), 2), weigh_corner(*corner, 0.98))
    0.72 0.0
    """
    n_pos, n_neg = int(tp[-1]), int(fp[-1])
    gap = n_neg * tp - n_pos * fp  # whole numbers: vertices of equal rank are told exactly
    if auc < 0.5:  # the curve with scores negated
        gap = -gap
        fp, tp, auc = n_neg - fp, n_pos - tp, 1.0 - auc
    largest = int(gap.max())
    sharp = _find_sharpness(largest / (n_pos * n_neg), auc, n_pos, n_neg)
    if sharp == 0.0:
        return 0.0
    vertex = np.flatnonzero(gap == largest)
    above, below = fp[vertex], n_pos - tp[vertex]  # the errors: negatives and positives
    x, y = (above + 0.5) / (n_neg + 1.0), 1.0 - (below + 0.5) / (n_pos + 1.0)
    spread = np.sqrt(x * (1.0 - x) * y * (1.0 - y))
    turn = np.maximum(y - x, 0.0) * math.sqrt(n_pos * n_neg) / ((n_pos + n_neg) * spread)
    half = turn / (1.0 + np.sqrt(1.0 + turn * turn))  # tangent of half the angle
    errors = (above + below) ** 2
    seen = float((half * half * errors / (errors + _FEW_ERRORS**2)).max())
    return bound_weight(n_pos, n_neg) * sharp * sharp * seen


def _find_sharpness(youden: float, auc: float, n_pos: int, n_neg: int) -> float:
    """Place the Youden index between those of normal scores, 0, and of two straight pieces, 1.

    Both have the given AUC, (C12). Half a step is taken off the empirical index, which is that of
    the outer corners.
    """
    if auc >= 1.0:
        return 0.0
    if auc == 0.5:
        return 1.0
    smooth = 2.0 * float(ndtr(ndtri(auc) / math.sqrt(2.0))) - 1.0
    youden -= 0.5 * (1.0 / n_pos + 1.0 / n_neg)
    return min(max((youden - smooth) / (2.0 * auc - 1.0 - smooth), 0.0), 1.0)

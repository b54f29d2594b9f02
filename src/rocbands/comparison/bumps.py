"""Bumps: where a curve is not concave by more than its sampling error.

If rows of several sites, batches or devices with different offsets are pooled, their curve rises,
flattens and rises again. Limits that take the slope of a curve for constant within the sampling
error of a threshold fail there.

L(x) <= TPR(x) <= U(x) are the limits of one standard error from the likelihood of the curve, and H
is the least concave curve above L, a polyline from (0, 0) to (1, 1). Where H > U no concave curve
lies between L and U. docs/compare.md, "Curves with a bump, and few negatives", has the rule.
"""

from __future__ import annotations

import numpy as np

from rocbands.comparison.grid_curve import CurveAtGrid, build_grid
from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.tolerance import SAME

FEWEST = 3.0  # with fewer negatives no bump can be told
REACH = 2.0  # standard errors of fpr by which the effect of a bump reaches beyond its ends


def find_bumps(curve: CurveAtGrid, n_neg: float, critical_value: float) -> FloatArray:
    """Ranges of fpr (k, 2) over which no concave curve lies within so many standard errors.

    The whole curve is searched, not only the range of its grid: a threshold inside that range may
    lie, within its error, outside.
    """
    if n_neg < FEWEST:
        return np.zeros((0, 2))
    fpr = build_grid(1.0 / n_neg, 1.0 - 1.0 / n_neg)
    lower, upper = curve.limit_heights_at(fpr, critical_value)
    # The curve itself is within its limits, which middles of vertical pieces need not be.
    height = curve.roc.curve.high(fpr)
    lower, upper = np.minimum(lower, height), np.maximum(upper, height)
    x, y = (np.concatenate(([0.0], column, [1.0])) for column in (fpr, lower))
    corners = find_majorant(x, y)
    above = np.flatnonzero(np.interp(fpr, x[corners], y[corners]) > upper + SAME)
    # The pieces of the polyline that are above the upper limit somewhere.
    piece = np.unique(np.searchsorted(x[corners], fpr[above]))
    return np.stack([x[corners[piece - 1]], x[corners[piece]]], axis=1)


def find_majorant(x: FloatArray, y: FloatArray) -> IndexArray:
    """Corners of the least concave curve above some points, whose x rise.

    Examples
    --------
    >>> find_majorant(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 2.0, 2.5, 4.0]))
    array([0, 1, 3])
    """
    corners = [0]
    while (at := corners[-1]) < x.size - 1:
        slopes = (y[at + 1 :] - y[at]) / (x[at + 1 :] - x[at])
        corners.append(at + 1 + int(slopes.argmax()))
    return np.array(corners)


def find_near(bumps: FloatArray, n_neg: float, fpr: FloatArray) -> BoolArray:
    """Tell for each bump which points (bumps, points) are inside it or near it."""
    error = np.sqrt(bumps * (1.0 - bumps) / n_neg)
    low, high = (bumps + REACH * error * [-1.0, 1.0]).T
    return np.asarray((low[:, None] <= fpr) & (fpr <= high[:, None]))


def describe_bumps(bumps: FloatArray) -> str:
    """Say where bumps are: those that share an end are one."""
    lows, highs = bumps.T.tolist()
    ends = zip(sorted({*lows} - {*highs}), sorted({*highs} - {*lows}), strict=True)
    return " and ".join(f"between fpr {low:.2g} and {high:.2g}" for low, high in ends)

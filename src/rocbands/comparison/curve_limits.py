"""Limits for the height of one true curve at given fpr: a likelihood region with middles.

The region of the likelihood band, with one change: each vertical piece of the empirical curve is
represented by its middle, (E25) of docs/likelihood.md. With the tops of the pieces the largest
height over all thresholds follows the noise of single steps. A slope enters nowhere, so that the
limits also follow a curve that bends within the sampling error of its thresholds.
"""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.edges import edge_heights
from rocbands.likelihood.margin import margins_of
from rocbands.likelihood.nearest import farthest_fpr

MANY_STEPS = 1 << 14  # of curves with more steps only the parts near the grid are used


def limit_heights(
    roc: RocCurve, fpr: FloatArray, critical_value: float
) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest TPR at each fpr within `critical_value` standard errors of the curve."""
    bound = max(critical_value, 0.0) ** 2 / 2.0  # of the log-likelihood ratio
    if roc.fp.size > MANY_STEPS:
        counts = _take_near(roc, fpr, bound)
    else:
        counts = np.append(0, roc.fp), np.append(0, roc.tp)
    curves = Curves.from_middles(*counts)
    row = np.repeat([0, 1], fpr.size)  # above the curve, and above its half turn
    found = edge_heights(curves, row, np.concatenate((fpr, 1.0 - fpr)), bound)
    return 1.0 - found[fpr.size :], found[: fpr.size]


def _take_near(roc: RocCurve, fpr: FloatArray, bound: float) -> tuple[CountArray, CountArray]:
    """Return counts along the curve, from (0, 0), without steps that are too far from the grid."""
    fp, tp, margins = roc.fp, roc.tp, margins_of(roc.n_pos, roc.n_neg, None)
    low, high = 1.0 - farthest_fpr(margins, 1.0 - fpr, bound), farthest_fpr(margins, fpr, bound)
    ends = (np.floor(low * margins.neg.size), np.ceil(high * margins.neg.size))
    below, above = (end.astype(fp.dtype) for end in ends)
    # Whole vertical pieces, to the left one more than needed, see below.
    first = np.maximum(fp.searchsorted(below, "right") - 1, 0)
    for _ in range(2):
        first = fp.searchsorted(fp[np.maximum(first - 1, 0)], "left")
    stop = fp.searchsorted(fp[np.minimum(fp.searchsorted(above), fp.size - 1)], "right")
    begins = np.flatnonzero(first > np.append(-1, np.maximum.accumulate(stop)[:-1]))
    parts = [*zip(first[begins], np.maximum.reduceat(stop, begins), strict=True)]
    pieces, done = [np.zeros((2, 1), fp.dtype)], 0
    for start, end in (*parts, (fp.size - 1, fp.size)):
        if start > done:
            # Over what is left out the curve goes right, then up: no tied step, and only the
            # vertical piece at which a part starts has a wrong middle.
            pieces.append(np.array([[fp[start]], [tp[done - 1] if done else 0]]))
        part = slice(max(start, done), end)
        pieces.append(np.array([fp[part], tp[part]]))
        done = end
    counts: CountArray = np.concatenate(pieces, axis=1)
    return counts[0], counts[1]

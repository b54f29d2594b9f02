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
from rocbands.design.effective_sizes import EffectiveSizes
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.edges import edge_heights
from rocbands.likelihood.margin import margins_of
from rocbands.likelihood.nearest import farthest_fpr
from rocbands.likelihood.weighted import Side

MANY_STEPS = 1 << 14  # of curves with more steps only the parts near the grid are used


def limit_heights(
    roc: RocCurve, fpr: FloatArray, critical_value: float, sides: tuple[Side, Side] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest TPR at each fpr within `critical_value` standard errors of the curve.

    `sides`: the curve with effective counts, if counts do not suffice.
    """
    bound = max(critical_value, 0.0) ** 2 / 2.0  # of the log-likelihood ratio
    if sides is not None:
        above, below = sides
        return 1.0 - below.heights(1.0 - fpr, bound), above.heights(fpr, bound)
    if roc.fp.size > MANY_STEPS:
        counts = _take_near(roc, fpr, bound)
    else:
        counts = np.append(0, roc.fp), np.append(0, roc.tp)
    curves = Curves.from_middles(*counts)
    row = np.repeat([0, 1], fpr.size)  # above the curve, and above its half turn
    found = edge_heights(curves, row, np.concatenate((fpr, 1.0 - fpr)), bound)
    return 1.0 - found[fpr.size :], found[: fpr.size]


def take_middles(sizes: EffectiveSizes) -> tuple[Side, Side]:
    """Represent each vertical piece by the mean of its ends; the curve and its half turn."""
    first = np.flatnonzero(np.diff(sizes.neg.rate, prepend=-1.0))
    last = np.append(first[1:], sizes.neg.rate.size) - 1

    def middle(values: FloatArray) -> FloatArray:
        return np.asarray((values[first] + values[last]) / 2.0)

    neg, pos = (
        one._replace(
            rate=middle(one.rate), k=middle(one.k), size=middle(one.size), odds=middle(one.odds)
        )
        for one in (sizes.neg, sizes.pos)
    )
    rho = middle(sizes.correlation)
    return Side.from_sizes(neg, pos, rho), Side.from_sizes(
        neg.from_lowest, pos.from_lowest, rho[::-1]
    )


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

"""Intervals for part of the area from counts in bins, which hold those of every order inside."""

from __future__ import annotations

import math

import numpy as np

from rocbands._math.binomial import wilson_limits
from rocbands.auc.parts import (
    TELLING,
    Found,
    Part,
    area_of,
    class_variances,
    mean_variance,
    trusted,
)
from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve

__all__ = ["by_binned_placements"]


def by_binned_placements(roc: RocCurve, part: Part, level: float) -> Found:
    """Wilson's limits at the ends of what the area can be, with the fewest cases it can be worth.

    Wilson's limits rise with the share, and part from it as cases get fewer; cases get fewer as the
    variance grows and as the share nears 0 or 1.
    """
    least, area, most = (area_of(curve, part) for curve in _low_own_high(roc))
    shares = min(least, area) / part.width, max(most, area) / part.width
    variance = _variances(roc, part)
    spread = min(share * (1.0 - share) for share in shares)
    seen = 0.0
    if variance[1] > 0.0:  # else nothing varies, whatever the order
        seen = variance[1] / part.width**2 / spread if spread > 0.0 else math.inf
    certain = variance[0] <= 0.0
    telling = 4.0 * spread * min(roc.n_pos, roc.n_neg * part.width) / TELLING
    worth = max(trusted(seen, 0.0 if certain else telling, roc, part), 1e-9)
    low = wilson_limits(shares[0], worth, level)[0]
    high = wilson_limits(shares[1], worth, level)[1]
    alone = min(roc.n_pos, roc.n_neg) == 1
    note = f"Counts in bins: the area is known to +-{max(most - area, area - least):.2g}."
    return Found(
        area,
        float(low) * part.width,
        float(high) * part.width,
        None if alone else variance[1] ** 0.5,
        (note,),
    )


def _low_own_high(roc: RocCurve) -> tuple[RocCurve, RocCurve, RocCurve]:
    return roc.extremes[0], roc, roc.extremes[1]


def _variances(roc: RocCurve, part: Part) -> tuple[float, float]:
    """Least and largest variance of the area: standard deviations are norms of placements."""
    own = class_variances(roc, part)
    off = _errors(roc, part)
    least = [max(math.sqrt(each) - by, 0.0) ** 2 for each, by in zip(own, off, strict=True)]
    most = [(math.sqrt(each) + by) ** 2 for each, by in zip(own, off, strict=True)]
    return mean_variance((least[0], least[1]), roc), mean_variance((most[0], most[1]), roc)


def _errors(roc: RocCurve, part: Part) -> tuple[float, float]:
    """Root mean squares of what positives and negatives of each bin can add more or less.

    A positive adds what the range has to the right of it, and stands somewhere in its bin. What a
    negative adds lies between the heights of its bin's ends, or of the ends of the range, which the
    extreme curves bound.
    """
    x, y = roc.fpr, roc.tpr
    low, high = (extreme.curve for extreme in roc.extremes)
    floor, ceiling = low.low(list(part)), high.high(list(part))
    pos = np.diff(np.clip(x, *part))
    neg = np.clip(y[1:], *ceiling) - np.clip(y[:-1], *floor)
    return _mean_square(np.diff(y), pos), _mean_square(np.diff(x), neg)


def _mean_square(weight: FloatArray, values: FloatArray) -> float:
    return math.sqrt(float(np.dot(weight, values**2)))

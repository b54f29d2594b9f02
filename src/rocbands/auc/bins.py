"""Bounds on the AUC and its variance when the scores are binned.

The error of a placement is at most half a bin, which bounds the AUC. It also bounds the standard
deviation of the placements. That is a norm, so by the triangle inequality it changes by at most
the root mean square of the half bins. Methods evaluate their limits at the ends of these ranges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.auc.method import Pivot, Tails, Wald
from rocbands.core.delong import Moments, compute_area_moments
from rocbands.core.roc import RocCurve


class Range(NamedTuple):
    """Least and largest possible value."""

    low: float
    high: float

    def clip(self, low: float, high: float) -> Range:
        """Move both ends into [low, high]."""
        return Range(min(max(self.low, low), high), min(max(self.high, low), high))


@dataclass(frozen=True)
class WidestPivot(Pivot):
    """The widest limits and the largest p-values of several pivots, one of which is valid."""

    pivots: tuple[Pivot, ...]

    def limits(self, tail: float) -> tuple[float, float]:
        ends = [pivot.limits(tail) for pivot in self.pivots]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def tails(self, null: float) -> Tails:
        """Take the largest of their p-values on each side."""
        ends = [pivot.tails(null) for pivot in self.pivots]
        return Tails(max(less for less, _ in ends), max(greater for _, greater in ends))


def bound_auc(roc: RocCurve) -> Range:
    """Bound the AUC."""
    return Range(roc.auc - roc.certificate, roc.auc + roc.certificate).clip(0.0, 1.0)


def bound_spread(auc: Range) -> Range:
    """Bound auc (1 - auc), which is largest at one half."""
    ends = [a * (1.0 - a) for a in auc]
    return Range(min(ends), 0.25 if auc.low < 0.5 < auc.high else max(ends))


def bound_moments(roc: RocCurve) -> tuple[Moments, Moments]:
    """Bound the moments of the placements: the smallest and the largest ones."""
    found, auc = compute_area_moments(roc), bound_auc(roc)
    neg, pos = (np.diff(side, prepend=0).astype(np.float64) for side in (roc.fp, roc.tp))
    off_pos = math.sqrt(float(np.dot(pos, (neg / (2.0 * roc.n_neg)) ** 2)) / roc.n_pos)
    off_neg = math.sqrt(float(np.dot(neg, (pos / (2.0 * roc.n_pos)) ** 2)) / roc.n_neg)
    spread = bound_spread(auc)
    # Pairs in one bin are wins, losses or ties; ties score 1/4 instead of 1/2 when squared, and
    # twice the certificate is the share of such pairs.
    least = max(spread.low - roc.certificate / 2.0, 0.0)
    roots = (math.sqrt(found.pos), off_pos), (math.sqrt(found.neg), off_neg)
    low, high = ([max(root + sign * off, 0.0) ** 2 for root, off in roots] for sign in (-1.0, 1.0))
    return (
        Moments(auc.low, low[0], low[1], least),
        Moments(auc.high, high[0], high[1], spread.high),
    )


def bound_wald(roc: RocCurve, variance: Range) -> WidestPivot:
    """Build Wald's pivot for every AUC that is possible and variances in a range."""
    errors = [math.sqrt(end) for end in variance]
    pivots = tuple(Wald(auc, error) for auc in bound_auc(roc) for error in errors)
    return WidestPivot(roc.auc, errors[1], pivots)

"""Rows that belong together: what each group adds to the AUC, and the variance that follows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.placements import step_placements
from rocbands.core.roc import Groups, RocCurve

__all__ = ["GroupSums", "clustered", "group_sums"]


class GroupSums(NamedTuple):
    """Sums over each group of placements less their mean, and how many cases they are sums of.

    Attributes
    ----------
    pos, neg : ndarray of shape (g,)
        Sums over the group's positives and over its negatives.
    n_pos, n_neg : ndarray of int, shape (g,)
        Number of the group's positives and negatives.
    """

    pos: FloatArray
    neg: FloatArray
    n_pos: CountArray
    n_neg: CountArray

    @property
    def holding(self) -> tuple[int, int]:
        """Number of groups that hold a positive, and of those that hold a negative."""
        return int(np.count_nonzero(self.n_pos)), int(np.count_nonzero(self.n_neg))


def group_sums(roc: RocCurve, groups: Groups) -> GroupSums:
    """Sum placements, less the AUC, over the positives and the negatives of each group."""
    below, above = (side - roc.auc for side in step_placements(roc))
    pos, n_pos = _sums(groups, groups.is_positive, below)
    neg, n_neg = _sums(groups, ~groups.is_positive, above)
    return GroupSums(pos, neg, n_pos, n_neg)


def _sums(groups: Groups, rows: BoolArray, by_step: FloatArray) -> tuple[FloatArray, CountArray]:
    code = groups.code[rows]
    total = np.bincount(code, weights=by_step[groups.step[rows]], minlength=groups.size)
    return total.astype(np.float64), np.bincount(code, minlength=groups.size).astype(np.int64)


def clustered(one: GroupSums, other: GroupSums | None = None) -> float:
    """Variance of an AUC of clustered rows, or covariance of two (Obuchowski, 1997).

    Groups may hold cases of both classes; cases of one group may depend on each other in any way.
    With groups of one row this is DeLong's variance.

    Parameters
    ----------
    one : GroupSums
        At least two groups must hold a positive, and two a negative.
    other : GroupSums, optional
        Of another model on the same rows, for the covariance.
    """
    two = one if other is None else other
    n_pos, n_neg = int(one.n_pos.sum()), int(one.n_neg.sum())
    of_pos, of_neg, of_all = (size / (size - 1.0) for size in (*one.holding, one.n_pos.size))
    within = of_pos * np.dot(one.pos, two.pos) / n_pos**2
    within += of_neg * np.dot(one.neg, two.neg) / n_neg**2
    across = of_all * (np.dot(one.pos, two.neg) + np.dot(one.neg, two.pos)) / (n_pos * n_neg)
    return float(within + across)

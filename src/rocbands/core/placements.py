"""Where each case stands among the cases of the other class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.roc import RocCurve, sort_with_ties

__all__ = ["Moments", "Placements", "moments", "placements", "step_placements"]


class Placements(NamedTuple):
    """Placement of every case, ties counted one half; each class in the order of its rows.

    Attributes
    ----------
    pos : ndarray of shape (n_pos,)
        Share of the negatives below each positive.
    neg : ndarray of shape (n_neg,)
        Share of the positives above each negative.
    """

    pos: FloatArray
    neg: FloatArray

    @property
    def auc(self) -> float:
        """Area under the curve: the mean placement."""
        return float(self.pos.mean())


class Moments(NamedTuple):
    """What intervals for the AUC need to know.

    Attributes
    ----------
    auc : float
        Area under the curve.
    pos, neg : float
        Variances of the placements of each class, divided by the class size.
    pairs : float
        Variance of the score of a single pair: 1 for a win, one half for a tie, else 0.
    """

    auc: float
    pos: float
    neg: float
    pairs: float


def placements(is_positive: BoolArray, values: npt.NDArray[Any]) -> Placements:
    """Place every row of a test set among the rows of the other class: one sort.

    Parameters
    ----------
    is_positive : ndarray of bool, shape (n,)
        The class of each row.
    values : ndarray of shape (n,)
        The scores.
    """
    order, step, first = sort_with_ties(values)
    positive = is_positive[order]
    pos_here = np.add.reduceat(positive, first, dtype=np.int64)
    size = np.diff(np.concatenate((first, [values.size])))
    neg_here = size - pos_here
    n_pos, n_neg = int(pos_here.sum()), int(neg_here.sum())
    below = (np.cumsum(neg_here) - neg_here / 2.0) / n_neg
    above = (n_pos - np.cumsum(pos_here) + pos_here / 2.0) / n_pos
    place = np.empty(values.size)
    place[order] = np.where(positive, below[step], above[step])
    return Placements(place[is_positive], place[~is_positive])


def step_placements(roc: RocCurve) -> tuple[FloatArray, FloatArray]:
    """Placements by step of the curve: of a positive there, and of a negative there."""
    below = (roc.n_neg - roc.fp + np.diff(roc.fp, prepend=0) / 2.0) / roc.n_neg
    above = (roc.tp - np.diff(roc.tp, prepend=0) / 2.0) / roc.n_pos
    return below, above


def moments(roc: RocCurve) -> Moments:
    """Moments of the placements, from counts alone."""
    neg, pos = (np.diff(side, prepend=0).astype(np.float64) for side in (roc.fp, roc.tp))
    below, above = step_placements(roc)
    ties = float(np.dot(pos, neg)) / roc.n_pos / roc.n_neg
    auc = roc.auc
    # A pair scores its square except for ties, which score 1/4 instead of 1/2.
    return Moments(
        auc,
        float(np.dot(pos, (below - auc) ** 2)) / roc.n_pos,
        float(np.dot(neg, (above - auc) ** 2)) / roc.n_neg,
        max(auc - ties / 4.0 - auc**2, 0.0),
    )

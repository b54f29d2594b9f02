"""Choosing thresholds on a curve: the best ones, and those that keep within a limit."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rocbands.core.checks import FloatArray, IndexArray, check_number
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError

__all__ = ["Best", "Weights", "best_steps", "lowest_within"]

Best: TypeAlias = Literal["youden", "corner", "cost"]

_SAME = 2e-15  # rates are quotients of whole numbers: what differs less is the same


class Weights(NamedTuple):
    """What errors weigh.

    Attributes
    ----------
    c_fn, c_fp : float
        Costs of a false negative and of a false positive.
    prevalence : float or None
        Share of positives where the threshold will be used; None for that of the data.
    """

    c_fn: float
    c_fp: float
    prevalence: float | None

    @classmethod
    def of(cls, c_fn: Any, c_fp: Any, prevalence: Any, kind: str, best: str | None) -> Weights:
        """Check weights; refuse those that nothing depends on."""
        costs = check_number(c_fn, "c_fn", above=0.0), check_number(c_fp, "c_fp", above=0.0)
        if kind != "best" and (costs != (1.0, 1.0) or prevalence is not None):
            raise InputError(
                f"`c_fn`, `c_fp` and `prevalence` weigh errors for `best`; `{kind}` was given. "
                "Leave them out, or pass best='cost'."
            )
        if prevalence is None:
            return cls(*costs, None if best == "cost" else 0.5)
        return cls(*costs, check_number(prevalence, "prevalence", above=0.0, below=1.0))

    def ratio(self, roc: RocCurve) -> float:
        """Weight of the false positive rate, that of the true positive rate being 1."""
        share = self.prevalence
        if share is None:
            share = roc.n_pos / (roc.n_pos + roc.n_neg)
        return self.c_fp * (1.0 - share) / (self.c_fn * share)


def best_steps(roc: RocCurve, best: Best, weights: Weights) -> IndexArray:
    """Return all steps that are best, from the highest threshold down; step 0 calls none positive.

    Examples
    --------
    >>> roc = RocCurve.from_counts([4, 3, 2, 1], fp=[0, 1, 1, 2], tp=[1, 1, 2, 2])
    >>> best_steps(roc, "youden", Weights(1.0, 1.0, 0.5))
    array([1, 3])
    """
    ratio = weights.ratio(roc)
    if best == "corner":
        loss = (1.0 - roc.tpr) ** 2 + ratio * roc.fpr**2
    else:
        loss = ratio * roc.fpr - roc.tpr
    if np.isposinf(roc.thresholds[0]):
        loss[0] = np.inf  # no threshold lies above an infinite score
    return np.flatnonzero(loss <= loss.min() + _SAME * (1.0 + ratio))


def lowest_within(reached: FloatArray, limit: FloatArray) -> IndexArray:
    """Last place of ascending `reached` that does not exceed each limit.

    Examples
    --------
    >>> import numpy as np
    >>> lowest_within(np.array([0.0, 0.25, 0.25, 0.5]), np.array([0.25, 0.4, 0.1]))
    array([2, 2, 0])
    """
    return np.asarray(np.searchsorted(reached, limit + 1e-12, side="right") - 1, dtype=np.intp)

"""Confidence limits from an estimate and its spread, for one test set or for many at once."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.special import expit, logit

from rocbands.core.checks import FloatArray

__all__ = ["logit_limits", "newcombe_limits", "newcombe_variance", "wald_limits"]

Values: TypeAlias = float | FloatArray
Limits: TypeAlias = tuple[FloatArray, FloatArray]

_HALVINGS = 60  # of the unit interval: beyond the precision of a float


def wald_limits(estimate: Values, error: Values, z: float) -> Limits:
    """Estimate plus and minus z standard errors, not clipped."""
    centre, half = np.asarray(estimate, dtype=np.float64), z * np.asarray(error)
    return centre - half, centre + half


def logit_limits(estimate: Values, error: Values, z: float) -> Limits:
    """Limits that are symmetric on the log-odds scale; the estimate must not be 0 or 1.

    Examples
    --------
    >>> low, high = logit_limits(0.8, 0.05, 1.96)
    >>> print(low.round(4), high.round(4))
    0.6843 0.8807
    """
    share = np.asarray(estimate, dtype=np.float64)
    low, high = wald_limits(logit(share), np.asarray(error) / (share * (1.0 - share)), z)
    return np.asarray(expit(low)), np.asarray(expit(high))


def newcombe_variance(auc: Values, n_pos: Values, n_neg: Values) -> FloatArray:
    """Hanley and McNeil's variance with both class sizes taken for their mean.

    Newcombe (2006), method 5: so that the interval does not depend on which class is which.
    """
    area, extra = np.asarray(auc, dtype=np.float64), (np.asarray(n_pos) + n_neg) / 2.0 - 1.0
    shared = (1.0 - area) / (2.0 - area) + area / (1.0 + area)
    variance: FloatArray = area * (1.0 - area) * (1.0 + extra * shared) / (n_pos * n_neg)
    return variance


def newcombe_limits(estimate: Values, n_pos: Values, n_neg: Values, z: float) -> Limits:
    """Values of the AUC from which the estimate is z standard errors away, as they would be there.

    Newcombe's variance is 0 at 0 and 1 only, so that the limits part even where the estimate is
    one of these. The distance in standard errors falls as the AUC rises, and each limit is found
    by halving.

    Examples
    --------
    >>> low, high = newcombe_limits(1.0, 10, 10, 1.96)
    >>> print(low.round(4), high)
    0.8002 1.0
    """
    shape = np.broadcast_shapes(*(np.shape(part) for part in (estimate, n_pos, n_neg)))
    reach = np.reshape([z, -z], (2, *(1 for _ in shape)))
    low, high = np.zeros((2, *shape)), np.ones((2, *shape))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        error = np.sqrt(newcombe_variance(middle, n_pos, n_neg))
        below = estimate - middle > reach * error
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    ends: FloatArray = (low + high) / 2.0
    return ends[0], ends[1]

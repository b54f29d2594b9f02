"""Variances of the area under the curve."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from rocbands.core.checks import FloatArray
from rocbands.core.placements import Moments

__all__ = ["delong", "hanley_mcneil", "ideal_bootstrap"]


def delong(moments: Moments, n_pos: int, n_neg: int) -> float:
    """DeLong, DeLong and Clarke-Pearson (1988); each class needs two cases.

    Examples
    --------
    >>> delong(Moments(0.75, 0.0625, 0.0625, 0.1875), n_pos=2, n_neg=2)
    0.125
    """
    return moments.pos / (n_pos - 1) + moments.neg / (n_neg - 1)


def hanley_mcneil(
    auc: float | FloatArray, n_pos: int | FloatArray, n_neg: int | FloatArray
) -> FloatArray:
    """Hanley and McNeil (1982): of the AUC and the class sizes alone, for exponential scores.

    Examples
    --------
    >>> print(hanley_mcneil(0.5, 1, 1))
    0.25
    """
    area = np.asarray(auc, dtype=np.float64)
    pos = (np.asarray(n_pos) - 1) * (area / (2.0 - area) - area**2)
    neg = (np.asarray(n_neg) - 1) * (2.0 * area**2 / (1.0 + area) - area**2)
    variance: FloatArray = np.maximum(area * (1.0 - area) + pos + neg, 0.0) / n_pos / n_neg
    return variance


def ideal_bootstrap(moments: Moments, n_pos: int, n_neg: int, *, stratified: bool = True) -> float:
    """Variance of the AUC over all resamples, as endless resampling would find it.

    Parameters
    ----------
    moments : Moments
        Of the observed test set.
    n_pos, n_neg : int
        Class sizes.
    stratified : bool
        Resamples keep the class sizes; otherwise rows are drawn from both classes together, and
        drawn again when they miss a class.
    """
    if stratified:
        return float(_given_sizes(moments, np.float64(n_pos), np.float64(n_neg)))
    total = n_pos + n_neg
    pos = np.arange(1.0, total)
    log_share = (
        gammaln(total + 1.0)
        - gammaln(pos + 1.0)
        - gammaln(total - pos + 1.0)
        + pos * np.log(n_pos / total)
        + (total - pos) * np.log(n_neg / total)
    )
    share = np.exp(log_share)
    return float(np.dot(share, _given_sizes(moments, pos, total - pos)) / share.sum())


def _given_sizes(
    moments: Moments, n_pos: np.float64 | FloatArray, n_neg: np.float64 | FloatArray
) -> np.float64 | FloatArray:
    within = (n_neg - 1.0) * moments.pos + (n_pos - 1.0) * moments.neg
    return (within + moments.pairs) / (n_pos * n_neg)

"""Variance of the area under the curve over all resamples."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from rocbands.core.checks import FloatArray
from rocbands.core.delong import Moments

__all__ = ["ideal_bootstrap"]


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

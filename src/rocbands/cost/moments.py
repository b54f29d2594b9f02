"""Mean, variance and skewness of the cost over all resamples, and when a normal law is like it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.counts import Errors

__all__ = ["Moments", "full_moments", "moments", "reliability", "stratified_moments"]

_FEW = 5  # errors, or right decisions, of which a normal law knows too little
_SKEWED, _TOO_SKEWED = 0.2, 0.4


class Moments(NamedTuple):
    """Mean, variance and skewness at each condition; the skewness of a point is 0."""

    mean: FloatArray
    variance: FloatArray
    skewness: FloatArray


def moments(errors: Errors, at: Conditions, sampling: Sampling) -> Moments:
    """Moments of the cost over all resamples, without drawing any."""
    return (stratified_moments if sampling == "stratified" else full_moments)(errors, at)


def stratified_moments(errors: Errors, at: Conditions) -> Moments:
    """Moments over resamples that keep the class sizes: two binomial counts.

    Dugas and Gadoury (2009) print the variance, their equation 5, without dividing by the sizes.
    """
    variance = third = np.zeros(at.w.shape)
    sides = ((at.c_fn, errors.fn, errors.n_pos), (at.c_fp, errors.fp, errors.n_neg))
    for unit, count, size in sides:
        rate = count / size
        spread = size * rate * (1.0 - rate)
        variance = variance + unit**2 * spread
        third = third + unit**3 * spread * (1.0 - 2.0 * rate)
    return _standardised(at.c_fn * errors.fn + at.c_fp * errors.fp, variance, third)


def full_moments(errors: Errors, at: Conditions) -> Moments:
    """Moments over resamples of all rows together: a trinomial count of losses."""
    size = errors.n_pos + errors.n_neg
    fn, fp = errors.fn.astype(np.float64), errors.fp.astype(np.float64)
    right = size - fn - fp
    mean = at.c_fn * fn + at.c_fp * fp
    # Sums over pairs of outcomes: what does not vary gives 0, not a difference of equal numbers.
    pairs = fn * fp * (at.c_fn - at.c_fp) ** 2 + right * (fn * at.c_fn**2 + fp * at.c_fp**2)
    variance = pairs / size
    losses = ((fn, at.c_fn), (fp, at.c_fp), (right, np.zeros(mean.shape)))
    third = sum((count * (loss - mean / size) ** 3 for count, loss in losses), np.zeros(mean.shape))
    return _standardised(mean, variance, third)


def _standardised(mean: FloatArray, variance: FloatArray, third: FloatArray) -> Moments:
    skewness = np.zeros(mean.shape)
    np.divide(third, variance**1.5, out=skewness, where=variance**1.5 > 0)
    return Moments(mean, variance, skewness)


def reliability(errors: Errors, at: Conditions, sampling: Sampling) -> npt.NDArray[np.str_]:
    """Say whether mean and variance tell enough: 'ok', 'caution' or 'unreliable' at each w.

    A skewed law is not normal, and a skewness that was estimated from no error at all is none: so
    counts are asked, too, wherever they matter.
    """
    counts_fn, counts_fp = at.c_fn > 0, at.c_fp > 0
    if sampling == "stratified":
        least_fn = np.minimum(errors.fn, errors.n_pos - errors.fn)
        least_fp = np.minimum(errors.fp, errors.n_neg - errors.fp)
        few = (counts_fn & (least_fn < _FEW)) | (counts_fp & (least_fp < _FEW))
    else:
        free = errors.n_pos + errors.n_neg - counts_fn * errors.fn - counts_fp * errors.fp
        few = (counts_fn & (errors.fn < _FEW)) | (counts_fp & (errors.fp < _FEW)) | (free < _FEW)
    skewness = np.abs(moments(errors, at, sampling).skewness)
    return np.where(
        few | (skewness > _TOO_SKEWED),
        "unreliable",
        np.where(skewness < _SKEWED, "ok", "caution"),
    )

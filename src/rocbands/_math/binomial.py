"""Confidence limits for a binomial probability."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import betaincc, betaincinv, ndtri

from rocbands.core.checks import FloatArray


def wilson_limits(
    share: npt.ArrayLike, size: npt.ArrayLike, level: float
) -> tuple[FloatArray, FloatArray]:
    """Wilson's score limits; the number of cases need not be whole.

    Examples
    --------
    >>> low, high = wilson_limits(81 / 263, 263, level=0.95)
    >>> print(low.round(4), high.round(4))
    0.2553 0.3662
    """
    e, n = np.asarray(share, np.float64), np.asarray(size, np.float64)
    spread = ndtri((1.0 + level) / 2.0) ** 2 / n
    centre, half = e + spread / 2.0, np.sqrt(spread * (e * (1.0 - e) + spread / 4.0))
    # At 0 and 1 the limit is exact; the difference of roots would have a rounding error.
    low = np.where(e <= 0.0, 0.0, np.clip((centre - half) / (1.0 + spread), 0.0, e))
    high = np.where(e >= 1.0, 1.0, np.clip((centre + half) / (1.0 + spread), e, 1.0))
    return low, high


def clopper_pearson_limits(
    count: npt.ArrayLike, size: npt.ArrayLike, level: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's exact limits; the coverage is at least the level.

    Counts need not be whole.

    Examples
    --------
    >>> low, high = clopper_pearson_limits(0, 10, level=0.95)
    >>> print(low.round(4), high.round(4))
    0.0 0.3085
    """
    k, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(size, np.float64))
    tail = (1.0 - np.asarray(level)) / 2.0
    low = np.where(k > 0, betaincinv(np.where(k > 0, k, 1.0), n - k + 1.0, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1.0, np.where(k < n, n - k, 1.0), 1.0 - tail), 1.0)
    return low, high


_HALVINGS = 60  # from a width of 1 to below the last digit


def mid_p_limits(
    count: npt.ArrayLike, size: npt.ArrayLike, level: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Mid-P limits: Clopper and Pearson's with half the probability of the observed count.

    Counts need not be whole.

    Their tails stay close to the nominal ones at high levels, as simultaneous limits have; Wilson's
    lower limit of a count of 1 is exceeded far too often there.

    Examples
    --------
    >>> low, high = mid_p_limits([0, 2], 10, level=0.95)
    >>> print(low.round(4), high.round(4))
    [0.    0.035] [0.2589 0.5195]
    """
    k, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(size, np.float64))
    tail = (1.0 - np.asarray(level)) / 2.0
    low = np.where(k > 0, np.minimum(_find_mid_p(k, n, 1.0 - tail), k / n), 0.0)
    high = np.where(k < n, np.maximum(_find_mid_p(k, n, tail), k / n), 1.0)
    return low, high


def _find_mid_p(k: FloatArray, n: FloatArray, below: FloatArray) -> FloatArray:
    """Find the probability at which P(count < k) + P(count = k) / 2 is `below`."""
    low, high = np.zeros(k.shape), np.ones(k.shape)
    some, rest = np.where(k > 0, k, 1.0), np.where(k < n, n - k, 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        fewer = np.where(k > 0, betaincc(some, n - k + 1.0, middle), 0.0)
        most = np.where(k < n, betaincc(k + 1.0, rest, middle), 1.0)
        rises = (fewer + most) / 2.0 > below  # this falls with the probability
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return (low + high) / 2.0

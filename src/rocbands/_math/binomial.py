"""Confidence limits for a binomial probability."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri

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
    count: npt.ArrayLike, size: npt.ArrayLike, level: float
) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's exact limits; the coverage is at least the level.

    Examples
    --------
    >>> low, high = clopper_pearson_limits(0, 10, level=0.95)
    >>> print(low.round(4), high.round(4))
    0.0 0.3085
    """
    k, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(size, np.float64))
    tail = (1.0 - level) / 2.0
    low = np.where(k > 0, betaincinv(np.maximum(k, 1.0), n - k + 1.0, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1.0, np.maximum(n - k, 1.0), 1.0 - tail), 1.0)
    return low, high

"""Quantiles of resampled values."""

from __future__ import annotations

import math

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.errors import InputError, arg

__all__ = [
    "check_enough_resamples",
    "empirical_interval",
    "find_percentile_limits",
    "order_statistic",
]

ROUNDING = 1e-9  # of a number of resamples times a probability


def order_statistic(values: FloatArray, level: float) -> float:
    """Smallest value that is not exceeded by at least a share `level` of the values."""
    check_enough_resamples(values.size, level)
    place = math.ceil(level * values.size - ROUNDING)
    return float(np.partition(values, place - 1)[place - 1])


def empirical_interval(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Order statistics of each column that cut off (1 - level) / 2 of its values at both ends.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = empirical_interval(np.arange(1.0, 41.0)[:, None], level=0.9)
    >>> print(low, high)
    [3.] [38.]
    """
    size = values.shape[0]
    cut = math.floor(size * (1.0 - level) / 2.0 + ROUNDING)
    ordered = np.partition(values, (cut, size - 1 - cut), axis=0)
    return ordered[cut], ordered[size - 1 - cut]


def find_percentile_limits(values: FloatArray, level: float, tail: float) -> tuple[float, float]:
    """Order statistics that cut off a share `tail` of the values at each end.

    `level` is the confidence level of the request, for the message where there are too few values.
    One-sided requests have a tail of 1 - level, two-sided ones half of that.

    Examples
    --------
    >>> find_percentile_limits(np.arange(100.0), level=0.9, tail=0.05)
    (5.0, 94.0)
    """
    check_enough_resamples(values.size, level, tail)
    low, high = empirical_interval(values[:, None], 1.0 - 2.0 * tail)
    return float(low[0]), float(high[0])


def check_enough_resamples(n_resamples: int, level: float, tail: float | None = None) -> None:
    """Refuse fewer resamples than one for each side beyond the limits.

    `tail` is the probability of one side, by default 1 - level.
    """
    rare = 1.0 - level if tail is None else tail
    if n_resamples * rare < 1.0 - ROUNDING:
        raise InputError(
            f"{n_resamples} resamples cannot show what happens 1 time in {1.0 / rare:.0f} "
            f"(level {level:g})",
            remedy=f"Take at least {math.ceil(1.0 / rare - 1e-6)} resamples, better ten times as "
            f"many, by {arg('n_resamples')}.",
        )

"""Quantiles of drawn values, and the error for too few draws.

Quantiles are order statistics. The quantile of n draws at level p is the smallest draw that at
least n p draws do not exceed; an interval cuts off as many whole draws at each end as the level
allows. Nothing is interpolated, so that equal draws give exact results.
"""

from __future__ import annotations

import math

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, Message, arg


def sample_quantile(ordered: FloatArray, level: float) -> float:
    """Smallest of the ascending values that at least a fraction `level` of them do not exceed.

    Examples
    --------
    >>> sample_quantile(np.arange(1.0, 11.0), 0.9)
    9.0
    """
    return float(ordered[_rank(ordered.size, level)])


def order_statistic(values: FloatArray, level: float) -> float:
    """As :func:`sample_quantile`, for values in any order; too few draws raise an error."""
    check_enough_draws(values.size, 1.0 - level, level)
    rank = _rank(values.size, level)
    return float(np.partition(values, rank)[rank])


def empirical_interval(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Order statistics of each column that cut off (1 - level) / 2 of its values at both ends.

    If there are too few draws to cut one off, all are kept; :func:`check_enough_draws` raises an
    error in that case.

    Examples
    --------
    >>> low, high = empirical_interval(np.arange(1.0, 41.0)[:, None], level=0.9)
    >>> print(low, high)
    [3.] [38.]
    """
    size = values.shape[0]
    cut = math.floor(size * (1.0 - level) / 2.0 + SLACK)
    ordered = np.partition(values, (cut, size - 1 - cut), axis=0)
    return ordered[cut], ordered[size - 1 - cut]


def quantile_error(values: FloatArray, level: float) -> FloatArray:
    """Monte Carlo standard error of the quantile at `level` of each column of draws."""
    size = values.shape[0]
    # Half the distance between the quantiles at p -/+ sqrt(p (1 - p) / n), the standard error of
    # the fraction of n draws below the quantile.
    off = math.sqrt(level * (1.0 - level) / size)
    low, high = (_rank(size, share) for share in (level - off, level + off))
    ordered = np.partition(values, (low, high), axis=0)
    with np.errstate(invalid="ignore"):
        apart = np.asarray((ordered[high] - ordered[low]) / 2.0, np.float64)
    return np.where(np.isnan(apart), np.inf, apart)  # infinite draws have an infinite error


def interval_error(values: FloatArray, level: float) -> float:
    """Largest Monte Carlo error of the limits of :func:`empirical_interval`."""
    tail = (1.0 - level) / 2.0
    return float(max(quantile_error(values, end).max() for end in (tail, 1.0 - tail)))


def shows_both_tails(n_draws: int, level: float) -> bool:
    """Tell whether an interval cuts off at least one draw at each end."""
    return n_draws * (1.0 - level) / 2.0 >= 1.0 - SLACK


def check_enough_draws(n_draws: int, tail: float, level: float) -> None:
    """Raise an error if less than one draw is expected beyond the quantile.

    `tail`: probability beyond it: 1 - level, or half of that. `level`: as given, for the message.
    """
    if n_draws * tail < 1.0 - SLACK:
        raise InputError(
            f"{n_draws} resamples cannot show what happens 1 time in {1.0 / tail:.0f} "
            f"(level {level:g})",
            "",
            Message(
                "Take at least {} resamples, better ten times as many, by {}.",
                math.ceil(1.0 / tail - 1e-06),
                arg("n_resamples"),
            ),
        )


def _rank(size: int, level: float) -> int:
    return min(max(math.ceil(level * size - SLACK) - 1, 0), size - 1)

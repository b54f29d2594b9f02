"""Intervals for each column of a matrix of rates: order statistics, normal, binomial."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

__all__ = ["binomial_interval", "empirical_interval", "normal_interval"]

Floats: TypeAlias = npt.NDArray[np.float64]

_MANY = 1000  # from here on Student's t is taken for normal


def empirical_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Order statistics of each column that cut off (1 - level) / 2 of its values at both ends.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = empirical_interval(np.arange(1.0, 41.0)[:, None], level=0.9)
    >>> print(low, high)
    [3.] [38.]
    """
    size = values.shape[0]
    cut = int(np.floor(size * (1.0 - level) / 2.0 + 1e-9))
    ordered = np.partition(values, (cut, size - 1 - cut), axis=0)
    return ordered[cut], ordered[size - 1 - cut]


def normal_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Mean plus and minus Student's t times the standard deviation, cut off at 0 and 1.

    The interval is for one more value, not for the mean: there is no division by the root of the
    number of values.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = normal_interval(np.array([[0.4], [0.6]]), level=0.5)
    >>> print(low.round(3), high.round(3))
    [0.359] [0.641]
    """
    size, tail = values.shape[0], (1.0 + level) / 2.0
    reach = ndtri(tail) if size >= _MANY else stdtrit(size - 1, tail)
    return _inside(values.mean(axis=0), reach * values.std(axis=0, ddof=1))


def binomial_interval(mean: Floats, level: float, size: float) -> tuple[Floats, Floats]:
    """Each mean plus and minus z times the standard error of a share of `size` cases.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = binomial_interval(np.array([0.5]), level=0.95, size=100)
    >>> print(low.round(3), high.round(3))
    [0.402] [0.598]
    """
    share = np.clip(mean, 0.0, 1.0)
    return _inside(mean, ndtri((1.0 + level) / 2.0) * np.sqrt(share * (1.0 - share) / size))


def _inside(mean: Floats, half: Floats) -> tuple[Floats, Floats]:
    return np.clip(mean - half, 0.0, 1.0), np.clip(mean + half, 0.0, 1.0)

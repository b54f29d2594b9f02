"""Quantiles of resampled values."""

from __future__ import annotations

import math

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.errors import InputError

__all__ = ["empirical_interval", "order_statistic"]


def order_statistic(values: FloatArray, level: float) -> float:
    """Smallest value that is not exceeded by at least a share `level` of the values."""
    place = math.ceil(level * values.size - 1e-9)
    if values.size * (1.0 - level) < 1.0 - 1e-9:
        raise InputError(
            f"{values.size} resamples cannot show what happens 1 time in {1.0 / (1.0 - level):.0f} "
            f"(level {level:g}). Take at least {math.ceil(1.0 / (1.0 - level) - 1e-6)} resamples, "
            "better ten times as many, by `n_resamples`."
        )
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
    cut = int(np.floor(size * (1.0 - level) / 2.0 + 1e-9))
    ordered = np.partition(values, (cut, size - 1 - cut), axis=0)
    return ordered[cut], ordered[size - 1 - cut]

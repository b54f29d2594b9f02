"""Quantiles of resampled values."""

from __future__ import annotations

import math

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.errors import InputError

__all__ = ["order_statistic"]


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

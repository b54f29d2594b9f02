"""Draws of the largest of several statistics: adjusted p-values and critical values that agree.

A statistic above the critical value of a level has an adjusted p-value below 1 - level, and no
other one has (single-step adjustment: Westfall and Young 1993, Resampling-Based Multiple Testing,
section 2.3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.resample.quantiles import quantile_error


class DrawnMaxima(NamedTuple):
    """The draws, in ascending order."""

    ordered: FloatArray

    @classmethod
    def from_draws(cls, maxima: FloatArray) -> DrawnMaxima:
        """Sort the draws."""
        return cls(np.sort(maxima))

    def find_pvalues(self, values: FloatArray, beyond: FloatArray) -> FloatArray:
        """Share of draws at or above each value, equal up to rounding; `beyond` if there are none.

        Examples
        --------
        >>> drawn = DrawnMaxima.from_draws(np.arange(20.0))
        >>> print(drawn.find_pvalues(np.array([17.0, 30.0]), np.array([0.001, 0.001])))
        [0.15  0.001]
        """
        n = self.ordered.size
        count = n - np.searchsorted(self.ordered, values - SLACK)
        return np.where(count > 0, count / n, np.minimum(beyond, 0.5 / n))

    def find_critical_value(self, level: float) -> float:
        """Value beyond which p-values are below 1 - level.

        Examples
        --------
        >>> print(f"{DrawnMaxima.from_draws(np.arange(20.0)).find_critical_value(0.9):.3f}")
        18.000
        """
        n = self.ordered.size
        rank = min(math.floor(level * n + SLACK), n - 1)
        return float(self.ordered[rank]) + SLACK

    def find_error(self, level: float) -> float:
        """Monte Carlo standard error of the critical value."""
        return float(quantile_error(self.ordered, level))

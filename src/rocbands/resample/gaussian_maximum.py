"""Largest absolute value of a Gaussian vector: the critical value of simultaneous limits (sup-t).

Limits `estimate +- c * standard error` are simultaneous if c is a quantile of max_i |Z_i|, where Z
is normal with the correlation of the estimates (Montiel Olea and Plagborg-Moller 2019, Journal of
Applied Econometrics 34, 1-17). The quantile has no closed form and is simulated.

Adjusted p-values agree with it (:class:`DrawnMaxima`): a statistic above the critical value of a
level has an adjusted p-value below 1 - level, and no other one has (single-step adjustment:
Westfall and Young 1993, Resampling-Based Multiple Testing, section 2.3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands._math.products import find_root, times
from rocbands.core.checks import FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.resample.streams import CHUNK, run_chunks


class CriticalValue(NamedTuple):
    """A quantile of drawn values, and its Monte Carlo standard error."""

    value: float
    error: float

    @classmethod
    def from_draws(cls, values: FloatArray, level: float) -> CriticalValue:
        """Take the quantile at `level`."""
        return cls(order_statistic(values, level), float(quantile_error(values, level)))

    def at_least(self, value: float) -> CriticalValue:
        """Return the larger of the quantile and a value that is not drawn."""
        return self if self.value >= value else CriticalValue(value, 0.0)


def find_gaussian_critical_value(
    correlation: FloatArray,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    mix: FloatArray | None = None,
    chunk: int = CHUNK,
) -> CriticalValue:
    """Quantile of the largest absolute value of a normal vector.

    `level`: probability that the largest absolute value stays below the result. Other arguments as
    for :func:`draw_gaussian_maxima`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> independent = find_gaussian_critical_value(np.eye(5), 0.95, 20_000, rng)
    >>> print(f"{independent.value:.1f}")
    2.6
    """
    maxima = draw_gaussian_maxima(correlation, n_resamples, rng, mix=mix, chunk=chunk)
    return CriticalValue.from_draws(maxima, level)


def draw_gaussian_maxima(
    correlation: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    mix: FloatArray | None = None,
    df: float = math.inf,
    chunk: int = CHUNK,
) -> FloatArray:
    """Draw the largest absolute value of a normal vector, or of a multivariate t.

    `correlation` (k, k): need not have full rank. A variance may be below 1 if a standard error was
    increased. `mix` (k, p): linear combinations, in columns, to be compared in place of the vector.
    `df`: degrees of freedom of the standard errors. `chunk`: number of vectors drawn at once.
    """
    root = find_root(correlation)
    if mix is not None:
        root = times(root, mix)

    def draw_maxima(draws: int, stream: np.random.Generator) -> FloatArray:
        largest = np.asarray(np.abs(draw_normal(root, draws, stream)).max(axis=1))
        if math.isinf(df):
            return largest
        # One standard error for all: multivariate t is Z / sqrt(chi-square / df).
        return largest / np.sqrt(stream.chisquare(df, draws) / df)

    return np.concatenate(run_chunks(draw_maxima, n_resamples, rng, size=chunk))


def draw_normal(root: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw normal vectors, one in each row; `root`: R with R'R their covariance."""
    return times(rng.standard_normal((draws, root.shape[0])), root)


# -------------------------------------------------------------------------------- adjusted p-values


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

"""Ways from an estimate to limits and to p-values; each p-value belongs to its own limits.

A value is rejected at a level where the interval of that level leaves it out; with resampled values
up to the one that stands for the observed set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import logit, ndtr, ndtri

from rocbands.auc.limits import logit_limits, newcombe_limits, newcombe_variance, wald_limits
from rocbands.core.checks import FloatArray
from rocbands.resample.quantiles import order_statistic

__all__ = ["Accelerated", "Logit", "Newcombe", "Percentile", "Pivot", "Tails", "Wald"]


class Tails(NamedTuple):
    """One-sided p-values: for a quantity that is less than some value, and one that is greater."""

    less: float
    greater: float


class Pivot(Protocol):
    """What limits and p-values come from."""

    @property
    def error(self) -> float:
        """Standard error of the estimate."""
        ...

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out a share `tail` at each end."""
        ...

    def tails(self, null: float) -> Tails:
        """P-values of the test that the quantity equals `null`."""
        ...


def _normal_tails(distance: float, error: float) -> Tails:
    if error == 0.0:  # nowhere but at 0 and 1, where the estimate could not have erred
        return Tails(float(distance >= 0.0), float(distance <= 0.0))
    return Tails(float(ndtr(distance / error)), float(ndtr(-distance / error)))


@dataclass(frozen=True)
class Wald:
    """Estimate plus and minus standard errors."""

    estimate: float
    error: float

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits, not clipped."""
        low, high = wald_limits(self.estimate, self.error, -float(ndtri(tail)))
        return float(low), float(high)

    def tails(self, null: float) -> Tails:
        """P-values with the standard error at the estimate."""
        return _normal_tails(self.estimate - null, self.error)


@dataclass(frozen=True)
class Logit:
    """The same on the log-odds scale."""

    estimate: float
    error: float

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits, inside (0, 1)."""
        low, high = logit_limits(self.estimate, self.error, -float(ndtri(tail)))
        return float(low), float(high)

    def tails(self, null: float) -> Tails:
        """P-values on the log-odds scale, with the standard error at the estimate."""
        stretch = self.estimate * (1.0 - self.estimate)
        return _normal_tails(float(logit(self.estimate) - logit(null)), self.error / stretch)


@dataclass(frozen=True)
class Newcombe:
    """Score limits: the standard error is that at the value in question."""

    estimate: float
    n_pos: int
    n_neg: int

    @property
    def error(self) -> float:
        """Standard error at the estimate; 0 where the estimate is 0 or 1."""
        return math.sqrt(newcombe_variance(self.estimate, self.n_pos, self.n_neg))

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits, which part even where the estimate is 0 or 1."""
        low, high = newcombe_limits(self.estimate, self.n_pos, self.n_neg, -float(ndtri(tail)))
        return float(low), float(high)

    def tails(self, null: float) -> Tails:
        """P-values with the standard error at `null`."""
        error = math.sqrt(newcombe_variance(null, self.n_pos, self.n_neg))
        return _normal_tails(self.estimate - null, error)


@dataclass(frozen=True)
class Percentile:
    """Quantiles of resampled values."""

    values: FloatArray

    @property
    def error(self) -> float:
        """Standard deviation of the resampled values."""
        return float(self.values.std(ddof=1))

    def limits(self, tail: float) -> tuple[float, float]:
        """Order statistics."""
        return -order_statistic(-self.values, 1.0 - tail), order_statistic(self.values, 1.0 - tail)

    def tails(self, null: float) -> Tails:
        """Shares of resampled values on either side of `null`, which is counted as one of them."""
        more = self.values.size + 1.0
        beyond = np.count_nonzero(self.values >= null), np.count_nonzero(self.values <= null)
        return Tails(*((1.0 + count) / more for count in beyond))


@dataclass(frozen=True)
class Accelerated:
    """Quantiles of resampled values, corrected for bias and skewness (Efron's BCa, 1987)."""

    estimate: float
    values: FloatArray
    acceleration: float

    @property
    def error(self) -> float:
        """Standard deviation of the resampled values."""
        return float(self.values.std(ddof=1))

    @property
    def bias(self) -> float:
        """Normal score of the share of resampled values below the estimate, ties counted half."""
        return float(ndtri(self._share(self.estimate)))

    def limits(self, tail: float) -> tuple[float, float]:
        """Order statistics at shifted places; the outermost where a place lies beyond it."""
        order_statistic(self.values, 1.0 - tail)  # refuses levels that so few cannot show
        ordered, ends = np.sort(self.values), []
        for z in (float(ndtri(tail)), -float(ndtri(tail))):
            place = float(ndtr(self.bias + self._bend(self.bias + z))) * ordered.size
            # The lower limit is rounded outwards, and so is the upper one.
            rank = math.floor(place + 1e-9) if z < 0 else math.ceil(place - 1e-9) - 1
            ends.append(float(ordered[min(max(rank, 0), ordered.size - 1)]))
        return ends[0], ends[1]

    def tails(self, null: float) -> Tails:
        """P-values of the level whose limit is `null`."""
        bias, at = self.bias, float(ndtri(self._share(null)))
        z = (at - bias) / max(1.0 + self.acceleration * (at - bias), 1e-9) - bias
        return Tails(float(ndtr(-z)), float(ndtr(z)))

    def _bend(self, z: float) -> float:
        return z / max(1.0 - self.acceleration * z, 1e-9)

    def _share(self, value: float) -> float:
        """Share of values below `value`, ties counted half, never quite 0 or 1."""
        below = np.count_nonzero(self.values < value)
        equal = np.count_nonzero(self.values == value)
        least = 1.0 / (self.values.size + 1.0)
        return float(np.clip((below + equal / 2.0) / self.values.size, least, 1.0 - least))

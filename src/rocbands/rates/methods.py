"""Limits from the law of a sample: by a beta of the same moments, or exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, get_args

import numpy as np

from rocbands._math.scaled_beta import scaled_beta_interval
from rocbands.core.checks import FloatArray, check_choice, check_flag
from rocbands.errors import InputError
from rocbands.rates.consensus import Consensus, Law, Limits
from rocbands.rates.results import Scheme
from rocbands.rates.sums import total_interval
from rocbands.rates.table import positions

__all__ = ["Exact", "Parametric", "RateMethod", "check_scheme"]


class RateMethod(Protocol):
    """What every rate-oriented method is: parameters, then a call."""

    name: ClassVar[str]
    idea: ClassVar[str]
    schemes: ClassVar[tuple[Scheme, ...]]
    folds: ClassVar[int]

    def __call__(
        self, consensus: Consensus, *, level: float, prediction: bool = False, rng: Any = None
    ) -> Limits:
        """Return the limits at each rate of the consensus."""


@dataclass(frozen=True)
class Parametric:
    """Quantiles of a beta law with the mean and the variance that the fitted curve gives.

    A count is whole, a beta law is not: without the continuity correction the limits fall short of
    the ends of the range, where at the first and last rates most of the probability sits.

    Parameters
    ----------
    continuity : bool, default True
        Whether every count is widened by one half on both sides.
    law : {'exact', 'nodes'}, default 'exact'
        'nodes' takes moments from 99 quantiles of the rate, as in the paper of Millard, Kull and
        Flach (2014); with ``continuity=False`` that is their method.
    """

    name: ClassVar[str] = "parametric"
    idea: ClassVar[str] = "beta law with the exact moments of a new consensus"
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)
    folds: ClassVar[int] = 1

    continuity: bool = True
    law: Law = "exact"

    def __post_init__(self) -> None:
        check_flag(self.continuity, "continuity")
        check_choice(self.law, get_args(Law), "law")

    def __call__(
        self, consensus: Consensus, *, level: float, prediction: bool = False, rng: Any = None
    ) -> Limits:
        """Return the limits at each rate of the consensus; no chance is in them."""
        return self.at_moments(consensus, self.moments(consensus, prediction), level)

    def moments(self, consensus: Consensus, prediction: bool) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of recall times size: of a consensus, or of its error too."""
        mean, variance = (
            consensus.moments if self.law == "exact" else consensus.moments_by(self.law)
        )
        # The new data vary as much as those that the curve was fitted to.
        return mean, 2.0 * variance if prediction else variance

    def at_moments(
        self, consensus: Consensus, moments: tuple[FloatArray, FloatArray], level: float
    ) -> Limits:
        """Return the limits of a law with these moments, inside what the rates allow."""
        size, (mean, variance) = consensus.size, moments
        half, low, high = self.widened(consensus)
        lower, upper = scaled_beta_interval(mean, variance + half**2 / 3.0, low, high, level)
        return Limits(*inside(consensus, lower / size, upper / size), mean / size)

    def widened(self, consensus: Consensus) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return what counts are widened by on either side, and the range of the widened ones."""
        low, high = consensus.size * consensus.low, consensus.size * consensus.high
        half = np.where(self.continuity & (high - low > 1e-9), 0.5, 0.0)
        return half, low - half, high + half


@dataclass(frozen=True)
class Exact:
    """Quantiles of the exact law of a new consensus: at least `level` under the fitted curve.

    Counts of the folds are independent, so the law of their sum is a product of transforms. At a
    rate between two places of equal folds limits lie on straight lines; where folds have no places
    in common, each takes one of its two neighbours by chance, such that the rate holds on average.
    """

    name: ClassVar[str] = "exact"
    idea: ClassVar[str] = "exact law of a new consensus under the fitted curve"
    schemes: ClassVar[tuple[Scheme, ...]] = ("counts",)
    folds: ClassVar[int] = 1

    def __call__(
        self, consensus: Consensus, *, level: float, prediction: bool = False, rng: Any = None
    ) -> Limits:
        """Return the limits at each rate of the consensus; no chance is in them."""
        check_scheme(self, consensus)
        sizes, rates = consensus.table.sizes, consensus.rates
        place = positions(rates, int(sizes[0]))
        if (sizes == sizes[0]).all() and (place != np.rint(place)).any():
            whole = np.unique(np.concatenate((np.floor(place), np.ceil(place))))
            there = Consensus.by_counts(consensus.table, whole / sizes[0])
            found = self(there, level=level, prediction=prediction)
            lower, upper = (np.interp(place, whole, limit) for limit in found[:2])
            return Limits(*inside(consensus, lower, upper), consensus.moments[0] / consensus.size)
        size, mean = consensus.size, consensus.moments[0]
        lower, upper = total_interval(consensus, level, 2 if prediction else 1)
        if prediction:  # the error of the fit and that of the new data, around one mean
            lower, upper = np.floor(lower - mean + 1e-9), np.ceil(upper - mean - 1e-9)
        return Limits(*inside(consensus, lower / size, upper / size), mean / size)


def inside(
    consensus: Consensus, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Keep limits within what the rate allows."""
    low, high = consensus.low, consensus.high
    return np.clip(lower, low, high), np.clip(upper, low, high)


def check_scheme(method: RateMethod, consensus: Consensus) -> None:
    """Refuse a way of putting folds together that the method has no law for."""
    if consensus.scheme not in method.schemes:
        raise InputError(
            f"method={method.name!r} works on counts that add up over folds; scheme="
            f"{consensus.scheme!r} cuts each fold's curve instead. Use method='parametric' or "
            "'conditional', or scheme='counts'."
        )

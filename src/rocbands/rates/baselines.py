"""Limits from the variation between folds, without assuming a common curve.

The three methods differ only in the quantile, and so share a file: Millard, Kull and Flach
(2014), section 3, with equation 8 for the variance of the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra, Request
from rocbands.rates.consensus import Consensus, Scheme
from rocbands.rates.method import MILLARD, Limits, RateMethod
from rocbands.rates.scaled_beta import scaled_beta_interval

_FEW_FOLDS = 30


@dataclass(frozen=True)
class _Baseline(RateMethod):
    """Mean and variance of the folds' recalls, with quantiles of some distribution."""

    guarantee: ClassVar[str] = "none; the spread between folds is poorly estimated from few of them"
    references: ClassVar[tuple[str, ...]] = (MILLARD,)
    handles: ClassVar[tuple[Extra, ...]] = ("future", "folds")
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)
    least_folds: ClassVar[int] = 2

    def find_notes(self, consensus: Consensus, limits: Limits) -> tuple[str, ...]:
        folds = consensus.n_folds
        spread = f"Limits rest on the spread between {folds} folds, which few estimate poorly."
        few = (spread,) if folds < _FEW_FOLDS else ()
        return (*few, *super().find_notes(consensus, limits))


def _find_variance(consensus: Consensus, request: Request) -> FloatArray:
    # New folds vary as much as the observed ones.
    return (1.0 if request.future is None else 2.0) * consensus.observed_variance


def _find_symmetric(consensus: Consensus, request: Request, quantile: float) -> Limits:
    half = quantile * np.sqrt(_find_variance(consensus, request))
    return Limits(consensus.tpr - half, consensus.tpr + half)


@dataclass(frozen=True)
class BaselineNormal(_Baseline):
    """Mean of the folds' recalls, plus and minus normal quantiles times its standard error."""

    name: ClassVar[str] = "baseline-normal"
    idea: ClassVar[str] = "spread of the folds, normal quantiles"

    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        return _find_symmetric(consensus, request, ndtri(1.0 - request.tail))


@dataclass(frozen=True)
class BaselineT(_Baseline):
    """As `BaselineNormal`, with Student's quantiles: with few folds normal limits are too narrow.

    The method of choice where folds differ by more than sampling explains.
    """

    name: ClassVar[str] = "baseline-t"
    idea: ClassVar[str] = "spread of the folds, Student's quantiles"

    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        quantile = float(stdtrit(consensus.n_folds - 1, 1.0 - request.tail))
        return _find_symmetric(consensus, request, quantile)


@dataclass(frozen=True)
class BaselineBeta(_Baseline):
    """Quantiles of a beta distribution on the feasible range, with the folds' mean and variance.

    Where all folds agree, as they often do at the first rates, the interval is a point.
    """

    name: ClassVar[str] = "baseline-beta"
    idea: ClassVar[str] = "spread of the folds, beta quantiles"

    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        variance = _find_variance(consensus, request)
        return Limits(
            *scaled_beta_interval(
                consensus.tpr, variance, consensus.low, consensus.high, request.level
            )
        )

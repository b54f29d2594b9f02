"""Limits from how the folds differ, whatever the reason: no curve is assumed to be shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands._math.scaled_beta import scaled_beta_interval
from rocbands.core.checks import FloatArray, check_flag
from rocbands.errors import InputError
from rocbands.rates.consensus import Consensus, Limits
from rocbands.rates.methods import inside
from rocbands.rates.results import Scheme

__all__ = ["BaselineBeta", "BaselineNormal", "BaselineT"]


@dataclass(frozen=True)
class BaselineNormal:
    """Mean of the folds' recalls, plus and minus normal quantiles times its standard error.

    Parameters
    ----------
    clip : bool, default True
        Whether limits are cut off at what the rate allows. Without, they may leave [0, 1], as in
        the paper of Millard, Kull and Flach (2014).
    """

    name: ClassVar[str] = "baseline-normal"
    idea: ClassVar[str] = "spread of the folds, normal quantiles"
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)
    folds: ClassVar[int] = 2

    clip: bool = True

    def __post_init__(self) -> None:
        check_flag(self.clip, "clip")

    def __call__(
        self, consensus: Consensus, *, level: float, prediction: bool = False, rng: Any = None
    ) -> Limits:
        """Return the limits at each rate of the consensus."""
        reach = float(ndtri((1.0 + level) / 2.0))
        return _around(consensus, reach, prediction, self.clip)


@dataclass(frozen=True)
class BaselineT:
    """As `BaselineNormal`, with Student's quantiles: with few folds the normal ones are too short.

    The method of choice where folds differ by more than their rows explain.

    Parameters
    ----------
    clip : bool, default True
        Whether limits are cut off at what the rate allows.
    """

    name: ClassVar[str] = "baseline-t"
    idea: ClassVar[str] = "spread of the folds, Student's quantiles"
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)
    folds: ClassVar[int] = 2

    clip: bool = True

    def __post_init__(self) -> None:
        check_flag(self.clip, "clip")

    def __call__(
        self, consensus: Consensus, *, level: float, prediction: bool = False, rng: Any = None
    ) -> Limits:
        """Return the limits at each rate of the consensus."""
        count = _fold_count(consensus)
        reach = float(stdtrit(count - 1, (1.0 + level) / 2.0))
        return _around(consensus, reach, prediction, self.clip)


@dataclass(frozen=True)
class BaselineBeta:
    """Quantiles of a beta law on what the rate allows, with the mean and spread of the folds.

    Where all folds agree, as they often do at the first rates, the limits have no width.
    """

    name: ClassVar[str] = "baseline-beta"
    idea: ClassVar[str] = "spread of the folds, beta quantiles"
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)
    folds: ClassVar[int] = 2

    def __call__(
        self, consensus: Consensus, *, level: float, prediction: bool = False, rng: Any = None
    ) -> Limits:
        """Return the limits at each rate of the consensus."""
        variance = _variance(consensus, prediction)
        return Limits(
            *scaled_beta_interval(consensus.tpr, variance, consensus.low, consensus.high, level)
        )


def _around(consensus: Consensus, reach: float, prediction: bool, clip: bool) -> Limits:
    half = reach * np.sqrt(_variance(consensus, prediction))
    lower, upper = consensus.tpr - half, consensus.tpr + half
    return Limits(*inside(consensus, lower, upper)) if clip else Limits(lower, upper)


def _variance(consensus: Consensus, prediction: bool) -> FloatArray:
    _fold_count(consensus)
    return (2.0 if prediction else 1.0) * consensus.observed_variance


def _fold_count(consensus: Consensus) -> int:
    count = len(consensus.table.folds)
    if count < 2:
        raise InputError(
            "Limits from the spread of folds need at least two folds; there is one. "
            "Pass `folds`, or use method='parametric'."
        )
    return count

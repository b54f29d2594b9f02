"""Aims of studies: an interval or a band of a given width, or a test with a given power."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, TypeAlias

from scipy.special import ndtr, ndtri

from rocbands.auc import auc_interval
from rocbands.bands import roc_band
from rocbands.comparison import compare
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.method import Alternative
from rocbands.core.result import percent
from rocbands.errors import InputError, Message, arg
from rocbands.planning.formulas import (
    compute_obuchowski_variance,
    expect_width,
    find_power_against,
    find_power_of_two,
    find_probit,
    find_score_correlation,
)
from rocbands.planning.simulation import Population

VarianceFormula: TypeAlias = Literal["mann-whitney", "obuchowski"]

_OBUCHOWSKI = "Obuchowski's variance for normal scores, and normal quantiles"
_NORMAL = "for normal scores of equal spread"


@dataclass(frozen=True)
class Aim(ABC):
    """What a study is for: what sizes achieve by a formula, and what a test set achieves."""

    argument: ClassVar[str]  # of `sample_size`
    quantity: ClassVar[Literal["width", "power"]]
    default: ClassVar[str]  # the formula of 'mann-whitney'

    auc: float  # as assumed
    value: float  # the width, or the AUC that is tested against
    level: float
    variance: VarianceFormula = "mann-whitney"

    @property
    def formula(self) -> str:
        """Where the sizes come from."""
        return self.default if self.variance == "mann-whitney" else _OBUCHOWSKI

    @property
    def population(self) -> Population:
        """Scores that are assumed."""
        return Population((self.auc,))

    @property
    def guess(self) -> dict[str, object]:
        """Assumptions."""
        return {"auc": self.auc}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the assumptions."""
        return ()

    @property
    def tail(self) -> float:
        """Probability beyond each limit."""
        return (1.0 - self.level) / 2.0

    @property
    def least(self) -> float:
        """Smallest class size that the formula is for."""
        return 2.0 if self.variance == "mann-whitney" else 1e-3

    @property
    @abstractmethod
    def question(self) -> str:
        """The aim in words."""

    @abstractmethod
    def achieve(self, n_pos: float, n_neg: float) -> float:
        """Width or power of class sizes, by the formula."""

    @abstractmethod
    def is_enough(self, achieved: float) -> bool:
        """Tell whether a width or a power is what the study needs."""

    @abstractmethod
    def ask(self, labels: BoolArray, *scores: FloatArray) -> float | bool:
        """Width of the default interval or band of a test set, or whether the test rejects."""


class IntervalAim(Aim):
    """An interval for the AUC."""

    argument = "width"
    quantity = "width"
    default = f"the expected width of the default interval, {_NORMAL}"

    @property
    def question(self) -> str:
        return (
            f"For a {percent(self.level)} confidence interval of width {self.value:g} around an "
            f"AUC of {self.auc:g}"
        )

    def achieve(self, n_pos: float, n_neg: float) -> float:
        if self.variance == "mann-whitney":
            return expect_width(self.auc, n_pos, n_neg, self.tail)
        error = math.sqrt(compute_obuchowski_variance(self.auc, n_pos, n_neg))
        return -2.0 * float(ndtri(self.tail)) * error

    def is_enough(self, achieved: float) -> bool:
        return achieved <= self.value

    def ask(self, labels: BoolArray, *scores: FloatArray) -> float:
        found = auc_interval(labels, scores[0], level=self.level)
        return found.high - found.low


class BandAim(IntervalAim):
    """A band for the ROC curve; no formula, only simulated test sets."""

    argument = "band_width"
    default = f"simulation of test sets, {_NORMAL}"

    @property
    def question(self) -> str:
        return (
            f"For a {percent(self.level)} likelihood band of mean width {self.value:g} at an AUC "
            f"of {self.auc:g}"
        )

    def ask(self, labels: BoolArray, *scores: FloatArray) -> float:
        return float(roc_band(labels, scores[0], level=self.level).area)


@dataclass(frozen=True)
class AgainstAim(Aim):
    """A test of one AUC against a value."""

    argument = "against"
    quantity = "power"
    default = f"the power of the default interval's test, {_NORMAL}"

    power: float = 0.8
    alternative: Alternative = "two-sided"

    def __post_init__(self) -> None:
        gap = self.auc - self.value
        if gap == 0.0:
            raise InputError(
                Message(
                    "{} and {} must differ; both are {:g}.",
                    arg("auc"),
                    arg(self.argument),
                    self.auc,
                )
            )
        if (self.alternative == "greater" and gap < 0) or (self.alternative == "less" and gap > 0):
            raise InputError(
                Message(
                    "{} cannot be shown: {} is {:g}, {} {:g}",
                    arg("alternative", self.alternative),
                    arg("auc"),
                    self.auc,
                    arg(self.argument),
                    self.value,
                ),
                remedy="Reverse the alternative, or correct the assumed AUC.",
            )

    @property
    def tail(self) -> float:
        return (1.0 - self.level) / (2.0 if self.alternative == "two-sided" else 1.0)

    @property
    def question(self) -> str:
        return (
            f"To tell {self._claim} with power {self.power:g} ({self.alternative}, level "
            f"{percent(self.level)})"
        )

    @property
    def _claim(self) -> str:
        return f"AUC {self.auc:g} from {self.value:g}"

    def achieve(self, n_pos: float, n_neg: float) -> float:
        if self.variance == "mann-whitney":
            return self._find_power(n_pos, n_neg)
        # On the side of the guess: Phi((|gap| - z s0) / s1).
        null, guess = self._find_errors(n_pos, n_neg)
        beyond = abs(self.auc - self.value) + float(ndtri(self.tail)) * null
        if guess == 0.0:  # an AUC so close to 0 that its variance is 0
            return float(beyond >= 0.0)
        return float(ndtr(beyond / guess))

    def _find_power(self, n_pos: float, n_neg: float) -> float:
        return find_power_against(self.auc, self.value, n_pos, n_neg, self.tail)

    def _find_errors(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        """Obuchowski's standard errors under the null hypothesis and under the guess."""
        null, guess = (
            compute_obuchowski_variance(at, n_pos, n_neg) for at in (self.value, self.auc)
        )
        return math.sqrt(null), math.sqrt(guess)

    def is_enough(self, achieved: float) -> bool:
        return achieved >= self.power

    def ask(self, labels: BoolArray, *scores: FloatArray) -> bool:
        found = auc_interval(
            labels, scores[0], null=self.value, level=self.level, alternative=self.alternative
        )
        return found.pvalue is not None and found.pvalue < 1.0 - self.level


@dataclass(frozen=True)
class OtherAim(AgainstAim):
    """A test of two models on the same cases."""

    argument = "other"
    default = f"the power of the default comparison, {_NORMAL}"

    correlation: float = 0.5  # of the two estimated AUCs

    @property
    def _claim(self) -> str:
        return f"two models' AUCs {self.auc:g} and {self.value:g} on the same cases"

    @property
    def population(self) -> Population:
        return Population((self.auc, self.value), self._related[0])

    @cached_property
    def _related(self) -> tuple[float, float]:
        """Correlation of the scores, and that of the AUCs which they have."""
        return find_score_correlation(
            find_probit(self.auc), find_probit(self.value), self.correlation
        )

    @property
    def guess(self) -> dict[str, object]:
        return super().guess | {"other": self.value, "correlation": self.correlation}

    @property
    def notes(self) -> tuple[str, ...]:
        found = self._related[1]
        if self.variance == "obuchowski" or abs(found - self.correlation) < 0.005:
            return ()
        return (
            f"Estimates of these AUCs from normal scores cannot have a correlation of "
            f"{self.correlation:g}; the nearest possible one, {found:.2f}, was assumed.",
        )

    def _find_power(self, n_pos: float, n_neg: float) -> float:
        rho = self._related[0]
        return find_power_of_two(self.auc, self.value, rho, n_pos, n_neg, self.tail)

    def _find_errors(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        # Under the null hypothesis both AUCs are the mean, V0 = 2 (1 - r) V(mean); under the guess
        # V1 = V(auc) + V(other) - 2 r sqrt(V(auc) V(other)).
        middle, one, two = (
            compute_obuchowski_variance(at, n_pos, n_neg)
            for at in ((self.auc + self.value) / 2.0, self.auc, self.value)
        )
        guess = one + two - 2.0 * self.correlation * math.sqrt(one * two)
        return math.sqrt(2.0 * middle * (1.0 - self.correlation)), math.sqrt(guess)

    def ask(self, labels: BoolArray, *scores: FloatArray) -> bool:
        one, two = scores
        found = compare(labels, one, two, level=self.level, alternative=self.alternative)
        return found.pvalue < 1.0 - self.level

"""Costs of two models: on the same rows, or on two test sets such as groups of people.

On the same rows the difference has terms of its own, and limits by any method that handles pairs.
Costs of two test sets without common clusters are independent: limits of each are combined by
MOVER (Zou and Donner 2008, Statistics in Medicine 27, 1693-1702),

    lower = (C_1 - C_2) - sqrt((C_1 - l_1)^2 + (u_2 - C_2)^2),

and the upper limit likewise. Simultaneous limits have a larger critical value (sup-t): formula (C8)
of docs/formulas.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import ndtr

from rocbands._math.mover import limit_difference
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.pair import Pair
from rocbands.cost.conditions import Conditions
from rocbands.cost.terms import CostLimits, CostTerms, list_ends
from rocbands.cost.thresholds import Thresholds
from rocbands.design.called_sums import CalledSums
from rocbands.design.joint_error import JointError
from rocbands.design.paired_sums import PairedSums, combine_sets
from rocbands.design.row_design import RowDesign
from rocbands.errors import InputError, Message, arg
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value

if TYPE_CHECKING:
    from rocbands.cost.method import CostMethod

ENOUGH = 10  # discordant rows needed for a normal approximation of the difference
MOST_CONDITIONS = 2048  # of simultaneous limits: the covariance matrix is stored
ROUNDING = 1e-12  # relative to a sum of squares: smaller variances may be rounding errors


@dataclass(frozen=True, eq=False)
class TwoCosts(ABC):
    """Costs of two models at k pairs of thresholds."""

    terms: tuple[CostTerms, ...]  # of the difference; or of either cost
    costs: tuple[FloatArray, FloatArray]
    pair: Pair

    @classmethod
    @abstractmethod
    def add_up(cls, pair: Pair, cuts: Thresholds, at: tuple[Conditions, Conditions]) -> Self:
        """Add up the rows; `at`: conditions of either test set."""

    @abstractmethod
    def find_limits(self, method: CostMethod, level: float, critical: float) -> CostLimits:
        """Limits of the difference; `critical`: half their width in standard errors."""

    @abstractmethod
    def find_covariance(self) -> FloatArray:
        """Covariance of the differences between conditions; 0 where nothing varies."""

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of the result."""
        return {"cost_1": self.costs[0], "cost_2": self.costs[1]}

    @property
    def few(self) -> BoolArray:
        """Where too few rows are decided differently for a normal approximation."""
        return np.zeros(0, np.bool_)

    def describe(self) -> tuple[str, ...]:
        """Say what the designs cost."""
        return tuple(dict.fromkeys(note for terms in self.terms for note in terms.describe()))

    def find_critical_value(
        self, level: float, n_resamples: int, rng: np.random.Generator
    ) -> CriticalValue:
        """Quantile of the largest of all standardised differences; 0 if none has any spread."""
        if (size := self.costs[0].size) > MOST_CONDITIONS:
            raise InputError(
                f"Simultaneous limits are for at most {MOST_CONDITIONS:,} operating conditions",
                f"there are {size:,}",
                Message("Pass fewer, or leave out {}.", arg("simultaneous")),
            )
        covariance = self.find_covariance()
        kept = np.flatnonzero(np.diag(covariance) > 0.0)
        if kept.size == 0:
            return CriticalValue(0.0, 0.0)
        covariance = covariance[np.ix_(kept, kept)]
        error = np.sqrt(np.diag(covariance))
        correlation = covariance / np.outer(error, error)
        return find_gaussian_critical_value(correlation, level, n_resamples, rng)


@dataclass(frozen=True, eq=False)
class SameRows(TwoCosts):
    """Costs of two models on the same rows."""

    @classmethod
    def add_up(cls, pair: Pair, cuts: Thresholds, at: tuple[Conditions, Conditions]) -> SameRows:
        sums = PairedSums.add_up(RowDesign.of_pair(pair), (pair.one.values, pair.two.values), cuts)
        terms = CostTerms.of_pair(sums, at[0])
        whole = sums.weights[:, -2:].T
        base = whole.sum(axis=0) if at[0].sampling == "full" else whole
        called = sums.add_called()
        missed = np.stack((whole[0] - called[:, 0], called[:, 1]), axis=1)
        one, two = (at[0].weight * missed / base).sum(axis=1)
        return cls((terms,), (one, two), pair)

    def find_limits(self, method: CostMethod, level: float, critical: float) -> CostLimits:
        return method.find_limits(self.terms[0], level, critical)

    def find_covariance(self) -> FloatArray:
        (terms,) = self.terms
        error = JointError(terms.sums, list(zip(terms.weight, terms.shares, strict=True)))
        covariance = error.covariance
        squares = (terms.unit**2 * (terms.up + terms.down)).sum(axis=0)
        none = np.diag(covariance) <= ROUNDING * squares
        covariance[none], covariance[:, none] = 0.0, 0.0
        return covariance

    @property
    def columns(self) -> dict[str, Any]:
        only = self.terms[0].sums.counts[:, :4].T.round().astype(np.int64)
        names = ("only_1_pos", "only_2_pos", "only_1_neg", "only_2_neg")
        return super().columns | dict(zip(names, only, strict=True))

    @property
    def few(self) -> BoolArray:
        return np.asarray(self.terms[0].dominant_discordant < ENOUGH)


@dataclass(frozen=True, eq=False)
class TwoSets(TwoCosts):
    """Costs of two models, or of one, on two test sets."""

    @classmethod
    def add_up(cls, pair: Pair, cuts: Thresholds, at: tuple[Conditions, Conditions]) -> TwoSets:
        sides = zip(pair.curves, cuts, at, strict=True)
        one, two = (list_ends(roc, cut, conditions)[0] for roc, cut, conditions in sides)
        costs = np.clip(one.mean, 0.0, 1.0), np.clip(two.mean, 0.0, 1.0)
        return cls((one, two), costs, pair)

    def find_limits(self, method: CostMethod, level: float, critical: float) -> CostLimits:
        one, two = self.terms
        if self.pair.common_clusters is not None:
            assert isinstance(one.sums, CalledSums)
            assert isinstance(two.sums, CalledSums)
            parts = [
                [(sign * w, share) for w, share in zip(terms.weight, terms.shares, strict=True)]
                for sign, terms in zip((1.0, -1.0), self.terms, strict=True)
            ]
            tail = float(ndtr(-critical))
            return CostLimits(*combine_sets(self.pair, (one.sums, two.sums), parts, tail))
        each = float(2.0 * ndtr(critical) - 1.0)
        first, second = (method.find_limits(terms, each, critical) for terms in self.terms)
        return CostLimits(first.estimate - second.estimate, *limit_difference(first, second))

    def find_covariance(self) -> FloatArray:
        """Covariance of the differences; the errors of a class at two thresholds are nested.

        Half an error and half a correct decision are added, so that every condition has a variance.
        """
        total = np.zeros((self.costs[0].size,) * 2)
        for terms in self.terms:
            for errors, number, weight in zip(terms.up, terms.number, terms.weight, strict=True):
                share = (errors + 0.5) / (number + 1.0)
                nested = np.minimum.outer(share, share) - np.outer(share, share)
                total += np.outer(weight, weight / number) * nested
        return total

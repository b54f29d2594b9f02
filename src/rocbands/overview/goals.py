"""What a model is to achieve: positives found at a false positive rate, at a rate, or low costs.

A :class:`Goal` ranks the models of a data set by one number, describes what one of them achieves,
and compares two of them. :mod:`rocbands.overview.recommendation` chooses among the models.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, cast

import numpy as np

from rocbands.auc.chosen import Limits, limit_chosen
from rocbands.comparison.compare_tpr import compare_tpr
from rocbands.core.models import Models
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.cost import DEFAULT, METHODS, cost_difference, cost_interval
from rocbands.cost.conditions import operating_condition
from rocbands.cost.thresholds import cost_thresholds, split_rows
from rocbands.errors import InputError
from rocbands.overview.metrics import area_interval
from rocbands.points import operating_points
from rocbands.points.result import OperatingPoints
from rocbands.rates import rate_bounds
from rocbands.rates.difference import rate_difference
from rocbands.rates.result import RateBounds

SAME = 1e-9  # rates closer than this are equal


class Estimate(NamedTuple):
    """A number with its confidence limits."""

    value: float
    low: float
    high: float


class Achieved(NamedTuple):
    """What a model achieves: the rates of its threshold, and the number that it is ranked by."""

    tpr: Estimate | None = None
    fpr: float | None = None
    threshold: float | None = None
    ppv: Estimate | None = None  # at a given prevalence
    cost: Estimate | None = None  # for each 1000 cases
    auc: Estimate | None = None
    guessing: bool = False  # whether the limits allow for a model that knows nothing
    unclear: bool = False  # whether they allow for it at this rate, though not for all rates


@dataclass(frozen=True, eq=False)
class Candidates:
    """The models to choose from, as functions of one or two models take them."""

    data: Models | Mapping[str, RocCurve]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.data)

    def curve(self, name: str) -> RocCurve:
        """Return the curve of one model."""
        one = self.data[name]
        return one if isinstance(one, RocCurve) else one.roc

    def two(self, first: str, second: str) -> Sample:
        """Return the rows of two models; counts do not have them."""
        if not isinstance(self.data, Sample):
            raise InputError(
                "Counts do not say which scores belong to the same row, so models are not compared."
            )
        return self.data[[first, second]]

    @property
    def labels(self) -> tuple[object, object]:
        """The positive and the negative label, where they are known."""
        if isinstance(self.data, Models):
            return self.data.positive, self.data.negative
        return None, None


@dataclass(frozen=True, eq=False)
class Goal(ABC):
    """What the best model has most of; larger numbers are better throughout."""

    among: Candidates
    level: float
    rng: Rng

    @abstractmethod
    def rank(self, name: str) -> float:
        """Return the estimate that the models are ranked by."""

    @abstractmethod
    def describe(self, name: str) -> Achieved:
        """Describe the best model, with limits that allow for its choice among all."""

    @abstractmethod
    def compare(self, best: str, other: str, level: float) -> Estimate:
        """Return how much better one model is than another, with limits."""

    def curve(self, name: str) -> RocCurve:
        """Return the curve on which a model is judged."""
        return self.among.curve(name)

    def limit(self, value: Any, find: Callable[[float], Limits], *, cost: bool = False) -> Estimate:
        """Return a number of the best model with limits that allow for the choice."""
        worse: Any = "high" if cost else "low"
        low, high = limit_chosen(find, self.level, len(self.among.names), worse=worse)
        return Estimate(float(value), float(low), float(high))

    def limit_auc(self, name: str) -> Estimate:
        """Return the area under a curve, with folds the mean one, with such limits."""
        roc = self.among.curve(name)

        def find(level: float) -> Limits:
            found = area_interval(roc, level)
            return found.low, found.high

        return self.limit(area_interval(roc, self.level).estimate, find)

    def judge(self, name: str, at_rate: bool, found: Achieved) -> Achieved:
        """Add whether a model may know nothing; `at_rate`: whether so at the goal's rate.

        A model knows something if its rate or its area shows it. Each is shown wrongly with a
        probability of (1 - level) / 2, so that one of them is with at most 1 - level.
        """
        guessing = at_rate and self.limit_auc(name).low <= 0.5
        return found._replace(guessing=guessing, unclear=at_rate and not guessing)

    def limit_column(self, ask: Callable[[float], Any], name: str) -> Estimate:
        """Do the same for the first row of a result; `ask` computes it at a level."""
        ends = f"{name}_lower", f"{name}_upper"

        def find(level: float) -> Limits:
            low, high = (float(getattr(ask(level), end)[0]) for end in ends)
            return low, high

        return self.limit(getattr(ask(self.level), name)[0], find)


@dataclass(frozen=True, eq=False)
class AtFpr(Goal):
    """Positives found at a false positive rate."""

    fpr: float
    prevalence: float | None

    def rank(self, name: str) -> float:
        return float(self.among.curve(name).tpr_at(self.fpr))

    def compare(self, best: str, other: str, level: float) -> Estimate:
        found = compare_tpr(self.among.two(best, other), fpr=self.fpr, level=level)
        return Estimate(found.difference, found.low, found.high)

    def describe(self, name: str) -> Achieved:
        """Describe the threshold, with limits of the true TPR at the false positive rate.

        Where scores are tied, no threshold may have the rate, and where all positives are found, a
        higher threshold may find them too. Then the limits are those of the threshold. Negatives,
        or the lowest positive, choose it, so that they are valid.
        """
        at_rate = partial(self._ask, name, fpr=self.fpr)
        point = at_rate(self.level)
        cut = point.threshold[0]
        own = self.limit_column(at_rate, "tpr")
        if point.threshold_tpr[0] >= 1.0 - SAME:
            cut = self._ask(name, self.level, tpr=1.0).threshold[0]

        found = self.describe_threshold(name, cut)
        found = self.judge(name, own.low <= self.fpr, found)
        on_curve = cut == point.threshold[0] and abs(point.tpr[0] - point.threshold_tpr[0]) < SAME
        return found._replace(tpr=own) if on_curve else found

    def describe_threshold(self, name: str, cut: Any) -> Achieved:
        """Describe a threshold, with limits of its own rate."""
        at_cut = partial(self._ask, name, threshold=cut)
        found = at_cut(self.level)
        known = self.prevalence is not None and not np.isnan(found.ppv[0])
        return Achieved(
            tpr=self.limit_column(at_cut, "tpr"),
            fpr=float(found.fpr[0]),
            threshold=float(cut),
            ppv=self.limit_column(at_cut, "ppv") if known else None,
        )

    def _ask(self, name: str, level: float, **at: Any) -> OperatingPoints:
        return operating_points(
            self.among.data[name], prevalence=self.prevalence, level=level, rng=self.rng, **at
        )


@dataclass(frozen=True, eq=False)
class AtRate(Goal):
    """Positives found when a share of all cases is acted on."""

    rate: float

    def rank(self, name: str) -> float:
        return float(self._ask(name, self.level).tpr[0])

    def compare(self, best: str, other: str, level: float) -> Estimate:
        found = rate_difference(self.among.two(best, other), rate=self.rate, level=level)
        return Estimate(*(float(c[0]) for c in (found.difference, found.lower, found.upper)))

    def describe(self, name: str) -> Achieved:
        found = self._ask(name, self.level)
        tpr = self.limit_column(lambda level: self._ask(name, level), "tpr")
        cut = None if found.threshold is None else float(found.threshold[0])
        return self.judge(
            name, tpr.low <= self.rate, Achieved(tpr, float(found.fpr[0]), threshold=cut)
        )

    def _ask(self, name: str, level: float) -> RateBounds:
        return rate_bounds(self.among.data[name], rate=self.rate, level=level, rng=self.rng)


@dataclass(frozen=True, eq=False)
class LowCost(Goal):
    """Expected cost; thresholds are chosen on one half of the rows and judged on the other."""

    costs: tuple[float, float]
    prevalence: float | None

    @staticmethod
    def can_use(data: object) -> bool:
        """Tell whether there are rows to split, and costs have limits for their design."""
        if not isinstance(data, Sample) or min(data.n_pos, data.n_neg) < 2:
            return False
        try:
            METHODS[DEFAULT]().check_request(data[data.models[0]].roc, level=0.95)
        except InputError:
            return False
        return True

    @cached_property
    def halves(self) -> tuple[Sample, Sample]:
        """Rows that choose thresholds, and rows that judge them."""
        return split_rows(cast(Sample, self.among.data), self.rng)

    def curve(self, name: str) -> RocCurve:
        return self.halves[1][name].roc

    @cached_property
    def _share(self) -> float:
        if self.prevalence is not None:
            return self.prevalence
        return self.curve(self.among.names[0]).prevalence

    @cached_property
    def cuts(self) -> dict[str, float]:
        """The threshold of each model."""
        w = operating_condition(*self.costs, self._share)
        chosen = self.halves[0]
        return {
            name: float(cost_thresholds(chosen[name], w=w).thresholds[0])
            for name in self.among.names
        }

    def _ask(self, name: str, level: float) -> Any:
        return cost_interval(
            self.halves[1][name],
            thresholds=self.cuts[name],
            costs=self.costs,
            prevalence=self._share,
            level=level,
        )

    def rank(self, name: str) -> float:
        return -float(self._ask(name, self.level).cost[0])

    def compare(self, best: str, other: str, level: float) -> Estimate:
        found = cost_difference(
            self.halves[1][[best, other]],
            thresholds={name: self.cuts[name] for name in (best, other)},
            costs=self.costs,
            prevalence=self._share,
            level=level,
        )
        columns = (found.difference_per_1000, found.upper_per_1000, found.lower_per_1000)
        return Estimate(*(-float(np.asarray(column)[0]) for column in columns))

    def describe(self, name: str) -> Achieved:
        def at_cut(level: float) -> OperatingPoints:
            return operating_points(self.halves[1][name], threshold=self.cuts[name], level=level)

        def find(level: float) -> Limits:
            found = self._ask(name, level)
            return float(found.lower_per_1000[0]), float(found.upper_per_1000[0])

        cost = self.limit(self._ask(name, self.level).cost_per_1000[0], find, cost=True)
        share, (c_fn, c_fp) = self._share, self.costs
        alike = 1000.0 * min(share * c_fn, (1.0 - share) * c_fp)  # all cases, or none, are called
        return Achieved(
            tpr=self.limit_column(at_cut, "tpr"),
            fpr=float(at_cut(self.level).fpr[0]),
            threshold=self.cuts[name],
            cost=cost,
            guessing=cost.high >= alike,
        )


@dataclass(frozen=True, eq=False)
class OptimisticCost(Goal):
    """Expected cost of thresholds on the rows that chose them, where rows cannot be split."""

    costs: tuple[float, float]
    prevalence: float | None

    def _ask(self, name: str, level: float) -> OperatingPoints:
        return operating_points(
            self.among.data[name],
            best="cost",
            costs=self.costs,
            prevalence=self.prevalence,
            level=level,
            rng=self.rng,
        )

    def rank(self, name: str) -> float:
        found, (c_fn, c_fp) = self._ask(name, self.level), self.costs
        share = found.prevalence
        missed, alarms = 1.0 - float(found.tpr[0]), float(found.fpr[0])
        return -(share * c_fn * missed + (1.0 - share) * c_fp * alarms)

    def compare(self, best: str, other: str, level: float) -> Estimate:
        raise InputError("Costs on the rows that chose the thresholds are not compared.")

    def describe(self, name: str) -> Achieved:
        found = self._ask(name, self.level)
        return Achieved(
            tpr=self.limit_column(lambda level: self._ask(name, level), "tpr"),
            fpr=float(found.fpr[0]),
            threshold=float(found.threshold[0]),
        )


@dataclass(frozen=True, eq=False)
class MeanAuc(Goal):
    """Mean AUC of the folds' models, which have no threshold in common."""

    def rank(self, name: str) -> float:
        return area_interval(self.among.curve(name), self.level).estimate

    def compare(self, best: str, other: str, level: float) -> Estimate:
        raise InputError("Differences of the folds' mean AUC have no limits.")

    def describe(self, name: str) -> Achieved:
        auc = self.limit_auc(name)
        return Achieved(auc=auc, guessing=auc.low <= 0.5)

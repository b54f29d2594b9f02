"""What a model is to achieve: its points for one or several rules, and the costs of them.

A rule is a largest false positive rate, a largest share of cases that can be acted on, or low
costs. Each model has a point for each rule (:mod:`rocbands.points.choose`); of several rules the
one with the fewest alarms rules. :mod:`rocbands.overview.recommendation` chooses among the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from rocbands._math.chosen import Limits, limit_chosen
from rocbands.comparison.compare_tpr import compare_tpr
from rocbands.core.checks import check_costs, check_number
from rocbands.core.models import Models
from rocbands.core.phrases import usual_fpr, usual_fprs
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.core.tolerance import SAME
from rocbands.cost import DEFAULT, METHODS, cost_difference, cost_interval
from rocbands.cost.conditions import operating_condition
from rocbands.cost.thresholds import cost_thresholds, split_rows
from rocbands.errors import InputError, Message, arg
from rocbands.points import operating_points
from rocbands.points.choose import Point, Rule, choose_point
from rocbands.rates.difference import rate_difference

FEWEST = 10  # cases of a class below which no model and no threshold is chosen


class Estimate(NamedTuple):
    """A number with its confidence limits."""

    value: float
    low: float
    high: float


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

    @cached_property
    def first(self) -> RocCurve:
        """The curve of the first model, which knows the rows."""
        return self.curve(self.names[0])

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


def read_rules(
    among: Candidates,
    fpr: float | None,
    rate: float | None,
    costs: tuple[float, float] | None,
    prevalence: float | None,
) -> tuple[tuple[Rule, ...], bool]:
    """Check the rules, and tell whether the user gave any; else they are the usual rates."""
    rules = []
    if fpr is not None:
        rules.append(Rule("fpr", check_number(fpr, "fpr", above=0, below=1)))
    if rate is not None:
        if prevalence is not None and costs is None:
            raise InputError(
                Message("{} is a share of cases like these rows", arg("rate")),
                Message("{} was given, too", arg("prevalence")),
                Message("Leave {} out.", arg("prevalence")),
            )
        rules.append(Rule("rate", check_number(rate, "rate", above=0, below=1)))
    if costs is not None:
        rules.append(Rule("costs", check_costs(costs)))
    if rules:
        return tuple(rules), True
    return tuple(Rule("fpr", at) for at in find_usual_fprs(among.first)), False


def find_usual_fprs(roc: RocCurve) -> tuple[float, ...]:
    """Return the rates to speak of where no rule was given, by weight if rows are weighted."""
    return usual_fprs(*_count(roc))


def find_usual_fpr(roc: RocCurve) -> float:
    """Return the usual rate alone."""
    return usual_fpr(*_count(roc))


def _count(roc: RocCurve) -> tuple[int, int, float]:
    return roc.n_pos, roc.n_neg, roc.prevalence / (1.0 - roc.prevalence)


@dataclass(frozen=True, eq=False)
class Goal:
    """Points of all models for some rules, and differences between models."""

    among: Candidates
    rules: tuple[Rule, ...]
    level: float
    prevalence: float | None
    rng: Rng

    @cached_property
    def study(self) -> CostHalves | None:
        """Halves of the rows for thresholds of costs, where they can be split."""
        if not CostHalves.can_use(self.among.data):
            return None
        costs = next(rule.at for rule in self.rules if rule.name == "costs")
        return CostHalves(self.among, costs, self.level, self.prevalence, self.rng)

    @cached_property
    def points(self) -> dict[tuple[str, Rule], Point]:
        """The point of each model for each rule."""
        return {
            (name, rule): choose_point(
                self.among.curve(name),
                rule,
                model=name,
                n_models=len(self.among.names),
                level=self.level,
                prevalence=self.prevalence,
                cut=self._find_cut(name) if rule.name == "costs" else None,
            )
            for name in self.among.names
            for rule in self.rules
        }

    def _find_cut(self, name: str) -> Any:
        if self.study is not None:
            return self.study.cuts[name]
        costs = next(rule.at for rule in self.rules if rule.name == "costs")
        found = operating_points(
            self.among.data[name],
            best="cost",
            costs=costs,
            prevalence=self.prevalence,
            level=self.level,
        )
        return found.threshold[0]

    def ruling(self, name: str) -> Point:
        """Return the point with the fewest alarms of all rules."""
        points = [self.points[name, rule] for rule in self.rules]
        return min(points, key=lambda point: point.tp + point.fp)

    def find_share(self, point: Point) -> float:
        """Return the share of cases like these rows that a point calls, as a capacity counts it."""
        pi = self.among.first.prevalence
        return pi * point.tpr + (1.0 - pi) * point.fpr

    def rank(self, name: str, *, by_cost: bool) -> float:
        """Return the number by which models are ranked for the rules: more is better."""
        if not by_cost:
            return self.ruling(name).tpr
        if self.study is not None:
            return -self.study.cost(name).value
        point, (c_fn, c_fp) = self.ruling(name), self.ruling(name).rule.at
        roc = self.among.curve(name)
        share = roc.prevalence if self.prevalence is None else self.prevalence
        cost: float = share * c_fn * (1.0 - point.tpr) + (1.0 - share) * c_fp * point.fpr
        return -cost

    def compare(self, one: str, two: str, rule: Rule, level: float) -> Estimate:
        """Return how much more one model finds than another, or how much less it costs."""
        if rule.name == "costs":
            if self.study is None:
                raise InputError("Costs on the rows that chose the thresholds are not compared.")
            return self.study.compare(one, two, level)
        rows = self.among.two(one, two)
        if rule.name == "fpr":
            found = compare_tpr(rows, fpr=rule.at, level=level)
            return Estimate(found.difference, found.low, found.high)
        gap = rate_difference(rows, rate=rule.at, level=level)
        return Estimate(*(float(column[0]) for column in (gap.difference, gap.lower, gap.upper)))

    def comes_near(self, name: str, rule: Rule) -> bool:
        """Tell whether a threshold is within one negative, or one case, of the promised rate.

        A difference of costs is that of the points only if the costs rule for the model.
        """
        if rule.name == "costs":
            return self.ruling(name).rule == rule
        roc = self.among.curve(name)
        rows = roc.n_neg if rule.name == "fpr" else roc.n_pos + roc.n_neg
        reach = 1.0 / rows + SAME
        fpr = roc.curve.x
        if rule.name == "fpr":
            last = fpr.searchsorted(np.array([rule.at + reach]), side="right") - 1
            return bool(fpr[last][0] >= rule.at - reach)
        share = roc.prevalence * np.asarray(roc.tpr) + (1.0 - roc.prevalence) * np.asarray(roc.fpr)
        return bool((np.abs(share - rule.at) <= reach).any())


@dataclass(frozen=True, eq=False)
class CostHalves:
    """Costs of thresholds that one half of the rows chose and the other half judges."""

    among: Candidates
    costs: tuple[float, float]
    level: float
    prevalence: float | None
    rng: Rng

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

    @cached_property
    def share(self) -> float:
        """Share of positives: the given one, or that of all rows."""
        return self.among.first.prevalence if self.prevalence is None else self.prevalence

    @property
    def idle(self) -> float:
        """Cost of 1000 cases if all, or none, are called positive, whichever is less."""
        c_fn, c_fp = self.costs
        return 1000.0 * min(self.share * c_fn, (1.0 - self.share) * c_fp)

    @cached_property
    def cuts(self) -> dict[str, Any]:
        """The threshold of each model."""
        w, chosen = operating_condition(*self.costs, self.share), self.halves[0]
        return {name: cost_thresholds(chosen[name], w=w).thresholds[0] for name in self.among.names}

    def cost(self, name: str) -> Estimate:
        """Return the cost of 1000 cases; limits allow for the choice of a model."""

        def ask(level: float) -> Any:
            return cost_interval(
                self.halves[1][name], thresholds=self.cuts[name], level=level, **self._how
            )

        def find(level: float) -> Limits:
            found = ask(level)
            return float(found.lower_per_1000[0]), float(found.upper_per_1000[0])

        value = float(ask(self.level).cost_per_1000[0])
        limits = limit_chosen(find, self.level, len(self.among.names), worse="high")
        return Estimate(value, *limits)

    def compare(self, one: str, two: str, level: float) -> Estimate:
        """Return how much less one model costs for 1000 cases than another."""
        found = cost_difference(
            self.halves[1][[one, two]],
            thresholds={name: self.cuts[name] for name in (one, two)},
            level=level,
            **self._how,
        )
        columns = (found.difference_per_1000, found.upper_per_1000, found.lower_per_1000)
        return Estimate(*(-float(np.asarray(column)[0]) for column in columns))

    @property
    def _how(self) -> dict[str, Any]:
        return {"costs": self.costs, "prevalence": self.share}

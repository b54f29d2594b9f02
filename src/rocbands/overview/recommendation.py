"""Which model to use, at which threshold, and what it then finds: one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from rocbands._math.chosen import Limits, limit_chosen
from rocbands.comparison.compare_many import compare_many
from rocbands.comparison.method import LEARNERS
from rocbands.comparison.result import Comparisons
from rocbands.core.checks import check_level, check_share
from rocbands.core.models import Models, plural
from rocbands.core.phrases import FEW
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.errors import InputError
from rocbands.overview.goals import FEWEST, Candidates, Estimate, Goal, find_usual_fpr, read_rules
from rocbands.overview.metrics import area_interval
from rocbands.points.choose import Point, Rule

_MOST_SHOWN = 3  # models of which all points are shown
UNTESTED = "Whether the difference from the other models is chance was not tested: "
Verdict: TypeAlias = Literal[
    "few cases",  # too few of a class for any choice
    "reversed",  # a model ranks positives below negatives
    "two values",  # a model has hard predictions, others have scores
    "guessing",  # no model is shown to be better than chance
    "crossing",  # the AUC and a point show different models to be better
    "identical",  # all models rank the rows alike
    "use",  # shown to be better than each other one
    "not compared",
    "one model",
    "not told apart",
]
# Verdicts without a threshold and without a recommendation.
_SETTLE_FIRST: tuple[Verdict, ...] = ("few cases", "reversed", "two values", "guessing")


@dataclass(frozen=True, eq=False, kw_only=True)
class Recommendation:
    """Which of some models to use, at which threshold, and what it then finds.

    Attributes
    ----------
    sentence : str
        All of it in words. It says "Use ..." only if limits show that the model is better than each
        of the others, and nothing that is shown on the same rows speaks against it.
    verdict : str
        What the sentence begins with: 'use', 'not told apart', 'crossing' (the AUC and an operating
        point show different models to be better), 'identical', 'not compared', 'one model'; or,
        without a threshold, 'few cases', 'reversed', 'two values' or 'guessing'.
    model : str
        The model that is named: with a rule that whose point finds most, or costs least; without
        one that with the highest AUC.
    models : tuple of str
        The models it was chosen from.
    rules : tuple of Rule
        What was promised: largest false positive rates, a largest share of cases, costs. Without a
        rule three usual false positive rates.
    given : bool
        Whether rules were given.
    point : Point or None
        The operating point of the sentence. Its limits allow for the choice among the models.
    points : tuple of Point
        The points of all models for all rules.
    rival : str or None
        The model that it is compared with: the best of those that cannot be told apart from it,
        else the next best; where curves cross the other one.
    difference, difference_low, difference_high : float or None
        By how much the named model is better than the rival at the same false positive rate or the
        same share of cases, or by how much less it costs for each 1000 cases; limits hold for all
        other models, and without a rule for all three rates. None where it is not said.
    cost, cost_low, cost_high : float or None
        Its cost for each 1000 cases, on rows that did not choose the threshold.
    auc, auc_low, auc_high : float
        Its AUC, with folds their mean, with limits that allow for the choice among the models.
    alike : tuple of str
        Models that cannot be told apart from it.
    level : float
        Confidence level.
    notes : tuple of str
        What the reader should know.
    """

    sentence: str
    verdict: Verdict
    model: str
    models: tuple[str, ...]
    rules: tuple[Rule, ...]
    given: bool
    point: Point | None
    points: tuple[Point, ...]
    rival: str | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    auc: float
    auc_low: float
    auc_high: float
    alike: tuple[str, ...]
    level: float
    notes: tuple[str, ...]

    def point_of(self, model: str) -> Point | None:
        """Return the point of a model for the rule of the sentence, or the one that rules."""
        if self.point is None:
            return None
        own = [point for point in self.points if point.model == model]
        if self.given:
            return min(own, key=lambda point: point.tp + point.fp)
        return next(point for point in own if point.rule == self.point.rule)

    @property
    def shown(self) -> tuple[str, ...]:
        """The named model and its rival, or up to three models: those of the table."""
        first = [self.model, *([self.rival] if self.rival else [])]
        rest = [name for name in self.models if name not in first]
        return (*first, *(rest if len(self.models) <= _MOST_SHOWN else ()))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is shown about the models, computed once each."""

    among: Candidates
    goal: Goal
    given: bool
    level: float
    rng: Rng
    compared: Comparisons | None  # of all AUCs, if they were compared already

    @cached_property
    def areas(self) -> dict[str, Estimate]:
        """AUC of each model, each for itself."""
        found = {
            name: area_interval(self.among.curve(name), self.level, self.rng)
            for name in self.among.names
        }
        return {name: Estimate(one.estimate, one.low, one.high) for name, one in found.items()}

    def limit_area(self, name: str) -> Estimate:
        """AUC of a model with limits that allow for its choice as the best."""

        def find(level: float) -> Limits:
            found = area_interval(self.among.curve(name), level, self.rng)
            return found.low, found.high

        limits = limit_chosen(find, self.level, len(self.among.names))
        return Estimate(self.areas[name].value, *limits)

    @cached_property
    def _comparison(self) -> Comparisons | InputError:
        if self.compared is not None:
            return self.compared
        try:
            if not isinstance(self.among.data, Sample):
                self.among.two("", "")
            return compare_many(self.among.data, level=self.level, rng=self.rng)  # type: ignore[arg-type]
        except InputError as problem:
            return problem

    @property
    def refusal(self) -> InputError | None:
        """Why the AUCs were not compared."""
        found = self._comparison
        return found if isinstance(found, InputError) else None

    @cached_property
    def differences(self) -> dict[tuple[str, str], Estimate]:
        """Differences of AUC with simultaneous limits, in both directions."""
        found = self._comparison
        if isinstance(found, InputError):
            return {}
        known: dict[tuple[str, str], Estimate] = {}
        columns = (found.differences, found.lower, found.upper)
        for (i, j), *numbers in zip(found.pairs, *columns, strict=True):
            value, low, high = map(float, numbers)
            one, two = found.names[i], found.names[j]
            known[one, two] = Estimate(value, low, high)
            known[two, one] = Estimate(-value, -high, -low)
        return known

    def ranks_better(self, one: str, two: str) -> bool:
        """Tell whether the AUC of one model is shown to be higher than that of another."""
        found = self.differences.get((one, two))
        return found is not None and found.low > 0.0

    @cached_property
    def gap_level(self) -> float:
        """Level of each difference at a point: for all rates, and one model against the others."""
        rates = 1 if self.given else len(self.goal.rules)
        return 1.0 - (1.0 - self.level) / (rates * max(len(self.among.names) - 1, 1))

    def compare(self, one: str, two: str, rule: Rule) -> Estimate | InputError:
        """Return by how much one model is better for a rule, or why that is not known."""
        try:
            return self.goal.compare(one, two, rule, self.gap_level)
        except InputError as problem:
            return problem

    def finds_more(self, one: str, two: str, rule: Rule) -> Estimate | None:
        """Return by how much one model finds more at a rate, if that is shown."""
        first, second = (self.goal.points[name, rule] for name in (one, two))
        if first.tpr < second.tpr:
            return None
        found = self.compare(one, two, rule)
        return found if isinstance(found, Estimate) and found.low > 0.0 else None

    @cached_property
    def reversed(self) -> list[str]:
        """Models that rank positives below negatives."""
        return [name for name, area in self.areas.items() if area.high < 0.5]

    @cached_property
    def two_valued(self) -> list[str]:
        """Models with two different scores, if another model has more."""
        curves = {name: self.among.curve(name) for name in self.among.names}
        levels = {name: 0 if roc.binned else roc.fp.size for name, roc in curves.items()}
        two = [name for name, size in levels.items() if size == 2]
        return two if any(size not in {1, 2} for size in levels.values()) else []

    def beats_chance(self, name: str) -> bool:
        """Tell whether the AUC, or a point, shows that a model knows something."""
        if self.limit_area(name).low > 0.5:
            return True
        return any(
            point.tpr_low > point.fpr_high
            for (own, _), point in self.goal.points.items()
            if own == name
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Finding:
    """What the sentence says."""

    verdict: Verdict
    model: str
    rule: Rule | None = None  # that of the point of the sentence
    rival: str | None = None
    gap: Estimate | None = None  # by how much the named model is better than the rival
    alike: tuple[str, ...] = ()
    refused: InputError | None = None
    better_area: str | None = None  # with a rule: a model whose AUC is shown to be higher


def recommend(
    models: Models | RocCurve | Mapping[str, RocCurve],
    *,
    fpr: float | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    rate: float | None = None,
    level: float = 0.95,
    rng: Rng = 0,
    compared: Comparisons | None = None,
) -> Recommendation:
    """Choose a model and a threshold, and say in one sentence what they achieve.

    Rules are `fpr`, the largest false positive rate; `costs` of a missed positive and of a false
    alarm, for thresholds that are chosen on one half of the rows and judged on the other, where
    possible; `rate`, the share of the cases that can be acted on. Of several the one with the
    fewest alarms rules. Without one the model is chosen by its AUC, and thresholds are for three
    usual false positive rates. `prevalence`, the share of positives where the model will be used,
    is for `costs` and for the share of alarms that are right. `compared`: the models' AUCs,
    compared at the same level. Models are of the same rows; they are compared only where there are
    rows.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = recommend(rb.load_example())
    >>> print(found.sentence.partition(" (")[0])
    Use logistic, which ranks cases better than neighbours
    """
    from rocbands.overview.wording import write_sentence

    level = check_level(level)
    if prevalence is not None:
        prevalence = check_share(prevalence, "prevalence")
    among = Candidates({"model": models} if isinstance(models, RocCurve) else models)
    rules, given = read_rules(among, fpr, rate, costs, prevalence)
    folded = bool(among.first.folds)  # each fold has a model and a threshold of its own
    goal = Goal(among, () if folded else rules, level, prevalence, rng)
    evidence = Evidence(among, goal, given and not folded, level, rng, compared)
    found = judge(evidence)
    point = None if found.rule is None else goal.points[found.model, found.rule]
    area = evidence.limit_area(found.model)
    cost = None
    if point is not None and point.rule.name == "costs" and goal.study is not None:
        cost = goal.study.cost(found.model)
    spread = {
        f"{name}{end}": number
        for name, numbers in (("difference", found.gap), ("cost", cost))
        for end, number in zip(("", "_low", "_high"), numbers or (None, None, None), strict=True)
    }
    return Recommendation(
        sentence=write_sentence(evidence, found),
        verdict=found.verdict,
        model=found.model,
        models=among.names,
        rules=goal.rules,
        given=evidence.given,
        point=point,
        points=() if found.rule is None else tuple(goal.points.values()),
        rival=found.rival,
        auc=area.value,
        auc_low=area.low,
        auc_high=area.high,
        alike=found.alike,
        level=level,
        notes=_note(among.first, found),
        **spread,
    )


def judge(evidence: Evidence) -> Finding:
    """Choose the named model and what may be said of it: the first statement that applies."""
    names, areas = evidence.among.names, evidence.areas
    by_area = sorted(names, key=lambda name: -areas[name].value)  # equal ones stay in their order
    unsettled = _find_unsettled(evidence)
    if unsettled is not None:
        return Finding(verdict=unsettled, model=by_area[0])
    if evidence.given:
        return _judge_by_rule(evidence, by_area)
    return _judge_by_area(evidence, by_area)


def _find_unsettled(evidence: Evidence) -> Verdict | None:
    """Find what must be settled before a model or a threshold is spoken of."""
    first = evidence.among.first
    if min(first.n_pos, first.n_neg) < FEWEST:
        return "few cases"
    if evidence.reversed:
        return "reversed"
    if evidence.two_valued:
        return "two values"
    if not any(map(evidence.beats_chance, evidence.among.names)):
        return "guessing"
    return None


def _judge_by_area(evidence: Evidence, by_area: Sequence[str]) -> Finding:
    """Judge models by their AUC, and by their points at usual rates."""
    goal = evidence.goal
    rule = Rule("fpr", find_usual_fpr(evidence.among.first)) if goal.rules else None
    best, others = by_area[0], by_area[1:]
    if not others:
        return Finding(verdict="one model", model=best, rule=rule)
    if evidence.refusal is not None:
        refused = evidence.refusal
        return Finding(
            verdict="not compared", model=best, rule=rule, rival=others[0], refused=refused
        )
    crossing = _find_crossing(evidence, best, others)
    if crossing is not None:
        return crossing
    alike = tuple(other for other in others if not evidence.ranks_better(best, other))
    rival = (*alike, *others)[0]
    if _rank_alike(evidence):
        return Finding(verdict="identical", model=best, rule=rule)
    return Finding(
        verdict="not told apart" if alike else "use",
        model=best,
        rule=rule,
        rival=rival,
        gap=_find_gap(evidence, best, rival, rule),
        alike=alike,
    )


def _judge_by_rule(evidence: Evidence, by_area: Sequence[str]) -> Finding:
    """Judge models by the points of given rules."""
    goal = evidence.goal
    by_cost = all(goal.ruling(name).rule.name == "costs" for name in by_area)
    order = sorted(by_area, key=lambda name: -goal.rank(name, by_cost=by_cost))
    best, others = order[0], order[1:]
    rule = goal.ruling(best).rule
    if not others:
        return Finding(verdict="one model", model=best, rule=rule)
    gaps: dict[str, Estimate] = {}
    for other in others:
        found = evidence.compare(best, other, rule)
        if isinstance(found, InputError):
            return Finding(
                verdict="not compared", model=best, rule=rule, rival=others[0], refused=found
            )
        gaps[other] = found
    if _rank_alike(evidence):
        return Finding(verdict="identical", model=best, rule=rule)
    alike = tuple(other for other in others if gaps[other].low <= 0.0)
    rival = (*alike, *others)[0]
    higher = [other for other in by_area if evidence.ranks_better(other, best)]
    return Finding(
        verdict="not told apart" if alike else "use",
        model=best,
        rule=rule,
        rival=rival,
        gap=_keep_reachable(evidence, best, rival, rule, gaps[rival]),
        alike=alike,
        better_area=higher[0] if higher and not alike else None,
    )


def _find_crossing(evidence: Evidence, best: str, others: Sequence[str]) -> Finding | None:
    """Find a model that is shown to find more than that of the highest AUC, at the usual rates."""
    usual = find_usual_fpr(evidence.among.first)
    for rule in sorted(evidence.goal.rules, key=lambda rule: _distance(rule.at, usual)):
        shown = {other: evidence.finds_more(other, best, rule) for other in others}
        gaps = {other: gap for other, gap in shown.items() if gap is not None}
        if gaps:
            other = max(gaps, key=lambda name: gaps[name].value)
            value, low, high = gaps[other]
            gap = Estimate(-value, -high, -low)
            return Finding(verdict="crossing", model=best, rule=rule, rival=other, gap=gap)
    return None


def _distance(rate: float, usual: float) -> float:
    return max(rate, usual) / min(rate, usual)


def _find_gap(evidence: Evidence, best: str, rival: str, rule: Rule | None) -> Estimate | None:
    """Return the difference from the rival at the same rate, where both have thresholds near it."""
    if rule is None:
        return None
    found = evidence.compare(best, rival, rule)
    return (
        None
        if isinstance(found, InputError)
        else _keep_reachable(evidence, best, rival, rule, found)
    )


def _keep_reachable(
    evidence: Evidence, best: str, rival: str, rule: Rule, gap: Estimate
) -> Estimate | None:
    near = all(evidence.goal.comes_near(name, rule) for name in (best, rival))
    return gap if near else None


def _rank_alike(evidence: Evidence) -> bool:
    """Tell whether all models rank the rows identically."""
    gaps = evidence.differences.values()
    return bool(gaps) and all(gap.low == gap.high == 0.0 for gap in gaps)


def _note(roc: RocCurve, found: Finding) -> tuple[str, ...]:
    """Return what a reader should know beside the sentence."""
    notes = []
    if found.refused is not None:
        notes.append(UNTESTED + " ".join(str(found.refused).split()))
    elif roc.folds and found.verdict in ("use", "not told apart"):
        notes.append(LEARNERS)
    if found.verdict != "few cases" and min(roc.n_pos, roc.n_neg) < FEW:
        sizes = f"{plural(roc.n_pos, 'positive')} and {plural(roc.n_neg, 'negative')}"
        notes.append(f"{sizes} are few: limits are wide.")
    return tuple(notes)

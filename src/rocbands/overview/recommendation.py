"""Which model to use, at which threshold, and what it then finds: one sentence."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocbands.auc import auc_interval
from rocbands.auc.folds import fold_auc_interval
from rocbands.core.checks import check_costs, check_level, check_number, check_share
from rocbands.core.models import Models, plural
from rocbands.core.phrases import (
    choose_digits,
    in_100,
    join_words,
    name_cases,
    say_limits,
    usual_fpr,
)
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.core.words import pick_one
from rocbands.errors import InputError, arg
from rocbands.overview.goals import (
    Achieved,
    AtFpr,
    AtRate,
    Candidates,
    Estimate,
    Goal,
    LowCost,
    MeanAuc,
    OptimisticCost,
)

FEW = 30  # cases of a class below which a note says that they are few
_MOST_NAMES = 3  # models that a sentence names
_UNNAMED = ("score", "y_score", "model")  # names that say nothing about the model
UNTESTED = "Whether the difference from the other models is chance was not tested: "


@dataclass(frozen=True, eq=False)
class Recommendation:
    """Which of some models to use, at which threshold, and what it then finds.

    Attributes
    ----------
    sentence : str
        All of it in words. It says "Use ..." only if limits show that the model is better than each
        of the others.
    model : str
        The model with the best estimate.
    models : tuple of str
        The models it was chosen from.
    goal : {'fpr', 'rate', 'costs', 'auc'}
        What it was chosen for: positives found at a false positive rate, or when a share of the
        cases is acted on; a low cost; with folds, whose models have no threshold in common, the
        mean AUC.
    at : float, (float, float) or None
        The false positive rate, the share, or the costs.
    threshold : float or None
        Its threshold; inf calls no case positive.
    tpr, tpr_low, tpr_high : float or None
        Rate of positives that it finds there, with limits that allow for the choice among `models`.
    fpr : float or None
        Its false positive rate on these rows.
    ppv, ppv_low, ppv_high : float or None
        Share of alarms that are right, at a given prevalence.
    cost, cost_low, cost_high : float or None
        Its cost for each 1000 cases.
    auc, auc_low, auc_high : float or None
        Its mean AUC, with folds.
    rival : str or None
        The model that it is compared with: the next best, or of those that cannot be told apart
        from it the best.
    difference, difference_low, difference_high : float or None
        By how much it is better than the rival, as a rate or a cost for each 1000 cases; limits
        are simultaneous for all pairs of models. None where the data do not allow a comparison.
    alike : tuple of str
        Models that cannot be told apart from it.
    guessing : bool
        Whether the limits allow for a model that knows nothing.
    reversed : bool
        Whether it ranks positives below negatives.
    level : float
        Confidence level.
    notes : tuple of str
        What the reader should know.
    """

    sentence: str
    model: str
    models: tuple[str, ...]
    goal: str
    at: float | tuple[float, float] | None
    threshold: float | None
    tpr: float | None
    tpr_low: float | None
    tpr_high: float | None
    fpr: float | None
    ppv: float | None
    ppv_low: float | None
    ppv_high: float | None
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    auc: float | None
    auc_low: float | None
    auc_high: float | None
    rival: str | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    alike: tuple[str, ...]
    guessing: bool
    reversed: bool
    level: float
    notes: tuple[str, ...]


def recommend(
    models: Models | RocCurve | Mapping[str, RocCurve],
    *,
    fpr: float | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    rate: float | None = None,
    level: float = 0.95,
    rng: Rng = "data",
) -> Recommendation:
    """Choose a model and a threshold, and say in one sentence what they achieve.

    At most one of `fpr`, `costs` and `rate` is given; otherwise the false positive rate is at most
    0.1, or lower if positives are rare.

    Parameters
    ----------
    models : Sample, ScoreCounts or RocCurve, or mapping of str to RocCurve
        One model or several of the same rows. Models are compared only where there are rows.
    fpr : float, optional
        The largest false positive rate.
    costs : (float, float), optional
        Costs of a missed positive and of a false alarm. Thresholds are chosen on one half of the
        rows and judged on the other, where possible.
    prevalence : float, optional
        Share of positives where the model will be used: for `costs`, and for the share of alarms
        that are right.
    rate : float, optional
        Share of the cases that can be acted on.
    level : float, default 0.95
        Confidence level.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness.

    Returns
    -------
    Recommendation
        The sentence and its numbers.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = recommend(rb.load_example())
    >>> print(found.sentence.partition("; ")[2].partition(".")[0])
    neighbours finds 23 fewer (11 to 36)
    """
    among = Candidates({"model": models} if isinstance(models, RocCurve) else models)
    goal, name, at = _read_goal(among, fpr, costs, rate, prevalence, check_level(level), rng)
    names = among.names
    order = sorted(names, key=goal.rank, reverse=True)  # equal ones stay in the order of the data
    best = order[0]
    found = goal.describe(best)
    gaps, notes = _compare_all(goal, order)
    alike = tuple(other for other, gap in gaps.items() if gap.low <= 0.0)
    rival = (*alike, *order[1:], None)[0]
    turned = _is_reversed(among, best, level)
    gap = gaps.get(rival) if rival is not None else None
    words = _Words(among, goal, name, at, order, alike, rival, gap, turned, bool(gaps), prevalence)
    roc = among.curve(best)
    if min(roc.n_pos, roc.n_neg) < FEW:
        sizes = f"{plural(roc.n_pos, 'positive')} and {plural(roc.n_neg, 'negative')}"
        notes = (*notes, f"{sizes} are few: limits are wide.")
    numbers: dict[str, Any] = {}
    for kind in ("tpr", "ppv", "cost", "auc"):
        numbers |= _spread(kind, getattr(found, kind))
    return Recommendation(
        sentence=words.write(found),
        model=best,
        models=names,
        goal=name,
        at=at,
        threshold=found.threshold,
        fpr=found.fpr,
        rival=rival,
        alike=alike,
        guessing=found.guessing,
        reversed=turned,
        level=level,
        notes=notes,
        **numbers,
        **_spread("difference", gap),
    )


def _is_reversed(among: Candidates, name: str, level: float) -> bool:
    """Tell whether limits show that a model ranks positives below negatives."""
    roc = among.curve(name)
    ask = fold_auc_interval if roc.folds else auc_interval
    return ask(roc, level=level).high < 0.5


def _spread(name: str, numbers: Estimate | None) -> dict[str, float | None]:
    value, low, high = numbers or (None, None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _read_goal(
    among: Candidates,
    fpr: float | None,
    costs: tuple[float, float] | None,
    rate: float | None,
    prevalence: float | None,
    level: float,
    rng: Rng,
) -> tuple[Goal, str, Any]:
    """Check what the best model is to achieve."""
    if prevalence is not None:
        prevalence = check_share(prevalence, "prevalence")
    given: dict[str, Any] = {"fpr": fpr, "costs": costs, "rate": rate}
    name, value = "fpr", None
    if any(one is not None for one in given.values()):
        name, value = pick_one(f"Pass, for example, {arg('fpr', 0.1)}.", **given)
    common: dict[str, Any] = {"among": among, "level": level, "rng": rng}
    first = among.curve(among.names[0])
    if name == "costs":
        pair = check_costs(value)
        kind = LowCost if LowCost.can_use(among.data) else OptimisticCost
        return kind(**common, costs=pair, prevalence=prevalence), name, pair
    if name == "rate":
        if prevalence is not None:
            raise InputError(
                f"{arg('rate')} is a share of cases like these rows",
                f"{arg('prevalence')} was given, too",
                f"Leave {arg('prevalence')} out.",
            )
        share = check_number(value, "rate", above=0, below=1)
        return AtRate(**common, rate=share), name, share
    if first.folds:
        return MeanAuc(**common), "auc", None
    if value is None:
        value = usual_fpr(first.n_pos, first.n_neg)
    value = check_number(value, "fpr", above=0, below=1)
    return AtFpr(**common, fpr=value, prevalence=prevalence), name, value


def _compare_all(goal: Goal, order: Sequence[str]) -> tuple[dict[str, Estimate], tuple[str, ...]]:
    """Compare the best model with each other one, by limits for all pairs (Bonferroni)."""
    pairs = len(order) * (len(order) - 1) // 2
    gaps: dict[str, Estimate] = {}
    for other in order[1:]:
        try:
            gaps[other] = goal.compare(order[0], other, 1.0 - (1.0 - goal.level) / pairs)
        except InputError as problem:
            return {}, (UNTESTED + " ".join(str(problem).split()),)
    return gaps, ()


@dataclass(frozen=True, eq=False)
class _Words:
    """The sentence of a recommendation."""

    among: Candidates
    goal: Goal
    name: str
    at: Any
    order: Sequence[str]
    alike: tuple[str, ...]
    rival: str | None
    gap: Estimate | None
    turned: bool
    tested: bool
    prevalence: float | None

    def write(self, found: Achieved) -> str:
        """Write which model to use, what it achieves, and how the threshold was chosen."""
        if self.turned:
            return (
                f"{self._subject} ranks {self._cases[0]} below {self._cases[1]}: is the right "
                "label the positive one?"
            )
        lead = self._lead(found)
        if self._finds_none(found):
            lead = lead if self.alike or found.guessing else ""
            who = "It" if lead and not self.alike else self._subject
            return " ".join(filter(None, [lead, self._say_none(who)]))
        said = f"{self._achieves(found)}{self._rival_clause}."
        return " ".join(filter(None, [lead, said, self._choice_of_threshold]))

    def _finds_none(self, found: Achieved) -> bool:
        return self.name == "fpr" and found.tpr is not None and found.tpr.value == 0.0

    def _say_none(self, who: str) -> str:
        """Say that no threshold is allowed, and what the highest one does, if it is of any use."""
        none = f"{who} finds no {self._cases[0]} with {self._at_most}"
        roc, best = self.goal.curve(self.order[0]), self.order[0]
        if not isinstance(self.goal, AtFpr) or not (roc.tpr[1] > 0.0 and roc.fpr[1] < 1.0):
            return f"{none}."
        top = self.goal.describe_threshold(best, roc.thresholds[0])
        return f"{none}. {self._achieves(top, 'it')}: no score is higher."

    @property
    def _subject(self) -> str:
        one = len(self.order) == 1 and self.order[0] in _UNNAMED
        return "The model" if one else self.order[0]

    @property
    def _cases(self) -> tuple[str, str]:
        return name_cases(*self.among.labels)

    def _lead(self, found: Achieved) -> str:
        """Say "Use ..." only on evidence."""
        nothing = "cost no less than without a model"
        may = f"may {nothing if self.name == 'costs' else 'be no better than guessing'}"
        if self.alike:
            may = f", and {may}" if found.guessing else ""
            return f"{_join([self.order[0], *self.alike])} cannot be told apart on these rows{may}."
        if found.guessing:
            return f"{self._subject} {may}."
        if len(self.order) == 1:
            return ""
        if not self.tested:
            most = "costs least" if self.name == "costs" else "has the largest mean AUC"
            most = "finds most" if self.name in ("fpr", "rate") else most
            return f"{self.order[0]} {most} on these rows, which may be chance."
        return f"Use {self.order[0]}."

    def _achieves(self, found: Achieved, who: str = "") -> str:
        """Say what a model finds at its threshold; `who` is its name, by default what fits."""
        if not who:
            named = bool(self.alike) or (len(self.order) == 1 and not found.guessing)
            who = self._subject if named else "it"
        if found.auc is not None:
            mean, low, high = found.auc
            said = f"{who} has a mean AUC of {mean:.2f} ({low:.2f} to {high:.2f}) over the folds"
            return said[0].upper() + said[1:] if who == "it" else said
        if found.tpr is None or found.fpr is None:
            raise ValueError("A model with a threshold has both rates.")
        positives, negatives = self._cases
        where = ""
        if self.name == "rate":
            where = f"acting on {in_100(self.at)} cases, "
        if found.threshold is not None:
            cut = self._write_threshold(found)
            where = where[:-2] + f" at threshold {cut}, " if where else f"at threshold {cut} "
        who = who[0].lower() + who[1:] if who == "The model" else who
        text = f"{where}{who} finds {in_100(*found.tpr, of=positives)}"
        alarms = f"alarms on {in_100(found.fpr)} {negatives}"
        if found.cost is not None:
            cost, least, most = (_money(number, found.cost) for number in found.cost)
            text += f", {alarms} and costs {cost} per 1000 cases ({least} to {most})"
        else:
            text += f" and {alarms}"
        if found.ppv is not None:
            text += (
                f"; at a prevalence of {100 * (self.prevalence or 0.0):.3g}% "
                f"{in_100(*found.ppv, of='alarms')} are right"
            )
        return text[0].upper() + text[1:]

    def _write_threshold(self, found: Achieved) -> str:
        """Write a threshold with the fewest digits at which the rates are the same as text."""
        cut = float(found.threshold or 0.0)
        if not np.isfinite(cut):
            return str(cut)
        roc = self.goal.curve(self.order[0])

        def show(value: float) -> tuple[str, str]:
            step = int(np.count_nonzero(roc.thresholds >= value))
            tpr = Estimate(*found.tpr)._replace(value=float(roc.tpr[step])) if found.tpr else ()
            return in_100(*tpr), in_100(float(roc.fpr[step]))

        shorter = (text for digits in range(2, 17) for text in _round_both(cut, digits))
        text = next((one for one in shorter if show(float(one)) == show(cut)), repr(cut))
        if 1e-5 <= abs(cut) < 1e16:
            text = np.format_float_positional(float(text), trim="-")
        return text

    @property
    def _rival_clause(self) -> str:
        if self.gap is None or self.rival is None:
            return ""
        value, low, high = self.gap
        next_best = "the next best, " if len(self.order) > 2 and not self.alike else ""
        who = f"; {next_best}{self.rival}{',' * bool(next_best)}"
        if self.name == "costs":
            verb, worse, better = "costs", "more", "less"
            numbers = [_money(abs(x), self.gap) for x in (value, low, high)]
        else:
            verb, worse, better = "finds", "fewer", "more"
            digits = choose_digits(100.0 * value, 100.0 * (high - low))
            numbers = [say_limits(abs(x), abs(x), digits).split(" to ")[0] for x in self.gap]
        if low > 0.0:
            return f"{who} {verb} {numbers[0]} {worse} ({numbers[1]} to {numbers[2]})"
        as_much = "as much" if self.name == "costs" else "as many"
        same = as_much if value == 0.0 else f"{numbers[0]} {worse}"
        limits = "" if low == high else f" ({numbers[1]} {better} to {numbers[2]} {worse})"
        chance = ", which may be chance" if value > 0.0 else ""
        return f"{who} {verb} {same}{limits}{chance}"

    @property
    def _at_most(self) -> str:
        size = 100
        while self.at * size < 1.0 - 1e-9 and size < 10**6:
            size *= 10
        number = f"{self.at * size:.3g}"
        alarms = "false alarm" if number == "1" else "false alarms"
        return f"at most {number} {alarms} in {size} {self._cases[1]}"

    @property
    def _choice_of_threshold(self) -> str:
        if self.name == "fpr":
            return f"The threshold is for {self._at_most}."
        if isinstance(self.goal, LowCost):
            return "The threshold was chosen on one half of the rows and judged on the other."
        if self.name == "costs":
            return "The threshold was chosen on these rows, so the numbers are optimistic."
        return "Each fold has its own model, so no threshold is given." * (self.name == "auc")


def _join(names: Sequence[str]) -> str:
    shown = list(names)
    if len(shown) > _MOST_NAMES + 1:
        shown = [*shown[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} others"]
    return join_words(shown)


def _round_both(value: float, digits: int) -> tuple[str, str]:
    """Round to significant digits: to the nearest, and down."""
    with decimal.localcontext(prec=digits) as context:
        context.rounding = decimal.ROUND_FLOOR
        return f"{value:.{digits}g}", f"{float(+decimal.Decimal(value))!r}"


def _money(value: float, numbers: Estimate) -> str:
    """Write a cost with the decimals that its limits allow."""
    digits = choose_digits(abs(numbers.value), numbers.high - numbers.low)
    return f"{round(value, digits) + 0.0:,.{digits}f}"

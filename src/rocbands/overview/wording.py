"""The sentence of a recommendation: which model to use, what it achieves, by how much more."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.phrases import UNNAMED, choose_digits, in_100, join_words, name_cases, say_limits
from rocbands.core.sample import Sample
from rocbands.overview.goals import Achieved, AtFpr, Candidates, Estimate, Goal, LowCost

_MOST_NAMES = 3  # models that a sentence names


class HigherAuc(NamedTuple):
    """A model whose AUC is shown to be higher than that of some others."""

    model: str
    others: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Wording:
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
    refused: str  # the design because of which models were not compared
    prevalence: float | None
    higher: HigherAuc | None  # among models that cannot be told apart otherwise

    def write(self, found: Achieved) -> str:
        """Write which model to use, what it achieves, and how the threshold was chosen."""
        if self.turned:
            return (
                f"{self._subject} ranks {self._cases[0]} below {self._cases[1]}: is the right "
                "label the positive one?"
            )
        lead = self._lead(found)
        if self.name == "fpr" and found.tpr is not None and found.tpr.value == 0.0:
            lead = lead if self.alike or found.guessing else ""
            who = "It" if lead and not self.alike else self._subject
            return " ".join(filter(None, [lead, self._say_none(who)]))
        said = f"{self._achieves(found)}{self._rival_clause}."
        return " ".join(filter(None, [lead, said, self._choice_of_threshold]))

    def _say_none(self, who: str) -> str:
        """Say that no threshold is allowed, and what the highest one does, if it is of any use."""
        where = "there" if self.alike else f"with {self._at_most}"
        none = f"{who} finds no {self._cases[0]} {where}"
        roc, best = self.goal.curve(self.order[0]), self.order[0]
        if not isinstance(self.goal, AtFpr) or not (roc.tpr[1] > 0.0 and roc.fpr[1] < 1.0):
            return f"{none}."
        top = self.goal.describe_threshold(best, roc.thresholds[0])
        return f"{none}. {self._achieves(top, 'it')}: no score is higher."

    @property
    def _subject(self) -> str:
        one = len(self.order) == 1 and self.order[0] in UNNAMED
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
            names = _join([self.order[0], *self.alike])
            where = f"{self._condition}, {names} cannot be told apart on these rows"
            return f"{where}{may}{self._area_clause}."
        if found.guessing:
            return f"{self._subject} {may}."
        if found.unclear:
            where = f"with {self._at_most}"
            if self.name == "rate":
                where = f"if {in_100(self.at)} cases are acted on"
            who = "the model" if self._subject == "The model" else self._subject
            return f"By its AUC {who} is better than guessing; {where} it may not be."
        if len(self.order) == 1:
            return ""
        if not self.tested:
            most = "costs least" if self.name == "costs" else "has the largest mean AUC"
            most = "finds most" if self.name in ("fpr", "rate") else most
            said = f"{self.order[0]} {most} on these rows; the models were not compared"
            return f"{said}{self._why_untested}."
        return f"Use {self.order[0]}."

    @property
    def _condition(self) -> str:
        """What the models are compared for."""
        if self.name == "fpr":
            return f"With {self._at_most}"
        return "At these costs" if self.name == "costs" else f"Acting on {in_100(self.at)} cases"

    @property
    def _area_clause(self) -> str:
        """Say which of the models that cannot be told apart has a higher AUC."""
        if self.higher is None:
            return ""
        than = f" than {_join(self.higher.others)}" if len(self.alike) > 1 else ""
        return f"; by AUC {self.higher.model} is higher{than}"

    @property
    def _why_untested(self) -> str:
        data = self.among.data
        if not isinstance(data, Sample):
            return ": counts do not say which scores belong to the same row"
        if self.name == "auc":
            return ": differences of the folds' mean AUC have no limits"
        return f": the rows have {self.refused}" if self.refused else ""

    def _achieves(self, found: Achieved, who: str = "") -> str:
        """Say what a model finds at its threshold; `who` is its name, by default what fits."""
        if not who:
            told = found.guessing or found.unclear
            named = bool(self.alike) or (len(self.order) == 1 and not told)
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
            where = "there " if self.alike else f"acting on {in_100(self.at)} cases, "
        if found.threshold is not None:
            cut = self._write_threshold(found)
            rate = self.name == "rate" and not self.alike
            where = f"{where[:-2]} at threshold {cut}, " if rate else f"at threshold {cut} "
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
            verb, worse = "costs", "more"
            numbers = [_money(abs(x), self.gap) for x in (value, low, high)]
        else:
            verb, worse = "finds", "fewer"
            digits = choose_digits(100.0 * value, 100.0 * (high - low))
            numbers = [say_limits(abs(x), abs(x), digits).split(" to ")[0] for x in self.gap]
        if low > 0.0:
            return f"{who} {verb} {numbers[0]} {worse} ({numbers[1]} to {numbers[2]})"
        as_much = "as much" if self.name == "costs" else "as many"
        same = as_much if value == 0.0 else f"{numbers[0]} {worse}"
        chance = ", which may be chance" if value > 0.0 else ""
        return f"{who} {verb} {same}{chance}"

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
        if self.name == "fpr":  # which models that cannot be told apart begin with
            return "" if self.alike else f"The threshold is for {self._at_most}."
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

"""Differences between groups of areas, and of rates at one threshold, with simultaneous limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

from rocbands.comparison.group_differences import Against
from rocbands.core.attributes import Axes, Level, Number, Rate, list_columns
from rocbands.core.checks import check_choice
from rocbands.core.phrases import UNNAMED, choose_digits, name_cases, say_limits
from rocbands.core.result import Result, document_plot, percent, require
from rocbands.core.tolerance import SLACK

Quantity: TypeAlias = Literal["auc", "tpr", "fpr", "ppv", "npv", "selection_rate"]
RATES: tuple[Quantity, ...] = ("tpr", "fpr", "ppv", "npv", "selection_rate")
QUANTITIES: tuple[Quantity, ...] = ("auc", *RATES)
NAMES: dict[Quantity, str] = {
    "auc": "AUC",
    "tpr": "TPR",
    "fpr": "FPR",
    "ppv": "PPV",
    "npv": "NPV",
    "selection_rate": "selection rate",
}


class GroupGap(NamedTuple):
    """The difference of one quantity between two groups.

    Attributes
    ----------
    quantity : {'auc', 'tpr', 'fpr', 'ppv', 'npv', 'selection_rate'}
        The area, or a rate at the threshold: 'ppv' is the share of true positives among the rows
        that are called positive, 'npv' that of true negatives among the others, 'selection_rate'
        the share of rows that are called positive.
    groups : (str, str)
        The groups; the second one may be 'the rest'.
    estimates : (float, float)
        The quantity in the first and in the second group; None if a group has no row of its
        denominator, as the PPV of a group in which nobody is called positive.
    difference, low, high : float or None
        The first estimate minus the second, and its limits.
    may_be_chance : bool or None
        Whether the limits contain 0.
    """

    quantity: Quantity
    groups: tuple[str, str]
    estimates: tuple[Rate | None, Rate | None]
    difference: float | None
    low: float | None
    high: float | None
    may_be_chance: bool | None

    @property
    def numbers(self) -> tuple[float, float, float, float, float]:
        """Both estimates, the difference and its limits, of a difference that is known."""
        found = (*self.estimates, self.difference, self.low, self.high)
        return cast(tuple[float, float, float, float, float], found)

    @property
    def larger_first(self) -> tuple[float, float, float]:
        """The larger estimate minus the smaller one, and its limits."""
        _, _, difference, low, high = self.numbers
        return (difference, low, high) if difference >= 0.0 else (-difference, -high, -low)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GroupGaps(Result):
    """Differences between groups of areas, and of rates at a common threshold.

    The limits of each quantity are simultaneous over all pairs of groups; each quantity has the
    level on its own. A sequence of :class:`GroupGap`.

    Attributes
    ----------
    gaps : tuple of GroupGap
        The differences, quantity by quantity.
    level : float
        Joint confidence level of the limits of one quantity.
    against : {'pairs', 'rest'}
        Whether groups are compared in pairs, or each with the pooled rows of all others.
    threshold : float or None
        The common threshold of rates.
    at_fpr : float or None
        If the threshold was chosen on these rows: the largest fpr over all rows that it may have.
    notes : tuple of str
        Notes on these differences.
    model : str or None
        The model.
    positive, negative : object
        The labels, where they are known.
    """

    schema: ClassVar[str] = "rocbands.group-gaps/1"
    FACTS: ClassVar[str] = "level against threshold at_fpr notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (str, "quantity group_1 group_2"),
        (Rate | None, "estimate_1 estimate_2"),
        (float | None, "difference low high"),
        (bool | None, "may_be_chance"),
    )

    gaps: tuple[GroupGap, ...]
    level: Level
    against: Against
    threshold: Number | None = None
    at_fpr: Rate | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None
    model: str | None = None
    positive: object = None
    negative: object = None

    def _check(self) -> None:
        require(self.gaps, "There must be at least one difference.")
        for gap in self.gaps:
            if None in gap.estimates:
                require(gap[3:] == (None,) * 4, f"An unknown difference has no limits; got {gap}.")
                continue
            one, two, difference, low, high = gap.numbers
            inside = -1.0 <= low <= difference <= high <= 1.0
            require(inside, f"Limits must contain the difference, inside [-1, 1]; got {gap}.")
            held = abs(one - two - difference) < SLACK
            require(held, f"A difference must be group 1 minus group 2; got {gap}.")

    def __len__(self) -> int:
        return len(self.gaps)

    def __iter__(self) -> Iterator[GroupGap]:
        return iter(self.gaps)

    def __getitem__(self, place: int) -> GroupGap:
        return self.gaps[place]

    def of(self, *quantities: Quantity) -> GroupGaps:
        """Return the differences of some quantities, in the given order."""
        for name in quantities:
            check_choice(name, QUANTITIES, "quantities")
        kept = tuple(gap for name in quantities for gap in self.gaps if gap.quantity == name)
        at: dict[str, Any] = {"threshold": None, "at_fpr": None}
        at = {} if {*quantities} & {*RATES} else at
        notes = self.notes if {*quantities} & {"ppv", "npv"} else ()  # on those without cases
        return replace(self, gaps=kept, notes=notes, **at)

    def columns(self) -> Mapping[str, Any]:
        rows = [(gap.quantity, *gap.groups, *gap.estimates, *gap[3:]) for gap in self.gaps]
        return dict(zip(self.COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    @property
    def sentence(self) -> str:
        """The largest difference in words, and whether it may be chance."""
        found, alarms = (tuple(g for g in self.gaps if g.quantity == name) for name in _SAID)
        if not found:
            areas = [gap for gap in self.gaps if gap.quantity == "auc"]
            return _say_areas(areas) if areas else ""
        if self.threshold is not None and math.isinf(self.threshold):
            return (
                "No threshold that calls anybody positive has at most "
                f"{100.0 * (self.at_fpr or 0.0):.4g} false alarms in 100 {self.cases[1]}."
            )
        who = self.subject
        for what, called in (("nobody", 0.0), ("everybody", 1.0)):
            rates = {rate for gap in (*found, *alarms) for rate in gap.estimates}
            if rates == {called}:
                return f"At threshold {self.threshold:.4g} {who} calls {what} positive."
        return " ".join(filter(None, (self._say_found(found), self._say_others(found, alarms))))

    @property
    def subject(self) -> str:
        """What the model is called in sentences."""
        return "the model" if self.model is None or self.model in UNNAMED else self.model

    @property
    def cases(self) -> tuple[str, str]:
        """What positives and negatives are called in sentences."""
        return name_cases(self.positive, self.negative)

    def _say_found(self, found: Sequence[GroupGap]) -> str:
        where = f"At threshold {self.threshold:.4g}"
        if self.at_fpr is not None:
            most = f"{100.0 * self.at_fpr:.4g} false alarms in 100 {self.cases[1]}"
            where += f", chosen on these rows for at most {most},"
        largest = _find_largest(found)
        one, two, gap = _say_rates(largest)
        first, second = largest.groups
        which = "the difference" if len(found) == 1 else f"the largest of {len(found)} differences"
        return (
            f"{where} {self.subject} finds {one} of {self.cases[0]} among {first} and {two} among "
            f"{second}; {which}, {gap}, {_say_chance(largest)}."
        )

    def _say_others(self, found: Sequence[GroupGap], alarms: Sequence[GroupGap]) -> str:
        """Say how many pairs differ; of two groups, whether false alarms differ."""
        differ = [[gap for gap in some if gap.may_be_chance is False] for some in (found, alarms)]
        if len(found) > 1:
            kind, rest = ("groups", " from the rest") if self.against == "rest" else ("pairs", "")
            if not any(differ):
                what = "in this or in false alarms" if alarms else "in this"
                who = "group differs from the rest" if self.against == "rest" else "pair differs"
                return f"No {who} by more than chance, {what}."
            count, verb = len(differ[0]) or "None", "differ" if len(differ[0]) > 1 else "differs"
            more = f", {len(differ[1]) or 'none'} in false alarms" if alarms else ""
            return (
                f"{count} of {len(found)} {kind} {verb}{rest} by more than chance in the share "
                f"found{more}."
            )
        if not differ[1]:
            return ""
        one, two, gap = _say_rates(differ[1][0])
        return f"False alarms differ: {one} of {self.cases[1]} and {two}, {gap}, more than chance."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        pairs = {gap.groups for gap in self.gaps}
        whose, together = "the first group minus the second", ""
        if len(pairs) == 1:
            whose = " minus ".join(*pairs)
        else:
            together = f" for all {len(pairs)} differences of a quantity together"
        alone = ", each quantity on its own" if len(self.gaps) > len(pairs) else ""
        lines = [
            f"Limits of {whose} have {percent(self.level)} confidence{together}{alone}. They "
            "combine limits of both groups (MOVER): mid-P of rates, score-delong of areas.",
            *self.notes,
        ]
        return "\n".join(lines), self.show()

    def show(self) -> Mapping[str, Any]:
        """Return the rows to print, with the estimates under the names of two groups."""
        columns = self.columns()
        pairs = list(zip(columns["group_1"], columns["group_2"], strict=True))
        heads, groups = ("first", "second"), {"groups": [" - ".join(pair) for pair in pairs]}
        # Names of two groups are titles of columns, if they are short and unlike the others.
        others = {"quantity", "difference", "low", "high", "chance"}
        short = max(map(len, pairs[0])) <= _LONGEST_HEAD
        if len(set(pairs)) == 1 and short and not others & {*pairs[0]}:
            heads, groups = pairs[0], {}
        words = {True: "may be", False: "no", None: None}
        return {
            "quantity": [NAMES[gap.quantity] for gap in self.gaps],
            **groups,
            **{head: columns[f"estimate_{i}"] for i, head in enumerate(heads, 1)},
            **{name: columns[name] for name in ("difference", "low", "high")},
            "chance": [words[one] for one in columns["may_be_chance"]],
        }

    def _brief(self) -> str:
        return f"{len(self)} differences between groups, {percent(self.level)} simultaneous limits"

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw all differences as a forest plot, with a line at 0."""
        return self._draw(locals())


_LONGEST_HEAD = 20  # characters
_SAID: tuple[Quantity, Quantity] = ("tpr", "fpr")  # quantities of the sentence


def _find_largest(gaps: Sequence[GroupGap]) -> GroupGap:
    return max(gaps, key=lambda gap: gap.larger_first[0])


def _say_rates(gap: GroupGap) -> tuple[str, str, str]:
    """Write both rates in percent, and the difference in points."""
    size, low, high = gap.larger_first
    digits = choose_digits(100.0 * size, 100.0 * (high - low))
    for _ in range(2):
        one, two, points = (f"{100.0 * x:.{digits}f}" for x in (*gap.numbers[:2], size))
        if math.isclose(abs(float(one) - float(two)), float(points), abs_tol=1e-9):
            break
        digits += 1  # the rounded rates have another difference
    limits = say_limits(low, high, digits)
    if gap.may_be_chance:  # limits on both sides of 0 would need a direction each
        limits = f"at most {max(high, -low) * 100.0:.{digits}f}"
    return f"{one}%", f"{two}%", f"{points} points ({limits})"


def _say_areas(areas: Sequence[GroupGap]) -> str:
    largest = _find_largest(areas)
    (one, two), (first, second) = largest.numbers[:2], largest.groups
    size, low, high = largest.larger_first
    which, more = "the difference", ""
    if len(areas) > 1:
        which = f"the largest of {len(areas)} differences"
        differ = sum(gap.may_be_chance is False for gap in areas)
        verb = "are" if differ > 1 else "is"
        more = f" {differ or 'None'} of {len(areas)} differences {verb} more than chance."
    limits = f"{low:.3f} to {high:.3f}"
    if largest.may_be_chance:
        limits = f"at most {max(high, -low):.3f}"
    return (
        f"The AUC is {one:.3f} among {first} and {two:.3f} among {second}; {which}, "
        f"{size:.3f} ({limits}), {_say_chance(largest)}.{more}"
    )


def _say_chance(gap: GroupGap) -> str:
    return "may be chance" if gap.may_be_chance else "is more than chance"

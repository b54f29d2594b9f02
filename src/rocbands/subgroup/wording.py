"""Sentences on groups of people: pairs that are shown to differ, then groups that are too small."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rocbands.core.phrases import (
    choose_digits,
    name_model,
    name_some,
    say_alarms,
    say_cases,
    say_few_clusters,
    write_number,
    write_share,
)

if TYPE_CHECKING:
    from rocbands.subgroup.gaps import GroupGap, GroupGaps, Quantity

_RATES: tuple[Quantity, ...] = ("tpr", "fpr")  # of the sentence; without them the AUC
_SAID = {"auc": "AUC", "tpr": "the share found", "fpr": "false alarms"}
_MOST_FURTHER = 3  # pairs that are named after the first


class _Numbers(NamedTuple):
    """The numbers of a difference as text; limits are those of the larger minus the smaller."""

    one: str
    two: str
    size: str
    low: str
    high: str
    most: str  # largest difference, in either direction, that the limits contain


@dataclass(frozen=True, eq=False)
class GroupSentences:
    """What is said of the differences between groups."""

    gaps: GroupGaps

    def write(self) -> list[str]:
        """Return the answer, then further pairs, then the groups that are too small to tell."""
        if not any(self._ranked.values()):
            return []
        clusters = say_few_clusters(self.gaps.clusters)
        settled = self._say_calls()
        answer = settled or (self._say_shown() if self._shown else self._say_none())
        more = [] if settled else [*self._say_further(), *self._say_small()]
        return [*filter(None, [clusters]), answer, *more]

    @cached_property
    def _ranked(self) -> dict[Quantity, list[GroupGap]]:
        """Differences of the quantities that are spoken of."""
        found = {name: self.gaps.rank(name) for name in _RATES}
        return {name: own for name, own in found.items() if own} or {"auc": self.gaps.rank("auc")}

    @cached_property
    def _shown(self) -> dict[Quantity, list[GroupGap]]:
        every = self._ranked.items()
        shown = {name: [gap for gap in own if gap.may_be_chance is False] for name, own in every}
        return {name: own for name, own in shown.items() if own}

    def _say_calls(self) -> str:
        """Say that a threshold calls nobody or everybody."""
        if "auc" in self._ranked:
            return ""
        if math.isinf(self.gaps.threshold or 0.0):
            alarms = say_alarms(self.gaps.at_fpr or 0.0, self.gaps.cases[1])
            return f"No threshold that calls anybody positive has at most {alarms}."
        rates = {rate for own in self._ranked.values() for gap in own for rate in gap.estimates}
        for what, called in (("nobody", 0.0), ("everybody", 1.0)):
            if rates == {called}:
                return f"{self._where} {self.gaps.subject} calls {what} positive."
        return ""

    def _say_shown(self) -> str:
        """Say the largest difference that is shown."""
        quantity, (gap, *_) = next(iter(self._shown.items()))
        numbers, (one, two) = _write(gap), map(_call, gap.groups)
        cases, model = self.gaps.cases, self.gaps.subject
        begins = {
            "auc": "The AUC is {}",
            "tpr": f"{self._where} {model} finds {{}} of {cases[0]}",
            "fpr": f"{self._where} {model} alarms on {{}} of {cases[1]}",
        }
        words = ("higher", "lower") if quantity == "auc" else ("more", "fewer")
        word = words[gap.numbers[2] < 0.0]
        return (
            f"{begins[quantity].format(numbers.one)} among {one} and {numbers.two} among {two}: "
            f"{_count(gap)} {word} ({numbers.low} to {numbers.high}), more than chance."
        )

    def _say_none(self) -> str:
        """Say that no pair is shown to differ, and how large a difference may be."""
        every = list(self._ranked.values())
        largest = max((own[0] for own in every), key=lambda gap: gap.larger_first[0])
        one, two = map(_call, largest.groups)
        between = f" between {one} and {two}" if len(every[0]) > 1 else ""
        between += " in false alarms" if largest.quantity == "fpr" else ""
        none = self._name_none(every[0])
        where = "" if "auc" in self._ranked else f"{self._where} "
        said = f"{where}{none} in {' or in '.join(_SAID[name] for name in self._ranked)}"
        return (
            f"{said[0].upper()}{said[1:]}; the largest difference, {_count(largest)}{between} (at "
            f"most {_write(largest).most}), may be chance."
        )

    def _name_none(self, gaps: Sequence[GroupGap]) -> str:
        """Name the groups of which no two are shown to differ."""
        against, names = self.gaps.against, {name for gap in gaps for name in gap.groups}
        if len(gaps) == 1:
            return f"no difference is shown between {' and '.join(map(_call, gaps[0].groups))}"
        if against == "pairs":
            return f"no two of {len(names)} groups are shown to differ"
        other = "the rest" if against == "rest" else _call(against)
        return f"none of {len(gaps)} groups is shown to differ from {other}"

    def _say_further(self) -> Iterator[str]:
        """Name further pairs that are shown, and those that are shown in false alarms, too."""
        for k, (quantity, gaps) in enumerate(self._shown.items()):
            further = gaps[1:] if k == 0 else gaps
            named = [
                f"{' and '.join(map(_call, gap.groups))} ({_write(gap).size})"
                for gap in further[:_MOST_FURTHER]
            ]
            if len(further) > _MOST_FURTHER:
                named.append(f"and {len(further) - _MOST_FURTHER} more")
            if named:
                where = f" in {_SAID[quantity]}" * bool(k)
                yield f"Also shown{where}: {', '.join(named)}."

    def _say_small(self) -> Iterator[str]:
        """Name the groups that are too small to tell: those without a pair that is shown."""
        shown = {name for own in self._shown.values() for gap in own for name in gap.groups}
        small = [
            f"{_call(name)} ({', '.join(map(say_cases, sizes, self.gaps.cases))})"
            for name, sizes in self.gaps.find_small().items()
            if name not in shown
        ]
        if small:
            yield f"{name_some(small)} {'is' if len(small) == 1 else 'are'} too small to tell."

    @property
    def _where(self) -> str:
        where = f"At threshold {self.gaps.threshold_text}"
        if self.gaps.at_fpr is None:
            return where
        alarms = say_alarms(self.gaps.at_fpr, self.gaps.cases[1])
        return f"{where}, chosen on these rows for at most {alarms},"


def _call(group: str) -> str:
    return name_model(group, "group")


def _count(gap: GroupGap) -> str:
    """Write the size of a difference with its unit."""
    size = _write(gap).size
    return size if gap.quantity == "auc" else f"{size} point{'s' * (size != '1')}"


def _write(gap: GroupGap) -> _Numbers:
    """Write areas with three decimals, rates in percent and their difference in points."""
    one, two, *_ = gap.numbers
    size, low, high = gap.larger_first
    numbers = one, two, size, low, high, max(high, -low)
    if gap.quantity == "auc":
        return _Numbers(*map(write_share, numbers))
    digits = choose_digits(100.0 * size, 100.0 * (high - low))
    first, second, points = (round(100.0 * x, digits) for x in (one, two, size))
    if not math.isclose(abs(first - second), points, abs_tol=1e-9):
        digits += 1  # the rounded rates have another difference
    one_, two_, *rest = (write_number(100.0 * x, digits) for x in numbers)
    return _Numbers(f"{one_}%", f"{two_}%", *rest)

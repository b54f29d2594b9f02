"""Differences between groups of areas, and of rates at one threshold, with simultaneous limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

from rocbands.core.attributes import Axes, Count, Level, Number, Rate, type_columns
from rocbands.core.checks import check_choice
from rocbands.core.phrases import FEW, UNNAMED, name_cases, name_model
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
    against : str
        Whether groups are compared in 'pairs', each with the pooled rows of all others ('rest'), or
        with the group of this name.
    threshold : float or None
        The common threshold of rates.
    threshold_text : str or None
        The threshold as it was given, or with as few digits as make the same calls.
    at_fpr : float or None
        If the threshold was chosen on these rows: the largest fpr over all rows that it may have.
    notes : tuple of str
        Notes on these differences.
    sizes : mapping of str to (int, int)
        Numbers of positives and of negatives of each group.
    clusters : int or None
        Number of clusters that the rows come from, if there are any.
    model : str or None
        The model.
    positive, negative : object
        The labels, where they are known.
    """

    schema: ClassVar[str] = "rocbands.group-gaps/2"
    FACTS: ClassVar[str] = "level against threshold threshold_text at_fpr notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "quantity group_1 group_2"),
        (Rate | None, "estimate_1 estimate_2"),
        (float | None, "difference low high"),
        (bool | None, "may_be_chance"),
    )

    gaps: tuple[GroupGap, ...]
    level: Level
    against: str
    threshold: Number | None = None
    threshold_text: str | None = None
    at_fpr: Rate | None = None
    notes: tuple[str, ...] = ()
    sizes: Mapping[str, tuple[Count, Count]] = field(default_factory=dict)
    clusters: Count | None = None
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
        of_rates = dict.fromkeys(("threshold", "threshold_text", "at_fpr"))
        at: dict[str, Any] = {} if {*quantities} & {*RATES} else of_rates
        notes = self.notes if {*quantities} & {"ppv", "npv"} else ()  # on those without cases
        return replace(self, gaps=kept, notes=notes, **at)

    def columns(self) -> Mapping[str, Any]:
        rows = [(gap.quantity, *gap.groups, *gap.estimates, *gap[3:]) for gap in self.gaps]
        return dict(zip(self.COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    @property
    def sentence(self) -> str:
        """The pairs that are shown to differ, largest first; then the groups too small to tell."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> list[str]:
        """The sentences of :attr:`sentence`."""
        from rocbands.subgroup.wording import GroupSentences

        return GroupSentences(self).write()

    def rank(self, quantity: Quantity) -> list[GroupGap]:
        """Return the differences that are shown, then those that may be chance, largest first."""

        def order(gap: GroupGap) -> tuple[bool, bool, float]:
            unknown = gap.difference is None
            size = round(abs(gap.difference or 0.0), 12)  # equal ones stay in their order
            return unknown, bool(gap.may_be_chance), -size

        return sorted((gap for gap in self.gaps if gap.quantity == quantity), key=order)

    @property
    def ranked(self) -> tuple[GroupGap, ...]:
        """All differences, quantity by quantity, each in the order of :meth:`rank`."""
        names = dict.fromkeys(gap.quantity for gap in self.gaps)
        return tuple(gap for name in names for gap in self.rank(name))

    def find_small(self) -> dict[str, tuple[int, int]]:
        """Return the sizes of the groups with few cases of a class."""
        return {name: sizes for name, sizes in self.sizes.items() if min(sizes) < FEW}

    @property
    def subject(self) -> str:
        """What the model is called in sentences."""
        unnamed = self.model is None or self.model in UNNAMED
        return "the model" if unnamed else name_model(str(self.model))

    @property
    def cases(self) -> tuple[str, str]:
        """What positives and negatives are called in sentences."""
        return name_cases(self.positive, self.negative)

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        pairs = {gap.groups for gap in self.gaps}
        whose, together = "the first group minus the second", ""
        if len(pairs) == 1:
            whose = " minus ".join(*pairs)
        else:
            together = f" for all {len(pairs)} differences of a quantity together"
        alone = ", each quantity on its own" if len(self.gaps) > len(pairs) else ""
        lines = [
            f"Limits of {whose} have {percent(self.level)} confidence{together}{alone}; a "
            "difference is shown if they exclude 0. They combine limits of both groups (MOVER): "
            "mid-P of rates, score-delong of areas.",
            *self.notes,
        ]
        return "\n".join(lines), self.show()

    def show(self) -> Mapping[str, Any]:
        """Return the rows to print, ranked, with the estimates under the names of two groups."""
        ranked = replace(self, gaps=self.ranked)
        columns = ranked.columns()
        pairs = list(zip(columns["group_1"], columns["group_2"], strict=True))
        heads, groups = ("first", "second"), {"groups": [" - ".join(pair) for pair in pairs]}
        # Names of two groups are titles of columns, if they are short and unlike the others.
        others = {"quantity", "difference", "low", "high", "shown"}
        short = max(map(len, pairs[0])) <= _LONGEST_HEAD
        if len(set(pairs)) == 1 and short and not others & {*pairs[0]}:
            heads, groups = pairs[0], {}
        words = {True: "no", False: "yes", None: None}
        return {
            "quantity": [NAMES[gap.quantity] for gap in ranked],
            **groups,
            **{head: columns[f"estimate_{i}"] for i, head in enumerate(heads, 1)},
            **{name: columns[name] for name in ("difference", "low", "high")},
            "shown": [words[one] for one in columns["may_be_chance"]],
        }

    def _brief(self) -> str:
        return f"{len(self)} differences between groups, {percent(self.level)} simultaneous limits"

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw all differences as a forest plot, with a line at 0."""
        return self._draw(ax, color=color)


_LONGEST_HEAD = 20  # characters

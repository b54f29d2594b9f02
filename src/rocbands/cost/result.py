"""Results about costs: costs with intervals, and the difference of two costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rocbands.core.attributes import Axes, Count, Derived, Level, Number, Rate, type_columns
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.columns import Numbers
from rocbands.core.comparison import BetterRange, find_better_runs, say_ranges
from rocbands.core.method import Coverage
from rocbands.core.phrases import choose_digits, count_classes, split_gap
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, document_plot, percent, require, title_columns
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.core.thresholds import write_given
from rocbands.cost.conditions import Sampling
from rocbands.cost.wording import (
    ERRORS,
    explain_scale,
    join_lines,
    number_of,
    say_ratio,
    select_rows,
    write_cost,
)

_SAMPLED = {
    "stratified": "their numbers fixed (stratified)",
    "full": "their numbers random (full)",
    "varying": "their share varying",
}
_UNITS = {
    "stratified": "% of the most that errors can cost",
    "full": " times the dearer error per 100 cases",
    "varying": " times the dearer error per 100 cases",
}


def _per_1000(name: str) -> Derived[FloatArray | None]:
    """Attribute `name` in the given costs for 1,000 rows; None where w was given."""

    def compute(result: _CostLimits) -> FloatArray | None:
        if result.per_row is None:
            return None
        with np.errstate(over="ignore"):  # costs may be as large as floats are
            return np.asarray(1000.0 * (result.per_row * getattr(result, name)))

    return Derived[FloatArray | None](compute, f"`{name}` in the given costs, for 1,000 rows.")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _CostLimits(Result):
    """Common part of costs and their differences: one row for each w."""

    RANGE: ClassVar[tuple[float, float]]  # that limits lie in

    w: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: Level
    method: str
    sampling: Sampling
    normaliser: str
    prevalence: Rate
    per_row: FloatArray | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    lower_per_1000 = _per_1000("lower")
    upper_per_1000 = _per_1000("upper")

    def _check(self) -> None:
        lowest, highest = self.RANGE
        lengths = {len(column) for column in self.columns().values()}
        require(len(lengths) == 1, "There must be one row for each w.")
        inside = (self.lower >= lowest) & (self.upper <= highest)
        require(inside.all(), f"Limits must lie between {lowest:g} and {highest:g}.")
        require((self.lower <= self.upper).all(), "A lower limit must not exceed the upper one.")

    def __len__(self) -> int:
        return int(self.w.size)

    @property
    def _where(self) -> str:
        return number_of(len(self), "operating condition")

    @property
    def _middle(self) -> int:
        """The row to speak of: the only one, or the one whose w is nearest to one half."""
        return int(np.argmin(np.abs(self.w - 0.5)))

    def _say_condition(self, row: int) -> str:
        return f"At costs {say_ratio(float(self.w[row]), self.prevalence)} {ERRORS}"

    def _say_cost(self, row: int, *values: float) -> list[str]:
        """Write a normalised cost, with its unit, and others: in the given costs, if any."""
        unit, words = self._choose_unit(row)
        digits = choose_digits(unit * abs(values[0]), unit * (max(values) - min(values)))
        first, *others = (write_cost(unit * value, digits) for value in values)
        return [first + words, *others]

    def _choose_unit(self, row: int) -> tuple[float, str]:
        """Return what a cost of 1 is in the unit of sentences, and that unit in words."""
        if self.per_row is not None:
            return 1000.0 * float(self.per_row[row]), " per 1,000 cases"
        return 100.0, _UNITS[self.sampling]

    def _explain(self) -> list[str]:
        """Say what a cost is, unless it is in the given costs."""
        return [] if self.per_row is not None else [explain_scale(self.sampling, self.prevalence)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostIntervals(_CostLimits, CurveFacts):
    """Normalised cost of thresholds that were chosen beforehand, with pointwise confidence limits.

    Attributes
    ----------
    w : ndarray of shape (k,)
        Operating conditions.
    cost, lower, upper : ndarray of shape (k,)
        The cost at each w and its limits, for the true cost of the threshold used there.
    threshold : ndarray of shape (k,)
        The thresholds; a row is called positive when its score >= threshold.
    fn, fp : ndarray of int64, shape (k,)
        Positives below the threshold and negatives at or above it.
    reliable : ndarray of str, shape (k,)
        Whether there are enough errors for a normal approximation: 'ok', 'caution' or 'unreliable'.
        If unreliable, 'gaussian' and 'exact' fail, but 'mover' and 'score' do not.
    inside : ndarray of bool, shape (k,)
        Whether the threshold lies within the scores of both classes; for drawing only.
    roc : RocCurve
        The counts that the costs come from.
    level : float
        Nominal confidence level of each interval.
    method : str
        How the limits were found.
    parameters : mapping
        Parameters of the method.
    needs_many_errors : bool
        Whether the limits fail where `reliable` says 'unreliable'.
    sampling : {'stratified', 'full', 'varying'}
        Whether the class sizes of test sets are fixed or random, or the share of positives varies
        between populations.
    normaliser : str
        The cost that counts as 1.
    prevalence : float
        Share of positives at which costs are turned into w: the given one, or the test set's.
    per_row : ndarray of shape (k,) or None
        What a cost of 1 is in the given costs, for each row; None where w was given.
    cost_per_1000, lower_per_1000, upper_per_1000 : ndarray of shape (k,) or None
        The cost and its limits in the given costs, for 1,000 rows.
    notes : tuple of str
        What the reader should know about these intervals.

    See Also
    --------
    rocbands.cost_interval : make them.
    """

    schema: ClassVar[str] = "rocbands.cost-intervals/2"
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = ("w", "lower", "cost", "upper")
    FACTS: ClassVar[str] = (
        "level method parameters sampling normaliser prevalence n_pos n_neg notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "w cost lower upper"), (Number, "threshold"), (Count, "fn fp"),
        (str, "reliable"), (bool, "inside"),
    )  # fmt: skip
    MORE: ClassVar[Mapping[str, Any]] = type_columns(
        (Number, "cost_per_1000 lower_per_1000 upper_per_1000")
    )
    RANGE: ClassVar[tuple[float, float]] = (0.0, 1.0)

    cost: FloatArray
    threshold: npt.NDArray[Any]
    fn: CountArray
    fp: CountArray
    reliable: npt.NDArray[np.str_]
    inside: BoolArray
    roc: RocCurve
    needs_many_errors: bool = False

    cost_per_1000 = _per_1000("cost")

    @property
    def sentence(self) -> str:
        """What errors cost at one operating condition, in the given costs if there are any."""
        row = self._middle
        cost, low, high = self._say_cost(
            row, *(float(part[row]) for part in (self.cost, self.lower, self.upper))
        )
        cut = self.threshold[row]
        rule = f"threshold {write_given(self.roc, cut)}"
        rule = "calling no case positive" if np.isposinf(cut) else rule
        return f"{self._say_condition(row)} {rule} costs {cost} ({low} to {high})."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        money = self.cost_per_1000
        what = "Cost" if money is None else "Cost per 1,000 rows in the given costs"
        sentences = [
            f"{what} at {self._where}: {percent(self.level)} confidence intervals ({self.method}, "
            "approximate).",
            "For thresholds that were chosen beforehand; pointwise, not simultaneous.",
            f"{count_classes(self.n_pos, self.n_neg)}, {_SAMPLED[self.sampling]}.",
            *self._explain(),
            *self.notes,
        ]
        limits = {name: getattr(self, name) for name in ("w", "cost", "lower", "upper")}
        if money is not None:
            lower, upper = self.lower_per_1000, self.upper_per_1000
            limits = {"cost_per_1000": money, "lower": lower, "upper": upper}
        others = {name: getattr(self, name) for name in ("threshold", "fn", "fp", "reliable")}
        rows = select_rows(limits | others)
        rows["threshold"] = [write_given(self.roc, cut) for cut in rows["threshold"]]
        return join_lines(sentences, len(self)), rows

    def _brief(self) -> str:
        return f"cost at {self._where}, {percent(self.level)} confidence intervals, {self.method}"

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        mask: bool = False,
        mark: Numbers = (),
        label: str | None = None,
        color: Any = None,
        prevalence: float | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw costs and their limits: a band for many w, intervals for a few.

        Parameters
        ----------
        mask : bool, default False
            Leave out w whose thresholds lie outside the scores of a class.
        mark : array-like, optional
            Some of the w, whose intervals are drawn as bars on the band.
        """
        return self._draw(
            ax,
            mask=mask,
            mark=mark,
            label=label,
            color=color,
            prevalence=prevalence,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            legend=legend,
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostDifference(_CostLimits):
    """Cost of model 1 minus cost of model 2, at thresholds chosen beforehand.

    A negative difference means that model 1 is cheaper.

    Attributes
    ----------
    w : ndarray of shape (k,)
        Operating conditions.
    difference, lower, upper : ndarray of shape (k,)
        The difference at each w and its limits, for the true costs of the thresholds used there.
    cost_1, cost_2 : ndarray of shape (k,)
        The costs themselves.
    threshold_1, threshold_2 : ndarray of shape (k,)
        The thresholds; a row is called positive when its score >= threshold.
    only_1_pos, only_2_pos, only_1_neg, only_2_neg : ndarray of int64, shape (k,)
        Numbers of positives and negatives that only model 1 or only model 2 calls positive; the
        limits depend on them. None for two test sets.
    names : (str, str)
        Names of the models.
    n_pos, n_neg : int
        Class sizes; with two test sets, of the first.
    paired : bool
        Whether both models scored the same rows.
    n_pos_2, n_neg_2 : int or None
        Class sizes of the second test set, if there are two.
    level : float
        Nominal confidence level: of each interval, or of all of them together.
    simultaneous : bool
        Whether the limits are simultaneous.
    critical_value : float
        Half the width of a normal interval in standard errors.
    method : str
        How the limits were found.
    parameters : mapping
        Parameters of the method.
    sampling : {'stratified', 'full', 'varying'}
        Whether the class sizes of test sets are fixed or random, or the share of positives varies
        between populations.
    normaliser : str
        The cost that counts as 1.
    prevalence : float
        Share of positives at which costs are turned into w: the given one, or the test set's.
    per_row : ndarray of shape (k,) or None
        What a cost of 1 is in the given costs, for each row; None where w was given.
    difference_per_1000, lower_per_1000, upper_per_1000 : ndarray of shape (k,) or None
        The difference and its limits in the given costs, for 1,000 rows.
    cost_1_per_1000, cost_2_per_1000 : ndarray of shape (k,) or None
        The costs themselves, likewise.
    better : tuple of BetterRange
        Where one model is shown to cost less: runs of w whose limits exclude 0.
    notes : tuple of str
        What the reader should know about these limits.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.

    See Also
    --------
    rocbands.cost_difference : make one.
    """

    schema: ClassVar[str] = "rocbands.cost-difference/4"
    FACTS: ClassVar[str] = (
        "names level coverage critical_value method parameters sampling normaliser prevalence "
        "better n_pos n_neg paired n_pos_2 n_neg_2 notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "w"), (float, "difference lower upper"), (Rate, "cost_1 cost_2"),
        (Number, "threshold_1 threshold_2"),
        (Count | None, "only_1_pos only_2_pos only_1_neg only_2_neg"),
    )  # fmt: skip
    MORE: ClassVar[Mapping[str, Any]] = type_columns(
        (Number, "difference_per_1000 lower_per_1000 upper_per_1000"),
        (Number, "cost_1_per_1000 cost_2_per_1000"),
    )
    RANGE: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    difference: FloatArray
    cost_1: FloatArray
    cost_2: FloatArray
    threshold_1: npt.NDArray[Any]
    threshold_2: npt.NDArray[Any]
    only_1_pos: CountArray | None = None
    only_2_pos: CountArray | None = None
    only_1_neg: CountArray | None = None
    only_2_neg: CountArray | None = None
    names: tuple[str, str]
    n_pos: Count
    n_neg: Count
    simultaneous: bool
    critical_value: float
    paired: bool = True
    n_pos_2: Count | None = None
    n_neg_2: Count | None = None
    frame: str | None = None
    simulation: Simulation | None = None

    difference_per_1000 = _per_1000("difference")
    cost_1_per_1000 = _per_1000("cost_1")
    cost_2_per_1000 = _per_1000("cost_2")

    @property
    def coverage(self) -> Coverage:
        """'simultaneous': the level is for all limits together; 'pointwise': for each of them."""
        return "simultaneous" if self.simultaneous else "pointwise"

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Where one model is shown to cost less: runs of w whose limits exclude 0.

        With pointwise limits that is often so at some w even if both models cost the same.
        """
        return find_better_runs(self.w, self.upper < 0, self.lower > 0)

    @property
    def sentence(self) -> str:
        """What both models cost at the only condition, or where one is shown to be cheaper."""
        one, two = self.names
        if len(self) > 1:
            return " ".join(self._verdicts())
        gap, low, high = (float(part[0]) for part in (self.difference, self.lower, self.upper))
        first = self._say_cost(0, float(self.cost_1[0]), low, high)[0]
        unit, words = self._choose_unit(0)
        second = self._say_cost(0, float(self.cost_2[0]), low, high)[0]
        second = second.removesuffix(words.removeprefix("%"))
        digits = choose_digits(unit * abs(gap), unit * (high - low))

        def write(cost: float) -> str:
            return write_cost(unit * cost, digits)

        size, more, limits = split_gap(gap, low, high, write, ("more", "less"))
        if words.startswith("%"):
            size += " point" if size == "1" else " points"
        chance = ", which may be chance" if low <= 0.0 <= high else ""
        return (
            f"{self._say_condition(0)} {one} costs {first} and {two} {second}: {size} {more} "
            f"({limits}){chance}."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        one, two = self.names
        other = ""
        if self.n_pos_2 is not None and self.n_neg_2 is not None:
            other = f"; {count_classes(self.n_pos_2, self.n_neg_2)}"
        money = self.difference_per_1000
        unit = "" if money is None else " per 1,000 rows in the given costs"
        sentences = [
            f"Cost of {one} minus cost of {two}{unit} at {self._where}.",
            f"Approximate {percent(self.level)} {self.coverage} confidence intervals "
            f"({self.method}), for thresholds that were chosen beforehand.",
            f"{count_classes(self.n_pos, self.n_neg)}{other}, {_SAMPLED[self.sampling]}.",
            *self._explain(),
            *self._caveats(),
            *self.notes,
        ]
        names = ["w", "difference", "lower", "upper", "cost_1", "cost_2"]
        heads = [*names[:4], *title_columns("cost", self.names)]
        if money is not None:
            names = [f"{name}_per_1000" for name in names[1:]]
            heads = [names[0], *heads[2:]]
        shown = {head: getattr(self, name) for head, name in zip(heads, names, strict=True)}
        return join_lines(sentences, len(self)), select_rows(shown)

    def _brief(self) -> str:
        one, two = self.names
        return (
            f"cost of {one} minus cost of {two} at {self._where}, {percent(self.level)} "
            f"{self.coverage} confidence intervals, {self.method}"
        )

    def _verdicts(self) -> list[str]:
        """Say where each model is shown to be cheaper."""
        verdicts = []
        for model, name in enumerate(self.names, 1):
            own = [(part.low, part.high) for part in self.better if part.model == model]
            if own:
                where = say_ranges(own, lambda w: say_ratio(w, self.prevalence))
                where = where.replace("at ", "of ")  # of single conditions
                verdicts.append(f"{name} is cheaper at costs {where} {ERRORS}.")
        return verdicts or ["Neither model is shown to be cheaper at any of these costs."]

    def _caveats(self) -> list[str]:
        if not self.better or len(self) == 1 or self.simultaneous:
            return []
        return [
            "Pointwise limits often exclude 0 at some w even if both models cost the same; "
            "simultaneous limits do not."
        ]

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        prevalence: float | None = None,
        ratios: bool = True,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the difference with its limits, and where one model is cheaper.

        Parameters
        ----------
        ratios : bool, default True
            Whether there is an upper axis.
        """
        return self._draw(ax, prevalence=prevalence, ratios=ratios, legend=legend)

"""Two models compared by one number, and ranges along an axis in which one is better.

Differences are always model 1 minus model 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rocbands.core.attributes import Axes, Count, Level, Number, Rate, type_columns
from rocbands.core.checks import BoolArray, FloatArray, check_number
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative
from rocbands.core.phrases import say_ends, write_share, write_shares
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, document_plot, percent, require, title_columns
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, Message, arg


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Two models compared by one number: the difference, its interval and its test.

    Attributes
    ----------
    names : (str, str)
        The models.
    quantity : str
        What is compared, such as 'AUC'.
    estimates : (float, float)
        The quantity for model 1 and for model 2.
    difference, low, high : float
        The quantity of model 1 minus the quantity of model 2, and its confidence limits, between -1
        and 1; a one-sided interval ends at -1 or 1.
    pvalue : float
        P-value of the test of `hypothesis`, against `alternative`.
    verdict : str
        The outcome in one sentence. It follows from the interval: one model is higher if the limits
        exclude 0. For a test that is not about `quantity`, such as a test of equal curves, it
        follows from the p-value.
    standard_error : float or None
        Standard error of the difference, where the method has one.
    level : float
        Confidence level of the interval; a p-value below 1 - level is called evidence.
    statistic : float or None
        Test statistic, which depends on the method; for 'delong' the difference in standard errors,
        also where the p-value inverts the interval. None if the method has none.
    df : float or None
        Degrees of freedom, where the statistic follows Student's t.
    method : str
        Method of the test.
    parameters : mapping
        The method's parameters and their values.
    interval_method : str
        Method of the confidence interval.
    hypothesis : str
        The null hypothesis, such as 'equal AUCs' or 'equal ROC curves'.
    paired : bool
        Whether both models scored the same rows.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is better.
    margin : float or None
        Margin of a non-inferiority test. Its null hypothesis is that model 1 is worse by `margin`
        or more.
    n_pos, n_neg : int
        Class sizes; of two test sets, those of the first.
    notes : tuple of str
        Notes on this comparison.
    question : str
        What must be settled first: whether larger scores of a model mean more positive, if its AUC
        is shown to be below one half. Else empty.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.
    """

    schema: ClassVar[str] = "rocbands.comparison/4"
    ONE_ROW: ClassVar[bool] = True
    FACTS: ClassVar[str] = (
        "names quantity estimates difference low high standard_error level statistic df pvalue "
        "method parameters interval_method hypothesis paired alternative margin verdict notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "model_1 model_2"),
        (Rate, "estimate_1 estimate_2"),
        (float, "difference low high"),
        (Number | None, "statistic"),
        (Rate, "pvalue"),
    )

    names: tuple[str, str]
    quantity: str
    estimates: tuple[Rate, Rate]
    difference: float
    low: float
    high: float
    pvalue: Rate
    level: Level
    method: str
    interval_method: str
    hypothesis: str
    n_pos: Count
    n_neg: Count
    statistic: Number | None = None
    standard_error: float | None = None
    df: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    paired: bool = True
    alternative: Alternative = "two-sided"
    margin: float | None = None
    notes: tuple[str, ...] = ()
    question: str = ""
    frame: str | None = None
    simulation: Simulation | None = None

    def _check(self) -> None:
        require(
            -1.0 <= self.low <= self.difference <= self.high <= 1.0,
            f"Limits must lie between -1 and 1 and contain the difference; got {self.low} to "
            f"{self.high} for {self.difference}.",
        )
        one, two = self.estimates
        require(
            abs(one - two - self.difference) < SLACK,
            f"A difference must be model 1 minus model 2; got {self.difference} for {one} and "
            f"{two}.",
        )

    @property
    def interval(self) -> Interval:
        """The difference with its limits, as an interval by itself."""
        of_difference = self._about_quantity
        return Interval(
            quantity=f"difference of {self.quantity}",
            estimate=self.difference,
            low=self.low,
            high=self.high,
            level=self.level,
            method=self.interval_method,
            parameters=self.parameters,
            n_pos=self.n_pos,
            n_neg=self.n_neg,
            standard_error=self.standard_error,
            alternative=self.alternative,
            null=-(self.margin or 0.0) + 0.0 if of_difference else None,
            pvalue=self.pvalue if of_difference else None,
            target=f"{self.quantity} of {self.names[0]} minus {self.quantity} of {self.names[1]}",
            frame=self.frame,
        )

    @property
    def _about_quantity(self) -> bool:
        """Whether the test is about the difference; a test of equal curves is not."""
        return self.margin is not None or self.hypothesis.startswith(f"equal {self.quantity}")

    @property
    def verdict(self) -> str:
        """The outcome in one sentence."""
        one, two = self.names
        if self.margin is not None:
            claim = f"worse than {two} by {self.margin:g} or more in {self.quantity}"
            return (
                f"Not inferior: {one} is not {claim}."
                if self.low > -self.margin
                else f"Non-inferiority not shown: {one} may be {claim}."
            )
        if not self._about_quantity:
            rejected = self.pvalue < (1.0 - self.level) * (1.0 - SLACK)
            evidence = "Evidence" if rejected else "No evidence"
            return f"{evidence} against {self.hypothesis}."
        if self.low <= 0.0 <= self.high:
            if self.alternative == "two-sided":
                return f"No difference in {self.quantity} is shown."
            asked = "higher" if self.alternative == "greater" else "lower"
            return f"{one} is not shown to have a {asked} {self.quantity} than {two}."
        word = "higher" if self.low > 0.0 else "lower"
        return f"The {self.quantity} of {one} is {word} than that of {two}."

    @property
    def sentence(self) -> str:
        """The verdict, and the difference with its limits."""
        said = self.verdict.removesuffix(".")
        stop = ";" if ":" in said else ":"
        one, two = map(write_share, self.estimates)
        gap, *ends = write_shares(self.difference, self.low, self.high)
        limits = f"{percent(self.level)} interval {say_ends(ends, self.alternative)}"
        return (
            f"{self.question} {said}{stop} {one} and {two}, difference {gap} ({limits}).".lstrip()
        )

    @property
    def _title(self) -> str:
        return self.quantity[0].upper() + self.quantity[1:]

    def columns(self) -> Mapping[str, Any]:
        numbers = ("difference", "low", "high", "statistic", "pvalue")
        return {
            **{f"model_{place}": [name] for place, name in enumerate(self.names, 1)},
            **{f"estimate_{place}": [value] for place, value in enumerate(self.estimates, 1)},
            **{name: [getattr(self, name)] for name in numbers},
        }

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        one, two = self.names
        rows = "the same rows" if self.paired else "different rows"
        side = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        lines = [
            f"{self._title} of {one} minus {two} on {rows}, with {percent(self.level)} confidence "
            f"limits ({self.interval_method}{side}).",
            f"Test of {self.hypothesis} ({self.method}): p = {self.pvalue:.4g}.",
            *self.notes,
        ]
        heads = title_columns(self.quantity.partition(" at ")[0], self.names)
        named = {head: [x] for head, x in zip(heads, self.estimates, strict=True)}
        columns = self.columns()
        shown = ["difference", "low", "high", "statistic", "pvalue"]
        if self.statistic is None:
            shown.remove("statistic")
        return "\n".join(lines), named | {name: columns[name] for name in shown}

    def _brief(self) -> str:
        return (
            f"{self.quantity} of {self.names[0]} minus {self.names[1]}: {self.difference:.4f}, "
            f"{percent(self.level)} confidence interval {self.low:.4f} to {self.high:.4f}, "
            f"p = {self.pvalue:.4g}"
        )

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw the difference with its interval, as a row of a forest plot."""
        return self._draw(ax, color=color)


def convert_margin(alternative: Any, margin: Any, most: float = 1.0) -> tuple[Any, float]:
    """Return the alternative and the difference under the null hypothesis.

    Non-inferiority: the null hypothesis is a difference of -margin, the alternative 'greater'.
    `most`: the largest possible difference.
    """
    if margin is None:
        return alternative, 0.0
    margin = check_number(margin, "margin", above=0.0, below=most)
    if alternative == "less":
        raise InputError(
            Message(
                "{} asks whether the first is not worse than the second, which is 'greater'",
                arg("margin"),
            ),
            Message("got {}", arg("alternative", "less")),
            "Exchange them to ask the same of the second.",
        )
    return ("greater" if alternative == "two-sided" else alternative), -margin


# ------------------------------------------------------------------------------ where one is better


class BetterRange(NamedTuple):
    """A range along an axis in which one of two models is shown to be better.

    The axis is that of the result: false positive rates, rates, threshold probabilities, or
    operating conditions.

    Attributes
    ----------
    model : {1, 2}
        The better model.
    low, high : float
        Ends of the range.
    """

    model: int
    low: float
    high: float


def find_better_lines(
    x: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[BetterRange, ...]:
    """Find where limits that are straight lines between the points `x` have the same sign."""
    found = [BetterRange(1, *ends) for ends in _find_positive_ranges(x, lower)]
    found += [BetterRange(2, *ends) for ends in _find_positive_ranges(x, -upper)]
    return tuple(sorted(found, key=lambda part: part.low))


def find_better_runs(x: FloatArray, first: BoolArray, second: BoolArray) -> tuple[BetterRange, ...]:
    """Find runs of neighbouring points `x` at which model 1, or model 2, is better.

    `x` (k,): in any order. `first`, `second` (k,): where model 1 and where model 2 is better.
    """
    order = np.argsort(x, kind="stable")
    model = np.where(first, 1, np.where(second, 2, 0))[order]
    ends = np.concatenate(([0], np.flatnonzero(np.diff(model)) + 1, [x.size]))
    return tuple(
        BetterRange(int(model[i]), float(x[order[i]]), float(x[order[j - 1]]))
        for i, j in pairwise(ends)
        if model[i]
    )


def _find_positive_ranges(x: FloatArray, y: FloatArray) -> list[tuple[float, float]]:
    """Ranges in which the line through the points (x, y) is positive, ends at its zeros."""
    positive = y > SAME
    edge = np.diff(positive.astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1) - 1
    return [
        (_find_zero(x, y, int(i), int(i) - 1), _find_zero(x, y, int(j), int(j) + 1))
        for i, j in zip(first, last, strict=True)
    ]


def _find_zero(x: FloatArray, y: FloatArray, inside: int, outside: int) -> float:
    """Where the line from a positive point to its neighbour is 0; at an end, the end itself."""
    if not 0 <= outside < x.size:
        return float(x[inside])
    share = y[inside] / (y[inside] - y[outside])
    return float(x[inside] + share * (x[outside] - x[inside]))


def say_ranges(
    ranges: Sequence[tuple[float, float]], write: Callable[[float], str] = "{:.3g}".format
) -> str:
    """Name ranges in rising order; of many, or with short gaps, only their ends.

    Examples
    --------
    >>> say_ranges([(0.02, 0.0393), (0.0426, 0.441), (0.464, 0.684)])
    'between 0.02 and 0.684, with gaps'
    >>> say_ranges([(0.02, 0.04), (0.1, 0.1)])
    'from 0.02 to 0.04 and at 0.1'
    """
    low, high = ranges[0][0], ranges[-1][1]
    mostly = sum(end - start for start, end in ranges) > (high - low) / 2.0
    if len(ranges) > 2 or (len(ranges) == 2 and mostly):
        return f"between {write(low)} and {write(high)}, {'with gaps' if mostly else 'in parts'}"
    return " and ".join(
        f"from {write(low)} to {write(high)}" if high > low else f"at {write(low)}"
        for low, high in ranges
    )

"""A confidence interval for one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rocbands.core.attributes import Axes, Count, Level, Number, Rate, type_columns
from rocbands.core.checks import FloatArray
from rocbands.core.method import Alternative
from rocbands.core.phrases import choose_digits, count_classes, say_ends, write_shares
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, document_plot, percent, require


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Interval(Result):
    """An estimate with its confidence limits.

    Attributes
    ----------
    quantity : str
        What is estimated, such as 'AUC'.
    estimate, low, high : float
        The estimate and its limits; a one-sided interval extends to the end of the range.
    standard_error : float or None
        Standard error of the estimate, where the method has one.
    level : float
        Nominal confidence level.
    method : str
        How the limits were computed.
    parameters : dict
        The method's parameters, such as the number of resamples.
    alternative : {'two-sided', 'less', 'greater'}
        'greater' has a lower limit only, 'less' an upper one only.
    null : float or None
        Value under the null hypothesis of `pvalue`.
    pvalue : float or None
        P-value of the test that the quantity equals `null`, against `alternative`.
    target : str
        The parameter that the interval is for.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        Notes on this interval.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.
    """

    schema: ClassVar[str] = "rocbands.interval/3"
    ONE_ROW: ClassVar[bool] = True
    FACTS: ClassVar[str | tuple[str, ...]] = (
        "quantity estimate low high standard_error level method parameters alternative null "
        "pvalue target n_pos n_neg notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "quantity"),
        (float, "estimate low high"),
        (float | None, "standard_error"),
        (Level, "level"),
        (str, "method"),
    )

    quantity: str
    estimate: float
    low: float
    high: float
    level: Level
    method: str
    n_pos: Count
    n_neg: Count
    parameters: Mapping[str, Any] = field(default_factory=dict)
    standard_error: float | None = None
    alternative: Alternative = "two-sided"
    null: float | None = None
    pvalue: Rate | None = None
    target: str = ""
    notes: tuple[str, ...] = ()
    frame: str | None = None
    simulation: Simulation | None = None

    def _check(self) -> None:
        require(
            self.low <= self.estimate <= self.high,
            f"An interval must contain its estimate; {self.estimate} is not between {self.low} and "
            f"{self.high}.",
        )

    def _brief(self) -> str:
        return (
            f"{self.quantity} {self.estimate:.4f}, {percent(self.level)} confidence interval "
            f"{self.low:.4f} to {self.high:.4f}, {self.method}"
        )

    @property
    def sentence(self) -> str:
        """The estimate and its limits, and for an AUC what it means."""
        what = self.quantity[0].upper() + self.quantity[1:]
        value, *ends = write_shares(self.estimate, self.low, self.high)
        limits = f"{percent(self.level)} interval {say_ends(ends, self.alternative)}"
        said = f"{what} {value} ({limits})"
        if self.quantity != "AUC":
            return f"{said}."
        if self.low <= 0.5 <= self.high:
            return f"{said}: the scores may be no better than guessing."
        if self.high < 0.5:
            return f"{said}: positives rank below negatives. Is the right label the positive one?"
        digits = choose_digits(100.0 * self.estimate, 100.0 * (self.high - self.low))
        pairs = f"{100.0 * self.estimate:.{digits}f} of 100 pairs of a positive and a negative"
        return f"{said}: {pairs} are ranked correctly, ties counting one half."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        side = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        target = f" for the {self.target}" if self.target else ""
        lines = [
            f"{percent(self.level)} confidence interval ({self.method}{side}){target}.",
            f"{count_classes(self.n_pos, self.n_neg)}.",
        ]
        if self.pvalue is not None:
            lines.append(f"Test of {self.quantity} = {self.null:g}: p = {self.pvalue:.4g}.")
        names = ("estimate", "low", "high", "standard_error")
        rows = {name: [getattr(self, name)] for name in names if getattr(self, name) is not None}
        return "\n".join([*lines, *self.notes]), rows

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Axes:
        """Draw a row of a forest plot, below the rows that are on the axes already."""
        return self._draw(ax, label=label, color=color, line_kwargs=line_kwargs)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FoldInterval(Interval):
    """An interval made from folds.

    Attributes
    ----------
    fold_estimates : ndarray of shape (k,)
        The estimate of each fold.
    unclipped : tuple of two floats
        The limits before clipping to the range of the quantity; infinite if a one-sided interval
        has none.
    """

    schema: ClassVar[str] = "rocbands.fold-interval/3"
    FACTS: ClassVar[tuple[str, ...]] = (*Interval.FACTS, "fold_estimates", "unclipped")

    fold_estimates: FloatArray
    unclipped: tuple[Number, Number]

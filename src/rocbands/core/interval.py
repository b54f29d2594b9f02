"""A confidence interval for one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rocbands.core.checks import FloatArray
from rocbands.core.method import Alternative, check_alternative
from rocbands.core.result import Result

__all__ = ["Alternative", "FoldInterval", "Interval", "check_alternative"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Interval(Result):
    """An estimate with its confidence limits.

    Attributes
    ----------
    quantity : str
        What is estimated, such as 'AUC'.
    estimate, low, high : float
        The estimate and its limits; a one-sided interval ends at the end of the quantity's range.
    level : float
        Nominal confidence level.
    method : str
        How the limits were found.
    standard_error : float or None
        Of the estimate, where the method has one.
    alternative : {'two-sided', 'less', 'greater'}
        'greater' has a lower limit only, 'less' an upper one only.
    null : float or None
        Value that `pvalue` is for.
    pvalue : float or None
        Of the test that the quantity equals `null`, against `alternative`.
    n_pos, n_neg : int
        Class sizes.
    target : str
        What the interval is for.
    notes : tuple of str
        What the reader should know about this very interval.
    """

    schema: ClassVar[str] = "rocbands.interval/1"

    quantity: str
    estimate: float
    low: float
    high: float
    level: float
    method: str
    n_pos: int
    n_neg: int
    standard_error: float | None = None
    alternative: Alternative = "two-sided"
    null: float | None = None
    pvalue: float | None = None
    target: str = ""
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def __post_init__(self) -> None:
        assert self.low <= self.estimate <= self.high, "an interval must hold its estimate"

    def facts(self) -> Mapping[str, object]:
        return {
            "quantity": self.quantity,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "level": self.level,
            "method": self.method,
            "alternative": self.alternative,
            "null": self.null,
            "pvalue": self.pvalue,
            "target": self.target,
            "n_pos": self.n_pos,
            "n_neg": self.n_neg,
            "notes": self.notes,
        }

    def columns(self) -> Mapping[str, Any]:
        return {
            "quantity": [self.quantity],
            "estimate": [self.estimate],
            "low": [self.low],
            "high": [self.high],
            "standard_error": [self.standard_error],
            "level": [self.level],
            "method": [self.method],
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        side = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        lines = [
            f"{self.quantity} {self.estimate:.4f}, {self.level:.10g} confidence interval "
            f"{self.low:.4f} to {self.high:.4f} ({self.method}{side}).",
            f"{self.n_pos} positives, {self.n_neg} negatives; for the {self.target}."
            if self.target
            else f"{self.n_pos} positives, {self.n_neg} negatives.",
        ]
        if self.pvalue is not None:
            lines.append(f"Test of {self.quantity} = {self.null:g}: p = {self.pvalue:.4g}.")
        shown = ("estimate", "low", "high", "standard_error")
        columns = self.columns()
        rows = {name: columns[name] for name in shown if columns[name][0] is not None}
        return "\n".join([*lines, *self.notes]), rows


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FoldInterval(Interval):
    """An interval made from folds.

    Attributes
    ----------
    fold_estimates : ndarray of shape (k,)
        The estimate of each fold.
    unclipped : tuple of two floats
        The limits before they were cut off at the ends of the quantity's range; infinite where a
        one-sided interval has none.
    """

    schema: ClassVar[str] = "rocbands.fold-interval/1"

    fold_estimates: FloatArray
    unclipped: tuple[float, float]

    def facts(self) -> Mapping[str, object]:
        facts = super().facts()
        return {**facts, "fold_estimates": self.fold_estimates, "unclipped": self.unclipped}

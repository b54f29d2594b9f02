"""What a comparison of two or more classifiers says. Differences are model 1 minus model 2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, ClassVar

from rocbands.core.checks import FloatArray, frozen
from rocbands.core.interval import Alternative, Interval
from rocbands.core.result import Result

__all__ = ["Comparison", "Comparisons"]

_WIDTH = 98  # of a line in a terminal


def _short(notes: tuple[str, ...]) -> list[str]:
    return [line for note in notes for line in wrap(note, _WIDTH)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Two classifiers side by side.

    Attributes
    ----------
    names : (str, str)
        The models.
    quantity : str
        What is compared, such as 'AUC'.
    estimates : (float, float)
        The quantity for model 1 and for model 2.
    difference : Interval
        Model 1 minus model 2, with its confidence limits.
    statistic : float
        Of the test; the method says which.
    pvalue : float
        Of the test of `hypothesis`, against `alternative`.
    method : str
        How the test was made.
    hypothesis : str
        What the test doubts, such as 'equal AUCs' or 'equal ROC curves'.
    paired : bool
        Whether both models scored the same rows.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is better.
    margin : float or None
        Of a test of non-inferiority: the test doubts that model 1 is worse by `margin` or more.
    level : float
        Confidence level of the interval; a p-value below 1 - level is called evidence.
    df : float or None
        Degrees of freedom, where the statistic follows Student's t.
    notes : tuple of str
        What the reader should know about this very comparison.
    verdict : str
        The outcome in one sentence.
    """

    schema: ClassVar[str] = "rocbands.comparison/1"

    names: tuple[str, str]
    quantity: str
    estimates: tuple[float, float]
    difference: Interval
    statistic: float
    pvalue: float
    method: str
    hypothesis: str
    paired: bool = True
    alternative: Alternative = "two-sided"
    margin: float | None = None
    df: float | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def __post_init__(self) -> None:
        assert 0.0 <= self.pvalue <= 1.0, "a p-value is a probability"

    @property
    def level(self) -> float:
        """Confidence level of the interval."""
        return self.difference.level

    @property
    def verdict(self) -> str:
        """The outcome in one sentence."""
        one, two = self.names
        shown = self.pvalue < 1.0 - self.level
        if self.margin is not None:
            claim = f"worse than {two} by {self.margin:g} or more in {self.quantity}"
            return (
                f"Not inferior: {one} is not {claim}."
                if shown
                else f"Non-inferiority not shown: {one} may be {claim}."
            )
        if not shown:
            return f"No evidence against {self.hypothesis}."
        if not self.hypothesis.startswith(f"equal {self.quantity}"):
            return f"Evidence against {self.hypothesis}."
        word = "higher" if self.estimates[0] > self.estimates[1] else "lower"
        return f"The {self.quantity} of {one} is {word} than that of {two}."

    def facts(self) -> Mapping[str, object]:
        return {
            "names": self.names,
            "quantity": self.quantity,
            "estimates": self.estimates,
            "difference": self.difference.estimate,
            "low": self.difference.low,
            "high": self.difference.high,
            "standard_error": self.difference.standard_error,
            "level": self.level,
            "statistic": self.statistic,
            "df": self.df,
            "pvalue": self.pvalue,
            "method": self.method,
            "interval_method": self.difference.method,
            "hypothesis": self.hypothesis,
            "paired": self.paired,
            "alternative": self.alternative,
            "margin": self.margin,
            "verdict": self.verdict,
            "notes": self.notes,
        }

    def columns(self) -> Mapping[str, Any]:
        return {
            "model_1": [self.names[0]],
            "model_2": [self.names[1]],
            "estimate_1": [self.estimates[0]],
            "estimate_2": [self.estimates[1]],
            "difference": [self.difference.estimate],
            "low": [self.difference.low],
            "high": [self.difference.high],
            "statistic": [self.statistic],
            "pvalue": [self.pvalue],
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        gap, (one, two) = self.difference, self.names
        rows = "the same rows" if self.paired else "different rows"
        side = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        lines = [
            self.verdict,
            f"{self.quantity} of {one} minus {two} on {rows}: {gap.estimate:.4f};",
            f"{gap.level:.10g} confidence interval {gap.low:.4f} to {gap.high:.4f} "
            f"({gap.method}{side}).",
            f"Test of {self.hypothesis} ({self.method}): p = {self.pvalue:.4g}.",
            *_short(self.notes),
        ]
        columns = self.columns()
        shown = ("estimate_1", "estimate_2", "difference", "low", "high", "statistic", "pvalue")
        return "\n".join(lines), {name: columns[name] for name in shown}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparisons(Result):
    """Many classifiers on the same rows: one joint test, and all pairs.

    Attributes
    ----------
    names : tuple of str
        The models.
    estimates : ndarray of shape (k,)
        Area under the curve of each model.
    covariance : ndarray of shape (k, k)
        Of the estimates.
    statistic : float
        Of the joint test that all areas are equal.
    df : int
        Degrees of freedom of the joint test's chi-square law.
    pvalue : float
        Of the joint test.
    pairs : tuple of (int, int)
        Which two models each row of the table compares; differences are the first minus the second.
    differences, standard_errors, low, high : ndarray of shape (k (k - 1) / 2,)
        Differences and their simultaneous confidence limits: all hold at once with
        probability `level`.
    pvalues, raw_pvalues : ndarray
        Of each pair's test, adjusted by Holm's rule, and as they were before.
    critical_value : float
        How many standard errors the limits reach out.
    level : float
        Simultaneous confidence level.
    method : str
        How the covariance was estimated.
    notes : tuple of str
        What the reader should know.
    """

    schema: ClassVar[str] = "rocbands.comparisons/1"

    names: tuple[str, ...]
    estimates: FloatArray
    covariance: FloatArray
    statistic: float
    df: int
    pvalue: float
    pairs: tuple[tuple[int, int], ...]
    differences: FloatArray
    standard_errors: FloatArray
    low: FloatArray
    high: FloatArray
    pvalues: FloatArray
    raw_pvalues: FloatArray
    critical_value: float
    level: float
    method: str
    n_pos: int
    n_neg: int
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def __post_init__(self) -> None:
        assert (self.low <= self.differences).all(), "limits must hold the estimates"
        assert (self.differences <= self.high).all(), "limits must hold the estimates"
        assert (self.raw_pvalues <= self.pvalues).all(), "adjusting never lowers a p-value"
        for name in ("estimates", "covariance", "differences", "standard_errors", "low", "high",
                     "pvalues", "raw_pvalues"):  # fmt: skip
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def facts(self) -> Mapping[str, object]:
        return {
            "names": self.names,
            "estimates": self.estimates,
            "covariance": self.covariance,
            "statistic": self.statistic,
            "df": self.df,
            "pvalue": self.pvalue,
            "critical_value": self.critical_value,
            "level": self.level,
            "method": self.method,
            "n_pos": self.n_pos,
            "n_neg": self.n_neg,
            "notes": self.notes,
        }

    def columns(self) -> Mapping[str, Any]:
        return {
            "model_1": [self.names[i] for i, _ in self.pairs],
            "model_2": [self.names[j] for _, j in self.pairs],
            "difference": self.differences,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_errors,
            "pvalue": self.pvalues,
            "raw_pvalue": self.raw_pvalues,
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        areas = ", ".join(
            f"{name} {area:.4f}" for name, area in zip(self.names, self.estimates, strict=True)
        )
        lines = [
            *_short((f"AUC: {areas}; {self.n_pos} positives, {self.n_neg} negatives.",)),
            f"Test of equal AUCs ({self.method}): chi-square {self.statistic:.4g} on {self.df} "
            f"degrees of freedom, p = {self.pvalue:.4g}.",
            f"Differences are model 1 minus model 2; the limits hold all at once at level "
            f"{self.level:.10g};",
            "p-values are Holm's.",
            *_short(self.notes),
        ]
        columns = self.columns()
        shown = ("model_1", "model_2", "difference", "low", "high", "pvalue")
        return "\n".join(lines), {name: columns[name] for name in shown}

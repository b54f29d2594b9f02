"""Two models that act on the same share of cases: the difference of their recalls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, ClassVar

import numpy as np

from rocbands.core.checks import FloatArray, frozen
from rocbands.core.method import Coverage
from rocbands.core.result import Result

__all__ = ["RateDifference"]

_COLUMNS = ("rate", "tpr_1", "tpr_2", "difference", "low", "high", "pvalue")
_WIDTH = 98  # of a line in a terminal


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateDifference(Result):
    """Recall of model 1 minus recall of model 2 at the same rate, on the same rows.

    Attributes
    ----------
    rate : ndarray of shape (k,)
        Shares of cases that are acted on, never falling.
    tpr_1, tpr_2 : ndarray of shape (k,)
        Recall of each model: the share of positives among those it acts on.
    difference, low, high : ndarray of shape (k,)
        Recall of model 1 minus that of model 2, and its limits.
    standard_error : ndarray of shape (k,)
        Of the difference.
    pvalue : ndarray of shape (k,)
        Of the test that both models find equally many: below 1 - level just where the limits leave
        out 0.
    level : float
        Nominal confidence level at each rate.
    method : str
        How the limits were found.
    names : (str, str)
        The models.
    n_folds, n_pos, n_neg : int
        Number of folds, 1 for a single test set, and class sizes over all of them.
    target : str
        What the limits are for.
    notes : tuple of str
        What the reader should know about these very limits.

    See Also
    --------
    rocbands.rate_difference : make it.
    """

    schema: ClassVar[str] = "rocbands.rate-difference/1"
    coverage: ClassVar[Coverage] = "pointwise"

    rate: FloatArray
    tpr_1: FloatArray
    tpr_2: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    pvalue: FloatArray
    level: float
    method: str
    target: str
    n_folds: int
    n_pos: int
    n_neg: int
    names: tuple[str, str] = ("model 1", "model 2")
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def __post_init__(self) -> None:
        for name in (*_COLUMNS, "standard_error"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        assert (np.diff(self.rate) >= 0).all(), "rates must not fall"
        assert (self.low <= self.difference).all(), "limits must hold the difference"
        assert (self.difference <= self.high).all(), "limits must hold the difference"
        assert ((self.pvalue >= 0) & (self.pvalue <= 1)).all(), "a p-value is a probability"

    def sentence(self, place: int = 0) -> str:
        """Say what was found at one of the rates, the first by default.

        Examples
        --------
        >>> import rocbands as rb
        >>> y, models = rb.load_example()
        >>> gap = rb.rate_difference(y, *models.values(), 0.3, positive="malignant")
        >>> print(gap.sentence())
        At a rate of 30% model 1 finds 66% of positives and model 2 56%: 10 points more (5 to 15).
        """
        one, two = self.names
        digits = 0 if self.n_pos < 1000 else 1
        # Fewer by so much: the limits change their signs, and so their places.
        sign = -1.0 if self.difference[place] < 0 else 1.0
        ends = sorted(sign * float(side[place]) for side in (self.low, self.high))
        values = (self.tpr_1[place], self.tpr_2[place], abs(self.difference[place]), *ends)
        # Adding 0 after rounding makes a minus zero plain.
        first, second, gap, low, high = (
            f"{round(100.0 * float(value), digits) + 0.0:.{digits}f}" for value in values
        )
        unit = "point" if gap == "1" else "points"
        return (
            f"At a rate of {100 * self.rate[place]:.3g}% {one} finds {first}% of positives and "
            f"{two} {second}%: {gap} {unit} {'fewer' if sign < 0 else 'more'} ({low} to {high})."
        )

    def facts(self) -> Mapping[str, object]:
        names = ("names", "level", "method", "coverage", "target", "n_folds", "n_pos", "n_neg")
        return {name: getattr(self, name) for name in (*names, "notes")}

    def columns(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in (*_COLUMNS, "standard_error")}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        folds = "one test set" if self.n_folds == 1 else f"{self.n_folds} folds"
        speak = int(np.argmin(np.abs(self.rate - 0.05)))
        lines = [
            self.sentence(speak),
            f"Limits hold at each rate with {self.level:.10g} confidence ({self.method}), for the "
            f"{self.target}.",
            f"{self.n_pos} positives, {self.n_neg} negatives in {folds}.",
            *self.notes,
        ]
        text = "\n".join(part for line in lines for part in wrap(line, _WIDTH))
        return text, {name: getattr(self, name) for name in _COLUMNS}

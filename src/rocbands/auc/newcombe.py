"""Newcombe's score interval for the AUC: from the AUC and the class sizes alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from scipy.special import ndtri

from rocbands.auc.bins import WidestPivot, bound_auc
from rocbands.auc.method import AucMethod, Pivot, Tails, compute_normal_tails
from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra, Request
from rocbands.core.roc import RocCurve
from rocbands.errors import Message, arg

Values: TypeAlias = float | FloatArray

_UNEQUAL = 5  # cases of one class for each of the other from which the sizes matter
_HALVINGS = 60  # bisection steps: below the spacing of floats


@dataclass(frozen=True)
class Newcombe(AucMethod):
    """Score limits: all AUCs A for which the estimate is within z standard errors of A.

    The standard error is evaluated at A, not at the estimate, so the interval is never a single
    point. The variance is Hanley and McNeil's with both class sizes replaced by their mean
    (Newcombe's method 5), which makes the interval symmetric in the classes.

    The variance assumes that both classes have a similar spread. With very unequal class sizes the
    measured coverage can be below the level: studies/docs/coverage-auc.md.
    """

    name: ClassVar[str] = "newcombe"
    guarantee: ClassVar[str] = (
        "measured .93 to 1.00 at .95 with classes of equal size; .86 at worst with unequal ones"
    )
    idea: ClassVar[str] = "score limits from the AUC and the class sizes alone; never a point"
    references: ClassVar[tuple[str, ...]] = (
        "Newcombe (2006), Confidence intervals for an effect size measure based on the "
        "Mann-Whitney statistic, part 2: asymptotic methods and evaluation, Statistics in Medicine "
        "25, 559-573.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("bins", "one-sided")

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        return build_newcombe_pivot(roc.auc, roc.n_pos, roc.n_neg)

    def note_doubts(self, roc: RocCurve) -> tuple[str, ...]:
        if max(roc.n_pos, roc.n_neg) < _UNEQUAL * min(roc.n_pos, roc.n_neg):
            return ()
        said = (
            "Classes of very unequal size: where their spreads differ these limits held 0.84 to "
            "0.92 at 0.95 with 20+980 and 50+950 cases, and more rows do not help; "
        )
        return (Message("{}{} held 0.91 or more.", said, arg("method", "score-delong")),)

    def build_binned_pivot(self, roc: RocCurve) -> WidestPivot:
        # Limits increase with the estimate: both ends of the AUC's range suffice.
        ends = tuple(build_newcombe_pivot(auc, roc.n_pos, roc.n_neg) for auc in bound_auc(roc))
        return WidestPivot(roc.auc, build_newcombe_pivot(roc.auc, roc.n_pos, roc.n_neg).error, ends)


@dataclass(frozen=True)
class NewcombePivot(Pivot):
    """Distance of the estimate from A in standard errors at A."""

    n_pos: int
    n_neg: int

    def limits(self, tail: float) -> tuple[float, float]:
        low, high = newcombe_limits(self.estimate, self.n_pos, self.n_neg, -float(ndtri(tail)))
        return float(low), float(high)

    def tails(self, null: float) -> Tails:
        """P-values with the standard error at `null`."""
        error = math.sqrt(newcombe_variance(null, self.n_pos, self.n_neg))
        return compute_normal_tails(self.estimate - null, error)


def build_newcombe_pivot(
    auc: float, n_pos: int, n_neg: int, *, notes: tuple[str, ...] = ()
) -> NewcombePivot:
    """Build the pivot; at an AUC of 0 or 1 it has limits but no standard error."""
    error = math.sqrt(newcombe_variance(auc, n_pos, n_neg))
    return NewcombePivot(auc, error or None, n_pos, n_neg, notes=notes)


def newcombe_variance(auc: Values, n_pos: Values, n_neg: Values) -> FloatArray:
    """Hanley and McNeil's variance with both class sizes replaced by their mean.

    Newcombe (2006), method 5. With N = (n_pos + n_neg) / 2 - 1:

        A (1 - A) (1 + N (1 - A) / (2 - A) + N A / (1 + A)) / (n_pos n_neg)
    """
    area, extra = np.asarray(auc, dtype=np.float64), (np.asarray(n_pos) + n_neg) / 2.0 - 1.0
    shared = (1.0 - area) / (2.0 - area) + area / (1.0 + area)
    variance: FloatArray = area * (1.0 - area) * (1.0 + extra * shared) / (n_pos * n_neg)
    return variance


def newcombe_limits(
    estimate: Values, n_pos: Values, n_neg: Values, z: float
) -> tuple[FloatArray, FloatArray]:
    """Solve abs(estimate - A) = z sqrt(variance(A)) for A, on both sides of the estimate.

    Examples
    --------
    >>> low, high = newcombe_limits(1.0, 10, 10, 1.96)
    >>> print(low.round(4), high)
    0.8002 1.0
    """
    # The distance in standard errors decreases in A: vectorised bisection.
    shape = np.broadcast_shapes(*(np.shape(part) for part in (estimate, n_pos, n_neg)))
    quantile = np.reshape([z, -z], (2, *(1 for _ in shape)))
    low, high = np.zeros((2, *shape)), np.ones((2, *shape))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        error = np.sqrt(newcombe_variance(middle, n_pos, n_neg))
        below = estimate - middle > quantile * error
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    ends: FloatArray = (low + high) / 2.0
    return ends[0], ends[1]

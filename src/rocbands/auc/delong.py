"""DeLong's interval for the AUC, plain and on the log-odds scale.

The variance is DeLong's, and Obuchowski's where rows come in clusters: see `core/delong.py`. With
weights or strata it is that of `design/row_design.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, logit, ndtri

from rocbands.auc.bins import Range, WidestPivot, bound_auc, bound_moments, bound_spread, bound_wald
from rocbands.auc.method import AucMethod, Pivot, Tails, Wald, compute_normal_tails, count_units
from rocbands.auc.newcombe import Newcombe, build_newcombe_pivot
from rocbands.core.checks import FloatArray
from rocbands.core.delong import compute_area_variance, variance_from_moments
from rocbands.core.method import Extra, Request
from rocbands.core.references import DELONG, OBUCHOWSKI
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.effective_sizes import compute_curve_placements
from rocbands.design.row_design import RowDesign


@dataclass(frozen=True)
class DeLong(AucMethod):
    """The AUC plus and minus z times DeLong's standard error, clipped to [0, 1].

    If the estimated variance is 0, as with separated classes, the interval is a single point and a
    note says so. Each class needs two cases, or cases in two clusters. Measured coverage is far
    below the level near AUC 1: studies/docs/coverage-auc.md.
    """

    name: ClassVar[str] = "delong"
    guarantee: ClassVar[str] = "asymptotic; measured far below the level near AUC 1"
    idea: ClassVar[str] = "the AUC plus and minus standard errors from placements"
    held_near_one: ClassVar[str] = "0.34 to 0.96"
    references: ClassVar[tuple[str, ...]] = (DELONG, OBUCHOWSKI)
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "weights", "strata", "bins", "one-sided")
    least_cases: ClassVar[int] = 2

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        return _build_wald(roc)

    def build_binned_pivot(self, roc: RocCurve) -> WidestPivot:
        if not roc.independent:  # weighted rows
            whole, *ends = (_build_wald(curve) for curve in (roc, *roc.extremes))
            return WidestPivot(roc.auc, whole.error, (whole, *ends), notes=whole.notes)
        return bound_wald(roc, _bound_variance(roc))


@dataclass(frozen=True)
class LogitDeLong(AucMethod):
    """DeLong's variance on the log-odds scale: limits stay inside (0, 1).

    With A the AUC and s its standard error, the limits are expit(logit(A) -/+ z s / (A (1 - A))).
    They do not exist if A is 0 or 1, s is 0, or a class has one case. Newcombe's limits are then
    returned with a note; they count clusters instead of cases. Measured coverage:
    studies/docs/coverage-auc.md.
    """

    name: ClassVar[str] = "logit-delong"
    guarantee: ClassVar[str] = "asymptotic; measured .88 to .98 at .95 with classes of equal size"
    idea: ClassVar[str] = "DeLong's variance on the log-odds scale"
    held_near_one: ClassVar[str] = "0.79 to 0.99"
    held_of_groups: ClassVar[str] = "0.66 to 0.98"
    references: ClassVar[tuple[str, ...]] = (DELONG, OBUCHOWSKI)
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "bins", "one-sided")

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        """Build the pivot, or Newcombe's if the log-odds have no limits."""
        units = count_units(roc)
        error = _find_error(compute_area_variance(roc)) if min(units) > 1 else 0.0
        if error > 0.0 and 0.0 < roc.auc < 1.0:
            return LogitPivot(roc.auc, error)
        of_clusters = "" if roc.clusters is None else ", with clusters counted instead of cases"
        note = (
            "DeLong's variance gives no limits on the log-odds scale here; "
            f"Newcombe's{of_clusters}."
        )
        return build_newcombe_pivot(roc.auc, *units, notes=(note,))

    def build_binned_pivot(self, roc: RocCurve) -> WidestPivot:
        """Take the limits at the bounds of the AUC and of its standard error in log-odds.

        If some order inside the bins has no limits on that scale, Newcombe's limits for all
        possible AUCs are included.
        """
        newcombe = Newcombe().build_binned_pivot(roc)
        if min(roc.n_pos, roc.n_neg) < 2:
            return newcombe
        auc, variance = bound_auc(roc), _bound_variance(roc)
        has_none = variance.low <= 0.0 or auc.low <= 0.0 or auc.high >= 1.0
        # An AUC that is not 0 or 1 differs from them by at least half a win; 1 - 2^-53 is the
        # largest float below 1.
        least = 0.5 / (float(roc.n_pos) * roc.n_neg)
        inner = auc.clip(least, 1.0 - max(least, 2.0**-53))
        spread = bound_spread(inner)
        # Range of the standard error of the log-odds, error / spread.
        errors = math.sqrt(variance.low) / spread.high, math.sqrt(variance.high) / spread.low
        pivots: tuple[Pivot, ...] = tuple(
            LogitPivot(a, error * a * (1.0 - a)) for a in inner for error in errors
        )
        if has_none:
            pivots += newcombe.pivots
        return WidestPivot(roc.auc, math.sqrt(variance.high), pivots)


@dataclass(frozen=True)
class LogitPivot(Pivot):
    """Wald's pivot for the log-odds of the AUC, whose standard error is error / (A (1 - A))."""

    error: float

    def limits(self, tail: float) -> tuple[float, float]:
        low, high = logit_limits(self.estimate, self.error, -float(ndtri(tail)))
        return float(low), float(high)

    def tails(self, null: float) -> Tails:
        """P-values on the log-odds scale, with the standard error at the estimate."""
        stretch = self.estimate * (1.0 - self.estimate)
        distance = float(logit(self.estimate) - logit(null))
        return compute_normal_tails(distance, self.error / stretch)


def logit_limits(
    estimate: float | FloatArray, error: float | FloatArray, z: float
) -> tuple[FloatArray, FloatArray]:
    """Limits that are symmetric on the log-odds scale; the estimate must not be 0 or 1.

    Examples
    --------
    >>> low, high = logit_limits(0.8, 0.05, 1.96)
    >>> print(low.round(4), high.round(4))
    0.6843 0.8807
    """
    share = np.asarray(estimate, dtype=np.float64)
    centre, half = logit(share), z * (np.asarray(error) / (share * (1.0 - share)))
    return np.asarray(expit(centre - half)), np.asarray(expit(centre + half))


def _build_wald(roc: RocCurve) -> Wald:
    """Build the pivot with DeLong's or Obuchowski's variance, or that of the design."""
    if "weights" not in roc.design and "strata" not in roc.design:
        return Wald(roc.auc, _find_error(compute_area_variance(roc)))
    design = RowDesign.of_curve(roc)
    values = design.place(*compute_curve_placements(roc))
    parts = design.split(values)
    notes = design.describe_classes(values, parts)
    return Wald(roc.auc, _find_error(design.find_variance(parts)), notes=notes)


def _find_error(variance: float) -> float:
    """Return the standard error; 0 for a rounding error, as of clusters with equal placements."""
    return math.sqrt(variance) if variance > SAME**2 else 0.0


def _bound_variance(roc: RocCurve) -> Range:
    """Bound DeLong's variance over all orders of scores inside the bins."""
    return Range(*(variance_from_moments(end, roc.n_pos, roc.n_neg) for end in bound_moments(roc)))

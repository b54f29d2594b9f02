"""The score interval with DeLong's variance components: Wilson's interval for the AUC.

It is Wilson's interval for a proportion with an effective sample size. That size comes from
DeLong's variance components, each shrunk by half a pseudo observation towards a conservative
value, so that the interval does not collapse near AUC 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from scipy.special import ndtr, stdtr

from rocbands.auc.bins import Range, WidestPivot, bound_auc, bound_moments, bound_spread
from rocbands.auc.method import AucMethod, Pivot, Tails, compute_normal_tails
from rocbands.core.method import Extra, Request
from rocbands.core.references import DELONG, WILSON, documented
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import NORMAL, WEIGHT, CaseNumbers, ScoreVariance, score_limits
from rocbands.design.effective_sizes import estimate_curve_variance, summarize_sizes


@dataclass(frozen=True)
class ScoreDeLong(AucMethod):
    """Score limits with a variance estimated from placements; never a point.

    A placement lies in [0, 1] with mean A, the AUC, so its variance is at most A (1 - A). With m
    positives, n negatives, the sums of squares S_p and S_n of their placements about A, and
    t = A (1 - A), the variances relative to t are estimated as

        c_p = (S_p + a r n / (m + n)) / ((m - 1) t + a),   a = 1/2, r = 3/5,

    and c_n likewise with the classes swapped. The variance of the AUC at a value A' is taken to be
    u A' (1 - A') with u = max(c_p / m + c_n / n, 1 / (m n)), and the limits are all A' with
    abs(A - A') <= q sqrt(u A' (1 - A')). The quantile q is Student's, with Satterthwaite's degrees
    of freedom for the two estimated shares.

    Notes
    -----
    In large samples u A (1 - A) tends to DeLong's variance and the interval to DeLong's. Near
    AUC 1, (m - 1) t is the number of misplaced cases; while it is below 1/2 the conservative value
    r n / (m + n) dominates.

    With clusters, sums over clusters replace single placements, and m and n become effective sample
    sizes (:mod:`rocbands.design.effective_sizes`). With weights, half a row as heavy as those at
    the ends is added at either end, for heavy rows that were not drawn.

    Measured coverage, also with held-out score distributions: studies/docs/coverage-auc.md. Too
    wide near AUC 1 where the placements of a small class hardly vary.

    With binned counts, the AUC, the sums of squares and with them u and the degrees of freedom lie
    in ranges. The limits widen as u grows and as the degrees of freedom fall, so that the ends of
    the ranges suffice. With weighted rows in bins, the limits are the widest of the curve and of
    its two extremes.
    """

    name: ClassVar[str] = "score-delong"
    guarantee: ClassVar[str] = (
        "asymptotic; measured .91 to 1.00 at .95, also near AUC 1 and with clusters"
    )
    idea: ClassVar[str] = "Wilson interval with the effective sample size of DeLong's variance"
    references: ClassVar[tuple[str, ...]] = (WILSON, DELONG, documented("AUC"))
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "weights", "strata", "bins", "one-sided")

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        if roc.independent:
            return _build_score_pivot(roc.auc, estimate_curve_variance(roc))
        return _build_weighted_pivot(roc)

    def build_binned_pivot(self, roc: RocCurve) -> WidestPivot:
        if not roc.independent:
            whole, *ends = (_build_weighted_pivot(curve) for curve in (roc, *roc.extremes))
            return WidestPivot(roc.auc, whole.error, (whole, *ends), notes=whole.notes)
        sizes, auc = CaseNumbers(roc.n_pos, roc.n_neg), bound_auc(roc)
        least, most = bound_moments(roc)
        spread = bound_spread(auc)
        # A relative variance grows with its sum of squares and falls with the spread.
        pos, neg = (
            Range(
                own.estimate_share(low, spread.high) / own.n_pos,
                own.estimate_share(high, spread.low) / own.n_pos,
            )
            for own, low, high in (
                (sizes, least.pos, most.pos),
                (sizes.swapped, least.neg, most.neg),
            )
        )
        units = [max(p + n, sizes.least_unit) for p, n in zip(pos, neg, strict=True)]
        part = Range(pos.low / (pos.low + neg.high), pos.high / (pos.high + neg.low))
        dfs = _bound_df(sizes, part, spread)
        pivots = tuple(
            _build_score_pivot(a, ScoreVariance(unit, df))
            for a in auc
            for unit in units
            for df in dfs
        )
        return WidestPivot(roc.auc, math.sqrt(units[1] * spread.high) or None, pivots)


def _bound_df(sizes: CaseNumbers, part: Range, spread: Range) -> Range:
    """Bound the degrees of freedom; `part` of the variance comes from the positives.

    Their reciprocal is a convex parabola in `part`: largest at an end of the range, smallest at the
    vertex or the end nearest to it. It grows with the spread.
    """
    if spread.high <= 0.0:
        return Range(math.inf, math.inf)
    fewest = 1.0 / max(sizes.inverse_df(end, spread.high) for end in part)
    if spread.low <= 0.0:
        return Range(fewest, math.inf)
    extra = WEIGHT / spread.low
    vertex = (sizes.n_pos - 1.0 + extra) / (sizes.n_pos + sizes.n_neg - 2.0 + 2.0 * extra)
    best = min(max(vertex, part.low), part.high)
    return Range(fewest, 1.0 / sizes.inverse_df(best, spread.low))


@dataclass(frozen=True)
class ScorePivot(Pivot):
    """(A - A') / sqrt(unit A' (1 - A')), as Student's t."""

    unit: float  # variance of the AUC over A (1 - A): the reciprocal effective sample size
    df: float  # degrees of freedom; infinite for the normal distribution

    def limits(self, tail: float) -> tuple[float, float]:
        low, high = score_limits(self.estimate, ScoreVariance(self.unit, self.df), tail)
        return float(low), float(high)

    def tails(self, null: float) -> Tails:
        """P-values with the variance at `null`."""
        distance, variance = self.estimate - null, self.unit * null * (1.0 - null)
        if variance == 0.0:
            return compute_normal_tails(distance, 0.0)
        x = distance / math.sqrt(variance)
        if self.df > NORMAL:
            return Tails(float(ndtr(x)), float(ndtr(-x)))
        return Tails(float(stdtr(self.df, x)), float(stdtr(self.df, -x)))


def _build_weighted_pivot(roc: RocCurve) -> ScorePivot:
    """Build the pivot of weighted or dependent rows."""
    pivot = _build_score_pivot(roc.auc, estimate_curve_variance(roc))
    return replace(pivot, notes=summarize_sizes(roc).describe(roc))


def _build_score_pivot(auc: float, variance: ScoreVariance) -> ScorePivot:
    """Build the pivot; at an AUC of 0 or 1 it has limits but no standard error."""
    unit, df = float(variance.unit), float(variance.df)
    return ScorePivot(auc, math.sqrt(unit * auc * (1.0 - auc)) or None, unit, df)

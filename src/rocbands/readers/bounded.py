"""Obuchowski and Rockette's variance, but never below that of the same readers.

With s, c and `fixed` of :mod:`rocbands.readers.contrast`,

    V = max(s + max(c, 0), fixed),    df = (r - 1) V^2 / s^2.                                    (1)

Where the readers' differences happen to agree, s is small by chance, and s + c alone would be
smaller than the variance of just these readers, which cannot be.

Limits of one mean A are logit(A) -/+ q sqrt(V) / (A (1 - A)), transformed back; A is kept
1 / (2 m n) away from 0 and 1. Those of a difference are symmetric on the side of 0, so that test
and interval agree about 0. On the other side they are the outer of the symmetric limit and Zou and
Donner's combination of both means' logit limits, with the same quantile q:

    high = d + sqrt(u_1^2 - 2 rho u_1 l_2 + l_2^2),
    rho = (V_1 + V_2 - V) / (2 sqrt(V_1 V_2)),                                                   (2)

with the distances l and u of the means' limits; the lower limit likewise. With a margin, the lower
limit is the lower of both, and the p-value is the tail at which it reaches -margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from scipy.special import expit, logit

from rocbands._math.mover import find_zero, limit_difference
from rocbands.comparison.method import find_quantile
from rocbands.core.checks import check_choice
from rocbands.core.references import ZOU_DONNER, documented
from rocbands.core.score_variance import find_ends
from rocbands.core.tolerance import SAME
from rocbands.readers.contrast import Components, Contrast
from rocbands.readers.method import (
    HILLIS,
    OBUCHOWSKI_ROCKETTE,
    Judgement,
    Random,
    ReaderMethod,
    ReaderRequest,
    cut_limits,
    find_tail,
    has_spread,
    judge_symmetric,
    judge_without_spread,
)

BOTH_PERFECT = (
    "All readers have 1, or all have 0, under both tests: these readings cannot distinguish the "
    "tests, and the limits of the difference are those of one such reader under each test."
)
_FARTHEST = 60.0  # quantile of the smallest p-value of non-inferiority


@dataclass(frozen=True)
class Bounded(ReaderMethod):
    """Variance of Obuchowski and Rockette, bounded by that of the same readers.

    Parameters
    ----------
    interval : {'logit', 'symmetric'}, default 'logit'
        'logit' limits stay in range and hold near 1; 'symmetric' ones are as wide on both sides.
    """

    name: ClassVar[str] = "bounded"
    guarantee: ClassVar[str] = "approximate; measured under Roe and Metz' model"
    idea: ClassVar[str] = "variation of readers plus shared errors, at least that of these readers"
    references: ClassVar[tuple[str, ...]] = (
        OBUCHOWSKI_ROCKETTE,
        HILLIS,
        ZOU_DONNER,
        documented("Reader studies"),
    )

    interval: Literal["logit", "symmetric"] = "logit"

    def __post_init__(self) -> None:
        check_choice(self.interval, ("logit", "symmetric"), "interval")

    def judge(self, contrast: Contrast, request: ReaderRequest) -> Judgement:
        variance, df = find_variance(contrast, request.random)
        if not has_spread(contrast, variance):
            return _judge_perfect(contrast, request) or judge_without_spread(contrast, request)
        found = judge_symmetric(contrast, request, variance, df)
        if self.interval == "symmetric":
            return found
        quantile = find_quantile(df, request.tail)
        if contrast.sides is None:
            low, high = _logit_limits(contrast, variance, quantile)
            low, high = cut_limits(contrast, request, low, high)
            return found._replace(low=low, high=high)
        limits = _OuterLimits(contrast, variance, request.random)
        value, (below, above) = contrast.estimate, limits.find_distances(quantile)
        reach = quantile * math.sqrt(variance)
        if request.null == 0.0:  # on the side of 0 the limit is that of the test
            below, above = (reach if value > SAME else below), (reach if value < -SAME else above)
            pvalue = found.pvalue
        elif value <= request.null:
            pvalue = found.pvalue
        else:
            pvalue = limits.find_pvalue(request.null, df)
        low, high = cut_limits(contrast, request, value - below, value + above)
        return found._replace(low=low, high=high, pvalue=pvalue)

    def find_joint_variance(self, found: Components) -> float:
        return max(super().find_joint_variance(found), found.fixed)


def find_variance(contrast: Contrast, random: Random) -> tuple[float, float]:
    """Variance and its degrees of freedom, formula (1)."""
    if random == "cases":
        return contrast.fixed, contrast.case_df
    variance = contrast.reader_variance
    if random == "both":
        variance = max(variance + max(contrast.case_covariance, 0.0), contrast.fixed)
    return variance, contrast.find_hillis_df(variance)


def _judge_perfect(contrast: Contrast, request: ReaderRequest) -> Judgement | None:
    """Judge two means of 1, or of 0, without spread: each has the limits of one such reader."""
    sides = contrast.sides
    if sides is None or contrast.values.any() or min(sides[0].estimate, 1.0 - sides[0].estimate):
        return None
    limits = _OuterLimits(contrast, 0.0, request.random)
    quantile = abs(find_quantile(math.inf, request.tail))
    below, above = limits.find_distances(quantile)
    spread = (max(below, above) / quantile) ** 2 if quantile else 0.0
    pvalue = 1.0 if request.alternative == "two-sided" else 0.5
    if request.null:
        pvalue = limits.find_pvalue(request.null, math.inf)
    low, high = cut_limits(contrast, request, -below, above)
    return Judgement(spread, math.inf, low, high, pvalue, (BOTH_PERFECT,))


def _logit_limits(contrast: Contrast, variance: float, quantile: float) -> tuple[float, float]:
    """Limits of one mean; those of one perfect reader if nothing varies at 0 or 1."""
    value, scale = contrast.estimate, contrast.scale
    if not has_spread(contrast, variance):
        if min(value, 1.0 - value) > SAME:
            return value, value
        return find_ends(value, scale.unit, abs(quantile))
    inner = min(max(value, scale.least), 1.0 - scale.least)
    half = quantile * math.sqrt(variance) / (inner * (1.0 - inner))
    low, high = (float(expit(logit(inner) + side * half)) for side in (-1.0, 1.0))
    return min(low, value), max(high, value)


@dataclass(frozen=True)
class _OuterLimits:
    """Distances of the outer limits of a difference, formula (2)."""

    contrast: Contrast
    variance: float
    random: Random

    def find_distances(self, quantile: float) -> tuple[float, float]:
        """Distances of the lower and of the upper limit."""
        assert self.contrast.sides is not None
        ends, variances, varies = [], [], True
        for side in self.contrast.sides:
            alone = max(side.n_readers) == 1 and self.random == "both"  # the algorithm
            own: Random = "cases" if alone else self.random
            variance, _ = find_variance(side, own)
            variances.append(variance)
            varies = varies and has_spread(side, variance)
            ends.append((side.estimate, *_logit_limits(side, variance, quantile)))
        one, two = variances
        rho = 0.0
        if varies:
            rho = (one + two - self.variance) / (2.0 * math.sqrt(one * two))
        low, high = limit_difference(ends[0], ends[1], min(max(rho, -1.0), 1.0))
        value = ends[0][0] - ends[1][0]
        reach = quantile * math.sqrt(self.variance)
        return max(reach, float(value - low)), max(reach, float(high - value))

    def find_pvalue(self, null: float, df: float) -> float:
        """Tail of Student's t at which the lower limit is `null`, a value below the estimate."""
        value = self.contrast.estimate
        z = find_zero(lambda q: value - self.find_distances(q)[0] - null, _FARTHEST)
        return find_tail(-z, df)

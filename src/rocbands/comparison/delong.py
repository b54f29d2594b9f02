"""DeLong's test of equal areas, for the same rows (with or without groups) or for different ones.

The variance of a difference of areas is that of the mean difference of the two models' placements
(:mod:`rocbands.core.delong`), so two models that place all rows alike differ by exactly nothing.

Limits for a difference of AUCs come from the limits of each ('score-delong' for two models).
DeLong's limits for a difference are as wide on one side as on the other. Near AUC 1 they must not
be: an AUC of .99 can hardly be higher and may well be lower. Zou and Donner (2008) recover the
variance of a difference from the limits of its two parts (MOVER), each of which knows its own
skewness. With limits L_j, U_j below and above the AUC A_j, and a correlation r,

    arm(x, y)^2 = (1 - r) (x^2 + y^2) + r (q (s_1 - s_2))^2,       r >= 0
    arm(x, y)^2 = x^2 + y^2 - 2 r x y,                             r < 0

    low = d - arm(L_1, U_2),  high = d + arm(U_1, L_2),            d = A_1 - A_2

where s_j are standard errors. A share r of the error is common to both models and enters with the
difference of their errors only; plain MOVER has - 2 r x y throughout, and is too wide for models
that share their hard cases, because a long arm meets a short one. With equal arms all of this is
DeLong's variance. On different rows r is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.comparison.method import ComparisonMethod, ComparisonRequest, Outcome, compute_wald
from rocbands.core.checks import CountArray, check_choice
from rocbands.core.comparison import DISAGREE
from rocbands.core.delong import (
    ClassGroups,
    CovarianceParts,
    Placements,
    compute_covariance_parts,
    compute_moments,
    compute_pair_covariance,
    compute_placements,
    count_wins,
    variance_from_moments,
)
from rocbands.core.method import Extra
from rocbands.core.pair import Pair
from rocbands.core.references import DELONG, OBUCHOWSKI, ZOU_DONNER
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows
from rocbands.core.score_variance import (
    NORMAL,
    CaseNumbers,
    ScoreVariance,
    estimate_variance,
    score_limits,
)
from rocbands.core.tolerance import SAME
from rocbands.design.effective_sizes import count_independent_cases, estimate_curve_variance
from rocbands.errors import InputError, arg

SAME_ORDER = (
    "Both models order all rows alike, so these rows cannot tell them apart; "
    "the interval is a point."
)
NO_SPREAD = (
    "The placements do not vary, which makes the usual standard error 0; it was found with one "
    "more row of each class that speaks for the other model as strongly as a row can."
)


NEAR_ONE = 0.9  # AUC above which Wald's limits get a note
WEAK_WALD = (
    "DeLong's limits are as far below the difference as above it. Near AUC 1 they contain the true "
    "difference too rarely: for .99 against .95 in .78 to .97 of test sets at .95."
)
BOTH_RIGHT = (
    f"{DISAGREE} The test has more power where both AUCs are close to 1, the interval is right "
    "also where they differ."
)
Limits: TypeAlias = Literal["score", "wald"]


@dataclass(frozen=True)
class DeLongTest(ComparisonMethod):
    """Test of equal areas: normal on the same rows, Welch's t on different ones.

    Parameters
    ----------
    interval : {'score', 'wald'}, default 'score'
        Limits of the difference. 'score' combines the 'score-delong' limits of both AUCs
        (:class:`ScoreDifference`). 'wald' is the difference plus and minus
        DeLong's standard errors, which other programs give.

    Notes
    -----
    Measured coverage at nominal .95 with 60 and 300 rows, the same or different, in 96 cells of
    250 test sets with scores that no constant was chosen on (docs/coverage-auc.md): 'score' .928 to
    1, one cell below .93; 'wald' .776 to 1, 28 cells below .93, lowest for an AUC of .99 against
    .95. The test rejected equal models in .00 to .07 of test sets at .05, least with 10 cases of a
    class. A test with a margin is the one that the limits belong to.
    """

    name: ClassVar[str] = "delong"
    handles: ClassVar[tuple[Extra, ...]] = ("paired", "unpaired", "groups", "one-sided")
    guarantee: ClassVar[str] = "asymptotic; limits measured .93 to 1.00 at .95, also near AUC 1"
    idea: ClassVar[str] = "difference of areas in standard errors, from the placements of the rows"
    references: ClassVar[tuple[str, ...]] = (
        DELONG,
        OBUCHOWSKI,
        ZOU_DONNER,
    )

    interval: Limits = "score"

    def __post_init__(self) -> None:
        check_choice(self.interval, ("score", "wald"), "interval")

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        return compare_areas(pair, request, self.interval)


class Contrast(NamedTuple):
    """A difference of areas, its standard error, and what to know about it."""

    difference: float
    standard_error: float
    notes: tuple[str, ...] = ()


def compare_areas(pair: Pair, request: ComparisonRequest, interval: Limits = "score") -> Outcome:
    """Test of equal areas, and confidence limits for their difference."""
    for data in (pair.first, pair.second):
        check_cases(data)
    if pair.paired:
        aucs, parts, same = measure_pair(pair)
        # Models that order these rows alike are equal here; that they differ by less than a margin
        # everywhere is more than these rows can say.
        alike = same and pair.ranked_alike and request.null == 0
        variance, sizes = float(parts.total[2, 2]), parts.n_groups[:2]
        found, df = _contrast(aucs[0] - aucs[1], variance, sizes, alike=alike), math.inf
    else:
        alike, curves = False, pair.curves
        aucs = curves[0].auc, curves[1].auc
        found, df = _contrast_two_sets(*curves)
    low, high, statistic, pvalue = compute_wald(found.difference, found.standard_error, request, df)
    by_groups = "" if pair.groups is None else ", by groups"
    outcome = Outcome(
        low,
        high,
        statistic,
        pvalue,
        found.standard_error,
        None if math.isinf(df) else df,
        interval_method=f"delong{by_groups}",
        notes=found.notes,
        estimates=aucs,
    )
    if alike:
        return outcome
    if interval == "wald":
        near_one = max(aucs) > NEAR_ONE
        return outcome._replace(notes=(*found.notes, WEAK_WALD)) if near_one else outcome
    if pair.paired:
        score = ScoreDifference.from_pair(pair, aucs, parts)
    else:
        variances = estimate_curve_variance(curves[0]), estimate_curve_variance(curves[1])
        score = ScoreDifference(aucs, variances)
    if NO_SPREAD in found.notes:
        score = replace(score, wald_error=found.standard_error)
    return _take_score_limits(outcome, aucs[0] - aucs[1], score, request)


def _take_score_limits(
    outcome: Outcome, difference: float, score: ScoreDifference, request: ComparisonRequest
) -> Outcome:
    """Replace Wald's limits, and with a margin the test too, which then is that of the limits."""
    low, high = request.clip_limits(*score.limits(request.tail), difference)
    by_groups = outcome.interval_method.removeprefix("delong")
    outcome = outcome._replace(low=low, high=high, interval_method=f"score-delong{by_groups}")
    if request.null != 0.0:
        above = score.find_tail(request.null, above=True)
        below = score.find_tail(request.null, above=False)
        return outcome._replace(pvalue=request.combine_tails(below, above), df=None)
    rejected = outcome.pvalue < 1.0 - request.level
    if rejected == (low <= 0.0 <= high):
        return outcome._replace(notes=(*outcome.notes, BOTH_RIGHT))
    return outcome


def check_cases(scores: Rows | RocCurve) -> None:
    """Refuse a set that is too small to show how placements vary."""
    if min(scores.n_pos, scores.n_neg) < 2:
        few = "positive" if scores.n_pos < 2 else "negative"
        raise InputError(
            "DeLong's variance needs at least 2 positives and 2 negatives",
            f"there is 1 {few}",
            "With one case nobody can see how such cases vary; "
            f"{arg('method', 'venkatraman')} does not need to.",
        )


def measure_pair(pair: Pair) -> tuple[tuple[float, float], CovarianceParts, bool]:
    """AUCs of two models on the same rows, and whether both place all rows alike.

    Between them the parts of the covariance, (3, 3), of both AUCs and of their difference.
    """
    is_positive = pair.one.is_positive
    if pair.groups is None:
        wins = [count_wins(is_positive, scores.values) for scores in (pair.one, pair.two)]
        aucs, parts = compute_pair_covariance(is_positive, wins)
        return aucs, parts, aucs[0] == aucs[1] and not parts.total[2, 2]
    one, two = (compute_placements(is_positive, scores.values) for scores in (pair.one, pair.two))
    parts = compute_covariance_parts((one, two, _subtract(one, two)), pair.class_groups)
    return (one.auc, two.auc), parts, all(map(np.array_equal, one, two))


def _subtract(one: Placements, two: Placements) -> Placements:
    return Placements(one.pos - two.pos, one.neg - two.neg)


def contrast_areas(
    one: Placements, two: Placements, groups: ClassGroups | None, *, alike: bool
) -> Contrast:
    """Difference of two areas on the same rows.

    `groups`: groups of the rows, where they depend on each other. `alike`: whether the models order
    all rows alike: then a variance of 0 is the truth.
    """
    parts = compute_covariance_parts([_subtract(one, two)], groups)
    # One area minus the other, not the mean gap: the same number as the two that are reported.
    return _contrast(one.auc - two.auc, float(parts.total[0, 0]), parts.n_groups[:2], alike=alike)


def _contrast(
    difference: float, variance: float, sizes: tuple[int, ...], *, alike: bool
) -> Contrast:
    """Judge the variance of a difference; `sizes`: of both classes, as rows or as groups."""
    if alike:
        return Contrast(0.0, 0.0, (SAME_ORDER,))
    error = math.sqrt(max(variance, 0.0))
    if error <= SAME * max(1.0, abs(difference)):
        return Contrast(difference, _bound_error(1.0 + abs(difference), sizes), (NO_SPREAD,))
    return Contrast(difference, error)


def _contrast_two_sets(one: RocCurve, two: RocCurve) -> tuple[Contrast, float]:
    """Difference of two areas on different rows, and Welch's degrees of freedom.

    Variances of both sets add up. df = (V1 + V2)^2 / (V1^2 / (N1 - 1) + V2^2 / (N2 - 1)), N the
    number of rows of a set, as in pROC (Robin et al. 2011, BMC Bioinformatics 12, 77).
    """
    notes: tuple[str, ...] = ()
    variances, doubt = [], 0.0
    for roc in (one, two):
        variance = variance_from_moments(compute_moments(roc), roc.n_pos, roc.n_neg)
        if variance <= SAME**2:
            range_ = max(roc.auc, 1.0 - roc.auc)
            variance = _bound_error(range_, (roc.n_pos, roc.n_neg)) ** 2
            notes = (NO_SPREAD,)
        variances.append(variance)
        doubt += variance**2 / (roc.n_pos + roc.n_neg - 1)
    total = sum(variances)
    return Contrast(one.auc - two.auc, math.sqrt(total), notes), total**2 / doubt


def _bound_error(distance: float, sizes: tuple[int, ...]) -> float:
    """Return the standard error of equal values if one more of each class were `distance` away.

    Of n equal values and one that lies d away, the mean has the estimated variance
    d^2 n / (n + 1) / (n (n + 1)) = (d / (n + 1))^2.
    """
    return distance * math.hypot(1.0 / (sizes[0] + 1), 1.0 / (sizes[1] + 1))


DOUBT = 0.5  # of a case of the rarer class, by which the correlation is shrunk
_HALVINGS = 60
_LEAST_TAIL = -700.0  # log of the smallest tail that is searched for a p-value


def estimate_each(
    scores: Sequence[Rows],
    aucs: Sequence[float],
    parts: CovarianceParts,
    groups: CountArray | None,
) -> tuple[tuple[float, ...], tuple[ScoreVariance, ...], float]:
    """AUCs of models on the same rows, their unit variances, and the cases of the rarer class."""
    if groups is None:
        # The covariance says all that a curve would say; another sort would cost as much.
        sizes = CaseNumbers(*map(float, parts.n_groups[:2]))
        squares = [
            np.diag(part) * (size - 1.0)
            for part, size in zip((parts.pos, parts.neg), sizes, strict=True)
        ]
        aucs = tuple(min(float(auc), 1.0) for auc in aucs)
        variances = tuple(
            estimate_variance(auc, pos, neg, sizes)
            for auc, pos, neg in zip(aucs, *squares, strict=False)
        )
        return aucs, variances, min(sizes)
    curves = [RocCurve.from_rows(one, groups) for one in scores]
    # Rows are the same; of all estimates of what their groups are worth, the smallest.
    least = CaseNumbers(*map(min, *map(count_independent_cases, curves)))
    variances = tuple(estimate_curve_variance(curve, least) for curve in curves)
    return tuple(curve.auc for curve in curves), variances, min(least)


@dataclass(frozen=True)
class ScoreDifference:
    """Limits of a difference of two AUCs, and p-values of every value of it."""

    aucs: tuple[float, float]  # the AUCs
    variances: tuple[ScoreVariance, ScoreVariance]  # their unit variances
    correlation: float = 0.0  # of the two estimates
    # wald_error, wald_df: DeLong's standard error of the difference and its degrees of freedom. An
    # arm is never shorter than Student's quantile times this; 0 on different rows.
    wald_error: float = 0.0
    wald_df: float = math.inf

    @classmethod
    def from_pair(
        cls, pair: Pair, aucs: tuple[float, float], parts: CovarianceParts
    ) -> ScoreDifference:
        """Estimate all parts of models on the same rows; arguments from :func:`measure_pair`."""
        models = pair.one, pair.two
        (auc_1, auc_2), (one, two), cases = estimate_each(models, aucs, parts, pair.groups)
        return cls((auc_1, auc_2), (one, two), *relate(parts, cases))

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end, inside [-1, 1]."""
        quantile = -float(ndtri(tail) if self.wald_df > NORMAL else stdtrit(self.wald_df, tail))
        limits = [
            score_limits(auc, variance, tail)
            for auc, variance in zip(self.aucs, self.variances, strict=True)
        ]
        errors = [
            math.sqrt(float(variance.unit) * auc * (1.0 - auc))
            for auc, variance in zip(self.aucs, self.variances, strict=True)
        ]
        return combine_limits(
            self.aucs,
            [(float(low), float(high)) for low, high in limits],
            self.correlation,
            common=quantile * (errors[0] - errors[1]),
            shortest=quantile * self.wald_error,
        )

    def find_tail(self, null: float, *, above: bool) -> float:
        """P-value against a difference above (or below) `null`: the tail whose limit is `null`.

        Limits move away from the difference as the tail falls: bisection on its logarithm. A `null`
        on the other side of the difference has a p-value above one half, which is 1 minus that of
        the other side.
        """
        difference = self.aucs[0] - self.aucs[1]
        side = 1.0 if above else -1.0
        if side * (difference - null) < 0.0:
            return 1.0 - self.find_tail(null, above=not above)
        low, high = _LEAST_TAIL, math.log(0.5)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            limit = self.limits(math.exp(middle))[0 if above else 1]
            beyond = side * (limit - null) > 0.0  # still on the far side: the tail may be smaller
            low, high = (low, middle) if beyond else (middle, high)
        return math.exp(high)


def combine_limits(
    aucs: tuple[float, float],
    limits: list[tuple[float, float]],
    correlation: float,
    *,
    common: float,
    shortest: float = 0.0,
) -> tuple[float, float]:
    """Combine the limits of two AUCs into those of their difference.

    `limits`: lower and upper limit of each. `common`: the quantile times the difference of the two
    standard errors. `shortest`: shortest distance of a limit from the difference.
    """
    shared, opposed = max(correlation, 0.0), min(correlation, 0.0)

    def arm(x: float, y: float) -> float:
        own = (1.0 - shared) * (x * x + y * y) + shared * common**2 - 2.0 * opposed * x * y
        return max(math.sqrt(own), shortest)

    difference = aucs[0] - aucs[1]
    (low_1, high_1), (low_2, high_2) = limits
    low = difference - arm(aucs[0] - low_1, high_2 - aucs[1])
    high = difference + arm(high_1 - aucs[0], aucs[1] - low_2)
    return max(-1.0, low), min(1.0, high)


def relate(
    parts: CovarianceParts, cases: float, i: int = 0, j: int = 1
) -> tuple[float, float, float]:
    """Correlation of two AUCs on the same rows; DeLong's error of the difference, and its df.

    Few cases overrate how much two models agree: where the rarer class has k cases the correlation
    is multiplied by 1 - 1 / (2 k).
    """
    covariance = parts.total
    contrast = np.zeros((1, len(covariance)))
    contrast[0, [i, j]] = 1.0, -1.0
    error = math.sqrt(max(float((contrast @ covariance @ contrast.T)[0, 0]), 0.0))
    product, df = float(covariance[i, i] * covariance[j, j]), float(parts.find_df(contrast)[0])
    if product <= 0.0:
        return 0.0, error, df
    correlation = float(np.clip(covariance[i, j] / math.sqrt(product), -1.0, 1.0))
    return correlation * (1.0 - DOUBT / cases), error, df

"""DeLong's test of equal areas, for the same rows (with or without groups) or for different ones.

The variance of a difference of areas is that of the mean difference of the two models' placements
(:mod:`rocbands.core.delong`), so two models with equal placements have a difference of exactly 0.

DeLong's limits for a difference are symmetric. Near AUC 1 the sampling distribution is skewed, so
by default the limits combine the 'score-delong' limits of both AUCs by MOVER (Zou and Donner 2008).
With the distances L_j and U_j of the limits below and above the AUC A_j, standard errors s_j, the
correlation r of the AUCs, and d = A_1 - A_2,

    low = d - arm(L_1, U_2),    high = d + arm(U_1, L_2),                              (1)
    arm(x, y)^2 = (1 - r) (x^2 + y^2) + r (q (s_1 - s_2))^2,    r >= 0,                (2)
    arm(x, y)^2 = x^2 + y^2 - 2 r x y,                          r < 0.                 (3)

MOVER uses (3) for all r. Its product of a long and a short arm makes the limits too wide for models
with correlated errors; in (2) the common part r of the error enters with the difference of the
standard errors. With symmetric arms, x = q s_1 and y = q s_2, both give DeLong's variance. On
different rows r is 0.

Test and limits agree: p < 1 - level exactly if the limits exclude the null hypothesis, except
one-sided at levels below one half, because limits always contain the estimate. On the same rows
the test of equal areas is Student's t of d over DeLong's standard error, and on the side of 0 the
limits are those of this test (:func:`join_limits`). On different rows, and with a margin, the
p-value is the level at which a limit reaches the null value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtr

from rocbands.comparison.method import (
    ComparisonMethod,
    ComparisonRequest,
    Outcome,
    compute_wald,
    find_quantile,
)
from rocbands.core.checks import CountArray, check_choice
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
from rocbands.core.score_variance import CaseNumbers, ScoreVariance, estimate_variance, find_ends
from rocbands.core.tolerance import SAME
from rocbands.design.effective_sizes import count_independent_cases, estimate_curve_variance
from rocbands.errors import InputError, arg

SAME_ORDER = (
    "Both models rank all rows equally, so these rows cannot distinguish them; "
    "the interval is a single point."
)
NO_SPREAD = (
    "The placements do not vary, so the usual standard error is 0; it was computed with one more "
    "row of each class that favours the other model as much as possible."
)
NEAR_ONE = 0.9  # AUC above which Wald's limits get a note
WEAK_WALD = (
    "DeLong's limits are symmetric, and too narrow near AUC 1: for .99 against .95 they contain "
    "the true difference in .78 to .97 of test sets at .95."
)
FEW = 15  # cases of a class below which the test of equal AUCs gets a note
FEW_CASES = (
    "A class has fewer than 15 cases: with so few, equal AUCs are called different at .05 in up to "
    ".08 of test sets, and in up to .11 if the curves differ much in shape."
)
Limits: TypeAlias = Literal["score", "wald"]


@dataclass(frozen=True)
class DeLongTest(ComparisonMethod):
    """Test of equal areas, and an interval for their difference that agrees with it.

    On the same rows the test is Student's t with Satterthwaite's degrees of freedom; on different
    rows, and with a margin, it inverts the interval.

    Parameters
    ----------
    interval : {'score', 'wald'}, default 'score'
        'score' combines the 'score-delong' limits of both AUCs. 'wald' is the test and the
        symmetric interval of other programs: normal on the same rows, Welch's t on different ones.
        With few cases of a class it rejects equal AUCs too often. Measured: docs/coverage-auc.md.
    """

    name: ClassVar[str] = "delong"
    handles: ClassVar[tuple[Extra, ...]] = ("paired", "unpaired", "groups", "one-sided")
    guarantee: ClassVar[str] = (
        "asymptotic; equal AUCs rejected in .00 to .08 at .05, up to .11 for curves of unlike shape"
    )
    idea: ClassVar[str] = "difference of areas in standard errors, from the placements of the rows"
    references: ClassVar[tuple[str, ...]] = (DELONG, OBUCHOWSKI, ZOU_DONNER)

    interval: Limits = "score"

    def __post_init__(self) -> None:
        check_choice(self.interval, ("score", "wald"), "interval")

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        return compare_areas(pair, request, self.interval)


class Contrast(NamedTuple):
    """A difference of areas, its standard error, notes, and degrees of freedom of Student's t."""

    difference: float
    standard_error: float
    notes: tuple[str, ...] = ()
    df: float = math.inf


def compare_areas(pair: Pair, request: ComparisonRequest, interval: Limits = "score") -> Outcome:
    """Test of equal areas, and confidence limits for their difference."""
    for data in (pair.first, pair.second):
        check_cases(data)
    alike = False
    if pair.paired:
        aucs, parts, same = measure_pair(pair)
        # Models that rank these rows equally have difference 0 here, but that does not show that
        # they differ by less than the margin in the population.
        alike = same and pair.ranked_alike and request.null == 0
        found = _contrast(aucs[0] - aucs[1], parts, alike=alike)
        if interval == "wald":
            found = found._replace(df=math.inf)
    else:
        aucs = pair.curves[0].auc, pair.curves[1].auc
        found = contrast_two_sets(*pair.curves)
    by_groups = "" if pair.groups is None else ", by groups"
    outcome = Outcome(
        *compute_wald(found.difference, found.standard_error, request, found.df),
        found.standard_error,
        None if math.isinf(found.df) else found.df,
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
        if NO_SPREAD in found.notes:  # no arm may be shorter than the bound
            score = replace(score, wald_error=found.standard_error, wald_df=math.inf)
    else:
        score = ScoreDifference.from_two_sets(*pair.curves, found)
    low, high = score.limits(request.tail)
    if pair.paired and request.null == 0.0:
        reach = find_quantile(found.df, request.tail) * found.standard_error
        low, high = join_limits(found.difference, reach, (low, high))
        if min(parts.n_groups[:2]) < FEW:
            outcome = outcome._replace(notes=(*found.notes, FEW_CASES))
    else:
        pvalue = request.combine_tails(*score.find_tails(request.null))
        outcome = outcome._replace(pvalue=pvalue, df=None)
    low, high = request.clip_limits(low, high, found.difference)
    return outcome._replace(low=low, high=high, interval_method=f"score-delong{by_groups}")


def join_limits(difference: float, reach: float, score: tuple[float, float]) -> tuple[float, float]:
    """Limits that exclude 0 exactly if abs(difference) > reach, formula (M5).

    `reach`: critical value of the test of equal areas times the standard error. `score`: limits for
    areas that differ.
    """
    if reach <= 0.0:
        return difference, difference
    # Away from 0 the areas would be farther apart than observed, and near 1 vary more than
    # observed: there the score limits apply.
    below, above = max(difference - score[0], reach), max(score[1] - difference, reach)
    # Towards 0 the limit is that of the test of equal areas. If the test keeps 0, the limit beyond
    # 0 has the remaining share of the score limit's distance.
    left = 1.0 - abs(difference) / reach
    if difference > 0.0:
        low, high = -below * left if left > 0.0 else difference - reach, difference + above
    else:
        low, high = difference - below, above * left if left > 0.0 else difference + reach
    return max(low, -1.0), min(high, 1.0)


def check_cases(scores: Rows | RocCurve) -> None:
    """Refuse a set that is too small for the variance of its placements."""
    if min(scores.n_pos, scores.n_neg) < 2:
        few = "positive" if scores.n_pos < 2 else "negative"
        raise InputError(
            "DeLong's variance needs at least 2 positives and 2 negatives",
            f"there is 1 {few}",
            "The variance cannot be estimated from one case; "
            f"{arg('method', 'venkatraman')} does not need it.",
        )


def measure_pair(pair: Pair) -> tuple[tuple[float, float], CovarianceParts, bool]:
    """AUCs of two models on the same rows, their covariance, and whether placements are equal.

    The covariance, in parts of shape (3, 3), is that of both AUCs and of their difference. Computed
    once for each pair.
    """
    if "_measured" not in vars(pair):
        vars(pair)["_measured"] = _measure_pair(pair)
    known: tuple[tuple[float, float], CovarianceParts, bool] = vars(pair)["_measured"]
    return known


def _measure_pair(pair: Pair) -> tuple[tuple[float, float], CovarianceParts, bool]:
    is_positive = pair.one.is_positive
    if pair.groups is None:
        # In integers and chunk by chunk, to keep no placements of all rows in memory.
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
    """Difference of two areas on the same rows; `alike`: the models rank all rows equally."""
    parts = compute_covariance_parts([_subtract(one, two)], groups)
    # Not the mean difference of placements, which may differ from the reported AUCs by rounding.
    return _contrast(one.auc - two.auc, parts, alike=alike)


def _contrast(difference: float, parts: CovarianceParts, *, alike: bool) -> Contrast:
    """Take the variance of a difference, the last one of `parts`, or a bound where it is 0."""
    if alike:
        return Contrast(0.0, 0.0, (SAME_ORDER,))
    error = math.sqrt(max(float(parts.total[-1, -1]), 0.0))
    # Different models with equal placements: any difference would be significant. The placement
    # of a row can change the difference by at most 1 + |d|.
    if error <= SAME * max(1.0, abs(difference)):
        error = _bound_error(1.0 + abs(difference), parts.n_groups[:2])
        return Contrast(difference, error, (NO_SPREAD,))
    df = parts.find_df(np.eye(len(parts.pos))[-1:])
    return Contrast(difference, error, df=float(df[0]))


def contrast_two_sets(one: RocCurve, two: RocCurve) -> Contrast:
    """Difference of two areas on different rows, with Welch's degrees of freedom."""
    # Variances add up; df = (V1 + V2)^2 / (V1^2 / (N1 - 1) + V2^2 / (N2 - 1)), N the number of rows
    # of a set, as in pROC (Robin et al. 2011, BMC Bioinformatics 12, 77).
    notes: tuple[str, ...] = ()
    variances, doubt = [], 0.0
    for roc in (one, two):
        variance = 0.0
        if min(roc.n_pos, roc.n_neg) > 1:  # one case has no spread
            variance = variance_from_moments(compute_moments(roc), roc.n_pos, roc.n_neg)
        if variance <= SAME**2:  # a perfect or constant model, or one case of a class
            range_ = max(roc.auc, 1.0 - roc.auc)
            variance = _bound_error(range_, (roc.n_pos, roc.n_neg)) ** 2
            notes = (NO_SPREAD,)
        variances.append(variance)
        doubt += variance**2 / (roc.n_pos + roc.n_neg - 1)
    total = sum(variances)
    return Contrast(one.auc - two.auc, math.sqrt(total), notes, total**2 / doubt)


def _bound_error(distance: float, sizes: tuple[int, ...]) -> float:
    """Compute the standard error of equal placements and one more of each class at distance d."""
    # The mean of n equal values and one that is d away has the estimated variance
    # [d^2 n / (n + 1)] / [n (n + 1)] = (d / (n + 1))^2.
    return distance * math.hypot(1.0 / (sizes[0] + 1), 1.0 / (sizes[1] + 1))


SHRINKAGE = 0.5  # of the correlation, divided by the number of cases of the rarer class
_FARTHEST = -37.0  # normal quantile of the smallest p-value, about 1e-299
_STEPS = 100  # at most; about 10 are needed


def estimate_each(
    scores: Sequence[Rows], aucs: Sequence[float], parts: CovarianceParts, groups: CountArray | None
) -> tuple[tuple[float, ...], tuple[ScoreVariance, ...], float]:
    """AUCs of models on the same rows, their unit variances, and the cases of the rarer class."""
    if groups is None:
        # Variances of placements from the covariance: the curves would need another sort.
        sizes = CaseNumbers(*map(float, parts.n_groups[:2]))
        # A part is sum (V - A)^2 / (size (size - 1)); `estimate_variance` has the divisor size.
        pos, neg = (
            np.diag(part) * (size - 1.0)
            for part, size in zip((parts.pos, parts.neg), sizes, strict=True)
        )
        aucs = tuple(min(float(auc), 1.0) for auc in aucs)
        each = zip(aucs, pos, neg, strict=False)
        return aucs, tuple(estimate_variance(*one, sizes) for one in each), min(sizes)
    curves = [RocCurve.from_rows(one, groups) for one in scores]
    # The rows are the same: the smallest effective sizes of all models serve all.
    least = CaseNumbers(*map(min, *map(count_independent_cases, curves)))
    variances = tuple(estimate_curve_variance(curve, least) for curve in curves)
    return tuple(curve.auc for curve in curves), variances, min(least)


@dataclass(frozen=True)
class ScoreDifference:
    """Limits of a difference of two AUCs, and p-values of every value of it."""

    aucs: tuple[float, float]
    variances: tuple[ScoreVariance, ScoreVariance]  # unit variances
    correlation: float = 0.0  # of the two estimates
    # DeLong's standard error of the difference and its degrees of freedom. An arm is at least
    # Student's quantile times this; 0 on different rows.
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

    @classmethod
    def from_two_sets(cls, one: RocCurve, two: RocCurve, found: Contrast) -> ScoreDifference:
        """Estimate the variances of two test sets; `found`: from :func:`contrast_two_sets`."""
        first, second = map(estimate_curve_variance, (one, two))
        # Without spread no arm may be shorter than the bound.
        least = found.standard_error if NO_SPREAD in found.notes else 0.0
        return cls((one.auc, two.auc), (first, second), wald_error=least)

    def __post_init__(self) -> None:
        # Plain numbers: limits are computed many times for a p-value.
        plain = (ScoreVariance(float(unit), float(df)) for unit, df in self.variances)
        object.__setattr__(self, "aucs", tuple(map(float, self.aucs)))
        object.__setattr__(self, "variances", tuple(plain))

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end, inside [-1, 1]: formulas (1) to (3).

        Examples
        --------
        >>> known = ScoreVariance(0.01, math.inf)
        >>> low, high = ScoreDifference((0.99, 0.95), (known, known)).limits(0.025)
        >>> print(f"{low:.3f} {high:.3f}")
        -0.013 0.102
        """
        quantile = find_quantile(self.wald_df, tail)
        below, above, errors = [], [], []
        for auc, (unit, df) in zip(self.aucs, self.variances, strict=True):
            low, high = find_ends(auc, unit, abs(find_quantile(df, tail)))
            below.append(auc - low)
            above.append(high - auc)
            errors.append(math.sqrt(unit * auc * (1.0 - auc)))
        # With r >= 0 `opposed` is 0 and this is (2), with r < 0 `shared` is 0 and this is (3).
        common = quantile * (errors[0] - errors[1])
        shared, opposed = max(self.correlation, 0.0), min(self.correlation, 0.0)

        def arm(x: float, y: float) -> float:
            own = (1.0 - shared) * (x * x + y * y) + shared * common**2 - 2.0 * opposed * x * y
            return max(math.sqrt(own), quantile * self.wald_error)

        difference = self.aucs[0] - self.aucs[1]
        return (
            max(-1.0, difference - arm(below[0], above[1])),
            min(1.0, difference + arm(above[0], below[1])),
        )

    def find_tails(self, null: float) -> tuple[float, float]:
        """One-sided p-values: tails at which the upper, and the lower, limit is `null`."""
        side = math.copysign(1.0, self.aucs[0] - self.aucs[1] - null)
        # Illinois' false position in the normal quantile of the tail, in which limits are nearly
        # linear: at `near` the limit has not reached `null`, at `far` it has.
        near, far = 0.0, _FARTHEST
        gap_near, gap_far = (self._find_gap(z, null, side) for z in (near, far))
        z, moved = (near if gap_near <= 0.0 else far), 0
        for _ in range(_STEPS if gap_near > 0.0 > gap_far else 0):
            last, z = z, (far * gap_near - near * gap_far) / (gap_near - gap_far)
            gap = self._find_gap(z, null, side)
            if abs(z - last) <= 1e-14 * abs(z) or gap == 0.0:
                break
            if gap > 0.0:
                near, gap_near, gap_far = z, gap, gap_far / (2.0 if moved == 1 else 1.0)
            else:
                far, gap_far, gap_near = z, gap, gap_near / (2.0 if moved == -1 else 1.0)
            moved = 1 if gap > 0.0 else -1
        tail = float(ndtr(z))
        return (1.0 - tail, tail) if side > 0.0 else (tail, 1.0 - tail)

    def _find_gap(self, z: float, null: float, side: float) -> float:
        """Distance from `null` to the limit on its side; z: normal quantile of the tail."""
        limit = self.limits(float(ndtr(z)))[0 if side > 0.0 else 1]
        return side * (limit - null)


def relate(
    parts: CovarianceParts, cases: float, i: int = 0, j: int = 1
) -> tuple[float, float, float]:
    """Correlation of two AUCs on the same rows; DeLong's error of the difference, and its df."""
    covariance = parts.total
    contrast = np.zeros((1, len(covariance)))
    contrast[0, [i, j]] = 1.0, -1.0
    error = math.sqrt(max(float((contrast @ covariance @ contrast.T)[0, 0]), 0.0))
    # Satterthwaite's df of the difference, for the quantile of its shortest arm.
    product, df = float(covariance[i, i] * covariance[j, j]), float(parts.find_df(contrast)[0])
    if product <= 0.0:
        return 0.0, error, df
    correlation = float(np.clip(covariance[i, j] / math.sqrt(product), -1.0, 1.0))
    # With few cases the estimated correlation is too large: multiply by 1 - 1 / (2 k).
    return correlation * (1.0 - SHRINKAGE / cases), error, df

"""DeLong's test of equal areas, for the same rows (with or without clusters) or for different ones.

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
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from rocbands._math.mover import correlate, find_tails, limit_difference
from rocbands.comparison.areas import AreaCovariance, SetArea, measure_pair, measure_sets
from rocbands.comparison.method import (
    LEARNERS,
    ComparisonMethod,
    ComparisonRequest,
    Outcome,
    compute_wald,
    find_quantile,
)
from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra
from rocbands.core.pair import Pair
from rocbands.core.phrases import FEW_MISPLACED
from rocbands.core.references import DELONG, NADEAU_BENGIO, OBUCHOWSKI, ZOU_DONNER
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows, check_class_clusters
from rocbands.core.score_variance import ScoreVariance, find_ends
from rocbands.core.table import list_notes
from rocbands.core.tolerance import SAME
from rocbands.design.fold_sums import count_folds, widen
from rocbands.design.row_design import LEAST
from rocbands.errors import InputError, Message, arg
from rocbands.resample.areas import FprRange

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
FEW_OUT_OF_ORDER = (
    "Few cases are out of order by one of the models: where a rare part of a class is far on the "
    "other side, or curves differ much in shape, limits held 0.83 at 0.95 and 0.80 at 0.90."
)
FEW_CASES = (
    "A class has fewer than 15 cases: with so few, equal AUCs are called different at .05 in up to "
    ".08 of test sets, and in up to .11, with 3 cases .31, if the curves differ much in shape."
)
Limits: TypeAlias = Literal["score", "wald"]


class _AreaTest(ComparisonMethod):
    """Test of equal areas, from the placements of the rows."""

    handles: ClassVar[tuple[Extra, ...]] = (
        *("paired", "unpaired", "clusters", "unpaired clusters", "common clusters"),
        *("weights", "strata", "one-sided"),
    )

    interval: ClassVar[Limits]

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        return compare_areas(pair, request, self.interval)


@dataclass(frozen=True)
class ScoreDeLongTest(_AreaTest):
    """Test of equal areas, and an interval for their difference that agrees with it.

    On the same rows the test is Student's t with Satterthwaite's degrees of freedom; on different
    rows, and with a margin, it inverts the interval. The interval combines the 'score-delong'
    limits of both AUCs. Measured: studies/docs/coverage-auc.md.
    """

    name: ClassVar[str] = "score-delong"
    guarantee: ClassVar[str] = (
        "asymptotic; equal AUCs rejected in .00 to .08 at .05, up to .11 for curves of unlike shape"
    )
    idea: ClassVar[str] = "DeLong's difference of areas, with limits that stay right near AUC 1"
    references: ClassVar[tuple[str, ...]] = (DELONG, OBUCHOWSKI, ZOU_DONNER, NADEAU_BENGIO)
    handles: ClassVar[tuple[Extra, ...]] = (*_AreaTest.handles, "folds", "repeats")
    interval: ClassVar[Limits] = "score"


@dataclass(frozen=True)
class DeLongTest(_AreaTest):
    """DeLong's test and symmetric interval, as in the literature and in other programs.

    Normal on the same rows, Welch's t on different ones. With few cases of a class it rejects equal
    AUCs too often, and its interval is too narrow near AUC 1. Measured:
    studies/docs/coverage-auc.md.
    """

    name: ClassVar[str] = "delong"
    guarantee: ClassVar[str] = "asymptotic; too narrow with few cases and near AUC 1"
    idea: ClassVar[str] = "difference of areas in standard errors, from the placements of the rows"
    references: ClassVar[tuple[str, ...]] = (DELONG, OBUCHOWSKI)
    interval: ClassVar[Limits] = "wald"


class Contrast(NamedTuple):
    """A difference of areas, its standard error, notes, and degrees of freedom of Student's t."""

    difference: float
    standard_error: float
    notes: tuple[str, ...] = ()
    df: float = math.inf


def compare_areas(
    pair: Pair, request: ComparisonRequest, interval: Limits = "score", part: FprRange | None = None
) -> Outcome:
    """Test of equal areas, whole or relative to a range, and limits for their difference."""
    check_pair(pair)
    alike = False
    if pair.paired:
        areas, parts, same, notes = measure_pair(pair, part)
        # Models that rank these rows equally have difference 0 here, but that does not show that
        # they differ by less than the margin in the population.
        alike = same and pair.ranked_alike and request.null == 0
        found = contrast_areas(float(areas[0] - areas[1]), parts, alike=alike)
        if interval == "wald":
            found = found._replace(df=math.inf)
    else:
        sets, covariance = measure_sets(pair, part)
        areas = np.array([one.area for one in sets])
        found = contrast_two_sets(*sets, covariance)
        notes = tuple(list_notes({n: one.notes for n, one in zip(pair.names, sets, strict=True)}))
    by_clusters = ", by clusters" if "clusters" in pair.design else ""
    # Curves are counted for folds only: for other rows that would be half of the time.
    about_folds = () if pair.folded is None else say_folds(pair.curves[0])
    outcome = Outcome(
        *compute_wald(found.difference, found.standard_error, request, found.df),
        found.standard_error,
        None if math.isinf(found.df) else found.df,
        interval_method=f"delong{by_clusters}",
        notes=(*found.notes, *about_folds, *notes),
        estimates=(float(areas[0]), float(areas[1])),
    )
    if alike:
        return outcome
    if interval == "wald":
        near_one = areas.max() > NEAR_ONE
        return outcome._replace(notes=(*outcome.notes, WEAK_WALD)) if near_one else outcome
    if pair.paired:
        score = ScoreDifference.from_models(areas, parts, found)
    else:
        score = ScoreDifference.from_two_sets(*sets, found, covariance)
    low, high = score.limits(request.tail)
    cases = parts.units if pair.paired else [size for one in sets for size in one.cases]
    few = part is None and min(cases) * (1.0 - areas.max()) < FEW_MISPLACED
    doubts = (FEW_OUT_OF_ORDER,) if few else ()
    if pair.paired and request.null == 0.0:
        reach = find_quantile(found.df, request.tail) * found.standard_error
        low, high = join_limits(found.difference, reach, (low, high))
        if part is None and min(parts.units) < FEW * (1.0 - SAME):
            doubts = (FEW_CASES,)
    else:
        pvalue = request.combine_tails(*score.find_tails(request.null))
        outcome = outcome._replace(pvalue=pvalue, df=None)
    low, high = request.clip_limits(low, high, found.difference)
    notes = (*outcome.notes, *doubts)
    method = f"score-delong{by_clusters}"
    return outcome._replace(low=low, high=high, interval_method=method, notes=notes)


def say_folds(roc: RocCurve) -> tuple[str, ...]:
    """Say what a difference over folds is for, and how limits allow for shared training rows."""
    if not roc.folds:
        return ()
    factor = widen(count_folds(roc.folds, roc.repeats))
    rule = (
        "Folds share training rows, which limits allow for by a rule of thumb: the variance within "
        f"folds is multiplied by {factor:.3g}."
    )
    return LEARNERS, rule


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


def check_pair(pair: Pair) -> None:
    """Refuse rows that are too few for a variance, or whose class lies in one cluster."""
    for data in (pair.first, pair.second):
        check_cases(data)
        if isinstance(data, RocCurve) and data.clusters is not None:
            data.clusters.check_classes()
    if pair.paired:
        check_class_clusters(pair.one.is_positive, pair.drawn.clusters)


def check_cases(scores: Rows | RocCurve) -> None:
    """Refuse a set that is too small for the variance of its placements."""
    if min(scores.n_pos, scores.n_neg) < 2:
        few = "positive" if scores.n_pos < 2 else "negative"
        raise InputError(
            "DeLong's variance needs at least 2 positives and 2 negatives",
            f"there is 1 {few}",
            Message(
                "The variance cannot be estimated from one case; {} does not need it.",
                arg("method", "venkatraman"),
            ),
        )


def contrast_areas(difference: float, parts: AreaCovariance, *, alike: bool) -> Contrast:
    """Take the variance of a difference, the last one of `parts`, or a bound where it is 0.

    `alike`: the models rank all rows equally.
    """
    if alike:
        return Contrast(0.0, 0.0, (SAME_ORDER,))
    variance, df = parts.find_last()
    error = math.sqrt(variance)
    # Different models with equal placements: any difference would be significant. The placement
    # of a row can change the difference by at most 1 + |d|.
    if error <= SAME * max(1.0, abs(difference)):
        return Contrast(difference, bound_error(1.0 + abs(difference), parts.cases), (NO_SPREAD,))
    return Contrast(difference, error, df=df)


def contrast_two_sets(one: SetArea, two: SetArea, covariance: float = 0.0) -> Contrast:
    """Difference of the areas of two test sets, with Welch's degrees of freedom."""
    # Variances add up; df = (V1 + V2)^2 / (V1^2 / (k1 - 1) + V2^2 / (k2 - 1)), k the number of rows
    # of a set, as in pROC (Robin et al. 2011, BMC Bioinformatics 12, 77), or of its units.
    notes: tuple[str, ...] = ()
    variances, doubt = [], 0.0
    for each in (one, two):
        variance = each.variance
        if variance <= SAME**2:  # a perfect or constant model, or one case of a class
            variance = bound_error(max(each.area, 1.0 - each.area), each.cases) ** 2
            notes = (NO_SPREAD,)
        variances.append(variance)
        doubt += variance**2 / each.df
    total = sum(variances)
    error = math.sqrt(max(total - 2.0 * covariance, LEAST * total))
    return Contrast(one.area - two.area, error, notes, total**2 / doubt)


def bound_error(distance: float, sizes: tuple[float, ...]) -> float:
    """Compute the standard error of equal placements and one more of each class at distance d."""
    # The mean of n equal values and one that is d away has the estimated variance
    # [d^2 n / (n + 1)] / [n (n + 1)] = (d / (n + 1))^2.
    return distance * math.hypot(1.0 / (sizes[0] + 1), 1.0 / (sizes[1] + 1))


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
    def from_models(
        cls, areas: FloatArray, parts: AreaCovariance, found: Contrast, i: int = 0, j: int = 1
    ) -> ScoreDifference:
        """Estimate all parts of models on the same rows; `found`: from :func:`contrast_areas`."""
        each, cov = parts.estimate_each(areas), parts.total
        r = correlate(float(cov[i, j]), float(cov[i, i]), float(cov[j, j]), min(parts.cases))
        aucs = float(areas[i]), float(areas[j])
        return cls(aucs, (each[i], each[j]), r, found.standard_error, found.df)

    @classmethod
    def from_two_sets(
        cls, one: SetArea, two: SetArea, found: Contrast, covariance: float = 0.0
    ) -> ScoreDifference:
        """Combine two test sets; `found`: from :func:`contrast_two_sets`."""
        # Without spread no arm may be shorter than the bound.
        least = found.standard_error if NO_SPREAD in found.notes else 0.0
        cases = min(*one.cases, *two.cases)
        r = correlate(covariance, one.variance, two.variance, cases)
        df = min(one.score.df, two.score.df) if r else math.inf
        return cls((one.area, two.area), (one.score, two.score), r, least, df)

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end, inside [-1, 1]: formulas (1) to (3).

        Examples
        --------
        >>> known = ScoreVariance(0.01, math.inf)
        >>> low, high = ScoreDifference((0.99, 0.95), (known, known)).limits(0.025)
        >>> print(f"{low:.3f} {high:.3f}")
        -0.013 0.102
        """
        quantile = min(find_quantile(self.wald_df, tail), 1e50)
        one, two = (
            (auc, *find_ends(auc, unit, abs(find_quantile(df, tail))))
            for auc, (unit, df) in zip(self.aucs, self.variances, strict=True)
        )
        errors = [
            math.sqrt(unit * auc * (1.0 - auc))
            for auc, (unit, _) in zip(self.aucs, self.variances, strict=True)
        ]
        common = quantile * (errors[0] - errors[1])
        low, high = limit_difference(one, two, self.correlation, common)
        difference, least = self.aucs[0] - self.aucs[1], quantile * self.wald_error
        return (
            max(-1.0, float(min(low, difference - least))),
            min(1.0, float(max(high, difference + least))),
        )

    def find_tails(self, null: float) -> tuple[float, float]:
        """One-sided p-values: tails at which the upper, and the lower, limit is `null`."""
        return find_tails(self.limits, self.aucs[0] - self.aucs[1], null)

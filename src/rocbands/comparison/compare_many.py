"""Comparing many classifiers on the same rows: a joint test, and simultaneous limits of all pairs.

The formulas are in docs/formulas.md, "Several AUCs"; comments give their numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from rocbands.comparison.areas import AreaCovariance, FoldTerms, measure_pair, place_models
from rocbands.comparison.delong import (
    Contrast,
    ScoreDeLongTest,
    ScoreDifference,
    check_cases,
    contrast_areas,
    join_limits,
    say_folds,
)
from rocbands.comparison.joint_test import NEGLIGIBLE, JointTest
from rocbands.comparison.method import find_quantile, name_average
from rocbands.comparison.result import Comparisons
from rocbands.core.arguments import explain
from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    IndexArray,
    check_level,
    check_resamples,
    check_rng,
)
from rocbands.core.counting import find_levels, rank_in_folds
from rocbands.core.delong import count_wins
from rocbands.core.method import Handling, Request
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng, join_keys, key_floats, key_models, sort_keys, sum_keys
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Design, Rows, check_class_clusters
from rocbands.core.sample import Sample
from rocbands.core.score_variance import CaseNumbers
from rocbands.core.table import list_notes
from rocbands.core.tolerance import SLACK
from rocbands.design.effective_sizes import ask_about_reversed
from rocbands.design.row_design import Parts, RowDesign, correct_few
from rocbands.errors import InputError, Message, call, in_python
from rocbands.resample.gaussian_maximum import DrawnMaxima, draw_gaussian_maxima
from rocbands.resample.quantiles import check_enough_draws
from rocbands.resample.sign_flips import CHUNK, FlippedStatistics, SignFlips

HANDLING = Handling(
    "compare_many",
    "comparison",
    "joint test of equal areas, and differences of all pairs with simultaneous limits",
    ("paired", "clusters", "weights", "strata", "class weights", "folds", "repeats"),
)
REFERENCES = ("Westfall and Young (1993), Resampling-Based Multiple Testing, Wiley.",)

FEW = 9.0  # cases of a class at which (M2) adds the largest variance that the AUC can have
FEW_CASES = (
    "A class has fewer than 50 cases: the test rejects equal AUCs in .00 to .05 of test sets at "
    ".05, in up to .07 if the curves differ in shape, and has less power than with more cases."
)
NEAR_ONE = (
    "With so few cases and AUCs so close to 1 the test is conservative: it rejects equal AUCs in "
    "less than .03 of test sets at .05, and has less power."
)


@explain
def compare_many(
    sample: Sample, *, level: float = 0.95, n_resamples: int = 100_000, rng: Rng = 0
) -> Comparisons:
    """Compare the areas of two or more classifiers on the same rows.

    Parameters
    ----------
    sample : Sample
        Two or more models' scores of the same rows.
    level : float, default 0.95
        Simultaneous confidence level of the intervals of all pairs.
    n_resamples : int, default 100,000
        Draws for p-values and limits; the default places a limit to within about .01 standard
        errors.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Comparisons
        A joint test that all areas are equal (Hotelling's T2, with DeLong's covariance, or that of
        the design of the rows; a generalised inverse where it is singular), and for each pair the
        difference, model 1 minus model 2, with simultaneous limits and an adjusted p-value. Limits
        exclude 0 exactly if the adjusted p-value is below 1 - level.

    Notes
    -----
    Two models have the limits and the p-value that :func:`rocbands.compare` gives by default, and
    nothing is drawn. For more models there are two tests, and the larger p-value counts. One draws
    the null distribution of T2 and of all abs(t) by sign flips of the rows' residuals, with
    variances that are raised where a class has few cases. The other is Hotelling's, and a
    multivariate t for the differences. Sign flips alone reject too often if curves of equal area
    differ in shape, Student's t alone if there are many models and few cases.

    Of a sample with folds the areas are means over folds, with the variance of
    docs/compare.md, "Learners on the same folds".

    The reported statistic and standard errors are DeLong's. Limits on the side of 0 are those of
    the tests, on the other side they are at least those of 'score-delong'.

    docs/formulas.md has the formulas, docs/compare.md the measured error rates; notes of the result
    say if they differ from the nominal ones.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.
    Krishnamoorthy and Yu (2004), Modified Nel and Van der Merwe test for the multivariate
    Behrens-Fisher problem, Statistics and Probability Letters 66, 161-169.
    Westfall and Young (1993), Resampling-Based Multiple Testing, Wiley.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> scores = {name: sample[name].values for name in sample}
    >>> scores["sum"] = scores["logistic"] + scores["neighbours"]
    >>> many = rb.compare_many(rb.Sample(sample.is_positive, scores))
    >>> many.df, many.pairs
    (2, ((0, 1), (0, 2), (1, 2)))
    >>> print(many.pvalues.round(4))
    [0.     0.1754 0.    ]
    """
    if not isinstance(sample, Sample):
        raise InputError(
            "must be a sample of two or more models",
            f"it is {type(sample).__name__}",
            in_python("Pass rb.Sample(y_true, {'a': scores_a, 'b': scores_b})."),
            argument="sample",
        )
    level, source = check_level(level), check_rng(rng)
    check_resamples(n_resamples)
    check_enough_draws(n_resamples, 1.0 - level, level)
    HANDLING.check(sample.design)
    if len(sample.models) < 2:
        raise InputError(
            "must contain at least two models",
            f"it contains {len(sample.models)}",
            Message("For one model see {}.", call("auc_interval")),
            argument="sample",
        )
    if len(sample.models) == 2:
        return _compare_two(sample, level)
    models = _sort_models(sample)
    found = _Differences.from_models(models)
    asked = Request(level, source)
    joint = JointTest.from_areas(found.areas, found.parts, found.floor)
    drawn = _draw_null(models, found, joint, n_resamples, asked.rng)
    student = _draw_student(found, n_resamples, asked.rng)
    raw, adjusted = _find_pvalues(found, drawn, student)
    pvalue = joint.find_pvalue(drawn, float(adjusted.min()))
    lower, upper, critical_value, error = _find_limits(found, drawn, student, level)
    pvalue_error = math.sqrt(pvalue * (1.0 - pvalue) / n_resamples)
    place = np.argsort(models.order)  # back to the order of the sample
    row, turned = found.locate_pairs(place)
    areas = dict(zip(sample.models, found.areas[place].tolist(), strict=True))
    roc = sample[sample.models[0]].roc
    return Comparisons(
        names=sample.models,
        quantity=name_average(roc) if roc.folds else "AUC",
        estimates=found.areas[place],
        covariance=found.parts.total[np.ix_(place, place)],
        statistic=joint.statistic,
        df=joint.df,
        df_error=joint.df_error,
        pvalue=pvalue,
        pairs=found.pairs,
        differences=np.where(turned, -found.gaps[row], found.gaps[row]) + 0.0,
        standard_errors=found.errors[row],
        lower=np.where(turned, -upper[row], lower[row]) + 0.0,
        upper=np.where(turned, -lower[row], upper[row]) + 0.0,
        pvalues=adjusted[row],
        raw_pvalues=raw[row],
        critical_value=critical_value,
        level=level,
        method="score-delong, by clusters" if models.design.clustered else "score-delong",
        n_pos=models.scores[0].n_pos,
        n_neg=models.scores[0].n_neg,
        notes=(
            *list_notes({name: sample.rows_of(name).value_notes for name in sample.models}),
            *_name_notes(sample.models, found.pairs, [found.contrasts[i] for i in row]),
            *say_folds(roc),
            *joint.notes,
            *_note_error_rates(found.areas, found.parts),
            *models.describe(),
        ),
        question=ask_about_reversed(
            {name: sample[name].roc for name, area in areas.items() if area < 0.5}, level
        ),
        simulation=asked.simulated(n_resamples, error, pvalue_error),
        frame=sample.frame,
    )


def _compare_two(models: Sample, level: float) -> Comparisons:
    """Compare two models as `compare` does by default, with the same result."""
    pair = Pair.from_sample(models)
    found = ScoreDeLongTest()(pair, level=level)
    pvalue = np.array([found.pvalue])
    return Comparisons(
        names=models.models,
        quantity=found.quantity,
        estimates=np.array(found.estimates),
        covariance=measure_pair(pair).covariance.total[:2, :2],
        statistic=(found.statistic or 0.0) ** 2,
        df=1,
        df_error=None,
        pvalue=found.pvalue,
        pairs=((0, 1),),
        differences=np.array([found.difference]),
        standard_errors=np.array([found.standard_error or 0.0]),
        lower=np.array([found.low]),
        upper=np.array([found.high]),
        pvalues=pvalue,
        raw_pvalues=pvalue,
        critical_value=find_quantile(found.df or math.inf, (1.0 - level) / 2.0),
        level=level,
        method="score-delong" if pair.drawn.clusters is None else "score-delong, by clusters",
        n_pos=found.n_pos,
        n_neg=found.n_neg,
        notes=found.notes,
        question=found.question,
        frame=models.frame,
    )


class _Models(NamedTuple):
    """Models and rows sorted by their contents.

    Random draws then depend neither on the order of rows and models nor on the names of clusters.
    """

    scores: list[Rows]  # rows in the order of the sample
    areas: FloatArray  # (k,)
    values: FloatArray  # (n, k) placements; rows are sorted, positives first
    design: RowDesign  # of the sorted rows
    given: RowDesign  # the same with the weights of the sample, which folds change
    folds: CountArray | None  # in the order of the sample
    cases: CaseNumbers
    terms: FoldTerms
    order: list[int]  # the models, as numbered in the sample

    def describe(self) -> tuple[str, ...]:
        """Say what the design costs the mean AUC."""
        mean = self.values.mean(axis=1)
        return self.given.describe_classes(mean, self.given.split(mean))

    def measure(self, parts: Parts) -> AreaCovariance:
        """Covariance of statements about these rows, from their sums over units."""
        return AreaCovariance.from_parts(self.design, parts, self.cases, self.terms)


def _sort_models(sample: Sample) -> _Models:
    """Sort by the placements, which do not depend on the order of rows or the scale of scores."""
    sample = sample.leave_out_zeros()
    scores, is_positive = [sample.rows_of(name) for name in sample], sample.is_positive
    check_cases(scores[0])
    drawn = sample.drawn
    weights, clusters, strata = drawn.weights, drawn.clusters, drawn.strata
    if weights is not None and all(
        np.ptp(weights.compress(is_positive == own)) == 0.0 for own in (0, 1)
    ):
        weights, drawn = None, replace(drawn, weights=None)  # equal in each class
    folds, terms, shares = drawn.folds, FoldTerms(), weights
    if clusters is None and weights is None and strata is None and folds is None:
        cases = CaseNumbers(float(scores[0].n_pos), float(scores[0].n_neg))
        twice = 2.0 * np.where(is_positive, cases.n_neg, cases.n_pos)
        placed = [count_wins(is_positive, one.values) / twice for one in scores]
        areas = np.array([each.compress(is_positive).mean() for each in placed])
        values = np.stack(placed, axis=1)
    else:
        check_class_clusters(is_positive, clusters)
        curves = [
            RocCurve.from_rows(one, drawn) if folds is None else sample[name].roc
            for name, one in zip(sample, scores, strict=True)
        ]
        areas, values, design, cases, terms = place_models(curves, scores, drawn)
        shares = design.weight
    # A key of each row by each model, from its placement and class; with weights from ranks, which
    # a common factor of the weights does not change. The key of a model depends on those of all its
    # rows, in any order.
    rows = [join_keys(key_floats(each), is_positive) for each in values.T]
    if weights is not None or folds is not None:
        weight = find_levels(np.ones(sample.n) if weights is None else weights).level
        ranks = (rank_in_folds(one.values, folds) for one in scores)
        rows = [join_keys(rank, is_positive, weight) for rank in ranks]
    size = 0 if clusters is None else int(clusters.max()) + 1
    models = key_models(rows, clusters, size)
    order = sorted(range(len(models)), key=models.__getitem__)
    # Rows are sorted by their keys over all models and those of their fold and stratum, clusters
    # renumbered by the sums of their rows'.
    keys = join_keys(*(rows[i] for i in order))
    for column in (folds, strata):
        if column is not None:
            keys = join_keys(keys, sum_keys(keys, column, int(column.max()) + 1)[column])
    if clusters is not None:
        clusters = sort_keys(sum_keys(keys, clusters, size))[1][clusters]
    by = np.lexsort((keys, ~is_positive))
    weights, shares = (None if side is None else side[by] for side in (weights, shares))
    clusters, strata = (None if side is None else side[by] for side in (clusters, strata))
    given = RowDesign.of_rows(is_positive[by], weights, clusters, strata)
    return _Models(
        [scores[i] for i in order],
        areas[order],
        np.stack([values[by, i] for i in order], axis=1),
        given if folds is None else RowDesign.of_rows(is_positive[by], shares, clusters, strata),
        given,
        sample.folds,
        cases,
        terms._replace(known=tuple(terms.known[i] for i in order if terms.known)),
        order,
    )


@dataclass(frozen=True, eq=False)
class _Differences:
    """AUCs of k models, and the differences of all c pairs."""

    areas: FloatArray  # (k,)
    parts: AreaCovariance
    residuals: Parts  # sums of centred placements over units, (units, k) of each class
    pairs: tuple[tuple[int, int], ...]  # (i, j) with i < j
    contrasts: list[Contrast]  # difference, standard error and notes of each pair
    gaps: FloatArray  # (c,) the differences
    errors: FloatArray  # DeLong's
    weights: FloatArray  # (c, k) matrix D with D a = the differences of AUCs a
    df: FloatArray  # Satterthwaite's, of each difference
    plain_t: FloatArray  # absolute differences in standard errors
    floor: float  # variance added to each AUC, formula (M2)
    raised: FloatArray  # standard errors with the added variance; 0 stays 0
    t: FloatArray  # absolute differences in raised standard errors

    @classmethod
    def from_models(cls, models: _Models) -> _Differences:
        """Compute the differences of all pairs, with DeLong's and with raised standard errors."""
        areas, residuals = models.areas, models.design.split(models.values)
        parts = models.measure(residuals)
        pairs = tuple(combinations(range(areas.size), 2))
        contrasts = [_contrast_pair(models, i, j) for i, j in pairs]
        gaps = np.array([one.difference for one in contrasts])
        errors = np.array([one.standard_error for one in contrasts])
        first, second = np.array(pairs).T
        weights = np.eye(areas.size)[first] - np.eye(areas.size)[second]
        # A standard error of 0 is exact: these models rank all rows equally.
        floor, varies = _find_floor(areas, parts), errors > 0
        raised = np.where(varies, np.sqrt(errors**2 + 2.0 * floor), 0.0)
        plain_t, t = (
            np.abs(np.divide(gaps, by, out=np.zeros_like(gaps), where=varies))
            for by in (errors, raised)
        )
        df = np.array([one.df for one in contrasts])
        return cls(
            *(areas, parts, residuals, pairs, contrasts, gaps, errors, weights, df, plain_t),
            *(floor, raised, t),
        )

    def locate_pairs(self, place: IndexArray) -> tuple[IndexArray, BoolArray]:
        """Find each pair of the sample's order, and whether its sign is reversed here.

        `place`: index here of each model of the sample.
        """
        first, second = np.array(self.pairs).T
        number = np.zeros((place.size, place.size), dtype=np.intp)
        number[first, second] = np.arange(first.size)
        one, two = place[first], place[second]
        return number[np.minimum(one, two), np.maximum(one, two)], one > two


def _contrast_pair(models: _Models, i: int, j: int) -> Contrast:
    gap = models.values[:, i] - models.values[:, j]
    drawn = Design(folds=models.folds)
    pair = Pair(models.scores[i], models.scores[j], drawn=drawn)
    alike = not gap.any() and pair.ranked_alike
    residuals = tuple(side[:, None] for side in models.design.split(gap))
    parts = models.measure(residuals)
    # Not the mean difference of placements, which may differ from the reported AUCs by rounding.
    return contrast_areas(float(models.areas[i] - models.areas[j]), parts, alike=alike)


def _find_floor(areas: FloatArray, parts: AreaCovariance) -> float:
    """Variance that is added to each AUC, formula (M2)."""
    # If ten positives all have high placements, the estimated variance is nearly 0, and any
    # difference looks large. With g cases and the mean placement A the variance is at most
    # A (1 - A) / g; a share (FEW / g)^2 of this bound is added.
    a = float(areas.mean())
    shares = [(FEW / cases) ** 2 / cases for cases in parts.units]
    return a * (1.0 - a) * float(sum(shares))


def _draw_null(
    models: _Models,
    found: _Differences,
    joint: JointTest,
    n_resamples: int,
    rng: np.random.Generator,
) -> FlippedStatistics:
    """Draw all statistics for models whose AUCs are equal, formula (M4)."""
    # The same parts for a pair: its difference in proportion to the variances of the classes.
    own_pos, own_neg = (
        np.einsum("ci,ij,cj->c", found.weights, side + found.parts.across / 2.0, found.weights)
        for side in (found.parts.pos, found.parts.neg)
    )
    total = own_pos + own_neg
    divisor = np.where(total > 0.0, total, 1.0)
    return FlippedStatistics.draw(
        _prepare_flips(models.design, found.residuals, models.terms),
        np.concatenate(([joint.raised_statistic], found.t)) - SLACK,
        n_resamples,
        rng,
        joint=None if joint.df_error is None else joint.flip_weights,
        joint_added=joint.added,
        pairs=(
            np.vstack((found.weights.T, found.gaps * own_pos / divisor)),
            np.vstack((found.weights.T, found.gaps * own_neg / divisor)),
        ),
        pairs_added=2.0 * found.floor,
        constant=found.raised == 0.0,
        # Placements do not vary, and `Contrast` has a bound in place of the covariance.
        normal=(found.raised > 0.0) & (total < NEGLIGIBLE**2 * found.raised**2),
    )


def _prepare_flips(design: RowDesign, residuals: Parts, terms: FoldTerms) -> SignFlips:
    """Prepare sign flips of whole units, which have the variances of :class:`AreaCovariance`."""
    # The parts of an observed contrast by class are weights of one more column of residuals, the
    # shares of the units: under the hypothesis placements vary around a common AUC.
    pos, neg = (
        design.centre(np.column_stack((side, design.add_up(share))))
        for side, share in zip(residuals, (design.pos, design.neg), strict=True)
    )
    # A draw is a sum of K units, whose squares few(K) / K would centre. Enlarged by the root of
    # few(K) / few(N), it varies as much as the estimate, as the sum of N independent rows does.
    units = design.units[:2]
    few = [float(correct_few(each.rows)) for each in units]
    root = [math.sqrt(each.correction) for each in units]
    lost = np.diag([each / unit.kish for each, unit in zip(few, units, strict=True)])
    if design.linked:
        lost[0, 1] = lost[1, 0] = 1.0 / max(design.n_units - 1.0, 1.0) / (root[0] * root[1])
    else:
        pos, neg = pos[design.is_positive], neg[~design.is_positive]
    weights = np.diag(few) + (1.0 - np.eye(2)) * design.n_units * lost
    wide = math.sqrt(terms.factor)
    return SignFlips.from_residuals(
        wide * root[0] * pos, wide * root[1] * neg, weights, lost, shared=design.linked
    )


def _draw_student(found: _Differences, n_resamples: int, rng: np.random.Generator) -> DrawnMaxima:
    """Draw the largest abs(t) of all pairs, by a multivariate t with DeLong's covariance."""
    kept = found.errors > 0  # pairs with the same order of all rows are left out
    if not kept.any():
        return DrawnMaxima(np.zeros(n_resamples))
    error, weights = found.errors[kept], found.weights[kept]
    correlation = weights @ found.parts.total @ weights.T / np.outer(error, error)
    # A standard error that does not come from the covariance: an independent pair.
    alone = np.diag(correlation) < NEGLIGIBLE**2
    correlation[alone, :] = correlation[:, alone] = 0.0
    correlation[alone, alone] = 1.0
    # One chi-square variable divides all pairs: a multivariate t has one number of df, the least.
    df = float(found.df[kept].min())
    drawn = draw_gaussian_maxima(correlation, n_resamples, rng, df=df, chunk=CHUNK)
    return DrawnMaxima.from_draws(drawn)


def _find_pvalues(
    found: _Differences, drawn: FlippedStatistics, student: DrawnMaxima
) -> tuple[FloatArray, FloatArray]:
    """P-values of all pairs, alone and adjusted: the larger one of both tests."""
    # Two-sided tails of Student's t: at t in standard errors, at t in raised ones, where draws end.
    alone, raised, far = (
        2.0 * stdtr(found.df, -t) for t in (found.plain_t, found.t, drawn.far[1:])
    )
    flipped = drawn.find_pvalues(found.t, raised, far, first=1)
    pairs = float(len(found.pairs))
    adjusted = np.maximum(
        DrawnMaxima.from_draws(drawn.maxima).find_pvalues(found.t, pairs * flipped),
        student.find_pvalues(found.plain_t, pairs * alone),
    )
    return np.minimum(np.maximum(flipped, alone), adjusted), adjusted


def _find_limits(
    found: _Differences, drawn: FlippedStatistics, student: DrawnMaxima, level: float
) -> tuple[FloatArray, FloatArray, float, float]:
    """Simultaneous limits of all differences, formula (M5).

    Returns lower and upper limits, the critical value c', and the Monte Carlo error of the limits.
    """
    flipped = DrawnMaxima.from_draws(drawn.maxima)
    # c of (M5) from sign flips, and c' from a multivariate t.
    inner, outer = (each.find_critical_value(level) for each in (flipped, student))
    limits = []
    for (i, j), one, raised in zip(found.pairs, found.contrasts, found.raised, strict=True):
        score = ScoreDifference.from_models(found.areas, found.parts, one, i, j)
        reach = max(inner * float(raised), outer * one.standard_error)
        # The tail of the larger critical value by this pair's Student's t.
        far = score.limits(float(stdtr(one.df, -max(inner, outer))))
        limits.append(join_limits(one.difference, reach, far))
    lower, upper = np.array(limits).T
    errors = (
        float(spread.max()) * each.find_error(level)
        for each, spread in ((flipped, found.raised), (student, found.errors))
    )
    return lower, upper, outer, max(errors)


def _note_error_rates(areas: FloatArray, parts: AreaCovariance) -> tuple[str, ...]:
    """Note if measured error rates differ from the nominal ones (docs/compare.md)."""
    cases = min(parts.units) * (1.0 + SLACK)
    near_one = cases * (1.0 - float(areas.mean())) < 1.0
    return (FEW_CASES,) * (cases < 50) + (NEAR_ONE,) * near_one


def _name_notes(
    names: tuple[str, ...], pairs: tuple[tuple[int, int], ...], contrasts: list[Contrast]
) -> tuple[str, ...]:
    """Name the pair that each note is about."""
    return tuple(
        f"{names[i]} and {names[j]}: {note[0].lower()}{note[1:]}"
        for (i, j), one in zip(pairs, contrasts, strict=True)
        for note in one.notes
    )

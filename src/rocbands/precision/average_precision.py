"""Average precision with a confidence interval, and the difference of two models.

Average precision is the step sum that scikit-learn computes,

    AP = (1/m) sum_i dtp_i TP_i / (TP_i + FP_i)                                             (1)

over the distinct scores i, ties one step. With q the quantile and u the variance relative to
A (1 - A), the interval is Wilson's: all theta with

    |A - theta| <= q sqrt(u theta (1 - theta)),                                             (2)

where A is (1) without half of each positive's count of itself, which reduces the bias. The variance
is that of the linearised sum: the influence of a row at step j, relative to the mean, is

    positive: TP_j / (TP_j + FP_j) + sum_{i >= j} dtp_i FP_i / (TP_i + FP_i)^2,             (3)
    negative: -(n / m) sum_{i >= j} dtp_i TP_i / (TP_i + FP_i)^2.                           (4)

With a given prevalence every false positive is multiplied by
lambda = (1 - prevalence) m / (prevalence n): the rows are then a sample of that population. With
lambda > 1 precision is decided where the rows have few negatives: at a recall v, precision is 1/2
if the false positive rate is v prevalence / (1 - prevalence), the rate of v m / lambda negatives.
The interval then has m / lambda cases instead of m.

With weights TP, FP, m and n above are sums of weights, and half of each positive's own weight is
left out of A, with clusters half of the weight of its cluster's positives with the same score. The
variance is that of :mod:`rocbands.design.row_design`, with the derivative in the
prevalence where that is estimated. From there on m and n are effective numbers of cases, and lambda
is divided by the ratio of the mean weights of positives and negatives at equal scores: a negative
that is heavier than positives there stands for more negatives, as with a given prevalence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from rocbands._math.mover import correlate, find_tails, limit_difference
from rocbands.core.arguments import explain
from rocbands.core.checks import FloatArray, IndexArray, check_level, check_number, check_share
from rocbands.core.columns import Column, Labels
from rocbands.core.comparison import Comparison, convert_margin
from rocbands.core.data import Data, as_roc_curve, read_pair
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative, Extra, Handling, Request, check_alternative
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.core.rows import check_class_clusters
from rocbands.core.score_variance import CaseNumbers
from rocbands.core.tolerance import SAME
from rocbands.design.effective_number import compare_weights
from rocbands.design.effective_sizes import count_independent_cases
from rocbands.design.row_design import (
    LEAST,
    Parts,
    RowDesign,
    correct_few,
    find_set_covariance,
    find_steps,
)
from rocbands.design.stretch import satterthwaite

_ROWS: tuple[Extra, ...] = ("clusters", "weights", "class weights", "strata", "one-sided")
HANDLING = Handling(
    "average_precision_interval",
    "precision",
    "score interval whose variance comes from the influence of each row",
    (*_ROWS, "bins"),
)
DIFFERENCE_HANDLING = Handling(
    "average_precision_difference",
    "precision",
    "score limits of both models, combined with the correlation of their influences",
    ("paired", "unpaired", *_ROWS, "unpaired clusters", "common clusters"),
)

_PIECES = 16  # of the positives of a bin
_NORMAL = 1e7  # degrees of freedom from which Student's t is normal within 1e-7
_TINY = 1e-300  # a positive number instead of 0
_NONE = 1e-25  # a variance that would be 0 without rounding
_SAME = 1e-14  # A (1 - A) that would be 0 without rounding
_FEW_POSITIVES = 20
_FEW_OF_PAIRS = 40  # cases of a class, for differences
_FEW_DECIDE = 10.0  # negatives
_FEW = 5.0  # positives for each negative from which a note says that negatives are few


def average_precision(roc: RocCurve, prevalence: float | None = None) -> float:
    """Average precision as scikit-learn defines it: a step sum over distinct scores.

    `prevalence`: share of positives of the population; by default that of the rows.

    Examples
    --------
    >>> import rocbands as rb
    >>> average_precision(rb.roc_curve([1, 0, 1], [3, 2, 1]))
    0.8333333333333333
    """
    return _Sums(roc, prevalence).step_sum


class _Sums:
    """Sums along the curve for the estimate and its variance, highest score first.

    `rows`: the rows and their steps, where two models are compared on them. `cases`: effective
    numbers of cases, if known. `lowest`: of curves in bins, take the lowest A that they allow.
    """

    def __init__(
        self,
        roc: RocCurve,
        prevalence: float | None = None,
        rows: RowDesign | None = None,
        cases: CaseNumbers | None = None,
        *,
        lowest: bool = False,
    ) -> None:
        self.roc, self.prevalence, self.lowest, own = roc, prevalence, lowest, roc.weights
        # Sums of w and of w^2 at each step, of positives and of negatives.
        self.tp, self.fp = (side.astype(np.float64) for side in (roc.tp, roc.fp))
        counts = [np.diff(side, prepend=0.0) for side in (self.tp, self.fp)]
        self.sums: list[tuple[FloatArray, ...]] = [(side, side) for side in counts]
        if own is not None:
            self.sums = [(own.pos, own.pos_squares), (own.neg, own.neg_squares)]
        if lowest:  # the positives of a bin need not be tied: they are divided into pieces
            pieces = np.clip(counts[0], 1.0, _PIECES).astype(np.int64)
            self.sums = [tuple(np.repeat(s / pieces, pieces) for s in pair) for pair in self.sums]
        self.rows = RowDesign.of_curve(roc) if rows is None and roc.clusters is not None else rows
        self._cases = cases
        self.dtp = self.sums[0][0]
        if lowest or own is not None:
            self.tp, self.fp = (np.cumsum(weight) for weight, _ in self.sums)
        self.m, self.n = float(self.tp[-1]), float(self.fp[-1])
        self.share = self.m / (self.m + self.n) if prevalence is None else prevalence
        self.scale = 1.0  # if it is estimated
        if prevalence is not None:
            self.scale = (1.0 - prevalence) * self.m / (prevalence * self.n)
        self.fp *= self.scale
        self.called: FloatArray = self.tp + self.fp

    @cached_property
    def cases(self) -> CaseNumbers:
        """Effective numbers of positives and negatives."""
        return self._cases or count_independent_cases(self.roc)

    @property
    def enrichment(self) -> float:
        """Negatives of the population for each one among the rows, per positive: lambda."""
        roc, own = self.roc, self.roc.weights
        if own is None:
            return self.scale
        sides = (roc.tp, np.cumsum(own.pos), roc.fp, np.cumsum(own.neg))
        return self.scale / compare_weights(*(np.append(0.0, side) for side in sides))

    @cached_property
    def step_sum(self) -> float:
        """Formula (1)."""
        return _at_most_one(float(np.dot(self.dtp, self.tp / self.called)) / self.m)

    @cached_property
    def half_case_sum(self) -> float:
        """Formula (1) without half of each positive's count of itself."""
        if self.lowest:
            # The positives of a bin may have any scores in it. One by one, and after its negatives,
            # they contribute at least the integral of x / (x + FP) from the TP before them.
            before = np.where(self.fp > 0.0, (self.tp - self.dtp) + self.fp, self.called)
            sums = self.dtp - self.fp * np.log(self.called / before)
            return max(float(sums.sum()) / self.m, 0.0)
        half: Any = 0.5
        if self.rows is not None and self.rows.code is not None:
            half = 0.5 * self.dtp * self._repeat_clusters(self.rows, self.rows.code)
        elif self.roc.weights is not None:  # of the mean, by weight, of the positives at each step
            half = self.sums[0][1] / np.maximum(2.0 * self.dtp, _TINY)
        found = np.maximum(self.tp - half, 0.0)  # a step before the first positive has weight 0
        shares = found / np.maximum(found + self.fp, _TINY)
        return _at_most_one(float(np.dot(self.dtp, shares)) / self.m)

    def _repeat_clusters(self, rows: RowDesign, code: IndexArray) -> FloatArray:
        """Chance that two positives of a step, drawn by weight, are of one cluster."""
        assert rows.step is not None, "the rows are those of a curve"
        own = rows.is_positive
        step, weight, steps = rows.step.compress(own), rows.weight.compress(own), self.dtp.size
        cells, place = np.unique(step * rows.n_units + code.compress(own), return_inverse=True)
        squares = np.bincount(cells // rows.n_units, np.bincount(place, weight) ** 2, steps)
        return np.asarray(squares / np.maximum(np.bincount(step, weight, steps) ** 2, _TINY))

    @cached_property
    def influences(self) -> tuple[FloatArray, FloatArray]:
        """Influence of a positive and of a negative at each step, formulas (3) and (4)."""
        # Sums over all lower scores, by cumulative sums from the end.
        lost = np.cumsum((self.dtp * self.fp / self.called**2)[::-1])[::-1]
        taken = np.cumsum((self.dtp * self.scale * self.tp / self.called**2)[::-1])[::-1]
        return self.tp / self.called + lost, -self.n / self.m * taken

    @cached_property
    def slope(self) -> float:
        """Derivative of the estimate in the prevalence; 0 where the prevalence is given."""
        if self.prevalence is not None:
            return 0.0
        # dAP/dp = mean of TP FP / (TP + FP)^2 over positives, divided by p (1 - p).
        mean = float(np.dot(self.dtp, self.tp * self.fp / self.called**2)) / self.m
        return mean * (self.m / self.n + 2.0 + self.n / self.m)  # p = m / (m + n)

    @cached_property
    def values(self) -> FloatArray:
        """Influence of each row."""
        assert self.rows is not None
        return self.rows.place(*self.influences)

    @cached_property
    def parts(self) -> Parts:
        """Sums of the influences over clusters, or over rows."""
        assert self.rows is not None
        check_class_clusters(self.rows.is_positive, self.rows.code)
        return self.rows.split(self.values, self.slope)

    @cached_property
    def variances(self) -> tuple[float, float, float]:
        """Variances of the parts of positives and of negatives, and that of the estimate."""
        if self.rows is not None:
            pos, neg = self.rows.find_variances(self.parts)
            return float(pos), float(neg), self.rows.find_variance(self.parts)
        # Independent rows: the same, and faster, from sums of w and w^2 at each step.
        found, total, few = [], 0.0, correct_few(self.roc.n_pos + self.roc.n_neg)
        for values, (weight, squares), side in zip(
            self.influences, self.sums, (1.0, 0.0), strict=True
        ):
            size, square = float(weight.sum()), float(squares.sum())
            away = values - float(np.dot(weight, values)) / size
            moved = self.slope * (side - self.share) / (self.m + self.n)  # by the prevalence
            found.append(correct_few(size**2 / square) * float(np.dot(squares, away**2)) / size**2)
            total += moved**2 * square + 2.0 * few * moved * float(np.dot(squares, away)) / size
        total = max(total + sum(found), LEAST * sum(found))
        return found[0], found[1], total

    @property
    def variance(self) -> float:
        """Variance of the estimate, with that of the prevalence where it is estimated."""
        return self.variances[2]


@dataclass(frozen=True, eq=False)
class _Score:
    """The score interval (2).

    u is estimated with half a pseudo observation whose variance is c A (1 - A), because one
    negative with a high score lowers the precision of all positives: above all of them it lowers A
    by about log(m) / m, so that m u is log(m) if all errors are of this kind. Among few negatives
    there may be none, while the population has such ones:

        c = 1 + log(m) (m - n) / (m + n)  if m > n, otherwise 1.                            (5)

    Measured with and without: docs/precision-recall.md. A negative that stands for lambda > 1 of
    them lowers A as much more: the pseudo observation is one of m / lambda, here and in (5).
    """

    sums: _Sums
    given_unit: float | None = None  # of several curves the largest
    given_df: float | None = None  # the smallest

    @cached_property
    def spread(self) -> float:
        centre = self.sums.half_case_sum
        spread = centre * (1.0 - centre)
        return spread if spread > _SAME else 0.0

    @cached_property
    def unit(self) -> float:
        if self.given_unit is not None:
            return self.given_unit
        # (m^2 V + c/2) / (m A (1 - A) + 1/2) / m: the ratio of m V to A (1 - A), shrunk towards c.
        cases = self.sums.cases
        m, n = cases.n_pos / max(self.sums.enrichment, 1.0), cases.n_neg
        c = 1.0 + (math.log(m) * (m - n) / (m + n) if m > n else 0.0)
        return (m * m * self.sums.variance + 0.5 * c) / (m * self.spread + 0.5) / m

    @cached_property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom, with those of the pseudo observation."""
        if self.given_df is not None:
            return self.given_df
        (pos, neg, _), cases = self.sums.variances, self.sums.cases
        one = self.sums.roc.n_pos == 1
        # Without spread the pseudo observation alone decides, and nothing is estimated.
        if self.spread == 0.0 or (pos + neg < _NONE and not one):
            return _NORMAL
        rows = self.sums.rows
        own = satterthwaite(pos, neg, *cases) if rows is None else rows.find_df(pos, neg, cases)
        own = 2.0 if one else float(own)
        return min(max(own + 0.5 / self.spread, 2.0), _NORMAL)

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end: the roots of (2), a quadratic equation."""
        q = _find_quantile(self.df, tail)
        w, centre = self.unit * q * q, self.sums.half_case_sum
        half = math.sqrt(w * (self.spread + w / 4.0))
        low, high = ((centre + w / 2.0 + side * half) / (1.0 + w) for side in (-1.0, 1.0))
        ap = self.sums.step_sum
        return max(0.0, min(low, ap)), min(1.0, max(high, ap))

    def pvalues(self, null: float) -> tuple[float, float]:
        """One-sided p-values: that the quantity is less than `null`, that it is greater."""
        error = math.sqrt(self.unit * null * (1.0 - null))
        gap = self.sums.half_case_sum - null
        if error == 0.0:
            return float(gap >= 0.0), float(gap <= 0.0)
        x = gap / error
        return float(stdtr(self.df, x)), float(stdtr(self.df, -x))


@dataclass(frozen=True, eq=False)
class _Difference:
    """Limits of a difference, by the rule for areas (:mod:`rocbands.comparison.delong`)."""

    one: _Score
    two: _Score
    correlation: float
    error: float  # standard error of the difference on the same rows; 0 on different ones
    df: float

    @classmethod
    def of_pair(cls, pair: Pair, prevalence: float | None) -> _Difference:
        """Measure both models; on the same rows both have the smaller numbers of cases."""
        covariance = error = 0.0
        if pair.paired:
            cases = CaseNumbers(*map(min, *map(count_independent_cases, pair.curves)))
            rows = RowDesign.of_pair(pair)
            one, two = (
                _Sums(roc, prevalence, replace(rows, step=find_steps(roc, model.values)), cases)
                for roc, model in zip(pair.curves, (pair.one, pair.two), strict=True)
            )
            covariance = float(rows.find_covariance(one.parts, two.parts))
            gap = rows.split(one.values - two.values, one.slope - two.slope)
            error = math.sqrt(rows.find_variance(gap))
            df = min(float(rows.find_df(*rows.find_variances(gap), cases)), _NORMAL)
        else:
            one, two = (_Sums(roc, prevalence) for roc in pair.curves)
            df = min(_Score(one).df, _Score(two).df)
            if pair.common_clusters is not None and one.rows and two.rows:
                covariance = find_set_covariance(pair, (one.rows, two.rows), one.parts, two.parts)
        least = min(*one.cases, *two.cases)
        correlation = correlate(covariance, one.variance, two.variance, least)
        return cls(_Score(one), _Score(two), correlation, error, df)

    @property
    def estimate(self) -> float:
        """Difference of the step sums."""
        gap = self.one.sums.step_sum - self.two.sums.step_sum
        return gap if abs(gap) > SAME else 0.0

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end; they contain the estimate."""
        one, two = (
            (score.sums.half_case_sum, *score.limits(tail)) for score in (self.one, self.two)
        )
        q = _find_quantile(self.df, tail)
        errors = [math.sqrt(score.unit * score.spread) for score in (self.one, self.two)]
        low, high = limit_difference(one, two, self.correlation, q * (errors[0] - errors[1]))
        centre, least = one[0] - two[0], q * self.error
        low, high = min(float(low), centre - least), max(float(high), centre + least)
        return max(-1.0, min(low, self.estimate)), min(1.0, max(high, self.estimate))


def _find_quantile(df: float, tail: float) -> float:
    """Student's upper quantile; for tails near 0, where SciPy's has either sign, a large number."""
    return min(abs(float(stdtrit(df, tail))), 1e50)


def _at_most_one(value: float) -> float:
    """Return 1 for an average precision that is 1 but for rounding."""
    return value if value < 1.0 - SAME else 1.0


def _check_prevalence(prevalence: float | None) -> float | None:
    if prevalence is None:
        return None
    return check_share(prevalence, "prevalence")


def _count_deciding(sums: _Sums) -> float:
    """Count the negatives, of equal influence, that decide about the error of the estimate."""
    (weight, squares), values = sums.sums[1], sums.influences[1]
    return float(np.dot(weight, values)) ** 2 / max(float(np.dot(squares, values**2)), _TINY)


def _find_notes(*both: _Sums) -> tuple[str, ...]:
    """Note the prevalence, few negatives, and what the design of each test set costs."""
    shares = " and ".join(f"{sums.roc.prevalence:.3g}" for sums in both)
    if both[0].prevalence is None:
        notes = [
            f"The share of positives of these rows, {shares}, is an estimate of the "
            "population's, and the interval includes its error. If the classes were sampled "
            "separately, specify the prevalence."
            + " So do if the test sets have different ones, on which it depends."
            * (len(both) > 1)
        ]
    else:
        notes = [f"At a prevalence of {both[0].prevalence:.3g}; that of the rows is {shares}."]
    for sums in both:
        roc, cases = sums.roc, sums.cases
        if roc.n_pos > _FEW * roc.n_neg:
            notes.append(
                f"There are {roc.n_neg} negatives for {roc.n_pos} positives: a single negative "
                "with a high score decides, and the interval may be too narrow."
            )
        elif (few := _count_deciding(sums)) < _FEW_DECIDE:
            notes.append(
                f"Few negatives with high scores decide (about {few:.2g}): where the curve has a "
                "corner there limits held 0.78 at 0.90 and 0.89 at 0.95."
            )
        if not roc.independent:
            rows = RowDesign.of_curve(roc) if sums.rows is None else sums.rows
            sizes = {"positives": (roc.n_pos, cases.n_pos), "negatives": (roc.n_neg, cases.n_neg)}
            notes += rows.describe(sizes, "average precision")
    return tuple(notes)


@explain
def average_precision_interval(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    null: float | None = None,
    prevalence: float | None = None,
) -> Interval:
    """Confidence interval for average precision, ties counted as one step.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'greater', 'less'}
        'greater' gives a lower limit only, 'less' an upper one only.
    null : float, optional
        Value of the p-value's null hypothesis; by default the prevalence, which is the average
        precision of random scores.
    prevalence : float, optional
        Fraction of positives where the model will be used. By default the prevalence of the rows;
        the interval then includes its error.

    Returns
    -------
    Interval
        The estimate equals scikit-learn's ``average_precision_score``.

    Notes
    -----
    A score interval whose variance comes from the influence of each row. It is wide where
    `prevalence` is far below that of the rows, because few negatives then decide. Measured
    coverage: studies/docs/coverage-views.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.average_precision_interval(rb.load_example()["logistic"])
    >>> print(f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})")
    0.844 (0.795 to 0.883)
    """
    request = Request(check_level(level), alternative=check_alternative(alternative))
    prevalence = _check_prevalence(prevalence)
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    scores = [_Score(_Sums(roc, prevalence))]
    notes = _find_notes(scores[0].sums)
    if roc.n_pos < _FEW_POSITIVES:
        notes += (
            "Few positives: with 10 measured coverage was 0.90 or more at 0.95, with 7 it was 0.84 "
            "at 0.90.",
        )
    if roc.binned:  # the widest limits of the curve and of its extremes
        scores += [
            _Score(_Sums(curve, prevalence, lowest=curve is roc.extremes[0]))
            for curve in roc.extremes
        ]
        unit, df = max(score.unit for score in scores), min(score.df for score in scores)
        scores = [_Score(score.sums, unit, df) for score in scores]
        least, most = (score.sums.half_case_sum for score in scores[1:])
        notes += (f"Counts in bins: average precision is between {least:.4g} and {most:.4g}.",)
    limits = [score.limits(request.tail) for score in scores]
    found = scores[0].sums
    null = found.share if null is None else check_number(null, "null", above=0.0, below=1.0)
    pvalues = [score.pvalues(null) for score in scores]
    return Interval(
        quantity="average precision",
        estimate=found.step_sum,
        low=0.0 if alternative == "less" else min(low for low, _ in limits),
        high=1.0 if alternative == "greater" else max(high for _, high in limits),
        level=level,
        method="score",
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        standard_error=math.sqrt(found.variance) if scores[0].spread > 0.0 else None,
        alternative=alternative,
        null=null,
        pvalue=request.combine_tails(*map(max, zip(*pvalues, strict=True))),
        target="true average precision",
        notes=(*roc.value_notes, *notes),
        frame=roc.frame,
    )


@explain
def average_precision_difference(
    y_true: Labels | Data,
    y_score_1: Column | Data | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    prevalence: float | None = None,
) -> Comparison:
    """Confidence interval for the difference of two models' average precision.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        A sample of two models; or the first of two test sets; or two labels of any kind.
    y_score_1 : Sample, RocCurve or ScoreCounts, or array-like of shape (n,), optional
        The second test set; or, with labels, the first model's scores.
    y_score_2 : array-like of shape (n,), optional
        With labels, the second model's scores. Differences are model 1 minus model 2.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'greater', 'less'}
        'greater': model 1 is better. The interval is then one-sided.
    margin : float, optional
        Non-inferiority margin: test whether model 1 is worse than model 2 by less than this.
    prevalence : float, optional
        As for :func:`average_precision_interval`.

    Returns
    -------
    Comparison
        The difference, and the p-value for no difference, from the interval that ends at 0.

    Notes
    -----
    The limits of both models are combined as those of areas are, with the correlation of their
    influences. Measured coverage at level 0.95: .910 to 1.00, below .925 with 60 rows only.

    Examples
    --------
    >>> import rocbands as rb
    >>> gap = rb.average_precision_difference(rb.load_example())
    >>> print(f"{gap.difference:.3f} ({gap.low:.3f} to {gap.high:.3f})")
    0.171 (0.116 to 0.228)
    """
    side, null = convert_margin(check_alternative(alternative), margin)
    request = Request(check_level(level), alternative=side)
    prevalence = _check_prevalence(prevalence)
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    DIFFERENCE_HANDLING.check(pair.asked)
    found = _Difference.of_pair(pair, prevalence)
    one, two = found.one.sums, found.two.sums
    low, high = found.limits(request.tail)
    notes = _find_notes(one, *(() if pair.paired else (two,)))
    if min(*one.cases, *two.cases) < _FEW_OF_PAIRS:
        notes += ("Few cases of a class: with 15 of each limits held 0.81 at 0.90.",)
    return Comparison(
        names=pair.names,
        quantity="average precision",
        estimates=(one.step_sum, two.step_sum),
        difference=found.estimate,
        low=-1.0 if side == "less" else low,
        high=1.0 if side == "greater" else high,
        pvalue=request.combine_tails(*find_tails(found.limits, found.estimate, null)),
        level=level,
        method="score",
        interval_method="score",
        hypothesis="equal average precision"
        if margin is None
        else f"a loss of average precision of {margin:g} or more",
        paired=pair.paired,
        alternative=side,
        margin=margin,
        parameters={"prevalence": prevalence},
        n_pos=one.roc.n_pos,
        n_neg=one.roc.n_neg,
        notes=(*pair.value_notes, *notes),
        frame=pair.frame,
    )

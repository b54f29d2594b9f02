"""Average precision with a confidence interval, and the difference of two models.

Average precision is the step sum that scikit-learn computes,

    AP = (1/m) sum_i dtp_i TP_i / (TP_i + FP_i)

over the distinct scores, ties one step. The interval is Wilson's score interval with an effective
number of cases that comes from the linearised variance of the sum; it is closed form, needs the
counts alone, and is never a point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from rocbands.core.arguments import explain
from rocbands.core.checks import FloatArray, check_level, check_number, check_share
from rocbands.core.columns import Column, Labels
from rocbands.core.comparison import Comparison
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative, Handling, check_alternative
from rocbands.core.pair import Pair, read_pair
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample

HANDLING = Handling(
    "average_precision_interval",
    "precision",
    "score interval whose variance comes from the influence of each row",
    ("one-sided",),
)
DIFFERENCE_HANDLING = Handling(
    "average_precision_difference",
    "precision",
    "limits of both models combined by MOVER, with the correlation of their influences",
    ("paired",),
)

_NORMAL = 1e7  # degrees of freedom at which Student's t is the normal distribution to 1e-7


def average_precision(roc: RocCurve, prevalence: float | None = None) -> float:
    """Average precision as scikit-learn defines it: a step sum over distinct scores.

    `prevalence`: share of positives of the population; by default that of the rows.
    """
    if roc.weights is not None:
        share = roc.prevalence if prevalence is None else prevalence
        hits, alarms = share * roc.tpr[1:], (1.0 - share) * roc.fpr[1:]
        return float(np.diff(roc.tpr) @ (hits / (hits + alarms)))
    return _Sums(roc, prevalence).step_sum


def precision_recall_area(roc: RocCurve, prevalence: float | None = None) -> float:
    """Area under the precision-recall curve whose points are joined as straight lines in ROC space.

    Straight lines in the precision-recall plane, as a trapezoidal rule draws them, are curves that
    no ranking follows (Davis and Goadrich 2006). A step with `a` positives and `b` cases after `A`
    positives among `B` cases adds a [a/b + (A - a B/b)/b ln(1 + b/B)] / m.
    """
    sums = _Sums(roc, prevalence)
    a, b = sums.dtp, sums.dtp + sums.dfp
    before_a, before_b = sums.tp - a, sums.tp + sums.fp - b
    moves = a > 0  # a step without positives adds nothing
    a, b, before_a, before_b = a[moves], b[moves], before_a[moves], before_b[moves]
    first = before_b == 0
    grow = np.log1p(b / np.where(first, 1.0, before_b))
    bend = np.where(first, 0.0, (before_a - a * before_b / b) / b * grow)
    return float(np.dot(a, a / b + bend)) / sums.m


class _Influences(NamedTuple):
    """What one more positive, or one more negative, at each step changes."""

    # pos, neg: (k,) influence of a positive and of a negative at each step, highest score first.
    pos: FloatArray
    neg: FloatArray


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums along the curve from which estimate and variance are made.

    With a given prevalence every false positive is multiplied by
    lambda = (1 - prevalence) m / (prevalence n): the rows are then a sample of that population.
    """

    roc: RocCurve
    prevalence: float | None = None

    @cached_property
    def m(self) -> int:
        return self.roc.n_pos

    @cached_property
    def n(self) -> int:
        return self.roc.n_neg

    @cached_property
    def scale(self) -> float:
        if self.prevalence is None:
            return 1.0
        return (1.0 - self.prevalence) * self.m / (self.prevalence * self.n)

    @cached_property
    def tp(self) -> FloatArray:
        return self.roc.tp.astype(np.float64)

    @cached_property
    def fp(self) -> FloatArray:
        return self.roc.fp.astype(np.float64) * self.scale

    @cached_property
    def dtp(self) -> FloatArray:
        return np.diff(self.tp, prepend=0.0)

    @cached_property
    def dfp(self) -> FloatArray:
        return np.diff(self.fp, prepend=0.0)

    @cached_property
    def step_sum(self) -> float:
        return min(float(np.dot(self.dtp, self.tp / (self.tp + self.fp))) / self.m, 1.0)

    @cached_property
    def half_case_sum(self) -> float:
        """The step sum without half of each positive's count of itself: less biased upwards."""
        found = np.maximum(self.tp - 0.5, 0.0)  # a step before the first positive has weight 0
        shares = found / np.maximum(found + self.fp, 0.5)
        return min(float(np.dot(self.dtp, shares)) / self.m, 1.0)

    @cached_property
    def influences(self) -> _Influences:
        called = self.tp + self.fp
        # Sums over all scores at or below: from the end.
        lost = np.cumsum((self.dtp * self.fp / called**2)[::-1])[::-1]
        taken = np.cumsum((self.dtp * self.scale * self.tp / called**2)[::-1])[::-1]
        return _Influences(self.tp / called + lost, -self.n / self.m * taken)

    @cached_property
    def variances(self) -> tuple[float, float]:
        """Variances of the mean influence of positives and of negatives."""
        counts = np.diff(self.roc.tp, prepend=0), np.diff(self.roc.fp, prepend=0)
        return (
            _variance(self.influences.pos, counts[0]) / self.m,
            _variance(self.influences.neg, counts[1]) / self.n,
        )

    @cached_property
    def slope(self) -> float:
        """Derivative of the estimate in the prevalence; 0 where the prevalence is given."""
        if self.prevalence is not None:
            return 0.0
        called = self.tp + self.fp
        total = self.m + self.n
        mean = float(np.dot(self.dtp, self.tp * self.fp / called**2)) / self.m
        return total**2 / (self.m * self.n) * mean

    @cached_property
    def variance(self) -> float:
        total = self.m + self.n
        return sum(self.variances) + self.slope**2 * self.m * self.n / total**3


def _variance(values: FloatArray, counts: Any) -> float:
    size = float(counts.sum())
    if size < 2:
        return 0.0
    mean = float(np.dot(counts, values)) / size
    return float(np.dot(counts, (values - mean) ** 2)) / (size - 1.0)


@dataclass(frozen=True, eq=False)
class _Score:
    """The score interval: all values theta with |A - theta| <= q sqrt(u theta (1 - theta)).

    `u` is the variance as a share of A (1 - A), with half a pseudo case of share 1: one negative
    with a high score lowers the precision of all positives.
    """

    sums: _Sums

    @cached_property
    def spread(self) -> float:
        centre = self.sums.half_case_sum
        return centre * (1.0 - centre)

    @cached_property
    def unit(self) -> float:
        m = self.sums.m
        return (m * m * self.sums.variance + 0.5) / (m * self.spread + 0.5) / m

    @cached_property
    def df(self) -> float:
        """Degrees of freedom by Satterthwaite's rule, with those of the pseudo case."""
        (pos, neg), m, n = self.sums.variances, self.sums.m, self.sums.n
        if self.spread == 0.0 or (pos == 0.0 and neg == 0.0 and m > 1):
            return _NORMAL
        if m == 1:
            own = 2.0
        else:
            below = pos**2 / (m - 1) + (neg**2 / (n - 1) if n > 1 else 0.0)
            own = (pos + neg) ** 2 / below if below > 0.0 else _NORMAL
        return min(max(own + 0.5 / self.spread, 2.0), _NORMAL)

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end."""
        q = -float(stdtrit(self.df, tail))
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


def _check_prevalence(prevalence: float | None) -> float | None:
    if prevalence is None:
        return None
    return check_share(prevalence, "prevalence")


def _note(roc: RocCurve, prevalence: float | None) -> str:
    share = roc.n_pos / (roc.n_pos + roc.n_neg)
    if prevalence is None:
        return (
            f"The share of positives of these rows, {share:.3g}, is an estimate of the "
            "population's, and the interval allows for its error. If the classes were sampled "
            "separately, specify the prevalence."
        )
    return f"At a prevalence of {prevalence:.3g}; that of the rows is {share:.3g}."


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
        Share of positives where the model will be used. By default that of the rows, whose error
        the interval then includes.

    Returns
    -------
    Interval
        The estimate is that of scikit-learn's ``average_precision_score``.

    Notes
    -----
    A score interval whose variance comes from the influence of each row. Measured at level 0.95 in
    184 cells with 1 to 2,500 positives it contained the true value in .923 to .998 of test sets.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.average_precision_interval(rb.load_example()["logistic"])
    >>> print(f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})")
    0.844 (0.795 to 0.883)
    """
    level, alternative = check_level(level), check_alternative(alternative)
    prevalence = _check_prevalence(prevalence)
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc.design)
    score = _Score(_Sums(roc, prevalence))
    tail = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    low, high = score.limits(tail)
    share = roc.n_pos / (roc.n_pos + roc.n_neg) if prevalence is None else prevalence
    null = share if null is None else check_number(null, "null", above=0.0, below=1.0)
    less, greater = score.pvalues(null)
    two = min(1.0, 2.0 * min(less, greater))
    return Interval(
        quantity="average precision",
        estimate=score.sums.step_sum,
        low=0.0 if alternative == "less" else low,
        high=1.0 if alternative == "greater" else high,
        level=level,
        method="score",
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        standard_error=math.sqrt(score.sums.variance) if score.spread > 0.0 else None,
        alternative=alternative,
        null=null,
        pvalue={"two-sided": two, "less": less, "greater": greater}[alternative],
        target="true average precision",
        notes=(_note(roc, prevalence),),
        frame=roc.frame,
    )


@explain
def average_precision_difference(
    y_true: Labels | Sample,
    y_score_1: Column | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    level: float = 0.95,
    prevalence: float | None = None,
) -> Comparison:
    """Confidence interval for the difference of two models' average precision on the same rows.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), optional
        With labels, the two models' scores. Differences are model 1 minus model 2.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence level.
    prevalence : float, optional
        As for :func:`average_precision_interval`.

    Returns
    -------
    Comparison
        The difference, and the p-value of no difference: the level at which the interval ends at 0.

    Notes
    -----
    The limits of both models are combined by MOVER (Zou and Donner 2008) with the correlation of
    their influences. Measured at level 0.95 in five cells: .937 to .996, conservative where both
    values are near 1 and positives are few.

    Examples
    --------
    >>> import rocbands as rb
    >>> gap = rb.average_precision_difference(rb.load_example())
    >>> print(f"{gap.difference:.3f} ({gap.low:.3f} to {gap.high:.3f})")
    0.171 (0.117 to 0.229)
    """
    level, prevalence = check_level(level), _check_prevalence(prevalence)
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    DIFFERENCE_HANDLING.check(pair.asked)
    curves = list(pair.curves)
    scores = [_Score(_Sums(roc, prevalence)) for roc in curves]
    correlation = _correlation(pair, curves, scores)
    estimate = scores[0].sums.step_sum - scores[1].sums.step_sum

    def limits(tail: float) -> tuple[float, float]:
        (low_1, high_1), (low_2, high_2) = (score.limits(tail) for score in scores)
        first, second = (score.sums.half_case_sum for score in scores)
        low = first - second - _mover(first - low_1, high_2 - second, correlation)
        high = first - second + _mover(high_1 - first, second - low_2, correlation)
        return max(-1.0, min(low, estimate)), min(1.0, max(high, estimate))

    low, high = limits((1.0 - level) / 2.0)
    roc = curves[0]
    return Comparison(
        names=pair.names,
        quantity="average precision",
        estimates=(scores[0].sums.step_sum, scores[1].sums.step_sum),
        difference=estimate,
        low=low,
        high=high,
        pvalue=_pvalue(limits),
        level=level,
        method="score",
        interval_method="score",
        hypothesis="equal average precision",
        parameters={"prevalence": prevalence},
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        notes=(_note(roc, prevalence),),
        frame=pair.frame,
    )


def _correlation(pair: Pair, curves: list[RocCurve], scores: list[_Score]) -> float:
    """Correlation of both estimates: covariance of the rows' influences, by class."""
    m, n = curves[0].n_pos, curves[0].n_neg
    covariance = scores[0].sums.slope * scores[1].sums.slope * m * n / (m + n) ** 3
    for side, size in ((0, m), (1, n)):
        own = pair.one.is_positive if side == 0 else ~pair.one.is_positive
        parts = []
        both = pair.one.values, pair.two.values
        for roc, score, values in zip(curves, scores, both, strict=True):
            step = roc.thresholds.size - 1 - np.searchsorted(roc.thresholds[::-1], values[own])
            parts.append(score.sums.influences[side][step])
        if size > 1:
            covariance += float(np.cov(parts[0], parts[1])[0, 1]) / size
    spread = math.sqrt(scores[0].sums.variance * scores[1].sums.variance)
    return min(max(covariance / spread, -1.0), 1.0) if spread > 0.0 else 0.0


def _mover(one: float, two: float, correlation: float) -> float:
    """Distance of a limit of a difference from the limits of its parts."""
    return math.sqrt(max(one * one - 2.0 * correlation * one * two + two * two, 0.0))


def _pvalue(limits: Any) -> float:
    """Find twice the tail at which one limit is 0, by bisection: limits are nested in the tail."""

    def excludes(tail: float) -> bool:
        low, high = limits(tail)
        return bool(low > 0.0 or high < 0.0)

    low, high = 0.0, 0.5
    if not excludes(0.5 - 1e-12):
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if excludes(middle) else (middle, high)
    return min(1.0, 2.0 * high)

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
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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

_NORMAL = 1e7  # degrees of freedom from which Student's t is normal within 1e-7
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
    if roc.weights is not None:
        share = roc.prevalence if prevalence is None else prevalence
        hits, alarms = share * roc.tpr[1:], (1.0 - share) * roc.fpr[1:]
        return float(np.diff(roc.tpr) @ (hits / (hits + alarms)))
    return _Sums(roc, prevalence).step_sum


class _Sums:
    """Sums along the curve for the estimate and its variance, highest score first."""

    def __init__(self, roc: RocCurve, prevalence: float | None = None) -> None:
        self.roc, self.prevalence, self.m, self.n = roc, prevalence, roc.n_pos, roc.n_neg
        self.scale = 1.0  # lambda
        if prevalence is not None:
            self.scale = (1.0 - prevalence) * self.m / (prevalence * self.n)
        self.tp: FloatArray = roc.tp.astype(np.float64)
        self.fp: FloatArray = roc.fp.astype(np.float64) * self.scale
        self.called: FloatArray = self.tp + self.fp
        self.dtp = np.diff(self.tp, prepend=0.0)

    @cached_property
    def step_sum(self) -> float:
        """Formula (1)."""
        return min(float(np.dot(self.dtp, self.tp / self.called)) / self.m, 1.0)

    @cached_property
    def half_case_sum(self) -> float:
        """Formula (1) without half of each positive's count of itself."""
        found = np.maximum(self.tp - 0.5, 0.0)  # a step before the first positive has weight 0
        shares = found / np.maximum(found + self.fp, 0.5)
        return min(float(np.dot(self.dtp, shares)) / self.m, 1.0)

    @cached_property
    def influences(self) -> tuple[FloatArray, FloatArray]:
        """Influence of a positive and of a negative at each step, formulas (3) and (4)."""
        # Sums over all lower scores, by cumulative sums from the end.
        lost = np.cumsum((self.dtp * self.fp / self.called**2)[::-1])[::-1]
        taken = np.cumsum((self.dtp * self.scale * self.tp / self.called**2)[::-1])[::-1]
        return self.tp / self.called + lost, -self.n / self.m * taken

    @cached_property
    def variances(self) -> tuple[float, float]:
        """Variances of the mean influence of positives and of negatives."""
        pos, neg = (
            _variance(values, np.diff(total, prepend=0))
            for values, total in zip(self.influences, (self.roc.tp, self.roc.fp), strict=True)
        )
        return pos / self.m, neg / self.n

    @cached_property
    def slope(self) -> float:
        """Derivative of the estimate in the prevalence; 0 where the prevalence is given."""
        if self.prevalence is not None:
            return 0.0
        # dAP/dp = mean of TP FP / (TP + FP)^2 over positives, divided by p (1 - p).
        total = self.m + self.n
        mean = float(np.dot(self.dtp, self.tp * self.fp / self.called**2)) / self.m
        return total**2 / (self.m * self.n) * mean

    @cached_property
    def variance(self) -> float:
        """Variance of the estimate, with that of the prevalence m / (m + n) of the rows."""
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

    @cached_property
    def spread(self) -> float:
        centre = self.sums.half_case_sum
        return centre * (1.0 - centre)

    @cached_property
    def unit(self) -> float:
        # (m^2 V + c/2) / (m A (1 - A) + 1/2) / m: the ratio of m V to A (1 - A), shrunk towards c.
        m, n = self.sums.m / max(self.sums.scale, 1.0), self.sums.n
        c = 1.0 + (math.log(m) * (m - n) / (m + n) if m > n else 0.0)
        return (m * m * self.sums.variance + 0.5 * c) / (m * self.spread + 0.5) / m

    @cached_property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom, with those of the pseudo observation."""
        (pos, neg), m, n = self.sums.variances, self.sums.m, self.sums.n
        # Without spread the pseudo observation alone decides, and nothing is estimated.
        if self.spread == 0.0 or (pos == 0.0 and neg == 0.0 and m > 1):
            return _NORMAL
        if m == 1:
            own = 2.0
        else:
            below = pos**2 / (m - 1) + (neg**2 / (n - 1) if n > 1 else 0.0)
            own = (pos + neg) ** 2 / below if below > 0.0 else _NORMAL
        return min(max(own + 0.5 / self.spread, 2.0), _NORMAL)

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end: the roots of (2), a quadratic equation."""
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


def _find_notes(roc: RocCurve, prevalence: float | None) -> tuple[str, ...]:
    notes: tuple[str, ...] = (_note(roc, prevalence),)
    if roc.n_pos > _FEW * roc.n_neg:
        notes += (
            f"There are {roc.n_neg} negatives for {roc.n_pos} positives: a single negative with a "
            "high score decides, and the interval may be too narrow.",
        )
    return notes


def _note(roc: RocCurve, prevalence: float | None) -> str:
    share = roc.n_pos / (roc.n_pos + roc.n_neg)
    if prevalence is None:
        return (
            f"The share of positives of these rows, {share:.3g}, is an estimate of the "
            "population's, and the interval includes its error. If the classes were sampled "
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
    coverage: docs/coverage-views.md.

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
    HANDLING.check(roc)
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
        notes=(*roc.value_notes, *_find_notes(roc, prevalence)),
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
        The difference, and the p-value for no difference, from the interval that ends at 0.

    Notes
    -----
    The limits of both models are combined by MOVER (Zou and Donner 2008) with the correlation of
    their influences. Measured coverage at level 0.95: .937 to .996, conservative where both values
    are near 1 and positives are few.

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
    scores = [_Score(_Sums(roc, prevalence)) for roc in pair.curves]
    one, two = (score.sums for score in scores)
    correlation = _correlation(pair, one, two)
    estimate = one.step_sum - two.step_sum

    def limits(tail: float) -> tuple[float, float]:
        (low_1, high_1), (low_2, high_2) = (score.limits(tail) for score in scores)
        first, second = one.half_case_sum, two.half_case_sum
        low = first - second - _mover(first - low_1, high_2 - second, correlation)
        high = first - second + _mover(high_1 - first, second - low_2, correlation)
        return max(-1.0, min(low, estimate)), min(1.0, max(high, estimate))

    low, high = limits((1.0 - level) / 2.0)
    return Comparison(
        names=pair.names,
        quantity="average precision",
        estimates=(one.step_sum, two.step_sum),
        difference=estimate,
        low=low,
        high=high,
        pvalue=_pvalue(limits),
        level=level,
        method="score",
        interval_method="score",
        hypothesis="equal average precision",
        parameters={"prevalence": prevalence},
        n_pos=one.m,
        n_neg=one.n,
        notes=(*pair.value_notes, *_find_notes(one.roc, prevalence)),
        frame=pair.frame,
    )


def _correlation(pair: Pair, one: _Sums, two: _Sums) -> float:
    """Correlation of both estimates: covariance of the rows' influences, by class."""
    m, n = one.m, one.n
    covariance = one.slope * two.slope * m * n / (m + n) ** 3
    for side, (rows, size) in enumerate(((pair.one.is_positive, m), (~pair.one.is_positive, n))):
        parts = []
        for sums, model in ((one, pair.one), (two, pair.two)):
            falling = sums.roc.thresholds
            # Thresholds fall; a row's step is that of its own score.
            step = falling.size - 1 - np.searchsorted(falling[::-1], model.values[rows])
            parts.append(sums.influences[side][step])
        if size > 1:
            covariance += float(np.cov(*parts)[0, 1]) / size
    spread = math.sqrt(one.variance * two.variance)
    return min(max(covariance / spread, -1.0), 1.0) if spread > 0.0 else 0.0


def _mover(one: float, two: float, correlation: float) -> float:
    """Distance of a limit of a difference, from those of its parts (Zou and Donner 2008)."""
    return math.sqrt(max(one * one - 2.0 * correlation * one * two + two * two, 0.0))


def _pvalue(limits: Any) -> float:
    """Twice the tail at which a limit is 0, by bisection: intervals are nested in the tail."""

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

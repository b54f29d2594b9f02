"""Net benefit of treating at or above a threshold probability: decision curves.

With true and false positives TP and FP among N cases, and odds o = t / (1 - t) of the threshold
probability t, net benefit is TP/N - o FP/N (Vickers and Elkin 2006, Medical Decision Making 26,
565-574). Treating all has p - o (1 - p) at prevalence p, treating none 0. So a model is better than
treating none by TP/N - o FP/N, and than treating all by o TN/N - FN/N: each has limits of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands._math.products import times
from rocbands.core.arguments import explain
from rocbands.core.checks import (
    FloatArray,
    IndexArray,
    check_flag,
    check_level,
    check_number,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.columns import Column, Labels, Numbers
from rocbands.core.counting import bisect
from rocbands.core.data import Data, as_roc_curve, read_pair
from rocbands.core.method import Handling, Request
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng
from rocbands.core.references import CLOPPER_PEARSON, MONTIEL_OLEA, ZOU_DONNER
from rocbands.core.roc import RocCurve
from rocbands.decision.result import NetBenefit, NetBenefitDifference
from rocbands.design import called_sums as of
from rocbands.design.called_sums import CalledSums, Share, Sums, UnitSums
from rocbands.design.joint_error import JointError, multiply_common
from rocbands.design.paired_sums import ONLY_NEG, ONLY_POS, PairedSums, combine_sets
from rocbands.design.row_design import RowDesign
from rocbands.errors import InputError, Message, arg
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value

Limits: TypeAlias = tuple[FloatArray, FloatArray]
Terms: TypeAlias = list[tuple[Any, Share]]  # weights and shares of a sum
Combine: TypeAlias = Callable[..., Any]  # values, lower and upper limits from a tail

HANDLING = Handling(
    "net_benefit",
    "decision",
    "Clopper and Pearson's limits of both shares, combined by MOVER; sup-t over thresholds",
    ("clusters", "weights", "class weights", "strata"),
)
DIFFERENCE_HANDLING = Handling(
    "net_benefit_difference",
    "decision",
    "cases that one model treats and the other does not, by MOVER; sup-t over thresholds",
    (
        *("paired", "unpaired", "clusters", "weights", "class weights", "strata"),
        *("unpaired clusters", "common clusters"),
    ),
)
REFERENCES = (
    "Vickers and Elkin (2006), Decision curve analysis: a novel method for evaluating prediction "
    "models, Medical Decision Making 26, 565-574.",
    CLOPPER_PEARSON,
    ZOU_DONNER,
    MONTIEL_OLEA,
)
_PROBABILITIES = "Pass probabilities, not scores of another scale."
_NONE = 1e-6  # standard errors of a sum that are left out
FEW = 10  # cases of a class, for a note
FEW_CASES = f"Fewer than {FEW} cases of a class: limits of single thresholds held 0.81 at 0.90."
USUAL_THRESHOLDS = np.arange(1, 100) / 100


@explain
def net_benefit(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    thresholds: Numbers | None = None,
    simultaneous: bool = True,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> NetBenefit:
    """Net benefit of treating cases whose predicted probability is at least a threshold.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    thresholds : float or array-like of shape (k,), optional
        Threshold probabilities, from 0 to below 1; by default 0.01, 0.02, ..., 0.99.
    simultaneous : bool, default True
        Whether the level is for all thresholds together. Pointwise limits are narrower, and the
        level is for each threshold on its own; some of many exclude 0 by chance.
    prevalence : float, optional
        Fraction of positives where the model will be used. By default the prevalence of the rows;
        limits then include its error.
    level : float, default 0.95
        Confidence level.
    n_resamples : int, default 5000
        Number of draws for the critical value of simultaneous limits.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    NetBenefit
        One row for each threshold.

    Notes
    -----
    Limits combine those of the proportions of true and false positives by MOVER (Zou and Donner
    2008, Statistics in Medicine 27, 1693-1702), with their correlation. Dependent or weighted rows
    count as an effective number of independent ones.

    The limits of a proportion are Wilson's if there is one threshold, or with pointwise limits.
    Simultaneous ones are Clopper and Pearson's at a critical value: a quantile of the largest
    standardised error over all thresholds, drawn from the normal distribution that the influences
    of the rows add up to, with one pseudo row in the variance.

    The model is compared with the better of treating all and treating none. Its lead over either is
    a sum of such proportions, with limits by the same method; of the smaller lead the limits are
    the smaller of both lower and the smaller of both upper limits. The critical value is for both
    leads. The model is better than both where the lower limit is above 0.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.net_benefit([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1], thresholds=[0.2, 0.5])
    >>> print(found.net_benefit, found.treat_all)
    [0.4375 0.25  ] [0.375 0.   ]
    """
    asked, t, p = _check(level, thresholds, prevalence, simultaneous, n_resamples, rng)
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    sums = CalledSums.of_curve(roc, _count_steps(roc, t))
    odds, share = t / (1.0 - t), roc.prevalence if p is None else p
    terms = _list_terms(sums, of.CALLED_POS, of.CALLED_NEG, odds, p)
    rest = _list_terms(sums, of.MISSED_POS, of.SPARED_NEG, odds, p, -1.0)
    # At a given prevalence treating all has no error, and both leads have the same.
    error = JointError(sums, terms, rest if p is None else None)

    def combine(tail: float, **how: bool) -> list[Sums]:
        return [sums.combine(own, tail, **how) for own in (terms, rest)]

    together = simultaneous and t.size > 1
    found = _limit_all(combine, [error], asked, n_resamples) if together else combine(asked.tail)
    (value, *over_none), (_, *over_all) = found
    treat_all = share - (1.0 - share) * odds
    lead = value - np.maximum(treat_all, 0.0)
    lower, upper = _surround(value, over_none)
    lead_lower, lead_upper = _surround(lead, np.minimum(over_none, over_all))
    return NetBenefit(
        threshold=t,
        net_benefit=value,
        net_benefit_lower=lower,
        net_benefit_upper=upper,
        treat_all=treat_all,
        treat_none=np.zeros(t.size),
        difference=lead,
        difference_lower=lead_lower,
        difference_upper=lead_upper,
        level=asked.level,
        coverage="simultaneous" if together else "pointwise",
        prevalence=p,
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        simulation=asked.simulation,
        notes=(
            *_describe(sums, terms, p),
            *roc.value_notes,
            f"At a prevalence of {100 * share:.3g}%{'' if p else ', that of the rows'}.",
            *((FEW_CASES,) if min(roc.n_pos, roc.n_neg) < FEW else ()),
        ),
    )


@explain
def net_benefit_difference(
    y_true: Labels | Data,
    y_score_1: Column | Data | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    thresholds: Numbers | None = None,
    simultaneous: bool = True,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> NetBenefitDifference:
    """Difference of two models' net benefits, model 1 minus model 2.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models, or the first of two test sets; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), or Sample, optional
        With labels, both models' scores; with a first test set, `y_score_1` is the second one.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    thresholds : float or array-like of shape (k,), optional
        Threshold probabilities, from 0 to below 1; by default 0.01, 0.02, ..., 0.99.
    simultaneous, prevalence, level, n_resamples
        As for :func:`net_benefit`.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    NetBenefitDifference
        One row for each threshold.

    Notes
    -----
    On the same rows the difference depends only on cases that exactly one model treats: four
    proportions, whose limits are combined by MOVER. So are the four proportions of two test sets.
    Limits of proportions and their critical value are those of :func:`net_benefit`.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, one, two = [1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1], [0.9, 0.6, 0.6, 0.1]
    >>> print(rb.net_benefit_difference(y, one, two, thresholds=[0.5]).difference)
    [0.]
    """
    asked, t, p = _check(level, thresholds, prevalence, simultaneous, n_resamples, rng)
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    DIFFERENCE_HANDLING.check(pair.asked)
    combine, errors, notes = _compare(pair, t, p)
    together = simultaneous and t.size > 1
    value, lower, upper = (
        _limit_all(combine, errors, asked, n_resamples, pair.common_clusters)
        if together
        else combine(asked.tail)
    )
    return NetBenefitDifference(
        threshold=t,
        difference=value,
        lower=lower,
        upper=upper,
        names=pair.names,
        level=asked.level,
        coverage="simultaneous" if together else "pointwise",
        prevalence=p,
        n_pos=pair.first.n_pos,
        n_neg=pair.first.n_neg,
        simulation=asked.simulation,
        notes=(*notes, *pair.value_notes),
    )


def _limit_all(
    combine: Combine,
    errors: list[JointError],
    asked: Request,
    n_resamples: int,
    common: tuple[IndexArray, IndexArray] | None = None,
) -> FloatArray:
    """Values and limits that hold at all thresholds together; `asked` learns of the draws."""
    critical = find_critical_value(errors, asked.level, n_resamples, asked.rng, common)
    found, far = (
        np.array(combine(float(ndtr(-z)), exact=True)) for z in (critical.value, sum(critical))
    )
    asked.simulated(n_resamples, float(np.abs(far - found).max()))
    return found


def find_critical_value(
    errors: Sequence[JointError],
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
    common: tuple[IndexArray, IndexArray] | None = None,
) -> CriticalValue:
    """Quantile of the largest standardised error, at least the normal quantile of one threshold.

    What few rows show may not have been drawn, so variances contain one pseudo row: v = diag C +
    f^2, with f the largest coefficient of rows that are called, times a row's mean weight
    sum w^2 / sum w. The critical value is a quantile of the largest abs(Z) / sqrt(v), Z normal with
    the covariance C of :mod:`rocbands.design.joint_error`.

    `errors`: of a test set, or of two. `common`: numbers of the clusters that are in both, as in
    :class:`rocbands.core.pair.Pair`.
    """
    covariance, mix = np.sum([error.covariance for error in errors], axis=0), errors[0].mix
    if common is not None:
        covariance += multiply_common(errors, common)
    pseudo = np.max([error.pseudo_row for error in errors], axis=0)
    spread = np.sqrt(np.sum(mix * times(covariance, mix), axis=0) + pseudo**2)
    own = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    share = own[:, None] * mix / spread
    # Variances that are 0 but for rounding errors have correlations above 1.
    none = np.abs(share).max(axis=1) <= _NONE
    covariance[none], covariance[:, none], share[none], own[none] = 0.0, 0.0, 0.0, 1.0
    drawn = find_gaussian_critical_value(
        covariance / np.outer(own, own), level, n_resamples, rng, mix=share
    )
    return drawn.at_least(float(ndtri((1.0 + level) / 2.0)))


def _check(
    level: float,
    thresholds: Numbers | None,
    prevalence: float | None,
    simultaneous: bool,
    n_resamples: int,
    rng: Rng,
) -> tuple[Request, FloatArray, float | None]:
    check_flag(simultaneous, "simultaneous")
    check_resamples(n_resamples)
    thresholds = USUAL_THRESHOLDS if thresholds is None else thresholds
    t = np.atleast_1d(check_unit_interval(thresholds, "thresholds"))
    if t.ndim > 1:
        raise InputError(
            "must be one number or a sequence of numbers",
            f"it has {t.ndim} dimensions",
            "Flatten it.",
            argument="thresholds",
        )
    if not t.size:
        raise InputError("must be at least one number", "it is empty", argument="thresholds")
    if (t >= 1.0).any():
        raise InputError(
            "must lie below 1",
            "got 1",
            Message(
                "At 1 a false alarm would outweigh any number of positives found: pass a smaller "
                "one, such as {}.",
                arg("thresholds", 0.5),
            ),
            argument="thresholds",
        )
    if prevalence is not None:
        prevalence = check_number(prevalence, "prevalence", above=0.0, below=1.0)
    return Request(check_level(level), check_rng(rng)), t, prevalence


def _count_steps(roc: RocCurve, t: FloatArray) -> IndexArray:
    """Count the steps of the curve at or above each threshold."""
    check_unit_interval(roc.thresholds[[0, -1]], "y_score", _PROBABILITIES)
    return bisect(roc.thresholds.size, lambda at: roc.thresholds[at] >= t, t.shape)


def _list_terms(
    sums: UnitSums, pos: Any, neg: Any, odds: FloatArray, p: float | None, sign: float = 1.0
) -> Terms:
    """Shares of positives `pos` and of negatives `neg`, with their weights in net benefit.

    They are shares of all cases, or of those of the class if the prevalence is given.
    """
    of_pos, of_neg = (1.0, 1.0) if p is None else (p, 1.0 - p)
    weights = np.full(odds.size, sign * of_pos), -sign * of_neg * odds
    return list(zip(weights, sums.find_pair(pos, neg, of_classes=p is not None), strict=True))


def _compare(
    pair: Pair, t: FloatArray, p: float | None
) -> tuple[Combine, list[JointError], tuple[str, ...]]:
    """Find the difference and its limits, as a function of the tail; its errors; notes."""
    odds = t / (1.0 - t)
    if not pair.paired:
        one, two = (CalledSums.of_curve(roc, _count_steps(roc, t)) for roc in pair.curves)
        parts = [
            _list_terms(sums, of.CALLED_POS, of.CALLED_NEG, odds, p, sign)
            for sums, sign in ((one, 1.0), (two, -1.0))
        ]
        rows = "The second test set has {:.0f} positives and {:.0f} negatives."
        sizes = rows.format(*two.design.n_rows)
        notes = (*_describe(one, parts[0], p), sizes, *_describe(two, parts[1], p))
        errors = [JointError(*part) for part in zip((one, two), parts, strict=True)]
        return partial(combine_sets, pair, (one, two), parts), errors, notes
    values = pair.one.values, pair.two.values
    for scores in values:
        check_unit_interval(np.array([scores.min(), scores.max()]), "y_score", _PROBABILITIES)
    # The difference depends only on rows that exactly one model treats.
    sums = PairedSums.add_up(RowDesign.of_pair(pair), values, (t, t))
    terms = []
    for pos, neg, sign in zip(ONLY_POS, ONLY_NEG, (1.0, -1.0), strict=True):
        terms += _list_terms(sums, pos, neg, odds, p, sign)
    return partial(sums.combine, terms), [JointError(sums, terms)], _describe(sums, terms, p)


def _describe(sums: UnitSums, terms: Terms, p: float | None) -> tuple[str, ...]:
    """Say what the design costs, at half of the thresholds or more."""
    pos, neg = (float(np.median(share.number)) for _, share in terms[:2])
    return sums.describe((pos, neg), "net benefit", of_classes=p is not None)


def _surround(value: FloatArray, limits: Any) -> Limits:
    """Return the limits, moved to the value where rounding put them on its other side."""
    return np.minimum(limits[0], value), np.maximum(limits[1], value)

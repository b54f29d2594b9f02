"""Confidence intervals for the cost of thresholds that were chosen beforehand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import check_choice, check_level
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.cost.binormal_limits import binormal
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.counts import Errors, check_thresholds, errors_between, inside_both
from rocbands.cost.limits import Limits, Observed, exact, gaussian, mover
from rocbands.cost.moments import reliability
from rocbands.cost.results import CostIntervals
from rocbands.cost.score_limits import score
from rocbands.errors import InputError

__all__ = ["METHODS", "cost_interval", "cost_interval_of"]

METHODS: dict[str, Callable[[Observed, float], Limits]] = {
    "mover": mover,
    "gaussian": gaussian,
    "exact": exact,
    "score": score,
    "binormal": binormal,
}
_STRATIFIED_ONLY = ("score", "binormal")
_INSIDE = (
    "Counts in bins: {} of {} thresholds lie inside a bin, and limits allow for all errors that it "
    "may make there."
)
_BINORMAL = "Costs and limits hold if the scores of both classes are normal, and only then."


def cost_interval(
    y_true: Any,
    y_score: Any = None,
    thresholds: Any = None,
    w: Any = None,
    method: str = "mover",
    *,
    sampling: Sampling = "stratified",
    costs: Any = None,
    prevalence: float | None = None,
    level: float = 0.95,
    positive: object = None,
) -> CostIntervals:
    """Confidence intervals for the normalised cost of thresholds that were chosen beforehand.

    Exactly one of `w` and `costs` says what errors weigh. Limits are for the true cost of the very
    thresholds used, each for itself. They hold only if the thresholds were not chosen on these
    rows: use :func:`cost_thresholds` on other rows.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Labels of the test set, two of any kind; or, alone, its curve. Of counts in bins limits at a
        threshold inside a bin hold those of any order of the scores in it.
    y_score : array-like of shape (n,)
        Its scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    thresholds : float or array-like
        Thresholds, one for all operating conditions or one for each: a row is called positive when
        its score >= threshold.
    w : float or array-like, optional
        Operating conditions, from 0 to 1: the weight of the false negative rate.
    method : {'mover', 'gaussian', 'exact', 'score', 'binormal'}
        - 'mover': Wilson's limits of both error rates, combined. Holds where errors are few.
        - 'gaussian': plus and minus standard errors (Dugas and Gadoury 2009), their variance put
          right. Fails where errors are few: see `reliable` of the result.
        - 'exact': percentiles of the true law over all resamples. Fails where 'gaussian' does.
        - 'score': costs that a score test does not reject; close to 'mover', slower. Stratified
          sampling only.
        - 'binormal': from the means and standard deviations of scores; much shorter, and right
          only if both classes are normal. Stratified sampling only.
    sampling : {'stratified', 'full'}
        'stratified' takes class sizes as fixed: the share of positives is known where decisions
        will be made. 'full' takes them as random as the rows, and gives the cost in units of the
        larger cost; only for test sets whose class sizes were not fixed.
    costs : (c_fn, c_fp), optional
        Costs of a false negative and of a false positive, numbers or arrays, instead of `w`.
    prevalence : float, optional
        Share of positives that goes with `costs`; by default that of the test set.
    level : float, default 0.95
        Confidence level of each interval.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    CostIntervals
        A table: w, cost, its limits, threshold, errors and reliability, one row for each condition.

    See Also
    --------
    rocbands.cost_thresholds, rocbands.calibrated_thresholds : thresholds to judge.
    rocbands.operating_condition : what w is, from costs and a share of positives.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> cut = rb.calibrated_thresholds([0.2, 0.5], prevalence=0.37)
    >>> found = rb.cost_interval(y, models["logistic"], cut, [0.2, 0.5], positive="malignant")
    >>> print(found.cost.round(3), found.low.round(3), found.high.round(3))
    [0.132 0.192] [0.113 0.162] [0.158 0.228]
    """
    return cost_interval_of(
        as_roc_curve(y_true, y_score, positive=positive),
        thresholds,
        w,
        method,
        sampling=sampling,
        costs=costs,
        prevalence=prevalence,
        level=level,
    )


def cost_interval_of(
    roc: RocCurve,
    thresholds: Any,
    w: Any = None,
    method: str = "mover",
    *,
    sampling: Sampling = "stratified",
    costs: Any = None,
    prevalence: float | None = None,
    level: float = 0.95,
) -> CostIntervals:
    """Confidence intervals for the cost of thresholds, from a curve that is already counted.

    Parameters
    ----------
    roc : RocCurve
        Counts of the test set, without groups and folds.
    thresholds, w, method, sampling, costs, prevalence, level
        As for :func:`cost_interval`.
    """
    level = check_level(level)
    check_choice(method, tuple(METHODS), "method")
    _independent(roc)
    at = Conditions.of(w, costs, prevalence, sampling, (roc.n_pos, roc.n_neg))
    if sampling == "full" and method in _STRATIFIED_ONLY:
        raise InputError(
            f"Method {method!r} takes class sizes as fixed and has no form for sampling='full'. "
            "Use method='mover', or sampling='stratified'."
        )
    cut = check_thresholds(thresholds, at.w.size)
    at = at.repeated(cut.size)
    fewest, most = errors_between(roc, cut)
    errors = Errors((fewest.fn + most.fn) // 2, (fewest.fp + most.fp) // 2, *fewest[2:])
    inside = (fewest.fn < most.fn) | (fewest.fp < most.fp)
    _check_bins(roc, method, sampling, cut[inside])
    ends = (fewest, most) if inside.any() else (fewest,)
    found = [METHODS[method](Observed(roc, cut, end, at, sampling), level) for end in ends]
    limits = _between(found[0], found[-1])
    return CostIntervals(
        w=at.w,
        cost=np.clip(limits.cost, 0.0, 1.0),
        low=np.clip(limits.low, 0.0, 1.0),
        high=np.clip(limits.high, 0.0, 1.0),
        thresholds=cut,
        fn=errors.fn,
        fp=errors.fp,
        reliable=reliability(errors, at, sampling),
        inside=inside_both(roc, cut),
        roc=roc,
        level=level,
        method=method,
        sampling=sampling,
        normaliser=at.normaliser,
        prevalence=at.prevalence,
        notes=(
            *at.notes,
            *((_BINORMAL,) if method == "binormal" else ()),
            *((_INSIDE.format(np.count_nonzero(inside), cut.size),) if inside.any() else ()),
        ),
    )


def _between(least: Limits, most: Limits) -> Limits:
    """Put together the limits of the fewest errors and those of the most."""
    return Limits((least.cost + most.cost) / 2.0, least.low, most.high)


def _check_bins(roc: RocCurve, method: str, sampling: Sampling, hidden: npt.NDArray[Any]) -> None:
    """Refuse what needs to know more of a bin than how many rows it holds.

    Where errors are known to lie between two counts, limits must rise with them: those of 'mover'
    do, as Wilson's rise and no distance shrinks by more than its rate grows; those of 'exact' are
    percentiles of a law that more errors move up.
    """
    if roc.binned and method == "binormal":
        raise InputError(
            "Method 'binormal' needs the scores themselves; the curve has bins. "
            "Use method='mover', or count every score."
        )
    if hidden.size and not (method == "exact" or (method, sampling) == ("mover", "stratified")):
        raise InputError(
            f"With method={method!r} and sampling={sampling!r} thresholds must be ends of bins; "
            f"{hidden[0]} lies inside one. Use method='exact', or such a threshold."
        )


def _independent(roc: RocCurve) -> None:
    """Refuse rows that belong together or were scored by several models."""
    if roc.groups is not None or roc.folds:
        what = "groups" if roc.groups is not None else "folds"
        raise InputError(
            f"Intervals for the cost take rows for independent and scored by one model; the curve "
            f"has {what}. Make it without `{what}`."
        )

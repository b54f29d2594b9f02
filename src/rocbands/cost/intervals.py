"""Confidence intervals for the cost of thresholds that were chosen beforehand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rocbands.core.checks import check_choice, check_level
from rocbands.core.roc import RocCurve, roc_curve
from rocbands.cost.binormal_limits import binormal
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.counts import check_thresholds, errors_at, inside_both
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
_BINORMAL = "Costs and limits hold if the scores of both classes are normal, and only then."


def cost_interval(
    y_true: Any,
    y_score: Any,
    thresholds: Any,
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
    y_true : array-like of shape (n,)
        Labels of the test set, two of any kind.
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
        roc_curve(y_true, y_score, positive=positive),
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
    errors = errors_at(roc, cut)
    limits = METHODS[method](Observed(roc, cut, errors, at, sampling), level)
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
        notes=(*at.notes, *((_BINORMAL,) if method == "binormal" else ())),
    )


def _independent(roc: RocCurve) -> None:
    """Refuse rows that belong together or were scored by several models."""
    if roc.groups is not None or roc.folds:
        what = "groups" if roc.groups is not None else "folds"
        raise InputError(
            f"Intervals for the cost take rows for independent and scored by one model; the curve "
            f"has {what}. Make it without `{what}`."
        )

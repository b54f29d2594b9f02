"""Confidence intervals for the area under the curve."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rocbands.auc.binned import auc_span, binned_pivot
from rocbands.auc.pivots import Accelerated, Logit, Newcombe, Percentile, Pivot, Wald
from rocbands.auc.resampled import resampled_aucs
from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_level,
    check_rate,
    check_resamples,
    check_rng,
)
from rocbands.core.clusters import clustered, group_sums
from rocbands.core.interval import Alternative, Interval, check_alternative
from rocbands.core.placements import moments, step_placements
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.core.variances import delong, hanley_mcneil, ideal_bootstrap
from rocbands.errors import InputError

__all__ = ["DEFAULT", "METHODS", "auc_interval", "auc_interval_of"]

Draw = Callable[[], FloatArray]

DEFAULT = "newcombe"
DEFAULT_GROUPED = "logit-delong"


def auc_interval(
    y_true: Any,
    y_score: Any = None,
    method: str | None = None,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    null: float = 0.5,
    groups: Any = None,
    n_resamples: int = 2000,
    positive: object = None,
    rng: Any = None,
) -> Interval:
    """Confidence interval for the area under the ROC curve, ties counted one half.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive.
    method : str, optional
        By default 'newcombe', and with `groups` 'logit-delong'. All of them:

        - 'newcombe': score limits, from the AUC and the class sizes alone; never a point.
        - 'logit-delong': DeLong's variance on the log-odds scale. Where that has no limits, because
          the AUC is 0 or 1, its variance 0 or a class has one case, Newcombe's limits are given.
        - 'delong', 'hanley-mcneil', 'exact-bootstrap': the AUC plus and minus standard errors,
          clipped to [0, 1]; the variance is DeLong's, that of exponential scores, or that of
          endless resampling, in closed form.
        - 'bootstrap', 'bca': quantiles of resampled AUCs, plain or corrected for bias and
          skewness. Resamples keep the class sizes.

        Where an estimated variance is 0 the last five give a point; the notes say so.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'greater', 'less'}
        'greater' gives a lower limit only, 'less' an upper one only.
    null : float, default 0.5
        Value of the AUC that the p-value is for.
    groups : array-like of shape (n,), optional
        Rows that belong together, such as the lesions of one patient. DeLong's variance becomes
        that of Obuchowski (1997), resampling draws whole groups; other methods refuse.
    n_resamples : int, default 2000
        For 'bootstrap' and 'bca'.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : optional
        Seed or generator for 'bootstrap' and 'bca'.

    Returns
    -------
    Interval
        Estimate, limits, standard error and the p-value of AUC = `null`, which is that of the test
        whose inversion gives the limits: for 'newcombe' a score test, on the log-odds scale for
        'logit-delong', from resampled AUCs for 'bootstrap' and 'bca', else Wald's.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> auc = rb.auc_interval(y, models["logistic"], positive="malignant")
    >>> print(f"{auc.estimate:.3f} ({auc.low:.3f} to {auc.high:.3f})")
    0.900 (0.869 to 0.923)
    >>> rb.auc_interval([1, 1, 0, 0], [4, 3, 2, 1]).high
    1.0
    """
    roc = as_roc_curve(y_true, y_score, positive=positive, groups=groups, uses=("groups",))
    return auc_interval_of(
        roc,
        method,
        level=level,
        alternative=alternative,
        null=null,
        n_resamples=n_resamples,
        rng=rng,
    )


def auc_interval_of(
    roc: RocCurve,
    method: str | None = None,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    null: float = 0.5,
    n_resamples: int = 2000,
    rng: Any = None,
) -> Interval:
    """Confidence interval for the AUC of a curve that is already counted.

    Parameters
    ----------
    roc : RocCurve
        The curve; where it has groups, they are used as :func:`auc_interval` uses them.
    method, level, alternative, null, n_resamples, rng
        As for :func:`auc_interval`.
    """
    level, null = check_level(level), check_rate(null, "null")
    check_alternative(alternative)
    check_resamples(n_resamples)
    name = method or (DEFAULT if roc.groups is None else DEFAULT_GROUPED)
    pivot, notes = _pivot(name, roc, n_resamples, check_rng(rng))
    possible = auc_span(roc)
    tail = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    low, high = pivot.limits(tail)
    error = pivot.error
    certain = error == 0.0 and not isinstance(pivot, Newcombe)
    return Interval(
        quantity="AUC",
        estimate=roc.auc,
        low=0.0 if alternative == "less" else max(0.0, min(low, possible.low)),
        high=1.0 if alternative == "greater" else min(1.0, max(high, possible.high)),
        level=level,
        method=name,
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        standard_error=None if error == 0.0 and not certain else error,
        alternative=alternative,
        null=null,
        pvalue=None if certain else _pvalue(pivot, null, alternative),
        target="true AUC",
        notes=(*notes, *((_POINT,) if certain else ()), *roc.bin_notes),
        frame=roc.frame,
    )


_POINT = (
    "The variance of the AUC is estimated as 0, so that limits are the estimate itself and there "
    "is no test; that says nothing about how far the AUC can be trusted. Use the default method."
)


def _pivot(
    name: str, roc: RocCurve, n_resamples: int, rng: np.random.Generator
) -> tuple[Pivot, tuple[str, ...]]:
    """Make a method's pivot, and with it notes; bins of one class hide nothing."""
    recipe = _recipe(name, roc)
    if roc.certificate > 0.0:
        return binned_pivot(name, roc), ()
    made = recipe.make(roc, lambda: resampled_aucs(roc, n_resamples, rng))
    return made if isinstance(made, tuple) else (made, ())


def _pvalue(pivot: Pivot, null: float, alternative: Alternative) -> float:
    less, greater = pivot.tails(null)
    if alternative == "two-sided":
        return min(1.0, 2.0 * min(less, greater))
    return less if alternative == "less" else greater


def _delong(roc: RocCurve, draw: Draw) -> Pivot:
    return Wald(roc.auc, _delong_error(roc))


def _logit_delong(roc: RocCurve, draw: Draw) -> Pivot | tuple[Pivot, tuple[str, ...]]:
    sizes = _independent(roc)
    error = _delong_error(roc) if min(sizes) > 1 else 0.0
    if error > 0.0 and 0.0 < roc.auc < 1.0:
        return Logit(roc.auc, error)
    of_groups = "" if roc.groups is None else ", with groups counted instead of cases"
    note = f"DeLong's variance gives no limits on the log-odds scale here; Newcombe's{of_groups}."
    return Newcombe(roc.auc, *sizes), (note,)


def _newcombe(roc: RocCurve, draw: Draw) -> Pivot:
    return Newcombe(roc.auc, roc.n_pos, roc.n_neg)


def _hanley_mcneil(roc: RocCurve, draw: Draw) -> Pivot:
    return Wald(roc.auc, math.sqrt(hanley_mcneil(roc.auc, roc.n_pos, roc.n_neg)))


def _exact_bootstrap(roc: RocCurve, draw: Draw) -> Pivot:
    return Wald(roc.auc, math.sqrt(ideal_bootstrap(moments(roc), roc.n_pos, roc.n_neg)))


def _bootstrap(roc: RocCurve, draw: Draw) -> Pivot:
    return Percentile(draw())


def _bca(roc: RocCurve, draw: Draw) -> Pivot:
    return Accelerated(roc.auc, draw(), _acceleration(roc))


class Recipe(NamedTuple):
    """How a method makes its pivot, and what it needs.

    Attributes
    ----------
    make : callable
        Makes the pivot; with it, where need be, notes.
    spread : bool
        Estimates the spread within each class, which needs two cases of it.
    grouped : bool
        Has a form for groups.
    """

    make: Callable[[RocCurve, Draw], Pivot | tuple[Pivot, tuple[str, ...]]]
    spread: bool
    grouped: bool


METHODS = {
    "newcombe": Recipe(_newcombe, spread=False, grouped=False),
    "logit-delong": Recipe(_logit_delong, spread=False, grouped=True),
    "delong": Recipe(_delong, spread=True, grouped=True),
    "hanley-mcneil": Recipe(_hanley_mcneil, spread=False, grouped=False),
    "exact-bootstrap": Recipe(_exact_bootstrap, spread=True, grouped=False),
    "bootstrap": Recipe(_bootstrap, spread=True, grouped=True),
    "bca": Recipe(_bca, spread=True, grouped=True),
}


def _recipe(name: str, roc: RocCurve) -> Recipe:
    """Find a method and refuse what it cannot do."""
    check_choice(name, tuple(METHODS), "method")
    recipe = METHODS[name]
    if roc.groups is not None and not recipe.grouped:
        able = ", ".join(other for other in METHODS if METHODS[other].grouped)
        raise InputError(
            f"Method {name!r} takes rows for independent and cannot use `groups`. "
            f"Use one of {able}."
        )
    sizes = _independent(roc)
    if recipe.spread and min(sizes) < 2:
        kind = "positive" if sizes[0] < 2 else "negative"
        what = "case" if roc.groups is None else "group with a case"
        advice = "newcombe" if roc.groups is None else "logit-delong"
        raise InputError(
            f"Method {name!r} estimates the spread within each class and needs at least two of "
            f"each; there is one {kind} {what}. Use method={advice!r}."
        )
    return recipe


def _independent(roc: RocCurve) -> tuple[int, int]:
    """Class sizes; with groups the number of groups that hold a case of each class."""
    if roc.groups is None:
        return roc.n_pos, roc.n_neg
    return group_sums(roc, roc.groups).holding


def _delong_error(roc: RocCurve) -> float:
    if roc.groups is not None:
        return math.sqrt(max(clustered(group_sums(roc, roc.groups)), 0.0))
    return math.sqrt(delong(moments(roc), roc.n_pos, roc.n_neg))


def _acceleration(roc: RocCurve) -> float:
    """Skewness of the cases' (or the groups') shares in the AUC, as the jackknife finds it."""
    if roc.groups is None:
        below, above = (side - roc.auc for side in step_placements(roc))
        shares = np.concatenate((below / roc.n_pos, above / roc.n_neg))
        times = np.concatenate((np.diff(roc.tp, prepend=0), np.diff(roc.fp, prepend=0)))
    else:
        sums = group_sums(roc, roc.groups)
        shares, times = sums.pos / roc.n_pos + sums.neg / roc.n_neg, np.ones(roc.groups.size)
    square = float(np.dot(times, shares**2))
    return float(np.dot(times, shares**3)) / (6.0 * square**1.5) if square > 0.0 else 0.0

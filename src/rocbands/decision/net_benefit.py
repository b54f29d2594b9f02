"""Net benefit of treating at or above a threshold probability: decision curves.

With true and false positives TP and FP among N cases, and odds o = t / (1 - t) of the threshold
probability t, net benefit is TP/N - o FP/N (Vickers and Elkin 2006, Medical Decision Making 26,
565-574). Treating all has p - o (1 - p) at prevalence p, treating none 0. So a model is better than
treating none by TP/N - o FP/N, and than treating all by o TN/N - FN/N: each has limits of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits, wilson_limits
from rocbands.bands.joint_region import berk_jones_quantile, rate_limits
from rocbands.core.arguments import explain
from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    check_flag,
    check_level,
    check_number,
    check_unit_interval,
)
from rocbands.core.columns import Column, Labels, Numbers
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.method import Extra, Handling
from rocbands.core.pair import read_pair
from rocbands.core.pieces import bisect
from rocbands.core.references import WILSON, ZOU_DONNER
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows
from rocbands.core.sample import Sample
from rocbands.decision.result import NetBenefit, NetBenefitDifference
from rocbands.errors import InputError, arg, in_python

# A share of the cases in a sum: its weight and its count at each threshold, and whether these cases
# are positives.
Cell: TypeAlias = tuple[FloatArray, Any, bool]
Limits: TypeAlias = tuple[FloatArray, FloatArray]

HANDLING = Handling(
    "net_benefit",
    "decision",
    "Wilson's limits of both shares, combined by MOVER",
    ("simultaneous",),
    alone={
        "simultaneous": in_python("use rb.roc_band(...).view('net-benefit')", "net-benefit band")
    },
)
DIFFERENCE_HANDLING = Handling(
    "net_benefit_difference",
    "decision",
    "cases that one model treats and the other does not, by MOVER",
    ("paired",),
)
REFERENCES = (
    "Vickers and Elkin (2006), Decision curve analysis: a novel method for evaluating prediction "
    "models, Medical Decision Making 26, 565-574.",
    WILSON,
    ZOU_DONNER,
)
_PROBABILITIES = "Pass probabilities, not scores of another scale."
USUAL_THRESHOLDS = np.arange(1, 100) / 100


@explain
def net_benefit(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    thresholds: Numbers | None = None,
    simultaneous: bool = False,
    prevalence: float | None = None,
    level: float = 0.95,
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
    simultaneous : bool, default False
        Whether limits are simultaneous over all thresholds.
    prevalence : float, optional
        Fraction of positives where the model will be used. By default the prevalence of the rows;
        limits then include its error.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    NetBenefit
        One row for each threshold.

    Notes
    -----
    Pointwise limits combine Wilson's limits of the proportions of true and false positives by MOVER
    (Zou and Donner 2008, Statistics in Medicine 27, 1693-1702), with their multinomial correlation.
    Simultaneous limits come from Berk and Jones' limits of both rates at all thresholds, and
    Clopper and Pearson's of the prevalence: the coverage is at least the level, and they are wide.

    The model is compared with the better of treating all and treating none. Its lead over either is
    a sum of such proportions, with limits by the same method; of the smaller lead the limits are
    the smaller of both lower and the smaller of both upper limits. The model is better than both
    where the lower one is above 0: that is a test of both claims at the level, which needs no
    correction (Berger 1982, Technometrics 24, 295-300).

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.net_benefit([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1], thresholds=[0.2, 0.5])
    >>> print(found.net_benefit, found.treat_all)
    [0.4375 0.25  ] [0.375 0.   ]
    """
    check_flag(simultaneous, "simultaneous")
    level, t, p = _check(level, thresholds, prevalence)
    roc = as_roc_curve(y_true, y_score, positive)
    asked: tuple[Extra, ...] = ("simultaneous",) if simultaneous else ()
    HANDLING.check(roc, *asked)
    tp, fp = _count_treated(roc, t)
    m, n = roc.n_pos, roc.n_neg
    one, odds = np.ones(t.size), t / (1.0 - t)
    share = m / (m + n) if p is None else p
    if simultaneous:
        over_none, over_all = _boxes(tp, fp, m, n, odds, p, level)
    else:
        over_none = _mover([(one, tp, True), (-odds, fp, False)], m, n, p, level)
        over_all = _mover([(-one, m - tp, True), (odds, n - fp, False)], m, n, p, level)
    value = share * tp / m - (1.0 - share) * odds * fp / n
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
        level=level,
        coverage="simultaneous" if simultaneous else "pointwise",
        prevalence=p,
        n_pos=m,
        n_neg=n,
        notes=(
            *roc.value_notes,
            f"At a prevalence of {100 * share:.3g}%{'' if p else ', that of the rows'}.",
        ),
    )


@explain
def net_benefit_difference(
    y_true: Labels | Sample,
    y_score_1: Column | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    thresholds: Numbers | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
) -> NetBenefitDifference:
    """Difference of two models' net benefits on the same rows, model 1 minus model 2.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), optional
        With labels, the two models' scores. Differences are model 1 minus model 2.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    thresholds : float or array-like of shape (k,), optional
        Threshold probabilities, from 0 to below 1; by default 0.01, 0.02, ..., 0.99.
    prevalence, level
        As for :func:`net_benefit`.

    Returns
    -------
    NetBenefitDifference
        One row for each threshold.

    Notes
    -----
    The difference depends only on cases that exactly one model treats: four proportions of the same
    rows, whose Wilson limits are combined by MOVER.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, one, two = [1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1], [0.9, 0.6, 0.6, 0.1]
    >>> print(rb.net_benefit_difference(y, one, two, thresholds=[0.5]).difference)
    [0.]
    """
    level, t, p = _check(level, thresholds, prevalence)
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    DIFFERENCE_HANDLING.check(pair.asked)
    one, two = _call_cases(pair.one, t), _call_cases(pair.two, t)
    pos = pair.one.is_positive
    m, n = int(pos.sum()), int((~pos).sum())
    odds = t / (1.0 - t)
    cells = [
        (sign * weight, (first & ~second)[:, of].sum(axis=1), of is pos)
        for sign, first, second in ((1.0, one, two), (-1.0, two, one))
        for weight, of in ((np.ones(t.size), pos), (-odds, ~pos))
    ]
    share = m / (m + n) if p is None else p
    scale = {True: share / m, False: (1.0 - share) / n}
    value = np.sum([weight * scale[which] * count for weight, count, which in cells], axis=0)
    lower, upper = _surround(value, _mover(cells, m, n, p, level))
    return NetBenefitDifference(
        threshold=t,
        difference=value,
        lower=lower,
        upper=upper,
        names=pair.names,
        level=level,
        prevalence=p,
        n_pos=m,
        n_neg=n,
        notes=pair.value_notes,
    )


def _check(
    level: float, thresholds: Numbers | None, prevalence: float | None
) -> tuple[float, FloatArray, float | None]:
    thresholds = USUAL_THRESHOLDS if thresholds is None else thresholds
    t = np.atleast_1d(check_unit_interval(thresholds, "thresholds"))
    if t.ndim > 1:
        raise InputError(
            "must be one number or a sequence of numbers",
            f"it has {t.ndim} dimensions",
            "Flatten it.",
            argument="thresholds",
        )
    if (t >= 1.0).any():
        raise InputError(
            "must lie below 1",
            "got 1",
            "At 1 a false alarm would outweigh any number of positives found: pass a smaller one, "
            f"such as {arg('thresholds', 0.5)}.",
            argument="thresholds",
        )
    if prevalence is not None:
        prevalence = check_number(prevalence, "prevalence", above=0.0, below=1.0)
    return check_level(level), t, prevalence


def _count_treated(roc: RocCurve, t: FloatArray) -> tuple[CountArray, CountArray]:
    """Count the positives and the negatives that a model treats at each threshold."""
    check_unit_interval(roc.thresholds[[0, -1]], "y_score", _PROBABILITIES)
    steps = bisect(roc.thresholds.size, lambda at: roc.thresholds[at] >= t, t.shape)
    last = np.maximum(steps - 1, 0)
    return np.where(steps > 0, roc.tp[last], 0), np.where(steps > 0, roc.fp[last], 0)


def _call_cases(rows: Rows, t: FloatArray) -> BoolArray:
    """Tell which cases a model treats at each threshold, one row for each threshold."""
    return np.asarray(check_unit_interval(rows.values, "y_score", _PROBABILITIES) >= t[:, None])


def _surround(value: FloatArray, limits: Sequence[FloatArray] | FloatArray) -> Limits:
    """Return the limits, moved to the value where rounding put them on its other side."""
    return np.minimum(limits[0], value), np.maximum(limits[1], value)


def _mover(cells: Sequence[Cell], m: int, n: int, p: float | None, level: float) -> Limits:
    """Limits of a weighted sum of multinomial proportions by MOVER (Zou and Donner 2008).

    Distances of Wilson's limits are combined like standard errors, with the correlation
    -sqrt(a b / ((1 - a) (1 - b))) of two proportions a and b of the same cases. The cases are all,
    or those of the class if the prevalence is given.
    """
    weight, count = (np.stack([cell[k] for cell in cells]) for k in (0, 1))
    is_pos = np.array([[cell[2]] for cell in cells])
    size, same = np.full(is_pos.shape, m + n), np.ones((len(cells),) * 2, dtype=np.bool_)
    if p is not None:
        size, same = np.where(is_pos, m, n), is_pos == is_pos.T
        weight = weight * np.where(is_pos, p, 1.0 - p)
    share = count / size
    low, high = wilson_limits(share, size, level)
    value = (weight * share).sum(axis=0)
    # A correlation is at least -1; rounding and proportions of 1 would violate that.
    odds = share / np.maximum(1.0 - share, 1e-150)  # its square is a float
    correlation = -np.sqrt(np.minimum(odds[:, None] * odds, 1.0)) * same[..., None]
    correlation[np.diag_indices(len(cells))] = 1.0
    ends = []
    for side in (-1.0, 1.0):
        # A term with a positive weight is largest at its upper limit, one with a negative weight
        # at its lower one.
        away = weight * (np.where(side * weight > 0.0, high, low) - share)
        # The sign of a distance is `side`; products have the sign of the product of the weights.
        moved = np.sign(weight) * np.abs(away)
        total = np.einsum("ijk,ik,jk->k", correlation, moved, moved)
        ends.append(value + side * np.sqrt(np.maximum(total, 0.0)))
    return ends[0], ends[1]


def _boxes(
    tp: Any, fp: Any, m: int, n: int, odds: FloatArray, p: float | None, level: float
) -> tuple[Limits, Limits]:
    """Limits of the lead over treating none, and over treating all, at all thresholds.

    From simultaneous limits of both rates and of the prevalence, all independent.
    """
    # Two or three independent statements, each at the root of the level.
    each = level ** (1.0 / (2.0 if p is not None else 3.0))
    u_low, u_high = rate_limits(fp.astype(float), n, berk_jones_quantile(each, n))
    v_low, v_high = rate_limits(tp.astype(float), m, berk_jones_quantile(each, m))
    p_low, p_high = (p, p) if p is not None else clopper_pearson_limits(m, m + n, each)

    def over_none(p: Any, u: FloatArray, v: FloatArray) -> FloatArray:
        return np.asarray(p * v - (1.0 - p) * u * odds)  # rises with p

    def over_all(p: Any, u: FloatArray, v: FloatArray) -> FloatArray:
        return np.asarray((1.0 - p) * (1.0 - u) * odds - p * (1.0 - v))  # falls with p

    # Both rise with v and fall with u.
    return (
        (over_none(p_low, u_high, v_low), over_none(p_high, u_low, v_high)),
        (over_all(p_high, u_high, v_low), over_all(p_low, u_low, v_high)),
    )

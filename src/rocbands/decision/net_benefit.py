"""Net benefit of treating at or above a threshold probability: decision curves.

With true and false positives TP and FP among N cases, and odds o = t / (1 - t) of the threshold
probability t, net benefit is TP/N - o FP/N (Vickers and Elkin 2006, Medical Decision Making 26,
565-574). Treating all has p - o (1 - p) at prevalence p, treating none 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits, wilson_limits
from rocbands.bands.joint_region import berk_jones_quantile, rate_limits
from rocbands.core.arguments import explain
from rocbands.core.attributes import Count, Level, Number, Rate, list_columns
from rocbands.core.better import BetterRange, find_better_runs
from rocbands.core.checks import (
    BoolArray,
    FloatArray,
    check_flag,
    check_level,
    check_number,
    check_unit_interval,
)
from rocbands.core.columns import Column, Labels, Numbers
from rocbands.core.data import as_sample
from rocbands.core.method import Coverage, Handling
from rocbands.core.pair import read_pair
from rocbands.core.result import Result, document_plot, percent, require
from rocbands.core.rows import Rows
from rocbands.core.sample import Sample
from rocbands.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


HANDLING = Handling(
    "net_benefit",
    "decision",
    "Wilson's limits of both shares, combined by MOVER",
    ("simultaneous",),
)
DIFFERENCE_HANDLING = Handling(
    "net_benefit_difference",
    "decision",
    "cases that one model treats and the other does not, by MOVER",
    ("paired",),
)
USUAL_THRESHOLDS = np.arange(1, 100) / 100


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NetBenefit(Result):
    """Net benefit of a model at threshold probabilities, beside treating all and treating none.

    Attributes
    ----------
    threshold : ndarray of shape (k,)
        Threshold probabilities: a case is treated if its predicted probability is at least as high.
    net_benefit, lower, upper : ndarray of shape (k,)
        Net benefit of the model and its limits.
    treat_all, treat_none : ndarray of shape (k,)
        Net benefit without a model.
    level : float
        Nominal confidence level.
    coverage : {'pointwise', 'simultaneous'}
        Whether the level is for each threshold or for all jointly.
    prevalence : float or None
        The prevalence that was given; None where it is estimated from the rows.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        Notes on these limits.

    See Also
    --------
    rocbands.Band.better_between : for the model at its best threshold.
    """

    schema: ClassVar[str] = "rocbands.net-benefit/2"
    FACTS: ClassVar[str] = "level coverage prevalence n_pos n_neg notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (Rate, "threshold"), (Number, "net_benefit lower upper treat_all treat_none")
    )

    threshold: FloatArray
    net_benefit: FloatArray
    lower: FloatArray
    upper: FloatArray
    treat_all: FloatArray
    treat_none: FloatArray
    level: Level
    coverage: Coverage
    prevalence: float | None
    n_pos: Count
    n_neg: Count
    notes: tuple[str, ...] = ()

    def _check(self) -> None:
        held = (self.lower <= self.net_benefit) & (self.net_benefit <= self.upper)
        require(held.all(), "Limits must contain the net benefit.")

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the decision curve with its limits."""
        return self._draw(locals())

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        sentence = (
            f"Net benefit with {percent(self.level)} {self.coverage} confidence limits; "
            f"{self.n_pos} positives, {self.n_neg} negatives."
        )
        return "\n".join([sentence, *self.notes]), self.columns()

    def _brief(self) -> str:
        return (
            f"net benefit at {_number_of(self.threshold.size)}, {percent(self.level)} "
            f"{self.coverage} confidence limits"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NetBenefitDifference(Result):
    """Difference of two models' net benefits on the same rows, model 1 minus model 2.

    Attributes
    ----------
    threshold : ndarray of shape (k,)
        Threshold probabilities.
    difference, lower, upper : ndarray of shape (k,)
        The difference and its pointwise limits.
    names : (str, str)
        The models.
    level : float
        Nominal confidence level.
    prevalence : float or None
        The prevalence that was given; None where it is estimated from the rows.
    better : tuple of BetterRange
        Ranges of thresholds in which pointwise limits show that one model has more net benefit.
    n_pos, n_neg : int
        Class sizes.
    """

    schema: ClassVar[str] = "rocbands.net-benefit-difference/3"
    FACTS: ClassVar[tuple[str, ...]] = ("names", "level", "prevalence", "better", "n_pos", "n_neg")
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (Rate, "threshold"), (Number, "difference lower upper")
    )

    threshold: FloatArray
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, str]
    level: Level
    prevalence: float | None
    n_pos: Count
    n_neg: Count

    def _check(self) -> None:
        held = (self.lower <= self.difference) & (self.difference <= self.upper)
        require(held.all(), "Limits must contain the difference.")

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Ranges of thresholds whose limits exclude 0."""
        return find_better_runs(self.threshold, self.lower > 0.0, self.upper < 0.0)

    def _brief(self) -> str:
        one, two = self.names
        return (
            f"net benefit of {one} minus {two} at {_number_of(self.threshold.size)}, "
            f"{percent(self.level)} pointwise confidence limits"
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        sentence = (
            f"Net benefit of {self.names[0]} minus that of {self.names[1]}, with "
            f"{percent(self.level)} pointwise confidence limits; {self.n_pos} positives, "
            f"{self.n_neg} negatives."
        )
        return sentence, self.columns()


@explain
def net_benefit(
    y_true: Labels | Sample,
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

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.net_benefit([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1], thresholds=[0.2, 0.5])
    >>> print(found.net_benefit, found.treat_all)
    [0.4375 0.25  ] [0.375 0.   ]
    """
    check_flag(simultaneous, "simultaneous")
    level, t, p = _check(level, thresholds, prevalence)
    sample = as_sample(y_true, y_score, positive).leave_out_zeros()
    sample.check_one_model()
    HANDLING.check(sample.design)
    called, is_positive = _call_cases(sample.rows_of(), t), sample.is_positive
    m, n = int(is_positive.sum()), int((~is_positive).sum())
    tp, fp = called[:, is_positive].sum(axis=1), called[:, ~is_positive].sum(axis=1)
    odds = t / (1.0 - t)
    share = m / (m + n) if p is None else p
    value = share * tp / m - (1.0 - share) * odds * fp / n
    notes = (f"At a prevalence of {100 * share:.3g}%" + ("" if p else ", that of the rows") + ".",)
    if simultaneous:
        low, high = _boxes(tp, fp, m, n, odds, p, level)
    else:
        cells = [(np.ones(t.size), tp, True), (-odds, fp, False)]
        low, high = _mover(cells, m, n, p, level)
    return NetBenefit(
        threshold=t,
        net_benefit=value,
        lower=np.minimum(low, value),
        upper=np.maximum(high, value),
        treat_all=share - (1.0 - share) * odds,
        treat_none=np.zeros(t.size),
        level=level,
        coverage="simultaneous" if simultaneous else "pointwise",
        prevalence=p,
        n_pos=m,
        n_neg=n,
        notes=notes,
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
    low, high = _mover(cells, m, n, p, level)
    return NetBenefitDifference(
        threshold=t,
        difference=value,
        lower=np.minimum(low, value),
        upper=np.maximum(high, value),
        names=pair.names,
        level=level,
        prevalence=p,
        n_pos=m,
        n_neg=n,
    )


def _number_of(thresholds: int) -> str:
    return f"{thresholds} threshold{'s' * (thresholds != 1)}"


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
        raise InputError("must lie below 1", "got 1", "", argument="thresholds")
    if prevalence is not None:
        prevalence = check_number(prevalence, "prevalence", above=0.0, below=1.0)
    return check_level(level), t, prevalence


def _call_cases(rows: Rows, t: FloatArray) -> BoolArray:
    """Tell which cases a model treats at each threshold, one row for each threshold."""
    advice = "Pass probabilities, not scores of another scale."
    return np.asarray(check_unit_interval(rows.values, "y_score", advice) >= t[:, None])


def _mover(
    cells: list[tuple[FloatArray, Any, bool]], m: int, n: int, p: float | None, level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of a weighted sum of multinomial proportions by MOVER (Zou and Donner 2008).

    Distances of Wilson's limits are combined like standard errors, with the correlation
    -sqrt(a b / ((1 - a) (1 - b))) of two proportions a and b of the same cases. The cases are all,
    or those of the class if the prevalence is given. `cells`: weight, count, whether of positives.
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
) -> tuple[FloatArray, FloatArray]:
    """Limits from simultaneous limits of both rates and of the prevalence, all independent."""
    # Two or three independent statements, each at the root of the level.
    each = level ** (1.0 / (2.0 if p is not None else 3.0))
    u_low, u_high = rate_limits(fp.astype(float), n, berk_jones_quantile(each, n))
    v_low, v_high = rate_limits(tp.astype(float), m, berk_jones_quantile(each, m))
    p_low, p_high = (p, p) if p is not None else clopper_pearson_limits(m, m + n, each)
    # Net benefit p v - (1 - p) u o is increasing in p and v, and decreasing in u.
    low = p_low * v_low - (1.0 - p_low) * u_high * odds
    high = p_high * v_high - (1.0 - p_high) * u_low * odds
    return np.asarray(low), np.asarray(high)

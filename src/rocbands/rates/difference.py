"""Difference of the recalls of two models that act on the same share of cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rocbands._math.binomial import wilson_limits
from rocbands.core.arguments import explain_with
from rocbands.core.checks import BoolArray, CountArray, FloatArray, check_choice, check_level
from rocbands.core.columns import Column, Labels, Numbers
from rocbands.core.data import read_pair
from rocbands.core.method import DESIGNED, Handling, refuse_with_design
from rocbands.core.pair import Pair
from rocbands.core.sample import Sample
from rocbands.core.tolerance import SAME
from rocbands.design.effective_number import sum_pool
from rocbands.design.row_design import RowDesign
from rocbands.design.stretch import Stretch
from rocbands.errors import arg
from rocbands.rates.method import Sampling, check_rates
from rocbands.rates.result import RateDifference
from rocbands.rates.score import TINY, WINDOW
from rocbands.rates.table import RateTable

HANDLING = Handling(
    "rate_difference",
    "rates",
    "difference of recalls at the same rate, from the influence of each row",
    ("paired", *DESIGNED, "class weights", "folds", "full sampling"),
)

_MUCH = 0.5  # change of the share of positives at a threshold that gives a note
ALIKE = (
    "Both models rank all rows identically, so these rows cannot distinguish them; the "
    "interval is a point."
)


@explain_with(
    paired="Both models score the same rows: rb.rate_difference(sample) of two models.",
    y_true_2="Both models score the same rows of a sample.",
)
def rate_difference(
    y_true: Labels | Sample,
    y_score_1: Column | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    rate: Numbers,
    level: float = 0.95,
    sampling: Sampling = "full",
) -> RateDifference:
    """Compare the recalls of two models that act on the same share of cases.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), optional
        With labels, the two models' scores. Differences are model 1 minus model 2.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    rate : float or array-like
        Shares of cases acted on, those with the highest scores; of tied cases only a fraction.
    level : float, default 0.95
        Confidence level at each rate.
    sampling : {'full', 'stratified'}, default 'full'
        'full': how many rows are positive is random, as in a sample of a population.
        'stratified': the class sizes are fixed, and the share of positives is known.

    Returns
    -------
    RateDifference
        ``.rate .difference .lower .upper .tpr_1 .tpr_2 .pvalue``, in order of the rates.

    See Also
    --------
    compare_tpr : at the same false positive rate.
    compare : the difference of areas.

    Notes
    -----
    To first order a positive adds ``(1 - l) (called - tpr)`` to the positives found, a negative
    ``-l (called - fpr)``, where `l` is the share of positives among rows close to the threshold.
    With a random share of positives a positive also adds ``l (rate - tpr)``, a negative
    ``l (rate - fpr)``. Rows that both models treat alike cancel. Half a row of each class on either
    side is added to the variance, which bounds the width of the limits from below: models that
    agree on a few rows need not agree on all. Measured coverage: docs/rates.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> gap = rb.rate_difference(rb.load_example(), rate=[0.1, 0.3])
    >>> print(gap.difference.round(3), gap.lower.round(3), gap.upper.round(3))
    [0.061 0.103] [0.028 0.052] [0.095 0.153]
    """
    level = check_level(level)
    check_choice(sampling, get_args(Sampling), "sampling")
    wanted = check_rates(rate, "rate")
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    HANDLING.check(pair.asked)
    refuse_with_design(arg("folds"), () if pair.drawn.folds is None else pair.design)
    parts = _Parts.of(pair)
    queues = [_Queue.of(rows.values, parts) for rows in (pair.one, pair.two)]
    alike = all(np.array_equal(*(getattr(q, side) for q in queues)) for side in ("ahead", "level"))
    found = [_gap(parts, queues, float(r), sampling) for r in wanted]
    one, two, error, floor, rows, change = (np.array(part) for part in zip(*found, strict=True))
    gap = np.where(np.abs(one - two) <= SAME, 0.0, one - two)  # without rounding errors
    lower, upper, pvalue = _find_limits(gap, error, floor, level, parts.stretch)
    if alike:
        lower, upper, error, pvalue = np.zeros((4, wanted.size))
        pvalue += 1.0
    fewest = parts.find_fewest((1.0 - level) / 2.0) if sampling == "full" else 1.0
    room, most = (np.array([parts.room(float(r), k) for r in wanted]) for k in (1.0, fewest))
    difference = np.clip(gap, -room, room)
    whose = "" if parts.size.size == 1 else "fold models' "
    return RateDifference(
        rate=wanted,
        tpr_1=one,
        tpr_2=two,
        difference=difference,
        lower=np.minimum(np.maximum(lower, -most), difference),
        upper=np.maximum(np.minimum(upper, most), difference),
        standard_error=error,
        pvalue=pvalue,
        level=level,
        method="influence",
        target=f"difference of the {whose}true recalls at the same rate",
        sampling=sampling,
        n_folds=parts.size.size,
        n_pos=pair.one.n_pos,
        n_neg=pair.one.n_neg,
        names=pair.names,
        notes=(
            *pair.value_notes,
            *parts.notes,
            *_changed(wanted, change),
            *((ALIKE,) if alike else _unseen(wanted, error**2 - floor**2, room)),
            *parts.describe(float(np.median(rows))),
        ),
        frame=pair.frame,
    )


@dataclass(frozen=True, eq=False)
class _Parts:
    """Classes of the rows, and the folds they are in; a single test set is one fold.

    Weights add up to the number of rows of equal weight with the same variance.
    """

    positive: BoolArray
    fold: CountArray
    size: FloatArray
    n_pos_of: FloatArray
    weight: FloatArray | None  # (n,) of each row, if they differ
    design: RowDesign | None  # of rows that depend on each other, or count unequally

    @classmethod
    def of(cls, pair: Pair) -> _Parts:
        rows, weight = pair.one.is_positive, pair.drawn.weights
        if weight is not None:
            weight = weight * (weight.sum() / (weight @ weight))
        fold = np.zeros(rows.size, dtype=np.int64) if pair.drawn.folds is None else pair.drawn.folds
        size, positives = (
            np.bincount(fold, mass, int(fold.max()) + 1).astype(np.float64)
            for mass in (weight, rows if weight is None else weight * rows)
        )
        design = RowDesign.of_pair(pair) if {*DESIGNED, "class weights"} & {*pair.design} else None
        return cls(rows, fold, size, positives, weight, design)

    @property
    def stretch(self) -> Stretch:
        """Stretch of the normal quantile."""
        design = self.design
        return Stretch(1.0, 1.0) if design is None else design.stretch_share(design.all)

    def describe(self, rows: float) -> tuple[str, ...]:
        """Say what the design costs; `rows`: their effective number."""
        every = {"rows": (self.positive.size, rows)}
        return () if self.design is None else self.design.describe(every)

    @property
    def notes(self) -> tuple[str, ...]:
        """Note what the difference refers to if the folds' shares of positives differ."""
        n_pos = np.rint(self.n_pos_of).astype(np.int64)
        if not RateTable((), n_pos, np.rint(self.size).astype(np.int64) - n_pos).apart:
            return ()
        share = self.n_pos_of / self.size
        return (
            f"Shares of positives in the folds differ, from {share.min():.3g} to "
            f"{share.max():.3g}: the difference is for acting on the same share of each of them.",
        )

    def find_fewest(self, tail: float) -> float:
        """Lowest share of positives by Wilson's interval, relative to the share of these rows."""
        n, design = float(self.size.sum()), self.design
        share = float(self.n_pos_of.sum()) / n
        if design is not None:
            weight = np.ones(self.positive.size) if self.weight is None else self.weight
            z = design.add_up(weight, self.positive - share)
            variance = float(design.multiply(z, z)) * design.units[2].correction / n**2
            n = share * (1.0 - share) / max(variance, TINY)
        level = 1.0 - 2.0 * float(ndtr(-self.stretch.quantile(tail)))
        return float(wilson_limits(share, n, level)[0]) / share

    def room(self, rate: float, fewest: float) -> float:
        """Return the largest possible difference of two recalls, with so many of the positives."""
        acted, n_pos = rate * self.size, fewest * self.n_pos_of
        least = np.maximum(0.0, acted - (self.size - n_pos))
        found = float((np.minimum(acted, n_pos) - least).sum() / n_pos.sum())
        return found if found > SAME else 0.0


@dataclass(frozen=True, eq=False)
class _Queue:
    """One model's rows in the order in which they are acted on."""

    ahead: FloatArray  # (n,) weight of the rows of the same fold with a higher score
    level: FloatArray  # (n,) of the rows of the same fold with the same score, itself included
    # Of each fold, the weights of all rows and of positives down to each score.
    marks: tuple[tuple[FloatArray, FloatArray], ...] = ()

    @classmethod
    def of(cls, values: npt.NDArray[Any], parts: _Parts) -> _Queue:
        one_fold, weight = parts.size.size == 1, parts.weight
        # Tied rows in the same order, so that models that rank rows alike have equal sums.
        kind: Any = None if weight is None else "stable"
        order = np.argsort(values, kind=kind) if one_fold else np.lexsort((values, parts.fold))
        ordered, fold = values[order], parts.fold[order]
        new = np.concatenate(([True], (ordered[1:] != ordered[:-1]) | (fold[1:] != fold[:-1])))
        group = np.cumsum(new) - 1
        mass = None if weight is None else weight[order]
        own = parts.positive[order]
        sums = [np.bincount(group, side) for side in (mass, own if mass is None else own * mass)]
        level, ahead = np.empty((2, values.size))
        level[order] = sums[0][group]
        ahead[order] = np.cumsum(parts.size)[fold] - np.cumsum(sums[0])[group]
        firsts = np.flatnonzero(np.diff(fold[new])) + 1
        down = ([np.cumsum(part[::-1]) for part in np.split(side, firsts)] for side in sums)
        marks = ((np.append(0.0, one), np.append(0.0, two)) for one, two in zip(*down, strict=True))
        return cls(ahead, level, tuple(marks))

    def count(self, count: FloatArray) -> float:
        """Weight of the positives that are acted on, if `count` rows of each fold are."""
        found = (np.interp(c, *mark) for c, mark in zip(count, self.marks, strict=True))
        return float(sum(found))

    def called(self, count: FloatArray) -> FloatArray:
        """Fraction of each row that is acted on, if `count` rows of its fold are.

        Examples
        --------
        >>> _Queue(np.array([0.0, 1.0, 1.0, 3.0]), np.array([1.0, 2.0, 2.0, 1.0])).called(2.5)
        array([1.  , 0.75, 0.75, 0.  ])
        """
        return np.clip((count - self.ahead) / self.level, 0.0, 1.0)


class _Influence(NamedTuple):
    """Recall of a model, precision near the threshold, and the influence of each row."""

    tpr: float
    precision: float
    rows: FloatArray
    called: FloatArray
    change: float  # of the precision at the threshold, from above to below


def _gap(
    parts: _Parts, queues: list[_Queue], rate: float, sampling: Sampling
) -> tuple[float, float, float, float, float, float]:
    """Both recalls, error of their difference, its least value, rows, change at the threshold."""
    one, two = (_influence(parts, queue, rate, sampling) for queue in queues)
    design, gap, unit = parts.design, one.rows - two.rows, 1.0
    gap[np.abs(gap) <= SAME] = 0.0  # rounding errors
    seen = float(gap @ gap)
    rows = gap.size
    if design is not None:
        weight = np.ones(gap.size) if parts.weight is None else parts.weight
        z, units = design.add_up(weight, gap), design.units[2]
        single = weight * gap
        least = float(single @ single) / 2.0 if design.clustered else 0.0
        seen = max(float(design.multiply(z, z)), least) * units.correction
        rows = float(single @ gap) * units.rows / seen if seen > 0.0 else rows
        acted = sum_pool(design, weight * ((one.called > SAME) | (two.called > SAME)))
        if acted.share > 0.0:  # a mean row of all weighs 1
            unit = max(acted.squares / acted.share, 1.0) * acted.units / acted.squares
    # Half a row of each class that only model 1 acts on, and half a row that only model 2 does.
    sides = [side for part in (one, two) for side in (part.precision, 1.0 - part.precision)]
    unseen = sum(side**2 for side in sides) / 2.0 * unit**2
    n_pos = float(parts.n_pos_of.sum())
    error, floor = (math.sqrt(part) / n_pos for part in (seen + unseen, unseen))
    change = max(one.change, two.change)
    return one.tpr, two.tpr, error, floor, rows, change


def _influence(parts: _Parts, queue: _Queue, rate: float, sampling: Sampling) -> _Influence:
    acted = rate * parts.size
    reach = np.maximum(WINDOW * np.sqrt(acted * (1.0 - rate)), 1.0)
    ends = np.maximum(acted - reach, 0.0), np.minimum(acted + reach, parts.size)
    called = queue.called(acted[parts.fold])
    found, *near = (queue.count(end) for end in (acted, *ends))
    precision = min(max((near[1] - near[0]) / float((ends[1] - ends[0]).sum()), 0.0), 1.0)
    sides = (found - near[0], acted - ends[0]), (near[1] - found, ends[1] - acted)
    above, below = (part / max(float(rows.sum()), 1.0) for part, rows in sides)
    n_pos = float(parts.n_pos_of.sum())
    tpr = found / n_pos
    fpr = (float(acted.sum()) - found) / (float(parts.size.sum()) - n_pos)
    # With a random share of positives another one also raises the number of positives to find.
    usual = rate if sampling == "full" else np.where(parts.positive, tpr, fpr)
    rows = parts.positive * (called - tpr) - precision * (called - usual)
    return _Influence(tpr, precision, rows, called, abs(above - below))


def _find_limits(
    difference: FloatArray, error: FloatArray, floor: FloatArray, level: float, stretch: Stretch
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Limits and p-values: normal, with a least width for unobserved differences."""
    quantile = stretch.quantile((1.0 - level) / 2.0)
    half = np.maximum(quantile * error, -math.log1p(-level) * floor)
    far = np.abs(difference)
    tails = ndtr(-far / error)
    if stretch.df != stretch.df_rows:
        tails = np.array([stretch.find_tail(x) for x in (far / error).tolist()])
    pvalue = np.maximum(2.0 * tails, np.exp(-far / floor))
    return difference - half, difference + half, pvalue


def _changed(rate: FloatArray, change: FloatArray) -> tuple[str, ...]:
    """Name the rates at which the share of positives changes at a threshold."""
    if not (change > _MUCH).any():
        return ()
    return (
        f"At a rate of {_list_rates(rate[change > _MUCH])} the share of positives changes abruptly "
        "at a threshold: limits held 0.89 at 0.95 there.",
    )


def _list_rates(rates: FloatArray) -> str:
    return ", ".join(f"{100 * r:.3g}%" for r in rates[:5]) + (", ..." if rates.size > 5 else "")


def _unseen(rate: FloatArray, seen: FloatArray, room: FloatArray) -> tuple[str, ...]:
    """Name the rates at which the models select the same rows."""
    same = rate[(seen <= 1e-12 * room**2) & (room > 0)]
    if not same.size:
        return ()
    at = f"At a rate of {_list_rates(same)} the models do not differ on these rows"
    return (f"{at}; the limits allow for differences on other rows.",)

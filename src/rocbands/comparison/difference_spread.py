"""How the difference of two empirical curves varies: its covariance, and limits for it.

The sums of influences that :mod:`rocbands.comparison.difference_band` describes, for models of the
same rows and for two test sets, and the variance that a hypothetical difference asks for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands._math.discordance import estimate_discordance
from rocbands._math.products import gram, times
from rocbands.comparison.grid_curve import CurveAtGrid
from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    IndexArray,
)
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value

ROWS = 4096  # whose influence is in memory at once
TOGETHER = 1 << 17  # rows that are counted together: more of them than there are pairs of cells
CURVES = 1000  # that one thread draws at once
MOST_STEPS = 60  # of the search for a limit; about ten are needed
EXACT = 1e-12  # error of a limit

# Shares found on 9 populations and 5 pairs of class sizes, and checked on others.
FLOOR = 0.5  # of the variance of one case of each class, added to every variance
TILT_POS = 0.6  # of what the variance of positives grows by with the hypothetical difference
TILT_NEG = 1.0 / 3.0  # the same for negatives
SEVERAL_NEG = 1.0 / 6.0  # the same for negatives where several differences hold simultaneously


class DifferenceSpread(ABC):
    """How the empirical difference varies around the true one."""

    difference: FloatArray  # (k,) of the empirical curves along the grid
    covariance: FloatArray  # (k, k) of the differences at the grid, as far as the rows say
    variance: FloatArray  # (k,) its diagonal with a floor, nowhere 0

    @abstractmethod
    def compute_variance(self, deviation: FloatArray) -> FloatArray:
        """Variance if the true difference is `deviation` more than the observed one.

        `deviation` (..., k): positive or negative.
        """

    def find_critical_value(
        self, level: float, n_resamples: int, rng: np.random.Generator
    ) -> CriticalValue:
        """Quantile of the largest deviation of a drawn difference, in standard errors.

        At least the normal quantile of a single point: where the models agree on all rows nothing
        is drawn but 0, and the band must not shrink to a line.
        """
        error = np.sqrt(self.variance)
        drawn = find_gaussian_critical_value(
            self.covariance / np.outer(error, error), level, n_resamples, rng, chunk=CURVES
        )
        return drawn.at_least(float(ndtri((1.0 + level) / 2.0)))

    def find_edge_error(self, critical_value: CriticalValue) -> float:
        """Return how far the Monte Carlo error of the critical value moves the limits at most."""
        ends = (self.find_limits(sum(critical_value)), self.find_limits(critical_value.value))
        return float(max(np.abs(far - own).max() for far, own in zip(*ends, strict=True)))

    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit: where the deviation is `critical_value` standard errors.

        The root h of g(h) = h - c sqrt(V(h)), all points and both sides at once. g(0) is negative;
        if g is negative up to the end, the limit is the end, -1 or 1. Regula falsi with the
        correction of the Illinois method (Dowell and Jarratt 1971, BIT 11, 168-174).
        """
        side = np.array([[-1.0], [1.0]])

        def lack(h: FloatArray) -> FloatArray:
            return np.asarray(h - critical_value * np.sqrt(self.compute_variance(side * h)))

        low, high = np.zeros((2, self.difference.size)), 1.0 - side * self.difference
        at_low, at_high = lack(low), lack(high)
        ended = at_high <= 0.0
        at_high = np.where(ended, 1.0, at_high)
        h, rose = high, np.zeros(high.shape)
        for _ in range(MOST_STEPS):
            gap = at_low - at_high  # 0 where the critical value is 0, at levels near 0
            share = np.divide(at_low, gap, out=np.ones(gap.shape), where=gap != 0.0)
            h = np.where(ended, high, low + (high - low) * share)
            at_h = lack(h)
            if (ended | (np.abs(at_h) < EXACT)).all():
                break
            short = at_h < 0.0
            # An end that stays where it is for the second time counts half.
            at_low, at_high = (
                np.where(short, at_h, np.where(rose < 0.0, at_low / 2.0, at_low)),
                np.where(short, np.where(rose > 0.0, at_high / 2.0, at_high), at_h),
            )
            low, high = np.where(short, h, low), np.where(short, high, h)
            rose = np.where(short, 1.0, -1.0)
        lower, upper = np.clip(self.difference + side * h, -1.0, 1.0)
        return lower, upper


@dataclass(frozen=True, eq=False)
class PairedSpread(DifferenceSpread):
    """Both models scored the same rows."""

    difference: FloatArray
    covariance: FloatArray
    variance: FloatArray
    # pos, neg: (k,) the parts of the variance that positives and negatives have, each with its
    # floor.
    pos: FloatArray
    neg: FloatArray
    # only_1, only_2: (k,) number of positives that only model 1, only model 2 finds; of tied
    # scores, what has the same variance.
    only_1: FloatArray
    only_2: FloatArray
    n_pos: int  # number of independent positives
    jump: FloatArray  # (k,) how much one negative moves the difference

    @classmethod
    def estimate(
        cls, pair: Pair, first: RocCurve, second: RocCurve, fpr: FloatArray
    ) -> PairedSpread:
        """Evaluate both curves along the grid `fpr` and add up the influence of all rows."""
        one, two = CurveAtGrid.from_curve(first, fpr), CurveAtGrid.from_curve(second, fpr)
        return cls.add_up(pair, one, two)

    @classmethod
    def add_up(cls, pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSpread:
        """Add up the influence of all rows, or of all groups."""
        sums = _add_rows(pair, one, two) if pair.groups is None else _add_groups(pair, one, two)
        difference = one.tpr - two.tpr
        squares = (one.slope**2 + two.slope**2) / 2.0
        # Half a case of each class on either side.
        floor_pos, floor_neg = 1.0 / sums.n_pos**2, squares / sums.n_neg**2
        # P(exactly one model finds a positive), from the variance of u: E u^2 = psi - D^2.
        psi = np.minimum((sums.n_pos - 1) * sums.pos + difference**2, 1.0)
        return cls(
            difference=difference,
            covariance=sums.covariance,
            variance=np.diag(sums.covariance) + FLOOR * (floor_pos + floor_neg),
            pos=sums.pos + FLOOR * floor_pos,
            neg=sums.neg + FLOOR * floor_neg,
            only_1=np.maximum(sums.n_pos * (psi + difference) / 2.0, 0.0),
            only_2=np.maximum(sums.n_pos * (psi - difference) / 2.0, 0.0),
            n_pos=sums.n_pos,
            jump=np.sqrt(squares) / sums.n_neg,
        )

    def compute_variance(self, deviation: FloatArray) -> FloatArray:
        # The classes share the deviation in proportion to their variances. A hypothetical
        # difference larger than the observed one asks for more discordant positives than were
        # seen (Tango's estimate) ...
        share = self.pos / (self.pos + self.neg)
        moved = np.clip(self.difference + deviation * share, -1.0, 1.0)
        psi = estimate_discordance(moved, self.only_1, self.only_2, self.n_pos)
        seen = (self.only_1 + self.only_2) / self.n_pos - self.difference**2
        grown_pos = (np.maximum(psi - moved**2, 0.0) - seen) / self.n_pos
        # ... and for more negatives that move one threshold only: the same in the limit of few.
        moved_by_neg = deviation * (1.0 - share) * self.jump
        grown_neg = np.sqrt(self.neg**2 / 4.0 + moved_by_neg**2) - self.neg / 2.0
        return np.asarray(
            self.variance + np.maximum(TILT_POS * grown_pos + TILT_NEG * grown_neg, 0.0)
        )


@dataclass(frozen=True, eq=False)
class UnpairedSpread(DifferenceSpread):
    """Two test sets with no rows in common."""

    difference: FloatArray
    covariance: FloatArray
    variance: FloatArray
    tpr: FloatArray  # (2, k) heights of the curves
    # (2, k) the part of the variance that each set's positives have, with its floor.
    pos: FloatArray
    n_pos: CountArray  # (2, 1) number of positives of each set
    per_neg: FloatArray  # (2, k) x (1 - x) times the number of negatives of each set
    # (2, k) share of the variance that each curve would have if both had the same height
    share: FloatArray
    # One of several differences that hold simultaneously: critical values are larger then, and
    # limits lie where the variance of the hypothesis matters in full.
    several: bool = False

    @classmethod
    def estimate(
        cls, first: RocCurve, second: RocCurve, fpr: FloatArray, *, several: bool = False
    ) -> UnpairedSpread:
        """Add up the covariances of both curves, which need no rows: counts are enough."""
        one, two = CurveAtGrid.from_curve(first, fpr), CurveAtGrid.from_curve(second, fpr)
        return cls.add_up(one, two, several=several)

    @classmethod
    def add_up(cls, one: CurveAtGrid, two: CurveAtGrid, *, several: bool = False) -> UnpairedSpread:
        """Add up the covariances of two curves at the same grid."""
        covariance = np.zeros((one.fpr.size, one.fpr.size))
        variance, pos = np.zeros(one.fpr.size), []
        for curve in (one, two):
            parts = curve.estimate_covariance()
            covariance += parts[0] + parts[1]
            pos.append(np.maximum(np.diag(parts[0]), 0.0) + FLOOR / (2.0 * curve.roc.n_pos**2))
            floor_neg = curve.slope**2 / (2.0 * curve.roc.n_neg**2)
            variance += pos[-1] + np.maximum(np.diag(parts[1]), 0.0) + FLOOR * floor_neg
        n_pos = np.array([[one.roc.n_pos], [two.roc.n_pos]])
        per_neg = one.fpr * (1.0 - one.fpr) * [[one.roc.n_neg], [two.roc.n_neg]]
        per_neg = np.maximum(per_neg, np.finfo(np.float64).tiny)
        height = (one.tpr + two.tpr) / 2.0
        part = 1.0 / n_pos + height * (1.0 - height) / per_neg
        return cls(
            difference=one.tpr - two.tpr,
            covariance=covariance,
            variance=variance,
            tpr=np.stack([one.tpr, two.tpr]),
            pos=np.stack(pos),
            n_pos=n_pos,
            per_neg=per_neg,
            share=part / part.sum(axis=0),
            several=several,
        )

    def compute_variance(self, deviation: FloatArray) -> FloatArray:
        # Each rate moves by its share of the deviation, the second one the other way.
        way = np.array([[1.0], [-1.0]])
        share = self.share if self.several else self.pos / self.variance
        rate = np.clip(self.tpr + way * deviation[..., None, :] * share, 0.0, 1.0)
        grown = (rate * (1.0 - rate) - self.tpr * (1.0 - self.tpr)) / self.n_pos
        if not self.several:
            return np.asarray(self.variance + TILT_POS * np.maximum(grown.sum(axis=-2), 0.0))
        # A curve near 0 or 1 is flat, and its negatives seem not to matter. At the height of the
        # hypothesis it would be steeper: by rate (1 - rate) / (x (1 - x)), if odds are
        # proportional.
        steeper = (rate * (1.0 - rate)) ** 2 - (self.tpr * (1.0 - self.tpr)) ** 2
        grown = grown + SEVERAL_NEG * steeper / self.per_neg
        return np.asarray(self.variance + np.maximum(grown.sum(axis=-2), 0.0))


# ------------------------------------------------------------------------ sums over the same rows


class PairedSums(NamedTuple):
    """What the rows of a pair add up to."""

    covariance: FloatArray  # (k, k) of the difference at the grid
    # pos, neg: (k,) variances of the positives' part and of the negatives' part of it.
    pos: FloatArray
    neg: FloatArray
    # n_pos, n_neg: number of independent positives and negatives: of groups that contain them, if
    # there are groups.
    n_pos: int
    n_neg: int


def _add_rows(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSums:
    """Add up independent rows, of which only the number in each pair of cells matters."""
    is_positive, m, n = pair.one.is_positive, pair.one.n_pos, pair.one.n_neg
    calls_1, calls_2 = one.call_cells(), two.call_cells()
    shape = (2, calls_1.shape[0], calls_2.shape[0])

    def count(part: slice) -> CountArray:
        # One number for the class and both cells.
        code = is_positive[part] * shape[1]
        code += one.find_cells(pair.one.values[part])
        code *= shape[2]
        code += two.find_cells(pair.two.values[part])
        return np.bincount(code, minlength=math.prod(shape))

    parts = (slice(start, start + TOGETHER) for start in range(0, is_positive.size, TOGETHER))
    counts = reduce(np.add, map(count, parts)).reshape(shape)
    # Sums over rows of (call of model 1 at point i) (call of model 2 at point j).
    neg, pos = (times(times(side.T.astype(np.float64), calls_1).T, calls_2) for side in counts)
    difference, x = one.tpr - two.tpr, np.outer(one.fpr, one.fpr)
    # sum u u' with u = C_1 - C_2 - D; the mean of C_1 - C_2 is D.
    products = one.sum_call_products(one.roc.tp) + two.sum_call_products(two.roc.tp)
    covariance_pos = products - (pos + pos.T) - m * np.outer(difference, difference)
    covariance_pos /= m * max(m - 1, 1)
    # sum v v' with v = r_1 (C_1 - x) - r_2 (C_2 - x); the means of C_1 and C_2 are x.
    own = [
        np.outer(curve.slope, curve.slope) * (curve.sum_call_products(curve.roc.fp) - n * x)
        for curve in (one, two)
    ]
    both = np.outer(one.slope, two.slope) * (neg - n * x)
    covariance_neg = (own[0] + own[1] - (both + both.T)) / (n * max(n - 1, 1))
    pos_part, neg_part = (
        np.maximum(np.diag(part), 0.0) for part in (covariance_pos, covariance_neg)
    )
    return PairedSums(covariance_pos + covariance_neg, pos_part, neg_part, m, n)


def _add_groups(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSums:
    """Add up groups: influences within a group are added before they are squared."""
    assert pair.groups is not None
    pos = pair.one.is_positive
    n_groups = [np.unique(pair.groups[rows]).size for rows in (~pos, pos)]
    size = one.fpr.size
    covariance, variances = np.zeros((size, size)), np.zeros((2, size))
    for part in _compute_group_influence(pair, one, two, n_groups):
        covariance += gram(part.sum(axis=0))
        variances += (part**2).sum(axis=1)
    return PairedSums(covariance, variances[1], variances[0], n_groups[1], n_groups[0])


def _compute_group_influence(
    pair: Pair, one: CurveAtGrid, two: CurveAtGrid, n_groups: list[int]
) -> Iterator[FloatArray]:
    """Influence of groups on the difference, some thousand rows at a time.

    Yields arrays of shape (2, number of groups, k): by the groups' negatives, by their positives.
    """
    assert pair.groups is not None
    groups, is_positive = pair.groups, pair.one.is_positive
    # The variance of a sum over G groups has the factor G / (G - 1), for each class that of the
    # groups that contain it (Obuchowski 1997, Biometrics 53, 567-578).
    unit_neg, unit_pos = (
        math.sqrt(g / max(g - 1, 1)) / rows
        for g, rows in zip(n_groups, (pair.one.n_neg, pair.one.n_pos), strict=True)
    )
    calls_1, calls_2 = one.call_cells(), two.call_cells()
    cells_1, cells_2 = one.find_cells(pair.one.values), two.find_cells(pair.two.values)
    order: IndexArray = np.argsort(groups, kind="stable")
    # Parts end where groups end.
    firsts = np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))
    starts = np.arange(0, order.size, ROWS)
    starts = firsts[np.unique(np.searchsorted(firsts, starts, side="right") - 1)]
    for start, stop in zip(starts, [*starts[1:], order.size], strict=True):
        rows = order[start:stop]
        called_1, called_2 = calls_1[cells_1[rows]], calls_2[cells_2[rows]]
        u = called_1 - called_2 - (one.tpr - two.tpr)
        v = one.slope * (called_1 - one.fpr) - two.slope * (called_2 - one.fpr)
        pos: BoolArray = is_positive[rows, None]
        both = np.stack([np.where(pos, 0.0, -unit_neg * v), np.where(pos, unit_pos * u, 0.0)])
        yield np.add.reduceat(both, np.flatnonzero(np.diff(groups[rows], prepend=-1)), axis=1)

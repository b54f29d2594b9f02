"""Covariance of the difference of two empirical curves, and limits for it.

Let D(x) = TPR_1(x) - TPR_2(x) at FPR x. Model k has the threshold t_k there, and its curve the
slope r_k. To first order (Hsieh and Turnbull 1996, Annals of Statistics 24, 25-40, for one curve)
the error of the empirical difference is a sum over m positives i and n negatives j,

    D^(x) - D(x) = 1/m sum_i u_i(x) - 1/n sum_j v_j(x),
    u_i = C_1i - C_2i - D,    v_j = r_1 (C_1j - x) - r_2 (C_2j - x),                        (1)

with the call C_k = 1[s_k > t_k]: a positive contributes if exactly one model finds it, a negative
if it moves one threshold more than the other. The covariance is

    sum u u' / (m (m - 1)) + sum v v' / (n (n - 1)).                                        (2)

The largest deviation of a drawn difference, in standard errors, gives the critical value c.

On the same rows the variance V(h) of a limit is, as in Wilson's and Tango's score intervals, that
of the hypothesis that the true difference is h away from the observed one: a limit is D^ -+ h with
h = c sqrt(V(h)). On two test sets each curve has limits of its own at c standard errors, and their
distances from the two heights are joined as standard errors are. docs/compare.md, "Difference of
two curves", has both.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands._math.discordance import estimate_discordance
from rocbands._math.products import gram, times
from rocbands.comparison.grid_curve import CurveAtGrid
from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value

ROWS = 4096  # rows whose influence is in memory at once
TOGETHER = 1 << 17  # rows counted at once: more than the number of pairs of cells
CURVES = 1000  # curves drawn by one thread at once
MOST_STEPS = 60  # most steps of the search for a limit; about ten are needed
EXACT = 1e-12  # tolerance of a limit
FARTHEST = 32.0  # standard errors: a p-value of 1e-224

# Fractions chosen on 9 populations and 5 pairs of class sizes, and checked on others.
FLOOR = 0.5  # of the variance of one case of each class, added to every variance
TILT_POS = 0.6  # of the growth of the positives' variance with the hypothetical difference
TILT_NEG = 1.0 / 3.0  # the same for negatives


@dataclass(frozen=True, eq=False, kw_only=True)
class DifferenceSpread(ABC):
    """Sampling variation of the empirical difference around the true one."""

    difference: FloatArray  # (k,) of the empirical curves along the grid
    covariance: FloatArray  # (k, k) formula (2)
    variance: FloatArray  # (k,) its diagonal with a floor, nowhere 0

    @abstractmethod
    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit of the difference, `critical_value` standard errors away."""

    @abstractmethod
    def find_statistic(self, null: float) -> float:
        """Critical value at which a limit at the first point is `null`; negative above `null`.

        A test with this statistic agrees with the limits at every level.
        """

    def find_critical_value(
        self, level: float, n_resamples: int, rng: np.random.Generator
    ) -> CriticalValue:
        """Quantile of the largest deviation of a drawn difference, in standard errors.

        At least the normal quantile of a single point: if the models agree on all rows, only 0 is
        drawn, and the band must not shrink to a line.
        """
        error = np.sqrt(self.variance)
        drawn = find_gaussian_critical_value(
            self.covariance / np.outer(error, error), level, n_resamples, rng, chunk=CURVES
        )
        return drawn.at_least(float(ndtri((1.0 + level) / 2.0)))

    def find_edge_error(self, critical_value: CriticalValue) -> float:
        """Return the largest Monte Carlo error of the limits, from that of the critical value."""
        ends = (self.find_limits(sum(critical_value)), self.find_limits(critical_value.value))
        return float(max(np.abs(far - own).max() for far, own in zip(*ends, strict=True)))


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedSpread(DifferenceSpread):
    """Both models scored the same rows."""

    # (k,) parts of the variance of positives and of negatives, each with its floor
    pos: FloatArray
    neg: FloatArray
    # (k,) number of positives that only model 1, only model 2 finds; with ties, the numbers that
    # give the same variance
    only_1: FloatArray
    only_2: FloatArray
    n_pos: int  # number of independent positives
    jump: FloatArray  # (k,) change of the difference by one negative

    @classmethod
    def add_up(cls, pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSpread:
        """Add up the influence of all rows, or of all groups."""
        sums = _add_rows(pair, one, two) if pair.groups is None else _add_groups(pair, one, two)
        difference = one.tpr - two.tpr
        squares = (one.slope**2 + two.slope**2) / 2.0
        # The variance of one case of each class, half of which is added.
        floor_pos, floor_neg = 1.0 / sums.n_pos**2, squares / sums.n_neg**2
        # Discordance psi = P(exactly one model finds a positive): Var u = psi - D^2.
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

    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit: where the deviation is `critical_value` standard errors."""
        return search_limits(self.difference, self.compute_variance, critical_value)

    def find_statistic(self, null: float) -> float:
        # The score statistic: the standard error is that under the null hypothesis.
        off = self.difference - null
        return float(off[0] / math.sqrt(self.compute_variance(-off)[0]))

    def compute_variance(self, deviation: FloatArray) -> FloatArray:
        """Variance if the true difference is the observed one plus `deviation` (..., k)."""
        # The classes share the deviation in proportion to their variances. Positives: the
        # discordance under the hypothesis has Tango's (1998) estimate ...
        share = self.pos / (self.pos + self.neg)
        moved = np.clip(self.difference + deviation * share, -1.0, 1.0)
        psi = estimate_discordance(moved, self.only_1, self.only_2, self.n_pos)
        seen = (self.only_1 + self.only_2) / self.n_pos - self.difference**2
        grown_pos = (np.maximum(psi - moved**2, 0.0) - seen) / self.n_pos
        # ... and negatives that move one threshold only have its Poisson limit, the larger root s
        # of s^2 - N s - (deviation * jump)^2 = 0 for the observed variance N.
        moved_by_neg = deviation * (1.0 - share) * self.jump
        grown_neg = np.sqrt(self.neg**2 / 4.0 + moved_by_neg**2) - self.neg / 2.0
        return np.asarray(
            self.variance + np.maximum(TILT_POS * grown_pos + TILT_NEG * grown_neg, 0.0)
        )


def search_limits(
    difference: FloatArray,
    compute_variance: Callable[[FloatArray], FloatArray],
    critical_value: float,
) -> tuple[FloatArray, FloatArray]:
    """Limits whose distance is `critical_value` times the standard error at that distance.

    The root h of g(h) = h - c sqrt(V(h)), all points and both sides at once. g(0) is negative;
    without a change of sign the limit is -1 or 1. Regula falsi with the correction of the Illinois
    method (Dowell and Jarratt 1971, BIT 11, 168-174).
    """
    side = np.array([[-1.0], [1.0]])

    def g(h: FloatArray) -> FloatArray:
        return np.asarray(h - critical_value * np.sqrt(compute_variance(side * h)))

    low, high = np.zeros((2, difference.size)), 1.0 - side * difference
    at_low, at_high = g(low), g(high)
    ended = at_high <= 0.0
    at_high = np.where(ended, 1.0, at_high)
    h, moved = high, np.zeros(high.shape)
    for _ in range(MOST_STEPS):
        gap = at_low - at_high  # 0 where the critical value is 0, at levels near 0
        share = np.divide(at_low, gap, out=np.ones(gap.shape), where=gap != 0.0)
        h = np.where(ended, high, low + (high - low) * share)
        at_h = g(h)
        if (ended | (np.abs(at_h) < EXACT)).all():
            break
        rises = at_h < 0.0  # the root is above h
        # Illinois: the value at an end that stays for the second time is halved.
        at_low, at_high = (
            np.where(rises, at_h, np.where(moved < 0.0, at_low / 2.0, at_low)),
            np.where(rises, np.where(moved > 0.0, at_high / 2.0, at_high), at_h),
        )
        low, high = np.where(rises, h, low), np.where(rises, high, h)
        moved = np.where(rises, 1.0, -1.0)
    lower, upper = np.clip(difference + side * h, -1.0, 1.0)
    return lower, upper


@dataclass(frozen=True, eq=False, kw_only=True)
class UnpairedSpread(DifferenceSpread):
    """Two test sets with no rows in common."""

    curves: tuple[CurveAtGrid, CurveAtGrid]

    @classmethod
    def estimate(cls, first: RocCurve, second: RocCurve, fpr: FloatArray) -> UnpairedSpread:
        """Add up the covariances of both curves, for which counts are enough."""
        return cls.add_up(CurveAtGrid.from_curve(first, fpr), CurveAtGrid.from_curve(second, fpr))

    @classmethod
    def add_up(cls, one: CurveAtGrid, two: CurveAtGrid) -> UnpairedSpread:
        """Add up the covariances of two curves at the same grid."""
        covariance, variance = np.zeros((one.fpr.size, one.fpr.size)), np.zeros(one.fpr.size)
        for curve in (one, two):
            pos, neg = curve.estimate_covariance()
            covariance += pos + neg
            variance += np.maximum(np.diag(pos), 0.0) + np.maximum(np.diag(neg), 0.0)
            floor = 1.0 / curve.roc.n_pos**2 + (curve.slope / curve.roc.n_neg) ** 2
            variance += FLOOR * floor / 2.0
        return cls(
            difference=one.tpr - two.tpr,
            covariance=covariance,
            variance=variance,
            curves=(one, two),
        )

    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit, from those of both curves.

        Distances from the heights are combined as standard errors are: MOVER (Zou and Donner 2008,
        Statistics in Medicine 27, 1693-1702).
        """
        below, above = [], []
        for curve in self.curves:
            lower, upper = curve.limit_heights(critical_value)
            below.append(np.maximum(curve.tpr - lower, 0.0))
            above.append(np.maximum(upper - curve.tpr, 0.0))
        lower = self.difference - np.hypot(below[0], above[1])
        upper = self.difference + np.hypot(above[0], below[1])
        return np.maximum(lower, -1.0), np.minimum(upper, 1.0)

    def find_statistic(self, null: float) -> float:
        sign, side = (1.0, 0) if null <= self.difference[0] else (-1.0, 1)

        def gap(c: float) -> float:
            """Distance of `null` from the interval with the critical value c, negative inside."""
            return float(sign * (self.find_limits(c)[side][0] - null))

        low, high = 0.0, 2.0
        at_low, at_high = gap(low), gap(high)
        if at_low <= 0.0:
            return 0.0
        while at_high > 0.0 and high < FARTHEST:
            low, high, at_low = high, 2.0 * high, at_high
            at_high = gap(high)
        if at_high > 0.0:  # limits at any critical value exclude `null`
            return sign * high
        # Illinois as above. Limits jump where another threshold comes within reach: then the
        # bracket shrinks to the jump.
        moved = 0
        while high - low > EXACT * high and abs(at_high) > EXACT:
            c = low + (high - low) * max(min(at_low / (at_low - at_high), 0.99), 0.01)
            at_c = gap(c)
            if at_c > 0.0:
                low, at_low, at_high = c, at_c, at_high / 2.0 if moved > 0 else at_high
                moved = 1
            else:
                high, at_high, at_low = c, at_c, at_low / 2.0 if moved < 0 else at_low
                moved = -1
        return sign * high

    def find_edge_error(self, critical_value: CriticalValue) -> float:
        # To first order the distances of the limits are proportional to the critical value.
        value, error = critical_value
        farthest = max(np.abs(limit - self.difference).max() for limit in self.find_limits(value))
        return float(farthest * error / max(value, error)) if error else 0.0


def estimate_spread(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> DifferenceSpread:
    """Estimate the spread of a pair of models: on the same rows, or on two test sets."""
    return PairedSpread.add_up(pair, one, two) if pair.paired else UnpairedSpread.add_up(one, two)


# ------------------------------------------------------------------------ sums over the same rows


class PairedSums(NamedTuple):
    """Sums over the rows of a pair."""

    covariance: FloatArray  # (k, k) formula (2)
    # (k,) variances of the parts of positives and negatives
    pos: FloatArray
    neg: FloatArray
    # numbers of independent positives and negatives: rows, or groups that contain them
    n_pos: int
    n_neg: int


def _add_rows(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSums:
    """Add up independent rows, from the number of rows in each pair of cells."""
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
    """Yield the influence of groups, (2, groups, k): of their negatives, of their positives.

    Some thousand rows at a time.
    """
    assert pair.groups is not None
    groups, is_positive = pair.groups, pair.one.is_positive
    # The variance of a sum over the G groups that contain a class has the factor G / (G - 1)
    # (Obuchowski 1997, Biometrics 53, 567-578).
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

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
two curves", has both. Near bumps, and with few negatives, limits on the same rows are those of
:mod:`rocbands.comparison.joint_limits`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands._math.discordance import estimate_discordance
from rocbands._math.mover import find_zero, limit_difference
from rocbands.comparison.grid_curve import CurveAtGrid
from rocbands.comparison.grid_sums import GridSums, add_curve, add_pair, multiply_common
from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.method import Extra
from rocbands.core.pair import Pair
from rocbands.core.rows import check_class_clusters
from rocbands.core.table import list_notes
from rocbands.design.row_design import LEAST
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value

CURVES = 1000  # curves drawn by one thread at once
MOST_STEPS = 60  # most steps of the search for a limit; about ten are needed
EXACT = 1e-12  # tolerance of a limit
FARTHEST = 32.0  # standard errors: a p-value of 1e-224

# Designs for which there are limits.
DESIGNS: tuple[Extra, ...] = (
    "paired",
    "unpaired",
    "clusters",
    "weights",
    "class weights",
    "strata",
)
DESIGNS += ("unpaired clusters", "common clusters")

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
    def describe(self, names: tuple[str, str]) -> tuple[str, ...]:
        """Say what weights, clusters and strata cost."""

    def find_statistic(self, null: float) -> float:
        """Critical value at which a limit at the first point is `null`; negative for larger nulls.

        A test with this statistic agrees with the limits at every level.
        """
        sign, side = (1.0, 0) if null <= self.difference[0] else (-1.0, 1)

        def gap(c: float) -> float:
            """Distance of `null` from the interval with the critical value c, negative inside."""
            return float(sign * (self.find_limits(c)[side][0] - null))

        return sign * find_zero(gap, FARTHEST, EXACT) + 0.0

    def find_tail(self, statistic: float) -> float:
        """Probability beyond a statistic: at this tail a limit is the null hypothesis."""
        return float(ndtr(-statistic))

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
    jump: FloatArray  # (k,) change of the difference by one negative
    sums: GridSums

    @classmethod
    def add_up(cls, pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSpread:
        """Add up the influence of all rows, or of all clusters."""
        sums, discordance = add_pair(pair, one, two)
        sizes = sums.sizes
        difference = one.tpr - two.tpr
        squares = (one.slope**2 + two.slope**2) / 2.0
        # The variance of one case of each class, half of which is added.
        floor_pos, floor_neg = 1.0 / sizes.n_pos**2, squares / sizes.n_neg**2
        # Discordance psi = P(exactly one model finds a positive).
        psi = np.minimum(discordance, 1.0)
        return cls(
            difference=difference,
            covariance=sums.covariance,
            variance=sums.variance + FLOOR * (floor_pos + floor_neg),
            pos=sums.pos + FLOOR * floor_pos,
            neg=sums.neg + FLOOR * floor_neg,
            only_1=np.maximum(sizes.n_pos * (psi + difference) / 2.0, 0.0),
            only_2=np.maximum(sizes.n_pos * (psi - difference) / 2.0, 0.0),
            jump=np.sqrt(squares) / sizes.n_neg,
            sums=sums,
        )

    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit: where the deviation is `critical_value` standard errors."""
        stretched = self.sums.stretch.scale(critical_value)
        return search_limits(self.difference, self.compute_variance, stretched)

    def describe(self, names: tuple[str, str]) -> tuple[str, ...]:
        return self.sums.describe()

    def find_tail(self, statistic: float) -> float:
        return self.sums.stretch.find_tail(statistic)

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
        psi = estimate_discordance(moved, self.only_1, self.only_2, self.sums.sizes.n_pos)
        seen = (self.only_1 + self.only_2) / self.sums.sizes.n_pos - self.difference**2
        grown_pos = (np.maximum(psi - moved**2, 0.0) - seen) / self.sums.sizes.n_pos
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
    critical_value: float | FloatArray,
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
    sums: tuple[GridSums, GridSums]  # of both curves
    correlation: FloatArray | float = 0.0  # (k,) of both heights, through common clusters

    @classmethod
    def add_up(
        cls, one: CurveAtGrid, two: CurveAtGrid, common: tuple[IndexArray, IndexArray] | None = None
    ) -> UnpairedSpread:
        """Add up the covariances of two curves at a grid; `common`: clusters in both sets."""
        curves, sums = (one, two), (add_curve(one), add_curve(two))
        covariance = sums[0].covariance + sums[1].covariance
        variance = sums[0].variance + sums[1].variance
        correlation: FloatArray | float = 0.0
        if common is not None:
            both = multiply_common(curves, common)
            shared = np.diag(both)
            covariance = covariance - both - both.T
            scale = np.sqrt(sums[0].variance * sums[1].variance)
            # Estimated from few cases it would be too large.
            few = min(float(np.min(size)) for one_set in sums for size in one_set.sizes)
            correlation = np.divide(shared, scale, out=np.zeros(scale.size), where=scale > 0.0)
            correlation = np.clip(correlation, -1.0, 1.0) * (1.0 - 0.5 / max(few, 1.0))
            variance = np.maximum(variance - 2.0 * shared, LEAST * variance)
        for curve in curves:
            floor = 1.0 / curve.sizes.n_pos**2 + (curve.slope / curve.sizes.n_neg) ** 2
            variance = variance + FLOOR * floor / 2.0
        return cls(
            difference=one.tpr - two.tpr,
            covariance=covariance,
            variance=variance,
            curves=curves,
            sums=sums,
            correlation=correlation,
        )

    def describe(self, names: tuple[str, str]) -> tuple[str, ...]:
        found = {name: sums.describe() for name, sums in zip(names, self.sums, strict=True)}
        return tuple(list_notes(found))

    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit, from those of both curves by MOVER."""
        sides: list[Any] = []
        if np.any(self.correlation):  # which the clusters determine: Student's quantile
            stretched = (np.median(sums.stretch.scale(critical_value)) for sums in self.sums)
            critical_value = float(max(stretched))
        for curve in self.curves:
            lower, upper = curve.limit_heights(critical_value)
            sides.append((curve.tpr, np.minimum(lower, curve.tpr), np.maximum(upper, curve.tpr)))
        low, high = limit_difference(sides[0], sides[1], self.correlation)
        return np.maximum(low, -1.0), np.minimum(high, 1.0)

    def find_edge_error(self, critical_value: CriticalValue) -> float:
        # To first order the distances of the limits are proportional to the critical value.
        value, error = critical_value
        farthest = max(np.abs(limit - self.difference).max() for limit in self.find_limits(value))
        return float(farthest * error / max(value, error)) if error else 0.0


def estimate_spread(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> DifferenceSpread:
    """Estimate the spread of a pair of models: on the same rows, or on two test sets."""
    for curve in (one, two):
        if (clusters := curve.roc.clusters) is not None:
            check_class_clusters(clusters.is_positive, clusters.code)
    if pair.paired:
        return PairedSpread.add_up(pair, one, two)
    return UnpairedSpread.add_up(one, two, pair.common_clusters)

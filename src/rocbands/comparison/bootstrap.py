"""Differences of areas on resampled test sets: percentile and studentised (bootstrap-t) intervals.

Rows are drawn with replacement, of all rows or as whole clusters; on the same rows both models get
the same draws. The percentile interval is between quantiles of the resampled differences D*. The
bootstrap-t interval is D - s t, with quantiles t of (D* - D) / s*, s the DeLong standard error of
the observed set and s* that of the resample (Efron and Tibshirani 1993, sections 13.3 and 12.5).

With many rows, rows with neighbouring scores in every model are merged, and numbers of merged rows
are drawn. Draws are moved by the difference of the observed set minus that of the merged one, and
scaled by the ratio of their DeLong standard errors. If either changes much, steps are halved, and
finally rows are drawn. Many clusters are drawn as sums. With 10^6 rows this takes about a second
instead of minutes.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rocbands.comparison.areas import measure_pair
from rocbands.comparison.delong import FEW_CASES, SAME_ORDER, compare_areas
from rocbands.comparison.method import (
    ComparisonMethod,
    ComparisonRequest,
    Outcome,
    compute_area,
    divide_gap,
)
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.delong import (
    Placements,
    compute_area_variance,
    compute_cluster_sums,
    compute_resampled_variances,
)
from rocbands.core.method import Extra, Resampling
from rocbands.core.pair import Pair
from rocbands.core.randomness import Simulation
from rocbands.core.references import EFRON
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, Message, arg
from rocbands.resample.areas import MOST_OFF, MOST_OFF_BY_ROOT, ClusteredResamples
from rocbands.resample.quantiles import check_enough_draws, quantile_error
from rocbands.resample.streams import run_chunks
from rocbands.resample.weights import MergedRows, SortedRows, measure_weights

_MANY_ROWS = 20_000  # with more rows, they are merged
# Steps of each model: the fewest, which are doubled until merging changes little.
STEPS_PAIRED, STEPS_UNPAIRED, MOST_STEPS = 32, 256, 2048
MOST_MERGED = 50_000  # merged rows, if they are less than a quarter of the rows
MOST_CHANGED = 0.2  # share of the variance


@dataclass(frozen=True)
class _RowBootstrap(Resampling, ComparisonMethod):
    """Base class of both tests."""

    handles: ClassVar[tuple[Extra, ...]] = ("paired", "unpaired", "clusters", "one-sided")
    references: ClassVar[tuple[str, ...]] = (EFRON,)

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        if pair.smallest_class < 2:
            raise InputError(
                "Resampling needs at least 2 positives and 2 negatives",
                "a class has only 1",
                Message(
                    "The variance cannot be estimated from copies of one case; {} does not need "
                    "it.",
                    arg("method", "venkatraman"),
                ),
            )
        check_enough_draws(self.n_resamples, request.tail, request.level)
        pair = pair.sort_rows()
        return self.resample(pair, compute_area(pair.one) - compute_area(pair.two), request)

    @abstractmethod
    def resample(self, pair: Pair, estimate: float, request: ComparisonRequest) -> Outcome:
        """Test the hypothesis on sorted rows."""

    def describe(
        self,
        pvalue: float,
        drawn: FloatArray,
        request: ComparisonRequest,
        *,
        unit: float = 1.0,  # of the drawn quantiles
        reversed_: bool = False,  # the upper quantile gives the lower limit
    ) -> Simulation:
        """Record the Monte Carlo errors of the p-value and of the limits."""
        low, high = request.tail, 1.0 - request.tail
        ends = {"two-sided": (low, high), "greater": (low,), "less": (high,)}[request.alternative]
        errors = [float(quantile_error(drawn, 1.0 - at if reversed_ else at)) for at in ends]
        count = self.n_resamples
        pvalue_error = request.find_pvalue_error(pvalue, count)
        return request.simulated(count, max(errors) * unit, pvalue_error)


@dataclass(frozen=True)
class BootstrapTest(_RowBootstrap):
    """Test of equal areas by resampled rows, with a percentile interval."""

    name: ClassVar[str] = "bootstrap"
    guarantee: ClassVar[str] = "close to the level with many cases"
    idea: ClassVar[str] = "difference of areas on resampled rows, percentile interval"

    def resample(self, pair: Pair, estimate: float, request: ComparisonRequest) -> Outcome:
        drawn = draw_differences(pair, self.n_resamples, request.rng)
        if float(np.ptp(drawn)) <= SAME:  # for example two perfect models
            # Without variation any difference would be significant.
            return compare_areas(pair, request)._replace(interval_method="bootstrap percentile")
        alike = pair.ranked_alike  # then differences are rounding errors
        gaps = np.zeros_like(drawn) if alike else drawn
        estimate = 0.0 if alike else estimate
        error = float(gaps.std(ddof=1))
        # A draw that is the null value up to rounding is the null value.
        gaps = np.where(np.abs(gaps - request.null) <= SAME, request.null, gaps)
        low, high = _find_limits(gaps, request.tail)
        pvalue = _count_tails(gaps - request.null, estimate - request.null, request)
        return Outcome(
            *request.clip_limits(low, high, estimate),
            divide_gap(estimate - request.null, error),
            pvalue,
            error,
            interval_method="bootstrap percentile",
            notes=(SAME_ORDER,) if alike else (),
            simulation=self.describe(pvalue, drawn, request),
        )


@dataclass(frozen=True)
class BootstrapTTest(_RowBootstrap):
    """Test of equal areas by resampled rows, each resample in its own standard errors."""

    name: ClassVar[str] = "bootstrap-t"
    guarantee: ClassVar[str] = "close to the level; second-order accurate"
    idea: ClassVar[str] = "resampled differences of areas in units of their own DeLong errors"

    def resample(self, pair: Pair, estimate: float, request: ComparisonRequest) -> Outcome:
        observed = compare_areas(pair, request)._replace(interval_method="bootstrap-t")
        error = observed.standard_error
        if pair.ranked_alike or error is None:
            return observed
        drawn, variance = draw_studentised(pair, self.n_resamples, request.rng)
        gap, root = drawn - estimate, np.sqrt(np.maximum(variance, 0.0))
        flat = root <= SAME  # resamples of equal placements
        if flat.all():
            return observed
        # A resample without variance has t = 0 or an infinite t.
        infinite = np.where(np.abs(gap) <= SAME, 0.0, np.copysign(np.inf, gap))
        t = np.where(flat, infinite, gap / np.where(flat, 1.0, root))
        # The upper quantile of t gives the lower limit, and vice versa.
        statistic = (estimate - request.null) / error
        t = np.where(np.abs(t - statistic) <= SAME, statistic, t)
        below, above = _find_limits(t, request.tail)
        # estimate - t error, without rounding where t is the observed statistic.
        low, high = (request.null + (statistic - end) * error for end in (above, below))
        low, high = request.clip_limits(low, high, estimate)
        # By duality p is the share of t beyond the observed statistic.
        pvalue = _count_tails(statistic - t, statistic, request)
        simulation = self.describe(pvalue, t, request, unit=error, reversed_=True)
        return observed._replace(
            low=low,
            high=high,
            statistic=statistic,
            pvalue=pvalue,
            df=None,
            notes=tuple(note for note in observed.notes if note != FEW_CASES),
            simulation=simulation,
        )


def draw_differences(pair: Pair, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Differences of areas on resampled rows."""
    if pair.drawn.clusters is not None and pair.one.size >= _MANY_ROWS:
        clustered = sum_clusters(pair)
        if clustered is not None:
            return np.concatenate(run_chunks(clustered.draw, n_resamples, rng))
    # Resamples are numbers of copies of the rows, which are sorted once.
    merged = _merge_rows(pair)
    pair, times = merged.pair, merged.times
    models = SortedRows.from_rows(pair.one), SortedRows.from_rows(pair.two)

    def measure(*weights: FloatArray) -> FloatArray:  # one column of weights, or one of each set
        one, two = (
            model.compute_areas(w).auc
            for model, w in zip(models, (weights[0], weights[-1]), strict=True)
        )
        return merged.correct(one - two)

    return measure_weights(
        pair.test_sets, pair.drawn.clusters, n_resamples, rng, measure, times=times
    )


def draw_studentised(pair: Pair, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Differences of areas on resampled rows and their DeLong variances, shape (2, n_resamples)."""
    merged = _merge_rows(pair)
    pair, times = merged.pair, merged.times
    models = SortedRows.from_rows(pair.one), SortedRows.from_rows(pair.two)

    def measure(*weights: FloatArray) -> FloatArray:
        found = compute_differences_and_variances(pair, models, (weights[0], weights[-1]))
        return np.stack((merged.correct(found[0]), merged.ratio * found[1]))

    return measure_weights(pair.test_sets, pair.drawn.clusters, n_resamples, rng, measure, 2, times)


def compute_differences_and_variances(
    pair: Pair, models: tuple[SortedRows, SortedRows], weights: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Differences of areas and their DeLong variances.

    `models`: their rows, sorted. `weights` (n, k): how often each row was drawn; the same array
    twice for models of the same rows. Returns shape (2, k).
    """
    copies = [
        (w[s.is_positive], w[~s.is_positive])
        for w, s in zip(weights, (pair.one, pair.two), strict=True)
    ]
    one, two = (model.compute_areas(w) for model, w in zip(models, weights, strict=True))
    if pair.paired:
        # As for the observed set: the variance of differences of placements.
        gap = Placements(one.pos - two.pos, one.neg - two.neg)
        own, codes = pair.one.is_positive, pair.drawn.clusters
        clusters = None if codes is None else (codes[own], codes[~own])
        variance = compute_resampled_variances(gap, copies[0], clusters)
    else:
        variance = compute_resampled_variances(Placements(one.pos, one.neg), copies[0])
        variance += compute_resampled_variances(Placements(two.pos, two.neg), copies[1])
    return np.stack((one.auc - two.auc, variance))


class _Merged(NamedTuple):
    """Rows to draw, and what turns their differences and variances into those of all rows."""

    pair: Pair
    times: tuple[CountArray | None, ...] = (None, None)  # how many rows each stands for
    observed: tuple[float, float] = (0.0, 0.0)  # differences: of these rows, and of all
    ratio: float = 1.0  # of the variance of all rows to that of these

    def correct(self, differences: FloatArray) -> FloatArray:
        """Move and scale differences."""
        merged, all_rows = self.observed
        return np.asarray(all_rows + math.sqrt(self.ratio) * (differences - merged))


def _merge_rows(pair: Pair) -> _Merged:
    """Merge many rows; if they are in clusters, or merging changes too much, they stay."""
    size = sum(rows.size for rows in pair.test_sets)
    if pair.drawn.clusters is not None or size < _MANY_ROWS:
        return _Merged(pair)
    difference, variance = _observe(pair)
    if variance == 0.0:
        return _Merged(pair)
    most_off = min(MOST_OFF, MOST_OFF_BY_ROOT * math.sqrt(pair.smallest_class))
    kinds = [(pair.one, pair.two)] if pair.paired else [(pair.one,), (pair.two,)]
    count = STEPS_PAIRED if pair.paired else STEPS_UNPAIRED
    while count <= MOST_STEPS:
        sets = [MergedRows.merge(models, count) for models in kinds]
        if sum(each.times.size for each in sets) > min(MOST_MERGED, size // 4):
            break
        merged = Pair(sets[0].models[0], sets[-1].models[-1], paired=pair.paired)
        models = SortedRows.from_rows(merged.one), SortedRows.from_rows(merged.two)
        one, two = (each.times[:, None].astype(np.float64) for each in (sets[0], sets[-1]))
        own, spread = compute_differences_and_variances(merged, models, (one, two))[:, 0].tolist()
        off, changed = abs(difference - own), abs(spread - variance)
        if off <= most_off * math.sqrt(variance) and changed <= MOST_CHANGED * variance:
            times = tuple(each.times for each in sets)
            return _Merged(merged, times, (own, difference), variance / spread)
        count *= 2
    return _Merged(pair)


def _observe(pair: Pair) -> tuple[float, float]:
    """Difference of the areas of the observed rows, and DeLong's variance."""
    if pair.paired:
        one, two = (float(area) for area in measure_pair(pair).areas)
        return one - two, measure_pair(pair).covariance.find_last()[0]
    curves = pair.curves
    return curves[0].auc - curves[1].auc, sum(map(compute_area_variance, curves))


def sum_clusters(pair: Pair) -> ClusteredResamples | None:
    """Sum the contribution of each cluster; None if sums leave out too much."""
    one, two = pair.curves
    assert one.clusters is not None
    # Contribution of a cluster: sums of (placement - A) / class size over its rows.
    apart = np.add(*compute_cluster_sums(one)) - np.add(*compute_cluster_sums(two))
    return ClusteredResamples.of_clusters(
        apart,
        *one.clusters.count_classes(),
        one.auc - two.auc,
        # Scores x and y of a pair are in [0, 1]: (x - y)^2 <= |x - y| <= min(x + y, 2 - x - y).
        pair_variance=min(one.auc + two.auc, 2.0 - one.auc - two.auc),
        least=-1.0,
    )


def _find_limits(drawn: FloatArray, tail: float) -> tuple[float, float]:
    """Draws that are the limits of the test of :func:`_count_tails`."""
    # With k draws at or below a value its one-sided p-value is (1 + k) / (1 + n). The largest k
    # with a p-value below the tail leaves out the k smallest draws: the limit is the next one.
    k = max(math.ceil(tail * (1 + drawn.size) - SLACK) - 2, 0)
    ordered = np.partition(drawn, (k, drawn.size - 1 - k))
    return float(ordered[k]), float(ordered[drawn.size - 1 - k])


def _count_tails(gaps: FloatArray, estimate: float, request: ComparisonRequest) -> float:
    """P-value from the shares of draws on either side of 0; the observed set is one draw."""
    below = (1 + int(np.count_nonzero(gaps <= SAME))) / (1 + gaps.size)
    above = (1 + int(np.count_nonzero(gaps >= -SAME))) / (1 + gaps.size)
    # Limits contain the estimate: no limit excludes 0 on the other side of it.
    below = max(below, 0.5) if estimate <= 0.0 else below
    above = max(above, 0.5) if estimate >= 0.0 else above
    # 'greater' has the share of draws at or below 0 as its p-value.
    return request.combine_tails(below=above, above=below)

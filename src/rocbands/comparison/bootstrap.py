"""Differences of areas on resampled test sets: percentile and studentised (bootstrap-t) intervals.

Rows are drawn with replacement, of all rows or as whole groups; on the same rows both models get
the same draws. The percentile method cuts off the tails of the resampled differences. Bootstrap-t
divides each resampled deviation by the DeLong standard error of its own resample, and multiplies
the quantiles of these ratios by the observed standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.comparison.delong import SAME_ORDER, compare_areas
from rocbands.comparison.method import (
    ComparisonMethod,
    ComparisonRequest,
    Outcome,
    compute_area,
    divide_gap,
)
from rocbands.core.checks import FloatArray
from rocbands.core.delong import (
    ClassGroups,
    Placements,
    compute_placements,
    compute_resampled_variances,
)
from rocbands.core.method import Extra, Resampling
from rocbands.core.pair import Pair
from rocbands.core.randomness import Simulation
from rocbands.core.references import EFRON
from rocbands.core.rows import Rows
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, arg
from rocbands.resample.population import draw_class_sizes
from rocbands.resample.quantiles import check_enough_draws, empirical_interval, quantile_error
from rocbands.resample.streams import run_chunks
from rocbands.resample.sums import GroupedResamples, SumBlocks, add_normal
from rocbands.resample.weights import SortedRows, measure_weights

_MANY_ROWS = 20_000  # from so many on sums of placements are drawn, if they leave out little enough
_LEAST_STUDENTISED = 100  # cases of a class; the variance of fewer is not nearly a sum
MOST_LEFT_OUT = 1e-3  # share of the variance

NO_VARIATION = (
    "No resample differs from any other, so the interval is a point: what these rows do not show, "
    "resampling cannot show either."
)


@dataclass(frozen=True)
class BootstrapTest(Resampling, ComparisonMethod):
    """Test of equal areas by resampled rows, with a percentile interval.

    From 20,000 rows on resamples are drawn as sums over rows (:class:`PlacementSums`) or groups
    (:class:`~rocbands.resample.sums.GroupedResamples`), where that leaves out at most a thousandth
    of the variance; otherwise the rows or groups are drawn.
    """

    name: ClassVar[str] = "bootstrap"
    handles: ClassVar[tuple[Extra, ...]] = ("paired", "unpaired", "groups", "one-sided")
    guarantee: ClassVar[str] = "close to the level with many cases"
    idea: ClassVar[str] = "difference of areas on resampled rows, percentile interval"
    references: ClassVar[tuple[str, ...]] = (EFRON,)

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        check_class_sizes(pair, f"; {arg('method', 'venkatraman')} does not need to")
        check_enough_draws(self.n_resamples, request.tail, request.level)
        pair = pair.sort_rows()
        drawn = draw_differences(pair, self.n_resamples, request.rng)
        if float(np.ptp(drawn)) <= SAME:
            # Resamples that never differ would make any difference certain.
            return compare_areas(pair, request)._replace(interval_method="bootstrap percentile")
        estimate = compute_area(pair.one) - compute_area(pair.two)
        found = summarize_differences(drawn, estimate, request, alike=pair.ranked_alike)
        error = _find_error(drawn, request)
        return found._replace(simulation=_describe(self, found.pvalue, error, request))


def draw_differences(pair: Pair, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Differences of areas on resampled rows."""
    if pair.groups is not None and pair.one.size >= _MANY_ROWS:
        grouped = sum_groups(pair)
        if grouped is not None:
            return np.concatenate(run_chunks(grouped.draw, n_resamples, rng))
    sets = find_sums(pair)
    if sets is not None:
        signs = (1.0, -1.0)[: len(sets)]

        def draw(draws: int, stream: np.random.Generator) -> FloatArray:
            parts = [sign * s.draw(draws, stream) for sign, s in zip(signs, sets, strict=True)]
            return np.asarray(sum(parts))

        return np.concatenate(run_chunks(draw, n_resamples, rng))
    models = SortedRows.from_rows(pair.one), SortedRows.from_rows(pair.two)

    def measure(*weights: FloatArray) -> FloatArray:
        one, two = (
            model.compute_areas(w).auc
            for model, w in zip(models, (weights[0], weights[-1]), strict=True)
        )
        return one - two

    return measure_weights(pair.test_sets, pair.groups, n_resamples, rng, measure)


@dataclass(frozen=True, eq=False)
class PlacementSums:
    """Differences of areas of many rows, drawn as sums of differences of placements.

    The difference of a resample is the mean of what its positives add, plus the mean of what its
    negatives add, minus the observed difference, plus a remainder of pairs (Hoeffding 1948). Rows
    are independent draws, so the means are sums over blocks of rows that add about as much: the
    number of rows in each block is drawn exactly, and what varies inside blocks, 1 / 128^2 of the
    variance, is normal with its own variance. The remainder has mean 0, is uncorrelated with the
    rest, and is left out; its share of the variance is at most `find_left_out`.

    DeLong's variance of a resample is the mean square of what its rows add, less the resample's own
    difference, where each placement is taken in the resample. Up to terms that are products of two
    deviations it is a sum over rows as well: a row adds the square of its own deviation, and what
    it moves the placements of the other class, times their deviations and 2. These sums are drawn
    with the same numbers of rows. With q for the share above, what is left out of a variance v has
    on average at most 2 q of it, and varies by at most 2 / sqrt(m n v k) of it, k being the smaller
    one of the numbers m and n of positives and negatives.
    """

    pos: SumBlocks
    neg: SumBlocks
    sizes: tuple[int, int]  # positives and negatives
    difference: float
    pair_variance: float  # at most, of what a single pair of cases adds

    @classmethod
    def of_models(cls, *models: Rows, studentised: bool = False) -> PlacementSums:
        """Take one model's area, or the difference of two models of the same rows.

        `studentised`: with what DeLong's variance needs.
        """
        labels, m, n = models[0].is_positive, models[0].n_pos, models[0].n_neg
        places: list[tuple[FloatArray, FloatArray]]
        if studentised:
            ordered = [SortedRows.from_rows(s) for s in models]
            sums = (rows.sum_beyond(np.ones(labels.size)) for rows in ordered)
            places = [(below / n, above / m) for below, above in sums]
        else:
            places = [compute_placements(s.is_positive, s.values) for s in models]
        areas = [float(of_pos.mean()) for of_pos, _ in places]
        difference = areas[0] - sum(areas[1:])
        columns = [side[None] for side in _subtract(places)]
        if studentised:
            apart = np.empty(labels.size)
            apart[labels], apart[~labels] = (side[0] - difference for side in columns)
            moved = _subtract([rows.sum_beyond(apart) for rows in ordered])
            for k, (other, size) in enumerate(zip(moved, (n, m), strict=True)):
                each, on_other = columns[k][0], 2.0 / size * (other - other.mean())
                columns[k] = np.stack((each, (each - difference) ** 2, on_other))
        pos, neg = map(SumBlocks.cut, columns)
        return cls(pos, neg, (m, n), difference, _bound_pair_variance(areas))

    @property
    def known_variance(self) -> float:
        """Variance of the sums."""
        m, n = self.sizes
        return self.pos.total_variance / m + self.neg.total_variance / n

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Differences of one chunk."""
        m, n = self.sizes
        neg, pos = draw_class_sizes(n, m, draws, rng, stratified=False)
        parts = self.pos.draw_means(pos, rng), self.neg.draw_means(neg, rng)
        inside = np.sqrt(parts[0][1] + parts[1][1])[:, 0, 0] * rng.standard_normal(draws)
        return np.asarray(parts[0][0][:, 0] + parts[1][0][:, 0] - self.difference + inside)

    def draw_studentised(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Differences of one chunk and their DeLong variances."""
        m, n = self.sizes
        neg, pos = draw_class_sizes(n, m, draws, rng, stratified=False)
        (of_pos, by_pos, on_neg), (of_neg, by_neg, on_pos) = (
            add_normal(*blocks.draw_means(size, rng), rng).T
            for blocks, size in ((self.pos, pos), (self.neg, neg))
        )
        apart = of_pos + of_neg - 2.0 * self.difference
        variance = (by_pos + on_pos - apart**2) / (pos - 1.0)
        variance += (by_neg + on_neg - apart**2) / (neg - 1.0)
        return np.stack((self.difference + apart, variance))


def _subtract(
    places: Sequence[tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray]:
    """Positives and negatives of one model, or those of the first less those of the second."""
    (pos, neg), *others = places
    for of_pos, of_neg in others:
        pos, neg = pos - of_pos, neg - of_neg
    return pos, neg


def _bound_pair_variance(areas: Sequence[float]) -> float:
    """Largest variance of what a pair of cases adds: to one area, or to the difference of two.

    One model's score of a pair lies between 0 and 1. Two models' scores differ at most by what
    both lose, and at most by what both win.
    """
    if len(areas) == 1:
        return areas[0] * (1.0 - areas[0])
    return min(sum(areas), 2.0 - sum(areas))


def find_sums(pair: Pair, *, studentised: bool = False) -> list[PlacementSums] | None:
    """Sum each test set; None where rows are few or grouped, or sums would leave out much."""
    rows = sum(rows.size for rows in pair.test_sets)
    least = _LEAST_STUDENTISED if studentised else 1
    if pair.groups is not None or rows < _MANY_ROWS or pair.smallest_class < least:
        return None
    sets = [(pair.one, pair.two)] if pair.paired else [(pair.one,), (pair.two,)]
    sums = [PlacementSums.of_models(*models, studentised=studentised) for models in sets]
    return sums if find_left_out(sums) <= MOST_LEFT_OUT else None


def sum_groups(pair: Pair) -> GroupedResamples | None:
    """Sum what each group adds to the difference; None where sums would leave out much."""
    groups, labels = pair.groups, pair.one.is_positive
    assert groups is not None
    places = [compute_placements(s.is_positive, s.values) for s in (pair.one, pair.two)]
    areas = [place.auc for place in places]
    difference, size = areas[0] - areas[1], int(groups.max()) + 1
    codes = groups[labels], groups[~labels]
    n_pos, n_neg = (np.bincount(code, minlength=size).astype(np.int64) for code in codes)
    apart = np.zeros(size)
    for code, each in zip(codes, _subtract(places), strict=True):
        apart += np.bincount(code, (each - difference) / each.size, size)
    most = _bound_pair_variance(areas)
    return GroupedResamples.of_groups(
        apart, n_pos, n_neg, difference, pair_variance=most, least=-1.0
    )


def find_left_out(sums: list[PlacementSums]) -> float:
    """Largest share of the variance that remainders can have: those of pairs over m n."""
    known = sum(each.known_variance for each in sums)
    left = sum(each.pair_variance / (each.sizes[0] * each.sizes[1]) for each in sums)
    return left / known if known > 0.0 else np.inf


@dataclass(frozen=True)
class BootstrapTTest(Resampling, ComparisonMethod):
    """Test of equal areas by resampled rows, each resample in its own standard errors.

    From 20,000 rows on, 100 of each class, resamples are drawn as sums over rows, differences and
    their variances alike (:class:`PlacementSums`), where that leaves out at most a thousandth of
    the variance of the difference; of each resample's own variance it then leaves out at most two
    thousandths on average. Otherwise, and where rows are in groups, the rows are drawn.
    """

    name: ClassVar[str] = "bootstrap-t"
    handles: ClassVar[tuple[Extra, ...]] = ("paired", "unpaired", "groups", "one-sided")
    guarantee: ClassVar[str] = "close to the level; second-order accurate"
    idea: ClassVar[str] = "resampled differences of areas in units of their own DeLong errors"
    references: ClassVar[tuple[str, ...]] = (EFRON,)

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        check_class_sizes(pair, f"; {arg('method', 'venkatraman')} does not need to")
        check_enough_draws(self.n_resamples, request.tail, request.level)
        pair = pair.sort_rows()
        observed = compare_areas(pair, request)._replace(interval_method="bootstrap-t")
        if pair.ranked_alike:
            return observed
        error, estimate = observed.standard_error, compute_area(pair.one) - compute_area(pair.two)
        assert error is not None, "DeLong's test has one"
        drawn, variance = draw_studentised(pair, self.n_resamples, request.rng)
        gap, root = drawn - estimate, np.sqrt(np.maximum(variance, 0.0))
        flat = root <= SAME
        if flat.all():
            return observed
        # A resample whose placements do not vary is infinitely far off, unless it is not off at
        # all.
        off = np.where(np.abs(gap) <= SAME, 0.0, np.copysign(np.inf, gap))
        t = np.where(flat, off, gap / np.where(flat, 1.0, root))
        # The upper quantile of t gives the lower limit, and the other way round.
        below, above = map(float, empirical_interval(t, 1.0 - 2.0 * request.tail))
        low, high = request.clip_limits(
            estimate - above * error, estimate - below * error, estimate
        )
        statistic = (estimate - request.null) / error
        pvalue = _count_tails(statistic - t, request)
        simulation = _describe(self, pvalue, _find_error(t, request, turned=True) * error, request)
        return observed._replace(
            low=low, high=high, statistic=statistic, pvalue=pvalue, df=None, simulation=simulation
        )


def _find_error(drawn: FloatArray, request: ComparisonRequest, *, turned: bool = False) -> float:
    """Monte Carlo error of the quantiles that limits are made of; of one, if one is asked for.

    `turned`: the upper quantile gives the lower limit.
    """
    low, high = request.tail, 1.0 - request.tail
    ends = {"two-sided": (low, high), "greater": (low,), "less": (high,)}[request.alternative]
    return max(float(quantile_error(drawn, 1.0 - at if turned else at)) for at in ends)


def _describe(
    method: Resampling, pvalue: float, error: float, request: ComparisonRequest
) -> Simulation:
    count = method.n_resamples
    return request.simulated(count, error, request.find_pvalue_error(pvalue, count))


def draw_studentised(pair: Pair, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Differences of areas on resampled rows and their DeLong variances, shape (2, n_resamples)."""
    sets = find_sums(pair, studentised=True)
    if sets is not None:

        def draw(draws: int, stream: np.random.Generator) -> FloatArray:
            one, *two = (each.draw_studentised(draws, stream) for each in sets)
            return np.stack((one[0] - two[0][0], one[1] + two[0][1])) if two else one

        return np.concatenate(run_chunks(draw, n_resamples, rng), axis=1)
    models = SortedRows.from_rows(pair.one), SortedRows.from_rows(pair.two)
    groups = pair.class_groups

    def measure(*weights: FloatArray) -> FloatArray:
        return compute_differences_and_variances(pair, models, (weights[0], weights[-1]), groups)

    return measure_weights(pair.test_sets, pair.groups, n_resamples, rng, measure, least=2)


def compute_differences_and_variances(
    pair: Pair,
    models: tuple[SortedRows, SortedRows],
    weights: tuple[FloatArray, FloatArray],
    groups: ClassGroups | None,
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
        gap = Placements(one.pos - two.pos, one.neg - two.neg)
        variance = compute_resampled_variances(gap, copies[0], groups)
    else:
        variance = compute_resampled_variances(Placements(one.pos, one.neg), copies[0])
        variance += compute_resampled_variances(Placements(two.pos, two.neg), copies[1])
    return np.stack((one.auc - two.auc, variance))


def summarize_differences(
    drawn: FloatArray, estimate: float, request: ComparisonRequest, *, alike: bool
) -> Outcome:
    """Percentile limits and p-value from resampled differences.

    `drawn` (k,): the resampled differences. `alike`: whether the models order all rows alike: then
    what is left of a difference is rounding.
    """
    constant = float(np.ptp(drawn)) <= SAME
    if alike:
        drawn, estimate = np.zeros_like(drawn), 0.0
    error = 0.0 if constant else float(drawn.std(ddof=1))
    low, high = map(float, empirical_interval(drawn, 1.0 - 2.0 * request.tail))
    low, high = request.clip_limits(low, high, estimate)
    statistic = divide_gap(estimate - request.null, error)
    pvalue = _count_tails(drawn - request.null, request)
    notes = (SAME_ORDER,) if alike else (NO_VARIATION,) if constant else ()
    return Outcome(low, high, statistic, pvalue, error, None, "bootstrap percentile", notes)


def _count_tails(gap: FloatArray, request: ComparisonRequest) -> float:
    """P-value from the shares of draws on either side of 0, the observed set counted as one draw.

    Draws that are 0 up to rounding count on both sides. Model 1 is 'greater' the fewer draws lie
    below.
    """
    below = (1 + np.count_nonzero(gap <= SAME)) / (1 + gap.size)
    above = (1 + np.count_nonzero(gap >= -SAME)) / (1 + gap.size)
    return request.combine_tails(below=float(above), above=float(below))


def check_class_sizes(pair: Pair, other_method: str = "") -> None:
    """Refuse a class of a single case: all its resamples would be alike."""
    if pair.smallest_class < 2:
        raise InputError(
            "Resampling needs at least 2 positives and 2 negatives",
            "a class has only 1",
            f"Copies of one case cannot show how such cases vary{other_method}.",
        )

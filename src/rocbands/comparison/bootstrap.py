"""Differences of areas on resampled test sets: percentile and studentised (bootstrap-t) intervals.

Rows are drawn with replacement, of all rows or as whole groups; on the same rows both models get
the same draws. The percentile method cuts off the tails of the resampled differences. Bootstrap-t
divides each resampled deviation by the DeLong standard error of its own resample, and multiplies
the quantiles of these ratios by the observed standard error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rocbands.comparison.delong import SAME_ORDER, compare_areas
from rocbands.comparison.method import (
    ComparisonMethod,
    ComparisonRequest,
    Outcome,
    compute_area,
    divide_gap,
)
from rocbands.comparison.pair import Pair
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.delong import (
    ClassGroups,
    Placements,
    compute_placements,
    compute_resampled_variances,
)
from rocbands.core.method import Extra, Resampling
from rocbands.core.references import EFRON
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, arg
from rocbands.resample.population import draw_class_sizes
from rocbands.resample.quantiles import check_enough_draws, empirical_interval
from rocbands.resample.streams import run_chunks
from rocbands.resample.weights import SortedRows, measure_weights

_MANY_ROWS = 20_000  # from so many on sums of placements are drawn, if they leave out little enough
_BLOCKS = 128
MOST_LEFT_OUT = 1e-3  # share of the variance

NO_VARIATION = (
    "No resample differs from any other, so the interval is a point: what these rows do not show, "
    "resampling cannot show either."
)


@dataclass(frozen=True)
class BootstrapTest(Resampling, ComparisonMethod):
    """Test of equal areas by resampled rows, with a percentile interval."""

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
        return summarize_differences(drawn, estimate, request, alike=pair.ranked_alike)


def draw_differences(pair: Pair, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Differences of areas on resampled rows."""
    if pair.paired and pair.groups is None and len(pair.one) >= _MANY_ROWS:
        sums = PlacementSums.of_pair(pair)
        if sums.most_left_out <= MOST_LEFT_OUT:
            return np.concatenate(run_chunks(sums.draw, n_resamples, rng))
    models = SortedRows.from_scores(pair.one), SortedRows.from_scores(pair.two)

    def measure(*weights: FloatArray) -> FloatArray:
        one, two = (
            model.compute_areas(w).auc
            for model, w in zip(models, (weights[0], weights[-1]), strict=True)
        )
        return one - two

    return measure_weights(pair.test_sets, pair.groups, n_resamples, rng, measure)


class _Blocks(NamedTuple):
    """Numbers in blocks of neighbours: how many, their mean and their variance."""

    share: FloatArray
    mean: FloatArray
    variance: FloatArray

    @classmethod
    def cut(cls, values: FloatArray) -> _Blocks:
        """Cut into blocks that are equally full."""
        ordered = np.sort(values)
        first = np.unique(np.arange(_BLOCKS) * ordered.size // _BLOCKS)
        size = np.diff(first, append=ordered.size)
        mean = np.add.reduceat(ordered, first) / size
        apart = ordered - np.repeat(mean, size)
        return cls(size / ordered.size, mean, np.add.reduceat(apart**2, first) / size)

    def draw_means(
        self, sizes: CountArray, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw the mean of so many numbers as far as blocks tell, and the variance left inside."""
        counts = rng.multinomial(sizes, self.share).astype(np.float64)
        return counts @ self.mean / sizes, counts @ self.variance / sizes.astype(np.float64) ** 2

    @property
    def total_variance(self) -> float:
        """Variance of a single number."""
        centre = float(self.share @ self.mean)
        return float(self.share @ (self.variance + (self.mean - centre) ** 2))


@dataclass(frozen=True, eq=False)
class PlacementSums:
    """Differences of areas of many rows, drawn as sums of differences of placements.

    The difference of a resample is the mean of what its positives add, plus the mean of what its
    negatives add, minus the observed difference, plus a remainder of pairs (Hoeffding 1948). Rows
    are independent draws, so the means are sums over blocks of rows that add about as much: the
    number of rows in each block is drawn exactly, and what varies inside blocks, 1 / 128^2 of the
    variance, is normal with its own variance. The remainder has mean 0, is uncorrelated with the
    rest, and is left out; its share of the variance is at most `most_left_out`.
    """

    pos: _Blocks
    neg: _Blocks
    sizes: tuple[int, int]  # positives and negatives
    difference: float

    @classmethod
    def of_pair(cls, pair: Pair) -> PlacementSums:
        """Place all rows by both models; one sort for each."""
        one, two = (compute_placements(s.is_positive, s.values) for s in (pair.one, pair.two))
        blocks = _Blocks.cut(one.pos - two.pos), _Blocks.cut(one.neg - two.neg)
        return cls(*blocks, (pair.one.n_pos, pair.one.n_neg), one.auc - two.auc)

    @property
    def most_left_out(self) -> float:
        """Largest share of the variance that the remainder can have.

        A pair is won by one model and lost by the other at most always, so that its variance is at
        most 1, and the remainder's at most 1 / (m n).
        """
        m, n = self.sizes
        known = self.pos.total_variance / m + self.neg.total_variance / n
        return 1.0 / (m * n * known) if known > 0.0 else np.inf

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Differences of one chunk."""
        m, n = self.sizes
        neg, pos = draw_class_sizes(n, m, draws, rng, stratified=False)
        parts = self.pos.draw_means(pos, rng), self.neg.draw_means(neg, rng)
        inside = np.sqrt(parts[0][1] + parts[1][1]) * rng.standard_normal(draws)
        return np.asarray(parts[0][0] + parts[1][0] - self.difference + inside)


@dataclass(frozen=True)
class BootstrapTTest(Resampling, ComparisonMethod):
    """Test of equal areas by resampled rows, each resample in its own standard errors."""

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
        models = SortedRows.from_scores(pair.one), SortedRows.from_scores(pair.two)
        groups = pair.class_groups

        def measure(*weights: FloatArray) -> FloatArray:
            return compute_differences_and_variances(
                pair, models, (weights[0], weights[-1]), groups
            )

        drawn, variance = measure_weights(
            pair.test_sets, pair.groups, self.n_resamples, request.rng, measure, least=2
        )
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
        return observed._replace(low=low, high=high, statistic=statistic, pvalue=pvalue, df=None)


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

"""Intervals for the AUC by resampling: percentiles, BCa, and the variance in closed form.

Resamples keep the class sizes; where rows come in groups, whole groups are drawn instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, ndtr, ndtri

from rocbands.auc.bins import Range, WidestPivot, bound_moments, bound_wald
from rocbands.auc.method import AucMethod, Pivot, Tails, Wald
from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.delong import (
    Moments,
    compute_group_sums,
    compute_moments,
    place_steps,
)
from rocbands.core.method import Extra, Request, Resampling
from rocbands.core.pieces import bisect, walk_steps
from rocbands.core.randomness import Simulation, order_groups
from rocbands.core.references import EFRON
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.resample.curves import Rates, build_source, measure_resamples
from rocbands.resample.population import has_many_runs
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.resample.streams import run_chunks
from rocbands.resample.sums import GroupedResamples

_BATCH = 30_000  # rows drawn at once: few enough to stay in the processor's cache
MANY_ROWS = 20_000  # from so many on drawing blocks is faster than drawing rows
BLOCKS = 128
MOST_INSIDE = 1e-3  # share of the variance within blocks; usually 1 / BLOCKS**2
_ROWS_PER_STEP = 8  # from so many on drawing counts of steps is faster than drawing rows

_POOR = "asymptotic; measured far below the level near AUC 1"


@dataclass(frozen=True)
class AucBootstrap(Resampling, AucMethod):
    """Quantiles of the AUCs of resampled test sets.

    Where all resamples have the same AUC, as for separated classes, the interval is a point; the
    notes say so. Each class needs two cases, or cases in two groups.
    """

    name: ClassVar[str] = "bootstrap"
    guarantee: ClassVar[str] = _POOR
    idea: ClassVar[str] = "quantiles of resampled AUCs"
    references: ClassVar[tuple[str, ...]] = (EFRON,)
    handles: ClassVar[tuple[Extra, ...]] = ("groups", "one-sided")
    least_cases: ClassVar[int] = 2

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        values = resample_aucs(roc, self.n_resamples, request.rng)
        return PercentilePivot(roc.auc, float(values.std(ddof=1)), values)


@dataclass(frozen=True)
class Bca(Resampling, AucMethod):
    """Quantiles of resampled AUCs, corrected for bias and skewness (Efron's BCa).

    With b the normal score of the share of resampled AUCs below the estimate and a the acceleration
    (the skewness of what cases add to the AUC, over 6), the limit for a normal quantile z is the
    quantile at Phi(b + (b + z) / (1 - a (b + z))).
    """

    name: ClassVar[str] = "bca"
    guarantee: ClassVar[str] = _POOR
    idea: ClassVar[str] = "quantiles of resampled AUCs, corrected for bias and skewness"
    references: ClassVar[tuple[str, ...]] = (
        "Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical "
        "Association 82, 171-185.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("groups", "one-sided")
    least_cases: ClassVar[int] = 2

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        values = resample_aucs(roc, self.n_resamples, request.rng)
        error = float(values.std(ddof=1))
        return BcaPivot(roc.auc, error, values, compute_acceleration(roc))


@dataclass(frozen=True)
class ExactBootstrap(AucMethod):
    """The AUC plus and minus z standard errors, clipped; the variance is that over all resamples.

    It is what the bootstrap's standard error tends to as resamples get more, in closed form.
    """

    name: ClassVar[str] = "exact-bootstrap"
    guarantee: ClassVar[str] = _POOR
    idea: ClassVar[str] = "the AUC plus and minus the bootstrap's standard errors, in closed form"
    references: ClassVar[tuple[str, ...]] = (
        "Bandos, Rockette and Gur (2007), Exact bootstrap variances of the area under ROC curve, "
        "Communications in Statistics: Theory and Methods 36, 2443-2461.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("bins", "one-sided")
    least_cases: ClassVar[int] = 2

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        variance = exact_bootstrap_variance(compute_moments(roc), roc.n_pos, roc.n_neg)
        return Wald(roc.auc, math.sqrt(variance))

    def build_binned_pivot(self, roc: RocCurve) -> WidestPivot:
        """Take the limits at the ends of what the AUC and its variance can be."""
        ends = (exact_bootstrap_variance(end, roc.n_pos, roc.n_neg) for end in bound_moments(roc))
        return bound_wald(roc, Range(*ends))


# -------------------------------------------------------------------------------------- pivots


def percentile_limits(values: FloatArray, tail: float) -> tuple[float, float]:
    """Order statistics that leave out a share `tail` of the values at each end."""
    return -order_statistic(-values, 1.0 - tail), order_statistic(values, 1.0 - tail)


@dataclass(frozen=True)
class PercentilePivot(Pivot):
    """Quantiles of resampled values."""

    values: FloatArray

    def limits(self, tail: float) -> tuple[float, float]:
        return percentile_limits(self.values, tail)

    def tails(self, null: float) -> Tails:
        """Shares of resampled values on either side of `null`, which is counted as one of them."""
        more = self.values.size + 1.0
        beyond = np.count_nonzero(self.values >= null), np.count_nonzero(self.values <= null)
        return Tails(*((1.0 + count) / more for count in beyond))

    def describe_draws(self, request: Request, null: float) -> Simulation:
        """Errors of quantiles and shares of the values."""
        return describe_draws(self, self.values, (request.tail, 1.0 - request.tail), request, null)


@dataclass(frozen=True)
class BcaPivot(Pivot):
    """Quantiles of resampled values, corrected for bias and skewness: Efron (1987)."""

    values: FloatArray
    acceleration: float

    @property
    def bias(self) -> float:
        """Normal score of the share of resampled values below the estimate, ties counted half."""
        return float(ndtri(self._share_below(self.estimate)))

    def limits(self, tail: float) -> tuple[float, float]:
        """Order statistics at shifted places; the outermost where a place lies beyond it."""
        order_statistic(self.values, 1.0 - tail)  # refuses levels that so few cannot show
        ordered = np.sort(self.values)
        low, high = (share * ordered.size for share in self._shift(tail))
        # The lower limit is rounded outwards, and so is the upper one.
        ranks = math.floor(low + 1e-9), math.ceil(high - 1e-9) - 1
        ends = (float(ordered[min(max(rank, 0), ordered.size - 1)]) for rank in ranks)
        return next(ends), next(ends)

    def _shift(self, tail: float) -> tuple[float, float]:
        """Find at which shares of the values the limits lie."""
        shares = []
        for z in (float(ndtri(tail)), -float(ndtri(tail))):
            shifted = self.bias + z
            bent = shifted / max(1.0 - self.acceleration * shifted, 1e-9)
            shares.append(float(ndtr(self.bias + bent)))
        return shares[0], shares[1]

    def describe_draws(self, request: Request, null: float) -> Simulation:
        """Errors of quantiles and shares of the values."""
        return describe_draws(self, self.values, self._shift(request.tail), request, null)

    def tails(self, null: float) -> Tails:
        """P-values of the level whose limit is `null`: the formula of the limits, solved for z."""
        bias, at = self.bias, float(ndtri(self._share_below(null)))
        z = (at - bias) / max(1.0 + self.acceleration * (at - bias), 1e-9) - bias
        return Tails(float(ndtr(-z)), float(ndtr(z)))

    def _share_below(self, value: float) -> float:
        """Share of values below `value`, ties counted half, never quite 0 or 1."""
        below = np.count_nonzero(self.values < value)
        equal = np.count_nonzero(self.values == value)
        least = 1.0 / (self.values.size + 1.0)
        return float(np.clip((below + equal / 2.0) / self.values.size, least, 1.0 - least))


def describe_draws(
    pivot: Pivot,
    values: FloatArray,
    shares: tuple[float, float],
    request: Request,
    null: float,
) -> Simulation:
    """Say how far other draws would move the limits, which are quantiles at `shares`, and p."""
    sides = {"two-sided": shares, "greater": shares[:1], "less": shares[1:]}[request.alternative]
    error = max(float(quantile_error(values, share)) for share in sides)
    pvalue = request.combine_tails(*pivot.tails(null))
    return request.simulated(values.size, error, request.find_pvalue_error(pvalue, values.size))


def compute_acceleration(roc: RocCurve) -> float:
    """Skewness over 6 of what cases, or groups, add to the AUC, as the jackknife estimates it."""
    square = cube = 0.0

    def add(times: CountArray | FloatArray, shares: FloatArray) -> None:
        nonlocal square, cube
        weighted = times * shares * shares
        square += float(weighted.sum())
        cube += float(np.dot(weighted, shares))

    if roc.groups is not None:
        sums = compute_group_sums(roc)
        add(np.ones(roc.groups.size), sums.pos / roc.n_pos + sums.neg / roc.n_neg)
    else:
        for piece in walk_steps(roc.fp, roc.tp):
            below, above = place_steps(piece, roc)
            add(np.diff(piece.tp), (below - roc.auc) / roc.n_pos)
            add(np.diff(piece.fp), (above - roc.auc) / roc.n_neg)
    return cube / (6.0 * square**1.5) if square > 0.0 else 0.0


# ------------------------------------------------------------------- variance over all resamples


def exact_bootstrap_variance(
    moments: Moments, n_pos: int, n_neg: int, *, stratified: bool = True
) -> float:
    """Variance of the AUC over all resamples.

    `moments`: of the observed test set. `stratified`: resamples keep the class sizes; otherwise
    rows are drawn from both classes together, and drawn again when they miss a class.
    """
    if stratified:
        return float(_variance_for_sizes(moments, np.float64(n_pos), np.float64(n_neg)))
    # The number of positives is binomial, given that it is neither 0 nor all.
    total = n_pos + n_neg
    pos = np.arange(1.0, total)
    log_share = (
        gammaln(total + 1.0)
        - gammaln(pos + 1.0)
        - gammaln(total - pos + 1.0)
        + pos * np.log(n_pos / total)
        + (total - pos) * np.log(n_neg / total)
    )
    share = np.exp(log_share)
    return float(np.dot(share, _variance_for_sizes(moments, pos, total - pos)) / share.sum())


def _variance_for_sizes(
    moments: Moments, n_pos: np.float64 | FloatArray, n_neg: np.float64 | FloatArray
) -> np.float64 | FloatArray:
    # Two pairs of a resample share a positive, a negative, both or nothing: each kind of covariance
    # times how many there are.
    within = (n_neg - 1.0) * moments.pos + (n_pos - 1.0) * moments.neg
    return (within + moments.pairs) / (n_pos * n_neg)


# -------------------------------------------------------------------------------- resampled AUCs


def resample_aucs(roc: RocCurve, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """AUCs of test sets drawn from the rows of `roc`, as many of each class as it has.

    Where `roc` has groups, whole groups are drawn instead, and class sizes vary.
    """
    rows = roc.n_pos + roc.n_neg
    if roc.groups is not None:
        roc = replace(roc, groups=order_groups(roc.groups))
    if roc.groups is None and rows >= MANY_ROWS and has_many_runs(roc.fp, roc.tp, 8 * BLOCKS):
        blocks = AreaBlocks.cut(roc)
        if blocks is not None:
            return np.concatenate(run_chunks(blocks.areas, n_resamples, rng))
    if roc.groups is not None and rows >= MANY_ROWS:
        sums = compute_group_sums(roc)
        apart, spread = sums.pos / roc.n_pos + sums.neg / roc.n_neg, roc.auc * (1.0 - roc.auc)
        sizes = sums.n_pos, sums.n_neg
        grouped = GroupedResamples.of_groups(apart, *sizes, roc.auc, pair_variance=spread)
        if grouped is not None:
            return np.concatenate(run_chunks(grouped.draw, n_resamples, rng))
    source = build_source(roc, stratified=True)
    if roc.groups is not None or source.steps * _ROWS_PER_STEP < rows:
        return measure_resamples(source, n_resamples, rng, _areas)
    return np.concatenate(run_chunks(_RowDraws(roc).areas, n_resamples, rng))


def _areas(rates: Rates) -> FloatArray:
    return np.asarray(np.trapezoid(rates.y, rates.x, axis=1))


@dataclass(frozen=True, eq=False)
class AreaBlocks:
    """Resamples of many rows, drawn as numbers of cases in blocks of neighbouring scores.

    How many positives and negatives a resample has in each block is drawn exactly, which settles
    all pairs of cases in different blocks. Of pairs within a block the mean and the variance are
    known, given these numbers (:func:`exact_bootstrap_variance`); all blocks together are drawn as
    one normal variable with that mean and variance. So areas have exactly the mean and the variance
    that they have over all resamples, and at most a share `MOST_INSIDE` of the variance is drawn
    from a normal distribution in place of its own, which is a sum over many blocks. The time does
    not depend on the number of rows.
    """

    # pos, neg: (k,) share of each class in each block, from the highest score down.
    pos: FloatArray
    neg: FloatArray
    sizes: tuple[int, int]  # positives and negatives
    won: FloatArray  # (k,) share of the pairs within a block that are won, ties counted one half
    # (3, k) variances within a block of placements of positives, of negatives, and of pairs
    spread: FloatArray

    @classmethod
    def cut(cls, roc: RocCurve) -> AreaBlocks | None:
        """Cut finely where both classes are; None where no number of blocks is fine enough."""
        fine = cls.measure(
            roc,
            _cut_evenly(lambda i: roc.fp[i] / roc.n_neg + roc.tp[i] / roc.n_pos, roc.fp.size, 8),
        )
        variance = fine.merge([]).expected_inside
        both = np.cumsum(np.sqrt(fine.pos * fine.neg))
        for times in (1, 4) if both[-1] > 0.0 else ():
            blocks = fine.merge(_cut_evenly(both.__getitem__, both.size, times))
            if blocks.expected_inside <= MOST_INSIDE * variance:
                return blocks
        return None

    @classmethod
    def measure(cls, roc: RocCurve, ends: IndexArray) -> AreaBlocks:
        """Find the moments of the pairs within each block; `ends` are the last steps of blocks."""
        ends = np.union1d(ends, [roc.fp.size - 1])
        tp, fp = (np.diff(side[ends], prepend=0).astype(np.float64) for side in (roc.tp, roc.fp))
        tp_start, fp_end = np.cumsum(tp) - tp, np.cumsum(fp)
        sums = np.zeros((4, ends.size))
        for piece in walk_steps(roc.fp, roc.tp):
            # Blocks that have steps in the piece, the number of these steps, and where they begin.
            low, high = np.searchsorted(ends, (piece.start, piece.stop - 1))
            at = np.maximum(ends[low:high] + 1, piece.start) - piece.start
            at = np.concatenate(([0], at))
            here = np.diff(at, append=piece.stop - piece.start)
            pos, neg = (np.diff(side).astype(np.float64) for side in (piece.tp, piece.fp))
            # Of the other class in the same block: positives above each negative, negatives below.
            above = piece.tp[1:] - pos / 2.0 - np.repeat(tp_start[low : high + 1], here)
            below = np.repeat(fp_end[low : high + 1], here) - piece.fp[1:] + neg / 2.0
            for total, each in zip(
                sums, (neg * above, pos * neg, pos * below**2, neg * above**2), strict=True
            ):
                total[low : high + 1] += np.add.reduceat(each, at)
        pairs = np.maximum(tp * fp, 1.0)
        won, ties = sums[:2] / pairs
        of_pos, of_neg = sums[2:] / (pairs * np.maximum((fp, tp), 1.0))
        spread = np.stack((of_pos, of_neg, won - ties / 4.0)) - won**2
        shares = tp / roc.n_pos, fp / roc.n_neg
        return cls(*shares, (roc.n_pos, roc.n_neg), won, np.maximum(spread, 0.0))

    def merge(self, ends: IndexArray | list[int]) -> AreaBlocks:
        """Put neighbouring blocks together; `ends` are the last ones of larger blocks."""
        ends = np.union1d(ends, [self.pos.size - 1]).astype(np.intp)
        size = np.diff(ends, prepend=-1)
        # Whole numbers again, so that differences of sums are exact.
        tp, fp = np.rint(self.pos * self.sizes[0]), np.rint(self.neg * self.sizes[1])

        def add(values: FloatArray) -> FloatArray:
            return np.asarray(np.add.reduceat(values, ends - size + 1))

        pos, neg = add(tp), add(fp)
        m, n = (np.repeat(np.maximum(side, 1.0), size) for side in (pos, neg))
        tp_part, fp_part = tp / m, fp / n
        # Shares of the large block: positives above each block, negatives below it.
        above = (np.cumsum(tp) - tp - np.repeat(np.cumsum(pos) - pos, size)) / m
        below = (np.repeat(np.cumsum(neg), size) - np.cumsum(fp)) / n
        # Mean placements of each block's positives and negatives, and variances around their mean.
        mean_pos, mean_neg = below + fp_part * self.won, above + tp_part * self.won
        won = add(tp_part * mean_pos)
        off_pos, off_neg = (mean - np.repeat(won, size) for mean in (mean_pos, mean_neg))
        of_pos = add(tp_part * (fp_part**2 * self.spread[0] + off_pos**2))
        of_neg = add(fp_part * (tp_part**2 * self.spread[1] + off_neg**2))
        # The square of a pair's score is the score itself, but for ties.
        square = add(tp_part * (below + fp_part * (self.spread[2] + self.won**2)))
        spread = np.maximum(np.stack((of_pos, of_neg, square - won**2)), 0.0)
        shares = pos / self.sizes[0], neg / self.sizes[1]
        return AreaBlocks(*shares, self.sizes, won, spread)

    @property
    def expected_inside(self) -> float:
        """Variance of the area that pairs within blocks have, on average over resamples."""
        m, n = self.sizes
        pos, neg, pairs = self.spread
        within = (n - 1.0) * self.neg * pos + (m - 1.0) * self.pos * neg + pairs
        return float(np.dot(self.pos * self.neg, within)) / (m * n)

    def draw(self, draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw how many positives and negatives each resample has in each block."""
        a, b = (
            rng.multinomial(size, share, draws).astype(np.float64)
            for size, share in zip(self.sizes, (self.pos, self.neg), strict=True)
        )
        return a, b

    def areas(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """AUCs of one chunk."""
        m, n = self.sizes
        a, b = self.draw(draws, rng)
        pairs = a * b
        inside = pairs @ self.won
        variance = (pairs * (b - 1.0)) @ self.spread[0] + (pairs * (a - 1.0)) @ self.spread[1]
        variance += pairs @ self.spread[2]
        above = np.cumsum(a, axis=1) - a
        apart = np.einsum("ik,ik->i", b, above)
        inside += np.sqrt(np.maximum(variance, 0.0)) * rng.standard_normal(draws)
        area: FloatArray = (apart + inside) / (float(m) * n)
        return np.clip(area, 0.0, 1.0)


def _cut_evenly(rising: Callable[[IndexArray], FloatArray], size: int, times: int) -> IndexArray:
    """Find where a rising function of `size` places passes equal parts of its last value.

    There are `times` `BLOCKS` parts; places that end several of them are not repeated.
    """
    last = float(rising(np.array([size - 1]))[0])
    count = times * BLOCKS
    wanted = np.arange(1.0, count + 1.0) * (last / count) - SLACK * last
    places = bisect(size, lambda place: rising(place) < wanted, wanted.shape)
    return np.unique(np.minimum(places, size - 1))


class _RowDraws:
    """Rows drawn one by one, all resamples of a chunk at once, without sorting.

    Drawn negatives are counted by their rank from the highest score down. The running total is the
    number of them above each positive, and the AUC is the mean of that over the positives that are
    drawn.
    """

    def __init__(self, roc: RocCurve) -> None:
        self._n_pos, self._n_neg = roc.n_pos, roc.n_neg
        per_step = np.diff(roc.tp, prepend=0)
        self._up_to = np.repeat(roc.fp, per_step)
        above = np.repeat(roc.fp - np.diff(roc.fp, prepend=0), per_step)
        self._above = None if np.array_equal(above, self._up_to) else above

    def areas(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """AUCs of one chunk, a batch at a time in the same memory."""
        size = max(1, min(draws, _BATCH // (self._n_pos + self._n_neg)))
        buffers = _Buffers(size, self._n_pos, self._n_neg)
        lost = np.empty(draws)
        for start in range(0, draws, size):
            lost[start : start + size] = self._count_lost(buffers, rng)[: draws - start]
        area: FloatArray = 1.0 - lost / (2.0 * self._n_pos * self._n_neg)
        return area

    def _count_lost(self, buffers: _Buffers, rng: np.random.Generator) -> CountArray:
        """Count the pairs lost by each resample, twice, so that ties are whole numbers."""
        cells = buffers.draw(rng, self._n_neg)
        counts = np.bincount(cells, minlength=buffers.size * self._n_neg)
        np.cumsum(counts.reshape(buffers.size, -1), axis=1, out=buffers.total[:, 1:])
        # No index is beyond the end, so the mode changes nothing; the default mode checks slowly.
        np.take(buffers.total, self._up_to, axis=1, out=buffers.twice, mode="clip")
        if self._above is None:
            buffers.twice *= 2
        else:
            buffers.twice += np.take(buffers.total, self._above, axis=1)
        cells = buffers.draw(rng, self._n_pos)
        np.take(buffers.twice, cells, out=buffers.picked, mode="clip")
        lost: CountArray = buffers.picked.reshape(buffers.size, -1).sum(axis=1)
        return lost


class _Buffers:
    """Memory for one batch, used again by the next, which was measured to be faster."""

    def __init__(self, size: int, n_pos: int, n_neg: int) -> None:
        self.size = size
        self.total = np.zeros((size, n_neg + 1), dtype=np.int64)
        self.twice = np.empty((size, n_pos), dtype=np.int64)
        self.picked = np.empty(size * n_pos, dtype=np.int64)
        self._flat = {n: np.empty((size, n), dtype=np.int64) for n in (n_pos, n_neg)}
        self._start = np.arange(size, dtype=np.int64)[:, None]

    def draw(self, rng: np.random.Generator, columns: int) -> CountArray:
        """Draw cells of a flat table with `columns` columns: in each row as many as it is long."""
        places = rng.integers(
            0, columns, (self.size, columns), dtype=np.min_scalar_type(columns - 1)
        )
        return np.add(places, self._start * columns, out=self._flat[columns]).ravel()

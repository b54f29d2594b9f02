"""Areas under resampled curves, whole or over a range of false positive rates.

Few rows, scores or clusters are drawn one by one. Of many rows

* sums over clusters are drawn without drawing each of them (:class:`ClusteredResamples`);
* steps of neighbouring scores are merged (:func:`draw_areas`). A curve of some hundred steps keeps
  the law of its area but for what happens within steps, where the cases of a resample count as
  tied. The constant part of this error, the area of the curve minus that of the merged curve, is
  added to every draw. The rest varies by a share of the constant that is of the order 1 / sqrt(m),
  with m cases of the smaller class. If that or the constant is not small beside the standard error,
  rows are drawn one by one; tests compare both.

Truncated placements give the area over a range of rates and its variance. Let R(u) be the height of
the curve and a to b the range. A positive contributes the length of the range to the right of its
own false positive rate; a negative with false positive rate v contributes R(v), or R at the nearer
end of the range if v lies outside. The variances of the means of these placements add up to the
variance of the area, including the uncertainty about the thresholds at a and b (Dodd and Pepe 2003,
Biometrics 59, 614-623).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.counting import bisect, walk_steps
from rocbands.core.curve import Curve
from rocbands.core.delong import compute_cluster_sums
from rocbands.core.randomness import order_clusters
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.row_design import RowDesign
from rocbands.resample.curves import (
    Rates,
    RowSource,
    build_source,
    build_step_source,
    measure_resamples,
)
from rocbands.resample.population import Population, find_ends_of_runs
from rocbands.resample.streams import run_chunks

_BATCH = 30_000  # rows drawn at once: few enough to fit the processor's cache
_ROWS_PER_STEP = 8  # with more rows per step, drawing counts of steps is faster than rows
_FAR = 10.0  # standard deviations: larger deviations are neglected


class FprRange(NamedTuple):
    """A range of false positive rates."""

    start: float
    stop: float

    @property
    def width(self) -> float:
        """Largest possible area over the range."""
        return self.stop - self.start

    def find_neighbourhood(self, n_neg: int) -> FprRange:
        """Return the observed rates that may be in the range after resampling."""
        # The resampled rate at an observed rate u is binomial, with variance u (1 - u) / n_neg.
        ends = np.array(self)
        far = _FAR * np.sqrt(ends * (1.0 - ends) / n_neg) + _FAR / n_neg
        return FprRange(float(ends[0] - far[0]), float(ends[1] + far[1]))


def split_pieces(rates: Rates, part: FprRange) -> tuple[FloatArray, FloatArray]:
    """Width of each segment's part inside the range, and the relative position of its centre."""
    # A segment from x0 to x1 is cut to c0 .. c1; the relative position of the centre is
    # ((c0 + c1) / 2 - x0) / (x1 - x0).
    x0, x1 = rates.x[..., :-1], rates.x[..., 1:]
    c0, c1 = np.clip(x0, *part), np.clip(x1, *part)
    share = np.zeros_like(x0)
    np.divide((c0 + c1) / 2.0 - x0, x1 - x0, out=share, where=x1 > x0)
    return c1 - c0, np.clip(share, 0.0, 1.0)


def measure_areas(rates: Rates, part: FprRange | None = None) -> FloatArray:
    """Exact area under each polyline: width times height at the centre of each segment."""
    if part is None:
        return np.asarray(np.trapezoid(rates.y, rates.x, axis=-1))
    width, share = split_pieces(rates, part)
    y0, y1 = rates.y[..., :-1], rates.y[..., 1:]
    return np.asarray(np.sum(width * (y0 + (y1 - y0) * share), axis=-1))


def resample_areas(
    roc: RocCurve, n_resamples: int, rng: np.random.Generator, part: FprRange | None = None
) -> FloatArray:
    """Areas of test sets drawn from the rows of `roc`, as many of each class as it has.

    Where `roc` has clusters, whole clusters are drawn instead, and class sizes vary.
    """
    source = build_source(roc, stratified=True)
    if roc.clusters is None:
        assert isinstance(source, RowSource)
        if part is not None:
            source = _merge_outside(source.population, part)
        elif source.steps * _ROWS_PER_STEP >= roc.n_pos + roc.n_neg:
            return np.concatenate(run_chunks(_draw_rows(roc), n_resamples, rng))
    return measure_resamples(source, n_resamples, rng, lambda rates: measure_areas(rates, part))


def _merge_outside(rows: Population, part: FprRange) -> RowSource:
    """Merge the steps that no resampled curve can have inside the range."""
    share = rows.neg / rows.neg[-1]
    near = part.find_neighbourhood(int(rows.neg[-1]))
    keep = (share >= near.start) & (share <= near.stop)
    keep[[0, -1]] = True
    return RowSource(Population(rows.neg.compress(keep), rows.pos.compress(keep)), stratified=True)


def _draw_rows(roc: RocCurve) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that draws the areas of one chunk from single rows, without sorting."""
    # Drawn negatives are counted by rank, from the highest score down. Their running total N(r) is
    # the number of drawn negatives above rank r. With ranks r_i of the drawn positives,
    #     1 - AUC = (N(r_1) + ... + N(r_m)) / (m n),
    # where N(r) is the mean of the totals before and after the negatives that tie with rank r.
    m, n = roc.n_pos, roc.n_neg
    per_step = np.diff(roc.tp, prepend=0)
    up_to = np.repeat(roc.fp, per_step)  # negatives with a score at least that of each positive
    above = np.repeat(roc.fp - np.diff(roc.fp, prepend=0), per_step)
    tied = not np.array_equal(above, up_to)

    def draw_cells(size: int, columns: int, rng: np.random.Generator) -> CountArray:
        """Draw `columns` cells in each row of a flat table of `size` rows."""
        small = np.min_scalar_type(columns - 1)  # fewer random bits, so faster
        cells = rng.integers(0, columns, (size, columns), dtype=small).astype(np.int64)
        cells += np.arange(size)[:, None] * columns
        return cells.ravel()

    def count_lost(size: int, rng: np.random.Generator) -> CountArray:
        """Twice the number of lost pairs of each resample, an integer also with ties."""
        total = np.zeros((size, n + 1), dtype=np.int64)  # N(0), ..., N(n) of each resample
        counts = np.bincount(draw_cells(size, n, rng), minlength=size * n)
        np.cumsum(counts.reshape(size, n), axis=1, out=total[:, 1:])
        twice = total.take(up_to, axis=1)
        twice += total.take(above, axis=1) if tied else twice
        picked = twice.take(draw_cells(size, m, rng))
        return np.asarray(picked.reshape(size, m).sum(axis=1))

    def draw(draws: int, rng: np.random.Generator) -> FloatArray:
        size = max(1, min(draws, _BATCH // (m + n)))
        batches = [count_lost(size, rng) for _ in range(0, draws, size)]
        return np.asarray(1.0 - np.concatenate(batches)[:draws] / (2.0 * m * n))

    return draw


# ----------------------------------------------------------------------------- truncated placements

Masses: TypeAlias = npt.NDArray[Any]  # numbers of rows, or shares of weight


class Components(NamedTuple):
    """Components of the variance of an area: mean squares, without n / (n - 1)."""

    pos: float  # variance of the positives' mean placement, and of the negatives'
    neg: float
    variance: float  # of the area, each component times n / (n - 1) for n cases
    across: float = 0.0  # twice their covariance, where clusters have both classes
    design: RowDesign | None = None  # of weighted or dependent rows
    notes: tuple[str, ...] = ()


def compute_area(roc: RocCurve, part: FprRange) -> float:
    """Area under one curve over the range."""
    area = sum(float(measure_areas(rates, part)) for rates, *_ in _walk_range(roc, part))
    return min(max(area, 0.0), part.width)


def compute_components(roc: RocCurve, part: FprRange, area: float) -> Components:
    """Mean squares of truncated placements, or of units' contributions to the area."""
    if not roc.independent:
        design = RowDesign.of_curve(roc)
        values = design.place(*compute_truncated_placements(roc, part))
        parts = design.split(values)
        pos, neg = (float(design.multiply(side, side)) for side in parts)
        return Components(
            pos,
            neg,
            design.find_variance(parts),
            2.0 * float(design.multiply(*parts)) if design.linked else 0.0,
            design,
            design.describe_classes(values, parts),
        )
    # Independent rows: only the steps inside the range, piece by piece.
    heights = _find_heights(roc, part)
    mean_neg = part.start * heights[0] + area + (1.0 - part.stop) * heights[1]
    first, last = _find_steps(roc, np.array(part))
    # All positives left of the range contribute the same, as do all negatives; likewise right.
    pos = int(roc.tp[first - 1]) * (part.width - area) ** 2 if first else 0.0
    neg = int(roc.fp[first - 1]) * (heights[0] - mean_neg) ** 2 if first else 0.0
    pos += (roc.n_pos - int(roc.tp[last])) * area**2
    neg += (roc.n_neg - int(roc.fp[last])) * (heights[1] - mean_neg) ** 2
    for rates, n_pos, n_neg in _walk_range(roc, part):
        place_pos, place_neg = _place_steps(rates, part, heights)
        pos += float(np.dot(n_pos, (place_pos - area) ** 2))
        neg += float(np.dot(n_neg, (place_neg - mean_neg) ** 2))
    return _add_up(roc, pos / roc.n_pos / roc.n_pos, neg / roc.n_neg / roc.n_neg)


def _add_up(roc: RocCurve, pos: float, neg: float) -> Components:
    """Add up the components of independent rows."""
    sides = (pos, roc.n_pos), (neg, roc.n_neg)
    return Components(pos, neg, sum(each * n / max(n - 1.0, 1.0) for each, n in sides))


def compute_variance(roc: RocCurve, part: FprRange) -> float:
    """Estimate the variance of the area over the range."""
    return compute_components(roc, part, compute_area(roc, part)).variance


def compute_truncated_placements(roc: RocCurve, part: FprRange) -> tuple[FloatArray, FloatArray]:
    """Contributions of a positive and of a negative at each step to the area."""
    return _place_steps(Rates(roc.fpr, roc.tpr), part, _find_heights(roc, part))


def bound_components(roc: RocCurve, part: FprRange, area: float) -> Components:
    """Upper bounds of the components over all orders of the scores inside the bins.

    A standard deviation is a norm: it grows at most by the root mean square error of the
    placements. A positive lies anywhere in its bin. A negative's contribution lies between the
    heights at the ends of its bin, or of the range, which the extreme curves bound.
    """
    x, y = roc.fpr, roc.tpr
    low, high = (extreme.curve for extreme in roc.extremes)
    floor, ceiling = low.low(list(part)), high.high(list(part))
    off_pos = np.diff(np.clip(x, *part))
    off_neg = np.clip(y[1:], *ceiling) - np.clip(y[:-1], *floor)
    own = compute_components(roc, part, area)
    most = [
        (math.sqrt(each * size) + math.sqrt(float(np.dot(share, off**2)))) ** 2 / size
        for each, size, share, off in (
            (own.pos, roc.n_pos, np.diff(y), off_pos),
            (own.neg, roc.n_neg, np.diff(x), off_neg),
        )
    ]
    return _add_up(roc, most[0], most[1])


def _walk_range(roc: RocCurve, part: FprRange) -> Iterator[tuple[Rates, Masses, Masses]]:
    """Vertices of the steps that overlap the range, piece by piece.

    Each comes with the positives and the negatives at each step.
    """
    first, last = _find_steps(roc, np.array(part))
    below, above = cumulate(roc)
    for _, fp, tp in walk_steps(below, above, first, last + 1):
        yield Rates(fp / below[-1], tp / above[-1]), np.diff(tp), np.diff(fp)


def cumulate(roc: RocCurve) -> tuple[Masses, Masses]:
    """Negatives and positives at or above each threshold: their counts, or shares of weight."""
    counted = roc.weights is None or roc.weights.equal
    return (roc.fp, roc.tp) if counted else (roc.fpr[1:], roc.tpr[1:])


def _find_steps(roc: RocCurve, fpr: FloatArray) -> IndexArray:
    """Find the first steps with false positive rates >= `fpr`; the last step if there is none."""
    fp = cumulate(roc)[0]
    before = bisect(fp.size, lambda step: fp[step] / fp[-1] < fpr, fpr.shape)
    return np.minimum(before, roc.fp.size - 1)


def _find_heights(roc: RocCurve, part: FprRange) -> list[float]:
    """Heights of the curve at the ends of the range; where it is vertical, the middle."""
    heights = []
    for fpr in part:
        # Only the neighbouring steps are needed.
        first, last = _find_steps(roc, np.array([fpr - 2.0 * SAME, fpr + 2.0 * SAME]))
        at = np.arange(max(first - 1, 0), last + 1)
        origin = [0.0] if first == 0 else []
        sides = (np.append(origin, side[at] / side[-1]) for side in cumulate(roc))
        near = Curve(*sides)
        heights.append(float((near.low([fpr]) + near.high([fpr]))[0]) / 2.0)
    return heights


def _place_steps(
    rates: Rates, part: FprRange, heights: list[float]
) -> tuple[FloatArray, FloatArray]:
    """Placements of the cases of some steps; tied cases have the mean along their segment."""
    width, share = split_pieces(rates, part)
    pos = part.stop - np.clip(rates.x[1:], *part) + width * share
    inside = width * (rates.y[:-1] + np.diff(rates.y) * share)
    before = np.diff(np.minimum(rates.x, part.start))
    behind = np.diff(np.maximum(rates.x, part.stop))
    step = np.diff(rates.x)
    neg = np.zeros_like(step)
    np.divide(before * heights[0] + inside + behind * heights[1], step, out=neg, where=step > 0)
    return pos, neg


# -------------------------------------------------------------------------- sums over many clusters

_BLOCKS = 128
_MOST_LEFT_OUT = 1e-3  # fraction of the variance
_MOST_OFF = 0.01  # bias in standard errors
_MOST_SKEWED = 0.1  # skewness of the clusters' contributions: few large ones are not nearly normal


class SumBlocks(NamedTuple):
    """Rows in blocks of neighbours: their fractions, means and covariances."""

    share: FloatArray  # (b,)
    mean: FloatArray  # (b, c)
    inside: FloatArray  # (b, c, c)

    @classmethod
    def cut(cls, values: FloatArray) -> SumBlocks:
        """Cut into blocks of equal size; `values` (c, n), sorted by the first row."""
        n = values.shape[1]
        ordered = values[:, np.argsort(values[0])] if len(values) > 1 else np.sort(values)
        first = np.unique(np.arange(_BLOCKS) * n // _BLOCKS)
        size = np.diff(first, append=n)
        mean = np.add.reduceat(ordered, first, axis=1) / size
        ordered -= np.repeat(mean, size, axis=1)
        inside = [[np.add.reduceat(a * b, first) / size for a in ordered] for b in ordered]
        return cls(size / n, mean.T, np.array(inside).T)

    def draw_means(
        self, sizes: CountArray, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw means of `sizes` rows from counts in blocks, and covariances within blocks."""
        counts = rng.multinomial(sizes, self.share).astype(np.float64)
        inside = (
            np.tensordot(counts, self.inside, 1) / (sizes.astype(np.float64) ** 2)[:, None, None]
        )
        return counts @ self.mean / sizes[:, None], inside

    @property
    def total_variance(self) -> float:
        """Variance of a single row's contribution to the difference."""
        centre = self.share @ self.mean[:, 0]
        return float(self.share @ (self.inside[:, 0, 0] + (self.mean[:, 0] - centre) ** 2))


def add_normal(mean: FloatArray, inside: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Add normal variables with some covariances; (k, c) and (k, c, c)."""
    size, axes = np.linalg.eigh(inside)
    drawn = np.sqrt(np.maximum(size, 0.0)) * rng.standard_normal(mean.shape)
    return np.asarray(mean + np.einsum("kij,kj->ki", axes, drawn))


@dataclass(frozen=True, eq=False)
class ClusteredResamples:
    """Areas, or differences of areas, of resampled clusters, drawn as sums over clusters.

    If few clusters dominate the sum, or the remainder is large, clusters are drawn instead.
    """

    # Let w(g, h) be the sum, over pairs of a positive of cluster g and a negative of cluster h, of
    # the pair's score minus the area A, and c(g) the number of copies of cluster g. The area of a
    # resample is
    #     A + sum of c(g) c(h) w(g, h) / (number of its pairs).
    # With c = 1 + d this is a sum over clusters of d(g) times centred placements, plus a remainder
    # of products d(g) d(h). The sum is drawn jointly with the numbers of positives and negatives
    # (SumBlocks). The remainder is neglected if it has at most a thousandth of the variance and
    # changes the mean by at most a hundredth of the standard error.
    blocks: SumBlocks  # of clusters: centred placements and shares of the positives and negatives
    size: int
    estimate: float
    least: float  # smallest possible area or difference

    @classmethod
    def of_clusters(
        cls,
        apart: FloatArray,
        n_pos: CountArray,
        n_neg: CountArray,
        estimate: float,
        *,
        pair_variance: float,
        least: float = 0.0,
    ) -> ClusteredResamples | None:
        """Take the contribution of each cluster; None if the remainder may be too large.

        `apart` (g,): sums of placements minus the estimate, over the class sizes. `n_pos`, `n_neg`
        (g,): cases of each cluster. `pair_variance`: upper bound of the variance of a pair's score,
        which lies between `least` and 1.
        """
        pos, neg = n_pos / n_pos.sum(), n_neg / n_neg.sum()
        known = float(apart @ apart)
        # Each w is a sum over the pairs of two clusters. The sum of all w^2 is at most the number
        # of pairs of the largest clusters times the squares of all pairs (Cauchy-Schwarz), and at
        # most its value if every pair had the largest possible deviation. Products of two different
        # deviations have variance 1; squares of a deviation have mean 1 and second moment 3.
        far = max(estimate - least, 1.0 - estimate)
        largest = float(pos.max() * neg.max()) * pair_variance
        left = 3.0 * min(largest, float(pos @ pos) * float(neg @ neg) * far**2)
        off = float(pos @ neg) * far
        skewed = float(np.sum(np.abs(apart) ** 3)) > _MOST_SKEWED * known**1.5
        if left > _MOST_LEFT_OUT * known or off > _MOST_OFF * math.sqrt(known) or skewed:
            return None
        return cls(SumBlocks.cut(np.stack((apart, pos, neg))), apart.size, estimate, least)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Areas of one chunk."""
        sizes = np.full(draws, self.size)
        apart, pos, neg = self.size * add_normal(*self.blocks.draw_means(sizes, rng), rng).T
        return np.asarray(np.clip(self.estimate + apart / (pos * neg), self.least, 1.0))


# ---------------------------------------------------------------------------------------- many rows

MANY_ROWS = 20_000  # with more rows, drawing merged steps is faster than rows
STEPS = (256, 2048)  # the second if the first are too few
# Area lost by merging, in standard errors: at most, and for each root of a case.
MOST_OFF = 0.25
MOST_OFF_BY_ROOT = 0.01
_NARROWEST = 1e-9  # range of rates
_WHOLE = FprRange(0.0, 1.0)


def draw_areas(
    roc: RocCurve, n_resamples: int, rng: np.random.Generator, part: FprRange | None = None
) -> FloatArray:
    """Areas of resampled test sets, as :func:`rocbands.resample.areas.resample_areas`.

    `part`: range of false positive rates.
    """
    if roc.n_pos + roc.n_neg >= MANY_ROWS:
        if roc.clusters is not None and part is None:
            sums = _sum_clusters(roc)
            if sums is not None:
                return np.concatenate(run_chunks(sums.draw, n_resamples, rng))
        for count in STEPS if _has_many_steps(roc) else ():
            drawn, off = _draw_merged(roc, n_resamples, rng, part or _WHOLE, count)
            most = min(MOST_OFF, MOST_OFF_BY_ROOT * math.sqrt(_count_units(roc)))
            if abs(off) <= most * drawn.std():
                return np.clip(drawn + off, 0.0, (part or _WHOLE).width)
    return resample_areas(roc, n_resamples, rng, part)


def _sum_clusters(roc: RocCurve) -> ClusteredResamples | None:
    """Sum the contributions of each cluster to the area; None if few clusters dominate."""
    assert roc.clusters is not None
    clusters = order_clusters(roc.clusters)
    pos, neg = compute_cluster_sums(replace(roc, clusters=clusters))
    spread, cases = roc.auc * (1.0 - roc.auc), clusters.count_classes()
    return ClusteredResamples.of_clusters(pos + neg, *cases, roc.auc, pair_variance=spread)


def _count_units(roc: RocCurve) -> int:
    """Count the cases of the smaller class, or the clusters that have such cases."""
    if roc.clusters is None:
        return min(roc.n_pos, roc.n_neg)
    return int(min(map(np.count_nonzero, roc.clusters.count_classes())))


def _has_many_steps(roc: RocCurve) -> bool:
    """Tell whether merging leaves out steps; runs of one class are one step."""
    return bool(
        roc.fp.size > STEPS[1] and np.count_nonzero(find_ends_of_runs(roc.fp, roc.tp)) > STEPS[1]
    )


def _draw_merged(
    roc: RocCurve, n_resamples: int, rng: np.random.Generator, part: FprRange, count: int
) -> tuple[FloatArray, float]:
    """Areas under resampled merged curves, and the area that merging leaves out."""
    steps = choose_steps(roc, part, count)
    fp, tp = (np.append(0, side[steps - 1]) for side in (roc.fp, roc.tp))
    merged = float(measure_areas(Rates(fp / roc.n_neg, tp / roc.n_pos), part))
    source = build_step_source(roc, steps, stratified=True)
    drawn = measure_resamples(source, n_resamples, rng, lambda rates: measure_areas(rates, part))
    return drawn, compute_area(roc, part) - merged


def choose_steps(roc: RocCurve, part: FprRange, count: int) -> IndexArray:
    """Choose steps evenly along both axes where resampled curves may be in the range.

    What lies on either side of that becomes one step.
    """
    # A rate varies at most as that of so many independent negatives.
    largest = 1 if roc.clusters is None else max(int(roc.clusters.count_classes()[1].max()), 1)
    near = part.find_neighbourhood(max(roc.n_neg // largest, 1))
    outer = np.array([near.start, np.nextafter(near.stop, np.inf)])
    first, behind = bisect(roc.fp.size, lambda i: roc.fp[i] / roc.n_neg < outer, (2,)).tolist()
    size = behind - first
    x, y = (side[[first, behind - 1]] / side[-1] for side in (roc.fp, roc.tp))

    def along(place: IndexArray) -> FloatArray:
        """Sum of the relative positions along both axes."""
        right = (roc.fp[first + place] / roc.n_neg - x[0]) / max(x[1] - x[0], _NARROWEST)
        up = (roc.tp[first + place] / roc.n_pos - y[0]) / max(y[1] - y[0], _NARROWEST)
        return np.asarray(right + up)

    wanted = np.linspace(0.0, float(along(np.array([size - 1]))[0]), count + 1)
    places = np.minimum(bisect(size, lambda place: along(place) < wanted, wanted.shape), size - 1)
    return np.union1d(first + places + 1, [roc.fp.size])

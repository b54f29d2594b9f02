"""Largest distance of each resampled curve from a fixed curve: `resample_distances`.

Distances are measured along a slope, in units of a width that may vary along the curve. Nothing is
approximated: only those blocks of scores are drawn that can contain the farthest point
(:class:`rocbands.resample.population.Blocks`).
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocbands._math.products import expand_ranges
from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.counts import stairs
from rocbands.core.curve import Curve
from rocbands.core.tolerance import SAME
from rocbands.resample.curves import Rates, interpolate_rows
from rocbands.resample.population import Blocks, Population, draw_class_sizes
from rocbands.resample.streams import CHUNK, run_chunks


class Distance(ABC):
    """Distances of points, bounds over boxes, and distances along straight pieces.

    A box is four arrays x0, x1, y0, y1.
    """

    @abstractmethod
    def distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Distance of each point, on either side."""

    @abstractmethod
    def bound(self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray) -> FloatArray:
        """Upper bound of the distance of all points of the box [x0, x1] x [y0, y1]."""

    @abstractmethod
    def within(
        self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray
    ) -> tuple[IndexArray, FloatArray]:
        """Distances along the segment between two corners of a box, and the box of each."""


@dataclass(frozen=True, eq=False)
class CurveDistance(Distance):
    """Distance of points from a curve, northwest or southeast along (-1, slope)."""

    # The line y + s x = c through a point meets the curve at X(c). The point lies X(c) - x to the
    # northwest, in units of x, and x - X(c) to the southeast. X is nondecreasing with slope at most
    # 1 / s, so moving a point left or up moves it farther northwest. The points of a box farthest
    # from the curve are therefore its upper left and lower right corners.
    curve: Curve  # from (0, 0) to (1, 1)
    slope: float  # positive
    # the unit of length at the curve's vertices, between which it is interpolated; None for 1.
    width: FloatArray | None = None

    @cached_property
    def knots(self) -> FloatArray:
        """Values y + slope x of the curve's vertices."""
        return self.curve.level(self.slope)

    def northwest(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Distance of each point to the northwest, not in units of the width."""
        return np.interp(y + self.slope * x, self.knots, self.curve.x) - x

    def distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Distance of each point from the curve, on either side."""
        apart = np.abs(self.northwest(x, y))
        if self.width is None:
            return apart
        return np.asarray(apart / self.width_at(y + self.slope * x))

    def width_at(self, c: FloatArray) -> FloatArray:
        """Return the unit of length on the lines y + slope x = c, for a metric that has one."""
        assert self.width is not None
        return np.interp(c, self.knots, self.width)

    def bound(self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray) -> FloatArray:
        """Upper bound of the distance of all points of the box [x0, x1] x [y0, y1]."""
        apart = np.maximum(self.northwest(x0, y1), -self.northwest(x1, y0))
        if self.width is None:
            return apart
        return apart / self._find_least_width(y0 + self.slope * x0, y1 + self.slope * x1)

    def within(
        self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray
    ) -> tuple[IndexArray, FloatArray]:
        """Distances of segments opposite the curve's vertices, and the segment of each."""
        # Along a segment both distance and width are linear between vertices of the curve, so
        # their ratio is largest opposite a vertex or at the segment's own ends, which are not
        # repeated. A segment from line c0 to line c1 spans a range of knots.
        c0, c1 = y0 + self.slope * x0, y1 + self.slope * x1
        start = np.searchsorted(self.knots, c0, side="right")
        count = np.maximum(np.searchsorted(self.knots, c1, side="left") - start, 0)
        knot, piece, _ = expand_ranges(start, count)
        share = (self.knots[knot] - c0[piece]) / (c1 - c0)[piece]
        apart = np.abs(self.curve.x[knot] - x0[piece] - share * (x1 - x0)[piece])
        return piece, apart if self.width is None else apart / self.width[knot]

    def _find_least_width(self, c0: FloatArray, c1: FloatArray) -> FloatArray:
        """Smallest width between c0 and c1: at one of the ends, or at a vertex in between."""
        assert self.width is not None
        ends = np.interp(np.stack((c0, c1)), self.knots, self.width).min(axis=0)
        start = np.searchsorted(self.knots, c0, side="right")
        stop = np.searchsorted(self.knots, c1, side="left")
        # Every second range of `reduceat` is start to stop; empty ones are not used.
        ranges = np.stack((start, stop), axis=-1).ravel()
        inner = np.minimum.reduceat(np.append(self.width, np.inf), ranges)[::2].reshape(c0.shape)
        return np.asarray(np.where(stop > start, np.minimum(ends, inner), ends))


@dataclass(frozen=True, eq=False)
class BinnedDistance(Distance):
    """Largest possible distance of drawn curves from a curve when both are binned.

    Examples
    --------
    >>> whole = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    >>> distance = BinnedDistance.from_curve(whole, slope=1.0)
    >>> print(distance.bound(np.array([0.0]), np.array([1.0]), np.array([0.0]), np.array([1.0])))
    [1.]
    """

    # Inside a bin each curve is any monotone path through its box. The largest distance to the
    # northwest is from the lower staircase of the curve to the upper staircase of the drawn curve,
    # at a corner of the latter; to the southeast likewise.
    # low, high: from the lower and from the upper staircase of the curve, without widths.
    low: CurveDistance
    high: CurveDistance

    @classmethod
    def from_curve(cls, curve: Curve, slope: float) -> BinnedDistance:
        """Measure from a curve whose pieces are bins."""
        low, high = (Curve(*stairs(curve.x, curve.y, up_first=up)) for up in (False, True))
        return cls(CurveDistance(low, slope), CurveDistance(high, slope))

    def distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Largest possible distance of each point."""
        return self.bound(x, x, y, y)

    def bound(self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray) -> FloatArray:
        """Largest distance of any monotone path through each box; attained."""
        northwest = self.low.northwest(x0, y1)
        return np.maximum(northwest, -self.high.northwest(x1, y0))

    def within(
        self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray
    ) -> tuple[IndexArray, FloatArray]:
        """Take the bound of each box: the path inside a single bin is unknown."""
        return np.arange(x0.size), self.bound(x0, x1, y0, y1)


def find_largest_displacements(
    one: Rates, other: Rates, slope: float, unit: Callable[[FloatArray], FloatArray] | None = None
) -> FloatArray:
    """Largest displacement between row i of `one` and row i of `other` along (-1, slope).

    `unit`: the unit of length on the lines y + slope x = c, in x; by default that of the square.
    """
    # As `core.curve.displacement`: the difference of two polylines along parallel lines is largest
    # at a vertex of one of them.
    c_one, c_other = (curve.y + slope * curve.x for curve in (one, other))
    at_one = np.abs(one.x - interpolate_rows(c_one, c_other, other.x))
    at_other = np.abs(interpolate_rows(c_other, c_one, one.x) - other.x)
    if unit is not None:
        at_one, at_other = at_one / unit(c_one), at_other / unit(c_other)
    largest: FloatArray = np.maximum(at_one.max(axis=1), at_other.max(axis=1))
    return largest if unit is not None else largest * np.hypot(1.0, slope)


def find_standard_error(curve: Curve, slope: float, n_neg: float, n_pos: float) -> FloatArray:
    """Return the standard error of the curve's x on each line y + slope x = c through its vertices.

    One case is added to each class on either side of the vertex, so that the error is never 0.
    """
    # Delta method. If the rates have errors e_x and e_y, the crossing with the line y + s x = c
    # moves by (dy e_x - dx e_y) / (s dx + dy) in x, where (dx, dy) is the curve's direction; e_x
    # and e_y are independent binomial errors.
    x, y = (n_neg * curve.x + 1.0) / (n_neg + 2.0), (n_pos * curve.y + 1.0) / (n_pos + 2.0)
    dx, dy = np.gradient(curve.x), np.gradient(curve.y)
    # Between well separated classes the estimate is constant and has no direction: use any.
    still = slope * dx + dy < SAME
    dx, dy = dx + still, dy + still
    across, up = x * (1.0 - x) / n_neg, y * (1.0 - y) / n_pos
    return np.asarray(np.sqrt(dy**2 * across + dx**2 * up) / (slope * dx + dy))


# ------------------------------------------------------------------- largest distances of resamples

_WIDTH = 0.4  # blocks that may be dropped: at most so many for each root of a row


def resample_distances(
    population: Population,
    metric: Distance,
    sizes: tuple[int, int],
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool,
    chunk: int = CHUNK,
) -> FloatArray:
    """Draw test sets and find the largest distance of their curves from a fixed one.

    `population`: source of the cases. `metric`: the fixed curve and the distance. `sizes`:
    negatives and positives of the test set. `stratified`: keep these sizes.
    """

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        drawn = draw_class_sizes(*sizes, draws, stream, stratified=stratified)
        return find_largest_distances(population, metric, *drawn, stream)

    return np.concatenate(run_chunks(work, n_resamples, rng, size=chunk))


def find_largest_distances(
    population: Population,
    metric: Distance,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw one resampled curve for each pair of class sizes and find its farthest point.

    `neg`, `pos` (k,): class sizes of each resample, all positive.
    """
    # Branch and bound. A block of scores is dropped if the bound of its distance does not exceed
    # `best`, the largest distance found so far. Most resamples draw about log n of n scores.
    best, blocks = np.zeros(neg.size), Blocks.whole(population, neg, pos)
    too_wide = _count_wide_levels(int(neg[0] + pos[0]), population.neg.size - 1)
    for level in itertools.count():
        straight = blocks.straight()
        if straight.any():
            pieces = blocks.take(straight)
            (x0, y0), (x1, y1) = pieces.find_rates(pieces.start, pieces.end)
            piece, distance = metric.within(x0, x1, y0, y1)
            if piece.size:
                _raise_best(best, pieces.row[piece], distance)
            blocks = blocks.take(~straight)
        if not blocks.row.size:
            break
        middle, row = blocks.draw_middle(rng), blocks.row
        (x0, y0), (x, y), (x1, y1) = blocks.find_rates(blocks.start, middle, blocks.end)
        _raise_best(best, row, metric.distance(x, y))
        keep = None
        if level >= too_wide:
            # A bound that exceeds the best value only by rounding is ignored.
            limit = best[row] + SAME
            keep = metric.bound(x0, x, y0, y) > limit, metric.bound(x, x1, y, y1) > limit
        blocks = blocks.halve(middle, keep)
    return best


def _count_wide_levels(rows: int, steps: int) -> int:
    """Count the cuts after which no block can be dropped yet, so that no bound is computed.

    Distances are of the order of 1 / sqrt(n), and wider blocks may always contain a larger one.
    """
    return int(math.log2(max(min(_WIDTH * math.sqrt(rows), steps), 1.0)))


def _raise_best(best: FloatArray, row: IndexArray, distance: FloatArray) -> None:
    """Replace the best distance of each resample by a larger one; `row` is nondecreasing."""
    start = np.flatnonzero(np.concatenate(([True], row[1:] != row[:-1])))
    drawn = row[start]
    best[drawn] = np.maximum(best[drawn], np.maximum.reduceat(distance, start))

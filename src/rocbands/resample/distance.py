"""Distances from a fixed curve along a slope, in units of a width that may vary along the curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from rocbands._math.ragged import expand_ranges
from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.counts import stairs
from rocbands.core.curve import Curve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.resample.curves import Rates, interpolate_rows
from rocbands.resample.population import Population
from rocbands.resample.splitting import Blocks, Unfolded, find_block_laws

_PER_ROOT = 1.9  # blocks cut at once, for each root of the number of rows
_SOME = 8


class Distance(Protocol):
    """Distances of points, bounds over boxes, and distances along straight pieces."""

    def distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """How far each point lies away, on either side."""
        ...

    def bound(self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray) -> FloatArray:
        """No point of the box [x0, x1] x [y0, y1] lies farther away than this."""
        ...

    def find_farther(self, x: FloatArray, y: FloatArray, best: FloatArray) -> IndexArray:
        """Places of points that may lie farther away than a number; all that do."""
        ...

    def exceeds(
        self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray, best: FloatArray
    ) -> BoolArray:
        """Whether the bound of each box exceeds a number, or may; quicker than the bound itself."""
        ...

    def within(
        self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray
    ) -> tuple[IndexArray, FloatArray]:
        """Distances along what joins two corners of a box, and the box that each belongs to."""
        ...


@dataclass(frozen=True, eq=False)
class CurveDistance:
    """Measures how far points lie from a curve, northwest or southeast along (-1, slope).

    Moving a point to the left or up can only take it farther to the northwest. So the points of a
    box that lie farthest from the curve on either side are its upper left and lower right corners,
    and two evaluations bound the distance of everything inside.
    """

    curve: Curve  # from (0, 0) to (1, 1)
    slope: float  # positive
    # the unit of length at the curve's vertices, between which it is interpolated; None for 1.
    width: FloatArray | None = None

    @cached_property
    def knots(self) -> FloatArray:
        """Where the curve's vertices lie across the direction of the slope."""
        return self.curve.level(self.slope)

    def northwest(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """How far to the northwest each point lies, not in units of the width."""
        return np.interp(y + self.slope * x, self.knots, self.curve.x) - x

    def distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """How far each point lies from the curve, on either side."""
        apart = np.abs(self.northwest(x, y))
        if self.width is None:
            return apart
        return np.asarray(apart / np.interp(y + self.slope * x, self.knots, self.width))

    def bound(self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray) -> FloatArray:
        """No point of the box [x0, x1] x [y0, y1] lies farther away than this."""
        apart = np.maximum(self.northwest(x0, y1), -self.northwest(x1, y0))
        if self.width is None:
            return apart
        return apart / self._least_width(y0 + self.slope * x0, y1 + self.slope * x1)

    def exceeds(
        self,
        x0: FloatArray,
        x1: FloatArray,
        y0: FloatArray,
        y1: FloatArray,
        best: FloatArray,
    ) -> BoolArray:
        """Whether the bound of each box may exceed a number.

        Looked up in a table of what the curve has in small cells: a few boxes whose bound falls
        short by little stay in, which takes less time than to measure them.
        """
        if self.width is not None:
            return self.bound(x0, x1, y0, y1) > best
        table = self._cells
        upper_left, lower_right = table.find(y1 + self.slope * x0), table.find(y0 + self.slope * x1)
        most = np.maximum(table.high.take(upper_left) - x0, x1 - table.low.take(lower_right))
        return np.asarray(most > best)

    def find_farther(self, x: FloatArray, y: FloatArray, best: FloatArray) -> IndexArray:
        """Places of points that may lie farther away than a number; all that do."""
        if self.width is not None:
            return np.flatnonzero(self.distance(x, y) > best)
        cell = self._cells.find(y + self.slope * x)
        most = np.maximum(self._cells.high[cell] - x, x - self._cells.low[cell])
        return np.flatnonzero(most > best)

    def bound_side(self, x: FloatArray, y: FloatArray, side: float) -> FloatArray:
        """No point lies farther to the northwest (1) or southeast (-1) than this; from a table."""
        cell = self._cells.find(y + self.slope * x)
        return self._cells.high.take(cell) - x if side > 0.0 else x - self._cells.low.take(cell)

    @cached_property
    def _cells(self) -> _Cells:
        return _Cells.cut(self.knots, self.curve.x)

    def within(
        self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray
    ) -> tuple[IndexArray, FloatArray]:
        """Distances from straight pieces, taken opposite the curve's vertices.

        Along a straight piece both distance and width are linear between vertices of the curve, so
        that their ratio is largest there or at the piece's own ends, which are not repeated here.

        Returns the piece each value belongs to, never falling, and the values.
        """
        # A straight piece runs from line c0 to line c1; the vertices between are a range of knots.
        c0, c1 = y0 + self.slope * x0, y1 + self.slope * x1
        start = np.searchsorted(self.knots, c0, side="right")
        count = np.maximum(np.searchsorted(self.knots, c1, side="left") - start, 0)
        knot, piece, _ = expand_ranges(start, count)
        share = (self.knots[knot] - c0[piece]) / (c1 - c0)[piece]
        apart = np.abs(self.curve.x[knot] - x0[piece] - share * (x1 - x0)[piece])
        return piece, apart if self.width is None else apart / self.width[knot]

    def _least_width(self, c0: FloatArray, c1: FloatArray) -> FloatArray:
        """Smallest width between c0 and c1: at one of the ends, or at a vertex in between."""
        assert self.width is not None
        # Between vertices the width is linear, so its least value over a stretch is at an end of
        # the stretch or at a vertex inside. The least over vertices start .. stop - 1 comes from a
        # sparse table: two runs of 2**power vertices, one from each end, cover them all.
        ends = np.interp(np.stack((c0, c1)), self.knots, self.width).min(axis=0)
        start = np.searchsorted(self.knots, c0, side="right")
        stop = np.searchsorted(self.knots, c1, side="left")
        step = np.maximum(stop - start, 1)
        power = np.frexp(step.astype(np.float64))[1] - 1
        last = self._range_minima.shape[1] - 1
        inner = np.minimum(
            self._range_minima[power, np.minimum(start, last)],
            self._range_minima[power, np.clip(stop - (1 << power), 0, last)],
        )
        return np.asarray(np.where(stop > start, np.minimum(ends, inner), ends))

    @cached_property
    def _range_minima(self) -> FloatArray:
        """Row p holds the least of 2**p widths from each vertex on."""
        assert self.width is not None
        rows = [self.width]
        while 2 ** len(rows) <= self.width.size:
            half = 2 ** (len(rows) - 1)
            shifted = np.concatenate((rows[-1][half:], np.full(half, np.inf)))
            rows.append(np.minimum(rows[-1], shifted))
        return np.stack(rows)


class _Cells(NamedTuple):
    """Least and largest value of a rising function in small cells of equal length."""

    per_unit: float  # cells per unit of length
    # (k,) values at both ends of each cell, a little outside because of rounding
    low: FloatArray
    high: FloatArray

    @classmethod
    def cut(cls, knots: FloatArray, values: FloatArray) -> _Cells:
        """Cut finely enough to tell apart what differs by a hundredth of usual distances."""
        count = max(512, int(64.0 * math.sqrt(knots.size)))
        per_unit = count / float(knots[-1])
        ends = np.arange(count + 2) / per_unit
        low, high = (np.interp(ends + by, knots, values) for by in (-SLACK, SLACK))
        return cls(per_unit, low[:-1], high[1:])

    def find(self, place: FloatArray) -> IndexArray:
        """Return the cell of each place."""
        return (place * self.per_unit).astype(np.intp)


@dataclass(frozen=True, eq=False)
class BinnedDistance:
    """Measures how far drawn curves can lie from a curve when both are known in bins only.

    Inside a bin the curve is any monotone path through one box, and the drawn curve any through
    another. It is nowhere farther to the northwest than its upper staircase is from the curve's
    lower one, and the corners of that staircase are farthest out; the other side likewise.
    """

    # low, high: from the lower and from the upper staircase of the curve, of one slope and without
    # widths.
    low: CurveDistance
    high: CurveDistance

    @classmethod
    def from_curve(cls, curve: Curve, slope: float) -> BinnedDistance:
        """Measure from a curve whose pieces are bins."""
        low, high = (Curve(*stairs(curve.x, curve.y, up_first=up)) for up in (False, True))
        return cls(CurveDistance(low, slope), CurveDistance(high, slope))

    def distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Give the largest distance that each point may have."""
        return self.bound(x, x, y, y)

    def bound(self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray) -> FloatArray:
        """Give the largest distance of any monotone path through each box; attained."""
        northwest = self.low.northwest(x0, y1)
        return np.maximum(northwest, -self.high.northwest(x1, y0))

    def exceeds(
        self,
        x0: FloatArray,
        x1: FloatArray,
        y0: FloatArray,
        y1: FloatArray,
        best: FloatArray,
    ) -> BoolArray:
        """Whether the bound of each box exceeds a number."""
        return self.bound(x0, x1, y0, y1) > best

    def find_farther(self, x: FloatArray, y: FloatArray, best: FloatArray) -> IndexArray:
        """Places of points that lie farther away than a number."""
        return np.flatnonzero(self.distance(x, y) > best)

    def within(
        self, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray
    ) -> tuple[IndexArray, FloatArray]:
        """Take the bound of each box: what lies in a single bin can be anywhere inside."""
        return np.arange(x0.size), self.bound(x0, x1, y0, y1)


def find_largest_distances(
    population: Population,
    metric: Distance,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw one resampled curve for each pair of class sizes and find its farthest point.

    Nothing is approximated: a block of scores is left unsplit only when no point of the resampled
    curve inside it can lie farther away than the best point found so far.

    `population`: what the cases are drawn from. `metric`: what distances are measured from, and
    how. `neg`, `pos` (k,): class sizes of each resample, all positive.
    """
    # Branch and bound: `best` only rises, and a block whose bound does not exceed it is dropped, so
    # that of n scores about log n need be drawn for most resamples.
    best, blocks = _unfold(population, metric, neg, pos, rng)
    while True:
        straight = blocks.straight(population)
        if straight.any():
            pieces = blocks.take(straight)
            (x0, y0), (x1, y1) = pieces.find_rates(pieces.start, pieces.end)
            piece, distance = metric.within(x0, x1, y0, y1)
            if piece.size:
                raise_rows(best, pieces.row[piece], distance)
            blocks = blocks.take(~straight)
        if not blocks.row.size:
            return best
        split, row = blocks.split(population, rng), blocks.row
        places = blocks.start, split.middle, blocks.end
        (x0, y0), (x, y), (x1, y1) = blocks.find_rates(*places)
        far = metric.find_farther(x, y, best[row])
        if far.size:
            raise_rows(best, row[far], metric.distance(x[far], y[far]))
        # A bound that exceeds the best value by rounding only is worth no further look.
        limit = best[row] + SAME
        keep = metric.exceeds(x0, x, y0, y, limit), metric.exceeds(x, x1, y, y1, limit)
        blocks = split.halves(keep)


def _unfold(
    population: Population,
    metric: Distance,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> tuple[FloatArray, Blocks]:
    """Largest distances at the ends of many blocks, and the blocks that may have larger ones."""
    # Blocks wider than usual distances are never dropped: 2^levels of them are cut at once.
    # Where tables make drawing quick, more than that are cut, which saves looking at blocks twice.
    root, most = math.sqrt(float(neg[0] + pos[0])), int(math.log2(population.neg.size - 1))
    levels, coarse = (
        min(round(math.log2(max(times * root, 1.0))), most) for times in (_PER_ROOT, 0.4)
    )
    if find_block_laws(population, levels) is None:
        levels = coarse
    unfolded = Unfolded.draw(population, neg, pos, levels, rng)
    x, y = unfolded.above / unfolded.sizes[:, :, None]
    # Some of the vertices first: most others need no exact look then.
    best: FloatArray = metric.distance(x[:, 1::_SOME], y[:, 1::_SOME]).max(axis=1)
    far = metric.find_farther(x.ravel(), y.ravel(), np.repeat(best, x.shape[1]))
    if far.size:
        raise_rows(best, far // x.shape[1], metric.distance(x.take(far), y.take(far)))
    boxes = x[:, :-1], x[:, 1:], y[:, :-1], y[:, 1:]
    return best, unfolded.take(population, metric.exceeds(*boxes, best[:, None] + SAME))


def raise_rows(best: FloatArray, row: IndexArray, value: FloatArray) -> None:
    """Take the largest value of each row; rows never fall."""
    start = np.flatnonzero(np.concatenate(([True], row[1:] != row[:-1])))
    found = row[start]
    best[found] = np.maximum(best[found], np.maximum.reduceat(value, start))


def find_largest_displacements(one: Rates, other: Rates, slope: float) -> FloatArray:
    """Largest displacement between row i of `one` and row i of `other` along (-1, slope).

    As `rocbands.core.curve.displacement`, for many pairs of curves at once.
    """
    c_one, c_other = (curve.y + slope * curve.x for curve in (one, other))
    at_one = np.abs(one.x - interpolate_rows(c_one, c_other, other.x)).max(axis=1)
    at_other = np.abs(interpolate_rows(c_other, c_one, one.x) - other.x).max(axis=1)
    largest: FloatArray = np.maximum(at_one, at_other) * np.hypot(1.0, slope)
    return largest

"""The region of all points that lie within a critical value of an empirical curve.

Formulas (E3), (E9), (E19) and (E20) of docs/likelihood.md. The slow versions are `upper` and
`line_limits` in tests/oracles/likelihood.py, compared in tests/likelihood/test_region.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.region import Region, SpannedRegion
from rocbands.core.result import require
from rocbands.core.roc import RocCurve
from rocbands.design.effective_sizes import EffectiveSizes, find_curve_sizes
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.edges import edge_heights
from rocbands.likelihood.margin import Future
from rocbands.likelihood.nearest import nearest
from rocbands.likelihood.supremum import contains_curve, statistic
from rocbands.likelihood.weighted import Side, find_crossing

# How closely largest distances are found where sizes differ along the curve.
_CLOSE = 1e-6


def likelihood_region(roc: RocCurve, critical_value: float) -> Region:
    """Region of all points that lie within a critical value of a curve, or of what it may be."""
    return likelihood_regions(roc)(critical_value, None)


def likelihood_regions(
    roc: RocCurve, sizes: EffectiveSizes | None = None
) -> Callable[[float, Future], Region]:
    """Return a function that makes regions of a curve from critical values and future class sizes.

    `sizes`: those of `roc`, where they are known.
    """
    # All share what does not depend on the critical value. With bins the region is that of all
    # curves between the lowest and the highest curve which the counts allow, (E20).
    bases: list[LikelihoodRegion] = []
    for curve in roc.extremes if roc.binned else (roc,):
        if curve.independent:
            bases.append(LikelihoodRegion(*curve.vertices, 0.0))
        else:
            known = sizes if curve is roc and sizes else find_curve_sizes(curve)
            bases.append(WeightedRegion(*curve.vertices, 0.0, sizes=known))

    def around(critical_value: float, future: Future) -> Region:
        assert future is None or roc.independent, "a future set has a design of its own"
        parts = [replace(b, critical_value=critical_value, future=future, like=b) for b in bases]
        return SpannedRegion(*parts) if roc.binned else parts[0]

    return around


@dataclass(frozen=True, eq=False)
class LikelihoodRegion:
    """All points whose distance from an empirical curve is at most a critical value."""

    # The curve itself is at distance 0, and each edge is sought from it to a side of the square:
    # a check at a few places would take longer than the band.
    ordered: ClassVar[bool] = True

    # fp, tp: cumulative counts at the distinct vertices of the empirical curve, from (0, 0).
    fp: CountArray
    tp: CountArray
    critical_value: float  # the largest distance inside
    future: Future = None
    like: LikelihoodRegion | None = None  # a region around the same curve, reduced once for both

    def __post_init__(self) -> None:
        require(self.critical_value >= 0.0, "The curve itself must lie inside its region.")

    @cached_property
    def curves(self) -> Curves:
        """The curve and its half turn, reduced to the pieces that can be nearest."""
        if self.like is None:
            return Curves.from_counts(self.fp, self.tp, self.future)
        curves = self.like.curves
        return curves if curves.future == self.future else replace(curves, future=self.future)

    def _heights(self, row: CountArray, u: FloatArray) -> FloatArray:
        return edge_heights(self.curves, row, u, self.critical_value)

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        """Upper edge at each fpr, exact."""
        row = np.zeros(fpr.size, dtype=np.int64)
        return self._heights(row, fpr.ravel()).reshape(fpr.shape)

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        """Lower edge at each fpr, exact: half a turn exchanges the two sides of the band."""
        row = np.ones(fpr.size, dtype=np.int64)
        return 1.0 - self._heights(row, 1.0 - fpr.ravel()).reshape(fpr.shape)

    def both_at(self, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both edges together, in half the time."""
        row = np.repeat(np.arange(2), fpr.size)
        found = self._heights(row, np.concatenate((fpr, 1.0 - fpr)))
        return 1.0 - found[fpr.size :], found[: fpr.size]

    def _distance(self, row: CountArray, u: FloatArray, v: FloatArray) -> FloatArray:
        """Measure how far points lie above the curve (row 0) or its half turn (row 1)."""
        return nearest(self.curves, row, u, v).distance

    @property
    def _rates(self) -> tuple[FloatArray, FloatArray]:
        """Both rates at the vertices of the empirical curve."""
        return self.fp / self.fp[-1], self.tp / self.tp[-1]

    def slanted_at(self, rate: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest tpr v of the region on each line p v + (1 - p) u = rate, (E19)."""
        # Up along a line u falls, so the distance above the curve never falls: one search along
        # the line, instead of one for the height at each point of a search. Half a turn makes the
        # lower edge an upper one and `rate` its complement.
        row = np.repeat(np.arange(2), rate.size)
        rate = np.concatenate((rate, 1.0 - rate))
        # The part of each line inside the square; shares of it are searched.
        first, last = (np.clip((rate - side) / p, 0.0, 1.0) for side in (1.0 - p, 0.0))
        length = last - first

        def distance(at: IndexArray, share: FloatArray) -> FloatArray:
            v = first[at] + share * length[at]
            u = np.clip((rate[at] - p * v) / (1.0 - p), 0.0, 1.0)
            return self._distance(row[at], u, v)

        # Search from where the lines meet the curve; guess where they meet the edge as a polyline.
        # For row 1 the curve is not turned, but the rates and the heights found are.
        x, y = self._rates
        start = abs(row - np.interp(abs(row - rate), p * y + (1.0 - p) * x, y))
        lower, upper = self._edges
        edges = (upper.x, upper.y), (1.0 - lower.x[::-1], 1.0 - lower.y[::-1])
        guess, next_height = np.empty((2, rate.size))
        end = np.clip((rate - p * last) / (1.0 - p), 0.0, 1.0)
        for turn, (x, y) in enumerate(edges):
            own = row == turn
            guess[own] = np.interp(rate[own], p * y + (1.0 - p) * x, y)
            next_height[own] = y[np.searchsorted(x, end[own])]
        # Lines that are inside up to their end need no search. The distance there takes long, with
        # a window of nearly all pieces. But edges never fall: a line whose end (end, last) is above
        # the edge at the next abscissa to the right leaves the region before.
        outside = (next_height < last) & (length > 0.0)
        doubtful, share = np.flatnonzero(~outside), np.ones(rate.size)
        outside[doubtful] = distance(doubtful, share[doubtful]) > self.critical_value
        todo = np.flatnonzero(outside)
        share[todo] = find_crossing(
            lambda at, part: distance(todo[at], part),
            self.critical_value,
            *(np.clip((v - first)[todo] / length[todo], 0.0, 1.0) for v in (start, guess)),
        )
        v = first + share * length
        return 1.0 - v[row == 1], v[row == 0]

    def edges(self) -> tuple[Curve, Curve]:
        """Both edges, exact at 200 abscissae or more, closer toward the ends and at jumps."""
        return self._edges

    @cached_property
    def _edges(self) -> tuple[Curve, Curve]:
        fpr, width = _abscissae(int(self.fp[-1]))
        lower, upper = self.both_at(fpr)
        # Few cases make edges that jump: look closer where a jump takes up area.
        for _ in range(4):
            # A jump may be of either edge: both get the same abscissae.
            rise = np.maximum(lower[1:] - lower[:-1], upper[1:] - upper[:-1])
            jumps = (rise * width > 4e-4).nonzero()[0]
            if not jumps.size:
                break
            inside = (fpr[jumps, None] + width[jumps, None] * [0.25, 0.5, 0.75]).ravel()
            place = np.repeat(jumps + 1, 3)
            low, high = self.both_at(inside)
            fpr = freeze(np.insert(fpr, place, inside))
            width = np.diff(fpr)
            lower, upper = np.insert(lower, place, low), np.insert(upper, place, high)
        # Both edges never fall; where they are level the last digit may.
        lower, upper = np.maximum.accumulate(lower), np.maximum.accumulate(upper)
        return Curve(fpr, freeze(lower)), Curve(fpr, freeze(upper))

    @cached_property
    def mirrored(self) -> LikelihoodRegion:
        """The region for swapped classes and negated scores: (u, v) becomes (1 - v, 1 - u)."""
        fp, tp = (side[-1] - side[::-1] for side in (self.tp, self.fp))
        future = None if self.future is None else self.future[::-1]
        return LikelihoodRegion(fp, tp, self.critical_value, future)

    def statistic(self, curve: Curve) -> float:
        """Largest distance of any point of `curve` from the empirical curve."""
        return statistic(self.curves, curve.x, curve.y)

    def contains(self, curve: Curve) -> bool:
        """Tell whether no point of `curve` is farther away than the critical value."""
        return contains_curve(self.curves, curve.x, curve.y, self.critical_value)

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below."""
        at = (self.curves, curve.x, curve.y, self.critical_value)
        return not contains_curve(*at, sides=(0,)), not contains_curve(*at, sides=(1,))


@dataclass(frozen=True, eq=False)
class WeightedRegion(LikelihoodRegion):
    """All points whose distance from a curve of weighted or dependent rows is at most a value."""

    sizes: EffectiveSizes = field(kw_only=True)  # effective sample sizes at each vertex

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        like = self.like
        if isinstance(like, WeightedRegion):
            return like._sides
        neg, pos, rho = self.sizes.neg, self.sizes.pos, self.sizes.correlation
        turned = neg.from_lowest, pos.from_lowest, rho[::-1]
        return Side.from_sizes(neg, pos, rho), Side.from_sizes(*turned)

    def _heights(self, row: CountArray, u: FloatArray) -> FloatArray:
        return self._by_side(row, lambda side, at: side.heights(u[at], self.critical_value))

    def _distance(self, row: CountArray, u: FloatArray, v: FloatArray) -> FloatArray:
        return self._by_side(row, lambda side, at: side.distance(u[at], v[at]))

    def _by_side(
        self, row: CountArray, function: Callable[[Side, BoolArray], FloatArray]
    ) -> FloatArray:
        out = np.empty(row.size)
        for turn, side in enumerate(self._sides):
            rows = row == turn
            out[rows] = function(side, rows)
        return out

    @property
    def _rates(self) -> tuple[FloatArray, FloatArray]:
        return self._sides[0].neg.rate, self._sides[0].pos.rate

    @cached_property
    def mirrored(self) -> WeightedRegion:
        """The region for swapped classes and negated scores: (u, v) becomes (1 - v, 1 - u)."""
        fp, tp = (side[-1] - side[::-1] for side in (self.tp, self.fp))
        return WeightedRegion(fp, tp, self.critical_value, sizes=self.sizes.mirrored)

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below."""
        return self._exceeds(curve, self.critical_value + _CLOSE)

    def _exceeds(self, curve: Curve, limit: float) -> tuple[bool, bool]:
        above, below = self._sides
        turned = 1.0 - curve.x[::-1], 1.0 - curve.y[::-1]
        return not above.contains(curve.x, curve.y, limit), not below.contains(*turned, limit)

    def contains(self, curve: Curve) -> bool:
        """Tell whether no point of `curve` is farther away than the critical value."""
        return not any(self.misses(curve))

    def statistic(self, curve: Curve) -> float:
        """Largest distance of any point of `curve`, to within 1e-6, by bisection."""
        low, high = 0.0, 1.0
        while high < 1e9 and any(self._exceeds(curve, high)):
            low, high = high, 2.0 * high
        if high >= 1e9:
            return np.inf
        while high - low > _CLOSE:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if any(self._exceeds(curve, middle)) else (low, middle)
        return high


@lru_cache(maxsize=8)
def _abscissae(n_neg: int) -> tuple[FloatArray, FloatArray]:
    """False-positive rates at which edges are computed, and the widths between them.

    Even in the arcsine scale, on which binomial variances are equal, and geometric at the ends.
    """
    middle = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 161))
    tail = np.geomspace(min(1e-3, 0.05 / n_neg), 1e-3, 21)
    fpr: FloatArray = np.unique(np.concatenate([middle, tail, 1.0 - tail]))
    return freeze(fpr), freeze(np.diff(fpr))

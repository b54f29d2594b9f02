"""The likelihood region where the prevalence is estimated from the same rows.

Rows are a sample of N from one population, so the number m of positives says something about the
prevalence p. A point of the precision-recall or of the gains plane is as far from the empirical
curve as the least, over p and over the curve's points, of the log-likelihood ratio of the counts.
The minimum over p has closed forms.

Precision-recall. With w false positives per positive, the cells of a threshold are p v (true
positives), p w (false positives), p (1 - v) and 1 - p (1 + w). The likelihood is largest at
p = (m + k) / (N (1 + w)), where k false positives were seen, and what is left of the false
positives' cost is

    (m + k) d(k / (m + k), w / (1 + w)),      d(a, b) = a ln(a/b) + (1 - a) ln((1 - a)/(1 - b)):

the true negatives drop out. It replaces n d(k / n, u) of the ROC region.

Gains. At rate r and recall v the cells are p, r - p v and 1 - r - p (1 - v), and p is the smaller
root of a quadratic equation.

Both costs are convex in k: a Kullback-Leibler distance is convex in both distributions together,
and a partial minimum of a convex function is convex.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from rocbands._math.ragged import expand_ranges
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.curves import Curves, entropy
from rocbands.likelihood.margin import deviance, log_rates, parabola_step
from rocbands.likelihood.nearest import last_least

# Pairs of a point and a piece that are looked at together: temporaries that fit the cache.
_AT_ONCE = 1 << 15
# Pairs of a recall and an end that are looked at together.
_MOST_CELLS = 1 << 21
# Of more positives, differences of entropies have lost too many digits.
MANY = 10**6
# Recalls closer to 0 or 1 cannot be told from them.
_EDGE = 1e-15
# Pieces of a tested curve that are shorter than this, on both axes, count as inside.
_TINY = 1e-11
# Distances that differ by less are the same. Steps of log odds square their error: after one that
# is as short as this nothing is left.
_SAME = 1e-10
_CLOSE = 1e-6
_ROUNDS = 60


class LazyTable:
    """A function of counts or vertices, looked up, or computed where few of many are asked for."""

    def __init__(
        self, function: Callable[[Any, Any], FloatArray], k: CountArray | FloatArray | Self, by: Any
    ) -> None:
        self._function, self._k, self._by = function, k, by
        self._asked = 0
        self._table: FloatArray | None = None
        self.size: int = k.size

    def take(self, item: CountArray) -> FloatArray:
        """Return the values of some of the counts."""
        if self._table is None:
            self._asked += item.size
            if self._asked < self.size:
                return self._function(self._k.take(item), self._by)
            self._table = self._function(self._k[:], self._by)
        return self._table.take(item)

    def __getitem__(self, item: CountArray | slice) -> FloatArray:
        if not isinstance(item, slice):
            return self.take(item)
        return self._function(self._k[item], self._by) if self._table is None else self._table[item]


class Pieces(NamedTuple):
    """Corners and tied segments of a curve, in counts, from the lowest up."""

    fp_start: FloatArray
    tp_start: FloatArray
    fp_end: FloatArray
    tp_end: FloatArray
    tied: bool  # whether there are segments
    # fp_entropy, tp_entropy: what the cost of each end does not owe to the asked point.
    fp_entropy: LazyTable
    tp_entropy: LazyTable

    def share_along(
        self, piece: CountArray, along: FloatArray, length: FloatArray, up: bool
    ) -> FloatArray:
        """How far along its piece a point lies; at the near end where the piece has no length."""
        share = np.full(piece.size, 1.0 if up else 0.0)
        np.divide(along, length, out=share, where=length > 0.0)
        return np.asarray(np.clip(share, 0.0, 1.0))


class Near(NamedTuple):
    """Distances of points, and the point of the curve, in counts, where each is attained."""

    distance: FloatArray
    fp: FloatArray
    tp: FloatArray


@dataclass(frozen=True, eq=False)
class ProfileRegion(ABC):
    """All points of a plane with recall as one coordinate, within a critical value of a curve."""

    # low, high: counts (fp, tp) at the vertices of the lowest and of the highest curve, from (0,
    # 0); the same one twice without bins.
    low: tuple[CountArray, CountArray]
    high: tuple[CountArray, CountArray]
    critical_value: float  # the largest distance inside
    curves: tuple[Curves, Curves] | None = None  # both reduced to pieces, where that is done
    _outward: ClassVar[float]  # 1 if what is found grows to the north-west, else -1

    @cached_property
    def n_pos(self) -> int:
        """Number of positives."""
        return int(self.low[1][-1])

    @cached_property
    def n_neg(self) -> int:
        """Number of negatives."""
        return int(self.low[0][-1])

    @abstractmethod
    def cost(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Cost of k false positives at (x, v), where x lies on the asked side of them."""

    @abstractmethod
    def slope(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Differentiate the cost by k."""

    @abstractmethod
    def _rank(
        self, pieces: Pieces, item: CountArray, owner: CountArray, x: FloatArray, v: FloatArray,
        up: bool,
    ) -> FloatArray:  # fmt: skip
        """Cost of the false positives at the ends of pieces, quick, good enough to order them."""

    @abstractmethod
    def _reach(self, near: Near, at: FloatArray, now: FloatArray, up: bool) -> FloatArray:
        """Find where the distance of one point of the curve is the critical value, from `now`."""

    @staticmethod
    @abstractmethod
    def _points(at: FloatArray, found: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both coordinates of points, from what is asked at and what is found."""

    @abstractmethod
    def _roughly(self, k: FloatArray, left: FloatArray, v: FloatArray, q: int) -> FloatArray:
        """About where ends lead; less is farther. Turn the counts of all but the first q columns.

        `left`: what the cost of k may be.
        """

    @abstractmethod
    def _tangent(
        self, k: FloatArray, left: FloatArray, v: FloatArray, low: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Tangent of the cost in k not far inside of where ends lead, and that place."""

    @abstractmethod
    def _lead(
        self, k: FloatArray, left: FloatArray, v: FloatArray, low: BoolArray, now: FloatArray
    ) -> FloatArray:
        """Find where ends lead, from `now` on; less is farther."""

    @abstractmethod
    def _inside(self, at: FloatArray, up: bool) -> FloatArray:
        """Return ordinates at distance 0, as far out as one vertex allows."""

    @abstractmethod
    def _entropy(self, fp: FloatArray) -> LazyTable:
        """Part of the cost that depends on the false positives only."""

    @cached_property
    def _curves(self) -> Curves:
        """Pieces of the highest curve, and of the lowest turned by half a circle."""
        if self.curves is not None:
            low, high = self.curves
        else:
            high = Curves.from_counts(*self.high)
            low = high if self.low is self.high else Curves.from_counts(*self.low)
        return high.beside(low)

    @property
    def tied(self) -> bool:
        """Whether pieces are tied segments."""
        return self._curves.slanted is not None

    @cached_property
    def _pieces(self) -> tuple[Pieces, Pieces]:
        """Pieces to measure from below (south-east, lowest curve) and above (north-west)."""
        curves, m, n = self._curves, self.n_pos, self.n_neg
        own = curves.half
        sides = (curves.fp_start, curves.tp_start, curves.fp_end, curves.tp_end)
        # The second curve is turned by half a circle: turn it back.
        x1, y1, x0, y0 = (
            all_ - side[own:][::-1] for all_, side in zip((n, m, n, m), sides, strict=True)
        )
        low = Pieces(x0, y0, x1, y1, self.tied, self._entropy(x1), LazyTable(entropy, y1, m))
        x0, y0, x1, y1 = (side[:own] for side in sides)
        return low, Pieces(x0, y0, x1, y1, self.tied, self._entropy(x1), LazyTable(entropy, y1, m))

    def distance(self, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Measure how far each point is north-west (`up`) or south-east of the curve.

        Distances beyond the critical value may be returned too large, not too small.
        """
        return self._nearest(x, v, up).distance

    def _nearest(self, x: FloatArray, v: FloatArray, up: bool) -> Near:
        pieces = self._pieces[up]
        first, last = self._window(pieces, v, up)
        length = np.maximum(last - first, 0) + 1
        chunk = np.cumsum(length) // _AT_ONCE
        if not chunk.size or chunk[-1] == 0:
            return self._search(pieces, first, length, x, v, up)
        cuts = [0, *(np.flatnonzero(np.diff(chunk)) + 1), x.size]
        parts = [slice(*ends) for ends in pairwise(cuts)]
        found = [self._search(pieces, first[i], length[i], x[i], v[i], up) for i in parts]
        return Near(*(np.concatenate(side) for side in zip(*found, strict=True)))

    def _window(self, pieces: Pieces, v: FloatArray, up: bool) -> tuple[CountArray, CountArray]:
        """First and last piece that can be nearest to a point of recall v."""
        m = self.n_pos
        # Bernstein's inequality: where recall alone costs more than the critical value.
        scale = self.critical_value / m
        reach = np.sqrt(2.0 * scale * v * (1.0 - v)) + 2.0 / 3.0 * scale + SLACK
        if up:
            # From there to the first piece that reaches v; later ones have more false positives.
            first = np.searchsorted(pieces.tp_end, m * (v - reach), "left")
            last = np.searchsorted(pieces.tp_end, m * v, "left")
            return first, np.minimum(last, pieces.tp_end.size - 1)
        first = np.searchsorted(pieces.tp_start, m * v, "right") - 1
        last = np.searchsorted(pieces.tp_start, m * (v + reach), "right") - 1
        return np.maximum(first, 0), last

    def _search(
        self, pieces: Pieces, first: CountArray, length: CountArray, x: FloatArray, v: FloatArray,
        up: bool,
    ) -> Near:  # fmt: skip
        """Minimise over the pieces of each point's window."""
        item, owner, start = expand_ranges(first, length)
        y = pieces.tp_end[item]
        hit, miss = log_rates(v)
        m = self.n_pos
        part = pieces.tp_entropy.take(item) - (m * miss)[owner] - y * (hit - miss)[owner]
        counts = y < (m * v)[owner] if up else y > (m * v)[owner]
        value = np.where(counts, part, 0.0) + self._rank(pieces, item, owner, x, v, up)
        pick = last_least(value, owner, start)
        k, y = pieces.fp_end[item[pick]], y[pick]
        near = Near(self._total(k, y, x, v, up), k, y)
        return self._improve(pieces, item, owner, start, x, v, up, near) if pieces.tied else near

    def _total(
        self, k: FloatArray, y: FloatArray, x: FloatArray, v: FloatArray, up: bool
    ) -> FloatArray:
        shift = self.n_pos * v - y
        shift = np.maximum(shift, 0.0) if up else np.minimum(shift, 0.0)
        return self.cost(k, x, v, up) + deviance(y, self.n_pos, shift)

    def _improve(
        self, pieces: Pieces, item: CountArray, owner: CountArray, start: CountArray,
        x: FloatArray, v: FloatArray, up: bool, near: Near,
    ) -> Near:  # fmt: skip
        """Go on to the nearest points along tied segments, where the cost is convex."""
        # No point of a segment is nearer than its corner on the side of the asked point.
        corner = (
            (pieces.fp_start[item], pieces.tp_end[item])
            if up
            else (pieces.fp_end[item], pieces.tp_start[item])
        )
        slanted = pieces.fp_end[item] > pieces.fp_start[item]
        which = np.flatnonzero(
            slanted & (self._total(*corner, x[owner], v[owner], up) < near.distance[owner])
        )
        if not which.size:
            return near
        piece, x, v = item[which], x[owner[which]], v[owner[which]]
        x0, y0 = pieces.fp_start[piece], pieces.tp_start[piece]
        dx, dy = pieces.fp_end[piece] - x0, pieces.tp_end[piece] - y0
        left, right = np.zeros(which.size), np.ones(which.size)
        m = self.n_pos
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.log(v / (1.0 - v))
            for _ in range(32):  # the cost is flat at its minimum: half the digits are enough
                part = 0.5 * (left + right)
                k, y = x0 + part * dx, y0 + part * dy
                # Derivative of m d(y/m, v) by y: the difference of log odds.
                pull = np.log(y / (m - y)) - odds
                pull = np.minimum(pull, 0.0) if up else np.maximum(pull, 0.0)
                # Both infinite: no point of the piece is near.
                rises = dx * self.slope(k, x, v, up) + dy * pull > 0.0
                right, left = np.where(rises, part, right), np.where(rises, left, part)
        parts = np.array([0.5 * (left + right), np.zeros(which.size)])
        k, y = x0 + parts * dx, y0 + parts * dy
        inner = self._total(k, y, x, v, up)
        best = inner.argmin(axis=0), np.arange(which.size)
        value = np.full(item.size, np.inf)
        value[which] = inner[best]
        pick = last_least(value, owner, start)
        better = value[pick] < near.distance
        ks, ys = np.zeros(item.size), np.zeros(item.size)
        ks[which], ys[which] = k[best], y[best]
        return Near(
            *(
                np.where(better, new[pick], old)
                for new, old in zip((value, ks, ys), near, strict=True)
            )
        )

    def _find_edge(
        self, at: FloatArray, found: FloatArray, exact: BoolArray, up: bool
    ) -> FloatArray:
        """Find where the distance reaches the critical value, from a guess, where not exact.

        What one point of the curve reaches is inside. From there the point nearest now reaches
        farther, until it is the same point as before. Along a tied segment, where points are as
        near as the nearest to first order, the error is squared in each round.
        """
        if exact.any():
            rest = ~exact
            if rest.any():
                found[rest] = self._find_edge(at[rest], found[rest], exact[rest], up)
            return found
        todo = np.arange(at.size)
        inner, outer = self._inside(at, up), np.full(at.size, np.nan)
        way = self._outward if up else -self._outward
        found = way * np.maximum(way * found, way * inner)  # never behind the curve
        for trial in range(_ROUNDS):
            now = found[todo]
            near = self._nearest(*self._points(at[todo], now), up)
            if trial == 0 and (near.distance > self.critical_value).any():
                # From too far outside the nearest point may reach nowhere: start at the curve.
                found = np.where(near.distance > self.critical_value, inner, found)
                now, near = found, self._nearest(*self._points(at, found), up)
            within = near.distance <= self.critical_value
            inner[todo], outer[todo] = (
                np.where(within == side, now, old[todo])
                for side, old in ((True, inner), (False, outer))
            )
            going = np.abs(near.distance - self.critical_value) > _SAME
            todo, now, near = todo[going], now[going], Near(*(side[going] for side in near))
            if not todo.size:
                break
            new = self._reach(near, at[todo], now, up)
            # Never behind the curve: costs of 10^14 rows are rounded by about the critical value.
            new = way * np.maximum(way * new, way * inner[todo])
            # Of few steps the last may lead back to where another round was.
            stray = (new - inner[todo]) * (new - outer[todo]) >= 0.0  # not where one is unknown
            found[todo] = np.where(stray, 0.5 * (inner[todo] + outer[todo]), new)
            todo = todo[np.abs(found[todo] - now) > 1e-14]
        return found

    def _edges_at(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How far the ends of pieces lead below and above at each recall; exact without ties.

        An end leaves for its false positives what its true positives do not cost. Costs are convex
        in k and grow outward: once an end has led somewhere, only ends that cost less than the
        critical value there can lead farther, and a tangent of the cost in k leaves few of them.
        """
        ends, m, c, q = self._curves, self.n_pos, self.critical_value, v.size
        v = np.minimum(np.maximum(v, _EDGE), 1.0 - _EDGE)
        # Below, the curve is turned by half a circle.
        row, v = np.repeat([0, 1], q), np.concatenate((v, 1.0 - v))
        # Bernstein's inequality: where recall alone costs more than the critical value.
        far = np.sqrt(2.0 * c * m * v * (1.0 - v)) + 2.0 / 3.0 * c + 1.0
        first, last = ends.count_lower(row, np.array([m * v - far, m * v]))
        longest = int((last - first).max(initial=0))
        if longest * q > _MOST_CELLS and q > 1:
            parts = np.array_split(v[:q], min(q, 1 + longest * q // _MOST_CELLS))
            below, above = zip(*map(self._edges_at, parts), strict=True)
            return np.concatenate(below), np.concatenate(above)
        offset = np.arange(longest + 1)[:, None]
        piece = np.maximum(last - offset, first)
        k, y = ends.fp_end[piece], ends.tp_end[piece]
        miss = np.log1p(-v)
        left = y * (np.log(v) - miss)
        left -= ends.pos_entropy(piece)
        left += m * miss + c
        left[offset > last - first] = -1.0
        left[0] = c  # enough true positives, and only here
        each, low = np.arange(2 * q), row > 0
        near = np.where(left < 0.0, np.inf, self._roughly(k, left, v, q)).argmin(axis=0)
        base, slope, now = self._tangent(k[near, each], left[near, each], v, low)
        line = k * slope
        line += base
        np.maximum(line, 0.0, out=line)
        line -= left
        line[near, each] = -1.0
        owner, near = np.nonzero((line <= 0.0).T)
        k, left, v = k[near, owner], left[near, owner], v[owner]
        if m > MANY:
            left = c - deviance(y[near, owner], m, np.maximum(m * v - y[near, owner], 0.0))
        found = self._lead(k, np.maximum(left, 0.0), v, low[owner], now[owner])
        found = np.minimum.reduceat(found, np.searchsorted(owner, each))
        return found[q:], found[:q]

    def contains(self, x: FloatArray, v: FloatArray) -> bool:
        """Tell whether every point of a polyline lies inside; both coordinates never fall.

        Distances above grow with v and fall with x, so no point of a piece is farther than its
        north-west corner; pieces whose corner is outside are halved. Below likewise.
        """
        limit = self.critical_value + SLACK
        for up in (True, False):
            x0, x1, v0, v1 = x[:-1], x[1:], v[:-1], v[1:]
            if (self.distance(x, v, up) > limit).any():
                return False
            while x0.size:
                corner = (x0, v1) if up else (x1, v0)
                keep = self.distance(*corner, up) > limit
                # One of the planes is unbounded along x.
                keep &= (x1 - x0 > _TINY * np.maximum(x1, 1.0)) | (v1 - v0 > _TINY)
                x0, x1, v0, v1 = (side[keep] for side in (x0, x1, v0, v1))
                if not x0.size:
                    break
                xm, vm = 0.5 * (x0 + x1), 0.5 * (v0 + v1)
                if (self.distance(xm, vm, up) > limit).any():
                    return False
                x0, x1 = np.concatenate([x0, xm]), np.concatenate([xm, x1])
                v0, v1 = np.concatenate([v0, vm]), np.concatenate([vm, v1])
        return True


@dataclass(frozen=True, eq=False)
class PrecisionProfile(ProfileRegion):
    """The region in the plane of false positives per positive, w, and recall."""

    _outward: ClassVar[float] = -1.0

    def cost(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Return (m + k) d(k / (m + k), w / (1 + w))."""
        shift = (self.n_pos * x - k) / (1.0 + x)
        shift = np.minimum(shift, 0.0) if up else np.maximum(shift, 0.0)
        return deviance(k, self.n_pos + k, shift)

    def slope(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Return ln(k (1 + w) / ((m + k) w))."""
        with np.errstate(divide="ignore"):
            slope: FloatArray = np.log(k * (1.0 + x)) - np.log((self.n_pos + k) * x)
        return np.maximum(slope, 0.0) if up else np.minimum(slope, 0.0)

    def _entropy(self, fp: FloatArray) -> LazyTable:
        return LazyTable(lambda k, m: entropy(k, m + k), fp, self.n_pos)

    def _rank(
        self, pieces: Pieces, item: CountArray, owner: CountArray, x: FloatArray, v: FloatArray,
        up: bool,
    ) -> FloatArray:  # fmt: skip
        k, m = pieces.fp_end[item], self.n_pos
        none = np.log1p(x)
        share = np.log(np.maximum(x, 1e-300)) - none
        value = pieces.fp_entropy.take(item) - k * share[owner] + (m * none)[owner]
        counts = k > (m * x)[owner] if up else k < (m * x)[owner]
        return np.where(counts, value, 0.0)

    def _reach(self, near: Near, at: FloatArray, now: FloatArray, up: bool) -> FloatArray:
        """Find w where (m + k) d(k / (m + k), w / (1 + w)) is what recall leaves."""
        shift = self.n_pos * at - near.tp
        shift = np.maximum(shift, 0.0) if up else np.minimum(shift, 0.0)
        left = np.maximum(self.critical_value - deviance(near.tp, self.n_pos, shift), 0.0)
        return self._solve(near.fp, left, np.full(at.size, -1.0 if up else 1.0), now)

    def _solve(
        self,
        k: FloatArray,
        left: FloatArray,
        way: FloatArray,
        now: FloatArray,
        close: float = _CLOSE,
    ) -> FloatArray:
        """Find w where k false positives cost what is left, from `now` on."""
        m = self.n_pos
        # Without false positives the cost is m ln(1 + w), and 0 on the other side.
        some, all_, seen = k > 0.0, m + k, np.maximum(k, 1e-300)
        centre = np.log(seen / m)
        odds = way * np.maximum(way * np.log(np.maximum(now, 1e-300)), way * centre)
        odds *= some
        for _ in range(_ROUNDS):
            w = np.exp(odds)
            share = w / (1.0 + w)
            gap = left - deviance(k, all_, all_ * share - k)
            step = parabola_step(gap, way * (all_ * share - k), all_ * share * (1.0 - share))
            step *= some
            odds += way * step
            if np.abs(step).max(initial=0.0) < close:
                break
        return np.where(some, np.exp(odds), np.where(way > 0.0, np.expm1(left / m), 0.0))

    @staticmethod
    def _points(at: FloatArray, found: FloatArray) -> tuple[FloatArray, FloatArray]:
        return found, at

    def limits(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest w / (1 + w) at each recall."""
        many, few = self._edges_at(v)
        many = -many
        if self.tied:
            none = np.zeros(v.size, dtype=np.bool_)
            few, many = (
                self._find_edge(v, found, none, up) for found, up in ((few, True), (many, False))
            )
        return few / (1.0 + few), many / (1.0 + many)

    def _roughly(self, k: FloatArray, left: FloatArray, v: FloatArray, q: int) -> FloatArray:
        """Return about m w: noise is nearly that of a Poisson number."""
        np.subtract(self.n_neg, k[:, q:], out=k[:, q:])
        about = k * (2.0 / self.n_pos)
        about += 2.0
        about *= k
        about += 0.5 * self.critical_value
        about *= left
        np.sqrt(np.maximum(about, 0.0, out=about), out=about)
        about[:, :q] -= k[:, :q]
        about[:, q:] += k[:, q:]
        return np.negative(about, out=about)

    def _tangent(
        self, k: FloatArray, left: FloatArray, v: FloatArray, low: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        m, way = self.n_pos, np.where(low, 1.0, -1.0)
        # Noise is even in the logarithm of w.
        noise = way * np.sqrt(2.0 * left * (1.0 / np.maximum(k, 0.5) + 1.0 / m))
        w = self._solve(k, 0.995 * left, way, (k + 0.5) / m * np.exp(noise), 0.03)
        w, seen = np.maximum(w, 1e-300), np.maximum(k, 0.5)
        return (
            m * np.log(m * (1.0 + w) / (m + seen)),
            np.log(seen * (1.0 + w) / ((m + seen) * w)),
            w,
        )

    def _lead(
        self, k: FloatArray, left: FloatArray, v: FloatArray, low: BoolArray, now: FloatArray
    ) -> FloatArray:
        way = np.where(low, 1.0, -1.0)
        return -way * self._solve(k, left, way, now, 1e-4)

    def _inside(self, at: FloatArray, up: bool) -> FloatArray:
        pieces, m = self._pieces[up], self.n_pos
        if up:
            reached = np.searchsorted(pieces.tp_end, m * at, "left")
            piece = np.minimum(reached, pieces.tp_end.size - 1)
        else:
            piece = np.maximum(np.searchsorted(pieces.tp_start, m * at, "right") - 1, 0)
        # Start on the curve: from the far ends of a tied segment nothing seems nearer than they.
        along = m * at - pieces.tp_start[piece]
        share = pieces.share_along(piece, along, pieces.tp_end[piece] - pieces.tp_start[piece], up)
        start, end = pieces.fp_start[piece], pieces.fp_end[piece]
        return np.asarray((start + share * (end - start)) / m)

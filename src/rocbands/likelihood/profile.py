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

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rocbands._math.ragged import expand_ranges
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.margin import deviance

_HALVINGS = 60
# Points whose distances are computed at once.
_AT_ONCE = 256
# Pieces of a tested curve that are shorter than this, on both axes, count as inside.
_TINY = 1e-11


class _Pieces(NamedTuple):
    """Corners and tied segments of a curve, in counts, from the lowest up."""

    fp_start: FloatArray
    tp_start: FloatArray
    fp_end: FloatArray
    tp_end: FloatArray


def _find_pieces(fp: CountArray, tp: CountArray) -> tuple[_Pieces, _Pieces]:
    """North-west pieces of a curve, and its south-east pieces."""
    curves = Curves.from_counts(fp, tp)
    sides = (curves.fp_start, curves.tp_start, curves.fp_end, curves.tp_end)
    own = int(np.searchsorted(curves.fp_key, curves.n_neg + 0.5))
    # The second curve is the first one turned by half a circle: turn it back.
    x0, y0, x1, y1 = (side[own:][::-1] for side in sides)
    n, m = curves.n_neg, curves.n_pos
    return _Pieces(*(side[:own] for side in sides)), _Pieces(n - x1, m - y1, n - x0, m - y0)


@dataclass(frozen=True, eq=False)
class ProfileRegion(ABC):
    """All points of a plane with recall as one coordinate, within a critical value of a curve."""

    # low, high: counts (fp, tp) at the vertices of the lowest and of the highest curve, from (0,
    # 0); the same one twice without bins.
    low: tuple[CountArray, CountArray]
    high: tuple[CountArray, CountArray]
    critical_value: float  # the largest distance inside

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return int(self.low[1][-1])

    @property
    def n_neg(self) -> int:
        """Number of negatives."""
        return int(self.low[0][-1])

    @abstractmethod
    def cost(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Cost of k false positives at (x, v), where x lies on the asked side of them."""

    @abstractmethod
    def slope(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Differentiate the cost by k."""

    @cached_property
    def _pieces(self) -> tuple[_Pieces, _Pieces]:
        """Pieces to measure from below (south-east, lowest curve) and above (north-west)."""
        return _find_pieces(*self.low)[1], _find_pieces(*self.high)[0]

    def distance(self, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Measure how far each point is north-west (`up`) or south-east of the curve.

        Distances beyond the critical value may be returned too large, not too small.
        """
        parts = (slice(at, at + _AT_ONCE) for at in range(0, x.size or 1, _AT_ONCE))
        return np.concatenate([self._distances(x[part], v[part], up) for part in parts])

    def _distances(self, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        pieces, m = self._pieces[up], self.n_pos
        # Bernstein's inequality: where recall alone costs more than the critical value.
        scale = self.critical_value / m
        reach = np.sqrt(2.0 * scale * v * (1.0 - v)) + 2.0 / 3.0 * scale + SLACK
        if up:
            # From there to the first piece that reaches v; later ones have more false positives.
            first = np.searchsorted(pieces.tp_end, m * (v - reach), "left")
            last = np.searchsorted(pieces.tp_end, m * v, "left")
            last = np.minimum(last, pieces.tp_end.size - 1)
        else:
            first = np.searchsorted(pieces.tp_start, m * v, "right") - 1
            last = np.searchsorted(pieces.tp_start, m * (v + reach), "right") - 1
            first = np.maximum(first, 0)
        item, owner, start = expand_ranges(first, np.maximum(last - first, 0) + 1)
        x, v = x[owner], v[owner]
        ends = [
            self._total(fp[item], tp[item], x, v, up)
            for fp, tp in ((pieces.fp_start, pieces.tp_start), (pieces.fp_end, pieces.tp_end))
        ]
        value = np.minimum(*ends)
        slanted = pieces.fp_end[item] > pieces.fp_start[item]
        if slanted.any():
            best = np.minimum.reduceat(value, start)[owner]
            self._improve(pieces, item, x, v, up, value, slanted, best)
        least: FloatArray = np.minimum.reduceat(value, start)
        return least

    def _total(
        self, k: FloatArray, y: FloatArray, x: FloatArray, v: FloatArray, up: bool
    ) -> FloatArray:
        shift = self.n_pos * v - y
        shift = np.maximum(shift, 0.0) if up else np.minimum(shift, 0.0)
        return self.cost(k, x, v, up) + deviance(y, self.n_pos, shift)

    def _improve(
        self,
        pieces: _Pieces,
        item: CountArray,
        x: FloatArray,
        v: FloatArray,
        up: bool,
        value: FloatArray,
        slanted: BoolArray,
        best: FloatArray,
    ) -> None:
        """Lower `value`, in place, to the least along tied segments; the cost is convex there."""
        # No point of a segment is nearer than its corner on the side of the asked point.
        corner = (
            (pieces.fp_start[item], pieces.tp_end[item])
            if up
            else (pieces.fp_end[item], pieces.tp_start[item])
        )
        which = np.flatnonzero(slanted & (self._total(*corner, x, v, up) < best))
        if not which.size:
            return
        piece, x, v = item[which], x[which], v[which]
        x0, y0 = pieces.fp_start[piece], pieces.tp_start[piece]
        dx, dy = pieces.fp_end[piece] - x0, pieces.tp_end[piece] - y0
        left, right = np.zeros(which.size), np.ones(which.size)
        m = self.n_pos
        for _ in range(32):  # the cost is flat at its minimum: half the digits are enough
            part = 0.5 * (left + right)
            k, y = x0 + part * dx, y0 + part * dy
            # Derivative of m d(y/m, v) by y: the difference of log odds.
            with np.errstate(divide="ignore"):
                pull = np.log(y / (m - y)) - np.log(v / (1.0 - v))
            pull = np.minimum(pull, 0.0) if up else np.maximum(pull, 0.0)
            with np.errstate(invalid="ignore"):  # both infinite: no point of the piece is near
                rises = dx * self.slope(k, x, v, up) + dy * pull > 0.0
            right, left = np.where(rises, part, right), np.where(rises, left, part)
        part = 0.5 * (left + right)
        inner = self._total(x0 + part * dx, y0 + part * dy, x, v, up)
        value[which] = np.minimum(value[which], inner)

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

    def limits(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest w / (1 + w) at each recall."""
        # The distance above falls in w and is 0 for many, infinite for none unless none was seen;
        # the distance below rises in w without bound.
        ends = []
        for up in (True, False):

            def distance(q: FloatArray, at: FloatArray, up: bool = up) -> FloatArray:
                return self.distance(q / (1.0 - q), at, up)

            zero, one = np.zeros(v.size), np.full(v.size, 1.0 - 2.0**-53)
            within, beyond = (one, zero) if up else (zero, one)
            ends.append(_find_edge(distance, v, within, beyond, self.critical_value))
        return ends[0], ends[1]


@dataclass(frozen=True, eq=False)
class GainsProfile(ProfileRegion):
    """The region in the plane of the rate, the share of all cases called positive, and recall."""

    def _cells(
        self, k: FloatArray, x: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Most likely shares of positives, false positives and true negatives."""
        m, n = self.n_pos, self.n_neg
        a = v * (1.0 - v) * (m + n)
        b = m * (x * (1.0 - v) + (1.0 - x) * v) + k * v * (1.0 - x) + (n - k) * (1.0 - v) * x
        c = m * x * (1.0 - x)
        # The smaller root, written without a difference that cancels.
        root = np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))
        p = 2.0 * c / np.maximum(b + root, 1e-300)
        return p, np.maximum(x - p * v, 0.0), np.maximum(1.0 - x - p * (1.0 - v), 0.0)

    def cost(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Log-likelihood ratio of positives, false positives and true negatives."""
        m, n = self.n_pos, self.n_neg
        expected = (m + n) * x - m * v
        total = np.zeros(np.broadcast_shapes(k.shape, x.shape))
        with np.errstate(divide="ignore"):
            for seen, share in zip((np.asarray(m), k, n - k), self._cells(k, x, v), strict=True):
                # An empty cell contributes 0 ln 0 = 0.
                ratio = np.where(seen > 0, np.maximum(seen, 1e-300) / ((m + n) * share), 1.0)
                total += seen * np.log(ratio)
        counts = k > expected if up else k < expected
        return np.where(counts, np.maximum(total, 0.0), 0.0)

    def slope(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Differentiate by k at the best prevalence, which may be held fixed there."""
        _, false, true = self._cells(k, x, v)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.log(k / false) - np.log((self.n_neg - k) / true)
        expected = (self.n_pos + self.n_neg) * x - self.n_pos * v
        counts = k > expected if up else k < expected
        return np.where(counts, slope, 0.0)

    def limits(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest recall at each rate."""
        ends = []
        for up in (False, True):

            def distance(v: FloatArray, at: FloatArray, up: bool = up) -> FloatArray:
                return self.distance(at, v, up)

            zero, one = np.zeros(x.size), np.ones(x.size)
            within, beyond = (zero, one) if up else (one, zero)
            ends.append(_find_edge(distance, x, within, beyond, self.critical_value))
        # At rate 0 and 1 recall is 0 and 1 whatever the data.
        low, high = (np.where(x <= 0.0, 0.0, np.where(x >= 1.0, 1.0, end)) for end in ends)
        return low, high


def _find_edge(
    distance: Callable[[FloatArray, FloatArray], FloatArray],
    at: FloatArray,
    within: FloatArray,
    beyond: FloatArray,
    critical_value: float,
) -> FloatArray:
    """Find where the distance reaches the critical value between `within` and `beyond`.

    Distances grow like squares, so their roots are nearly straight: false position in the
    Illinois variant, with a halving now and then, keeps a bracket.
    """
    target = math.sqrt(critical_value)

    def excess(x: FloatArray, at: FloatArray) -> FloatArray:
        value: FloatArray = np.minimum(np.sqrt(distance(x, at)), 1e3) - target
        return value

    over = excess(beyond, at)
    found = np.where(over <= 0.0, beyond, within)
    todo = np.flatnonzero(over > 0.0)
    a, b, fb = within[todo], beyond[todo], over[todo]
    fa = excess(a, at[todo])
    for trial in range(_HALVINGS):
        if not todo.size:
            break
        halve = trial % 4 == 3
        x = 0.5 * (a + b) if halve else (a * fb - b * fa) / (fb - fa)
        value = excess(x, at[todo])
        inside = value <= 0.0
        # An end that stays counts half the next time, so that the other one moves.
        fb = np.where(inside, fb if halve else 0.5 * fb, value)
        fa = np.where(inside, value, fa if halve else 0.5 * fa)
        a, b = np.where(inside, x, a), np.where(inside, b, x)
        found[todo] = x
        going = (np.abs(value) > 1e-12) & (np.abs(b - a) > 1e-15)
        todo = todo[going]
        a, b, fa, fb = (part[going] for part in (a, b, fa, fb))
    return found

"""Likelihood regions of precision-recall and gains curves when the prevalence is estimated.

The rows are a sample of N from one population, so the number m of positives is random, too. The
distance of a point from the empirical curve is the log-likelihood ratio of the counts, minimised
over the prevalence and over the points of the curve: (P1) of docs/likelihood.md, "Profiles". This
module has what both planes share and precision-recall, (P2) to (P5); gains, (P6) to (P10), are in
:mod:`rocbands.likelihood.gains`.

A reference implementation, which searches all prevalences and points, is
tests/oracles/profile.py, compared in tests/likelihood/test_profile.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rocbands._math.products import expand_ranges
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.curves import Curves, entropy
from rocbands.likelihood.margin import deviance, parabola_step
from rocbands.likelihood.nearest import last_least

_MOST_PAIRS = 1 << 22  # of a point and a piece, evaluated together: limits the memory
_LONG = 96  # windows of more pieces are searched by blocks
# Above this number of positives, differences of tabulated entropies lose too many digits.
_LARGE = 10**6
SMALLEST = 1e-15  # distance of a recall from 0 and 1
TINY = 1e-300  # instead of 0, where a logarithm or a quotient is multiplied by 0 afterwards
ROUNDS = 60  # of Newton steps: about five are needed
# Pieces of a tested curve that are shorter than this on both axes count as inside.
_SHORTEST = 1e-11
# Stop once the distance is this close to the critical value, after one final step (E13), which is
# limited: near recall 1 the slope is 0 but for rounding.
_SAME = 1e-7
_LAST_STEP = 1e-4


class ProfileMinimum(NamedTuple):
    """Distances (P1) of points, and the points of the curve, in counts, that attain them."""

    distance: FloatArray
    fp: FloatArray
    tp: FloatArray
    inside: BoolArray  # whether that point is inside a tied segment, not an end of one


@dataclass(frozen=True, eq=False)
class ProfileRegion(ABC):
    """Points (x, v) of a plane with recall v as ordinate, within a critical value of a curve.

    All searches look north-west of a curve. The lower side is the upper side after half a rotation,
    (fp, tp) to (n - fp, m - tp): `row` is 0 above the curve and 1 below it, and recalls and counts
    of row 1 are complements. In the code k and y are i and j of the formulas.
    """

    # A plane is defined by its cost (P2) or (P7) with its derivative, `cost` and `_cost_slope`; by
    # what edges at a recall need, (P3) and (P4), `_approximate`, `_tangent` and `_solve`; and by
    # what edges in general need, (P5), `_point` and `_derivatives`. `_rotate` and
    # `_false_positives` say which of its coordinates row 1 has as complements.

    # low, high: counts (fp, tp) at the vertices of the lowest and of the highest curve, from
    # (0, 0). They differ with binned scores only.
    low: tuple[CountArray, CountArray]
    high: tuple[CountArray, CountArray]
    critical_value: float
    curves: tuple[Curves, Curves] | None = None  # both reduced to pieces, if that has been done

    @cached_property
    def n_pos(self) -> int:
        """Number of positives."""
        return int(self.low[1][-1])

    @cached_property
    def n_neg(self) -> int:
        """Number of negatives."""
        return int(self.low[0][-1])

    @cached_property
    def _curves(self) -> Curves:
        """Pieces of the highest curve, and of the lowest one after half a rotation (row 1)."""
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

    @staticmethod
    def _rotate(row: CountArray, x: FloatArray) -> FloatArray:
        """Abscissae with the complement of those of row 1, if the plane has a largest one."""
        return x

    def _false_positives(self, row: CountArray, k: FloatArray) -> FloatArray:
        """Return counts as `_approximate`, `_tangent` and `_solve` take them."""
        return k

    @abstractmethod
    def cost(self, row: CountArray, k: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        """Profile cost Q of k false positives at (x, v); 0 where x is on the curve's side of k."""

    @abstractmethod
    def _cost_slope(
        self, row: CountArray, k: FloatArray, x: FloatArray, v: FloatArray
    ) -> FloatArray:
        """Differentiate the cost by k."""

    @abstractmethod
    def _approximate(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray
    ) -> FloatArray:
        """Return a cheap approximation of m x (precision) or N x (gains), signed as in `_solve`.

        Only its argmin is used.
        """

    @abstractmethod
    def _tangent(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Intercept and slope of a tangent of the cost in k, (P4), and a start for `_solve`."""

    @abstractmethod
    def _solve(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray, start: FloatArray
    ) -> FloatArray:
        """Find x where k false positives cost the budget, signed so that smaller is farther."""

    @abstractmethod
    def _point(
        self, row: CountArray, fixed: FloatArray, t: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Point (x, v): one coordinate is `fixed`, t is the other as logarithm or log odds."""

    @abstractmethod
    def _derivatives(
        self, row: CountArray, near: ProfileMinimum, fixed: FloatArray, t: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """First and second derivative of the distance by t outward, the nearest point fixed."""

    def distance(self, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Distance of each point north-west (`up`) or south-east of the curve, (P1).

        Distances beyond the critical value may be returned too large, not too small.
        """
        row = np.full(x.size, int(not up))
        return self._nearest(row, self._rotate(row, x), v if up else 1.0 - v).distance

    def _windows(self, row: CountArray, v: FloatArray) -> tuple[CountArray, CountArray]:
        """First and last piece that can be nearest to a point of recall v.

        Before the first, recall alone costs more than the critical value (Bernstein's inequality).
        The last has enough true positives; later ones have only more false positives.
        """
        m, c, curves = self.n_pos, self.critical_value, self._curves
        # (E10) for the positives, in counts; one more for rounding.
        far = np.sqrt(2.0 * c * m * v * (1.0 - v)) + 2.0 / 3.0 * c + 1.0
        first, last = curves.count_lower(row, np.array([m * v - far, m * v]))
        return first, last

    def _nearest(self, row: CountArray, x: FloatArray, v: FloatArray) -> ProfileMinimum:
        """Minimise (P1) over the pieces of each point's window."""
        first, last = self._windows(row, v)
        length, owner = np.maximum(last - first, 0) + 1, np.arange(x.size)
        if length.max(initial=0) > _LONG:
            first, length, owner = self._promising_blocks(first, length, row, x, v)
        if length.sum() > _MOST_PAIRS and x.size > 1:
            return ProfileMinimum(*_in_parts(self._nearest, 2, row, x, v))
        # One entry for each pair of a point (`owner`) and a piece (`item`).
        item, block, _ = expand_ranges(first, length)
        owner, curves = owner[block], self._curves
        start = np.searchsorted(owner, np.arange(x.size))
        k, y = curves.fp_end[item], curves.tp_end[item]
        row, x, v = row[owner], x[owner], v[owner]
        value, inside = self._total(row, k, y, x, v), np.zeros(k.size, dtype=np.bool_)
        if curves.slanted is not None:
            # No point of a segment is nearer than its north-west corner.
            corner = self._total(row, curves.fp_start[item], y, x, v)
            may = curves.slanted[item] & (corner < np.minimum.reduceat(value, start)[owner])
            index = np.flatnonzero(may)
            on_segments = self._along_segments(item[index], row[index], x[index], v[index])
            better = on_segments.distance < value[index]
            for pairs, nearer in zip((value, k, y, inside), on_segments, strict=True):
                pairs[index[better]] = nearer[better]
        pick = last_least(value, owner, start)
        return ProfileMinimum(value[pick], k[pick], y[pick], inside[pick])

    def _promising_blocks(
        self, first: CountArray, length: CountArray, row: CountArray, x: FloatArray, v: FloatArray
    ) -> tuple[CountArray, CountArray, CountArray]:
        """Cut windows into blocks of about sqrt(length) pieces; drop those excluded by (E7).

        From 10^5 rows on distances are found two to three times as fast. Returns blocks and the
        number of the point of each.
        """
        step = np.ceil(np.sqrt(length)).astype(np.int64)
        block, owner, start = expand_ranges(np.zeros_like(first), -(-length // step))
        low = first[owner] + block * step[owner]
        high = np.minimum(low + step[owner], first[owner] + length[owner]) - 1
        curves, point = self._curves, (x[owner], v[owner])
        # What the start of the block costs, and the least that any of its points can cost.
        cost = self.cost(row[owner], curves.fp_start[low], *point)
        attained = cost + self._recall_cost(curves.tp_start[low], point[1])
        corner = cost + self._recall_cost(curves.tp_end[high], point[1])
        keep = corner <= np.minimum.reduceat(attained, start)[owner]
        return low[keep], (high - low + 1)[keep], owner[keep]

    def _total(
        self, row: CountArray, k: FloatArray, y: FloatArray, x: FloatArray, v: FloatArray
    ) -> FloatArray:
        """Sum in (P1) at the point (k, y) of the curve, in counts."""
        return self.cost(row, k, x, v) + self._recall_cost(y, v)

    def _recall_cost(self, y: FloatArray, v: FloatArray) -> FloatArray:
        return deviance(y, self.n_pos, np.maximum(self.n_pos * v - y, 0.0))

    def _along_segments(
        self, piece: CountArray, row: CountArray, x: FloatArray, v: FloatArray
    ) -> ProfileMinimum:
        """Minimise along tied segments, where the sum is convex, by bisection of its slope (E8)."""
        curves, m = self._curves, self.n_pos
        fp0, tp0 = curves.fp_start[piece], curves.tp_start[piece]
        d_fp, d_tp = curves.fp_end[piece] - fp0, curves.tp_end[piece] - tp0
        halvings = 32 if piece.size else 0  # at its minimum the sum is flat: half of the digits do
        left, right = np.zeros(piece.size), np.ones(piece.size)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_odds = np.log(v / (1.0 - v))
            for _ in range(halvings):
                tau = 0.5 * (left + right)
                k, y = fp0 + tau * d_fp, tp0 + tau * d_tp
                # The derivative of m d(y/m, v) by y is a difference of log odds.
                slope = np.minimum(np.log(y / (m - y)) - log_odds, 0.0) * d_tp
                slope += d_fp * self._cost_slope(row, k, x, v)
                # NaN (both terms infinite) counts as falling: all distances are infinite anyway.
                rises = slope > 0.0
                right, left = np.where(rises, tau, right), np.where(rises, left, tau)
        # The start of a segment, which bisection never visits, may be the only possible point.
        tau = 0.5 * (left + right)
        inner, start = (
            self._total(row, fp0 + fraction * d_fp, tp0 + fraction * d_tp, x, v)
            for fraction in (tau, np.zeros(1))
        )
        tau = np.where(inner <= start, tau, 0.0)
        nearest = fp0 + tau * d_fp, tp0 + tau * d_tp
        return ProfileMinimum(np.minimum(inner, start), *nearest, tau > 0.0)

    def _on_curve(
        self, row: CountArray, place: FloatArray, negatives: float
    ) -> tuple[FloatArray, FloatArray]:
        """Find counts (fp, tp) of the curve where tp + `negatives` fp is at a place; 0 or 1."""
        curves, all_ = self._curves, self.n_pos + self.n_neg + 1.0
        # Keys: pieces of row 1 come after those of row 0.
        stop = curves.tp_end + negatives * curves.fp_end
        stop[curves.half :] += all_
        piece = np.searchsorted(stop, place + row * all_)
        piece = np.minimum(piece, np.where(row > 0, stop.size, curves.half) - 1)
        fp0, fp1 = curves.fp_start[piece], curves.fp_end[piece]
        tp0, tp1 = curves.tp_start[piece], curves.tp_end[piece]
        # A corner has no length: its end. Before a segment's start the place is on a step.
        start, length = tp0 + negatives * fp0, tp1 - tp0 + negatives * (fp1 - fp0)
        tau = np.divide(place - start, length, out=np.ones(row.size), where=length > 0.0)
        tau = np.maximum(tau, 0.0)
        fp, tp = fp0 + tau * (fp1 - fp0), tp0 + tau * (tp1 - tp0)
        # Steps go right from the end of the piece before, then up.
        before = np.where(piece > row * curves.half, curves.tp_end[piece - 1], 0.0)
        return fp, np.maximum(np.minimum(tp, place - negatives * fp), before)

    def _find_edges(
        self,
        row: CountArray,
        fixed: FloatArray,
        t: FloatArray,
        inner: FloatArray,
        outer: FloatArray,
    ) -> FloatArray:
        """Move t outward to where the distance is the critical value, by Newton steps (P5).

        `inner`, `outer`: values of t inside and outside; `outer` may be NaN (unknown), `inner` must
        be finite. The nearest point is found again before each step. The distance has the
        derivative that it has with this point held fixed (envelope theorem), so steps converge
        quadratically along a tied segment, and cubically while the nearest point is one corner.
        """
        t, todo = t.copy(), np.arange(t.size)
        # Costs of N rows are rounded by about 1e-16 N. The slope is about sqrt(N) by v, so v is off
        # by 1e-16 sqrt(N) only.
        same = _SAME + min(1e-16 * (self.n_pos + self.n_neg), 1e-6)
        for trial in range(ROUNDS):
            now, rows = t[todo], row[todo]
            point = self._point(rows, fixed[todo], now)
            near = self._nearest(rows, *point)
            gap = self.critical_value - near.distance
            # The distance is nondecreasing outward: narrow the bracket.
            low = np.where(gap >= 0.0, now, inner[todo])
            high = np.where(gap < 0.0, now, outer[todo])
            slope, curvature = self._derivatives(rows, near, fixed[todo], now)
            # While the nearest point moves along a segment the distance is about a parabola that
            # is 0 on the curve: its second derivative is slope^2 / (2 distance).
            moving = near.inside & (near.distance > 1e-8)
            parabola = 0.5 * slope * slope / np.maximum(near.distance, 1e-8)
            step = parabola_step(gap, slope, np.where(moving, parabola, curvature))
            new, last = now + step, now + np.clip(step, -_LAST_STEP, _LAST_STEP)
            # Newton steps may cycle at a kink, where one of the two costs becomes positive: from
            # the eighth trial on every other one halves the bracket.
            stray = (new <= low) | (new >= high) | (trial > 6 and trial % 2 == 1)
            new = np.where(stray & (high > low), 0.5 * (low + high), np.maximum(new, low))
            # A final step needs no bracket: it is short.
            close = np.abs(gap) <= same
            t[todo] = np.where(close, last, new)
            inner[todo], outer[todo] = low, high
            # Near recall 1 the distance has no more digits than the recall: stop where it stays.
            moved = np.subtract(self._point(rows, fixed[todo], t[todo]), point)
            todo = todo[~close & (np.abs(moved).max(axis=0) > 1e-15)]
            if not todo.size:
                break
        return t

    def _edges_at(self, row: CountArray, v: FloatArray) -> FloatArray:
        """Outermost root of (P3) over the ends of pieces at each recall; exact without ties.

        An end that costs more than its budget at the root of another has its own root inside that
        one. A tangent of the convex cost, (P4), excludes nearly all ends without a logarithm.
        """
        curves, m, c = self._curves, self.n_pos, self.critical_value
        v = np.minimum(np.maximum(v, SMALLEST), 1.0 - SMALLEST)
        first, last = self._windows(row, v)
        longest = int((last - first).max(initial=0))
        if longest * v.size > _MOST_PAIRS and v.size > 1:
            parts = min(v.size, 1 + longest * v.size // _MOST_PAIRS)
            return np.asarray(
                _in_parts(lambda *columns: (self._edges_at(*columns),), parts, row, v)[0]
            )
        # One column for each recall, from the last piece of its window back; short ones repeat.
        offset = np.arange(longest + 1)[:, None]
        piece = np.maximum(last - offset, first)
        k, y = self._false_positives(row, curves.fp_end[piece]), curves.tp_end[piece]
        # Budget c - D_m(y, v) by (E5): one logarithm for each column, and tabulated entropies if
        # there are fewer pieces than entries.
        log_miss = np.log1p(-v)
        budget = y * (np.log(v) - log_miss)
        budget -= curves.tp_entropy(piece) if y.size > curves.tp_end.size else entropy(y, m)
        budget += m * log_miss + c
        budget[offset > last - first] = -1.0  # repeated
        budget[0] = c  # only here are there enough true positives
        # The outermost root by an approximation, and the tangent near it.
        each = np.arange(v.size)
        rough = np.where(budget < 0.0, np.inf, self._approximate(row, k, v, budget))
        best = rough.argmin(axis=0)
        base, slope, start = self._tangent(row, k[best, each], v, budget[best, each])
        line = k * slope
        line += base
        np.maximum(line, 0.0, out=line)
        line -= budget
        line[best, each] = -1.0  # keep the end itself, whatever the rounding
        # The ends that are left are solved: 2 or 3 of each column at 10^3 rows, 4 at 10^4.
        owner, end = np.nonzero((line <= 0.0).T)
        k, y, v, row = k[end, owner], y[end, owner], v[owner], row[owner]
        budget = budget[end, owner]
        if m > _LARGE:
            budget = c - deviance(y, m, np.maximum(m * v - y, 0.0))
        roots = self._solve(row, k, v, np.maximum(budget, 0.0), start[owner])
        return np.minimum.reduceat(roots, np.searchsorted(owner, each))

    def contains(self, x: FloatArray, v: FloatArray) -> bool:
        """Tell whether a polyline, both of whose coordinates are nondecreasing, lies inside.

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
                keep = self.distance(*corner, up) > limit  # else the whole piece is inside
                # The precision-recall plane is unbounded along x.
                keep &= (x1 - x0 > _SHORTEST * np.maximum(x1, 1.0)) | (v1 - v0 > _SHORTEST)
                x0, x1, v0, v1 = (ends[keep] for ends in (x0, x1, v0, v1))
                xm, vm = 0.5 * (x0 + x1), 0.5 * (v0 + v1)
                if (self.distance(xm, vm, up) > limit).any():
                    return False
                x0, x1 = np.concatenate([x0, xm]), np.concatenate([xm, x1])
                v0, v1 = np.concatenate([v0, vm]), np.concatenate([vm, v1])
        return True


def _in_parts(
    function: Callable[..., tuple[Any, ...]], parts: int, *columns: Any
) -> tuple[Any, ...]:
    """Apply a function to parts of columns, and join each of the columns that it returns."""
    split = zip(*(np.array_split(column, parts) for column in columns), strict=True)
    results = zip(*(function(*columns) for columns in split), strict=True)
    return tuple(np.concatenate(column) for column in results)


@dataclass(frozen=True, eq=False)
class PrecisionProfile(ProfileRegion):
    """The region in the plane of false positives per positive, w, and recall, (P2)."""

    # w has no largest value, so that it has no complement: only recalls and counts have.

    def _false_positives(self, row: CountArray, k: FloatArray) -> FloatArray:
        return self.n_neg * row - _outward(row) * k

    def cost(self, row: CountArray, k: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return (m + k) d(k / (m + k), w / (1 + w)), (P2): without the true negatives."""
        k = self._false_positives(row, k)
        # Expected less observed false positives, out of m + k; it counts on one side only.
        shift = (self.n_pos * x - k) / (1.0 + x)
        shift = np.where(row > 0, np.maximum(shift, 0.0), np.minimum(shift, 0.0))
        return deviance(k, self.n_pos + k, shift)

    def _cost_slope(
        self, row: CountArray, k: FloatArray, x: FloatArray, v: FloatArray
    ) -> FloatArray:
        """Return ln(k (1 + w) / ((m + k) w)); of row 1 the sign changes."""
        k = self._false_positives(row, k)
        with np.errstate(divide="ignore"):
            slope: FloatArray = np.log(k * (1.0 + x)) - np.log((self.n_pos + k) * x)
        return np.maximum(np.where(row > 0, -slope, slope), 0.0)

    def limits(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest w / (1 + w) at each recall."""
        row, v = np.repeat([0, 1], v.size), np.concatenate((v, 1.0 - v))  # both sides at once
        w = np.abs(self._edges_at(row, v))
        if self.tied:
            # `_edges_at` looks only at the ends of pieces. The start of a tied segment may have no
            # false positives, and then w = 0 is possible.
            none = self._nearest(row, np.zeros(w.size), v).distance <= self.critical_value
            w[none & (row == 0)] = 0.0
            todo = np.flatnonzero(w)
            row, v, sign = row[todo], v[todo], _outward(row[todo])
            # Inside the curve all distances are 0, which tells nothing about the step: start on it.
            k = self._false_positives(row, self._on_curve(row, self.n_pos * v, 0.0)[0])
            inner = sign * np.log(np.maximum(k / self.n_pos, TINY))
            start = np.maximum(sign * np.log(w[todo]), inner)
            t = self._find_edges(row, v, start, inner, np.full(v.size, np.nan))
            w[todo] = np.exp(sign * t)
        few, many = np.split(w / (1.0 + w), 2)
        return few, many

    def _point(
        self, row: CountArray, fixed: FloatArray, t: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        return np.exp(_outward(row) * t), fixed

    def _derivatives(
        self, row: CountArray, near: ProfileMinimum, fixed: FloatArray, t: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """By ln w: (m + k) q - k and (m + k) q (1 - q), with q = w / (1 + w)."""
        k, sign = self._false_positives(row, near.fp), _outward(row)
        called, share = self.n_pos + k, 1.0 / (1.0 + np.exp(-sign * t))
        return np.maximum(sign * (called * share - k), 0.0), called * share * (1.0 - share)

    def _approximate(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray
    ) -> FloatArray:
        """Approximate m w by k -+ sqrt(2 budget k (1 + k / m)), as k / m is a ratio of counts."""
        noise = k * (2.0 / self.n_pos)
        noise += 2.0
        noise *= k
        noise += 0.5 * self.critical_value  # so that no false positives have some noise, too
        noise *= budget
        np.sqrt(np.maximum(noise, 0.0, out=noise), out=noise)
        return np.subtract(-_outward(row) * k, noise, out=noise)

    def _tangent(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Tangent (P4) at k of the cost at a w a little inside of where it is the budget."""
        m, sign, some = self.n_pos, _outward(row), np.maximum(k, 0.5)
        # The noise of ln w has the variance 1/k + 1/m.
        noise = sign * np.sqrt(2.0 * budget * (1.0 / some + 1.0 / m))
        # 0.5% inside: budgets by (E5) are rounded, and no end within rounding may be excluded. The
        # tangent need not be at the exact root, so a step of 0.03 in ln w is close enough.
        w = self._find_w(sign, k, 0.995 * budget, (k + 0.5) / m * np.exp(noise), 0.03)
        w = np.maximum(w, TINY)
        base = m * np.log(m * (1.0 + w) / (m + some))
        return base, np.log(some * (1.0 + w) / ((m + some) * w)), w

    def _solve(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray, start: FloatArray
    ) -> FloatArray:
        # Steps (E13) converge cubically: after one of 1e-4 the error is about 1e-12.
        sign = _outward(row)
        return -sign * self._find_w(sign, k, budget, start, 1e-4)

    def _find_w(
        self, sign: FloatArray, k: FloatArray, budget: FloatArray, start: FloatArray, close: float
    ) -> FloatArray:
        """Find w where k false positives cost the budget, (P2), by steps (E13) in ln w."""
        m = self.n_pos
        # Without false positives the cost is m ln(1 + w), and 0 on the other side.
        some, called, seen = k > 0.0, m + k, np.maximum(k, TINY)
        # From the start, but not from the inner side of k / m, where the cost is 0.
        t = sign * np.maximum(sign * np.log(np.maximum(start, TINY)), sign * np.log(seen / m))
        t *= some
        for _ in range(ROUNDS):
            w = np.exp(t)
            share = w / (1.0 + w)
            gap = budget - deviance(k, called, called * share - k)
            step = parabola_step(gap, sign * (called * share - k), called * share * (1.0 - share))
            step *= some
            t += sign * step
            if np.abs(step).max(initial=0.0) < close:
                break
        return np.where(some, np.exp(t), np.where(sign > 0.0, np.expm1(budget / m), 0.0))


def _outward(row: CountArray) -> FloatArray:
    """Sign of the direction of w away from the curve: fewer false positives above it."""
    return np.asarray(2.0 * row - 1.0, dtype=np.float64)

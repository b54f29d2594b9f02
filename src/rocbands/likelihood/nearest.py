"""Distance of points from empirical curves: the least cost over the pieces of a curve.

Formulas (E3) to (E8) and (E10) of docs/likelihood.md. The slow version is `distance_up` in
tests/oracles/likelihood.py, compared in tests/likelihood/test_nearest.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands._math.products import expand_ranges
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.margin import LEFT, RIGHT, Margins, log_rates

# Candidates evaluated at once: temporaries that fit the cache, and that malloc recycles.
_CHUNK = 1 << 15
# Windows of more pieces are searched by blocks.
_LONG = 96
# Counts this close to 0 or to all are moved inside, where derivatives are finite.
_INSIDE = 1e-7


class Nearest(NamedTuple):
    """Distances, and the empirical points, in counts, and pieces where they are attained."""

    distance: FloatArray
    fp: FloatArray
    tp: FloatArray
    piece: CountArray

    def take(self, keep: BoolArray | CountArray) -> Nearest:
        """Keep some of the points."""
        return Nearest(self.distance[keep], self.fp[keep], self.tp[keep], self.piece[keep])


def nearest(
    curves: Curves, row: CountArray, u: FloatArray, v: FloatArray, c: float | None = None
) -> Nearest:
    """Measure how far north-west of curve `row` each point (u, v) lies, by (E3).

    Returns distance 0 and a point of the curve at or beyond (u, v) where the curve reaches it. With
    `c`, distances that exceed it may be reported larger than they are.
    """
    # The window of (E4): earlier pieces lie below the first one, later ones right of the last, and
    # those beyond (E10) cost more than c.
    first, last = curves.starting(row, u), curves.reaching(row, v)
    cut: bool | BoolArray = False
    if c is not None:
        farthest = curves.starting(row, farthest_fpr(curves.margins, u, c))
        cut, last = farthest < last, np.minimum(last, farthest)
    at = np.minimum(first, last)
    out = Nearest(np.zeros(u.size), curves.fp_end[at], curves.tp_end[at], at)
    # A corner that is first and last at once dominates the point; a lone segment may not, nor a
    # corner that is last only because of `c`.
    wide = (last > first) | cut
    if curves.slanted is not None:
        wide |= (last == first) & curves.slanted[at]
    open_ = np.flatnonzero(wide)
    length = last[open_] - first[open_] + 1
    # Costs computed for a long window, about: for its sqrt(length) blocks, and for the pieces of
    # some seven blocks that (E7) leaves. The numbers do not depend on this estimate.
    for chunk in _chunks(open_, np.minimum(length, 8.0 * np.sqrt(length))):
        found = _minimise_windows(curves, first[chunk], last[chunk], u[chunk], v[chunk])
        for whole, new in zip(out, found, strict=True):
            whole[chunk] = new
    return out


def farthest_fpr(margins: Margins, u: FloatArray, c: float) -> FloatArray:
    """FPR beyond which the false positives alone cost more than c, by Bernstein's bound (E10)."""
    scale, weight = c / margins.neg.effective, margins.neg.weight
    far = u + np.sqrt(2.0 * scale * u * (1.0 - u)) + (8.0 / 3.0 - 2.0 * weight) * scale
    return np.minimum(far, 1.0)


def _chunks(index: CountArray, weight: FloatArray) -> list[CountArray]:
    """Cut `index` where the accumulated weight passes multiples of the chunk size."""
    if not index.size:
        return []
    number = (np.cumsum(weight) // _CHUNK).astype(np.int64)
    if number[-1] == 0:
        return [index]
    return np.split(index, np.flatnonzero(np.diff(number)) + 1)


def _minimise_windows(
    curves: Curves, first: CountArray, last: CountArray, u: FloatArray, v: FloatArray
) -> Nearest:
    """Minimise over windows, whole where short, by blocks where long."""
    margins = curves.margins
    length = last - first + 1
    if length.max() > _LONG:
        query = np.arange(u.size)
        while length.max() > _LONG:
            first, length, query = _select_blocks(curves, first, length, query, u, v)
        item, block, _ = expand_ranges(first, length)
        query = query[block]
        start = np.searchsorted(query, np.arange(u.size))
    else:
        item, query, start = expand_ranges(first, length)
    if curves.slanted is None and curves.future is None:
        value = _tabulated_costs(curves, item, query, u, v)
        pick = item[last_least(value, query, start)]
        fp, tp = curves.fp_end[pick], curves.tp_end[pick]
        # (E6) of the chosen corner alone: (E5) has told which it is, but has lost digits.
        return Nearest(margins.cost(fp, tp, u, v), fp, tp, pick)
    fp, tp = curves.fp_end[item], curves.tp_end[item]
    found = Nearest(margins.cost(fp, tp, u[query], v[query]), fp, tp, item)
    if curves.slanted is not None:
        _minimise_segments(curves, found, query, start, u, v)
    return found.take(last_least(found.distance, query, start))


def last_least(value: FloatArray, query: CountArray, start: CountArray) -> CountArray:
    """Place of the least value of each query; of equal ones the last."""
    least = np.minimum.reduceat(value, start)
    hit = (value <= least.take(query)).nonzero()[0]
    pick = np.empty(start.size, dtype=np.int64)
    pick[query.take(hit)] = hit  # later assignments win
    return pick


def _tabulated_costs(
    curves: Curves, item: CountArray, query: CountArray, u: FloatArray, v: FloatArray
) -> FloatArray:
    """Costs at corners by (E5), with tabulated entropies in place of logarithms."""
    # Good to about 1e-16 times the class size: of corners that differ by less, any may be chosen.
    cost = np.zeros(item.size)
    sides = (
        (curves.fp_end, curves.fp_entropy, curves.n_neg, u, np.greater),
        (curves.tp_end, curves.tp_entropy, curves.n_pos, v, np.less),
    )
    for count, entropy, size, rate, active_where in sides:
        k = count[item]
        # log(1e-300) stands in for log(0): the cost is huge but finite, so no inf - inf arises.
        hit, miss = log_rates(rate)
        term = entropy(item) - (size * miss)[query] - k * (hit - miss)[query]
        term[~active_where(k, (size * rate)[query])] = 0.0
        cost += term
    return cost


def _select_blocks(
    curves: Curves,
    first: CountArray,
    length: CountArray,
    query: CountArray,
    u: FloatArray,
    v: FloatArray,
) -> tuple[CountArray, CountArray, CountArray]:
    """Cut windows into blocks of about sqrt(length) pieces; drop those that (E7) excludes."""
    step = np.where(length > _LONG, np.sqrt(length), length).astype(np.int64)
    block, window, _ = expand_ranges(np.zeros_like(first), -(-length // step))
    query = query[window]
    start = first[window] + block * step[window]
    last = np.minimum(start + step[window], first[window] + length[window]) - 1
    margins, across, up = curves.margins, u[query], v[query]
    neg_cost = margins.neg.cost(curves.fp_end[start], across, LEFT)
    # Upper bound of the minimum: the cost at the end of the block's first piece.
    attained = neg_cost + margins.pos.cost(curves.tp_end[start], up, RIGHT)
    if curves.slanted is not None:
        neg_cost = margins.neg.cost(curves.fp_start[start], across, LEFT)
    # No piece of a block is nearer than the block's north-west corner: the start of its first
    # piece on one axis, the end of its last on the other.
    bound = neg_cost + margins.pos.cost(curves.tp_end[last], up, RIGHT)
    begin = np.searchsorted(query, np.arange(u.size))
    least = np.minimum.reduceat(attained, begin)
    keep = (bound <= least[query]) & (bound < np.inf)
    # At an infinite distance from all pieces, as (0, 1) is, any block will do.
    keep[begin[least == np.inf]] = True
    return start[keep], (last - start + 1)[keep], query[keep]


def _minimise_segments(
    curves: Curves,
    found: Nearest,
    query: CountArray,
    start: CountArray,
    u: FloatArray,
    v: FloatArray,
) -> None:
    """Improve what was found at the ends of pieces, in place, by the inside of tied segments."""
    assert curves.slanted is not None
    margins, value = curves.margins, found.distance
    slant = np.flatnonzero(curves.slanted[found.piece])
    if not slant.size:
        return
    piece, at = found.piece[slant], query[slant]
    x0, y0 = curves.fp_start[piece], curves.tp_start[piece]
    x1, y1 = curves.fp_end[piece], curves.tp_end[piece]
    # (E7) with the segment as a block: drop what cannot be below the least cost at an end.
    bound = margins.cost(x0, y1, u[at], v[at])
    begin = margins.cost(x0, y0, u[at], v[at])
    least = value.copy()
    least[slant] = np.minimum(least[slant], begin)
    keep = bound < np.minimum.reduceat(least, start)[at]
    # Keep a segment whose start beats its end: no other piece need have recorded that start.
    keep |= begin < value[slant]
    if not keep.any():
        return
    slant, at = slant[keep], at[keep]
    x0, y0, x1, y1 = (side[keep] for side in (x0, y0, x1, y1))
    segments = Segments(x0, y0, x1 - x0, y1 - y0, u[at], v[at])
    x, y = segments.at(closest_on_segments(margins, segments))
    inner = margins.cost(x, y, segments.u, segments.v)
    better = inner < value[slant]
    slant = slant[better]
    value[slant], found.fp[slant], found.tp[slant] = inner[better], x[better], y[better]


class Segments(NamedTuple):
    """Tied segments, from (x0, y0) by (dx, dy) in counts, each with the point (u, v) asked for."""

    x0: FloatArray
    y0: FloatArray
    dx: FloatArray
    dy: FloatArray
    u: FloatArray
    v: FloatArray

    def take(self, which: CountArray) -> Segments:
        """Keep some of the segments."""
        return Segments(*(side[which] for side in self))

    def at(self, fraction: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Points at a fraction of each segment."""
        return self.x0 + fraction * self.dx, self.y0 + fraction * self.dy


def closest_on_segments(margins: Margins, segments: Segments) -> FloatArray:
    """Return the fraction of each segment where its distance from (u, v) is least, by (E8)."""
    x0, y0, dx, dy, u, v = segments
    # The distance is convex along the segment. Where x < n u or y > m v only one term is active and
    # the distance falls toward the stretch between, where a safeguarded Newton iteration finds the
    # root of the derivative. A true rate of 0 or 1 forces an end of that stretch.
    low = np.clip((margins.neg.size * u - x0) / dx, 0.0, 1.0)
    high = np.maximum(np.clip((margins.pos.size * v - y0) / dy, 0.0, 1.0), low)
    left, right = low.copy(), high.copy()
    fraction = _quadratic_minimum(margins, segments)
    # Not at an end, where a derivative may be infinite.
    fraction = np.clip(fraction, left + 0.01 * (right - left), right - 0.01 * (right - left))
    todo = np.flatnonzero((right > left) & margins.neg.finite(u) & margins.pos.finite(v))
    # Where the distance still falls at the far end, or already rises at the near one, the end is
    # the answer, and Newton would only creep up to it.
    for end, way in ((low, -1.0), (high, 1.0)):
        slope, _ = _derivatives(margins, segments.take(todo), end[todo])
        todo = todo[way * slope > 0]
    for _ in range(80):
        if not todo.size:
            break
        old = fraction[todo]
        slope, curvature = _derivatives(margins, segments.take(todo), old)
        right[todo] = np.where(slope > 0, old, right[todo])
        left[todo] = np.where(slope > 0, left[todo], old)
        with np.errstate(divide="ignore", invalid="ignore"):  # no curvature: halve the bracket
            new = old - slope / curvature
        outside = ~((new > left[todo]) & (new < right[todo]))
        fraction[todo] = new = np.where(outside, 0.5 * (left[todo] + right[todo]), new)
        # A step squares its error: after one of 1e-5 the fraction is off by about 1e-10, and the
        # distance, level at its minimum, by the square of that.
        todo = todo[np.abs(new - old) > 1e-5]
    # The ends of the bracket, which Newton's steps never visit, may be nearer than its answer.
    trials = fraction, low, high
    costs = [margins.cost(*segments.at(trial), u, v) for trial in trials]
    best: FloatArray = np.choose(np.argmin(costs, axis=0), trials)
    return best


def _derivatives(
    margins: Margins, segments: Segments, fraction: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """First and second derivative of the two-sided distance along segments, (E8)."""
    # Strictly inside: at a count of 0 or all the derivatives are infinite. By rounding, a billion
    # less 1e-7 may be a billion.
    x, y = (
        np.clip(k, _INSIDE, min(size - _INSIDE, math.nextafter(size, 0.0)))
        for k, size in zip(segments.at(fraction), (margins.neg.size, margins.pos.size), strict=True)
    )
    _, _, dx, dy, u, v = segments
    slope = dx * margins.neg.slope(x, u) + dy * margins.pos.slope(y, v)
    curvature = dx**2 * margins.neg.curvature(x, u) + dy**2 * margins.pos.curvature(y, v)
    return slope, curvature


def _quadratic_minimum(margins: Margins, segments: Segments) -> FloatArray:
    """Minimum of the quadratic form with binomial variances: a starting value for Newton."""
    x0, y0, dx, dy, u, v = segments
    at_u, at_v = margins.neg.size * u, margins.pos.size * v
    # Variances at least 1/4, that of a single case: at a rate of 0 or 1 they would be 0.
    weight_u = dx / np.maximum(at_u * (1.0 - u), 0.25)
    weight_v = dy / np.maximum(at_v * (1.0 - v), 0.25)
    gain = weight_u * (at_u - x0) + weight_v * (at_v - y0)
    fraction: FloatArray = gain / (weight_u * dx + weight_v * dy)
    return fraction

"""Distance of points from empirical curves: the least cost over the pieces of a curve.

Formulas (E3) to (E8) of docs/likelihood.md. The slow version is `distance_up` in
tests/oracles/likelihood.py, compared in tests/likelihood/test_nearest.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands._math.ragged import expand_ranges
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
    # The window of (E4): earlier pieces lie below the first one, later ones right of the last.
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
    # By blocks about the root of a long window is looked at.
    for part in _chunks(open_, np.minimum(length, 8.0 * np.sqrt(length))):
        found = _minimise_windows(curves, first[part], last[part], u[part], v[part])
        for whole, new in zip(out, found, strict=True):
            whole[part] = new
    return out


def farthest_fpr(margins: Margins, u: FloatArray, c: float) -> FloatArray:
    """False-positive rate from which on it alone costs more than c: Bernstein's bound, (E10)."""
    scale, weight = c / margins.neg.effective, margins.neg.weight
    far = u + np.sqrt(2.0 * scale * u * (1.0 - u)) + (8.0 / 3.0 - 2.0 * weight) * scale
    return np.minimum(far, 1.0)


def _chunks(index: CountArray, weight: FloatArray) -> list[CountArray]:
    """Cut `index` where the accumulated weight passes multiples of the chunk size."""
    if not index.size:
        return []
    chunk = (np.cumsum(weight) // _CHUNK).astype(np.int64)
    if chunk[-1] == 0:
        return [index]
    return np.split(index, np.flatnonzero(np.diff(chunk)) + 1)


def _minimise_windows(
    curves: Curves, first: CountArray, last: CountArray, u: FloatArray, v: FloatArray
) -> Nearest:
    """Minimise over windows, whole where short, by blocks where long."""
    margins = curves.margins
    length = last - first + 1
    if length.max() > _LONG:
        first, length, query = _select_blocks(curves, first, length, u, v)
        item, block, _ = expand_ranges(first, length)
        owner = query[block]  # of the pieces of a point, which are in several blocks
        start = np.searchsorted(owner, np.arange(u.size))
    else:
        item, owner, start = expand_ranges(first, length)
    if curves.slanted is None and curves.future is None:
        value = _tabulated_costs(curves, item, owner, u, v)
        pick = item[last_least(value, owner, start)]
        fp, tp = curves.fp_end[pick], curves.tp_end[pick]
        # (E6) of the chosen corner alone: (E5) has told which it is, but has lost digits.
        return Nearest(margins.cost(fp, tp, u, v), fp, tp, pick)
    fp, tp = curves.fp_end[item], curves.tp_end[item]
    found = Nearest(margins.cost(fp, tp, u[owner], v[owner]), fp, tp, item)
    if curves.slanted is not None:
        _minimise_segments(curves, found, owner, start, u, v)
    return found.take(last_least(found.distance, owner, start))


def last_least(value: FloatArray, owner: CountArray, start: CountArray) -> CountArray:
    """Place of the least value of each owner; of equal ones the last."""
    least = np.minimum.reduceat(value, start)
    hit = (value <= least.take(owner)).nonzero()[0]
    pick = np.empty(start.size, dtype=np.int64)
    pick[owner.take(hit)] = hit  # later assignments win
    return pick


def _tabulated_costs(
    curves: Curves, item: CountArray, owner: CountArray, u: FloatArray, v: FloatArray
) -> FloatArray:
    """Costs at corners by (E5), with tabulated entropies in place of logarithms."""
    # Good to about 1e-16 times the class size: enough to tell which corner is nearest.
    cost = np.zeros(item.size)
    sides = (
        (curves.fp_end, curves.neg_entropy, curves.n_neg, u, np.greater),
        (curves.tp_end, curves.pos_entropy, curves.n_pos, v, np.less),
    )
    for count, entropy, size, rate, counts_where in sides:
        k = count[item]
        # A rate of 0 or 1 excludes all but one outcome: the cost with so small a logarithm is huge.
        hit, miss = log_rates(rate)
        part = entropy(item) - (size * miss)[owner] - k * (hit - miss)[owner]
        part[~counts_where(k, (size * rate)[owner])] = 0.0
        cost += part
    return cost


def _select_blocks(
    curves: Curves, first: CountArray, length: CountArray, u: FloatArray, v: FloatArray
) -> tuple[CountArray, CountArray, CountArray]:
    """Cut windows into blocks of about sqrt(length) pieces; drop those that (E7) excludes."""
    step = np.where(length > _LONG, np.ceil(np.sqrt(length)), length).astype(np.int64)
    block, query, start = expand_ranges(np.zeros_like(first), -(-length // step))
    low = first[query] + block * step[query]
    high = np.minimum(low + step[query], first[query] + length[query]) - 1
    margins, across, up = curves.margins, u[query], v[query]
    neg_cost = margins.neg.cost(curves.fp_end[low], across, LEFT)
    # A cost that is attained: at the end of each block's first piece.
    attained = neg_cost + margins.pos.cost(curves.tp_end[low], up, RIGHT)
    if curves.slanted is not None:
        neg_cost = margins.neg.cost(curves.fp_start[low], across, LEFT)
    # No piece of a block is nearer than the block's north-west corner: the start of its first
    # piece on one axis, the end of its last on the other.
    bound = neg_cost + margins.pos.cost(curves.tp_end[high], up, RIGHT)
    keep = bound <= np.minimum.reduceat(attained, start)[query]
    return low[keep], (high - low + 1)[keep], query[keep]


def _minimise_segments(
    curves: Curves,
    found: Nearest,
    owner: CountArray,
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
    piece, ask = found.piece[slant], owner[slant]
    x0, y0 = curves.fp_start[piece], curves.tp_start[piece]
    x1, y1 = curves.fp_end[piece], curves.tp_end[piece]
    # (E7) with the segment as a block: drop what cannot be below the least cost at an end.
    bound = margins.cost(x0, y1, u[ask], v[ask])
    begin = margins.cost(x0, y0, u[ask], v[ask])
    least = value.copy()
    least[slant] = np.minimum(least[slant], begin)
    keep = bound < np.minimum.reduceat(least, start)[ask]
    # A segment dropped here may still have the least of the ends: its start is the end of
    # the piece before, or is dominated by it, unless it opens the window.
    keep |= begin < value[slant]
    if not keep.any():
        return
    slant, ask = slant[keep], ask[keep]
    x0, y0, x1, y1 = (side[keep] for side in (x0, y0, x1, y1))
    segments = Segments(x0, y0, x1 - x0, y1 - y0, u[ask], v[ask])
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

    def at(self, part: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Points at a fraction of each segment."""
        return self.x0 + part * self.dx, self.y0 + part * self.dy


def closest_on_segments(margins: Margins, segments: Segments) -> FloatArray:
    """Return the fraction of each segment where its distance from (u, v) is least, by (E8)."""
    x0, y0, dx, dy, u, v = segments
    # The distance is convex along the segment. Left of x = u or above y = v only one axis counts
    # and the distance falls toward the stretch between, where a safeguarded Newton finds the root
    # of the derivative. A true rate of 0 or 1 forces an end of that stretch.
    low = np.clip((margins.neg.size * u - x0) / dx, 0.0, 1.0)
    high = np.maximum(np.clip((margins.pos.size * v - y0) / dy, 0.0, 1.0), low)
    left, right = low.copy(), high.copy()
    part = _quadratic_minimum(margins, segments)
    # Not at an end, where a derivative may be infinite.
    part = np.clip(part, left + 0.01 * (right - left), right - 0.01 * (right - left))
    todo = np.flatnonzero((right > left) & margins.neg.finite(u) & margins.pos.finite(v))
    # Where the distance still falls at the far end, or already rises at the near one, the end is
    # the answer, and Newton would only creep up to it.
    for end, way in ((low, -1.0), (high, 1.0)):
        slope, _ = _derivatives(margins, segments.take(todo), end[todo])
        todo = todo[way * slope > 0]
    for _ in range(80):
        if not todo.size:
            break
        slope, curvature = _derivatives(margins, segments.take(todo), part[todo])
        right[todo] = np.where(slope > 0, part[todo], right[todo])
        left[todo] = np.where(slope > 0, left[todo], part[todo])
        with np.errstate(divide="ignore", invalid="ignore"):  # no curvature: halve the bracket
            new = part[todo] - slope / curvature
        outside = ~((new > left[todo]) & (new < right[todo]))
        new = np.where(outside, 0.5 * (left[todo] + right[todo]), new)
        moved = np.abs(new - part[todo])
        part[todo] = new
        # The step squares its error: what is left is about the square of the last one.
        todo = todo[moved > 1e-5]
    # The ends of the bracket, which Newton's steps never visit, may be nearer than its answer.
    costs = [margins.cost(*segments.at(share), u, v) for share in (part, low, high)]
    best: FloatArray = np.choose(np.argmin(costs, axis=0), (part, low, high))
    return best


def _derivatives(
    margins: Margins, segments: Segments, part: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """First and second derivative of the two-sided distance along segments, (E8)."""
    # Strictly inside: at a count of 0 or all the derivatives are infinite. By rounding, a billion
    # less 1e-7 may be a billion.
    x, y = (
        np.clip(k, _INSIDE, min(size - _INSIDE, math.nextafter(size, 0.0)))
        for k, size in zip(segments.at(part), (margins.neg.size, margins.pos.size), strict=True)
    )
    _, _, dx, dy, u, v = segments
    slope = dx * margins.neg.slope(x, u) + dy * margins.pos.slope(y, v)
    curvature = dx**2 * margins.neg.curvature(x, u) + dy**2 * margins.pos.curvature(y, v)
    return slope, curvature


def _quadratic_minimum(margins: Margins, segments: Segments) -> FloatArray:
    """Minimum of the quadratic form with binomial variances: Newton then needs a few steps."""
    x0, y0, dx, dy, u, v = segments
    at_u, at_v = margins.neg.size * u, margins.pos.size * v
    weight_u = dx / np.maximum(at_u * (1.0 - u), 0.25)
    weight_v = dy / np.maximum(at_v * (1.0 - v), 0.25)
    gain = weight_u * (at_u - x0) + weight_v * (at_v - y0)
    part: FloatArray = gain / (weight_u * dx + weight_v * dy)
    return part

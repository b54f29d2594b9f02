"""Distance of points from empirical curves, and the point of the curve that attains it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.likelihood.curves import Curves, Ints, expand
from rocbands.likelihood.margin import LEFT, RIGHT, Floats, Margin, log_rates

# Candidates evaluated at once: temporaries that fit the cache, and that malloc recycles.
_CHUNK = 1 << 15
_INSIDE = 1e-7
# Longer windows are searched by blocks.
_LONG = 96


class Margins(NamedTuple):
    """The two axes: negatives along the false-positive rate, positives along the true one."""

    neg: Margin
    pos: Margin

    def cost(self, fp: Floats, tp: Floats, u: Floats, v: Floats) -> Floats:
        """Distance of the point (u, v) north-west of the empirical point (fp, tp)."""
        return self.neg.cost(fp, u, LEFT) + self.pos.cost(tp, v, RIGHT)


def margins_of(n_pos: int, n_neg: int, future: tuple[int, int] | None) -> Margins:
    """Pair the class sizes with those of a future set ``(n_pos, n_neg)``, if there is one."""
    later_pos, later_neg = (None, None) if future is None else future
    return Margins(Margin(n_neg, later_neg), Margin(n_pos, later_pos))


class Nearest(NamedTuple):
    """Distances, and the empirical points, in counts, and pieces where they are attained."""

    distance: Floats
    fp: Floats
    tp: Floats
    piece: Ints

    def take(self, keep: npt.NDArray[np.bool_]) -> Nearest:
        """Keep some of the points."""
        return Nearest(self.distance[keep], self.fp[keep], self.tp[keep], self.piece[keep])


def nearest(curves: Curves, margins: Margins, row: Ints, u: Floats, v: Floats) -> Nearest:
    """Measure how far north-west of curve ``row`` each point (u, v) lies.

    Returns
    -------
    Nearest
        Distance 0 and a point of the curve at or beyond (u, v) where the curve reaches it.
    """
    first, last = curves.windows(row, u, v)
    at = np.minimum(first, last)
    out = Nearest(np.zeros(u.size), curves.fp_end[at], curves.tp_end[at], at)
    # A corner that is first and last at once dominates the point; a lone segment may not.
    wide = last > first
    if curves.slanted is not None:
        wide |= (last == first) & curves.slanted[at]
    open_ = np.flatnonzero(wide)
    length = last[open_] - first[open_] + 1
    for part in _chunks(open_, np.minimum(length, 8.0 * np.sqrt(length))):
        found = _search(curves, margins, first[part], last[part], u[part], v[part])
        for whole, new in zip(out, found, strict=True):
            whole[part] = new
    return out


def _chunks(index: Ints, weight: Floats) -> list[Ints]:
    """Cut ``index`` where the accumulated weight passes multiples of the chunk size."""
    if not index.size:
        return []
    chunk = (np.cumsum(weight) // _CHUNK).astype(np.int64)
    if chunk[-1] == 0:
        return [index]
    return np.split(index, np.flatnonzero(np.diff(chunk)) + 1)


def _search(
    curves: Curves, margins: Margins, first: Ints, last: Ints, u: Floats, v: Floats
) -> Nearest:
    """Minimise over windows, whole where short, by blocks where long."""
    length = last - first + 1
    if length.max() > _LONG:
        first, length, query = _promising_blocks(curves, margins, first, length, u, v)
        item, block, _ = expand(first, length)
        owner = query[block]
        start = np.searchsorted(owner, np.arange(u.size))
    else:
        item, owner, start = expand(first, length)
    if curves.slanted is None and margins.neg.future is None:
        value = _quick_costs(curves, item, owner, u, v)
        pick = item[_last_least(value, owner, start)]
        fp, tp = curves.fp_end[pick], curves.tp_end[pick]
        return Nearest(margins.cost(fp, tp, u, v), fp, tp, pick)
    fp, tp = curves.fp_end[item], curves.tp_end[item]
    value = margins.cost(fp, tp, u[owner], v[owner])
    if curves.slanted is not None:
        value = _minimise_segments(curves, margins, item, owner, start, u, v, value, fp, tp)
    pick = _last_least(value, owner, start)
    return Nearest(value[pick], fp[pick], tp[pick], item[pick])


def _last_least(value: Floats, owner: Ints, start: Ints) -> Ints:
    """Place of the least value of each owner; of equal ones the last."""
    least = np.minimum.reduceat(value, start)
    hit = np.flatnonzero(value <= least[owner])
    pick = np.empty(start.size, dtype=np.int64)
    pick[owner[hit]] = hit
    return pick


def _quick_costs(curves: Curves, item: Ints, owner: Ints, u: Floats, v: Floats) -> Floats:
    """Distances of points from corners, with tabulated entropies in place of logarithms.

    Good to about 1e-16 times the class size: enough to tell which corner is nearest, whose
    distance is then computed without cancellation.
    """
    assert curves.neg_entropy is not None
    assert curves.pos_entropy is not None
    cost = np.zeros(item.size)
    sides = (
        (curves.fp_end, curves.neg_entropy, curves.n_neg, u, np.greater),
        (curves.tp_end, curves.pos_entropy, curves.n_pos, v, np.less),
    )
    for count, entropy, size, rate, counts_where in sides:
        k = count[item]
        # A rate of 0 or 1 excludes all but one outcome: so small a logarithm says so.
        hit, miss = log_rates(rate)
        part = entropy[item] - (size * miss)[owner] - k * (hit - miss)[owner]
        part[~counts_where(k, (size * rate)[owner])] = 0.0
        cost += part
    return cost


def _promising_blocks(
    curves: Curves, margins: Margins, first: Ints, length: Ints, u: Floats, v: Floats
) -> tuple[Ints, Ints, Ints]:
    """Cut windows into blocks of about sqrt(length) pieces; drop those without the minimum.

    No piece of a block is nearer than the block's north-west corner: the start of its first
    piece on one axis, the end of its last on the other.
    """
    step = np.where(length > _LONG, np.ceil(np.sqrt(length)), length).astype(np.int64)
    block, query, start = expand(np.zeros_like(first), -(-length // step))
    low = first[query] + block * step[query]
    high = np.minimum(low + step[query], first[query] + length[query]) - 1
    across, up = u[query], v[query]
    neg_cost = margins.neg.cost(curves.fp_end[low], across, LEFT)
    attained = neg_cost + margins.pos.cost(curves.tp_end[low], up, RIGHT)
    if curves.slanted is not None:
        neg_cost = margins.neg.cost(curves.fp_start[low], across, LEFT)
    bound = neg_cost + margins.pos.cost(curves.tp_end[high], up, RIGHT)
    keep = bound <= np.minimum.reduceat(attained, start)[query]
    return low[keep], (high - low + 1)[keep], query[keep]


def _minimise_segments(
    curves: Curves,
    margins: Margins,
    item: Ints,
    owner: Ints,
    start: Ints,
    u: Floats,
    v: Floats,
    value: Floats,
    fp: Floats,
    tp: Floats,
) -> Floats:
    """Improve ``value``, ``fp``, ``tp`` (the last two in place) by the inside of tied segments."""
    assert curves.slanted is not None
    slant = np.flatnonzero(curves.slanted[item])
    if not slant.size:
        return value
    piece, ask = item[slant], owner[slant]
    bound = margins.cost(curves.fp_start[piece], curves.tp_end[piece], u[ask], v[ask])
    begin = margins.cost(curves.fp_start[piece], curves.tp_start[piece], u[ask], v[ask])
    least = value.copy()
    least[slant] = np.minimum(least[slant], begin)
    keep = bound < np.minimum.reduceat(least, start)[ask]
    # A segment dropped here may still own the least of the ends: its start is the end of
    # the piece before, or is dominated by it, unless it opens the window.
    keep |= begin < value[slant]
    slant, piece, ask = slant[keep], piece[keep], ask[keep]
    if slant.size:
        x0, y0 = curves.fp_start[piece], curves.tp_start[piece]
        dx, dy = curves.fp_end[piece] - x0, curves.tp_end[piece] - y0
        part = closest_on_segments(margins, x0, y0, dx, dy, u[ask], v[ask])
        x, y = x0 + part * dx, y0 + part * dy
        inner = margins.cost(x, y, u[ask], v[ask])
        better = inner < value[slant]
        slant = slant[better]
        value[slant], fp[slant], tp[slant] = inner[better], x[better], y[better]
    return value


def closest_on_segments(
    margins: Margins, x0: Floats, y0: Floats, dx: Floats, dy: Floats, u: Floats, v: Floats
) -> Floats:
    """Return the fraction of each segment where its distance from (u, v) is least.

    The distance is convex along the segment. Left of x = u or above y = v only one axis
    counts and the distance falls toward the stretch between, where a safeguarded Newton
    finds the root of the derivative. A true rate of 0 or 1 forces an end of that stretch.
    """
    low = np.clip((margins.neg.size * u - x0) / dx, 0.0, 1.0)
    high = np.maximum(np.clip((margins.pos.size * v - y0) / dy, 0.0, 1.0), low)
    left, right = low.copy(), high.copy()
    part = _balance(margins, x0, y0, dx, dy, u, v)
    part = np.clip(part, left + 0.01 * (right - left), right - 0.01 * (right - left))
    todo = np.flatnonzero((right > left) & margins.neg.finite(u) & margins.pos.finite(v))
    # Where the distance still falls at the far end, or already rises at the near one, the end is
    # the answer, and Newton would only creep up to it.
    for end, way in ((low, -1.0), (high, 1.0)):
        slope, _ = _derivatives(margins, x0, y0, dx, dy, u, v, end, todo)
        todo = todo[way * slope > 0]
    for _ in range(80):
        if not todo.size:
            break
        slope, bend = _derivatives(margins, x0, y0, dx, dy, u, v, part, todo)
        right[todo] = np.where(slope > 0, part[todo], right[todo])
        left[todo] = np.where(slope > 0, left[todo], part[todo])
        with np.errstate(divide="ignore", invalid="ignore"):  # no bend left: halve the stretch
            new = part[todo] - slope / bend
        stray = ~((new > left[todo]) & (new < right[todo]))
        new = np.where(stray, 0.5 * (left[todo] + right[todo]), new)
        moved = np.abs(new - part[todo])
        part[todo] = new
        # The step squares its error: what is left is about the square of the last one.
        todo = todo[moved > 1e-5]
    return _best_of_three(margins, (x0, y0, dx, dy), u, v, (part, low, high))


def _derivatives(
    margins: Margins,
    x0: Floats,
    y0: Floats,
    dx: Floats,
    dy: Floats,
    u: Floats,
    v: Floats,
    part: Floats,
    which: Ints,
) -> tuple[Floats, Floats]:
    """First and second derivative of the two-sided distance along some of the segments."""
    dx, dy, part = dx[which], dy[which], part[which]
    # Strictly inside: at a count of 0 or all the derivatives are infinite.
    x = np.clip(x0[which] + part * dx, _INSIDE, _below(margins.neg.size))
    y = np.clip(y0[which] + part * dy, _INSIDE, _below(margins.pos.size))
    u, v = u[which], v[which]
    slope = dx * margins.neg.slope(x, u) + dy * margins.pos.slope(y, v)
    bend = dx**2 * margins.neg.curvature(x, u) + dy**2 * margins.pos.curvature(y, v)
    return slope, bend


def _below(size: int) -> float:
    """Return a count just short of all: by rounding, a billion less 1e-7 may be a billion."""
    return min(size - _INSIDE, math.nextafter(size, 0.0))


def _balance(
    margins: Margins, x0: Floats, y0: Floats, dx: Floats, dy: Floats, u: Floats, v: Floats
) -> Floats:
    """Return where the quadratic forms of both axes balance: Newton then needs a few steps."""
    at_u, at_v = margins.neg.size * u, margins.pos.size * v
    pull_u = dx / np.maximum(at_u * (1.0 - u), 0.25)
    pull_v = dy / np.maximum(at_v * (1.0 - v), 0.25)
    part: Floats = (pull_u * (at_u - x0) + pull_v * (at_v - y0)) / (pull_u * dx + pull_v * dy)
    return part


def _best_of_three(
    margins: Margins,
    segment: tuple[Floats, Floats, Floats, Floats],
    u: Floats,
    v: Floats,
    parts: tuple[Floats, Floats, Floats],
) -> Floats:
    """Choose among the search's answer and the two ends of its stretch, which it never visits."""
    x0, y0, dx, dy = segment
    costs = [margins.cost(x0 + p * dx, y0 + p * dy, u, v) for p in parts]
    pick = np.argmin(costs, axis=0)
    best: Floats = np.choose(pick, parts)
    return best

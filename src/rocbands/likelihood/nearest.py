"""Distance of points from empirical curves, and the edges where it reaches a critical value."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands._math.ragged import expand_ranges
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.likelihood.curves import Curves, angles, entropy
from rocbands.likelihood.margin import LEFT, RIGHT, Margin, Margins, log_rates

# Candidates evaluated at once: temporaries that fit the cache, and that malloc recycles.
_CHUNK = 1 << 15
_INSIDE = 1e-7
# Longer windows are searched by blocks.
_LONG = 96
# Abscissae dealt with at once, and the longest windows above them that are looked at in full.
_AT_ONCE = 1024
_MOST_ENDS = 256
# Log odds closer than this are the same: the error that is left is about its square.
_SAME_ODDS = 1e-4
_ROUNDS_TO_ONE = 36.0
# Steps of log odds after which the error is that of rounding: it is about their third power; with
# a future set, whose distances are not quite parabolas, about their square.
_SHORT = {False: 1e-5, True: 1e-8}

# Arrays without dimensions, with which NumPy is quicker than with floats.
_ZERO, _ONE, _TINY = np.array(0.0), np.array(1.0), np.array(1e-100)
_DOWN, _UP = np.array(-4.0), np.array(4.0)  # longest steps


class Nearest(NamedTuple):
    """Distances, and the empirical points, in counts, and pieces where they are attained."""

    distance: FloatArray
    fp: FloatArray
    tp: FloatArray
    piece: CountArray

    def take(self, keep: BoolArray) -> Nearest:
        """Keep some of the points."""
        return Nearest(self.distance[keep], self.fp[keep], self.tp[keep], self.piece[keep])


def nearest(
    curves: Curves,
    margins: Margins,
    row: CountArray,
    u: FloatArray,
    v: FloatArray,
    c: float | None = None,
) -> Nearest:
    """Measure how far north-west of curve `row` each point (u, v) lies.

    Returns distance 0 and a point of the curve at or beyond (u, v) where the curve reaches it. With
    `c`, distances that exceed it may be reported larger than they are.
    """
    first, last = curves.windows(row, u, v)
    cut: bool | BoolArray = False
    if c is not None:
        farthest = curves.starting(row, _reach(margins, u, c))
        cut, last = farthest < last, np.minimum(last, farthest)
    at = np.minimum(first, last)
    out = Nearest(np.zeros(u.size), curves.fp_end[at], curves.tp_end[at], at)
    # A corner that is first and last at once dominates the point; a lone segment may not, nor a
    # corner that is the last within reach only.
    wide = (last > first) | cut
    if curves.slanted is not None:
        wide |= (last == first) & curves.slanted[at]
    open_ = np.flatnonzero(wide)
    length = last[open_] - first[open_] + 1
    for part in _chunks(open_, np.minimum(length, 8.0 * np.sqrt(length))):
        found = _search(curves, margins, first[part], last[part], u[part], v[part])
        for whole, new in zip(out, found, strict=True):
            whole[part] = new
    return out


def _chunks(index: CountArray, weight: FloatArray) -> list[CountArray]:
    """Cut `index` where the accumulated weight passes multiples of the chunk size."""
    if not index.size:
        return []
    chunk = (np.cumsum(weight) // _CHUNK).astype(np.int64)
    if chunk[-1] == 0:
        return [index]
    return np.split(index, np.flatnonzero(np.diff(chunk)) + 1)


def _search(
    curves: Curves,
    margins: Margins,
    first: CountArray,
    last: CountArray,
    u: FloatArray,
    v: FloatArray,
) -> Nearest:
    """Minimise over windows, whole where short, by blocks where long."""
    length = last - first + 1
    if length.max() > _LONG:
        first, length, query = _promising_blocks(curves, margins, first, length, u, v)
        item, block, _ = expand_ranges(first, length)
        owner = query[block]
        start = np.searchsorted(owner, np.arange(u.size))
    else:
        item, owner, start = expand_ranges(first, length)
    if curves.slanted is None and margins.neg.future is None:
        value = _quick_costs(curves, item, owner, u, v)
        pick = item[last_least(value, owner, start)]
        fp, tp = curves.fp_end[pick], curves.tp_end[pick]
        return Nearest(margins.cost(fp, tp, u, v), fp, tp, pick)
    fp, tp = curves.fp_end[item], curves.tp_end[item]
    value = margins.cost(fp, tp, u[owner], v[owner])
    if curves.slanted is not None:
        value = _minimise_segments(curves, margins, item, owner, start, u, v, value, fp, tp)
    pick = last_least(value, owner, start)
    return Nearest(value[pick], fp[pick], tp[pick], item[pick])


def last_least(value: FloatArray, owner: CountArray, start: CountArray) -> CountArray:
    """Place of the least value of each owner; of equal ones the last."""
    least = np.minimum.reduceat(value, start)
    hit = (value <= least.take(owner)).nonzero()[0]
    pick = np.empty(start.size, dtype=np.int64)
    pick[owner.take(hit)] = hit
    return pick


def _quick_costs(
    curves: Curves, item: CountArray, owner: CountArray, u: FloatArray, v: FloatArray
) -> FloatArray:
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
    for count, table, size, rate, counts_where in sides:
        k = count[item]
        # A rate of 0 or 1 excludes all but one outcome: so small a logarithm says so.
        hit, miss = log_rates(rate)
        part = table.take(item) - (size * miss)[owner] - k * (hit - miss)[owner]
        part[~counts_where(k, (size * rate)[owner])] = 0.0
        cost += part
    return cost


def _promising_blocks(
    curves: Curves,
    margins: Margins,
    first: CountArray,
    length: CountArray,
    u: FloatArray,
    v: FloatArray,
) -> tuple[CountArray, CountArray, CountArray]:
    """Cut windows into blocks of about sqrt(length) pieces; drop those without the minimum.

    No piece of a block is nearer than the block's north-west corner: the start of its first
    piece on one axis, the end of its last on the other.
    """
    step = np.where(length > _LONG, np.ceil(np.sqrt(length)), length).astype(np.int64)
    block, query, start = expand_ranges(np.zeros_like(first), -(-length // step))
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
    item: CountArray,
    owner: CountArray,
    start: CountArray,
    u: FloatArray,
    v: FloatArray,
    value: FloatArray,
    fp: FloatArray,
    tp: FloatArray,
) -> FloatArray:
    """Improve `value`, `fp`, `tp` (the last two in place) by the inside of tied segments."""
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
    margins: Margins,
    x0: FloatArray,
    y0: FloatArray,
    dx: FloatArray,
    dy: FloatArray,
    u: FloatArray,
    v: FloatArray,
) -> FloatArray:
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
    x0: FloatArray,
    y0: FloatArray,
    dx: FloatArray,
    dy: FloatArray,
    u: FloatArray,
    v: FloatArray,
    part: FloatArray,
    which: CountArray,
) -> tuple[FloatArray, FloatArray]:
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
    margins: Margins,
    x0: FloatArray,
    y0: FloatArray,
    dx: FloatArray,
    dy: FloatArray,
    u: FloatArray,
    v: FloatArray,
) -> FloatArray:
    """Return where the quadratic forms of both axes balance: Newton then needs a few steps."""
    at_u, at_v = margins.neg.size * u, margins.pos.size * v
    pull_u = dx / np.maximum(at_u * (1.0 - u), 0.25)
    pull_v = dy / np.maximum(at_v * (1.0 - v), 0.25)
    part: FloatArray = (pull_u * (at_u - x0) + pull_v * (at_v - y0)) / (pull_u * dx + pull_v * dy)
    return part


def _best_of_three(
    margins: Margins,
    segment: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    u: FloatArray,
    v: FloatArray,
    parts: tuple[FloatArray, FloatArray, FloatArray],
) -> FloatArray:
    """Choose among the search's answer and the two ends of its stretch, which it never visits."""
    x0, y0, dx, dy = segment
    costs = [margins.cost(x0 + p * dx, y0 + p * dy, u, v) for p in parts]
    pick = np.argmin(costs, axis=0)
    best: FloatArray = np.choose(pick, parts)
    return best


class Abscissae(NamedTuple):
    """Where the edges are sought: above a curve runs the band's upper edge.

    Above the curve's half turn runs the lower edge, turned.
    """

    row: CountArray  # 0 for the curve, 1 for its half turn
    u: FloatArray  # false-positive rates, 0 and 1 included, in any order
    odds: FloatArray  # their log odds
    miss: FloatArray  # logarithms of their complements

    @classmethod
    def at(cls, row: CountArray, u: FloatArray) -> Abscissae:
        """Take rates with their logarithms."""
        hit, miss = log_rates(u)
        return cls(row, u, hit - miss, miss)

    def take(self, which: CountArray | slice) -> Abscissae:
        """Keep some of them."""
        row, u, odds, miss = self
        return Abscissae(row[which], u[which], odds[which], miss[which])


def edge_heights(curves: Curves, margins: Margins, at: Abscissae, c: float) -> FloatArray:
    """Find where the distance north-west of a curve reaches c, above each abscissa.

    `curves`: a curve and its half turn. `c`: critical value of the distance.
    """
    size = at.u.size
    if size <= _AT_ONCE:
        return _heights(curves, margins, at, c)
    parts = (slice(start, start + _AT_ONCE) for start in range(0, size, _AT_ONCE))
    return np.concatenate([_heights(curves, margins, at.take(part), c) for part in parts])


def _heights(curves: Curves, margins: Margins, at: Abscissae, c: float) -> FloatArray:
    one = _reaches_one(curves, margins, at, c)
    height = one.astype(np.float64)
    todo = (~one).nonzero()[0]
    if not todo.size:
        return height
    at = at.take(todo)
    odds, exact = _from_ends(curves, margins, at, c)
    if np.count_nonzero(exact) < exact.size:
        rest = ~exact
        odds[rest] = _refined(curves, margins, at.row[rest], at.u[rest], c, odds[rest])
    height[todo] = 1.0 / (1.0 + np.exp(-odds))
    return height


def _reaches_one(curves: Curves, margins: Margins, at: Abscissae, c: float) -> BoolArray:
    """Tell above which abscissae the band reaches a true-positive rate of 1."""
    row, u, odds, miss = at
    if margins.pos.future is not None:
        return nearest(curves, margins, row, u, np.ones(u.size), c).distance <= c
    assert curves.neg_entropy is not None
    # Only a point with all positives allows a true rate of 1.
    ends = np.array((curves.half - 1, curves.fp_end.size - 1))
    x, own = curves.fp_end.take(ends).take(row), curves.neg_entropy.take(ends).take(row)
    return (own - x * odds <= curves.n_neg * miss + c) | (x <= curves.n_neg * u)


def _from_ends(
    curves: Curves, margins: Margins, at: Abscissae, c: float
) -> tuple[FloatArray, BoolArray]:
    """Log odds of the height that the pieces' ends within reach allow, and where that is exact.

    A true rate with log odds t and an end with k of m positives are entropy(k) - k t + m ln(1 +
    e^t) apart: but for what all ends share, the distances are straight lines in t. The first guess
    is the end that allows the largest height when counts are turned into angles, which have even
    noise; nineteen times in twenty it is the right one. One step from there is close enough to see
    which end is nearest. Ends that are still nearer at the height it allows allow more.
    """
    pos = margins.pos
    (owner, start), over, k, angle, highest, complete = _ends(curves, margins, at, c)

    def distances(odds: FloatArray) -> FloatArray:
        """Distances of all ends, but for what those of an abscissa share."""
        if pos.future is None:
            line = odds.take(owner)
            line *= k
            return np.subtract(over, line, out=line)
        return over + pos.cost(k, (1.0 / (1.0 + np.exp(-odds))).take(owner), RIGHT)

    near = last_least(angle, owner, start)
    # Below the highest end within reach the lines do not tell the distance.
    least = _log_odds(k.take(highest), pos.size)
    top = np.maximum(angle.take(near), 1e-9 if pos.future is None else 0.5 / math.sqrt(pos.size))
    odds = -2.0 * np.log(np.tan(top))
    if pos.future is None:
        # ln(1 + e^t) >= t: no height is above that at which the line so obtained is c.
        odds = np.minimum(odds, over.take(near) / np.minimum(k.take(near) - pos.size, -1e-9))
    odds, _ = _climb(pos, over.take(near), k.take(near), odds, least, trials=1)
    near = last_least(distances(odds), owner, start)
    odds, exact = _climb(pos, over.take(near), k.take(near), odds, least)
    apart = distances(odds)
    more = (apart < apart.take(near).take(owner)).nonzero()[0]
    if more.size:
        place = owner.take(more)
        higher, short = _climb(
            pos, over.take(more), k.take(more), odds.take(place), least.take(place)
        )
        np.maximum.at(odds, place, higher)
        exact[place[~short]] = False
    return odds, exact & complete


def _climb(
    margin: Margin,
    over: FloatArray,
    k: FloatArray,
    now: FloatArray,
    least: FloatArray,
    trials: int = 12,
) -> tuple[FloatArray, BoolArray]:
    """Log odds from `now`, at least `least`, to where ends come to be c away; whether they do."""
    short, size = _SHORT[margin.future is not None], np.array(float(margin.size))
    now = np.maximum(now, least)
    # In place: of a few hundred numbers a new array costs as much as the arithmetic.
    for trial in range(trials):
        grown = np.exp(now)
        whole = _ONE + grown
        if margin.future is None:
            gap = k * now
            gap -= over
            gap -= size * np.log1p(grown)
            grown *= size
            grown /= whole  # expected positives
            step = parabola_step(gap, grown - k, np.divide(grown, whole, out=whole))
        else:
            rate = grown / whole
            gap = -over - margin.cost(k, rate, RIGHT)
            step = parabola_step(gap, margin.pull(k, rate), margin.effective * rate / whole)
        now = np.maximum(now + step, least)
        if trial > 1 and np.maximum.reduce(np.abs(step)) <= short:
            break
    return now, np.abs(step) <= short


class _Ends(NamedTuple):
    """Ends of the pieces within reach, those of the first abscissa first."""

    place: tuple[CountArray, CountArray]  # the abscissa of each end, and where its ends start
    # what the distance of each end does not owe to the height, less the critical value.
    over: FloatArray
    k: FloatArray  # positives at each end
    # about the height that each end allows, as an angle from the top; infinite out of reach.
    angle: FloatArray
    highest: CountArray  # the highest end within reach of each abscissa
    complete: bool  # whether nothing else can be nearest


def _reach(margins: Margins, u: FloatArray, c: float) -> FloatArray:
    """False-positive rate from which on it alone costs more than c, by Bernstein's inequality."""
    scale, weight = c / margins.neg.effective, margins.neg.weight
    far = u + np.sqrt(2.0 * scale * u * (1.0 - u)) + (8.0 / 3.0 - 2.0 * weight) * scale
    return np.minimum(far, 1.0)


def _ends(curves: Curves, margins: Margins, at: Abscissae, c: float) -> _Ends:
    """Look from each abscissa to where the false-positive rate alone costs more than c."""
    row, u, odds, miss = at
    assert curves.neg_entropy is not None
    assert curves.pos_entropy is not None
    assert curves.pos_angle is not None
    first, last = curves.starting(row, np.array((u, _reach(margins, u, c))))
    length = last - first
    stride = 1 + int(np.maximum.reduce(length)) // _MOST_ENDS
    tied = curves.slanted is not None
    if stride > 1 or tied:  # with the end of a segment that the point above `u` may lie on
        length = np.maximum(-(-length // stride), 1)
    length += 1
    piece, owner, start = expand_ranges(first, length)
    if stride > 1 or tied:
        piece += (stride - 1) * (piece - first.take(owner))
        np.minimum(piece, last.take(owner), out=piece)
    x, k = curves.fp_end.take(piece), curves.tp_end.take(piece)
    if margins.neg.future is None:
        over = curves.neg_entropy.take(piece)
        over -= np.multiply(x, odds.repeat(length), out=x)
        over -= (curves.n_neg * miss + c).repeat(length)
    else:
        over = margins.neg.cost(x, u.take(owner), LEFT) - c
    over[start] = -c
    beyond = over > 0.0
    # Half of the squared distance of two angles is what a case costs.
    angle = curves.pos_angle.take(piece)
    spent = over * (-0.5 / margins.pos.effective)
    np.maximum(spent, _ZERO, out=spent)
    angle -= np.sqrt(spent, out=spent)
    np.copyto(angle, np.inf, where=beyond)
    if margins.pos.future is None:
        over += curves.pos_entropy.take(piece)
    if tied:
        k[start] = height = curves.height(row, u)
        angle[start] = angles(height, curves.n_pos) - math.sqrt(0.5 * c / margins.pos.effective)
        if margins.pos.future is None:
            over[start] = entropy(height, curves.n_pos) - c
    # Costs and counts grow along the curve: the highest end is that before the first beyond, or the
    # last one where none is.
    highest = start + (length - 1)
    before = (beyond[1:] > beyond[:-1]).nonzero()[0]
    highest[owner.take(before)] = before
    return _Ends((owner, start), over, k, angle, highest, stride == 1 and not tied)


def _log_odds(k: FloatArray, size: float) -> FloatArray:
    log_odds: FloatArray = np.log(np.maximum(k, 1e-300) / np.maximum(size - k, 1e-3))
    return log_odds


def parabola_step(gap: FloatArray, pull: FloatArray, bend: FloatArray) -> FloatArray:
    """Step to where a parabola with this slope and curvature has risen by `gap`.

    Costs are nearly parabolas in the log odds of the rate, and nearly straight toward 0 and 1.
    """
    pull = np.maximum(pull, _ZERO)
    twice = gap + gap
    root = pull * pull
    root += bend * twice
    np.maximum(root, _TINY, out=root)
    np.sqrt(root, out=root)
    root += pull
    twice /= root
    np.maximum(twice, _DOWN, out=twice)
    limited: FloatArray = np.minimum(twice, _UP, out=twice)
    return limited


def _is_short(step: FloatArray, rate: FloatArray, same: float = 0.0) -> BoolArray:
    """Tell which steps change the log odds by at most `same`, or the height by nothing."""
    moved = np.minimum(1e-10 / np.maximum(rate * (1.0 - rate), 1e-100), 0.1)
    return np.abs(step) <= np.maximum(moved, same)


def _refined(
    curves: Curves, margins: Margins, row: CountArray, u: FloatArray, c: float, start: FloatArray
) -> FloatArray:
    """Go on from `start` by the nearest points of the whole curve.

    A bracket is kept, because another point may be nearest at the next height.
    """
    odds, todo = start.copy(), np.arange(u.size)
    # The curve itself is within the band.
    low = _log_odds(curves.height(row, u), curves.n_pos) - _SAME_ODDS
    high = np.full(u.size, _ROUNDS_TO_ONE + 1.0)
    for trial in range(200):
        now = odds[todo]
        rate = 1.0 / (1.0 + np.exp(-now))
        at = nearest(curves, margins, row[todo], u[todo], rate)
        inside = at.distance <= c
        high = np.where(inside, high, now)
        # Up to its own height a point costs nothing more.
        now = np.where(inside, np.maximum(now, _log_odds(at.tp, curves.n_pos)), now)
        low = np.where(inside, now, low)
        pull = margins.pos.pull(at.tp, rate)
        step = parabola_step(c - at.distance, pull, _bend(curves, margins, at, rate, pull))
        settled = _is_short(step, rate, _SAME_ODDS)
        new = now + step
        # Steps that have not arrived after a dozen trials go in circles: halve the bracket instead.
        good = settled | ((new > low) & (new < high) & (trial < 12))
        odds[todo] = np.where(good, new, 0.5 * (low + high))
        # Heights that differ from 1 by rounding only are as high as can be told.
        going = ~settled & (high - low > 1e-12) & (low <= _ROUNDS_TO_ONE)
        todo, low, high = todo[going], low[going], high[going]
        if not todo.size:
            break
    return odds


def _bend(
    curves: Curves, margins: Margins, at: Nearest, rate: FloatArray, pull: FloatArray
) -> FloatArray:
    """Curvature of the distance in the log odds: of the cost alone while the nearest point stays.

    Where that slides along a tied segment the whole distance is close to a parabola.
    """
    bend = margins.pos.effective * rate * (1.0 - rate)
    if curves.slanted is None:
        return bend
    sliding = (at.fp > curves.fp_start[at.piece]) & (at.fp < curves.fp_end[at.piece])
    return np.where(sliding, 0.5 * pull * pull / np.maximum(at.distance, 1e-100), bend)

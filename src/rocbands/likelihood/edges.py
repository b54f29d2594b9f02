"""Edges of the likelihood region: the height above an abscissa at which the distance is c.

Formulas (E9) to (E15) of docs/likelihood.md. The slow version is `upper` in
tests/oracles/likelihood.py, compared in tests/likelihood/test_edges.py.

Candidates are the ends of all pieces whose false positives cost at most c. Without ties the largest
height that one of them allows is the edge, found 25 to 37 times quicker at 300 to 1,000 rows than
by a search with :func:`nearest`; with ties, or long windows, it is where that search starts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands._math.products import expand_ranges
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.likelihood.curves import Curves, angles, entropy
from rocbands.likelihood.margin import LEFT, RIGHT, Margin, log_rates, parabola_step
from rocbands.likelihood.nearest import Nearest, farthest_fpr, last_least, nearest

# Abscissae evaluated at once, and the most candidates above each; of longer windows every second,
# third, ... piece is a candidate.
_AT_ONCE = 1024
_MOST_CANDIDATES = 256
# Log odds closer than this are the same: the error that is left is about its square.
_SAME_ODDS = 1e-4
# Log odds from which on a rate rounds to 1.
_ROUNDS_TO_ONE = 36.0
# Steps of log odds after which the error is that of rounding: it is about their third power; with
# a future set, whose distances are not quite parabolas, about their square.
_LAST_STEP = {False: 1e-5, True: 1e-8}

# Arrays without dimensions, with which NumPy is quicker than with floats.
_ZERO, _ONE = np.array(0.0), np.array(1.0)


def edge_heights(curves: Curves, row: CountArray, u: FloatArray, c: float) -> FloatArray:
    """Find where the distance north-west of a curve is c, above each abscissa, (E9).

    `curves`: a curve and its half turn. `row`: 0 for heights above the curve, the upper edge of the
    band; 1 for heights above its half turn, the lower edge turned. `u`: false-positive rates, 0 and
    1 included, in any order. `c`: critical value of the distance.
    """
    if u.size > _AT_ONCE:
        parts = (slice(start, start + _AT_ONCE) for start in range(0, u.size, _AT_ONCE))
        return np.concatenate([edge_heights(curves, row[part], u[part], c) for part in parts])
    one = _contains_one(curves, row, u, c)
    height = one.astype(np.float64)
    todo = (~one).nonzero()[0]
    if not todo.size:
        return height
    row, u = row[todo], u[todo]
    odds, exact = _highest_of_candidates(curves, row, u, c)
    if np.count_nonzero(exact) < exact.size:
        rest = ~exact
        odds[rest] = _search_bracket(curves, row[rest], u[rest], c, odds[rest])
    height[todo] = 1.0 / (1.0 + np.exp(-odds))
    return height


def _contains_one(curves: Curves, row: CountArray, u: FloatArray, c: float) -> BoolArray:
    """Tell above which abscissae the band contains a true-positive rate of 1, (E15)."""
    if curves.future is not None:  # no rate of a future set excludes an outcome
        return nearest(curves, row, u, np.ones(u.size), c).distance <= c
    # Only a point with all positives allows a true rate of 1: the last piece of each row.
    last = np.array((curves.half - 1, curves.fp_end.size - 1))
    x, own = curves.fp_end.take(last).take(row), curves.fp_entropy(last).take(row)
    # The last piece has not all if it is a middle, (E25).
    has_all: BoolArray = (curves.tp_end.take(last) == curves.n_pos).take(row)
    hit, miss = log_rates(u)
    cheap: BoolArray = own - x * (hit - miss) <= curves.n_neg * miss + c
    return has_all & (cheap | (x <= curves.n_neg * u))


class _Candidates(NamedTuple):
    """Ends of pieces whose false positives cost at most c, those of the first abscissa first."""

    owner: CountArray  # the abscissa of each candidate
    start: CountArray  # the first candidate of each abscissa
    offset: FloatArray  # H + D- - c of (E11): what does not depend on the height
    k: FloatArray  # positives
    angle: FloatArray  # (E12), about the height that each allows; infinite where a cost exceeds c
    highest: CountArray  # the last candidate of each abscissa that does not cost more than c
    complete: bool  # whether nothing else can be nearest


def _highest_of_candidates(
    curves: Curves, row: CountArray, u: FloatArray, c: float
) -> tuple[FloatArray, BoolArray]:
    """Log odds of the largest height that a candidate allows, and where that is the edge, (E9)."""
    pos = curves.margins.pos
    owner, start, offset, k, angle, highest, complete = _collect_candidates(curves, row, u, c)

    def distances(odds: FloatArray) -> FloatArray:
        """Distances of all candidates, but for what those of an abscissa share, (E11)."""
        if pos.future is None:
            line = odds.take(owner)
            line *= k
            return np.subtract(offset, line, out=line)
        return offset + pos.cost(k, (1.0 / (1.0 + np.exp(-odds))).take(owner), RIGHT)

    # First guess: the candidate with the largest height in angles, (E12), nineteen times in twenty
    # the right one.
    near = last_least(angle, owner, start)
    # Below the highest candidate the lines do not tell the distance: it is 0 there.
    least = _log_odds(k.take(highest), pos.size)
    top = np.maximum(angle.take(near), 1e-9 if pos.future is None else 0.5 / math.sqrt(pos.size))
    odds = -2.0 * np.log(np.tan(top))
    if pos.future is None:
        # ln(1 + e^t) >= t: no height is above that at which the line so obtained is c.
        odds = np.minimum(odds, offset.take(near) / np.minimum(k.take(near) - pos.size, -1e-9))
    # One step from there is close enough to see which line of (E11) is lowest.
    odds, _ = _solve_heights(pos, offset.take(near), k.take(near), odds, least, steps=1)
    near = last_least(distances(odds), owner, start)
    odds, exact = _solve_heights(pos, offset.take(near), k.take(near), odds, least)
    # Candidates that are still nearer at the height it allows, allow more.
    apart = distances(odds)
    nearer = (apart < apart.take(near).take(owner)).nonzero()[0]
    if nearer.size:
        place = owner.take(nearer)
        higher, solved = _solve_heights(
            pos, offset.take(nearer), k.take(nearer), odds.take(place), least.take(place)
        )
        np.maximum.at(odds, place, higher)
        exact[place[~solved]] = False
    return odds, exact & complete


def _solve_heights(
    margin: Margin,
    offset: FloatArray,
    k: FloatArray,
    odds: FloatArray,
    least: FloatArray,
    steps: int = 12,
) -> tuple[FloatArray, BoolArray]:
    """Solve (E11) for the log odds of single candidates by (E13); tell where it converged.

    `odds`: where to start. `least`: the solution is not below.
    """
    last_step, size = _LAST_STEP[margin.future is not None], np.array(float(margin.size))
    odds = np.maximum(odds, least)
    # In place: with a few hundred numbers a new array costs as much as the arithmetic.
    for number in range(steps):
        grown = np.exp(odds)
        whole = _ONE + grown
        if margin.future is None:
            gap = k * odds  # what is left of c, (E11)
            gap -= offset
            gap -= size * np.log1p(grown)
            grown *= size
            grown /= whole  # expected positives
            step = parabola_step(gap, grown - k, np.divide(grown, whole, out=whole))
        else:
            rate = grown / whole
            gap = -offset - margin.cost(k, rate, RIGHT)
            slope = margin.slope_in_log_odds(k, rate)
            step = parabola_step(gap, slope, margin.effective * rate / whole)
        odds = np.maximum(odds + step, least)
        if number > 1 and np.maximum.reduce(np.abs(step)) <= last_step:
            break
    return odds, np.abs(step) <= last_step


def _collect_candidates(curves: Curves, row: CountArray, u: FloatArray, c: float) -> _Candidates:
    """Collect the ends of pieces from each abscissa to where false positives cost c, (E10)."""
    margins = curves.margins
    first, last = curves.starting(row, np.array((u, farthest_fpr(margins, u, c))))
    length = last - first
    # Of long windows every `stride`-th piece is a candidate.
    stride = 1 + int(np.maximum.reduce(length)) // _MOST_CANDIDATES
    tied = curves.slanted is not None
    if stride > 1 or tied:  # with the end of a segment that the point above `u` may lie on
        length = np.maximum(-(-length // stride), 1)
    length += 1
    piece, owner, start = expand_ranges(first, length)
    if stride > 1 or tied:
        piece += (stride - 1) * (piece - first.take(owner))
        np.minimum(piece, last.take(owner), out=piece)
    x, k = curves.fp_end.take(piece), curves.tp_end.take(piece)
    if curves.future is None:  # (E5)
        hit, miss = log_rates(u)
        offset = curves.fp_entropy(piece)
        offset -= np.multiply(x, (hit - miss).repeat(length), out=x)
        offset -= (curves.n_neg * miss + c).repeat(length)
    else:
        offset = margins.neg.cost(x, u.take(owner), LEFT) - c
    offset[start] = -c  # the first piece starts at or left of u
    beyond = offset > 0.0
    # A candidate that leaves -offset for its positives allows sqrt(-offset / (2 m)), (E12).
    angle = curves.tp_angle(piece)
    budget = offset * (-0.5 / margins.pos.effective)
    np.maximum(budget, _ZERO, out=budget)
    angle -= np.sqrt(budget, out=budget)
    np.copyto(angle, np.inf, where=beyond)
    if curves.future is None:
        offset += curves.tp_entropy(piece)
    if tied:
        # The first candidate is the point of the curve at u itself.
        k[start] = height = curves.height(row, u)
        angle[start] = angles(height, curves.n_pos) - math.sqrt(0.5 * c / margins.pos.effective)
        if curves.future is None:
            offset[start] = entropy(height, curves.n_pos) - c
    # Costs and counts grow along the curve: the highest candidate is that before the first beyond,
    # or the last one where none is.
    highest = start + (length - 1)
    before = (beyond[1:] > beyond[:-1]).nonzero()[0]
    highest[owner.take(before)] = before
    return _Candidates(owner, start, offset, k, angle, highest, stride == 1 and not tied)


def _log_odds(k: FloatArray, size: float) -> FloatArray:
    rest = size - k  # of tied scores a fraction, which may be small
    log_odds: FloatArray = np.log(np.maximum(k, 1e-300) / np.where(rest > 1e-12, rest, 1e-3))
    return log_odds


def _search_bracket(
    curves: Curves, row: CountArray, u: FloatArray, c: float, start: FloatArray
) -> FloatArray:
    """Solve distance = c by steps (E13) from `start`, with nearest points of the whole curve."""
    # A bracket is kept, (E14), because another point may be nearest at the next height.
    odds, todo = start.copy(), np.arange(u.size)
    # The curve itself is within the band.
    low = _log_odds(curves.height(row, u), curves.n_pos) - _SAME_ODDS
    high = np.full(u.size, _ROUNDS_TO_ONE + 1.0)
    for trial in range(200):
        now = odds[todo]
        rate = 1.0 / (1.0 + np.exp(-now))
        at = nearest(curves, row[todo], u[todo], rate)
        inside = at.distance <= c
        high = np.where(inside, high, now)
        # Up to its own height a point costs nothing more.
        now = np.where(inside, np.maximum(now, _log_odds(at.tp, curves.n_pos)), now)
        low = np.where(inside, now, low)
        slope = curves.margins.pos.slope_in_log_odds(at.tp, rate)
        curvature = _distance_curvature(curves, at, rate, slope)
        # A rate of 1 is infinitely far where no point has all positives, (E25).
        step = parabola_step(np.maximum(c - at.distance, -1e100), slope, curvature)
        # Converged: the log odds change by next to nothing, or the height by less than 1e-10.
        same_height = np.minimum(1e-10 / np.maximum(rate * (1.0 - rate), 1e-100), 0.1)
        settled = np.abs(step) <= np.maximum(same_height, _SAME_ODDS)
        new = now + step
        # Steps that have not converged after a dozen go in circles: halve the bracket instead.
        good = settled | ((new > low) & (new < high) & (trial < 12))
        odds[todo] = np.where(good, new, 0.5 * (low + high))
        # Heights that differ from 1 by rounding only are as high as can be told.
        going = ~settled & (high - low > 1e-12) & (low <= _ROUNDS_TO_ONE)
        todo, low, high = todo[going], low[going], high[going]
        if not todo.size:
            break
    return odds


def _distance_curvature(
    curves: Curves, at: Nearest, rate: FloatArray, slope: FloatArray
) -> FloatArray:
    """Curvature of the distance in the log odds: of the cost while the nearest point stays."""
    curvature = curves.margins.pos.effective * rate * (1.0 - rate)
    if curves.slanted is None:
        return curvature
    # Where that slides along a tied segment the whole distance is close to a parabola with its
    # minimum 0 on the segment, whose curvature is slope^2 / (2 distance).
    sliding = (at.fp > curves.fp_start[at.piece]) & (at.fp < curves.fp_end[at.piece])
    return np.where(sliding, 0.5 * slope * slope / np.maximum(at.distance, 1e-100), curvature)

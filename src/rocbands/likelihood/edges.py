"""Edges of the likelihood band at a given critical value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.likelihood.curves import Bools, Curves, Ints, entropy
from rocbands.likelihood.margin import LEFT, RIGHT, Floats, log_rates
from rocbands.likelihood.nearest import Margins, Nearest, nearest

# Abscissae dealt with at once, and the longest windows above them that are looked at in full.
_AT_ONCE = 1024
_LONG = 256
# Log odds closer than this are the same: the error that is left is about its square.
_SAME = 1e-4
_LONGEST_STEP = 4.0
_ROUNDS_TO_ONE = 36.0


def heights(curves: Curves, margins: Margins, row: Ints, u: Floats, c: float) -> Floats:
    """Find where the distance north-west of curve ``row`` reaches c, above each ``u``.

    Parameters
    ----------
    curves
        A curve and its half turn: above the one runs the band's upper edge, above the other its
        lower edge, turned.
    margins
        The two classes.
    row
        The curve to start from, 0 or 1, for each ``u``.
    u
        False-positive rates, 0 and 1 included, in any order.
    c
        Critical value of the distance.
    """
    parts = (slice(start, start + _AT_ONCE) for start in range(0, u.size or 1, _AT_ONCE))
    return np.concatenate([_heights(curves, margins, row[part], u[part], c) for part in parts])


def _heights(curves: Curves, margins: Margins, row: Ints, u: Floats, c: float) -> Floats:
    height = np.ones(u.size)
    todo = np.flatnonzero(~_reaches_one(curves, margins, row, u, c))
    if not todo.size:
        return height
    row, u = row[todo], u[todo]
    odds, exact = _from_ends(curves, margins, row, u, c)
    if not exact.all():
        rest = ~exact
        odds[rest] = _refined(curves, margins, row[rest], u[rest], c, odds[rest])
    height[todo] = 1.0 / (1.0 + np.exp(-odds))
    return height


def _reaches_one(curves: Curves, margins: Margins, row: Ints, u: Floats, c: float) -> Bools:
    """Tell above which ``u`` the band reaches a true-positive rate of 1."""
    if margins.pos.future is not None:
        return nearest(curves, margins, row, u, np.ones(u.size)).distance <= c
    # Only a point with all positives allows a true rate of 1.
    first = curves.reaching(np.arange(2), np.ones(2))
    return margins.neg.cost(curves.fp_end[first][row], u, LEFT) <= c


def _from_ends(
    curves: Curves, margins: Margins, row: Ints, u: Floats, c: float
) -> tuple[Floats, Bools]:
    """Log odds of the height that the pieces' ends within reach allow, and where that is exact.

    Each round steps to about the height that the end nearest at the moment allows. A true rate with
    log odds t and an end with k of m positives are entropy(k) - k t + m ln(1 + e^t) apart: but for
    what all ends share, the distances are straight lines in t.
    """
    size, future = margins.pos.size, margins.pos.future is not None
    fixed, k, complete = _ends(curves, margins, row, u, c)
    highest, each = k.max(axis=0), np.arange(u.size)
    # Below the highest end within reach the lines do not tell the distance.
    least = _log_odds(highest, size)
    odds = np.maximum(_guess(k[0], highest, margins, c), least)
    for _ in range(6):
        grown = np.exp(odds)
        rate = grown / (1.0 + grown)
        costs = fixed + margins.pos.cost(k, rate, RIGHT) if future else fixed - k * odds
        near = costs.argmin(axis=0), each
        distance = costs[near] if future else costs[near] + size * np.log1p(grown)
        bend = margins.pos.effective * rate * (1.0 - rate)
        step = _step(c - distance, margins.pos.pull(k[near], rate), bend)
        odds = np.maximum(odds + step, least)
        if np.abs(step).max() < 1e-9:
            break
    return odds, _is_short(step, rate) & (complete and curves.slanted is None)


class _Ends(NamedTuple):
    """Ends of the pieces within reach, one column for each abscissa.

    Attributes
    ----------
    fixed
        What the distance of each end does not owe to the height; infinite out of reach.
    k
        Positives at each end; none out of reach.
    complete
        Whether no end is left out.
    """

    fixed: Floats
    k: Floats
    complete: bool


def _ends(curves: Curves, margins: Margins, row: Ints, u: Floats, c: float) -> _Ends:
    """Look from each ``u`` to where the false-positive rate alone costs more than c."""
    assert curves.neg_entropy is not None
    assert curves.pos_entropy is not None
    # By Bernstein's inequality nothing farther away is within reach.
    scale, weight = c / margins.neg.effective, margins.neg.weight
    far = u + np.sqrt(2.0 * scale * u * (1.0 - u)) + (8.0 / 3.0 - 2.0 * weight) * scale
    first = curves.starting(row, u)
    span = curves.starting(row, np.minimum(far, 1.0)) - first
    longest = int(span.max())
    stride = 1 + longest // _LONG
    offset = np.arange(0, longest + 1, stride)[:, None]
    piece = first + offset
    x, k = (side.take(piece, mode="clip") for side in (curves.fp_end, curves.tp_end))
    if curves.slanted is not None:
        k[0] = curves.height(row, u)
    if margins.neg.future is None:
        hit, miss = log_rates(u)
        fixed = curves.neg_entropy.take(piece, mode="clip") - x * (hit - miss) - curves.n_neg * miss
    else:
        fixed = margins.neg.cost(x, u, LEFT)
    fixed[0] = 0.0
    within = (fixed <= c) & (offset <= span)
    if margins.pos.future is None:
        fixed[1:] += curves.pos_entropy.take(piece[1:], mode="clip")
        fixed[0] = entropy(k[0], curves.n_pos)
    return _Ends(np.where(within, fixed, np.inf), k * within, stride == 1)


def _guess(here: Floats, highest: Floats, margins: Margins, c: float) -> Floats:
    """Log odds of about the height to which a curve that rises from ``here`` to ``highest`` leads.

    Turned into angles counts have even noise, which joins the rise like the other side of a right
    triangle.
    """
    size = float(margins.pos.size)
    start, end = (np.arcsin(np.sqrt((k + 0.375) / (size + 0.75))) for k in (here, highest))
    angle = start + np.hypot(end - start, np.sqrt(0.5 * c / margins.pos.effective))
    guess: Floats = 2.0 * np.log(np.tan(np.minimum(angle, 0.5 * np.pi - 0.5 / np.sqrt(size))))
    return guess


def _log_odds(k: Floats, size: float) -> Floats:
    log_odds: Floats = np.log(np.maximum(k, 1e-300) / np.maximum(size - k, 1e-3))
    return log_odds


def _step(gap: Floats, pull: Floats, bend: Floats) -> Floats:
    """Step to where a parabola with this slope and curvature has risen by ``gap``.

    Costs are nearly parabolas in the log odds of the rate, and nearly straight toward 0 and 1.
    """
    pull = np.maximum(pull, 0.0)
    slope = pull + np.sqrt(np.maximum(pull * pull + 2.0 * bend * gap, 0.0))
    step: Floats = 2.0 * gap / np.maximum(slope, 1e-100)
    return np.minimum(np.maximum(step, -_LONGEST_STEP), _LONGEST_STEP)


def _is_short(step: Floats, rate: Floats, same: float = 0.0) -> Bools:
    """Tell which steps change the log odds by at most ``same``, or the height by nothing."""
    moved = np.minimum(1e-10 / np.maximum(rate * (1.0 - rate), 1e-100), 0.1)
    return np.abs(step) <= np.maximum(moved, same)


def _refined(
    curves: Curves, margins: Margins, row: Ints, u: Floats, c: float, start: Floats
) -> Floats:
    """Go on from ``start`` by the nearest points of the whole curve.

    A bracket is kept, because another point may be nearest at the next height.
    """
    odds, todo = start.copy(), np.arange(u.size)
    # The curve itself is within the band.
    low = _log_odds(curves.height(row, u), curves.n_pos) - _SAME
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
        step = _step(c - at.distance, pull, _bend(curves, margins, at, rate, pull))
        settled = _is_short(step, rate, _SAME)
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


def _bend(curves: Curves, margins: Margins, at: Nearest, rate: Floats, pull: Floats) -> Floats:
    """Curvature of the distance in the log odds: of the cost alone while the nearest point stays.

    Where that slides along a tied segment the whole distance is close to a parabola.
    """
    bend = margins.pos.effective * rate * (1.0 - rate)
    if curves.slanted is None:
        return bend
    sliding = (at.fp > curves.fp_start[at.piece]) & (at.fp < curves.fp_end[at.piece])
    return np.where(sliding, 0.5 * pull * pull / np.maximum(at.distance, 1e-100), bend)

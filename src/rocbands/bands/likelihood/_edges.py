"""Edges of the likelihood band at a given critical value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._curves import Curves, Ints, half_turn
from ._margin import LEFT, RIGHT, Floats, Margin
from ._nearest import Margins, Nearest, margins_of, nearest

# Log odds closer than this are the same: the error that is left is about its square.
_SAME = 1e-4
_LARGEST_ODDS = 700.0
# Where, between the first and the last point within reach, a good start is looked for.
_AIMS: Floats = np.linspace(0.0, 1.0, 13)
_ROUNDS_TO_ONE = 36.0


def upper_edge(
    fp: Ints,
    tp: Ints,
    n_pos: int,
    n_neg: int,
    c: float,
    u: Floats,
    future: tuple[int, int] | None = None,
) -> Floats:
    """Return the largest true-positive rate in the band at each false-positive rate ``u``.

    Parameters
    ----------
    fp, tp
        Cumulative counts at the vertices, from (0, 0) to (n_neg, n_pos).
    n_pos, n_neg
        Class sizes.
    c
        Critical value of the distance.
    u
        False-positive rates, 0 and 1 included, in any order.
    future
        Class sizes ``(n_pos, n_neg)`` of a future set, for the band of its empirical curve.
    """
    curves = Curves.from_counts(fp, tp, n_pos, n_neg)
    row = np.zeros(u.size, dtype=np.int64)
    return _heights(curves, margins_of(n_pos, n_neg, future), row, u, c)


def lower_edge(
    fp: Ints,
    tp: Ints,
    n_pos: int,
    n_neg: int,
    c: float,
    u: Floats,
    future: tuple[int, int] | None = None,
) -> Floats:
    """Return the smallest true-positive rate in the band at each ``u``; see `upper_edge`.

    Half a turn of the unit square exchanges the two sides of the band.
    """
    lowest: Floats = 1.0 - upper_edge(*half_turn(fp, tp), n_pos, n_neg, c, 1.0 - u, future)
    return lowest


def both_edges(
    fp: Ints,
    tp: Ints,
    n_pos: int,
    n_neg: int,
    c: float,
    u: Floats,
    future: tuple[int, int] | None = None,
) -> tuple[Floats, Floats]:
    """Return `lower_edge` and `upper_edge` together, in half the time."""
    sides = (fp, tp), half_turn(fp, tp)
    curves = Curves.side_by_side([Curves.from_counts(*side, n_pos, n_neg) for side in sides])
    row = np.repeat(np.arange(2), u.size)
    ask = np.concatenate((u, 1.0 - u))
    upper, turned = np.split(_heights(curves, margins_of(n_pos, n_neg, future), row, ask, c), 2)
    return 1.0 - turned, upper


def _heights(curves: Curves, margins: Margins, row: Ints, u: Floats, c: float) -> Floats:
    """Find where the distance north-west of curve ``row`` reaches c, above each ``u``.

    Each round steps to the height that the point nearest at the moment allows. It works in the log
    odds of the height, in which the root of a class's cost is nearly straight, and keeps a bracket,
    because another point may be nearest at the next height.
    """
    height = np.ones(u.size)
    todo = np.flatnonzero(~_reaches_one(curves, margins, row, u, c))
    odds = np.clip(_start(curves, margins, row[todo], u[todo], c), -650.0, _ROUNDS_TO_ONE)
    low, high = np.full(odds.size, -_LARGEST_ODDS), np.full(odds.size, _LARGEST_ODDS)
    for _ in range(200):
        if not todo.size:
            break
        rate = 1.0 / (1.0 + np.exp(-odds))
        at = nearest(curves, margins, row[todo], u[todo], rate)
        inside = at.distance <= c
        low, high = np.where(inside, odds, low), np.where(inside, high, odds)
        sliding = None if curves.slanted is None else curves.slanted[at.piece]
        wilson, newton, pull = _steps(margins, at, sliding, rate, odds, c)
        new = np.where((newton > low) & (newton < high), newton, 0.5 * (low + high))
        new = np.where((wilson > odds + 0.01) & (wilson < high), wilson, new)
        # Settled: a short step that also explains what is left of the distance.
        short = np.abs(newton - odds) <= _SAME
        settled = short & (np.abs(at.distance - c) <= 2.0 * _SAME * pull + 1e-12)
        new = np.clip(np.where(settled, newton, new), low, high)
        # Heights that differ from 1 by rounding only are as high as can be told.
        settled |= (high - low <= 1e-12) | (low > _ROUNDS_TO_ONE)
        height[todo] = 1.0 / (1.0 + np.exp(-new))
        going = ~settled
        todo, odds, low, high = todo[going], new[going], low[going], high[going]
    return height


def _steps(
    margins: Margins,
    at: Nearest,
    sliding: npt.NDArray[np.bool_] | None,
    rate: Floats,
    odds: Floats,
    c: float,
) -> tuple[Floats, Floats, Floats]:
    """Two guesses of the height at which the curve is at distance c, by its nearest points.

    From close by Newton's step is nearly exact: for a corner on its own cost, for a point that
    slides along a tied segment as the height changes on the whole distance. From afar below, or
    where the point allows the height without any cost, Wilson's limit is the better guess;
    elsewhere it is infinite. The third array is the distance's slope in the log odds.
    """
    cost = margins.pos.cost(at.tp, rate, RIGHT)
    budget = np.maximum(c - (at.distance - cost), 0.0)
    wilson, far = np.full(cost.size, np.inf), np.flatnonzero(cost < 0.25 * budget)
    if far.size:
        wilson[far] = _wilson(margins.pos, at.tp[far], budget[far])
    if sliding is not None:
        cost, budget = np.where(sliding, at.distance, cost), np.where(sliding, c, budget)
    root, target = np.sqrt(cost), np.sqrt(budget)
    pull = np.maximum(margins.pos.pull(at.tp, rate), 1e-300)
    newton: Floats = odds - 2.0 * root * (root - target) / pull
    return wilson, newton, pull


def _start(curves: Curves, margins: Margins, row: Ints, u: Floats, c: float) -> Floats:
    """Log odds of a height inside the band: the best that a few points within reach allow.

    A dozen points between ``u`` and where its cost alone exceeds c are compared by Wilson's
    limits; the best one's height is then solved for.
    """
    noise = u * (1.0 - u) / margins.neg.effective
    far = np.minimum(u + np.sqrt(2.0 * c * noise) + c / margins.neg.effective, 1.0)
    first, _ = curves.windows(row, u, u)
    last, _ = curves.windows(row, far, far)
    piece = first[:, None] + ((last - first)[:, None] * _AIMS).astype(np.int64)
    spent = margins.neg.cost(curves.fp_end[piece], u[:, None], LEFT)
    budget = np.maximum(c - spent, 0.0)
    odds = np.where(spent < c, _wilson(margins.pos, curves.tp_end[piece], budget), -np.inf)
    # The curve's own height above u costs nothing on the first axis.
    here = curves.height(row, u)
    odds[:, 0] = _wilson(margins.pos, here, np.full(u.size, c))
    best = np.argmax(odds, axis=1)
    each = np.arange(u.size)
    k = np.where(best == 0, here, curves.tp_end[piece[each, best]])
    budget = np.where(best == 0, c, budget[each, best])
    return _solved(margins.pos, k, budget, np.clip(odds[each, best], -30.0, 30.0))


def _solved(margin: Margin, k: Floats, budget: Floats, odds: Floats) -> Floats:
    """Polish Wilson's limit by three Newton steps toward where the cost is the budget."""
    target = np.sqrt(budget)
    for _ in range(3):
        rate = 1.0 / (1.0 + np.exp(-odds))
        root = np.sqrt(margin.cost(k, rate, RIGHT))
        step = 2.0 * root * (root - target) / np.maximum(margin.pull(k, rate), 1e-300)
        odds = odds - np.clip(step, -1.0, 1.0)
    return odds


def _wilson(margin: Margin, k: Floats, budget: Floats) -> Floats:
    """Log odds of Wilson's upper limit for a count: about where its cost reaches ``budget``."""
    size = float(margin.size)
    spread = 2.0 * budget * size / margin.effective
    root = np.sqrt(spread * (k * (1.0 - k / size) + 0.25 * spread))
    hits, misses = k + 0.5 * spread + root, size - k + 0.5 * spread - root
    tiny = 1e-12 * size
    return np.asarray(np.log(np.maximum(hits, tiny) / np.maximum(misses, tiny)))


def _reaches_one(
    curves: Curves, margins: Margins, row: Ints, u: Floats, c: float
) -> npt.NDArray[np.bool_]:
    """Tell above which ``u`` the band reaches a true-positive rate of 1."""
    if margins.pos.future is not None:
        return nearest(curves, margins, row, u, np.ones(u.size)).distance <= c
    # Only a point with all positives allows a true rate of 1.
    first = curves.reaching(row, np.ones(u.size))
    return margins.neg.cost(curves.fp_end[first], u, LEFT) <= c

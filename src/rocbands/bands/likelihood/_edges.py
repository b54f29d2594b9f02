"""Edges of the likelihood band at a given critical value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._curves import Curves, Ints
from ._margin import LEFT, RIGHT, Floats, Margin
from ._nearest import Margins, Nearest, nearest

# Log odds closer than this are the same: the error that is left is about its square.
_SAME = 2e-5


def margins_of(n_pos: int, n_neg: int, future: tuple[int, int] | None) -> Margins:
    """Pair the class sizes with those of a future set ``(n_pos, n_neg)``, if there is one."""
    later_pos, later_neg = (None, None) if future is None else future
    return Margins(Margin(n_neg, later_neg), Margin(n_pos, later_pos))


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


def half_turn(fp: Ints, tp: Ints) -> tuple[Ints, Ints]:
    """Rotate a curve by half a turn: (x, y) to (1 - x, 1 - y)."""
    return fp[-1] - fp[::-1], tp[-1] - tp[::-1]


def _heights(curves: Curves, margins: Margins, row: Ints, u: Floats, c: float) -> Floats:
    """Find where the distance north-west of curve ``row`` reaches c, above each ``u``.

    Each round steps to the height that the point nearest at the moment allows. It works in the log
    odds of the height, in which the root of a class's cost is nearly straight, and keeps a bracket,
    because another point may be nearest at the next height.
    """
    height = np.ones(u.size)
    todo = np.flatnonzero(~_reaches_one(curves, margins, row, u, c))
    start = curves.height(row[todo], u[todo])
    odds = _wilson(margins.pos, start, np.full(start.size, c))
    low, high = np.full(odds.size, -np.inf), np.full(odds.size, np.inf)
    for _ in range(200):
        if not todo.size:
            break
        rate = 1.0 / (1.0 + np.exp(-odds))
        height[todo] = rate
        at = nearest(curves, margins, row[todo], u[todo], rate)
        inside = at.distance <= c
        low, high = np.where(inside, odds, low), np.where(inside, high, odds)
        sliding = None if curves.slanted is None else curves.slanted[at.piece]
        wilson, newton = _steps(margins, at, sliding, u[todo], rate, odds, c)
        new = np.where((newton > low) & (newton < high), newton, _between(low, high))
        new = np.where((wilson > odds + 0.01) & (wilson < high), wilson, new)
        # At the edge itself a bracket of width zero is the answer.
        going = np.abs(new - odds) > _SAME
        height[todo[~going]] = 1.0 / (1.0 + np.exp(-new[~going]))
        todo, odds, low, high = todo[going], new[going], low[going], high[going]
    return height


def _steps(
    margins: Margins,
    at: Nearest,
    sliding: npt.NDArray[np.bool_] | None,
    u: Floats,
    rate: Floats,
    odds: Floats,
    c: float,
) -> tuple[Floats, Floats]:
    """Two guesses of the height at which the curve is at distance c, by its nearest points.

    From close by Newton's step is nearly exact: for a corner on its own cost, for a point that
    slides along a tied segment as the height changes on the whole distance. From afar below, or
    where the point allows the height without any cost, Wilson's limit is the better guess;
    elsewhere it is infinite.
    """
    budget = np.maximum(c - margins.neg.cost(at.fp, u, LEFT), 0.0)
    cost = margins.pos.cost(at.tp, rate, RIGHT)
    wilson = np.where(cost < 0.25 * budget, _wilson(margins.pos, at.tp, budget), np.inf)
    if sliding is not None:
        cost, budget = np.where(sliding, at.distance, cost), np.where(sliding, c, budget)
    root, target = np.sqrt(cost), np.sqrt(budget)
    pull = np.maximum(margins.pos.pull(at.tp, rate), 1e-300)
    newton: Floats = odds - 2.0 * root * (root - target) / pull
    return wilson, newton


def _wilson(margin: Margin, k: Floats, budget: Floats) -> Floats:
    """Log odds of Wilson's upper limit for a count: about where its cost reaches ``budget``."""
    size = float(margin.size)
    spread = 2.0 * budget * size / margin.effective
    root = np.sqrt(spread * (k * (1.0 - k / size) + 0.25 * spread))
    hits, misses = k + 0.5 * spread + root, size - k + 0.5 * spread - root
    tiny = 1e-12 * size
    return np.asarray(np.log(np.maximum(hits, tiny)) - np.log(np.maximum(misses, tiny)))


def _between(low: Floats, high: Floats) -> Floats:
    """Halve a bracket; one that is open above is left by a step of 1."""
    # Infinite ends are meant: they are replaced, not used.
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (low + high)
    middle = np.where(np.isinf(high), low + 1.0, middle)
    return np.where(np.isinf(low), high - 1.0, middle)


def _reaches_one(
    curves: Curves, margins: Margins, row: Ints, u: Floats, c: float
) -> npt.NDArray[np.bool_]:
    """Tell above which ``u`` the band reaches a true-positive rate of 1."""
    if margins.pos.future is not None:
        return nearest(curves, margins, row, u, np.ones(u.size)).distance <= c
    # Only a point with all positives allows a true rate of 1.
    first = curves.reaching(row, np.ones(u.size))
    return margins.neg.cost(curves.fp_end[first], u, LEFT) <= c

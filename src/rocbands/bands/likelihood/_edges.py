"""Edges of the likelihood band at a given critical value."""

from __future__ import annotations

import numpy as np

from ._curves import Curves, Ints
from ._margin import LEFT, Floats, Margin
from ._nearest import Margins, nearest


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

    Notes
    -----
    The edge is where the distance reaches c. Start from the height that one point of the
    curve allows; while another point is nearer than c there, go up to the height which that
    one allows. Each step goes up, and it stops when no point is nearer: usually after four.
    """
    curves = Curves.from_counts(fp, tp, n_pos, n_neg)
    margins = margins_of(n_pos, n_neg, future)
    u = np.asarray(u, dtype=np.float64)
    height = margins.pos.reach(_height(curves, u), np.full(u.size, c))
    todo = np.flatnonzero(height < 1.0)
    while todo.size:
        across, up = u[todo], height[todo]
        at = nearest(curves, margins, np.zeros(todo.size, dtype=np.int64), across, up)
        nearer = at.distance < c * (1.0 - 1e-13) - 1e-13
        todo, across, up = todo[nearer], across[nearer], up[nearer]
        budget = c - margins.neg.cost(at.fp[nearer], across, LEFT)
        height[todo] = margins.pos.reach(at.tp[nearer], budget)
        # Rounding may leave a distance below c which no longer lifts the edge.
        todo = todo[(height[todo] > up + 1e-14) & (height[todo] < 1.0)]
    return height


def _height(curves: Curves, u: Floats) -> Floats:
    """Count the true positives of the curve at ``u``, a vertical stretch up to its top."""
    first, _ = curves.windows(np.zeros(u.size, dtype=np.int64), u, u)
    x0, y0 = curves.fp_start[first], curves.tp_start[first]
    run, rise = curves.fp_end[first] - x0, curves.tp_end[first] - y0
    part = np.minimum((curves.n_neg * u - x0) / np.where(run > 0, run, 1.0), 1.0)
    height: Floats = y0 + np.maximum(part, 0.0) * rise
    return height


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
    u = np.asarray(u, dtype=np.float64)
    back_fp, back_tp = half_turn(fp, tp)
    lowest: Floats = 1.0 - upper_edge(back_fp, back_tp, n_pos, n_neg, c, 1.0 - u, future)
    return lowest


def half_turn(fp: Ints, tp: Ints) -> tuple[Ints, Ints]:
    """Rotate a curve by half a turn: (x, y) to (1 - x, 1 - y)."""
    return fp[-1] - fp[::-1], tp[-1] - tp[::-1]

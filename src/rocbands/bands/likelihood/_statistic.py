"""Largest distance of a whole curve from an empirical curve, and whether a band holds it."""

from __future__ import annotations

import numpy as np

from ._curves import Curves, Ints, half_turn
from ._margin import Floats
from ._nearest import Margins, margins_of, nearest
from ._supremum import TOLERANCE, raise_along_curves

# Into how many runs a tested curve is cut at first.
_RUNS = 32


def statistic(
    fp: Ints,
    tp: Ints,
    n_pos: int,
    n_neg: int,
    curve_x: Floats,
    curve_y: Floats,
    future: tuple[int, int] | None = None,
    *,
    floor: float = 0.0,
    stop: float = np.inf,
) -> float:
    """Return the largest distance of a tested curve from the empirical curve, on either side.

    Parameters
    ----------
    fp, tp
        Cumulative counts at the vertices, from (0, 0) to (n_neg, n_pos).
    n_pos, n_neg
        Class sizes.
    curve_x, curve_y
        Vertices of the tested curve, rates, both nondecreasing from 0 to 1; joined by straight
        pieces, which may be vertical, horizontal or slanted.
    future
        Class sizes ``(n_pos, n_neg)`` if the tested curve is the empirical curve of a future set.
    floor
        Report a smaller value as this one, which saves the work of finding it.
    stop
        Return early, with any value above this one, once the statistic is known to exceed it.

    Returns
    -------
    float
        The supremum over all points of all pieces, to within 1e-9; infinite if the tested
        curve gives probability zero to what was observed.
    """
    x, y = np.asarray(curve_x, dtype=np.float64), np.asarray(curve_y, dtype=np.float64)
    margins = margins_of(n_pos, n_neg, future)
    best = np.full(1, floor)
    sides = ((fp, tp, x, y), (*half_turn(fp, tp), 1.0 - x[::-1], 1.0 - y[::-1]))
    for side_fp, side_tp, side_x, side_y in sides:
        curves = Curves.from_counts(side_fp, side_tp, n_pos, n_neg)
        _raise_one_side(curves, margins, side_x, side_y, best, stop)
        if best[0] > stop:
            break
    return float(best[0])


def within(
    fp: Ints,
    tp: Ints,
    n_pos: int,
    n_neg: int,
    curve_x: Floats,
    curve_y: Floats,
    c: float,
    future: tuple[int, int] | None = None,
) -> bool:
    """Tell whether the band at critical value ``c`` holds the whole tested curve.

    Parameters as in `statistic`. The law of the statistic has atoms, so a value that exceeds
    c by rounding only counts as held.
    """
    limit = c + TOLERANCE
    x, y = curve_x, curve_y
    return statistic(fp, tp, n_pos, n_neg, x, y, future, floor=c, stop=limit) <= limit


def _raise_one_side(
    curves: Curves, margins: Margins, x: Floats, y: Floats, best: Floats, stop: float
) -> None:
    """Raise ``best`` to the largest distance north-west of the empirical curve."""
    cut = np.unique(np.linspace(0, x.size - 1, min(x.size, _RUNS + 1)).astype(np.int64))
    row, owner = np.zeros(cut.size - 1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    ends = nearest(curves, margins, np.zeros(cut.size, dtype=np.int64), x[cut], y[cut])
    best[0] = max(best[0], float(ends.distance.max()))
    raise_along_curves(curves, margins, row, cut[:-1], cut[1:], (x, y), owner, best, stop)

"""Largest distance of a whole curve from an empirical curve, and whether a band holds it."""

from __future__ import annotations

import numpy as np

from rocbands.likelihood.curves import Curves
from rocbands.likelihood.margin import Floats
from rocbands.likelihood.nearest import Margins, nearest
from rocbands.likelihood.supremum import TOLERANCE, raise_along_curves

# The empirical curve, which a tested curve may leave above, and its half turn, for below.
SIDES = (0, 1)
# Into how many runs a tested curve is cut at first.
_RUNS = 32


def statistic(
    curves: Curves,
    margins: Margins,
    curve_x: Floats,
    curve_y: Floats,
    *,
    floor: float = 0.0,
    stop: float = np.inf,
    sides: tuple[int, ...] = SIDES,
) -> float:
    """Return the largest distance of a tested curve from the empirical curve, on either side.

    Parameters
    ----------
    curves
        The empirical curve and its half turn.
    margins
        The two classes; with a future set's sizes if the tested curve is the one of a future set.
    curve_x, curve_y
        Vertices of the tested curve, rates, both nondecreasing from 0 to 1; joined by straight
        pieces, which may be vertical, horizontal or slanted.
    floor
        Report a smaller value as this one, which saves the work of finding it.
    stop
        Return early, with any value above this one, once the statistic is known to exceed it.
    sides
        Where to look: 0 for above the empirical curve, 1 for below.

    Returns
    -------
    float
        The supremum over all points of all pieces, to within 1e-9; infinite if the tested
        curve gives probability zero to what was observed.
    """
    u, v = (np.concatenate((side, 1.0 - side[::-1])) for side in (curve_x, curve_y))
    size = curve_x.size
    cut = np.unique(np.linspace(0, size - 1, min(size, _RUNS + 1)).astype(np.int64))
    row = np.repeat(sides, cut.size)
    ends = np.concatenate([cut + side * size for side in sides])
    best = np.maximum(nearest(curves, margins, row, u[ends], v[ends]).distance.max(), [floor])
    owner = np.zeros(2, dtype=np.int64)
    # A run leads from each cut to the next one of the same side.
    starts = np.flatnonzero(row[1:] == row[:-1])
    raise_along_curves(
        curves, margins, row[starts], ends[starts], ends[starts + 1], (u, v), owner, best, stop
    )
    return float(best[0])


def within(
    curves: Curves,
    margins: Margins,
    curve_x: Floats,
    curve_y: Floats,
    c: float,
    sides: tuple[int, ...] = SIDES,
) -> bool:
    """Tell whether the band at critical value ``c`` holds the whole tested curve.

    Parameters as in `statistic`. The law of the statistic has atoms, so a value that exceeds
    c by rounding only counts as held.
    """
    limit = c + TOLERANCE
    found = statistic(curves, margins, curve_x, curve_y, floor=c, stop=limit, sides=sides)
    return found <= limit

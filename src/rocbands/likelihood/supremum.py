"""Largest distance of whole curves from empirical curves, by certified branch and bound.

Formulas (E16) to (E18) of docs/likelihood.md. The slow version walks along the curve in small
steps: `supremum` in tests/oracles/likelihood.py, compared in tests/likelihood/test_supremum.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.margin import Margins
from rocbands.likelihood.nearest import Nearest, nearest

# How closely largest distances are found; a curve that exceeds a bound by less is inside.
TOLERANCE = SLACK
# The empirical curve, which a tested curve may leave above, and its half turn, for below.
SIDES = (0, 1)
# Into how many runs a tested curve is cut at first.
_RUNS = 32


class _Ends(NamedTuple):
    """One end of each cell: its rates and the nearest empirical points."""

    u: FloatArray
    v: FloatArray
    near: Nearest

    def take(self, keep: BoolArray) -> _Ends:
        return _Ends(self.u[keep], self.v[keep], self.near.take(keep))

    def join(self, other: _Ends) -> _Ends:
        near = (np.concatenate(pair) for pair in zip(self.near, other.near, strict=True))
        u, v = np.concatenate((self.u, other.u)), np.concatenate((self.v, other.v))
        return _Ends(u, v, Nearest(*near))


class _Cells(NamedTuple):
    """Straight pieces, from a to b, of tested curves."""

    row: CountArray
    a: _Ends
    b: _Ends

    def take(self, keep: BoolArray) -> _Cells:
        return _Cells(self.row[keep], self.a.take(keep), self.b.take(keep))

    def cut(self, at: _Ends) -> _Cells:
        """Cut every cell: all left parts, then all right parts."""
        return _Cells(np.concatenate((self.row, self.row)), self.a.join(at), at.join(self.b))


def _bound(cells: _Cells, margins: Margins) -> tuple[FloatArray, FloatArray]:
    """Bound the distance over each cell by (E17), and say where along the cell to cut it next.

    The gap between bound and distance closes with the square of the cell's length.
    """
    _, (ua, va, near_a), (ub, vb, near_b) = cells
    at_a, at_b = near_a.distance, near_b.distance
    far_b = margins.cost(near_a.fp, near_a.tp, ub, vb)
    far_a = margins.cost(near_b.fp, near_b.tp, ua, va)
    # At a rate of 0 or 1 one chord may be infinite: the other one still bounds the cell.
    flat = np.minimum(np.maximum(at_a, far_b), np.maximum(far_a, at_b))
    usable = np.isfinite(far_a) & np.isfinite(far_b)
    far_a, far_b = np.where(usable, far_a, at_a), np.where(usable, far_b, at_b)
    cross = _crossing(at_a, far_a, far_b, at_b)
    height = np.where(usable, at_a + cross * (far_b - at_a), flat)
    ends = np.maximum(at_a, at_b)
    # The distance from a whole tied segment is convex too: least over a set that is convex
    # together with the cell. Without this a curve that runs along a segment is cut to dust.
    bound = np.where(near_a.piece == near_b.piece, ends, np.maximum(ends, height))
    # Distances grow like squares, so their roots cross close to where they do themselves. Not
    # too close to an end: other points of the curve may hide in the larger part.
    roots = (np.sqrt(f) for f in (at_a, far_a, far_b, at_b))
    return bound, np.clip(_crossing(*roots), 0.15, 0.85)


def _crossing(
    near_a: FloatArray, far_a: FloatArray, far_b: FloatArray, near_b: FloatArray
) -> FloatArray:
    """Return where the chord from near_a to far_b meets the one from far_a to near_b."""
    with np.errstate(invalid="ignore"):  # both may be infinite: the middle will do
        gap_a, gap_b = far_a - near_a, far_b - near_b
        total = gap_a + gap_b
    known = (total > 0) & np.isfinite(total)
    place: FloatArray = np.where(known, gap_a, 0.5) / np.where(known, total, 1.0)
    return place


def raise_along_pieces(
    curves: Curves,
    margins: Margins,
    row: CountArray,
    ends: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    near: tuple[Nearest, Nearest],
    owner: CountArray,
    best: FloatArray,
    stop: float = np.inf,
    tolerance: float = TOLERANCE,
) -> None:
    """Raise `best[owner[row]]` to the largest distance along straight pieces of tested curves.

    `row`: empirical curve against which each piece is measured. `ends`: `ua, va, ub, vb`: where
    each piece starts and ends. `near`: nearest empirical points at the starts and at the ends.
    `owner`: position in `best` served by each empirical curve. `best`: largest distances so far,
    raised in place. `stop`: leave an owner alone once its value exceeds this. `tolerance`: how far
    below the largest distance `best` may stay.
    """
    cells = _Cells(row, _Ends(*ends[:2], near[0]), _Ends(*ends[2:], near[1]))
    while cells.row.size:
        bound, where = _bound(cells, margins)
        level = best[owner[cells.row]]
        keep = (bound > level + tolerance) & (level <= stop)
        if not keep.any():
            break
        cells, where = cells.take(keep), where[keep]
        (ua, va, _), (ub, vb, _) = cells.a, cells.b
        u, v = ua + where * (ub - ua), va + where * (vb - va)
        middle = _Ends(u, v, nearest(curves, margins, cells.row, u, v))
        np.maximum.at(best, owner[cells.row], middle.near.distance)
        # A cell that rounding no longer lets us cut is a point.
        cut = ((u > ua) & (u < ub)) | ((v > va) & (v < vb))
        if not cut.all():
            cells, middle = cells.take(cut), middle.take(cut)
        cells = cells.cut(middle)


def raise_over_points(
    curves: Curves,
    margins: Margins,
    row: CountArray,
    first: CountArray,
    last: CountArray,
    points: tuple[FloatArray, FloatArray],
    owner: CountArray,
    best: FloatArray,
) -> None:
    """Raise `best[owner[row]]` to the largest distance over runs of points of monotone curves.

    Run i holds `points[first[i]] ... points[last[i]]` and is measured against curve
    `row[i]`. By (E18) runs whose north-west corner is near enough are dropped whole, the others
    halved.
    """
    u, v = points
    while row.size:
        middle = (first + last) // 2
        at_middle = nearest(curves, margins, row, u[middle], v[middle]).distance
        np.maximum.at(best, owner[row], at_middle)
        # The middle is done: what is left are the runs on both sides of it.
        todo = last > first
        sides = [
            (row[ok], lo[ok], hi[ok])
            for lo, hi in ((first, middle - 1), (middle + 1, last))
            for ok in [todo & (lo <= hi)]
        ]
        row, first, last = (np.concatenate(part) for part in zip(*sides, strict=True))
        if not row.size:
            break
        bound = nearest(curves, margins, row, u[first], v[last]).distance
        keep = bound > best[owner[row]] + TOLERANCE
        row, first, last = row[keep], first[keep], last[keep]


def raise_along_curves(
    curves: Curves,
    margins: Margins,
    row: CountArray,
    first: CountArray,
    last: CountArray,
    points: tuple[FloatArray, FloatArray],
    owner: CountArray,
    best: FloatArray,
    stop: float = np.inf,
    tolerance: float = TOLERANCE,
) -> None:
    """Raise `best[owner[row]]` to the largest distance along monotone polylines.

    Run i is the polyline through `points[first[i]] ... points[last[i]]`, measured against
    curve `row[i]`. Runs are halved like those of `raise_over_points`; what cannot be dropped
    ends as single straight pieces, which `raise_along_pieces` searches.
    """
    u, v = points
    pieces: list[tuple[CountArray, CountArray]] = []
    while row.size:
        single = last - first <= 1
        pieces.append((row[single], first[single]))
        row, first, last = row[~single], first[~single], last[~single]
        middle = (first + last) // 2
        at_middle = nearest(curves, margins, row, u[middle], v[middle]).distance
        np.maximum.at(best, owner[row], at_middle)
        row = np.concatenate((row, row))
        first, last = np.concatenate((first, middle)), np.concatenate((middle, last))
        keep = _can_exceed(curves, margins, row, (u[first], v[last]), best[owner[row]], stop)
        row, first, last = row[keep], first[keep], last[keep]
    row, first = (np.concatenate(part) for part in zip(*pieces, strict=True))
    corner = (u[first], v[first + 1])
    keep = _can_exceed(curves, margins, row, corner, best[owner[row]], stop)
    row, first = row[keep], first[keep]
    ends = (u[first], v[first], u[first + 1], v[first + 1])
    near = (
        nearest(curves, margins, row, ends[0], ends[1]),
        nearest(curves, margins, row, ends[2], ends[3]),
    )
    for end in near:
        np.maximum.at(best, owner[row], end.distance)
    raise_along_pieces(curves, margins, row, ends, near, owner, best, stop, tolerance)


def _can_exceed(
    curves: Curves,
    margins: Margins,
    row: CountArray,
    corner: tuple[FloatArray, FloatArray],
    level: FloatArray,
    stop: float,
) -> BoolArray:
    """Tell which runs may contain a point farther out than `level`, by (E18)."""
    keep: BoolArray = nearest(curves, margins, row, *corner).distance > level + TOLERANCE
    return keep & (level <= stop)


def statistic(
    curves: Curves,
    margins: Margins,
    curve_x: FloatArray,
    curve_y: FloatArray,
    *,
    floor: float = 0.0,
    stop: float = np.inf,
    sides: tuple[int, ...] = SIDES,
) -> float:
    """Return the largest distance of a tested curve from the empirical curve, (E16).

    `curves`: the empirical curve and its half turn. `margins`: the two classes; with a future set's
    sizes if the tested curve is the one of a future set. `curve_x`, `curve_y`: vertices of the
    tested curve, rates, both nondecreasing from 0 to 1; joined by straight pieces, which may be
    vertical, horizontal or slanted. `floor`: report a smaller value as this one, which saves the
    work of finding it. `stop`: return early, with any value above this one, once the statistic is
    known to exceed it. `sides`: where to look: 0 for above the empirical curve, 1 for below.
    Returns the supremum over all points of all pieces, to within 1e-9; infinite if the tested curve
    gives probability zero to what was observed.
    """
    u, v = (np.concatenate((side, 1.0 - side[::-1])) for side in (curve_x, curve_y))
    size = curve_x.size
    cut = np.unique(np.linspace(0, size - 1, min(size, _RUNS + 1)).astype(np.int64))
    row = np.repeat(sides, cut.size)
    ends = np.concatenate([cut + side * size for side in sides])
    best = np.maximum(nearest(curves, margins, row, u[ends], v[ends]).distance.max(), [floor])
    owner = np.zeros(2, dtype=np.int64)
    # A run goes from each cut to the next one of the same side.
    starts = np.flatnonzero(row[1:] == row[:-1])
    raise_along_curves(
        curves, margins, row[starts], ends[starts], ends[starts + 1], (u, v), owner, best, stop
    )
    return float(best[0])


def contains_curve(
    curves: Curves,
    margins: Margins,
    curve_x: FloatArray,
    curve_y: FloatArray,
    c: float,
    sides: tuple[int, ...] = SIDES,
) -> bool:
    """Tell whether the band at critical value `c` holds the whole tested curve.

    Parameters as in `statistic`. The distribution of the statistic has atoms, so a value that
    exceeds c by rounding only counts as held.
    """
    limit = c + TOLERANCE
    found = statistic(curves, margins, curve_x, curve_y, floor=c, stop=limit, sides=sides)
    return found <= limit

"""Largest distance of whole curves from empirical curves, by certified branch and bound.

Formulas (E16) to (E18) of docs/likelihood.md. The slow version walks along the curve in small
steps: `supremum` in tests/oracles/likelihood.py, compared in tests/likelihood/test_supremum.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.margin import Margins
from rocbands.likelihood.nearest import Nearest, nearest

Points: TypeAlias = tuple[FloatArray, FloatArray]  # false- and true-positive rates

# How closely largest distances are found; a curve that exceeds a bound by less is inside.
TOLERANCE = SLACK
# The empirical curve, which a tested curve may leave above, and its half turn, for below.
SIDES = (0, 1)
# Into how many runs a tested curve is cut at first.
_RUNS = 32


class Ends(NamedTuple):
    """One end of each cell: its rates and the nearest empirical points."""

    u: FloatArray
    v: FloatArray
    near: Nearest

    def take(self, keep: BoolArray) -> Ends:
        """Keep some of them."""
        return Ends(self.u[keep], self.v[keep], self.near.take(keep))

    def join(self, other: Ends) -> Ends:
        """Put others behind them."""
        near = (np.concatenate(pair) for pair in zip(self.near, other.near, strict=True))
        u, v = np.concatenate((self.u, other.u)), np.concatenate((self.v, other.v))
        return Ends(u, v, Nearest(*near))


@dataclass(frozen=True, slots=True)
class Supremum:
    """Largest distances of tested curves, raised in place until no point is farther."""

    curves: Curves  # what they are measured against
    owner: CountArray  # position in `best` that each row of the curves serves
    best: FloatArray  # largest distances so far
    stop: float = np.inf  # leave a position alone once its value exceeds this
    tolerance: float = TOLERANCE  # how far below the largest distance `best` may stay

    def measure(self, row: CountArray, u: FloatArray, v: FloatArray) -> Ends:
        """Find the nearest empirical points, and raise `best` to their distances."""
        near = nearest(self.curves, row, u, v)
        np.maximum.at(self.best, self.owner[row], near.distance)
        return Ends(u, v, near)

    def _can_exceed(self, row: CountArray, corner: Points) -> BoolArray:
        """Tell which runs may contain a point farther out than is known, by (E18)."""
        known = self.best[self.owner[row]]
        bound = nearest(self.curves, row, *corner).distance
        keep: BoolArray = (bound > known + TOLERANCE) & (known <= self.stop)
        return keep

    def search_pieces(self, row: CountArray, a: Ends, b: Ends) -> None:
        """Search straight pieces of tested curves from a to b, each against curve `row`."""
        while row.size:
            bound, where = _bound(self.curves.margins, a, b)
            known = self.best[self.owner[row]]
            keep = (bound > known + self.tolerance) & (known <= self.stop)
            if not keep.any():
                break
            row, a, b, where = row[keep], a.take(keep), b.take(keep), where[keep]
            u, v = a.u + where * (b.u - a.u), a.v + where * (b.v - a.v)
            middle = self.measure(row, u, v)
            # A piece that rounding no longer lets us cut is a point.
            cut = ((u > a.u) & (u < b.u)) | ((v > a.v) & (v < b.v))
            if not cut.all():
                row, a, b, middle = row[cut], a.take(cut), b.take(cut), middle.take(cut)
            row, a, b = np.concatenate((row, row)), a.join(middle), middle.join(b)

    def search_points(
        self, row: CountArray, first: CountArray, last: CountArray, points: Points
    ) -> None:
        """Search runs of points of monotone curves.

        Run i holds `points[first[i]] ... points[last[i]]` and is measured against curve `row[i]`.
        """
        u, v = points
        # By (E18) runs whose north-west corner is near enough are dropped whole, the others halved.
        while row.size:
            middle = (first + last) // 2
            self.measure(row, u[middle], v[middle])
            # The middle is done: what is left are the runs on both sides of it.
            row = np.concatenate((row, row))
            first, last = np.concatenate((first, middle + 1)), np.concatenate((middle - 1, last))
            todo = first <= last
            row, first, last = row[todo], first[todo], last[todo]
            keep = self._can_exceed(row, (u[first], v[last]))
            row, first, last = row[keep], first[keep], last[keep]

    def search_curves(
        self, row: CountArray, first: CountArray, last: CountArray, points: Points
    ) -> None:
        """Search monotone polylines.

        Run i is the polyline through `points[first[i]] ... points[last[i]]`, measured against
        curve `row[i]`.
        """
        u, v = points
        # Halved as in `search_points`; what cannot be dropped ends as single straight pieces.
        pieces: list[tuple[CountArray, CountArray]] = []
        while row.size:
            single = last - first <= 1
            pieces.append((row[single], first[single]))
            row, first, last = row[~single], first[~single], last[~single]
            middle = (first + last) // 2
            self.measure(row, u[middle], v[middle])
            row = np.concatenate((row, row))
            first, last = np.concatenate((first, middle)), np.concatenate((middle, last))
            keep = self._can_exceed(row, (u[first], v[last]))
            row, first, last = row[keep], first[keep], last[keep]
        row, first = (np.concatenate(part) for part in zip(*pieces, strict=True))
        keep = self._can_exceed(row, (u[first], v[first + 1]))
        row, first = row[keep], first[keep]
        a, b = (self.measure(row, u[end], v[end]) for end in (first, first + 1))
        self.search_pieces(row, a, b)


def _bound(margins: Margins, a: Ends, b: Ends) -> tuple[FloatArray, FloatArray]:
    """Bound the distance over each cell by (E17), and say where along the cell to cut it next."""
    # Chords: from the distance at one end to the cost of the same empirical point at the other end.
    # The gap between bound and distance closes with the square of the cell's length.
    at_a, at_b = a.near.distance, b.near.distance
    far_b = margins.cost(a.near.fp, a.near.tp, b.u, b.v)
    far_a = margins.cost(b.near.fp, b.near.tp, a.u, a.v)
    # At a rate of 0 or 1 one chord may be infinite: the other one still bounds the cell.
    flat = np.minimum(np.maximum(at_a, far_b), np.maximum(far_a, at_b))
    usable = np.isfinite(far_a) & np.isfinite(far_b)
    far_a, far_b = np.where(usable, far_a, at_a), np.where(usable, far_b, at_b)
    cross = _crossing(at_a, far_a, far_b, at_b)
    height = np.where(usable, at_a + cross * (far_b - at_a), flat)
    ends = np.maximum(at_a, at_b)
    # The distance from a whole tied segment is convex too: least over a set that is convex
    # together with the cell. Without this a curve that runs along a segment is cut to dust.
    bound = np.where(a.near.piece == b.near.piece, ends, np.maximum(ends, height))
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


def statistic(
    curves: Curves,
    x: FloatArray,
    y: FloatArray,
    *,
    floor: float = 0.0,
    stop: float = np.inf,
    sides: tuple[int, ...] = SIDES,
) -> float:
    """Return the largest distance of a tested curve from the empirical curve, (E16).

    `x`, `y`: vertices of the tested curve, rates, both nondecreasing from 0 to 1. `floor`: report a
    smaller value as this one. `stop`: return early, with any value above this one, once the
    statistic is known to exceed it. `sides`: 0 for above the empirical curve, 1 for below. Within
    1e-9; infinite if the tested curve gives probability zero to what was observed.
    """
    u, v = (np.concatenate((side, 1.0 - side[::-1])) for side in (x, y))
    cut = np.unique(np.linspace(0, x.size - 1, min(x.size, _RUNS + 1)).astype(np.int64))
    row = np.repeat(sides, cut.size)
    ends = np.concatenate([cut + side * x.size for side in sides])
    best = np.array([floor])
    search = Supremum(curves, np.zeros(2, dtype=np.int64), best, stop)
    search.measure(row, u[ends], v[ends])
    # A run goes from each cut to the next one of the same side.
    starts = np.flatnonzero(row[1:] == row[:-1])
    search.search_curves(row[starts], ends[starts], ends[starts + 1], (u, v))
    return float(best[0])


def contains_curve(
    curves: Curves, x: FloatArray, y: FloatArray, c: float, sides: tuple[int, ...] = SIDES
) -> bool:
    """Tell whether the band at critical value `c` holds the whole tested curve."""
    # The statistic's distribution has atoms: what exceeds c by rounding only counts as held.
    limit = c + TOLERANCE
    return statistic(curves, x, y, floor=c, stop=limit, sides=sides) <= limit

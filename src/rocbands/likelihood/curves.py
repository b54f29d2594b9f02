"""Empirical curves laid end to end, reduced to the pieces that can be nearest to a point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Self

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, freeze
from rocbands.core.pieces import cut_pieces

# Vertices from which on ends of pieces are read from the counts where they are asked for: memory
# for all of them costs more than finding the few that are.
_MANY = 1 << 16
_FEW = 1 << 10  # pieces of which tables are made at once


@dataclass(frozen=True, slots=True)
class Curves:
    """North-west corners and tied segments of one or more empirical curves of equal class sizes."""

    # fp_start, tp_start, fp_end, tp_end: ends of each piece, in order along each curve, one curve
    # after the other. A corner is a piece whose two ends coincide.
    fp_start: FloatArray | LazyTable
    tp_start: FloatArray | LazyTable
    fp_end: FloatArray | LazyTable
    tp_end: FloatArray | LazyTable
    slanted: BoolArray | None  # which pieces are tied segments; None if there are none
    # fp_key, tp_key: `fp_start` and `tp_end` plus a multiple of the curve's number: sorted over all
    # curves, so that one binary search serves them all. `tp_key` is None where position and true
    # positives agree on every curve, and no search is needed.
    fp_key: FloatArray | CountKeys
    tp_key: FloatArray | CountKeys | None
    # n_pos, n_neg: class sizes.
    n_pos: int
    n_neg: int
    # neg_entropy, pos_entropy: what the cost of each piece's end on either axis does not owe to the
    # compared rate; None where nobody asks.
    neg_entropy: FloatArray | LazyTable | None = None
    pos_entropy: FloatArray | LazyTable | None = None
    pos_angle: FloatArray | LazyTable | None = None  # true positives at each piece's end, as angles

    @classmethod
    def from_counts(cls, fp: CountArray, tp: CountArray) -> Curves:
        """Reduce a curve (row 0) and its half turn (row 1), given by cumulative counts from (0, 0).

        The north-west corners of the half turn are the curve's south-east corners, last one first.
        """
        if fp.size > _MANY:
            return cls._from_many_counts(fp, tp)
        across, up, tied = _find_moves(fp, tp)
        first = _mark_pieces(up, across, tied).nonzero()[0]
        turned_last = _mark_pieces(across, up, tied).nonzero()[0][::-1]
        turned_first = turned_last if tied is None else turned_last + tied[turned_last]
        x0, y0 = (_lay_out(counts, first, turned_first) for counts in (fp, tp))
        x1, y1, slanted = x0, y0, None
        if tied is not None:
            last = first + tied[first]
            x1, y1 = (_lay_out(counts, last, turned_last) for counts in (fp, tp))
            slanted = x1 > x0
        return cls._from_ends(x0, y0, x1, y1, slanted, first.size, int(tp[-1]), int(fp[-1]))

    @classmethod
    def _from_ends(
        cls,
        x0: FloatArray,
        y0: FloatArray,
        x1: FloatArray,
        y1: FloatArray,
        slanted: BoolArray | None,
        first: int,
        n_pos: int,
        n_neg: int,
    ) -> Curves:
        """Take the ends of the pieces of two curves; those of the second begin at `first`."""
        x_key, y_key = x0.copy(), y1.copy()
        x_key[first:] += n_neg + 1
        y_key[first:] += n_pos + 1
        tables = _tables(x1, n_neg, y1, n_pos)
        return cls(x0, y0, x1, y1, slanted, x_key, y_key, n_pos, n_neg, *tables)

    @classmethod
    def _from_many_counts(cls, fp: CountArray, tp: CountArray) -> Curves:
        """Keep of each piece at which vertex it starts, and read counts when they are asked for.

        Vertices of the half turn are numbered after those of the curve; see `_read_counts`.
        """
        end, n_pos, n_neg = 2 * fp.size - 1, int(tp[-1]), int(fp[-1])
        untied = n_pos + n_neg == fp.size - 1
        # As many as there can be: memory that nobody writes to costs nothing.
        kind: Any = np.int32 if end < 2**31 else np.int64
        start: CountArray = np.empty(fp.size + 2 if untied else end + 1, dtype=kind)
        slants = np.zeros(0 if untied else start.size, dtype=np.bool_)
        size, parts = 0, list(cut_pieces(fp.size))
        for turn in (0, 1):
            for part in parts[::-1] if turn else parts:
                # What a vertex is, the steps on both sides of it tell.
                around = slice(max(part.start - 1, 0), part.stop + 1)
                inner = slice(part.start - around.start, part.stop - around.start)
                across, up, tied = _find_moves(fp[around], tp[around])
                marks = _mark_pieces(*((across, up) if turn else (up, across)), tied)
                at = marks[inner].nonzero()[0][:: -1 if turn else 1]
                here = slice(size, size + at.size)
                size += at.size
                if tied is not None:
                    slants[here] = tied[inner][at]
                    at = at + slants[here] if turn else at
                start[here] = end - part.start - at if turn else at + part.start
        start = stop = start[:size]
        slanted = slants[:size] if slants.any() else None
        if slanted is not None:
            stop = start + slanted
        x0, y0, x1, y1 = (LazyTable(_read_counts, at, k) for at in (start, stop) for k in (fp, tp))
        keys = CountKeys(fp, start), CountKeys(tp, stop)
        tables = _tables(x1, n_neg, y1, n_pos)
        return cls(x0, y0, x1, y1, slanted, *keys, n_pos, n_neg, *tables)

    @classmethod
    def from_rows(cls, fp: CountArray, n_pos: int, n_neg: int) -> Curves:
        """Lay out untied curves: `fp[r, j]` negatives precede the j-th positive of curve r.

        Column 0 stands for the origin. Vertices that are no corners stay in: they cost little,
        and position j of every curve then has exactly j true positives.
        """
        rows, width = fp.shape
        row = np.arange(rows, dtype=np.float64)[:, None]
        x = fp.astype(np.float64)
        y = np.broadcast_to(np.arange(width, dtype=np.float64), fp.shape)
        x_key = (x + row * (n_neg + 1)).ravel()
        pos_entropy = np.tile(entropy(y[0], n_pos), rows)
        x, y = x.ravel(), y.ravel()
        # Counts are few, and so are their entropies.
        if n_neg < x.size:
            neg_entropy = entropy(np.arange(n_neg + 1.0), n_neg)[fp.ravel()]
        else:
            neg_entropy = entropy(x, n_neg)
        return cls(x, y, x, y, None, x_key, None, n_pos, n_neg, neg_entropy, pos_entropy)

    @property
    def half(self) -> int:
        """Number of pieces before those of row 1."""
        return int(self.fp_key.searchsorted(self.n_neg + 0.5))

    @property
    def mirrored(self) -> Curves:
        """Curve and half turn of swapped classes and negated scores, where there are two rows.

        A point (fp, tp) becomes (n_pos - tp, n_neg - fp), so both curves run backwards.
        """
        n, m, first = self.n_neg, self.n_pos, self.half
        back = np.concatenate((np.arange(first)[::-1], np.arange(first, self.fp_key.size)[::-1]))
        x0, y0 = m - self.tp_end[back], n - self.fp_end[back]
        x1, y1, slanted = x0, y0, None
        if self.slanted is not None:
            x1, y1 = m - self.tp_start[back], n - self.fp_start[back]
            slanted = self.slanted[back]
        return self._from_ends(x0, y0, x1, y1, slanted, first, n, m)

    def beside(self, other: Curves) -> Curves:
        """Join row 0 of this pair and row 1 of another of the same class sizes."""
        if other is self:
            return self
        first, skip = self.half, other.half
        x0, y0, x1, y1 = (
            np.concatenate((getattr(self, name)[:first], getattr(other, name)[skip:]))
            for name in ("fp_start", "tp_start", "fp_end", "tp_end")
        )
        slanted = None if self.slanted is None and other.slanted is None else x1 > x0
        return self._from_ends(x0, y0, x1, y1, slanted, first, self.n_pos, self.n_neg)

    def height(self, row: CountArray, u: FloatArray) -> FloatArray:
        """Count the true positives at `u`, where a vertical stretch counts to its top."""
        first = self.starting(row, u)
        x0, y0 = self.fp_start[first], self.tp_start[first]
        run, rise = self.fp_end[first] - x0, self.tp_end[first] - y0
        part = np.minimum((self.n_neg * u - x0) / np.where(run > 0, run, 1.0), 1.0)
        value: FloatArray = y0 + np.maximum(part, 0.0) * rise
        return value

    def windows(
        self, row: CountArray, u: FloatArray, v: FloatArray
    ) -> tuple[CountArray, CountArray]:
        """First and last piece that can be nearest to each point; last < first if none is needed.

        Earlier pieces lie below the first one, later pieces lie to the right of the last one.
        """
        return self.starting(row, u), self.reaching(row, v)

    def starting(self, row: CountArray, u: FloatArray) -> CountArray:
        """Find the last piece of each curve that starts at or left of u."""
        place = self.n_neg * u + row * (self.n_neg + 1.0)
        return self.fp_key.searchsorted(place, "right") - 1

    def reaching(self, row: CountArray, v: FloatArray) -> CountArray:
        """Find the first piece of each curve that reaches height v."""
        if self.tp_key is None:
            return row * (self.n_pos + 1) + np.ceil(self.n_pos * v).astype(np.int64)
        last = self.tp_key.searchsorted(self.n_pos * v + row * (self.n_pos + 1.0))
        # Rounding may carry a rate of 1 past the last vertex.
        return np.minimum(last, self.tp_key.size - 1)


class LazyTable:
    """A function of counts or vertices, looked up, or computed where few of many are asked for."""

    def __init__(
        self, function: Callable[[Any, Any], FloatArray], k: CountArray | FloatArray | Self, by: Any
    ) -> None:
        self._function, self._k, self._by = function, k, by
        self._asked = 0
        self._table: FloatArray | None = None
        self.size: int = k.size

    def take(self, item: CountArray) -> FloatArray:
        """Return the values of some of the counts."""
        if self._table is None:
            self._asked += item.size
            if self._asked < self.size:
                return self._function(self._k.take(item), self._by)
            self._table = self._function(self._k[:], self._by)
        return self._table.take(item)

    def __getitem__(self, item: CountArray | slice) -> FloatArray:
        if not isinstance(item, slice):
            return self.take(item)
        return self._function(self._k[item], self._by) if self._table is None else self._table[item]


class CountKeys:
    """Counts at the vertices where pieces start or end, searched as if they were an array.

    One search among the counts of the curve, one for the half turn, and one for the piece.
    """

    def __init__(self, counts: CountArray, vertex: CountArray) -> None:
        self._counts, self._vertex = counts, vertex
        self.size: int = vertex.size

    def searchsorted(self, place: Any, side: Literal["left", "right"] = "left") -> CountArray:
        """Count the pieces whose key is below each place, or at most ('right') the place."""
        counts, last = self._counts, 2 * int(self._counts[-1]) + 1
        # Whole numbers, as the counts are: numpy would convert all of those otherwise.
        most = (np.floor(place) if side == "right" else np.ceil(place) - 1.0).astype(np.int64)
        # The key of a vertex of the half turn is `last` minus the count of the curve there.
        vertices = counts.searchsorted(most, "right") + counts.size
        vertices -= counts.searchsorted(last - most)
        found: CountArray = self._vertex.searchsorted(vertices.astype(self._vertex.dtype))
        return found


def _tables(
    fp: FloatArray | LazyTable, n_neg: int, tp: FloatArray | LazyTable, n_pos: int
) -> tuple[FloatArray | LazyTable, FloatArray | LazyTable, FloatArray | LazyTable]:
    """Prepare entropies of both classes and angles of the positives."""
    if fp.size <= _FEW and max(n_neg, n_pos) <= 2 * _FEW:
        x, y = fp[:].astype(np.intp), tp[:].astype(np.intp)
        of_pos, angle = _tabulate(n_pos)
        return _tabulate(n_neg)[0].take(x), of_pos.take(y), angle.take(y)
    if fp.size <= _FEW:
        neg, pos = entropy(np.array((fp[:], tp[:])), np.array(((n_neg,), (n_pos,))))
        return neg, pos, angles(tp[:], n_pos)
    return (
        LazyTable(entropy, fp, n_neg),
        LazyTable(entropy, tp, n_pos),
        LazyTable(angles, tp, n_pos),
    )


@lru_cache(maxsize=64)
def _tabulate(size: int) -> tuple[FloatArray, FloatArray]:
    """Entropies and angles of all counts of a class; models on the same rows share them."""
    counts = np.arange(size + 1.0)
    return freeze(entropy(counts, size)), freeze(angles(counts, size))


def _find_moves(fp: CountArray, tp: CountArray) -> tuple[BoolArray, BoolArray, BoolArray | None]:
    """Tell which steps move across and which up, and which vertices tied steps leave, if any."""
    up = tp[1:] > tp[:-1]
    if fp[-1] - fp[0] + tp[-1] - tp[0] == up.size:  # each step has one row
        return ~up, up, None
    across, tied = fp[1:] > fp[:-1], np.zeros(fp.size, dtype=np.bool_)
    return across, up, tied if np.logical_and(across, up, out=tied[:-1]).any() else None


def _mark_pieces(before: BoolArray, after: BoolArray, tied: BoolArray | None) -> BoolArray:
    """Tell at which vertices is a corner, or a tied segment begins.

    `before`, `after`: which steps move along the axis that leads to a corner, and along the one
    that leaves it. Tied steps move along both: both ends of a segment belong to it, and a vertex
    next to one is no corner of its own.
    """
    marks = np.empty(before.size + 1, dtype=np.bool_)
    marks[0] = True
    np.greater(before, after, out=marks[1:])
    marks[:-1] &= after > before
    if tied is not None:
        marks |= tied
    return marks


def _read_counts(vertex: CountArray, counts: CountArray) -> FloatArray:
    """Read counts at vertices 0 to k - 1 of a curve, and k to 2k - 1 of its half turn."""
    # Of the two vertices that are half a turn apart the lower number is the curve's.
    count = counts.take(np.minimum(vertex, 2 * counts.size - 1 - vertex))
    np.subtract(counts[-1], count, out=count, where=vertex >= counts.size)
    return count.astype(np.float64)


def _lay_out(counts: CountArray, vertex: CountArray, turned: CountArray) -> FloatArray:
    """Lay out counts at the vertices of a curve, then at those of its half turn."""
    return np.concatenate((counts[vertex], counts[-1] - counts[turned]), dtype=np.float64)


def entropy(k: FloatArray, size: float | FloatArray) -> FloatArray:
    """Return k ln(k / size) + (size - k) ln(1 - k / size)."""
    both = np.array((k, size - k))
    # 0 ln 0 = 0: any finite logarithm will do.
    both *= np.log(np.maximum(both, 1e-300) / size)
    value: FloatArray = both[0] + both[1]
    return value


def angles(k: FloatArray, size: int) -> FloatArray:
    """Turn counts into angles from the top, of variance 1 / (4 size): Anscombe's arcsine."""
    return np.asarray(np.arccos(np.sqrt((k + 0.375) / (size + 0.75))))

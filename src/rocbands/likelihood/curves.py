"""Empirical curves laid end to end, reduced to the pieces that can be nearest to a point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray

_FEW = 1024  # counts of which a table is made at once


@dataclass(frozen=True, slots=True)
class Curves:
    """North-west corners and tied segments of one or more empirical curves of equal class sizes."""

    # fp_start, tp_start, fp_end, tp_end: ends of each piece, in order along each curve, one curve
    # after the other. A corner is a piece whose two ends coincide.
    fp_start: FloatArray
    tp_start: FloatArray
    fp_end: FloatArray
    tp_end: FloatArray
    slanted: BoolArray | None  # which pieces are tied segments; None if there are none
    # fp_key, tp_key: `fp_start` and `tp_end` plus a multiple of the curve's number: sorted over all
    # curves, so that one binary search serves them all. `tp_key` is None where position and true
    # positives agree on every curve, and no search is needed.
    fp_key: FloatArray
    tp_key: FloatArray | None
    # n_pos, n_neg: class sizes.
    n_pos: int
    n_neg: int
    # neg_entropy, pos_entropy: what the cost of each piece's end on either axis does not owe to the
    # compared rate; None where nobody asks.
    neg_entropy: FloatArray | LazyTable | None = None
    pos_entropy: FloatArray | LazyTable | None = None
    pos_angle: LazyTable | None = None  # true positives at each piece's end, as angles

    @classmethod
    def from_counts(cls, fp: CountArray, tp: CountArray) -> Curves:
        """Reduce a curve (row 0) and its half turn (row 1), given by cumulative counts from (0, 0).

        The north-west corners of the half turn are the curve's south-east corners, last one first.
        """
        across, up = fp[1:] > fp[:-1], tp[1:] > tp[:-1]
        both = across & up
        tied = both if np.count_nonzero(both) else None
        first, last = _pieces(up, across, tied)
        turned_last, turned_first = (vertex[::-1] for vertex in _pieces(across, up, tied))
        x0, y0 = (_lay_out(counts, first, turned_first) for counts in (fp, tp))
        n_pos, n_neg = int(tp[-1]), int(fp[-1])
        x1, y1, slanted = x0, y0, None
        if tied is not None:
            x1, y1 = (_lay_out(counts, last, turned_last) for counts in (fp, tp))
            slanted = x1 > x0
        x_key, y_key = x0.copy(), y1.copy()
        x_key[first.size :] += n_neg + 1
        y_key[first.size :] += n_pos + 1
        tables = _tables(x1, n_neg, y1, n_pos)
        return cls(x0, y0, x1, y1, slanted, x_key, y_key, n_pos, n_neg, *tables)

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
        x_key, y_key = x0.copy(), y1.copy()
        x_key[first:] += m + 1
        y_key[first:] += n + 1
        return Curves(x0, y0, x1, y1, slanted, x_key, y_key, n, m, *_tables(x1, m, y1, n))

    def beside(self, other: Curves) -> Curves:
        """Join row 0 of this pair and row 1 of another of the same class sizes."""
        if other is self:
            return self
        first, skip = self.half, other.half
        x0, y0, x1, y1, x_key, y_key = (
            np.concatenate((getattr(self, name)[:first], getattr(other, name)[skip:]))
            for name in ("fp_start", "tp_start", "fp_end", "tp_end", "fp_key", "tp_key")
        )
        slanted = None if self.slanted is None and other.slanted is None else x1 > x0
        n, m = self.n_neg, self.n_pos
        return Curves(x0, y0, x1, y1, slanted, x_key, y_key, m, n, *_tables(x1, n, y1, m))

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
    """A function of counts, looked up, or computed where only a few of many are asked for."""

    def __init__(
        self, function: Callable[[FloatArray, int], FloatArray], k: FloatArray, size: int
    ) -> None:
        self._function, self._k, self._size = function, k, size
        self._asked = 0
        self._table: FloatArray | None = None

    def take(self, item: CountArray) -> FloatArray:
        """Return the values of some of the counts."""
        if self._table is None:
            self._asked += item.size
            if self._asked < self._k.size > _FEW:
                return self._function(self._k.take(item), self._size)
            self._table = self._function(self._k, self._size)
        return self._table.take(item)


def _tables(
    fp: FloatArray, n_neg: int, tp: FloatArray, n_pos: int
) -> tuple[LazyTable, LazyTable, LazyTable]:
    """Prepare entropies of both classes and angles of the positives."""
    return (
        LazyTable(entropy, fp, n_neg),
        LazyTable(entropy, tp, n_pos),
        LazyTable(angles, tp, n_pos),
    )


def _pieces(
    before: BoolArray, after: BoolArray, tied: BoolArray | None
) -> tuple[CountArray, CountArray]:
    """First and last vertex of each piece, in order: corners, where one vertex is both, and ties.

    `before`, `after`: which steps move along the axis that leads to a corner, and along the one
    that leaves it; tied steps move along both.
    """
    turns = np.ones(before.size + 1, dtype=np.bool_)
    np.greater(before, after, out=turns[1:])
    turns[:-1] &= after > before
    corner = turns.nonzero()[0]
    if tied is None:
        return corner, corner
    segment = np.flatnonzero(tied)
    # A corner at vertex i and a segment leaving vertex i never meet: both ends of a segment
    # belong to it, so a vertex next to one is no corner of its own.
    first = np.concatenate((corner, segment))
    order = np.argsort(first, kind="stable")
    return first[order], np.concatenate((corner, segment + 1))[order]


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

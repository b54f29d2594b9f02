"""Empirical curves reduced to the pieces that can be nearest to a point.

Formulas (E4) and (E5) of docs/likelihood.md. The slow version keeps every vertex and cuts tied
segments finely: `points` in tests/oracles/likelihood.py, compared in tests/likelihood/test_curves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.design.effective_sizes import MOST_POINTS, place_points
from rocbands.likelihood.margin import Future, Margins, margins_of

Formula: TypeAlias = Callable[[FloatArray, int], FloatArray]  # of counts and a class size
Look: TypeAlias = Callable[[CountArray], FloatArray]  # values at some pieces


@dataclass(frozen=True)
class Curves:
    """Corners and tied segments of an empirical curve (row 0) and of its half turn (row 1)."""

    # Up to so many pieces the entropies of all are computed at once. Of more the edges look at a
    # small part, and a table of all would take longer than the edges.
    most_tabulated: ClassVar[float] = 1 << 13

    # Counts at both ends of each piece, in order along each curve, row 0 before row 1. A corner is
    # a piece whose two ends coincide.
    fp_start: FloatArray
    tp_start: FloatArray
    fp_end: FloatArray
    tp_end: FloatArray
    slanted: BoolArray | None  # which pieces are tied segments; None if there are none
    n_pos: int
    n_neg: int
    half: int  # number of pieces of row 0
    future: Future = None

    @cached_property
    def margins(self) -> Margins:
        """Costs along the two axes."""
        return margins_of(self.n_pos, self.n_neg, self.future)

    @classmethod
    def from_counts(cls, fp: CountArray, tp: CountArray, future: Future = None) -> Curves:
        """Reduce a curve given by cumulative counts from (0, 0), and its half turn, by (E4)."""
        # North-west corners of the half turn are the curve's south-east corners, last one first.
        first, turned_last, tied = _find_pieces(fp, tp)
        sizes = int(tp[-1]), int(fp[-1]), first.size, future
        if tied is None:
            x, y = (_join_rows(counts, first, turned_last) for counts in (fp, tp))
            return cls(x, y, x, y, None, *sizes)
        # A tied segment leads to the next vertex; on the half turn it starts there.
        last, turned_first = first + tied[first], turned_last + tied[turned_last]
        x0, y0 = (_join_rows(counts, first, turned_first) for counts in (fp, tp))
        x1, y1 = (_join_rows(counts, last, turned_last) for counts in (fp, tp))
        return cls(x0, y0, x1, y1, x1 > x0, *sizes)

    @classmethod
    def from_middles(cls, fp: CountArray, tp: CountArray) -> Curves:
        """Reduce a curve, and its half turn, to the middles of its vertical pieces, (E25)."""
        # One point for each distinct number of false positives, from `low` to `high` true ones.
        last = np.append(fp[1:] > fp[:-1], True).nonzero()[0]
        x, high = fp[last].astype(np.float64), tp[last]
        low = tp[np.append(0, last[:-1] + 1)]
        y = (low + high) / 2.0
        tied: BoolArray = low[1:] > high[:-1]
        if tied.any():
            # Points from the top of a vertical piece to the foot of the next: as many as for
            # weighted rows, but not closer than a small part of the sampling error.
            rows, size = x + high, x[1:] - x[:-1] + low[1:] - high[:-1]
            noise = np.sqrt(np.minimum(rows[:-1], rows[-1] - rows[:-1]) + 1.0)
            points = np.minimum(8.0 * np.sqrt(size), 32.0 * size / noise)
            points = np.where(tied, np.clip(points, 1, MOST_POINTS), 1).astype(np.int64)
            at, part = place_points(points)
            after = np.minimum(at + 1, x.size - 1)
            y = np.where(part > 0.0, high[at] + part * (low[after] - high[at]), y[at])
            x = x[at] + part * (x[after] - x[at])
        # Of points at the same height only the first can be nearest, (E4); turned, the last.
        rises = y[1:] > y[:-1]
        kept, turned = np.append(True, rises), np.append(rises, True)
        n_pos, n_neg = int(tp[-1]), int(fp[-1])
        x = np.concatenate((x.compress(kept), n_neg - x.compress(turned)[::-1]))
        y = np.concatenate((y.compress(kept), n_pos - y.compress(turned)[::-1]))
        return cls(x, y, x, y, None, n_pos, n_neg, int(np.count_nonzero(kept)))

    @staticmethod
    def from_rows(fp: CountArray, n_pos: int, n_neg: int, future: Future = None) -> ManyCurves:
        """Lay out untied curves: `fp[r, j]` negatives precede the j-th positive of curve r.

        Column 0 stands for the origin.
        """
        # Vertices that are no corners stay in: they cost little, and position j of every curve then
        # has exactly j true positives, so that no search is needed.
        rows, width = fp.shape
        x = fp.astype(np.float64)
        fp_key = (x + np.arange(float(rows))[:, None] * (n_neg + 1)).ravel()
        y = np.tile(np.arange(float(width)), rows)
        x = x.ravel()
        return ManyCurves(x, y, x, y, None, n_pos, n_neg, width, future, fp_key=fp_key)

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
        return Curves(x0, y0, x1, y1, slanted, self.n_pos, self.n_neg, first)

    def starting(self, row: CountArray, u: FloatArray) -> CountArray:
        """Find the last piece of each curve that starts at or left of u."""
        return self._locate(self.fp_start, row, self.n_neg * u, "right") - 1

    def reaching(self, row: CountArray, v: FloatArray) -> CountArray:
        """Find the first piece of each curve that reaches height v."""
        # Middles may end below a rate of 1: then it is the last piece.
        last: CountArray = np.where(row, self.tp_end.size, self.half) - 1
        return np.minimum(self.count_lower(row, self.n_pos * v), last)

    def count_lower(self, row: CountArray, tp: FloatArray) -> CountArray:
        """Count the pieces, those of earlier rows included, that end below `tp` true positives."""
        return self._locate(self.tp_end, row, tp, "left")

    def _locate(
        self, counts: FloatArray, row: CountArray, place: FloatArray, side: Literal["left", "right"]
    ) -> CountArray:
        # Both rows are searched: sorted keys, as in `ManyCurves`, would be a copy of all counts.
        first = counts[: self.half].searchsorted(place, side)
        second = counts[self.half :].searchsorted(place, side)
        second += self.half
        return np.where(row, second, first)

    def height(self, row: CountArray, u: FloatArray) -> FloatArray:
        """Count the true positives at `u`, where a vertical stretch counts to its top."""
        first = self.starting(row, u)
        x0, y0 = self.fp_start[first], self.tp_start[first]
        run, rise = self.fp_end[first] - x0, self.tp_end[first] - y0
        # A corner has no run: any divisor will do, as it has no rise either.
        part = np.minimum((self.n_neg * u - x0) / np.where(run > 0, run, 1.0), 1.0)
        return np.asarray(y0 + np.maximum(part, 0.0) * rise)

    @cached_property
    def fp_entropy(self) -> Look:
        """Tabulated H_n(i) of (E5) at the ends of some pieces."""
        return self._tabulate(entropy, self.fp_end, self.n_neg)

    @cached_property
    def tp_entropy(self) -> Look:
        """Tabulated H_m(j) of (E5) at the ends of some pieces."""
        return self._tabulate(entropy, self.tp_end, self.n_pos)

    @cached_property
    def tp_angle(self) -> Look:
        """Angle of (E12) at the ends of some pieces."""
        return self._tabulate(angles, self.tp_end, self.n_pos)

    def _tabulate(self, function: Formula, k: FloatArray, size: int) -> Look:
        if k.size > self.most_tabulated:
            return partial(_compute, function, k, size)
        return function(k, size).take


@dataclass(frozen=True)
class ManyCurves(Curves):
    """Any number of empirical curves of equal class sizes, one after the other."""

    most_tabulated: ClassVar[float] = np.inf  # all pieces are looked at many times

    # `fp_start` and `tp_end` plus a multiple of the curve's number: sorted over all curves, so that
    # one binary search serves them all. `tp_key` is None where position and true positives agree
    # on every curve, and no search is needed.
    fp_key: FloatArray = field(kw_only=True)
    tp_key: FloatArray | None = field(default=None, kw_only=True)

    def starting(self, row: CountArray, u: FloatArray) -> CountArray:
        """Find the last piece of each curve that starts at or left of u."""
        place = self.n_neg * u + row * (self.n_neg + 1.0)
        return self.fp_key.searchsorted(place, "right") - 1

    def reaching(self, row: CountArray, v: FloatArray) -> CountArray:
        """Find the first piece of each curve that reaches height v."""
        # Rounding may carry a rate of 1 past the last vertex.
        return np.minimum(self.count_lower(row, self.n_pos * v), self.tp_end.size - 1)

    def count_lower(self, row: CountArray, tp: FloatArray) -> CountArray:
        """Count the pieces, those of earlier rows included, that end below `tp` true positives."""
        if self.tp_key is None:
            return row * (self.n_pos + 1) + np.ceil(tp).astype(np.int64)
        return self.tp_key.searchsorted(tp + row * (self.n_pos + 1.0))

    def _tabulate(self, function: Formula, k: FloatArray, size: int) -> Look:
        if 4 * size < k.size:  # far fewer values than pieces
            return function(np.arange(size + 1.0), size).take(k.astype(np.intp)).take
        return function(k, size).take


def _find_pieces(fp: CountArray, tp: CountArray) -> tuple[CountArray, CountArray, BoolArray | None]:
    """Find the vertices where pieces start, where those of the half turn end, and tied steps."""
    across, up = fp[1:] > fp[:-1], tp[1:] > tp[:-1]
    tied = np.zeros(fp.size, dtype=np.bool_)  # which vertices a step along both axes leaves
    # In place: steps along one axis only. Of ten million vertices new memory takes longest.
    if np.logical_and(across, up, out=tied[:-1]).any():
        across ^= tied[:-1]
        up ^= tied[:-1]
    first = _mark_pieces(up, across, tied).nonzero()[0]
    turned_last = _mark_pieces(across, up, tied).nonzero()[0][::-1]
    return first, turned_last, tied if tied.any() else None


def _mark_pieces(before: BoolArray, after: BoolArray, tied: BoolArray) -> BoolArray:
    """Mark vertices that are corners or start a tied segment.

    `before`, `after`: which steps move only along the axis before a corner, and only along the one
    after it.
    """
    marks = np.empty(tied.size, dtype=np.bool_)
    marks[0] = True  # the origin, unless the curve leaves it upward
    marks[1:] = before
    marks[:-1] &= after
    marks |= tied  # both ends of a segment belong to it, and are no corners of their own
    return marks


def _join_rows(counts: CountArray, vertex: CountArray, turned: CountArray) -> FloatArray:
    """Return counts at vertices of a curve, then at those of its half turn."""
    # Written where they stay: of many vertices every copy counts.
    joined = np.empty(vertex.size + turned.size)
    joined[: vertex.size] = counts[vertex]
    np.subtract(counts[-1], counts[turned], out=joined[vertex.size :])
    return joined


def _compute(function: Formula, k: FloatArray, size: int, piece: CountArray) -> FloatArray:
    return function(k.take(piece), size)


def entropy(k: FloatArray, size: float | FloatArray) -> FloatArray:
    """H(k) = k ln(k / size) + (size - k) ln(1 - k / size), (E5)."""
    both = np.array((k, size - k))
    # 0 ln 0 = 0: any finite logarithm will do.
    both *= np.log(np.maximum(both, 1e-300) / size)
    return np.asarray(both[0] + both[1])


def angles(k: FloatArray, size: int) -> FloatArray:
    """Angle from the top, of variance 1 / (4 size) whatever the rate: Anscombe's arcsine, (E12)."""
    return np.asarray(np.arccos(np.sqrt((k + 0.375) / (size + 0.75))))

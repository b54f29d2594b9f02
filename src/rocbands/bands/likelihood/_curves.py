"""Empirical curves laid end to end, reduced to the pieces that can be nearest to a point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from ._margin import Floats

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Curves:
    """North-west corners and tied segments of one or more empirical curves of equal class sizes.

    Attributes
    ----------
    fp_start, tp_start, fp_end, tp_end
        Ends of each piece, in order along each curve, one curve after the other. A corner is a
        piece whose two ends coincide.
    slanted
        Which pieces are tied segments; None if there are none.
    fp_key, tp_key
        ``fp_start`` and ``tp_end`` plus a multiple of the curve's number: sorted over all
        curves, so that one binary search serves them all. ``tp_key`` is None where position
        and true positives agree on every curve, and no search is needed.
    n_pos, n_neg
        Class sizes.
    neg_entropy, pos_entropy
        What each corner's cost on either axis does not owe to the compared rate; only for
        curves without tied segments.
    """

    fp_start: Floats
    tp_start: Floats
    fp_end: Floats
    tp_end: Floats
    slanted: npt.NDArray[np.bool_] | None
    fp_key: Floats
    tp_key: Floats | None
    n_pos: int
    n_neg: int
    neg_entropy: Floats | None = None
    pos_entropy: Floats | None = None

    @classmethod
    def from_counts(cls, fp: Ints, tp: Ints, n_pos: int, n_neg: int) -> Curves:
        """Reduce one curve, given by its cumulative counts at the distinct scores."""
        across, up = np.diff(fp) > 0, np.diff(tp) > 0
        tied = across & up
        came_up = np.concatenate(([True], up & ~across))
        goes_on = np.concatenate((across & ~up, [True]))
        corner = np.flatnonzero(came_up & goes_on)
        segment = np.flatnonzero(tied)
        # A corner at vertex i and a segment leaving vertex i never meet: both ends of a
        # segment belong to it, so a vertex next to one is no corner of its own.
        first = np.concatenate((corner, segment))
        last = np.concatenate((corner, segment + 1))
        order = np.argsort(first, kind="stable")
        first, last = first[order], last[order]
        x0, y0 = fp[first].astype(np.float64), tp[first].astype(np.float64)
        if not segment.size:
            return cls(
                x0, y0, x0, y0, None, x0, y0, n_pos, n_neg, *_entropies(x0, y0, n_pos, n_neg)
            )
        x1, y1 = fp[last].astype(np.float64), tp[last].astype(np.float64)
        return cls(x0, y0, x1, y1, last > first, x0, y1, n_pos, n_neg)

    @classmethod
    def from_rows(cls, fp: Ints, n_pos: int, n_neg: int) -> Curves:
        """Lay out untied curves: ``fp[r, j]`` negatives precede the j-th positive of curve r.

        Column 0 stands for the origin. Vertices that are no corners stay in: they cost little,
        and position j of every curve then has exactly j true positives.
        """
        rows, width = fp.shape
        row = np.arange(rows, dtype=np.float64)[:, None]
        x = fp.astype(np.float64)
        y = np.broadcast_to(np.arange(width, dtype=np.float64), fp.shape)
        x_key = (x + row * (n_neg + 1)).ravel()
        entropies = _entropies(x.ravel(), y[0], n_pos, n_neg)
        x, y = x.ravel(), y.ravel()
        return cls(
            x, y, x, y, None, x_key, None, n_pos, n_neg, entropies[0], np.tile(entropies[1], rows)
        )

    @classmethod
    def side_by_side(cls, parts: list[Curves]) -> Curves:
        """Lay single curves of equal class sizes end to end."""
        n_pos, n_neg = parts[0].n_pos, parts[0].n_neg
        ends = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("fp_start", "tp_start", "fp_end", "tp_end")
        )
        x0, y0, x1, y1 = ends
        sizes = [part.fp_start.size for part in parts]
        row = np.repeat(np.arange(len(parts), dtype=np.float64), sizes)
        if parts[0].slanted is None:
            keys = (x0 + row * (n_neg + 1), y0 + row * (n_pos + 1))
            return cls(x0, y0, x0, y0, None, *keys, n_pos, n_neg, *_entropies(x0, y0, n_pos, n_neg))
        slanted = x1 > x0
        return cls(
            x0, y0, x1, y1, slanted, x0 + row * (n_neg + 1), y1 + row * (n_pos + 1), n_pos, n_neg
        )

    def height(self, row: Ints, u: Floats) -> Floats:
        """Count the true positives at ``u``, where a vertical stretch counts to its top."""
        first, _ = self.windows(row, u, u)
        x0, y0 = self.fp_start[first], self.tp_start[first]
        run, rise = self.fp_end[first] - x0, self.tp_end[first] - y0
        part = np.minimum((self.n_neg * u - x0) / np.where(run > 0, run, 1.0), 1.0)
        value: Floats = y0 + np.maximum(part, 0.0) * rise
        return value

    def windows(self, row: Ints, u: Floats, v: Floats) -> tuple[Ints, Ints]:
        """First and last piece that can be nearest to each point; last < first if none is needed.

        Earlier pieces lie below the first one, later pieces lie to the right of the last one.
        """
        first = np.searchsorted(self.fp_key, self.n_neg * u + row * (self.n_neg + 1.0), "right") - 1
        return first.astype(np.int64), self.reaching(row, v)

    def reaching(self, row: Ints, v: Floats) -> Ints:
        """Find the first piece of each curve that reaches height v."""
        if self.tp_key is None:
            return row * (self.n_pos + 1) + np.ceil(self.n_pos * v).astype(np.int64)
        last = np.searchsorted(self.tp_key, self.n_pos * v + row * (self.n_pos + 1.0), "left")
        # Rounding may carry a rate of 1 past the last vertex.
        return np.minimum(last, self.tp_key.size - 1).astype(np.int64)


def _entropies(fp: Floats, tp: Floats, n_pos: int, n_neg: int) -> tuple[Floats, Floats]:
    return _entropy(fp, n_neg), _entropy(tp, n_pos)


def _entropy(k: Floats, size: int) -> Floats:
    """Return k ln(k / size) + (size - k) ln(1 - k / size)."""
    rest = size - k
    return np.asarray(xlogy(k, k / size) + xlogy(rest, rest / size), dtype=np.float64)


def half_turn(fp: Ints, tp: Ints) -> tuple[Ints, Ints]:
    """Rotate a curve by half a turn: (x, y) to (1 - x, 1 - y)."""
    return fp[-1] - fp[::-1], tp[-1] - tp[::-1]


def expand(first: Ints, length: Ints) -> tuple[Ints, Ints, Ints]:
    """Write out ragged ranges: the items, the range that owns each, and where each range starts."""
    stop = np.cumsum(length)
    start = stop - length
    owner = np.repeat(np.arange(length.size), length)
    item = np.arange(int(stop[-1]) if stop.size else 0) + np.repeat(first - start, length)
    return item, owner, start

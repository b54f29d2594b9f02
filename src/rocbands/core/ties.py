"""Rows sorted by score: one sort, equal scores together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.pieces import PIECE, cut_pieces


class ScoreLevels(NamedTuple):
    """The distinct scores of a column, from the lowest up, and the rows at each."""

    order: IndexArray  # (n,) rows from the lowest score up; rows with equal scores in any order
    first: IndexArray  # (n_levels + 1,) where in `order` each level begins; the last number is n

    @property
    def size(self) -> IndexArray:
        """Number of rows at each level, shape (n_levels,)."""
        return np.diff(self.first)

    @property
    def level(self) -> IndexArray:
        """Level of each row, from 0, shape (n,)."""
        level = np.empty_like(self.order)
        level[self.order] = np.repeat(np.arange(self.first.size - 1), self.size)
        return level

    @property
    def double_midranks(self) -> CountArray:
        """Twice the mean rank of each row's level, ranks from 0: whole numbers, shape (n,)."""
        middle = self.first[:-1] + self.first[1:] - 1
        ranks: CountArray = middle[self.level].astype(np.int64)
        return ranks


class ScoreCodes(NamedTuple):
    """Whole numbers of so many bits in the order of the scores; near scores may share one."""

    low: np.uint64
    shift: np.uint64

    @classmethod
    def of_column(cls, values: npt.NDArray[Any], bits: int) -> ScoreCodes:
        """Spread the codes from the lowest to the highest of the scores."""
        ends = _order_bits(np.array([values.min(), values.max()]))
        return cls(ends[0], np.uint64(max(int(np.diff(ends)[0]).bit_length() - bits, 0)))

    def encode(self, values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
        """Codes of scores between the lowest and the highest one."""
        codes = _order_bits(values)
        codes -= self.low
        codes >>= self.shift
        return codes


def _order_bits(values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Whole numbers whose differences, modulo 2^64, are in the order of the scores.

    The bits of floats from 0 up are ordered as whole numbers; below 0 all but the sign are turned.
    """
    if values.dtype.kind != "f":
        return values.astype(np.uint64)
    with np.errstate(over="ignore"):  # of numbers of 128 bits
        own: FloatArray = np.add(values, 0.0, dtype=np.float64)  # -0.0 becomes 0.0
    bits = own.view(np.int64)
    bits ^= (bits >> 63) & (2**63 - 1)
    return bits.view(np.uint64)


def iterate_levels(
    values: npt.NDArray[Any], is_positive: BoolArray
) -> Iterator[tuple[IndexArray, BoolArray, BoolArray]]:
    """Rows from the lowest score up, their classes, and where another score begins.

    They come in pieces of whole levels. What is sorted are whole numbers that have the first bits
    of a score above the number of its row and its class: sorting values is faster than `argsort`,
    which looks up scores all over the memory, and so does who looks up classes afterwards. Rows
    whose scores have the same first bits are few and put in order piece by piece.
    """
    size = values.size
    bits = np.uint64(size.bit_length() + 1)
    codes = ScoreCodes.of_column(values, 64 - int(bits))
    keys = np.empty(size, dtype=np.uint64)
    for part in cut_pieces(size):
        np.left_shift(codes.encode(values[part]), bits, out=keys[part])
        keys[part] |= np.arange(2 * part.start, 2 * part.stop, 2, dtype=np.uint64)
        keys[part] |= is_positive[part]
    keys.sort()
    stop = 0
    while stop < size:
        start, stop = stop, _find_end(keys, stop, bits)
        code = keys[start:stop] >> bits
        rows = (keys[start:stop] & ((np.uint64(1) << bits) - np.uint64(1))).view(np.int64)
        new = np.ones(rows.size, dtype=np.bool_)
        np.not_equal(code[1:], code[:-1], out=new[1:])
        if not new.all():
            alike = ~new
            alike[:-1] |= alike[1:]
            among = np.flatnonzero(alike)
            scores = values[rows[among] >> 1]
            if (scores[1:] < scores[:-1]).any():
                order = np.argsort(scores)
                rows[among], scores = rows[among[order]], scores[order]
            new[among[1:]] = scores[1:] != scores[:-1]
        positive = (rows & 1).astype(np.bool_)
        rows >>= 1
        yield rows, positive, new


def _find_end(keys: npt.NDArray[np.uint64], start: int, bits: np.uint64) -> int:
    """Where a piece ends so that rows with the same code stay together."""
    stop = start + PIECE
    if stop >= keys.size:
        return keys.size
    first = keys[stop] >> bits << bits  # of those with the code of the row after the piece
    end = start + int(np.searchsorted(keys[start:stop], first))
    if end > start:
        return end
    last = first | ((np.uint64(1) << bits) - np.uint64(1))
    return stop + int(np.searchsorted(keys[stop:], last, side="right"))


def find_levels(values: npt.NDArray[Any]) -> ScoreLevels:
    """Sort scores once and find where each distinct score begins."""
    pieces = iterate_levels(values, np.broadcast_to(np.False_, values.shape))
    rows, _, new = zip(*pieces, strict=True)
    return ScoreLevels(np.concatenate(rows), np.flatnonzero(np.concatenate((*new, [True]))))

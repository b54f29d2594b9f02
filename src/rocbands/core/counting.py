"""Rows sorted by score, and counts of both classes at every distinct score.

Many rows are passed over in pieces that fit the cache, or by bisection: allocation costs more than
arithmetic, and the first write to 80 MB takes longer than ten passes over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, freeze

# Rows of a piece. From 10,000 on OpenBLAS divides the product of two vectors among threads, which
# takes longer than the product on a busy machine.
PIECE = 1 << 13


def cut_pieces(size: int, *, overlap: int = 0) -> Iterator[slice]:
    """Cut `size` rows into pieces that overlap by `overlap` rows.

    Examples
    --------
    >>> list(cut_pieces(10000, overlap=1))
    [slice(0, 8192, None), slice(8191, 10000, None)]
    """
    for start in range(0, size, PIECE):
        yield slice(max(start - overlap, 0), min(start + PIECE, size))


class Piece(NamedTuple):
    """Some neighbouring steps of a curve."""

    start: int  # number of the first step
    # fp, tp: (k + 1,) cumulative counts at the vertices of k steps, the one before them included
    fp: npt.NDArray[Any]
    tp: npt.NDArray[Any]

    @property
    def stop(self) -> int:
        """Number of the step after the last one."""
        return self.start + self.fp.size - 1


def walk_steps(
    fp: npt.NDArray[Any], tp: npt.NDArray[Any], first: int = 0, stop: int | None = None
) -> Iterator[Piece]:
    """Cut steps `first` to `stop` of a curve, all by default, into pieces that fit the cache.

    `fp`, `tp` (n,): cumulative counts, without the 0 before the first step.
    """
    stop = fp.size if stop is None else stop
    for part in cut_pieces(stop - first):
        start, end = first + part.start, first + part.stop
        if start:
            yield Piece(start, fp[start - 1 : end], tp[start - 1 : end])
        else:
            yield Piece(0, *(np.concatenate(([0], side[:end])) for side in (fp, tp)))


def bisect(
    size: int, is_before: Callable[[IndexArray], BoolArray], shape: tuple[int, ...]
) -> IndexArray:
    """Count the rows before each of several positions, by bisection.

    `is_before` takes one row per position and tells whether it is before the position. Unlike
    `numpy.searchsorted`, this needs no copy of an array in another order or type.

    Examples
    --------
    >>> falling, places = np.array([9.0, 7.0, 4.0, 1.0]), np.array([8, 4, 0])
    >>> bisect(4, lambda row: falling[row] >= places, places.shape)
    array([1, 3, 4])
    """
    low, high = np.zeros(shape, dtype=np.intp), np.full(shape, size, dtype=np.intp)
    while (open_ := low < high).any():
        middle = (low + high) // 2
        before = open_ & is_before(np.minimum(middle, size - 1))
        low, high = np.where(before, middle + 1, low), np.where(before, high, middle)
    return low


# ------------------------------------------------------------------------------------ rows by score


# Distinct scores in descending order; cumulative counts of negatives and positives, from 0.
Counted: TypeAlias = tuple[npt.NDArray[Any], CountArray, CountArray]


def count_steps(is_positive: BoolArray, values: npt.NDArray[Any]) -> Counted:
    """Count both classes at every distinct score.

    Examples
    --------
    >>> count_steps(np.array([True, False, True]), np.array([2, 1, 1]))
    (array([2, 1]), array([0, 0, 1]), array([0, 1, 2]))
    """
    kind = np.result_type(values, np.float32)
    if kind.itemsize > 8 or _has_long_integers(values):
        return _count_by_bisection(is_positive, values)
    keys, n_above = _sort_with_class(np.add(values, 0.0, dtype=kind), is_positive)  # no -0.0
    tp = np.zeros(keys.size + 1, dtype=np.int64)
    np.bitwise_and(keys.view(f"i{kind.itemsize}"), 1, out=tp[1:])
    np.cumsum(tp, out=tp)
    keys >>= 1
    scores = keys.view(kind)
    np.negative(scores[n_above:], out=scores[n_above:])
    is_end = np.ones(tp.size, dtype=np.bool_)  # whether a distinct score is complete
    np.not_equal(scores[1:], scores[:-1], out=is_end[1:-1])
    if is_end.all():
        fp = np.arange(tp.size)
        fp -= tp
    else:
        rows = np.flatnonzero(is_end)
        scores, tp = scores[rows[1:] - 1], tp[rows]
        fp = rows - tp
    if scores.base is not None:
        freeze(scores.base)  # otherwise `frozen` would copy the view
    return freeze(scores.astype(values.dtype, copy=False)), freeze(fp), freeze(tp)


def _sort_with_class(
    scores: npt.NDArray[Any], is_positive: BoolArray
) -> tuple[npt.NDArray[Any], int]:
    """Sort floats from the highest down, in place, as integers whose last bit is the class.

    The bits of nonnegative floats, read as integers, are in the order of the floats. Shifted by
    one, which drops the sign, they leave room for the class; nothing is looked up by row. Negative
    scores come after all others, without their signs. Also returns the number of the others.
    """
    below = scores < 0.0
    keys = scores.view(f"u{scores.itemsize}")
    keys <<= 1
    keys |= is_positive
    if not below.any():
        keys.sort()
        return keys[::-1], keys.size
    under = keys.compress(below)
    np.logical_not(below, out=below)
    above = keys.compress(below)
    under.sort()
    above.sort()
    keys[: above.size], keys[above.size :] = above[::-1], under
    return keys, above.size


def _has_long_integers(values: npt.NDArray[Any]) -> bool:
    """Tell whether floats of 64 bits cannot hold all of some integers."""
    if values.dtype.kind == "f" or values.dtype.itemsize < 8:
        return False
    return max(-int(values.min()), int(values.max())) > 2**53


def _count_by_bisection(is_positive: BoolArray, values: npt.NDArray[Any]) -> Counted:
    """Count scores without a free bit for the class: sort all rows, and the positives."""
    distinct, sizes = np.unique(values, return_counts=True)
    own = np.sort(values.compress(is_positive))
    tp = np.append(0, own.size - np.searchsorted(own, distinct[::-1]))
    fp = np.append(0, np.cumsum(sizes[::-1])) - tp
    return freeze(distinct)[::-1], freeze(fp), freeze(tp)


def sort_rows(values: npt.NDArray[Any]) -> tuple[IndexArray, BoolArray]:
    """Sort rows by score: their numbers from the lowest up, and where each distinct score begins.

    The second array has one element more, which is true: the end of the last score. Tied rows are
    in any order.

    The sorted keys are integers: the leading bits of the score, then the number of the row. For
    10^6 rows this takes about half the time of `argsort`, which reads scores in random order. The
    few rows that share the leading bits of their scores are put in order afterwards.

    Examples
    --------
    >>> order, is_first = sort_rows(np.array([2.0, -1.0, 2.0]))
    >>> print(order, is_first)
    [1 0 2] [ True  True False  True]
    """
    with np.errstate(over="ignore"):  # floats of 128 bits
        keys = np.add(values, 0.0, dtype=np.float64).view(np.int64)
    keys ^= (keys >> 63) & (2**63 - 1)  # larger negative floats have smaller bits
    last_bits = (1 << values.size.bit_length()) - 1
    keys &= ~last_bits
    keys |= np.arange(keys.size)
    keys.sort()
    is_first = np.ones(keys.size + 1, dtype=np.bool_)
    differing = (keys[1:] ^ keys[:-1]).view(np.uint64)
    np.greater(differing, last_bits, out=is_first[1:-1])
    keys &= last_bits
    if not is_first.all():
        alike = np.flatnonzero(~(is_first[1:] & is_first[:-1]))
        scores = values[keys[alike]]
        if (scores[1:] < scores[:-1]).any():
            order = np.argsort(scores, kind="stable")  # quick where most are in order
            keys[alike], scores = keys[alike[order]], scores[order]
        is_first[alike[1:]] = scores[1:] != scores[:-1]
    return keys, is_first


class ScoreLevels(NamedTuple):
    """The distinct scores of a column, from the lowest up, and the rows at each."""

    order: IndexArray  # (n,) rows from the lowest score up; tied rows in any order
    first: IndexArray  # (n_levels + 1,) index in `order` at which each level begins; finally n

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
        """Twice the mean rank of each row's level, ranks from 0: integers, shape (n,)."""
        middle = self.first[:-1] + self.first[1:] - 1
        ranks: CountArray = middle[self.level].astype(np.int64)
        return ranks


def find_levels(values: npt.NDArray[Any]) -> ScoreLevels:
    """Sort scores once and find where each distinct score begins.

    Examples
    --------
    >>> levels = find_levels(np.array([5.0, 1.0, 5.0, 7.0]))
    >>> print(levels.order, levels.first, levels.level, levels.double_midranks)
    [1 0 2 3] [0 1 3 4] [1 0 1 2] [3 0 3 6]
    """
    order, is_first = sort_rows(values)
    return ScoreLevels(order, np.flatnonzero(is_first))


def rank_in_folds(values: npt.NDArray[Any], folds: CountArray | None) -> IndexArray:
    """Level of each score among those of its fold; without folds among all scores.

    Examples
    --------
    >>> print(rank_in_folds(np.array([5.0, 1.0, 5.0, 7.0]), np.array([0, 0, 1, 1])))
    [1 0 0 1]
    """
    if folds is None:
        return find_levels(values).level
    ranks = np.empty(values.size, dtype=np.intp)
    for code in range(int(folds.max()) + 1):
        rows = np.flatnonzero(folds == code)
        ranks[rows] = find_levels(values[rows]).level
    return ranks


def sum_codes(codes: IndexArray, values: FloatArray, size: int) -> FloatArray:
    """Sum values (n,) or (n, k) by their codes."""
    if values.ndim == 1:
        return np.bincount(codes, values, size).astype(np.float64, copy=False)
    if (np.diff(codes) < 0).any():  # sorting copies all columns: only if needed
        order = np.argsort(codes, kind="stable")
        values, codes = values[order], codes[order]
    sums = np.zeros((size, *values.shape[1:]))
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    sums[codes[first]] = np.add.reduceat(values, first, axis=0)
    return sums

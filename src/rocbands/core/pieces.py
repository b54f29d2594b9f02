"""Processing many rows without new memory: in pieces that fit the cache, or by bisection.

Allocation costs more than arithmetic: the first write to 80 MB takes longer than ten passes over
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, IndexArray

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

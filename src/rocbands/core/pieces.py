"""Passes over many rows or steps piece by piece, in buffers that fit the cache.

New memory costs more than arithmetic: filling 80 MB for the first time takes longer than ten
passes over them. A pass that keeps little of each piece needs next to none; `find_places` and
`find_rates` look at a few places only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray, IndexArray

PIECE = 1 << 14  # rows or steps that are looked at together


def cut_pieces(size: int, *, overlap: int = 0) -> Iterator[slice]:
    """Cut `size` rows into pieces; each has the last `overlap` rows of the one before, too.

    Examples
    --------
    >>> list(cut_pieces(20000, overlap=1))
    [slice(0, 16384, None), slice(16383, 20000, None)]
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
        """Number of the step behind the last one."""
        return self.start + self.fp.size - 1


def walk_steps(
    fp: npt.NDArray[Any], tp: npt.NDArray[Any], first: int = 0, stop: int | None = None
) -> Iterator[Piece]:
    """Cut steps `first` to `stop` of a curve, all by default, into pieces that fit the cache.

    `fp`, `tp` (n,): cumulative counts, without the 0 before the first step.
    """
    stop = fp.size if stop is None else stop
    for start in range(first, stop, PIECE):
        end = min(start + PIECE, stop)
        if start:
            yield Piece(start, fp[start - 1 : end], tp[start - 1 : end])
        else:
            yield Piece(0, *(np.concatenate(([0], side[:end])) for side in (fp, tp)))


def find_places(
    value: Callable[[IndexArray], FloatArray], size: int, wanted: FloatArray
) -> IndexArray:
    """Find the first of `size` places where a rising function reaches each wanted value.

    As `np.searchsorted`, for values that are computed where they are looked at; `size` where no
    place reaches it.
    """
    low, high = np.zeros(wanted.shape, dtype=np.intp), np.full(wanted.shape, size, dtype=np.intp)
    while (low < high).any():
        middle = np.minimum((low + high) >> 1, size - 1)
        reached = value(middle) >= wanted
        high = np.where(reached, middle, high)
        low = np.where(reached, low, middle + 1)
    return low


def find_rates(counts: npt.NDArray[Any], total: int, wanted: FloatArray) -> IndexArray:
    """Find where rising counts, over their total, reach each wanted rate, by whole numbers.

    ``np.searchsorted(counts / total, wanted)`` to the last bit.

    Examples
    --------
    >>> find_rates(np.array([0, 1, 1, 3]), 3, np.array([0.0, 0.3, 1 / 3, 0.4]))
    array([0, 1, 1, 3])
    """
    least = np.ceil(wanted * total)  # number of cases that have the rate, up to rounding
    least -= (least - 1.0) / total >= wanted
    least += least / total < wanted
    return np.searchsorted(counts, least.astype(np.int64))

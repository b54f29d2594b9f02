"""Counting both classes at every distinct score, by one sort."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, freeze
from rocbands.core.pieces import cut_pieces

# Distinct scores in descending order; negatives and positives with scores above all, which are
# none, and with these scores and above.
Counted: TypeAlias = tuple[npt.NDArray[Any], CountArray, CountArray]


def new_values(ordered: npt.NDArray[Any]) -> BoolArray:
    """Tell where a sorted array has another value than before."""
    new = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def count_rows(is_positive: BoolArray, values: npt.NDArray[Any]) -> Counted:
    """Count both classes at every distinct score, by one sort that carries the classes along.

    Arrays are used again where possible, because of 10^8 rows.
    """
    if values.dtype.itemsize > 8 or (values.dtype == np.uint64 and values.max() >= 2**63):
        return _count_by_bisection(is_positive, values)
    kind = values.dtype
    own = _sortable(values)
    keys, below, sorted_as = _sort_keys(own, is_positive)
    tp = np.zeros(keys.size + 1, dtype=np.int64)
    here = np.bitwise_and(keys.view(f"i{keys.itemsize}"), 1, out=tp[1:])
    np.add.accumulate(here, out=here)
    keys >>= 1
    thresholds = keys.view(sorted_as)
    if below < keys.size:
        np.negative(thresholds[below:], out=thresholds[below:])
        if sorted_as.kind == "i":
            thresholds[below:] -= 1
    distinct = _count_distinct(thresholds)
    if distinct == thresholds.size:
        fp = np.arange(tp.size)
    else:
        thresholds, fp, tp = _merge_ties(thresholds, tp, distinct)
    fp -= tp
    freeze(own)  # in whose memory the thresholds are, so that nobody need copy them
    thresholds = freeze(thresholds.astype(kind, copy=False))
    return thresholds, freeze(fp), freeze(tp)


def _count_distinct(ordered: npt.NDArray[Any]) -> int:
    distinct = 1
    for part in cut_pieces(ordered.size, overlap=1):
        here = ordered[part]
        distinct += int(np.count_nonzero(here[1:] != here[:-1]))
    return distinct


def _merge_ties(thresholds: npt.NDArray[Any], tp: CountArray, distinct: int) -> Counted:
    """Keep the last row of each score, and count the rows up to there instead of negatives.

    Values are moved to the front of the memory they are in, piece by piece, and copied if few.
    """
    rows, done = np.zeros(distinct + 1, dtype=np.int64), 0
    for part in cut_pieces(thresholds.size, overlap=1):
        here = thresholds[part]
        last = (here[1:] != here[:-1]).nonzero()[0] + part.start
        into = slice(done, done + last.size)
        thresholds[into] = thresholds[last]
        last += 1
        rows[1:][into], tp[1:][into] = last, tp[last]
        done = into.stop
    thresholds[done], rows[-1], tp[distinct] = thresholds[-1], thresholds.size, tp[-1]
    few = 2 * distinct < thresholds.size
    thresholds, tp = thresholds[:distinct], freeze(tp)[: distinct + 1]
    return (thresholds.copy(), rows, tp.copy()) if few else (thresholds, rows, tp)


def _sortable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return scores as floats or signed whole numbers of 32 or 64 bits, with one kind of zero."""
    if values.dtype.kind == "f":
        if values.dtype.itemsize < 4:
            values = values.astype(np.float32)
        return values + 0.0  # -0.0 becomes 0.0
    wide = values.dtype.itemsize + (values.dtype.kind == "u") > 4
    return values.astype(np.int64 if wide else np.int32)


def _sort_keys(
    values: npt.NDArray[Any], is_positive: BoolArray
) -> tuple[npt.NDArray[Any], int, np.dtype[Any]]:
    """Sort scores as whole numbers whose last bit is the class, from the highest score down.

    The bits of scores from 0 up, floats too, are ordered as whole numbers, and the bit of the sign
    is free: moved by one bit they leave room for the class. Scores below 0 are sorted as their
    opposites (of whole numbers, less one), behind the others. Sorting values is several times
    faster than `argsort`, and one sort is faster than two with a look-up. `values` are overwritten.
    Returned with where scores below 0 begin, and with the type whose bits were sorted.
    """

    def sort(part: npt.NDArray[Any], classes: BoolArray) -> npt.NDArray[Any]:
        keys = part.view(f"u{part.dtype.itemsize}")
        keys <<= 1
        keys |= classes
        keys.sort()
        return keys

    kind = values.dtype
    if np.minimum.reduce(values) >= 0:
        return sort(values, is_positive)[::-1], values.size, kind
    negative = values < 0
    turned = values[negative]
    np.negative(turned, out=turned) if kind.kind == "f" else np.invert(turned, out=turned)
    turned = sort(turned, is_positive[negative])
    np.logical_not(negative, out=negative)
    above = sort(values[negative], is_positive[negative])
    # The memory of the values has room for the keys.
    keys = values.view(above.dtype)
    keys[: above.size], keys[above.size :] = above[::-1], turned
    return keys, above.size, kind


def _count_by_bisection(is_positive: BoolArray, values: npt.NDArray[Any]) -> Counted:
    """Count scores that leave no room for the class: one sort of all rows, one of the positives."""
    ordered = np.sort(values)
    starts = np.flatnonzero(new_values(ordered))
    distinct = ordered[starts]
    above = np.searchsorted(np.sort(values[is_positive]), distinct)
    tp = np.append(np.count_nonzero(is_positive) - above, 0)
    fp = np.append(values.size - starts, 0) - tp
    return freeze(distinct)[::-1], freeze(fp)[::-1], freeze(tp)[::-1]

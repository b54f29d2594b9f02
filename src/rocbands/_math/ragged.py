"""Concatenated ranges of different lengths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import IndexArray


class Ranges(NamedTuple):
    """Concatenated ranges.

    Attributes
    ----------
    item : ndarray of int
        All members of the first range, then all of the second, and so on.
    owner : ndarray of int
        The range that each member belongs to.
    start : ndarray of int
        Where each range starts among the members.
    """

    item: IndexArray
    owner: IndexArray
    start: IndexArray


def expand_ranges(first: IndexArray, length: IndexArray) -> Ranges:
    """Concatenate the ranges first[i], first[i] + 1, ... of length[i] members each.

    A counter runs over all members; subtracting its value at the start of a range and adding the
    range's first member gives the members of the range.

    Examples
    --------
    >>> expand_ranges(np.array([7, 2]), np.array([2, 3])).item
    array([7, 8, 2, 3, 4])
    """
    stop = length.cumsum()
    start = stop - length
    owner = np.arange(length.size).repeat(length)
    item = (first - start).repeat(length)
    item += np.arange(item.size)
    return Ranges(item, owner, start)

"""Counting which of many whole numbers are large, for many questions at once."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["count_at_least"]

Whole: TypeAlias = npt.NDArray[np.intp]


def count_at_least(numbers: npt.NDArray[np.integer], first: Whole, least: Whole) -> Whole:
    """Count the members of ``numbers[first:]`` that are at least `least`, for arrays of questions.

    All questions walk down the bits together: numbers are parted by their highest bit, keeping
    their order, then by the next one (a wavelet matrix). That is n log(max) steps whatever the
    questions are, none of them in Python.

    Parameters
    ----------
    numbers : ndarray of int, shape (n,)
        Whole numbers from 0 on, in any order.
    first, least : ndarray of int, shape (k,)
        Where each question begins, from 0 to n, and what it counts.

    Examples
    --------
    >>> numbers = np.array([5, 0, 3, 2, 4])
    >>> count_at_least(numbers, first=np.array([0, 2, 5]), least=np.array([3, 4, 0])).tolist()
    [3, 1, 0]
    """
    top = max(int(numbers.max(initial=0)), int(least.max(initial=0))).bit_length()
    start, stop = first.astype(np.intp), np.full(first.shape, numbers.size)
    found = np.zeros(first.shape, np.intp)
    before = np.zeros(numbers.size + 1, np.intp)
    for bit in range(top - 1, -1, -1):
        is_one = (numbers >> bit) & 1 == 1
        np.cumsum(is_one, out=before[1:])
        ones_start, ones_stop = before[start], before[stop]
        zeros = numbers.size - before[-1]
        needs_one = (least >> bit) & 1 == 1
        # Where the question's bit is 0 a number with a 1 is larger, whatever follows.
        found += np.where(needs_one, 0, ones_stop - ones_start)
        start = np.where(needs_one, zeros + ones_start, start - ones_start)
        stop = np.where(needs_one, zeros + ones_stop, stop - ones_stop)
        numbers = np.concatenate((numbers[~is_one], numbers[is_one]))
    return np.asarray(found + (stop - start), np.intp)

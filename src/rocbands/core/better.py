"""Ranges along an axis in which one of two models is shown to be better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.tolerance import SAME


class BetterRange(NamedTuple):
    """A range along an axis in which one of two models is shown to be better.

    The axis is that of the result: false positive rates, rates, threshold probabilities, or
    operating conditions.

    Attributes
    ----------
    model : {1, 2}
        The better model.
    low, high : float
        Ends of the range.
    """

    model: int
    low: float
    high: float


def find_better_lines(
    x: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[BetterRange, ...]:
    """Find where limits that are straight lines between the points `x` have the same sign."""
    found = [BetterRange(1, *ends) for ends in _find_positive_ranges(x, lower)]
    found += [BetterRange(2, *ends) for ends in _find_positive_ranges(x, -upper)]
    return tuple(sorted(found, key=lambda part: part.low))


def find_better_runs(x: FloatArray, first: BoolArray, second: BoolArray) -> tuple[BetterRange, ...]:
    """Find runs of neighbouring points `x` at which model 1, or model 2, is better.

    `x` (k,): in any order. `first`, `second` (k,): where model 1 and where model 2 is better.
    """
    order = np.argsort(x, kind="stable")
    model = np.where(first, 1, np.where(second, 2, 0))[order]
    ends = np.concatenate(([0], np.flatnonzero(np.diff(model)) + 1, [x.size]))
    return tuple(
        BetterRange(int(model[i]), float(x[order[i]]), float(x[order[j - 1]]))
        for i, j in pairwise(ends)
        if model[i]
    )


def _find_positive_ranges(x: FloatArray, y: FloatArray) -> list[tuple[float, float]]:
    """Ranges in which the line through the points (x, y) is positive, ends at its zeros."""
    positive = y > SAME
    edge = np.diff(positive.astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1) - 1
    return [
        (_find_zero(x, y, int(i), int(i) - 1), _find_zero(x, y, int(j), int(j) + 1))
        for i, j in zip(first, last, strict=True)
    ]


def _find_zero(x: FloatArray, y: FloatArray, inside: int, outside: int) -> float:
    """Where the line from a positive point to its neighbour is 0; at an end, the end itself."""
    if not 0 <= outside < x.size:
        return float(x[inside])
    share = y[inside] / (y[inside] - y[outside])
    return float(x[inside] + share * (x[outside] - x[inside]))


def describe_ranges(
    ranges: Sequence[tuple[float, float]], write: Callable[[float], str] = "{:.3g}".format
) -> str:
    """Name ranges in rising order; of many, or with short gaps, only their ends.

    Examples
    --------
    >>> describe_ranges([(0.02, 0.0393), (0.0426, 0.441), (0.464, 0.684)])
    'between 0.02 and 0.684, with gaps'
    >>> describe_ranges([(0.02, 0.04), (0.1, 0.1)])
    'from 0.02 to 0.04 and at 0.1'
    """
    low, high = ranges[0][0], ranges[-1][1]
    mostly = sum(end - start for start, end in ranges) > (high - low) / 2.0
    if len(ranges) > 2 or (len(ranges) == 2 and mostly):
        return f"between {write(low)} and {write(high)}, {'with gaps' if mostly else 'in parts'}"
    return " and ".join(
        f"from {write(low)} to {write(high)}" if high > low else f"at {write(low)}"
        for low, high in ranges
    )

"""Bins of scores that do not depend on the data: the same on every engine and in every shard.

The bin of a score is its sign, its power of two and the first 12 bits behind it: 4096 bins from
1/2 to 1, 4096 from 1/4 to 1/2, and so on, so a bin is never wider than 1/4096 of the scores that it
holds. Zero has a bin of its own, and so has each infinity. Scores below 2**-126 in size, where
32-bit floats lose digits, share one bin on each side of zero.

A key is a whole number that orders the bins. For x > 0 and e = floor(log2(x)) it is ::

    (e + 126) * 4096 + floor((x / 2**e - 1) * 4096) + 2

1 for what is smaller than 2**-126, 0 for zero, and the key of -x with its sign changed for x < 0.
A rounding error of the logarithm next to a power of two gives the neighbouring e, but the same key:
step -1 of e + 1 and the last step of e are the same bin. So SQL, which has no access to the bits,
finds the same keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray
from rocbands.errors import InputError

STEPS = 4096  # bins for each power of two
LEAST_EXPONENT = -126  # scores below 2**-126 in size share one bin
INFINITE = (1024 - LEAST_EXPONENT) * STEPS + 2  # key of infinity

MOST_WHOLE = 2**53  # whole numbers up to here are exact as floats


def bin_keys(scores: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Return the key of each score's bin; equal numbers have equal keys, whatever their type.

    Scores are floats of 16, 32 or 64 bits, or whole numbers up to 2**53 in size; no NaN.

    Examples
    --------
    >>> bin_keys(np.array([-1.0, 0.0, 1.0, 1.0 + 1 / 4096, np.inf]))
    array([-516098,       0,  516098,  516099, 4710402], dtype=int32)
    """
    floats = _floats(scores)
    keys: npt.NDArray[np.int32]
    # Without its sign bit, a float's bits order its size: exponent first, then the fraction. The
    # first 12 of the 23 (or 52) bits of the fraction are kept.
    if floats.dtype == np.float32:
        keys = floats.view(np.int32) & np.int32(0x7FFFFFFF)
        keys >>= 11
        keys -= STEPS - 2  # the bits count powers of two from 2**-127
    else:
        bits = floats.view(np.int64) & np.int64(0x7FFFFFFFFFFFFFFF)
        bits >>= 40
        keys = bits.astype(np.int32)
        keys -= (1023 + LEAST_EXPONENT) * STEPS - 2
    np.maximum(keys, 1, out=keys)  # what is below 2**-126 in size, zero included
    keys[floats == 0] = 0
    if floats.dtype == np.float32:
        keys[np.isinf(floats)] = INFINITE  # its exponent is 128 here, 1024 in 64 bits
    np.negative(keys, out=keys, where=floats < 0)
    return keys


def _floats(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if scores.dtype.kind in "iub":
        if scores.size and max(-int(scores.min()), int(scores.max())) > MOST_WHOLE:
            raise InputError(
                "Scores in bins must be floats, or whole numbers up to 2**53 in size",
                "found larger ones, which floats would round",
                "Count them exactly, or divide them first.",
            )
        return scores.astype(np.float64)
    scores = scores.astype(scores.dtype.newbyteorder("="), copy=False)
    if scores.dtype not in (np.float16, np.float32, np.float64):
        raise InputError(
            "Scores in bins must be floats or whole numbers",
            f"their type is {scores.dtype}",
            "Convert the column to floats first.",
        )
    widened = scores.astype(np.float32) if scores.dtype == np.float16 else scores
    return np.ascontiguousarray(widened)


def bin_thresholds(keys: npt.NDArray[Any]) -> FloatArray:
    """Return the smallest 64-bit score that each bin can contain.

    Examples
    --------
    >>> bin_thresholds(np.array([516098, 0, -INFINITE]))
    array([  1.,   0., -inf])
    """
    size = np.abs(np.asarray(keys, dtype=np.int64))
    above = _starts(size)
    # Bins of negative scores are mirrored, so that their smallest score is the open end: the
    # largest float below the start of the next bin, negated.
    below = -np.nextafter(_starts(size + 1), 0)
    thresholds = np.where(np.asarray(keys) < 0, below, above)
    return np.where(size == INFINITE, np.copysign(np.inf, keys), thresholds)


def _starts(size: CountArray) -> FloatArray:
    """Smallest magnitude in each bin, counted from zero; 0 for zero itself."""
    step = np.maximum(size - 2, 0)
    with np.errstate(over="ignore"):
        starts = np.ldexp(1 + step % STEPS / STEPS, step // STEPS + LEAST_EXPONENT)
    least = np.where(size == 0, 0.0, np.nextafter(0, 1))
    return np.where(size < 2, least, starts)

"""Law of the positives found over all folds: a sum of independent counts, by Fourier transforms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.rates.consensus import Consensus
from rocbands.rates.law import count_law
from rocbands.rates.table import positions
from rocbands.rates.windowed import window_laws

__all__ = ["total_interval"]

_SAME = 1e-10  # two probabilities closer than this are equal
_ENTRIES = 2_000_000  # of transforms at once


class _Laws(NamedTuple):
    """Laws of counts side by side: the first count of each, and probabilities from there on."""

    first: CountArray
    pmf: FloatArray


def total_interval(
    consensus: Consensus, level: float, copies: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Equal-tailed limits of the sum over all folds, `copies` times over, at each rate."""
    table = consensus.table
    parts = [
        (_laws_at(consensus, n_pos, n_neg), times * copies) for n_pos, n_neg, times in table.kinds
    ]
    first = np.sum([law.first * times for law, times in parts], axis=0)
    length = 1 + sum((law.pmf.shape[1] - 1) * times for law, times in parts)
    size = 1 << (length - 1).bit_length()
    lower, upper = np.zeros((2, first.size))
    block = max(1, _ENTRIES // size)
    for start in range(0, first.size, block):
        rows = slice(start, start + block)
        waves = np.ones(1, np.complex128)
        for law, times in parts:
            waves = waves * np.fft.rfft(law.pmf[rows], size, axis=1) ** times
        pmf = np.fft.irfft(waves, size, axis=1)[:, :length]
        low, high = _limits(pmf, (1.0 - level) / 2.0)
        lower[rows], upper[rows] = first[rows] + low, first[rows] + high
    return lower, upper


def _limits(pmf: FloatArray, tail: float) -> tuple[CountArray, CountArray]:
    """Largest count with at most `tail` below it, smallest with at most `tail` above it."""
    below = np.cumsum(pmf, axis=1) - pmf
    above = np.cumsum(pmf[:, ::-1], axis=1)[:, ::-1] - pmf
    low = np.count_nonzero(below <= tail + _SAME, axis=1) - 1
    high = pmf.shape[1] - np.count_nonzero(above <= tail + _SAME, axis=1)
    return low, high


def _laws_at(consensus: Consensus, n_pos: int, n_neg: int) -> _Laws:
    """Law of one fold's count at each rate.

    Where a rate falls between two places of the fold, one of them is taken by chance, such that
    the rate holds on average.
    """
    curve, place = consensus.curve, positions(consensus.rates, n_pos + n_neg)
    floor, ceil = np.floor(place).astype(np.int64), np.ceil(place).astype(np.int64)
    part = (place - floor)[:, None]
    if consensus.has_whole_laws:
        pmf = count_law(curve, n_pos, n_neg)
        return _Laws(np.zeros(place.size, np.int64), (1.0 - part) * pmf[floor] + part * pmf[ceil])
    whole, at = np.unique(np.concatenate((floor, ceil)), return_inverse=True)
    found = window_laws(curve, n_pos, n_neg, whole)
    low, high = at[: place.size], at[place.size :]
    starts = np.array([start for start, _ in found], np.int64)
    first = np.minimum(starts[low], starts[high])
    ends = starts + [pmf.size for _, pmf in found]
    mixed = np.zeros((place.size, int((np.maximum(ends[low], ends[high]) - first).max())))
    for side, share in ((low, 1.0 - part[:, 0]), (high, part[:, 0])):
        for row, (kind, weight) in enumerate(zip(side, share, strict=True)):
            start, pmf = found[kind]
            offset = start - first[row]
            mixed[row, offset : offset + pmf.size] += weight * pmf
    return _Laws(first, mixed)

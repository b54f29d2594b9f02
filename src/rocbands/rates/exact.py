"""Limits from the exact distribution of the recall of new folds, by convolution.

Millard, Kull and Flach (2014) call the distribution of the sum over folds intractable (after
equation 21). It is a product of Fourier transforms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.method import Extra, Request
from rocbands.rates.consensus import Consensus
from rocbands.rates.distribution import approximate_pmfs, compute_count_pmf
from rocbands.rates.method import MILLARD, Limits, RateMethod
from rocbands.rates.table import find_positions

_SAME = 1e-10  # two probabilities closer than this are equal
_ENTRIES = 2_000_000  # of transforms at once


@dataclass(frozen=True)
class Exact(RateMethod):
    """Quantiles of the exact distribution of a new consensus drawn from the fitted curve.

    Counts of the folds are independent, so the distribution of their sum is a product of
    transforms. Between two ranks of equally large folds limits are interpolated; where folds have
    no ranks in common, each uses one of its two neighbouring ranks at random, such that the rate
    holds on average.
    """

    name: ClassVar[str] = "exact"
    guarantee: ClassVar[str] = "at least the level under the fitted curve, for fixed class sizes"
    idea: ClassVar[str] = "exact distribution of a new consensus under the fitted curve"
    references: ClassVar[tuple[str, ...]] = (MILLARD,)
    handles: ClassVar[tuple[Extra, ...]] = ("future", "folds")

    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        mean = consensus.moments[0] / consensus.size
        sizes, rates = consensus.table.sizes, consensus.rates
        place = find_positions(rates, int(sizes[0]))
        if (sizes != sizes[0]).any() or (place == np.rint(place)).all():
            return Limits(*_limits_at(consensus, request), mean)
        whole = np.unique(np.concatenate((np.floor(place), np.ceil(place))))
        there = Consensus.by_counts(consensus.table, whole / sizes[0])
        lower, upper = (
            np.interp(place, whole, limit)
            for limit in self.confine(there, *_limits_at(there, request))
        )
        return Limits(lower, upper, mean)


def _limits_at(consensus: Consensus, request: Request) -> tuple[FloatArray, FloatArray]:
    if request.future is None:
        lower, upper = find_sum_limits(consensus, request.tail)
    else:  # errors of the fit and of the new data add up
        mean = consensus.moments[0]
        lower, upper = find_sum_limits(consensus, request.tail, copies=2)
        lower, upper = np.floor(lower - mean + 1e-9), np.ceil(upper - mean - 1e-9)
    return lower / consensus.size, upper / consensus.size


def find_sum_limits(
    consensus: Consensus, tail: float, copies: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Equal-tailed limits of the sum over all folds, `copies` times over, at each rate."""
    parts = [
        (*_pmfs_of_fold(consensus, n_pos, n_neg), times * copies)
        for n_pos, n_neg, times in consensus.table.kinds
    ]
    first = np.sum([start * times for start, _, times in parts], axis=0)
    length = 1 + sum((fold.shape[1] - 1) * times for _, fold, times in parts)
    size = 1 << (length - 1).bit_length()  # a power of 2, long enough to prevent wrap-around
    lower, upper = np.zeros((2, first.size))
    block = max(1, _ENTRIES // size)
    for start in range(0, first.size, block):
        rows = slice(start, start + block)
        waves = np.ones(1, np.complex128)
        for _, fold, times in parts:
            waves = waves * np.fft.rfft(fold[rows], size, axis=1) ** times
        pmf = np.fft.irfft(waves, size, axis=1)[:, :length]
        low, high = _find_quantiles(pmf, tail)
        lower[rows], upper[rows] = first[rows] + low, first[rows] + high
    return lower, upper


def _find_quantiles(pmf: FloatArray, tail: float) -> tuple[CountArray, CountArray]:
    """Largest count with at most `tail` below it, smallest with at most `tail` above it."""
    below = np.cumsum(pmf, axis=1) - pmf
    above = np.cumsum(pmf[:, ::-1], axis=1)[:, ::-1] - pmf
    low = np.count_nonzero(below <= tail + _SAME, axis=1) - 1
    high = pmf.shape[1] - np.count_nonzero(above <= tail + _SAME, axis=1)
    return low, high


def _pmfs_of_fold(consensus: Consensus, n_pos: int, n_neg: int) -> tuple[CountArray, FloatArray]:
    """Distribution of one fold's count at each rate: the first count, and the probabilities.

    Where a rate falls between two ranks of the fold, one of them is taken at random, such that the
    rate holds on average: a mixture of two distributions.
    """
    curve, place = consensus.curve, find_positions(consensus.rates, n_pos + n_neg)
    floor, ceil = np.floor(place).astype(np.int64), np.ceil(place).astype(np.int64)
    part = (place - floor)[:, None]
    if consensus.is_small:
        pmf = compute_count_pmf(curve, n_pos, n_neg)
        return np.zeros(place.size, np.int64), (1.0 - part) * pmf[floor] + part * pmf[ceil]
    whole, at = np.unique(np.concatenate((floor, ceil)), return_inverse=True)
    found = approximate_pmfs(curve, n_pos, n_neg, whole)
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
    return first, mixed

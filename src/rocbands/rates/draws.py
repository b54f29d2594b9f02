"""Samples drawn along a fitted curve, as rows of labels by rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtr

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.rates.curve import RateCurve
from rocbands.resample.curves import interpolate_rows

__all__ = [
    "bin_counts",
    "by_blocks",
    "conditional_rows",
    "counts_at",
    "cuts_at",
    "discard_rows",
    "free_rows",
]

_BINS = 400
_NEAR = 2000  # bins more, shared among the places
_CASES = 4_000_000  # drawn at once, so that memory stays small


def by_blocks(draw: Callable[[int], FloatArray], count: int, size: int) -> FloatArray:
    """Put together what `draw` gives for a few samples of `size` cases at a time."""
    most = max(1, _CASES // size)
    return np.concatenate([draw(min(most, count - done)) for done in range(0, count, most)])


def conditional_rows(
    curve: RateCurve, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
) -> BoolArray:
    """Draw samples with exactly these class sizes; none is drawn in vain.

    Given its number of positives, a sample is n_pos rates of the positives' law and n_neg of the
    negatives', in order.
    """
    rates = rng.random((count, n_pos + n_neg))
    rates[:, :n_pos] = np.interp(rates[:, :n_pos], curve.tpr, curve.edges)
    rates[:, n_pos:] = np.interp(rates[:, n_pos:], curve.fpr, curve.edges)
    positive = np.zeros(n_pos + n_neg, np.bool_)
    positive[:n_pos] = True
    return _by_rate(rates, positive)


def free_rows(curve: RateCurve, size: int, count: int, rng: np.random.Generator) -> BoolArray:
    """Draw samples whose number of positives is left to chance, but with both classes."""
    rows = np.empty((0, size), np.bool_)
    while rows.shape[0] < count:
        drawn = _Drawn.along(curve, (count - rows.shape[0], size), rng)
        found = np.count_nonzero(drawn.positive, axis=1)
        both = (found > 0) & (found < size)
        rows = np.concatenate((rows, drawn.sorted(curve, both)))
    return rows


def discard_rows(
    curve: RateCurve, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
) -> BoolArray:
    """Draw samples and keep those with n_pos positives: what `conditional_rows` does, slowly."""
    size = n_pos + n_neg
    own = curve.at_prevalence(n_pos / size)
    rows = np.empty((0, size), np.bool_)
    block = max(200, min(4 * count, _CASES // size))
    while rows.shape[0] < count:
        drawn = _Drawn.along(own, (block, size), rng)
        kept = np.count_nonzero(drawn.positive, axis=1) == n_pos
        rows = np.concatenate((rows, drawn.sorted(own, kept)))
    return rows[:count]


def bin_counts(
    curve: RateCurve,
    n_pos: int,
    n_neg: int,
    place: FloatArray,
    count: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Positives among the first cases of large samples, at each place, without drawing the cases.

    Classes are drawn in bins of the rate; within the bin that holds a place the order is random.
    """
    own = curve.at_prevalence(n_pos / (n_pos + n_neg))
    edges = _bins_for(own, n_pos + n_neg, place)
    draws = [
        np.cumsum(rng.multinomial(size, _steps(edges, own.edges, rate), count), axis=1)
        for size, rate in ((n_pos, own.tpr), (n_neg, own.fpr))
    ]
    tp, fp = (np.pad(running, ((0, 0), (1, 0))) for running in draws)
    k = np.floor(place + rng.random((count, 1)))  # a place in between is one of its neighbours
    rank = tp + fp
    far = n_pos + n_neg + 1
    shift = np.arange(count)[:, None] * far
    at = np.searchsorted((rank + shift).ravel(), (k + shift).ravel(), side="left")
    bins = np.maximum(at.reshape(k.shape) - np.arange(count)[:, None] * rank.shape[1] - 1, 0)
    start = np.take_along_axis(tp, bins, axis=1)
    good = np.take_along_axis(tp, bins + 1, axis=1) - start
    other = np.take_along_axis(fp, bins, axis=1)
    bad = np.take_along_axis(fp, bins + 1, axis=1) - other
    drawn = (k - start - other).astype(np.int64)
    return np.asarray(start + rng.hypergeometric(good, bad, drawn), np.float64)


def counts_at(rows: BoolArray, place: FloatArray) -> FloatArray:
    """Positives among the first cases of each row, at each place."""
    running = _running(rows)
    floor, ceil = np.floor(place).astype(np.int64), np.ceil(place).astype(np.int64)
    part = place - floor
    return (1.0 - part) * running[:, floor] + part * running[:, ceil]


def cuts_at(rows: BoolArray, prevalence: float, rates: FloatArray) -> FloatArray:
    """Recall where each row's ROC curve meets the isometrics of a prevalence."""
    tp = _running(rows)
    fp = np.arange(tp.shape[1]) - tp
    tpr, fpr = tp / tp[:, -1:], fp / fp[:, -1:]
    at = np.broadcast_to(rates, (rows.shape[0], rates.size))
    return interpolate_rows(at, prevalence * tpr + (1.0 - prevalence) * fpr, tpr)


class _Drawn(NamedTuple):
    """Cases drawn rate-first: the bin of the rate, a share of the bin, and the label it decides.

    One uniform number serves both: below the bin's share of positives it makes a positive, and
    what it is within its own part is uniform again, and the place in the bin.
    """

    bins: IndexArray
    within: FloatArray
    positive: BoolArray

    @classmethod
    def along(cls, curve: RateCurve, shape: tuple[int, int], rng: np.random.Generator) -> _Drawn:
        last = curve.share.size - 1
        scaled = rng.random(shape)
        if curve.even:
            scaled *= last + 1
        else:
            scaled = np.interp(scaled, curve.edges, np.arange(last + 2.0))
        bins = np.minimum(scaled.astype(np.intp), last)
        scaled -= bins
        return cls(bins, scaled, scaled < curve.share[bins])

    def sorted(self, curve: RateCurve, kept: BoolArray) -> BoolArray:
        """Labels of the rows that are kept, by rate."""
        bins, within, positive = self.bins[kept], self.within[kept], self.positive[kept]
        share = curve.share[bins]
        own = np.where(positive, within, within - share)
        place = bins + own / np.where(positive, share, 1.0 - share)
        return _by_rate(place, positive)


def _by_rate(rates: FloatArray, positive: BoolArray) -> BoolArray:
    """Sort each row's labels by rate.

    Positive floats are ordered as whole numbers of the same bits; the last bit of each carries
    the label, and one plain sort does all.
    """
    keys = (rates.view(np.int64) & ~np.int64(1)) | positive
    keys.sort(axis=1)
    return np.asarray(keys & 1, np.bool_)


def _running(rows: BoolArray) -> FloatArray:
    running = np.zeros((rows.shape[0], rows.shape[1] + 1))
    np.cumsum(rows, axis=1, out=running[:, 1:])
    return running


def _bins_for(curve: RateCurve, size: int, place: FloatArray) -> FloatArray:
    """Edges of bins: everywhere, and close together where the case at a place may come from.

    The share of positives is averaged within a bin. Near the first rates, where it falls fastest,
    an even bin would mix cases that a place keeps apart.
    """
    k = np.unique(np.clip(np.rint(place), 1, size - 1))[:, None]
    levels = ndtr(np.linspace(-4.0, 4.0, int(np.clip(_NEAR // k.size, 8, 100))))
    near = betaincinv(k, size - k + 1.0, levels)
    wanted = np.concatenate((np.linspace(0.0, 1.0, _BINS + 1), near.ravel()))
    # Edges of the curve, so that bins of one width with its own lose nothing.
    return np.unique(curve.edges[np.searchsorted(curve.edges, np.minimum(wanted, 1.0))])


def _steps(edges: FloatArray, knots: FloatArray, values: FloatArray) -> FloatArray:
    steps = np.diff(np.interp(edges, knots, values))
    return np.asarray(steps / steps.sum())

"""Limits from folds drawn from the fitted curve: a parametric bootstrap.

Three methods share the file: they differ in how the labels of a fold are drawn (Millard, Kull and
Flach 2014, section 6, equations 30 to 32). The draws are here, not in `resample`, because they
follow a curve of rates; chunks and streams are those of `resample.streams`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np
from scipy.special import betaincinv, ndtr

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.method import Extra, Request, Resampling
from rocbands.errors import InputError, Message, arg
from rocbands.rates.consensus import LARGE, Consensus, Scheme
from rocbands.rates.method import MILLARD, Limits, RateMethod
from rocbands.rates.table import RateCurve, find_positions
from rocbands.resample.curves import interpolate_rows
from rocbands.resample.quantiles import check_enough_draws, empirical_interval, interval_error
from rocbands.resample.streams import run_chunks

_BINS = 400
_NEAR = 2000  # additional bins, shared among the ranks
_CASES = 4_000_000  # drawn at once, so that memory stays small


@dataclass(frozen=True)
class _Bootstrap(Resampling, RateMethod):
    """Percentiles of the consensus over drawn tables."""

    guarantee: ClassVar[str] = "about the level, for fixed class sizes (measured)"
    references: ClassVar[tuple[str, ...]] = (MILLARD,)
    handles: ClassVar[tuple[Extra, ...]] = ("future", "folds")

    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        check_enough_draws(self.n_resamples, request.tail, request.level)
        times = 1 if request.future is None else 2
        drawn = self.draw(consensus, request.rng, times)
        mean = drawn[: self.n_resamples].mean(axis=0)
        if times == 2:  # errors of the fit and of the new data add up
            drawn = drawn[: self.n_resamples] + drawn[self.n_resamples :] - mean
        request.simulated(self.n_resamples, interval_error(drawn, request.level))
        return Limits(*empirical_interval(drawn, request.level), mean)

    def draw(self, consensus: Consensus, rng: np.random.Generator, times: int = 1) -> FloatArray:
        """Return the recall of drawn tables at each rate, one row for each table."""

        def draw_chunk(count: int, stream: np.random.Generator) -> FloatArray:
            total = np.zeros((count, consensus.rates.size))
            for n_pos, n_neg, folds in consensus.table.kinds:
                found = self._draw_folds(consensus, n_pos, n_neg, count * folds, stream)
                total += found.reshape(count, folds, -1).sum(axis=1)
            return total / consensus.size

        return np.concatenate(run_chunks(draw_chunk, times * self.n_resamples, rng))

    @abstractmethod
    def _draw_folds(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw folds of one kind: the positives that each adds to the table at each rate."""


@dataclass(frozen=True)
class Conditional(_Bootstrap):
    """Percentiles over tables drawn along the fitted curve, given each fold's class sizes."""

    name: ClassVar[str] = "conditional"
    idea: ClassVar[str] = "tables drawn along the fitted curve, with the folds' class sizes"
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)

    def _draw_folds(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        curve, size = consensus.curve, n_pos + n_neg
        place = find_positions(consensus.rates, size)
        if consensus.scheme == "counts" and size > LARGE and n_pos and n_neg:
            return draw_counts_in_bins(curve, n_pos, n_neg, place, count, rng)

        def draw(some: int) -> FloatArray:
            rows = draw_labels(curve, n_pos, n_neg, some, rng)
            if consensus.scheme == "counts":
                return count_at(rows, place)
            return positives * cut_at_rates(rows, consensus.prevalence, consensus.rates)

        same = (consensus.table.n_pos == n_pos) & (consensus.table.n_neg == n_neg)
        positives = consensus.size * float(consensus.weight[np.argmax(same)])
        return _in_blocks(draw, count, size)


@dataclass(frozen=True)
class Discard(_Bootstrap):
    """As `Conditional`, by rejection: samples with other class sizes are discarded.

    The distribution is the same, but drawing takes longer; this is the paper's algorithm.
    """

    name: ClassVar[str] = "discard"
    idea: ClassVar[str] = (
        "tables drawn along the fitted curve, those of other class sizes discarded"
    )

    def _draw_folds(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        size = n_pos + n_neg
        if size > LARGE:
            raise InputError(
                f"Discarding takes too long beyond {LARGE} rows in a fold",
                f"there are {size}",
                Message("Use {}, which has the same distribution.", arg("method", "conditional")),
            )
        place = find_positions(consensus.rates, size)
        if not n_pos or not n_neg:
            return np.broadcast_to(place * (n_pos > 0), (count, place.size))
        return count_at(draw_by_discarding(consensus.curve, n_pos, n_neg, count, rng), place)


@dataclass(frozen=True)
class Adjust(_Bootstrap):
    """Percentiles over samples of any class sizes, rescaled to those of the folds.

    Each sample's ROC curve is evaluated at the folds' own rates. Unlike the other two, the
    distribution is continuous, and so slightly less conservative.
    """

    name: ClassVar[str] = "adjust"
    idea: ClassVar[str] = "tables drawn along the fitted curve, stretched to the class sizes"

    def _draw_folds(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        size = n_pos + n_neg
        if not n_pos or not n_neg:
            place = find_positions(consensus.rates, size)
            return np.broadcast_to(place * (n_pos > 0), (count, place.size))
        own = consensus.curve.at_prevalence(n_pos / size)

        def draw(some: int) -> FloatArray:
            rows = draw_any_labels(own, size, some, rng)
            return n_pos * cut_at_rates(rows, n_pos / size, consensus.rates)

        return _in_blocks(draw, count, size)


# How samples are drawn


def draw_labels(
    curve: RateCurve, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
) -> BoolArray:
    """Draw samples with exactly these class sizes, without discarding any.

    Given its class sizes, a sample is n_pos rates from the positives' distribution and n_neg from
    the negatives', sorted.
    """
    rates = rng.random((count, n_pos + n_neg))
    rates[:, :n_pos] = np.interp(rates[:, :n_pos], curve.tpr, curve.edges)
    rates[:, n_pos:] = np.interp(rates[:, n_pos:], curve.fpr, curve.edges)
    return _sort_labels(rates, np.arange(n_pos + n_neg) < n_pos)


def draw_any_labels(curve: RateCurve, size: int, count: int, rng: np.random.Generator) -> BoolArray:
    """Draw samples whose number of positives is random; both classes occur."""
    rows = np.empty((0, size), np.bool_)
    while rows.shape[0] < count:
        block = count - rows.shape[0]
        drawn = _draw_and_keep(curve, block, size, lambda found: (found > 0) & (found < size), rng)
        rows = np.concatenate((rows, drawn))
    return rows


def draw_by_discarding(
    curve: RateCurve, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
) -> BoolArray:
    """Draw samples and keep those with n_pos positives: a slow equivalent of `draw_labels`."""
    size = n_pos + n_neg
    own = curve.at_prevalence(n_pos / size)
    rows = np.empty((0, size), np.bool_)
    block = max(200, min(4 * count, _CASES // size))
    while rows.shape[0] < count:
        drawn = _draw_and_keep(own, block, size, lambda found: found == n_pos, rng)
        rows = np.concatenate((rows, drawn))
    return rows[:count]


def _draw_and_keep(
    curve: RateCurve,
    count: int,
    size: int,
    is_kept: Callable[[CountArray], BoolArray],
    rng: np.random.Generator,
) -> BoolArray:
    """Draw samples rate-first, and return the labels of those whose number of positives is kept.

    One uniform number gives the rate of a case: its bin, and its position within the bin. The case
    is positive if the position is below the bin's share of positives; given the label, the
    rescaled position is uniform again, and orders the cases of the bin.
    """
    last = curve.share.size - 1
    within = rng.random((count, size))
    if curve.even:
        within *= last + 1
    else:
        within = np.interp(within, curve.edges, np.arange(last + 2.0))
    bins = np.minimum(within.astype(np.intp), last)
    within -= bins
    positive = within < curve.share[bins]
    kept = is_kept(np.count_nonzero(positive, axis=1))
    bins, within, positive = bins[kept], within[kept], positive[kept]
    share = curve.share[bins]
    own = np.where(positive, within, within - share)
    return _sort_labels(bins + own / np.where(positive, share, 1.0 - share), positive)


def draw_counts_in_bins(
    curve: RateCurve,
    n_pos: int,
    n_neg: int,
    place: FloatArray,
    count: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Positives among the first cases of large samples, at each rank, without drawing the cases.

    Classes are drawn in bins of the rate (multinomial); within the bin that contains a rank the
    order is random, so the positives before it are hypergeometric.
    """
    own = curve.at_prevalence(n_pos / (n_pos + n_neg))
    edges = _choose_bins(own, n_pos + n_neg, place)
    draws = [
        np.cumsum(rng.multinomial(size, _steps_between(edges, own.edges, rate), count), axis=1)
        for size, rate in ((n_pos, own.tpr), (n_neg, own.fpr))
    ]
    tp, fp = (np.pad(running, ((0, 0), (1, 0))) for running in draws)
    k = np.floor(place + rng.random((count, 1)))  # a fractional rank is rounded at random
    # One search for all rows: row i is shifted by i times more than any rank.
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


def count_at(rows: BoolArray, place: FloatArray) -> FloatArray:
    """Positives among the first cases of each row, at each rank."""
    running = _cumulate(rows)
    floor, ceil = np.floor(place).astype(np.int64), np.ceil(place).astype(np.int64)
    part = place - floor
    return (1.0 - part) * running[:, floor] + part * running[:, ceil]


def cut_at_rates(rows: BoolArray, prevalence: float, rates: FloatArray) -> FloatArray:
    """Recall where each row's ROC curve meets the isometrics of a prevalence."""
    tp = _cumulate(rows)
    fp = np.arange(tp.shape[1]) - tp
    tpr, fpr = tp / tp[:, -1:], fp / fp[:, -1:]
    at = np.broadcast_to(rates, (rows.shape[0], rates.size))
    return interpolate_rows(at, prevalence * tpr + (1.0 - prevalence) * fpr, tpr)


def _sort_labels(rates: FloatArray, positive: BoolArray) -> BoolArray:
    """Sort each row's labels by rate.

    Positive floats are ordered as whole numbers of the same bits; the last bit of each carries
    the label, and one plain sort does all.
    """
    keys = (rates.view(np.int64) & ~np.int64(1)) | positive
    keys.sort(axis=1)
    return np.asarray(keys & 1, np.bool_)


def _cumulate(rows: BoolArray) -> FloatArray:
    running = np.zeros((rows.shape[0], rows.shape[1] + 1))
    np.cumsum(rows, axis=1, out=running[:, 1:])
    return running


def _in_blocks(draw: Callable[[int], FloatArray], count: int, size: int) -> FloatArray:
    """Join the results of `draw` for a few samples of `size` cases at a time."""
    most = max(1, _CASES // size)
    return np.concatenate([draw(min(most, count - done)) for done in range(0, count, most)])


def _choose_bins(curve: RateCurve, size: int, place: FloatArray) -> FloatArray:
    """Bin edges: everywhere, but closer near the rates of cases at the given ranks.

    The share of positives is averaged within a bin. Near the first rates, where it falls fastest,
    wide bins would mix cases of different ranks.
    """
    k = np.unique(np.clip(np.rint(place), 1, size - 1))[:, None]
    levels = ndtr(np.linspace(-4.0, 4.0, int(np.clip(_NEAR // k.size, 8, 100))))
    near = betaincinv(k, size - k + 1.0, levels)
    wanted = np.concatenate((np.linspace(0.0, 1.0, _BINS + 1), near.ravel()))
    # Include edges of the curve, so that bins of the same width lose nothing.
    return np.unique(curve.edges[np.searchsorted(curve.edges, np.minimum(wanted, 1.0))])


def _steps_between(edges: FloatArray, knots: FloatArray, values: FloatArray) -> FloatArray:
    steps = np.diff(np.interp(edges, knots, values))
    return np.asarray(steps / steps.sum())

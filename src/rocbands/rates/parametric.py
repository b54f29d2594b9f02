"""Limits from a beta distribution with the moments of the recall of new folds.

The method of Millard, Kull and Flach (2014), section 5, with exact moments and one pseudo count of
either class: formula (R5) of docs/formulas.md. It needs only two moments, so it works for test sets
and future test sets of any size, and for counts in bins.

Bins: at every rate the distribution of the positives found lies between those of the two extreme
orders within bins. Both can be drawn with the same cases in every bin; then they differ only by the
bin that case k falls into, and by no more than its number of the rarer class. That bounds the
difference of the standard deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, get_args

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, check_flag
from rocbands.core.method import Extra, Request
from rocbands.core.roc import RocCurve
from rocbands.rates.consensus import Consensus, Scheme, compute_sample_moments
from rocbands.rates.method import MILLARD, Limits, RateMethod
from rocbands.rates.scaled_beta import scaled_beta_interval
from rocbands.rates.table import RateTable

_FAR = 10.0  # standard deviations: no case is farther from its expected rank


@dataclass(frozen=True)
class Parametric(RateMethod):
    """Quantiles of a beta distribution with the mean and the variance that the fitted curve gives.

    One pseudo count is added at either end of the range. Without it the limits would exclude the
    ends, which have most of the probability at the first and last rates; and where the rows show no
    negative among the cases acted on, or no positive among the others, the fitted curve has none
    either, and the limits would be too narrow for those of the population. For a future test set
    its variance is added to that of the observed one; the sizes may differ if there are no folds
    and no bins.

    Parameters
    ----------
    continuity : bool, default True
        Whether a count is added on both sides; False gives the method of the paper.
    """

    name: ClassVar[str] = "parametric"
    guarantee: ClassVar[str] = "about the level, for fixed class sizes (measured)"
    idea: ClassVar[str] = "beta distribution with the exact moments of a new consensus"
    references: ClassVar[tuple[str, ...]] = (MILLARD,)
    handles: ClassVar[tuple[Extra, ...]] = ("future", "folds", "bins")
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)
    any_future: ClassVar[bool] = True

    continuity: bool = True

    def __post_init__(self) -> None:
        check_flag(self.continuity, "continuity")

    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        if consensus.table.binned:
            return self._find_limits_in_bins(consensus, request)
        size, mean, variance = self.find_moments(consensus, request.future)
        limits = self._fit(consensus, size, mean, variance, request.level)
        return Limits(*limits, mean / size)

    def compute_moments(self, consensus: Consensus) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of recall times size in new folds along the fitted curve.

        Variants that approximate them, such as the 99 nodes of equation 17, override it.
        """
        return consensus.moments

    def find_moments(
        self, consensus: Consensus, future: tuple[int, int] | None
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return a number of positives, and mean and variance of recall times that number.

        For a future test set it is the variance of the difference from the observed count: both
        vary.
        """
        mean, variance = self.compute_moments(consensus)
        if future is None:
            return consensus.size, mean, variance
        if consensus.n_folds > 1 or future == consensus.table.totals:
            return consensus.size, mean, 2.0 * variance
        n_pos, n_neg = future
        new_mean, new_variance = compute_sample_moments(
            consensus.curve, n_pos, n_neg, consensus.rates
        )
        return n_pos, new_mean, new_variance + (n_pos / consensus.size) ** 2 * variance

    def _fit(
        self,
        consensus: Consensus,
        size: float,
        mean: FloatArray,
        variance: FloatArray,
        level: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Quantiles of the beta distribution on the feasible counts (equations 26 to 29)."""
        lower, upper = scaled_beta_interval(mean, *self.widen(consensus, size, variance), level)
        return lower / size, upper / size

    def widen(
        self, consensus: Consensus, size: float, variance: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return variance and range of a count with one pseudo count at either end: formula (R5).

        A binomial count x of w would give Beta(x + 1, w - x + 1), times w + 2, less 1.
        """
        low, high = size * consensus.low, size * consensus.high
        width = high - low
        open_range = width > 1e-9
        # A count of the observed rows corresponds to more than one of a larger future test set.
        one = np.where(self.continuity & open_range, max(size / consensus.size, 1.0), 0.0)
        total = np.where(open_range, width + 3.0 * one, 1.0)
        return (width * (variance + one**2) + one**3) / total, low - one, high + one

    def _find_limits_in_bins(self, consensus: Consensus, request: Request) -> Limits:
        """Return limits that contain those of every order of the scores inside the bins."""
        roc, size = consensus.table.roc, consensus.size
        assert roc is not None
        ranges = bound_moments(self, roc, consensus.rates, request.future)
        corners = [
            self._fit(consensus, size, mean, sd**2, request.level)
            for mean in (ranges.least_mean, ranges.most_mean)
            for sd in (ranges.least_sd, ranges.most_sd)
        ]
        lower = np.min([limits[0] for limits in corners], axis=0)
        upper = np.max([limits[1] for limits in corners], axis=0)
        # For unimodal distributions the widest limits are at a corner of the box of moments. For
        # others Cantelli's inequality bounds the limits of any distribution with such moments.
        most, low, high = self.widen(consensus, size, ranges.most_sd**2)
        peaked = _is_peaked(ranges.least_mean, most, low, high)
        peaked &= _is_peaked(ranges.most_mean, most, low, high)
        reach = np.sqrt(most * (1.0 - request.tail) / request.tail)
        lowest, highest = (ranges.least_mean - reach) / size, (ranges.most_mean + reach) / size
        return Limits(
            np.where(peaked, lower, lowest),
            np.where(peaked, upper, highest),
            (ranges.least_mean + ranges.most_mean) / (2.0 * size),
        )


def _is_peaked(
    mean: FloatArray, variance: FloatArray, low: FloatArray, high: FloatArray
) -> BoolArray:
    """Tell where the beta distribution is clearly unimodal: both parameters are above 2."""
    width = np.maximum(high - low, 1e-300)
    share = np.clip((mean - low) / width, 0.0, 1.0)
    cases = share * (1.0 - share) * width**2 / np.maximum(variance, 1e-300) - 1.0
    return np.asarray(np.minimum(share, 1.0 - share) * cases > 2.0)


class MomentRanges(NamedTuple):
    """Bounds of the mean and of the standard deviation of a count."""

    least_mean: FloatArray
    most_mean: FloatArray
    least_sd: FloatArray
    most_sd: FloatArray


def bound_moments(
    method: Parametric, roc: RocCurve, rates: FloatArray, future: tuple[int, int] | None
) -> MomentRanges:
    """Bound mean and standard deviation of recall times size over all orders inside the bins."""
    ends = [Consensus.by_counts(RateTable.from_roc(end), rates) for end in roc.extremes]
    (_, least, one), (_, most, other) = (method.find_moments(end, future) for end in ends)
    sd = np.sqrt((one, other))
    off = _bound_difference(roc, rates, np.maximum(most - least, 0.0))
    off *= 1.0 if future is None else 2.0**0.5  # two such test sets, independent of each other
    return MomentRanges(
        np.minimum(least, most),
        np.maximum(least, most),
        np.maximum(sd.min(axis=0) - off, 0.0),
        sd.max(axis=0) + off,
    )


def _bound_difference(roc: RocCurve, rates: FloatArray, apart: FloatArray) -> FloatArray:
    """Bound the root mean square of the difference D between the extremes' counts.

    D is at most r, the number of the rarer class in the bin that case k falls into. A count with
    mean p has a mean square of at most p^2 + p; and D^2 is at most D times the largest r.
    """
    rarest = _count_rarer_class(roc, rates)
    most = rarest + 3.0 * np.sqrt(rarest) + 3.0
    return np.sqrt(np.minimum(rarest**2 + rarest, apart * most))


def _count_rarer_class(roc: RocCurve, rates: FloatArray) -> FloatArray:
    """Return the largest number of the rarer class in a bin that case k may fall into."""
    neg, pos = (np.diff(side, prepend=0) for side in (roc.fp, roc.tp))
    rarer = np.append(np.minimum(neg, pos), 0).astype(np.float64)
    n = roc.n_pos + roc.n_neg
    far = _FAR * np.sqrt(rates * (1.0 - rates) / n) + _FAR / n
    above = np.concatenate(([0], roc.fp + roc.tp)) / n
    first = np.clip(np.searchsorted(above, rates - far, side="right") - 1, 0, neg.size - 1)
    last = np.clip(np.searchsorted(above, rates + far, side="left"), first + 1, neg.size)
    # reduceat takes [first, last) and then [last, next first): every second segment is a window.
    return np.maximum.reduceat(rarer, np.stack((first, last), axis=1).ravel())[::2]

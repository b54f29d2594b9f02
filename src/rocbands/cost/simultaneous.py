"""How far a difference of costs strays at all conditions at once, in standard errors.

Each case is multiplied by a normal number of its own; the largest sum over conditions, in standard
errors, has the quantile that a pointwise normal quantile is replaced by (sup-t). The sums are
normal, so that their covariance says all: it is counted from a table of ranks, and a draw costs the
same however many cases there are.

All conditions with any spread are counted, those with next to no discordant cases as well: limits
are given there, too.
"""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.cost.paired_counts import Calls
from rocbands.cost.paired_moments import Contrast
from rocbands.resample.quantiles import order_statistic
from rocbands.resample.streams import in_chunks

__all__ = ["Multiplied", "covariance", "critical_value"]

MOST_CONDITIONS = 2048  # whose covariance is written down; beyond, cases are multiplied
MOST_NUMBERS = 2**22  # drawn at once
RIDGE = 1e-9  # a variance that no quantile feels, and that makes a covariance invertible
ROUNDING = 1e-12  # of a sum of squares: what is left of it beneath may be rounding alone


def critical_value(
    calls: tuple[Calls, Calls],
    contrast: Contrast,
    level: float,
    n_draws: int,
    rng: np.random.Generator,
) -> float:
    """Quantile of the largest of all standardised differences; 0 if no condition has any spread.

    Parameters
    ----------
    calls : tuple of two Calls
        Of the positives and of the negatives.
    contrast : Contrast
        The difference of costs.
    level : float
        Confidence level.
    n_draws : int
        Number of random draws.
    rng : Generator
        Source of randomness.
    """
    squares = (contrast.unit**2 * (contrast.for_1 + contrast.for_2)).sum(axis=0)
    kept = np.flatnonzero(contrast.variance > ROUNDING * squares)
    if kept.size == 0:
        return 0.0
    if kept.size < contrast.mean.size:
        calls, contrast = (calls[0].at(kept), calls[1].at(kept)), contrast.at(kept)
    error = np.sqrt(contrast.variance)
    if kept.size <= MOST_CONDITIONS:
        both = covariance(calls, contrast) / np.outer(error, error)
        root = _root(both)

        def sums(draws: int, stream: np.random.Generator) -> FloatArray:
            return stream.standard_normal((draws, kept.size)) @ root

        size = max(1, MOST_NUMBERS // kept.size)
    else:
        multiplied = Multiplied(calls, contrast)

        def sums(draws: int, stream: np.random.Generator) -> FloatArray:
            return np.asarray(multiplied.draw(draws, stream) / error)

        size = max(1, MOST_NUMBERS // multiplied.width)

    def largest(draws: int, stream: np.random.Generator) -> FloatArray:
        return np.asarray(np.abs(sums(draws, stream)).max(axis=1))

    drawn = in_chunks(largest, n_draws, rng, size=min(size, 125))
    return order_statistic(np.concatenate(drawn), level)


def _root(correlation: FloatArray) -> FloatArray:
    """Return a matrix R with R'R = `correlation`, whose small digits may be rounding."""
    try:
        ridge = RIDGE * np.eye(correlation.shape[0])
        return np.asarray(np.linalg.cholesky(correlation + ridge).T, np.float64)
    except np.linalg.LinAlgError:  # where nearly all rows move alike little but rounding is left
        values, vectors = np.linalg.eigh(correlation)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))).T)


def covariance(calls: tuple[Calls, Calls], contrast: Contrast) -> FloatArray:
    """Covariance of the differences of costs between conditions."""
    moved = contrast.for_1 - contrast.for_2
    total = np.zeros((moved.shape[1],) * 2)
    for own, unit, step, size in zip(calls, contrast.unit, moved, contrast.sizes, strict=True):
        products = _products(own)
        if not contrast.full:
            products -= np.outer(step, step) / size
        total += np.outer(unit, unit) * products
    if contrast.full:
        total -= np.outer(contrast.mean, contrast.mean) / contrast.sizes[0]
    return total


def _products(calls: Calls) -> FloatArray:
    """Sum over cases of d_i d_j, with d = 1 where only classifier 1 calls a case, -1 where only 2.

    With a, b the calls of 1 and 2, (a - b)(a' - b') is aa' + bb' - ab' - a'b: two counts of cases
    that reach the higher of two thresholds, and a table of cases that reach one of each kind.
    """
    shape = tuple(
        max(int(rank.max(initial=0)), int(least.max(initial=0))) + 1
        for rank, least in ((calls.rank_1, calls.least_1), (calls.rank_2, calls.least_2))
    )
    cells = calls.rank_1 * shape[1] + calls.rank_2
    table = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    reach = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    crossed = reach[np.ix_(calls.least_1, calls.least_2)]
    by_1 = reach[:, 0][np.maximum.outer(calls.least_1, calls.least_1)]
    by_2 = reach[0, :][np.maximum.outer(calls.least_2, calls.least_2)]
    return np.asarray(by_1 + by_2 - crossed - crossed.T, np.float64)


class Multiplied:
    """Draws of the sums themselves, for more conditions than a covariance can be held for.

    Cases that reach the same thresholds share one normal number with their number as variance.
    """

    def __init__(self, calls: tuple[Calls, Calls], contrast: Contrast) -> None:
        self._parts = [_Part(own) for own in calls]
        self._contrast = contrast
        self.width = sum(part.width for part in self._parts) + contrast.mean.size

    def draw(self, draws: int, stream: np.random.Generator) -> FloatArray:
        """Draw sums at all conditions, one row for each draw."""
        contrast = self._contrast
        total, everything = np.zeros((draws, contrast.mean.size)), np.zeros((draws, 1))
        moved = contrast.for_1 - contrast.for_2
        # A call of a positive by classifier 1 alone is to its credit, that of a negative is not.
        for part, unit, step, size, sign in zip(
            self._parts, contrast.unit, moved, contrast.sizes, (1.0, -1.0), strict=True
        ):
            sums, whole = part.draw(draws, stream)
            everything += whole
            centre = 0.0 if contrast.full else whole * step / size
            total += unit * (sign * sums - centre)
        if contrast.full:
            total -= everything * contrast.mean / contrast.sizes[0]
        return total


class _Part:
    """The cases of one class, those with equal ranks together."""

    def __init__(self, calls: Calls) -> None:
        cells = calls.rank_1 * (int(calls.rank_2.max()) + 1) + calls.rank_2
        _, where, many = np.unique(cells, return_index=True, return_counts=True)
        self._scale = np.sqrt(many)
        self._sides = []
        for rank, least in (
            (calls.rank_1[where], calls.least_1),
            (calls.rank_2[where], calls.least_2),
        ):
            order = np.argsort(rank, kind="stable")
            self._sides.append((order, np.searchsorted(rank[order], least)))
        self.width = int(many.size)

    def draw(self, draws: int, stream: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw sums of calls of 1 minus calls of 2, and the sum of all multipliers."""
        numbers = stream.standard_normal((draws, self.width)) * self._scale
        called = []
        for order, first in self._sides:
            before = np.zeros((draws, self.width + 1))
            np.cumsum(numbers[:, order], axis=1, out=before[:, 1:])
            called.append(before[:, -1:] - before[:, first])
        return called[0] - called[1], before[:, -1:]

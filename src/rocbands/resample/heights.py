"""The exact distribution of the resampled curve's height at a fixed false positive rate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import bdtr, betainc, betainccinv, betaincinv, ndtri

from rocbands._math.ragged import expand_ranges
from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME, SLACK

_NEVER = 1e-17  # smaller probabilities are neglected


@dataclass(frozen=True, eq=False)
class BinomialMixtures:
    """Several distributions, each a mixture of binomial counts of `size` cases.

    Examples
    --------
    >>> fair = BinomialMixtures(10, np.array([1.0]), np.array([0.5]), np.array([0]))
    >>> low, high = fair.interval(0.9)
    >>> print(fair.mean, fair.variance, low, high)
    [5.] [2.5] [2.] [8.]
    """

    size: int  # number of cases
    # weight, share: (terms,) weight and success probability of each term; the terms of a
    # distribution are contiguous.
    weight: FloatArray
    share: FloatArray
    first: IndexArray  # (k,) index of each distribution's first term

    @cached_property
    def mean(self) -> FloatArray:
        """Expected count of each."""
        return self.size * self._total(self.share)

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of each one's count: n E[p (1 - p)] within the terms, n^2 Var(p) between."""
        apart = self.share - self._each(self.mean) / self.size
        within = self.share * (1.0 - self.share)
        return self.size * self._total(within) + self.size**2 * self._total(apart**2)

    def cdf(self, count: FloatArray) -> FloatArray:
        """Probability that each one's count is at most `count`, one whole number for each."""
        inside = self._each(np.clip(count, 0.0, self.size))
        at_most: FloatArray = np.asarray(bdtr(inside, self.size, self.share), np.float64)
        return np.where(count < 0.0, 0.0, self._total(at_most))

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest count after cutting off (1 - level) / 2 at both ends."""
        tail = (1.0 - level) / 2.0
        return self._first_above(tail + SAME), self._first_above(1.0 - tail - SAME)

    def _first_above(self, target: float) -> FloatArray:
        """Smallest count whose distribution function exceeds `target`, by bisection."""
        # Two probes beside the normal approximation save most bisection steps.
        spread = np.sqrt(np.maximum(self.variance, 0.0))
        guess = self.mean + ndtri(target) * spread
        below = np.full(self.first.size, -1.0)  # the function is at most `target` here,
        enough = np.full(self.first.size, float(self.size))  # and above it here
        for probe in (guess - 0.1 * spread - 1.0, guess + 0.1 * spread + 1.0):
            self._narrow(below, enough, np.floor(probe), target)
        while (enough - below > 1.0).any():
            self._narrow(below, enough, np.floor((below + enough) / 2.0), target)
        return enough

    def _narrow(
        self, below: FloatArray, enough: FloatArray, probe: FloatArray, target: float
    ) -> None:
        # A probe outside the bracket is moved to its end, where it has no effect.
        probe = np.clip(probe, np.maximum(below, 0.0), enough)
        above = (self.cdf(probe) > target) | (probe >= enough)
        enough[above] = probe[above]
        below[~above] = probe[~above]

    def _each(self, of_each: FloatArray) -> FloatArray:
        """Repeat the value of each distribution for all its terms."""
        return np.repeat(of_each, np.diff(self.first, append=self.weight.size))

    def _total(self, of_term: FloatArray) -> FloatArray:
        """Weighted sum of the terms of each distribution."""
        total: FloatArray = np.add.reduceat(self.weight * of_term, self.first)
        return total


def height_distribution(roc: RocCurve, fpr: FloatArray) -> BinomialMixtures:
    """Distribution of the resampled curve's topmost tpr at each fpr below 1, as count of positives.

    Classes are resampled separately, keep their sizes, and share no score.
    """
    # With r = floor(n f), the height at fpr f is the share of positives above the (r + 1)-th
    # highest of n drawn negatives. That one is among the observed negatives with rates from x0 to
    # x1 with probability I(x1; r + 1, n - r) - I(x0; r + 1, n - r), I the incomplete beta function.
    # Given it, the number of positives above is binomial.
    x, y = roc.fpr, np.concatenate(([0], roc.tp))
    flat = np.diff(x) > 0
    height, end = y[:-1][flat], x[1:][flat]
    last = np.append(np.diff(height) > 0, True)  # merge segments of equal height
    height, end = height[last], end[last]
    start = np.concatenate(([0.0], end[:-1]))

    rank = np.minimum(np.floor(roc.n_neg * fpr + SLACK), roc.n_neg - 1.0)
    a, b = rank + 1.0, roc.n_neg - rank
    # Only segments near fpr can contain the negative of that rank: of the order sqrt(n_neg).
    near = np.searchsorted(end, betaincinv(a, b, _NEVER))
    far = np.minimum(np.searchsorted(end, betainccinv(a, b, _NEVER)), end.size - 1)
    terms = far - near + 1
    at, _, first = expand_ranges(near, terms)
    a, b = np.repeat(a, terms), np.repeat(b, terms)
    weight: FloatArray = np.asarray(betainc(a, b, end[at]) - betainc(a, b, start[at]), float)
    return BinomialMixtures(roc.n_pos, weight, height[at] / roc.n_pos, first)

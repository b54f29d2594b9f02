"""Mixtures of binomials: moments, distribution function and central intervals, without chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, ndtri

__all__ = ["BinomialMixtures"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]

_SAME = 1e-12  # two probabilities closer than this are equal


@dataclass(frozen=True, eq=False)
class BinomialMixtures:
    """Laws side by side, each a mixture of binomial counts of `size` cases.

    Attributes
    ----------
    size : int
        Number of cases.
    weight, share : ndarray of shape (terms,)
        Weight and success probability of each term; the terms of one law stand together.
    first : ndarray of int, shape (laws,)
        Place of each law's first term.

    Examples
    --------
    >>> import numpy as np
    >>> fair = BinomialMixtures(10, np.array([1.0]), np.array([0.5]), np.array([0]))
    >>> low, high = fair.interval(0.9)
    >>> print(fair.mean, fair.variance, low, high)
    [5.] [2.5] [2.] [8.]
    """

    size: int
    weight: Floats
    share: Floats
    first: Ints

    @cached_property
    def mean(self) -> Floats:
        """Expected count of each law."""
        return self.size * self._total(self.share)

    @cached_property
    def variance(self) -> Floats:
        """Variance of each law's count: within the terms, and between them."""
        apart = self.share - self._each(self.mean) / self.size
        within = self.share * (1.0 - self.share)
        return self.size * self._total(within) + self.size**2 * self._total(apart**2)

    def cdf(self, count: Floats) -> Floats:
        """Probability that each law's count is at most `count`, one whole number for each law."""
        inside = self._each(np.clip(count, 0.0, self.size))
        at_most: Floats = np.asarray(bdtr(inside, self.size, self.share), np.float64)
        return np.where(count < 0.0, 0.0, self._total(at_most))

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Smallest and largest count left when (1 - level) / 2 is cut off at both ends."""
        tail = (1.0 - level) / 2.0
        return self._first_above(tail + _SAME), self._first_above(1.0 - tail - _SAME)

    def _first_above(self, target: float) -> Floats:
        """Smallest count whose distribution function exceeds `target`, by bisection.

        Two probes beside the normal guess come first and save most of the steps.
        """
        spread = np.sqrt(np.maximum(self.variance, 0.0))
        guess = self.mean + ndtri(target) * spread
        below = np.full(self.first.size, -1.0)  # the function is at most `target` here,
        enough = np.full(self.first.size, float(self.size))  # and above it here
        for probe in (guess - 0.1 * spread - 1.0, guess + 0.1 * spread + 1.0):
            self._narrow(below, enough, np.floor(probe), target)
        while (enough - below > 1.0).any():
            self._narrow(below, enough, np.floor((below + enough) / 2.0), target)
        return enough

    def _narrow(self, below: Floats, enough: Floats, probe: Floats, target: float) -> None:
        # A probe outside the bracket, or in one that is closed, is moved to where it tells nothing.
        probe = np.clip(probe, np.maximum(below, 0.0), enough)
        above = (self.cdf(probe) > target) | (probe >= enough)
        enough[above] = probe[above]
        below[~above] = probe[~above]

    def _each(self, of_law: Floats) -> Floats:
        """Repeat a law's value for each of its terms."""
        return np.repeat(of_law, np.diff(self.first, append=self.weight.size))

    def _total(self, of_term: Floats) -> Floats:
        """Add up a law's terms by their weights."""
        total: Floats = np.add.reduceat(self.weight * of_term, self.first)
        return total

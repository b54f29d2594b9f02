"""The law of a U + b V for whole numbers U and V: its distribution function and percentile limits.

Two lattices with different steps have far more sums than either has points. Nothing here lists
them: P(a U + b V <= c) is one sum over the points of one lattice, looked up on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

from rocbands.core.checks import FloatArray
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, arg

Whole: TypeAlias = npt.NDArray[np.int64]

MOST_TERMS = 2**17  # on each side of the mean: enough for about 7e8 cases of a class
_NARROW = 1e-10  # of a step: where bisection stops


class Lattice(NamedTuple):
    """Probabilities of consecutive whole numbers."""

    first: int  # the smallest of the numbers
    mass: FloatArray  # the probability of each

    @property
    def values(self) -> Whole:
        """The numbers themselves."""
        return np.arange(self.first, self.first + self.mass.size, dtype=np.int64)


def window(mean: float, variance: float, low: int, high: int) -> tuple[int, int]:
    """Whole numbers from `low` to `high` outside of which less than 1e-17 of a count's law lies.

    Examples
    --------
    >>> window(500.0, 250.0, 0, 1000)
    (304, 696)
    """
    reach = 9.5 * variance**0.5 + 45.0
    if reach > MOST_TERMS:
        raise InputError(
            "Exact limits add up the probabilities of single counts",
            f"with so many cases these are {2 * reach:,.0f}",
            f"Use {arg('method', 'mover')}, which is as good as exact there.",
        )
    return max(low, int(np.floor(mean - reach))), min(high, int(np.ceil(mean + reach)))


def binomial_lattice(count: int, size: int) -> Lattice:
    """Law of the successes among `size` draws with replacement from `size` cases, `count` good.

    Examples
    --------
    >>> binomial_lattice(1, 2)
    Lattice(first=0, mass=array([0.25, 0.5 , 0.25]))
    """
    if count in (0, size):
        return Lattice(count, np.ones(1))
    low, high = window(count, count * (size - count) / size, 0, size)
    # Quotients of neighbours, from the most likely number out: no factorials, no cancellation.
    up = np.arange(count, high, dtype=np.float64)
    down = np.arange(count, low, -1, dtype=np.float64)
    odds = count / (size - count)
    above = np.cumprod((size - up) / (up + 1.0) * odds)
    below = np.cumprod(down / (size - down + 1.0) / odds)
    mass = np.concatenate((below[::-1], [1.0], above))
    return Lattice(low, mass / mass.sum())


@dataclass(frozen=True, eq=False)
class LatticeSum:
    """The law of a U + b V, made by `independent`, `joint` or `trinomial`."""

    outer: FloatArray  # (k,) the lattice with the smaller steps: a u for each u
    step: float  # the larger of the two steps
    inner: tuple[int, int]  # smallest and largest number on the lattice with the larger steps
    mass_up_to: Callable[[Whole], FloatArray]  # for one v beside each u: P(U = u, V <= v)

    @classmethod
    def independent(cls, first: Lattice, second: Lattice, a: float, b: float) -> LatticeSum:
        """Law for independent U and V with non-negative weights, not both 0.

        Examples
        --------
        >>> coin = binomial_lattice(1, 2)
        >>> law = LatticeSum.independent(coin, coin, 1.0, 0.5)
        >>> print(law.cdf(1.0), law.limits(0.8))
        0.375 (0.5, 2.5)
        """
        if a > b:
            return cls.independent(second, first, b, a)
        last = second.first + second.mass.size - 1
        up_to = np.concatenate(([0.0], np.cumsum(second.mass)))

        def mass_up_to(v: Whole) -> FloatArray:
            return np.asarray(first.mass * up_to[v - (second.first - 1)])

        return cls(np.asarray(a * first.values), b, (second.first, last), mass_up_to)

    @classmethod
    def joint(cls, table: FloatArray, first: tuple[int, int], a: float, b: float) -> LatticeSum:
        """Law for a table of P(U = u, V = v), whose corner is at u, v = `first`."""
        if a > b:
            return cls.joint(table.T, first[::-1], b, a)
        up_to = np.concatenate((np.zeros((table.shape[0], 1)), np.cumsum(table, axis=1)), axis=1)
        rows = np.arange(table.shape[0])

        def mass_up_to(v: Whole) -> FloatArray:
            return np.asarray(up_to[rows, v - (first[1] - 1)])

        outer = a * (first[0] + rows.astype(np.float64))
        return cls(outer, b, (first[1], first[1] + table.shape[1] - 1), mass_up_to)

    @classmethod
    def trinomial(cls, u: int, v: int, size: int, a: float, b: float) -> LatticeSum:
        """Law for U and V of `size` draws from cases of which `u` are of one kind, `v` of another.

        Given U the other count is binomial, so that no table is needed.
        """
        if a > b:
            return cls.trinomial(v, u, size, b, a)
        lattice = binomial_lattice(u, size)
        left = (size - lattice.values).astype(np.float64)
        low, high = window(v, v * (size - v) / size, 0, size)
        share = v / (size - u) if u < size else 0.0

        def mass_up_to(at: Whole) -> FloatArray:
            inside = (at >= 0) & (at < left)
            k = np.where(inside, at, 0.0)
            below = betainc(np.maximum(left - k, 1.0), k + 1.0, 1.0 - share)
            return np.asarray(lattice.mass * np.where(inside, below, at >= 0))

        return cls(np.asarray(a * lattice.values), b, (low, high), mass_up_to)

    def cdf(self, c: float) -> float:
        """P(a U + b V <= c)."""
        return float(self.mass_up_to(self._highest(c)).sum())

    def limits(self, level: float) -> tuple[float, float]:
        """Percentile limits, the mirror image of each other if the law is mirrored.

        The lower one is the smallest sum with P(<=) above (1 - level) / 2, the upper one the
        smallest with P(<=) at least (1 + level) / 2.
        """
        tail = (1.0 - level) / 2.0
        return self._quantile(tail + SAME), self._quantile(1.0 - tail - SAME)

    def _highest(self, c: float) -> Whole:
        """Return the largest v beside each u with a u + b v <= c; one less than all if none."""
        at = np.floor((c - self.outer) / self.step + SLACK)
        return np.clip(at, self.inner[0] - 1, self.inner[1]).astype(np.int64)

    def _quantile(self, probability: float) -> float:
        low = float(self.outer[0]) + self.step * (self.inner[0] - 1)
        high = float(self.outer[-1]) + self.step * self.inner[1]
        while high - low > _NARROW * self.step and low < (middle := (low + high) / 2.0) < high:
            if self.cdf(middle) > probability:
                high = middle
            else:
                low = middle
        following = self._highest(low) + 1
        sums = self.outer + self.step * following
        return float(sums[following <= self.inner[1]].min())

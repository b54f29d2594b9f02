"""Percentiles of the exact bootstrap distribution over all resamples, without drawing any.

For one classifier the counts of errors are binomial (stratified) or trinomial (full sampling). For
two they are sums of steps of -1, 0 or 1, whose distributions come from Fourier transforms: the
characteristic function of a sum of independent steps is a power of that of one step, and one
inverse transform gives the probabilities. The window contains all but 1e-17 of the distribution, so
that aliasing is negligible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra
from rocbands.core.tolerance import SAME, SLACK
from rocbands.cost.conditions import Sampling
from rocbands.cost.method import DUGAS_GADOURY, CostMethod
from rocbands.cost.terms import CostLimits, CostTerms
from rocbands.errors import InputError, Message, arg

MOST_CELLS = 2**24  # of the table of both classes' sums: 128 MB
Two: TypeAlias = tuple[int, int]  # numbers of positives and of negatives


@dataclass(frozen=True)
class ExactCost(CostMethod):
    """Percentile limits of the exact bootstrap distribution (infinitely many resamples).

    The distribution is exact, the limits are not: a class without errors has none in any resample,
    so the limits fail where those of 'gaussian' do.

    Notes
    -----
    The lower limit is the smallest cost with P(<=) above (1 - level) / 2, the upper one the
    smallest with P(<=) at least (1 + level) / 2: exchanging models mirrors the limits.

    Limits rise with every error, whatever the sampling: more errors move the distribution up.
    """

    name: ClassVar[str] = "exact"
    guarantee: ClassVar[str] = "approximate; fails where errors are few, as 'gaussian' does"
    idea: ClassVar[str] = "percentiles of the exact bootstrap distribution"
    references: ClassVar[tuple[str, ...]] = (DUGAS_GADOURY,)
    handles: ClassVar[tuple[Extra, ...]] = ("bins", "full sampling", "paired")
    monotone: ClassVar[tuple[Sampling, ...]] = ("stratified", "full")
    needs_many_errors: ClassVar[bool] = True

    def find_limits(self, terms: CostTerms, level: float, critical: float) -> CostLimits:
        lattice = cache(find_step_distribution)  # many conditions share their counts
        n_pos, n_neg = terms.conditions.sizes
        full = terms.conditions.sampling == "full"

        def find_distribution(up: Two, down: Two, unit: tuple[float, float]) -> LatticeSum:
            if full and terms.paired:
                first, second = zip(up, down, strict=True)
                joint = find_two_step_distribution(first, second, n_pos + n_neg)
                return LatticeSum.joint(*joint, *unit)
            if full:
                return LatticeSum.trinomial(*up, n_pos + n_neg, *unit)
            pos, neg = (
                map(lattice, up, down, (n_pos, n_neg))
                if terms.paired
                else map(binomial_lattice, up, (n_pos, n_neg))
            )
            return LatticeSum.independent(pos, neg, *unit)

        counts = (np.rint(rows).astype(np.int64) for rows in (terms.up, terms.down))
        columns = (part.T.tolist() for part in (*counts, terms.unit))
        ends = [find_distribution(*at).limits(level) for at in zip(*columns, strict=True)]
        lower, upper = np.array(ends).T
        return CostLimits(terms.mean, lower, upper)


def find_step_distribution(up: int, down: int, size: int) -> Lattice:
    """Distribution of the sum of `size` draws from rows: `up` count 1, `down` -1, others 0.

    Examples
    --------
    >>> lattice = find_step_distribution(1, 0, 2)
    >>> print(lattice.first, lattice.mass.round(12))
    0 [0.25 0.5  0.25]
    """
    low, high = _find_window(up, down, size)
    length = _power_of_two(high - low + 1)
    angle = 2.0 * np.pi * np.arange(length // 2 + 1) / length
    # The phase exp(-i low s) makes the window begin at index 0 of the transform.
    turned = _raise(_less_one(up / size, down / size, angle), size) * np.exp(-1j * low * angle)
    mass = np.fft.irfft(turned.conj(), length)[: high - low + 1]
    return Lattice(low, np.maximum(mass, 0.0))


def find_two_step_distribution(
    first: tuple[int, int], second: tuple[int, int], size: int
) -> tuple[FloatArray, tuple[int, int]]:
    """Joint distribution of two sums over the same draws; no row counts in both.

    `first`, `second`: number of rows that count 1 and -1 in each sum. `size`: number of rows, and
    of draws. Returns `table`, P(U = u, V = v). Returns `corner`, the smallest u and v.
    """
    windows = [_find_window(*counts, size) for counts in (first, second)]
    lengths = [_power_of_two(high - low + 1) for low, high in windows]
    if (cells := lengths[0] * lengths[1]) > MOST_CELLS:
        raise InputError(
            Message(
                "The exact distribution of {} rows with {} decided differently needs a table of {} "
                "cells. Use {}, which is close to it with so many rows, or {}.",
                size,
                sum(first) + sum(second),
                cells,
                arg("method", "mover"),
                arg("sampling", "stratified"),
            )
        )
    angles = [2.0 * np.pi * np.arange(length) / length for length in lengths]
    angles[1] = angles[1][: lengths[1] // 2 + 1]
    # (q0 + q1 e^is + q2 e^-is + q3 e^it + q4 e^-it)^n, with q0 = 1 - q1 - q2 - q3 - q4.
    parts = [
        _less_one(counts[0] / size, counts[1] / size, angle)
        for counts, angle in zip((first, second), angles, strict=True)
    ]
    turned = _raise(parts[0][:, None] + parts[1][None, :], size)
    # As in one dimension, phases move the corner of both windows to index 0.
    turned *= np.exp(-1j * windows[0][0] * angles[0])[:, None]
    turned *= np.exp(-1j * windows[1][0] * angles[1])[None, :]
    table = np.fft.irfft2(turned.conj(), lengths)
    shape = tuple(high - low + 1 for low, high in windows)
    return np.maximum(table[: shape[0], : shape[1]], 0.0), (windows[0][0], windows[1][0])


def _find_window(up: int, down: int, size: int) -> tuple[int, int]:
    mean = up - down
    low, high = -size if down else 0, size if up else 0
    return window(mean, up + down - mean**2 / size, low, high)


def _power_of_two(least: int) -> int:
    return 1 << max(1, (least - 1).bit_length())


def _less_one(up: float, down: float, angle: FloatArray) -> npt.NDArray[np.complex128]:
    """One step's characteristic function minus 1, precise where it is next to 0."""
    return np.asarray(
        -(up + down) * 2.0 * np.sin(angle / 2.0) ** 2 + 1j * (up - down) * np.sin(angle)
    )


def _raise(less_one: npt.NDArray[np.complex128], size: int) -> npt.NDArray[np.complex128]:
    """(1 + x) ** size; the logarithm of 1 + x loses no digit of a small x."""
    x, y = less_one.real, less_one.imag
    square = 2.0 * x + x**2 + y**2
    near_one = np.exp(0.5 * size * np.log1p(np.maximum(square, -0.5)))
    grown = np.where(square > -0.5, near_one, np.hypot(1.0 + x, y) ** size)
    return np.asarray(grown * np.exp(1j * size * np.arctan2(y, 1.0 + x)))


# The distribution of a U + b V for whole numbers U and V has far more points than U or V, so they
# are never listed: P(a U + b V <= c) is the sum of P(U = u, V <= (c - a u) / b) over u.

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
    """Range of whole numbers outside which a count lies with probability below 1e-17."""
    reach = 9.5 * variance**0.5 + 45.0
    if reach > MOST_TERMS:
        raise InputError(
            "Exact limits add up the probabilities of single counts",
            f"with so many cases there are {2 * reach:,.0f}",
            Message("Use {}, which is as good as exact there.", arg("method", "mover")),
        )
    return max(low, int(np.floor(mean - reach))), min(high, int(np.ceil(mean + reach)))


def binomial_lattice(count: int, size: int) -> Lattice:
    """Distribution of successes in `size` draws with replacement from cases, `count` good."""
    if count in (0, size):
        return Lattice(count, np.ones(1))
    low, high = window(count, count * (size - count) / size, 0, size)
    # Products of ratios of neighbours, outwards from the mode: no factorials, no cancellation.
    up = np.arange(count, high, dtype=np.float64)
    down = np.arange(count, low, -1, dtype=np.float64)
    odds = count / (size - count)
    above = np.cumprod((size - up) / (up + 1.0) * odds)
    below = np.cumprod(down / (size - down + 1.0) / odds)
    mass = np.concatenate((below[::-1], [1.0], above))
    return Lattice(low, mass / mass.sum())


@dataclass(frozen=True, eq=False)
class LatticeSum:
    """The distribution of a U + b V, made by `independent`, `joint` or `trinomial`."""

    outer: FloatArray  # (k,) a u for each u, the variable with the smaller steps
    step: float  # the larger of the two steps
    inner: tuple[int, int]  # smallest and largest number on the lattice with the larger steps
    mass_up_to: Callable[[Whole], FloatArray]  # for one v beside each u: P(U = u, V <= v)

    @classmethod
    def independent(cls, first: Lattice, second: Lattice, a: float, b: float) -> LatticeSum:
        """Distribution for independent U and V with non-negative weights, not both 0.

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
        """Distribution for a table of P(U = u, V = v), whose corner is at u, v = `first`."""
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
        """Distribution of `size` draws from cases of which `u` are of one kind, `v` of another.

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
        """Percentile limits; mirroring the distribution mirrors them.

        The lower one is the smallest sum with P(<=) above (1 - level) / 2, the upper one the
        smallest with P(<=) at least (1 + level) / 2.
        """
        tail = (1.0 - level) / 2.0
        return self._quantile(tail + SAME), self._quantile(1.0 - tail - SAME)

    def _highest(self, c: float) -> Whole:
        """Return for each u the largest v with a u + b v <= c; one below the range if none."""
        # The tolerance treats sums as equal that are equal in exact arithmetic.
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
        # The quantile is the smallest attainable a u + b v above the lower end of the bracket.
        following = self._highest(low) + 1
        sums = self.outer + self.step * following
        return float(sums[following <= self.inner[1]].min())

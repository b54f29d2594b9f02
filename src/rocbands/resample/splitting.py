"""Resampled test sets that are drawn lazily, block by block.

A resample of n rows is n draws, but most of them have no effect on the result. The number of draws
in the upper half of the scores is binomial; given that number, so is the number in the upper
quarter; and so on down to single scores. A resample can therefore be split block by block, each
split drawn when it is needed. The result has exactly the distribution of a full resample, because
splitting a multinomial draw by conditional binomials is an identity and the choice of the next
block depends only on previous draws. Tied scores are never split.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.resample.population import Population

# Tables of numbers of cases in blocks: rows of a class, and most entries of a table.
_LEAST_ROWS, _MOST_ROWS = 500, 200_000
_MOST_CELLS = 1 << 19
_GUIDE = 256


class Blocks(NamedTuple):
    """Intervals of the score axis, of one or many resamples, in order."""

    population: Population
    row: IndexArray  # (k,) the resample that each block belongs to
    # start, end: (5, k) where each block starts and ends: the number of the population's boundary,
    # the population's mass of negatives and positives above it, and the resample's numbers of them.
    # Floats represent the counts exactly, and one array needs fewer NumPy calls.
    start: FloatArray
    end: FloatArray
    sizes: FloatArray  # (2, n) negatives and positives of each resample

    @classmethod
    def whole(cls, population: Population, neg: CountArray, pos: CountArray) -> Blocks:
        """One block for each resample, with all its cases."""
        end = np.empty((5, neg.size))
        end[:3] = [[population.neg.size - 1.0], [population.neg[-1]], [population.pos[-1]]]
        end[3], end[4] = neg, pos
        return cls(population, np.arange(neg.size), np.zeros((5, neg.size)), end, end[3:])

    def find_rates(self, *places: FloatArray) -> Iterator[FloatArray]:
        """Rates of the resamples, fpr and tpr, at starts, ends or cuts of the blocks."""
        sizes = self.sizes.take(self.row, axis=1)
        return (place[3:] / sizes for place in places)

    def take(self, which: BoolArray) -> Blocks:
        """Pick some of the blocks."""
        place = np.flatnonzero(which)
        start, end = (side.take(place, axis=1) for side in (self.start, self.end))
        return self._replace(row=self.row[place], start=start, end=end)

    def straight(self) -> BoolArray:
        """Tell which blocks need no further draws: one class only, or one score."""
        straight: BoolArray = (self.end[3] == self.start[3]) | (self.end[4] == self.start[4])
        if self.population.atomic:
            straight |= self.end[0] - self.start[0] == 1.0
        return straight

    def draw_middle(self, rng: np.random.Generator) -> FloatArray:
        """Cut every block in the middle and draw the split of its cases; (5, k) as `start`."""
        start, end, population = self.start, self.end, self.population
        cut = ((start[0] + end[0]) * 0.5).astype(np.intp)
        middle = np.empty(start.shape)
        middle[0], middle[1], middle[2] = cut, population.neg[cut], population.pos[cut]
        # Without population mass the resample has no cases, and any probability will do.
        share = (middle[1:3] - start[1:3]) / np.maximum(end[1:3] - start[1:3], 1e-300)
        if not population.atomic:  # both halves of a straight segment have equal mass
            share[:, middle[0] == start[0]] = 0.5
        cases = (end[3:] - start[3:]).astype(np.int64)
        np.add(start[3:], rng.binomial(cases, share), out=middle[3:])
        return middle

    def halve(self, middle: FloatArray, keep: tuple[BoolArray, BoolArray] | None = None) -> Blocks:
        """Both parts of each block, one after the other, so that blocks stay in order.

        `keep`: which first and which second parts to keep; by default all.
        """
        size = self.row.size
        # Part 2 i is the first of block i, part 2 i + 1 the second.
        which = np.arange(2 * size) if keep is None else np.flatnonzero(np.stack(keep, axis=1))
        block = which >> 1
        place = block + (which & 1) * size
        before = middle
        if not self.population.atomic:
            # A straight segment of a smooth curve keeps its two boundaries.
            alike = before[0] == self.start[0]
            before = before.copy()
            before[:3, alike] = self.end[:3, alike]
        start = np.concatenate((self.start, middle), axis=1).take(place, axis=1)
        end = np.concatenate((before, self.end), axis=1).take(place, axis=1)
        return self._replace(row=self.row[block], start=start, end=end)


class EvenBlocks(NamedTuple):
    """Many resamples cut into the same blocks, without indexing."""

    population: Population
    bounds: IndexArray  # (b + 1,) boundaries of the population
    # (2, k, b + 1) negatives and positives of each resample above them, and (2, k) of all of it
    above: FloatArray
    sizes: FloatArray

    @classmethod
    def draw(
        cls,
        population: Population,
        neg: CountArray,
        pos: CountArray,
        levels: int,
        rng: np.random.Generator,
    ) -> EvenBlocks:
        """Cut resamples of sizes `neg`, `pos` (k,) into 2^levels blocks, as if split repeatedly."""
        bounds, sizes = cut_in_halves(population, levels), np.stack((neg, pos))
        above = np.zeros((2, neg.size, bounds.size))
        tables = find_block_tables(population, levels)
        if tables is not None:
            for table, size, total in zip(tables, sizes, above, strict=True):
                np.cumsum(table.draw(size, rng), axis=1, out=total[:, 1:])
            return cls(population, bounds, above, sizes.astype(np.float64))
        counts = sizes[:, :, None]
        for level in range(levels):
            at = bounds[:: 1 << (levels - level - 1)]
            mass = np.stack((population.neg[at], population.pos[at]))[:, None]
            whole = mass[..., 2::2] - mass[..., :-1:2]
            share = (mass[..., 1::2] - mass[..., :-1:2]) / np.maximum(whole, 1e-300)
            first = rng.binomial(counts, share)
            counts = np.stack((first, counts - first), axis=-1).reshape(2, neg.size, -1)
        np.cumsum(counts, axis=-1, out=above[..., 1:])
        return cls(population, bounds, above, sizes.astype(np.float64))

    def take(self, which: BoolArray) -> Blocks:
        """Pick some of the blocks; `which` (k, b)."""
        row, block = which.nonzero()
        sides = self.population.neg[self.bounds], self.population.pos[self.bounds]
        fixed = np.stack((self.bounds.astype(np.float64), *sides))
        start, end = (
            np.concatenate((fixed.take(at, axis=1), self.above[:, row, at]))
            for at in (block, block + 1)
        )
        return Blocks(self.population, row, start, end, self.sizes)


def cut_in_halves(population: Population, levels: int) -> IndexArray:
    """Cut the score axis in the middle, each half again, and so on; return the boundaries."""
    bounds = np.array([0, population.neg.size - 1])
    for _ in range(levels):
        cut = (bounds[:-1] + bounds[1:]) >> 1
        bounds = np.append(np.stack((bounds[:-1], cut), axis=-1), bounds[-1])
    return bounds


@dataclass(frozen=True, eq=False)
class BlockTable:
    """Numbers of cases that fall into blocks when rows of one class are drawn with replacement."""

    # Independent Poisson counts are multinomial given their sum. So Poisson counts whose means add
    # up to slightly less than the required number of cases, plus single draws of the missing cases,
    # are exactly multinomial. The means are the same for all resamples, so the Poisson counts come
    # from tables, ten times faster than binomial ones.
    rows: int
    least: CountArray  # (b,) where the table of each block starts
    # (b, w) distribution functions; (b, _GUIDE) index at which the search in them starts
    below: FloatArray
    guide: IndexArray
    block_of_row: npt.NDArray[Any]  # (rows,)

    @classmethod
    def of_rows(cls, mass: FloatArray) -> BlockTable | None:
        """Make the table; `mass` (b,): rows in each block. None if it would be too large."""
        rows = int(mass.sum())
        if not _LEAST_ROWS <= rows <= _MOST_ROWS:
            return None
        # Three standard deviations of the sum minus the number of cases, which also varies.
        mean = mass * (1.0 - 3.0 * math.sqrt(2.0 / rows))
        far = 9.0 * np.sqrt(mean) + 12.0  # the probability beyond is below 1e-16
        width = int(2.0 * far.max()) + 1
        if width * mass.size > _MOST_CELLS:
            return None
        least = np.maximum(mean - far, 0.0).astype(np.int64)
        number = least[:, None] + np.arange(width)
        # P(N = k) = exp(k ln mean - mean - ln k!)
        log_mean = np.log(np.maximum(mean, 1e-300))[:, None]
        log_factorial = gammaln(np.arange(1.0, number.max() + 2.0))
        chance = np.exp(number * log_mean - mean[:, None] - log_factorial[number])
        below = np.cumsum(chance, axis=1)
        below /= below[:, -1:]
        block = np.arange(mass.size)
        # Number of table entries at or below j / _GUIDE.
        cell = np.minimum(np.ceil(below * _GUIDE), _GUIDE).astype(np.intp)
        found = np.bincount(
            (cell + block[:, None] * (_GUIDE + 1)).ravel(), None, mass.size * (_GUIDE + 1)
        )
        guide = np.cumsum(found.reshape(mass.size, -1), axis=1)[:, :_GUIDE]
        small = block.astype(np.min_scalar_type(mass.size))
        return cls(rows, least, below, guide, np.repeat(small, mass.astype(np.int64)))

    def draw(self, sizes: CountArray, rng: np.random.Generator) -> CountArray:
        """Draw resamples of some sizes, one in each row: cases in each block, shape (k, b)."""
        counts = self._draw_poisson(sizes.size, rng)
        missing = sizes - counts.sum(axis=1)
        again = np.flatnonzero(missing < 0)
        # Sums that are too large are redrawn: given the sum, the counts stay multinomial.
        while again.size:
            counts[again] = self._draw_poisson(again.size, rng)
            missing[again] = sizes[again] - counts[again].sum(axis=1)
            again = again[missing[again] < 0]
        cells = self.block_of_row.take(rng.integers(0, self.rows, int(missing.sum())))
        first = np.repeat(np.arange(sizes.size) * self.least.size, missing)
        counts += np.bincount(first + cells, minlength=counts.size).reshape(counts.shape)
        return counts

    def _draw_poisson(self, draws: int, rng: np.random.Generator) -> CountArray:
        """Draw by inversion: the first value whose distribution function exceeds a uniform one."""
        blocks, width = self.below.shape
        u = rng.random((draws, blocks))
        block = np.arange(blocks)
        place: CountArray = (
            self.guide.take((u * _GUIDE).astype(np.intp) + block * _GUIDE) + block * width
        )
        flat, u = place.ravel(), u.ravel()
        too_low = np.flatnonzero(self.below.take(flat) <= u)
        while too_low.size:
            flat[too_low] += 1
            too_low = too_low[self.below.take(flat[too_low]) <= u[too_low]]
        place += self.least - block * width
        return place


def find_block_tables(population: Population, levels: int) -> list[BlockTable] | None:
    """Tables of negatives and positives for 2^levels blocks; computed once for a population.

    None if rows are few or many, or have fractional weights: blocks are then split by binomials.
    """
    known: dict[int, list[BlockTable] | None] = vars(population).setdefault("_tables", {})
    if levels not in known:
        bounds = cut_in_halves(population, levels)
        masses = [np.diff(side[bounds]) for side in (population.neg, population.pos)]
        found = [BlockTable.of_rows(mass) for mass in masses] if population.atomic else [None]
        tables = [table for table in found if table is not None]
        known[levels] = tables if len(tables) == 2 else None
    return known[levels]

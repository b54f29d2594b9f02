"""Resampled test sets that are drawn lazily, block by block.

A resample of n rows is n draws, but most of them have no effect on the result. The number of draws
in the upper half of the scores is binomial; given that number, so is the number in the upper
quarter; and so on down to single scores. A resample can therefore be split block by block, each
split drawn when it is needed. The result has exactly the distribution of a full resample, because
splitting a multinomial draw by conditional binomials is an identity and the choice of the next
block depends only on previous draws. Tied scores are never split.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.resample.population import Population


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

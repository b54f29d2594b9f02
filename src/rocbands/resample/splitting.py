"""Resampled test sets that are looked at only where it matters.

A resample of n rows is n draws, but most of them decide nothing. The number of draws that fall into
the upper half of the scores is binomial; given that number, so is the number in the upper quarter;
and so on down to single scores. A resample can therefore be unfolded block by block, each split
drawn when it is asked for: whatever is asked for has exactly the distribution it has in a full
resample, because splitting a multinomial draw by conditional binomials is an identity, and which
blocks are split next depends only on what has been drawn already. With tied scores the blocks end
at tie groups, which are drawn whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.resample.population import Population


class Blocks(NamedTuple):
    """Runs of the score axis, of one or many resamples, end to end."""

    row: IndexArray  # (k,) the resample that each block belongs to
    # start, end: (5, k) where each block starts and ends: the number of the population's boundary,
    # the population's mass of negatives and positives above it, and how many of them the resample
    # has there. All are floats, which hold the counts exactly, so that blocks are moved by few
    # calls.
    start: FloatArray
    end: FloatArray
    sizes: FloatArray  # (2, n) negatives and positives of each resample

    @classmethod
    def whole(cls, population: Population, neg: CountArray, pos: CountArray) -> Blocks:
        """One block for each resample, with all its cases."""
        end = np.empty((5, neg.size))
        end[:3] = [[population.neg.size - 1.0], [population.neg[-1]], [population.pos[-1]]]
        end[3], end[4] = neg, pos
        return cls(np.arange(neg.size), np.zeros((5, neg.size)), end, end[3:])

    @classmethod
    def unfold(
        cls,
        population: Population,
        neg: CountArray,
        pos: CountArray,
        levels: int,
        rng: np.random.Generator,
    ) -> Blocks:
        """Cut every resample into 2^levels blocks, as if each block had been split so many times.

        All resamples share the boundaries, so that nothing is looked up or moved.
        """
        bounds, counts = np.array([0, population.neg.size - 1]), np.stack((neg, pos))[:, :, None]
        for _ in range(levels):
            cut = (bounds[:-1] + bounds[1:]) >> 1
            start, middle, end = (
                np.stack((population.neg[at], population.pos[at]))[:, None]
                for at in (bounds[:-1], cut, bounds[1:])
            )
            first = rng.binomial(counts, (middle - start) / np.maximum(end - start, 1e-300))
            counts = np.stack((first, counts - first), axis=-1).reshape(2, neg.size, -1)
            bounds = np.append(np.stack((bounds[:-1], cut), axis=-1), bounds[-1])
        ends = np.empty((5, neg.size, bounds.size))
        ends[:3] = np.stack((bounds, population.neg[bounds], population.pos[bounds]))[:, None]
        ends[3:, :, 0] = 0.0
        np.cumsum(counts, axis=-1, out=ends[3:, :, 1:])
        start, end = (side.reshape(5, -1) for side in (ends[..., :-1], ends[..., 1:]))
        row = np.repeat(np.arange(neg.size), bounds.size - 1)
        return cls(row, start, end, np.stack((neg, pos)).astype(np.float64))

    def find_rates(self, *places: FloatArray) -> Iterator[FloatArray]:
        """Rates of the resamples, fpr and tpr, at starts, ends or cuts of the blocks."""
        sizes = self.sizes.take(self.row, axis=1)
        return (place[3:] / sizes for place in places)

    def take(self, which: BoolArray) -> Blocks:
        """Pick some of the blocks."""
        place = np.flatnonzero(which)
        start, end = (side.take(place, axis=1) for side in (self.start, self.end))
        return Blocks(self.row[place], start, end, self.sizes)

    def straight(self, population: Population) -> BoolArray:
        """Tell where nothing is left to draw: one class only, or one score."""
        straight: BoolArray = (self.end[3] == self.start[3]) | (self.end[4] == self.start[4])
        if population.atomic:
            straight |= self.end[0] - self.start[0] == 1.0
        return straight

    def split(self, population: Population, rng: np.random.Generator) -> Split:
        """Cut every block in the middle and draw how its cases are divided."""
        start, end = self.start, self.end
        cut = ((start[0] + end[0]) * 0.5).astype(np.intp)
        middle = np.empty(start.shape)
        middle[0], middle[1], middle[2] = cut, population.neg[cut], population.pos[cut]
        # Where the population has nothing the resample has no cases, and any share will do.
        share = (middle[1:3] - start[1:3]) / np.maximum(end[1:3] - start[1:3], 1e-300)
        if not population.atomic:
            share[:, middle[0] == start[0]] = 0.5
        cases = (end[3:] - start[3:]).astype(np.int64)
        np.add(start[3:], rng.binomial(cases, share), out=middle[3:])
        return Split(self, middle, population.atomic)


class Split(NamedTuple):
    """Blocks and where they were cut."""

    blocks: Blocks
    middle: FloatArray  # (5, k) as starts and ends of blocks
    atomic: bool

    def halves(self, keep: tuple[BoolArray, BoolArray] | None = None) -> Blocks:
        """Both parts of each block, side by side, so that places stay in order.

        `keep`: which first and which second parts; all without it.
        """
        row, start, end, sizes = self.blocks
        which = np.arange(2 * row.size) if keep is None else np.flatnonzero(np.stack(keep, axis=1))
        block = which >> 1
        place = block + (which & 1) * row.size
        before = self.middle
        if not self.atomic:
            # A straight piece of a smooth curve keeps its two boundaries: its parts are alike.
            alike = before[0] == start[0]
            before = before.copy()
            before[:3, alike] = end[:3, alike]
        return Blocks(
            row[block],
            np.concatenate((start, self.middle), axis=1).take(place, axis=1),
            np.concatenate((before, end), axis=1).take(place, axis=1),
            sizes,
        )

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

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, IndexArray
from rocbands.resample.population import Population


class Blocks(NamedTuple):
    """Runs of the score axis, of one or many resamples, end to end."""

    row: IndexArray  # the resample that each block belongs to
    # first, last: the population's boundaries that enclose it.
    first: IndexArray
    last: IndexArray
    # neg0, neg1, pos0, pos1: cases of each class that the resample has above the block's start and
    # above its end.
    neg0: CountArray
    neg1: CountArray
    pos0: CountArray
    pos1: CountArray

    @classmethod
    def whole(cls, population: Population, neg: CountArray, pos: CountArray) -> Blocks:
        """One block for each resample, with all its cases."""
        none = np.zeros(neg.size, dtype=np.int64)
        last = np.full(neg.size, population.neg.size - 1)
        return cls(np.arange(neg.size), none.astype(np.intp), last, none, neg, none, pos)

    def take(self, which: BoolArray | IndexArray) -> Blocks:
        """Pick some of the blocks."""
        return Blocks(*(side[which] for side in self))

    def straight(self, population: Population) -> BoolArray:
        """Tell where nothing is left to draw: one class only, or one score."""
        straight: BoolArray = (self.neg1 == self.neg0) | (self.pos1 == self.pos0)
        if population.atomic:
            straight |= self.last - self.first == 1
        return straight

    def split(self, population: Population, rng: np.random.Generator) -> Split:
        """Cut every block in the middle and draw how its cases are divided."""
        middle = (self.first + self.last) >> 1
        neg = self.neg0 + _upper_part(population.neg, self, middle, self.neg1 - self.neg0, rng)
        pos = self.pos0 + _upper_part(population.pos, self, middle, self.pos1 - self.pos0, rng)
        return Split(self, middle, neg, pos)


class Split(NamedTuple):
    """Blocks and where they were cut."""

    blocks: Blocks
    middle: IndexArray
    neg: CountArray
    pos: CountArray

    def halves(self, keep: BoolArray | slice = slice(None)) -> Blocks:
        """Both parts of each block, side by side, so that places stay in order; or some of them."""
        old = self.blocks
        # A straight piece of a smooth curve keeps its two boundaries: its parts are alike.
        straight = self.middle == old.first
        start = end = self.middle
        if straight.any():
            start, end = np.where(straight, old.first, start), np.where(straight, old.last, end)
        return Blocks(
            np.repeat(old.row, 2)[keep],
            alternate(old.first, start)[keep],
            alternate(end, old.last)[keep],
            alternate(old.neg0, self.neg)[keep],
            alternate(self.neg, old.neg1)[keep],
            alternate(old.pos0, self.pos)[keep],
            alternate(self.pos, old.pos1)[keep],
        )


def _upper_part(
    mass: np.ndarray,
    blocks: Blocks,
    middle: IndexArray,
    cases: CountArray,
    rng: np.random.Generator,
) -> CountArray:
    start = mass[blocks.first]
    width = mass[blocks.last] - start
    # Where the population has nothing the resample has no cases, and any share will do.
    share = np.divide(mass[middle] - start, width, out=np.zeros(width.size), where=width > 0)
    share[middle == blocks.first] = 0.5
    return rng.binomial(cases, share)


def alternate(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Lay out two arrays side by side: the first of both, the second of both, and so on."""
    both = np.empty(2 * one.size, dtype=one.dtype)
    both[0::2], both[1::2] = one, other
    return both

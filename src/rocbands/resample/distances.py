"""Largest distances of resampled curves from a fixed curve."""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.resample.descent import Blocks
from rocbands.resample.population import Population
from rocbands.resample.ruler import Measure

__all__ = ["largest_distances"]

SAME = 1e-12  # a bound that exceeds the best value by less is worth no further look


def largest_distances(
    population: Population,
    ruler: Measure,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw one resampled curve for each pair of class sizes and find its farthest point.

    Nothing is approximated: a block of scores is left unsplit only when no point of the resampled
    curve inside it can lie farther away than the best point found so far.

    Parameters
    ----------
    population : Population
        What the cases are drawn from.
    ruler : Measure
        What distances are measured from, and how.
    neg, pos : ndarray of int, shape (k,)
        Class sizes of each resample, all positive.
    rng : Generator
        Source of randomness.
    """
    best = np.zeros(neg.size)
    blocks = Blocks.whole(population, neg, pos)
    while True:
        straight = blocks.straight(population)
        if straight.any():
            _look_along(ruler, blocks.take(straight), neg, pos, best)
            blocks = blocks.take(~straight)
        if not blocks.row.size:
            return best
        split = blocks.split(population, rng)
        at = ruler.distance(split.neg / neg[blocks.row], split.pos / pos[blocks.row])
        _raise(best, blocks.row, at)
        halves = split.halves()
        bound = ruler.bound(*_box(halves, neg, pos))
        blocks = halves.take(bound > best[halves.row] + SAME)


def _box(
    blocks: Blocks, neg: CountArray, pos: CountArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    across, up = neg[blocks.row], pos[blocks.row]
    return blocks.neg0 / across, blocks.neg1 / across, blocks.pos0 / up, blocks.pos1 / up


def _look_along(
    ruler: Measure, blocks: Blocks, neg: CountArray, pos: CountArray, best: FloatArray
) -> None:
    """Raise the best values by what straight pieces have between their ends."""
    piece, distance = ruler.within(*_box(blocks, neg, pos))
    if piece.size:
        _raise(best, blocks.row[piece], distance)


def _raise(best: FloatArray, row: IndexArray, value: FloatArray) -> None:
    """Take the largest value of each row; rows never fall."""
    start = np.flatnonzero(np.concatenate(([True], row[1:] != row[:-1])))
    found = row[start]
    best[found] = np.maximum(best[found], np.maximum.reduceat(value, start))

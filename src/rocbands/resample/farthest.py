"""Largest distance of each resampled curve from a fixed curve: `resample_distances`.

Nothing is approximated: only those blocks of scores are drawn that can contain the farthest point
(:mod:`rocbands.resample.splitting`).
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.tolerance import SAME
from rocbands.resample.distance import Distance
from rocbands.resample.population import Population, draw_class_sizes
from rocbands.resample.splitting import Blocks
from rocbands.resample.streams import CHUNK, run_chunks

_WIDTH = 0.4  # blocks that may be dropped: at most so many for each root of a row


def resample_distances(
    population: Population,
    metric: Distance,
    sizes: tuple[int, int],
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool,
    chunk: int = CHUNK,
) -> FloatArray:
    """Draw test sets and find the largest distance of their curves from a fixed one.

    `population`: source of the cases. `metric`: the fixed curve and the distance. `sizes`:
    negatives and positives of the test set. `stratified`: keep these sizes.
    """

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        drawn = draw_class_sizes(*sizes, draws, stream, stratified=stratified)
        return find_largest_distances(population, metric, *drawn, stream)

    return np.concatenate(run_chunks(work, n_resamples, rng, size=chunk))


def find_largest_distances(
    population: Population,
    metric: Distance,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw one resampled curve for each pair of class sizes and find its farthest point.

    `neg`, `pos` (k,): class sizes of each resample, all positive.
    """
    # Branch and bound. A block of scores is dropped if the bound of its distance does not exceed
    # `best`, the largest distance found so far. Most resamples draw about log n of n scores.
    best, blocks = np.zeros(neg.size), Blocks.whole(population, neg, pos)
    too_wide = _count_wide_levels(int(neg[0] + pos[0]), population.neg.size - 1)
    for level in itertools.count():
        straight = blocks.straight()
        if straight.any():
            pieces = blocks.take(straight)
            (x0, y0), (x1, y1) = pieces.find_rates(pieces.start, pieces.end)
            piece, distance = metric.within(x0, x1, y0, y1)
            if piece.size:
                _raise_best(best, pieces.row[piece], distance)
            blocks = blocks.take(~straight)
        if not blocks.row.size:
            break
        middle, row = blocks.draw_middle(rng), blocks.row
        (x0, y0), (x, y), (x1, y1) = blocks.find_rates(blocks.start, middle, blocks.end)
        _raise_best(best, row, metric.distance(x, y))
        keep = None
        if level >= too_wide:
            # A bound that exceeds the best value only by rounding is ignored.
            limit = best[row] + SAME
            keep = metric.bound(x0, x, y0, y) > limit, metric.bound(x, x1, y, y1) > limit
        blocks = blocks.halve(middle, keep)
    return best


def _count_wide_levels(rows: int, steps: int) -> int:
    """Count the cuts after which no block can be dropped yet, so that no bound is computed.

    Distances are of the order of 1 / sqrt(n), and wider blocks may always contain a larger one.
    """
    return int(math.log2(max(min(_WIDTH * math.sqrt(rows), steps), 1.0)))


def _raise_best(best: FloatArray, row: IndexArray, distance: FloatArray) -> None:
    """Replace the best distance of each resample by a larger one; `row` is nondecreasing."""
    start = np.flatnonzero(np.concatenate(([True], row[1:] != row[:-1])))
    drawn = row[start]
    best[drawn] = np.maximum(best[drawn], np.maximum.reduceat(distance, start))

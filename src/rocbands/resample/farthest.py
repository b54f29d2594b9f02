"""Largest distance of each resampled curve from a fixed curve: `resample_distances`.

Nothing is approximated. Small test sets are drawn row by row and evaluated at every corner. For
larger ones only those blocks of scores are drawn that can contain the farthest point
(:mod:`rocbands.resample.splitting`). Drawing and counting a row takes a few nanoseconds, drawing
the split of a block about a hundred. Both give resamples of the same distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.tolerance import SAME
from rocbands.resample.curves import Rates
from rocbands.resample.distance import CurveDistance, Distance
from rocbands.resample.population import Population, draw_class_sizes
from rocbands.resample.splitting import Blocks, EvenBlocks, find_block_tables
from rocbands.resample.streams import CHUNK, run_chunks

MOST_ROWS = 3_000  # drawn one by one
_AT_ONCE = 1 << 18  # rows drawn by one thread at once
_CACHED = 1 << 14  # cases of a class whose numbers fit the cache
_PER_ROOT = 1.9  # blocks cut at once, relative to the root of the number of rows
_SOME = 8


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
    find: Callable[..., FloatArray] = find_largest_distances
    if isinstance(metric, CurveDistance) and can_draw_rows(population):
        find = find_largest_at_corners
        chunk = min(max(int(_AT_ONCE / sum(sizes)), 1), chunk)

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        drawn = draw_class_sizes(*sizes, draws, stream, stratified=stratified)
        return find(population, metric, *drawn, stream)

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
    best, blocks = _cut_at_once(population, metric, neg, pos, rng)
    while True:
        straight = blocks.straight()
        if straight.any():
            pieces = blocks.take(straight)
            (x0, y0), (x1, y1) = pieces.find_rates(pieces.start, pieces.end)
            piece, distance = metric.within(x0, x1, y0, y1)
            if piece.size:
                _raise_best(best, pieces.row[piece], distance)
            blocks = blocks.take(~straight)
        if not blocks.row.size:
            return best
        middle, row = blocks.draw_middle(rng), blocks.row
        (x0, y0), (x, y), (x1, y1) = blocks.find_rates(blocks.start, middle, blocks.end)
        far = metric.find_farther(x, y, best[row])
        if far.size:
            _raise_best(best, row[far], metric.distance(x[far], y[far]))
        # A bound that exceeds the best value only by rounding is ignored.
        limit = best[row] + SAME
        first = metric.exceeds(x0, x, y0, y, best=limit)
        second = metric.exceeds(x, x1, y, y1, best=limit)
        blocks = blocks.halve(middle, (first, second))


def _cut_at_once(
    population: Population,
    metric: Distance,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> tuple[FloatArray, Blocks]:
    """Largest distances at the ends of many blocks, and the blocks that may have larger ones."""
    # Distances are of order 1 / sqrt(n). Blocks wider than that are never dropped, so 2^levels of
    # them are cut at once. With tables, drawing is fast and more are cut.
    root, most = math.sqrt(float(neg[0] + pos[0])), int(math.log2(population.neg.size - 1))
    levels, coarse = (
        min(round(math.log2(max(times * root, 1.0))), most) for times in (_PER_ROOT, 0.4)
    )
    if find_block_tables(population, levels) is None:
        levels = coarse
    even = EvenBlocks.draw(population, neg, pos, levels, rng)
    x, y = even.above / even.sizes[:, :, None]
    # With some of the vertices first, most others need no exact distance.
    best: FloatArray = metric.distance(x[:, 1::_SOME], y[:, 1::_SOME]).max(axis=1)
    far = metric.find_farther(x.ravel(), y.ravel(), np.repeat(best, x.shape[1]))
    if far.size:
        _raise_best(best, far // x.shape[1], metric.distance(x.take(far), y.take(far)))
    boxes = x[:, :-1], x[:, 1:], y[:, :-1], y[:, 1:]
    return best, even.take(metric.exceeds(*boxes, best=best[:, None] + SAME))


def _raise_best(best: FloatArray, row: IndexArray, value: FloatArray) -> None:
    """Replace the best value of each row by a larger one; `row` is nondecreasing."""
    start = np.flatnonzero(np.concatenate(([True], row[1:] != row[:-1])))
    found = row[start]
    best[found] = np.maximum(best[found], np.maximum.reduceat(value, start))


# Few rows, drawn one by one


def can_draw_rows(population: Population) -> bool:
    """Tell whether there are few rows and no ties between classes."""
    if population.neg[-1] + population.pos[-1] > MOST_ROWS or not population.atomic:
        return False
    return not (np.diff(population.neg) * np.diff(population.pos)).any()


def find_largest_at_corners(
    population: Population,
    metric: CurveDistance,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw one resampled curve for each pair of class sizes and find its farthest point.

    As :func:`find_largest_distances`, for a metric without widths and a population whose scores are
    not tied across classes, merged into runs of one class.
    """
    # Both curves are staircases. As a function of c = y + s x, the distance to the northwest grows
    # only where the resample rises while the curve runs right, and falls only in the opposite case.
    # So it is largest at a corner that ends a run of positives. To the southeast it is largest at
    # the end of a run of negatives.
    fp = _draw_counts(np.diff(population.neg), neg, rng)
    tp = _draw_counts(np.diff(population.pos), pos, rng)
    up_first = int(population.pos[1] > 0.0)
    best = np.zeros(neg.size)
    # The j-th run of positives comes before the j-th run of negatives, or after it.
    fp_risen, fp_run = fp[:, 1 - up_first :][:, : tp.shape[1] - 1], fp[:, 1:]
    tp_risen, tp_run = tp[:, 1:], tp[:, up_first:][:, : fp.shape[1] - 1]
    _raise_at_corners(best, fp_risen, tp_risen, (neg, pos), metric, 1.0)
    _raise_at_corners(best, fp_run, tp_run, (neg, pos), metric, -1.0)
    return best


def _draw_counts(mass: FloatArray, sizes: CountArray, rng: np.random.Generator) -> CountArray:
    """Draw cases of one class; count them up to the end of each run, from 0 on."""
    rows = mass[mass > 0.0].astype(np.int64)  # of each run
    runs, total = rows.size, int(rows.sum())
    run_of_row = np.repeat(np.arange(runs), rows)
    counts = np.zeros((sizes.size, runs + 1), dtype=np.int64)
    step = max(_CACHED // total, 1)
    for start in range(0, sizes.size, step):
        part = sizes[start : start + step]
        drawn = run_of_row.take(rng.integers(0, total, int(part.sum())))
        # Run r of resample k is counted in cell k * runs + r: one bincount for all resamples.
        drawn += np.repeat(np.arange(part.size) * runs, part)
        found = np.bincount(drawn, minlength=part.size * runs)
        counts[start : start + step, 1:] = found.reshape(-1, runs)
    return np.add.accumulate(counts, axis=1, out=counts)


def _raise_at_corners(
    best: FloatArray,
    fp: CountArray,
    tp: CountArray,
    sizes: tuple[CountArray, CountArray],
    metric: CurveDistance,
    side: float,
) -> None:
    """Raise `best` by the distances of corners on one side: 1 for northwest, -1 for southeast."""
    # The first x and the last y of a group of corners bound its distance to the northwest (the last
    # x and the first y to the southeast). The group with the largest bound is measured first, then
    # those whose bound exceeds the distance found.
    corners = fp.shape[1]
    group = max(int(0.3 * np.sqrt(corners)), 1)
    first = np.arange(0, corners, group)
    last = np.minimum(first + group, corners) - 1
    one, other = (first, last) if side > 0.0 else (last, first)

    def find_rates(row: IndexArray, across: IndexArray, up: IndexArray) -> Rates:
        return Rates(fp[row, across] / sizes[0][row], tp[row, up] / sizes[1][row])

    def measure(row: IndexArray, place: IndexArray) -> None:
        corner = np.minimum(first[place, None] + np.arange(group), corners - 1)
        row = row[:, None]
        x, y = find_rates(row, corner, corner)
        far, which = (metric.bound_side(x, y, side) > best[row] + SAME).nonzero()
        if far.size:
            distance = side * metric.northwest(x[far, which], y[far, which])
            _raise_best(best, row[far, 0], distance)

    every = np.arange(best.size)
    bound = metric.bound_side(*find_rates(every[:, None], one, other), side)
    measure(every, bound.argmax(axis=1))
    measure(*(bound > best[:, None] + SAME).nonzero())

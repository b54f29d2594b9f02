"""Resampled test sets of few rows, drawn row by row and looked at in every corner.

To draw a row and to count it takes a few nanoseconds, to draw how a block of rows is divided takes
a hundred: up to `MOST_ROWS` rows it is quicker to draw them all than to split blocks
(:mod:`rocbands.resample.splitting`). Both give resamples of the same distribution.
"""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.tolerance import SAME
from rocbands.resample.curves import Rates
from rocbands.resample.distance import CurveDistance, raise_rows
from rocbands.resample.population import Population

MOST_ROWS = 3_000
_AT_ONCE = 1 << 18  # rows drawn by one thread at once
_CACHED = 1 << 14  # of them, cases of a class whose numbers fit the cache, in memory used again


def can_draw_rows(population: Population) -> bool:
    """Tell whether there are few rows, and no scores that both classes share."""
    if population.neg[-1] + population.pos[-1] > MOST_ROWS or not population.atomic:
        return False
    return not (np.diff(population.neg) * np.diff(population.pos)).any()


def chunk_of_rows(population: Population) -> int:
    """Return how many resamples to draw at once."""
    return max(int(_AT_ONCE / (population.neg[-1] + population.pos[-1])), 1)


def find_largest_at_corners(
    population: Population,
    metric: CurveDistance,
    neg: CountArray,
    pos: CountArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw one resampled curve for each pair of class sizes and find its farthest point.

    As :func:`rocbands.resample.distance.find_largest_distances`, for a metric without widths and a
    population whose scores are not tied across classes, merged into runs of one class.

    Notes
    -----
    Both curves are stairs. Written along the lines y + s x = c, the distance to the northwest grows
    only where the resample rises while the curve runs to the right, and falls only in the opposite
    case. So it is largest where the resample turns right after it has risen: at a corner that ends
    a run of positives. To the southeast it is largest at one that ends a run of negatives.
    """
    sizes = neg, pos
    fp = _draw_counts(np.diff(population.neg), neg, rng)
    tp = _draw_counts(np.diff(population.pos), pos, rng)
    up_first = int(population.pos[1] > 0.0)
    best = np.zeros(neg.size)
    # The j-th run of positives comes before the j-th run of negatives, or behind it.
    fp_risen, fp_run = fp[:, 1 - up_first :][:, : tp.shape[1] - 1], fp[:, 1:]
    tp_risen, tp_run = tp[:, 1:], tp[:, up_first:][:, : fp.shape[1] - 1]
    _raise_at_corners(best, fp_risen, tp_risen, sizes, metric, 1.0)
    _raise_at_corners(best, fp_run, tp_run, sizes, metric, -1.0)
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
        if part.size > 1:
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
    """Raise `best` by the distances of corners on one side: 1 for northwest, -1 for southeast.

    Corners come in groups. The first x and the last y of a group are farther to the northwest than
    all of it (the last x and the first y to the southeast). The group of which most can be hoped is
    measured first, and then those that may be farther.
    """
    corners = fp.shape[1]
    group = max(int(0.3 * np.sqrt(corners)), 1)
    first = np.arange(0, corners, group)
    last = np.minimum(first + group, corners) - 1
    one, other = (first, last) if side > 0.0 else (last, first)

    def find_rates(row: IndexArray, across: IndexArray, up: IndexArray) -> Rates:
        x, y = fp[row, across] / sizes[0][row], tp[row, up] / sizes[1][row]
        return Rates(x, y)

    def measure(row: IndexArray, place: IndexArray) -> None:
        corner = np.minimum(first[place, None] + np.arange(group), corners - 1)
        row = row[:, None]
        x, y = find_rates(row, corner, corner)
        bound = metric.bound_side(x, y, side)
        far, which = (bound > best[row] + SAME).nonzero()
        if far.size:
            distance = side * metric.northwest(x[far, which], y[far, which])
            raise_rows(best, row[far, 0], distance)

    every = np.arange(best.size)
    bound = metric.bound_side(*find_rates(every[:, None], one, other), side)
    measure(every, bound.argmax(axis=1))
    measure(*(bound > best[:, None] + SAME).nonzero())

"""Resampled rates at given thresholds, at given false positive rates, or on given lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rocbands._math.ragged import expand_ranges
from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.curve import Curve
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.resample.curves import (
    ClusterSource,
    Rates,
    build_source,
    build_step_source,
    chunk_size,
    interpolate_rows,
    measure_resamples,
)
from rocbands.resample.population import Population, draw_class_sizes
from rocbands.resample.splitting import Blocks
from rocbands.resample.streams import run_chunks


def resample_rates(
    roc: RocCurve,
    steps: IndexArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Rates of resampled test sets at given thresholds.

    `steps` (k,): step i means score >= thresholds[i - 1], step 0 lies above all scores. Returns fpr
    and tpr, (n_resamples, k) each.
    """
    # All rows between two wanted steps are drawn as one step.
    vertices = np.unique(np.concatenate(([0], steps, [roc.fp.size])))
    place = np.searchsorted(vertices, steps)

    def rates_there(rates: Rates) -> FloatArray:
        return np.stack((rates.x[:, place], rates.y[:, place]), axis=1)

    source = build_step_source(roc, vertices[1:], stratified=stratified)
    both = measure_resamples(source, n_resamples, rng, rates_there)
    return both[:, 0], both[:, 1]


def resample_heights(
    roc: RocCurve,
    fpr: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> FloatArray:
    """Topmost true positive rates of resampled curves at ascending fpr (k,): (n_resamples, k)."""
    # The line x = f is met at the top of vertical segments; slanted ones (ties) are interpolated.
    return _crossings(roc, Lines(fpr, 1.0, 0.0), n_resamples, rng, stratified)[:, 1]


def resample_crossings(
    roc: RocCurve, c: FloatArray, slope: float, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Fpr where resampled curves cross the lines y + slope x = c, ascending (k,): (n, k)."""
    return _crossings(roc, Lines(c, slope, 1.0), n_resamples, rng)[:, 0]


def reweigh_crossings(
    curves: Sequence[RocCurve],
    c: FloatArray,
    slope: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Mean fpr where several curves of the same units cross the lines y + slope x = c: (n, k).

    The clusters of all curves number the same units. A unit has the same weight in all curves of a
    resample. Weights are exponential (the Bayesian bootstrap of Rubin 1981, Ann. Stat. 9, 130), so
    that no curve lacks a class, however few of the units it has.
    """
    sources = [
        ClusterSource(roc.clusters, roc.fp.size) for roc in curves if roc.clusters is not None
    ]
    assert len(sources) == len(curves), "units are numbered"
    size = sources[0].clusters.size

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        weights = stream.standard_exponential((draws, size))
        at, total = np.broadcast_to(c + SAME, (draws, c.size)), np.zeros((draws, c.size))
        for source in sources:
            rates = source.weigh(weights)
            total += interpolate_rows(at, slope * rates.x + rates.y, rates.x)
        return total / len(sources)

    most = max(size, *(source.steps for source in sources))
    return np.concatenate(run_chunks(work, n_resamples, rng, size=chunk_size(most)))


def resample_folds(
    folds: Sequence[RocCurve],
    c: FloatArray,
    slope: float,
    centre: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Draw folds with replacement, and rows within them; sum the crossings' deviations.

    `c` (k,): lines as in :func:`resample_crossings`. Returns the sums of (x - centre) and of their
    squares over the folds of each resample, (n_resamples, k) each.
    """
    size = len(folds)
    # picks[b, f]: how often resample b takes fold f. All curves of a fold are drawn at once, and
    # then added up by resample (reduceat over runs of equal b).
    picks = rng.multinomial(size, np.full(size, 1.0 / size), n_resamples)
    total, squares = np.zeros((2, n_resamples, c.size))
    for fold, times in zip(folds, picks.T, strict=True):
        drawn = resample_crossings(fold, c, slope, int(times.sum()), rng) - centre
        start = np.flatnonzero(times)
        place = np.cumsum(times[start]) - times[start]
        total[start] += np.add.reduceat(drawn, place)
        squares[start] += np.add.reduceat(drawn**2, place)
    return total, squares


class Lines(NamedTuple):
    """Parallel lines across x + up y = at, which a curve crosses one after the other."""

    at: FloatArray
    across: float
    up: float


def _crossings(
    roc: RocCurve,
    lines: Lines,
    n_resamples: int,
    rng: np.random.Generator,
    stratified: bool = False,
) -> FloatArray:
    """Return x and y of each resampled curve on each line, shape (n_resamples, 2, k)."""
    if roc.clusters is not None:
        return measure_resamples(
            build_source(roc), n_resamples, rng, lambda rates: _read(rates, lines)
        )
    population = Population.from_runs(roc)

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        sizes = draw_class_sizes(roc.n_neg, roc.n_pos, draws, stream, stratified=stratified)
        return _split_until_crossed(population, lines, *sizes, stream)

    return np.concatenate(run_chunks(work, n_resamples, rng))


def _read(rates: Rates, lines: Lines) -> FloatArray:
    """Read crossings off whole curves."""
    level = lines.across * rates.x + lines.up * rates.y
    at = np.broadcast_to(lines.at + SAME, (len(level), lines.at.size))
    return np.stack(
        (interpolate_rows(at, level, rates.x), interpolate_rows(at, level, rates.y)), axis=1
    )


def _split_until_crossed(
    population: Population, lines: Lines, neg: CountArray, pos: CountArray, rng: np.random.Generator
) -> FloatArray:
    """Split resamples where they cross the lines, and nowhere else."""
    # A line less than SAME below a vertex passes through it: at the top of a vertical segment.
    # Each block is the part of a resampled curve between two boundaries of the score axis, from
    # (x0, y0) to (x1, y1). A block that no line crosses is not split further.
    out = np.ones((neg.size, 2, lines.at.size))
    blocks = Blocks.whole(population, neg, pos)
    while blocks.row.size:
        (x0, y0), (x1, y1) = blocks.find_rates(blocks.start, blocks.end)
        low, high = lines.across * x0 + lines.up * y0, lines.across * x1 + lines.up * y1
        start = np.searchsorted(lines.at + SAME, low)
        count = np.searchsorted(lines.at + SAME, high) - start
        straight = blocks.straight()
        # Straight blocks are complete: a line crosses them in one point.
        done = np.flatnonzero(straight & (count > 0))
        line, block, _ = expand_ranges(start[done], count[done])
        owner = done[block]
        share = np.clip((lines.at[line] - low[owner]) / (high - low)[owner], 0.0, 1.0)
        out[blocks.row[owner], 0, line] = x0[owner] + share * (x1 - x0)[owner]
        out[blocks.row[owner], 1, line] = y0[owner] + share * (y1 - y0)[owner]
        blocks = blocks.take(~straight & (count > 0))
        blocks = blocks.halve(blocks.draw_middle(rng))
    return out


def choose_lines(curves: Sequence[Curve], slope: float, count: int) -> FloatArray:
    """Values of c for about `count` lines y + slope x = c, denser where the curves are long."""
    # Equal steps in c would miss the rise of a curve with very unequal classes. The lines pass
    # through points at equal distances along all curves, measured by x + y from 0 to 2.
    place = np.linspace(0.0, 2.0, count)
    through = [np.interp(place, curve.level(1.0), curve.level(slope)) for curve in curves]
    evenly = np.sort(np.concatenate(through))[:: len(through)]
    return np.unique(np.concatenate(([0.0], evenly, [1.0 + slope])))

"""Areas under resampled curves, whole or over a range of false positive rates.

Every resample is drawn row by row, score by score or cluster by cluster. `resample/large.py` draws
from the same distribution and is faster for many rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.resample.curves import Rates, RowSource, build_source, measure_resamples
from rocbands.resample.population import Population
from rocbands.resample.streams import run_chunks

_BATCH = 30_000  # rows drawn at once: few enough to fit the processor's cache
_ROWS_PER_STEP = 8  # with more rows per step, drawing counts of steps is faster than rows
_FAR = 10.0  # standard deviations: larger deviations are neglected


class FprRange(NamedTuple):
    """A range of false positive rates."""

    start: float
    stop: float

    @property
    def width(self) -> float:
        """Largest possible area over the range."""
        return self.stop - self.start

    def find_neighbourhood(self, n_neg: int) -> FprRange:
        """Return the observed rates that may be in the range after resampling."""
        # The resampled rate at an observed rate u is binomial, with variance u (1 - u) / n_neg.
        ends = np.array(self)
        far = _FAR * np.sqrt(ends * (1.0 - ends) / n_neg) + _FAR / n_neg
        return FprRange(float(ends[0] - far[0]), float(ends[1] + far[1]))


def split_pieces(rates: Rates, part: FprRange) -> tuple[FloatArray, FloatArray]:
    """Width of each segment's part inside the range, and the relative position of its centre."""
    # A segment from x0 to x1 is cut to c0 .. c1; the relative position of the centre is
    # ((c0 + c1) / 2 - x0) / (x1 - x0).
    x0, x1 = rates.x[..., :-1], rates.x[..., 1:]
    c0, c1 = np.clip(x0, *part), np.clip(x1, *part)
    share = np.zeros_like(x0)
    np.divide((c0 + c1) / 2.0 - x0, x1 - x0, out=share, where=x1 > x0)
    return c1 - c0, np.clip(share, 0.0, 1.0)


def measure_areas(rates: Rates, part: FprRange | None = None) -> FloatArray:
    """Exact area under each polyline: width times height at the centre of each segment."""
    if part is None:
        return np.asarray(np.trapezoid(rates.y, rates.x, axis=-1))
    width, share = split_pieces(rates, part)
    y0, y1 = rates.y[..., :-1], rates.y[..., 1:]
    return np.asarray(np.sum(width * (y0 + (y1 - y0) * share), axis=-1))


def resample_areas(
    roc: RocCurve, n_resamples: int, rng: np.random.Generator, part: FprRange | None = None
) -> FloatArray:
    """Areas of test sets drawn from the rows of `roc`, as many of each class as it has.

    Where `roc` has clusters, whole clusters are drawn instead, and class sizes vary.
    """
    source = build_source(roc, stratified=True)
    if roc.clusters is None:
        assert isinstance(source, RowSource)
        if part is not None:
            source = _merge_outside(source.population, part)
        elif source.steps * _ROWS_PER_STEP >= roc.n_pos + roc.n_neg:
            return np.concatenate(run_chunks(_draw_rows(roc), n_resamples, rng))
    return measure_resamples(source, n_resamples, rng, lambda rates: measure_areas(rates, part))


def _merge_outside(rows: Population, part: FprRange) -> RowSource:
    """Merge the steps that no resampled curve can have inside the range."""
    share = rows.neg / rows.neg[-1]
    near = part.find_neighbourhood(int(rows.neg[-1]))
    keep = (share >= near.start) & (share <= near.stop)
    keep[[0, -1]] = True
    return RowSource(Population(rows.neg.compress(keep), rows.pos.compress(keep)), stratified=True)


def _draw_rows(roc: RocCurve) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that draws the areas of one chunk from single rows, without sorting."""
    # Drawn negatives are counted by rank, from the highest score down. Their running total N(r) is
    # the number of drawn negatives above rank r. With ranks r_i of the drawn positives,
    #     1 - AUC = (N(r_1) + ... + N(r_m)) / (m n),
    # where N(r) is the mean of the totals before and after the negatives that tie with rank r.
    m, n = roc.n_pos, roc.n_neg
    per_step = np.diff(roc.tp, prepend=0)
    up_to = np.repeat(roc.fp, per_step)  # negatives with a score at least that of each positive
    above = np.repeat(roc.fp - np.diff(roc.fp, prepend=0), per_step)
    tied = not np.array_equal(above, up_to)

    def draw_cells(size: int, columns: int, rng: np.random.Generator) -> CountArray:
        """Draw `columns` cells in each row of a flat table of `size` rows."""
        small = np.min_scalar_type(columns - 1)  # fewer random bits, so faster
        cells = rng.integers(0, columns, (size, columns), dtype=small).astype(np.int64)
        cells += np.arange(size)[:, None] * columns
        return cells.ravel()

    def count_lost(size: int, rng: np.random.Generator) -> CountArray:
        """Twice the number of lost pairs of each resample, an integer also with ties."""
        total = np.zeros((size, n + 1), dtype=np.int64)  # N(0), ..., N(n) of each resample
        counts = np.bincount(draw_cells(size, n, rng), minlength=size * n)
        np.cumsum(counts.reshape(size, n), axis=1, out=total[:, 1:])
        twice = total.take(up_to, axis=1)
        twice += total.take(above, axis=1) if tied else twice
        picked = twice.take(draw_cells(size, m, rng))
        return np.asarray(picked.reshape(size, m).sum(axis=1))

    def draw(draws: int, rng: np.random.Generator) -> FloatArray:
        size = max(1, min(draws, _BATCH // (m + n)))
        batches = [count_lost(size, rng) for _ in range(0, draws, size)]
        return np.asarray(1.0 - np.concatenate(batches)[:draws] / (2.0 * m * n))

    return draw

"""Whole resampled curves, many at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.counts import Clusters
from rocbands.core.randomness import order_clusters
from rocbands.core.roc import RocCurve
from rocbands.resample.population import Population, draw_class_sizes
from rocbands.resample.streams import CHUNK, run_chunks

CELLS = 2_000_000  # most array elements of a chunk, for each class


class Rates(NamedTuple):
    """Vertices of many curves: false and true positive rates, one curve in each row."""

    x: FloatArray
    y: FloatArray


@dataclass(frozen=True, eq=False)
class RowSource:
    """Independent rows, drawn with replacement."""

    population: Population
    stratified: bool = False  # keep the class sizes
    # numbers of negatives and positives to draw; None for the observed numbers.
    sizes: tuple[int, int] | None = None

    @property
    def steps(self) -> int:
        """Number of vertices of each curve minus one."""
        return self.population.neg.size - 1

    def draw(self, draws: int, rng: np.random.Generator) -> Rates:
        """Draw multinomial counts for all steps at once."""
        neg, pos = self.population.neg, self.population.pos
        sizes = self.sizes or (int(neg[-1]), int(pos[-1]))
        fixed = self.stratified or self.sizes is not None
        per_class = draw_class_sizes(*sizes, draws, rng, stratified=fixed)
        return Rates(
            *(
                _rates(rng.multinomial(size, np.diff(mass) / mass[-1]))
                for size, mass in zip(per_class, (neg, pos), strict=True)
            )
        )


@dataclass(frozen=True, eq=False)
class ClusterSource:
    """Whole clusters, drawn with replacement."""

    clusters: Clusters
    steps: int  # vertices of each curve minus one

    def draw(self, draws: int, rng: np.random.Generator) -> Rates:
        """Draw how often each cluster is taken; redraw sets that lack a class."""
        # With copies c(g) of cluster g, the cases at step s are the sum of c(g) n(g, s): a product
        # of the draws and a sparse table.
        neg, pos = np.zeros((2, draws, self.steps))
        again = np.arange(draws)
        share = np.full(self.clusters.size, 1.0 / self.clusters.size)
        while again.size:
            copies = rng.multinomial(self.clusters.size, share, again.size).astype(np.float64)
            neg[again], pos[again] = self.count_cases(copies)
            again = again[(neg[again].sum(axis=1) == 0) | (pos[again].sum(axis=1) == 0)]
        return Rates(_rates(neg), _rates(pos))

    def weigh(self, copies: FloatArray) -> Rates:
        """Return the curves with given copies, or weights, of all clusters: (curves, clusters)."""
        return Rates(*map(_rates, self.count_cases(copies)))

    def count_cases(self, copies: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Count the negatives and the positives at each step, one curve in each row."""
        neg, pos = (copies @ table for table in self._tables)
        return neg, pos

    @cached_property
    def _tables(self) -> tuple[Any, Any]:
        """Cases of each cluster at each step, sparse: negatives and positives."""
        from scipy.sparse import csr_array

        shape = (self.clusters.size, self.steps)
        classes = (~self.clusters.is_positive, self.clusters.is_positive)
        cells = ((self.clusters.code[rows], self.clusters.step[rows]) for rows in classes)
        neg, pos = (csr_array((np.ones(cell[0].size), cell), shape=shape) for cell in cells)
        return neg, pos


Source: TypeAlias = RowSource | ClusterSource  # both draw curves from (0, 0) to (1, 1)


def build_source(
    roc: RocCurve, *, stratified: bool = False, future: tuple[int, int] | None = None
) -> Source:
    """Return what to resample: whole clusters if `roc` has clusters, otherwise its rows.

    `stratified`: keep the class sizes, for rows only. `future`: class sizes (n_pos, n_neg) to draw
    instead of the observed ones.
    """
    if roc.clusters is not None:
        return ClusterSource(order_clusters(roc.clusters), roc.fp.size)
    sizes = None if future is None else (future[1], future[0])
    return RowSource(Population.from_runs(roc), stratified, sizes)


def build_step_source(roc: RocCurve, steps: IndexArray, *, stratified: bool = False) -> Source:
    """Return a source whose curves have vertices at some steps of `roc` only.

    `steps` (k,): ascending, from 1 to the last step; step i means score >= thresholds[i - 1].
    """
    if roc.clusters is not None:
        clusters = order_clusters(roc.clusters)
        step = np.searchsorted(steps - 1, clusters.step)
        return ClusterSource(replace(clusters, step=step), steps.size)
    neg, pos = (np.concatenate(([0.0], side[steps - 1])) for side in (roc.fp, roc.tp))
    return RowSource(Population(neg, pos, atomic=True), stratified)


def measure_resamples(
    source: Source,
    n_resamples: int,
    rng: np.random.Generator,
    measure: Callable[[Rates], FloatArray],
) -> FloatArray:
    """Draw curves chunk by chunk, apply `measure`, and concatenate its results along rows."""
    size = chunk_size(source.steps)
    parts = run_chunks(
        lambda k, stream: measure(source.draw(k, stream)), n_resamples, rng, size=size
    )
    return np.concatenate(parts)


def chunk_size(steps: int) -> int:
    """Return the number of curves of `steps` steps to draw at once."""
    return max(1, min(CHUNK, CELLS // steps))


def _rates(counts: FloatArray | CountArray) -> FloatArray:
    total = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=total[:, 1:])
    total /= total[:, -1:]
    return total


def interpolate_rows(at: FloatArray, knots: FloatArray, values: FloatArray) -> FloatArray:
    """Interpolate row i of (`knots`, `values`) at row i of `at`; knots are nondecreasing."""
    # np.interp takes a single function. Row i is shifted right by i times more than the length of
    # any row, so that the rows do not overlap.
    far = float(knots[:, -1].max()) + 1.0
    shift = np.arange(knots.shape[0])[:, None] * far
    flat = np.interp((at + shift).ravel(), (knots + shift).ravel(), values.ravel())
    return flat.reshape(at.shape)

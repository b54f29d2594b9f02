"""Resampled rows as weights: the number of copies of each row, and the resulting areas.

The rows are sorted once for each model. The areas of a resample then need one cumulative sum of the
copies of each class and one look-up for each row, without another sort. Resamples are columns, so
that both read memory in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.counting import find_levels
from rocbands.core.rows import Rows
from rocbands.resample.streams import CHUNK, run_chunks

CELLS = 2_000_000  # most array elements of a chunk


class WeightedAreas(NamedTuple):
    """Area under the curve of each of k resamples, and each row's placement in it."""

    auc: FloatArray  # (k,) the areas
    # pos, neg: (n_pos, k) fraction of the drawn negatives below each positive, and of the drawn
    # positives above each negative, ties counted one half; also for rows that were not drawn.
    pos: FloatArray
    neg: FloatArray


class SortedRows(NamedTuple):
    """One model's rows, sorted once."""

    # pos_sorted, neg_sorted: (n_pos,) rows of each class, from the lowest score up.
    pos_sorted: IndexArray
    neg_sorted: IndexArray
    pos_rows: IndexArray  # (n_pos,) rows of the positives, in their original order
    # below_pos, below_neg: number of rows of the other class below each row, and below or equal to
    # it; rows in their original order.
    below_pos: tuple[IndexArray, IndexArray]
    below_neg: tuple[IndexArray, IndexArray]

    @classmethod
    def from_rows(cls, scores: Rows) -> SortedRows:
        """Sort all rows, and find each row's place among the rows of the other class."""
        # A row of level l has the rows of levels 0 .. l - 1 below it: counts of the other class
        # below level l, and below level l + 1, which includes its own ties.
        levels, is_positive = find_levels(scores.values), scores.is_positive
        ordered = is_positive[levels.order]
        # Positives below each level, and below all of them: from 0 to n_pos.
        pos_before = np.concatenate(([0], np.cumsum(ordered)))[levels.first]
        neg_before = levels.first - pos_before
        pos, neg = (levels.level.compress(own) for own in (is_positive, ~is_positive))
        return cls(
            levels.order.compress(ordered),
            levels.order.compress(~ordered),
            np.flatnonzero(is_positive),
            (neg_before[pos], neg_before[pos + 1]),
            (pos_before[neg], pos_before[neg + 1]),
        )

    def compute_areas(self, weights: FloatArray) -> WeightedAreas:
        """Areas of resamples; `weights` (n, k): how often each row was drawn."""
        # With weights w of the negatives below positive i, ties counted half, its placement is
        # p_i = sum w / sum of all negatives' w, and the AUC the weighted mean of p_i.
        neg, pos = (_running_sums(weights[rows]) for rows in (self.neg_sorted, self.pos_sorted))
        place_pos = _mean_of_ends(neg, self.below_pos) / neg[-1]
        place_neg = 1.0 - _mean_of_ends(pos, self.below_neg) / pos[-1]
        auc = np.einsum("ik,ik->k", weights[self.pos_rows], place_pos) / pos[-1]
        return WeightedAreas(auc, place_pos, place_neg)


def _running_sums(weights: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, ..., n rows."""
    total = np.zeros((weights.shape[0] + 1, weights.shape[1]))
    np.cumsum(weights, axis=0, out=total[1:])
    return total


def _mean_of_ends(sums: FloatArray, ends: tuple[IndexArray, IndexArray]) -> FloatArray:
    """Weight below each row, including half of the weight of equal scores."""
    low, high = ends
    if np.array_equal(low, high):
        return sums[low]
    middle: FloatArray = (sums[low] + sums[high]) / 2.0
    return middle


class MergedRows(NamedTuple):
    """Rows of one test set, those with neighbouring scores in every model as one row."""

    models: tuple[Rows, ...]  # the steps of one model, or of two on the same rows
    times: CountArray  # (n,) the number of rows that each stands for

    @classmethod
    def merge(cls, models: Sequence[Rows], count: int) -> MergedRows:
        """Merge the rows of each class in the same of `count` steps of every model.

        Steps are even along fpr + tpr. The scores of `models` are their ranks, from 0.
        """
        labels = models[0].is_positive
        cell, steps = labels.astype(np.intp), []
        for rows in models:
            pos, neg = (np.bincount(rows.values, own) for own in (labels, ~labels))
            share = pos / pos.sum() + neg / neg.sum()
            middle = np.cumsum(share) - share / 2.0  # from 0 to 2
            cell *= count
            cell += np.floor(middle * (count / 2.0)).astype(np.intp)[rows.values]
        times = np.bincount(cell)
        cells = np.flatnonzero(times)
        rest = cells
        for _ in models:
            rest, step = np.divmod(rest, count)
            steps.append(step)
        merged = tuple(Rows(rest == 1, step) for step in reversed(steps))
        return cls(merged, times[cells])


def draw_weights(
    scores: Rows,
    clusters: CountArray | None,
    n_resamples: int,
    rng: np.random.Generator,
    least: int = 1,
    times: CountArray | None = None,
) -> FloatArray:
    """Draw the number of copies of each row, as rows or whole clusters: shape (n, n_resamples).

    `clusters` (n,): cluster of each row, numbered from 0; the number of clusters is kept. `least`:
    resamples with fewer rows of a class are redrawn. `times` (n,): rows that each stands for.
    """
    units = scores.size if clusters is None else int(clusters.max()) + 1
    out = np.empty((scores.size, n_resamples))
    again = np.arange(n_resamples)
    while again.size:
        if times is None:
            # Unit u of resample k is counted in cell u * size + k: one bincount for all resamples.
            cells = rng.integers(0, units, (units, again.size)) * again.size + np.arange(again.size)
            drawn = np.bincount(cells.ravel(), minlength=units * again.size)
            drawn = drawn.reshape(units, again.size)
        else:
            total = int(times.sum())
            drawn = rng.multinomial(total, times / total, again.size).T
        weights = drawn.astype(np.float64)
        out[:, again] = weights if clusters is None else weights[clusters]
        pos = out[scores.is_positive][:, again].sum(axis=0)
        neg = out[~scores.is_positive][:, again].sum(axis=0)
        again = again[(pos < least) | (neg < least)]
    return out


def measure_weights(
    samples: Sequence[Rows],
    clusters: CountArray | None,
    n_resamples: int,
    rng: np.random.Generator,
    measure: Callable[..., FloatArray],
    least: int = 1,
    times: Sequence[CountArray | None] = (None, None),
) -> FloatArray:
    """Resample test sets chunk by chunk, apply `measure`, and concatenate its results.

    `samples`: independent test sets; models of the same rows are one test set. `clusters`, `least`:
    as for :func:`draw_weights`, and `times` for each set. `measure`: maps the weights (n, k) of
    each set to shape (..., k).
    """

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        drawn = (
            draw_weights(rows, clusters, draws, stream, least, each)
            for rows, each in zip(samples, times, strict=False)
        )
        return measure(*drawn)

    # Memory for the weights and for the placements of two models.
    rows = sum(rows.size for rows in samples) * (2 if len(samples) == 1 else 1)
    chunk = max(1, min(CHUNK, CELLS // rows))
    return np.concatenate(run_chunks(work, n_resamples, rng, size=chunk), axis=-1)

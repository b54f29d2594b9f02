"""Resampled test sets as copies of rows, and the areas under their curves.

A resample is a whole number of copies of each row. The rows are sorted once for each model; after
that every resample costs a running sum of copies and two look-ups for each row. Resamples stand in
columns, so that both go through memory in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.comparison.question import Pair
from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.scores import Scores
from rocbands.resample.streams import CHUNK, in_chunks

__all__ = ["Areas", "Sorted", "copies", "over_copies"]

CELLS = 2_000_000  # numbers that one chunk may hold


class Areas(NamedTuple):
    """Area under the curve of each resample, and each row's placement in it.

    Attributes
    ----------
    auc : ndarray of shape (k,)
        The areas.
    pos, neg : ndarray of shape (n_pos, k) and (n_neg, k)
        Placements.
    """

    auc: FloatArray
    pos: FloatArray
    neg: FloatArray


class Sorted(NamedTuple):
    """One model's rows, sorted once.

    Attributes
    ----------
    pos_rows, neg_rows : ndarray of int
        Rows of each class, from the lowest score up.
    pos_among, neg_among : pair of ndarray of int
        How many rows of the other class lie below each row, and how many below or level with it;
        rows as in the data.
    """

    pos_rows: IndexArray
    neg_rows: IndexArray
    pos_among: tuple[IndexArray, IndexArray]
    neg_among: tuple[IndexArray, IndexArray]

    @classmethod
    def of(cls, scores: Scores) -> Sorted:
        """Sort both classes, and find each row's place in the other."""
        rows = [np.flatnonzero(side) for side in (scores.is_positive, ~scores.is_positive)]
        pos, neg = (scores.values[side] for side in rows)
        pos_order, neg_order = np.argsort(pos, kind="stable"), np.argsort(neg, kind="stable")
        return cls(
            rows[0][pos_order],
            rows[1][neg_order],
            _below(neg[neg_order], pos),
            _below(pos[pos_order], neg),
        )

    def areas(self, weights: FloatArray, pos: FloatArray, neg: FloatArray) -> Areas:
        """Areas of resampled sets.

        Parameters
        ----------
        weights : ndarray of shape (n, k)
            How often each row was drawn.
        pos, neg : ndarray of shape (n_pos, k) and (n_neg, k)
            The same for the rows of each class.
        """
        sums = [_running(weights[rows]) for rows in (self.neg_rows, self.pos_rows)]
        place_pos = _middle(sums[0], self.pos_among) / sums[0][-1]
        place_neg = 1.0 - _middle(sums[1], self.neg_among) / sums[1][-1]
        auc = np.einsum("ik,ik->k", pos, place_pos) / sums[1][-1]
        return Areas(auc, place_pos, place_neg)


def _below(ordered: npt.NDArray[Any], values: npt.NDArray[Any]) -> tuple[IndexArray, IndexArray]:
    return np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")


def _running(weights: FloatArray) -> FloatArray:
    total = np.zeros((weights.shape[0] + 1, weights.shape[1]))
    np.cumsum(weights, axis=0, out=total[1:])
    return total


def _middle(sums: FloatArray, among: tuple[IndexArray, IndexArray]) -> FloatArray:
    low, high = among
    if np.array_equal(low, high):
        return sums[low]
    middle: FloatArray = (sums[low] + sums[high]) / 2.0
    return middle


def copies(
    scores: Scores,
    groups: CountArray | None,
    draws: int,
    rng: np.random.Generator,
    least: int = 1,
) -> FloatArray:
    """How often each row is drawn, of all rows or as whole groups: one resample in each column.

    A resample with fewer than `least` rows of a class is drawn again.
    """
    units = len(scores) if groups is None else int(groups.max()) + 1
    out = np.empty((len(scores), draws))
    again = np.arange(draws)
    while again.size:
        cells = rng.integers(0, units, (units, again.size)) * again.size + np.arange(again.size)
        drawn = np.bincount(cells.ravel(), minlength=units * again.size)
        weights = drawn.reshape(units, again.size).astype(np.float64)
        out[:, again] = weights if groups is None else weights[groups]
        pos = out[scores.is_positive][:, again].sum(axis=0)
        neg = out[~scores.is_positive][:, again].sum(axis=0)
        again = again[(pos < least) | (neg < least)]
    return out


def over_copies(
    pair: Pair,
    n_resamples: int,
    rng: np.random.Generator,
    measure: Callable[[FloatArray, FloatArray], FloatArray],
    least: int = 1,
) -> FloatArray:
    """Resample both sets chunk by chunk and gather what `measure` makes of them, in columns.

    On the same rows both models get the same copies.
    """

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        one = copies(pair.one, pair.groups, draws, stream, least)
        two = one if pair.paired else copies(pair.two, None, draws, stream, least)
        return measure(one, two)

    chunk = max(1, min(CHUNK, CELLS // (len(pair.one) + len(pair.two))))
    return np.concatenate(in_chunks(work, n_resamples, rng, size=chunk), axis=1)

"""Naive Bayes for numbers and categories, for all rows or in each leaf of a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands_studies.papers.learners.trees import Model, Partition, class_counts, grow, learn_sized

# A leaf learns each class as if it had seen this many rows more, spread like the whole class.
_BORROWED = 5.0
_MUST_SAVE = 0.05  # Kohavi's threshold for a split


@dataclass(frozen=True, eq=False)
class BayesModel:
    """Features that are independent given class and leaf.

    Attributes
    ----------
    leaves : Partition
        The tree; naive Bayes has one leaf.
    prior : ndarray of shape (leaves,)
        Log-odds of the classes.
    mean, spread : ndarray of shape (numbers, 2, leaves)
        Normal distribution of each number among positive rows (first) and negative ones.
    ratios : tuple of ndarray of shape (leaves, levels)
        For each category, how far each of its levels moves the log-odds.
    """

    leaves: Partition
    prior: FloatArray
    mean: FloatArray
    spread: FloatArray
    ratios: tuple[FloatArray, ...]

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return the log-odds of each row."""
        levels, leaf = self.leaves.levels, self.leaves(features)
        scores = self.prior[leaf]
        numbers = features[:, levels == 0].T
        for values, mean, spread in zip(numbers, self.mean, self.spread, strict=True):
            far, near = (((values - mean[k][leaf]) / spread[k][leaf]) ** 2 / 2 for k in (0, 1))
            scores += near - far + np.log(spread[1] / spread[0])[leaf]
        for codes, ratio in zip(features[:, levels > 0].T, self.ratios, strict=True):
            scores += ratio[leaf, codes.astype(np.intp)]
        return scores


def learn_naive_bayes(
    features: FloatArray, levels: IndexArray, y: BoolArray, rng: np.random.Generator
) -> Model:
    """Learn from all rows."""
    return _learn(features, levels, y, grow(features, levels, y, rng, max_leaves=1))


def learn_nb_tree(
    features: FloatArray, levels: IndexArray, y: BoolArray, rng: np.random.Generator
) -> Model:
    """Learn a small tree with naive Bayes in each leaf; cross-validation chooses its size."""

    def start(some: FloatArray, classes: BoolArray) -> Callable[[int], Model]:
        return lambda size: _learn(
            some, levels, classes, grow(some, levels, classes, rng, max_leaves=size)
        )

    return learn_sized(start, features, y, rng, _MUST_SAVE)


def _learn(features: FloatArray, levels: IndexArray, y: BoolArray, leaves: Partition) -> BayesModel:
    leaf = leaves(features)
    counts = class_counts(leaf, leaves.n_leaves, y)
    numbers = [_normal(values, leaf, counts, y) for values in features[:, levels == 0].T]
    mean, spread = np.reshape(numbers, (-1, 2, 2, leaves.n_leaves)).swapaxes(0, 1)
    ratios = tuple(
        _ratio(features[:, column].astype(np.intp), int(levels[column]), leaf, counts, y)
        for column in np.flatnonzero(levels)
    )
    prior = np.log(counts[0] + 1) - np.log(counts[1] + 1)
    return BayesModel(leaves, prior, mean, spread, ratios)


def _normal(
    values: FloatArray, leaf: IndexArray, counts: IndexArray, y: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return means and standard deviations by class and leaf."""

    def sums(of: FloatArray) -> FloatArray:
        return np.stack([np.bincount(leaf[rows], of[rows], counts.shape[1]) for rows in (y, ~y)])

    total = counts.sum(axis=1, keepdims=True)
    centre = sums(values).sum(axis=1, keepdims=True) / np.maximum(total, 1)
    centre = np.where(total > 0, centre, centre[::-1])
    from_centre = values - np.where(y, *centre)
    variance = sums(from_centre**2).sum(axis=1, keepdims=True) / np.maximum(total, 1)
    variance = np.where(total > 0, variance, variance[::-1])
    # A leaf borrows a few rows, spread like those of the whole class; a class without any row
    # borrows from the other one, and so does not matter.
    borrowed = np.where(len(counts.T) > 1, _BORROWED, counts == 0)
    shift = sums(from_centre) / (counts + borrowed)
    second = (sums(from_centre**2) + borrowed * variance) / (counts + borrowed)
    # As in Weka: values are known to the mean gap between neighbours, and no normal curve is
    # narrower than a sixth of that.
    distinct = np.unique(values)
    gap = (distinct[-1] - distinct[0]) / (len(distinct) - 1) if len(distinct) > 1 else 0.01
    spread = np.sqrt(np.maximum(second - shift**2, 0))
    return centre + shift, np.maximum(spread, gap / 6)


def _ratio(
    codes: IndexArray, size: int, leaf: IndexArray, counts: IndexArray, y: BoolArray
) -> FloatArray:
    """Return how far each level moves the log-odds, by leaf."""
    cells = leaf * size + codes
    n_leaves = counts.shape[1]
    seen = np.stack([np.bincount(cells[rows], minlength=n_leaves * size) for rows in (y, ~y)])
    seen = seen.reshape(2, n_leaves, size)
    # One row more in each level; a leaf gets a few rows more, spread like the whole class.
    whole = (seen.sum(axis=1) + 1) / (counts.sum(axis=1)[:, None] + size)
    extra = np.ones((2, 1, size)) if n_leaves == 1 else _BORROWED * whole[:, None, :]
    shares = (seen + extra) / (counts[:, :, None] + extra.sum(axis=2, keepdims=True))
    return np.asarray(np.log(shares[0]) - np.log(shares[1]))

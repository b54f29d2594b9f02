"""Trees as partitions: which leaf a row falls into, and what a leaf says of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FloatArray, IndexArray

# Raw features of some rows in, log-odds out.
Model = Callable[[FloatArray], FloatArray]

# How small trees with models in their leaves are chosen.
_FOLDS = 5
SIZES = (1, 2, 4, 8, 16)
MIN_LEAF = 15  # the originals do not split fewer than 15 (LMT) and 30 (NBTree) rows

# Pruning as in C4.5: the level of the limits of error rates, and what a leaf may cost more.
_CONFIDENCE = 0.25
_MAY_COST = 0.1


def one_hot(
    features: FloatArray, levels: IndexArray, dtype: type[np.floating[Any]] = np.float64
) -> npt.NDArray[Any]:
    """Return the numbers, then a column of 0 and 1 for each level of each category."""
    n_numbers = int(np.count_nonzero(levels == 0))
    matrix: npt.NDArray[Any] = np.zeros((len(features), n_numbers + int(levels.sum())), dtype=dtype)
    matrix[:, :n_numbers] = features[:, levels == 0]
    rows, start = np.arange(len(features)), n_numbers
    for column in np.flatnonzero(levels):
        matrix[rows, start + features[:, column].astype(np.intp)] = 1
        start += int(levels[column])
    return matrix


@dataclass(frozen=True, eq=False)
class Partition:
    """The leaves of a tree.

    Attributes
    ----------
    n_leaves : int
        Number of leaves.
    levels : ndarray of int, shape (p,)
        Number of levels of each column, 0 for numbers.
    tree : DecisionTreeClassifier or None
        The tree; none is needed where there is only one leaf.
    index : ndarray of int
        Number of the leaf, by scikit-learn's number of the node.
    """

    n_leaves: int
    levels: IndexArray
    tree: Any
    index: IndexArray

    def __call__(self, features: FloatArray) -> IndexArray:
        """Return the leaf of each row, from 0 on."""
        if self.tree is None:
            return np.zeros(len(features), dtype=np.intp)
        # Single precision is what scikit-learn's trees compare with anyway.
        nodes = self.tree.apply(one_hot(features, self.levels, np.float32))
        return np.asarray(self.index[nodes])


def grow(
    features: FloatArray,
    levels: IndexArray,
    y: BoolArray,
    rng: np.random.Generator,
    *,
    min_leaf: int = MIN_LEAF,
    max_leaves: int | None = None,
) -> Partition:
    """Grow a tree by information gain; nothing is pruned.

    Parameters
    ----------
    features, levels, y
        The rows to learn from.
    rng : Generator
        Chooses among splits that are equally good.
    min_leaf : int
        Fewest rows in a leaf.
    max_leaves : int, optional
        Most leaves; the most useful splits come first. Without it the tree grows until its leaves
        are pure or too small to split.
    """
    if max_leaves == 1:
        return Partition(1, levels, None, np.zeros(1, dtype=np.intp))
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(
        criterion="entropy",
        min_samples_leaf=min_leaf,
        max_leaf_nodes=max_leaves,
        random_state=int(rng.integers(2**31)),
    ).fit(one_hot(features, levels, np.float32), y)
    leaves = np.flatnonzero(tree.tree_.children_left < 0)
    index = np.zeros(tree.tree_.node_count, dtype=np.intp)
    index[leaves] = np.arange(len(leaves))
    return Partition(len(leaves), levels, tree, index)


def expected_errors(wrong: FloatArray, n: FloatArray) -> FloatArray:
    """Errors to be expected of leaves that were wrong for some of their n rows, pessimistically.

    n U, where U is the upper limit of an error rate after so many errors in n, exact binomial and
    one-sided at level 1 - 0.25 (Quinlan 1993, C4.5, section 4.2: U_CF(E, N) with CF = 0.25).

    Examples
    --------
    >>> np.round(expected_errors(np.array([0, 1]), np.array([6, 16])) / [6, 16], 3).tolist()
    [0.206, 0.16]
    """
    from scipy.special import betaincinv

    return np.asarray(n * betaincinv(wrong + 1, n - wrong, 1 - _CONFIDENCE))


def prune(partition: Partition, features: FloatArray, y: BoolArray) -> Partition:
    """Replace subtrees by leaves, from the bottom up, where that costs next to no errors.

    A subtree becomes a leaf if :func:`expected_errors` of that leaf are at most 0.1 more than those
    of its leaves together.
    """
    if partition.tree is None:
        return partition
    nodes = partition.tree.tree_
    reached = partition.tree.decision_path(one_hot(features, partition.levels, np.float32))
    positive, n = (np.asarray(reached.T @ of, dtype=np.float64) for of in (y, np.ones(len(y))))
    wrong = np.minimum(positive, n - positive)
    expected = expected_errors(wrong, n)
    left, right = nodes.children_left, nodes.children_right
    of_subtree, leaf = expected.copy(), left < 0
    for node in np.flatnonzero(~leaf)[::-1]:  # children have larger numbers than their parents
        of_subtree[node] = of_subtree[left[node]] + of_subtree[right[node]]
        if expected[node] <= of_subtree[node] + _MAY_COST:
            leaf[node], of_subtree[node] = True, expected[node]
    owner = np.arange(nodes.node_count)  # the leaf that a node now belongs to
    for node in np.flatnonzero(left >= 0):
        if leaf[owner[node]]:
            owner[[left[node], right[node]]] = owner[node]
    ends, index = np.flatnonzero(left < 0), np.zeros(nodes.node_count, dtype=np.intp)
    kept, index[ends] = np.unique(owner[ends], return_inverse=True)
    return Partition(len(kept), partition.levels, partition.tree, index)


@dataclass(frozen=True, eq=False)
class TreeModel:
    """A tree whose leaves each have one score."""

    leaves: Partition
    log_odds: FloatArray

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return the log-odds of each row."""
        return self.log_odds[self.leaves(features)]


def learn_tree(
    features: FloatArray,
    levels: IndexArray,
    y: BoolArray,
    rng: np.random.Generator,
    *,
    laplace: bool,
    min_leaf: int = 2,
    pruned: bool = False,
) -> TreeModel:
    """Learn a tree whose leaves score by the classes of their training rows.

    With p positive and n negative rows in a leaf, the raw score is p / (p + n) and the Laplace
    score (p + 1) / (p + n + 2); both are returned as log-odds, infinite for a raw leaf that saw
    one class only.
    """
    leaves = grow(features, levels, y, rng, min_leaf=min_leaf)
    if pruned:
        leaves = prune(leaves, features, y)
    extra = 1 if laplace else 0
    positive, negative = class_counts(leaves(features), leaves.n_leaves, y) + extra
    with np.errstate(divide="ignore"):
        return TreeModel(leaves, np.log(positive) - np.log(negative))


def class_counts(leaf: IndexArray, n_leaves: int, y: BoolArray) -> IndexArray:
    """Count the positive rows (first) and the negative rows (second) of each leaf."""
    return np.stack([np.bincount(leaf[rows], minlength=n_leaves) for rows in (y, ~y)])


def learn_sized(
    start: Callable[[FloatArray, BoolArray], Callable[[int], Model]],
    features: FloatArray,
    y: BoolArray,
    rng: np.random.Generator,
    must_save: float = 0.0,
) -> Model:
    """Learn with as many leaves as pay in cross-validation.

    Parameters
    ----------
    start : callable
        Takes features and classes and does what does not depend on the number of leaves; what it
        returns takes the number of leaves and returns a model.
    features, y
        The rows to learn from.
    rng : Generator
        Deals the rows of each class to the folds.
    must_save : float, default 0
        Share of the errors of smaller trees that a larger tree must save, and more.
    """
    fold = np.empty(len(y), dtype=np.intp)
    for rows in (y, ~y):
        fold[rows] = rng.permutation(np.count_nonzero(rows)) % _FOLDS
    errors = np.zeros(len(SIZES))
    for held_out in (fold == k for k in range(_FOLDS)):
        started = start(features[~held_out], y[~held_out])
        for i, size in enumerate(SIZES):
            guess = started(size)(features[held_out]) > 0
            errors[i] += np.count_nonzero(guess != y[held_out])
    best = 0
    for i in range(1, len(SIZES)):
        if errors[i] < (1 - must_save) * errors[best]:
            best = i
    return start(features, y)(SIZES[best])

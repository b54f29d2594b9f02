"""Logistic regression, for all rows or with a correction in each leaf of a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands_studies.papers.learners.trees import Model, Partition, grow, learn_sized, one_hot

_STEPS = 100  # about ten are needed
_RIDGE = 1.0
WEKA_RIDGE = 1e-8


def ridge_logistic(
    design: FloatArray, y: BoolArray, penalty: FloatArray, offset: FloatArray | float = 0.0
) -> FloatArray:
    """Return the coefficients that minimise the logistic loss plus a ridge, by Newton's method.

    scikit-learn's regression has no offset, and the leaves of a model tree need one.

    Parameters
    ----------
    design : ndarray of shape (n, k)
        The rows.
    y : ndarray of bool, shape (n,)
        Their classes.
    penalty : ndarray of shape (k,)
        Half of this times the square of each coefficient is added to the loss; positive.
    offset : ndarray of shape (n,), optional
        Log-odds to start from.
    """

    def loss(coefficients: FloatArray) -> float:
        log_odds = offset + design @ coefficients
        fit = np.logaddexp(0, log_odds).sum() - log_odds[y].sum()
        return float(fit + penalty @ coefficients**2 / 2)

    coefficients = np.zeros(design.shape[1])
    best = loss(coefficients)
    for _ in range(_STEPS):
        chance = expit(offset + design @ coefficients)
        slope = design.T @ (chance - y) + penalty * coefficients
        weighted = design * (chance * (1 - chance))[:, None]
        step = np.linalg.solve(weighted.T @ design + np.diag(penalty), slope)
        if slope @ step < 1e-10:  # what is left to gain, times two
            break
        # The loss is convex: a step that is short enough gains, until rounding drowns the gain.
        for length in 0.5 ** np.arange(20):
            nearer = coefficients - length * step
            if (found := loss(nearer)) < best:
                break
        else:
            break
        coefficients, best = nearer, found
    return coefficients


@dataclass(frozen=True, eq=False)
class Design:
    """A column of ones, standardised numbers, and a column for each level.

    Attributes
    ----------
    levels : ndarray of int, shape (p,)
        Number of levels of each column, 0 for numbers.
    centre, scale : ndarray of shape (numbers,)
        Mean and standard deviation of the numbers in the rows that were learned from.
    """

    levels: IndexArray
    centre: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, features: FloatArray, levels: IndexArray) -> Design:
        """Take centre and scale from these rows."""
        numbers = features[:, levels == 0]
        spread = numbers.std(axis=0)
        # A column that never varied says nothing; where it varies later, it must not explode.
        constant = spread <= 1e-12 * (1 + np.abs(numbers).max(axis=0))
        return cls(levels, numbers.mean(axis=0), np.where(constant, np.inf, spread))

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return the matrix of these rows."""
        matrix = one_hot(features, self.levels)
        numbers = matrix[:, : len(self.centre)]
        numbers -= self.centre
        numbers /= self.scale
        return np.column_stack([np.ones(len(matrix)), matrix])


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """Log-odds that are linear in the features, with coefficients of its own in each leaf."""

    design: Design
    leaves: Partition
    coefficients: FloatArray

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return the log-odds of each row."""
        levels, leaf = self.design.levels, self.leaves(features)
        weight = self.coefficients.T
        scores: FloatArray = weight[0][leaf]
        # Column by column instead of by a product of matrices, whose rounding depends on where in
        # the matrix a row stands: equal rows must be tied.
        numbers = (features[:, levels == 0] - self.design.centre) / self.design.scale
        for values, slope in zip(numbers.T, weight[1:], strict=False):
            scores += slope[leaf] * values
        start = 1 + numbers.shape[1]
        for column in np.flatnonzero(levels):
            scores += weight[start + features[:, column].astype(np.intp), leaf]
            start += int(levels[column])
        return scores


def learn_logistic(
    features: FloatArray,
    levels: IndexArray,
    y: BoolArray,
    rng: np.random.Generator,
    *,
    ridge: float = _RIDGE,
) -> Model:
    """Learn one regression from all rows."""
    return _start(levels, rng, features, y, ridge)(1)


def learn_model_tree(
    features: FloatArray, levels: IndexArray, y: BoolArray, rng: np.random.Generator
) -> Model:
    """Learn a small tree with a regression in each leaf; cross-validation chooses its size."""
    return learn_sized(partial(_start, levels, rng), features, y, rng)


def _start(
    levels: IndexArray,
    rng: np.random.Generator,
    features: FloatArray,
    y: BoolArray,
    ridge: float = _RIDGE,
) -> Callable[[int], LogisticModel]:
    """Fit the regression of the root; what is returned grows a tree and corrects it there."""
    design = Design.of(features, levels)
    matrix = design(features)
    penalty = np.full(matrix.shape[1], ridge)
    # The intercept is free, but for a trace that keeps it finite where there is only one class.
    first = np.where(np.arange(len(penalty)) == 0, min(ridge, 1e-6), penalty)
    root = ridge_logistic(matrix, y, first)
    offset = matrix @ root

    def grown(max_leaves: int) -> LogisticModel:
        leaves = grow(features, levels, y, rng, max_leaves=max_leaves)
        coefficients = np.tile(root, (leaves.n_leaves, 1))
        if leaves.n_leaves > 1:
            leaf = leaves(features)
            for k in range(leaves.n_leaves):
                rows = leaf == k
                # Pulled towards the root, intercept and all: a leaf of one class is no exception.
                coefficients[k] += ridge_logistic(matrix[rows], y[rows], penalty, offset[rows])
        return LogisticModel(design, leaves, coefficients)

    return grown

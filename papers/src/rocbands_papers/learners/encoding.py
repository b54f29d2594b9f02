"""Columns of numbers and of codes, as trees and regressions want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray, IndexArray

__all__ = ["Design", "one_hot"]


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

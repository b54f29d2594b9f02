"""Rows sorted by score: one sort, equal scores together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, IndexArray


class ScoreLevels(NamedTuple):
    """The distinct scores of a column, from the lowest up, and the rows at each."""

    order: IndexArray  # (n,) rows from the lowest score up; rows with equal scores in any order
    first: IndexArray  # (n_levels + 1,) where in `order` each level begins; the last number is n

    @property
    def size(self) -> IndexArray:
        """Number of rows at each level, shape (n_levels,)."""
        return np.diff(self.first)

    @property
    def level(self) -> IndexArray:
        """Level of each row, from 0, shape (n,)."""
        level = np.empty_like(self.order)
        level[self.order] = np.repeat(np.arange(self.first.size - 1), self.size)
        return level

    @property
    def double_midranks(self) -> CountArray:
        """Twice the mean rank of each row's level, ranks from 0: whole numbers, shape (n,)."""
        middle = self.first[:-1] + self.first[1:] - 1
        ranks: CountArray = middle[self.level].astype(np.int64)
        return ranks


def find_levels(values: npt.NDArray[Any]) -> ScoreLevels:
    """Sort scores once and find where each distinct score begins."""
    order = np.argsort(values)
    ordered = values[order]
    new = np.ones(values.size + 1, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:-1])
    return ScoreLevels(order, np.flatnonzero(new))

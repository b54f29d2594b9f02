"""Which cases two classifiers decide differently, at all operating conditions at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands._math.dominance import count_at_least
from rocbands.core.checks import CountArray, IndexArray

__all__ = ["Calls"]


@dataclass(frozen=True)
class Calls:
    """What two classifiers say of the cases of one class, at k conditions.

    Scores matter only by which thresholds they reach, so each becomes a rank among its classifier's
    thresholds: case i is called positive at condition j when ``rank[i] >= least[j]``.

    Attributes
    ----------
    rank_1, rank_2 : ndarray of int, shape (n,)
        Number of distinct thresholds that each case reaches.
    least_1, least_2 : ndarray of int, shape (k,)
        Place of each condition's threshold among the distinct ones, counted from 1.
    """

    rank_1: IndexArray
    rank_2: IndexArray
    least_1: IndexArray
    least_2: IndexArray

    @classmethod
    def of(
        cls,
        scores: tuple[npt.NDArray[Any], npt.NDArray[Any]],
        thresholds: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    ) -> Calls:
        """Rank two classifiers' scores of the same cases among their thresholds."""
        (rank_1, least_1), (rank_2, least_2) = map(_ranked, scores, thresholds)
        return cls(rank_1, rank_2, least_1, least_2)

    @property
    def size(self) -> int:
        """Number of cases."""
        return self.rank_1.size

    def at(self, conditions: IndexArray) -> Calls:
        """Return the same calls at some of the conditions; ranks become as small as they can."""
        return Calls.of(
            (self.rank_1, self.rank_2), (self.least_1[conditions], self.least_2[conditions])
        )

    def called_by_1(self) -> CountArray:
        """Count the cases that classifier 1 calls positive, at each condition."""
        return _reaching(self.rank_1, self.least_1)

    def called_by_2(self) -> CountArray:
        """Count the cases that classifier 2 calls positive, at each condition."""
        return _reaching(self.rank_2, self.least_2)

    def called_by_both(self) -> CountArray:
        """Count the cases that both call positive, at each condition."""
        order = np.lexsort((self.least_2, self.least_1))
        rising_1, rising_2 = self.least_1[order], self.least_2[order]
        if (np.diff(rising_2) < 0).any():
            return self._both_in_any_order()
        # Thresholds rise together: each classifier calls a case at the first few conditions, and
        # both call it at the fewer of them.
        many = [
            np.searchsorted(rising, np.arange(int(rank.max(initial=0)) + 1), side="right")[rank]
            for rising, rank in ((rising_1, self.rank_1), (rising_2, self.rank_2))
        ]
        both = np.empty(order.size, np.int64)
        both[order] = _reaching(np.minimum(*many), np.arange(1, order.size + 1))
        return both

    def discordant(self) -> tuple[CountArray, CountArray]:
        """Count the cases that only classifier 1, and that only classifier 2 calls positive."""
        both = self.called_by_both()
        return self.called_by_1() - both, self.called_by_2() - both

    def _both_in_any_order(self) -> CountArray:
        # Ranks that fit into 16 bits are sorted by counting; that makes sorting cheap.
        small = np.min_scalar_type(int(self.rank_1.max(initial=0)))
        order = np.argsort(self.rank_1.astype(small), kind="stable")
        first = self.size - self.called_by_1()
        return count_at_least(self.rank_2[order], first, self.least_2).astype(np.int64)


def _ranked(
    scores: npt.NDArray[Any], thresholds: npt.NDArray[Any]
) -> tuple[IndexArray, IndexArray]:
    steps, place = np.unique(thresholds, return_inverse=True)
    return np.searchsorted(steps, scores, side="right"), place.reshape(-1) + 1


def _reaching(rank: IndexArray, least: IndexArray) -> CountArray:
    """Count the ranks that are at least `least`."""
    top = max(int(rank.max(initial=0)), int(least.max(initial=0)))
    at_least = np.bincount(rank, minlength=top + 1)[::-1].cumsum()[::-1]
    return at_least[least].astype(np.int64)

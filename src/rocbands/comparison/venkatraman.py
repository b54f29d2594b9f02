"""Venkatraman and Begg's test of equal curves on the same rows: swap the models' ranks row by row.

Let P_1(k) and P_2(k) be the numbers of positives among the k rows that model 1, or 2, ranks lowest.
The statistic is the area between the curves (Venkatraman and Begg 1996)

    E = mean over k = 1, ..., n of |P_1(k) - P_2(k)| / (number of positives),

compared with its distribution when ranks are swapped between the models in random rows.

* A swapped row gets a rank that another row already has. Which of the two comes first is one random
  choice for the whole draw: a choice for each row would make swapped curves closer to each other
  than observed curves can be.
* Tied rows are put in a random order, the same for both models, before their ranks are swapped.
* Ties make straight sloped segments of the observed curves; swapped curves get them at the same
  ranks.

The swaps are drawn here and not in resample/: no other method swaps ranks within rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.comparison.equal_curves import EqualCurvesTest
from rocbands.comparison.method import ComparisonRequest, Outcome
from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.counting import find_levels
from rocbands.core.method import Extra
from rocbands.core.pair import Pair
from rocbands.core.tolerance import SLACK
from rocbands.resample.streams import CHUNK, run_chunks

CELLS = 1_000_000  # most array elements of a chunk


@dataclass(frozen=True)
class VenkatramanTest(EqualCurvesTest):
    """Permutation test of equal curves; the interval of the areas' difference is DeLong's."""

    name: ClassVar[str] = "venkatraman"
    drawn: ClassVar[str] = "random swaps"
    handles: ClassVar[tuple[Extra, ...]] = ("paired", "clusters")
    guarantee: ClassVar[str] = "close to the level, measured; conservative with few levels"
    idea: ClassVar[str] = "area between the curves against that of randomly swapped ranks"
    references: ClassVar[tuple[str, ...]] = (
        "Venkatraman and Begg (1996), A distribution-free procedure for comparing receiver "
        "operating characteristic curves from a paired experiment, Biometrika 83, 835-848.",
    )

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        return super().run_test(pair.sort_rows(), request)

    def draw_distances(self, pair: Pair, request: ComparisonRequest) -> tuple[float, int]:
        ranked = RankedPair.from_pair(pair)
        distance = compute_observed_distance(ranked)
        drawn = draw_swapped_distances(ranked, pair.drawn.clusters, self.n_resamples, request.rng)
        # Equal distances up to rounding count as exceeding.
        return distance, int(np.count_nonzero(drawn >= distance * (1.0 - SLACK) - SLACK**2))


class TiedRanks(NamedTuple):
    """One model's ranks, with the runs of tied rows."""

    level: IndexArray  # (n,) rank of each row's score among the distinct ones, from the lowest
    # (n,) numbers of rows below the level of the k-th lowest row, and up to its end
    first: IndexArray
    last: IndexArray

    @classmethod
    def from_values(cls, values: npt.NDArray[np.generic]) -> TiedRanks:
        """Find the levels of a column of scores."""
        levels = find_levels(values)
        ends = (np.repeat(side, levels.size) for side in (levels.first[:-1], levels.first[1:]))
        return cls(levels.level, *ends)

    @property
    def untied(self) -> bool:
        """Whether every row has a score of its own."""
        return bool((self.last - self.first == 1).all())

    def break_ties(self, order: FloatArray) -> IndexArray:
        """Ranks from 0, shape (k, n); ties in the order of the given numbers from [0, 1)."""
        if self.untied:
            return np.broadcast_to(self.level, order.shape)
        # Sort by level, ties by the numbers from [0, 1); ranks are the inverse permutation.
        rows = np.argsort(self.level + order, axis=1)
        rank = np.empty_like(rows)
        np.put_along_axis(rank, rows, np.arange(self.level.size)[None], axis=1)
        return rank

    def interpolate_ties(self, counts: FloatArray) -> FloatArray:
        """Replace the counts within each level by a straight line between the level's ends.

        `counts` has shape (k, n): positives among the 1, ..., n lowest rows.
        """
        if self.untied:
            return counts
        total = np.concatenate((np.zeros((len(counts), 1)), counts), axis=1)
        # (k - first) / (last - first): how far the k-th row is through its level.
        share = (np.arange(1, self.level.size + 1) - self.first) / (self.last - self.first)
        low = total[:, self.first]
        sloped: FloatArray = low + share * (total[:, self.last] - low)
        return sloped


class RankedPair(NamedTuple):
    """The ranks of the same rows by two models."""

    is_positive: BoolArray
    one: TiedRanks
    two: TiedRanks

    @classmethod
    def from_pair(cls, pair: Pair) -> RankedPair:
        """Rank the rows by both models."""
        one, two = (TiedRanks.from_values(scores.values) for scores in (pair.one, pair.two))
        return cls(pair.one.is_positive, one, two)


class Swaps(NamedTuple):
    """The random choices of k draws."""

    swap: BoolArray  # (k, n) which rows get the other model's rank
    order: FloatArray  # (k, n) numbers from [0, 1) that order tied rows
    first: CountArray  # (k,) 0 or 1: which model's ranks come before equal ones of the other

    @classmethod
    def draw(
        cls, ranked: RankedPair, clusters: CountArray | None, k: int, rng: np.random.Generator
    ) -> Swaps:
        """Draw swaps, of single rows or of whole clusters, and the order of ties."""
        size = ranked.is_positive.size
        units = size if clusters is None else int(clusters.max()) + 1
        swap = rng.integers(0, 2, (k, units), dtype=np.uint8).astype(np.bool_)
        untied = ranked.one.untied and ranked.two.untied
        order = np.zeros((k, size)) if untied else rng.random((k, size))
        return cls(swap if clusters is None else swap[:, clusters], order, rng.integers(0, 2, k))


def compute_distances(ranked: RankedPair, swaps: Swaps) -> FloatArray:
    """Distance E between the curves after each of k draws."""
    # Even and odd places for the two models, so that places are distinct; `first` breaks ties.
    one = 2 * ranked.one.break_ties(swaps.order) + swaps.first[:, None]
    two = 2 * ranked.two.break_ties(swaps.order) + 1 - swaps.first[:, None]
    counts = [
        _count_positives_below(place, ranked.is_positive)
        for place in (np.where(swaps.swap, two, one), np.where(swaps.swap, one, two))
    ]
    gap = ranked.one.interpolate_ties(counts[0]) - ranked.two.interpolate_ties(counts[1])
    distance: FloatArray = np.abs(gap).mean(axis=1) / np.count_nonzero(ranked.is_positive)
    return distance


def _count_positives_below(place: IndexArray, is_positive: BoolArray) -> FloatArray:
    """Positives among the k lowest rows, k = 1, ..., n; places are distinct and below 2 n."""
    # A counting sort: mark the occupied places, and those of positives, in a table of 2 n cells.
    # The marks of positives at the occupied cells are the classes in ascending order.
    draws, size = place.shape
    cell = place + np.arange(draws)[:, None] * (2 * size)  # 2 n cells for each draw
    occupied, positive = np.zeros((2, draws * 2 * size), dtype=np.bool_)
    occupied[cell.ravel()] = True
    positive[cell[:, is_positive].ravel()] = True
    ordered = positive[occupied].reshape(draws, size)
    return np.cumsum(ordered, axis=1, dtype=np.float64)


def compute_observed_distance(ranked: RankedPair) -> float:
    """Distance between the observed curves; it does not depend on the order of ties."""
    size = ranked.is_positive.size
    none = Swaps(np.zeros((1, size), dtype=np.bool_), np.zeros((1, size)), np.zeros(1, np.int64))
    return float(compute_distances(ranked, none)[0])


def draw_swapped_distances(
    ranked: RankedPair, clusters: CountArray | None, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Distances between the curves after random swaps."""

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        return compute_distances(ranked, Swaps.draw(ranked, clusters, draws, stream))

    chunk = max(1, min(CHUNK, CELLS // ranked.is_positive.size))
    return np.concatenate(run_chunks(work, n_resamples, rng, size=chunk))

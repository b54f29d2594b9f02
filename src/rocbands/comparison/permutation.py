"""Are two curves equal? Venkatraman and Begg's test: swap the models' ranks row by row.

Call the k lowest rows negative, by either model, and count how many positives one model loses more
than the other: averaged over all k, without sign, that is how far the curves lie apart. If the
curves are equal it hardly matters which model gave a row which rank, so the distance is compared
with those of randomly swapped ranks.

Three things keep the comparison fair. A rank that a row brings from the one model meets a row that
already has it from the other: which of the two goes first is one toss for the whole draw; averaging
over both would bring swapped curves closer together than observed ones can be. Tied rows are put in
a random order, drawn anew each time and the same for both models, before their ranks are swapped;
and the swapped curves then get slanted pieces of the same lengths as the observed ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.comparison.delong import delong
from rocbands.comparison.question import Answer, Pair, Question
from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.resample.streams import CHUNK, in_chunks

__all__ = ["Levels", "Luck", "Ranked", "apart", "observed", "permutation", "swapped"]

CELLS = 1_000_000  # numbers that one chunk may hold
ROUNDING = 1e-9  # statistics this close, relatively, are equal


class Levels(NamedTuple):
    """One model's rows as levels from the lowest score up, and how long its slanted pieces are.

    Attributes
    ----------
    level : ndarray of int, shape (n,)
        Place of each row's score among the distinct ones.
    first, last : ndarray of int, shape (n,)
        For k = 1, ..., n: where the level that the k-th lowest row belongs to begins and ends.
    """

    level: CountArray
    first: IndexArray
    last: IndexArray

    @classmethod
    def of(cls, values: npt.NDArray[np.generic]) -> Levels:
        """Find the levels."""
        _, level, size = np.unique(values, return_inverse=True, return_counts=True)
        end = np.cumsum(size)
        return cls(level.astype(np.int64), np.repeat(end - size, size), np.repeat(end, size))

    @property
    def untied(self) -> bool:
        """Whether every row has a score of its own."""
        return bool((self.last - self.first == 1).all())

    def ranks(self, order: FloatArray) -> CountArray:
        """Ranks of all rows, ties in the order of the given numbers from [0, 1): (k, n)."""
        if self.untied:
            return np.broadcast_to(self.level, order.shape)
        found = np.argsort(self.level + order, axis=1)
        rank = np.empty_like(found)
        np.put_along_axis(rank, found, np.arange(self.level.size)[None], axis=1)
        return rank

    def slanted(self, below: FloatArray) -> FloatArray:
        """Share out what each level holds evenly over its length; `below` counts row by row."""
        if self.untied:
            return below
        total = np.concatenate((np.zeros((len(below), 1)), below), axis=1)
        share = (np.arange(1, self.level.size + 1) - self.first) / (self.last - self.first)
        low = total[:, self.first]
        even: FloatArray = low + share * (total[:, self.last] - low)
        return even


class Ranked(NamedTuple):
    """The same rows by two models."""

    is_positive: BoolArray
    one: Levels
    two: Levels

    @classmethod
    def of(cls, pair: Pair) -> Ranked:
        """Find both models' levels."""
        return cls(pair.one.is_positive, Levels.of(pair.one.values), Levels.of(pair.two.values))


class Luck(NamedTuple):
    """What is left to chance in k draws.

    Attributes
    ----------
    swap : ndarray of bool, shape (k, n)
        Which rows get the other model's rank.
    order : ndarray of shape (k, n)
        Numbers from [0, 1) that order tied rows.
    first : ndarray of int, shape (k,)
        0 or 1: which model's ranks go before equal ones of the other.
    """

    swap: BoolArray
    order: FloatArray
    first: CountArray

    @classmethod
    def draw(
        cls, ranked: Ranked, groups: CountArray | None, k: int, rng: np.random.Generator
    ) -> Luck:
        """Draw swaps, of single rows or of whole groups, and the rest."""
        size = ranked.is_positive.size
        units = size if groups is None else int(groups.max()) + 1
        swap = rng.integers(0, 2, (k, units), dtype=np.uint8).astype(np.bool_)
        untied = ranked.one.untied and ranked.two.untied
        order = np.zeros((k, size)) if untied else rng.random((k, size))
        return cls(swap if groups is None else swap[:, groups], order, rng.integers(0, 2, k))


def apart(ranked: Ranked, luck: Luck) -> FloatArray:
    """How far the curves lie apart after each of the given swaps.

    Returns
    -------
    ndarray of shape (k,)
        Mean, over all numbers of rows called negative, of the distance of the true positive rates.
    """
    one = 2 * ranked.one.ranks(luck.order) + luck.first[:, None]
    two = 2 * ranked.two.ranks(luck.order) + 1 - luck.first[:, None]
    lead = ranked.one.slanted(_below(np.where(luck.swap, two, one), ranked.is_positive))
    lead = lead - ranked.two.slanted(_below(np.where(luck.swap, one, two), ranked.is_positive))
    distance: FloatArray = np.abs(lead).mean(axis=1) / np.count_nonzero(ranked.is_positive)
    return distance


def _below(place: CountArray, is_positive: BoolArray) -> FloatArray:
    """Positives among the k lowest rows, k = 1, ..., n; places are distinct and below 2 n."""
    draws, size = place.shape
    cell = place + np.arange(draws)[:, None] * (2 * size)
    row = np.zeros((2, draws * 2 * size), dtype=np.bool_)
    row[0, cell.ravel()] = True
    row[1, cell[:, is_positive].ravel()] = True
    ordered = row[1][row[0]].reshape(draws, size)
    return np.cumsum(ordered, axis=1, dtype=np.float64)


def observed(ranked: Ranked) -> float:
    """How far the observed curves lie apart; nothing is left to chance."""
    size = ranked.is_positive.size
    none = Luck(np.zeros((1, size), dtype=np.bool_), np.zeros((1, size)), np.zeros(1, np.int64))
    return float(apart(ranked, none)[0])


def swapped(
    ranked: Ranked, groups: CountArray | None, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Distances of the curves after random swaps."""

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        return apart(ranked, Luck.draw(ranked, groups, draws, stream))

    chunk = max(1, min(CHUNK, CELLS // ranked.is_positive.size))
    return np.concatenate(in_chunks(work, n_resamples, rng, size=chunk))


def permutation(
    pair: Pair, question: Question, n_resamples: int, rng: np.random.Generator
) -> Answer:
    """Test of equal curves; the interval of the areas' difference is DeLong's."""
    pair = pair.in_order()
    ranked = Ranked.of(pair)
    distance = observed(ranked)
    drawn = swapped(ranked, pair.groups, n_resamples, rng)
    hits = int(np.count_nonzero(drawn >= distance * (1.0 - ROUNDING) - ROUNDING**2))
    pvalue = (1 + hits) / (1 + n_resamples)
    notes = (
        f"The p-value is for the whole curves, from {n_resamples} random swaps; the interval is "
        "for the areas, which can be equal while the curves are not.",
    )
    if pair.least < 2:
        lonely = "With one case of a class the areas' difference has no interval."
        return Answer(-1.0, 1.0, distance, pvalue, None, None, "none", (*notes, lonely))
    areas = delong(pair, question)
    return areas._replace(statistic=distance, pvalue=pvalue, notes=(*notes, *areas.notes))

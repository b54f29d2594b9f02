"""Are two curves equal? Venkatraman and Begg's test: swap the models' ranks row by row.

Call the k highest rows positive, by either model, and count how many true positives one model finds
more than the other: summed over all k, without sign, that is how far the curves lie apart. If the
curves are equal it does not matter which model gave a row which rank, so the sum is compared with
those of randomly swapped ranks. Ties get midranks, and rows that are tied share their positives
evenly, so that no order among them is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.comparing.delong import delong
from rocbands.comparing.question import Answer, Pair, Question, ranks
from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.resample.streams import CHUNK, in_chunks

__all__ = ["Ranked", "apart", "permutation", "swapped"]

CELLS = 2_000_000  # numbers that one chunk may hold
ROUNDING = 1e-9  # statistics this close, relatively, are equal


class Ranked(NamedTuple):
    """Both models' ranks of the same rows, as levels that the two share.

    Attributes
    ----------
    is_positive : ndarray of bool, shape (n,)
        The class of each row.
    one, two : ndarray of int, shape (n,)
        Level of each row by either model, from 0.
    levels : int
        Number of levels.
    """

    is_positive: BoolArray
    one: CountArray
    two: CountArray
    levels: int

    @classmethod
    def of(cls, pair: Pair) -> Ranked:
        """Rank the rows by both models."""
        both = np.concatenate((ranks(pair.one.values), ranks(pair.two.values)))
        _, level = np.unique(both, return_inverse=True)
        one, two = level.reshape(2, -1)
        return cls(pair.one.is_positive, one, two, int(level.max()) + 1)


def apart(ranked: Ranked, swap: BoolArray) -> FloatArray:
    """How far the curves lie apart after swapping: one value for each row of `swap`.

    Parameters
    ----------
    ranked : Ranked
        The two models.
    swap : ndarray of bool, shape (k, n)
        Which rows get the other model's rank.

    Returns
    -------
    ndarray of shape (k,)
        Mean, over all numbers of rows called positive, of the distance of the true positive rates.
    """
    draws, size = swap.shape
    positive = ranked.is_positive
    level = np.where(swap, ranked.two, ranked.one) + np.arange(draws)[:, None] * ranked.levels
    cells = draws * ranked.levels
    rows = np.bincount(level.ravel(), minlength=cells)
    hits = np.bincount(level[:, positive].ravel(), minlength=cells)
    # What one model has not, the other has.
    both = np.concatenate((ranked.one, ranked.two))
    all_rows = np.bincount(both, minlength=ranked.levels)
    all_hits = np.bincount(both[np.tile(positive, 2)], minlength=ranked.levels)
    gain = _shared_out(hits, rows)
    gain -= _shared_out(np.tile(all_hits, draws) - hits, np.tile(all_rows, draws) - rows)
    lead = np.cumsum(gain.reshape(draws, size), axis=1)
    distance: FloatArray = np.abs(lead).mean(axis=1) / np.count_nonzero(positive)
    return distance


def _shared_out(hits: CountArray, rows: CountArray) -> FloatArray:
    """Positives of each level, shared evenly by its rows."""
    share: FloatArray = np.repeat(hits / np.maximum(rows, 1), rows)
    return share


def swapped(
    ranked: Ranked, groups: CountArray | None, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Distances of the curves after random swaps, of single rows or of whole groups."""
    size = ranked.is_positive.size
    units = size if groups is None else int(groups.max()) + 1

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        swap = stream.integers(0, 2, (draws, units), dtype=np.uint8).astype(np.bool_)
        return apart(ranked, swap if groups is None else swap[:, groups])

    chunk = max(1, min(CHUNK, CELLS // (size + ranked.levels)))
    return np.concatenate(in_chunks(work, n_resamples, rng, size=chunk))


def permutation(
    pair: Pair, question: Question, n_resamples: int, rng: np.random.Generator
) -> Answer:
    """Test of equal curves; the interval of the areas' difference is DeLong's."""
    pair = pair.in_order()
    ranked = Ranked.of(pair)
    observed = float(apart(ranked, np.zeros((1, ranked.one.size), dtype=np.bool_))[0])
    drawn = swapped(ranked, pair.groups, n_resamples, rng)
    hits = int(np.count_nonzero(drawn >= observed * (1.0 - ROUNDING) - ROUNDING**2))
    pvalue = (1 + hits) / (1 + n_resamples)
    notes = (
        f"The p-value is for the whole curves, from {n_resamples} random swaps; the interval is "
        "for the areas, which can be equal while the curves are not.",
    )
    if pair.least < 2:
        lonely = "With one case of a class the areas' difference has no interval."
        return Answer(-1.0, 1.0, observed, pvalue, None, None, "none", (*notes, lonely))
    areas = delong(pair, question)
    return areas._replace(statistic=observed, pvalue=pvalue, notes=(*notes, *areas.notes))

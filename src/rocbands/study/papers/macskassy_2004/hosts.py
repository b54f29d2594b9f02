"""Where the 2004 paper's test sets come from: the scores of a tree on Covertype."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from rocbands.resample.curves import Rates
from rocbands.study.dataset import DataSet
from rocbands.study.papers.paper import DataSource

__all__ = ["DATA", "Host", "learned", "trees"]

DATA = "covertype"
_ROWS = 495_141  # of which the paper learns from 256,000 and draws test sets from 125,000
_MODEL_SHARE, _HOST_SHARE = 256_000 / _ROWS, 125_000 / _ROWS
_LEARNED_FROM = 1000


@dataclass(frozen=True)
class Host:
    """Rows to draw from, counted by their score: a tree has few distinct ones.

    Attributes
    ----------
    name : str
        What tables call it.
    pos, neg : tuple of int
        Rows of either class at each score, from the highest score down.
    """

    name: str
    pos: tuple[int, ...]
    neg: tuple[int, ...]

    def __post_init__(self) -> None:
        if not sum(self.pos) or not sum(self.neg):
            raise InputError(
                f"Rows to draw from must hold both classes; there are {sum(self.pos)} positives "
                f"and {sum(self.neg)} negatives. Take more rows."
            )

    def draw(self, rng: np.random.Generator, size: int) -> Host:
        """Draw rows with replacement."""
        pos, neg = np.split(self._counts(rng, size, 1)[0], 2)
        return Host(f"{size} rows of {self.name}", tuple(pos.tolist()), tuple(neg.tolist()))

    def curves(self, rng: np.random.Generator, size: int, count: int) -> Rates:
        """Curves of sets of rows drawn with replacement, with a vertex after each score."""
        pos, neg = np.split(self._counts(rng, size, count), 2, axis=1)
        return Rates(_rates(neg), _rates(pos))

    def _counts(self, rng: np.random.Generator, size: int, count: int) -> CountArray:
        """Rows of each class and score in each set; sets without one of the classes are redrawn."""
        counts = rng.multinomial(size, self._shares, count)
        while True:
            n_pos = counts[:, : len(self.pos)].sum(axis=1)
            again = np.flatnonzero((n_pos == 0) | (n_pos == size))
            if not again.size:
                return counts
            counts[again] = rng.multinomial(size, self._shares, again.size)

    @cached_property
    def roc(self) -> RocCurve:
        """The curve of all rows; scores that no row has are left out."""
        pos, neg = np.array(self.pos), np.array(self.neg)
        seen = pos + neg > 0
        score = -np.arange(pos.size, dtype=np.float64)
        return RocCurve(score[seen], np.cumsum(neg)[seen], np.cumsum(pos)[seen])

    @cached_property
    def _shares(self) -> FloatArray:
        counts = np.array([self.pos, self.neg], dtype=np.float64).ravel()
        return np.asarray(counts / counts.sum())


def _rates(counts: CountArray) -> FloatArray:
    rates = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=rates[:, 1:])
    return np.asarray(rates / rates[:, -1:])


def learned(cases: DataSet, seed: int, number: int) -> Host:
    """Split the rows, learn a tree from 1000 of the one part, score the other."""
    from rocbands.study.learners import fit

    rng = np.random.default_rng([seed, number])
    order = rng.permutation(len(cases))
    model, host = (round(share * len(cases)) for share in (_MODEL_SHARE, _HOST_SHARE))
    rows = order[model : model + host]
    tree = fit("tree-laplace", cases, rng.choice(order[:model], _LEARNED_FROM), rng)
    scores, level = np.unique(-tree(rows), return_inverse=True)
    positive = cases.y[rows]
    sides = (level[positive], level[~positive])
    pos, neg = (np.bincount(side, minlength=scores.size).tolist() for side in sides)
    return Host(f"tree {number}", tuple(pos), tuple(neg))


def trees(data: DataSource | None, seed: int, count: int) -> tuple[Host, ...]:
    """Learn some trees, each with a split of its own."""
    if data is None:
        raise InputError(
            f"This study needs the data set {DATA!r}; it was planned without data. Name a folder "
            "of data sets."
        )
    cases: DataSet = data(DATA)
    return tuple(learned(cases, seed, number) for number in range(1, count + 1))

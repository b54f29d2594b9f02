"""Rows to draw test sets from, kept as counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from rocbands.resample.curves import Rates
from rocbands.study.populations import Finite

__all__ = ["Host"]


@dataclass(frozen=True)
class Host:
    """Rows to draw from, counted by their score; drawing costs as much as there are scores.

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

    @classmethod
    def of(cls, rows: Finite) -> Host:
        """Count the rows of a file, which are best when they have few distinct scores.

        Examples
        --------
        >>> Host.of(Finite([3.0, 2.0, 2.0], [2.0, 1.0], "a file"))
        Host(name='a file', pos=(1, 2, 0), neg=(0, 1, 1))
        """
        roc = rows.curve
        pos, neg = (np.diff(side, prepend=0).tolist() for side in (roc.tp, roc.fp))
        return cls(rows.name, tuple(pos), tuple(neg))

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

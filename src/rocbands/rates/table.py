"""Folds as rows of labels by falling score: all that rate-oriented methods look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray, frozen
from rocbands.core.roc import RocCurve
from rocbands.core.scores import Scores
from rocbands.errors import InputError
from rocbands.rates.curve import RateCurve

__all__ = ["RateTable", "positions", "ranked_labels"]

APART = 0.5  # of RateTable.spread: a bias of about a quarter of a standard error


@dataclass(frozen=True, eq=False)
class RateTable:
    """Labels of each fold by falling score; rows that share a score share their mean label.

    Attributes
    ----------
    folds : tuple of ndarrays
        1 for a positive, 0 for a negative, in between where classes share a score.
    n_pos, n_neg : ndarray of int, shape (folds,)
        Class sizes of each fold; one of them may be 0.

    Examples
    --------
    >>> table = RateTable.of_labels([[1, 1, 0, 0], [1, 0, 1, 0]])
    >>> table.counts(np.array([0.0, 0.5, 1.0]))
    array([[0., 2., 2.],
           [0., 1., 2.]])
    """

    folds: tuple[FloatArray, ...]
    n_pos: CountArray
    n_neg: CountArray

    @classmethod
    def of_labels(cls, labels: npt.ArrayLike) -> RateTable:
        """Take a matrix with a row of ranked labels for each fold."""
        rows = np.atleast_2d(np.asarray(labels, np.float64))
        sums = rows.sum(axis=1)
        n_pos = np.rint(sums)
        if not ((rows >= 0.0) & (rows <= 1.0)).all() or (np.abs(sums - n_pos) > 1e-6).any():
            raise InputError(
                "Ranked labels must lie between 0 and 1, and each fold's must add up to a whole "
                "number of positives. Where rows share a score, give all of them their mean label."
            )
        if n_pos.sum() in (0, rows.size):
            raise InputError("Ranked labels must be of both classes; all are of one.")
        n_pos = n_pos.astype(np.int64)
        return cls(tuple(frozen(row) for row in rows), n_pos, rows.shape[1] - n_pos)

    @classmethod
    def of_scores(cls, folds: Iterable[Scores]) -> RateTable:
        """Rank the rows of each fold on their own: scores of different folds never meet."""
        parts = list(folds)
        n_pos = np.array([part.n_pos for part in parts], np.int64)
        n_neg = np.array([part.n_neg for part in parts], np.int64)
        return cls(tuple(frozen(_ranked(part)) for part in parts), n_pos, n_neg)

    @property
    def sizes(self) -> CountArray:
        """Number of rows in each fold."""
        return self.n_pos + self.n_neg

    @property
    def prevalence(self) -> float:
        """Share of positives over all folds."""
        return float(self.n_pos.sum() / self.sizes.sum())

    @property
    def spread(self) -> float:
        """How far the folds' shares of positives are apart, for the precision there is.

        The variance of the shares, in units of that of one row, times the root of the number of
        rows. Adding up counts of such folds is wrong by about half as many standard errors.
        """
        pi, sizes = self.prevalence, self.sizes
        apart = ((self.n_pos / sizes - pi) ** 2 * sizes).sum() / sizes.sum()
        return float(apart / (pi * (1.0 - pi)) * np.sqrt(sizes.sum()))

    @property
    def apart(self) -> bool:
        """Whether the shares of positives are so far apart that adding up counts misleads."""
        return self.spread > APART

    @cached_property
    def kinds(self) -> tuple[tuple[int, int, int], ...]:
        """Distinct class sizes (n_pos, n_neg), and how many folds have them."""
        sizes, times = np.unique(np.stack((self.n_pos, self.n_neg)), axis=1, return_counts=True)
        return tuple((int(p), int(n), int(t)) for (p, n), t in zip(sizes.T, times, strict=True))

    def counts(self, rates: FloatArray) -> FloatArray:
        """Positives among the first rows of each fold, one row for each fold, at each rate."""
        found = np.empty((len(self.folds), rates.size))
        for row, labels in zip(found, self.folds, strict=True):
            running = np.concatenate(([0.0], np.cumsum(labels)))
            row[:] = np.interp(positions(rates, labels.size), np.arange(running.size), running)
        return found

    @cached_property
    def curve(self) -> RateCurve:
        """Share of positives at each rate, over all folds by their sizes."""
        sizes = self.sizes
        if (sizes == sizes[0]).all():
            n = int(sizes[0])
            return RateCurve(np.arange(n + 1) / n, np.mean(self.folds, axis=0))
        edges = np.unique(np.concatenate([np.arange(n + 1) / n for n in sizes]))
        middle = (edges[1:] + edges[:-1]) / 2.0
        share = np.zeros(middle.size)
        for labels in self.folds:
            share += labels.size * labels[(middle * labels.size).astype(np.int64)]
        return RateCurve(edges, share / sizes.sum())

    def vertical_average(self, fpr: FloatArray) -> FloatArray:
        """Average the folds' tpr at each fpr, for comparison; the top where a curve is vertical.

        It is not the same when the classes are swapped, as averaging at a rate is.
        """
        if not (self.n_pos.all() and self.n_neg.all()):
            raise InputError(
                "Averaging at a false positive rate needs both classes in each fold; some hold one "
                "only. Stratify the folds, or average at a rate."
            )
        total = np.zeros(fpr.size)
        for labels, p, n in zip(self.folds, self.n_pos, self.n_neg, strict=True):
            tp, fp = np.cumsum(labels), np.cumsum(1.0 - labels)
            x, y = np.concatenate(([0.0], fp / n)), np.concatenate(([0.0], tp / p))
            # Of the vertices above one another the last is the top; rounding must not part them.
            x = np.round(x, 12)
            top = np.append(np.diff(x) > 0.0, True)
            total += np.interp(fpr, x[top], y[top])
        return total / len(self.folds)


def positions(rates: FloatArray, size: int) -> FloatArray:
    """Place of each rate among `size` rows; whole where only rounding says otherwise."""
    place = rates * size
    whole = np.rint(place)
    return np.where(np.abs(place - whole) < 1e-9 * max(size, 1), whole, place)


def _ranked(scores: Scores) -> FloatArray:
    if scores.n_pos in (0, len(scores)):
        return np.full(len(scores), float(scores.n_pos > 0))
    return ranked_labels(RocCurve.from_scores(scores))


def ranked_labels(roc: RocCurve) -> FloatArray:
    """Labels of the rows behind a curve, by falling score; equal scores share their mean label."""
    tp, fp = np.diff(roc.tp, prepend=0), np.diff(roc.fp, prepend=0)
    return np.repeat(tp / (tp + fp), tp + fp)

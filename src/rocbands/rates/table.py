"""Folds as ranked labels, and the curve fitted to them: the input of all rate methods.

Section and equation numbers are those of Millard, Kull and Flach (2014), "Rate-oriented point-wise
confidence bounds for ROC curves", ECML PKDD, LNCS 8725, 404-421.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.attributes import Derived
from rocbands.core.checks import CountArray, FloatArray, IndexArray, frozen
from rocbands.core.counting import PIECE, bisect
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows
from rocbands.errors import InputError

APART = 0.5  # value of RateTable.spread with a bias of about a quarter of a standard error
MANY_ROWS = 5_000_000  # above this a test set is kept as counts, not as one label for each row


class Shares(NamedTuple):
    """Shares of positives before, at and after places along the rate."""

    before: FloatArray
    here: FloatArray
    after: FloatArray


@dataclass(frozen=True, eq=False)
class RateCurve:
    """Probability that the case at a rate is positive, constant between edges (equation 31).

    Its integral gives an ROC curve of straight lines.

    Examples
    --------
    >>> curve = RateCurve(np.array([0.0, 0.5, 1.0]), np.array([0.8, 0.2]))
    >>> curve.prevalence, curve.tpr, curve.fpr
    (0.5, array([0. , 0.8, 1. ]), array([0. , 0.2, 1. ]))
    """

    edges: FloatArray  # (bins + 1,) rates from 0 to 1, rising
    share: FloatArray  # (bins,) probability that a case whose rate lies in the bin is positive

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", frozen(self.edges))
        object.__setattr__(self, "share", frozen(np.clip(self.share, 0.0, 1.0)))

    @cached_property
    def positives(self) -> FloatArray:
        """Positives up to each edge, as a share of all cases: A(r) of equation 13."""
        return _cumulate(self.share * np.diff(self.edges))

    @cached_property
    def negatives(self) -> FloatArray:
        """Negatives up to each edge, as a share of all cases."""
        return _cumulate((1.0 - self.share) * np.diff(self.edges))

    @property
    def prevalence(self) -> float:
        """Share of positives overall."""
        return float(self.positives[-1])

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rate at each edge."""
        return np.asarray(np.clip(self.positives / self.positives[-1], 0.0, 1.0))

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate at each edge."""
        return np.asarray(np.clip(self.negatives / self.negatives[-1], 0.0, 1.0))

    @cached_property
    def even(self) -> bool:
        """Whether all bins are of one width."""
        size = self.share.size
        return bool(np.array_equal(self.edges, np.arange(size + 1) / size))

    def at_prevalence(self, prevalence: float) -> RateCurve:
        """Return the same ROC curve along the rates of another share of positives."""
        if abs(prevalence - self.prevalence) < 1e-12:
            return self
        step = np.stack((prevalence * np.diff(self.tpr), (1.0 - prevalence) * np.diff(self.fpr)))
        width = step.sum(axis=0)
        kept = width > 0.0
        edges = _cumulate(width[kept])
        return RateCurve(edges / edges[-1], step[0, kept] / width[kept])

    def shares(self, rate: FloatArray) -> Shares:
        """Shares of positives before, at and after each rate inside (0, 1): equations 18 to 20.

        A rate on an edge belongs to the bin that ends there; as printed, (20) counts it twice.
        """
        upto = np.interp(rate, self.edges, self.positives)
        bins = np.searchsorted(self.edges, rate, side="left") - 1
        here = self.share[np.clip(bins, 0, self.share.size - 1)]
        return Shares(upto / rate, here, (self.prevalence - upto) / (1.0 - rate))

    def nodes(self, n_pos: int, n_neg: int) -> list[FloatArray]:
        """Gauss-Legendre nodes in every bin: tpr, fpr, and their weights in fpr.

        Six nodes are exact to 1e-13 in a bin that one case of samples of these sizes is expected
        in; four are, where fewer than half a case is.
        """
        narrow = n_pos * np.diff(self.tpr) + n_neg * np.diff(self.fpr) < 0.5
        parts = [
            self._nodes_in(np.flatnonzero(which), count)
            for which, count in ((~narrow, 6), (narrow, 4))
            if which.any()
        ]
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _nodes_in(self, bins: IndexArray, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        place, weight = np.polynomial.legendre.leggauss(count)
        along = (place + 1.0) / 2.0

        def read_inside(values: FloatArray) -> FloatArray:
            step = np.diff(values)[bins]
            return np.asarray((values[bins][:, None] + along * step[:, None]).ravel())

        step = np.diff(self.fpr)[bins][:, None] * (weight / 2.0)
        return read_inside(self.tpr), read_inside(self.fpr), step.ravel()


@dataclass(frozen=True, eq=False)
class RateTable:
    """Labels of each fold by falling score (the ROC table); tied rows share their mean label."""

    folds: tuple[FloatArray, ...]  # 1, 0, or in between where classes share a score
    n_pos: CountArray  # (folds,) of each fold; may be 0
    n_neg: CountArray
    roc: RocCurve | None = field(default=None, kw_only=True)  # the counts it was made from, if any

    @classmethod
    def from_labels(cls, labels: npt.ArrayLike) -> RateTable:
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
    def from_folds(cls, folds: Iterable[Rows | RocCurve]) -> RateTable:
        """Rank the rows of each fold on their own; rows that are sorted are passed as a curve."""
        parts = list(folds)
        if len(parts) == 1 and isinstance(parts[0], RocCurve):
            return CurveTable(parts[0])
        n_pos = np.array([part.n_pos for part in parts], np.int64)
        n_neg = np.array([part.n_neg for part in parts], np.int64)
        return cls(tuple(frozen(_rank_rows(part)) for part in parts), n_pos, n_neg)

    @classmethod
    def from_roc(cls, roc: RocCurve) -> RateTable:
        """Take the counts of a curve, or of each of its folds; a bin counts as one score."""
        if len(roc.folds) > 1:
            return replace(cls.from_folds(roc.folds), roc=roc)
        (one,) = roc.folds or (roc,)
        return CountedTable(one) if one.n_pos + one.n_neg > MANY_ROWS else CurveTable(one)

    n_folds = Derived[int](lambda table: table.n_pos.size, "Number of folds; 1 for a test set.")
    sizes = Derived[CountArray](lambda table: table.n_pos + table.n_neg, "Rows in each fold.")

    @property
    def binned(self) -> bool:
        """Whether the order of rows inside bins is not known."""
        return self.roc is not None and self.roc.binned

    @property
    def totals(self) -> tuple[int, int]:
        """Class sizes (n_pos, n_neg) over all folds."""
        return int(self.n_pos.sum()), int(self.n_neg.sum())

    @property
    def prevalence(self) -> float:
        """Share of positives over all folds."""
        return float(self.n_pos.sum() / self.sizes.sum())

    @property
    def spread(self) -> float:
        """Variation of the folds' shares of positives, relative to sampling error.

        Their variance in units of that of one row, times the root of the number of rows. Adding up
        counts of such folds is biased by about half as many standard errors.
        """
        pi, sizes = self.prevalence, self.sizes
        if not 0.0 < pi < 1.0:  # counts were rounded
            return 0.0
        apart = ((self.n_pos / sizes - pi) ** 2 * sizes).sum() / sizes.sum()
        return float(apart / (pi * (1.0 - pi)) * np.sqrt(sizes.sum()))

    apart = Derived[bool](lambda table: table.spread > APART, "Whether adding up counts misleads.")

    @cached_property
    def kinds(self) -> tuple[tuple[int, int, int], ...]:
        """Distinct class sizes (n_pos, n_neg), and how many folds have them."""
        sizes, times = np.unique(np.stack((self.n_pos, self.n_neg)), axis=1, return_counts=True)
        return tuple((int(p), int(n), int(t)) for (p, n), t in zip(sizes.T, times, strict=True))

    def counts(self, rates: FloatArray) -> FloatArray:
        """Positives among the first rows of each fold (equation 5), at each rate."""
        return self.counts_at(np.stack([find_positions(rates, float(n)) for n in self.sizes]))

    def counts_at(self, places: FloatArray) -> FloatArray:
        """Positives among the first rows of each fold, at the ranks in the fold's row."""
        found = np.empty(places.shape)
        for row, place, labels in zip(found, places, self.folds, strict=True):
            running = _cumulate(labels)
            row[:] = np.interp(place, np.arange(running.size), running)
        return found

    @cached_property
    def curve(self) -> RateCurve:
        """Share of positives at each rate, over all folds by their sizes."""
        sizes = self.sizes
        if (sizes == sizes[0]).all():
            n = int(sizes[0])
            return RateCurve(np.arange(n + 1) / n, np.mean(self.folds, axis=0))
        # Unequal folds: constant between the union of their ranks, formula (R2).
        edges = np.unique(np.concatenate([np.arange(n + 1) / n for n in sizes]))
        middle = (edges[1:] + edges[:-1]) / 2.0
        share = np.zeros(middle.size)
        for labels in self.folds:
            share += labels.size * labels[(middle * labels.size).astype(np.int64)]
        return RateCurve(edges, share / sizes.sum())

    def vertical_average(self, fpr: FloatArray) -> FloatArray:
        """Average the folds' tpr at each fpr, for comparison; the top where a curve is vertical.

        Unlike the average at a rate, it is not symmetric in the classes.
        """
        if not (self.n_pos.all() and self.n_neg.all()):
            raise InputError(
                "Averaging at a false positive rate needs both classes in each fold; some have one "
                "only. Stratify the folds, or average at a rate."
            )
        total = np.zeros(fpr.size)
        for labels, p, n in zip(self.folds, self.n_pos, self.n_neg, strict=True):
            x, y = _cumulate(1.0 - labels) / n, _cumulate(labels) / p
            # Vertices with the same x must stay equal after rounding: the last one is the top.
            x = np.round(x, 12)
            top = np.append(np.diff(x) > 0.0, True)
            total += np.interp(fpr, x[top], y[top])
        return total / len(self.folds)


class CurveTable(RateTable):
    """One test set, with the counts of the curve `roc`; rows are ranked only when needed."""

    roc: RocCurve
    # (steps,) cumulative numbers of negatives and positives, or their weights.
    fp: npt.NDArray[Any]
    tp: npt.NDArray[Any]

    def __init__(self, roc: RocCurve) -> None:
        fp: npt.NDArray[Any] = roc.fp
        tp: npt.NDArray[Any] = roc.tp
        if not roc.has_equal_weights and roc.weights is not None:
            # Weights add up to the number of rows of equal weight with the same variance.
            w = roc.weights
            total = float(w.pos.sum() + w.neg.sum())
            scale = total / float(w.pos_squares.sum() + w.neg_squares.sum())
            fp, tp = (scale * np.cumsum(side) for side in (w.neg, w.pos))
        sizes = tp[-1:], fp[-1:]
        names = ("roc", "n_pos", "n_neg", "fp", "tp")
        vars(self).update(zip(names, (roc, *sizes, fp, tp), strict=True))

    @property
    def totals(self) -> tuple[int, int]:
        return self.roc.n_pos, self.roc.n_neg

    @cached_property
    def folds(self) -> tuple[FloatArray, ...]:
        """Labels by falling score."""
        return (frozen(rank_labels(self.roc)),)

    def counts_at(self, places: FloatArray) -> FloatArray:
        """Positives among the first rows, at each rank."""
        fp, tp = self.fp, self.tp
        if fp.size <= PIECE:
            before = np.searchsorted(fp + tp, places, "right")
        else:
            before = bisect(fp.size, lambda step: fp[step] + tp[step] <= places, places.shape)
        # Linear interpolation needs only both neighbours of each place.
        near = np.unique(np.concatenate((before, np.minimum(before + 1, fp.size)), axis=None))
        rows, found = (np.where(near > 0, side, 0) for side in self._count_rows(near - 1))
        return np.interp(places, rows, found)

    def _count_rows(self, step: IndexArray | slice) -> tuple[CountArray, CountArray]:
        """Rows and positives with scores from the thresholds of some steps up."""
        return self.fp[step] + self.tp[step], self.tp[step]


class CountedTable(CurveTable):
    """One test set that is too large for one label per row: `folds` contains an empty array."""

    folds = (frozen(np.empty(0)),)

    @cached_property
    def curve(self) -> RateCurve:
        """Share of positives at each rate: one step for each score."""
        rows, found = (np.append(0, side) for side in self._count_rows(slice(None)))
        return RateCurve(rows / rows[-1], np.diff(found) / np.diff(rows))


def find_positions(rates: FloatArray, size: float) -> FloatArray:
    """Rank of each rate among `size` rows; whole numbers up to rounding become exact."""
    place = rates * size
    whole = np.rint(place)
    return np.where(np.abs(place - whole) < 1e-9 * max(size, 1), whole, place)


def rank_labels(roc: RocCurve) -> FloatArray:
    """Labels of the rows behind a curve, by falling score; tied rows share their mean label."""
    tp, fp = np.diff(roc.tp, prepend=0), np.diff(roc.fp, prepend=0)
    return np.repeat(tp / (tp + fp), tp + fp)


def _rank_rows(rows: Rows | RocCurve) -> FloatArray:
    if isinstance(rows, RocCurve):
        return rank_labels(rows)
    if rows.n_pos in (0, rows.size):
        return np.full(rows.size, float(rows.n_pos > 0))
    return rank_labels(RocCurve.from_rows(rows))


def _cumulate(steps: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(steps)))

"""Two models' curves along a grid of false positive rates, and the law of their difference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rocbands._math.products import gram, times
from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.core.scores import PairedScores, Scores
from rocbands.resample.population import Population
from rocbands.resample.quantiles import order_statistic
from rocbands.resample.smooth import smoothed
from rocbands.resample.streams import in_chunks

__all__ = ["Law", "Side"]

ROWS = 4096  # whose influence is held at once
CURVES = 1000  # that one thread draws at once
TINY = 1e-9  # added to correlations, which need not have full rank
REACH = 0.01  # of fpr, to either side, over which the slope of a smooth curve is taken


@dataclass(frozen=True, eq=False)
class Side:
    """One model's curve at the grid.

    Attributes
    ----------
    scores : Scores
        The rows.
    threshold : ndarray of shape (k,)
        Score of the negatives at which the curve reaches each fpr.
    share : ndarray of shape (k,)
        How much of the rows at that very score is called positive there: ties are a slanted piece.
    tpr, slope : ndarray of shape (k,)
        Height of the empirical curve, and slope of the true one, estimated.
    """

    scores: Scores
    threshold: FloatArray
    share: FloatArray
    tpr: FloatArray
    slope: FloatArray

    @classmethod
    def of(cls, scores: Scores, fpr: FloatArray) -> Side:
        """Look at one model's scores along the grid."""
        roc = RocCurve.from_scores(scores)
        wanted = fpr * roc.n_neg
        step = np.searchsorted(roc.fp, wanted + 1e-9, side="right")  # at a jump: its upper end
        step = np.minimum(step, roc.fp.size - 1)
        first = np.where(step > 0, roc.fp[step - 1], 0)
        share = np.clip((wanted - first) / np.maximum(roc.fp[step] - first, 1), 0.0, 1.0)
        below = np.where(step > 0, roc.tp[step - 1], 0)
        tpr = (below + share * (roc.tp[step] - below)) / roc.n_pos
        return cls(scores, roc.thresholds[step], share, tpr, slopes(roc, fpr))

    def called(self, rows: IndexArray) -> FloatArray:
        """How much of each row is called positive at each fpr: 0, 1, or a share of a tie."""
        values = self.scores.values[rows, None]
        return np.asarray((values > self.threshold) + self.share * (values == self.threshold))


def slopes(roc: RocCurve, fpr: FloatArray) -> FloatArray:
    """Slope of the curve at each fpr, from a kernel estimate and from the curve's own chords.

    A chord spans the noise of the threshold. The more distinct scores it passes, the less it is
    needed and the more it is noise itself: it gets the weight 1 / (number of distinct scores). So
    scores without ties are left to the kernel, and a long slanted piece has the slope it has.
    """
    smooth = smoothed(Population.of_rows(roc)).curve
    low, high = np.maximum(fpr - REACH, 0.0), np.minimum(fpr + REACH, 1.0)
    kernel = (np.interp(high, smooth.x, smooth.y) - np.interp(low, smooth.x, smooth.y)) / (
        high - low
    )
    low, high = np.maximum(fpr - noise(fpr, roc.n_neg), 0.0), fpr + noise(fpr, roc.n_neg)
    high = np.minimum(high, 1.0)
    curve = roc.curve.corners()
    top, foot = ((curve.high(at) + curve.low(at)) / 2.0 for at in (high, low))
    ends = np.unique(roc.fpr)
    passed = np.searchsorted(ends, high - 1e-9) - np.searchsorted(ends, low + 1e-9, side="right")
    weight = 1.0 / (np.maximum(passed, 0) + 1.0)
    return np.asarray(weight * (top - foot) / (high - low) + (1.0 - weight) * kernel)


def noise(fpr: FloatArray, n_neg: int) -> FloatArray:
    """Return the standard error of the false positive rate of a fixed threshold."""
    return np.asarray(np.sqrt(fpr * (1.0 - fpr) / n_neg))


@dataclass(frozen=True, eq=False)
class Law:
    """The estimated law of the empirical difference around the true one: normal, at the grid.

    Attributes
    ----------
    covariance : ndarray of shape (k, k)
        Of the differences at the grid.
    floor : ndarray of shape (k,)
        Standard error of one half case of each class on either side.
    """

    covariance: FloatArray
    floor: FloatArray

    @property
    def error(self) -> FloatArray:
        """Standard error at each fpr, nowhere 0."""
        return np.asarray(np.sqrt(np.diag(self.covariance) + self.floor**2))

    @classmethod
    def of(
        cls,
        pair: PairedScores,
        sides: tuple[Side, ...],
        fpr: FloatArray,
        owners: CountArray | None,
    ) -> Law:
        """Add up the influence of all rows, or of all groups, and the roughness of the curves."""
        covariance = np.zeros((fpr.size, fpr.size))
        for part in _influence(pair, sides, fpr, owners):
            covariance += gram(part)
        n_pos, n_neg = _independent(pair, owners)
        one, two = (side.slope for side in sides)
        floor = np.sqrt(1.0 / n_pos**2 + (one**2 + two**2) / 2.0 / n_neg**2)
        # A threshold that wanders over the noise of fpr meets positives one by one: their number
        # varies like a count. At most a quarter is added: two models that agree wander together.
        count = math.sqrt(2.0 / math.pi) * noise(fpr, n_neg) * (one + two) / n_pos
        rough = np.sqrt(np.minimum(count, np.diag(covariance) / 4.0))
        # Noises of fpr laid end to end: at places farther apart other positives are met.
        place = 2.0 * math.sqrt(n_neg) * np.arcsin(np.sqrt(fpr))
        alike = np.exp(-np.abs(place[:, None] - place))
        return cls(covariance + np.outer(rough, rough) * alike, floor)

    def critical_value(self, level: float, n_resamples: int, rng: np.random.Generator) -> float:
        """Quantile of the largest deviation of a drawn difference, in standard errors."""
        correlation = self.covariance / np.outer(self.error, self.error)
        whole = correlation + TINY * np.eye(self.floor.size)
        root: FloatArray = np.asarray(np.linalg.cholesky(whole).T, dtype=np.float64)

        def work(draws: int, stream: np.random.Generator) -> FloatArray:
            drawn = times(stream.normal(size=(draws, root.shape[0])), root)
            return np.asarray(np.abs(drawn).max(axis=1))

        return order_statistic(
            np.concatenate(in_chunks(work, n_resamples, rng, size=CURVES)), level
        )


def _influence(
    pair: PairedScores, sides: tuple[Side, ...], fpr: FloatArray, owners: CountArray | None
) -> Iterator[FloatArray]:
    """Pull of all rows at the difference, some thousand rows at a time.

    Independent rows that are called alike everywhere pull alike and are taken together; of grouped
    rows the pulls are added up.
    """
    is_positive = pair.is_positive
    n_pos = int(np.count_nonzero(is_positive))
    sizes = np.array([is_positive.size - n_pos, n_pos])
    if owners is None:
        unit = 1.0 / np.sqrt(sizes * np.maximum(sizes - 1, 1))
        order, copies = _kinds(is_positive, sides)
        starts = np.arange(0, order.size, ROWS)
    else:
        n_groups = int(owners.max()) + 1
        unit = math.sqrt(n_groups / (n_groups - 1)) / sizes
        order, copies = np.argsort(owners, kind="stable"), np.ones(is_positive.size)
        firsts = np.searchsorted(owners[order], np.arange(n_groups))
        starts = np.arange(0, order.size, ROWS)
        starts = firsts[np.unique(np.searchsorted(firsts, starts, side="right") - 1)]
    for start, stop in zip(starts, [*starts[1:], order.size], strict=True):
        rows = order[start:stop]
        pull = _pull(rows, is_positive[rows], sides, fpr, unit) * np.sqrt(copies[start:stop, None])
        if owners is not None:
            ends = np.flatnonzero(np.diff(owners[rows], prepend=-1))
            pull = np.add.reduceat(pull, ends, axis=0)
        yield pull


def _kinds(is_positive: BoolArray, sides: tuple[Side, ...]) -> tuple[IndexArray, FloatArray]:
    """Pick one row of each kind, and count the rows of that kind: called alike at every fpr."""
    code = is_positive.astype(np.int64)
    for side in sides:
        rising = side.threshold[::-1]
        for end in ("left", "right"):
            at = np.searchsorted(rising, side.scores.values, side=end)
            code = code * (rising.size + 1) + at
    _, rows, copies = np.unique(code, return_index=True, return_counts=True)
    order = np.argsort(rows)  # the same whichever model comes first
    return rows[order], copies[order].astype(np.float64)


def _pull(
    rows: IndexArray,
    is_positive: BoolArray,
    sides: tuple[Side, ...],
    fpr: FloatArray,
    unit: FloatArray,
) -> FloatArray:
    one, two = sides
    first, second = one.called(rows), two.called(rows)
    up = first - second - (one.tpr - two.tpr)
    across = one.slope * (first - fpr) - two.slope * (second - fpr)
    return np.asarray(np.where(is_positive[:, None], unit[1] * up, -unit[0] * across))


def _independent(pair: PairedScores, owners: CountArray | None) -> tuple[int, int]:
    """Return how many positives and negatives there are that do not depend on each other."""
    pos = pair.is_positive
    if owners is None:
        return int(np.count_nonzero(pos)), int(np.count_nonzero(~pos))
    return np.unique(owners[pos]).size, np.unique(owners[~pos]).size

"""Tables of folds drawn from a known population, and what is true there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, frozen
from rocbands.rates.curve import RateCurve
from rocbands.rates.law import count_law, law_moments
from rocbands.rates.table import RateTable
from rocbands.study.distributions import Normal
from rocbands.study.populations import Pair

__all__ = ["BASE", "NARROW", "OTHERS", "UNBALANCED", "Design", "TableLaw", "Truth"]

_BINS = 2000  # of the rate, in which the true curve is taken to be straight
_SAME = 1e-9  # counts closer than this are equal


@dataclass(frozen=True, eq=False)
class TableLaw:
    """Law of the positives found over all folds, at each of some rates.

    Attributes
    ----------
    below : ndarray of shape (rates, most + 2)
        Probability of fewer than 0, 1, ..., most + 1 positives.

    Examples
    --------
    >>> coin = TableLaw.of_folds(np.array([[0.5, 0.5]]), folds=2)
    >>> print(coin.inside(np.array([1.0]), np.array([1.9])).round(6))
    [0.5]
    """

    below: FloatArray

    @classmethod
    def of_folds(cls, pmf: FloatArray, folds: int) -> TableLaw:
        """Add up folds, whose counts are independent and have one law: a power of its transform."""
        most = (pmf.shape[1] - 1) * folds
        size = 1 << most.bit_length()
        total = np.fft.irfft(np.fft.rfft(pmf, size, axis=1) ** folds, size, axis=1)
        below = np.zeros((pmf.shape[0], most + 2))
        np.cumsum(total[:, : most + 1], axis=1, out=below[:, 1:])
        return cls(frozen(np.clip(below, 0.0, 1.0)))

    def inside(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Probability that the count lies between the limits, or on them, at each rate."""
        most = self.below.shape[1] - 1
        first: CountArray = np.clip(np.ceil(lower - _SAME), 0, most).astype(np.int64)
        after: CountArray = np.clip(np.floor(upper + _SAME) + 1, first, most).astype(np.int64)
        row = np.arange(first.size)
        return np.asarray(self.below[row, after] - self.below[row, first])


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true of a design, at each of its rates.

    Attributes
    ----------
    recall : ndarray
        Of the population.
    expected : ndarray
        Mean recall of a table's consensus: with few rows not quite the population's.
    law : TableLaw
        Of the positives found in a table.
    """

    recall: FloatArray
    expected: FloatArray
    law: TableLaw


@dataclass(frozen=True)
class Design:
    """A table of folds of one size.

    Parameters
    ----------
    name : str
        What tables call it.
    population : Pair
        Where scores come from; they must not be tied.
    n_pos, n_neg : int
        Class sizes of each fold.
    folds : int
        How many there are.
    """

    name: str
    population: Pair
    n_pos: int
    n_neg: int
    folds: int

    @property
    def size(self) -> int:
        """Rows of a fold."""
        return self.n_pos + self.n_neg

    @property
    def places(self) -> CountArray:
        """Every place of a fold but its ends; of large ones, about a hundred."""
        step = max(1, self.size // 100)
        return np.arange(step, self.size, step)

    @property
    def rates(self) -> FloatArray:
        """Shares of cases acted on."""
        return self.places / self.size

    @property
    def middle(self) -> slice:
        """Which of the rates lie from 0.1 to 0.9."""
        kept = np.flatnonzero((self.rates > 0.1 - _SAME) & (self.rates < 0.9 + _SAME))
        return slice(int(kept[0]), int(kept[-1]) + 1)

    def draw(self, rng: np.random.Generator) -> RateTable:
        """Draw the folds' labels by falling score."""
        drawn = self.population.draw(rng, self.folds * self.n_pos, self.folds * self.n_neg)
        scores = np.hstack([part.reshape(self.folds, -1) for part in drawn])
        return RateTable.of_labels(np.argsort(-scores, axis=1) < self.n_pos)

    def recall(self, rates: FloatArray) -> FloatArray:
        """Recall of the population at each rate."""
        prevalence = self.n_pos / self.size
        truth = self.population.truth
        level = truth.level((1.0 - prevalence) / prevalence)
        return np.interp(rates / prevalence, level, truth.y)

    @property
    def truth(self) -> Truth:
        """What is true at each rate; found once."""
        return _truth(self)


@lru_cache(maxsize=16)
def _truth(design: Design) -> Truth:
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    share = design.n_pos / design.size * np.diff(design.recall(edges)) * _BINS
    pmf = count_law(RateCurve(edges, share), design.n_pos, design.n_neg)[design.places]
    return Truth(
        frozen(design.recall(design.rates)),
        frozen(law_moments(pmf)[0] / design.n_pos),
        TableLaw.of_folds(pmf, design.folds),
    )


def _normal(name: str, n_pos: int, n_neg: int, folds: int, variance: float = 1.0) -> Design:
    world = Pair(Normal(0.0, 1.0), Normal(-1.0, variance**0.5))
    return Design(name, world, n_pos, n_neg, folds)


BASE = _normal("10 folds of 25 + 25", 25, 25, 10)
NARROW = _normal("10 folds of 25 + 25, negatives' variance 0.2", 25, 25, 10, 0.2)
UNBALANCED = _normal("10 folds of 10 + 40", 10, 40, 10)
OTHERS = (
    _normal("100 folds of 25 + 25", 25, 25, 100),
    _normal("10 folds of 250 + 250", 250, 250, 10),
    _normal("one set of 50 + 50", 50, 50, 1),
    _normal("one set of 250 + 250", 250, 250, 1),
)

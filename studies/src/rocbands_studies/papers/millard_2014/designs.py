"""Tables of folds drawn from a known population, what is true there, and what is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, frozen
from rocbands.rates.bootstrap import count_at, draw_labels
from rocbands.rates.consensus import Consensus
from rocbands.rates.distribution import compute_count_pmf, compute_moments
from rocbands.rates.method import Limits, RateMethod
from rocbands.rates.table import RateCurve, RateTable
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.paper import PaperCell
from rocbands_studies.populations import Normal, Pair
from rocbands_studies.streams import Streams

_BINS = 2000  # of the rate, in which the true curve is taken to be straight
_SAME = 1e-9  # counts closer than this are equal


@dataclass(frozen=True, eq=False)
class TableCounts:
    """Distribution of the positives found over all folds, at each of some rates.

    Attributes
    ----------
    below : ndarray of shape (rates, most + 2)
        Probability of fewer than 0, 1, ..., most + 1 positives.

    Examples
    --------
    >>> coin = TableCounts.of_folds(np.array([[0.5, 0.5]]), folds=2)
    >>> print(coin.inside(np.array([1.0]), np.array([1.9])).round(6))
    [0.5]
    """

    below: FloatArray

    @classmethod
    def of_folds(cls, pmf: FloatArray, folds: int) -> TableCounts:
        """Add up independent folds that are alike: a power of their Fourier transform."""
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
    expected : ndarray
        Mean recall of a table's consensus: with few rows not quite the population's.
    """

    recall: FloatArray  # of the population
    expected: FloatArray
    counts: TableCounts  # distribution of the positives found in a table


@dataclass(frozen=True)
class Design:
    """A table of folds of one size.

    Parameters
    ----------
    n_pos, n_neg : int
        Class sizes of each fold.
    """

    name: str  # what tables call it
    population: Pair  # where scores come from; they must not be tied
    n_pos: int
    n_neg: int
    folds: int  # how many there are

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
        return RateTable.from_labels(np.argsort(-scores, axis=1) < self.n_pos)

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


def fit_true_rates(design: Design) -> RateCurve:
    """Return the population's share of positives along the rate, in many bins."""
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    return RateCurve(edges, design.n_pos / design.size * np.diff(design.recall(edges)) * _BINS)


@lru_cache(maxsize=16)
def _truth(design: Design) -> Truth:
    pmf = compute_count_pmf(fit_true_rates(design), design.n_pos, design.n_neg)[design.places]
    return Truth(
        frozen(design.recall(design.rates)),
        frozen(compute_moments(pmf)[0] / design.n_pos),
        TableCounts.of_folds(pmf, design.folds),
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


class _AtRates(PaperCell):
    """A method on tables of one design."""

    axis: ClassVar[str] = "rate"

    design: Design
    method: RateMethod
    level: float

    @property
    def target(self) -> str:
        raise NotImplementedError

    @property
    def source(self) -> object:
        return self.design

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(float(rate) for rate in self.design.rates)

    def consensus(self, streams: Streams) -> Consensus:
        """Draw a table; methods share it, and what they compute from it."""
        return streams.draw_shared(
            "data", lambda rng: Consensus.by_counts(self.design.draw(rng), self.design.rates)
        )


@dataclass(frozen=True)
class FittedCurve(_AtRates):
    """Share of new tables, drawn along the curve fitted to one table, that lie inside its limits.

    Parameters
    ----------
    new_tables : int, default 0
        Number of new tables, as in the paper; 0 takes the probability of one from its exact law,
        which is what drawn tables estimate, without their noise.

    Notes
    -----
    `inside`: the share at each rate, and `squared` its square, for the variance between tables;
    `middle` the mean over rates from 0.1 to 0.9.
    """

    design: Design  # where the table comes from
    method: RateMethod  # which limits
    level: float = 0.95  # their confidence level
    new_tables: int = 0

    @property
    def target(self) -> str:
        return "new tables of the fitted curve"

    def measure(self, streams: Streams) -> Measured:
        consensus = self.consensus(streams)
        limits = self.method(consensus, level=self.level, rng=streams.own_rng("method"))
        inside = self._inside(consensus, limits, streams)
        return {
            "middle": float(inside[self.design.middle].mean()),
            "inside": inside.tolist(),
            "squared": (inside**2).tolist(),
        }

    def _inside(self, consensus: Consensus, limits: Limits, streams: Streams) -> FloatArray:
        lower, upper = consensus.size * limits.lower, consensus.size * limits.upper
        if not self.new_tables:
            counts = streams.draw_shared("law", lambda _: self._counts(consensus))
            return counts.inside(lower, upper)
        found = streams.draw_shared(
            f"{self.new_tables} new", lambda rng: self._draw(consensus, rng)
        )
        return np.asarray(((found >= lower - 1e-9) & (found <= upper + 1e-9)).mean(axis=0))

    def _counts(self, consensus: Consensus) -> TableCounts:
        design = self.design
        pmf = compute_count_pmf(consensus.curve, design.n_pos, design.n_neg)[design.places]
        return TableCounts.of_folds(pmf, design.folds)

    def _draw(self, consensus: Consensus, rng: np.random.Generator) -> FloatArray:
        design = self.design
        count = self.new_tables * design.folds
        rows = draw_labels(consensus.curve, design.n_pos, design.n_neg, count, rng)
        found = count_at(rows, design.places.astype(np.float64))
        return np.asarray(found.reshape(self.new_tables, design.folds, -1).sum(axis=1))


@dataclass(frozen=True)
class TrueCurveAtRates(_AtRates):
    """How often limits hold what is true of the population a table was drawn from.

    Parameters
    ----------
    design, method, level
        As for `FittedCurve`.
    prediction : bool, default False
        Ask for limits for new tables.

    Notes
    -----
    `T1`: the population's recall; `T2`: the mean recall of tables of this size; `T3`: the recall of
    another table, by its exact law. Each at all rates, and as a mean over rates from 0.1 to 0.9.
    `consensus`: the share of all rates at which the table's own consensus is inside.
    """

    shares: ClassVar[tuple[str, ...]] = ("T1 at", "T2 at")

    design: Design
    method: RateMethod
    level: float = 0.95
    prediction: bool = False

    @property
    def target(self) -> str:
        return "new tables" if self.prediction else "true curve"

    def measure(self, streams: Streams) -> Measured:
        consensus = self.consensus(streams)
        design = self.design
        sizes = (design.folds * design.n_pos, design.folds * design.n_neg)
        limits = self.method(
            consensus,
            level=self.level,
            future=sizes if self.prediction else None,
            rng=streams.own_rng("method"),
        )
        lower, upper = limits.lower, limits.upper

        def between(recall: FloatArray) -> FloatArray:
            return np.asarray((recall >= lower - 1e-12) & (recall <= upper + 1e-12), np.float64)

        truth, size = self.design.truth, consensus.size
        held = {
            "T1": between(truth.recall),
            "T2": between(truth.expected),
            "T3": truth.counts.inside(size * lower, size * upper),
        }
        middle = self.design.middle
        return {
            **{name: float(inside[middle].mean()) for name, inside in held.items()},
            "consensus": float(between(consensus.tpr).mean()),
            **{f"{name} at": inside.tolist() for name, inside in held.items()},
            "width at": (upper - lower).tolist(),
        }


@dataclass(frozen=True)
class OneTable(_AtRates):
    """A picture: one table's consensus and limits beside the true curve, from rate 0 to rate 1.

    Parameters
    ----------
    design, method, level
        As for `FittedCurve`.

    Notes
    -----
    `swapped`: how far the limits move when the classes are swapped, in positives of the table.
    """

    design: Design
    method: RateMethod
    level: float = 0.95

    @property
    def target(self) -> str:
        return "picture"

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(place / self.design.size for place in range(self.design.size + 1))

    def measure(self, streams: Streams) -> Measured:
        rates = np.array(self.points)
        table = streams.draw_shared("picture", self.design.draw)
        consensus = Consensus.by_counts(table, rates)
        limits = self.method(consensus, level=self.level, rng=streams.own_rng("method"))
        swapped = RateTable.from_labels(1.0 - np.stack(table.folds)[:, ::-1])
        mirror = self.method(
            Consensus.by_counts(swapped, rates), level=self.level, rng=streams.own_rng("method")
        )
        # Among the first cases of the mirror image are the negatives among the last of the table.
        negatives = self.design.folds * self.design.n_neg
        moved = 0.0
        for limit, image in zip(limits[:2], mirror[:2], strict=True):
            found = consensus.size * limit - self.design.folds * self.design.size * rates
            moved = max(moved, float(np.abs(found + negatives * (1.0 - image[::-1])).max()))
        return {
            "true": self.design.recall(rates).tolist(),
            "consensus": consensus.tpr.tolist(),
            "lower": limits.lower.tolist(),
            "upper": limits.upper.tolist(),
            "swapped": moved,
        }

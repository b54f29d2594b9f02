"""Point by point: how often limits hold at a rate, or at an operating condition.

Along the false positive rate :class:`TrueCurve` does that with its parameter `at`.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, check_level, check_rate
from rocbands.errors import InputError, RocBandsWarning
from rocbands.study.measurements import Cell, Measured
from rocbands.study.populations import Classes, Pair, Population
from rocbands.study.streams import Streams

__all__ = ["AtConditions", "AtRates"]

_TOUCH = 1e-12


class _Pointwise(Cell):
    """A cell that compares limits with the truth at each of its points."""

    shares: ClassVar[tuple[str, ...]] = ("holds at",)

    population: Population
    classes: Classes
    method: str
    level: float

    def facts(self) -> Mapping[str, object]:
        """Name population, size, method and level."""
        return {
            "population": self.population.name,
            "size": self.classes.name,
            "method": self.method,
            "level": self.level,
        }

    @property
    def source(self) -> object:
        """Population and class sizes."""
        return (self.population, self.classes)

    @abstractmethod
    def _limits(self, y: BoolArray, scores: FloatArray, streams: Streams) -> tuple[FloatArray, ...]:
        """Lower and upper limits, and the truth, at each point."""

    def measure(self, streams: Streams) -> Measured:
        """Draw a test set and see at which points the limits hold."""
        positives, negatives = streams.draw_shared(
            "data", lambda rng: self.population.draw(rng, *self.classes.sizes(rng))
        )
        y = np.repeat([True, False], [positives.size, negatives.size])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RocBandsWarning)
            low, high, truth = self._limits(y, np.concatenate([positives, negatives]), streams)
        holds = (low <= truth + _TOUCH) & (truth <= high + _TOUCH)
        return {
            "holds at": [float(here) for here in holds],
            "width at": [float(width) for width in high - low],
        }


@dataclass(frozen=True)
class AtRates(_Pointwise):
    """How often bounds hold the true recall when a fixed share of cases is acted on.

    Parameters
    ----------
    population, classes
        Where test sets come from, and how large they are.
    method : str, default 'parametric'
        A method of :func:`rocbands.rate_bounds`.
    level : float, default 0.9
        Confidence level.
    rates : tuple of float
        Shares of cases acted on. The truth is for the prevalence of each test set.
    """

    axis: ClassVar[str] = "rate"

    population: Population
    classes: Classes
    method: str = "parametric"
    level: float = 0.9
    rates: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.5, 0.8)

    def __post_init__(self) -> None:
        check_level(self.level)
        for rate in self.rates:
            check_rate(rate, "rates")

    @property
    def points(self) -> tuple[float, ...]:
        """The rates."""
        return self.rates

    def _limits(self, y: BoolArray, scores: FloatArray, streams: Streams) -> tuple[FloatArray, ...]:
        from rocbands.rates import rate_bounds

        rates = np.array(self.rates)
        found = rate_bounds(
            y,
            scores,
            method=self.method,
            level=self.level,
            rates=rates,
            rng=streams.own_rng("method"),
        )
        prevalence = float(y.mean())
        slope = (1.0 - prevalence) / prevalence
        truth = self.population.truth
        recall = np.interp(rates / prevalence, truth.level(slope), truth.y)
        return found.lower, found.upper, recall


@dataclass(frozen=True)
class AtConditions(_Pointwise):
    """How often intervals hold the true cost of thresholds that were chosen beforehand.

    Parameters
    ----------
    population : Pair
        Where test sets come from; its distributions say what a threshold truly costs.
    classes
        How large test sets are.
    thresholds, w : tuple of float
        Thresholds, and the operating conditions that each is used at.
    method : str, default 'mover'
        A method of :func:`rocbands.cost_interval`.
    level : float, default 0.9
        Confidence level.
    """

    axis: ClassVar[str] = "w"

    population: Pair
    classes: Classes
    thresholds: tuple[float, ...]
    w: tuple[float, ...]
    method: str = "mover"
    level: float = 0.9

    def __post_init__(self) -> None:
        check_level(self.level)
        if not isinstance(self.population, Pair) or self.population.step:
            raise InputError(
                "True costs are known for a Pair of distributions without rounding; got "
                f"{self.population!r}."
            )
        if len(self.thresholds) != len(self.w):
            raise InputError(
                f"Each w needs a threshold; there are {len(self.thresholds)} thresholds for "
                f"{len(self.w)} w."
            )

    @property
    def points(self) -> tuple[float, ...]:
        """The operating conditions."""
        return self.w

    def _limits(self, y: BoolArray, scores: FloatArray, streams: Streams) -> tuple[FloatArray, ...]:
        from rocbands.cost import cost_interval

        w, cut = np.array(self.w), np.array(self.thresholds)
        found = cost_interval(y, scores, self.method, thresholds=cut, w=w, level=self.level)
        missed = 1.0 - self.population.positives.survival(cut)
        truth = w * missed + (1.0 - w) * self.population.negatives.survival(cut)
        return found.lower, found.upper, truth

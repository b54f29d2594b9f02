"""Cells of a study: a method on a population, and the figures that are measured there.

Limits at rates and operating conditions are checked pointwise; at false positive rates
:class:`TrueCurve` does that with its parameter `at`.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import BoolArray, FloatArray, check_level, check_number, check_rate
from rocbands.core.roc import RocCurve
from rocbands.cost import cost_interval
from rocbands.errors import InputError, RocBandsWarning
from rocbands.rates import rate_bounds
from rocbands_studies.populations import Classes, Pair, Population, draw_curve
from rocbands_studies.streams import Streams, digest

Measured: TypeAlias = Mapping[str, float | Sequence[float]]


class Cell(ABC):
    """One figure of a study, or several measured together.

    A cell is a frozen dataclass, so that its fields are its whole specification. A replicate
    returns numbers: those named in `shares` are 0 or 1 and get exact binomial intervals, others
    intervals for their mean; those named in `fractions` lie in [0, 1], and so do these intervals.
    A sequence has one number for each of `points`, along `axis`. A cell that is `exact` draws
    nothing: one replicate is enough, and its figures have no sampling error.
    """

    shares: ClassVar[tuple[str, ...]] = ()
    fractions: ClassVar[tuple[str, ...]] = ()
    axis: ClassVar[str] = ""
    exact: ClassVar[bool] = False

    @abstractmethod
    def facts(self) -> Mapping[str, object]:
        """Return the first columns of the cell's row in a table."""

    @abstractmethod
    def measure(self, streams: Streams) -> Measured:
        """Measure one replicate."""

    @property
    @abstractmethod
    def source(self) -> object:
        """What the drawn data depend on; cells with the same source use the same data."""

    @property
    def points(self) -> tuple[float, ...]:
        """Places along `axis` that sequences belong to."""
        return ()

    @property
    def key(self) -> str:
        """Sixteen digits that identify the whole specification."""
        return digest(self)

    @property
    def source_key(self) -> str:
        """Sixteen digits that identify the data."""
        return digest(self.source)


def name_cell(cell: Cell) -> str:
    """Name a cell briefly; its fields may contain thousands of numbers."""
    return ", ".join(f"{name} {value}" for name, value in cell.facts().items())


def name_method(method: Any) -> str:
    """Name of a method with its non-default parameters; text is returned unchanged."""
    if isinstance(method, str):
        return method
    try:
        usual = type(method)()
    except TypeError:  # a method with required parameters
        usual = None
    values = ((part.name, getattr(method, part.name)) for part in fields(method))
    special = [f"{name}={value}" for name, value in values if getattr(usual, name, None) != value]
    return f"{method.name} ({', '.join(special)})" if special else str(method.name)


class _MethodCell(Cell):
    """A method evaluated on test sets of one population."""

    target: ClassVar[str] = ""  # name of the target in tables

    population: Population
    classes: Classes
    method: Any
    level: float

    def facts(self) -> Mapping[str, object]:
        facts = {
            "population": self.population.name,
            "size": self.classes.name,
            "method": name_method(self.method),
            "level": self.level,
        }
        return {**facts, "target": self.target} if self.target else facts

    @property
    def source(self) -> object:
        return (self.population, self.classes)

    def build_band(self, streams: Streams, *, future: bool = False) -> Band:
        """Build the band of a fresh test set."""
        roc = streams.draw_shared(
            "data", lambda rng: draw_curve(self.population, rng, *self.classes.sizes(rng))
        )
        later = (roc.n_pos, roc.n_neg) if future else None
        return build_band_quietly(self.method, roc, self.level, streams, later)


@dataclass(frozen=True)
class TrueCurve(_MethodCell):
    """How often a band contains the true curve.

    Parameters
    ----------
    population : Population
        Population of the test sets.
    classes : Classes
        Sizes of the test sets.
    method : BandMethod
        Method of the band.
    level : float, default 0.9
        Its confidence level.
    from_fpr : tuple of float, optional
        Also check the curve from these rates on.
    at : tuple of float, optional
        Rates at which the band is compared with the curve pointwise, and its width measured.

    Notes
    -----
    `holds`: the whole curve is inside. `above`, `below`: it leaves the band there. `area`: between
    the edges. A method that could not be fitted (Working-Hotelling on separated classes) has
    `fitted` 0 and counts as a miss; its band is the whole square.
    """

    shares: ClassVar[tuple[str, ...]] = ("holds", "above", "below", "fitted", "from", "holds at")
    axis: ClassVar[str] = "fpr"
    target: ClassVar[str] = "true curve"

    population: Population
    classes: Classes
    method: BandMethod
    level: float = 0.9
    from_fpr: tuple[float, ...] = ()
    at: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_level(self.level)
        for fpr in (*self.from_fpr, *self.at):
            check_rate(fpr, "fpr")

    @property
    def points(self) -> tuple[float, ...]:
        return self.at

    def measure(self, streams: Streams) -> Measured:
        band = self.build_band(streams)
        truth = self.population.truth
        fitted = getattr(band.region, "fitted", band) is not None
        holds = fitted and band.contains(truth)
        above, below = (False, False) if holds or not fitted else band.misses(truth)
        found: dict[str, float | Sequence[float]] = {
            "holds": float(holds),
            "above": float(above),
            "below": float(below),
            "fitted": float(fitted),
            "area": band.area,
        }
        for fpr in self.from_fpr:
            inside = holds or (fitted and band.contains(truth, from_fpr=fpr))
            found[f"from {fpr:g}"] = float(inside)
        if self.at:
            at = np.array(self.at)
            low, high = band.lower_at(at), band.upper_at(at)
            inside_at = (truth.high(at) >= low - 1e-12) & (truth.low(at) <= high + 1e-12)
            found["holds at"] = [float(fitted and here) for here in inside_at]
            found["width at"] = [float(width) for width in high - low]
        return found


@dataclass(frozen=True)
class FutureCurve(_MethodCell):
    """How often a band contains the empirical curves of later test sets of the same size.

    Parameters
    ----------
    population, classes, method, level
        As for :class:`TrueCurve`.
    n_future : int, default 100
        Later test sets for each band.
    widened : bool, default True
        Whether the band is made for future curves; otherwise the band for the true curve is
        compared with future ones.

    Notes
    -----
    `contained` is the share of later curves inside one band; it varies between bands, so its mean
    gets an interval from its standard deviation.
    """

    fractions: ClassVar[tuple[str, ...]] = ("contained",)

    population: Population
    classes: Classes
    method: BandMethod
    level: float = 0.9
    n_future: int = 100
    widened: bool = True

    def __post_init__(self) -> None:
        check_level(self.level)
        check_number(self.n_future, "n_future", above=0)

    @property
    def target(self) -> str:  # type: ignore[override]
        return "future curve" if self.widened else "future curve, band not widened"

    @property
    def source(self) -> object:
        return (self.population, self.classes, self.n_future)

    def measure(self, streams: Streams) -> Measured:
        band = self.build_band(streams, future=self.widened)
        later = streams.draw_shared("later", self._later)
        inside = [band.region.contains(curve) for curve in later]
        return {"contained": float(np.mean(inside)), "area": band.area}

    def _later(self, rng: np.random.Generator) -> list[Any]:
        return [
            draw_curve(self.population, rng, *self.classes.sizes(rng)).curve
            for _ in range(self.n_future)
        ]


def build_band_quietly(
    method: BandMethod,
    roc: RocCurve,
    level: float,
    streams: Streams,
    future: tuple[int, int] | None = None,
) -> Band:
    """Make a band without warnings about the sample, which was drawn on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RocBandsWarning)
        return method(roc, level=level, future=future, rng=streams.own_rng("method"))


_TOUCH = 1e-12


class _Pointwise(_MethodCell):
    """A cell that compares limits with the truth at each of its points."""

    shares: ClassVar[tuple[str, ...]] = ("holds at",)

    @abstractmethod
    def _limits(self, y: BoolArray, scores: FloatArray, streams: Streams) -> tuple[FloatArray, ...]:
        """Lower and upper limits, and the truth, at each point."""

    def measure(self, streams: Streams) -> Measured:
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
    """How often bounds contain the true recall when a fixed share of cases is acted on.

    Parameters
    ----------
    population, classes
        Population and sizes of the test sets.
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
        return self.rates

    def _limits(self, y: BoolArray, scores: FloatArray, streams: Streams) -> tuple[FloatArray, ...]:
        rates = np.array(self.rates)
        rng = streams.own_rng("method")
        found = rate_bounds(y, scores, method=self.method, level=self.level, rate=rates, rng=rng)
        prevalence = float(y.mean())
        slope = (1.0 - prevalence) / prevalence
        truth = self.population.truth
        # rate = prevalence * tpr + (1 - prevalence) * fpr, divided by the prevalence
        recall = np.interp(rates / prevalence, truth.level(slope), truth.y)
        return found.tpr_lower, found.tpr_upper, recall


@dataclass(frozen=True)
class AtConditions(_Pointwise):
    """How often intervals contain the true cost of thresholds that were chosen beforehand.

    Parameters
    ----------
    population : Pair
        Population of the test sets; its distributions give the true cost of a threshold.
    classes
        Sizes of the test sets.
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
        return self.w

    def _limits(self, y: BoolArray, scores: FloatArray, streams: Streams) -> tuple[FloatArray, ...]:
        w, cut = np.array(self.w), np.array(self.thresholds)
        found = cost_interval(y, scores, method=self.method, thresholds=cut, w=w, level=self.level)
        missed = 1.0 - self.population.positives.survival(cut)
        # cost = w fnr + (1 - w) fpr, as a share of the total possible cost
        truth = w * missed + (1.0 - w) * self.population.negatives.survival(cut)
        return found.lower, found.upper, truth

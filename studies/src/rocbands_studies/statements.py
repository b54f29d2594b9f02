"""Statements about simulated data, and their coverage at several levels.

Data come from a scenario: a :class:`~rocbands_studies.Population`, or any object with a `name` and
a method `draw_data(rng, *sizes)`, for example one that draws two models' scores of the same rows. A
statement is the conclusion of a method about such data; it can look up the truth in the scenario.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.auc import METHODS
from rocbands.auc.partial import partial_auc_interval
from rocbands.comparison import compare
from rocbands.comparison.compare_many import compare_many
from rocbands.comparison.compare_tpr import compare_tpr
from rocbands.comparison.delong import DeLongTest, ScoreDeLongTest
from rocbands.comparison.difference_band import build_difference_bands
from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import check_level
from rocbands.core.comparison import Comparison
from rocbands.core.curve import Curve
from rocbands.core.data import read_pair, roc_curve
from rocbands.core.method import Request
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.errors import RocBandsWarning
from rocbands.likelihood.region import LikelihoodRegion
from rocbands.points import operating_points
from rocbands.rates import rate_bounds
from rocbands.rates.difference import rate_difference
from rocbands_studies.measurements import Cell, Measured, name_method
from rocbands_studies.populations import Classes, draw_curve
from rocbands_studies.streams import Streams

LEVELS = (0.95, 0.9, 0.99)
_TOUCH = 1e-9

Ends: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]
Judged: TypeAlias = dict[str, float | Sequence[float]]


class Statement(ABC):
    """Conclusion of a method about data; a frozen dataclass, whose fields are its specification."""

    named_by: ClassVar[str] = "method"  # the field that names it in tables

    @property
    def name(self) -> str:
        """Name in tables."""
        return name_method(getattr(self, self.named_by))

    @abstractmethod
    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """Return named numbers: a sequence has one for each level.

        Those whose name begins with 'holds' or 'rejects' are 0 or 1; others are averaged.
        """


@dataclass(frozen=True)
class Coverage(Cell):
    """How often a statement about simulated data is true, at several levels.

    Parameters
    ----------
    world : Population, or an object with `name` and `draw_data`
        The scenario that data are drawn from; from a population, the empirical curve.
    classes : Classes
        Sizes of the data sets.
    statement : Statement
        The statement about them.
    levels : tuple of float, default (0.95, 0.9, 0.99)
        All are measured on the same data sets, which are those of every other statement about the
        same scenario and sizes.

    Examples
    --------
    >>> import rocbands_studies as study
    >>> cell = study.Coverage(
    ...     study.Binormal(2.0), study.FixedClasses(40, 40), study.AreaLimits("score-delong")
    ... )
    >>> found = study.run(study.Study("areas", [cell], replicates=50), workers=1)
    >>> [round(figure.value, 1) for figure in found.along(cell, "holds")]
    [1.0, 0.9, 1.0]
    """

    shares: ClassVar[tuple[str, ...]] = ("holds", "rejects")
    axis: ClassVar[str] = "level"

    world: Any
    classes: Classes
    statement: Statement
    levels: tuple[float, ...] = LEVELS

    def __post_init__(self) -> None:
        for level in self.levels:
            check_level(level)

    def facts(self) -> Mapping[str, object]:
        return {
            "population": self.world.name,
            "size": self.classes.name,
            "statement": self.statement.name,
        }

    @property
    def source(self) -> object:
        return (self.world, self.classes)

    @property
    def points(self) -> tuple[float, ...]:
        return self.levels

    def measure(self, streams: Streams) -> Measured:
        data = streams.draw_shared("data", self._draw)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RocBandsWarning)
            return self.statement.judge(data, self.world, self.levels, streams)

    def _draw(self, rng: np.random.Generator) -> Any:
        sizes = self.classes.sizes(rng)
        if hasattr(self.world, "draw_data"):
            return self.world.draw_data(rng, *sizes)
        return draw_curve(self.world, rng, *sizes)


class Limits(Statement):
    """Limits of a number, or of one number for each value of the field named by `along`."""

    along: ClassVar[str] = ""

    def prepare(self, data: Any, rng: np.random.Generator) -> Any:
        """Compute what all levels have in common; by default the data themselves."""
        return data

    @abstractmethod
    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        """Lower and upper limits, from what was prepared."""

    @abstractmethod
    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        """Return the true value of what the limits are for."""

    @property
    def places(self) -> tuple[object, ...]:
        """Names of the numbers, if there are several."""
        return getattr(self, self.along) if self.along else ()

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """Check which limits contain the truth; `width` is upper minus lower limit."""
        ready = self.prepare(data, streams.own_rng("method"))
        ends = [self.find_limits(ready, level, streams.own_rng("method")) for level in levels]
        low, high = (np.array([np.atleast_1d(pair[k]) for pair in ends]) for k in (0, 1))
        truth = np.atleast_1d(self.find_truth(scenario, data))
        holds = (low <= truth + _TOUCH) & (truth <= high + _TOUCH)
        found: Judged = {}
        for k, place in enumerate(self.places or ("",)):
            found[f"holds {place}".rstrip()] = holds[:, k].astype(float).tolist()
            found[f"width {place}".rstrip()] = (high - low)[:, k].tolist()
        return found


# ------------------------------------------------------------------ bands


@dataclass(frozen=True)
class CurveInBand(Statement):
    """The true curve lies inside the band.

    A method that could not be fitted (Working-Hotelling on separated classes) counts as a miss and
    has `fitted` 0.
    """

    method: BandMethod

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """Make the bands of all levels; `area` is that of the first."""
        bands = self.method.at_levels(data, levels, rng=streams.own_rng("method"))
        fitted = getattr(bands[0].region, "fitted", bands[0]) is not None
        holds = _contain(bands, scenario.truth) if fitted else [0.0] * len(bands)
        return {"holds": holds, "area": bands[0].area, "fitted": float(fitted)}


def _contain(bands: Sequence[Band], curve: Curve | RocCurve) -> list[float]:
    """Tell which bands contain the curve.

    Bands of one statistic differ by its critical value alone: what is inside one is inside those
    with a larger value.
    """
    if not all(isinstance(band.region, LikelihoodRegion) for band in bands):
        return [float(band.contains(curve)) for band in bands]
    values = [band.region.critical_value for band in bands]  # type: ignore[attr-defined]
    least = np.inf
    for place in np.argsort(values):
        if bands[place].contains(curve):
            least = values[place]
            break
    return [float(value >= least) for value in values]


@dataclass(frozen=True)
class LaterCurveInBand(Statement):
    """The empirical curve of a second test set, drawn alike, lies inside the band for it."""

    method: BandMethod

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """Draw a second set as large as the first."""
        sizes = data.n_pos, data.n_neg
        later = streams.draw_shared("later", lambda rng: draw_curve(scenario, rng, *sizes))
        rng = streams.own_rng("method")
        bands = self.method.at_levels(data, levels, futures=(sizes,), rng=rng)
        return {"holds": _contain(bands, later), "area": bands[0].area}


class _HeightLimits(Limits):
    """Limits of the height of the true curve at some false positive rates."""

    along: ClassVar[str] = "fpr"
    fpr: tuple[float, ...]

    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        return np.asarray(scenario.truth.high(np.array(self.fpr)))


@dataclass(frozen=True)
class BandHeights(_HeightLimits):
    """The true curve lies inside the band at single false positive rates."""

    method: BandMethod
    fpr: tuple[float, ...]

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        """Heights of the edges."""
        band, at = self.method(data, level=level, rng=rng), np.array(self.fpr)
        return band.lower_at(at), band.upper_at(at)


@dataclass(frozen=True)
class CurveInView(Statement):
    """The true curve lies inside a view of the band whose prevalence is that of the rows."""

    named_by: ClassVar[str] = "view"

    view: str
    method: BandMethod

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """Map the true curve as the view does; `scenario.prevalence` is the true one."""
        x, y, p = scenario.truth.x, scenario.truth.y, scenario.prevalence
        if self.view == "pr":  # precision = p tpr / (p tpr + (1 - p) fpr)
            keep = y > 0.0
            x, y = y[keep], p * y[keep] / (p * y[keep] + (1.0 - p) * x[keep])
        elif self.view == "gains":
            x = p * y + (1.0 - p) * x
        bands = self.method.at_levels(data, levels, rng=streams.own_rng("method"))
        views = [band if self.view == "roc" else band.view(self.view) for band in bands]
        return {"holds": [float(view.contains((x, y))) for view in views]}


# ------------------------------------------------------------------ areas and points


@dataclass(frozen=True)
class AreaLimits(Limits):
    """Limits of the AUC; without `scenario.auc`, it is the area under its true curve."""

    method: str
    n_resamples: int | None = None

    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        """Return the true AUC."""
        return float(scenario.auc if hasattr(scenario, "auc") else scenario.truth.area)

    def prepare(self, data: Any, rng: np.random.Generator) -> Any:
        """Build the pivot that :func:`rocbands.auc_interval` takes its limits from."""
        draws: Any = {} if self.n_resamples is None else {"n_resamples": self.n_resamples}
        return METHODS[self.method](**draws).build_pivot(data, Request(0.95, rng))

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        """Limits of the pivot, inside [0, 1]."""
        low, high = data.limits((1.0 - level) / 2.0)
        return max(low, 0.0), min(high, 1.0)


@dataclass(frozen=True)
class PartialAreaLimits(Limits):
    """Limits of the area between two false positive rates, as a share of the largest one."""

    method: str
    fpr: tuple[float, float]
    n_resamples: int | None = None

    @property
    def name(self) -> str:
        return f"{self.method}, {self.fpr[0]:g} to {self.fpr[1]:g}"

    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        """By trapezoids between the vertices of the true curve."""
        curve, (start, stop) = scenario.truth, self.fpr
        inner = curve.x[(curve.x > start) & (curve.x < stop)]
        at = np.unique(np.concatenate(([start], inner, [stop])))
        return float(np.trapezoid(curve.high(at), at)) / (stop - start)

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        """By :func:`rocbands.partial_auc_interval`."""
        # The fields are the arguments.
        found = partial_auc_interval(data, level=level, rng=rng, **vars(self))
        share = self.fpr[1] - self.fpr[0]
        return found.low / share, found.high / share


@dataclass(frozen=True)
class TprLimits(_HeightLimits):
    """Limits of the true positive rate at some false positive rates."""

    method: str
    fpr: tuple[float, ...]
    n_resamples: int | None = None

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        """By :func:`rocbands.operating_points`."""
        # The fields are the arguments.
        found = operating_points(data, level=level, rng=rng, **vars(self))
        return found.tpr_lower, found.tpr_upper


# ------------------------------------------------------------------ acting on a share of cases


@dataclass(frozen=True)
class RecallLimits(Limits):
    """Limits of the recall when a share of cases is acted on, with a random share of positives.

    The scenario has a `prevalence`.
    """

    along: ClassVar[str] = "rates"

    method: str
    rates: tuple[float, ...]

    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        """Recall of the whole population."""
        curve, p = scenario.truth, scenario.prevalence
        return np.asarray(np.interp(self.rates, p * curve.y + (1.0 - p) * curve.x, curve.y))

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        """By :func:`rocbands.rate_bounds`."""
        found = rate_bounds(data, method=self.method, rate=self.rates, level=level, rng=rng)
        return found.tpr_lower, found.tpr_upper


@dataclass(frozen=True)
class RecallDifference(Limits):
    """Limits of the difference of two models' recalls; data are labels and both scores.

    The scenario has `recall_gap(prevalence, rate)`; with `sampling='full'` also a `prevalence`.
    """

    named_by: ClassVar[str] = "sampling"
    along: ClassVar[str] = "rates"

    rates: tuple[float, ...]
    sampling: str = "full"

    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        """Recall of model 1 minus that of model 2."""
        share = float(np.mean(data[0])) if scenario.prevalence is None else scenario.prevalence
        return np.array([scenario.recall_gap(share, rate) for rate in self.rates])

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        """By :func:`rocbands.rate_difference`."""
        sampling: Any = self.sampling
        found = rate_difference(*data, rate=self.rates, level=level, sampling=sampling)
        return found.lower, found.upper


# ------------------------------------------------------------------ two models, or more


class _Difference(Limits):
    """Limits of a difference of two models, and the test that it is 0."""

    @abstractmethod
    def compare(self, data: Any, level: float) -> Comparison:
        """Compare both models."""

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Ends:
        found = self.compare(data, level)
        return found.low, found.high

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """Add whether the test `rejects` a difference of 0 at significance level 1 - level."""
        pvalue = self.compare(data, levels[0]).pvalue
        found = super().judge(data, scenario, levels, streams)
        return {**found, "rejects": [float(pvalue <= 1.0 - level) for level in levels]}


@dataclass(frozen=True)
class AreaDifference(_Difference):
    """Limits of the difference of two AUCs, and the test that it is 0.

    Data are labels and both models' scores of the same rows, or labels and scores of two sets. The
    scenario has `aucs`.
    """

    named_by: ClassVar[str] = "interval"

    interval: str = "score"

    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        return float(scenario.aucs[0] - scenario.aucs[1])

    def compare(self, data: Any, level: float) -> Comparison:
        """By :func:`rocbands.compare`."""
        method = {"score": ScoreDeLongTest, "wald": DeLongTest}[self.interval]()
        given = [Sample(*one) for one in data] if len(data) == 2 else data
        return compare(*given, method=method, level=level)


@dataclass(frozen=True)
class TprDifference(_Difference):
    """Limits of the difference of two models' true positive rates, and the test that it is 0.

    The scenario has `truth(fpr)`, the difference of its curves.
    """

    fpr: float

    @property
    def name(self) -> str:
        return f"fpr {self.fpr:g}"

    def find_truth(self, scenario: Any, data: Any) -> npt.ArrayLike:
        return np.asarray(scenario.truth(np.array([self.fpr])))

    def compare(self, data: Any, level: float) -> Comparison:
        """By :func:`rocbands.compare_tpr`."""
        return compare_tpr(*data, fpr=self.fpr, level=level)


@dataclass(frozen=True)
class CurveDifference(Statement):
    """The true difference of two curves lies inside the difference band.

    Data are labels and both models' scores of the same rows, or labels and scores of two sets. The
    scenario has `truth(fpr)`.
    """

    fpr: tuple[float, float] = (0.05, 0.95)
    n_resamples: int = 600

    @property
    def name(self) -> str:
        return f"fpr {self.fpr[0]:g} to {self.fpr[1]:g}"

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """`width` is the band's mean width; `rejects`: a model is called better somewhere."""
        given = (*(roc_curve(*one) for one in data), None) if len(data) == 2 else data
        pair, rng = read_pair(*given), streams.own_rng("method")
        bands = build_difference_bands(
            pair, levels=levels, fpr=self.fpr, n_resamples=self.n_resamples, rng=rng
        )
        return {
            "holds": [float(band.contains(scenario.truth)) for band in bands],
            "width": [band.mean_width for band in bands],
            "rejects": [float(bool(band.better)) for band in bands],
        }


@dataclass(frozen=True)
class ManyAreas(Statement):
    """All differences of several models' AUCs lie inside their simultaneous limits.

    Data are labels and a mapping of scores. The scenario has `aucs`.
    """

    n_resamples: int = 5000

    name: ClassVar[str] = "compare_many"

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Judged:
        """Check that all limits contain the truth; add whether the joint test `rejects`."""
        sample = Sample(*data)
        aucs = np.asarray(scenario.aucs)
        holds, rejects, width = [], [], []
        for level in levels:
            rng = streams.own_rng("method")
            found = compare_many(sample, level=level, n_resamples=self.n_resamples, rng=rng)
            one, two = np.array(found.pairs).T
            truth = aucs[one] - aucs[two]
            inside = (found.lower <= truth + _TOUCH) & (truth <= found.upper + _TOUCH)
            holds.append(float(inside.all()))
            rejects.append(float(found.pvalue <= 1.0 - level))
            width.append(float(np.mean(found.upper - found.lower)))
        return {"holds": holds, "width": width, "rejects": rejects}

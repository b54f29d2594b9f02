"""What `rocbands_studies` has no statement for: folds, chosen thresholds, exact sums, controls."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import rocbands as rb
from rocbands.likelihood.chance import chance_statistics, critical_value
from rocbands_studies import Cell, FixedClasses, Limits, Statement, Streams
from rocbands_studies.coverage.cost import Design, coverage
from rocbands_studies.coverage.plain_bootstrap import plain_band
from rocbands_studies.measurements import name_method
from rocbands_studies.statements import LEVELS


@dataclass(frozen=True)
class FoldAreaLimits(Limits):
    """Intervals for the AUC from folds: for the models that were fitted, and for the learner."""

    method: str

    @property
    def name(self) -> str:
        return self.method

    @property
    def places(self) -> tuple[object, ...]:
        return ("models", "learner")

    def find_truth(self, world: Any, data: Any) -> Any:
        return np.array([data[3], world.learner(int(data[0].sum()))])

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Any:
        labels, scores, folds, _ = data
        found = rb.fold_auc_interval(
            rb.Sample(labels, scores, folds=folds), method=self.method, level=level
        )
        return np.array([found.low] * 2), np.array([found.high] * 2)


@dataclass(frozen=True)
class KnotsInBand(Statement):
    """The true curve lies inside the band at all of its knots with .01 <= fpr <= .99."""

    method: rb.bands.VerticalAverage | rb.bands.ThresholdAverage

    @property
    def name(self) -> str:
        return name_method(self.method)

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        holds = []
        for band in self.method.at_levels(data, levels, rng=streams.own_rng("method")):
            inner = (band.lower.x >= 0.01 - 1e-12) & (band.lower.x <= 0.99 + 1e-12)
            truth = world.truth.high(band.lower.x[inner])
            low, high = band.lower.y[inner], band.upper.y[inner]
            holds.append(float(((low <= truth + 1e-9) & (truth <= high + 1e-9)).all()))
        return {"holds": holds}


@dataclass(frozen=True)
class ThresholdRates(Statement):
    """Wilson's limits of a threshold hold that threshold's own true rates."""

    how: str

    ASKED: ClassVar[Mapping[str, dict[str, Any]]] = {
        "youden, same rows": {"best": "youden"},
        "youden, other rows": {"best": "youden"},
        "rate .2, same rows": {"rate": 0.2},
        "fixed threshold": {"threshold": 0.5},
        "fixed threshold, joint": {"threshold": 0.5, "joint": True},
    }

    @property
    def name(self) -> str:
        return self.how

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        options = dict(self.ASKED[self.how])
        if "other" in self.how:
            sizes = data.n_pos, data.n_neg
            options["test"] = streams.draw_shared(
                "later", lambda rng: rb.roc_curve(*rows_of(world, rng, *sizes))
            )
        held: dict[str, list[float]] = {"holds fpr": [], "holds tpr": [], "holds both": []}
        for level in levels:
            at = rb.operating_points(data, level=level, **options)
            cut = at.threshold[:1]
            fpr, tpr = world.negatives.survival(cut)[0], world.positives.survival(cut)[0]
            inside = (
                at.fpr_lower[0] <= fpr <= at.fpr_upper[0],
                at.tpr_lower[0] <= tpr <= at.tpr_upper[0],
            )
            for name, value in zip(held, (*inside, all(inside)), strict=True):
                held[name].append(float(value))
        return held


def rows_of(world: Any, rng: np.random.Generator, n_pos: int, n_neg: int) -> Any:
    return np.repeat([1, 0], [n_pos, n_neg]), np.concatenate(world.draw(rng, n_pos, n_neg))


@dataclass(frozen=True)
class PlainDifference(Statement):
    """The paired bootstrap as it stands, for comparison with the difference band."""

    floor: bool

    @property
    def name(self) -> str:
        return "plain bootstrap" + ", with a floor" * self.floor

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        bands = [
            plain_band(*data, level=level, floor=self.floor, rng=streams.own_rng("method"))
            for level in levels
        ]
        return {
            "holds": [float(band.contains(world.truth)) for band in bands],
            "width": [band.mean_width for band in bands],
            "rejects": [float(bool(band.better)) for band in bands],
        }


@dataclass(frozen=True)
class CurveInRocci(Statement):
    """The true curve lies inside the band of rocci (1,000 resamples), at its grid."""

    @property
    def name(self) -> str:
        return "rocci"

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        rocci = importlib.import_module("rocci")
        steps = np.arange(data.fp.size, 0, -1.0)
        counts = [np.diff(side, prepend=0) for side in (data.tp, data.fp)]
        y = np.repeat([1, 0], [data.n_pos, data.n_neg])
        scores = np.concatenate([np.repeat(steps, count) for count in counts])
        holds, areas = [], []
        for level in levels:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                band = rocci.roc_band(
                    y, scores, confidence=level, n_boot=1000, n_threads=1, random_state=1
                )
            truth = world.truth.high(band.fpr)
            inside = (band.lower <= truth + 1e-9) & (truth <= band.upper + 1e-9)
            holds.append(float(inside.all()))
            areas.append(float(np.trapezoid(band.upper - band.lower, band.fpr)))
        return {"holds": holds, "area": areas[0]}


@dataclass(frozen=True)
class _Exact(Cell):
    """A cell whose figures are sums over all outcomes, or shares of very many."""

    axis: ClassVar[str] = "level"

    @property
    def points(self) -> tuple[float, ...]:
        return LEVELS

    @property
    def source(self) -> object:
        return self


@dataclass(frozen=True)
class CostCoverage(_Exact):
    """Coverage of intervals for the cost at the best threshold, by enumeration of both errors."""

    exact: ClassVar[bool] = True

    theta: float
    n_pos: int
    n_neg: int
    method: str
    sampling: str
    w: tuple[float, ...] = (0.01, 0.05, 0.1, 0.3, 0.5, 0.8, 0.97)

    @property
    def classes(self) -> FixedClasses:
        return FixedClasses(self.n_pos, self.n_neg)

    def facts(self) -> Mapping[str, object]:
        return {
            "population": f"theta {self.theta:g}, {self.sampling}",
            "size": self.classes.name,
            "statement": self.method,
        }

    def measure(self, streams: Streams) -> Any:
        design, sampling = Design(self.theta, self.n_pos, self.n_neg), self.sampling
        return {
            f"holds {w:g}": [
                coverage(design, w, self.method, sampling, level)  # type: ignore[arg-type]
                for level in LEVELS
            ]
            for w in self.w
        }


@dataclass(frozen=True)
class ChanceQuantiles(_Exact):
    """P(T <= c) of the shipped critical values; a replicate is 10,000 fresh permutations."""

    fractions: ClassVar[tuple[str, ...]] = ("holds",)

    n_pos: int
    n_neg: int

    @property
    def classes(self) -> FixedClasses:
        return FixedClasses(self.n_pos, self.n_neg)

    def facts(self) -> Mapping[str, object]:
        return {"population": self.classes.name, "size": "P(T <= c)", "statement": "chance"}

    def measure(self, streams: Streams) -> Any:
        values = chance_statistics(self.n_pos, self.n_neg, 10_000, streams.own_rng("labels"))
        limits = [critical_value(self.n_pos, self.n_neg, level) + 1e-9 for level in LEVELS]
        return {"holds": [float(np.mean(values <= limit)) for limit in limits]}


@dataclass(frozen=True)
class PrintedVertical(rb.bands.VerticalAverage):
    """Vertical averages with the binomial limits that the paper of 2004 prints."""

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        return n_curves


@dataclass(frozen=True)
class PrintedThreshold(rb.bands.ThresholdAverage):
    """Threshold averages with the same limits."""

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        return n_curves

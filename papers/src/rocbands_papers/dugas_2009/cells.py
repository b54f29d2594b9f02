"""What is measured along w: how often limits for a cost hold, and how long they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve, roc_curve
from rocbands.cost.conditions import Sampling
from rocbands.cost.difference import cost_difference
from rocbands.cost.envelope import cost_curve_of
from rocbands.cost.intervals import cost_interval_of
from rocbands.study.measurements import Cell, Measured
from rocbands.study.streams import Streams
from rocbands_papers.dugas_2009.worlds import (
    CONDITIONS,
    Model,
    Sizes,
    TwoModels,
    asked,
    on_scale,
)

__all__ = ["CONVENTION", "ChosenThresholds", "OneModel", "Pair", "Regions", "held"]

CONVENTION = (
    "An interval of no width counts as a miss, whatever it contains: the paper calls coverage "
    "impossible there."
)


def held(low: FloatArray, high: FloatArray, truth: FloatArray) -> FloatArray:
    """Tell where limits hold: 1 or 0, and 0 where they are one point."""
    return np.asarray((low <= truth) & (truth <= high) & (low < high), np.float64)


class _Along(Cell):
    """Something along the operating condition w."""

    shares: ClassVar[tuple[str, ...]] = ("holds at", "holds best at", "point at")
    axis: ClassVar[str] = "w"

    w: tuple[float, ...]

    @property
    def points(self) -> tuple[float, ...]:
        """The operating conditions."""
        return self.w

    @property
    def _at(self) -> FloatArray:
        return np.array(self.w)


@dataclass(frozen=True)
class OneModel(_Along):
    """How often limits for one model's cost hold, at thresholds that are truly best.

    Parameters
    ----------
    theta : float
        Positives score N(theta, 3), negatives N(-theta, 3).
    classes : FixedClasses or RandomClasses
        Class sizes of a test set.
    method : str
        Of :func:`rocbands.cost_interval`.
    sampling : {'stratified', 'full'}
        What the limits take for granted about class sizes.
    level : float, default 0.9
        Confidence level.
    w : tuple of float
        Operating conditions.

    Notes
    -----
    `holds at`: limits contain the true cost and are not a point. `point at`: they are a point.
    `width at`: high minus low.
    """

    theta: float
    classes: Sizes
    method: str
    sampling: Sampling = "stratified"
    level: float = 0.9
    w: tuple[float, ...] = CONDITIONS

    @property
    def model(self) -> Model:
        """The model."""
        return Model(self.theta, -self.theta)

    def facts(self) -> Mapping[str, object]:
        """Name theta, sizes, sampling and method."""
        return {
            "theta": self.theta,
            "size": self.classes.name,
            "sampling": self.sampling,
            "method": self.method,
        }

    @property
    def source(self) -> object:
        """Scores and class sizes."""
        return ("one model", self.theta, self.classes)

    def measure(self, streams: Streams) -> Measured:
        """Draw a test set and look where the limits lie."""
        w, model = self._at, self.model
        roc = streams.drawn("data", lambda rng: roc_curve(*model.draw(rng, self.classes)))
        cut = model.thresholds(w)
        found = cost_interval_of(
            roc, cut, method=self.method, sampling=self.sampling, level=self.level,
            **asked(w, self.sampling),
        )  # fmt: skip
        return _measured(found, on_scale(model.cost(w, cut), w, self.sampling))


@dataclass(frozen=True)
class Pair(_Along):
    """How often limits for the difference of two models' costs hold.

    Parameters
    ----------
    models : TwoModels
        Their scores; each has its own truly best thresholds.
    classes, method, sampling, level, w
        As for :class:`OneModel`; methods of :func:`rocbands.cost_difference`.
    """

    models: TwoModels
    classes: Sizes
    method: str
    sampling: Sampling = "stratified"
    level: float = 0.9
    w: tuple[float, ...] = CONDITIONS

    def facts(self) -> Mapping[str, object]:
        """Name the models, sizes, sampling and method."""
        return {
            **vars(self.models),
            "size": self.classes.name,
            "sampling": self.sampling,
            "method": self.method,
        }

    @property
    def source(self) -> object:
        """Scores and class sizes."""
        return (self.models, self.classes)

    def measure(self, streams: Streams) -> Measured:
        """Draw a test set and look where the limits lie."""
        w = self._at
        found = cost_difference(
            *streams.drawn("data", lambda rng: self.models.draw(rng, self.classes)),
            *self.models.thresholds(w),
            method=self.method, sampling=self.sampling, level=self.level,
            **asked(w, self.sampling),
        )  # fmt: skip
        return _measured(found, on_scale(self.models.difference(w), w, self.sampling))


@dataclass(frozen=True)
class ChosenThresholds(_Along):
    """How often limits hold for the cost of thresholds that were chosen on finitely many cases.

    Parameters
    ----------
    theta, classes, method, level, w
        As for :class:`OneModel`.
    valid : FixedClasses, RandomClasses or None
        Class sizes of the validation set that thresholds are chosen on. None: they are chosen on
        the test set itself, which is wrong.

    Notes
    -----
    `holds at` is about the true cost of the chosen thresholds, `holds best at` about that of the
    best ones. `excess at`: true cost of the chosen ones minus that of the best. `envelope at`: what
    they seem to cost where they were chosen.
    """

    theta: float
    classes: Sizes
    method: str
    valid: Sizes | None
    level: float = 0.9
    w: tuple[float, ...] = CONDITIONS

    def facts(self) -> Mapping[str, object]:
        """Name theta, both sizes and the method."""
        return {
            "theta": self.theta,
            "size": self.classes.name,
            "chosen on": "the test set" if self.valid is None else self.valid.name,
            "method": self.method,
        }

    @property
    def source(self) -> object:
        """Scores, class sizes and where thresholds come from."""
        return ("chosen thresholds", self.theta, self.classes, self.valid)

    def measure(self, streams: Streams) -> Measured:
        """Draw a validation set and a test set, and look where the limits lie."""
        w, model = np.array(self.w), Model(self.theta, -self.theta)

        def drawn(role: str, sizes: Sizes) -> RocCurve:
            return streams.drawn(role, lambda rng: roc_curve(*model.draw(rng, sizes)))

        roc = drawn("data", self.classes)
        curve = cost_curve_of(roc if self.valid is None else drawn("validation", self.valid))
        cut = curve.threshold_at(w)
        true, best = model.cost(w, cut), model.cost(w, model.thresholds(w))
        found = cost_interval_of(roc, cut, w, self.method, level=self.level)
        return {
            **_measured(found, true),
            "holds best at": held(found.low, found.high, best).tolist(),
            "excess at": (true - best).tolist(),
            "envelope at": curve.at(w).tolist(),
        }


@dataclass(frozen=True)
class Regions(Cell):
    """How often significance regions are wrong somewhere along w.

    Parameters
    ----------
    models : TwoModels
        Both models' scores; equal models have shift 0.
    classes, method, level, w
        As for :class:`OneModel`; methods of :func:`rocbands.cost_difference`.
    simultaneous : bool
        Whether limits are for all w together.
    n_draws : int, default 2000
        Draws of simultaneous limits.

    Notes
    -----
    `wrong`: somewhere a model is called cheaper that is not. `flagged`: somewhere one is called
    cheaper. `together`: the limits contain the true difference at all w.
    """

    shares: ClassVar[tuple[str, ...]] = ("wrong", "flagged", "together")

    models: TwoModels
    classes: Sizes
    method: str
    simultaneous: bool
    level: float = 0.9
    w: tuple[float, ...] = CONDITIONS
    n_draws: int = 2000

    def facts(self) -> Mapping[str, object]:
        """Name the models, sizes, method and kind."""
        return {
            **vars(self.models),
            "size": self.classes.name,
            "method": self.method,
            "limits": "simultaneous" if self.simultaneous else "pointwise",
        }

    @property
    def source(self) -> object:
        """Scores and class sizes."""
        return (self.models, self.classes)

    def measure(self, streams: Streams) -> Measured:
        """Draw a test set and look which w are flagged."""
        w = np.array(self.w)
        found = cost_difference(
            *streams.drawn("data", lambda rng: self.models.draw(rng, self.classes)),
            *self.models.thresholds(w), w, self.method, simultaneous=self.simultaneous,
            level=self.level, rng=streams.own("draws"), n_draws=self.n_draws,
        )  # fmt: skip
        truth = self.models.difference(w)
        called = np.where(found.low > 0.0, 1.0, np.where(found.high < 0.0, -1.0, 0.0))
        return {
            "wrong": float(((called != 0.0) & (called != np.sign(truth))).any()),
            "flagged": float((called != 0.0).any()),
            "together": float(((found.low <= truth) & (truth <= found.high)).all()),
            "critical": found.critical,
        }


def _measured(found: Any, truth: FloatArray) -> dict[str, float | list[float]]:
    width = found.high - found.low
    return {
        "holds at": held(found.low, found.high, truth).tolist(),
        "point at": np.asarray(width <= 0.0, np.float64).tolist(),
        "width at": width.tolist(),
    }

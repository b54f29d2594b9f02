"""How far curves stray from the truth, and how far resamples of one of them stray from it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.bands.fixed_width import FixedWidth
from rocbands.core.curve import Curve, displacement
from rocbands.core.region import DisplacedRegion, Region
from rocbands.core.roc import RocCurve
from rocbands.errors import RocBandsWarning
from rocbands.resample.quantiles import order_statistic
from rocbands.study.measurements import Cell, Measured
from rocbands.study.populations import Classes, Population, draw_curve
from rocbands.study.streams import Streams

__all__ = ["FPR", "OneBand", "Widths", "fixed_region"]

FPR = tuple(float(fpr) for fpr in np.linspace(0.0, 1.0, 101))


def fixed_region(
    method: FixedWidth, roc: RocCurve, level: float, rng: np.random.Generator
) -> DisplacedRegion:
    """Make a fixed-width band for the true curve and return its region."""
    with warnings.catch_warnings():  # what a sample looks like is what is being measured
        warnings.simplefilter("ignore", RocBandsWarning)
        region = method(roc, level=level, rng=rng).region
    assert isinstance(region, DisplacedRegion), "a fixed-width band is a displaced curve"
    return region


def _strays(centre: Curve, curves: list[RocCurve], level: float) -> float:
    """Width about `centre` that holds this share of the curves, measured along slope 1."""
    distances = [displacement(centre, one.curve, 1.0).largest for one in curves]
    return float(order_statistic(np.array(distances), level))


@dataclass(frozen=True)
class Widths(Cell):
    """Widths that hold a share of all curves, about the truth and about a sample.

    Parameters
    ----------
    population, classes, method, level
        As for `FutureCurve`.
    samples : int, default 50
        Test sets from which the width about the truth is taken.

    Notes
    -----
    `about the sample`: half the width of the sample's fixed-width band; `about the truth`: the
    width about the true curve that holds as many of `samples` curves; `sample off`: distance
    between the truth and the sample.
    """

    population: Population
    classes: Classes
    method: FixedWidth
    level: float = 0.9
    samples: int = 50

    def facts(self) -> Mapping[str, object]:
        """Name population, size and level."""
        return {
            "population": self.population.name,
            "size": self.classes.name,
            "level": self.level,
            "target": "width",
        }

    @property
    def source(self) -> object:
        """Population, class sizes and the number of samples."""
        return (self.population, self.classes, self.samples)

    def measure(self, streams: Streams) -> Measured:
        """Draw samples; make the band of the first."""
        drawn = streams.drawn("data", self._draw)
        region = fixed_region(self.method, drawn[0], self.level, streams.own("method"))
        return {
            "about the sample": region.dx * float(np.hypot(1.0, region.slope)),
            "about the truth": _strays(self.population.truth, drawn, self.level),
            "sample off": displacement(self.population.truth, drawn[0].curve, 1.0).largest,
        }

    def _draw(self, rng: np.random.Generator) -> list[RocCurve]:
        return [
            draw_curve(self.population, rng, *self.classes.sizes(rng)) for _ in range(self.samples)
        ]


@dataclass(frozen=True)
class OneBand(Cell):
    """A picture: of some samples the one farthest from the truth, its band, and the truth's band.

    Parameters
    ----------
    population, classes
        As for `FutureCurve`.
    samples : int, default 20
        Test sets to choose from.
    level : float, default 0.9
        Of both bands.
    """

    axis: ClassVar[str] = "fpr"
    lines: ClassVar[tuple[str, ...]] = (
        *("truth", "truth lower", "truth upper"),
        *("sample", "sample lower", "sample upper"),
    )

    population: Population
    classes: Classes
    samples: int = 20
    level: float = 0.9

    def facts(self) -> Mapping[str, object]:
        """Name population, size and level."""
        return {
            "population": self.population.name,
            "size": self.classes.name,
            "level": self.level,
            "target": "picture",
        }

    @property
    def source(self) -> object:
        """Population, class sizes and the number of samples."""
        return (self.population, self.classes, self.samples)

    @property
    def points(self) -> tuple[float, ...]:
        """A hundred steps along fpr."""
        return FPR

    def measure(self, streams: Streams) -> Measured:
        """Draw the samples, choose one, and follow both bands."""
        truth = self.population.truth
        drawn = streams.drawn("data", self._draw)
        far = max(drawn, key=lambda roc: displacement(truth, roc.curve, 1.0).largest)
        around = DisplacedRegion(truth, _strays(truth, drawn, self.level) / np.sqrt(2.0), 1.0)
        sample = fixed_region(FixedWidth(slope_rule="papers"), far, self.level, streams.own("b"))
        return {**_drawn("truth", truth, around), **_drawn("sample", far.curve, sample)}

    def _draw(self, rng: np.random.Generator) -> list[RocCurve]:
        return [
            draw_curve(self.population, rng, *self.classes.sizes(rng)) for _ in range(self.samples)
        ]


def _drawn(name: str, curve: Curve, region: Region) -> dict[str, list[float]]:
    at = np.array(FPR)
    return {
        name: curve.high(at).tolist(),
        f"{name} lower": region.lower_at(at).tolist(),
        f"{name} upper": region.upper_at(at).tolist(),
    }

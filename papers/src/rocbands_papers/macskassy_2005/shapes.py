"""What a model's scores look like, and where later curves leave a band."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve, displacement
from rocbands.core.region import DisplacedRegion
from rocbands.errors import RocBandsWarning
from rocbands.study.measurements import Cell, Measured
from rocbands.study.streams import Streams
from rocbands_papers.macskassy_2005.models import Learned, OfModel, Scored
from rocbands_papers.macskassy_2005.widths import FPR, fixed_region

__all__ = ["AlongBand", "OneForecast", "ScoreShapes"]

_PLACES = tuple(round(0.02 * step, 2) for step in range(1, 50))
_BINS = np.linspace(-4.0, 4.0, 82)
_CENTRES = tuple(float(at) for at in (_BINS[:-1] + _BINS[1:]) / 2.0)
_KERNEL = np.exp(-0.5 * (np.arange(-6, 7) / 2.0) ** 2)


@dataclass(frozen=True)
class _OfBand(OfModel):
    """A model, a band set of its scores and later sets.

    Parameters
    ----------
    model : Learned
        Gives the scores.
    size : int
        Rows of the set that makes the band, and of each later set.
    method : FixedWidth
        Makes the band, which is widened by sqrt(2).
    later : int
        Number of later sets.
    level : float, default 0.9
        Of the band.
    """

    model: Learned
    size: int
    method: FixedWidth
    later: int
    level: float = 0.9

    def _band(
        self, scored: Scored, rng: np.random.Generator
    ) -> tuple[DisplacedRegion, list[Curve]]:
        rows = scored.draw(rng, self.size)
        narrow = fixed_region(self.method, scored.roc(rows), self.level, rng)
        rest = scored.others(rows)
        later = [scored.curve(scored.draw(rng, self.size, rest)) for _ in range(self.later)]
        return DisplacedRegion(narrow.curve, narrow.dx * np.sqrt(2.0), narrow.slope), later


@dataclass(frozen=True)
class AlongBand(_OfBand):
    """How later curves use a band's width from its start (0) to its end (1).

    Notes
    -----
    Places are lines that cross the band along its direction, evenly spaced. `used`: the distance
    from the band's centre that 0.9 of the later curves keep there, as a share of the band's.
    `outside`: share of later curves that are outside there. `contained`: share inside everywhere.
    """

    axis: ClassVar[str] = "place"

    @property
    def points(self) -> tuple[float, ...]:
        """Places along the band."""
        return _PLACES

    def measure(self, streams: Streams) -> Measured:
        """Learn a model, make a band, and follow the later curves along it."""
        region, later = self._band(self.model.scored(streams), streams.own("band"))
        at = np.array(_PLACES) * (1.0 + region.slope)
        x = np.interp(at, region.curve.level(region.slope), region.curve.x)
        away = np.array(
            [np.abs(np.interp(at, one.level(region.slope), one.x) - x) for one in later]
        )
        width = max(region.dx, 1e-12)
        return {
            "contained": float(np.mean([region.contains(one) for one in later])),
            "used": (np.quantile(away, 0.9, axis=0) / width).tolist(),
            "outside": np.mean(away > width + 1e-9, axis=0).tolist(),
        }


@dataclass(frozen=True)
class OneForecast(_OfBand):
    """A picture: one band with some later curves."""

    axis: ClassVar[str] = "fpr"

    @property
    def points(self) -> tuple[float, ...]:
        """A hundred steps along fpr."""
        return FPR

    @property
    def lines(self) -> tuple[str, ...]:
        """Names of the lines."""
        return ("lower", "upper", "sample", *(f"later {k + 1}" for k in range(self.later)))

    def measure(self, streams: Streams) -> Measured:
        """Learn a model, make a band, and draw it with the later curves."""
        region, later = self._band(self.model.scored(streams), streams.own("band"))
        at = np.array(FPR)
        drawn = (
            region.lower_at(at),
            region.upper_at(at),
            *(one.high(at) for one in (region.curve, *later)),
        )
        return {name: heights.tolist() for name, heights in zip(self.lines, drawn, strict=True)}


@dataclass(frozen=True)
class ScoreShapes(Cell):
    """How the scores of both classes are distributed.

    Parameters
    ----------
    model : Learned
        Gives the scores.

    Notes
    -----
    `positives`, `negatives`: densities along the score, in standard deviations of all scores from
    their mean. For each class, marked + and -: `off normal` is the largest distance between the
    distribution and the normal one of the same mean and spread; `peaks` counts the maxima of the
    smoothed density that have a tenth of the highest or more. `fatter`: ratio of the standard
    deviations, positives to negatives. `off binormal`: distance between the ROC curve and the
    binormal one that fits best; 1 where none does. Infinite scores are put next to the others.
    """

    axis: ClassVar[str] = "score"

    model: Learned

    def facts(self) -> Mapping[str, object]:
        """Name data set, learner and sizes."""
        return {
            "data": self.model.cases.name,
            "learner": self.model.learner,
            "learned from": self.model.n_learn,
        }

    @property
    def source(self) -> object:
        """What the model depends on."""
        return self.model.source

    @property
    def points(self) -> tuple[float, ...]:
        """Centres of the bins."""
        return _CENTRES

    def measure(self, streams: Streams) -> Measured:
        """Learn a model and look at its scores."""
        scored = self.model.scored(streams)
        scores = _tamed(scored.scores)
        scores = (scores - scores.mean()) / (scores.std() or 1.0)
        sides = scores[scored.positive], scores[~scored.positive]
        pos, neg = (_density(side) for side in sides)
        return {
            "off normal +": _off_normal(sides[0]),
            "off normal -": _off_normal(sides[1]),
            "peaks +": _peaks(pos),
            "peaks -": _peaks(neg),
            "fatter": float(sides[0].std() / (sides[1].std() or 1.0)),
            "off binormal": _off_binormal(scored),
            "scores": float(scored.tie[-1] + 1),
            "positives": pos.tolist(),
            "negatives": neg.tolist(),
        }


def _tamed(scores: FloatArray) -> FloatArray:
    finite = scores[np.isfinite(scores)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    return np.clip(scores, low - 1.0, high + 1.0)


def _density(scores: FloatArray) -> FloatArray:
    inside = np.clip(scores, _BINS[0], _BINS[-1])
    counts = np.histogram(inside, _BINS)[0]
    return np.asarray(counts / (scores.size * (_BINS[1] - _BINS[0])))


def _off_normal(scores: FloatArray) -> float:
    """Kolmogorov's distance from the normal law with the same two moments."""
    from scipy.special import ndtr

    values, counts = np.unique(scores, return_counts=True)
    law = ndtr((values - scores.mean()) / (scores.std() or 1.0))
    after = np.cumsum(counts) / scores.size
    return float(max(np.max(after - law), np.max(law - after + counts / scores.size)))


def _peaks(density: FloatArray) -> float:
    smooth = np.convolve(density, _KERNEL / _KERNEL.sum(), mode="same")
    around = np.concatenate([[0.0], smooth, [0.0]])
    top = (smooth > around[:-2]) & (smooth >= around[2:]) & (smooth >= 0.1 * smooth.max())
    return float(np.count_nonzero(top))


def _off_binormal(scored: Scored) -> float:
    roc = scored.roc(np.arange(len(scored)))
    with warnings.catch_warnings():  # that scores are not binormal is what is being measured
        warnings.simplefilter("ignore", RocBandsWarning)
        centre = WorkingHotelling()(roc).centre
    return 1.0 if centre is None else displacement(centre, roc.curve, 1.0).largest

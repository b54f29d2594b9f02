"""Regions of views: images of a band at known prevalences, or with the prevalence estimated.

For the likelihood band an estimated prevalence is one more parameter of the likelihood, over which
it is profiled (:mod:`rocbands.likelihood.profile`). Other simultaneous bands use the product rule:
the band and Clopper-Pearson limits for the prevalence, both at the square root of the level, hold
simultaneously at the level, because the level of the band holds given the number of
positives. With weights or clusters it does not; then both levels are 1 - (1 - level) / 2
(Bonferroni).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.randomness import Rng
from rocbands.core.region import close_points
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.design.effective_sizes import limit_prevalence
from rocbands.likelihood.gains import GainsProfile
from rocbands.likelihood.profile import PrecisionProfile
from rocbands.likelihood.region import LikelihoodRegion
from rocbands.views.coordinates import (
    FINE,
    QUICK,
    Coordinates,
    MappedCoordinates,
    PrecisionRecall,
    map_curve,
    sample_limits,
)
from rocbands.views.sections import Limits, Sections, list_parts

_GAINS = ("rate", "recall")  # coordinates of a gains curve
# Lift at rate 0 is defined by its limit; this rate stands in for 0.
_SMALLEST_RATE = 1e-9


@dataclass(frozen=True, eq=False)
class Image:
    """All images of a band's region over the prevalences from `low` to `high`."""

    band: Band
    coordinates: Coordinates  # the view
    # Equal where the prevalence is given; any number where the view uses none.
    low: float
    high: float

    @cached_property
    def _sections(self) -> Sections:
        return Sections(self.band.region)

    def limits(self, x: FloatArray) -> Limits:
        """Limits of the ordinate at each abscissa."""
        return self.coordinates.limits(self._sections, x, self.low, self.high)

    def polylines(self, fine: bool = False) -> tuple[Curve, Curve]:
        """Images of the band's own edges; envelopes are evaluated at many abscissae."""
        coordinates, p = self.coordinates, (self.low, self.high)
        # Precision rises with the prevalence: each edge belongs to one end of its range.
        one_to_one = p[0] == p[1] or coordinates.name == "pr"
        if not (isinstance(coordinates, MappedCoordinates) and one_to_one):
            sections = self._sections if fine else Sections(self.band.region, drawn=True)
            return sample_limits(lambda x: coordinates.limits(sections, x, *p), coordinates, fine)
        if coordinates.name == "roc":
            return self.band.lower, self.band.upper
        # Ratios of the two rates need vertices along both axes.
        both = fine and coordinates.name in ("pr", "lift")
        edges = self._sections.fine_edges if both else self._sections.edges
        lower, upper = (
            map_curve(edge, coordinates, share, fine) for edge, share in zip(edges, p, strict=True)
        )
        return (upper, lower) if coordinates.name == "det" else (lower, upper)

    def contains_roc(self, roc: RocCurve) -> bool:
        """Tell whether it contains the image of an ROC curve."""
        return self.band.contains(roc)

    def contains(self, x: FloatArray, y: FloatArray) -> bool:
        """Map the curve back to ROC space, vertex by vertex."""
        if not isinstance(self.coordinates, MappedCoordinates):
            raise TypeError("Envelopes of curves cannot be mapped back to ROC space.")
        return self.band.contains(self.coordinates.back(x, y, self.low))


def _is_plain(roc: RocCurve) -> bool:
    return roc.has_equal_weights and roc.clusters is None


def raise_level(roc: RocCurve, level: float) -> float:
    """Level at which a band and limits for the prevalence hold simultaneously at `level`.

    Of independent rows the prevalence and the curve are independent; else Bonferroni.
    """
    return math.sqrt(level) if _is_plain(roc) else 0.5 + level / 2.0


class Product(Image):
    """The product rule: a band at a higher level, and limits for the prevalence."""

    @classmethod
    def from_band(cls, band: Band, coordinates: Coordinates, rng: Rng) -> Product:
        """Compute the band again at the higher level, and limits for the prevalence."""
        again = band.method(band.roc, level=raise_level(band.roc, band.level), rng=rng)
        return cls.from_wider(again, coordinates)

    @classmethod
    def from_wider(cls, band: Band, coordinates: Coordinates) -> Product:
        """Take a band of the higher level, and limits for the prevalence at the same level."""
        sizes = (band.n_pos, band.n_pos + band.n_neg)
        if _is_plain(band.roc):
            low, high = map(float, clopper_pearson_limits(*sizes, band.level))
        else:
            low, high = limit_prevalence(band.roc, band.level)
        return cls(band, coordinates, low, high)

    def contains_roc(self, roc: RocCurve) -> bool:
        """Tell whether it contains a curve at its own share of positives."""
        return self.low <= roc.prevalence <= self.high and self.band.contains(roc)

    def contains(self, x: FloatArray, y: FloatArray) -> bool:
        """Tell whether the limits contain a curve of the view."""
        name = self.coordinates.name
        if name == "pr":
            # Precision is lowest at the lowest prevalence, which therefore decides the lower side.
            w, recall = PrecisionRecall().false_per_positive(x, y)
            return not any(
                self.band.misses((np.minimum(w * p / (1.0 - p), 1.0), recall))[side]
                for p, side in ((self.low, 1), (self.high, 0))
            )
        gains = close_points(x, x * y if name == "lift" else y, _GAINS)
        # Curve and limits are straight between their vertices.
        places = [
            p * edge.y + (1.0 - p) * edge.x
            for edge in self._sections.fine_edges
            for p in (self.low, self.high)
        ]
        at = np.unique(np.concatenate([gains.x, *places]))
        low, high = self.limits(at)
        if name == "lift":
            low, high = low * at, high * at
        return bool((gains.low(at) >= low - SLACK).all() and (gains.high(at) <= high + SLACK).all())


@dataclass(frozen=True, eq=False)
class Profile:
    """The profile likelihood region of the views 'pr', 'gains' and 'lift'."""

    # low, high: regions of ROC space around the lowest and the highest curve that the data allow.
    low: LikelihoodRegion
    high: LikelihoodRegion
    coordinates: Coordinates  # the view

    @classmethod
    def from_band(cls, band: Band, coordinates: Coordinates) -> Profile:
        """Take the region of a likelihood band, or its lower and upper regions."""
        return cls(*list_parts(band.region), coordinates)

    @staticmethod
    def is_possible(band: Band, coordinates: Coordinates) -> bool:
        """Tell whether a band has a profile: a likelihood band of rows that count equally."""
        likelihood = all(isinstance(part, LikelihoodRegion) for part in list_parts(band.region))
        return _is_plain(band.roc) and likelihood and coordinates.name in ("pr", "gains", "lift")

    @cached_property
    def _precision(self) -> PrecisionProfile:
        return PrecisionProfile(*self._counts_and_curves)

    @cached_property
    def _gains(self) -> GainsProfile:
        return GainsProfile(*self._counts_and_curves)

    @property
    def _counts_and_curves(self) -> tuple[Any, Any, float, Any]:
        low, high = self.low, self.high
        curves = low.curves, high.curves
        return (low.fp, low.tp), (high.fp, high.tp), low.critical_value, curves

    def limits(self, x: FloatArray) -> Limits:
        """Limits of the ordinate at each abscissa."""
        if self.coordinates.name == "pr":
            few, many = self._precision.limits(x)
            # Precision v / (v + w), with w / (1 + w) the share that was found.
            low, high = (x * (1.0 - q) / np.maximum(x * (1.0 - q) + q, 1e-300) for q in (many, few))
            return np.where(x > 0.0, low, 0.0), np.where(x > 0.0, high, 1.0)
        if self.coordinates.name == "gains":
            return self._gains.limits(x)
        rate = np.maximum(x, _SMALLEST_RATE)
        low, high = self._gains.limits(rate)
        return low / rate, high / rate

    def polylines(self, fine: bool = False) -> tuple[Curve, Curve]:
        """Limits at many abscissae; without ties at many recalls, which is quicker."""
        if self.coordinates.name == "pr" or self._gains.tied:
            return sample_limits(self.limits, self.coordinates, fine)
        grid = FINE if fine else QUICK
        v = np.minimum(np.maximum(grid, _SMALLEST_RATE), 1.0 - _SMALLEST_RATE)
        low, high = self._gains.rates(v)
        # With few positives edges have horizontal pieces: add recalls where these matter.
        for _ in range(2):
            width = np.diff(v)
            wide = np.flatnonzero(np.maximum(np.diff(low), np.diff(high)) * width > 4e-4)
            if not wide.size:
                break
            between = (v[wide, None] + width[wide, None] * [0.25, 0.5, 0.75]).ravel()
            place = np.repeat(wide + 1, 3)
            more = (between, *self._gains.rates(between))
            v, low, high = map(np.insert, (v, low, high), (place,) * 3, more)
        lines = []
        for rate in (low, high):
            x, y = (np.concatenate(([0.0], side, [1.0])) for side in (rate, v))
            x = np.maximum.accumulate(x)  # equal rates may decrease by rounding
            if self.coordinates.name == "lift":
                # Straight pieces become arcs; the value at rate 0 is the limit from above.
                at = np.sort(np.concatenate((x[1:], grid[1:])))
                y = np.interp(at, x, y) / at
                x, y = np.append(0.0, at), np.append(y[0], y)
            lines.append(Curve(freeze(x), freeze(y)))
        return lines[0], lines[1]

    def contains_roc(self, roc: RocCurve) -> bool:
        """Tell whether it contains a curve at its own share of positives."""
        share = roc.prevalence
        if self.coordinates.name == "pr":
            return self._precision.contains(roc.fpr * (1.0 - share) / share, roc.tpr)
        return self._gains.contains(share * roc.tpr + (1.0 - share) * roc.fpr, roc.tpr)

    def contains(self, x: FloatArray, y: FloatArray) -> bool:
        """Tell whether it contains a curve of the view, which starts at the origin of ROC space."""
        if self.coordinates.name == "pr":
            w, recall = PrecisionRecall().false_per_positive(x, y)
            return self._precision.contains(np.append(0.0, w), np.append(0.0, recall))
        gains = close_points(x, x * y if self.coordinates.name == "lift" else y, _GAINS)
        return self._gains.contains(gains.x, gains.y)

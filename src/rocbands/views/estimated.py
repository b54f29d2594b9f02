"""Views whose prevalence is estimated from the same rows.

For the likelihood band the prevalence is one more unknown of the likelihood, which is made smallest
over it (`rocbands.likelihood.profile`). For any other simultaneous band there is the product rule:
the band and Clopper and Pearson's limits for the prevalence, both at the root of the level, hold
together as often as the level says, because given the number of positives the ranks say nothing
about the prevalence. With weights or groups that is not so; then both leave out half as often.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits
from rocbands.core.band import Band
from rocbands.core.checks import CountArray, FloatArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.randomness import Rng
from rocbands.core.region import SpannedRegion
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.design.effective_sizes import limit_prevalence
from rocbands.errors import InputError
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.gains import GainsProfile
from rocbands.likelihood.profile import PrecisionProfile
from rocbands.likelihood.region import LikelihoodRegion
from rocbands.views.coordinates import (
    Coordinates,
    PrecisionRecall,
    map_curves,
    sample_limits,
    space_evenly,
)
from rocbands.views.sections import Limits, Sections

# Lift at rate 0 is its limit there; this rate is as good as 0.
_NO_RATE = 1e-9

Counts = tuple[CountArray, CountArray]


def likelihood_regions(band: Band) -> tuple[LikelihoodRegion, LikelihoodRegion] | None:
    """Return the regions around the lowest and the highest curve; None for other methods."""
    region = band.region
    low, high = (region.low, region.high) if isinstance(region, SpannedRegion) else (region, region)
    if not isinstance(low, LikelihoodRegion) or not isinstance(high, LikelihoodRegion):
        return None
    return low, high


@dataclass(frozen=True, eq=False)
class Profile:
    """The likelihood region in the precision-recall plane or the gains plane."""

    # low, high: regions of ROC space around the lowest and the highest curve that the data allow.
    low: LikelihoodRegion
    high: LikelihoodRegion
    coordinates: Coordinates  # the view: 'pr', 'gains' or 'lift'

    @property
    def _made_of(self) -> tuple[Counts, Counts, float, tuple[Curves, Curves]]:
        low, high = self.low, self.high
        curves = low.curves, high.curves
        return (low.fp, low.tp), (high.fp, high.tp), low.critical_value, curves

    @cached_property
    def _precision(self) -> PrecisionProfile:
        return PrecisionProfile(*self._made_of)

    @cached_property
    def _gains(self) -> GainsProfile:
        return GainsProfile(*self._made_of)

    def limits(self, x: FloatArray) -> Limits:
        """Limits of the ordinate at each abscissa."""
        if self.coordinates.name == "pr":
            few, many = self._precision.limits(x)
            # Precision v / (v + w), with w / (1 + w) the share that was found.
            low, high = (x * (1.0 - q) / np.maximum(x * (1.0 - q) + q, 1e-300) for q in (many, few))
            return np.where(x > 0.0, low, 0.0), np.where(x > 0.0, high, 1.0)
        if self.coordinates.name == "gains":
            return self._gains.limits(x)
        rate = np.maximum(x, _NO_RATE)
        low, high = self._gains.limits(rate)
        return low / rate, high / rate

    def polylines(self, fine: bool = False) -> tuple[Curve, Curve]:
        """Limits at many abscissae; without ties at many recalls, which is quicker."""
        name = self.coordinates.name
        if name == "pr" or self._gains.tied:
            return sample_limits(self.limits, self.coordinates, fine)
        grid = space_evenly(fine)
        v = np.minimum(np.maximum(grid, _NO_RATE), 1.0 - _NO_RATE)
        low, high = self._gains.rates(v)
        # Few positives make edges with level stretches: look closer where one takes up area.
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
            x = np.maximum.accumulate(x)  # where rates are equal the last digit may fall
            if name == "lift":
                # Straight pieces become arcs; at rate 0 stands the limit of the rates above it.
                at = np.sort(np.concatenate((x[1:], grid[1:])))
                y = np.interp(at, x, y) / at
                x, y = np.append(0.0, at), np.append(y[0], y)
            lines.append(Curve(freeze(x), freeze(y)))
        return lines[0], lines[1]

    def contains_roc(self, roc: RocCurve) -> bool:
        """Ask about a curve at its own share of positives."""
        share = roc.prevalence
        if self.coordinates.name == "pr":
            return self._precision.contains(roc.fpr * (1.0 - share) / share, roc.tpr)
        return self._gains.contains(share * roc.tpr + (1.0 - share) * roc.fpr, roc.tpr)

    def contains(self, x: FloatArray, y: FloatArray) -> bool:
        """Ask about a curve of the view, which starts at the origin of ROC space."""
        if self.coordinates.name == "pr":
            w, recall = PrecisionRecall().alarms(x, y)
            return self._precision.contains(np.append(0.0, w), np.append(0.0, recall))
        recall = x * y if self.coordinates.name == "lift" else y
        return self._gains.contains(*_close_gains(x, recall))


@dataclass(frozen=True, eq=False)
class Product:
    """All images of a band over the prevalences between two limits."""

    band: Band  # the band at the root of the level
    # low, high: limits for the prevalence at the root of the level.
    low: float
    high: float
    coordinates: Coordinates  # the view

    @classmethod
    def from_band(cls, band: Band, coordinates: Coordinates, rng: Rng) -> Product:
        """Make the band again at the root of its level, and find limits for the prevalence."""
        roc, each = band.roc, math.sqrt(band.level)
        plain = roc.weights is None and roc.groups is None
        if not plain:  # the shares of both errors add up, whatever they have to do with each other
            each = 0.5 + band.level / 2.0
        again = band.method(roc, level=each, rng=rng)
        sizes = (band.n_pos, band.n_pos + band.n_neg)
        low, high = clopper_pearson_limits(*sizes, each) if plain else limit_prevalence(roc, each)
        return cls(again, float(low), float(high), coordinates)

    @cached_property
    def _sections(self) -> Sections:
        return Sections(self.band.region)

    def limits(self, x: FloatArray) -> Limits:
        """Limits of the ordinate at each abscissa."""
        return self.coordinates.limits(self._sections, x, self.low, self.high)

    def polylines(self, fine: bool = False) -> tuple[Curve, Curve]:
        """Images of the band's own lines, or limits at many abscissae."""
        if not isinstance(self.coordinates, PrecisionRecall):
            sections = self._sections if fine else Sections(self.band.region, drawn=True)
            return sample_limits(
                lambda x: self.coordinates.limits(sections, x, self.low, self.high),
                self.coordinates,
                fine,
            )
        lower, upper = self._sections.fine_edges if fine else self._sections.edges
        return (
            map_curves([lower], self.coordinates, self.low, fine)[0],
            map_curves([upper], self.coordinates, self.high, fine)[0],
        )

    def contains_roc(self, roc: RocCurve) -> bool:
        """Ask about a curve at its own share of positives."""
        share = roc.prevalence
        return self.low <= share <= self.high and self.band.contains(roc)

    def contains(self, x: FloatArray, y: FloatArray) -> bool:
        """Tell whether the limits contain a curve of the view.

        Precision is lowest at the low end of the prevalences, so below the curve is mapped back
        with that end, and above with the other.
        """
        if self.coordinates.name == "pr":
            w, recall = PrecisionRecall().alarms(x, y)
            below, above = (
                self.band.misses((np.minimum(w * p / (1.0 - p), 1.0), recall))[side]
                for p, side in ((self.low, 1), (self.high, 0))
            )
            return not (below or above)
        rate, recall = _close_gains(x, x * y if self.coordinates.name == "lift" else y)
        # Curve and limits are straight between their vertices.
        places = [
            p * edge.y + (1.0 - p) * edge.x
            for edge in self._sections.fine_edges
            for p in (self.low, self.high)
        ]
        at = np.unique(np.concatenate([rate, *places]))
        gains = Curve(rate, recall)
        low, high = self.coordinates.limits(self._sections, at, self.low, self.high)
        if self.coordinates.name == "lift":
            low, high = low * at, high * at
        return bool((gains.low(at) >= low - SLACK).all() and (gains.high(at) <= high + SLACK).all())


def _close_gains(rate: FloatArray, recall: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Add the corners of a gains curve; refuse one that falls."""
    for name, values in (("rate", rate), ("recall", recall)):
        falls = np.diff(values) < -SAME
        if falls.any():
            at = int(np.argmax(falls))
            raise InputError(
                "must never fall along the curve",
                f"it falls from {values[at]:.6g} to {values[at + 1]:.6g}",
                "Sort the points by the rate.",
                argument=name,
            )
    rate, recall = (
        np.concatenate([[0.0], np.maximum.accumulate(side), [1.0]]) for side in (rate, recall)
    )
    return rate, recall

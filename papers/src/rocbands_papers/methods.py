"""Bands and bounds as the papers print them, where the library does otherwise.

A study's random streams are made from the fields of its cells. `fingerprint` keeps the text that
stood for each method when the published numbers were measured, so that they can be measured again.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.joint_region import JointRegion
from rocbands.bands.threshold import Threshold
from rocbands.bands.vertical import Vertical
from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import FloatArray, check_flag, check_resamples
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.region import BetweenRegion, DisplacedRegion, between_steps
from rocbands.core.roc import RocCurve
from rocbands.errors import RocBandsWarning
from rocbands.rates import BaselineNormal, BaselineT, Parametric
from rocbands.rates.consensus import Consensus
from rocbands.resample.crossings import choose_lines
from rocbands.resample.curves import (
    Rates,
    RowSource,
    Source,
    build_source,
    interpolate_rows,
    measure_resamples,
)
from rocbands.resample.population import Population

__all__ = [
    "AucHull",
    "Chords",
    "PrintedBaselineNormal",
    "PrintedBaselineT",
    "PrintedFixedWidth",
    "PrintedJointRegion",
    "PrintedParametric",
    "PrintedThreshold",
    "PrintedVertical",
]

_NODES: FloatArray = np.arange(1, 100) / 100.0  # Millard, Kull and Flach, equation 17
LINES = 2000  # lines across the square, along which hulls are taken


@dataclass(frozen=True)
class PrintedFixedWidth(FixedWidth):
    """Fixed-width bands pushed along sqrt(n_pos / n_neg), as both papers of Macskassy print it.

    Their own reason for the direction (the ratio of the two rates' standard errors) gives
    sqrt(n_neg / n_pos), which is what the library uses. With equal classes both are 1.
    """

    def slope(self, roc: RocCurve) -> float:
        """Return the slope of the direction in which the curve is pushed."""
        # Written as 1 / (n_neg / n_pos), whose last digit is that of the published numbers.
        return math.sqrt(1.0 / (roc.n_neg / roc.n_pos))

    def region(self, roc: RocCurve, level: float, rng: np.random.Generator) -> DisplacedRegion:
        """Return the band for the true curve, without warnings: odd samples are what is studied."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RocBandsWarning)
            region = self(roc, level=level, rng=rng).region
        assert isinstance(region, DisplacedRegion), "a fixed-width band is a displaced curve"
        return region

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        return {"kind": "FixedWidth", "slope_rule": "papers", **self.parameters}


@dataclass(frozen=True)
class PrintedJointRegion(JointRegion):
    """Joint regions with each axis at the level, as in the papers: level ** 2 is guaranteed."""

    def level_per_axis(self, level: float) -> float:
        """Return the level of each axis."""
        return level

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        return {"kind": "JointRegion", "joint": False, **self.parameters}


@dataclass(frozen=True)
class PrintedVertical(Vertical):
    """Vertical averages whose binomial limits divide by the number of curves, as printed in 2004.

    The variance of a share is p (1 - p) / n_pos; divided by the number of fitting curves instead,
    the width says nothing about the data. The other rules are the library's.
    """

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        """Return what the binomial variance is divided by."""
        return n_curves

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        return {"kind": "Vertical", "papers": self.interval == "binomial", **self.parameters}


@dataclass(frozen=True)
class PrintedThreshold(Threshold):
    """Threshold averages with the same binomial limits as :class:`PrintedVertical`."""

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        """Return what the binomial variance is divided by."""
        return n_curves

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        return {"kind": "Threshold", "papers": self.interval == "binomial", **self.parameters}


@dataclass(frozen=True)
class PrintedParametric(Parametric):
    """Millard's beta bounds: moments from 99 quadrature nodes, and no continuity correction."""

    continuity: bool = False

    def compute_moments(self, consensus: Consensus) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of recall times size by the nodes of equation 17."""
        return consensus.compute_moments(_NODES)

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        return {"kind": "Parametric", "continuity": False, "law": "nodes"}


class _Unconfined:
    """Limits that may leave what the rate allows, as Millard's do."""

    def confine(
        self, consensus: Consensus, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Leave the limits as they are."""
        return lower, upper


@dataclass(frozen=True)
class PrintedBaselineNormal(_Unconfined, BaselineNormal):
    """Millard's normal baseline: limits may leave the unit square."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        return {"kind": "BaselineNormal", "clip": False}


@dataclass(frozen=True)
class PrintedBaselineT(_Unconfined, BaselineT):
    """The same with Student's quantiles."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        return {"kind": "BaselineT", "clip": False}


@dataclass(frozen=True)
class AucHull(BandMethod):
    """Band of everything between the resampled curves that are left when extreme AUCs are dropped.

    Proposed as future work in the 2004 paper, and kept for comparison: it does not hold its level.
    A curve with a middling area can stray far at one end and make up for it at the other, and the
    true curve is smoother than any resample.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of resampled test sets.
    stratified : bool, default False
        Keep the class sizes in every resample.

    Notes
    -----
    Measured at level 0.9 on binormal scores (docs/coverage.md): the true curve is inside 0.79 of
    the time at best, with 25 rows and an AUC of 0.62; 0.16 with 1,000 rows; 0.08 or less from
    100 rows and an AUC of 0.8 on.

    References
    ----------
    Macskassy and Provost (2004), Confidence bands for ROC curves: methods and an empirical study,
    ROCAI.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> roc = rb.roc_curve(y, models["logistic"], positive="malignant")
    >>> band = AucHull()(roc, level=0.9, rng=1)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.77
    """

    name: ClassVar[str] = "auc-hull"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "none: far below the level (measured); for comparison only"
    handles: ClassVar[tuple[Extra, ...]] = ("groups",)
    idea: ClassVar[str] = "hull of the resampled curves with middling AUC; for comparison only"

    n_resamples: int = 1000
    stratified: bool = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        check_flag(self.stratified, "stratified")

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        """Make the hull of the curves whose AUC is not extreme."""
        level = request.level
        source, turned = build_source(roc), False
        if isinstance(source, RowSource):
            rows, turned = Population.from_curve(roc).choose_direction()
            source = RowSource(rows.merge_runs(), self.stratified)
        odds = roc.n_neg / roc.n_pos
        slope = math.sqrt(1.0 / odds if turned else odds)
        curve = roc.curve.mirrored if turned else roc.curve
        c = choose_lines([curve], slope, LINES)
        region = self._hull(source, c, slope, level, request.rng)
        notes = (
            "The level is a share of resampled AUCs, not a probability of holding the true curve.",
        )
        band = Band(roc, region.mirrored if turned else region, level, self, notes=notes)
        if not band.degenerate:
            return band
        alike = "Degenerate: the resampled curves are alike, so the width says nothing."
        return replace(band, notes=(*notes, alike))

    def _hull(
        self,
        source: Source,
        c: FloatArray,
        slope: float,
        level: float,
        rng: np.random.Generator,
    ) -> BetweenRegion:
        def area_and_crossings(rates: Rates) -> FloatArray:
            at = np.broadcast_to(c, (len(rates.x), c.size))
            x = interpolate_rows(at, rates.y + slope * rates.x, rates.x)
            return np.column_stack((np.trapezoid(rates.y, rates.x, axis=1), x))

        drawn = measure_resamples(source, self.n_resamples, rng, area_and_crossings)
        drop = math.floor(self.n_resamples * (1.0 - level) / 2.0 + 1e-9)
        middle = np.argsort(drawn[:, 0], kind="stable")[drop : self.n_resamples - drop]
        x = drawn[middle, 1:]
        return between_steps(c, x.min(axis=0), x.max(axis=0), slope)


@dataclass(frozen=True)
class Chords(BandMethod):
    """A band that is drawn with straight lines between some points, and judged as drawn.

    Parameters
    ----------
    method : BandMethod
        Makes the band.
    points : int, default 100
        Number of straight pieces of either edge.
    """

    name: ClassVar[str] = "chords"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "none: a chord cuts off what a bent edge holds"
    idea: ClassVar[str] = "what happens if a band is judged by its picture"

    method: BandMethod
    points: int = 100

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        """Make the band and draw it."""
        band = self.method.build_band(roc, request)
        if getattr(band.region, "fitted", band) is None:
            return band  # the whole square, which is no band to draw
        fpr = np.linspace(0.0, 1.0, self.points + 1)
        lower, upper = (
            Curve(fpr, np.maximum.accumulate(edge(fpr))) for edge in (band.lower_at, band.upper_at)
        )
        centre = Curve(fpr, (lower.y + upper.y) / 2.0)
        return replace(band, region=BetweenRegion(lower, upper), method=self, centre=centre)

"""Bands and bounds as the papers print them, where the library does otherwise.

A study's random streams are made from the fields of its cells. `fingerprint` keeps the text that
stood for each method when the published numbers were measured, so that they can be measured again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from rocbands.bands import ThresholdAverage, VerticalAverage
from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.joint_region import JointRegion
from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import FloatArray, check_choice, check_flag, check_number, check_resamples
from rocbands.core.curve import Curve, displacement
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.region import BetweenRegion, DisplacedRegion, between_steps
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, Message, RocBandsWarning, arg
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
from rocbands.resample.quantiles import order_statistic

__all__ = [
    "TABLE_1",
    "AucHull",
    "Chords",
    "DirectedFixedWidth",
    "PrintedBaselineNormal",
    "PrintedBaselineT",
    "PrintedFixedWidth",
    "PrintedJointRegion",
    "PrintedParametric",
    "PrintedThreshold",
    "PrintedVertical",
    "TableJointRegion",
]

_NODES: FloatArray = np.arange(1, 100) / 100.0  # Millard, Kull and Flach, equation 17
LINES = 2000  # lines across the square, along which hulls are taken


_LATER = {"n_points": 100, "rectangles": False}  # parameters that methods have got since
_FEWEST = 36  # cases of a class: the constants of Table 1 are for more than 35
TABLE_1 = {0.8: 1.07, 0.85: 1.14, 0.9: 1.22, 0.95: 1.36, 0.99: 1.63}  # over sqrt(n); 2004 and 2005


class _Published:
    """A method whose random streams are made from the text that stood for it when published."""

    published: ClassVar[dict[str, Any]]
    parameters: dict[str, Any]

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What random streams are made from."""
        own = {name: value for name, value in self.parameters.items() if _LATER.get(name) != value}
        return {**self.published, **own}


@dataclass(frozen=True)
class PrintedFixedWidth(_Published, FixedWidth):
    """Fixed-width bands pushed along sqrt(n_pos / n_neg), as both papers of Macskassy print it.

    Their own reason for the direction (the ratio of the two rates' standard errors) gives
    sqrt(n_neg / n_pos), which is what the library uses. With equal classes both are 1.
    """

    published: ClassVar[dict[str, Any]] = {"kind": "FixedWidth", "slope_rule": "papers"}

    def slope(self, roc: RocCurve) -> float:
        # Written as 1 / (n_neg / n_pos), whose last digit is that of the published numbers.
        return math.sqrt(1.0 / (roc.n_neg / roc.n_pos))

    def region(self, roc: RocCurve, level: float, rng: np.random.Generator) -> DisplacedRegion:
        """Return the band for the true curve, without warnings: odd samples are what is studied."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RocBandsWarning)
            region = self(roc, level=level, rng=rng).region
        assert isinstance(region, DisplacedRegion), "a fixed-width band is a displaced curve"
        return region


@dataclass(frozen=True)
class DirectedFixedWidth(PrintedFixedWidth):
    """Fixed-width bands along any slope, from resamples or from the curves of several test sets.

    Parameters
    ----------
    direction : {'rate', 'errors', 'printed'} or float, default 'rate'
        How far the curve is pushed up for each unit to the left. 'rate': n_neg / n_pos, along lines
        of equal rate (Millard, Kull and Flach 2014, section 5, who print its inverse). 'errors':
        the ratio of the standard errors, as in the library. 'printed': its inverse, as in 2004.

    Notes
    -----
    With `folds` nothing is resampled: the curves may come from several test sets of one model, as
    Macskassy, Provost and Rosset say (2005, section 2). The band stands around the curve of all
    rows, with the width that holds a share `level` of the sets' curves: it is for the curve of one
    more set. Fewer sets than 1 / (1 - level) are refused.

    Examples
    --------
    >>> import rocbands as rb
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 2000)
    >>> sets = np.repeat(np.arange(40), 50)
    >>> band = rb.roc_band(
    ...     rb.Sample(y, y + rng.normal(size=2000), folds=sets), method=DirectedFixedWidth()
    ... )
    >>> print(band.target, band.lower_at(0.3).round(2), band.upper_at(0.3).round(2))
    curve of one more test set 0.3 0.97
    """

    name: ClassVar[str] = "fixed-width-directed"
    guarantee: ClassVar[str] = "as fixed-width; from several test sets, for one more of them"
    handles: ClassVar[tuple[Extra, ...]] = (*FixedWidth.handles, "folds")
    published: ClassVar[dict[str, Any]] = {"kind": "DirectedFixedWidth"}

    direction: Literal["rate", "errors", "printed"] | float = "rate"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.direction, str):
            check_choice(self.direction, ("rate", "errors", "printed"), "direction")
        else:
            check_number(self.direction, "direction", above=0.0)

    def slope(self, roc: RocCurve) -> float:
        ratio = roc.n_neg / roc.n_pos
        named = {"rate": ratio, "errors": math.sqrt(ratio), "printed": math.sqrt(1.0 / ratio)}
        return named[self.direction] if isinstance(self.direction, str) else self.direction

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        if not roc.folds:
            return super().build_bands(roc, requests)
        slope, count = self.slope(roc), len(roc.folds)
        far = [displacement(roc.curve, fold.curve, slope).largest for fold in roc.folds]
        bands = []
        for level in (request.level for request in requests):
            if count * (1.0 - level) < 1.0 - SLACK:
                raise InputError(
                    Message(
                        "A width at {} needs at least {} test sets",
                        arg("level", level),
                        math.ceil(1.0 / (1.0 - level) - SLACK),
                    ),
                    Message("{} has {}", arg("folds"), count),
                    "Use a lower level, or one test set, which is resampled.",
                )
            dx = order_statistic(np.array(far), level) / math.hypot(1.0, slope)
            note = (
                f"Displaced by {dx:.4f} in fpr and {slope * dx:.4f} in tpr, from the curves of "
                f"{count} test sets."
            )
            region = DisplacedRegion(roc.curve, dx, slope)
            target = "curve of one more test set"
            bands.append(Band(roc, region, level, self, notes=(note,), target=target))
        return bands


@dataclass(frozen=True)
class PrintedJointRegion(_Published, JointRegion):
    """Joint regions with each axis at the level, as in the papers: level ** 2 is guaranteed."""

    published: ClassVar[dict[str, Any]] = {"kind": "JointRegion", "joint": False}

    def level_per_axis(self, level: float) -> float:
        return level


@dataclass(frozen=True)
class TableJointRegion(PrintedJointRegion):
    """Joint regions word by word: constants of Table 1 over sqrt(n), boxes (fp +- d, tp +- e).

    d, from the positives, is used across and e, from the negatives, upwards; the library has them
    the other way round, with the exact distribution of each size. The table has five levels, for
    more than 35 cases.
    """

    name: ClassVar[str] = "joint-region-table"
    guarantee: ClassVar[str] = "none: the half-widths stand on each other's axes"
    published: ClassVar[dict[str, Any]] = {"kind": "TableJointRegion"}

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        constant = TABLE_1.get(round(request.level, 9))
        if constant is None or min(roc.n_pos, roc.n_neg) < _FEWEST:
            raise InputError(
                f"Table 1 has the levels {', '.join(f'{level:g}' for level in TABLE_1)}, for at "
                f"least {_FEWEST} cases of each class",
                Message(
                    "{} is {:g}, with {} positives and {} negatives",
                    arg("level"),
                    request.level,
                    roc.n_pos,
                    roc.n_neg,
                ),
                "Use PrintedJointRegion, which knows the exact distribution.",
            )
        across, up = constant / math.sqrt(roc.n_pos), constant / math.sqrt(roc.n_neg)
        note = f"Boxes of {across:.4f} across and {up:.4f} upwards, as printed."
        region = DisplacedRegion(roc.curve, across, up / across)
        return Band(roc, region, request.level, self, notes=(note,))


class _PrintedBinomial(_Published):
    """Binomial limits that divide by the number of curves, as printed in 2004.

    The variance of a share is p (1 - p) / n_pos; divided by the number of fitting curves instead,
    the width says nothing about the data. The other rules are the library's.
    """

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        return n_curves

    @property
    def fingerprint(self) -> dict[str, Any]:
        return {**super().fingerprint, "papers": self.parameters["interval"] == "binomial"}


@dataclass(frozen=True)
class PrintedVertical(_PrintedBinomial, VerticalAverage):
    """Vertical averages with the printed binomial limits."""

    published: ClassVar[dict[str, Any]] = {"kind": "Vertical"}


@dataclass(frozen=True)
class PrintedThreshold(_PrintedBinomial, ThresholdAverage):
    """Threshold averages with the printed binomial limits."""

    published: ClassVar[dict[str, Any]] = {"kind": "Threshold"}


@dataclass(frozen=True)
class PrintedParametric(Parametric):
    """Millard's beta bounds: moments from 99 quadrature nodes, and no continuity correction."""

    continuity: bool = False
    fingerprint: ClassVar[dict[str, Any]] = {
        **{"kind": "Parametric", "continuity": False, "law": "nodes"}
    }

    def compute_moments(self, consensus: Consensus) -> tuple[FloatArray, FloatArray]:
        return consensus.compute_moments(_NODES)


@dataclass(frozen=True)
class CorrectedParametric(Parametric):
    """Millard's beta bounds with a continuity correction, half a count at either end.

    The library's own method adds one count.
    """

    fingerprint: ClassVar[dict[str, Any]] = {**{"kind": "Parametric", "continuity": True}}

    def widen(
        self, consensus: Consensus, size: float, variance: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        low, high = size * consensus.low, size * consensus.high
        half = np.where(high - low > 1e-9, 0.5, 0.0)
        return variance + half**2 / 3.0, low - half, high + half


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

    fingerprint: ClassVar[dict[str, Any]] = {"kind": "BaselineNormal", "clip": False}


@dataclass(frozen=True)
class PrintedBaselineT(_Unconfined, BaselineT):
    """The same with Student's quantiles."""

    fingerprint: ClassVar[dict[str, Any]] = {"kind": "BaselineT", "clip": False}


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
    Measured at level 0.9 on binormal scores (studies/docs/coverage.md): the true curve is inside
    0.79 of the time at best, with 25 rows and an AUC of 0.62; 0.16 with 1,000 rows; 0.08 or less
    from 100 rows and an AUC of 0.8 on.

    References
    ----------
    Macskassy and Provost (2004), Confidence bands for ROC curves: methods and an empirical study,
    ROCAI.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> roc = rb.roc_curve(sample["logistic"])
    >>> band = AucHull()(roc, level=0.9, rng=1)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.77
    """

    name: ClassVar[str] = "auc-hull"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "none: far below the level (measured); for comparison only"
    handles: ClassVar[tuple[Extra, ...]] = ("clusters",)
    idea: ClassVar[str] = "hull of the resampled curves with middling AUC; for comparison only"

    n_resamples: int = 1000
    stratified: bool = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        check_flag(self.stratified, "stratified")

    def build_band(self, roc: RocCurve, request: Request) -> Band:
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
        alike = "Degenerate: all resampled curves are equal, so the width is meaningless."
        return replace(band, notes=(*notes, alike))

    def _hull(
        self, source: Source, c: FloatArray, slope: float, level: float, rng: np.random.Generator
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
        band = self.method.build_band(roc, request)
        if getattr(band.region, "fitted", band) is None:
            return band  # the whole square, which is no band to draw
        fpr = np.linspace(0.0, 1.0, self.points + 1)
        lower, upper = (
            Curve(fpr, np.maximum.accumulate(edge(fpr))) for edge in (band.lower_at, band.upper_at)
        )
        centre = Curve(fpr, (lower.y + upper.y) / 2.0)
        return replace(band, region=BetweenRegion(lower, upper), method=self, centre=centre)

"""Limits for the difference of two curves of the same rows, from the likelihood of both together.

For curves with a bump (:mod:`rocbands.comparison.bumps`) and for few negatives, where limits from
the slopes of the curves are too narrow. Each curve has limits of its own height without a slope, at
any critical value; their distances from the empirical heights are its arms. The critical value c
allows both curves together a log-likelihood ratio of c^2 / 2, and they may share it in any way: c
cos t for one curve, c sin t for the other. The sum of both arms is largest at some angle t. Formula
(J1) of docs/compare.md, "Curves with a bump, and few negatives".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rocbands.comparison.bumps import describe_bumps, find_bumps, find_near
from rocbands.comparison.difference_spread import DifferenceSpread, PairedSpread
from rocbands.comparison.grid_curve import CurveAtGrid
from rocbands.comparison.grid_sums import add_curve
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.score_variance import CaseNumbers
from rocbands.design.stretch import Stretch
from rocbands.resample.gaussian_maximum import CriticalValue

ANGLES = np.linspace(0.0, np.pi / 2.0, 7)
REACH = 2.0  # standard errors of fpr, to either side, searched for the smallest correlation
# Critical values at which no concave curve is within the limits of a curve: for other limits, and
# for a note. At the first one, half of all curves with long straight parts seem to have a bump.
SUSPECTED, CLEAR = 1.0, 2.0
# Numbers of negatives for joint limits of a whole band, and of one point, of concave curves, too,
# with at least so many positives for each.
FEW_NEGATIVES, SEVERAL_NEGATIVES, MANY_POSITIVES = 30.0, 100.0, 4.0


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Distances of the limits from the difference at k points."""

    fpr: FloatArray
    curves: tuple[CurveAtGrid, CurveAtGrid]
    heights: FloatArray  # (2, k) of both empirical curves
    errors: FloatArray  # (2, 1, k) standard errors of the heights
    correlation: FloatArray  # (k,) of both heights
    stretch: Stretch
    angles: FloatArray
    _found: dict[float, FloatArray] = field(default_factory=dict)

    @classmethod
    def at_points(
        cls,
        points: BoolArray,
        spread: PairedSpread,
        curves: tuple[CurveAtGrid, CurveAtGrid],
        sizes: CaseNumbers,
        angles: FloatArray = ANGLES,
    ) -> JointLimits:
        """Limits at some points of the grid. `sizes`: independent cases of both curves."""
        fpr = curves[0].fpr
        one, two = (add_curve(curve).variance for curve in curves)
        product = np.sqrt(one * two)
        shared = (one + two - spread.sums.variance) / 2.0
        rho = np.divide(shared, product, out=np.zeros(fpr.size), where=product > 0.0)
        near = REACH * np.sqrt(fpr * (1.0 - fpr) / sizes.n_neg)
        others = np.where(np.abs(fpr - fpr[:, None]) <= near[:, None], rho, np.inf)
        floors = (
            (1.0 / sizes.n_pos**2 + (curve.slope / sizes.n_neg) ** 2) / 2.0 for curve in curves
        )
        errors = [np.sqrt(own + floor) for own, floor in zip((one, two), floors, strict=True)]
        return cls(
            fpr[points],
            curves,
            np.stack([curve.tpr[points] for curve in curves]),
            np.stack(errors)[:, None, points],
            np.clip(others.min(axis=1), -1.0, 1.0)[points],
            spread.sums.stretch,
            angles,
        )

    def find_distances(self, critical_value: float) -> FloatArray:
        """Distances (2, k) of the lower and the upper limit from the difference; kept."""
        if critical_value not in self._found:
            stretched = float(np.median(self.stretch.scale(critical_value)))
            self._found[critical_value] = self._measure(stretched)
        return self._found[critical_value]

    def _measure(self, critical_value: float) -> FloatArray:
        # (angles, curves, sides, k); the lower limit of a difference needs the lower arm of curve
        # 1 and the upper arm of curve 2.
        arms = np.stack([self._find_arms(critical_value * np.cos(angle)) for angle in self.angles])
        one, two = arms[:, 0], arms[:, 1, ::-1]
        squares = one[0] ** 2 + two[0] ** 2
        if self.angles.size > 1:
            squares = np.maximum(squares, (one + two[::-1]).max(axis=0) ** 2)
        # The correlation is that of linear influences: it shortens the linear part of an arm only.
        linear = critical_value * self.errors
        shared = np.minimum(one[0], linear[0]) * np.minimum(two[0], linear[1])
        product = np.where(self.correlation > 0.0, shared, one[0] * two[0])
        apart = squares - 2.0 * self.correlation * product
        return np.asarray(np.sqrt(np.maximum(apart, 0.0)))

    def _find_arms(self, critical_value: float) -> FloatArray:
        """Distances (2, 2, k) of both curves' lower and upper limits from their heights."""
        arms = []
        for curve, height in zip(self.curves, self.heights, strict=True):
            lower, upper = curve.limit_heights_at(self.fpr, critical_value)
            arms.append([height - lower, upper - height])
        return np.maximum(arms, 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class JointSpread(DifferenceSpread):
    """The spread of a pair of models on the same rows, with joint limits at some points."""

    linear: PairedSpread
    joint: JointLimits
    points: BoolArray  # of the grid, those of the joint limits
    bumps: tuple[str, str] = ("", "")  # where each curve clearly has bumps, for a note
    farther: bool = False  # joint limits only where they are farther away than linear ones

    @classmethod
    def join(cls, linear: PairedSpread, joint: JointLimits, **options: Any) -> JointSpread:
        return cls(
            difference=linear.difference,
            covariance=linear.covariance,
            variance=linear.variance,
            linear=linear,
            joint=joint,
            **options,
        )

    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        lower, upper = self.linear.find_limits(critical_value)
        down, up = self.joint.find_distances(critical_value)
        low = np.maximum(self.difference[self.points] - down, -1.0)
        high = np.minimum(self.difference[self.points] + up, 1.0)
        if self.farther:
            low = np.minimum(low, lower[self.points])
            high = np.maximum(high, upper[self.points])
        lower[self.points], upper[self.points] = low, high
        return lower, upper

    def describe(self, names: tuple[str, str]) -> tuple[str, ...]:
        found = [
            f"The curve of {name} has a bump {where} (as pooled sites, batches or devices with "
            "different offsets give): limits there come from the likelihood of both curves."
            for name, where in zip(names, self.bumps, strict=True)
            if where
        ]
        if self.farther:
            found.append("Few negatives: limits are the wider ones of two methods.")
        return (*self.linear.describe(names), *found)

    def find_edge_error(self, critical_value: CriticalValue) -> float:
        # As for two test sets, distances of joint limits are proportional to the critical value.
        value, error = critical_value
        far, limits = np.stack(self.linear.find_limits(value + error)), self.find_limits(value)
        away = np.abs(limits - self.difference) * (error / max(value, error) if error else 0.0)
        return float(np.where(self.points, away, np.abs(far - limits)).max())


def widen_at_bumps(
    spread: DifferenceSpread, curves: tuple[CurveAtGrid, CurveAtGrid], sizes: CaseNumbers
) -> DifferenceSpread:
    """Joint limits where a curve has a bump, and everywhere where negatives are few.

    Without either, and on two test sets, the spread as it is. `sizes`: independent cases.
    """
    if not isinstance(spread, PairedSpread):
        return spread
    n_neg = sizes.n_neg
    few = n_neg < FEW_NEGATIVES and sizes.n_pos >= MANY_POSITIVES * n_neg
    return _join_at(_find_marked(curves, n_neg) | few, spread, curves, sizes)


def widen_at_one_point(
    spread: DifferenceSpread, curves: tuple[CurveAtGrid, CurveAtGrid], sizes: CaseNumbers
) -> DifferenceSpread:
    """Joint limits at one point near a bump; if negatives are few, the farther ones of both."""
    if not isinstance(spread, PairedSpread):
        return spread
    few = sizes.n_neg <= SEVERAL_NEGATIVES and sizes.n_pos >= MANY_POSITIVES * sizes.n_neg
    if not few:
        return _join_at(_find_marked(curves, sizes.n_neg), spread, curves, sizes)
    points = np.ones(1, dtype=np.bool_)
    joint = JointLimits.at_points(points, spread, curves, sizes, angles=ANGLES[:1])
    return JointSpread.join(spread, joint, points=points, farther=True)


def _find_marked(curves: tuple[CurveAtGrid, CurveAtGrid], n_neg: float) -> BoolArray:
    """Points of the grid near which a curve may have a bump."""
    suspected = np.concatenate([find_bumps(curve, n_neg, SUSPECTED) for curve in curves])
    return np.asarray(find_near(suspected, n_neg, curves[0].fpr).any(axis=0))


def _join_at(
    points: BoolArray,
    spread: PairedSpread,
    curves: tuple[CurveAtGrid, CurveAtGrid],
    sizes: CaseNumbers,
) -> DifferenceSpread:
    """Joint limits at some points of the grid, and the clear bumps near them."""
    if not points.any():
        return spread
    fpr, n_neg = curves[0].fpr[points], sizes.n_neg
    clear = [find_bumps(curve, n_neg, CLEAR) for curve in curves]
    one, two = (describe_bumps(bumps[find_near(bumps, n_neg, fpr).any(axis=1)]) for bumps in clear)
    joint = JointLimits.at_points(points, spread, curves, sizes)
    return JointSpread.join(spread, joint, points=points, bumps=(one, two))

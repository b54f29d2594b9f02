"""Intervals for the AUC by resampling: percentiles, BCa, and the variance in closed form.

Resamples keep the class sizes; where rows come in clusters, whole clusters are drawn instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.auc.bins import Range, WidestPivot, bound_moments, bound_wald
from rocbands.auc.method import AucMethod, Pivot, Tails, Wald
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.counting import walk_steps
from rocbands.core.delong import Moments, compute_area_moments, compute_cluster_sums, place_steps
from rocbands.core.method import Extra, Request, Resampling
from rocbands.core.randomness import Simulation
from rocbands.core.references import EFRON
from rocbands.core.roc import RocCurve
from rocbands.resample.areas import draw_areas
from rocbands.resample.quantiles import order_statistic, quantile_error

_POOR = "asymptotic; measured far below the level near AUC 1"


@dataclass(frozen=True)
class AucBootstrap(Resampling, AucMethod):
    """Quantiles of the AUCs of resampled test sets.

    If all resamples have the same AUC, as with separated classes, the interval is a single point
    and a note says so. Each class needs two cases, or cases in two clusters.
    """

    name: ClassVar[str] = "bootstrap"
    guarantee: ClassVar[str] = _POOR
    held_near_one: ClassVar[str] = "0.34 to 0.97"
    idea: ClassVar[str] = "quantiles of resampled AUCs"
    references: ClassVar[tuple[str, ...]] = (EFRON,)
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "one-sided")
    least_cases: ClassVar[int] = 2

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        values = draw_areas(roc, self.n_resamples, request.rng)
        return PercentilePivot(roc.auc, float(values.std(ddof=1)), values)


@dataclass(frozen=True)
class Bca(Resampling, AucMethod):
    """Quantiles of resampled AUCs, corrected for bias and skewness (Efron's BCa).

    With b the normal score of the share of resampled AUCs below the estimate and a the acceleration
    (one sixth of the skewness of the cases' contributions to the AUC), the limit for a normal
    quantile z is the quantile at Phi(b + (b + z) / (1 - a (b + z))).
    """

    name: ClassVar[str] = "bca"
    guarantee: ClassVar[str] = _POOR
    held_near_one: ClassVar[str] = "0.34 to 0.98"
    idea: ClassVar[str] = "quantiles of resampled AUCs, corrected for bias and skewness"
    references: ClassVar[tuple[str, ...]] = (
        "Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical "
        "Association 82, 171-185.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "one-sided")
    least_cases: ClassVar[int] = 2

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        values = draw_areas(roc, self.n_resamples, request.rng)
        error = float(values.std(ddof=1))
        return BcaPivot(roc.auc, error, values, compute_acceleration(roc))


@dataclass(frozen=True)
class ExactBootstrap(AucMethod):
    """The AUC plus and minus z standard errors, clipped; the variance is over all resamples.

    This is the limit of the bootstrap standard error for many resamples, in closed form.
    """

    name: ClassVar[str] = "exact-bootstrap"
    guarantee: ClassVar[str] = _POOR
    held_near_one: ClassVar[str] = "0.34 to 0.96"
    idea: ClassVar[str] = "the AUC plus and minus the bootstrap's standard errors, in closed form"
    references: ClassVar[tuple[str, ...]] = (
        "Bandos, Rockette and Gur (2007), Exact bootstrap variances of the area under ROC curve, "
        "Communications in Statistics: Theory and Methods 36, 2443-2461.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("bins", "one-sided")
    least_cases: ClassVar[int] = 2

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        variance = exact_bootstrap_variance(compute_area_moments(roc), roc.n_pos, roc.n_neg)
        return Wald(roc.auc, math.sqrt(variance))

    def build_binned_pivot(self, roc: RocCurve) -> WidestPivot:
        ends = (exact_bootstrap_variance(end, roc.n_pos, roc.n_neg) for end in bound_moments(roc))
        return bound_wald(roc, Range(*ends))


def percentile_limits(values: FloatArray, tail: float) -> tuple[float, float]:
    """Order statistics that cut off a fraction `tail` of the values at each end."""
    return -order_statistic(-values, 1.0 - tail), order_statistic(values, 1.0 - tail)


@dataclass(frozen=True)
class PercentilePivot(Pivot):
    """Quantiles of resampled values."""

    values: FloatArray

    def limits(self, tail: float) -> tuple[float, float]:
        return percentile_limits(self.values, tail)

    def find_shares(self, tail: float) -> tuple[float, float]:
        """Return the fractions of the values at which the limits lie."""
        return tail, 1.0 - tail

    def tails(self, null: float) -> Tails:
        """Fractions of resampled values on either side of `null`, which counts as one of them."""
        more = self.values.size + 1.0
        beyond = np.count_nonzero(self.values >= null), np.count_nonzero(self.values <= null)
        return Tails(*((1.0 + count) / more for count in beyond))

    def describe_draws(self, request: Request, null: float) -> Simulation:
        """Compute the Monte Carlo errors of the limits and of the p-value."""
        size, shares = self.values.size, self.find_shares(request.tail)
        sides = {"greater": shares[:1], "less": shares[1:]}.get(request.alternative, shares)
        error = max(float(quantile_error(self.values, share)) for share in sides)
        pvalue = request.combine_tails(*self.tails(null))
        return request.simulated(size, error, request.find_pvalue_error(pvalue, size))


@dataclass(frozen=True)
class BcaPivot(PercentilePivot):
    """Quantiles of resampled values, corrected for bias and skewness: Efron (1987)."""

    acceleration: float

    @property
    def bias(self) -> float:
        """Normal score of the share of resampled values below the estimate, ties counted half."""
        return float(ndtri(self._share_below(self.estimate)))

    def limits(self, tail: float) -> tuple[float, float]:
        """Order statistics at shifted positions, clipped to the smallest and largest value."""
        order_statistic(self.values, 1.0 - tail)  # raises if there are too few for the level
        ordered = np.sort(self.values)
        low, high = (share * ordered.size for share in self.find_shares(tail))
        # Both limits are rounded outwards.
        ranks = math.floor(low + 1e-9), math.ceil(high - 1e-9) - 1
        low, high = ordered[np.clip(ranks, 0, ordered.size - 1)]
        return float(low), float(high)

    def find_shares(self, tail: float) -> tuple[float, float]:
        """Shift both shares: Phi(b + (b + z) / (1 - a (b + z)))."""
        shifted = self.bias + np.array([1.0, -1.0]) * ndtri(tail)
        moved = shifted / np.maximum(1.0 - self.acceleration * shifted, 1e-9)
        low, high = ndtr(self.bias + moved)
        return float(low), float(high)

    def tails(self, null: float) -> Tails:
        """P-values of the level whose limit is `null`: the formula of the limits, solved for z."""
        bias, at = self.bias, float(ndtri(self._share_below(null)))
        z = (at - bias) / max(1.0 + self.acceleration * (at - bias), 1e-9) - bias
        return Tails(float(ndtr(-z)), float(ndtr(z)))

    def _share_below(self, value: float) -> float:
        """Share of values below `value`, ties counted half, never quite 0 or 1."""
        below = np.count_nonzero(self.values < value)
        equal = np.count_nonzero(self.values == value)
        least = 1.0 / (self.values.size + 1.0)
        return float(np.clip((below + equal / 2.0) / self.values.size, least, 1.0 - least))


def compute_acceleration(roc: RocCurve) -> float:
    """Jackknife estimate of a sixth of the skewness of the contributions of cases or clusters."""
    # With d_i the centred contribution of case i: sum d^3 / (6 (sum d^2)^(3/2)).
    square = cube = 0.0

    def add(times: CountArray | FloatArray, apart: FloatArray) -> None:
        nonlocal square, cube
        weighted = times * apart * apart
        square += float(weighted.sum())
        cube += float(np.dot(weighted, apart))

    if roc.clusters is not None:
        add(np.ones(roc.clusters.size), np.add(*compute_cluster_sums(roc)))
    else:
        for piece in walk_steps(roc.fp, roc.tp):
            below, above = place_steps(piece, roc)
            add(np.diff(piece.tp), (below - roc.auc) / roc.n_pos)
            add(np.diff(piece.fp), (above - roc.auc) / roc.n_neg)
    return cube / (6.0 * square**1.5) if square > 0.0 else 0.0


def exact_bootstrap_variance(moments: Moments, n_pos: int, n_neg: int) -> float:
    """Variance of the AUC over all resamples that keep the class sizes.

    With v_p, v_n, v the variances of placements of positives, of negatives, and of pairs, it is
    ((n - 1) v_p + (m - 1) v_n + v) / (m n): two pairs share a positive, a negative, or both.
    """
    within = (n_neg - 1.0) * moments.pos + (n_pos - 1.0) * moments.neg
    return float((within + moments.pairs) / (float(n_pos) * n_neg))

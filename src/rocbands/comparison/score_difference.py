"""Limits for a difference of AUCs from the limits of each: 'score-delong' for two models.

DeLong's limits for a difference are as wide on one side as on the other. Near AUC 1 they must not
be: an AUC of .99 can hardly be higher and may well be lower. Zou and Donner (2008) recover the
variance of a difference from the limits of its two parts (MOVER), each of which knows its own
skewness. With limits L_j, U_j below and above the AUC A_j, and a correlation r,

    arm(x, y)^2 = (1 - r) (x^2 + y^2) + r (q (s_1 - s_2))^2,       r >= 0
    arm(x, y)^2 = x^2 + y^2 - 2 r x y,                             r < 0

    low = d - arm(L_1, U_2),  high = d + arm(U_1, L_2),            d = A_1 - A_2

where s_j are standard errors. A share r of the error is common to both models and enters with the
difference of their errors only; plain MOVER has - 2 r x y throughout, and is too wide for models
that share their hard cases, because a long arm meets a short one. With equal arms all of this is
DeLong's variance. On different rows r is 0.

References
----------
Zou and Donner (2008), Construction of confidence limits about effect measures: a general approach,
Statistics in Medicine 27, 1693-1702.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.comparison.pair import Pair
from rocbands.core.delong import ClassGroups, Placements, compute_covariance_parts
from rocbands.core.effective_sizes import count_independent_cases, estimate_curve_variance
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import NORMAL, CaseNumbers, ScoreVariance, score_limits

__all__ = ["ScoreDifference", "combine_limits"]

DOUBT = 0.5  # of a case of the rarer class, by which the correlation is shrunk
_HALVINGS = 60
_LEAST_TAIL = -700.0  # log of the smallest tail that is searched for a p-value


@dataclass(frozen=True)
class ScoreDifference:
    """Limits of a difference of two AUCs, and p-values of every value of it.

    Attributes
    ----------
    aucs : (float, float)
        The AUCs.
    variances : (ScoreVariance, ScoreVariance)
        Their unit variances.
    correlation : float
        Of the two estimates.
    wald_error, wald_df : float
        DeLong's standard error of the difference and its degrees of freedom. An arm is never
        shorter than Student's quantile times this; 0 on different rows.
    """

    aucs: tuple[float, float]
    variances: tuple[ScoreVariance, ScoreVariance]
    correlation: float = 0.0
    wald_error: float = 0.0
    wald_df: float = math.inf

    @classmethod
    def from_pair(cls, pair: Pair, places: tuple[Placements, Placements]) -> ScoreDifference:
        """Estimate all parts, on the same rows or on different ones.

        Parameters
        ----------
        pair : Pair
            The two models.
        places : pair of Placements
            Placements of their rows.
        """
        curves = [RocCurve.from_scores(scores, pair.groups) for scores in (pair.one, pair.two)]
        aucs = curves[0].auc, curves[1].auc
        sizes = [count_independent_cases(curve) for curve in curves]
        if not pair.paired:
            one, two = map(estimate_curve_variance, curves, sizes)
            return cls(aucs, (one, two))
        # Rows are the same; of two estimates of what their groups are worth, the smaller.
        least = CaseNumbers(*map(min, *sizes))
        one, two = (estimate_curve_variance(curve, least) for curve in curves)
        return cls(aucs, (one, two), *_relate(places, pair.class_groups, min(least)))

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that leave out `tail` at each end, inside [-1, 1].

        Examples
        --------
        >>> known = ScoreVariance(0.01, math.inf)
        >>> low, high = ScoreDifference((0.99, 0.95), (known, known)).limits(0.025)
        >>> print(f"{low:.3f} {high:.3f}")
        -0.013 0.102
        """
        quantile = -float(ndtri(tail) if self.wald_df > NORMAL else stdtrit(self.wald_df, tail))
        limits = [
            score_limits(auc, variance, tail)
            for auc, variance in zip(self.aucs, self.variances, strict=True)
        ]
        errors = [
            math.sqrt(float(variance.unit) * auc * (1.0 - auc))
            for auc, variance in zip(self.aucs, self.variances, strict=True)
        ]
        return combine_limits(
            self.aucs,
            [(float(low), float(high)) for low, high in limits],
            self.correlation,
            common=quantile * (errors[0] - errors[1]),
            shortest=quantile * self.wald_error,
        )

    def find_tail(self, null: float, *, above: bool) -> float:
        """P-value against a difference above (or below) `null`: the tail whose limit is `null`.

        Limits move away from the difference as the tail falls: bisection on its logarithm. A `null`
        on the other side of the difference has a p-value above one half, which is 1 minus that of
        the other side.
        """
        difference = self.aucs[0] - self.aucs[1]
        side = 1.0 if above else -1.0
        if side * (difference - null) < 0.0:
            return 1.0 - self.find_tail(null, above=not above)
        low, high = _LEAST_TAIL, math.log(0.5)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            limit = self.limits(math.exp(middle))[0 if above else 1]
            beyond = side * (limit - null) > 0.0  # still on the far side: the tail may be smaller
            low, high = (low, middle) if beyond else (middle, high)
        return math.exp(high)


def combine_limits(
    aucs: tuple[float, float],
    limits: list[tuple[float, float]],
    correlation: float,
    *,
    common: float,
    shortest: float = 0.0,
) -> tuple[float, float]:
    """Combine the limits of two AUCs into those of their difference.

    Parameters
    ----------
    aucs : (float, float)
        The AUCs.
    limits : list of two (float, float)
        Lower and upper limit of each.
    correlation : float
        Of the two estimates.
    common : float
        The quantile times the difference of the two standard errors.
    shortest : float
        Shortest distance of a limit from the difference.
    """
    shared, opposed = max(correlation, 0.0), min(correlation, 0.0)

    def arm(x: float, y: float) -> float:
        own = (1.0 - shared) * (x * x + y * y) + shared * common**2 - 2.0 * opposed * x * y
        return max(math.sqrt(own), shortest)

    difference = aucs[0] - aucs[1]
    (low_1, high_1), (low_2, high_2) = limits
    low = difference - arm(aucs[0] - low_1, high_2 - aucs[1])
    high = difference + arm(high_1 - aucs[0], aucs[1] - low_2)
    return max(-1.0, low), min(1.0, high)


def _relate(
    places: tuple[Placements, Placements], groups: ClassGroups | None, cases: float
) -> tuple[float, float, float]:
    """Correlation of two AUCs on the same rows; DeLong's error of the difference, and its df.

    Few cases overrate how much two models agree: where the rarer class has k cases the correlation
    is multiplied by 1 - 1 / (2 k).
    """
    parts = compute_covariance_parts(places, groups)
    covariance = parts.total
    contrast = np.array([[1.0, -1.0]])
    error = math.sqrt(max(float((contrast @ covariance @ contrast.T)[0, 0]), 0.0))
    product = float(covariance[0, 0] * covariance[1, 1])
    if product <= 0.0:
        return 0.0, error, float(parts.find_df(contrast)[0])
    correlation = float(np.clip(covariance[0, 1] / math.sqrt(product), -1.0, 1.0))
    return correlation * (1.0 - DOUBT / cases), error, float(parts.find_df(contrast)[0])

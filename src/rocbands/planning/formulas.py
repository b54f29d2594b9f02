"""Expected width of the default interval, and power of the default tests, for normal scores.

Formulas (S1) to (S4) of docs/formulas.md, "Sample size". Scores are normal, with the same spread in
both classes. tests/planning/test_formulas.py compares all with simulated test sets.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtr, ndtr, ndtri, owens_t, stdtrit

from rocbands.core.checks import FloatArray
from rocbands.core.score_variance import (
    NORMAL,
    CaseNumbers,
    ScoreVariance,
    estimate_variance,
    score_limits,
)

# Standard normal numbers, equally likely: what an estimate may be.
_DRAWS: FloatArray = np.asarray(ndtri((np.arange(512) + 0.5) / 512))
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_MOST_PROBIT = 8.0  # an AUC closer to 0 or 1 is planned for as that of this probit
_MOST_CORRELATED = 0.9999  # scores of two models


def find_probit(auc: float) -> float:
    """Return h with AUC = Phi(h)."""
    return float(np.clip(ndtri(auc), -_MOST_PROBIT, _MOST_PROBIT))


class PairMoments(NamedTuple):
    """Covariances of wins, a win being a positive that beats a negative; (S1)."""

    same: Any  # variance of a win, or covariance of two models' wins for the same pair
    shared: Any  # covariance of the wins of two pairs that share one case

    def of_estimate(self, n_pos: float, n_neg: float) -> Any:
        """Variance of the AUC: exact."""
        return (self.same + (n_pos + n_neg - 2.0) * self.shared) / (n_pos * n_neg)

    def by_class(self, n_pos: float, n_neg: float) -> tuple[Any, Any]:
        """Return what DeLong's variance expects, of the positives and of the negatives."""
        of_pos, of_neg = (self.same + (n - 2.0) * self.shared for n in (n_neg, n_pos))
        return of_pos / (n_pos * n_neg), of_neg / (n_pos * n_neg)


def find_moments(h: Any) -> PairMoments:
    """Moments of one model with AUC Phi(h)."""
    rest = ndtr(-np.abs(h))  # the AUC or 1 - AUC, whichever is small: nothing cancels
    both = rest - 2.0 * owens_t(np.abs(h), 3.0**-0.5)
    return PairMoments(rest * (1.0 - rest), np.maximum(both - rest**2, 0.0))


def find_common_moments(h: Any, k: Any, rho: float) -> PairMoments:
    """Covariances of two models' wins; `rho`: correlation of their scores in each class."""
    return PairMoments(_covary(h, k, rho), _covary(h, k, rho / 2.0))


def _covary(h: Any, k: Any, rho: float) -> Any:
    """Phi_2(h, k; rho) - Phi(h) Phi(k): the integral over rho of the density (Plackett 1954)."""
    h, k, end = np.asarray(h)[..., None], np.asarray(k)[..., None], math.asin(rho)
    angle = end * (_NODES + 1.0) / 2.0
    power = (h * h + k * k - 2.0 * h * k * np.sin(angle)) / (2.0 * np.cos(angle) ** 2)
    return np.exp(-power) @ _WEIGHTS * (end / (4.0 * math.pi))


def find_score_correlation(h: float, k: float, correlation: float) -> tuple[float, float]:
    """Correlation of two models' scores for that of their estimated AUCs, in large samples.

    Returned with the correlation of the AUCs, which is smaller in size than the one asked for where
    no scores have that.
    """
    scale = math.sqrt(find_moments(h).shared * find_moments(k).shared)

    def relate(rho: float) -> float:
        return float(_covary(h, k, rho / 2.0)) / scale

    low, high = -_MOST_CORRELATED, _MOST_CORRELATED
    correlation = min(max(correlation, relate(low)), relate(high))
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if relate(middle) < correlation else (low, middle)
    return high, correlation


def _draw_probits(h: float, step: float) -> FloatArray:
    """Possible probits of an estimate, equally likely; its mean is Phi(h), its deviation `step`.

    (S2), with b the deviation of the estimate over the normal density at h.
    """
    b = step * math.sqrt(2.0 * math.pi) * math.exp(h * h / 2.0)
    return h * math.sqrt(1.0 + b * b) + b * _DRAWS


def _estimate_one(auc: float, n_pos: float, n_neg: float) -> tuple[FloatArray, ScoreVariance]:
    """Possible estimates of an AUC, and the variance and df that 'score-delong' would estimate."""
    h = find_probit(auc)
    at = _draw_probits(h, math.sqrt(find_moments(h).of_estimate(n_pos, n_neg)))
    sizes, estimate = CaseNumbers(n_pos, n_neg), ndtr(at)
    pos, neg = find_moments(at).by_class(n_pos, n_neg)
    # `estimate_variance` takes variances of placements, with the class size as divisor.
    found = estimate_variance(estimate, pos * (n_pos - 1.0), neg * (n_neg - 1.0), sizes)
    return estimate, found


def expect_width(auc: float, n_pos: float, n_neg: float, tail: float) -> float:
    """Mean width of the interval 'score-delong'."""
    estimate, variance = _estimate_one(auc, n_pos, n_neg)
    low, high = score_limits(estimate, variance, tail)
    return float(np.mean(high - low))


def find_power_against(auc: float, null: float, n_pos: float, n_neg: float, tail: float) -> float:
    """Power of the test of one AUC that inverts the interval 'score-delong'."""
    estimate, (unit, df) = _estimate_one(auc, n_pos, n_neg)
    side = math.copysign(1.0, auc - null)
    return _reject(side * (estimate - null), unit * null * (1.0 - null), df, tail)


def find_power_of_two(
    auc: float, other: float, rho: float, n_pos: float, n_neg: float, tail: float
) -> float:
    """Power of Student's t with DeLong's variance, for two models on the same cases; (S4)."""
    h, k = find_probit(auc), find_probit(other)
    one, two, common = find_moments(h), find_moments(k), find_common_moments(h, k, rho)
    var_1, var_2, both = (part.of_estimate(n_pos, n_neg) for part in (one, two, common))
    error = math.sqrt(max(var_1 + var_2 - 2.0 * both, 1e-300))
    # How far each estimate moves with the difference: its regression on that.
    at_1 = _draw_probits(h, (var_1 - both) / error)
    at_2 = _draw_probits(k, (both - var_2) / error)
    one, two, common = find_moments(at_1), find_moments(at_2), find_common_moments(at_1, at_2, rho)
    difference = PairMoments(*(a + b - 2.0 * c for a, b, c in zip(one, two, common, strict=True)))
    pos, neg = difference.by_class(n_pos, n_neg)
    df = (pos + neg) ** 2 / (pos**2 / (n_pos - 1.0) + neg**2 / (n_neg - 1.0))
    side = math.copysign(1.0, auc - other)
    return _reject(side * (ndtr(at_1) - ndtr(at_2)), pos + neg, df, tail)


def _reject(distance: FloatArray, variance: FloatArray, df: FloatArray, tail: float) -> float:
    """Probability that distance / error exceeds Student's quantile, (S3).

    The squared error is `variance` times a chi-square over its `df` degrees of freedom.
    """
    df = np.minimum(df, NORMAL)
    quantile = stdtrit(df, tail)  # negative, but for one-sided levels below one half
    ratio = distance**2 / np.maximum(quantile**2 * variance, 1e-250)
    closer = chdtr(df, df * ratio)  # |distance| beyond the quantile, in estimated errors
    usual = np.where(distance > 0.0, closer, 0.0)
    return float(
        np.mean(np.where(quantile < 0.0, usual, np.where(distance >= 0.0, 1.0, 1.0 - closer)))
    )


def compute_obuchowski_variance(auc: float, n_pos: float, n_neg: float) -> float:
    """Variance of a binormal AUC (Obuchowski, Lieber and Wians 2004)."""
    # 1.414, not sqrt(2), and 0.0099: as printed there.
    a = 1.414 * float(ndtri(auc))
    return 0.0099 * math.exp(-a * a / 2.0) * ((5 * a * a + 8) / n_pos + (a * a + 8) / n_neg)

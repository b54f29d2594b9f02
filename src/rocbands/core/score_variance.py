"""The variance of an AUC relative to A (1 - A), and Wilson's limits from it.

A placement (:mod:`rocbands.core.delong`) lies in [0, 1] with mean A, the AUC, so its variance is at
most A (1 - A) (Birnbaum and Klose 1957). The relative variances of both classes are estimated with
half a pseudo observation each, so that they do not vanish near AUC 1, and add up to the *unit
variance* u: the variance of the estimate at a true value A' is u A' (1 - A'), as for a proportion
of 1 / u cases. Limits are all A' with abs(A - A') <= q sqrt(u A' (1 - A')), as in Wilson (1927),
with Student's quantile q for Satterthwaite's degrees of freedom.

All functions take numbers or arrays.

References
----------
Birnbaum and Klose (1957), Bounds for the variance of the Mann-Whitney statistic, Annals of
Mathematical Statistics 28, 933-945.
Wilson (1927), Probable inference, the law of succession, and statistical inference, Journal of the
American Statistical Association 22, 209-212.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.core.checks import FloatArray

WEIGHT = 0.5  # of the pseudo observation of each class
SHARE = 0.6  # its variance, relative to the largest possible one
NONE = 1e-14  # A (1 - A) that would be 0 without rounding
NORMAL = 1e7  # degrees of freedom from which Student's t is normal
LEAST_OF_GROUPS = 0.1  # smallest fraction of the variance after negative products across classes


class ScoreVariance(NamedTuple):
    """Unit variance and degrees of freedom."""

    unit: Any  # variance of the AUC over A (1 - A): the reciprocal effective sample size
    df: Any  # degrees of freedom; infinite for the normal distribution


class CaseNumbers(NamedTuple):
    """Numbers of independent positives and negatives, and derived quantities.

    With clusters these are effective numbers, and need not be whole.
    """

    n_pos: float
    n_neg: float

    @property
    def swapped(self) -> CaseNumbers:
        """The same with the classes exchanged."""
        return CaseNumbers(self.n_neg, self.n_pos)

    @property
    def least_unit(self) -> float:
        """Smallest unit variance: the reciprocal number of pairs."""
        return 1.0 / (float(self.n_pos) * self.n_neg)

    def estimate_share(self, variance: Any, spread: Any) -> Any:
        """Estimate the variance of the positives' placements relative to `spread` = A (1 - A).

        `variance`: their variance, with the number of positives as divisor. The prior is larger if
        positives are rarer.
        """
        prior = WEIGHT * SHARE * self.n_neg / (self.n_pos + self.n_neg)
        return (self.n_pos * variance + prior) / ((self.n_pos - 1.0) * spread + WEIGHT)

    def inverse_df(self, part: Any, spread: Any) -> Any:
        """Reciprocal of Satterthwaite's degrees of freedom; `part`: the positives' variance part.

        The spread must not be 0.
        """
        extra = WEIGHT / spread
        of_pos, of_neg = self.n_pos - 1.0 + extra, self.n_neg - 1.0 + extra
        return part**2 / of_pos + (1.0 - part) ** 2 / of_neg


def estimate_variance(
    auc: Any, pos: Any, neg: Any, sizes: CaseNumbers, *, across: Any = 0.0, n_clusters: int = 0
) -> ScoreVariance:
    """Estimate the unit variance and its degrees of freedom.

    `pos`, `neg`: variances of the placements of each class: sums of squares over the class size.
    `across`: twice the sum of products of a cluster's positives and negatives, where clusters have
    both. `n_clusters`: number of all clusters, where there are clusters.

    Examples
    --------
    >>> unit, df = estimate_variance(0.75, 0.0625, 0.0625, CaseNumbers(2, 2))
    >>> print(f"{unit:.4f} {df:.2f}")
    0.4000 7.33
    """
    spread = np.asarray(auc) * (1.0 - np.asarray(auc))
    by_pos = sizes.estimate_share(pos, spread) / sizes.n_pos
    by_neg = sizes.swapped.estimate_share(neg, spread) / sizes.n_neg
    total = by_pos + by_neg
    unit = np.maximum(total, sizes.least_unit)
    if n_clusters > 1:
        shared = across / (spread + WEIGHT / (n_clusters - 1.0))
        unit = np.maximum(np.maximum(total + shared, LEAST_OF_GROUPS * total), sizes.least_unit)
    # If the spread is 0 but for rounding, only the prior remains and nothing is estimated.
    inner = np.where(spread > NONE, spread, 0.25)
    df = np.where(spread > NONE, 1.0 / sizes.inverse_df(by_pos / total, inner), math.inf)
    return ScoreVariance(unit, df)


def find_ends(auc: float, unit: float, quantile: float) -> tuple[float, float]:
    """Limits of :func:`score_limits` for plain numbers and a known quantile, many times as fast."""
    w = unit * min(quantile, 1e50) ** 2
    centre, half = auc + w / 2.0, math.sqrt(w * (auc * (1.0 - auc) + w / 4.0))
    low, high = (centre - half) / (1.0 + w), (centre + half) / (1.0 + w)
    return min(max(low, 0.0), auc), max(min(high, 1.0), auc)


def score_limits(auc: Any, variance: ScoreVariance, tail: Any) -> tuple[FloatArray, FloatArray]:
    """Limits with probability `tail` beyond each, in [0, 1]: the roots of a quadratic equation.

    Examples
    --------
    >>> low, high = score_limits(1.0, ScoreVariance(0.06, math.inf), 0.025)
    >>> print(low.round(4), high)
    0.8127 1.0
    """
    area, df = np.asarray(auc, dtype=np.float64), np.asarray(variance.df)
    student = stdtrit(np.minimum(df, NORMAL), tail)
    # For a tail near 0 the quantile is infinite, of either sign; a large one gives the same limits.
    quantile = np.minimum(np.abs(np.where(df > NORMAL, ndtri(tail), student)), 1e50)
    w = variance.unit * quantile**2
    half = np.sqrt(w * (area * (1.0 - area) + w / 4.0))
    low, high = ((area + w / 2.0 + side * half) / (1.0 + w) for side in (-1.0, 1.0))
    return np.minimum(np.maximum(low, 0.0), area), np.maximum(np.minimum(high, 1.0), area)

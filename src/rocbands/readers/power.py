"""Power of the comparison of two tests in a reader study, by Hillis, Obuchowski and Berbaum (2011).

With T, the variance of test x reader, K = Cov2 - Cov3 (neither below 0) and f = pilot cases / cases

    U = T + f (Var - Cov1 - K)      D = U + f r K      nc^2 = r difference^2 / (2 D)

the test statistic is Student's noncentral t with (r - 1) D^2 / U^2 degrees of freedom. These
readers: D = f (Var - Cov1 + (r - 1) K), a normal statistic. These cases: D = U.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammainc, gammainccinv, gammaincinv, ndtr, stdtrit

from rocbands.core.checks import FloatArray
from rocbands.readers.method import Random

_NODES, _WEIGHTS = (np.polynomial.legendre.leggauss(96)[k] / 2.0 for k in (0, 1))
_NODES += 0.5  # on (0, 1)
_WEIGHTS *= 2.0 * _NODES  # of integrals over the square of a node
_FAR = 9.0  # standard deviations; what a normal variable has beyond them is below 1e-18
_TAIL = 1e-18
_LARGE = 1e140  # its square, times any degrees of freedom, is a number
_CERTAIN = 1e9  # noncentrality
_MOST_DF = 1e12  # with more the statistic is normal


class Aim(NamedTuple):
    """What a study is to show."""

    difference: float
    margin: float | None  # of non-inferiority, one-sided at 1 - level
    level: float
    random: Random


@dataclass(frozen=True)
class PilotComponents:
    """Variance and covariances of Obuchowski and Rockette's model, of a pilot of `cases` cases."""

    var_tr: float
    var: float
    cov1: float
    cov2: float
    cov3: float
    cases: float

    @property
    def between(self) -> float:
        """Cov2 - Cov3, as power takes it: not below 0."""
        return max(self.cov2 - self.cov3, 0.0)

    def find_power(self, readers: Any, cases: Any, aim: Aim) -> FloatArray:
        """Power of studies of these sizes; `cases` may be infinite."""
        r, n = np.broadcast_arrays(
            *(np.asarray(size, dtype=np.float64) for size in (readers, cases))
        )
        f, k = self.cases / n, self.between
        alone = max(self.var_tr, 0.0) + f * (self.var - self.cov1 - k)  # U
        if aim.random == "cases":
            spread, df = f * (self.var - self.cov1 + (r - 1.0) * k), np.full(r.shape, math.inf)
        else:
            spread = alone + f * r * k * (aim.random == "both")  # D
            ratio = np.divide(spread, alone, out=np.full(r.shape, math.inf), where=alone > 0.0)
            df = (r - 1.0) * np.where(spread > 0.0, ratio, 1.0) ** 2
        distance = aim.difference + (aim.margin or 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            nc = distance * np.sqrt(r / (2.0 * spread))
        nc = np.clip(np.nan_to_num(nc), -_CERTAIN, _CERTAIN)
        if aim.margin is not None:
            return exceed(nc, df, stdtrit(df, aim.level))
        quantile = stdtrit(df, (1.0 + aim.level) / 2.0)
        return np.minimum(exceed(nc, df, quantile) + exceed(-nc, df, quantile), 1.0)


def exceed(nc: Any, df: Any, quantile: Any) -> FloatArray:
    """Probability that Student's noncentral t exceeds a quantile; `df` may be infinite.

    t = (Z + nc) / S with S^2 a chi-square over its df, so the probability is the integral of the
    density of x = Z + nc times that of S < x / quantile. Only where neither is 0 or 1 there is
    anything to integrate. (nctdtr of SciPy 1.13 has errors up to 5e-5, that of 1.17 can be NaN.)

    Examples
    --------
    >>> float(exceed(0.0, 7.0, 2.3646243).round(6))
    0.025
    """
    nc, df, q = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (nc, df, quantile)))
    if (q < 0.0).any():
        turned = 1.0 - exceed(-nc, df, -np.minimum(q, 0.0))
        return np.where(q < 0.0, turned, exceed(nc, df, np.maximum(q, 0.0)))
    half, top = np.minimum(df, _MOST_DF) / 2.0, np.maximum(q, 1e-300)
    low, high = (
        np.where(df < _MOST_DF, q * np.sqrt(invert(half, _TAIL) / half), q)
        for invert in (gammaincinv, gammainccinv)
    )
    high = np.minimum(high, nc + _FAR)
    low = np.minimum(np.maximum(low, nc - _FAR), high)
    # At 0 the share is like x^df with fractional df, so nodes are the squares of Gauss' nodes.
    width = (high - low)[..., None]
    x = low[..., None] + width * _NODES**2
    ratio = np.clip(x / top[..., None], 0.0, _LARGE)
    share = gammainc(half[..., None], half[..., None] * ratio**2)
    density = np.exp(-((x - nc[..., None]) ** 2) / 2.0) / math.sqrt(2.0 * math.pi)
    return np.asarray(np.minimum(ndtr(nc - high) + (width * share * density) @ _WEIGHTS, 1.0))

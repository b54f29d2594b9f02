"""Limits for the height of the true curve at a fixed false positive rate."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import chdtri

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.likelihood.region import likelihood_region
from rocbands.resample.crossings import resampled_heights
from rocbands.resample.heights import height_distribution
from rocbands.resample.quantiles import empirical_interval

__all__ = ["HeightMethod", "Heights", "height_limits", "shared_scores"]

HeightMethod: TypeAlias = Literal["likelihood", "wilson", "bootstrap"]


class Heights(NamedTuple):
    """Heights of the empirical curve, and limits for those of the true one."""

    height: FloatArray
    low: FloatArray
    high: FloatArray


class _Law(NamedTuple):
    """What resampled heights are like: mean, variance and percentiles."""

    mean: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray


def height_limits(
    roc: RocCurve,
    fpr: FloatArray,
    method: HeightMethod,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> Heights:
    """Limits at each fpr, in any order.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> roc = rb.roc_curve([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> low, high = height_limits(roc, np.array([0.5]), "likelihood", 0.95, 0, None)[1:]
    >>> print(low.round(2), high.round(2))
    [0.18] [1.]
    """
    height = roc.curve.high(fpr)
    low, high = np.ones_like(height), np.ones_like(height)  # as at fpr 1, where nothing is unknown
    inner = fpr < 1.0
    if inner.any():
        if method == "likelihood":
            low[inner], high[inner] = _by_likelihood(roc, fpr[inner], level)
        else:
            law = _law_of(roc, fpr[inner], level, n_resamples, rng)
            by_law = law.low, law.high
            if method == "wilson":
                by_law = wilson_limits(law.mean, _cases(law, roc.n_pos), level)
            low[inner], high[inner] = by_law
    return Heights(height, np.clip(low, 0.0, height), np.clip(high, height, 1.0))


def _by_likelihood(roc: RocCurve, fpr: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    # A curve is as good as its best point: of two degrees of freedom it takes one away.
    region = likelihood_region(roc, float(chdtri(1.0, 1.0 - level)) / 2.0)
    return region.lower_at(fpr), region.upper_at(fpr)


def _cases(law: _Law, n_pos: int) -> FloatArray:
    """Cases that would give a share this variance; the positives are never worth more than all."""
    spread = law.mean * (1.0 - law.mean)
    varies = law.variance * n_pos > spread
    cases = np.full(law.mean.shape, float(n_pos))
    np.divide(spread, law.variance, out=cases, where=varies & (spread > 0.0))
    return cases


def _law_of(
    roc: RocCurve, fpr: FloatArray, level: float, n_resamples: int, rng: np.random.Generator
) -> _Law:
    """Law of the height under stratified resampling: exact, or drawn where classes share scores."""
    size = float(roc.n_pos)
    if not shared_scores(roc).any():
        law = height_distribution(roc, fpr)
        low, high = law.interval(level)
        mean = np.clip(law.mean / size, 0.0, 1.0)
        return _Law(mean, law.variance / size**2, low / size, high / size)
    order = np.argsort(fpr)
    drawn = np.empty((n_resamples, fpr.size))
    drawn[:, order] = resampled_heights(roc, fpr[order], n_resamples, rng, stratified=True)
    low, high = empirical_interval(drawn, level)
    return _Law(np.clip(drawn.mean(axis=0), 0.0, 1.0), drawn.var(axis=0), low, high)


def shared_scores(roc: RocCurve) -> BoolArray:
    """Tell which scores positives and negatives share."""
    return (np.diff(roc.fp, prepend=0) > 0) & (np.diff(roc.tp, prepend=0) > 0)

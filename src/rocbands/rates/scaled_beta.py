"""Intervals of a beta distribution on any range, fitted by its mean and variance."""

from __future__ import annotations

import numpy as np
from scipy.special import betainccinv, betaincinv

from rocbands.core.checks import FloatArray
from rocbands.core.tolerance import SLACK

_NONE = 1e-14  # variances below this share of the squared range count as 0


def scaled_beta_interval(
    mean: FloatArray, variance: FloatArray, low: FloatArray, high: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return equal-tailed limits of a beta distribution on [low, high] with mean and variance.

    If the range or the variance is 0 the interval is a point; with the largest possible variance
    the distribution is concentrated on both ends.

    Examples
    --------
    >>> one = np.ones(1)
    >>> lower, upper = scaled_beta_interval(5 * one, one, 0 * one, 10 * one, 0.95)
    >>> print(lower.round(3), upper.round(3))
    [3.059] [6.941]
    """
    tail = (1.0 - level) / 2.0
    width = high - low
    wide = width > 0.0
    scale = np.where(wide, width, 1.0)
    mu = np.clip((mean - low) / scale, 0.0, 1.0)
    v, most = variance / scale**2, mu * (1.0 - mu)
    still = (v <= _NONE) | (most <= _NONE)
    ends = wide & ~still & (v >= most * (1.0 - SLACK))
    smooth = wide & ~still & ~ends
    lower = np.where(wide, np.clip(mean, low, high), low)
    upper = lower.copy()
    lower[ends] = np.where(1.0 - mu >= tail, low, high)[ends]
    upper[ends] = np.where(mu >= tail, high, low)[ends]
    nu = most[smooth] / v[smooth] - 1.0
    a, b = mu[smooth] * nu, (1.0 - mu[smooth]) * nu
    base, size, top = low[smooth], scale[smooth], high[smooth]
    lower[smooth] = np.clip(base + size * betaincinv(a, b, tail), base, top)
    upper[smooth] = np.clip(base + size * betainccinv(a, b, tail), base, top)
    return lower, upper

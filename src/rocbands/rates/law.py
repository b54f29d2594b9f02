"""Exact law of the positives among the first k cases of a sample, for all k by one product."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from rocbands.core.checks import FloatArray
from rocbands.rates.curve import RateCurve

__all__ = ["count_law", "law_moments"]

_BLOCK = 512  # nodes at once, so that memory stays small


def count_law(curve: RateCurve, n_pos: int, n_neg: int) -> FloatArray:
    """Return pmf[k, s], the probability of s positives among the first k of n_pos + n_neg cases.

    Cases are drawn along the curve, given how many of them are positive. At least s of the first k
    are positive if and only if the s-th positive stands before negative number k - s + 1. That
    negative is at fpr b with the density of an order statistic, and at least s positives stand
    before it with the probability of a binomial tail at the tpr there; so one product of two
    matrices over places on the curve holds all k and all s.

    Examples
    --------
    >>> chance = RateCurve(np.array([0.0, 1.0]), np.array([0.5]))
    >>> print(count_law(chance, 1, 1)[1])
    [0.5 0.5]
    """
    n = n_pos + n_neg
    if n_pos == 0:
        return np.ones((n + 1, 1))
    if n_neg == 0:
        return np.eye(n + 1)
    nodes = curve.nodes(n_pos, n_neg)
    ahead = np.zeros((n_pos, n_neg))
    for start in range(0, nodes.step.size, _BLOCK):
        tpr, fpr, step = (column[start : start + _BLOCK] for column in nodes)
        at_least = _binomial(n_pos, tpr)[:, :0:-1].cumsum(axis=1)[:, ::-1]
        density = n_neg * _binomial(n_neg - 1, fpr) * step[:, None]
        ahead += at_least.T @ density
    table = np.zeros((n_pos, n_neg + 2))
    table[:, 1:-1], table[:, -1] = ahead, 1.0
    k, s = np.arange(n + 1)[:, None], np.arange(1, n_pos + 1)
    tail = np.zeros((n + 1, n_pos + 2))
    tail[:, 0] = 1.0
    tail[:, 1:-1] = table[s - 1, np.clip(k - s + 1, 0, n_neg + 1)]
    pmf = np.maximum(tail[:, :-1] - tail[:, 1:], 0.0)
    return np.asarray(pmf / pmf.sum(axis=1, keepdims=True))


def law_moments(pmf: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of each row's count."""
    count = np.arange(pmf.shape[1], dtype=np.float64)
    mean = pmf @ count
    variance = (pmf * (count - mean[:, None]) ** 2).sum(axis=1)
    return mean, variance


def _binomial(size: int, share: FloatArray) -> FloatArray:
    """Probabilities of 0 to `size` successes, one row for each share."""
    count = np.arange(size + 1, dtype=np.float64)
    ways = gammaln(size + 1.0) - gammaln(count + 1.0) - gammaln(size - count + 1.0)
    # A share of 0 or 1 has a logarithm that is large instead of infinite: 0 times it stays 0.
    log_hit, log_miss = np.log(np.maximum((share, 1.0 - share), 1e-300))
    return np.asarray(np.exp(ways + np.outer(log_hit, count) + np.outer(log_miss, size - count)))

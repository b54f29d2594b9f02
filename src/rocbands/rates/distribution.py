"""Distribution of the number of positives among the first k cases of a sample from a curve.

Samples are drawn rate-first (Millard, Kull and Flach 2014, section 4) given their class sizes:
equation 9. Two ways to compute it:

* :func:`compute_count_pmf`, exact for all k at once, by one product of matrices; up to some 2,000
  cases: formula (R4) of docs/formulas.md.
* :func:`approximate_moments` and :func:`approximate_pmfs`, at some k, for samples of any size, by
  the paper's Theorem 1 with a quadrature over the rate that case k comes from (equations 10 to 20).

Theorem 1: given the rate r of case k, the k - 1 cases before it and the n - k after it are
independent. The number of positives before it, given the total, is noncentral hypergeometric: a sum
of independent Bernoulli variables. The sum of its probabilities over every h-th number is 1/h up to
exp(-variance * (1 - cos(2 pi / h))), which is negligible for h of half a standard deviation. So a
fixed number of terms around the mode serves samples of any size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.special import betaincinv, gammaln, ndtri

from rocbands.core.checks import CountArray, FloatArray
from rocbands.rates.table import RateCurve, Shares

LogFactorial: TypeAlias = Callable[[CountArray], FloatArray]

MIDPOINTS: FloatArray = np.linspace(0.005, 0.995, 100)  # better than the paper's 1%, ..., 99%

_BLOCK = 512  # nodes at once, so that memory stays small
_HALF = 36  # terms on each side of the mode: nine standard deviations or more
_TERMS = 250_000  # at once: fits the processor's cache
_SURE = 1e-12
_TABLE = 10_000_000  # logarithms of factorials to keep


def compute_count_pmf(curve: RateCurve, n_pos: int, n_neg: int) -> FloatArray:
    """Return pmf[k, s], the probability of s positives among the first k of n_pos + n_neg cases.

    At least s of the first k are positive if and only if the s-th positive is ranked before
    negative number k - s + 1. That negative is at fpr b with the density of an order statistic,
    and at least s positives are before it with the probability of a binomial tail at the tpr
    there; so one product of two matrices over nodes along the curve gives all k and all s.

    Examples
    --------
    >>> chance = RateCurve(np.array([0.0, 1.0]), np.array([0.5]))
    >>> print(compute_count_pmf(chance, 1, 1)[1])
    [0.5 0.5]
    """
    n = n_pos + n_neg
    if n_pos == 0:
        return np.ones((n + 1, 1))
    if n_neg == 0:
        return np.eye(n + 1)
    nodes = curve.nodes(n_pos, n_neg)
    # before[s - 1, j - 1] = Pr(positive s is before negative j)
    before = np.zeros((n_pos, n_neg))
    for start in range(0, nodes[0].size, _BLOCK):
        tpr, fpr, weight = (column[start : start + _BLOCK] for column in nodes)
        at_least = _binomial_pmf(n_pos, tpr)[:, :0:-1].cumsum(axis=1)[:, ::-1]
        density = n_neg * _binomial_pmf(n_neg - 1, fpr) * weight[:, None]
        before += at_least.T @ density
    # A column of zeros for "negative 0" and a column of ones for "negative n_neg + 1".
    table = np.zeros((n_pos, n_neg + 2))
    table[:, 1:-1], table[:, -1] = before, 1.0
    k, s = np.arange(n + 1)[:, None], np.arange(1, n_pos + 1)
    tail = np.zeros((n + 1, n_pos + 2))
    tail[:, 0] = 1.0
    tail[:, 1:-1] = table[s - 1, np.clip(k - s + 1, 0, n_neg + 1)]
    pmf = np.maximum(tail[:, :-1] - tail[:, 1:], 0.0)
    return np.asarray(pmf / pmf.sum(axis=1, keepdims=True))


def compute_moments(pmf: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of each row's count (equations 22 and 23)."""
    count = np.arange(pmf.shape[1], dtype=np.float64)
    mean = pmf @ count
    variance = (pmf * (count - mean[:, None]) ** 2).sum(axis=1)
    return mean, variance


def _binomial_pmf(size: int, share: FloatArray) -> FloatArray:
    """Probabilities of 0 to `size` successes, one row for each share."""
    count = np.arange(size + 1, dtype=np.float64)
    ways = gammaln(size + 1.0) - gammaln(count + 1.0) - gammaln(size - count + 1.0)
    # For shares of 0 or 1 the logarithm is large, not infinite, so that 0 times it is 0.
    log_hit, log_miss = np.log(np.maximum((share, 1.0 - share), 1e-300))
    return np.asarray(np.exp(ways + np.outer(log_hit, count) + np.outer(log_miss, size - count)))


def approximate_moments(
    curve: RateCurve, n_pos: int, n_neg: int, k: CountArray, levels: FloatArray = MIDPOINTS
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the positives among the first k cases, for each k.

    `curve`: distribution of the cases, given the number of positives. `n_pos`, `n_neg`: class
    sizes of the sample. `k`: places, from 0 to n_pos + n_neg. `levels`: the nodes are these
    quantiles of the rate of case k, which is Beta(k, n - k + 1) (equation 17).
    """
    n = n_pos + n_neg
    mean, variance = np.where(k == n, float(n_pos), 0.0), np.zeros(k.size)
    inner = np.flatnonzero((k > 0) & (k < n)) if n_pos and n_neg else np.array([], np.intp)
    if not n_neg:
        mean = k.astype(np.float64)
    own = curve.at_prevalence(n_pos / n) if inner.size else curve
    log_factorial = _log_factorials(n)
    block = max(1, _TERMS // (levels.size * (2 * _HALF + 1)))
    for start in range(0, inner.size, block):
        rows = inner[start : start + block]
        mean[rows], variance[rows] = _moments(own, n_pos, n_neg, k[rows], levels, log_factorial)
    return mean, variance


def approximate_pmfs(
    curve: RateCurve, n_pos: int, n_neg: int, k: CountArray, levels: FloatArray = MIDPOINTS
) -> list[tuple[int, FloatArray]]:
    """For each k, the first count of a window, and the probabilities of the counts in it."""
    n = n_pos + n_neg
    sure = (k == 0) | (k == n) | (n_pos == 0) | (n_neg == 0)
    inner = np.where(sure, 1, k)
    own = curve.at_prevalence(n_pos / n) if not sure.all() else curve
    shares = _shares_at_nodes(own, n, inner, levels)
    log_factorial = _log_factorials(n)
    return [
        ((min(int(place), n_pos) if n_neg else int(place)), np.ones(1))
        if known
        else _pmf(Shares(*(part[i : i + 1] for part in shares)), n_pos, n, place, log_factorial)
        for i, (place, known) in enumerate(zip(k, sure, strict=True))
    ]


def _log_factorials(most: int) -> LogFactorial:
    """Look them up in a table, or compute them if it would be too long."""
    if most > _TABLE:
        return lambda count: np.asarray(gammaln(count + 1.0))
    table = gammaln(np.arange(most + 1.0) + 1.0)
    return lambda count: np.asarray(table[count])


def _pmf(
    shares: Shares, n_pos: int, n: int, k: np.int64, log_factorial: LogFactorial
) -> tuple[int, FloatArray]:
    column = np.array([[k]])
    mode, sd = _find_mode(shares, n_pos, n, column)
    reach = 9.0 * sd + 9.0
    first = int(max((mode - reach).min(), 0, k - 1 - (n - n_pos)))
    last = int(min((mode + reach).max(), k - 1, n_pos))
    u = np.arange(first, last + 1)[None, None, :]
    negative, positive = _weights(shares, n_pos, n, column, u, log_factorial)
    pmf = np.zeros(u.size + 1)
    pmf[:-1] += negative[0].sum(axis=0)
    pmf[1:] += positive[0].sum(axis=0)
    return first, pmf / pmf.sum()


def _moments(
    curve: RateCurve,
    n_pos: int,
    n_neg: int,
    k: CountArray,
    levels: FloatArray,
    log_factorial: LogFactorial,
) -> tuple[FloatArray, FloatArray]:
    n = n_pos + n_neg
    shares = _shares_at_nodes(curve, n, k, levels)
    column = k[:, None]
    mode, sd = _find_mode(shares, n_pos, n, column)
    # Every stride-th count only: see the module's docstring.
    stride: CountArray = np.maximum(1, (sd / 2.0).astype(np.int64))
    half = min(_HALF, n_pos + 1, n_neg + 1)  # the number of possible counts
    u: CountArray = mode[:, :, None] + stride[:, :, None] * np.arange(-half, half + 1)
    negative, positive = _weights(shares, n_pos, n, column, u, log_factorial)
    negative *= stride[:, :, None]  # each term represents `stride` counts
    positive *= stride[:, :, None]
    # Moments about the middle mode, to avoid cancellation with large counts.
    middle = mode[:, mode.shape[1] // 2][:, None, None]
    apart = (u - middle).astype(np.float64)
    total = negative.sum(axis=(1, 2)) + positive.sum(axis=(1, 2))
    first = ((negative + positive) * apart + positive).sum(axis=(1, 2)) / total
    second = (negative * apart**2 + positive * (apart + 1.0) ** 2).sum(axis=(1, 2)) / total
    return first + middle[:, 0, 0], np.maximum(second - first**2, 0.0)


def _shares_at_nodes(curve: RateCurve, n: int, k: CountArray, levels: FloatArray) -> Shares:
    column = k[:, None].astype(np.float64)
    r = np.clip(_beta_quantiles(column, n - column + 1.0, levels), 1e-300, 1.0 - 1e-16)
    before, here, after = curve.shares(np.asarray(r, np.float64))
    return Shares(np.clip(before, _SURE, 1.0 - _SURE), here, np.clip(after, _SURE, 1.0 - _SURE))


def _beta_quantiles(a: FloatArray, b: FloatArray, levels: FloatArray) -> FloatArray:
    """Quantiles of beta distributions.

    With 1e9 cases or more on both sides SciPy takes up to a millisecond for each and loses digits;
    there the first two terms of the Cornish-Fisher expansion have an error of 1e-9 sd.
    """
    large = np.minimum(a, b) >= 1e9
    quantiles = np.empty(np.broadcast_shapes(a.shape, levels.shape))
    few = ~large[:, 0]
    quantiles[few] = betaincinv(a[few], b[few], levels)
    a, b, z = a[~few], b[~few], ndtri(levels)
    mean = a / (a + b)
    sd = np.sqrt(mean * (1.0 - mean) / (a + b + 1.0))
    skewness = 2.0 * (b - a) * np.sqrt(a + b + 1.0) / ((a + b + 2.0) * np.sqrt(a) * np.sqrt(b))
    quantiles[~few] = mean + sd * (z + skewness * (z * z - 1.0) / 6.0)
    return quantiles


def _find_mode(shares: Shares, n_pos: int, n: int, k: CountArray) -> tuple[CountArray, FloatArray]:
    """Mode of the positives before case k, to within one, and about their standard deviation.

    At the mode u the ratio of neighbouring weights is 1:
    (before - u)(n_pos - u) odds = u (after - n_pos + u), a quadratic equation.
    """
    before, after = k - 1.0, 1.0 * (n - k)
    odds = shares.before / (1.0 - shares.before) * (1.0 - shares.after) / shares.after
    b = odds * (before + n_pos) + after - n_pos
    c = odds * before * n_pos
    root = np.sqrt(np.maximum(b**2 - 4.0 * (odds - 1.0) * c, 0.0))
    # Two forms of the same root, to avoid cancellation.
    rising = b >= 0.0
    divisor = np.where(rising, b + root, 2.0 * (1.0 - odds))
    safe = np.where(divisor > 0.0, divisor, 1.0)
    u = np.where(rising, 2.0 * c, root - b) / safe
    low, high = np.maximum(0.0, n_pos - 1.0 - after), np.minimum(before, n_pos)
    u = np.clip(np.rint(u), low, high)
    cells = (u, before - u, n_pos - u, after - n_pos + u)
    # The curvature of the log-weight at the mode is the sum of the cells' reciprocals.
    sd = sum(1.0 / (np.maximum(cell, 0.0) + 0.5) for cell in cells) ** -0.5
    return u.astype(np.int64), np.asarray(sd, np.float64)


def _weights(
    shares: Shares, n_pos: int, n: int, k: CountArray, u: CountArray, log_factorial: LogFactorial
) -> tuple[FloatArray, FloatArray]:
    """Weights of u positives before case k when it is negative, and when it is positive.

    The integrand of equation 10: Bin(u; k - 1, p<) times the label of case k times
    Bin(n_pos - own - u; n - k, p>).
    """
    before, after = (k - 1)[:, :, None], (n - k)[:, :, None]
    p, q = shares.before[:, :, None], shares.after[:, :, None]
    ahead = _log_choose(before, u, log_factorial) + u * np.log(p / (1.0 - p))
    ahead += before * np.log1p(-p)
    logs = []
    for own, chance in ((0, 1.0 - shares.here), (1, shares.here)):
        rest = n_pos - own - u
        log = ahead + _log_choose(after, rest, log_factorial) + rest * np.log(q / (1.0 - q))
        log += after * np.log1p(-q) + np.log(np.maximum(chance, 1e-300))[:, :, None]
        logs.append(log)
    # Only ratios matter: scaling the largest weight of each k to 1 avoids overflow.
    top = np.maximum(*(log.max(axis=(1, 2), keepdims=True) for log in logs))
    negative, positive = (np.exp(log - top) for log in logs)
    return negative, positive


def _log_choose(size: CountArray, count: CountArray, log_factorial: LogFactorial) -> FloatArray:
    """Logarithm of a binomial coefficient; minus infinity where that is 0."""
    fits = (count >= 0) & (count <= size)
    inside = np.clip(count, 0, size)
    ways = log_factorial(size) - log_factorial(inside) - log_factorial(size - inside)
    return np.where(fits, ways, -np.inf)

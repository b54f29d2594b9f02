"""Law of the positives among the first k cases of a large sample, at some k, by quadrature.

Given the rate r that case k came from, the k - 1 cases before it and the n - k behind it are
independent. Their counts, given the total, are a noncentral hypergeometric: a sum of independent
coin tosses. Its mass far from the mode is nothing, and on every h-th number it adds up to 1/h of
the whole, but for exp(-variance * (1 - cos(2 pi / h))): at h of half a standard deviation that is
nothing either. So a fixed number of terms serves samples of any size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.special import betaincinv, gammaln

from rocbands.core.checks import CountArray, FloatArray
from rocbands.rates.curve import RateCurve, Shares

__all__ = ["MIDPOINTS", "PAPER_NODES", "window_laws", "window_moments"]

LogFactorial: TypeAlias = Callable[[CountArray], FloatArray]

MIDPOINTS: FloatArray = np.linspace(0.005, 0.995, 100)
PAPER_NODES: FloatArray = (
    np.arange(1, 100) / 100.0
)  # of Millard, Kull and Flach (2014), equation 17

_HALF = 36  # terms on each side of the mode: nine standard deviations or more
_TERMS = 250_000  # at once: what the processor keeps at hand
_SURE = 1e-12
_TABLE = 10_000_000  # logarithms of factorials to keep


def window_moments(
    curve: RateCurve, n_pos: int, n_neg: int, k: CountArray, levels: FloatArray = MIDPOINTS
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the positives among the first k cases, for each k.

    Parameters
    ----------
    curve : RateCurve
        What the cases are drawn from, given how many are positive.
    n_pos, n_neg : int
        Class sizes of the sample.
    k : ndarray of int
        Places, from 0 to n_pos + n_neg.
    levels : ndarray of floats
        Where the law of the rate of case k is cut: its quantiles are the nodes.
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


def window_laws(
    curve: RateCurve, n_pos: int, n_neg: int, k: CountArray, levels: FloatArray = MIDPOINTS
) -> list[tuple[int, FloatArray]]:
    """For each k the smallest count of a window, and probabilities of the counts from there on."""
    n = n_pos + n_neg
    sure = (k == 0) | (k == n) | (n_pos == 0) | (n_neg == 0)
    inner = np.where(sure, 1, k)
    own = curve.at_prevalence(n_pos / n) if not sure.all() else curve
    places = _places(own, n, inner, levels)
    log_factorial = _log_factorials(n)
    return [
        ((min(int(place), n_pos) if n_neg else int(place)), np.ones(1))
        if known
        else _law(Shares(*(part[i : i + 1] for part in places)), n_pos, n, place, log_factorial)
        for i, (place, known) in enumerate(zip(k, sure, strict=True))
    ]


def _log_factorials(most: int) -> LogFactorial:
    """Look them up in a table, or work them out where that would be too long."""
    if most > _TABLE:
        return lambda count: np.asarray(gammaln(count + 1.0))
    table = gammaln(np.arange(most + 1.0) + 1.0)
    return lambda count: np.asarray(table[count])


def _law(
    places: Shares, n_pos: int, n: int, k: np.int64, log_factorial: LogFactorial
) -> tuple[int, FloatArray]:
    column = np.array([[k]])
    mode, sd = _centre(places, n_pos, n, column)
    reach = 9.0 * sd + 9.0
    first = int(max((mode - reach).min(), 0, k - 1 - (n - n_pos)))
    last = int(min((mode + reach).max(), k - 1, n_pos))
    u = np.arange(first, last + 1)[None, None, :]
    without, with_it = _weights(places, n_pos, n, column, u, log_factorial)
    pmf = np.zeros(u.size + 1)
    pmf[:-1] += without[0].sum(axis=0)
    pmf[1:] += with_it[0].sum(axis=0)
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
    places = _places(curve, n, k, levels)
    column = k[:, None]
    mode, sd = _centre(places, n_pos, n, column)
    stride: CountArray = np.maximum(1, (sd / 2.0).astype(np.int64))
    half = min(_HALF, n_pos + 1, n_neg + 1)  # no more counts than these are possible
    u: CountArray = mode[:, :, None] + stride[:, :, None] * np.arange(-half, half + 1)
    without, with_it = _weights(places, n_pos, n, column, u, log_factorial)
    without *= stride[:, :, None]  # one term stands for as many numbers
    with_it *= stride[:, :, None]
    middle = mode[:, mode.shape[1] // 2][:, None, None]
    apart = (u - middle).astype(np.float64)
    total = without.sum(axis=(1, 2)) + with_it.sum(axis=(1, 2))
    first = ((without + with_it) * apart + with_it).sum(axis=(1, 2)) / total
    second = (without * apart**2 + with_it * (apart + 1.0) ** 2).sum(axis=(1, 2)) / total
    return first + middle[:, 0, 0], np.maximum(second - first**2, 0.0)


def _places(curve: RateCurve, n: int, k: CountArray, levels: FloatArray) -> Shares:
    column = k[:, None].astype(np.float64)
    r = np.clip(betaincinv(column, n - column + 1.0, levels), 1e-300, 1.0 - 1e-16)
    before, here, behind = curve.shares(np.asarray(r, np.float64))
    return Shares(np.clip(before, _SURE, 1.0 - _SURE), here, np.clip(behind, _SURE, 1.0 - _SURE))


def _centre(places: Shares, n_pos: int, n: int, k: CountArray) -> tuple[CountArray, FloatArray]:
    """Mode of the positives before case k, to within one, and about their standard deviation."""
    before, behind = k - 1.0, 1.0 * (n - k)
    odds = places.before / (1.0 - places.before) * (1.0 - places.behind) / places.behind
    b = odds * (before + n_pos) + behind - n_pos
    c = odds * before * n_pos
    root = np.sqrt(np.maximum(b**2 - 4.0 * (odds - 1.0) * c, 0.0))
    # Two forms of one root: where one loses its digits the other does not.
    rising = b >= 0.0
    divisor = np.where(rising, b + root, 2.0 * (1.0 - odds))
    safe = np.where(divisor > 0.0, divisor, 1.0)
    u = np.where(rising, 2.0 * c, root - b) / safe
    low, high = np.maximum(0.0, n_pos - 1.0 - behind), np.minimum(before, n_pos)
    u = np.clip(np.rint(u), low, high)
    cells = (u, before - u, n_pos - u, behind - n_pos + u)
    sd = sum(1.0 / (np.maximum(cell, 0.0) + 0.5) for cell in cells) ** -0.5
    return u.astype(np.int64), np.asarray(sd, np.float64)


def _weights(
    places: Shares,
    n_pos: int,
    n: int,
    k: CountArray,
    u: CountArray,
    log_factorial: LogFactorial,
) -> tuple[FloatArray, FloatArray]:
    """Weights of u positives before case k when it is negative, and when it is positive."""
    before, behind = (k - 1)[:, :, None], (n - k)[:, :, None]
    p, q = places.before[:, :, None], places.behind[:, :, None]
    ahead = _log_ways(before, u, log_factorial) + u * np.log(p / (1.0 - p)) + before * np.log1p(-p)
    logs = []
    for own, chance in ((0, 1.0 - places.here), (1, places.here)):
        rest = n_pos - own - u
        log = ahead + _log_ways(behind, rest, log_factorial) + rest * np.log(q / (1.0 - q))
        log += behind * np.log1p(-q) + np.log(np.maximum(chance, 1e-300))[:, :, None]
        logs.append(log)
    top = np.maximum(*(log.max(axis=(1, 2), keepdims=True) for log in logs))
    without, with_it = (np.exp(log - top) for log in logs)
    return without, with_it


def _log_ways(size: CountArray, count: CountArray, log_factorial: LogFactorial) -> FloatArray:
    """Logarithm of a binomial coefficient; minus infinity where there is no way."""
    fits = (count >= 0) & (count <= size)
    inside = np.clip(count, 0, size)
    ways = log_factorial(size) - log_factorial(inside) - log_factorial(size - inside)
    return np.where(fits, ways, -np.inf)

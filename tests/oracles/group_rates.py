"""Slow, obvious versions of the rates of clusters with weights and clusters; nothing is shared."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, norm
from scipy.stats import t as student

RATES = ("tpr", "fpr", "ppv", "npv", "selection_rate")


def few(k):
    return k / max(k - 1, 0.5)


def describe_rate(name, y, called, weight, cluster):
    """Share, effective number, factor of the normal quantile's tail, and errors by cluster.

    Of rows with both classes' weights equal near the threshold: the weight of a row near it is the
    mean weight of the class, or of all rows.
    """
    among = {"tpr": y, "fpr": ~y, "ppv": called, "npv": ~called, "selection_rate": y | ~y}[name]
    event = {"tpr": called, "fpr": called, "ppv": y, "npv": ~y, "selection_rate": called}[name]
    names = sorted(set(cluster.tolist()))
    share = np.where(among, weight, 0.0) / weight[among].sum()
    p = float(sum(s for s, e in zip(share, event, strict=True) if e))
    z = {c: sum(share[i] * (event[i] - p) for i in range(y.size) if cluster[i] == c) for c in names}
    units = [share[cluster == c].sum() for c in names]
    variance = max(
        sum(v * v for v in z.values()),
        sum((s * (e - p)) ** 2 for s, e in zip(share, event, strict=True)) / 2,
    )
    pool = among & (event if p <= 0.5 else ~event)
    assert pool.sum() >= 20, "the pool of the rarer side is large enough here"
    single = sum(s * s for s in share[pool])
    together = sum(share[pool & (cluster == c)].sum() ** 2 for c in names)
    own = single / share[pool].sum()
    unit = own if name in ("ppv", "npv") else max(own, 1 / among.sum())
    extra = unit * together / single
    kish, rows = 1 / sum(u * u for u in units), 1 / sum(s * s for s in share)
    number = (p * (1 - p) + extra) / (variance + extra**2) * few(rows) / few(kish)
    squares = sum(u * u for u in units) ** 2 / sum(u**4 for u in units)
    df = max(math.sqrt(kish * min(kish, squares)) - 1, 1)
    return p, number, (df, int(among.sum()) - 1), z


def mid_p(p, n, tail):
    """Mid-P limits of a count that need not be whole, by beta distributions and Brent's method."""
    k = n * p

    def below(q):  # P(count < k) + P(count = k) / 2
        fewer = beta.sf(q, k, n - k + 1) if k > 0 else 0.0
        most = beta.sf(q, k + 1, n - k) if k < n else 1.0
        return (fewer + most) / 2

    low = brentq(lambda q: below(q) - (1 - tail), 1e-12, 1 - 1e-12, xtol=1e-14) if k > 0 else 0.0
    high = brentq(lambda q: below(q) - tail, 1e-12, 1 - 1e-12, xtol=1e-14) if k < n else 1.0
    return low, high


def rate_gap(name, one, two, level):
    """Difference of a rate between two clusters and its limits; clusters: y, called, weight, cluster."""
    tail, found = (1 - level) / 2, []
    for rows in (one, two):
        p, number, (df, rows_df), z = describe_rate(name, *rows)
        quantile = norm.isf(tail) * student.isf(tail, df) / student.isf(tail, rows_df)
        found.append((p, *mid_p(p, number, norm.sf(quantile)), z))
    (p, p_low, p_high, z_1), (q, q_low, q_high, z_2) = found
    sizes = len(z_1.keys() | z_2.keys()), len(z_1), len(z_2)
    every, first, second = (n / (n - 1) for n in sizes)
    product = every * sum(z_1[c] * z_2[c] for c in z_1.keys() & z_2.keys())
    scale = first * sum(v * v for v in z_1.values()) * second * sum(v * v for v in z_2.values())
    r = product / math.sqrt(scale)

    def reach(x, y):
        return math.sqrt(x * x + y * y - 2 * r * x * y)

    return p - q, p - q - reach(p - p_low, q_high - q), p - q + reach(p_high - p, q - q_low)

"""Best thresholds and their limits: a plain program that draws its own smoothed test sets."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, rankdata


def choose(pos, neg, loss):
    """Best threshold of two columns of scores, its rates and its loss; the highest of several."""
    cuts = np.append(np.inf, np.unique(np.r_[pos, neg])[::-1])
    fpr, tpr = ((side >= cuts[:, None]).mean(axis=1) for side in (neg, pos))
    every = loss(fpr, tpr)
    at = np.flatnonzero(every <= every.min() + 1e-12)[0]
    return cuts[at], fpr[at], tpr[at], every[at]


def spread(fpr, tpr, n_pos, n_neg, slopes):
    x, y = (n_neg * fpr + 1) / (n_neg + 2), (n_pos * tpr + 1) / (n_pos + 2)
    down, up = slopes(x, y)
    return np.sqrt(down**2 * x * (1 - x) / n_neg + up**2 * y * (1 - y) / n_pos)


def wilson(share, n, z):
    centre, half = (
        share + z * z / (2 * n),
        z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2),
    )
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def best_threshold(pos, neg, *, criterion="youden", ratio=1.0, level=0.95, draws=2000, seed=0):
    """Limits for untied scores, by name."""
    pos, neg = np.asarray(pos, float), np.asarray(neg, float)
    n, m = pos.size, neg.size
    if criterion == "youden":
        loss, slopes = (lambda x, y: ratio * x - y), (lambda x, y: (ratio, 1.0))
    else:
        loss = lambda x, y: np.sqrt((1 - y) ** 2 + ratio * x**2)  # noqa: E731
        slopes = lambda x, y: (ratio * x / loss(x, y), (1 - y) / loss(x, y))  # noqa: E731
    z = norm.ppf((rankdata(np.r_[pos, neg]) - 0.5) / (n + m))
    parts = z[:n], z[n:]
    widths = []
    for part in parts:
        lower, upper = np.sort(part)[[int(np.ceil(part.size * q)) - 1 for q in (0.25, 0.75)]]
        widths.append(0.9 * min(part.std(ddof=1), (upper - lower) / 1.34) * part.size**-0.2)

    def rates(cut):
        """False and true positive rate of the smooth curve."""
        tpr, fpr = (norm.sf((cut - part) / h).mean() for part, h in zip(parts, widths, strict=True))
        return fpr, tpr

    grid = np.linspace(-4, 4, 4001)
    top = grid[np.argmin([loss(*rates(cut)) for cut in grid])]
    top_fpr, top_tpr = rates(top)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        drawn = [
            rng.choice(part, part.size) + h * rng.normal(size=part.size)
            for part, h in zip(parts, widths, strict=True)
        ]
        cut, fpr, tpr, least = choose(*drawn, loss)
        there = loss(np.mean(drawn[1] >= top), np.mean(drawn[0] >= top))
        x, y = rates(cut) if np.isfinite(cut) else (0.0, 0.0)
        scaled = [
            (tpr - y) / np.sqrt(max(y * (1 - y), 1e-12) / n),
            (x - fpr) / np.sqrt(max(x * (1 - x), 1e-12) / m),
        ]
        index = (loss(top_fpr, top_tpr) - least) / spread(fpr, tpr, n, m, slopes)
        found.append((there - least, *scaled, index, loss(x, y) - least))
    drawn = np.array(found)
    q = norm.ppf((1 + level) / 2)
    cut, fpr, tpr, least = choose(pos, neg, loss)
    slack = np.quantile(drawn[:, 0], level)
    cuts = np.unique(np.r_[pos, neg])
    could = [c for c in cuts if loss(np.mean(neg >= c), np.mean(pos >= c)) <= least + slack]
    above = np.maximum(np.quantile(drawn, (1 + level) / 2, axis=0), q)
    below = np.maximum(-np.quantile(drawn, (1 - level) / 2, axis=0), q)
    error = spread(fpr, tpr, n, m, slopes)
    return {
        "threshold": cut,
        "threshold_low": min(could),
        "threshold_high": max(could),
        "sensitivity": tpr,
        "sensitivity_low": wilson(tpr, n, above[1])[0],
        "sensitivity_high": wilson(tpr, n, below[1])[1],
        "specificity": 1 - fpr,
        "specificity_low": wilson(1 - fpr, m, above[2])[0],
        "specificity_high": wilson(1 - fpr, m, below[2])[1],
        "loss": least,
        "loss_low": least - below[3] * error,
        "loss_high": least + above[3] * error,
        "optimism": drawn[:, 4].mean(),
    }

"""The H measure by numerical integration over costs, with weights of rows; and its variance."""

from __future__ import annotations

import numpy as np
from scipy.stats import beta


def h_measure(y, s, ratio, weights=None, share=None, nodes=20_001):
    """H at a given share of positives, by default that of the rows."""
    y, s = np.asarray(y, bool), np.asarray(s, float)
    w = np.ones(y.size) if weights is None else np.asarray(weights, float)
    share = w[y].sum() / w.sum() if share is None else share
    order = np.argsort(-s, kind="stable")
    last = np.append(np.diff(s[order]) != 0, True)
    tpr, fpr = (np.cumsum(np.where(own, w, 0)[order])[last] / w[own].sum() for own in (y, ~y))
    tpr, fpr = np.append(0.0, tpr), np.append(0.0, fpr)
    c = beta.ppf((np.arange(nodes) + 0.5) / nodes, 2, 1 + 1 / ratio)[:, None]
    loss = ((1 - share) * c * fpr + share * (1 - c) * (1 - tpr)).min(axis=1).mean()
    return 1 - loss / np.minimum((1 - share) * c, share * (1 - c)).mean()


def h_variance(y, s, ratio, clusters=None, weights=None):
    """Variance by the infinitesimal jackknife: change of H with the weight of each row."""
    y = np.asarray(y, bool)
    w = np.ones(y.size) if weights is None else np.asarray(weights, float)
    share, step = w[y].sum() / w.sum(), 1e-5
    change = np.empty(y.size)
    for row in range(y.size):
        ends = []
        for sign in (1, -1):
            moved = w.copy()
            moved[row] *= 1 + sign * step
            ends.append(h_measure(y, s, ratio, moved, share, 2001))
        change[row] = (ends[0] - ends[1]) / (2 * step)
    unit = np.arange(y.size) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    sums = [np.bincount(unit[own], change[own], unit.max() + 1) for own in (y, ~y)]
    kish = [w[own].sum() ** 2 / (np.bincount(unit[own], w[own]) ** 2).sum() for own in (y, ~y)]
    total = sum(k / (k - 1) * (part @ part) for k, part in zip(kish, sums, strict=True))
    count = unit.max() + 1
    return total + 2 * (count / (count - 1)) * (sums[0] @ sums[1])

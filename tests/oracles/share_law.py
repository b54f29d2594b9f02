"""Costs with a share of positives that varies, by drawing; shares no code with the library."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta


def draw_costs(fnr, fpr, costs, mean, sd, draws, seed=1):
    """Costs, in units of the larger one, in populations whose share of positives is drawn."""
    scale = mean * (1 - mean) / sd**2 - 1
    share = np.random.default_rng(seed).beta(mean * scale, (1 - mean) * scale, draws)
    return (share * costs[0] * fnr + (1 - share) * costs[1] * fpr) / max(costs)


def draw_test_sets(fnr, fpr, costs, sizes, sd, draws, seed=1):
    """Costs of test sets whose number of positives is beta-binomial about that of `sizes`."""
    rng, n = np.random.default_rng(seed), sum(sizes)
    mean = sizes[0] / n
    scale = mean * (1 - mean) / sd**2 - 1
    positives = rng.binomial(n, rng.beta(mean * scale, (1 - mean) * scale, draws))
    missed, raised = rng.binomial(positives, fnr), rng.binomial(n - positives, fpr)
    return (costs[0] * missed + costs[1] * raised) / (n * max(costs))


def limit_mean(share, sd, rows, level):
    """Means at which an observed share is an outer quantile of a beta distribution."""

    def below(mean):
        variance = (mean * (1 - mean) + (rows - 1) * sd**2) / rows
        scale = mean * (1 - mean) / variance - 1
        return beta.cdf(share, mean * scale, (1 - mean) * scale)

    tail, least = (1 - level) / 2, 0.5 - np.sqrt(0.25 - sd**2) + 1e-9
    low = brentq(lambda mean: below(mean) - (1 - tail), least, share)
    return low, brentq(lambda mean: below(mean) - tail, share, 1 - least)

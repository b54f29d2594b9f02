"""Counts in the first k places of a sample, by going through every order of the labels."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from scipy.stats import beta, binom


def sequence_law(
    share: np.ndarray, width: np.ndarray, n_pos: int, n_neg: int
) -> dict[tuple[int, ...], float]:
    """Probability of each order of labels in a sample drawn rate-first, given its positives.

    Rates are uniform; a rate in bin j carries a positive label with probability share[j]. A
    sequence of labels is cut into the bins in every way: c labels in a bin of width w have
    probability proportional to w^c / c!.
    """
    n = n_pos + n_neg
    law = {}
    for places in combinations(range(n), n_pos):
        labels = tuple(int(i in places) for i in range(n))
        chance = np.array([1.0] + [0.0] * n)  # of the first i labels, in the bins so far
        for p, w in zip(share, width, strict=True):
            grown = np.zeros(n + 1)
            for start in range(n + 1):
                for stop in range(start, n + 1):
                    here = math.prod(w * (p if z else 1 - p) for z in labels[start:stop])
                    grown[stop] += chance[start] * here / math.factorial(stop - start)
            chance = grown
        law[labels] = float(chance[n])
    total = sum(law.values())
    return {labels: chance / total for labels, chance in law.items()}


def count_law(share: np.ndarray, width: np.ndarray, n_pos: int, n_neg: int) -> np.ndarray:
    """pmf[k, s]: probability of s positives among the first k of a sample."""
    n = n_pos + n_neg
    pmf = np.zeros((n + 1, n_pos + 1))
    for labels, chance in sequence_law(share, width, n_pos, n_neg).items():
        for k in range(n + 1):
            pmf[k, sum(labels[:k])] += chance
    return pmf


def node_moments(
    share: np.ndarray, n_pos: int, n_neg: int, k: int, levels: np.ndarray
) -> tuple[float, float]:
    """Mean and variance of the positives among the first k, by quantiles of the rate of case k."""
    n, prevalence = n_pos + n_neg, share.mean()
    count = np.arange(n_pos + 1)
    pmf = np.zeros(n_pos + 1)
    for r in beta.ppf(levels, k, n - k + 1):
        j = math.ceil(r * n)
        upto = (share[: j - 1].sum() + (r * n - (j - 1)) * share[j - 1]) / n
        before, behind = min(upto / r, 1), min(max((prevalence - upto) / (1 - r), 0), 1)
        ahead = binom.pmf(count, k - 1, before) * (1 - share[j - 1])
        ahead += binom.pmf(count - 1, k - 1, before) * share[j - 1]
        pmf += ahead * binom.pmf(n_pos - count, n - k, behind)
    pmf /= pmf.sum()
    mean = pmf @ count
    return mean, pmf @ (count - mean) ** 2


def sum_law(pmf: np.ndarray, copies: int) -> np.ndarray:
    """Law of the sum of independent copies."""
    total = np.array([1.0])
    for _ in range(copies):
        total = np.convolve(total, pmf)
    return total


def ranked_labels(y: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Labels by falling score, equal scores sharing their mean label."""
    order = sorted(range(len(y)), key=lambda i: -score[i])
    return np.array([np.mean([y[j] for j in order if score[j] == score[i]]) for i in order])


def adjusted_counts(labels: list[int], n_pos: int, n_neg: int) -> list[float]:
    """Positives among the first k when every positive and negative is widened to its nominal share."""
    wide = {1: n_pos / sum(labels), 0: n_neg / (len(labels) - sum(labels))}
    x, y = [0.0], [0.0]
    for label in labels:
        x.append(x[-1] + wide[label])
        y.append(y[-1] + wide[label] * label)
    return [float(np.interp(k, x, y)) for k in range(n_pos + n_neg + 1)]

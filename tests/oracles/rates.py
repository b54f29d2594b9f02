"""Counts in the first k places of a sample, by going through every order of the labels."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def sequence_law(table: np.ndarray, n_pos: int) -> dict[tuple[int, ...], float]:
    """Probability of each order of labels in a sample drawn rate-first, given its positives.

    n rates are uniform; a rate in bin j carries a positive label with the mean of column j. A
    sequence of labels is cut into the n bins in every way: c labels in a bin have probability
    proportional to 1 / c!.
    """
    share = table.mean(axis=0)
    n = share.size
    law = {}
    for places in combinations(range(n), n_pos):
        labels = tuple(int(i in places) for i in range(n))
        chance = np.array([1.0] + [0.0] * n)  # of the first i labels, in the bins so far
        for p in share:
            grown = np.zeros(n + 1)
            for start in range(n + 1):
                for stop in range(start, n + 1):
                    here = math.prod(p if z else 1 - p for z in labels[start:stop])
                    grown[stop] += chance[start] * here / math.factorial(stop - start)
            chance = grown
        law[labels] = float(chance[n])
    total = sum(law.values())
    return {labels: chance / total for labels, chance in law.items()}


def count_law(table: np.ndarray, n_pos: int) -> np.ndarray:
    """pmf[k, s]: probability of s positives among the first k of a sample."""
    n = table.shape[1]
    pmf = np.zeros((n + 1, n_pos + 1))
    for labels, chance in sequence_law(table, n_pos).items():
        for k in range(n + 1):
            pmf[k, sum(labels[:k])] += chance
    return pmf


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

"""Populations that tests draw from: labels, then scores of one model or of two on the same rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

Rows = tuple[np.ndarray, ...]


def draw_binormal(rng: np.random.Generator, theta: float, n_pos: int, n_neg: int) -> Rows:
    """Draw positives from N(theta, 3.75) and negatives from N(-theta, 3), as in the 2005 paper."""
    scores = rng.normal(theta, 3.75, n_pos), rng.normal(-theta, 3.0, n_neg)
    return np.repeat([1, 0], [n_pos, n_neg]), np.concatenate(scores)


def draw_bimodal(rng: np.random.Generator, n_pos: int, n_neg: int) -> Rows:
    """Draw half of the positives like the negatives, half of them 4 above."""
    like_negatives = rng.random(n_pos) < 0.5
    positives = np.where(like_negatives, rng.normal(0, 1, n_pos), rng.normal(4, 1, n_pos))
    return np.repeat([1, 0], [n_pos, n_neg]), np.concatenate([positives, rng.normal(0, 1, n_neg)])


def draw_pooled(rng: np.random.Generator, n_pos: int, n_neg: int) -> Rows:
    """Draw model 1 at two sites with an offset of 6, so that its curve has a bump, and model 2."""
    labels = np.repeat([1, 0], [n_pos, n_neg])
    noise, site = rng.normal(size=(2, labels.size)), rng.random(labels.size) < 0.5
    return labels, 6 * site + 3 * labels + noise[0], 1.5 * labels + noise[1]


def draw_equal_pooled(rng: np.random.Generator, n_pos: int, n_neg: int) -> Rows:
    """Draw two equal models whose scores have the same offset, 5, at one of two sites."""
    labels = np.repeat([1, 0], [n_pos, n_neg])
    one, other = rng.normal(size=(2, labels.size))
    level = 5 * (rng.random(labels.size) < 0.5) + 2 * labels
    return labels, level + one, level + 0.7 * one + np.sqrt(1 - 0.7**2) * other


def draw_steps(rng: np.random.Generator, n_pos: int, n_neg: int) -> Rows:
    """Draw model 1 with negatives and positives in turn: a curve of two pure steps; and model 2."""
    labels = np.repeat([1, 0], [n_pos, n_neg])
    pieces = 2 * np.where(
        labels == 1, rng.integers(0, 2, labels.size), rng.integers(0, 3, labels.size)
    )
    return (
        labels,
        pieces + labels + rng.random(labels.size),
        1.5 * labels + rng.normal(size=labels.size),
    )


@dataclass(frozen=True)
class TwoModels:
    """Normal scores with sd 1 and correlation `rho`; model 2 separates by `shift` more."""

    rho: float
    shift: float
    mean: float = 1.0
    step: float = 0.0  # scores are rounded to multiples of it

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> Rows:
        labels = np.repeat([1, 0], [n_pos, n_neg])
        one, other = rng.normal(size=(2, labels.size))
        two = self.rho * one + np.sqrt(1 - self.rho**2) * other
        scores = one + self.mean * labels, two + (self.mean + self.shift) * labels
        if self.step:
            return labels, *(np.rint(s / self.step) * self.step for s in scores)
        return labels, *scores

    def truth(self, fpr: np.ndarray) -> np.ndarray:
        """The true difference of tpr without steps, model 1 minus model 2."""
        place = ndtri(np.asarray(fpr))
        return ndtr(place + self.mean) - ndtr(place + self.mean + self.shift)

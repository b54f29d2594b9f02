"""Several models, each with test rows of its own, and the average of their true curves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.curve import Curve

SCORES = np.linspace(45.0, -45.0, 6001)


def draw_folds(
    rng: np.random.Generator, thetas: Sequence[float] | np.ndarray, n_pos: int, n_neg: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores and folds: each model separates its rows by its own theta."""
    labels = np.tile(np.repeat([1, 0], [n_pos, n_neg]), len(thetas))
    folds = np.repeat(np.arange(len(thetas)), n_pos + n_neg)
    mean = np.where(labels == 1, 1.0, -1.0) * np.asarray(thetas)[folds]
    return labels, rng.normal(mean, np.where(labels == 1, 3.75, 3.0)), folds


@cache
def average_truth(thetas: tuple[float, ...], n_pos: int, n_neg: int) -> Curve:
    """Average of the models' true curves along the lines that the band averages along."""
    slope = np.sqrt(n_neg / n_pos)
    c = np.linspace(0.0, 1.0 + slope, 4001)
    total = np.zeros(c.size)
    for theta in thetas:
        x, y = ndtr((-theta - SCORES) / 3.0), ndtr((theta - SCORES) / 3.75)
        total += np.interp(c, y + slope * x, x)
    x = total / len(thetas)
    return Curve(x, np.clip(c - slope * x, 0.0, 1.0))


def learner_truth(n_pos: int, n_neg: int) -> Curve:
    """Average over all training sets: theta is normal with mean 1.5 and sd 1."""
    return average_truth(tuple(1.5 + ndtri((np.arange(400) + 0.5) / 400)), n_pos, n_neg)

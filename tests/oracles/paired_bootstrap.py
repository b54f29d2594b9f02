"""The plain paired bootstrap of the difference of two curves, one resample after the other."""

from __future__ import annotations

import numpy as np

from tests.oracles.resamples import height, points


def difference(labels: np.ndarray, one: np.ndarray, two: np.ndarray, fpr: np.ndarray) -> np.ndarray:
    """Height of the first curve minus height of the second, walking along both."""
    paths = points(labels, one), points(labels, two)
    return np.array([height(paths[0], x) - height(paths[1], x) for x in fpr])


def resampled_differences(
    labels: np.ndarray,
    one: np.ndarray,
    two: np.ndarray,
    fpr: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    clusters: np.ndarray | None = None,
) -> np.ndarray:
    """Differences of curves of rows drawn with replacement, the same rows for both models."""
    found = []
    for _ in range(draws):
        if clusters is None:
            rows = np.concatenate(
                [
                    rng.choice(np.flatnonzero(labels == kind), (labels == kind).sum())
                    for kind in (0, 1)
                ]
            )
        else:
            names = np.unique(clusters)
            rows = np.concatenate(
                [np.flatnonzero(clusters == name) for name in rng.choice(names, names.size)]
            )
        found.append(difference(labels[rows], one[rows], two[rows], fpr))
    return np.array(found)

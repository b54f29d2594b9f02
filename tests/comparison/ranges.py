"""Measure how often difference bands contain the truth over the range that follows the data.

python -m tests.comparison.ranges          200 data sets for each line of docs/compare.md
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import norm

from rocbands.comparison.difference_band import build_difference_bands
from rocbands.core.data import read_pair

SIZES = ((50, 250), (200, 2000), (1000, 5000), (50, 10_000), (500, 10_000), (2000, 20_000))
# Means of both models' positives, and the correlation of their scores within a class.
POPULATIONS = ((1.0, 1.0, 0.6), (1.5, 1.0, 0.6), (2.3, 2.3, 0.6), (2.3, 1.8, 0.9))
LEVELS = (0.95, 0.9)


def measure(
    sizes: tuple[int, int], means: tuple[float, float], rho: float, sets: int
) -> tuple[tuple[float, float], np.ndarray]:
    """Return the range, and the share of sets whose band contains the whole true difference."""
    rng = np.random.default_rng(7)
    labels = np.repeat([1, 0], sizes)
    root = np.linalg.cholesky([[1.0, rho], [rho, 1.0]])
    inside = np.zeros(len(LEVELS))

    def truth(fpr: np.ndarray) -> np.ndarray:
        one, two = (norm.sf(norm.isf(fpr) - mean) for mean in means)
        return np.asarray(one - two)

    for _ in range(sets):
        scores = rng.standard_normal((labels.size, 2)) @ root.T + np.outer(labels, means)
        bands = build_difference_bands(
            read_pair(labels, *scores.T), levels=LEVELS, n_resamples=600, rng=rng
        )
        inside += [band.contains(truth) for band in bands]
    return bands[0].fpr_range, inside / sets


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| size | range | " + " | ".join(f"{a:g}, {b:g}, {r:g}" for a, b, r in POPULATIONS), "|")
    for size in SIZES:
        found = [measure(size, (a, b), r, count) for a, b, r in POPULATIONS]
        cells = (" ".join(f"{share:.3f}" for share in shares) for _, shares in found)
        low, high = found[0][0]
        print(f"| {size[0]}+{size[1]} | {low:g} to {high:g} | {' | '.join(cells)} |", flush=True)

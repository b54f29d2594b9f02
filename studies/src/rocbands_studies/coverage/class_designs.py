"""Average AUCs of several classes with clustered and weighted rows: coverage at .95.

python -m rocbands_studies.coverage.class_designs 300    300 data sets a cell

Scores for each class are normal, higher by d for rows of the class, with a common normal effect of
each cluster on each column (intraclass correlation .5). Rows of a cluster are of one class, or of
several. A cell shows the shares of data sets in which the true macro and Hand-Till AUC are inside
their limits, mean widths divided by 3.92 standard deviations of the estimates, and the share for
the macro AUC if rows are taken as independent.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

import rocbands as rb
from rocbands.multiclass.average_area import count_cases, estimate_average_area


@dataclass(frozen=True)
class Cell:
    """Clusters of rows."""

    clusters: int
    classes: int = 3
    d: float = 1.3
    largest: int = 20  # cluster
    own: float = 0.4  # share of rows of the class that its cluster has most of
    variation: float = 1.0  # Kish's design effect of lognormal weights

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Draw labels, scores, clusters and weights; each class has rows of two clusters."""
        size = rng.integers(1, self.largest + 1, self.clusters)
        cluster = np.repeat(np.arange(self.clusters), size)
        kind = rng.integers(0, self.classes, self.clusters)[cluster]
        other = rng.integers(0, self.classes, cluster.size)
        y = np.where(rng.random(cluster.size) < self.own, kind, other)
        if min(np.unique(cluster[y == c]).size for c in range(self.classes)) < 2:
            return self.draw(rng)
        effect, noise = (
            rng.normal(size=(self.clusters, self.classes)),
            rng.normal(size=(y.size, self.classes)),
        )
        scores = (effect[cluster] + noise) / np.sqrt(2) + self.d * (
            y[:, None] == np.arange(self.classes)
        )
        return y, scores, cluster, np.exp(np.sqrt(np.log(self.variation)) * rng.normal(size=y.size))


CELLS = {
    "20 clusters": Cell(20),
    "50 clusters": Cell(50),
    "200 clusters of 1 to 6": Cell(200, largest=6),
    "50 clusters, AUC .92": Cell(50, d=2.0),
    "50 clusters, weights": Cell(50, variation=3.0),
    "50 clusters of one class": Cell(50, own=1.0),
    "20 clusters, 4 classes, AUC .92": Cell(20, 4, d=2.0),
}


def measure(cell: Cell, sets: int, seed: int) -> np.ndarray:
    """Coverage of both averages, their relative widths, and coverage without the clusters."""
    rng, truth = np.random.default_rng(seed), ndtr(cell.d / np.sqrt(2))
    found = np.zeros((sets, 3, 3))
    for k in range(sets):
        y, scores, cluster, weights = cell.draw(rng)
        given = None if cell.variation == 1 else weights
        data = rb.Sample.of_classes(y, scores, clusters=cluster, weights=given)
        alone = rb.Sample.of_classes(y, scores, weights=given)
        for j, (sample, kind) in enumerate(((data, "ovr"), (data, "ovo"), (alone, "ovr"))):
            area = estimate_average_area(sample, kind, 0.95, count_cases(sample))
            found[k, j] = area.low <= truth <= area.high, area.high - area.low, area.estimate
    held, widths, _ = found.mean(axis=0).T
    return np.array([*held[:2], *(widths / 3.92 / found[..., 2].std(axis=0))[:2], held[2]])


def main(sets: int = 300) -> None:
    print("| cell | macro | Hand-Till | width | width | independent |\n|---|--:|--:|--:|--:|--:|")
    for number, (name, cell) in enumerate(CELLS.items()):
        numbers = " | ".join(f"{x:.3f}" for x in measure(cell, sets, 37_000 + number))
        print(f"| {name} | {numbers} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

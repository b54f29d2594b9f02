"""Two test sets of weighted rows or of groups: false alarms for equal curves.

python -m rocbands_studies.coverage.set_designs 300     300 pairs of sets a cell
python -m rocbands_studies.coverage.set_designs 300 9   the cells from number 9 on

Scores are normal, with random effects of groups and an intraclass correlation; shares of positives
differ between groups. Weights are lognormal with a design effect W, independent of the scores. A
flag is a band at .95 that excludes 0 somewhere between fpr .05 and .95, or 95% limits at fpr .1 or
.3 that do. Beside it: the same sets, rows taken as independent and of equal weight.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

import rocbands as rb
from rocbands.comparison.difference_spread import UnpairedSpread
from rocbands.comparison.grid_curve import CurveAtGrid, build_grid

DRAWS = 1000  # of difference curves for a critical value
GRID = np.sort(np.append(build_grid(0.05, 0.95), (0.1, 0.3)))
RATES = np.searchsorted(GRID, (0.1, 0.3))
Array = np.ndarray


@dataclass(frozen=True)
class Cell:
    """One design of both test sets."""

    name: str
    groups: tuple[int, int]
    sizes: tuple[int, int] = (1, 20)  # of groups, the least and the largest
    icc: float = 0.5
    weight: float = 1.0  # design effect of the weights
    d: float = 1.5
    sd: float = 1.0
    one_label: bool = False
    by_group: bool = False  # weights of whole groups
    common: bool = False  # both sets have rows of the same groups

    def draw(self, rng: np.random.Generator, n: int, effects: Array) -> dict[str, Array]:
        groups = np.repeat(np.arange(n), rng.integers(self.sizes[0], self.sizes[1] + 1, n))
        labels = rng.random(groups.size) < rng.beta(0.6, 1.4, n)[groups]
        if self.one_label:
            labels = (rng.random(n) < 0.3)[groups]
        own = rng.normal(size=groups.size)
        noise = np.sqrt(self.icc) * effects[groups] + np.sqrt(1 - self.icc) * own
        spread = np.sqrt(np.log(self.weight))
        weights = np.exp(spread * rng.normal(size=n if self.by_group else groups.size))
        return {
            "y": labels,
            "score": np.where(labels, self.d + self.sd * noise, noise),
            "groups": groups,
            "weights": weights[groups] if self.by_group else weights,
        }

    def draw_sets(self, rng: np.random.Generator) -> list[dict[str, Array]]:
        """Draw both sets; each class comes from two groups or more."""
        while True:
            effects = [rng.normal(size=n) for n in self.groups]
            if self.common:
                effects = effects[:1] * 2
            sets = [self.draw(rng, n, own) for n, own in zip(self.groups, effects, strict=True)]
            if all(
                np.unique(one["groups"][one["y"] == kind]).size > 1
                for one in sets
                for kind in (0, 1)
            ):
                return sets


CELLS = [
    Cell("30 groups twice", (30, 30)),
    Cell("50 groups twice", (50, 50)),
    Cell("200 groups of 1 to 6 twice", (200, 200), (1, 6)),
    Cell("30 and 200 groups of 1 to 6", (30, 200), (1, 6)),
    Cell("50 groups of one label twice", (50, 50), one_label=True),
    Cell("100 groups of 1 to 10, d 2.5", (100, 100), (1, 10), 0.3, d=2.5),
    Cell("60 groups of 2 to 12, sd 2", (60, 60), (2, 12), d=1.0, sd=2.0),
    Cell("30 groups of 5 to 20, icc .9", (30, 30), (5, 20), 0.9),
    Cell("50 groups, W 1.5", (50, 50), weight=1.5),
    Cell("50 groups, W 4", (50, 50), weight=4.0),
    Cell("30 groups, W 4 by group", (30, 30), weight=4.0, by_group=True),
    Cell("200 groups of 1 to 6, W 4 by group", (200, 200), (1, 6), weight=4.0, by_group=True),
    Cell("200 rows, W 1.5", (200, 200), (1, 1), 0.0, 1.5),
    Cell("400 rows, W 4", (400, 400), (1, 1), 0.0, 4.0),
    Cell("100 and 1000 rows, W 4", (100, 1000), (1, 1), 0.0, 4.0),
    Cell("300 rows, W 4, d 2.5", (300, 300), (1, 1), 0.0, 4.0, d=2.5),
    Cell("30 groups in both sets", (30, 30), common=True),
    Cell("50 groups in both sets", (50, 50), common=True),
    Cell("200 groups of 1 to 6 in both sets", (200, 200), (1, 6), common=True),
    Cell("50 groups of 5 to 20 in both sets, icc .9", (50, 50), (5, 20), 0.9, common=True),
    Cell("30 groups of 5 to 20 in both sets, icc .9", (30, 30), (5, 20), 0.9, common=True),
    Cell("50 groups in both sets, W 4", (50, 50), weight=4.0, common=True),
]


def flag(spread: UnpairedSpread, rng: np.random.Generator) -> Array:
    """Whether 0 is outside: of the band, and at both rates; mean width of the band."""
    critical = spread.find_critical_value(0.95, DRAWS, rng).value, float(ndtri(0.975))
    limits = [spread.find_limits(value) for value in critical]
    band, alone = ((lower > 0) | (upper < 0) for lower, upper in limits)
    return np.array([band.any(), *alone[RATES], np.mean(limits[0][1] - limits[0][0])])


def measure(cell: Cell, sets: int, seed: int) -> Array:
    """Shape (2, 4): means of `flag`, with the design and without."""
    rng, found = np.random.default_rng(seed), np.zeros((2, 4))
    for _ in range(sets):
        drawn = cell.draw_sets(rng)
        for kind, plain in enumerate((False, True)):
            curves = []
            for one in drawn:
                design = {}
                if not plain and cell.sizes != (1, 1):
                    design["clusters"] = one["groups"]
                if not plain and cell.weight > 1.0:
                    design["weights"] = one["weights"]
                roc = rb.Sample(one["y"].astype(int), one["score"], **design).roc
                curves.append(CurveAtGrid.from_curve(roc, GRID))
            common = (np.arange(cell.groups[0]),) * 2 if cell.common and not plain else None
            found[kind] += flag(UnpairedSpread.add_up(*curves, common), rng) / sets
    return found


def main(sets: int = 300, first: int = 0) -> None:
    print("| design | band | at .1 | at .3 | width | independent: band | at .1 | at .3 | width |")
    print("|---" * 9 + "|")
    for number, cell in enumerate(CELLS[first:], start=first):
        found = measure(cell, sets, 35_000 + number)
        shown = " | ".join(f"{value:.3f}" for value in found.ravel())
        print(f"| {cell.name} | {shown} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

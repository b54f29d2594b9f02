"""Measure how often the interval for two recalls at the same rate holds: part of ``make coverage``.

It takes a few minutes, and writes docs/coverage-rate-difference.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import ndtri

import rocbands as rb
from tests.coverage.judge import may_lie_in
from tests.coverage.pairs import PairWorld

PAGE = Path("docs/coverage-rate-difference.md")
RATES = (0.05, 0.2, 0.5)
LEVELS = (0.9, 0.95)
REPS = 1000

HEAD = """# Measured coverage of the difference at a rate

`rb.rate_difference` with fixed class sizes (`sampling="stratified"`), recall of model 1 minus recall of model 2 when both act on the same share of cases. Negatives have normal
scores around 0 in both models, positives around 1 in model 1 and around 1 + shift in model 2, with sd 1 and the stated correlation
between the two scores within each class. In each cell: the share of 1,000 fresh test sets whose interval holds the true
difference, at a nominal level of .90 and of .95; the mean width of the latter in brackets; and, as a control, what 95% intervals hold that
ignore the pairing and add up both models' variances. A figure with ! is one whose exact 99% interval lies below its level less .02.
At small rates the recall itself can take few values, so figures above the level cannot be had closer to it.
Made by `python -m tests.coverage.rate_difference`.
"""


@dataclass(frozen=True)
class Cell:
    title: str
    world: PairWorld
    size: tuple[int, int]
    folds: int = 1

    def measure(self) -> np.ndarray:
        """Held at both levels, width, held by the control: one row each, one column for each rate."""
        rng = np.random.default_rng(list(f"{self.title} | {self.world.name}".encode()))
        prevalence = self.size[0] / sum(self.size)
        truth = np.array([self.world.recall_gap(prevalence, rate) for rate in RATES])
        total = np.zeros((4, len(RATES)))
        for _ in range(REPS):
            total += self.once(rng, truth)
        return total / REPS

    def once(self, rng: np.random.Generator, truth: np.ndarray) -> np.ndarray:
        rows = [self.world.draw(rng, *self.size) for _ in range(self.folds)]
        labels, one, two = (np.concatenate(column) for column in zip(*rows, strict=True))
        folds = None if self.folds == 1 else np.repeat(np.arange(self.folds), sum(self.size))
        found = [
            rb.rate_difference(
                labels, one, two, RATES, folds=folds, level=level, sampling="stratified"
            )
            for level in LEVELS
        ]
        held = [(gap.lower - 1e-9 <= truth) & (truth <= gap.upper + 1e-9) for gap in found]
        guess = np.zeros(labels.size)  # a model whose rows do not vary
        errors = [
            rb.rate_difference(
                labels, scores, guess, RATES, folds=folds, sampling="stratified"
            ).standard_error
            for scores in (one, two)
        ]
        alone = np.abs(found[1].difference - truth) <= ndtri(0.975) * np.hypot(*errors)
        return np.array([*held, found[1].upper - found[1].lower, alone], dtype=np.float64)


def all_cells() -> Iterator[Cell]:
    """Every cell, in the order of the page."""
    for n, prevalence in product((100, 400, 2000), (0.5, 0.1)):
        n_pos = round(n * prevalence)
        for rho, shift in product((0.3, 0.6, 0.9), (0.0, 0.5)):
            title = f"{n_pos} positives, {n - n_pos} negatives"
            yield Cell(title, PairWorld(rho, shift), (n_pos, n - n_pos))
    for rho, shift in product((0.6, 0.9), (0.0, 0.5)):
        yield Cell("10 folds, each of 20 + 20", PairWorld(rho, shift), (20, 20), 10)
        yield Cell("10 folds, each of 5 + 45", PairWorld(rho, shift), (5, 45), 10)
    for shift in (0.0, 0.5):
        for size in ((50, 50), (40, 360)):
            title = f"{size[0]} + {size[1]}, about seven distinct scores"
            yield Cell(title, PairWorld(0.6, shift, step=1.0), size)
            title = f"{size[0]} + {size[1]}, model 1 has an AUC of .95"
            yield Cell(title, PairWorld(0.6, shift, 2.326), size)
    for shift in (0.0, 0.1):
        for size in ((50, 50), (40, 360)):
            title = f"{size[0]} + {size[1]}, models that hardly differ"
            yield Cell(title, PairWorld(0.99, shift), size)


def main() -> None:
    """Measure all cells and write the page."""
    tables: dict[str, list[str]] = {}
    for cell in all_cells():
        measured = cell.measure()
        words = " | ".join(_text(*column) for column in measured.T)
        tables.setdefault(cell.title, []).append(f"| {cell.world.name} | {words} |")
        print(cell.title, tables[cell.title][-1], file=sys.stderr, flush=True)
    head = "| | " + " | ".join(f"rate {rate:g}" for rate in RATES) + " |"
    rule = "|---|" + "---|" * len(RATES)
    parts = [f"## {title}\n\n{head}\n{rule}\n" + "\n".join(rows) for title, rows in tables.items()]
    PAGE.write_text("\n\n".join([HEAD.rstrip(), *parts]) + "\n", encoding="utf-8")


def _text(low: float, high: float, width: float, alone: float) -> str:
    shares = []
    for share, level in zip((low, high), LEVELS, strict=True):
        fine = may_lie_in(round(share * REPS), REPS, level - 0.02, 1.0)
        shares.append(f"{share:.3f}{'' if fine else ' !'}")
    return f"{', '.join(shares)} ({width:.3f}); {alone:.3f}"


if __name__ == "__main__":
    main()

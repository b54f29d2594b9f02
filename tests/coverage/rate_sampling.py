"""Measure how often limits of the recall at a rate hold on random samples: part of ``make coverage``.

It takes some minutes, and writes docs/coverage-rates.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import t as student

import rocbands as rb
from tests.coverage.judge import may_lie_in
from tests.coverage.pairs import PairWorld

PAGE = Path("docs/coverage-rates.md")
RATES = (0.05, 0.1, 0.2, 0.4, 0.6)
LEVELS = (0.9, 0.95)
REPS = 500
LARGE_REPS = 250  # of 5,000 rows

HEAD = """# Measured coverage of the recall at a rate

Random samples: each row is positive with the stated probability, so that the number of positives varies. In each cell the share of fresh
samples whose limits contain the recall of the population, at a nominal level of .90 and of .95, for `rb.rate_bounds` with its default (`score`,
`sampling="full"`); behind the semicolon what 90% limits of `"parametric"` contain, which take the class sizes as fixed. 500 samples a cell (250 of 5,000
rows), a fifth of them for the control. Samples of one class are drawn again. A figure with ! is one whose exact 99% interval lies below .87 or above .94 at .90, below .92 or above
.97 at .95. Made by `python -m tests.coverage.rate_sampling`.
"""
PAIR_HEAD = """## Two models: the difference of their recalls

`rb.rate_difference`, normal scores, positives around 1 in model 1 and around 1 + shift in model 2; at .90 and .95, behind the semicolon at .90 with
`sampling="stratified"`.
"""


@dataclass(frozen=True)
class World:
    """Scores of both classes, and their share: a population."""

    name: str
    share: float
    draw: Callable[[np.random.Generator, int], np.ndarray]
    above: Callable[[np.ndarray], np.ndarray]
    above_negative: Callable[[np.ndarray], np.ndarray] = lambda t: ndtr(-t)
    draw_negative: Callable[[np.random.Generator, int], np.ndarray] = lambda rng, n: rng.normal(
        size=n
    )
    step: float = 0.0

    def sample(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores, with both classes."""
        y = rng.random(n) < self.share
        if y.all() or not y.any():
            return self.sample(rng, n)
        s = np.where(y, self.draw(rng, n), self.draw_negative(rng, n))
        return y, np.floor(s / self.step) if self.step else s

    def recall(self, rates: np.ndarray) -> np.ndarray:
        """Recall of the population: the ends of steps joined by straight lines."""
        t = np.arange(40.0, -40.0, -self.step) if self.step else np.linspace(40, -40, 800_001)
        pos, neg = self.above(t), self.above_negative(t)
        return np.interp(rates, self.share * pos + (1 - self.share) * neg, pos)


def normal(auc: float, share: float, sd: float = 1.0, step: float = 0.0) -> World:
    mu = ndtri(auc) * np.sqrt(1 + sd**2)
    extra = f", sd {sd:g}" * (sd != 1) + f", steps of {step:g}" * (step > 0)
    return World(
        f"normal, AUC {auc:g}{extra}", share, lambda rng, n: mu + sd * rng.normal(size=n),
        lambda t: ndtr((mu - t) / sd), step=step,
    )  # fmt: skip


def t_scores(shift: float, share: float) -> World:
    return World(
        f"t with 3 df, shift {shift:g}", share, lambda rng, n: shift + rng.standard_t(3, size=n),
        lambda t: student.sf(t - shift, 3), lambda t: student.sf(t, 3),
        lambda rng, n: rng.standard_t(3, size=n),
    )  # fmt: skip


WORLDS = (
    normal(0.7, 0.5), normal(0.85, 0.3), normal(0.95, 0.31), normal(0.95, 0.5), normal(0.95, 0.1),
    normal(0.9, 0.03), t_scores(2.0, 0.2), normal(0.85, 0.3, step=0.5), normal(0.85, 0.2, sd=2.0),
    normal(0.8, 0.1, sd=0.5),
)  # fmt: skip
SIZES = ("60 rows", "300 rows", "5,000 rows", "10 positives on average")


def rows_of(size: str, world: World) -> int:
    return (
        round(10 / world.share)
        if "positives" in size
        else int(size.split(maxsplit=1)[0].replace(",", ""))
    )


def measure(world: World, n: int, reps: int) -> np.ndarray:
    """Held at both levels, and at the first with fixed class sizes: a row each."""
    rng = np.random.default_rng(list(f"{world.name} {world.share} {n}".encode()))
    truth, total = world.recall(np.array(RATES)), np.zeros((3, len(RATES)))
    for rep in range(reps):
        y, s = world.sample(rng, n)
        roc = rb.roc_curve(y, s)
        found = [rb.rate_bounds(roc, rates=RATES, level=level) for level in LEVELS]
        if rep % 5 == 0:  # the control takes longer, and shows enough in fewer samples
            found.append(rb.rate_bounds(roc, method="parametric", rates=RATES, level=LEVELS[0]))
        for i, one in enumerate(found):
            total[i] += (one.lower - 1e-9 <= truth) & (truth <= one.upper + 1e-9)
    return total / np.array([[reps], [reps], [-(-reps // 5)]])


def measure_pair(world: PairWorld, share: float, n: int, reps: int) -> np.ndarray:
    """As `measure`, for the difference of two models."""
    rng = np.random.default_rng(list(f"{world.name} {share} {n}".encode()))
    truth = np.array([world.recall_gap(share, rate) for rate in RATES])
    total = np.zeros((3, len(RATES)))
    for _ in range(reps):
        n_pos = 0
        while not 0 < n_pos < n:
            n_pos = int(rng.binomial(n, share))
        rows = world.draw(rng, n_pos, n - n_pos)
        asked = [*({"level": level} for level in LEVELS), {"level": 0.9, "sampling": "stratified"}]
        found = [rb.rate_difference(*rows, RATES, **options) for options in asked]
        total += [(one.lower - 1e-9 <= truth) & (truth <= one.upper + 1e-9) for one in found]
    return total / reps


def in_words(held: np.ndarray, reps: int) -> str:
    """One cell of the table."""
    shares = []
    for share, level in zip(held, LEVELS, strict=False):
        fine = may_lie_in(round(share * reps), reps, level - 0.03, level + 0.4 * (1 - level))
        shares.append(f"{share:.3f}{'' if fine else ' !'}")
    return f"{', '.join(shares)}; {held[2]:.3f}"


def main() -> None:
    """Measure all cells and write the page."""
    head = (
        "| | " + " | ".join(f"rate {rate:g}" for rate in RATES) + " |\n|---|" + "---|" * len(RATES)
    )
    parts = [HEAD.rstrip()]
    for size in SIZES:
        rows = []
        for world in WORLDS:
            n = rows_of(size, world)
            reps = LARGE_REPS if n > 1000 else REPS
            if n * world.share < 3:
                continue
            held = measure(world, n, reps)
            cells = " | ".join(in_words(column, reps) for column in held.T)
            rows.append(f"| {world.name}, {100 * world.share:g}% of {n} | {cells} |")
            print(rows[-1], file=sys.stderr, flush=True)
        parts.append(f"## {size}\n\n{head}\n" + "\n".join(rows))
    rows = []
    pairs = [PairWorld(rho, shift) for rho in (0.3, 0.9) for shift in (0.0, 0.5)]
    pairs += [PairWorld(0.6, 0.5, 2.0), PairWorld(0.6, 0.5, step=1.0)]
    pairs += [PairWorld(0.3, -1.6, 2.326), PairWorld(0.6, -0.8, 2.326)]  # AUC .95 and less
    for n, share in ((60, 0.5), (300, 0.31), (300, 0.1), (100, 0.1), (5000, 0.1)):
        for world in pairs:
            reps = LARGE_REPS if n > 1000 else REPS
            held = measure_pair(world, share, n, reps)
            cells = " | ".join(in_words(column, reps) for column in held.T)
            name = world.name + (f", mean {world.mean:g}" if world.mean != 1 else "")
            rows.append(f"| {name}, {100 * share:g}% of {n} | {cells} |")
            print(rows[-1], file=sys.stderr, flush=True)
    parts.append(f"{PAIR_HEAD.rstrip()}\n\n{head}\n" + "\n".join(rows))
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

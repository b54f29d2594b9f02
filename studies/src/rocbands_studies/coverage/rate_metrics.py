"""Accuracy, worth and ranges of rates: ``python -m rocbands_studies.coverage.rate_metrics``.

Rows of random class (`full`), or fixed class sizes (`stratified`). Do the limits of
`RateBounds.linear` contain the value in the population, and do those of `RateBounds.between`
contain the recall at every rate of the range? `one rate`, for comparison: limits of the recall in
the middle of the range, held against the recall at all of its rates. Levels .95, .90 and .99.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb

LEVELS, SETS = (0.95, 0.9, 0.99), 400
WORTH = {"accuracy": (1.0, 0.0, 0.0, 1.0), "worth": (90.0, -10.0, 0.0, 0.0), "cost": (0.0, 1.0, 5.0, 0.0)}  # fmt: skip
RANGE = (0.05, 0.15)


class World(NamedTuple):
    """Normal positives N(mean, sd) above negatives N(0, 1), in steps; rows and share."""

    name: str
    mean: float
    rows: int
    share: float
    sd: float = 1.0
    step: float = 0.0

    def draw(self, rng: np.random.Generator, sampling: str) -> tuple[np.ndarray, np.ndarray]:
        y = rng.random(self.rows) < self.share
        if sampling == "stratified" or not 0 < y.sum() < self.rows:
            y = np.arange(self.rows) < round(self.rows * self.share)
        score = rng.normal(size=self.rows) * np.where(y, self.sd, 1.0) + self.mean * y
        return y.astype(int), np.rint(score / self.step) if self.step else score

    def recall(self, rate: np.ndarray) -> np.ndarray:
        """Recall of the population at each rate; ties are broken at random."""
        cut = np.linspace(12.0, -12.0, 24_001)
        if self.step:
            cut = (np.arange(int(12 / self.step), -int(12 / self.step), -1) - 0.5) * self.step
        tpr, fpr = ndtr((self.mean - cut) / self.sd), ndtr(-cut)
        tpr, fpr = np.append(0.0, tpr), np.append(0.0, fpr)
        return np.interp(rate, self.share * tpr + (1 - self.share) * fpr, tpr)


def at_auc(auc: float, sd: float = 1.0) -> float:
    return float(ndtri(auc)) * np.hypot(1.0, sd)


WORLDS = (
    World("AUC .85, 30%, 300 rows", at_auc(0.85), 300, 0.3),
    World("AUC .85, 30%, 5000 rows", at_auc(0.85), 5000, 0.3),
    World("AUC .85 in steps of .5, 30%, 300 rows", at_auc(0.85), 300, 0.3, step=0.5),
    World("AUC .80, 50%, 40 rows", at_auc(0.8), 40, 0.5),
    World("AUC .90, 2%, 510 rows", at_auc(0.9), 510, 0.02),
    World("AUC .98, 20%, 300 rows", at_auc(0.98), 300, 0.2),
    World("AUC .80, sd 3, 20%, 300 rows", at_auc(0.8, 3.0), 300, 0.2, sd=3.0),
)  # fmt: skip


def measure(
    world: World, sampling: str, sets: int, rate: float = 0.2, seed: int = 1
) -> dict[str, list[float]]:
    """Share of sets whose limits hold, at each level."""
    rng = np.random.default_rng([seed, sum(map(ord, world.name + sampling))])
    share = world.share
    if sampling == "stratified":
        share = round(world.rows * share) / world.rows
        world = world._replace(share=share)
    found = world.recall(np.array([rate]))[0]
    truths = {
        name: rate * fp + (1 - rate) * tn + share * ((fn - tn) + (tp - fp - fn + tn) * found)
        for name, (tp, fp, fn, tn) in WORTH.items()
    }
    ends = world.recall(np.array(RANGE))
    wanted = [RANGE[0], sum(RANGE) / 2, RANGE[1], rate]
    held: dict[str, list[list[bool]]] = {}
    for _ in range(sets):
        y, score = world.draw(rng, sampling)
        kept: dict[str, list[bool]] = {}
        for level in LEVELS:
            bounds: Any = rb.rate_bounds(y, score, rate=wanted, sampling=sampling, level=level)
            for name, worth in WORTH.items():
                one = bounds.linear(rate, **dict(zip(("tp", "fp", "fn", "tn"), worth, strict=True)))
                kept.setdefault(name, []).append(
                    one.low - 1e-12 <= truths[name] <= one.high + 1e-12
                )
            both, middle = bounds.between(*RANGE), bounds.at(wanted[1])
            kept.setdefault("range", []).append(both.low <= ends[0] and ends[1] <= both.high)
            alone = middle.tpr_lower[0] <= ends[0] and ends[1] <= middle.tpr_upper[0]
            kept.setdefault("one rate", []).append(bool(alone))
        for name, each in kept.items():
            held.setdefault(name, []).append(each)
    return {name: np.mean(each, axis=0).tolist() for name, each in held.items()}


def main(sets: int = SETS) -> None:
    for sampling in ("full", "stratified"):
        for world in WORLDS:
            found = measure(world, sampling, sets)
            cells = (f"{k} " + " ".join(f"{v:.3f}" for v in row) for k, row in found.items())
            print(f"{sampling}, {world.name}: " + "; ".join(cells), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

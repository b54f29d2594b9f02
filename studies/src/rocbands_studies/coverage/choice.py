"""Statements about what was chosen on the same rows: the best threshold, the hull, and folds.

python -m rocbands_studies.coverage.choice threshold [sets]    rb.best_threshold, and the ordinary bootstrap
python -m rocbands_studies.coverage.choice h [sets]            rb.h_measure_interval, and plus/minus 1.96 se
python -m rocbands_studies.coverage.choice folds [sets]        rb.fold_auc_interval of persons with many rows

Shares of data sets, at .90, .95 and .99. `best`: limits of the population's best threshold; `sens`,
`spec`: those of the true rates of the threshold that was chosen; `best sens`, `best spec`: those of
the rates of the best threshold; `index`: those of its index. If several thresholds are best, the
limits must contain one of them. `bootstrap`: percentiles of stratified resamples with the choice
repeated in each, as `ci.coords(r, "best")` of pROC.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import beta

import rocbands as rb

LEVELS = (0.9, 0.95, 0.99)
SETS, DRAWS = 300, 300
Array = np.ndarray
Rng = np.random.Generator


class World(NamedTuple):
    """Survival functions of both classes, and their inverse on a grid; `step`: of tied scores."""

    pos: Callable[[Array], Array]
    neg: Callable[[Array], Array]
    low: float
    high: float
    step: float = 0.0

    @property
    def grid(self) -> Array:
        if self.step:
            return np.arange(self.low, self.high, self.step)
        return np.linspace(self.low, self.high, 20_001)

    def rates(self, cut: Any) -> tuple[Array, Array]:
        """True rates of score >= cut."""
        cut = np.clip(cut, self.low, self.high)
        if self.step:  # a score k * step stands for all within half a step
            cut = (np.ceil(cut / self.step - 1e-9) - 0.5) * self.step
        return self.neg(cut), self.pos(cut)

    def draw(self, rng: Rng, n_pos: int, n_neg: int, groups: int = 0) -> dict[str, Array]:
        y = np.repeat([1, 0], (n_pos, n_neg))
        z = rng.normal(size=y.size)
        rows: dict[str, Array] = {"y": y}
        if groups:  # intraclass correlation .5 on the normal scale
            rows["groups"] = rng.integers(groups, size=y.size)
            z = (z + rng.normal(size=groups)[rows["groups"]]) / np.sqrt(2.0)
        fine = np.linspace(self.low, self.high, 20_001)
        ends = (np.interp(ndtr(-z), side(fine)[::-1], fine[::-1]) for side in (self.pos, self.neg))
        s = np.where(y == 1, *ends)
        rows["s"] = np.round(s / self.step) * self.step if self.step else s
        return rows


def normal(auc: float, sd: float = 1.0, step: float = 0.0) -> World:
    mean = np.sqrt(1 + sd**2) * ndtri(auc)
    return World(lambda t: ndtr((mean - t) / sd), lambda t: ndtr(-t), -8.0, 12.0, step)


def boxes(*at: float) -> Callable[[Array], Array]:
    return lambda t: np.mean([np.clip(a + 1 - t, 0, 1) for a in at], axis=0)


def heaps(*at: float, first: float = 0.5) -> Callable[[Array], Array]:
    share = (first, 1 - first)
    return lambda t: sum(w * ndtr((a - t) / 0.3) for w, a in zip(share, at, strict=True))


def swell(t: Array) -> Array:
    t = np.asarray(t)
    return boxes(1.0, 2.0)(t) + 0.02 * np.where((t > 1) & (t < 2), np.sin(np.pi * (t - 1)), 0.0)


WORLDS = {
    "AUC .6": normal(0.6),
    "AUC .8": normal(0.8),
    "AUC .95": normal(0.95),
    "AUC .99": normal(0.99),
    "exponential, mean 4 : 1": World(
        lambda t: np.exp(-np.maximum(t, 0) / 4), lambda t: np.exp(-np.maximum(t, 0)), -1.0, 60.0
    ),
    "nearly flat optimum": World(swell, boxes(0.0, 1.0), -1.0, 4.0),
    "kink": World(lambda t: np.clip((2 - t) / 1.5, 0, 1), boxes(0.0), -1.0, 3.0),
    "two peaks": World(heaps(3.0, 0.0), heaps(1.5, -1.5, first=0.48), -5.0, 6.0),
    "AUC .8, 7 tied scores": normal(0.8, step=1.0),
}
Case = tuple[str, int, int, dict[str, Any]]
CHOICES: list[Case] = [
    *(("AUC .8", *sizes, {}) for sizes in ((20, 20), (50, 50), (200, 200), (20, 200))),
    *((name, 50, 50, {}) for name in WORLDS if name not in ("AUC .8", "AUC .99")),
    ("nearly flat optimum", 200, 200, {}),
    ("AUC .95", 20, 20, {}),
    ("AUC .8", 50, 50, {"criterion": "corner"}),
    ("AUC .8", 50, 50, {"costs": (1.0, 2.0)}),
    ("AUC .8", 150, 150, {"groups": 60}),
]


def keep_draws(module: str, function: str) -> None:
    """Draw once for all levels of a data set: their seeds and draws are the same."""
    inner = import_module(module)
    draw, last = getattr(inner, function), {}

    def draw_once(roc: rb.RocCurve, *others: Any) -> Any:
        if last.get("roc") is not roc:
            last.update(roc=roc, drawn=draw(roc, *others))
        return last["drawn"]

    setattr(inner, function, draw_once)


def find_best(world: World, criterion: str = "youden", ratio: float = 1.0) -> tuple[Array, ...]:
    """Best thresholds of a population, their rates, and the index."""
    grid = world.grid
    fpr, tpr = world.rates(grid)
    loss = ratio * fpr - tpr
    if criterion == "corner":
        loss = np.sqrt((1 - tpr) ** 2 + ratio * fpr**2)
    best = loss <= loss.min() + 1e-9
    return grid[best], tpr[best], 1 - fpr[best], np.abs(loss[best])


def holds(low: float, truth: Any, high: float) -> bool:
    return bool(np.any((low - 1e-9 <= truth) & (truth <= high + 1e-9)))


QUANTITIES = ("threshold", "sensitivity", "specificity", "best_sensitivity", "best_specificity", "index")  # fmt: skip


def resample(rng: Rng, rows: dict[str, Array], ratio: float, criterion: str) -> Array:
    """Threshold, rates and index of the choice in stratified resamples of the rows."""
    pos, neg = (np.sort(rows["s"][rows["y"] == label]) for label in (1, 0))
    cuts = np.unique(rows["s"])[::-1]
    shares = []
    for side in (neg, pos):
        at = np.searchsorted(cuts[::-1], side)
        drawn = rng.multinomial(side.size, np.bincount(at, minlength=cuts.size) / side.size, DRAWS)
        shares.append(np.cumsum(drawn[:, ::-1], axis=1) / side.size)
    fpr, tpr = shares
    loss = ratio * fpr - tpr
    if criterion == "corner":
        loss = np.sqrt((1 - tpr) ** 2 + ratio * fpr**2)
    at, every = np.argmin(loss, axis=1), np.arange(DRAWS)
    tpr, fpr = tpr[every, at], fpr[every, at]
    return np.stack((cuts[at], tpr, 1 - fpr, tpr, 1 - fpr, np.abs(loss[every, at])), axis=1)


def threshold_cells(sets: int) -> Iterator[tuple[str, dict[str, Array], Array]]:
    for number, (name, n_pos, n_neg, given) in enumerate(CHOICES):
        rng, world = np.random.default_rng([5, number]), WORLDS[name]
        groups = given.get("groups", 0)
        asked = {key: value for key, value in given.items() if key != "groups"}
        criterion, ratio = asked.get("criterion", "youden"), asked.get("costs", (1.0, 1.0))[1]
        best = find_best(world, criterion, ratio)
        held = {"here": np.zeros((3, 6)), "bootstrap": np.zeros((3, 6))}
        width = np.zeros((2, 6))
        for seed in range(sets):
            rows = world.draw(rng, n_pos, n_neg, groups)
            design = {"clusters": rows["groups"]} if groups else {}
            roc = rb.Sample(rows["y"], rows["s"], **design).roc
            drawn = resample(rng, rows, ratio, criterion)
            for k, level in enumerate(LEVELS):
                found = rb.best_threshold(roc, level=level, n_resamples=DRAWS, rng=seed, **asked)
                fpr, tpr = world.rates(found.threshold)
                truth = (best[0], tpr, 1 - fpr, *best[1:])
                ends = [
                    [getattr(found, f"{name}_{end}") for name in QUANTITIES]
                    for end in ("low", "high")
                ]
                plain = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
                for i, (kind, (low, high)) in enumerate({"here": ends, "bootstrap": plain}.items()):
                    held[kind][k] += [*map(holds, low, truth, high)]
                    if level == 0.95:
                        width[i] += np.clip(high, -10, 10) - np.clip(low, -10, 10)
        title = f"{name}, {n_pos}+{n_neg}" + "".join(f", {k}={v}" for k, v in given.items())
        yield title, {kind: table / sets for kind, table in held.items()}, width / sets


H_CASES: list[Case] = [
    *((name, *sizes, {}) for name in ("AUC .6", "AUC .8", "AUC .95", "AUC .99")
      for sizes in ((20, 20), (100, 100), (20, 500))),
    ("AUC .8", 1000, 1000, {}),
    ("AUC .6", 1000, 1000, {}),
    ("exponential, mean 4 : 1", 50, 50, {}),
    ("AUC .8, 7 tied scores", 50, 50, {}),
    ("AUC .8", 150, 150, {"groups": 60}),
]  # fmt: skip


def true_h(world: World, share: float) -> float:
    """H of a population at the default severity ratio, by integration over 2,000 costs."""
    c = beta.ppf((np.arange(2000) + 0.5) / 2000, 2, 1 + (1 - share) / share)[:, None]
    fpr, tpr = world.rates(world.grid[:: 1 if world.step else 10])
    fpr, tpr = np.append(fpr, 0.0), np.append(tpr, 0.0)
    loss = ((1 - share) * c * fpr + share * (1 - c) * (1 - tpr)).min(axis=1)
    return float(1 - loss.mean() / np.minimum((1 - share) * c, share * (1 - c)).mean())


def h_cells(sets: int) -> Iterator[tuple[str, float, float, Array, Array, float]]:
    for number, (name, n_pos, n_neg, given) in enumerate(H_CASES):
        rng, world = np.random.default_rng([6, number]), WORLDS[name]
        truth = true_h(world, n_pos / (n_pos + n_neg))
        held, estimates, width = np.zeros((2, 3)), [], 0.0
        for seed in range(sets):
            rows = world.draw(rng, n_pos, n_neg, given.get("groups", 0))
            design = {"clusters": rows["groups"]} if given else {}
            roc = rb.Sample(rows["y"], rows["s"], **design).roc
            for k, level in enumerate(LEVELS):
                found = rb.h_measure_interval(roc, level=level, n_resamples=100, rng=seed)
                held[0, k] += found.low <= truth <= found.high
                away = -ndtri((1 - level) / 2) * found.standard_error
                held[1, k] += abs(found.estimate - truth) <= away
                width += (found.high - found.low) * (level == 0.95)
            estimates.append(found.estimate)
        title = f"{name}, {n_pos}+{n_neg}" + "".join(f", {k}={v}" for k, v in given.items())
        yield title, truth, float(np.mean(estimates)), held[0] / sets, held[1] / sets, width / sets


def fold_cells(sets: int) -> Iterator[tuple[str, dict[str, Array]]]:
    for number, (persons, auc) in enumerate(((30, 0.8), (100, 0.7), (100, 0.8), (100, 0.95))):
        rng = np.random.default_rng([7, number])
        held: dict[str, Array] = {}
        for _ in range(sets):
            g = np.repeat(np.arange(persons), rng.integers(2, 9, persons))
            y = rng.random(g.size) < rng.beta(1.0, 1.0, persons)[g]
            s = (rng.normal(size=persons)[g] + rng.normal(size=g.size)) / np.sqrt(2)
            s += np.sqrt(2) * ndtri(auc) * y
            whole = g % 5
            asked = {
                "influence": (rb.Sample(y, s, folds=whole, clusters=g), "influence"),
                "score": (rb.Sample(y, s, folds=whole, clusters=g), "score"),
                "influence, persons ignored": (rb.Sample(y, s, folds=whole), "influence"),
                "the same, rows of a person in several folds": (
                    rb.Sample(y, s, folds=rng.permutation(g.size) % 5),
                    "influence",
                ),
            }
            for k, level in enumerate(LEVELS):
                for name, (sample, method) in asked.items():
                    found = rb.fold_auc_interval(sample, method=method, level=level)
                    held.setdefault(name, np.zeros(3))[k] += found.low <= auc <= found.high
        yield f"{persons} persons, AUC {auc}", {name: count / sets for name, count in held.items()}


def write(shares: Any) -> str:
    return " ".join(f"{share:.3f}".removeprefix("0") for share in shares)


def main(what: str = "threshold", number: str = str(SETS)) -> None:
    sets = int(number)
    if what == "threshold":
        keep_draws("rocbands.points.best_threshold", "_draw_choices")
        print("| population | limits |", " | ".join(QUANTITIES), "| width of each at .95 |")
        for title, held, width in threshold_cells(sets):
            for i, (kind, table) in enumerate(held.items()):
                cells = " | ".join(write(column) for column in table.T)
                wide = " ".join(f"{one:.2f}" for one in width[i])
                print(f"| {title} | {kind} | {cells} | {wide} |", flush=True)
    elif what == "h":
        keep_draws("rocbands.cost.h_measure", "_draw")
        print("| population | true H | mean estimate | limits | estimate and se | width at .95 |")
        for title, truth, mean, here, plain, wide in h_cells(sets):
            row = f"{truth:.3f} | {mean:.3f} | {write(here)} | {write(plain)} | {wide:.2f}"
            print(f"| {title} | {row} |", flush=True)
    else:
        for title, shares in fold_cells(sets):
            for name, three in shares.items():
                print(f"| {title} | {name} | {write(three)} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""How often bands of a difference hold where a curve has a bump.

``python -m rocbands_studies.coverage.bumps [sets] [seed]``

Each line is a population of two models on the same rows and a size, positives + negatives. "Linear"
is the band whose limits take slopes for constant, as everywhere where no curve has a bump; both
bands have the same critical value. Shares of data sets in which the whole true difference is inside
at FPR .05 to .95, and in which a model is called better anywhere (wrong if the models are equal),
and the mean width of the band over that of the linear one. `seed` draws five of the populations
that had no part in the choice of the rule.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

import rocbands as rb
from rocbands.comparison.difference_spread import estimate_spread
from rocbands.comparison.grid_curve import CurveAtGrid, build_grid, count_cases
from rocbands.comparison.joint_limits import JointSpread, widen_at_bumps
from rocbands.core.data import read_pair
from rocbands_studies.coverage.worlds import (
    NORMAL,
    Blend,
    Law,
    TwoModels,
    crossing,
    exponential,
    shifted,
)

SETS = 150
DRAWS = 600  # curves of a band
GRID = build_grid(0.05, 0.95)
FINE = np.interp(np.linspace(0, GRID.size - 1, 8 * GRID.size - 7), np.arange(GRID.size), GRID)
Sizes = tuple[int, int]
Cell = tuple[TwoModels, Sizes]
EVEN, FEW_POSITIVES = (140, 140), (60, 300)


@dataclass(frozen=True)
class Pieces(Law):
    """Uniform scores in each of several pieces of length 1, from the lowest one."""

    kind: str = "pieces"
    shares: tuple[float, ...] = (1.0,)

    @property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        total = np.cumsum([0.0, *self.shares])
        return total / total[-1], np.arange(total.size, dtype=float)

    def ppf(self, u: np.ndarray) -> np.ndarray:
        return np.interp(u, *self.table)

    def survival(self, threshold: np.ndarray) -> np.ndarray:
        return 1.0 - np.interp(threshold, *self.table[::-1])

    def thresholds(self) -> np.ndarray:
        return self.table[1]

    def ends(self) -> tuple[float, float]:
        return 0.0, float(len(self.shares))


def mix(laws: Iterable[Law], shares: Iterable[float]) -> Law:
    """Join several laws, each with its share."""
    (first, *others), (share, *rest) = tuple(laws), tuple(shares)
    if not others:
        return first
    return Blend(share=share / (share + sum(rest)), first=first, second=mix(others, rest))


def pool(
    offsets: Iterable[float], d: float, sd: float = 1.0, shares: Iterable[float] | None = None,
    of_pos: Iterable[float] | None = None, kind: str = "norm", shape: tuple[float, ...] = (),
) -> tuple[Law, Law]:  # fmt: skip
    """Negatives and positives of pooled sites, whose scores have different offsets."""
    offsets = tuple(offsets)
    shares = tuple(shares or (1.0 / len(offsets),) * len(offsets))
    return (
        mix((Law(kind, at, sd, shape) for at in offsets), shares),
        mix((Law(kind, at + d, sd, shape) for at in offsets), of_pos or shares),
    )


@dataclass(frozen=True)
class OneSite(TwoModels):
    """Equal models whose scores have the same offset in the half of the rows of one site."""

    offset: float = 0.0
    d: float = 1.0

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[np.ndarray, ...]:
        labels = np.repeat([1, 0], [n_pos, n_neg])
        one, other = rng.normal(size=(2, labels.size))
        two = self.rho[0] * one + np.sqrt(1 - self.rho[0] ** 2) * other
        level = self.offset * (rng.random(labels.size) < 0.5) + self.d * labels
        return labels, level + one, level + two


def pair(
    name: str, one: tuple[Law, Law], two: tuple[Law, Law] | None = None, rho: float = 0.0
) -> TwoModels:
    """Join two models, the second one with normal scores of mean 1.5 unless given."""
    other = two or (NORMAL, Law("norm", 1.5))
    return TwoModels(name, (one[0], other[0]), (one[1], other[1]), (rho, rho))


def step(neg: Iterable[float], pos: Iterable[float]) -> tuple[Law, Law]:
    return Pieces(shares=tuple(neg)), Pieces(shares=tuple(pos))


SITES = [
    pair(f"two sites, offset {off:g}, d {d:g}", pool((0, off), d)) for off, d in ((3, 1.5), (5, 2))
]
SITES += [
    pair("two sites, 6, 3", pool((0, 6), 3)),
    pair("two sites, 4, 2, sd .6", pool((0, 4), 2, 0.6)),
    pair("two sites, 10, 3", pool((0, 10), 3)),
    pair("6, 3, a fifth at site 2", pool((0, 6), 3, shares=(0.8, 0.2))),
    pair("6, 3, 30% of neg., 60% of pos.", pool((0, 6), 3, 1.0, (0.7, 0.3), (0.4, 0.6))),
    pair("pieces 90/10 x 3", step((0.9, 0.1) * 3, (0.1, 0.9) * 3)),
    pair("pieces 75/25 x 4", step((0.75, 0.25) * 4, (0.25, 0.75) * 4)),
    pair("one vertical step", step((0.5, 0, 0.5), (0.25, 0.3, 0.45))),
    pair("two pure steps", step((1, 0, 1, 0, 1), (0, 1, 0, 1, 0))),
    pair("three pure steps", step((1, 0, 1, 0, 1, 0, 1), (0, 1, 0, 1, 0, 1, 0))),
]
EQUAL = [
    OneSite(
        f"equal, offset {off:g}, d {d:g}, rho {rho:g}",
        *zip(*[pool((0, off), d)] * 2, strict=True),
        (rho, rho),
        offset=off,
        d=d,
    )
    for off, d in ((5.0, 2.0), (6.0, 3.0), (10.0, 3.0))
    for rho in (0.7, 0.98)
]
# Populations that had no part in the choice of the rule.
T3 = {"kind": "t", "shape": (3.0,)}
OTHERS: list[Cell] = [
    (pair("three batches, t with 3 df", pool((0, 5, 11), 2.5, shares=(0.5, 0.3, 0.2), **T3)), (90, 150)),
    (pair("exponential scores, offset 6", pool((0, 6), 2, kind="expon")), (150, 110)),
    (
        pair("bumps at other places, rho .5", pool((0, 7), 2.5),
             pool((0, 7), 2.5, shares=(0.2, 0.8)), 0.5),
        (130, 130),
    ),
    (
        pair("a tenth of the negatives above all", (mix((NORMAL, Law("norm", 9)), (0.9, 0.1)), Law("norm", 2)), rho=0.3),
        (100, 180),
    ),
    (pair("equal, offset 7, rho .5", *[pool((0, 7), 2.5, 0.8)] * 2, rho=0.5), (160, 160)),
]  # fmt: skip
FEATURE = mix((Law("norm", 0, 0.01), Law("norm", 9, 0.01)), (0.95, 0.05))
FEATURE_POS = mix((Law("norm", 0, 0.01), Law("norm", 9, 0.01)), (0.4, 0.6))
ORDINARY: list[Cell] = [
    (shifted(0.6, 0.0), EVEN),
    (shifted(0.6, 0.5), EVEN),
    (shifted(0.99, 0.1), EVEN),
    (shifted(0.6, 0.5), (30, 30)),
    (shifted(0.6, 0.3, 1.0), (500, 500)),
    (shifted(0.6, 0.0, 2.326), EVEN),
    (shifted(0.6, 0.4, 2.9), FEW_POSITIVES),
    (shifted(0.6, 0.5, step=1.0), EVEN),
    (shifted(0.6, 0.5, step=0.5), FEW_POSITIVES),
    (exponential(0.6, 3.0, 6.0), EVEN),
    (pair("four concave pieces", step((4, 3, 2, 1), (1, 2, 3, 4)), rho=0.4), EVEN),
    (pair("a yes/no feature (.05, .6)", (FEATURE, FEATURE_POS)), FEW_POSITIVES),
]
# Few negatives and many positives.
FEW: list[TwoModels] = [
    crossing(0.0, 0.5),
    pair("sd .5 and 2", (NORMAL, Law("norm", 1.5, 0.5)), (NORMAL, Law("norm", 1.5, 2.0)), 0.5),
    pair("a yes/no feature (.05, .6)", (FEATURE, FEATURE_POS)),
    shifted(0.6, 0.0),
]


def draw_cell(rng: np.random.Generator) -> Cell:
    """Draw a population of pooled sites and a size."""
    count = int(rng.integers(2, 5))
    offsets = np.round(np.cumsum(rng.uniform(2, 8, count)), 1).tolist()
    shares, of_pos = np.round(rng.dirichlet([4.0] * count, 2) + 0.005, 2).tolist()
    d, sd, other, rho = np.round(rng.uniform([1, 0.5, 0.5, 0], [3.5, 1.5, 2, 0.8]), 2).tolist()
    sizes = np.rint(np.exp(rng.uniform(np.log(60), np.log(300), 2))).astype(int).tolist()
    name = f"sites {offsets}, shares {shares} {of_pos}, d {d:g} sd {sd:g}; {other:g}; rho {rho:g}"
    one = pool(offsets, d, sd, shares, of_pos)
    return pair(name, one, (NORMAL, Law("norm", other)), rho), (sizes[0], sizes[1])


def start_draws(cell: Cell, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, *cell[1], *cell[0].name.encode()])


def find_both(
    rows: tuple[np.ndarray, ...], level: float, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Limits of the linear band and of the band, at the same critical value."""
    asked = read_pair(*rows)
    sizes = count_cases(asked.curves, paired=True)
    one, two = (
        CurveAtGrid.from_curve(roc, GRID, own) for roc, own in zip(asked.curves, sizes, strict=True)
    )
    spread = widen_at_bumps(estimate_spread(asked, one, two), (one, two), sizes[0])
    value = spread.find_critical_value(level, DRAWS, rng).value
    limits = spread.find_limits(value)
    linear = spread.linear.find_limits(value) if isinstance(spread, JointSpread) else limits
    return [linear, limits]


def measure(cell: Cell, sets: int, level: float = 0.95, seed: int = 1) -> np.ndarray:
    """Share that holds, share with a better model, and mean width, of both bands: (2, 3)."""
    world, sizes = cell
    rng, found = start_draws(cell, seed), np.zeros((2, 3))
    truth = world.truth(FINE)
    for _ in range(sets):
        for kind, (lower, upper) in enumerate(find_both(world.draw(rng, *sizes), level, rng)):
            low, high = (np.interp(FINE, GRID, limit) for limit in (lower, upper))
            holds = ((low <= truth + 1e-12) & (truth <= high + 1e-12)).all()
            better = (lower > 0).any() or (upper < 0).any()
            found[kind] += holds, better, (upper - lower).mean()
    return found / sets


def measure_point(
    cell: Cell, sets: int, fpr: float = 0.1, level: float = 0.95, seed: int = 1
) -> np.ndarray:
    """Share of limits of `compare_tpr` that hold, and width: linear ones, and those of today."""
    world, sizes = cell
    rng, found = start_draws(cell, seed), np.zeros((2, 2))
    truth = float(world.truth(np.array([fpr]))[0])
    for _ in range(sets):
        rows = world.draw(rng, *sizes)
        with patch("rocbands.comparison.compare_tpr.widen_at_one_point", lambda spread, *_: spread):
            linear = rb.compare_tpr(*rows, fpr=fpr, level=level)
        for kind, one in enumerate((linear, rb.compare_tpr(*rows, fpr=fpr, level=level))):
            found[kind] += one.low <= truth <= one.high, one.high - one.low
    return found / sets


def measure_time(world: TwoModels, rows: int) -> tuple[float, float]:
    """Seconds of a band without and with the search for bumps, the best of three."""
    labels, one, two = world.draw(np.random.default_rng(1), rows // 2, rows // 2)
    sample = rb.Sample(labels, {"one": one, "two": two})
    best = []
    for replaced in (lambda spread, *_: spread, widen_at_bumps):
        with patch("rocbands.comparison.difference_band.widen_at_bumps", replaced):
            times = []
            for _ in range(3):
                start = time.perf_counter()
                rb.difference_band(sample)
                times.append(time.perf_counter() - start)
            best.append(min(times))
    return best[0], best[1]


def report(title: str, cells: Iterable[Cell], sets: int, level: float = 0.95) -> None:
    """Print the table of some cells."""
    print(f"\n{title}, level {level:g}, {sets} sets\n")
    print("| population | size | holds: linear -> now | better: linear -> now | width |")
    print("|---|---|---|---|---|")
    for world, (n_pos, n_neg) in cells:
        (hold, flag, wide), (holds, flags, width) = measure((world, (n_pos, n_neg)), sets, level)
        print(
            f"| {world.name} | {n_pos}+{n_neg} | {hold:.3f} -> {holds:.3f} | "
            f"{flag:.3f} -> {flags:.3f} | {width / wide:.2f} |",
            flush=True,
        )


def main(sets: int = SETS, seed: int = 20) -> None:
    rng = np.random.default_rng(seed)
    report("Bumps", [(world, size) for world in SITES for size in (EVEN, FEW_POSITIVES)], sets)
    report("Bumps", [(world, EVEN) for world in SITES], sets, 0.9)
    cells = [(world, size) for world in EQUAL for size in (EVEN, FEW_POSITIVES)]
    report("Equal models with a bump", cells, sets)
    report("No part in the choice", OTHERS, sets)
    report(f"Drawn, seed {seed}", [draw_cell(rng) for _ in range(5)], sets)
    report("Ordinary pairs", ORDINARY, sets)
    report("Few negatives", [(world, (200, 20)) for world in FEW], sets)
    print(f"\ncompare_tpr at fpr .1, {sets} sets\n\n| population | size | holds | width |")
    print("|---|---|---|---|")
    for world in FEW:
        for size in ((300, 30), (500, 50), (400, 100)):
            (hold, wide), (holds, width) = measure_point((world, size), sets)
            print(
                f"| {world.name} | {size[0]}+{size[1]} | {hold:.3f} -> {holds:.3f} | "
                f"{width / wide:.2f} |",
                flush=True,
            )
    print("\n| a million rows | linear, s | now, s | ratio |\n|---|---|---|---|")
    for world in (shifted(0.6, 0.5), SITES[2]):
        before, after = measure_time(world, 10**6)
        print(f"| {world.name} | {before:.2f} | {after:.2f} | {after / before:.2f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

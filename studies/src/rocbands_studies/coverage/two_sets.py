"""Two test sets and groups of people: limits with bends, and limits of straight lines beside them.

python -m rocbands_studies.coverage.two_sets bands 900     difference bands, 900 pairs of sets a cell
python -m rocbands_studies.coverage.two_sets groups 900    all pairs of several groups
python -m rocbands_studies.coverage.two_sets rates 900     differences at one false positive rate

A further number is that of the first cell to be measured.
Both kinds of limits see the same sets and the same critical values, at .95 and .90. Shares are
those of sets in which the true difference is not inside; for equal curves that is a false alarm.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

import rocbands as rb
from rocbands._math.products import find_root
from rocbands.comparison.difference_band import choose_fpr_range
from rocbands.comparison.difference_spread import UnpairedSpread
from rocbands.comparison.grid_curve import CurveAtGrid, build_grid
from rocbands.comparison.group_differences import _find_critical_value
from rocbands.resample.gaussian_maximum import CriticalValue, draw_normal
from rocbands_studies.coverage.linear_arms import linear_limits

LEVELS = (0.95, 0.90)
DRAWS = 1000  # of difference curves for a critical value
RATES = np.array([0.05, 0.1, 0.2, 0.5])
Array = np.ndarray
Sizes = tuple[int, int]


@dataclass(frozen=True)
class Population:
    """Scores of negatives are minus a uniform number, so that a score is minus an fpr."""

    name: str
    tpr: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    levels: int = 0  # of tied scores, evenly spaced in fpr

    def draw(self, rng: np.random.Generator, sizes: Sizes) -> rb.RocCurve:
        place = np.concatenate([self.inverse(rng.random(sizes[0])), rng.random(sizes[1])])
        if self.levels:
            place = np.floor(place * self.levels)
        return rb.roc_curve(np.repeat([1, 0], sizes), -place)

    def truth(self, fpr: Array) -> Array:
        if not self.levels:
            return self.tpr(fpr)
        ends = np.arange(self.levels + 1) / self.levels
        return np.interp(fpr, ends, self.tpr(ends))


def straight(name: str, *corners: tuple[float, float], levels: int = 0) -> Population:
    """Straight pieces between corners."""
    x, y = np.array([(0.0, 0.0), *corners, (1.0, 1.0)]).T
    return Population(name, lambda u: np.interp(u, x, y), lambda v: np.interp(v, y, x), levels)


def corner(x: float, y: float, levels: int = 0) -> Population:
    tied = f", {levels} levels" if levels else ""
    return straight(f"corner ({x:g}, {y:g}){tied}", (x, y), levels=levels)


def normal(d: float, sd: float = 1.0, levels: int = 0) -> Population:
    return Population(
        f"normal d {d:g}" + f", sd {sd:g}" * (sd != 1.0) + f", {levels} levels" * bool(levels),
        lambda u: ndtr((d + ndtri(u)) / sd),
        lambda v: ndtr(sd * ndtri(v) - d),
        levels,
    )


def student(df: float, d: float) -> Population:
    return Population(
        f"t with {df:g} df, d {d:g}",
        lambda u: stdtr(df, d + stdtrit(df, u)),
        lambda v: stdtr(df, stdtrit(df, v) - d),
    )


def power(k: float) -> Population:
    """Exponential scores."""
    return Population(f"exponential, x^(1/{k:g})", lambda u: u ** (1 / k), lambda v: v**k)


def feature(x: float, y: float, d: float) -> Population:
    """A feature with the rates x and y, and a normal score among those who have it or not."""

    def tpr(u: Array) -> Array:
        within = np.where(u < x, u / x, (u - x) / (1 - x))
        height = ndtr(d + ndtri(within))
        return np.where(u < x, y * height, y + (1 - y) * height)

    def inverse(v: Array) -> Array:
        within = np.where(v < y, v / y, (v - y) / (1 - y))
        place = ndtr(ndtri(within) - d)
        return np.where(v < y, x * place, x + (1 - x) * place)

    return Population(f"feature ({x:g}, {y:g}) and d {d:g}", tpr, inverse)


def stairs(steps: int) -> Population:
    """Flat and steep pieces in turn around a normal curve."""
    x = np.arange(1, 2 * steps) / (2 * steps)
    y = ndtr(1.5 + ndtri(x))
    return straight(f"{steps} steps", *zip(x[::2], np.append(y[1::2], y[-1]), strict=True))


OPPOSITE, UNEQUAL, EQUAL = ((30, 300), (300, 30)), ((50, 50), (250, 250)), ((150, 150), (150, 150))
Cell = tuple[Population, Population, tuple[Sizes, Sizes]]


def same(population: Population, *sizes: tuple[Sizes, Sizes]) -> list[Cell]:
    return [(population, population, both) for both in sizes]


def band_cells() -> list[Cell]:
    known = [corner(0.1, 0.9), feature(0.1, 0.9, 0.5), student(2, 1.5), normal(1.5)]
    cells = [cell for one in known for cell in same(one, UNEQUAL, OPPOSITE, EQUAL)]
    # Others; the second line of sizes is that of two test sets of one model in two years.
    cells += same(corner(0.15, 0.75), ((35, 250), (250, 35)), ((60, 60), (60, 60)))
    cells += same(corner(0.3, 0.7), ((40, 160), (160, 40)))
    cells += same(corner(0.1, 0.9, levels=20), ((50, 500), (500, 50)), ((50, 50), (250, 250)))
    cells += same(
        straight("corners (.05, .4), (.3, .9)", (0.05, 0.4), (0.3, 0.9)), ((40, 200), (200, 40))
    )
    cells += same(stairs(5), ((100, 100), (100, 100)), ((25, 250), (250, 25)))
    cells += same(student(3, 2.0), ((25, 250), (250, 25)))
    cells += same(student(1, 3.0), ((60, 60), (300, 300)))
    cells += same(feature(0.2, 0.95, 0.3), ((80, 80), (80, 80)))
    cells += same(power(4), ((30, 300), (300, 30)))
    cells += same(normal(1.0, 3.0), ((45, 450), (450, 45)))
    cells += same(normal(3.3), ((100, 100), (50, 500)))
    cells += same(normal(1.0), ((20, 20), (20, 20)))
    cells += same(normal(1.2, levels=8), ((60, 200), (200, 60)))
    cells += same(normal(1.5), ((1000, 1000), (1000, 1000)))
    # Curves that differ.
    cells += [
        (corner(0.1, 0.9), normal(1.8), ((70, 70), (200, 200))),
        (student(2, 2.0), normal(1.0), ((40, 300), (300, 40))),
        (normal(1.8), normal(1.0), ((100, 100), (100, 100))),
        (normal(1.5), normal(0.8), ((60, 300), (300, 60))),
        (power(5), power(2), ((50, 150), (150, 50))),
        (stairs(5), normal(0.8), ((120, 120), (120, 120))),
    ]
    return cells


def find_values(spread: UnpairedSpread, rng: np.random.Generator) -> list[float]:
    """Critical values of all levels from the same draws."""
    error = np.sqrt(spread.variance)
    root = find_root(spread.covariance / np.outer(error, error))
    maxima = np.abs(draw_normal(root, DRAWS, rng)).max(axis=1)
    return [
        max(CriticalValue.from_draws(maxima, level).value, float(ndtri((1 + level) / 2)))
        for level in LEVELS
    ]


def judge(limits: tuple[Array, Array], fpr: Array, fine: Array, truth: Array) -> Array:
    """Whether the truth is missed, the mean width, and whether 0 is outside somewhere."""
    lower, upper = limits
    low, high = (np.interp(fine, fpr, limit) for limit in limits)
    missed = ((truth < low - 1e-12) | (truth > high + 1e-12)).any()
    width = np.trapezoid(upper - lower, fpr) / (fpr[-1] - fpr[0])
    return np.array([missed, width, (lower > 0).any() or (upper < 0).any()])


def measure_bands(cell: Cell, sets: int, seed: int) -> Array:
    """Shape (2 kinds, 2 levels, 3): mean of what `judge` says."""
    one, two, sizes = cell
    rng, found = np.random.default_rng(seed), np.zeros((2, len(LEVELS), 3))
    grid = build_grid(*choose_fpr_range(min(n for _, n in sizes)))
    fine = np.interp(np.arange(0, 100.01, 0.125), np.arange(101), grid)
    truth = one.truth(fine) - two.truth(fine)
    for _ in range(sets):
        curves = (who.draw(rng, size) for who, size in zip((one, two), sizes, strict=True))
        spread = UnpairedSpread.add_up(*(CurveAtGrid.from_curve(roc, grid) for roc in curves))
        for at, value in enumerate(find_values(spread, rng)):
            for kind, limits in enumerate(
                (linear_limits(spread, value), spread.find_limits(value))
            ):
                found[kind, at] += judge(limits, grid, fine, truth) / sets
    return found


def group_cells() -> list[tuple[Population, tuple[Sizes, ...], str]]:
    opposite = ((60, 600), (600, 60))
    return [
        (corner(0.1, 0.9), opposite, "pairs"),
        (feature(0.1, 0.9, 0.5), opposite, "pairs"),
        (student(2, 1.5), opposite, "pairs"),
        (normal(1.5), opposite, "pairs"),
        (corner(0.15, 0.75), ((40, 400), (400, 40), (150, 150)), "pairs"),
        (student(3, 2.0), ((40, 400), (400, 40), (150, 150)), "pairs"),
        (stairs(5), ((50, 200), (200, 50), (100, 100)), "pairs"),
        (normal(1.0), ((40, 40),) * 4, "pairs"),
        (normal(1.2, levels=8), ((50, 100),) * 3, "pairs"),
    ]


def measure_groups(cell: tuple[Population, tuple[Sizes, ...], str], sets: int, seed: int) -> Array:
    """The same for all pairs of groups with one true curve: missed by any pair, mean width."""
    population, sizes, _ = cell
    rng, found = np.random.default_rng(seed), np.zeros((2, len(LEVELS), 3))
    grid = build_grid(0.05, 0.95)
    for _ in range(sets):
        curves = {str(k): population.draw(rng, size) for k, size in enumerate(sizes)}
        at_grid = {name: CurveAtGrid.from_curve(roc, grid) for name, roc in curves.items()}
        spreads = {
            pair: UnpairedSpread.add_up(*(at_grid[name] for name in pair))
            for pair in combinations(curves, 2)
        }
        draws = int(rng.integers(1 << 40))
        for at, level in enumerate(LEVELS):
            seeded = np.random.default_rng(draws)  # the same draws at all levels
            value = _find_critical_value(at_grid, spreads, level, DRAWS, seeded).value
            for kind in (0, 1):
                judged = [
                    judge(
                        spread.find_limits(value)
                        if kind
                        else linear_limits(spread, value, several=len(sizes) > 2),
                        *(grid, grid, 0.0 * grid),
                    )
                    for spread in spreads.values()
                ]
                missed, width, flagged = np.array(judged).T
                found[kind, at] += np.array([missed.any(), width.mean(), flagged.any()]) / sets
    return found


def rate_cells() -> list[Cell]:
    cells = [
        cell
        for one in (corner(0.1, 0.9), feature(0.1, 0.9, 0.5), student(2, 1.5), normal(1.5))
        for cell in same(one, UNEQUAL, OPPOSITE, EQUAL)
    ]
    cells += same(corner(0.2, 0.8), ((40, 400), (400, 40)), ((80, 80), (80, 80)))
    cells += same(corner(0.05, 0.95), ((100, 100), (100, 100)), ((40, 400), (400, 40)))
    cells += same(corner(0.1, 0.9), ((1000, 1000), (1000, 1000)), ((500, 500), (500, 500)))
    cells += same(normal(3.3), ((100, 100), (50, 500)))
    cells += same(normal(1.0), ((20, 20), (20, 20)), ((500, 500), (500, 500)))
    cells += same(normal(1.2, levels=8), ((60, 200), (200, 60)))
    cells += [
        (normal(1.8), normal(1.0), ((100, 100), (100, 100))),
        (corner(0.1, 0.9), normal(1.8), ((70, 70), (200, 200))),
    ]
    return cells


def measure_rates(cell: Cell, sets: int, seed: int) -> Array:
    """Shape (2 kinds, 2 levels, 3, rates): missed, width, 0 outside, at each rate alone."""
    one, two, sizes = cell
    rng, found = np.random.default_rng(seed), np.zeros((2, len(LEVELS), 3, RATES.size))
    truth = one.truth(RATES) - two.truth(RATES)
    for _ in range(sets):
        curves = (who.draw(rng, size) for who, size in zip((one, two), sizes, strict=True))
        spread = UnpairedSpread.add_up(*(CurveAtGrid.from_curve(roc, RATES) for roc in curves))
        for at, level in enumerate(LEVELS):
            value = float(ndtri((1 + level) / 2))
            for kind, (low, high) in enumerate(
                (linear_limits(spread, value), spread.find_limits(value))
            ):
                missed = (truth < low - 1e-12) | (truth > high + 1e-12)
                found[kind, at] += np.array([missed, high - low, (low > 0) | (high < 0)]) / sets
    return found


def main(what: str, sets: int, first: int = 0) -> None:
    print("| | sizes | linear .95, .90 | region .95, .90 | width .95, .90 | any 0 outside at .95 |")
    print("|---|---|---|---|---|---|")
    measure = {"bands": measure_bands, "groups": measure_groups}
    if what == "rates":
        main_rates(sets, first)
        return
    cells = band_cells() if what == "bands" else group_cells()
    for number, cell in enumerate(cells):
        if number < first:
            continue
        if what == "bands":
            one, two, sizes = cell
            name = one.name if one is two else f"{one.name} / {two.name}"
        else:
            name, sizes = cell[0].name, cell[1]
        found = measure[what](cell, sets, 33_000 + number)
        shown = " / ".join(f"{m}+{n}" for m, n in sizes)
        (old, new), wider = found[:, :, 0], found[1, :, 1] / found[0, :, 1]
        flagged = found[:, 0, 2]
        print(
            f"| {name} | {shown} | {old[0]:.3f}, {old[1]:.3f} | {new[0]:.3f}, {new[1]:.3f} | "
            f"{wider[0]:.2f}, {wider[1]:.2f} | {flagged[0]:.3f}, {flagged[1]:.3f} |",
            flush=True,
        )


def main_rates(sets: int, first: int = 0) -> None:
    for number, (one, two, sizes) in enumerate(rate_cells()):
        if number < first:
            continue
        found = measure_rates((one, two, sizes), sets, 34_000 + number)
        name = one.name if one is two else f"{one.name} / {two.name}"
        shown = " / ".join(f"{m}+{n}" for m, n in sizes)
        for at, rate in enumerate(RATES):
            (old, new), wider = found[:, :, 0, at], found[1, :, 1, at] / found[0, :, 1, at]
            flagged = found[:, 0, 2, at]
            print(
                f"| {name}, fpr {rate:g} | {shown} | {old[0]:.3f}, {old[1]:.3f} | {new[0]:.3f}, "
                f"{new[1]:.3f} | {wider[0]:.2f}, {wider[1]:.2f} | {flagged[0]:.3f}, "
                f"{flagged[1]:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:] or ["200"]))

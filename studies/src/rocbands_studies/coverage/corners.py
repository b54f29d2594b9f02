"""Critical values of the likelihood band at corners: ``python -m rocbands_studies.coverage corners [table]``.

Draws test sets from known curves, computes the statistic of the true curve once, and compares it
with two critical values: the one that :mod:`rocbands` uses, and the one without corners, running
maximum and lower bounds, chance plus excess. Tables: ``corners``, ``law`` (the populations of
tests/golden/likelihood_law.csv), ``areas``, ``future``, ``designs``; all without an argument.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy import stats
from scipy.special import ndtr

from rocbands.core.tolerance import SLACK
from rocbands.likelihood.calibration import find_critical_values, find_excess
from rocbands.likelihood.chance import LEVELS, critical_value, curve_statistics
from rocbands.likelihood.region import LikelihoodRegion
from rocbands_studies import Binormal, Exponential, Mixture, Normal, Pair
from rocbands_studies.checkout import GOLDEN
from rocbands_studies.coverage import worlds as w

SHOWN = (0.95, 0.90)
SETS = 900
SEED = 33
LAW = GOLDEN / "likelihood_law.csv"
Columns = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Population:
    """A true curve, a polyline; test sets are drawn from it."""

    name: str
    x: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)

    @property
    def swapped(self) -> Population:
        """Classes swapped: it has the same statistic and the same critical value."""
        return Population(self.name, 1 - self.y[::-1], 1 - self.x[::-1])

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int, sets: int) -> np.ndarray:
        """Negatives that precede each positive, one row for each set."""
        at = np.sort(np.interp(rng.random((sets, n_pos)), self.y, self.x), axis=1)
        shares = np.diff(at, axis=1, prepend=0.0, append=1.0)
        return np.cumsum(rng.multinomial(n_neg, shares / shares.sum(axis=1)[:, None]), axis=1)[
            :, :-1
        ]


@dataclass(frozen=True)
class Cell:
    """Drawn test sets of one population: their orders and the statistic of the true curve."""

    population: Population
    n_pos: int
    n_neg: int
    orders: np.ndarray = field(repr=False)
    statistics: np.ndarray = field(repr=False)

    def vertices(self) -> Iterator[Columns]:
        """Cumulative counts of each set, before and after each positive."""
        tp = np.arange(self.n_pos + 1).repeat(2)
        for fp in self.orders:
            yield np.concatenate(([0], fp.repeat(2), [self.n_neg])), tp

    @property
    def aucs(self) -> np.ndarray:
        return 1 - self.orders.mean(axis=1) / self.n_neg

    def values(self, levels: Iterable[float] = SHOWN) -> np.ndarray:
        """The package's critical values, one row for each set."""
        found = [
            find_critical_values("curve", fp, tp, list(levels), None, 0, auc=float(auc))
            for (fp, tp), auc in zip(self.vertices(), self.aucs, strict=True)
        ]
        return np.array([[one.critical_value for one in row] for row in found])

    def plain_values(self, levels: Iterable[float] = SHOWN) -> np.ndarray:
        """Critical values without what corners and few cases add: chance plus excess."""
        levels = list(levels)
        at = np.searchsorted(LEVELS, np.array(levels) - SLACK)
        chance = np.array([critical_value(self.n_pos, self.n_neg, level) for level in levels])
        excess = [find_excess(float(auc), self.n_pos, self.n_neg)[at] for auc in self.aucs]
        return np.maximum(chance + np.array(excess), SLACK)

    def coverages(self, values: np.ndarray) -> np.ndarray:
        return (self.statistics[:, None] <= values + SLACK).mean(axis=0)


def draw_cell(population: Population, n_pos: int, n_neg: int, sets: int = SETS) -> Cell:
    """Draw test sets and compute their statistics; the smaller class becomes the positives."""
    if n_pos > n_neg:
        population, n_pos, n_neg = population.swapped, n_neg, n_pos
    name = [ord(letter) for letter in population.name]
    rng = np.random.default_rng([SEED, n_pos, n_neg, *name])
    orders = population.draw(rng, n_pos, n_neg, sets)
    parts = iter(np.arange(sets))

    def take(count: int) -> np.ndarray:
        return orders[[next(parts) for _ in range(count)]]

    curve = population.x[1:-1], population.y[1:-1]
    statistics = curve_statistics(curve, take, n_pos, n_neg, sets)
    return Cell(population, n_pos, n_neg, orders, statistics)


# ------------------------------------------------------------------ populations

_EVEN = np.linspace(0.0, 1.0, 401)
_PROBITS = np.linspace(-7.0, 7.0, 601)


def pieces(*points: tuple[float, float], name: str = "") -> Population:
    """Straight pieces through given points."""
    x, y = np.array([(0.0, 0.0), *points, (1.0, 1.0)]).T
    return Population(name or f"corner {' '.join(f'({a:g},{b:g})' for a, b in points)}", x, y)


def feature(x: float, y: float, shift: float) -> Population:
    """A yes/no feature, and a normal score that is better by `shift` within yes and within no."""
    u, v = ndtr(_PROBITS), ndtr(_PROBITS + shift)
    parts = (
        np.concatenate([[0.0], x * u, x + (1 - x) * u, [1.0]]),
        np.concatenate([[0.0], y * v, y + (1 - y) * v, [1.0]]),
    )
    return Population(f"feature ({x:g},{y:g}), d {shift:g}", *parts)


def staircase(steps: int) -> Population:
    """Scores in blocks of one class, positives first: steps along the diagonal."""
    at = np.linspace(0.0, 1.0, steps + 1)
    return Population(f"staircase of {steps}", np.repeat(at, 2)[:-1], np.repeat(at, 2)[1:])


def follow(pair: Pair, name: str = "", points: int = 2000) -> Population:
    """The true curve of two distributions, followed at many points."""
    x, y = pair.truth.x, pair.truth.y
    along = np.arcsin(np.sqrt(x)) + np.arcsin(np.sqrt(y))
    near = np.searchsorted(along, np.linspace(0.0, np.pi, points)).clip(0, x.size - 1)
    keep = np.union1d(near, [0, x.size - 1])
    return Population(name or pair.name, x[keep], y[keep])


def shifted(law: str, shift: float, *shape: float) -> Population:
    """A distribution of scipy.stats, and the same one shifted for the positives."""
    made = getattr(stats, law)(*shape)
    tail = made.isf(np.exp(np.linspace(np.log(1e-9), np.log(0.5), 800)))
    at = np.unique(np.concatenate([tail, 2 * made.median() - tail, tail + shift]))[::-1]
    x, y = (
        np.concatenate(([0.0], made.sf(at), [1.0])),
        np.concatenate(([0.0], made.sf(at - shift), [1.0])),
    )
    label = {"t": f"t with {shape[0]:g} df" if shape else "t"}.get(law, law)
    return Population(f"{label}, shift {shift:g}", x, np.maximum.accumulate(y))


def law_populations() -> dict[str, Population]:
    """Those of likelihood_law.csv, by their names there."""
    normal = {"d0": (0, 1), "d0.5": (0.5, 1), "d1": (1, 1), "d1.5": (1.5, 1), "d2": (2, 1),
              "d2.5": (2.5, 1), "d3": (3, 1), "d4": (4, 1), "below": (-1, 1), "d0s3": (0, 3),
              "d1s2": (1, 2), "d2s.5": (2, 0.5), "d2s2": (2, 2)}  # fmt: skip
    pairs = {name: Pair(Normal(*pos), Normal(0, 1)) for name, pos in normal.items()}
    pairs |= {f"theta{theta:g}": Binormal(theta) for theta in (0.75, 2.0, 3.0, 4.0, 5.0)}
    pairs |= {f"exp{mean}": Pair(Exponential(mean), Exponential(1)) for mean in (3, 10, 50)}
    pairs |= {name: w.SHAPES[place].pair for place, name in ((1, "bimodal"), (2, "hooked"))}
    pairs["easyhard"] = Pair(Mixture(0.3, Normal(0, 1), Normal(2.5, 1)), Normal(0, 1))
    return {name: follow(pair, name) for name, pair in pairs.items()}


# ------------------------------------------------------------------ tables

CORNER_SIZES = {
    # What a reviewer found, and variants.
    "corner (.1,.9)": (pieces((0.1, 0.9)), (20, 35, 50, 75, 150, 500)),
    "corner (.05,.95)": (pieces((0.05, 0.95)), (35, 75, 150)),
    "feature (.1,.9), d .5": (feature(0.1, 0.9, 0.5), (35, 50, 100)),
    "staircase of 5": (staircase(5), (35,)),
    "staircase of 20": (staircase(20), (300,)),
    "corner (.07,.93)": (pieces((0.07, 0.93)), (30, 60, 100)),
    "corner (.2,.8)": (pieces((0.2, 0.8)), (20, 50, 150)),
    "corner (.02,.8)": (pieces((0.02, 0.8)), (20, 50, 150)),
    "lopsided (.1,.99)": (pieces((0.1, 0.99)), (26, 50, 100)),
    "lopsided (.015,.92)": (pieces((0.015, 0.92)), (32, 100)),
    "two corners (.02,.7) (.3,.98)": (pieces((0.02, 0.7), (0.3, 0.98)), (50, 200)),
    "two corners (.05,.6) (.2,.9)": (pieces((0.05, 0.6), (0.2, 0.9)), (30, 100)),
    "feature (.05,.8), d 1": (feature(0.05, 0.8, 1.0), (35, 100)),
    "Cauchy, shift 2": (shifted("cauchy", 2.0), (20, 35, 75)),
    "t with 2 df, shift 2": (shifted("t", 2.0, 2.0), (35, 50, 150)),
}
AREA_SIZES = ((20, 20), (50, 50), (100, 100), (200, 200), (50, 500), (1000, 1000))


def ordinary_populations() -> list[Population]:
    """Smooth curves without corners."""
    shifts = (0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0)
    normal = [follow(Pair(Normal(d, 1), Normal(0, 1)), f"normal d = {d:g}", 500) for d in shifts]
    rising = [
        follow(Pair(Exponential(k), Exponential(1)), f"exponential {k}", 500) for k in (3, 10)
    ]
    tail = np.linspace(0.0, 1.0, 401)
    beta = Population("beta", stats.beta(2, 3).sf(tail)[::-1], stats.beta(3, 2).sf(tail)[::-1])
    others = [("gumbel_r", 1.5), ("logistic", 2.0), ("lognorm", 1.0, 1.0)]
    return [*normal, *rising, beta, *(shifted(law, *rest) for law, *rest in others)]


def print_corners() -> None:
    """Coverage at corners, without and with what is added for them."""
    print("| population | cases of each class | .95 | .90 |\n|---|---|---|---|")
    for name, (population, sizes) in CORNER_SIZES.items():
        for size in sizes:
            cell = draw_cell(population, size, size)
            plain, found = (cell.coverages(c) for c in (cell.plain_values(), cell.values()))
            texts = [f"{a:.3f} > {b:.3f}" for a, b in zip(plain, found, strict=True)]
            print(f"| {name} | {size} | {' | '.join(texts)} |", flush=True)


def print_law() -> None:
    """Cells of the independent table, drawn again: lowest, too low, near the level, too high."""
    sizes = list(dict.fromkeys((int(m), int(n)) for _, m, n in _read_law()))
    shares = {}
    for m, n in sizes:
        sets = SETS if m + n <= 12_000 else 200
        for population in law_populations().values():
            cell = draw_cell(population, m, n, sets)
            both = (cell.plain_values(), cell.values())
            shares[population.name, m, n] = np.stack([cell.coverages(c) for c in both])
        print(f"{m}+{n} done", flush=True)
    print("| level | cells | lowest | more than 2 points low | within 2 points | high |")
    print("|---|---|---|---|---|---|")
    for place, level in enumerate(SHOWN):
        for words, least in (("all", 0), ("50 or more of both classes", 50)):
            one = np.array([v[:, place] for k, v in shares.items() if min(k[1:]) >= least])
            texts = [
                " > ".join(f"{value:.3g}" for value in pair)
                for pair in (
                    one.min(axis=0),
                    (one < level - 0.02 - SLACK).sum(axis=0),
                    (np.abs(one - level) <= 0.02 + SLACK).mean(axis=0),
                    (one > level + 0.02 + SLACK).sum(axis=0),
                )
            ]
            print(f"| {level} | {words}, {len(one)} | {' | '.join(texts)} |")


def _read_law() -> list[tuple[str, str, str]]:
    with LAW.open(encoding="utf-8") as lines:
        return [(row["world"], row["n_pos"], row["n_neg"]) for row in csv.DictReader(lines)]


def print_areas(sets: int = 40) -> None:
    """Mean ratio of band areas at .95, with and without what is added."""
    heads = [f"{m}+{n}" for m, n in AREA_SIZES]
    print(f"| population | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|")
    ratios = []
    for population in ordinary_populations():
        row = []
        for m, n in AREA_SIZES:
            cell = draw_cell(population, m, n, sets if m < 1000 else sets // 3)
            values = cell.plain_values((0.95,))[:, 0], cell.values((0.95,))[:, 0]
            areas = [
                [_find_area(fp, tp, c) for c in both]
                for (fp, tp), *both in zip(cell.vertices(), *values, strict=True)
            ]
            row.append(float(np.divide(*np.mean(areas, axis=0)[::-1])))
        ratios.append(row)
        print(f"| {population.name} | {' | '.join(f'{one:.3f}' for one in row)} |", flush=True)
    print(f"| mean | {' | '.join(f'{one:.3f}' for one in np.mean(ratios, axis=0))} |")
    print(f"| largest | {' | '.join(f'{one:.3f}' for one in np.max(ratios, axis=0))} |")


def _find_area(fp: np.ndarray, tp: np.ndarray, value: float) -> float:
    keep = np.append(True, (np.diff(fp) > 0) | (np.diff(tp) > 0))
    lower, upper = LikelihoodRegion(fp[keep], tp[keep], value).edges()
    return float(upper.area - lower.area)


TABLES = {"corners": print_corners, "law": print_law, "areas": print_areas}

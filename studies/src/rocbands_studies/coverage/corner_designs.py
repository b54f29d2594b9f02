"""Critical values at corners for future sets, weights, groups and bins; see studies/src/rocbands_studies/coverage/corners.

Every table compares the same two rules on the same test sets: chance plus excess, and that with
what corners, few cases and separated classes add.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import ndtr

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.design.effective_sizes import find_effective_sizes
from rocbands.likelihood.calibration import find_critical_values, find_excess
from rocbands.likelihood.chance import LEVELS, _raise_to_future
from rocbands.likelihood.future import Sizes, future_quantiles
from rocbands.likelihood.region import likelihood_regions
from rocbands_studies.coverage.corners import (
    SETS,
    SHOWN,
    Cell,
    Population,
    feature,
    law_populations,
    pieces,
    shifted,
)

AT = np.searchsorted(LEVELS, np.array(SHOWN) - SLACK)
Draw = Callable[[np.random.Generator, Population, int], RocCurve]
FEWER = 300  # test sets where each takes several milliseconds


def print_future() -> None:
    """Bands for a future set of .4, 1 and 10 times the observed size."""
    law = law_populations()
    points = ((0.1, 0.9), (0.05, 0.95), (0.2, 0.8), (0.02, 0.8), (0.1, 1.0))
    populations = [*map(pieces, points), feature(0.1, 0.9, 0.5), shifted("cauchy", 2.0)]
    populations += [shifted("t", 2.0, 2.0), *(law[name] for name in ("d1", "d2", "d4", "hooked"))]
    print("| population | cases of each class | of the future set | .95 | .90 |")
    print("|---|---|---|---|---|")
    shares = []
    for size in (12, 20, 35, 50, 100):
        for later in (max(2 * size // 5, 5), size, 10 * size):
            for population in populations:
                both = _cover_future(population, size, later)
                shares.append(both)
                print(f"| {population.name} | {size} | {later} | {_join(both)} |", flush=True)
    low = (np.array(shares) < np.array(SHOWN) - 0.02 - SLACK).sum(axis=0)
    print(f"| more than 2 points low, of {len(shares)} | | | {_join(low, 'd')} |")
    print(f"| lowest | | | {_join(np.min(shares, axis=0))} |")


def _cover_future(population: Population, size: int, later: int) -> np.ndarray:
    rng = np.random.default_rng([1, size, later, *map(ord, population.name)])
    seen, other = (population.draw(rng, k, k, SETS) for k in (size, later))
    statistics = np.zeros(SETS)
    _raise_to_future(statistics, seen, size, other, later)
    cell = Cell(population, size, size, seen, statistics)
    chance = [future_quantiles(Sizes(size, size, later, later)).read(level) for level in SHOWN]
    joint = max(round(size * later / (size + later)), 1)
    plain = [chance + find_excess(float(auc), joint, joint)[AT] for auc in cell.aucs]
    found = [
        find_critical_values("curve", fp, tp, SHOWN, (later, later), 0, auc=float(auc))
        for (fp, tp), auc in zip(cell.vertices(), cell.aucs, strict=True)
    ]
    values = [[one.critical_value for one in row] for row in found]
    return np.stack([cell.coverages(np.array(c)) for c in (plain, values)])


def print_designs() -> None:
    """Weighted rows, rows in groups, and counts in bins."""
    corner, inside = pieces((0.1, 0.9)), feature(0.1, 0.9, 0.5)
    normal = law_populations()["d1.5"]
    print("| design | population | cases of each class | .95 | .90 |\n|---|---|---|---|---|")
    for name, draw in DESIGNS.items():
        for population in (corner, inside, normal):
            for size in (35, 100, 300):
                both = _cover_design(population, size, draw)
                print(f"| {name} | {population.name} | {size} | {_join(both)} |", flush=True)


def _cover_design(population: Population, size: int, draw: Draw) -> np.ndarray:
    truth, rng = Curve(population.x, population.y), np.random.default_rng(2)
    held = np.zeros((2, len(SHOWN)))
    for _ in range(FEWER):
        roc = draw(rng, population, size)
        region_at = likelihood_regions(roc, None if roc.independent else find_effective_sizes(roc))
        for rule, values in enumerate(_find_both(roc)):
            held[rule] += [region_at(value, None).contains(truth) for value in values]
    return held / FEWER


def _find_both(roc: RocCurve) -> Iterator[np.ndarray]:
    """Critical values of 'auto' without and with what corners add."""
    known = {"auc": roc.auc, "certificate": roc.certificate}
    chance, curve = (
        np.array([one.critical_value for one in find_critical_values(how, *roc.vertices, SHOWN, None, 0, **known)])
        for how in ("chance", "curve")
    )  # fmt: skip
    plain = chance + find_excess(roc.auc, roc.n_pos, roc.n_neg, certificate=roc.certificate)[AT]
    for values in (plain, curve):
        yield values if roc.independent else np.maximum(chance, values)


def _place(population: Population, y: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Scores whose curve is the population's, from uniform numbers."""
    return -np.where(y, np.interp(u, population.y, population.x), u)


def _draw_weighted(rng: np.random.Generator, population: Population, size: int) -> RocCurve:
    y = np.arange(2 * size) < size
    scores = _place(population, y, rng.random(y.size))
    return rb.Sample(y, scores, weights=rng.choice([1.0, 4.0], y.size)).roc


def _draw_groups(rng: np.random.Generator, population: Population, size: int) -> RocCurve:
    owner = np.repeat(np.arange(size), rng.integers(1, 4, size))  # about two rows each
    y = owner < size // 2
    shared, own = rng.normal(size=size)[owner], rng.normal(size=y.size)
    return rb.Sample(
        y, _place(population, y, ndtr((shared + own) / np.sqrt(2))), clusters=owner
    ).roc


def _draw_bins(rng: np.random.Generator, population: Population, size: int, bins: int) -> RocCurve:
    y = np.arange(2 * size) < size
    place = np.floor(-_place(population, y, rng.random(y.size)) * bins)
    found, step = np.unique(place, return_inverse=True)
    fp, tp = (np.cumsum(np.bincount(step, side)).astype(int) for side in (~y, y))
    return RocCurve.from_counts(-found, fp=fp, tp=tp, bins=True)


DESIGNS: dict[str, Draw] = {
    "weights 1 or 4": _draw_weighted,
    "groups of 1 to 3 rows": _draw_groups,
    "8 bins": lambda rng, p, size: _draw_bins(rng, p, size, 8),
    "200 bins": lambda rng, p, size: _draw_bins(rng, p, size, 200),
}


def _join(both: np.ndarray, form: str = ".3f") -> str:
    """Each level's figure of the plain rule and of the package's."""
    return " | ".join(f"{a:{form}} > {b:{form}}" for a, b in zip(*both, strict=True))

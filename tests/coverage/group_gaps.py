"""Differences between groups: how often the limits of all pairs contain the true differences.

python -m tests.coverage.group_gaps 2000        2,000 data sets a cell, at .95
python -m tests.coverage.group_gaps 2000 0.9    the same data sets at .90

Scores of negatives are standard normal, those of positives normal with mean d and variance 1; each
row of a group is positive with the group's prevalence. A cell shows, for each quantity, the share
of data sets in which all its differences are inside their limits; then the same for all five rates
at once; then the lowest share of any rate for limits of each pair by itself (unadjusted), and for
joint limits from Wilson's limits of the rates (Newcombe's). No limits, as of a PPV of nobody, miss
nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr

import rocbands as rb
from rocbands._math.binomial import mid_p_limits, wilson_limits
from rocbands.subgroup.gaps import RATES
from rocbands.subgroup.limits import choose_threshold, count_shares, find_gaps, limit_difference

Array = np.ndarray


@dataclass(frozen=True)
class Group:
    """A group of rows."""

    rows: int
    prevalence: float
    d: float

    def draw_curve(self, rng: np.random.Generator) -> rb.RocCurve:
        """Draw scores of a group with both classes."""
        while True:
            y = rng.random(self.rows) < self.prevalence
            if 0 < y.sum() < self.rows:
                return rb.roc_curve(y, rng.normal(size=self.rows) + self.d * y)

    def draw_counts(self, rng: np.random.Generator, threshold: float, sets: int) -> Array:
        """Draw false and true positives, positives and negatives, of shape (4, sets)."""
        n_pos = rng.binomial(self.rows, self.prevalence, 2 * sets + 100)
        n_pos = n_pos[(n_pos > 0) & (n_pos < self.rows)][:sets]
        if n_pos.size < sets:
            raise ValueError(f"Too many groups of {self} have one class.")
        n_neg = self.rows - n_pos
        fp, tp = (
            rng.binomial(n_neg, ndtr(-threshold)),
            rng.binomial(n_pos, ndtr(self.d - threshold)),
        )
        return np.stack((fp, tp, n_pos, n_neg))

    def find_truth(self, threshold: float) -> dict[str, float]:
        """True area, and true rates at a threshold."""
        fpr, tpr, p = ndtr(-threshold), ndtr(self.d - threshold), self.prevalence
        called = p * tpr + (1 - p) * fpr
        return {
            "auc": float(ndtr(self.d / np.sqrt(2.0))),
            "tpr": tpr,
            "fpr": fpr,
            "ppv": p * tpr / called,
            "npv": (1 - p) * (1 - fpr) / (1 - called),
            "selection_rate": called,
        }


@dataclass(frozen=True)
class Cell:
    """Groups, and the threshold; None: chosen on the rows."""

    name: str
    groups: tuple[Group, ...]
    threshold: float | None = 1.0
    against: str = "pairs"


def make(
    name: str,
    rows: Sequence[int],
    prevalence: float | Sequence[float] = 0.3,
    d: float | Sequence[float] = 1.5,
    threshold: float | None = 1.0,
    against: str = "pairs",
) -> Cell:
    """Make a cell of groups with these sizes; single values are those of all groups."""
    shares, shifts = np.broadcast_to(prevalence, len(rows)), np.broadcast_to(d, len(rows))
    groups = (Group(*one) for one in zip(rows, shares.tolist(), shifts.tolist(), strict=True))
    return Cell(name, tuple(groups), threshold, against)


MIXED = (30, 100, 1000)
CELLS = (
    make("2 x 30", (30, 30)),
    make("2 x 100", (100, 100)),
    make("2 x 1000", (1000, 1000)),
    make("30, 1000", (30, 1000)),
    make("2 x 100, different", (100, 100), d=(0.5, 2.0)),
    make("30, 1000, different", (30, 1000), d=(2.5, 1.0)),
    make("2 x 300, prevalence .05", (300, 300), 0.05),
    make("30, 1000, prevalence .05", (30, 1000), 0.05),
    make("100, 1000, prevalences .05, .5", (100, 1000), (0.05, 0.5)),
    make("2 x 300, rates near 0", (300, 300), threshold=2.7, d=1.0),
    make("50, 1000, rates near 0", (50, 1000), threshold=2.7, d=1.0),
    make("2 x 300, rates near 1", (300, 300), threshold=-2.0),
    make("2 x 100, nearly perfect", (100, 100), d=4.0, threshold=2.0),
    make("30, 1000, nearly perfect", (30, 1000), d=4.0, threshold=2.0),
    make("3 x 30", (30,) * 3),
    make("3 x 300", (300,) * 3),
    make("30, 100, 1000", MIXED),
    make("30, 100, 1000, prevalence .05", MIXED, 0.05),
    make("30, 100, 1000, different", MIXED, (0.5, 0.3, 0.1), (0.5, 1.0, 2.0)),
    make("30, 100, 1000, rates near 0", MIXED, threshold=2.7, d=1.0),
    make("30, 100, 1000, nearly perfect", MIXED, d=4.0, threshold=2.0),
    make("30, 100, 1000, against the rest", MIXED, against="rest"),
    make("30, 100, 1000, threshold chosen", MIXED, threshold=None),
    make("2 x 100, threshold chosen", (100, 100), threshold=None),
    make("5 x 30", (30,) * 5),
    make("5 x 100", (100,) * 5),
    make("5 x 100, prevalence .05", (100,) * 5, 0.05),
    make("30, 50, 100, 300, 1000", (30, 50, 100, 300, 1000)),
    make("30, 50, 100, 300, 1000, rates near 0", (30, 50, 100, 300, 1000), 0.2, 1.0, 2.7),
    make("5 x 300, different", (300,) * 5, 0.3, (0.5, 1.0, 1.5, 2.0, 2.5)),
    make("5 x 100, against the rest", (100,) * 5, against="rest"),
    make("5 x 100, threshold chosen", (100,) * 5, threshold=None),
)


def count_rates(counts: Array) -> Array:
    """Counts and denominators of the rates, of shape (2, 5, ...); as `count_shares` has them."""
    fp, tp, n_pos, n_neg = counts
    called, rows = fp + tp, n_pos + n_neg
    return np.array(((tp, fp, tp, n_neg - fp, called), (n_pos, n_neg, called, rows - called, rows)))


def limit(shares: Array, level: float, limits: Callable) -> Array:
    """Rates and their limits, of shape (3, 5, ...); each pair of count and size is solved once."""
    counts, sizes = shares
    known = sizes > 0
    pairs, place = np.unique(shares[:, known], axis=1, return_inverse=True)
    found = np.full((3, *counts.shape), np.nan)
    solved = np.stack((pairs[0] / pairs[1], *limits(pairs[0], pairs[1], level)))
    found[:, known] = solved[:, place.reshape(-1)]
    return found


def wilson(count: Array, size: Array, level: float) -> tuple[Array, Array]:
    return wilson_limits(count / size, size, level)


def pair_up(cell: Cell) -> list[tuple[list[int], list[int]]]:
    """Return the groups on both sides of each difference."""
    every = range(len(cell.groups))
    if cell.against == "pairs":
        return [([i], [j]) for i, j in combinations(every, 2)]
    return [([i], [j for j in every if j != i]) for i in every]


def find_true_gaps(cell: Cell, threshold: float) -> tuple[Array, Array]:
    """True differences of areas, and of rates: shapes (pairs,) and (5, pairs).

    Groups that are pooled must have one d and one prevalence.
    """
    truth = [group.find_truth(threshold) for group in cell.groups]
    gaps = [
        {name: truth[one[0]][name] - truth[two[0]][name] for name in truth[0]}
        for one, two in pair_up(cell)
    ]
    return np.array([g["auc"] for g in gaps]), np.array([[g[name] for g in gaps] for name in RATES])


def hold(low: Array, high: Array, truth: Array) -> Array:
    """Whether no difference is outside its limits; the last axis is that of pairs."""
    return ~((truth < low - 1e-12) | (truth > high + 1e-12)).any(axis=-1)


def measure_rates(cell: Cell, sets: int, level: float, rng: np.random.Generator) -> list[Array]:
    """Whether all differences hold, of shape (5, sets): mid-P, unadjusted, Wilson."""
    if cell.threshold is None:
        return measure_chosen(cell, sets, level, rng)
    counts = [group.draw_counts(rng, cell.threshold, sets) for group in cell.groups]
    sides = [
        count_rates(np.stack([sum(counts[i] for i in side) for side in part], axis=-1))
        for part in zip(*pair_up(cell), strict=True)
    ]
    truth, each = (
        find_true_gaps(cell, cell.threshold)[1][:, None],
        level ** (1 / len(pair_up(cell))),
    )
    return [
        hold(*limit_difference(*(limit(side, at, limits) for side in sides)), truth)
        for at, limits in ((each, mid_p_limits), (level, mid_p_limits), (each, wilson))
    ]


def measure_chosen(cell: Cell, sets: int, level: float, rng: np.random.Generator) -> list[Array]:
    """Measure the same at a threshold that is chosen on the rows, for the rates there."""
    each, found = level ** (1 / len(pair_up(cell))), np.zeros((3, 5, sets), dtype=bool)
    for k in range(sets):
        curves = {str(i): group.draw_curve(rng) for i, group in enumerate(cell.groups)}
        cut, _ = choose_threshold(curves, None)
        shares, truth = count_shares(list(curves.values()), cut), find_true_gaps(cell, cut)[1]
        sides = [
            shares[..., [side[0] for side in part]] for part in zip(*pair_up(cell), strict=True)
        ]
        for way, (at, limits) in enumerate(
            ((each, mid_p_limits), (level, mid_p_limits), (each, wilson))
        ):
            both = (limit(side, at, limits) for side in sides)
            found[way, :, k] = hold(*limit_difference(*both), truth)
    return list(found)


def measure_areas(cell: Cell, sets: int, level: float, rng: np.random.Generator) -> float:
    """Share of data sets in which all differences of areas are inside their limits."""
    truth, held = find_true_gaps(cell, 0.0)[0], 0
    for _ in range(sets):
        curves = {str(i): group.draw_curve(rng) for i, group in enumerate(cell.groups)}
        gaps = find_gaps(curves, cell.against, threshold=np.inf, at_fpr=None, level=level).of("auc")
        held += bool(hold(*(np.array([g[at] for g in gaps]) for at in (4, 5)), truth))
    return held / sets


def measure(cell: Cell, sets: int, level: float, seed: int) -> dict[str, float]:
    """Shares of data sets without a miss."""
    rng = np.random.default_rng(seed)
    joint, alone, by_wilson = measure_rates(cell, sets, level, rng)
    return {
        "auc": measure_areas(cell, sets // 2, level, rng),
        **dict(zip(RATES, joint.mean(axis=1).tolist(), strict=True)),
        "five rates": float(joint.all(axis=0).mean()),
        "unadjusted": float(alone.mean(axis=1).min()),
        "Wilson": float(by_wilson.mean(axis=1).min()),
    }


def main(sets: int = 2000, level: float = 0.95, only: str = "") -> None:
    lowest: dict[str, float] = {}
    for number, cell in enumerate(CELLS):
        if only not in cell.name:
            continue
        found = measure(cell, sets, level, 35_000 + number)
        if not lowest:
            print(f"| groups | {' | '.join(found)} |\n|---|{'--:|' * len(found)}")
        lowest = {name: min(lowest.get(name, 1.0), share) for name, share in found.items()}
        print(show(cell.name, found), flush=True)
    print(show("lowest", lowest))


def show(name: str, found: dict[str, float]) -> str:
    return f"| {name} | {' | '.join(f'{x:.3f}'.lstrip('0') for x in found.values())} |"


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, float, str), sys.argv[1:], strict=False)))

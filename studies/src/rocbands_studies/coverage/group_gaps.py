"""Differences between groups: how often the limits of all pairs contain the true differences.

python -m rocbands_studies.coverage.group_gaps 2000        2,000 data sets a cell, at .95
python -m rocbands_studies.coverage.group_gaps 2000 0.9    the same data sets at .90
python -m rocbands_studies.coverage.group_gaps designs 300 weights, and rows that depend on each other

Scores of negatives are standard normal, those of positives normal with mean d and variance 1; each
row of a group is positive with the group's prevalence. A cell shows, for each quantity, the share
of data sets in which all its differences are inside their limits; then the same for all five rates
at once; then the lowest share of any rate for limits of each pair by itself (unadjusted), and for
joint limits from Wilson's limits of the rates (Newcombe's). No limits, as of a PPV of nobody, miss
nothing.

With a design, rows come in clusters of 1 to 20, with a common normal effect on the scores (intraclass
correlation icc) and shares of positives from a beta distribution. Rows of a cluster are in all
groups, or each cluster is in one. Shown beside the limits of the design: of clusters that are taken
as different ones in each group, and of rows that are taken as independent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands._math.binomial import mid_p_limits, wilson_limits
from rocbands.comparison.group_differences import pair_groups
from rocbands.subgroup.gaps import QUANTITIES, RATES
from rocbands.subgroup.limits import GroupRates, choose_threshold, find_gaps, limit_difference

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
    """Counts and denominators of the rates, of shape (2, 5, ...); as `GroupRates` has them."""
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
        shares = np.stack(
            [GroupRates(roc, cut).count(level)[:2] for roc in curves.values()], axis=-1
        )
        truth = find_true_gaps(cell, cut)[1]
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
        pairs = pair_groups(curves, cell.against)
        gaps = find_gaps(pairs, threshold=np.inf, level=level, against=cell.against).of("auc")
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


@dataclass(frozen=True)
class ClusterCell:
    """Groups of one model, with rows in clusters that cross them or not."""

    clusters: int
    aucs: tuple[float, ...] = (0.85, 0.75)
    icc: float = 0.5
    cross: bool = True
    apart: bool = False  # effects that move the classes apart
    variation: float = 1.0  # Kish's design effect of lognormal weights
    threshold: float = 1.0
    prevalence: float = 0.3

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups, for their true rates."""
        return tuple(Group(0, self.prevalence, float(np.sqrt(2) * ndtri(a))) for a in self.aucs)

    def draw(self, rng: np.random.Generator) -> tuple[Array, ...]:
        """Draw labels, scores, groups, clusters and weights; each class of a group has clusters."""
        size = rng.integers(1, 21, self.clusters)
        cluster = np.repeat(np.arange(self.clusters), size)
        share = rng.beta(2 * self.prevalence, 2 * (1 - self.prevalence), self.clusters)
        y = rng.random(cluster.size) < share[cluster]
        effect = rng.normal(size=self.clusters)[cluster] * np.where(y | (not self.apart), 1, -1)
        noise = rng.normal(size=cluster.size)
        by = rng.integers(0, len(self.aucs), cluster.size if self.cross else self.clusters)
        by = by if self.cross else by[cluster]
        shift = np.array([group.d for group in self.groups])
        score = np.sqrt(self.icc) * effect + np.sqrt(1 - self.icc) * noise + shift[by] * y
        weights = np.exp(np.sqrt(np.log(self.variation)) * rng.normal(size=cluster.size))
        sides = [cluster[(by == k) & (y == own)] for k in range(len(self.aucs)) for own in (0, 1)]
        if min(np.unique(side).size for side in sides) < 2:
            return self.draw(rng)
        return y, score, by, cluster, weights


CLUSTERS = {
    "20 clusters in both": ClusterCell(20),
    "50 clusters in both": ClusterCell(50),
    "50 clusters in both, classes apart": ClusterCell(50, apart=True),
    "200 clusters in both, AUC .96, .93": ClusterCell(200, (0.96, 0.93), threshold=1.5),
    "50 clusters in one each": ClusterCell(50, cross=False),
    "50 clusters in one each, weights": ClusterCell(50, cross=False, variation=1.5),
    "100 clusters in both, weights": ClusterCell(100, variation=4.0),
    "60 clusters in three": ClusterCell(60, (0.85, 0.75, 0.8)),
    "60 clusters in both, rates near 0": ClusterCell(60, threshold=2.2, prevalence=0.15),
    "20 clusters in both, icc .9": ClusterCell(20, icc=0.9),
}


def measure_clusters(
    cell: ClusterCell, sets: int, level: float, seed: int, ways: Sequence[str] = ("design",)
) -> dict[str, tuple[Array, Array]]:
    """Shares of data sets in which all differences of a quantity hold, and mean widths.

    `ways`: 'design'; 'apart', clusters of each group by themselves; 'independent' rows.
    """
    rng, truth = np.random.default_rng(seed), [g.find_truth(cell.threshold) for g in cell.groups]
    held, widths = ({way: np.zeros((sets, 6)) for way in ways} for _ in range(2))
    for k in range(sets):
        y, score, by, cluster, weights = cell.draw(rng)
        clusters = {"design": cluster, "apart": cluster + by * cell.clusters, "independent": None}
        for way in ways:
            sample = rb.Sample(
                y, score, clusters=clusters[way], weights=weights if cell.variation > 1 else None,
                keep={"by": by},
            )  # fmt: skip
            curves = {str(name): part.roc for name, part in sample.split("by").items()}
            pairs = pair_groups(curves, "pairs")
            gaps = find_gaps(pairs, threshold=cell.threshold, level=level, against="pairs")
            for j, name in enumerate(QUANTITIES):
                known = [gap for gap in gaps.of(name) if gap.difference is not None]
                true = [
                    truth[int(a)][name] - truth[int(b)][name] for a, b in (g.groups for g in known)
                ]
                low, high = (np.array([gap[at] for gap in known]) for at in (4, 5))
                held[way][k, j] = hold(low, high, np.array(true))
                widths[way][k, j] = (high - low).mean() if known else np.nan
    return {way: (held[way].mean(axis=0), np.nanmean(widths[way], axis=0)) for way in ways}


def show_clusters(sets: int = 300, level: float = 0.95, only: str = "") -> None:
    print(f"| cell | {' | '.join(QUANTITIES)} |\n|---|{'--:|' * 6}")
    for number, (name, cell) in enumerate(CLUSTERS.items()):
        if only not in name:
            continue
        found = measure_clusters(
            cell, sets, level, 36_000 + number, ("design", "apart", "independent")
        )
        for way, (held, widths) in found.items():
            pairs = zip(QUANTITIES, zip(held, widths, strict=True), strict=True)
            cells = (f"{share:.3f} ({width:.3f})" for _, (share, width) in pairs)
            print(f"| {name}: {way} | {' | '.join(cells)} |", flush=True)


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
    designs = "designs" in sys.argv
    (show_clusters if designs else main)(
        *(
            kind(text)
            for kind, text in zip(
                (int, float, str), [x for x in sys.argv[1:] if x != "designs"], strict=False
            )
        )
    )

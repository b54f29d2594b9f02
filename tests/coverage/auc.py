"""How often intervals for the AUC hold: ``python -m tests.coverage.auc``, part of ``make coverage``.

Formulas are measured on all test sets of a cell at once; that they are the shipped ones is checked
on the first sets of each cell. Finished cells are kept in docs/coverage-auc.jsonl.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri, stdtrit

import rocbands as rb
from rocbands.auc import METHODS
from rocbands.auc.delong import logit_limits
from rocbands.auc.hanley_mcneil import hanley_mcneil_variance
from rocbands.auc.newcombe import newcombe_limits
from rocbands.core.delong import Moments, variance_from_moments
from rocbands.core.score_variance import CaseNumbers, estimate_variance, score_limits
from tests.coverage.auc_tables import write_tables

RESULTS = Path("docs/coverage-auc.jsonl")
LEVEL, LEVELS = 0.95, (0.95, 0.9, 0.99)
REPS, REPS_OF_LARGE = 2000, 1000  # test sets a cell; large ones have more than 400 rows
AUCS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
SIZES = (
    (10, 10),
    (20, 20),
    (50, 50),
    (200, 200),
    (1000, 1000),
    (10, 90),
    (20, 980),
    (50, 950),
    (200, 1800),
    (90, 10),
    (980, 20),
)
Measured = dict[str, float | list[float]]


@dataclass(frozen=True)
class Cell:
    """One row of a table: a world, its AUC and the sizes, measured for all methods together."""

    study: str
    world: str
    auc: float
    size: str
    reps: int
    measure: Callable[[np.random.Generator, int], Measured]

    @property
    def key(self) -> str:
        return f"{self.study} | {self.world} | {self.auc:g} | {self.size}"


@dataclass(frozen=True)
class World:
    """Scores of both classes as functions of uniform draws, and the AUC they have in truth."""

    name: str
    positives: Callable[[np.ndarray], np.ndarray]
    negatives: Callable[[np.ndarray], np.ndarray]
    truth: float

    def draw(
        self, rng: np.random.Generator, reps: int, n_pos: int, n_neg: int
    ) -> tuple[np.ndarray, np.ndarray]:
        return self.positives(rng.random((reps, n_pos))), self.negatives(rng.random((reps, n_neg)))


def worlds(auc: float) -> Iterator[World]:
    """Normal scores, of equal and unequal spread, tied and not, and exponential scores."""
    shift = float(np.sqrt(2) * ndtri(auc))
    yield World("normal", lambda u: ndtri(u) + shift, ndtri, auc)
    steps = np.arange(-20, 21) + 0.5
    pos, neg = np.diff(ndtr(steps - shift)), np.diff(ndtr(steps))
    tied = float(pos @ (np.cumsum(neg) - neg / 2))
    yield World(
        "normal, rounded to 1 sd",
        lambda u: np.rint(ndtri(u) + shift),
        lambda u: np.rint(ndtri(u)),
        tied,
    )
    for spread in (2.0, 0.5):
        far = float(np.hypot(1, spread) * ndtri(auc))
        yield World(
            f"normal, positives' sd {spread:g}",
            lambda u, far=far, spread=spread: spread * ndtri(u) + far,  # type: ignore[misc]
            ndtri,
            auc,
        )
    yield World("exponential", lambda u: -np.log(u) * auc / (1 - auc), lambda u: -np.log(u), auc)


GRID = (np.arange(100_000) + 0.5) / 100_000


def solve(
    auc: float, positives: Callable[[np.ndarray, float], np.ndarray], negatives: np.ndarray
) -> tuple[float, float]:
    """The parameter of the positives that gives an AUC, and the AUC that it gives in truth."""
    rising, low, high, truth = np.sort(negatives), -50.0, 200.0, auc
    for _ in range(50):
        middle = (low + high) / 2
        scores = positives(GRID, middle)
        below = np.searchsorted(rising, scores) + np.searchsorted(rising, scores, "right")
        truth = float(below.mean()) / 2 / rising.size
        low, high = (middle, high) if truth < auc else (low, middle)
    return middle, truth


@cache
def other_worlds(auc: float) -> tuple[World, ...]:
    """Scores that nobody looked at when the constants of 'score-delong' were chosen."""

    def lognormal(u: np.ndarray) -> np.ndarray:
        return np.exp(ndtri(u))

    def wide_fifth(u: np.ndarray) -> np.ndarray:
        return np.where(u < 0.8, ndtri(np.minimum(u / 0.8, 1 - 1e-16)), 3 * ndtri((u - 0.8) / 0.2))

    def two_kinds(u: np.ndarray, far: float) -> np.ndarray:
        half = np.where(u < 0.5, 2 * u, 2 * u - 1)
        return ndtri(np.clip(half, 1e-16, 1 - 1e-16)) + far * np.where(u < 0.5, 1.0, 2.5)

    kinds: dict[str, tuple[Callable[[np.ndarray, float], np.ndarray], Callable]] = {
        "lognormal, shifted": (lambda u, far: lognormal(u) + far, lognormal),
        "uniform, shifted": (lambda u, far: u + far, lambda u: u),
        "two kinds of positives": (two_kinds, ndtri),
        "a fifth of negatives sd 3": (
            lambda u, far: ndtri(u) + far,
            lambda u: wide_fifth(np.maximum(u, 1e-16)),
        ),
        "gamma 2 and 3": (lambda u, far: gammaincinv(3.0, u) + far, lambda u: gammaincinv(2.0, u)),
    }
    worlds = []
    for name, (positives, negatives) in kinds.items():
        far, truth = solve(auc, positives, negatives(GRID))

        def shifted(
            u: np.ndarray,
            positives: Callable[[np.ndarray, float], np.ndarray] = positives,
            far: float = far,
        ) -> np.ndarray:
            return positives(u, far)

        worlds.append(World(name, shifted, negatives, truth))
    return tuple(worlds)


def moments_of_rows(pos: np.ndarray, neg: np.ndarray) -> Moments:
    """Moments of many test sets, one in each row, ties counted one half."""
    reps, n_pos, n_neg = len(pos), pos.shape[1], neg.shape[1]
    scores = np.concatenate([pos, neg], axis=1)
    order = np.argsort(scores, axis=1)
    scores = np.take_along_axis(scores, order, axis=1)
    first = np.ones(scores.shape, dtype=bool)
    first[:, 1:] = scores[:, 1:] != scores[:, :-1]
    starts = np.flatnonzero(first)
    row = starts // scores.shape[1]
    here = np.add.reduceat((order < n_pos).ravel(), starts, dtype=np.int64)
    size = np.diff(np.append(starts, scores.size))
    others = size - here
    below = (np.cumsum(others) - row * n_neg - others / 2) / n_neg
    above = 1 - (np.cumsum(here) - row * n_pos - here / 2) / n_pos

    def mean(values: np.ndarray, times: np.ndarray, count: int) -> np.ndarray:
        return np.bincount(row, values * times, reps) / count

    auc = mean(below, here, n_pos)
    ties = mean(here * others, np.ones(here.size), n_pos * n_neg)
    return Moments(
        auc,  # type: ignore[arg-type]
        mean((below - auc[row]) ** 2, here, n_pos),  # type: ignore[arg-type]
        mean((above - auc[row]) ** 2, others, n_neg),  # type: ignore[arg-type]
        auc - ties / 4 - auc**2,  # type: ignore[arg-type]
    )


def limits_of_rows(
    parts: Moments, sizes: tuple[int, int], level: float
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Clipped limits of all formulas, as the package gives them."""
    z, auc = float(ndtri((1 + level) / 2)), np.asarray(parts.auc)
    score = estimate_variance(auc, parts.pos, parts.neg, CaseNumbers(*sizes))
    error = np.sqrt(np.asarray(variance_from_moments(parts, *sizes)))
    ideal = ((sizes[1] - 1) * parts.pos + (sizes[0] - 1) * parts.neg + parts.pairs) / np.prod(sizes)
    exact, model = np.sqrt(np.maximum(ideal, 0)), np.sqrt(hanley_mcneil_variance(auc, *sizes))
    newcombe = newcombe_limits(auc, *sizes, z)
    inner = (auc > 0) & (auc < 1) & (error > 1e-12)
    logit = logit_limits(np.where(inner, auc, 0.5), np.where(inner, error, 1.0), z)
    found = {
        "score-delong": score_limits(auc, score, (1 - level) / 2),
        "newcombe": newcombe,
        "logit-delong": tuple(
            np.where(inner, own, other) for own, other in zip(logit, newcombe, strict=True)
        ),
        "delong": (auc - z * error, auc + z * error),
        "hanley-mcneil": (auc - z * model, auc + z * model),
        "exact-bootstrap": (auc - z * exact, auc + z * exact),
    }
    return {name: (np.clip(low, 0, 1), np.clip(high, 0, 1)) for name, (low, high) in found.items()}


def curve(pos: np.ndarray, neg: np.ndarray) -> rb.RocCurve:
    return rb.roc_curve(np.repeat([1, 0], [pos.size, neg.size]), np.concatenate([pos, neg]))


def check_shipped(pos: np.ndarray, neg: np.ndarray, found: dict[str, tuple], level: float) -> None:
    """The first sets get the very limits that the package gives."""
    for row, (name, (low, high)) in product(range(2), found.items()):
        shipped = rb.auc_interval(curve(pos[row], neg[row]), method=name, level=level)
        assert np.allclose([low[row], high[row]], [shipped.low, shipped.high], atol=1e-9), name


def average(held: dict[str, list[list[np.ndarray]]]) -> Measured:
    """Coverage of each method at each level, and its mean width."""
    out: Measured = {}
    for name, levels in held.items():
        means = [np.concatenate(parts, axis=1).mean(axis=1) for parts in levels]
        out[name] = [float(inside) for inside, _ in means]
        out[f"{name} width"] = [float(width) for _, width in means]
    return out


def measure_formulas(world: World, sizes: tuple[int, int]) -> Callable[..., Measured]:
    def measure(rng: np.random.Generator, reps: int) -> Measured:
        share = max(1, 1_000_000 // sum(sizes))
        held: dict[str, list[list[np.ndarray]]] = {}
        for start in range(0, reps, share):
            pos, neg = world.draw(rng, min(share, reps - start), *sizes)
            parts = moments_of_rows(pos, neg)
            for k, level in enumerate(LEVELS):
                found = limits_of_rows(parts, sizes, level)
                if start == 0 and k == 0:
                    check_shipped(pos, neg, found, level)
                for name, (low, high) in found.items():
                    inside = (low <= world.truth + 1e-12) & (world.truth <= high + 1e-12)
                    lists = held.setdefault(name, [[] for _ in LEVELS])
                    lists[k].append(np.stack([inside, high - low]))
        return average(held)

    return measure


@dataclass(frozen=True)
class GroupWorld:
    """Rows in groups that share an effect; `reps` groups of each class, or mixed."""

    name: str
    mixed: bool = False
    apart: bool = False
    skewed: bool = False
    large: bool = False
    step: float = 0.0

    def draw_scores(self, rng: np.random.Generator, owner: np.ndarray, y: np.ndarray) -> np.ndarray:
        groups = int(owner.max()) + 1
        shared = rng.exponential(size=groups) - 1 if self.skewed else rng.normal(size=groups)
        shared = shared[owner] * np.where(self.apart & (y == 0), -1.0, 1.0)
        return np.sqrt(0.5) * (shared + rng.normal(size=y.size))

    def shift(self, auc: float) -> tuple[float, float]:
        """Shift that gives an AUC to rows of different groups, and the AUC with rounded scores."""
        rng, size = np.random.default_rng(1), 400_000
        rows = np.arange(size)
        neg = self.draw_scores(rng, rows, np.zeros(size, int))
        pos = np.sort(self.draw_scores(rng, rows, np.ones(size, int)))
        if self.step:
            far = float(np.sqrt(2) * ndtri(auc))
            neg, pos = np.floor(neg / self.step), np.floor((pos + far) / self.step)
            neg.sort()
            both = np.searchsorted(neg, pos) + np.searchsorted(neg, pos, "right")
            return far, float(both.mean()) / 2 / size
        return solve(auc, lambda u, far: pos[(u * size).astype(int)] + far, neg)

    def draw(
        self, rng: np.random.Generator, groups: tuple[int, int], far: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        total = sum(groups)
        size = rng.choice([1, 12], total, p=[0.8, 0.2]) if self.large else rng.integers(1, 6, total)
        owner = np.repeat(np.arange(total), size)
        if self.mixed:
            y = (rng.random(owner.size) < groups[0] / total).astype(int)
            y[:2] = 0, 1
        else:
            y = (owner < groups[0]).astype(int)
        s = self.draw_scores(rng, owner, y) + far * y
        return y, np.floor(s / self.step) if self.step else s, owner


GROUP_WORLDS = (
    GroupWorld("one label a group"),
    GroupWorld("both labels in a group", mixed=True),
    GroupWorld("both labels, classes move apart", mixed=True, apart=True),
    GroupWorld("one label, skewed effects", skewed=True),
    GroupWorld("both labels, a fifth of the groups 12 rows, else 1", mixed=True, large=True),
    GroupWorld("one label, rounded to 1 sd", step=1.0),
)


def measure_groups(
    world: GroupWorld, groups: tuple[int, int], auc: float
) -> Callable[..., Measured]:
    def measure(rng: np.random.Generator, reps: int) -> Measured:
        far, truth = world.shift(auc)
        held: dict[str, list[list[np.ndarray]]] = {}
        for _ in range(reps):
            y, s, owner = world.draw(rng, groups, far)
            roc = rb.roc_curve(y, s, groups=owner)
            for name in ("score-delong", "logit-delong"):
                pivot = METHODS[name]().build_pivot(roc, rng)
                lists = held.setdefault(name, [[] for _ in LEVELS])
                for k, level in enumerate(LEVELS):
                    low, high = pivot.limits((1 - level) / 2)
                    lists[k].append(np.array([[low <= truth <= high], [high - low]]))
        return average(held)

    return measure


def measure_differences(
    name: str, aucs: tuple[float, float], sizes: tuple[int, int], correlation: float | None
) -> Callable[..., Measured]:
    """Two models on the same rows, whose normal scores are correlated, or on different ones."""

    def measure(rng: np.random.Generator, reps: int) -> Measured:
        pair = [next(w for w in other_worlds(auc) if w.name == name) for auc in aucs]
        truth = pair[0].truth - pair[1].truth
        labels = np.repeat([1, 0], sizes)
        held: dict[str, list[list[np.ndarray]]] = {}
        rejected = 0
        for _ in range(reps):
            one, two = rng.normal(size=(2, labels.size))
            if correlation is not None:
                two = correlation * one + np.sqrt(1 - correlation**2) * two
            scores = [
                np.where(labels == 1, world.positives(ndtr(z)), world.negatives(ndtr(z)))
                for world, z in zip(pair, (one, two), strict=True)
            ]
            other = {} if correlation is not None else {"paired": False, "y_true_2": labels}
            for k, level in enumerate(LEVELS):
                found = rb.compare(labels, *scores, level=level, **other)  # type: ignore[arg-type]
                assert found.standard_error is not None
                tail = (1 - level) / 2
                half = -found.standard_error * float(
                    ndtri(tail) if found.df is None else stdtrit(found.df, tail)
                )
                ends = {
                    "score": (found.low, found.high),
                    "wald": (found.difference - half, found.difference + half),
                }
                for kind, (low, high) in ends.items():
                    lists = held.setdefault(kind, [[] for _ in LEVELS])
                    inside = low - 1e-12 <= truth <= high + 1e-12
                    lists[k].append(np.array([[inside], [high - low]]))
            rejected += found.pvalue < 0.05
        return {**average(held), "rejected": rejected / reps}

    return measure


def measure_resampling(world: World, sizes: tuple[int, int]) -> Callable[..., Measured]:
    def measure(rng: np.random.Generator, reps: int) -> Measured:
        pos, neg = world.draw(rng, reps, *sizes)
        held: dict[str, list[tuple[bool, float]]] = {"bootstrap": [], "bca": []}
        for row, (name, parts) in product(range(reps), held.items()):
            roc = curve(pos[row], neg[row])
            auc = rb.auc_interval(roc, method=name, level=LEVEL, n_resamples=599, rng=row)
            parts.append((auc.low <= world.truth <= auc.high, auc.high - auc.low))
        means = {name: np.mean(parts, axis=0) for name, parts in held.items()}
        return {
            key: float(value)
            for name, (inside, width) in means.items()
            for key, value in ((name, inside), (f"{name} width", width))
        }

    return measure


def measure_folds(
    rows: int, folds: int, distance: float, features: int = 5
) -> Callable[..., Measured]:
    """Cross-validate a learner that scores along the difference of the class means.

    Both classes are normal with unit covariance, so that the AUC of every fitted model is known.
    """

    def truth(weights: np.ndarray) -> np.ndarray:
        cosine = weights[..., 0] / np.linalg.norm(weights, axis=-1)
        return ndtr(distance * cosine / np.sqrt(2))

    def measure(rng: np.random.Generator, reps: int) -> Measured:
        labels = np.arange(rows) % 2
        fold = np.arange(rows) // 2 % folds
        sign = np.where(labels == 1, 1.0, -1.0)
        first = np.eye(features)[0] * distance / 2
        # What the models of such training sets reach on average, from many sets of their own.
        kept = np.bincount(fold[labels == 1])
        training = rows / 2 - kept.mean()
        noise = rng.normal(size=(200_000, features)) * np.sqrt(2 / training)
        learner = float(truth(2 * first + noise).mean())
        held: dict[str, list[tuple[bool, bool, float]]] = {}
        for _ in range(reps):
            x = rng.normal(size=(rows, features)) + sign[:, None] * first
            sums = np.stack([(sign[:, None] * x)[fold == f].sum(axis=0) for f in range(folds)])
            weights = sums.sum(axis=0) - sums
            scores = np.einsum("ij,ij->i", x, weights[fold])
            models = float(truth(weights).mean())
            for name in ("t", "nadeau-bengio", "influence", "fold-delong"):
                auc = rb.fold_auc_interval(labels, scores, name, folds=fold, level=LEVEL)
                inside = (auc.low <= models <= auc.high, auc.low <= learner <= auc.high)
                held.setdefault(name, []).append((*inside, auc.high - auc.low))
        means = {name: np.mean(parts, axis=0) for name, parts in held.items()}
        return {
            "learner AUC": learner,
            **{
                key: float(value)
                for name, triple in means.items()
                for key, value in zip(
                    (f"{name}, models", f"{name}, learner", f"{name} width"), triple, strict=True
                )
            },
        }

    return measure


def count_sets(sizes: tuple[int, int]) -> int:
    return REPS if sum(sizes) <= 400 else REPS_OF_LARGE


def all_cells() -> list[Cell]:
    cells = []
    for auc, sizes in product(AUCS, SIZES):
        for world in worlds(auc):
            text = f"{sizes[0]}+{sizes[1]}"
            measure = measure_formulas(world, sizes)
            cells.append(Cell("formulas", world.name, auc, text, count_sets(sizes), measure))
    for auc, sizes in product(AUCS[1:], SIZES):
        for world in other_worlds(auc):
            text = f"{sizes[0]}+{sizes[1]}"
            measure = measure_formulas(world, sizes)
            cells.append(Cell("other scores", world.name, auc, text, count_sets(sizes), measure))
    for auc, sizes, grouped in product(
        (0.8, 0.95, 0.99), ((15, 15), (50, 50), (15, 100), (100, 15)), GROUP_WORLDS
    ):
        text = f"{sizes[0]}+{sizes[1]} groups"
        measure = measure_groups(grouped, sizes, auc)
        cells.append(Cell("groups", grouped.name, auc, text, 500, measure))
    for aucs, sizes, correlation, name in product(
        ((0.99, 0.95), (0.9, 0.9)),
        ((30, 30), (10, 50), (150, 150), (30, 270)),
        (0.6, 0.95, None),
        ("lognormal, shifted", "two kinds of positives", "gamma 2 and 3", "uniform, shifted"),
    ):
        text = f"{sizes[0]}+{sizes[1]}, " + (
            "different rows" if correlation is None else f"correlation {correlation:g}"
        )
        measure = measure_differences(name, aucs, sizes, correlation)
        world_name = f"{name}, {aucs[0]:g} against {aucs[1]:g}"
        cells.append(Cell("differences", world_name, aucs[0], text, 250, measure))
    for auc, sizes in product((0.7, 0.9, 0.99), ((10, 10), (50, 50), (200, 200))):
        for world in [*worlds(auc)][:2]:
            text = f"{sizes[0]}+{sizes[1]}"
            measure = measure_resampling(world, sizes)
            cells.append(Cell("resampling", world.name, auc, text, 500, measure))
    for (distance, auc), rows, folds in product(
        ((0.0, 0.5), (1.0, 0.76), (2.0, 0.92)), (60, 200, 1000), (5, 10)
    ):
        world, text = f"{folds} folds", f"{rows} rows"
        cells.append(Cell("folds", world, auc, text, 500, measure_folds(rows, folds, distance)))
    return cells


def main() -> None:
    """Measure what is missing, then write docs/coverage-auc.md."""
    os.environ["ROCBANDS_NUM_THREADS"] = "1"
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    records = [json.loads(line) for line in lines]
    done = {f"{r['study']} | {r['world']} | {r['auc']:g} | {r['size']}" for r in records}
    todo = [cell for cell in all_cells() if cell.key not in done]
    for count, cell in enumerate(todo, start=1):
        start = time.perf_counter()
        measured = cell.measure(np.random.default_rng(list(cell.key.encode())), cell.reps)
        record = {
            "study": cell.study,
            "world": cell.world,
            "auc": cell.auc,
            "size": cell.size,
            "reps": cell.reps,
            **{
                name: np.round(value, 5).tolist()  # a number, or one for each level
                for name, value in measured.items()
            },
            "seconds": round(time.perf_counter() - start, 1),
        }
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(f"{count}/{len(todo)} {cell.key} {record['seconds']} s", file=sys.stderr, flush=True)
    write_tables(RESULTS)


if __name__ == "__main__":
    main()

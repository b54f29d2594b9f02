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
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.auc.delong import logit_limits
from rocbands.auc.hanley_mcneil import hanley_mcneil_variance
from rocbands.auc.newcombe import newcombe_limits
from rocbands.core.delong import Moments, variance_from_moments
from tests.coverage.auc_tables import write_tables

RESULTS = Path("docs/coverage-auc.jsonl")
LEVEL = 0.95
REPS = 4000
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
)
Measured = dict[str, float]


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


def limits_of_rows(pos: np.ndarray, neg: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Clipped limits of all formulas, as the package gives them."""
    sizes = pos.shape[1], neg.shape[1]
    parts, z = moments_of_rows(pos, neg), float(ndtri((1 + LEVEL) / 2))
    auc = np.asarray(parts.auc)
    error = np.sqrt(np.asarray(variance_from_moments(parts, *sizes)))
    ideal = ((sizes[1] - 1) * parts.pos + (sizes[0] - 1) * parts.neg + parts.pairs) / np.prod(sizes)
    exact, model = np.sqrt(np.maximum(ideal, 0)), np.sqrt(hanley_mcneil_variance(auc, *sizes))
    newcombe = newcombe_limits(auc, *sizes, z)
    inner = (auc > 0) & (auc < 1) & (error > 1e-12)
    logit = logit_limits(np.where(inner, auc, 0.5), np.where(inner, error, 1.0), z)
    found = {
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


def check_shipped(pos: np.ndarray, neg: np.ndarray, found: dict[str, tuple]) -> None:
    """The first sets get the very limits that the package gives."""
    for row, (name, (low, high)) in product(range(3), found.items()):
        shipped = rb.auc_interval(curve(pos[row], neg[row]), method=name, level=LEVEL)
        assert np.allclose([low[row], high[row]], [shipped.low, shipped.high], atol=1e-9), name


def measure_formulas(world: World, sizes: tuple[int, int]) -> Callable[..., Measured]:
    def measure(rng: np.random.Generator, reps: int) -> Measured:
        share = max(1, 2_000_000 // sum(sizes))
        held: dict[str, list[np.ndarray]] = {}
        for start in range(0, reps, share):
            pos, neg = world.draw(rng, min(share, reps - start), *sizes)
            found = limits_of_rows(pos, neg)
            if start == 0:
                check_shipped(pos, neg, found)
            for name, (low, high) in found.items():
                inside = (low <= world.truth) & (world.truth <= high)
                held.setdefault(name, []).append(np.stack([inside, high - low]))
        means = {name: np.concatenate(parts, axis=1).mean(axis=1) for name, parts in held.items()}
        return {
            key: float(value)
            for name, (inside, width) in means.items()
            for key, value in ((name, inside), (f"{name} width", width))
        }

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


def all_cells() -> list[Cell]:
    cells = []
    for auc, sizes in product(AUCS, SIZES):
        for world in worlds(auc):
            text = f"{sizes[0]}+{sizes[1]}"
            measure = measure_formulas(world, sizes)
            cells.append(Cell("formulas", world.name, auc, text, REPS, measure))
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
            **{name: round(value, 5) for name, value in measured.items()},
            "seconds": round(time.perf_counter() - start, 1),
        }
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(f"{count}/{len(todo)} {cell.key} {record['seconds']} s", file=sys.stderr, flush=True)
    write_tables(RESULTS)


if __name__ == "__main__":
    main()

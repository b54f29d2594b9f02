"""Averages of curves over folds: how often pointwise limits contain the expected curve.

python -m rocbands_studies.coverage.average_curves 400        400 data sets a cell

'runs': one model on k independent test sets; scores of negatives are standard normal, those of
positives normal with mean d. 'cross-validation': k folds of the rows of one data set, scored by
linear discriminants of six normal variables that were fitted to the other folds; the class means
are d apart. A cell shows the share of limits at .90, .95 and .99 that contain the expected curve of
such models on test sets as large as a fold, the lowest of three abscissae; then, at .95, the same
for the true curve of the population, which an empirical curve of few rows does not have on average.
The last column is .95 with Student's limits as if folds shared no rows.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.views.coordinates import COORDINATES
from rocbands.views.view import evaluate_curve

Array = np.ndarray
VIEWS = tuple(COORDINATES)
AT = dict.fromkeys(VIEWS, (0.1, 0.3, 0.7)) | {"pr": (0.2, 0.5, 0.8), "cost": (0.3, 0.5, 0.7)}
LEVELS = (0.9, 0.95, 0.99)
VARIABLES = 6
EXPECTED = 3000  # folds behind an expected curve


@dataclass(frozen=True)
class Cell:
    """Folds of one size, and how their scores arise."""

    name: str
    k: int
    n_pos: int  # of a fold
    n_neg: int
    d: float
    train: bool = False  # cross-validation of a learner
    ties: bool = False  # scores rounded to whole numbers

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """Draw labels, scores and folds."""
        y = np.tile(np.repeat([1, 0], [self.n_pos, self.n_neg]), self.k)
        fold = np.repeat(np.arange(self.k), self.n_pos + self.n_neg)
        if not self.train:
            score = rng.normal(size=y.size) + self.d * y
            return y, score.round() if self.ties else score, fold
        x = self.draw_rows(y, rng)
        parts = [x[fold == j] @ fit(x[fold != j], y[fold != j]) for j in range(self.k)]
        return y, np.concatenate(parts), fold

    def draw_rows(self, y: Array, rng: np.random.Generator) -> Array:
        x = rng.normal(size=(y.size, VARIABLES))
        x[:, 0] += self.d * y
        return x

    def draw_model(self, rng: np.random.Generator) -> tuple[float, rb.RocCurve]:
        """Draw the distance of the classes along a model's scores, and its curve of one fold."""
        y, d = np.repeat([1, 0], [self.n_pos, self.n_neg]), self.d
        if self.train:
            more = np.tile(y, self.k - 1)
            w = fit(self.draw_rows(more, rng), more)
            d *= w[0] / np.linalg.norm(w)
        score = rng.normal(size=y.size) + d * y
        return d, rb.roc_curve(y, score.round() if self.ties else score)


def fit(x: Array, y: Array) -> Array:
    """Fit a linear discriminant."""
    one, two = x[y == 1], x[y == 0]
    within = np.cov(one.T) * (len(one) - 1) + np.cov(two.T) * (len(two) - 1)
    return np.linalg.solve(within, one.mean(axis=0) - two.mean(axis=0))


def true_curve(d: float, ties: bool) -> Curve:
    """Curve of the population of scores."""
    cut = np.arange(15.5, -12.0, -1.0) if ties else np.linspace(12.0, -8.0, 4001)
    ends = ((0.0,), (1.0,))
    x, y = (np.concatenate((ends[0], ndtr(m - cut), ends[1])) for m in (0.0, d))
    return Curve(x, y)


CELLS = (
    Cell("5 runs of 50 + 50, AUC .76", 5, 50, 50, 1.0),
    Cell("10 runs of 50 + 50, AUC .76", 10, 50, 50, 1.0),
    Cell("10 runs of 20 + 20, AUC .92", 10, 20, 20, 2.0),
    Cell("10 runs of 10 + 90, AUC .76", 10, 10, 90, 1.0),
    Cell("10 runs of 50 + 50, AUC .983", 10, 50, 50, 3.0),
    Cell("10 runs of 50 + 50, whole numbers", 10, 50, 50, 1.0, ties=True),
    Cell("3 runs of 200 + 200, AUC .76", 3, 200, 200, 1.0),
    Cell("5 folds of 20 + 20, AUC .76", 5, 20, 20, 1.0, True),
    Cell("10 folds of 10 + 10, AUC .76", 10, 10, 10, 1.0, True),
    Cell("10 folds of 10 + 30, AUC .92", 10, 10, 30, 2.0, True),
    Cell("10 folds of 20 + 20, nothing to learn", 10, 20, 20, 0.0, True),
)


def expect(
    cell: Cell, rng: np.random.Generator, views: tuple[str, ...], folds: int
) -> dict[str, tuple[Array, Array]]:
    """Expected ordinates by view: on test sets of a fold's size, and in the population."""
    p = cell.n_pos / (cell.n_pos + cell.n_neg)
    models = [cell.draw_model(rng) for _ in range(folds)]
    some = models[: 200 if cell.train else 1]
    found = {}
    for name in views:
        view, x = COORDINATES[name](), np.array(AT[name])
        small = [evaluate_curve(roc.curve, view, x, p) for _, roc in models]
        true = [evaluate_curve(true_curve(d, cell.ties), view, x, p) for d, _ in some]
        found[name] = np.mean(small, axis=0), np.mean(true, axis=0)
    return found


def measure(
    cell: Cell, sets: int, seed: int, views: tuple[str, ...] = VIEWS, folds: int = EXPECTED
) -> dict[str, Array]:
    """By view, the lowest share of limits that hold: three levels, population, as independent.

    `folds`: how many are behind the expected curve.
    """
    rng = np.random.default_rng(seed)
    expected = expect(cell, rng, views, folds)
    held = {name: np.zeros((5, len(AT[name]))) for name in views}
    for _ in range(sets):
        y, score, folds = cell.draw(rng)
        roc = rb.Sample(y, score, folds=folds).roc
        for name in views:
            small, true = expected[name]
            asked = [(level, not cell.train, small) for level in LEVELS]
            asked += [(0.95, not cell.train, true), (0.95, True, small)]
            for j, (level, independent, truth) in enumerate(asked):
                found = rb.average_curve(
                    roc, view=name, at=AT[name], level=level, independent=independent
                )
                held[name][j] += (found.lower <= truth + 1e-9) & (truth <= found.upper + 1e-9)
    return {name: counts.min(axis=1) / sets for name, counts in held.items()}


def main(sets: int = 400, only: str = "") -> None:
    print(
        "| folds | view | .90 | .95 | .99 | population | as independent |\n|---|---|" + "--:|" * 5
    )
    for number, cell in enumerate(CELLS):
        if only in cell.name:
            for name, shares in measure(cell, sets, 51_000 + number).items():
                cells = " | ".join(f"{share:.3f}".lstrip("0") for share in shares)
                print(f"| {cell.name} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, str), sys.argv[1:], strict=False)))

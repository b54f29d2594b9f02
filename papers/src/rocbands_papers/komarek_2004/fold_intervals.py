"""Intervals from ten folds: how often Student's t holds, and others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from rocbands.auc.folds import METHODS, fold_auc_interval
from rocbands.core.checks import BoolArray, FloatArray, IndexArray, check_choice, check_number
from rocbands.core.interval import FoldInterval
from rocbands.study.measurements import Cell, Measured
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands.study.streams import Streams
from rocbands_papers.macskassy_2005.summing import line_of, spread_text
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = ["FOLD_INTERVALS", "FoldCoverage", "Scored", "World", "expected_auc"]

_FOLDS = 10
_LEVEL = 0.95


class Scored(NamedTuple):
    """Rows with the scores of models that did not see them, and the true AUC of each model."""

    y: BoolArray
    scores: FloatArray
    folds: IndexArray
    true_auc: FloatArray


@dataclass(frozen=True)
class World:
    """Two classes of the same size, normal in some columns, and a linear discriminant.

    Parameters
    ----------
    n : int
        Rows, a multiple of 20.
    columns : int
        Number of features.
    delta : float
        Distance of the two means, in standard deviations.

    Notes
    -----
    For a discriminant with direction w the true AUC is Phi(w'd / (sqrt(2) |w|)), with d the
    difference of the means.
    """

    n: int
    columns: int
    delta: float

    def __post_init__(self) -> None:
        check_number(self.n, "n", above=self.columns + _FOLDS)

    @property
    def name(self) -> str:
        """Such as 'n = 100, 5 columns, 1.5 apart'."""
        return f"n = {self.n}, {self.columns} columns, {self.delta:g} apart"

    def cross_validated(self, rng: np.random.Generator) -> Scored:
        """Draw rows and score each fold by the discriminant of the others.

        All folds are fitted at once: sums over nine folds are sums over all less those of one.
        """
        each = self.n // (2 * _FOLDS)
        x = rng.standard_normal((2, _FOLDS, each, self.columns))  # class, fold, row, column
        x[1, ..., 0] += self.delta
        sums, squares = x.sum(axis=2), np.einsum("cfri,cfrj->cfij", x, x)
        count = each * (_FOLDS - 1)
        means = (sums.sum(axis=1, keepdims=True) - sums) / count
        within = squares.sum(axis=1, keepdims=True) - squares
        within = within - count * np.einsum("cfi,cfj->cfij", means, means)
        way = np.linalg.solve(within.sum(axis=0), (means[1] - means[0])[..., None])[..., 0]
        scores = np.einsum("cfri,fi->cfr", x, way)
        true_auc = ndtr(self.delta * way[:, 0] / (math.sqrt(2.0) * np.linalg.norm(way, axis=1)))
        cls, fold, _ = np.indices(scores.shape)
        return Scored(cls.ravel() == 1, scores.ravel(), fold.ravel(), true_auc)


@dataclass(frozen=True)
class FoldCoverage(Cell):
    """How often an interval from folds holds the AUC.

    Parameters
    ----------
    world : World
        Where rows come from.
    method : str
        As for `fold_auc_interval`.
    expected : float
        The expected AUC of a model trained as those of the folds.

    Notes
    -----
    `holds`: the expected AUC is inside. `models`: the average true AUC of this data set's ten
    models is. `width`: of the interval, not clipped. `estimate` and `error`: the folds' mean, and
    its estimated standard error.
    """

    shares: ClassVar[tuple[str, ...]] = ("holds", "models")

    world: World
    method: str
    expected: float

    def __post_init__(self) -> None:
        check_choice(self.method, tuple(METHODS), "method")

    def facts(self) -> Mapping[str, object]:
        """Name world and method."""
        return {"world": self.world.name, "method": self.method, "level": _LEVEL}

    @property
    def source(self) -> object:
        """The world."""
        return self.world

    def measure(self, streams: Streams) -> Measured:
        """Cross-validate once and make the interval."""
        rows = streams.drawn("rows", self.world.cross_validated)
        found: FoldInterval = fold_auc_interval(
            rows.y, rows.scores, rows.folds, self.method, level=_LEVEL
        )
        low, high = found.unclipped
        assert found.standard_error is not None, "all methods estimate one"
        return {
            "holds": float(low <= self.expected <= high),
            "models": float(low <= rows.true_auc.mean() <= high),
            "width": high - low,
            "estimate": found.estimate,
            "error": found.standard_error,
        }


# Coverage and width by t, Nadeau and Bengio, influence and DeLong in folds, measured by a separate
# prototype (methods/cost-results.md, section 7).
_REFERENCE = {
    World(100, 5, 1.5): ((0.923, 0.179), (0.975, 0.260), (0.909, 0.154), (0.938, 0.173)),
    World(200, 10, 1.0): ((0.910, 0.158), (0.978, 0.229), (0.900, 0.137), (0.917, 0.145)),
    World(200, 30, 1.5): ((0.903, 0.138), (0.972, 0.200), (0.883, 0.121), (0.899, 0.127)),
    World(1000, 10, 1.0): ((0.934, 0.067), (0.986, 0.097), (0.934, 0.059), (0.936, 0.060)),
}


@cache
def expected_auc(world: World, sets: int = 1500) -> float:
    """Average true AUC of the models of many cross-validations; its error is below 0.001."""
    rng = np.random.default_rng([world.n, world.columns, round(100 * world.delta)])
    drawn = [world.cross_validated(rng).true_auc.mean() for _ in range(sets)]
    return round(float(np.mean(drawn)), 5)


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = tuple(
        FoldCoverage(world, method, expected)
        for world, expected in ((world, expected_auc(world)) for world in _REFERENCE)
        for method in METHODS
    )
    return Study(
        "komarek-2004-fold-intervals",
        cells,
        replicates=400 if scale == "quick" else 10000,
        block=100,
        seed=seed,
    )


def _judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    found = {
        (one.cell.world, one.cell.method): one.figures
        for one in result.cells
        if isinstance(one.cell, FoldCoverage)
    }

    def figure(world: World, method: str, name: str) -> Figure:
        figure = found[world, method][name]
        assert isinstance(figure, Figure)
        return figure

    rows = tuple(
        Row(
            where={"world": world.name, "method": method, "figure": name},
            ours=figure(world, method, name),
            reference=None if place is None else _REFERENCE[world][number][place],
            why_not="not printed"
            + (
                _errors(figure(world, method, "estimate"), figure(world, method, "error"))
                if name == "holds"
                else ""
            ),
        )
        for name, place in (("holds", 0), ("models", None), ("width", 1))
        for world in _REFERENCE
        for number, method in enumerate(METHODS)
    )
    held = {method: [figure(world, method, "holds") for world in _REFERENCE] for method in METHODS}
    panel = partial(Panel, x_label="setting, as in the table", log_x=False)
    places = range(1, len(_REFERENCE) + 1)
    panels = tuple(
        panel(
            title=f"{name}, by setting",
            y_label=label,
            target=_LEVEL if name == "holds" else None,
            lines=tuple(
                line_of(method, places, [figure(world, method, name) for world in _REFERENCE])
                for method in METHODS
            ),
        )
        for name, label in (("holds", "holds the expected AUC"), ("width", "width"))
    )
    return study.result(
        result,
        scale,
        rows=rows,
        claims=_claims(held),
        panels=panels,
        notes=(
            "Ten folds with the classes in equal shares, a linear discriminant, normal classes: "
            "the true AUC of every fold's model is known. 'holds': the expected AUC of models "
            "trained on nine tenths of the rows; 'models': the average of just these ten models.",
            "Limits are not clipped to 1. 'reference' is a separate prototype with 500 or 1000 "
            "data sets for each number.",
        ),
    )


def _errors(estimate: Figure, error: Figure) -> str:
    if estimate.n < 2:
        return ""
    reach = float(stdtrit(estimate.n - 1, 0.975))
    sd = (estimate.high - estimate.low) / 2.0 / reach * math.sqrt(estimate.n)
    return f"; sd of the folds' mean {sd:.4f}, estimated {error.value:.4f}"


def _claims(held: dict[str, list[Figure]]) -> tuple[Claim, ...]:
    texts = {method: spread_text(figures) for method, figures in held.items()}
    low = sum(one.high < _LEVEL for one in held["t"])
    return (
        Claim(
            "The mean of ten folds with Student's t gives a 95% interval.",
            f"it holds {texts['t']} of the time; below 0.95 beyond chance in {low} of "
            f"{len(held['t'])} settings. Folds share training rows.",
            "contradicted" if low else "reproduced",
        ),
        Claim(
            "Not in the thesis: other intervals from the same folds.",
            f"Nadeau and Bengio's {texts['nadeau-bengio']}, with 1.45 times the width; influence "
            f"curve {texts['influence']}; DeLong's variance in each fold {texts['fold-delong']}.",
            "not comparable",
        ),
    )


FOLD_INTERVALS = PaperStudy(
    name="komarek-2004-fold-intervals",
    paper="Komarek 2004, section 5.1.4",
    title="Intervals for the AUC from ten folds",
    plan=_plan,
    verdicts=_judge,
)

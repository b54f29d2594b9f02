"""Intervals from ten folds: how often Student's t holds, and others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from rocbands.auc import FOLD_METHODS, fold_auc_interval
from rocbands.core.checks import BoolArray, FloatArray, IndexArray, check_choice, check_number
from rocbands.core.interval import FoldInterval
from rocbands.study.measurements import Cell, Measured
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands.study.streams import Streams
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperStudy,
    Row,
    Scale,
    draw_line,
    judge_own,
    spread_text,
)

__all__ = ["FoldCoverage", "FoldIntervals", "Scored", "World", "expected_auc"]

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
        check_choice(self.method, tuple(FOLD_METHODS), "method")

    def facts(self) -> Mapping[str, object]:
        """Name world and method."""
        return {"world": self.world.name, "method": self.method, "level": _LEVEL}

    @property
    def source(self) -> object:
        """The world."""
        return self.world

    def measure(self, streams: Streams) -> Measured:
        """Cross-validate once and make the interval."""
        rows = streams.draw_shared("rows", self.world.cross_validated)
        found: FoldInterval = fold_auc_interval(
            rows.y, rows.scores, self.method, folds=rows.folds, level=_LEVEL
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


_WORLDS = (World(100, 5, 1.5), World(200, 10, 1.0), World(200, 30, 1.5), World(1000, 10, 1.0))


@cache
def expected_auc(world: World, sets: int = 1500) -> float:
    """Average true AUC of the models of many cross-validations; its error is below 0.001."""
    rng = np.random.default_rng([world.n, world.columns, round(100 * world.delta)])
    drawn = [world.cross_validated(rng).true_auc.mean() for _ in range(sets)]
    return round(float(np.mean(drawn)), 5)


def _errors(estimate: Figure, error: Figure) -> str:
    if estimate.n < 2:
        return ""
    reach = float(stdtrit(estimate.n - 1, 0.975))
    sd = (estimate.high - estimate.low) / 2.0 / reach * math.sqrt(estimate.n)
    return f"; sd of the folds' mean {sd:.4f}, estimated {error.value:.4f}"


Figures = Mapping[tuple[World, str], Mapping[str, Figure | list[Figure]]]  # by world and method


def _figure(figures: Figures, world: World, method: str, name: str) -> Figure:
    figure = figures[world, method][name]
    assert isinstance(figure, Figure)
    return figure


class FoldIntervals(PaperStudy[Figures]):
    """Section 5.1.4: the mean of ten folds' AUCs with Student's t, and other intervals."""

    name = "komarek-2004-fold-intervals"
    paper = "Komarek 2004, section 5.1.4"
    title = "Intervals for the AUC from ten folds"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = tuple(
            FoldCoverage(world, method, expected)
            for world, expected in ((world, expected_auc(world)) for world in _WORLDS)
            for method in FOLD_METHODS
        )
        times = 400 if scale == "quick" else 10000
        return Study(self.name, cells, times, block=100, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Figures:
        return {
            (one.cell.world, one.cell.method): one.figures
            for one in found.cells
            if isinstance(one.cell, FoldCoverage)
        }

    def rows(self, figures: Figures) -> Iterator[Row]:
        for name in ("holds", "models", "width"):
            for world in _WORLDS:
                for method in FOLD_METHODS:
                    estimate, error = (
                        _figure(figures, world, method, which) for which in ("estimate", "error")
                    )
                    yield Row(
                        where={"world": world.name, "method": method, "figure": name},
                        ours=_figure(figures, world, method, name),
                        why_not="not printed"
                        + (_errors(estimate, error) if name == "holds" else ""),
                    )

    def claims(self, figures: Figures) -> Iterator[Claim]:
        held = {
            method: [_figure(figures, world, method, "holds") for world in _WORLDS]
            for method in FOLD_METHODS
        }
        texts = {method: spread_text(each) for method, each in held.items()}
        low = sum(one.high < _LEVEL for one in held["t"])
        yield Claim(
            "The mean of ten folds with Student's t gives a 95% interval.",
            f"it holds {texts['t']} of the time; below 0.95 beyond chance in {low} of "
            f"{len(held['t'])} settings. Folds share training rows.",
            "contradicted" if low else "reproduced",
        )
        yield judge_own(
            "Nadeau and Bengio's interval from the same folds holds its level.",
            f"Nadeau and Bengio's {texts['nadeau-bengio']}, with 1.45 times the width; influence "
            f"curve {texts['influence']}; DeLong's variance in each fold {texts['fold-delong']}.",
            min(one.high for one in held["nadeau-bengio"]) >= 0.95,
        )

    def panels(self, figures: Figures) -> Iterator[Panel]:
        places = range(1, len(_WORLDS) + 1)
        for name, label in (("holds", "holds the expected AUC"), ("width", "width")):
            lines = (
                draw_line(
                    method, places, [_figure(figures, world, method, name) for world in _WORLDS]
                )
                for method in FOLD_METHODS
            )
            yield Panel(
                f"{name}, by setting",
                "setting, as in the table",
                label,
                tuple(lines),
                target=_LEVEL if name == "holds" else None,
            )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            "Ten folds with the classes in equal shares, a linear discriminant, normal classes: "
            "the true AUC of every fold's model is known. 'holds': the expected AUC of models "
            "trained on nine tenths of the rows; 'models': the average of just these ten models.",
            "Limits are not clipped to 1.",
        )

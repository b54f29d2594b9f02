"""Komarek (2004), section 5.1.4: an example of six rows, and intervals from ten folds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from rocbands import Sample, fold_auc_interval
from rocbands.core.checks import BoolArray, FloatArray, IndexArray, check_choice, check_number
from rocbands.core.data import roc_curve
from rocbands.core.interval import FoldInterval
from rocbands.core.roc import RocCurve
from rocbands_studies.measurements import Cell, Measured
from rocbands_studies.papers.learners.logistic import ridge_logistic
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperCell,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    judge_own,
    spread_text,
)
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

METHODS = ("t", "nadeau-bengio", "influence", "fold-delong")
_KNOWN = "++-"  # the classes of the three best rows, as the text has them
_PRINTED = {"area": 5.0, "perfect": 8.0, "auc": 5.0 / 8.0}


@dataclass(frozen=True)
class Order(PaperCell):
    """The area under the steps of rows whose classes stand in this order, best row first.

    Parameters
    ----------
    classes : str
        Such as '++-+-+'.

    Notes
    -----
    `area` counts unit squares; `perfect` is the area of a perfect learner; `auc` is their ratio.
    """

    classes: str

    @property
    def source(self) -> object:
        return self.classes

    @property
    def roc(self) -> RocCurve:
        """The curve of the rows."""
        positive = [sign == "+" for sign in self.classes]
        return roc_curve(positive, -np.arange(len(positive)))

    def measure(self, streams: Streams) -> Measured:
        roc = self.roc
        perfect = roc.n_pos * roc.n_neg
        return {"area": roc.auc * perfect, "perfect": float(perfect), "auc": roc.auc}


def _orders() -> list[Order]:
    """All orders that begin as the text says, the one that fits before the others."""
    listed = [Order(_KNOWN + "".join(rest)) for rest in product("+-", repeat=3)]
    return sorted(listed, key=lambda order: order.classes != "++-+-+")


def _path(curve: RocCurve) -> str:
    x, y = np.concatenate([[0], curve.fp]), np.concatenate([[0], curve.tp])
    return " ".join(f"({a},{b})" for a, b in zip(x, y, strict=True))


class Orders(NamedTuple):
    """Area, perfect area and AUC of each order, and the orders that fit what is printed."""

    by_order: dict[Order, dict[str, Figure]]
    fits: list[Order]

    @property
    def first(self) -> Order:
        """The order that fits, or the one that should."""
        return self.fits[0] if self.fits else _orders()[0]


class Example(PaperStudy[Orders]):
    """Figure 5.2: six rows, of whose order only the beginning is printed."""

    name = "komarek-2004-example"
    paper = "Komarek 2004, Figure 5.2"
    title = "Six rows with an AUC of 5/8"
    picture = Picture("order", panels=("figure",))

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        return Study(self.name, tuple(_orders()), 1, block=1, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Orders:
        by_order = {}
        for order in _orders():
            values = {name: found.figure(order, name).value for name in _PRINTED}
            # No chance is in these numbers: their intervals are points.
            by_order[order] = {
                name: Figure(round(value, 12), value, value, 1) for name, value in values.items()
            }
        fits = [
            order
            for order, figures in by_order.items()
            if all(figures[name].value == _PRINTED[name] for name in ("area", "perfect"))
        ]
        return Orders(by_order, fits)

    def rows(self, figures: Orders) -> Iterator[Row]:
        for order, own in figures.by_order.items():
            fits = order is figures.first
            for name, number in _PRINTED.items():
                yield Row(
                    where={"order": order.classes, "figure": name},
                    ours=own[name],
                    printed=number if fits else None,
                    digits=3,
                    why_not="" if fits else "another order of the last three rows",
                )

    def claims(self, figures: Orders) -> Iterator[Claim]:
        first = figures.first
        others = ", ".join(
            f"{order.classes} {own['area'].value:g}/{own['perfect'].value:g}"
            for order, own in figures.by_order.items()
            if order is not first
        )
        yield judge_claim(
            "The learner's area is 5, a perfect one's 8: an AUC of 5/8.",
            f"of the eight orders that begin with {_KNOWN}, {len(figures.fits)} fits: "
            f"{first.classes}. Others: {others}.",
            len(figures.fits) == 1,
        )
        yield Claim(
            "A point (x, y) has x positives and y negatives; the path runs (0,0) (1,0) (2,0) "
            "(2,1).",
            "a positive row is a step up, and the path is said to end at (R - P, P): so x counts "
            f"negatives, and the path runs {_path(first.roc)}.",
            "contradicted",
            cause="the paper",
        )

    def notes(self, figures: Orders) -> tuple[str, ...]:
        return (
            "The classes of the first three rows are in the text, those of the others in a picture "
            "that was not seen; all eight ways to go on are listed.",
            "Rows are taken to have six different scores; only the highest, 0.89, and the lowest, "
            "0.17, are known. Of tied rows the text says nothing: steps row by row would depend on "
            "how the rows were sorted. Here a tie counts one half.",
        )


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

    Notes
    -----
    For a discriminant with direction w the true AUC is Phi(w'd / (sqrt(2) |w|)), with d the
    difference of the means.
    """

    n: int  # rows, a multiple of 20
    columns: int  # number of features
    delta: float  # distance of the two means, in standard deviations

    def __post_init__(self) -> None:
        check_number(self.n, "n", above=self.columns + _FOLDS)

    @property
    def name(self) -> str:
        """Such as 'n = 100, 5 columns, 1.5 apart'."""
        return f"n = {self.n}, {self.columns} columns, {self.delta:g} apart"

    def cross_validated(self, rng: np.random.Generator) -> Scored:
        """Draw rows and score each fold by the model of the others."""
        each = self.n // (2 * _FOLDS)
        x = rng.standard_normal((2, _FOLDS, each, self.columns))  # class, fold, row, column
        x[1, ..., 0] += self.delta
        way = self.fit(x)
        scores = np.einsum("cfri,fi->cfr", x, way)
        true_auc = ndtr(self.delta * way[:, 0] / (math.sqrt(2.0) * np.linalg.norm(way, axis=1)))
        cls, fold, _ = np.indices(scores.shape)
        return Scored(cls.ravel() == 1, scores.ravel(), fold.ravel(), true_auc)

    def fit(self, x: FloatArray) -> FloatArray:
        """Return the direction of the model of each fold, learned on the others.

        All folds are fitted at once: sums over nine folds are sums over all less those of one.
        """
        sums, squares = x.sum(axis=2), np.einsum("cfri,cfrj->cfij", x, x)
        count = x.shape[2] * (_FOLDS - 1)
        means = (sums.sum(axis=1, keepdims=True) - sums) / count
        within = squares.sum(axis=1, keepdims=True) - squares
        within = within - count * np.einsum("cfi,cfj->cfij", means, means)
        gap = (means[1] - means[0])[..., None]
        return np.asarray(np.linalg.solve(within.sum(axis=0), gap)[..., 0])


@dataclass(frozen=True)
class LogisticWorld(World):
    """The same classes, and logistic regression with a ridge of 1, which is the thesis' subject."""

    @property
    def name(self) -> str:
        return f"{super().name}, logistic regression"

    def fit(self, x: FloatArray) -> FloatArray:
        ways = []
        for fold in range(_FOLDS):
            rows = np.delete(x, fold, axis=1).reshape(2, -1, self.columns)
            y = np.repeat([False, True], rows.shape[1])
            design = np.column_stack((np.ones(y.size), np.concatenate(rows)))
            penalty = np.append(1e-8, np.ones(self.columns))
            ways.append(ridge_logistic(design, y, penalty)[1:])
        return np.array(ways)


@dataclass(frozen=True)
class FoldCoverage(PaperCell):
    """How often an interval from folds holds the AUC.

    Notes
    -----
    `holds`: the expected AUC is inside. `models`: the average true AUC of this data set's ten
    models is. `width`: of the interval, not clipped. `estimate` and `error`: the folds' mean, and
    its estimated standard error.
    """

    shares: ClassVar[tuple[str, ...]] = ("holds", "models")

    world: World  # where rows come from
    method: str  # as for `fold_auc_interval`
    expected: float  # the expected AUC of a model trained as those of the folds

    def __post_init__(self) -> None:
        check_choice(self.method, METHODS, "method")

    @property
    def source(self) -> object:
        return self.world

    def measure(self, streams: Streams) -> Measured:
        rows = streams.draw_shared("rows", self.world.cross_validated)
        found: FoldInterval = fold_auc_interval(
            Sample(rows.y, rows.scores, folds=rows.folds), method=self.method, level=_LEVEL
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


_WORLDS = (
    *(World(100, 5, 1.5), World(200, 10, 1.0), World(200, 30, 1.5), World(1000, 10, 1.0)),
    *(LogisticWorld(100, 5, 1.5), LogisticWorld(200, 10, 1.0), LogisticWorld(1000, 10, 1.0)),
)


@cache
def expected_auc(world: World, sets: int = 1500) -> float:
    """Average true AUC of the models of many cross-validations; its error is below 0.001."""
    rng = np.random.default_rng([world.n, world.columns, round(100 * world.delta)])
    sets = sets // 5 if isinstance(world, LogisticWorld) else sets
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


def _check_arithmetic() -> float:
    """Largest difference between limits of the package and those of areas counted by pairs."""
    rows = _WORLDS[0].cross_validated(np.random.default_rng(1))
    areas = []
    for fold in range(_FOLDS):
        pos, neg = (rows.scores[(rows.folds == fold) & (rows.y == side)] for side in (True, False))
        areas.append(np.mean(pos[:, None] > neg) + np.mean(pos[:, None] == neg) / 2.0)
    half = float(stdtrit(_FOLDS - 1, (1.0 + _LEVEL) / 2.0)) * np.std(areas, ddof=1) / _FOLDS**0.5
    found = fold_auc_interval(Sample(rows.y, rows.scores, folds=rows.folds), method="t")
    known = np.mean(areas) - half, np.mean(areas) + half
    return float(np.abs(np.subtract(found.unclipped, known)).max())


class FoldIntervals(PaperStudy[Figures]):
    """Section 5.1.4: the mean of ten folds' AUCs with Student's t, and other intervals."""

    name = "komarek-2004-fold-intervals"
    paper = "Komarek 2004, section 5.1.4"
    title = "Intervals for the AUC from ten folds"
    picture = Picture("world", ("method",), ("figure",))

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = tuple(
            FoldCoverage(world, method, expected)
            for world, expected in ((world, expected_auc(world)) for world in _WORLDS)
            for method in METHODS
        )
        times, few = (400, 50) if scale == "quick" else (10000, 1000)

        def often(cell: Cell) -> int:
            slow = isinstance(cell, FoldCoverage) and isinstance(cell.world, LogisticWorld)
            return few if slow else times

        return Study(self.name, cells, often, block=100, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Figures:
        return {
            (one.cell.world, one.cell.method): one.figures
            for one in found.cells
            if isinstance(one.cell, FoldCoverage)
        }

    def rows(self, figures: Figures) -> Iterator[Row]:
        for name in ("holds", "models", "width"):
            for world in _WORLDS:
                for method in METHODS:
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
            for method in METHODS
        }
        texts = {method: spread_text(each) for method, each in held.items()}
        off = _check_arithmetic()
        yield judge_claim(
            "One AUC for each of ten folds; their mean, and a 95% interval by Student's t.",
            f"rb.fold_auc_interval(method='t') is this interval: limits differ by {off:.0e} from "
            "areas counted pair by pair. How often it holds is not said.",
            off < 1e-9,
        )
        short = {
            kind.__name__: [
                _figure(figures, world, "t", "holds")
                for world in _WORLDS
                if type(world) is kind and world.n < 1000
            ]
            for kind in (World, LogisticWorld)
        }
        large = [
            _figure(figures, world, "t", "holds").value for world in _WORLDS if world.n == 1000
        ]
        yield judge_own(
            "this interval is too short for few rows, because folds share training rows.",
            f"with 100 and 200 rows the expected AUC is inside in {spread_text(short['World'])} "
            f"(linear discriminant), {spread_text(short['LogisticWorld'])} (logistic regression); "
            f"with 1,000 rows in {large[0]:.3f} and {large[1]:.3f}.",
            all(one.high < _LEVEL for one in short["World"]),
        )
        yield judge_own(
            "Nadeau and Bengio's interval from the same folds holds its level.",
            f"Nadeau and Bengio's {texts['nadeau-bengio']}, with 1.45 times the width; influence "
            f"curve {texts['influence']}; DeLong's variance in each fold {texts['fold-delong']}.",
            min(one.high for one in held["nadeau-bengio"]) >= 0.95,
        )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            "Ten folds with the classes in equal shares, a linear discriminant or logistic "
            "regression with a ridge of 1, normal classes: the true AUC of every fold's model is "
            "known. 'holds': the expected AUC of models trained on nine tenths of the rows; "
            "'models': the average of just these ten models.",
            "Limits are not clipped to 1.",
        )


STUDIES = (Example(), FoldIntervals())

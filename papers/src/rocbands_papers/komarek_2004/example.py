"""The example of six rows: the one order of the classes with an area of 5 out of 8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from rocbands.core.roc import RocCurve, roc_curve
from rocbands.study.measurements import Cell, Measured
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands.study.streams import Streams
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Line,
    Panel,
    PaperStudy,
    Row,
    Scale,
    judge_claim,
)

__all__ = ["Example", "Order"]

_KNOWN = "++-"  # the classes of the three best rows, as the text has them
_PRINTED = {"area": 5.0, "perfect": 8.0, "auc": 5.0 / 8.0}


@dataclass(frozen=True)
class Order(Cell):
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

    def facts(self) -> Mapping[str, object]:
        """Name the order."""
        return {"order": self.classes}

    @property
    def source(self) -> object:
        """The order; nothing is drawn."""
        return self.classes

    @property
    def roc(self) -> RocCurve:
        """The curve of the rows."""
        positive = [sign == "+" for sign in self.classes]
        return roc_curve(positive, -np.arange(len(positive)))

    def measure(self, streams: Streams) -> Measured:
        """Count squares."""
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


class Figures(NamedTuple):
    """Area, perfect area and AUC of each order, and the orders that fit what is printed."""

    by_order: dict[Order, dict[str, Figure]]
    fits: list[Order]

    @property
    def first(self) -> Order:
        """The order that fits, or the one that should."""
        return self.fits[0] if self.fits else _orders()[0]


class Example(PaperStudy[Figures]):
    """Figure 5.2: six rows, of whose order only the beginning is printed."""

    name = "komarek-2004-example"
    paper = "Komarek 2004, Figure 5.2"
    title = "Six rows with an AUC of 5/8"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        return Study(self.name, tuple(_orders()), 1, block=1, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Figures:
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
        return Figures(by_order, fits)

    def rows(self, figures: Figures) -> Iterator[Row]:
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

    def claims(self, figures: Figures) -> Iterator[Claim]:
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
        )

    def panels(self, figures: Figures) -> Iterator[Panel]:
        roc = figures.first.roc
        steps = [(0, 0), *zip(roc.fp.tolist(), roc.tp.tolist(), strict=True)]
        x, y = (tuple(float(step[axis]) for step in steps) for axis in (0, 1))
        n_pos, n_neg = float(roc.n_pos), float(roc.n_neg)
        lines = (
            Line(figures.first.classes, x, y),
            Line("perfect", (0.0, 0.0, n_neg), (0.0, n_pos, n_pos)),
        )
        yield Panel("Six rows", "negatives", "positives", lines)

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            "The classes of the first three rows are in the text, those of the others in a picture "
            "that was not seen; all eight ways to go on are listed.",
            "Rows are taken to have six different scores; only the highest, 0.89, and the lowest, "
            "0.17, are known. Of tied rows the text says nothing: steps row by row would depend on "
            "how the rows were sorted. Here a tie counts one half.",
        )

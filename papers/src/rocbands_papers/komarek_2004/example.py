"""The example of six rows: the one order of the classes with an area of 5 out of 8."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

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
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = ["EXAMPLE", "Order"]

_KNOWN = "++-"  # the classes of the three best rows, as the text has them
_AREA, _PERFECT = 5.0, 8.0


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


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    return Study("komarek-2004-example", tuple(_orders()), 1, block=1, seed=seed)


def _exact(value: float) -> Figure:
    """Return a figure that no chance is in."""
    return Figure(round(value, 12), value, value, 1)


def _path(curve: RocCurve) -> str:
    x, y = np.concatenate([[0], curve.fp]), np.concatenate([[0], curve.tp])
    return " ".join(f"({a},{b})" for a, b in zip(x, y, strict=True))


def _judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    found = {
        order: {
            name: _exact(result.figure(order, name).value) for name in ("area", "perfect", "auc")
        }
        for order in _orders()
    }
    fits = [
        order
        for order, figures in found.items()
        if (figures["area"].value, figures["perfect"].value) == (_AREA, _PERFECT)
    ]
    first = fits[0] if fits else _orders()[0]
    printed = {"area": _AREA, "perfect": _PERFECT, "auc": _AREA / _PERFECT}
    rows = [
        Row(
            where={"order": order.classes, "figure": name},
            ours=figures[name],
            printed=printed[name] if order is first else None,
            digits=3,
            why_not="" if order is first else "another order of the last three rows",
        )
        for order, figures in found.items()
        for name in printed
    ]
    return study.result(
        result,
        scale,
        rows=tuple(rows),
        claims=_claims(found, fits, first),
        panels=(_panel(first),),
        notes=(
            "The classes of the first three rows are in the text, those of the others in a picture "
            "that was not seen; all eight ways to go on are listed.",
            "Rows are taken to have six different scores; only the highest, 0.89, and the lowest, "
            "0.17, are known. Of tied rows the text says nothing: steps row by row would depend on "
            "how the rows were sorted. Here a tie counts one half.",
        ),
    )


def _claims(
    found: dict[Order, dict[str, Figure]], fits: list[Order], first: Order
) -> tuple[Claim, ...]:
    others = ", ".join(
        f"{order.classes} {figures['area'].value:g}/{figures['perfect'].value:g}"
        for order, figures in found.items()
        if order is not first
    )
    return (
        Claim(
            "The learner's area is 5, a perfect one's 8: an AUC of 5/8.",
            f"of the eight orders that begin with {_KNOWN}, {len(fits)} fits: {first.classes}. "
            f"Others: {others}.",
            "reproduced" if len(fits) == 1 else "not reproduced",
        ),
        Claim(
            "A point (x, y) has x positives and y negatives; the path runs (0,0) (1,0) (2,0) "
            "(2,1).",
            "a positive row is a step up, and the path is said to end at (R - P, P): so x counts "
            f"negatives, and the path runs {_path(first.roc)}.",
            "contradicted",
        ),
    )


def _panel(order: Order) -> Panel:
    roc = order.roc
    steps = [(0, 0), *zip(roc.fp.tolist(), roc.tp.tolist(), strict=True)]
    x, y = (tuple(float(step[axis]) for step in steps) for axis in (0, 1))
    n_pos, n_neg = float(roc.n_pos), float(roc.n_neg)
    return Panel(
        "Six rows",
        "negatives",
        "positives",
        (
            Line(order.classes, x, y),
            Line("perfect", (0.0, 0.0, n_neg), (0.0, n_pos, n_pos)),
        ),
    )


EXAMPLE = PaperStudy(
    name="komarek-2004-example",
    paper="Komarek 2004, Figure 5.2",
    title="Six rows with an AUC of 5/8",
    plan=_plan,
    verdicts=_judge,
)

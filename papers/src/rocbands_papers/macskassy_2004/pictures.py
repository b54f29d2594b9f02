"""Figures 5 and 6: fixed-width bands by the size of the set and the number of fitting curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rocbands.core.region import DisplacedRegion
from rocbands.study.measurements import Cell, Measured
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands.study.streams import Streams
from rocbands_papers.macskassy_2004.bands import DATA, FIT_SIZES, PAPER, SIZES, learn_trees
from rocbands_papers.methods import PrintedFixedWidth
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperStudy,
    Row,
    Scale,
    draw_line,
    judge_claim,
)
from rocbands_papers.verification import Host, fit_region

__all__ = ["Edges", "Pictures"]

_FPR = tuple(float(fpr) for fpr in np.linspace(0.0, 1.0, 101))


@dataclass(frozen=True)
class Edges(Cell):
    """Where the edges of a fixed-width band lie on average.

    Parameters
    ----------
    host, size, method, level
        As for `Verification`.
    n_fit : int
        Fitting sets, from R.

    Notes
    -----
    `lower`, `upper`: the edges along fpr. `push`: distance of either edge from the curve of R.
    `area`: of the band.
    """

    axis: ClassVar[str] = "fpr"

    host: Host
    size: int
    method: PrintedFixedWidth
    n_fit: int
    level: float = 0.95

    def facts(self) -> Mapping[str, object]:
        """Name model, size and method."""
        return {"model": self.host.name, "r": self.size, "fitting curves": self.n_fit}

    @property
    def source(self) -> object:
        """Host and size."""
        return (self.host, self.size)

    @property
    def points(self) -> tuple[float, ...]:
        """A hundred steps along fpr."""
        return _FPR

    def measure(self, streams: Streams) -> Measured:
        """Draw R, make the band, follow its edges."""
        sample = streams.draw_shared("R", lambda rng: self.host.draw(rng, self.size))
        curves = sample.curves(streams.own_rng("fitting"), self.size, self.n_fit)
        region = fit_region(self.method, sample.roc, sample, curves, self.level)
        assert isinstance(region, DisplacedRegion), "a fixed-width band is a displaced curve"
        at, (lower, upper) = np.array(_FPR), region.edges()
        return {
            "lower": region.lower_at(at).tolist(),
            "upper": region.upper_at(at).tolist(),
            "push": region.dx * float(np.hypot(1.0, region.slope)),
            "area": upper.area - lower.area,
        }


class OneBand(NamedTuple):
    """Figures of one band: its edges along fpr, and single numbers."""

    edges: dict[str, list[Figure]]
    push: Figure
    area: Figure


class Pictures(PaperStudy[dict[str, OneBand]]):
    """Figure 5 (five sizes) or 6 (five numbers of fitting curves)."""

    needs = (DATA,)

    def __init__(self, number: Literal[5, 6]) -> None:
        self.name = f"macskassy-2004-figure{number}"
        self.paper = f"{PAPER}, Figure {number}"
        by = "the size of the set" if number == 5 else "the number of fitting curves"
        self.title = f"Fixed-width bands by {by}"
        # label: rows of R, fitting curves
        self.bands = (
            {f"r = {size}": (size, 1000) for size in SIZES}
            if number == 5
            else {f"{n_fit} fitting curves": (1000, n_fit) for n_fit in FIT_SIZES}
        )

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        (host,) = learn_trees(data, seed, 1)
        cells = (
            Edges(host, size, PrintedFixedWidth(), n_fit) for size, n_fit in self.bands.values()
        )
        return Study(self.name, tuple(cells), 40 if scale == "quick" else 400, block=10, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> dict[str, OneBand]:
        return {
            label: OneBand(
                {edge: found.along(one.cell, edge) for edge in ("lower", "upper")},
                found.figure(one.cell, "push"),
                found.figure(one.cell, "area"),
            )
            for label, one in zip(self.bands, found.cells, strict=True)
        }

    def rows(self, figures: dict[str, OneBand]) -> Iterator[Row]:
        for name in ("push", "area"):
            for label, band in figures.items():
                yield Row(
                    where={"band": label, "figure": name},
                    ours=band.push if name == "push" else band.area,
                    why_not="a picture, without numbers",
                )

    def claims(self, figures: dict[str, OneBand]) -> Iterator[Claim]:
        push = [band.push for band in figures.values()]
        area = [band.area for band in figures.values()]
        yield from _size_claims(push, area) if self.name.endswith("5") else _runs_claims(push)

    def panels(self, figures: dict[str, OneBand]) -> Iterator[Panel]:
        lines = (
            draw_line(f"{label}, {name}", _FPR, edge)
            for label, band in figures.items()
            for name, edge in band.edges.items()
        )
        yield Panel(self.title, "false positive rate", "true positive rate", tuple(lines))

    def notes(self, figures: dict[str, OneBand]) -> tuple[str, ...]:
        return (
            "Fixed-width bands of one tree, a substitute for C4.5 release 8; edges are averages "
            "over bands. Fitting sets come from R. 'push' is the distance of either edge from the "
            "curve.",
        )


def _size_claims(push: list[Figure], area: list[Figure]) -> Iterator[Claim]:
    scaled = [one.value * size**0.5 for one, size in zip(push, SIZES, strict=True)]
    yield judge_claim(
        "Bands get narrower as sets grow.",
        "areas " + ", ".join(f"{one.value:.3f}" for one in area) + ".",
        all(a.low > b.high for a, b in pairwise(area)),
    )
    yield judge_claim(
        "With few rows the estimate is biased: bands are too wide.",
        "push times sqrt(r) is "
        + ", ".join(f"{one:.2f}" for one in scaled)
        + ": the width is what the number of rows explains.",
        scaled[0] > 1.15 * scaled[-1],
    )


def _runs_claims(push: list[Figure]) -> Iterator[Claim]:
    yield Claim(
        "The upper edge is fairly stable; the lower edge tightens with more fitting curves.",
        "either edge is pushed by the same distance, which is "
        + ", ".join(f"{one.value:.4f}" for one in push)
        + " on average, from 10 to 5000 curves. Single bands from 10 curves vary; more curves "
        "do not make bands narrower.",
        "reproduced" if push[0].low > push[-1].high else "contradicted",
    )

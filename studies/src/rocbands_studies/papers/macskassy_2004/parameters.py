"""Figures 5 and 6, sections 3.3 and 5.4.1: sizes, fitting curves, levels, learning sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rocbands.core.region import DisplacedRegion
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.macskassy_2004.setting import (
    DATA,
    FIT_SIZES,
    PAPER,
    SIZES,
    TWO_HOSTS,
    Figures,
    Grid,
    Kind,
    averages,
    fixed_width,
    joint_region,
    judge_against,
    learn_trees,
    working_hotelling,
)
from rocbands_studies.papers.methods import PrintedFixedWidth
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperCell,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    mean_of,
)
from rocbands_studies.papers.verification import Host, fit_region
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

_FPR = tuple(float(fpr) for fpr in np.linspace(0.0, 1.0, 101))


@dataclass(frozen=True)
class Edges(PaperCell):
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

    @property
    def source(self) -> object:
        return (self.host, self.size)

    @property
    def points(self) -> tuple[float, ...]:
        return _FPR

    def measure(self, streams: Streams) -> Measured:
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
    picture = Picture("band", panels=("figure",))

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
        + ": the width is what the number of rows explains. The difference is the paper's, which "
        "shows one band of each size.",
        scaled[0] > 1.15 * scaled[-1],
        "the paper",
    )


def _runs_claims(push: list[Figure]) -> Iterator[Claim]:
    yield judge_against(
        "The upper edge is fairly stable; the lower edge tightens with more fitting curves.",
        "either edge is pushed by the same distance, which is "
        + ", ".join(f"{one.value:.4f}" for one in push)
        + " on average, from 10 to 5000 curves. Single bands from 10 curves vary; more curves "
        "do not make bands narrower. The difference is the paper's, which shows one band of each.",
        push[0].low > push[-1].high,
    )


_SAID = "said in words only"
_R = 12500
_LEVELS = (0.90, 0.95, 0.99)


def _at_level(level: float) -> list[Kind]:
    """Return the ten methods of Table 2, with two hosts."""
    kinds = (
        *(replace(fixed_width(), n_fit=0), joint_region()),
        *(*working_hotelling()[:2], *averages()),
    )
    return [
        replace(
            kind, hosts=(TWO_HOSTS,), tested=("inside",), level=level, extra=(("level", level),)
        )
        for kind in kinds
    ]


class Levels(Grid):
    """Bands of three levels, with two hosts."""

    name = "macskassy-2004-levels"
    paper = f"{PAPER}, section 3.3"
    title = "Verification curves inside, by the level of the band"
    picture = Picture("level", ("method",))
    kinds = tuple(kind for level in _LEVELS for kind in _at_level(level))
    repeats: ClassVar[dict[Scale, tuple[int, int, int]]] = {
        "quick": (2, 10, 200),
        "full": (10, 20, 200),
    }

    def claims(self, figures: Figures) -> Iterator[Claim]:
        found = {
            kinds[0].name: [figures(kind, _R, TWO_HOSTS) for kind in kinds]
            for kinds in zip(*map(_at_level, _LEVELS), strict=True)
        }
        reached = {
            name: [one.high >= level for one, level in zip(held, _LEVELS, strict=True)]
            for name, held in found.items()
        }
        texts = "; ".join(
            f"{name} " + ", ".join(f"{one.value:.2f}" for one in held)
            for name, held in found.items()
        )
        alike = sum(len(set(one)) == 1 for one in reached.values())
        always = ", ".join(name for name, one in reached.items() if all(one)) or "none"
        yield judge_claim(
            "Other levels (0.90 and 0.99) give similar results.",
            f"at 0.90, 0.95, 0.99: {texts}. Whether a band reaches its level is the same at all "
            f"three for {alike} of {len(reached)} methods; those that reach it: {always}.",
            alike == len(reached),
        )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            "Fitting sets come from R and verification sets from RG, as in section 5.3; r = 12500, "
            "whole curves.",
        )


_MODEL_SIZES = (250, 1000, 4000, 16000)


class OneSize(NamedTuple):
    """Area under the curve of all rows, and area of the bands, of models from so many rows."""

    auc: float
    area: Figure


class ModelSizes(PaperStudy[dict[int, OneSize]]):
    """Fixed-width bands of trees learned from sets of several sizes."""

    name = "macskassy-2004-model-sizes"
    paper = f"{PAPER}, section 5.4.1"
    title = "Fixed-width bands by the size of the learning set"
    picture = Picture("learned from", panels=("figure",))
    needs = (DATA,)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = (
            Edges(host, 1000, PrintedFixedWidth(), 200)
            for size in _MODEL_SIZES
            for host in learn_trees(data, seed, 1 if scale == "quick" else 5, size)
        )
        return Study(self.name, tuple(cells), 20 if scale == "quick" else 100, block=10, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> dict[int, OneSize]:
        cells = [one for one in found.cells if isinstance(one.cell, Edges)]
        count = len(cells) // len(_MODEL_SIZES)
        sizes = {}
        for place, size in enumerate(_MODEL_SIZES):
            group = cells[place * count : (place + 1) * count]
            areas = [found.figure(one.cell, "area") for one in group]
            aucs = [one.cell.host.roc.auc for one in group if isinstance(one.cell, Edges)]
            sizes[size] = OneSize(sum(aucs) / len(aucs), mean_of(areas))
        return sizes

    def rows(self, figures: dict[int, OneSize]) -> Iterator[Row]:
        for size, one in figures.items():
            auc = Figure(one.auc, one.auc, one.auc, 1)
            for name, figure in (("AUC", auc), ("area of the band", one.area)):
                where = {"learned from": size, "figure": name}
                yield Row(where=where, ours=figure, digits=3, why_not=_SAID)

    def claims(self, figures: dict[int, OneSize]) -> Iterator[Claim]:
        aucs = [one.auc for one in figures.values()]
        areas = [one.area.value for one in figures.values()]
        yield judge_claim(
            "Curves become higher as the model-generation set grows.",
            "AUC " + ", ".join(f"{auc:.3f}" for auc in aucs) + f" from {_MODEL_SIZES} rows.",
            all(a < b for a, b in pairwise(aucs)),
        )
        yield judge_claim(
            "This has some effect on the width of the bands.",
            "areas of bands of 1000 rows " + ", ".join(f"{area:.3f}" for area in areas) + ".",
            max(areas) > 1.05 * min(areas),
        )

    def notes(self, figures: dict[int, OneSize]) -> tuple[str, ...]:
        return ("The paper prints no number; it fixes the size at 1000 afterwards.",)

"""Section 3.3 and 5.4.1: other levels, and the size of the set that the model is learned from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2004.bands import AS_PRINTED, DATA, PAPER, learn_trees
from rocbands_papers.macskassy_2004.pictures import Edges
from rocbands_papers.methods import PrintedFixedWidth, PrintedJointRegion
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperStudy,
    Row,
    Scale,
    draw_line,
    judge_claim,
    mean_of,
)
from rocbands_papers.verification import Host, Verification

__all__ = ["Levels", "ModelSizes"]

_SAID = "said in words only"
_R = 12500
_LEVELS = (0.90, 0.95, 0.99)
_METHODS = {"fixed-width": PrintedFixedWidth(), "joint-region": PrintedJointRegion()}
Held = dict[tuple[str, float], Figure]  # by method and level


def _cell(host: Host, method: str, level: float) -> Verification:
    return Verification(host, _R, _METHODS[method], *AS_PRINTED, n_verify=200, level=level)


class Levels(PaperStudy[Held]):
    """Bands of three levels, with the hosts as printed."""

    name = "macskassy-2004-levels"
    paper = f"{PAPER}, section 3.3"
    title = "Verification curves inside, by the level of the band"
    needs = (DATA,)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        models, bands = (2, 10) if scale == "quick" else (10, 50)
        cells = (
            _cell(host, method, level)
            for host in learn_trees(data, seed, models)
            for method in _METHODS
            for level in _LEVELS
        )
        return Study(self.name, tuple(cells), bands, block=10, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Held:
        hosts = dict.fromkeys(
            one.cell.host for one in found.cells if isinstance(one.cell, Verification)
        )
        return {
            (method, level): mean_of(
                found.figure(_cell(host, method, level), "inside") for host in hosts
            )
            for method in _METHODS
            for level in _LEVELS
        }

    def rows(self, figures: Held) -> Iterator[Row]:
        for (method, level), figure in figures.items():
            yield Row(where={"method": method, "level": level}, ours=figure, why_not=_SAID)

    def claims(self, figures: Held) -> Iterator[Claim]:
        reached = {
            method: [figures[method, level].high >= level for level in _LEVELS]
            for method in _METHODS
        }
        texts = "; ".join(
            f"{method} "
            + ", ".join(f"{figures[method, level].value:.2f} at {level:g}" for level in _LEVELS)
            for method in _METHODS
        )
        yield judge_claim(
            "Other levels (0.90 and 0.99) give similar results.",
            f"{texts}: whether a band reaches its level is the same at all three."
            if all(len(set(one)) == 1 for one in reached.values())
            else f"{texts}.",
            all(len(set(one)) == 1 for one in reached.values()),
        )

    def panels(self, figures: Held) -> Iterator[Panel]:
        lines = (
            draw_line(method, _LEVELS, [figures[method, level] for level in _LEVELS])
            for method in _METHODS
        )
        yield Panel("r = 12500", "level", "verification curves inside", tuple(lines))

    def notes(self, figures: Held) -> tuple[str, ...]:
        return ("Fitting sets come from R and verification sets from RG, as printed; r = 12500.",)


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

    def panels(self, figures: dict[int, OneSize]) -> Iterator[Panel]:
        line = draw_line("", _MODEL_SIZES, [one.area for one in figures.values()])
        yield Panel("bands of 1000 rows", "rows learned from", "area", (line,), log_x=True)

    def notes(self, figures: dict[int, OneSize]) -> tuple[str, ...]:
        return ("The paper prints no number; it fixes the size at 1000 afterwards.",)

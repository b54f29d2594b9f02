"""Dugas and Gadoury (2009): limits for costs, and for differences of costs, along w."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rocbands.study.measurements import Cell
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009.bootstrap import ClosedForms
from rocbands_papers.dugas_2009.coverage import PAPER, plan_cells
from rocbands_papers.dugas_2009.one_model import Figure2, Figure3, Figure5
from rocbands_papers.dugas_2009.thresholds import Validation
from rocbands_papers.dugas_2009.two_models import CheaperRegions, Figure4, Figure6
from rocbands_papers.paper import Claim, DataSource, Panel, PaperResult, PaperStudy, Row, Scale

__all__ = ["STUDIES"]

_FIGURES: dict[int, PaperStudy[Any]] = {
    2: Figure2(),
    3: Figure3(),
    4: Figure4(),
    5: Figure5(),
    6: Figure6(),
}
Parts = Mapping[int, PaperResult]


class AllFigures(PaperStudy[Parts]):
    """All experiments of the paper by one command: spread, size, difference, full sampling."""

    name = "dugas-2009"
    paper = f"{PAPER}, Figures 2 to 6"
    title = "All experiments: spread, size, difference, full sampling"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells: list[Cell] = []
        for figure in _FIGURES.values():
            cells += figure.plan(scale, seed, data).cells
        return plan_cells(self.name, cells, scale, seed)

    def read(self, found: StudyResult, scale: Scale) -> Parts:
        return {number: figure.judge(found, scale) for number, figure in _FIGURES.items()}

    def rows(self, figures: Parts) -> Iterator[Row]:
        for number, part in figures.items():
            for row in part.rows:
                yield replace(row, where={"figure": number, **row.where})

    def claims(self, figures: Parts) -> Iterator[Claim]:
        for number, part in figures.items():
            for claim in part.claims:
                yield replace(claim, item=f"Figure {number}")

    def panels(self, figures: Parts) -> Iterator[Panel]:
        for number, part in figures.items():
            for panel in part.panels:
                yield replace(panel, title=f"Figure {number}: {panel.title}")

    def notes(self, figures: Parts) -> Iterator[str]:
        yield from dict.fromkeys(note for part in figures.values() for note in part.notes)


STUDIES = (AllFigures(), *_FIGURES.values(), Validation(), CheaperRegions(), ClosedForms())

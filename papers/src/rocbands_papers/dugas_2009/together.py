"""All experiments of the paper by one command: spread, size, difference, and full sampling."""

from __future__ import annotations

from dataclasses import replace

from rocbands.study.measurements import Cell
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009.full import FIGURE_5, FIGURE_6
from rocbands_papers.dugas_2009.pairs import FIGURE_4
from rocbands_papers.dugas_2009.single import FIGURE_2, FIGURE_3, PAPER, study_of
from rocbands_papers.paper import DataSource, PaperResult, PaperStudy, Scale

__all__ = ["ALL"]

_PARTS = {2: FIGURE_2, 3: FIGURE_3, 4: FIGURE_4, 5: FIGURE_5, 6: FIGURE_6}


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells: list[Cell] = []
    for part in _PARTS.values():
        cells += part.plan(scale, seed, data).cells
    return study_of("dugas-2009", cells, scale, seed)


def _judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    parts = {number: part.judge(found, scale) for number, part in _PARTS.items()}
    return study.result(
        found,
        scale,
        rows=tuple(
            replace(row, where={"figure": number, **row.where})
            for number, part in parts.items()
            for row in part.rows
        ),
        claims=tuple(
            replace(claim, text=f"Figure {number}: {claim.text}")
            for number, part in parts.items()
            for claim in part.claims
        ),
        panels=tuple(
            replace(panel, title=f"Figure {number}: {panel.title}")
            for number, part in parts.items()
            for panel in part.panels
        ),
        notes=tuple(dict.fromkeys(note for part in parts.values() for note in part.notes)),
    )


ALL = PaperStudy(
    name="dugas-2009",
    paper=f"{PAPER}, Figures 2 to 6",
    title="All experiments: spread, size, difference, full sampling",
    plan=_plan,
    verdicts=_judge,
)

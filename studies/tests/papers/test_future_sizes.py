"""Later sets of other sizes: cells that measure what they say, verdicts that can fail."""

from __future__ import annotations

from rocbands_studies import Study, run
from rocbands_studies.catalog import find_study
from rocbands_studies.papers.macskassy_2005.future_sizes import LaterSizes
from rocbands_studies.results import CellResult, Figure, StudyResult

STUDY = find_study("macskassy-2005-future-sizes")
PLAN = STUDY.plan("quick", 1, None)


def judged(value) -> list[str]:
    cells = []
    for cell in PLAN.cells:
        v = value(cell)
        figures = {
            "contained": Figure(v, v - 0.01, v + 0.01, 100),
            "area": Figure(0.3, 0.3, 0.3, 1),
        }
        cells.append(CellResult(cell, 100, figures, 0.0))
    found = STUDY.judge(StudyResult(PLAN.name, 1, tuple(cells)), "quick")
    assert len(found.rows) == 216
    return [claim.verdict for claim in found.claims]


def test_verdicts_follow_the_numbers() -> None:
    def expected(cell: LaterSizes) -> float:
        ratio = cell.later_r / cell.r
        return 0.91 if cell.widened == "sizes" else {0.0625: 0.1, 0.25: 0.6}.get(ratio, 0.95)

    assert judged(expected) == ["reproduced", *["holds"] * 5]
    assert judged(lambda cell: 0.5)[0] == "not reproduced"
    assert judged(lambda cell: 0.5)[2:] == ["does not hold"] * 4
    grows = judged(lambda cell: 0.99 if cell.later_r > cell.r else 0.85)
    assert grows[1] == "does not hold"


def test_the_factor_for_other_sizes_is_what_makes_the_difference() -> None:
    chosen = [
        cell
        for cell in PLAN.cells
        if (cell.r, cell.later_r) == (200, 50) and cell.method.name == "fixed-width"
    ]
    found = run(Study("a look", tuple(chosen), 10, 10), workers=1)
    shares = {(cell.population, cell.widened): found.cells[k].figures["contained"].value
              for k, cell in enumerate(chosen)}  # fmt: skip
    for population in {cell.population for cell in chosen}:
        assert shares[population, "sizes"] > 0.85 > shares[population, "equal"] + 0.05

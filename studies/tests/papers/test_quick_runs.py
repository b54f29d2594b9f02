"""What a quick run prints: verdicts that its few sets bear out, and no more than a screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rocbands_studies.catalog import Scale
from rocbands_studies.checkout import RESULTS
from rocbands_studies.measurements import TrueCurve
from rocbands_studies.papers import paper
from rocbands_studies.papers.methods import PrintedJointRegion
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Row,
    judge_claim,
    read_stored,
)
from rocbands_studies.populations import Binormal, RandomClasses
from rocbands_studies.results import CellResult, Figure, StudyResult
from rocbands_studies.spec import Study

CELL = TrueCurve(Binormal(2.0), RandomClasses(100), PrintedJointRegion())


class OneShare(PaperStudy[Figure]):
    """A paper that says that more than 0.9 are inside."""

    name, paper, title = "one", "A paper, Table 1", "One share"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        return Study(self.name, (CELL,), 10, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Figure:
        return found.figure(CELL, "holds")

    def rows(self, figures: Figure) -> Iterator[Row]:
        yield Row(where={"r": 100}, ours=figures)

    def claims(self, figures: Figure) -> Iterator[Claim]:
        yield judge_claim("More than 0.9 are inside.", "", figures.value > 0.9)


@pytest.mark.parametrize(
    ("value", "half", "n", "quick", "full"),
    [
        (0.99, 0.005, 1000, "reproduced", "reproduced"),
        (0.92, 0.03, 30, "too few sets", "reproduced"),
        (0.88, 0.03, 30, "too few sets", "not reproduced"),
        (0.5, 0.05, 30, "not reproduced", "not reproduced"),
        (0.85, 0.0, 2, "too few sets", "not reproduced"),  # two sets that are alike by chance
        (0.95, float("inf"), 1, "too few sets", "reproduced"),
    ],
)
def test_a_verdict_that_noise_could_turn_is_none(
    monkeypatch: pytest.MonkeyPatch, value: float, half: float, n: int, quick: str, full: str
) -> None:
    monkeypatch.setattr(paper, "_DRAWS", 20)
    figure = Figure(value, value - half, value + half, n)
    found = StudyResult("one", 1, (CellResult(CELL, n, {"holds": figure}, 0.0),))
    said = {scale: OneShare().judge(found, scale).claims[0].verdict for scale in ("quick", "full")}
    assert said == {"quick": quick, "full": full}


@pytest.mark.parametrize("file", sorted(RESULTS.glob("*.json")), ids=lambda file: file.stem)
def test_verdicts_come_first_then_at_most_twelve_rows(file: Path) -> None:
    result = read_stored(json.loads(file.read_text(encoding="utf-8")))
    above, rows, below = result.arrange()
    first, *claims = above.split("\n")
    assert first == result.sentence
    assert [line.partition(":")[0] for line in claims] == [one.verdict for one in result.claims]
    shown = len(next(iter(rows.values())))
    assert shown == min(len(result.rows), 12)
    assert (f"{shown} of {len(result.rows)} rows" in below) == (shown < len(result.rows))
    judged = sum(row.verdict != "cannot be compared" for row in result.rows)
    assert sum(verdict != "" for verdict in rows["verdict"]) == min(judged, 12)

"""`rocbands report` on a reader study."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import rocbands as rb
from tests.cli.test_questions import Run
from tests.reporting.test_readers import VALIDATOR, read, table

COLUMNS = ("--reader", "reader", "--case", "case", "--test", "modality")
NAMED = (*COLUMNS, "--label", "truth", "--score", "rating")


@pytest.fixture
def study(tmp_path: Path) -> str:
    columns = table(algorithm=True)
    path = tmp_path / "study.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return str(path)


def test_the_command_writes_the_report_of_the_library(
    run: Run, study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["rocbands", "report", "study.csv"])
    asked = ("--algorithm", "AI", "--margin", "0.05", "--level", "0.9", "--title", "Ours")
    said = json.loads(run("report", study, *NAMED, *asked, "--json").stdout)
    VALIDATOR.validate(said)
    found = rb.compare_readers(read(table(algorithm=True)), algorithm="AI", margin=0.05, level=0.9)
    expected = dict(rb.report(found, path=None, title="Ours").payload)
    own = ("made", "data")
    assert {k: v for k, v in said.items() if k not in own} == {
        k: v for k, v in expected.items() if k not in own
    }
    assert said["data"]["source"] == "study.csv"
    assert said["made"]["command"] == "rocbands report study.csv"
    page = tmp_path / "study.html"
    written = run("report", study, *NAMED, "--algorithm", "AI", "-o", str(page))
    assert "AI" in written.stdout
    assert "<h1>Reader study: CT, MR</h1>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--case", "case"), "--case is not for models"),
        ((*COLUMNS, "--fpr", "0.1"), "--fpr is not for a reader study"),
        ((*COLUMNS, "--by", "modality"), "--by is not for a reader study"),
        (("--reader", "readr"), "no column 'readr'"),
    ],
)
def test_what_does_not_fit_is_refused(
    run: Run, study: str, asked: tuple[str, ...], words: str
) -> None:
    found = run("report", study, *asked, "--json")
    assert found.exit_code == 2
    assert words in " ".join(found.stderr.split())

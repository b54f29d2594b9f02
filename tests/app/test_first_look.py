"""The first look at large files ends soon; tasks that cannot store their results say so."""

from __future__ import annotations

import csv
import errno
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rocbands.app.data import Asked
from rocbands.app.preview import list_labels, preview
from rocbands.app.tasks import FIRST_CELLS, FIRST_ROWS, LONGEST
from rocbands.app.work import run_task
from rocbands.io.excel import keep_tables


def look(path: Path, function: Any = preview, **asked: str) -> dict[str, Any]:
    found: dict[str, Any] = function(
        Asked({"path": str(path), "name": path.name, **asked}), lambda *_: None
    )
    return found


@pytest.mark.parametrize("columns", [2, FIRST_CELLS // FIRST_ROWS, 2 * FIRST_CELLS // FIRST_ROWS])
def test_rows_and_cells_are_limited(tmp_path: Path, columns: int) -> None:
    most = min(FIRST_ROWS, FIRST_CELLS // columns)
    for rows in (most, most + 1):
        path = tmp_path / f"{rows}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow([f"c{k}" for k in range(columns)])
            csv.writer(file).writerows([[k % 7] * columns for k in range(rows)])
        found = look(path)
        assert found["n_rows"] == (rows if rows == most else None)
        assert found["sampled"] == (rows > most)
        assert len(found["columns"]) == columns
        assert len(found["rows"]) == 8


def test_a_workbook_is_not_converted_for_its_first_rows(tmp_path: Path) -> None:
    book, path = openpyxl.Workbook(), tmp_path / "a.xlsx"
    assert book.active is not None
    for row in (("label", "score"), *((k % 2, k) for k in range(3000))):
        book.active.append(row)
    book.save(path)
    with keep_tables(tmp_path):
        assert look(path)["n_rows"] is None
        assert not list(tmp_path.glob("*.csv"))
        assert look(path, list_labels, label="label", sheet="Sheet")["n_rows"] == 3000
        assert len(list(tmp_path.glob("*.csv"))) == 1


def test_long_cells_are_cut(tmp_path: Path) -> None:
    long = ["x" * (LONGEST + 100), "y" * 10]
    pq.write_table(pa.table({"label": ["0", "1"], "text": long}), tmp_path / "a.parquet")
    found = look(tmp_path / "a.parquet")
    assert [row[1] for row in found["rows"]] == [text[:LONGEST] for text in long]
    assert found["columns"][1]["distinct"] == [text[:LONGEST] for text in long]


def test_a_result_that_cannot_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no other place to choose."""

    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("rocbands.io.writing.os.fsync", fill)
    folder = tmp_path / "store" / "job"
    folder.mkdir(parents=True)
    error = run_task("plan", {"auc": 0.8, "width": 0.2}, folder, lambda *_: None)["error"]
    said = "The result cannot be stored: No space left on device."
    assert error["message"] == f"{said} Make room in {tmp_path}, and try again."
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("labels", "positive"), [(("0", "1"), "1"), (("1", "2"), None), (("-1", "1"), "1")]
)
def test_which_of_1_and_2_is_positive_is_not_guessed(
    tmp_path: Path, labels: tuple[str, str], positive: str | None
) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{labels[row % 2]},{row * 7 % 11}.5" for row in range(40)]
    path.write_text("\n".join(["label,score", *rows]), encoding="utf-8")
    assert look(path)["suggestion"]["positive"] == positive
    assert look(path, list_labels, label="label")["positive"] == positive

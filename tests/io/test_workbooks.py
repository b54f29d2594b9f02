"""Workbooks that would fill the memory; tables written as workbooks."""

from __future__ import annotations

import io
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import rocbands as rb
from rocbands.io import excel
from rocbands.io.excel import find_sheets, keep_tables, workbook_to_csv, write_workbook
from tests.io.zip_bomb import zip_bomb


@pytest.mark.parametrize("lie", [False, True])
def test_a_large_archive_is_refused_with_little_memory(lie: bool) -> None:
    bomb = io.BytesIO(zip_bomb(lie))
    with zipfile.ZipFile(bomb) as book:
        stated = book.getinfo("xl/styles.xml").file_size
    assert stated == (1000 if lie else 1900 * 2**20)
    tracemalloc.start()
    try:
        said = "has not the size that it states" if lie else "larger than 1 GB once it is unpacked"
        with pytest.raises(rb.InputError, match=said):
            workbook_to_csv(bomb, "x.xlsx")
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def make_book(*cells: tuple[str, str], dimension: str = "A1:B1") -> bytes:
    """A workbook whose first sheet has these rows of XML, each with its number."""
    out = io.BytesIO()
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["label", "score"])
    book.save(out)
    made = io.BytesIO()
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(made, "w") as new:
        for part in old.infolist():
            text = old.read(part)
            if part.filename == "xl/worksheets/sheet1.xml":
                rows = "".join(f'<row r="{number}">{xml}</row>' for number, xml in cells)
                text = text.replace(b"</sheetData>", rows.encode() + b"</sheetData>")
                text = text.replace(b"A1:B1", dimension.encode())
            new.writestr(part, text)
    return made.getvalue()


def test_rows_are_counted_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet that does not state its rows is otherwise read to its end when it is opened."""
    monkeypatch.setattr("rocbands.io.excel._MOST_ROWS", 5)
    row = "<c r='A{0}'><v>1</v></c><c r='B{0}'><v>2</v></c>"
    for piece in (7, 1 << 20):  # bytes: tags are cut, or not
        monkeypatch.setattr("rocbands.io.excel._PIECE", piece)
        for last in (5, 6):
            cells = [(str(k), row.format(k)) for k in range(2, last + 1)]
            book = io.BytesIO(make_book(*cells, dimension=""))
            if last == 5:
                assert workbook_to_csv(book, "x.xlsx", most=1) == b"label,score\n1,2\n"
                continue
            with pytest.raises(rb.InputError, match="its sheet has more than"):
                workbook_to_csv(book, "x.xlsx", most=1)


def test_rows_beyond_those_of_a_sheet_are_refused() -> None:
    row = "<c r='A{0}'><v>1</v></c><c r='B{0}'><v>2</v></c>"
    far = 10**12
    book = make_book(("2", row.format(2)), (str(far), row.format(far)))
    with pytest.raises(rb.InputError, match="its sheet has more than 1,048,576 rows"):
        workbook_to_csv(io.BytesIO(book), "x.xlsx")
    assert workbook_to_csv(io.BytesIO(book), "x.xlsx", most=1) == b"label,score\n1,2\n"
    stated = make_book(("2", row.format(2)), dimension="A1:B1048577")
    with pytest.raises(rb.InputError, match="its sheet has more than 1,048,576 rows"):
        workbook_to_csv(io.BytesIO(stated), "x.xlsx", most=1)
    near = make_book(("2", row.format(2)))
    assert workbook_to_csv(io.BytesIO(near), "x.xlsx") == b"label,score\n1,2\n"


def test_the_first_rows_alone_and_progress(tmp_path: Path) -> None:
    made, book, shares = openpyxl.Workbook(), io.BytesIO(), list[float]()
    assert made.active is not None
    for row in (("label", "score"), *zip(["a", "b"] * 2500, range(5000), strict=True)):
        made.active.append(row)
    made.save(book)
    with keep_tables(tmp_path):
        few = workbook_to_csv(book, "x.xlsx", most=3)
        assert few == b"label,score\na,0\nb,1\na,2\n"
        whole = workbook_to_csv(book, "x.xlsx", report=shares.append)  # not the few that were read
    assert whole.count(b"\n") == 5001
    assert shares == [k / 5001 for k in range(1000, 5001, 1000)]


def test_a_table_that_grows_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "_MOST", 10_000)
    monkeypatch.setattr(excel, "_check_parts", lambda book, source: None)
    wide = [(str(k), f"<c r='A{k}'><v>1</v></c><c r='XFD{k}'><v>2</v></c>") for k in range(2, 9)]
    with pytest.raises(rb.InputError, match="its table is larger than 1 GB"):
        workbook_to_csv(io.BytesIO(make_book(*wide)), "x.xlsx")


def test_other_compressions_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(rb.InputError, match="compressed in a way that workbooks are not"):
        workbook_to_csv(out, "x.xlsx")


def test_sheets_are_found_and_tables_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    write_workbook({"one": {"label": ["a", "b"], "score": [1.5, 2]}, "two": {"x": [1]}}, path)
    assert find_sheets(path, "x.xlsx") == (["one", "two"], "one")
    assert find_sheets(Path(__file__), "a.py") == (None, None)
    kept = tmp_path / "kept"
    kept.mkdir()
    with keep_tables(kept):
        first = workbook_to_csv(io.BytesIO(path.read_bytes()), "x.xlsx", "one")
        path.write_bytes(b"")
        assert workbook_to_csv(io.BytesIO(path.read_bytes()), "x.xlsx", "one") == first
        with pytest.raises(rb.InputError, match="must be a whole Excel workbook"):
            workbook_to_csv(io.BytesIO(path.read_bytes()), "x.xlsx", "two")
    with pytest.raises(rb.InputError, match="must be a whole Excel workbook"):
        workbook_to_csv(io.BytesIO(path.read_bytes()), "x.xlsx", "one")


def test_cells_of_a_written_workbook(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    texts = ["=1+1", "-a", "+a", "@a", "\ta", " =a", "plain", "a\x07b", None]
    numbers = [1.5, -2.0, np.float64(0.1), np.int64(3), np.nan, np.inf, True, None, 10**20]
    write_workbook({"a" * 40: {"=name": texts, "number": numbers}}, path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["a" * 31]
    head, *rows = book.worksheets[0].iter_rows()
    assert [cell.value for cell in head] == ["'=name", "number"]
    assert not any(cell.data_type == "f" for row in rows for cell in row)
    written = [row[0].value for row in rows]
    assert written[:4] == ["'=1+1", "'-a", "'+a", "'@a"]
    assert all(re.match(r"'\s", str(text)) for text in written[4:6])
    assert written[6:] == ["plain", "a?b", None]
    assert [row[1].value for row in rows[:-1]] == [1.5, -2, 0.1, 3, None, "inf", True, None]

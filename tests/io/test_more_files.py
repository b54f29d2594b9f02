"""Files that people have: semicolons, decimal commas, Excel, Feather, compressed, with gaps."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import rocbands as rb
from rocbands.io.files import read_scores
from rocbands.io.form import Form

GOLDEN = Path(__file__).parents[1] / "golden"
RNG = np.random.default_rng(3)
SIZE = 20_000  # more than the first block, so that PyArrow parses as well
FRAME = pd.DataFrame(
    {"label": RNG.choice(["ill", "well"], SIZE), "score_a": RNG.random(SIZE).round(6)}
)
CSV = FRAME.to_csv(index=False)


def check(path: Path) -> None:
    table = read_scores(path)
    assert table.y_true.tolist() == FRAME["label"].tolist()
    assert table.y_scores["score_a"].tolist() == FRAME["score_a"].tolist()


@pytest.mark.parametrize(("sep", "decimal"), [(";", ","), (";", "."), ("\t", "."), (",", ".")])
def test_separators_and_decimals(tmp_path: Path, sep: str, decimal: str) -> None:
    path = tmp_path / "rows.csv"
    FRAME.to_csv(path, index=False, sep=sep, decimal=decimal)
    check(path)


def test_commas_and_points_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label;score\n1;0,5\n0;0.25\n", encoding="utf-8")
    with pytest.raises(rb.InputError, match=r"line 3: .*one sign for decimals; found '0.25'"):
        read_scores(path)
    path.write_text("label;score\n1;1.234,5\n0;2,5\n", encoding="utf-8")
    assert read_scores(path).y_scores["score"].tolist() == [1234.5, 2.5]


def pack_zstandard(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(data)
    return sink.getvalue().to_pybytes()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": pack_zstandard,
}


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_files_and_damage(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "rows.csv.packed"
    packed = PACKERS[kind](CSV.encode())
    path.write_bytes(packed)
    check(path)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(rb.InputError, match=f"must be a whole {kind} file; it is damaged or cut"):
        read_scores(path)
    path.write_bytes(PACKERS[kind](packed))
    with pytest.raises(rb.InputError, match=f"compressed once; it is compressed with {kind} again"):
        read_scores(path)


@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
def test_feather_files(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "rows.feather"
    feather.write_feather(FRAME.assign(label=FRAME["label"].astype("category")), path, compression)
    check(path)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(rb.InputError, match="must be a whole Arrow file"):
        read_scores(path)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(pickle.dumps(FRAME))
    with pytest.raises(rb.InputError, match="it is a pickle"):
        read_scores(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("rows.csv", CSV)
    with pytest.raises(rb.InputError, match="Unzip it, and name 'rows"):
        read_scores(path)


# ------------------------------------------------------------------------------------- Excel


def test_a_workbook_that_openpyxl_wrote() -> None:
    path = GOLDEN / "workbook.xlsx"
    with pytest.raises(rb.InputError, match=r"line 3: column 'score' must be a number; the cell"):
        read_scores(path, label="ill")
    table = read_scores(path, label="ill", missing="drop")
    assert table.y_true.tolist() == [True, True, False]
    assert table.y_scores["score"].tolist() == [0.5, 0.7, 1e-7]
    assert table.dropped is not None
    said = "Left out 1 of 4 rows (1 of class 'false'): missing values."
    assert table.dropped.describe(("score",)) == said


def write_book(path: Path, **sheets: list[list[object]]) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


TABLE: list[list[object]] = [["label", "score"], [1, 0.25], [], [0, -0.001], [1, 1e-7]]


def test_notes_and_titles_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.xlsx"
    notes: list[list[object]] = [["Scores of the second reading"], ["by", "the laboratory"]]
    for sheets in (
        {"rows": TABLE},
        {"Notes": notes, "rows": TABLE},
        {"rows": [["A study"], ["Final"], [], *TABLE]},
    ):
        write_book(path, **sheets)
        table = read_scores(path)
        assert table.y_true.tolist() == [1, 0, 1]
        assert table.y_scores["score"].tolist() == [0.25, -0.001, 1e-7]
    write_book(path, Notes=notes, rows=TABLE)
    with pytest.raises(
        rb.InputError, match=r"sheet 'Notes' has none. Its sheets are 'Notes', 'rows"
    ):
        read_scores(path, form=Form(sheet="Notes"))
    with pytest.raises(
        rb.InputError, match="must have a sheet named 'data'; it has 'Notes', 'rows'"
    ):
        read_scores(path, form=Form(sheet="data"))
    write_book(path, Notes=notes)
    with pytest.raises(rb.InputError, match="no sheet has one"):
        read_scores(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(rb.InputError, match=r"must be a whole Excel workbook \(.xlsx\)"):
        read_scores(path)


def test_rows_below_a_title_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.xlsx"
    write_book(path, rows=[["A study"], *TABLE[:3], [0, "high"]])
    with pytest.raises(rb.InputError, match="line 5: column 'score' must be a number"):
        read_scores(path)


def test_a_workbook_without_openpyxl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.xlsx"
    write_book(path, rows=TABLE)
    monkeypatch.setattr("rocbands.io.excel.find_spec", lambda name: None)
    with pytest.raises(rb.InputError, match=r'pip install "openpyxl>=3\.1"$'):
        read_scores(path)


# ----------------------------------------------------------------------------- missing values

ROWS = [
    ("ill", "0.9", "0.8"),
    ("ill", "", "0.3"),
    ("well", "0.2", "NA"),
    ("well", "0.1", "0.4"),
    ("", "0.3", "0.2"),
    ("ill", "nan", ""),
]
NOTE = (
    "4 of 6 rows with missing values (1 without a label, 2 of class 'ill', 1 of class 'well'); by "
    "column: 'label' 1 without a label; 'score_a' 2 of class 'ill'; 'score_b' 1 of class 'ill', 1 "
    "of class 'well'"
)


def write_rows(path: Path, kind: str) -> None:
    numbers = [[None if not c or c in ("NA", "nan") else float(c) for c in row[1:]] for row in ROWS]
    frame = pd.DataFrame(numbers, columns=["score_a", "score_b"])
    frame.insert(0, "label", [row[0] or None for row in ROWS])
    if kind == "csv":
        path.write_text(
            "label,score_a,score_b\n" + "\n".join(map(",".join, ROWS)) + "\n", encoding="utf-8"
        )
    elif kind == "jsonl":
        path.write_text(frame.to_json(orient="records", lines=True), encoding="utf-8")
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        feather.write_feather(frame, path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "feather"])
def test_missing_values_are_counted_by_column_and_class(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rows.{kind}"
    write_rows(path, kind)
    with pytest.raises(rb.InputError) as caught:
        read_scores(path)
    assert NOTE in str(caught.value)
    assert "or pass missing='drop'" in str(caught.value)
    table = read_scores(path, missing="drop")
    assert table.y_true.tolist() == ["ill", "well"]
    assert table.y_scores["score_b"].tolist() == [0.8, 0.4]
    assert table.dropped is not None
    assert table.dropped.n == 6
    one = read_scores(path, scores=["score_b"], missing="drop")
    assert one.y_scores["score_b"].tolist() == [0.8, 0.3, 0.4]


def test_words_that_are_no_numbers_stay_errors(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label,score\n1,0.5\n0,high\n1,\n", encoding="utf-8")
    with pytest.raises(
        rb.InputError, match="line 3: column 'score' must be a number; found 'high'"
    ):
        read_scores(path, missing="drop")
    path.write_text("label,score\n1,\n0,\n", encoding="utf-8")
    with pytest.raises(rb.InputError, match="rows without missing values; every row has one"):
        read_scores(path, scores=["score"], missing="drop")


def test_large_rows_of_a_parquet_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are decoded a few at a time, and refused if a few do not fit in the memory."""
    path = tmp_path / "long.parquet"
    text = ["".join(map(str, range(k, k + 300))) for k in range(6)]
    pq.write_table(pa.table({"label": [0, 1] * 3, "score": range(6), "text": text}), path)
    facts, done = pq.read_metadata(path), list[int]()
    each = facts.row_group(0).total_byte_size // facts.num_rows
    how: Any = {"label": "label", "score": "score", "progress": lambda *told: done.append(told[0])}
    monkeypatch.setattr("rocbands.io.parquet._AT_ONCE", each)
    assert rb.Sample.from_file(path, **how).values.tolist() == [0, 1, 2, 3, 4, 5]
    assert len(set(done)) >= 6
    monkeypatch.setattr("rocbands.io.parquet._AT_ONCE", each - 1)
    with pytest.raises(rb.InputError, match=r"a row must have at most .* on average\. Leave"):
        rb.Sample.from_file(path, **how)

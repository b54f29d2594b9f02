"""Reading scored rows: every format gives the same table; every slip is told with its place."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.errors import InputError
from rocbands.io import files, streams, text
from rocbands.io.columns import Choice, Codes
from rocbands.io.files import column_names, read_scores
from rocbands.io.parquet import encode_column
from rocbands.io.records import json_of

INF = float("inf")
COLUMNS: dict[str, list[Any]] = {
    "id": [7, 8, 9, 10],
    "Diagnosis": ["ill", "well", "ill", "well"],
    "score_a": [0.5, -1.25, INF, -INF],
    "note": ["x", "y", "é, ü", "z"],
    "score_b": [1e-300, 2.0, 3.0, 0.1],
}


def delimited(
    columns: dict[str, list[Any]], delimiter: str = ",", end: str = "\n", **quotes: Any
) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, **quotes)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def json_lines(columns: dict[str, list[Any]]) -> bytes:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return "".join(json_of(row) + "\n" for row in rows).encode()


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


FORMATS = {
    "scores.csv": delimited(COLUMNS),
    "scores.tsv": delimited(COLUMNS, "\t"),
    "windows.csv": b"\xef\xbb\xbf" + delimited(COLUMNS, end="\r\n"),
    "old-mac.csv": delimited(COLUMNS, end="\r"),
    "blank-lines.csv": b"\n \n" + delimited(COLUMNS).replace(b"\n", b"\n\n"),
    "padded.csv": delimited(COLUMNS).replace(b",", b", ").replace(b"ill", b"ill "),
    "scores.jsonl": json_lines(COLUMNS),
    "blank-lines.jsonl": b"\xef\xbb\xbf\n" + json_lines(COLUMNS).replace(b"\n", b"\r\n\r\n"),
    "python.jsonl": json_lines(COLUMNS).replace(b'"inf"', b"Infinity"),
    "scores.parquet": parquet(COLUMNS),
    "scores.csv.gz": gzip.compress(delimited(COLUMNS)),
    "scores.jsonl.gz": gzip.compress(json_lines(COLUMNS)),
    "scores.parquet.gz": gzip.compress(parquet(COLUMNS)),
    "no-suffix": delimited(COLUMNS),
}


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def read(folder: Path, data: bytes, name: str = "scores.csv", **asked: Any) -> Any:
    return read_scores(write(folder, name, data), **asked)


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("through_stdin", [False, True], ids=["file", "stdin"])
@pytest.mark.parametrize("name", FORMATS)
def test_all_formats_give_the_same_table(
    name: str, through_stdin: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_stdin(monkeypatch, FORMATS[name])
    source = "-" if through_stdin else write(tmp_path, name, FORMATS[name])
    table = read_scores(source)
    assert table.label == "Diagnosis"
    assert table.source == ("stdin" if through_stdin else str(source))
    assert table.y_true.tolist() == COLUMNS["Diagnosis"]
    assert list(table.y_scores) == ["score_a", "score_b"]
    for column, scores in table.y_scores.items():
        assert scores.dtype == np.float64
        assert scores.tolist() == COLUMNS[column]
    assert not sys.stdin.closed


@pytest.mark.parametrize("name", FORMATS)
def test_names_of_columns(name: str, tmp_path: Path) -> None:
    assert column_names(write(tmp_path, name, FORMATS[name])) == list(COLUMNS)


@pytest.mark.parametrize("name", FORMATS)
def test_progress_never_falls_and_ends_at_the_size(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, FORMATS[name])
    seen: list[tuple[int, int | None]] = []
    read_scores(path, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


def test_columns_asked_for(tmp_path: Path) -> None:
    asked = {"label": "note", "scores": ["score_b", "id", "score_b"]}
    table = read(tmp_path, delimited(COLUMNS), **asked)
    assert table.y_true.tolist() == COLUMNS["note"]
    assert list(table.y_scores) == ["score_b", "id"]
    assert list(read(tmp_path, delimited(COLUMNS), scores="id").y_scores) == ["id"]


def test_the_only_other_column_of_numbers_is_the_score(tmp_path: Path) -> None:
    data = b"name,y,p\nann,1,0.2\nbob,0,0.1\n"
    assert list(read(tmp_path, data).y_scores) == ["p"]


def test_columns_nobody_asked_for_may_hold_anything(tmp_path: Path) -> None:
    data = b"label,score,note,note,\n1,0.2,n/a,,\n0,0.1,\x00,nan,\n"
    assert read(tmp_path, data).y_scores["score"].tolist() == [0.2, 0.1]


LABELS = {
    "integers": (["0", "1", "+1"], [0, 1, 1], "i"),
    "floats": (["0.0", "1", "1e0"], [0.0, 1.0, 1.0], "f"),
    "truth in Python's words": (["True", "False", "True"], [True, False, True], "b"),
    "truth in R's words": (["TRUE", "FALSE", "TRUE"], [True, False, True], "b"),
    "text": (["1", "0", "x"], ["1", "0", "x"], "U"),
    "none is a word": (["none", "some", "none"], ["none", "some", "none"], "U"),
    "long numbers are names": (["1" * 20, "2" * 20, "1"], ["1" * 20, "2" * 20, "1"], "U"),
    "infinity is no label's number": (["inf", "1", "1"], ["inf", "1", "1"], "U"),
    "underscores": (["1_0", "1", "1"], ["1_0", "1", "1"], "U"),
}


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("form", [delimited, json_lines, parquet])
def test_labels_are_numbers_only_if_all_are(case: str, form: Any, tmp_path: Path) -> None:
    cells, expected, kind = LABELS[case]
    table = read(tmp_path, form({"y": cells, "score": [1.0, 2.0, 3.0]}), "scores")
    assert table.y_true.tolist() == expected
    assert table.y_true.dtype.kind == kind


@pytest.mark.parametrize("labels", [[1, 0, 1], [1.0, 0.0, 1.0], [True, False, True]])
@pytest.mark.parametrize("form", [json_lines, parquet])
def test_typed_labels_keep_their_type(labels: list[Any], form: Any, tmp_path: Path) -> None:
    table = read(tmp_path, form({"y": labels, "score": [1.0, 2.0, 3.0]}), "scores")
    assert table.y_true.tolist() == labels
    assert table.y_true.dtype == np.array(labels).dtype


@pytest.mark.parametrize(
    "kind", [pa.float32(), pa.int16(), pa.uint64(), pa.decimal128(30, 2), pa.float16()]
)
def test_parquet_scores_of_every_numeric_type(kind: pa.DataType, tmp_path: Path) -> None:
    scores = pa.array([3, 1, 2]).cast(kind)
    labels = pa.array(["a", "b", "a"]).dictionary_encode()
    table = read(tmp_path, parquet({"y": labels, "score": scores}), "scores.parquet")
    assert table.y_scores["score"].tolist() == [3, 1, 2]
    assert table.y_true.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_parquet_labels_of_every_kind_of_text(kind: pa.DataType, tmp_path: Path) -> None:
    labels = pa.array(["b", "a", "b"], kind)
    table = read(tmp_path, parquet({"y": labels, "score": [1.0, 2.0, 3.0]}), "scores.parquet")
    assert table.y_true.tolist() == ["b", "a", "b"]


@pytest.mark.parametrize("form", [delimited, json_lines, parquet])
def test_every_row_may_be_a_cluster_of_its_own(form: Any, tmp_path: Path) -> None:
    names = [f"patient {row}" for row in range(20_000)]
    columns = {"y": [row % 2 for row in range(20_000)], "score": [0.5] * 20_000, "who": names}
    table = read(tmp_path, form(columns), "scores", keys=["who"])
    assert table.keys["who"].tolist() == names


def test_names_of_clusters_cost_no_look_at_all_rows_each() -> None:
    start = time.process_time()
    names = [f"patient {row}" for row in range(400_000)]
    Choice("who", ()).refuse_missing({"who": (names, np.arange(400_000))})
    Codes("who").encode(names, np.arange(400_000))
    assert time.process_time() - start < 8  # two tenths of a second; otherwise more than twenty


def test_labels_that_a_dictionary_names_and_no_row_has_do_not_count(tmp_path: Path) -> None:
    labels = pa.DictionaryArray.from_arrays([1, 2, 1], ["unused", "b", "a", "nan"])
    table = read(tmp_path, parquet({"y": labels, "score": [1.0, 2.0, 3.0]}), "scores.parquet")
    assert table.y_true.tolist() == ["b", "a", "b"]


cells = st.text(st.characters(exclude_characters="\0", codec="utf-8"))
rows = st.lists(
    st.tuples(cells.map(lambda text: f"c{text}"), st.floats(allow_nan=False)), min_size=1
)


@given(rows=rows, delimiter=st.sampled_from(",\t"), end=st.sampled_from(["\n", "\r\n"]))
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: Any, delimiter: str, end: str
) -> None:
    labels, scores = [row[0] for row in rows], [row[1] for row in rows]
    columns = {"label": labels, "score": scores}
    folder = tmp_path_factory.mktemp("round")
    # Left to itself, the csv module writes a lone carriage return without quotes.
    quoted = delimited(columns, delimiter, end, quoting=csv.QUOTE_NONNUMERIC)
    for data in (quoted, json_lines(columns), parquet(columns)):
        table = read(folder, data, "scores")
        assert table.y_true.tolist() == [label.strip() for label in labels]
        assert table.y_scores["score"].tolist() == scores


# What is wrong, the file's bytes, and what the message must say. The file is called "f".
HEAD = b"label,score\n"
JSON_ROW = b'{"label": 1, "score": 2}\n'
BAD_FILES: dict[str, tuple[bytes, str]] = {
    "word for a number": (HEAD + b"1,0.5\n0,n/a\n", "f, line 3: column 'score' must be a number; found 'n/a'. In all, 1 of 2 rows .* Correct"),
    "empty score": (HEAD + b"1,0.5\n0,\n", "f, line 3: column 'score' must be a number; the cell is empty"),
    "blank score": (HEAD + b"1,0.5\n0,  \n", "line 3: column 'score' must be a number; the cell is empty"),
    "nan": (HEAD + b"1,NaN\n", "line 2: column 'score' must be a number; found 'NaN'"),
    "underscore in a number": (HEAD + b"1,1_000\n", "line 2: .* found '1_000'"),
    "two decimal signs": (b"label\tscore\n1\t0,5\n0\t0.25\n", "line 3: .* one sign for decimals; found '0.25' besides '0,5'. Write"),
    "empty label": (HEAD + b"1,0.5\n,0.4\n", "line 3: column 'label' must contain a label in every row; the cell is empty"),
    "missing label": (HEAD + b"1,0.5\nNA,0.4\n", "line 3: column 'label' must contain a label in every row; found 'NA'"),
    "too many labels": (HEAD + b"".join(b"%d,1\n" % i for i in range(1500)), "line 1002: .* two labels; .* 1000 different"),
    "row too long": (HEAD + b"1,0.5\n0,0.4,9\n", "f, line 3: every row must have 2 cells, .* found 3"),
    "row too short": (HEAD + b"1,0.5\n0\n", "f, line 3: every row must have 2 cells, .* found 1"),
    "same name twice": (b"label,score,score\n1,2,3\n", "distinct; 'score' occurs 2 times. Rename"),
    "same label name twice": (b"label,label,score\n1,2,3\n", "distinct; 'label' occurs 2 times. Rename"),
    "same key twice": (b'{"label": 1, "score": 2, "score": 3}\n', "distinct; 'score' occurs 2 times. Rename"),
    "no header": (b"1,0.5\n0,0.4\n", "f, line 1: the first line must name the columns; .*'1,0.5'. Put a line"),
    "empty": (b"", "f must contain column names and rows; it is empty. Check"),
    "blank lines": (b"\n  \n\n", "f must contain column names and rows; it has only blank lines. Check"),
    "header only": (HEAD, "f must contain rows below the column names; it has none. Check"),
    "header and blank lines": (HEAD + b"\n\n", "f must contain rows below the column names; it has none. Check"),
    "NUL in the header": ("label,score\n1,2\n".encode("utf-16-le"), "NUL bytes, as UTF-16 .* Save it again as UTF-8, or pass encoding='utf-16-le'"),
    "NUL in a cell": (HEAD + b"1,\x00\n", r"line 2: .* found '\\x00'"),
    "NUL for a row": (HEAD + b"1,2\n\x00\x00\x00", "line 3: every row must have 2 cells"),
    "UTF-16 cut off": ("label,score\n1,2\n".encode("utf-16")[:-1], "f must be text in utf-16; it is not: .*truncated data"),
    "neither UTF-8 nor cp1252": (HEAD + b"1,2\ncaf\x81,3\n", "f, line 3: the file must be text in UTF-8; found the byte 0x81. Save .* encoding='cp1252'"),
    "half UTF-8": (HEAD + b"\xc3\xa9,2\ncaf\xe9,3\n", "f, line 3: the file must be text in UTF-8; found the byte 0xe9. Save"),
    "half UTF-8 in the header": (b"\nlabel,\xc3\xa9caf\xe9\n", "f, line 2: the file must be text in UTF-8; found the byte 0xe9"),
    "half UTF-8 far down": (HEAD + b"\xc3\xa9,1\n" + b"1,2\n" * 40000 + b"caf\xe9,3\n", "line 40003: .* 0xe9"),
    "half UTF-8 in JSON": (JSON_ROW + b'{"label": "\xc3\xa9caf\xe9", "score": 2}\n', "line 2: .* UTF-8; found the byte 0xe9"),
    "open quote": (HEAD + b'1,2\n1,"2\n0,3\n', "f, line 3: every quote that opens must close.*Correct the quotes"),
    "long cell": (b"label,score " + b"x" * 10**6 + b"\n1,2\n", "f, line 1: a cell must have at most 131,072 characters; one of this row has more"),
    "text after a quote": (HEAD + b'1,2\n"1"x,2\n', "f, line 3: every quote that opens must close"),
    "bars": (b"label|score\n1|0.5\n", r"commas, semicolons or tabs; found one column only, 'label\|score'. Save"),
    "no label": (b"a,b\n1,2\n", "which column contains the labels; none .* Pass label='NAME'; the columns are 'a', 'b'"),
    "two labels": (b"y,Class,score\n1,2,3\n", "it could be 'y' or 'Class'. Pass label='NAME'"),
    "no score": (b"label,a\n1,x\n", "no column contains numbers. Pass score='NAME'; the columns are 'label', 'a'"),
    "two scores": (b"label,a,b\n1,2,3\n", "2 columns contain numbers. Pass score='NAME'; those with numbers are 'a', 'b'"),
    "many columns": (b",".join(b"c%d" % i for i in range(20)) + b"\n" + b"1," * 19 + b"1\n", r"'c7', \.\.\. \(12 more\)"),
    "JSON array": (b'[{"label": 1, "score": 2}]', "it begins with a JSON array. Write it as JSON lines"),
    "JSON over several lines": (b'{\n"label": 1, "score": 2}\n', "f, line 1: every line must be one whole JSON object; found {. Write"),
    "JSON cut off": (JSON_ROW + b'{"label": 1, "sc', "f, line 2: every line must be one whole JSON object"),
    "JSON number": (JSON_ROW + b"\n7\n", "f, line 3: every line must be one whole JSON object; found 7"),
    "JSON twice on a line": (JSON_ROW + b'{"label": 1}, {"score": 2}\n', "f, line 2: every line must be one whole"),
    "JSON too deep": (JSON_ROW + b"[" * 100_000 + b"\n", r"f, line 2: every line must be one whole .*\.\.\."),
    "JSON null score": (JSON_ROW + b'{"label": 1, "score": null}\n', "f, line 2: column 'score' must be a number; found null"),
    "JSON text score": (JSON_ROW + b'{"label": 1, "score": "0.5"}\n', "line 2: column 'score' must be a number; found \"0.5\""),
    "JSON truth score": (JSON_ROW + b'{"label": 1, "score": true}\n', "line 2: column 'score' must be a number; found true"),
    "JSON nan": (JSON_ROW + b'{"label": 1, "score": NaN}\n', "line 2: column 'score' must be a number; found nan"),
    "JSON huge": (JSON_ROW + b'{"label": 1, "score": %s}\n' % (b"9" * 400), "line 2: .* a number below 1e308; found 9999"),
    "JSON null label": (JSON_ROW + b'{"label": null, "score": 2}\n', "line 2: column 'label' must contain a label in every row; found null"),
    "JSON null label first": (b'{"label": null, "score": 2}\n', "line 1: column 'label' must contain a label in every row; found null"),
    "JSON list label": (JSON_ROW + b'{"label": [1], "score": 2}\n', r"line 2: column 'label' must contain a label in every row; found \[1\]"),
    "JSON nan label": (JSON_ROW + b'{"label": NaN, "score": 2}\n', "line 2: column 'label' must contain a label in every row; found nan"),
    "JSON mixed labels": (JSON_ROW + b'{"label": "x", "score": 2}\n', "line 2: .* labels of one kind, and it began with numbers; found \"x\". Write all labels alike"),
    "JSON truth among numbers": (JSON_ROW + b'{"label": true, "score": 2}\n', "line 2: .* labels of one kind"),
    "JSON key missing": (JSON_ROW + b'{"label": 1}\n', "f, line 2: column 'score' must be in every row; this one lacks it"),
    "Excel": (b"PK\x03\x04" + bytes(99), "must be a whole Excel workbook .*; it is damaged .*Save it again as CSV"),
    "gzip cut off": (gzip.compress(HEAD + b"1,2\n" * 999)[:-20], "f must be a whole gzip file; it is damaged or cut off. Download"),
    "gzip damaged": (b"\x1f\x8b" + bytes(50), "f must be a whole gzip file"),
    "gzip broken inside": (gzip.compress(HEAD)[:12] + b"\xff" * 30, "f must be a whole gzip file"),
    "Parquet cut off": (parquet(COLUMNS)[:-30], "f must be a whole Parquet file; it is damaged or cut off. Write or fetch"),
    "Parquet damaged": (b"PAR1" + b"\xff" * 600 + parquet(COLUMNS)[604:], "f must be a whole Parquet file"),
    "Parquet without rows": (parquet({"y": pa.array([], pa.int8()), "score": pa.array([], pa.int8())}), "must contain rows; it has none"),
    "Parquet null score": (parquet({"y": [1, 0], "score": [0.5, None]}), "f, row 2: column 'score' must have a value in every row; found null"),
    "Parquet null label": (parquet({"y": [1, None], "score": [0.5, 1]}), "f, row 2: column 'y' must have a value in every row; found null"),
    "Parquet nan score": (parquet({"y": [1, 0], "score": [0.5, np.nan]}), "f, row 2: column 'score' must be a number; found nan"),
    "Parquet text score": (parquet({"y": [1, 0], "score": ["a", "b"]}), "column 'score' must contain numbers; its type is (large_)?string. Name another column with score='NAME'"),
    "Parquet list label": (parquet({"y": [[1], [0]], "score": [1, 2]}), "column 'y' must contain text, numbers or booleans; its type is list"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_refused_in_one_line(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, message = BAD_FILES[case]
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "f", data)
    with pytest.raises(InputError, match=message) as caught:
        read_scores("f")
    text = str(caught.value)
    assert text.isprintable()
    assert text.endswith(".")
    assert len(text) < 300


def test_the_line_is_right_below_quoted_breaks_and_blank_lines(tmp_path: Path) -> None:
    data = b'note,label,score\n"two\r\nlines",1,2\n\n"three\n\nlines",0,3\n"last",0,x\n'
    with pytest.raises(InputError, match="line 8: column 'score'"):
        read(tmp_path, data)


@pytest.mark.parametrize("row", [2, 8192, 8193, 8194, 30000])
@pytest.mark.parametrize("breaks", [b"\n", b"\r\n", b"\n\n"])
def test_the_line_is_right_in_every_chunk(row: int, breaks: bytes, tmp_path: Path) -> None:
    lines = [b"label,score"] + [b"1,2"] * (row - 2) + [b"0,x"] + [b"1,2"] * 99
    line = 1 + (row - 1) * breaks.count(b"\n")
    with pytest.raises(InputError, match=f"line {line}: column 'score'"):
        read(tmp_path, breaks.join(lines))


@pytest.mark.parametrize("row", [1, 4096, 4097, 9000])
@pytest.mark.parametrize("blank", [b"", b"\n"])
def test_the_line_is_right_in_every_chunk_of_json(row: int, blank: bytes, tmp_path: Path) -> None:
    data = (JSON_ROW + blank) * (row - 1) + b'{"label": 0, "score": "x"}\n' + JSON_ROW * 9
    line = 1 + (row - 1) * (1 + len(blank))
    with pytest.raises(InputError, match=f"line {line}: column 'score'"):
        read(tmp_path, data, scores=["score"])


def test_the_row_is_right_in_every_batch_of_parquet(tmp_path: Path) -> None:
    scores = np.zeros(300_000)
    scores[290_000] = np.nan
    data = parquet({"y": np.arange(300_000) % 2, "score": scores}, row_group_size=70_000)
    with pytest.raises(InputError, match="row 290001: column 'score'"):
        read(tmp_path, data)


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    data = delimited(COLUMNS)
    with pytest.raises(InputError, match=r"no column 'scroe_a'. Did you mean 'score_a'\?"):
        read(tmp_path, data, scores=["scroe_a"])
    with pytest.raises(InputError, match=r"no column 'diagnosis'. Did you mean 'Diagnosis'\?"):
        read(tmp_path, data, label="diagnosis")
    with pytest.raises(InputError, match=r"no column 'zzz'. Its columns are 'id', 'Diagnosis'"):
        read(tmp_path, data, label="zzz")
    with pytest.raises(InputError, match="must be different columns; 'id' was named for both"):
        read(tmp_path, data, label="id", scores=["id"])


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    good = write(tmp_path, "scores.csv", delimited(COLUMNS))
    with pytest.raises(InputError, match=r"there is no '.*scors.csv'. Did you mean '.*scores.csv'"):
        read_scores(tmp_path / "scors.csv")
    with pytest.raises(InputError, match=r"there is no '.*'. Check the path"):
        read_scores(tmp_path / "nowhere" / "scores.csv")
    with pytest.raises(InputError, match=r"is a folder. Name one of the files in it"):
        read_scores(tmp_path)
    with pytest.raises(InputError, match=r"must be readable; found: Not a directory. Check"):
        read_scores(good / "scores.csv")


def test_a_file_that_is_no_parquet_whatever_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="as its name says; it does not begin like one"):
        read(tmp_path, delimited(COLUMNS), "scores.parquet")


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r'needs PyArrow.*pip install "pyarrow>='):
        read(tmp_path, FORMATS["scores.parquet"], "scores.parquet")


def test_json_that_python_would_write(tmp_path: Path) -> None:
    rows = [{"label": i % 2 == 0, "score": i, "extra": {"deep": [i]}} for i in range(9)]
    table = read(tmp_path, "\n".join(map(json.dumps, rows)).encode())
    assert table.y_true.dtype == bool
    assert table.y_scores["score"].tolist() == list(range(9))


QUOTED: dict[str, bytes] = {
    "R writes text in quotes": b'"label","score"\n' + b'"ill",0.5\n"well",0.25\n' * 30,
    "commas in quotes": b'label,score\n' + b'"a, b",0.5\n"c",0.25\n' * 30,
    "lines in quotes": b'label,score\n' + b'"two\nlines",0.5\n"a\r\nb",0.25\n' * 30,
    "quotes in quotes": b'label,score\n' + b'"say ""a""",0.5\nb,0.25\n' * 30,
    "quotes in text": b'label,score\n' + b'5" disk,0.5\n"b ""2""\n",0.25\n' * 30,
    "blanks before quotes": b'label,score\n' + b'"a", "0.5"\nb,0.25\n' * 30,
    "text behind quotes": b'label,score\n' + b'"a",0.5\n"a"b,0.25\n' * 30,
    "a quote that stays open": b'label,score\n' + b'a,0.5\n' * 30 + b'"b,0.25\n' + b'a,0.5\n' * 30,
    "old line ends": b'label,score\r' + b'a,0.5\r"b",0.25\r' * 30,
    "blank lines": b'label,score\n' + b'a,0.5\n\n \nb,0.25\n' * 30,
    "not ASCII": b"label,score\n" + "é,0.5\nü,٣\n".encode() * 30,
    "not UTF-8": b'label,score\n' + b'a,0.5\nb,0.25\n' * 30 + b'\xe9,1\n',
    "a ragged row": b'label,score\n' + b'a,0.5\nb,0.25\n' * 30 + b'a\n',
    "NUL": b'label,score\n' + b'a,0.5\nb\0,0.25\n' * 30,
    "missing labels": b'label,score\n' + b'a,0.5\nb,0.25\n' * 30 + b'NA,1\n',
    "many labels": b'label,score\n' + b"".join(b"c%d,1\n" % i for i in range(1200)),
}  # fmt: skip
JSON_LINES: dict[str, bytes] = {
    "plain": b'{"label": 1, "score": 0.5}\n{"label": 0, "score": 2}\n' * 30,
    "windows": b'{"label": 1, "score": 0.5}\r\n{"label": 0, "score": 2}\r\n' * 30,
    "text": b'{"label": "a", "score": 0.5}\n{"label": "\xc3\xa9", "score": 2}\n' * 30,
    "truth": b'{"label": true, "score": 0.5}\n{"score": 2, "label": false}\n' * 30,
    "floats among whole numbers": b'{"label": 1, "score": 0.5}\n{"label": 0.0, "score": 2}\n' * 30,
    "other keys": b'{"label": 1, "score": 0.5}\n{"label": 0, "x": {"y": [1]}, "score": 2}\n' * 30,
    "blank lines": b'{"label": 1, "score": 0.5}\n\n{"label": 0, "score": 2}\n' * 30,
    "infinities": b'{"label": 1, "score": "inf"}\n{"label": 0, "score": -Infinity}\n' * 30,
    "too large": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": 0, "score": %s}\n' % (b"9" * 400),
    "two on a line": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": 1, "score": 1} {"label": 0, "score": 1}\n',
    "one on two lines": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": 1,\n"score": 1}\n',
    "null": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": null, "score": 1}\n',
    "nan": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": 1, "score": NaN}\n',
    "lacking": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": 1}\n',
    "twice": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": 1, "score": 1, "score": 2}\n',
    "text among numbers": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": "1", "score": 1}\n',
    "not UTF-8": b'{"label": 1, "score": 1}\n' * 30 + b'{"label": 1, "score": 1, "x": "\xe9"}\n',
    "carriage returns inside": b'{"label": 1,\r"score": 1}\n{"label": 0,\r"score": 1}\n' * 30,
}  # fmt: skip


BLOCKS = QUOTED | {f"JSON, {case}": data for case, data in JSON_LINES.items()}


@pytest.mark.parametrize("size", [37, 150, 1000])
@pytest.mark.parametrize("case", BLOCKS)
def test_blocks_of_any_size_give_the_rows_and_messages_of_the_careful_way(
    case: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "scores", BLOCKS[case])

    def outcome() -> Any:
        try:
            table = read_scores(path)
        except InputError as problem:
            return str(problem)
        kind = table.y_true.dtype.kind
        return kind, table.y_true.tolist(), table.y_scores["score"].tolist()

    careful = outcome()
    monkeypatch.setattr(text, "_FIRST", 30)
    monkeypatch.setattr(text, "_SIZE", size)
    assert outcome() == careful
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert outcome() == careful


def test_a_file_that_is_packed_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="must be compressed once; it is compressed with gzip again"
    ):
        read(tmp_path, gzip.compress(gzip.compress(delimited(COLUMNS))))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("start", [b"label,score\n1,", b'{"label": 1, "x": "'])
def test_a_line_without_an_end_does_not_fill_the_memory(
    packed: bool, start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(text, "_SIZE", 1 << 18)
    data = start + b"0" * (1 << 23)
    with pytest.raises(InputError, match=r"line [12]: a line must have at most 1 MB; this one is"):
        read(tmp_path, gzip.compress(data) if packed else data)


def test_parquet_in_gzip_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_MOST_IN_MEMORY", 1000)
    with pytest.raises(InputError, match=r"it is larger\. Decompress it to a file"):
        read(tmp_path, FORMATS["scores.parquet.gz"])


@pytest.mark.parametrize("name", [name for name in FORMATS if "." in name])
def test_names_of_files_that_are_not_utf8(name: str, tmp_path: Path) -> None:
    path = os.path.join(tmp_path, os.fsdecode(b"\xff." + name.partition(".")[2].encode()))
    Path(path).write_bytes(FORMATS[name])
    assert read_scores(path).y_true.tolist() == COLUMNS["Diagnosis"]
    assert rb.count_scores(path, positive="ill").models == ("score_a", "score_b")
    Path(path).write_bytes(b"label,score\n1,x\n")
    with pytest.raises(InputError):
        read_scores(path)


def test_parquet_without_rows_is_refused(tmp_path: Path) -> None:
    empty = parquet({"y": pa.array([], pa.int64()), "score": pa.array([], pa.float64())})
    with pytest.raises(InputError, match="must contain rows; it has none"):
        read(tmp_path, empty, "scores.parquet")


@pytest.mark.parametrize(
    "labels", ["0110", "1", "yn", "abc", ["0", "", "10"], ["1", "é"], ["a", "bb", "a"], "x,x"]
)
@pytest.mark.parametrize("start", [0, 1])
def test_labels_of_one_letter_are_encoded_as_others_are(labels: Any, start: int) -> None:
    values = [*"zz"[:start], *labels]
    found, rows = encode_column(pa.array(values)[start:], "y")
    assert found == list(dict.fromkeys(labels))
    assert [found[row] for row in rows] == list(labels)


@pytest.mark.parametrize("guess", [0, 3, 100])
def test_columns_that_are_longer_than_guessed_or_change_their_type(guess: int) -> None:
    column = files._Column()
    parts = [np.arange(3), np.arange(4), np.array([0.5, -np.inf]), np.arange(20)]
    for part in parts:
        column.append(part, lambda rows: guess)
    assert column.size == 29
    assert np.array_equal(column.close(), np.concatenate(parts))

"""Damaged, mixed and hostile files: every reader returns rows or one sentence, and ends."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.errors import InputError
from rocbands.io.columns import ScoreTable
from rocbands.io.files import read_scores
from rocbands.scale.saved import is_counts

RNG = np.random.default_rng(9)
LABELS = RNG.integers(0, 2, 60)
SCORES = RNG.normal(size=60)


def parquet(**options: Any) -> bytes:
    buffer = io.BytesIO()
    names = [f"g{i}" for i in LABELS]
    table = pa.table({"label": LABELS, "score": SCORES, "text": names})
    pq.write_table(table, buffer, row_group_size=20, **options)
    return buffer.getvalue()


def lines() -> bytes:
    rows = ({"label": int(y), "score": float(s)} for y, s in zip(LABELS, SCORES, strict=True))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def rows_of_text(comma: str = ",") -> bytes:
    body = "".join(f'{y}{comma}{s}{comma}"q ""x"""\n' for y, s in zip(LABELS, SCORES, strict=True))
    return f"label{comma}score{comma}note\n{body}".encode()


def counts() -> bytes:
    buffer = io.BytesIO()
    table = pa.table({"bin": [1, 5, 9], "positives": [1, 0, 2], "negatives": [3, 1, 0]})
    pq.write_table(table, buffer)
    return buffer.getvalue()


VALID = {
    "csv": rows_of_text(),
    "tsv": rows_of_text("\t"),
    "jsonl": lines(),
    "parquet": parquet(),
    "parquet-plain": parquet(use_dictionary=False, compression="none"),
    "csv.gz": gzip.compress(rows_of_text()),
    "parquet.gz": gzip.compress(parquet()),
    "counts": counts(),
    "counts.csv": b"model,bin,positives,negatives\na,1,2,3\na,5,0,1\n",
}

TOKENS = [
    b"\0",
    b"\xff",
    b"\xe9",
    b'"',
    b",",
    b"\n",
    b"\r",
    b"nan",
    b"inf",
    b"-",
    b"{",
    b"}",
    b"[" * 200,
    b"1e999",
    b"9" * 400,
    b"9" * 5000,
    b"PAR1",
    b"\x1f\x8b",
    b"\xef\xbb\xbf",
    b"null",
    b"true",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"1_000",
    b"0x1p3",
    b"\x1a",
    b"\x85",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A valid file after a few accidents."""
    data = bytearray(draw(st.sampled_from(sorted(VALID.values()))))
    for _ in range(draw(st.integers(1, 4))):
        if not data:
            break
        place = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(["flip", "cut", "tail", "token", "splice", "repeat", "drop"]))
        if kind == "flip":
            data[place] ^= draw(st.integers(1, 255))
        elif kind == "cut":
            del data[place:]
        elif kind == "tail":
            del data[:place]
        elif kind == "token":
            data[place:place] = draw(st.sampled_from(TOKENS))
        elif kind == "splice":
            other = draw(st.sampled_from(sorted(VALID.values())))
            data[place:] = other[draw(st.integers(0, len(other) - 1)) :]
        elif kind == "repeat":
            data[place:place] = data[place : place + draw(st.integers(1, 200))]
        else:
            del data[place : place + draw(st.integers(1, 50))]
    return bytes(data)


READERS: dict[str, Callable[[Path], Any]] = {
    "read_scores": read_scores,
    "read_scores, named": lambda path: read_scores(path, label="label", scores=["score"]),
    "count_scores": lambda path: rb.count_scores(path, label="label", score="score"),
    "count_scores, exact": lambda path: rb.count_scores(path, exact=True),
    "ScoreCounts.load": rb.ScoreCounts.load,
    "is_counts": is_counts,
}


def outcome(reader: Callable[[Path], Any], path: Path) -> Any:
    """Return what a reader makes of a file: rows, or the sentence of its refusal."""
    try:
        return reader(path)
    except InputError as problem:
        return str(problem)


@pytest.mark.parametrize("reader", READERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=damaged())
def test_a_damaged_file_is_read_or_refused(reader: str, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    found = outcome(READERS[reader], path)
    assert isinstance(found, (ScoreTable, rb.ScoreCounts, bool, str))
    if isinstance(found, ScoreTable):
        assert all(not np.isnan(scores).any() for scores in found.y_scores.values())
        assert {len(found.y_true)} == {len(scores) for scores in found.y_scores.values()}


@pytest.mark.parametrize("reader", READERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(max_size=400) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace"))
)
def test_any_bytes_are_read_or_refused(reader: str, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    outcome(READERS[reader], path)


@pytest.mark.parametrize("reader", [name for name in READERS if "read_scores" in name])
@pytest.mark.parametrize("name", [name for name in VALID if "counts" not in name])
def test_what_is_not_damaged_is_read(reader: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(VALID[name])
    found = outcome(READERS[reader], path)
    assert found.y_true.tolist() == LABELS.tolist()
    assert found.y_scores["score"].tolist() == SCORES.tolist()


def table_file(path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_odd_files_and_both_ways_to_read_them(tmp_path: Path) -> None:
    """Reading rows and counting them refuse, or accept, the same text files."""
    wide = [f"c{i}" for i in range(5000)]
    texts = {
        "no rows": ("label,score\n", "must contain rows"),
        "one row": ("label,score\n1,2\n", None),
        "mixed types": ("label,score\n1,2\n0,x\n", "line 3: column 'score' must be a number"),
        "huge numbers": ("label,score\n1," + "9" * 400 + "\n0,1\n", None),
        "huge labels": ("label,score\n" + "9" * 5000 + ",1\n0,2\n", None),
        "NUL": ("label,score\n1,0.5\0\n0,1\n", "must be a number"),
        "duplicate columns": ("label,score,score\n1,2,3\n", "occurs 2 times"),
        "thousands of columns": (
            ",".join(["label", "score", *wide]) + "\n" + "1," * 5001 + "1\n" + "0," * 5001 + "1\n",
            None,
        ),
    }
    for case, (text, words) in texts.items():
        path = tmp_path / "file.csv"
        path.write_text(text, encoding="utf-8")
        readers: dict[Any, dict[str, Any]] = {
            read_scores: {"scores": ["score"]},
            rb.count_scores: {"score": ["score"]},
        }
        for reader, columns in readers.items():
            asked = {"label": "label", **columns}
            if reader is rb.count_scores and case == "huge labels":
                asked["positive"] = "0"
            if words is None:
                assert reader(path, **asked) is not None, case
            else:
                with pytest.raises(InputError, match=words):
                    reader(path, **asked)


def test_names_and_labels_in_parquet_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    names = table_file(path, {"label": [1, 0], "score": [1.0, 0.0], "text": ["x", "y"]})
    path.write_bytes(names.read_bytes().replace(b"text", b"t\xe9xt"))
    for reader in READERS.values():
        assert "damaged" in str(outcome(reader, path)) or reader is is_counts
    labels = table_file(path, {"label": ["abcdef", "ghijkl"], "score": [1.0, 0.0]})
    path.write_bytes(labels.read_bytes().replace(b"abcdef", b"ab\xe9def"))
    for reader in READERS.values():
        assert isinstance(outcome(reader, path), (str, bool))


def test_odd_parquet_files(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    wide = {f"c{i}": [1.0, 2.0] for i in range(3000)} | {"label": [1, 0], "score": [0.1, 0.2]}
    assert rb.count_scores(table_file(path, wide)).roc.auc == 0.0
    assert read_scores(path).y_scores["score"].tolist() == [0.1, 0.2]
    for name in ("score", "a"):
        twice = pa.Table.from_arrays([pa.array([1, 0])] * 3, names=["label", name, name])
        pq.write_table(twice, path)
        for reader in (rb.count_scores, read_scores):
            with pytest.raises(InputError, match="occurs 2 times"):
                reader(path)
    table_file(path, {"label": [1, 0], "score": [{"a": 1}, {"a": 2}]})
    for reader in (rb.count_scores, read_scores):
        with pytest.raises(InputError, match="type is struct"):
            reader(path)
    # A column beside ours may be of any type, and may even be called like a part of ours.
    table_file(
        path, {"label": [1, 0], "score": [1.0, 0.0], "score.x": [[1], [2]], "n": [None, None]}
    )
    assert rb.count_scores(path, score="score").roc.auc == 1.0
    assert read_scores(path, scores=["score"]).y_true.tolist() == [1, 0]

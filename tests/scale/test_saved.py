"""Counts in files: what is read is what was written, or nothing at all."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.errors import InputError
from rocbands.io.writing import refuse_overwriting, whole_file, write_text, written_whole
from rocbands.scale.saved import is_counts


def some(exact: bool = False, parts: bool = True, size: int = 300) -> rb.ScoreCounts:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, size)
    owners = rng.choice(["a", "b;'\"", "c"], size) if parts else None
    scores = {"old": rng.normal(size=size), "new": rng.normal(size=size) + y}
    return rb.ScoreCounts.from_arrays(y, scores, by=owners, exact=exact)


CASES = {
    "bins": some(),
    "exact": some(exact=True),
    "no parts": some(parts=False),
    "whole numbers": rb.ScoreCounts.from_arrays([1, 0], {"m": [2**60, -(2**60) - 1]}, exact=True),
    "one class": rb.ScoreCounts.from_arrays([1, 1], {"m": [1.0, np.inf]}),
    "text labels": rb.ScoreCounts.from_arrays(["é", "b"], {"m": [1.0, -np.inf]}, positive="é"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_read_is_what_was_written(case: str, tmp_path: Path) -> None:
    counts, path = CASES[case], tmp_path / "counts.parquet"
    counts.save(path)
    again = rb.ScoreCounts.load(path)
    assert again.to_dict() == counts.to_dict()
    assert again.value.dtype == counts.value.dtype
    assert is_counts(path)
    assert [p.name for p in tmp_path.iterdir()] == ["counts.parquet"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def change(path: Path, column: str, row: int, value: Any) -> None:
    table = pq.read_table(path)
    values = table.column(column).to_pylist()
    values[row] = value
    index = table.column_names.index(column)
    new = pa.array(values, table.schema.field(column).type)
    pq.write_table(table.set_column(index, table.schema.field(column), new), path)


@pytest.mark.parametrize(
    ("column", "value"), [("positives", 99), ("negatives", 99), ("bin", 7), ("model", "old2")]
)
def test_counts_that_were_changed_are_refused(column: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    some().save(path)
    change(path, column, 3, value)
    with pytest.raises(InputError, match="changed since, or lost in part"):
        rb.ScoreCounts.load(path)


@pytest.mark.parametrize(
    "seal", [{"labels": 5}, {"models": None}, {"parts": [[]]}, {"labels": [{}, 1]}]
)
def test_a_seal_that_was_changed_is_refused(seal: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    some().save(path)
    table = pq.read_table(path)
    facts = json.loads(table.schema.metadata[b"rocbands"]) | seal
    pq.write_table(table.replace_schema_metadata({"rocbands": json.dumps(facts)}), path)
    with pytest.raises(InputError, match="changed since, or lost in part"):
        rb.ScoreCounts.load(path)


def test_rows_that_were_lost_are_missed(tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    some().save(path)
    pq.write_table(pq.read_table(path)[:-1], path)
    with pytest.raises(InputError, match="changed since, or lost in part"):
        rb.ScoreCounts.load(path)


def test_a_later_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    some().save(path)
    table = pq.read_table(path)
    pq.write_table(
        table.replace_schema_metadata({"rocbands": '{"schema": "rocbands.counts/9"}'}), path
    )
    with pytest.raises(InputError, match=r"found rocbands\.counts/9\. Update rocbands"):
        rb.ScoreCounts.load(path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "counts.parquet"
    some().save(path)
    return path.read_bytes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0, 1), flip=st.integers(1, 255), share=st.floats(0, 1), torn=st.booleans())
def test_a_torn_or_damaged_file_is_refused_or_whole(
    saved: bytes, tmp_path: Path, cut: float, flip: int, share: float, torn: bool
) -> None:
    data = bytearray(saved)
    if torn:
        del data[int(cut * (len(data) - 1)) :]
    else:
        data[int(share * (len(data) - 1))] ^= flip
    path = tmp_path / "counts.parquet"
    path.write_bytes(data)
    is_counts(path)
    try:
        counts = rb.ScoreCounts.load(path)
    except InputError:
        return
    # Some bytes of a Parquet file mean nothing to its reader; then nothing may have changed.
    assert not torn
    assert counts.to_dict() == some().to_dict()


TABLES = {
    "bins": "bin,positives,negatives\n0,1,2\n516098,3,4\n",
    "floats": "bin,positives,negatives\n0.0,1.0,2.0\n516098.0,3.0,4.0\n",
    "capitals": "MODEL,BIN,POSITIVES,NEGATIVES,MISSING\nscore,516098,3,4,0\nscore,0,1,2,0\n",
    "in parts": "note,bin,positives,negatives\nx,0,1,0\nx,516098,3,4\nx,0,0,2\n",
    "scores": "score,positives,negatives\n0,1,2\n1,3,4\n",
    "windows": "\ufeffscore,positives,negatives\r\n0.0,1,2\r\n1e0,3,4\r\n",
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", TABLES)
def test_tables_that_a_database_wrote(case: str, packed: bool, tmp_path: Path) -> None:
    data = TABLES[case].encode()
    path = tmp_path / "counts.csv"
    path.write_bytes(gzip.compress(data) if packed else data)
    assert is_counts(path)
    counts = rb.ScoreCounts.load(path)
    assert counts.models == ("score",)
    assert counts.roc.thresholds.tolist() == [1.0, 0.0]
    assert (counts.roc.tp.tolist(), counts.roc.fp.tolist()) == ([3, 4], [4, 6])


WRONG = {
    "": "must contain counts",
    "a,b\n1,2\n": "must contain counts",
    "bin,positives\n1,2\n": "found bin, positives",
    "bin,score,positives,negatives\n1,2,3,4\n": "either bin or score",
    "bin,positives,negatives\n1.5,2,3\n": "row 1: column 'bin' must contain whole numbers; found 1.5",
    "bin,positives,negatives\n1,-2,3\n": "column 'positives' must contain whole numbers from 0 on",
    "bin,positives,negatives\n1,2,inf\n": "column 'negatives' must contain whole numbers",
    "bin,positives,negatives\n1,2,1e30\n": "column 'negatives' must contain whole numbers",
    "bin,positives,negatives\n1,x,3\n": "row 2: column 'positives' must be a number; found 'x'",
    "bin,positives,negatives\n,2,3\n": "rows without a score",
    "bin,positives,negatives\n1,2\n": "row 2: every row must have 3 cells",
    "bin,positives,negatives\n9999999,2,3\n": "keys of bins, up to 4710402",
    "bin,bin,positives,negatives\n1,1,2,3\n": "'bin' occurs twice",
    "bin,positives,negatives,missing\n1,2,3,4\n": "4 had none",
    "score,positives,negatives\n99999999999999999999,2,3\n": "fit 64 bits",
    'bin,positives,negatives\n"1,2,3\n': "it is neither",
    "score,positives,negatives\nnan,2,3\n": "must be a number",
}


@pytest.mark.parametrize("text", WRONG)
def test_tables_that_are_no_counts_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=WRONG[text]):
        rb.ScoreCounts.load(path)


def test_files_that_are_no_counts(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("label,score\n1,2\n", encoding="utf-8")
    assert not is_counts(path)
    assert not is_counts("-")
    assert not is_counts(tmp_path)
    assert not is_counts(tmp_path / "nowhere")
    with pytest.raises(InputError, match="there is no"):
        rb.ScoreCounts.load(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a folder"):
        rb.ScoreCounts.load(tmp_path)
    path.write_bytes(b"\x1f\x8b and no more")
    assert not is_counts(path)
    with pytest.raises(InputError, match="must be a whole gzip file"):
        rb.ScoreCounts.load(path)


def write_half(path: Path, problem: type[BaseException]) -> None:
    with written_whole(path) as file:
        file.write(b"half")
        raise problem


def test_what_fails_while_writing_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    for problem in (KeyboardInterrupt, ValueError):
        with pytest.raises(problem):
            write_half(path, problem)
        assert path.read_bytes() == b"before"
        assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with written_whole(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_told_in_one_line(tiny: Path) -> None:
    path = tiny / "counts.parquet"
    some(size=50).save(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot be written: No space left on device") as told:
        some(exact=True, size=20_000).save(path)
    assert "\n" not in str(told.value)
    assert path.read_bytes() == before
    assert [p.name for p in tiny.iterdir()] == ["counts.parquet"]


def test_a_read_only_folder_is_told_in_one_line(tiny: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(tiny)], check=True)
    with pytest.raises(InputError, match="cannot be written: Read-only file system"):
        some().save(tiny / "counts.parquet")
    assert list(tiny.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666])
def test_a_file_that_is_replaced_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "counts"
    path.write_bytes(b"old")
    path.chmod(mode)
    with whole_file(path) as partial:
        # Nobody else can read it in the meantime.
        assert stat.S_IMODE(partial.stat().st_mode) & ~mode & 0o077 == 0
        partial.write_bytes(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_bytes() == b"new"


def test_text_that_utf8_cannot_write_is_escaped(tmp_path: Path) -> None:
    write_text(tmp_path / "text", "a\udcffb")
    assert (tmp_path / "text").read_bytes() == b"a\\udcffb"


@pytest.mark.skipif(os.name == "nt", reason="named pipes are another thing there")
@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz"])
def test_counts_come_through_a_pipe_too(form: str, tmp_path: Path) -> None:
    counts = rb.ScoreCounts.from_arrays([0, 1, 1], {"a": [0.1, 0.2, 0.3]})
    counts.save(tmp_path / "counts")
    data = (tmp_path / "counts").read_bytes()
    if form != "parquet":
        data = counts.to_csv().encode()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(
        target=pipe.write_bytes, args=(gzip.compress(data) if form == "csv.gz" else data,)
    )
    writer.start()
    found = rb.ScoreCounts.load(pipe)
    writer.join()
    assert not is_counts(pipe)
    assert found.value.tolist() == counts.value.tolist()


def test_what_is_read_is_never_replaced(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text("rows", encoding="utf-8")
    (tmp_path / "link").symlink_to(source)
    os.link(source, tmp_path / "hard")
    for name in ("source", "link", "hard", "./source"):
        with pytest.raises(InputError, match="must not replace what is read"):
            refuse_overwriting(f"{tmp_path}/{name}", ["-", "/dev/null", str(source)])
    for name in ("new", "nowhere/new", "a\0b"):
        refuse_overwriting(f"{tmp_path}/{name}", [str(source), "a\0b", f"{tmp_path}/nowhere"])
    refuse_overwriting("/dev/null", ["/dev/null"])

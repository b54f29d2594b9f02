"""Too little memory: one line where Python can still say it, and nothing left behind for long."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rocbands as rb
from rocbands.io import engine
from rocbands.io.engine import spill_folder

fcntl = pytest.importorskip("fcntl", reason="needs limits and locks of processes")
ROWS = pa.table({"y": np.arange(1000) % 2, "score": np.random.default_rng(1).normal(size=1000)})


def run(code: str, *args: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
        text=True,
    )


def test_a_limit_of_memory_is_known() -> None:
    code = """
import resource
from rocbands.core.progress import limit_of_memory
resource.setrlimit(resource.RLIMIT_AS, (2**33, resource.RLIM_INFINITY))
print(limit_of_memory())
"""
    assert run(code).stdout == f"{2**33}\n"


@pytest.mark.parametrize("line", ["auc --example", "report --example", "count rows.csv --exact"])
def test_a_command_without_room_is_one_line(line: str) -> None:
    code = """
import resource, sys
from rocbands.cli import main
resource.setrlimit(resource.RLIMIT_AS, (10**8, resource.RLIM_INFINITY))
main(sys.argv[1:])
"""
    done = run(code, *line.split())
    assert done.returncode == 1
    assert done.stderr.startswith("rocbands: out of memory. ")
    assert done.stderr.count("\n") == 1


def test_without_room_for_duckdb_exact_counts_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.csv"
    ROWS.to_pandas().to_csv(path, index=False)
    wanted = rb.count_scores(path, exact=True)
    monkeypatch.setattr(engine, "_LARGE", 0)
    monkeypatch.setattr(engine, "limit_of_memory", lambda: 1 << 30)
    monkeypatch.setattr(engine, "spill_folder", None)  # not called
    assert rb.count_scores(path, exact=True).to_dict() == wanted.to_dict()


@pytest.mark.parametrize("name", ["pyarrow", "duckdb"])
def test_a_library_that_cannot_be_loaded_is_not_a_missing_one(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text(
        "raise ImportError('lib.so: failed to map segment')", encoding="utf-8"
    )
    ROWS.to_pandas().to_csv(tmp_path / "rows.csv", index=False)
    ROWS.to_pandas().to_parquet(tmp_path / "rows.parquet")
    code = """
import sys
from rocbands.io import engine
sys.path.insert(0, sys.argv[1])
engine._LARGE = 0
from rocbands.cli import main
main(sys.argv[2:])
"""
    done = run(code, tmp_path, "count", tmp_path / "rows.parquet", "--exact", "-o", tmp_path / "o")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "rocbands: a library cannot be loaded: lib.so: failed to map segment. Use a machine"
    )
    assert done.stderr.count("\n") == 1
    if name == "pyarrow":  # text is then read without it
        assert run(code, tmp_path, "auc", tmp_path / "rows.csv").returncode == 0


@pytest.mark.parametrize("kind", ["pyarrow.ArrowMemoryError", "MemoryError"])
def test_out_of_memory_is_not_a_damaged_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    error = pa.ArrowMemoryError if kind.startswith("pyarrow") else MemoryError

    def full(*_: object, **__: object) -> None:
        raise error("malloc of size 1")

    pq.write_table(ROWS, tmp_path / "rows.parquet")
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", full)
    with pytest.raises(MemoryError):
        rb.Sample.from_file(tmp_path / "rows.parquet")


def test_an_error_of_duckdb_is_all_that_is_said(tmp_path: Path) -> None:
    ROWS.to_pandas().to_parquet(tmp_path / "rows.parquet")
    code = """
import sys
import duckdb, rocbands as rb
from rocbands.io import engine
from rocbands.scale import counting
engine._LARGE = 0
def full(*_):
    raise duckdb.OutOfMemoryException("no room")
counting.count_columns = full
try:
    rb.count_scores(sys.argv[1], exact=True)
except rb.InputError as problem:
    kept = problem  # alive until Python ends
    sys.exit(str(problem))
"""
    done = run(code, tmp_path / "rows.parquet")
    assert done.returncode == 1
    assert done.stderr == (
        "Exact counts must fit the disk and the memory; DuckDB says: no room. "
        "Count in bins, or set TMPDIR to a larger disk.\n"
    )


def test_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import os, signal, pathlib
from rocbands.io.engine import spill_folder
with spill_folder() as folder:
    pathlib.Path(folder).mkdir()
    pathlib.Path(folder, "block").write_bytes(b"x")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert run(code, TMPDIR=str(tmp_path)).returncode == -9
    (left,) = tmp_path.iterdir()
    assert {path.name for path in left.rglob("*")} == {"in-use", "spill", "block"}
    other, used = tmp_path / "rocbands-other", tmp_path / "rocbands-used"
    for folder in (other, used):
        folder.mkdir()
    (tmp_path / "rocbands-link").symlink_to(used)
    (tmp_path / "rocbands-file").write_text("no folder", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open(used / "in-use", "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with spill_folder() as own:
            names = {path.name for path in tmp_path.iterdir()}
            mine = Path(own).parent.name
            assert names == {
                mine,
                "rocbands-other",
                "rocbands-used",
                "rocbands-link",
                "rocbands-file",
            }
            with spill_folder():  # another run at the same time
                assert Path(own).parent.exists()
    assert not Path(own).parent.exists()
    assert used.exists()


@pytest.mark.parametrize("exact", [False, True])
def test_a_table_without_rows_is_refused(exact: bool, tmp_path: Path) -> None:
    empty = ROWS.slice(0, 0)
    empty.to_pandas().to_parquet(tmp_path / "rows.parquet")
    for source in (
        empty,
        empty.to_pandas(),
        tmp_path / "rows.parquet",
        [tmp_path / "rows.parquet"],
    ):
        with pytest.raises(rb.InputError, match="There must be rows to count"):
            rb.count_scores(source, exact=exact)
    pd.DataFrame({"y": [0, 1], "score": [0.1, 0.2]}).to_parquet(tmp_path / "more.parquet")
    assert rb.count_scores(tmp_path / "*.parquet", exact=exact).roc.auc == 1.0

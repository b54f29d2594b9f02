"""The printed query on a PostgreSQL server of our own, where one can be started."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rocbands as rb
from rocbands.scale.sql import DIALECTS, counting_query
from tests.scale.test_sql import EDGES, NASTY

ROOT = os.geteuid() == 0


def as_owner(*command: str, stdin: str | None = None) -> str:
    """Run a command as somebody whom PostgreSQL lets in: not as root."""
    prefix = ["runuser", "-u", "postgres", "--"] if ROOT else []
    done = subprocess.run(
        [*prefix, *command], input=stdin, capture_output=True, text=True, check=True, cwd="/"
    )
    return done.stdout


@pytest.fixture(scope="module")
def psql() -> Iterator[Any]:
    control = shutil.which("pg_ctl")
    if control is None or (ROOT and not shutil.which("runuser")):
        pytest.skip("PostgreSQL is not installed")
    programs = Path(os.path.realpath(control)).parent
    folder = Path(tempfile.mkdtemp(prefix="rocbands-pg-"))
    if ROOT:
        shutil.chown(folder, "postgres")
    data = str(folder / "data")
    try:
        as_owner(str(programs / "initdb"), "-D", data, "-A", "trust", "-U", "me", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        log = str(folder / "log")
        as_owner(str(programs / "pg_ctl"), "-D", data, "-w", "-l", log, "-o", options, "start")
    except subprocess.CalledProcessError as problem:
        shutil.rmtree(folder)
        pytest.skip(f"PostgreSQL does not start: {problem.stderr[:200]}")

    def ask(query: str) -> str:
        connect = ("-h", str(folder), "-U", "me", "-d", "postgres")
        return as_owner("psql", "-q", "-v", "ON_ERROR_STOP=1", *connect, "--csv", stdin=query)

    yield ask
    as_owner(str(programs / "pg_ctl"), "-D", data, "-w", "-m", "immediate", "stop")
    shutil.rmtree(folder)


def load(psql: Any, rows: pa.Table, table: str, kinds: dict[str, str]) -> None:
    words = DIALECTS["postgres"]
    columns = ", ".join(f"{words.name(name)} {kind}" for name, kind in kinds.items())
    lines = ["|".join(map(str, row.values())) for row in rows.to_pylist()]
    text = "\n".join(line.replace("\\", "\\\\").replace("\n", "\\n") for line in lines)
    psql(
        f"CREATE TABLE {words.name(table)} ({columns});\n"
        f"COPY {words.name(table)} FROM STDIN (DELIMITER '|');\n{text}\n\\.\n"
    )


@pytest.mark.parametrize("exact", [False, True], ids=["bins", "exact"])
@pytest.mark.parametrize("kind", ["double precision", "real"])
def test_postgresql_finds_our_counts(psql: Any, kind: str, exact: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    scores = np.concatenate([EDGES, rng.normal(size=500), 10.0 ** rng.uniform(-30, 30, 500)])
    if kind == "real":
        scores = rng.normal(size=1000).astype(np.float32)
    y = rng.integers(0, 2, scores.size)
    rows = pa.table({"y": y, "s": scores, "g": rng.choice(["u", "v"], y.size)})
    table = f"t {kind} {exact}"
    load(psql, rows, table, {"y": "int", "s": kind, "g": "text"})
    asked: dict[str, Any] = {"label": "y", "score": ["s"], "by": "g", "exact": exact}
    path = tmp_path / "counts.csv"
    path.write_text(psql(counting_query(table, dialect="postgres", **asked)), encoding="utf-8")
    found = rb.ScoreCounts.load(path)
    ours = rb.count_scores(rows, **asked)
    assert found.positives.tolist() == ours.positives.tolist()
    assert found.negatives.tolist() == ours.negatives.tolist()
    if not exact:
        assert found.value.tolist() == ours.value.tolist()


@pytest.mark.parametrize("nasty", [name for name in NASTY if "." not in name and '"' not in name])
def test_names_and_labels_are_data_to_postgresql(psql: Any, nasty: str, tmp_path: Path) -> None:
    label, score = f"{nasty} y", f"{nasty} s"
    rows = pa.table({label: [nasty, "other", nasty], score: [0.5, 0.25, 0.5]})
    load(psql, rows, nasty, {label: "text", score: "double precision"})
    query = counting_query(nasty, dialect="postgres", label=label, score=[score], positive=nasty)
    path = tmp_path / "counts.csv"
    path.write_text(psql(query), encoding="utf-8")
    counts = rb.ScoreCounts.load(path)
    assert counts.models == (score,)
    assert (counts.positives.tolist(), counts.negatives.tolist()) == ([0, 2], [1, 0])

"""The printed query on a real PostgreSQL, made for the test and thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.scale.sql import counting_query
from tests.scale.nasty import labels_for, nasty_scores, same_but_labels

TOOLS = ("initdb", "pg_ctl", "psql")


def _tool(name: str) -> str | None:
    """Find a program of PostgreSQL; Debian keeps most of them off the path."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name) or next((str(place) for place in places), None)


class Postgres:
    """A server that listens on a socket in a folder of its own."""

    def __init__(self, folder: Path, user: str | None) -> None:
        self.folder = folder
        self._user = user
        self.run(
            "initdb", "-D", "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"
        )
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        self.run("pg_ctl", "-D", "data", "-w", "-o", settings, "-l", "log", "start")

    def run(self, tool: str, *arguments: str, text: str = "") -> str:
        done = subprocess.run(
            [str(_tool(tool)), *arguments],
            input=text,
            capture_output=tool == "psql",
            stdout=None if tool == "psql" else subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
            user=self._user,
            check=False,
            timeout=120,
            env={**os.environ, "PGHOST": str(self.folder), "PGUSER": "postgres"},
        )
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    def load(self, table: str, columns: dict[str, Sequence[Any]], types: Sequence[str]) -> None:
        names = ['"' + name.replace('"', '""') + '"' for name in columns]
        made = ", ".join(f"{name} {kind}" for name, kind in zip(names, types, strict=True))
        rows = "".join(
            "\t".join("\\N" if cell is None else str(cell) for cell in row) + "\n"
            for row in zip(*columns.values(), strict=True)
        )
        commands = f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({made});\n"
        self.run(
            "psql", "-v", "ON_ERROR_STOP=1", text=f"{commands}COPY {table} FROM STDIN;\n{rows}\\.\n"
        )

    def counts(self, path: Path, query: str) -> rb.ScoreCounts:
        path.write_text(
            self.run("psql", "-v", "ON_ERROR_STOP=1", "--csv", text=f"{query};\n"), encoding="utf-8"
        )
        return rb.ScoreCounts.load(path)


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    missing = [name for name in TOOLS if _tool(name) is None]
    if missing:
        pytest.skip(f"PostgreSQL's {missing[0]} is not installed")
    user = None
    folder = Path(f"/tmp/rocbands-pg-{os.getpid()}")  # a socket's path must be short
    folder.mkdir()
    if os.geteuid() == 0:  # the server refuses to be run by root
        import pwd

        try:
            pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        user = "postgres"
        shutil.chown(folder, user)
    try:
        server = Postgres(folder, user)
        yield server
        server.run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("exact", [False, True])
def test_nasty_scores(postgres: Postgres, tmp_path: Path, exact: bool) -> None:
    scores = nasty_scores()
    y = labels_for(scores)
    postgres.load("t", {"y": y, "s": scores.tolist()}, ("int", "double precision"))
    query = counting_query("t", dialect="postgres", label="y", score=["s"], exact=exact)
    here = rb.ScoreCounts.from_arrays(y, {"s": scores}, exact=exact)
    same_but_labels(postgres.counts(tmp_path / "counts.csv", query), here)


def test_short_floats_whole_numbers_parts_and_names(postgres: Postgres, tmp_path: Path) -> None:
    scores = nasty_scores()
    short = scores[np.abs(scores) < 3e38]
    short = short[(np.abs(short) > 1e-37) | (short == 0)].astype(np.float32)
    whole = np.arange(short.size) - 40
    truth = np.where(labels_for(short) == 1, "it's \\ill", "well")
    site = np.where(np.arange(short.size) % 3 == 0, "north", "south")
    names = ['y"; DROP TABLE t; --', "Short.one", "whole number", "Group"]
    columns = dict(
        zip(
            names,
            ([t.replace("\\", "\\\\") for t in truth], short.tolist(), whole, site),
            strict=True,
        )
    )
    postgres.load("t", columns, ("text", "real", "bigint", "text"))
    query = counting_query(
        "public.t",
        dialect="postgres",
        label=names[0],
        score=names[1:3],
        positive="it's \\ill",
        by=names[3],
    )
    here = rb.ScoreCounts.from_arrays(
        truth, {names[1]: short, names[2]: whole}, positive="it's \\ill", by=site
    )
    same_but_labels(postgres.counts(tmp_path / "counts.csv", query), here)


@pytest.mark.parametrize("bad", [{"y": [1, None]}, {"s": [0.5, None]}, {"s": [0.5, "NaN"]}])
def test_what_is_missing_is_refused_when_the_counts_are_read(
    postgres: Postgres, tmp_path: Path, bad: dict[str, list[Any]]
) -> None:
    columns: dict[str, list[Any]] = {"y": [1, 0], "s": [0.5, 0.25], **bad}
    postgres.load("t", columns, ("int", "double precision"))
    query = counting_query("t", dialect="postgres", label="y", score=["s"])
    with pytest.raises(rb.InputError, match=r"must have a (label|value)"):
        postgres.counts(tmp_path / "counts.csv", query)

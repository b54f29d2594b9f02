"""The query of the page on a real PostgreSQL, made for the test and thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import rocbands as rb
from tests.scale.nasty import labels_for, nasty_scores, same_but_labels
from tests.scale.test_query import query_of_the_page

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


def test_the_query_of_the_page_finds_our_counts(postgres: Postgres, tmp_path: Path) -> None:
    scores = nasty_scores()
    y = labels_for(scores)
    postgres.load("scored", {"paid": y, "risk": scores.tolist()}, ("int", "double precision"))
    here = rb.ScoreCounts.from_arrays(y, {"risk": scores})
    same_but_labels(postgres.counts(tmp_path / "counts.csv", query_of_the_page()), here)


@pytest.mark.parametrize(
    "bad", [{"paid": [1, None]}, {"risk": [0.5, None]}, {"risk": [0.5, "NaN"]}]
)
def test_what_is_missing_is_refused_when_the_counts_are_read(
    postgres: Postgres, tmp_path: Path, bad: dict[str, list[Any]]
) -> None:
    columns: dict[str, list[Any]] = {"paid": [1, 0], "risk": [0.5, 0.25], **bad}
    postgres.load("scored", columns, ("int", "double precision"))
    with pytest.raises(rb.InputError, match=r"must have a (label|value)"):
        postgres.counts(tmp_path / "counts.csv", query_of_the_page())

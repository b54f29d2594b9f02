"""`rocbands study`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import rocbands as rb

Run = Callable[..., Result]


def test_own_on_the_example(run: Run) -> None:
    asked = ("study", "own", "--example", "--score", "logistic", "--replicates", "20")
    result = run(*asked, "--workers", "1", "--method", "joint-region", "--json")
    assert result.exit_code == 0, result.stderr
    model = json.loads(result.stdout)["models"]["logistic"]
    assert model["columns"]["method"] == ["joint-region"]
    assert model["columns"]["holds"] == [1.0]


def test_own_takes_a_file_by_name_as_well(run: Run) -> None:
    asked = ("--replicates", "20", "--workers", "1", "--method", "joint-region")
    one = run("study", "own", "good.csv", *asked)
    two = run("study", "own", "--scores", "good.csv", *asked)
    assert one.exit_code == 0, one.stderr
    assert one.stdout == two.stdout
    twice = run("study", "own", "good.csv", *asked, "--method", "joint-region")
    assert twice.stdout == one.stdout


def test_a_store_is_continued(run: Run) -> None:
    asked = ("study", "own", "good.csv", "--workers", "1", "--method", "joint-region")
    one = run(*asked, "--replicates", "40", "--store", "own.store")
    size = Path("own.store").stat().st_size
    two = run(*asked, "--replicates", "40", "--store", "own.store")
    assert (one.stdout, size) == (two.stdout, Path("own.store").stat().st_size)


def test_own_takes_a_table_that_a_database_wrote(run: Run) -> None:
    asked = ("--score", "old", "--replicates", "20", "--workers", "1", "--json")
    result = run("study", "own", "counted.csv", *asked)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["models"]["old"]["columns"]["method"][0] == "likelihood"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("own",), "Give a file of scores"),
        (("own", "good.csv", "--method", "likelyhood"), "likelihood"),
        (("own", "good.csv", "--level", "95"), "pass --level 0.95"),
        (("own", "good.csv", "--replicates", "3"), "replicates"),
        (("own", "good.csv", "--store", "bad.csv"), "not a store of a study"),
        (("own", "good.csv", "--scores", "text.csv"), "Give the file of scores once"),
        (("run",), "NAME"),
        (("rum",), "No such command"),
    ],
)
def test_mistakes_are_one_line(run: Run, asked: tuple[str, ...], message: str) -> None:
    before = sorted(Path().iterdir())
    result = run("study", *asked)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(Path().iterdir()) == before


def test_a_run_that_cannot_go_on_says_so_in_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*study: object, **how: object) -> None:
        raise rb.RocBandsError("A worker process was killed 5 times.")

    monkeypatch.setattr("rocbands_studies.run", fail)
    result = run("study", "own", "good.csv")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "killed 5 times" in result.stderr

"""`rocbands study`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import rocbands as rb
from rocbands.study.papers import names

Run = Callable[..., Result]


def test_mine_on_the_example(run: Run) -> None:
    asked = ("study", "mine", "--example", "--score", "logistic", "--replicates", "20")
    result = run(*asked, "--workers", "1", "--method", "joint-region", "--json")
    assert result.exit_code == 0, result.stderr
    model = json.loads(result.stdout)["models"]["logistic"]
    assert model["columns"]["method"] == ["joint-region"]
    assert model["columns"]["holds"] == [1.0]


def test_mine_takes_a_file_by_name_as_well(run: Run) -> None:
    asked = ("--replicates", "20", "--workers", "1", "--method", "joint-region")
    one = run("study", "mine", "good.csv", *asked)
    two = run("study", "mine", "--scores", "good.csv", *asked)
    assert one.exit_code == 0, one.stderr
    assert one.stdout == two.stdout
    twice = run("study", "mine", "good.csv", *asked, "--method", "joint-region")
    assert twice.stdout == one.stdout


def test_a_store_is_continued(run: Run) -> None:
    asked = ("study", "mine", "good.csv", "--workers", "1", "--method", "joint-region")
    one = run(*asked, "--replicates", "40", "--store", "mine.store")
    size = Path("mine.store").stat().st_size
    two = run(*asked, "--replicates", "40", "--store", "mine.store")
    assert (one.stdout, size) == (two.stdout, Path("mine.store").stat().st_size)


def test_the_list_names_every_study(run: Run) -> None:
    result = run("study", "list")
    assert result.exit_code == 0
    rows = result.stdout.partition("\n\n")[2].splitlines()[1:]
    assert [line.split()[0] for line in rows if not line.startswith(" ")] == names()
    listed = json.loads(run("study", "list", "--json").stdout)["studies"]
    assert [row["name"] for row in listed] == names()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("mine",), "Give a file of scores"),
        (("mine", "good.csv", "--method", "likelyhood"), "likelihood"),
        (("mine", "good.csv", "--level", "95"), "pass --level 0.95"),
        (("mine", "good.csv", "--replicates", "3"), "replicates"),
        (("mine", "good.csv", "--store", "bad.csv"), "not a store of a study"),
        (("mine", "good.csv", "--scores", "text.csv"), "Give the file of scores once"),
        (("run", "macskassy-2005-tabel3"), "Did you mean"),
        (("run",), "NAME"),
        (("run", "macskassy-2005-table3", "--plot", "x.doc"), "must end in"),
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

    monkeypatch.setattr("rocbands.study.run", fail)
    result = run("study", "mine", "good.csv")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "killed 5 times" in result.stderr

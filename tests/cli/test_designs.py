"""Clusters, weights and strata are options of every command that reads rows, and reach its answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import Result

import rocbands as rb
from rocbands.cli import main

Run = Callable[..., Result]
OPTIONS = ("--clusters", "--weights", "--strata")

# Commands that read rows, with the functions whose rows of the table of designs they show.
COMMANDS = {
    "summary": ("summary", "summary"),
    "band": ("roc_band", "band"),
    "auc": ("auc_interval", "auc"),
    "auc, part": ("partial_auc_interval", "auc --fpr-range 0,0.2"),
    "ap": ("average_precision_interval", "ap --score one"),
    "points": ("operating_points", "points --threshold 0.5"),
    "rate": ("rate_bounds", "rate --rate 0.2 --score one"),
    "cost": ("cost_interval", "cost --threshold 0.5 --w 0.5 --score one"),
    "cost, two": ("cost_difference", "cost --split --w 0.5"),
    "smooth": ("smooth_curve", "smooth --method kernel --score one"),
    "average": ("average_curve", "average --folds fifth --score one"),
    "two-sided": ("two_sided_curve", "two-sided --score one"),
    "net-benefit": ("net_benefit", "net-benefit --threshold 0.3 --score one"),
    "compare": ("compare", "compare"),
    "compare, tpr": ("compare_tpr", "compare --at-fpr 0.2"),
    "compare, decisions": ("mcnemar", "compare --threshold 0.5"),
    "difference": ("difference_band", "difference"),
    "subgroups": ("subgroups", "subgroups --by half --score one"),
    "report": ("report", "report --json"),
    "classes": ("class_bands", "classes"),
}
TABLE = {function: row for (_, function), row in rb.methods().designs().functions.items()}
WITHOUT = ("roc", "study")  # curves without limits; studies of data like these rows


@pytest.fixture
def _rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write files of 120 rows: two models, and three classes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    row = np.arange(120)
    y = rng.random(120) < 0.4
    scores = {name: 1 / (1 + np.exp(-rng.normal(1.5 * y))) for name in ("one", "two")}
    design = {
        "g": row // 3,
        "w": 1.0 + row % 3,
        "s": row // 3 % 4,
        "half": row % 2,
        "fifth": row // 3 % 5,
    }
    frame = {"y": y.astype(int), **scores, **design}
    pd.DataFrame(frame).to_csv("rows.csv", index=False)
    classes = {f"score_{name}": rng.random(120) for name in "abc"}
    pd.DataFrame({"y": np.array([*"abc"])[row % 3], **classes, **design}).to_csv(
        "classes.csv", index=False
    )


def ask(run: Run, command: str, *more: str) -> Result:
    name = command.partition(" ")[0]
    models = (
        () if "--score" in command or name == "classes" else ("--score", "one", "--score", "two")
    )
    file = "classes.csv" if name == "classes" else "rows.csv"
    return run(*command.split(), file, "--label", "y", *models, *more)


def test_every_command_that_reads_rows_takes_a_design() -> None:
    context = click.Context(main)
    named = [name for name in main.list_commands(context) if name not in WITHOUT]
    commands = {name: main.get_command(context, name) for name in named}
    reading = {
        name: {option for param in command.params for option in param.opts}
        for name, command in commands.items()
        if command is not None
        and any(param.human_readable_name == "SCORES" for param in command.params)
    }
    assert all(set(OPTIONS) <= options for options in reading.values())
    assert set(reading) == {line.split()[0] for _, line in COMMANDS.values()}


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_design_is_used_or_refused_as_by_the_function(run: Run, name: str) -> None:
    function, command = COMMANDS[name]
    plain = ask(run, command)
    assert plain.exit_code == 0, plain.stderr
    for option, column in zip(OPTIONS, "gws", strict=True):
        found = ask(run, command, option, column)
        if TABLE[function][option[2:]] == "-":
            assert found.exit_code == 2
            assert f"the sample has {option[2:]}. Leave {option} out" in found.stderr
        else:
            assert found.exit_code == 0, found.stderr
            assert found.stdout != plain.stdout


@pytest.mark.usefixtures("_rows")
def test_two_files_have_the_same_design(run: Run) -> None:
    rows = pd.read_csv("rows.csv")
    rows[::2].to_csv("first.csv", index=False)
    rows[1::2].to_csv("second.csv", index=False)
    line = ("compare", "first.csv", "--unpaired", "second.csv", "--label", "y", "--score", "one")
    plain, found = run(*line), run(*line, "--weights", "w")
    assert plain.exit_code == 0
    if TABLE["compare"]["weights"] == "-":
        assert "the sample has weights. Leave --weights out" in found.stderr
    else:
        assert found.stdout != plain.stdout


def test_the_table_of_designs_fits_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = rb.methods().designs().columns()
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = run("methods", "--designs").stdout.splitlines()
        assert max(map(len, lines)) <= width
        heads = [word for line in lines if line.startswith("function ") for word in line.split()]
        assert [head for head in heads if head != "function"] == list(columns)[2:]
        for function in set(columns["function"]):
            assert sum(line.startswith(function) for line in lines) >= heads.count("function")

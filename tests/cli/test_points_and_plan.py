"""What `points` and `plan` print when all is well."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import rocbands as rb

Run = Callable[..., Result]


def test_points_prints_what_the_library_shows(run: Run) -> None:
    sample = rb.load_example()
    result = run("points", "--example", "--fpr", "0.05", "--fpr", "0.1", "--seed", "1")
    assert result.exit_code == 0, result.stderr
    shown = [
        f"Model {name}\n{rb.operating_points(sample[name], fpr=[0.05, 0.1])}" for name in sample
    ]
    assert result.stdout.split() == " ".join(shown).split()
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (("--tpr", "0.9"), {"tpr": 0.9}),
        (("--specificity", "0.9"), {"fpr": 0.1, "words": "medical"}),
        (("--recall", "0.9"), {"tpr": 0.9, "words": "learning"}),
        (
            ("--sensitivity", "0.9", "--prevalence", "0.02", "--words", "rates"),
            {"tpr": 0.9, "prevalence": 0.02},
        ),
        (("--precision", "0.8", "--words", "learning"), {"precision": 0.8, "words": "learning"}),
        (("--threshold", "0.5", "--joint"), {"threshold": 0.5, "joint": True}),
        (
            ("--rate", "0.2", "--method", "clopper-pearson"),
            {"rate": 0.2, "method": "clopper-pearson"},
        ),
        (("--best", "youden"), {"best": "youden"}),
        (
            (
                "--best",
                "cost",
                "--c-fn",
                "5",
                "--c-fp",
                "2",
                "--prevalence",
                "0.1",
                "--level",
                "0.9",
            ),
            {"best": "cost", "costs": (5, 2), "prevalence": 0.1, "level": 0.9},
        ),
    ],
)
def test_every_option_reaches_the_library(run: Run, options: tuple, asked: dict) -> None:
    result = run("points", "--example", "--score", "logistic", "--json", *options)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout, parse_constant=pytest.fail)
    at = rb.operating_points(rb.load_example()["logistic"], **asked)
    assert found["schema"] == "rocbands.points/1"
    assert found["models"] == {"logistic": json.loads(at.to_json())}


def test_a_second_file_judges(run: Run) -> None:
    run()
    Path("later.csv").write_text("label,score\n1,0.8\n0,0.6\n1,0.95\n0,0.2\n", encoding="utf-8")
    result = run("points", "good.csv", "--best", "youden", "--test", "later.csv", "--json")
    assert result.exit_code == 0, result.stderr
    (found,) = json.loads(result.stdout)["models"].values()
    assert found["columns"]["threshold"] == [0.9, 0.3]
    assert found["columns"]["tpr"] == [0.5, 1.0]
    assert "evaluated on other rows" in found["notes"][-1]


def test_points_are_drawn(run: Run) -> None:
    result = run("points", "--example", "--best", "youden", "--joint", "--plot", "points.png")
    assert result.exit_code == 0
    assert result.stderr == "Wrote points.png\n"
    assert Path("points.png").stat().st_size > 1000


def test_plan_prints_what_the_library_shows(run: Run) -> None:
    result = run("plan", "--auc", "0.7", "--against", "0.5", "--power", "0.9")
    assert result.stdout.split() == str(rb.sample_size(auc=0.7, against=0.5, power=0.9)).split()
    asked = ("--auc", "0.8", "--other", "0.75", "--correlation", "0.6", "--ratio", "3", "--json")
    plan = rb.sample_size(auc=0.8, other=0.75, correlation=0.6, ratio=3)
    assert json.loads(run("plan", *asked).stdout) == json.loads(plan.to_json())


def test_rows_with_missing_values_are_counted_or_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text(
        "label;score\n1;0,9\n0;\n1;0,3\n0;0,1\n;0,2\n", encoding="utf-8"
    )
    refused = run("auc", "gaps.csv")
    assert refused.exit_code == 2
    assert "In all, 2 of 5 rows with missing values (1 without a label, 1 of class '0')" in (
        refused.stderr
    )
    assert "or pass --drop-missing" in refused.stderr
    found = run("auc", "gaps.csv", "--drop-missing", "--json")
    assert found.exit_code == 0, found.stderr
    assert found.stderr == ""
    interval = json.loads(found.stdout)["models"]["score"]
    assert interval["notes"][0] == (
        "Left out 2 of 5 rows (1 of class '0', 1 without a label): missing values."
    )
    assert (interval["n_pos"], interval["n_neg"], interval["estimate"]) == (2, 1, 1.0)


def test_a_plan_takes_a_prevalence(run: Run) -> None:
    found = json.loads(
        run("plan", "--auc", "0.8", "--width", "0.1", "--prevalence", "0.1", "--json").stdout
    )
    assert (found["n_pos"], found["n_total"]) == (84, 840)


def test_a_plan_is_checked_by_simulation(run: Run) -> None:
    asked = ["--auc", "0.8", "--width", "0.2", "--check", "--seed", "1"]
    result = run("plan", *asked)
    assert "Simulated: mean width 0." in result.stdout
    plan = rb.sample_size(auc=0.8, width=0.2, check=True, rng=1)
    assert json.loads(run("plan", *asked, "--json").stdout) == json.loads(plan.to_json())

"""`rocbands report`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import rocbands as rb

Run = Callable[..., Result]


def test_the_example(run: Run) -> None:
    result = run("report", "--example", "--seed", "1")
    assert result.exit_code == 0, result.stderr
    found = rb.report(rb.load_example(), path=None, rng=1)
    assert result.stdout.split() == " ".join([*found.headline, *found.statistics]).split()
    assert result.stderr == "Wrote report.html\n"
    assert "the example" in Path("report.html").read_text(encoding="utf-8")


def test_json_is_the_payload_and_writes_no_file(run: Run) -> None:
    result = run(
        "report", "--example", "--score", "logistic", "--json", "--seed", "1", "--title", "Mine",
        "--level", "0.9",
    )  # fmt: skip
    sample = rb.load_example()["logistic"]
    own = rb.report(sample, path=None, rng=1, title="Mine", level=0.9).payload
    printed = json.loads(result.stdout)
    assert printed["data"].pop("source") == "the example"
    assert printed["made"].pop("command").startswith("rocbands")
    assert own["made"].pop("command") == "rb.report(..., rng=1)"
    assert printed == {**own, "data": {k: v for k, v in own["data"].items() if k != "source"}}


def test_the_page_starts_where_the_options_say(run: Run) -> None:
    asked = ("--costs", "20", "1", "--prevalence", "0.05", "--capacity", "0.1", "--fpr", "0.05")
    result = run("report", "--example", "--json", "--seed", "1", *asked, "--focus", "neighbours")
    printed = json.loads(result.stdout)
    preset = printed["preset"]
    assert [preset[k] for k in ("c_fn", "c_fp", "prevalence", "capacity", "fpr")] == [
        20, 1, 0.05, 0.1, 0.05,
    ]  # fmt: skip
    assert printed["focus"] == ["neighbours"]
    found = printed["recommendation"]
    rules = {rule["name"]: rule["at"] for rule in found["rules"]}
    assert rules == {"fpr": 0.05, "rate": 0.1, "costs": [20, 1]}
    assert printed["headline"][0] == found["sentence"]
    wrong = run("report", "--example", "--json", "--focus", "nobody")
    assert wrong.exit_code == 2
    assert "--focus must be one or two of the models 'logistic', 'neighbours'" in wrong.stderr
    assert not Path("report.html").exists()


def test_options(run: Run) -> None:
    rows = "".join(f"{k % 2},{(k * 7) % 10 + k % 2},{k // 4},{k % 3}\n" for k in range(60))
    Path("cv.csv").write_text("y,score,patient,fold\n" + rows, encoding="utf-8")
    result = run(
        "report", "cv.csv", "-o", "folder/r.html", "--clusters", "patient", "--future", "9,8"
    )
    assert result.exit_code == 0, result.stderr
    assert Path("folder/r.html").exists()
    result = run("report", "cv.csv", "--folds", "fold", "--json")
    assert json.loads(result.stdout)["data"]["folds"] == 3
    assert json.loads(result.stdout)["data"]["source"] == "cv.csv"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("good.csv", "-o", "no/such.html"), "folder that exists; 'no' does not"),
        (("good.csv", "-o", "report.pdf"), "must end in .html or .htm"),
        (("good.csv", "--level", "95"), "For 95% pass --level 0.95."),
        (("good.csv", "--future", "9"), "--future must be two whole numbers"),
        (("split.csv", "--folds", "fold"), "Every fold must contain both classes"),
        (("missing.csv",), "missing.csv"),
    ],
)
def test_mistakes_are_one_line(run: Run, args: tuple[str, ...], words: str) -> None:
    Path("split.csv").write_text("y,score,fold\n1,2,a\n1,3,a\n0,1,b\n0,2,b\n", encoding="utf-8")
    result = run("report", *args)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert not Path("report.html").exists()

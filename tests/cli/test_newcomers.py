"""Mistakes of new users, each answered by what is wrong and what to do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rocbands as rb
from tests.cli.test_questions import Run, answer

SAMPLE = rb.load_example()["logistic"]
Y, SCORE = SAMPLE.is_positive, SAMPLE.values


def write(name: str, **columns: object) -> None:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    Path(name).write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = np.where(Y, "yes", "no").astype(object)
    words[np.flatnonzero(Y)[:4]] = "Yes"
    write("case.csv", label=words, score=SCORE)
    write("percent.csv", label=Y.astype(int), score=[f"{100 * s:.0f}%" for s in SCORE])
    write("words.csv", label=Y.astype(int), score=np.where(SCORE > 0.5, "high", "low"))
    write("negative.csv", label=Y.astype(int), score=SCORE, w=np.where(np.arange(569) == 1, -1, 1))
    write("hard.csv", label=Y.astype(int), score=(SCORE > 0.5).astype(int))
    write("kinds.csv", label=np.arange(569) % 3, score=SCORE)


MISTAKES = {
    "auc case.csv --positive yes": "'Yes' and 'yes' differ only in case .* Write them alike",
    "auc case.csv --positive yes --rest": "'Yes' and 'yes' differ only in case",
    "auc percent.csv": "found '97%'. Remove the percent signs",
    "auc words.csv": "It contains text: name the column of scores by --score NAME",
    "auc negative.csv --score score --weights w": "--weights must not be negative",
    "auc nothere.csv": "there is no 'nothere.csv'. Check the path",
    "auc kinds.cvs": "Did you mean 'kinds.csv'",
    "auc kinds.csv": "by --positive 2, or another label, and --rest",
    "cost hard.csv --costs 10": "--costs' requires 2 arguments. See 'rocbands cost --help'",
    "band hard.csv --view precision-recall": "Did you mean 'pr'",
    "auc hard.csv --time t": "--time NAME and --until T belong together",
    "auc hard.csv --time t --until 1 --weights w": "--time makes weights of its own",
    "study run nothing": "There is no study 'nothing'",
    "schema nothing": "There is no schema 'nothing'",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_answered_in_a_line(run: Run, line: str) -> None:
    found = run(*line.split())
    assert found.exit_code == 2
    assert len(found.stderr.splitlines()) == 1
    assert re.search(MISTAKES[line], found.stderr), found.stderr


def test_predicted_classes_instead_of_scores_are_noticed(run: Run) -> None:
    for command in ("auc", "band", "points --fpr 0.1", "roc"):
        said = " ".join(run(*command.split(), "hard.csv").stdout.split())
        assert "The scores have only two values." in said
    assert not any("two values" in note for note in rb.auc_interval(Y, SCORE).notes)


def test_survival_times(run: Run) -> None:
    rng = np.random.default_rng(2)
    score = rng.normal(size=300)
    event, lost = rng.exponential(np.exp(1.0 - 0.8 * score)), rng.exponential(6.0, 300)
    time, seen = np.minimum(event, lost), (event <= lost).astype(int)
    write("times.csv", died=seen, months=time, score=score)
    line = "auc times.csv --label died --score score --time months --until 1.5"
    found = answer(run, line)["models"]["score"]
    y, weights, _ = rb.ipcw(time, seen, at=1.5)
    known = rb.auc_interval(rb.Sample(y, score, weights=weights))
    assert [found["estimate"], found["low"], found["high"]] == [
        known.estimate, known.low, known.high,
    ]  # fmt: skip
    loud = run(*line.split())
    events = int(y.sum())
    assert f"positives are the {events} rows with an event until 1.5;" in loud.stderr
    page = json.loads(run("report", *line.split()[1:], "--json").stdout)
    kept = int((weights > 0).sum())
    assert (page["data"]["n"], page["data"]["n_neg"]) == (kept, kept - events)
    assert f"{300 - kept} rows of weight 0 were left out." in page["data"]["notes"]
    assert "events until 1.5" in page["headline"][1]
    late = run(*line.replace("1.5", "1e9").split())
    assert late.exit_code == 2
    assert "--until must be a time with events before it" in late.stderr


def test_rows_from_a_pipe_need_no_dash(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rocbands", "auc", "--json", "--quiet"]
    with Path("hard.csv").open() as file:
        found = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
    dashed = subprocess.run(
        [*command, "hard.csv"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert found.stdout == dashed.stdout
    assert found.stderr == ""


def test_quiet_leaves_results_and_errors(run: Run) -> None:
    loud = run("auc", "--example", "--plot", "auc.png")
    quiet = run("auc", "--example", "--plot", "auc.png", "--quiet")
    assert loud.stderr == "Wrote auc.png\n"
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout
    assert run("auc", "nothere.csv", "-q").stderr.startswith("rocbands: The file must exist")


def test_schemas_are_found_by_the_command(run: Run) -> None:
    for command, name in (
        ("auc", "aucs/1"),
        ("ap", "average-precisions/2"),
        ("roc", "roc-curves/1"),
    ):
        assert f'"const": "rocbands.{name}"' in run("schema", command).stdout


def test_counts_as_csv(run: Run) -> None:
    assert run("count", "hard.csv", "-o", "c.csv", "--exact").exit_code == 0
    assert Path("c.csv").read_text().startswith("model,score,positives,negatives\n")
    assert answer(run, "auc c.csv") == answer(run, "auc hard.csv")

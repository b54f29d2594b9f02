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


HARD = {"a": (SCORE > 0.5).astype(int), "b": (SCORE > 0.3).astype(int)}
BOTH = rb.Sample(Y, HARD, keep={"part": np.arange(569) % 2})
TWO = "The scores have only two values."
QUESTIONS = {
    "summary": lambda: rb.summary(BOTH),
    "ap": lambda: rb.average_precision_interval(BOTH["a"]),
    "ap difference": lambda: rb.average_precision_difference(BOTH),
    "net benefit": lambda: rb.net_benefit(BOTH["a"]),
    "net benefit difference": lambda: rb.net_benefit_difference(BOTH),
    "compare": lambda: rb.compare(BOTH),
    "compare many": lambda: rb.compare_many(rb.Sample(Y, {**HARD, "c": Y.astype(int)})),
    "difference": lambda: rb.difference_band(BOTH, n_resamples=500),
    "cost": lambda: rb.cost_interval(BOTH["a"], thresholds=0.5, w=0.5),
    "cost difference": lambda: rb.cost_difference(BOTH, thresholds=(0.5, 0.5), w=0.5),
    "rate": lambda: rb.rate_bounds(BOTH["a"], rate=0.1),
    "rate difference": lambda: rb.rate_difference(BOTH, rate=0.1),
    "mcnemar": lambda: rb.mcnemar(BOTH, thresholds=0.5),
    "subgroups": lambda: rb.subgroups(BOTH["a"], by="part", n_resamples=500),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_notices_predicted_classes(question: str) -> None:
    found = QUESTIONS[question]()
    assert [note.startswith(TWO) for note in found.notes].count(True) == 1
    assert TWO in found.answer()[0]


def test_labels_instead_of_one_models_scores_are_noticed() -> None:
    notes = rb.compare(Y, Y.astype(int), SCORE).notes
    assert notes[0].startswith(f"model 1: {TWO}")
    assert not any("two values" in note for note in rb.compare(rb.load_example()).notes)


def test_equal_scores_are_noticed() -> None:
    for found in (rb.auc_interval(Y, np.full(569, 0.5)), rb.summary(Y, np.full(569, 0.5))):
        assert found.notes[0].startswith("All scores are equal")


def test_predicted_classes_come_first_in_a_summary_and_a_report(run: Run) -> None:
    said = run("summary", "hard.csv").stdout
    assert said.index(TWO) < said.index("95% confidence limits")
    assert rb.report(BOTH["a"]).payload["headline"][1].startswith(TWO)


def test_a_threshold_beyond_all_scores_is_noticed(run: Run) -> None:
    write("two.csv", label=Y.astype(int), a=SCORE, b=SCORE / 2)
    said = " ".join(
        run("compare", "two.csv", "--score", "a", "--score", "b", "--threshold", "5").stdout.split()
    )
    assert "Threshold 5 is above all scores of a (highest 0.9999)." in said
    assert "above all scores of b (highest 0.4999)." in said
    notes = rb.mcnemar(Y, SCORE, SCORE / 2, thresholds=(0.5, -1)).notes
    assert notes[0].startswith("Threshold -1 is below all scores of model 2")
    for found in (
        rb.cost_interval(Y, SCORE, thresholds=50, w=0.5),
        rb.operating_points(Y, SCORE, threshold=50),
    ):
        assert "Threshold 50 is above all scores (highest 0.9999)." in found.notes
    many = rb.cost_interval(Y, SCORE, thresholds=[2, 3, 4, 5], w=[0.2, 0.4, 0.6, 0.8]).notes
    assert "4 of 4 thresholds are above all scores (highest 0.9999)." in many
    gap = rb.cost_difference(Y, SCORE, SCORE / 2, thresholds=(0.5, 0.7), w=0.5)
    assert "Threshold 0.7 is above all scores of model 2 (highest 0.4999)." in gap.notes


def test_precision_without_cases_is_not_a_number(run: Run) -> None:
    found = rb.rate_bounds(Y, SCORE, rate=[0.0, 0.1])
    assert np.isnan(found.precision[0])
    assert found.precision[1] > 0.9
    write("one.csv", label=Y.astype(int), score=SCORE)
    record = json.loads(run("rate", "one.csv", "--rate", "0", "--format", "json").stdout)
    assert '"precision": [null]' in json.dumps(record)


METRICS = {
    "accuracy": "Did you mean 'accuracy at threshold 0.5'",
    "auprc": "Did you mean 'average precision'",
    "PR-AUC": "Did you mean 'average precision'",
    "precision": "Did you mean 'precision at rate 0.1'",
    "sensitivty": "Did you mean 'sensitivity at specificity 0.9'",
    "f1score": "Did you mean 'f1 at threshold 0.5'",
    "balanced accuracy": "got 'balanced accuracy'. Metrics are 'auc'",
    "auc,brier": "Pass --metric auc --metric brier.",
}


@pytest.mark.parametrize("name", METRICS)
def test_metrics_of_other_names(run: Run, name: str) -> None:
    found = run("summary", "hard.csv", "--metric", name)
    assert found.exit_code == 2
    assert METRICS[name] in found.stderr
    assert len(found.stderr.splitlines()) == 1

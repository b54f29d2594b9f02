"""Mistakes of new users, each answered by what is wrong and what to do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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
    sites = np.where(np.arange(569) % 2, "south", "north").astype(object)
    sites[:40:2] = "North"
    write("sites.csv", label=Y.astype(int), score=SCORE, site=sites)
    write("named.csv", label=np.where(Y, "Malignant", "benign"), score=SCORE)
    mixed = Y.astype(int).astype(object)
    mixed[5] = "yes"
    write("mixed.csv", label=mixed, score=SCORE)
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
    "subgroups sites.csv --by site": "'North' and 'north' differ only in case .* Write them alike",
    "auc hard.csv --fpr-range 0,10": "got 10. In place of percentages pass --fpr-range 0,0.1",
    "points hard.csv --fpr 5 --fpr 10": "pass --fpr 0.05 --fpr 0.1.",
    "auc named.csv": "Pass --positive Malignant or --positive benign",
    "auc mixed.csv": "'yes' is in 1 of 569 rows. Correct such rows",
    "points hard.csv --costs 10 1": "For --costs pass --best cost",
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


def test_best_threshold_without_costs_says_which(run: Run) -> None:
    said = " ".join(run("points", "hard.csv", "--best", "cost").stdout.split())
    assert "Best at costs 1 : 1" in said
    assert "by --costs." in said
    assert "1 : 1" not in run("points", "hard.csv", "--best", "cost", "--costs", "2", "1").stdout


FRAME = pd.DataFrame({"y": Y.astype(int), "a": SCORE, "b": SCORE**2 + 0.1 * np.sin(np.arange(569))})
MIXED = FRAME.sample(frac=1, random_state=1)
LABELS, A, B = FRAME["y"], FRAME["a"], FRAME["b"]
SITE = pd.Series(np.where(np.arange(569) % 2, "f", "m"))

CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "scores in another order": (
        lambda: rb.auc_interval(LABELS, MIXED["a"]),
        r"same index in different orders. Pass y_score.loc\[y_true.index\]; or y_score.to_numpy",
    ),
    "second model in another order": (
        lambda: rb.compare(LABELS, A, MIXED["b"]),
        "`y_true` and `y_score_2` must have their rows in the same order",
    ),
    "models in different orders": (
        lambda: rb.compare(LABELS.to_numpy(), A, MIXED["b"]),
        "`y_score_1` and `y_score_2` must have their rows in the same order",
    ),
    "sample in another order": (
        lambda: rb.Sample(LABELS, {"a": A, "b": MIXED["b"]}),
        "`y_score of 'b'` must have their rows in the same order",
    ),
    "kept column in another order": (
        lambda: rb.Sample(LABELS, A, keep={"b": MIXED["b"]}, missing="drop"),
        "must have their rows in the same order",
    ),
    "classes in another order": (
        lambda: rb.roc_bands(LABELS, MIXED[["a", "b"]].set_axis([0, 1], axis=1)),
        "must have their rows in the same order",
    ),
    "groups in another order": (
        lambda: rb.subgroups(LABELS, A, by=SITE[::-1]),
        "`y_true` and `by` must have their rows in the same order",
    ),
    "repeated labels of an index": (
        lambda: rb.auc_interval(LABELS.set_axis(SITE), A.set_axis(np.sort(SITE))),
        "Pass columns of one frame",
    ),
    "frame and a name": (
        lambda: rb.auc_interval(FRAME, "a"),
        r"rb.Sample.from_frame\(df, label=..., score='a'\)",
    ),
    "frame and two names": (lambda: rb.compare(FRAME, "a", "b"), r"score=\['a', 'b'\]"),
    "sample of a frame": (lambda: rb.Sample(FRAME, "a"), "rb.Sample.from_frame"),
    "range in percent": (
        lambda: rb.partial_auc_interval(LABELS, A, fpr=(0, 10)), r"pass fpr=\(0, 0.1\)"
    ),
    "one number as a range": (
        lambda: rb.partial_auc_interval(LABELS, A, fpr=10), r"for example, fpr=\(0, 0.1\)"
    ),
    "specificities in percent": (
        lambda: rb.partial_auc_interval(LABELS, A, specificity=(90, 100)),
        r"pass specificity=\(0.9, 1\)",
    ),
    "band in percent": (
        lambda: rb.difference_band(LABELS, A, B, fpr=(5, 95)), r"pass fpr=\(0.05, 0.95\)"
    ),
    "band from 0 percent": (
        lambda: rb.difference_band(LABELS, A, B, fpr=(0, 10)), r"for example, fpr=\(0.05, 0.95\)"
    ),
    "some in percent": (
        lambda: rb.operating_points(LABELS, A, fpr=[0.05, 10]), r"pass fpr=\[0.05, 0.1\]"
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", CALLS)
def test_a_mistake_in_python_is_answered(mistake: str) -> None:
    function, words = CALLS[mistake]
    with pytest.raises(rb.InputError, match=words):
        function()


def test_an_index_does_not_matter_otherwise() -> None:
    known = rb.auc_interval(LABELS, A).estimate
    for scores in (A.to_numpy(), A.set_axis(range(7, 576)), A.set_axis(MIXED.index).to_numpy()):
        assert rb.auc_interval(LABELS, scores).estimate == known
    assert rb.auc_interval(MIXED["y"], MIXED["a"]).estimate == known


ARGUMENTS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "called `positive` here": (rb.auc_interval, {"levels": [0, 1]}),
    "Did you mean `level`": (rb.auc_interval, {"levels": 0.9}),
    "called `at` here": (rb.ipcw, {"times": 3}),
    "`at` was given": (rb.ipcw, {"times": 3, "at": 3}),
    "negate the scores": (rb.auc_interval, {"direction": "<"}),
    r"rb.partial_auc_interval\(y_true, y_score, fpr=\(0, 0.1\)\)": (
        rb.auc_interval, {"partial_auc": (1, 0.9)}
    ),
    r"Pass the range: fpr=\(0, 0.2\)": (rb.partial_auc_interval, {"max_fpr": 0.2}),
    "called `threshold` here": (rb.operating_points, {"cutoff": 0.5}),
    "called `thresholds` here": (rb.mcnemar, {"cutoff": 0.5}),
    "called `path` here": (rb.report, {"output": "x.html"}),
    r"rb.report\(rb.subgroups\(sample, by=...\)\)": (rb.report, {"by": SITE}),
    "Groups of people: rb.subgroups": (rb.auc_interval, {"by": SITE}),
    "Keep the column by `keep`": (rb.Sample, {"by": "site"}),
    r"rb.Sample\(y_true, y_score, positive=...\)": (rb.fold_auc_interval, {"levels": [0, 1]}),
    "called `classes` here": (rb.roc_bands, {"levels": [0, 1]}),
}  # fmt: skip


@pytest.mark.parametrize("words", ARGUMENTS)
def test_arguments_of_other_programs_are_explained(words: str) -> None:
    function, given = ARGUMENTS[words]
    with pytest.raises(rb.InputError, match=words):
        function(LABELS, A, **given)
    with pytest.raises(rb.InputError, match="called `y_true` here"):
        rb.auc_interval(response=LABELS, predictor=A)  # type: ignore[call-arg]

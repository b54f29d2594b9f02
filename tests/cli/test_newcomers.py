"""Mistakes of new users, each answered by what is wrong and what to do."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
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
def files(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("newcomers")
        patch.chdir(folder)
        write_files()
    return folder


def write_files() -> None:
    words = np.where(Y, "yes", "no").astype(object)
    words[np.flatnonzero(Y)[:4]] = "Yes"
    write("case.csv", label=words, score=SCORE)
    write("percent.csv", label=Y.astype(int), score=[f"{100 * s:.0f}%" for s in SCORE])
    write("words.csv", label=Y.astype(int), score=np.where(SCORE > 0.5, "high", "low"))
    at = np.arange(569)
    word = np.where(at == 2, "two", "1")
    write("negative.csv", label=Y.astype(int), score=SCORE, w=np.where(at == 1, -1, 1), word=word)
    write("halves.csv", label=Y.astype(int), score=SCORE, side=at % 2)
    write("names.csv", label=Y.astype(int), score=[f"n{row}" for row in at])
    write("marks.csv", label=Y.astype(int), score=["?" if row % 200 == 1 else "0.5" for row in at])
    write("mark.csv", label=Y.astype(int), score=["-" if row == 2 else "0.5" for row in at])
    table = "label,score\n1,0.8\n0,0.3\n"
    Path("notes.csv").write_text(f"The hospital\nMade in 2024, by us\n\n{table}", encoding="utf-8")
    Path("commas.csv").write_text(
        "Made in 2024, by us\nlabel,score,x\n1,0.8,2\n0,0.3,2\n", encoding="utf-8"
    )
    Path("numbered.csv").write_text("label,score\n1,1,0.8\n2,0,0.3\n", encoding="utf-8")
    Path("spaces.txt").write_text(table.replace(",", " "), encoding="utf-8")
    Path("same.csv").write_text("label,a,a\n1,0.8,0.8\n0,0.3,0.3\n", encoding="utf-8")
    Path("page.csv").write_text(
        "\n<!DOCTYPE html><html><body>Not found</body></html>", encoding="utf-8"
    )
    with zipfile.ZipFile("table.zip", "w") as archive:
        archive.writestr("hard.csv", table)
    write("hard.csv", label=Y.astype(int), score=(SCORE > 0.5).astype(int))
    sites = np.where(np.arange(569) % 2, "south", "north").astype(object)
    sites[:40:2] = "North"
    write("sites.csv", label=Y.astype(int), score=SCORE, site=sites)
    write("named.csv", label=np.where(Y, "Malignant", "benign"), score=SCORE)
    mixed = Y.astype(int).astype(object)
    mixed[5] = "yes"
    write("mixed.csv", label=mixed, score=SCORE)
    for name, scores in {
        "shares": ("43%", "0.640", "0.531"),
        "percent_mixed": ("43%", "64.0", "53.1"),
        "dates": ("2024-01-01", "2024-01-02", "2024-01-03"),
        "money": ("€251.88", "€213.57", "€1013.47"),
    }.items():
        write(f"{name}.csv", label=(0, 1, 0), score=scores)
    write("code.csv", label=np.where(at % 150 == 1, 9, Y), score=SCORE)
    write(
        "unknown.csv", label=np.where(at % 150 == 1, "unknown", np.where(Y, "a", "b")), score=SCORE
    )
    Path("table.pdf").write_bytes(b"%PDF-1.4 ...")
    Path("table.rds").write_bytes(gzip.compress(b"X\n\0\0\0\3\0\4"))
    Path("table.sav").write_bytes(b"$FL2@(#) SPSS DATA FILE")
    write("kinds.csv", label=np.arange(569) % 3, score=SCORE)


MISTAKES = {
    "auc case.csv --positive yes": "'Yes' and 'yes' differ only in case .* Write them alike",
    "auc case.csv --positive yes --rest": "'Yes' and 'yes' differ only in case",
    "auc percent.csv": "found '97%'. Remove the percent signs",
    "auc words.csv": r"words \('high', 'low'\): number them in their order, or .* --score NAME",
    "auc names.csv": "It contains text: name the column of scores by --score NAME",
    "auc negative.csv --score score --weights w": "line 3: column 'w' must .* found -1. Correct",
    "auc negative.csv --score score --weights word": "line 4: column 'word' .* found 'two'",
    "auc marks.csv": r"found '\?' in at least 3 rows. .* leave the cells empty .* --drop-missing",
    "auc mark.csv --drop-missing": r"line 4: .* found '-'. If values are missing, leave the cells",
    "auc notes.csv": "seem to be on line 4: 'label,score'. Remove the lines above the names",
    "auc commas.csv": "seem to be on line 2: 'label,score,x'. Remove the lines above the names",
    "auc numbered.csv": "line 2: every row must have 2 cells, as the first line has; found 3",
    "auc spaces.txt": "Save the file again with commas",
    "auc same.csv": "'a' occurs 2 times. Rename one of them",
    "auc table.zip": "it is a zip archive with 'hard.csv'. Unzip it, and name 'hard.csv'",
    "auc page.csv": "it is HTML, a page for a browser. Download the table itself",
    "auc https://example.org/hard.csv": "is an address. Download it first",
    "auc hard.csv a b": "one file, and name columns by options: --score a --score b. See",
    "auc hard.csv kinds.csv": r"unexpected extra argument \(kinds.csv\). See",
    "auc hard.csv --pos-label 1": "'--pos-label'. Did you mean '--positive'\\? See",
    "auc hard.csv --sample_weight w": "Did you mean '--weights'\\? See",
    "auc hard.csv --weight w": "Did you mean '--weights'\\? See",
    "auc hard.csv --boot-n 2000": "Pass --method bootstrap and, if you like, --resamples N",
    "band hard.csv --bootstrap": "Did you mean '--resamples'\\? See",
    "auc hard.csv --partial 0,0.1": "Did you mean '--fpr-range'\\? See",
    "auc hard.csv --direction lower": "Columns whose small values mean positive: --reverse NAME. See",
    "auc hard.csv --reverse": r"Write --reverse NAME \(column of scores whose small values mean pos",
    "summary hard.csv --specificity 0.9": "Pass --fpr, which is 1 - specificity. See",
    "summary hard.csv --threshold 0.5": "Use 'rocbands points', for example with --threshold 0.5",
    "summary hard.csv --youden": "Use 'rocbands points' with --best youden. See",
    "summary hard.csv --id patient": "Did you mean '--clusters'\\? See",
    "summary hard.csv --by patient": "lesions of a patient: --clusters COLUMN. Groups of people: 'roc",
    "points hard.csv --threshold best": "--threshold 0.5, or the best by a rule: --best youden. See",
    "subgroups sites.csv --by site --reference a": "Did you mean '--against'\\? See",
    "plan --auc 0.8 --n 100": "It finds the sizes: pass what they are to reach, such as --width 0.1",
    "plan kinds.csv": "The file of a pilot study with readers: --pilot kinds.csv",
    "cite hard.csv --positive 1": "It reads no data: name methods, as in 'rocbands cite likelihood",
    "pr hard.csv": "Use 'rocbands band --view pr'. See",
    "auc sites.csv --score score --weights site": "'North'.*: name another column, with numbers",
    "auc shares.csv": "'43%' beside '0.640'. The column mixes .* divide those with % by 100",
    "auc percent_mixed.csv": "found '43%'. Remove the percent signs of the whole column",
    "auc dates.csv": "'2024-01-01', a date. .* write numbers of days, or name the column of scores by --s",
    "auc money.csv": "found '€251.88'. Remove the currency signs of the whole column",
    "auc code.csv": "9 is in 4 of 569 rows. Does 9 mean missing or unknown\\? .* pass --drop-missing. Else",
    "auc unknown.csv": "'unknown' is in 4 of 569 rows. Does 'unknown' mean missing",
    "auc table.pdf": "it is a PDF. Ask for the table itself",
    "auc table.rds": "it is data of R. In R: write.csv",
    "auc table.sav": "it is data of SPSS. In SPSS: File, Save as, CSV",
    "auc hard.csv --partial-auc 0,0.1": "Did you mean '--fpr-range'\\? See",
    "auc hard.csv --ci": "Did you mean '--level'\\? See",
    "auc hard.csv --alpha 0.05": "Pass --level, which is 1 - alpha",
    "auc hard.csv --output out.csv": "Write '> FILE' at the end .*; --plot FILE draws it",
    "auc hard.csv -o out.csv": "No such option '-o'. Write '> FILE' at the end",
    "band hard.csv --title x": "Set it in Python: ",
    "band hard.csv --xlim 0,1": "Set it in Python: ",
    "band hard.csv --nothing": "No such option '--nothing'. See 'rocbands band --help'",
    "auc hard.csv --level 95%": "got '95%'. Write --level 0.95. See",
    "auc hard.csv --level 0,95": "got '0,95'. Write --level 0.95. See",
    "auc hard.csv --level .95%": "Write, for example, --level 0.95. See",
    "auc hard.csv --level nan": "Write, for example, --level 0.95. See",
    "points hard.csv --fpr 5%": "Write --fpr 0.05. See",
    "points hard.csv --fpr 0.5%": "Write --fpr 0.005. See",
    "points hard.csv --fpr five%": "Write, for example, --fpr 0.5. See",
    "classes kinds.csv --score score": "columns are score, labels 0, 1, 2. Rename the columns 0, 1, 2",
    "report halves.csv --by side --fpr 5": "For 5% pass --fpr 0.05",
    "report hard.csv --prevalence 5%": "Write --prevalence 0.05. See",
    "report hard.csv -o hard.csv/report.html": "must go to a folder; 'hard.csv' is a file",
    "net-benefit hard.csv --threshold 1": "must lie below 1; got 1. .* such as --threshold 0.5",
    "auc nothere.csv": "there is no 'nothere.csv'. Check the path",
    "auc kinds.cvs": "Did you mean 'kinds.csv'",
    "delong hard.csv": "No such command 'delong'. Use 'rocbands auc' or 'rocbands compare'. See",
    "roc-test hard.csv": "Use 'rocbands compare'. See",
    "coords hard.csv": "Use 'rocbands points'. See",
    "points hard.csv --sens 0.9": "Did you mean '--sensitivity'?",
    "compare hard.csv --paired": "Leave it out: models in one file are compared on the same rows",
    "compare hard.csv nowhere.csv": "which scored other rows: --unpaired nowhere.csv",
    "compare hard.csv kinds.csv": "which scored other rows: --unpaired kinds.csv",
    "help auc": "Write 'rocbands --help', or 'rocbands COMMAND --help'. See",
    "nothing": "No such command 'nothing'. Commands: app, summary, ",
    "points hard.csv --youden": "Did you mean '--best youden'?",
    "summary hard.csv --alert-rate 0.1": "Did you mean '--rate'?",
    "points hard.csv --rate 200": "200 of 100,000 are --rate 0.002",
    "plan --auc .8 --power .8": "A test against guessing is --against 0.5.",
    "plan --auc .8 --null 0.7": "Did you mean '--against'?",
    "plan --sensitivity 0.9": "not for a sensitivity or specificity",
    "band hard.csv --view precision_recall": "Did you mean 'pr'",
    "auc kinds.csv": "for example by --positive 2 and --rest; or all classes by 'rocbands classes'",
    "cost hard.csv --costs 10": "--costs must be two numbers, .* got fewer. .* --costs 10 1. See",
    "cost hard.csv --costs 10,1 --w 0.5": "two numbers, .* got '10,1'. .* --costs 10 1. See",
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
    with Path("hard.csv").open(encoding="utf-8") as file:
        found = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
    dashed = subprocess.run(
        [*command, "hard.csv"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert found.stdout == dashed.stdout
    assert found.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="closes streams as POSIX shells do")
@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        ("<&-", 2, "Standard input must be open; it is closed. Name a file"),
        ("< hard.csv >&-", 2, "Standard output must be open; it is closed. Write '> FILE'"),
        ("< hard.csv 2>&-", 0, ""),
    ],
)
def test_closed_streams(closed: str, code: int, said: str) -> None:
    line = f"exec {shlex.quote(sys.executable)} -m rocbands auc - {closed}"
    found = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert found.returncode == code
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == (code > 0)


def test_weights_of_text_are_quoted() -> None:
    with pytest.raises(rb.InputError, match=r"weights\[0\] is the string 'two'. Convert them"):
        rb.Sample(Y, SCORE, weights=["two"] * 569)


def test_words_as_scores_are_numbered_by_their_order() -> None:
    with pytest.raises(
        rb.InputError, match=r"is the string 'low'. Convert .* words by their order"
    ):
        rb.auc_interval([0, 1], ["low", "high"])


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
    assert Path("c.csv").read_text(encoding="utf-8").startswith("model,score,positives,negatives\n")
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
    assert TWO in found.describe()[0]


def test_labels_instead_of_one_models_scores_are_noticed() -> None:
    notes = rb.compare(Y, Y.astype(int), SCORE).notes
    assert notes[0].startswith(f"model 1: {TWO}")
    assert not any("two values" in note for note in rb.compare(rb.load_example()).notes)


def test_equal_scores_are_noticed() -> None:
    for found in (rb.auc_interval(Y, np.full(569, 0.5)), rb.summary(Y, np.full(569, 0.5))):
        assert found.notes[0].startswith("All scores are equal")


def test_rows_written_several_times_are_noticed() -> None:
    five = np.tile(Y, 5), np.tile(SCORE, 5)
    said = "Every score occurs 5 times, or a multiple of it, in its class, as if 569 rows were"
    for found in (rb.auc_interval(*five), rb.summary(*five), rb.roc_band(*five)):
        assert any(note.startswith(said) for note in found.notes)
    report = rb.report(*five, path=None)
    assert report.headline[1].startswith(said)
    patients = rb.Sample(*five, clusters=np.tile(np.arange(569), 5))
    for found in (rb.auc_interval(patients), rb.auc_interval(Y, SCORE), rb.auc_interval(Y, Y * 2)):
        assert not any("a multiple of it" in note for note in found.notes)


def test_predicted_classes_come_first_in_a_summary_and_a_report(run: Run) -> None:
    said = run("summary", "hard.csv").stdout
    assert said.index(TWO) < said.index("95% confidence limits")
    assert rb.report(BOTH["a"], path=None).payload["headline"][1].startswith(TWO)


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
        lambda: rb.class_bands(LABELS, MIXED[["a", "b"]].set_axis([0, 1], axis=1)),
        "must have their rows in the same order",
    ),
    "groups in another order": (
        lambda: rb.subgroups(LABELS, A, by=SITE[::-1]),
        "`y_true` and `by` must have their rows in the same order",
    ),
    "another part of the rows": (
        lambda: rb.auc_interval(LABELS[:400], A[100:500]),
        "300 of 400 rows have a label of both indexes. Pass y_score.to_numpy",
    ),
    "text instead of a threshold": (
        lambda: rb.operating_points(LABELS, A, threshold="0.5"), "Pass threshold=0.5."
    ),
    "the corner of pROC": (
        lambda: rb.best_threshold(LABELS, A, criterion="closest.topleft"),  # type: ignore[arg-type]
        "Did you mean 'corner'",
    ),
    "another example": (lambda: rb.load_example("breast"), "Did you mean 'models'"),  # type: ignore[call-overload]
    "a wide table of readers": (
        lambda: rb.compare_readers(FRAME),  # type: ignore[arg-type]
        r"column for each reader by rb.Readings.from_wide\(df, case=, label=, columns=\)",
    ),
    "percentages beside shares": (
        lambda: rb.auc_interval([0, 1], ["43%", "0.5"]), "Some are percentages and some are not"
    ),
    "repeated labels of an index": (
        lambda: rb.auc_interval(LABELS.set_axis(SITE), A.set_axis(np.sort(SITE))),
        "Pass columns of one frame",
    ),
    "frame and a name": (
        lambda: rb.auc_interval(FRAME, "a"),
        r"rb.Sample.from_frame\(df, label=..., score='a'\)",
    ),
    "a frame and names of columns": (
        lambda: rb.auc_interval(FRAME, "y", "a"), r"auc_interval\(rb.Sample.from_frame\(df, label"
    ),
    "a column in capitals": (
        lambda: rb.Sample.from_frame(FRAME, label="Y", score="a"), "Did you mean 'y'?"
    ),
    "two models in a list": (lambda: rb.compare(LABELS, [A, B]), "two columns. Pass both one after"),
    "two models in an array": (
        lambda: rb.compare(LABELS, np.column_stack([A, B])), "two columns. Pass both one after"
    ),
    "best as a threshold": (
        lambda: rb.operating_points(LABELS, A, threshold="best"), "got 'best'. .* best='youden', or rb.best"
    ),
    "view of another name": (
        lambda: rb.roc_band(LABELS, A).view("precision_recall"), "Did you mean 'pr'"
    ),
    "indexes of different rows": (
        lambda: rb.auc_interval(LABELS.set_axis(range(3, 572)), A.set_axis(range(300, 869))),
        r"272 of 569 rows have a label of both indexes. Pass y_score.to_numpy\(\), if",
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
    other = [3 * row + 7 for row in range(569)]
    for scores in (A.to_numpy(), A.set_axis(other), A.set_axis(MIXED.index).to_numpy()):
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
    "called `against` here": (rb.subgroups, {"reference": 0}),
    "Pass best='youden'": (rb.operating_points, {"youden": True}),
    "It compares AUCs. For others use rb.compare_tpr": (rb.compare, {"metric": "auc"}),
    r"McNemar's is rb.mcnemar\(..., thresholds=...\)": (rb.compare, {"test": "mcnemar"}),
    r"rb.operating_points\(y_true, y_score, threshold=...\)": (rb.summary, {"threshold": 0.5}),
    "called `thresholds` here.*": (rb.net_benefit, {"threshold_probability": 0.2}),
    "called `label` here": (rb.Sample.from_frame, {"y_true": "y"}),
    "called `score` here": (rb.Sample.from_frame, {"y_pred": "y"}),
    "such as thresholds=0.5": (rb.cost_interval, {"costs": (10, 1)}),
    "called `threshold` here": (rb.operating_points, {"cutoff": 0.5}),
    "called `thresholds` here": (rb.mcnemar, {"cutoff": 0.5}),
    "called `path` here": (rb.report, {"output": "x.html"}),
    r"rb.report\(rb.subgroups\(sample, by=...\)\)": (rb.report, {"by": SITE}),
    "Groups of people: rb.subgroups": (rb.auc_interval, {"by": SITE}),
    "Keep the column by `keep`": (rb.Sample, {"by": "site"}),
    r"rb.Sample\(y_true, y_score, positive=...\)": (rb.fold_auc_interval, {"levels": [0, 1]}),
    "called `classes` here": (rb.class_bands, {"levels": [0, 1]}),
}  # fmt: skip


@pytest.mark.parametrize("words", ARGUMENTS)
def test_arguments_of_other_programs_are_explained(words: str) -> None:
    function, given = ARGUMENTS[words]
    with pytest.raises(rb.InputError, match=words):
        function(LABELS, A, **given)
    with pytest.raises(rb.InputError, match="called `y_true` here"):
        rb.auc_interval(response=LABELS, predictor=A)  # type: ignore[call-arg]


def test_the_columns_of_a_wide_table_are_named_by_reader_and_test() -> None:
    make: Any = rb.Readings.from_wide
    with pytest.raises(rb.InputError, match=r"columns={\('R1', 'aided'\): 'aided_R1', ...}"):
        make(FRAME)


def test_a_level_that_was_meant_as_alpha_is_asked_about(run: Run) -> None:
    said = "A level of 5% is very low. Did you mean level=0.95?"
    for found in (rb.auc_interval(Y, SCORE, level=0.05), rb.summary(Y, SCORE, level=0.05)):
        assert list(found.notes).count(said) == 1
    assert said.replace("level=", "--level ") in run("auc", "hard.csv", "--level", "0.05").stdout
    assert not any("Did you mean" in note for note in rb.auc_interval(Y, SCORE, level=0.5).notes)


def test_a_minus_of_typography_is_a_minus(run: Run) -> None:
    # In a file of several blocks, which PyArrow parses, too.
    label, score = np.tile(Y.astype(int), 100), np.round(np.tile(SCORE, 100) - 0.5, 4)
    write("plain.csv", label=label, score=score)
    write("signs.csv", label=label, score=[str(one).replace("-", "\u2212") for one in score])
    assert answer(run, "auc signs.csv") == answer(run, "auc plain.csv")
    for name in ("plain", "signs"):
        assert run("count", f"{name}.csv", "-o", f"{name}.counts.csv", "--exact").exit_code == 0
    counts = (Path(f"{name}.counts.csv").read_text("utf-8") for name in ("plain", "signs"))
    assert len({*counts}) == 1


def test_notes_of_several_models_name_options(run: Run) -> None:
    code = np.where(np.arange(569) % 9 == 0, -999, np.round(100 * SCORE))
    write("codes.csv", label=Y.astype(int), a=code, b=SCORE)
    line = ["codes.csv", "--score", "a", "--score", "b"]
    for command in ("auc", "compare", "summary", "report"):
        found = run(command, *line)
        assert "and pass --drop-missing" in " ".join(found.stdout.split())
        assert "missing='drop'" not in found.stdout + found.stderr

"""`rocbands count` and `merge`: counts made and added up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rocbands as rb

NASTY = [
    "'; drop table x; --.csv",
    "a[1]*?.csv",
    'quo"te.csv',
    "per%s.csv",
    "größe.csv",
    "-dash.csv",
]


def test_count_writes_what_the_library_counts(run: Any) -> None:
    done = run("count", "three_models.csv", "-o", "counts.parquet")
    assert done.exit_code == 0, done.stderr
    assert done.stderr == "Wrote counts.parquet\n"
    assert "Bins change no AUC here" in done.stdout
    counts = rb.ScoreCounts.load("counts.parquet")
    assert counts.models == ("score_a", "score_b", "score_c")
    assert counts.to_dict() == rb.count_scores("three_models.csv").to_dict()


def test_count_of_stdin_text_labels_and_parts(run: Any) -> None:
    rows = b"who,where,s\nill,x,0.9\nwell,y,0.4\nill,y,0.3\nwell,x,0.1\n"
    args = (
        "--label",
        "who",
        "--score",
        "s",
        "--positive",
        "ill",
        "--by",
        "where",
        "--exact",
        "--json",
    )
    done = run("count", "-", *args, "-o", "counts.parquet", stdin=rows)
    facts = json.loads(done.stdout)
    assert facts["schema"] == "rocbands.counted/1"
    assert (facts["positives"], facts["negatives"]) == (2, 2)
    assert (facts["by"], facts["parts"]) == ("where", ["x", "y"])
    assert (facts["positive"], facts["negative"]) == ("ill", "well")
    counts = rb.ScoreCounts.load("counts.parquet")
    assert counts.by == "where"
    assert counts.split("where")["y"].roc.auc == 0.0


def test_a_number_on_the_command_line_finds_a_number(run: Any) -> None:
    done = run("count", "good.csv", "--positive", "0", "-o", "counts.parquet")
    assert done.exit_code == 0
    counts = rb.ScoreCounts.load("counts.parquet")
    assert (counts.positive, counts.negative) == ("0", "1")
    done = run("count", "truth.csv", "--positive", "false", "-o", "counts.parquet")
    counts = rb.ScoreCounts.load("counts.parquet")
    assert (counts.positive, counts.negative) == ("0", "1")


def test_merged_parts_are_the_whole(run: Any) -> None:
    text = Path("good.csv").read_text(encoding="utf-8").splitlines()
    for i, row in enumerate(text[1:]):
        Path(f"part{i}.csv").write_text(f"{text[0]}\n{row}\n", encoding="utf-8")
        assert run("count", f"part{i}.csv", "-o", f"part{i}.parquet").exit_code == 0
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        done = run("merge", *(f"part{i}.parquet" for i in order), "-o", "whole.parquet")
        assert done.exit_code == 0, done.stderr
        whole = rb.ScoreCounts.load("whole.parquet")
        assert whole.to_dict() == rb.count_scores("good.csv").to_dict()
    Path("whole.parquet").unlink()
    Path("part*.csv").write_text("label,score\n1,1\n0,0\n", encoding="utf-8")
    run("count", "part*.csv", "-o", "whole.parquet")
    assert rb.ScoreCounts.load("whole.parquet").positives.sum() == 1, (
        "a file's own name comes first"
    )
    Path("part*.csv").unlink()
    run("count", "part*.csv", "-o", "whole.parquet")
    assert rb.ScoreCounts.load("whole.parquet").to_dict() == rb.count_scores("good.csv").to_dict()


@pytest.mark.parametrize("name", NASTY)
def test_names_of_files_are_data(run: Any, name: str) -> None:
    if not name.isascii() and sys.getfilesystemencoding() == "ascii":
        pytest.skip("names of files are ASCII in this locale")
    Path(name).write_bytes(Path("good.csv").read_bytes())
    for exact in ((), ("--exact",)):
        done = run("count", *exact, "-o", f"{name}.parquet", "--", name)
        assert done.exit_code == 0, done.stderr
        assert rb.ScoreCounts.load(f"{name}.parquet").positives.sum() == 2


MISTAKES = {
    ("count", "good.csv"): "Missing option '-o'",
    ("count", "-o", "x"): "Give files of scores (- for stdin) or --example; neither was given",
    ("count", "good.csv", "--example", "-o", "x"): "or --example; both were given",
    ("count", "goood.csv", "-o", "x"): "Did you mean 'good.csv'?",
    (
        "count",
        "good.csv",
        "-o",
        "nowhere/x",
    ): "A file must go to a folder that exists; 'nowhere' does not",
    ("count", "good.csv", "-o", "folder"): "'folder' is a directory",
    ("count", "folder", "-o", "x"): "'folder' has none",
    (
        "count",
        "text.csv",
        "--label",
        "who",
        "-o",
        "x",
    ): "For example --positive well|or --positive well",
    ("count", "text.csv", "--label", "wo", "-o", "x"): "Did you mean 'who'?",
    (
        "count",
        "good.csv",
        "--positive",
        "7",
        "-o",
        "x",
    ): "--positive must be one of the labels in column 'label'",
    (
        "count",
        "three.csv",
        "--positive",
        "a",
        "-o",
        "x",
    ): "column 'label' must contain two labels; it has 3",
    ("count", "bad.csv", "-o", "x"): "bad.csv, line 3: column 'score' must be a number",
    ("count", "cut.parquet", "-o", "x"): "damaged or cut off",
    ("count", "cut.csv.gz", "-o", "x"): "damaged or cut off",
    ("count", "header.csv", "-o", "x"): "must contain rows",
    ("count", "latin.csv", "-o", "x"): "line 2: the file must be text in UTF-8",
    ("count", "good.csv", "-o", "good.csv"): "must not replace what is read; 'good.csv' is read",
    ("count", "good.csv", "bad.csv", "-o", "./bad.csv"): "'./bad.csv' is 'bad.csv', which is read",
    ("count", "*.csv", "-o", "good.csv"): "must not replace what is read",
    ("count", ".", "-o", "new.csv"): "'new.csv' would be in the folder '.'",
    ("merge", "counted.csv", "-o", "counted.csv"): "must not replace what is read",
    ("merge", "-o", "x"): "Missing argument 'COUNTS...'",
    ("merge", "good.csv", "-o", "x"): "good.csv must contain counts",
    ("merge", "nowhere", "-o", "x"): "there is no 'nowhere'",
}


@pytest.mark.parametrize("args", MISTAKES, ids=" ".join)
def test_every_mistake_is_one_line(run: Any, args: tuple[str, ...]) -> None:
    before = sorted(os.listdir())
    done = run(*args)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert any(words in done.stderr for words in MISTAKES[args].split("|")), done.stderr
    assert sorted(os.listdir()) == before, "nothing is left behind"


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    """Rows keep coming from a pipe; Ctrl-C ends it, with one line and no file."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for more in ([], ["--exact"]):
        command = [sys.executable, "-m", "rocbands", "count", "-", *more, "-o", "counts.parquet"]
        with subprocess.Popen(
            command, cwd=tmp_path, env=env, stdin=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.write(b"label,score\n" + b"1,0.5\n0,0.25\n" * 50_000)
            process.stdin.flush()
            time.sleep(1.5)
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
            process.stdin.close()
            assert process.wait(20) == 130
            assert process.stderr.read().strip() == b"rocbands: interrupted."
        assert list(tmp_path.iterdir()) == []

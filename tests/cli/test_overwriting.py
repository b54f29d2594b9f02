"""No command writes over something that it reads, under whatever name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

LINES = [
    "report good.html -o good.html",
    "report good.csv -o hard.html",
    "report good.csv -o soft.html",
    "report soft.html -o good.csv",
    "auc good.csv --plot hard.png",
    "band hard.png --plot soft.png",
    "cost good.csv --validation hard.png --plot hard.png",
    "study own good.csv --store good.csv",
    "study own good.csv --store hard.png",
    "count good.csv -o good.csv",
    "merge counted.csv -o counted.csv",
]


@pytest.mark.parametrize("line", LINES)
def test_an_output_that_is_read_is_refused_before_any_work(run: Run, line: str) -> None:
    for name in ("hard.html", "hard.png"):
        os.link("good.csv", name)
    for name in ("soft.html", "soft.png"):
        os.symlink("good.csv", name)
    Path("good.html").write_bytes(Path("good.csv").read_bytes())
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    done = run(*line.split())
    assert done.exit_code == 2
    assert "What is written must not replace what is read; " in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


def test_standard_input_may_be_the_file(tmp_path: Path) -> None:
    import subprocess
    import sys

    page = tmp_path / "page.html"
    page.write_bytes(b"label,score\n1,2\n0,1\n")
    with page.open("rb") as file:
        words = [sys.executable, "-m", "rocbands", "report", "-", "-o", str(page)]
        done = subprocess.run(words, stdin=file, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is standard input, which is read" in done.stderr
    assert page.read_bytes() == b"label,score\n1,2\n0,1\n"


def test_names_that_look_like_formulas_are_text_in_safe_csv(run: Run) -> None:
    Path("names.csv").write_text("label,=1+1,@b\n1,3,1\n0,1,2\n1,2,3\n0,2.5,1\n", encoding="utf-8")
    plain = run("auc", "names.csv", "--score", "=1+1", "--score", "@b", "--format", "csv").stdout
    safe = run("auc", "names.csv", "--score", "=1+1", "--score", "@b", "--format", "safe-csv")
    assert plain.splitlines()[1].startswith("=1+1,AUC,")
    assert safe.stdout.splitlines()[1].startswith("'=1+1,AUC,")
    assert safe.stdout.splitlines()[2].startswith("'@b,AUC,")


@pytest.mark.parametrize("command", ["band", "auc", "cost", "roc", "rate"])
def test_dollar_signs_in_names_are_dollar_signs_in_pictures(run: Run, command: str) -> None:
    Path("money.csv").write_text(
        "label,score $x_$\n" + "1,3\n0,1\n1,2\n0,2.5\n" * 5, encoding="utf-8"
    )
    done = run(command, "money.csv", "--plot", "out.svg")
    assert done.exit_code == 0, done.stderr
    assert Path("out.svg").stat().st_size > 1000

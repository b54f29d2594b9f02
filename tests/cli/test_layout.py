"""Text fits the terminal, nothing is lost, and other forms say the same."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import Result

import rocbands as rb
from tests.cli.files import write_files

Run = Callable[..., Result]

LONG = "a very long name of a model that somebody gave in a hurry, with_the_date_and_the_version_2"
TABLES = [
    "band FILE",
    "band FILE --method vertical",
    "auc FILE",
    "auc FILE --null 0.5",
    "roc FILE",
    "points FILE --fpr 0.1",
    "points FILE --best youden",
    "rate FILE --rate 0.1",
    "cost FILE",
    "cost FILE --split --seed 1 --w 0.2",
    "cost FILE --w 0.2",
    "compare FILE",
    "compare FILE --threshold 0.5",
    "difference FILE --seed 1",
    "plan --auc 0.8 --width 0.1",
    "net-benefit FILE --threshold 0.2",
    "ap FILE",
    "cost --condition --w 0.5 --prevalence 0.1",
    "study own FILE --replicates 20 --workers 1 --method joint-region",
    "methods",
]


def long_names() -> None:
    write_files()
    rows = Path("scores.csv").read_text(encoding="utf-8").splitlines()[1:]
    head = f'outcome,"score {LONG}","score of {LONG[::-1]}",patient,fold'
    Path("long.csv").write_text("\n".join([head, *rows]), encoding="utf-8")


@pytest.mark.parametrize("columns", ["80", "40", "120"])
@pytest.mark.parametrize("file", ["--example", "long.csv"])
@pytest.mark.parametrize("line", TABLES)
def test_no_line_is_wider_than_the_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str, file: str, columns: str
) -> None:
    if columns != "80" and "study own" in line:
        pytest.skip("once is enough")
    long_names()
    monkeypatch.setenv("COLUMNS", columns)
    result = run(*line.replace("FILE", file).split())
    assert result.exit_code == 0, result.stderr
    check_lines(result.stdout)
    assert max(map(len, result.stdout.splitlines())) <= int(columns)


def check_lines(text: str) -> None:
    """Require that no line ends inside a number or an interval of a table."""
    for part in text.split("\n\n"):
        if not re.search(r"[.:]$", part):  # not prose
            for line in part.splitlines():
                assert not re.search(r"\d[.,]$", line), line
                assert line.count("(") == line.count(")"), line


# Outputs in which numbers were broken, or lines were lost.
BROKEN = [
    "points --example --best eer",
    "points --example --precision 0.5 --words learning",
    "points --example --precision 0.5",
    "points --example --rate 0.01",
    "points --example --specificity 0.9",
    "points --example --threshold 0.5 --words medical",
    "rate --example --rate 0",
    "readers --example",
    "readers --example --margin 0.05",
    "readers --example --algorithm A --null 0.8",
    "readers --example --fpr-range 0,0.2",
    "readers --example --table readers",
    "readers --example --table components",
    "readers --example --table inferences",
]


@pytest.mark.parametrize("columns", ["60", "80", "120", None])
@pytest.mark.parametrize("line", BROKEN)
def test_numbers_stay_whole(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str, columns: str | None
) -> None:
    if columns is None:
        monkeypatch.delenv("COLUMNS")
    else:
        monkeypatch.setenv("COLUMNS", columns)
    result = run(*line.split())
    assert result.exit_code == 0, result.stderr
    check_lines(result.stdout)
    if columns is not None:
        assert max(map(len, result.stdout.splitlines())) <= int(columns)


def test_a_pipe_has_no_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    said, table, _ = run("points", "--example", "--score", "logistic", "--fpr", "0.1").stdout.split(
        "\n\n"
    )
    assert len(said.splitlines()) == 2  # the name and one sentence
    assert len(table.splitlines()) == 2


def test_long_names_are_wrapped_and_nothing_is_lost(run: Run) -> None:
    long_names()
    said = "".join(run("auc", "long.csv").stdout.partition("\n\n")[2].split("\n")[1:])
    letters = [letter for letter in said if letter.isalpha()]
    for letter in set(LONG):
        if letter.isalpha():
            assert letters.count(letter) >= 2 * LONG.count(letter)


@pytest.mark.parametrize("line", [line for line in TABLES if "study own" not in line])
@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_other_forms(run: Run, line: str, form: str) -> None:
    result = run(*line.replace("FILE", "--example").split(), "--format", form)
    assert result.exit_code == 0, result.stderr
    if form == "markdown":
        tables = [part for part in result.stdout.split("\n\n") if part.startswith("|")]
        assert tables
        for table in tables:
            head, rule, *rows = (text.count("|") for text in table.strip().splitlines())
            assert rows
            assert {head, rule, *rows} == {head}
    elif form == "latex":
        assert result.stdout.count("\\begin{tabular}") == result.stdout.count("\\end{tabular}") > 0
        notes = ("%", "\\par")
        tables = [text for text in result.stdout.splitlines() if not text.startswith(notes)]
        assert all("model logistic" not in text.lower() for text in tables)
    else:
        head, *rows = csv.reader(io.StringIO(result.stdout))
        assert rows
        assert all(len(row) == len(head) for row in rows)


def test_csv_has_all_rows_and_all_digits(run: Run) -> None:
    sample = rb.load_example()
    rows = list(csv.DictReader(io.StringIO(run("roc", "--example", "--format", "csv").stdout)))
    for name in sample:
        own = [row for row in rows if row["model"] == name]
        roc = sample[name].roc
        assert [int(row["tp"]) for row in own] == roc.tp.tolist()
        assert [float(row["fpr"]) for row in own] == roc.fpr[1:].tolist()
    rows = list(csv.DictReader(io.StringIO(run("auc", "--example", "--format", "csv").stdout)))
    auc = rb.auc_interval(sample["logistic"])
    assert (rows[0]["model"], float(rows[0]["low"])) == ("logistic", auc.low)


def test_csv_keeps_a_difference_apart_from_the_models(run: Run) -> None:
    asked = ("rate", "--example", "--rate", "0.1")
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").stdout)))
    assert [row["model"] for row in rows] == ["logistic", "neighbours", "difference"]
    found = json.loads(run(*asked, "--json").stdout)["difference"]["columns"]
    assert float(rows[2]["difference"]) == found["difference"][0]
    assert rows[0]["difference"] == rows[2]["fpr"] == ""


def test_markdown_and_latex_name_the_models(run: Run) -> None:
    said = run("band", "--example", "--format", "markdown").stdout
    assert said.startswith("### Model logistic\n\nAt a false positive rate of 10% the scores find")
    assert "\n\n### Model neighbours\n" in said
    said = run("auc", "--example", "--format", "latex").stdout
    assert "  logistic & 0.8995 & 0.8722 & 0.9216 \\\\\n" in said


def test_one_form_at_a_time(run: Run) -> None:
    result = run("auc", "--example", "--json", "--format", "csv")
    assert result.exit_code == 2
    assert "--json prints JSON, --format csv does not; both were given" in result.stderr
    assert run("auc", "--example", "--json", "--format", "json").exit_code == 0


def test_latex_of_several_models_is_one_table_with_its_caption(run: Run) -> None:
    line = ("points", "--example", "--fpr", "0.1", "--format", "latex")
    result = run(*line, "--caption", "Points & more", "--digits", "2")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("\\begin{tabular}") == 1
    assert "\\caption{Points \\& more}" in result.stdout
    rows = [row for row in result.stdout.splitlines() if row.lstrip().startswith(("log", "nei"))]
    assert [row.split(" & ")[0].strip() for row in rows] == ["logistic", "neighbours"]
    assert " & 0.10 & " in rows[0]
    for option in (("--caption", "x"), ("--digits", "2")):
        assert run("auc", "--example", *option).exit_code == 2


def test_several_views_stand_beside_each_other(run: Run) -> None:
    line = ("band", "--example", "--score", "logistic", "--prevalence", "0.02")
    views = ("--view", "pr", "--view", "gains", "--view", "det")
    result = run(*line, *views, "--plot", "views.svg", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["models"]
    assert list(found) == ["logistic, pr", "logistic, gains", "logistic, det"]
    alone = run(*line, "--view", "pr", "--json")
    assert json.loads(alone.stdout)["models"]["logistic"] == found["logistic, pr"]
    picture = Path("views.svg").read_text(encoding="utf-8")
    assert 'id="axes_3"' in picture
    assert 'id="axes_4"' not in picture
    assert run(*line, "--view", "det").exit_code == 2  # on its own it is told that it has no use


def test_text_is_wrapped_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for line in (
        "cost --example --split --seed 1",
        "rate --example --rate 0.1",
        "compare --example",
    ):
        said = run(*line.split()).stdout.split("\n\n")[0].splitlines()[1:]
        for this, then in pairwise(said):
            fits = len(this) + 1 + len(then.split()[0]) <= 80
            assert not fits or this.endswith((".", ":")), this  # a line ends where it must

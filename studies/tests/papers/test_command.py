"""`rocbands study list` and `run` find the papers' studies."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from jsonschema import Draft202012Validator
from PIL import Image

from rocbands_studies.catalog import PAPERS, find_study, list_figures, list_studies
from rocbands_studies.papers.paper import Claim, PaperResult, Row
from rocbands_studies.results import Figure

Run = Callable[..., Result]


def check_schema(run: Run, document: dict[str, object]) -> None:
    schema = json.loads(run("schema", str(document["schema"])).stdout)
    Draft202012Validator(schema).validate(document)


def test_names_are_unique_and_found_one_by_one() -> None:
    studies = list_studies()
    names = [study.name for study in studies]
    assert len(names) == len(set(names)) >= 20
    assert [find_study(name) for name in names] == studies


def test_finding_one_study_loads_no_other_paper() -> None:
    code = (
        "import sys; from rocbands_studies.catalog import PAPERS, find_study;"
        "find_study('komarek-2004-example');"
        "print([name for name in sys.modules if name.startswith('rocbands_studies.papers.m')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout
    assert "macskassy" not in loaded
    assert "millard" not in loaded


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_the_list_names_every_study(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    result = run("study", "list")
    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= int(columns)
    names = [study.name for study in list_studies()]
    figures = [figure.name for figure in list_figures()]
    words = result.stdout.partition("\n\n")[2].split()
    assert [word for word in words if word in names] == names
    table = csv.DictReader(run("study", "list", "--format", "csv").stdout.splitlines())
    drawn = {
        f"{paper}-{figure}"
        for line in table
        for paper in PAPERS
        if (line["name"] or line["shows"]).startswith(paper)
        for figure in line["figures"].split(", ")
        if figure
    }
    assert drawn == set(figures)
    document = json.loads(run("study", "list", "--json").stdout)
    check_schema(run, document)
    assert [row["name"] for row in document["studies"]] == names
    assert [row["name"] for row in document["figures"]] == figures
    assert len(figures) == 27


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("macskassy-2005-tabel3",), "Did you mean 'macskassy-2005-table3'"),
        (("macskasy-2005-table3",), "Did you mean 'macskassy-2005-table3'"),
        (("macskassy-2005-table3", "--plot", "x.doc"), "must end in"),
    ],
)
def test_mistakes_are_one_line(run: Run, asked: tuple[str, ...], message: str) -> None:
    before = sorted(Path().iterdir())
    result = run("study", "run", *asked)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(Path().iterdir()) == before


def test_a_study_runs_and_prints_its_numbers(run: Run) -> None:
    result = run("study", "run", "komarek-2004-example", "--workers", "1", "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    check_schema(run, document)
    assert document["name"] == "komarek-2004-example"
    assert len(document["columns"]["ours"]) >= 8


def test_a_figure_is_drawn_by_one_command(run: Run) -> None:
    result = run("study", "figure", "komarek-2004-figure5-2", "-o", "path.png")
    assert result.exit_code == 0, result.stderr
    with Image.open("path.png") as picture:
        assert min(picture.size) > 600
    assert Path("path.png").stat().st_size < 150_000


@pytest.mark.parametrize(
    ("name", "message"),
    [("macskassy-2004-figure7", "Did you mean 'macskassy-200"), ("figure5", "Names begin with")],
)
def test_a_figure_that_is_not_there_is_one_line(run: Run, name: str, message: str) -> None:
    result = run("study", "figure", name, "-o", "x.png")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_result_is_what_its_schema_says(run: Run) -> None:
    row = Row(where={"r": 100}, ours=Figure(0.5, 0.4, 0.6, 20), printed=0.5)
    paper = PaperResult(
        name="one", title="One", paper="A paper", rows=(row,), scale="quick", seed=1,
        claims=(Claim("It holds.", "It does.", "reproduced"),),
    )  # fmt: skip
    check_schema(run, json.loads(paper.to_json()))


def test_a_result_is_printed_as_csv_where_its_text_says_so(run: Run) -> None:
    text = run("study", "run", "komarek-2004-example", "--workers", "1").stdout
    assert "--format csv" in text
    table = run("study", "run", "komarek-2004-example", "--workers", "1", "--format", "csv").stdout
    assert table.splitlines()[0].split(",")[-4:] == ["high", "n", "verdict", "note"]

"""Numbers, files and lines of the app are those of the command line."""

from __future__ import annotations

import io
import json
import shlex
import sys
from html import escape
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

import rocbands as rb
from rocbands.cli import main
from tests.app.client import Server

MODELS = {"label": "diagnosis", "positive": "malignant", "scores": ["logistic", "neighbours"]}
COLUMNS = "--label diagnosis --positive malignant --score logistic --score neighbours"
SETTINGS = {"level": 0.9, "prevalence": 0.1, "costs": [20, 1], "capacity": 0.05, "fpr": 0.07}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples, and rows with a third model, clusters and weights."""
    place = tmp_path_factory.mktemp("files")
    for line in ("example -o example.csv", "example --readers -o readings.csv"):
        command_line(place, line)
    head, *rows = (place / "example.csv").read_text(encoding="utf-8").splitlines()
    text = [f"{head},third,patient,weight"]
    text += [f"{row},{k * 37 % 101},p{k // 3},{1 + k % 4}" for k, row in enumerate(rows)]
    (place / "three.csv").write_text("\n".join(text) + "\n", encoding="utf-8")
    return place


def quote(file: Path) -> str:
    """Write a file in a command: its folder may have spaces."""
    return shlex.quote(str(file))


def command_line(folder: Path, line: str) -> bytes:
    """Run the command line in a folder; return what it prints."""
    words = shlex.split(line.removeprefix("rocbands "))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["rocbands", *words])  # which reports state
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.stderr
    return done.stdout_bytes


def test_the_report_is_that_of_the_command_line(server: Server, folder: Path) -> None:
    found = server.result("analyse", upload=server.example(), **MODELS, **SETTINGS)
    first, second = found["repeat"]["command"].splitlines()
    assert first == "rocbands example -o example.csv"
    said = command_line(folder, second).decode()
    page = server.download(found["id"], "report.html")
    assert page == (folder / "report.html").read_bytes()
    assert server.ask("GET", f"/api/jobs/{found['id']}/report")[2] == page
    assert said.splitlines() == [*found["headline"], *found["statistics"]]
    assert (found["n"], found["n_pos"], found["n_neg"]) == (569, 212, 357)
    numbers = json.loads(server.download(found["id"], "report.json"))
    assert numbers["level"] == 0.9
    assert [model["name"] for model in numbers["models"]] == found["models"]


def test_tables_and_pictures_are_those_of_the_command_line(
    server: Server, folder: Path, tmp_path: Path
) -> None:
    found = server.result("analyse", upload=server.example(), **MODELS)
    names = {file["name"] for file in found["files"]}
    table = "--format csv"
    rates = "--fpr 0.005 --fpr 0.01 --fpr 0.05 --fpr 0.1 --fpr 0.2"
    lines = {
        "summary.csv": f"summary example.csv {COLUMNS} {table}",
        "summary.tex": f"summary example.csv {COLUMNS} --format latex",
        "bands.csv": f"band example.csv {COLUMNS} {table}",
        "operating-points.csv": f"points example.csv {COLUMNS} {rates} {table}",
    }
    for name, line in lines.items():
        assert server.download(found["id"], name) == command_line(folder, line), name
    for name, command in (("bands.pdf", "band"), ("summary.svg", "summary")):
        command_line(folder, f"{command} example.csv {COLUMNS} --plot {quote(tmp_path / name)}")
        assert server.download(found["id"], name) == (tmp_path / name).read_bytes(), name
    assert {*lines, "report.html", "report.json", "summary.xlsx"} < names
    book = openpyxl.load_workbook(io.BytesIO(server.download(found["id"], "summary.xlsx")))
    assert book.sheetnames == ["summary", "operating-points", "bands"]
    sample = rb.load_example()
    for title, result in (("summary", rb.summary(sample)), ("bands", sample.each(rb.roc_band))):
        columns = result.columns()
        head, *rows = book[title].iter_rows(values_only=True)
        assert list(head) == list(columns)
        for cells, column in zip(zip(*rows, strict=True), columns.values(), strict=True):
            numbers = [float(value) for value in column if not isinstance(value, str | None)]
            shown = [float(cell) for cell in cells if not isinstance(cell, str | None)]
            assert shown == pytest.approx(numbers, rel=1e-14)  # openpyxl writes 16 digits


def test_two_models_are_compared_as_by_the_command_line(
    server: Server, folder: Path, tmp_path: Path
) -> None:
    found = server.result("compare", upload=server.example(), **MODELS, level=0.9)
    line = found["repeat"]["command"].splitlines()[1]
    table = server.download(found["id"], "comparison.csv")
    assert table == command_line(folder, f"{line} --format csv")
    assert found["sentence"] in " ".join(command_line(folder, line).decode().split())
    assert found["table"]["columns"][2] == "difference"
    assert found["pair"] == ["logistic", "neighbours"]
    other = f"difference example.csv {COLUMNS} --level 0.9"
    assert server.download(found["id"], "difference.csv") == command_line(
        folder, f"{other} --format csv"
    )
    picture = tmp_path / "difference.png"
    assert found["difference"]["sentence"] in " ".join(
        command_line(folder, f"{other} --plot {quote(picture)}").decode().split()
    )
    status, headers, shown = server.ask(
        "GET", f"/api/jobs/{found['id']}/files/difference.png?inline=1"
    )
    assert (status, headers["content-type"]) == (200, "image/png")
    assert headers["content-disposition"].startswith("inline")
    assert shown == picture.read_bytes()


def test_three_models_clusters_and_weights(server: Server, folder: Path) -> None:
    three = [*MODELS["scores"], "third"]
    upload = server.upload((folder / "three.csv").read_bytes(), "three.csv")
    guess = server.result("preview", upload=upload)["suggestion"]
    likely = MODELS["scores"]  # the third goes from 0 to 100, as ages do
    # A column called weight may be that of the patient.
    assert (guess["clusters"], guess["weights"], guess["scores"]) == ("patient", None, likely)
    asked = {**MODELS, "upload": upload, "scores": three, "clusters": "patient"}
    found = server.result("compare", **asked, pair=["third", "logistic"])
    line = found["repeat"]["command"]
    assert server.download(found["id"], "comparison.csv") == command_line(
        folder, f"{line} --format csv"
    )
    assert found["pair"] == ["third", "logistic"]
    one = {**asked, "scores": ["logistic"], "weights": "weight", "level": 0.9}
    report = server.result("analyse", **one)
    command_line(folder, report["repeat"]["command"])
    assert server.download(report["id"], "report.html") == (folder / "report.html").read_bytes()
    design = "--score logistic --clusters patient --weights weight --level 0.9"
    summary = f"summary three.csv --label diagnosis --positive malignant {design}"
    assert server.download(report["id"], "summary.csv") == command_line(
        folder, f"{summary} --format csv"
    )


@pytest.mark.parametrize(
    "asked",
    [
        {"auc": 0.8, "against": 0.7, "check": True},
        {"auc": 0.8, "other": 0.75, "correlation": 0.6, "power": 0.9, "prevalence": 0.2},
        {"auc": 0.9, "width": 0.05, "ratio": 3, "level": 0.9},
        {"auc": 0.85, "band_width": 0.15},
    ],
    ids=["against", "other", "width", "band"],
)
def test_a_plan_is_that_of_the_command_line(
    server: Server, tmp_path: Path, asked: dict[str, float]
) -> None:
    found = server.result("plan", **asked)
    line = found["repeat"]["command"]
    assert server.download(found["id"], "plan.csv") == command_line(
        tmp_path, f"{line} --format csv"
    )
    picture = tmp_path / "plan.svg"
    said = command_line(tmp_path, f"{line} --plot {quote(picture)}").decode()
    assert said.startswith(found["sentence"])
    assert server.download(found["id"], "plan.svg") == picture.read_bytes()


def test_a_reader_study_is_that_of_the_command_line(server: Server, folder: Path) -> None:
    upload = server.example("readers")
    guess = server.result("preview", upload=upload)
    assert guess["kind"] == "readings"
    uses = {
        name: guess["suggestion"][name] for name in ("label", "score", "reader", "case", "test")
    }
    assert uses == {
        **{"label": "truth", "score": "rating"},
        **{"reader": "reader", "case": "case", "test": "test"},
    }
    found = server.result("readers", upload=upload, **uses, margin=0.05)
    first, second = found["repeat"]["command"].splitlines()
    assert first == "rocbands example --readers -o readings.csv"
    command_line(folder, second)
    assert server.download(found["id"], "report.html") == (folder / "report.html").read_bytes()
    line = "readers readings.csv --margin 0.05 --format"
    assert server.download(found["id"], "study.csv") == command_line(folder, f"{line} csv")
    assert server.download(found["id"], "study.tex") == command_line(folder, f"{line} latex")
    book = openpyxl.load_workbook(io.BytesIO(server.download(found["id"], "study.xlsx")))
    assert {"tests", "readers", "differences"} < {*book.sheetnames}


def test_counts_are_analysed(server: Server, folder: Path) -> None:
    one = "--label diagnosis --positive malignant --score logistic"
    command_line(folder, f"count example.csv {one} --exact -o counts.csv")
    upload = server.upload((folder / "counts.csv").read_bytes(), "counts.csv")
    assert server.result("preview", upload=upload)["kind"] == "counts"
    found = server.result("analyse", upload=upload)
    command_line(folder, found["repeat"]["command"])
    assert server.download(found["id"], "report.html") == (folder / "report.html").read_bytes()
    error = server.error("compare", upload=upload)
    assert "contains counts" in error["message"]


@pytest.mark.parametrize("task", ["analyse", "compare", "plan", "readers"])
def test_python_lines_run(
    server: Server, folder: Path, task: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(folder)
    if task == "plan":
        found = server.result("plan", auc=0.8, width=0.2)
    elif task == "readers":
        found = server.result("readers", upload=server.example("readers"), level=0.9)
    else:
        models = MODELS["scores"][: 1 if task == "analyse" else 2]
        asked = {**MODELS, "scores": models, "level": 0.9}
        found = server.result(task, upload=server.example(), **asked)
    (folder / "report.html").unlink(missing_ok=True)
    exec(found["repeat"]["python"], {})
    if "headline" in found:
        page = (folder / "report.html").read_text("utf-8")
        assert all(escape(sentence) in page for sentence in found["headline"])
    else:
        assert " ".join(capsys.readouterr().out.split()).startswith(found["sentence"][:60])

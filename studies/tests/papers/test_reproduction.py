"""The pages of the reproduction are those of the stored results, and every figure has a picture."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from rocbands_studies.checkout import RESULTS as FOLDER
from rocbands_studies.checkout import ROOT
from rocbands_studies.papers import reproduction
from rocbands_studies.papers.figures import FIGURES
from rocbands_studies.papers.paper import read_stored

RESULTS = sorted(FOLDER.glob("*.json"))


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_pages_are_made_from_the_stored_results() -> None:
    results = reproduction.load_results()
    assert sorted(results) == sorted(file.stem for file in RESULTS)
    page = Path("studies/docs/reproduction.md").read_text(encoding="utf-8")
    assert page == reproduction.write_first_page(results)
    for name, result in results.items():
        written = Path(f"studies/docs/reproduction/{name}.md").read_text(encoding="utf-8")
        assert written == reproduction.write_study(result)


def test_every_figure_has_a_small_picture() -> None:
    counts = Counter(figure.paper for figure in FIGURES.values())
    assert counts == {
        "macskassy-2004": 6,
        "macskassy-2005": 9,
        "millard-2014": 5,
        "dugas-2009": 6,
        "komarek-2004": 1,
    }
    for name in FIGURES:
        assert 5_000 < Path(f"studies/docs/pictures/papers/{name}.png").stat().st_size < 150_000


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_a_printed_number_is_judged_once(file: Path) -> None:
    columns = json.loads(file.read_text(encoding="utf-8"))["columns"]
    if "printed" not in columns:
        return
    readings = ("fitting from", "verified on", "hosts", "tested")
    names = [
        name
        for name in columns
        if name not in {"printed", "ours", "low", "high", "n", "verdict", "note", *readings}
    ]
    rows = zip(*(columns[name] for name in names), columns["verdict"], strict=True)
    judged = [row[:-1] for row in rows if row[-1] != "cannot be compared"]
    assert len(judged) == len(set(judged))


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_a_verdict_stands_beside_its_number_at_80_columns(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = read_stored(json.loads(file.read_text(encoding="utf-8")))
    lines = str(result).splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line.split()[-2:] == ["ours", "verdict"]]
    assert len(heads) == 1  # one block

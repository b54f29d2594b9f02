"""`rocbands summary` prints what `rb.summary` finds, in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import rocbands as rb
from tests.cli.files import write_files

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def known() -> rb.results.Summary:
    return rb.summary(rb.load_example())


def run_well(run: Run, *line: str) -> str:
    result = run("summary", *line)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_json_is_that_of_the_function(run: Run, known: rb.results.Summary) -> None:
    assert json.loads(run_well(run, "--example", "--json")) == json.loads(known.to_json())


def test_text_begins_with_the_sentence(run: Run, known: rb.results.Summary) -> None:
    text = run_well(run, "--example")
    assert " ".join(text.split()).startswith(known.sentence)
    assert "0.900 (0.872, 0.922)" in text
    assert "31 (24 to 38)" in text


@pytest.mark.parametrize("form", ["markdown", "latex", "csv", "safe-csv"])
def test_other_formats(run: Run, known: rb.results.Summary, form: str) -> None:
    text = run_well(run, "--example", "--format", form)
    if "csv" in form:
        assert text == known.to_csv()
    else:
        assert "0.900 (0.872, 0.922)" in text
        assert ("31 (24 to 38)" in text) == (form == "markdown")
        assert ("choice among" in text) == (form == "markdown")


def test_options(run: Run) -> None:
    write_files()
    line = ["scores.csv", "--metric", "auc", "--metric", "precision at rate 0.1"]
    found = json.loads(run_well(run, *line, "--level", "0.9", "--prevalence", "0.1", "--json"))
    sample = rb.Sample.from_file("scores.csv")
    metrics = ["auc", "precision at rate 0.1"]
    expected: Any = rb.summary(sample, metrics=metrics, level=0.9, prevalence=0.1)
    assert found == json.loads(expected.to_json())


def test_picture(run: Run) -> None:
    run_well(run, "--example", "--plot", "summary.png")
    assert Path("summary.png").stat().st_size > 10_000

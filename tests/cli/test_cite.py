"""The paragraph to paste names the methods and has all their references."""

from __future__ import annotations

import re

import pytest

import rocbands as rb
from rocbands._citation import cite
from tests.cli.test_questions import Run


@pytest.mark.parametrize(
    "names", [(), ("bands",), ("fixed-width", "auc"), ("cost", "rates", "points")]
)
def test_marks_and_references_belong_together(names: tuple[str, ...]) -> None:
    found = cite(names, level=0.9)
    marks = {int(mark) for mark in re.findall(r"\[(\d+)\]", found.paragraph)}
    assert marks == set(range(1, len(found.references) + 1))
    assert "90%" in found.paragraph
    assert rb.__version__ in found.references[0]


def test_a_method_brings_its_own_references() -> None:
    found = cite(["fixed-width"])
    columns = rb.methods("bands").columns()
    known = columns["references"][columns["method"].index("fixed-width")]
    assert all(source in known for source in found.references[1:])
    assert "'fixed-width'" in found.paragraph


def test_the_command(run: Run) -> None:
    said = run("cite", "auc", "--level", "0.9").stdout
    assert "AUC) are given with 90% confidence intervals (method 'score-delong'" in " ".join(
        said.split()
    )
    assert run("cite", "--bibtex").stdout.startswith("@software{rocbands,")
    wrong = run("cite", "wilsno")
    assert wrong.exit_code == 2
    assert (
        "must be a question (bands, auc, points, comparison, cost, rates, smooth)" in wrong.stderr
    )

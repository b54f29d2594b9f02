"""Every number on the page for R users is R's, or ours, as the page says."""

from __future__ import annotations

import json
import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import rocbands as rb
from tests.golden_numbers import GOLDEN, columns

PAGE = Path(__file__).parents[2] / "docs" / "coming-from-r.md"
R = json.loads((GOLDEN / "asah.json").read_text(encoding="utf-8"))


def rows_of_numbers() -> list[tuple[str, list[str]]]:
    """Each row of a table that shows what R says and what we say, with its section's title."""
    found = []
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE):
        title, head = section.split("\n", 1)[0], []
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            head = cells if cells[0] == "R" else head
            if line.startswith("| `") and "result in R" in head:
                found.append((title, cells))
    return found


def ours(call: str, fields: str) -> np.ndarray:
    """Run our call on the same data and take what the page says it gives."""
    data = columns("asah")
    names = {name: data[name] for name in ("s100b", "wfns", "ndka")}
    result = eval(call.strip("`"), {"rb": rb, "y": data["outcome"] == "Poor", **names})
    parts = [name.strip() for name in fields.strip("`").split(",") if name.strip()]
    values = [attrgetter(part)(result) for part in parts] if parts else [result]
    return np.concatenate([np.ravel(value).astype(float) for value in values])


def is_shown(shown: str, values: np.ndarray) -> bool:
    """Compare numbers with their text, to the places that the text has."""
    texts = [text.strip() for text in shown.split(",")]
    places = [len(text.partition(".")[2]) for text in texts]
    return texts == [f"{v:.{p}f}" for v, p in zip(values, places, strict=True)]


ROWS = rows_of_numbers()


@pytest.mark.parametrize(("title", "cells"), ROWS, ids=[cells[0] for _, cells in ROWS])
def test_numbers_shown_are_those_computed(title: str, cells: list[str]) -> None:
    theirs, mine = np.array(R[cells[0].strip("`")]), ours(cells[1], cells[2])
    assert is_shown(cells[3], theirs), theirs
    assert is_shown(cells[4], mine), mine
    if not title.startswith("Numbers that differ"):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_the_page_has_rows() -> None:
    titles = [title for title, _ in ROWS]
    assert titles.count("Numbers that agree") >= 20
    assert titles.count("Numbers that differ, and why") >= 15


def test_ties_make_the_other_test_depend_on_the_order_of_rows() -> None:
    forth, back = (v for k, v in R.items() if k.endswith("$statistic"))
    assert (forth, back) == ([578], [652])
    data = columns("asah")
    y = data["outcome"] == "Poor"
    found = [
        rb.compare(
            y[::s], data["s100b"][::s], data["wfns"][::s], method="venkatraman", rng=1
        ).statistic
        for s in (1, -1)
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_correlation_of_areas_in_the_plan() -> None:
    var_r, cov = R["var(r)"][0], R["cov(r, w)"][0]
    data = columns("asah")
    var_w = (
        rb.auc_interval(data["outcome"] == "Poor", data["wfns"], method="delong").standard_error
        ** 2
    )
    assert f"correlation={cov / np.sqrt(var_r * var_w):.3f}" in PAGE.read_text(encoding="utf-8")

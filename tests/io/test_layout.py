"""Text at any width: numbers and intervals stay whole, nothing is lost, nothing is too wide."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.core.result import Result
from rocbands.io.layout import find_width, fit_table, lay_out, wrap_text, write_record
from rocbands.io.tables import MOST_COLUMNS, format_column, join_limits
from tests.io.test_tables import EVERY

# A number between blanks, brackets and commas.
NUMBER = re.compile(r"(?<![^\s(])-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|inf|nan)(?![^\s,)])")
LONG = "a very long name of a model that somebody gave in a hurry, with_the_date_and_version"

NUMBERS = st.one_of(
    st.floats(-1.0, 1.0),
    st.floats(1e-12, 1e-3),
    st.floats(-1e7, 1e7),
    st.sampled_from([0.0, 1.0, float("inf"), float("nan")]),
)
NAMES = st.sampled_from(["a", "score_logistic", "two words", LONG, "模型", "x" * 70, "a-b-c " * 9])


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Make a table as results have it: names, estimates with limits, single numbers."""
    rows = draw(st.integers(1, 12))
    table: dict[str, list[Any]] = {}
    if draw(st.booleans()):
        table["model"] = draw(st.lists(NAMES, min_size=rows, max_size=rows))
    for at in range(draw(st.integers(1, 8))):
        ends = ("", "_lower", "_upper") if draw(st.booleans()) else ("",)
        for end in ends:
            table[f"rate_{at}{end}"] = draw(st.lists(NUMBERS, min_size=rows, max_size=rows))
    return table


def check_whole(text: str, columns: Mapping[str, Any], width: int | None = None) -> None:
    """Require every number of `columns` whole in `text`, intervals in one line, in its width."""
    found = Counter(NUMBER.findall(text))
    joined = join_limits(columns)
    forms = [
        [cell for name, part in table.items() for cell in format_column(name, part)]
        for table in (columns, joined)
    ]
    wanted = [Counter(NUMBER.findall(" ".join(cells))) for cells in forms]
    of_names = set(NUMBER.findall(" ".join(columns)))
    assert any(numbers <= found and set(found - numbers) <= of_names for numbers in wanted)
    assert all(line.count("(") == line.count(")") for line in text.splitlines())
    longest = max(len(cell) for cell in (*columns, *forms[0], *forms[1]))
    if width is not None and longest <= width - 2:
        assert max(map(len, text.splitlines())) <= width


@given(tables(), st.integers(40, 240))
def test_numbers_stay_whole_at_every_width(columns: dict[str, list[Any]], width: int) -> None:
    numbers = {name: part for name, part in columns.items() if name != "model"}
    check_whole(fit_table(numbers, width), numbers, width)
    named = fit_table(columns, width)
    check_whole(named, numbers)
    letters = "".join(named.split())  # only words that are wider than the text are broken
    for name in columns.get("model", ()):
        assert all(word in (named if len(word) < 38 else letters) for word in name.split())


@given(tables())
def test_without_a_limit_a_table_has_one_line_for_each_row(columns: dict[str, list[Any]]) -> None:
    lines = fit_table(columns).splitlines()
    size, joined = len(next(iter(columns.values()))), join_limits(columns)
    if len(joined) <= MOST_COLUMNS or size >= MOST_COLUMNS:
        assert len(lines) == 1 + size
    else:
        assert len(lines) == len(joined)


@pytest.mark.parametrize("kind", [kind for kind in EVERY if kind != "Methods"])
def test_results_keep_their_numbers_whole(kind: str) -> None:
    result: Result = EVERY[kind]()
    _, rows = result.describe()
    numbers = {
        name: part for name, part in rows.items() if not any(isinstance(x, str) for x in part)
    }
    for width in (*range(40, 100), 120, 200) if numbers else ():
        check_whole(fit_table(numbers, width), numbers, width)
    for width in (40, 60, 80, 96, 120):
        text = lay_out(*result.arrange(), width=width)
        assert all(number in text for number in NUMBER.findall(fit_table(rows, width)))


def test_an_estimate_and_its_limits_stay_together_as_text() -> None:
    cells = {
        "model": ["a", "b"],
        "AUC": ["0.900 (0.872, 0.922)"] * 2,
        "AP": ["0.84 (0.7, 0.9)"] * 2,
    }
    for width in range(20, 80):
        lines = fit_table(cells, width).splitlines()
        assert sum(line.count("0.900 (0.872, 0.922)") for line in lines) == 2
        assert sum(line.count("0.84 (0.7, 0.9)") for line in lines) == 2


def test_what_is_too_wide_is_turned_upright() -> None:
    wide = {f"rate_{i}{end}": [0.5 + x] for i in range(9) for end, x in ENDS.items()}
    for width in (None, 80, 200):
        lines = fit_table({"fpr": [0.1]} | wide, width).splitlines()
        assert len(lines) == 10
        assert lines[0].split() == ["fpr", "0.1000"]
        assert lines[1] == "rate_0  0.5000 (0.4000, 0.6000)"


ENDS = {"": 0.0, "_lower": -0.1, "_upper": 0.1}


def test_many_named_rows_of_many_columns_become_blocks_of_columns() -> None:
    columns = {"model": ["one"] * 60} | {f"number_{i}": [i] * 60 for i in range(20)}
    blocks = fit_table(columns, 80).split("\n\n")
    assert [len(block.splitlines()) for block in blocks] == [61, 61, 61]
    assert all(block.startswith("model  number_") for block in blocks)
    heads = [head for block in blocks for head in block.splitlines()[0].split()[1:]]
    assert heads == [name for name in columns if name != "model"]
    assert len(fit_table(columns, 300).splitlines()) == 61


def test_many_rows_of_text_become_records() -> None:
    long = "a text of many words that goes on and on " * 4
    columns = {"model": ["one"] * 60} | {f"text_{i}": [long] * 60 for i in range(4)}
    records = fit_table(columns, 80).split("\n\n")
    assert len(records) == 60
    assert records[0].startswith("model   one\ntext_0  a text")


def test_models_are_compared_down_a_column_at_every_width() -> None:
    """One row for each model, of at least two metrics beside each other from 60 characters on."""
    metrics = ("AUC", "average precision", "sensitivity at 90% specificity", "Brier score")
    names = [f"model_{i:02d}" for i in range(12)]
    cells = {"model": names} | {metric: ["0.873 (0.826, 0.908)"] * 12 for metric in metrics}
    assert "sensitivity at 90%    Brier score\n" in fit_table(cells, 96)
    for width, blocks in ((96, 1), (80, 2), (60, 2), (40, 4)):
        parts = fit_table(cells, width).split("\n\n")
        assert len(parts) == blocks
        for part in parts:
            assert max(map(len, part.splitlines())) <= width
            assert [row.split()[0] for row in part.splitlines() if row[0] != " "][1:] == names


def test_names_and_values_are_below_each_other_if_there_is_little_room() -> None:
    facts = {"a_name_of_thirty_characters_xx": 0.5, "words": "some words that go on and on"}
    assert write_record(facts, 60).splitlines()[0] == "a_name_of_thirty_characters_xx  0.5000"
    assert write_record(facts, 32).splitlines() == [
        "a_name_of_thirty_characters_xx",
        "  0.5000",
        "words",
        "  some words that go on and on",
    ]


@given(st.lists(st.lists(NAMES, min_size=3, max_size=3), min_size=3, max_size=3))
def test_columns_of_text_share_the_room(texts: list[list[str]]) -> None:
    columns = dict(zip(("a", "a_longer_name", "c"), texts, strict=True))
    for width in (40, 60, 80, 96):
        text = fit_table(columns, width)
        assert max(len(line) for line in text.splitlines()) <= width


def test_words_with_hyphens_stay_whole() -> None:
    line = "limits of score-delong and clopper-pearson (8 to 14) " * 9
    for width in range(40, 101):
        text = wrap_text(line, width)
        assert max(map(len, text.splitlines())) <= width
        assert (text.count("score-delong"), text.count("clopper-pearson")) == (9, 9)
        assert text.count("(8 to 14)") == 9
    assert wrap_text(line, None) == line


def test_width_is_that_of_the_terminal_or_of_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert (find_width(None), find_width(96)) == (None, 96)
    monkeypatch.setenv("COLUMNS", "60")
    assert find_width(None) == 60
    monkeypatch.setenv("COLUMNS", "20")
    assert find_width(None) == 40
    for nothing in ("0", "many"):
        monkeypatch.setenv("COLUMNS", nothing)
        assert find_width(None) is None


def test_the_answer_comes_first_then_the_table_then_the_statistics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    sample = rb.load_example()["logistic"]
    at = rb.operating_points(sample, specificity=0.9)
    sentence, table, statistics = str(at).split("\n\n")
    assert " ".join(sentence.split()) == at.sentence
    assert table.splitlines()[1] == "sensitivity            0.6887 (0.5958, 0.7706)"
    assert statistics.startswith("Operating points (specificity) with 95% confidence limits")
    assert max(map(len, str(at).splitlines())) <= 96


def test_wide_letters_count_twice() -> None:
    lines = fit_table({"名": ["模型", "b"], "x": [1, 2]}).splitlines()
    assert lines == ["名    x", "模型  1", "b     2"]
    assert np.unique([line[-1] for line in lines]).tolist() == ["1", "2", "x"]


def test_a_broken_number_would_be_found() -> None:
    columns = {"rate": [0.1933], "rate_lower": [0.1522], "rate_upper": [0.2317]}
    check_whole("rate\n0.1933 (0.1522, 0.2317)", columns, 40)
    for broken in ("rate\n0.1933 (0.1522, 0.\n2317)", "rate\n0.1933\n(0.1522,\n0.2317)"):
        with pytest.raises(AssertionError):
            check_whole(broken, columns, 40)

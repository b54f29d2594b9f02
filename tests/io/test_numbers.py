"""Number formats of columns of text: found from all cells, noted where guessed, else refused."""

from __future__ import annotations

import io
import math
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.errors import InputError
from rocbands.io import text
from rocbands.io.files import read_scores
from rocbands.io.form import Form
from rocbands.io.numbers import NumberColumn, find_formats


def write_table(
    cells: Sequence[str], separator: str = ";", beside: Sequence[str] | None = None
) -> bytes:
    """Write a table with a column of labels, one of scores, and perhaps one beside them."""
    rows = [["label", "score"], *([str(row % 2), cell] for row, cell in enumerate(cells))]
    if beside is not None:
        for row, cell in zip(rows, ["beside", *beside], strict=True):
            row.append(cell)
    quoted = ([f'"{cell}"' if separator in cell else cell for cell in row] for row in rows)
    return "".join(f"{separator.join(row)}\n" for row in quoted).encode()


Read = Callable[..., Any]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return a function that reads a table: its scores and the notes, or what is refused."""

    def find(cells: Sequence[str], separator: str = ";", beside: Any = None, **form: str) -> Any:
        path = tmp_path / "t.csv"
        path.write_bytes(write_table(cells, separator, beside))
        try:
            table = read_scores(path, scores=["score"], form=Form(**form))
        except InputError as problem:
            return str(problem).removeprefix(f"{path}, ")
        return table.y_scores["score"].tolist(), [str(note.text) for note in table.notes]

    return find


COMMAS, POINTS, WHOLE = ["19,30", "7,5"], ["19.30", "7.5"], ["19", "7"]

# Cells, separator, cells of another column, and their numbers without a note.
CLEAR: list[tuple[list[str], str, list[str] | None, list[float]]] = [
    # ordinary decimals, three of them or not
    (["0.123", "0.998"], ",", None, [0.123, 0.998]),
    (["0.123", "0.998"], ";", None, [0.123, 0.998]),
    (["0.123", "1.000"], ";", None, [0.123, 1.0]),
    (["0,123", "1,000"], ";", None, [0.123, 1.0]),
    (["0,123", "1,000"], "\t", None, [0.123, 1.0]),
    (["0,123", "1,000"], ",", None, [0.123, 1.0]),
    (["-0.123", "-1.204"], ";", None, [-0.123, -1.204]),
    (["1.234", "2.718"], ",", None, [1.234, 2.718]),
    (["1.234", "2.718"], "\t", None, [1.234, 2.718]),
    (["1,234", "2,718"], ";", None, [1.234, 2.718]),
    (["1.234", "-2.718", "3.1"], ";", None, [1.234, -2.718, 3.1]),
    (["910", "12.25", "1.708"], ";", None, [910.0, 12.25, 1.708]),
    (["910", "12,25", "1,708"], ";", None, [910.0, 12.25, 1.708]),
    (["1234.567", "1.708"], ";", None, [1234.567, 1.708]),
    (["1.2345", "1.708"], ";", None, [1.2345, 1.708]),
    (["1.5e3", "1.708"], ";", None, [1500.0, 1.708]),
    (["1,5E+03", "1,708"], ";", None, [1500.0, 1.708]),
    (["1.708", "inf"], ",", None, [1.708, math.inf]),
    ([".5", "1.708"], ";", None, [0.5, 1.708]),
    ([",5", "5,"], ";", None, [0.5, 5.0]),
    # means of a few grades, as R writes them
    (["3", "2.667", "4", "3.333"], ",", None, [3.0, 2.667, 4.0, 3.333]),
    (["3", "2,667", "4", "3,333"], ";", None, [3.0, 2.667, 4.0, 3.333]),
    # the other columns decide
    (["91", "79", "1.708"], ",", POINTS, [91.0, 79.0, 1.708]),
    (["91", "79", "1,708"], ";", COMMAS, [91.0, 79.0, 1.708]),
    (["1.234", "2.718"], ";", POINTS, [1.234, 2.718]),
    (["1,234", "2,718"], "\t", COMMAS, [1.234, 2.718]),
    # whole numbers
    (["910", "1708", "12"], ";", COMMAS, [910.0, 1708.0, 12.0]),
    (["1e5", "7"], ";", COMMAS, [1e5, 7.0]),
    # thousands that a cell proves
    (["4.550,00", "820,5"], ";", None, [4550.0, 820.5]),
    (["4.550,00", "1.708", "12"], ";", None, [4550.0, 1708.0, 12.0]),
    (["4,550.00", "1,708", "12"], ",", None, [4550.0, 1708.0, 12.0]),
    (["4,550.00", "1,708", "12"], ";", None, [4550.0, 1708.0, 12.0]),
    (["1.234.567", "1.708", "910"], ";", None, [1234567.0, 1708.0, 910.0]),
    (["1.234.567", "1,708", "910"], ";", None, [1234567.0, 1.708, 910.0]),
    (["-1,303.5", "294.7", "2500"], ",", None, [-1303.5, 294.7, 2500.0]),
    (["1 303", "295", "12"], ";", None, [1303.0, 295.0, 12.0]),
    (["1\u00a0303,5", "295"], ";", None, [1303.5, 295.0]),
    (["1\u202f303,25", "295"], "\t", None, [1303.25, 295.0]),
    (["1'303.5", "295"], ";", None, [1303.5, 295.0]),
    (["1’303", "1.303"], ";", POINTS, [1303.0, 1.303]),
]


def fill(beside: Sequence[str] | None, size: int) -> list[str] | None:
    return None if beside is None else [beside[row % len(beside)] for row in range(size)]


@pytest.mark.parametrize(("cells", "separator", "beside", "numbers"), CLEAR)
def test_clear_columns(
    read: Read, cells: list[str], separator: str, beside: list[str] | None, numbers: list[float]
) -> None:
    assert read(cells, separator, fill(beside, len(cells))) == (numbers, [])


# Cells, separator, another column, their numbers, and the cell that the note names.
NOTED: list[tuple[list[str], str, list[str] | None, list[float], str]] = [
    (["910", "798", "352", "1.708"], ";", COMMAS, [910.0, 798.0, 352.0, 1708.0], "1.708"),
    (["4.550", "820"], ";", COMMAS, [4550.0, 820.0], "4.550"),
    (["4.550", "12.820"], ";", COMMAS, [4550.0, 12820.0], "4.550"),
    (["4.550", "12.820"], "\t", COMMAS, [4550.0, 12820.0], "4.550"),
    (["1,303", "295"], ";", POINTS, [1303.0, 295.0], "1,303"),
    (["1,303", "295"], ",", None, [1303.0, 295.0], "1,303"),
    (["1,303", "294.7"], ";", None, [1303.0, 294.7], "1,303"),
    (["1.303", "294,7"], ";", None, [1303.0, 294.7], "1.303"),
    (["1.708", "1,303", "12"], ";", COMMAS, [1708.0, 1.303, 12.0], "1.708"),
]


@pytest.mark.parametrize(("cells", "separator", "beside", "numbers", "named"), NOTED)
def test_thousands_that_are_inferred_are_noted(
    read: Read,
    cells: list[str],
    separator: str,
    beside: list[str] | None,
    numbers: list[float],
    named: str,
) -> None:
    found, notes = read(cells, separator, fill(beside, len(cells)))
    assert found == numbers
    sign, words = next((s, w) for s, w in ((".", "a point"), (",", "a comma")) if s in named)
    value = f"{numbers[cells.index(named)]:.15g}"
    assert notes == [
        f"In column 'score' {words} separates thousands: {named!r} is {value}. Pass "
        f"decimal={sign!r} if it is the decimal sign."
    ]


# Cells, separator, another column, and what is said.
REFUSED: list[tuple[list[str], str, list[str] | None, str]] = [
    (
        ["910", "798", "352", "1.708"],
        ";",
        None,
        "line 5: column 'score' must have a clear decimal sign; '1.708' looks like 1708 beside "
        "'910', and may be 1.708. Pass decimal=',' for 1708, or decimal='.' for 1.708.",
    ),
    (
        ["295", "426", "1,303"],
        ";",
        None,
        "line 4: column 'score' must have a clear decimal sign; '1,303' looks like 1303 beside "
        "'295', and may be 1.303. Pass decimal='.' for 1303, or decimal=',' for 1.303.",
    ),
    (["910", "1.708"], ",", None, "line 3: column 'score' must have a clear decimal sign; "),
    (["910", "798", "1.708"], ",", POINTS, "line 4: column 'score' must have a clear decimal sign; "),
    (["910", "798", "1,708"], ";", COMMAS, "'1,708' looks like 1708 beside '910', and may be 1.708"),
    (["2500", "1.708"], ";", POINTS, "'1.708' looks like 1708 beside '2500', and may be 1.708"),
    (["1.708", "1,303", "120"], ";", COMMAS, "'1.708' may be 1.708 or 1708, and '1,303' has the other sign"),
    (["2500", "1.708"], "\t", None, "'1.708' looks like 1708 beside '2500', and may be 1.708."),
    (["1.234", "2.718"], ";", None, "line 2: column 'score' must have a clear decimal sign; '1.234' may be 1.234 or 1234. Pass"),
    (["1,234", "2,718"], ",", None, "'1,234' may be 1.234 or 1234. Pass decimal='.' for 1234, or decimal=',' for 1.234."),
    (["1,234", "2,718"], "\t", None, "'1,234' may be 1.234 or 1234."),
    (["3", "2,667", "4"], ",", None, "'2,667' may be 2.667 or 2667."),
    (["1.708", "1,303"], ";", None, "'1.708' may be 1.708 or 1708, and '1,303' has the other sign."),
    (["910", "1.708"], ";", ["19,30", "19.30"], "column 'score' must have a clear decimal sign"),
    (["1708", "1,303"], ",", None, "'1,303' looks like 1303 beside '1708', and may be 1.303"),
    # contradictions
    (["0,5", "0.25"], ";", None, "line 3: column 'score' must have one sign for decimals; found '0.25' besides '0,5'. Write all numbers alike."),
    (["4.550,00", "12.5"], ";", None, "found '12.5' besides '4.550,00'."),
    (["294.7", "1,30"], ",", None, "found '1,30' besides '294.7'."),
    (["1,303.5", "1.303,5"], ";", None, "found '1.303,5' besides '1,303.5'."),
    (["1,303.5", "1 303"], ",", None, "found '1 303' besides '1,303.5'."),
    (["1 303,5", "1.303"], ";", None, "found '1.303' besides '1 303,5'."),
    (["1303.5", "1,303"], ";", None, "line 3: column 'score' must have one number format; '1,303' looks like 1303, but '1303.5' has no sign of thousands. Write all numbers alike, or pass `decimal`."),
    (["2500", "1.708"], ";", COMMAS, "'1.708' looks like 1708, but '2500' has no sign of thousands."),
    # no numbers in any format
    (["1", "1.2.3"], ",", None, "line 3: column 'score' must be a number; found '1.2.3'. Write all numbers alike, without signs of thousands."),
    (["1", "12,34,567"], ";", None, "found '12,34,567'. Write all numbers alike"),
    (["1", "0.123.456"], ";", None, "found '0.123.456'. Write all"),
    (["1", "1 30"], ";", None, "line 3: column 'score' must be a number; found '1 30'. Correct or remove that row."),
    (["1", "1_0.5"], ";", None, "found '1_0.5'. Correct or"),
    (["1.5", "2.9%"], ",", None, "found '2.9%'. Remove the percent signs of the whole column."),
    (["2,9%", "5%"], ";", None, "found '2,9%'. Remove the percent signs of the whole column."),
    (["1", "<100", "<50"], ",", None, "line 3: column 'score' must be a number; found '<100', a limit of measurement, in at least 2 rows. To remove such rows would bias the results: write one number in all of them, below the smallest measured one. Ties count one half."),
    (["1", "≥ 0,5"], ";", None, "found '≥ 0,5', a limit of measurement. To remove such rows would bias the results: write one number in all of them, above the largest measured one."),
    (["(U/ml)", "1", "2"], ",", None, "line 2: column 'score' must be a number; found '(U/ml)'. If this row has units, remove it: only the first line names the columns."),
    (["1", "(U/ml)", "2"], ",", None, "line 3: column 'score' must be a number; found '(U/ml)'. Correct or remove that row."),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "separator", "beside", "said"), REFUSED)
def test_unclear_columns_are_refused_with_the_text_of_the_file(
    read: Read, cells: list[str], separator: str, beside: list[str] | None, said: str
) -> None:
    found = read(cells, separator, fill(beside, len(cells)))
    assert isinstance(found, str)
    assert said in found
    assert found.isprintable()
    assert len(found) < 300


def test_the_decimal_sign_that_is_named(read: Read) -> None:
    cells = ["910", "798", "1.708", "2500"]
    assert read(cells, decimal=",") == ([910.0, 798.0, 1708.0, 2500.0], [])
    assert read(cells, decimal=".") == ([910.0, 798.0, 1.708, 2500.0], [])
    assert read(cells, beside=fill(COMMAS, 4), decimal=".") == ([910.0, 798.0, 1.708, 2500.0], [])
    assert read(["0,5", "0.25"], decimal=",") == (
        "line 3: column 'score' must have the decimal sign ','; found '0.25'. Correct it, or leave "
        "`decimal` out."
    )
    assert read(["n/a", "1.708"], decimal=",").startswith("line 2: column 'score' must be a number")


@pytest.mark.parametrize("wrong", [";", "", "point", 1])
def test_decimal_signs_that_are_none(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`decimal` must be"):
        rb.Sample.from_file(tmp_path / "none.csv", decimal=wrong)


def test_missing_cells_say_nothing(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    cells = ["NA", "910", "1.708", "", "12"]
    path.write_bytes(write_table(cells, ";", ["19,30", "NA", "-", "", "7,5"]))
    table = read_scores(path, scores=["score"], missing="drop")
    assert table.y_scores["score"].tolist() == [910.0, 1708.0, 12.0]
    assert [note.column for note in table.notes] == ["score"]


# A few rows decide for thousands of others, before or behind them.
LONG = {
    "decided at the end": (["1.234", "7.890"] * 60 + ["0.5"], ";", POINTS),
    "thousands at the end": (["910", "352"] * 60 + ["1.708", "2.5"], ",", None),
    "thousands by the other column": (["910", "352"] * 40 + ["1.708"] * 20, ";", COMMAS),
    "thousands between commas": (["910", "352"] * 40 + ["1,708"] * 20, ",", None),
    "never decided": (["910", "352"] * 40 + ["1.708"] * 20, ";", None),
    "contradicted at the end": (["1.234", "7.890"] * 60 + ["0.5", "0,5"], ";", None),
    "contradicted by large numbers": (["1.234", "352"] * 30 + ["2500"] * 30, ";", COMMAS),
    "large numbers first": (["2500", "352"] * 30 + ["1.234"] * 30, ";", COMMAS),
    "proven at the end": (["1.234", "352"] * 30 + ["1.234.567"], ";", None),
    "base 16": (["910", "352"] * 40 + ["0x10"], ";", None),
    "thousands in the middle": (["1.5", "294.7"] * 20 + ["1,303"] * 5 + ["2.5"] * 20, ";", None),
    "decimal commas": (["0,25", "-1,5"] * 60, ";", None),
    "decimal commas between commas": (["0,25", "-1,5"] * 60, ",", None),
    "decimal commas and tabs": (["0,25", "-1,5", "7"] * 60, "\t", None),
    "no number at the end": (["1.234", "352"] * 30 + ["x", "0,5", "0.5"], ";", None),
    "units": (["(U/ml)"] + ["1.5", "2.5"] * 30, ",", None),
}


@pytest.mark.parametrize("size", [40, 150, 1000])
@pytest.mark.parametrize("case", LONG)
def test_blocks_of_any_size_and_both_parsers_read_alike(
    case: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells, separator, beside = LONG[case]
    path = tmp_path / "t.csv"
    path.write_bytes(write_table(cells, separator, fill(beside, len(cells))))

    def outcome() -> Any:
        try:
            table = read_scores(path, scores=["score"])
        except InputError as problem:
            return str(problem)
        return table.y_scores["score"].tolist(), table.y_true.tolist(), table.notes

    careful = outcome()
    monkeypatch.setattr(text, "_FIRST", 60)
    monkeypatch.setattr(text, "_SIZE", size)
    assert outcome() == careful
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert outcome() == careful


def write_german(number: float, digits: int) -> str:
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


WRITERS: dict[str, tuple[str, Callable[[float, int], str]]] = {
    "American": (",", lambda x, digits: f"{x:,.{digits}f}"),
    "American, semicolons": (";", lambda x, digits: f"{x:,.{digits}f}"),
    "German": (";", write_german),
    "German, tabs": ("\t", write_german),
    "French": (";", lambda x, digits: write_german(x, digits).replace(".", "\u202f")),
    "Swiss": (";", lambda x, digits: f"{x:,.{digits}f}".replace(",", "’")),
    "Python": (",", lambda x, digits: f"{x:.{digits}f}"),
    "Python, semicolons": (";", lambda x, digits: f"{x:.{digits}f}"),
}


@pytest.mark.parametrize("writer", WRITERS)
@given(
    numbers=st.lists(st.floats(-1e7, 1e7), min_size=1, max_size=8),
    beside=st.lists(st.floats(-100, 100), min_size=8, max_size=8),
    digits=st.integers(0, 4),
)
def test_what_countries_write_is_read(
    writer: str, numbers: list[float], beside: list[float], digits: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    """Beside a column with decimals, whatever the numbers are."""
    separator, write = WRITERS[writer]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    others = [write(x, 2) for x in beside[: len(numbers)]]
    path.write_bytes(write_table([write(x, digits) for x in numbers], separator, others))
    found = read_scores(path, scores=["score"]).y_scores["score"].tolist()
    assert found == [float(f"{x:.{digits}f}") for x in numbers]


@given(st.text(alphabet="0123456789.,' +-eE", max_size=12))
def test_formats_are_those_of_numbers(cell: str) -> None:
    """What Python reads is a number with a point; a number in a format is one when rewritten."""
    formats = find_formats(cell)
    try:
        plain = float(cell) if "_" not in cell else None
    except ValueError:
        plain = None
    assert ((".", "") in formats) == (plain is not None)
    for decimal, thousands in formats:
        bare = cell.strip()
        for sign in thousands:
            bare = bare.replace(sign, "")
        assert math.isfinite(float(bare.replace(decimal, ".")) * 0 or 0)


def test_parts_in_any_order_give_the_same_numbers() -> None:
    """What was returned is corrected when the sign is known."""
    cells = ["1.708", "12", "2.345", "910", "1.234,5", "7"]
    expected = dict(zip(cells, [1708.0, 12.0, 2345.0, 910.0, 1234.5, 7.0], strict=True))
    for seed in range(20):
        order = random.Random(seed).sample(cells, len(cells))
        column = NumberColumn("score")
        parts = [column.parse([cell]) for cell in order]
        column.finish(";")
        assert np.concatenate(parts).tolist() == [expected[cell] for cell in order]
        assert column.note is None


# -------------------------------------------------------------------- other doors to the files


GERMAN = write_table(["910", "798", "352", "1.708"], ";", fill(COMMAS, 4))


def test_samples_readings_and_counts_have_the_note(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(GERMAN)
    note = "In column 'score' a point separates thousands: '1.708' is 1708."
    sample = rb.Sample.from_file(path, score=["score", "beside"])
    assert sample["score"].values.max() == 1708.0
    assert str(sample.notes[0]).startswith(note)
    assert str(rb.auc_interval(sample["score"]).notes[0]).startswith(note)
    assert sample["beside"].notes == ()
    with pytest.warns(rb.RocBandsWarning, match="a point separates thousands"):
        counts = rb.count_scores(path, score="score", exact=True)
    assert counts.roc.thresholds[0] == 1708.0
    assert rb.count_scores(path, score="score", exact=True, decimal=".").roc.thresholds[0] == 910.0
    study = tmp_path / "study.csv"
    rows = [f"{r};{c};{c % 2};{1000 + 100 * c:,}".replace(",", ".") for r in "ab" for c in range(6)]
    study.write_text("reader;case;truth;score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'1\.000' may be 1\.000 or 1000"):
        rb.Readings.from_file(study)
    assert rb.Readings.from_file(study, decimal=",").scores.max() == 1500.0
    assert rb.Readings.from_file(study, decimal=".").scores.max() == 1.5


def test_weights_and_times_have_number_formats(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(
        b"label;score;w;days\n1;0,5;1.708;910\n0;0,25;910;1.204\n1;0,75;12,5;12\n0;0,1;7;352\n"
    )
    table = read_scores(path, weights="w", times="days", scores=["score"])
    assert table.keys["w"].tolist() == [1708.0, 910.0, 12.5, 7.0]
    assert table.keys["days"].tolist() == [910.0, 1204.0, 12.0, 352.0]
    sample = rb.Sample.from_file(path, score="score", weights="w")
    assert "In column 'w' a point separates thousands" in str(sample.notes[0])
    path.write_bytes(b"label;score;w\n1;0,5;-1,5\n0;0,25;1\n")
    with pytest.raises(InputError, match=r"line 2: column 'w' must contain weights, .* found -1.5"):
        read_scores(path, weights="w")
    path.write_bytes(b"label;score;w\n1;0,5;x\n0;0,25;y\n")
    with pytest.raises(
        InputError, match=r"line 2: column 'w' must be a number; found 'x'.*name an"
    ):
        read_scores(path, weights="w")


def test_files_that_are_counted_tell_their_notes(tmp_path: Path) -> None:
    paths = []
    for place in range(3):
        paths.append(tmp_path / f"{place}.csv")
        paths[-1].write_bytes(GERMAN)
    with pytest.warns(rb.RocBandsWarning, match="'1.708' is 1708"):
        counts = rb.count_scores(list(map(str, paths)), score="score", exact=True)
    assert counts.roc.thresholds[0] == 1708.0


def test_typed_cells_of_a_workbook_are_not_thousands(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"

    def save(*scores: object) -> None:
        book = openpyxl.Workbook()
        assert book.active is not None
        for row in (("label", "score"), *((k % 2, score) for k, score in enumerate(scores))):
            book.active.append(row)
        book.save(path)

    save(910, 798, 1.708)
    assert read_scores(path).y_scores["score"].tolist() == [910.0, 798.0, 1.708]
    save(1.234, 2.718)
    assert read_scores(path).y_scores["score"].tolist() == [1.234, 2.718]
    save(1.234, "0,5")
    with pytest.raises(InputError, match=r"found '0,5' besides '1\.2340'"):
        read_scores(path)
    save(910, "1.708")
    with pytest.raises(InputError, match=r"'1\.708' looks like 1708 beside '910'"):
        read_scores(path)
    assert read_scores(path, form=Form(decimal=",")).y_scores["score"].tolist() == [910.0, 1708.0]
    save("4.550,00", "820,5")
    assert read_scores(path, scores=["score"]).y_scores["score"].tolist() == [4550.0, 820.5]


def test_numbers_in_quotes_of_json(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"label": 1, "score": 2}\n{"label": 0, "score": "1,5"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r'line 2: .* found "1,5". Write numbers without quotes'):
        read_scores(path)


# --------------------------------------------------------------------------------- encodings


TABLE = "Krank;Größe;score\nja;19,30;0,5\nnein;7,5;0,25\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("block", [1 << 17, 25])
def test_encodings_that_are_found(
    encoding: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_FIRST", block)
    monkeypatch.setattr(text, "_SIZE", 7)
    path = tmp_path / "t.csv"
    path.write_bytes(TABLE.encode(encoding))
    table = read_scores(path, label="Krank", scores=["score"])
    assert table.columns == ("Krank", "Größe", "score")
    assert table.y_scores["score"].tolist() == [0.5, 0.25]
    said = [str(note.text) for note in table.notes]
    assert said == [
        "The file is not in UTF-8, and was read as cp1252 (Windows). If letters are wrong, pass "
        "encoding='cp1250' or the like."
    ] * (encoding == "cp1252")


def test_letters_far_down_are_read_in_one_encoding(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = "1,0.5,a\n0,0.25,b\n" * 20_000
    path.write_bytes(f"label,score,who\n{rows}1,0.75,Größe €\n".encode("cp1252"))
    table = read_scores(path, keys=["who"])
    assert table.keys["who"][-1] == "Größe €"
    assert len(table.notes) == 1
    sample = rb.Sample.from_file(path, keep="who")
    assert "was read as cp1252 (Windows)" in str(rb.auc_interval(sample).notes[0])
    with pytest.warns(rb.RocBandsWarning, match="cp1252"):
        assert rb.count_scores(path, by="who").parts == ("Größe €", "a", "b")


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("cp1250", "cp1250"),
        ("latin2", "iso-8859-2"),
        ("utf-16-le", "utf-16-le"),
        ("UTF_8", "utf-8"),
    ],
)
def test_encodings_that_are_named(encoding: str, written: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("Łabel,score\n1,0.5\n0,0.25\n".encode(written))
    found = rb.Sample.from_file(path, label="Łabel", encoding=encoding)
    assert (found.n, found.notes) == (2, ())
    assert rb.count_scores(path, label="Łabel", encoding=encoding).roc.auc == 1.0


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"encoding": "utf-8"}, "line 1: the file must be text in UTF-8; found the byte 0xf6"),
        ({"encoding": "ascii"}, "must be text in ascii; it is not: .*0xf6"),
        ({"encoding": "base64"}, "`encoding` must be the name of an encoding; got 'base64'"),
        ({"encoding": "rot13"}, "`encoding` must be the name of an encoding"),
        ({"encoding": ""}, "`encoding` must be the name of an encoding"),
        ({"encoding": "a\0b"}, "`encoding` must be the name of an encoding"),
        ({"encoding": 1}, "`encoding` must be text; got 1"),
    ],
)
def test_encodings_that_do_not_fit(how: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TABLE.encode("cp1252"))
    with pytest.raises(InputError, match=said):
        rb.Sample.from_file(path, label="Krank", score="score", **how)


def test_json_in_cp1252(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        '{"label": "krank", "score": 1}\n{"label": "ü", "score": 2}\n'.encode("cp1252")
    )
    table = read_scores(path)
    assert table.y_true.tolist() == ["krank", "ü"]
    assert len(table.notes) == 1


@pytest.mark.parametrize("option", [{"encoding": "utf-8"}, {"decimal": "."}])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_tables_have_neither(option: dict[str, str], kind: str, tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / f"t.{kind}"
    getattr(pd.DataFrame({"label": [0, 1], "score": [1.0, 2.0]}), f"to_{kind}")(path)
    name = next(iter(option))
    said = f"`{name}` is for .* files|`{name}` is for files of text"
    with pytest.raises(InputError, match=said):
        rb.Sample.from_file(path, **option)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=said):
        rb.count_scores(path, **option)
    with pytest.raises(InputError, match=said):
        rb.count_scores(pd.DataFrame({"label": [0, 1], "score": [1.0, 2.0]}), **option)


def test_standard_input_in_cp1252(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO(TABLE.encode("cp1252")))
    monkeypatch.setattr(sys, "stdin", given)
    assert "The file is not in UTF-8" in str(
        read_scores("-", label="Krank", scores=["score"]).notes[0].text
    )


@pytest.mark.parametrize("word", ["Total", "total:", "Summe"])
def test_a_last_row_that_sums_up(word: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"label,score\n1,2\n0,1\n{word},3\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"column 'label' of the last row is '{word}'. Remove"):
        read_scores(path)
    path.write_text(f"label,score\n{word},2\nx,1\n{word},3\n", encoding="utf-8")
    assert read_scores(path).y_true.tolist() == [word, "x", word]

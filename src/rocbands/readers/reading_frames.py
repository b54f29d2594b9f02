"""Frames of readings: columns by name, and wide tables with one row for each case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np

from rocbands.core.columns import (
    find_missing,
    name_by_text,
    name_column,
    pick_column,
    plain_array,
    split_frame,
)
from rocbands.errors import InputError, Message, arg, in_python
from rocbands.readers.reading_columns import Names, leave_out, read_scores, show_case, write_name

K = TypeVar("K")

_refuse = partial(InputError, argument="columns")


def pick_columns(data: Any, named: Mapping[K, str], argument: str = "") -> dict[K, Any]:
    """Return columns of a frame by their use, which `argument`, or the use itself, names."""
    pairs = list(data.items()) if isinstance(data, Mapping) else split_frame(data)
    if pairs is None:
        raise InputError(
            "The data must be a data frame or a mapping from names to columns",
            f"they are {type(data).__name__}",
            in_python("For arrays call rb.Readings(y_true, y_score, reader=..., case=...)."),
        )
    columns = name_by_text(pairs, set(named.values()))
    titles = {"y_true": "label", "y_score": "score"}
    return {
        use: pick_column(columns, name, argument or titles.get(str(use), str(use)))
        for use, name in named.items()
    }


def name_cells(columns: Any) -> dict[tuple[str, str | None], str]:
    """Return the names of columns of scores by reader and test; None for the only test."""
    if not isinstance(columns, Mapping) or not columns:
        raise _refuse(
            "must be a mapping from (reader, test) to the name of a column",
            f"got {columns!r}"
            if isinstance(columns, Mapping)
            else f"it is {type(columns).__name__}",
            "Pass, for example, {('A', 'CT'): 'a_ct'}.",
        )
    found: dict[tuple[str, str | None], str] = {}
    for cell, name in columns.items():
        if isinstance(cell, tuple) and len(cell) != 2:
            raise _refuse("must have readers, or pairs (reader, test), as keys", f"one is {cell!r}")
        reader, test = cell if isinstance(cell, tuple) else (cell, None)
        pair = write_name(reader), None if test is None else write_name(test)
        if pair in found:
            raise _refuse("must have keys that differ as text", f"{cell!r} occurs twice")
        found[pair] = name_column(name, "columns")
    if len({test is None for _, test in found}) > 1:
        raise _refuse(
            "must have either readers, or pairs (reader, test), as keys",
            "it has both",
            "Name the test of each column.",
        )
    if len(set(found.values())) < len(found):
        twice = next(name for name, times in Counter(found.values()).items() if times > 1)
        raise _refuse("must name a column for each reader and test", f"{twice!r} is named twice")
    return found


def melt_columns(
    cells: Mapping[tuple[str, str | None], Any], columns: Mapping[str, Any], missing: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the columns of a wide table, one row for each case, with one row for each reading.

    `cells`: scores by reader and test. `columns`: y_true, case and clusters, the last or None. A
    cell without a score has NaN. Also returns notes of rows that were left out.
    """
    titles = {cell: f"columns[{cell if cell[1] else cell[0]!r}]" for cell in cells}
    given = {name: column for name, column in columns.items() if column is not None}
    scores = {titles[cell]: column for cell, column in cells.items()}
    given, notes = leave_out(given | scores, missing, set(scores))
    case = Names.read(given["case"], "case")
    size = case.codes.size
    if len(case.texts) < size:
        times = np.bincount(case.codes)
        one = int(np.argmax(times > 1))
        raise InputError(
            Message("{} must be a different one in each row of a wide table", arg("case")),
            f"case {show_case(case.texts[one])} is in {times[one]} rows",
            in_python("For one row for each reading call rb.Readings.from_frame(...)."),
        )
    long: dict[str, Any] = {
        name: np.tile(plain_array(given[name], name), len(cells))
        for name in columns
        if name in given
    }
    values = np.full((len(cells), size), np.nan)
    for row, title in zip(values, scores, strict=True):
        there = ~find_missing(given[title])
        if not there.any():
            raise InputError(
                f"`{title}` must contain scores", "all its cells are empty", "Leave it out."
            )
        row[there] = read_scores(given[title], there, title)
    long["y_score"] = values.ravel()
    long["reader"] = np.repeat([reader for reader, _ in cells], size)
    tests = [test for _, test in cells]
    if None not in tests:
        long["test"] = np.repeat(np.array(tests), size)
    return long, notes

"""Readings of a reader study from a file, with iMRMC's files among them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.progress import Progress
from rocbands.core.sample_columns import CASES, READERS, shorten_name
from rocbands.errors import InputError, Message, arg, join
from rocbands.io.columns import (
    LABEL_NAMES,
    Choice,
    Codes,
    is_missing,
    list_columns,
    parse_labels,
    pick,
    read_label,
)
from rocbands.io.files import gather_cells, open_rows
from rocbands.io.form import Form
from rocbands.io.samples import identify_file
from rocbands.io.streams import name_source
from rocbands.readers.reading_columns import write_name
from rocbands.readers.readings import Readings

R = TypeVar("R", bound=Readings)

# Usual names of columns; see `shorten_name`.
_USES = {
    "reader": READERS,
    "case": CASES,
    "test": ("test", "treatment", "modality"),
    "score": ("score", "rating"),
    "label": LABEL_NAMES,
}
_WORDS = {"reader": "readers", "case": "cases", "test": "tests", "score": "scores"}
_TRUTH = ("truth", "-1")  # the reader of iMRMC's rows with the label of a case


def read_readings(
    kind: type[R],
    path: str | os.PathLike[str],
    named: Mapping[str, str],
    *,
    positive: object,
    missing: str,
    form: Form,
    progress: Progress | None,
    most: int | None = None,
    chosen: Callable[[Mapping[str, str]], object] = len,
) -> R:
    """Read a file of readings; see :meth:`rocbands.Readings.from_file`.

    `named`: the columns that were named, by their use. `chosen` is called with all of them. More
    than `most` rows are refused.
    """
    with open_rows(path, progress, form) as rows:
        uses = choose_columns(rows.names, named, name_source(path))
        chosen(uses)
        score = uses["score"]
        keys = [name for use, name in uses.items() if use != "score"]
        codes = {name: Codes(name) for name in keys}
        choice = Choice(keys[0], (score,), tuple(keys[1:]), missing=True)
        found = gather_cells(rows, choice, codes, name_source(path), most=most)
        notes = tuple(note.text for note in rows.notes)
    scores = found[score]
    columns = {
        use: _write_cells(codes[name].values, found[name], use in ("label", "clusters"))
        for use, name in uses.items()
        if use != "score"
    }
    labels: Any = columns.pop("label", None)
    if labels is None:
        is_truth = _find_truth(columns["reader"], rows.names, name_source(path))
        labels = _read_truth(columns["case"][is_truth], scores[is_truth], name_source(path))
        columns = {use: column[~is_truth] for use, column in columns.items()}
        scores = scores[~is_truth]
        _check_truth(labels, columns["case"], name_source(path))
    if isinstance(positive, str):  # on the command line
        known = labels.values() if isinstance(labels, dict) else labels
        positive = read_label(positive, list(known))
    readings = kind(labels, scores, positive=positive, missing=missing, **columns)
    return readings.come_from(identify_file(os.fspath(path)), notes)


def choose_columns(columns: Sequence[str], named: Mapping[str, str], source: str) -> dict[str, str]:
    """Find the column of each use: the one that was named, or the one with a usual name."""
    uses = {use: pick(name, columns, source) for use, name in named.items()}
    unclear: dict[str, list[str]] = {}
    for use, usual in _USES.items():
        if use in uses:
            continue
        known = [
            name
            for name in dict.fromkeys(columns)
            if shorten_name(name) in usual and name not in uses.values()
        ]
        if len(known) == 1:
            uses[use] = known[0]
        else:
            unclear[use] = known
    optional = {"test", "label"}  # labels may be in the rows of a reader 'truth'
    if any(shorten_name(name) in LABEL_NAMES for name in named.values()):
        optional.remove("label")
    if any(known or use not in optional for use, known in unclear.items()):
        raise _refuse_columns(unclear, columns, named, source)
    for name, times in Counter(uses.values()).items():
        if times > 1:
            both = [use for use, own in uses.items() if own == name]
            raise InputError(
                f"{source}: {both[0]} and {both[1]} must be different columns",
                f"{name!r} was named for both",
                Message("Name another column with {} or {}.", arg(both[0]), arg(both[1])),
            )
        if list(columns).count(name) > 1:
            raise InputError(
                f"{source}: column names must be distinct",
                f"{name!r} occurs {list(columns).count(name)} times",
                "Rename one of them.",
            )
    return uses


def _refuse_columns(
    unclear: Mapping[str, list[str]], columns: Sequence[str], named: Mapping[str, str], source: str
) -> InputError:
    """Return the error of columns that cannot be found, with all that have to be named."""
    needed = [use for use, known in unclear.items() if known or use != "test"]
    first = next((use for use in needed if unclear[use] or use != "label"), "label")
    taken = {name: use for use, name in named.items() if shorten_name(name) in _USES[first]}
    found = _say_none(first)
    if unclear[first]:
        found = f"it could be {unclear[first][0]!r} or {unclear[first][1]!r}"
    elif taken:
        name, use = next(iter(taken.items()))
        found = Message("{!r} was named by {}", name, arg(use))
    remedy = Message("Pass {}", join(" ", (arg(use, "NAME") for use in needed)))
    hint = ""
    if {"reader", "score"} <= set(needed):
        hint = (
            " Each row must be one reading; a table with a row for each case and a column for each "
            "reader is read in Python, by rb.Readings.from_wide."
        )
    return InputError(
        f"{source}: it must be clear which column contains the {_WORDS.get(first, 'labels')}",
        found,
        Message("{}; the columns are {}.{}", remedy, list_columns(columns), hint),
    )


def _say_none(use: str) -> str:
    *first, last = _USES[use]
    return f"none is called {', '.join(first)} or {last}"


def _write_cells(
    values: list[Any], rows: npt.NDArray[Any], are_labels: bool
) -> npt.NDArray[np.object_]:
    """Return the cells of a column, None where one is missing; names in text stay text."""
    there = [place for place, value in enumerate(values) if not is_missing(value)]
    known = [values[place] for place in there]
    if known and all(isinstance(value, str) for value in known):
        known = parse_labels(known) if are_labels else [value.strip() for value in known]
    cells: npt.NDArray[np.object_] = np.full(len(values), None, dtype=object)
    cells[there] = known
    return np.asarray(cells[rows])


def _find_truth(readers: npt.NDArray[np.object_], columns: Sequence[str], source: str) -> BoolArray:
    """Tell which rows have the labels of cases, in the manner of iMRMC."""
    names = {name: str(name).casefold() in _TRUTH for name in dict.fromkeys(readers.tolist())}
    is_truth = np.fromiter(map(names.__getitem__, readers.tolist()), np.bool_, readers.size)
    if not is_truth.any():
        raise InputError(
            f"{source}: it must be clear which column contains the labels",
            "none is called label, y_true, target or the like, and no reader is called 'truth'",
            Message("Pass {}; the columns are {}.", arg("label", "NAME"), list_columns(columns)),
        )
    if is_truth.all():
        raise InputError(f"{source} must contain readings", "all rows are of the reader 'truth'")
    return is_truth


def _check_truth(labels: Mapping[Any, int], cases: npt.NDArray[np.object_], source: str) -> None:
    """Require the label of each case that was read."""
    known = {write_name(case) for case in labels}
    read = [write_name(case) for case in dict.fromkeys(cases.tolist()) if case is not None]
    unknown = [case for case in read if case not in known]
    if unknown:
        more = f" ({len(unknown):,} such cases)" if len(unknown) > 1 else ""
        raise InputError(
            f"{source}: each case must have its label in a row of the reader 'truth'",
            f"case {unknown[0]!r} has none{more}",
            "Add such rows, or remove the readings of these cases.",
        )


def _read_truth(cases: npt.NDArray[np.object_], scores: FloatArray, source: str) -> dict[Any, int]:
    """Return the label of each case."""
    bad = ~np.isin(scores, (0.0, 1.0))
    if bad.any():
        raise InputError(
            f"{source}: the score of the reader 'truth' must be 0 or 1",
            f"for case {cases[bad][0]!r} it is {scores[bad][0]:g}",
            "Write 1 for positive cases and 0 for negative ones.",
        )
    labels = dict(zip(cases.tolist(), scores.astype(int).tolist(), strict=True))
    for case, label in zip(cases.tolist(), scores.tolist(), strict=True):
        if labels[case] != label:
            raise InputError(
                f"{source}: a case must have one label",
                f"in the rows of the reader 'truth' case {case!r} is 0 and 1",
                "Correct the labels.",
            )
    return labels

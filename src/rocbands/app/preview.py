"""The first look at a file: its columns and first rows, what they may be, and all labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from rocbands.app.data import Asked
from rocbands.app.tasks import FIRST_CELLS, FIRST_ROWS, LONGEST, MOST_COLUMNS, MOST_ROWS
from rocbands.core.progress import Progress
from rocbands.core.sample_columns import find_readings
from rocbands.errors import InputError
from rocbands.io.columns import (
    LABEL_NAMES,
    MOST_LABELS,
    Choice,
    Codes,
    find_scores,
    is_missing,
    locate,
    parse_float,
    parse_labels,
    pick,
)
from rocbands.io.excel import find_sheets
from rocbands.io.files import RowReader, open_rows, refuse_more
from rocbands.io.numbers import find_formats
from rocbands.io.readings import choose_columns
from rocbands.scale.saved import is_counts

_SHOWN = 8
_MOST_DISTINCT = 12
_MOSTLY = 0.9  # share of the cells of a column of numbers that are numbers
_MOST_LISTED = 50
_POSITIVE = {
    *("1", "true", "yes", "y", "t", "pos", "positive", "+", "case", "event", "malignant"),
    *("cancer", "tumor", "tumour", "disease", "diseased", "abnormal", "sick", "ill", "dead"),
    *("died", "fraud", "spam", "default", "bad", "poor", "krank", "ja", "positiv", "malade", "oui"),
}
_OUTCOMES = ("disease", "status", "event", "fraud", "is_fraud", "histology", "diagnose", "dead")
_CLUSTERS = (
    "patient",
    "subject",
    "person",
    "participant",
    "customer",
    "group",
    "groups",
    "cluster",
)
_WEIGHTS = ("sample_weight", "sampling_weight", "survey_weight")  # 'weight' is mostly in kg


@dataclass(frozen=True)
class _Column:
    """The first cells of a column, as text; None where one is missing."""

    name: str
    cells: Sequence[str | None]

    @property
    def known(self) -> list[str]:
        return [cell for cell in self.cells if cell is not None]

    @property
    def is_number(self) -> bool:
        """Whether nearly all cells are numbers; others are mistakes, which are said later."""
        numbers = sum(bool(find_formats(cell)) for cell in self.known)
        return numbers > 0 and numbers >= _MOSTLY * len(self.known)

    @property
    def is_probability(self) -> bool:
        """Whether the numbers lie between 0 and 1, and are not all one of these."""
        decimals = (cell.replace(",", ".") for cell in self.known if find_formats(cell))
        numbers = set(map(parse_float, decimals))  # None is one with two signs, from 1,000 up
        return not numbers <= {0.0, 1.0} and all(
            number is not None and 0.0 <= number <= 1.0 for number in numbers
        )

    @property
    def distinct(self) -> list[str]:
        return list(dict.fromkeys(self.known))

    def to_dict(self) -> dict[str, Any]:
        few = len(self.distinct) <= _MOST_DISTINCT
        return {
            "name": self.name,
            "type": "number" if self.is_number else "text",
            "distinct": self.distinct if few else None,
            "missing": len(self.cells) - len(self.known),
        }


def preview(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Return the columns of a file, its first rows, and suggestions."""
    sheets, sheet = find_sheets(asked.path, asked.name, asked.form.sheet)
    form = replace(asked.form, sheet=sheet)
    with open_rows(asked.path, progress, form, most=FIRST_ROWS + 1) as reader:
        columns, n_rows = _read_first(reader)
        notes = [note.text for note in reader.notes]
        uses = _guess_readings(reader.names)
    names = [column.name for column in columns]
    kind = "counts" if sheet is None and is_counts(asked.path) else "rows"
    suggestion: dict[str, Any] = dict.fromkeys(("reader", "case", "test", "score"))
    suggestion |= _suggest(columns)
    if uses:
        kind = "readings"
        suggestion |= uses
        labels = next((one for one in columns if one.name == uses.get("label")), None)
        suggestion["positive"] = None if labels is None else _guess_positive(labels.distinct)
    shown = zip(*(column.cells[:_SHOWN] for column in columns), strict=True)
    return {
        "name": asked.name,
        "kind": kind,
        "sheets": sheets,
        "sheet": sheet,
        "n_rows": n_rows,
        "sampled": n_rows is None,
        "columns": [column.to_dict() for column in columns],
        "rows": [["" if cell is None else cell for cell in row] for row in shown],
        "suggestion": suggestion if names else None,
        "notes": notes,
    }


def _read_first(reader: RowReader) -> tuple[list[_Column], int | None]:
    """Read the first rows; with their number, if the file has no more."""
    names = list(dict.fromkeys(reader.names))
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"A table must have at most {MOST_COLUMNS:,} columns here",
            f"it has {len(names):,}",
            "Leave those out that are neither outcome nor score, or use the command line.",
        )
    most = min(FIRST_ROWS, max(FIRST_CELLS // len(names), _SHOWN))
    cells: dict[str, list[str | None]] = {name: [] for name in names}
    choice = Choice(names[0], (), tuple(names[1:]), missing=True)
    chunks = reader.chunks(choice)
    for chunk in chunks:
        for name, (values, rows) in chunk.labels.items():
            texts = [
                None if is_missing(value) else str(value).strip()[:LONGEST] for value in values
            ]
            left = most + 1 - len(cells[name])
            cells[name] += [texts[row] for row in rows[:left].tolist()]
        if len(cells[names[0]]) > most:
            break
    count = len(cells[names[0]])
    found = [_Column(name, cells[name][:most]) for name in names]
    return found, count if count <= most else None


def _suggest(columns: Sequence[_Column]) -> dict[str, Any]:
    """Suggest a use of each column of rows; None where it is not clear."""
    label = _guess_label(columns)
    others = [column for column in columns if column is not label]
    weights = next((one for one in others if one.name.casefold() in _WEIGHTS), None)
    clusters = next((one for one in others if one is not weights and _may_cluster(one)), None)
    free = {one.name: one for one in others if one not in (weights, clusters) and one.is_number}
    scores, _ = find_scores(
        free, lambda name: len(free[name].distinct) > 2, lambda name: free[name].is_probability
    )
    return {
        "label": None if label is None else label.name,
        "positive": None if label is None else _guess_positive(label.distinct),
        "scores": list(scores),
        "clusters": None if clusters is None else clusters.name,
        "weights": None if weights is None else weights.name,
    }


def _guess_label(columns: Sequence[_Column]) -> _Column | None:
    """Find the column of labels: by its name, its two values, or if one of these says so."""
    named = [one for one in columns if one.name.casefold() in (*LABEL_NAMES, *_OUTCOMES)]
    two = [one for one in columns if len(one.distinct) == 2]
    clear = [one for one in two if not one.is_number and _guess_positive(one.distinct)]
    for found in ([one for one in named if one in two], named, two, clear):
        if len(found) == 1:
            return found[0]
    return None


def _guess_positive(labels: Iterable[str]) -> str | None:
    known = list(labels)
    found = [value for value in known if value.casefold() in _POSITIVE]
    if found == ["1"] and "2" in known:  # in some studies 1 is ill, in others 2: the user chooses
        return None
    return found[0] if len(found) == 1 else None


def _may_cluster(column: _Column) -> bool:
    """Tell whether a column names the patient or the like, in more than one row."""
    name = column.name.casefold().replace("-", "_").replace(" ", "_").removesuffix("_id")
    repeated = 1 < len(column.distinct) < len(column.known)
    return repeated and (name in _CLUSTERS or name.removesuffix("id") in _CLUSTERS)


def _guess_readings(names: Sequence[str]) -> dict[str, str] | None:
    """Find the columns of a reader study; None if the file is none."""
    if find_readings(names) is None:
        return None
    try:
        return choose_columns(names, {}, "")
    except InputError:
        return {}


def list_labels(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Count the labels of all rows, as the analysis reads them."""
    with open_rows(asked.path, progress, asked.form) as reader:
        label = pick(asked.need("label"), reader.names, asked.name)
        codes = Codes(label, MOST_LABELS)
        counts = np.zeros(MOST_LABELS, dtype=np.int64)
        for chunk in reader.chunks(Choice(label, (), missing=True)):
            with locate(chunk.place):
                found = codes.encode(*chunk.labels[label])
            counts += np.bincount(found, minlength=MOST_LABELS)
            refuse_more(int(counts.sum()), MOST_ROWS, asked.name)
    listed, missing = _merge(dict(zip(codes.values, counts.tolist(), strict=False)))
    return {
        "labels": [
            {"value": value, "count": n} for value, n in islice(listed.items(), _MOST_LISTED)
        ],
        "positive": _guess_positive(listed),
        "n_rows": int(counts.sum()),
        "missing": missing,
    }


def _merge(counts: Mapping[Any, int]) -> tuple[dict[str, int], int]:
    """Add up labels that are the same number or differ by spaces; and missing ones."""
    there = {value: n for value, n in counts.items() if not is_missing(value)}
    texts = [str(value).strip() for value in there]
    found: dict[Any, tuple[str, int]] = {}
    for value, text, n in zip(parse_labels(texts), texts, there.values(), strict=True):
        first, before = found.get(value, (text, 0))
        found[value] = first, before + n
    return dict(found.values()), sum(counts.values()) - sum(there.values())

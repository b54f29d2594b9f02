"""Columns of labels and scores: their choice, the parsing of cells, and errors."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import IndexArray
from rocbands.core.columns import MissingError
from rocbands.core.sample_columns import Dropped, ReadCases
from rocbands.errors import InputError, Message, arg, in_python, join
from rocbands.io.form import UNKNOWN, Form

LABEL_NAMES = (
    *("y_true", "y", "label", "labels", "target", "class"),
    *("diagnosis", "outcome", "truth", "actual"),
)
# Numeric columns that are not scores, unless named as such.
_DESIGN_NAMES = ("fold", "folds", "group", "groups", "id", "weight", "weights")


class Note(NamedTuple):
    """How a file was read, for its results."""

    text: Message
    column: str = ""  # whose numbers it is about; empty if it is about the whole file


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scored rows as they were read."""

    y_true: npt.NDArray[Any]  # labels: booleans, numbers or text
    y_scores: dict[str, npt.NDArray[Any]]  # each model's scores, by the name of its column
    label: str  # name of the label column
    source: str  # where the rows came from, for messages
    # columns that say which cluster or fold each row is in, by name
    keys: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    dropped: Dropped | None = None  # rows with missing values
    places: IndexArray | None = None  # positions in the file of the remaining rows
    columns: tuple[str, ...] = ()  # names of all columns of the file
    notes: tuple[Note, ...] = ()
    read: ReadCases | None = None  # if columns are called as those of a reader study


@dataclass(frozen=True)
class Choice:
    """Names of the columns to read; other columns of numbers, as weights, follow the scores."""

    label: str
    scores: tuple[str, ...]
    keys: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    # Keep missing cells, as NaN among scores and None among labels; otherwise they are refused.
    missing: bool = False
    case: str | None = None  # the key that is only counted: its cells may be missing

    @property
    def models(self) -> tuple[str, ...]:
        """Columns of scores."""
        return self.scores[: len(self.scores) - len(self.numbers)]

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [self.label, *self.keys, *self.scores]

    def may_lack(self, name: str) -> bool:
        """Tell whether cells of a column may be missing."""
        return self.missing or name == self.case

    def refuse_missing(self, columns: Mapping[str, Encoded]) -> None:
        """Refuse the first row of a column whose label is missing, where that may not be."""
        for name, (distinct, rows) in columns.items():
            for index, label in enumerate(() if self.may_lack(name) else distinct):
                if is_missing(label):
                    # The row is found only now, because clusters may have many names.
                    row = int(np.argmax(rows == index))
                    must = f"column {name!r} must contain a label in every row"
                    raise MissingCellError(row, must, show_cell(label))


@dataclass(frozen=True)
class Wanted:
    """The requested columns; if none was named, they are chosen by their names."""

    source: str  # where the rows come from, for messages
    label: str | None = None  # name of the label column
    scores: tuple[str, ...] = ()  # names of the score columns
    keys: tuple[str, ...] = ()  # names of columns of clusters, strata or folds
    numbers: tuple[str, ...] = ()  # names of other columns of numbers, such as weights
    form: Form = UNKNOWN

    def settle(self, choice: Choice) -> Wanted:
        """Make the request for the chosen columns."""
        return replace(self, label=choice.label, scores=choice.models, keys=choice.keys)

    def choose(self, columns: Sequence[str], is_number: Callable[[str], bool]) -> Choice:
        """Choose the columns to read."""
        label = self._choose_label(columns)
        extra = tuple(pick(name, columns, self.source) for name in (*self.keys, *self.numbers))
        others = [name for name in columns if name not in (label, *extra)]
        scores = self._choose_scores(columns, others, is_number)
        if label in scores:
            raise InputError(
                f"{self.source}: labels and scores must be different columns",
                f"{label!r} was named for both",
                Message("Name another column with {} or {}.", arg("label"), arg("score")),
            )
        twice = next((name for name in extra if name == label or name in scores), None)
        if twice is not None:
            raise InputError(
                f"{self.source}: labels, scores, clusters, weights and folds must be different "
                "columns",
                f"{twice!r} was named for two of them",
                "Name another column.",
            )
        times = Counter(columns)
        for name in (label, *scores, *extra):
            if times[name] > 1:
                raise InputError(
                    f"{self.source}: column names must be distinct",
                    f"{name!r} occurs {times[name]} times",
                    "Rename one of them.",
                )
        return Choice(label, (*scores, *self.numbers), self.keys, self.numbers)

    def _choose_label(self, columns: Sequence[str]) -> str:
        if self.label is not None:
            return pick(self.label, columns, self.source)
        known = list(dict.fromkeys(name for name in columns if name.casefold() in LABEL_NAMES))
        if len(known) != 1:
            found = "none is called label, y_true, target or the like"
            if known:
                found = f"it could be {known[0]!r} or {known[1]!r}"
            raise InputError(
                f"{self.source}: it must be clear which column contains the labels",
                found,
                Message(
                    "Pass {}; the columns are {}.{}",
                    arg("label", "NAME"),
                    list_columns(columns),
                    _READINGS if {"readerID", "caseID"} <= set(columns) else "",
                ),
            )
        return known[0]

    def _choose_scores(
        self, columns: Sequence[str], others: Sequence[str], is_number: Callable[[str], bool]
    ) -> tuple[str, ...]:
        if self.scores:
            return tuple(pick(name, columns, self.source) for name in self.scores)
        scores, numeric = find_scores(others, is_number)
        if not scores:
            found, of = "no column contains numbers", "the columns are"
            if numeric:
                found, of = f"{len(numeric)} columns contain numbers", "those with numbers are"
            raise InputError(
                f"{self.source}: it must be clear which columns contain scores",
                f"besides the labels {found}",
                Message(
                    "Pass {}; {} {}.", arg("score", "NAME"), of, list_columns(numeric or columns)
                ),
            )
        return scores


def find_scores(
    names: Iterable[str],
    is_number: Callable[[str], bool],
    is_probability: Callable[[str], bool] = lambda name: False,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find the columns that are likely scores, and all that may be, among those of no other use.

    Likely are columns whose names begin with score; without them the only column of numbers; with
    several those of probabilities, if these can be told.
    """
    known = dict.fromkeys(names)
    named = tuple(name for name in known if name.casefold().startswith(("score", "y_score")))
    if named:
        return named, named
    numeric = tuple(name for name in known if not _is_design(name) and is_number(name))
    return numeric if len(numeric) == 1 else tuple(filter(is_probability, numeric)), numeric


def _is_design(name: str) -> bool:
    text = name.casefold()
    return text in _DESIGN_NAMES or text.endswith(("_id", " id"))


def no_rows(source: str, must: str = "rows", found: str = "it has none") -> InputError:
    """Make the error of a file without rows."""
    return InputError(f"{source} must contain {must}", found, "Check the step that wrote it.")


def pick(name: str, columns: Iterable[str], source: str, what: str = "column") -> str:
    """Return `name` if it is one of `columns`; otherwise raise an error with a suggestion."""
    known = list(columns)
    if name in known:
        return name
    folded = {column.casefold(): column for column in known}
    close = get_close_matches(name.casefold(), folded, n=1)
    hint: str = f"Did you mean {folded[close[0]]!r}? " if close else ""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and set(parts) <= set(known):
        each = join(" ", (arg("score", part) for part in parts))
        hint = Message("Name one column at a time: {}. ", each)
    raise InputError(
        f"{source} has no {what} {name!r}",
        remedy=Message("{}Its {}s are {}.", hint, what, list_columns(known)),
    )


def list_columns(columns: Sequence[str], most: int = 8) -> str:
    """List the names of columns, shortened if there are many."""
    names = ", ".join(shorten(name) for name in columns[:most])
    return names if len(columns) <= most else f"{names}, ... ({len(columns) - most} more)"


# Columns of iMRMC's files.
_READINGS = " " + in_python(
    "These are readings: rb.compare_readers(rb.Readings.from_file(path))", "readings"
)
MOST_LABELS = 1000  # more are names or scores, not classes, and would fill the memory

_ADVICE = "Correct or remove that row."
_MISSING = {"", "nan", "na", "n/a", "null", "<na>"}
_TRUTH = {"true": True, "false": False}

# A column in which values repeat: its distinct values, and the index of each row's among them.
Encoded: TypeAlias = tuple[Sequence[Any], npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of the chosen columns."""

    scores: Mapping[str, npt.NDArray[Any]]  # each model's scores, without NaN
    labels: Mapping[str, Encoded]  # the column of labels and those of clusters or folds, by name
    # returns the place of a row (from 0) in the source, for error messages
    place: Callable[[int], str]


class CellError(Exception):
    """A cell of a chunk cannot be used; :func:`locate` makes it an InputError with its place."""

    kind: type[InputError] = InputError  # of the error that it becomes

    def __init__(self, row: int, must: str, found: str, remedy: str = _ADVICE) -> None:
        super().__init__(must, found, remedy)
        self.row = row

    def at(self, place: str) -> InputError:
        """Return the error with the place of the row."""
        must, found, remedy = self.args
        return self.kind(f"{place}: {must}", found, remedy)


class MissingCellError(CellError):
    """A cell of a chunk has no value."""

    kind = MissingError


class NumberFormatError(InputError):
    """A column has numbers, but not as they must be written."""


class NumberCellError(CellError):
    """A cell of a chunk has a number that is not written as it must be."""

    kind = NumberFormatError


@contextmanager
def locate(place: Callable[[int], str]) -> Iterator[None]:
    """Turn a :class:`CellError` into an InputError that names the place of its row."""
    try:
        yield
    except CellError as bad:
        raise bad.at(place(bad.row)) from None


def wrong_cell(value: object, row: int, must: str, found: str) -> CellError:
    """Return the error of a cell, which may be a missing value."""
    kind = MissingCellError if is_missing(value) else CellError
    return kind(row, must, found)


def shorten(value: object, most: int = 40) -> str:
    """Write a value on one short line, for messages."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 4]}...{text[-1]}"


def parse_float(text: str) -> float | None:
    """Parse a number; None if `text` is not one, or is NaN."""
    try:
        number = float(text)
    except ValueError:
        return None
    # Python accepts 1_000 as a thousand; in a file it is a mistake.
    return None if math.isnan(number) or "_" in text else number


def show_cell(cell: object) -> str:
    """Say what was found in a cell."""
    return f"found {shorten(cell)}" if str(cell).strip() else "the cell is empty"


def refuse_nan(numbers: npt.NDArray[Any], column: str) -> None:
    """Refuse the first NaN of a chunk."""
    if numbers.dtype.kind == "f" and numbers.size and np.isnan(numbers.min()):
        row = int(np.argmax(np.isnan(numbers)))
        raise MissingCellError(row, f"column {column!r} must be a number", "found nan")


def is_missing(label: Any) -> bool:
    """Tell whether a label denotes a missing value."""
    if isinstance(label, str):
        return label.strip().casefold() in _MISSING
    return label is None or (isinstance(label, float) and math.isnan(label))


def refuse_bad_weights(column: str, weights: npt.NDArray[Any]) -> None:
    """Refuse the first row of a column of weights below 0."""
    if (weights < 0.0).any():
        row = int(np.argmax(weights < 0.0))
        raise CellError(
            row,
            f"column {column!r} must contain weights, numbers from 0 up",
            f"found {weights[row]:.15g}",
            "Correct it, or write 0 to leave the row out.",
        )


def parse_labels(labels: Sequence[str]) -> list[Any]:
    """Convert labels to booleans or numbers if all of them are; otherwise keep text."""
    texts = [label.strip() for label in labels]
    if all(text.casefold() in _TRUTH for text in texts):
        return [_TRUTH[text.casefold()] for text in texts]
    if all(re.fullmatch("[+-]?[0-9]+", text) for text in texts):
        # Numbers with more digits than 64 bits hold are names: as floats two might become equal.
        return texts if max(map(len, texts)) > 18 else [int(text) for text in texts]
    numbers = [parse_float(text) for text in texts]
    if all(number is not None and math.isfinite(number) for number in numbers):
        return numbers
    return texts


def read_label(text: str, labels: Sequence[Any]) -> object:
    """Convert a label from the command line to the type of the labels: 1 matches the number 1."""
    if any(isinstance(label, str) for label in labels):
        return text
    if any(isinstance(label, bool) for label in labels):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.casefold(), text)
    try:
        return float(text)
    except ValueError:
        return text


def encode_array(values: npt.NDArray[Any], column: str) -> Encoded:
    """Return the distinct values and each row's index among them; a missing value is refused."""
    if values.dtype.kind in "biu" and values.size:
        low, high = values.min(), values.max()
        is_high = values == high
        # A few passes instead of a sort, if all values equal the smallest or the largest.
        if np.count_nonzero(is_high) + np.count_nonzero(values == low) >= values.size:
            return [low.item(), high.item()], is_high.view(np.int8)
    if values.dtype == "datetime64[ns]":  # Python's datetime has no nanoseconds
        values = values.astype("datetime64[us]")
    rows: npt.NDArray[Any]
    try:
        unique, rows = np.unique(values, return_inverse=True)
        distinct = unique.tolist()
    except TypeError:  # for example text among numbers, which cannot be ordered
        seen: dict[Any, int] = {}
        codes = (seen.setdefault(value, len(seen)) for value in values.tolist())
        try:
            rows = np.fromiter(codes, np.int32, values.size)
        except TypeError as problem:
            raise InputError(
                f"Column {column!r} must have numbers, texts or dates", f"{problem}"
            ) from None
        distinct = list(seen)
    for index, value in enumerate(distinct):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            must = f"column {column!r} must have a value in every row"
            raise MissingCellError(int(np.argmax(rows == index)), must, f"found {value}")
    return distinct, rows


def encode_list(values: Sequence[Any]) -> Encoded:
    """Return the distinct values of a list and each row's index among them."""
    distinct = list(dict.fromkeys(values))
    index = {value: code for code, value in enumerate(distinct)}
    return distinct, np.fromiter(map(index.__getitem__, values), np.int32, len(values))


class Codes:
    """Integer codes for the distinct values of a column, in order of appearance; thread-safe.

    More than `most` distinct values are refused; None allows any number.
    """

    def __init__(self, column: str, most: int | None = None) -> None:
        self.column = column
        self._most = most
        self._codes: dict[Any, int] = {}
        self._lock = Lock()

    @property
    def values(self) -> list[Any]:
        """The distinct values, by code."""
        return list(self._codes)

    def encode(self, values: Iterable[Any], rows: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the code of each row; `rows` are their indices among distinct `values`."""
        codes = self.extend(values, rows)
        if np.array_equal(codes, np.arange(codes.size)):
            return rows.astype(np.int32, copy=False)
        return np.asarray(codes[rows])

    def extend(
        self, values: Iterable[Any], rows: npt.NDArray[Any] | None = None
    ) -> npt.NDArray[np.int32]:
        """Return the codes of distinct values; new ones get the next code."""
        found: list[int] = []
        with self._lock:
            for value in values:
                code = self._codes.setdefault(value, len(self._codes))
                if code == self._most:
                    del self._codes[value]
                    raise CellError(
                        0 if rows is None else int(np.argmax(rows == len(found))),
                        f"column {self.column!r} must contain two labels",
                        f"up to here it has more than {self._most} different ones",
                        Message("Name the column of labels with {}.", arg("label", "NAME")),
                    )
                found.append(code)
        return np.array(found, dtype=np.int32)

"""Cells of a file as numbers and labels; one that is neither is refused with its row."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray

__all__ = [
    "ADVICE",
    "CellError",
    "Labels",
    "float_of",
    "is_missing",
    "parse_numbers",
    "refuse_nan",
    "shown",
    "typed",
]

ADVICE = "Correct or remove that row."
_MOST_LABELS = 1000  # beyond that they are names or scores, no classes, and would fill the memory
_MISSING = {"", "nan", "na", "n/a", "null", "<na>"}
_TRUTH = {"true": True, "false": False}


class CellError(Exception):
    """A cell of a chunk cannot be used; whoever knows where the chunk stands says where it is.

    Attributes
    ----------
    row : int
        The row within the chunk, from 0.
    """

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(problem)
        self.row = row


def shown(value: object, most: int = 40) -> str:
    """Write a value on one short line, for messages."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 4]}...{text[-1]}"


def float_of(text: str) -> float | None:
    """Return the number that `text` is, or None; NaN is no number."""
    try:
        number = float(text)
    except ValueError:
        return None
    # Python reads 1_000 as a thousand; in a file that is a slip of the pen.
    return None if math.isnan(number) or "_" in text else number


def parse_numbers(cells: Sequence[str], column: str) -> FloatArray:
    """Parse a chunk of text cells; the first that is no number is refused."""
    try:
        numbers = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        usable = False
    else:
        usable = not np.isnan(numbers.min()) and "_" not in "".join(cells)
    if usable:
        return numbers
    row, cell = next((row, cell) for row, cell in enumerate(cells) if float_of(cell) is None)
    found = f"found {shown(cell)}" if cell.strip() else "the cell is empty"
    advice = ADVICE
    if float_of(cell.replace(",", ".", 1)) is not None:
        advice = "Write decimals with a point."
    raise CellError(row, f"column {column!r} must be a number; {found}. {advice}")


def refuse_nan(numbers: npt.NDArray[Any], column: str) -> None:
    """Refuse the first NaN of a chunk."""
    if numbers.dtype.kind == "f" and np.isnan(numbers.min()):
        row = int(np.argmax(np.isnan(numbers)))
        raise CellError(row, f"column {column!r} must be a number; found nan. {ADVICE}")


class Labels:
    """A column of labels, gathered in chunks: each label is kept once, each row as a code.

    Parameters
    ----------
    column : str
        Its name, for messages.
    most : int or None
        How many different labels there may be; None for any number.
    """

    def __init__(self, column: str, most: int | None = _MOST_LABELS) -> None:
        self._column = column
        self._most = most
        self._codes: dict[Any, int] = {}
        self._rows: list[npt.NDArray[np.int32]] = []

    def add(self, values: Sequence[Any]) -> None:
        """Add the next rows; a missing label is refused."""
        distinct = list(dict.fromkeys(values))
        places = {value: place for place, value in enumerate(distinct)}
        rows = np.fromiter(map(places.__getitem__, values), np.int32, len(values))
        self.add_encoded(distinct, rows)

    def add_encoded(self, distinct: Sequence[Any], rows: npt.NDArray[Any]) -> None:
        """Add the next rows, each the place of its label in `distinct`."""
        codes = self._codes
        for place, value in enumerate(distinct):
            if value not in codes:
                problem = self._problem(value)
                if problem is not None:  # only now look for its row: groups may have many names
                    row = int(np.argmax(rows == place))
                    raise CellError(row, f"column {self._column!r} {problem}")
                codes[value] = len(codes)
        known = np.fromiter(map(codes.__getitem__, distinct), np.int32, len(distinct))
        self._rows.append(known[rows])

    def _problem(self, label: Any) -> str | None:
        if is_missing(label):
            found = f"found {shown(label)}" if str(label).strip() else "the cell is empty"
            return f"must hold a label in every row; {found}. {ADVICE}"
        if len(self._codes) == self._most:
            return (
                f"must hold two labels; up to here it holds {self._most} different ones. "
                "Name the column of labels with --label NAME."
            )
        return None

    def take(self) -> npt.NDArray[np.int32]:
        """Give away the rows gathered so far, as indices into :meth:`names`."""
        rows = np.concatenate(self._rows)
        self._rows.clear()
        return rows

    def names(self) -> list[Any]:
        """Return the different labels as they were read, in the order they came."""
        return list(self._codes)

    def column(self) -> npt.NDArray[Any]:
        """Return one label for each row: booleans, numbers or text."""
        labels = list(self._codes)
        kinds = np.array(typed(labels) if isinstance(labels[0], str) else labels)
        return kinds[np.concatenate(self._rows)]


def is_missing(label: Any) -> bool:
    """Tell whether a label is what files write for none."""
    if isinstance(label, str):
        return label.strip().casefold() in _MISSING
    return label is None or (isinstance(label, float) and math.isnan(label))


def typed(labels: list[str]) -> list[Any]:
    """Read labels as truth values or as numbers if all of them are; otherwise they stay text."""
    texts = [label.strip() for label in labels]
    if all(text.casefold() in _TRUTH for text in texts):
        return [_TRUTH[text.casefold()] for text in texts]
    if all(re.fullmatch("[+-]?[0-9]+", text) for text in texts):
        # More digits than fit 64 bits make a name, and as floats two names might become one.
        return texts if max(map(len, texts)) > 18 else [int(text) for text in texts]
    numbers = [float_of(text) for text in texts]
    if all(number is not None and math.isfinite(number) for number in numbers):
        return numbers
    return texts

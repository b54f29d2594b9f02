"""Which labels and groups occur, and which label is the positive one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.columns import two_classes
from rocbands.errors import InputError
from rocbands.io.cells import ADVICE, CellError, shown, typed

__all__ = ["Codes", "classes", "group_text", "label_text", "spoken_label"]

_MOST_LABELS = 1000


class Codes:
    """Values seen so far, each with a code; threads may share one.

    Parameters
    ----------
    column : str
        Name of the column, for messages.
    most : int or None
        How many different values there may be.
    """

    def __init__(self, column: str, most: int | None = None) -> None:
        self.column = column
        self._most = most
        self._codes: dict[Any, int] = {}
        self._lock = Lock()

    def of(self, values: Iterable[Any]) -> npt.NDArray[np.int32]:
        """Return the codes of different values; new ones get the next code."""
        with self._lock:
            codes = [self._codes.setdefault(value, len(self._codes)) for value in values]
            if self._most is not None and len(self._codes) > self._most:
                raise CellError(
                    0,
                    f"column {self.column!r} must hold two labels; up to here it holds more than "
                    f"{self._most} different ones. Name the column of labels with --label NAME.",
                )
        return np.array(codes, dtype=np.int32)

    @classmethod
    def for_labels(cls, column: str) -> Codes:
        """Expect labels: few, or it is the wrong column."""
        return cls(column, _MOST_LABELS)

    @property
    def names(self) -> list[Any]:
        """The different values, by code."""
        return list(self._codes)

    def encode(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the code of each value of an array without missing values."""
        if values.dtype.kind in "biu" and values.size:
            low, high = values.min(), values.max()
            is_high = values == high
            # A few passes instead of a sort, where all values are the smallest or the largest.
            if np.count_nonzero(is_high) + np.count_nonzero(values == low) >= values.size:
                codes = self.of([low.item(), high.item()])
                return np.asarray(codes[is_high.view(np.int8)])
        distinct, places = _distinct(values, self.column)
        return np.asarray(self.of(distinct)[places])

    def encode_names(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the code of each group's name; a missing one is refused."""
        distinct, places = _distinct(values, self.column)
        return np.asarray(self.of(map(group_text, distinct))[places])


def _distinct(values: npt.NDArray[Any], column: str) -> tuple[list[Any], npt.NDArray[Any]]:
    """Return the different values, and the place of each row's among them; refuse missing ones."""
    if values.dtype == "datetime64[ns]":  # which Python's own times cannot be
        values = values.astype("datetime64[us]")
    places: npt.NDArray[Any]
    try:
        unique, places = np.unique(values, return_inverse=True)
        distinct = unique.tolist()
    except TypeError:  # text among numbers, say, which have no order
        seen: dict[Any, int] = {}
        found = (seen.setdefault(value, len(seen)) for value in values.tolist())
        places = np.fromiter(found, np.int32, values.size)
        distinct = list(seen)
    for place, value in enumerate(distinct):
        if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124
            raise CellError(
                int(np.argmax(places == place)),
                f"column {column!r} must have a value in every row; found {value}. {ADVICE}",
            )
    return distinct, places


def classes(
    labels: Sequence[Any], positive: object, column: str, *, spoken: bool = False
) -> tuple[npt.NDArray[np.bool_], tuple[str | None, str | None]]:
    """Tell which of the labels that occur are the positive one, and name both as text.

    A part of a data set may hold one class only, so that is allowed here.

    Parameters
    ----------
    labels : sequence
        The different labels; text from files is read as truth values or numbers if all of it is.
    positive : object
        The positive label; None if it goes without saying.
    column : str
        Name of the column of labels, for messages.
    spoken : bool
        Whether `positive` is text from a command line that may stand for a number.
    """
    texts = [label for label in labels if isinstance(label, str)]
    read = iter(typed(texts))
    labels = [next(read) if isinstance(label, str) else label for label in labels]
    if spoken and isinstance(positive, str):
        positive = spoken_label(positive, labels)
    distinct = list(dict.fromkeys(labels))
    if len(distinct) > 1:
        _, found = two_classes(_column(distinct), positive, column)
    else:
        found = _only(distinct[0], positive, column)
    is_positive = np.array([bool(label == found) for label in labels])
    others = [label for label in distinct if not label == found]  # noqa: SIM201
    return is_positive, (label_text(found), label_text(others[0]) if others else None)


def _column(labels: list[Any]) -> npt.NDArray[Any]:
    if len({type(label) for label in labels}) > 1:
        column = np.empty(len(labels), dtype=object)
        column[:] = labels
        return column
    return np.array(labels)


def _only(label: Any, positive: object, column: str) -> object:
    if positive is not None:
        if positive != label and label_text(positive) == label_text(label):
            raise InputError(
                f"`positive` must be one of the labels in `{column}`; {positive!r} is not "
                f"{label!r}. Pass positive={label!r}, or positive=None if that goes without saying."
            )
        return positive
    if isinstance(label, (bool, int, float)) and label in (-1, 0, 1):
        return type(label)(1)
    raise InputError(
        f"Which label of `{column}` is positive is not clear: it holds {shown(label)} only. "
        f"Say so, for example positive={label!r}."
    )


def label_text(label: object) -> str:
    """Write a label as text, alike for 1, 1.0 and True: engines differ in what they hand out."""
    if isinstance(label, (bool, np.bool_)):
        return str(int(label))
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def group_text(value: object) -> str:
    """Write a group's name as text, alike for all kinds of files."""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def spoken_label(text: str, labels: Sequence[Any]) -> object:
    """Read a label from the command line as what the labels are: 1 finds the number 1."""
    if any(isinstance(label, str) for label in labels):
        return text
    if any(isinstance(label, bool) for label in labels):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.casefold(), text)
    try:
        return float(text)
    except ValueError:
        return text

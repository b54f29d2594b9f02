"""Which label is the positive one, once all labels are known; labels and groups as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.columns import AgainstRest, against_rest, two_classes
from rocbands.errors import InputError, arg
from rocbands.io.cells import parse_labels, shorten

__all__ = ["find_positive", "group_text", "label_text"]

REST = "the rest"  # what all labels but the positive one are called together


def find_positive(
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
    rest = isinstance(positive, AgainstRest)
    if isinstance(positive, AgainstRest):
        positive = positive.label
    texts = [label for label in labels if isinstance(label, str)]
    read = iter(parse_labels(texts))
    labels = [next(read) if isinstance(label, str) else label for label in labels]
    if spoken and isinstance(positive, str):
        positive = _read_spoken(positive, labels)
    distinct = list(dict.fromkeys(labels))
    if len(distinct) > 1:
        _, found = two_classes(_to_array(distinct), against_rest(positive, rest), column)
    else:
        found = _find_in_one_class(distinct[0], positive, column)
    is_positive = np.array([bool(label == found) for label in labels])
    others = [label for label in distinct if not label == found]  # noqa: SIM201
    other = label_text(others[0]) if others else None
    return is_positive, (label_text(found), REST if rest else other)


def _to_array(labels: list[Any]) -> npt.NDArray[Any]:
    if len({type(label) for label in labels}) > 1:
        column = np.empty(len(labels), dtype=object)
        column[:] = labels
        return column
    return np.array(labels)


def _find_in_one_class(label: Any, positive: object, column: str) -> object:
    if positive is not None:
        if positive != label and label_text(positive) == label_text(label):
            raise InputError(
                f"must be one of the labels in {arg(column)}",
                f"{positive!r} is not {label!r}",
                f"Pass {arg('positive', label)}, or {arg('positive', None)} if that goes without "
                "saying.",
                argument="positive",
            )
        return positive
    if isinstance(label, (bool, int, float)) and label in (-1, 0, 1):
        return type(label)(1)
    raise InputError(
        f"Which label of {arg(column)} is positive is not clear: it holds {shorten(label)} only",
        remedy=f"Say so, for example {arg('positive', label)}.",
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


def _read_spoken(text: str, labels: Sequence[Any]) -> object:
    """Read a label from the command line as what the labels are: 1 finds the number 1."""
    if any(isinstance(label, str) for label in labels):
        return text
    if any(isinstance(label, bool) for label in labels):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.casefold(), text)
    try:
        return float(text)
    except ValueError:
        return text

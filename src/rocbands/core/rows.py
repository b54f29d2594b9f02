"""Checked rows of one model, where they come from and how they were drawn.

Functions that take `Rows` do not check them again.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, IndexArray
from rocbands.core.columns import (
    frame_kind,
    mention,
    score_column,
    two_classes,
)
from rocbands.errors import InputError, arg


class Origin(NamedTuple):
    """Where rows come from: two sets of rows overlap only if they share a source."""

    source: str  # identifies a sample, a file or another source of rows
    rows: IndexArray | None = None  # their places in the source; None for all of it
    # Of counted rows, the column that they were counted by and its values that they have; None for
    # all of it.
    parts: tuple[str | None, frozenset[str]] | None = None
    # An identifier of a column of groups, and the group of each row there: parts of one source may
    # have no row, but a group, in common.
    groups: tuple[str, CountArray] | None = None

    def overlaps(self, other: Origin | None) -> bool:
        """Tell whether a row may be in both.

        Examples
        --------
        >>> first, last = (Origin("a", rows) for rows in (np.arange(3), np.arange(3, 6)))
        >>> first.overlaps(last), first.overlaps(Origin("a"))
        (False, True)
        """
        if other is None or self.source != other.source:
            return False
        if self.parts is not None and other.parts is not None:
            same_column = self.parts[0] == other.parts[0]
            return not same_column or bool(self.parts[1] & other.parts[1])
        if self.rows is None or other.rows is None:
            return True
        return bool(np.intersect1d(self.rows, other.rows, assume_unique=True).size)

    def shares_groups(self, other: Origin | None) -> bool:
        """Tell whether dependent rows may be in both."""
        if other is None or self.source != other.source:
            return False
        one, two = self.groups, other.groups
        if one is None or two is None or one[0] != two[0]:
            return False
        return bool(np.intersect1d(one[1], two[1]).size)


def new_origin() -> Origin:
    """Return the origin of rows that nobody else has."""
    return Origin(uuid.uuid4().hex)


@dataclass(frozen=True, eq=False)
class Rows:
    """One model's rows, checked; the arrays may be the caller's, so they are not kept for long."""

    is_positive: BoolArray  # (n,) the class of each row
    values: npt.NDArray[Any]  # (n,) the scores, in the precision they came in
    frame: str | None = None  # the kind of frame they came from; results go back as the same kind

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.is_positive.size)

    @cached_property
    def n_pos(self) -> int:
        """Number of positive rows."""
        return int(np.count_nonzero(self.is_positive))

    @property
    def n_neg(self) -> int:
        """Number of negative rows."""
        return self.size - self.n_pos

    def take(self, rows: npt.NDArray[Any]) -> Rows:
        """Return some of the rows, by a mask or by their places."""
        return Rows(self.is_positive[rows], self.values[rows], self.frame)


def read_rows(y_true: Any, y_score: Any, positive: object = None) -> Rows:
    """Check a column of labels and a column of scores; nothing is copied that need not be."""
    is_positive, _ = two_classes(y_true, positive)
    values = score_column(y_score)
    check_length(is_positive, values, "y_score")
    return Rows(is_positive, values, frame_kind(y_score) or frame_kind(y_true))


def check_folds(is_positive: BoolArray, codes: CountArray, labels: tuple[object, ...]) -> None:
    """Refuse a fold without both classes: it has no ROC curve."""
    size = np.bincount(codes)
    n_pos = np.bincount(codes[is_positive], minlength=len(labels))
    one_class_only = (n_pos == 0) | (n_pos == size)
    if one_class_only.any():
        fold = int(np.argmax(one_class_only))
        kind = "positive" if n_pos[fold] else "negative"
        raise InputError(
            "Every fold must contain both classes",
            f"all {size[fold]} rows of fold {labels[fold]!r} are {kind}",
            "Stratify the folds, or use fewer of them.",
        )


def check_both_classes(is_positive: BoolArray, label: object, by: str) -> None:
    """Refuse a part of the rows that has one class only."""
    if is_positive.all() or not is_positive.any():
        kind = "positive" if is_positive.any() else "negative"
        raise InputError(
            f"Every part by {by!r} must contain both classes",
            f"all {is_positive.size} rows of {label!r} are {kind}",
            "Join it with another part, or leave its rows out.",
        )


def check_length(labels: npt.NDArray[Any], column: npt.NDArray[Any], name: str) -> None:
    """Refuse a column that does not have one value for each row."""
    if labels.size != column.size:
        raise other_length(labels.size, column.size, name)


def other_length(size: int, found: int, name: str) -> InputError:
    """Return the error of a column that does not have one value for each row."""
    return InputError(
        f"{arg('y_true')} and {mention(name)} must have one value for each row",
        f"they have {size} and {found}",
        "Check that both come from the same rows.",
    )

"""Which columns of a file hold the labels and the scores, and the rows gathered from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.errors import InputError
from rocbands.io.cells import Labels, shown

__all__ = ["Choice", "Gathering", "ScoreTable", "Wanted", "pick"]

_LABEL_NAMES = (
    *("y_true", "y", "label", "labels", "target", "class"),
    *("diagnosis", "outcome", "truth", "actual"),
)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scored rows as they were read.

    Attributes
    ----------
    y_true : ndarray of shape (n,)
        Labels: booleans, numbers or text.
    y_scores : dict of str to ndarray of shape (n,)
        Each model's scores, by the name of its column.
    label : str
        Name of the label column.
    source : str
        Where the rows came from, for messages.
    keys : dict of str to ndarray of shape (n,)
        Columns that say which rows belong together, such as groups and folds, by name.
    """

    y_true: npt.NDArray[Any]
    y_scores: dict[str, npt.NDArray[Any]]
    label: str
    source: str
    keys: dict[str, npt.NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """Names of the columns to read."""

    label: str
    scores: tuple[str, ...]
    keys: tuple[str, ...] = ()


class Gathering:
    """Chunks of the chosen columns on their way to a table."""

    def __init__(self, choice: Choice, source: str) -> None:
        self._source = source
        self._choice = choice
        self._scores: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in choice.scores}
        # One label for each class; groups may have as many names as there are rows.
        self.labels = {choice.label: Labels(choice.label)}
        self.labels |= {name: Labels(name, most=None) for name in choice.keys}

    def add(self, name: str, chunk: npt.NDArray[Any]) -> None:
        """Add the next scores of one column."""
        self._scores[name].append(chunk)

    def end_chunk(self) -> None:
        """Take notice that all columns have got the rows of a chunk."""

    def table(self) -> ScoreTable:
        """Join the chunks; afterwards the gathering is empty."""
        # Column by column, so that never more than one of them is held twice.
        scores = {name: np.concatenate(self._scores.pop(name)) for name in self._choice.scores}
        columns = {name: labels.column() for name, labels in self.labels.items()}
        y_true = columns.pop(self._choice.label)
        return ScoreTable(y_true, scores, self._choice.label, self._source, columns)


@dataclass(frozen=True)
class Wanted:
    """What the user asked for: names, or nothing, and then the columns must speak for themselves.

    Attributes
    ----------
    source : str
        Where the rows come from, for messages.
    label : str or None
        Name of the label column.
    scores : tuple of str
        Names of the score columns.
    keys : tuple of str
        Names of the columns that say which rows belong together.
    gather : callable
        Makes the :class:`Gathering` that readers hand the rows to.
    """

    source: str
    label: str | None = None
    scores: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    gather: Callable[[Choice, str], Gathering] = Gathering

    def choose(self, columns: Sequence[str], is_number: Callable[[str], bool]) -> Choice:
        """Choose the columns to read.

        Parameters
        ----------
        columns : sequence of str
            All names in the file.
        is_number : callable
            Tells whether the column of that name holds numbers, as far as its type or its first
            row shows.
        """
        label = self._label(columns)
        keys = tuple(pick(name, columns, self.source) for name in self.keys)
        others = [name for name in columns if name != label and name not in keys]
        scores = self._scores(columns, others, is_number)
        if label in scores:
            raise InputError(
                f"{self.source}: labels and scores must be different columns; {label!r} was named "
                "for both. Name another column with --label or --score."
            )
        twice = next((name for name in keys if name == label or name in scores), None)
        if twice is not None:
            raise InputError(
                f"{self.source}: labels, scores, groups and folds must be different columns; "
                f"{twice!r} was named for two of them. Name another column."
            )
        times = Counter(columns)
        for name in (label, *scores, *keys):
            if times[name] > 1:
                raise InputError(
                    f"{self.source}: column names must be distinct; {name!r} occurs "
                    f"{times[name]} times. Rename one of them."
                )
        return Choice(label, scores, keys)

    def _label(self, columns: Sequence[str]) -> str:
        if self.label is not None:
            return pick(self.label, columns, self.source)
        known = list(dict.fromkeys(name for name in columns if name.casefold() in _LABEL_NAMES))
        if len(known) != 1:
            found = "none is called label, y_true, target or the like"
            if known:
                found = f"it could be {known[0]!r} or {known[1]!r}"
            raise InputError(
                f"{self.source}: it must be clear which column holds the labels; {found}. "
                f"Say --label NAME; the columns are {_listing(columns)}."
            )
        return known[0]

    def _scores(
        self, columns: Sequence[str], others: Sequence[str], is_number: Callable[[str], bool]
    ) -> tuple[str, ...]:
        if self.scores:
            return tuple(pick(name, columns, self.source) for name in self.scores)
        named = [name for name in others if name.casefold().startswith(("score", "y_score"))]
        if named:
            return tuple(dict.fromkeys(named))
        numeric = [name for name in others if is_number(name)]
        if len(numeric) != 1:
            found = f"{len(numeric)} columns hold numbers" if numeric else "no column holds numbers"
            raise InputError(
                f"{self.source}: it must be clear which columns hold scores; besides the labels "
                f"{found}. Say --score NAME; the columns are {_listing(columns)}."
            )
        return (numeric[0],)


def pick(name: str, columns: Iterable[str], source: str) -> str:
    """Return `name` if it is one of `columns`; otherwise say which name was perhaps meant."""
    known = list(columns)
    if name in known:
        return name
    folded = {column.casefold(): column for column in known}
    close = get_close_matches(name.casefold(), folded, n=1)
    hint = f"Did you mean {folded[close[0]]!r}? " if close else ""
    raise InputError(f"{source} has no column {name!r}. {hint}Its columns are {_listing(known)}.")


def _listing(columns: Sequence[str], most: int = 8) -> str:
    names = ", ".join(shown(name) for name in columns[:most])
    return names if len(columns) <= most else f"{names}, ... ({len(columns) - most} more)"

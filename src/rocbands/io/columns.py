"""Which columns of a source hold the labels and the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy.typing as npt

from rocbands.errors import InputError, arg
from rocbands.io.cells import shorten

__all__ = ["Choice", "ScoreTable", "Wanted", "pick"]

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
    """Names of the columns to read; that of weights, if there is one, is the last of the scores."""

    label: str
    scores: tuple[str, ...]
    keys: tuple[str, ...] = ()
    weights: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Columns of scores."""
        return self.scores if self.weights is None else self.scores[:-1]

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [self.label, *self.keys, *self.scores]


@dataclass(frozen=True)
class Wanted:
    """The columns that were asked for; where none was named, the columns' own names decide.

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
    weights : str or None
        Name of the column of weights.
    """

    source: str
    label: str | None = None
    scores: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    weights: str | None = None

    def settle(self, choice: Choice) -> Wanted:
        """Ask for the columns that were chosen."""
        return replace(self, label=choice.label, scores=choice.models, keys=choice.keys)

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
        label = self._choose_label(columns)
        keys = tuple(pick(name, columns, self.source) for name in self.keys)
        if self.weights is not None:
            pick(self.weights, columns, self.source)
        others = [name for name in columns if name not in (label, self.weights, *keys)]
        scores = self._choose_scores(columns, others, is_number)
        if label in scores:
            raise InputError(
                f"{self.source}: labels and scores must be different columns",
                f"{label!r} was named for both",
                f"Name another column with {arg('label')} or {arg('scores')}.",
            )
        extra = keys if self.weights is None else (*keys, self.weights)
        twice = next((name for name in extra if name == label or name in scores), None)
        if twice is not None:
            raise InputError(
                f"{self.source}: labels, scores, groups, weights and folds must be different "
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
        if self.weights is not None:
            scores = (*scores, self.weights)
        return Choice(label, scores, keys, self.weights)

    def _choose_label(self, columns: Sequence[str]) -> str:
        if self.label is not None:
            return pick(self.label, columns, self.source)
        known = list(dict.fromkeys(name for name in columns if name.casefold() in _LABEL_NAMES))
        if len(known) != 1:
            found = "none is called label, y_true, target or the like"
            if known:
                found = f"it could be {known[0]!r} or {known[1]!r}"
            raise InputError(
                f"{self.source}: it must be clear which column holds the labels",
                found,
                f"Say {arg('label', 'NAME')}; the columns are {_list_names(columns)}.",
            )
        return known[0]

    def _choose_scores(
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
                f"{self.source}: it must be clear which columns hold scores",
                f"besides the labels {found}",
                f"Say {arg('scores', 'NAME')}; the columns are {_list_names(columns)}.",
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
    raise InputError(
        f"{source} has no column {name!r}", remedy=f"{hint}Its columns are {_list_names(known)}."
    )


def _list_names(columns: Sequence[str], most: int = 8) -> str:
    names = ", ".join(shorten(name) for name in columns[:most])
    return names if len(columns) <= most else f"{names}, ... ({len(columns) - most} more)"

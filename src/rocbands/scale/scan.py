"""What all parts of a source share while its rows are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event, Lock
from typing import TypeAlias

import numpy as np

from rocbands.core.weights import usable_weights
from rocbands.io.cells import MOST_LABELS, CellError, Chunk, Codes
from rocbands.io.columns import Choice, Wanted
from rocbands.io.files import Progress
from rocbands.scale.accumulator import CodedRows
from rocbands.scale.classes import group_text

__all__ = ["Part", "Scan"]

# A source is read in parts, such as files or row groups, by several threads. Calling a part opens
# it, and yields its rows in chunks.
Part: TypeAlias = Callable[[], Iterator[Chunk]]


class Scan:
    """The columns of a source, and the labels and groups that have occurred in any of its parts.

    Parameters
    ----------
    wanted : Wanted
        The columns asked for.
    progress : callable, optional
        Called with the bytes read, and the bytes in all where known.

    Attributes
    ----------
    labels, groups : Codes
        The labels and groups that have occurred.
    choice : Choice or None
        The columns, as soon as they are known.
    known : Event
        Set when the columns are known, or never will be.
    total : int or None
        The bytes in all.
    """

    def __init__(self, wanted: Wanted, progress: Progress | None = None) -> None:
        self.wanted = wanted
        self.labels = Codes(wanted.label or "label", MOST_LABELS)
        self.groups = Codes(next(iter(wanted.keys), "group"))
        self.choice: Choice | None = None
        self.known = Event()
        self.total: int | None = None
        self._progress = progress
        self._done = 0
        self._lock = Lock()

    def choose(
        self, source: str, columns: Sequence[str], is_number: Callable[[str], bool]
    ) -> Choice:
        """Choose the columns of one more part; all parts must have those of the first."""
        wanted = replace(self.settle(), source=source)
        return self.adopt(wanted.choose(columns, is_number))

    def adopt(self, choice: Choice) -> Choice:
        """Use the columns that were chosen."""
        self.choice = choice
        self.labels.column = choice.label
        self.known.set()
        return choice

    def settle(self) -> Wanted:
        """Ask for the columns that the first part was found to have."""
        return self.wanted if self.choice is None else self.wanted.settle(self.choice)

    def encode(self, chunk: Chunk) -> CodedRows:
        """Return the rows of a chunk with codes that are the same in all parts."""
        assert self.choice is not None
        groups = None
        try:
            for name, scores in chunk.scores.items():
                if scores.dtype == np.uint64 and scores.size and scores.max() >= 2**63:
                    row = int(np.argmax(scores >= 2**63))
                    raise CellError(
                        row,
                        f"column {name!r} must hold whole numbers below 2**63",
                        f"found {scores[row]}",
                        "Convert it to floats first.",
                    )
            labels = self.labels.encode(*chunk.labels[self.choice.label])
            for name in self.choice.keys:
                values, rows = chunk.labels[name]
                groups = self.groups.encode(map(group_text, values), rows)
        except CellError as bad:
            raise bad.at(chunk.place(bad.row)) from None
        columns, column = dict(chunk.scores), self.choice.weights
        if column is None:
            return CodedRows(labels, groups, columns)
        weights = columns.pop(column).astype(np.float64)
        good = usable_weights(weights)
        if not good.all():
            row = int(np.argmin(good))
            raise CellError(
                row,
                f"column {column!r} must hold weights above 0",
                f"found {weights[row]!s}",
                "Leave out rows of weight 0.",
            ).at(chunk.place(row))
        return CodedRows(labels, groups, columns, weights)

    def report(self, size: int) -> None:
        """Report bytes that have been read."""
        if self._progress is not None:
            with self._lock:
                self._done += size
                self._progress(self._done, self.total)

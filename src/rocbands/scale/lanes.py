"""What lanes are, and what all lanes of one source share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event, Lock
from typing import TypeAlias

from rocbands.io.columns import Choice, Wanted
from rocbands.io.files import Progress
from rocbands.scale.labels import Codes
from rocbands.scale.tally import Chunk

__all__ = ["Count", "Lane", "Left", "Reading"]

Count: TypeAlias = Callable[[Chunk], None]
Lane: TypeAlias = Callable[[Count], None]


class Left(Exception):  # noqa: N818
    """Nobody wants the rows any more: raised where they would be handed over."""


@dataclass
class Reading:
    """What all lanes of a source share.

    Attributes
    ----------
    wanted : Wanted
        The columns asked for.
    labels, groups : Codes
        The labels and groups seen so far.
    progress : callable, optional
        Told the bytes read, and the bytes in all where known.
    """

    wanted: Wanted
    labels: Codes
    groups: Codes
    progress: Progress | None = None
    total: int | None = None
    choice: Choice | None = None
    ready: Event = field(default_factory=Event)  # set when the choice is made, or never will be
    _done: int = 0
    _lock: Lock = field(default_factory=Lock)

    def chosen(
        self, source: str, columns: Sequence[str], is_number: Callable[[str], bool]
    ) -> Choice:
        """Choose the columns of one more file; all files must have those of the first."""
        wanted = replace(self.wanted, source=source)
        if self.choice is not None:
            label, scores, keys = self.choice.label, self.choice.scores, self.choice.keys
            wanted = replace(wanted, label=label, scores=scores, keys=keys)
        return self.choose(wanted.choose(columns, is_number))

    def choose(self, choice: Choice) -> Choice:
        """Take notice of the columns that were chosen."""
        self.choice = choice
        self.labels.column = choice.label
        self.ready.set()
        return choice

    def passed(self, size: int) -> None:
        """Take notice of bytes that have been read."""
        if self.progress is not None:
            with self._lock:
                self._done += size
                self.progress(self._done, self.total)

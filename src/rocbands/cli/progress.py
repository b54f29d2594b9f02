"""A bar on the terminal while a long file is read."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["ReadingBar"]

_PATIENCE = 0.5  # seconds; what takes less needs no bar


class ReadingBar:
    """Shows how much of a file has been read, if that takes long and somebody is watching.

    Parameters
    ----------
    title : str
        What is being read.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = time.monotonic()
        self._watched = sys.stderr.isatty()
        self._bar: Progress | None = None

    def __enter__(self) -> ReadingBar:
        return self

    def __call__(self, done: int, total: int | None) -> None:
        """Take notice of the bytes read and the bytes in all."""
        if not self._watched or time.monotonic() - self._begin < _PATIENCE:
            return
        if self._bar is None:
            self._bar = _start(self._title, total)
        self._bar.update(self._bar.task_ids[0], completed=done)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _start(title: str, total: int | None) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task(f"Reading {title}", total=total)
    bar.start()
    return bar

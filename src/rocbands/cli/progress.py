"""Bars on the terminal while a long file is read, or a long study runs."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli.pages import is_plain

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["ReadingBar", "ReportBar", "StudyBar", "working"]

_PATIENCE = 0.5  # seconds; what takes less needs no bar
_PAUSE = 30.0  # seconds between lines where nobody watches a bar, as in a log


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show that work goes on, if it takes long and somebody is watching."""
    if is_plain(sys.stderr):
        yield
        return
    from threading import Timer

    started: list[Progress] = []
    timer = Timer(_PATIENCE, lambda: started.append(_spinner(title)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for bar in started:
            bar.stop()


def _spinner(title: str) -> Progress:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(title, total=None)
    bar.start()
    return bar


class _Bar(ABC):
    """Shows how much is done, if that takes long and somebody is watching."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = time.monotonic()
        self._watched = not is_plain(sys.stderr)
        self._bar: Progress | None = None

    def __enter__(self) -> Any:
        return self

    def __call__(self, done: int, total: int | None) -> None:
        """Take notice of what is done, and of what there is to do in all."""
        if not self._watched or time.monotonic() - self._begin < _PATIENCE:
            return
        if self._bar is None:
            self._bar = self._start(total)
        self._bar.update(self._bar.task_ids[0], completed=done)

    def _start(self, total: int | None) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            self._count(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task(self._title, total=total)
        bar.start()
        return bar

    @abstractmethod
    def _count(self) -> Any:
        """Column that shows the numbers."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class ReadingBar(_Bar):
    """Shows how much of a file has been read; called with bytes.

    Parameters
    ----------
    title : str
        What is being read.
    """

    def __init__(self, title: str) -> None:
        super().__init__(f"Reading {title}")

    def _count(self) -> Any:
        from rich.progress import DownloadColumn

        return DownloadColumn()


class StudyBar(_Bar):
    """Shows how much of a study is measured; called with blocks.

    Where no terminal shows a bar, a plain line now and then tells how long it may still take.

    Parameters
    ----------
    title : str
        What is being measured.
    """

    def __init__(self, title: str) -> None:
        super().__init__(f"Measuring {title}")
        self._said = self._begin
        self._first: int | None = None

    def __call__(self, done: int, total: int | None) -> None:
        """Take notice of finished blocks."""
        super().__call__(done, total)
        now = time.monotonic()
        if self._first is None:
            self._first = done  # what an earlier run left says nothing about the speed of this one
        if self._watched or not total or now - self._said < _PAUSE or done <= self._first:
            return
        self._said = now
        left = (now - self._begin) * (total - done) / (done - self._first)
        click.echo(f"{self._title}: {done} of {total} blocks, about {left:.0f} s left", err=True)

    def _count(self) -> Any:
        from rich.progress import MofNCompleteColumn

        return MofNCompleteColumn()


class ReportBar(_Bar):
    """Shows how much of a report is done; called with parts."""

    def __init__(self) -> None:
        super().__init__("Making the report")

    def _count(self) -> Any:
        from rich.progress import MofNCompleteColumn

        return MofNCompleteColumn()

"""Bars on the terminal while a long file is read, or a long study runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli.layout import is_plain

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["ReadingBar", "ReportBar", "StudyBar", "working"]

_PATIENCE = 0.5  # seconds; what takes less needs no bar
_PAUSE = 30.0  # seconds between lines where nobody watches a bar, as in a log


def _start_bar(title: str, total: int | None, *columns: str) -> Progress:
    """Show a bar with these columns of `rich.progress`."""
    from rich import progress
    from rich.console import Console

    shown: list[Any] = [progress.TextColumn("{task.description}", markup=False)]
    shown += [getattr(progress, column)() for column in columns]
    bar = progress.Progress(*shown, console=Console(stderr=True), transient=True)
    bar.add_task(title, total=total)
    bar.start()
    return bar


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show that work goes on, if it takes long and somebody is watching."""
    if is_plain(sys.stderr):
        yield
        return
    from threading import Timer

    started: list[Progress] = []
    columns = ("SpinnerColumn", "TimeElapsedColumn")
    timer = Timer(_PATIENCE, lambda: started.append(_start_bar(title, None, *columns)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for bar in started:
            bar.stop()


class _Bar:
    """Shows how much is done, if that takes long and somebody is watching."""

    numbers = "MofNCompleteColumn"

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
            columns = ("BarColumn", self.numbers, "TimeRemainingColumn")
            self._bar = _start_bar(self._title, total, *columns)
        self._bar.update(self._bar.task_ids[0], completed=done)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class ReadingBar(_Bar):
    """Shows how much of a file has been read; called with bytes."""

    numbers = "DownloadColumn"

    def __init__(self, title: str) -> None:
        super().__init__(f"Reading {title}")


class ReportBar(_Bar):
    """Shows how much of a report is done; called with parts."""

    def __init__(self) -> None:
        super().__init__("Making the report")


class StudyBar(_Bar):
    """Shows how much of a study is measured; called with blocks.

    Where no terminal shows a bar, a plain line now and then tells how long it may still take.
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

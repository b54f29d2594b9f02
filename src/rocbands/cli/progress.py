"""Progress bars and spinners on standard error, for long work in a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli.messages import is_quiet

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 0.5  # seconds; what takes less needs no bar
_PAUSE = 30.0  # seconds between lines of a log


def is_plain(stream: Any) -> bool:
    """Tell whether a stream wants plain text: no colours, no bars."""
    return stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb"


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
    """Show a spinner, for work whose length is not known."""
    if is_plain(sys.stderr) or is_quiet():
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


class Bar:
    """A progress bar: a context manager, called with the work done and the total.

    `unit` is the column of `rich.progress` that shows both. With `logged`, where no terminal shows
    a bar, a line now and then tells how long the work may still take.
    """

    def __init__(
        self, title: str, *, unit: str = "MofNCompleteColumn", logged: bool = False
    ) -> None:
        self._title = title
        self._unit = unit
        self._begin = self._said = time.monotonic()
        self._watched = not is_plain(sys.stderr) and not is_quiet()
        self._logged = logged and not self._watched and not is_quiet()
        self._first: int | None = None
        self._bar: Progress | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int | None) -> None:
        """Show what is done."""
        now = time.monotonic()
        if self._logged:
            self._log(done, total, now)
        if not self._watched or now - self._begin < _PATIENCE:
            return
        if self._bar is None:
            columns = ("BarColumn", self._unit, "TimeRemainingColumn")
            self._bar = _start_bar(self._title, total, *columns)
        self._bar.update(self._bar.task_ids[0], completed=done)

    def _log(self, done: int, total: int | None, now: float) -> None:
        if self._first is None:
            self._first = done  # work of an earlier run does not count for the speed
        if not total or now - self._said < _PAUSE or done <= self._first:
            return
        self._said = now
        left = (now - self._begin) * (total - done) / (done - self._first)
        click.echo(f"{self._title}: {done} of {total} blocks, about {left:.0f} s left", err=True)


def reading_bar(name: str) -> Bar:
    """Return the bar of a file that is read; it is called with bytes."""
    return Bar(f"Reading {name}", unit="DownloadColumn")

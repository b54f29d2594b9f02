"""Progress of calls that take long, for people who watch: terminals and notebooks."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

from rocbands.errors import InputError

T = TypeVar("T")
Progress: TypeAlias = Callable[[int, int | None], None]  # called with what is done, and with all

PATIENCE = 2.0  # seconds that a call may take without a word
PAUSE = 0.2  # seconds between two words
SETTING = "ROCBANDS_PROGRESS"

_silent: ContextVar[bool] = ContextVar("_silent", default=False)


def is_watched() -> bool:
    """Tell whether somebody watches standard error: a terminal or a notebook, and no setting."""
    if _silent.get() or os.environ.get(SETTING, "").casefold() in ("0", "no", "false", "off"):
        return False
    return "ipykernel" in sys.modules or sys.stderr.isatty()


@contextmanager
def silence() -> Iterator[None]:
    """Say nothing inside: somebody else tells how far things are."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


class Line:
    """One line on standard error, written again and again, and wiped out at the end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = self._said = time.monotonic()
        self._width = 0

    def __call__(self, done: int, total: int | None) -> None:
        """Write how much is done, once the call has taken two seconds."""
        now = time.monotonic()
        if now - self._begin < PATIENCE or now - self._said < PAUSE:
            return
        self._said = now
        share = f" {100 * done // total}%" if total else ""
        text = f"{self._title}{share}, {now - self._begin:.0f} s"
        sys.stderr.write(f"\r{text.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        """Wipe the line out."""
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()


def follow(parts: Iterable[T], total: int, title: str = "Drawing resamples") -> Iterator[T]:
    """Hand on the parts, and tell those who watch how many of them there were so far."""
    # Of calls in many threads at once the lines would run over each other.
    if threading.current_thread() is not threading.main_thread() or not is_watched():
        yield from parts
        return
    line = Line(title)
    try:
        for done, part in enumerate(parts):
            line(done, total)
            yield part
    finally:
        line.close()


@contextmanager
def show_progress(progress: Any, title: str) -> Iterator[Progress]:
    """Turn the argument `progress` into what is called: one's own function, a line, or nothing.

    Calls inside say nothing of their own.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise InputError(
            "must be True, False or a function of two numbers",
            f"got {progress!r}",
            "Leave it out to see progress where somebody watches.",
            argument="progress",
        )
    line = None
    if progress is True or (progress is None and is_watched()):
        progress = line = Line(title)
    with silence():
        try:
            yield progress if callable(progress) else lambda done, total: None
        finally:
            if line is not None:
                line.close()

"""Long calls: their progress and memory.

Without NumPy, so that the command line can ask before it loads.
"""

from __future__ import annotations

import math
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
Progress: TypeAlias = Callable[[int, int | None], None]  # called with done and total

PATIENCE = 2.0  # seconds before progress is shown
PAUSE = 0.2  # seconds between two updates
SETTING = "ROCBANDS_PROGRESS"

_silent: ContextVar[bool] = ContextVar("_silent", default=False)


def is_watched() -> bool:
    """Tell whether to show progress: in a terminal or notebook, unless disabled."""
    if _silent.get() or os.environ.get(SETTING, "").casefold() in ("0", "no", "false", "off"):
        return False
    return "ipykernel" in sys.modules or sys.stderr.isatty()


@contextmanager
def silence() -> Iterator[None]:
    """Disable progress inside the context: the caller shows its own."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


class Line:
    """One line on standard error, overwritten at each update and erased at the end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = self._said = time.monotonic()
        self._width = 0

    def __call__(self, done: int, total: int | None) -> None:
        """Show the fraction done, once the call has taken two seconds."""
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
        """Erase the line."""
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()


def follow(parts: Iterable[T], total: int, title: str = "Drawing resamples") -> Iterator[T]:
    """Yield the parts, and show how many of them are done."""
    # With calls in several threads at once the lines would overwrite each other.
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
    """Turn the argument `progress` into a callable: the user's function, a line, or nothing.

    Calls inside show no progress of their own.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise InputError(
            "must be True, False or a function of two numbers",
            f"got {progress!r}",
            "Leave it out to see progress in terminals and notebooks.",
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


def limit_of_memory() -> float:
    """Return the bytes of address space that this process may take; infinite without a limit.

    Batch systems and `ulimit -v` set such a limit.
    """
    try:
        import resource
    except ImportError:  # not on this system
        return math.inf
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if soft == resource.RLIM_INFINITY else soft

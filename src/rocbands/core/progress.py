"""Long calls: their progress, jobs on an executor, and memory.

Without NumPy, so that the command line can ask before it loads.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
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


# ------------------------------------------------------------------------------ jobs on an executor


_Place = TypeVar("_Place")
_Job = TypeVar("_Job")
_Found = TypeVar("_Found")


def submit_jobs(
    work: Callable[[_Job], _Found],
    jobs: Mapping[_Place, _Job],
    executor: Executor,
    ahead: int,
    *,
    cancel: bool = True,
) -> Iterator[tuple[_Place, _Found]]:
    """Yield results in the order of completion, each with the key of its job.

    When a job fails, or the caller stops, pending jobs are cancelled. `ahead`: the largest number
    of submitted jobs. `cancel`: False leaves pending jobs to the executor's `shutdown`; a pool
    whose processes are killed raises InvalidStateError where its jobs were cancelled.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as threads:
    ...     sorted(run_jobs(len, {"a": "one", "b": "three"}, threads, 1))
    [('a', 3), ('b', 5)]
    """
    waiting = iter(list(jobs.items()))
    running: dict[Future[_Found], _Place] = {}
    try:
        while True:
            for place, job in islice(waiting, ahead - len(running)):
                running[executor.submit(work, job)] = place
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                place = running.pop(future)
                yield place, future.result()
    finally:
        for future in running if cancel else ():
            future.cancel()


# ------------------------------------------------------------------------------------------ memory


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

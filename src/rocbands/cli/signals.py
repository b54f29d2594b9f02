"""Signals that end a command: it cleans up, and its exit code is 128 plus the signal's number."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

__all__ = ["end_on_signals"]

_PAUSE = 0.02  # seconds until a signal that came during an import is sent again; then twice as long
_LONGEST = 0.5  # but no longer: on a busy machine each try costs the import some time
_PATIENCE = 15.0  # seconds after which it is taken anyway: an import on a busy machine


@contextmanager
def end_on_signals() -> Iterator[None]:
    """Let requests to end, from the terminal or a batch system, raise an exception that cleans up.

    Not in the middle of an import, though: extension modules turn the exception into errors of
    their own, and leave half a module behind. Such a signal is sent again a moment later. Whatever
    error comes of the exception in the end, the exit code is the signal's.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner, tries, since, ended = os.getpid(), 0, 0.0, 0

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal tries, since, ended
        since = since or time.monotonic()
        if os.getpid() != owner:  # a worker that was forked has nothing to clean up
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        elif _is_importing(frame) and time.monotonic() - since < _PATIENCE:
            pause = min(_PAUSE * 2**tries, _LONGEST)
            tries += 1
            again = threading.Timer(pause, os.kill, (owner, number))
            again.daemon = True
            again.start()
        else:
            ended = number
            leave(number)

    def leave(number: int) -> NoReturn:
        if number == signal.SIGINT:
            raise KeyboardInterrupt from None
        raise SystemExit(128 + number) from None

    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, end)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, end)
    try:
        yield
    except BaseException:
        if ended:
            leave(ended)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False

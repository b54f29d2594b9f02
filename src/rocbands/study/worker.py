"""What a worker does: it measures a job. It imports little, so that a new process starts fast."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any

from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands.study.spec import Job
    from rocbands.study.store import Record

__all__ = ["alone", "children_alone", "follow_parent", "measure"]

_THREADS = ("ROCBANDS_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def alone() -> None:
    """Use one thread: the other cores have workers of their own."""
    os.environ.update(dict.fromkeys(_THREADS, "1"))


@contextmanager
def children_alone() -> Iterator[None]:
    """Let processes that are started meanwhile use one thread.

    NumPy's BLAS asks for it when it is loaded, and that is before any initializer can be called:
    to find the initializer, a new process imports this package.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    alone()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def follow_parent() -> None:
    """Leave interruptions to the process that hands out the work, and end when it ends.

    A worker whose parent was killed would wait for ever: it holds both ends of its own queue.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def measure(job: Job) -> list[Record]:
    """Measure all replicates of a job; one record for each of its cells."""
    from rocbands.study.spec import Block
    from rocbands.study.store import Record, Sums
    from rocbands.study.streams import Streams

    keys = [(cell, cell.source_key, cell.key) for cell in job.cells]
    found: list[list[Mapping[str, Any]]] = [[] for _ in keys]
    spent = [0.0] * len(keys)
    for replicate in range(job.start, job.stop):
        memory: dict[str, Any] = {}
        for place, (cell, source, key) in enumerate(keys):
            begun = time.perf_counter()
            found[place].append(cell.measure(Streams(job.seed, source, key, replicate, memory)))
            spent[place] += time.perf_counter() - begun
    return [
        Record(
            Block(key, job.start, job.stop),
            Sums(job.stop - job.start, _sums(rows, 1), _sums(rows, 2)),
            seconds,
        )
        for (_, _, key), rows, seconds in zip(keys, found, spent, strict=True)
    ]


def _sums(rows: Sequence[Mapping[str, Any]], power: int) -> dict[str, Any]:
    """Add up replicates, correctly rounded, so that their order does not matter."""
    return {name: _sum(name, [row[name] for row in rows], power) for name in rows[0]}


def _sum(name: str, values: Sequence[Any], power: int) -> Any:
    if hasattr(values[0], "__len__"):
        return [_sum(name, column, power) for column in zip(*values, strict=True)]
    numbers = [float(value) for value in values]
    if not all(map(math.isfinite, numbers)):
        raise InputError(
            f"A cell must measure finite numbers; {name!r} was NaN or infinite. Return a number "
            "that can stand for it, and count such replicates by a share of their own."
        )
    return math.fsum(number**power for number in numbers)

"""Running a study: in this process, in worker processes, or by an executor."""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, current_process, get_context, parent_process
from pathlib import Path
from typing import Any

from rocbands.errors import InputError, Message, RocBandsError, arg
from rocbands_studies.executors import submit_jobs
from rocbands_studies.results import StudyResult
from rocbands_studies.spec import Block, Job, Study
from rocbands_studies.store import LARGEST, Record, Store, Sums
from rocbands_studies.streams import Streams

_THREADS = ("ROCBANDS_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@contextmanager
def limit_children() -> Iterator[None]:
    """Limit processes started meanwhile to one thread: all cores have workers.

    NumPy's BLAS reads the variables when it is loaded, which is before an initializer can run: to
    find the initializer, a new process imports this package.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name in _THREADS:
            os.environ.pop(name, None)
        os.environ.update({name: value for name, value in before.items() if value is not None})


def follow_parent() -> None:
    """Leave interrupts to the parent process, and end when it ends.

    A worker whose parent was killed would wait forever: it holds both ends of its own queue.
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
    keys = [(cell, cell.source_key, cell.key) for cell in job.cells]
    found: list[list[Mapping[str, Any]]] = [[] for _ in keys]
    spent = [0.0] * len(keys)
    for replicate in range(job.start, job.stop):
        memory: dict[str, Any] = {}  # data that the cells of this replicate share
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
    """Sum over replicates, correctly rounded (fsum), so that their order does not matter."""
    return {name: _sum(name, [row[name] for row in rows], power) for name in rows[0]}


def _sum(name: str, values: Sequence[Any], power: int) -> Any:
    if hasattr(values[0], "__len__"):
        return [_sum(name, column, power) for column in zip(*values, strict=True)]
    numbers = [float(value) for value in values]
    if not all(abs(number) <= LARGEST for number in numbers):
        raise InputError(
            f"A cell must measure finite numbers up to {LARGEST:g}; {name!r} was NaN, infinite or "
            "larger. Return a finite number instead, and count these replicates by a share of "
            "their own."
        )
    return math.fsum(number**power for number in numbers)


Progress = Callable[[int, int], None]

_AHEAD = 3  # jobs under way for each worker: enough to keep it busy, few enough to stop soon
_DEATHS = 5  # of workers, after which a run stops


def run(
    study: Study,
    *,
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> StudyResult:
    """Measure what is not yet in the store, and return all figures.

    Parameters
    ----------
    study : Study
        What to measure.
    workers : int, optional
        Processes on this machine; by default one for each core. 1 works in this process.
    store : path, optional
        File of finished blocks. A run that was stopped, even by a power failure, continues from
        there and ends with the same numbers. By default nothing is kept.
    executor : concurrent.futures.Executor, optional
        Used instead of local processes, such as `get_executor()` of a Dask client.
    progress : callable, optional
        Called with the numbers of finished and of all blocks.

    Returns
    -------
    StudyResult
        A row for each cell, the same for any number of workers.

    Examples
    --------
    >>> import rocbands as rb
    >>> import rocbands_studies as study
    >>> cell = study.TrueCurve(study.Binormal(2.0), study.RandomClasses(50), rb.bands.JointRegion())
    >>> found = study.run(study.Study("a look", [cell], replicates=20), workers=1)
    >>> found.figure(cell, "holds").value
    1.0
    """
    kept = Store(None if store is None else Path(store), study.seed)
    jobs = study.jobs(kept.done)
    total = sum(1 for _ in study.blocks())
    left = sum(len(job.cells) for job in jobs)
    tell = progress or (lambda done, total: None)
    tell(total - left, total)
    if jobs:
        with kept.writing():
            for record in _measure_jobs(jobs, workers, executor):
                kept.add(record)
                left -= 1
                tell(total - left, total)
    return StudyResult.of(study, kept)


def _measure_jobs(
    jobs: list[Job], workers: int | None, executor: Executor | None
) -> Iterator[Record]:
    if workers is not None and workers < 1:
        raise InputError(Message("{} must be at least 1; got {}.", arg("workers"), workers))
    count = workers or os.cpu_count() or 1
    if executor is not None:
        for _, records in submit_jobs(
            measure, dict(enumerate(jobs)), executor, max(_AHEAD * count, 32)
        ):
            yield from records
    elif count == 1 or len(jobs) == 1:
        for job in jobs:
            yield from measure(job)
    else:
        yield from _measure_in_processes(jobs, count)


def _measure_in_processes(jobs: list[Job], count: int) -> Iterator[Record]:
    """Work in processes on this machine; if one is killed, the work of the others is kept."""
    _check_can_start(jobs)
    left = dict(enumerate(jobs))
    others = set(active_children())
    for attempt in range(_DEATHS):
        # Spawned, not forked: a child must start with one thread and without our locks.
        pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=follow_parent)
        try:
            with limit_children():
                for place, records in submit_jobs(
                    measure, left, pool, _AHEAD * count, cancel=False
                ):
                    del left[place]
                    yield from records
        except BrokenProcessPool:
            if attempt and len(left) == len(jobs):
                break
            continue
        except BaseException:  # an interrupt, or a full disk: running jobs are not waited for
            for worker in set(active_children()) - others:
                worker.terminate()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return
    if len(left) == len(jobs):
        said = Message(
            "Worker processes end before they have measured anything. They import the script "
            "that starts them: in a script, call run() below `if __name__ == '__main__':`. There "
            "may also be too little memory. With {} no process is started.",
            arg("workers", 1),
        )
        raise RocBandsError(str(said))
    raise RocBandsError(
        f"A worker process was killed {_DEATHS} times; the last {len(left)} jobs are not measured. "
        "There may be too little memory: run again with fewer workers; finished blocks are kept."
    )


def _check_can_start(jobs: list[Job]) -> None:
    """Refuse to start processes that could not do the work."""
    if getattr(current_process(), "_inheriting", False):
        # A worker that imports a script without a guard; the parent process explains the error.
        raise SystemExit(1)
    main = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is not None:
        return
    file = getattr(main, "__file__", None)
    # A program read from standard input has a file name, but no file that workers could import.
    missing = file is not None and not Path(file).exists()
    if missing or (file is None and b"__main__" in pickle.dumps([job.cells for job in jobs])):
        raise InputError(
            Message(
                "Workers are new processes, and these cannot know what was defined in a notebook, "
                "at a prompt or in a program that is no file. Move your cells, distributions and "
                "methods to a module and import them from there, or pass {}.",
                arg("workers", 1),
            )
        )

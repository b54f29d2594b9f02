"""Jobs on an executor: threads, processes or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice
from typing import TypeVar

_Place = TypeVar("_Place")
_Job = TypeVar("_Job")
_Found = TypeVar("_Found")


def run_jobs(
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

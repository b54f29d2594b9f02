"""Work handed to an executor: threads, processes or a cluster."""

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
    """Yield what is finished, in any order, with a bounded number of jobs under way.

    When one of them fails, or whoever listens stops, those not yet begun are called off.

    `work`: does one job. `jobs`: what is to be done, each with a place that it is known by.
    `executor`: who does it. `ahead`: how many jobs may be under way. `cancel`: call off jobs that
    are not begun when one fails. False leaves that to the executor's `shutdown`: where its
    processes are killed, a pool whose jobs were called off behind its back ends with an error of
    its own (InvalidStateError).
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

"""Parts of a report, several at a time where there are many rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from queue import SimpleQueue
from threading import Event
from typing import Any, TypeAlias

from rocbands.core.progress import Progress
from rocbands.errors import collect_warnings, warn
from rocbands.reporting.request import ReportRequest
from rocbands.resample.streams import MANY, count_threads

Job: TypeAlias = Callable[[ReportRequest], Any]


def run_jobs(request: ReportRequest, jobs: Sequence[Job], progress: Progress) -> list[Any]:
    """Return the results of the jobs in order, with their omissions and warnings in the same order.

    The last jobs are started first. `progress` is called in this thread.
    """
    threads = min(count_threads(), len(jobs)) if sum(request.sizes) >= MANY else 1
    if threads == 1:
        found = []
        for done, job in enumerate(jobs):
            progress(done, len(jobs))
            found.append(job(request))
        return found
    ended: SimpleQueue[None] = SimpleQueue()
    stopped = Event()

    def run(job: Job, own: ReportRequest) -> tuple[Any, list[str]]:
        try:
            with collect_warnings() as said:
                return None if stopped.is_set() else job(own), said
        finally:
            ended.put(None)

    forks = [request.fork() for _ in jobs]
    pool = ThreadPoolExecutor(threads)
    try:
        futures = [
            pool.submit(copy_context().run, run, job, own)
            for job, own in reversed(list(zip(jobs, forks, strict=True)))
        ]
        for done in range(len(jobs)):
            progress(done, len(jobs))
            ended.get()
        found = []
        for future, own in zip(reversed(futures), forks, strict=True):
            part, said = future.result()
            found.append(part)
            request.omitted.extend(own.omitted)
            for text in said:
                warn(text)
        return found
    finally:  # an interrupt waits for the jobs under way, not for all of them
        stopped.set()
        pool.shutdown(cancel_futures=True)

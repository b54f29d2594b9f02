"""Jobs on an executor: threads, processes or a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, InvalidStateError, wait
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from rocbands.errors import InputError, RocBandsError, say_install

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
    ...     sorted(submit_jobs(len, {"a": "one", "b": "three"}, threads, 1))
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


_PATIENCE = "10s"
_RETRIES = 3  # a job whose worker fails is repeated by another


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Connect to a Dask scheduler; return an executor that uses its workers.

    When a worker dies, Dask gives its jobs to others. Workers must have this package installed.
    """
    try:
        import distributed
    except ModuleNotFoundError as problem:
        raise InputError(
            "Work on a Dask cluster needs the package distributed",
            remedy=f"Install it with: {say_install('dask')}",
        ) from problem
    connect: Any = distributed.Client
    try:
        client: Any = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"No Dask scheduler answers at {address!r}",
            remedy="Start one with 'dask scheduler', and pass the address that it prints.",
        ) from problem
    with client:
        try:
            yield _DaskExecutor(client)
        except distributed.KilledWorker as problem:
            raise RocBandsError(
                "Workers of the Dask cluster die again and again over the same piece of work. They "
                "may have too little memory: give them more, or let fewer threads work at a time."
            ) from problem


class _DaskExecutor(Executor):
    """Jobs of a Dask client.

    Its own ``get_executor()`` fails with a TypeError if a result is lost with its worker at the
    moment it is passed on; here it is waited for until Dask has computed it again.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        found: Future[Any] = Future()
        job = self._client.submit(fn, *args, pure=False, retries=_RETRIES, **kwargs)
        found.add_done_callback(lambda _: job.cancel() if found.cancelled() else None)
        job.add_done_callback(partial(_pass_on, found))
        return found


def _pass_on(found: Future[Any], job: Any) -> None:
    with suppress(InvalidStateError):  # cancelled meanwhile
        try:
            result = job.result()
        except BaseException as problem:
            found.set_exception(problem)
        else:
            found.set_result(result)

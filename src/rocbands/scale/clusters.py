"""A cluster as an executor, for whoever hands out work."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from rocbands.errors import InputError, RocBandsError

__all__ = ["dask_executor"]

_PATIENCE = "10s"
_RETRIES = 3  # a job may fail with its worker; it is then done by another


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Connect to a Dask scheduler; the executor hands work to its workers.

    When a worker dies, Dask gives its jobs to others. Workers must have this package installed.

    Parameters
    ----------
    address : str
        Of the scheduler, such as 'tcp://host:8786'.
    """
    try:
        import distributed
    except ImportError as problem:
        raise InputError(
            "Work on a Dask cluster needs the package distributed. "
            "Install it with: pip install 'rocbands[dask]'."
        ) from problem
    connect: Any = distributed.Client
    try:
        client: Any = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"No Dask scheduler answers at {address!r}. Start one with 'dask scheduler', and pass "
            "the address that it prints."
        ) from problem
    with client:
        try:
            yield client.get_executor(pure=False, retries=_RETRIES)
        except distributed.KilledWorker as problem:
            raise RocBandsError(
                "Workers of the Dask cluster die again and again over the same piece of work. They "
                "may have too little memory: give them more, or let fewer threads work at a time."
            ) from problem

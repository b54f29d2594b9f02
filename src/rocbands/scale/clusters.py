"""Dask: a cluster as an executor, and data frames that are counted where their partitions are."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from rocbands.errors import InputError, RocBandsError
from rocbands.io.columns import Wanted
from rocbands.scale.accumulator import Accumulator
from rocbands.scale.frames import frame_parts
from rocbands.scale.scan import Scan
from rocbands.scale.shards import ShardCounts, add_shard, pack_shard

__all__ = ["count_dask_frame", "dask_executor", "is_dask_frame"]

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
            "Work on a Dask cluster needs the package distributed",
            remedy="Install it with: pip install 'rocbands[dask]'.",
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
            yield client.get_executor(pure=False, retries=_RETRIES)
        except distributed.KilledWorker as problem:
            raise RocBandsError(
                "Workers of the Dask cluster die again and again over the same piece of work. They "
                "may have too little memory: give them more, or let fewer threads work at a time."
            ) from problem


def is_dask_frame(source: object) -> bool:
    """Tell whether something is a data frame of Dask."""
    module = type(source).__module__
    return module.startswith(("dask.dataframe", "dask_expr")) and hasattr(source, "to_delayed")


def count_dask_frame(frame: Any, scan: Scan, exact: bool) -> Accumulator:
    """Let Dask count the partitions of a frame: on the cluster that it is connected to, if any.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The rows.
    scan : Scan
        The columns asked for; gets to know labels and groups.
    exact : bool
        Whether each score is counted by itself.
    """
    import dask

    engine: Any = dask
    if any(not isinstance(name, str) for name in frame.columns):
        frame = frame.rename(columns=str)
    kinds = {str(name): kind for name, kind in frame.dtypes.items()}
    names = [str(name) for name in frame.columns]
    choice = scan.choose("the Dask frame", names, lambda name: kinds[name].kind in "iuf")
    wanted = scan.settle()
    chosen = frame[choice.names]
    count = engine.delayed(_count_partition, pure=True)
    parts = engine.compute(*(count(part, wanted, exact) for part in chosen.to_delayed()))
    accumulator = Accumulator(exact)
    for part in parts:
        add_shard(accumulator, scan, part)
    return accumulator


def _count_partition(rows: Any, wanted: Wanted, exact: bool) -> ShardCounts:
    scan, accumulator = Scan(wanted), Accumulator(exact)
    for part in frame_parts(rows, scan):
        for chunk in part():
            accumulator.add(scan.encode(chunk))
    return pack_shard(accumulator, scan)

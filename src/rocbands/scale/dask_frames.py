"""Dask data frames: each partition is counted where it is, and only counts come here."""

from __future__ import annotations

from typing import Any

from rocbands.io.columns import Wanted
from rocbands.scale.frames import rows_of
from rocbands.scale.lanes import Reading
from rocbands.scale.shards import ShardCounts, add_shard, fresh_reading, settled, shard_counts
from rocbands.scale.tally import Tally

__all__ = ["dask_tally", "is_dask_frame"]


def is_dask_frame(source: object) -> bool:
    """Tell whether something is a data frame of Dask."""
    module = type(source).__module__
    return module.startswith(("dask.dataframe", "dask_expr")) and hasattr(source, "to_delayed")


def dask_tally(frame: Any, reading: Reading, exact: bool) -> Tally:
    """Let Dask count the partitions of a frame: on the cluster that it is connected to, if any.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The rows.
    reading : Reading
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
    reading.chosen("the Dask frame", names, lambda name: kinds[name].kind in "iuf")
    wanted = settled(reading)
    chosen = frame[[wanted.label, *wanted.keys, *wanted.scores]]
    count = engine.delayed(_count_partition, pure=True)
    parts = engine.compute(*(count(part, wanted, exact) for part in chosen.to_delayed()))
    tally = Tally(exact)
    for part in parts:
        add_shard(tally, reading, part)
    return tally


def _count_partition(rows: Any, wanted: Wanted, exact: bool) -> ShardCounts:
    reading, tally = fresh_reading(wanted), Tally(exact)
    for lane in rows_of(rows, reading):
        lane(tally.add)
    return shard_counts(tally, reading)

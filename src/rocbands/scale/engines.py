"""Which engine counts the rows of a source, if not this process."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

from rocbands.errors import InputError
from rocbands.scale.dask_frames import dask_tally, is_dask_frame
from rocbands.scale.lanes import Reading
from rocbands.scale.shards import counted_by
from rocbands.scale.spark import is_spark_frame, spark_tally
from rocbands.scale.tally import Tally

__all__ = ["counted_elsewhere"]


def counted_elsewhere(
    source: Any,
    files: Sequence[str] | None,
    reading: Reading,
    exact: bool,
    executor: Executor | None,
) -> Tally | None:
    """Count where the rows are, or where an executor counts them; None if that is here.

    Parameters
    ----------
    source : object
        Where the rows are.
    files : sequence of str or None
        The files that `source` stands for, if it does.
    reading : Reading
        The columns asked for; gets to know labels and groups.
    exact : bool
        Whether each score is counted by itself.
    executor : concurrent.futures.Executor or None
        Who counts files.
    """
    if executor is not None:
        if files is None:
            raise InputError(
                "An executor counts files; `source` must be a path or a list of paths, and is "
                f"{type(source).__name__}. Leave out `executor`, or write the rows to files."
            )
        return counted_by(executor, files, reading, exact)
    if is_spark_frame(source):
        return spark_tally(source, reading, exact)
    if is_dask_frame(source):
        return dask_tally(source, reading, exact)
    return None

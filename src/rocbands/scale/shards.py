"""Files counted in shards, each by whoever an executor finds: threads, processes, a cluster.

A shard is a whole file, or some groups of rows of a large Parquet file. A worker sends back what it
has counted and the labels that it met; which of them is positive is settled when all are known, so
that a shard may hold one class only. The first shard goes ahead alone: it settles the columns for
all others, and whatever is wrong with them is told before a cluster is busy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray
from rocbands.core.executors import finished
from rocbands.errors import InputError
from rocbands.io.cells import CellError
from rocbands.io.columns import Choice, Wanted
from rocbands.scale.labels import Codes
from rocbands.scale.lanes import Reading
from rocbands.scale.sources import file_lanes
from rocbands.scale.tally import Tally

__all__ = [
    "Shard",
    "ShardCounts",
    "add_shard",
    "count_shard",
    "counted_by",
    "fresh_reading",
    "settled",
    "shard_counts",
]

_BYTES = 64 << 20  # of a shard, about: some seconds of work, little to do again
_AHEAD = 256  # shards under way


@dataclass(frozen=True)
class Shard:
    """A piece of work for one worker.

    Attributes
    ----------
    file : str
        Where the rows are, with the same path for all workers.
    lanes : tuple of (int, int or None)
        Which of the file's lanes are read: from the first, up to but without the second; to the
        last one if that is None.
    size : int
        Bytes of the file that it stands for.
    wanted : Wanted
        The columns asked for.
    exact : bool
        Whether each score is counted by itself.
    """

    file: str
    lanes: tuple[int, int | None]
    size: int
    wanted: Wanted
    exact: bool


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """What a worker sends back.

    Attributes
    ----------
    choice : Choice
        The columns that were read.
    labels, groups : list
        The different ones that occur, by code.
    cells : list of (str, int, int, ndarray, ndarray)
        Model, code of the group, code of the label, values in order, their counts.
    """

    choice: Choice
    labels: list[Any]
    groups: list[Any]
    cells: list[tuple[str, int, int, npt.NDArray[Any], CountArray]]


def count_shard(shard: Shard) -> ShardCounts:
    """Count the rows of one shard, in the thread that is asked to."""
    reading = fresh_reading(shard.wanted)
    tally = Tally(shard.exact)
    for lane in islice(file_lanes([shard.file], reading), *shard.lanes):
        lane(tally.add)
    return shard_counts(tally, reading)


def fresh_reading(wanted: Wanted) -> Reading:
    """Begin to read, with no label and no group met so far."""
    groups = Codes(next(iter(wanted.keys), "group"))
    return Reading(wanted, Codes.for_labels(wanted.label or "label"), groups)


def shard_counts(tally: Tally, reading: Reading) -> ShardCounts:
    """Pack what was counted for the way back."""
    if reading.choice is None:
        raise InputError(
            f"{reading.wanted.source} must hold rows; it holds none. Check the step that wrote it."
        )
    cells = [(*cell, *runs.total()) for cell, runs in tally.runs.items()]
    return ShardCounts(reading.choice, reading.labels.names, reading.groups.names, cells)


def add_shard(tally: Tally, reading: Reading, counts: ShardCounts) -> None:
    """Add what a worker has counted; its codes become ours."""
    reading.choose(counts.choice)
    try:
        labels = reading.labels.of(counts.labels)
    except CellError as bad:
        raise InputError(f"All shards together: {bad}") from None
    groups = reading.groups.of(counts.groups) if counts.groups else np.zeros(1, np.int32)
    for model, group, label, values, amounts in counts.cells:
        cell = (model, int(groups[group]), int(labels[label]))
        tally.put(cell, values, amounts)


def counted_by(executor: Executor, files: Sequence[str], reading: Reading, exact: bool) -> Tally:
    """Let an executor's workers count files.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Who does the work; its workers must see the files under the same paths.
    files : sequence of str
        The files.
    reading : Reading
        Gets to know columns, labels and groups.
    exact : bool
        Whether each score is counted by itself.
    """
    places = [_shared_path(file) for file in files]
    reading.total = sum(map(os.path.getsize, places))
    tally = Tally(exact)
    first, *others = _shards(places[:1], reading.wanted, exact)
    _gather(executor, [first], tally, reading)
    wanted = settled(reading)
    others = [replace(shard, wanted=wanted) for shard in others]
    _gather(executor, [*others, *_shards(places[1:], wanted, exact)], tally, reading)
    return tally


def settled(reading: Reading) -> Wanted:
    """Ask for the columns that the first shard was found to have."""
    choice = reading.choice
    if choice is None:
        return reading.wanted
    return replace(reading.wanted, label=choice.label, scores=choice.scores, keys=choice.keys)


def _gather(executor: Executor, shards: Sequence[Shard], tally: Tally, reading: Reading) -> None:
    for place, counts in finished(count_shard, dict(enumerate(shards)), executor, _AHEAD):
        add_shard(tally, reading, counts)
        reading.passed(shards[place].size)


def _shared_path(file: str) -> str:
    if not os.path.isfile(file):
        name = "stdin" if file == "-" else file
        raise InputError(
            f"Workers of an executor must be able to open what they count; {name} is no file. "
            "Write it to a file, or count it without an executor."
        )
    return os.path.abspath(file)


def _shards(files: Sequence[str], wanted: Wanted, exact: bool) -> Iterator[Shard]:
    for file in files:
        size = os.path.getsize(file)
        if size <= _BYTES:
            yield Shard(file, (0, None), size, wanted, exact)
            continue
        lanes = sum(1 for _ in file_lanes([file], fresh_reading(wanted)))
        pieces = min(lanes, -(-size // _BYTES))
        ends = [lanes * piece // pieces for piece in range(pieces + 1)]
        for begin, end in pairwise(ends):
            share = size * end // lanes - size * begin // lanes
            yield Shard(file, (begin, end), share, wanted, exact)

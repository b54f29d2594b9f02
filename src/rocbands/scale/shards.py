"""Files counted in shards by the workers of an executor: threads, processes, a cluster.

A shard is a whole file, or some groups of rows of a large Parquet file. A worker sends back what it
has counted and the labels that occurred; the positive label is determined when all are known, so
that a shard may contain one class only. The first shard is counted alone: it determines the columns
for all others, and errors in them are found before the cluster is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray
from rocbands.core.progress import submit_jobs
from rocbands.errors import InputError
from rocbands.io.columns import Choice, Wanted, locate, no_rows
from rocbands.scale.accumulator import Accumulator
from rocbands.scale.sources import Part, Scan, file_parts

_BYTES = 64 << 20  # of a shard, about: a few seconds of work, little to repeat after a failure
_AHEAD = 256  # shards under way


@dataclass(frozen=True)
class Shard:
    """A piece of work for one worker."""

    file: str  # where the rows are, with the same path for all workers
    # range of the file's parts to read, without the end; None means up to the last
    parts: tuple[int, int | None]
    size: int  # bytes of the file
    wanted: Wanted  # the columns asked for
    exact: bool  # whether each distinct score is counted


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """What a worker sends back."""

    choice: Choice  # the columns that were read
    labels: list[Any]  # the different ones that occur, by code
    by: list[Any]  # the different parts
    # model, code of the part, code of the label, values in order, their counts
    cells: list[tuple[str, int, int, npt.NDArray[Any], CountArray]]
    notes: list[str]  # how files were read


def count_shard(shard: Shard) -> ShardCounts:
    """Count the rows of one shard, in the calling thread."""
    scan = Scan(shard.wanted)
    parts = islice(file_parts([shard.file], scan), *shard.parts)
    return count_parts(parts, scan, shard.exact)


def count_parts(parts: Iterable[Part], scan: Scan, exact: bool) -> ShardCounts:
    """Count some parts of a source, and pack the counts to send back."""
    accumulator = Accumulator(exact)
    for part in parts:
        for chunk in part():
            accumulator.add(scan.encode(chunk))
    if scan.choice is None:
        raise no_rows(scan.wanted.source)
    cells = [(*cell, *counts.total()) for cell, counts in accumulator.runs.items()]
    return ShardCounts(scan.choice, scan.labels.values, scan.by.values, cells, list(scan.notes))


def add_shard(accumulator: Accumulator, scan: Scan, counts: ShardCounts) -> None:
    """Add a worker's counts, with its codes translated to ours."""
    scan.adopt(counts.choice)
    scan.notes |= dict.fromkeys(counts.notes)
    with locate(lambda row: "All shards together"):
        labels = scan.labels.extend(counts.labels)
    parts = scan.by.extend(counts.by) if counts.by else np.zeros(1, np.int32)
    for model, part, label, values, amounts in counts.cells:
        accumulator.put((model, int(parts[part]), int(labels[label])), values, amounts)


def count_shards(executor: Executor, files: Sequence[str], scan: Scan, exact: bool) -> Accumulator:
    """Let an executor's workers count files."""
    places = [_shared_path(file) for file in files]
    scan.total = sum(map(os.path.getsize, places))
    accumulator = Accumulator(exact)
    first, *others = _make_shards(places[:1], scan.wanted, exact)
    _gather(executor, [first], accumulator, scan)
    wanted = scan.settle()
    others = [replace(shard, wanted=wanted) for shard in others]
    _gather(executor, [*others, *_make_shards(places[1:], wanted, exact)], accumulator, scan)
    return accumulator


def _gather(
    executor: Executor, shards: Sequence[Shard], accumulator: Accumulator, scan: Scan
) -> None:
    for place, counts in submit_jobs(count_shard, dict(enumerate(shards)), executor, _AHEAD):
        add_shard(accumulator, scan, counts)
        scan.report(shards[place].size)


def _shared_path(file: str) -> str:
    if not os.path.isfile(file):
        name = "stdin" if file == "-" else file
        raise InputError(
            "Workers of an executor must be able to open what they count",
            f"{name} is not a file",
            "Write it to a file, or count it without an executor.",
        )
    return os.path.abspath(file)


def _make_shards(files: Sequence[str], wanted: Wanted, exact: bool) -> Iterator[Shard]:
    for file in files:
        size = os.path.getsize(file)
        if size <= _BYTES:
            yield Shard(file, (0, None), size, wanted, exact)
            continue
        parts = sum(1 for _ in file_parts([file], Scan(wanted)))
        pieces = min(parts, -(-size // _BYTES))
        # As equal as possible; the shares of the file's size add up to it exactly.
        ends = [parts * piece // pieces for piece in range(pieces + 1)]
        for begin, end in pairwise(ends):
            share = size * end // parts - size * begin // parts
            yield Shard(file, (begin, end), share, wanted, exact)

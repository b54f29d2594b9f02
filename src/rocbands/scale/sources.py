"""Where rows come from: files, folders, frames, data sets, relations; each in pieces.

A source is a number of lanes. A lane is a function that reads its pieces one after another and
counts each; lanes of one source may run in several threads. Names of files and columns are data:
they are never put into a query, and a name is a pattern only if no file bears it.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from threading import Event, Lock
from typing import Any, TypeAlias

import numpy as np

from rocbands.errors import InputError
from rocbands.io.cells import CellError
from rocbands.io.columns import Choice, Gathering, ScoreTable, Wanted
from rocbands.io.files import Progress, read_wanted, unreadable
from rocbands.scale.arrow import check_types, chunk_of, is_number_type
from rocbands.scale.labels import Codes
from rocbands.scale.plain import count_plain, looks_plain
from rocbands.scale.tally import ROWS, Chunk

__all__ = ["Lane", "Left", "Reading", "file_lanes", "paths_of", "stream_lanes"]

Count: TypeAlias = Callable[[Chunk], None]
Lane: TypeAlias = Callable[[Count], None]

_BUFFER = 1 << 22  # bytes of a column that are read at a time, however large its group of rows is
_SUFFIXES = (".parquet", ".pq", ".csv", ".tsv", ".jsonl", ".ndjson", ".gz")


class Left(Exception):  # noqa: N818
    """Nobody wants the rows any more: raised where they would be handed over."""


@dataclass
class Reading:
    """What all lanes of a source share.

    Attributes
    ----------
    wanted : Wanted
        The columns asked for.
    labels, groups : Codes
        The labels and groups seen so far.
    progress : callable, optional
        Told the bytes read, and the bytes in all where known.
    """

    wanted: Wanted
    labels: Codes
    groups: Codes
    progress: Progress | None = None
    total: int | None = None
    choice: Choice | None = None
    ready: Event = field(default_factory=Event)  # set when the choice is made, or never will be
    _done: int = 0
    _lock: Lock = field(default_factory=Lock)

    def chosen(
        self, source: str, columns: Sequence[str], is_number: Callable[[str], bool]
    ) -> Choice:
        """Choose the columns of one more file; all files must have those of the first."""
        wanted = replace(self.wanted, source=source)
        if self.choice is not None:
            label, scores, keys = self.choice.label, self.choice.scores, self.choice.keys
            wanted = replace(wanted, label=label, scores=scores, keys=keys)
        return self.choose(wanted.choose(columns, is_number))

    def choose(self, choice: Choice) -> Choice:
        """Take notice of the columns that were chosen."""
        self.choice = choice
        self.labels.column = choice.label
        self.ready.set()
        return choice

    def passed(self, size: int) -> None:
        """Take notice of bytes that have been read."""
        if self.progress is not None:
            with self._lock:
                self._done += size
                self.progress(self._done, self.total)


def paths_of(source: Any) -> list[str]:
    """Return the files that a path, a folder, a pattern or a list of these stands for."""
    parts = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    files = list(chain.from_iterable(_files(os.fspath(part)) for part in parts))
    if not files:
        raise InputError("There must be files to count; the list of files is empty.")
    return files


def _files(name: str) -> list[str]:
    if "\0" in name:
        raise InputError(f"The file must exist; {name!r} holds a NUL, as no name does.")
    if name == "-" or os.path.isfile(name):
        return [name]
    if os.path.isdir(name):
        return _inside(name)
    found = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []
    if found:
        return list(chain.from_iterable(_files(path) for path in found))
    if os.path.lexists(name) and not glob.has_magic(name):
        return [name]  # a pipe, say
    raise unreadable(name, FileNotFoundError())


def _inside(folder: str) -> list[str]:
    """List data files below a folder, except hidden ones and marks like _SUCCESS."""
    found = [
        str(path)
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
        and path.name.casefold().endswith(_SUFFIXES)
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise InputError(
            f"The folder must hold Parquet, CSV, TSV or JSON lines files; '{folder}' holds none. "
            "Check the path."
        )
    return found


def file_lanes(files: Sequence[str], reading: Reading) -> Iterator[Lane]:
    """Make a lane for each group of rows of a Parquet file, and one for each other file."""
    sizes = [os.path.getsize(file) if os.path.isfile(file) else None for file in files]
    known = [size for size in sizes if size is not None]
    reading.total = sum(known) if len(known) == len(files) else None
    for file in files:
        if _is_parquet(file):
            yield from _parquet_lanes(file, reading)
        else:
            yield _text_lane(file, reading)
            reading.ready.wait()


def _is_parquet(file: str) -> bool:
    if not os.path.isfile(file):
        return False
    try:
        with open(file, "rb") as opened:
            return opened.read(4) == b"PAR1"
    except OSError as problem:
        raise unreadable(file, problem) from None


def _parquet_lanes(file: str, reading: Reading) -> Iterator[Lane]:
    from rocbands.io.parquet import opened

    with opened(file, file) as parquet:
        facts, schema = parquet.metadata, parquet.schema_arrow
        choice = reading.chosen(file, schema.names, is_number_type(schema))
        check_types(schema, choice, file)
        sizes = [facts.row_group(index).num_rows for index in range(facts.num_row_groups)]
    starts = np.cumsum([0, *sizes]).tolist()
    # Engines write files without rows beside others: they are no mistake.
    weight = os.path.getsize(file) / max(starts[-1], 1)
    for index, start in enumerate(starts[:-1]):
        yield _row_group_lane(file, index, start, weight, choice, reading)


def _row_group_lane(
    file: str, index: int, start: int, weight: float, choice: Choice, reading: Reading
) -> Lane:
    from rocbands.io.parquet import opened

    def run(count: Count) -> None:
        names = [choice.label, *choice.keys, *choice.scores]
        row = start
        with opened(file, file, buffer_size=_BUFFER) as parquet:
            batches = parquet.iter_batches(ROWS, [index], columns=names, use_threads=False)
            for batch in batches:
                _count(batch, choice, reading, f"{file}, row", row, count)
                row += batch.num_rows
                reading.passed(round(batch.num_rows * weight))

    return run


def _count(
    batch: Any, choice: Choice, reading: Reading, place: str, start: int, count: Count
) -> None:
    try:
        chunk = chunk_of(batch, choice, reading.labels, reading.groups)
    except CellError as bad:
        raise InputError(f"{place} {start + bad.row + 1}: {bad}") from None
    count(chunk)


def _text_lane(file: str, reading: Reading) -> Lane:
    def run(count: Count) -> None:
        wanted = replace(reading.wanted, source="stdin" if file == "-" else file)
        if (known := reading.choice) is not None:
            wanted = replace(wanted, label=known.label, scores=known.scores, keys=known.keys)
        try:
            _read_text(file, wanted, reading, count)
        finally:
            reading.ready.set()

    return run


def _read_text(file: str, wanted: Wanted, reading: Reading, count: Count) -> None:
    rows, told = 0, 0
    if looks_plain(file):
        choice = reading.choose(_chosen(file, wanted))

        def ahead(size: int) -> None:
            nonlocal told
            told += size
            reading.passed(size)

        codes = reading.labels, reading.groups
        rows, whole = count_plain(file, choice, codes, count, ahead)
        if whole:
            return

    def passed(done: int, _: int | None) -> None:
        nonlocal told
        reading.passed(max(done - told, 0))
        told = max(done, told)

    def gather(choice: Choice, source: str) -> Gathering:
        return _Counting(choice, source, reading, count, rows)

    read_wanted(file, replace(wanted, gather=gather), passed)


class _Chosen(Exception):  # noqa: N818
    """The columns are known, and no more was asked."""


def _chosen(file: str, wanted: Wanted) -> Choice:
    """Choose the columns by the names and the first rows, as the careful reader does."""
    found: list[Choice] = []

    def gather(choice: Choice, source: str) -> Gathering:
        found.append(choice)
        raise _Chosen

    with suppress(_Chosen):
        read_wanted(file, replace(wanted, gather=gather))
    return found[0]


class _Counting(Gathering):
    """Counts chunks as they come instead of keeping them; the first `skip` rows are known."""

    def __init__(
        self, choice: Choice, source: str, reading: Reading, count: Count, skip: int
    ) -> None:
        super().__init__(choice, source)
        self._skip = skip
        reading.choose(choice)
        self._reading = reading
        self._count = count

    def end_chunk(self) -> None:
        """Count the rows that all columns have got."""
        choice = self._choice
        scores = {name: np.concatenate(self._scores[name]) for name in choice.scores}
        for pieces in self._scores.values():
            pieces.clear()
        codes = {name: labels.take() for name, labels in self.labels.items()}
        label = self.labels[choice.label].names()
        labels = self._reading.labels.of(label)[codes[choice.label]]
        groups = None
        for name in choice.keys:
            texts = [group_text(value) for value in self.labels[name].names()]
            groups = self._reading.groups.of(texts)[codes[name]]
        rows = slice(min(self._skip, labels.size), None)
        self._skip -= rows.start
        scores = {name: column[rows] for name, column in scores.items()}
        self._count(Chunk(labels[rows], None if groups is None else groups[rows], scores))

    def table(self) -> ScoreTable:
        """Return an empty table: the rows are counted."""
        empty = np.zeros(0)
        return ScoreTable(empty, {}, self._choice.label, self._source)


def group_text(value: object) -> str:
    """Write a group's name as text, alike for all kinds of files."""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def stream_lanes(
    batches: Iterator[Any], schema: Any, source: str, reading: Reading
) -> Iterator[Lane]:
    """Make a lane for each batch of a stream."""
    choice = reading.chosen(source, schema.names, is_number_type(schema))
    check_types(schema, choice, source)
    row = 0
    for batch in batches:
        for begin in range(0, batch.num_rows, ROWS):
            piece = batch.slice(begin, ROWS)
            yield _batch_lane(piece, choice, reading, f"{source}, row", row + begin)
        row += batch.num_rows


def _batch_lane(piece: Any, choice: Choice, reading: Reading, place: str, start: int) -> Lane:
    def run(count: Count) -> None:
        _count(piece, choice, reading, place, start, count)
        reading.passed(piece.nbytes)

    return run

"""Where rows come from: files, folders, frames, data sets, relations; each in pieces.

A source is a number of lanes. A lane is a function that reads its pieces one after another and
counts each; lanes of one source may run in several threads. Names of files and columns are data:
they are never put into a query, and a name is a pattern only if no file bears it.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from rocbands.errors import InputError
from rocbands.io.cells import CellError
from rocbands.io.columns import Choice
from rocbands.io.files import unreadable
from rocbands.scale.arrow import check_types, chunk_of, is_number_type
from rocbands.scale.lanes import Count, Lane, Reading
from rocbands.scale.tally import ROWS, rows_at_a_time
from rocbands.scale.texts import text_lane

__all__ = ["file_lanes", "paths_of", "stream_lanes"]

_BUFFER = 1 << 22  # bytes of a column that are read at a time, however large its group of rows is
_SUFFIXES = (".parquet", ".pq", ".csv", ".tsv", ".jsonl", ".ndjson", ".gz")


def paths_of(source: Any) -> list[str]:
    """Return the files that a path, a folder, a pattern or a list of these stands for."""
    parts = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    files = list(chain.from_iterable(_files(os.fspath(part)) for part in parts))
    if not files:
        raise InputError("There must be files to count; the list of files is empty.")
    _refuse_twice(files)
    return files


def _refuse_twice(files: Sequence[str]) -> None:
    """Refuse a file that would be counted again, perhaps under another name."""
    seen: dict[str, str] = {}
    for file in files:
        real = file if file == "-" else os.path.realpath(file)
        if real in seen:
            also = "is named twice" if seen[real] == file else f"is '{seen[real]}' again"
            raise InputError(
                f"Each file must be counted once; '{file}' {also}. Name it once, or leave out the "
                "folder or pattern that it belongs to."
            )
        seen[real] = file


def _files(name: str) -> list[str]:
    if "\0" in name:
        raise InputError(f"The file must exist; {name!r} holds a NUL, as no name does.")
    if name == "-" or os.path.isfile(name):
        return [name]
    if os.path.isdir(name):
        return _inside(name)
    found = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []
    if found:
        # A pattern with ** finds a folder and what is in it.
        below = chain.from_iterable(_files(path) for path in found)
        return list({os.path.normpath(path): path for path in below}.values())
    if os.path.lexists(name) and not glob.has_magic(name):
        return [name]  # a pipe, say
    raise unreadable(name, FileNotFoundError())


def _inside(folder: str) -> list[str]:
    """List data files below a folder, except hidden ones and marks like _SUCCESS."""
    found = sorted(path for path in _below(folder) if path.casefold().endswith(_SUFFIXES))
    if not found:
        raise InputError(
            f"The folder must hold Parquet, CSV, TSV or JSON lines files; '{folder}' holds none. "
            "Check the path."
        )
    return found


def _below(folder: str) -> Iterator[str]:
    """Find files in a folder and in those inside, linked ones too, each folder once.

    A link that leads nowhere is listed as well: it must not go missing unnoticed.
    """

    def refuse(problem: OSError) -> None:
        raise unreadable(str(problem.filename), problem) from None

    seen = {os.path.realpath(folder)}

    def is_new(path: str) -> bool:
        before = len(seen)
        seen.add(os.path.realpath(path))
        return len(seen) > before

    for place, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        folders[:] = [
            name for name in folders if _is_shown(name) and is_new(os.path.join(place, name))
        ]
        for path in (os.path.join(place, name) for name in files if _is_shown(name)):
            if os.path.isfile(path) or not os.path.exists(path):
                yield path


def _is_shown(name: str) -> bool:
    return not name.startswith((".", "_"))


def file_lanes(files: Sequence[str], reading: Reading) -> Iterator[Lane]:
    """Make a lane for each group of rows of a Parquet file, and one for each other file."""
    sizes = [os.path.getsize(file) if os.path.isfile(file) else None for file in files]
    known = [size for size in sizes if size is not None]
    reading.total = sum(known) if len(known) == len(files) else None
    for place, file in enumerate(files):
        if place:
            reading.ready.wait()  # for the columns of the first, which may be on its way yet
        if _is_parquet(file):
            yield from _parquet_lanes(file, reading)
        else:
            yield text_lane(file, reading)


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
            size = rows_at_a_time(len(names))
            batches = parquet.iter_batches(size, [index], columns=names, use_threads=False)
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

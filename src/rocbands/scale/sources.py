"""Sources as parts to count: row groups of Parquet files, and other files as a whole.

Names of files and columns are never put into a query, and a name is a pattern only if no such file
exists.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from threading import Event, Lock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray
from rocbands.core.progress import Progress
from rocbands.core.rows import usable_weights
from rocbands.errors import InputError
from rocbands.io.columns import MOST_LABELS, CellError, Choice, Chunk, Codes, Wanted, locate
from rocbands.io.files import open_rows
from rocbands.io.parquet import name_row, open_parquet, read_batch
from rocbands.io.streams import explain_unreadable, name_source
from rocbands.scale.accumulator import ROWS, CodedRows, part_text, rows_at_a_time

# A source is read in parts, such as files or row groups, by several threads. Calling a part opens
# it, and yields its rows in chunks.
Part: TypeAlias = Callable[[], Iterator[Chunk]]


class Scan:
    """State shared by all parts: the columns, and the labels and values of `by` seen so far.

    `known` is set when the columns (`choice`) are known, or reading them failed. `progress` is
    called with the bytes read, and the total where known.
    """

    def __init__(self, wanted: Wanted, progress: Progress | None = None) -> None:
        self.wanted = wanted
        self.labels = Codes(wanted.label or "label", MOST_LABELS)
        self.by = Codes(next(iter(wanted.keys), "by"))
        self.choice: Choice | None = None
        self.notes: dict[str, None] = {}  # how files were read
        self.known = Event()
        self.total: int | None = None
        self._progress = progress
        self._done = 0
        self._lock = Lock()

    def choose(
        self, source: str, columns: Sequence[str], is_number: Callable[[str], bool]
    ) -> Choice:
        """Choose the columns of one more part; all parts must have those of the first."""
        wanted = replace(self.settle(), source=source)
        return self.adopt(wanted.choose(columns, is_number))

    def adopt(self, choice: Choice) -> Choice:
        """Use the columns that were chosen."""
        self.choice = choice
        self.labels.column = choice.label
        self.known.set()
        return choice

    def settle(self) -> Wanted:
        """Return the request for the columns of the first part."""
        return self.wanted if self.choice is None else self.wanted.settle(self.choice)

    def encode(self, chunk: Chunk) -> CodedRows:
        """Return the rows of a chunk with codes that are the same in all parts."""
        assert self.choice is not None
        columns, by, weights = dict(chunk.scores), None, None
        with locate(chunk.place):
            for name, scores in columns.items():
                if scores.dtype == np.uint64:
                    must, remedy = "whole numbers below 2**63", "Convert it to floats first."
                    _check_cells(scores < 2**63, scores, name, must, remedy)
            labels = self.labels.encode(*chunk.labels[self.choice.label])
            for name in self.choice.keys:
                values, rows = chunk.labels[name]
                by = self.by.encode(map(part_text, values), rows)
            for column in self.choice.numbers:
                weights = columns.pop(column).astype(np.float64)
                good, remedy = usable_weights(weights), "Leave out rows of weight 0."
                _check_cells(good, weights, column, "weights above 0", remedy)
        return CodedRows(labels, by, columns, weights)

    def report(self, size: int) -> None:
        """Report bytes that have been read."""
        if self._progress is not None:
            with self._lock:
                self._done += size
                self._progress(self._done, self.total)


def _check_cells(
    good: BoolArray, column: npt.NDArray[Any], name: str, must: str, remedy: str
) -> None:
    """Refuse a column with a value that is not `good`, naming the first."""
    if not good.all():
        row = int(np.argmin(good))
        raise CellError(
            row, f"column {name!r} must contain {must}", f"found {column[row]!s}", remedy
        )


_BUFFER = 1 << 22  # bytes of a column that are read at a time, however large its group of rows is
_SUFFIXES = (".parquet", ".pq", ".csv", ".tsv", ".jsonl", ".ndjson", ".gz")


def list_files(source: Any) -> list[str]:
    """Return the files that a path, a folder, a pattern or a list of these means."""
    parts = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    files = list(chain.from_iterable(_expand(os.fspath(part)) for part in parts))
    if not files:
        raise InputError("There must be files to count", "the list of files is empty")
    _refuse_twice(files)
    return files


def _refuse_twice(files: Sequence[str]) -> None:
    """Refuse a file that would be counted twice, also under another name."""
    seen: dict[str, str] = {}
    for file in files:
        real = file if file == "-" else os.path.realpath(file)
        if real in seen:
            also = "is named twice" if seen[real] == file else f"is '{seen[real]}' again"
            raise InputError(
                "Each file must be counted once",
                f"'{file}' {also}",
                "Name it once, or leave out the folder or pattern that it belongs to.",
            )
        seen[real] = file


def _expand(name: str) -> list[str]:
    if "\0" in name:
        raise InputError("The file must exist", f"{name!r} contains a NUL, as no name does")
    if name == "-" or os.path.isfile(name):
        return [name]
    if os.path.isdir(name):
        return _list_folder(name)
    found = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []
    if found:
        # A pattern with ** finds a folder and what is in it.
        below = chain.from_iterable(_expand(path) for path in found)
        return list({os.path.normpath(path): path for path in below}.values())
    if os.path.lexists(name) and not glob.has_magic(name):
        return [name]  # for example a pipe
    raise explain_unreadable(name, FileNotFoundError())


def _list_folder(folder: str) -> list[str]:
    """List data files below a folder, except hidden ones and marks like _SUCCESS."""
    found = sorted(path for path in _walk(folder) if path.casefold().endswith(_SUFFIXES))
    if not found:
        raise InputError(
            "The folder must contain Parquet, CSV, TSV or JSON lines files",
            f"'{folder}' has none",
            "Check the path.",
        )
    return found


def _walk(folder: str) -> Iterator[str]:
    """Find files in a folder and its subfolders, following links, each folder once.

    Broken links are listed, so that opening them is an error.
    """

    def refuse(problem: OSError) -> None:
        raise explain_unreadable(str(problem.filename), problem) from None

    seen = {os.path.realpath(folder)}

    def is_new(path: str) -> bool:
        before = len(seen)
        seen.add(os.path.realpath(path))
        return len(seen) > before

    for place, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        folders[:] = [
            name for name in folders if _is_visible(name) and is_new(os.path.join(place, name))
        ]
        for path in (os.path.join(place, name) for name in files if _is_visible(name)):
            if os.path.isfile(path) or not os.path.exists(path):
                yield path


def _is_visible(name: str) -> bool:
    return not name.startswith((".", "_"))


def refuse_output_inside(target: str, sources: Sequence[str]) -> None:
    """Refuse to write into a folder that is counted: next time the file would be counted too."""
    place = os.path.realpath(target)
    if not place.casefold().endswith(_SUFFIXES):
        return
    for folder in filter(os.path.isdir, sources):
        if os.path.commonpath([place, os.path.realpath(folder)]) == os.path.realpath(folder):
            raise InputError(
                "What is written must not be among the files that are counted",
                f"'{target}' would be in the folder '{folder}'",
                "Write it to another folder.",
            )


def file_parts(files: Sequence[str], scan: Scan) -> Iterator[Part]:
    """Make a part of each group of rows of a Parquet file, and of each other file."""
    sizes = [os.path.getsize(file) if os.path.isfile(file) else None for file in files]
    known = [size for size in sizes if size is not None]
    scan.total = sum(known) if len(known) == len(files) else None
    for index, file in enumerate(files):
        if index:
            scan.known.wait()  # for the columns of the first, which a thread may still be reading
        if _is_parquet(file):
            yield from _row_group_parts(file, scan)
        else:
            yield partial(_read_whole, file, scan)


def _is_parquet(file: str) -> bool:
    if not os.path.isfile(file):
        return False
    try:
        with open(file, "rb") as opened:
            return opened.read(4) == b"PAR1"
    except OSError as problem:
        raise explain_unreadable(file, problem) from None


def _read_whole(file: str, scan: Scan) -> Iterator[Chunk]:
    reported = 0

    def report(done: int, _: int | None) -> None:
        nonlocal reported
        scan.report(done - reported)
        reported = done

    try:
        with open_rows(file, report, scan.wanted.form) as rows:
            choice = scan.choose(name_source(file), rows.names, rows.is_number)
            yield from rows.chunks(choice)
            scan.notes |= dict.fromkeys(note.text for note in rows.notes)
    finally:
        scan.known.set()


def _row_group_parts(file: str, scan: Scan) -> Iterator[Part]:
    scan.wanted.form.check(file)
    with open_parquet(file, file) as parquet:
        facts, schema = parquet.metadata, parquet.schema_arrow
        choice = scan.choose(file, schema.names, is_number_type(schema))
        _check_types(schema, choice, file)
        sizes = [facts.row_group(index).num_rows for index in range(facts.num_row_groups)]
    starts = np.cumsum([0, *sizes]).tolist()
    # Files without rows are allowed: engines write them beside others.
    weight = os.path.getsize(file) / max(starts[-1], 1)
    for index, start in enumerate(starts[:-1]):
        yield partial(_read_row_group, file, index, start, weight, choice, scan)


def _read_row_group(
    file: str, index: int, start: int, weight: float, choice: Choice, scan: Scan
) -> Iterator[Chunk]:
    with open_parquet(file, file, buffer_size=_BUFFER) as parquet:
        size = rows_at_a_time(len(choice.names))
        for batch in parquet.iter_batches(size, [index], columns=choice.names, use_threads=False):
            yield _read_batch(batch, choice, file, start)
            start += batch.num_rows
            scan.report(round(batch.num_rows * weight))


def batch_parts(batches: Iterator[Any], schema: Any, source: str, scan: Scan) -> Iterator[Part]:
    """Make a part of each batch of a stream of Arrow batches."""
    choice = scan.choose(source, schema.names, is_number_type(schema))
    _check_types(schema, choice, source)
    row = 0
    for batch in batches:
        for begin in range(0, batch.num_rows, ROWS):
            piece = batch.slice(begin, ROWS)
            yield partial(_read_piece, piece, choice, source, row + begin, scan)
        row += batch.num_rows


def _read_piece(piece: Any, choice: Choice, source: str, start: int, scan: Scan) -> Iterator[Chunk]:
    yield _read_batch(piece, choice, source, start)
    scan.report(piece.nbytes)


def _read_batch(batch: Any, choice: Choice, source: str, start: int) -> Chunk:
    place = partial(name_row, source, start)
    with locate(place):
        return read_batch(batch, choice, place)


def is_number_type(schema: Any) -> Callable[[str], bool]:
    """Return a function that tells whether a column's type is one of numbers that are counted."""
    import pyarrow as pa

    kinds = dict(zip(schema.names, schema.types, strict=True))
    return lambda name: pa.types.is_integer(kinds[name]) or pa.types.is_floating(kinds[name])


def _check_types(schema: Any, choice: Choice, source: str) -> None:
    """Refuse columns whose type cannot be counted."""
    import pyarrow as pa

    is_number = is_number_type(schema)
    for name in choice.scores:
        if not is_number(name):
            raise wrong_score_type(source, name, schema.field(name).type)
    for name in (choice.label, *choice.keys):
        kind = schema.field(name).type
        inner = kind.value_type if pa.types.is_dictionary(kind) else kind
        known = [pa.types.is_integer, pa.types.is_boolean, pa.types.is_string]
        known += [pa.types.is_large_string, pa.types.is_string_view, pa.types.is_date]
        if name == choice.label:
            known[-1] = pa.types.is_floating
        if not any(fits(inner) for fits in known):
            raise wrong_label_type(source, name, kind, choice)


def wrong_score_type(source: str, name: str, kind: object) -> InputError:
    """Make the error of a column that cannot be counted."""
    return InputError(
        f"{source}: column {name!r} must contain floats or whole numbers to be counted",
        f"its type is {kind}",
        "Convert it to floats first.",
    )


def wrong_label_type(source: str, name: str, kind: object, choice: Choice) -> InputError:
    """Make the error of a column whose values are neither labels nor names of parts."""
    what = "labels" if name == choice.label else "names of parts"
    return InputError(
        f"{source}: column {name!r} must contain {what} as text, whole numbers or booleans",
        f"its type is {kind}",
        "Name another column, or convert it first.",
    )

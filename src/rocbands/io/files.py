"""Scored rows from files: CSV, TSV, JSON lines, Parquet, Arrow and Excel, also compressed.

What a file is, its first bytes tell, whatever its name.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain
from rocbands.core.checks import IndexArray, check_choice
from rocbands.core.columns import MissingError
from rocbands.core.missing import Dropped, score_title
from rocbands.core.sample import Sample
from rocbands.errors import InputError, arg
from rocbands.io.columns import (
    MOST_LABELS,
    CellError,
    Choice,
    Chunk,
    Codes,
    ScoreTable,
    Wanted,
    is_missing,
    parse_labels,
    refuse_missing,
)
from rocbands.io.excel import workbook_to_csv
from rocbands.io.jsonlines import JsonRows
from rocbands.io.parquet import ArrowTable, ParquetRows, open_parquet
from rocbands.io.text import DelimitedRows

Progress: TypeAlias = Callable[[int, int | None], None]
Stream: TypeAlias = "io.BufferedReader[Any]"

EXAMPLE = files("rocbands.io").joinpath("example.csv")
EXAMPLE_MODELS = ("logistic", "neighbours")
_BUFFER = 1 << 20
_MOST_IN_MEMORY = 1 << 30  # bytes of what cannot be read piece by piece
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_PACKED = {_GZIP: "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstandard"}
_ZIP, _ARROW = b"PK\x03\x04", b"ARROW1"
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook of before 2007",
    b"FEA1": "a Feather file of version 1",
    b"\x80\x03": "a pickle, which runs whatever is in it",
    b"\x80\x04": "a pickle, which runs whatever is in it",
    b"\x80\x05": "a pickle, which runs whatever is in it",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


class RowReader(Protocol):
    """What all kinds of files have in common once they are open."""

    names: list[str]  # the columns

    def is_number(self, name: str) -> bool:
        """Tell whether a column contains numbers, as far as its type or its first row shows."""

    def chunks(self, choice: Choice) -> Iterator[Chunk]:
        """Read the rows, once."""

    def guess_rows(self, rows: int) -> int:
        """Guess how many rows there are, from the number of those that have come."""


def read_scores(
    source: str | os.PathLike[str],
    *,
    label: str | None = None,
    scores: Sequence[str] = (),
    keys: Sequence[str] = (),
    missing: str = "raise",
    sheet: str | None = None,
    progress: Progress | None = None,
) -> ScoreTable:
    r"""Read labels and scores from a file, one row for each case.

    Only the columns asked for are kept, so memory stays near what they need. No row is dropped
    unless that is asked for: a cell that cannot be used is an error that says where it is.

    Parameters
    ----------
    source : str or path-like
        CSV (also with semicolons and decimal commas), TSV, JSON lines, Parquet, Feather or Arrow,
        or the first sheet of an Excel workbook, each also compressed with gzip, bzip2, xz or
        zstandard; ``"-"`` is stdin.
    label : str, optional
        Name of the label column; by default the one called y_true, y, label, target, class,
        diagnosis or the like. Labels that all are numbers, or true and false, are read as such.
    scores : sequence of str, optional
        Names of the score columns, one for each model; by default all whose names begin with
        score or y_score, else the only column of numbers besides the labels.
    keys : sequence of str, optional
        Names of columns that say which group each row is in, such as groups or folds.
    missing : {'raise', 'drop'}
        What to do with rows in which a column has no value: refuse the file, with counts, or leave
        the rows out; `note` of the result says how many of each class.
    sheet : str, optional
        Sheet of a workbook; by default the first.
    progress : callable, optional
        Called now and then with the bytes read and the bytes in all (None where unknown).

    Returns
    -------
    ScoreTable
        The columns as arrays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.csv"
    ...     _ = path.write_text("label,score\n1,0.8\n0,0.3\n")
    ...     table = read_scores(path)
    >>> table.y_true, table.y_scores["score"]
    (array([1, 0]), array([0.8, 0.3]))
    """
    names = (scores,) if isinstance(scores, str) else tuple(dict.fromkeys(scores))
    wanted = Wanted(name_source(source), label, names, tuple(dict.fromkeys(keys)))
    check_choice(missing, ("raise", "drop"), "missing")
    try:
        with open_rows(source, progress, sheet) as rows:
            choice = wanted.choose(rows.names, rows.is_number)
            choice = replace(choice, missing=missing == "drop")
            try:
                return _gather(rows, choice, wanted.source)
            except InputError as problem:
                named = label is not None and names
                raise (_ask_exchanged(problem, choice, rows) if named else problem) from None
    except MissingError as problem:
        raise problem if source == "-" else _count_missing(source, wanted, problem, sheet) from None


def _ask_exchanged(problem: InputError, choice: Choice, rows: RowReader) -> InputError:
    """Ask about exchanged columns, where labels are numbers and no score is one."""
    if isinstance(problem, MissingError) or not rows.is_number(choice.label):
        return problem
    if any(rows.is_number(name) for name in choice.scores):
        return problem
    remedy = (
        f"Is {choice.label!r} the column of scores, and {choice.scores[0]!r} that of labels? Then "
        f"exchange {arg('label')} and {arg('score')}."
    )
    return InputError(problem.must, problem.found, remedy, argument=problem.argument)


def _count_missing(
    source: Any, wanted: Wanted, problem: InputError, sheet: str | None
) -> InputError:
    """Read a file again, to say how many cells of each column and class have no value."""
    try:
        with open_rows(source, sheet=sheet) as rows:
            choice = replace(wanted.choose(rows.names, rows.is_number), missing=True)
            note = _gather(rows, choice, wanted.source).note
    except InputError:  # something else is wrong further down
        return problem
    remedy = f"Correct or remove such rows, or pass {arg('missing', 'drop')}."
    return InputError(problem.must, f"{problem.found}. In all, {note}", remedy)


def _drop_missing(
    labels: npt.NDArray[Any],
    columns: dict[str, npt.NDArray[Any]],
    gone: dict[str, Any],
    choice: Choice,
) -> tuple[str, Dropped | None, IndexArray | None]:
    """Leave out rows with missing values from all columns; say how many of each class."""
    rows = np.logical_or.reduce(list(gone.values()))
    if not rows.any():
        return "", None, None
    if rows.all():
        raise InputError(
            "There must be rows without missing values",
            "every row has one",
            "Choose other columns.",
        )
    for name in columns:
        columns[name] = columns[name][~rows]

    def count(mask: npt.NDArray[np.bool_]) -> str:
        found, sizes = np.unique(labels[mask].astype(str), return_counts=True)
        return ", ".join(
            f"{size} of class {name!r}" if name else f"{size} without a label"
            for name, size in zip(map(str, found), sizes, strict=True)
        )

    each = "; ".join(f"{name!r} {count(mask)}" for name, mask in gone.items() if mask.any())
    size = f"{np.count_nonzero(rows)} of {rows.size} rows with missing values"
    names = {name: score_title(name, choice.models) for name in choice.models}
    missing = {names.get(name, name): mask[rows] for name, mask in gone.items()}
    dropped = Dropped(rows.size, labels[rows], missing, choice.models)
    return f"{size} ({count(rows)}); by column: {each}", dropped, np.flatnonzero(~rows)


class _Column:
    """A column that is filled chunk by chunk, so that no chunk stays in memory."""

    def __init__(self) -> None:
        self.size = 0
        self._rows: npt.NDArray[Any] = np.empty(0)

    def append(self, part: npt.NDArray[Any], guess: Callable[[int], int]) -> None:
        """Add a chunk; `guess` tells how long the column will be, from how long it is now."""
        start, self.size = self.size, self.size + part.size
        kind = part.dtype if not start else np.result_type(self._rows, part)
        if self.size > self._rows.size or kind != self._rows.dtype:
            # What is not filled in the end was never touched, so it takes no memory.
            longer = np.empty(max(guess(self.size), self.size + self.size // 8), kind)
            longer[:start] = self._rows[:start]
            self._rows = longer
        self._rows[start : self.size] = part

    def close(self) -> npt.NDArray[Any]:
        """Return the column."""
        self._rows.resize(self.size, refcheck=False)
        return self._rows


def _gather(reader: RowReader, choice: Choice, source: str) -> ScoreTable:
    # One label for each class; groups may have as many names as there are rows.
    codes = {choice.label: Codes(choice.label, MOST_LABELS)}
    codes |= {name: Codes(name) for name in choice.keys}
    columns = {name: _Column() for name in choice.names}
    for chunk in reader.chunks(choice):
        parts = dict(chunk.scores)
        try:
            for name, encoded in chunk.labels.items():
                if not choice.missing:
                    refuse_missing(encoded, name)
                parts[name] = codes[name].encode(*encoded)
        except CellError as bad:
            raise bad.at(chunk.place(bad.row)) from None
        for name, part in parts.items():
            columns[name].append(part, reader.guess_rows)
    if not columns[choice.label].size:
        raise InputError(
            f"{source} must contain rows", "it has none", "Check the step that wrote it."
        )
    joined = {name: columns[name].close() for name in choice.scores}
    places = {name: columns[name].close() for name in codes}
    note, dropped, kept = "", None, None
    if choice.missing:
        gone = {
            name: np.isin(place, [c for c, v in enumerate(codes[name].values) if is_missing(v)])
            for name, place in places.items()
        }
        gone |= {name: np.isnan(column) for name, column in joined.items()}
        words = np.array([str(v) if not is_missing(v) else "" for v in codes[choice.label].values])
        every = joined | places
        note, dropped, kept = _drop_missing(words[places[choice.label]], every, gone, choice)
        joined, places = ({name: every[name] for name in part} for part in (joined, places))
    keys = {name: _label_array(codes[name].values, places.pop(name)) for name in codes}
    labels = keys.pop(choice.label)
    return ScoreTable(labels, joined, choice.label, source, keys, note, dropped, kept)


def _label_array(values: list[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return one label for each row: booleans, numbers or text."""
    there = [place for place, value in enumerate(values) if not is_missing(value)]
    known = [values[place] for place in there]
    if known and isinstance(known[0], str):
        known = parse_labels(known)
    distinct: npt.NDArray[Any] = np.array(known)
    if len(there) < len(values):  # codes of missing values are in no row that is left
        rows = np.searchsorted(there, rows)
    return np.asarray(distinct[rows])


def column_names(source: str | os.PathLike[str]) -> list[str]:
    r"""Return the names of a file's columns without reading more than its first rows.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.csv"
    ...     _ = path.write_text("label,score\n1,0.8\n0,0.3\n")
    ...     column_names(path)
    ['label', 'score']
    """
    with open_rows(source) as rows:
        return list(rows.names)


def name_source(source: str | os.PathLike[str]) -> str:
    """Return what messages call a file."""
    name = os.fspath(source)
    return {"-": "stdin", str(EXAMPLE): "The example"}.get(name, name)


@contextmanager
def open_rows(
    source: str | os.PathLike[str], progress: Progress | None = None, sheet: str | None = None
) -> Iterator[RowReader]:
    """Open a file of rows, or stdin if it is "-"; what is wrong with it is one sentence."""
    name = name_source(source)
    with open_unpacked(source, progress) as (stream, counted):
        head = stream.peek(8)
        if sheet is not None and not head.startswith(_ZIP):
            raise InputError(
                f"{arg('sheet')} is for Excel workbooks (.xlsx)",
                f"{name} is none",
                f"Leave {arg('sheet')} out.",
            )
        if head.startswith(b"PAR1"):
            with open_parquet(to_seekable(stream, counted, name), name) as parquet:
                yield ParquetRows(parquet, name, counted.report_share)
            return
        if head.startswith(_ARROW):
            table = ArrowTable(to_seekable(stream, counted, name), name)
            yield ParquetRows(table, name, counted.report_share)
            return
        if head.startswith(_ZIP):
            text = workbook_to_csv(to_seekable(stream, counted, name), name, sheet)
            yield DelimitedRows(io.BytesIO(text), name, len(text))
            return
        _refuse_foreign(head, name)
        if head.startswith(_BOM):
            stream.read(len(_BOM))
            head = head[len(_BOM) :]
        kind = JsonRows if head.lstrip().startswith(b"{") else DelimitedRows
        yield kind(stream, name, counted.total if stream.raw is counted else None)


@contextmanager
def open_unpacked(
    source: str | os.PathLike[str], progress: Progress | None = None
) -> Iterator[tuple[Stream, _Counted]]:
    """Open a file as a stream, unpacked if it is packed; refuse it in one sentence."""
    name = name_source(source)
    kind: str | None = None
    try:
        with _open(source) as file:
            counted = _Counted(file, progress)
            with io.BufferedReader(counted, _BUFFER) as stream:
                kind = _find_packing(stream.peek(6))
                if kind is None:
                    yield stream, counted
                    return
                with _unpack(stream, kind, name) as packed:
                    plain = io.BufferedReader(packed, _BUFFER)
                    _refuse_packed_twice(plain.peek(6), name)
                    yield plain, counted
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError):
        raise _damaged(name, kind) from None
    except OSError as problem:
        # bzip2 and zstandard have no class of their own for damage, and no number either.
        damaged = kind is not None and problem.errno is None
        raise _damaged(name, kind) if damaged else explain_unreadable(name, problem) from None


def _damaged(name: str, kind: str | None) -> InputError:
    return InputError(
        f"{name} must be a whole {kind} file", "it is damaged or cut off", "Fetch or pack it again."
    )


def _find_packing(head: bytes) -> str | None:
    return next((kind for mark, kind in _PACKED.items() if head.startswith(mark)), None)


def _unpack(stream: Stream, kind: str, name: str) -> Any:
    """Open what is packed in a stream."""
    if kind == "gzip":
        return gzip.GzipFile(fileobj=stream, mode="rb")
    if kind == "bzip2":
        return bz2.BZ2File(stream)
    if kind == "xz":
        return lzma.LZMAFile(stream)
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(
            f"{name} is packed with zstandard, and reading it needs PyArrow, which is not "
            "installed",
            remedy="Install it with: pip install 'rocbands[parquet]'.",
        ) from None
    return pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")


def to_seekable(stream: Stream, counted: _Counted, name: str) -> BinaryIO:
    """Return a file that can seek, as Parquet needs: the one that is open, or a copy in memory."""
    file = counted.file
    if stream.raw is counted and file.seekable():
        return file
    return io.BytesIO(read_all(stream, name))


def read_all(stream: Stream, name: str) -> bytes:
    """Read a whole stream, or refuse one that would fill the memory."""
    data = stream.read(_MOST_IN_MEMORY + 1)
    if len(data) > _MOST_IN_MEMORY:
        raise InputError(
            f"{name} must have at most {_MOST_IN_MEMORY >> 20} MB to be read from a pipe or packed",
            "it is larger",
            "Unpack it to a file, and name that.",
        )
    return data


@contextmanager
def _open(source: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    if source == "-":
        yield sys.stdin.buffer  # not ours to close
    else:
        with open(source, "rb") as file:
            yield file


def explain_unreadable(name: str, problem: OSError) -> InputError:
    """Say why a file cannot be read, and what was perhaps meant."""
    if isinstance(problem, FileNotFoundError):
        path = Path(name)
        names = os.listdir(path.parent) if os.access(path.parent, os.R_OK) else []
        # A link that leads nowhere is there itself.
        names = [other for other in names if other != path.name]
        close = get_close_matches(path.name, names, n=1, cutoff=0.75)
        advice = f"Did you mean '{path.with_name(close[0])}'?" if close else "Check the path."
        return InputError("The file must exist", f"there is no '{name}'", advice)
    if isinstance(problem, IsADirectoryError):
        return InputError(
            "Scores must be in a file", f"'{name}' is a folder", "Name one of the files in it."
        )
    return InputError(
        f"{name} must be readable",
        f"found: {problem.strerror or problem}",
        "Check the path and its permissions.",
    )


class _Counted(io.RawIOBase):
    """A file that tells how far it has been read; closing it leaves the file open."""

    def __init__(self, file: BinaryIO, progress: Progress | None) -> None:
        self.file = file
        self.total = _size(file)
        self._progress = progress
        self._done = 0

    def readable(self) -> bool:
        """Say so, as readers on top of this one ask."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the file goes, and tell."""
        count: int = self.file.readinto(buffer)  # type: ignore[attr-defined]
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self.total)
        return count

    def report_share(self, share: float) -> None:
        """Tell how far the file has been read when it is not read from front to back."""
        if self._progress is not None and self.total is not None:
            self._progress(round(share * self.total), self.total)


def _size(file: BinaryIO) -> int | None:
    try:
        facts = os.fstat(file.fileno())
    except OSError:
        return None
    return facts.st_size if stat.S_ISREG(facts.st_mode) else None


def _refuse_packed_twice(head: bytes, source: str) -> None:
    """Refuse a second layer: a file of gzip can unpack to itself, again and again."""
    kind = _find_packing(head)
    if kind is not None:
        raise InputError(
            f"{source} must be packed once",
            f"it is packed with {kind} again inside",
            "Unpack it once.",
        )


def _refuse_foreign(head: bytes, source: str) -> None:
    if not head:
        raise InputError(
            f"{source} must contain column names and rows",
            "it is empty",
            "Check the step that wrote it.",
        )
    if source.endswith((".parquet", ".pq")):
        raise InputError(
            f"{source} must be a Parquet file, as its name says",
            "it does not begin like one",
            "Rename it, or write it again.",
        )
    for mark, kind in _FOREIGN.items():
        if head.startswith(mark):
            raise InputError(
                f"{source} must be CSV, TSV, JSON lines, Parquet, Arrow or Excel (.xlsx), plain or "
                "packed with gzip, bzip2, xz or zstandard",
                f"it is {kind}",
                "Save it again as CSV in UTF-8.",
            )
    if head.removeprefix(_BOM).lstrip().startswith(b"["):
        raise InputError(
            f"{source} must contain one JSON object on each line",
            "it begins with a JSON array",
            "Write it as JSON lines, for example with: jq -c '.[]'.",
        )


@explain
def load_example() -> Sample:
    """Two models' scores of 569 biopsies, 212 of them malignant.

    Every row was scored by a model trained on the other nine of ten folds. ``logistic`` is a
    logistic regression on the texture and the compactness of the cell nuclei; ``neighbours`` is
    the share of malignant cases among the 15 nearest in texture and symmetry, so its scores are
    heavily tied.

    Returns
    -------
    Sample
        The positive label is ``'malignant'``; the column ``fold`` is kept.

    Examples
    --------
    >>> import rocbands as rb
    >>> rb.load_example()
    <Sample: 569 rows (212 malignant, 357 benign), 2 models: logistic, neighbours; kept: fold>
    """
    header, *rows = csv.reader(EXAMPLE.read_text(encoding="utf-8").splitlines())
    columns = dict(zip(header, map(np.array, zip(*rows, strict=True)), strict=True))
    scores = {name: columns[name].astype(np.float64) for name in EXAMPLE_MODELS}
    fold = columns["fold"].astype(int)
    return Sample(columns["diagnosis"], scores, positive="malignant", keep={"fold": fold})

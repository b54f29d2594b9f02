"""Scored rows from files: CSV, TSV, JSON lines and Parquet, plain or compressed, or from stdin.

What a file is, its first bytes tell, whatever its name.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray
from rocbands.errors import InputError
from rocbands.io.columns import (
    MOST_LABELS,
    CellError,
    Choice,
    Chunk,
    Codes,
    ScoreTable,
    Wanted,
    parse_labels,
    refuse_missing,
)
from rocbands.io.jsonlines import JsonRows
from rocbands.io.parquet import ParquetRows, open_parquet
from rocbands.io.text import DelimitedRows

__all__ = [
    "EXAMPLE",
    "EXAMPLE_MODELS",
    "Example",
    "Progress",
    "RowReader",
    "ScoreTable",
    "column_names",
    "example_table",
    "explain_unreadable",
    "load_example",
    "name_source",
    "open_rows",
    "open_unpacked",
    "read_all",
    "read_scores",
    "to_seekable",
]


Progress: TypeAlias = Callable[[int, int | None], None]
Stream: TypeAlias = "io.BufferedReader[Any]"

EXAMPLE = files("rocbands.io").joinpath("example.csv")
EXAMPLE_MODELS = ("logistic", "neighbours")
_BUFFER = 1 << 20
_MOST_IN_MEMORY = 1 << 30  # bytes of what cannot be read piece by piece
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstandard",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


class RowReader(Protocol):
    """What all kinds of files have in common once they are open."""

    names: list[str]  # the columns

    def is_number(self, name: str) -> bool:
        """Tell whether a column holds numbers, as far as its type or its first row shows."""

    def chunks(self, choice: Choice) -> Iterator[Chunk]:
        """Read the rows, once."""


def read_scores(
    source: str | os.PathLike[str],
    *,
    label: str | None = None,
    scores: Sequence[str] = (),
    keys: Sequence[str] = (),
    progress: Progress | None = None,
) -> ScoreTable:
    r"""Read labels and scores from a file, one row for each case.

    Only the columns asked for are kept, so memory stays near what they need. No row is ever
    dropped: a cell that cannot be used is an error that says where it is.

    Parameters
    ----------
    source : str or path-like
        CSV, TSV, JSON lines or Parquet, each also compressed with gzip; ``"-"`` is stdin.
    label : str, optional
        Name of the label column; by default the one called y_true, y, label, target, class,
        diagnosis or the like. Labels that all are numbers, or true and false, are read as such.
    scores : sequence of str, optional
        Names of the score columns, one for each model; by default all whose names begin with
        score or y_score, else the only column of numbers besides the labels.
    keys : sequence of str, optional
        Names of columns that say which rows belong together, such as groups or folds.
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
    with open_rows(source, progress) as rows:
        choice = wanted.choose(rows.names, rows.is_number)
        return _gather(rows.chunks(choice), choice, wanted.source)


def _gather(chunks: Iterator[Chunk], choice: Choice, source: str) -> ScoreTable:
    scores: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in choice.scores}
    # One label for each class; groups may have as many names as there are rows.
    codes = {choice.label: Codes(choice.label, MOST_LABELS)}
    codes |= {name: Codes(name) for name in choice.keys}
    rows: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in codes}
    for chunk in chunks:
        try:
            for name, encoded in chunk.labels.items():
                refuse_missing(encoded, name)
                rows[name].append(codes[name].encode(*encoded))
        except CellError as bad:
            raise bad.at(chunk.place(bad.row)) from None
        for name, column in chunk.scores.items():
            scores[name].append(column)
    # Column by column, so that never more than one of them is in memory twice.
    joined = {name: np.concatenate(scores.pop(name)) for name in choice.scores}
    keys = {name: _label_array(codes[name].values, rows.pop(name)) for name in codes}
    return ScoreTable(keys.pop(choice.label), joined, choice.label, source, keys)


def _label_array(values: list[Any], rows: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return one label for each row: booleans, numbers or text."""
    distinct: npt.NDArray[Any] = np.array(
        parse_labels(values) if isinstance(values[0], str) else values
    )
    return np.asarray(distinct[np.concatenate(rows)])


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
    return "stdin" if source == "-" else os.fspath(source)


@contextmanager
def open_rows(
    source: str | os.PathLike[str], progress: Progress | None = None
) -> Iterator[RowReader]:
    """Open a file of rows, or stdin if it is "-"; what is wrong with it is one sentence."""
    name = name_source(source)
    with open_unpacked(source, progress) as (stream, counted):
        head = stream.peek(4)
        if head.startswith(b"PAR1"):
            with open_parquet(to_seekable(stream, counted, name), name) as parquet:
                yield ParquetRows(parquet, name, counted.report_share)
            return
        _refuse_foreign(head, name)
        if head.startswith(_BOM):
            stream.read(len(_BOM))
            head = head[len(_BOM) :]
        kind = JsonRows if head.lstrip().startswith(b"{") else DelimitedRows
        yield kind(stream, name)


@contextmanager
def open_unpacked(
    source: str | os.PathLike[str], progress: Progress | None = None
) -> Iterator[tuple[Stream, _Counted]]:
    """Open a file as a stream, unpacked if it is packed with gzip; refuse it in one sentence."""
    name = name_source(source)
    try:
        with _open(source) as file:
            counted = _Counted(file, progress)
            with io.BufferedReader(counted, _BUFFER) as stream:
                if not stream.peek(2).startswith(_GZIP):
                    yield stream, counted
                    return
                with gzip.GzipFile(fileobj=stream, mode="rb") as packed:
                    plain = io.BufferedReader(packed, _BUFFER)
                    _refuse_packed_twice(plain.peek(2), name)
                    yield plain, counted
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(
            f"{name} must be a whole gzip file",
            "it is damaged or cut off",
            "Fetch or pack it again.",
        ) from None
    except OSError as problem:
        raise explain_unreadable(name, problem) from None


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
            f"{name} must have at most {_MOST_IN_MEMORY >> 20} MB to be read from a pipe or from "
            "gzip",
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
    if head.startswith(_GZIP):
        raise InputError(
            f"{source} must be packed with gzip once",
            "it is packed again inside",
            "Unpack it once, with: gunzip.",
        )


def _refuse_foreign(head: bytes, source: str) -> None:
    if not head:
        raise InputError(
            f"{source} must hold column names and rows",
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
                f"{source} must be CSV, TSV, JSON lines or Parquet, plain or packed with gzip",
                f"it is {kind}",
                "Save it again as CSV in UTF-8.",
            )
    if head.removeprefix(_BOM).lstrip().startswith(b"["):
        raise InputError(
            f"{source} must hold one JSON object on each line",
            "it begins with a JSON array",
            "Write it as JSON lines, for example with: jq -c '.[]'.",
        )


class Example(NamedTuple):
    """Labels, and each model's scores of the same rows."""

    y_true: npt.NDArray[Any]
    y_scores: dict[str, FloatArray]


def _read_example() -> dict[str, Any]:
    header, *rows = csv.reader(EXAMPLE.read_text(encoding="utf-8").splitlines())
    return dict(zip(header, map(np.array, zip(*rows, strict=True)), strict=True))


def example_table() -> dict[str, Any]:
    """Return the example as a file of rows needs it: its names and labels are found unasked."""
    columns = _read_example()
    return {
        "label": (columns["diagnosis"] == "malignant").astype(int),
        "fold": columns["fold"].astype(int),
        **{f"score_{name}": columns[name].astype(np.float64) for name in EXAMPLE_MODELS},
    }


def load_example() -> Example:
    """Two models' scores of 569 biopsies, 212 of them malignant.

    Every row was scored by a model trained on the other nine of ten folds. ``logistic`` is a
    logistic regression on the texture and the compactness of the cell nuclei; ``neighbours`` is
    the share of malignant cases among the 15 nearest in texture and symmetry, so its scores are
    heavily tied.

    Returns
    -------
    Example
        A pair ``(y_true, y_scores)``; the positive label is ``'malignant'``.

    Examples
    --------
    >>> import rocbands as rb
    >>> y_true, y_scores = rb.load_example()
    >>> len(y_true), list(y_scores)
    (569, ['logistic', 'neighbours'])
    """
    columns = _read_example()
    scores = {name: columns[name].astype(np.float64) for name in EXAMPLE_MODELS}
    return Example(columns["diagnosis"], scores)

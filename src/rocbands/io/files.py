"""Scored rows from files: CSV, TSV, JSON lines and Parquet, plain or compressed, or from stdin.

What a file is, its first bytes tell, whatever its name.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from rocbands.errors import InputError
from rocbands.io.columns import Choice, ScoreTable, Wanted
from rocbands.io.delimited import read_delimited
from rocbands.io.jsonlines import read_json_lines
from rocbands.io.parquet import read_parquet

__all__ = [
    "Progress",
    "ScoreTable",
    "column_names",
    "read_scores",
    "read_wanted",
    "unreadable",
]

Progress: TypeAlias = Callable[[int, int | None], None]

_BUFFER = 1 << 20
_BOM = b"\xef\xbb\xbf"
_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstandard",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


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
    dropped: a cell that cannot be used is an error that says where it stands.

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
    name = "stdin" if source == "-" else os.fspath(source)
    names = (scores,) if isinstance(scores, str) else tuple(dict.fromkeys(scores))
    return read_wanted(source, Wanted(name, label, names, tuple(dict.fromkeys(keys))), progress)


def read_wanted(
    source: str | os.PathLike[str], wanted: Wanted, progress: Progress | None = None
) -> ScoreTable:
    """Read a file as :func:`read_scores` does, and gather its rows as `wanted` says."""
    name = wanted.source
    try:
        with _opened(source) as file:
            counted = _Counted(file, progress)
            with io.BufferedReader(counted, _BUFFER) as stream:
                return _read(stream, counted, wanted)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(
            f"{name} must be a whole gzip file; it is damaged or cut off. Fetch or pack it again."
        ) from None
    except OSError as problem:
        raise unreadable(name, problem) from None


class _HeaderFound(Exception):  # noqa: N818 (not an error: all that was wanted)
    """The names of the columns, as soon as they are known."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = list(names)


class _HeaderWanted(Wanted):
    """Looks at the names of the columns and reads no further."""

    def choose(self, columns: Sequence[str], is_number: Callable[[str], bool]) -> Choice:
        raise _HeaderFound(columns)


def column_names(source: str | os.PathLike[str]) -> list[str]:
    r"""Return the names of a file's columns without reading its rows.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.csv"
    ...     _ = path.write_text("label,score\n1,0.8\n0,0.3\n")
    ...     column_names(path)
    ['label', 'score']
    """
    try:
        with _opened(source) as file:
            counted = _Counted(file, None)
            with io.BufferedReader(counted, _BUFFER) as stream:
                _read(stream, counted, _HeaderWanted(os.fspath(source)))
    except _HeaderFound as header:
        return header.names
    raise AssertionError("every reader asks which columns it should read")


@contextmanager
def _opened(source: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    if source == "-":
        yield sys.stdin.buffer  # not ours to close
    else:
        with open(source, "rb") as file:
            yield file


def unreadable(name: str, problem: OSError) -> InputError:
    """Say why a file cannot be read, and what was perhaps meant."""
    if isinstance(problem, FileNotFoundError):
        path = Path(name)
        names = os.listdir(path.parent) if os.access(path.parent, os.R_OK) else []
        # A link that leads nowhere is there itself.
        names = [other for other in names if other != path.name]
        close = get_close_matches(path.name, names, n=1, cutoff=0.75)
        advice = f"Did you mean '{path.with_name(close[0])}'?" if close else "Check the path."
        return InputError(f"The file must exist; there is no '{name}'. {advice}")
    if isinstance(problem, IsADirectoryError):
        return InputError(
            f"Scores must be in a file; '{name}' is a folder. Name one of the files in it."
        )
    return InputError(
        f"{name} must be readable; found: {problem.strerror or problem}. "
        "Check the path and its permissions."
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

    def passed(self, share: float) -> None:
        """Tell how far the file has been read when it is not read from front to back."""
        if self._progress is not None and self.total is not None:
            self._progress(round(share * self.total), self.total)


def _size(file: BinaryIO) -> int | None:
    try:
        facts = os.fstat(file.fileno())
    except OSError:
        return None
    return facts.st_size if stat.S_ISREG(facts.st_mode) else None


def _read(stream: io.BufferedReader[Any], counted: _Counted, wanted: Wanted) -> ScoreTable:
    head = stream.peek(1)
    if head.startswith(b"\x1f\x8b"):
        with gzip.GzipFile(fileobj=stream) as packed, io.BufferedReader(packed, _BUFFER) as plain:
            return _read(plain, counted, wanted)
    if head.startswith(b"PAR1"):
        direct = stream.raw is counted and counted.file.seekable()
        file = counted.file if direct else io.BytesIO(stream.read())
        return read_parquet(file, wanted, counted.passed)
    _refuse_foreign(head, wanted.source)
    if head.removeprefix(_BOM).lstrip().startswith(b"{"):
        return read_json_lines(stream, wanted)
    with io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
        return read_delimited(text, wanted)


def _refuse_foreign(head: bytes, source: str) -> None:
    if not head:
        raise InputError(
            f"{source} must hold column names and rows; it is empty. Check the step that wrote it."
        )
    if source.endswith((".parquet", ".pq")):
        raise InputError(
            f"{source} must be a Parquet file, as its name says; it does not begin like one. "
            "Rename it, or write it again."
        )
    for mark, kind in _FOREIGN.items():
        if head.startswith(mark):
            raise InputError(
                f"{source} must be CSV, TSV, JSON lines or Parquet, plain or packed with gzip; "
                f"it is {kind}. Save it again as CSV in UTF-8."
            )
    if head.removeprefix(_BOM).lstrip().startswith(b"["):
        raise InputError(
            f"{source} must hold one JSON object on each line; it begins with a JSON array. "
            "Write it as JSON lines, for example with: jq -c '.[]'."
        )

"""What is counted: files by their names, and the columns and labels of all of them.

Names of files and columns are never put into a query, and a name is a pattern only if no such file
exists.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray
from rocbands.core.rows import usable_weights
from rocbands.errors import InputError
from rocbands.io.columns import MOST_LABELS, CellError, Choice, Chunk, Codes, Wanted, locate
from rocbands.io.streams import explain_unreadable
from rocbands.scale.accumulator import CodedRows, part_text

if TYPE_CHECKING:
    from narwhals.dtypes import DType


class Scan:
    """The columns that are counted, and the labels and values of `by` seen so far."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.labels = Codes(wanted.label or "label", MOST_LABELS)
        self.by = Codes(next(iter(wanted.keys), "by"))
        self.choice: Choice | None = None
        self.notes: dict[str, None] = {}  # how files were read

    def choose(
        self, source: str, columns: Sequence[str], is_number: Callable[[str], bool]
    ) -> Choice:
        """Choose the columns of one more source; all must have those of the first."""
        wanted = self.wanted if self.choice is None else self.wanted.settle(self.choice)
        self.choice = replace(wanted, source=source).choose(columns, is_number)
        self.labels.column = self.choice.label
        return self.choice

    def encode(self, chunk: Chunk) -> CodedRows:
        """Return the rows of a chunk with codes that are the same in all sources."""
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


def _check_cells(
    good: BoolArray, column: npt.NDArray[Any], name: str, must: str, remedy: str
) -> None:
    """Refuse a column with a value that is not `good`, naming the first."""
    if not good.all():
        row = int(np.argmin(good))
        raise CellError(
            row, f"column {name!r} must contain {must}", f"found {column[row]!s}", remedy
        )


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


def check_kinds(kinds: Mapping[str, DType], choice: Choice, source: str) -> None:
    """Refuse columns whose type cannot be counted."""
    import narwhals as nw

    for name in choice.scores:
        if not is_counted(kinds[name]):
            raise InputError(
                f"{source}: column {name!r} must contain floats or whole numbers to be counted",
                f"its type is {kinds[name]}",
                "Convert it to floats first.",
            )
    known = (nw.String, nw.Boolean, nw.Categorical, nw.Enum, nw.Object, nw.Unknown)
    for name in (choice.label, *choice.keys):
        kind, labels = kinds[name], name == choice.label
        fits = kind.is_float() if labels else kind == nw.Date
        if not (fits or kind.is_integer() or kind in known):
            what = "labels" if labels else "names of parts"
            raise InputError(
                f"{source}: column {name!r} must contain {what} as text, whole numbers or booleans",
                f"its type is {kind}",
                "Name another column, or convert it first.",
            )


def is_counted(kind: DType) -> bool:
    """Tell whether numbers of a type can be counted: none are that floats would round."""
    import narwhals as nw

    return kind.is_float() or (kind.is_integer() and kind not in (nw.Int128, nw.UInt128))

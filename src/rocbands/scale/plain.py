"""The short way through plain CSV: no quotes, nothing but ASCII, read by PyArrow.

It goes as far as nothing needs judgement. At the first quote, foreign character, missing cell or
odd number it stops, says how many rows it has counted, and the careful reader goes on from there:
the outcome is the same, and messages have one author.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from rocbands.io.cells import CellError, is_missing
from rocbands.io.columns import Choice
from rocbands.scale.labels import Codes
from rocbands.scale.tally import Chunk

__all__ = ["count_plain", "looks_plain"]

_HEAD = 1 << 16
_BLOCK = 1 << 23  # bytes that are parsed at a time
_MOST_TEXTS = 10_000  # labels or groups in one block; more are a matter for the careful reader


def looks_plain(file: str) -> bool:
    """Tell whether the beginning of a file is plain CSV; the rest is watched while it is read."""
    if not os.path.isfile(file) or importlib.util.find_spec("pyarrow") is None:
        return False
    with open(file, "rb") as opened:
        head = opened.read(_HEAD).lstrip()
    names, _, rest = head.partition(b"\n")
    # Names may stand in quotes, if no line ends within one.
    named = names.isascii() and names.count(b'"') % 2 == 0 and not set(b"\0\r") & set(names[:-1])
    return named and names[:1] not in (b"", b"{", b"[") and _is_plain(rest)


def _is_plain(data: bytes) -> bool:
    return data.isascii() and b'"' not in data and b"\0" not in data


class _Watched(io.RawIOBase):
    """A file that ends where it is not plain."""

    def __init__(self, file: Any, passed: Callable[[int], None]) -> None:
        self._file = file
        self._passed = passed

    def readable(self) -> bool:
        """Say so, as PyArrow asks."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, or refuse them."""
        data: bytes = self._file.read(size)
        if not _is_plain(data):
            raise OSError("not plain")
        self._passed(len(data))
        return data


def count_plain(
    file: str,
    choice: Choice,
    codes: tuple[Codes, Codes],
    count: Callable[[Chunk], None],
    passed: Callable[[int], None],
) -> tuple[int, bool]:
    """Count rows of plain CSV, as far as it is plain.

    Parameters
    ----------
    file : str
        Its name.
    choice : Choice
        The columns to read.
    codes : pair of Codes
        Labels and groups seen so far.
    count : callable
        Takes chunks.
    passed : callable
        Told how many bytes have been read.

    Returns
    -------
    rows, whole : int, bool
        How many rows have been counted, and whether these are all.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [choice.label, *choice.keys, *choice.scores]
    kinds = {name: pa.float64() if name in choice.scores else pa.string() for name in names}
    convert = arrow_csv.ConvertOptions(
        column_types=kinds, include_columns=names, null_values=[], strings_can_be_null=False
    )
    rows = 0
    with open(file, "rb") as raw:
        delimiter, header = _header(raw)
        parse = arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False)
        read = arrow_csv.ReadOptions(block_size=_BLOCK, column_names=header)
        try:
            with arrow_csv.open_csv(_Watched(raw, passed), read, parse, convert) as batches:
                for batch in batches:
                    chunk = _chunk(batch, choice, codes)
                    if chunk is None:
                        return rows, False
                    count(chunk)
                    rows += batch.num_rows
        except (pa.ArrowException, OSError, KeyError, CellError):
            return rows, False
    return rows, True


def _header(raw: Any) -> tuple[str, list[str]]:
    """Read the line of names as the careful reader does, and stop behind it."""
    line = b""
    while not line.strip():
        line = raw.readline()
    text = line.decode("ascii")
    delimiter = "\t" if "\t" in text else ","
    names = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
    return delimiter, [name.strip() for name in names]


def _chunk(batch: Any, choice: Choice, codes: tuple[Codes, Codes]) -> Chunk | None:
    scores = {name: batch.column(name).to_numpy() for name in choice.scores}
    if any(column.size and np.isnan(column.min()) for column in scores.values()):
        return None
    found: list[Any] = []
    for name, known in zip((choice.label, *choice.keys), codes, strict=False):
        column = batch.column(name).dictionary_encode()
        texts = column.dictionary.to_pylist()
        if any(is_missing(text) for text in texts) or len(texts) > _MOST_TEXTS:
            return None
        texts = [text.strip() for text in texts]
        found.append(known.of(texts)[column.indices.to_numpy(zero_copy_only=False)])
    return Chunk(found[0], found[1] if len(found) > 1 else None, scores)

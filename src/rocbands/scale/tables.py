"""Tables of counts as databases write them, column by column; what is no count is refused."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, IndexArray
from rocbands.errors import InputError
from rocbands.io.cells import CellError, parse_numbers
from rocbands.io.files import unreadable
from rocbands.scale.bins import INFINITE
from rocbands.scale.counts import ScoreCounts
from rocbands.scale.tally import exact_values

__all__ = ["COUNTS", "arrow_columns", "counts_of", "delimited_columns", "text_of"]

COUNTS = ("positives", "negatives")
_KNOWN = {"model", "group", "bin", "score", *COUNTS, "missing"}
_NO_MODEL = "score"


def arrow_columns(table: Any, name: str) -> dict[str, Any]:
    """Take the columns that make counts from an Arrow table."""
    columns: dict[str, Any] = {}
    folded = [column.casefold() for column in table.column_names]
    for column, data in zip(folded, table.columns, strict=True):
        if column in _KNOWN:
            if column in columns:
                raise _twice(name, column)
            columns[column] = _plain(data, column, name)
    return columns


def delimited_columns(name: str) -> dict[str, Any]:
    """Take the columns that make counts from a CSV file, plain or packed with gzip."""
    try:
        rows = list(csv.reader(io.StringIO(text_of(name), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error, EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise InputError(
            f"{name} must be Parquet, or CSV in UTF-8, plain or packed with gzip; it is neither "
            f"({problem}). Export the counts again."
        ) from None
    except OSError as problem:
        raise unreadable(name, problem) from None
    rows = [row for row in rows if row]
    header = [column.strip().casefold() for column in rows[0]] if rows else []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise InputError(
                f"{name}, row {number}: every row must have {len(header)} cells, as the first line "
                f"has; found {len(row)}. Export the counts again."
            )
    columns: dict[str, Any] = {}
    for index, column in enumerate(header):
        if column in _KNOWN:
            if column in columns:
                raise _twice(name, column)
            columns[column] = _cells([row[index] for row in rows[1:]], column, name)
    return columns


def _cells(cells: list[str], column: str, name: str) -> Any:
    if "" in cells:
        raise _null(f"{name}, row {cells.index('') + 2}", column)
    if column in ("model", "group"):
        place = {name: code for code, name in enumerate(dict.fromkeys(cells))}
        return tuple(place), np.fromiter(map(place.__getitem__, cells), np.intp, len(cells))
    try:
        if column == "score" and cells and all(map(_is_whole, cells)):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        return parse_numbers(cells, column) if cells else np.zeros(0, dtype=np.int64)
    except CellError as bad:
        raise InputError(f"{name}, row {bad.row + 2}: {bad}") from None
    except OverflowError:
        raise InputError(
            f"{name}: whole numbers in column 'score' must fit 64 bits; found longer ones. "
            "Write them as decimals."
        ) from None


def _is_whole(cell: str) -> bool:
    return cell.strip().removeprefix("-").isascii() and cell.strip().removeprefix("-").isdigit()


def text_of(name: str, most: int = -1) -> str:
    """Return the text of a file, or the first `most` bytes of it."""
    with open(name, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(name) if packed else open(name, "rb") as file:
        data: bytes = file.read(most)
    return data.decode("utf-8-sig", errors="strict" if most < 0 else "ignore")


def _plain(data: Any, column: str, name: str) -> Any:
    """Return a column of names as names and codes, and one of numbers as an array."""
    import pyarrow as pa

    if data.null_count:
        row = int(np.argmax(data.is_null().to_numpy()))
        raise _null(f"{name}, row {row + 1}", column)
    if column in ("model", "group"):
        if pa.types.is_floating(data.type) or pa.types.is_nested(data.type):
            raise InputError(
                f"{name}: column {column!r} must hold names; its type is {data.type}. "
                "Write it as text."
            )
        return _named(data)
    kind = data.type
    if pa.types.is_decimal(kind):
        data, kind = data.cast(pa.float64()), pa.float64()
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise InputError(
            f"{name}: column {column!r} must hold numbers; its type is {kind}. Write it as numbers."
        )
    return data.to_numpy()


def _named(data: Any) -> tuple[tuple[str, ...], IndexArray]:
    import pyarrow as pa

    joined = data.combine_chunks()
    if isinstance(joined, pa.ChunkedArray):
        joined = pa.concat_arrays(joined.chunks)
    if not pa.types.is_dictionary(joined.type):
        joined = joined.dictionary_encode()
    codes: IndexArray = joined.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    # A dictionary may name what no row has.
    used = np.bincount(codes, minlength=len(joined.dictionary)) > 0
    names = joined.dictionary.filter(pa.array(used)).to_pylist()
    return tuple(map(str, names)), (np.cumsum(used) - 1)[codes]


def _null(place: str, column: str) -> InputError:
    rows = "rows without a score" if column in ("bin", "score") else "missing values"
    return InputError(
        f"{place}: column {column!r} must have a value in every row; found none. The table that "
        f"was counted holds {rows}: correct or remove them there, and count again."
    )


def _twice(name: str, column: str) -> InputError:
    return InputError(
        f"{name}: column names must be distinct; {column!r} occurs twice. Rename one of them."
    )


def counts_of(columns: Mapping[str, Any], name: str, seal: Mapping[str, Any] | None) -> ScoreCounts:
    """Make counts of columns; `seal` says what the file itself cannot, if it has one."""
    if not {*COUNTS} <= columns.keys() or ("bin" in columns) == ("score" in columns):
        raise InputError(
            f"{name} must hold counts: the columns positives, negatives and either bin or score; "
            f"found {', '.join(columns) or 'none of them'}. Count rows with 'rocbands count'."
        )
    _refuse_missing(columns, name)
    binned = "bin" in columns
    value = _whole(columns["bin"], "bin", name) if binned else _scores(columns["score"], name)
    positives, negatives = (_whole(columns[kind], kind, name, least=0) for kind in COUNTS)
    if binned and value.size and np.abs(value).max() > INFINITE:
        raise InputError(
            f"{name}: column 'bin' must hold keys of bins, up to {INFINITE} in size; found "
            f"{value[np.abs(value).argmax()]}. Count with the query that 'rocbands sql' prints."
        )
    nobody = np.zeros(value.size, dtype=np.intp)
    models, model = columns.get("model", ((_NO_MODEL,), nobody))
    groups, group = columns.get("group", ((), nobody))
    if seal is not None and not value.size:
        models, groups = tuple(seal.get("models", ())), tuple(seal.get("groups", ()))
    labels = tuple(seal.get("labels", (None, None))) if seal is not None else (None, None)
    return ScoreCounts.of(
        (models, groups),
        (model, group),
        value,
        (positives, negatives),
        binned=binned,
        labels=(labels[0], labels[1]) if len(labels) == 2 else (None, None),
    )


def _refuse_missing(columns: Mapping[str, Any], name: str) -> None:
    missing = columns.get("missing")
    if missing is not None and missing.size and (total := missing.sum()) != 0:
        raise InputError(
            f"{name}: every row that is counted must have a label; {total:.0f} had none. "
            "Correct or remove them in the table that was counted, and count again."
        )


def _scores(column: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if column.dtype.kind == "u" and column.size and column.max() >= 2**63:
        raise InputError(
            f"{name}: whole numbers in column 'score' must fit 64 bits with a sign; found larger "
            "ones. Write them as decimals."
        )
    if column.dtype.kind == "f" and np.isnan(column).any():
        raise _null(f"{name}, row {int(np.isnan(column).argmax()) + 1}", "score")
    return exact_values(column)


def _whole(column: npt.NDArray[Any], kind: str, name: str, least: float = -np.inf) -> CountArray:
    good = np.isfinite(column) & (column == np.rint(column)) & (column >= least)
    good &= np.abs(column.astype(np.float64)) < 2**62
    if not good.all():
        row = int(np.argmin(good))
        floor = "" if least < 0 else " from 0 on"
        raise InputError(
            f"{name}, row {row + 1}: column {kind!r} must hold whole numbers{floor}; found "
            f"{column[row]}. Export the counts again."
        )
    return column.astype(np.int64)

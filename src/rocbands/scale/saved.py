"""Counts in files: our own, which have a seal, and tables that a database wrote.

Columns of counts are checked and become arguments of ``ScoreCounts.of``; this module does not
import the class.
"""

from __future__ import annotations

import csv
import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray
from rocbands.errors import InputError, Message, call, say_install
from rocbands.io.columns import CellError
from rocbands.io.numbers import NumberColumn
from rocbands.io.parquet import encode_column, open_parquet, to_arrow
from rocbands.io.streams import open_unpacked, read_all, to_seekable
from rocbands.io.tables import csv_table
from rocbands.io.writing import write_text, written_whole
from rocbands.scale.accumulator import exact_values
from rocbands.scale.bins import INFINITE

if TYPE_CHECKING:
    from rocbands.scale.counts import ScoreCounts

COUNTS_SCHEMA = "rocbands.counts/2"
_SEAL = b"rocbands"  # the key of our metadata in the Parquet schema
_HEAD = 1 << 16  # bytes that the line of column names may take
_COUNTS = ("positives", "negatives")
WEIGHT_SUMS = tuple(f"{side}_{sum_}" for sum_ in ("weight", "squares") for side in _COUNTS[::-1])
_KNOWN = {"model", "part", "bin", "score", *_COUNTS, *WEIGHT_SUMS, "missing"}
_NO_MODEL = "score"
_EXPORT_AGAIN = "Export the counts again."
_RENAME = "Rename one of them."
_DECIMALS = "Write them as decimals."


def _bad_file(name: str, must: str, found: str, remedy: str = _EXPORT_AGAIN) -> InputError:
    """Make the error of a file of counts; `name` is the file or the place in it."""
    return InputError(f"{name}: {must}", found, remedy)


def write_counts(counts: ScoreCounts, path: str | os.PathLike[str]) -> None:
    """Write counts to a Parquet file, in one step; to CSV if the file's name ends so."""
    columns = dict(counts.columns())
    if os.fspath(path).lower().endswith(".csv"):
        write_text(path, csv_table(columns))
        return
    pa, pq = _import_pyarrow(os.fspath(path))
    for kind in ("model", "part"):
        if kind in columns:
            names = pa.array(getattr(counts, f"{kind}s"), pa.string())
            codes = to_arrow(getattr(counts, kind).astype(np.int32))
            columns[kind] = pa.DictionaryArray.from_arrays(codes, names)
    arrays = [to_arrow(c) if isinstance(c, np.ndarray) else c for c in columns.values()]
    table = pa.Table.from_arrays(arrays, names=list(columns))
    seal = json.dumps(_make_seal(counts))
    with written_whole(path) as file:
        pq.write_table(
            table.replace_schema_metadata({_SEAL: seal.encode()}), file, compression="zstd"
        )


def _make_seal(counts: ScoreCounts) -> dict[str, Any]:
    """Return the facts that a complete file must match."""
    return {
        "schema": counts.schema,
        "binned": counts.binned,
        "models": counts.models,
        "parts": counts.parts,
        "by": counts.by,
        "labels": (counts.positive, counts.negative),
        "rows": int(counts.value.size),
        "positives": int(counts.positives.sum()),
        "negatives": int(counts.negatives.sum()),
        "checksum": _checksum(counts),
    }


def _checksum(counts: ScoreCounts) -> int:
    names = ("binned", "models", "parts", "by", "positive", "negative")
    total = zlib.crc32(json.dumps([getattr(counts, name) for name in names]).encode())
    columns = (counts.model, counts.part, counts.value, counts.positives, counts.negatives)
    for column in (*columns, *(() if counts.weights is None else counts.weights)):
        wide = column.astype(np.float64 if column.dtype.kind == "f" else np.int64)
        total = zlib.crc32(wide.tobytes(), total)
    return total


def check_seal(counts: ScoreCounts, seal: Mapping[str, Any] | None, name: str) -> None:
    """Refuse counts that do not match the file's seal, if it has one.

    A seal detects accidents, not manipulation.
    """
    if seal is not None and json.loads(json.dumps(_make_seal(counts))) != seal:
        raise _changed_error(name)


def read_counts_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Read counts that were saved, or that a database wrote as CSV or Parquet, from front to back.

    A database's table has the columns positives, negatives and either bin or score, and perhaps
    model and part. Returns what ``ScoreCounts.of`` takes, and what :func:`check_seal` compares.
    """
    name = os.fspath(path)
    with open_unpacked(path) as (stream, counted):
        if stream.peek(4).startswith(b"PAR1"):
            table, seal = _read_parquet(to_seekable(stream, counted, name), name)
            return _check_columns(_arrow_columns(table, name), name, seal), seal
        text = read_all(stream, name)
    return _check_columns(_delimited_columns(text, name), name, None), None


def read_arrow(table: Any, name: str) -> dict[str, Any]:
    """Take counts from an Arrow table, as ``ScoreCounts.of`` takes them."""
    return _check_columns(_arrow_columns(table, name), name, None)


def _changed_error(name: str) -> InputError:
    return InputError(
        f"{name} must contain the counts that were written to it",
        "they have been changed since, or lost in part",
        "Count again, or fetch the file again.",
    )


def is_counts(path: str | os.PathLike[str]) -> bool:
    """Tell from the names of its columns whether a file contains counts; never raises.

    False for "-" and pipes, which cannot be read twice.
    """
    try:
        if not Path(path).is_file():
            return False
        with open_unpacked(path) as (stream, counted):
            if stream.peek(4).startswith(b"PAR1"):
                import pyarrow.parquet as pq

                names = pq.read_schema(counted.file).names if stream.raw is counted else []
            else:
                text = stream.read(_HEAD).decode("utf-8-sig", errors="ignore")
                names = [name.strip() for name in next(csv.reader(text.splitlines()), [])]
    except Exception:  # reading the file will explain what is wrong with it
        return False
    names = [name.casefold() for name in names]
    return {*_COUNTS} <= {*names} and ("bin" in names) != ("score" in names)


def _import_pyarrow(name: str) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise InputError(
            f"{name}: counts are kept in Parquet files, and these need PyArrow, which is not "
            "installed",
            remedy=f"Install it with: {say_install('parquet')}",
        ) from None
    return pa, pq


def _read_parquet(file: BinaryIO, name: str) -> tuple[Any, dict[str, Any] | None]:
    _import_pyarrow(name)
    with open_parquet(file, name) as parquet:
        table = parquet.read()
        table.validate(full=True)
    seal = (table.schema.metadata or {}).get(_SEAL)
    return table, None if seal is None else _open_seal(seal, name)


def _open_seal(seal: bytes, name: str) -> dict[str, Any]:
    try:
        facts = json.loads(seal)
    except ValueError:
        facts = None
    if isinstance(facts, dict) and facts.get("schema") == COUNTS_SCHEMA:
        names = [facts.get(kind) for kind in ("models", "parts", "labels")]
        if all(isinstance(part, list) for part in names) and len(names[2] or ()) == 2:
            return facts
        raise _changed_error(name)
    raise InputError(
        f"{name} must contain counts in a form that this version reads, {COUNTS_SCHEMA}",
        f"found {facts.get('schema') if isinstance(facts, dict) else 'none'}",
        "Update rocbands.",
    )


def _arrow_columns(table: Any, name: str) -> dict[str, Any]:
    """Take the columns that make counts from an Arrow table."""

    def read(place: int, column: str) -> Any:
        return _to_numpy(table.columns[place], column, name)

    return _read_known(table.column_names, name, read)


def _read_known(
    header: Iterable[str], name: str, read: Callable[[int, str], Any]
) -> dict[str, Any]:
    """Read the columns that make counts: `read` takes the place and the name of one."""
    columns: dict[str, Any] = {}
    for place, column in enumerate(title.strip().casefold() for title in header):
        if column in columns:
            raise _bad_file(
                name, "column names must be distinct", f"{column!r} occurs twice", _RENAME
            )
        if column in _KNOWN:
            columns[column] = read(place, column)
    return columns


def _delimited_columns(data: bytes, name: str) -> dict[str, Any]:
    """Take the columns that make counts from CSV."""
    try:
        text = data.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as problem:
        raise InputError(
            f"{name} must be Parquet, or CSV in UTF-8, plain or packed with gzip",
            f"it is neither ({problem})",
            _EXPORT_AGAIN,
        ) from None
    rows = [row for row in rows if row]
    header = rows[0] if rows else []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            must = f"every row must have {len(header)} cells, as the first line has"
            raise _bad_file(f"{name}, row {number}", must, f"found {len(row)}")

    def read(place: int, column: str) -> Any:
        return _parse_cells([row[place] for row in rows[1:]], column, name)

    return _read_known(header, name, read)


def _parse_cells(cells: list[str], column: str, name: str) -> Any:
    if "" in cells:
        raise _null_error(f"{name}, row {cells.index('') + 2}", column)
    if column in ("model", "part"):
        place = {name: code for code, name in enumerate(dict.fromkeys(cells))}
        return tuple(place), np.fromiter(map(place.__getitem__, cells), np.intp, len(cells))
    try:
        if column == "score" and cells and all(map(_is_whole, cells)):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        return NumberColumn(column, ".").parse(cells) if cells else np.zeros(0, dtype=np.int64)
    except CellError as bad:
        raise bad.at(f"{name}, row {bad.row + 2}") from None
    except OverflowError:
        must = "whole numbers in column 'score' must fit 64 bits"
        raise _bad_file(name, must, "found longer ones", _DECIMALS) from None


def _is_whole(cell: str) -> bool:
    return cell.strip().removeprefix("-").isascii() and cell.strip().removeprefix("-").isdigit()


def _to_numpy(data: Any, column: str, name: str) -> Any:
    """Return a column of names as names and codes, and one of numbers as an array."""
    import pyarrow as pa

    if data.null_count:
        row = int(np.argmax(data.is_null().to_numpy()))
        raise _null_error(f"{name}, row {row + 1}", column)
    if column in ("model", "part"):
        if pa.types.is_floating(data.type) or pa.types.is_nested(data.type):
            must = f"column {column!r} must contain names"
            raise _bad_file(name, must, f"its type is {data.type}", "Write it as text.")
        names, codes = encode_column(data.combine_chunks(), column)
        return tuple(map(str, names)), codes.astype(np.intp)
    kind = data.type
    if pa.types.is_decimal(kind):
        data, kind = data.cast(pa.float64()), pa.float64()
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        must = f"column {column!r} must contain numbers"
        raise _bad_file(name, must, f"its type is {kind}", "Write it as numbers.")
    return data.to_numpy()


def _null_error(place: str, column: str) -> InputError:
    rows = "rows without a score" if column in ("bin", "score") else "missing values"
    remedy = f"The table that was counted contains {rows}: correct or remove them there, and count "
    must = f"column {column!r} must have a value in every row"
    return _bad_file(place, must, "found none", f"{remedy}again.")


def _check_columns(
    columns: Mapping[str, Any], name: str, seal: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return columns as ``ScoreCounts.of`` takes them; without rows the seal names the models."""
    if not {*_COUNTS} <= columns.keys() or ("bin" in columns) == ("score" in columns):
        raise InputError(
            f"{name} must contain counts: the columns positives, negatives and either bin or score",
            f"found {', '.join(columns) or 'none of them'}",
            Message("Count rows with {}.", call("count_scores")),
        )
    _refuse_missing(columns, name)
    binned = "bin" in columns
    if binned:
        value = _check_whole(columns["bin"], "bin", name)
    else:
        value = _check_scores(columns["score"], name)
    positives, negatives = (_check_whole(columns[kind], kind, name, least=0) for kind in _COUNTS)
    if binned and value.size and np.abs(value).max() > INFINITE:
        must = f"column 'bin' must contain keys of bins, up to {INFINITE} in size"
        remedy = "Count with the query of docs/scale.md."
        raise _bad_file(name, must, f"found {value[np.abs(value).argmax()]}", remedy)
    zeros = np.zeros(value.size, dtype=np.intp)
    models, model = columns.get("model", ((_NO_MODEL,), zeros))
    parts, part = columns.get("part", ((), zeros))
    if seal is not None and not value.size:
        models, parts = tuple(seal["models"]), tuple(seal["parts"])
    return {
        "names": (models, parts),
        "codes": (model, part),
        "value": value,
        "counts": (positives, negatives),
        "binned": binned,
        "labels": (None, None) if seal is None else tuple(seal["labels"]),
        "by": None if seal is None else seal.get("by"),
        "weights": _weight_sums(columns, name),
    }


def _weight_sums(columns: Mapping[str, Any], name: str) -> FloatArray | None:
    """Take the sums of weights, if any: all four, non-negative."""
    given = [kind for kind in WEIGHT_SUMS if kind in columns]
    if not given:
        return None
    if len(given) < len(WEIGHT_SUMS):
        raise InputError(
            f"{name} must contain all sums of weights, or none: {', '.join(WEIGHT_SUMS)}",
            f"found {', '.join(given)}",
            _EXPORT_AGAIN,
        )
    sums = np.stack([np.asarray(columns[kind], np.float64) for kind in WEIGHT_SUMS])
    if not (np.isfinite(sums) & (sums >= 0.0)).all():
        raise _bad_file(name, "sums of weights must be finite and not negative", "found others")
    return sums


def _refuse_missing(columns: Mapping[str, Any], name: str) -> None:
    missing = columns.get("missing")
    if missing is not None and missing.size and (total := missing.sum()) != 0:
        remedy = "Correct or remove them in the table that was counted, and count again."
        must = "every row that is counted must have a label"
        raise _bad_file(name, must, f"{total:.0f} had none", remedy)


def _check_scores(column: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if column.dtype.kind == "u" and column.size and column.max() >= 2**63:
        must = "whole numbers in column 'score' must fit 64 bits with a sign"
        raise _bad_file(name, must, "found larger ones", _DECIMALS)
    if column.dtype.kind == "f" and np.isnan(column).any():
        raise _null_error(f"{name}, row {int(np.isnan(column).argmax()) + 1}", "score")
    return exact_values(column)


def _check_whole(
    column: npt.NDArray[Any], kind: str, name: str, least: float = -np.inf
) -> CountArray:
    # The last condition keeps sums of two such columns inside 64 bits.
    good = np.isfinite(column) & (column == np.rint(column)) & (column >= least)
    good &= np.abs(column.astype(np.float64)) < 2**62
    if not good.all():
        row = int(np.argmin(good))
        floor = "" if least < 0 else " from 0 on"
        must = f"column {kind!r} must contain whole numbers{floor}"
        raise _bad_file(f"{name}, row {row + 1}", must, f"found {column[row]}")
    return column.astype(np.int64)

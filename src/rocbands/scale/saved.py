"""Counts in files: our own, which carry a seal, and tables that a database wrote."""

from __future__ import annotations

import csv
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from rocbands.errors import InputError
from rocbands.io.files import unreadable
from rocbands.io.writing import written_whole
from rocbands.scale.counts import ScoreCounts
from rocbands.scale.tables import COUNTS, arrow_columns, counts_of, delimited_columns, text_of

__all__ = ["is_counts", "read_counts", "write_counts"]

_SEAL = b"rocbands"  # the key of our metadata in the Parquet schema
_HEAD = 1 << 16  # bytes that the line of column names may take


def write_counts(counts: ScoreCounts, path: str | os.PathLike[str]) -> None:
    """Write counts to a Parquet file, in one step.

    Parameters
    ----------
    counts : ScoreCounts
        What is written.
    path : str or path-like
        Where to.
    """
    pa, pq = _pyarrow(os.fspath(path))
    columns = dict(counts.columns())
    for kind in ("model", "group"):
        if kind in columns:
            names = pa.array(getattr(counts, f"{kind}s"), pa.string())
            codes = pa.array(getattr(counts, kind), pa.int32())
            columns[kind] = pa.DictionaryArray.from_arrays(codes, names)
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    seal = json.dumps(_sealed(counts), ensure_ascii=False)
    with written_whole(path) as file:
        pq.write_table(
            table.replace_schema_metadata({_SEAL: seal.encode()}), file, compression="zstd"
        )


def _sealed(counts: ScoreCounts) -> dict[str, Any]:
    """Say what the file must hold to be whole."""
    return {
        "schema": counts.schema,
        "binned": counts.binned,
        "models": counts.models,
        "groups": counts.groups,
        "labels": counts.labels,
        "rows": int(counts.value.size),
        "positives": int(counts.positives.sum()),
        "negatives": int(counts.negatives.sum()),
        "checksum": _checksum(counts),
    }


def _checksum(counts: ScoreCounts) -> int:
    names = json.dumps([counts.binned, counts.models, counts.groups, counts.labels])
    total = zlib.crc32(names.encode())
    for column in (counts.model, counts.group, counts.value, counts.positives, counts.negatives):
        kind: type[Any] = np.float64 if column.dtype.kind == "f" else np.int64
        wide = column.astype(kind)
        total = zlib.crc32(wide.tobytes(), total)
    return total


def read_counts(path: str | os.PathLike[str]) -> ScoreCounts:
    """Read counts that were saved, or that a database wrote as CSV or Parquet.

    Parameters
    ----------
    path : str or path-like
        A file with our seal, or a table with the columns positives, negatives and either bin or
        score, and perhaps model and group.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            is_parquet = file.read(4) == b"PAR1"
    except OSError as problem:
        raise unreadable(name, problem) from None
    columns, seal = _parquet(name) if is_parquet else (delimited_columns(name), None)
    counts = counts_of(columns, name, seal)
    if seal is not None and json.loads(json.dumps(_sealed(counts))) != seal:
        raise _changed(name)
    return counts


def _changed(name: str) -> InputError:
    return InputError(
        f"{name} must hold the counts that were written to it; they have been changed since, "
        "or lost in part. Count again, or fetch the file again."
    )


def is_counts(path: str | os.PathLike[str]) -> bool:
    """Tell from the names of its columns whether a file holds counts; never raises.

    Parameters
    ----------
    path : str or path-like
        Any file; "-" is none.
    """
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            head = file.read(4)
        if head == b"PAR1":
            import pyarrow.parquet as pq

            names = pq.read_schema(path).names
        else:
            names = _names_in(text_of(os.fspath(path), _HEAD))
    except Exception:  # what is wrong with the file, whoever reads it will say
        return False
    names = [name.casefold() for name in names]
    return {*COUNTS} <= {*names} and ("bin" in names) != ("score" in names)


def _names_in(text: str) -> list[str]:
    return [name.strip() for name in next(csv.reader(text.splitlines()), [])]


def _pyarrow(name: str) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            f"{name}: counts are kept in Parquet files, and these need PyArrow, which is not "
            "installed. Install it with: pip install 'rocbands[parquet]'."
        ) from None
    return pa, pq


def _parquet(name: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    pa, pq = _pyarrow(name)
    try:
        table = pq.read_table(pa.OSFile(name), memory_map=False)
        table.validate(full=True)
        seal = (table.schema.metadata or {}).get(_SEAL)
        return arrow_columns(table, name), None if seal is None else _opened(seal, name)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        raise InputError(
            f"{name} must be a whole Parquet file; it is damaged or cut off. "
            "Write or fetch it again."
        ) from problem


def _opened(seal: bytes, name: str) -> dict[str, Any]:
    try:
        facts = json.loads(seal)
    except ValueError:
        facts = None
    if isinstance(facts, dict) and facts.get("schema") == ScoreCounts.schema:
        names = [facts.get(kind) for kind in ("models", "groups", "labels")]
        if all(isinstance(part, list) for part in names) and len(names[2] or ()) == 2:
            return facts
        raise _changed(name)
    raise InputError(
        f"{name} must hold counts in a form that this version reads, {ScoreCounts.schema}; found "
        f"{facts.get('schema') if isinstance(facts, dict) else 'none'}. Update rocbands."
    )

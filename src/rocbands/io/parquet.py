"""Parquet files and other Arrow data, through PyArrow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import (
    Choice,
    Chunk,
    Encoded,
    MissingCellError,
    Note,
    encode_array,
    encode_list,
    is_missing,
    locate,
    pick,
    refuse_nan,
)
from rocbands.io.engine import Engine
from rocbands.io.streams import needs_pyarrow

_CHUNK = 1 << 17  # rows decoded at a time
_AT_ONCE = 1 << 26  # bytes decoded at a time, and most of a row


class ParquetRows:
    """A Parquet file as rows."""

    def __init__(
        self,
        parquet: Any,
        source: str,
        progress: Callable[[float], None] | None = None,
        path: str | None = None,
    ) -> None:
        self.path = path
        self._parquet = parquet
        self._source = source
        self._progress = progress
        self._schema = parquet.schema_arrow
        self.names: list[str] = self._schema.names

    def is_number(self, name: str) -> bool:
        # By its place: names may occur twice.
        return _kind(self._schema.field(self.names.index(name)).type) == "number"

    def guess_rows(self, rows: int) -> int:
        return int(self._parquet.metadata.num_rows)

    def relation(self, engine: Engine, choice: Choice) -> Any:
        self._check_types(choice)
        read = engine.connection.read_parquet(self.path, hive_partitioning=False)
        if len(read.columns) != len(self.names):
            return None
        places = [read.columns[self.names.index(name)] for name in choice.names]  # as DuckDB has it
        return read.select(*map(engine.column, places))

    def read_labels(self, name: str, labels: list[Any]) -> list[Any]:
        return labels

    @property
    def notes(self) -> Sequence[Note]:
        return ()

    def _check_types(self, choice: Choice) -> None:
        for name in choice.scores:
            option = arg("score", "NAME") if name in choice.models else arg("weights", "NAME")
            self._check_type(name, ("number",), option)
        self._check_type(choice.label, ("number", "text"), arg("label", "NAME"))
        for name in choice.keys:
            options = Message("{} or {}", arg("clusters", "NAME"), arg("folds", "NAME"))
            self._check_type(name, ("number", "text"), options)

    def chunks(self, choice: Choice) -> Iterator[Chunk]:
        self._check_types(choice)
        done = 0
        for batch in self._parquet.iter_batches(self._choose_batch(), columns=choice.names):
            place = partial(name_row, self._source, done)
            with locate(place):
                chunk = read_batch(batch, choice, place)
            yield chunk
            done += batch.num_rows
            if self._progress is not None:
                self._progress(done / self._parquet.metadata.num_rows)

    def _choose_batch(self) -> int:
        """Choose the number of rows to decode at a time: fewer where their cells are long."""
        facts = self._parquet.metadata
        groups = range(getattr(facts, "num_row_groups", 0))  # an Arrow table is in memory already
        size = sum(facts.row_group(k).total_byte_size for k in groups)
        each = int(size // max(facts.num_rows, 1))
        if each > _AT_ONCE:
            raise InputError(
                f"{self._source}: a row must have at most {_AT_ONCE >> 20} MB",
                f"they have {each >> 20} MB on average",
                "Leave the columns with long texts out.",
            )
        return min(_CHUNK, _AT_ONCE // max(each, 1))

    def _check_type(self, name: str, allowed: tuple[str, ...], option: str) -> None:
        remedy = Message("Name another column with {}.", option)
        if allowed == ("number",) and _kind(self._schema.field(name).type) == "text":
            remedy += " If its cells are numbers, write them as such."
        _check_type(self._schema, name, allowed, self._source, remedy)


class ArrowTable:
    """A Feather or Arrow IPC file, with the interface that `ParquetRows` needs."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        try:
            import pyarrow as pa
        except ModuleNotFoundError:
            raise needs_pyarrow(f"{source} is an Arrow file") from None
        try:
            self._table = pa.ipc.open_file(file).read_all()
        except MemoryError:  # of Arrow, too
            raise
        except (pa.ArrowException, OSError) as problem:
            raise InputError(
                f"{source} must be a whole Arrow file",
                f"found: {problem}",
                "Fetch or write it again.",
            ) from None
        self.schema_arrow = self._table.schema
        self.metadata = self._table  # it has num_rows

    def iter_batches(self, size: int, columns: list[str]) -> Iterator[Any]:
        """Yield batches of some columns."""
        yield from self._table.select(columns).to_batches(size)


def name_row(source: str, start: int, row: int) -> str:
    """Name a row of a source; `start` rows precede its chunk."""
    return f"{source}, row {start + row + 1}"


def read_batch(batch: Any, choice: Choice, place: Callable[[int], str]) -> Chunk:
    """Turn an Arrow batch into a chunk; raises CellError for a cell that cannot be used."""
    scores = {name: _numbers(batch.column(name), name, choice.missing) for name in choice.scores}
    labels = {
        name: encode_column(batch.column(name), name, choice.may_lack(name))
        for name in (choice.label, *choice.keys)
    }
    return Chunk(scores, labels, place)


def read_number_columns(
    file: BinaryIO, names: Sequence[str], source: str
) -> dict[str, npt.NDArray[Any]]:
    """Read whole columns of numbers from a Parquet file."""
    with open_parquet(file, source) as parquet:
        schema = parquet.schema_arrow
        for name in names:
            pick(name, schema.names, source)
            _check_type(schema, name, ("number",), source, "Write the file again.")
        table = parquet.read(columns=list(names))
        with locate(partial(name_row, source, 0)):
            return {name: _numbers(table.column(name).combine_chunks(), name) for name in names}


@contextmanager
def open_parquet(file: str | BinaryIO, source: str, **options: Any) -> Iterator[Any]:
    """Open a Parquet file; damage found now or while reading is a one-line error."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise needs_pyarrow(f"{source} is a Parquet file") from None
    try:
        # As bytes, because file names need not be UTF-8.
        opened = pa.OSFile(os.fsencode(file)) if isinstance(file, str) else file
        with pq.ParquetFile(opened, **options) as parquet:
            yield parquet
    except MemoryError:  # of Arrow, too
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        raise InputError(
            f"{source} must be a whole Parquet file",
            "it is damaged or cut off",
            "Write or fetch it again.",
        ) from problem


def _check_type(schema: Any, name: str, allowed: tuple[str, ...], source: str, remedy: str) -> None:
    """Refuse a column whose type is of another kind, of those that :func:`_kind` returns."""
    kind = schema.field(name).type
    if _kind(kind) not in allowed:
        must = "numbers" if allowed == ("number",) else "text, numbers or booleans"
        found = f"its type is {kind}"
        raise InputError(f"{source}: column {name!r} must contain {must}", found, remedy)


def _kind(column: Any) -> str:
    """Return 'number', 'text' (or booleans) or 'other' for an Arrow type."""
    import pyarrow as pa

    known = pa.types
    if known.is_dictionary(column):
        return "text" if _kind(column.value_type) == "text" else "other"
    if known.is_integer(column) or known.is_floating(column) or known.is_decimal(column):
        return "number"
    texts = (known.is_string, known.is_large_string, known.is_string_view, known.is_boolean)
    return "text" if any(is_text(column) for is_text in texts) else "other"


def refuse_null(column: Any, name: str) -> Any:
    """Return the column, or refuse its first null."""
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise MissingCellError(row, f"column {name!r} must have a value in every row", "found null")
    return column


def encode_column(column: Any, name: str, missing: bool = False) -> Encoded:
    """Return the distinct values of an Arrow column, and each row's index among them."""
    import pyarrow as pa

    if missing:
        values = column.to_pylist()
        return encode_list([None if is_missing(value) else value for value in values])
    column = refuse_null(column, name)
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return encode_array(_from_arrow(column), name)
    if pa.types.is_string(kind):
        encoded = _encode_letters(column)
        if encoded is not None:
            return encoded
    if pa.types.is_string_view(kind):  # PyArrow cannot encode these
        column = column.cast(pa.large_string())
    if not pa.types.is_dictionary(kind):
        column = column.dictionary_encode()
    rows = _from_arrow(column.indices)
    # A dictionary may contain unused values.
    used = np.bincount(rows, minlength=len(column.dictionary)) > 0
    if used.all():
        return refuse_null(column.dictionary, name).to_pylist(), rows
    distinct = refuse_null(column.dictionary.take(to_arrow(np.flatnonzero(used))), name)
    return distinct.to_pylist(), (np.cumsum(used) - 1)[rows]


def _encode_letters(column: Any) -> Encoded | None:
    """Encode at most two distinct one-byte labels such as 0 and 1, without hashing."""
    size = len(column)
    _, offsets, text = column.buffers()
    ends = np.frombuffer(offsets, np.int32, size + 1, 4 * column.offset)
    if not size or ends[-1] - ends[0] != size or not (ends[1:] - ends[:-1] == 1).all():
        return None
    letters = np.frombuffer(text, np.uint8, size, ends[0])
    others = letters != letters[0]
    labels = bytes(dict.fromkeys([letters[0], letters[np.argmax(others)]]))
    if sum(np.count_nonzero(letters == label) for label in labels) != size or not labels.isascii():
        return None
    return list(labels.decode()), others.view(np.int8)


def _from_arrow(column: Any) -> npt.NDArray[Any]:
    """Return an Arrow array of numbers without nulls as NumPy has it, without a copy.

    ``to_numpy`` would import pandas, which takes longer than reading a million rows.
    """
    kind = np.dtype(column.type.to_pandas_dtype())
    return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)


def to_arrow(column: npt.NDArray[Any]) -> Any:
    """Return a column of numbers as an Arrow array, without a copy.

    ``pyarrow.array`` would import pandas, to check for a pandas column.
    """
    import pyarrow as pa

    numbers = np.ascontiguousarray(column)
    buffers = [None, pa.py_buffer(numbers)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), numbers.size, buffers)


def _numbers(column: Any, name: str, missing: bool = False) -> npt.NDArray[Any]:
    import pyarrow as pa

    if missing and column.null_count:
        column = column.cast(pa.float64()).fill_null(np.nan)
    column = refuse_null(column, name)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    numbers = _from_arrow(column)
    if not missing:
        refuse_nan(numbers, name)
    return numbers

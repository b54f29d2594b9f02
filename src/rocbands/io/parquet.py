"""Parquet files, through PyArrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from rocbands.errors import InputError
from rocbands.io.cells import ADVICE, CellError, refuse_nan
from rocbands.io.columns import ScoreTable, Wanted, pick

__all__ = ["opened", "read_number_columns", "read_parquet", "without_null"]

_CHUNK = 1 << 17  # rows decoded at a time


def read_parquet(
    file: BinaryIO, wanted: Wanted, passed: Callable[[float], None] | None = None
) -> ScoreTable:
    """Read the wanted columns of a Parquet file.

    Parameters
    ----------
    file : binary file
        One that can seek: a Parquet file is read from its end.
    wanted : Wanted
        The columns asked for.
    passed : callable, optional
        Told the share of the rows that have been read.
    """
    with opened(file, wanted.source) as parquet:
        return _read(parquet, wanted, passed)


def read_number_columns(
    file: BinaryIO, names: Sequence[str], source: str
) -> dict[str, npt.NDArray[Any]]:
    """Read whole columns of numbers from a Parquet file.

    Parameters
    ----------
    file : binary file
        One that can seek.
    names : sequence of str
        The columns to read.
    source : str
        What to call the file in messages.
    """
    with opened(file, source) as parquet:
        schema = parquet.schema_arrow
        for name in names:
            pick(name, schema.names, source)
            if _kind(schema.field(name).type) != "number":
                raise InputError(
                    f"{source}: column {name!r} must hold numbers; its type is "
                    f"{schema.field(name).type}. Write the file again."
                )
        table = parquet.read(columns=list(names))
        try:
            return {name: _numbers(table.column(name).combine_chunks(), name) for name in names}
        except CellError as bad:
            raise InputError(f"{source}, row {bad.row + 1}: {bad}") from None


@contextmanager
def opened(file: Any, source: str, **options: Any) -> Iterator[Any]:
    """Open a Parquet file; damage that shows now or while it is read is an error of one line."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            f"{source} is a Parquet file, and reading it needs PyArrow, which is not "
            "installed. Install it with: pip install 'rocbands[parquet]'."
        ) from None
    try:
        with pq.ParquetFile(file, **options) as parquet:
            yield parquet
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        raise InputError(
            f"{source} must be a whole Parquet file; it is damaged or cut off. "
            "Write or fetch it again."
        ) from problem


def _read(parquet: Any, wanted: Wanted, passed: Callable[[float], None] | None) -> ScoreTable:
    schema, total = parquet.schema_arrow, parquet.metadata.num_rows
    if total == 0:
        raise InputError(
            f"{wanted.source} must hold rows; it holds none. Check the step that wrote it."
        )
    kinds = {name: _kind(column) for name, column in zip(schema.names, schema.types, strict=True)}
    choice = wanted.choose(schema.names, lambda name: kinds[name] == "number")
    for name in choice.scores:
        if kinds[name] != "number":
            raise _wrong_type(wanted.source, name, schema, "numbers", "--score")
    gathering = wanted.gather(choice, wanted.source)
    for name in gathering.labels:
        if kinds[name] == "other":
            option = "--label" if name == choice.label else "--groups or --folds"
            raise _wrong_type(wanted.source, name, schema, "text, numbers or booleans", option)
    done = 0
    for batch in parquet.iter_batches(_CHUNK, columns=[*gathering.labels, *choice.scores]):
        try:
            for name in choice.scores:
                gathering.add(name, _numbers(batch.column(name), name))
            for name, labels in gathering.labels.items():
                labels.add_encoded(*_encoded(batch.column(name), name))
            gathering.end_chunk()
        except CellError as bad:
            raise InputError(f"{wanted.source}, row {done + bad.row + 1}: {bad}") from None
        done += batch.num_rows
        if passed is not None:
            passed(done / total)
    return gathering.table()


def _kind(column: Any) -> str:
    import pyarrow as pa

    known = pa.types
    if known.is_dictionary(column):
        return "text" if _kind(column.value_type) == "text" else "other"
    if known.is_integer(column) or known.is_floating(column) or known.is_decimal(column):
        return "number"
    texts = (known.is_string, known.is_large_string, known.is_string_view, known.is_boolean)
    return "text" if any(is_text(column) for is_text in texts) else "other"


def _wrong_type(source: str, name: str, schema: Any, must: str, option: str) -> InputError:
    found = schema.field(name).type
    return InputError(
        f"{source}: column {name!r} must hold {must}; its type is {found}. "
        f"Name another column with {option} NAME."
    )


def without_null(column: Any, name: str) -> Any:
    """Return the column, or refuse its first null."""
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise CellError(
            row, f"column {name!r} must have a value in every row; found null. {ADVICE}"
        )
    return column


def _encoded(column: Any, name: str) -> tuple[list[Any], npt.NDArray[Any]]:
    """Return the distinct labels, and the place of each row's label among them."""
    import pyarrow as pa

    column = without_null(column, name)
    if pa.types.is_string_view(column.type):  # which PyArrow cannot encode
        column = column.cast(pa.large_string())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    rows = column.indices.to_numpy()
    # A dictionary of the file may name labels that no row here has.
    used = np.bincount(rows, minlength=len(column.dictionary)) > 0
    return column.dictionary.filter(pa.array(used)).to_pylist(), (np.cumsum(used) - 1)[rows]


def _numbers(column: Any, name: str) -> npt.NDArray[Any]:
    import pyarrow as pa

    column = without_null(column, name)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    numbers: npt.NDArray[Any] = column.to_numpy(zero_copy_only=False)
    refuse_nan(numbers, name)
    return numbers

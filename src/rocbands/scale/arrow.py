"""Arrow batches become chunks of codes and numbers, or are refused with the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.errors import InputError
from rocbands.io.cells import CellError, refuse_nan
from rocbands.io.columns import Choice
from rocbands.io.parquet import without_null
from rocbands.scale.labels import Codes
from rocbands.scale.tally import Chunk

__all__ = ["check_types", "chunk_of", "is_number_type"]


def is_number_type(schema: Any) -> Callable[[str], bool]:
    """Return a function that tells whether a column's type is one of numbers."""
    import pyarrow as pa

    kinds = dict(zip(schema.names, schema.types, strict=True))
    return lambda name: pa.types.is_integer(kinds[name]) or pa.types.is_floating(kinds[name])


def check_types(schema: Any, choice: Choice, source: str) -> None:
    """Refuse columns whose type cannot be counted."""
    import pyarrow as pa

    is_number = is_number_type(schema)
    for name in choice.scores:
        if not is_number(name):
            raise InputError(
                f"{source}: column {name!r} must hold floats or whole numbers to be counted; its "
                f"type is {schema.field(name).type}. Convert it to floats first."
            )
    for name in (choice.label, *choice.keys):
        kind = schema.field(name).type
        inner = kind.value_type if pa.types.is_dictionary(kind) else kind
        known = [pa.types.is_integer, pa.types.is_boolean, pa.types.is_string]
        known += [pa.types.is_large_string, pa.types.is_string_view, pa.types.is_date]
        if name == choice.label:
            known[-1] = pa.types.is_floating
        if not any(fits(inner) for fits in known):
            what = "labels" if name == choice.label else "groups"
            raise InputError(
                f"{source}: column {name!r} must hold {what} as text, whole numbers or booleans; "
                f"its type is {kind}. Name another column, or convert it first."
            )


def chunk_of(batch: Any, choice: Choice, labels: Codes, groups: Codes) -> Chunk:
    """Turn a batch into a chunk.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        Some rows.
    choice : Choice
        The columns that hold labels, scores and groups.
    labels, groups : Codes
        Those seen so far.
    """
    scores = {name: _numbers(batch.column(name), name) for name in choice.scores}
    label = _codes(batch.column(choice.label), choice.label, labels, text=False)
    group = None
    for name in choice.keys:
        group = _codes(batch.column(name), name, groups, text=True)
    return Chunk(label, group, scores)


def _numbers(column: Any, name: str) -> npt.NDArray[Any]:
    numbers: npt.NDArray[Any] = without_null(column, name).to_numpy(zero_copy_only=False)
    if numbers.size:
        refuse_nan(numbers, name)
    if numbers.dtype == np.uint64 and numbers.size and numbers.max() >= 2**63:
        row = int(np.argmax(numbers >= 2**63))
        raise CellError(
            row,
            f"column {name!r} must hold whole numbers below 2**63; found {numbers[row]}. "
            "Convert it to floats first.",
        )
    return numbers


def _codes(column: Any, name: str, codes: Codes, *, text: bool) -> npt.NDArray[Any]:
    import pyarrow as pa

    column = without_null(column, name)
    kind = column.type
    if not text and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return codes.encode(column.to_numpy(zero_copy_only=False))
    if pa.types.is_string_view(kind):  # which PyArrow cannot filter
        column = column.cast(pa.large_string())
    if not pa.types.is_dictionary(kind):
        column = column.dictionary_encode()
    values = without_null(column.dictionary, name)
    values = values.cast(pa.string()) if text else values
    places: npt.NDArray[Any] = column.indices.to_numpy(zero_copy_only=False)
    # A dictionary may hold what no row has.
    used = np.bincount(places, minlength=len(values)) > 0
    known = values.filter(pa.array(used)).to_pylist()
    found = codes.of([value.strip() if text else value for value in known])
    return np.asarray(found[(np.cumsum(used) - 1)[places]])

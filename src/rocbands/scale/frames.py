"""Frames, tables, data sets and relations as lanes; nothing but the chosen columns is touched."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.columns import frame_kind, score_column, to_column
from rocbands.errors import InputError
from rocbands.io.cells import CellError
from rocbands.io.columns import Choice
from rocbands.scale.lanes import Count, Lane, Reading
from rocbands.scale.sources import stream_lanes
from rocbands.scale.tally import ROWS, Chunk, rows_at_a_time

__all__ = ["rows_of"]


def rows_of(source: Any, reading: Reading) -> Iterator[Lane]:
    """Make the lanes of a source that is no file.

    Parameters
    ----------
    source : frame, table, data set, reader or relation
        Where the rows are.
    reading : Reading
        The columns asked for, and what has been seen.
    """
    library = type(source).__module__.partition(".")[0].removeprefix("_")
    if library == "duckdb" and hasattr(source, "columns"):
        return _relation(source, reading)
    if library == "polars" and hasattr(source, "collect_schema") and not hasattr(source, "height"):
        return _lazy(source, reading)
    if library == "pyarrow":
        return _arrow(source, reading)
    if frame_kind(source) is not None and hasattr(source, "columns"):
        return _frame(source, reading)
    raise InputError(
        "`source` must be a path, a list of paths, a frame, a PyArrow data set or a DuckDB "
        f"relation; it is {type(source).__name__}. For arrays there is ScoreCounts.from_arrays."
    )


def _arrow(source: Any, reading: Reading) -> Iterator[Lane]:
    import pyarrow as pa

    if isinstance(source, pa.RecordBatch):
        return stream_lanes(iter([source]), source.schema, "the record batch", reading)
    if isinstance(source, pa.Table):
        return stream_lanes(iter(source.to_batches(ROWS)), source.schema, "the table", reading)
    if isinstance(source, pa.RecordBatchReader):
        return stream_lanes(iter(source), source.schema, "the reader", reading)
    if hasattr(source, "scanner"):
        return _data_set(source, reading)
    raise InputError(
        "`source` must hold rows and columns; it is a PyArrow "
        f"{type(source).__name__}. Pass a table, a data set or a record batch reader."
    )


def _data_set(source: Any, reading: Reading) -> Iterator[Lane]:
    from rocbands.scale.arrow import is_number_type

    schema = source.schema
    choice = reading.chosen("the data set", schema.names, is_number_type(schema))
    names = [choice.label, *choice.keys, *choice.scores]
    size = rows_at_a_time(len(names))
    scanner = source.scanner(columns=names, batch_size=size, batch_readahead=4)
    batches = scanner.to_batches()
    yield from stream_lanes(batches, scanner.projected_schema, "the data set", reading)


def _relation(source: Any, reading: Reading) -> Iterator[Lane]:
    duckdb = sys.modules["duckdb"]
    numbers = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE")
    kinds = dict(zip(source.columns, map(str, source.types), strict=True))
    choice = reading.chosen(
        "the relation", source.columns, lambda name: kinds[name].removeprefix("U") in numbers
    )
    names = [choice.label, *choice.keys, *choice.scores]
    # An expression names a column whatever its name: nothing is put into a query.
    chosen = source.select(*(duckdb.ColumnExpression(name) for name in names))
    read = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
    reader = read(rows_at_a_time(len(names)))
    try:
        yield from stream_lanes(iter(reader), reader.schema, "the relation", reading)
    finally:
        reader.close()  # for as long as it is open, its connection can do nothing else


def _lazy(source: Any, reading: Reading) -> Iterator[Lane]:
    kinds = {name: str(kind) for name, kind in source.collect_schema().items()}
    choice = _chosen("the lazy frame", kinds, reading)
    chosen = source.select([choice.label, *choice.keys, *choice.scores])
    if hasattr(chosen, "collect_batches"):
        size = rows_at_a_time(1 + len(choice.keys) + len(choice.scores))
        frames = iter(chosen.collect_batches(chunk_size=size, maintain_order=True))
    else:
        frames = iter([chosen.collect(engine="streaming")])
    row = 0
    for frame in frames:
        yield from _slices(frame, choice, reading, "the lazy frame", row)
        row += frame.height


def _frame(source: Any, reading: Reading) -> Iterator[Lane]:
    import narwhals as nw

    named = _named(source)
    schema = nw.from_native(named, eager_only=True).schema
    kinds = {name: str(kind) for name, kind in schema.items()}
    choice = _chosen("the frame", kinds, reading)
    yield from _slices(named, choice, reading, "the frame", 0)


def _named(source: Any) -> Any:
    """Give the columns names that are text, as pandas may not; refuse a name that occurs twice."""
    names = [str(name) for name in source.columns]
    for name, times in Counter(names).items():
        if times > 1:
            raise InputError(
                f"the frame: column names must be distinct; {name!r} occurs {times} times. "
                "Rename all but one of them."
            )
    return source if names == list(source.columns) else source.set_axis(names, axis="columns")


def _chosen(source: str, kinds: Mapping[str, str], reading: Reading) -> Choice:
    numbers = ("Int", "UInt", "Float")
    choice = reading.chosen(source, list(kinds), lambda name: kinds[name].startswith(numbers))
    for name in choice.scores:
        if kinds[name].startswith(("Decimal", "Int128", "UInt128")):
            raise InputError(
                f"{source}: column {name!r} must hold floats or whole numbers to be counted; its "
                f"type is {kinds[name]}. Convert it to floats first."
            )
    return choice


def _slices(
    frame: Any, choice: Choice, reading: Reading, source: str, start: int
) -> Iterator[Lane]:
    import narwhals as nw

    whole = nw.from_native(frame, eager_only=True)
    for begin in range(0, len(whole), ROWS):
        yield _slice_lane(whole[begin : begin + ROWS], choice, reading, source, start + begin)


def _slice_lane(part: Any, choice: Choice, reading: Reading, source: str, start: int) -> Lane:
    def column(name: str) -> Any:
        return part.get_column(name).to_native()

    def run(count: Count) -> None:
        try:
            scores = {name: _scores(column(name), name) for name in choice.scores}
            labels = reading.labels.encode(to_column(column(choice.label), choice.label))
            groups = None
            for name in choice.keys:
                groups = reading.groups.encode_names(to_column(column(name), name))
        except InputError as problem:
            last = start + len(part)
            raise InputError(f"{source}, rows {start} to {last - 1}: {problem}") from None
        except CellError as bad:
            raise InputError(f"{source}, row {start + bad.row}: {bad}") from None
        count(Chunk(labels, groups, scores))
        reading.passed(sum(values.nbytes for values in scores.values()))

    return run


def _scores(values: Any, name: str) -> npt.NDArray[Any]:
    column = score_column(values, name)
    if column.dtype == np.uint64 and column.max() >= 2**63:
        raise InputError(
            f"`{name}` must hold whole numbers below 2**63; found larger ones. "
            "Convert the column to floats first."
        )
    return column

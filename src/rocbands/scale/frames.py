"""Arrays, frames, Arrow tables, data sets and DuckDB relations, as parts to count.

Only the chosen columns are read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rocbands.core.checks import FloatArray, check_flag
from rocbands.core.columns import column_text, frame_kind, score_column, to_column
from rocbands.core.rows import usable_weights
from rocbands.core.sample_columns import read_models, score_title
from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import MOST_LABELS, CellError, Choice, Chunk, Codes, encode_array, locate
from rocbands.scale.accumulator import (
    ROWS,
    Accumulator,
    CodedRows,
    find_positive,
    part_text,
    rows_at_a_time,
)
from rocbands.scale.sources import Part, Scan, batch_parts, is_number_type, wrong_score_type
from rocbands.scale.tensor_columns import can_count, check_mask, count_tensors, take_masked


def frame_parts(source: Any, scan: Scan) -> Iterator[Part]:
    """Make the parts of a source that is not a file."""
    library = type(source).__module__.partition(".")[0].removeprefix("_")
    if library == "duckdb" and hasattr(source, "columns"):
        return _make_relation_parts(source, scan)
    if library == "polars" and hasattr(source, "collect_schema") and not hasattr(source, "height"):
        return _make_lazy_parts(source, scan)
    if library == "pyarrow":
        return _make_arrow_parts(source, scan)
    if frame_kind(source) is not None and hasattr(source, "columns"):
        return _make_frame_parts(source, scan)
    raise InputError(
        "must be a path, a list of paths, a frame, a PyArrow data set or a DuckDB relation",
        f"it is {type(source).__name__}",
        "For arrays there is ScoreCounts.from_arrays.",
        argument="source",
    )


def _make_arrow_parts(source: Any, scan: Scan) -> Iterator[Part]:
    import pyarrow as pa

    if isinstance(source, pa.RecordBatch):
        return batch_parts(iter([source]), source.schema, "the record batch", scan)
    if isinstance(source, pa.Table):
        return batch_parts(iter(source.to_batches(ROWS)), source.schema, "the table", scan)
    if isinstance(source, pa.RecordBatchReader):
        return batch_parts(iter(source), source.schema, "the reader", scan)
    if hasattr(source, "scanner"):
        return _make_data_set_parts(source, scan)
    raise InputError(
        "must contain rows and columns",
        f"it is a PyArrow {type(source).__name__}",
        "Pass a table, a data set or a record batch reader.",
        argument="source",
    )


def _make_data_set_parts(source: Any, scan: Scan) -> Iterator[Part]:
    schema = source.schema
    choice = scan.choose("the data set", schema.names, is_number_type(schema))
    names = choice.names
    size = rows_at_a_time(len(names))
    scanner = source.scanner(columns=names, batch_size=size, batch_readahead=4)
    batches = scanner.to_batches()
    yield from batch_parts(batches, scanner.projected_schema, "the data set", scan)


def _make_relation_parts(source: Any, scan: Scan) -> Iterator[Part]:
    duckdb = sys.modules["duckdb"]
    numbers = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE")
    kinds = dict(zip(source.columns, map(str, source.types), strict=True))
    choice = scan.choose(
        "the relation", source.columns, lambda name: kinds[name].removeprefix("U") in numbers
    )
    names = choice.names
    # An expression refers to columns of any name, so no name becomes part of a query.
    chosen = source.select(*(duckdb.ColumnExpression(name) for name in names))
    read = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
    reader = read(rows_at_a_time(len(names)))
    try:
        yield from batch_parts(iter(reader), reader.schema, "the relation", scan)
    finally:
        reader.close()  # an open reader blocks its connection


def _make_lazy_parts(source: Any, scan: Scan) -> Iterator[Part]:
    kinds = {name: str(kind) for name, kind in source.collect_schema().items()}
    choice = _choose("the lazy frame", kinds, scan)
    chosen = source.select(choice.names)
    if hasattr(chosen, "collect_batches"):
        size = rows_at_a_time(len(choice.names))
        frames = iter(chosen.collect_batches(chunk_size=size, maintain_order=True))
    else:
        frames = iter([chosen.collect(engine="streaming")])
    row = 0
    for frame in frames:
        yield from _slice_parts(frame, choice, scan, "the lazy frame", row)
        row += frame.height


def _make_frame_parts(source: Any, scan: Scan) -> Iterator[Part]:
    import narwhals as nw

    # Names as text, because those of pandas may be anything.
    names = [column_text(name) for name in source.columns]
    named = source
    if names != list(source.columns) or len(set(names)) < len(names):
        firsts = [names.index(name) for name in dict.fromkeys(names)]
        named = source.iloc[:, firsts].set_axis(list(dict.fromkeys(names)), axis="columns")
    schema = nw.from_native(named, eager_only=True).schema
    kinds = {name: str(kind) for name, kind in schema.items()}
    choice = _choose("the frame", kinds, scan, names)
    yield from _slice_parts(named, choice, scan, "the frame", 0)


def _choose(
    source: str, kinds: Mapping[str, str], scan: Scan, names: Sequence[str] | None = None
) -> Choice:
    """Choose columns; `names`, if given, repeats those that occur more than once."""
    numbers = ("Int", "UInt", "Float")
    choice = scan.choose(source, names or list(kinds), lambda name: kinds[name].startswith(numbers))
    for name in choice.scores:
        if kinds[name].startswith(("Decimal", "Int128", "UInt128")):
            raise wrong_score_type(source, name, kinds[name])
    return choice


def _slice_parts(frame: Any, choice: Choice, scan: Scan, source: str, start: int) -> Iterator[Part]:
    import narwhals as nw

    whole = nw.from_native(frame, eager_only=True)
    for begin in range(0, len(whole), ROWS):
        piece = whole[begin : begin + ROWS]
        yield partial(_read_slice, piece, choice, source, start + begin, scan)


def _read_slice(part: Any, choice: Choice, source: str, start: int, scan: Scan) -> Iterator[Chunk]:
    def column(name: str) -> Any:
        return part.get_column(name).to_native()

    def place(row: int) -> str:
        return f"{source}, row {start + row}"

    try:
        scores = {name: score_column(column(name), name) for name in choice.scores}
        labels = {
            name: encode_array(to_column(column(name), name), name)
            for name in (choice.label, *choice.keys)
        }
    except InputError as problem:
        rows = f"{source}, rows {start} to {start + len(part) - 1}"
        raise InputError(Message("{}: {}", rows, problem.message)) from None
    except CellError as bad:
        raise bad.at(place(bad.row)) from None
    yield Chunk(scores, labels, place)
    scan.report(sum(values.nbytes for values in scores.values()))


def count_arrays(
    y_true: Any,
    y_score: Any,
    *,
    positive: object,
    by: Any,
    exact: bool,
    weights: Any = None,
    mask: Any = None,
) -> dict[str, Any]:
    """Count arrays in memory; return the arguments of ``ScoreCounts.of``.

    Tensors are counted on their device, unless weights, parts or exact scores are asked for.
    """
    check_flag(exact, "exact")
    models = read_models(y_score)
    if by is None and weights is None and not exact and can_count(models):
        return count_tensors(y_true, models, positive=positive, mask=mask)
    if mask is not None:
        keep = check_mask(mask)
        y_true, by, weights = (
            None if column is None else take_masked(column, keep, name)
            for name, column in {"y_true": y_true, "by": by, "weights": weights}.items()
        )
        models = {name: take_masked(column, keep, name) for name, column in models.items()}
    labels, parts = Codes("y_true", MOST_LABELS), Codes("by")
    scores = {
        name: score_column(column, score_title(name, tuple(models)))
        for name, column in models.items()
    }
    members = None
    with locate("Row {}".format):
        codes = labels.encode(*encode_array(to_column(y_true, "y_true"), "y_true"))
        if by is not None:
            values, rows = encode_array(to_column(by, "by"), "by")
            members = parts.encode(map(part_text, values), rows)
    titles = [arg("y_score") if len(models) == 1 else repr(name) for name in scores]
    for title, column in zip((*titles, arg("by")), (*scores.values(), members), strict=True):
        if column is not None and column.size != codes.size:
            raise InputError(
                Message(
                    "{}, scores and {} must have one value for each row", arg("y_true"), arg("by")
                ),
                Message(
                    "{} has {} rows and {} has {}", arg("y_true"), codes.size, title, column.size
                ),
            )
    weighed = None if weights is None else _check_weights(weights, codes.size)
    coded, accumulator = CodedRows(codes, members, scores, weighed), Accumulator(exact)
    for begin in range(0, codes.size, ROWS):
        accumulator.add(coded.take(slice(begin, begin + ROWS)))
    is_positive, names = find_positive(labels.values, positive, "y_true")
    found = accumulator.count_columns(tuple(scores), parts.values, is_positive)
    name = getattr(by, "name", None)
    return found | {"labels": names, "by": name if isinstance(name, str) and name else None}


def _check_weights(weights: Any, size: int) -> FloatArray:
    column = score_column(weights, "weights").astype(np.float64)
    good = usable_weights(column)
    if column.size != size or not good.all():
        found = f"it has {column.size} values for {size} rows"
        if column.size == size:
            row = int(np.argmin(good))
            found = f"weights[{row}] = {column[row]!s}"
        raise InputError(
            "must be above 0 for each row", found, "Leave out rows of weight 0.", argument="weights"
        )
    return column

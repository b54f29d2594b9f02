"""Arrays, frames and Arrow data in memory as chunks to count."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rocbands.core.checks import FloatArray, check_flag
from rocbands.core.columns import column_text, frame_kind, score_column, to_column
from rocbands.core.rows import usable_weights
from rocbands.core.sample_columns import read_models, score_title
from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import MOST_LABELS, CellError, Choice, Chunk, Codes, encode_array, locate
from rocbands.io.parquet import name_row, read_batch
from rocbands.scale.accumulator import (
    ROWS,
    Accumulator,
    CodedRows,
    find_positive,
    part_text,
    rows_at_a_time,
)
from rocbands.scale.sources import Scan, check_kinds, is_counted
from rocbands.scale.tensor_columns import can_count, check_mask, count_tensors, take_masked

if TYPE_CHECKING:
    import narwhals as nw


def read_frame(source: Any, scan: Scan) -> Iterator[Chunk] | None:
    """Read the rows of a frame or of Arrow data; None if the frame is lazy."""
    import narwhals as nw

    if type(source).__module__.startswith("pyarrow"):
        return _read_arrow(source, scan)
    names = None
    if frame_kind(source) == "pandas" and hasattr(source, "columns"):
        names = [column_text(name) for name in source.columns]  # which may be anything
        firsts = [names.index(name) for name in dict.fromkeys(names)]
        source = source.iloc[:, firsts].set_axis(list(dict.fromkeys(names)), axis="columns")
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise InputError(
            "must be a path, a list of paths, a frame, a PyArrow data set or a DuckDB relation",
            f"it is {type(source).__name__}",
            "For arrays there is ScoreCounts.from_arrays.",
            argument="source",
        ) from None
    return None if isinstance(frame, nw.LazyFrame) else _read_slices(frame, names, scan)


def _read_arrow(source: Any, scan: Scan) -> Iterator[Chunk]:
    """Read Arrow data, batch by batch."""
    import narwhals as nw
    import pyarrow as pa

    if not hasattr(source, "schema"):
        raise InputError(
            "must contain rows and columns",
            f"it is a PyArrow {type(source).__name__}",
            "Pass a table, a data set or a record batch reader.",
            argument="source",
        )
    title = f"the {type(source).__name__}"
    names = source.schema.names
    firsts = {name: names.index(name) for name in names}
    schema = pa.schema([source.schema.field(place) for place in firsts.values()])
    kinds = nw.from_native(schema.empty_table()).schema
    choice = scan.choose(title, names, lambda name: is_counted(kinds[name]))
    check_kinds(kinds, choice, title)
    size, row = rows_at_a_time(len(choice.names)), 0
    batches: Any = [source] if isinstance(source, pa.RecordBatch) else source
    if hasattr(source, "scanner"):  # a data set, of which only these columns are read
        batches = source.scanner(columns=choice.names, batch_size=size).to_batches()
    elif hasattr(source, "to_batches"):
        batches = source.to_batches()
    for batch in batches:
        for begin in range(0, batch.num_rows, size):
            place = partial(name_row, title, row + begin)
            with locate(place):
                yield read_batch(batch.slice(begin, size), choice, place)
        row += batch.num_rows


def _read_slices(frame: nw.DataFrame[Any], names: list[str] | None, scan: Scan) -> Iterator[Chunk]:
    """Read a frame in memory, slice by slice; `names`: of all columns, if some are not unique."""
    kinds = frame.schema
    choice = scan.choose("the frame", names or list(kinds), lambda name: is_counted(kinds[name]))
    numeric = tuple(name for name in choice.scores if kinds[name].is_numeric())
    check_kinds(kinds, Choice(choice.label, numeric), "the frame")  # others: cell by cell
    for begin in range(0, len(frame), ROWS):
        yield _read_slice(frame[begin : begin + ROWS], choice, begin)


def _read_slice(rows: nw.DataFrame[Any], choice: Choice, start: int) -> Chunk:
    def column(name: str) -> Any:
        return rows.get_column(name).to_native()

    def place(row: int) -> str:
        return f"the frame, row {start + row}"

    try:
        scores = {name: score_column(column(name), name) for name in choice.scores}
        labels = {
            name: encode_array(to_column(column(name), name), name)
            for name in (choice.label, *choice.keys)
        }
    except InputError as problem:
        several = f"the frame, rows {start} to {start + len(rows) - 1}"
        raise InputError(Message("{}: {}", several, problem.message)) from None
    except CellError as bad:
        raise bad.at(place(bad.row)) from None
    return Chunk(scores, labels, place)


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

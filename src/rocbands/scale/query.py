"""Counting by one query, which the engine of the rows runs: DuckDB, Polars, Dask, Spark, Ibis.

The query is written once, in expressions of narwhals: put scores into bins, group by model, part,
label and bin, count. Rows never pass through Python, and names of columns are no part of the query.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rocbands.core.checks import CountArray, IndexArray
from rocbands.core.rows import LEAST_WEIGHT, MOST_WEIGHT
from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import MOST_LABELS, Choice, locate
from rocbands.scale.accumulator import Accumulator, part_text, split_rows
from rocbands.scale.bins import INFINITE, LEAST_EXPONENT, MOST_WHOLE, STEPS
from rocbands.scale.sources import Scan, check_kinds, is_counted

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.dtypes import DType

_FIRST = 100_000  # rows in which labels are counted, before all rows are
_TITLE = "the frame"


def count_frame(source: Any, scan: Scan, exact: bool) -> Accumulator:
    """Count the rows of a lazy frame by its own engine, which may be a cluster."""
    import narwhals as nw

    names = None
    if hasattr(source, "toDF"):  # Spark takes a.b for a part of column a, and A for a
        names, source = source.columns, source.toDF(*_plain_names(source.columns))
    elif hasattr(source, "to_delayed"):  # Dask allows names that are no text
        source = source.rename(columns=str)
    frame = nw.from_native(source).lazy()
    schema = frame.collect_schema()
    names = names or schema.names()
    kinds = dict(zip(names, schema.values(), strict=True))
    choice = scan.choose(_TITLE, names, lambda name: is_counted(kinds[name]))
    columns = dict(zip(names, schema, strict=True))
    plain = zip(_plain_names(choice.names), choice.names, strict=True)
    chosen = frame.select(*(nw.col(columns[name]).alias(short) for short, name in plain))
    try:
        return count_columns(chosen, choice, _TITLE, scan, exact)
    except RuntimeError as problem:
        if str(problem) == "Query interrupted":  # what DuckDB makes of Ctrl-C
            raise KeyboardInterrupt from None
        raise


def _plain_names(names: Sequence[str]) -> list[str]:
    return [f"c{place}" for place in range(len(names))]


def count_columns(
    frame: nw.LazyFrame[Any],
    choice: Choice,
    title: str,
    scan: Scan,
    exact: bool,
    read_labels: Callable[[str, list[Any]], list[Any]] = lambda name, labels: labels,
) -> Accumulator:
    """Count the rows of a frame whose columns are c0, c1, ... in the order of ``choice.names``.

    A missing value, a weight that is not above 0 and a whole number that would be rounded are
    errors, which begin with `title`. `read_labels` converts the distinct values of a column of
    labels.
    """
    schema = dict(frame.collect_schema())
    kinds = dict(zip(choice.names, schema.values(), strict=True))
    columns = dict(zip(choice.names, schema, strict=True))
    check_kinds(kinds, choice, title)
    for model in choice.models:
        _refuse_large(frame, columns[model], kinds[model], exact, f"{title}: column {model!r}")
    first = frame.head(_FIRST).select(columns[choice.label]).unique().collect()
    _refuse_many(len(first), choice.label, title)
    accumulator = Accumulator(exact)
    try:
        for models, query in _write_queries(frame, choice, columns, kinds, exact):
            found = query.collect()
            if (found["value"] == INFINITE).any():
                _refuse_hidden_nan(frame, {name: columns[name] for name in models}, title)
            _add(accumulator, found, models, choice, title, scan, read_labels)
    finally:
        _forget_engine()
    return accumulator


def _refuse_hidden_nan(frame: nw.LazyFrame[Any], columns: Mapping[str, str], title: str) -> None:
    """Refuse NaN that DuckDB took for infinity.

    It is above every number there, and ``isnan`` is false for all rows of a Parquet file whose
    statistics, which know no NaN, have a finite maximum (2.0). As text it is found.
    """
    import narwhals as nw

    if frame.implementation.is_duckdb() or frame.implementation.is_ibis():
        for name, column in columns.items():
            text = frame.select(nw.col(column).cast(nw.Float64).cast(nw.String).alias("text"))
            rows = text.filter(nw.col("text").str.to_lowercase() == "nan").select(nw.len())
            _refuse_missing(title, name, np.array(rows.collect().rows(), dtype=np.int64))


def _forget_engine() -> None:
    """Let narwhals forget DuckDB, which lists on standard error what is alive when Python ends."""
    kept: Any = getattr(sys.modules.get("narwhals._namespace"), "_builtin_namespace", None)
    if hasattr(kept, "cache_clear"):
        kept.cache_clear()


def add_bins(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Add a column of keys: the bins of column x, as :mod:`rocbands.scale.bins` defines them.

    Null and NaN have none. There it says why the rounding of logarithms cannot change a key.
    |x| / 2 is used so that a logarithm rounded up never leads to 2**1024. Each step is a column,
    so that engines compute it once.
    """
    import narwhals as nw

    x, half, e, size = map(nw.col, ("x", "half", "e", "size"))
    tiny = x.abs() < 2.0**LEAST_EXPONENT
    rows = rows.with_columns(half=nw.when(tiny).then(nw.lit(0.0)).otherwise(x.abs() / 2.0))
    inside = (half > 0.0) & (half / 2.0 < half)
    rows = rows.with_columns(e=nw.when(inside).then(half.log(2.0).floor()))
    step = ((half / (nw.lit(2.0) ** e) - 1.0) * float(STEPS)).floor()
    rows = rows.with_columns(size=(e + float(1 - LEAST_EXPONENT)) * float(STEPS) + step + 2.0)
    least = nw.when(x == 0.0).then(nw.lit(0.0)).otherwise(nw.lit(1.0))
    outside = nw.when(half > 0.0).then(nw.lit(float(INFINITE))).otherwise(least)
    rows = rows.with_columns(size=nw.when(size.is_null()).then(outside).otherwise(size))
    key = nw.when(x < 0.0).then(nw.lit(0.0) - size).otherwise(size)
    return rows.with_columns(value=_without_nan(key))


def _without_nan(value: nw.Expr) -> nw.Expr:
    """Return a value where x is a number, else null."""
    import narwhals as nw

    return nw.when(~nw.col("x").is_null() & ~nw.col("x").is_nan()).then(value)


def _write_queries(
    frame: nw.LazyFrame[Any],
    choice: Choice,
    columns: Mapping[str, str],
    kinds: Mapping[str, DType],
    exact: bool,
) -> Iterator[tuple[Sequence[str], nw.LazyFrame[Any]]]:
    """Write one query for all models, but exact whole numbers and floats have one each.

    Databases have one for each model: not all of them can stack columns.
    """
    import narwhals as nw

    places = [nw.col(columns[choice.label]).alias("label")]
    places += [nw.col(columns[name]).alias("part") for name in choice.keys]
    sums, weighed = [nw.len().alias("rows")], []
    for name in choice.numbers:
        w = nw.col(columns[name]).cast(nw.Float64)
        usable = (w >= LEAST_WEIGHT) & (w <= MOST_WEIGHT)
        unusable = nw.when(usable).then(nw.lit(0)).otherwise(nw.lit(1))
        weighed = [w.alias("w"), (w * w).alias("squares"), unusable.alias("unusable")]
        sums += [nw.col("w").sum(), nw.col("squares").sum(), nw.col("unusable").max()]
    index = ["label", "part", "w", "squares", "unusable"]
    index = [*index[: len(places)], *index[2 : 2 + len(weighed)]]
    engine = frame.implementation
    together: dict[tuple[bool, str], list[str]] = {}
    for name in choice.models:
        alone = name if engine.is_duckdb() or engine.is_ibis() else ""
        together.setdefault((exact and kinds[name].is_integer(), alone), []).append(name)
    for (whole, _), models in together.items():
        kind = nw.Int64 if whole else nw.Float64
        scores = {str(place): columns[name] for place, name in enumerate(models)}
        cast = (nw.col(column).cast(kind).alias(name) for name, column in scores.items())
        rows = frame.select(*places, *weighed, *cast)
        if len(models) == 1:
            rows, groups = rows.rename({"0": "x"}), index[: len(places)]
        else:
            rows = rows.unpivot([*scores], index=index, variable_name="model", value_name="x")
            groups = [*index[: len(places)], "model"]
        if not exact:
            rows = add_bins(rows)
        else:  # -0.0 becomes 0.0
            value = nw.col("x") if whole else _without_nan(nw.col("x") + 0.0)
            rows = rows.with_columns(value=value)
        yield models, rows.group_by(*groups, "value").agg(*sums)


def _refuse_large(
    frame: nw.LazyFrame[Any], column: str, kind: DType, exact: bool, title: str
) -> None:
    """Refuse whole numbers that floats, or signed ones, cannot hold."""
    import narwhals as nw

    if kind not in (nw.Int64, nw.UInt64) or (exact and kind == nw.Int64):
        return
    x = nw.col(column)
    ((low, high),) = frame.select(x.min().alias("low"), x.max().alias("high")).collect().rows()
    if low is not None and max(-int(low), int(high)) > (2**63 - 1 if exact else MOST_WHOLE):
        must = "whole numbers below 2**63" if exact else "floats, or whole numbers up to 2**53"
        remedy = "Convert it to floats first."
        if not exact:
            remedy = "Count them exactly, or divide them first: floats would round them."
        raise InputError(f"{title} must contain {must}", f"found {max(low, high, key=abs)}", remedy)


def _refuse_many(size: int, column: str, title: str) -> None:
    """Refuse a column of more labels than classes have."""
    if size > MOST_LABELS:
        raise InputError(
            f"{title}: column {column!r} must contain two labels",
            f"it has more than {MOST_LABELS} different ones",
            Message("Name the column of labels with {}.", arg("label", "NAME")),
        )


def _refuse_missing(title: str, name: str, rows: CountArray) -> None:
    """Refuse a column that has no value in some rows; `rows` are their counts."""
    size = int(rows.sum())
    if size:
        raise InputError(
            f"{title}: column {name!r} must have a value in every row",
            f"it is null or NaN in {size} row{'' if size == 1 else 's'}",
            "Correct or remove them.",
        )


def _add(
    accumulator: Accumulator,
    found: nw.DataFrame[Any],
    models: Sequence[str],
    choice: Choice,
    title: str,
    scan: Scan,
    read_labels: Callable[[str, list[Any]], list[Any]],
) -> None:
    """Add what a query found, if no value is missing."""
    if not len(found):
        return
    rows = found["rows"].to_numpy().astype(np.int64)
    places, model = ["0"], np.zeros(len(found), dtype=np.int64)
    if len(models) > 1:
        places, model = _encode(found["model"])
    values = found["value"].to_numpy()
    missing = found["value"].is_null().to_numpy() | np.isnan(values)
    for code, place in enumerate(places):
        _refuse_missing(title, models[int(place)], rows[missing & (model == code)])
    labels, label = _encode(found["label"])
    parts, part = _encode(found["part"]) if choice.keys else ([], np.zeros_like(label))
    for name, distinct, codes in zip(
        (choice.label, *choice.keys), (labels, parts), (label, part), strict=False
    ):
        gone = [code for code, value in enumerate(distinct) if value is None or value != value]  # noqa: PLR0124
        _refuse_missing(title, name, rows[np.isin(codes, gone)])
    _refuse_many(len(labels), choice.label, title)
    counts = rows
    for name in choice.numbers:
        counts = np.stack([rows, *(found[sums].to_numpy() for sums in ("w", "squares"))])
        if found["unusable"].max() or np.isnan(counts).any():
            must = f"{title}: column {name!r} must contain weights above 0"
            raise InputError(must, "found others", "Correct or leave out such rows.")
    with locate(lambda row: title):
        label_codes = scan.labels.extend(read_labels(choice.label, labels))
    part_codes = np.zeros(1, np.int32)
    for name in choice.keys:
        part_codes = scan.by.extend(map(part_text, read_labels(name, parts)))
    shape = len(places), part_codes.size, len(labels)
    owner = np.ravel_multi_index((model, part, label), shape)
    present, owner = np.unique(owner, return_inverse=True)
    where = split_rows(owner, present.size)
    for place, code, kind, chosen in zip(*np.unravel_index(present, shape), where, strict=True):
        cell = models[int(places[place])], int(part_codes[code]), int(label_codes[kind])
        accumulator.put(cell, values[chosen], counts[..., chosen])


def _encode(column: nw.Series[Any]) -> tuple[list[Any], IndexArray]:
    """Return the distinct values of a column, and the place of each row's among them."""
    import narwhals as nw

    distinct = column.unique().to_list()
    codes = column.replace_strict(distinct, list(range(len(distinct))), return_dtype=nw.Int64)
    return distinct, codes.to_numpy()

"""Counting data frames of Dask and Spark on their clusters, and a Dask cluster as an executor.

Dask: each partition is counted by the worker that holds it. Spark: the cluster groups and counts,
and returns only the counts. Queries are text in Spark's SQL over columns that are renamed by their
position. So no column name is ever part of a query, frames of Spark Connect work too, and pyspark
is not imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain
from rocbands.errors import InputError, RocBandsError, say_install
from rocbands.io.columns import MOST_LABELS, Choice, Codes, Wanted, locate
from rocbands.scale.accumulator import Accumulator, part_text, split_rows
from rocbands.scale.bins import INFINITE
from rocbands.scale.frames import frame_parts
from rocbands.scale.shards import ShardCounts, add_shard, count_parts
from rocbands.scale.sources import Scan, wrong_label_type, wrong_score_type
from rocbands.scale.sql import DIALECTS, bin_steps

_PATIENCE = "10s"
_RETRIES = 3  # a job whose worker fails is repeated by another


@explain
@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Connect to a Dask scheduler; return an executor that uses its workers.

    When a worker dies, Dask gives its jobs to others. Workers must have this package installed.
    """
    try:
        import distributed
    except ModuleNotFoundError as problem:
        raise InputError(
            "Work on a Dask cluster needs the package distributed",
            remedy=f"Install it with: {say_install('dask')}",
        ) from problem
    connect: Any = distributed.Client
    try:
        client: Any = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"No Dask scheduler answers at {address!r}",
            remedy="Start one with 'dask scheduler', and pass the address that it prints.",
        ) from problem
    with client:
        try:
            yield _DaskExecutor(client)
        except distributed.KilledWorker as problem:
            raise RocBandsError(
                "Workers of the Dask cluster die again and again over the same piece of work. They "
                "may have too little memory: give them more, or let fewer threads work at a time."
            ) from problem


class _DaskExecutor(Executor):
    """Jobs of a Dask client.

    Its own ``get_executor()`` fails with a TypeError if a result is lost with its worker at the
    moment it is passed on; here it is waited for until Dask has computed it again.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        found: Future[Any] = Future()
        job = self._client.submit(fn, *args, pure=False, retries=_RETRIES, **kwargs)
        found.add_done_callback(lambda _: job.cancel() if found.cancelled() else None)
        job.add_done_callback(partial(_pass_on, found))
        return found


def _pass_on(found: Future[Any], job: Any) -> None:
    with suppress(InvalidStateError):  # cancelled meanwhile
        try:
            result = job.result()
        except BaseException as problem:
            found.set_exception(problem)
        else:
            found.set_result(result)


def is_dask_frame(source: object) -> bool:
    """Tell whether something is a data frame of Dask."""
    module = type(source).__module__
    return module.startswith(("dask.dataframe", "dask_expr")) and hasattr(source, "to_delayed")


def count_dask_frame(frame: Any, scan: Scan, exact: bool) -> Accumulator:
    """Let Dask count the partitions of a frame, on the cluster that it is connected to, if any."""
    import dask

    engine: Any = dask
    if any(not isinstance(name, str) for name in frame.columns):
        frame = frame.rename(columns=str)
    kinds = {str(name): kind for name, kind in frame.dtypes.items()}
    names = [str(name) for name in frame.columns]
    choice = scan.choose("the Dask frame", names, lambda name: kinds[name].kind in "iuf")
    wanted = scan.settle()
    chosen = frame[choice.names]
    count = engine.delayed(_count_partition, pure=True)
    parts = engine.compute(*(count(part, wanted, exact) for part in chosen.to_delayed()))
    accumulator = Accumulator(exact)
    for part in parts:
        add_shard(accumulator, scan, part)
    return accumulator


def _count_partition(rows: Any, wanted: Wanted, exact: bool) -> ShardCounts:
    scan = Scan(wanted)
    return count_parts(frame_parts(rows, scan), scan, exact)


_FLOATS = ("float", "double")
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_TEXT = ("string", "varchar", "char")
_SOURCE = "the Spark frame"
_TOO_LARGE = INFINITE + 1  # key of whole numbers that have no bin


def is_spark_frame(source: object) -> bool:
    """Tell whether something is a data frame of Spark, or of Spark Connect."""
    module = type(source).__module__
    return module.startswith("pyspark.sql.") and hasattr(source, "selectExpr")


def count_spark_frame(frame: Any, scan: Scan, exact: bool) -> Accumulator:
    """Let Spark count the rows of a frame.

    A first, small job finds the labels, so that a wrong column is noticed before the rows are
    counted.
    """
    kinds = [field.dataType.simpleString() for field in frame.schema.fields]
    names = [field.name for field in frame.schema.fields]
    by_name = dict(zip(names, kinds, strict=True))
    choice = scan.choose(_SOURCE, names, lambda name: by_name[name] in (*_FLOATS, *_WHOLE))
    _check_types(choice, by_name)
    plain = frame.toDF(*(f"c{place}" for place in range(len(names))))
    columns = {name: f"c{place}" for place, name in enumerate(names)}
    _find_labels(plain, columns[choice.label], choice.label, scan)
    accumulator = Accumulator(exact)
    if not scan.labels.values:
        return accumulator
    for models in _group_alike(choice.scores, by_name, exact):
        values = [(columns[name], by_name[name]) for name in models]
        rows = _write_exact_steps(values) if exact else _write_bin_steps(values)
        table = _count_cells(plain, columns, choice, rows)
        if not exact:
            _refuse_large(table.column("value"))
        _add(accumulator, table, models, choice, scan)
    return accumulator


def _check_types(choice: Choice, kinds: dict[str, str]) -> None:
    for name in choice.scores:
        if kinds[name] not in (*_FLOATS, *_WHOLE):
            raise wrong_score_type(_SOURCE, name, kinds[name])
    for name in (choice.label, *choice.keys):
        known = (*_WHOLE, "boolean", *(_FLOATS if name == choice.label else ("date",)))
        if kinds[name] not in known and not kinds[name].startswith(_TEXT):
            raise wrong_label_type(_SOURCE, name, kinds[name], choice)


def _find_labels(plain: Any, column: str, name: str, scan: Scan) -> None:
    """Find the distinct labels; refuse missing ones and too many."""
    found = [row[0] for row in plain.select(column).distinct().limit(MOST_LABELS + 1).collect()]
    if any(label is None or label != label for label in found):  # noqa: PLR0124
        missing = f"{column} IS NULL OR CAST({column} AS STRING) = 'NaN'"
        raise _missing_error(name, plain.filter(missing).count())
    with locate(lambda row: _SOURCE):
        scan.labels.extend(found)


def _missing_error(name: str, rows: int) -> InputError:
    return InputError(
        f"{_SOURCE}: column {name!r} must have a value in every row",
        f"it is null or NaN in {rows} row{'' if rows == 1 else 's'}",
        "Correct or remove them, for example with frame.dropna().",
    )


def _group_alike(models: Sequence[str], kinds: dict[str, str], exact: bool) -> list[list[str]]:
    """Group models that one query can count: exact whole numbers and floats separately."""
    whole = [name for name in models if kinds[name] in _WHOLE]
    floats = [name for name in models if kinds[name] in _FLOATS]
    return [names for names in (whole, floats) if names] if exact else [list(models)]


Steps: TypeAlias = list[list[str]]  # expressions selected from the rows, then from these, ...


def _write_exact_steps(scores: Sequence[tuple[str, str]]) -> Steps:
    """Write the expressions of exact values, null where a score is missing."""
    values = [f"CAST({x} AS BIGINT)" for x, _ in scores]
    if scores[0][1] in _FLOATS:
        numbers = [f"CAST({x} AS DOUBLE)" for x, _ in scores]
        values = [f"CASE WHEN NOT isnan({x}) THEN {x} + 0D END" for x in numbers]  # -0.0 is 0.0
    return [[_stack_models([[value] for value in values], "value")]]


def _write_bin_steps(scores: Sequence[tuple[str, str]]) -> Steps:
    """Write the expressions of keys of bins, as in the query of ``rocbands sql``."""
    most = 2**53
    # Beyond 2**53 the cast to DOUBLE would round.
    large = [
        f"{x} NOT BETWEEN {-most} AND {most}" if kind == "bigint" else "FALSE" for x, kind in scores
    ]
    numbers = [[f"CAST({x} AS DOUBLE)", over] for (x, _), over in zip(scores, large, strict=True)]
    half, power, key = bin_steps("rb_x", DIALECTS["spark"])
    return [
        [_stack_models(numbers, "rb_x, rb_large")],
        ["*", f"{half} AS rb_half"],
        ["*", f"{power} AS rb_power"],
        ["*", f"CASE WHEN rb_large THEN {_TOO_LARGE} ELSE {key} END AS value"],
    ]


def _stack_models(models: Sequence[Sequence[str]], names: str) -> str:
    """Write a row for each model, so that all of them are counted in one pass."""
    rows = ", ".join(f"{place}, {', '.join(values)}" for place, values in enumerate(models))
    return f"stack({len(models)}, {rows}) AS (model, {names})"


def _count_cells(plain: Any, columns: dict[str, str], choice: Choice, steps: Steps) -> Any:
    """Group and count the rows; return an Arrow table."""
    owner = [f"{columns[name]} AS owner" for name in choice.keys]
    rows = plain.selectExpr(f"{columns[choice.label]} AS label", *owner, *steps[0])
    for step in steps[1:]:
        rows = rows.selectExpr(*step)
    places = ["label", *("owner" for _ in choice.keys), "model", "value"]
    found = rows.groupBy(*places).count()
    if hasattr(found, "toArrow"):  # Spark 4; it is many times as fast as rows
        return found.toArrow()
    import pyarrow as pa

    names = (*places, "count")
    return pa.table([list(column) for column in zip(*found.collect(), strict=True)], names)


def _add(
    accumulator: Accumulator, table: Any, models: Sequence[str], choice: Choice, scan: Scan
) -> None:
    """Add Spark's counts; missing values are refused."""
    model, counts = (table.column(name).to_numpy() for name in ("model", "count"))
    for place, name in enumerate(models):
        _refuse_missing(table.column("value"), name, counts * (model == place))
    for name in choice.keys:
        _refuse_missing(table.column("owner"), name, counts * (model == 0))
    values = table.column("value").to_numpy()
    labels = _encode(table.column("label"), scan.labels)
    owners = np.zeros_like(labels)
    for _ in choice.keys:
        owners = _encode(table.column("owner"), scan.by, part_text)
    cells, member = np.unique(np.stack((model, owners, labels)), axis=1, return_inverse=True)
    places = split_rows(member.ravel(), cells.shape[1])
    for (place, owner, label), rows in zip(cells.T.tolist(), places, strict=True):
        accumulator.put((models[place], owner, label), values[rows], counts[rows])


def _refuse_missing(column: Any, name: str, counts: npt.NDArray[np.int64]) -> None:
    missing = int(counts[column.is_null().to_numpy()].sum()) if column.null_count else 0
    if missing:
        raise _missing_error(name, missing)


def _refuse_large(column: Any) -> None:
    import pyarrow.compute as pc

    if pc.max(column).as_py() == _TOO_LARGE:
        raise InputError(
            f"{_SOURCE}: scores in bins must be floats, or whole numbers up to 2**53 in size",
            "found larger ones, which floats would round",
            "Count them exactly, or divide them first.",
        )


def _encode(column: Any, codes: Codes, text: Callable[[Any], Any] = lambda value: value) -> Any:
    encoded = column.combine_chunks().dictionary_encode()
    names = [text(value) for value in encoded.dictionary.to_pylist()]
    return codes.extend(names)[encoded.indices.to_numpy()]

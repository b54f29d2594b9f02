"""Counting scored rows of files and frames: in bins, or exactly through DuckDB."""

from __future__ import annotations

import _thread
import hashlib
import importlib.util
import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Lock
from typing import Any

import numpy as np

from rocbands.core.arguments import explain
from rocbands.core.checks import check_flag, check_progress
from rocbands.core.columns import ColumnName, against_rest, frame_kind, name_each
from rocbands.core.models import name_columns
from rocbands.core.progress import Progress, limit_of_memory
from rocbands.core.rows import Origin, new_origin
from rocbands.errors import InputError, Message, arg, warn
from rocbands.io.columns import Choice, Wanted
from rocbands.io.form import Form
from rocbands.io.parquet import to_arrow
from rocbands.io.samples import identify_file
from rocbands.scale.accumulator import (
    Accumulator,
    CodedRows,
    exact_values,
    find_cells,
    find_positive,
    split_rows,
)
from rocbands.scale.clusters import (
    count_dask_frame,
    count_spark_frame,
    is_dask_frame,
    is_spark_frame,
)
from rocbands.scale.counts import ScoreCounts
from rocbands.scale.frames import frame_parts
from rocbands.scale.shards import count_shards
from rocbands.scale.sources import Part, Scan, file_parts, list_files
from rocbands.scale.spill import spill_folder

_MEMORY = "1GB"  # memory limit of DuckDB, which uses the disk beyond it
_ROOM = 3 << 30  # bytes of address space that DuckDB and Arrow need with it
_AHEAD = 2  # batches that wait for DuckDB
_PAUSE = 0.1  # seconds between checks of the other thread
_QUERY = 'SELECT cell, score, count(*) AS n FROM "rows" GROUP BY cell, score'


def count_exactly(rows: Iterable[CodedRows]) -> Accumulator:
    """Count distinct scores through DuckDB, which uses the disk where memory is too small.

    Whole numbers and floats are counted separately, so that neither are rounded.
    """
    codes: dict[tuple[str, int, int, str], int] = {}
    batches = (batch for some in rows for batch in _to_batches(some, codes))
    found = _Query().run(batches)
    cells, bits, counts = (found.column(index).to_numpy() for index in range(3))
    accumulator = Accumulator(exact=True)
    places = split_rows(cells, len(codes)) if codes else []
    for (model, part, label, kind), place in zip(codes, places, strict=True):
        values = bits[place].view(np.float64 if kind == "f" else np.int64)
        accumulator.put((model, part, label), values, counts[place].astype(np.int64))
    return accumulator


def _schema() -> Any:
    import pyarrow as pa

    # The bits of floats are sent as integers, so that equal scores are equal bits and none change.
    return pa.schema({"cell": pa.int32(), "score": pa.int64()})


def _to_batches(rows: CodedRows, codes: dict[tuple[str, int, int, str], int]) -> Iterator[Any]:
    """Yield a batch of (cell, score) for each model; `codes` numbers the cells."""
    import pyarrow as pa

    if not rows.labels.size:
        return
    pairs, places = find_cells(rows)
    for model, scores in rows.scores.items():
        values = exact_values(scores)
        cells = [
            codes.setdefault((model, part, label, values.dtype.kind), len(codes))
            for part, label in pairs
        ]
        columns = [np.array(cells, dtype=np.int32)[places], values.view(np.int64)]
        yield pa.RecordBatch.from_arrays(list(map(to_arrow, columns)), schema=_schema())


class _Query:
    """The query, in a thread of its own, over batches that the calling thread reads.

    The thread keeps signals out of DuckDB. Python raises their exceptions in the main thread:
    inside DuckDB they would become errors of DuckDB, in plain Python they propagate unchanged. The
    threads communicate by SimpleQueue, which is written in C, so that no exception can leave it
    locked.
    """

    def __init__(self) -> None:
        self._start: SimpleQueue[None] = SimpleQueue()  # one token: taking it starts or stops
        self._free: SimpleQueue[None] = SimpleQueue()  # places for batches
        self._batches: SimpleQueue[Any] = SimpleQueue()
        self._outcome: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._engine: Any = None
        self._start.put(None)
        for _ in range(_AHEAD):
            self._free.put(None)

    def run(self, batches: Iterable[Any]) -> Any:
        """Return the Arrow table of (cell, score, number of rows)."""
        try:
            _thread.start_new_thread(self._work, ())
            for batch in batches:
                if not self._hand_over(batch):
                    break
            self._batches.put(None)
            table, problem = self._outcome.get()
        except BaseException:
            self._stop()
            raise
        if problem is None:
            return table
        if isinstance(problem, getattr(sys.modules.get("duckdb"), "Error", ())):
            raise InputError(
                "Exact counts must fit the disk and the memory",
                f"DuckDB says: {str(problem).strip().splitlines()[0]}",
                "Count in bins, or set TMPDIR to a larger disk.",
            ) from problem
        raise problem

    def _hand_over(self, batch: Any) -> bool:
        """Wait for a free place; return False if DuckDB has ended early."""
        while self._outcome.empty():
            with suppress(Empty):
                self._free.get(timeout=_PAUSE)
                self._batches.put(batch)
                return True
        return False

    def _stop(self) -> None:
        """Stop the query, and wait until it has ended."""
        with suppress(Empty):
            self._start.get_nowait()
            return  # it has not started, and cannot start without the token
        self._batches.put(None)
        ended = False
        while not ended:
            # Repeated, because an interrupt before the query begins has no effect.
            with suppress(Exception):
                self._engine.interrupt()
            with suppress(Empty):
                self._outcome.get(timeout=_PAUSE)
                ended = True

    def _work(self) -> None:
        with suppress(Empty):
            self._start.get_nowait()
            outcome: tuple[Any, BaseException | None]
            try:
                outcome = self._count(), None
            except BaseException as problem:
                # Without its frames, which hold objects of DuckDB: what is alive when Python ends
                # is listed on standard error.
                outcome = None, problem.with_traceback(None)
            self._engine = None
            self._outcome.put(outcome)

    def _count(self) -> Any:
        import duckdb  # here, since a signal in the middle of an import breaks it
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_batches(_schema(), self._stream())
        with spill_folder() as folder:
            config: dict[str, Any] = {"temp_directory": folder, "memory_limit": _MEMORY}
            with duckdb.connect(":memory:", config=config) as self._engine:
                self._engine.register("rows", reader)
                return self._engine.sql(_QUERY).to_arrow_table()

    def _stream(self) -> Iterator[Any]:
        for batch in iter(self._batches.get, None):
            self._free.put(None)
            yield batch


_THREADS = min(4, os.cpu_count() or 1)  # counting does not get faster with more


@explain
def count_scores(
    source: Any,
    *,
    label: ColumnName | None = None,
    score: ColumnName | Sequence[ColumnName] = (),
    positive: object = None,
    rest: bool = False,
    by: ColumnName | None = None,
    weights: ColumnName | None = None,
    exact: bool = False,
    encoding: str | None = None,
    decimal: str | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> ScoreCounts:
    r"""Count positives and negatives at each score or in each bin, in one pass over the rows.

    No row is ever dropped: a missing label, score or value of `by` is an error that says where it
    is. Memory stays bounded for any number of rows; exact counts of many different scores go
    through DuckDB if it is installed, which uses the disk where memory is too small.

    Parameters
    ----------
    source : path, list of paths, frame, data set or relation
        Parquet, CSV, TSV or JSON lines files, plain or compressed with gzip; a folder of such
        files; a pattern such as ``"scores/*.parquet"``; a pandas or Polars frame, lazy ones
        included; a PyArrow table, data set or record batch reader; a DuckDB relation; a Dask or a
        Spark frame, which is counted by its own cluster.
    label : str, optional
        Name of the label column; by default the one called y_true, y, label, target or the like.
    score : str or sequence of str, optional
        Names of the score columns, one for each model; by default all whose names begin with
        score or y_score, else the only column of numbers besides the labels.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against the rest: all labels but `positive` are negative.
    by : str, optional
        Name of a column, such as a country: rows with the same value there are a part, which is
        counted separately. :meth:`ScoreCounts.split` gives the parts.
    weights : str, optional
        Name of a column of positive weights: their sums and sums of squares are stored with the
        counts, and the curve is weighted.
    exact : bool, default False
        Count each distinct score. By default scores are put into bins that are the same for
        every source, at most 1/4096 of the score wide; ``.certificate`` bounds the effect on the
        AUC.
    encoding, decimal : str, optional
        Encoding and decimal sign of files of text, as for :meth:`Sample.from_file`.
    progress : callable, optional
        Called with the bytes read and the total (None if unknown).
    executor : concurrent.futures.Executor, optional
        Counts files in shards: a pool of processes, or `get_executor()` of a Dask client. The
        workers must see the files under the same paths.

    Returns
    -------
    ScoreCounts
        The counts; they can be added, and functions accept them in place of a sample.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"y": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.4]})
    >>> count_scores(table).roc.auc
    0.875
    """
    named = name_each(label=label, by=by, weights=weights)
    is_pandas = frame_kind(source) == "pandas" and hasattr(source, "columns")
    rows = count_rows(
        source,
        label=named.get("label"),
        score=name_columns(score, "score", source.columns if is_pandas else ()),
        by=named.get("by"),
        weights=named.get("weights"),
        exact=exact,
        form=Form(encoding=encoding, decimal=decimal),
        progress=progress,
        executor=executor,
    )
    return rows.split(against_rest(positive, rest), rows.choice.label)


@dataclass(frozen=True)
class CountedRows:
    """Rows counted by label, before the positive label is known."""

    accumulator: Accumulator  # what was counted
    choice: Choice  # the columns that were read
    labels: list[Any]  # the different labels and parts, by code
    parts: list[str]
    origin: Origin  # where they come from

    def split(self, positive: object, name: str, *, spoken: bool = False) -> ScoreCounts:
        """Return the counts of both classes; messages call the labels `name`.

        A `spoken` label was given as text on the command line, and may be a number.
        """
        is_positive, labels = find_positive(self.labels, positive, name, spoken=spoken)
        found = self.accumulator.count_columns(self.choice.models, self.parts, is_positive)
        by = next(iter(self.choice.keys), None)
        return ScoreCounts.of(**found, labels=labels, by=by, origin=self.origin)


def count_rows(
    source: Any,
    *,
    label: str | None,
    score: tuple[str, ...],
    by: str | None,
    exact: bool,
    form: Form,
    progress: Progress | None,
    executor: Executor | None = None,
    weights: str | None = None,
) -> CountedRows:
    """Count rows by label; the parameters are those of :func:`count_scores`."""
    check_flag(exact, "exact")
    check_progress(progress)
    keys = () if by is None else (by,)
    numbers = () if weights is None else (weights,)
    wanted = Wanted("the rows", label, tuple(dict.fromkeys(score)), keys, numbers, form)
    scan = Scan(wanted, progress)
    files = list_files(source) if _is_paths(source) else []
    if not files:
        form.check(f"a {type(source).__name__}")
    origin = _find_origin(files)
    counted = _count(files or source, scan, exact, executor)
    if scan.choice is None or not scan.labels.values:
        raise InputError(
            "There must be rows to count", "the source has none", "Check the step that made it."
        )
    for note in scan.notes:
        warn(note)
    return CountedRows(counted, scan.choice, scan.labels.values, scan.by.values, origin)


def _find_origin(files: Sequence[str]) -> Origin:
    """Identify the rows of files, so that counting them again gives the same origin."""
    names = sorted(map(identify_file, files))
    if not names or not all(names):  # no files, or a pipe
        return new_origin()
    if len(names) == 1:
        return Origin(names[0])
    return Origin(hashlib.sha256("\n".join(names).encode()).hexdigest())


def _count(source: Any, scan: Scan, exact: bool, executor: Executor | None) -> Accumulator:
    """Count on the frame's own cluster, by an executor, or in this process.

    `source`: a list of files, or another source of rows.
    """
    if _is_paths(source):
        if executor is not None:
            if not hasattr(executor, "submit"):
                raise InputError(
                    "must be an executor, with a method submit",
                    f"got {type(executor).__name__}",
                    "Pass, for example, a concurrent.futures.ProcessPoolExecutor.",
                    argument="executor",
                )
            return count_shards(executor, source, scan, exact)
        # A pipe is read by the main thread, where an interrupt ends the wait for more.
        return _count_here(file_parts(source, scan), scan, exact, 1 if "-" in source else _THREADS)
    if executor is not None:
        raise InputError(
            Message(
                "An executor counts files; {} must be a path or a list of paths, and is {}",
                arg("source"),
                type(source).__name__,
            ),
            remedy=Message("Leave out {}, or write the rows to files.", arg("executor")),
        )
    if is_spark_frame(source):
        if scan.wanted.numbers:
            raise InputError(
                "A Spark frame is counted by its own cluster, which adds up no weights",
                Message("{} was given", arg("weights")),
                "Write the rows to files, or pass their sums to ScoreCounts.from_table.",
            )
        return count_spark_frame(source, scan, exact)
    if is_dask_frame(source):
        return count_dask_frame(source, scan, exact)
    return _count_here(frame_parts(source, scan), scan, exact, _THREADS)


def _is_paths(source: Any) -> bool:
    if isinstance(source, (str, os.PathLike)):
        return True
    return isinstance(source, (list, tuple)) and all(
        isinstance(part, (str, os.PathLike)) for part in source
    )


def _count_here(parts: Iterator[Part], scan: Scan, exact: bool, threads: int) -> Accumulator:
    weighed = bool(scan.wanted.numbers)
    if exact and not weighed and _has_engine():
        try:
            return count_exactly(scan.encode(chunk) for part in parts for chunk in part())
        finally:
            _close(parts)
    return _count_in_threads(parts, scan, exact, threads)


def _has_engine() -> bool:
    """Tell whether DuckDB is there, and has room: with less, it ends the process without a word."""
    installed = all(importlib.util.find_spec(name) for name in ("duckdb", "pyarrow"))
    return installed and limit_of_memory() >= _ROOM


def _close(parts: Iterator[Part]) -> None:
    """Close a source at once: an exception may otherwise keep it open."""
    if isinstance(parts, Generator):
        parts.close()


def _count_in_threads(parts: Iterator[Part], scan: Scan, exact: bool, threads: int) -> Accumulator:
    """Count the parts in threads, each with its own accumulator."""
    stop, lock = Event(), Lock()

    def take() -> Part | None:
        with lock:
            return None if stop.is_set() else next(parts, None)

    def work() -> Accumulator:
        accumulator = Accumulator(exact)
        try:
            while (part := take()) is not None:
                for chunk in part():
                    if stop.is_set():
                        return accumulator
                    accumulator.add(scan.encode(chunk))
        except BaseException:
            stop.set()
            raise
        return accumulator

    try:
        if threads == 1:
            return work()
        with ThreadPoolExecutor(threads) as pool:
            try:
                found = [job.result() for job in [pool.submit(work) for _ in range(threads)]]
            except BaseException:
                stop.set()
                raise
    finally:
        # After a signal during the start of a thread, the pool does not wait for that thread, which
        # may be taking a part at this moment. It takes none after this.
        stop.set()
        with lock:
            _close(parts)
    whole = found[0]
    for accumulator in found[1:]:
        whole.merge(accumulator)
    return whole

"""Exact counts through DuckDB, which moves to disk what memory cannot hold.

The calling thread reads the rows; DuckDB works in a thread of its own. That is for signals: Python
raises their exceptions in the main thread, at whatever it is doing. Inside DuckDB they would become
errors of DuckDB; in plain Python they stay what they are. The two threads talk through SimpleQueue
only: it is made in C, so that no exception can leave it locked.
"""

from __future__ import annotations

import _thread
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from rocbands.errors import InputError
from rocbands.io.parquet import to_arrow
from rocbands.scale.accumulator import Accumulator, CodedRows, exact_values, find_cells

__all__ = ["count_exactly"]

_MEMORY = "1GB"  # what DuckDB may use before it turns to the disk
_AHEAD = 2  # batches that wait for DuckDB
_PAUSE = 0.1  # seconds between looks at the other thread
_QUERY = 'SELECT cell, score, count(*) AS n FROM "rows" GROUP BY cell, score'


def count_exactly(rows: Iterable[CodedRows]) -> Accumulator:
    """Count each score by itself.

    Whole numbers and floats are counted apart, so that neither is rounded.

    Parameters
    ----------
    rows : iterable of CodedRows
        The rows; an error that they raise ends the counting.
    """
    codes: dict[tuple[str, int, int, str], int] = {}
    batches = (batch for some in rows for batch in _to_batches(some, codes))
    found = _Query().run(batches)
    cells, bits, counts = (found.column(index).to_numpy() for index in range(3))
    order = np.argsort(cells, kind="stable")
    ends = np.searchsorted(cells[order], np.arange(len(codes)), side="right")
    accumulator = Accumulator(exact=True)
    for (model, group, label, kind), place in zip(codes, np.split(order, ends[:-1]), strict=True):
        values = bits[place].view(np.float64 if kind == "f" else np.int64)
        accumulator.put((model, group, label), values, counts[place].astype(np.int64))
    return accumulator


def _schema() -> Any:
    import pyarrow as pa

    # Eight bytes are eight bytes: floats travel as whole numbers and come back unchanged.
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
            codes.setdefault((model, group, label, values.dtype.kind), len(codes))
            for group, label in pairs
        ]
        columns = [np.array(cells, dtype=np.int32)[places], values.view(np.int64)]
        yield pa.RecordBatch.from_arrays(list(map(to_arrow, columns)), schema=_schema())


class _Query:
    """The query, in a thread of its own, over batches that the calling thread reads."""

    def __init__(self) -> None:
        self._start: SimpleQueue[None] = SimpleQueue()  # whoever takes it first, starts or stops
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
        if isinstance(problem, sys.modules["duckdb"].Error):
            raise InputError(
                "Exact counts must fit the disk and the memory",
                f"DuckDB says: {problem}",
                "Count in bins, or set TMPDIR to a larger disk.",
            ) from problem
        raise problem

    def _hand_over(self, batch: Any) -> bool:
        """Wait for a free place; returns False if DuckDB has ended before its time."""
        while self._outcome.empty():
            with suppress(Empty):
                self._free.get(timeout=_PAUSE)
                self._batches.put(batch)
                return True
        return False

    def _stop(self) -> None:
        """End the query, and wait until nothing is left of it."""
        with suppress(Empty):
            self._start.get_nowait()
            return  # it has not begun, and now never will
        self._batches.put(None)
        ended = False
        while not ended:
            # Again and again, since an interrupt before the query begins has no effect.
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
                outcome = None, problem
            self._outcome.put(outcome)

    def _count(self) -> Any:
        import duckdb  # here, since a signal in the middle of an import breaks it
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_batches(_schema(), self._stream())
        with tempfile.TemporaryDirectory(prefix="rocbands-") as folder:
            config: dict[str, Any] = {"temp_directory": folder, "memory_limit": _MEMORY}
            with duckdb.connect(":memory:", config=config) as self._engine:
                self._engine.register("rows", reader)
                return self._engine.sql(_QUERY).to_arrow_table()

    def _stream(self) -> Iterator[Any]:
        for batch in iter(self._batches.get, None):
            self._free.put(None)
            yield batch

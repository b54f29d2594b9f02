"""Exact counts through DuckDB, which moves to disk what memory cannot hold."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Thread
from typing import Any

import numpy as np

from rocbands.errors import InputError
from rocbands.scale.lanes import Lane, Left
from rocbands.scale.tally import Chunk, Tally, exact_values

__all__ = ["spilled"]

_MEMORY = "1GB"  # what DuckDB may use before it turns to the disk
_QUERY = 'SELECT cell, score, count(*) AS n FROM "rows" GROUP BY cell, score'


def spilled(lanes: Iterator[Lane]) -> Tally:
    """Count the scores of all lanes, each score by itself.

    Whole numbers and floats are counted apart, so that neither is rounded.

    Parameters
    ----------
    lanes : iterator of Lane
        Where rows come from; a thread reads them while DuckDB's threads count.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="rocbands-") as folder, _Feed(lanes) as feed:
        config: dict[str, Any] = {"temp_directory": folder, "memory_limit": _MEMORY}
        with duckdb.connect(":memory:", config=config) as engine:
            engine.register("rows", feed.reader())
            try:
                found = engine.sql(_QUERY).to_arrow_table()
            except Exception as problem:
                if feed.problem is not None:
                    raise feed.problem from None
                if isinstance(problem, RuntimeError) and "interrupted" in str(problem):
                    raise KeyboardInterrupt from None  # which DuckDB has made its own
                if not isinstance(problem, duckdb.Error):
                    raise
                raise InputError(
                    f"Exact counts must fit the disk and the memory; DuckDB says: {problem}. "
                    "Count in bins, or set TMPDIR to a larger disk."
                ) from problem
    return _tally(found, feed)


class _Feed:
    """Rows on their way from a thread that reads to DuckDB, and what went wrong on the way."""

    def __init__(self, lanes: Iterator[Lane]) -> None:
        self._lanes = lanes
        self._queue: Queue[Chunk | None] = Queue(maxsize=2)
        self._left = Event()
        self._thread = Thread(target=self._read)
        self.cells: dict[tuple[str, int, int, str], int] = {}
        self.problem: BaseException | None = None

    def __enter__(self) -> _Feed:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()

    def _read(self) -> None:
        try:
            for lane in self._lanes:
                lane(self._put)
        except Left:
            return
        except BaseException as problem:
            self.problem = problem
        self._put(None)

    def _put(self, chunk: Chunk | None) -> None:
        while not self._left.is_set():
            with suppress(Full):
                self._queue.put(chunk, timeout=0.1)
                return
        if chunk is not None:
            raise Left

    def reader(self) -> Any:
        """Return the rows as a stream of (cell, score)."""
        import pyarrow as pa

        # Eight bytes are eight bytes: floats travel as whole numbers and come back unchanged.
        schema = pa.schema({"cell": pa.int32(), "score": pa.int64()})
        batches = (
            pa.record_batch([pa.array(cell), pa.array(score)], schema=schema)
            for chunk in iter(self._queue.get, None)
            for cell, score in self.columns(chunk)
        )
        return pa.RecordBatchReader.from_batches(schema, self._checked(batches))

    def _checked(self, batches: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from batches
        except BaseException as problem:  # an interrupt, say, which DuckDB would make its own
            self.problem = problem
        if self.problem is not None:
            raise self.problem

    def columns(self, chunk: Chunk) -> Iterator[tuple[Any, Any]]:
        groups = np.zeros(1, np.int64) if chunk.groups is None else chunk.groups.astype(np.int64)
        width = int(chunk.labels.max()) + 1 if chunk.labels.size else 1
        pairs = groups * width + chunk.labels
        present, places = np.unique(pairs, return_inverse=True)
        for model, scores in chunk.scores.items():
            values = exact_values(scores)
            codes = [
                self.cells.setdefault(
                    (model, int(pair) // width, int(pair) % width, values.dtype.kind),
                    len(self.cells),
                )
                for pair in present
            ]
            yield np.array(codes, dtype=np.int32)[places], values.view(np.int64)


def _tally(found: Any, feed: _Feed) -> Tally:
    cells, bits, counts = (found.column(i).to_numpy() for i in range(3))
    order = np.argsort(cells, kind="stable")
    ends = np.searchsorted(cells[order], np.arange(len(feed.cells)), side="right")
    tally = Tally(exact=True)
    for (model, group, label, kind), rows in zip(
        feed.cells, np.split(order, ends[:-1]), strict=True
    ):
        values = bits[rows].view(np.float64 if kind == "f" else np.int64)
        tally.put((model, group, label), values, counts[rows].astype(np.int64))
    return tally

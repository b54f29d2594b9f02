"""Where the time of ``rocbands band FILE`` goes, and what cannot be had for less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rocbands as rb
from benchmarks.clock import seconds
from rocbands.bands.likelihood import Likelihood
from rocbands.core.data import as_data
from rocbands.core.roc import RocCurve
from rocbands.io.files import read_scores

__all__ = ["TITLE", "rows"]

TITLE = (
    "From a Parquet file to a likelihood band, step by step; the floor is one read of two columns "
    "and one sort of the scores"
)


def _steps(path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Each step on what the one before it made."""
    yield "read (ours)", partial(read_scores, path, label="y", scores=["s"])
    table = read_scores(path, label="y", scores=["s"])
    values = table.y_scores["s"]
    yield "check", partial(as_data, table.y_true, values)
    scores = rb.Sample(table.y_true, values).rows_of()
    yield "count", partial(RocCurve.from_rows, scores)
    roc = RocCurve.from_rows(scores)
    yield "band and its table", lambda: Likelihood()(roc, level=0.95).to_json()
    yield "floor: read", partial(pq.read_table, path, columns=["y", "s"])
    yield "floor: sort", partial(np.sort, values)


def rows(sizes: tuple[int, ...] = (10**5, 10**6, 10**7)) -> Iterator[dict[str, object]]:
    """One row for each step and size."""
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.01).astype(np.int8)
        scores = (rng.normal(size=size) + 2 * labels).astype(np.float32)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            pq.write_table(pa.table({"y": labels, "s": scores}), path)
            names, calls = zip(*_steps(path), strict=True)
            times = seconds(*calls, repeats=3)
        floor = times[-2] + times[-1]
        for name, took in zip(names, times, strict=True):
            yield {
                "rows": size,
                "step": name,
                "ms": round(1e3 * took, 1),
                "of the floor": round(took / floor, 2),
            }
        ours = sum(times[:-2])
        yield {
            "rows": size,
            "step": "ours together",
            "ms": round(1e3 * ours, 1),
            "of the floor": round(ours / floor, 2),
        }

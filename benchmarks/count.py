"""Counting rows of Parquet in bins, against one read and one sort of them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["TITLE", "measured", "rows", "write_rows"]

TITLE = "Counts of Parquet rows in bins (seconds; each in a process of its own, by turns)"

_SIZES = (2 * 10**6, 2 * 10**7)
_BLOCK = 1 << 20
_OURS = """
import rocbands as rb, pyarrow.parquet
begin = time.perf_counter()
counts = rb.count_scores(path, label="y", score="s")
spent = time.perf_counter() - begin
check = int(counts.positives.sum()),
"""
_SORT = """
import pyarrow.parquet as pq
begin = time.perf_counter()
table = pq.read_table(path)
y, s = table.column("y").to_numpy(), table.column("s").to_numpy()
tp = y[s.argsort()].cumsum()
spent = time.perf_counter() - begin
check = int(tp[-1]),
"""
_FRAME = """
import json, os, resource, sys, time
path = sys.argv[1]
{}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([spent, peak, check]))
"""


def rows() -> Iterator[dict[str, object]]:
    """Measure both by turns, and see that they find the same."""
    for size in _SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            write_rows(path, size)
            turns = [(measured(_OURS, path), measured(_SORT, path)) for _ in range(3)]
        ours, theirs = (min(turn) for turn in zip(*turns, strict=True))
        assert ours[2] == theirs[2], "both must find the same counts"
        yield {
            "rows": size,
            "rocbands": ours[0],
            "read and sort": theirs[0],
            "ratio": ours[0] / theirs[0],
            "peak MB": max(turn[0][1] for turn in turns),
        }


def write_rows(path: Path, size: int) -> None:
    """Write labels as int8 and scores as float32, one positive in twenty."""
    rng = np.random.default_rng(1)
    schema = pa.schema({"y": pa.int8(), "s": pa.float32()})
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for begin in range(0, size, _BLOCK):
            y = rng.random(min(_BLOCK, size - begin), dtype=np.float32) < 0.05
            logit = rng.standard_normal(y.size, dtype=np.float32) + 1.5 * y - 2
            scores = (1 / (1 + np.exp(-logit))).astype(np.float32)
            writer.write_table(pa.table({"y": y.astype(np.int8), "s": scores}, schema=schema))


def measured(code: str, path: Path) -> tuple[float, float, tuple[int, ...]]:
    """Run code in a process of its own: seconds, peak MB, and what it found."""
    command = [sys.executable, "-c", _FRAME.format(code), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    spent, peak, check = json.loads(done.stdout)
    return spent, peak, tuple(check)

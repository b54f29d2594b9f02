"""Whole commands on many rows: a band from a file, against reading it and sorting the scores."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.count import measured, write_rows

__all__ = ["TITLE", "rows"]

TITLE = (
    "rocbands band FILE.parquet --json as a process, against one that reads the two columns and "
    "calls numpy.argsort (seconds, by turns). Targets at 2*10^7 rows: 3 times, 2.5 GB"
)

_SIZES = (10**6, 2 * 10**7)
_OURS = """
begin = time.perf_counter()
from rocbands.cli import main
sys.argv = ["rocbands", "band", path, "--label", "y", "--score", "s", "--json"]
sys.stdout, shown = open(os.devnull, "w"), sys.stdout
try:
    main()
except SystemExit as end:
    assert not end.code
sys.stdout = shown
spent = time.perf_counter() - begin
check = []
"""
_FLOOR = """
begin = time.perf_counter()
import numpy, pyarrow.parquet
table = pyarrow.parquet.read_table(path, columns=["y", "s"])
numpy.argsort(table["s"].to_numpy())
spent = time.perf_counter() - begin
check = []
"""


def rows() -> Iterator[dict[str, object]]:
    """One row for each size; imports count on both sides."""
    for size in _SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            write_rows(path, size)
            turns = [(measured(_OURS, path), measured(_FLOOR, path)) for _ in range(3)]
        ours, floor = (min(turn)[0] for turn in zip(*turns, strict=True))
        yield {
            "rows": size,
            "rocbands band": ours,
            "read and argsort": floor,
            "ratio": ours / floor,
            "peak MB": max(turn[0][1] for turn in turns),
        }

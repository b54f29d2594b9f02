"""Measure every cell and write the tables: ``make coverage``.

Each cell has a seed of its own, made from its name, so that adding a cell changes no other figure.
Finished cells are kept in docs/coverage.jsonl; a run that was stopped goes on where it was. Delete
the file, or the lines of a study, to measure again.
"""

from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from tests.coverage.cells import Cell, all_cells
from tests.coverage.tables import write_tables

RESULTS = Path("docs/coverage.jsonl")


def run_cell(place: int) -> dict[str, object]:
    """Measure one cell; processes are told its place in the list, because functions cannot travel."""
    os.environ["ROCBANDS_NUM_THREADS"] = "1"  # the cells themselves run side by side
    cell: Cell = all_cells()[place]
    start = time.perf_counter()
    rng = np.random.default_rng(list(cell.key.encode()))
    measured = [cell.measure(rng) for _ in range(cell.reps)]
    means = {name: float(np.mean([m[name] for m in measured])) for name in measured[0]}
    return {
        "study": cell.study,
        "world": cell.world,
        "size": cell.size,
        "reps": cell.reps,
        "low": cell.low,
        "high": cell.high,
        **means,
        "seconds": round(time.perf_counter() - start, 1),
    }


def done_keys() -> set[str]:
    if not RESULTS.exists():
        return set()
    records = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return {f"{r['study']} | {r['world']} | {r['size']}" for r in records}


def main(workers: int = 2) -> None:
    """Measure what is missing, then write docs/coverage.md."""
    done = done_keys()
    todo = [place for place, cell in enumerate(all_cells()) if cell.key not in done]
    with ProcessPoolExecutor(workers) as pool:
        jobs = [pool.submit(run_cell, place) for place in todo]
        for count, job in enumerate(as_completed(jobs), start=1):
            record = job.result()
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{count}/{len(todo)} {record}", file=sys.stderr, flush=True)
    write_tables(RESULTS)


if __name__ == "__main__":
    main()

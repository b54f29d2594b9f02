"""Time or peak memory of one way of doing one task, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.clock import repeats, seconds, warm_up
from benchmarks.tasks import TASKS, Call, Data, drawn

SLOW = 4.0  # seconds: a call that takes longer is not repeated


def main() -> None:
    """Print the MB that a way adds to the process, or the seconds that it takes."""
    figure, key, tool, path = sys.argv[1:]
    way = next(way for way in TASKS[key].ways if way.tool == tool)
    warnings.simplefilter("ignore")
    with open(os.devnull, "w", encoding="utf-8") as void, contextlib.redirect_stderr(void):
        way.prepare(drawn(100))()  # what is imported and compiled does not count
        # Read, not drawn: drawing would need more memory than what is measured.
        with open(path, "rb") as file:
            data = Data(*(np.load(file) for _ in range(3)))
        call = way.prepare(data)
        found = _measure_seconds(call, data) if figure == "seconds" else _measure_memory(call)
    print(found)


def _measure_seconds(call: Call, data: Data) -> float:
    """Best of several times, or the only one of a call that takes long."""
    warm_up()
    start = time.perf_counter()
    call()
    first = time.perf_counter() - start
    return seconds(call, repeats=repeats(data.labels.size))[0] if first < SLOW else first


def _measure_memory(call: Call) -> float:
    before = _forgotten()
    call()
    return _peak() - before


def _forgotten() -> float:
    """Have the system forget the peak so far, which is the parent's at first; return what is held.

    Linux only, as what follows.
    """
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak()


def _peak() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()

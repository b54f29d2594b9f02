"""Us against what a user would pick instead: ``python -m benchmarks.peers``.

Times are best of several turns in one process, ways taking turns; what takes seconds is timed once.
Peak memory is that of a process that does nothing else. A way that is expected to take more than
`LIMIT` seconds is left out.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.clock import seconds
from benchmarks.machine import description
from benchmarks.tasks import OURS, TASKS, Call, Data, Task, Way, drawn
from rocbands.io.tables import markdown_table

SIZES = (10**3, 10**4, 10**5, 10**6, 10**7)
LIMIT = 60.0
SLOW = 2.0
MEMORY_FROM = 10**6

Row = dict[str, object]

INTRO = """\
# Benchmarks

What a user would pick instead, doing the same thing on the same rows, in one run:

```text
python -m benchmarks.peers -o docs/benchmarks.md
```

{machine}

One thread each. *times ours*: how many times longer the other tool takes; below 1 it is faster.
*growth*: the exponent b when time grows like n^b from the size before; a sort is a little over 1.
*peak memory*: of a process that only does this, beyond the interpreter, the imports and the rows.
Rows are left out where a tool would need more than a minute, and where it is not installed:
{missing}.
"""


def main() -> None:
    """Measure the tasks that are named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", help=f"of {', '.join(TASKS)}")
    parser.add_argument("-o", "--output", type=Path, help="write Markdown here")
    parser.add_argument("--largest", type=float, default=SIZES[-1], help="most rows")
    asked = parser.parse_args()
    os.environ["ROCBANDS_NUM_THREADS"] = "1"
    sizes = [size for size in SIZES if size <= asked.largest]
    parts = []
    for key in asked.tasks or TASKS:
        table = list(_measured(key, TASKS[key], sizes))
        if len({row["tool"] for row in table}) > 1:
            shown = {title: [row[title] for row in table] for title in table[0]}
            why = f"\n{TASKS[key].why}\n" if TASKS[key].why else ""
            parts.append(f"## {TASKS[key].title}\n\n{markdown_table(shown)}\n{why}")
            print(parts[-1], flush=True)
    if asked.output is not None:
        words = INTRO.format(machine=description(), missing=", ".join(_missing()) or "none")
        asked.output.write_text("\n".join([words, *parts]), encoding="utf-8")


def _missing() -> list[str]:
    ways = {way.tool: way.installed for task in TASKS.values() for way in task.ways}
    return [tool for tool, there in ways.items() if not there] + [
        task.in_r_tool for key, task in TASKS.items() if key == "fbroc" and not _has_r("fbroc")
    ]


def _measured(key: str, task: Task, sizes: list[int]) -> Iterator[Row]:
    """Time all ways at each size; a way's last time tells whether it can be asked for more."""
    last: dict[str, tuple[int, float]] = {}
    for size in sizes:
        data = drawn(size)
        ways = [way for way in task.ways if way.installed and _affordable(way, size, last)]
        if not ways:
            return
        times = dict(zip([way.tool for way in ways], _times(task, ways, data), strict=True))
        if task.in_r and size <= task.in_r_largest and (took := _in_r(task, data)) is not None:
            times[task.in_r_tool] = took
        for tool, took in times.items():
            yield {
                "rows": f"10^{round(math.log10(size))}",
                "tool": tool,
                "ms": f"{1e3 * took:.3g}" if took < 1 else f"{1e3 * took:.0f}",
                "times ours": "" if tool == OURS else _times_ours(took / times[OURS]),
                "growth": _growth(last.get(tool), size, took),
                "peak memory, MB": _memory(key, tool, data),
            }
        last |= {tool: (size, took) for tool, took in times.items()}


def _times_ours(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"


def _affordable(way: Way, size: int, last: dict[str, tuple[int, float]]) -> bool:
    if size > way.largest:
        return False
    known = last.get(way.tool)
    return known is None or known[1] * size / known[0] < LIMIT


def _times(task: Task, ways: list[Way], data: Data) -> list[float]:
    """Time every way by turns; one that takes seconds is timed once."""
    calls = [way.prepare(data) for way in ways]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers, first = zip(*(_answered(call) for call in calls), strict=True)
        if task.alike is not None:
            assert np.ptp(answers) <= task.alike, f"{task.title}: answers differ, {answers}"
        quick = [place for place, took in enumerate(first) if took < SLOW]
        best = seconds(*(calls[place] for place in quick), repeats=3)
    again = dict(zip(quick, best, strict=True))
    return [again.get(place, took) for place, took in enumerate(first)]


def _answered(call: Call) -> tuple[float, float]:
    start = time.perf_counter()
    return call(), time.perf_counter() - start


def _growth(before: tuple[int, float] | None, size: int, took: float) -> str:
    if before is None:
        return ""
    return f"{math.log(took / before[1]) / math.log(size / before[0]):.2f}"


def _memory(key: str, tool: str, data: Data) -> str:
    """Peak of a process of its own, in MB; R's processes are not asked."""
    if data.labels.size < MEMORY_FROM or tool.endswith("(R)"):
        return ""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        with path.open("wb") as file:
            for column in (data.labels, data.first, data.second):
                np.save(file, column)
        command = [sys.executable, "-m", "benchmarks.peak", key, tool, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"{float(done.stdout):.0f}"


def _has_r(package: str) -> bool:
    if shutil.which("Rscript") is None:
        return False
    done = subprocess.run(
        ["Rscript", "-e", f"library({package})"], capture_output=True, text=True, check=False
    )
    return done.returncode == 0


def _in_r(task: Task, data: Data) -> float | None:
    """Seconds that the task takes inside R, without starting it; None where it cannot be run."""
    if not _has_r(task.in_r_tool.removesuffix(" (R)")):
        return None
    size = data.labels.size
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        np.concatenate([data.labels, data.first, data.second]).astype(np.float64).tofile(path)
        program = (
            "suppressMessages(library(pROC)); f <- commandArgs(TRUE)[1]\n"
            f'd <- matrix(readBin(f, "double", {3 * size}), ncol = 3)\n'
            "y <- d[, 1]; s <- d[, 2]; t <- d[, 3]\n"
            f"took <- system.time({{ {task.in_r} }})\n"
            'cat("seconds", took[["elapsed"]], "\\n")'
        )
        done = subprocess.run(
            ["Rscript", "-e", program, str(path)], capture_output=True, text=True, check=False
        )
    found = re.search(r"seconds ([0-9.e-]+)", done.stdout)
    return float(found.group(1)) if found else None


if __name__ == "__main__":
    main()

"""Us against what a user would pick instead: ``python -m benchmarks.peers``.

Times are best of several turns in one process, ways taking turns; what takes seconds is timed once.
Peak memory is that of a process that does nothing else. A way that is expected to take more than
`--limit` seconds is left out. With the table one line for each task and size goes to a history, so
that a slower release is seen. `--before` names a folder with an earlier version, for instance of
``git worktree add FOLDER COMMIT``: it is measured beside ours, in a process of its own.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.accelerators import keep_section
from benchmarks.alone import SLOW
from benchmarks.clock import repeats, seconds, warm_up
from benchmarks.machine import description
from benchmarks.tasks import OURS, TASKS, Call, Data, Task, Way, drawn
from rocbands._version import __version__
from rocbands.io.tables import markdown_table

SIZES = (10**2, 10**3, 10**4, 10**5, 10**6, 10**7)
LIMIT = 12.0
SORT = "numpy.sort"
MEMORY_FROM = 10**6

Row = dict[str, Any]

INTRO = """\
# Benchmarks

What a user would pick instead, doing the same thing on the same rows, in one run:

```text
make bench
```

{machine}

One thread each. *times ours*: how many times longer the other tool takes; below 1 it is faster.
*sorts*: the time in units of one `numpy.sort` of the same scores, which nobody can do without.
*growth*: the exponent b when time grows like n^b from the size before; a sort is a little over 1.
*peak memory*: of a process that only does this, beyond the interpreter, the imports and the rows.
Rows are left out where a tool would need more than {limit:.0f} seconds, and where it is not
installed: {missing}. [Earlier runs](../benchmarks/history.csv) have a line for each task and size.
{before}"""
BEFORE = """*{name}*: an earlier version, at that commit, measured beside this one
(`git worktree add FOLDER COMMIT; make bench BEFORE=FOLDER`).
"""


def main() -> None:
    """Measure the tasks that are named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", help=f"of {', '.join(TASKS)}")
    parser.add_argument("-o", "--output", type=Path, help="write Markdown here")
    parser.add_argument("--largest", type=float, default=SIZES[-1], help="most rows")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of one way at most")
    parser.add_argument("--history", type=Path, help="add a line for each task and size here")
    parser.add_argument("--before", type=Path, help="folder with an earlier version")
    asked = parser.parse_args()
    for name in ("ROCBANDS_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    warm_up()
    sizes = [size for size in SIZES if size <= asked.largest]
    parts, lines = [], []
    for key in asked.tasks or TASKS:
        table = list(_measured(key, TASKS[key], sizes, asked.limit, asked.before))
        lines += _summarize(key, table)
        shown = {title: [row[title] for row in table] for title in table[0] if title[0] != "_"}
        parts.append(f"## {TASKS[key].title}\n\n{markdown_table(shown)}\n")
        print(parts[-1], flush=True)
    if asked.output is not None:
        missing = ", ".join(_missing()) or "none"
        before = BEFORE.format(name=_name(asked.before)) if asked.before else ""
        words = INTRO.format(
            machine=description(), missing=missing, limit=asked.limit, before=before
        )
        text = "\n".join([words, *parts]) + keep_section(asked.output)
        asked.output.write_text(text, encoding="utf-8")
    if asked.history is not None:
        add_history(asked.history, lines)


def _summarize(key: str, table: list[Row]) -> list[Row]:
    """One line of the history for each size: ours beside the floor and the best of the peers."""
    found = []
    for size in dict.fromkeys(row["rows"] for row in table):
        here = {str(row["tool"]): row for row in table if row["rows"] == size}
        ours = here[OURS]
        peers = [
            float(row["_seconds"])
            for tool, row in here.items()
            if tool != SORT and not tool.startswith(OURS)
        ]
        best = f"{min(peers) / float(ours['_seconds']):.3g}" if peers else ""
        found.append(
            {
                "task": key,
                "rows": size,
                "ms": f"{1e3 * float(ours['_seconds']):.4g}",
                "sorts": ours["sorts"],
                "best peer, times ours": best,
                "growth": ours["growth"],
            }
        )
    return found


def add_history(path: Path, lines: list[Row]) -> None:
    """Append to a CSV file; a new one gets a line of column names."""
    run = {"date": datetime.now(UTC).date().isoformat(), "version": __version__}
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*run, *lines[0]], lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows({**run, **line} for line in lines)


def _missing() -> list[str]:
    ways = {way.tool: way.installed for task in TASKS.values() for way in task.ways}
    return [tool for tool, there in ways.items() if not there] + [
        task.in_r_tool for key, task in TASKS.items() if key == "fbroc" and not _has_r("fbroc")
    ]


def _name(before: Path) -> str:
    """Name an earlier version by its commit."""
    command = ["git", "-C", str(before), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"{OURS} {done.stdout.strip()}"


def _measured(
    key: str, task: Task, sizes: list[int], limit: float, before: Path | None
) -> Iterator[Row]:
    """Time all ways at each size; a way's last time tells whether it can be asked for more."""
    last: dict[str, tuple[int, float]] = {}
    earlier = Way(_name(before), OURS, task.ways[0].prepare) if before else None
    for size in sizes:
        data = drawn(size)
        ways = [way for way in task.ways if way.installed and _affordable(way, size, last, limit)]
        if not ways or ways[0].tool != OURS:
            return
        times = dict(zip([way.tool for way in ways], _times(task, ways, data), strict=True))
        if before and earlier and _affordable(earlier, size, last, limit):
            times[earlier.tool] = _alone("seconds", key, OURS, data, before)
        if task.in_r and size <= task.in_r_largest and (took := _in_r(task, data)) is not None:
            times[task.in_r_tool] = took
        sort = partial(np.sort, data.first)
        floor = times[SORT] = seconds(sort, repeats=repeats(size))[0]
        for tool, took in times.items():
            yield {
                "rows": f"10^{round(math.log10(size))}",
                "tool": tool,
                "ms": f"{1e3 * took:.3g}" if took < 1 else f"{1e3 * took:.0f}",
                "times ours": "" if tool in (OURS, SORT) else _times_ours(took / times[OURS]),
                "sorts": _times_ours(took / floor),
                "growth": _growth(last.get(tool), size, took),
                "peak memory, MB": _memory(key, tool, data, before) if tool != SORT else "",
                "_seconds": took,
            }
        last |= {tool: (size, took) for tool, took in times.items()}


def _times_ours(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"


def _affordable(
    way: Way, size: int, last: dict[str, tuple[int, float]], limit: float = LIMIT
) -> bool:
    if size > way.largest:
        return False
    known = last.get(way.tool)
    return known is None or known[1] * size / known[0] < limit


def _times(task: Task, ways: list[Way], data: Data) -> list[float]:
    """Time every way by turns; one that takes seconds is timed once."""
    calls = [way.prepare(data) for way in ways]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers, first = zip(*(_answered(call) for call in calls), strict=True)
        if task.alike is not None:
            assert np.ptp(answers) <= task.alike, f"{task.title}: answers differ, {answers}"
        quick = [place for place, took in enumerate(first) if took < SLOW]
        best = seconds(*(calls[place] for place in quick), repeats=repeats(data.labels.size))
    again = dict(zip(quick, best, strict=True))
    return [again.get(place, took) for place, took in enumerate(first)]


def _answered(call: Call) -> tuple[float, float]:
    start = time.perf_counter()
    return call(), time.perf_counter() - start


def _growth(before: tuple[int, float] | None, size: int, took: float) -> str:
    if before is None:
        return ""
    return f"{math.log(took / before[1]) / math.log(size / before[0]):.2f}"


def _memory(key: str, tool: str, data: Data, before: Path | None) -> str:
    """Peak of a process of its own, in MB; R's processes are not asked."""
    if data.labels.size < MEMORY_FROM or tool.endswith("(R)"):
        return ""
    ours = tool.startswith(OURS)
    return (
        f"{_alone('MB', key, OURS if ours else tool, data, None if tool == OURS else before):.0f}"
    )


def _alone(figure: str, key: str, tool: str, data: Data, before: Path | None) -> float:
    """Measure seconds or MB of one way in a process of its own, of an earlier version if named."""
    found = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join(filter(None, [str(before / "src") if before else "", found]))
    with TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        with rows.open("wb") as file:
            for column in (data.labels, data.first, data.second):
                np.save(file, column)
        command = [sys.executable, "-m", "benchmarks.alone", figure, key, tool, str(rows)]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": path},
        )
    return float(done.stdout)


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

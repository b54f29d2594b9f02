"""Peak memory of one way of doing one task, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import warnings

from benchmarks.tasks import TASKS, drawn


def main() -> None:
    """Print the MB that the way named on the command line adds to the process."""
    key, tool, size = sys.argv[1:]
    way = next(way for way in TASKS[key].ways if way.tool == tool)
    warnings.simplefilter("ignore")
    with open(os.devnull, "w") as void, contextlib.redirect_stderr(void):
        way.prepare(drawn(100))()  # what is imported and compiled does not count
        call = way.prepare(drawn(int(size)))
        before = _peak()
        call()
    print(_peak() - before)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()

"""Peak memory of one way of doing one task, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import warnings

import numpy as np

from benchmarks.tasks import TASKS, Data, drawn


def main() -> None:
    """Print the MB that the way named on the command line adds to the process."""
    key, tool, path = sys.argv[1:]
    way = next(way for way in TASKS[key].ways if way.tool == tool)
    warnings.simplefilter("ignore")
    with open(os.devnull, "w") as void, contextlib.redirect_stderr(void):
        way.prepare(drawn(100))()  # what is imported and compiled does not count
        # Read, not drawn: drawing would need more memory than what is measured.
        with open(path, "rb") as file:
            call = way.prepare(Data(*(np.load(file) for _ in range(3))))
        before = _peak()
        call()
    print(_peak() - before)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()

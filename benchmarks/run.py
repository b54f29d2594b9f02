"""Run every benchmark and print a table for each: ``make bench``."""

from __future__ import annotations

import importlib
import platform
import sys

import numpy as np

from rocbands.io.tables import text_table

BENCHMARKS = (
    *("curve", "likelihood", "resampling", "auc", "compare", "cost", "rate", "count"),
    *("counted", "large", "profile"),
)


def main() -> None:
    """Run the benchmarks that are named on the command line, or all of them."""
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
    for name in sys.argv[1:] or BENCHMARKS:
        benchmark = importlib.import_module(f"benchmarks.{name}")
        table = list(benchmark.rows())
        print(f"\n{benchmark.TITLE}\n")
        print(text_table({title: [row[title] for row in table] for title in table[0]}), flush=True)


if __name__ == "__main__":
    main()

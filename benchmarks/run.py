"""Run benchmarks and print a table for each: ``make bench``."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from benchmarks.machine import description
from rocbands.io.layout import fit_table
from rocbands.io.tables import markdown_table

BENCHMARKS = (
    *("curve", "likelihood", "resampling", "auc", "compare", "cost", "rate", "count"),
    *("counted", "large", "profile", "views", "designs", "readers", "app"),
)


def main() -> None:
    """Run the benchmarks that are named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("-o", "--output", type=Path, help="write Markdown here")
    asked = parser.parse_args()
    machine = description()
    print(machine)
    parts = [f"# More benchmarks\n\n{machine}\n"]
    for name in asked.names or BENCHMARKS:
        benchmark = importlib.import_module(f"benchmarks.{name}")
        table = list(benchmark.rows())
        columns = {title: [row[title] for row in table] for title in table[0]}
        print(f"\n{benchmark.TITLE}\n\n{fit_table(columns)}", flush=True)
        command = f"python -m benchmarks.run {name}"
        parts.append(
            f"## {name}\n\n{benchmark.TITLE} (`{command}`).\n\n{markdown_table(columns)}\n"
        )
    if asked.output is not None:
        asked.output.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()

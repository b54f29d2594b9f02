"""Run benchmarks and print a table for each: ``make bench``."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Sequence
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
        parts += keep_others(asked.output, asked.names or BENCHMARKS)
        asked.output.write_text("\n".join(parts), encoding="utf-8")


def keep_others(page: Path, names: Sequence[str]) -> list[str]:
    """Return the sections of a page that a run of these benchmarks does not write."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return [f"## {one.rstrip()}\n" for one in sections if one.split("\n", 1)[0] not in names]


if __name__ == "__main__":
    main()

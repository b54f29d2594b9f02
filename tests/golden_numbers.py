"""Reference numbers from other programs; tests/golden/README.md says where they come from."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).parent / "golden"


@cache
def columns(name: str) -> dict[str, np.ndarray]:
    with (GOLDEN / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    table = {}
    for title, cells in zip(header, zip(*rows, strict=True), strict=True):
        try:
            table[title] = np.array(cells, dtype=float)
        except ValueError:
            table[title] = np.array(cells)
    return table

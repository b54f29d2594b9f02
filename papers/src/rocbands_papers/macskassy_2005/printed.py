"""What the 2005 paper printed, and its settings."""

from __future__ import annotations

from typing import TypeAlias

from rocbands_papers.paper import read_printed

__all__ = [
    "AVERAGES",
    "BETWEEN_BANDS",
    "LEARNERS",
    "PAPER",
    "SIZES",
    "TABLE_3",
    "TABLE_4",
    "TABLE_5",
    "TABLE_6",
    "THETAS",
    "Grid",
]

Grid: TypeAlias = dict[int, tuple[float, ...]]  # by r; along theta, or along the learners

PAPER = "Macskassy, Provost and Rosset 2005"
THETAS = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
SIZES = (25, 100, 250, 1000, 2500, 10000)
LEARNERS = {  # ours, and the paper's that they stand for
    "model-tree": "LMT",
    "nb-tree": "NBTree",
    "logistic": "LR",
    "tree": "J48",
    "naive-bayes": "NB",
}


def _read(file: str) -> Grid:
    rows = read_printed("macskassy_2005", file)
    return {int(size): tuple(row.values()) for size, row in rows.items()}


TABLE_3, TABLE_5, TABLE_6 = _read("table3.csv"), _read("table5.csv"), _read("table6.csv")
TABLE_4 = read_printed("macskassy_2005", "table4.csv")
AVERAGES = read_printed("macskassy_2005", "averages.csv")
BETWEEN_BANDS = _read("between_bands.csv")

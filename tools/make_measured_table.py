"""Make the table of measured coverage that reports quote: python tools/make_measured_table.py.

Reads docs/coverage.jsonl and writes src/rocbands/reporting/measured.json: one row for each method,
study and size, with the least and the largest share of test sets whose band held the curve.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CELLS = ROOT / "docs" / "coverage.jsonl"
TABLE = ROOT / "src" / "rocbands" / "reporting" / "measured.json"
LEVEL = 0.9  # of all cells

# By study: the method and the target it is about, and where it was measured.
STUDIES = {
    "true curve": ("likelihood", "true", "binormal scores"),
    "shapes": ("likelihood", "true", "exponential, bimodal, hooked and other shapes"),
    "unbalanced": ("likelihood", "true", "binormal scores, unbalanced classes"),
    "rounded scores": ("likelihood", "true", "bimodal scores, rounded so that many are tied"),
    "real scores": ("likelihood", "true", "scores of seven learners on three real data sets"),
    "future curve": ("likelihood", "future", "binormal scores, a future set of the same size"),
    "fixed-width": ("fixed-width", "true", "binormal scores"),
    "future root": ("fixed-width", "future", "binormal scores, a future set of the same size"),
    "joint region": ("joint-region", "true", "binormal scores"),
    "working-hotelling": ("working-hotelling", "true", "binormal scores, as the band assumes"),
    "not binormal": ("working-hotelling", "true", "scores that are not binormal"),
    "folds": ("fold-average", "true", "five models of different skill, sizes of each fold"),
}


def sizes(text: str) -> tuple[int, int]:
    """Read 'r = 25' (rows of random class) or '10+490' (positives + negatives)."""
    if text.startswith("r = "):
        rows = int(text[4:])
        return rows // 2, rows - rows // 2
    pos, neg = re.fullmatch(r"(\d+)\+(\d+)", text).groups()  # type: ignore[union-attr]
    return int(pos), int(neg)


def table(text: str) -> list[dict[str, Any]]:
    """Put the cells of each study and size together."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in text.splitlines():
        cell = json.loads(line)
        study = cell["study"]
        if study in STUDIES and (study != "folds" or cell["world"] == "5 models"):
            rows.setdefault((study, cell["size"]), []).append(cell)
    made = []
    for (study, size), cells in sorted(
        rows.items(), key=lambda row: (list(STUDIES).index(row[0][0]), sizes(row[0][1]))
    ):
        method, target, where = STUDIES[study]
        n_pos, n_neg = sizes(size)
        # Of real data sets the class sizes are random, and far from equal.
        known = study != "real scores"
        held = [cell["held"] for cell in cells]
        sets = sorted({cell["reps"] for cell in cells})
        where += "; about half of the rows positive" if known and size.startswith("r = ") else ""
        count = f"{len(cells)} population{'s' if len(cells) > 1 else ''}"
        made.append(
            {
                "method": method,
                "target": target,
                "rows": n_pos + n_neg,
                "n_pos": n_pos if known else None,
                "n_neg": n_neg if known else None,
                "level": LEVEL,
                "coverage_low": round(min(held), 4),
                "coverage_high": round(max(held), 4),
                "where": f"{where}; {count}, {'-'.join(map(str, sets))} test sets of each",
            }
        )
    return made


def written(rows: list[dict[str, Any]]) -> str:
    """Return the table as text, one row a line."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    TABLE.write_text(written(table(CELLS.read_text(encoding="utf-8"))), encoding="utf-8")

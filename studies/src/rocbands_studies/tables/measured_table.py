"""Make the table of measured coverage that reports quote.

``python -m rocbands_studies.tables.measured_table`` reads what `python -m
rocbands_studies.coverage` measured of bands and writes
src/rocbands/reporting/measured.json: a row for each method, study, size and level, with the least
and the largest share of test sets whose band contained the curve.
"""

from __future__ import annotations

import json
from typing import Any

from rocbands_studies.checkout import ROOT
from rocbands_studies.coverage.__main__ import load
from rocbands_studies.coverage.pages import find_page
from rocbands_studies.coverage.tables import class_sizes

TABLE = ROOT / "src" / "rocbands" / "reporting" / "measured.json"
REAL = "scores of three learners on three real data sets"

# By section: the target it is about, and where it was measured.
LATER = "binormal scores, a future set of the same size"
SECTIONS = {
    "Binormal scores": ("true", "binormal scores"),
    "Other shapes": ("true", "exponential, bimodal, hooked, t-distributed and other shapes"),
    "Unbalanced classes": ("true", "binormal scores, unbalanced classes"),
    "Many rows": ("true", "many rows, binormal, exponential and t-distributed scores"),
    "Tied scores": ("true", "bimodal scores, rounded so that many are tied"),
    "Real scores": ("true", REAL),
    "Future curves": ("future", LATER),
    "Normal scores": ("true", "normal scores of equal spread"),
    "Exponential scores": ("true", "exponential scores"),
    "Working-Hotelling bands, other scores": ("true", "bimodal and hooked scores"),
    "Future curves, normal scores": ("future", "normal scores, a future set of the same size"),
    "Averages over folds": ("true", "five models of different skill, sizes of each fold"),
}


def collect() -> list[dict[str, Any]]:
    """Put the cells of each section, method and size together, level by level."""
    rows: dict[tuple[Any, ...], list[Any]] = {}
    for page in (find_page("coverage"), find_page("coverage-bands")):
        found = load(page)
        for section in page.sections:
            for cell in section.cells:
                result = found.get(id(cell))
                if section.title not in SECTIONS or result is None:
                    continue
                method = cell.statement.method  # type: ignore[attr-defined]
                if method.name == "likelihood" and page.name != "coverage":
                    continue  # beside other bands, for comparison
                plain = type(method)(**_draws(method)) == method
                if plain and not getattr(cell.world, "learner", 0):  # type: ignore[attr-defined]
                    sizes = class_sizes(cell)
                    key = (section.title, method.name, cell.facts()["size"], sizes)
                    rows.setdefault(key, []).append(result)
    made = []
    for (title, method, size, (n_pos, n_neg)), cells in rows.items():
        target, where = SECTIONS[title]
        where += "; about half of the rows positive" if size.startswith("r = ") else ""
        count = f"{len(cells)} population{'s' if len(cells) > 1 else ''}"
        sets = "-".join(str(n) for n in sorted({cell.n for cell in cells}))
        for k, level in enumerate(cells[0].cell.points):
            held = [cell.figures["holds"][k].value for cell in cells]
            made.append(
                {
                    "method": method,
                    "target": target,
                    "rows": n_pos + n_neg,
                    "n_pos": n_pos,
                    "n_neg": n_neg,
                    "level": level,
                    "coverage_low": round(min(held), 4),
                    "coverage_high": round(max(held), 4),
                    "where": f"{where}; {count}, {sets} test sets of each",
                }
            )
    return made


def _draws(method: Any) -> dict[str, int]:
    return {"n_resamples": method.n_resamples} if hasattr(method, "n_resamples") else {}


def written(rows: list[dict[str, Any]]) -> str:
    """Return the table as text, one row a line."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f"[\n{lines}\n]\n"


def main() -> None:
    """Write the table; rows of methods and data that were not measured stay as they are."""
    rows = collect()
    made = {(row["method"], row["where"].startswith(REAL)) for row in rows}
    for row in json.loads(TABLE.read_text(encoding="utf-8")):
        if (row["method"], row["where"].startswith(REAL)) not in made:
            rows.append(row)
    TABLE.write_text(written(rows), encoding="utf-8")


if __name__ == "__main__":
    main()

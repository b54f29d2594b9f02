"""The study's figures as a page of documentation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.coverage.judge import may_lie_in

Record = dict[str, Any]

HEAD = """# Measured coverage

Nominal level 0.90; the share of fresh test sets whose likelihood band holds the whole curve. Each figure comes from
{reps} test sets (standard error about 0.007); a figure is marked `!` when its exact 99% binomial interval lies outside the
range it should lie in. Made by

```console
$ make coverage
```

which keeps every finished cell in `docs/coverage.jsonl` and goes on where it was stopped. Seeds are made from the names of
the cells. Tied scores are resampled 99 times instead of 1,000, which holds as often on average. The score files of the last table are looked for in `$ROCBANDS_DATA/scores`; without them that part is left out.
"""

STUDIES = {
    "true curve": (
        "True curve, binormal scores",
        "Positives N(theta, 3.75), negatives N(-theta, 3.0), r rows of random class. Wanted: .87 to .97, and .88 to .93 "
        "for r >= 100 and theta <= 3.",
    ),
    "joint region": (
        "True curve, binormal scores, joint regions",
        "The same grid with `method='joint-region'`. Wanted, by theorem: .90 or more.",
    ),
    "Berk-Jones boxes": (
        "True curve, binormal scores, joint regions of Berk-Jones boxes",
        "The same grid with `method=rb.JointRegion(boxes='berk-jones')`. Wanted, by theorem: .90 or more.",
    ),
    "shapes": ("True curve, other shapes", "Wanted: .86 to .97."),
    "unbalanced": ("True curve, unbalanced classes", "Positives + negatives. Wanted: .86 to .97."),
    "future curve": (
        "Future curve",
        "The band asked with `future=` for a second test set's empirical curve, both of r rows of random class. Wanted: "
        ".87 to 1 at r = 25, .87 to .98 above.",
    ),
    "rounded scores": (
        "True curve, tied scores",
        "The bimodal world rounded to multiples of 2, 1 and 0.25. Wanted: .85 to .98.",
    ),
    "calibration": (
        "Calibrations compared",
        "Where they differ most: a hooked curve at 12+12, and scores rounded to levels about as wide as the noise (29 and about 100 "
        "levels).",
    ),
    "real scores": (
        "True curve, real scores",
        "r rows without replacement from a file of out-of-sample scores, which is the truth as a whole; three data sets, "
        "models trained on 100 and on 2,500 rows. Wanted: .84 to .98; above that only where AUC is near 1.",
    ),
}


def write_tables(results: Path) -> None:
    """Write docs/coverage.md from the finished cells."""
    records = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    reps = max(record["reps"] for record in records)
    parts = [HEAD.format(reps=f"{reps:,}")]
    for study, (title, words) in STUDIES.items():
        mine = [record for record in records if record["study"] == study]
        if mine:
            parts.append(f"## {title}\n\n{words}\n\n{_grid(mine, _held)}")
    areas = [record for record in records if record["study"] == "area"]
    if areas:
        parts.append(
            "## Mean area, beside the fixed-width band\n\nRatio of mean areas (likelihood / fixed-width) on the same 100 "
            "test sets a cell, and in brackets the share of true curves that each held.\n\n"
            + _grid(areas, _area)
        )
    results.with_name("coverage.md").write_text("\n".join(parts), encoding="utf-8")


def _grid(records: list[Record], cell: Callable[[Record], str]) -> str:
    worlds = sorted(
        {record["world"] for record in records}, key=lambda text: (_natural(text), text)
    )
    sizes = sorted({record["size"] for record in records}, key=lambda text: (_natural(text), text))
    found = {(record["world"], record["size"]): cell(record) for record in records}
    lines = ["| | " + " | ".join(sizes) + " |", "|---|" + "---|" * len(sizes)]
    for world in worlds:
        row = [found.get((world, size), "") for size in sizes]
        lines.append(f"| {world} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def _natural(text: str) -> tuple[str, float]:
    """Sort 'binormal 0.75' before 'binormal 5' and 'r = 25' before 'r = 100'."""
    digits = "".join(c if c.isdigit() or c == "." else " " for c in text).split()
    numbers = [float(d) for d in digits if d.strip(".")]
    if text.startswith(("r =", "binormal", "bimodal in")) or "+" in text:
        return (
            text.split(" ", maxsplit=1)[0].split("+", maxsplit=1)[0]
            if not text[0].isdigit()
            else "",
            numbers[-1],
        )
    return text, 0.0


def _held(record: Record) -> str:
    count = round(record["held"] * record["reps"])
    good = may_lie_in(count, record["reps"], record["low"], record["high"])
    return f"{record['held']:.3f}" + ("" if good else " !")


def _area(record: Record) -> str:
    ratio = record["area"] / record["fixed-width area"]
    return f"{ratio:.2f} ({record['held']:.2f}, {record['fixed-width held']:.2f})"

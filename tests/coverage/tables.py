"""The study's figures as a page of documentation."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
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
the cells. Methods that resample draw 99 sets instead of 1,000, which holds as often on average. The score files of the last table are looked for in `$ROCBANDS_DATA/scores`; without them that part is left out.
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

THETAS = ["0.75", "1", "1.5", "2", "3", "4", "5"]

RIVALS = {
    "fixed-width": (
        "Fixed-width bands",
        "Share of true curves held and, in brackets, mean area; after the semicolon the figures of a separate prototype. 500 test "
        "sets a cell, 99 resamples.",
    ),
    "fixed-width smooth": (
        "Fixed-width bands, smoothed",
        "As above, with `FixedWidth(smooth=True)`.",
    ),
    "joint-region": (
        "Joint regions at the papers' level",
        "As above, with each axis at .9, as in the papers: .81 guaranteed.",
    ),
    "berk-jones": (
        "Joint regions of Berk-Jones boxes",
        "As above, with `JointRegion(boxes='berk-jones')`.",
    ),
    "working-hotelling": (
        "Working-Hotelling bands",
        "As above; the scores are binormal, as the band assumes. Where no curve could be fitted the band is the whole square; "
        "that counts as a miss here, and its share follows a slash.",
    ),
    "working-hotelling pointwise": (
        "Working-Hotelling bands, pointwise",
        "As above, with `WorkingHotelling(simultaneous=False)`: not made to hold a whole curve, and seldom doing so.",
    ),
    "sup-t": ("Studentised bands", "As above."),
    "future root": (
        "Fixed-width bands for future curves, root rule",
        "Share of future curves held, ten for each of 200 bands, and mean area; r rows of random class now and later.",
    ),
    "future pairs": (
        "Fixed-width bands for future curves, pairs of resamples",
        "As above, with `FixedWidth(future_rule='pairs')`.",
    ),
    "folds": (
        "Averages over folds",
        "`FoldAverage`: the average of five models of different skill, and a learner whose skill varies from training set to "
        "training set, seen 3, 5 and 10 times; rows of each fold at the top. 300 sets of folds a cell, 100 in the last column.",
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
    unfit = [record for record in records if record["study"] == "not binormal"]
    if unfit:
        parts.append(
            "## Working-Hotelling bands where scores are not binormal\n\nShare of true curves held, and in brackets the share "
            "of test sets in which the check of fit raised its warning; 300 test sets a cell.\n\n"
            + _grid(unfit, lambda r: f"{r['held']:.3f} ({r['seen']:.3f})")
        )
    areas = [record for record in records if record["study"] == "area"]
    if areas:
        parts.append(
            "## Mean area, beside the fixed-width band\n\nRatio of mean areas (likelihood / fixed-width) on the same 2,000 "
            "test sets a cell, and in brackets the share of true curves that each held.\n\n"
            + _grid(areas, _area)
        )
    parts += _rivals(records)
    results.with_name("coverage.md").write_text("\n".join(parts), encoding="utf-8")


def _rivals(records: list[Record]) -> list[str]:
    """Tables of the other methods, with what separate prototypes found beside each figure."""
    known = json.loads(Path("tests/golden/bands_grid.json").read_text(encoding="utf-8"))
    parts = []
    for study, (title, words) in RIVALS.items():
        mine = [record for record in records if record["study"] == study]
        if not mine:
            continue
        pairs = [(record, _known(known[study], record)) for record in mine if study in known]
        pairs = [(record, there) for record, there in pairs if there is not None]
        text = f"## {title}\n\n{words}\n\n{_grid(mine, partial(_beside, known=known.get(study)))}"
        if pairs:
            apart = [record["held"] - there[0] for record, there in pairs]
            z = [_z(record, there) for record, there in pairs]
            text += (
                f"\nAgainst the prototypes: mean difference {sum(apart) / len(apart):+.3f}, largest "
                f"|z| {max(map(abs, z)):.1f} over {len(z)} cells (both standard errors).\n"
            )
        parts.append(text)
    return parts


def _known(table: dict[str, Any] | None, record: Record) -> tuple[float, float, int] | None:
    """Share held, area and number of test sets that a prototype reports for the same cell."""
    total, theta = record["size"].removeprefix("r = "), record["world"].removeprefix("binormal ")
    if table is None or total not in table:
        return None
    place = THETAS.index(theta)
    sets = 100 if total == "10000" else 300
    return table[total]["held"][place], table[total]["area"][place], sets


def _z(record: Record, there: tuple[float, float, int]) -> float:
    """Difference in standard errors, pooled, with half a case added so that 1.000 has one too."""
    both = record["held"] * record["reps"] + there[0] * there[2] + 0.5
    share = both / (record["reps"] + there[2] + 1.0)
    error = (share * (1 - share) * (1 / record["reps"] + 1 / there[2])) ** 0.5
    return float((record["held"] - there[0]) / error)


def _beside(record: Record, known: dict[str, Any] | None) -> str:
    there = _known(known, record) if record["world"].startswith("binormal") else None
    text = f"{record['held']:.3f} ({record['area']:.3f})"
    if record.get("no fit"):
        text = f"{record['held']:.3f} / {record['no fit']:.3f} ({record['area']:.3f})"
    return text if there is None else f"{text}; {there[0]:.3f} ({there[1]:.3f})"


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

"""The overview on the page about methods is made of the figures that were measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.coverage import weights
from tests.coverage.__main__ import load
from tests.coverage.pages import find_page

DOCS = Path(__file__).parents[2] / "docs"
SIZES = ("r = 25", "r = 100", "r = 250", "r = 1000", "r = 2500")
METHODS = {
    "`fixed-width`": ("fixed-width",),
    "`FixedWidth(smooth=True)`": ("fixed-width smooth",),
    "`sup-t`": ("sup-t",),
    '`JointRegion(boxes="berk-jones")`': ("berk-jones",),
    "`joint-region`, each axis at .9": ("joint-region",),
    "`working-hotelling`": ("working-hotelling",),
    "`WorkingHotelling(simultaneous=False)`, pointwise": ("working-hotelling pointwise",),
}


def short(share: float) -> str:
    return f"{share:.2f}".removeprefix("0") if share < 0.995 else "1"


def cell(found: list[dict[str, float]], size: str) -> str:
    """Range of the shares that held; mean area where every world has one."""
    here = [record for record in found if record["size"] == size]
    low, high = (short(f(record["held"] for record in here)) for f in (min, max))
    areas = [record["area"] for record in here if "area" in record]
    words = low if low == high else f"{low} to {high}"
    return words + (f" ({np.mean(areas):.2f})".replace("(0.", "(.") if areas else "")


def row(title: str) -> str:
    records = map(
        json.loads, (DOCS / "coverage-bands.jsonl").read_text(encoding="utf-8").splitlines()
    )
    found = [
        r for r in records if r["study"] in METHODS[title] and r["world"].startswith("binormal")
    ]
    return f"| {title} | " + " | ".join(cell(found, size) for size in SIZES) + " |"


@pytest.mark.parametrize("title", METHODS)
def test_overview_is_what_was_measured(title: str) -> None:
    assert row(title) in (DOCS / "methods.md").read_text(encoding="utf-8").splitlines()


def test_likelihood_row_is_what_was_measured() -> None:
    page = find_page("coverage")
    found, section = load(page), page.sections[0]
    cells = []
    for size in SIZES:
        held = [
            found[id(cell)].figures["holds"][1].value  # type: ignore[index]
            for cell in section.cells
            if cell.facts()["size"] == size
        ]
        assert len(held) == 7
        cells.append(f"{short(min(held))} to {short(max(held))}")
    line = f"| `likelihood` | {' | '.join(cells)} |"
    assert line in (DOCS / "methods.md").read_text(encoding="utf-8").splitlines()


def test_samples_with_narrow_limits_are_named_where_weights_are_explained() -> None:
    lines = (DOCS / "coverage-weights.jsonl").read_text(encoding="utf-8").splitlines()
    done = {record["cell"]: record for record in map(json.loads, lines)}
    expected = []
    for key, found in done.items():
        low = [name.split() for name in weights.NAMES if weights.is_low(found, name)]
        if low:
            world, n, prevalence = key.split(" | ")
            parts = [f"{kind} at {level}: {found[f'{kind} {level}']:.3f}" for kind, level in low]
            figures = ", ".join(parts).replace("auc", "AUC").replace(" 0.", " .")
            expected.append(f"| {world} | {int(n):,} | {prevalence} | {figures} |")
    page = (DOCS / "weights.md").read_text(encoding="utf-8")
    table = page.split("| sample | rows | prevalence | too narrow |\n|---|---|---|---|\n")[1]
    assert table.split("\n\n")[0].splitlines() == expected
    assert f"in {len(done)} kinds of samples" in page

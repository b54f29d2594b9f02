"""The overview on the page about methods is made of the figures that were measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rocbands_studies.checkout import DOCS as STUDIES
from rocbands_studies.checkout import ROOT
from rocbands_studies.coverage.__main__ import load
from rocbands_studies.coverage.judge import binomial_interval
from rocbands_studies.coverage.pages import find_page
from rocbands_studies.coverage.tables import Page, Section, find_short, method_of

DOCS = ROOT / "docs"
SIZES = ("12+13", "50+50", "50+500", "500+500", "5000+5000")
METHODS = {
    "`likelihood`": "likelihood",
    "`fixed-width`": "fixed-width",
    "`FixedWidth(smooth=True)`": "fixed-width (smooth=True)",
    "`sup-t`": "sup-t",
    "`joint-region`": "joint-region",
    '`JointRegion(boxes="berk-jones")`': "joint-region (boxes=berk-jones)",
    "`working-hotelling`": "working-hotelling",
    "`WorkingHotelling(simultaneous=False)`, pointwise": "working-hotelling (simultaneous=False)",
}


def short(share: float) -> str:
    return f"{share:.2f}".removeprefix("0") if share < 0.995 else "1"


def measured(name: str, title: str) -> tuple[Page, Section, list[Any]]:
    page = find_page(name)
    found, section = load(page), next(one for one in page.sections if one.title == title)
    return page, section, [found[id(cell)] for cell in section.cells]


def row(title: str) -> str:
    """Range of the shares that held at .95, and the mean area, at each size."""
    parts = []
    _, _, found = measured("coverage-bands", "Normal scores")
    for size in SIZES:
        here = [
            one
            for one in found
            if one.cell.facts()["size"] == size and method_of(one) == METHODS[title]
        ]
        held = [one.figures["holds"][0].value for one in here]
        assert len(held) == 3
        low, high = short(min(held)), short(max(held))
        area = short(float(np.mean([one.figures["area"].value for one in here])))
        parts.append((low if low == high else f"{low} to {high}") + f" ({area})")
    return f"| {title} | " + " | ".join(parts) + " |"


@pytest.mark.parametrize("title", METHODS)
def test_overview_is_what_was_measured(title: str) -> None:
    assert row(title) in (DOCS / "methods.md").read_text(encoding="utf-8").splitlines()


def weak_samples() -> list[str]:
    """Rows of the table of samples whose limits are too narrow at .95 or .90, beyond chance."""
    page = find_page("coverage-weights")
    found, rows = load(page), {}
    for section in page.sections[:-1]:
        for cell in section.cells:
            world, kind = (
                cell.world,
                section.title.split(",")[0].removesuffix("s").replace("B", "b"),
            )  # type: ignore[attr-defined]
            result = found[id(cell)]
            for _, level, share in find_short(result):
                highest = binomial_interval(round(share * result.n), result.n, 0.998)[1]
                if level < 0.99 and highest < level:
                    key = f"| {world.kind} | {cell.classes.n:,} | {world.prevalence:g} |"  # type: ignore[attr-defined]
                    text = f"{kind} at {level:.2f}: {share:.3f}".replace(" 0.", " .")
                    rows.setdefault(key, []).append(text)
    return [f"{key} {', '.join(figures)} |" for key, figures in rows.items()]


def test_samples_with_narrow_limits_are_named_where_weights_are_explained() -> None:
    page = (STUDIES / "measured-designs.md").read_text(encoding="utf-8")
    table = page.split("| sample | rows | prevalence | too narrow |\n|---|---|---|---|\n")[1]
    assert table.split("\n\n")[0].splitlines() == weak_samples()
    kinds = sum(len(one.cells) for one in find_page("coverage-weights").sections[:3])
    assert f"in {kinds} kinds of samples" in page

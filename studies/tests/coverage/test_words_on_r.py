"""What the page for users of R says of measured coverage is what was measured."""

from __future__ import annotations

from rocbands_studies.checkout import ROOT
from rocbands_studies.coverage.__main__ import load
from rocbands_studies.coverage.pages import find_page
from rocbands_studies.coverage.tables import Page

PAGE = ROOT / "docs" / "coming-from-r.md"


def test_words_about_measured_coverage() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    points, areas = (find_page(name) for name in ("coverage-points", "coverage-auc"))

    def shares(page: Page, method: str, place: str) -> list[float]:
        measured = load(page).values()
        return [
            one.figures[place][0].value  # type: ignore[index]
            for one in measured
            if one.cell.facts()["statement"] == method and place in one.figures
        ]

    percentiles, ours = (shares(points, how, "holds 0.01") for how in ("bootstrap", "likelihood"))
    low, high, least = (
        f"{share:.2f}".removeprefix("0")
        for share in (min(percentiles), max(percentiles), min(ours))
    )
    said = f"the percentiles was {low} to {high} at fpr .01, that of ours {least} or more"
    assert said in page
    worst = f"{min(shares(areas, 'delong', 'holds')):.2f}".removeprefix("0")
    assert f"their coverage is too low: {worst} at worst instead of .95" in page

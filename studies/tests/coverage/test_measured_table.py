"""The table of measured coverage that reports quote is what was measured."""

from __future__ import annotations

import rocbands as rb
from rocbands_studies.coverage.__main__ import load
from rocbands_studies.coverage.pages import find_page
from rocbands_studies.tables.measured_table import TABLE, collect, written


def test_measured_coverage_is_that_of_the_nearest_sizes() -> None:
    example = rb.report(rb.load_example(), path=None, rng=1).payload
    page = find_page("coverage-bands")
    held = [
        one.figures["holds"][0].value  # type: ignore[index]
        for section in page.sections[:1]
        for one in map(load(page).__getitem__, map(id, section.cells))
        if (one.cell.facts()["statement"], one.cell.facts()["size"]) == ("joint-region", "500+500")
    ]
    assert len(held) == 3
    measured = example["trust"]["measured"]
    # All levels that were measured: a reader may choose another one than the report's.
    assert {row["level"] for row in measured} == {0.9, 0.95, 0.99}
    shown = [row for row in measured if row["level"] == 0.95]
    row, _ = [row for row in shown if row["method"] == "joint-region"]
    assert (row["n_pos"], row["n_neg"], row["where"][:13]) == (500, 500, "normal scores")
    assert (row["coverage_low"], row["coverage_high"]) == (min(held), max(held))


def test_the_table_of_measured_coverage_is_up_to_date() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert all(written([row])[2:-3] in text for row in collect())

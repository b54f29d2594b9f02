"""Pages whose worlds and statements are made for them alone can be measured and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocbands_studies import Study, run
from rocbands_studies.coverage import __main__ as command
from rocbands_studies.coverage.pages import find_page
from rocbands_studies.coverage.tables import Page, Section, holding, render


@pytest.mark.parametrize("name", ["coverage-weights", "coverage-many", "coverage-views"])
def test_each_section_can_be_measured_and_shown(name: str) -> None:
    page = find_page(name)
    cells = [section.cells[0] for section in page.sections]
    found = run(Study("a look", cells, 2), workers=1)
    results = {id(cell): result for cell, result in zip(cells, found.cells, strict=True)}
    for result in results.values():
        shares = [figure.value for _, figures in holding(result) for figure in figures]
        assert len(shares) % 3 == 0
        assert set(shares) <= {0.0, 0.5, 1.0}
    text = render(Page(page.name, page.head, page.sections), results)
    assert all(f"## {section.title}\n" in text for section in page.sections)
    assert f"python -m rocbands_studies.coverage {name}" in text


def test_a_page_whose_data_are_not_there_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "DOCS", tmp_path)
    (tmp_path / "some.md").write_text("measured before", encoding="utf-8")
    command.write(Page("some", "Some page", [Section("Real scores", "", (), 10)]))
    assert (tmp_path / "some.md").read_text(encoding="utf-8") == "measured before"
    assert "Real scores needs the files in" in capsys.readouterr().err

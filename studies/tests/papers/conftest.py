"""Fixtures of the papers' tests."""

from __future__ import annotations

import pytest

from rocbands_studies.papers import paper


@pytest.fixture(autouse=True)
def sure_of_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts of invented figures are those of a full run, whatever sets a quick run would have.

    What a quick run says of too few sets is tested by itself (test_quick_runs).
    """
    monkeypatch.setattr(paper, "_DRAWS", 0)

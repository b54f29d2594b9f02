"""Files of any size: large ones are counted by DuckDB, small ones without it."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["row by row", "by DuckDB"])
def any_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count files as small ones, and as large ones."""
    least = 0 if request.param == "by DuckDB" else 1 << 40
    monkeypatch.setattr("rocbands.io.engine._LARGE", least)

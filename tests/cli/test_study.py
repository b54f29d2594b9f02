"""`rocbands study` without the distribution that it comes with."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata, reload

import pytest
from click.testing import Result

from rocbands.cli import documents, study

Run = Callable[..., Result]


@pytest.fixture
def without_studies(monkeypatch: pytest.MonkeyPatch):
    """Nothing is registered, as where the package alone is installed."""
    with monkeypatch.context() as patch:
        patch.setattr(metadata, "entry_points", lambda **asked: [])
        reload(study)
        yield
    reload(study)


@pytest.mark.parametrize("asked", [(), ("list",), ("run", "macskassy-2005-table3", "--quick")])
def test_it_says_in_one_line_what_to_install(
    run: Run, without_studies: None, asked: tuple[str, ...]
) -> None:
    result = run("study", *asked)
    assert result.exit_code == 2
    assert "Run 'pip install ./studies' in a checkout of rocbands" in result.stderr
    assert result.stderr.count("\n") == 1


def test_help_and_schemas_need_no_studies(run: Run, without_studies: None) -> None:
    assert "pip install ./studies" in run("study", "--help").stdout
    assert "rocbands.band/1" in documents.all_schemas()
    assert "rocbands.own-studies/1" not in documents.all_schemas()
    assert "  study " in run("--help").stdout

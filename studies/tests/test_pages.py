"""What pages of the studies show runs: their blocks of Python and their console lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.repo.consoles import Folder
from tests.repo.pages import STUDY_PAGES, python_blocks, run_blocks
from tests.repo.test_consoles import LINES


@pytest.mark.parametrize(
    "page", [page for page in STUDY_PAGES if python_blocks(page)], ids=lambda page: page.name
)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_blocks(page)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
@pytest.mark.parametrize(
    "page", [page for page in STUDY_PAGES if page in LINES], ids=lambda page: page.name
)
def test_console_lines_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Folder(tmp_path)
    for line in LINES[page]:
        folder.run(line)

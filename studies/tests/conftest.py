"""A command line that runs in this process, in a folder with a few files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rocbands.cli import main
from tests.conftest import (  # settings of all tests
    _no_figure_left,  # noqa: F401
    _width_of_text_is_our_own,  # noqa: F401
)

Run = Callable[..., Result]
FILES = {
    "good.csv": "label,score\n1,0.9\n0,0.4\n1,0.3\n0,0.1\n",
    "text.csv": "who,score_a,score_b\nill,0.9,4\nwell,0.4,3\nill,0.3,2\nwell,0.1,1\n",
    "bad.csv": "label,score\n1,0.9\n0,n/a\n",
    "counted.csv": "model,score,positives,negatives\nold,3,2,0\nold,2,1,1\nold,1,0,2\n"
    "new,3,3,1\nnew,1,0,2\n",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    return lambda *asked: CliRunner().invoke(main, asked, prog_name="rocbands")

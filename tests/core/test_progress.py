"""Progress: quiet where nobody watches, and after two seconds where somebody does."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest

import rocbands as rb
from rocbands.core import progress
from rocbands.resample.streams import run_chunks


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    screen = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen, modules={}))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    monkeypatch.delenv(progress.SETTING, raising=False)
    return screen


def draw() -> list[int]:
    return run_chunks(lambda draws, rng: draws, 1000, np.random.default_rng(0))


def test_resampling_tells_and_wipes_its_line_out(terminal: Terminal) -> None:
    assert sum(draw()) == 1000
    said = terminal.getvalue()
    assert "Drawing resamples 50%, 0 s" in said
    assert said.endswith(" \r")


def test_nothing_is_said_where_nobody_wants_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress.silence():
        draw()
    monkeypatch.setenv(progress.SETTING, "no")
    draw()
    monkeypatch.delenv(progress.SETTING)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    draw()
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    draw()
    assert terminal.getvalue() == ""


def test_an_error_wipes_the_line_out(terminal: Terminal) -> None:
    def work(draws: int, rng: np.random.Generator) -> int:
        raise ValueError("no luck")

    with pytest.raises(ValueError, match="no luck"):
        run_chunks(work, 1000, np.random.default_rng(0))
    assert terminal.getvalue() in ("", "\r")


def test_a_report_counts_its_parts_and_says_them_once(terminal: Terminal) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(80) % 2
    models = {"a": rng.normal(y), "b": rng.normal(y)}
    steps: list[tuple[int, int | None]] = []
    rb.report(
        rb.Sample(y, models),
        path=None,
        rng=1,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert terminal.getvalue() == ""
    assert len({total for _, total in steps}) == 1
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1][0] == steps[-1][1]
    assert len({done for done, _ in steps}) >= 8  # more than one step for a model
    rb.report(rb.Sample(y, {"a": models["a"]}), path=None, rng=1)
    assert "Making the report" in terminal.getvalue()
    assert "resamples" not in terminal.getvalue()
    with pytest.raises(rb.InputError, match="progress"):
        rb.report(rb.Sample(y, models), path=None, progress="yes")

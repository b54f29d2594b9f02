"""Benchmarks run, and ways of doing the same thing give the same answer."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import rocbands as rb
from benchmarks import peers
from benchmarks.clock import seconds
from benchmarks.machine import description
from benchmarks.tasks import OURS, TASKS, drawn

ROWS = 300


@pytest.mark.parametrize("key", TASKS)
def test_every_way_that_is_installed_answers(key: str) -> None:
    task, data = TASKS[key], drawn(ROWS)
    assert task.ways[0].tool == OURS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers
        answers = [way.prepare(data)() for way in task.ways if way.installed]
    assert np.isfinite(answers).all()
    if task.alike is not None:
        assert np.ptp(answers) <= task.alike


def test_all_draw_the_same_rows() -> None:
    one, two = drawn(ROWS), drawn(ROWS)
    assert np.array_equal(one.labels, two.labels)
    assert np.array_equal(one.second, two.second)


def test_the_machine_is_described() -> None:
    assert "cores" in description()
    assert f"numpy {np.__version__}" in description()


def test_a_run_writes_its_table_and_adds_to_the_history(tmp_path: Path, monkeypatch) -> None:
    page, history = tmp_path / "page.md", tmp_path / "history.csv"
    command = ["peers", "curve", "--largest", "1e2", "-o", str(page), "--history", str(history)]
    monkeypatch.setattr(sys, "argv", command)
    for name in ("ROCBANDS_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # so that what the run sets is undone
    # Times do not matter here: each way is called once, and nothing is collected in between.
    monkeypatch.setattr("benchmarks.clock.gc.collect", lambda: 0)
    monkeypatch.setattr(peers, "seconds", lambda *calls, repeats: seconds(*calls, repeats=1))
    peers.main()
    peers.main()
    lines = history.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("date,version,task,rows,ms,sorts,")
    assert all(f"{rb.__version__},curve,10^2," in line for line in lines[1:])
    text = page.read_text(encoding="utf-8")
    assert "| 10^2 | numpy.sort |" in text
    assert "_seconds" not in text


@pytest.mark.simulation
def test_accelerators_can_be_switched_off_and_are_on_their_page() -> None:
    from benchmarks.accelerators import ACCELERATORS, keep_section, rows

    assert [row["rows"] for row in rows(most=1e3, repeats=1)] == ["300", "1,000"]
    page = keep_section(Path(__file__).parents[2] / "docs" / "benchmarks.md")
    for each in ACCELERATORS:
        assert f"| {each.name} | {each.module} |" in page

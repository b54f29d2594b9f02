"""Benchmarks run, and ways of doing the same thing give the same answer."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

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

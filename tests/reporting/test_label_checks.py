"""Labels are checked once, where they enter; everything after that takes checked objects."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import rocbands as rb
import rocbands.reporting.report
from rocbands.core import columns


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the calls of the label check, wherever it was imported to."""
    calls: list[int] = []
    original = columns.two_classes

    def count(y: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(len(y))
        return original(y, *args, **kwargs)

    for name, module in list(sys.modules.items()):
        if name.startswith("rocbands") and getattr(module, "two_classes", None) is original:
            monkeypatch.setattr(module, "two_classes", count)
    return calls


RNG = np.random.default_rng(3)
Y = np.tile([1, 0], 50)
MODELS = {"a": RNG.normal(size=100) + Y, "b": RNG.normal(size=100) + Y}


def make_report(**rows: Any) -> None:
    rb.report(rb.Sample(Y, MODELS, **rows), path=None, rng=1, future=(5, 5))


def test_one_report_of_two_models_checks_labels_once(checks: list[int]) -> None:
    make_report()
    assert checks == [100]


@pytest.mark.parametrize(
    "rows", [{"clusters": np.arange(100) // 4}, {"folds": np.arange(100) // 20}]
)
def test_clusters_and_folds_change_nothing(checks: list[int], rows: dict[str, Any]) -> None:
    make_report(**rows)
    assert checks == [100]


def test_a_band_checks_labels_once(checks: list[int]) -> None:
    rb.roc_band(Y, MODELS["a"])
    assert checks == [100]


def test_a_counted_curve_needs_no_check(checks: list[int]) -> None:
    roc = rb.roc_curve(Y, MODELS["a"])
    assert checks == [100]
    rb.roc_band(roc)
    rb.auc_interval(roc)
    assert checks == [100]

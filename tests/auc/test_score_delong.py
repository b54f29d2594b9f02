"""The score interval with DeLong's components: against 40-digit numbers, and what it promises."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

import rocbands as rb
from rocbands.auc.score_delong import ScoreDeLong, ScorePivot
from tests.golden_numbers import GOLDEN
from tests.strategies import labelled_scores

KNOWN = json.loads((GOLDEN / "auc_score_delong.json").read_text())
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["name"])
def test_the_numbers_of_forty_digits(case: dict) -> None:
    steps = np.arange(len(case["fp"]), 0, -1)
    roc = rb.RocCurve.from_counts(steps, case["fp"], case["tp"])
    found = rb.auc_interval(roc, method="score-delong", level=case["level"], null=case["null"])
    expected = case["estimate"], case["low"], case["high"]
    assert (found.estimate, found.low, found.high) == pytest.approx(expected, abs=1e-10)
    assert found.pvalue == pytest.approx(case["pvalue"], rel=1e-8, abs=1e-300)
    pivot = ScoreDeLong().build_pivot(roc, RNG)
    assert isinstance(pivot, ScorePivot)
    assert pivot.unit == pytest.approx(case["unit"], rel=1e-10)
    assert pivot.df == pytest.approx(math.inf if case["df"] is None else case["df"], rel=1e-10)


@given(rows=labelled_scores(max_size=20))
def test_it_is_never_a_point_and_mirrors(rows: tuple[np.ndarray, np.ndarray]) -> None:
    y, s = rows
    found = rb.auc_interval(y, s, "score-delong")
    assert found.low < found.high
    assert found.pvalue is not None
    both = rb.auc_interval(1 - y, -s, "score-delong")
    assert (both.low, both.high) == pytest.approx((found.low, found.high), abs=1e-12)
    turned = rb.auc_interval(y, -s, "score-delong")
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((found.low, found.high), abs=1e-12)


def test_it_becomes_delong_s_with_many_cases() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    s = rng.normal(size=y.size) + y
    score, delong = (rb.auc_interval(y, s, name) for name in ("score-delong", "delong"))
    assert score.standard_error == pytest.approx(delong.standard_error, rel=1e-3)
    assert (score.low, score.high) == pytest.approx((delong.low, delong.high), abs=1e-4)

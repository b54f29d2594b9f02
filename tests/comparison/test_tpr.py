"""True positive rates at a false positive rate: heights, limits, and how often these hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import rocbands as rb
from tests.comparison.test_delong import SIM, Y, pairs
from tests.comparison.worlds import null_pair
from tests.judge import may_lie_in
from tests.oracles import compare as oracle

MODELS = {"a": SIM["s1"], "b": SIM["s2"], "c": SIM["s1"] + SIM["s2"]}


@settings(max_examples=40)
@given(pairs(least=1), st.sampled_from([0.1, 0.25, 0.5, 0.8]), st.sampled_from([0.9, 0.99]))
def test_limits_contain_the_difference_and_belong_to_the_test(rows, fpr, level) -> None:
    labels, one, two = rows
    found = rb.compare_tpr(labels, one, two, fpr=fpr, level=level)
    heights = [oracle.height(labels.tolist(), s.tolist(), fpr) for s in (one, two)]
    assert found.estimates == pytest.approx(tuple(heights), abs=1e-9)
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.low < found.high
    other = rb.compare_tpr(labels, two, one, fpr=fpr, level=level)
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert other.pvalue == pytest.approx(found.pvalue)
    if min(abs(found.low), abs(found.high)) > 1e-9:
        assert (found.pvalue < 1 - level) == (not found.low <= 0 <= found.high)


def test_heights_at_a_rate() -> None:
    found = rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=0.2)
    same = rb.compare_tpr(Y, MODELS["a"], MODELS["a"], fpr=0.2)
    assert (same.difference, same.pvalue) == (0.0, 1.0)
    assert -0.05 < same.low < 0 < same.high < 0.05
    fine = rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=0.2, margin=0.1)
    assert fine.verdict.startswith("Not inferior")
    assert found.low > fine.low - 1
    other = rb.compare_tpr(Y, MODELS["b"], MODELS["a"], fpr=0.2, margin=0.05)
    assert "not shown" in other.verdict
    assert any(
        "too few" in n for n in rb.compare_tpr(Y, *list(MODELS.values())[:2], fpr=0.01).notes
    )
    with pytest.raises(rb.InputError, match="strictly between"):
        rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=1.0)


def test_a_band_says_the_same() -> None:
    found = rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=0.2)
    band = rb.difference_band(Y, MODELS["a"], MODELS["b"], fpr=(0.2, 0.9), rng=1)
    assert band.difference[0] == pytest.approx(found.difference)
    assert band.lower[0] < found.low < found.high < band.upper[0]


@pytest.mark.simulation
def test_intervals_hold_and_equal_models_are_rejected_about_as_often_as_allowed() -> None:
    rng, reps, held, narrow, rejected = np.random.default_rng(3), 250, 0, 0, 0
    for _ in range(reps):
        found = rb.compare_tpr(*null_pair(rng, 100, 100, rho=0.5), fpr=0.1)
        held += found.low <= 0 <= found.high
        narrow += abs(found.statistic) < 1.0
        rejected += found.pvalue < 0.05
    assert may_lie_in(held, reps, 0.93, 0.975, 0.9999)
    assert not may_lie_in(narrow, reps, 0.93, 0.975, 0.9999)
    assert rejected == reps - held
    # Models that truly differ: rates .8 apart in shift, at fpr .1.
    shift, truth, held = 1.8, ndtr(1.8 - 1.2816) - ndtr(1.0 - 1.2816), 0
    for _ in range(reps):
        labels, one, two = null_pair(rng, 60, 60, rho=0.5)
        found = rb.compare_tpr(labels, one + (shift - 1.0) * labels, two, fpr=0.1)
        held += found.low <= truth <= found.high
    assert may_lie_in(held, reps, 0.93, 0.985, 0.9999)

"""Decisions at thresholds: McNemar's test by counting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from tests.comparison.test_delong import pairs


@given(pairs(least=1), st.sampled_from(["accuracy", "sensitivity", "specificity"]))
def test_mcnemar_by_counting(rows, of) -> None:
    labels, one, two = rows
    keep = {"accuracy": labels >= 0, "sensitivity": labels == 1, "specificity": labels == 0}[of]
    right = [((s >= 1) == (labels == 1))[keep] for s in (one, two)]
    b, c = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    mass = [math.comb(b + c, k) / 2 ** (b + c) for k in range(b + c + 1)]
    low, high = sum(mass[: b + 1]), sum(mass[b:])
    expected = {
        ("exact", "two-sided"): min(1.0, 2 * min(low, high)),
        ("exact", "greater"): high,
        ("mid-p", "two-sided"): min(1.0, 2 * min(low, high) - mass[b]) if b + c else 1.0,
        ("mid-p", "less"): low - mass[b] / 2 if b + c else 1.0,
    }
    for (method, side), value in expected.items():
        found = rb.mcnemar(
            labels, one, two, thresholds=(1, 1), method=method, of=of, alternative=side
        )
        assert found.pvalue == pytest.approx(value, abs=1e-12)
        assert found.difference == pytest.approx((b - c) / keep.sum())
        assert found.low < found.high


def test_mcnemar_has_two_thresholds() -> None:
    found = rb.mcnemar([1, 0, 1, 0], [0.9, 0.1, 0.4, 0.2], [9, 1, 6, 2], thresholds=(0.5, 5))
    assert found.estimates == (0.75, 1.0)
    with pytest.raises(rb.InputError, match="`thresholds` must be a number; got nan"):
        rb.mcnemar([1, 0], [1, 2], [1, 2], thresholds=(0.5, math.nan))


@pytest.mark.parametrize("weight", [1e-12, 1e-17, 1e-30])
def test_a_class_of_little_weight_has_the_limits_of_the_mirror_image(weight: float) -> None:
    weights, cuts = [1.0, 2.0, weight], (0.5, 0.75)
    one, two = np.array([0.9, 0.3, 0.6]), np.array([0.4, 0.8, 0.7])
    here = rb.Sample([1, 1, 0], {"a": one, "b": two}, weights=weights)
    there = rb.Sample([0, 0, 1], {"a": -one, "b": -two}, weights=weights)
    found = rb.mcnemar(here, thresholds=cuts, of="specificity")
    mirrored = rb.mcnemar(there, thresholds=(-0.5, -0.75), of="sensitivity")
    limits = [(result.low, result.high, result.pvalue) for result in (found, mirrored)]
    assert limits[0] == pytest.approx(limits[1], abs=1e-9)
    assert found.high < 0.7


def test_clusters_whose_rows_cancel_show_no_difference() -> None:
    clusters, y = [0, 0, 1, 1, 2], [1, 1, 0, 0, 1]
    sample = rb.Sample(y, {"a": [1, -1, -1, 1, 1], "b": [-1, 1, 1, -1, 1]}, clusters=clusters)
    found = rb.mcnemar(sample, thresholds=0.0)
    assert (found.difference, found.statistic, found.pvalue) == (0.0, 0.0, 1.0)

"""Costs from counts in bins: what is known at the ends of bins, and bounds in between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from tests.strategies import binned_scores

W = np.linspace(0, 1, 21)
ROC = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
Y, S = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0]), np.array([5, 5, 4, 3, 3, 2, 2, 1, 0.0])


@given(binned_scores())
@settings(deadline=None)
def test_exact_cost_curve_lies_between_floor_and_curve(case: tuple) -> None:
    y, s, roc = case
    exact, found = rb.cost_curve(y, s), rb.cost_curve(roc)
    at = np.union1d(W, np.union1d(exact.w, found.w))
    assert found.floor is not None
    assert (found.floor.at(at) <= exact.at(at) + 1e-12).all()
    assert (exact.at(at) <= found.at(at) + 1e-12).all()
    assert (found.at(at) - exact.at(at) <= found.certificate + 1e-12).all()
    # The curve is what its thresholds truly cost.
    cut = found.threshold_at(W)
    if not np.isposinf(s).any():
        called = s[:, None] >= cut
        cost = W * (1 - called[y == 1].mean(axis=0)) + (1 - W) * called[y == 0].mean(axis=0)
        np.testing.assert_allclose(cost, found.at(W), atol=1e-12)


@given(
    case=binned_scores(),
    cut=st.lists(st.integers(-9, 9).map(lambda k: k / 2.0), min_size=1, max_size=4),
    w=st.sampled_from([0.0, 0.2, 0.5, 0.93, 1.0]),
    level=st.sampled_from([0.5, 0.95]),
    how=st.sampled_from([("mover", "stratified"), ("exact", "stratified"), ("exact", "full")]),
)
@settings(deadline=None)
def test_cost_interval_from_bins_holds_the_exact_one(
    case: tuple, cut: list[float], w: float, level: float, how: tuple[str, Any]
) -> None:
    y, s, roc = case
    asked: Any = {"thresholds": cut, "w": w, "method": how[0], "sampling": how[1], "level": level}
    exact, found = rb.cost_interval(y, s, **asked), rb.cost_interval(roc, **asked)
    assert (found.lower <= exact.lower + 1e-9).all()
    assert (found.upper >= exact.upper - 1e-9).all()
    fewest, most = roc.counts_at(np.array(cut))
    sure = (fewest == most).all(axis=0)
    np.testing.assert_allclose(found.lower[sure], exact.lower[sure], atol=1e-12)
    np.testing.assert_array_equal(found.fn[sure], exact.fn[sure])
    assert ("inside a bin" in " ".join(str(found).split())) == (not sure.all())


def test_other_methods_need_ends_of_bins() -> None:
    at_end = rb.cost_interval(ROC, method="gaussian", thresholds=2, w=0.5)
    assert at_end.fp[0] == 2
    with pytest.raises(rb.InputError, match=r"must be bin edges; 1\.5 lies inside a bin"):
        rb.cost_interval(ROC, method="gaussian", thresholds=[2, 1.5], w=0.5)


def test_full_sampling_needs_ends_of_bins() -> None:
    with pytest.raises(rb.InputError, match="sampling='full' thresholds must be bin edges"):
        rb.cost_interval(ROC, thresholds=1.5, w=0.5, sampling="full")


def test_cost_curve_says_what_bins_hide() -> None:
    found = rb.cost_curve(ROC)
    assert "Counts in bins: costs are too high by at most" in str(found)
    assert found.to_dict()["certificate"] == found.certificate > 0
    assert rb.cost_curve(rb.roc_curve(Y, S)).certificate == 0.0


def test_a_curve_gives_the_numbers_of_its_rows() -> None:
    roc = rb.roc_curve(Y, S)
    np.testing.assert_array_equal(rb.cost_curve(roc).cost, rb.cost_curve(Y, S).cost)
    asked: Any = {"thresholds": [1, 3], "w": [0.3, 0.6]}
    np.testing.assert_array_equal(
        rb.cost_interval(roc, **asked).lower, rb.cost_interval(Y, S, **asked).lower
    )
    np.testing.assert_array_equal(
        rb.cost_thresholds(roc, w=[0.3, 0.6]), rb.cost_thresholds(Y, S, w=[0.3, 0.6])
    )
    with pytest.raises(rb.InputError, match="`y_score` was given, too"):
        rb.cost_curve(roc, S)

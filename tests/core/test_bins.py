"""Counts in bins: the extremes enclose the exact curve, and the certificate is what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import rocbands as rb
from rocbands.core.curve import displacement
from tests.strategies import binned_scores


@given(binned_scores())
def test_exact_curve_runs_between_the_extremes(case: tuple) -> None:
    y, s, roc = case
    exact, (low, high) = rb.roc_curve(y, s), roc.extremes
    assert displacement(exact.curve, high.curve, 1.0).southeast < 1e-12
    assert displacement(exact.curve, low.curve, 1.0).northwest < 1e-12
    assert abs(exact.auc - roc.auc) <= roc.certificate + 1e-12


@given(binned_scores())
def test_extremes_are_attained_by_rows(case: tuple) -> None:
    """Rows of each bin, moved inside it so that one class is on top, have the extreme's curve."""
    y, s, roc = case
    step = roc.thresholds.size - np.searchsorted(roc.thresholds[::-1], s, side="right")
    for sign, extreme in zip((-1, 1), roc.extremes, strict=True):
        moved = rb.roc_curve(y, -2.0 * step + sign * 0.5 * (2 * y - 1))
        np.testing.assert_array_equal(moved.fp, extreme.fp)
        np.testing.assert_array_equal(moved.tp, extreme.tp)
        assert extreme.auc == pytest.approx(roc.auc + sign * roc.certificate, abs=1e-12)
        assert not extreme.binned


@given(binned_scores())
def test_mirror_has_the_mirrored_extremes(case: tuple) -> None:
    roc = case[2]
    for one, other in zip(roc.mirrored.extremes, roc.extremes, strict=True):
        np.testing.assert_array_equal(one.fp, other.mirrored.fp)
        np.testing.assert_array_equal(one.tp, other.mirrored.tp)


def test_bins_of_one_class_are_exact() -> None:
    roc = rb.RocCurve.from_counts([3, 2, 1], fp=[0, 2, 5], tp=[3, 3, 3], bins=True)
    assert roc.certificate == 0.0
    assert "exact" in str(roc)
    assert all(np.array_equal(extreme.fp, roc.fp) for extreme in roc.extremes)


def test_what_a_curve_in_bins_says() -> None:
    roc = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
    assert roc.certificate == pytest.approx((3 * 1 + 1 * 3) / (2 * 4 * 5))
    assert "3 bins, 2 of them with both classes" in str(roc)
    assert "+-0.15" in str(roc)
    assert roc.to_dict()["binned"] is True
    assert roc.to_dict()["certificate"] == roc.certificate


def test_without_bins_nothing_is_uncertain() -> None:
    roc = rb.roc_curve([1, 0, 1, 0], [2, 2, 1, 1])
    assert roc.extremes == (roc, roc)
    assert roc.certificate == 0.0
    assert "bins" not in str(roc)


def test_empty_bins_leave_their_ends_behind() -> None:
    roc = rb.RocCurve.from_counts([4, 3, 2, 1], fp=[1, 1, 1, 2], tp=[1, 1, 1, 2], bins=True)
    np.testing.assert_array_equal(roc.thresholds, [4, 1])
    np.testing.assert_array_equal(roc.tops, [np.inf, 2])


def test_bins_is_a_flag() -> None:
    with pytest.raises(rb.InputError, match="`bins` must be True or False"):
        rb.RocCurve.from_counts([1], [1], [1], bins="no")


@pytest.mark.parametrize("name", ["sup-t", "working-hotelling", "vertical", "threshold"])
def test_methods_that_need_single_scores_refuse(name: str) -> None:
    from rocbands.bands import METHODS

    roc = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
    with pytest.raises(
        rb.InputError, match=r"the curve has bins\. Count every score, or use method="
    ):
        METHODS[name]()(roc, rng=1)

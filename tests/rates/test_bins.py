"""Recall at rates from counts: the numbers of rows, and bounds of what bins hide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.rates import Parametric, table
from rocbands.rates.consensus import Consensus
from rocbands.rates.parametric import bound_moments
from tests.strategies import binned_scores, in_bins

ROC = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)


def rows(seed: int, size: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < 0.2).astype(int)
    return y, np.round(rng.normal(size=size) + 1.3 * y, 3)


@pytest.mark.parametrize("method", ["parametric", "exact", "conditional"])
def test_a_curve_gives_the_numbers_of_its_rows(method: str) -> None:
    y, s = rows(1, 300)
    asked: Any = {"method": method, "rng": 1, "rate": [0.05, 0.3]}
    one, other = rb.rate_bounds(y, s, **asked), rb.rate_bounds(rb.roc_curve(y, s), **asked)
    np.testing.assert_array_equal(one.tpr_lower, other.tpr_lower)
    np.testing.assert_array_equal(one.tpr, other.tpr)
    folds = np.arange(y.size) % 3
    one = rb.rate_bounds(rb.Sample(y, s, folds=folds), rate=[0.05, 0.3])
    other = rb.rate_bounds(rb.Sample(y, s, folds=folds).roc, rate=[0.05, 0.3])
    np.testing.assert_array_equal(one.tpr_lower, other.tpr_lower)


def test_counts_do_without_labels_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    y, s = rows(2)
    roc = rb.roc_curve(y, s)
    by_rows = rb.rate_bounds(y, s)
    monkeypatch.setattr(table, "MANY_ROWS", 0)
    by_counts = rb.rate_bounds(roc)
    np.testing.assert_allclose(by_counts.tpr, by_rows.tpr, atol=1e-12)
    np.testing.assert_allclose(by_counts.tpr_lower, by_rows.tpr_lower, atol=1e-9)
    np.testing.assert_allclose(by_counts.tpr_upper, by_rows.tpr_upper, atol=1e-9)
    with pytest.raises(rb.InputError, match="needs single rows; there are 3000"):
        rb.rate_bounds(roc, method="exact")
    with pytest.raises(rb.InputError, match="scheme='reference' needs single rows"):
        rb.rate_bounds(roc, prevalence=0.5)


@given(
    case=binned_scores(20),
    level=st.sampled_from([0.5, 0.95]),
    new=st.booleans(),
    continuity=st.booleans(),
)
@settings(deadline=None)
def test_bounds_from_bins_hold_the_exact_ones(
    case: tuple, level: float, new: bool, continuity: bool
) -> None:
    y, s, roc = case
    how: Any = {
        "method": Parametric(continuity=continuity),
        "level": level,
        "future": (int(np.sum(y)), int(np.sum(1 - y))) if new else None,
    }
    exact, found = rb.rate_bounds(y, s, **how), rb.rate_bounds(roc, **how)
    np.testing.assert_array_equal(exact.rate, found.rate)
    assert (found.tpr_lower <= exact.tpr_lower + 1e-9).all()
    assert (found.tpr_upper >= exact.tpr_upper - 1e-9).all()


@given(case=binned_scores(20), new=st.booleans())
@settings(deadline=None)
def test_moments_of_the_exact_law_are_in_the_box(case: tuple, new: bool) -> None:
    y, s, roc = case
    rates = np.arange(y.size + 1) / y.size
    exact = Consensus.by_counts(table.RateTable.from_roc(rb.roc_curve(y, s)), rates)
    future = exact.table.totals if new else None
    _, mean, variance = Parametric().find_moments(exact, future)
    box = bound_moments(Parametric(), roc, rates, future)
    assert (box.least_mean <= mean + 1e-9).all()
    assert (box.most_mean >= mean - 1e-9).all()
    assert (box.least_sd <= np.sqrt(variance) + 1e-6).all()
    assert (box.most_sd >= np.sqrt(variance) - 1e-6).all()


def test_many_bins_cost_little() -> None:
    y, s = rows(3)
    roc = in_bins(y, s, np.linspace(-6, 7, 3000))
    exact, found = rb.rate_bounds(y, s), rb.rate_bounds(roc)
    assert (found.tpr_lower <= exact.tpr_lower + 1e-9).all()
    assert (found.tpr_upper >= exact.tpr_upper - 1e-9).all()
    assert (found.tpr_upper - found.tpr_lower).mean() < 1.4 * (
        exact.tpr_upper - exact.tpr_lower
    ).mean()
    assert "Counts in bins: the recall is known within" in str(found)


def test_recall_is_known_as_far_as_the_note_says() -> None:
    # Of the first bin's four rows one is negative: among its first two are 1 or 2 of 4 positives.
    assert "known within 0.13 or better" in str(rb.rate_bounds(ROC, rate=[2 / 9]))
    assert "the recall is exact" in str(rb.rate_bounds(ROC, rate=[4 / 9, 5 / 9]))


def test_what_needs_rows_is_refused() -> None:
    with pytest.raises(
        rb.InputError, match="Method 'exact' is for counts of single scores; the curve has bins"
    ):
        rb.rate_bounds(ROC, method="exact")
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    alone = rb.rate_bounds(rb.Sample(y, s, clusters=[0, 1, 2, 3]).roc)  # clusters of one row
    assert alone.tpr_lower.tolist() == rb.rate_bounds(y, s).tpr_lower.tolist()
    with pytest.raises(rb.InputError, match="`y_score` must be given with `y_true`"):
        rb.rate_bounds([1, 0])


@pytest.mark.parametrize("digits", [1, 9])
def test_counts_at_ranks_need_no_labels(digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(digits)
    y = rng.random(300) < 0.3
    roc = rb.roc_curve(y, np.round(rng.normal(size=300) + y, digits))
    places = np.concatenate([np.arange(301.0), rng.random(50) * 300.0])[None]
    labels = table.RateTable.from_labels(table.rank_labels(roc))
    for most in (0, 10**6):  # by bisection, and in an array of all steps
        monkeypatch.setattr(table, "PIECE", most)
        found = table.RateTable.from_roc(roc)
        np.testing.assert_allclose(found.counts_at(places), labels.counts_at(places), atol=1e-11)
        assert "folds" not in vars(found)  # nobody has asked for labels
        assert found.n_folds == labels.n_folds == 1

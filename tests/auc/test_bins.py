"""Intervals from counts in bins hold those of the exact counts; curves come in by the same door."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.auc import METHODS as ALL
from tests.strategies import binned_scores, in_bins

METHODS = [name for name, method in ALL.items() if "bins" in method.handles]
SPREAD = ("delong", "exact-bootstrap")  # these need two cases of each class
ROC = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)


def holds(outer: rb.results.Interval, inner: rb.results.Interval) -> None:
    assert outer.low <= inner.low + 1e-9
    assert outer.high >= inner.high - 1e-9


@pytest.mark.parametrize("method", METHODS)
@given(
    case=binned_scores(),
    level=st.sampled_from([0.3, 0.95]),
    alternative=st.sampled_from(["two-sided", "less", "greater"]),
    null=st.sampled_from([0.5, 0.8]),
)
@settings(deadline=None)
def test_auc_from_bins_holds_the_exact_interval(
    method: str, case: tuple, level: float, alternative: Any, null: float
) -> None:
    y, s, roc = case
    if method in SPREAD and min(roc.n_pos, roc.n_neg) < 2:
        return
    how = {"level": level, "alternative": alternative, "null": null}
    exact = rb.auc_interval(y, s, method=method, **how)
    found = rb.auc_interval(roc, method=method, **how)
    holds(found, exact)
    assert found.estimate == roc.auc
    if exact.pvalue is not None and found.pvalue is not None:
        assert found.pvalue >= exact.pvalue - 1e-9
    if exact.standard_error is not None and found.standard_error is not None:
        known = "newcombe" not in (method, *exact.notes) and exact.standard_error > 0
        assert (
            not known
            or method == "logit-delong"
            or (found.standard_error >= exact.standard_error - 1e-9)
        )


@pytest.mark.parametrize("method", METHODS)
def test_many_bins_cost_next_to_nothing(method: str) -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 4000)
    s = rng.normal(size=y.size) + y
    roc = in_bins(y, s, np.linspace(-6, 7, 4000))
    exact, found = rb.auc_interval(y, s, method=method), rb.auc_interval(roc, method=method)
    holds(found, exact)
    assert found.high - found.low < 1.01 * (exact.high - exact.low) + 2 * roc.certificate


@pytest.mark.parametrize("method", [*METHODS, "bootstrap", "bca"])
def test_bins_of_one_class_change_nothing(method: str) -> None:
    y, s = np.array([1, 1, 0, 1, 0, 0, 1, 0]), np.arange(8.0, 0, -1)
    roc = in_bins(y, s, np.array([1, 2, 3, 5, 6, 7.0]))
    exact, found = (
        rb.auc_interval(y, s, method=method, rng=1),
        rb.auc_interval(roc, method=method, rng=1),
    )
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=0.1)
    if method in METHODS:
        assert (found.low, found.high, found.pvalue) == (exact.low, exact.high, exact.pvalue)


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_resampled_intervals_are_refused(method: str) -> None:
    with pytest.raises(rb.InputError, match="is for counts of single scores; the curve has bins"):
        rb.auc_interval(ROC, method=method, rng=1)


def test_intervals_say_what_bins_hide() -> None:
    found = rb.auc_interval(ROC)
    assert "Counts in bins: the AUC is known within 0.15." in str(found)
    assert found.low <= found.estimate - ROC.certificate
    assert "known within" in str(rb.partial_auc_interval(ROC, fpr=(0, 0.5)))


@given(
    case=binned_scores(),
    ends=st.tuples(st.integers(0, 9), st.integers(1, 10)).filter(lambda e: e[0] < e[1]),
    axis=st.sampled_from(["fpr", "tpr"]),
    level=st.sampled_from([0.5, 0.95]),
)
@settings(deadline=None)
def test_partial_area_from_bins_holds_the_exact_interval(
    case: tuple, ends: tuple[int, int], axis: str, level: float
) -> None:
    y, s, roc = case
    part: Any = {axis: (ends[0] / 10, ends[1] / 10)}
    holds(
        rb.partial_auc_interval(roc, **part, level=level),
        rb.partial_auc_interval(y, s, **part, level=level),
    )


def test_partial_area_from_many_bins_is_as_short() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 4000)
    s = rng.normal(size=y.size) + y
    roc = in_bins(y, s, np.linspace(-6, 7, 4000))
    part = {"fpr": (0.05, 0.2)}
    exact, found = rb.partial_auc_interval(y, s, **part), rb.partial_auc_interval(roc, **part)
    holds(found, exact)
    assert found.high - found.low < 1.05 * (exact.high - exact.low)
    with pytest.raises(rb.InputError, match="the curve has bins"):
        rb.partial_auc_interval(roc, **part, method="bootstrap")


def test_bins_far_from_the_range_do_not_widen_a_perfect_part() -> None:
    y = np.repeat([1, 0], [60, 100])
    s = np.concatenate((np.linspace(4, 9, 60), np.linspace(0, 5, 100)))
    roc = in_bins(y, s, np.arange(0, 10.0))
    exact, found = (rb.partial_auc_interval(*at, fpr=(0.5, 1)) for at in ((y, s), (roc,)))
    assert roc.certificate > 0
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-12)


Y, S = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0]), np.array([5, 5, 4, 3, 3, 2, 2, 1, 0.0])
CALLS: dict[str, Any] = {
    "band": lambda *at: rb.roc_band(*at, method="likelihood", rng=1).lower_at(0.3),
    "width": lambda *at: rb.roc_band(*at, method="fixed-width", rng=1).lower_at(0.3),
    "auc": lambda *at: rb.auc_interval(*at).low,
    "bca": lambda *at: rb.auc_interval(*at, method="bca", rng=1).low,
    "partial": lambda *at: rb.partial_auc_interval(*at, fpr=(0.1, 0.4)).high,
    "points": lambda *at: rb.operating_points(*at, fpr=[0.2, 0.5]).tpr_upper.sum(),
    "thresholds": lambda *at: rb.operating_points(*at, threshold=3).tpr_upper[0],
    "judged": lambda *at: rb.operating_points(*at, best="youden", test=(Y, S)).tpr_upper[0],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_curve_gives_the_numbers_of_its_rows(call: Any) -> None:
    assert call(rb.roc_curve(Y, S)) == call(Y, S)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_curve_comes_alone(call: Any) -> None:
    with pytest.raises(
        rb.InputError, match=r"A RocCurve says everything .* `y_score` was given, too"
    ):
        call(rb.roc_curve(Y, S), S)
    with pytest.raises(rb.InputError, match="`y_score` must be given with `y_true`"):
        call(Y)


def test_options_of_rows_are_refused() -> None:
    with pytest.raises(rb.InputError, match="`positive` was given, too"):
        rb.auc_interval(rb.roc_curve(Y, S), positive=1)


def test_curves_with_clusters_or_folds_are_never_taken_for_others() -> None:
    clusters = rb.Sample(Y, S, clusters=np.arange(9)).roc
    folds = rb.Sample(Y, S, folds=[0, 0, 0, 0, 0, 1, 1, 1, 1]).roc
    assert (
        rb.auc_interval(clusters).low == rb.auc_interval(rb.Sample(Y, S, clusters=np.arange(9))).low
    )
    band = rb.roc_band(folds, rng=1)
    assert band.method.name == "fold-average"
    for call in (rb.auc_interval, lambda roc: rb.operating_points(roc, fpr=0.1)):
        with pytest.raises(rb.InputError, match=r"is for one test set .* the sample has folds"):
            call(folds)
    pairs = rb.Sample(Y, S, clusters=np.arange(9) // 2).roc
    first, *_ = rb.average_precision_interval(pairs).notes
    assert first.startswith("The rows come from only 5 clusters")


HUGE = 5 * 10**9


@pytest.mark.parametrize("method", METHODS)
def test_areas_that_differ_from_one_by_less_than_a_float_can_say(method: str) -> None:
    roc = rb.RocCurve.from_counts([3, 2, 1], [0, 1, HUGE], [HUGE - 1, HUGE, HUGE], bins=True)
    found = rb.auc_interval(roc, method=method)
    assert 1.0 - 1e-8 < found.low <= found.estimate <= found.high == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_a_perfect_area_of_ten_billion_rows_is_one(method: str) -> None:
    """Products beyond whole numbers of 64 bits are floats, whose sum may exceed what it counts."""
    rng = np.random.default_rng(3)
    tp = np.sort(rng.integers(1, HUGE, 200))
    fp = np.sort(rng.integers(1, HUGE, 200))
    for k in range(100, 200):
        roc = rb.RocCurve.from_counts(
            np.arange(2 * k + 2, 0, -1),
            [*[0] * (k + 1), *fp[:k], HUGE],
            [*tp[:k], HUGE, *[HUGE] * (k + 1)],
            bins=True,
        )
        found = rb.auc_interval(roc, method=method)
        assert found.estimate <= 1.0
        assert found.estimate == pytest.approx(1.0, abs=1e-12)

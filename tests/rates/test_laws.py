"""Laws of a sample drawn along a curve: the golden table, brute force, identities, samplers."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv
from scipy.stats import beta, chisquare

from rocbands.rates import METHODS, Adjust, Parametric, RateTable, bound_table
from rocbands.rates.bootstrap import (
    cut_at_rates,
    draw_any_labels,
    draw_by_discarding,
    draw_counts_in_bins,
    draw_labels,
)
from rocbands.rates.consensus import Consensus
from rocbands.rates.distribution import (
    MIDPOINTS,
    _beta_quantiles,
    approximate_moments,
    approximate_pmfs,
    compute_count_pmf,
    compute_moments,
)
from rocbands.rates.scaled_beta import scaled_beta_interval
from rocbands.rates.table import RateCurve
from tests.oracles import rates as oracle
from tests.rates.variants import PAPER_NODES, HalfCount, PaperParametric, Unconfined

# methods/rate.md section 8
GOLDEN = np.array(
    [[1, 1, 0, 1, 0, 1, 0, 0], [1, 0, 1, 1, 0, 0, 1, 0], [1, 1, 1, 0, 0.5, 0.5, 0, 0]]
)
MEAN = [0, 0.92048603, 1.70640971, 2.37194585, 2.91344233, 3.33325967, 3.67540553, 3.91238421, 4]
VARIANCE = [0, 0.0731915, 0.23783099, 0.40458544, 0.48930488, 0.4211682, 0.2584906, 0.07993926, 0]
LIMITS = {
    "paper": (
        PaperParametric(),
        [0, 1.22689409, 2.91075504, 4.55007911, 6.11875042, 7.41032629, 8.767324, 10.1561897, 12],
        [0, 3, 5.98897553, 8.70699102, 10.78593254, 11.65958066, 11.98180347, 12, 12],
    ),
    "half a count": (
        HalfCount(),
        [
            0,
            1.41766962,
            3.00328641,
            4.56681424,
            6.09135045,
            7.42195451,
            8.85122269,
            10.35295608,
            12,
        ],
        [0, 3, 6, 8.9114553, 10.90532207, 11.85249585, 12, 12, 12],
    ),
    "exact": ("exact", [0, 2, 3, 5, 6, 8, 9, 11, 12], [0, 3, 6, 9, 11, 12, 12, 12, 12]),
}


def as_roc_curve(table: np.ndarray) -> RateCurve:
    return RateTable.from_labels(table).curve


def test_golden_table() -> None:
    table = RateTable.from_labels(GOLDEN)
    k = np.arange(9) / 8
    assert GOLDEN.sum(axis=0).tolist() == [3, 2, 2, 2, 0.5, 1.5, 1, 0]
    assert table.counts(k).sum(axis=0).tolist() == [0, 3, 5, 7, 9, 9.5, 11, 12, 12]
    assert Consensus.by_counts(table, k).tpr * 12 == pytest.approx(table.counts(k).sum(axis=0))
    shares = np.array(table.curve.shares(np.array([0.3, 0.5]))).T
    expected = [[0.805556, 0.666667, 0.369048], [0.75, 0.666667, 0.25]]
    assert shares == pytest.approx(np.array(expected), abs=1e-6)
    assert np.trapezoid(table.curve.tpr, table.curve.fpr) == pytest.approx(0.80208333, abs=1e-8)


def test_golden_law() -> None:
    curve = as_roc_curve(GOLDEN)
    pmf = compute_count_pmf(curve, 4, 4)
    assert pmf[3] == pytest.approx([0.00223082, 0.0787992, 0.46376329, 0.45520669, 0], abs=1e-8)
    mean, variance = compute_moments(pmf)
    assert mean == pytest.approx(MEAN, abs=1e-8)
    assert variance == pytest.approx(VARIANCE, abs=1e-8)
    assert mean.sum() == pytest.approx(22.8333333, abs=1e-7)
    (mean_3,), (variance_3,) = approximate_moments(curve, 4, 4, np.array([3]), PAPER_NODES)
    assert (mean_3, variance_3) == pytest.approx((2.36875895, 0.4045141), abs=1e-8)


@pytest.mark.parametrize("name", LIMITS)
def test_golden_limits(name: str) -> None:
    method, lower, upper = LIMITS[name]
    limits = bound_table(GOLDEN, method)
    assert limits.lower * 12 == pytest.approx(lower, abs=1e-7)
    assert limits.upper * 12 == pytest.approx(upper, abs=1e-7)


def test_golden_limits_of_single_places() -> None:
    plain = bound_table(GOLDEN, Parametric(continuity=False))
    assert plain.lower[[1, 3]] * 12 == pytest.approx([1.2281683, 4.55643902], abs=1e-7)
    assert plain.upper[3] * 12 == pytest.approx(8.71253581, abs=1e-7)
    normal = bound_table(GOLDEN, Unconfined())
    assert (normal.lower[6] * 12, normal.upper[6] * 12) == pytest.approx((9.04003602, 12.95996398))
    fitted = bound_table(GOLDEN, "baseline-beta")
    assert (fitted.lower[6] * 12, fitted.upper[6] * 12) == pytest.approx((8.38468301, 11.99358099))


def test_one_pseudo_count_at_either_end() -> None:
    """A binomial count x of w has the limits of Beta(x + 1, w - x + 1): formula (R5)."""
    x, w = np.array([0.0, 1.0, 7.0, 40.0]), 40.0
    none = np.zeros(4)
    consensus = SimpleNamespace(low=none, high=none + 1.0, size=w)
    variance, low, high = Parametric().widen(consensus, w, x * (w - x) / w)
    lower, upper = scaled_beta_interval(x, variance, low, high, 0.9)
    expected = beta.ppf([[0.05], [0.95]], x + 1.0, w - x + 1.0)
    assert np.array([lower, upper]) == pytest.approx((w + 2.0) * expected - 1.0, abs=1e-9)
    # A future test set of twice the size: the pseudo count is one of the observed rows.
    twice = Parametric().widen(consensus, 2.0 * w, 4.0 * x * (w - x) / w)
    assert np.array(twice) == pytest.approx(np.array([4.0 * variance, 2.0 * low, 2.0 * high]))


def test_golden_width_adjustment() -> None:
    labels = [1, 1, 0, 1, 1, 0, 1, 0]
    found = 4 * cut_at_rates(np.array([labels], bool), 0.5, np.arange(9) / 8)[0]
    expected = [0, 1, 1.6, 1.66666667, 2.66666667, 3.2, 3.33333333, 4, 4]
    assert found == pytest.approx(expected, abs=1e-8)
    assert found == pytest.approx(oracle.adjusted_counts(labels, 4, 4), abs=1e-12)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(3, 3), (2, 4), (4, 4), (6, 2), (1, 7)])
def test_law_is_that_of_every_order_of_the_labels(n_pos: int, n_neg: int) -> None:
    rng = np.random.default_rng(n_pos)
    n = n_pos + n_neg
    rows = [rng.permutation([1.0] * n_pos + [0.0] * n_neg) for _ in range(3)]
    rows[0][:2] = rows[0][:2].mean()
    share = np.mean(rows, axis=0)
    expected = oracle.count_law(share, np.full(n, 1 / n), n_pos, n_neg)
    assert compute_count_pmf(as_roc_curve(np.array(rows)), n_pos, n_neg) == pytest.approx(
        expected, abs=1e-13
    )


def test_law_of_another_size_along_the_curve_of_unequal_bins() -> None:
    table = RateTable(
        (np.array([1.0, 0, 1, 0, 0]), np.array([1.0, 1, 0])), np.array([2, 2]), np.array([3, 1])
    )
    curve = table.curve
    for n_pos, n_neg in ((2, 3), (2, 1), (1, 5)):
        expected = oracle.count_law(curve.share, np.diff(curve.edges), n_pos, n_neg)
        assert compute_count_pmf(curve, n_pos, n_neg) == pytest.approx(expected, abs=1e-13)


def random_table(seed: int, folds: int, n_pos: int, n_neg: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(folds):
        y = np.repeat([1, 0], [n_pos, n_neg])
        rows.append(oracle.ranked_labels(y, rng.normal(size=y.size).round(1) + y))
    return np.array(rows)


@settings(max_examples=30)
@given(seed=st.integers(0, 999), n_pos=st.integers(1, 30), n_neg=st.integers(1, 30))
def test_means_add_up_to_the_area(seed: int, n_pos: int, n_neg: int) -> None:
    curve = as_roc_curve(random_table(seed, 3, n_pos, n_neg))
    pmf = compute_count_pmf(curve, n_pos, n_neg)
    mean, _ = compute_moments(pmf)
    area = np.trapezoid(curve.tpr, curve.fpr)
    assert mean.sum() == pytest.approx(n_pos * (n_pos + 1) / 2 + n_pos * n_neg * area)
    elsewhere = compute_count_pmf(
        curve.at_prevalence(0.8), n_pos, n_neg
    )  # the law has no prevalence
    assert elsewhere == pytest.approx(pmf, abs=1e-10)


def test_windows_are_the_whole_sum_over_nodes() -> None:
    table = random_table(5, 10, 25, 25)
    for levels in (PAPER_NODES, MIDPOINTS):
        mean, variance = approximate_moments(as_roc_curve(table), 25, 25, np.arange(51), levels)
        for k in (1, 2, 17, 40, 49):
            expected = oracle.node_moments(table.mean(axis=0), 25, 25, k, levels)
            assert (mean[k], variance[k]) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(4000, 6000), (30, 9970), (9990, 10)])
def test_every_hth_term_is_enough(n_pos: int, n_neg: int) -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [n_pos, n_neg])
    labels = y[np.argsort(-(rng.normal(size=y.size) + y))].astype(float)
    curve = as_roc_curve(labels[None])
    k = np.array([0, 1, 100, 2500, 5000, 9000, 9999, 10000])
    mean, variance = approximate_moments(curve, n_pos, n_neg, k)
    laws = approximate_pmfs(curve, n_pos, n_neg, k)
    for i in range(k.size):
        first, pmf = laws[i]
        count = first + np.arange(pmf.size)
        assert mean[i] == pytest.approx(pmf @ count, abs=1e-8)
        assert variance[i] == pytest.approx(pmf @ (count - pmf @ count) ** 2, abs=1e-6)


def test_windows_are_near_the_exact_law() -> None:
    curve = as_roc_curve(random_table(7, 5, 150, 250))
    mean, variance = compute_moments(compute_count_pmf(curve, 150, 250))
    k = np.arange(20, 381)
    near_mean, near_variance = approximate_moments(curve, 150, 250, k)
    assert np.abs(near_mean - mean[k]).max() < 0.03 * np.sqrt(variance[k]).min()
    assert np.sqrt(near_variance / variance[k]) == pytest.approx(1.0, abs=0.02)


def fit(rows: np.ndarray, law: dict[tuple[int, ...], float]) -> float:
    """p-value of drawn rows of labels against the law of every order."""
    seen = Counter(map(tuple, rows.astype(int).tolist()))
    return float(
        chisquare([seen[key] for key in law], [len(rows) * p for p in law.values()]).pvalue
    )


@pytest.mark.simulation
@pytest.mark.parametrize("draw", [draw_labels, draw_by_discarding])
def test_samplers_have_one_law(draw) -> None:
    table = GOLDEN * 0.9 + 0.05  # every order is possible
    share = table.mean(axis=0)
    law = oracle.sequence_law(share, np.full(8, 1 / 8), 4, 4)
    curve = RateCurve(np.arange(9) / 8, share)
    assert fit(draw(curve, 4, 4, 20_000, np.random.default_rng(3)), law) > 0.01
    reversed_curve = RateCurve(curve.edges, share[::-1])  # the test can fail
    assert fit(draw(reversed_curve, 4, 4, 20_000, np.random.default_rng(3)), law) < 1e-6


def test_free_samples_have_both_classes() -> None:
    curve = RateCurve(np.array([0.0, 0.5, 1.0]), np.array([0.9, 0.5]))
    positives = draw_any_labels(curve, 4, 3000, np.random.default_rng(1)).sum(axis=1)
    assert set(positives) == {1, 2, 3}


def test_bins_have_the_moments_of_cases() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [1000, 2000])
    curve = as_roc_curve(y[np.argsort(-(rng.normal(size=y.size) + y))].astype(float)[None])
    k = np.array([0, 30, 600, 1500, 2999, 3000])
    drawn = draw_counts_in_bins(curve, 1000, 2000, k.astype(float), 4000, rng)
    mean, variance = approximate_moments(curve, 1000, 2000, k)
    assert np.abs(drawn.mean(axis=0) - mean).max() < 0.15 * np.sqrt(variance.max())
    assert drawn.std(axis=0)[1:4] == pytest.approx(np.sqrt(variance[1:4]), rel=0.08)
    assert (drawn[:, 0] == 0).all()
    assert (drawn[:, -1] == 1000).all()


def test_bins_are_narrow_where_a_few_cases_are_acted_on() -> None:
    """Of 2,500 cases the 10 positives are among the first: even bins would mix them with others."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [10, 2490])
    labels = y[np.argsort(-(rng.normal(size=y.size) + 3 * y))].astype(float)
    k = np.array([1, 3, 5, 20, 100])
    mean, variance = (
        part[k] for part in compute_moments(compute_count_pmf(as_roc_curve(labels[None]), 10, 2490))
    )
    drawn = draw_counts_in_bins(as_roc_curve(labels[None]), 10, 2490, k.astype(float), 2000, rng)
    swapped = as_roc_curve(1 - labels[None, ::-1])
    mirrored = draw_counts_in_bins(swapped, 2490, 10, 2500.0 - k, 2000, rng) - (2490 - k)
    for found in (drawn, mirrored):
        assert found.mean(axis=0) == pytest.approx(mean, abs=0.08)
        assert found.std(axis=0) == pytest.approx(np.sqrt(variance), abs=0.08)


def test_large_samples_are_drawn_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def spy(curve: RateCurve, size: int, count: int, rng: np.random.Generator) -> np.ndarray:
        asked.append(count)
        return draw_any_labels(curve, size, count, rng)

    monkeypatch.setattr("rocbands.rates.bootstrap.draw_any_labels", spy)
    monkeypatch.setattr("rocbands.rates.bootstrap._CASES", 40)
    drawn = Adjust(100).draw(
        Consensus.by_counts(RateTable.from_labels(GOLDEN), np.array([0.5])),
        np.random.default_rng(1),
    )
    assert drawn.shape == (100, 1)
    assert max(asked) == 40 // 8
    assert sum(asked) == 300


def test_methods_are_named_as_their_classes() -> None:
    for name, method in METHODS.items():
        assert method.__name__ == "".join(part.capitalize() for part in name.split("-"))


@pytest.mark.parametrize(("a", "b"), [(2e9, 2e9), (1.2e9, 9e9), (9e9, 1.2e9)])
def test_beta_quantiles_of_many_cases_are_those_of_scipy(a: float, b: float) -> None:
    levels = np.array([0.005, 0.3, 0.5, 0.9, 0.995])
    column = np.array([[a], [a / 1e6]])  # a row by the expansion, and one by SciPy
    found = _beta_quantiles(column, np.array([[b], [b]]), levels)
    sd = np.sqrt(column * b / (column + b) ** 3)
    assert (np.abs(found - betaincinv(column, b, levels)) <= 1e-7 * sd).all()

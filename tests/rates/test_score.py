"""Limits for a random share of positives: definitions, special cases, coverage, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import rocbands as rb
from rocbands.rates import score, table
from tests.judge import may_lie_in
from tests.oracles import rate_score as oracle
from tests.strategies import binned_scores

RATES = [0.0, 0.03, 0.2, 0.5, 0.77, 1.0]
LEVELS = st.sampled_from([0.5, 0.9, 0.95])


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[int], list[float], list[int]]:
    """Labels, scores with ties and infinities, and folds, one with both classes."""
    folds = [0, 0, *draw(st.lists(st.sampled_from([0, 0, 1]), max_size=18))]
    labels = draw(st.lists(st.integers(0, 1), min_size=len(folds), max_size=len(folds)))
    labels[:2] = 1, 0
    value = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf])
    return labels, draw(st.lists(value, min_size=len(folds), max_size=len(folds))), folds


@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
@given(samples(), LEVELS)
def test_limits_are_where_the_statistic_of_the_definitions_is_the_quantile(
    sample: tuple, level: float
) -> None:
    labels, scores, folds = sample
    z2 = norm.ppf((1 + level) / 2) ** 2
    found = rb.rate_bounds(rb.Sample(labels, scores, folds=folds if 1 in folds else None), method="score", scheme="counts", rate=RATES, level=level)  # fmt: skip
    for i, rate in enumerate(RATES):
        count, near = oracle.observed(labels, scores, folds, rate)
        assert found.tpr[i] * sum(labels) == pytest.approx(count, abs=1e-9)
        for limit, outward in ((found.tpr_lower[i], -1), (found.tpr_upper[i], 1)):
            inside, outside = limit - outward * 1e-7, limit + outward * 1e-7
            if (outward * (inside - found.tpr[i])) > 0:
                assert oracle.statistic(labels, count, near, rate, inside) <= z2 * (1 + 1e-3)
            if 0 <= outside <= 1:
                assert oracle.statistic(labels, count, near, rate, outside) >= z2 * (1 - 1e-3)


def test_variance_is_that_of_fresh_samples() -> None:
    """Simulated, without any formula: how what is found minus v times the positives varies."""
    rng = np.random.default_rng(4)
    n, pi, rate, times = 1000, 0.3, 0.2, 3000
    t = np.linspace(-6, 6, 24_001)
    acted = pi * norm.sf(t - 2) + (1 - pi) * norm.sf(t)
    cut = np.interp(-rate, -acted, t)
    recall = norm.sf(cut - 2)
    densities = pi * norm.pdf(cut - 2), (1 - pi) * norm.pdf(cut)
    near = densities[0] / sum(densities)
    labels = rng.random((times, n)) < pi
    scores = rng.normal(size=(times, n)) + 2 * labels
    top = np.argsort(-scores, axis=1)[:, : int(rate * n)]
    found = np.take_along_axis(labels, top, axis=1).sum(axis=1)
    seen = (found - recall * labels.sum(axis=1)).var() / n
    expected = pi * recall * (1 - recall) * (1 - 2 * near) + near**2 * rate * (1 - rate)
    fixed = expected - near**2 * (recall - (rate - pi * recall) / (1 - pi)) ** 2 * pi * (1 - pi)
    assert seen == pytest.approx(expected, rel=0.08)
    assert seen > 1.3 * fixed  # what the variance without the class share would be


def wilson(count: float, n: int, z: float) -> tuple[float, float]:
    centre, half = count + z**2 / 2, z * np.sqrt(count * (n - count) / n + z**2 / 4)
    return (centre - half) / (n + z**2), (centre + half) / (n + z**2)


def test_special_cases_are_wilsons_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "_PRIOR", 1e-12)
    z = norm.ppf(0.975)
    labels = np.repeat([1, 0], [60, 140])
    perfect = rb.rate_bounds(labels, -np.arange(200), method="score", rate=[0.1])
    # All who are acted on are positive: recall = rate / share, whichever the share is. Where a
    # smaller share is hypothesised the score test is Wilson's.
    share = wilson(60, 200, z)
    assert perfect.tpr_upper[0] == pytest.approx(0.1 / share[0], abs=1e-6)
    # Nobody near the threshold is positive: the positives found are binomial.
    labels[:60], labels[100:160] = 0, 0
    labels[:40], labels[180:] = 1, 1
    far = rb.rate_bounds(labels, -np.arange(200), method="score", rate=[0.5])
    assert (far.tpr_lower[0], far.tpr_upper[0]) == pytest.approx(wilson(40, 60, z), abs=1e-6)


@given(samples(), LEVELS)
def test_limits_are_nested_and_contain_the_recall(sample: tuple, level: float) -> None:
    labels, scores, _ = sample
    one, other = (
        rb.rate_bounds(labels, scores, method="score", rate=RATES, level=p) for p in (level, 0.99)
    )
    for found in (one, other):
        assert (found.tpr_lower <= found.tpr + 1e-12).all()
        assert (found.tpr <= found.tpr_upper + 1e-12).all()
        assert (found.fpr_lower <= found.fpr + 1e-9).all()
        assert (found.fpr <= found.fpr_upper + 1e-9).all()
    assert (other.tpr_lower <= one.tpr_lower + 1e-9).all()
    assert (other.tpr_upper >= one.tpr_upper - 1e-9).all()
    for limits in (one.tpr_lower, one.tpr_upper):
        assert limits[[0, -1]] == pytest.approx([0, 1], abs=1e-12)


@given(samples())
def test_limits_of_the_fpr_are_those_of_swapped_classes(sample: tuple) -> None:
    labels, scores, _ = sample
    here = rb.rate_bounds(labels, scores, method="score", rate=RATES)
    swapped = [1 - y for y in labels], [-s for s in scores]
    there = rb.rate_bounds(*swapped, method="score", rate=[1 - rate for rate in RATES])
    assert 1 - there.tpr_upper[::-1] == pytest.approx(here.fpr_lower, abs=1e-9)
    assert 1 - there.tpr_lower[::-1] == pytest.approx(here.fpr_upper, abs=1e-9)


@given(case=binned_scores(20), level=LEVELS)
@settings(deadline=None)
def test_limits_from_bins_contain_the_exact_ones(case: tuple, level: float) -> None:
    y, s, roc = case
    exact, found = (rb.rate_bounds(*data, method="score", level=level) for data in ((y, s), (roc,)))
    for outer, inner in ((found.tpr_lower, exact.tpr_lower), (found.fpr_lower, exact.fpr_lower)):
        assert (outer <= inner + 1e-9).all()
    for outer, inner in ((found.tpr_upper, exact.tpr_upper), (found.fpr_upper, exact.fpr_upper)):
        assert (outer >= inner - 1e-9).all()


def test_counts_of_any_size_give_the_limits_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(3000) < 0.2).astype(int)
    s = np.round(rng.normal(size=y.size) + 1.3 * y, 2)
    by_rows = rb.rate_bounds(y, s)
    monkeypatch.setattr(table, "MANY_ROWS", 0)
    by_counts = rb.rate_bounds(rb.roc_curve(y, s))
    assert by_rows.sampling == by_counts.sampling == "full"
    np.testing.assert_allclose(by_counts.tpr_lower, by_rows.tpr_lower, atol=1e-9)
    np.testing.assert_allclose(by_counts.tpr_upper, by_rows.tpr_upper, atol=1e-9)


def test_the_default_depends_on_whether_the_share_is_given() -> None:
    y, s = [1, 0, 1, 0, 1, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    cases = {
        ("full", "score"): [{}, {"sampling": "full"}, {"method": "score"}],
        ("stratified", "parametric"): [
            {"sampling": "stratified"}, {"future": (3, 5)}, {"prevalence": 0.2},
            {"scheme": "reference"}, {"method": "parametric"},
        ],
        ("stratified", "exact"): [{"method": "exact"}],
    }  # fmt: skip
    for (sampling, method), asked in cases.items():
        for options in asked:
            found = rb.rate_bounds(y, s, **options)
            assert (found.sampling, found.method) == (sampling, method), options
            assert f"(sampling {sampling})" in str(found)
            told = any("too narrow: sampling='full'" in note for note in found.notes)
            assert told == (list(options) == ["method"] and sampling == "stratified")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sampling": "random"}, "`sampling` must be one of full, stratified"),
        ({"sampling": "full", "future": (2, 2)}, "share of positives is random; `future` determ"),
        ({"sampling": "full", "prevalence": 0.2}, "`prevalence` determines it"),
        ({"sampling": "full", "scheme": "reference"}, "scheme='reference' determines it"),
        ({"sampling": "full", "method": "exact"}, "Method 'exact' takes class sizes as fixed"),
        ({"sampling": "stratified", "method": "score"}, "'score' takes the share of positives as"),
        ({"method": "score", "future": (2, 2)}, "'score' is for the true curve only"),
    ],
)
def test_refuses_in_a_sentence(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.rate_bounds([0, 1, 0, 1], [1, 2, 3, 4], **options)


REPS, CONTROL = 600, 150


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("auc", "share", "n", "rates"),
    [(0.95, 0.31, 300, [0.1, 0.4]), (0.8, 0.1, 100, [0.1, 0.6]), (0.7, 0.5, 60, [0.05, 0.4])],
)
def test_limits_hold_on_random_samples(auc: float, share: float, n: int, rates: list) -> None:
    mu = norm.ppf(auc) * 2**0.5
    t = np.linspace(-8, 10, 36_001)
    acted = share * norm.sf(t - mu) + (1 - share) * norm.sf(t)
    truth = np.interp(-np.array(rates), -acted, norm.sf(t - mu))
    rng, held, fixed, reps = np.random.default_rng(7), np.zeros(2), np.zeros(2), 0
    for _ in range(REPS):
        y = rng.random(n) < share
        if not 0 < y.sum() < n:
            continue
        reps += 1
        s = rng.normal(size=n) + mu * y
        full = rb.rate_bounds(y, s, rate=rates, level=0.9)
        held += (full.tpr_lower <= truth) & (truth <= full.tpr_upper)
        if auc == 0.95 and reps <= CONTROL:
            plain = rb.rate_bounds(y, s, method="parametric", rate=rates, level=0.9)
            fixed += (plain.tpr_lower <= truth) & (truth <= plain.tpr_upper)
    for count in held:
        assert may_lie_in(int(count), reps, 0.87, 0.965, 0.9999)
    if auc == 0.95:  # the control: class sizes taken as fixed
        assert fixed[0] / CONTROL < 0.75

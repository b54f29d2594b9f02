"""Metrics that are linear in the counts at a rate, and ranges of rates."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb

SAMPLE = rb.load_example()["logistic"]
FULL = rb.rate_bounds(SAMPLE)
FIXED = rb.rate_bounds(SAMPLE, sampling="stratified")
WORTHS = [(1, 0, 0, 1), (90, -10, 0, 0), (0, 1, 5, 0), (0, 0, 0, 1), (-3, 2, 7, 0.5)]


def named(worth: tuple[float, ...]) -> dict[str, float]:
    return dict(zip(("tp", "fp", "fn", "tn"), worth, strict=True))


def count(rate: float) -> np.ndarray:
    """TP, FP, FN, TN of the rows with the highest scores; no ties at these rates."""
    y, score = SAMPLE.is_positive, SAMPLE.values
    called = np.zeros(y.size, bool)
    called[np.argsort(-score, kind="stable")[: round(rate * y.size)]] = True
    return np.array(
        [(y & called).sum(), (~y & called).sum(), (y & ~called).sum(), (~y & ~called).sum()]
    )


@pytest.mark.parametrize("worth", WORTHS)
@pytest.mark.parametrize("bounds", [FULL, FIXED], ids=["full", "stratified"])
def test_estimate_is_the_mean_over_rows(
    bounds: rb.results.RateBounds, worth: tuple[float, ...]
) -> None:
    rate = 114 / 569
    found = bounds.linear(rate, **named(worth))
    assert found.estimate == pytest.approx(count(rate) @ worth / SAMPLE.n, abs=1e-9)
    assert found.low <= found.estimate <= found.high


def test_fixed_sizes_inherit_the_limits_of_the_recall() -> None:
    here, p = FIXED.at(0.3), FIXED.prevalence
    one = FIXED.accuracy(0.3)
    known = [1 - 0.3 - p + 2 * p * end for end in (here.tpr_lower[0], here.tpr_upper[0])]
    assert (one.low, one.high) == pytest.approx(known, abs=1e-12)
    falling = FIXED.linear(0.3, fp=1)  # the number of false alarms falls with the recall
    known = [0.3 - p * end for end in (here.tpr_upper[0], here.tpr_lower[0])]
    assert (falling.low, falling.high) == pytest.approx(known, abs=1e-12)


def test_at_rates_0_and_1_limits_are_wilsons_of_the_share() -> None:
    low, high = 0.3338355091, 0.4130403537  # R 4.2, prop.test(212, 569, correct = FALSE)
    assert (FULL.accuracy(1.0).low, FULL.accuracy(1.0).high) == pytest.approx((low, high), abs=1e-9)
    none = FULL.accuracy(0.0)
    assert (none.low, none.high) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.simulation
def test_variance_is_that_of_drawn_samples() -> None:
    """Half widths in large samples are 1.96 standard deviations of the estimates."""
    rng, rate, estimates, halves = np.random.default_rng(3), 0.3, [], []
    for _ in range(600):
        y = rng.random(600) < 0.2
        score = rng.normal(size=600) + 1.2 * y
        found = rb.rate_bounds(y, score, rate=rate).linear(rate, tp=5, fp=-1, tn=0.5)
        estimates.append(found.estimate)
        halves.append((found.high - found.low) / 2)
    assert np.mean(halves) == pytest.approx(1.96 * np.std(estimates), rel=0.07)


def test_limits_scale_and_mirror() -> None:
    one, two = FULL.linear(0.2, tp=1, tn=1), FULL.linear(0.2, tp=-3, tn=-3)
    assert (two.low, two.high) == pytest.approx((-3 * one.high, -3 * one.low), abs=1e-9)
    wrong = FULL.linear(0.2, fp=1, fn=1)
    assert (wrong.low, wrong.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-9)
    same = FULL.linear(0.2, tp=2, fp=2, fn=2, tn=2)
    assert (same.low, same.estimate, same.high) == pytest.approx((2, 2, 2))


@pytest.mark.parametrize("y", [[1] + [0] * 30, [1] * 15 + [0] * 15, [0] * 30 + [1]])
@pytest.mark.parametrize("rate", [0.0, 0.01, 0.5, 1.0])
def test_few_rows_ties_and_perfect_scores(y: list[int], rate: float) -> None:
    for score in (np.arange(31.0)[: len(y)][::-1], np.zeros(len(y))):
        for sampling in ("full", "stratified"):
            bounds = rb.rate_bounds(y, score, rate=[0, rate, 1], sampling=sampling)  # type: ignore[arg-type]
            one, both = bounds.accuracy(rate), bounds.between(0.0, rate)
            assert 0 <= one.low <= one.estimate <= one.high <= 1
            assert 0 <= both.low <= both.high <= 1


def test_range_has_the_outer_limits() -> None:
    both = FULL.between(0.05, 0.1)
    assert both.low == FULL.at(0.05).tpr_lower[0]
    assert both.high == FULL.at(0.1).tpr_upper[0]
    assert both.sentence == (
        "If between 5% and 10% of the cases are acted on, at least 11 and at most 29 of 100 "
        "positives are found."
    )
    one = FULL.between(0.2, 0.2)
    assert (one.low, one.high) == (FULL.at(0.2).tpr_lower[0], FULL.at(0.2).tpr_upper[0])
    assert both.to_dict()["rates"] == [0.05, 0.1]


def test_refusals() -> None:
    with pytest.raises(rb.InputError, match="must not be below"):
        FULL.between(0.2, 0.1)
    with pytest.raises(rb.InputError, match="range of rates"):
        rb.rate_bounds(SAMPLE, rate=[0.1, 0.2]).between(0.05, 0.2)
    clustered = SAMPLE.replace(clusters=np.arange(SAMPLE.n) // 3)
    with pytest.raises(rb.InputError, match="independent rows that count equally"):
        rb.rate_bounds(clustered).accuracy(0.2)
    assert rb.rate_bounds(clustered).between(0.1, 0.2).low > 0
    with pytest.raises(rb.InputError, match="must be a finite number"):
        FULL.linear(0.2, tp=np.nan)

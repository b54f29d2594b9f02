"""Two-phase sampling: shares without bias, and their standard error."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands.resample.two_phase import choose_draws, find_quantile, find_share_error


def test_the_largest_stand_for_themselves_and_all_are_stood_for() -> None:
    rough = np.random.default_rng(1).random(1000)
    chosen, weights = choose_draws(rough, 15, np.random.default_rng(2))
    np.testing.assert_array_equal(chosen[:15], np.argsort(-rough)[:15])
    assert (weights[:15] == 1.0).all()
    assert weights.sum() == 1000
    assert np.unique(chosen).size == chosen.size
    # A run is about a fifteenth of what is before it.
    before = np.cumsum(weights) - weights
    later = before > 100
    np.testing.assert_allclose((weights[later] / before[later])[:-1], 1 / 15, atol=0.012)


@pytest.mark.parametrize("quality", [0.0, 1.0, 5.0])
def test_shares_have_no_bias_however_bad_the_approximation(quality: float) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=800)
    shares, errors = [], []
    for _ in range(400):
        rough = quality * values + rng.normal(size=800)
        chosen, weights = choose_draws(rough, 12, rng)
        beyond = values[chosen] > 1.0
        shares.append(weights @ beyond / 800)
        errors.append(find_share_error(beyond, weights))
    true = np.mean(values > 1.0)
    assert np.mean(shares) == pytest.approx(true, abs=4 * np.std(shares) / 20)
    # The error is for other draws, too: the binomial variance comes on top.
    spread = np.hypot(np.std(shares), np.sqrt(true * (1 - true) / 800))
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(spread, rel=0.15)


def test_without_runs_the_error_is_binomial() -> None:
    beyond = np.arange(50) < 8
    assert find_share_error(beyond, np.ones(50)) == pytest.approx(np.sqrt(0.16 * 0.84 / 50))


@pytest.mark.parametrize(
    ("level", "expected"), [(0.5, 5.0), (0.8, 8.0), (0.81, 9.0), (0.9, 9.0), (0.95, 9.0)]
)
def test_one_more_draw_counts(level: float, expected: float) -> None:
    """Nine draws and the observed one: rank level (9 + 1), rounded up, at most 9."""
    assert find_quantile(np.arange(9.0) + 1.0, np.ones(9), level, 1e-9) == expected

"""Limits of the model with the largest of several estimates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

import rocbands as rb
from rocbands._math.chosen import limit_chosen


def limits_of(estimate: float, level: float) -> tuple[float, float]:
    z = float(ndtri((1 + level) / 2))
    return estimate - z, estimate + z


@pytest.mark.parametrize("n_models", [2, 5, 20])
@pytest.mark.parametrize("rho", [0.0, 0.7])
@pytest.mark.parametrize("gap", [0.0, 1.0, 5.0])
def test_largest_of_normal_estimates(n_models: int, rho: float, gap: float) -> None:
    """All equal, or one model better by `gap` standard errors."""
    rng, sets = np.random.default_rng(n_models), 20_000
    truth = np.zeros(n_models)
    truth[0] = gap
    errors = rng.normal(size=(sets, 1)) * rho**0.5
    found = truth + errors + rng.normal(size=(sets, n_models)) * (1 - rho) ** 0.5
    best = found.argmax(axis=1)
    off = found[np.arange(sets), best] - truth[best]
    low, high = limit_chosen(lambda level: limits_of(0.0, level), 0.95, n_models)
    held = np.mean((off + low <= 0) & (off + high >= 0))
    plain = np.mean(np.abs(off) <= 1.96)
    assert held >= 0.948
    if gap == rho == 0.0:
        exact = 0.975  # the lower limit; the upper one hardly ever fails
        assert held == pytest.approx(exact, abs=0.004)
        assert plain == pytest.approx(0.975**n_models, abs=0.01)


def test_one_model_is_not_chosen() -> None:
    assert limit_chosen(lambda level: limits_of(0.3, level), 0.9, 1) == limits_of(0.3, 0.9)


def test_side_of_worse_values() -> None:
    plain = limits_of(0.0, 0.95)
    low = limit_chosen(lambda level: limits_of(0.0, level), 0.95, 7)
    high = limit_chosen(lambda level: limits_of(0.0, level), 0.95, 7, worse="high")
    assert low[1] == plain[1]
    assert high[0] == plain[0]
    assert low[0] == pytest.approx(-high[1])
    assert low[0] < plain[0]


def test_sentence_has_these_limits() -> None:
    sample = rb.load_example()
    said = rb.report(sample, path=None).statistics[1]
    roc = sample["logistic"].roc

    def find_limits(level: float) -> tuple[float, float]:
        found = rb.auc_interval(roc, level=level)
        return found.low, found.high

    low, high = limit_chosen(find_limits, 0.95, 2)
    assert f"interval {low:.3f} to {high:.3f}, which allows for the choice among 2 models" in said
    alone = " ".join(rb.report(sample["logistic"], path=None).statistics)
    assert "choice" not in alone

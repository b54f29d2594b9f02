"""Critical values from simulated sets of a fitted curve."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.likelihood.calibration import CriticalValue, find_critical_values
from rocbands.likelihood.chance import binormal_statistics, critical_value
from tests.oracles import critical_values as slow

COUNTS = np.array([0, 5, 20, 60, 90]), np.array([0, 30, 45, 55, 60])


def calibrate(level: float, n_resamples: int, seed: int = 1) -> CriticalValue:
    rng = np.random.default_rng(seed)
    return find_critical_values("plugin", *COUNTS, [level], None, n_resamples, rng)[0]


def test_a_binormal_fit_to_chance_gives_nearly_the_chance_law() -> None:
    roc = rb.roc_curve([1, 0] * 40, np.arange(80))
    fp, tp = np.append(0, roc.fp), np.append(0, roc.tp)
    found = binormal_statistics(fp, tp, 4000, np.random.default_rng(3))
    for level in (0.5, 0.9):
        assert np.mean(found <= critical_value(40, 40, level)) == pytest.approx(level, abs=0.05)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_critical_value_is_the_quantile_with_the_observed_set_counted(level: float) -> None:
    drawn = binormal_statistics(*COUNTS, 500, np.random.default_rng(1), level=level)
    found = calibrate(level, 500)
    assert found.critical_value == slow.quantile(drawn.tolist(), level)
    assert found.draws == 500


def test_standard_error_is_that_of_other_seeds() -> None:
    found = [calibrate(0.9, 200, seed) for seed in range(30)]
    errors = [value.error for value in found]
    spread = np.std([value.critical_value for value in found])
    assert 0.6 * spread < np.mean(errors) < 1.7 * spread

"""Quantiles of the largest of several normal variables, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from rocbands.errors import InputError
from rocbands.resample.gaussian_maximum import find_gaussian_critical_value


@pytest.mark.parametrize("size", [1, 4, 200])
def test_independent_and_identical_variables(size: int) -> None:
    rng = np.random.default_rng(1)
    found = find_gaussian_critical_value(np.eye(size), 0.9, 20_000, rng).value
    assert found == pytest.approx(ndtri((1 + 0.9 ** (1 / size)) / 2), abs=0.04)
    same = find_gaussian_critical_value(np.ones((size, size)), 0.9, 20_000, rng).value
    assert same == pytest.approx(ndtri(0.95), abs=0.04)
    assert find_gaussian_critical_value(np.zeros((size, size)), 0.9, 100, rng).value < 1e-3


def test_the_same_rng_gives_the_same_value_at_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = set()
    for threads in ("1", "3"):
        monkeypatch.setenv("ROCBANDS_NUM_THREADS", threads)
        rng = np.random.default_rng(3)
        seen.add(find_gaussian_critical_value(np.eye(5), 0.9, 1000, rng, chunk=100))
    assert len(seen) == 1


def test_too_few_draws_are_refused() -> None:
    with pytest.raises(InputError, match="at least 100 resamples"):
        find_gaussian_critical_value(np.eye(2), 0.99, 50, np.random.default_rng(1))

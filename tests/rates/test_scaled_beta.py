"""Beta laws on any range: SciPy's quantiles, and the degenerate rules in their order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from rocbands.rates.scaled_beta import scaled_beta_interval


def interval(*numbers: float, level: float = 0.95) -> tuple[float, float]:
    lower, upper = scaled_beta_interval(*(np.array([float(n)]) for n in numbers), level=level)
    return float(lower[0]), float(upper[0])


def test_limits_are_quantiles_of_the_law_with_these_moments() -> None:
    law = beta(2.5, 4.0, loc=-1.0, scale=5.0)
    found = interval(law.mean(), law.var(), -1, 4, level=0.8)
    assert found == pytest.approx((law.ppf(0.1), law.ppf(0.9)), abs=1e-12)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((3, 0.5, 3, 3), (3, 3)),  # no range
        ((2, 0, 0, 3), (2, 2)),  # no variance
        ((3, 0.1, 0, 3), (3, 3)),  # the mean is an end
        ((1, 2, 0, 3), (0, 3)),  # all mass at the ends, as much as there can be
        ((0.03, 0.09, 0, 3), (0, 0)),  # so little at the upper end that it is cut off
        ((2.97, 0.09, 0, 3), (3, 3)),  # or at the lower
        ((1, 9, 0, 3), (0, 3)),  # more variance than the range allows
    ],
)
def test_degenerate_rules(numbers: tuple[float, ...], expected: tuple[float, float]) -> None:
    assert interval(*numbers) == expected

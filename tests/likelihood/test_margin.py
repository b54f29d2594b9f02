"""Costs of single rates, their derivatives and bounds, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands.likelihood.margin import LEFT, RIGHT, Margin, Margins, parabola_step
from rocbands.likelihood.nearest import farthest_fpr
from tests.oracles import likelihood as slow

SIZES = [(7, None), (40, None), (7, 5), (40, 1000)]
RATES = np.array([0.0, 1e-6, 0.03, 0.2, 0.5, 0.75, 0.999, 1.0])


@pytest.mark.parametrize(("size", "future"), SIZES)
@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_costs_are_log_likelihood_ratios(size: int, future: int | None, side: int) -> None:
    for k in (0.0, 0.4, 1.0, size / 2, size - 1.0, float(size)):
        expected = [slow.cost(k, size, rate, side, future) for rate in RATES]
        found = Margin(size, future).cost(np.full(RATES.size, k), RATES, side)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("size", "future"), SIZES)
def test_derivatives_are_those_of_the_cost(size: int, future: int | None) -> None:
    margin, h = Margin(size, future), 1e-4
    k, rate = (grid.ravel() for grid in np.meshgrid([0.7, 2.0, size - 1.5], [0.05, 0.4, 0.93]))
    two_sided = lambda k, rate: margin.cost(k, rate, LEFT) + margin.cost(k, rate, RIGHT)  # noqa: E731
    below, here, above = (two_sided(k + step, rate) for step in (-h, 0.0, h))
    np.testing.assert_allclose(margin.slope(k, rate), (above - below) / (2 * h), atol=1e-5)
    second = (above - 2 * here + below) / h**2
    np.testing.assert_allclose(margin.curvature(k, rate), second, rtol=1e-4, atol=1e-5)
    odds = np.log(rate / (1 - rate))
    below, above = (two_sided(k, 1 / (1 + np.exp(-(odds + step)))) for step in (-h, h))
    found = margin.slope_in_log_odds(k, rate)
    np.testing.assert_allclose(found, (above - below) / (2 * h), atol=1e-5)


@pytest.mark.parametrize(("size", "future"), SIZES)
def test_beyond_the_farthest_rate_every_count_costs_more(size: int, future: int | None) -> None:
    """(E10), which must not cut off a candidate; and must not be far off, to be of use."""
    margins = Margins(Margin(size, future), Margin(1))
    u = np.linspace(0.0, 1.0, 201)
    for c in (0.05, 0.5, 3.7, 9.0):
        far = farthest_fpr(margins, u, c)
        inside = far < 1.0
        cost = margins.neg.cost(size * far, u, LEFT)[inside]
        assert (cost >= c).all()
        # In the middle of the square the normal approximation is close.
        middle = inside & (np.abs(u - 0.4) < 0.1) & (far < 0.7)
        assert (margins.neg.cost(size * far, u, LEFT)[middle] < 2.5 * c + 0.5).all()


def test_a_parabola_step_arrives_on_a_parabola() -> None:
    slope, curvature = np.array([0.0, 0.3, 2.0, 2.0]), np.array([1.5, 0.2, 0.0, 4.0])
    gap = np.array([0.4, 0.1, -0.5, -0.2])
    step = parabola_step(gap, slope, curvature)
    np.testing.assert_allclose(slope * step + curvature * step**2 / 2, gap, atol=1e-14)
    np.testing.assert_array_equal(
        parabola_step(np.array([1e9, -1e9]), slope[:2], slope[:2]), [4, -4]
    )


def test_no_cancellation_at_ten_million_cases() -> None:
    size, k, rate = 10**7, 5_000_001.0, 0.5000002
    # Series of the divergence about p = k / size: its second and third order terms.
    p = k / size
    second = (rate - p) ** 2 / (2 * p * (1 - p))
    third = (rate - p) ** 3 / 3 * (1 / (1 - p) ** 2 - 1 / p**2)
    cost = Margin(size).cost(np.array([k]), np.array([rate]), RIGHT)[0]
    assert cost == pytest.approx(size * (second + third), rel=1e-9)

"""Berk and Jones' statistic: its law by four other paths, and the rates that a count allows."""

from __future__ import annotations

from decimal import Decimal
from math import log

import numpy as np
import pytest

from rocbands.bands.joint_region import berk_jones_quantile, load_table, rate_limits
from tests.oracles import berk_jones as oracle

LEVELS = (0.3, 0.5, 0.8, 0.9**0.5, 0.95**0.5, 0.999)


def test_one_value_in_closed_form() -> None:
    for level in LEVELS:
        exact = log(2 / (1 - level))
        assert exact <= berk_jones_quantile(level, 1) < 1.001 * exact


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_few_values_by_stecks_determinant(size: int) -> None:
    for level in LEVELS:
        found = berk_jones_quantile(level, size)
        assert oracle.miss(found, size) <= 1 - level < oracle.miss(0.999 * found, size)


@pytest.mark.parametrize("error", [1e-8, 1e-12, 2**-53])
def test_levels_beyond_the_table_are_never_missed(error: float) -> None:
    for size in (1, 4, 9):
        found = berk_jones_quantile(1 - error, size)
        assert oracle.miss(found, size) <= error < oracle.miss(0.99 * found, size)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("size", "draws"),
    [
        (1, 40_000),
        (2, 40_000),
        (5, 40_000),
        (17, 40_000),
        (100, 10_000),
        (1000, 2000),
        (20_000, 200),
    ],
)
def test_samples_drawn(size: int, draws: int) -> None:
    values = oracle.largest(np.random.default_rng(size).random((draws, size)))
    for level in (0.5, 0.8, 0.95):
        held = np.mean(values <= berk_jones_quantile(level, size))
        assert abs(held - level) < 4 * np.sqrt(level * (1 - level) / draws) + 2e-4


def test_small_samples_give_way_to_the_limit() -> None:
    """The last two sizes of the table differ by what the limiting process says."""
    table = load_table()
    measured = (table.strain[-1] - table.strain[-2]) / np.log(table.sizes[-1] / table.sizes[-2])
    np.testing.assert_allclose(measured, table.drift, rtol=3e-3)
    assert (measured <= table.drift).all()


def test_quantiles_grow_with_level_and_size() -> None:
    levels = [1e-300, 1e-9, 0.01, 0.5, 0.9, 0.99, 1 - 1e-6, 1 - 1e-9, 1 - 2**-53, 1.0]
    sizes = [1, 2, 3, 7, 12, 13, 14, 50, 999, 10_000, 10_001, 10**6, 10**8]
    values = np.array([[berk_jones_quantile(level, size) for level in levels] for size in sizes])
    assert (np.diff(values, axis=1) >= 0).all()
    assert (np.diff(values[:, levels.index(0.5) :], axis=0) > 0).all()
    assert values.min() >= 0.7
    assert values.max() < 42


@pytest.mark.parametrize("bound", [0.7, 3.0, 7.0, 42.0])
@pytest.mark.parametrize("size", [1, 2, 7, 40, 10**6, 10**8])
def test_limits_in_forty_digits(size: int, bound: float) -> None:
    few = {0, 1, 2, 9, size // 3, size // 2, size - 9, size - 2, size - 1, size}
    counts = sorted(count for count in few if 0 <= count <= size)
    low, high = rate_limits(np.array(counts, dtype=float), size, bound)
    tiny = Decimal("1e-12")
    for count, *limits in zip(counts, low, high, strict=True):
        left, right = (Decimal(float(limit)) for limit in limits)
        if count:
            assert oracle.divergence(count, size, left * (1 - tiny)) > bound
            assert oracle.divergence(count, size, left * (1 + tiny)) < bound
        else:
            assert left == 0
        if count < size:
            out, into = (1 - right) - tiny, (1 - right) + tiny
            assert oracle.divergence(count, size, 1 - out) > bound
            assert oracle.divergence(count, size, 1 - into) < bound
        else:
            assert right == 1


def test_limits_of_none_and_of_all() -> None:
    low, high = rate_limits(np.array([0.0, 50.0]), 50, 3.0)
    assert (low[0], high[1]) == (0.0, 1.0)
    assert high[0] == pytest.approx(1 - np.exp(-3 / 50), rel=1e-14)
    assert low[1] == pytest.approx(np.exp(-3 / 50), rel=1e-14)

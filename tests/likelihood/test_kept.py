"""Simulated critical values that are shipped or kept on disk are those of the simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rocbands.core.cache import SETTING
from rocbands.likelihood import chance, future
from rocbands.likelihood.future import Sizes, future_quantiles
from tests.oracles.excess import excess_at
from tools import make_chance_table, make_excess_surface

EDITION_1 = {
    "future": [0.6229288969703688, 1.7496593361187314, 0.45806780952416254, 0.6293114762013865],
    "chance": [1.1878346994511777, 1.2601143707162628, 0.8773128259358054, 0.8302417650854308],
}


def test_the_edition_changes_with_the_draws() -> None:
    # Made with edition 1. If this fails the same seed gives other draws: raise EDITION, and make
    # the shipped table again (tools/make_future_table.py).
    rng = np.random.default_rng([11, 20, 30, 25, 35])
    drawn = chance.future_chance_statistics(20, 30, 25, 35, 4, rng)
    assert drawn == pytest.approx(EDITION_1["future"], rel=1e-12)
    drawn = chance.chance_statistics(20, 30, 4, np.random.default_rng([7, 20, 30]))
    assert drawn == pytest.approx(EDITION_1["chance"], rel=1e-12)
    assert chance.EDITION == 1


def test_the_table_has_what_would_be_simulated() -> None:
    model = Sizes(49, 403, 49, 403)
    row = future.load_table()[49, 403]
    # The last digits of logarithms differ between processors.
    np.testing.assert_allclose(future.simulate(model), row, rtol=1e-9)


def test_large_sets_of_equal_sizes_are_not_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("this is in the table")

    monkeypatch.setattr(future, "simulate", refuse)
    for ratio in (1.0, 0.4, 1 / 3, 0.1, 0.03):
        for size in (2_000, 54_321, 3_000_000):
            sizes = (max(int(ratio * size), 50), size)
            found = [future_quantiles(Sizes(*sizes, *sizes)).read(p) for p in (0.8, 0.95, 0.99)]
            assert found == sorted(found)


def test_no_later_process_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, str(tmp_path))
    sizes = Sizes(6, 9, 5, 8)
    first = future_quantiles(sizes).read(0.9)
    assert [path.suffix for path in tmp_path.iterdir()] == [".draws"]
    future._future_draws.cache_clear()  # as in another process

    def refuse(*_: object) -> None:
        raise AssertionError("this is on disk")

    monkeypatch.setattr(future, "future_chance_statistics", refuse)
    assert future_quantiles(sizes).read(0.9) == first


@pytest.mark.parametrize(("small", "large"), [(1, 7), (4, 5), (3, 12)])
def test_entries_of_the_table_of_chance_are_made_again(small: int, large: int) -> None:
    made = make_chance_table.rounded_up(np.array(make_chance_table.measure(small, large)["c"]))
    entry = chance.load_table().both_small[small - 1, large - 1]
    np.testing.assert_allclose(made * chance.UNIT, entry, atol=1e-12)


def test_the_surface_fits_what_is_made_again() -> None:
    """Quantiles of 10,000 test sets, within the misfit of the polynomial and their own error."""
    made = make_excess_surface.measure(25, 50, 2.0)
    for level, quantile in zip(made["levels"], made["q"], strict=True):  # type: ignore[call-overload]
        fitted = chance.critical_value(25, 50, level) + excess_at(2.0, 25, 50, level)
        error = np.sqrt(level / (1 - level) / 10_000)
        assert quantile == pytest.approx(fitted, abs=0.1 + 4 * error)

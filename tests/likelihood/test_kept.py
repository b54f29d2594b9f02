"""Simulated critical values that are shipped or kept on disk are those of the simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rocbands.likelihood import chance, future
from rocbands.likelihood.cache import SETTING
from rocbands.likelihood.future import Sizes, future_quantiles

EDITION_1 = {
    "future": [0.6229288969703688, 1.7496593361187314, 0.45806780952416254, 0.6293114762013865],
    "chance": [1.1878346994511777, 1.2601143707162628, 0.8773128259358054, 0.8302417650854308],
}


def test_the_edition_changes_with_the_draws() -> None:
    # Made with edition 1. If this fails the same seed gives other draws: raise EDITION, and make
    # the shipped table again (rocbands_studies.tables.future_table).
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

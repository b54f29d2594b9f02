"""Bootstrap of the difference of areas of many rows: sums of placements have the law of rows."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison import bootstrap
from rocbands.comparison.pair import Pair


def draw_pair(size: int, *, tied: bool = False) -> Pair:
    rng = np.random.default_rng(size)
    labels = rng.random(size) < 0.3
    common = rng.normal(size=size) + labels
    one, two = common + rng.normal(size=size) * 0.7, common + rng.normal(size=size)
    if tied:
        one, two = np.round(one), np.round(two)
    return Pair.from_rows(labels, one, two).sort_rows()


@pytest.mark.parametrize("tied", [False, True])
def test_sums_of_placements_have_the_law_of_rows(tied: bool) -> None:
    pair = draw_pair(1500, tied=tied)
    sums = bootstrap.PlacementSums.of_pair(pair)
    assert sums.most_left_out < 0.02
    found = sums.draw(20_000, np.random.default_rng(1))
    rows = bootstrap.draw_differences(pair, 4000, np.random.default_rng(2))  # too few rows for sums
    error = rows.std()
    assert found.mean() == pytest.approx(sums.difference, abs=4.0 * error / np.sqrt(20_000))
    assert found.std() == pytest.approx(error, rel=0.04)
    for level in (0.025, 0.975):
        assert abs(np.quantile(found, level) - np.quantile(rows, level)) < 0.12 * error


def test_blocks_have_the_moments_of_their_numbers() -> None:
    values = np.random.default_rng(3).exponential(size=1000)
    blocks = bootstrap._Blocks.cut(values)
    assert blocks.share @ blocks.mean == pytest.approx(values.mean())
    assert blocks.total_variance == pytest.approx(values.var())
    assert blocks.share @ blocks.variance < 1e-2 * values.var()


def test_models_that_hardly_differ_are_resampled_by_rows(monkeypatch) -> None:
    """There the bound of what is left out is too large, and nothing is left out."""
    pair = draw_pair(25_000)
    alike = Pair.from_rows(pair.one.is_positive, pair.one.values, pair.one.values * 2.0).sort_rows()
    assert bootstrap.PlacementSums.of_pair(alike).most_left_out > bootstrap.MOST_LEFT_OUT
    assert bootstrap.PlacementSums.of_pair(pair).most_left_out < bootstrap.MOST_LEFT_OUT

    def refuse(*_: object) -> None:
        raise AssertionError("the pair has rows enough for sums")

    monkeypatch.setattr(bootstrap, "measure_weights", refuse)
    labels, one, two = pair.one.is_positive, pair.one.values, pair.two.values
    found = rb.compare(labels, one, two, "bootstrap", n_resamples=200, rng=1)
    again = rb.compare(labels, one, two, "bootstrap", n_resamples=200, rng=1)
    assert found.pvalue == again.pvalue

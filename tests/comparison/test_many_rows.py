"""Bootstrap of the difference of areas of many rows: sums of placements have the law of rows."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison import bootstrap
from rocbands.core.pair import Pair, read_pair
from rocbands.core.rows import read_rows
from rocbands.resample import placement_sums
from rocbands.resample.sums import SumBlocks


def draw_pair(size: int, *, tied: bool = False) -> Pair:
    rng = np.random.default_rng(size)
    labels = rng.random(size) < 0.3
    common = rng.normal(size=size) + labels
    one, two = common + rng.normal(size=size) * 0.7, common + rng.normal(size=size)
    if tied:
        one, two = np.round(one), np.round(two)
    return read_pair(labels, one, two).sort_rows()


@pytest.mark.simulation
@pytest.mark.parametrize("tied", [False, True])
def test_sums_of_placements_have_the_law_of_rows(tied: bool) -> None:
    pair = draw_pair(1500, tied=tied)
    sums = placement_sums.PlacementSums.of_models(pair.one, pair.two)
    assert placement_sums.find_left_out([sums]) < 0.02
    found = sums.draw(20_000, np.random.default_rng(1))
    rows = bootstrap.draw_differences(pair, 4000, np.random.default_rng(2))  # too few rows for sums
    error = rows.std()
    assert found.mean() == pytest.approx(sums.difference, abs=4.0 * error / np.sqrt(20_000))
    assert found.std() == pytest.approx(error, rel=0.04)
    for level in (0.025, 0.975):
        assert abs(np.quantile(found, level) - np.quantile(rows, level)) < 0.12 * error


def test_blocks_have_the_moments_of_their_numbers() -> None:
    values = np.random.default_rng(3).exponential(size=1000)
    blocks = SumBlocks.cut(values[None])
    assert blocks.share @ blocks.mean[:, 0] == pytest.approx(values.mean())
    assert blocks.total_variance == pytest.approx(values.var())
    assert blocks.share @ blocks.inside[:, 0, 0] < 1e-2 * values.var()


def test_models_that_hardly_differ_are_resampled_by_rows() -> None:
    """There the bound of what is left out is too large, and nothing is left out."""
    pair = draw_pair(25_000)
    alike = read_pair(pair.one.is_positive, pair.one.values, pair.one.values * 2.0).sort_rows()
    assert bootstrap.find_sums(alike) is None
    assert bootstrap.find_sums(pair) is not None


def skewed_pair(*, paired: bool) -> Pair:
    """Good models, whose differences and variances are correlated."""
    rng = np.random.default_rng(7)
    labels = rng.random(1500) < 0.3
    common = rng.normal(size=1500) + 2.5 * labels
    one, two = common + 0.6 * rng.normal(size=1500), common + 0.9 * rng.normal(size=1500)
    if paired:
        return read_pair(labels, one, two).sort_rows()
    return read_pair(rb.Sample(labels, one), rb.Sample(labels[::-1], two[::-1]), None).sort_rows()


@pytest.mark.simulation
@pytest.mark.parametrize("paired", [True, False])
def test_studentised_sums_have_the_law_of_rows(paired: bool, monkeypatch) -> None:
    pair = skewed_pair(paired=paired)
    rows = bootstrap.draw_studentised(pair, 3000, np.random.default_rng(2))
    monkeypatch.setattr(bootstrap, "_MANY_ROWS", 0)
    monkeypatch.setattr(bootstrap, "MOST_LEFT_OUT", 0.05)
    sets = bootstrap.find_sums(pair, studentised=True)
    assert sets is not None
    left_out = placement_sums.find_left_out(sets)
    found = bootstrap.draw_studentised(pair, 30_000, np.random.default_rng(1))
    error = found[0].std()
    assert error == pytest.approx(rows[0].std(), rel=0.05)
    # The bound of what is left out, and three standard errors of 3,000 draws.
    spread = rows[1].std() / rows[1].mean()
    assert found[1].mean() == pytest.approx(
        rows[1].mean(), rel=2 * left_out + 3 * spread / 3000**0.5
    )
    assert found[1].std() == pytest.approx(rows[1].std(), rel=0.045)
    correlation = np.corrcoef(rows)[0, 1]
    assert np.corrcoef(found)[0, 1] == pytest.approx(correlation, abs=0.05)
    assert abs(correlation) > 0.15
    one, two = (rb.roc_curve(rows_.is_positive, rows_.values) for rows_ in (pair.one, pair.two))
    estimate = one.auc - two.auc
    ratios = [(d - estimate) / np.sqrt(v) for d, v in (rows, found)]
    for level in (0.025, 0.5, 0.975):
        assert abs(np.subtract(*(np.quantile(t, level) for t in ratios))) < 0.13
    # Without what rows do to the placements of the other class the variance varies otherwise.
    for each in sets:
        for blocks in (each.pos, each.neg):
            blocks.mean[:, 2] = 0.0
            blocks.inside[:, 2] = 0.0
            blocks.inside[:, :, 2] = 0.0
    monkeypatch.setattr(bootstrap, "find_sums", lambda *_, **__: sets)
    without = bootstrap.draw_studentised(pair, 30_000, np.random.default_rng(1))
    assert without[1].std() / rows[1].std() < 0.945


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap-t"])
@pytest.mark.parametrize("paired", [True, False])
def test_many_rows_are_drawn_as_sums(method: str, paired: bool, monkeypatch) -> None:
    pair = draw_pair(25_000)
    labels, one, two = pair.one.is_positive, pair.one.values, pair.two.values
    data = (labels, one, two) if paired else (rb.roc_curve(labels, one), rb.roc_curve(labels, two))
    monkeypatch.setattr(bootstrap, "measure_weights", None)
    found = rb.compare(*data, method=method, n_resamples=2000, rng=1)
    expected = rb.compare(*data)
    half = (expected.high - expected.low) / 2.0
    assert found.low == pytest.approx(expected.low, abs=0.15 * half)
    assert found.high == pytest.approx(expected.high, abs=0.15 * half)


@pytest.mark.parametrize("shift", [-3.0, 0.0, 1.0, 3.0])
def test_a_pair_of_cases_varies_no_more_than_said(shift: float) -> None:
    rng = np.random.default_rng(5)
    labels = np.repeat([True, False], [60, 80])
    scores = np.round(rng.normal(size=(2, 140)) + shift * labels, 1)
    wins = [
        np.sign(each[:60, None] - each[None, 60:]) / 2.0 + 0.5 for each in scores
    ]  # 0, one half and 1
    models = [read_rows(labels, each) for each in scores]
    one, both = (placement_sums.PlacementSums.of_models(*models[:k]) for k in (1, 2))
    assert wins[0].var() <= one.pair_variance + 1e-12
    assert (wins[0] - wins[1]).var() <= both.pair_variance <= 1.0

"""Bootstrap of the difference of areas of many rows: merged rows have the law of rows."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison import bootstrap
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair
from rocbands.resample.areas import SumBlocks
from rocbands.resample.weights import MergedRows, measure_weights


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
def test_merged_rows_have_the_law_of_rows(tied: bool, monkeypatch) -> None:
    pair = draw_pair(8000, tied=tied)
    rows = bootstrap.draw_differences(pair, 4000, np.random.default_rng(2))  # too few to merge
    monkeypatch.setattr(bootstrap, "_MANY_ROWS", 0)
    assert bootstrap._merge_rows(pair).times[0] is not None
    found = bootstrap.draw_differences(pair, 20_000, np.random.default_rng(1))
    error = rows.std()
    difference = np.subtract(*(curve.auc for curve in pair.curves))
    assert found.mean() == pytest.approx(difference, abs=4.0 * error / np.sqrt(20_000))
    assert found.std() == pytest.approx(error, rel=0.04)
    for level in (0.025, 0.975):
        assert abs(np.quantile(found, level) - np.quantile(rows, level)) < 0.12 * error


@pytest.mark.parametrize("models", [1, 2])
def test_rows_are_merged_by_steps_and_class(models: int) -> None:
    pair = draw_pair(3000)
    merged = MergedRows.merge((pair.one, pair.two)[:models], 4)
    labels = merged.models[0].is_positive
    assert merged.times.sum() == 3000
    assert merged.times[labels].sum() == pair.one.n_pos
    for rows, original in zip(merged.models, (pair.one, pair.two), strict=False):
        assert set(rows.values) <= set(range(4))
        shares = [
            np.bincount(rows.values[own], merged.times[own], 4) / merged.times[own].sum()
            for own in (labels, ~labels)
        ]
        assert shares[0] + shares[1] == pytest.approx(0.5, abs=0.002)
        # Positives and negatives in the steps are those of the original rows.
        counted = np.sort(original.values[original.is_positive])
        ends = np.cumsum(np.bincount(rows.values[labels], merged.times[labels], 4)).astype(int)
        highest = counted[ends - 1]
        below = [np.count_nonzero(original.values <= value) for value in highest[:-1]]
        total = np.cumsum(np.bincount(rows.values, merged.times, 4))
        assert (np.array(below) <= total[:-1]).all()


def test_blocks_have_the_moments_of_their_numbers() -> None:
    values = np.random.default_rng(3).exponential(size=1000)
    blocks = SumBlocks.cut(values[None])
    assert blocks.share @ blocks.mean[:, 0] == pytest.approx(values.mean())
    assert blocks.total_variance == pytest.approx(values.var())
    assert blocks.share @ blocks.inside[:, 0, 0] < 1e-2 * values.var()


def test_models_that_hardly_differ_are_resampled_by_rows() -> None:
    """Models that differ within steps only: merged, they would not differ at all."""
    pair = draw_pair(25_000)
    labels, one = pair.one.is_positive, pair.one.values
    noise = np.random.default_rng(4).normal(size=one.size)
    near = read_pair(labels, one, one + noise).sort_rows()  # ranks that change by one or two
    assert bootstrap._merge_rows(near).pair is near
    merged = bootstrap._merge_rows(pair)
    assert merged.pair.one.size <= bootstrap.MOST_MERGED
    assert merged.times[0] is not None
    assert merged.times[0].sum() == 25_000
    assert merged.observed[0] == pytest.approx(merged.observed[1], abs=1e-3)
    assert merged.ratio == pytest.approx(1.0, abs=bootstrap.MOST_CHANGED)
    alike = read_pair(labels, one, one * 2.0).sort_rows()
    assert (bootstrap.draw_differences(alike, 20, np.random.default_rng(1)) == 0.0).all()


def skewed_pair(*, paired: bool) -> Pair:
    """Good models, whose differences and variances are correlated."""
    rng = np.random.default_rng(7)
    labels = rng.random(6000) < 0.3
    common = rng.normal(size=6000) + 2.5 * labels
    one, two = common + 0.6 * rng.normal(size=6000), common + 0.9 * rng.normal(size=6000)
    if paired:
        return read_pair(labels, one, two).sort_rows()
    return read_pair(rb.Sample(labels, one), rb.Sample(labels[::-1], two[::-1]), None).sort_rows()


@pytest.mark.simulation
@pytest.mark.parametrize("paired", [True, False])
def test_studentised_merged_rows_have_the_law_of_rows(paired: bool, monkeypatch) -> None:
    pair = skewed_pair(paired=paired)
    rows = bootstrap.draw_studentised(pair, 8000, np.random.default_rng(2))
    monkeypatch.setattr(bootstrap, "_MANY_ROWS", 0)
    assert bootstrap._merge_rows(pair).times[0] is not None
    found = bootstrap.draw_studentised(pair, 30_000, np.random.default_rng(1))
    error = found[0].std()
    assert error == pytest.approx(rows[0].std(), rel=0.05)
    # Three standard errors of 8,000 draws.
    spread = rows[1].std() / rows[1].mean()
    most = 0.01 + 3 * spread / 8000**0.5
    assert found[1].mean() == pytest.approx(rows[1].mean(), rel=most)
    assert found[1].std() == pytest.approx(rows[1].std(), rel=0.045)
    correlation = np.corrcoef(rows)[0, 1]
    assert np.corrcoef(found)[0, 1] == pytest.approx(correlation, abs=0.05)
    assert abs(correlation) > 0.1
    one, two = (rb.roc_curve(rows_.is_positive, rows_.values) for rows_ in (pair.one, pair.two))
    estimate = one.auc - two.auc
    ratios = [(d - estimate) / np.sqrt(v) for d, v in (rows, found)]
    for level in (0.025, 0.5, 0.975):
        assert abs(np.subtract(*(np.quantile(t, level) for t in ratios))) < 0.13


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap-t"])
@pytest.mark.parametrize("paired", [True, False])
def test_many_rows_are_merged(method: str, paired: bool, monkeypatch) -> None:
    pair = draw_pair(25_000)
    labels, one, two = pair.one.is_positive, pair.one.values, pair.two.values
    data = (labels, one, two) if paired else (rb.roc_curve(labels, one), rb.roc_curve(labels, two))
    drawn = []

    def record(samples, *rest, **how):
        drawn.extend(rows.size for rows in samples)
        return measure_weights(samples, *rest, **how)

    monkeypatch.setattr(bootstrap, "measure_weights", record)
    found = rb.compare(*data, method=method, n_resamples=2000, rng=1)
    assert max(drawn) <= bootstrap.MOST_MERGED
    expected = rb.compare(*data)
    half = (expected.high - expected.low) / 2.0
    assert found.low == pytest.approx(expected.low, abs=0.15 * half)
    assert found.high == pytest.approx(expected.high, abs=0.15 * half)

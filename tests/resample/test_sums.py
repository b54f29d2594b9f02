"""Areas of resampled clusters, drawn as sums, against clusters that are drawn one by one."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison import bootstrap
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.resample import areas


def draw_groups(clusters: int, *, good: bool) -> tuple[np.ndarray, ...]:
    """Labels, scores of two models and clusters of different sizes, alike within clusters."""
    rng = np.random.default_rng(clusters)
    code = np.repeat(np.arange(clusters), rng.integers(1, 6, clusters))
    labels = rng.random(code.size) < 0.2 + 0.3 * rng.random(clusters)[code]
    common = 0.7 * rng.normal(size=clusters)[code] + (2.5 if good else 1.0) * labels
    one, two = common + rng.normal(size=(2, code.size)) * [[0.8], [1.2]]
    return labels, one, two, code


def count(labels: np.ndarray, scores: np.ndarray, code: np.ndarray) -> RocCurve:
    return rb.Sample(labels, scores, clusters=code).roc


@pytest.mark.simulation
@pytest.mark.parametrize("good", [False, True])
@pytest.mark.parametrize("question", ["area", "difference"])
def test_sums_over_clusters_have_the_law_of_clusters(
    question: str, good: bool, monkeypatch
) -> None:
    labels, one, two, code = draw_groups(700, good=good)
    sample = rb.Sample(labels, {"one": one, "two": two}, clusters=code)
    pair = Pair.from_sample(sample).sort_rows()
    found = []
    for most, draws in ((0.0, 2000), (1.0, 30_000)):  # of the remainder
        monkeypatch.setattr(areas, "_MOST_LEFT_OUT", most)
        monkeypatch.setattr(areas, "_MOST_OFF", most)
        monkeypatch.setattr(bootstrap, "_MANY_ROWS", 0)
        monkeypatch.setattr(areas, "MANY_ROWS", 0)
        rng = np.random.default_rng(3)
        if question == "area":
            found.append(areas.draw_areas(count(labels, one, code), draws, rng))
        else:
            found.append(bootstrap.draw_differences(pair, draws, rng))
    rows, drawn = found
    error = rows.std()
    assert drawn.std() == pytest.approx(error, rel=0.06)
    assert drawn.mean() == pytest.approx(rows.mean(), abs=0.1 * error)
    for level in (0.025, 0.5, 0.975):
        assert abs(np.quantile(drawn, level) - np.quantile(rows, level)) < 0.15 * error


def test_many_clusters_are_drawn_as_sums_and_few_are_not(monkeypatch) -> None:
    labels, one, two, code = draw_groups(60_000, good=False)
    monkeypatch.setattr(areas, "resample_areas", None)
    monkeypatch.setattr(areas, "_draw_merged", None)
    monkeypatch.setattr(bootstrap, "measure_weights", None)
    for method in ("bootstrap", "bca"):
        found = rb.auc_interval(
            rb.Sample(labels, one, clusters=code), method=method, n_resamples=1000, rng=1
        )
        wald = rb.auc_interval(rb.Sample(labels, one, clusters=code), method="delong")
        assert found.standard_error == pytest.approx(wald.standard_error, rel=0.1)
    monkeypatch.setattr(areas, "_MOST_LEFT_OUT", 0.01)  # a difference varies less than an area
    monkeypatch.setattr(areas, "_MOST_OFF", 0.03)
    found = rb.compare(
        rb.Sample(labels, {"model 1": one, "model 2": two}, clusters=code),
        method="bootstrap",
        n_resamples=1000,
        rng=1,
    )
    wald = rb.compare(rb.Sample(labels, {"model 1": one, "model 2": two}, clusters=code))
    assert found.standard_error == pytest.approx(wald.standard_error, rel=0.1)
    few = code % 50
    with pytest.raises(TypeError, match="NoneType"):
        rb.auc_interval(
            rb.Sample(labels, one, clusters=few),
            method="bootstrap",
            n_resamples=20,
            level=0.8,
            rng=1,
        )


def test_a_sum_that_few_clusters_decide_is_not_drawn() -> None:
    sizes = np.full(500_000, 2)

    def may_be_drawn(apart: np.ndarray) -> bool:
        found = areas.ClusteredResamples.of_clusters(apart, sizes, sizes, 0.9, pair_variance=0.0)
        return found is not None

    apart = np.where(np.arange(500_000) % 2, -1e-3, 1e-3)
    assert may_be_drawn(apart)
    apart[:5] = -1.0
    assert not may_be_drawn(apart)

"""Statements say what the public functions say, at all levels, about the same data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
import rocbands_studies as study
from rocbands_studies import Coverage, FixedClasses, Streams
from rocbands_studies.coverage.worlds import InShare, ManyModels, TwoSets, TwoSizes, shifted

SCENARIO = study.Binormal(2.0)
SIZES = FixedClasses(20, 30)
LEVELS = (0.95, 0.9, 0.99)
PAIR = shifted(0.6, 0.5)


def measure(
    scenario: Any, statement: Any, sizes: Any = SIZES, replicate: int = 0
) -> tuple[Any, Any]:
    """The data of a replicate, and what was measured."""
    cell = Coverage(scenario, sizes, statement, LEVELS)
    streams = Streams(3, cell.source_key, cell.key, replicate)
    return streams.draw_shared("data", cell._draw), cell.measure(streams)


@pytest.mark.parametrize("method", [rb.bands.Likelihood("curve"), rb.bands.JointRegion()])
def test_bands(method: Any) -> None:
    seen = set()
    for replicate in range(80):
        roc, found = measure(SCENARIO, study.CurveInBand(method), replicate=replicate)
        bands = [rb.roc_band(roc, method=method, level=level) for level in LEVELS]
        assert found["holds"] == [band.contains(SCENARIO.truth) for band in bands]
        assert found["area"] == pytest.approx(bands[0].area)
        seen.add(tuple(found["holds"]))
    assert len(seen) > 1 or method == rb.bands.JointRegion()


def test_bands_for_a_second_set() -> None:
    later = [
        measure(SCENARIO, study.LaterCurveInBand(rb.bands.Likelihood()), SIZES, k)[1]
        for k in range(30)
    ]
    plain = [
        measure(SCENARIO, study.CurveInBand(rb.bands.Likelihood()), SIZES, k)[1] for k in range(30)
    ]
    assert np.mean([one["area"] for one in later]) > np.mean([one["area"] for one in plain])
    assert np.mean([one["holds"] for one in later]) > 0.8


@pytest.mark.parametrize("method", ["score-delong", "newcombe", "logit-delong", "delong"])
def test_areas(method: str) -> None:
    roc, found = measure(SCENARIO, study.AreaLimits(method))
    for level, width, holds in zip(LEVELS, found["width"], found["holds"], strict=True):
        auc = rb.auc_interval(roc, method=method, level=level)
        assert width == pytest.approx(auc.high - auc.low, abs=1e-12)
        assert holds == (auc.low <= SCENARIO.truth.area <= auc.high)


def test_points_partial_areas_and_recalls() -> None:
    roc, found = measure(SCENARIO, study.TprLimits("likelihood", (0.1, 0.3)))
    at = rb.operating_points(roc, fpr=(0.1, 0.3), level=0.9)
    assert found["width 0.3"][1] == pytest.approx(at.tpr_upper[1] - at.tpr_lower[1])
    roc, found = measure(SCENARIO, study.PartialAreaLimits("placement", (0.0, 0.2)))
    part = rb.partial_auc_interval(roc, fpr=(0.0, 0.2), level=0.99)
    assert found["width"][2] == pytest.approx((part.high - part.low) / 0.2)
    roc, found = measure(SCENARIO, study.BandHeights(rb.bands.VerticalAverage(), (0.2,)))
    band = rb.bands.VerticalAverage()(roc, level=0.95)
    assert found["width 0.2"][0] == pytest.approx(float(band.upper_at(0.2) - band.lower_at(0.2)))
    scenario = InShare(SCENARIO, 0.4)
    roc, found = measure(scenario, study.RecallLimits("score", (0.3,)))
    bounds = rb.rate_bounds(roc, rate=[0.3])
    assert found["width 0.3"][0] == pytest.approx(bounds.tpr_upper[0] - bounds.tpr_lower[0])
    for view in ("roc", "pr", "gains"):
        held = [
            measure(scenario, study.CurveInView(view, rb.bands.Likelihood()), SIZES, k)[1]
            for k in (0, 1)
        ]
        assert {share for one in held for share in one["holds"]} <= {0.0, 1.0}
        assert held[0]["holds"][2] >= held[0]["holds"][1]


def test_two_models() -> None:
    (y, one, two), found = measure(PAIR, study.CurveDifference(n_resamples=200))
    cell = Coverage(PAIR, SIZES, study.CurveDifference(n_resamples=200), LEVELS)
    for level, width in zip(LEVELS, found["width"], strict=True):
        rng = Streams(3, cell.source_key, cell.key, 0).own_rng("method")
        band = rb.difference_band(y, one, two, level=level, n_resamples=200, rng=rng)
        assert width == pytest.approx(band.mean_width, abs=1e-12)
    (y, one, two), found = measure(PAIR, study.AreaDifference())
    compared = rb.compare(y, one, two, level=0.9)
    assert found["width"][1] == pytest.approx(compared.high - compared.low)
    assert found["rejects"] == [compared.pvalue <= 1 - level for level in LEVELS]
    (y, one, two), found = measure(PAIR, study.TprDifference(0.2))
    at = rb.compare_tpr(y, one, two, fpr=0.2)
    assert found["width"][0] == pytest.approx(at.high - at.low)
    (y, one, two), found = measure(PAIR, study.RecallDifference((0.2,), "stratified"))
    gap = rb.rate_difference(y, one, two, rate=[0.2], sampling="stratified")
    assert found["width 0.2"][0] == pytest.approx(gap.upper[0] - gap.lower[0])


def test_two_test_sets_and_many_models() -> None:
    sizes = TwoSizes((20, 30), (40, 25))
    ((y, one), (y_2, two)), found = measure(TwoSets(PAIR), study.AreaDifference(), sizes)
    compared = rb.compare(rb.Sample(y, one), rb.Sample(y_2, two))
    assert (y.size, y_2.size) == (50, 65)
    assert found["width"][0] == pytest.approx(compared.high - compared.low)
    (y, scores), found = measure(ManyModels(3, 0.8, 0.5), study.ManyAreas(2000))
    many = rb.compare_many(rb.Sample(y, scores), n_resamples=2000, rng=1)
    assert found["rejects"] == [many.pvalue <= 1 - level for level in LEVELS]
    assert found["width"][0] == pytest.approx(np.mean(many.upper - many.lower), rel=0.05)

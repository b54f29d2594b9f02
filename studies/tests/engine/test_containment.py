"""Parts of a curve against a band: from some fpr on, above it, below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands_studies import Binormal, Normal, Pair, RandomClasses
from rocbands_studies.populations import draw_curve

METHODS = [
    rb.bands.JointRegion(),
    rb.bands.Likelihood(),
    rb.bands.FixedWidth(n_resamples=99),
    rb.bands.SupT(n_resamples=99),
]


def looks(band: rb.results.Band, truth: Curve, start: float) -> tuple[bool, bool]:
    """Compare heights on a fine grid: the obvious, slow way. True where the curve is lost."""
    fpr = np.linspace(max(start, 1e-9), 1 - 1e-9, 4001)
    return (
        bool((truth.low(fpr) > band.upper_at(fpr) + 1e-6).any()),
        bool((truth.high(fpr) < band.lower_at(fpr) - 1e-6).any()),
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("seed", range(12))
def test_parts_agree_with_a_fine_grid(method: object, seed: int) -> None:
    rng = np.random.default_rng(seed)
    roc = draw_curve(Binormal(1.5), rng, *RandomClasses(60).sizes(rng))
    band = method(roc, level=0.6, rng=seed)
    for theta in (0.75, 1.5, 3.0):
        truth = Binormal(theta).truth
        above, below = band.misses(truth)
        seen = looks(band, truth, 0.0)
        # A grid may overlook a corner; what it sees is there.
        assert above >= seen[0]
        assert below >= seen[1]
        assert band.contains(truth) == (not above and not below)
        for start in (0.01, 0.1, 0.5):
            lost = looks(band, truth, start)
            assert band.contains(truth, from_fpr=start) <= (not any(lost))


def test_a_curve_that_is_lost_only_on_the_left() -> None:
    roc = rb.roc_curve([1] * 30 + [0] * 30, np.r_[np.arange(30) + 15.5, np.arange(30)])
    band = rb.roc_band([1] * 30 + [0] * 30, np.r_[np.arange(30) + 15.5, np.arange(30)], level=0.8)
    lower = band.lower
    x = np.concatenate([[0.0, 0.2], lower.x[lower.x >= 0.2]])
    truth = Curve(x, np.concatenate([[0.0, 0.0], band.curve.high(lower.x[lower.x >= 0.2])]))
    assert roc.n_pos == 30
    assert not band.contains((truth.x, truth.y))
    assert band.contains((truth.x, truth.y), from_fpr=0.25)
    assert band.misses((truth.x, truth.y)) == (False, True)


@given(st.floats(0, 1))
def test_more_is_held_from_later_on(start: float) -> None:
    band = rb.roc_band([1, 1, 0, 1, 0, 0] * 5, np.arange(30.0), level=0.5)
    kept = [band.contains(lambda fpr: fpr**0.2, from_fpr=s) for s in (start, (1 + start) / 2)]
    assert kept == sorted(kept)


def lost(band: rb.results.Band, truth: Curve, start: float = 0.0) -> tuple[float, float]:
    """How far the curve is above and below the band, at the vertices of all and between them."""
    places = [np.linspace(0, 1, 1001), band.curve.x, band.lower.x, band.upper.x]
    fpr = np.unique(np.clip(np.concatenate(places), max(start, 1e-6), 1 - 1e-6))
    above, below = truth.low(fpr) - band.upper_at(fpr), band.lower_at(fpr) - truth.high(fpr)
    return float(above.max()), float(below.max())


def test_a_centre_that_lies_outside_its_own_band_does_not_count_against_a_curve() -> None:
    seen = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        roc = draw_curve(Binormal(1.5), rng, *RandomClasses(30).sizes(rng))
        band = rb.bands.VerticalAverage()(roc, level=0.6, rng=seed)
        if band.region.contains(band.curve):
            continue
        for theta in (0.1, 4.0):
            truth = Binormal(theta).truth
            above, below = lost(band, truth)
            seen += min(above, below) <= 0.0
            assert band.misses(truth) == (above > 0.0, below > 0.0)
            for start in (0.3, 0.8):
                assert band.contains(truth, from_fpr=start) == (max(lost(band, truth, start)) <= 0)
    assert seen > 3


def test_a_fitted_line_knows_on_which_side_it_loses_a_curve() -> None:
    rng = np.random.default_rng(5)
    roc = draw_curve(Binormal(1.5), rng, *RandomClasses(400).sizes(rng))
    band = rb.bands.WorkingHotelling()(roc, level=0.6)
    fit = band.region.fitted
    for off, sides in ((0.0, (False, False)), (0.5, (True, False)), (-0.5, (False, True))):
        truth = Pair(Normal(fit.a + off, 1.0), Normal(0.0, fit.b)).truth
        assert band.misses(truth) == sides


def test_a_start_outside_the_unit_interval_is_refused() -> None:
    band = rb.roc_band([1, 1, 0, 1, 0, 0], np.arange(6.0))
    with pytest.raises(rb.InputError, match="`from_fpr` must be a number from 0 to 1"):
        band.contains(lambda fpr: fpr, from_fpr=1.5)

"""Quick looks at coverage; `make coverage` looks long.

The acceptance regions are exact binomial intervals at .9999, so a test of a band that is right
fails about once in 10,000 changes of the seed. Each has a negative control: a band that is too
narrow must fail the very same test.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import rocbands as rb
from tests.coverage.judge import count_held, may_lie_in
from tests.coverage.pairs import PairWorld
from tests.coverage.plain_bootstrap import plain_band
from tests.coverage.worlds import BINORMAL, ROUNDED, SHAPES

REPS = 300
SIZES = {"n_pos": 25, "n_neg": 25, "reps": REPS, "seed": 1}


def shrunk(band: rb.Band, factor: float) -> rb.Band:
    region = dataclasses.replace(band.region, dx=band.region.dx * factor)  # type: ignore[type-var]
    return dataclasses.replace(band, region=region)


@pytest.mark.parametrize("world", [BINORMAL[0.75], BINORMAL[3.0], ROUNDED[1]], ids=lambda w: w.name)
def test_joint_region_holds_at_least_its_level(world) -> None:
    def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
        return rb.roc_band(y, s, method="joint-region", level=0.9)

    assert may_lie_in(count_held(world, band, **SIZES), REPS, 0.9, 1.0, 0.9999)
    too_narrow = count_held(world, lambda y, s: shrunk(band(y, s), 0.4), **SIZES)
    assert not may_lie_in(too_narrow, REPS, 0.9, 1.0, 0.9999)


@pytest.mark.parametrize("world", [BINORMAL[0.75], BINORMAL[3.0], ROUNDED[1]], ids=lambda w: w.name)
def test_berk_jones_boxes_hold_at_least_their_level(world) -> None:
    def held(level: float) -> int:
        method = rb.JointRegion(boxes="berk-jones")
        return count_held(world, lambda y, s: rb.roc_band(y, s, method, level=level), **SIZES)

    assert may_lie_in(held(0.9), REPS, 0.9, 1.0, 0.9999)
    assert not may_lie_in(held(0.001), REPS, 0.9, 1.0, 0.9999)


@pytest.mark.parametrize(
    ("world", "sizes"),
    [
        (BINORMAL[0.75], (25, 25)),
        (BINORMAL[3.0], (60, 40)),
        (SHAPES[1], (10, 90)),
        (ROUNDED[0], (25, 25)),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_likelihood_holds_close_to_its_level(world, sizes) -> None:
    def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
        return rb.roc_band(y, s, method=rb.Likelihood(n_resamples=99), level=0.9, rng=1)

    def narrow(y: np.ndarray, s: np.ndarray) -> rb.Band:
        whole = band(y, s)
        region = dataclasses.replace(whole.region, critical_value=0.5 * whole.region.critical_value)
        return dataclasses.replace(whole, region=region)

    options = {**SIZES, "n_pos": sizes[0], "n_neg": sizes[1]}
    assert may_lie_in(count_held(world, band, **options), REPS, 0.87, 0.97, 0.9999)
    assert not may_lie_in(count_held(world, narrow, **options), REPS, 0.87, 0.97, 0.9999)


def test_likelihood_holds_future_curves() -> None:
    rng, world, sizes, later = np.random.default_rng(4), BINORMAL[1.5], (40, 40), (25, 60)
    held = plain = 0
    for _ in range(REPS):
        rows, second = world.draw(rng, *sizes), rb.roc_curve(*world.draw(rng, *later))
        held += rb.roc_band(*rows, level=0.9, future=later).contains(second)
        plain += rb.roc_band(*rows, level=0.9).contains(second)
    assert may_lie_in(held, REPS, 0.87, 0.98, 0.9999)
    assert not may_lie_in(plain, REPS, 0.87, 0.98, 0.9999)


def test_vertical_holds_single_heights_close_to_its_level() -> None:
    rng, world, at = np.random.default_rng(3), BINORMAL[1.0], np.array([0.2, 0.5])
    truth, held = world.truth.high(at), {0.9: np.zeros(2), 0.6: np.zeros(2)}
    for _ in range(REPS):
        roc = rb.roc_curve(*world.draw(rng, 60, 60))
        for level in held:
            band = rb.Vertical()(roc, level=level)
            held[level] += (band.lower_at(at) <= truth) & (truth <= band.upper_at(at))
    for right, narrow in zip(held[0.9], held[0.6], strict=True):
        assert may_lie_in(int(right), REPS, 0.88, 0.97, 0.9999)
        assert not may_lie_in(int(narrow), REPS, 0.88, 0.97, 0.9999)


RESAMPLED = {
    "fixed-width": (rb.FixedWidth(n_resamples=199), 0.88, 0.98),
    "fixed-width smooth": (rb.FixedWidth(n_resamples=199, smooth=True), 0.86, 0.96),
    "sup-t": (rb.SupT(n_resamples=199), 0.86, 0.96),
    "fold-average": (rb.FoldAverage(n_resamples=199), 0.88, 0.99),
}


@pytest.mark.parametrize("name", RESAMPLED)
def test_resampled_bands_hold_close_to_their_level(name: str) -> None:
    method, low, high = RESAMPLED[name]
    options = {**SIZES, "n_pos": 60, "n_neg": 60}

    def held(level: float) -> int:
        def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
            return rb.roc_band(y, s, method, level=level, rng=1)

        return count_held(BINORMAL[1.5], band, **options)

    assert may_lie_in(held(0.9), REPS, low, high, 0.9999)
    assert not may_lie_in(held(0.6), REPS, low, high, 0.9999)


def test_fixed_width_holds_future_curves() -> None:
    rng, world, sizes, later = np.random.default_rng(4), BINORMAL[1.5], (80, 80), (50, 120)
    method, held, plain = rb.FixedWidth(n_resamples=199), 0, 0
    for _ in range(REPS):
        rows, second = world.draw(rng, *sizes), rb.roc_curve(*world.draw(rng, *later))
        held += rb.roc_band(*rows, method, level=0.9, future=later, rng=1).contains(second)
        plain += rb.roc_band(*rows, method, level=0.9, rng=1).contains(second)
    assert may_lie_in(held, REPS, 0.88, 0.98, 0.9999)
    assert not may_lie_in(plain, REPS, 0.88, 0.98, 0.9999)


def test_the_auc_hull_does_not_hold() -> None:
    """Its documentation says so; should it ever begin to hold, that must be rewritten."""

    def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
        return rb.roc_band(y, s, rb.AucHull(n_resamples=199), level=0.9, rng=1)

    held = count_held(BINORMAL[3.0], band, **{**SIZES, "n_pos": 60, "n_neg": 60})
    assert may_lie_in(held, REPS, 0.0, 0.5, 0.9999)


def test_the_difference_band_holds_and_calls_nobody_better_too_often() -> None:
    """A plain paired bootstrap, without a floor under its standard errors, fails the same test."""
    rng, held, plain, called = np.random.default_rng(5), 0, 0, 0
    world, equal, reps = PairWorld(0.9, 0.5), PairWorld(0.9, 0.0), 200
    for _ in range(reps):
        rows = world.draw(rng, 50, 50)
        held += rb.difference_band(*rows, level=0.9, n_resamples=199, rng=rng).contains(world.truth)
        plain += plain_band(*rows, level=0.9, floor=False, rng=rng, draws=99).contains(world.truth)
        band = rb.difference_band(*equal.draw(rng, 50, 50), level=0.9, n_resamples=199, rng=rng)
        called += bool(band.better)
    assert may_lie_in(held, reps, 0.87, 0.98, 0.9999)
    assert not may_lie_in(plain, reps, 0.87, 0.98, 0.9999)
    assert may_lie_in(called, reps, 0.0, 0.1, 0.9999)

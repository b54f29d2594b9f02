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


@pytest.mark.parametrize("simultaneous", [True, False])
def test_working_hotelling_holds_binormal_curves(simultaneous: bool) -> None:
    """The whole curve, or its height at one fpr, by the kind of band."""
    rng, world, held, narrow = np.random.default_rng(2), BINORMAL[1.5], 0, 0
    at = np.array([0.2])
    for _ in range(REPS):
        rows = world.draw(rng, 60, 40)
        band = rb.roc_band(*rows, method=rb.WorkingHotelling(simultaneous), level=0.9)
        less = dataclasses.replace(band.region, k=0.6 * band.region.k)  # type: ignore[type-var]
        if simultaneous:
            held += band.region.contains_line(0.8, 0.8)
            narrow += less.contains_line(0.8, 0.8)
        else:
            true = world.truth.high(at)
            held += bool(band.lower_at(at) <= true <= band.upper_at(at))
            narrow += bool(less.lower_at(at) <= true <= less.upper_at(at))
    assert may_lie_in(held, REPS, 0.87, 0.93, 0.9999)
    assert not may_lie_in(narrow, REPS, 0.87, 0.93, 0.9999)

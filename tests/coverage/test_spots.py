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
from tests.coverage.worlds import BINORMAL, ROUNDED

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

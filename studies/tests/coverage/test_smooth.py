"""The kernel band holds, and half of it does not."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands_studies.coverage import smooth as coverage


def narrow(method: str, roc: rb.RocCurve, rng: np.random.Generator) -> Any:
    """Bands of half the standard errors: they must fail."""
    found = coverage.fit(method, roc, rng)
    assert found is not None
    for one in found:
        lower, upper = one.region.edges()
        at = np.linspace(0.0, 1.0, 401)
        low, high = ((edge.high(at) + one.tpr_at(at)) / 2.0 for edge in (lower, upper))
        region = type(one.region)(Curve(at, low), Curve(at, high))
        object.__setattr__(one, "region", region)
    return found


@pytest.mark.simulation
def test_the_kernel_band_holds_and_half_of_it_does_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held, _ = coverage.measure(partial(coverage.fit, "kernel"), "binormal", (50, 50), 60)
        half, _ = coverage.measure(partial(narrow, "kernel"), "binormal", (50, 50), 60)
    assert held[0, 1] > 0.85
    assert held[2, 1] > 0.83
    assert half[0, 1] < 0.75

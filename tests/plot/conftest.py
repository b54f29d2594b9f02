"""Curves and bands to draw."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from rocbands.core.band import Band
from rocbands.core.data import roc_curve
from rocbands.core.region import DisplacedRegion
from rocbands.core.roc import RocCurve


@dataclasses.dataclass(frozen=True)
class PlainMethod:
    """Stands for any band method: pictures must not depend on which one made the band."""

    name: str = "plain"
    coverage: str = "simultaneous"
    guarantee: str = "none"


@pytest.fixture
def make_roc() -> Callable[..., RocCurve]:
    def make(n: int = 60, *, seed: int = 0, digits: int | None = None) -> RocCurve:
        """Random scores of n rows; with `digits` they are rounded, so that they tie."""
        rng = np.random.default_rng(seed)
        y = np.arange(n) % 3 == 0
        scores = rng.normal(size=n) + y
        return roc_curve(y, scores if digits is None else scores.round(digits))

    return make


@pytest.fixture
def make_band() -> Callable[..., Band]:
    def make(
        roc: RocCurve,
        dx: float = 0.1,
        slope: float = 1.5,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        **facts: str,
    ) -> Band:
        region = DisplacedRegion(roc.curve, dx, slope)
        return Band(roc, region, level, PlainMethod(**facts), future)  # type: ignore[arg-type]

    return make

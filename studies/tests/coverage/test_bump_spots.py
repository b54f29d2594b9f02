"""Quick looks: bands of a difference hold where a curve has a bump; limits from slopes do not."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands_studies.coverage.bumps import (
    EQUAL,
    EVEN,
    FEW,
    FEW_POSITIVES,
    SITES,
    Cell,
    measure,
    measure_point,
)
from rocbands_studies.coverage.judge import may_lie_in

SETS = 150
WORLDS = {world.name: world for world in (*SITES, *EQUAL)}


@pytest.mark.simulation
@pytest.mark.parametrize(
    "cell",
    [
        (WORLDS["two sites, 6, 3"], EVEN),
        (WORLDS["two sites, 4, 2, sd .6"], FEW_POSITIVES),
        (WORLDS["two pure steps"], EVEN),
    ],
)
def test_a_band_with_a_bump_holds(cell: Cell) -> None:
    linear, now = np.rint(measure(cell, SETS)[:, 0] * SETS).astype(int)
    assert may_lie_in(now, SETS, 0.94, 1.0, 0.999)
    assert not may_lie_in(linear, SETS, 0.85, 1.0, 0.999)


@pytest.mark.simulation
def test_equal_models_with_a_bump_are_not_called_different() -> None:
    cell = WORLDS["equal, offset 6, d 3, rho 0.7"], EVEN
    linear, now = np.rint(measure(cell, SETS)[:, 1] * SETS).astype(int)
    assert may_lie_in(now, SETS, 0.0, 0.02, 0.999)
    assert not may_lie_in(linear, SETS, 0.0, 0.05, 0.999)


@pytest.mark.simulation
def test_one_point_of_few_negatives_holds() -> None:
    """Models of equal rate at FPR .1 whose positives spread four times as wide."""
    sets = 600
    cell = FEW[1], (300, 30)
    linear, now = np.rint(measure_point(cell, sets)[:, 0] * sets).astype(int)
    assert may_lie_in(now, sets, 0.95, 1.0, 0.999)
    assert not may_lie_in(linear, sets, 0.95, 1.0, 0.999)

"""How often the check of binormal scores is wrong, and right."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands._math.binormal import check_binormal
from rocbands_studies.coverage.worlds import BINORMAL, SHAPES


@pytest.mark.simulation
def test_the_check_is_seldom_wrong_and_often_right() -> None:
    rng = np.random.default_rng(12)

    def suspected(world, n_pos: int, n_neg: int, sets: int) -> int:
        return sum(
            check.p_value < 0.005
            for _ in range(sets)
            if (check := check_binormal(*counts(world.draw(rng, n_pos, n_neg)))) is not None
        )

    # 12 of 400 happens to a test of size 0.01 once in a thousand.
    for world, n_pos, n_neg in ((BINORMAL[0.75], 50, 50), (BINORMAL[4.0], 300, 60)):
        assert suspected(world, n_pos, n_neg, 400) < 12
    assert suspected(SHAPES[1], 500, 500, 40) >= 39
    assert suspected(SHAPES[2], 50, 50, 40) >= 35


def counts(rows: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    roc = rb.roc_curve(*rows)
    return np.diff(roc.fp, prepend=0)[::-1], np.diff(roc.tp, prepend=0)[::-1]

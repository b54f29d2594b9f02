"""Quick looks: bands of several classes hold together, and equal groups are seldom flagged.

Limits that are too narrow must fail the same tests.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.comparison.group_differences import build_group_differences, pair_groups
from rocbands_studies.coverage.many import Classes, EqualGroups

pytestmark = pytest.mark.simulation

SETS = 320


def joint_coverage(level):
    rng = np.random.default_rng(7)
    world, x = Classes("independent columns", 3, (40,)), np.linspace(1e-6, 1 - 1e-6, 400)
    truth = [(np.r_[0, x, 1], np.r_[0, ndtr(shift + ndtri(x)), 1]) for shift in (0.8, 1.4, 2.0)]
    held = 0
    for _ in range(SETS):
        bands = rb.class_bands(*world.draw_data(rng), level=level, rng=rng)
        held += all(band.contains(curve) for band, curve in zip(bands, truth, strict=True))
    return held / SETS


def test_bands_of_classes_hold_together() -> None:
    assert joint_coverage(0.95) >= 0.88
    assert joint_coverage(0.7) < 0.88


def share_flagged(level):
    rng = np.random.default_rng(8)
    flagged = 0
    for _ in range(SETS // 2):
        groups = EqualGroups(4, 0.76).draw_data(rng, 40, 40)
        curves = {str(g): rb.roc_curve(*rows) for g, rows in enumerate(groups)}
        bands = build_group_differences(
            curves,
            pair_groups(curves, "pairs"),
            level=level,
            fpr=(0.05, 0.95),
            n_resamples=500,
            rng=rng,
        )
        flagged += any(band.better for band in bands)
    return flagged / (SETS // 2)


def test_equal_groups_are_seldom_flagged() -> None:
    assert share_flagged(0.95) <= 0.15
    assert share_flagged(0.4) > 0.15

"""Quick looks: limits of all pairs of groups hold together; narrower ones fail the same tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import rocbands as rb
from rocbands._math.binomial import mid_p_limits
from rocbands.comparison.group_differences import pair_groups
from rocbands.subgroup.limits import GroupRates, find_gaps, limit_difference
from rocbands_studies.coverage.group_gaps import (
    CELLS,
    count_rates,
    limit,
    measure_areas,
    measure_rates,
    wilson,
)

SETS = 3000
SOME = ("30, 50, 100, 300, 1000", "5 x 100, prevalence .05", "30, 100, 1000, rates near 0")


@pytest.mark.simulation
@pytest.mark.parametrize("name", SOME)
def test_all_differences_of_a_rate_hold_together(name) -> None:
    (cell,) = (one for one in CELLS if one.name == name)
    for level, least in ((0.95, 0.93), (0.9, 0.87)):
        joint, alone, _ = measure_rates(cell, SETS, level, np.random.default_rng(1))
        assert joint.mean(axis=1).min() >= least
        assert alone.mean(axis=1).min() < least  # each pair by itself: not together


@pytest.mark.simulation
def test_all_differences_of_areas_hold_together() -> None:
    (cell,) = (one for one in CELLS if one.name == "5 x 100")
    assert measure_areas(cell, 600, 0.95, np.random.default_rng(1)) >= 0.92
    # Ten pairs, each at .95 by itself.
    assert measure_areas(cell, 600, 0.95**10, np.random.default_rng(1)) < 0.85


def test_what_is_measured_is_what_the_library_does() -> None:
    rng = np.random.default_rng(2)
    (cell,) = (one for one in CELLS if one.name == "30, 100, 1000")
    curves = {str(k): group.draw_curve(rng) for k, group in enumerate(cell.groups)}
    pairs = pair_groups(curves, "pairs")
    gaps = find_gaps(pairs, threshold=1.0, level=0.9, against="pairs").of("ppv", "fpr")
    called = [
        [int(getattr(roc, side)[roc.thresholds >= 1.0][-1]) for roc in curves.values()]
        for side in ("fp", "tp")
    ]
    sizes = [[getattr(roc, name) for roc in curves.values()] for name in ("n_pos", "n_neg")]
    shares = count_rates(np.array([*called, *sizes]))
    counted = [GroupRates(roc, 1.0).count(0.9)[:2] for roc in curves.values()]
    np.testing.assert_allclose(shares, np.stack(counted, axis=-1), rtol=1e-12)
    found = limit(shares, 0.9 ** (1 / 3), mid_p_limits)
    low, high = limit_difference(found[..., [0, 0, 1]], found[..., [1, 2, 2]])
    for row, part in ((2, gaps[:3]), (1, gaps[3:])):
        np.testing.assert_allclose([gap.low for gap in part], low[row], atol=1e-12)
        np.testing.assert_allclose([gap.high for gap in part], high[row], atol=1e-12)


def find_coverage(limits, sizes, rates, level):
    """Exact coverage of the limits of one difference: the sum over all pairs of counts."""
    sides, chances = [], []
    for size, rate in zip(sizes, rates, strict=True):
        counts = np.arange(size + 1)
        sides.append(np.array([counts / size, *limits(counts, np.full(size + 1, size), level)]))
        chances.append(binom.pmf(counts, size, rate))
    low, high = limit_difference(sides[0][:, :, None], sides[1][:, None, :])
    truth = rates[0] - rates[1]
    held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    return float((np.outer(*chances) * held).sum())


def test_wilsons_limits_fail_at_high_levels() -> None:
    """Exact coverage at the level of one of ten pairs, in groups with few cases or many."""
    each = 0.95**0.1
    cells = [
        (sizes, rates)
        for sizes in ((20, 700), (70, 700), (20, 70), (300, 300))
        for rates in ((0.003, 0.003), (0.01, 0.003), (0.1, 0.1), (0.3, 0.2), (0.99, 0.97))
    ]
    missed = {
        limits: max(1 - find_coverage(limits, *cell, each) for cell in cells)
        for limits in (mid_p_limits, wilson)
    }
    assert missed[mid_p_limits] < 3 * (1 - each)
    assert missed[wilson] > 5 * (1 - each)


@pytest.mark.simulation
def test_groups_that_are_equal_seldom_differ() -> None:
    rng, claims = np.random.default_rng(3), 0
    for _ in range(300):
        y, by = rng.integers(0, 2, 400), rng.integers(0, 4, 400)
        curves = {
            str(g): rb.roc_curve(y[by == g], rng.normal(size=(by == g).sum())) for g in range(4)
        }
        pairs = pair_groups(curves, "pairs")
        gaps = find_gaps(pairs, threshold=0.5, level=0.95, against="pairs").of("tpr")
        claims += any(gap.may_be_chance is False for gap in gaps)
    assert claims <= 30

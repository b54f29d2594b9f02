"""Quick looks: limits hold with groups and weights; rows taken as independent and equal do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rocbands_studies.coverage.design_worlds import WORLDS, Drawn, World
from rocbands_studies.coverage.designs import BOOTSTRAP, STATEMENTS, draw_weights, estimate, judge

SETS, CONTROLS, LEAST = 500, 200, 0.92
CELLS = (
    "50 groups, icc .5 (.85, .8, .3)",
    "50 groups, icc .5, one label (.85, .8, .3)",
    "1500 rows, labelled 1 or .1 below 1 (.85, .8, .3)",
)


def find(name: str) -> World:
    (world,) = (one for one in WORLDS if one.name == name)
    return world


def forget(data: Drawn) -> Drawn:
    """The same rows, taken as independent and of equal weight."""
    sample = data.sample.replace(clusters=None, weights=None, strata=None)
    return Drawn(sample, sample["one"])


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
@pytest.mark.parametrize("what", STATEMENTS)
@pytest.mark.parametrize("name", CELLS)
def test_limits_hold_and_those_of_independent_rows_do_not(name: str, what: str) -> None:
    world, rng, held, control = find(name), np.random.default_rng(35), 0.0, 0.0
    for place in range(SETS):
        data = world.draw_data(rng)
        held += float(judge(what, data, world, (0.95,), 1)[0][0])
        if place < CONTROLS:
            control += float(judge(what, forget(data), world, (0.95,), 1)[0][0])
    assert held >= LEAST * SETS
    assert control < 0.9 * CONTROLS


@pytest.mark.parametrize("place", range(0, len(WORLDS), 9))
def test_truth_is_that_of_large_samples(place: int) -> None:
    """Estimates of large samples differ from the true values by their sampling error."""
    world = WORLDS[place]
    large = replace(world, rows=20_000 if world.rows else 0, groups=2000 if world.groups else 0)
    found = []
    for seed in range(12):
        columns = large.draw(np.random.default_rng([seed, 7]))
        w = np.ones(columns.y.size) if columns.weights is None else columns.weights
        found.append(estimate(columns, w))
    for what in set(STATEMENTS) - {"band"}:
        values = np.array([one[what] for one in found])
        error = values.std(ddof=1) / np.sqrt(values.size)
        assert abs(values.mean() - world.truth[what]) < 5 * error + 1e-6, what


def test_bootstraps_draw_whole_groups_within_strata() -> None:
    columns = BOOTSTRAP[0].draw(np.random.default_rng(1))
    assert columns.groups is not None
    assert columns.strata is not None
    total = 0.0
    for seed in range(400):
        factor = draw_weights(columns, np.random.default_rng(seed)) / columns.weights
        total += factor
        for g in np.unique(columns.groups):
            assert np.ptp(factor[columns.groups == g]) < 1e-12
        for h in np.unique(columns.strata):
            units = np.unique(columns.groups[columns.strata == h], return_index=True)[1]
            assert factor[columns.strata == h][units].sum() == pytest.approx(units.size)
    assert np.abs(total / 400 - 1).max() < 0.25  # each group is drawn once on average

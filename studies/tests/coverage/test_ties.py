"""Critical values of tied scores: the oracle, the formula, and bands that hold."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands.likelihood.levels import find_level_values
from rocbands_studies.coverage import ties
from tests.oracles import critical_values as slow


@pytest.mark.parametrize("future", [None, (12, 9)])
def test_drawn_statistics_against_a_dense_walk(future: tuple[int, int] | None) -> None:
    """The oracle of the formula agrees with the definition, one place after the other."""
    pos, neg = ties.given("", [7, 3, 2], [1, 4, 6]).draw((12, 11), 6, np.random.default_rng(4))
    u, v = (np.array([0.0, *side, 1.0]) for side in ((0.1, 0.45), (0.55, 0.8)))
    found = ties.draw_statistics(pos, neg, u, v, future)
    wanted = [slow.level_statistic(neg[i], pos[i], u, v, future) for i in range(6)]
    np.testing.assert_allclose(found, wanted, atol=0.02)


@pytest.mark.parametrize("population", [ties.POPULATIONS[1], ties.POPULATIONS[7]])
def test_the_formula_is_near_the_resampled_value(population: ties.Levels) -> None:
    rng = np.random.default_rng(8)
    pos, neg = (side[0] for side in population.draw((100, 100), 1, rng))
    drawn = ties.resample_value(pos, neg, 0.9, 800, rng)
    assert find_level_values(pos, neg, [0.9])[0] == pytest.approx(drawn, rel=0.12)


@pytest.mark.simulation
@pytest.mark.parametrize("sizes", [(30, 30), (20, 200), (500, 500)])
@pytest.mark.parametrize("population", ties.POPULATIONS, ids=lambda one: one.name)
def test_bands_of_tied_scores_hold(population: ties.Levels, sizes: tuple[int, int]) -> None:
    """Of 1,500 sets: .90 within what the specification measured, .95 and .99 close to the level."""
    held, untied = ties.measure(population, sizes, 1500)
    assert 0.86 < held[0] < 0.98
    assert 0.925 < held[1] < 0.992
    assert held[2] > 0.98
    if population.name == "2 levels, d 1":
        assert untied[0] > 0.95  # the control: the value of untied curves is far too large
    if population.name == "2 digits, d 1" and sizes == (500, 500):
        assert untied[0] < 0.89  # and too small where levels have about ten rows

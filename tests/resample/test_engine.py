"""Distances, threads, smooth populations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

import rocbands as rb
from rocbands.core.curve import Curve, displacement
from rocbands.resample.crossings import resample_heights
from rocbands.resample.curves import Rates, interpolate_rows
from rocbands.resample.distance import (
    CurveDistance,
    find_largest_displacements,
    find_largest_distances,
)
from rocbands.resample.population import Population, smooth_rows
from rocbands.resample.quantiles import order_statistic
from rocbands.resample.streams import run_chunks
from tests.strategies import labelled_scores

unit = st.floats(0, 1)


def random_curve(rng: np.random.Generator, vertices: int) -> Curve:
    x, y = np.sort(rng.random((2, vertices)), axis=1)
    return Curve(np.concatenate(([0], x, [1])), np.concatenate(([0], y, [1])))


@given(
    seed=st.integers(0, 10**6), slope=st.floats(0.1, 9), corners=st.tuples(unit, unit, unit, unit)
)
def test_nothing_in_a_box_is_farther_away_than_its_bound(seed, slope, corners) -> None:
    rng = np.random.default_rng(seed)
    curve = random_curve(rng, 9)
    (x0, x1), (y0, y1) = sorted(corners[:2]), sorted(corners[2:])
    inside = rng.random((2, 200))
    x, y = x0 + inside[0] * (x1 - x0), y0 + inside[1] * (y1 - y0)
    for width in (None, 0.05 + rng.random(curve.x.size)):
        ruler = CurveDistance(curve, slope, width)
        bound = ruler.bound(*(np.array([side]) for side in (x0, x1, y0, y1)))[0]
        assert ruler.distance(x, y).max() <= bound + 1e-9


@given(seed=st.integers(0, 10**6), slope=st.floats(0.1, 9), ends=st.tuples(unit, unit, unit, unit))
def test_straight_pieces_are_farthest_at_their_ends_or_opposite_a_vertex(seed, slope, ends) -> None:
    rng = np.random.default_rng(seed)
    curve = random_curve(rng, 9)
    (x0, x1), (y0, y1) = sorted(ends[:2]), sorted(ends[2:])
    share = np.linspace(0, 1, 1001)
    x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    for width in (None, 0.05 + rng.random(curve.x.size)):
        ruler = CurveDistance(curve, slope, width)
        _, opposite = ruler.within(*(np.array([side]) for side in (x0, x1, y0, y1)))
        most = max([*opposite, *ruler.distance(x[[0, -1]], y[[0, -1]])])
        assert ruler.distance(x, y).max() <= most + 1e-9


def test_a_ruler_agrees_with_displacement() -> None:
    rng = np.random.default_rng(1)
    for slope in (0.5, 1.0, 3.0):
        one, other = random_curve(rng, 12), random_curve(rng, 7)
        ruler = CurveDistance(one, slope)
        pieces = other.x[:-1], other.x[1:], other.y[:-1], other.y[1:]
        most = max(ruler.within(*pieces)[1].max(), ruler.distance(other.x, other.y).max())
        expected = displacement(one, other, slope).largest
        assert most * np.hypot(1, slope) == pytest.approx(expected, abs=1e-12)
        pair = [Rates(curve.x[None], curve.y[None]) for curve in (one, other)]
        assert find_largest_displacements(*pair, slope)[0] == pytest.approx(expected, abs=1e-12)


def test_rows_are_interpolated_each_on_its_own() -> None:
    knots = np.array([[0.0, 0.5, 1.0], [0.0, 0.1, 1.0]])
    values = np.array([[0.0, 1.0, 2.0], [5.0, 6.0, 15.0]])
    found = interpolate_rows(np.array([[0.25, 1.0], [0.05, 0.55]]), knots, values)
    np.testing.assert_allclose(found, [[0.5, 2.0], [5.5, 10.5]], rtol=1e-12)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_numbers_do_not_depend_on_the_number_of_threads(threads, monkeypatch) -> None:
    rng = np.random.default_rng(3)
    roc = rb.roc_curve(rng.random(300) < 0.4, rng.normal(size=300).round(1))
    at = np.linspace(0, 1, 11)
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", "1")
    alone = resample_heights(roc, at, 700, np.random.default_rng(8))
    band = rb.bands.FixedWidth()(roc, rng=8)
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", threads)
    np.testing.assert_array_equal(alone, resample_heights(roc, at, 700, np.random.default_rng(8)))
    assert rb.bands.FixedWidth()(roc, rng=8).to_json() == band.to_json()


@pytest.mark.parametrize("threads", ["0", "many", "-1", "1.5"])
def test_a_wrong_number_of_threads_is_refused(threads, monkeypatch) -> None:
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", threads)
    with pytest.raises(rb.InputError, match="ROCBANDS_NUM_THREADS must be a whole number"):
        run_chunks(lambda draws, rng: draws, 10, np.random.default_rng(1))


def test_chunks_cover_all_draws_in_order() -> None:
    parts = run_chunks(lambda draws, rng: draws, 301, np.random.default_rng(1), size=100)
    assert parts == [100, 100, 100, 1]


@given(rows=labelled_scores())
def test_a_smoothed_population_is_a_curve(rows) -> None:
    population = smooth_rows(Population.from_curve(rb.roc_curve(*rows)))
    for side in (population.neg, population.pos):
        assert (side[0], side[-1]) == (0.0, 1.0)
        assert (np.diff(side) >= 0).all()


def test_a_smoothed_population_by_its_definition() -> None:
    """Kernel by kernel, from ranks: another path to the same curve."""
    from scipy.special import ndtr, ndtri
    from scipy.stats import iqr, rankdata

    rng = np.random.default_rng(9)
    labels, scores = (
        np.repeat([1, 0], [40, 70]),
        np.concatenate([rng.normal(1, 1, 40), rng.normal(0, 1, 70)]),
    )
    found = smooth_rows(Population.from_curve(rb.roc_curve(labels, scores)))
    z = ndtri((rankdata(scores) - 0.5) / scores.size)
    at = np.linspace(5, -5, 2001)
    rates = []
    for kind in (0, 1):
        mine = z[labels == kind]
        h = 0.9 * min(mine.std(ddof=1), iqr(mine) / 1.34) * mine.size**-0.2
        rates.append([ndtr((mine - t) / h).mean() for t in at])
    # Quartiles are defined in slightly different ways, so the widths may differ in the third digit.
    assert np.abs(np.interp(rates[0], found.neg, found.pos) - rates[1]).max() < 2e-3


def test_many_cases_are_smoothed_in_cells() -> None:
    rng = np.random.default_rng(10)
    labels, scores = rng.random(20_000) < 0.3, rng.normal(size=20_000)
    scores[labels] += 1
    roc = rb.roc_curve(labels, scores)
    rows = Population.from_curve(roc)
    cells = smooth_rows(rows)
    one_by_one = smooth_rows(rows, many=10**9)
    assert (cells.neg != one_by_one.neg).any()
    np.testing.assert_allclose(cells.neg, one_by_one.neg, atol=2e-6)
    np.testing.assert_allclose(cells.pos, one_by_one.pos, atol=2e-6)


@pytest.mark.simulation
@pytest.mark.parametrize("weighted", [False, True])
def test_draws_from_a_smooth_population_have_the_law_of_uniform_points(weighted: bool) -> None:
    curve = Curve(np.array([0.0, 0.1, 0.5, 1.0]), np.array([0.0, 0.6, 0.9, 1.0]))
    population = Population(curve.x, curve.y, atomic=False)
    ruler = CurveDistance(curve, 1.0, np.array([0.5, 2.0, 1.0, 0.7]) if weighted else None)
    rng, draws, n_neg, n_pos = np.random.default_rng(11), 4000, 6, 4
    sizes = np.full(draws, n_neg), np.full(draws, n_pos)
    found = find_largest_distances(population, ruler, *sizes, rng)
    expected = []
    for _ in range(draws):
        # Cases lie on the curve at a uniform x (negatives) or a uniform y (positives).
        neg = np.interp(rng.random(n_neg), curve.x, np.arange(4.0))
        pos = np.interp(rng.random(n_pos), curve.y, np.arange(4.0))
        order = np.argsort(np.concatenate((neg, pos)))
        steps = np.concatenate(([[0, 0]], np.where(order[:, None] < n_neg, [1, 0], [0, 1]))).cumsum(
            0
        )
        x, y = steps[:, 0] / n_neg, steps[:, 1] / n_pos
        most = ruler.distance(x, y).max()
        _, inner = ruler.within(x[:-1], x[1:], y[:-1], y[1:])
        expected.append(max(most, inner.max(initial=0)))
    assert ks_2samp(found, expected).pvalue > 1e-4
    assert ks_2samp(found * 1.08, expected).pvalue < 1e-4


def test_order_statistics() -> None:
    values = np.arange(1.0, 101.0)[::-1]
    assert order_statistic(values, 0.9) == 90
    assert order_statistic(values, 0.901) == 91
    assert order_statistic(values, 0.99) == 99
    with pytest.raises(rb.InputError, match="at least 1000 resamples"):
        order_statistic(values, 0.999)

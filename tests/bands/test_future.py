"""Bands for the curve of a future test set: joint regions, studentised and Working-Hotelling."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rocbands as rb
from rocbands.bands.joint_region import kolmogorov_quantile, two_sample_quantile
from rocbands.core.region import between_lines
from tests.judge import may_lie_in
from tests.populations import draw_binormal

AT = np.linspace(0, 1, 201)
METHODS: dict[str, Any] = {
    "joint-region": rb.bands.JointRegion(),
    "sup-t": rb.bands.SupT(n_resamples=199),
    "working-hotelling": rb.bands.WorkingHotelling(n_resamples=199),
}
every = pytest.mark.parametrize("name", METHODS)


def curve_of(n_pos: int = 40, n_neg: int = 60, seed: int = 1) -> rb.RocCurve:
    rng = np.random.default_rng(seed)
    scores = rng.normal(1.5, 1, n_pos), rng.normal(0, 1, n_neg)
    return rb.roc_curve(np.repeat([1, 0], [n_pos, n_neg]), np.concatenate(scores))


def gap(inner: rb.results.Band, outer: rb.results.Band) -> float:
    """How far the edges of one band lie outside another."""
    low, high = (outer.lower_at(AT) - inner.lower_at(AT)), (inner.upper_at(AT) - outer.upper_at(AT))
    return float(max(low.max(), high.max()))


# ------------------------------------------------------------------ Kolmogorov, two samples


def enumerate_distances(small: int, large: int) -> np.ndarray:
    """The statistic of every order of two sets, as whole multiples of 1 / (small large)."""
    every = []
    for places in combinations(range(small + large), small):
        own = np.isin(np.arange(small + large), places)
        every.append(np.abs(np.cumsum(own) * large - np.cumsum(~own) * small).max())
    return np.array(every)


@pytest.mark.parametrize(("small", "large"), [(1, 1), (1, 7), (3, 5), (4, 6), (6, 6), (5, 8)])
def test_quantiles_are_those_of_all_orders(small: int, large: int) -> None:
    drawn = enumerate_distances(small, large)
    for level in (0.3, 0.5, 0.8, 0.9, 0.95, 0.99):
        found = two_sample_quantile(level, large, small)
        ticks = found * small * large
        assert np.mean(drawn <= ticks + 1e-6) >= level
        assert np.mean(drawn < ticks - 1e-6) < level


@pytest.mark.parametrize("sizes", [(25, 100), (17, 23), (60, 60), (9, 400)])
def test_quantiles_agree_with_the_exact_p_values_of_scipy(sizes: tuple[int, int]) -> None:
    rng, sides = np.random.default_rng(3), set()
    for shift in np.linspace(0, 2.0, 25):
        test = stats.ks_2samp(
            rng.normal(shift, 1, sizes[0]), rng.normal(0, 1, sizes[1]), method="exact"
        )
        for level in (0.8, 0.95, 0.99):
            accepted = test.statistic <= two_sample_quantile(level, *sizes) + 1e-12
            assert accepted == (test.pvalue > 1 - level)
            sides.add(accepted)
    assert sides == {True, False}


def test_the_rule_for_many_cases_is_never_below_the_exact_quantile(monkeypatch: Any) -> None:
    sizes = [(1700, 1700), (150, 2000), (40, 40), (7, 3000), (90, 91), (2, 999)]
    exact = {(a, b): two_sample_quantile(0.975, a, b) for a, b in sizes}
    monkeypatch.setattr("rocbands.bands.joint_region._MOST_CELLS", 0)
    two_sample_quantile.cache_clear()
    for (a, b), right in exact.items():
        assert right <= two_sample_quantile(0.975, a, b) <= right + 2.0 / max(a, b)
    two_sample_quantile.cache_clear()


def test_each_axis_has_the_sizes_of_its_class() -> None:
    region = rb.bands.JointRegion()(curve_of(20, 30), level=0.9, future=(50, 1000)).region
    assert region.dx == two_sample_quantile(0.9**0.5, 30, 1000)
    assert region.dy == pytest.approx(two_sample_quantile(0.9**0.5, 20, 50))
    assert two_sample_quantile(0.95, 30, 10**12) == pytest.approx(kolmogorov_quantile(0.95, 30))


# ------------------------------------------------------------------ properties of all three


@every
@pytest.mark.parametrize("sizes", [(40, 60), (8, 5), (400, 30)])
def test_it_contains_the_band_of_the_true_curve(name: str, sizes: tuple[int, int]) -> None:
    roc, method = curve_of(), METHODS[name]
    later = method(roc, future=sizes, rng=1)
    assert gap(method(roc, rng=1), later) < 1e-9
    assert later.area > method(roc, rng=1).area
    assert later.target == f"future curve of {sizes[0]} positives and {sizes[1]} negatives"
    assert later.future == sizes


@every
def test_a_larger_future_set_has_a_narrower_band_with_that_of_the_true_curve_as_limit(
    name: str,
) -> None:
    roc, method = curve_of(), METHODS[name]
    areas = [method(roc, future=(n, n), rng=1).area for n in (5, 50, 500, 10**12)]
    assert areas == sorted(areas, reverse=True)
    limit, far = method(roc, rng=1), method(roc, future=(10**12, 10**12), rng=1)
    # Quantiles of two sets of 199 draws differ.
    assert far.area == pytest.approx(limit.area, rel=0.1 if name == "sup-t" else 0.01)


@every
def test_levels_are_nested_and_a_band_does_not_depend_on_others_made_with_it(name: str) -> None:
    roc, method = curve_of(), METHODS[name]
    targets = [(30, 30), None, (90, 10)]
    bands = method.at_levels(roc, (0.8, 0.95, 0.99), futures=targets, rng=4)
    for k in (0, 3, 6):
        assert gap(bands[k], bands[k + 1]) < 1e-9
        assert gap(bands[k + 1], bands[k + 2]) < 1e-9
    alone = method(roc, level=0.95, future=(30, 30), rng=4)
    assert gap(alone, bands[1]) == gap(bands[1], alone) == 0.0


@every
@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([1, 0], [2, 1]),
        ([1] + [0] * 30, list(range(31))),
        ([1] * 20 + [0] * 20, list(range(40, 0, -1))),
        ([1, 0] * 15, [1.0] * 30),
        ([1, 0, 1, 0, 1, 0], [3, 3, 2, 2, 2, 1]),
    ],
    ids=["two rows", "one positive", "AUC 1", "all tied", "tied"],
)
def test_hard_data_have_limits(name: str, labels: list[int], scores: list[float]) -> None:
    band = rb.roc_band(labels, scores, method=METHODS[name], future=(3, 1), rng=1)
    low, high = band.lower_at(AT), band.upper_at(AT)
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    assert band.area > 0.3


def test_what_is_not_derived_is_refused_in_one_sentence() -> None:
    roc = curve_of()
    for method, words in (
        (rb.bands.JointRegion(boxes="berk-jones"), "boxes='berk-jones' is for the true curve only"),
        (rb.bands.WorkingHotelling(False), "simultaneous=False is for the true curve only"),
    ):
        with pytest.raises(rb.InputError, match=words):
            method(roc, future=(5, 5))
    weighted = rb.Sample([1, 0, 1, 0], [4, 3, 2, 1], weights=[1, 2, 3, 1])
    for name in METHODS:
        with pytest.raises(rb.InputError, match="is for rows that count equally"):
            rb.roc_band(weighted, method=name, future=(5, 5))


def test_a_band_between_lines_keeps_the_corners_of_the_square() -> None:
    """A future set with separated classes has a corner at (0, 1)."""
    c = np.linspace(0.0, 1.8, 34)
    x = c / 1.8
    region = between_lines(c, x - 0.9, x + 0.9, 0.8)
    assert region.upper_at(np.array([0.0]))[0] == 1.0
    assert region.lower_at(np.array([1.0]))[0] < 1e-12


# ------------------------------------------------------------------ simulated numbers


@pytest.mark.simulation
def test_the_factor_of_studentised_bands_agrees_with_pairs_drawn_row_by_row() -> None:
    from rocbands.resample.population import Population, smooth_rows

    roc = curve_of(40, 40)
    band = rb.bands.SupT(n_resamples=2000, stratified=True)(roc, level=0.9, future=(20, 20), rng=1)
    factor = float(band.notes[0].split()[0])
    world = smooth_rows(Population.from_curve(roc)).curve
    k = 1 / (1 / 40 + 1 / 20)
    xs, ys = (k * world.x + 1) / (k + 2), (k * world.y + 1) / (k + 2)
    dx, dy = np.gradient(world.x), np.gradient(world.y)
    sd = np.sqrt(dy**2 * xs * (1 - xs) / k + dx**2 * ys * (1 - ys) / k) / (dx + dy)
    rng, place, lines = np.random.default_rng(8), np.arange(world.x.size), world.x + world.y

    def draw(size: int) -> np.ndarray:
        scores = (np.interp(rng.random(size), side, place) for side in (world.y, world.x))
        one = rb.roc_curve(np.repeat([1, 0], size), -np.concatenate([*scores]))
        return np.stack([one.curve.x, one.curve.y])

    most = []
    for _ in range(400):
        (a, b), (u, v) = draw(40), draw(20)
        at = np.concatenate([a + b, u + v])
        apart = np.abs(np.interp(at, a + b, a) - np.interp(at, u + v, u))
        most.append((apart / np.interp(at, lines, sd)).max())
    share = np.mean(np.array(most) <= factor)
    assert abs(share - 0.9) < 4 * math.sqrt(0.09 * (1 / 400 + 1 / 2000))


SETS = 300


@pytest.mark.simulation
@pytest.mark.parametrize("sizes", [(6, 9), (60, 30), (500, 2000)])
def test_a_working_hotelling_band_holds_sets_drawn_from_its_own_model(
    sizes: tuple[int, int],
) -> None:
    roc, rng = curve_of(60, 80), np.random.default_rng(6)
    method = rb.bands.WorkingHotelling(n_resamples=2000)
    band, narrow = method.at_levels(roc, (0.9, 0.6), futures=(sizes,), rng=2)
    from rocbands._math.binormal import fit_binormal

    fit = fit_binormal(*(np.diff(side, prepend=0)[::-1] for side in (roc.fp, roc.tp)))
    held = np.zeros(2)
    for a, b in rng.multivariate_normal((fit.a, fit.b), fit.covariance, 3 * SETS):
        scores = np.concatenate([rng.normal(a / b, 1 / b, sizes[0]), rng.normal(0, 1, sizes[1])])
        later = rb.roc_curve(np.repeat([1, 0], sizes), scores)
        held += [band.contains(later), narrow.contains(later)]
    assert may_lie_in(int(held[0]), 3 * SETS, 0.88, 0.96, 0.9999)
    assert not may_lie_in(int(held[1]), 3 * SETS, 0.88, 0.96, 0.9999)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
@every
def test_later_curves_lie_inside_as_often_as_stated_and_outside_the_plain_band(name: str) -> None:
    rng, held = np.random.default_rng(21), np.zeros(2, dtype=int)
    for _ in range(SETS):
        roc, later = (rb.roc_curve(*draw_binormal(rng, 1.5, 60, 40)) for _ in range(2))
        method = METHODS[name]
        bands = method(roc, level=0.9, future=(60, 40), rng=1), method(roc, level=0.9, rng=1)
        held += [band.contains(later) for band in bands]
    high = 1.0 if name == "joint-region" else 0.98
    assert may_lie_in(held[0], SETS, 0.88, high, 0.9999)
    if name == "joint-region":  # wide enough at 0.9 for later curves of this size as well
        roc = curve_of()
        assert METHODS[name](roc, future=(40, 60)).region.dx > 1.3 * METHODS[name](roc).region.dx
    else:
        assert not may_lie_in(held[1], SETS, 0.88, high, 0.9999)

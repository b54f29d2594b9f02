"""Resamples have exactly the law of draws with replacement: judged by complete enumeration."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare, ks_2samp

import rocbands as rb
from rocbands.resample.crossings import resample_crossings, resample_heights, resample_rates
from rocbands.resample.curves import Rates, RowSource, measure_resamples
from rocbands.resample.distance import (
    CurveDistance,
    find_largest_displacements,
    find_largest_distances,
)
from rocbands.resample.population import Population, draw_class_sizes
from tests.oracles.resamples import (
    Weighted,
    all_cluster_resamples,
    all_resamples,
    height,
    largest_distance,
    law,
    points,
    where,
)

DRAWS = 60_000
SETS = {
    "untied": ([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]),
    "tied across classes": ([1, 0, 1, 1, 0, 0], [3, 3, 3, 2, 2, 1]),
    "one positive": ([0, 1, 0, 0], [4, 3, 3, 1]),
    "runs": ([1, 1, 0, 0, 1], [5, 4, 3, 2, 2]),
}
every_set = pytest.mark.parametrize("name", SETS)
both_ways = pytest.mark.parametrize("stratified", [False, True])


def arrays(name: str) -> tuple[np.ndarray, np.ndarray]:
    labels, scores = SETS[name]
    return np.array(labels), np.array(scores, dtype=float)


@cache
def enumerate_set(name: str, stratified: bool) -> list[Weighted]:
    return list(all_resamples(*arrays(name), stratified=stratified))


def assert_same_law(drawn: np.ndarray, expected: dict[float, float]) -> None:
    """Chi-square at 1 in 100,000: rare values are taken together."""
    values, counts = np.unique(np.round(drawn, 9), return_counts=True)
    assert set(values) <= set(expected), set(values) - set(expected)
    found = dict(zip(values, counts, strict=True))
    common = [value for value in expected if expected[value] * drawn.size >= 10]
    seen = [found.get(value, 0) for value in common]
    wanted = [expected[value] * drawn.size for value in common]
    rest = drawn.size - sum(seen), drawn.size - sum(wanted)
    if rest[1] >= 5:
        seen.append(rest[0])
        wanted.append(rest[1])
    if len(seen) == 1:
        assert seen[0] == drawn.size
        return
    wanted = np.array(wanted) * sum(seen) / sum(wanted)
    assert chisquare(seen, wanted).pvalue > 1e-5


def distances(roc: rb.RocCurve, slope: float, *, stratified: bool) -> np.ndarray:
    rng = np.random.default_rng(1)
    population = Population.from_runs(roc)
    sizes = draw_class_sizes(roc.n_neg, roc.n_pos, DRAWS, rng, stratified=stratified)
    found = find_largest_distances(population, CurveDistance(population.curve, slope), *sizes, rng)
    return found * np.hypot(1, slope)


@every_set
@both_ways
def test_largest_distances(name: str, stratified: bool) -> None:
    labels, scores = arrays(name)
    own = points(labels, scores)
    expected = law(
        enumerate_set(name, stratified), lambda y, s: largest_distance(own, points(y, s), 0.7)
    )
    drawn = distances(rb.roc_curve(labels, scores), 0.7, stratified=stratified)
    assert_same_law(drawn, expected)


def test_the_judge_sees_a_slope_that_is_slightly_off() -> None:
    labels, scores = arrays("untied")
    own = points(labels, scores)
    expected = law(
        enumerate_set("untied", True), lambda y, s: largest_distance(own, points(y, s), 0.7)
    )
    drawn = distances(rb.roc_curve(labels, scores), 0.7, stratified=False)
    with pytest.raises(AssertionError):
        assert_same_law(drawn, expected)


@pytest.mark.simulation
@every_set
@both_ways
def test_heights(name: str, stratified: bool) -> None:
    rates = np.array([0.0, 0.2, 1 / 3, 0.5, 0.99])
    paths = [(points(y, s), times) for y, s, times in enumerate_set(name, stratified)]
    roc, rng = rb.roc_curve(*arrays(name)), np.random.default_rng(2)
    drawn = resample_heights(roc, rates, DRAWS, rng, stratified=stratified)
    for column, fpr in zip(drawn.T, rates, strict=True):
        counts: Counter[float] = Counter()
        for path, times in paths:
            counts[round(height(path, fpr), 9)] += times
        assert_same_law(column, {value: n / counts.total() for value, n in counts.items()})


@pytest.mark.simulation
@every_set
def test_crossings(name: str) -> None:
    labels, scores = arrays(name)
    expected = law(enumerate_set(name, False), lambda y, s: where(points(y, s), 0.9, 1.3))
    drawn = resample_crossings(
        rb.roc_curve(labels, scores), np.array([0.9]), 1.3, DRAWS, np.random.default_rng(3)
    )
    assert_same_law(drawn[:, 0], expected)


@pytest.mark.simulation
@every_set
@both_ways
def test_rates_at_a_threshold(name: str, stratified: bool) -> None:
    labels, scores = arrays(name)
    roc = rb.roc_curve(labels, scores)
    fpr, tpr = resample_rates(
        roc, np.array([0, 2, 1]), DRAWS, np.random.default_rng(4), stratified=stratified
    )
    assert not fpr[:, 0].any()
    assert not tpr[:, 0].any()
    threshold = roc.thresholds[1]

    def both_rates(y: np.ndarray, s: np.ndarray) -> float:
        return float(np.mean(s[y == 0] >= threshold) + 10 * np.mean(s[y == 1] >= threshold))

    expected = law(enumerate_set(name, stratified), both_rates)
    assert_same_law(fpr[:, 1] + 10 * tpr[:, 1], expected)
    assert (tpr[:, 2] <= tpr[:, 1]).all()


@pytest.mark.simulation
def test_whole_clusters() -> None:
    labels, scores = np.array([1, 0, 1, 0, 0, 1, 0]), np.array([5.0, 4, 4, 3, 2, 2, 1])
    clusters = np.array(["a", "a", "b", "c", "c", "d", "d"])
    roc = rb.Sample(labels, scores, clusters=clusters).roc
    rng = np.random.default_rng(5)
    drawn = resample_heights(roc, np.array([0.3]), DRAWS, rng)[:, 0]
    expected = law(
        all_cluster_resamples(labels, scores, clusters), lambda y, s: height(points(y, s), 0.3)
    )
    assert_same_law(drawn, expected)
    _, tpr = resample_rates(roc, np.array([2]), DRAWS, rng)
    expected = law(
        all_cluster_resamples(labels, scores, clusters), lambda y, s: float(np.mean(s[y == 1] >= 4))
    )
    assert_same_law(tpr[:, 0], expected)


def test_clusters_of_one_row_are_rows() -> None:
    labels, scores = arrays("tied across classes")
    roc = rb.Sample(labels, scores, clusters=np.arange(labels.size)).roc
    drawn = resample_heights(roc, np.array([1 / 3]), DRAWS, np.random.default_rng(6))[:, 0]
    expected = law(
        enumerate_set("tied across classes", False), lambda y, s: height(points(y, s), 1 / 3)
    )
    assert_same_law(drawn, expected)


@pytest.mark.parametrize("kind", ["plain", "tied", "rare"])
def test_split_curves_are_as_far_as_whole_curves(kind: str) -> None:
    """The same law as that of whole curves; a slope a little off is seen."""
    rng = np.random.default_rng(8)
    labels = rng.random(7000) < (0.1 if kind == "rare" else 0.5)
    scores = rng.normal(size=7000) + labels
    roc = rb.roc_curve(labels, np.round(scores, 2) if kind == "tied" else scores)
    source = RowSource(Population.from_runs(roc))
    centre, draws = source.population.curve, 2000

    def measure(rates: Rates) -> np.ndarray:
        same = (np.repeat(side[None], len(rates.x), 0) for side in (centre.x, centre.y))
        return find_largest_displacements(rates, Rates(*same), 0.8)

    whole = measure_resamples(source, draws, rng, measure)
    sizes = draw_class_sizes(roc.n_neg, roc.n_pos, draws, rng, stratified=False)
    split = find_largest_distances(source.population, CurveDistance(centre, 0.8), *sizes, rng)
    split *= np.hypot(1.0, 0.8)
    assert ks_2samp(split, whole).pvalue > 1e-4
    assert ks_2samp(split * 1.1, whole).pvalue < 1e-4

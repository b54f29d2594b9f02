"""The band for a difference of two curves: definition, law, invariances, corners."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import ndtri

import rocbands as rb
from rocbands._math.discordance import estimate_discordance
from rocbands.comparison import curve_limits, grid_curve, grid_sums
from rocbands.comparison.curve_limits import limit_heights
from rocbands.comparison.difference_spread import DifferenceSpread, PairedSpread, search_limits
from rocbands.comparison.grid_curve import CurveAtGrid, build_grid
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair
from tests.comparison.worlds import spread_sets
from tests.oracles import difference_band as oracle
from tests.oracles.paired_bootstrap import difference, resampled_differences
from tests.populations import TwoModels
from tests.strategies import labelled_scores

COARSE = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
DRAWS = {"n_resamples": 200, "rng": 3}


def at_grid(labels, scores, fpr) -> CurveAtGrid:
    return CurveAtGrid.from_curve(rb.roc_curve(labels, scores), fpr)


def estimate(labels, one, two, fpr, owners=None) -> PairedSpread:
    sample = rb.Sample(labels, {"one": one, "two": two}, clusters=owners)
    pair = Pair.from_sample(sample)
    curves = rb.roc_curve(labels, one), rb.roc_curve(labels, two)
    return PairedSpread.add_up(pair, *(CurveAtGrid.from_curve(roc, fpr) for roc in curves))


def same(a: rb.results.DifferenceBand, b: rb.results.DifferenceBand, **tolerance) -> None:
    for name in ("difference", "lower", "upper"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), **tolerance)


@pytest.mark.parametrize(
    "make",
    [
        lambda draws: draws,
        lambda draws: np.round(draws, 1),
        lambda draws: np.exp(200 * draws),  # most in one box
        lambda draws: np.where(draws > 0.9, np.inf, draws),
        lambda draws: np.full(draws.shape, 0.5),
        lambda draws: draws.astype(np.float16),
        lambda draws: np.round(250 * draws - 125).astype(np.int8),
        lambda draws: draws * 1e-320,
    ],
)
def test_cells_of_many_rows_come_from_a_table(make, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    labels, draws = rng.integers(0, 2, (2, 3000)), rng.random((2, 3000))
    scores, other = make((draws[0] + labels[0]) / 2.0), make((draws[1] + labels[0]) / 2.0)
    curve = at_grid(labels[0], scores, COARSE)
    of_grid = np.unique(curve.roc.thresholds[curve.step])
    expected = (of_grid[:, None] < scores).sum(axis=0) + (of_grid[:, None] <= scores).sum(axis=0)
    assert (curve.find_cells(scores) == expected).all()  # too few rows for a table
    at_once = rb.difference_band(labels[0], scores, other, **DRAWS)
    monkeypatch.setattr(grid_curve, "_BOXES", 256)
    assert (curve.find_cells(scores) == expected).all()
    monkeypatch.setattr(grid_sums, "TOGETHER", 700)
    in_parts = rb.difference_band(labels[0], scores, other, **DRAWS)
    same(at_once, in_parts, rtol=0, atol=0)


@st.composite
def paired(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    labels, one = draw(labelled_scores(12))
    few = st.integers(-2, 2).map(float)
    two = draw(st.lists(few, min_size=labels.size, max_size=labels.size))
    return labels, one, np.array(two)


@given(rows=paired())
def test_whatever_comes_in_the_band_is_a_band(rows) -> None:
    band = rb.difference_band(*rows, n_resamples=40)
    assert np.isfinite([band.lower, band.upper]).all()
    assert (band.lower < band.upper).all()
    np.testing.assert_allclose(
        band.difference[::20], difference(*rows, band.fpr[::20]), rtol=0, atol=1e-9
    )


# ---------------------------------------------------------------- against the formulas, one by one


@st.composite
def two_sets(draw: st.DrawFn) -> list[tuple[np.ndarray, np.ndarray]]:
    return [draw(labelled_scores(9)), draw(labelled_scores(9))]


@settings(max_examples=6)
@given(rows=paired(), critical=st.floats(1.5, 4.0))
def test_paired_limits_are_those_of_the_formulas(rows, critical) -> None:
    (labels, one, two), grid = rows, COARSE[::2]
    law = estimate(labels, one, two, grid)
    slopes = tuple(at_grid(labels, scores, grid).slope for scores in (one, two))
    known = oracle.paired_limits(labels, one, two, grid, slopes, critical)
    for found, name in (
        (law.difference, "D"),
        (law.covariance, "covariance"),
        (law.variance, "V0"),
        (law.only_1, "b"),
        (law.only_2, "c"),
    ):
        np.testing.assert_allclose(found, known[name], rtol=0, atol=1e-9)
    lower, upper = law.find_limits(critical)
    np.testing.assert_allclose(lower, known["lower"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(upper, known["upper"], rtol=0, atol=1e-7)


@settings(max_examples=25)
@given(sets=two_sets(), critical=st.floats(1.5, 4.0))
def test_unpaired_limits_are_those_of_the_formulas(sets, critical) -> None:
    law = spread_sets(*(rb.roc_curve(*rows) for rows in sets), COARSE)
    slopes = tuple(at_grid(*rows, COARSE).slope for rows in sets)
    known = oracle.unpaired_limits(sets, COARSE, slopes, critical)
    for found, name in (
        (law.difference, "D"),
        (law.covariance, "covariance"),
        (law.variance, "V0"),
    ):
        np.testing.assert_allclose(found, known[name], rtol=0, atol=1e-9)
    lower, upper = law.find_limits(critical)
    np.testing.assert_allclose(lower, known["lower"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(upper, known["upper"], rtol=0, atol=1e-7)


@settings(max_examples=25)
@given(rows=labelled_scores(15))
def test_slopes_are_those_of_the_formulas(rows) -> None:
    known = [oracle.slope(*rows, x) for x in COARSE]
    np.testing.assert_allclose(at_grid(*rows, COARSE).slope, known, rtol=0, atol=1e-9)


# Limits of a program that shares nothing with this one, at fpr .05, .15, .33, .62 and .9.
TWO_SETS = (
    ([9, 8, 7.5, 6, 5, 4.5, 3.2, 2], [7.8, 5.5, 4, 3, 2.5, 1.5, 1, 0.5, 0.2, 0.1]),
    ([9, 6, 4.2, 4.1, 2.2, 0.3], [8, 7, 5, 4, 3.5, 3, 2, 1, 0.9, 0.8, 0.4, 0.2]),
)
LIMITS = """
.003697 .011914 .122338 .534315 .676634
.881017 .985003 1 1 1
.000212 .003161 .024352 .264736 .358238
.681558 .933394 .983997 .997013 1
-.487437 -.575566 -.608489 -.326946 -.197124
.735936 .845156 .862698 .735264 .641762"""


def test_reference_numbers_of_two_sets() -> None:
    at = np.array([0.05, 0.15, 0.33, 0.62, 0.9])
    curves = [
        rb.roc_curve(np.repeat([1, 0], [len(pos), len(neg)]), pos + neg) for pos, neg in TWO_SETS
    ]
    found = [limit for roc in curves for limit in limit_heights(roc, at, 2.5)]
    found += spread_sets(*curves, at).find_limits(2.5)
    known = np.array([line.split() for line in LIMITS.split("\n")[1:]], dtype=float)
    np.testing.assert_allclose(found, known, rtol=0, atol=6e-7)


def test_many_steps_are_left_out_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, grid = np.random.default_rng(2), np.array([0.002, 0.05, 0.0501, 0.4, 0.97])
    for decimals in (9, 3, 2):  # without ties, with some, and with large ones
        labels = rng.integers(0, 2, 20_000)
        scores = np.round(rng.normal(size=labels.size) + labels, decimals)
        roc = rb.roc_curve(labels, np.where(scores > 2.5, 3.0, scores))
        whole = limit_heights(roc, grid, 2.8)
        monkeypatch.setattr(curve_limits, "MANY_STEPS", 10)
        np.testing.assert_allclose(limit_heights(roc, grid, 2.8), whole, rtol=0, atol=1e-11)
        monkeypatch.undo()


@settings(max_examples=30)
@given(rows=labelled_scores(12), critical=st.floats(0.5, 4.0))
def test_half_a_turn_exchanges_the_limits_of_a_curve(rows, critical) -> None:
    """Negated scores turn the curve by half a circle."""
    labels, scores = rows
    lower, upper = limit_heights(rb.roc_curve(labels, scores), COARSE, critical)
    low, high = limit_heights(rb.roc_curve(labels, -scores), 1 - COARSE, critical)
    np.testing.assert_allclose(lower, 1 - high, rtol=0, atol=1e-9)
    np.testing.assert_allclose(upper, 1 - low, rtol=0, atol=1e-9)


# Of a program that shares nothing with this one, with its slopes: index in the grid, slopes,
# variances of both classes, discordant positives, limits at the critical value 2.8.
REFERENCE = {
    "untied": """
0 1.143741 0.613253 0.05133929 0.00444436 2.00000 1.00000 -0.6046250 0.8401843
25 0.889010 0.864015 0.05133929 0.01320490 2.00000 1.00000 -0.6575921 0.8859488
50 0.952818 0.965677 0.05133929 0.01533801 2.00000 1.00000 -0.6727010 0.8983631
75 0.674397 0.884030 0.01562500 0.01073540 1.00000 0.00000 -0.5100857 0.7371270
100 0.084994 0.282810 0.00000000 0.00022603 0.00000 0.00000 -0.4570045 0.4570045""",
    "tied": """
0 1.826687 1.682036 0.03848214 0.01643926 1.64000 0.64000 -0.6843106 0.8910649
25 1.202287 1.208567 0.07866205 0.02045212 2.76504 1.76504 -0.8026611 1.0000000
50 1.027065 1.053966 0.03149802 0.02406543 1.44444 0.44444 -0.6641598 0.8817948
75 0.662923 0.759342 0.00892089 0.01136225 0.81228 0.00000 -0.4573367 0.7085635
100 0.000000 0.666667 0.00111111 0.00032099 0.16889 0.00000 -0.4291524 0.4937972""",
}


@pytest.mark.parametrize("kind", REFERENCE)
def test_reference_numbers(kind: str) -> None:
    rows = np.array([line.split() for line in REFERENCE[kind].split("\n")[1:]], dtype=float)
    i = np.arange(24)
    labels = (i % 3 == 0).astype(int)
    scores = [2 * (7 * i % 24) + 13 * labels, 2 * (11 * i % 24) + 7 * labels]
    if kind == "tied":
        scores = [column // 9 for column in scores]
    grid = build_grid(0.05, 0.95)[rows[:, 0].astype(int)]
    curves = [
        dataclasses.replace(at_grid(labels, column, grid), slope=rows[:, 1 + k])
        for k, column in enumerate(scores)
    ]
    law = PairedSpread.add_up(read_pair(labels, *scores), *curves)
    floor = 0.5 * (rows[:, 1] ** 2 + rows[:, 2] ** 2) / 2 / 16**2
    np.testing.assert_allclose(law.pos - 0.5 / 8**2, rows[:, 3], rtol=0, atol=6e-9)
    np.testing.assert_allclose(law.neg - floor, rows[:, 4], rtol=0, atol=2e-8)
    np.testing.assert_allclose(np.stack([law.only_1, law.only_2], 1), rows[:, 5:7], atol=6e-6)
    np.testing.assert_allclose(np.stack(law.find_limits(2.8), 1), rows[:, 7:], rtol=0, atol=2e-6)


@given(b=st.integers(0, 6), c=st.integers(0, 6), rest=st.integers(1, 8), d=st.floats(-0.99, 0.99))
def test_discordance_has_the_largest_likelihood(b, c, rest, d) -> None:
    m = b + c + rest
    found = estimate_discordance(np.array(d), np.array(float(b)), np.array(float(c)), m)
    assert found == pytest.approx(oracle.discordance(d, b, c, m), abs=1e-6)
    seen = estimate_discordance(np.array((b - c) / m), np.array(float(b)), np.array(float(c)), m)
    assert seen == pytest.approx((b + c) / m, abs=1e-9)


def test_influence_of_clusters_by_its_definition() -> None:
    rng = np.random.default_rng(1)
    labels, one, two = TwoModels(0.6, 0.5, step=0.5).draw(rng, 30, 40)
    two = two + 0.01 * rng.normal(size=70)  # one model tied, the other not
    owners = rng.permutation(np.arange(70) // 3)
    law = estimate(labels, one, two, COARSE, owners)
    called = [oracle.calls(labels, scores, COARSE) for scores in (one, two)]
    slopes = [at_grid(labels, scores, COARSE).slope for scores in (one, two)]
    pulls = called[0] - called[1] - law.difference
    negatives = slopes[0] * (called[0] - COARSE) - slopes[1] * (called[1] - COARSE)
    pos, neg, sizes = np.zeros((24, COARSE.size)), np.zeros((24, COARSE.size)), np.zeros((2, 24))
    for row, owner in enumerate(owners):
        sizes[labels[row], owner] += 1
        if labels[row]:
            pos[owner] += pulls[row] / 30
        else:
            neg[owner] -= negatives[row] / 40
    # Clusters of equal size with the same sum of squares, and the factor of so few.
    k_neg, k_pos = 40**2 / (sizes[0] ** 2).sum(), 30**2 / (sizes[1] ** 2).sum()
    parts = pos.T @ pos * k_pos / (k_pos - 1), neg.T @ neg * k_neg / (k_neg - 1)
    both = (pos.T @ neg + neg.T @ pos) * 24 / 23
    np.testing.assert_allclose(law.covariance, sum(parts) + both, rtol=0, atol=1e-12)
    floor = 0.5 / law.sums.sizes.n_pos**2
    np.testing.assert_allclose(law.pos, np.diag(parts[0]) + floor, rtol=0, atol=1e-12)


@pytest.mark.parametrize("clustered", [False, True])
def test_standard_errors_are_those_of_the_paired_bootstrap(clustered: bool) -> None:
    """On rounded scores, where resampling rows needs no correction; larger beside a corner."""
    rng = np.random.default_rng(2)
    labels, one, two = TwoModels(0.6, 0.5, step=1.0).draw(rng, 150, 150)
    clusters = None
    if clustered:  # two copies of each row: half as much is known
        labels, one, two = (np.repeat(column[::2], 2) for column in (labels, one, two))
        clusters = np.arange(300) // 2
        clusters = clusters[: labels.size]
    law = estimate(labels, one, two, COARSE, clusters)
    drawn = resampled_differences(labels, one, two, COARSE, 300, rng, clusters)
    ratio = np.sqrt(np.diag(law.covariance)) / drawn.std(axis=0)
    assert (ratio > 0.85).all()
    assert (ratio < 1.5).all()
    assert np.median(ratio) < 1.15


class Independent(DifferenceSpread):
    """Points that know nothing of each other; the variance does not move."""

    def __init__(self, variance) -> None:
        own = np.asarray(variance, dtype=float)
        super().__init__(difference=np.zeros(own.size), covariance=np.diag(own), variance=own)

    def find_limits(self, critical_value):
        return search_limits(
            self.difference,
            lambda deviation: np.broadcast_to(self.variance, deviation.shape),
            critical_value,
        )

    def find_statistic(self, null):
        raise NotImplementedError

    def describe(self, names):
        return ()


def test_critical_values_and_limits_of_independent_places() -> None:
    law = Independent([0.01, 0.04, 0.09])
    found = law.find_critical_value(0.9, 40_000, np.random.default_rng(1))
    assert found.value == pytest.approx(ndtri((1 + 0.9 ** (1 / 3)) / 2), abs=0.03)
    assert 0.0 < found.error < 0.02
    lower, upper = law.find_limits(4.0)
    np.testing.assert_allclose(upper, [0.4, 0.8, 1.0], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(lower, -upper)
    law.covariance[:] = 0.0  # nothing varies, yet the band is no line
    still = law.find_critical_value(0.9, 100, np.random.default_rng(1))
    assert still == (pytest.approx(ndtri(0.95)), 0.0)


@settings(max_examples=40)
@given(rows=paired(), first=st.floats(1.0, 5.0), more=st.floats(0.0, 3.0))
def test_limits_are_nested_in_the_critical_value(rows, first, more) -> None:
    labels, one, two = rows
    laws = [
        estimate(labels, one, two, COARSE),
        spread_sets(rb.roc_curve(labels, one), rb.roc_curve(labels, two), COARSE),
    ]
    for law in laws:
        (low, high), (lower, upper) = law.find_limits(first), law.find_limits(first + more)
        assert (lower <= low + 1e-9).all()
        assert (upper >= high - 1e-9).all()
        assert (low <= law.difference).all()
        assert (law.difference <= high).all()


def test_slopes_of_smooth_and_of_tied_curves() -> None:
    rng = np.random.default_rng(3)
    at = np.array([0.1, 0.3, 0.6, 0.9])
    labels, one, _ = TwoModels(0.5, 0).draw(rng, 20_000, 20_000)
    t = -ndtri(at)
    np.testing.assert_allclose(at_grid(labels, one, at).slope, np.exp(t - 0.5), rtol=0.1)
    three = np.repeat([3, 2, 1] * 2, [5000, 3000, 2000, 1000, 4000, 5000])
    labels = np.repeat([1, 0], 10_000)
    at = np.array([0.05, 0.3, 0.75])
    np.testing.assert_allclose(at_grid(labels, three, at).slope, [5, 0.75, 0.4], rtol=1e-6)
    # Beside a corner: the steeper of the two pieces.
    corner = at_grid(labels, three, np.array([0.1001, 0.499])).slope
    assert corner[0] > 4
    assert corner[1] > 0.75


def test_swapping_the_models_turns_the_band_around() -> None:
    labels, one, two = TwoModels(0.6, 0.5).draw(np.random.default_rng(4), 40, 60)
    band, turned = (rb.difference_band(labels, *pair, **DRAWS) for pair in ((one, two), (two, one)))
    np.testing.assert_array_equal(turned.difference, -band.difference)
    np.testing.assert_allclose(turned.lower, -band.upper, rtol=0, atol=1e-9)
    np.testing.assert_allclose(turned.upper, -band.lower, rtol=0, atol=1e-9)


@pytest.mark.parametrize("step", [0, 0.5])
def test_only_the_order_of_the_scores_matters_and_not_that_of_the_rows(step) -> None:
    rng = np.random.default_rng(5)
    labels, one, two = TwoModels(0.6, 0.5, step=step).draw(rng, 40, 60)
    band = rb.difference_band(labels, one, two, **DRAWS)
    same(band, rb.difference_band(labels, np.exp(one), two**3 + two, **DRAWS), rtol=0, atol=0)
    order = rng.permutation(labels.size)
    moved = rb.difference_band(labels[order], one[order], two[order], **DRAWS)
    same(band, moved, rtol=0, atol=1e-7)
    names = np.where(labels == 1, "ill", "well")
    named = rb.difference_band(names, one, two, positive="ill", **DRAWS)
    same(band, named, rtol=0, atol=0)


def test_seeds_and_threads(monkeypatch) -> None:
    rows = TwoModels(0.6, 0.5).draw(np.random.default_rng(6), 30, 30)
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", "1")
    alone = rb.difference_band(*rows, n_resamples=3000, rng=1)
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", "3")
    assert rb.difference_band(*rows, n_resamples=3000, rng=1).to_json() == alone.to_json()
    assert rb.difference_band(*rows, n_resamples=3000, rng=2).critical_value != alone.critical_value


def test_identical_models_are_equal_but_not_known_to_be() -> None:
    labels, one, _ = TwoModels(0.6, 0).draw(np.random.default_rng(7), 40, 400)
    band = rb.difference_band(labels, one, one, **DRAWS)
    assert not band.difference.any()
    assert not band.difference_at(np.linspace(0.05, 0.95, 50)).any()
    assert band.better == ()
    # Nothing seen in 40 positives: nearly three of them remain possible.
    assert (band.upper >= 2.7 / 40).all()
    assert (band.lower == -band.upper).all()
    assert "Neither model is shown to find more positives" in str(band)


@pytest.mark.parametrize(("level", "limit"), [(0.9, 0.043), (0.95, 0.055)])
def test_limits_of_identical_models(level: float, limit: float) -> None:
    labels, one, _ = TwoModels(0.6, 0, step=1.0).draw(np.random.default_rng(7), 50, 50)
    band = rb.difference_band(labels, one, one, level=level, **DRAWS)
    np.testing.assert_allclose(band.upper[40:60], limit, rtol=0.15)
    assert band.critical_value == pytest.approx(ndtri((1 + level) / 2))


@pytest.mark.parametrize("size", [(1, 1), (1, 30), (30, 1), (2, 2)])
def test_hardly_any_cases_say_hardly_anything(size) -> None:
    rows = TwoModels(0.3, 0.5).draw(np.random.default_rng(8), *size)
    band = rb.difference_band(*rows, **DRAWS)
    assert band.better == ()
    assert "negatives lie beyond" in str(band) or size[1] == 30


def test_perfect_models() -> None:
    labels = np.repeat([1, 0], 50)
    band = rb.difference_band(labels, labels * 2.0, labels + np.arange(100) / 1000, **DRAWS)
    assert not band.difference.any()
    assert (band.upper > 0.05).all()


def test_a_better_model_is_found_where_it_is_better() -> None:
    labels, one, two = TwoModels(0.9, 1.0).draw(np.random.default_rng(9), 1000, 1000)
    band = rb.difference_band(labels, one, two, **DRAWS)
    assert {part.model for part in band.better} == {2}
    assert sum(part.high - part.low for part in band.better) > 0.7
    assert band.contains(TwoModels(0.9, 1.0).truth)
    assert "Model 2 finds more positives at false positive rates from 0.02 to" in str(band)
    assert {part.model for part in rb.difference_band(labels, two, one, **DRAWS).better} == {1}


@pytest.mark.parametrize(
    ("n_neg", "ends"), [(60, (0.05, 0.95)), (250, (0.02, 0.98)), (5000, (0.01, 0.98))]
)
def test_the_range_follows_the_negatives(n_neg: int, ends: tuple[float, float]) -> None:
    rows = TwoModels(0.6, 0.5).draw(np.random.default_rng(3), 50, n_neg)
    assert rb.difference_band(*rows, **DRAWS).fpr_range == pytest.approx(ends)
    scores = {"one": rows[1], "two": rows[2]}
    (pair,) = rb.report(rb.Sample(rows[0], scores), path=None, rng=1).payload["comparison"]["pairs"]
    assert (pair["band"]["fpr"][0], pair["band"]["fpr"][-1]) == pytest.approx(ends)
    if n_neg > 60:  # three rows of a cluster are worth one
        clusters = np.repeat(np.arange(n_neg), 3)
        copies = [np.repeat(column[-n_neg:], 3) for column in rows]
        more = [np.append(column[:50], copy) for column, copy in zip(rows, copies, strict=True)]
        owners = np.append(np.arange(50) + n_neg, clusters)
        assert rb.difference_band(
            rb.Sample(more[0], {"model 1": more[1], "model 2": more[2]}, clusters=owners), **DRAWS
        ).fpr_range == pytest.approx(ends)


def test_rows_in_clusters_of_one_are_rows() -> None:
    rows = TwoModels(0.6, 0.5).draw(np.random.default_rng(10), 80, 80)
    alone = rb.difference_band(*rows, **DRAWS)
    one_each = rb.difference_band(
        rb.Sample(rows[0], {"model 1": rows[1], "model 2": rows[2]}, clusters=np.arange(160)[::-1]),
        **DRAWS,
    )
    same(alone, one_each, rtol=0, atol=1e-6)
    copies = tuple(np.repeat(column, 4) for column in rows)
    naive = rb.difference_band(*copies, **DRAWS)
    known = rb.difference_band(
        rb.Sample(
            copies[0],
            {"model 1": copies[1], "model 2": copies[2]},
            clusters=np.repeat(np.arange(160), 4),
        ),
        **DRAWS,
    )
    assert known.mean_width > 1.5 * naive.mean_width
    # Copies are ties, whose slopes are taken a little steeper.
    assert known.mean_width == pytest.approx(alone.mean_width, rel=0.1)
    assert any(note.startswith("Clusters: 320 positives count like 79.2 ") for note in known.notes)
    equal = rb.difference_band(
        rb.Sample(
            copies[0], {"one": copies[1], "two": copies[1]}, clusters=np.repeat(np.arange(160), 4)
        ),
        **DRAWS,
    )
    assert (equal.upper >= 2.7 / 80).all()  # 80 clusters contain positives


# ----------------------------------------------------------------------------------- two test sets


def other_rows(seed: int, n_pos: int, n_neg: int, shift: float = 0.5, step: float = 0.0):
    world = TwoModels(0.0, shift, step=step)
    labels, _, scores = world.draw(np.random.default_rng(seed), n_pos, n_neg)
    return labels, scores


@pytest.mark.parametrize("step", [0.0, 0.5])
def test_two_test_sets_as_rows_or_as_curves(step: float) -> None:
    one, two = other_rows(1, 40, 60, 0.0, step), other_rows(2, 70, 50, 0.5, step)
    band = rb.difference_band(
        rb.Sample(one[0], {"old": one[1]}), rb.Sample(two[0], {"new": two[1]}), **DRAWS
    )
    assert not band.paired
    sizes = band.n_pos, band.n_neg, band.n_pos_2, band.n_neg_2
    assert sizes == (40, 60, 70, 50)
    assert "Two test sets: 40 positives, 60 negatives; 70 positives, 50 negatives" in str(band)
    curves = rb.roc_curve(*one), rb.roc_curve(*two)
    counted = rb.difference_band(curves[0], curves[1], **DRAWS)
    same(band, counted, rtol=0, atol=0)
    mixed = rb.difference_band(rb.Sample(one[0], one[1], positive=1), curves[1], **DRAWS)
    same(band, mixed, rtol=0, atol=0)
    turned = rb.difference_band(curves[1], curves[0], **DRAWS)
    np.testing.assert_allclose(turned.lower, -band.upper, rtol=0, atol=1e-7)
    np.testing.assert_allclose(turned.upper, -band.lower, rtol=0, atol=1e-7)


@settings(max_examples=25)
@given(sets=two_sets(), critical=st.floats(0.5, 4.0))
def test_negated_scores_turn_the_band_of_two_sets_around(sets, critical) -> None:
    """Half a turn of both curves: D(x) becomes -D(1 - x), away from vertical pieces."""
    at = np.array([0.0371, 0.2931, 0.5417, 0.8713])
    ahead = spread_sets(*(rb.roc_curve(y, s) for y, s in sets), at)
    turned = spread_sets(*(rb.roc_curve(y, -s) for y, s in sets), 1 - at[::-1])
    (lower, upper), (low, high) = ahead.find_limits(critical), turned.find_limits(critical)
    np.testing.assert_allclose(ahead.difference, -turned.difference[::-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(lower, -high[::-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(upper, -low[::-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("step", [0.0, 0.5])
def test_two_sets_depend_on_the_order_of_the_scores_and_are_nested_in_the_level(step) -> None:
    one, two = other_rows(1, 40, 60, 0.0, step), other_rows(2, 70, 50, 0.5, step)
    bands = [
        rb.difference_band(rb.roc_curve(*one), rb.roc_curve(*two), level=level, **DRAWS)
        for level in (0.5, 0.8, 0.9, 0.95)
    ]
    for inner, outer in itertools.pairwise(bands):
        assert (outer.lower <= inner.lower).all()
        assert (outer.upper >= inner.upper).all()
    moved = rb.difference_band(
        rb.roc_curve(one[0], np.exp(one[1])),
        rb.roc_curve(two[0], 3 * two[1] - 7),
        level=0.95,
        **DRAWS,
    )
    same(bands[-1], moved, rtol=0, atol=0)


def test_two_test_sets_know_less_than_the_same_rows() -> None:
    labels, one, two = TwoModels(0.9, 0.5).draw(np.random.default_rng(3), 200, 200)
    same_rows = rb.difference_band(labels, one, two, **DRAWS)
    apart = rb.difference_band(rb.Sample(labels, one), rb.Sample(labels, two), **DRAWS)
    np.testing.assert_allclose(apart.difference, same_rows.difference, rtol=0, atol=1e-12)
    assert apart.mean_width > 1.3 * same_rows.mean_width


def test_the_same_set_twice_has_no_difference() -> None:
    roc = rb.roc_curve(*other_rows(4, 30, 30))
    band = rb.difference_band(roc, roc, **DRAWS)
    assert not band.difference.any()
    assert band.better == ()


def test_notes_where_the_band_was_measured_to_fall_short() -> None:
    def said(size) -> bool:
        band = rb.difference_band(*TwoModels(0.6, 0.5).draw(rng, *size), **DRAWS)
        return "lowest measured coverage" in str(band)

    rng = np.random.default_rng(1)
    assert said((200, 40))
    assert not said((40, 200))
    assert not said((400, 100))
    curves = rb.roc_curve(*other_rows(1, 200, 40)), rb.roc_curve(*other_rows(2, 40, 40))
    assert "lowest measured coverage" not in str(rb.difference_band(*curves, **DRAWS))


@pytest.mark.parametrize("size", [(1, 1), (1, 30), (30, 1), (2, 2)])
def test_hardly_any_cases_of_two_sets(size) -> None:
    one, two = rb.roc_curve(*other_rows(5, *size)), rb.roc_curve(*other_rows(6, 20, 20))
    band = rb.difference_band(one, two, **DRAWS)
    assert np.isfinite([band.lower, band.upper]).all()
    assert (band.lower < band.upper).all()


CURVE = rb.roc_curve([1, 0, 1, 0], [4, 3, 2, 1])
BINNED = rb.RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4], bins=True)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        ((CURVE,), {}, "of a sample of two models, of two samples, or of labels"),
        ((CURVE, [1, 2]), {}, "got a RocCurve and list"),
        ((CURVE, CURVE, [1, 2]), {}, "`y_score_2` was given, too"),
        ((CURVE, CURVE), {"positive": 1}, "`positive` was given, too"),
        ((CURVE, BINNED), {}, "the curve has bins"),
        ((rb.Sample([1, 0], [1, 2]),), {}, "the sample has 1. Two test sets are two samples"),
        (([1, 0], [1, 2]), {}, "`y_score_2` must be given"),
        (([1, 0],), {}, "`y_score_1` must be given"),
    ],
)
def test_wrong_test_sets_are_refused(data, options, words) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.difference_band(*data, **options)


# ------------------------------------------------------------------------------------- one fpr


@settings(max_examples=40)
@given(rows=paired(), place=st.integers(1, 19), near=st.sampled_from([0.0, 1e-14, -1e-14, 1e-6]))
def test_the_difference_at_an_fpr_is_that_of_compare_tpr(rows, place, near) -> None:
    n_neg = int((rows[0] == 0).sum())
    at = [place / 20, (place % n_neg) / n_neg]  # the second at a vertex
    band = rb.difference_band(*rows, n_resamples=40, fpr=(0.01, 0.99), rng=1)
    for fpr in at:
        x = min(max(fpr + near, 0.01), 0.99)
        try:
            known = rb.compare_tpr(*rows, fpr=x)
        except rb.InputError:
            assume(False)
        assert band.difference_at(x) == pytest.approx(known.difference, abs=1e-9)


def test_the_difference_between_the_points_of_the_grid_is_no_straight_line() -> None:
    sample = rb.load_example()
    band = rb.difference_band(sample, fpr=(0.05, 0.95), **DRAWS)
    known = rb.compare_tpr(sample, fpr=0.2)
    assert band.difference_at(0.2) == pytest.approx(known.difference, abs=1e-12)
    assert abs(np.interp(0.2, band.fpr, band.difference) - known.difference) > 0.001
    np.testing.assert_allclose(band.difference_at(band.fpr), band.difference, rtol=0, atol=1e-12)
    _, rows = band.describe()
    shown = dict(zip(rows["fpr"], rows["difference"], strict=True))
    assert shown[0.2] == pytest.approx(known.difference, abs=1e-12)
    with pytest.raises(rb.InputError, match="stated for fpr"):
        band.difference_at(0.01)


@pytest.mark.parametrize("size", [(3, 30), (10, 10), (50, 50)])
def test_the_difference_lies_inside_between_the_points_of_the_grid(size) -> None:
    rng, x = np.random.default_rng(11), np.linspace(0.05, 0.95, 2001)
    for _ in range(10):
        band = rb.difference_band(*TwoModels(0.6, 0.5).draw(rng, *size), level=0.9, **DRAWS)
        found = band.difference_at(x)
        assert (found <= band.upper_at(x)).all()
        assert (found >= band.lower_at(x)).all()


def hand_made(lower, upper) -> rb.results.DifferenceBand:
    fpr = np.array([0.1, 0.2, 0.3, 0.4])
    lower, upper = np.array(lower), np.array(upper)
    return rb.results.DifferenceBand(
        fpr=fpr,
        difference=(lower + upper) / 2,
        lower=lower,
        upper=upper,
        level=0.9,
        critical_value=2.5,
        n_pos=10,
        n_neg=10,
        n_pos_2=10,
        n_neg_2=10,
    )


def test_ranges_end_where_the_limits_cross_zero() -> None:
    band = hand_made([0.1, -0.1, -0.5, -0.6], [0.2, 0.1, 0.3, -0.1])
    assert [part.model for part in band.better] == [1, 2]
    np.testing.assert_allclose(band.better[0][1:], [0.1, 0.15])
    np.testing.assert_allclose(band.better[1][1:], [0.375, 0.4])
    assert hand_made([-0.1] * 4, [0.0, 0.1, 0.1, 0.1]).better == ()


def test_what_a_band_contains() -> None:
    band = hand_made([0.1, -0.1, -0.5, -0.6], [0.2, 0.1, 0.3, 0.0])
    np.testing.assert_allclose(band.lower_at([0.15, 0.2]), [0, -0.1], atol=1e-12)
    np.testing.assert_allclose(band.upper_at(0.35), 0.15)
    assert band.contains((band.fpr, band.difference))
    assert band.contains((np.array([0.0, 0.1, 0.2, 1.0]), np.array([0.5, 0.15, 0.0, -0.2])))
    assert not band.contains((np.array([0.0, 1.0]), np.array([0.0, 0.0])))
    assert not band.contains(lambda x: 0 * x)
    assert band.contains(lambda x: np.interp(x, band.fpr, band.lower))
    # Outside between the points of the grid only.
    assert not band.contains(
        lambda x: np.interp(x, band.fpr, band.upper) + (np.abs(x - 0.25) < 0.03)
    )
    assert band.mean_width == pytest.approx(np.trapezoid(band.upper - band.lower, band.fpr) / 0.3)


GOOD = ([1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 4, 3])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fpr": (0, 0.5)}, "0 < low < high < 1"),
        ({"fpr": (0.5, 0.2)}, "0 < low < high < 1"),
        ({"fpr": 0.5}, "0 < low < high < 1"),
        ({"fpr": (0.1, 2)}, "between 0 and 1"),
        ({"level": 95}, "level=0.95"),
        ({"n_resamples": 5}, "at least 20"),
        ({"n_resamples": 20, "level": 0.99}, "at least 100 resamples"),
        ({"positive": 7}, "7"),
    ],
)
def test_wrong_requests_are_refused(options, words) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.difference_band(*GOOD, **options)


def test_wrong_columns_and_questions_are_refused() -> None:
    with pytest.raises(rb.InputError, match="y_score_2"):
        rb.difference_band(*GOOD[:2], [1, 2, 3])
    with pytest.raises(rb.InputError, match="missing values"):
        rb.difference_band(*GOOD[:2], [1, 2, 3, np.nan])
    band = hand_made([-0.1] * 4, [0.1] * 4)
    with pytest.raises(rb.InputError, match=r"stated for fpr from 0\.1 to 0\.4; got 0\.5"):
        band.lower_at(0.5)
    for wrong in ([0.1, 0.2], (np.array([0.2, 0.4]), np.zeros(2)), (band.fpr[::-1], band.fpr)):
        with pytest.raises(rb.InputError, match="difference"):
            band.contains(wrong)
    with pytest.raises(rb.InputError, match="one number for each fpr"):
        band.contains(lambda x: 0.0)


def test_a_result_like_the_others() -> None:
    import pandas as pd

    frame = pd.DataFrame({"y": GOOD[0], "a": GOOD[1], "b": GOOD[2]})
    band = rb.difference_band(frame["y"], frame["a"], frame["b"], **DRAWS)
    record = json.loads(band.to_json())
    assert record["schema"] == "rocbands.difference-band/2"
    assert record["fpr_range"] == [0.05, 0.95]
    assert isinstance(band.to_frame(), pd.DataFrame)
    assert list(band.to_frame()) == ["fpr", "lower", "difference", "upper"]
    with pytest.raises(ValueError, match="read-only"):
        band.lower[0] = 0


def test_a_picture_says_who_is_better() -> None:
    band = hand_made([0.1, -0.1, -0.5, -0.6], [0.2, 0.1, 0.3, -0.1])
    ax = band.plot(Figure().subplots(), labels=("old", "new"))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0] == "90% band for the whole curve"
    assert [text.split(" finds")[0] for text in texts[2:]] == ["old", "new"]
    assert "(old\N{NO-BREAK SPACE}\N{MINUS SIGN} new)" in ax.get_ylabel()
    ax.figure.canvas.draw()
    quiet = hand_made([-0.1] * 4, [0.1] * 4).plot(Figure().subplots())
    assert len(quiet.get_legend().get_texts()) == 2
    with pytest.raises(rb.InputError, match="names of both models"):
        band.plot(Figure().subplots(), labels=("old",))
    with pytest.raises(rb.InputError, match="one matplotlib Axes"):
        band.plot([1])

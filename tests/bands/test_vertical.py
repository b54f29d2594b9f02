"""Vertical averaging: the exact law against every resample there is, and the rules one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import norm
from scipy.stats import t as student

import rocbands as rb
from rocbands.bands._averaging import binomial_interval, normal_interval
from rocbands.resample.crossings import height_distribution, resample_heights
from rocbands.resample.quantiles import empirical_interval
from tests.oracles import averaging as oracle
from tests.printed_methods import PrintedVertical
from tests.strategies import labelled_scores

SWEEP = np.arange(100) / 100
PLACES = [Fraction(place, 100) for place in (0, 1, 10, 24, 25, 33, 34, 50, 66, 67, 75, 90, 99)]

# All 4 ** 4 * 3 ** 3 stratified resamples of each are looked at.
SETS = {
    "untied": [(1, 9.0), (0, 8.0), (1, 7.0), (1, 5.0), (0, 4.0), (1, 3.0), (0, 1.0)],
    "more negatives": [(0, 9.0), (1, 8.0), (0, 7.0), (1, 6.0), (1, 5.0), (0, 4.0), (0, 3.0)],
    "ties inside the classes": [(1, 9.0), (1, 9.0), (0, 8.0), (0, 8.0), (1, 7.0), (1, 2.0), (0, 1)],
    "perfect": [(1, 9.0), (1, 8.0), (1, 7.0), (1, 6.0), (0, 3.0), (0, 2.0), (0, 1.0)],
    "upside down": [(0, 9.0), (0, 8.0), (0, 7.0), (1, 6.0), (1, 3.0), (1, 2.0), (1, 1.0)],
}


def roc_of(rows: oracle.Rows) -> rb.RocCurve:
    return rb.roc_curve([y for y, _ in rows], [s for _, s in rows])


def draw(n_pos: int, n_neg: int, seed: int, digits: int = 9) -> oracle.Rows:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(1, 1.2, n_pos), rng.normal(0, 1, n_neg)]).round(digits)
    return list(zip([1] * n_pos + [0] * n_neg, scores.tolist(), strict=True))


@pytest.mark.parametrize("name", SETS)
def test_the_exact_law_is_that_of_all_resamples(name: str) -> None:
    every = oracle.every_stratified_resample(SETS[name])
    assert every.total() == 6912
    roc = roc_of(SETS[name])
    heights = height_distribution(roc, np.array(PLACES, dtype=float))
    pushed = height_distribution(roc.mirrored, np.array(PLACES, dtype=float))
    for i, place in enumerate(PLACES):
        check_law(heights, i, oracle.law(every, lambda rows: oracle.top(rows, place)))  # noqa: B023
        across = oracle.law(every, lambda rows: 1 - oracle.leftmost(rows, 1 - place))  # noqa: B023
        check_law(pushed, i, across)


def check_law(laws, i: int, found: oracle.Law) -> None:
    mean = sum(v * p for v, p in found.items())
    variance = sum((v - mean) ** 2 * p for v, p in found.items())
    assert laws.mean[i] / laws.size == pytest.approx(float(mean), abs=1e-12)
    assert laws.variance[i] / laws.size**2 == pytest.approx(float(variance), abs=1e-12)
    for count in range(laws.size + 1):
        below = sum(p for v, p in found.items() if v * laws.size <= count)
        cdf = laws.cdf(np.full(laws.first.size, float(count)))[i]
        assert cdf == pytest.approx(float(below), abs=1e-12)
    for level in (Fraction(1, 2), Fraction(4, 5), Fraction(19, 20), Fraction(999, 1000)):
        low, high = laws.interval(float(level))
        wanted = [float(v) for v in oracle.quantiles(found, level)]
        np.testing.assert_allclose([low[i] / laws.size, high[i] / laws.size], wanted, atol=1e-12)


@pytest.mark.parametrize("sizes", [(40, 35), (150, 200)])
def test_the_exact_law_is_that_of_real_resamples(sizes: tuple[int, int]) -> None:
    """Another path at sizes that cannot be enumerated: sort the drawn negatives, count above."""
    rows, (n_pos, n_neg), draws = draw(*sizes, seed=3), sizes, 20_000
    pos, neg = (np.array([s for y, s in rows if y == label]) for label in (1, 0))
    rng = np.random.default_rng(5)
    drawn = -np.sort(-neg[rng.integers(0, n_neg, (draws, n_neg))], axis=1)
    above = np.sort(pos[rng.integers(0, n_pos, (draws, n_pos))], axis=1)
    at = np.array([0.0, 0.02, 0.1, 0.3, 0.5, 0.8, 0.95])
    law = height_distribution(roc_of(rows), at)
    for i, f in enumerate(at):
        counts = (above > drawn[:, [int(n_neg * f + 1e-9)]]).sum(axis=1)
        assert abs(counts.mean() - law.mean[i]) < 4.5 * np.sqrt(law.variance[i] / draws)
        for share in (0.025, 0.3, 0.8, 0.975):
            count = np.floor(law.mean[i] + norm.ppf(share) * np.sqrt(law.variance[i]))
            expected = law.cdf(np.full(at.size, count))[i]
            error = np.sqrt(max(expected * (1 - expected), 1e-4) / draws)
            assert abs(np.mean(counts <= count) - expected) < 4.5 * error


def test_few_terms_carry_all_of_the_weight() -> None:
    law = height_distribution(roc_of(draw(3000, 4000, seed=1)), SWEEP)
    np.testing.assert_allclose(law.cdf(np.full(100, 3000.0)), 1.0, atol=1e-13)
    assert np.diff(law.first).max() < 10 * np.sqrt(4000)


@pytest.mark.parametrize("fixed", ["fpr", "tpr"])
def test_limits_of_the_exact_law_stand_at_the_knots(fixed: str) -> None:
    rows = draw(7, 9, seed=1)
    band = rb.bands.VerticalAverage(fixed=fixed)(roc_of(rows), level=0.9)  # type: ignore[arg-type]
    seen = roc_of(rows) if fixed == "fpr" else roc_of(rows).mirrored
    low, high = height_distribution(seen, SWEEP).interval(0.9)
    lower, upper = band.lower, band.upper
    if fixed == "tpr":
        lower, upper = lower.mirrored, upper.mirrored
    np.testing.assert_allclose(lower.low(SWEEP[1:]), low[1:] / seen.n_pos, atol=1e-12)
    np.testing.assert_allclose(upper.high(SWEEP[1:]), high[1:] / seen.n_pos, atol=1e-12)
    assert "exact distribution" in band.notes[1]
    assert f"at {fixed}" in band.notes[0]


@pytest.mark.simulation
@pytest.mark.parametrize("engine", [True, False])
def test_the_law_is_that_of_200_000_real_resamples(engine: bool) -> None:
    """Drawn by the package's own engine, and row by row without it."""
    rows, at, draws = draw(40, 35, seed=8), np.array([0.02, 0.1, 0.3, 0.6, 0.9]), 200_000
    roc, rng = roc_of(rows), np.random.default_rng(2)
    law = height_distribution(roc, at)
    if engine:
        heights = resample_heights(roc, at, draws, rng, stratified=True)
    else:
        pos, neg = (np.array([s for y, s in rows if y == kind]) for kind in (1, 0))
        drawn = pos[rng.integers(0, 40, (draws, 40))]
        rivals = -np.sort(-neg[rng.integers(0, 35, (draws, 35))], axis=1)
        bars = rivals[:, np.floor(35 * at + 1e-9).astype(int)]
        heights = np.column_stack([(drawn > bar[:, None]).mean(axis=1) for bar in bars.T])
    error = np.sqrt(law.variance / draws) / roc.n_pos
    assert (abs(heights.mean(axis=0) - law.mean / roc.n_pos) < 4.5 * error).all()
    assert heights.std(axis=0) == pytest.approx(np.sqrt(law.variance) / roc.n_pos, rel=0.01)
    for count in (5, 12, 20, 28, 36):
        below = law.cdf(np.full(at.size, count))
        seen = (heights * roc.n_pos <= count + 1e-6).mean(axis=0)
        assert (abs(seen - below) <= 4.5 * np.sqrt(below * (1 - below) / draws) + 1e-6).all()


def test_shared_scores_are_resampled_and_interpolated() -> None:
    rows = [(1, 3.0), (0, 3.0), (1, 3.0), (1, 2.0), (0, 2.0), (1, 1.0), (0, 1.0)]
    with pytest.raises(rb.InputError, match=r"3 scores are shared\. Use interval='auto'"):
        rb.bands.VerticalAverage(interval="exact")(roc_of(rows))
    band = rb.bands.VerticalAverage(n_resamples=4000, stratified=True)(
        roc_of(rows), level=0.8, rng=1
    )
    every = oracle.every_stratified_resample(rows)
    for place in (Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)):
        found = oracle.law(every, lambda drawn: oracle.top(drawn, place))  # noqa: B023
        low, high = band.lower_at(float(place)) - 1e-9, band.upper_at(float(place)) + 1e-9
        assert sum(p for v, p in found.items() if v < low) < 0.12  # nominal .1 and noise
        assert sum(p for v, p in found.items() if v <= low + 2e-9) > 0.08
        assert sum(p for v, p in found.items() if v > high) < 0.12
        assert sum(p for v, p in found.items() if v >= high - 2e-9) > 0.08
        mean = float(sum(v * p for v, p in found.items()))
        assert band.curve.high([float(place)])[0] == pytest.approx(mean, abs=0.015)
    assert "empirical, from 4000 resamples of rows of each class" in band.notes[1]


def test_unstratified_resamples_one_after_the_other() -> None:
    rows, places = draw(6, 9, seed=4, digits=0), [0.07, 0.3, 0.6]
    drawn = list(oracle.resamples(rows, 2000, seed=6))
    slow = np.array([[float(oracle.top(d, Fraction(p))) for p in places] for d in drawn])
    fast = resample_heights(roc_of(rows), np.array(places), 20_000, np.random.default_rng(1))
    error = slow.std(axis=0) * np.sqrt(1 / 2000 + 1 / 20_000)
    assert (abs(slow.mean(axis=0) - fast.mean(axis=0)) < 4.5 * error).all()
    assert slow.std(axis=0) == pytest.approx(fast.std(axis=0), rel=0.1)


@settings(max_examples=30)
@given(rows=labelled_scores())
def test_the_rules_by_hand(rows: tuple[np.ndarray, np.ndarray]) -> None:
    roc, curves, level = rb.roc_curve(*rows), 60, 0.9
    columns = resample_heights(roc, SWEEP, curves, np.random.default_rng(9))
    z, t = norm.ppf(0.95), student.ppf(0.95, curves - 1)
    for interval, papers in [
        ("empirical", False),
        ("normal", False),
        ("binomial", False),
        ("binomial", True),
    ]:
        raw = []
        for column in columns.T:
            mean, sd = oracle.spread(column.tolist())
            error = np.sqrt(max(mean * (1 - mean), 0) / (curves if papers else roc.n_pos))
            half = t * sd if interval == "normal" else z * error
            by_hand = oracle.around(mean, half)
            raw.append(
                oracle.empirical(list(column), level) if interval == "empirical" else by_hand
            )
        kind = PrintedVertical if papers else rb.bands.VerticalAverage
        method = kind(interval, n_resamples=curves)  # type: ignore[arg-type]
        band = method(roc, level=level, rng=9)
        lower = [min(low for low, _ in raw[i:]) for i in range(100)]  # pushed outwards,
        upper = [max(high for _, high in raw[: i + 1]) for i in range(100)]  # never inwards
        np.testing.assert_allclose(band.lower_at(SWEEP), lower, atol=1e-7)
        np.testing.assert_allclose(band.upper_at(SWEEP), upper, atol=1e-7)


@pytest.mark.parametrize("interval", ["auto", "empirical", "normal", "binomial"])
@pytest.mark.parametrize("fixed", ["fpr", "tpr"])
@settings(max_examples=8)
@given(rows=labelled_scores())
def test_every_variant_is_ordered_and_nested(
    fixed: str, interval: str, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    roc, at = rb.roc_curve(*rows), np.linspace(0, 1, 51)
    method = rb.bands.VerticalAverage(interval, n_resamples=50, fixed=fixed)  # type: ignore[arg-type]
    narrow, wide = (method(roc, level=level, rng=1) for level in (0.7, 0.98))
    limits = [wide.lower_at(at), narrow.lower_at(at), narrow.upper_at(at), wide.upper_at(at)]
    assert (np.diff(limits, axis=0) >= -1e-12).all()
    assert (np.diff(limits, axis=1) >= -1e-9).all()
    assert limits[0].min() >= 0
    assert limits[-1].max() <= 1


def test_student_gives_way_to_the_normal_from_1000_values_on() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, (1000, 1))
    for size, reach in [(999, student.ppf(0.975, 998)), (1000, norm.ppf(0.975))]:
        low, high = normal_interval(values[:size], 0.95)
        assert high - low == pytest.approx(2 * reach * values[:size].std(ddof=1), rel=1e-12)


def test_rules_stay_inside_and_cut_symmetrically() -> None:
    values = np.arange(100.0)[:, None]
    assert [float(end[0]) for end in empirical_interval(values, 0.95)] == [2, 97]
    assert [float(end[0]) for end in empirical_interval(values, 0.999)] == [0, 99]
    assert binomial_interval(np.array([0.01]), 0.99, 10)[0] == 0.0
    assert normal_interval(np.array([[0.9], [1.0]]), 0.9)[1] == 1.0


def test_the_divisor_is_the_class_whose_rate_moves() -> None:
    roc = roc_of(draw(20, 500, seed=2))
    for fixed, size in [("fpr", 20), ("tpr", 500)]:
        band = rb.bands.VerticalAverage("binomial", fixed=fixed)(roc, level=0.9, rng=1)  # type: ignore[arg-type]
        curve, lower = band.curve, band.lower
        if fixed == "tpr":
            curve, lower = curve.mirrored, lower.mirrored
        mean, low = curve.high([0.5])[0], lower.low([0.5])[0]
        assert mean - low == pytest.approx(norm.ppf(0.95) * np.sqrt(mean * (1 - mean) / size))


def test_the_printed_binomial_width_knows_only_the_number_of_curves() -> None:
    """Mean area .095 at B = 200 whatever the data, methods/bands-results.md section 3."""
    areas = [
        PrintedVertical("binomial", n_resamples=200)(roc_of(draw(n, n, 1)), rng=1).area
        for n in (30, 300)
    ]
    assert areas[0] == pytest.approx(areas[1], rel=0.1)


def test_horizontal_averaging_is_the_mirrored_problem() -> None:
    rows = draw(12, 17, seed=6)
    turned = [(1 - y, -s) for y, s in rows]
    one = rb.bands.VerticalAverage(fixed="tpr")(roc_of(rows))
    other = rb.bands.VerticalAverage(fixed="fpr")(roc_of(turned))
    for edge, mirrored in [(one.lower, other.lower), (one.upper, other.upper)]:
        np.testing.assert_allclose(
            edge.low(SWEEP[1:]), mirrored.mirrored.low(SWEEP[1:]), atol=1e-12
        )
    assert one.auc == pytest.approx(other.auc, abs=1e-12)


def test_the_number_of_places_of_the_sweep() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 200)
    roc = rb.roc_curve(labels, rng.normal(size=200) + labels)
    usual, few = rb.bands.VerticalAverage()(roc), rb.bands.VerticalAverage(n_points=10)(roc)
    np.testing.assert_allclose(few.upper.x, np.arange(11) / 10)
    np.testing.assert_array_equal(few.upper_at(few.upper.x), usual.upper_at(few.upper.x))
    assert "fpr 0, 0.1, ..., 0.9;" in few.notes[0]
    assert "fpr 0, 0.01, ..., 0.99;" in usual.notes[0]


def test_folds_are_averaged_by_students_t() -> None:
    rng = np.random.default_rng(3)
    labels, scores = rng.integers(0, 2, 300), rng.normal(size=300)
    scores = scores + labels + np.repeat([0, 100, -50], 100)  # each fold has its own scale
    folds = np.repeat(["a", "b", "c"], 100)
    band = rb.roc_band(rb.Sample(labels, scores, folds=folds), method="vertical", level=0.9)
    curves = [rb.roc_curve(labels[folds == f], scores[folds == f]).curve for f in "abc"]
    heights = np.array([curve.high(SWEEP) for curve in curves])
    raw = heights.mean(axis=0) - student.ppf(0.95, 2) * heights.std(axis=0, ddof=1)
    assert band.lower_at(0.2) == pytest.approx(raw[20:].min())
    assert band.curve.high([0.2])[0] == pytest.approx(heights[:, 20].mean())
    assert band.target == "curve of a fold"
    assert "normal, from the curves of 3 folds" in band.notes[1]
    exact = rb.bands.VerticalAverage("exact")
    with pytest.raises(rb.InputError, match="the sample has folds"):
        rb.roc_band(rb.Sample(labels, scores, folds=folds), method=exact)


def test_clusters_are_drawn_whole() -> None:
    """Rows written down twice are worth no more than once, if it is said that they are the same."""
    rows = draw(30, 30, seed=2)
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    once = rb.bands.VerticalAverage("empirical", n_resamples=4000)(roc_of(rows), rng=1)
    twice = rb.roc_band(
        rb.Sample(np.tile(labels, 2), np.tile(scores, 2), clusters=np.tile(np.arange(60), 2)),
        method=rb.bands.VerticalAverage(n_resamples=4000),
        rng=1,
    )
    assert "empirical, from 4000 resamples of clusters" in twice.notes[1]
    assert twice.area == pytest.approx(once.area, rel=0.03)
    blind = rb.roc_band(np.tile(labels, 2), np.tile(scores, 2), method="vertical")
    assert blind.area < 0.85 * twice.area


@pytest.mark.parametrize("extra", ["clusters", "folds"])
def test_clusters_and_folds_are_mirrored_too(extra: str) -> None:
    labels, scores = (np.array(column) for column in zip(*draw(30, 50, seed=3), strict=True))
    parts = {extra: np.random.default_rng(0).integers(0, 3 if extra == "folds" else 25, 80)}
    drawn = {"level": 0.9, "rng": 1}
    one = rb.roc_band(
        rb.Sample(labels, scores, **parts),
        method=rb.bands.VerticalAverage(fixed="tpr", n_resamples=3000),
        **drawn,
    )
    other = rb.roc_band(
        rb.Sample(1 - labels, -scores, **parts),
        method=rb.bands.VerticalAverage(n_resamples=3000),
        **drawn,
    )
    assert one.area == pytest.approx(other.area, rel=0.02)
    assert one.auc == pytest.approx(other.auc, abs=0.005)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"interval": "exact"}, "the sample has clusters"),
        ({"interval": "binomial"}, "counts every row as independent"),
        ({"interval": "normal", "stratified": True}, "Leave `stratified` or `clusters` out"),
        ({"stratified": True}, "Leave `stratified` or `clusters` out"),
    ],
)
def test_what_clusters_do_not_allow_is_refused(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.roc_band(
            rb.Sample([1, 0] * 3, [6, 5, 4, 3, 2, 1], clusters=range(6)),
            method=rb.bands.VerticalAverage(**options),
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"interval": "bootstrap"}, "must be one of auto, exact, .*got 'bootstrap'"),
        ({"n_resamples": 5}, "at least 10; got 5"),
        ({"n_resamples": 99.5}, "whole number"),
        ({"fixed": "fp"}, "must be one of fpr, tpr; got 'fp'"),
    ],
)
def test_wrong_parameters_are_refused_in_words(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.bands.VerticalAverage(**options)


def test_a_band_without_width_says_so() -> None:
    band = rb.roc_band([1, 1, 0, 0], [4, 3, 2, 1], method="vertical")
    assert "no sign of certainty" in band.notes[-1]
    assert band.area == 0
    few = rb.roc_band(
        [1, 0, 1, 0, 1], [4, 3, 3, 2, 1], method=rb.bands.VerticalAverage("empirical", 20), rng=1
    )
    assert "20 curves are too few for a level of 0.95" in few.notes[-2]

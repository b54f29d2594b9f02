"""Threshold averaging: which thresholds, where the knots stand, and the binomial law."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binom, norm
from scipy.stats import t as student

import rocbands as rb
from rocbands.bands.threshold import steps_by_rank, steps_by_score
from rocbands.core.curve import Curve
from rocbands.resample.crossings import resample_rates
from tests.oracles import averaging as oracle
from tests.printed_methods import PrintedThreshold
from tests.strategies import labelled_scores

TIED = [(1, 9.0), (0, 8.0), (1, 8.0), (1, 5.0), (0, 5.0), (1, 3.0), (0, 1.0)]


def roc_of(rows: oracle.Rows) -> rb.RocCurve:
    return rb.roc_curve([y for y, _ in rows], [s for _, s in rows])


def draw(n_pos: int, n_neg: int, seed: int, digits: int = 9) -> oracle.Rows:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(1, 1.2, n_pos), rng.normal(0, 1, n_neg)]).round(digits)
    return list(zip([1] * n_pos + [0] * n_neg, scores.tolist(), strict=True))


def inner(edge: Curve) -> tuple[np.ndarray, np.ndarray]:
    """Knots without the corners."""
    return edge.x[1:-1], edge.y[1:-1]


def test_the_exact_limits_are_those_of_all_resamples() -> None:
    every = oracle.every_stratified_resample(TIED)
    assert every.total() == 6912
    level = Fraction(4, 5)
    band = rb.bands.ThresholdAverage(interval="exact")(roc_of(TIED), level=float(level))
    (x, lower), (_, upper), (_, mean) = map(inner, (band.lower, band.upper, band.curve))
    for i, threshold in enumerate([9.0, 8.0, 5.0, 3.0, 1.0]):
        found = oracle.law(every, lambda rows: oracle.rates(rows, threshold)[1])  # noqa: B023
        across = oracle.law(every, lambda rows: oracle.rates(rows, threshold)[0])  # noqa: B023
        assert (lower[i], upper[i]) == tuple(map(float, oracle.quantiles(found, level)))
        assert mean[i] == pytest.approx(float(sum(v * p for v, p in found.items())), abs=1e-12)
        assert x[i] == pytest.approx(float(sum(v * p for v, p in across.items())), abs=1e-12)


@settings(max_examples=30)
@given(rows=labelled_scores())
def test_the_rules_by_hand(rows: tuple[np.ndarray, np.ndarray]) -> None:
    roc, curves, level = rb.roc_curve(*rows), 60, 0.9
    fpr, tpr = resample_rates(roc, steps_by_rank(roc), curves, np.random.default_rng(9))
    z, t = norm.ppf(0.95), student.ppf(0.95, curves - 1)
    for interval, papers in [
        ("empirical", False),
        ("normal", False),
        ("binomial", False),
        ("binomial", True),
    ]:
        raw = []
        for column in tpr.T:
            mean, sd = oracle.spread(column.tolist())
            error = np.sqrt(max(mean * (1 - mean), 0) / (curves if papers else roc.n_pos))
            by_hand = oracle.around(mean, t * sd if interval == "normal" else z * error)
            raw.append(
                oracle.empirical(list(column), level) if interval == "empirical" else by_hand
            )
        kind = PrintedThreshold if papers else rb.bands.ThresholdAverage
        method = kind(interval, n_resamples=curves)  # type: ignore[arg-type]
        band = method(roc, level=level, rng=9)
        lower = [min(low for low, _ in raw[i:]) for i in range(len(raw))]  # pushed outwards,
        upper = [max(high for _, high in raw[: i + 1]) for i in range(len(raw))]  # never inwards
        np.testing.assert_allclose(inner(band.lower)[1], lower, atol=1e-7)
        np.testing.assert_allclose(inner(band.upper)[1], upper, atol=1e-7)
        np.testing.assert_allclose(inner(band.upper)[0], fpr.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("interval", ["exact", "empirical", "normal", "binomial"])
@pytest.mark.parametrize("spacing", ["ranks", "scores"])
@settings(max_examples=8)
@given(rows=labelled_scores())
def test_every_variant_is_ordered_and_nested(
    spacing: str, interval: str, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    roc, at = rb.roc_curve(*rows), np.linspace(0, 1, 51)
    method = rb.bands.ThresholdAverage(interval, n_resamples=50, spacing=spacing)  # type: ignore[arg-type]
    narrow, wide = (method(roc, level=level, rng=1) for level in (0.7, 0.98))
    limits = [wide.lower_at(at), narrow.lower_at(at), narrow.upper_at(at), wide.upper_at(at)]
    assert (np.diff(limits, axis=0) >= -1e-12).all()
    assert (np.diff(limits, axis=1) >= -1e-9).all()
    assert limits[0].min() >= 0
    assert limits[-1].max() <= 1


def test_unstratified_resamples_one_after_the_other() -> None:
    rows, thresholds = draw(6, 9, seed=4, digits=0), [2.0, 1.0, 0.0]
    roc = roc_of(rows)
    drawn = list(oracle.resamples(rows, 2000, seed=6))
    slow = np.array([[[float(r) for r in oracle.rates(d, t)] for t in thresholds] for d in drawn])
    steps = np.searchsorted(-roc.thresholds, -np.array(thresholds)) + 1
    fast = resample_rates(roc, steps, 20_000, np.random.default_rng(1))
    for side in (0, 1):
        one, other = slow[:, :, side], fast[side]
        error = one.std(axis=0) * np.sqrt(1 / 2000 + 1 / 20_000)
        assert (abs(one.mean(axis=0) - other.mean(axis=0)) < 4.5 * error).all()
        assert one.std(axis=0) == pytest.approx(other.std(axis=0), rel=0.1)


def test_thresholds_are_equally_spaced_ranks_of_rows() -> None:
    labels, scores = [1, 0] * 500, np.arange(1000.0)
    steps = steps_by_rank(rb.roc_curve(labels, scores))
    assert (steps[0], steps[-1], steps.size) == (1, 1000, 100)
    assert set(np.diff(steps)) == {10, 11}
    # One score that half of all rows share takes half of the thresholds.
    heavy = steps_by_rank(rb.roc_curve(labels, np.maximum(scores, 500)))
    assert heavy.tolist()[-1] == 500
    assert heavy.size == 51


def test_rank_thresholds_by_sorting_the_rows() -> None:
    rows = draw(70, 90, seed=5, digits=1)
    ordered = sorted((s for _, s in rows), reverse=True)
    wanted = {ordered[round(i * 159 / 99)] for i in range(100)}
    roc = roc_of(rows)
    assert set(roc.thresholds[steps_by_rank(roc) - 1]) == wanted


def test_score_thresholds_divide_the_finite_range() -> None:
    scores = [np.inf, 10.0, 9.0, 5.0, 4.9, 0.0, -np.inf]
    roc = rb.roc_curve([1, 0, 1, 0, 1, 0, 1], scores)
    wanted = {sum(s >= 10 - 10 * i / 99 for s in scores) for i in range(100)}
    assert set(steps_by_score(roc)) == wanted
    assert steps_by_score(rb.roc_curve([1, 0, 1], [np.inf, -np.inf, np.inf])).tolist() == [1, 2]
    assert steps_by_score(rb.roc_curve([1, 0, 1], [1.7e308, -1.7e308, 0])).tolist() == [1, 2, 3]


def test_only_score_spacing_depends_on_the_scale() -> None:
    labels, scores = (np.array(column) for column in zip(*draw(200, 300, 1), strict=True))
    for spacing, same in [("ranks", True), ("scores", False)]:
        method = rb.bands.ThresholdAverage(spacing=spacing)  # type: ignore[arg-type]
        one = rb.roc_band(labels, scores, method=method)
        other = rb.roc_band(labels, np.exp(3 * scores), method=method)
        assert (one.to_json() == other.to_json()) is same


def test_knots_stand_at_the_mean_fpr() -> None:
    roc = roc_of(draw(60, 80, 2))
    exact = rb.bands.ThresholdAverage()(roc)
    np.testing.assert_array_equal(inner(exact.lower)[0], roc.fpr[steps_by_rank(roc)])
    drawn = rb.bands.ThresholdAverage("empirical", n_resamples=4000, stratified=True)(roc, rng=1)
    np.testing.assert_allclose(inner(drawn.lower)[0], inner(exact.lower)[0], atol=0.01)
    np.testing.assert_allclose(inner(drawn.lower)[1], inner(exact.lower)[1], atol=1.5 / 60)
    np.testing.assert_allclose(inner(drawn.upper)[1], inner(exact.upper)[1], atol=1.5 / 60)


def test_folds_are_compared_at_pooled_thresholds() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 300)
    scores, folds = (rng.normal(size=300) + labels).round(1), np.repeat([1, 2, 3], 100)
    band = rb.roc_band(rb.Sample(labels, scores, folds=folds), method="threshold", level=0.9)
    threshold = sorted(scores, reverse=True)[round(50 * 299 / 99)]
    rows = [list(zip(labels[folds == f], scores[folds == f], strict=True)) for f in (1, 2, 3)]
    fpr, tpr = (np.array([float(oracle.rates(r, threshold)[i]) for r in rows]) for i in (0, 1))
    place = np.flatnonzero(np.isclose(band.curve.x, fpr.mean()))
    assert np.isclose(band.curve.y[place], tpr.mean()).any()
    high = tpr.mean() + student.ppf(0.95, 2) * tpr.std(ddof=1)
    assert band.upper.y[place].max() >= min(high, 1) - 1e-12
    assert band.target == "curve of a fold"
    assert "3 folds" in band.notes[1]


def test_rectangles_join_intervals_of_both_rates() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 400)
    scores, folds = rng.normal(size=400) + labels, np.repeat([1, 2, 3, 4], 100)
    method = rb.bands.ThresholdAverage("normal", rectangles=True, n_points=7)
    band = rb.roc_band(rb.Sample(labels, scores, folds=folds), method=method, level=0.9)
    cuts = np.sort(scores)[::-1][np.rint(np.linspace(0, 399, 7)).astype(int)]
    rates = np.array(
        [
            [[np.mean(scores[(folds == f) & (labels == y)] >= cut) for cut in cuts] for y in (0, 1)]
            for f in (1, 2, 3, 4)
        ]
    )
    mean, reach = rates.mean(axis=0), student.ppf(0.95, 3) * rates.std(axis=0, ddof=1)
    # Limits that fall along the sweep are pushed outwards.
    low = np.minimum.accumulate(np.clip(mean - reach, 0, 1)[:, ::-1], axis=1)[:, ::-1]
    high = np.maximum.accumulate(np.clip(mean + reach, 0, 1), axis=1)
    np.testing.assert_allclose(inner(band.lower), (high[0], low[1]), atol=1e-12)
    np.testing.assert_allclose(inner(band.upper), (low[0], high[1]), atol=1e-12)
    plain = rb.roc_band(
        rb.Sample(labels, scores, folds=folds),
        method=rb.bands.ThresholdAverage("normal", n_points=7),
        level=0.9,
    )
    assert band.area > 1.2 * plain.area


def test_exact_rectangles_are_two_binomial_intervals() -> None:
    roc = roc_of(draw(30, 50, 2))
    band = rb.bands.ThresholdAverage(rectangles=True, n_points=5)(roc, level=0.9)
    steps = steps_by_rank(roc, 5)
    sides = (
        (band.upper.x, band.lower.x, roc.n_neg, roc.fpr),
        (band.lower.y, band.upper.y, roc.n_pos, roc.tpr),
    )
    for low, high, size, rate in sides:
        np.testing.assert_allclose(low[1:-1], binom.ppf(0.05, size, rate[steps]) / size)
        np.testing.assert_allclose(high[1:-1], binom.ppf(0.95, size, rate[steps]) / size)


def test_clusters_are_drawn_whole() -> None:
    rows = draw(30, 30, seed=2)
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    once = rb.bands.ThresholdAverage("empirical", n_resamples=4000)(roc_of(rows), rng=1)
    twice = rb.roc_band(
        rb.Sample(np.tile(labels, 2), np.tile(scores, 2), clusters=np.tile(np.arange(60), 2)),
        method=rb.bands.ThresholdAverage(n_resamples=4000),
        rng=1,
    )
    assert "resamples of clusters" in twice.notes[1]
    assert twice.area == pytest.approx(once.area, rel=0.03)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"interval": "t"}, "`interval` must be one of"),
        ({"spacing": "even"}, "must be one of ranks, scores; got 'even'"),
        ({"n_resamples": True}, "whole number"),
        ({"n_points": 1}, "`n_points` must be a whole number of at least 2"),
        ({"rectangles": 1}, "`rectangles`"),
    ],
)
def test_wrong_parameters_are_refused_in_words(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.bands.ThresholdAverage(**options)

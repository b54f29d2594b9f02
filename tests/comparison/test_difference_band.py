"""The band for a difference of two curves: definition, law, invariances, corners."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import ndtri

import rocbands as rb
from rocbands.comparison.difference_band import (
    CurveAtGrid,
    DifferenceDistribution,
    compute_influence,
    estimate_slopes,
)
from rocbands.comparison.pair import Pair
from tests.coverage.pairs import PairWorld
from tests.oracles.paired_bootstrap import difference, resampled_differences
from tests.strategies import labelled_scores

COARSE = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
DRAWS = {"n_resamples": 200, "rng": 3}


def estimate(
    labels, one, two, fpr, owners=None
) -> tuple[DifferenceDistribution, tuple[CurveAtGrid, ...]]:
    pair = Pair.from_rows(labels, one, two, groups=owners)
    sides = tuple(CurveAtGrid.from_scores(model, fpr) for model in (pair.one, pair.two))
    return DifferenceDistribution.estimate(pair, sides, fpr), sides


def same(a: rb.DifferenceBand, b: rb.DifferenceBand, **tolerance) -> None:
    for name in ("difference", "lower", "upper"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), **tolerance)


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


def test_influence_of_each_row_by_its_definition() -> None:
    rng = np.random.default_rng(1)
    labels, one, two = PairWorld(0.6, 0.5, step=0.5).draw(rng, 30, 40)
    two = two + 0.01 * rng.normal(size=70)  # one model tied, the other not
    owners = np.arange(70) // 3
    _, sides = estimate(labels, one, two, COARSE)
    rates = [
        [
            [
                np.mean(s[labels == kind] > t) + f * np.mean(s[labels == kind] == t)
                for kind in (0, 1)
            ]
            for t, f in zip(side.threshold, side.share, strict=True)
        ]
        for side, s in zip(sides, (one, two), strict=True)
    ]
    pulls = np.zeros((70, COARSE.size))
    for row, g in np.ndindex(pulls.shape):
        call = [
            float(s[row] > side.threshold[g]) + side.share[g] * float(s[row] == side.threshold[g])
            for side, s in zip(sides, (one, two), strict=True)
        ]
        own = [call[k] - rates[k][g][labels[row]] for k in (0, 1)]
        if labels[row]:
            pulls[row, g] = own[0] - own[1]
        else:
            pulls[row, g] = -(sides[0].slope[g] * own[0] - sides[1].slope[g] * own[1])
    pair = Pair.from_rows(labels, one, two)
    unit = np.where(labels == 1, 1 / np.sqrt(30 * 29), 1 / np.sqrt(40 * 39))[:, None]
    found = sum(part.T @ part for part in compute_influence(pair, sides, COARSE))
    np.testing.assert_allclose(found, (unit * pulls).T @ (unit * pulls), rtol=0, atol=1e-9)

    whole = np.array(
        [(pulls / np.where(labels == 1, 30, 40)[:, None])[owners == k].sum(0) for k in range(24)]
    )
    grouped = Pair.from_rows(labels, one, two, groups=owners)
    found = sum(part.T @ part for part in compute_influence(grouped, sides, COARSE))
    np.testing.assert_allclose(found, whole.T @ whole * 24 / 23, rtol=0, atol=1e-9)


@pytest.mark.parametrize("grouped", [False, True])
def test_standard_errors_are_those_of_the_paired_bootstrap(grouped: bool) -> None:
    """On rounded scores, where resampling rows needs no correction."""
    rng = np.random.default_rng(2)
    labels, one, two = PairWorld(0.6, 0.5, step=1.0).draw(rng, 150, 150)
    groups = None
    if grouped:  # two copies of each row: half as much is known
        labels, one, two = (np.repeat(column[::2], 2) for column in (labels, one, two))
        groups = np.arange(300) // 2
        groups = groups[: labels.size]
    pair = Pair.from_rows(labels, one, two, groups=groups)
    law, sides = estimate(labels, one, two, COARSE, groups)
    pulls = np.concatenate([*compute_influence(pair, sides, COARSE)])
    drawn = resampled_differences(labels, one, two, COARSE, 300, rng, groups)
    np.testing.assert_allclose(np.sqrt((pulls**2).sum(0)), drawn.std(axis=0), rtol=0.2)
    assert (law.standard_error > 0.9 * drawn.std(axis=0)).all()


@pytest.mark.parametrize("n", [10, 1000])
def test_roughness_is_that_of_a_count_up_to_a_quarter(n: int) -> None:
    labels, one, two = PairWorld(0.3, 0.5).draw(np.random.default_rng(12), n, 2 * n)
    law, sides = estimate(labels, one, two, COARSE)
    pair = Pair.from_rows(labels, one, two)
    first_order = sum((part**2).sum(axis=0) for part in compute_influence(pair, sides, COARSE))
    # Positives met within the mean absolute deviation of the threshold, both models together.
    deviation = np.sqrt(2 / np.pi * COARSE * (1 - COARSE) / (2 * n))
    count = deviation * (sides[0].slope + sides[1].slope) / n
    added = np.diag(law.covariance) - first_order
    np.testing.assert_allclose(added, np.minimum(count, first_order / 4), rtol=1e-9)
    assert (added < 0.24 * first_order).any() == (n == 1000)


def test_critical_values_of_independent_places() -> None:
    law = DifferenceDistribution(np.diag([1.0, 4.0, 9.0]), np.zeros(3))
    found = law.find_critical_value(0.9, 40_000, np.random.default_rng(1))
    assert found == pytest.approx(ndtri((1 + 0.9 ** (1 / 3)) / 2), abs=0.03)


def test_slopes_of_smooth_and_of_tied_curves() -> None:
    rng = np.random.default_rng(3)
    at = np.array([0.1, 0.3, 0.6, 0.9])
    labels, one, _ = PairWorld(0.5, 0).draw(rng, 20_000, 20_000)
    t = -ndtri(at)
    np.testing.assert_allclose(
        estimate_slopes(rb.roc_curve(labels, one), at), np.exp(t - 0.5), rtol=0.1
    )
    three = np.repeat([3, 2, 1] * 2, [5000, 3000, 2000, 1000, 4000, 5000])
    roc = rb.roc_curve(np.repeat([1, 0], 10_000), three)
    np.testing.assert_allclose(
        estimate_slopes(roc, np.array([0.05, 0.3, 0.75])), [5, 0.75, 0.4], rtol=1e-6
    )


def test_swapping_the_models_turns_the_band_around() -> None:
    labels, one, two = PairWorld(0.6, 0.5).draw(np.random.default_rng(4), 40, 60)
    band, turned = (rb.difference_band(labels, *pair, **DRAWS) for pair in ((one, two), (two, one)))
    np.testing.assert_array_equal(turned.difference, -band.difference)
    np.testing.assert_array_equal(turned.lower, -band.upper)
    np.testing.assert_array_equal(turned.upper, -band.lower)


@pytest.mark.parametrize("step", [0, 0.5])
def test_only_the_order_of_the_scores_matters_and_not_that_of_the_rows(step) -> None:
    rng = np.random.default_rng(5)
    labels, one, two = PairWorld(0.6, 0.5, step=step).draw(rng, 40, 60)
    band = rb.difference_band(labels, one, two, **DRAWS)
    same(band, rb.difference_band(labels, np.exp(one), two**3 + two, **DRAWS), rtol=0, atol=0)
    order = rng.permutation(labels.size)
    moved = rb.difference_band(labels[order], one[order], two[order], **DRAWS)
    same(band, moved, rtol=0, atol=1e-7)
    names = np.where(labels == 1, "ill", "well")
    named = rb.difference_band(names, one, two, positive="ill", **DRAWS)
    same(band, named, rtol=0, atol=0)


def test_seeds_and_threads(monkeypatch) -> None:
    rows = PairWorld(0.6, 0.5).draw(np.random.default_rng(6), 30, 30)
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", "1")
    alone = rb.difference_band(*rows, n_resamples=3000, rng=1)
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", "3")
    assert rb.difference_band(*rows, n_resamples=3000, rng=1).to_json() == alone.to_json()
    assert rb.difference_band(*rows, n_resamples=3000, rng=2).critical_value != alone.critical_value


def test_identical_models_are_equal_but_not_known_to_be() -> None:
    labels, one, _ = PairWorld(0.6, 0).draw(np.random.default_rng(7), 40, 400)
    band = rb.difference_band(labels, one, one, **DRAWS)
    assert not band.difference.any()
    assert band.better == ()
    # Nothing seen in 40 positives: three of them at least remain possible.
    assert (band.upper >= 2.99 / 40).all()
    assert (band.lower == -band.upper).all()
    assert "Neither model is shown to find more positives" in str(band)


@pytest.mark.parametrize("size", [(1, 1), (1, 30), (30, 1), (2, 2)])
def test_hardly_any_cases_say_hardly_anything(size) -> None:
    rows = PairWorld(0.3, 0.5).draw(np.random.default_rng(8), *size)
    band = rb.difference_band(*rows, **DRAWS)
    assert band.better == ()
    assert "negatives lie beyond" in str(band) or size[1] == 30


def test_perfect_models() -> None:
    labels = np.repeat([1, 0], 50)
    band = rb.difference_band(labels, labels * 2.0, labels + np.arange(100) / 1000, **DRAWS)
    assert not band.difference.any()
    assert (band.upper > 0.05).all()


def test_a_better_model_is_found_where_it_is_better() -> None:
    labels, one, two = PairWorld(0.9, 1.0).draw(np.random.default_rng(9), 1000, 1000)
    band = rb.difference_band(labels, one, two, **DRAWS)
    assert {part.model for part in band.better} == {2}
    assert sum(part.high - part.low for part in band.better) > 0.7
    assert band.contains(PairWorld(0.9, 1.0).truth)
    assert "Model 2 finds more positives at fpr 0.05 to" in str(band)
    assert {part.model for part in rb.difference_band(labels, two, one, **DRAWS).better} == {1}


def test_rows_in_groups_of_one_are_rows() -> None:
    rows = PairWorld(0.6, 0.5).draw(np.random.default_rng(10), 80, 80)
    alone = rb.difference_band(*rows, **DRAWS)
    one_each = rb.difference_band(*rows, groups=np.arange(160)[::-1], **DRAWS)
    same(alone, one_each, rtol=0, atol=0.01)
    copies = tuple(np.repeat(column, 4) for column in rows)
    naive = rb.difference_band(*copies, **DRAWS)
    known = rb.difference_band(*copies, groups=np.repeat(np.arange(160), 4), **DRAWS)
    assert known.mean_width > 1.5 * naive.mean_width
    assert known.mean_width == pytest.approx(alone.mean_width, rel=0.05)
    assert "160 groups" in str(known)
    equal = rb.difference_band(*copies[:2], copies[1], groups=np.repeat(np.arange(160), 4), **DRAWS)
    assert (equal.upper >= 2.99 / 80).all()  # 80 groups hold positives


def hand_made(lower, upper) -> rb.DifferenceBand:
    fpr = np.array([0.1, 0.2, 0.3, 0.4])
    lower, upper = np.array(lower), np.array(upper)
    return rb.DifferenceBand(
        fpr=fpr,
        difference=(lower + upper) / 2,
        lower=lower,
        upper=upper,
        level=0.9,
        critical_value=2.5,
        n_pos=10,
        n_neg=10,
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
        ({"groups": [1, 1, 1, 1]}, "at least two groups"),
        ({"groups": [1, 2]}, "one value for each row"),
        ({"positive": 7}, "7"),
    ],
)
def test_wrong_requests_are_refused(options, words) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.difference_band(*GOOD, **options)


def test_wrong_columns_and_questions_are_refused() -> None:
    with pytest.raises(rb.InputError, match="y_score_2"):
        rb.difference_band(*GOOD[:2], [1, 2, 3])
    with pytest.raises(rb.InputError, match="NaN"):
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
    assert record["schema"] == "rocbands.difference-band/1"
    assert record["fpr_range"] == [0.05, 0.95]
    assert isinstance(band.to_frame(), pd.DataFrame)
    assert list(band.to_frame()) == ["fpr", "lower", "difference", "upper"]
    with pytest.raises(ValueError, match="read-only"):
        band.lower[0] = 0


def test_a_picture_says_who_is_better() -> None:
    band = hand_made([0.1, -0.1, -0.5, -0.6], [0.2, 0.1, 0.3, -0.1])
    ax = band.plot(Figure().subplots(), labels=("old", "new"))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0] == "90% simultaneous band"
    assert [text.split(" finds")[0] for text in texts[2:]] == ["old", "new"]
    assert "old minus new" in ax.get_ylabel()
    ax.figure.canvas.draw()
    quiet = hand_made([-0.1] * 4, [0.1] * 4).plot(Figure().subplots())
    assert len(quiet.get_legend().get_texts()) == 2
    with pytest.raises(rb.InputError, match="names of both models"):
        band.plot(Figure().subplots(), labels=("old",))
    with pytest.raises(rb.InputError, match="one matplotlib Axes"):
        band.plot([1])

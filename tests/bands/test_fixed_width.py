"""Fixed-width bands: the width, the slope rules, future sets, degenerate samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.region import DisplacedRegion
from tests.oracles.fixed_width import fixed_width_region
from tests.oracles.resamples import all_resamples, largest_distance, law, points
from tests.printed_methods import PrintedFixedWidth

# methods/bands.md section 15: curve, and the same curve shifted by dx = dy = .1.
SCORES = np.array([0.95, 0.9, 0.9, 0.8, 0.7, 0.65, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2])
LABELS = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0])


def sample(n_pos: int, n_neg: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(1, 1, n_pos), rng.normal(0, 1, n_neg)])
    return np.repeat([1, 0], [n_pos, n_neg]), scores


def test_shifted_edges_to_the_printed_digits() -> None:
    region = DisplacedRegion(rb.roc_curve(LABELS, SCORES).curve, 0.1, 1.0)
    at = np.array([0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1])
    lower = [0, 0, 0, 0.2167, 0.6333, 0.7333, 0.9, 0.9]
    upper = [0.3667, 0.4167, 0.6, 0.7833, 0.9333, 1, 1, 1]
    np.testing.assert_allclose(region.lower_at(at), lower, atol=5.1e-5)
    np.testing.assert_allclose(region.upper_at(at), upper, atol=5.1e-5)


def test_the_width_is_the_exact_bootstrap_quantile() -> None:
    """With all resamples of a tiny set enumerated, the quantile is a jump of their exact law."""
    labels, scores = np.array([1, 0, 1, 0, 1, 0]), np.array([6.0, 5, 4, 3, 2, 1])
    own = points(labels, scores)
    exact = law(
        all_resamples(labels, scores, stratified=False),
        lambda y, s: largest_distance(own, points(y, s), 1.0),
    )
    cdf = np.cumsum(list(exact.values()))
    widths = np.array(list(exact))
    level = float((cdf[3] + cdf[4]) / 2)  # halfway up a jump: no Monte Carlo error can miss it
    band = rb.bands.FixedWidth(n_resamples=40_000)(rb.roc_curve(labels, scores), level=level, rng=1)
    width = band.region.dx * math.hypot(1, band.region.slope)
    assert width == pytest.approx(widths[4], abs=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize("sizes", [(60, 60), (30, 120)])
def test_the_width_agrees_with_a_plain_bootstrap(sizes: tuple[int, int]) -> None:
    rows = sample(*sizes)
    ours = rb.roc_band(*rows, method=rb.bands.FixedWidth(n_resamples=4000), level=0.9, rng=1).region
    theirs = fixed_width_region(*rows, 0.9, 4000, np.random.default_rng(2))
    assert ours.slope == pytest.approx(theirs.slope)
    assert ours.dx == pytest.approx(theirs.dx, rel=0.05)


def test_the_slope_is_that_of_the_standard_errors_unless_overridden() -> None:
    rows = sample(20, 80)
    assert rb.roc_band(*rows, method=rb.bands.FixedWidth(), rng=1).region.slope == pytest.approx(
        2.0
    )
    papers = rb.roc_band(*rows, method=PrintedFixedWidth(), rng=1)
    assert papers.region.slope == pytest.approx(0.5)


def test_a_future_set_widens_each_axis_by_its_own_factor() -> None:
    rows = sample(50, 200)
    now = rb.roc_band(*rows, method=rb.bands.FixedWidth(), rng=1).region
    same = rb.roc_band(*rows, method=rb.bands.FixedWidth(), rng=1, future=(50, 200)).region
    assert same.dx == pytest.approx(math.sqrt(2) * now.dx)
    assert same.dy == pytest.approx(math.sqrt(2) * now.dy)
    later = rb.roc_band(*rows, method=rb.bands.FixedWidth(), rng=1, future=(25, 800)).region
    assert later.dx == pytest.approx(math.sqrt(1.25) * now.dx)
    assert later.dy == pytest.approx(math.sqrt(3) * now.dy)


@pytest.mark.simulation
def test_pairs_of_resamples_agree_with_a_plain_loop() -> None:
    labels, scores = sample(40, 60)
    roc = rb.roc_curve(labels, scores)
    band = rb.bands.FixedWidth(n_resamples=3000, future_rule="pairs")(
        roc, level=0.9, future=(30, 20), rng=1
    )
    rng, slope, found = np.random.default_rng(3), math.sqrt(60 / 40), []
    pos, neg = np.flatnonzero(labels == 1), np.flatnonzero(labels == 0)
    while len(found) < 500:
        one = rng.integers(0, 100, 100)
        if len(set(labels[one])) == 2:
            two = np.concatenate([rng.choice(pos, 30), rng.choice(neg, 20)])
            paths = [points(labels[took], scores[took]) for took in (one, two)]
            found.append(largest_distance(*paths, slope))
    width = band.region.dx * math.hypot(1, slope)
    share = np.mean(np.array(found) <= width + 1e-9)
    assert abs(share - 0.9) < 4 * math.sqrt(0.09 * (1 / 500 + 1 / 3000))


def test_perfect_separation_is_called_degenerate_and_smoothing_helps() -> None:
    rows = np.repeat([1, 0], 12), np.arange(24.0, 0.0, -1.0)
    band = rb.roc_band(*rows, method="fixed-width", rng=1)
    assert band.degenerate
    assert band.area == 0
    assert band.to_dict()["degenerate"] is True
    assert "smooth=True" in str(band)
    smooth = rb.roc_band(*rows, method=rb.bands.FixedWidth(smooth=True), rng=1)
    assert not smooth.degenerate
    assert smooth.area > 0.05
    assert not rb.roc_band(*sample(9, 9), method="fixed-width", rng=1).degenerate


@pytest.mark.simulation
def test_smooth_bands_differ_and_are_narrower_on_average() -> None:
    areas = np.array(
        [
            [
                rb.roc_band(*sample(50, 50, seed), method=method, level=0.9, rng=1).area
                for method in (rb.bands.FixedWidth(), rb.bands.FixedWidth(smooth=True))
            ]
            for seed in range(12)
        ]
    )
    ratio = areas.mean(axis=0)[1] / areas.mean(axis=0)[0]
    assert 0.85 < ratio < 1.0


def test_clusters_that_repeat_rows_widen_the_band() -> None:
    labels, scores = sample(60, 60)
    copies = (np.tile(side, 4) for side in (labels, scores))
    own = np.tile(np.arange(120), 4)
    labels4, scores4 = copies
    wide = rb.roc_band(rb.Sample(labels4, scores4, clusters=own), method="fixed-width", rng=1)
    narrow = rb.roc_band(labels4, scores4, method="fixed-width", rng=1)
    once = rb.roc_band(labels, scores, method="fixed-width", rng=1)
    assert wide.area == pytest.approx(once.area, rel=0.08)
    assert narrow.area < 0.7 * wide.area
    assert "clusters" in wide.notes[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"future_rule": "both"}, "`future_rule` must be one of root, pairs; got 'both'"),
        ({"future_rule": "two"}, "`future_rule` must be one of root, pairs"),
        ({"n_resamples": 5}, "`n_resamples` must be a whole number of at least 20; got 5"),
        ({"n_resamples": 100.0}, "`n_resamples` must be a whole number"),
        ({"smooth": True, "future_rule": "pairs"}, "Choose one of them"),
        ({"stratified": "no"}, "`stratified` must be True or False; got 'no'"),
    ],
)
def test_wrong_parameters(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.bands.FixedWidth(**options)


def test_any_kind_of_number_and_generator_will_do() -> None:
    rows = sample(20, 20)
    old = np.random.RandomState(1)
    bands = [
        rb.roc_band(*rows, method=rb.bands.FixedWidth(n_resamples=np.int64(50)), rng=rng)
        for rng in (old, 1)
    ]
    assert all(band.area > 0 for band in bands)


def test_what_cannot_be_done_is_refused() -> None:
    rows = sample(20, 20)
    with pytest.raises(rb.InputError, match="Take at least 10000 resamples"):
        rb.roc_band(*rows, method="fixed-width", level=0.9999)
    with pytest.raises(rb.InputError, match="smooth=True is for independent rows"):
        rb.roc_band(
            rb.Sample(*rows, clusters=np.arange(40) // 2), method=rb.bands.FixedWidth(smooth=True)
        )
    with pytest.raises(rb.InputError, match="future_rule='pairs' is for independent rows"):
        rb.roc_band(
            rb.Sample(*rows, clusters=np.arange(40) // 2),
            method=rb.bands.FixedWidth(future_rule="pairs"),
        )
    with pytest.raises(rb.InputError, match="`rng` must be a whole number from 0 on, None"):
        rb.roc_band(*rows, method="fixed-width", rng=-1)
    with pytest.raises(rb.InputError, match="the sample has folds"):
        rb.roc_band(rb.Sample(*rows, folds=np.arange(40) % 2), method="fixed-width")
    with pytest.raises(rb.InputError, match="the sample has clusters"):
        rb.roc_band(rb.Sample(*rows, clusters=np.arange(40) // 2), method="joint-region")

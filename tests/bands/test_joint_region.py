"""Joint regions: Kolmogorov's table, the rectangle's axes, the level, boxes that shrink."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import ndtr, rel_entr
from scipy.stats import kstwo

import rocbands as rb
from rocbands.bands.joint_region import berk_jones_quantile, kolmogorov_quantile
from rocbands.core.curve import Curve
from tests.oracles import berk_jones as oracle
from tests.printed_methods import PrintedJointRegion
from tests.strategies import labelled_scores

BERK_JONES = rb.bands.JointRegion(boxes="berk-jones")

# Rows: sample size; columns: error levels .20 .15 .10 .05 .01 (methods/bands.md section 8).
ERRORS = [0.20, 0.15, 0.10, 0.05, 0.01]
TABLE = {
    1: [0.9000, 0.9250, 0.9500, 0.9750, 0.9950],
    2: [0.6838, 0.7261, 0.7764, 0.8419, 0.9293],
    3: [0.5648, 0.5958, 0.6360, 0.7076, 0.8290],
    4: [0.4927, 0.5248, 0.5652, 0.6239, 0.7342],
    5: [0.4470, 0.4744, 0.5094, 0.5633, 0.6685],
    8: [0.3583, 0.3806, 0.4096, 0.4543, 0.5418],
    10: [0.3226, 0.3425, 0.3687, 0.4092, 0.4889],
    12: [0.2957, 0.3141, 0.3381, 0.3754, 0.4490],
    15: [0.2658, 0.2823, 0.3040, 0.3376, 0.4042],
    20: [0.2315, 0.2459, 0.2647, 0.2941, 0.3524],
    25: [0.2079, 0.2207, 0.2377, 0.2640, 0.3166],
    30: [0.1903, 0.2021, 0.2176, 0.2417, 0.2899],
    35: [0.1766, 0.1875, 0.2018, 0.2242, 0.2690],
    50: [0.1484, 0.1575, 0.1696, 0.1884, 0.2260],
    100: [0.1056, 0.1121, 0.1207, 0.1340, 0.1608],
}


@pytest.mark.parametrize("size", TABLE)
def test_kolmogorovs_table(size: int) -> None:
    found = [kolmogorov_quantile(1 - error, size) for error in ERRORS]
    np.testing.assert_allclose(found, TABLE[size], atol=5.1e-5)


def test_large_samples_agree_with_scipy() -> None:
    levels = np.array([0.5, 0.8, 0.95, 0.995, 0.9999])
    for size in (141, 357, 10_000, 3_000_000):
        found = [kolmogorov_quantile(level, size) for level in levels]
        np.testing.assert_allclose(found, kstwo.ppf(levels, size), rtol=1e-10)


def test_kolmogorov_values_by_simulation() -> None:
    """Another path: sup distance of uniform samples, no table and no formula."""
    rng = np.random.default_rng(20050807)
    size, draws = 17, 40_000
    u = np.sort(rng.random((draws, size)), axis=1)
    steps = np.arange(1, size + 1) / size
    sup = np.maximum(steps - u, u - steps + 1 / size).max(axis=1)
    for level in (0.5, 0.8, 0.95):
        held = np.mean(sup <= kolmogorov_quantile(level, size))
        assert abs(held - level) < 4 * np.sqrt(level * (1 - level) / draws)


def test_the_vertical_half_width_comes_from_the_positives() -> None:
    roc = rb.RocCurve.from_counts([2.0, 1.0], fp=[500, 1000], tp=[10, 20])
    region = PrintedJointRegion()(roc, level=0.95).region
    assert region.dy == pytest.approx(kolmogorov_quantile(0.95, 20))
    assert region.dx == pytest.approx(kolmogorov_quantile(0.95, 1000))


def test_joint_splits_the_level_between_the_axes() -> None:
    roc = rb.roc_curve([1, 0] * 20, np.arange(40))
    split, papers = rb.bands.JointRegion()(roc, level=0.9), PrintedJointRegion()(roc, level=0.9)
    assert split.region.dx == pytest.approx(kolmogorov_quantile(0.9**0.5, 20))
    assert split.area > papers.area
    assert split.notes == ("Kolmogorov boxes, each axis at 0.948683.",)
    assert papers.notes == ("Kolmogorov boxes, each axis at 0.9: 0.81 is guaranteed.",)


def test_unknown_boxes_are_refused_in_words() -> None:
    with pytest.raises(rb.InputError, match="must be one of kolmogorov, berk-jones; got 'round'"):
        rb.bands.JointRegion(boxes="round")  # type: ignore[arg-type]


@settings(max_examples=30)
@given(rows=labelled_scores(max_size=8))
def test_berk_jones_boxes_sweep_the_band(rows: tuple[np.ndarray, np.ndarray]) -> None:
    """The union of all boxes, joined by straight lines where the classes are tied."""
    labels, scores = rows
    band = rb.roc_band(labels, scores, method=BERK_JONES, level=0.6)
    bounds = [berk_jones_quantile(0.6**0.5, int((labels == c).sum())) for c in (0, 1)]
    boxes = oracle.boxes(labels, scores, (bounds[0], bounds[1]))
    for x in np.random.default_rng(1).random(25):
        low, high = oracle.band_limits(boxes, x)
        assert band.lower_at(x) == pytest.approx(low, abs=1e-9)
        assert band.upper_at(x) == pytest.approx(high, abs=1e-9)


def test_berk_jones_boxes_of_two_rows() -> None:
    band = rb.roc_band([1, 0], [2, 1], method=BERK_JONES, level=0.81)
    rest = 0.05  # one value: the bound is ln(2 / 0.1), a factor 1.0001 wider in the table
    np.testing.assert_allclose(band.upper_at([0.0, 0.5, 1.0]), 1.0)
    np.testing.assert_allclose(band.lower_at([0.0, 0.94, 0.96]), [0.0, 0.0, rest], atol=1e-4)
    assert band.notes == ("Berk-Jones boxes, each axis at 0.9.",)


@pytest.mark.parametrize("sizes", [(5, 9), (30, 12), (200, 150)])
def test_a_true_curve_whose_points_keep_to_their_boxes_is_inside(sizes: tuple[int, int]) -> None:
    rng, kept, level = np.random.default_rng(11), 0, 0.3
    bounds = [berk_jones_quantile(level**0.5, size) for size in sizes]
    grid = np.concatenate([[np.inf], np.linspace(9, -9, 3001), [-np.inf]])
    truth = Curve(ndtr(-grid), ndtr(1 - grid))
    for _ in range(200):
        pos, neg = rng.normal(1, 1, sizes[0]), rng.normal(0, 1, sizes[1])
        keeps = all(
            oracle.largest(ndtr(shift - values)) <= bound
            for values, shift, bound in ((pos, 1, bounds[0]), (neg, 0, bounds[1]))
        )
        band = rb.roc_band(
            np.repeat([1, 0], sizes), np.concatenate([pos, neg]), method=BERK_JONES, level=level
        )
        kept += keeps
        assert band.contains(truth) >= keeps
    assert 0.2 < kept / 200 < 0.4


@pytest.mark.parametrize("levels", [2, 3, 12])
def test_a_true_curve_of_tied_scores_whose_points_keep_to_their_boxes_is_inside(
    levels: int,
) -> None:
    rng, kept, size = np.random.default_rng(levels), 0, 20
    bound = berk_jones_quantile(0.3**0.5, size)
    for _ in range(200):
        chances = rng.dirichlet(np.full(levels, 0.7), size=2)
        counts = np.stack([rng.multinomial(size, chance) for chance in chances])
        true = np.minimum(np.cumsum(chances, axis=1), 1.0)[:, :-1]
        seen = np.cumsum(counts, axis=1)[:, :-1] / size
        keeps = (size * (rel_entr(seen, true) + rel_entr(1 - seen, 1 - true)) <= bound).all()
        fp, tp = np.cumsum(counts, axis=1)
        band = BERK_JONES(rb.RocCurve.from_counts(np.arange(levels, 0, -1), fp, tp), level=0.3)
        kept += keeps
        assert band.contains((true[0], true[1])) >= keeps
    assert 20 < kept < 200


def test_berk_jones_boxes_are_the_smaller_ones_beside_the_sides_of_the_square() -> None:
    labels, scores = np.repeat([1, 0], 100), np.arange(200, 0, -1)
    areas = {
        boxes: rb.roc_band(labels, scores, method=rb.bands.JointRegion(boxes=boxes)).area  # type: ignore[arg-type]
        for boxes in ("kolmogorov", "berk-jones")
    }
    assert areas["berk-jones"] < 0.5 * areas["kolmogorov"]

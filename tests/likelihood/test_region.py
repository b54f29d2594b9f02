"""The region as a whole: lines through it, mirror images, shared curves, bins."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.likelihood.region import LikelihoodRegion, likelihood_region, likelihood_regions
from tests.oracles import likelihood as slow

FPR = np.array([0.0, 0.03, 0.2, 0.5, 0.77, 1.0])


@pytest.mark.parametrize("levels", [None, 5])
@pytest.mark.parametrize("future", [None, (9, 14)])
def test_limits_on_lines(levels: int | None, future: slow.Future) -> None:
    m, n, c = 11, 16, 2.0
    fp, tp = slow.random_curve(np.random.default_rng(3), m, n, levels)
    region, pts = LikelihoodRegion(fp, tp, c, future), slow.points(fp, tp, 40)
    rate = np.array([0.02, 0.2, 0.45, 0.7, 0.93, 0.99])
    for p in (0.1, 0.6):
        low, high = region.slanted_at(rate, p)
        expected = [slow.line_limits(pts, m, n, c, r, p, future) for r in rate]
        tolerance = 1e-8 if levels is None else 5e-3
        np.testing.assert_allclose(np.stack((low, high), axis=1), expected, atol=tolerance)


@pytest.mark.parametrize("levels", [None, 5])
def test_mirror_image(levels: int | None) -> None:
    fp, tp = slow.random_curve(np.random.default_rng(4), 12, 9, levels)
    region = LikelihoodRegion(fp, tp, 1.5, (20, 30))
    other = LikelihoodRegion(tp[-1] - tp[::-1], fp[-1] - fp[::-1], 1.5, (30, 20))
    np.testing.assert_array_equal(region.mirrored.upper_at(FPR), other.upper_at(FPR))
    # (u, v) on the upper edge is (1 - v, 1 - u) on the upper edge of the mirror image.
    v = region.upper_at(FPR)
    inside = (v < 1.0) & (v > 0.0)
    again = region.mirrored.upper_at(1.0 - v[inside] + 1e-7)
    assert (again >= 1.0 - FPR[inside] - 1e-9).all()


def test_regions_of_one_curve_share_its_pieces() -> None:
    roc = rb.roc_curve([1, 0, 1, 1, 0, 0, 1], [7, 6, 5, 4, 3, 2, 1])
    around = likelihood_regions(roc)
    one, two, later = around(1.0, None), around(2.0, None), around(1.0, (5, 5))
    assert one.curves is two.curves
    assert later.curves.future == (5, 5)
    for region in (one, two, later):
        alone = LikelihoodRegion(*roc.vertices, region.critical_value, region.future)
        np.testing.assert_array_equal(region.upper_at(FPR), alone.upper_at(FPR))
        np.testing.assert_array_equal(region.lower_at(FPR), alone.lower_at(FPR))
    wider = replace(one, critical_value=3.0)
    assert (wider.upper_at(FPR) >= two.upper_at(FPR)).all()


def test_bins_span_the_curves_they_allow() -> None:
    """(E20): every curve that the bins allow has its band inside."""
    fp, tp = np.array([2, 5, 9]), np.array([4, 7, 8])
    whole = likelihood_region(rb.RocCurve.from_counts([3, 2, 1], fp, tp, bins=True), 1.5)
    rng = np.random.default_rng(5)
    for _ in range(10):
        labels = [
            rng.permutation(np.repeat([1, 0], sizes))
            for sizes in zip(np.diff(tp, prepend=0), np.diff(fp, prepend=0), strict=True)
        ]
        y = np.concatenate(labels)
        one = likelihood_region(rb.roc_curve(y, np.arange(y.size)[::-1]), 1.5)
        assert (whole.upper_at(FPR) >= one.upper_at(FPR) - 1e-12).all()
        assert (whole.lower_at(FPR) <= one.lower_at(FPR) + 1e-12).all()


@pytest.mark.parametrize("n", [3, 40])
def test_edges_are_drawn_close_to_where_they_jump(n: int) -> None:
    fp, tp = slow.random_curve(np.random.default_rng(6), n, n)
    region = LikelihoodRegion(fp, tp, 0.3)
    lower, upper = region.edges()
    np.testing.assert_allclose(upper.y, region.upper_at(upper.x), atol=1e-12)
    np.testing.assert_allclose(lower.y, region.lower_at(lower.x), atol=1e-12)
    for edge in (lower, upper):
        assert (np.diff(edge.y) >= 0).all()
        assert (np.diff(edge.y) * np.diff(edge.x)).max() < 4.1e-4


def test_contains_and_edges_agree_where_a_curve_runs_along_an_edge() -> None:
    """Chance may leave the band over 4e-5 of the rates only, which a grid of 2,001 misses."""
    line = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    u = np.linspace(0.0, 1.0, 20_001)
    for chosen in combinations(range(7), 3):
        up = np.isin(np.arange(7), chosen)
        fp, tp = (np.concatenate(([0], np.cumsum(side))) for side in (~up, up))
        largest = LikelihoodRegion(fp, tp, 0.0).statistic(line)
        for excess, inside in ((1e-7, True), (-1e-4, False)):
            region = LikelihoodRegion(fp, tp, largest + excess)
            assert region.contains(line) == inside
            # Distances are largest at or beside a jump of the edges: look closely at these.
            lower, upper = region.both_at(u)
            jumps = u[:-1][np.maximum(np.diff(lower), np.diff(upper)) > 1e-3]
            close = np.unique(np.r_[u, (jumps[:, None] + np.linspace(0, 5e-5, 101)).ravel()])
            lower, upper = region.both_at(close)
            assert np.all((lower <= close + 1e-9) & (upper >= close - 1e-9)) == inside


def test_swapped_classes_have_the_same_band_but_for_how_it_is_drawn() -> None:
    """Edges are exact wherever they are asked for; areas are those of polylines through 200."""
    rng = np.random.default_rng(3)
    for m, n in ((30, 60), (12, 200)):
        up = rng.permutation(np.repeat([True, False], [m, n]))
        fp, tp = (np.concatenate(([0], np.cumsum(side))) for side in (~up, up))
        region = LikelihoodRegion(fp, tp, 3.0)
        turned = region.mirrored
        fpr = np.linspace(0.01, 0.99, 50)
        height = region.upper_at(fpr)
        rising = (height > 1e-6) & (height < 1 - 1e-6)
        # (u, v) becomes (1 - v, 1 - u): a little inside the edge is inside, beyond it is not.
        for step, inside in ((-1e-7, True), (1e-7, False)):
            v = height[rising] + step
            assert np.all((turned.upper_at(1 - v) >= 1 - fpr[rising]) == inside)
        areas = [upper.area - lower.area for lower, upper in (region.edges(), turned.edges())]
        assert areas[0] == pytest.approx(areas[1], rel=2e-3)

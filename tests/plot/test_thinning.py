"""Thinned lines stay close to the true ones, on plain and on logarithmic axes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.core.curve import Curve, displacement
from rocbands.plot.shapes import align_edges, follow_curve, follow_line, log_position, thin_line
from rocbands.reporting.curves import EDGE, LINE
from tests.strategies import labelled_scores


def apart(one: Curve, other: Curve) -> float:
    """Largest distance along an axis: for rising lines that along x + y = c, divided by its length."""
    return displacement(one, other, 1.0).largest / np.sqrt(2.0)


def on_log_axis(curve: Curve) -> Curve:
    """The true line, followed so closely that straight lines will do on a logarithmic axis as well."""
    fine = np.unique(np.concatenate([np.geomspace(1e-5, 1.0, 4001), curve.x]))
    foot, top = curve.low(fine), curve.high(fine)
    return Curve(log_position(np.repeat(fine, 2)), np.stack((foot, top)).T.ravel())


def check(curve: Curve, tolerance: float) -> None:
    points = thin_line(curve.x, curve.y, tolerance)
    assert apart(curve, Curve(points.x, points.y)) < tolerance
    # Points below the axis' first rate all stand at its left end.
    drawn = Curve(log_position(points.x), points.y)
    assert apart(on_log_axis(curve), drawn) < 2.0 * tolerance


@settings(deadline=None)
@given(labelled_scores(max_size=60), st.sampled_from([LINE, EDGE, 0.05]))
def test_a_thinned_curve_stays_close(rows: tuple[np.ndarray, np.ndarray], tolerance: float) -> None:
    check(rb.roc_curve(*rows).curve, tolerance)


@pytest.mark.parametrize("size", [3_000, 60_000, 300_000])
@pytest.mark.parametrize("shift", [0.0, 1.0, 4.0])
def test_a_large_curve_needs_few_vertices(size: int, shift: float) -> None:
    rng = np.random.default_rng(size)
    y = rng.random(size) < 0.3
    curve = rb.roc_curve(y, rng.normal(size=size) + shift * y).curve
    check(curve, LINE)
    assert thin_line(curve.x, curve.y, LINE).x.size < 700


def test_a_tied_piece_is_bent_on_a_logarithmic_axis() -> None:
    one_score = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    points = thin_line(one_score.x, one_score.y, LINE)
    assert points.x.size > 10
    assert set(points.owner[1:].tolist()) == {1}


def test_vertices_are_those_of_the_line() -> None:
    roc = rb.roc_curve([1, 0, 1, 1, 0, 0, 1], [7, 6, 5, 4, 3, 2, 1])
    points = thin_line(roc.fpr, roc.tpr, LINE)
    assert (points.x == roc.fpr[points.owner]).all()
    assert (points.y == roc.tpr[points.owner]).all()


@settings(deadline=None)
@given(labelled_scores(max_size=40), st.sampled_from(["likelihood", "fixed-width", "joint-region"]))
def test_both_edges_at_shared_abscissae(rows: tuple[np.ndarray, np.ndarray], method: str) -> None:
    band = rb.roc_band(*rows, method=method, rng=1)
    x, lower, upper = align_edges(band.lower, band.upper, EDGE)
    for true, drawn in ((band.lower, lower), (band.upper, upper)):
        assert apart(closed(true), closed(Curve(x, drawn))) < EDGE + 1e-9
    assert (lower <= upper + 1e-9).all()


def closed(edge: Curve) -> Curve:
    """An edge with the corners of the square, so that lines x + y = c meet it once."""
    x, y = edge.x, np.maximum.accumulate(edge.y)
    return Curve(np.concatenate([[0.0], x, [1.0]]), np.concatenate([[0.0], y, [1.0]]))


def test_following_a_long_line_moves_nothing_far() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(100_000) < 0.5
    curve = rb.roc_curve(y, rng.normal(size=y.size) + y).curve
    points = follow_line(curve.x, curve.y)
    assert points.x.size < 0.7 * curve.x.size
    assert apart(curve, Curve(points.x, points.y)) <= 1.01e-4


@pytest.mark.parametrize("decimals", [1, 3, 9])
def test_a_curve_is_followed_as_a_line_is(decimals: int) -> None:
    rng = np.random.default_rng(4)
    y = rng.random(60_000) < 0.02
    curve = rb.roc_curve(y, np.round(rng.normal(size=y.size) + y, decimals)).curve
    for one, other in zip(follow_curve(curve), follow_line(curve.x, curve.y), strict=True):
        assert np.array_equal(one, other)

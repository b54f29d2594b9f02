"""Displacement along a slope, displaced regions and containment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.core.curve import Curve, displacement
from rocbands.core.region import DisplacedRegion, as_curve
from tests.core.test_roc import TWELVE_LABELS, TWELVE_SCORES
from tests.strategies import labelled_scores

TWELVE = rb.roc_curve(TWELVE_LABELS, TWELVE_SCORES).curve
EIGHT = rb.roc_curve([1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]).curve
SLOPES = st.floats(0.05, 20.0)


def x_on_line(curve: Curve, c: float, slope: float) -> float:
    """Walk the segments until the line y + slope x = c is met."""
    for x0, y0, x1, y1 in zip(curve.x, curve.y, curve.x[1:], curve.y[1:], strict=False):
        c0, c1 = y0 + slope * x0, y1 + slope * x1
        if c0 <= c <= c1 and c1 > c0:
            return float(x0 + (c - c0) / (c1 - c0) * (x1 - x0))
    return float(curve.x[-1] if c > 0 else curve.x[0])


@pytest.mark.parametrize(
    ("slope", "northwest", "southeast"),
    [(1.0, 0.117851, 0.117851), (0.5, 0.124226, 0.186339), (2.0, 0.186339, 0.186339)],
)
def test_worked_displacements(slope: float, northwest: float, southeast: float) -> None:
    found = displacement(TWELVE, EIGHT, slope)
    assert found.northwest == pytest.approx(northwest, abs=5e-7)
    assert found.southeast == pytest.approx(southeast, abs=5e-7)


def test_worked_edges_of_a_shifted_curve() -> None:
    region = DisplacedRegion(TWELVE, 0.1, 1.0)
    x = np.array([0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1])
    lower = [0, 0, 0, 0.2167, 0.6333, 0.7333, 0.9, 0.9]
    upper = [0.3667, 0.4167, 0.6, 0.7833, 0.9333, 1, 1, 1]
    np.testing.assert_allclose(region.lower_at(x), lower, atol=5e-5)
    np.testing.assert_allclose(region.upper_at(x), upper, atol=5e-5)


@given(labelled_scores(), labelled_scores(), SLOPES)
def test_displacement_is_a_metric_found_by_a_dense_walk(
    one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray], slope: float
) -> None:
    a, b = rb.roc_curve(*one).curve, rb.roc_curve(*other).curve
    there, back = displacement(a, b, slope), displacement(b, a, slope)
    assert there.northwest == pytest.approx(back.southeast, abs=1e-12)
    assert displacement(a, a, slope).largest <= 1e-12
    levels = np.concatenate([a.level(slope), b.level(slope)])
    gaps = [x_on_line(a, c, slope) - x_on_line(b, c, slope) for c in levels]
    assert there.northwest == pytest.approx(np.hypot(1, slope) * max(0, *gaps), abs=1e-9)


@given(labelled_scores(), st.floats(0.001, 0.6), SLOPES)
def test_drawn_edges_are_the_edges(
    rows: tuple[np.ndarray, np.ndarray], dx: float, slope: float
) -> None:
    region = DisplacedRegion(rb.roc_curve(*rows).curve, dx, slope)
    lower, upper = region.edges()
    # Keep away from the jumps, where the two values of a vertical piece are both right.
    jumps = np.concatenate([lower.x, upper.x])
    at = np.linspace(0, 1, 173)
    at = at[np.abs(at[:, None] - jumps).min(axis=1) > 1e-9]
    np.testing.assert_allclose(upper.high(at), region.upper_at(at), atol=1e-9)
    np.testing.assert_allclose(lower.low(at), region.lower_at(at), atol=1e-9)


@given(labelled_scores(), st.floats(0.01, 0.5), SLOPES)
def test_a_region_contains_its_centre_and_what_is_pushed_just_inside(
    rows: tuple[np.ndarray, np.ndarray], dx: float, slope: float
) -> None:
    centre = rb.roc_curve(*rows).curve
    region = DisplacedRegion(centre, dx, slope)
    assert region.contains(centre)
    smaller, larger = (
        DisplacedRegion(centre, dx * 0.99, slope),
        DisplacedRegion(centre, dx * 1.01, slope),
    )
    upper = region.edges()[1]
    pushed = as_curve((upper.x, upper.y))
    assert larger.contains(pushed)
    if displacement(centre, pushed, slope).largest > 0.995 * dx * np.hypot(1, slope):
        assert not smaller.contains(pushed)


def test_a_curve_that_touches_the_edge_is_inside() -> None:
    centre = rb.roc_curve([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]).curve
    other = rb.roc_curve([0, 1, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]).curve
    gap = displacement(centre, other, 1.0).largest
    dx = gap / np.hypot(1, 1)
    assert DisplacedRegion(centre, dx, 1.0).contains(other)
    assert not DisplacedRegion(centre, dx - 1e-6, 1.0).contains(other)


def test_a_function_is_followed_into_the_corners() -> None:
    steep = as_curve(lambda fpr: fpr**0.001)
    at = np.array([1e-9, 1e-6, 0.3, 1.0])
    np.testing.assert_allclose(steep.high(at), at**0.001, atol=2e-5)


@pytest.mark.parametrize(
    ("curve", "sentence"),
    [
        (lambda fpr: 1 - fpr, "`tpr` must not decrease along the curve"),
        (lambda fpr: 2 * fpr, "`tpr` must lie between 0 and 1; got 1.0"),
        (lambda fpr: 0.5, "must return one tpr for each fpr"),
        (lambda fpr: np.where(fpr > 0.5, np.nan, fpr), "A curve must not be NaN"),
        (([0, 1], [0, 0.5, 1]), "must be equally long; they have 2 and 3"),
        (([0.5, 0.2], [0, 1]), "Sort the points from (0, 0) to (1, 1)"),
        (([0, 2], [0, 1]), "`fpr` must lie between 0 and 1; got 2"),
        (42, "`curve` must be a RocCurve"),
    ],
)
def test_what_is_not_a_curve_is_refused(curve: object, sentence: str) -> None:
    with pytest.raises(rb.InputError) as caught:
        as_curve(curve)  # type: ignore[arg-type]
    assert sentence in str(caught.value)

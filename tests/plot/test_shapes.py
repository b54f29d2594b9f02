"""Shapes are tested as numbers, without a picture."""

import dataclasses
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from rocbands.core.curve import Curve, displacement
from rocbands.core.data import roc_curve
from rocbands.core.roc import RocCurve
from rocbands.plot.shapes import Shape, band_shape, curve_shape

ROCS = [(6, None), (7, 0), (60, None), (60, 1), (569, None), (569, 1)]


def signed_area(shape):
    x, y = shape.x, shape.y
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2


def surrounds(shape, points, touch=1e-9):
    """Tell which points lie inside a closed polygon or within `touch` of its border."""
    a, b = shape.points[:-1], shape.points[1:]
    px, py = points[:, :1], points[:, 1:]
    crosses = (a[:, 1] > py) != (b[:, 1] > py)
    rise = np.where(b[:, 1] == a[:, 1], 1.0, b[:, 1] - a[:, 1])
    at = a[:, 0] + (py - a[:, 1]) / rise * (b[:, 0] - a[:, 0])
    inside = np.sum(crosses & (px < at), axis=1) % 2 == 1
    step = b - a
    length = np.maximum(np.sum(step**2, axis=1), 1e-300)
    share = ((px - a[:, 0]) * step[:, 0] + (py - a[:, 1]) * step[:, 1]) / length
    share = np.clip(share, 0.0, 1.0)
    gap = np.hypot(px - a[:, 0] - share * step[:, 0], py - a[:, 1] - share * step[:, 1])
    return inside | (gap.min(axis=1) <= touch)


def test_steps_stay_steps_and_straight_runs_lose_their_inner_vertices():
    shape = curve_shape(roc_curve([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1]).curve)
    third = 1 / 3
    assert np.allclose(
        shape.points, [[0, 0], [0, 2 * third], [2 * third, 2 * third], [2 * third, 1], [1, 1]]
    )


def test_a_tie_across_classes_is_slanted():
    shape = curve_shape(roc_curve([1, 0, 1, 0], [3, 2, 2, 1]).curve)
    assert shape.points.tolist() == [[0, 0], [0, 0.5], [0.5, 1], [1, 1]]


def test_a_repeated_vertex_does_not_cost_its_corner():
    roc = RocCurve.from_counts([4, 3, 2, 1], fp=[0, 0, 1, 2], tp=[2, 2, 2, 2])
    assert curve_shape(roc.curve).points.tolist() == [[0, 0], [0, 1], [1, 1]]


@pytest.mark.parametrize(("n", "digits"), ROCS)
def test_a_small_curve_is_drawn_exactly(make_roc, n, digits):
    roc = make_roc(n, digits=digits)
    shape = curve_shape(roc.curve)
    assert np.trapezoid(shape.y, shape.x) == pytest.approx(roc.auc, abs=1e-12)
    assert displacement(roc.curve, Curve(shape.x, shape.y), 1.0).largest < 1e-12


@pytest.mark.parametrize("push", [(0.01, 1.0), (0.1, 1.5), (0.3, 0.5), (2.0, 1.0)])
@pytest.mark.parametrize(("n", "digits"), ROCS)
def test_a_band_is_one_closed_polygon_in_the_square(make_roc, make_band, n, digits, push):
    band = make_band(make_roc(n, digits=digits), *push)
    shape = band_shape(band)
    assert (shape.points[0] == shape.points[-1]).all()
    assert shape.points.min() >= 0
    assert shape.points.max() <= 1
    # Clockwise, because the upper edge goes forward.
    assert -signed_area(shape) == pytest.approx(band.area, abs=1e-9)
    assert surrounds(shape, curve_shape(band.roc.curve).points).all()


def test_the_polygon_does_not_surround_a_curve_outside_the_band(make_roc, make_band):
    shape = band_shape(make_band(make_roc(60), 0.02, 1.0))
    chance = np.column_stack([np.linspace(0, 1, 50)] * 2)
    assert not surrounds(shape, chance).all()


def test_both_sides_of_the_square_belong_to_the_polygon(make_roc, make_band):
    band = make_band(make_roc(60))
    points = band_shape(band).points.tolist()
    sides = list(pairwise(points))
    assert ([0.0, band.lower.y[0]], [0.0, band.upper.y[0]]) in sides
    end = float(band.region.lower_at(np.array([1.0]))[0])
    assert ([1.0, 1.0], [1.0, end]) in sides
    assert band.upper.y[0] > band.lower.y[0]
    assert end < 1.0


def test_no_corner_of_the_stairs_is_cut(make_roc, make_band):
    class Stairs:
        """Any region with edges will do."""

        ordered = True

        def edges(self):
            lower = Curve(
                np.array([0, 0.4, 0.4, 0.9, 0.9, 1]), np.array([0, 0, 0.3, 0.3, 0.6, 0.6])
            )
            upper = Curve(
                np.array([0, 0.1, 0.1, 0.3, 0.3, 1]), np.array([0.2, 0.2, 0.7, 0.7, 1, 1])
            )
            return lower, upper

        def lower_at(self, fpr):
            return self.edges()[0].low(fpr)

        def upper_at(self, fpr):
            return self.edges()[1].high(fpr)

    band = dataclasses.replace(make_band(make_roc(6)), region=Stairs())
    drawn = {tuple(point) for point in band_shape(band).points.tolist()}
    for edge in Stairs().edges():
        assert drawn.issuperset(zip(edge.x.tolist(), edge.y.tolist(), strict=True))


def test_shapes_cannot_be_changed(make_roc):
    shape = curve_shape(make_roc(6).curve)
    with pytest.raises(ValueError, match="read-only"):
        shape.x[0] = 0.5
    with pytest.raises(dataclasses.FrozenInstanceError):
        shape.x = shape.y


def test_rounding_never_leaves_the_square():
    shape = Shape(np.array([-1e-17, 1 + 2e-16]), np.array([0.0, 1 + 2e-16]))
    assert (shape.points == [[0, 0], [1, 1]]).all()


def tangled(size, seed, heavy):
    """A monotone curve; heavy tails crowd most vertices into a few places."""
    rng = np.random.default_rng(seed)
    steps = rng.pareto(heavy, (2, size)) * (rng.random((2, size)) < 0.5)
    x, y = (np.concatenate([[0.0], part / part[-1]]) for part in np.cumsum(steps, axis=1))
    return Curve(x, y)


@pytest.mark.parametrize("heavy", [0.3, 0.7, 1.5, 20.0])
@pytest.mark.parametrize("seed", range(5))
def test_thinning_moves_the_line_by_no_more_than_a_4000th(heavy, seed):
    curve = tangled(100_000, seed, heavy)
    shape = curve_shape(curve)
    x, y = shape.x, shape.y
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert x.size < 2000
    assert displacement(curve, Curve(x, y), 1.0).largest <= 1 / 4000


def test_the_measure_of_thinning_notices_a_coarser_one():
    curve = tangled(100_000, 0, 20.0)
    rows = np.append(np.arange(0, curve.x.size, 1000), curve.x.size - 1)
    assert displacement(curve, Curve(curve.x[rows], curve.y[rows]), 1.0).largest > 1 / 4000


def test_two_million_vertices_become_a_few_thousand(make_band):
    positive = np.random.default_rng(7).random(2_000_000) < np.linspace(0.9, 0.1, 2_000_000)
    tp = np.cumsum(positive)
    roc = RocCurve(np.arange(tp.size, 0, -1), np.arange(1, tp.size + 1) - tp, tp)
    shape = curve_shape(roc.curve)
    assert 20 < shape.x.size < 1000
    assert displacement(roc.curve, Curve(shape.x, shape.y), 1.0).largest <= 1 / 4000
    band = make_band(roc, 0.001)
    polygon = band_shape(band)
    assert polygon.x.size < 3000
    assert -signed_area(polygon) == pytest.approx(band.area, abs=1e-5)


def test_a_million_separated_rows_are_three_points():
    tp = np.minimum(np.arange(1, 1_000_001), 500_000)
    roc = RocCurve(np.arange(tp.size, 0, -1), np.arange(1, tp.size + 1) - tp, tp)
    assert curve_shape(roc.curve).points.tolist() == [[0, 0], [0, 1], [1, 1]]


@pytest.mark.parametrize("module", ["rocbands.plot", "rocbands.plot.shapes"])
def test_numbers_do_not_need_matplotlib(module):
    code = f"import sys, {module}; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

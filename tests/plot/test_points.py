"""Pictures of operating points."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import rocbands as rb
from rocbands.plot import draw
from rocbands.plot.canvas import CurveLine

Y, S = [1, 1, 0, 1, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def test_whiskers_stand_at_the_limits(ax):
    points = rb.operating_points(Y, S, fpr=[0.25, 0.5])
    draw(points, ax, label="model")
    curve, markers = (line for line in ax.lines if isinstance(line, CurveLine))
    assert np.array_equal(markers.get_xydata(), np.column_stack([points.fpr, points.tpr]))
    across, up = (c for c in ax.collections if isinstance(c, LineCollection))
    assert not across.get_segments()
    ends = [segment[:, 1].tolist() for segment in up.get_segments()]
    assert ends == np.column_stack([points.tpr_lower, points.tpr_upper]).tolist()
    assert curve.get_color() == markers.get_color()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["model (AUC 0.81)", "Chosen false positive rates, 95% limits"]


def test_joint_limits_are_rectangles(ax):
    points = rb.operating_points(Y, S, threshold=[3, 5], joint=True, level=0.9)
    draw(points, ax, color="red", point_kwargs={"marker": "s"})
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [box.get_xy() for box in boxes] == list(
        zip(points.fpr_lower, points.tpr_lower, strict=True)
    )
    assert [box.get_x() + box.get_width() for box in boxes] == pytest.approx(points.fpr_upper)
    assert not ax.collections
    assert ax.lines[-1].get_marker() == "s"
    assert "90% rectangle" in ax.get_legend().get_texts()[-1].get_text()


def test_points_share_the_curve_that_stands(ax):
    roc = rb.roc_curve(Y, S)
    draw(roc, ax)
    draw(rb.operating_points(Y, S, best="youden"), ax)
    assert sum(isinstance(line, CurveLine) for line in ax.lines) == 2  # a curve and its points

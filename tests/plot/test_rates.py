"""Pictures of recall at a rate."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.plot import draw
from rocbands.plot.canvas import BandPatch, CurveLine
from rocbands.plot.rates import FeasiblePatch, draw_models_at_rates
from rocbands.rates.result import RateBounds


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def bounds(rate: object = None, prevalence: float = 0.25, **facts: object) -> RateBounds:
    """Bounds of a curve that is half way between guessing and the best there is."""
    r = np.linspace(0, 1, 41) if rate is None else np.asarray(rate, dtype=float)
    low, high = np.maximum(0, (r - 1 + prevalence) / prevalence), np.minimum(1, r / prevalence)
    tpr = (r + high) / 2
    made = {"rate": r, "tpr": tpr, "tpr_lower": (tpr + low) / 2, "tpr_upper": (tpr + high) / 2}
    made |= {"n_folds": 1, "n_pos": 10, "n_neg": 30, "level": 0.9, "method": "parametric"}
    return RateBounds(prevalence=prevalence, target="true curve", **(made | facts))


def of_kind(ax, kind: type) -> list:
    return [item for item in (*ax.lines, *ax.patches) if isinstance(item, kind)]


def test_recall_lies_inside_its_parallelogram(ax):
    many = bounds()
    draw(many, ax, label="model")
    (curve,), (band,), (possible,) = (
        of_kind(ax, kind) for kind in (CurveLine, BandPatch, FeasiblePatch)
    )
    assert np.array_equal(curve.get_xydata(), np.column_stack([many.rate, many.tpr]))
    corners = np.unique(possible.get_xy(), axis=0).tolist()
    assert corners == [[0, 0], [0.25, 1], [0.75, 0], [1, 1]]
    edge = band.get_xy()[:82]
    assert np.array_equal(edge[:41, 1], many.tpr_lower)
    assert np.array_equal(edge[41:, 1], many.tpr_upper[::-1])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert set(texts) == {
        "Possible at 25% positives", "90% limits for each rate alone", "model"
    }  # fmt: skip
    assert "Rate" in ax.get_xlabel()


def test_intervals_lie_along_isometrics_in_roc_space(ax):
    few = bounds([0.1, 0.4])
    draw(few, ax, space="roc")
    thick = [line for line in ax.lines if line.get_linewidth() == 2.2]
    assert len(thick) == 2
    for line, rate in zip(thick, few.rate, strict=True):
        fpr, tpr = line.get_data()
        assert 0.25 * tpr + 0.75 * fpr == pytest.approx([rate, rate])
        assert tpr[0] < tpr[1]
        assert fpr[0] > fpr[1]
    assert [text.get_text() for text in ax.texts] == ["10%", "40%"]
    dotted = [line for line in ax.lines if line.get_linewidth() == 0.8]
    for line, rate in zip(dotted, few.rate, strict=True):
        fpr, tpr = line.get_data()
        assert 0.25 * tpr + 0.75 * fpr == pytest.approx([rate, rate])
        assert sorted({*fpr, *tpr} & {0.0, 1.0})  # from border to border
    assert not of_kind(ax, BandPatch)
    assert not of_kind(ax, FeasiblePatch)


def test_marked_rates_stand_out_of_the_band(ax):
    draw(bounds(), ax, mark=[0.1, 0.3])
    thick = [line.get_xdata()[0] for line in ax.lines if line.get_linewidth() == 2.2]
    assert thick == [0.1, 0.3]
    assert len(of_kind(ax, BandPatch)) == 1


@pytest.mark.parametrize("mark", [5, [0.1, 20], [0.9]])
def test_marks_that_cannot_be_drawn_are_refused(ax, mark):
    with pytest.raises(rb.InputError, match=r"must lie (between|within)"):
        draw(bounds(np.linspace(0, 0.5, 20)), ax, mark=mark)


@pytest.mark.parametrize("space", ["recall", "roc"])
def test_a_picture_may_have_no_marks(ax, space):
    draw(bounds(np.linspace(0.11, 0.19, 20)), ax, space=space)
    assert not [line for line in ax.lines if line.get_linewidth() == 2.2]


def test_models_share_a_parallelogram_and_differ_in_looks(ax):
    draw(bounds(), ax, label="old")
    draw(bounds(), ax, label="new")
    draw(bounds(prevalence=0.5), ax, label="elsewhere")
    assert len(of_kind(ax, FeasiblePatch)) == 2
    assert len({line.get_color() for line in of_kind(ax, CurveLine)}) == 3


def test_space_is_one_of_two(ax):
    with pytest.raises(rb.InputError, match="`space` must be one of recall, roc; got 'cost'"):
        draw(bounds(), ax, space="cost")


def difference(rate: object) -> rb.results.RateDifference:
    sample = rb.load_example()
    return rb.rate_difference(sample, rate=rate)


def test_few_differences_have_rows_and_many_a_band(ax):
    few = difference([0.05, 0.2])
    draw(few, ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Rate 5%", "Rate 20%"]
    assert "Difference of recall, logistic" in ax.get_xlabel()
    axes = draw(difference(np.linspace(0, 1, 30)))
    line = next(line for line in axes.lines if line.get_label() == "Difference")
    assert np.array_equal(line.get_ydata(), difference(np.linspace(0, 1, 30)).difference)
    assert axes.get_ylabel().startswith("Difference of recall\n(logistic")


def test_both_models_and_their_difference_in_one_picture():
    axes = draw_models_at_rates({"a": bounds(), "b": bounds()}, difference(0.1), mark=[0.1])
    assert len(axes.figure.axes) == 2
    assert len(draw_models_at_rates({"a": bounds()}).figure.axes) == 1

"""Pictures: what stands on the axes, and what a user's own axes keep."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.plot import draw
from rocbands.plot.canvas import BandPatch, CurveLine
from rocbands.plot.roc import _format_auc
from rocbands.plot.shapes import band_shape, curve_shape


def curves(ax):
    return [line for line in ax.lines if isinstance(line, CurveLine)]


def bands(ax):
    return [patch for patch in ax.patches if isinstance(patch, BandPatch)]


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def test_a_curve_is_drawn_with_its_own_vertices(make_roc, ax):
    roc = make_roc(60, digits=1)
    assert draw(roc, ax, label="logistic") is ax
    (line,) = curves(ax)
    assert np.array_equal(line.get_xydata(), curve_shape(roc.curve).points)
    assert line.get_drawstyle() == "default"  # the steps are in the data
    assert texts(ax) == [f"logistic (AUC {roc.auc:.2f})"]


def test_a_band_is_one_polygon_and_its_curve(make_roc, make_band, ax):
    band = make_band(make_roc(60))
    draw(band, ax)
    (patch,) = bands(ax)
    assert len(ax.patches) == 1
    assert not ax.collections
    assert np.array_equal(patch.get_xy(), band_shape(band).points)
    assert len(curves(ax)) == 1
    assert texts(ax) == [f"ROC curve (AUC {band.roc.auc:.2f})", "95% band for the whole curve"]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"coverage": "pointwise"}, "95% band for each point alone"),
        ({"level": 0.999}, "99.9% band for the whole curve"),
        ({"level": 0.57}, "57% band for the whole curve"),
        ({"name": "my-own"}, "95% band for the whole curve"),
        ({"future": (50, 200)}, "95% band for the whole curve of 50 + 200 new rows"),
    ],
)
def test_the_legend_says_what_the_band_is(make_roc, make_band, ax, facts, expected):
    draw(make_band(make_roc(60), **facts), ax)
    assert texts(ax)[1] == expected


@pytest.mark.parametrize(
    ("auc", "expected"),
    [(0.8437, "0.84"), (1.0, "1.00"), (0.0, "0.00"), (0.9962, "0.996"), (0.99999, "0.999990")],
)
def test_an_auc_is_not_rounded_to_perfection(auc, expected):
    assert _format_auc(auc) == expected


def test_a_new_figure_is_square_and_known_to_pyplot(make_roc, make_band):
    drawn = make_band(make_roc(60)).plot(label="logistic")
    figure = plt.figure(plt.get_fignums()[-1])
    assert figure.axes == [drawn]
    width, height = figure.get_size_inches()
    assert width == height
    assert figure.get_layout_engine() is not None
    figure.canvas.draw()  # would warn, and so fail, if anything did not fit


def test_empty_axes_are_furnished(make_roc, ax):
    draw(make_roc(60), ax)
    assert ax.get_aspect() == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("False positive rate", "True positive rate")
    for low, high in (ax.get_xlim(), ax.get_ylim()):
        assert -0.05 < low < 0
        assert 1 < high < 1.05
    chance = ax.lines[0]
    assert chance.get_xydata().tolist() == [[0, 0], [1, 1]]
    assert len(texts(ax)) == 1


def test_what_a_user_has_set_stays(make_roc, ax):
    ax.set_xlabel("1 - specificity")
    ax.set_xlim(0, 0.2)
    draw(make_roc(60), ax)
    assert ax.get_xlabel() == "1 - specificity"
    assert ax.get_xlim() == (0, 0.2)
    assert ax.get_ylabel() == "True positive rate"


def test_axes_in_use_only_gain_the_result(make_roc, make_band, ax):
    ax.plot([0, 0.3], [0, 0.3], label="mine")
    draw(make_band(make_roc(60)), ax)
    assert (ax.get_aspect(), ax.get_xlabel(), ax.get_ylabel()) == ("auto", "", "")
    assert len(ax.lines) == 2
    assert ax.get_xlim()[1] > 1
    assert texts(ax)[0] == "mine"


def test_each_draw_takes_the_next_colour_and_line_style(make_roc, make_band, ax):
    for seed in range(28):
        last = seed == 27  # each legend takes longer than the one before
        draw(make_band(make_roc(20, seed=seed)), ax, label=f"model {seed}", legend=last)
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in curves(ax)}
    assert len(looks) == 28
    assert len({line.get_color() for line in curves(ax)[:12]}) == 12  # told apart by colour alone
    # A line for each model, and one for the kind of band that two of them have.
    kind = "95% band for the whole curve (first two only)"
    assert texts(ax) == [*(line.get_label() for line in curves(ax)), kind]
    assert [patch.get_visible() for patch in bands(ax)] == [True] * 2 + [False] * 26
    for line, patch in zip(curves(ax), bands(ax), strict=True):
        assert to_rgba(line.get_color())[:3] == patch.get_facecolor()[:3]
        assert line._unscaled_dash_pattern == patch._unscaled_dash_pattern


def test_several_bands_share_their_curve(make_roc, make_band, ax):
    roc = make_roc(60)
    draw(make_band(roc, 0.2), ax, label="logistic")
    draw(make_band(make_roc(60), 0.1, level=0.5), ax, label="logistic")
    assert len(curves(ax)) == 1
    wide, narrow = bands(ax)
    assert wide.get_facecolor() != narrow.get_facecolor()
    draw(roc, ax, label="another name")
    assert [line.turn for line in curves(ax)] == [0, 2]


def test_wishes_overrule_the_look(make_roc, make_band, ax):
    wishes = {"band_kwargs": {"fc": "yellow", "hatch": "//"}, "curve_kwargs": {"lw": 5}}
    draw(make_band(make_roc(60)), ax, color="red", **wishes)
    (line,), (patch,) = curves(ax), bands(ax)
    assert (line.get_color(), line.get_linewidth()) == ("red", 5)
    assert patch.get_facecolor() == to_rgba("yellow")
    assert patch.get_edgecolor()[:3] == to_rgba("red")[:3]
    assert patch.get_hatch() == "//"


def test_one_colour_for_the_whole_polygon(make_roc, make_band, ax):
    draw(make_band(make_roc(60)), ax, band_kwargs={"color": "green", "alpha": 0.1})
    (patch,) = bands(ax)
    assert patch.get_facecolor() == patch.get_edgecolor() == to_rgba("green", 0.1)


def test_panels_may_share_their_axes(make_roc, make_band):
    figure = Figure(layout="constrained")
    for panel in figure.subplots(1, 2, sharex=True, sharey=True):
        draw(make_band(make_roc(60)), panel)
        assert panel.get_aspect() == 1
    FigureCanvasAgg(figure).draw()


def test_thinning_does_not_change_the_picture(make_roc, make_band):
    band = make_band(make_roc(200_000), 0.05)
    every_vertex = np.concatenate(
        [
            np.column_stack([band.upper.x, band.upper.y]),
            np.column_stack([band.lower.x, band.lower.y])[::-1],
        ]
    )
    # Fills, not lines: a stroke's width depends on how sharply each tiny step turns.
    plain = {"band_kwargs": {"color": "black", "lw": 0}, "curve_kwargs": {"visible": False}}
    pixels = []
    for vertices in (band_shape(band).points, every_vertex):
        figure = Figure(figsize=(5, 5), dpi=200)
        (patch,) = bands(draw(band, figure.subplots(), **plain))
        patch.set_xy(vertices)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pixels.append(np.asarray(canvas.buffer_rgba()).astype(float))
    # An axis has 770 pixels: a 4000th of it is a fifth of a pixel, a fifth of 255 levels of grey.
    assert np.abs(pixels[0] - pixels[1]).max() < 255 / 4
    assert len(every_vertex) > 10 * len(band_shape(band).points)


def test_only_results_can_be_drawn():
    with pytest.raises(rb.InputError, match=r"pictures of RocCurve, Band, .*not of tuple"):
        draw(([0, 1], [0, 1]))


def test_a_subclass_is_drawn_like_its_parent(make_roc, ax):
    class Special(rb.RocCurve):
        pass

    roc = make_roc(6)
    draw(Special(roc.thresholds, roc.fp, roc.tp), ax)
    assert len(curves(ax)) == 1


def test_axes_must_be_axes(make_roc):
    with pytest.raises(rb.InputError, match=r"got ndarray.*axes\[0\]"):
        draw(make_roc(6), Figure().subplots(1, 2))


def test_what_bins_hide_is_drawn_where_it_can_be_seen() -> None:
    counts = {"fp": [1, 2, 5], "tp": [3, 3, 4]}
    coarse = rb.RocCurve.from_counts([3, 2, 1], **counts, bins=True)
    band = rb.roc_band(coarse)
    for result in (coarse, band):
        ax = result.plot()
        lines = {line.get_label(): line for line in ax.lines}
        low, high = lines["Lowest and highest curve in these bins"], lines["_highest"]
        assert (0.2, 0.0) in set(map(tuple, low.get_xydata()))
        assert (0.0, 0.75) in set(map(tuple, high.get_xydata()))
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        assert not any("_highest" in text for text in legend)
    many = np.arange(1, 1001)
    fine = rb.RocCurve.from_counts(-many, fp=many, tp=many, bins=True)
    exact = rb.RocCurve.from_counts([3, 2, 1], **counts)
    for result in (fine, exact):
        assert not any("these bins" in str(line.get_label()) for line in result.plot().lines)

"""Every picture fits a journal's column: no text is cut, no legend covers a curve."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import rocbands as rb
from rocbands.plot import _DRAW_FUNCTIONS, layout
from rocbands.plot.canvas import BandPatch
from tests.plot.overlaps import find_faults
from tests.plot.pictures import PICTURES, TALL, band, sample, six_models

COLUMN = 3.5  # inches
DISPLAYS = {name for name in rb.__all__ if name.endswith("Display")}


def test_every_picture_is_in_the_list():
    known = {one.kind for one in PICTURES.values()}
    assert set(_DRAW_FUNCTIONS) | DISPLAYS <= known


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_fits_a_column(name):
    size = COLUMN, max(COLUMN, TALL.get(name, COLUMN))
    figure = plt.figure(figsize=size, layout="constrained", dpi=100)
    PICTURES[name].draw(figure.subplots())
    assert find_faults(figure) == []


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_fits_its_own_figure(name):
    figure = PICTURES[name].draw(None).figure
    figure.set_dpi(100)
    assert find_faults(figure) == []


@pytest.fixture
def ax():
    return plt.figure(figsize=(COLUMN, COLUMN), layout="constrained", dpi=100).subplots()


# Each of these spoils a good picture; the measurement must report it.
SPOILED = {
    "the legend covers a curve": (lambda ax: ax.legend(loc="upper left"), "covers"),
    "the legend is cut": (lambda ax: ax.legend(loc="upper left", bbox_to_anchor=(0.9, 1)), "cut"),
    "a label is cut": (lambda ax: ax.set_xlabel("A label longer than the axes " * 4), "cut"),
    "tick labels touch": (lambda ax: ax.set_xticks(np.linspace(0, 1, 21)), "overlaps"),
    "a text covers a curve": (lambda ax: ax.text(0.05, 0.6, "in the way"), "covers"),
    "two texts overlap": (
        lambda ax: [ax.text(0.6, 0.5, "one"), ax.text(0.61, 0.5, "two")],
        "overlaps",
    ),
    "a sliver": (lambda ax: ax.set_ylabel("\n".join("abcdefghijklmn")), "sliver"),
}


@pytest.mark.parametrize("what", SPOILED)
def test_what_is_wrong_is_reported(ax, what):
    spoil, said = SPOILED[what]
    band().plot(ax, label="logistic")
    spoil(ax)
    assert any(said in fault for fault in find_faults(ax.figure))


def test_a_legend_without_room_stands_below(ax):
    six_models().each(rb.roc_curve).plot(ax)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y1 < ax.xaxis.label.get_window_extent().y0


def test_a_legend_with_room_stands_inside(ax):
    band().plot(ax)
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert ax.bbox.x0 < box.x0
    assert box.y1 < ax.bbox.y1


def test_a_legend_may_be_left_out_or_placed(ax):
    assert band().plot(ax, legend=False).get_legend() is None
    assert band().plot(ax, legend="outside").get_legend() is not None
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y1 < ax.bbox.y0
    band().plot(ax, legend="center right")
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y0 > ax.bbox.y0 + 50
    assert band().plot(ax, legend=False).get_legend() is None
    for wrong in ("below", 3, None):
        with pytest.raises(rb.InputError, match=r"`legend` must be True, False, 'outside'"):
            band().plot(ax, legend=wrong)


def test_without_a_layout_engine_the_legend_stays_inside():
    axes = Figure(figsize=(COLUMN, COLUMN)).subplots()
    six_models().each(rb.roc_curve).plot(axes)
    axes.figure.canvas.draw()
    assert axes.get_legend().get_window_extent().y0 > axes.bbox.y0


def test_the_patch_of_two_bands_has_both_colours(ax):
    """A patch of one colour would look like the overlap of the bands."""
    sample().each(rb.roc_band).plot(ax)
    drawn = [patch for patch in ax.patches if isinstance(patch, BandPatch)]
    colours = {patch.get_facecolor() for patch in drawn}
    shown = [patch.get_facecolor() for patch in ax.get_legend().findobj(Rectangle)]
    assert len(colours) == 2
    assert set(shown) == colours  # and no third one
    assert len(shown) == 4  # beside each curve, and beside the text about bands


@pytest.mark.parametrize("number", [3, 4])
def test_of_many_models_two_have_bands(ax, number):
    models = six_models()
    for name in models.models[:number]:
        rb.roc_band(models[name]).plot(ax, label=name)
    drawn = [patch for patch in ax.patches if isinstance(patch, BandPatch)]
    assert len(drawn) == number
    assert sum(patch.get_visible() for patch in drawn) == (number if number <= 3 else 2)
    said = ax.get_legend().get_texts()[-1].get_text()
    assert ("first two only" in said) == (number > 3)


def test_bands_of_several_methods_are_named(ax):
    for method in ("likelihood", "fixed-width"):
        rb.roc_band(sample()["logistic"], method=method).plot(ax, label="one")
    texts = [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]
    kind = "95% band for the whole curve"
    assert texts[1:] == [f"{kind}, likelihood", f"{kind}, fixed-width"]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("as short as this", 40, ["as short as this"]),
        ("one two three four", 9, ["one two", "three", "four"]),
        ("a_name_of_a_column", 8, ["a_name_", "of_a_", "column"]),
        ("unbreakable", 4, ["unbreakable"]),
    ],
)
def test_texts_break_at_spaces_and_long_names_at_underscores(text, limit, expected):
    assert layout._break_at(text, limit) == expected


def test_a_broken_text_has_the_fewest_lines_of_similar_length(ax):
    text = ax.text(0, 0, "share of the total possible cost that comes from missed positives")
    whole = text.get_window_extent().width
    layout.fit_text(text, 0.55 * whole / 100)
    first, second = text.get_text().split("\n")
    assert text.get_window_extent().width <= 0.55 * whole
    assert abs(len(first) - len(second)) < 8

"""Pictures of reader studies: what is drawn where."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import rocbands as rb
from rocbands.plot.canvas import BandPatch, CurveLine
from rocbands.plot.forest import IntervalLine
from tests.plot.pictures import THREE, reader_study


def panels(ax):
    """The visible axes of a figure."""
    return [one for one in ax.figure.axes if one.axison]


def rows(ax):
    return [line for line in ax.lines if isinstance(line, IntervalLine)]


def ends(line):
    return tuple(float(x) for x in line.get_xdata())


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def texts(ax):
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def references(ax):
    """Places of vertical reference lines."""
    found = [line for line in ax.lines if not isinstance(line, IntervalLine)]
    each = [tuple(line.get_xdata()) for line in found]
    return [float(x[0]) for x in each if len(x) == 2 and x[0] == x[1]]


@pytest.fixture
def ax():
    return Figure(figsize=(7, 5), layout="constrained").subplots()


def test_a_row_for_each_reader_with_all_tests_and_the_difference():
    study = reader_study()
    left, right = panels(study.plot())
    assert len(rows(left)) == 2 * 5 + 2
    for i in range(2):
        drawn = rows(left)[6 * i : 6 * i + 6]
        limits = zip(study.area_lower[i], study.area_upper[i], strict=True)
        assert [ends(line) for line in drawn[:5]] == [tuple(map(float, one)) for one in limits]
        assert ends(drawn[5]) == (study.means[i].low, study.means[i].high)
        # Tests of a reader are close to each other, and the average is below the rule.
        assert all(abs(line.get_ydata()[0] + j) < 0.4 for j, line in enumerate(drawn[:5]))
        assert drawn[5].get_ydata()[0] < -4.75
    assert [ends(line) for line in rows(right)] == [
        *((gap.low, gap.high) for gap in study.by_reader),
        (study.differences[0].low, study.differences[0].high),
    ]
    assert [round(line.get_ydata()[0]) for line in rows(right)[:5]] == [0, -1, -2, -3, -4]
    assert right.get_xlabel().replace("\n", " ") == "CT − MR, 95% limits"
    assert "readers and cases like these" in left.get_xlabel().replace("\n", " ")
    assert texts(left) == ["CT", "MR"]
    assert names(left)[:5] == list(study.readers)
    mean = study.means[0]
    assert names(left)[5] == f"Average, CT\n{mean.estimate:.3f} ({mean.low:.3f} to {mean.high:.3f})"


def test_tests_differ_in_colour_and_marker():
    left = panels(reader_study(8, THREE).plot())[0]
    marks = [line for line in left.lines if len(line.get_xdata()) == 1 and line.get_marker() != "|"]
    assert {(mark.get_color(), mark.get_marker()) for mark in marks} == {
        ("#0072B2", "o"),
        ("#D55E00", "s"),
        ("#009E73", "D"),
    }


def test_the_margin_is_a_line_and_limits_are_one_sided():
    study = reader_study(25, ("without AI", "with AI"), margin=0.05)
    right = panels(study.plot())[1]
    assert references(right) == [0.0, -0.05]
    assert "margin" in [text.get_text() for text in right.texts]
    assert "one-sided" in right.get_xlabel()
    low, high = right.get_xlim()
    assert low < -0.05
    assert high < 0.9  # a missing limit is no line to 1


def test_three_tests_show_all_pairs_of_averages_only():
    left, right = panels(reader_study(8, THREE).plot())
    assert len(rows(left)) == 3 * 8 + 3
    assert len(rows(right)) == 3
    said = [text.get_text().split("\n")[0] for text in right.texts]
    assert said == ["CT − MR", f"CT − {THREE[2]}", f"MR − {THREE[2]}"]


def test_one_test_has_no_differences():
    (only,) = panels(reader_study(6, ("CT",)).plot())
    assert len(rows(only)) == 7
    assert texts(only) == []


def test_readers_of_one_test_each_have_no_difference_of_their_own():
    left, right = panels(reader_study(8, nested=True).plot())
    assert len(rows(left)) == 8 + 2
    assert len(rows(right)) == 1


def test_the_algorithm_is_a_line_with_its_interval():
    study = reader_study(7, ("CT", "MR"), algorithm="AI")
    left, right = panels(study.plot())
    expected = [one.estimate for one in study.algorithm_areas]
    assert references(left) == expected
    spans = [patch for patch in left.patches if isinstance(patch, Rectangle)]
    drawn = {(round(p.get_x(), 9), round(p.get_x() + p.get_width(), 9)) for p in spans}
    assert {(round(one.low, 9), round(one.high, 9)) for one in study.algorithm_areas} <= drawn
    assert sum("AI, " in text for text in texts(left)) == 2
    assert len(rows(right)) == 2  # the algorithm minus readers, for each test
    assert "AI" not in names(left)


def test_axes_that_are_given_are_used_and_returned(ax):
    assert reader_study().plot(ax=ax) is ax
    assert len(panels(ax)) == 2
    other = Figure(figsize=(3, 3)).subplots()
    reader_study().plot(ax=other)
    assert not any("(" in text for text in names(panels(other)[0]))  # no room for numbers


def test_curves_have_a_panel_for_each_test():
    study = reader_study()
    places = panels(study.plot("curves"))
    assert [place.get_title() for place in places] == ["CT", "MR"]
    for place, mean in zip(places, study.means, strict=True):
        lines = [line for line in place.lines if isinstance(line, CurveLine)]
        assert len(lines) == 5 + 1
        average = lines[-1]
        x, y = (np.asarray(side, float) for side in average.get_data())
        assert np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) == pytest.approx(mean.estimate, abs=1e-3)
        assert f"(AUC {mean.estimate:.2f})" in average.get_label()
        assert len([patch for patch in place.patches if isinstance(patch, BandPatch)]) == 1
        assert "for these readers" in " ".join(texts(place)).replace("\n", " ")


def test_curves_on_given_axes_are_the_averages_of_all_tests(ax):
    study = reader_study(7, ("CT", "MR"), algorithm="AI")
    assert study.plot("curves", ax) is ax
    lines = [line for line in ax.lines if isinstance(line, CurveLine)]
    assert [line.get_label().split(" (")[0] for line in lines] == [
        "Average, CT",
        "AI, CT",
        "Average, MR",
        "AI, MR",
    ]


def test_the_algorithm_has_a_curve():
    place = reader_study(7, ("CT",), algorithm="AI").plot("curves")
    labels = [str(line.get_label()) for line in place.lines]
    assert sum(label.startswith("AI (AUC") for label in labels) == 1
    assert "Each of 6 readers" in labels


def test_an_algorithm_with_a_test_of_its_own_has_a_curve_on_each_panel():
    rng = np.random.default_rng(1)
    test, reader, case = (one.ravel() for one in np.indices((3, 4, 40)))
    own = (reader == 3) == (test == 2)  # reader 3 is the algorithm, and alone reads test 2
    y = case < 20
    columns = {"reader": reader[own], "case": case[own], "test": test[own]}
    study = rb.compare_readers(
        rb.Readings(y[own], (rng.normal(size=y.size) + y)[own], **columns), algorithm="3"
    )
    for panel in panels(study.plot("curves")):
        labels = [str(line.get_label()) for line in panel.lines]
        assert sum(label.startswith("3 (AUC") for label in labels) == 1


def test_other_pictures_are_refused(ax):
    with pytest.raises(rb.InputError, match="`kind` must be"):
        reader_study().plot("pie")
    with pytest.raises(rb.InputError, match="`ax` must be one matplotlib Axes"):
        reader_study().plot(ax="forest.png")
    with pytest.raises(TypeError, match="has no argument 'colour'"):
        reader_study().plot(colour="red")
    assert not ax.lines


def test_one_reader_is_no_average():
    study = reader_study(1, random="cases")
    for place in panels(study.plot("curves")):
        assert [text.split(" (")[0] for text in texts(place)] == [
            "Reader 1",
            "95% band for the whole curve",
        ]

"""Forest plots: one row for each interval."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.plot import draw
from rocbands.plot.forest import IntervalLine


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def rows(ax):
    return [line for line in ax.lines if isinstance(line, IntervalLine)]


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def intervals():
    sample = rb.load_example()
    return {name: rb.auc_interval(sample[name]) for name in sample.models}


def test_one_row_for_each_model_from_the_top_down(ax):
    found = intervals()
    assert draw(found, ax) is ax
    assert names(ax) == ["logistic", "neighbours"]
    for row, (place, interval) in zip(rows(ax), enumerate(found.values()), strict=True):
        assert list(row.get_xdata()) == [interval.low, interval.high]
        assert set(row.get_ydata()) == {-place}
    assert ax.get_xlabel() == "AUC with 95% confidence interval"
    assert [text.get_text() for text in ax.texts] == [
        "0.900 (0.872 to 0.922)",
        "0.800 (0.761 to 0.834)",
    ]


def test_single_intervals_stack_up_like_many(ax):
    other = Figure().subplots()
    draw(intervals(), other)
    for name, interval in intervals().items():
        interval.plot(ax, label=name, color="red")
    assert names(ax) == names(other)
    assert ax.get_ylim() == other.get_ylim()
    assert {row.get_color() for row in rows(ax)} == {"red"}
    draw(list(intervals().values()), other)
    assert names(other) == ["logistic", "neighbours", "AUC", "AUC"]


def test_a_side_without_a_limit_ends_in_an_arrow(ax):
    rb.auc_interval([1, 0, 1, 0], [4, 3, 2, 1], alternative="greater").plot(ax)
    assert [line.get_marker() for line in ax.lines[1:4]] == ["|", ">", "s"]
    assert "one-sided" in ax.get_xlabel()


def test_limits_below_0_have_a_minus_sign(ax):
    sample = rb.load_example()
    rb.compare(
        sample["neighbours"].is_positive, *(sample[m].values for m in sample.models[::-1])
    ).plot(ax)
    (said,) = (text.get_text() for text in ax.texts if " to " in text.get_text())
    assert said.startswith("\N{MINUS SIGN}0.")
    assert "-" not in said


def test_all_rows_and_numbers_are_inside_the_picture(ax):
    draw({f"model {i}": interval for i, interval in enumerate([*intervals().values()] * 5)}, ax)
    figure = ax.figure
    FigureCanvasAgg(figure).draw()
    for text in ax.texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
    assert len(rows(ax)) == 10


def test_what_is_no_interval_is_refused(ax):
    with pytest.raises(rb.InputError, match=r"forest plot needs intervals.*got int"):
        draw({"a": 1}, ax)
    with pytest.raises(rb.InputError, match="at least one interval"):
        draw([], ax)
    with pytest.raises(rb.InputError, match=r"`ax` must be one matplotlib Axes; got list"):
        draw(intervals(), [ax])

"""Pictures of costs: what stands on the axes, and what the axes say."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import rocbands as rb
from rocbands.plot import draw
from rocbands.plot.canvas import COLORS, HATCHES, BandPatch, CurveLine
from rocbands.plot.costs import RatioLocator, TrivialLine, draw_models_by_cost, find_runs

W = np.linspace(0.01, 0.99, 99)
MALIGNANT = {"positive": "malignant"}


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


def model(name: str = "logistic", w: object = W, **how: object) -> rb.results.CostIntervals:
    sample = rb.load_example()
    cut = rb.cost.calibrated_thresholds(w, 0.37)
    return rb.cost_interval(sample[name], thresholds=cut, w=w, **how)


def difference(w: object = W, **how: object) -> rb.results.CostDifference:
    sample = rb.load_example()
    cut = rb.cost.calibrated_thresholds(w, 0.37)
    return rb.cost_difference(sample, thresholds=(cut, cut), w=w, **how)


def of_kind(ax, kind: type) -> list:
    return [item for item in (*ax.lines, *ax.patches) if type(item) is kind]


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def upper(ax) -> dict[float, str]:
    """Ratios on the upper axis, by w."""
    ax.figure.draw_without_rendering()
    (above,) = ax.child_axes
    return {
        tick.get_loc(): tick.label1.get_text() or tick.label2.get_text()
        for tick in above.xaxis.get_major_ticks()
    }


def test_a_cost_curve_shows_its_pieces_and_says_that_it_is_optimistic(ax):
    sample = rb.load_example()
    curve = rb.cost_curve(sample["logistic"])
    assert draw(curve, ax, label="logistic") is ax
    (line,) = of_kind(ax, CurveLine)
    assert np.array_equal(line.get_xydata(), np.column_stack([curve.w, curve.cost]))
    assert line.get_marker() == "o"  # one at each breakpoint
    (roof,) = of_kind(ax, TrivialLine)
    assert roof.get_ydata() == pytest.approx(np.minimum(*(roof.get_xdata(), 1 - roof.get_xdata())))
    assert ax.get_ylim()[1] > 0.5
    assert texts(ax) == [
        "All rows called alike",
        "logistic, thresholds from these rows (optimistic)",
    ]


def test_a_curve_of_many_pieces_has_no_dots(ax):
    rng = np.random.default_rng(0)
    y = np.arange(40_000) % 2
    curve = rb.cost_curve(y, rng.normal(size=y.size) + y)
    draw(curve, ax)
    assert curve.w.size > 60
    assert of_kind(ax, CurveLine)[0].get_marker() == "None"


def test_intervals_are_a_band_and_a_line(ax):
    found = model()
    draw(found, ax, label="logistic")
    (line,), (band,) = of_kind(ax, CurveLine), of_kind(ax, BandPatch)
    assert np.array_equal(line.get_xydata(), np.column_stack([found.w, found.cost]))
    edge = band.get_xy()[: 2 * W.size]
    assert np.array_equal(edge[: W.size, 1], found.lower)
    assert np.array_equal(edge[W.size :, 1], found.upper[::-1])
    assert {"logistic", "95% limits for each w alone"} < set(texts(ax))
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > found.upper.max()


def test_unsorted_conditions_are_drawn_in_order(ax):
    order = np.random.default_rng(1).permutation(W.size)
    draw(model(w=W[order]), ax)
    (line,) = of_kind(ax, CurveLine)
    assert np.array_equal(line.get_ydata(), model().cost)


def test_both_axes_say_what_w_is(ax):
    draw(model(), ax)
    assert ax.get_xlabel() == "w: share of the total possible cost that comes from missed positives"
    assert ax.get_ylabel() == "Cost, as a share of the total possible cost"
    (above,) = ax.child_axes
    assert above.get_xlabel().endswith("at 37.3% positives")
    share = 212 / 569
    for w, ratio in upper(ax).items():
        miss, alarm = (float(part) for part in ratio.split(":"))
        assert w == pytest.approx(float(rb.operating_condition(miss, alarm, share)))


def test_the_upper_axis_follows_the_given_prevalence(ax):
    sample = rb.load_example()
    found = rb.cost_interval(sample["logistic"], thresholds=0.3, costs=(20, 1), prevalence=0.02)
    draw(found, ax)
    assert ax.child_axes[0].get_xlabel().endswith("at 2% positives")
    assert "50:1" in upper(ax).values()
    other = draw(model(), prevalence=0.5)
    assert other.child_axes[0].get_xlabel().endswith("at 50% positives")
    with pytest.raises(rb.InputError, match=r"prevalence=0\.3"):
        draw(model(), prevalence=30)


def test_ratios_keep_their_distance_and_follow_the_view():
    ratios, axes = RatioLocator(0.02), Figure(figsize=(6.4, 4.8)).subplots()
    ratios.set_axis(axes.xaxis)
    for low, high in ((0.0, 1.0), (0.001, 0.01)):
        places = np.array(ratios.tick_values(low, high))
        assert places.size >= 2
        inches = np.diff(places) / (high - low) * axes.bbox.width / axes.figure.dpi
        assert (inches >= 0.42).all()
        assert low < places[0]
        assert places[-1] < high
    assert ratios.format_ratio(1 / 50) == "1:1"
    assert RatioLocator(1e-4).format_ratio(0.5) == "9,999:1"
    assert ratios.format_ratio(0.0) == ""


def test_users_own_axes_keep_what_they_have(ax):
    ax.set(xlabel="mine", ylabel="my cost", xlim=(0.2, 0.4), ylim=(0, 0.9))
    draw(model(), ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mine", "my cost")
    assert ax.get_xlim() == (0.2, 0.4)
    assert ax.get_ylim() == (0, 0.9)
    assert all(0.2 < w < 0.4 for w in upper(ax))
    with pytest.raises(rb.InputError, match=r"axes\[0\]"):
        draw(model(), np.array([ax]))


def test_two_models_share_axes_and_differ_without_colours(ax):
    draw(model(), ax, label="a")
    draw(model("neighbours"), ax, label="b")
    one, two = of_kind(ax, CurveLine)
    assert one.get_color() != two.get_color()
    assert one.get_linestyle() != two.get_linestyle()
    assert len(of_kind(ax, TrivialLine)) == len(ax.child_axes) == 1
    assert [text[0] for text in texts(ax)] == ["A", "a", "b", "9", "F"]  # said once each
    rows = {round(strip.get_y(), 6) for strip in of_kind(ax, Rectangle)}
    assert len(rows) == 2  # strips of one model do not hide those of the other


@pytest.mark.parametrize(
    ("method", "words"),
    [("mover", "Gaussian limits would fail"), ("gaussian", "these limits fail")],
)
def test_few_errors_are_marked_where_they_are(ax, method, words):
    found = model(method=method)
    draw(found, ax)
    strips = of_kind(ax, Rectangle)
    few = found.reliable == "unreliable"
    covered = np.zeros(W.size, dtype=bool)
    for strip in strips:
        left, right = strip.get_x(), strip.get_x() + strip.get_width()
        covered |= (left <= found.w) & (found.w <= right)
    assert np.array_equal(covered, few)
    assert few.any()
    assert all(strip.get_hatch() for strip in strips)
    assert any(words in text for text in texts(ax))


def separated(w: np.ndarray = W) -> rb.results.CostIntervals:
    """Classes that overlap a little: some thresholds lie beyond the scores of one."""
    y = np.repeat([1, 0], 20)
    return rb.cost_interval(
        y, np.append(np.arange(15, 35), np.arange(20)), thresholds=40 * (1 - w**2), w=w
    )


def test_a_mask_hides_and_says_so(ax):
    found = separated()
    assert 0 < np.count_nonzero(found.inside) < W.size
    draw(found, ax, mask=True)
    (line,), (band,) = of_kind(ax, CurveLine), of_kind(ax, BandPatch)
    assert np.array_equal(np.isnan(line.get_ydata()), ~found.inside)
    inside = found.w[found.inside]
    assert {*band.get_xy()[:, 0]} == {*inside}
    for strip in of_kind(ax, Rectangle):
        assert strip.get_x() >= inside[0] - 0.0051
        assert strip.get_x() + strip.get_width() <= inside[-1] + 0.0051
    words = " ".join(" ".join(texts(ax)).split())
    assert "only thresholds within the scores" in words
    backward = draw(separated(W[::-1]), mask=True)
    again = of_kind(backward, CurveLine)[0].get_ydata()
    assert np.array_equal(again, line.get_ydata(), equal_nan=True)
    whole = draw(found)
    assert not np.isnan(of_kind(whole, CurveLine)[0].get_ydata()).any()


def test_a_mask_that_hides_all_is_refused(ax):
    beyond = rb.cost_interval([1, 1, 0, 0], [4, 3, 2, 1], thresholds=9.0, w=W)
    with pytest.raises(rb.InputError, match="leaves nothing to draw"):
        draw(beyond, ax, mask=True)
    with pytest.raises(rb.InputError, match="`mask` must be True or False"):
        draw(beyond, ax, mask="yes")


def bars(ax) -> list:
    return [segment.tolist() for c in ax.collections for segment in c.get_segments()]


def test_a_few_conditions_have_bars_and_hollow_markers(ax):
    w = [0.02, 0.3, 0.5]
    found = model(w=w)
    assert found.reliable.tolist() == ["unreliable", "ok", "ok"]
    draw(found, ax, label="logistic")
    assert not of_kind(ax, BandPatch)
    ends = [[[x, a], [x, b]] for x, a, b in zip(w, found.lower, found.upper, strict=True)]
    assert bars(ax) == ends
    hollow = next(line for line in ax.lines if line.get_markerfacecolor() == "white")
    assert hollow.get_xydata().tolist() == [[0.02, found.cost[0]]]
    draw(model("neighbours", w=w), ax)
    assert bars(ax)[3][0][0] == 0.02  # where its w is, also of the second model
    one, two = (line.get_linewidths()[0] for line in ax.collections)
    assert one > two


def test_marked_conditions_stand_out(ax):
    found = model()
    draw(found, ax, mark=[0.2, 0.5])
    assert [bar[0][0] for bar in bars(ax)] == pytest.approx([0.2, 0.5])
    assert len(of_kind(ax, BandPatch)) == 1
    with pytest.raises(rb.InputError, match=r"`mark` must be among the w .* got 0\.205"):
        draw(found, mark=0.205)


def test_full_sampling_has_its_own_units(ax):
    found = model(sampling="full")
    draw(found, ax)
    assert ax.get_ylabel() == "Cost per row, in units of the dearer error"
    (roof,) = of_kind(ax, TrivialLine)
    sample = rb.load_example()
    alike = np.where(W < 0.5, 2.0, -1.0)  # above and below all probabilities
    trivial = rb.cost_interval(sample["logistic"], thresholds=alike, w=W, sampling="full")
    assert np.interp(W, *roof.get_data()) == pytest.approx(trivial.cost, abs=1e-3)
    with pytest.raises(rb.InputError, match="different units"):
        draw(model(), ax)


def test_styles_reach_the_artists(ax):
    draw(model(), ax, color="red", curve_kwargs={"lw": 3, "label": "x"}, band_kwargs={"fc": "b"})
    (line,), (band,) = of_kind(ax, CurveLine), of_kind(ax, BandPatch)
    assert (line.get_color(), line.get_linewidth()) == ("red", 3)
    assert band.get_facecolor() == (0, 0, 1, 1)
    assert "x" in texts(ax)


def test_find_runs():
    assert find_runs(np.array([], dtype=bool)) == []
    assert find_runs(np.array([False, True, True])) == [slice(1, 3)]


def shaded(ax) -> list:
    return [c for c in ax.collections if c.get_hatch()]


def test_a_difference_shades_where_one_is_cheaper(ax):
    gap = difference()
    draw(gap, ax)
    regions = gap.better
    assert regions
    assert {region.model for region in regions} == {1}
    long = [region for region in regions if region.high > region.low]
    assert len(shaded(ax)) == len(long)
    for area, region in zip(shaded(ax), long, strict=True):
        corners = area.get_paths()[0].vertices
        assert corners[:, 0].min() == region.low
        assert corners[:, 0].max() == region.high
        inside = (gap.w >= region.low) & (gap.w <= region.high)
        assert corners[:, 1].min() == gap.upper[inside].min()  # by at least this
        assert area.get_hatch() == HATCHES[0]
    assert "logistic cheaper, by at least this" in texts(ax)
    assert "neighbours is cheaper, by at least this" not in texts(ax)
    assert "below 0: logistic is cheaper" in ax.get_ylabel()
    assert ax.child_axes


def test_the_other_model_has_another_look(ax):
    sample = rb.load_example()
    cut = rb.cost.calibrated_thresholds(W, 0.37)
    swapped = sample["neighbours"].values, sample["logistic"].values
    gap = rb.cost_difference(
        sample.is_positive, *swapped, thresholds=(cut, cut), w=W, simultaneous=True, rng=1
    )
    draw(gap, ax)
    assert {area.get_hatch() for area in shaded(ax)} == {HATCHES[1]}
    assert {tuple(area.get_edgecolor()[0]) for area in shaded(ax)} == {to_rgba(COLORS[1])}
    assert "model 2 cheaper, by at least this" in texts(ax)
    assert "95% limits for all w together" in texts(ax)


def test_a_few_differences_have_bars(ax):
    gap = difference([0.02, 0.3])
    draw(gap, ax)
    assert not shaded(ax)
    grey, blue = ax.collections
    assert len(grey.get_segments()) == 2
    assert blue.get_segments()[0].tolist() == [[0.3, 0], [0.3, gap.upper[1]]]
    assert tuple(blue.get_color()[0][:3]) == to_rgba(COLORS[0])[:3]


def test_limits_that_claim_nothing_do_not_press_the_others(ax):
    gap = difference(method="gaussian", simultaneous=True, rng=0)
    claims = gap.lower > -1
    assert 0 < np.count_nonzero(claims) < W.size
    draw(gap, ax)
    bottom, top = ax.get_ylim()
    assert -0.5 < bottom < gap.lower[claims].min()
    assert gap.upper[claims].max() < top < 0.5
    nothing = rb.cost_difference(
        [1, 0], [2, 1], [1, 2], method="gaussian", thresholds=(0, 0), w=W, simultaneous=True, rng=0
    )
    assert draw(nothing).get_ylim()[1] >= 1


def test_models_and_their_difference_share_w():
    axes = draw_models_by_cost({"a": model(), "b": model("neighbours")}, difference(), mark=[0.5])
    above, below = axes.figure.axes
    assert above is axes
    assert above.get_shared_x_axes().joined(above, below)
    assert above.get_xlabel() == ""
    assert below.get_xlabel().startswith("w:")
    assert above.child_axes
    assert not below.child_axes
    assert len(draw_models_by_cost({"a": model()}).figure.axes) == 1


@pytest.mark.parametrize(
    ("w", "y", "scores"),
    [
        ([0.5], [1, 0], [0, 1]),
        ([0.0, 1.0], [1, 0], [1, 0]),
        ([0.2] * 15, [1, 1, 0, 0], [1, 1, 1, 1]),
        (np.linspace(0, 1, 21), [1, 0, 1, 0], [np.inf, -np.inf, 1, 1]),
    ],
)
def test_degenerate_data_can_be_drawn(w, y, scores):
    cut = rb.cost_thresholds(y, scores, w=w)
    drawn = (
        rb.cost_curve(y, scores),
        rb.cost_interval(y, scores, thresholds=cut, w=w),
        rb.cost_interval(y, scores, method="gaussian", thresholds=cut, w=w, sampling="full"),
        rb.cost_difference(y, scores, scores, thresholds=(cut, cut), w=w),
    )
    for result in drawn:
        axes = draw(result, Figure(layout="constrained").subplots())
        axes.figure.draw_without_rendering()
        shown = [*axes.lines, *axes.collections, *axes.patches]
        assert any(part.get_visible() for part in shown)
        low, high = axes.get_xlim()
        assert low <= 0.0
        assert high >= 1.0


def test_the_floor_of_bins_is_drawn_where_it_can_be_seen(ax) -> None:
    counts = {"fp": [1, 2, 5], "tp": [3, 3, 4]}
    curve = rb.cost_curve(rb.RocCurve.from_counts([3, 2, 1], **counts, bins=True))
    curve.plot(ax=ax)
    line = next(line for line in ax.lines if line.get_label() == "Lowest cost curve in these bins")
    np.testing.assert_array_equal(line.get_ydata(), curve.floor.cost)
    exact = rb.cost_curve(rb.RocCurve.from_counts([3, 2, 1], **counts)).plot()
    assert not any("these bins" in str(line.get_label()) for line in exact.lines)

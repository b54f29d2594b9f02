"""Differences between groups: limits by formulas written anew, exact cases, and the sentences."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.optimize import brentq
from scipy.stats import binom

import rocbands as rb
from rocbands._math.binomial import mid_p_limits
from rocbands.io.records import result_schema
from rocbands.subgroup.gaps import QUANTITIES
from rocbands.subgroup.limits import limit_difference


def draw(sizes=(120, 160, 200), shifts=(1.0, 2.5, 1.2), seed=1):
    rng = np.random.default_rng(seed)
    by = np.repeat(np.array(["f", "m", "x", "z"])[: len(sizes)], sizes)
    y = (np.arange(by.size) % 3 == 0).astype(int)
    return y, rng.normal(size=by.size) + y * np.repeat(shifts, sizes), by


def find_mid_p(count, size, tail):
    """Mid-P limits by another way: sums of binomial probabilities, and Brent's method."""

    def excess(p, wanted):
        chance = binom.pmf(np.arange(size + 1), size, p)
        return chance[:count].sum() + chance[count] / 2 - wanted

    low = brentq(excess, 1e-12, 1 - 1e-12, args=(1 - tail,), xtol=1e-14) if count else 0.0
    high = brentq(excess, 1e-12, 1 - 1e-12, args=(tail,), xtol=1e-14) if count < size else 1.0
    return low, high


def count_by_hand(y, s, threshold):
    called, positive = s >= threshold, y == 1
    return {
        "tpr": (called & positive, positive),
        "fpr": (called & ~positive, ~positive),
        "ppv": (called & positive, called),
        "npv": (~called & ~positive, ~called),
        "selection_rate": (called, np.ones_like(called)),
    }


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.9949, 0.9999])
def test_mid_p_limits_of_a_proportion(level) -> None:
    for size in (1, 2, 7, 40, 300):
        counts = np.unique(np.linspace(0, size, 6).astype(int))
        low, high = mid_p_limits(counts, size, level)
        known = np.array([find_mid_p(int(k), size, (1 - level) / 2) for k in counts]).T
        np.testing.assert_allclose((low, high), known, rtol=0, atol=1e-9)


def test_limits_of_small_counts_are_exact() -> None:
    """No success of 1 and of 2: (1 - u) / 2 = tail, and (1 - u)^2 / 2 = tail."""
    low, high = mid_p_limits([0, 0], [1, 2], 0.9)
    assert low.tolist() == [0, 0]
    assert high == pytest.approx([0.9, 1 - math.sqrt(0.1)], abs=1e-12)
    # 0 of 1 against 1 of 1: -1 is one of the limits, which have no variance to estimate.
    found = limit_difference(np.array([0, 0, 0.9]), np.array([1, 0.1, 1]))
    assert found == pytest.approx((-1.0, -1 + math.hypot(0.9, 0.9)), abs=1e-12)


@pytest.mark.parametrize("against", ["pairs", "rest"])
def test_each_difference_by_formulas_written_anew(against) -> None:
    y, s, by = draw()
    found = rb.subgroups(y, s, by=by, threshold=0.7, level=0.9, against=against, rng=1).gaps
    pairs = [(a, b) for a, b in combinations("fmx", 2)]
    if against == "rest":
        pairs = [(a, "the rest") for a in "fmx"]
    tail = (1 - 0.9 ** (1 / 3)) / 2
    assert [(gap.quantity, gap.groups) for gap in found] == [
        (name, pair) for name in QUANTITIES for pair in pairs
    ]
    for gap in found.of("tpr", "fpr", "ppv", "npv", "selection_rate"):
        first = by == gap.groups[0]
        second = ~first if gap.groups[1] == "the rest" else by == gap.groups[1]
        numbers = []
        for rows in (first, second):
            hits, base = count_by_hand(y[rows], s[rows], 0.7)[gap.quantity]
            k, n = int(hits.sum()), int(base.sum())
            numbers.append((k / n, *find_mid_p(k, n, tail)))
        (p, p_low, p_high), (q, q_low, q_high) = numbers
        low = p - q - math.sqrt((p - p_low) ** 2 + (q_high - q) ** 2)
        high = p - q + math.sqrt((p_high - p) ** 2 + (q - q_low) ** 2)
        assert gap.estimates == pytest.approx((p, q), abs=1e-15)
        assert (gap.difference, gap.low, gap.high) == pytest.approx((p - q, low, high), abs=1e-9)
        assert gap.may_be_chance == (low <= 0 <= high)


@pytest.mark.parametrize("shift", [1.0, 9.0])  # 9: a perfect model, whose areas have no spread
def test_areas_have_the_limits_of_two_test_sets(shift) -> None:
    y, s, by = draw(shifts=(1.0, shift, 1.2))
    found = rb.subgroups(y, s, by=by, level=0.9, rng=1).gaps.of("auc")
    for gap in found:
        one, two = (rb.roc_curve(y[by == group], s[by == group]) for group in gap.groups)
        known = rb.compare(one, two, level=0.9 ** (1 / 3))
        assert (gap.low, gap.difference, gap.high) == pytest.approx(
            (known.low, known.difference, known.high), abs=1e-12
        )


def test_two_groups_and_the_rest_are_one_pair() -> None:
    y, s, by = draw((120, 160), (1, 2))
    pair, rest = (rb.subgroups(y, s, by=by, against=how, rng=1).gaps for how in ("pairs", "rest"))
    assert list(pair) == list(rest)


def test_exchanged_groups_change_the_sign() -> None:
    y, s, by = draw((120, 160), (1, 2))
    other = np.where(by == "f", "z", by)
    for one, two in zip(
        rb.subgroups(y, s, by=by, rng=1).gaps, rb.subgroups(y, s, by=other, rng=1).gaps, strict=True
    ):
        assert (one.difference, one.low, one.high) == pytest.approx(
            (-two.difference, -two.high, -two.low), abs=1e-12
        )


def test_without_a_threshold_it_is_chosen_on_all_rows() -> None:
    y, s, by = draw()
    found = rb.subgroups(y, s, by=by, rng=1)
    assert found.threshold == float(rb.roc_curve(y, s).threshold_at(0.1))
    assert (found.at_fpr, found.gaps.at_fpr) == (0.1, 0.1)
    assert ", chosen on these rows for at most 10 false alarms in 100" in found.sentence
    other = rb.subgroups(y, s, by=by, at_fpr=0.25, rng=1)
    assert other.threshold == float(rb.roc_curve(y, s).threshold_at(0.25))
    given = rb.subgroups(y, s, by=by, threshold=found.threshold, rng=1)
    assert given.at_fpr is None
    assert list(given.gaps) == list(found.gaps)
    with pytest.raises(rb.InputError, match="`threshold` was given"):
        rb.subgroups(y, s, by=by, threshold=1, at_fpr=0.1)


def test_nobody_called_positive_has_no_ppv() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    y, s, by = draw((120, 160), (1, 2))
    s = np.where(by == "f", s - 10, s)
    found = rb.subgroups(y, s, by=by, threshold=0.5, rng=1)
    (gap,) = found.gaps.of("ppv")
    assert gap.estimates[0] is None
    assert 0 < gap.estimates[1] < 1
    assert gap[3:] == (None,) * 4
    assert "Nobody of f is called positive: there is no PPV." in found.notes
    assert "nan" not in str(found).lower().replace("finance", "")
    for result in (found, found.gaps):
        record = json.loads(result.to_json())
        jsonschema.validate(record, result_schema(type(result)))
        assert "NaN" not in result.to_json()
    assert record["columns"]["low"][3] is None
    assert found.gaps.to_frame("pandas")["low"].isna().sum() == 1
    assert found.gaps.to_csv().count("\n") == 7
    for text in (found.gaps.to_latex(), found.gaps.to_markdown()):
        assert "nan" not in text.lower()
    everybody = rb.subgroups(y, s + 20, by=by, threshold=0.5, rng=1)
    assert "Nobody of m is called negative: there is no NPV." in everybody.notes


def make_groups(rates, n_pos=100, n_neg=100):
    """Rows of groups with given shares of true and false positives at threshold 0.5."""
    y, s, by = [], [], []
    for name, (tpr, fpr) in rates.items():
        for size, rate, label in ((n_pos, tpr, 1), (n_neg, fpr, 0)):
            hits = round(Fraction(str(rate)) * size)
            y += [label] * size
            s += [1.0] * hits + [0.0] * (size - hits)
            by += [name] * size
    return y, s, by


def test_sentence_of_two_groups() -> None:
    y, s, by = make_groups({"f": (0.67, 0.1), "m": (0.73, 0.12)}, n_pos=400)
    found = rb.subgroups(y, s, by=by, threshold=0.5)
    assert found.sentence == (
        "At threshold 0.5 no difference is shown between f and m in the share found or in false "
        "alarms; the largest difference, 6 points (at most 12), may be chance."
    )
    y, s, by = make_groups({"f": (0.9, 0.1), "m": (0.6, 0.3)})
    assert rb.subgroups(y, s, by=by, threshold=0.5).sentence == (
        "At threshold 0.5 the model finds 90% of positives among f and 60% among m: 30 points more "
        "(18 to 41), more than chance. Also shown in false alarms: f and m (20)."
    )
    y, s, by = make_groups({"f": (0.6, 0.1), "m": (0.6, 0.3)})
    assert rb.subgroups(y, s, by=by, threshold=0.5).sentence == (
        "At threshold 0.5 the model alarms on 10% of negatives among f and 30% among m: 20 points "
        "fewer (9 to 31), more than chance."
    )


def test_sentence_of_many_groups() -> None:
    y, s, by = make_groups({"a": (0.9, 0.1), "b": (0.6, 0.1), "c": (0.88, 0.5)})
    found = rb.subgroups(y, s, by=by, threshold=0.5)
    assert found.sentence == (
        "At threshold 0.5 the model finds 90% of positives among a and 60% among b: 30 points more "
        "(16 to 43), more than chance. Also shown: b and c (28). Also shown in false alarms: a and "
        "c (40), b and c (40)."
    )
    rest = rb.subgroups(y, s, by=by, threshold=0.5, against="rest")
    assert "Also shown: a and the rest (16), c and the rest (13). " in rest.sentence
    assert found.gaps.of("auc").sentence.startswith(
        "The AUC is 0.900 among a and 0.690 among c: 0.210 higher ("
    )
    same = make_groups({"a": (0.7, 0.1), "b": (0.7, 0.1), "c": (0.7, 0.1)})
    found = rb.subgroups(*same[:2], by=same[2], threshold=0.5)
    assert found.sentence == (
        "At threshold 0.5 no two of 3 groups are shown to differ in the share found or in false "
        "alarms; the largest difference, 0 points between a and b (at most 15), may be chance."
    )
    assert found.gaps.of("auc").sentence.startswith(
        "No two of 3 groups are shown to differ in AUC; the largest difference, 0.000 between a "
    )
    rest = rb.subgroups(*same[:2], by=same[2], threshold=0.5, against="rest")
    assert "none of 3 groups is shown to differ from the rest in the share found" in rest.sentence
    one = rb.subgroups(*same[:2], by=same[2], threshold=0.5, against="b")
    assert "none of 2 groups is shown to differ from b in the share found" in one.sentence
    many = {f"g{k}": (0.1 + 0.2 * (k % 5), 0.1) for k in range(5)}
    found = rb.subgroups(*(rows := make_groups(many, n_pos=400))[:2], by=rows[2], threshold=0.5)
    assert "g0 and g4 (" not in found.sentence  # it is the first pair
    assert "Also shown: g0 and g3 (60), g1 and g4 (60), g0 and g2 (40), and 6 more." in (
        found.sentence
    )


def test_sentence_names_the_model_and_the_labels() -> None:
    y, s, by = make_groups({"f": (0.67, 0.1), "m": (0.73, 0.12)}, n_pos=400)
    labels = ["ill" if one else "well" for one in y]
    sample = rb.Sample(labels, {"crp": s}, positive="ill", keep={"sex": by})
    y, s, by = make_groups({"f": (0.6, 0.1), "m": (0.8, 0.1)}, n_pos=400)
    other = rb.Sample(labels, {"CA-125 (U/ml)": s}, positive="ill", keep={"sex": by})
    assert rb.subgroups(other, by="sex", threshold=0.5).sentence.startswith(
        'At threshold 0.5 "CA-125 (U/ml)" finds 60% of ill cases among f and 80% among m: 20 points'
    )
    none = rb.subgroups(sample["crp"], by="sex", at_fpr=0.01).sentence
    assert none.endswith("positive has at most 1 false alarm in 100 well ones.")
    chosen = rb.subgroups(other, by="sex", at_fpr=0.2).sentence
    assert "for at most 20 false alarms in 100 well ones, " in chosen
    none = rb.subgroups(sample["crp"], by="sex", threshold=5.0).sentence
    assert none == "At threshold 5 crp calls nobody positive."


def test_rounded_numbers_of_a_sentence_agree() -> None:
    """59.7% and 51.2% differ by 8.5 points; 60% and 51% do not differ by 8."""
    y, s, by = make_groups({"f": (0.5967, 0.1), "m": (0.5121, 0.1)}, n_pos=10_000)
    assert "59.7% of positives among f and 51.2% among m: 8.5 points more (7.1 to 9.8)" in (
        rb.subgroups(y, s, by=by, threshold=0.5).sentence
    )


def test_one_quantity_at_a_time() -> None:
    y, s, by = draw()
    gaps = rb.subgroups(y, s, by=by, rng=1).gaps
    assert [gap.quantity for gap in gaps.of("fpr", "auc")] == ["fpr"] * 3 + ["auc"] * 3
    assert gaps[3] == gaps.of("tpr")[0]
    with pytest.raises(rb.InputError, match="`quantities` must be one of"):
        gaps.of("recall")
    assert "18 differences" in repr(gaps)


def test_a_threshold_beyond_all_scores() -> None:
    y, s, by = make_groups({"f": (0.9, 0.1), "m": (0.6, 0.3)})
    said = [rb.subgroups(y, s, by=by, threshold=cut).sentence for cut in (2, 0)]
    assert said == [
        "At threshold 2 the model calls nobody positive.",
        "At threshold 0 the model calls everybody positive.",
    ]
    found = rb.subgroups(y, np.zeros(len(y)), by=by)
    assert found.threshold == np.inf
    assert found.sentence.startswith("No threshold that calls anybody positive has at most 10")
    assert '"threshold": "inf"' in found.to_json()


def test_a_group_with_one_positive() -> None:
    y, s, by = draw((120, 160), (1, 2))
    y = np.where((by == "f") & (np.arange(by.size) > 0), 0, y)
    with pytest.warns(
        rb.RocBandsWarning, match=r"Fewer than 30 .* in f \(1 positive, 119 negatives\)"
    ):
        found = rb.subgroups(y, s, by=by)
    for gap in found.gaps.of("auc", "tpr"):
        assert gap.high - gap.low > 0.5


def test_rows_to_print() -> None:
    y, s, by = draw()
    gaps = rb.subgroups(y, s, by=by, threshold=0.7, rng=1).gaps
    assert list(gaps.describe()[1]) == [
        *("quantity", "groups", "first", "second", "difference", "low", "high", "shown")
    ]
    two = rb.subgroups(y[:280], s[:280], by=by[:280], threshold=0.7).gaps
    assert list(two.describe()[1]) == ["quantity", "f", "m", "difference", "low", "high", "shown"]
    assert max(map(len, str(two).splitlines())) <= 96


def test_pictures_have_a_line_at_0_and_grey_rows_that_may_be_chance() -> None:
    y, s, by = make_groups({"f": (0.9, 0.1), "m": (0.6, 0.12)})
    found = rb.subgroups(y, s, by=by, threshold=0.5)
    axes = found.gaps.plot()
    rows = [line for line in axes.lines if type(line).__name__ == "IntervalLine"]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["AUC", "TPR", "FPR", "PPV", "NPV", "Selection rate"]
    assert [line.get_color() == "0.55" for line in rows] == [g.may_be_chance for g in found.gaps]
    assert [line.get_xdata()[0] for line in rows] == pytest.approx([g.low for g in found.gaps])
    zero = [line for line in axes.get_lines() if list(line.get_xdata()) == [0.0, 0.0]]
    assert zero or any(getattr(part, "get_xdata", list)() == [0.0, 0.0] for part in axes.artists)
    assert axes.get_xlabel().replace("\N{NO-BREAK SPACE}", " ").startswith("f − m, 95% limits")


def test_low_axes_show_the_largest_differences_only() -> None:
    y, s, by = draw()
    gaps = rb.subgroups(y, s, by=by, rng=1).gaps
    high, low = (Figure(figsize=(7, height)).subplots() for height in (8, 3))
    counts = [len(gaps.plot(ax).get_yticklabels()) for ax in (high, low)]
    assert counts == [18, 6]
    assert low.get_xlabel().replace("\n", " ").startswith("Largest shown of 3 differences")


def test_panels_of_a_picture_are_equally_high() -> None:
    y, s, by = draw()
    figure = rb.subgroups(y, s, by=by, threshold=0.7, rng=1).plot().figure
    figure.canvas.draw()
    heights = [axes.get_window_extent().height for axes in figure.axes]
    assert max(heights) - min(heights) < 2
    assert "in 3 groups: 7 of 18 differences are more than chance" in figure.get_suptitle()
    labels = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()]
    assert all(label[0].isupper() for label in labels)

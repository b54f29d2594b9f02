"""Partial areas: R's numbers, whole-number sums, influences, every resample of tiny sets."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands._math.binomial import clopper_pearson_limits
from rocbands.auc import partial
from rocbands.core.delong import compute_placements
from rocbands.resample import areas
from rocbands.resample.areas import FprRange, compute_truncated_placements, compute_variance
from tests.golden_numbers import columns
from tests.judge import may_lie_in
from tests.oracles import averaging
from tests.oracles import partial as oracle
from tests.strategies import labelled_scores

SIM = columns("sim500")
TIED = [(1, 3.0), (0, 3.0), (1, 3.0), (1, 2.0), (0, 2.0), (1, 1.0), (0, 1.0)]
UNTIED = [(1, 9.0), (0, 8.0), (1, 7.0), (1, 5.0), (0, 4.0), (1, 3.0), (0, 1.0)]


def split(rows: averaging.Rows) -> tuple[list[int], list[float]]:
    return [y for y, _ in rows], [s for _, s in rows]


def test_areas_are_those_of_r() -> None:
    golden = columns("partial_auc")
    assert golden["curve"].size == 20
    for i, curve in enumerate(golden["curve"]):
        low, high = golden["lo"][i], golden["hi"][i]
        sens = golden["focus"][i] == "sensitivity"
        span = {"tpr": (low, high)} if sens else {"fpr": (1 - high, 1 - low)}
        scores = SIM[curve.removeprefix("sim_")]
        raw = rb.partial_auc_interval(SIM["y"], scores, **span)
        fair = rb.partial_auc_interval(SIM["y"], scores, corrected=True, **span)
        assert raw.estimate == pytest.approx(golden["pauc"][i], abs=1e-12)
        assert fair.estimate == pytest.approx(golden["mcclish"][i], abs=1e-12)
        assert raw.low < raw.estimate < raw.high
        assert fair.low < fair.estimate < fair.high


@settings(max_examples=30)
@given(
    rows=labelled_scores(max_size=8),
    ends=st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(lambda e: e[0] < e[1]),
)
def test_areas_are_sums_of_whole_numbers(
    rows: tuple[np.ndarray, np.ndarray], ends: tuple[int, int]
) -> None:
    pairs = list(zip(rows[0].tolist(), rows[1].tolist(), strict=True))
    start, stop = Fraction(ends[0], 40), Fraction(ends[1], 40)
    span = (float(start), float(stop))
    under = rb.partial_auc_interval(*rows, fpr=span)
    right = rb.partial_auc_interval(*rows, tpr=span)
    assert under.estimate == pytest.approx(float(oracle.area(pairs, start, stop)), abs=1e-12)
    assert right.estimate == pytest.approx(float(oracle.area_right(pairs, start, stop)), abs=1e-12)
    for found in (under, right):
        assert 0 <= found.low <= found.estimate <= found.high <= span[1] - span[0] + 1e-15
        assert found.high - found.low > 0.01 * (span[1] - span[0])


@pytest.mark.parametrize("rows", [TIED, UNTIED])
@pytest.mark.parametrize("span", [(0.0, 0.1), (0.15, 0.6), (0.0, 1.0), (0.4, 0.95)])
def test_placements_are_influences(rows: averaging.Rows, span: tuple[float, float]) -> None:
    roc = rb.roc_curve(*split(rows))
    pos, neg = compute_truncated_placements(roc, FprRange(*span))
    counts = np.diff(roc.tp, prepend=0), np.diff(roc.fp, prepend=0)
    area = float(oracle.area(rows, Fraction(span[0]), Fraction(span[1])))
    assert np.dot(counts[0], pos) / roc.n_pos == pytest.approx(area, abs=1e-12)
    step = {s: i for i, s in enumerate(roc.thresholds.tolist())}
    for case, (label, score) in enumerate(rows):
        values, size = (pos, roc.n_pos) if label else (neg, roc.n_neg)
        mean = np.dot(counts[1 - label], values) / size
        moved = oracle.influence(rows, case, *span)
        assert (values[step[score]] - mean) / size == pytest.approx(moved, abs=1e-6)


def test_the_whole_range_is_the_auc_with_delongs_variance() -> None:
    golden = columns("auc_delong")
    for name in ("s1", "s1t"):
        i = list(golden["curve"]).index(f"sim_{name}")
        roc = rb.roc_curve(SIM["y"], SIM[name])
        assert compute_variance(roc, FprRange(0.0, 1.0)) == pytest.approx(
            golden["delong_var"][i], rel=1e-9
        )
        placed = compute_placements(SIM["y"] == 1, SIM[name])
        pos, neg = compute_truncated_placements(roc, FprRange(0.0, 1.0))
        assert np.dot(np.diff(roc.tp, prepend=0), pos) / 200 == pytest.approx(placed.auc)
        assert np.dot(np.diff(roc.fp, prepend=0), neg) / 300 == pytest.approx(placed.neg.mean())


@pytest.mark.parametrize("rows", [TIED, UNTIED])
def test_resampled_areas_have_the_law_of_all_resamples(rows: averaging.Rows) -> None:
    every, (start, stop) = (
        averaging.every_stratified_resample(rows),
        (Fraction(1, 10), Fraction(1, 2)),
    )
    law = averaging.law(every, lambda drawn: oracle.area(drawn, start, stop))
    mean = float(sum(v * p for v, p in law.items()))
    sd = float(sum((v - Fraction(mean)) ** 2 * p for v, p in law.items())) ** 0.5
    found = rb.partial_auc_interval(
        *split(rows), fpr=(0.1, 0.5), method="bootstrap", n_resamples=20_000, level=0.8, rng=1
    )
    assert found.standard_error == pytest.approx(sd, rel=0.03)
    assert float(sum(p for v, p in law.items() if v < found.low - 1e-9)) < 0.11
    assert float(sum(p for v, p in law.items() if v <= found.low + 1e-9)) > 0.09
    assert float(sum(p for v, p in law.items() if v > found.high + 1e-9)) < 0.11
    assert float(sum(p for v, p in law.items() if v >= found.high - 1e-9)) > 0.09


def test_merging_steps_out_of_reach_changes_no_law() -> None:
    found = rb.partial_auc_interval(
        SIM["y"], SIM["s1"], fpr=(0, 0.05), method="bootstrap", n_resamples=8000, rng=2
    )
    rng = np.random.default_rng(3)
    pos, neg = SIM["s1"][SIM["y"] == 1], np.sort(SIM["s1"][SIM["y"] == 0])
    areas = []
    for _ in range(1500):
        bars = np.sort(rng.choice(neg, 300))[::-1][:15]  # fpr .05 of 300: fifteen negatives
        areas.append((rng.choice(pos, 200)[:, None] > bars).mean(axis=0).sum() / 300)
    error = np.std(areas) * np.sqrt(1 / 1500 + 1 / 8000)
    assert found.standard_error == pytest.approx(np.std(areas), rel=0.06)
    assert found.low == pytest.approx(np.quantile(areas, 0.025), abs=8 * error)
    assert found.high == pytest.approx(np.quantile(areas, 0.975), abs=8 * error)


def test_both_methods_agree_on_many_cases() -> None:
    spans = ({"fpr": (0.0, 0.2)}, {"tpr": (0.7, 1.0)})
    for span in spans:
        one, two = (
            rb.partial_auc_interval(SIM["y"], SIM["s1"], method=method, rng=1, **span)
            for method in ("placement", "bootstrap")
        )
        assert one.standard_error == pytest.approx(two.standard_error, rel=0.08)
        assert one.low == pytest.approx(two.low, abs=0.3 * one.standard_error)
        assert one.high == pytest.approx(two.high, abs=0.3 * one.standard_error)


def test_the_mirrored_problem_has_the_mirrored_range() -> None:
    one = rb.partial_auc_interval(SIM["y"], SIM["s1t"], tpr=(0.75, 1.0))
    two = rb.partial_auc_interval(1 - SIM["y"], -SIM["s1t"], fpr=(0.0, 0.25))
    assert (one.estimate, one.low, one.high) == pytest.approx((two.estimate, two.low, two.high))


def test_clusters_of_copies_are_worth_one_case() -> None:
    y, s = SIM["y"], SIM["s1"]
    once = rb.partial_auc_interval(y, s, fpr=(0, 0.2))
    clusters = np.tile(np.arange(500), 3)
    for method in ("placement", "bootstrap"):
        thrice = rb.partial_auc_interval(
            rb.Sample(np.tile(y, 3), np.tile(s, 3), clusters=clusters),
            fpr=(0, 0.2),
            method=method,
            rng=1,
        )
        assert thrice.estimate == pytest.approx(once.estimate)
        assert thrice.standard_error == pytest.approx(once.standard_error, rel=0.06)
        assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=0.06)
    blind = rb.partial_auc_interval(np.tile(y, 3), np.tile(s, 3), fpr=(0, 0.2))
    assert blind.standard_error < 0.65 * once.standard_error


def test_below_the_diagonal_nothing_is_corrected() -> None:
    with pytest.raises(rb.InputError, match=r"above the diagonal.*Pass corrected=False"):
        rb.partial_auc_interval([0, 0, 1, 1], [4, 3, 2, 1], fpr=(0, 0.5), corrected=True)
    weak = rb.partial_auc_interval([1, 0, 1, 0], [4, 3, 2, 1], fpr=(0, 0.5), corrected=True)
    assert weak.low == 0.5
    assert "below the diagonal" in weak.notes[-1]


@pytest.mark.parametrize(
    ("positives", "share", "low", "high"),
    [
        ([0.5], 1.0, 0.0025, 0.1),
        ([-6.5], 0.4, 0.0, 0.099855),  # the score limit is 0
        ([0.5, -50.5], 0.5, 0.001258, 0.098742),
        ([-50.5, -50.5], 0.0, 0.0, 0.084189),
    ],
)
def test_one_or_two_positives_have_limits_of_a_share(
    positives: list[float], share: float, low: float, high: float
) -> None:
    """Beta quantiles of (x, m - x + 1) and (x + 1, m - x) times the width, x = m v / .1."""
    labels = [1] * len(positives) + [0] * 100
    scores = np.array([*positives, *range(-100, 0)])
    found = rb.partial_auc_interval(labels, scores, fpr=(0, 0.1))
    assert found.estimate == pytest.approx(0.1 * share)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-7)
    number = "One positive:" if len(positives) == 1 else "Two positives:"
    assert found.notes[-1].startswith(number)
    swapped = rb.partial_auc_interval(1 - np.array(labels), -scores, tpr=(0.9, 1))
    assert (swapped.low, swapped.high) == pytest.approx((found.low, found.high), abs=1e-12)
    assert swapped.notes[-1].startswith(number.replace("positive", "negative"))
    two_sided = rb.partial_auc_interval(labels, scores, fpr=(0, 0.1), level=0.9)
    upper = rb.partial_auc_interval(labels, scores, fpr=(0, 0.1), alternative="less")
    assert upper.high == pytest.approx(two_sided.high, abs=1e-12)


def test_limits_of_a_share_of_one() -> None:
    area = 0.04
    ends = partial._widen_few((area, area), 1, FprRange(0.0, 0.1), (area, area), 0.025)
    assert ends == pytest.approx((0.000006, 0.099855), abs=6e-7)


def test_three_positives_have_the_limits_they_had() -> None:
    found = rb.partial_auc_interval([1] * 3 + [0] * 20, range(23, 0, -1), fpr=(0, 0.1))
    assert not any("share" in note for note in found.notes)
    assert found.low > 0.1 * 0.025 ** (1 / 3)  # Clopper and Pearson's limit of 3 of 3


@settings(max_examples=40)
@given(rows=labelled_scores(max_size=8), stop=st.sampled_from((0.1, 0.5, 1.0)))
def test_limits_of_few_positives_contain_those_of_a_share(
    rows: tuple[np.ndarray, np.ndarray], stop: float
) -> None:
    labels, scores = rows
    found = rb.partial_auc_interval(labels, scores, fpr=(0, stop))
    assert found.low <= found.estimate <= found.high
    if found.n_pos < 3:
        seen = found.n_pos * found.estimate / stop
        ends = clopper_pearson_limits(min(seen, found.n_pos), found.n_pos, 0.95)
        assert found.low <= stop * ends[0] + 1e-12
        assert found.high >= stop * ends[1] - 1e-12


@pytest.mark.parametrize("bins", [2, 5, 20])
def test_few_positives_in_bins_contain_the_limits_of_all_orders(bins: int) -> None:
    rng = np.random.default_rng(bins)
    labels, scores = np.r_[np.ones(2), np.zeros(30)], rng.uniform(size=32)
    edges = np.linspace(0, 1, bins + 1)[:-1][::-1]
    fp, tp = ([int((scores[labels == of] >= edge).sum()) for edge in edges] for of in (0, 1))
    binned = rb.RocCurve.from_counts(edges, fp=fp, tp=tp, bins=True)
    whole, coarse = (
        rb.partial_auc_interval(roc, fpr=(0, 0.2)) for roc in (rb.roc_curve(labels, scores), binned)
    )
    assert coarse.low <= whole.low <= whole.high <= coarse.high
    assert "Two positives" in coarse.notes[-1]


@pytest.mark.simulation
@pytest.mark.parametrize(("n_pos", "n_neg", "least"), [(1, 14, 0.9), (2, 16, 0.94)])
def test_one_or_two_positives_hold_and_score_limits_alone_do_not(
    n_pos: int, n_neg: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, sets = np.random.default_rng(7), 200
    at = (np.arange(2000) + 0.5) / 20_000
    truth = 0.1 * ndtr(1.0 + ndtri(at)).mean()
    labels = np.r_[np.ones(n_pos), np.zeros(n_neg)]
    held = plain = 0
    for _ in range(sets):
        roc = rb.roc_curve(labels, rng.normal(size=labels.size) + labels)
        found = rb.partial_auc_interval(roc, fpr=(0, 0.1))
        held += found.low <= truth <= found.high
        with monkeypatch.context() as score_limits_alone:
            score_limits_alone.setattr(partial, "_FEW", 0)
            found = rb.partial_auc_interval(roc, fpr=(0, 0.1))
        plain += found.low <= truth <= found.high
    assert held >= 0.97 * sets
    assert plain < least * sets


@pytest.mark.parametrize(
    ("labels", "scores"),
    [([1, 0], [2, 1]), ([1, 0], [1, 2]), ([1, 0, 0], [1, 1, 1]), ([1, 1, 0, 0], [4, 3, 2, 1])],
)
@pytest.mark.parametrize("span", [{"fpr": (0, 0.1)}, {"tpr": (0.9, 1)}])
def test_extremes_are_no_points(labels: list, scores: list, span: dict) -> None:
    found = rb.partial_auc_interval(labels, scores, **span)
    assert 0 <= found.low < found.high <= 0.1 + 1e-12
    if 1 in (found.n_pos, found.n_neg):
        assert found.standard_error is None
    drawn = rb.partial_auc_interval(labels, scores, method="bootstrap", rng=1, **span)
    assert ("no sign of certainty" in " ".join(drawn.notes)) == (drawn.low == drawn.high)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Exactly one of `fpr`, `specificity`, `tpr` and `sensitivity` .*none was"),
        ({"fpr": (0, 0.1), "tpr": (0.9, 1)}, "`fpr` and `tpr` were"),
        ({"fpr": (0.1, 0.1)}, "the smaller first"),
        ({"fpr": 0.1}, "two rates"),
        ({"tpr": (1, 0.9)}, r"the smaller first; got \(1, 0.9\).*tpr=\(0.9, 1\)"),
        ({"fpr": (0, 2)}, "between 0 and 1; got 2"),
        ({"fpr": (0, 0.1), "method": "delong"}, "one of placement, bootstrap; got 'delong'"),
        ({"fpr": (0, 0.1), "level": 95}, "Pass|pass level=0.95"),
        ({"fpr": (0, 0.1), "method": "bootstrap", "n_resamples": 30}, "30 resamples cannot show"),
    ],
)
def test_slips_are_refused_in_words(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.partial_auc_interval([1, 0, 1, 0], [4, 3, 2, 1], **options)


def test_the_same_rng_gives_the_same_limits() -> None:
    asked = {"fpr": (0, 0.1), "method": "bootstrap", "rng": 7}
    one, two = (rb.partial_auc_interval(SIM["y"], SIM["s1"], **asked) for _ in range(2))
    assert one.to_dict() == two.to_dict()
    assert one.quantity == "partial AUC (fpr 0 to 0.1)"


@pytest.mark.simulation
@pytest.mark.parametrize(("sizes", "ends"), [((10, 290), (0.2, 0.5)), ((150, 150), (0.0, 0.1))])
def test_intervals_hold_with_few_positives_and_over_small_ranges(sizes, ends) -> None:
    """Normal scores, AUC .75; the variance alone, without Student's t and a prior, is too small."""
    rng, reps, held, narrow = np.random.default_rng(11), 300, 0, 0
    shift = math.sqrt(2) * 0.6744898
    at = np.linspace(*ends, 20_001)
    truth = float(np.trapezoid(ndtr(shift + ndtri(np.maximum(at, 1e-12))), at))
    y = np.repeat([1, 0], sizes)
    for _ in range(reps):
        found = rb.partial_auc_interval(y, rng.normal(size=y.size) + shift * y, fpr=ends, level=0.9)
        held += found.low <= truth <= found.high
        assert found.standard_error is not None
        narrow += abs(found.estimate - truth) <= 0.8 * found.standard_error
    assert may_lie_in(held, reps, 0.88, 0.96, 0.9999)
    assert not may_lie_in(narrow, reps, 0.88, 0.96, 0.9999)


def test_a_full_area_is_excluded_only_by_evidence() -> None:
    """10% of the positives lie above all negatives: the area of tpr 0 to .1 is full."""
    rng, sets, level = np.random.default_rng(9), 200, 0.9
    labels, full, held, without = np.repeat([1, 0], [40, 174]), 0.1, 0, 0
    for _ in range(sets):
        top = (labels == 1) & (rng.random(labels.size) < 0.1)
        low = (labels == 0) & (rng.random(labels.size) < 0.5)
        scores = rng.random(labels.size) + np.where(labels == 1, 1.0 + 2.0 * top, 2.0 - 2.0 * low)
        found = rb.partial_auc_interval(labels, scores, tpr=(0, full), level=level)
        held += found.high == pytest.approx(full, abs=1e-12)
        # A score interval excludes a full area whenever that of the rows is not full.
        without += found.estimate == pytest.approx(full, abs=1e-12)
        turned = rb.partial_auc_interval(1 - labels, scores, fpr=(0, full), level=level)
        assert (turned.low, turned.high) == pytest.approx(
            (full - found.high, full - found.low), abs=1e-12
        )
    assert held >= sets * (level - 0.02)
    assert without < 0.75 * sets


@pytest.mark.parametrize(("seen", "full"), [(0, False), (1, True), (3, True)])
def test_how_many_cases_show_that_an_area_is_not_full(seen: int, full: bool) -> None:
    """Of 40 positives `seen` are above all negatives; P(Bin(40, .1) <= 0) = .015, <= 1: .080."""
    scores = np.r_[np.full(seen, 9.0), np.full(4, 5.0), np.full(36 - seen, 1.0)]
    labels = np.repeat([1, 0], [40, 100])
    others = np.r_[np.full(20, 6.0), np.full(80, 0.0)]
    found = rb.partial_auc_interval(labels, np.r_[scores, others], tpr=(0, 0.1), level=0.9)
    assert found.estimate < 0.1
    assert (found.high > 0.1 - 1e-12) == full


def test_many_rows_are_drawn_as_merged_steps_and_classes_apart_are_not(monkeypatch) -> None:
    rng = np.random.default_rng(8)
    labels = rng.random(40_000) < 0.3
    roc, part = rb.roc_curve(labels, rng.normal(size=labels.size) + labels), FprRange(0.0, 0.1)
    apart = rb.roc_curve(labels, rng.random(labels.size) + labels)
    found = rb.partial_auc_interval(apart, method="bootstrap", fpr=(0, 0.1), n_resamples=40, rng=1)
    assert (found.low, found.high) == (0.1, 0.1)
    monkeypatch.setattr(areas, "resample_areas", None)
    drawn = areas.draw_areas(roc, 2000, np.random.default_rng(1), part)
    assert drawn.std() == pytest.approx(math.sqrt(compute_variance(roc, part)), rel=0.07)

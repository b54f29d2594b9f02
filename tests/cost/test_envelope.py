"""The cost curve: R's numbers, brute force over all thresholds, the hull it is dual to."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.cost.envelope import find_upper_hull
from tests.golden_numbers import GOLDEN, columns
from tests.oracles import cost as oracle
from tests.strategies import labelled_scores

SIM = columns("sim500")


def test_six_rows() -> None:
    golden = json.loads((GOLDEN / "cost_and_exact_bootstrap.json").read_text(encoding="utf-8"))[
        "six_row"
    ]
    curve = rb.cost_curve(golden["y"], golden["s"])
    assert curve.w == pytest.approx(golden["envelope_w"], abs=1e-15)
    assert curve.cost == pytest.approx(golden["envelope_cost"], abs=1e-15)
    assert curve.threshold.tolist() == golden["piece_threshold"]
    assert curve.area == pytest.approx(golden["envelope_area"], abs=1e-15)
    assert curve.roc.auc == golden["auc"]
    pieces = rb.operating_points(golden["y"], golden["s"], threshold=curve.threshold)
    assert pieces.fpr.tolist() == golden["piece_fpr"]
    assert pieces.tpr.tolist() == golden["piece_tpr"]


def test_rocr_hull_and_cost_curve() -> None:
    curve = rb.cost_curve(SIM["y"], SIM["s1t"])
    hull = columns("roc_hull_rocr_sim_s1t")
    assert curve.hull_fpr == pytest.approx(hull["fpr"], abs=1e-12)
    assert curve.hull_tpr == pytest.approx(hull["tpr"], abs=1e-12)
    rocr = columns("cost_curve_rocr_sim_s1t")
    # ROCR repeats the end (1, 0) for the horizontal edge, as (1 + 4e-15, -4e-15).
    assert curve.w == pytest.approx(rocr["pcf"][:-1], abs=1e-12)
    assert curve.cost == pytest.approx(rocr["norm_exp_cost"][:-1], abs=1e-12)
    line = columns("cost_envelope_sim_s1t")
    assert curve.at(line["pcf"]) == pytest.approx(line["lower_envelope"], abs=1e-12)


def test_hmeasure() -> None:
    golden = columns("hmeasure")
    for name, auch, ks, mer in zip(
        *(golden[c] for c in ("curve", "AUCH", "KS", "MER")), strict=True
    ):
        curve = rb.cost_curve(SIM["y"], SIM[str(name).removeprefix("sim_")])
        assert curve.hull_auc == pytest.approx(auch, abs=1e-12)
        assert curve.ks == pytest.approx(ks, abs=1e-12)
        assert curve.minimum_error_rate == pytest.approx(mer, abs=1e-12)
        assert curve.at(0.5) == pytest.approx((1 - curve.ks) / 2, abs=1e-12)
        prevalence = curve.roc.n_pos / 500
        assert curve.at(prevalence) == pytest.approx(curve.minimum_error_rate, abs=1e-12)


@given(labelled_scores(max_size=12))
def test_envelope_by_brute_force(rows) -> None:
    y, s = rows
    listed = list(zip(y.tolist(), s.tolist(), strict=True))
    curve = rb.cost_curve(y, s)
    between = (curve.w[1:] + curve.w[:-1]) / 2
    m, k = oracle.sizes(listed)
    for w in (*np.linspace(0, 1, 11), *curve.w, *between):
        lowest = oracle.lowest_cost(listed, Fraction(float(w)))
        assert curve.at(w) == pytest.approx(float(lowest), abs=1e-14)
    # Each piece's threshold reaches the cost, unless it has to call an infinite score negative.
    for w, cut in zip(between, curve.threshold, strict=True):
        if not (cut == np.inf and np.isposinf(s).any()):
            fn, fp = oracle.errors(listed, cut)
            assert w * fn / m + (1 - w) * fp / k == pytest.approx(curve.at(w), abs=1e-14)
    falls = curve.threshold[1:] < curve.threshold[:-1]
    assert (falls | np.isposinf(curve.threshold[1:])).all()
    assert curve.threshold_at(curve.w[1:-1]).tolist() == curve.threshold[1:].tolist()
    assert curve.threshold_at([0, 1]).tolist() == curve.threshold[[0, -1]].tolist()
    gain = curve.beats_trivial
    better = [w for w in between if curve.at(w) < curve.trivial(w) - 1e-13]
    if gain is None:
        assert better == []
    else:
        assert better == [w for w in between if gain[0] < w < gain[1]]
        for end in gain:
            assert curve.at(end) == pytest.approx(curve.trivial(end), abs=1e-14)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), min_size=1, max_size=25)
)
def test_hull_corners_by_definition(moves) -> None:
    x, y = (np.concatenate(([0], np.cumsum(side))) for side in zip(*moves, strict=True))
    corners = set(find_upper_hull(x, y).tolist())
    last = len(x) - 1
    for j in range(len(x)):
        under = any(
            (y[j] - y[i]) * (x[h] - x[i]) <= (y[h] - y[i]) * (x[j] - x[i])
            for i in range(j)
            for h in range(j + 1, last + 1)
        )
        assert (j in corners) == (j in (0, last) or not under)


@pytest.mark.parametrize("most", [1, 4])
def test_corners_of_a_long_chain_are_those_of_a_walk(most: int) -> None:
    rng = np.random.default_rng(most)
    moves = rng.integers(0, most, (2, 30_000), endpoint=True)
    moves = moves[:, moves.any(axis=0)]
    x, y = np.concatenate((np.zeros((2, 1), int), np.cumsum(moves, axis=1)), axis=1)
    hull: list[int] = []
    for k in range(x.size):
        while len(hull) > 1:
            i, j = hull[-2:]
            if (y[j] - y[i]) * (x[k] - x[i]) > (y[k] - y[i]) * (x[j] - x[i]):
                break
            hull.pop()
        hull.append(k)
    assert find_upper_hull(x, y).tolist() == hull


def test_corners_are_exact_where_products_do_not_fit_a_machine_word() -> None:
    # 3.6e9 * 3e9 wraps to a negative number in 64 bits, 3e9 * 3e9 does not.
    fp, tp = np.array([0, 3, 6]) * 10**9, np.array([0, 36, 66]) * 10**8
    assert find_upper_hull(fp, tp).tolist() == [0, 1, 2]
    tp[1] = 33 * 10**8  # on the chord
    assert find_upper_hull(fp, tp).tolist() == [0, 2]
    tp[1] += 1  # above it by one case
    roc = rb.RocCurve.from_counts([2, 1], fp[1:], tp[1:])
    assert rb.cost_curve(roc).hull_fp.tolist() == fp.tolist()
    assert rb.cost_interval(roc, thresholds=2, w=0.5, sampling="full").reliable.tolist() == ["ok"]


def test_degenerate_sets() -> None:
    perfect = rb.cost_curve([1, 0], [2, 1])
    assert perfect.area == 0
    assert perfect.beats_trivial == (0.0, 1.0)
    assert perfect.threshold.tolist() == [2]
    tied = rb.cost_curve([1, 0, 1], [5, 5, 5])
    assert tied.beats_trivial is None
    assert tied.area == 0.25
    assert tied.threshold.tolist() == [np.inf, 5]
    assert "lower than they are" in str(tied)
    # A threshold of inf calls inf: wrong of the piece that calls no row, right of the next one.
    assert "inf" in " ".join(rb.cost_curve([0, 1], [np.inf, 1]).notes)
    called = rb.cost_curve([1, 1, 0, 0], [np.inf, 1, 2, 0])
    assert called.threshold.tolist() == [np.inf, 1]
    assert called.at(0.1) == pytest.approx(0.05)
    assert "inf" not in " ".join(called.notes)
    worst = rb.cost_curve([1, 0], [1, 2])
    assert worst.at(0.3) == pytest.approx(0.3)


def test_validation_thresholds() -> None:
    w = np.linspace(0, 1, 21)
    cut = rb.cost_thresholds(SIM["y"], SIM["s1"], w=w)
    assert (np.diff(cut.thresholds) <= 0).all()
    np.testing.assert_array_equal(cut.w, w)
    at = rb.cost_interval(SIM["y"], SIM["s1"], thresholds=cut)
    assert at.w.tolist() == w.tolist()
    assert at.cost == pytest.approx(rb.cost_curve(SIM["y"], SIM["s1"]).at(w), abs=1e-14)
    labels = np.where(SIM["y"] == 1, "ill", "well")
    assert rb.cost_thresholds(labels, SIM["s1"], w=w, positive="ill").thresholds.tolist() == (
        cut.thresholds.tolist()
    )


@pytest.mark.parametrize("prevalence", [0.5, 0.1])
def test_calibrated_thresholds_are_where_both_errors_weigh_the_same(prevalence: float) -> None:
    w = np.linspace(0, 1, 11)
    t = rb.cost.calibrated_thresholds(w, prevalence)
    # Among cases with posterior t the likelihood ratio is t (1 - p) / ((1 - t) p) = (1 - w) / w.
    assert t * (1 - prevalence) * w == pytest.approx((1 - t) * prevalence * (1 - w), abs=1e-15)
    assert t[[0, -1]].tolist() == [1.0, 0.0]
    with pytest.raises(rb.InputError, match="prevalence"):
        rb.cost.calibrated_thresholds(w, 1.0)
    with pytest.raises(rb.InputError, match="w"):
        rb.cost.calibrated_thresholds(1.5)


def test_corners_of_weighted_rows_are_those_of_repeated_rows() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y, times = np.arange(30) % 2, rng.integers(1, 4, 30)
        score = rng.integers(0, 6, 30) + y
        weighted = rb.cost_curve(rb.Sample(y, score, weights=0.1 * times))
        repeated = rb.cost_curve(np.repeat(y, times), np.repeat(score, times))
        assert weighted.threshold.tolist() == repeated.threshold.tolist()


def test_conditions_in_a_table_are_refused():
    with pytest.raises(rb.InputError, match=r"`w` must be numbers or .*; got shape \(1, 1\)"):
        rb.cost_thresholds([0, 1, 0, 1], [1, 2, 3, 4], w=[[0.2]])

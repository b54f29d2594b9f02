"""Intervals for the cost: reference vectors, complete enumeration, degenerate sets, refusals."""

from __future__ import annotations

import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import rocbands as rb
from rocbands.cost import METHODS
from rocbands.cost.conditions import build_conditions
from rocbands.cost.terms import CostTerms, list_ends
from tests.golden_numbers import GOLDEN, columns
from tests.oracles import cost as oracle
from tests.strategies import labelled_scores

SIM = columns("sim500")
VECTORS = json.loads((GOLDEN / "cost_and_exact_bootstrap.json").read_text(encoding="utf-8"))
NAMES = {"gauss": "gaussian", "exact_pct": "exact", "mover_wilson": "mover"}


def counted(fn: int, m: int, fp: int, k: int) -> rb.RocCurve:
    """A test set with these errors at threshold 2."""
    return rb.RocCurve.from_counts([3, 1], fp=[fp, k], tp=[m - fn, m])


@pytest.mark.parametrize("case", VECTORS["strat_single"], ids=lambda c: f"w={c['w']} fn={c['fn']}")
def test_stratified_vectors(case: dict) -> None:
    c = SimpleNamespace(**case)
    roc = counted(c.fn, c.m, c.fp, c.k)
    found = list_ends(roc, np.array([2]), build_conditions(c.w, sizes=(c.m, c.k)))[0]
    assert found.mean[0] == pytest.approx(c.mean, abs=1e-14)
    assert found.variance[0] == pytest.approx(c.var, rel=1e-12)
    for name, method in NAMES.items():
        got = rb.cost_interval(roc, method=method, thresholds=2, w=c.w, level=1 - c.alpha)
        assert (got.lower[0], got.upper[0]) == pytest.approx(case[name], abs=1e-9), method
        assert (got.fn[0], got.fp[0]) == (c.fn, c.fp)


@pytest.mark.parametrize(
    "case", VECTORS["full_single"], ids=lambda c: f"costs={c['c_fn']}:{c['c_fp']}"
)
def test_full_vectors(case: dict) -> None:
    c = SimpleNamespace(**case)
    roc = counted(c.fn, c.m, c.fp, c.k)
    costs, sizes = (c.c_fn, c.c_fp), (c.m, c.k)
    at = build_conditions(costs=costs, sampling="full", sizes=sizes)
    found = list_ends(roc, np.array([2]), at)[0]
    assert found.mean[0] == pytest.approx(c.mean, abs=1e-14)
    assert found.variance[0] == pytest.approx(c.var, rel=1e-12)
    # Equation 10 of Dugas and Gadoury (2009), as printed.
    n, fnr, fpr, largest = c.m + c.k, c.fn / c.m, c.fp / c.k, max(costs)
    printed = c.c_fn**2 * (c.m - c.fn) * fnr + c.c_fp**2 * c.fp * (1 - fpr)
    printed += (c.c_fn * fnr - c.c_fp * fpr) ** 2 * c.m * c.k / n
    assert found.variance[0] == pytest.approx(printed / (n * largest) ** 2, rel=1e-12)
    for name, method in NAMES.items():
        if name in case:
            got = rb.cost_interval(
                roc,
                method=method,
                thresholds=2,
                w=None,
                costs=costs,
                sampling="full",
                level=1 - c.alpha,
            )
            assert (got.lower[0], got.upper[0]) == pytest.approx(case[name], abs=1e-9), method
            assert got.normaliser == "max(c_fn, c_fp)"


shares = st.sampled_from([Fraction(x) for x in ("0", "1/7", "1/3", "3/10", "1/2", "9/10", "1")])


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 4),
    st.integers(0, 4),
    shares,
    st.integers(1, 19),
)
def test_stratified_law_by_drawing_every_resample(m, k, fn, fp, w, twentieths) -> None:
    fn, fp, level = min(fn, m), min(fp, k), Fraction(twentieths, 20)
    law = oracle.stratified_law(fn, m, fp, k, w)
    at = build_conditions(float(w), sizes=(m, k))
    found = CostTerms.of_counts(np.array([fn]), np.array([fp]), at)
    mean, variance, skewness = oracle.mean_variance_skewness(law)
    assert (found.mean[0], found.variance[0]) == pytest.approx((mean, variance), abs=1e-15)
    assert found.skewness[0] == pytest.approx(skewness, abs=1e-7)
    got = rb.cost_interval(
        counted(fn, m, fp, k), method="exact", thresholds=2, w=float(w), level=float(level)
    )
    assert (got.lower[0], got.upper[0]) == pytest.approx(oracle.percentiles(law, level), abs=1e-12)


costs = st.sampled_from([Fraction(x) for x in ("0", "1/3", "1", "2", "7/2")])


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 3),
    st.integers(0, 3),
    costs,
    costs,
    st.integers(1, 19),
)
def test_full_law_by_drawing_every_resample(m, k, fn, fp, c_fn, c_fp, twentieths) -> None:
    fn, fp, n, level = min(fn, m), min(fp, k), m + k, Fraction(twentieths, 20)
    if c_fn == c_fp == 0:
        return
    law = oracle.full_law(fn, fp, n, c_fn, c_fp)
    given_costs = (float(c_fn), float(c_fp))
    at = build_conditions(costs=given_costs, sampling="full", sizes=(m, k))
    found = CostTerms.of_counts(np.array([fn]), np.array([fp]), at)
    mean, variance, skewness = oracle.mean_variance_skewness(law)
    assert (found.mean[0], found.variance[0]) == pytest.approx((mean, variance), abs=1e-15)
    assert found.skewness[0] == pytest.approx(skewness, abs=1e-7)
    got = rb.cost_interval(
        counted(fn, m, fp, k),
        method="exact",
        thresholds=2,
        w=None,
        costs=given_costs,
        sampling="full",
        level=float(level),
    )
    assert (got.lower[0], got.upper[0]) == pytest.approx(oracle.percentiles(law, level), abs=1e-12)


@settings(deadline=None)
@given(
    labelled_scores(max_size=12),
    st.sampled_from([*METHODS]),
    st.sampled_from(["stratified", "full"]),
)
def test_promises_on_every_kind_of_set(rows, method, sampling) -> None:
    y, s = rows
    w = np.array([0, 1e-9, 0.1, 0.5, 0.5, 0.5, 0.8, 1 - 1e-12, 1])
    cut = np.array([np.inf, 2, 1, np.inf, 0, -np.inf, -1, -2, -np.inf])
    got = rb.cost_interval(y, s, method=method, thresholds=cut, w=w, sampling=sampling, level=0.9)
    listed = list(zip(y.tolist(), s.tolist(), strict=True))
    assert list(zip(got.fn, got.fp, strict=True)) == [oracle.errors(listed, t) for t in cut]
    assert np.isfinite([got.lower, got.cost, got.upper]).all()
    assert ((got.lower >= 0) & (got.lower <= got.upper) & (got.upper <= 1)).all()
    if method != "exact":
        assert ((got.lower <= got.cost) & (got.cost <= got.upper)).all()
    wide = rb.cost_interval(y, s, method=method, thresholds=cut, w=w, sampling=sampling, level=0.99)
    assert ((wide.lower <= got.lower + 1e-12) & (got.upper <= wide.upper + 1e-12)).all()
    if method == "mover":  # never certain because nothing varied
        assert (got.upper > got.lower).all()
    turned = rb.cost_interval(
        1 - y,
        -s,
        method=method,
        thresholds=np.nextafter(-cut, np.inf),
        w=1 - w,
        sampling=sampling,
        level=0.9,
    )
    if (turned.fn == got.fp).all() and (turned.fp == got.fn).all():
        assert turned.lower == pytest.approx(got.lower, abs=1e-9)
        assert turned.upper == pytest.approx(got.upper, abs=1e-9)


@pytest.mark.parametrize(("m", "k"), [(10, 10), (10, 12), (5, 50)])
@pytest.mark.parametrize("ratio", [1.0, 0.9])
def test_mover_where_all_rows_are_wrong_and_class_sizes_are_random(m, k, ratio) -> None:
    """No error can be of the other class, so distances of both classes must not cancel."""
    z = norm.ppf(0.975)
    reach = ratio * z**2 / (m + k + z**2)  # of Wilson's lower limit of m + k errors in m + k rows
    y, s = np.repeat([1, 0], [m, k]), np.repeat([0.0, 1.0], [m, k])
    how = {"costs": (1.0, ratio), "sampling": "full"}
    got = rb.cost_interval(y, s, thresholds=0.5, **how)
    assert got.cost[0] - got.lower[0] >= reach - 1e-12
    both = rb.cost_difference(y, s, 1.0 - s, thresholds=(0.5, 0.5), **how)  # one is always right
    assert both.difference[0] == pytest.approx(got.cost[0])
    assert both.difference[0] - both.lower[0] >= reach - 1e-12
    if ratio == 1.0:  # the cost is the share of errors
        assert (got.lower[0], got.upper[0]) == pytest.approx((1.0 - reach, 1.0), abs=1e-12)


def test_mover_is_wilson_at_the_ends_and_gaussian_for_many_rows() -> None:
    roc = counted(3, 20, 9, 30)
    ends = rb.cost_interval(roc, thresholds=2, w=[0, 1], level=0.9)
    z = norm.ppf(0.95)
    for i, (count, size) in enumerate([(9, 30), (3, 20)]):
        for end in (ends.lower[i], ends.upper[i]):
            assert (end - count / size) ** 2 == pytest.approx(z**2 * end * (1 - end) / size)
    large = counted(200_000, 10**6, 300_000, 10**6)
    mover, gaussian = (
        rb.cost_interval(large, method=method, thresholds=2, w=0.3)
        for method in ("mover", "gaussian")
    )
    width = (gaussian.upper - gaussian.lower)[0]
    assert mover.lower[0] == pytest.approx(gaussian.lower[0], abs=1e-2 * width)
    assert mover.upper[0] == pytest.approx(gaussian.upper[0], abs=1e-2 * width)


def test_costs_are_conditions() -> None:
    y, s = SIM["y"], SIM["s1"]  # 200 positives, 300 negatives
    by_cost = rb.cost_interval(y, s, thresholds=0.5, costs=(6, 1))
    assert by_cost.w == pytest.approx([0.8])
    assert "0.4" in " ".join(by_cost.notes)
    elsewhere = rb.cost_interval(y, s, thresholds=0.5, costs=([6, 9], 1), prevalence=0.1)
    assert elsewhere.w == pytest.approx([0.4, 0.5])
    assert elsewhere.notes == ()
    same = rb.cost_interval(y, s, thresholds=0.5, w=[0.4, 0.5])
    assert same.lower == pytest.approx(elsewhere.lower, abs=1e-15)
    assert rb.operating_condition(6, 1, 0.4) == pytest.approx(0.8)
    c_fn, c_fp = rb.cost.costs_at([0.2, 0.8], prevalence=0.4)
    assert rb.operating_condition(c_fn, c_fp, 0.4) == pytest.approx([0.2, 0.8])
    # The two scales differ by a known factor: larger cost against expected cost of all errors.
    full = rb.cost_interval(y, s, thresholds=0.5, costs=(6, 1), sampling="full")
    assert full.cost * 6 == pytest.approx(by_cost.cost * (0.4 * 6 + 0.6))
    assert full.w == pytest.approx(by_cost.w)
    swept = rb.cost_interval(y, s, thresholds=0.5, w=0.8, sampling="full")
    assert swept.upper == pytest.approx(full.upper, abs=1e-14)
    huge = rb.cost_interval(y, s, thresholds=0.5, costs=(6e307, 1e307), sampling="full")
    assert huge.upper == pytest.approx(full.upper, abs=1e-14)


@pytest.mark.parametrize(
    ("fn", "m", "fp", "k", "w", "word"),
    [
        (200, 1000, 200, 1000, 0.5, "ok"),
        (8, 1000, 200, 1000, 0.99, "caution"),
        (5, 1000, 200, 1000, 0.99, "unreliable"),
        (4, 1000, 200, 1000, 0.5, "unreliable"),
        (4, 1000, 200, 1000, 0.0, "ok"),
        (997, 1000, 200, 1000, 0.5, "unreliable"),
        (0, 1000, 0, 1000, 0.5, "unreliable"),
    ],
)
def test_reliability(fn, m, fp, k, w, word) -> None:
    assert rb.cost_interval(counted(fn, m, fp, k), thresholds=2, w=w).reliable.tolist() == [word]


def test_reliability_of_full_sampling_asks_for_the_three_outcomes() -> None:
    def word(fn: int, fp: int, c_fn: float, c_fp: float) -> str:
        sizes = (1000, 1000)
        at = build_conditions(costs=(c_fn, c_fp), sampling="full", sizes=sizes)
        return CostTerms.of_counts(np.array([fn]), np.array([fp]), at).reliability[0]

    assert word(300, 200, 1, 1) == "ok"
    assert word(4, 200, 1, 1) == "unreliable"
    assert word(4, 200, 0, 1) == "ok"
    assert word(998, 999, 1, 1) == "unreliable"
    assert word(998, 500, 1, 1) == "ok"  # few true positives matter only through the mix


def test_inside_is_inside_both_classes() -> None:
    y, s = np.array([1, 1, 1, 0, 0, 0]), np.array([5.0, 3, 2, 4, 1, 0])
    got = rb.cost_interval(y, s, thresholds=[5, 4, 3, 2, 1], w=[0.5] * 5)
    assert got.inside.tolist() == [False, True, True, True, False]


def test_one_threshold_and_many_conditions_or_the_other_way_round() -> None:
    line = rb.cost_interval(SIM["y"], SIM["s1"], thresholds=0.5, w=np.linspace(0, 1, 5))
    assert np.diff(line.cost, 2) == pytest.approx(0, abs=1e-15)
    many = rb.cost_interval(SIM["y"], SIM["s1"], thresholds=[0.1, 0.5], w=0.3)
    assert many.w.tolist() == [0.3, 0.3]
    assert many.fn[0] < many.fn[1]


def test_result_speaks_and_travels() -> None:
    frame = pd.DataFrame({"y": SIM["y"], "s": SIM["s1"]})
    w = np.linspace(0.01, 0.99, 30)
    got = rb.cost_interval(frame["y"], frame["s"], method="gaussian", thresholds=3 - 6 * w, w=w)
    assert repr(got) == (
        "<CostIntervals: cost at 30 operating conditions, 95% confidence intervals, gaussian>"
    )
    text = str(got)
    for word in ("pointwise, not simultaneous", "stratified", "p c_fn", "200 positives", "too few"):
        assert word in text
    table = got.to_frame()
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns)[:4] == ["w", "cost", "lower", "upper"]
    assert got.to_dict()["schema"] == "rocbands.cost-intervals/2"
    assert (
        json.loads(rb.cost_curve(frame["y"], frame["s"]).to_json())["schema"]
        == "rocbands.cost-curve/1"
    )
    with pytest.raises(ValueError, match="read-only"):
        got.lower[0] = 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Exactly one of `w` and `costs`.*neither was. Pass `w`, or `costs`."),
        ({"w": 0.5, "costs": (1, 1)}, "both were"),
        ({"w": 0.5, "prevalence": 0.3}, "goes with `costs`"),
        ({"w": 1.5}, "`w` must lie between 0 and 1"),
        ({"w": [[0.5]]}, "one-dimensional"),
        ({"costs": (1, -1)}, "`c_fp` must be a finite cost"),
        ({"costs": (0, 0)}, "not both be 0"),
        ({"costs": 5}, "costs=\\(10, 1\\)"),
        ({"costs": ([1, 2], [1, 2, 3])}, "equally long"),
        ({"costs": (1, 1), "prevalence": 1.0}, "prevalence"),
        ({"costs": (1, 1), "prevalence": 0.2, "sampling": "full"}, "share of positives is that of"),
        ({"w": 0.5, "sampling": "half"}, "sampling"),
        ({"w": 0.5, "method": "wald"}, "method"),
        ({"w": 0.5, "level": 95}, "level=0.95"),
        ({"w": [0.1, 0.2, 0.3]}, "2 for 3"),
        ({"w": 0.5, "thresholds": [np.nan, 1]}, "missing values"),
        (
            {"w": 1.5},
            "got 1.5. It is the weight of missed positives; rb.operating_condition\\(\\) makes it",
        ),
        ({"w": []}, "`w` must not be empty"),
        ({"costs": ([], [])}, "`costs` must not be empty"),
        ({"costs": (1, 1), "prevalence": 37}, "For 37% pass prevalence=0.37"),
        ({"costs": (1, 1), "prevalence": [0.1, 0.2]}, "must be one number"),
        ({"w": 0.5, "thresholds": None}, "chosen before the test set is seen; got None"),
        ({"w": 0.5, "thresholds": [[1, 2]]}, "a number or one-dimensional"),
        ({"w": 0.5, "thresholds": [[1, 2], [3]]}, "a number or one-dimensional"),
    ],
)
def test_refusals(options: dict, words: str) -> None:
    options = {"thresholds": [0.1, 0.2], **options}
    with pytest.raises(rb.InputError, match=words):
        rb.cost_interval(SIM["y"], SIM["s1"], **options)


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        (["ill", "well"], [1, 0], "Which label of `y_true` is positive"),
        ([1, 1], [1, 0], "`y_true` must contain both classes"),
        ([1, 0], [1, 0, 2], "`y_true` and `y_score` must have one value for each row"),
        ([1, 0], [1, np.nan], "`y_score` must not contain missing values"),
    ],
)
def test_slips_in_a_validation_set_name_it(labels: list, scores: list, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.cost_thresholds(labels, scores, w=0.5)


def test_costs_and_prevalences_must_fit() -> None:
    with pytest.raises(rb.InputError, match=r"`c_fn` and `c_fp` must be .* c_fn=10, c_fp=1"):
        rb.operating_condition([1, 2], [1, 2, 3], 0.5)
    with pytest.raises(rb.InputError, match="one for each cost; its shape is"):
        rb.operating_condition([1, 2], [1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(rb.InputError, match=r"prevalence=0\.02"):
        rb.operating_condition(1, 1, "rare")
    with pytest.raises(rb.InputError, match=r"For 5% pass prevalence=0\.05"):
        rb.cost.calibrated_thresholds(0.5, 5)


def test_results_explain_w() -> None:
    found = rb.cost_interval(SIM["y"], SIM["s1"], thresholds=0.5, costs=(9, 1), prevalence=0.1)
    assert found.prevalence == found.to_dict()["prevalence"] == 0.1
    assert "at 1 operating condition:" in str(found)
    assert "Cost per 1,000 rows in the given costs" in str(found)
    assert list(found.describe()[1])[:3] == ["cost_per_1000", "lower", "upper"]
    assert found.cost_per_1000 == pytest.approx(1000 * 1.8 * found.cost)
    dear = rb.cost_interval(SIM["y"], SIM["s1"], thresholds=0.5, costs=(9, 1), sampling="full")
    # By hand: what the errors on these rows cost, for 1,000 of them.
    paid = 1000 * (9 * dear.fn + dear.fp) / len(SIM["y"])
    assert dear.to_frame("pandas")["cost_per_1000"].tolist() == pytest.approx(paid.tolist())
    plain = rb.cost_interval(SIM["y"], SIM["s1"], thresholds=0.5, w=0.5)
    assert "cost_per_1000" not in plain.columns()
    said = " ".join(str(plain).split())
    assert "Cost = w fnr + (1 - w) fpr: 1 if every row is wrong." in said
    assert "with p = 0.4 positives, w = 0.5 means that a missed positive costs as" in said
    share = np.mean(SIM["y"])
    full = rb.cost_interval(
        SIM["y"], SIM["s1"], thresholds=0.5, w=np.linspace(0, 1, 40), sampling="full"
    )
    assert full.prevalence == pytest.approx(share)
    assert "(n max(c_fn, c_fp))" in str(full)
    assert "12 of 40 rows are shown" in str(full)
    few = rb.cost_interval(SIM["y"], SIM["s1"], thresholds=[-1.0, 9.0], w=[0.9, 0.1])
    assert "gaussian and exact limits would fail there, mover limits" in " ".join(str(few).split())
    for result in (found, full, few, rb.cost_curve(SIM["y"], SIM["s1"])):
        assert max(map(len, str(result).splitlines())) <= 96


def test_rows_must_be_of_one_test_set() -> None:
    folds = np.arange(500) % 5
    with pytest.raises(rb.InputError, match="folds"):
        rb.cost_interval(rb.Sample(SIM["y"], SIM["s1"], folds=folds).roc, thresholds=0.5, w=0.5)

"""Operating points: R's numbers, brute force, exact laws, and what is said when it matters."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, chi2

import rocbands as rb
from rocbands._math.binomial import clopper_pearson_limits, wilson_limits
from rocbands.core.method import Request
from rocbands.points.bootstrap import PointBootstrap
from rocbands.points.wilson import PointWilson
from tests.golden_numbers import columns
from tests.oracles import averaging
from tests.oracles import points as oracle
from tests.strategies import labelled_scores

SIM = columns("sim500")
UNTIED = [(1, 9.0), (0, 8.0), (1, 7.0), (1, 5.0), (0, 4.0), (1, 3.0), (0, 1.0)]
TIED = [(1, 3.0), (0, 3.0), (1, 3.0), (1, 2.0), (0, 2.0), (1, 1.0), (0, 1.0)]


def split(rows: averaging.Rows) -> tuple[list[int], list[float]]:
    return [y for y, _ in rows], [s for _, s in rows]


def test_best_points_are_those_of_r() -> None:
    golden = columns("coords_best")
    rows = zip(*golden.values(), strict=True)
    asked = 0
    for (curve, method, cost, share), cluster in groupby(rows, key=lambda row: row[:4]):
        found = sorted(cluster, key=lambda row: -row[4])  # from the highest threshold down
        best = {"youden": "youden", "closest.topleft": "corner"}[method]
        scores = SIM[curve.removeprefix("sim_")]
        at = rb.operating_points(SIM["y"], scores, best=best, costs=(cost, 1), prevalence=share)
        assert len(at) == len(found)
        for i, (_, _, _, _, threshold, specificity, sensitivity, *_) in enumerate(found):
            assert at.tpr[i] == pytest.approx(sensitivity, abs=1e-12)
            assert at.fpr[i] == pytest.approx(1 - specificity, abs=1e-12)
            below = scores[scores < at.threshold[i]].max()
            assert (at.threshold[i] + below) / 2 == pytest.approx(threshold, abs=1e-12)
        asked += 1
    assert asked == 16
    assert "tied for best" in " ".join(
        rb.operating_points(SIM["y"], SIM["s1"], best="cost", costs=(2, 1), prevalence=0.3).notes
    )


@settings(max_examples=40)
@given(
    rows=labelled_scores(max_size=7),
    weights=st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 9)),
)
def test_all_best_thresholds_by_brute_force(
    rows: tuple[np.ndarray, np.ndarray], weights: tuple[int, int, int]
) -> None:
    pairs = list(zip(rows[0].tolist(), rows[1].tolist(), strict=True))
    c_fn, c_fp, share = Fraction(weights[0]), Fraction(weights[1]), Fraction(weights[2], 10)
    losses = {
        "youden": lambda fpr, tpr: fpr - tpr,
        "corner": lambda fpr, tpr: (1 - tpr) ** 2 + fpr**2,
        "cost": lambda fpr, tpr: share * c_fn * (1 - tpr) + (1 - share) * c_fp * fpr,
    }
    for best, loss in losses.items():
        how = {"costs": (weights[0], weights[1]), "prevalence": float(share)}
        at = rb.operating_points(*rows, best=best, **(how if best == "cost" else {}))
        assert at.threshold.tolist() == oracle.best(pairs, loss)
        assert "Chosen on these rows" in at.notes[-1]


def test_the_prevalence_of_cost_is_that_of_the_data() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [30, 170])
    s = rng.normal(size=200) + 2 * y
    own = rb.operating_points(y, s, best="cost", costs=(3, 1))
    said = rb.operating_points(y, s, best="cost", costs=(3, 1), prevalence=0.15)
    assert own.threshold.tolist() == said.threshold.tolist()
    total = np.array([3 * ((s < t) & (y == 1)).sum() + ((s >= t) & (y == 0)).sum() for t in s])
    assert set(own.threshold) == set(s[total == total.min()])


def test_a_second_set_judges() -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [40, 60])
    first, second = (rng.normal(size=100) + y for _ in range(2))
    for how in ({"best": "youden"}, {"rate": 0.3}, {"fpr": 0.1}, {"tpr": [0.8, 0.9]}):
        cut = rb.operating_points(y, first, **how).threshold
        honest = rb.operating_points(y, first, test=(y, second), **how)
        plain = rb.operating_points(y, second, threshold=cut)
        assert honest.threshold.tolist() == cut.tolist()
        for name in ("fpr", "fpr_lower", "fpr_upper", "tpr", "tpr_lower", "tpr_upper"):
            assert getattr(honest, name).tolist() == getattr(plain, name).tolist()
        assert honest.notes == (
            "Thresholds were found on 40 positives and 60 negatives, and are evaluated on other rows.",
        )


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_fixed_thresholds_are_two_binomials(method: str) -> None:
    limits = {"wilson": wilson_limits, "clopper-pearson": clopper_pearson_limits}[method]
    y, s = split(TIED)
    for joint, level in ((False, 0.9), (True, np.sqrt(0.9))):
        at = rb.operating_points(
            y, s, threshold=[4, 2.5, 2, -9], method=method, level=0.9, joint=joint
        )
        for i, (fp, tp) in enumerate([(0, 0), (1, 2), (2, 3), (3, 4)]):
            for count, size, rate in ((fp, 3, "fpr"), (tp, 4, "tpr")):
                assert getattr(at, rate)[i] == count / size
                k = count if method == "clopper-pearson" else count / size
                low, high = limits(k, size, level)
                assert getattr(at, f"{rate}_lower")[i] == pytest.approx(low)
                assert getattr(at, f"{rate}_upper")[i] == pytest.approx(high)
        assert at.joint == joint


@settings(max_examples=40)
@given(rows=labelled_scores(max_size=12), share=st.integers(0, 20))
def test_rates_are_kept_and_not_wasted(rows: tuple[np.ndarray, np.ndarray], share: int) -> None:
    y, s = rows
    at = rb.operating_points(y, s, rate=share / 20)
    called = np.mean(s >= at.threshold[0])
    if not np.isposinf(s).any():
        assert called <= share / 20
    found = int((s[y == 1] >= at.threshold[0]).sum())
    for cut in s:  # of the thresholds within the share the highest that finds most
        called, more = np.mean(s >= cut), int((s[y == 1] >= cut).sum())
        if called <= share / 20:
            assert more < found or (more == found and cut <= at.threshold[0])


@pytest.mark.parametrize("rows", [UNTIED, TIED])
def test_points_at_fixed_rates_are_on_the_curve(rows: averaging.Rows) -> None:
    places = [Fraction(i, 20) for i in range(21)]
    asked = [float(p) for p in places]
    up = rb.operating_points(*split(rows), fpr=asked)
    across = rb.operating_points(*split(rows), tpr=asked)
    for i, place in enumerate(places):
        assert up.tpr[i] == pytest.approx(float(averaging.top(rows, place)), abs=1e-12)
        assert across.fpr[i] == pytest.approx(float(averaging.leftmost(rows, place)), abs=1e-12)
        fpr, tpr = averaging.rates(rows, up.threshold[i])
        assert fpr <= place
        assert float(tpr) <= up.tpr[i] + 1e-12
        assert averaging.rates(rows, across.threshold[i])[1] >= place
    tied_words = any("share a score" in note for note in up.notes)
    assert tied_words == (rows is TIED)


def test_likelihood_limits_by_brute_force() -> None:
    rng = np.random.default_rng(5)
    rows = [(1, float(s)) for s in rng.normal(1, 1, 9)]
    rows += [(0, float(s)) for s in rng.normal(0, 1, 14)]
    places, limit = [0.0, 0.01, 0.05, 0.2, 0.5, 0.9], chi2.ppf(0.9, 1) / 2
    at = rb.operating_points(*split(rows), fpr=places, level=0.9)
    for i, place in enumerate(places):
        for end, out in ((at.tpr_lower[i], -1e-5), (at.tpr_upper[i], 1e-5)):
            assert oracle.distance(rows, place, end) <= limit + 1e-6
            if 0 < end < 1:
                assert oracle.distance(rows, place, end + out) > limit
    across = rb.operating_points(*split(rows), tpr=0.8, level=0.9)
    assert oracle.distance(rows, across.fpr_lower[0], 0.8) == pytest.approx(limit, abs=1e-5)
    assert oracle.distance(rows, across.fpr_upper[0], 0.8) == pytest.approx(limit, abs=1e-5)


def test_at_fpr_0_only_the_upper_limit_knows_something() -> None:
    """No negative reaches the top score: with 0 of 0 expected, the positives above are binomial."""
    y, s = [1] * 6 + [0] * 4 + [1] * 2, list(range(12, 0, -1))
    at = rb.operating_points(y, s, fpr=[0, 1])
    assert at.tpr_lower[0] == 0
    high = at.tpr_upper[0]
    assert oracle.deviance(6, 8, high) == pytest.approx(chi2.ppf(0.95, 1) / 2, abs=1e-6)
    assert (at.tpr[1], at.tpr_lower[1], at.tpr_upper[1]) == (1, 1, 1)


def test_resampled_limits_are_the_exact_law_of_all_resamples() -> None:
    every = averaging.every_stratified_resample(UNTIED)
    roc, places = rb.roc_curve(*split(UNTIED)), [Fraction(1, 4), Fraction(1, 2)]
    at = np.array(places, dtype=float)
    request = Request(0.8, np.random.default_rng(0))
    found, wilson = (
        kind().compute_heights(roc, at, request) for kind in (PointBootstrap, PointWilson)
    )
    for i, place in enumerate(places):
        law = averaging.law(every, lambda rows: averaging.top(rows, place))  # noqa: B023
        low, high = averaging.quantiles(law, Fraction(4, 5))
        assert (found.low[i], found.high[i]) == pytest.approx((float(low), float(high)))
        e = float(sum(v * p for v, p in law.items()))
        v = float(sum((v - Fraction(e)) ** 2 * p for v, p in law.items()))
        low, high = wilson_limits(e, min(e * (1 - e) / v, 4), 0.8)
        assert wilson.low[i] == pytest.approx(min(low, found.value[i]), abs=1e-9)
        assert wilson.high[i] == pytest.approx(max(high, found.value[i]), abs=1e-9)


def test_shared_scores_are_resampled() -> None:
    asked = {"fpr": [0.5, 0.1], "level": 0.8, "rng": 1, "n_resamples": 4000}
    every = averaging.every_stratified_resample(TIED)
    at = rb.operating_points(*split(TIED), method="bootstrap", **asked)
    assert "from 4000 resamples" in at.notes[0]
    for i, place in enumerate((Fraction(1, 2), Fraction(1, 10))):
        law = averaging.law(every, lambda rows: averaging.top(rows, place))  # noqa: B023
        assert float(sum(p for v, p in law.items() if v < at.tpr_lower[i] - 1e-9)) < 0.12
        assert float(sum(p for v, p in law.items() if v <= at.tpr_lower[i] + 1e-9)) > 0.08
        assert float(sum(p for v, p in law.items() if v > at.tpr_upper[i] + 1e-9)) < 0.12
        assert float(sum(p for v, p in law.items() if v >= at.tpr_upper[i] - 1e-9)) > 0.08
    again = rb.operating_points(*split(TIED), method="bootstrap", **asked)
    assert again.to_dict() == at.to_dict()


@pytest.mark.parametrize("method", ["likelihood", "wilson", "bootstrap"])
def test_the_mirrored_problem(method: str) -> None:
    y, s, g = SIM["y"], SIM["s1"], np.array([0.7, 0.9, 0.95])
    one = rb.operating_points(y, s, tpr=g, method=method)
    two = rb.operating_points(1 - y, -s, fpr=1 - g, method=method)
    np.testing.assert_allclose(one.fpr, 1 - two.tpr, atol=1e-12)
    np.testing.assert_allclose(one.fpr_lower, 1 - two.tpr_upper, atol=1e-9)
    np.testing.assert_allclose(one.fpr_upper, 1 - two.tpr_lower, atol=1e-9)


EXTREMES = {
    "one positive": ([1, 0, 0, 0], [3, 4, 2, 1]),
    "one of each": ([1, 0], [2, 1]),
    "perfect": ([1, 1, 1, 0, 0], [5, 4, 3, 2, 1]),
    "upside down": ([1, 1, 0, 0], [1, 2, 3, 4]),
    "all tied": ([1, 0, 1, 0], [7, 7, 7, 7]),
    "infinite": ([1, 0, 1, 0], [np.inf, np.inf, 0, -np.inf]),
}
KINDS = [
    {"fpr": [0, 0.01, 0.5, 1]},
    {"tpr": [0, 0.01, 0.5, 1]},
    {"threshold": [-np.inf, 2, np.inf]},
    {"rate": [0, 0.5, 1]},
    {"best": "youden"},
    {"best": "corner"},
    {"best": "cost", "costs": (10, 1)},
]


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: next(iter(k)))
def test_extremes_are_ordinary(name: str, kind: dict) -> None:
    moving = next(iter(kind)) in ("fpr", "tpr")
    for method in (
        ("likelihood", "wilson", "bootstrap") if moving else ("wilson", "clopper-pearson")
    ):
        at = rb.operating_points(*EXTREMES[name], method=method, rng=1, **kind)
        table = at.to_frame("pandas")
        # Measures have no value where no row is called so; their limits are always there.
        lacking = ("ppv", "precision", "npv", "lr_pos", "lr_neg", "f1")
        defined = [name for name in table if name not in lacking]
        assert table[defined].notna().all(axis=None)
        assert at.to_json()
        assert repr(at)
        if method != "bootstrap" and not moving:
            assert (at.tpr_upper - at.tpr_lower > 0.1).all()


def test_infinite_scores_leave_no_room_above() -> None:
    at = rb.operating_points([1, 0, 1, 0], [np.inf, np.inf, 0, -np.inf], rate=0)
    assert at.threshold[0] == np.inf
    assert "no threshold calls every row negative" in at.notes[-1]
    assert rb.operating_points([0, 1], [np.inf, 0], best="youden").threshold.tolist() == [0]
    assert rb.operating_points([0, 1], [9, 0], best="youden").threshold.tolist() == [np.inf, 0]


def test_perfect_separation_is_not_certainty() -> None:
    y, s = np.repeat([1, 0], 20), np.arange(40)[::-1]
    at = rb.operating_points(y, s, fpr=0.1)
    assert at.tpr[0] == at.tpr_upper[0] == 1
    assert 0.7 < at.tpr_lower[0] < 0.95
    assert rb.operating_points(y, s, fpr=0.1, method="wilson").tpr_lower[0] < 0.9
    assert rb.operating_points(y, s, threshold=20, method="clopper-pearson").tpr_lower[
        0
    ] == pytest.approx(beta.ppf(0.025, 20, 1))


def test_short_limits_say_so() -> None:
    y, s = split(UNTIED)
    for method in ("wilson", "bootstrap"):
        words = " ".join(rb.operating_points(y, s, fpr=0.1, method=method).notes)
        assert "depend on 0.3 negatives and are too narrow" in words
    few = " ".join(rb.operating_points(y, s, fpr=0.1).notes)
    assert "too narrow" not in few
    assert "Few cases beyond a rate" in few


def test_labels_frames_and_types_come_back() -> None:
    y = pd.Series(["ill", "well", "ill", "well"])
    at = rb.operating_points(y, pd.Series([4, 3, 2, 1]), best="youden", positive="ill")
    assert isinstance(at.to_frame(), pd.DataFrame)
    assert at.threshold.dtype.kind == "i"
    assert at.threshold.tolist() == [4, 2]
    assert at.to_dict()["asked"] == "best youden"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Exactly one of `fpr`.*none was"),
        ({"fpr": 0.1, "best": "youden"}, "`fpr` and `best` were"),
        ({"best": "yuden"}, "one of youden, corner, cost, eer; got 'yuden'"),
        ({"fpr": 1.5}, "between 0 and 1; got 1.5"),
        ({"fpr": "a"}, "numbers between 0 and 1"),
        ({"threshold": [np.nan]}, "missing values"),
        ({"fpr": 0.1, "joint": True}, "`fpr` fixes one of them"),
        ({"fpr": 0.1, "method": "clopper-pearson"}, "one of likelihood, wilson, bootstrap"),
        ({"threshold": 1, "method": "bootstrap"}, "one of likelihood, wilson, clopper-pearson"),
        ({"threshold": 1, "test": ([1, 0], [1, 0])}, "`threshold` fixes them"),
        ({"best": "youden", "test": [1, 0, 1]}, r"Pass a Sample, or \(y_test, score_test\)"),
        ({"best": "cost", "costs": (0, 1)}, r"both above 0; got \(0, 1\)"),
        ({"best": "cost", "prevalence": 1}, "strictly between 0 and 1; got 1"),
        ({"rate": 0.1, "costs": (3.0, 1)}, r"weigh errors for `best`; `rate` was given"),
        ({"fpr": 0.1, "level": 1.0}, "strictly between 0 and 1"),
    ],
)
def test_slips_are_refused_in_words(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.operating_points([1, 0, 1, 0], [4, 3, 2, 1], **options)


def test_costs_whose_ratio_overflows_leave_the_highest_threshold() -> None:
    """A false positive that costs infinitely more than a miss: nobody is called positive."""
    y, s = [0, 1, 1, 1, 0, 1], [3.0, 1.0, 2.0, 5.0, 1.5, 4.0]
    found = rb.operating_points(y, s, best="youden", costs=(1e-12, 1e300))
    assert found.fpr[0] == 0.0


@pytest.mark.parametrize("none", [[], [[]]])
def test_no_points_are_a_table_without_rows(none: Any) -> None:
    found = rb.operating_points([0, 1, 0, 1], [0.1, 0.4, 0.3, 0.2], sensitivity=none)
    assert found.tpr.size == 0
    assert found._repr_html_().count("<tr") == 1

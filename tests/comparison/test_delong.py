"""DeLong's test: R's numbers, all pairs counted, clusters, and what must not break."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import ndtr

import rocbands as rb
from rocbands.comparison import (
    BootstrapTest,
    BootstrapTTest,
    DeLongTest,
    ScoreDeLongTest,
    VenkatramanTest,
)
from rocbands.comparison.areas import measure_pair
from rocbands.comparison.delong import ScoreDifference, contrast_areas
from rocbands.core import counting
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair
from rocbands.core.score_variance import ScoreVariance, score_limits
from tests.judge import may_lie_in
from tests.oracles import compare as oracle

GOLDEN = Path(__file__).parents[1] / "golden"


def columns() -> dict[str, np.ndarray]:
    with (GOLDEN / "sim500.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


SIM = columns()
Y = SIM["y"].astype(int)
with (GOLDEN / "delong_tests.csv").open(encoding="utf-8") as FILE:
    TESTS = list(csv.DictReader(FILE))


def near(value: str) -> object:
    return pytest.approx(float(value), abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("row", TESTS, ids=lambda row: f"{row['curve1']} {row['curve2']}")
def test_r_agrees(row: dict[str, str]) -> None:
    one, two = (SIM[row[name].removeprefix("sim_")] for name in ("curve1", "curve2"))
    plain = DeLongTest()
    found = rb.compare(Y, one, two, method=plain)
    assert found.estimates == (near(row["auc1"]), near(row["auc2"]))
    assert found.difference == near(row["diff"])
    assert (found.low, found.high) == (near(row["diff_lo95"]), near(row["diff_hi95"]))
    assert (found.statistic, found.pvalue) == (near(row["z"]), near(row["p_two"]))
    for side in ("less", "greater"):
        turned = rb.compare(Y, one, two, alternative=side, method=plain)
        assert turned.pvalue == near(row[f"p_{side}"])
    apart = rb.compare(rb.Sample(Y, one), rb.Sample(Y, two), method=plain)
    assert (apart.statistic, apart.df, apart.pvalue) == (
        near(row["unpaired_D"]),
        near(row["unpaired_df"]),
        near(row["unpaired_p"]),
    )


def test_r_agrees_on_the_covariance() -> None:
    known = json.loads((GOLDEN / "delong_cov.json").read_text(encoding="utf-8"))["sim"]
    models = {name: SIM[name.removeprefix("sim_")] for name in known["order"]}
    many = rb.compare_many(rb.Sample(Y, models))
    assert many.covariance == pytest.approx(np.array(known["cov"]), abs=1e-15, rel=1e-9)


@st.composite
def pairs(draw: st.DrawFn, least: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels and two models' scores, often tied, sometimes infinite."""
    labels = np.repeat([1, 0], [draw(st.integers(least, 7)), draw(st.integers(least, 7))])
    labels = labels[draw(st.permutations(range(labels.size)))]
    value = draw(st.sampled_from([st.integers(0, 2), st.integers(0, 50)])).map(float)
    value = value | st.sampled_from([np.inf, -np.inf]) if draw(st.booleans()) else value
    size = {"min_size": labels.size, "max_size": labels.size}
    return labels, np.array(draw(st.lists(value, **size))), np.array(draw(st.lists(value, **size)))


@given(pairs())
def test_all_pairs_counted(rows) -> None:
    labels, one, two = rows
    expected = np.array(oracle.delong_covariance(labels.tolist(), (one, two)), dtype=float)
    both = np.array([[1, 0], [0, 1], [1, -1]])  # the models and their difference
    expected = both @ expected @ both.T
    single = rb.Sample(labels, {"a": one, "b": two}, clusters=np.arange(labels.size))
    by_engine = measure_pair(Pair.from_sample(single)).covariance.total
    assert by_engine == pytest.approx(expected, abs=1e-14)
    with pytest.MonkeyPatch.context() as patch:  # more than one piece
        patch.setattr(counting, "PIECE", 3)
        found = measure_pair(read_pair(labels, one, two)).covariance.total
    assert found == pytest.approx(expected, abs=1e-14)


@given(pairs(), st.integers(0, 2**32))
def test_the_order_of_the_rows_does_not_matter(rows, seed) -> None:
    labels, one, two = rows
    order = np.random.default_rng(seed).permutation(labels.size)
    for method in (ScoreDeLongTest(), VenkatramanTest(40), BootstrapTest(40), BootstrapTTest(40)):
        here, there = (
            rb.compare(labels[r], one[r], two[r], method=method, level=0.9, rng=1)
            for r in (slice(None), order)
        )
        assert here.pvalue == pytest.approx(there.pvalue, abs=1e-12), method.name
        assert here.low == pytest.approx(there.low, abs=1e-9), method.name


@given(pairs())
def test_signs(rows) -> None:
    """Exchanging the models turns the sign, so does turning the scores around; both classes too."""
    labels, one, two = rows
    found = rb.compare(labels, one, two)
    turned = [
        rb.compare(labels, two, one),
        rb.compare(labels, -one, -two),
        rb.compare(1 - labels, one, two),
    ]
    for other in turned:
        assert other.difference == pytest.approx(-found.difference, abs=1e-12)
        assert other.low == pytest.approx(-found.high, abs=1e-12)
        assert other.pvalue == pytest.approx(found.pvalue, abs=1e-12)
    both = rb.compare(1 - labels, -one, -two)
    assert both.low == pytest.approx(found.low, abs=1e-12)
    less = rb.compare(labels, one, two, alternative="less")
    greater = rb.compare(labels, two, one, alternative="greater")
    assert less.pvalue == pytest.approx(greater.pvalue, abs=1e-12)
    assert less.high == pytest.approx(-greater.low, abs=1e-12)


@given(pairs(), st.data())
def test_clusters_term_by_term(rows, data) -> None:
    labels, one, two = rows
    clusters = data.draw(st.lists(st.integers(0, 3), min_size=labels.size, max_size=labels.size))
    names = np.array(clusters)
    if any(np.unique(names[labels == k]).size < 2 for k in (0, 1)):
        with pytest.raises(rb.InputError, match="at least two clusters"):
            rb.compare(rb.Sample(labels, {"model 1": one, "model 2": two}, clusters=clusters))
        return
    weights = data.draw(st.lists(st.integers(1, 5), min_size=labels.size, max_size=labels.size))
    design = {"clusters": clusters, "weights": weights, "strata": [g % 2 for g in clusters]}
    left_out = data.draw(st.lists(st.sampled_from(sorted(design)), max_size=2))
    design = {name: each for name, each in design.items() if name not in left_out}
    if "clusters" not in design and len(set(design.get("strata", [0]))) < 2:
        design.pop("strata", None)
    expected = oracle.design_variance(labels.tolist(), one.tolist(), two.tolist(), **design)
    found = rb.compare(rb.Sample(labels, {"model 1": one, "model 2": two}, **design))
    if expected > 1e-12:
        assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-9)
    alone = rb.compare(
        rb.Sample(labels, {"model 1": one, "model 2": two}, clusters=np.arange(labels.size))
    )
    assert alone.pvalue == pytest.approx(rb.compare(labels, one, two).pvalue, abs=1e-12)


@pytest.mark.parametrize(
    "method", ["score-delong", "delong", "bootstrap", "bootstrap-t", "venkatraman"]
)
@pytest.mark.parametrize("twin", [lambda s: s, lambda s: 2 * s + 1], ids=["same", "stretched"])
def test_identical_models(method: str, twin) -> None:
    found = rb.compare(Y, SIM["s1t"], twin(SIM["s1t"]), method=method, rng=1)
    assert (found.difference, found.pvalue) == (0.0, 1.0)
    assert (found.low, found.high) == (0.0, 0.0)
    assert any("rank all rows equally" in note for note in found.notes)
    assert found.statistic == 0.0


def test_no_spread_is_not_no_doubt() -> None:
    """Two different perfect models, or a perfect and a constant one: the interval is no point."""
    labels = np.repeat([1, 0], [20, 30])
    perfect = labels + np.linspace(0, 0.5, 50)
    for other in (labels - np.linspace(0, 0.5, 50), np.zeros(50)):
        found = rb.compare(labels, perfect, other)
        assert found.high - found.low > 0.1
        assert -1 <= found.low <= found.high <= 1
        assert found.pvalue > 0
        apart = rb.compare(rb.Sample(labels, perfect), rb.Sample(labels, other))
        assert apart.high - apart.low > 0.1


def test_margin_and_verdicts() -> None:
    found = rb.compare(rb.Sample(Y, {"new": SIM["s1t"], "old": SIM["s1"]}), margin=0.02)
    plain = rb.compare(Y, SIM["s1t"], SIM["s1"], alternative="greater", level=0.95)
    assert found.margin == 0.02
    assert found.low == plain.low > -0.02
    assert found.pvalue < 0.05
    assert found.verdict == "Not inferior: new is not worse than old by 0.02 or more in AUC."
    close = rb.compare(Y, SIM["s1t"], SIM["s1"], margin=0.005)
    assert close.pvalue > 0.05
    assert close.low < -0.005
    assert "not shown" in close.verdict
    # The limit is where the margin's test is just undecided.
    edge = rb.compare(Y, SIM["s1t"], SIM["s1"], margin=-plain.low)
    assert edge.pvalue == pytest.approx(0.05, abs=1e-12)


MISTAKES = {
    "margin": ({"margin": 2}, "between 0 and 1; got 2"),
    "margin side": ({"margin": 0.1, "alternative": "less"}, "Exchange them to ask"),
    "alternative": ({"alternative": "more"}, "one of two-sided, less, greater"),
    "method": ({"method": "wilcoxon"}, "must be one of score-delong, delong, bootstrap"),
    "direction": ({"method": "venkatraman", "margin": 0.1}, "no direction; `margin` was given"),
    "side": (
        {"method": "venkatraman", "alternative": "less"},
        "direction; `alternative` was given",
    ),
    "same rows": ({"method": "likelihood"}, "does not compare on the same rows"),
    "two test sets": ({"y_true_2": [0, 1]}, "Two test sets are two samples"),
    "resamples": ({"method": "bootstrap", "n_resamples": 3}, "`n_resamples`"),
    "rare": ({"method": "bootstrap", "n_resamples": 100, "level": 0.999}, "cannot show"),
    "no resamples": ({"n_resamples": 100}, "'score-delong' has no parameter 'n_resamples'"),
    "names": ({"names": ("a", "b")}, "Name the models in the sample"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name: str) -> None:
    options, words = MISTAKES[name]
    with pytest.raises(rb.InputError, match=words):
        rb.compare([1, 0, 1, 0], [1, 2, 3, 4], [4, 3, 1, 2], **options)


def test_one_positive() -> None:
    rows = ([1, 0, 0], [3, 2, 1], [1, 2, 3])
    for method in ("score-delong", "delong", "bootstrap", "bootstrap-t"):
        with pytest.raises(rb.InputError, match="at least 2 positives"):
            rb.compare(*rows, method=method)
    found = rb.compare(*rows, method="venkatraman", rng=1)
    assert (found.low, found.high) == (-1.0, 1.0)
    assert 0 < found.pvalue <= 1


def test_results_go_everywhere() -> None:
    found = rb.compare(Y, SIM["s1"], SIM["s2"], margin=0.05)
    many = rb.compare_many(rb.Sample(Y, {"a": SIM["s1"], "b": SIM["s2"], "c": SIM["s1t"]}))
    for result in (found, many):
        facts = json.loads(result.to_json(), parse_constant=pytest.fail)
        table = facts.get("columns", {"pvalue": [facts["pvalue"]]})  # of one pair: single values
        assert len(result.to_frame("pandas")) == len(table["pvalue"])
        assert "<table>" in result._repr_html_()
        assert max(map(len, str(result).splitlines())) <= 100
        ax = result.plot(Figure().subplots())
        assert len(ax.get_yticklabels()) == len(table["pvalue"])


def test_copies_within_clusters_make_nothing_certain() -> None:
    y, g = np.array([1, 1, 0, 0, 1, 0, 1, 0]), np.array([0, 1, 2, 3, 0, 1, 2, 3])
    perfect = np.array([5, 6, 1, 2, 7, 3, 8, 0])
    errors = [
        rb.compare(
            rb.Sample(
                np.repeat(y, k),
                {"model 1": np.repeat(perfect, k), "model 2": np.zeros(8 * k)},
                clusters=np.repeat(g, k),
            )
        ).standard_error
        for k in (1, 25)
    ]
    assert errors[0] == pytest.approx(errors[1])


@pytest.mark.parametrize("method", ["score-delong", "delong", "bootstrap", "bootstrap-t"])
def test_resamples_that_never_differ_prove_nothing(method: str) -> None:
    y = np.repeat([1, 0], 5)
    found = rb.compare(y, y + np.arange(10) % 5 * 0.1, np.zeros(10), method=method, rng=1)
    assert found.pvalue > 0.1
    assert found.low < 0
    four = rb.compare([1, 1, 0, 0], [4, 3, 2, 1], [9, 8, 2, 1], method=method, margin=0.05, rng=1)
    assert four.pvalue > 0.1


def test_what_cannot_be_compared_is_refused() -> None:
    sample = rb.Sample([1, 0, 1, 0], {name: [1, 2, 3, 4] for name in "abc"})
    with pytest.raises(rb.InputError, match=r"the sample has 3\. Choose two, as sample"):
        rb.compare(sample)
    with pytest.raises(rb.InputError, match="`method` must be one of"):
        rb.compare([1, 0, 1, 0], [1, 2, 3, 4], [1, 3, 2, 4], method=["x"])


# ----------------------------------------------------------------------------------- score limits


def find_score(pair: Pair) -> ScoreDifference:
    areas, parts, *_ = measure_pair(pair)
    found = contrast_areas(areas[0] - areas[1], parts, alike=False)
    return ScoreDifference.from_models(areas, parts, found)


def test_limits_of_a_difference_by_numbers_of_another_program() -> None:
    """The formula itself, with the correlation as it is estimated and no shortest arm."""
    y = [1] * 5 + [0] * 6
    one, two = [9, 8, 7, 3, 6, 5, 4, 2, 1, 0, 3], [9, 5, 6, 2, 7, 8, 4, 3, 1, 0, 2]
    pair = read_pair(y, one, two)
    score = find_score(pair)
    correlation = score.correlation / (1 - 0.5 / 5)
    assert correlation == pytest.approx(0.7634276593, abs=1e-9)
    plain = replace(score, correlation=correlation, wald_error=0.0, wald_df=math.inf)
    assert plain.limits(0.025) == pytest.approx((-0.0774602211, 0.3462153737), abs=1e-9)
    swapped = replace(plain, aucs=plain.aucs[::-1], variances=plain.variances[::-1])
    assert swapped.limits(0.05) == pytest.approx((-0.3121933558, 0.0412802175), abs=1e-9)
    pair = read_pair(y, [2] * 5 + [1] * 6, two)
    score = find_score(pair)
    plain = replace(score, wald_error=0.0, wald_df=math.inf)
    assert plain.correlation == 0.0
    assert plain.limits(0.025) == pytest.approx((-0.1258651977, 0.5968843752), abs=1e-9)


@settings(max_examples=40)
@given(pairs(), st.sampled_from([0.8, 0.95, 0.999]), st.booleans())
def test_score_limits_are_nested_and_mirrored(rows, level, paired) -> None:
    labels, one, two = rows

    def compare(first, second, level) -> rb.results.Comparison:
        if paired:
            return rb.compare(labels, first, second, level=level)
        return rb.compare(rb.roc_curve(labels, first), rb.roc_curve(labels, second), level=level)

    found = compare(one, two, level)
    assert -1 <= found.low <= found.difference <= found.high <= 1
    swapped = compare(two, one, level)
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low), abs=1e-12)
    wider = compare(one, two, (1 + level) / 2)
    assert wider.low <= found.low
    assert found.high <= wider.high


def test_a_margin_is_tested_by_the_limits() -> None:
    y, one, two = Y[::6], SIM["s2"][::6], SIM["s1"][::6]
    one, two = (one, two) if rb.compare(y, one, two).difference < 0 else (two, one)
    limit = rb.compare(y, one, two, alternative="greater", level=0.95).low
    for shift, below in ((-1e-6, True), (1e-6, False)):
        margin = -(limit + shift)
        assert 0 < margin < 1
        found = rb.compare(y, one, two, margin=margin)
        assert (found.pvalue < 0.05) == below
        assert found.pvalue == pytest.approx(0.05, abs=1e-4)


def test_the_interval_of_unequal_models_near_one_holds_and_wald_s_does_not() -> None:
    """AUC .99 against .95 on the same 60 rows: exponential scores, 10 positives."""
    rng, reps, held, plain, warned = np.random.default_rng(8), 250, 0, 0, 0
    labels, truth = np.repeat([1, 0], [10, 50]), 0.99 - 0.95
    wald = DeLongTest()
    for _ in range(reps):
        common, own = rng.normal(size=(2, 60))
        uniform = ndtr([common, 0.8 * common + 0.6 * own])
        # A positive's score is that of a negative times A / (1 - A).
        scores = [
            -np.log(u) * np.where(labels == 1, odds, 1.0)
            for u, odds in zip(uniform, (99.0, 19.0), strict=True)
        ]
        found, other = rb.compare(labels, *scores), rb.compare(labels, *scores, method=wald)
        held += found.low <= truth <= found.high
        plain += other.low <= truth <= other.high
        warned += any("too narrow near AUC 1" in note for note in other.notes)
    assert may_lie_in(held, reps, 0.93, 1.0, 0.9999)
    assert not may_lie_in(plain, reps, 0.93, 1.0, 0.9999)
    assert warned > 0.9 * reps


def test_limits_of_a_tail_of_zero_leave_nothing_out() -> None:
    low, high = score_limits(0.7, ScoreVariance(np.array(0.1), np.array(5.0)), 0.0)
    assert (low, high) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0))

"""Bounds at a rate: what every method promises, unequal folds, odd inputs, and what is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import rocbands as rb
from rocbands.rates import (
    METHODS,
    Adjust,
    BaselineNormal,
    BaselineT,
    Conditional,
    Discard,
    Exact,
    Parametric,
    RateTable,
    bound_table,
)
from rocbands.rates.consensus import Consensus
from rocbands.rates.distribution import compute_count_pmf
from tests.oracles import rates as oracle
from tests.rates.variants import HalfCount, PaperParametric, Unconfined
from tests.strategies import labelled_scores

FAST = {
    "parametric": Parametric(),
    "paper with the exact law": Parametric(continuity=False),
    "exact": Exact(),
    "baseline-t": BaselineT(),
    "baseline-normal": BaselineNormal(),
    "baseline-normal unclipped": Unconfined(),
    "baseline-beta": METHODS["baseline-beta"](),
}
DRAWN = {
    "conditional": Conditional(400),
    "discard": Discard(400),
    "adjust": Adjust(400),
    "nodes": PaperParametric(),
}
CONFINED = {name: m for name, m in (FAST | DRAWN).items() if name != "baseline-normal unclipped"}


def by_id(methods: dict[str, object]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("method", methods.values(), ids=list(methods))


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Equal folds with ties, from two rows on; perfect and inverted ones among them."""
    n_pos, n_neg = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    y = np.repeat([1, 0], [n_pos, n_neg])
    score = st.lists(st.integers(0, 9), min_size=y.size, max_size=y.size)
    rows = draw(st.lists(score, min_size=2, max_size=4))
    return np.array([oracle.ranked_labels(y, np.array(row)) for row in rows])


@by_id(FAST)
@settings(max_examples=25)
@given(table=tables())
def test_swapped_classes_give_the_mirrored_limits(method, table: np.ndarray) -> None:
    m, n = table.shape
    n_pos = round(table[0].sum())
    n_neg = n - n_pos
    one = bound_table(table, method)
    other = bound_table(1 - table[:, ::-1], method)
    shift = m * (n_neg - np.arange(n + 1))
    for here, there in ((one.lower, other.lower), (one.upper, other.upper)):
        assert there[::-1] * m * n_neg == pytest.approx(shift + here * m * n_pos, abs=1e-6)


@pytest.mark.parametrize("method", [Conditional(8000), Adjust(8000)])
def test_drawn_limits_are_mirrored_but_for_chance(method) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [6, 10])
    table = np.array([oracle.ranked_labels(y, rng.normal(size=16) + y) for _ in range(4)])
    one = bound_table(table, method, rng=1)
    other = bound_table(1 - table[:, ::-1], method, rng=2)
    shift = 4 * (10 - np.arange(17))
    for here, there in ((one.lower, other.lower), (one.upper, other.upper)):
        assert np.abs(there[::-1] * 40 - shift - here * 24).max() <= 1.0


@by_id(CONFINED)
@settings(max_examples=10)
@given(table=tables(), level=st.sampled_from([0.5, 0.95]), new=st.booleans())
def test_limits_are_ordered_and_possible(
    method, table: np.ndarray, level: float, new: bool
) -> None:
    future = RateTable.from_labels(table).totals if new else None
    limits = bound_table(table, method, level=level, future=future, rng=1)
    n = table.shape[1]
    n_pos, k = table[0].sum(), np.arange(n + 1)
    low, high = np.maximum(0, k - (n - n_pos)) / n_pos, np.minimum(k, n_pos) / n_pos
    assert (limits.lower >= low - 1e-12).all()
    assert (limits.lower <= limits.upper).all()
    assert (limits.upper <= high + 1e-12).all()
    assert limits.lower[[0, -1]].tolist() == limits.upper[[0, -1]].tolist() == [0, 1]


def test_unclipped_limits_leave_the_square() -> None:
    table = [[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1]]
    assert bound_table(table, Unconfined()).upper.max() > 1
    assert bound_table(table, BaselineNormal()).upper.max() == 1


@by_id(CONFINED)
@settings(max_examples=5)
@given(data=labelled_scores(max_size=8))
def test_only_ranks_within_folds_count(method, data: tuple[np.ndarray, np.ndarray]) -> None:
    y, s = np.tile(data[0], 3), np.concatenate([np.roll(data[1], i) for i in range(3)])
    fold = np.repeat([0, 1, 2], data[0].size)
    one = rb.rate_bounds(rb.Sample(y, s, folds=fold), method=method, rng=1)
    ranks = np.unique(s, return_inverse=True)[1] ** 3 + 1000.0 * fold
    other = rb.rate_bounds(
        rb.Sample(y, ranks, folds=np.array(["c", "b", "a"])[fold]), method=method, rng=1
    )
    assert other.tpr_lower == pytest.approx(one.tpr_lower, abs=1e-12)
    assert other.tpr_upper == pytest.approx(one.tpr_upper, abs=1e-12)
    assert other.tpr == pytest.approx(one.tpr, abs=1e-12)


def uneven() -> RateTable:
    rows = ([1, 1, 0, 1, 0, 0, 1, 0], [1, 0, 1, 0], [0, 1, 1, 0])
    return RateTable(
        tuple(np.array(row, float) for row in rows), np.array([4, 2, 2]), np.array([4, 2, 2])
    )


def test_exact_limits_of_unequal_folds_by_brute_force() -> None:
    table, rates = uneven(), np.arange(5) / 4
    limits = bound_table(table, "exact", rates=rates, level=0.8)
    curve = table.curve
    large, small = (oracle.count_law(curve.share, np.diff(curve.edges), p, p) for p in (4, 2))
    new = bound_table(table, "exact", rates=rates, level=0.8, future=table.totals)
    for i in range(5):
        law = oracle.sum_law(large[2 * i], 1)
        law = np.convolve(law, oracle.sum_law(small[i], 2))
        below, above = np.cumsum(law) - law, np.cumsum(law[::-1])[::-1] - law
        assert limits.lower[i] * 8 == max(t for t in range(9) if below[t] <= 0.1 + 1e-10)
        assert limits.upper[i] * 8 == min(t for t in range(9) if above[t] <= 0.1 + 1e-10)
        mean = law @ np.arange(9)
        assert limits.mean[i] * 8 == pytest.approx(mean)
        twice = np.convolve(law, law)
        below = np.cumsum(twice) - twice
        least = max(t for t in range(17) if below[t] <= 0.1 + 1e-10)
        lowest = max(0, 2 * i - 4) + 2 * max(0, i - 2)
        assert new.lower[i] * 8 == max(lowest, np.floor(least - mean + 1e-9))


def test_exact_limits_between_places_of_equal_folds_are_on_straight_lines() -> None:
    table = [[1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1]]
    places = bound_table(table, "exact")
    rates = np.array([0.0, 0.1, 0.3, 0.5, 0.9])
    between = bound_table(table, "exact", rates=rates)
    assert between.lower == pytest.approx(np.interp(rates, np.arange(5) / 4, places.lower))
    assert between.upper == pytest.approx(np.interp(rates, np.arange(5) / 4, places.upper))


@by_id(FAST)
def test_equal_folds_are_a_case_of_unequal_ones(method) -> None:
    table = np.array([[1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1]], float)
    rates = np.arange(5) / 4
    plain = bound_table(table, method)
    # The same folds cut so fine that the common curve has unequal bins.
    curve = RateTable.from_labels(table).curve
    edges = np.unique(np.append(curve.edges, [0.1, 0.6]))
    share = curve.share[np.searchsorted(curve.edges, edges[1:]) - 1]
    other = RateTable.from_labels(table)
    object.__setattr__(other, "curve", type(curve)(edges, share))
    cut = method(Consensus.by_counts(other, rates), level=0.95)
    assert cut.lower == pytest.approx(plain.lower, abs=1e-10)
    assert cut.upper == pytest.approx(plain.upper, abs=1e-10)


@by_id({name: FAST[name] for name in ("parametric", "baseline-t", "exact")})
def test_unequal_folds_are_mirrored_too(method) -> None:
    rows = ([1, 1, 0, 1, 0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 0])
    arrays = tuple(np.array(row, float) for row in rows)
    n_pos = np.array([sum(row) for row in rows])
    n_neg = np.array([len(row) for row in rows]) - n_pos
    swapped = RateTable(tuple(1 - row[::-1] for row in arrays), n_neg, n_pos)
    # Between places of a fold the exact method takes one by chance, and chance has no mirror.
    rates = np.linspace(0, 1, 5 if method == Exact() else 21)
    one = bound_table(RateTable(arrays, n_pos, n_neg), method, rates=rates)
    other = bound_table(swapped, method, rates=rates)
    shift = n_neg.sum() - 16 * rates
    for here, there in ((one.lower, other.lower), (one.upper, other.upper)):
        assert there[::-1] * n_neg.sum() == pytest.approx(shift + here * n_pos.sum(), abs=1e-6)


def test_reference_scheme_cuts_each_curve_on_the_isometric() -> None:
    table = RateTable.from_labels([[1, 1, 0, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 1, 0, 0]])
    rates = np.linspace(0, 1, 17)
    at = Consensus.by_reference(table, rates, 0.7)
    for labels, apart in zip(table.folds, at.apart, strict=True):
        tpr = np.concatenate(([0], np.cumsum(labels) / 3))
        fpr = np.concatenate(([0], np.cumsum(1 - labels) / 5))
        assert at.tpr + 2 * apart == pytest.approx(np.interp(rates, 0.7 * tpr + 0.3 * fpr, tpr))
    assert at.curve.prevalence == pytest.approx(0.7)
    assert np.interp(rates, at.curve.edges, at.curve.tpr) == pytest.approx(at.tpr)
    # At the folds' own prevalence both schemes are one.
    counts, own = Consensus.by_counts(table, rates), Consensus.by_reference(table, rates, 3 / 8)
    assert own.tpr == pytest.approx(counts.tpr)
    assert own.size == pytest.approx(counts.size)


def test_first_order_variance_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [80, 120])
    table = RateTable.from_labels(
        [oracle.ranked_labels(y, rng.normal(size=200) + y) for _ in range(5)]
    )
    rates = np.linspace(0.1, 0.9, 9)
    exact = Consensus.by_counts(table, rates).moments
    near = Consensus.by_reference(table, rates, 0.4).moments
    assert near[0] == pytest.approx(exact[0], rel=0.01)
    assert np.sqrt(near[1] / exact[1]) == pytest.approx(1, abs=0.06)


def binormal(rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat([1, 0], [n_pos, n_neg])
    return y, rng.normal(size=y.size) + y


def test_folds_of_other_prevalence_are_cut_at_a_reference() -> None:
    rng = np.random.default_rng(5)
    sizes = [(25, 25), (10, 40), (30, 15), (40, 60)]
    parts = [binormal(rng, *size) for size in sizes]
    y, s = (np.concatenate(column) for column in zip(*parts, strict=True))
    fold = np.repeat(range(4), [sum(size) for size in sizes])
    with pytest.warns(rb.RocBandsWarning, match=r"from 0\.2 to 0\.667.*scheme='reference'"):
        bounds = rb.rate_bounds(rb.Sample(y, s, folds=fold))
    assert bounds.scheme == "reference"
    assert "share of positives of 0.4286" in str(bounds)
    with pytest.warns(rb.RocBandsWarning, match="biased"):
        counts = rb.rate_bounds(rb.Sample(y, s, folds=fold), scheme="counts")
    assert counts.scheme == "counts"
    assert (counts.tpr[20:180] < bounds.tpr[20:180]).mean() > 0.8  # acting on poor folds in vain
    drawn = rb.rate_bounds(
        rb.Sample(y, s, folds=fold), method="conditional", scheme="reference", rng=1
    )
    assert np.abs(drawn.tpr_lower - bounds.tpr_lower).max() < 0.05
    assert np.abs(drawn.tpr_upper - bounds.tpr_upper).max() < 0.05
    with pytest.raises(rb.InputError, match="add up over folds"):
        rb.rate_bounds(rb.Sample(y, s, folds=fold), method="exact", scheme="reference")
    elsewhere = rb.rate_bounds(rb.Sample(y, s, folds=fold), prevalence=0.1)
    assert elsewhere.prevalence == 0.1
    with pytest.raises(rb.InputError, match="has none"):
        rb.rate_bounds(rb.Sample(y, s, folds=fold), scheme="counts", prevalence=0.1)


def test_folds_of_one_class() -> None:
    y = [1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0]
    s = np.arange(12.0)
    fold = np.repeat([0, 1, 2], 4)
    y[4:8] = [0] * 4
    with pytest.warns(rb.RocBandsWarning, match="biased"):
        kept = rb.rate_bounds(rb.Sample(y, s, folds=fold), scheme="counts")
    assert kept.n_folds == 3
    for name in ("exact", "conditional", "discard", "adjust", "baseline-t"):
        with pytest.warns(rb.RocBandsWarning, match="biased"):
            assert (
                rb.rate_bounds(
                    rb.Sample(y, s, folds=fold), method=name, scheme="counts", rng=1
                ).tpr_lower
                >= 0
            ).all()
    with pytest.warns(rb.RocBandsWarning, match="1 of 3 folds have one class only"):
        dropped = rb.rate_bounds(rb.Sample(y, s, folds=fold), scheme="reference")
    assert dropped.n_folds == 2


ODD = {
    "perfect": ([0, 0, 1, 1], [1, 2, 3, 4]),
    "inverted": ([1, 1, 0, 0], [1, 2, 3, 4]),
    "all tied": ([0, 1, 1, 0], [1, 1, 1, 1]),
    "one of each": ([0, 1], [2, 1]),
    "one positive": ([0] * 30 + [1], list(range(31))),
    "imbalance": ([0] * 300 + [1, 1], [0.1] * 150 + list(range(152))),
    "infinite": ([0, 1, 0, 1], [-np.inf, np.inf, np.inf, 0]),
}


@by_id(CONFINED)
@pytest.mark.parametrize("kind", ODD)
def test_odd_inputs_are_ordinary(method, kind: str) -> None:
    y, s = (np.array(column) for column in ODD[kind])
    folds = None
    if method.least_folds > 1:
        y, s, folds = np.tile(y, 2), np.tile(s, 2), np.repeat([0, 1], y.size)
    for future in (None, (int(y.sum()), int((1 - y).sum()))):
        bounds = rb.rate_bounds(rb.Sample(y, s, folds=folds), method=method, future=future, rng=1)
        low, high = bounds.feasible
        assert (bounds.tpr_lower >= low - 1e-12).all()
        assert (bounds.tpr_upper <= high + 1e-12).all()
        for rate in (bounds.fpr, bounds.fpr_lower, bounds.fpr_upper, bounds.tpr):
            assert ((rate >= 0) & (rate <= 1)).all()
        assert (bounds.fpr_lower <= bounds.fpr_upper + 1e-12).all()
        json.loads(bounds.to_json())
    if method == Parametric():
        inner = slice(1, -1)
        assert (
            bounds.tpr_upper[inner] > bounds.tpr_lower[inner]
        ).all()  # never sure of anything between


def test_large_sets_are_near_the_exact_law() -> None:
    y, s = binormal(np.random.default_rng(8), 900, 1600)
    bounds = rb.rate_bounds(y, s, method="parametric", rate=[0.01, 0.2, 0.5, 0.99])
    table = RateTable.from_labels(y[np.argsort(-s)])
    pmf = compute_count_pmf(table.curve, 900, 1600)[[25, 500, 1250, 2475]]
    assert bounds.model_mean * 900 == pytest.approx(pmf @ np.arange(901), abs=0.1)
    exact = rb.rate_bounds(y, s, method="exact", rate=[0.01, 0.2, 0.5, 0.99])
    for i, law in enumerate(pmf):
        below = np.cumsum(law)
        assert exact.tpr_lower[i] * 900 == pytest.approx(np.searchsorted(below, 0.025), abs=1)
        assert exact.tpr_upper[i] * 900 == pytest.approx(np.searchsorted(below, 0.975), abs=1)
    # The beta distribution has one pseudo count at either end.
    assert bounds.tpr_lower == pytest.approx(exact.tpr_lower, abs=3 / 900)
    assert rb.rate_bounds(y, s).rate.size == 201
    between = rb.rate_bounds(y, s, method="exact", rate=[0.2001])
    assert between.tpr_lower[0] == pytest.approx(exact.tpr_lower[1], abs=2 / 900)


@pytest.mark.simulation
def test_prediction_is_wider_by_the_root_of_two() -> None:
    rng = np.random.default_rng(2)
    table = np.array([oracle.ranked_labels(*binormal(rng, 30, 30)) for _ in range(8)])
    for method in (Parametric(), Exact(), Conditional(4000), BaselineT(), Adjust(4000)):
        plain, new = (bound_table(table, method, future=f, rng=1) for f in (None, (240, 240)))
        ratio = (new.upper - new.lower)[20:40] / (plain.upper - plain.lower)[20:40]
        assert ratio.mean() == pytest.approx(2**0.5, abs=0.06)


def test_folds_that_differ_are_noticed() -> None:
    rng = np.random.default_rng(6)
    y = np.tile(np.repeat([1, 0], [25, 25]), 10)
    fold = np.repeat(np.arange(10), 50)
    noise = rng.normal(size=500)
    alike = rb.rate_bounds(rb.Sample(y, noise + y, folds=fold))
    apart = rb.rate_bounds(
        rb.Sample(y, noise + y * np.repeat(rng.normal(1, 0.8, 10), 50), folds=fold)
    )
    assert alike.heterogeneity == pytest.approx(1, abs=0.6)
    assert apart.heterogeneity > 2
    assert "baseline-t" in str(apart)
    assert "baseline-t" not in str(alike)
    assert rb.rate_bounds(y, noise).heterogeneity is None


@by_id({name: m for name, m in (FAST | DRAWN).items() if name not in ("parametric", "nodes")})
def test_limits_without_width_are_not_passed_off_as_certain(method) -> None:
    perfect, folds = ([1, 1, 0, 0] * 3, [4, 3, 2, 1] * 3), np.repeat([0, 1, 2], 4)
    found = rb.rate_bounds(rb.Sample(*perfect, folds=folds), method=method, rate=[0, 0.5, 1], rng=1)
    assert found.tpr_lower[1] == found.tpr_upper[1]
    assert "At 1 of 3 rates the limits are a point" in str(found)
    assert "point" not in str(rb.rate_bounds(rb.Sample(*perfect, folds=folds), rate=[0, 0.5, 1]))
    assert "point" not in str(
        rb.rate_bounds(rb.Sample(*perfect, folds=folds), method=method, rate=[0, 1], rng=1)
    )


def test_folds_of_single_rows_say_nothing_about_recall() -> None:
    y = np.arange(20) % 2
    with pytest.warns(rb.RocBandsWarning, match="Shares of positives"):
        found = rb.rate_bounds(
            rb.Sample(y, y + 0.5, folds=np.arange(20)),
            method="parametric",
            rate=0.1,
            scheme="counts",
        )
    assert "is not certainty" in " ".join(str(found).split())


@pytest.mark.parametrize("scheme", ["counts", "reference"])
def test_how_much_folds_differ_does_not_hang_on_the_rates_asked_for(scheme) -> None:
    rng = np.random.default_rng(6)
    y = np.tile(np.repeat([1, 0], [25, 25]), 10)
    fold, score = np.repeat(np.arange(10), 50), rng.normal(size=500) + y
    everywhere = rb.rate_bounds(rb.Sample(y, score, folds=fold), scheme=scheme)
    for rates in (0.05, [0.02, 0.5], 1.0):
        some = rb.rate_bounds(rb.Sample(y, score, folds=fold), scheme=scheme, rate=rates)
        assert some.heterogeneity == everywhere.heterogeneity


@pytest.mark.simulation
@pytest.mark.parametrize("n_folds", [2, 3])
def test_few_folds_of_one_curve_are_seldom_called_different(n_folds: int) -> None:
    rng = np.random.default_rng(0)
    y = np.tile(np.repeat([1, 0], [10, 10]), n_folds)
    fold = np.repeat(np.arange(n_folds), 20)
    told = [
        "more than one curve"
        in str(rb.rate_bounds(rb.Sample(y, rng.normal(size=y.size) + y, folds=fold)))
        for _ in range(100)
    ]
    assert sum(told) <= 10  # a bar of 1.5 whatever their number is passed 17 and 15 times


@pytest.mark.parametrize("method", [Conditional(200), Discard(200), Adjust(200)])
def test_chance_is_repeatable(method, monkeypatch: pytest.MonkeyPatch) -> None:
    table = RateTable.from_labels([[1, 1, 0, 0, 1, 0], [1, 0, 1, 0, 0, 1]])
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", "1")
    one = bound_table(table, method, rng=7)
    monkeypatch.setenv("ROCBANDS_NUM_THREADS", "2")
    assert (bound_table(table, method, rng=7).lower == one.lower).all()
    assert (bound_table(table, method, rng=7).upper == one.upper).all()


def test_vertical_averaging_is_something_else() -> None:
    table = RateTable.from_labels([[1, 1, 0, 0], [1, 0, 1, 0]])
    at = table.vertical_average(np.array([0.0, 0.25, 0.5, 1.0]))
    assert at == pytest.approx([0.75, 0.875, 1.0, 1.0])
    tied = RateTable.from_labels([[0.5, 0.5]])
    assert tied.vertical_average(np.array([0.25])) == pytest.approx([0.25])


@pytest.mark.parametrize(
    "labels", [[[1, 2, 0]], [[0.5, 0.5, 0.5]], [[1, np.nan, 0]], [[0, 0, 0]], [[1, 1], [1, 1]]]
)
def test_ranked_labels_are_checked(labels) -> None:
    with pytest.raises(rb.InputError, match="Ranked labels must"):
        bound_table(labels)


def test_vertical_averaging_needs_curves() -> None:
    table = RateTable.from_labels([[1, 1, 0, 0], [0, 0, 0, 0]])
    with pytest.raises(rb.InputError, match="both classes in each fold"):
        table.vertical_average(np.array([0.5]))


def test_result_speaks() -> None:
    sample = rb.load_example()
    bounds = rb.rate_bounds(sample["logistic"])
    assert bounds.sentence_at(0.2) == (
        "At an alert rate of 20% (114 of 569 cases, scores from 0.76) we find 46 of 100 positives "
        "(41 to 51); 86 of 100 alerts are right."
    )
    assert bounds.sentence == bounds.sentence_at(28 / 569)
    assert bounds.sentence_at(0) == "At an alert rate of 0% no case is acted on, and none is found."
    assert rb.rate_bounds(sample["logistic"], rate=[0, 0.2]).sentence == bounds.sentence_at(0.2)
    assert "for the recall in the population" in str(bounds)
    assert bounds.coverage == "pointwise"
    there = bounds.at([0.3, 0.2])
    assert there.rate.tolist() == [0.2, 0.3]
    record = json.loads(bounds.to_json())
    assert record["target"] == "recall in the population"
    assert record["columns"]["rate"] == pytest.approx((np.arange(570) / 569).tolist())
    new = rb.rate_bounds(sample["logistic"], future=(212, 357))
    assert new.target == "curve of a new test set of 212 positives and 357 negatives"
    frame = pd.DataFrame({"y": sample.is_positive, "s": sample["logistic"].values})
    out = rb.rate_bounds(frame["y"], frame["s"]).to_frame()
    assert isinstance(out, pd.DataFrame)
    isometric = bounds.prevalence * out["tpr"] + (1 - bounds.prevalence) * out["fpr"]
    assert isometric.to_numpy() == pytest.approx(out["rate"].to_numpy())


def test_limits_are_not_carried_beyond_their_rates() -> None:
    sample = rb.load_example()
    bounds = rb.rate_bounds(sample["logistic"], rate=[0.1, 0.3])
    for wrong in (0.05, 0.9, [0.2, 0.31]):
        with pytest.raises(rb.InputError, match=r"from 0.1 to 0.3; got"):
            bounds.at(wrong)
    with pytest.raises(rb.InputError, match="it is empty"):
        bounds.at([])
    with pytest.raises(rb.InputError, match="one number; got 2"):
        bounds.sentence_at([0.1, 0.2])
    assert bounds.sentence_at([0.3]) == bounds.sentence_at(0.3)
    assert bounds.at(0.1 + 0.2).rate.size == 1  # rounding alone is not beyond


def test_many_rates_between_round_ones_can_be_shown() -> None:
    sample = rb.load_example()
    rates = np.linspace(0.011, 0.019, 30)
    bounds = rb.rate_bounds(sample["logistic"], rate=rates)
    assert "At an alert rate of 1.9%" in str(bounds)
    assert 4 <= len(bounds.describe()[1]["rate"]) <= 12


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "likelihood"}, "must be one of score, parametric, exact"),
        ({"method": "baseline-t"}, "at least two folds"),
        ({"rate": [0.1, 1.2]}, "`rate` must lie between 0 and 1"),
        ({"rate": []}, "must contain at least one rate"),
        ({"scheme": "A"}, "`scheme` must be one of counts, reference"),
        ({"prevalence": 1}, "`prevalence` must be a number"),
        ({"future": "yes"}, "`future` must be two whole numbers"),
        ({"future": (2, 2), "prevalence": 0.2}, "`future` determines the share of positives"),
        ({"future": (3, 2), "method": "exact"}, r"`future` must be \(2, 2\); got \(3, 2\)"),
        ({"level": 95}, "level=0.95"),
        ({"method": Conditional(50), "level": 0.99}, "cannot show what happens 1 time in 200"),
    ],
)
def test_mistakes_are_explained(options: dict[str, object], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.rate_bounds([0, 1, 0, 1], [1, 2, 3, 4], **options)


@pytest.mark.parametrize(
    "make", [lambda: Parametric(continuity="paper"), lambda: Conditional(5), lambda: Adjust(2.5)]
)
def test_parameters_are_checked(make) -> None:
    with pytest.raises(rb.InputError, match="must be"):
        make()


@pytest.mark.simulation
def test_true_curve_is_inside_as_often_as_the_level_says() -> None:
    """A quick look: 60 tables of the paper's base design; methods/rate-results.md section 3."""
    rng = np.random.default_rng(9)
    t = np.linspace(-5, 5, 4001)
    k = np.arange(5, 46)
    true = np.interp(-k / 50, -(norm.sf(t) + norm.sf(t + 1)) / 2, norm.sf(t))
    inside = {"parametric": [], "exact": [], "baseline-normal": []}
    y = np.repeat([1, 0], [25, 25])
    for _ in range(60):
        order = np.argsort(-(rng.normal(size=(10, 50)) + y), axis=1)
        for name, seen in inside.items():
            limits = bound_table(y[order].astype(float), name)
            seen.append(((limits.lower[k] <= true) & (true <= limits.upper[k])).mean())
    assert 0.92 < np.mean(inside["parametric"]) < 0.995
    assert 0.92 < np.mean(inside["exact"]) < 0.995
    assert np.mean(inside["baseline-normal"]) < np.mean(inside["parametric"])  # too short


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("size", "rate", "level"), [(163, 0.1, 0.8), (163, 0.3, 0.95), (50, 0.2, 0.8)]
)
def test_negatives_that_were_not_seen_are_allowed_for(size: int, rate: float, level: float) -> None:
    """2% of the negatives score as 98% of the positives do: often none is acted on."""
    rng = np.random.default_rng(size)
    y = np.repeat([1.0, 0.0], size)
    true, held = 0.98 * 2.0 * rate, {Parametric(): 0, HalfCount(): 0}
    for _ in range(200):
        high = rng.random(2 * size) < np.where(y == 1.0, 0.98, 0.02)
        table = RateTable.from_labels(
            y[np.argsort(-(30.0 * high + rng.normal(size=2 * size)))][None]
        )
        for method in held:
            limits = bound_table(table, method, level=level, rates=np.array([rate]))
            held[method] += int(limits.lower[0] <= true <= limits.upper[0])
    assert held[Parametric()] >= 200 * (level - 0.03)
    assert held[HalfCount()] < 200 * (level - 0.05)  # half a count is not enough


def test_a_rate_has_cases_a_threshold_and_a_precision() -> None:
    rng = np.random.default_rng(4)
    y = (np.arange(200) % 4 == 0).astype(int)
    s = rng.normal(y).round(1)
    found = rb.rate_bounds(y, s, rate=[0.0, 0.1, 0.25, 1.0])
    assert found.cases.tolist() == [0, 20, 50, 200]
    # By hand: ranked rows, tied ones sharing their mean label.
    order = np.argsort(-s, kind="stable")
    ranked = np.array([y[s == score].mean() for score in s[order]])
    for i, count in enumerate(found.cases):
        if count:
            assert found.precision[i] == pytest.approx(ranked[:count].mean())
        within = [t for t in s if np.count_nonzero(s >= t) <= count]
        assert found.threshold[i] == (min(within) if within else np.inf)
    folds = rb.rate_bounds(rb.Sample(y, s, folds=np.arange(200) // 100), rate=[0.1])
    assert folds.threshold is None
    assert "threshold" not in folds.columns()
    few = str(rb.rate_bounds(y, y + 0.0, rate=[0.05]))
    said = " ".join(few.split())
    assert "(10 of 200 cases: 50 cases share the score 1, of which 10 are chosen at random)" in said
    assert (
        "At this rate no more than 20 of 100 can be found in these rows; the limits allow" in said
    )
    assert "At rates up to 5% the threshold is inf" in said


def test_sentences_of_tied_scores_count_whole_cases() -> None:
    """Of 113 rows, 22 have the highest score and 16 the next (pROC's data set aSAH)."""
    data = pd.read_csv(Path(__file__).parents[1] / "golden" / "asah.csv")
    bounds = rb.rate_bounds(rb.Sample(data["outcome"], data["wfns"], positive="Poor"))
    assert bounds.sentence.startswith(
        "At an alert rate of 5.31% (6 of 113 cases: 22 cases share the score 5, of which 6 are chosen "
        "at random) we find 12 of 100 positives (4 to 16); about 5 of these 6 are positive. At this rate no more "
        "than 15 of 100 can be found in these rows; the limits allow for another share"
    )
    assert (
        "(23 of 113 cases: threshold 5 uses 22 of these places; the next 16 cases share the score 4, "
        "of which 1 is chosen at random)" in bounds.sentence_at(0.2)
    )
    assert "scores from 5)" in bounds.sentence_at(22 / 113)  # all of the first cluster
    best = rb.rate_bounds(rb.Sample(data["outcome"], data["s100b"], positive="Poor"))
    assert "scores from 0.74) we find 15 of 100 positives (7 to 19); all 6 are positive." in (
        best.sentence
    )
    fixed = rb.rate_bounds(
        rb.Sample(data["outcome"], data["s100b"], positive="Poor"), sampling="stratified", rate=0.05
    )
    assert fixed.sentence.endswith("no more than 14 of 100 can be found in these rows.")
    assert fixed.tpr_upper[0] <= fixed.feasible[1][0]
    future = rb.rate_bounds(
        rb.Sample(data["outcome"], data["wfns"], positive="Poor"), future=(30, 70), rate=0.2
    )
    assert "(20 of 100 cases) we find" in future.sentence

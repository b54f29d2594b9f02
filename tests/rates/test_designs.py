"""Recall at a rate with weights, clusters and strata.

Numbers of the thirty rows were computed by a separate program that has the formulas row by row; the
limits of the recall there are on a grid of 5e-5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

import rocbands as rb
from rocbands.design.effective_number import find_effective
from rocbands.rates.score import count_effective_rows

ROW = np.arange(30)
Y = (7 * ROW % 10 < 4).astype(int)
W = 1 + (13 * ROW % 7) ** 2 / 4
G = ROW // 3
H = G % 2
S1, S2 = 10 * (11 * ROW % 30) + 83 * Y, 10 * (17 * ROW % 30) + 47 * Y
DESIGNS: dict[str, dict[str, Any]] = {
    "independent": {},
    "weights": {"weights": W},
    "clusters": {"clusters": G},
    "both": {"weights": W, "clusters": G},
    "strata": {"weights": W, "clusters": G, "strata": H},
}
RECALL = {
    "independent": (0.5000, 0.2993, 0.7007),
    "weights": (0.5099, 0.2408, 0.7777),
    "clusters": (0.5000, 0.2749, 0.7252),
    "both": (0.5099, 0.2020, 0.8152),
    "strata": (0.5099, 0.1872, 0.8296),
}
DIFFERENCE = {
    "independent": (0.166667, -0.109178, 0.442511),
    "weights": (0.094059, -0.267363, 0.455481),
    "clusters": (0.166667, -0.196416, 0.529749),
    "both": (0.094059, -0.418790, 0.606909),
    "strata": (0.094059, -0.449865, 0.637984),
}
EVERY = pytest.mark.parametrize("name", DESIGNS)
RATES = [0.0, 0.05, 0.123, 0.3, 0.55, 0.87, 1.0]


def two(**design: Any) -> rb.Sample:
    return rb.Sample(Y, {"a": S1, "b": S2}, **design)


def bounds(sample: Any, rate: Any = RATES, **asked: Any) -> np.ndarray:
    found = rb.rate_bounds(sample, rate=rate, **asked)
    names = ("tpr", "tpr_lower", "tpr_upper", "fpr", "fpr_lower", "fpr_upper")
    return np.array([getattr(found, name) for name in names])


def gap(sample: rb.Sample, rate: Any = RATES, **asked: Any) -> np.ndarray:
    found = rb.rate_difference(sample, rate=rate, **asked)
    return np.array([found.difference, found.lower, found.upper, found.pvalue])


@EVERY
def test_recall_of_thirty_rows(name: str) -> None:
    np.testing.assert_allclose(
        bounds(two(**DESIGNS[name])["a"], 0.3)[:3, 0], RECALL[name], atol=1e-4
    )


@EVERY
def test_differences_of_thirty_rows(name: str) -> None:
    found = rb.rate_difference(two(**DESIGNS[name]), rate=0.3)
    np.testing.assert_allclose(gap(two(**DESIGNS[name]), 0.3)[:3, 0], DIFFERENCE[name], atol=6e-7)
    assert (len(found.notes) > 0) == (name != "independent")


@EVERY
@pytest.mark.parametrize("width", [1, 70, 200])
def test_effective_rows_are_those_of_the_rows_one_by_one(name: str, width: int) -> None:
    # Scores are tied in steps of `width`, which a rate cuts through.
    roc = rb.Sample(Y, S1 // width, **DESIGNS[name]).roc
    rates, near = np.array([0.02, 0.1, 0.31, 0.5, 0.77, 0.98]), np.linspace(0.9, 0.1, 6)
    known, recall, specificity = count_effective_rows(roc, rates, near)
    weights = DESIGNS[name].get("weights", np.ones(30))
    score = S1 // width
    design = type(known).of_rows(
        Y == 1, weights, *(DESIGNS[name].get(k) for k in ("clusters", "strata"))
    )
    a = weights / weights.sum()
    for k, (rate, near_k) in enumerate(zip(rates, near, strict=True)):
        ahead = np.array([a[score > s].sum() for s in score])
        tied = np.array([a[score == s].sum() for s in score])
        c = np.clip((rate - ahead) / tied, 0.0, 1.0)
        c[c < 1e-12] = 0.0
        v, u = (np.sum(a * c * kind) / np.sum(a * kind) for kind in (Y == 1, Y == 0))
        one = Y * (c - v) - near_k * (c - rate)
        other = (1 - Y) * (1 - c - (1 - u)) - (1 - near_k) * (rate - c)
        for values, pool, number in ((one, c > 0.0, recall), (other, c < 1.0, specificity)):
            want, _ = find_effective(design, design.all, values, mean=0.0, pool=pool)
            assert number[k] == pytest.approx(want, rel=1e-10)


# ----------------------------------------------------------------------------------- properties


def test_equal_weights_and_single_rows_are_independent_rows() -> None:
    plain = two()
    for design in ({"weights": np.full(30, 0.3)}, {"clusters": ROW}):
        sample = two(**design)
        np.testing.assert_allclose(bounds(sample["a"]), bounds(plain["a"]), atol=1e-12)
        np.testing.assert_allclose(gap(sample), gap(plain), atol=1e-12)
        notes = rb.rate_bounds(sample["a"]).notes
        assert notes == rb.rate_bounds(plain["a"]).notes


def test_independent_rows_have_as_many_effective_rows() -> None:
    _, *found = count_effective_rows(two()["a"].roc, np.array([0.1, 0.33, 0.9]), np.full(3, 0.4))
    np.testing.assert_allclose(found, 30.0, rtol=1e-12)


def test_factors_orders_names_and_zeros_change_nothing() -> None:
    order = np.random.default_rng(1).permutation(30)
    names = np.array([f"patient {9 - g}" for g in G])
    base = two(**DESIGNS["strata"])
    for design, rows in (
        ({"weights": 7 * W, "clusters": G, "strata": H}, slice(None)),
        ({"weights": W, "clusters": names, "strata": H}, slice(None)),
        ({"weights": W, "clusters": G, "strata": H}, order),
    ):
        moved = {name: column[rows] for name, column in design.items()}
        sample = rb.Sample(Y[rows], {"a": S1[rows], "b": S2[rows]}, **moved)
        np.testing.assert_allclose(bounds(sample["a"]), bounds(base["a"]), atol=1e-10)
        np.testing.assert_allclose(gap(sample), gap(base), atol=1e-12)
    kept = G != 4
    part = rb.Sample(Y[kept], {"a": S1[kept], "b": S2[kept]}, weights=W[kept], clusters=G[kept])
    zero = two(weights=W * kept, clusters=G)
    np.testing.assert_allclose(bounds(zero["a"]), bounds(part["a"]), atol=1e-10)
    np.testing.assert_allclose(gap(zero), gap(part), atol=1e-12)


@EVERY
def test_swapped_classes_give_limits_of_the_false_positive_rate(name: str) -> None:
    here = bounds(two(**DESIGNS[name])["a"])
    swapped = rb.Sample(1 - Y, {"a": -S1}, **DESIGNS[name])
    there = bounds(swapped, 1 - np.array(RATES[::-1]))[:, ::-1]
    np.testing.assert_allclose(here[[3, 4, 5]], 1 - there[[0, 2, 1]], atol=1e-10)


@EVERY
def test_exchanged_models_change_the_sign(name: str) -> None:
    sample = two(**DESIGNS[name])
    one, other = gap(sample), gap(sample[["b", "a"]])
    np.testing.assert_allclose(one[:3], -other[[0, 2, 1]], atol=1e-12)
    np.testing.assert_allclose(one[3], other[3], atol=1e-12)
    same = rb.rate_difference(Y, S1, 3 * S1, rate=0.3)
    weighted = rb.Sample(Y, {"a": S1, "b": 3 * S1}, **DESIGNS[name])
    assert rb.rate_difference(weighted, rate=0.3).notes[0] == same.notes[0]


@EVERY
def test_pvalues_agree_with_limits(name: str) -> None:
    sample = two(**DESIGNS[name])
    for level in (0.3, 0.7, 0.9, 0.99):
        found = rb.rate_difference(sample, rate=RATES[1:-1], level=level)
        outside = (found.lower > 0.0) | (found.upper < 0.0)
        assert (outside == (found.pvalue < 1.0 - level)).all()


def test_rates_are_shares_of_the_weight() -> None:
    found = rb.rate_bounds(two(weights=W)["a"], rate=[0.1, 0.3, 0.8])
    a, score = W / W.sum(), S1
    for rate, cut, cases in zip(found.rate, found.threshold, found.cases, strict=True):
        below = score[score < cut].max()
        assert a[score >= cut].sum() <= rate < a[score >= below].sum()
        assert np.sum(score >= cut) <= cases <= np.sum(score >= below)
    assert found.prevalence == pytest.approx(a @ Y)
    # Weights of the classes are weights of their rows.
    classes = np.where(Y == 1, 1.0, 5.0)
    expanded = rb.Sample(np.repeat(Y, classes.astype(int)), np.repeat(S1, classes.astype(int)))
    weighted = rb.rate_bounds(two(weights=classes)["a"], rate=[0.1, 0.3, 0.8])
    np.testing.assert_allclose(
        weighted.tpr, rb.rate_bounds(expanded, rate=[0.1, 0.3, 0.8]).tpr, atol=1e-12
    )
    assert "alerts are right" in weighted.sentence


def test_bins_with_weights_contain_the_limits_of_single_scores() -> None:
    rng = np.random.default_rng(3)
    y, w = rng.random(400) < 0.4, rng.lognormal(size=400)
    s = rng.normal(size=400) + y
    edges = np.linspace(5.0, -4.0, 40)
    at = np.searchsorted(-edges, -s, side="left")

    def sums(values: np.ndarray) -> list[np.ndarray]:
        return [np.bincount(at[kind], values[kind], edges.size) for kind in (~y, y)]

    fp, tp = (np.cumsum(side).astype(int) for side in sums(np.ones(400)))
    roc = rb.RocCurve.from_counts(edges, fp, tp, bins=True, weights=(*sums(w), *sums(w**2)))
    rates = np.linspace(0.1, 0.9, 9)
    binned, single = (
        rb.rate_bounds(roc, rate=rates),
        rb.rate_bounds(rb.Sample(y, s, weights=w), rate=rates),
    )
    assert (binned.tpr_lower <= single.tpr_lower + 0.01).all()
    assert (binned.tpr_upper >= single.tpr_upper - 0.01).all()
    assert np.abs(binned.tpr - single.tpr).max() < 0.05


# ------------------------------------------------------------------------------------ refusals


def test_what_is_refused() -> None:
    sample = two(**DESIGNS["strata"])
    for method in ("parametric", "exact", "conditional"):
        with pytest.raises(
            rb.InputError, match=f"'{method}' is for rows that count equally"
        ) as said:
            rb.rate_bounds(sample["a"], method=method)
        assert "method='score'" in str(said.value)
    for name in ("clusters", "weights", "strata"):
        column = DESIGNS["strata"][name]
        own = "because a future test set has a design of its own; the sample has " + name
        with pytest.raises(rb.InputError, match=own):
            rb.rate_bounds(two(**{name: column})["a"], future=(12, 18))
        folded = two(**{name: column}, folds=G % 3)
        words = f"`folds` is for independent rows that count equally; the sample has {name}"
        with pytest.raises(rb.InputError, match=words):
            rb.rate_bounds(folded["a"])
        with pytest.raises(rb.InputError, match=words):
            rb.rate_difference(folded, rate=0.3)


# ------------------------------------------------------------------------------------ coverage

SETS, SHARE, RATE = 200, 0.3, 0.25
CUT = brentq(lambda t: SHARE * ndtr(1.2 - t) + (1 - SHARE) * ndtr(-t) - RATE, -5, 5)
TRUTH = float(ndtr(1.2 - CUT))


@pytest.mark.simulation
def test_clusters_keep_the_level_and_independent_rows_would_not() -> None:
    rng = np.random.default_rng(11)
    held = np.zeros((2, 2))
    for _ in range(SETS):
        clusters = np.repeat(np.arange(40), rng.integers(5, 21, 40))
        y = rng.random(clusters.size) < rng.beta(0.9, 2.1, 40)[clusters]
        effect = rng.normal(size=(3, 40))[:, clusters] * np.sqrt(0.4)
        a, b = effect[0] + effect[1:] + rng.normal(size=(2, y.size)) * np.sqrt(0.2) + 1.2 * y
        for i, design in enumerate(({"clusters": clusters}, {})):
            sample = rb.Sample(y, {"a": a, "b": b}, **design)
            one = rb.rate_bounds(sample["a"], rate=RATE)
            two = rb.rate_difference(sample, rate=RATE)
            held[i] += (
                float(one.tpr_lower[0] <= TRUTH <= one.tpr_upper[0]),
                float(two.lower[0] <= 0.0 <= two.upper[0]),
            )
    clustered, alone = held / SETS
    assert (clustered >= 0.91).all()
    assert (alone <= 0.88).all()


@pytest.mark.simulation
def test_weights_keep_the_level_and_equal_rows_would_not() -> None:
    rng = np.random.default_rng(12)
    held = np.zeros(2)
    for _ in range(SETS):
        y = rng.random(1000) < SHARE
        s = rng.normal(size=1000) + 1.2 * y
        kept = rng.random(1000) < np.where(s > 0.6, 1.0, 0.15)  # few of the low scores are labelled
        w = np.where(s > 0.6, 1.0, 1.0 / 0.15)[kept]
        for i, design in enumerate(({"weights": w}, {})):
            found = rb.rate_bounds(rb.Sample(y[kept], s[kept], **design), rate=RATE)
            held[i] += float(found.tpr_lower[0] <= TRUTH <= found.tpr_upper[0])
    assert held[0] >= 0.91 * SETS
    assert held[1] <= 0.5 * SETS


def test_the_lowest_rows_may_weigh_nothing_beside_the_others() -> None:
    weights = np.where(ROW < 28, 1.0, 1e-18)
    found = rb.rate_bounds(rb.Sample(Y, -ROW, weights=weights), rate=[0.5, 1.0])
    assert found.tpr[1] == found.tpr_lower[1] == 1.0
    without = rb.rate_bounds(rb.Sample(Y[:28], -ROW[:28], weights=np.ones(28)), rate=[0.5, 1.0])
    assert found.tpr == pytest.approx(without.tpr)


def test_weighted_rows_are_counted_beside_their_weight() -> None:
    weighted = rb.Sample(Y, S1, weights=W)
    bounds = rb.rate_bounds(weighted, rate=0.3)
    called = np.count_nonzero(bounds.threshold[0] <= S1)
    said = f"At an alert rate of 30% ({called} of 30 rows with 30% of the weight, scores from "
    assert bounds.sentence.startswith(said)
    assert any(note.startswith("Weights, for the share found: 30 rows ") for note in bounds.notes)
    assert "(9 of 30 cases" in rb.rate_bounds(Y, S1, rate=0.3).sentence

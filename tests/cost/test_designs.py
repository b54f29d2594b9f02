"""Costs with weights, clusters and strata.

Numbers of the thirty rows were computed by a separate program that has the formulas row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import rocbands as rb

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
STRATIFIED = {
    "independent": (0.3666666666666667, 0.23081177851659673, 0.5399971554906953),
    "weights": (0.3247524752475247, 0.17041178031127382, 0.5595913297184945),
    "clusters": (0.3666666666666667, 0.2035030199255807, 0.5775093088414319),
    "both": (0.3247524752475247, 0.13575577568843317, 0.625029707886652),
    "strata": (0.3247524752475247, 0.13307944474491853, 0.6320310731617992),
}
FULL = {
    "independent": (0.36666666666666664, 0.24281052383436727, 0.5797961768611182),
    "weights": (0.3153846153846154, 0.18041364406039354, 0.5940300790778236),
    "clusters": (0.36666666666666664, 0.2112096783388954, 0.6591836437270346),
    "both": (0.3153846153846154, 0.15384768041549293, 0.7158704079870648),
    "strata": (0.3153846153846154, 0.14203610592764276, 0.7512684619952864),
}
DIFFERENCE = {
    "independent": (-0.100000, -0.324078, 0.140317),
    "weights": (-0.024734, -0.296451, 0.291042),
    "clusters": (-0.100000, -0.390507, 0.220621),
    "both": (-0.024734, -0.379035, 0.381069),
    "strata": (-0.024734, -0.377677, 0.392224),
}
EVERY = pytest.mark.parametrize("name", DESIGNS)


def one(**design: Any) -> rb.Sample:
    return rb.Sample(Y, {"a": S1}, **design)


def two(**design: Any) -> rb.Sample:
    return rb.Sample(Y, {"a": S1, "b": S2}, **design)


def limits(found: Any, estimate: str = "cost") -> np.ndarray:
    return np.array([getattr(found, name) for name in (estimate, "lower", "upper")])


def gap(sample: rb.Sample, **asked: Any) -> np.ndarray:
    how = {"thresholds": (200, 200), "w": 0.4} | asked
    return limits(rb.cost_difference(sample, **how), "difference")


@EVERY
def test_costs_of_thirty_rows(name: str) -> None:
    for sampling, numbers in (("stratified", STRATIFIED), ("full", FULL)):
        found = rb.cost_interval(one(**DESIGNS[name]), thresholds=200, w=0.4, sampling=sampling)
        np.testing.assert_allclose(limits(found)[:, 0], numbers[name], atol=1e-12)
        assert (len(found.notes) > 0) == (name != "independent")


@EVERY
def test_differences_of_thirty_rows(name: str) -> None:
    np.testing.assert_allclose(gap(two(**DESIGNS[name]))[:, 0], DIFFERENCE[name], atol=6e-7)


@EVERY
def test_costs_of_both_models_are_those_of_each(name: str) -> None:
    both = two(**DESIGNS[name])
    for sampling in ("stratified", "full"):
        how = {"w": [0.3, 0.6], "sampling": sampling}
        found = rb.cost_difference(both, thresholds=([200, 90], [150, 210]), **how)
        for cost, model, cut in ((found.cost_1, "a", [200, 90]), (found.cost_2, "b", [150, 210])):
            own = rb.cost_interval(both[model], thresholds=cut, **how).cost
            np.testing.assert_allclose(cost, own, atol=1e-14)
        np.testing.assert_allclose(found.difference, found.cost_1 - found.cost_2, atol=1e-14)


# ----------------------------------------------------------------------------------- properties


@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_equal_weights_and_single_rows_are_independent_rows(sampling: str) -> None:
    w, cut = np.linspace(0.0, 1.0, 9), np.linspace(-20, 400, 9)
    how = {"w": w, "sampling": sampling}
    for design in (
        {"weights": np.full(30, 0.3)},
        {"clusters": ROW},
        {"weights": W * 0 + 2, "clusters": ROW},
    ):
        plain = limits(rb.cost_interval(one(), thresholds=cut, **how))
        found = limits(rb.cost_interval(one(**design), thresholds=cut, **how))
        np.testing.assert_allclose(found, plain, atol=1e-12)
        np.testing.assert_allclose(
            gap(two(**design), thresholds=(cut, cut), **how),
            gap(two(), thresholds=(cut, cut), **how),
            atol=1e-12,
        )


@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_factors_orders_names_and_zeros_change_nothing(sampling: str) -> None:
    order = np.random.default_rng(1).permutation(30)
    names = np.array([f"patient {9 - g}" for g in G])
    changed = [
        ({"weights": 7 * W, "clusters": G, "strata": H}, slice(None)),
        ({"weights": W, "clusters": names, "strata": H}, slice(None)),
        ({"weights": W, "clusters": G, "strata": H}, order),
    ]
    base = DESIGNS["strata"]
    how = {"w": [0.2, 0.7], "sampling": sampling}
    for design, rows in changed:
        moved = {name: column[rows] for name, column in design.items()}
        models = {"a": S1[rows], "b": S2[rows]}
        sample = rb.Sample(Y[rows], models, **moved)
        for ask in (
            lambda s: limits(rb.cost_interval(s["a"], thresholds=[200, 90], **how)),
            lambda s: gap(s, thresholds=([200, 90], [150, 210]), **how),
        ):
            np.testing.assert_allclose(ask(sample), ask(two(**base)), atol=1e-12)
    # Rows of weight 0 are rows left out.
    kept = G != 4
    part = rb.Sample(Y[kept], {"a": S1[kept], "b": S2[kept]}, weights=W[kept], clusters=G[kept])
    zero = two(weights=W * kept, clusters=G)
    np.testing.assert_allclose(gap(zero, **how), gap(part, **how), atol=1e-12)
    cut = {"thresholds": 200, **how}
    np.testing.assert_allclose(
        limits(rb.cost_interval(zero["a"], **cut)),
        limits(rb.cost_interval(part["a"], **cut)),
        atol=1e-12,
    )


@EVERY
def test_exchanged_models_change_the_sign(name: str) -> None:
    sample = two(**DESIGNS[name])
    cuts = ([200, 90], [150, 210])
    one_way = gap(sample, thresholds=cuts, w=[0.3, 0.6])
    other = gap(sample[["b", "a"]], thresholds=cuts[::-1], w=[0.3, 0.6])
    np.testing.assert_allclose(one_way, -other[[0, 2, 1]], atol=1e-12)


@EVERY
def test_swapped_classes_give_the_same_costs(name: str) -> None:
    design = DESIGNS[name]
    # Positive above 195 becomes negative above -195: no score is between.
    swapped = rb.Sample(1 - Y, {"a": -S1, "b": -S2}, **design)
    for sampling in ("stratified", "full"):
        here = rb.cost_interval(one(**design), thresholds=195.5, w=0.4, sampling=sampling)
        there = rb.cost_interval(swapped["a"], thresholds=-195.5, w=0.6, sampling=sampling)
        np.testing.assert_allclose(limits(here), limits(there), atol=1e-12)
        first = gap(two(**design), thresholds=(195.5, 195.5), sampling=sampling)
        second = gap(swapped, thresholds=(-195.5, -195.5), w=0.6, sampling=sampling)
        np.testing.assert_allclose(first, second, atol=1e-12)


def test_weights_of_classes_change_the_share_of_positives_only() -> None:
    weights = np.where(Y == 1, 1.0, 5.0)
    sample, plain = two(weights=weights), two()
    how = {"thresholds": 200, "w": 0.4}
    for method in ("mover", "gaussian", "exact"):
        asked = how | {"method": method}
        np.testing.assert_array_equal(
            limits(rb.cost_interval(sample["a"], **asked)),
            limits(rb.cost_interval(plain["a"], **asked)),
        )
    share = 12 / (12 + 5 * 18)
    given = rb.cost_interval(plain["a"], thresholds=200, costs=(9, 1), prevalence=share)
    found = rb.cost_interval(sample["a"], thresholds=200, costs=(9, 1))
    assert found.prevalence == pytest.approx(share)
    np.testing.assert_allclose(limits(found), limits(given), atol=1e-14)
    pair = rb.cost_difference(sample, thresholds=(200, 200), costs=(9, 1))
    assert pair.prevalence == pytest.approx(share)
    # With random class sizes their weights matter as those of rows do.
    full = rb.cost_interval(sample["a"], thresholds=200, costs=(9, 1), sampling="full")
    wrong = (9 * (Y & (S1 < 200)) + (1 - Y) * (S1 >= 200)) / 9
    assert full.cost[0] == pytest.approx(wrong @ weights / weights.sum(), abs=1e-14)
    with pytest.raises(rb.InputError, match="'gaussian' is for rows that count equally"):
        rb.cost_interval(sample["a"], w=0.4, thresholds=200, sampling="full", method="gaussian")
    apart = gap(sample, sampling="full")
    assert apart[0, 0] != pytest.approx(gap(plain, sampling="full")[0, 0], abs=1e-3)


def test_bins_with_weights_contain_the_limits_of_every_threshold_inside() -> None:
    rng = np.random.default_rng(3)
    y, w = rng.random(400) < 0.4, rng.lognormal(size=400)
    s = np.round(rng.normal(size=400) + y, 3)
    edges = np.array([3.0, 1.5, 0.5, -0.5, -4.0])
    at = np.searchsorted(-edges, -s, side="left")

    def sums(values: np.ndarray) -> list[np.ndarray]:
        return [np.bincount(at[kind], values[kind], edges.size) for kind in (~y, y)]

    fp, tp = (np.cumsum(side).astype(int) for side in sums(np.ones(400)))
    roc = rb.RocCurve.from_counts(edges, fp, tp, bins=True, weights=(*sums(w), *sums(w**2)))
    whole = rb.cost_interval(rb.Sample(y, s, weights=w), thresholds=edges[1:4], w=0.4)
    found = rb.cost_interval(roc, thresholds=edges[1:4], w=0.4)
    np.testing.assert_allclose(found.cost, whole.cost, atol=1e-12)
    np.testing.assert_allclose(found.lower, whole.lower, atol=0.01)  # other rows are nearest
    cuts = np.array([1.0, 0.75, 0.1, -0.2])
    wide = rb.cost_interval(roc, thresholds=cuts, w=0.4)
    inner = rb.cost_interval(rb.Sample(y, s, weights=w), thresholds=cuts, w=0.4)
    assert (wide.lower < inner.lower).all()
    assert (wide.upper > inner.upper).all()
    with pytest.raises(rb.InputError, match="must be bin edges"):
        rb.cost_interval(roc, thresholds=0.7, w=0.4, sampling="full")


# --------------------------------------------------------------------------------- cost curves


@EVERY
def test_cost_curves_are_the_smallest_weighted_cost(name: str) -> None:
    design = DESIGNS[name]
    curve, w = rb.cost_curve(one(**design)), np.linspace(0.0, 1.0, 41)
    cuts = np.append(np.unique(S1), 999)
    each = [rb.cost_interval(one(**design), thresholds=cut, w=w).cost for cut in cuts]
    np.testing.assert_allclose(curve.at(w), np.min(each, axis=0), atol=1e-12)
    found = rb.cost_thresholds(one(**design), w=w)
    np.testing.assert_allclose(
        rb.cost_interval(one(**design), thresholds=found).cost, curve.at(w), atol=1e-12
    )
    weights = design.get("weights", np.ones(30))
    wrong = [(np.greater_equal(S1, cut) != Y) @ weights / weights.sum() for cut in cuts]
    assert curve.minimum_error_rate == pytest.approx(min(wrong), abs=1e-12)
    if "weights" in design:
        assert np.abs(curve.at(w) - rb.cost_curve(one()).at(w)).max() > 0.01


# ------------------------------------------------------------------------------- two test sets


def test_two_sets_are_as_each_alone_and_common_clusters_relate_them() -> None:
    def sets(second: np.ndarray) -> tuple[rb.Sample, rb.Sample]:
        rows = ROW < 15
        first = rb.Sample(Y[rows], {"a": S1[rows]}, clusters=G[rows], weights=W[rows])
        return first, rb.Sample(Y[~rows], {"a": S2[~rows]}, clusters=second, weights=W[~rows])

    how = {"thresholds": (200, 150), "w": [0.4, 0.7]}
    apart = rb.cost_difference(*sets(G[15:]), **how)
    each = [
        rb.cost_interval(sample, thresholds=cut, w=[0.4, 0.7])
        for sample, cut in zip(sets(G[15:]), (200, 150), strict=True)
    ]
    below = np.hypot(each[0].cost - each[0].lower, each[1].upper - each[1].cost)
    np.testing.assert_allclose(apart.lower, apart.difference - below, atol=1e-12)
    # Through the same clusters errors cancel, or add up where they are of opposite directions.
    same = rb.cost_difference(*sets(G[:15]), **how)
    np.testing.assert_allclose(same.difference, apart.difference, atol=1e-14)
    assert np.abs(same.lower - apart.lower).min() > 1e-3
    mirrored = rb.cost_difference(*sets(G[:15])[::-1], thresholds=(150, 200), w=[0.4, 0.7])
    np.testing.assert_allclose(mirrored.lower, -same.upper, atol=1e-12)


def test_two_sets_of_single_rows_of_the_same_clusters_are_related() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(200) < 0.5
    score = rng.normal(size=200) + y
    first = rb.Sample(y, score, clusters=np.arange(200))
    how = {"thresholds": (0.5, 0.5), "w": 0.5}
    order = rng.permutation(200)  # the same rows, measured again almost alike
    again = rb.Sample(y[order], (score + 0.05 * rng.normal(size=200))[order], clusters=order)
    apart = rb.Sample(y[order], np.asarray(again.values)[:], clusters=order + 500)
    near, far = (rb.cost_difference(first, other, **how) for other in (again, apart))
    assert near.upper - near.lower < 0.5 * (far.upper - far.lower)


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize("method", ["gaussian", "exact"])
def test_other_methods_refuse(method: str) -> None:
    words = {
        "weights": "rows that count equally; the sample has weights",
        "clusters": "rows that are independent of each other; the sample has clusters",
        "strata": "rows sampled without strata; the sample has strata",
    }
    for name, column in (("weights", W), ("clusters", G), ("strata", H)):
        sample = two(**{name: column})
        with pytest.raises(rb.InputError, match=words[name]) as said:
            rb.cost_interval(sample["a"], thresholds=200, w=0.4, method=method)
        assert "method='mover'" in str(said.value)
        if method in ("gaussian", "exact"):
            with pytest.raises(rb.InputError, match=words[name]):
                gap(sample, method=method)


def test_simultaneous_limits_and_folds_are_refused() -> None:
    for name in ("weights", "clusters", "strata"):
        words = rf"simultaneous=True is for independent rows .*; the sample has {name}"
        column = DESIGNS["strata"][name]
        with pytest.raises(rb.InputError, match=words):
            gap(two(**{name: column}), simultaneous=True)
        sets = (
            rb.Sample(Y[rows], {"a": s[rows]}, **{name: column[rows]})
            for rows, s in ((ROW < 15, S1), (ROW >= 15, S2))
        )
        with pytest.raises(rb.InputError, match=words):
            rb.cost_difference(*sets, thresholds=(200, 200), w=0.4, simultaneous=True)


# ------------------------------------------------------------------------------------ coverage

COST = 0.4 * ndtr(0.6 - 1.2) + 0.6 * ndtr(-0.6)  # of both models, at the threshold 0.6
SETS = 600


def draw(rng: np.random.Generator, n_clusters: int = 40) -> dict[str, Any]:
    """Draw clusters whose scores have a correlation of .8, and whose shares of positives differ."""
    clusters = np.repeat(np.arange(n_clusters), rng.integers(5, 21, n_clusters))
    y = rng.random(clusters.size) < rng.beta(0.9, 2.1, n_clusters)[clusters]
    effect = rng.normal(size=(3, n_clusters))[:, clusters] * np.sqrt([[0.4], [0.4], [0.4]])
    own = rng.normal(size=(2, clusters.size)) * np.sqrt(0.2)
    a, b = effect[0] + effect[1:] + own + 1.2 * y
    return {"y_true": y, "y_score": {"a": a, "b": b}, "clusters": clusters}


@pytest.mark.simulation
def test_clusters_keep_the_level_and_independent_rows_would_not() -> None:
    rng = np.random.default_rng(11)
    held = np.zeros((2, 2))
    for _ in range(SETS):
        data = draw(rng)
        clusters = data.pop("clusters")
        for i, design in enumerate(({"clusters": clusters}, {})):
            sample = rb.Sample(**data, **design)
            found = rb.cost_interval(sample["a"], thresholds=0.6, w=0.4)
            apart = rb.cost_difference(sample, thresholds=(0.6, 0.6), w=0.4)
            held[i] += (
                (found.lower <= COST) & (found.upper >= COST),
                (apart.lower <= 0.0) & (apart.upper >= 0.0),
            ) @ np.ones(1)
    clustered, alone = held / SETS
    assert (clustered >= 0.91).all()
    assert (alone <= 0.88).all()


@pytest.mark.simulation
def test_weights_keep_the_level_and_equal_rows_would_not() -> None:
    rng = np.random.default_rng(12)
    held = np.zeros(2)
    for _ in range(SETS):
        y = rng.random(1000) < 0.3
        s = rng.normal(size=1000) + 1.2 * y
        kept = rng.random(1000) < np.where(s > 0.6, 1.0, 0.15)  # few of the low scores are labelled
        w = np.where(s > 0.6, 1.0, 1.0 / 0.15)[kept]
        for i, design in enumerate(({"weights": w}, {})):
            found = rb.cost_interval(rb.Sample(y[kept], s[kept], **design), thresholds=0.6, w=0.4)
            held[i] += float(found.lower[0] <= COST <= found.upper[0])
    assert held[0] >= 0.91 * SETS
    assert held[1] <= 0.5 * SETS


@EVERY
def test_infinite_thresholds_of_both_models(name: str) -> None:
    """At inf nobody is called, twice the same, without a warning."""
    sample = rb.Sample(Y, {"one": S1, "two": S2}, **DESIGNS[name])
    cuts = [-np.inf, -np.inf, 150.0, np.inf, np.inf]
    found = rb.cost_difference(
        sample, thresholds={"one": cuts, "two": cuts}, costs=(1, 1), prevalence=0.4
    )
    np.testing.assert_array_equal(found.difference[[0, 1, 3, 4]], 0.0)
    np.testing.assert_array_equal(found.lower[[0, 3]], found.lower[[1, 4]])

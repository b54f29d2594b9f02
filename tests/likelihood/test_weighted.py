"""Weighted and dependent rows: the band, the AUC and the points, against numbers made elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.design.effective_sizes import find_effective_sizes
from rocbands.likelihood import weighted
from rocbands.likelihood.region import WeightedRegion
from tests.oracles.weighted_band import Design

# Thirty rows, and numbers of another program for them: that of the study in which the method was
# developed. The AUC's limits are those of the slow version in tests/oracles.
ROW = np.arange(30)
Y = (7 * ROW % 10 < 4).astype(int)
S = 10.0 * (11 * ROW % 30) + 83.0 * Y
W = 1.0 + (13 * ROW % 7) ** 2 / 4.0
G = ROW // 3
CASES = {
    "weights": {"weights": W},
    "clusters": {"clusters": G},
    "both": {"weights": W, "clusters": G},
    "strata": {"weights": W, "clusters": G, "strata": G % 2},
}
EDGES = {  # lower and upper at fpr .1, then at .4; critical value 3
    "weights": (0, 0.877329346628, 0.107806899746, 1),
    "clusters": (0, 0.762954323142, 0.251061372006, 0.987349501552),
    "both": (0, 0.871625130268, 0.0924058303219, 1),
    "strata": (0, 0.873049820039, 0.0836485913631, 1),
}
# After the ten highest scores: x, k, K, theta of the negatives, of the positives, and rho.
VERTEX = {
    "weights": [
        *(0.229559748428, 2.5482391552, 11.3123935678, 0.975828253456),
        *(0.544554455446, 4.04141616566, 7.90621567035, 0.87458444255, 0),
    ],
    "clusters": [
        *(0.222222222222, 4.87062126341, 18.4848470285, 1.25215893405),
        *(0.5, 8.22857142857, 16.4571428571, 1, 0),
    ],
    "both": [
        *(0.229559748428, 2.1721219198, 7.8464961188, 1.28472285548),
        *(0.544554455446, 4.88622660299, 9.50339943025, 0.885100558864, 0.0045726282533),
    ],
    "strata": [
        *(0.229559748428, 2.15797293207, 7.79538481777, 1.28472285548),
        *(0.544554455446, 4.35020696376, 8.46087538297, 0.885100558864, 0.0045726282533),
    ],
}
AUC = {  # area and .95 limits
    "weights": (0.776542748614, 0.498208251827, 0.924031694906),
    "clusters": (0.75, 0.484472055386, 0.905454543502),
    "both": (0.776542748614, 0.473601942211, 0.930665263606),
    "strata": (0.776542748614, 0.462000501351, 0.933612630302),
}


def region_of(roc, c):
    return WeightedRegion(*roc.vertices, c, sizes=find_effective_sizes(roc))


def random_rows(rng, n=None, tied=False):
    """Rows with uneven weights, clusters of both classes, sometimes strata."""
    n = int(rng.choice([8, 20, 45])) if n is None else n
    y = (rng.random(n) < rng.choice([0.15, 0.4])).astype(int)
    y[:4] = 0, 0, 1, 1
    s = rng.normal(size=n) + rng.choice([0.0, 1.2, 3.0]) * y
    s = np.round(s) if tied else s
    w = np.exp(rng.choice([0.3, 1.0, 1.8]) * rng.normal(size=n))
    g = rng.integers(0, max(2, n // 3), n)
    g[:2] = 0, 1
    design = {"weights": w, "clusters": g, "strata": g % 3}
    names = [("weights",), ("clusters",), ("weights", "clusters"), tuple(design)]
    return y, s, {name: design[name] for name in names[rng.integers(4)]}


@pytest.mark.parametrize("case", CASES)
def test_numbers_made_elsewhere(case):
    roc = rb.Sample(Y, S, **CASES[case]).roc
    region, at = region_of(roc, 3.0), np.array([0.1, 0.4])
    edges = np.stack((region.lower_at(at), region.upper_at(at)), axis=1).ravel()
    np.testing.assert_allclose(edges, EDGES[case], atol=1e-11)
    sizes = find_effective_sizes(roc)
    found = [one[j][10] for one in (sizes.neg, sizes.pos) for j in range(4)]
    np.testing.assert_allclose([*found, sizes.correlation[10]], VERTEX[case], atol=1e-10)
    interval = rb.auc_interval(rb.Sample(Y, S, **CASES[case]))
    np.testing.assert_allclose(
        (interval.estimate, interval.low, interval.high), AUC[case], atol=1e-11
    )


def test_heavy_rows_of_one_class_at_one_end():
    """Low positives of weight 20, where all negatives are light; numbers of another program."""
    row = np.arange(60)
    y = (row % 3 == 0).astype(int)
    sample = rb.Sample(y, row, weights=np.where((y == 1) & (row < 15), 20.0, 1.0))
    sizes = find_effective_sizes(sample.roc)
    expected = {
        10: (0.198590, 6.433183, 1.189177),
        30: (0.868163, 6.366916, 1.657777),
        50: (2.546028, 6.546028, 1.454873),
        59: (5.561656, 6.561656, 1.170875),
    }
    for vertex, numbers in expected.items():
        found = [side[vertex] for side in (sizes.pos.k, sizes.pos.size, sizes.pos.odds)]
        np.testing.assert_allclose(found, numbers, atol=6e-7)
    for vertex, numbers in {
        10: (7, 38.512247, 1.047212),
        50: (33.788608, 37.916958, 1.444329),
    }.items():
        found = [side[vertex] for side in (sizes.neg.k, sizes.neg.size, sizes.neg.odds)]
        np.testing.assert_allclose(found, numbers, atol=6e-7)
    band, at = rb.roc_band(sample, method=rb.bands.Likelihood("chance")), [0.2, 0.5, 0.8, 0.95]
    np.testing.assert_allclose(band.lower_at(at), (0, 0.000473, 0.007460, 0.128874), atol=6e-7)
    np.testing.assert_allclose(band.upper_at(at), (0.399431, 0.461947, 0.952444, 1), atol=6e-7)


@pytest.mark.parametrize("tied", [False, True])
def test_random_sets_against_the_definition(tied):
    rng = np.random.default_rng(2 + tied)
    for _ in range(50):
        y, s, design = random_rows(rng, tied=tied)
        oracle, roc = Design(y, s, **design), rb.Sample(y, s, **design).roc
        if roc.independent:
            continue
        c, u = rng.choice([1.0, 3.0, 5.0]), np.append(rng.random(1), rng.choice([0.0, 1.0]))
        region = region_of(roc, c)
        sizes = find_effective_sizes(roc)
        for one, other in zip((sizes.neg, sizes.pos), oracle.sizes, strict=True):
            for name, key in (("k", "k"), ("size", "K"), ("odds", "theta"), ("number", "number")):
                np.testing.assert_allclose(getattr(one, name), other[key], rtol=1e-9)
        np.testing.assert_allclose(sizes.correlation, oracle.rho, atol=1e-9)
        expected = [oracle.edges(at, c) for at in u]
        found = np.stack((region.lower_at(u), region.upper_at(u)), axis=1)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        clusters = roc.clusters
        if (
            clusters is not None
            and min(
                np.unique(clusters.code[clusters.is_positive == kind]).size
                for kind in (True, False)
            )
            < 2
        ):
            continue  # a class in one cluster has no variance
        if clusters is None or clusters.stratum is None:  # strata: tests/design
            interval = rb.auc_interval(roc, level=0.9)
            limits = interval.estimate, interval.low, interval.high
            np.testing.assert_allclose(limits, oracle.auc(0.9), atol=1e-10)


def test_rates_that_move_together_against_the_definition():
    """Clusters of both classes whose scores move together: the correlation is limited to .8."""
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(12), 4)
    y = np.tile([0, 1, 0, 1], 12)
    s = 3.0 * rng.normal(size=12)[clusters] + 0.3 * rng.normal(size=48) + 0.5 * y
    oracle, roc = Design(y, s, clusters=clusters), rb.Sample(y, s, clusters=clusters).roc
    assert oracle.rho.max() > 0.8
    region, u = region_of(roc, 3.0), np.array([0.1, 0.3, 0.6])
    found = np.stack((region.lower_at(u), region.upper_at(u)), axis=1)
    np.testing.assert_allclose(found, [oracle.edges(at, 3.0) for at in u], atol=1e-9)


def test_equal_weights_and_single_rows_change_nothing():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 80), rng.normal(size=80).round(1)
    plain = rb.roc_band(y, s, method="likelihood", rng=1), rb.auc_interval(y, s)
    per_class = np.where(y, 7.0, 0.1)
    for design in (
        {"weights": np.full(80, 0.3)},
        {"weights": per_class},
        {"clusters": rng.permutation(80)},
        {"weights": per_class, "clusters": rng.permutation(80)},
    ):
        band, auc = (
            rb.roc_band(rb.Sample(y, s, **design), method="likelihood", rng=1),
            rb.auc_interval(rb.Sample(y, s, **design)),
        )
        assert (band.lower.y == plain[0].lower.y).all()
        assert (band.upper.y == plain[0].upper.y).all()
        assert (auc.estimate, auc.low, auc.high) == (plain[1].estimate, plain[1].low, plain[1].high)
        assert band.auc == plain[0].auc
        points = rb.operating_points(rb.Sample(y, s, **design), threshold=[0.0, 0.5])
        assert (points.tpr_lower == rb.operating_points(y, s, threshold=[0.0, 0.5]).tpr_lower).all()


def test_general_code_gives_the_present_band_for_equal_rows():
    """Without the shortcut: sums, effective sizes and windows of equal weights are the counts'."""
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 60), rng.normal(size=60)
    weights = np.ones(60)
    weights[0] = 1.0 + 1e-14  # not equal, by as little as can be
    band, near = rb.roc_band(y, s, method=rb.bands.Likelihood(calibration="chance")), None
    near = rb.roc_band(
        rb.Sample(y, s, weights=weights), method=rb.bands.Likelihood(calibration="chance")
    )
    assert isinstance(near.region, WeightedRegion)
    at = np.linspace(0, 1, 41)
    np.testing.assert_allclose(near.upper_at(at), band.upper_at(at), atol=1e-10)
    np.testing.assert_allclose(near.lower_at(at), band.lower_at(at), atol=1e-10)


@pytest.mark.parametrize("tied", [False, True])
def test_scale_order_and_names_change_nothing(tied):
    rng, at = np.random.default_rng(5), np.linspace(0, 1, 9)
    for _ in range(10):
        y, s, design = random_rows(rng, 40, tied)
        band, auc = (
            rb.roc_band(rb.Sample(y, s, **design)),
            rb.auc_interval(rb.Sample(y, s, **design)),
        )
        order = rng.permutation(40)
        changed = {name: column[order] for name, column in design.items()}
        if "weights" in changed:
            changed["weights"] = 1e5 * changed["weights"] / 3.0
        if "clusters" in changed:
            changed["clusters"] = [f"unit {9 - k}" for k in changed["clusters"]]
        shuffled = rb.Sample(y[order], s[order], **changed)
        again = rb.roc_band(shuffled)
        np.testing.assert_allclose(again.upper_at(at), band.upper_at(at), atol=1e-10)
        np.testing.assert_allclose(again.lower_at(at), band.lower_at(at), atol=1e-10)
        other = rb.auc_interval(shuffled)
        np.testing.assert_allclose((other.low, other.high), (auc.low, auc.high), atol=1e-12)


def test_mirrored_curve_has_the_mirrored_band():
    rng = np.random.default_rng(8)
    for tied in (False, True):
        y, s, design = random_rows(rng, 40, tied)
        roc = rb.Sample(y, s, **design).roc
        turned = rb.Sample(1 - y, -s, **design).roc
        np.testing.assert_allclose(roc.mirrored.fpr, turned.fpr, atol=1e-12)
        at = np.linspace(0.02, 0.98, 7)
        region, other = region_of(roc, 3.0), region_of(turned, 3.0)
        np.testing.assert_allclose(region.mirrored.upper_at(at), other.upper_at(at), atol=1e-9)
        np.testing.assert_allclose(region.mirrored.lower_at(at), other.lower_at(at), atol=1e-9)
        # (u, v) is on the upper edge: turned, (1 - v, 1 - u) is inside, and a little above is not.
        for u, v in zip(at, region.upper_at(at), strict=True):
            if v < 1.0:
                inner, outer = np.array([1.0 - v + 1e-9]), np.array([1.0 - v - 1e-9])
                assert region.mirrored.upper_at(inner)[0] >= 1.0 - u - 1e-12
                assert region.mirrored.upper_at(outer)[0] <= 1.0 - u + 1e-12


def lies_in_one_cluster(y, design) -> bool:
    """Whether all rows of a class are in one cluster, which is refused."""
    clusters = design.get("clusters", np.arange(y.size))
    return any(np.unique(clusters[y == kind]).size < 2 for kind in (0, 1))


def test_auc_does_not_depend_on_which_class_is_called_positive():
    rng = np.random.default_rng(9)
    for case in range(40):
        y, s, design = random_rows(rng, tied=case % 2 == 0)
        if lies_in_one_cluster(y, design):
            continue
        one = rb.auc_interval(rb.Sample(y, s, **design))
        two = rb.auc_interval(rb.Sample(1 - y, -s, **design))
        np.testing.assert_allclose((one.low, one.high), (two.low, two.high), atol=1e-12)


def test_rows_may_be_split_within_their_cluster():
    rng = np.random.default_rng(10)
    for case in range(40):
        y, s, design = random_rows(rng, tied=case % 2 == 0)
        design.setdefault("clusters", np.arange(y.size))
        if lies_in_one_cluster(y, design):
            continue
        one = rb.auc_interval(rb.Sample(y, s, **design))
        parts = {name: np.repeat(side, 2) for name, side in design.items()}
        parts["weights"] = parts.get("weights", np.ones(2 * y.size)) / 2.0
        two = rb.auc_interval(rb.Sample(np.repeat(y, 2), np.repeat(s, 2), **parts))
        np.testing.assert_allclose((one.low, one.high), (two.low, two.high), atol=1e-12)


def test_results_mention_heavy_rows_that_may_be_missing():
    rng = np.random.default_rng(2)
    y = rng.random(3000) < 0.3
    s = rng.normal(size=3000) + 1.5 * y
    said = "One more positive with a low score would have the weight of"
    for chance, expected in (
        (np.where(y & (s < 0.5), 0.05, 1.0), True),
        (np.where(y, 1, 0.5), False),
    ):
        kept = rng.random(3000) < chance
        sample = rb.Sample(y[kept], s[kept], weights=1.0 / chance[kept])
        results = rb.roc_band(sample), rb.auc_interval(sample), rb.operating_points(sample, fpr=0.1)
        for result in results:
            assert (said in " ".join(result.notes)) == expected
            assert (said in result.to_json()) == expected
            assert (said in " ".join(str(result).split())) == expected  # what the command prints


def check_edges(cases):
    """Look at the edges of random bands; 10,000 of them take minutes and are not run each time."""
    rng, at = np.random.default_rng(11), np.linspace(0.0, 1.0, 25)
    for case in range(cases):
        y, s, design = random_rows(rng, tied=case % 2 == 0)
        roc = rb.Sample(y, s, **design).roc
        if roc.independent:
            continue
        region = region_of(roc, rng.choice([0.3, 2.0, 6.0]))
        lower, upper = region.lower_at(at), region.upper_at(at)
        assert (np.diff(lower) >= -1e-10).all()
        assert (np.diff(upper) >= -1e-10).all()
        assert (lower <= roc.curve.low(at) + 1e-9).all()
        assert (upper >= roc.curve.high(at) - 1e-9).all()
        assert region.contains(roc.curve)


def test_edges_never_fall_and_contain_the_curve():
    check_edges(100)


def test_contains_agrees_with_the_edges():
    rng, at = np.random.default_rng(13), np.linspace(0.0, 1.0, 60)
    held = []
    for _ in range(30):
        y, s, design = random_rows(rng, 45)
        roc = rb.Sample(y, s, **design).roc
        region = region_of(roc, 3.0)
        curve = rb.roc_curve(*random_rows(rng, 45)[:2]).curve
        inside = region.contains(curve)
        between = (curve.high(at) <= region.upper_at(at) + 1e-6).all()
        between &= (curve.low(at) >= region.lower_at(at) - 1e-6).all()
        assert not inside or between
        assert inside == (region.statistic(curve) <= 3.0 + 2e-6)
        held.append(inside)
    assert 2 < sum(held) < 28


def test_a_row_of_nearly_all_weight_leaves_a_wide_band():
    """Two positives of weights 100 and 1 are worth one, and say no more than one does."""
    y, s = np.array([1, 1] + [0] * 30), np.arange(32.0)[::-1]
    w = np.ones(32)
    w[0] = 100.0
    heavy, plain = rb.roc_band(rb.Sample(y, s, weights=w)), rb.roc_band(y, s)
    assert heavy.area > plain.area
    assert rb.auc_interval(rb.Sample(y, s, weights=w)).low < rb.auc_interval(y, s).low


def test_points_at_a_threshold_are_the_vertex_of_the_region():
    """A rate is kept as long as its own cost stays below half the squared Student quantile."""
    from scipy.special import stdtrit

    design = CASES["both"]
    found = rb.operating_points(rb.Sample(Y, S, **design), threshold=np.sort(S)[::-1][9])
    oracle = Design(Y, S, **design)
    for k, name in ((0, "fpr"), (1, "tpr")):
        bound = stdtrit(max(oracle.sizes[k]["number"][10] - 1, 1), 0.025) ** 2 / 2
        for end in ("lower", "upper"):
            limit = float(getattr(found, f"{name}_{end}")[0])
            assert oracle.costs(k, limit)[10] == pytest.approx(bound, rel=1e-7)


def test_extreme_weights_give_numbers():
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, 50), rng.normal(size=50)
    w = 10.0 ** rng.integers(-12, 12, 50)
    band = rb.roc_band(rb.Sample(y, s, weights=w))
    assert np.isfinite(band.area)
    assert rb.auc_interval(rb.Sample(y, s, weights=w)).low >= 0.0


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 1, 1], "one value for each row"),
        ([1, 1, 1, -1], "weights[3] = -1"),
        ([1, 1, np.nan, 1], "weights[2] is nan"),
        ([1, 1, np.inf, 1], "weights[2] = inf"),
        ([1, 0, 1, 0], "every negative row has weight 0"),
        (["a", "b", "c", "d"], "must be numbers"),
    ],
)
def test_weights_are_checked(weights, said):
    with pytest.raises(rb.InputError, match=said.replace("[", r"\[").replace("]", r"\]")):
        rb.roc_band(rb.Sample([1, 0, 1, 0], [4, 3, 2, 1], weights=weights))


def test_rows_of_weight_zero_are_left_out_and_named():
    y, s, w = np.append(Y, [0, 1]), np.append(S, [7.0, 8.0]), np.append(W, [0, 0])
    with_zeros, without = (
        rb.roc_band(rb.Sample(y, s, weights=w)),
        rb.roc_band(rb.Sample(Y, S, weights=W)),
    )
    assert with_zeros.area == without.area
    assert "2 rows of weight 0 were left out." in with_zeros.notes


def test_what_cannot_be_done_is_refused_with_what_can():
    with pytest.raises(rb.InputError, match="method='likelihood'"):
        rb.roc_band(rb.Sample(Y, S, weights=W), method="fixed-width")
    with pytest.raises(rb.InputError, match="method='score-delong'"):
        rb.auc_interval(rb.Sample(Y, S, weights=W), method="newcombe")
    with pytest.raises(rb.InputError, match="strata"):
        rb.roc_band(rb.Sample(Y, S, clusters=G, strata=G % 2), method="fixed-width")
    with pytest.raises(rb.InputError, match="has a design of its own"):
        rb.roc_band(rb.Sample(Y, S, weights=W), future=(10, 10))
    with pytest.raises(rb.InputError, match="calibration"):
        rb.roc_band(rb.Sample(Y, S, weights=W), method=rb.bands.Likelihood(calibration="levels"))
    with pytest.raises(rb.InputError, match="same stratum"):
        rb.roc_band(rb.Sample(Y, S, clusters=G, strata=ROW % 2))
    with pytest.raises(rb.InputError, match="sample has weights"):
        rb.roc_band(rb.Sample(Y, S, weights=W, folds=ROW % 2))
    with pytest.raises(rb.InputError, match=r"'bootstrap' .* the sample has weights"):
        rb.partial_auc_interval(rb.Sample(Y, S, weights=W).roc, fpr=(0, 0.5), method="bootstrap")


def test_results_say_what_the_rows_are_worth():
    notes = " ".join(rb.roc_band(rb.Sample(Y, S, weights=W, clusters=G)).notes)
    assert "design effect" in notes
    assert "Few positives carry much weight" in notes
    assert "Few clusters" in notes
    assert "design effect" in " ".join(rb.auc_interval(rb.Sample(Y, S, clusters=G)).notes)


def test_the_cost_of_rates_near_1_where_weights_span_18_digits():
    """(E21) with theta = 1e-18: 1 - u + theta u is not 0 at u = 1."""
    margin = weighted._Margin(*(np.array([part]) for part in (0.5, 1.0, 0.0, 1e-18, 0.0)))
    assert margin.cost(np.array([0]), np.array([1.0])) == 0.0  # ln(theta) < 0
    margin = weighted._Margin(*(np.array([part]) for part in (0.5, 1.0, 0.0, 1e-18, 50.0)))
    np.testing.assert_allclose(
        margin.cost(np.array([0]), np.array([1.0])), 50 + np.log(1e-18), rtol=1e-12
    )

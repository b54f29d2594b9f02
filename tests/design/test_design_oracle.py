"""The oracle of designs against printed numbers, another program, the package and derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

import rocbands as rb
from tests.oracles import designs as oracle
from tests.oracles.design_areas import area_cases, part_area, whole_area
from tests.oracles.design_examples import (
    DESIGNS,
    GROUPS,
    MORE,
    ONE,
    P_ONE,
    PRINTED,
    STATEMENTS,
    STRATA,
    TWO,
    WEIGHTS,
    Y,
    compute_more,
    golden,
    numbers,
    rows_of,
    tolerance,
    two_sets,
)
from tests.oracles.designs import Rows, precision

LAST = "weights, clusters, strata"


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", STATEMENTS)
def test_printed_numbers(name, design):
    """With the numbers of cases of then, and the pivots of then, all are as printed."""
    cell, rows = golden()["statements"][name][design], rows_of(design)
    then = PRINTED.get(name, lambda rows, cases: STATEMENTS[name](rows))
    found = then(rows, golden()["cases_then"][design])
    np.testing.assert_allclose(found, cell["printed"], rtol=0, atol=tolerance(name))
    now = STATEMENTS[name](rows)
    np.testing.assert_allclose(now, cell["recomputed"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(now, numbers(name, design), rtol=0, atol=tolerance(name))


def test_most_numbers_stand_and_the_others_have_a_reason():
    """What changed uses the numbers of cases, or is a pivot that changed for independent rows."""
    found = golden()["statements"]
    changed = {(name, d) for name, cells in found.items() for d in cells if not cells[d]["stands"]}
    alone = {name for name, design in changed if design == "independent"}
    assert {name for name, _ in changed} == set(PRINTED)
    # Limits that agree with the test; lambda of a given prevalence; the areas' rule.
    assert alone == {
        "AUC difference",
        "partial AUC difference, 0 to .4",
        "average precision at prevalence .1",
        "average precision difference",
    }
    assert numbers("AUC difference", "independent")[1] == pytest.approx(0.005540, abs=5e-7)
    assert rows_of("weights").cases(ONE) == pytest.approx((7.7078, 9.3018), abs=5e-5)


@pytest.mark.parametrize("design", DESIGNS)
def test_further_numbers(design):
    for name in MORE:
        known = golden()["more"][name][design]
        np.testing.assert_allclose(compute_more(name, design), known, rtol=1e-9, err_msg=name)
    known = golden()["more"]["AUC difference of two sets, even and odd rows"][design]
    np.testing.assert_allclose(two_sets(design), known, rtol=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["set 1", "set 2", "set 3"])
def test_another_program_on_random_rows_with_ties(name, design):
    one = golden()["random"][name]
    known, t, cut = one["numbers"][design], one["threshold"], one["cut"]
    y, s1, s2, w, g, h = (np.array(one[key]) for key in ("y", "s1", "s2", "w", "g", "h"))
    given = {"weights": w, "clusters": g, "strata": h}
    rows = Rows(y, **{key: given[key] for key in DESIGNS[design]})
    rows.merged = True  # the class factor that the other program was given
    p1, p2 = (np.round(s / 20, 3).clip(0, 1) for s in (s1, s2))
    both, part, old = rows.cases(s1, s2), (0.05, 0.3), {"present": False}
    found = {
        "relation": [oracle.relate_areas(rows, s1, s2)[key] for key in ("r", "error", "df")],
        "auc": oracle.area_interval(rows, s1, cases=rows.cases(s1)),
        "auc difference": oracle.area_difference(rows, s1, s2, cases=both, joined=False),
        "partial": oracle.area_interval(rows, s1, part, extended=False),
        "partial difference": oracle.area_difference(rows, s1, s2, part, joined=False),
        "ap": oracle.precision_interval(rows, s1, **old),
        "ap at .1": oracle.precision_interval(rows, s1, 0.1, **old),
        "ap difference": oracle.precision_difference(rows, s1, s2, **old),
        "net benefit": oracle.net_benefit(rows, p1, t),
        "net benefit at .1": oracle.net_benefit(rows, p1, t, prevalence=0.1),
        "net benefit difference": oracle.net_benefit(rows, p1, t, p2),
        "ppv": oracle.ppv(rows, s1, cut),
    }
    for key, value in found.items():
        np.testing.assert_allclose(value, known[key], rtol=0, atol=1e-10, err_msg=key)
    np.testing.assert_allclose(oracle.recall(rows, s1, 0.3), known["recall"], atol=6e-5)
    at = oracle.curve_difference(rows, s1, s2, [0.1, 0.3, 0.62])
    # Quartiles of 40 equal rows fall on a row there, and rounding decides which one: compared with
    # the package below.
    rounded = name == "set 1" and "weights" not in design
    np.testing.assert_allclose(at, known["tpr difference"], rtol=0, atol=2e-3 if rounded else 1e-8)


def draw(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([12, 25, 40, 70, 130]))
    y = (rng.random(n) < rng.choice([0.3, 0.5, 0.8])).astype(int)
    y[:4] = 0, 0, 1, 1
    one = rng.normal(size=n) + rng.choice([0.0, 1.0, 3.0]) * y
    two = 0.5 * one + rng.normal(size=n) + 0.5 * y
    return (y, np.round(2 * one), np.round(2 * two, 1)) if seed % 2 else (y, one, two)


def take(found, *names):
    return [float(np.ravel(getattr(found, name))[0]) for name in names]


@pytest.mark.parametrize("seed", range(8))
def test_independent_rows_are_those_of_the_package(no_bumps, seed):
    y, one, two = draw(seed)
    p1, p2 = (1 / (1 + np.exp(1 - s)) for s in (one, two))
    rows = Rows(y, np.full(y.size, 3.0), np.arange(y.size) + 7, np.zeros(y.size))
    interval, gap = ("estimate", "low", "high"), ("difference", "low", "high")
    along = ("difference", "lower", "upper")
    cost, wilson = ("cost", "lower", "upper"), {"method": "wilson", "threshold": 0.5}
    compared = rb.compare(y, one, two)
    points = rb.operating_points(y, one, **wilson)
    pairs = [
        (oracle.area_interval(rows, one), take(rb.auc_interval(y, one), *interval)),
        (oracle.area_difference(rows, one, two), take(compared, *gap)),
        (oracle.area_test(rows, one, two)[1], compared.pvalue),
        (oracle.cost(rows, one, 0.5, 0.4), take(rb.cost_interval(y, one, thresholds=0.5, w=0.4), *cost)),
        (
            oracle.cost_difference(rows, one, two, (0.5, 0.3), 0.4),
            take(rb.cost_difference(y, one, two, thresholds=(0.5, 0.3), w=0.4), *along),
        ),
    ]  # fmt: skip
    for part in ((0, 0.2), (0.1, 0.6)):
        known = take(rb.partial_auc_interval(y, one, fpr=part), *interval)
        pairs.append((oracle.area_interval(rows, one, part), known))
    for u in (0.1, 0.3, 0.62):
        known = take(rb.compare_tpr(y, one, two, fpr=u), *gap)
        pairs.append((np.ravel(oracle.curve_difference(rows, one, two, u)), known))
    for p in (None, 0.1):
        known = take(rb.average_precision_interval(y, one, prevalence=p), *interval)
        pairs.append((oracle.precision_interval(rows, one, p), known))
        known = take(rb.average_precision_difference(y, one, two, prevalence=p), *gap)
        pairs.append((oracle.precision_difference(rows, one, two, p), known))
        found = rb.net_benefit(y, p1, thresholds=[0.25], prevalence=p)
        known = take(found, "net_benefit", "net_benefit_lower", "net_benefit_upper")
        pairs.append((oracle.net_benefit(rows, p1, 0.25, prevalence=p), known))
        found = rb.net_benefit_difference(y, p1, p2, thresholds=[0.25], prevalence=p)
        pairs.append((oracle.net_benefit(rows, p1, 0.25, p2, prevalence=p), take(found, *along)))
    for rate in (0.1, 0.3):
        known = take(rb.rate_bounds(y, one, rate=rate), "tpr", "tpr_lower", "tpr_upper")
        pairs.append((oracle.recall(rows, one, rate), known))
        known = take(rb.rate_difference(y, one, two, rate=rate), *along)
        pairs.append((oracle.recall_difference(rows, one, two, rate), known))
    for name in ("ppv", "npv", "f1"):
        known = take(points, name, f"{name}_lower", f"{name}_upper")
        pairs.append((getattr(oracle, name)(rows, one, 0.5), known))
    for found, known in pairs:
        np.testing.assert_allclose(found, known, rtol=0, atol=1e-8)


def statements(rows, one, two, p_one, p_two):
    """Numbers of all statements."""
    return np.concatenate(
        [
            oracle.area_interval(rows, one),
            oracle.area_difference(rows, one, two),
            oracle.area_interval(rows, one, (0.0, 0.4)),
            oracle.area_difference(rows, one, two, (0.0, 0.4)),
            np.ravel(oracle.curve_difference(rows, one, two, 0.3)),
            oracle.precision_interval(rows, one),
            oracle.precision_difference(rows, one, two, 0.2),
            oracle.net_benefit(rows, p_one, 0.4),
            oracle.net_benefit(rows, p_one, 0.4, p_two, prevalence=0.2),
            oracle.cost(rows, one, 200, 0.4),
            oracle.cost_difference(rows, one, two, (200, 200), 0.4),
            oracle.ppv(rows, one, 200),
            oracle.npv(rows, one, 200),
            oracle.recall(rows, one, 0.3),
            oracle.recall_difference(rows, one, two, 0.3),
            oracle.mcnemar(rows, one, two, (200, 200)),
        ]
    )


def design_of(keep=slice(None)):
    return {name: values[keep] for name, values in DESIGNS[LAST].items()}


def test_what_must_change_nothing():
    models = (ONE, TWO, P_ONE, np.minimum(TWO / 400, 1.0))
    known = statements(rows_of(LAST), *models)
    order = np.random.default_rng(0).permutation(30)
    moved = Rows(Y[order], **design_of(order))
    np.testing.assert_allclose(statements(moved, *(m[order] for m in models)), known, atol=1e-9)
    names = np.array([f"patient {-g}" for g in GROUPS])
    scaled = Rows(Y, 17 * WEIGHTS, names, np.where(STRATA, "north", "south"))
    np.testing.assert_allclose(statements(scaled, *models), known, atol=1e-9)
    # Rows of weight 0 are rows left out, with their clusters.
    light = np.where(GROUPS == 4, 0.0, WEIGHTS)
    rest = Rows(Y[light > 0], **design_of(light > 0))
    dropped = Rows(Y, light, GROUPS, STRATA)
    np.testing.assert_allclose(
        statements(dropped, *models), statements(rest, *(m[light > 0] for m in models)), atol=1e-9
    )
    assert not np.allclose(statements(dropped, *models), known, atol=1e-3)
    one_layer = Rows(Y, WEIGHTS, GROUPS, np.full(30, "all"))
    without = rows_of("weights, clusters")
    np.testing.assert_array_equal(statements(one_layer, *models), statements(without, *models))
    alone = Rows(Y, WEIGHTS, np.arange(30))
    np.testing.assert_array_equal(
        statements(alone, *models), statements(rows_of("weights"), *models)
    )


@pytest.mark.parametrize("design", DESIGNS)
def test_models_exchanged_and_classes_swapped(design):
    rows, p_two = rows_of(design), np.minimum(TWO / 400, 1.0)
    for f in (
        oracle.area_difference,
        lambda r, a, b: oracle.area_difference(r, a, b, (0.0, 0.4)),
        lambda r, a, b: np.ravel(oracle.curve_difference(r, a, b, 0.3)),
        oracle.precision_difference,
        lambda r, a, b: oracle.cost_difference(r, a, b, (200, 200), 0.4),
        lambda r, a, b: oracle.recall_difference(r, a, b, 0.3),
        lambda r, a, b: oracle.mcnemar(r, a, b, (200, 200))[:3],
    ):
        d, low, high = f(rows, ONE, TWO)
        np.testing.assert_allclose(f(rows, TWO, ONE), (-d, -high, -low), atol=1e-8)
    d, low, high = oracle.net_benefit(rows, P_ONE, 0.4, p_two)
    turned = oracle.net_benefit(rows, p_two, 0.4, P_ONE)
    np.testing.assert_allclose(turned, (-d, -high, -low), atol=1e-12)
    swapped = Rows(1 - Y, **DESIGNS[design])
    for f in (oracle.area_interval, lambda r, s: oracle.area_difference(r, s, np.sign(s) * TWO)):
        np.testing.assert_allclose(f(swapped, -ONE), f(rows, ONE), atol=1e-9)
    np.testing.assert_allclose(
        oracle.npv(rows, ONE, 200), oracle.ppv(swapped, -ONE, -199.9), atol=1e-12
    )


def test_repeated_rows_of_a_cluster_leave_the_variance():
    rows = rows_of(LAST)
    twice = Rows(np.repeat(Y, 2), **{k: np.repeat(v, 2) for k, v in DESIGNS[LAST].items()})
    one, two = np.repeat(ONE, 2), np.repeat(TWO, 2)
    assert oracle.relate_areas(twice, one, two)["error"] == pytest.approx(
        oracle.relate_areas(rows, ONE, TWO)["error"], abs=1e-12
    )


@pytest.mark.parametrize("kind", ["auc", "partial", "precision", "given", "benefit", "ppv"])
def test_influences_are_derivatives_in_the_weights(kind):
    """Each row's weight moved by 1e-6, against the sums over clusters of single rows."""
    scores = np.round(ONE / 40) if kind in ("auc", "precision") else ONE  # with ties

    def value(w):
        rows = Rows(Y, w)
        if kind == "auc":
            return whole_area(rows, scores)[0], sum(whole_area(rows, scores)[1])
        if kind == "partial":
            return part_area(rows, scores, (0.0, 0.4))[0], sum(
                part_area(rows, scores, (0.0, 0.4))[1]
            )
        if kind in ("precision", "given"):
            found = precision(rows, scores, 0.1 if kind == "given" else None)
            return found[0], sum(found[2])
        if kind == "benefit":
            called = P_ONE >= 0.4
            x = called * (Y - 2 / 3 * (1 - Y))
            return float(rows.all @ x), rows.all * (x - rows.all @ x)
        share = rows.w * (ONE >= 200) / (rows.w * (ONE >= 200)).sum()
        return float(share @ Y), share * (Y - share @ Y)

    _, influence = value(WEIGHTS)
    for i in range(30):
        step = np.zeros(30)
        step[i] = 1e-6 * WEIGHTS[i]
        slope = (value(WEIGHTS + step)[0] - value(WEIGHTS - step)[0]) / 2e-6
        # A weight that grows by a share moves the estimate by what the row adds.
        assert influence[i] == pytest.approx(slope, abs=3e-9)


def test_net_benefit_at_0_is_the_prevalence():
    rows = rows_of("independent")
    wilson = binomtest(12, 30).proportion_ci(method="wilson")
    found = oracle.net_benefit(rows, P_ONE, 0.0)
    np.testing.assert_allclose(found, (0.4, wilson.low, wilson.high), atol=1e-12)


def test_negatives_of_a_range_are_counted_where_they_lie():
    rows = rows_of("clusters")
    m, n = rows.cases(ONE)
    sizes = [area_cases(rows, [ONE], (0.0, stop)) for stop in (0.1, 0.4, 0.9)]
    assert {first for first, _ in sizes} == {m}
    for stop, (_, k) in zip((0.1, 0.4, 0.9), sizes, strict=True):
        assert k == max(rows.between(ONE, 0.0, stop), n * stop)
    assert sizes[1][1] > 1.5 * n * 0.4  # clusters of one or two negatives in the range
    assert area_cases(rows_of("independent"), [ONE], (0.0, 0.4)) == (12.0, pytest.approx(7.2))

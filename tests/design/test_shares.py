"""Shares of rows with clusters, weights and strata: net benefit, operating points, McNemar's test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands._math.discordance import find_tango_limits
from rocbands.design.called_sums import (
    ALL,
    CALLED,
    CALLED_POS,
    POSITIVES,
    SPARED,
    SPARED_NEG,
    CalledSums,
)
from rocbands.design.row_design import RowDesign

Array = Any
I = np.arange(30)  # noqa: E741
Y = (7 * I) % 10 < 4
W = 1.0 + ((13 * I) % 7) ** 2 / 4.0
S1, S2 = 10.0 * ((11 * I) % 30) + 83.0 * Y, 10.0 * ((17 * I) % 30) + 47.0 * Y
P1, P2 = np.minimum(S1 / 400.0, 1.0), np.minimum(S2 / 400.0, 1.0)
DESIGNS: dict[str, dict[str, Array]] = {
    "": {},
    "w": {"weights": W},
    "g": {"clusters": I // 3},
    "wg": {"weights": W, "clusters": I // 3},
    "wgh": {"weights": W, "clusters": I // 3, "strata": I // 3 % 2},
}

# Computed by a separate program, which adds up rows and clusters one by one.
NUMBERS = {
    "net benefit": {
        "": (0.122222, -0.088292, 0.347228),
        "w": (0.175000, -0.095085, 0.454184),
        "g": (0.122222, -0.132466, 0.400938),
        "wg": (0.175000, -0.175251, 0.510685),
        "wgh": (0.175000, -0.129892, 0.477314),
    },
    "at prevalence .1": {
        "": (-0.191667, -0.325708, -0.071275),
        "w": (-0.146432, -0.326344, -0.008294),
        "g": (-0.191667, -0.359102, -0.048309),
        "wg": (-0.146432, -0.370571, 0.013169),
        "wgh": (-0.146432, -0.366761, 0.010306),
    },
    "difference": {
        "": (0.144444, -0.079468, 0.355118),
        "w": (0.175641, -0.107135, 0.447992),
        "g": (0.144444, -0.198970, 0.479883),
        "wg": (0.175641, -0.263632, 0.487646),
        "wgh": (0.175641, -0.294366, 0.520057),
    },
    "ppv": {
        "": (0.538462, 0.291438, 0.767939),
        "w": (0.567347, 0.250628, 0.837172),
        "g": (0.538462, 0.288094, 0.770823),
        "wg": (0.567347, 0.248909, 0.838419),
        "wgh": (0.567347, 0.272865, 0.820863),
    },
}


def sample(design: dict[str, Array], rows: Array = slice(None)) -> rb.Sample:
    own = {name: column[rows] for name, column in design.items()}
    return rb.Sample(Y[rows], {"one": P1[rows], "two": P2[rows]}, **own)


def of_net_benefit(data: rb.Sample, **how: Any) -> Array:
    found = rb.net_benefit(data["one"], thresholds=[0.4, 0.2, 0.6], **how)
    return np.array([found.net_benefit, found.net_benefit_lower, found.net_benefit_upper])


def of_lead(data: rb.Sample, **how: Any) -> Array:
    found = rb.net_benefit(data["one"], thresholds=[0.4, 0.2, 0.6], **how)
    return np.array([found.difference, found.difference_lower, found.difference_upper])


def of_difference(data: rb.Sample, **how: Any) -> Array:
    found = rb.net_benefit_difference(data, thresholds=[0.4, 0.2, 0.6], **how)
    return np.array([found.difference, found.lower, found.upper])


def of_points(data: rb.Sample, **how: Any) -> Array:
    found = rb.operating_points(data["one"], threshold=[0.5, 0.3], **how)
    names = [
        name + end
        for name in ("ppv", "npv", "f1", "rate", "lr_pos", "lr_neg")
        for end in ("", "_lower", "_upper")
    ]
    return np.array([getattr(found, name) for name in names])


def of_mcnemar(data: rb.Sample) -> Array:
    found = [
        rb.mcnemar(data, thresholds=0.5, of=of, method="score")
        for of in ("accuracy", "sensitivity", "specificity")
    ]
    return np.array([[r.difference, r.low, r.high, r.statistic, r.pvalue] for r in found])


ANSWERS: list[Callable[[rb.Sample], Array]] = [
    of_net_benefit,
    lambda data: of_net_benefit(data, prevalence=0.1),
    lambda data: of_net_benefit(data, simultaneous=False),
    of_lead,
    of_difference,
    lambda data: of_difference(data, simultaneous=False),
    of_points,
    lambda data: of_points(data, prevalence=0.1),
    of_mcnemar,
]


@pytest.mark.parametrize("given", DESIGNS)
def test_numbers_of_a_separate_program(given: str) -> None:
    data = sample(DESIGNS[given])
    found = {
        "net benefit": of_net_benefit(data, simultaneous=False)[:, 0],
        "at prevalence .1": of_net_benefit(data, simultaneous=False, prevalence=0.1)[:, 0],
        "difference": of_difference(data, simultaneous=False)[:, 0],
        "ppv": of_points(data)[:3, 0],
    }
    for name, numbers in found.items():
        assert numbers == pytest.approx(NUMBERS[name][given], abs=6e-7), name


@pytest.mark.parametrize("answer", ANSWERS)
def test_clusters_of_one_row_and_equal_weights_change_nothing(
    answer: Callable[[rb.Sample], Array],
) -> None:
    plain = answer(sample({}))
    alone = {"clusters": I[::-1], "weights": np.full(30, 2.5), "strata": np.zeros(30)}
    if answer is not ANSWERS[4] and answer is not ANSWERS[5]:  # strata change a point's method
        assert answer(sample(alone)) == pytest.approx(plain, abs=1e-12)
    del alone["strata"]
    assert answer(sample(alone)) == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("given", ["w", "wg", "wgh"])
def test_scale_order_names_and_rows_of_weight_0(
    answer: Callable[[rb.Sample], Array], given: str
) -> None:
    design = DESIGNS[given]
    expected = answer(sample(design))
    assert answer(sample(design | {"weights": 7.0 * W})) == pytest.approx(expected, abs=1e-12)
    order = np.random.default_rng(1).permutation(30)
    assert answer(sample(design, order)) == pytest.approx(expected, abs=1e-12)
    if "clusters" in design:
        names = design | {"clusters": np.array(list("qwertzuiop"))[I // 3]}
        assert answer(sample(names)) == pytest.approx(expected, abs=1e-12)
    none = np.arange(30) % 10 == 4  # no cluster goes with its rows
    left = answer(sample(design | {"weights": np.where(none, 0.0, W)}))
    assert left == pytest.approx(answer(sample(design, ~none)), abs=1e-12)


@pytest.mark.parametrize("given", DESIGNS)
def test_exchanged_models_change_the_sign(given: str) -> None:
    design = DESIGNS[given]
    turned = rb.Sample(Y, {"two": P2, "one": P1}, **design)
    value, lower, upper = of_difference(sample(design))
    assert of_difference(turned) == pytest.approx(-np.array([value, upper, lower]), abs=1e-12)
    one, two = of_mcnemar(sample(design)), of_mcnemar(turned)
    assert two[:, [0, 2, 1, 3]] == pytest.approx(-one[:, :4], abs=1e-9)
    assert two[:, 4] == pytest.approx(one[:, 4])


@pytest.mark.parametrize("given", DESIGNS)
def test_net_benefit_at_0_is_the_prevalence(given: str) -> None:
    found = rb.net_benefit(sample(DESIGNS[given])["one"], thresholds=0.0)
    share = (W * Y).sum() / W.sum() if "w" in given else Y.mean()
    assert found.net_benefit[0] == pytest.approx(share)
    assert found.treat_all[0] == pytest.approx(share)
    assert found.difference[0] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("given", ["w", "g", "wg", "wgh"])
def test_degrees_of_freedom_are_those_of_the_rows_called(given: str) -> None:
    design = DESIGNS[given]
    roc = rb.Sample(Y, S1, **design).roc
    rows = RowDesign.of_rows(Y, *(design.get(name) for name in ("weights", "clusters", "strata")))
    sums = CalledSums.add_up(RowDesign.of_curve(roc), np.array([9, 20]))
    for k, vertex in enumerate((9, 20)):
        called = roc.thresholds[vertex - 1] <= S1
        jaccard = (CALLED_POS, (0.0, 1.0, 1.0, 0.0))
        for (part, of), base in (
            ((CALLED_POS, CALLED), called),
            ((SPARED_NEG, SPARED), ~called),
            (jaccard, called | Y),
        ):
            found = sums.find_share(part, of).stretch
            expected = rows.stretch_share(rows.weight * base / (rows.weight @ base))
            assert found.df[k] == pytest.approx(expected.df, rel=1e-9)
            assert found.df_rows[k] == expected.df_rows


def test_prevalence_is_a_share_of_all_rows() -> None:
    # With fewer than 20 positives the pool has all rows: no score comes near to a class.
    design = RowDesign.of_curve(rb.Sample(Y, S1, **DESIGNS["wg"]).roc)
    found = CalledSums.add_up(design, np.array([5])).find_share(POSITIVES, ALL)
    assert found.value == pytest.approx((W * Y).sum() / W.sum())
    assert 0.0 < found.number[0] < 30.0


def test_weights_of_classes_count_in_the_prevalence() -> None:
    weights = np.where(Y, 0.5, 2.0)
    data = rb.Sample(Y, P1, weights=weights)
    share = weights[Y].sum() / weights.sum()
    found = rb.net_benefit(data, thresholds=[0.4])
    given = rb.net_benefit(Y, P1, thresholds=[0.4], prevalence=share)
    assert found.net_benefit == pytest.approx(given.net_benefit)
    points = rb.operating_points(data, threshold=0.5)
    assert points.ppv == pytest.approx(
        rb.operating_points(Y, P1, threshold=0.5, prevalence=share).ppv
    )


# --------------------------------------------------------------------------------- two test sets


@pytest.mark.parametrize("given", ["", "w", "wg"])
@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_two_test_sets_without_common_clusters(given: str, prevalence: float | None) -> None:
    # Independent sets: the distances of both net benefits are combined without a correlation.
    design = DESIGNS[given]
    one = rb.Sample(Y, P1, **design)
    other = dict(design)
    if "clusters" in other:
        other["clusters"] = other["clusters"] + 100
    turn = np.roll(I, 3)
    two = rb.Sample(Y[turn], P2[turn], **{key: side[turn] for key, side in other.items()})
    how: dict[str, Any] = {"thresholds": [0.3, 0.5], "prevalence": prevalence}
    how["simultaneous"] = False
    gap = rb.net_benefit_difference(one, two, **how)
    a, b = rb.net_benefit(one, **how), rb.net_benefit(two, **how)
    value = a.net_benefit - b.net_benefit
    below = np.hypot(a.net_benefit - a.net_benefit_lower, b.net_benefit_upper - b.net_benefit)
    assert gap.difference == pytest.approx(value, abs=1e-12)
    assert gap.lower == pytest.approx(value - below, abs=1e-12)


def test_common_clusters_correlate_two_test_sets() -> None:
    # Shifts of whole clusters are in both sets, so they cancel in the difference.
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(40), 4)
    shift = rng.normal(size=40)[clusters]
    y = rng.random(160) < 0.4
    p, q = (1.0 / (1.0 + np.exp(-shift - y - rng.normal(size=160))) for _ in range(2))
    turn = np.roll(np.arange(160), 3)
    one = rb.Sample(y, p, clusters=clusters)
    common, apart = (
        rb.net_benefit_difference(
            one, rb.Sample(y[turn], q[turn], clusters=clusters[turn] + more), thresholds=[0.5]
        )
        for more in (0, 99)
    )
    assert common.difference == pytest.approx(apart.difference)
    assert (common.upper - common.lower < 0.9 * (apart.upper - apart.lower)).all()


# ------------------------------------------------------------------------------ McNemar's test


def test_score_test_of_single_rows_is_mcnemars() -> None:
    found = rb.mcnemar(sample({}), thresholds=0.5, method="score")
    right = [(p >= 0.5) == Y for p in (P1, P2)]
    only_1, only_2 = (right[0] & ~right[1]).sum(), (right[1] & ~right[0]).sum()
    assert found.statistic == pytest.approx((only_1 - only_2) / np.sqrt(only_1 + only_2))
    limits = find_tango_limits(only_1, only_2, 30, 1.959963984540054)
    assert (found.low, found.high) == pytest.approx(tuple(map(float, limits)), abs=1e-9)
    assert found.interval_method == "tango"
    assert rb.mcnemar(sample({}), thresholds=0.5).method == "mcnemar mid-p"


@pytest.mark.parametrize("of", ["accuracy", "sensitivity", "specificity"])
def test_statistic_of_clusters_is_durkalskis(of: str) -> None:
    found = rb.mcnemar(sample(DESIGNS["g"]), thresholds=0.5, of=of)
    right = [(p >= 0.5) == Y for p in (P1, P2)]
    own = {"accuracy": Y | ~Y, "sensitivity": Y, "specificity": ~Y}[of]
    gap = (right[0].astype(float) - right[1]) * own
    sums = np.array([gap[g == I // 3].sum() for g in range(10)])
    assert found.statistic == pytest.approx(sums.sum() / np.sqrt((sums**2).sum()))
    assert found.method == "mcnemar score"


def test_single_precision_is_compared_as_such() -> None:
    y = np.arange(40) % 2 == 0
    one = np.where(y, 0.7, 0.1).astype(np.float32)  # below 0.7 in double precision
    two = np.where(np.arange(40) % 4 < 2, 0.7, 0.1).astype(np.float32)
    found = rb.mcnemar(rb.Sample(y, {"a": one, "b": two}), thresholds=0.7, method="score")
    assert found.estimates == (1.0, 0.5)
    assert found.statistic == pytest.approx(np.sqrt(20.0))


def test_models_with_the_same_calls_have_a_pvalue_of_1() -> None:
    data = rb.Sample(Y, {"a": P1, "b": P1}, clusters=I // 3)
    found = rb.mcnemar(data, thresholds=0.5)
    assert (found.difference, found.pvalue) == (0.0, 1.0)
    assert found.low < 0.0 < found.high


# ------------------------------------------------------------------------- bins, notes, refusals


def test_thresholds_inside_weighted_bins() -> None:
    rng = np.random.default_rng(8)
    y = rng.random(400) < 0.4
    score = np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1)
    w = np.exp(0.5 * rng.normal(size=400))
    edges = np.arange(19, -1, -1) / 20.0
    at = np.searchsorted(-edges, -score)  # the first edge at or below each score
    sums = [np.bincount(at, w**power * (y == kind), 20) for power in (1, 2) for kind in (0, 1)]
    fp, tp = (np.cumsum(np.bincount(at[y == kind], minlength=20)) for kind in (0, 1))
    counted = rb.RocCurve.from_counts(edges, fp, tp, bins=True, weights=sums)
    found = rb.operating_points(counted, threshold=[0.5, 0.52])
    exact = rb.operating_points(rb.Sample(y, score, weights=w), threshold=[0.5, 0.52])
    for name in ("fpr", "tpr", "ppv", "npv", "f1", "rate"):
        value, low, high = (getattr(exact, name + end) for end in ("", "_lower", "_upper"))
        # At the edge of a bin nothing is lost but the order of rows inside bins.
        assert getattr(found, name)[0] == pytest.approx(value[0])
        assert getattr(found, name + "_lower")[0] == pytest.approx(low[0], abs=0.01)
        assert (
            getattr(found, name + "_lower")[1]
            < low[1]
            < high[1]
            < getattr(found, name + "_upper")[1]
        )
    assert any("lie inside a bin" in note for note in found.notes)


def test_notes_say_what_the_design_costs() -> None:
    data = sample(DESIGNS["wg"])
    for of, notes in (
        (", for net benefit", rb.net_benefit(data["one"], thresholds=0.4).notes),
        (", for net benefit", rb.net_benefit_difference(data, thresholds=0.4).notes),
        ("", rb.mcnemar(data, thresholds=0.5).notes),
    ):
        said = f"Weights and clusters{of}: 30 rows count like"
        assert any(note.startswith(said) for note in notes)
        assert any(note.startswith("Few clusters: 8.6") for note in notes)
    assert not any("count like" in note for note in rb.net_benefit(sample({})["one"]).notes)


@pytest.mark.parametrize("given", ["w", "g"])
def test_refusals(given: str) -> None:
    data = sample(DESIGNS[given])
    for method in ("exact", "mid-p"):
        with pytest.raises(rb.InputError, match=f"Method '{method}' is for rows .*method='score'"):
            rb.mcnemar(data, thresholds=0.5, method=method)


# ----------------------------------------------------------------------------------- coverage


@pytest.mark.simulation
def test_limits_of_clusters_hold_where_those_of_single_rows_fail() -> None:
    """200 sets of 50 clusters with a common shift of scores and with shares of positives that differ.

    The negative control leaves the clusters out.
    """
    rng = np.random.default_rng(3)

    def draw(clusters: int) -> tuple[Array, Array, Array, Array]:
        code = np.repeat(np.arange(clusters), 8)
        y = rng.random(code.size) < rng.beta(0.6, 1.4, clusters)[code]
        shift = rng.normal(size=(clusters, 2))[code]
        scores = 0.8 * shift + 0.6 * rng.normal(size=(code.size, 2)) + 1.4 * y[:, None]
        return y, code, *(1.0 / (1.0 + np.exp(0.9 - scores.T)))

    y, _, p, q = draw(60_000)
    truth = {
        "ppv": y[p >= 0.5].mean(),
        "net benefit": rb.net_benefit(y, p, thresholds=0.3).net_benefit[0],
        "difference": rb.net_benefit_difference(y, p, q, thresholds=0.3).difference[0],
        "mcnemar": ((p >= 0.5) == y).mean() - ((q >= 0.5) == y).mean(),
    }
    held = {(name, kind): 0 for name in truth for kind in ("clusters", "rows")}
    for _ in range(200):
        y, code, p, q = draw(50)
        for kind, clusters in (("clusters", code), ("rows", None)):
            data = rb.Sample(y, {"p": p, "q": q}, clusters=clusters)
            one = rb.operating_points(data["p"], threshold=0.5)
            two = rb.net_benefit(data["p"], thresholds=0.3)
            three = rb.net_benefit_difference(data, thresholds=0.3)
            four = rb.mcnemar(data, thresholds=0.5, method="score")
            limits = {
                "ppv": (one.ppv_lower[0], one.ppv_upper[0]),
                "net benefit": (two.net_benefit_lower[0], two.net_benefit_upper[0]),
                "difference": (three.lower[0], three.upper[0]),
                "mcnemar": (four.low, four.high),
            }
            for name, (low, high) in limits.items():
                held[name, kind] += bool(low <= truth[name] <= high)
    for name in truth:
        assert held[name, "clusters"] >= 182, held  # 4 standard errors below .95
        assert held[name, "rows"] < held[name, "clusters"], held
    assert held["ppv", "rows"] < 170, held
    assert held["net benefit", "rows"] < 170, held

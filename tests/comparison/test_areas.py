"""Areas of weighted, dependent and stratified rows: their differences, whole and in part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison.areas import measure_pair, measure_sets
from rocbands.comparison.delong import ScoreDifference, contrast_areas
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair
from rocbands.resample.areas import FprRange
from tests.oracles import compare as oracle

ROW = np.arange(30)
Y = (7 * ROW % 10 < 4).astype(int)
W, G = 1 + (13 * ROW % 7) ** 2 / 4, ROW // 3
ONE, TWO = 10 * (11 * ROW % 30) + 83 * Y, 10 * (17 * ROW % 30) + 47 * Y
DESIGNS: dict[str, dict[str, Any]] = {
    "none": {},
    "weights": {"weights": W},
    "clusters": {"clusters": G},
    "both": {"weights": W, "clusters": G},
    "strata": {"weights": W, "clusters": G, "strata": G % 2},
}
# Computed by a separate program, with these effective numbers of positives and of negatives, the
# latter also for false positive rates of 0 to .4: variance of the AUC difference; low, high and df
# of the AUC difference and of the difference over 0 to .4; limits of the first model's area there.
KNOWN = {
    "none": (
        *(0.017594243084, 0.005540465923, 0.550015089632, 26.840374358),
        *(-0.022636841032, 0.281808841410, 16.642562988, 0.089432492644, 0.307969388076),
    ),
    "weights": (
        *(0.030834705149, -0.133573962586, 0.625603354204, 12.922317450),
        *(-0.157176635620, 0.300255283107, 9.223132156, 0.065268703767, 0.337986733536),
    ),
    "clusters": (
        *(0.023142823997, -0.059508944493, 0.609578956158, 11.889018703),
        *(-0.043669023643, 0.302928282903, 9.391244101, 0.088654955835, 0.308762877339),
    ),
    "both": (
        *(0.037840676470, -0.252234855301, 0.734120172241, 5.440741185),
        *(-0.201794253888, 0.344872901376, 6.410985350, 0.064598370429, 0.338629762295),
    ),
    "strata": (
        *(0.036145677778, -0.315266454780, 0.807295846398, 3.469287385),
        *(-0.212206573649, 0.355285221136, 5.503953753, 0.067497032988, 0.335848246922),
    ),
}
CASES = {
    "weights": ((7.452296004736, 9.301770857723), 4.821711902862),
    "clusters": ((6.629631824888, 9.177418909545), 6.546824116695),
    "both": ((4.024365177517, 6.293965678313), 4.429819963959),
    "strata": ((3.629729145846, 6.208139389810), 6.111482115205),
}


def two_models(design: dict[str, Any]) -> rb.Sample:
    return rb.Sample(Y, {"a": ONE, "b": TWO}, **design)


@pytest.mark.parametrize("name", DESIGNS)
def test_numbers_of_another_program(name: str) -> None:
    sample = two_models(DESIGNS[name])
    whole = rb.compare(sample)
    part = rb.partial_auc_difference(sample, fpr=(0, 0.4))
    alone = rb.partial_auc_interval(sample["a"], fpr=(0, 0.4))
    found = (whole.standard_error**2, whole.low, whole.high, whole.df, part.low, part.high, part.df)
    assert (*found, alone.low, alone.high) == pytest.approx(KNOWN[name], rel=1e-8, abs=1e-10)
    if name in CASES:
        pair = Pair.from_sample(sample)
        inside = measure_pair(pair, FprRange(0.0, 0.4)).covariance.cases
        assert measure_pair(pair).covariance.cases == pytest.approx(CASES[name][0], abs=1e-9)
        assert inside.n_neg == pytest.approx(CASES[name][1], abs=1e-9)
        assert any("design effect" in note for note in whole.notes)
        assert any("design effect" in note for note in part.notes)
        assert any("design effect" in note for note in alone.notes)


def test_limits_before_they_are_joined_with_the_test() -> None:
    areas, parts, *_ = measure_pair(Pair.from_sample(two_models({})), FprRange(0.0, 0.4))
    found = contrast_areas(float(areas[0] - areas[1]), parts, alike=False)
    low, high = ScoreDifference.from_models(areas, parts, found).limits(0.025)
    assert (0.4 * low, 0.4 * high) == pytest.approx((-0.023138461699, 0.281808841410), abs=1e-11)


# ------------------------------------------------------------------------------------- properties


def draw_rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Labels, scores of two models that are sometimes tied, and some design."""
    n = int(rng.choice([14, 30, 60]))
    y = (rng.random(n) < rng.choice([0.25, 0.5])).astype(int)
    y[:4] = 0, 0, 1, 1
    common = rng.normal(size=n)
    scores = common + rng.normal(size=(2, n)) + rng.choice([0.0, 1.2, 3.0]) * y
    scores = np.round(2 * scores) if rng.random() < 0.5 else scores
    clusters = rng.integers(0, max(3, n // 3), n)
    clusters[:4] = 0, 1, 0, 2
    design = {"weights": np.exp(rng.normal(size=n)), "clusters": clusters, "strata": clusters % 3}
    kept = [name for name in design if rng.random() < 0.6]
    if "clusters" not in kept and "strata" in kept:
        design["strata"] = rng.integers(0, 2, n)
    return y, scores, {name: design[name] for name in kept}


def ask_all(y: Any, scores: Any, design: dict[str, Any], *, swapped: bool = False) -> np.ndarray:
    """Limits of all questions about areas; `swapped`: of classes and scores."""
    sample = rb.Sample(y, {"a": scores[0], "b": scores[1]}, **design)
    low, high = {"fpr": (0.1, 0.6)}, {"tpr": (0.3, 0.8)}
    if swapped:
        low, high = {"tpr": (0.4, 0.9)}, {"fpr": (0.2, 0.7)}
    results = [
        rb.auc_interval(sample["a"]),
        rb.auc_interval(sample["a"], method="delong"),
        rb.compare(sample),
        rb.compare(sample, margin=0.1),
        *(rb.partial_auc_interval(sample["b"], **part) for part in (low, high)),
        *(rb.partial_auc_difference(sample, **part) for part in (low, high)),
    ]
    pvalues = [one.pvalue for one in results if isinstance(one, rb.results.Comparison)]
    return np.array([end for one in results for end in (one.low, one.high)] + pvalues)


def test_twenty_designs() -> None:
    """Nothing depends on the positive class, on units of weights, order, names or split rows."""
    rng = np.random.default_rng(35)
    for _ in range(20):
        y, scores, design = draw_rows(rng)
        plain, n = ask_all(y, scores, design), y.size
        swapped = ask_all(1 - y, -scores, design, swapped=True)
        # Areas of 1 may be less by rounding, and a standard error of 0 then is 1e-8.
        np.testing.assert_allclose(swapped, plain, rtol=0, atol=1e-7)
        order, names = rng.permutation(n), rng.permutation(1000)
        other = {name: side[order] for name, side in design.items()}
        for name in {"clusters", "strata"} & other.keys():
            other[name] = names[other[name]]
        if "weights" in other:
            other["weights"] = other["weights"] * np.where(y[order] == 1, 3.7, 0.2)
        np.testing.assert_allclose(
            ask_all(y[order], scores[:, order], other), plain, rtol=0, atol=1e-7
        )
        parts = {name: np.repeat(side, 2) for name, side in design.items()}
        parts["clusters"] = np.repeat(design.get("clusters", np.arange(n)), 2)
        parts["weights"] = np.repeat(design.get("weights", np.ones(n)), 2) / 2
        if "weights" in design or "clusters" in design:
            halves = ask_all(np.repeat(y, 2), np.repeat(scores, 2, axis=1), parts)
            np.testing.assert_allclose(halves, plain, rtol=0, atol=1e-7)


def test_designs_that_change_nothing() -> None:
    rng = np.random.default_rng(4)
    for _ in range(8):
        y, scores, _ = draw_rows(rng)
        plain = ask_all(y, scores, {})
        for design in (
            {"clusters": np.arange(y.size) * 7},
            {"weights": np.where(y == 1, 4.0, 0.5)},
            {"strata": np.zeros(y.size)},
        ):
            np.testing.assert_allclose(ask_all(y, scores, design), plain, atol=1e-12)
        y, scores, design = draw_rows(rng)
        zero = rng.random(y.size) < 0.2
        zero[:4] = False
        weights = design.get("weights", np.ones(y.size))
        with_zeros = ask_all(y, scores, {**design, "weights": np.where(zero, 0.0, weights)})
        kept = {name: side[~zero] for name, side in {**design, "weights": weights}.items()}
        np.testing.assert_allclose(with_zeros, ask_all(y[~zero], scores[:, ~zero], kept))


def test_exchanged_models() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        y, (one, two), design = draw_rows(rng)
        for ask in (rb.compare, lambda sample: rb.partial_auc_difference(sample, fpr=(0, 0.5))):
            found = ask(rb.Sample(y, {"a": one, "b": two}, **design))
            turned = ask(rb.Sample(y, {"b": two, "a": one}, **design))
            assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-12)
            assert turned.pvalue == pytest.approx(found.pvalue, abs=1e-12)
            assert (found.pvalue < 0.05) == (not found.low <= 0 <= found.high)


def test_the_whole_range_is_the_whole_area() -> None:
    rng = np.random.default_rng(8)
    for _ in range(10):
        y, (one, two), _ = draw_rows(rng)
        sample = rb.Sample(y, {"a": one, "b": two})
        for options in ({}, {"alternative": "less"}, {"margin": 0.2, "level": 0.8}):
            whole = rb.compare(sample, **options)
            part = rb.partial_auc_difference(sample, fpr=(0, 1), **options)
            assert (part.low, part.high) == pytest.approx((whole.low, whole.high), abs=1e-12)
            assert part.pvalue == pytest.approx(whole.pvalue, abs=1e-12)


# ------------------------------------------------------------------------------------ two test sets


def two_sets(rng: np.random.Generator, shared: bool) -> list[tuple[Any, Any, dict[str, Any]]]:
    found = []
    for k in range(2):
        y, (s, _), _ = draw_rows(rng)
        clusters = rng.integers(0, y.size // 2, y.size)
        clusters[:4] = 0, 1, 0, 2
        design = {
            "clusters": clusters + (0 if shared else 1000 * k),
            "weights": np.exp(rng.normal(size=y.size)),
        }
        found.append((y, s, design))
    return found


def sum_influences(y: Any, s: Any, design: dict[str, Any]) -> dict[int, float]:
    """Sum the influences of each cluster's rows on the weighted AUC, in plain loops."""
    w, clusters = design["weights"], design["clusters"]
    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    below = {i: sum(w[j] * float(oracle.win(s[i], s[j])) for j in neg) / w[neg].sum() for i in pos}
    above = {j: sum(w[i] * float(oracle.win(s[i], s[j])) for i in pos) / w[pos].sum() for j in neg}
    area = sum(w[i] * below[i] for i in pos) / w[pos].sum()
    z = dict.fromkeys(clusters.tolist(), 0.0)
    for place, rows in ((below, pos), (above, neg)):
        for i in rows:
            z[int(clusters[i])] += w[i] * (place[i] - area) / w[rows].sum()
    return z


def test_clusters_in_both_test_sets() -> None:
    rng = np.random.default_rng(11)
    for _ in range(10):
        sets = two_sets(rng, shared=True)
        pair = read_pair(*(rb.Sample(y, s, **design) for y, s, design in sets), None)
        (one, two), covariance = measure_sets(pair)
        z = [sum_influences(*each) for each in sets]
        distinct = len(z[0].keys() | z[1].keys())
        expected = sum(z[0][g] * z[1][g] for g in z[0].keys() & z[1].keys())
        assert covariance == pytest.approx(expected * distinct / (distinct - 1), abs=1e-14)
        variances = [
            oracle.design_variance(y.tolist(), s.tolist(), [0] * y.size, **design)
            for y, s, design in sets
        ]
        assert (one.variance, two.variance) == pytest.approx(variances, abs=1e-13)
        if min(variances) < 1e-9:  # a bound is in the place of the variance
            continue
        found = rb.compare(*(rb.Sample(y, s, **design) for y, s, design in sets))
        error = max(sum(variances) - 2 * covariance, sum(variances) / 10) ** 0.5
        assert found.standard_error == pytest.approx(error, abs=1e-12)
        turned = rb.compare(*(rb.Sample(y, s, **design) for y, s, design in sets[::-1]))
        assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-12)
        assert turned.pvalue == pytest.approx(found.pvalue, abs=1e-9)


def test_common_clusters_shorten_limits_of_one_patient_in_both_sets() -> None:
    """Both eyes of each patient, whose scores agree: linked by name, or taken as other patients."""
    rng = np.random.default_rng(12)
    y, effect = np.tile(np.repeat([1, 0], 40), 2), np.tile(rng.normal(size=80), 2)
    s = effect + 0.4 * rng.normal(size=160) + y
    patient, left = np.tile(np.arange(80), 2), np.repeat([True, False], 80)

    def compare(names: np.ndarray) -> rb.results.Comparison:
        return rb.compare(*(rb.Sample(y[k], s[k], clusters=names[k]) for k in (left, ~left)))

    linked, apart = compare(patient), compare(np.arange(160))
    assert linked.difference == apart.difference
    assert linked.high - linked.low < 0.7 * (apart.high - apart.low)
    plain = rb.compare(*(rb.Sample(y[k], s[k]) for k in (left, ~left)))
    assert (apart.low, apart.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_two_test_sets_of_independent_rows_have_areas_in_part() -> None:
    rng = np.random.default_rng(13)
    (y, (one, _), _), (z, (two, _), _) = draw_rows(rng), draw_rows(rng)
    for ranges in ({"fpr": (0, 1)}, {"tpr": (0, 1)}):
        part = rb.partial_auc_difference(rb.Sample(y, one), rb.Sample(z, two), **ranges)
        whole = rb.compare(rb.Sample(y, one), rb.Sample(z, two))
        assert (part.low, part.high) == pytest.approx((whole.low, whole.high), abs=1e-12)
        assert part.pvalue == pytest.approx(whole.pvalue, abs=1e-9)


# --------------------------------------------------------------------------- refusals and bins


def test_what_is_refused() -> None:
    sample = two_models({})
    with pytest.raises(rb.InputError, match="Exactly one of `fpr`"):
        rb.partial_auc_difference(sample)
    with pytest.raises(rb.InputError, match="`specificity` must be two rates"):
        rb.partial_auc_difference(sample, specificity=0.9)
    with pytest.raises(
        rb.InputError, match=r"`margin` must be a number strictly between 0 and 0.2"
    ):
        rb.partial_auc_difference(sample, fpr=(0, 0.2), margin=0.3)
    in_one = two_models({"clusters": np.where(Y == 1, 0, ROW)})
    for ask in (
        rb.compare,
        rb.compare_many,
        lambda sample: rb.partial_auc_difference(sample, tpr=(0, 0.5)),
        lambda sample: rb.partial_auc_interval(sample["a"], tpr=(0, 0.5)),
        lambda sample: rb.auc_interval(sample["a"]),
    ):
        with pytest.raises(rb.InputError, match="positives must come from at least two clusters"):
            ask(in_one)
    for method in ("bootstrap", "bootstrap-t", "venkatraman"):
        with pytest.raises(
            rb.InputError, match=r"is for rows that count equally; the sample has w"
        ):
            rb.compare(two_models({"weights": W}), method=method)
    with pytest.raises(rb.InputError, match="Method 'bootstrap' has no direction"):
        rb.partial_auc_interval(sample["a"], fpr=(0, 0.5), alternative="less", method="bootstrap")


def test_one_sided_limits_of_a_partial_area() -> None:
    sample = two_models(DESIGNS["strata"])["a"]
    both = rb.partial_auc_interval(sample, fpr=(0, 0.4), level=0.9)
    greater, less = (
        rb.partial_auc_interval(sample, fpr=(0, 0.4), alternative=side)
        for side in ("greater", "less")
    )
    assert (greater.low, greater.high) == pytest.approx((both.low, 0.4))
    assert (less.low, less.high) == pytest.approx((0.0, both.high))
    assert greater.alternative == "greater"
    corrected = rb.partial_auc_interval(sample, fpr=(0, 0.4), alternative="less", corrected=True)
    assert (corrected.low, corrected.high < 1) == (0.5, True)


def test_weighted_bins_contain_the_limits_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.4
    s = np.round(30 * (rng.normal(size=400) + y)).astype(int)
    w = np.exp(rng.normal(size=400))
    roc = rb.Sample(y, s, weights=w).roc
    fine = rb.partial_auc_interval(roc, fpr=(0.1, 0.5))
    levels = np.unique(s // 6 * 6)[::-1]
    binned = rb.Sample(y, s // 6 * 6, weights=w).roc
    weights = (binned.weights.neg, binned.weights.pos)
    weights += (binned.weights.neg_squares, binned.weights.pos_squares)
    bins = rb.RocCurve.from_counts(levels, fp=binned.fp, tp=binned.tp, bins=True, weights=weights)
    found = rb.partial_auc_interval(bins, fpr=(0.1, 0.5))
    assert found.low < fine.low < fine.high < found.high
    assert found.high - found.low < 1.6 * (fine.high - fine.low)
    with pytest.raises(rb.InputError, match=r"sample of two models"):
        rb.partial_auc_difference(bins, fpr=(0.1, 0.5))


# ------------------------------------------------------------------------------------ many models


@pytest.mark.parametrize("name", DESIGNS)
def test_many_models_have_the_covariance_of_each_pair(name: str) -> None:
    design = DESIGNS[name]
    scores = {"a": ONE, "b": TWO, "c": 10 * (13 * ROW % 30) + 60 * Y}
    many = rb.compare_many(rb.Sample(Y, scores, **design), n_resamples=4000)
    for (i, j), error in zip(many.pairs, many.standard_errors, strict=True):
        one, two = (list(scores.values())[k].tolist() for k in (i, j))
        expected = oracle.design_variance(Y.tolist(), one, two, **design)
        assert error**2 == pytest.approx(expected, rel=1e-9)
        pair = rb.compare(rb.Sample(Y, {"a": np.array(one), "b": np.array(two)}, **design))
        row = many.pairs.index((i, j))
        assert many.raw_pvalues[row] >= pair.pvalue - 0.02
    order = np.random.default_rng(1).permutation(30)
    moved = rb.compare_many(
        rb.Sample(
            Y[order],
            {key: values[order] for key, values in scores.items()},
            **{
                key: values[order] * (4 if key == "weights" else 1)
                for key, values in design.items()
            },
        ),
        n_resamples=4000,
    )
    np.testing.assert_allclose(moved.lower, many.lower, atol=1e-12)
    np.testing.assert_allclose(moved.pvalues, many.pvalues, atol=1e-12)
    two = rb.compare_many(two_models(design))
    assert two.lower[0] == rb.compare(two_models(design)).low
    assert any("design effect" in note for note in many.notes) == (name != "none")


@pytest.mark.simulation
def test_many_equal_models_of_clusters_are_called_different_as_often_as_allowed() -> None:
    rng, missed, ignored = np.random.default_rng(5), 0, 0
    for _ in range(60):
        clusters = np.repeat(np.arange(20), 8)
        y = (rng.random(160) < rng.beta(0.6, 1.4, 20)[clusters]).astype(int)
        # Each model has an effect of its own in each cluster.
        own = rng.normal(size=(4, 20))[:, clusters] + 0.5 * rng.normal(size=(4, 160))
        scores = dict(zip("abcd", 1.2 * y + own, strict=True))
        if any(np.unique(clusters[y == k]).size < 3 for k in (0, 1)):
            continue
        missed += (
            rb.compare_many(rb.Sample(y, scores, clusters=clusters), n_resamples=1000).pvalue < 0.05
        )
        ignored += rb.compare_many(rb.Sample(y, scores), n_resamples=1000).pvalue < 0.05
    assert missed <= 8
    assert ignored >= 15


@pytest.mark.simulation
@pytest.mark.parametrize("ask", ["whole", "part"])
def test_coverage_with_clusters(ask: str) -> None:
    """Limits of designs contain the true difference, those of rows taken as independent do not."""
    rng, held, ignored, sets = np.random.default_rng(9), 0, 0, 120
    for _ in range(sets):
        clusters = np.repeat(np.arange(40), rng.integers(2, 9, 40))
        n = clusters.size
        y = (rng.random(n) < rng.beta(0.8, 1.2, 40)[clusters]).astype(int)
        own = rng.normal(size=(2, 40))[:, clusters] + 0.7 * rng.normal(size=(2, n))
        scores = dict(zip("ab", 1.2 * y + own, strict=True))  # equal areas
        weights = np.exp(0.5 * rng.normal(size=n))
        for clustered in (True, False):
            design = {"weights": weights, "clusters": clusters} if clustered else {}
            sample = rb.Sample(y, scores, **design)
            if ask == "whole":
                found = rb.compare(sample)
            else:
                found = rb.partial_auc_difference(sample, fpr=(0, 0.3))
            if clustered:
                held += found.low <= 0 <= found.high
            else:
                ignored += found.low <= 0 <= found.high
    assert held >= 0.9 * sets
    assert ignored <= 0.88 * sets

"""Differences of curves of weighted rows, of clusters and in strata."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

import rocbands as rb
from rocbands.comparison import grid_sums
from rocbands.comparison.difference_band import choose_fpr_range
from rocbands.comparison.difference_spread import DifferenceSpread, UnpairedSpread, estimate_spread
from rocbands.comparison.grid_curve import CurveAtGrid, count_cases
from rocbands.comparison.grid_sums import KindRows, multiply_common
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair
from rocbands.design.effective_sizes import count_independent_cases, find_effective_sizes
from rocbands.design.row_design import find_set_covariance

ROW = np.arange(30)
Y = (7 * ROW % 10 < 4).astype(int)
MODELS = {"one": 10 * (11 * ROW % 30) + 83 * Y, "two": 10 * (17 * ROW % 30) + 47 * Y}
DESIGN = {"weights": 1 + (13 * ROW % 7) ** 2 / 4, "clusters": ROW // 3, "strata": ROW // 3 % 2}
AT = np.array([0.0713, 0.1531, 0.3017, 0.5123, 0.8071])
DRAWS = {"n_resamples": 200, "rng": 3}

# Of a separate program, with the case numbers of this one: at fpr .3 the difference and its limits,
# and both limits at each point of AT.
NUMBERS = {
    "": (".250000 -.258385 .737508", "", ""),
    "weights": (
        ".069307 -.556437 .688968",
        "-.529804 -.511868 -.557380 -.328388 -.294419",
        ".766965 .934385 .689954 .955285 .880572",
    ),
    "clusters": (
        ".250000 -.349290 .822153",
        ".051902 -.083824 -.349755 -.210269 -.199478",
        ".755999 .740819 .822607 .850634 .687719",
    ),
    "weights clusters": (
        ".069307 -.654928 .780290",
        "-.514755 -.593940 -.653898 -.323662 -.429125",
        ".746222 1.000000 .779215 .944976 .966889",
    ),
    "weights clusters strata": (
        ".069307 -.695374 .816567",
        "-.527636 -.627246 -.694332 -.375045 -.462069",
        ".753001 1.000000 .815456 .997014 .990914",
    ),
}


def sample(names: str) -> rb.Sample:
    return rb.Sample(Y, MODELS, **{name: DESIGN[name] for name in names.split()})


def spread_of(pair: Pair, fpr: Any = AT) -> DifferenceSpread:
    sizes = count_cases(pair.curves, paired=pair.paired)
    curves = zip(pair.curves, sizes, strict=True)
    return estimate_spread(pair, *(CurveAtGrid.from_curve(roc, fpr, own) for roc, own in curves))


@pytest.mark.parametrize("names", NUMBERS)
def test_numbers_of_a_separate_program(names: str) -> None:
    found = rb.compare_tpr(sample(names), fpr=0.3)
    known, *limits = (np.array(text.split(), dtype=float) for text in NUMBERS[names])
    np.testing.assert_allclose((found.difference, found.low, found.high), known, rtol=0, atol=6e-7)
    if limits[0].size:
        spread = spread_of(Pair.from_sample(sample(names)))
        np.testing.assert_allclose(
            spread.find_limits(float(ndtri(0.975))), limits, rtol=0, atol=6e-7
        )
        band = rb.difference_band(sample(names), fpr=(0.3, 0.7), **DRAWS)
        assert band.lower[0] < found.low < found.high < band.upper[0]


def draw(
    seed: int, n: int = 120, *, digits: int = 1
) -> tuple[Any, dict[str, Any], dict[str, Any], np.random.Generator]:
    rng = np.random.default_rng(seed)
    y, clusters = (rng.random(n) < 0.4).astype(int), rng.integers(0, n // 4, n)
    effect = rng.normal(size=n)[clusters]
    models = {
        name: np.round(effect + rng.normal(size=n) + shift * y, digits)
        for name, shift in (("one", 1.5), ("two", 0.8))
    }
    design = {
        "weights": np.exp(0.7 * rng.normal(size=n)),
        "clusters": clusters,
        "strata": clusters % 3,
    }
    return y, models, design, rng


def limits_of(data: rb.Sample) -> np.ndarray:
    band, at = rb.difference_band(data, **DRAWS), rb.compare_tpr(data, fpr=0.23)
    one = at.difference, at.low, at.high, at.pvalue
    return np.concatenate((one, band.difference, band.lower, band.upper))


def check(found: np.ndarray, known: np.ndarray) -> None:
    np.testing.assert_allclose(found[:4], known[:4], rtol=0, atol=1e-11)
    # Drawn curves magnify rounding: points nearby have correlations of nearly 1.
    np.testing.assert_allclose(found[4:], known[4:], rtol=0, atol=1e-7)


ALL = ("weights", "clusters", "strata")


@pytest.mark.parametrize("names", [ALL, ("weights",), ("clusters",), ("weights", "strata")])
def test_what_must_not_matter(names: tuple[str, ...]) -> None:
    y, models, design, rng = draw(1)
    design = {name: design[name] for name in names}
    if "clusters" not in names and "strata" in names:
        design["strata"] = np.arange(y.size) % 4
    whole = limits_of(rb.Sample(y, models, **design))

    def same(y: Any, models: Any, design: Any) -> None:
        check(limits_of(rb.Sample(y, models, **design)), whole)

    order = rng.permutation(y.size)
    turned = {name: column[order] for name, column in design.items()}
    same(y[order], {name: column[order] for name, column in models.items()}, turned)
    if "clusters" in names:
        same(
            y,
            models,
            design | {"clusters": np.char.add("g", (97 - design["clusters"]).astype(str))},
        )
    if "weights" in names:
        same(y, models, design | {"weights": 7 * design["weights"]})
        # A factor of one class: rates are of each class.
        same(y, models, design | {"weights": design["weights"] * np.where(y, 3.0, 1.0)})
        more = {name: np.append(column, column[:9]) for name, column in design.items()}
        more["weights"][y.size :] = 0.0
        longer = {name: np.append(column, -column[:9]) for name, column in models.items()}
        same(np.append(y, 1 - y[:9]), longer, more)
    exchanged = rb.Sample(y, dict(reversed(models.items())), **design)
    one, two = (
        rb.difference_band(data, **DRAWS) for data in (rb.Sample(y, models, **design), exchanged)
    )
    np.testing.assert_allclose(two.lower, -one.upper, rtol=0, atol=1e-7)
    np.testing.assert_allclose(two.difference, -one.difference, rtol=0, atol=1e-12)


@pytest.mark.parametrize("digits", [1, 6])
def test_designs_that_are_none(digits: int) -> None:
    y, models, design, _ = draw(2, digits=digits)
    plain = limits_of(rb.Sample(y, models))
    for none in (
        {"clusters": np.arange(y.size)[::-1]},
        {"weights": np.full(y.size, 3.0)},
        {"weights": np.where(y, 5.0, 1.0), "clusters": np.arange(y.size)},
        {"strata": np.zeros(y.size, dtype=int)},
    ):
        check(limits_of(rb.Sample(y, models, **none)), plain)
    one, none = (
        limits_of(rb.Sample(y, models, clusters=design["clusters"], **strata))
        for strata in ({}, {"strata": np.ones(y.size)})
    )
    check(none, one)


def test_clusters_are_added_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    y, models, design, _ = draw(3)
    whole = limits_of(rb.Sample(y, models, **design))
    monkeypatch.setattr(grid_sums, "UNITS", 4)
    monkeypatch.setattr(grid_sums, "TOGETHER", 50)
    check(limits_of(rb.Sample(y, models, **design)), whole)


@pytest.mark.parametrize("names", [("clusters",), ALL])
def test_the_test_agrees_with_the_limits(names: tuple[str, ...]) -> None:
    y, models, design, _ = draw(4)
    data = rb.Sample(y, models, **{name: design[name] for name in names})
    for alternative in ("two-sided", "greater"):
        found = rb.compare_tpr(data, fpr=0.2, alternative=alternative)
        at = rb.compare_tpr(data, fpr=0.2, alternative=alternative, level=1 - found.pvalue)
        assert at.low == pytest.approx(0.0, abs=1e-6)
    less = rb.compare_tpr(data, fpr=0.2, alternative="less").pvalue
    assert less == pytest.approx(1 - found.pvalue, abs=1e-9)


def test_notes_and_range_use_effective_numbers() -> None:
    rng = np.random.default_rng(5)
    y, owners = rng.integers(0, 2, 1200), np.arange(1200) // 4
    models = {name: y + rng.normal(size=300)[owners] for name in ("one", "two")}
    data = rb.Sample(y, models, clusters=owners)
    band = rb.difference_band(data, n_resamples=50)
    n_neg = min(count_independent_cases(data[name].roc).n_neg for name in models)
    assert (band.fpr[0], band.fpr[-1]) == choose_fpr_range(n_neg)
    assert n_neg < 400 < np.count_nonzero(y == 0)
    assert band.notes[0].startswith(f"Clusters: {y.sum()} positives count like ")
    assert "design effect" in rb.compare_tpr(data, fpr=0.2).notes[0]


def test_a_class_in_one_cluster_is_refused() -> None:
    clusters = np.where(Y == 1, 0, ROW)
    one = rb.Sample(Y, MODELS, clusters=clusters)
    parts = [
        rb.Sample(Y, MODELS["one"], clusters=clusters),
        rb.Sample(1 - Y, ROW, clusters=ROW // 2),
    ]
    for data in ((one,), parts):
        for ask in (rb.difference_band, lambda *given: rb.compare_tpr(*given, fpr=0.2)):
            with pytest.raises(
                rb.InputError, match="positives must come from at least two clusters"
            ):
                ask(*data)


@pytest.mark.simulation
def test_clusters_taken_as_independent_rows_mislead() -> None:
    """Equal models of 40 clusters; how often a difference at fpr .2 is significant at .05."""
    rng, wrong = np.random.default_rng(6), np.zeros(2)
    for _ in range(100):
        sizes = rng.integers(8, 15, 40)
        owners = np.repeat(np.arange(40), sizes)
        y = (rng.random(owners.size) < 0.5).astype(int)
        models = {
            name: 1.2 * y + rng.normal(size=40)[owners] + 0.3 * rng.normal(size=owners.size)
            for name in ("one", "two")
        }
        for place, clusters in enumerate((owners, None)):
            found = rb.compare_tpr(rb.Sample(y, models, clusters=clusters), fpr=0.2)
            wrong[place] += found.pvalue < 0.05
    assert wrong[0] <= 11  # of at most .05 nominal: 5 expected, standard error 2.2
    assert wrong[1] >= 18


# ---------------------------------------------------------------------------------- two test sets


def draw_sets(seed: int, *, digits: int = 1) -> list[dict[str, Any]]:
    found = []
    for place in range(2):
        y, models, design, _ = draw(seed + place, digits=digits)
        found.append({"y_true": y, "y_score": models["one"]} | design)
    return found


def limits_of_sets(sets: list[dict[str, Any]], *names: str) -> np.ndarray:
    parts = [
        rb.Sample(one["y_true"], one["y_score"], **{name: one[name] for name in names})
        for one in sets
    ]
    band, at = rb.difference_band(*parts, **DRAWS), rb.compare_tpr(*parts, fpr=0.23)
    one = at.difference, at.low, at.high, at.pvalue
    return np.concatenate((one, band.difference, band.lower, band.upper))


@pytest.mark.parametrize("digits", [1, 6])
def test_designs_of_two_sets_that_are_none(digits: int) -> None:
    sets = draw_sets(11, digits=digits)
    plain = limits_of_sets(sets)
    for one, first in zip(sets, (0, 500), strict=True):
        one["clusters"] = first + np.arange(one["y_true"].size)[::-1]
        one["weights"] = np.where(one["y_true"], 2.0, 5.0)
    check(limits_of_sets(sets, "weights"), plain)
    check(limits_of_sets(sets, "clusters"), plain)
    # Weights that are nearly equal: the way of effective counts, and nearly the same limits.
    for one in sets:
        one["weights"] = 1.0 + 1e-9 * np.cos(np.arange(one["y_true"].size))
    found = limits_of_sets(sets, "weights")
    np.testing.assert_allclose(found[:4], plain[:4], rtol=0, atol=1e-6)


@pytest.mark.parametrize("names", [("weights",), ("clusters",), ALL])
def test_what_must_not_matter_to_two_sets(names: tuple[str, ...]) -> None:
    sets = draw_sets(13)
    sets[1]["clusters"] = sets[1]["clusters"] + 500
    whole = limits_of_sets(sets, *names)
    order = np.random.default_rng(1).permutation(sets[0]["y_true"].size)
    moved = [{name: column[order] for name, column in one.items()} for one in sets]
    for one in moved:
        one["weights"] = 3 * one["weights"]
        one["clusters"] = 9000 - one["clusters"]
    check(limits_of_sets(moved, *names), whole)
    turned = limits_of_sets(sets[::-1], *names)
    np.testing.assert_allclose(turned[[1, 2]], -whole[[2, 1]], rtol=0, atol=1e-12)
    if "clusters" in names:
        assert whole[2] - whole[1] > limits_of_sets(sets)[2] - limits_of_sets(sets)[1]


@pytest.mark.parametrize("digits", [1, 6])
def test_heights_within_reach_of_weighted_rows(digits: int) -> None:
    """Limits of one curve by their definition, from the effective counts at its vertices."""
    one = draw_sets(15, digits=digits)[0]
    roc = rb.Sample(one["y_true"], one["y_score"], weights=one["weights"]).roc
    sizes, critical = find_effective_sizes(roc), 2.3
    at = np.array([0.06, 0.21, 0.55, 0.9])

    def middles(values: Any) -> Any:
        rate = sizes.neg.rate
        return [values[rate == x][[0, -1]].mean() for x in np.unique(rate)]

    def cost(one: Any, true: float) -> Any:
        k, size, odds = (np.array(middles(each)) for each in (one.k, one.size, one.odds))
        share = odds * true / (1 - true + odds * true)
        with np.errstate(divide="ignore", invalid="ignore"):
            hit = np.where(k > 1e-12, k * np.log(k / (size * share)), 0.0)
            miss = np.where(
                size - k > 1e-12, (size - k) * np.log((1 - k / size) / (1 - share)), 0.0
            )
        return hit + miss

    x, y = np.unique(sizes.neg.rate), np.array(middles(sizes.pos.rate))
    known = []
    for u in at:
        first = np.flatnonzero(x <= u)[-1]
        across = cost(sizes.neg, u)
        across[: first + 1] = 0.0
        low, high = y[first], 1.0
        for _ in range(40):
            v = (low + high) / 2
            up = np.where(y >= v, 0.0, cost(sizes.pos, v))
            ends = np.maximum.accumulate(across[first:]), np.maximum.accumulate(up[first:][::-1])
            inside = (ends[0] + ends[1][::-1]).min() <= critical**2 / 2
            low, high = (v, high) if inside else (low, v)
        known.append(low)
    _, upper = CurveAtGrid.from_curve(roc, at).limit_heights(critical)
    np.testing.assert_allclose(upper, known, rtol=0, atol=1e-6)


def test_common_clusters_of_two_sets() -> None:
    sets = draw_sets(17)
    apart = [rb.Sample(**sets[0]), rb.Sample(**sets[1] | {"clusters": sets[1]["clusters"] + 500})]
    both = [rb.Sample(**one) for one in sets]
    pair = read_pair(*both, None)
    assert pair.common_clusters is not None
    curves = tuple(CurveAtGrid.from_curve(roc, AT) for roc in pair.curves)
    found = np.diag(multiply_common(curves, pair.common_clusters))
    rows = [KindRows.read(curve) for curve in curves]
    designs = tuple(one.design for one in rows)
    for point in range(AT.size):
        parts = [one.design.split(one.influence[one.kind, point]) for one in rows]
        expected = find_set_covariance(pair, designs, *parts)
        assert found[point] == pytest.approx(expected, rel=1e-10)
    near = spread_of(pair)
    assert isinstance(near, UnpairedSpread)
    twice = near.sums[0].variance + near.sums[1].variance - 2 * found
    np.testing.assert_allclose(np.diag(near.covariance), twice, rtol=0, atol=1e-12)
    few = min(np.min(size) for sums in near.sums for size in sums.sizes)
    scale = np.sqrt(near.sums[0].variance * near.sums[1].variance)
    np.testing.assert_allclose(near.correlation, found / scale * (1 - 0.5 / few), rtol=1e-9)
    alone = dataclasses.replace(near, correlation=1e-12 * near.correlation)
    narrow, wide = (np.subtract(*spread.find_limits(2.0)[::-1]) for spread in (near, alone))
    assert (np.sign(wide - narrow) == np.sign(found)).all()
    assert spread_of(read_pair(*apart, None)).correlation == 0.0
    test = rb.compare_tpr(*both, fpr=0.2)
    for factor, inside in ((1.001, False), (0.999, True)):
        edge = rb.compare_tpr(*both, fpr=0.2, level=1 - factor * test.pvalue)
        assert (edge.low <= 0 <= edge.high) == inside
    assert "count like" in test.notes[0]

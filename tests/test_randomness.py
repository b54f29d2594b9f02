"""One policy for randomness: what every function and method that draws has in common."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rocbands as rb
from rocbands.bands import ThresholdAverage
from rocbands.bands.fold_average import FoldAverage
from rocbands.bands.likelihood import Likelihood
from rocbands.cli import main
from rocbands.core.randomness import (
    Simulation,
    find_cluster_keys,
    key_curve,
    resolve_rng,
    share_source,
)
from rocbands.errors import InputError
from rocbands.resample.quantiles import interval_error, order_statistic, quantile_error

pytestmark = pytest.mark.filterwarnings("ignore::rocbands.errors.RocBandsWarning")

AT = np.linspace(0.02, 0.98, 13)


@dataclasses.dataclass(frozen=True)
class Rows:
    """A test set that two models have scored, with ties across classes."""

    y: Any
    one: Any
    two: Any
    clusters: Any
    folds: Any
    three: Any

    def take(self, order: Any) -> Rows:
        return Rows(*(getattr(self, f.name)[order] for f in dataclasses.fields(self)))

    def replace(self, **changed: Any) -> Rows:
        return dataclasses.replace(self, **changed)


def draw_rows(seed: int = 0, n: int = 120) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    common = rng.normal(size=n)
    one = np.round(2.0 * (common + rng.normal(size=n) + 1.2 * y)) / 2.0
    two = np.round(2.0 * (common + rng.normal(size=n) + 0.9 * y)) / 2.0
    clusters = rng.integers(0, 40, n)
    three = rng.normal(size=(n, 3)) + 1.5 * (np.arange(n)[:, None] % 3 == np.arange(3))
    return Rows(y, one, two, clusters, rng.permutation(np.arange(n) % 4), np.round(three, 1))


ROWS = draw_rows()
Call = Callable[..., Any]


def band(method: Any, *design: str) -> Call:
    return single(rb.roc_band, method=method, design=design)


def pair(function: Any, **asked: Any) -> Call:
    by_clusters = asked.pop("clusters", False)

    def call(rows: Rows, **how: Any) -> Any:
        data: tuple[Any, ...] = (rows.y, rows.one, rows.two)
        if by_clusters:
            models = {"a": rows.one, "b": rows.two}
            data = (rb.Sample(rows.y, models, clusters=rows.clusters),)
        return function(*data, **{**asked, **how})

    return call


def two_sets(function: Any, **asked: Any) -> Call:
    def call(rows: Rows, **how: Any) -> Any:
        first = np.arange(rows.y.size) % 2 == 0
        one = rb.Sample(rows.y[first], rows.one[first])
        two = rb.Sample(rows.y[~first], rows.two[~first])
        return function(one, two, **{**asked, **how})

    return call


def single(function: Any, *, design: tuple[str, ...] = (), **asked: Any) -> Call:
    def call(rows: Rows, **how: Any) -> Any:
        data: tuple[Any, ...] = (rows.y, rows.one)
        if design:
            columns: dict[str, Any] = {name: getattr(rows, name) for name in design}
            data = (rb.Sample(*data, **columns),)
        return function(*data, **{**asked, **how})

    return call


def many(rows: Rows, **how: Any) -> Any:
    models = {"a": rows.one, "b": rows.two, "c": rows.one + rows.two}
    return rb.compare_many(rb.Sample(rows.y, models), n_resamples=4000, **how)


def many_by_clusters(rows: Rows, **how: Any) -> Any:
    models = {"a": rows.one, "b": rows.two, "c": rows.one + rows.two}
    return rb.compare_many(
        rb.Sample(rows.y, models, clusters=rows.clusters), n_resamples=4000, **how
    )


def classes(rows: Rows, **how: Any) -> Any:
    label = np.where(rows.y == 1, 0, 1 + rows.folds % 2)
    return rb.class_bands(label, rows.three, method="fixed-width", n_resamples=200, **how)


def people(rows: Rows, **how: Any) -> Any:
    how = {"n_resamples": 500, **how}
    return rb.subgroups(rows.y, rows.one, by=rows.folds % 3, **how)


def against_rest(rows: Rows, **how: Any) -> Any:
    return rb.subgroups(rows.y, rows.one, by=rows.folds % 3, against="rest", n_resamples=500, **how)


COST = {"w": np.linspace(0.1, 0.9, 5), "simultaneous": True}
THRESHOLDS = {"thresholds": (0.5, 0.5)}

# Everything that draws. Those by one model first, then those by two or more.
ONE: dict[str, Call] = {
    "band fixed-width": band("fixed-width"),
    "band fixed-width clusters": band("fixed-width", "clusters"),
    "band smooth": band(rb.bands.FixedWidth(smooth=True)),
    "band sup-t": band("sup-t"),
    "band likelihood plugin": band(Likelihood(calibration="plugin", n_resamples=200)),
    "band vertical": band("vertical"),
    "band vertical clusters": band("vertical", "clusters"),
    "band threshold": band(ThresholdAverage(interval="empirical")),
    "band threshold clusters": band("threshold", "clusters"),
    "band fold-average": band("fold-average", "folds"),
    "band learner": band(FoldAverage(of="learner"), "folds"),
    "pr band": single(rb.pr_band, method="fixed-width"),
    "auc bootstrap": single(rb.auc_interval, method="bootstrap"),
    "auc bca": single(rb.auc_interval, method="bca"),
    "auc bootstrap clusters": single(rb.auc_interval, method="bootstrap", design=("clusters",)),
    "partial": single(rb.partial_auc_interval, method="bootstrap", fpr=(0.0, 0.3)),
    "partial tpr": single(rb.partial_auc_interval, method="bootstrap", tpr=(0.5, 1.0)),
    "partial clusters": single(
        rb.partial_auc_interval, method="bootstrap", fpr=(0.0, 0.3), design=("clusters",)
    ),
    "points bootstrap": single(rb.operating_points, method="bootstrap", fpr=[0.1, 0.2]),
    "points wilson": single(rb.operating_points, method="wilson", fpr=[0.1, 0.2]),
    "rates conditional": single(rb.rate_bounds, method="conditional", rate=[0.1, 0.3]),
    "rates discard": single(rb.rate_bounds, method="discard", rate=[0.3], n_resamples=100),
    "rates adjust": single(rb.rate_bounds, method="adjust", rate=[0.1, 0.3]),
    "rates folds": single(rb.rate_bounds, method="conditional", rate=[0.1, 0.3], design=("folds",)),
    "classes": classes,
    "subgroups": people,
    "subgroups against the rest": against_rest,
}
TWO: dict[str, Call] = {
    "compare bootstrap": pair(rb.compare, method="bootstrap"),
    "compare bootstrap clusters": pair(rb.compare, method="bootstrap", clusters=True),
    "compare bootstrap-t": pair(rb.compare, method="bootstrap-t"),
    "compare venkatraman": pair(rb.compare, method="venkatraman", n_resamples=300),
    "compare venkatraman clusters": pair(
        rb.compare, method="venkatraman", n_resamples=300, clusters=True
    ),
    "compare bootstrap sets": two_sets(rb.compare, method="bootstrap"),
    "compare bootstrap-t sets": two_sets(rb.compare, method="bootstrap-t"),
    "compare likelihood": two_sets(rb.compare, method="likelihood", n_resamples=200),
    "difference": pair(rb.difference_band, n_resamples=1000),
    "difference clusters": pair(rb.difference_band, n_resamples=1000, clusters=True),
    "difference sets": two_sets(rb.difference_band, n_resamples=1000),
    "cost": pair(rb.cost_difference, **COST, **THRESHOLDS),
    "cost sets": two_sets(rb.cost_difference, **COST, **THRESHOLDS),
}
MANY: dict[str, Call] = {"many": many, "many by clusters": many_by_clusters}
EVERY = ONE | TWO | MANY
BY_GROUPS = [name for name in EVERY if name.endswith(" clusters")]
NO_ROW_ORDER = {"compare bootstrap sets", "compare bootstrap-t sets", "compare likelihood"} | {
    "difference sets", "cost sets",
}  # fmt: skip  # sets are the even and the odd rows

# Limits are whole cases; of groups only differences of curves draw.
COARSE = {
    "rates conditional",
    "rates folds",
    "rates discard",
    *(name for name in ONE if "subgroups" in name),
}

every = pytest.mark.parametrize("name", EVERY)


def numbers(result: Any) -> Any:
    """All numbers of a result, without what depends on names and on how the seed was given."""
    found = result.to_dict()
    for name in ("notes", "simulation", "parameters", "names"):
        found.pop(name, None)
    return found


def tolerance(name: str) -> float:
    """Sums over clusters depend on their order by rounding, which a factored covariance shows."""
    return 1e-7 if name == "difference clusters" else 1e-10


def edges(result: Any) -> Any:
    if isinstance(result, rb.results.Band):
        return np.stack([result.lower_at(AT), result.upper_at(AT)])
    if isinstance(result, (rb.results.ClassBands, rb.results.Subgroups)):
        return np.stack([edges(band) for band in result.bands])
    return None


def assert_same(one: Any, other: Any, tolerance: float = 0.0) -> None:
    """Compare all numbers; text and structure must be the same."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key], tolerance)
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b, tolerance)
    elif isinstance(one, float) and isinstance(other, float):
        assert one == pytest.approx(other, rel=0, abs=tolerance, nan_ok=True)
    else:
        assert one == other


@every
def test_the_same_call_gives_the_same_numbers(name: str) -> None:
    one, other = EVERY[name](ROWS), EVERY[name](ROWS)
    assert one.to_json() == other.to_json()
    assert str(one) == str(other)
    np.testing.assert_array_equal(edges(one), edges(other))


@every
def test_the_seed_is_0_by_default(name: str) -> None:
    found, again = EVERY[name](ROWS), EVERY[name](ROWS, rng=0)
    assert found.simulation.seed == 0
    assert found.to_json() == again.to_json()
    other = EVERY[name](ROWS, rng=1)
    assert other.simulation.seed == 1
    facts = [json.dumps([numbers(r), np.asarray(edges(r)).tolist()]) for r in (found, other)]
    assert facts[0] != facts[1] or name in COARSE


@every
def test_a_new_source_gives_other_numbers_and_its_seed_gives_them_again(name: str) -> None:
    drawn = EVERY[name](ROWS, rng=None)
    assert drawn.simulation is not None
    assert drawn.simulation.seed is not None
    again = EVERY[name](ROWS, rng=drawn.simulation.seed)
    assert_same(numbers(drawn), numbers(again))
    np.testing.assert_array_equal(edges(drawn), edges(again))
    others = [EVERY[name](ROWS, rng=None) for _ in range(2)]
    facts = [json.dumps([numbers(r), np.asarray(edges(r)).tolist()]) for r in (drawn, *others)]
    assert len(set(facts)) > 1 or name in COARSE
    assert len({r.simulation.seed for r in (drawn, *others)}) == 3


@pytest.mark.parametrize("name", [name for name in EVERY if name not in NO_ROW_ORDER])
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    order = np.random.default_rng(5).permutation(ROWS.y.size)
    found, other = EVERY[name](ROWS), EVERY[name](ROWS.take(order))
    assert_same(numbers(found), numbers(other), tolerance(name))
    if edges(found) is not None:
        np.testing.assert_allclose(edges(found), edges(other), atol=1e-10)


TRANSFORMED = [name for name in EVERY if "cost" not in name and "many" not in name]


@pytest.mark.parametrize("name", TRANSFORMED)
def test_increasing_transforms_of_the_scores_do_not_matter(name: str) -> None:
    changed = ROWS.replace(one=np.exp(ROWS.one) - 7.0, two=ROWS.two**3, three=np.exp(ROWS.three))
    found, other = EVERY[name](ROWS), EVERY[name](changed)
    assert other.simulation.error == found.simulation.error
    if edges(found) is not None:
        np.testing.assert_array_equal(edges(found), edges(other))


def turn(difference: Any) -> Any:
    return [-x for x in difference] if isinstance(difference, list) else -difference


@pytest.mark.parametrize("name", [name for name in TWO if name not in NO_ROW_ORDER])
@pytest.mark.parametrize("seed", range(4))
def test_exchanged_models_have_the_same_numbers_with_the_other_sign(name: str, seed: int) -> None:
    rows = draw_rows(seed)
    found = TWO[name](rows)
    other = TWO[name](rows.replace(one=rows.two, two=rows.one))
    one, two = dict(found.columns()), dict(other.columns())
    low, high = ("low", "high") if "low" in one else ("lower", "upper")
    for mine, yours in ((low, high), (high, low), ("difference", "difference")):
        np.testing.assert_allclose(one[mine], -np.asarray(two[yours]), atol=1e-9)
    np.testing.assert_array_equal(one.get("pvalue", ()), two.get("pvalue", ()))


@pytest.mark.parametrize("alternative", ["less", "greater"])
@pytest.mark.parametrize("method", ["bootstrap", "bootstrap-t"])
@pytest.mark.parametrize("seed", range(3))
def test_exchanged_models_have_the_other_alternative(
    method: str, alternative: str, seed: int
) -> None:
    rows, turned = draw_rows(seed), {"less": "greater", "greater": "less"}[alternative]
    found = rb.compare(rows.y, rows.one, rows.two, method=method, alternative=alternative)
    other = rb.compare(rows.y, rows.two, rows.one, method=method, alternative=turned)
    assert (found.low, found.high, found.pvalue) == (-other.high, -other.low, other.pvalue)
    assert found.statistic == -other.statistic


@pytest.mark.parametrize("seed", range(3))
def test_exchanged_test_sets_have_the_same_numbers_with_the_other_sign(seed: int) -> None:
    rows = draw_rows(seed)
    first = np.arange(rows.y.size) % 2 == 0
    sets = [rb.Sample(rows.y[part], rows.one[part]) for part in (first, ~first)]
    for function, how in (
        (rb.compare, {"method": "bootstrap"}),
        (rb.compare, {"method": "bootstrap-t"}),
        (rb.compare, {"method": "likelihood", "n_resamples": 200}),
        (rb.difference_band, {}),
        (rb.cost_difference, COST | THRESHOLDS),
    ):
        found, other = (
            function(one, two, **how)  # type: ignore[operator]
            for one, two in (sets, sets[::-1])
        )
        low, high = ("low", "high") if hasattr(found, "low") else ("lower", "upper")
        np.testing.assert_allclose(getattr(found, low), -getattr(other, high), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_exchanged_costs_at_many_conditions(seed: int) -> None:
    rows = draw_rows(seed)
    found, other = (
        rb.cost_difference(rows.y, *scores, **COST, **THRESHOLDS)
        for scores in ((rows.one, rows.two), (rows.two, rows.one))
    )
    np.testing.assert_allclose(found.lower, -other.upper, atol=1e-9)
    assert found.critical_value == pytest.approx(other.critical_value, abs=1e-9)


@pytest.mark.parametrize("call", [many, many_by_clusters])
def test_the_order_of_many_models_does_not_matter(call: Call) -> None:
    clusters = ROWS.clusters if call is many_by_clusters else None
    models = {"a": ROWS.one, "b": ROWS.two, "c": ROWS.one + ROWS.two}
    sample = rb.Sample(ROWS.y, models, clusters=clusters)
    found = rb.compare_many(sample, n_resamples=4000)
    for order in ("bca", "cba", "acb"):
        other = rb.compare_many(sample[list(order)], n_resamples=4000)
        assert (found.pvalue, found.critical_value) == (other.pvalue, other.critical_value)
        rows = {(a, b): k for k, (a, b) in enumerate(named(other))}
        for k, (a, b) in enumerate(named(found)):
            straight = (a, b) in rows
            row = rows[a, b] if straight else rows[b, a]
            limits = (other.lower[row], other.upper[row])
            assert (found.lower[k], found.upper[k]) == (
                limits if straight else (-limits[1], -limits[0])
            )
            assert found.pvalues[k] == other.pvalues[row]
            assert found.differences[k] == (1 if straight else -1) * other.differences[row]


def named(found: Any) -> list[tuple[str, str]]:
    return [(found.names[i], found.names[j]) for i, j in found.pairs]


@pytest.mark.parametrize("name", [*BY_GROUPS, "band fold-average", "band learner", "rates folds"])
def test_names_of_clusters_and_folds_do_not_matter(name: str) -> None:
    shuffled = np.random.default_rng(6).permutation(40)
    renamed = ROWS.replace(
        clusters=shuffled[ROWS.clusters], folds=np.array([2, 0, 3, 1])[ROWS.folds]
    )
    found, other = EVERY[name](ROWS), EVERY[name](renamed)
    assert_same(numbers(found), numbers(other), tolerance(name))
    if edges(found) is not None:
        np.testing.assert_allclose(edges(found), edges(other), atol=1e-10)


@pytest.mark.parametrize("against", ["pairs", "rest"])
def test_names_of_subgroups_do_not_matter(against: str) -> None:
    how: dict[str, Any] = {"against": against, "n_resamples": 500}
    by = ROWS.folds % 3
    found = rb.subgroups(ROWS.y, ROWS.one, by=np.array(["a", "b", "c"])[by], **how)
    other = rb.subgroups(ROWS.y, ROWS.one, by=np.array(["c", "b", "a"])[by], **how)
    one, two = found.simulation, other.simulation
    # Sums over clusters may be rounded in another order.
    assert one.error == pytest.approx(two.error, rel=1e-12)
    assert one == replace(two, error=one.error)
    values = [[d.critical_value for d in each.differences] for each in (found, other)]
    assert sorted(values[0]) == pytest.approx(sorted(values[1]), rel=1e-12)
    np.testing.assert_allclose(edges(found), edges(other)[::-1], atol=1e-12)


def test_a_million_rows_by_clusters_or_by_sums_do_not_depend_on_order() -> None:
    rng = np.random.default_rng(8)
    n = 30_000
    y = rng.random(n) < 0.4
    one, two = (np.round(rng.normal(size=n) + y, 2) for _ in range(2))
    clusters, order = rng.integers(0, 9000, n), rng.permutation(n)
    names = rng.permutation(9000)
    for method in ("bootstrap", "bootstrap-t"):
        found = rb.compare(y, one, two, method=method, n_resamples=200)
        other = rb.compare(y[order], two[order], one[order], method=method, n_resamples=200)
        assert (found.low, found.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
    for own, again in ((None, None), (clusters, names[clusters][order])):
        found_1, found_2 = (
            rb.auc_interval(sample, method="bootstrap", n_resamples=200)
            for sample in (
                rb.Sample(y, one, clusters=own),
                rb.Sample(y[order], one[order], clusters=again),
            )
        )
        assert (found_1.low, found_1.high) == pytest.approx((found_2.low, found_2.high), abs=1e-12)


# --------------------------------------------------------------- weights, names of models, places


@pytest.mark.parametrize("factor", [4.0, 0.3, 1e-6])
@pytest.mark.parametrize("design", [(), ("clusters",)])
def test_the_scale_of_weights_does_not_matter(design: tuple[str, ...], factor: float) -> None:
    weights = 1.0 + np.random.default_rng(9).random(ROWS.y.size)
    columns = {name: getattr(ROWS, name) for name in design}
    models = {"a": ROWS.one, "b": ROWS.two, "c": ROWS.one + ROWS.two}
    samples = [rb.Sample(ROWS.y, models, weights=w, **columns) for w in (weights, factor * weights)]
    for function in (
        lambda s: rb.difference_band(s[["a", "b"]], n_resamples=500),
        lambda s: rb.compare_many(s, n_resamples=4000),
        lambda s: rb.subgroups(s["a"], by=ROWS.folds % 2, n_resamples=500),
    ):
        one, other = map(function, samples)
        assert one.simulation.seed == other.simulation.seed == 0
        assert_same(numbers(one), numbers(other), 1e-7)


@pytest.mark.parametrize(
    "function",
    [
        lambda s: rb.difference_band(s, n_resamples=200),
        lambda s: rb.compare_tpr(s, fpr=0.5),
        lambda s: rb.rate_bounds(s["a"], rate=[0.1, 0.25, 0.5]),
        lambda s: rb.rate_difference(s, rate=[0.1, 0.25, 0.5]),
        lambda s: rb.cost_difference(s, thresholds=(0.5, 0.5), w=0.4),
        lambda s: rb.h_measure_interval(s["a"], n_resamples=50),
        lambda s: rb.best_threshold(s["a"], n_resamples=50),
    ],
)
def test_rounding_errors_of_weights_do_not_matter_where_sums_are_tied(function: Call) -> None:
    """Few weights, classes of one size: sums of weights are often a half or a quarter of all."""
    for seed, digits in ((22, 12), (30, 12), (46, 12), (116, 1)):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([40, 80, 100, 120, 200]))
        y = np.arange(n) % 2
        models = {name: np.round(rng.normal(size=n) + y, digits) for name in "ab"}
        weights = rng.choice([1.3, 2.6, 0.7], n) if seed % 2 else rng.integers(1, 5, n) / 4.0
        found = function(rb.Sample(y, models, weights=weights))
        for factor in (3.0, 0.3):
            other = function(rb.Sample(y, models, weights=factor * weights))
            assert_same(numbers(found), numbers(other), 1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda s: rb.roc_band(s, method="fixed-width", n_resamples=200),
        lambda s: rb.auc_interval(s, method="bootstrap", n_resamples=200),
        lambda s: rb.h_measure_interval(s, n_resamples=200),
        lambda s: rb.best_threshold(s, n_resamples=200),
    ],
)
def test_each_model_has_the_numbers_of_the_model_alone(function: Call) -> None:
    sample = rb.Sample(ROWS.y, {"a": ROWS.one, "b": ROWS.two})
    renamed = rb.Sample(ROWS.y, {"z": ROWS.one, "b": ROWS.two})
    each = sample.each(function)
    assert each["a"].to_json() == function(sample["a"]).to_json()
    assert_same(numbers(each["a"]), numbers(function(renamed["z"])))


def test_report_and_command_have_the_limits_of_the_functions(tmp_path: Path) -> None:
    sample = rb.Sample(ROWS.y, {"a": ROWS.one, "b": ROWS.two})
    path = tmp_path / "rows.csv"
    lines = (f"{y},{a},{b}" for y, a, b in zip(ROWS.y, ROWS.one, ROWS.two, strict=True))
    path.write_text("\n".join(["label,a,b", *lines]), encoding="utf-8")

    def run(command: str, *more: str) -> Any:
        words = [command, str(path), *more, "--format", "json"]
        return json.loads(CliRunner().invoke(main, words, catch_exceptions=False).output)

    report = rb.report(sample, path=None).payload
    assert report["made"]["seed"] == 0
    difference = rb.difference_band(sample)
    assert run("difference", "--score", "a", "--score", "b") == json.loads(difference.to_json())
    (pair,) = report["comparison"]["pairs"]
    np.testing.assert_allclose(pair["band"]["lower"], difference.lower, atol=1e-6)
    for method in ("likelihood", "fixed-width"):
        band = rb.roc_band(sample["a"], method=method)
        said = run("band", "--score", "a", "--method", method)["models"]["a"]
        assert said["area"] == band.area
        if method == "fixed-width":
            assert band.simulation is not None
            assert said["simulation"]["seed"] == 0
        (shown,) = (
            one
            for one in report["models"][0]["bands"]
            if (one["method"], one["level"], one["target"]) == (method, 0.95, "true")
        )
        assert shown["area"] == pytest.approx(band.area, abs=1e-6)


# ---------------------------------------------------------------------------- what is not drawn


def test_what_draws_nothing_has_no_simulation() -> None:
    rows = draw_rows()
    untied = rows.replace(one=rows.one + np.random.default_rng(1).random(rows.y.size))
    for method in ("score-delong", "delong", "logit-delong", "newcombe", "exact-bootstrap"):
        found = rb.auc_interval(rows.y, rows.one, method=method)
        assert found.simulation is None
    for name in ("likelihood", "joint-region", "working-hotelling", "vertical", "threshold"):
        made = rb.roc_band(untied.y, untied.one, method=name)
        assert made.simulation is None
        if made.coverage == "simultaneous":
            made.view("pr")
    for averaged in ("vertical", "threshold"):
        assert (
            rb.roc_band(rb.Sample(rows.y, rows.one, folds=rows.folds), method=averaged).simulation
            is None
        )
    assert rb.roc_band(rb.Sample(rows.y, rows.one, clusters=rows.clusters)).simulation is None
    assert rb.compare(rows.y, rows.one, rows.two).simulation is None
    assert rb.operating_points(untied.y, untied.one, method="bootstrap", fpr=0.1).simulation is None
    assert rb.operating_points(rows.y, rows.one, fpr=0.1).simulation is None
    assert rb.rate_bounds(rows.y, rows.one).simulation is None
    assert rb.partial_auc_interval(rows.y, rows.one, fpr=(0, 0.2)).simulation is None
    assert rb.cost_difference(rows.y, rows.one, rows.two, w=0.5, **THRESHOLDS).simulation is None
    assert rb.roc_band(rows.y, rows.one, method="fixed-width").simulation is not None


@pytest.mark.parametrize("name", sorted(rb.__all__))
def test_0_is_the_default_of_every_function(name: str) -> None:
    found = getattr(rb, name)
    if not callable(found) or inspect.isclass(found):
        return
    parameters = inspect.signature(found).parameters
    if "rng" in parameters:
        assert parameters["rng"].default == 0
        assert "rng : None, int, SeedSequence or Generator, default 0" in inspect.getdoc(found)


@pytest.mark.parametrize("wrong", ["data", -1, 1.5, "1"])
def test_what_is_no_source_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="must be a whole number from 0 on, None"):
        rb.roc_band(ROWS.y, ROWS.one, rng=wrong)


# ----------------------------------------------------------------------------- seeds and generators


def test_a_seed_is_known_as_long_as_the_generator_is_new() -> None:
    generator, seed = resolve_rng(7)
    assert seed == 7
    assert resolve_rng(generator) == (generator, 7)
    generator.random()
    assert resolve_rng(generator)[1] is None
    spawned = np.random.default_rng(3)
    spawned.spawn(1)
    assert resolve_rng(spawned)[1] is None
    child = np.random.default_rng(3).spawn(1)[0]
    assert resolve_rng(child)[1] is None
    old = np.random.Generator(np.random.MT19937(3))
    assert resolve_rng(old)[1] is None
    fresh, other = resolve_rng(None)[1], resolve_rng(None)[1]
    assert fresh is not None
    assert other is not None
    assert fresh != other
    assert fresh < 2**53


def test_parts_of_a_result_share_a_seed_or_a_generator() -> None:
    assert share_source(5) == 5
    one, other = share_source(None), share_source(None)
    assert isinstance(one, int)
    assert one != other
    fresh = np.random.default_rng(3)
    assert share_source(fresh) == 3
    assert share_source(fresh) is fresh  # it has been used, so that the next call draws others
    assert share_source(np.random.SeedSequence(4)) == 4


def test_a_used_generator_is_said_and_goes_on() -> None:
    rng = np.random.default_rng(1)
    one = rb.auc_interval(ROWS.y, ROWS.one, method="bootstrap", rng=rng)
    two = rb.auc_interval(ROWS.y, ROWS.one, method="bootstrap", rng=rng)
    assert one.simulation is not None
    assert two.simulation is not None
    assert (one.simulation.seed, two.simulation.seed) == (1, None)
    assert "random numbers of the given generator" in str(two)
    assert (one.low, one.high) != (two.low, two.high)


def test_a_result_says_seed_resamples_and_error() -> None:
    found = rb.difference_band(ROWS.y, ROWS.one, ROWS.two)
    assert "5,000 resamples, seed 0; Monte Carlo error of the limits 0." in str(found)
    record = json.loads(found.to_json())["simulation"]
    assert set(record) == {"seed", "n_resamples", "error", "pvalue_error"}
    given = rb.compare(ROWS.y, ROWS.one, ROWS.two, method="bootstrap", rng=3)
    assert "2,000 resamples, seed 3; Monte Carlo error of the limits 0." in str(given)
    assert ", of the p-value 0." in str(given)
    assert Simulation(None, 5).note == "5 resamples, random numbers of the given generator."


def test_keys_of_curves_see_counts_weights_and_clusters_but_not_names() -> None:
    def key(rows: Rows = ROWS, **design: Any) -> int:
        return key_curve(rb.Sample(rows.y, rows.one, **design).roc)

    weights = 1.0 + ROWS.folds
    found = [
        key(),
        key(ROWS.replace(one=ROWS.two)),
        key(clusters=ROWS.clusters),
        key(clusters=np.roll(ROWS.clusters, 1)),
        key(weights=weights),
        key(weights=weights[::-1]),
        key(strata=ROWS.folds),
    ]
    assert len(set(found)) == len(found)
    names = np.random.default_rng(2).permutation(40)
    assert key(clusters=names[ROWS.clusters]) == found[2]
    assert key(weights=0.3 * weights) == found[4]
    assert key(strata=np.array([3, 1, 0, 2])[ROWS.folds]) == found[6]
    order = np.random.default_rng(3).permutation(ROWS.y.size)
    assert key(ROWS.take(order), weights=weights[order]) == found[4]
    clustered = rb.Sample(ROWS.y, ROWS.one, clusters=ROWS.clusters).roc.clusters
    assert clustered is not None
    assert np.unique(find_cluster_keys(clustered)).size > 30


# ------------------------------------------------------------------------------- Monte Carlo errors


def test_quantile_errors_are_those_of_quantiles() -> None:
    rng = np.random.default_rng(2)
    for level in (0.5, 0.9, 0.975):
        sets = rng.normal(size=(1000, 600))
        true = np.std([order_statistic(row, level) for row in sets])
        said = np.mean([quantile_error(row, level) for row in sets[:200]])
        assert said == pytest.approx(true, rel=0.12)
    both = np.column_stack((sets[0], 10.0 * sets[0]))
    assert interval_error(both, 0.95) == pytest.approx(10.0 * interval_error(sets[0], 0.95))
    assert float(quantile_error(np.ones(50), 0.95)) == 0.0


@pytest.mark.simulation
@pytest.mark.parametrize(
    "name",
    [
        "auc bootstrap",
        "auc bca",
        "band fixed-width",
        "band likelihood plugin",
        "band sup-t",
        "band vertical",
        "band fold-average",
        "compare bootstrap",
        "compare bootstrap-t",
        "difference",
        "points wilson",
        "rates conditional",
        "many",
        "cost",
    ],
)
def test_the_stated_error_is_how_far_limits_vary_from_seed_to_seed(name: str) -> None:
    results = [EVERY[name](ROWS, rng=seed) for seed in range(24)]
    if edges(results[0]) is not None:
        limits = np.array([[r.lower_at(EDGE_AT), r.upper_at(EDGE_AT)] for r in results])
    else:
        record = results[0].columns()
        low, high = next(
            ends
            for ends in (("low", "high"), ("lower", "upper"), ("tpr_lower", "tpr_upper"))
            if ends[0] in record
        )
        limits = np.array([[getattr(r, low), getattr(r, high)] for r in results], dtype=float)
    spread = float(limits.std(axis=0, ddof=1).max())
    said = float(np.mean([r.simulation.error for r in results]))
    assert 0.4 < said / spread < 2.5, (said, spread)
    assert math.isfinite(said)


EDGE_AT = np.array([0.02, 0.05, 0.1, 0.2, 0.5, 0.8])

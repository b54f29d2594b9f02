"""Every method of operating points keeps every promise; a new one is tested here."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings

import rocbands as rb
from rocbands.core.method import Request
from rocbands.points import DEFAULT, METHODS, SHARED_FILES
from rocbands.points.method import PointMethod
from tests.strategies import labelled_scores

SAMPLE = rb.load_example()
ROC = rb.roc_curve(SAMPLE["neighbours"])  # with ties
BINS = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
RATES = np.array([0.0, 0.03, 0.3, 0.9, 1.0])
LIMITS = ("fpr", "tpr")

every_method = pytest.mark.parametrize("name", METHODS)
every_use = pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name, method in METHODS.items()
        for kind, fixed in (("fpr", "rates"), ("tpr", "rates"), ("threshold", "thresholds"))
        if fixed in method.fixed
    ],
)


def make(name: str) -> Any:
    method = METHODS[name]()
    draws = "n_resamples" in method.parameters
    return dataclasses.replace(method, n_resamples=60) if draws else method  # type: ignore[call-arg]


def places(roc: rb.RocCurve, kind: str) -> dict[str, Any]:
    return {kind: RATES if kind != "threshold" else np.unique(roc.thresholds)[::-1]}


@every_method
def test_it_says_what_it_is(name: str) -> None:
    cls = METHODS[name]
    assert issubclass(cls, PointMethod)
    assert (cls.name, cls.question, cls.coverage) == (name, "points", "pointwise")
    assert cls.guarantee
    assert cls.idea
    assert cls.references
    assert cls.fixed
    spec = importlib.util.find_spec(f"rocbands.points.{name.replace('-', '_')}")
    assert (spec is not None) != (name in SHARED_FILES)


def test_defaults_have_limits_where_they_are_the_default() -> None:
    assert all(fixed in METHODS[name].fixed for fixed, name in DEFAULT.items())


@every_use
@settings(max_examples=30)
@given(rows=labelled_scores())
def test_limits_are_ordered_and_in_range(
    name: str, kind: str, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    roc = rb.roc_curve(*rows)
    at = make(name)(roc, **places(roc, kind), level=0.9, rng=1)
    for rate in LIMITS:
        low, own, high = (getattr(at, part) for part in (f"{rate}_lower", rate, f"{rate}_upper"))
        assert ((low >= 0) & (low <= own) & (own <= high) & (high <= 1)).all()
    if kind in LIMITS:
        assert (getattr(at, f"{kind}_lower") == RATES).all()


@every_use
def test_limits_are_nested_and_the_same_rng_gives_the_same_numbers(name: str, kind: str) -> None:
    narrow, wide, again = (
        make(name)(ROC, **places(ROC, kind), level=level, rng=2) for level in (0.7, 0.95, 0.7)
    )
    for rate in LIMITS:
        assert (getattr(wide, f"{rate}_lower") <= getattr(narrow, f"{rate}_lower") + 1e-12).all()
        assert (getattr(wide, f"{rate}_upper") >= getattr(narrow, f"{rate}_upper") - 1e-12).all()
    assert narrow.to_json() == again.to_json()


@every_use
def test_results_record_method_and_parameters(name: str, kind: str) -> None:
    found = make(name)(ROC, **places(ROC, kind), rng=2)
    record = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert (record["method"], record["parameters"]) == (name, make(name).parameters)
    assert record["schema"] == "rocbands.operating-points/6"
    assert set(record) == {"schema", "columns", *found.FACTS}
    assert set(found.COLUMNS) <= set(record["columns"]) <= {*found.COLUMNS, *found.MORE}


@every_method
def test_what_it_does_not_handle_is_refused(name: str) -> None:
    method = METHODS[name]()
    clusters = SAMPLE["logistic"].replace(clusters=np.arange(SAMPLE.n) // 2).roc
    kind = "threshold" if "thresholds" in method.fixed else "fpr"
    if "clusters" not in method.handles:
        with pytest.raises(rb.InputError, match=f"Method '{name}' .*the sample has clusters"):
            method(clusters, **places(clusters, kind))
    if "bins" not in method.handles:
        with pytest.raises(rb.InputError, match=f"Method '{name}' .*the curve has bins"):
            method(BINS, **places(BINS, kind))
    for fixed, other in (("rates", "fpr"), ("thresholds", "threshold")):
        if fixed not in method.fixed:
            with pytest.raises(rb.InputError, match=f"'{name}' has no limits at fixed {fixed}"):
                rb.operating_points(ROC, **places(ROC, other), method=method)


@pytest.mark.parametrize("name", ["wilson", "clopper-pearson"])
def test_rows_with_a_design_have_effective_counts(name: str) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(400) % 4 == 0
    s = rng.normal(size=400) + y
    cuts = np.array([-9.0, 0.0, 1.0, 9.0])

    def find(sample: rb.Sample) -> np.ndarray:
        at = rb.operating_points(sample, threshold=cuts, method=name)
        return np.array([getattr(at, f"{k}_{end}") for k in LIMITS for end in ("lower", "upper")])

    single = find(rb.Sample(y, s))
    alone = rb.Sample(y, s, clusters=np.arange(400), weights=np.full(400, 3.0))
    np.testing.assert_allclose(find(alone), single, atol=1e-12)
    # Each row three times in its cluster is one row; as independent rows limits are narrower.
    three = {"y_true": np.repeat(y, 3), "y_score": np.repeat(s, 3)}
    thrice = find(rb.Sample(**three, clusters=np.repeat(np.arange(400), 3)))
    np.testing.assert_allclose(thrice, single, atol=0.004)
    assert np.abs(find(rb.Sample(**three)) - single).max() > 0.02
    # Rows of weight 2 and 1 in a class: Kish's number of rows, and no more.
    weights = np.where(np.arange(400) % 3 == 0, 3.0, 1.0)
    weighted = find(rb.Sample(y, s, weights=weights))
    assert (weighted[1::2, 1:3] - weighted[::2, 1:3] > single[1::2, 1:3] - single[::2, 1:3]).all()


def test_wilson_at_fixed_rates_is_for_independent_rows() -> None:
    sample = SAMPLE["logistic"].replace(clusters=np.arange(SAMPLE.n) // 2)
    match = r"'wilson' at fixed rates .* the sample has clusters.*method='likelihood'"
    with pytest.raises(rb.InputError, match=match):
        rb.operating_points(sample, fpr=0.1, method="wilson")
    with pytest.raises(rb.InputError, match=r"'bootstrap' .* or use method='likelihood'\."):
        rb.operating_points(sample, fpr=0.1, method="bootstrap")


@dataclass(frozen=True)
class Unsure(PointMethod):
    """A user's own method, which knows nothing."""

    name: ClassVar[str] = "unsure"
    fixed: ClassVar[tuple[Any, ...]] = ("rates", "thresholds")

    def limit_heights(self, roc: Any, fpr: Any, request: Request) -> tuple[Any, Any]:
        return np.zeros_like(fpr), np.ones_like(fpr)

    def limit_shares(self, count: Any, size: int, level: float) -> tuple[Any, Any]:
        return np.zeros(count.shape), np.ones(count.shape)


def test_a_user_s_own_method_works_and_is_refused_what_it_does_not_handle() -> None:
    at = rb.operating_points(ROC, method=Unsure(), fpr=0.1)
    assert (at.method, at.tpr_lower[0], at.tpr_upper[0]) == ("unsure", 0, 1)
    best = rb.operating_points(ROC, method=Unsure(), best="youden")
    assert (best.asked, best.fpr_lower[0], best.fpr_upper[0]) == ("best youden", 0, 1)
    with pytest.raises(rb.InputError, match=r"'unsure' .* the curve has bins"):
        rb.operating_points(BINS, method=Unsure(), fpr=0.1)
    with pytest.raises(rb.InputError, match="'unsure' has no parameter 'n_resamples'"):
        rb.operating_points(ROC, method=Unsure(), fpr=0.1, n_resamples=100)


def test_parameters_may_be_given_beside_the_method() -> None:
    named = rb.operating_points(ROC, method="bootstrap", fpr=0.1, n_resamples=300, rng=1)
    made = METHODS["bootstrap"](n_resamples=300)  # type: ignore[call-arg]
    assert named.to_dict() == rb.operating_points(ROC, method=made, fpr=0.1, rng=1).to_dict()
    with pytest.raises(rb.InputError, match=r"no parameter 'n_resamples'.*wilson, bootstrap"):
        rb.operating_points(ROC, fpr=0.1, n_resamples=300)

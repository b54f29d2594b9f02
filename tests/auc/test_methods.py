"""Every method of AUC intervals keeps every promise; a new one is tested here without a line."""

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
from rocbands.auc import FOLD_METHODS, METHODS, PARTIAL_METHODS, SHARED_FILES
from rocbands.auc.folds import FoldAucMethod
from rocbands.auc.method import AucMethod, Pivot, Wald
from rocbands.auc.partial import PartialArea, PartialAucMethod
from rocbands.core.method import Method, Request
from rocbands.resample.areas import FprRange
from tests.strategies import binned_scores, labelled_scores

KINDS: dict[str, tuple[dict[str, type[Any]], type[Method]]] = {
    "whole": (METHODS, AucMethod),
    "folds": (FOLD_METHODS, FoldAucMethod),
    "part": (PARTIAL_METHODS, PartialAucMethod),
}
EVERY = [(kind, name) for kind, (methods, _) in KINDS.items() for name in methods]
every_method = pytest.mark.parametrize(("kind", "name"), EVERY)
whole_areas = pytest.mark.parametrize("name", METHODS)
Rows = tuple[np.ndarray, np.ndarray]

SAMPLE = rb.load_example()
LOGISTIC = SAMPLE["logistic"]
ROC = rb.roc_curve(LOGISTIC)
FOLDS = LOGISTIC.replace(folds=np.arange(SAMPLE.n) % 5).roc
GROUPS = LOGISTIC.replace(clusters=np.arange(SAMPLE.n) // 2).roc
BINS = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)

# Methods that may give a point, with the reason; the notes of the result say so.
POINTS: dict[str, str] = {
    "delong": "its variance is 0 for separated classes",
    "hanley-mcneil": "its variance is 0 at AUC 0 and 1",
    "exact-bootstrap": "all resamples of separated classes are alike",
    "bootstrap": "all resamples of separated classes are alike",
    "bca": "all resamples of separated classes are alike",
}


def make(name: str, methods: dict[str, type[Any]] = METHODS) -> Any:
    """An instance that draws few resamples: promises do not depend on their number."""
    method = methods[name]()
    return dataclasses.replace(method, n_resamples=100) if _draws(method) else method


def _draws(method: Method) -> bool:
    return "n_resamples" in method.parameters


def interval(kind: str, name: str, **how: Any) -> rb.results.Interval:
    if kind == "folds":
        return FOLD_METHODS[name]()(FOLDS, **how)
    if kind == "part":
        return make(name, PARTIAL_METHODS)(ROC, fpr=(0.0, 0.2), rng=3, **how)
    return make(name)(ROC, rng=3, **how)


@every_method
def test_it_says_what_it_is(kind: str, name: str) -> None:
    methods, base = KINDS[kind]
    cls = methods[name]
    assert issubclass(cls, base)
    assert (cls.name, cls.question, cls.coverage) == (name, "auc", "pointwise")
    assert cls.guarantee
    assert cls.idea
    assert cls.references
    assert all(" (" in reference for reference in cls.references)
    assert cls.__doc__


@whole_areas
def test_its_file_has_its_name(name: str) -> None:
    spec = importlib.util.find_spec(f"rocbands.auc.{name.replace('-', '_')}")
    assert (spec is not None) != (name in SHARED_FILES)


@every_method
def test_results_record_method_and_parameters(kind: str, name: str) -> None:
    found = interval(kind, name)
    record = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert record["method"] == name
    assert record["parameters"] == found.parameters
    if _draws(KINDS[kind][0][name]()):
        assert record["parameters"]["n_resamples"] == 100
    assert record["schema"].endswith("interval/3")
    assert set(record) == {"schema", *found.FACTS}  # each number once


@every_method
def test_limits_are_nested_in_the_level_and_the_same_rng_gives_the_same_numbers(
    kind: str, name: str
) -> None:
    narrow, wide = (interval(kind, name, level=level) for level in (0.7, 0.95))
    assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high
    assert interval(kind, name, level=0.7).to_dict() == narrow.to_dict()


@whole_areas
@settings(max_examples=40)
@given(rows=labelled_scores())
def test_limits_are_ordered_and_in_range(name: str, rows: Rows) -> None:
    roc, method = rb.roc_curve(*rows), make(name)
    if min(roc.n_pos, roc.n_neg) < method.least_cases:
        with pytest.raises(rb.InputError, match="needs at least two of each; there is one"):
            method(roc, rng=1)
        return
    for side in ("two-sided", "less", "greater"):
        found = method(roc, alternative=side, level=0.9, rng=1)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        assert found.pvalue is None or 0 <= found.pvalue <= 1
        if side == "two-sided" and found.low == found.high:
            assert name in POINTS, f"give the reason why {name} can give a point in POINTS above"
            assert "limits equal the estimate" in " ".join(found.notes)


@whole_areas
@settings(max_examples=20)
@given(rows=labelled_scores())
def test_an_increasing_transform_of_the_scores_changes_nothing(name: str, rows: Rows) -> None:
    labels, scores = rows
    ranks = np.unique(scores, return_inverse=True)[1] ** 3 - 40.0
    if min(np.bincount(labels)) < METHODS[name].least_cases:
        return
    one, other = (make(name)(rb.roc_curve(labels, s), rng=1) for s in (scores, ranks))
    assert (one.low, one.high, one.pvalue) == (other.low, other.high, other.pvalue)


@every_method
@pytest.mark.parametrize(
    ("extra", "roc"),
    [("clusters", GROUPS), ("folds", FOLDS), ("bins", BINS)],
    ids=["clusters", "folds", "bins"],
)
def test_what_it_does_not_handle_is_refused(kind: str, name: str, extra: str, roc: Any) -> None:
    method = KINDS[kind][0][name]()
    if extra in method.handles:
        return
    how = {"fpr": (0.0, 0.5)} if kind == "part" else {}
    owner = "curve" if extra == "bins" else "sample"
    with pytest.raises(rb.InputError, match=f"Method '{name}' .*the {owner} has {extra}") as caught:
        method(roc, **how)
    if (kind, extra) == ("whole", "folds"):
        assert "use rb.fold_auc_interval()" in str(caught.value)


@pytest.mark.parametrize("name", [name for name in METHODS if "bins" in METHODS[name].handles])
@settings(max_examples=25, deadline=None)
@given(case=binned_scores())
def test_bins_widen_and_never_narrow(name: str, case: tuple[Any, Any, rb.RocCurve]) -> None:
    y, s, binned = case
    if min(binned.n_pos, binned.n_neg) < METHODS[name].least_cases:
        return
    exact, found = make(name)(rb.roc_curve(y, s)), make(name)(binned)
    assert found.low <= exact.low + 1e-9
    assert found.high >= exact.high - 1e-9


@dataclass(frozen=True)
class Cautious(AucMethod):
    """A user's own method: Wald's limits with the largest variance that an AUC can have."""

    name: ClassVar[str] = "cautious"

    factor: float = 1.0

    def build_pivot(self, roc: rb.RocCurve, request: Request) -> Pivot:
        return Wald(roc.auc, self.factor * 0.5 / min(roc.n_pos, roc.n_neg) ** 0.5)


@dataclass(frozen=True)
class FixedError(FoldAucMethod):
    """A user's own method for folds."""

    name: ClassVar[str] = "fixed"

    def compute_error(self, folds: Any) -> float:
        return 0.01


@dataclass(frozen=True)
class WholeRange(PartialAucMethod):
    """A user's own method for parts."""

    name: ClassVar[str] = "whole-range"

    def compute_limits(self, roc: rb.RocCurve, part: FprRange, request: Request) -> PartialArea:
        return PartialArea(part.width / 2, 0.0, part.width, None)


def test_a_user_s_own_method_works_and_is_refused_what_it_does_not_handle() -> None:
    found = rb.auc_interval(LOGISTIC, method=Cautious(factor=2.0), alternative="greater")
    assert (found.method, found.parameters, found.high) == ("cautious", {"factor": 2.0}, 1.0)
    assert found.low < rb.auc_interval(LOGISTIC, alternative="greater").low
    with pytest.raises(rb.InputError, match=r"'cautious' .* the sample has clusters"):
        rb.auc_interval(GROUPS, method=Cautious())
    with pytest.raises(rb.InputError, match=r"'cautious' .* the curve has bins"):
        rb.auc_interval(BINS, method=Cautious())
    with pytest.raises(rb.InputError, match="'cautious' has no parameter 'n_resamples'"):
        rb.auc_interval(LOGISTIC, method=Cautious(), n_resamples=100)
    folds = rb.fold_auc_interval(FOLDS, method=FixedError())
    assert folds.standard_error == 0.01
    part = rb.partial_auc_interval(ROC, method=WholeRange(), fpr=(0.1, 0.3))
    assert (part.low, part.estimate, part.high) == pytest.approx((0.0, 0.1, 0.2))
    with pytest.raises(rb.InputError, match=r"'whole-range' .* the sample has clusters"):
        rb.partial_auc_interval(GROUPS, method=WholeRange(), fpr=(0.1, 0.3))


@pytest.mark.parametrize("wrong", [METHODS["delong"], 3, rb.bands.Likelihood()], ids=repr)
def test_what_is_no_method_is_refused(wrong: Any) -> None:
    with pytest.raises(rb.InputError, match="`method` must be one of score-delong, newcombe"):
        rb.auc_interval(ROC, method=wrong)


def test_parameters_may_be_given_beside_the_method() -> None:
    named = rb.auc_interval(ROC, method="bca", n_resamples=300, rng=1)
    made = rb.auc_interval(ROC, method=METHODS["bca"](n_resamples=300), rng=1)  # type: ignore[call-arg]
    assert named.to_dict() == made.to_dict()
    with pytest.raises(rb.InputError, match=r"no parameter 'n_resamples'.*bootstrap, bca"):
        rb.auc_interval(ROC, n_resamples=300)


def test_folds_come_with_a_curve_or_a_sample() -> None:
    by_rows = rb.fold_auc_interval(LOGISTIC.replace(folds=np.arange(SAMPLE.n) % 5))
    assert by_rows.to_dict() == rb.fold_auc_interval(FOLDS).to_dict()
    with pytest.raises(rb.InputError, match=r"`folds` must say .* see rb.auc_interval\(\)"):
        rb.fold_auc_interval(ROC)

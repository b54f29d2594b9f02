"""What all results have in common: names of limits, promises, `repr`, pickle and copy."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pytest

import rocbands
import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.core.region import BetweenRegion
from rocbands.core.result import Result
from tests.readers.designs import draw_example

RNG = np.random.default_rng(5)
Y = np.repeat([1, 0], [60, 60])
ONE = RNG.normal(size=120) + 1.5 * Y
TWO = RNG.normal(size=120) + 0.4 * Y
PROB = 1.0 / (1.0 + np.exp(-ONE))
W = [0.3, 0.5, 0.7]
CLASSES = np.repeat(["cat", "dog", "owl"], [40, 40, 40])
PILOT = {
    "var_tr": 2.0e-4, "var": 8.0e-4, "cov1": 3.5e-4, "cov2": 3.4e-4, "cov3": 2.4e-4,
    "n_pos": 45, "n_neg": 69, "n_readers": 5,
}  # fmt: skip
CUT = {"thresholds": ([0.5] * 3, [0.5] * 3)}


def read_study() -> rb.results.ReaderStudy:
    return rb.compare_readers(draw_example())


def condition() -> Any:
    from rocbands.cli.documents import Condition

    return Condition(0.5, 1.0, 1.0, 0.5)


# One of each kind, and more where there are forms that differ in what they store.
MAKE: dict[str, Callable[[], Result]] = {
    "RocCurve": lambda: rb.roc_curve(Y, ONE),
    "RocCurve of clusters": lambda: (
        rb.Sample(Y, ONE, clusters=np.arange(120) // 4, weights=1 + Y).roc
    ),
    "Band": lambda: rb.roc_band(Y, ONE),
    "Band of resamples": lambda: rb.roc_band(
        Y, ONE, method=rb.bands.VerticalAverage(n_resamples=50), rng=1
    ),
    "Band of fixed width": lambda: rb.roc_band(Y, ONE, method="fixed-width", rng=1),
    "View": lambda: rb.roc_band(Y, ONE).view("pr", prevalence=0.2),
    "View of tied scores": lambda: rb.pr_band(Y, np.round(ONE)),
    "View of gains": lambda: rb.roc_band(Y, np.round(ONE)).view("gains"),
    "DecisionRange": lambda: rb.roc_band(Y, ONE).better_between(prevalence=0.2),
    "Interval": lambda: rb.auc_interval(Y, ONE),
    "FoldInterval": lambda: rb.fold_auc_interval(rb.Sample(Y, ONE, folds=np.arange(120) % 4)),
    "OperatingPoints": lambda: rb.operating_points(Y, ONE, fpr=[0.1, 0.3]),
    "BestThreshold": lambda: rb.best_threshold(Y, ONE, n_resamples=100),
    "CostCurve": lambda: rb.cost_curve(Y, ONE),
    "CostThresholds": lambda: rb.cost_thresholds(Y, ONE, w=W),
    "CensoringWeights": lambda: rb.ipcw(1 + PROB, Y, at=1.5),
    "CostIntervals": lambda: rb.cost_interval(Y, ONE, thresholds=[0.5] * 3, w=W),
    "CostDifference": lambda: rb.cost_difference(Y, ONE, TWO, **CUT, w=W),
    "Comparison": lambda: rb.compare(Y, ONE, TWO),
    "Comparisons": lambda: rb.compare_many(
        rb.Sample(Y, {"a": ONE, "b": TWO, "c": ONE + TWO}), rng=1
    ),
    "DifferenceBand": lambda: rb.difference_band(Y, ONE, TWO, n_resamples=200, rng=1),
    "SmoothCurve": lambda: rb.smooth_curve(Y, ONE, method="kernel", n_resamples=200, rng=1),
    "AverageCurve": lambda: rb.average_curve(
        rb.Sample(Y, ONE, folds=np.arange(120) % 4), at=[0.1, 0.5]
    ),
    "TwoSidedCurve": lambda: rb.two_sided_curve(Y, ONE, n_resamples=100, rng=1),
    "RateRange": lambda: rb.rate_bounds(Y, ONE).between(0.1, 0.3),
    "SampleSize": lambda: rb.sample_size(auc=0.8, width=0.1),
    "ReaderStudySize": lambda: rb.reader_study_size(PILOT, difference=0.05),
    "RateBounds": lambda: rb.rate_bounds(Y, ONE, rate=[0.1, 0.3]),
    "RateDifference": lambda: rb.rate_difference(Y, ONE, TWO, rate=[0.1, 0.3]),
    "NetBenefit": lambda: rb.net_benefit(Y, PROB, thresholds=[0.2, 0.5]),
    "NetBenefitDifference": lambda: rb.net_benefit_difference(
        Y, PROB, 1 - PROB, thresholds=[0.2, 0.5]
    ),
    "ClassBands": lambda: rb.class_bands(CLASSES, np.random.default_rng(1).normal(size=(120, 3))),
    "Subgroups": lambda: rb.subgroups(
        Y, ONE, by=np.arange(120) % 2, threshold=0.5, n_resamples=200, rng=1
    ),
    "GroupGaps": lambda: rb.subgroups(Y, ONE, by=np.arange(120) % 2, n_resamples=200).gaps,
    "ScoreCounts": lambda: rb.ScoreCounts.from_arrays(Y, {"a": ONE}),
    "Table": lambda: rb.Table({"a": rb.auc_interval(Y, ONE), "b": rb.auc_interval(Y, TWO)}),
    "Summary": lambda: rb.summary(Y, {"a": ONE, "b": TWO}),
    "Summary of probabilities": lambda: rb.summary(Y, PROB, metrics=["brier", "ap"]),
    "Report": lambda: rb.report(Y[::8], ONE[::8], path=None),
    "ReaderStudy": read_study,
    "ReaderReport": lambda: rb.report(read_study(), path=None),
    "ReaderTable": lambda: read_study().table("readers"),
    "Methods": lambda: rb.methods("bands"),
    "Designs": lambda: rb.methods().designs(),
    "Condition": condition,
}


@cache
def make(name: str) -> Result:
    return MAKE[name]()


def kinds(of: type) -> Iterator[type]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_kind_of_result_is_tried() -> None:
    for module in pkgutil.walk_packages(rocbands.__path__, "rocbands."):
        if not any(
            part in module.name for part in ("__main__", "dask", "spark", "torch", "triton")
        ):
            importlib.import_module(module.name)
    own = {kind for kind in kinds(Result) if kind.__module__.startswith("rocbands.")}
    shown = {kind.__name__ for kind in own if "schema" in vars(kind)}
    assert {type(make(name)).__name__ for name in MAKE} == shown


@pytest.mark.parametrize("name", MAKE)
def test_low_and_high_are_numbers_lower_and_upper_lie_along_an_axis(name: str) -> None:
    result = make(name)
    names = {*result.FACTS, *result.COLUMNS, *result.MORE}
    names |= {one.name for one in dataclasses.fields(result)}  # type: ignore[arg-type]
    names |= {one for one in dir(type(result)) if one.endswith(("low", "high", "lower", "upper"))}
    for attribute in sorted(names):
        value = getattr(result, attribute, None)
        if attribute.split("_")[-1] in ("low", "high"):
            assert value is None or np.ndim(value) == 0, attribute
        if attribute.split("_")[-1] in ("lower", "upper") and not isinstance(value, Curve):
            assert value is None or np.ndim(value) > 0, attribute
    limits = [one for one in names if one.endswith(("lower", "upper"))]
    plain = {"lower", "upper"} & set(limits)
    assert not plain or len([one for one in limits if one not in result.MORE]) == 2, limits


# ---------------------------------------------------------------------------------------- repr


def refuse(*_: object, **__: object) -> Any:
    raise AssertionError("repr computes nothing")


@pytest.mark.parametrize("name", MAKE)
def test_repr_is_one_line_and_computes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = pickle.loads(pickle.dumps(make(name)))
    every = {Result, *kinds(Result)}
    for kind in every:
        for function in ("summary", "columns", "facts"):
            if function in vars(kind):
                monkeypatch.setattr(kind, function, refuse)
        for attribute in ("area", "auc", "_edges", "curve", "fpr", "tpr", "better", "found", "cases",
                          "certificate", "lower", "upper", "verdict", "best", "average"):  # fmt: skip
            own = vars(kind).get(attribute)
            if own is not None and hasattr(own, "__get__") and not callable(own):
                monkeypatch.setattr(kind, attribute, property(refuse))
    for of in (Curve, BetweenRegion):
        for attribute in vars(of):
            if not attribute.startswith("__"):
                monkeypatch.setattr(of, attribute, property(refuse))
    for function in ("trapezoid", "interp", "cumsum", "sort", "diff"):
        monkeypatch.setattr(np, function, refuse)
    shown = repr(result)
    assert shown.startswith(f"<{type(result).__name__}")
    assert "\n" not in shown
    assert 15 < len(shown) < 200


def test_repr_has_the_headline() -> None:
    area = rb.auc_interval(Y, ONE)
    assert f"AUC {area.estimate:.4f}" in repr(area)
    assert f"{area.low:.4f} to {area.high:.4f}" in repr(area)
    found = rb.compare(rb.Sample(Y, {"a": ONE, "b": TWO}))
    assert f"AUC of a minus b: {found.difference:.4f}" in repr(found)
    assert "60 positives, 60 negatives" in repr(rb.roc_band(Y, ONE))
    wicked = rb.compare(rb.Sample(Y, {"a\nb": ONE, "c": TWO}))
    assert "\n" not in repr(wicked)


# ------------------------------------------------------------------------------ pickle and copy


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("again", ["pickle", "copy", "deepcopy"])
def test_results_can_be_pickled_and_copied(name: str, again: str) -> None:
    result = make(name)
    # Showing fills what is computed once and kept.
    for show in (str, repr, "to_json", "_repr_html_", "to_frame", "to_csv", "to_markdown"):
        _ = show(result) if callable(show) else getattr(result, show)()
    if hasattr(result, "contains"):
        with suppress(rb.InputError):  # not a precision-recall curve
            result.contains(lambda x: x)
    ways: dict[str, Callable[[Any], Any]] = {
        "pickle": lambda one: pickle.loads(pickle.dumps(one)),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
    }
    other = ways[again](result)
    assert type(other) is type(result)
    assert str(other) == str(result)
    assert other.to_json() == result.to_json()
    arrays = [value for value in vars(other).values() if isinstance(value, np.ndarray)]
    assert not any(array.flags.writeable for array in arrays)
    assert copy.deepcopy(other).to_json() == result.to_json()


# ------------------------------------------------------------------------------------ promises

BREAK: dict[str, dict[str, Any]] = {
    "Interval": {"low": 0.99},
    "FoldInterval": {"high": 0.1},
    "OperatingPoints": {"tpr_lower": np.array([1.0, 1.0])},
    "CostIntervals": {"lower": np.array([0.9, 0.9, 0.9])},
    "CostDifference": {"upper": np.array([-1.0, -1.0, -1.0])},
    "CostCurve": {"w": np.array([0.5, 0.2])},
    "CostThresholds": {"w": np.array([0.5])},
    "CensoringWeights": {"rows": np.zeros(120, dtype=bool)},
    "Comparison": {"low": 0.9},
    "Comparisons": {"upper": np.array([-1.0, -1.0, -1.0])},
    "RateBounds": {"tpr_upper": np.array([0.0, 0.0])},
    "RateDifference": {"pvalue": np.array([2.0, 2.0])},
    "NetBenefit": {"net_benefit_lower": np.array([1.0, 1.0])},
    "NetBenefitDifference": {"upper": np.array([-9.0, -9.0])},
    "ClassBands": {"auc_lower": np.array([1.0, 1.0, 1.0])},
    "Subgroups": {"tpr_upper": np.array([0.0, 0.0])},
    "DecisionRange": {"low": 0.9, "high": 0.1},
    "SampleSize": {"n_pos": 1},
    "ReaderStudySize": {"power": np.full(7, 1.5)},
    "View": {"rule": "given", "prevalence": None},
}


@pytest.mark.parametrize("name", BREAK)
def test_a_broken_promise_is_refused(name: str) -> None:
    with pytest.raises(rb.ResultError, match=r"must .*\.$") as raised:
        dataclasses.replace(make(name), **BREAK[name])  # type: ignore[type-var]
    assert isinstance(raised.value, ValueError)
    assert isinstance(pickle.loads(pickle.dumps(raised.value)), rb.ResultError)


WITHOUT_ASSERTS = """
import numpy as np, rocbands as rb
from rocbands.core.curve import Curve
from rocbands.core.region import BetweenRegion
assert False, "this program runs under -O"
def interval():
    rb.results.Interval(
        quantity="AUC", estimate=0.5, low=0.6, high=0.4, level=0.9, method="own", n_pos=2, n_neg=2
    )
def band():
    edges = (Curve([0.0, 0.3, 0.3, 1.0], y) for y in ([0, 0, 0.7, 0.7], [0.5, 0.5, 0.6, 1.0]))
    roc = rb.roc_curve([1, 0, 1, 0], [4, 3, 2, 1])
    rb.results.Band(roc, BetweenRegion(*edges), 0.9, rb.bands.JointRegion())
def difference():
    found = rb.compare([1, 0, 1, 0], [1, 2, 3, 4], [1, 3, 2, 4])
    import dataclasses
    dataclasses.replace(found, pvalue=2.0)
for make in (interval, band, difference):
    try:
        make()
    except rb.ResultError as problem:
        print(problem)
"""


def test_promises_hold_without_asserts() -> None:
    """`python -O` drops asserts; no promise rests on one."""
    done = subprocess.run(
        [sys.executable, "-O", "-c", WITHOUT_ASSERTS], capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    assert len(said) == 3
    assert "must contain its estimate" in said[0]
    assert "must not lie above" in said[1]
    assert "p-value must lie" in said[2]


# --------------------------------------------------------------------------------- differences


def ask_all(y: Any, one: Any, two: Any, level: float) -> dict[str, rb.results.Comparison]:
    both = rb.Sample(y, {"a": one, "b": two})
    return {
        "AUC": rb.compare(both, level=level),
        "AUC, bootstrap": rb.compare(both, method="bootstrap", n_resamples=200, rng=1, level=level),
        "TPR": rb.compare_tpr(both, fpr=0.3, level=level),
        "decisions": rb.mcnemar(both, thresholds=(0.5, 0.5), level=level),
        "average precision": rb.average_precision_difference(both, level=level),
        "recall": rb.rate_difference(both, rate=[0.2, 0.4], level=level).at(0.4),
    }


@pytest.mark.parametrize("seed", range(12))
def test_every_difference_of_two_numbers_is_a_comparison(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 2
    one, two = rng.normal(size=(2, 60)) + rng.uniform(0, 1.5, 2)[:, None] * y
    for level in (0.95, 0.5):
        for name, found in ask_all(y, one, two, level).items():
            assert type(found) is rb.results.Comparison, name
            assert found.names == ("a", "b")
            assert found.difference == pytest.approx(found.estimates[0] - found.estimates[1])
            assert found.low <= found.difference <= found.high
            assert found.level == level
            higher, lower = "a is higher" in found.verdict, "a is lower" in found.verdict
            assert (higher, lower) == (found.low > 0, found.high < 0), name
            assert ("No difference" in found.verdict) == (found.low <= 0 <= found.high)
            agree = (found.pvalue < 1 - level) == (higher or lower)
            assert agree != any("disagree" in note for note in found.notes), name
            own = found.interval
            assert (own.estimate, own.low, own.high) == (found.difference, found.low, found.high)
            assert (own.pvalue, own.null) == (found.pvalue, 0.0)


def test_a_margin_is_judged_by_the_interval() -> None:
    for margin in (0.01, 0.05, 0.2, 0.6):
        for found in (
            rb.compare(Y, TWO, ONE, margin=margin),
            rb.compare_tpr(Y, TWO, ONE, fpr=0.3, margin=margin),
        ):
            assert found.verdict.startswith("Not inferior") == (found.low > -margin)


@pytest.mark.parametrize(
    ("name", "axis", "sign"),
    [
        ("DifferenceBand", "fpr", 1),
        ("RateDifference", "rate", 1),
        ("NetBenefitDifference", "threshold", 1),
        ("CostDifference", "w", -1),
    ],
)
def test_every_difference_along_an_axis_says_where_one_model_is_better(
    name: str, axis: str, sign: int
) -> None:
    result: Any = make(name)
    x, low, high = getattr(result, axis), sign * result.lower, sign * result.upper
    low, high = np.minimum(low, high), np.maximum(low, high)
    assert result.difference.shape == x.shape
    where = np.zeros(x.shape, dtype=int)
    for part in result.better:
        assert isinstance(part, rb.results.BetterRange)
        where[(part.low <= x) & (x <= part.high)] = part.model
    assert where.any()  # or nothing is tested
    expected = np.where(low > 1e-9, 1, np.where(high < -1e-9, 2, 0))
    assert (where == expected)[np.abs(low * high) > 1e-9].all()
    told = result.to_dict()["better"]
    assert told == [part._asdict() for part in result.better]
    assert {"difference", "lower", "upper", axis} <= set(result.columns())


def test_better_runs_by_hand() -> None:
    from rocbands.core.comparison import find_better_runs

    x = np.array([0.5, 0.1, 0.4, 0.2, 0.3])  # in any order
    first = np.array([False, True, False, True, False])
    second = np.array([True, False, False, False, False])
    assert find_better_runs(x, first, second) == ((1, 0.1, 0.2), (2, 0.5, 0.5))
    nothing = np.zeros(5, dtype=bool)
    assert find_better_runs(x, nothing, nothing) == ()

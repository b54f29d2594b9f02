"""The table of functions and data says what functions do, and the page about methods shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.errors import ArgumentError
from tools.make_design_table import PAGE, page

EXAMPLE = rb.load_example()
ROWS = np.arange(EXAMPLE.n)
GROUP = ROWS // 3
DESIGNS: dict[str, dict[str, Any]] = {
    "rows": {},
    "groups": {"groups": GROUP},
    "weights": {"weights": 1.0 + ROWS % 3},
    "strata": {"strata": GROUP % 4},
    "folds": {"folds": ROWS % 5},
}
THREE = np.where(EXAMPLE.is_positive, "a", np.where(ROWS % 2, "b", "c"))

# By question and function: a call whose data are one model's, and one whose data are two models'.
ONE: dict[tuple[str, str], Callable[..., Any]] = {
    ("bands", "roc_band"): rb.roc_band,
    ("auc", "auc_interval"): rb.auc_interval,
    ("auc, folds", "fold_auc_interval"): rb.fold_auc_interval,
    ("auc, part of the area", "partial_auc_interval"): lambda d: rb.partial_auc_interval(
        d, fpr=(0, 0.2)
    ),
    ("points, fixed rates", "operating_points"): lambda d: rb.operating_points(d, fpr=0.1),
    ("points, fixed thresholds", "operating_points"): lambda d: rb.operating_points(
        d, threshold=0.5
    ),
    ("cost", "cost_interval"): lambda d: rb.cost_interval(d, thresholds=0.5, w=0.5),
    ("cost", "cost_curve"): rb.cost_curve,
    ("rates", "rate_bounds"): lambda d: rb.rate_bounds(d, rate=0.2),
    ("precision", "average_precision_interval"): rb.average_precision_interval,
    ("calibration", "brier_score_interval"): rb.brier_score_interval,
    ("decision", "net_benefit"): rb.net_benefit,
}
TWO: dict[tuple[str, str], Callable[..., Any]] = {
    ("comparison", "compare"): rb.compare,
    ("comparison", "compare_tpr"): lambda *d: rb.compare_tpr(*d, fpr=0.1),
    ("comparison", "difference_band"): lambda *d: rb.difference_band(*d, n_resamples=500),
    ("comparison", "mcnemar"): lambda *d: rb.mcnemar(*d, thresholds=0.5),
    ("comparison", "compare_many"): lambda *d: rb.compare_many(*d, n_resamples=500),
    ("cost", "cost_difference"): lambda *d: rb.cost_difference(*d, thresholds=(0.5, 0.5), w=0.5),
    ("rates", "rate_difference"): lambda *d: rb.rate_difference(*d, rate=0.2),
    ("precision", "average_precision_difference"): rb.average_precision_difference,
    ("decision", "net_benefit_difference"): rb.net_benefit_difference,
}
TABLE = rb.methods().designs().functions


def counted() -> rb.RocCurve:
    """Return the curve of one model, in bins."""
    scores = EXAMPLE["logistic"].values
    fp, tp = (
        np.bincount((10 * scores[own]).astype(int), minlength=11)[::-1].cumsum()
        for own in (~EXAMPLE.is_positive, EXAMPLE.is_positive)
    )
    return rb.RocCurve.from_counts(np.arange(10, -1, -1) / 10, fp, tp, bins=True)


def data(question: str, function: str, design: str) -> tuple[Any, ...]:
    """Return what a function is given."""
    if function == "roc_bands":
        scores = np.random.default_rng(0).normal(size=(EXAMPLE.n, 3))
        return (rb.Sample.of_classes(THREE, scores, **DESIGNS[design]),)
    models = EXAMPLE if (question, function) in TWO else EXAMPLE["logistic"]
    if design == "bins":
        return (counted(),) if len(models.models) == 1 else (counted(), counted())
    if design == "two_sets":
        first = GROUP < 90
        return EXAMPLE["logistic"].take(first), EXAMPLE["neighbours"].take(~first)
    return (models.replace(**DESIGNS[design], keep={"half": ROWS % 2}),)


# A sample of several classes has none of these, so that there is nothing to refuse.
UNKNOWN = [("roc_bands", design) for design in ("folds", "bins", "two_sets")]
CASES = [
    (question, function, design, said)
    for (question, function), row in TABLE.items()
    for design, said in row.items()
    if (function, design) not in UNKNOWN
]


@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
@pytest.mark.parametrize(("question", "function", "design", "said"), CASES)
def test_functions_choose_and_refuse_as_the_table_says(
    question: str, function: str, design: str, said: str
) -> None:
    calls = ONE | TWO
    calls["multiclass", "roc_bands"] = rb.roc_bands
    calls["subgroup", "subgroups"] = lambda *d: rb.subgroups(*d, by="half", n_resamples=500)
    given = data(question, function, design)
    if said == "-":
        if len(given) == 2 and (question, function) not in TWO:
            return  # a function of one model takes no second one
        with pytest.raises((rb.InputError, ArgumentError)):
            calls[question, function](*given)
        return
    found = calls[question, function](*given)
    if said != "yes":
        assert getattr(found.method, "name", found.method) == said


def test_every_function_with_a_design_is_in_the_table() -> None:
    assert {*ONE, *TWO, ("multiclass", "roc_bands"), ("subgroup", "subgroups")} == set(TABLE)


def test_the_page_shows_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tools.make_design_table"


def test_functions_without_methods_are_listed_with_what_they_handle() -> None:
    columns = rb.methods().columns()
    row = columns["function"].index("difference_band")
    assert columns["method"][row] == "-"
    assert columns["handles"][row] == "paired, unpaired, groups, class weights"
    assert "2 functions" in str(rb.methods("decision"))


def test_folds_of_an_area_name_the_function_for_them() -> None:
    folded = EXAMPLE["logistic"].replace(folds=ROWS % 5)
    with pytest.raises(rb.InputError, match=r"or use rb\.fold_auc_interval\(\)"):
        rb.auc_interval(folded)

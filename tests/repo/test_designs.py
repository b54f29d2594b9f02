"""The table of functions and data says what functions do, cell by cell, and pages show it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocbands as rb
from rocbands.errors import ArgumentError
from tools.make_design_table import PAGES, page

Question = Callable[..., Any]
EXAMPLE = rb.load_example()
ROWS = np.arange(EXAMPLE.n)
GROUP = ROWS // 3
WEIGHT = 1.0 + ROWS % 3
DESIGNS: dict[str, dict[str, Any]] = {
    "rows": {},
    "clusters": {"clusters": GROUP},
    "weights": {"weights": WEIGHT},
    "strata": {"strata": GROUP % 4},
    "folds": {"folds": ROWS % 5},
    "one_sided": {},
}
THREE = np.where(EXAMPLE.is_positive, "a", np.where(ROWS % 2, "b", "c"))
CLASS_SCORES = np.random.default_rng(0).normal(size=(EXAMPLE.n, 3))

# How each row of the table is asked: about one model, two models, or several classes.
ONE: dict[tuple[str, str], Question] = {
    ("bands", "roc_band"): rb.roc_band,
    ("auc", "auc_interval"): rb.auc_interval,
    ("auc, folds", "fold_auc_interval"): rb.fold_auc_interval,
    ("auc, part of the area", "partial_auc_interval"): lambda *d, **how: rb.partial_auc_interval(
        *d, fpr=(0, 0.2), **how
    ),
    ("points, fixed rates", "operating_points"): lambda *d, **how: rb.operating_points(
        *d, fpr=0.1, **how
    ),
    ("points, fixed thresholds", "operating_points"): lambda *d, **how: rb.operating_points(
        *d, threshold=0.5, **how
    ),
    ("cost", "cost_interval"): lambda *d, **how: rb.cost_interval(*d, thresholds=0.5, w=0.5, **how),
    ("cost", "cost_curve"): rb.cost_curve,
    ("cost", "h_measure_interval"): rb.h_measure_interval,
    ("points", "best_threshold"): lambda *d, **how: rb.best_threshold(*d, n_resamples=100, **how),
    ("smooth", "smooth_curve"): rb.smooth_curve,
    ("rates", "rate_bounds"): lambda *d, **how: rb.rate_bounds(*d, rate=0.2, **how),
    ("precision", "average_precision_interval"): rb.average_precision_interval,
    ("calibration", "brier_score_interval"): rb.brier_score_interval,
    ("decision", "net_benefit"): rb.net_benefit,
    ("two_sided", "two_sided_curve"): rb.two_sided_curve,
    ("views", "average_curve"): rb.average_curve,
    ("subgroup", "subgroups"): lambda *d, **how: rb.subgroups(
        *d, by="half", n_resamples=500, **how
    ),
    ("overview", "summary"): rb.summary,
    ("reporting", "report"): lambda *d, **how: rb.report(*d, path=None, **how),
}
TWO: dict[tuple[str, str], Question] = {
    ("comparison", "compare"): rb.compare,
    ("comparison", "compare_tpr"): lambda *d, **how: rb.compare_tpr(*d, fpr=0.1, **how),
    ("comparison", "difference_band"): lambda *d, **how: rb.difference_band(
        *d, n_resamples=500, **how
    ),
    ("comparison", "partial_auc_difference"): lambda *d, **how: rb.partial_auc_difference(
        *d, fpr=(0, 0.2), **how
    ),
    ("comparison", "mcnemar"): lambda *d, **how: rb.mcnemar(*d, thresholds=0.5, **how),
    ("comparison", "compare_many"): lambda *d, **how: rb.compare_many(*d, n_resamples=500, **how),
    ("cost", "cost_difference"): lambda *d, **how: rb.cost_difference(
        *d, thresholds=(0.5, 0.5), w=0.5, **how
    ),
    ("rates", "rate_difference"): lambda *d, **how: rb.rate_difference(*d, rate=0.2, **how),
    ("precision", "average_precision_difference"): rb.average_precision_difference,
    ("decision", "net_benefit_difference"): rb.net_benefit_difference,
}
CLASSES: dict[tuple[str, str], Question] = {("multiclass", "class_bands"): rb.class_bands}
# Readings are no sample: what they cannot carry is refused as no study.
READERS: dict[tuple[str, str], Question] = {("readers", "compare_readers"): rb.compare_readers}
NO_STUDY = "must be the readings of a study"
CALLS = ONE | TWO | CLASSES | READERS
TABLE = rb.methods().designs().functions

# Public functions of data that are not in the table, and why.
OTHERS = {
    "roc_curve": "counts, without limits; takes every design",
    "pr_band": "a view of roc_band",
    "cost_thresholds": "chooses thresholds, without limits",
    "count_scores": "counts rows",
}
# What a design does not change: a cost curve has no limits, and no weight is in these.
UNCHANGED = {("cost_curve", "clusters"), ("cost_curve", "strata")}

# What a refusal says. Counts are refused as rows of two test sets by what compares the same rows.
_COUNTS = "|".join(
    (
        "counts of single scores; the curve has bins",
        "(Thresholds of weighted rows|test sets are compared with fixed class sizes and) .*single",
        "needs? (rows|a score of each row)",
        "must be a sample with folds",
        "does not compare on different rows",
        "compare_many.* Pass a Sample",
    )
)
SAID = {
    "rows": "must say the fold of each row",
    "clusters": "rows that are independent of each other; the sample has clusters",
    "weights": "count equally; the sample has weights|`folds` cannot be used together",
    "strata": "without strata; the sample has strata|`folds` cannot be used together",
    "folds": r"scored by one model; the sample has folds|has no argument 'folds'",
    "bins": _COUNTS,
    "weighted_bins": f"count equally; the (curve carries|sample has) weights|{_COUNTS}",
    "two_sets": "does not compare on different rows|says everything|takes one argument|several cl",
    "one_sided": "has no direction|has no argument 'alternative'",
}


def count(weighted: bool) -> rb.ScoreCounts:
    """Count scores in ten bins, separately for even and odd rows."""
    scores = {name: np.floor(10.0 * EXAMPLE[name].values) / 10.0 for name in EXAMPLE}
    frame = {"y": EXAMPLE.is_positive, "half": ROWS % 2, "w": WEIGHT, **scores}
    own = {"weights": "w"} if weighted else {}
    return rb.count_scores(pd.DataFrame(frame), label="y", score=list(EXAMPLE), by="half", **own)


def make(key: tuple[str, str], design: str) -> tuple[Any, ...]:
    """Make data of a kind for a function."""
    if design in ("bins", "weighted_bins"):
        even, odd = count(design == "weighted_bins").split().values()
        two = even["logistic"], odd["neighbours"]
        whole = count(design == "weighted_bins")["logistic"]
        return two if key in TWO else (whole,)
    if design == "two_sets":
        first = GROUP < 90
        return EXAMPLE["logistic"].take(first), EXAMPLE["neighbours"].take(~first)
    columns = dict(DESIGNS[design])
    if key in READERS and design in ("rows", "clusters", "one_sided"):
        return (read_models(**columns),)
    if key in CLASSES:
        return (rb.Sample.of_classes(THREE, CLASS_SCORES, **columns),)
    if key[1] in ("fold_auc_interval", "average_curve") and design != "rows":
        columns["folds"] = GROUP % 5
    models = EXAMPLE if key in TWO else EXAMPLE["logistic"]
    return (models.replace(**columns, keep={"half": ROWS % 2}),)


def read_models(clusters: Any = None) -> rb.Readings:
    """Make readings of two models under two tests: as they are, and rounded."""
    models = [EXAMPLE[name].values for name in ("logistic", "neighbours")]
    scores = np.concatenate([one for s in models for one in (s, np.round(s, 1))])
    reader, test, case = (one.ravel() for one in np.indices((2, 2, EXAMPLE.n)))
    own = {"clusters": None if clusters is None else clusters[case]}
    return rb.Readings(
        EXAMPLE.is_positive[case], scores, reader=reader, case=case, test=test, **own
    )


def ask(key: tuple[str, str], design: str) -> Any:
    """Ask a function about data of a kind."""
    how = {"alternative": "greater"} if design == "one_sided" else {}
    return CALLS[key](*make(key, design), **how)


def read(found: Any) -> dict[str, Any]:
    """Return the numbers and notes of a result, without the time and the seed."""
    values = dict(found.to_dict())
    for name in ("made", "preset", "focus"):
        values.pop(name, None)
    return values


CASES = [(key, design, said) for key, row in TABLE.items() for design, said in row.items()]
NAMES = [f"{key[1]}-{design}-{said}" for key, design, said in CASES]


@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
@pytest.mark.parametrize(("key", "design", "said"), CASES, ids=NAMES)
def test_each_cell_is_what_the_function_does(key: tuple[str, str], design: str, said: str) -> None:
    if said == "-":
        said = f"{SAID[design]}|{NO_STUDY}" if key in READERS else SAID[design]
        with pytest.raises((rb.InputError, ArgumentError), match=said):
            ask(key, design)
        return
    found = ask(key, design)
    if said != "yes":
        assert getattr(found.method, "name", found.method) == said
    plainest = "folds" if key[0] in ("auc, folds", "views") else "rows"
    if design not in (plainest, "rows", "two_sets", "bins"):
        plain = ask(key, "bins" if design == "weighted_bins" else plainest)
        used = str(read(found)) != str(read(plain))
        assert used is ((key[1], design) not in UNCHANGED)


def test_every_function_of_data_is_in_the_table() -> None:
    assert CALLS.keys() == TABLE.keys(), "a new row of the table needs a recipe here"
    public = [getattr(rb, name) for name in rb.__all__]
    data = ("Data", "Sample", "Models", "ScoreCounts", "Readings")
    taking = {
        one.__name__
        for one in public
        if callable(one)
        and not isinstance(one, type)
        and any(word in str(next(iter(signature(one).parameters.values()), "")) for word in data)
    }
    assert taking - OTHERS.keys() == {function for _, function in TABLE}


def test_the_pages_show_the_table() -> None:
    for path in PAGES:
        assert path.read_text(encoding="utf-8") == page(path), "run tools.make_design_table"


def test_functions_without_methods_are_listed_with_what_they_handle() -> None:
    columns = rb.methods().columns()
    row = columns["function"].index("difference_band")
    assert columns["method"][row] == "-"
    assert columns["handles"][row].startswith("paired, unpaired, clusters, weights")
    assert "2 functions" in str(rb.methods("decision"))


def test_folds_of_an_area_name_the_function_for_them() -> None:
    folded = EXAMPLE["logistic"].replace(folds=ROWS % 5)
    with pytest.raises(rb.InputError, match=r"or use rb\.fold_auc_interval\(\)"):
        rb.auc_interval(folded)

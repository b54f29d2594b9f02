"""The calls: every public function with every method, in every design, on every data set.

Functions, methods, their parameters and the values of these come from the package itself; only
arguments without default, and numbers to try, are written here.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import rocbands as rb
from tests.pins import names
from tests.pins.data import list_forms, make_data, make_rows

Call = Callable[[], Any]
RESAMPLES, SEED = 200, 1
W, CUTS = [0.2, 0.5, 0.8], [0.3, 0.5, 0.6]
# Arguments that a call needs besides its data.
ASKED: dict[str, dict[str, Any]] = {
    "operating_points": {"fpr": [0.1, 0.3]},
    "partial_auc_interval": {"fpr": (0.0, 0.3)},
    "partial_auc_difference": {"fpr": (0.0, 0.3)},
    "compare_tpr": {"fpr": 0.2},
    "mcnemar": {"thresholds": 0.5},
    "cost_interval": {"thresholds": CUTS, "w": W},
    "cost_difference": {"thresholds": (CUTS, CUTS), "w": W},
    "cost_thresholds": {"w": W},
    "rate_bounds": {"rate": [0.1, 0.3]},
    "rate_difference": {"rate": [0.1, 0.3]},
    "net_benefit": {"thresholds": [0.2, 0.5]},
    "net_benefit_difference": {"thresholds": [0.2, 0.5]},
}
ALSO = {"operating_points": {"threshold": CUTS}}  # some methods are for thresholds only
# Values of options, each tried alone; those of words and flags come from the annotations.
NUMBERS: dict[str, Any] = {
    "level": 0.8,
    "null": 0.7,
    "margin": 0.05,
    "prevalence": 0.1,
    "future": (30, 40),
    "severity_ratio": 0.5,
    "at_fpr": 0.2,
}
# Other questions, in place of the arguments in ASKED.
INSTEAD: dict[str, list[dict[str, Any]]] = {
    "operating_points": [
        {"specificity": 0.9},
        {"tpr": [0.5, 0.8]},
        {"sensitivity": 0.8},
        *({"best": best} for best in ("youden", "corner", "eer")),
        {"rate": 0.2},
        {"precision": 0.6},
        {"best": "cost", "costs": (5, 1)},
        {"fpr": 0.2, "test": make_data("one", "untied", "rows")},
        {},
    ],
    "partial_auc_interval": [{"tpr": (0.6, 1.0)}, {"specificity": (0.8, 1.0)}],
    "partial_auc_difference": [{"tpr": (0.6, 1.0)}, {"sensitivity": (0.7, 0.9)}],
    "compare_tpr": [{"specificity": 0.9}, {"fpr": 0.0}],
    "difference_band": [{"fpr": (0.1, 0.5)}, {"specificity": (0.5, 0.9)}],
    "cost_interval": [{"thresholds": 0.5, "costs": (5, 1), "prevalence": 0.1}],
    "cost_difference": [{"thresholds": (0.4, 0.5), "costs": (5, 1), "prevalence": 0.1}],
    "best_threshold": [{"costs": (5, 1), "prevalence": 0.1}],
    "rate_bounds": [{"rate": [0.1, 0.3], "future": (53, 67)}],  # the sizes of the tied rows
    "net_benefit": [{}],
    "net_benefit_difference": [{}],
    "average_curve": [{"view": v} for v in ("pr", "gains", "lift", "det", "cost", "net-benefit")],
    "average_precision_difference": [{"prevalence": 0.3, "level": 0.9}],
    "subgroups": [{"threshold": 0.5}],
    "compare_readers": [
        {"metric": "sensitivity", "threshold": 3},
        {"metric": "specificity", "threshold": 3},
        {"metric": "partial_auc", "fpr": (0.0, 0.4)},
        {"metric": "partial_auc", "tpr": (0.6, 1.0)},
        {"algorithm": "1"},
    ],
    "summary": [{"metrics": ["auc", "average_precision"]}],
}
REPLACED = ("best", "metric")  # words that need other arguments; they stand in INSTEAD
# Data sets and designs for options, by the kind of data that a function takes.
OPTION_FORMS = {
    "folds": (("tied", "folds"), ("untied", "folds, clusters"), ("votes", "folds, weights")),
    "classes": (("classes", "rows"), ("tied classes", "clusters")),
    "readers": (("factorial", "rows"), ("incomplete", "rows"), ("clusters", "clusters")),
}
USUAL_FORMS = (("tied", "rows"), ("untied", "clusters"), ("tied", "class weights"))
VARIANT_FORMS = (("tied", "rows"), ("votes", "rows"), ("untied", "folds"))
KINDS = {  # of data, where the signature does not say it
    "fold_auc_interval": "folds",
    "average_curve": "folds",
    "compare_many": "many",
    "class_bands": "classes",
    "compare_readers": "readers",
}
# Public functions that are no question about data; others.py calls them.
OTHERS = (
    *("count_scores", "fold_numbers", "ipcw", "load_example", "methods"),
    *("operating_condition", "reader_study_size", "report", "sample_size"),
)


def list_calls() -> Iterator[tuple[str, Call]]:
    """List the questions about data with their keys: function | method | design | data | options.

    The functions, their methods and what these handle come from the package's registry.
    """
    methods = names.list_methods()
    for function in [name for name in names.list_functions() if name not in OTHERS]:
        kind, base, known = find_kind(function), ASKED.get(function, {}), methods.get(function, [])
        every = [handles for word, _, handles in known if not word] or [row[2] for row in known]
        own = set().union(*every) if every else None
        for word, method, handles in [("", None, own), *(row for row in known if row[0])]:
            name = partial(name_call, function, word, method)
            for data, design in list_forms(kind, own and own & handles):
                yield name(design, data, base, "")
                if function in ALSO:
                    yield name(design, data, ALSO[function])
            forms = OPTION_FORMS.get(kind, USUAL_FORMS)
            if kind != "folds" and "folds" in (handles or ()):
                forms = (*forms, ("tied", "folds"))
            for (data, design), options in product(forms, list_options(function)):
                yield name(design, data, options)
            forms = OPTION_FORMS.get(kind, VARIANT_FORMS)
            for changed, (data, design) in product(list_variants(method), forms):
                shown = write_options(changed.parameters)
                yield name_call(function, word, changed, design, data, base, shown)


def find_kind(function: str) -> str:
    """Tell what data a function takes: one model, two, many, folds, classes or readers."""
    two = "y_score_1" in inspect.signature(names.function_of(function)).parameters
    return KINDS.get(function, "two" if two else "one")


def write_options(options: Mapping[str, Any]) -> str:
    """Write options as a part of a key."""
    shown = {name: "rows" if name == "test" else value for name, value in options.items()}
    return " ".join(f"{name}={value}" for name, value in shown.items() if name != "n_resamples")


def name_call(
    function: str,
    word: str,
    method: Any,
    design: str,
    data: str,
    options: Mapping[str, Any],
    shown: str | None = None,
) -> tuple[str, Call]:
    """Return the key of a call, and the call."""
    written = (write_options(options) or "no options") if shown is None else shown
    key = " | ".join((function, word, design, data, written))
    return key, partial(call_function, function, method, design, data, options)


def call_function(
    function: str, method: Any, design: str, data: str, options: Mapping[str, Any]
) -> Any:
    """Call a function, with a seed and few resamples if it draws."""
    called, given = names.function_of(function), dict(options)
    parameters = inspect.signature(called).parameters
    if function == "subgroups":
        given["by"] = make_rows(data)["sex"] if design == "rows" else "sex"
    if "rng" in parameters:
        given["rng"] = SEED
    if method is not None:
        given["method"] = method if method != type(method)() else method.name
    draws = method is None or "n_resamples" in method.parameters
    asks = "n_resamples" in parameters
    if asks and (draws or parameters["n_resamples"].default is not None):
        given["n_resamples"] = RESAMPLES
    rows = make_data(find_kind(function), data, design)
    try:
        return called(*rows, **given)
    except rb.InputError as problem:
        if "n_resamples" not in str(problem):
            raise
    del given["n_resamples"]  # the default method does not draw
    return called(*rows, **given)


def list_options(function: str) -> Iterator[dict[str, Any]]:
    """List options that differ from the defaults, each with the arguments that a call needs."""
    called, base = names.function_of(function), ASKED.get(function, {})
    hints = get_type_hints(inspect.unwrap(called))
    for name, parameter in inspect.signature(called).parameters.items():
        if name == "rng" or name in REPLACED:
            continue
        values = list_values(hints[name], parameter.default)
        if name in NUMBERS and name not in base:
            values.append(NUMBERS[name])
        if rb.cost.ShareLaw in get_args(hints[name]):
            values.append(rb.cost.ShareLaw(0.05))
        yield from (base | {name: value} for value in values)
    yield from INSTEAD.get(function, [])


def list_values(hint: Any, default: Any) -> list[Any]:
    """List the words of a Literal, or the flags, that are not the default."""
    if hint is bool:
        return [not default]
    if get_origin(hint) is Literal:
        return [word for word in get_args(hint) if word != default]
    return [
        v for part in get_args(hint) if part is not NoneType for v in list_values(part, default)
    ]


def list_variants(method: Any) -> Iterator[Any]:
    """List the method with each of its parameters changed."""
    if method is None:
        return
    few = {"n_resamples": RESAMPLES} if "n_resamples" in method.parameters else {}
    hints = get_type_hints(type(method))
    for name, value in method.parameters.items():
        for other in list_values(hints[name], value):
            yield dataclasses.replace(method, **few, **{name: other})

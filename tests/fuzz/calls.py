"""Random calls of every public function, with ordinary and with hostile arguments.

Functions and their arguments are taken from the package itself: a new function is called from the
day it is public, with values chosen by the names and types of its arguments. Data come in every
form that a function takes: labels and scores, samples, curves and counts. A case is known by its
seed.
"""

from __future__ import annotations

import dataclasses
import inspect
import random
import re
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

import numpy as np

import rocbands as rb
from rocbands._methods import known_methods
from tests.fuzz.data import (
    ANYTHING,
    Draw,
    Recipe,
    build,
    draw_classes,
    draw_counts,
    draw_curve,
    draw_design,
    draw_sample,
    dress,
    show,
)
from tests.fuzz.invariants import expect

# Not called here: what reads files (tests/fuzz/files.py), needs an estimator or takes long.
LEFT_OUT = {"count_scores", "fold_numbers", "load_example", "report"}
QUESTIONS = {
    "auc_interval": ("auc", "METHODS"),
    "compare": ("comparison", "METHODS"),
    "cost_difference": ("cost", "METHODS"),
    "cost_interval": ("cost", "METHODS"),
    "fold_auc_interval": ("auc", "FOLD_METHODS"),
    "operating_points": ("points", "METHODS"),
    "partial_auc_interval": ("auc", "PARTIAL_METHODS"),
    "pr_band": ("bands", "METHODS"),
    "rate_bounds": ("rates", "METHODS"),
    "roc_band": ("bands", "METHODS"),
    "roc_bands": ("bands", "METHODS"),
    "subgroups": ("bands", "METHODS"),
}

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.95, 0.99, 0.999, 0.9999, 1e-6, 1e-9, 1 - 1e-9, 0.01)
SIZES = (1, 2, 3, 10, 57, 1000, 10**6, 10**9, 10**15, 10**16)
RATES = (0.0, 1e-12, 0.001, 0.05, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12, 1.0)


def _rates(r: random.Random) -> Any:
    return r.choice([r.choice(RATES), [r.choice(RATES) for _ in range(r.randint(1, 4))]])


def _range(r: random.Random) -> Any:
    return tuple(sorted((r.choice(RATES), r.choice(RATES))))


def _positive_numbers(r: random.Random) -> Any:
    return r.choice((1e-300, 1e-12, 0.01, 0.5, 1, 3, 1e6, 1e300))


def _thresholds(r: random.Random) -> Any:
    return r.choice((0.0, [0.0, 1.0], np.inf))


# By the name of an argument: how an ordinary value is drawn.
ORDINARY: dict[str, Callable[[random.Random], Any]] = {
    "level": lambda r: r.choice(LEVELS),
    "null": lambda r: r.choice(RATES),
    "margin": lambda r: r.choice((None, 0, 0.01, 0.1, 0.9)),
    "n_resamples": lambda r: r.choice((None, 20, 99, 99, 200, 200, 200, 200, 10**7)),
    "rng": lambda r: r.choice(
        ("data", 1, 1, 2, None, np.random.default_rng(3), np.random.SeedSequence(4))
    ),
    "future": lambda r: r.choice((None, (r.choice(SIZES), r.choice(SIZES)))),
    "prevalence": lambda r: r.choice((None, *RATES)),
    "joint": lambda r: r.random() < 0.5,
    "corrected": lambda r: r.random() < 0.5,
    "simultaneous": lambda r: r.random() < 0.5,
    "rate": _rates, "fpr": _rates, "specificity": _rates, "tpr": _rates, "sensitivity": _rates,
    "precision": _rates, "w": _rates,
    "c_fn": _positive_numbers, "c_fp": _positive_numbers,
    "costs": lambda r: (_positive_numbers(r), _positive_numbers(r)),
    "threshold": lambda r: r.choice((0.0, [0.0, 1.0], np.inf, -np.inf)),
    "thresholds": _thresholds,
    "classes": lambda r: r.choice((None, [0, 1, 2], ["a", "b"])),
    "auc": lambda r: r.choice((0.5, 0.6, 0.8, 0.99, 1 - 1e-9, 1.0)),
    "width": lambda r: r.choice((1e-9, 0.01, 0.1, 0.9)),
    "band_width": lambda r: r.choice((1e-4, 0.1, 0.4)),
    "against": lambda r: r.choice((0.5, 0.7)),
    "other": lambda r: r.choice((0.5, 0.7)),
    "correlation": lambda r: r.choice((0.0, 0.5, 0.99, -1.0)),
    "ratio": lambda r: r.choice((1.0, 3, 1e-300, 1e-6, 1e6, 1e300)),
    "power": lambda r: r.choice((None, 0.8, 0.99, 1 - 1e-9)),
    "question": lambda r: r.choice((None, "bands", "auc")),
    "at": lambda r: r.choice((0.0, 0.5, 1.0, 3.0)),
}  # fmt: skip
# Where a function means something else by the name.
OF_FUNCTION: dict[tuple[str, str], Callable[[random.Random], Any]] = {
    **{
        (function, name): _range
        for function in ("partial_auc_interval", "difference_band", "subgroups")
        for name in ("fpr", "specificity", "tpr", "sensitivity")
    },
    **{("compare_tpr", name): lambda r: r.choice(RATES) for name in ("fpr", "specificity")},
    ("subgroups", "threshold"): lambda r: r.choice((None, 0.0, np.inf)),
}

# Of each of these, a call takes exactly one.
EXCLUSIVE = {
    "operating_points": (
        "fpr", "specificity", "tpr", "sensitivity", "threshold", "rate", "precision", "best",
    ),
    "partial_auc_interval": ("fpr", "fpr", "specificity", "tpr", "sensitivity"),
    "compare_tpr": ("fpr", "specificity"),
    "difference_band": ("fpr", "specificity"),
    "cost_interval": ("w", "costs"),
    "cost_difference": ("w", "costs"),
    "sample_size": ("width", "against", "other", "band_width"),
}  # fmt: skip


def draw_method(r: random.Random, function: str) -> Any:
    """A method by name, or one with some parameters changed."""
    question, table = QUESTIONS[function]
    known = known_methods(question, table)
    name = r.choice(list(known))
    if r.random() < 0.6:
        return name
    fields = {}
    for field in dataclasses.fields(known[name]):
        usual = field.default
        if r.random() < 0.5 and field.name != "n_resamples":
            continue
        if isinstance(usual, bool):
            fields[field.name] = r.choice((True, True, True, False, False, "no"))
        elif field.name in ORDINARY and not isinstance(usual, str):
            value = ORDINARY[field.name](r)
            fields[field.name] = usual if value is None else value
        elif isinstance(usual, str):
            words = _choices(known[name], field.name) or (usual,)
            fields[field.name] = r.choice((*words, *words, *words, "nonsense"))
    return Recipe(f"{name}({show(fields)})", lambda: known[name](**fields))


def _choices(method: type, field: str) -> tuple[str, ...]:
    """Words that the annotation of a field lists."""
    text = inspect.getdoc(method) or ""
    found = re.search(rf"^{field} : \{{([^}}]*)\}}", text, re.MULTILINE)
    return tuple(re.findall(r"'([^']*)'", found[1])) if found else ()


def list_functions() -> list[str]:
    """Return the public functions that are called here."""
    return sorted(
        name
        for name in rb.__all__
        if name not in LEFT_OUT and inspect.isfunction(getattr(rb, name))
    )


def draw_call(seed: int) -> tuple[str, Callable[[], Any]]:
    """Return what is called, in words, and the call."""
    r = random.Random(seed)
    names = list_functions()
    weights = [8 if name == "roc_band" else 3 if name in QUESTIONS else 1 for name in names]
    (name,) = r.choices(names, weights)
    function = getattr(rb, name)
    draw, hostile = Draw.new(r), r.random() < 0.25
    parameters = dict(inspect.signature(function).parameters)
    data, given = draw_data(draw, name, parameters)
    one = r.choice(EXCLUSIVE.get(name, ("",)))
    for parameter in parameters.values():
        if parameter.name in DATA:
            continue
        exclusive = parameter.name in EXCLUSIVE.get(name, ())
        if exclusive and parameter.name != one and r.random() > 0.03:
            continue
        value = _draw_argument(r, name, parameter, certain=exclusive)
        if value is not inspect.Parameter.empty:
            given.setdefault(parameter.name, value)
    if hostile and (data or given):
        place = r.choice([*range(len(data)), *given, *given, *given])
        if isinstance(place, int):
            data[place] = r.choice(ANYTHING)
        else:
            given[place] = r.choice(ANYTHING)

    def call() -> Any:
        made = {key: build(value) for key, value in given.items()}
        return function(*map(build, data), **made)

    shown = {f"<{place}>": value for place, value in enumerate(data)}
    return f"rb.{name}({show(shown | given)})", call


# Arguments that are data, or go with one form of data.
DATA = ("y_true", "y_score", "y_score_1", "y_score_2", "sample", "positive", "time", "event", "by")


def draw_data(
    draw: Draw, function: str, parameters: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Draw the data of a call in one of the forms that the function takes, and what goes with it."""
    r = draw.r
    if "sample" in parameters:
        folds = ("folds",) if function == "fold_auc_interval" else ()
        models = r.choice((1, 1, 1, 2) if folds else (2, 2, 3, 3, 1))
        return [draw_sample(draw, models=models, design=folds)], {}
    if "multi_class" in parameters:
        return _draw_classes(draw), {}
    if "time" in parameters:
        times = [r.choice((0.0, 0.5, 1.0, 2.0, r.random(), r.random())) for _ in range(draw.size)]
        return [dress(r, times), dress(r, draw.labels)], {}
    if "y_true" not in parameters:
        return [], {}
    if "y_score_1" in parameters:
        return _draw_two(draw, function)
    return _draw_one(draw, function, parameters)


def _draw_classes(draw: Draw) -> list[Any]:
    """Draw labels of several classes and their scores, or a sample of them."""
    labels, scores = draw_classes(draw)
    given = {"y_true": labels, "y_score": scores}
    if draw.r.random() < 0.6:
        return [labels, scores]
    design = ("groups", "weights", "strata")
    given |= {name: column for name, column in draw_design(draw).items() if name in design}
    words = f"rb.Sample.of_classes({show(given)})"
    return [Recipe(words, lambda: rb.Sample.of_classes(**given))]


def _draw_one(
    draw: Draw, function: str, parameters: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Draw the data of one model."""
    r, more = draw.r, {}
    if "by" in parameters and r.random() < 0.9:
        more["by"] = draw.codes(r.choice((2, 2, 3)))
    if "test" in parameters and r.random() < 0.1:
        other = draw.again()
        more["test"] = r.choice((draw_sample(other), draw_curve(other)))
    form = r.choices(("rows", "sample", "curve", "counts"), (5, 4, 1, 1))[0]
    if form == "curve":
        return [draw_curve(draw)], more
    if form == "counts":
        if r.random() < 0.8:
            more.pop("by", None)
        return [draw_counts(draw)], more
    if form == "sample":
        if "by" in more and r.random() < 0.5:
            more["by"] = r.choice(("sex", "é", ""))
            return [draw_sample(draw, design=("keep",))], more
        return [draw_sample(draw, models=r.choice((1,) * 12 + (2,)))], more
    scores = draw.scores()
    if function == "net_benefit":
        scores = dress(r, [r.choice((0.0, 1.0, r.random())) for _ in range(draw.length)])
    return [dress(r, draw.labels), scores], more | draw.positive()


def _draw_two(draw: Draw, function: str) -> tuple[list[Any], dict[str, Any]]:
    """Draw the data of two models, and thresholds for each."""
    r, names, more = draw.r, ("a", "b"), {}
    form = r.choices(("rows", "sample", "two", "curves"), (4, 4, 2, 1))[0]
    if function in ("cost_difference", "mcnemar"):
        several = function == "cost_difference"
        one, two = (_thresholds(r) if several else r.choice((0.0, 1.0, np.inf)) for _ in names)
        more["thresholds"] = one, two
        if r.random() < 0.1:
            more["thresholds"] = dict(zip(names, (one, two), strict=True))
    if form == "sample":
        return [draw_sample(draw, models=r.choice((2,) * 12 + (1, 3)))], more
    if form == "two":
        return [draw_sample(draw), draw_sample(draw.again())], more
    if form == "curves":
        return [r.choice((draw_curve, draw_counts))(one) for one in (draw, draw.again())], more
    scores = [draw.scores(), draw.scores()]
    if function == "net_benefit_difference":
        scores = [dress(r, [r.random() for _ in range(draw.length)]) for _ in names]
    return [dress(r, draw.labels), *scores], more | draw.positive()


def _draw_argument(
    r: random.Random, function: str, parameter: inspect.Parameter, *, certain: bool
) -> Any:
    name = parameter.name
    needed = parameter.default is inspect.Parameter.empty
    if name == "method" and function in QUESTIONS:
        return draw_method(r, function) if r.random() < 0.8 else inspect.Parameter.empty
    if not (certain or needed or r.random() < 0.3):
        return inspect.Parameter.empty
    choices = _list_words(function, parameter)
    if (function, name) in OF_FUNCTION:
        return OF_FUNCTION[function, name](r)
    if choices:
        return r.choice(choices)
    if name in ORDINARY:
        return ORDINARY[name](r)
    return r.choice(ANYTHING) if needed else inspect.Parameter.empty  # not known here


def _list_words(function: str, parameter: inspect.Parameter) -> tuple[Any, ...]:
    """Return the words that the type of an argument lists, if it lists any."""
    names = inspect.unwrap(getattr(rb, function)).__globals__
    try:
        kind = eval(str(parameter.annotation), dict(names))
    except (NameError, TypeError):  # of a type that is imported for type checkers only
        return ()
    kinds = [kind, *get_args(kind)]
    if parameter.name == "rng":
        return ()
    return tuple(word for each in kinds if get_origin(each) is Literal for word in get_args(each))


def try_one(seed: int) -> str:
    """Make the call of this seed, check what it gives, and return 'result' or 'refused'."""
    words, call = draw_call(seed)
    try:
        outcome, _ = expect(call)
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        problem.add_note(words)
        raise
    return outcome

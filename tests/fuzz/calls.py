"""Random calls of every public function, with ordinary and with hostile arguments.

Functions and their arguments are taken from the package itself: a new function is called from the
day it is public, with values chosen by the names of its arguments. A case is known by its seed.
"""

from __future__ import annotations

import dataclasses
import decimal
import fractions
import inspect
import random
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import rocbands as rb
from rocbands._methods import known_methods
from tests.fuzz.invariants import expect

# Not called here: what reads files (tests/fuzz/files.py), needs an estimator or takes long.
LEFT_OUT = {"count_scores", "fold_numbers", "fold_scores", "load_example", "report", "tabulate"}
QUESTIONS = {
    "auc_interval": ("auc", "METHODS"),
    "compare": ("comparison", "METHODS"),
    "cost_difference": ("cost", "METHODS"),
    "cost_interval": ("cost", "METHODS"),
    "fold_auc_interval": ("auc", "FOLD_METHODS"),
    "operating_points": ("points", "METHODS"),
    "partial_auc_interval": ("auc", "PARTIAL_METHODS"),
    "rate_bounds": ("rates", "METHODS"),
    "roc_band": ("bands", "METHODS"),
}

# Anything at all: every argument gets one of these now and then.
ANYTHING: tuple[Any, ...] = (
    None, "", "no", "nan", 0, -1, 1, 2, 0.0, -0.0, 0.5, 1.0, 5e-324, 1e-300, 1e-17, 1e-12, 1e-9,
    1 - 1e-16, 1 - 1e-9, 1e300, float("nan"), float("inf"), -float("inf"), 10**30, 10**400,
    True, False, b"x", [], [0.1], (0, 1), (0.1, 0.1), {}, object(), np.nan, np.float32(0.5), np.int8(1),
    np.array(0.5), np.array([]), np.array([[0.1, 0.2]]), decimal.Decimal("0.9"),
    fractions.Fraction(9, 10), pd.NA, pd.NaT, "\ud800", "=1+1", "$x_$", 1j, "0.95",
)  # fmt: skip
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.95, 0.99, 0.999, 0.9999, 1e-6, 1e-9, 1 - 1e-9, 0.01)
SIZES = (1, 2, 3, 10, 57, 1000, 10**6, 10**9, 10**15, 10**16)
RATES = (0.0, 1e-12, 0.001, 0.05, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12, 1.0)


def _rates(r: random.Random) -> Any:
    return r.choice([r.choice(RATES), [r.choice(RATES) for _ in range(r.randint(1, 4))]])


def _positive_numbers(r: random.Random) -> Any:
    return r.choice((1e-300, 1e-12, 0.01, 0.5, 1, 3, 1e6, 1e300))


# By the name of an argument: how an ordinary value is drawn.
ORDINARY: dict[str, Callable[[random.Random], Any]] = {
    "level": lambda r: r.choice(LEVELS),
    "alternative": lambda r: r.choice(("two-sided", "less", "greater")),
    "null": lambda r: r.choice(RATES),
    "margin": lambda r: r.choice((None, 0, 0.01, 0.1, 0.9)),
    "n_resamples": lambda r: r.choice((None, 20, 99, 99, 200, 200, 200, 200, 10**7)),
    "rng": lambda r: r.choice((1, 1, 2, None, np.random.default_rng(3), np.random.SeedSequence(4))),
    "future": lambda r: r.choice((None, (r.choice(SIZES), r.choice(SIZES)))),
    "prevalence": lambda r: r.choice((None, *RATES)),
    "names": lambda r: r.choice((None, ("a", "b"), ("=x", "$y_$"), ("a", "a"))),
    "paired": lambda r: r.random() < 0.8,
    "joint": lambda r: r.random() < 0.5,
    "corrected": lambda r: r.random() < 0.5,
    "simultaneous": lambda r: r.random() < 0.5,
    "sampling": lambda r: r.choice((None, "full", "stratified")),
    "scheme": lambda r: r.choice((None, "stratified", "full", "pooled")),
    "of": lambda r: r.choice(("accuracy", "sensitivity", "specificity")),
    "best": lambda r: r.choice(("youden", "cost", "closest")),
    "rate": _rates, "rates": lambda r: r.choice((None, _rates(r))),
    "w": _rates,
    "c_fn": _positive_numbers, "c_fp": _positive_numbers,
    "costs": lambda r: (_positive_numbers(r), _positive_numbers(r)),
    "threshold": lambda r: r.choice((0.0, [0.0, 1.0], np.inf, -np.inf)),
    "threshold_1": lambda r: r.choice((0.0, 0.5, np.inf)),
    "thresholds": lambda r: r.choice((0.0, [0.0, 1.0], np.inf)),
    "thresholds_1": lambda r: r.choice((0.0, [0.0, 1.0], np.inf)),
    "thresholds_2": lambda r: r.choice((0.0, [0.0, 1.0], np.inf)),
    "auc": lambda r: r.choice((0.5, 0.6, 0.8, 0.99, 1 - 1e-9, 1.0)),
    "width": lambda r: r.choice((1e-9, 0.01, 0.1, 0.9)),
    "band_width": lambda r: r.choice((1e-4, 0.1, 0.4)),
    "against": lambda r: r.choice((0.5, 0.7)),
    "other": lambda r: r.choice((0.5, 0.7)),
    "correlation": lambda r: r.choice((0.0, 0.5, 0.99, -1.0)),
    "ratio": lambda r: r.choice((1.0, 3, 1e-300, 1e-6, 1e6, 1e300)),
    "power": lambda r: r.choice((None, 0.8, 0.99, 1 - 1e-9)),
    "variance": lambda r: r.choice((None, "hanley-mcneil", "binormal", "obuchowski")),
    "question": lambda r: r.choice((None, "bands", "auc")),
    "repeats": lambda r: r.choice((None, 1, 2)),
}  # fmt: skip


CLASSES = ((0, 1), (0, 1), (0, 1), (-1, 1), (False, True), ("a", "b"), (0.0, 1.0), (1, 2))


# Of each of these, a call takes exactly one.
EXCLUSIVE = {
    "operating_points": ("fpr", "tpr", "threshold", "rate", "best"),
    "cost_interval": ("w", "costs"),
    "cost_difference": ("w", "costs"),
    "sample_size": ("width", "against", "other", "band_width"),
}


def draw_labels(r: random.Random, size: int, two: tuple[Any, Any] = (0, 1)) -> list[Any]:
    """Two classes, or something that has not two."""
    share = r.choice((0.5, 0.5, 0.1, 0.9))
    labels = [two[r.random() < share] for _ in range(size)]
    if r.random() < 0.95 and size > 1:
        labels[0], labels[1] = two
    if r.random() < 0.04:
        labels[-1] = r.choice((None, float("nan"), 7, "c", {}, [], pd.NA, 10**400))
    return labels


def draw_scores(r: random.Random, size: int) -> list[Any]:
    """Scores of every kind: untied, tied, all alike, infinite, of extreme size."""
    kind = r.randrange(8)
    if kind <= 2:
        scores: list[Any] = [r.gauss(0, 1) for _ in range(size)]
    elif kind <= 4:
        scores = [float(r.randint(-2, 2)) for _ in range(size)]
    elif kind == 5:
        scores = [1.0] * size
    elif kind == 6:
        scores = [2**53 + r.randint(0, 3) for _ in range(size)]
    else:
        odd = (np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, 1.0, 1.0 + 2**-52)
        scores = [r.choice(odd) for _ in range(size)]
    if r.random() < 0.04:
        scores[-1] = r.choice((None, float("nan"), "x", 1j, [], pd.NA, 10**400, True))
    return scores


def dress(r: random.Random, values: list[Any]) -> Any:
    """Put a column into one of the containers that people have."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return r.choice(CONTAINERS)(values)
    except Exception:  # the container refuses these values: a list takes everything
        return values


def _read_only(values: list[Any]) -> Any:
    array = np.asarray(values)
    array.flags.writeable = False
    return array


CONTAINERS: tuple[Callable[[list[Any]], Any], ...] = (
    np.asarray,
    np.asarray,
    np.asarray,
    list,
    tuple,
    pd.Series,
    pl.Series,
    pa.array,
    lambda values: np.asarray(values, dtype=object),
    lambda values: np.repeat(np.asarray(values), 2)[::2],
    lambda values: np.asarray(values).astype(np.asarray(values).dtype.newbyteorder(">")),
    lambda values: np.asarray(values).astype(np.float16),
    lambda values: np.asarray(values).astype(np.longdouble),
    _read_only,
)


def draw_method(r: random.Random, function: str) -> Any:
    """A method by name, or a function that makes one with some parameters changed."""
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
    return partial(known[name], **fields)  # made when it is called: it may be refused


def _choices(method: type, field: str) -> tuple[str, ...]:
    """Words that the annotation of a field lists."""
    text = inspect.getdoc(method) or ""
    found = re.search(rf"^{field} : \{{([^}}]*)\}}", text, re.MULTILINE)
    return tuple(re.findall(r"'([^']*)'", found[1])) if found else ()


def draw_call(seed: int) -> tuple[str, Callable[[], Any]]:
    """Return what is called, in words, and the call."""
    r = random.Random(seed)
    names = sorted(
        name
        for name in rb.__all__
        if name not in LEFT_OUT and inspect.isfunction(getattr(rb, name))
    )
    weights = [8 if name == "roc_band" else 3 if name in QUESTIONS else 1 for name in names]
    (name,) = r.choices(names, weights)
    function = getattr(rb, name)
    size = r.choice((2, 3, 5, 8, 20, 60, 60, 200))
    two = r.choice(CLASSES)
    labels, hostile = draw_labels(r, size, two), r.random() < 0.3
    given: dict[str, Any] = {}
    one = r.choice(EXCLUSIVE.get(name, ("",)))
    for parameter in inspect.signature(function).parameters.values():
        value = _draw_argument(r, name, parameter, labels, size)
        if parameter.name in EXCLUSIVE.get(name, ()):
            value = inspect.Parameter.empty
            if parameter.name == one or r.random() < 0.03:
                value = ORDINARY.get(parameter.name, _rates)(r)
        if value is not inspect.Parameter.empty:
            given[parameter.name] = value
    if "positive" in inspect.signature(function).parameters and (two[1] in ("b", 2)):
        given["positive"] = two[1]
    if hostile and given:
        given[r.choice(list(given))] = r.choice(ANYTHING)
    if "y_score" in given and name != "roc_curve" and r.random() < 0.1:
        _use_counts(r, given)

    def call() -> Any:
        method = given.get("method")
        made = {"method": method()} if isinstance(method, partial) else {}
        return function(**{**given, **made})

    return f"rb.{name}({_show(given)})", call


def _draw_argument(  # noqa: PLR0911 - one return for each kind of argument
    r: random.Random, function: str, parameter: inspect.Parameter, labels: list[Any], size: int
) -> Any:
    name = parameter.name
    length = size if r.random() < 0.98 else size + 1
    if name in ("y_true", "y_valid"):
        return dress(r, labels)
    if name == "y_true_2":
        return dress(r, draw_labels(r, size)) if r.random() < 0.1 else None
    if name.startswith(("y_score", "score_valid")) and name != "y_scores":
        return dress(r, draw_scores(r, length))
    if name == "y_scores":
        models = ("a", "b", "=c")[: r.randint(1, 3)]
        return {model: dress(r, draw_scores(r, length)) for model in models}
    if name in ("groups", "folds"):
        units = max(1, size // r.choice((1, 2, 5, 10)))
        column = [r.randrange(units) for _ in range(length)]
        return dress(r, column) if r.random() < 0.1 or function == "fold_auc_interval" else None
    if name == "method" and function in QUESTIONS:
        return draw_method(r, function)
    if name in ("fpr", "tpr"):
        pair = sorted((r.choice(RATES), r.choice(RATES)))
        if function in ("partial_auc_interval", "difference_band"):
            return tuple(pair) if name == "fpr" or r.random() < 0.1 else None
        return _rates(r) if r.random() < 0.3 or function == "compare_tpr" else None
    if name in ORDINARY and (parameter.default is inspect.Parameter.empty or r.random() < 0.3):
        return ORDINARY[name](r)
    return inspect.Parameter.empty


def _use_counts(r: random.Random, given: dict[str, Any]) -> None:
    """Replace rows by counts, of one score or of bins, which may be large."""
    steps, most = r.randint(1, 6), r.choice((1, 5, 1000, 10**9, 10**14))
    fp, tp = (np.cumsum([r.randint(0, most) for _ in range(steps)]) for _ in range(2))
    try:
        curve = rb.RocCurve.from_counts(
            np.arange(steps, 0.0, -1), fp + 1, tp + 1, bins=r.random() < 0.5
        )
    except rb.InputError:
        return
    given["y_true"] = curve
    del given["y_score"]
    given.pop("positive", None)


def _show(given: dict[str, Any]) -> str:
    parts = []
    for name, value in given.items():
        try:
            text = " ".join(repr(value).split())
        except ValueError:
            text = type(value).__name__
        parts.append(f"{name}={text[:120]}")
    return ", ".join(parts)


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

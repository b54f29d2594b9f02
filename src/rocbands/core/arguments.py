"""Arguments that a public function does not have are explained, never accepted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from rocbands.errors import ArgumentError, arg, warn

P = ParamSpec("P")
R = TypeVar("R")

# What other libraries call an argument: what it is called here.
_ELSEWHERE = {
    "random_state": "rng",
    "seed": "rng",
    "conf_level": "level",
    "confidence": "level",
    "confidence_level": "level",
    "ci": "level",
    "coverage": "level",
    "n_boot": "n_resamples",
    "boot_n": "n_resamples",
    "n_bootstraps": "n_resamples",
    "n_bootstrap": "n_resamples",
    "pos_label": "positive",
    "y_pred": "y_score",
    "y_proba": "y_score",
    "y_prob": "y_score",
    "probas_pred": "y_score",
    "scores": "score",
    "group": "by",
    "rates": "rate",
    "capacity": "rate",
    "thresholds": "threshold",
    "threshold": "thresholds",
    "c_fn": "costs",
    "c_fp": "costs",
    "ppv": "precision",
    "recall": "tpr",
    "fixed_fpr": "fpr",
    "n_positives": "n_pos",
}
# What a sample says, by the names that people try.
_OF_SAMPLE = {
    "groups": "groups",
    "cluster": "groups",
    "clusters": "groups",
    "weights": "weights",
    "sample_weight": "weights",
    "strata": "strata",
    "folds": "folds",
    "repeats": "repeats",
    "rest": "rest",
    "missing": "missing",
    "nan_policy": "missing",
    "na_rm": "missing",
    "keep": "keep",
}


class HasNotes:
    """Data with something to say in each of its results, such as rows that were left out."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What results must say about the data."""
        return ()


def explain(function: Callable[P, R]) -> Callable[P, R]:
    """Explain arguments that a function does not have, or lacks; it accepts what it declares.

    What a sample has to say, such as rows that were left out, is added to the notes of the result.
    """
    check = _build_check(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        check(args, kwargs)
        result = function(*args, **kwargs)
        for data in (*args, *kwargs.values()):
            if isinstance(data, HasNotes) and data.notes:
                result = add_notes(result, data.notes)
        return result

    return call


def explain_constructor(function: Callable[P, R]) -> Callable[P, R]:
    """Explain arguments that a constructor or another method does not have, or lacks."""
    check = _build_check(function)
    bound = int(next(iter(inspect.signature(function).parameters)) in ("self", "cls"))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        check(args[bound:], kwargs)
        return function(*args, **kwargs)

    return call


def _build_check(function: Callable[..., Any]) -> Callable[[tuple[Any, ...], Any], None]:
    """Return what compares the arguments of a call with those that a function declares."""
    own = dict(inspect.signature(function).parameters)
    title = function.__qualname__.removesuffix(".__init__")
    for name in ("self", "cls"):
        own.pop(name, None)
    places = [name for name, each in own.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    needed = {name for name, each in own.items() if each.default is each.empty}

    def check(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        given = {*places[: len(args)], *kwargs}
        if len(given) < len(args) + len(kwargs) or not needed <= given <= own.keys():
            raise _explain(title, own, places, needed - given, args, kwargs)

    return check


def add_notes(result: R, notes: Iterable[str]) -> R:
    """Return a result with further notes before its own; one without notes gets a warning."""
    fields: Mapping[str, Any] = getattr(result, "__dataclass_fields__", {})
    new = tuple(note for note in notes if note not in getattr(result, "notes", ()))
    if "notes" not in fields:
        for note in new:
            warn(note)
        return result
    return replace(result, notes=(*new, *result.notes))  # type: ignore[type-var, attr-defined]


def _explain(
    function: str,
    own: Mapping[str, inspect.Parameter],
    places: list[str],
    missing: set[str],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> ArgumentError:
    """Say what is wrong with the arguments of a call."""
    for name, value in kwargs.items():
        if name not in own:
            return _explain_name(function, name, value, own)
    if len(args) > len(places):
        return _explain_place(function, own, places, args, kwargs)
    for name in places[: len(args)]:
        if name in kwargs:
            return ArgumentError(
                f"{function}() takes {arg(name)} once",
                "it was given by position and by name",
                "Leave one of them out.",
            )
    listed = [name for name in own if name in missing]
    if function == "Sample" and "y_score" in listed:
        return ArgumentError(
            f"Sample() needs labels and scores, {arg('y_true')} and {arg('y_score')}",
            "not both were given",
            "Pass rb.Sample(y_true, y_score); columns of a frame by rb.Sample.from_frame(df, "
            "label=..., score=...), a file by rb.Sample.from_file(path).",
        )
    if listed[0] in ("y_true", "sample") and "." not in function:
        return ArgumentError(
            f"{function}() needs the data", "none were given", "Pass a Sample, for example."
        )
    return ArgumentError(
        f"{function}() needs {' and '.join(map(arg, listed))}",
        "it was not given" if len(listed) == 1 else "they were not given",
        f"Its arguments are {', '.join(own)}.",
    )


def _explain_place(
    function: str,
    own: Mapping[str, inspect.Parameter],
    places: list[str],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> ArgumentError:
    """Say which arguments go by position."""
    further = args[len(places)]
    names = [n for n in own if n not in places and n not in kwargs and n != "positive"]
    if not isinstance(further, str):
        names = [name for name in names if name != "method"] or names
    if places == ["sample"]:
        remedy = f"Pass a Sample: rb.{function}(rb.Sample(y_true, {{name_1: scores_1, ...}}))."
        if function == "fold_auc_interval":
            remedy = f"Pass a Sample: rb.{function}(rb.Sample(y_true, y_score, folds=...))."
    elif not names:
        remedy = "Leave the others out." if places else "Leave it out."
    elif isinstance(further, (str, int, float)):
        remedy = f"Name the others, for example {arg(names[0], further)}."
    else:
        remedy = f"Name the others, which may be {', '.join(names)}."
    what = f"{function}() takes {_count(places)} by position"
    return ArgumentError(what, f"got {len(args)}", remedy)


def _count(places: list[str]) -> str:
    if not places:
        return "no argument"
    return "one argument" if len(places) == 1 else f"{len(places)} arguments ({', '.join(places)})"


def _explain_name(
    function: str, name: str, value: Any, own: Mapping[str, inspect.Parameter]
) -> ArgumentError:
    """Say what an argument that is called otherwise elsewhere is called here."""
    here = _ELSEWHERE.get(name, "")
    makes_sample = _makes_sample(function)
    if makes_sample:
        here = _OF_SAMPLE.get(name, here)
    if "by" in own and "." not in function and name in ("groups", "group", "subgroup", "cluster"):
        here = "by"
    if name == "alpha" and "level" in own:
        good = isinstance(value, float) and 0.0 < value < 1.0
        level = round(1.0 - value, 12) if good else 0.95
        remedy = f"Pass {arg('level', level)}, which is 1 - alpha."
    elif name in ("n_jobs", "n_threads", "workers"):
        remedy = (
            "Leave it out: threads are used where they help, and results do not depend on them."
        )
    elif name == "drop_intermediate":
        remedy = "Leave it out: results keep every score, and pictures leave out what is not seen."
    elif here in own:
        remedy = f"It is called {arg(here)} here."
    else:
        takes_data = makes_sample or ("." not in function and {"y_true", "sample"} & own.keys())
        remedy = _refer_to_sample(function, name, own) if takes_data else ""
    if not remedy:
        close = get_close_matches(name, own)
        close.sort(key=lambda known: sorted(known) != sorted(name))  # the same letters: exchanged
        listed = f"It has {', '.join(own)}." if own else "It has none."
        remedy = f"Did you mean {arg(close[0])}?" if close else listed
    return ArgumentError(f"{function}() has no argument {name!r}", "", remedy)


def _makes_sample(function: str) -> bool:
    """Tell whether a function returns a sample of data that it is given."""
    return function == "Sample" or function.startswith(("Sample.from_", "Sample.of_"))


def _refer_to_sample(function: str, name: str, own: Mapping[str, inspect.Parameter]) -> str:
    """Say how a sample says what an argument was meant for; empty if it is none of these."""
    remedy = ""
    if name == "names":
        remedy = "Name the models in the sample: rb.Sample(y_true, {name_1: scores_1, ...})."
    elif function == "Sample.from_cv_results" and name in ("groups", "weights", "strata", "keep"):
        remedy = f"Add it to the sample that is returned: sample.replace({name}=...)."
    elif _makes_sample(function):
        if name in ("data", "label", "score"):
            remedy = "Columns of a frame: rb.Sample.from_frame(df, label=..., score=...)."
    elif name in _OF_SAMPLE:
        said = _OF_SAMPLE[name]
        given = '"drop"' if said == "missing" else "True" if said == "rest" else "..."
        remedy = f"The sample says it: rb.{function}({_write_sample(own)}, {said}={given}))."
        if name == "folds" and function == "auc_interval":
            remedy += " For folds see rb.fold_auc_interval."
    elif name in ("sample", "sample_1"):
        remedy = f"Pass it first, without a name: rb.{function}(sample)."
    elif name in ("data", "label", "score"):
        remedy = (
            f"Columns of a frame: rb.{function}(rb.Sample.from_frame(df, label=..., score=...))."
        )
    elif name in ("paired", "y_true_2") and "y_score_1" in own:
        remedy = f"Two test sets are two samples: rb.{function}(sample_1, sample_2)."
        if "Data" not in str(own["y_score_1"].annotation):
            remedy = f"Both models score the same rows: rb.{function}(sample) of two models."
    return remedy


def _write_sample(own: Mapping[str, inspect.Parameter]) -> str:
    """Write the beginning of the sample that a function takes."""
    if "multi_class" in own:
        return "rb.Sample.of_classes(y_true, y_score"
    one = "y_score_1" not in own
    return f"rb.Sample(y_true, {'y_score' if one else '{name_1: y_score_1, name_2: y_score_2}'}"

"""Helpful errors for arguments that a public function does not have."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from rocbands.core.names import find_style
from rocbands.errors import ArgumentError, Message, arg, call, warn

P = ParamSpec("P")
R = TypeVar("R")

# Name of an argument here: names in other libraries. Which of `threshold` and `thresholds`, or of
# `rate` and `rates`, is meant depends on the function.
_ELSEWHERE = {
    other: here
    for here, others in {
        "rng": "random_state seed",
        "level": "conf_level confidence confidence_level ci coverage",
        "n_resamples": "n_boot boot_n n_bootstraps n_bootstrap",
        "positive": "pos_label",
        "y_true": "response",
        "y_score": "y_pred y_proba y_prob probas_pred predictor",
        "score": "scores",
        "at": "times",
        "path": "output filename",
        "rate": "rates capacity",
        "capacity": "rate",
        "sensitivity": "sens",
        "specificity": "spec",
        "criterion": "method best",
        "threshold": "thresholds",
        "thresholds": "threshold threshold_probability threshold_probabilities pt",
        "against": "reference ref baseline",
        "costs": "c_fn c_fp",
        "precision": "ppv",
        "tpr": "recall",
        "fpr": "fixed_fpr",
        "n_pos": "n_positives",
    }.items()
    for other in others.split()
}
# Arguments of a sample, by the names that users try.
_OF_SAMPLE = {
    name: name for name in ("clusters", "weights", "strata", "folds", "repeats", "rest", "missing")
} | {
    "keep": "keep",
    "cluster": "clusters",
    "sample_weight": "weights",
    "positive": "positive",
    "nan_policy": "missing",
    "na_rm": "missing",
}
_UNNEEDED = {
    **dict.fromkeys(
        ("n_jobs", "n_threads", "workers"),
        "Leave it out: threads are used where they help, and results do not depend on them.",
    ),
    "drop_intermediate": "Leave it out: results keep every score, and plots omit invisible points.",
}
_UNCOUNTED = (
    "Counts do not say which rows are of one cluster. Pass every row: "
    "rb.Sample(y_true, y_score, clusters=...)."
)
PROPORTIONS = ("sensitivity", "specificity", "tpr", "fpr", "sens", "spec")
NO_PROPORTION = (
    "Sizes are for AUCs, bands and reader studies, not for a sensitivity or specificity. That is a "
    "share p of n cases: its 95% limits are W apart with about n = 15.4 p (1 - p) / W^2 of them, "
    "139 positives for 0.9 and 0.1."
)
_AT_POINTS = (*PROPORTIONS, "threshold", "thresholds", "youden", "best", "precision", "ppv")
# Examples of arguments that must be given.
_NEEDED = {
    "thresholds": f"Pass what decides, chosen on other rows, such as {arg('thresholds', 0.5)}.",
    "columns": (
        "Name the columns of scores by reader and test: case='id', label='ill', "
        "columns={('R1', 'aided'): 'aided_R1', ...}."
    ),
}
# Arguments that a function does not have: what to do instead.
_OF_FUNCTION = {
    **{("sample_size", name): NO_PROPORTION for name in PROPORTIONS},
    ("operating_points", "youden"): f"Pass {arg('best', 'youden')}.",
    ("compare", "metric"): (
        f"It compares AUCs. For others use {call('compare_tpr')}, {call('mcnemar')}, "
        f"{call('average_precision_difference')} or {call('cost_difference')}."
    ),
    ("compare", "test"): (
        f"Tests of AUCs are values of {arg('method')}. McNemar's is "
        f"{call('mcnemar', '..., thresholds=...')}."
    ),
}
# Words for groups of people, besides those of `TWO_MEANINGS`.
_PEOPLE = ("subgroup", "subgroups", "sensitive_features", "protected")
TWO_MEANINGS = ("group", "groups")  # of people, or of rows that depend on each other
FROM_FRAME = "rb.Sample.from_frame(df, label=..., score=...)"
CLASS_COLUMNS = 'rb.class_bands(y_true=df["label"], y_score=df[["class_1", "class_2", ...]])'


def say_both_meanings() -> str:
    """Say what is meant by groups here: one never guesses which of the two a user wants."""
    return (
        f"Rows that depend on each other, such as the lesions of a patient, are {arg('clusters')} "
        "of the sample; groups of people are compared by rb.subgroups(sample, by=...)."
    )


class HasNotes:
    """Data with notes that belong to every result, such as rows that were left out."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that results must repeat."""
        return ()


def explain(function: Callable[P, R]) -> Callable[P, R]:
    """Explain unknown and missing arguments of a function.

    Notes of a sample, such as rows that were left out, are added to the notes of the result.
    """
    checked = explain_constructor(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        result = checked(*args, **kwargs)
        level = kwargs.get("level")
        if isinstance(level, float) and level < 0.5:
            meant = arg("level", round(1.0 - level, 12))
            said = f"A level of {100.0 * level:g}% is very low. Did you mean {meant}?"
            result = add_notes(result, [Message(said)])
        for data in (*args, *kwargs.values()):
            if isinstance(data, HasNotes) and data.notes:
                result = add_notes(result, data.notes)
        return result

    return call


def explain_constructor(function: Callable[P, R]) -> Callable[P, R]:
    """Explain unknown and missing arguments of a constructor or another method."""
    declared = _Declared(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        declared.check(args[declared.bound :], kwargs)
        return function(*args, **kwargs)

    return call


def check_arguments(
    kind: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Explain unknown and missing arguments of a class whose constructor is generated."""
    _declare(kind).check(args, kwargs)


def add_notes(result: R, notes: Iterable[str]) -> R:
    """Return a result with further notes before its own; without a field for them, warn."""
    fields: Mapping[str, Any] = getattr(result, "__dataclass_fields__", {})
    new = tuple(note for note in notes if note not in getattr(result, "notes", ()))
    if "notes" not in fields:
        for note in new:
            warn(note)
        return result
    return replace(result, notes=(*new, *result.notes))  # type: ignore[type-var, attr-defined]


class _Declared:
    """The parameters of a function, to be compared with the arguments of a call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__qualname__.removesuffix(".__init__")
        self.own = dict(inspect.signature(function).parameters)
        self.bound = int(next(iter(self.own), "") in ("self", "cls"))
        for name in ("self", "cls"):
            self.own.pop(name, None)
        self.places = [
            name for name, each in self.own.items() if each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        self.needed = {name for name, each in self.own.items() if each.default is each.empty}
        self.takes_all = any(
            each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in self.own.values()
        )
        self.is_method = "." in self.name
        self.makes_sample = self.name == "Sample" or self.name.startswith(
            ("Sample.from_", "Sample.of_")
        )

    def check(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Raise an error that explains arguments that do not fit."""
        if self.takes_all:
            return
        given = {*self.places[: len(args)], *kwargs}
        twice = len(given) < len(args) + len(kwargs)
        if not twice and self.needed <= given <= self.own.keys():
            return
        for name, value in kwargs.items():
            if name not in self.own:
                remedy = say_both_meanings() if name in TWO_MEANINGS else ""
                remedy = remedy or self._find_remedy(name, value, given)
                remedy = remedy or self._find_for_display(name, value)
                remedy = remedy or self._find_close(name, given)
                raise ArgumentError(f"{self.name}() has no argument {name!r}", "", remedy)
        if len(args) > len(self.places):
            raise self._explain_place(args, kwargs)
        for name in self.places[: len(args)]:
            if name in kwargs:
                raise ArgumentError(
                    f"{self.name}() takes {arg(name)} once",
                    "it was given by position and by name",
                    "Leave one of them out.",
                )
        raise self._explain_missing([name for name in self.own if name in self.needed - given])

    def _explain_missing(self, missing: list[str]) -> ArgumentError:
        """Explain which arguments must be given."""
        if self.name == "Sample" and "y_score" in missing:
            return ArgumentError(
                f"Sample() needs labels and scores, {arg('y_true')} and {arg('y_score')}",
                "not both were given",
                f"Pass rb.Sample(y_true, y_score); columns of a frame by {FROM_FRAME}, a file by "
                "rb.Sample.from_file(path).",
            )
        if missing[0] in ("y_true", "sample") and not self.is_method:
            return ArgumentError(
                f"{self.name}() needs the data", "none were given", "Pass a Sample, for example."
            )
        known = f"Its arguments are {', '.join(self.own)}."
        remedy = next((_NEEDED[name] for name in missing if name in _NEEDED), known)
        if self.name.endswith("Display.from_estimator"):
            display = self.name.split(".")[0]
            remedy = f"For labels and scores: rb.{display}.from_predictions(y_true, y_score)."
        return ArgumentError(
            f"{self.name}() needs {' and '.join(map(arg, missing))}",
            "it was not given" if len(missing) == 1 else "they were not given",
            remedy,
        )

    def _explain_place(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ArgumentError:
        """Explain which arguments may be passed by position."""
        places, further = self.places, args[len(self.places)]
        others = "the others" if places else "it"
        names = [n for n in self.own if n not in (*places, *kwargs, "positive")]
        if not isinstance(further, str):
            names = [name for name in names if name != "method"] or names
        if places == ["sample"]:
            data = "y_score, folds=..." if self.name == "fold_auc_interval" else None
            data = data or "{name_1: scores_1, ...}"
            remedy = f"Pass a Sample: rb.{self.name}(rb.Sample(y_true, {data}))."
        elif not names:
            remedy = f"Leave {others} out."
        elif hasattr(args[0], "columns") and "y_score" in places and isinstance(further, str):
            remedy = f"Columns of a frame: rb.{self.name}({FROM_FRAME})."
        elif isinstance(further, (str, int, float)):
            remedy = f"Name {others}, for example {arg(names[0], further)}."
        else:
            remedy = f"Name {others}, which may be {', '.join(names)}."
        count = {0: "no argument", 1: "one argument"}.get(
            len(places), f"{len(places)} arguments ({', '.join(places)})"
        )
        return ArgumentError(f"{self.name}() takes {count} by position", f"got {len(args)}", remedy)

    def _find_remedy(self, name: str, value: Any, given: set[str]) -> str:
        """Return the name here of another library's argument; empty if it is not known."""
        if name == "pos_label" or (name == "levels" and not isinstance(value, (int, float))):
            name = "positive"  # `levels` of pROC are both labels
        here = self._find_name(name)
        if name == "alpha" and "level" in self.own:
            good = isinstance(value, float) and 0.0 < value < 1.0
            level = round(1.0 - value, 12) if good else 0.95
            return f"Pass {arg('level', level)}, which is 1 - alpha."
        counts = self.name in ("count_scores", "RocCurve.from_counts")
        if name in _UNNEEDED or (counts and name in ("clusters", "cluster")):
            return _UNNEEDED.get(name, _UNCOUNTED)
        if here in self.own:
            some = here == "n_resamples" and "method" in self.own
            which = f", for methods that resample: {call('methods')} lists them" if some else ""
            twice = f"Leave it out: {arg(here)} was given."
            return twice if here in given else f"It is called {arg(here)} here{which}."
        if name == "direction" and {"y_true", "score", "sample"} & self.own.keys():
            return "Larger scores mean more positive: if smaller ones do, negate the scores."
        if self.makes_sample:
            return self._refer_maker(name)
        takes_data = not self.is_method and {"y_true", "sample"} & self.own.keys()
        found = self._refer_elsewhere(name, value) or self._refer_to_sample(name)
        return found if takes_data or found == NO_PROPORTION else ""

    def _find_name(self, name: str) -> str:
        """Return the name here of another library's argument; this function need not have it."""
        here = _ELSEWHERE.get(name, "")
        if {"label", "score"} & self.own.keys():  # names of columns
            here = {"y_true": "label", "y_score": "score"}.get(here or name, here)
        if name in ("cutoff", "cut_off"):
            here = "threshold" if "threshold" in self.own else "thresholds"
        if self.makes_sample:
            return _OF_SAMPLE.get(name, here)
        if "by" in self.own and name in _PEOPLE:
            return here if self.is_method else "by"
        if name == "positive":
            return "classes" if "multi_class" in self.own else name
        return "y_score_1" if here == "y_score" and "y_score_1" in self.own else here

    def _refer_elsewhere(self, name: str, value: Any) -> str:
        """Return the function that answers what an argument asks for; empty if it is not known."""
        if (self.name, name) in _OF_FUNCTION:
            return _OF_FUNCTION[self.name, name]
        if name in ("partial_auc", "max_fpr"):
            good = name == "max_fpr" and isinstance(value, float) and 0.0 < value < 1.0
            ends = (0, value if good else 0.1)
            if self.name == "partial_auc_interval":
                return f"Pass the range: {arg('fpr', ends)}."
            part = f"rb.partial_auc_interval(y_true, y_score, fpr={ends})"
            return f"The area over a range of fpr is {part}."
        if name in _AT_POINTS and "y_score" in self.own:
            here = _ELSEWHERE.get(name, name).rstrip("s")
            asked = "best='youden'" if name == "youden" else f"{here}=..."
            return f"Use {call('operating_points', f'y_true, y_score, {asked}')}."
        if name == "by":
            groups = "rb.subgroups(sample, by=...)"
            shown = f"rb.report({groups})" if self.name == "report" else groups
            return f"Groups of people: {shown}."
        return ""

    def _find_for_display(self, name: str, value: Any) -> str:
        """Return the remedy for a display, whose arguments have the names of scikit-learn."""
        if "Display." not in self.name:
            return ""
        names = {"rng": "random_state", "weights": "sample_weight", "positive": "pos_label"}
        if names.get(name) in self.own:
            return f"It is called {arg(names[name])} here."
        return find_style(name, value, self.own, "display.ax_")

    def _refer_maker(self, name: str) -> str:
        """Return the constructor of a sample that has an argument."""
        if name == "names":
            return "Name the models in the sample: rb.Sample(y_true, {name_1: scores_1, ...})."
        if name == "by" and "keep" in self.own:
            return f"Keep the column by {arg('keep')}; then call rb.subgroups(sample, by=...)."
        if self.name == "Sample.from_cv_results" and name in (
            "clusters",
            "weights",
            "strata",
            "keep",
        ):
            return f"Add it to the sample that is returned: sample.replace({name}=...)."
        return f"Columns of a frame: {FROM_FRAME}." if name in ("data", "label", "score") else ""

    def _refer_to_sample(self, name: str) -> str:
        """Explain how to pass an argument by a sample; empty if a sample does not have it."""
        if name in _OF_SAMPLE:
            said = _OF_SAMPLE[name]
            value = {"missing": '"drop"', "rest": "True"}.get(said, "...")
            remedy = f"The sample says it: rb.{self.name}({self._write_sample()}, {said}={value}))."
            if name == "folds" and self.name == "auc_interval":
                remedy += " For folds see rb.fold_auc_interval."
            return remedy
        if name in ("paired", "y_true_2") and "y_score_1" in self.own:
            if "Data" not in str(self.own["y_score_1"].annotation):
                return f"Both models score the same rows: rb.{self.name}(sample) of two models."
            return f"Two test sets are two samples: rb.{self.name}(sample_1, sample_2)."
        own = f"Pass it first, without a name: rb.{self.name}(sample)."
        frame = f"Columns of a frame: rb.{self.name}({FROM_FRAME})."
        if "by" in self.own:
            made = FROM_FRAME.replace(")", ', keep=["sex"])')
            frame = f'Columns of a frame: rb.{self.name}({made}, by="sex").'
        if "multi_class" in self.own:
            frame = f"A column for each class: {CLASS_COLUMNS}."
        return {
            "names": "Name the models in the sample: rb.Sample(y_true, {name_1: scores_1, ...}).",
            **dict.fromkeys(("sample", "sample_1"), own),
            **dict.fromkeys(("data", "label", "score"), frame),
        }.get(name, "")

    def _write_sample(self) -> str:
        """Write the beginning of the sample that a function takes."""
        if "multi_class" in self.own:
            return "rb.Sample.of_classes(y_true, y_score"
        two = "y_score_1" in self.own
        return f"rb.Sample(y_true, {'{name_1: y_score_1, name_2: y_score_2}' if two else 'y_score'}"

    def _find_close(self, name: str, given: set[str]) -> str:
        """Suggest a similar argument that was not given, or list all."""
        close = [known for known in get_close_matches(name, self.own) if known not in given]
        close.sort(key=lambda known: sorted(known) != sorted(name))  # the same letters: exchanged
        if close:
            return f"Did you mean {arg(close[0])}?"
        return f"It has {', '.join(self.own)}." if self.own else "It has none."


@cache
def _declare(kind: Callable[..., Any]) -> _Declared:
    return _Declared(kind)

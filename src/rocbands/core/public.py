"""What all public functions of labels and scores understand, in one place.

:func:`public` decorates such a function. It then also takes

* several models: `y_score` as a mapping from names to columns, as a frame, or as a 2-D array with
  `names`, or a mapping from names to curves in place of the labels. The function is called for each
  model, and the results are one table. Functions of two or more models take their columns from it.
* ``data=frame, label="outcome", score="risk"``, or a list of scores: columns by their names;
  `groups`, `folds` and the like may then be names too.
* ``missing="drop"``: rows with a missing value are left out, the same ones for all models, and the
  result says how many of each class. By default they are refused, with counts.
* `specificity`, `sensitivity` and `recall` for `fpr` and `tpr`; the answer is in the same words.
* `costs` for `c_fn` and `c_fp`, `capacity` for `rate`, and the other way round.

A name of an argument that is known elsewhere (`random_state`, `alpha`, `n_jobs`) is answered with
what it is called here. Ordinary calls cost one look at the arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import check_choice
from rocbands.core.columns import MissingError, find_missing, split_frame, take_rows
from rocbands.errors import ArgumentError, InputError, arg, warn

P = ParamSpec("P")
T_co = TypeVar("T_co", covariant=True)

_LABELS = ("y_true", "y_valid")
_ONE = ("y_score", "y_prob", "score_valid")
_TWO = (("y_score_1", "y_score_2"), ("y_prob_1", "y_prob_2"))
_MANY = ("y_scores",)
_ROWS = ("groups", "folds", "weights", "strata", "by")  # other columns of the same rows
_SHARED = ("data", "label", "score", "missing", "names")


class Public(Protocol[P, T_co]):
    """A public function: as it is declared, or with what all of them understand."""

    __name__: str
    __doc__: str | None

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


def public(function: Callable[P, T_co]) -> Public[P, T_co]:
    """Let a public function take several models, columns by name, and words of other fields."""
    signature = inspect.signature(function)
    own = signature.parameters
    labels = next((name for name in _LABELS if name in own), None)
    places = [name for name, each in own.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    pair = next((names for names in _TWO if names[0] in own), ())
    scores = next(((name,) for name in _ONE if name in own), pair)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        shared: dict[str, Any] = {}
        spoken: dict[str, str] = {}  # the user's words for arguments
        if not kwargs.keys() <= own.keys():
            takes = (name for name in _SHARED if labels and name in kwargs and name not in own)
            shared = {name: kwargs.pop(name) for name in list(takes)}
            kwargs, spoken = _translate(function.__name__, own, kwargs, labels is not None)
        given = dict(zip(places, args, strict=False))
        wrong = len(args) > len(places) or not given.keys().isdisjoint(kwargs)
        try:
            if labels is None or wrong:  # Python says what is wrong
                return function(*args, **kwargs)
            given |= kwargs
            if scores and not shared and _are_arrays(given, labels, scores):
                try:
                    return function(*args, **kwargs)
                except MissingError as problem:
                    plain = _Call(function, tuple(own), labels, given, shared)
                    raise plain.count_missing(problem, None) from None
            return _Call(function, tuple(own), labels, given, shared).run()
        except InputError as problem:
            if not spoken:
                raise
            raise problem.rename(spoken) from None

    return call


def _are_arrays(given: dict[str, Any], labels: str, scores: tuple[str, ...]) -> bool:
    """Tell whether labels and scores are plain arrays: one model, and nothing to sort out."""
    return {type(given.get(name)) for name in (labels, *scores)} == {np.ndarray}


class _Call:
    """One call of a public function, its arguments by name."""

    def __init__(
        self,
        function: Callable[..., Any],
        own: tuple[str, ...],
        labels: str,
        given: dict[str, Any],
        shared: dict[str, Any],
    ) -> None:
        self.function, self.own, self.labels = function, own, labels
        self.given, self.shared = given, shared
        self.one = next((name for name in _ONE if name in own), None)
        self.two = next((names for names in _TWO if names[0] in own), None)
        self.many = next((name for name in _MANY if name in own), None)
        self.note: str | None = None

    def run(self) -> Any:
        """Sort the arguments, leave out rows if that was asked, and call the function."""
        missing = self.shared.pop("missing", "raise")
        check_choice(missing, ("raise", "drop"), "missing")
        if self.shared.keys() & {"data", "label", "score"}:
            self._take_named_columns()
        models = self._find_models()
        if missing == "drop":
            self._drop_missing(models)
        try:
            if models is None or self.one is None:
                return self._finish(self.function(**self.given))
            return self._call_each(models)
        except MissingError as problem:
            raise self.count_missing(problem, models) from None

    # ---------------------------------------------------------------------------- the models

    def _find_models(self) -> dict[str, Any] | None:
        """Return the models' columns by their names, or None for one model."""
        names = self.shared.pop("names", None)
        if self.two:
            self._take_pair()
            return None
        first = self.given.get(self.labels)
        if self.one and isinstance(first, Mapping) and self.given.get(self.one) is None:
            return _name_all(first, names)
        slot = self.one or self.many
        assert slot is not None, "functions of labels have scores"
        models = _as_models(self.given.get(slot), names)
        if models is None:
            if names is not None:
                raise InputError(
                    "names the columns of a two-dimensional array",
                    f"{arg(slot)} is {type(self.given.get(slot)).__name__}",
                    f"Leave {arg('names')} out, or pass a mapping from names to scores.",
                    argument="names",
                )
            return None
        if self.many:
            self.given[slot] = models
        return models

    def _take_pair(self) -> None:
        """Take both models of a comparison from a mapping, a frame or an array of two columns."""
        assert self.two is not None, "asked for functions of two models"
        first, second = self.two
        if first in self.given and second in self.given and "names" in self.own:
            names = [getattr(self.given[each], "name", None) for each in self.two]
            if all(isinstance(name, str) and name for name in names) and len(set(names)) == 2:
                self.given.setdefault("names", tuple(names))  # two columns of a frame
        if first not in self.given or second in self.given:
            return
        models = _as_models(self.given[first], self.given.get("names"))
        if models is None:
            return
        if len(models) != 2:
            raise InputError(
                "must have two models to compare",
                f"it has {len(models)}: {', '.join(map(repr, models))}",
                "Choose two of them.",
                argument=first,
            )
        self.given[first], self.given[second] = models.values()
        if "names" in self.own:
            self.given.setdefault("names", tuple(models))

    def _call_each(self, models: dict[str, Any]) -> Any:
        """Call the function for each model, and put the results into one table."""
        from rocbands.io.joined import tabulate

        if not models:
            raise InputError(
                "must have at least one model", "it has none", argument=self.one or self.many
            )
        curves = isinstance(self.given[self.labels], Mapping)
        found = {}
        for name, column in models.items():
            given = dict(self.given)
            given[self.labels if curves else str(self.one)] = column
            for argument, value in self.given.items():  # such as thresholds, by model
                if argument not in (self.labels, self.one) and isinstance(value, Mapping):
                    given[argument] = value.get(name, value)
            test = given.get("test")
            if isinstance(test, (tuple, list)) and len(test) == 2:
                others = _as_models(test[1], list(models))
                if others is not None and name in others:
                    given["test"] = (test[0], others[name])
            try:
                found[name] = self._finish(self.function(**given))
            except MissingError:
                raise
            except InputError as problem:
                if len(models) > 1:
                    problem.add_note(f"The model was {name!r}.")
                raise
        return tabulate(found)

    # ------------------------------------------------------------------------ columns by name

    def _take_named_columns(self) -> None:
        """Take the columns that are named from a frame or a mapping."""
        data, label, score = (self.shared.pop(name, None) for name in ("data", "label", "score"))
        if data is None or label is None or score is None:
            raise InputError(
                f"{arg('data')}, {arg('label')} and {arg('score')} go together",
                "not all were given",
                f"Pass, for example, {arg('label', 'outcome')} and {arg('score', 'risk')} with the "
                f"frame as {arg('data')}.",
            )
        columns = data if isinstance(data, Mapping) else split_frame(data)
        if columns is None:
            raise InputError(
                "must be a data frame or a mapping from names to columns",
                f"it is {type(data).__name__}",
                f"For arrays pass {arg(self.labels)} and the scores themselves.",
                argument="data",
            )

        def take(name: Any, what: str) -> Any:
            if not isinstance(name, str) or name not in columns:
                close = get_close_matches(str(name), [str(each) for each in columns], n=1)
                raise InputError(
                    f"must be the name of a column of {arg('data')}",
                    f"got {name!r}",
                    f"Did you mean {close[0]!r}?" if close else f"It has {_list(columns)}.",
                    argument=what,
                )
            return columns[name]

        for name in (self.labels, self.one, self.many, *(self.two or ())):
            if name in self.given:
                raise InputError(
                    f"{arg(str(name))} and {arg('data')} are two ways to pass the same rows",
                    "both were given",
                    "Leave one out.",
                )
        self.given[self.labels] = take(label, "label")
        several = None if isinstance(score, str) else {name: take(name, "score") for name in score}
        if self.two:
            self.given[self.two[0]] = several if several else {score: take(score, "score")}
        elif self.many:
            self.given[self.many] = several if several else {score: take(score, "score")}
        else:
            self.given[str(self.one)] = several if several is not None else take(score, "score")
        for name in _ROWS:
            if isinstance(self.given.get(name), str):
                self.given[name] = take(self.given[name], name)

    # -------------------------------------------------------------------------- missing values

    def _list_columns(self, models: dict[str, Any] | None) -> dict[str, Any]:
        """Return all columns of rows, by what to call them in a message."""
        columns: dict[str, Any] = {}
        for name in (self.labels, *(self.two or ()), *_ROWS):
            if self.given.get(name) is not None:
                columns[name] = self.given[name]
        if models is None and self.one and self.given.get(self.one) is not None:
            columns[self.one] = self.given[self.one]
        for name, column in (models or {}).items():
            columns[f"{self.one or self.many} of {name!r}"] = column
        return columns

    def _drop_missing(self, models: dict[str, Any] | None) -> None:
        """Leave out all rows in which a column has no value, and note how many of each class."""
        columns = self._list_columns(models)
        masks = {name: find_missing(column) for name, column in columns.items()}
        sizes = {name: mask.size for name, mask in masks.items()}
        if len(set(sizes.values())) != 1 or self.given.get("y_true_2") is not None:
            raise InputError(
                f"{arg('missing', 'drop')} needs columns of the same rows",
                f"they have {', '.join(f'{size} ({name})' for name, size in sizes.items())}",
                "Drop the rows before calling.",
            )
        gone = np.logical_or.reduce(list(masks.values()))
        if not gone.any():
            return
        labels = columns[self.labels]
        self.note = f"Left out {_count_classes(labels, masks[self.labels], gone)}: missing values."
        keep = ~gone
        for name in (self.labels, self.one, *(self.two or ()), *_ROWS):
            if name is not None and self.given.get(name) is not None:
                if name == self.one and models is not None:
                    continue
                self.given[name] = take_rows(self.given[name], keep)
        for name in models or ():
            assert models is not None, "there are models"
            models[name] = take_rows(models[name], keep)
        if self.many:
            self.given[self.many] = models

    def count_missing(self, problem: MissingError, models: dict[str, Any] | None) -> InputError:
        """Say how many values are missing in each column, and of which class."""
        columns = self._list_columns(models)
        labels = columns.get(self.labels)
        masks = {name: find_missing(column) for name, column in columns.items()}
        sizes = {mask.size for mask in masks.values()}
        if len(sizes) != 1 or labels is None:
            return problem
        none = masks[self.labels]
        counts = [
            f"{name} {_count_classes(labels, none, mask)}"
            for name, mask in masks.items()
            if mask.any()
        ]
        first = problem.first or problem.found  # a function inside this one may have counted too
        counted = MissingError(
            problem.must,
            f"{first}. In all: {'; '.join(counts)}",
            f"Drop or impute such rows before calling, or pass {arg('missing', 'drop')}.",
            argument=problem.argument,
        )
        counted.first = first
        return counted

    def _finish(self, result: Any) -> Any:
        """Add the note about rows that were left out; a result without notes gets a warning."""
        if self.note is None:
            return result
        if "notes" in getattr(result, "__dataclass_fields__", {}):
            notes = (self.note, *result.notes)
            return replace(result, notes=notes)
        warn(self.note)
        return result


def _as_models(values: Any, names: Iterable[Any] | None) -> dict[str, Any] | None:
    """Return the columns of several models by name, or None for one column."""
    if isinstance(values, Mapping):
        return _name_all(values, names)
    columns = split_frame(values)
    if columns is not None:
        return _name_all(columns, names)
    if names is None or np.ndim(values) != 2:
        return None
    array = np.asarray(values)
    labels = [names] if isinstance(names, str) else list(names)
    if len(labels) != array.shape[1]:
        raise InputError(
            "must name each column of the scores",
            f"there are {len(labels)} names for {array.shape[1]} columns",
            argument="names",
        )
    return _name_all(dict(zip(map(str, labels), array.T, strict=True)), None)


def _name_all(models: Mapping[Any, Any], names: Iterable[Any] | None) -> dict[str, Any]:
    """Return models by names that are text."""
    if names is not None:
        labels = [str(name) for name in names]
        if len(labels) != len(models):
            raise InputError(
                "must name each model",
                f"there are {len(labels)} names for {len(models)} models",
                argument="names",
            )
        return dict(zip(labels, models.values(), strict=True))
    return {str(name): column for name, column in models.items()}


def _count_classes(labels: Any, none: npt.NDArray[np.bool_], rows: npt.NDArray[np.bool_]) -> str:
    """Count rows by their labels, such as '3 of 569 rows (2 'benign', 1 without a label)'."""
    kept = take_rows(labels, rows & ~none)
    found, counts = np.unique(np.asarray(kept).astype(str), return_counts=True)
    parts = [f"{count} of class {str(name)!r}" for name, count in zip(found, counts, strict=True)]
    if (rows & none).any():
        parts.append(f"{np.count_nonzero(rows & none)} without a label")
    return f"{np.count_nonzero(rows)} of {rows.size} rows ({', '.join(parts)})"


def _list(names: Iterable[Any], most: int = 8) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")


# ------------------------------------------------------------------------- names of arguments

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
    "sample_weight": "weights",
    "cluster": "groups",
    "clusters": "groups",
    "y_pred": "y_score",
    "y_proba": "y_score",
    "probas_pred": "y_score",
    "nan_policy": "missing",
    "na_rm": "missing",
    "thresholds": "threshold",
    "ppv": "precision",
    "fixed_fpr": "fpr",
    "n_positives": "n_pos",
}


# Words for one and the same rate, and the words in which operating points then answer.
_RATES = {
    "specificity": ("fpr", "medical"),
    "sensitivity": ("tpr", "medical"),
    "recall": ("tpr", "learning"),
}
_CAPACITY = ("rate", "rates", "capacity")  # the share of cases that is acted on
_COSTS = ("c_fn", "c_fp")


def _translate(
    function: str, own: Mapping[str, Any], kwargs: dict[str, Any], shares: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """Translate other words for arguments; explain names that are unknown.

    Returned with the user's words, by the names of the arguments, for messages.
    """
    found: dict[str, Any] = {}
    spoken: dict[str, str] = {}

    def take(name: str, target: str, value: Any) -> None:
        if target in kwargs or target in found:
            raise ArgumentError(
                f"{arg(name)} and {arg(spoken.get(target, target))} are two names of one argument",
                "both were given",
                "Leave one out.",
            )
        found[target], spoken[target] = value, name

    for name, value in kwargs.items():
        target, words = _RATES.get(name, ("", ""))
        other = next((word for word in _CAPACITY if word in own), "")
        if name in own:
            found[name] = value
        elif target in own:
            take(name, target, _complement(value, name) if name == "specificity" else value)
            if "words" in own:
                found["words"] = kwargs.get("words", words)
        elif name in _CAPACITY and other:
            take(name, other, value)
        elif name == "costs" and set(_COSTS) <= own.keys():
            for cost, one in zip(_COSTS, _read_costs(value), strict=True):
                take(name, cost, one)
        elif name in _COSTS and "costs" in own:
            both = tuple(kwargs.get(cost) for cost in _COSTS)
            if None in both:
                raise ArgumentError(
                    f"{arg('c_fn')} and {arg('c_fp')} go together", f"only {arg(name)} was given"
                )
            if "costs" in kwargs:
                take(name, "costs", both)
            found["costs"] = both
        else:
            raise _explain(function, name, value, own, shares)
    return found, spoken


def _read_costs(costs: Any) -> tuple[Any, Any]:
    """Return the two costs of a pair."""
    try:
        c_fn, c_fp = costs
    except (TypeError, ValueError):
        raise InputError(
            "must be the cost of a false negative and that of a false positive",
            f"got {costs!r}",
            f"Pass, for example, {arg('costs', (10, 1))}.",
            argument="costs",
        ) from None
    return c_fn, c_fp


def _complement(value: Any, name: str) -> Any:
    """Return one minus rates, rounded so that .9 becomes .1; a range turns round."""
    try:
        rates = np.round(1.0 - np.asarray(value, np.float64), 15)
    except (TypeError, ValueError):
        raise InputError(
            "must be numbers between 0 and 1", f"got {value!r}", argument=name
        ) from None
    if ((rates < 0.0) | (rates > 1.0)).any():
        raise InputError("must lie between 0 and 1", f"got {value!r}", argument=name)
    if isinstance(value, tuple):
        return tuple(sorted(rates.tolist()))
    return float(rates) if rates.ndim == 0 else rates


def _explain(
    function: str, name: str, value: Any, own: Mapping[str, Any], shares: bool
) -> ArgumentError:
    """Say what an argument that is called otherwise elsewhere is called here."""
    known = [*own, *(_SHARED if shares else ())]
    here = _ELSEWHERE.get(name, "")
    remedy = ""
    if name == "alpha" and "level" in known:
        good = isinstance(value, float) and 0.0 < value < 1.0
        remedy = (
            f"Pass {arg('level', round(1.0 - value, 12) if good else 0.95)}, which is 1 - alpha."
        )
    elif name in ("n_jobs", "n_threads", "workers"):
        remedy = (
            "Leave it out: threads are used where they help, and results do not depend on them."
        )
    elif name in ("nan_policy", "na_rm") and shares:
        remedy = f"Pass {arg('missing', 'drop')} to leave out rows with missing values."
    elif name == "drop_intermediate":
        remedy = "Leave it out: results keep every score, and pictures leave out what is not seen."
    elif here in known:
        remedy = f"It is called {arg(here)} here."
    else:
        close = get_close_matches(name, known, n=1)
        remedy = f"Did you mean {arg(close[0])}?" if close else f"It has {', '.join(own)}."
    return ArgumentError(f"{function}() has no argument {name!r}", "", remedy)

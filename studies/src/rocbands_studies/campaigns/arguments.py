"""Values of arguments, chosen by what their signature says and by their names.

Words that a type lists (`Literal`), or that the docstring lists (``{'a', 'b'}``), flags, and the
fields of methods are read from the package. What is an ordinary number is known here by the name
of the argument, and its form (one number, several, a range) by its type. An argument of a name
that is not known here is never given, and the campaign fails (campaigns/reach.py).
"""

from __future__ import annotations

import dataclasses
import inspect
import random
import re
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from rocbands._methods import QUESTIONS, _list_tables, known_functions
from rocbands_studies.campaigns.data import Call, Recipe, Rows, dress

OMIT = object()  # an argument that is left out

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.95, 0.99)
EXTREME_LEVELS = (0.999, 0.9999, 1e-6, 1e-9, 1 - 1e-9, 0.01)
RATES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9, 0.99)
EXTREME_RATES = (0.0, 1e-12, 0.001, 0.999, 1 - 1e-12, 1.0)
SIZES = (5, 10, 57, 100, 1000)
EXTREME_SIZES = (1, 2, 10**6, 10**9, 10**15, 10**16)


@dataclass
class Case:
    """A call in the making: the function, its method, its test sets, and how far to go."""

    r: random.Random
    name: str
    function: Callable[..., Any]
    extreme: bool = False  # values at the ends of their range, few rows
    wild: bool = False  # options together that may not fit
    method: Any = OMIT  # as passed
    kind: type | None = None  # the class of the method
    handles: frozenset[str] | None = None  # what the method or function can use, if it says so
    form: str = ""  # of the data
    rows: list[Rows] = field(default_factory=list)
    columns: dict[Any, Any] = field(default_factory=dict)  # other names of the columns of a frame
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)

    @property
    def count(self) -> int:
        """Of several numbers in one argument: the same for all arguments of a call."""
        return 1 + len(self.name) % 3

    def can(self, extra: str) -> bool:
        return self.handles is None or extra in self.handles

    def flip(self, share: float) -> bool:
        return self.r.random() < share

    def pick(self, usual: tuple[Any, ...], extreme: tuple[Any, ...] = ()) -> Any:
        """Choose an ordinary value, or one at the end of the range in extreme cases."""
        return self.r.choice(extreme if extreme and self.extreme and self.flip(0.5) else usual)


def words_in(annotation: Any) -> set[str]:
    """Return the names that an annotation mentions."""
    return set(re.findall(r"\w+", str(annotation)))


# ----------------------------------------------------------------------------------------- methods


_COMPARES = {"paired", "unpaired"}


def find_methods(function: Callable[..., Any]) -> dict[str, type]:
    """Return the methods that a function takes, by the type of its argument `method`."""
    parameter = inspect.signature(function).parameters.get("method")
    mentioned = words_in(parameter.annotation) if parameter else set()
    return {
        name: kind
        for table in _list_tables(QUESTIONS).values()
        for name, kind in table.items()
        if kind.family.__name__ in mentioned
        and (
            "y_score_1" not in inspect.signature(function).parameters or _COMPARES & {*kind.handles}
        )
    }


def choose_method(case: Case) -> None:
    """Choose a method, by name or with other parameters; and note what it can use."""
    known = find_methods(case.function)
    found = [one.handles for one in known_functions() if one.function == case.name]
    handled = frozenset(found[0]) if found else None
    if not known:
        case.handles = handled
        return
    name = case.r.choice(list(known))
    if case.flip(0.2):
        name = next(iter(known))
    else:
        case.method = name
    case.kind = known[name]
    case.handles = frozenset(known[name].handles) if handled is None else handled
    if case.method is not OMIT and case.flip(0.5):
        case.method = draw_method(case, known[name])


def draw_method(case: Case, kind: type) -> Call | str:
    """A method with some parameters changed: each from its type, or by its name."""
    fields: dict[str, Any] = {}
    names = vars(sys.modules[kind.__module__])
    for one in dataclasses.fields(kind):
        if case.flip(0.5) and one.name != "n_resamples":
            continue
        words = list_words(one.type, names) or list_documented(kind, one.name)
        if isinstance(one.default, bool):
            fields[one.name] = case.r.choice((True, True, False))
        elif words:
            fields[one.name] = case.r.choice(words)
        else:
            fields[one.name] = draw_value(case, one.name, one.type)
    # A method is an argument, not a public function: its fields are counted by its name.
    given = {name: value for name, value in fields.items() if value is not OMIT}
    return Call(f"methods.{kind.name}", kind, given) if given else kind.name


# ------------------------------------------------------------------------------------------- types


def list_words(annotation: Any, names: dict[str, Any]) -> tuple[Any, ...]:
    """Return the words that a type lists, if it is made of words alone."""
    try:
        kind = eval(annotation, dict(names)) if isinstance(annotation, str) else annotation
    except (NameError, TypeError):  # of a type that is imported for type checkers only
        return ()
    return _literals(kind) or ()


def _literals(kind: Any) -> tuple[Any, ...] | None:
    if get_origin(kind) is Literal:
        return get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        parts = [_literals(one) for one in get_args(kind) if one is not type(None)]
        return None if None in parts else tuple(word for part in parts for word in part or ())
    return None


def list_documented(owner: Any, name: str) -> tuple[str, ...]:
    """Return the words that the docstring lists for a parameter: ``name : {'a', 'b'}``."""
    found = re.search(rf"^{name} : \{{([^}}]*)\}}", inspect.getdoc(owner) or "", re.MULTILINE)
    return tuple(re.findall(r"'([^']*)'", found[1])) if found else ()


def shape(case: Case, annotation: Any, one: Callable[[], Any]) -> Any:
    """Draw one number, several, or two, as the type wants it."""
    text = str(annotation)
    inner = "Numbers" if "Numbers" in text else "float"
    if "Mapping" in text and case.rows and "sample" in case.form and case.flip(0.3):
        return {model: shape(case, inner, one) for model in case.rows[0].models[:2]}
    if "Sequence" in text and not ("float |" in text and case.flip(0.4)):
        return tuple(shape(case, inner, one) for _ in range(2))
    if "tuple" in text:
        return one(), one()
    if "Numbers" in text and case.flip(0.5):
        several = np.asarray([float(one()) for _ in range(case.count)])
        return dress(case.r, several)
    return one()


def draw_range(case: Case, annotation: Any) -> Any:
    """Draw rates: one, several, or a range from the smaller to the larger."""

    def one() -> float:
        return case.pick(RATES, EXTREME_RATES)

    if "tuple" not in str(annotation):
        return shape(case, annotation, one)
    low, high = sorted((one(), one()))
    if low == high:
        low, high = (0.0, high) if high > 0.3 else (low, 1.0)
    return (low, high) if case.flip(0.7) else [low, high]


# ------------------------------------------------------------------------------------------ values


def _draw_resamples(case: Case, annotation: Any) -> Any:
    if case.kind is not None and not case.wild:
        known = {one.name for one in dataclasses.fields(case.kind)}
        alone = case.parameters.get("n_resamples")
        if "n_resamples" not in known and (alone is None or alone.default is None):
            return OMIT
    return case.pick((99, 99, 200, 200, 200, 500), (20, 10**7))


def _draw_rng(case: Case, annotation: Any) -> Any:
    made = (
        Recipe("np.random.default_rng(3)", lambda: np.random.default_rng(3)),
        Recipe("np.random.SeedSequence(4)", lambda: np.random.SeedSequence(4)),
    )
    return case.r.choice((1, 1, 2, None, *made))


def _draw_future(case: Case, annotation: Any) -> Any:
    if case.rows and case.rows[0].folds is not None and not case.wild:  # that of the folds
        return int((case.rows[0].codes == 1).sum()), int((case.rows[0].codes == 0).sum())
    return tuple(case.pick(SIZES, EXTREME_SIZES) for _ in range(2))


def _draw_threshold(case: Case, annotation: Any) -> Any:
    """Thresholds among the scores; probabilities where all scores are."""

    def one() -> float:
        scores = next(iter(case.rows[0].scores.values())) if case.rows else np.zeros(1)
        if case.extreme and case.flip(0.4):
            return case.r.choice((np.inf, -np.inf, 0.0, 1.0))
        if (scores >= 0).all() and (scores <= 1).all():
            return case.r.choice((0.05, 0.1, 0.3, 0.5, 0.5, 0.8))
        return float(case.r.choice((0.0, 0.5, *scores[:3])))

    return shape(case, annotation, one)


def _draw_costs(case: Case, annotation: Any) -> Any:
    def one() -> float:
        return case.pick((0.5, 1, 1.0, 3, 10), (1e-300, 1e-12, 0.01, 1e6, 1e300))

    return shape(case, annotation, one)


def _draw_prevalence(case: Case, annotation: Any) -> Any:
    one = lambda: case.pick((0.01, 0.1, 0.3, 0.5, 0.9), (0.0, 1e-12, 1e-9, 1 - 1e-9, 1.0))  # noqa: E731
    return shape(case, annotation, one)


def _draw_focus(case: Case, annotation: Any) -> Any:
    models = case.rows[0].models if case.rows else ["a"]
    return case.r.choice((models[0], models[:2]))


def _draw_pilot(case: Case, annotation: Any) -> Any:
    """Components of a reader study; some of them at 0, or impossible."""
    var = case.pick((1e-4, 8e-4, 5e-3), (0.0, 1e-300, 1e300))
    shares = {
        "var_tr": (-0.5, 0.0, 0.3),
        "cov1": (0.0, 0.4),
        "cov2": (0.2, 0.4),
        "cov3": (0.1, 0.3),
    }
    parts = {name: case.pick(usual, (1.0, -1.0)) * var for name, usual in shares.items()}
    sizes = (
        {"cases": 100},
        {"n_pos": 30, "n_neg": 30},
        {"cases": 80, "n_readers": 4, "n_tests": 3},
    )
    return parts | {"var": var} | case.r.choice(sizes)


def _of(*usual: Any, extreme: tuple[Any, ...] = ()) -> Callable[[Case, Any], Any]:
    return lambda case, annotation: case.pick(usual, extreme)


def _draw_against(case: Case, annotation: Any) -> Any:
    """Draw an AUC to plan against, or which groups of people are compared."""
    return case.pick(("pairs", "rest") if case.name == "subgroups" else (0.5, 0.55))


def _tell(*numbers: Any) -> None:
    """Progress that is called and says nothing."""


# By the name of an argument: how an ordinary value is drawn.
VALUES: dict[str, Callable[[Case, Any], Any]] = {
    "level": _of(*LEVELS, extreme=EXTREME_LEVELS),
    "null": _of(*RATES, extreme=EXTREME_RATES),
    "margin": _of(0.01, 0.05, 0.1, extreme=(0, 0.9, 1e-9)),
    "n_resamples": _draw_resamples,
    "n_points": _of(20, 50, 100, extreme=(1, 2, 1000)),
    "rng": _draw_rng,
    "future": _draw_future,
    "prevalence": _draw_prevalence,
    **dict.fromkeys(("fpr", "specificity", "tpr", "sensitivity"), draw_range),
    **dict.fromkeys(("rate", "precision", "w", "capacity"), draw_range),
    **dict.fromkeys(("c_fn", "c_fp", "costs"), _draw_costs),
    **dict.fromkeys(("threshold", "thresholds"), _draw_threshold),
    "auc": _of(0.6, 0.7, 0.8, 0.9, extreme=(0.5, 0.99, 1 - 1e-9, 1.0)),
    "width": _of(0.05, 0.1, 0.2, extreme=(1e-9, 0.9)),
    "band_width": _of(0.1, 0.2, 0.4, extreme=(1e-4,)),
    "against": _draw_against,
    "other": _of(0.5, 0.85, 0.95),
    "correlation": _of(0.0, 0.3, 0.8, extreme=(0.99, -1.0)),
    "ratio": _of(1.0, 3, 0.2, extreme=(1e-300, 1e-6, 1e6, 1e300)),
    "severity_ratio": _of(0.3, 1.0, 3, extreme=(1e-300, 1e-8, 1e8, 1e300)),
    "power": _of(0.7, 0.8, 0.9, extreme=(0.99, 1 - 1e-9)),
    "pilot": _draw_pilot,
    "difference": _of(0.02, 0.05, -0.1, extreme=(0.0, 1e-12, -1e-9, 0.999)),
    "readers": _of(3, 6, [4, 6, 8], extreme=(1, 2, 1000, [2, 1000])),
    "cases": _of(100, 1000, [50, 300], extreme=(4, 10**7, 10**8)),
    "question": _of(*QUESTIONS),
    "at_fpr": _of(0.05, 0.1, 0.3, extreme=(1e-9, 1 - 1e-9)),
    "metrics": _of("auc", ["auc", "ap"], ["sensitivity at specificity 0.9", "brier"]),
    "at": _of(0.5, 0.8, 1.0, 1.5, extreme=(0.0, 3.0)),
    "title": _of("A title", "é", "<b>$x_$"),
    "focus": _draw_focus,
    "progress": lambda case, _: _tell,
    "name": _of("a model", "é", ""),
    "negative": _of("well", "0"),
    "algorithm": _of("r0", "r1"),
    "response_method": _of("auto", "predict_proba", "decision_function"),
}  # fmt: skip

# Of the arguments that say where on the curve, what to plan for, or what errors cost, one is given.
EITHER = (
    ("fpr", "specificity", "tpr", "sensitivity", "threshold", "rate", "precision", "best"),
    ("width", "against", "other", "band_width"),
    ("w", "costs"),
)
# Arguments that the method must be able to use, where there is one to choose.
NEEDS = {
    "alternative": "one-sided",
    "margin": "one-sided",
    "future": "future",
    "simultaneous": "simultaneous",
    "sampling": "full sampling",
}
# Two that are not given together: they say the same, or the second says nothing beside the first.
CLASHES = (
    ("threshold", "at_fpr"), ("w", "prevalence"), ("future", "prevalence"), ("ratio", "prevalence"), ("sampling", "prevalence"),
    ("band_width", "variance"), ("band_width", "alternative"), ("width", "alternative"),
    ("width", "power"), ("band_width", "power"), ("width", "correlation"), ("against", "correlation"),
    ("band_width", "correlation"), ("future", "sampling"), ("scheme", "sampling"),
    ("margin", "alternative"),
    *((name, "joint") for name in ("fpr", "specificity", "tpr", "sensitivity", "rate", "precision")),
)  # fmt: skip


def draw_value(case: Case, name: str, annotation: Any) -> Any:
    """Draw an ordinary value of an argument, or OMIT where nothing is known of it."""
    names = inspect.unwrap(case.function).__globals__ if inspect.isfunction(case.function) else {}
    words = list_words(annotation, names)
    if words:
        return case.r.choice(words)
    if str(annotation) == "bool":
        return case.flip(0.8)
    if name in VALUES:
        return VALUES[name](case, annotation)
    documented = list_documented(case.function, name)
    return case.r.choice(documented) if documented else OMIT

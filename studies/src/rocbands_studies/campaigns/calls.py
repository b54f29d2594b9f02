"""Random calls of every public function, with ordinary and with hostile arguments.

Functions, constructors and their arguments are taken from the package itself: a new function is
called from the day it is public. Data come in every form that a function's types mention: labels
and scores, samples, curves, counts, frames, files. A case is known by its seed.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import rocbands as rb
from rocbands._methods import known_functions
from rocbands_studies.campaigns.arguments import (
    CLASHES,
    EITHER,
    NEEDS,
    OMIT,
    Case,
    choose_method,
    draw_value,
    find_methods,
    words_in,
)
from rocbands_studies.campaigns.data import ANYTHING, DESIGN, Call, Plan, draw_rows, spoil
from rocbands_studies.campaigns.forms import DATA, draw_options, list_forms
from rocbands_studies.campaigns.invariants import expect
from rocbands_studies.campaigns.reach import Reach

HOSTILE = 0.12  # share of calls with something that does not fit
EXTREME = 0.15  # share of calls with few rows, and values at the ends of their range

# Constructors that are called as functions are: the public ones of these classes.
CLASSES = (rb.Sample, rb.ScoreCounts)
LEFT_OUT = {"ScoreCounts.of": "makes counts of arrays that are checked already; others call it"}
# Functions that take longer than others are called less often.
SLOW = {"report": 0.6, "Sample.from_file": 0.5, "count_scores": 0.5, "sample_size": 0.4}


@cache
def list_functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions, and the constructors and methods of samples, by name."""
    found = {name: getattr(rb, name) for name in rb.__all__}
    found = {name: one for name, one in found.items() if inspect.isfunction(one)}
    found["Sample"] = rb.Sample
    for kind in CLASSES:
        for name in dir(kind):
            one = inspect.getattr_static(kind, name)
            made = isinstance(one, classmethod | staticmethod)
            # Methods that users call say what their parameters are.
            asked = kind is rb.Sample and "Parameters\n" in (inspect.getdoc(one) or "")
            if not name.startswith("_") and (made or (asked and inspect.isfunction(one))):
                found[f"{kind.__name__}.{name}"] = getattr(kind, name)
    return {name: one for name, one in sorted(found.items()) if name not in LEFT_OUT}


@cache
def weigh_functions() -> list[float]:
    """Functions of many arguments are called more often than others, slow ones less often."""
    return [
        SLOW.get(name, 1.0) * max(6, len(inspect.signature(one).parameters))
        for name, one in list_functions().items()
    ]


def draw_call(seed: int, *, fits: bool = False) -> Call:
    """Draw a call. Fits: nothing hostile in it, as relations need it."""
    r = random.Random(seed)
    functions = list_functions()
    (name,) = r.choices(list(functions), weigh_functions())
    case = Case(r, name, functions[name], extreme=r.random() < EXTREME)
    hostile = not fits and r.random() < HOSTILE
    case.wild = hostile and r.random() < 0.3
    choose_method(case)
    draw_data(case)
    draw_arguments(case)
    # What an estimator makes of odd rows is its own matter.
    places = [place for place in case.given if place not in ("self", "X")]
    if hostile and not case.wild and places:
        place = r.choice(places)
        value = case.given[place]
        whole = isinstance(value, Call) or r.random() < 0.5
        case.given[place] = r.choice(ANYTHING) if whole else spoil(r, value)
    return Call(name, case.function, case.given, tuple(case.rows), hostile)


def draw_data(case: Case) -> None:
    """Draw the test sets of a call, and choose the form in which they are passed."""
    forms = list_forms(case)
    if not forms:
        return
    case.form = case.r.choice(forms)
    plan = plan_rows(case)
    two = case.form.startswith("two")
    plan = plan if not two else Plan(1, design=plan.design)
    case.rows = [draw_rows(case.r, plan, extreme=case.extreme) for _ in range(1 + two)]


def plan_rows(case: Case) -> Plan:
    """Say what test sets the function takes: models, classes, and designs that it can use."""
    parameters, r = case.parameters, case.r
    models = r.choice((1, 1, 2, 3))
    if "y_score_1" in parameters:
        models = 2
    elif "sample" in parameters or "y_score" in parameters:
        several = "paired" in (case.handles or ()) and "y_score" not in parameters
        takes = words_in(parameters["y_score"].annotation) if "y_score" in parameters else set()
        models = r.choice((2, 3, 4)) if several else models if "Scores" in takes else 1
    mentioned = {word for one in parameters.values() for word in words_in(one.annotation)}
    several = case.form in ("classes", "ClassBands") or "ScoreTable" in mentioned
    classes = r.choice((2, 3, 3, 4)) if several and case.form == "rows" else 3 if several else 2
    design = tuple(name for name in DESIGN if case.wild or case.can(name))
    every = [set(kind.handles) for kind in find_methods(case.function).values()]
    needed = tuple(name for name in DESIGN if every and all(name in one for one in every))
    needed += tuple(n for one in known_functions() if one.function == case.name for n in one.needs)
    if "cv_results" in parameters and r.random() < 0.5:  # they may have repetitions
        needed += ("folds",)
    if "by" in parameters or case.form == "Subgroups" or case.name.endswith("split"):
        needed = (*needed, "keep")
    text = inspect.getdoc(case.function) or ""
    return Plan(
        models,
        classes,
        design,
        needed,
        repeats=case.can("repeats"),
        rest=classes == 2 and (case.form != "rows" or "rest" in parameters),
        probabilities="probabilities" in text.lower().split("returns")[0],
    )


def draw_arguments(case: Case) -> None:
    """Draw the arguments one by one: those that are needed, and some of the others."""
    parameters, r = case.parameters, case.r
    chosen = set()
    for cluster in EITHER:
        present = [name for name in cluster if name in parameters]
        required = [name for name in present if parameters[name].default is inspect.Parameter.empty]
        optional = [name for name in present if parameters[name].default is None]
        chosen |= set(required)
        if len(optional) > 1:
            chosen |= {r.choice(optional)}
        else:
            chosen |= {name for name in present if r.random() < (0.1 if name == "costs" else 0.4)}
    either = {name for cluster in EITHER for name in cluster}
    for name, parameter in parameters.items():
        if name == "method" and case.kind is not None:
            value = case.method
        elif parameter.kind is parameter.VAR_KEYWORD:
            case.given |= draw_options(case)
            continue
        elif name in DATA:
            value = DATA[name](case, parameter.annotation)
        elif (name in either and name not in chosen and not (case.wild and r.random() < 0.2)) or (
            name in NEEDS and case.kind is not None and not (case.wild or case.can(NEEDS[name]))
        ):
            continue
        elif name in either or parameter.default is inspect.Parameter.empty or r.random() < 0.35:
            value = draw_value(case, name, parameter.annotation)
        else:
            continue
        if value is not OMIT:
            case.given[name] = value
    if not case.wild:
        fit_together(case)


_RATES_ONLY = ("roc", "det")  # views in which the prevalence has no part


def fit_together(case: Case) -> None:
    """Take out what does not go with the other arguments, and give what they need beside them."""
    given, parameters = case.given, case.parameters
    either = {name for cluster in EITHER for name in cluster}
    for pair in CLASHES:
        free = [
            name
            for name in pair
            if name in given
            and name not in either
            and parameters[name].default != parameters[name].empty
        ]
        if free and all(name in given for name in pair):
            del given[case.r.choice(free)]
    if "metric" in parameters and "readings" in parameters:
        fit_metric(case)
    if "view" in parameters and "prevalence" in given and given.get("view", "roc") in _RATES_ONLY:
        given["view"] = "pr"
    if "costs" in given and "best" in parameters:  # they weigh errors for the best point
        for name in EITHER[0]:
            given.pop(name, None)
        given["best"] = "cost"
    if "costs" in given and "prevalence" not in given and "sampling" not in given:
        given["prevalence"] = draw_value(case, "prevalence", parameters["prevalence"].annotation)
    if given.get("best") == "cost" and "costs" not in given:
        given["best"] = "youden"


def fit_metric(case: Case) -> None:
    """Choose the metric of a reader study that goes with a threshold or a range of rates."""
    given, where = case.given, ("fpr", "tpr", "threshold")
    if case.flip(0.5):
        for name in (*where, "metric"):
            given.pop(name, None)
    elif "threshold" in given:
        given["metric"] = case.r.choice(("sensitivity", "specificity"))
    else:
        given["metric"] = "partial_auc"


def try_one(seed: int, reach: Reach | None = None) -> str:
    """Make the call of this seed, check what it gives, and return 'result' or 'refused'."""
    call = draw_call(seed)
    outcome = "broken"
    try:
        outcome, _ = expect(call.make)
    except Exception as problem:
        problem.add_note(repr(call))
        raise
    finally:
        if reach is not None:
            reach.count(call, outcome)
    return outcome

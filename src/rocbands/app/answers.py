"""The results behind an answer, each by the function and with the defaults of its command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import rocbands as rb
from rocbands.app.data import Asked
from rocbands.core.result import Result
from rocbands.errors import InputError
from rocbands.reporting.sections import FPR

Models: TypeAlias = "rb.Sample | rb.ScoreCounts"
Results = dict[str, Callable[[], Result]]  # by name; each is made when it is asked for
PLAN = (
    *("auc", "width", "against", "other", "band_width", "correlation", "ratio"),
    *("prevalence", "level", "power", "alternative", "check"),
)
STUDY = ("level", "margin")
_TABLES = ("differences", "tests", "readers", "components", "inferences")


def list_model_results(asked: Asked, data: Models) -> Results:
    """Return the tables of an analysis."""
    level = asked.settings("level")
    wanted = _choose_points(data, **asked.settings("fpr"))
    return {
        "summary": lambda: rb.summary(data, **level, **_choose_rules(asked)),
        "operating-points": lambda: _ask_each(data, rb.operating_points, **wanted, **level),
        "bands": lambda: _ask_each(data, rb.roc_band, **level),
    }


def _choose_rules(asked: Asked) -> dict[str, Any]:
    """Return what the thresholds are for, as the report reads it."""
    rules = asked.settings("fpr", "costs", "prevalence")
    capacity = asked.settings("capacity")
    if capacity and "costs" not in rules:
        rules.pop("prevalence", None)  # a capacity is a share of cases like these rows
    return rules | ({"rate": capacity["capacity"]} if capacity else {})


def _ask_each(data: Models, ask: Callable[..., Any], **how: Any) -> rb.Table[Any]:
    return rb.Table({name: ask(data[name], **how) for name in data.models})


def _choose_points(data: Models, fpr: Any = None) -> Mapping[str, Any]:
    """Choose the operating points that the report has: rates that the negatives can resolve."""
    places = sorted({*FPR, *([] if fpr is None else [fpr])})
    n_neg = data[data.models[0]].roc.n_neg
    wanted = [place for place in places if place * n_neg >= 1.0 - 1e-9]
    return {"fpr": wanted} if wanted else {"best": "youden"}


def list_comparisons(asked: Asked, data: rb.Sample) -> Results:
    """Return the comparison of all models, and the difference of two curves."""
    level = asked.settings("level")
    if len(data.models) < 2:
        raise InputError(
            "must be of two or more models",
            f"only {data.models[0]!r} is chosen",
            "Choose another column of scores.",
            argument="score",
        )
    compare: Any = rb.compare if len(data.models) == 2 else rb.compare_many
    pair = asked.texts("pair")
    chosen = pair if len(pair) == 2 and {*pair} <= {*data.models} else data.models[:2]
    return {
        "comparison": lambda: compare(data, **level),
        "difference": lambda: rb.difference_band(data[list(chosen)], **level),
    }


def list_plans(asked: Asked) -> Results:
    """Return the plan of a study."""
    how = asked.settings(*PLAN)
    if "auc" not in how:
        raise InputError("must be given", "it is empty", "Write, for example, 0.8.", argument="auc")
    return {"plan": lambda: rb.sample_size(**how)}


def compare_study(asked: Asked, data: rb.Readings) -> rb.results.ReaderStudy:
    """Compare the tests of a reader study."""
    return rb.compare_readers(data, **asked.settings(*STUDY))


def list_study_results(asked: Asked, data: rb.Readings) -> Results:
    """Return the tables of a reader study."""
    study = compare_study(asked, data)
    tables = {name: lambda name=name: study.table(name) for name in _TABLES}
    return {"study": lambda: study, **tables}

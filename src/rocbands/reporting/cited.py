"""The methods behind a report, with their sources: each reference is cited by one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rocbands import auc, bands, comparison, cost, points, rates
from rocbands.auc.folds import FOLD_METHODS
from rocbands.comparison.compare_many import REFERENCES as MANY_REFERENCES
from rocbands.core.method import Method
from rocbands.cost.envelope import REFERENCES as COST_CURVE_REFERENCES
from rocbands.decision.net_benefit import REFERENCES as BENEFIT_REFERENCES
from rocbands.points.thresholds import REFERENCES as BEST_POINT_REFERENCES
from rocbands.reporting.words import say
from rocbands.subgroup.limits import REFERENCES as GROUP_REFERENCES

_AUC_METHODS: Mapping[str, type[Method]] = {**auc.METHODS, **FOLD_METHODS}


def describe_methods(
    shown: Sequence[str],
    models: Sequence[Mapping[str, Any]],
    compared: Mapping[str, Any] | None,
    kind: str = "model",
    *,
    unused: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Facts about the methods that are used: bands first, each method once.

    `unused`: sources that are for rows of another design.
    """
    found = [describe_method("bands", bands.METHODS[name]) for name in shown]
    for model in models:
        found += [describe_method(part, kind) for part, kind in _find_methods(model)]
    if any(model["points"] for model in models):
        found.append(_describe_function("points", "best_point", BEST_POINT_REFERENCES))
    if any(model["cost"] for model in models):
        found.append(_describe_function("cost", "cost_curve", COST_CURVE_REFERENCES))
    if any(model["average_precision"] for model in models):
        found.append(_describe_function("auc", "average_precision", ()))
    if any(model["net_benefit"] for model in models):
        found.append(_describe_function("benefit", "net_benefit", BENEFIT_REFERENCES))
    if compared is not None:
        found.append(describe_method("comparison", comparison.METHODS["score-delong"]))
        if compared["joint"]:
            found.append(_describe_function("comparison", "many", MANY_REFERENCES))
        if kind == "group":
            found.append(_describe_function("comparison", "group_rates", GROUP_REFERENCES))
    for row in found:
        row["references"] = [source for source in row["references"] if source not in unused]
    return [row for i, row in enumerate(found) if row not in found[:i]]


def list_references(methods: Sequence[Mapping[str, Any]]) -> list[str]:
    """All sources of the methods, each once, sorted."""
    return sorted({source for method in methods for source in method["references"]})


def describe_method(part: str, known: type[Method]) -> dict[str, Any]:
    """Facts about one method; `part`: what it is used for."""
    kind = known()
    return {
        "part": part,
        "name": kind.name,
        "coverage": kind.coverage,
        "guarantee": kind.guarantee,
        "idea": kind.idea,
        "references": list(kind.references),
    }


def _describe_function(part: str, key: str, references: Sequence[str]) -> dict[str, Any]:
    """Describe what has no method to choose from, and no level of its own."""
    name, idea = say("cited", key).split(": ", 1)
    nothing = dict.fromkeys(("coverage", "guarantee"))
    return {"part": part, "name": name, "idea": idea, **nothing, "references": list(references)}


def _find_methods(model: Mapping[str, Any]) -> Iterator[tuple[str, type[Method]]]:
    """Find the methods behind a model's sections."""
    if model["auc"]["method"]:
        yield "auc", _AUC_METHODS[model["auc"]["method"]]
    for point in model["points"] or ():
        yield "points", points.METHODS[point["method"]]
    if model["rates"]:
        yield "rates", rates.METHODS[model["rates"]["method"]]
    if model["cost"] and model["cost"]["lower"]:
        yield "cost", cost.METHODS[cost.DEFAULT]

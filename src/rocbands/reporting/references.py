"""The methods of a report and where they come from: collected from the methods' own facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rocbands import auc, bands, comparison, cost, points, rates
from rocbands.auc.folds import FOLD_METHODS
from rocbands.comparison.compare_many import REFERENCES as MANY_REFERENCES
from rocbands.core.method import Method
from rocbands.cost.envelope import REFERENCES as COST_CURVE_REFERENCES
from rocbands.points.thresholds import REFERENCES as BEST_POINT_REFERENCES

__all__ = ["describe_methods", "list_references"]

_AUC_METHODS: Mapping[str, type[Method]] = {**auc.METHODS, **FOLD_METHODS}


def describe_methods(names: Sequence[str]) -> list[dict[str, Any]]:
    """Facts about the band methods that are shown."""
    kinds = {name: bands.METHODS[name]() for name in names}
    return [
        {
            "name": name,
            "coverage": kind.coverage,
            "guarantee": kind.guarantee,
            "idea": kind.idea,
            "references": list(kind.references),
        }
        for name, kind in kinds.items()
    ]


def list_references(
    shown: Sequence[str], models: Sequence[Mapping[str, Any]], compared: Mapping[str, Any] | None
) -> list[str]:
    """All sources of what is shown, each once, sorted.

    Parameters
    ----------
    shown : sequence of str
        The band methods.
    models : sequence of mapping
        The models' sections.
    compared : mapping or None
        The section of comparisons.
    """
    found = {source for name in shown for source in bands.METHODS[name].references}
    for model in models:
        for known, method in _find_methods(model):
            found.update(known[method].references)
        if model["points"]:
            found.update(BEST_POINT_REFERENCES)
        if model["cost"]:
            found.update(COST_CURVE_REFERENCES)
    if compared is not None:
        found.update(comparison.METHODS["delong"].references)
        if compared["joint"]:
            found.update(MANY_REFERENCES)
    return sorted(found)


def _find_methods(model: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, type[Method]], str]]:
    """Find the methods behind a model's sections."""
    if model["auc"]["method"]:
        yield _AUC_METHODS, model["auc"]["method"]
    for point in model["points"] or ():
        yield points.METHODS, point["method"]
    if model["rates"]:
        yield rates.METHODS, model["rates"]["method"]
    if model["cost"] and model["cost"]["low"]:
        yield cost.METHODS, cost.DEFAULT

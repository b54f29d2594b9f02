"""Limits of models that a report names because of their rank among all (:mod:`.auc.chosen`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rocbands.auc.chosen import limit_chosen
from rocbands.reporting.jobs import fork
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.sections import (
    CostStudy,
    build_auc_section,
    build_cost_section,
    build_points_section,
)

Section = Mapping[str, Any]


def describe_best(
    request: ReportRequest, models: Sequence[Section], study: CostStudy | None
) -> dict[str, Any]:
    """Describe the model with the largest AUC: its AUC, TPR and cost with limits for that choice.

    `study` is None if its cost is not mentioned.
    """
    best = max(models, key=lambda model: float(model["auc"]["estimate"]))
    name, found = best["name"], dict(best)
    found["auc"] = _limit_auc(request, best, len(models), "low")
    here = request.preset.fpr
    if any(_is_at(point, here) for point in best["points"] or ()):

        def find_tpr(level: float) -> tuple[float, float]:
            own = fork(request, level=level)
            points = best["points"] if level == request.level else build_points_section(own, name)
            at = next(point for point in points or () if _is_at(point, here))
            return at["low"], at["high"]

        low, high = limit_chosen(find_tpr, request.level, len(models))
        found["points"] = [
            {**point, "low": low, "high": high} if _is_at(point, here) else point
            for point in best["points"]
        ]
    if study is not None and best["cost"] and best["cost"]["lower"]:

        def find_cost(level: float) -> tuple[Any, Any]:
            own = fork(request, level=level)
            cost = best["cost"] if level == request.level else build_cost_section(own, name, study)
            return (cost or {})["lower"], (cost or {})["upper"]

        low, high = limit_chosen(find_cost, request.level, len(models), worse="high")
        found["cost"] = {**best["cost"], "lower": low, "upper": high}
    return found


def _is_at(point: Section, fpr: float) -> bool:
    return bool(point["fpr"] == fpr and "best" not in point)


def find_reversed(request: ReportRequest, models: Sequence[Section]) -> list[str]:
    """Names of models that rank positives below negatives, with limits for the worst of all."""
    worst = [m for m in models if m["auc"]["high"] is not None and m["auc"]["high"] < 0.5]
    return [
        model["name"]
        for model in worst
        if _limit_auc(request, model, len(models), "high")["high"] < 0.5
    ]


def _limit_auc(
    request: ReportRequest, model: Section, n_models: int, worse: Literal["low", "high"]
) -> dict[str, Any]:
    def find_limits(level: float) -> tuple[float, float]:
        own = fork(request, level=level)
        auc = model["auc"] if level == request.level else build_auc_section(own, model["name"])
        return auc["low"], auc["high"]

    low, high = limit_chosen(find_limits, request.level, n_models, worse=worse)
    return {**model["auc"], "low": low, "high": high}

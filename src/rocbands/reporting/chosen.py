"""Limits of areas that a report names because of their rank among all (:mod:`.auc.chosen`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rocbands.auc import auc_interval
from rocbands.auc.chosen import limit_chosen
from rocbands.auc.folds import fold_auc_interval
from rocbands.reporting.request import ReportRequest

Section = Mapping[str, Any]


def describe_best(request: ReportRequest, models: Sequence[Section]) -> dict[str, Any]:
    """Describe the model with the largest AUC, whose limits allow for that choice."""
    best = max(models, key=lambda model: float(model["auc"]["estimate"]))
    return {**best, "auc": _limit_auc(request, best, len(models), "low")}


def find_reversed(request: ReportRequest, models: Sequence[Section]) -> list[str]:
    """Names of models that rank positives below negatives, with limits for the worst of all."""
    worst = [m for m in models if m["auc"]["high"] is not None and m["auc"]["high"] < 0.5]
    limits = {m["name"]: _limit_auc(request, m, len(models), "high")["high"] for m in worst}
    return [name for name, high in limits.items() if high is not None and high < 0.5]


def _limit_auc(
    request: ReportRequest, model: Section, n_models: int, worse: Literal["low", "high"]
) -> dict[str, Any]:
    """Return the section of the AUC with other limits, or without where there are none."""
    found = dict(model["auc"])
    if n_models == 1 or found["low"] is None:
        return found
    roc = request.curves[model["name"]]
    ask = fold_auc_interval if roc.folds else auc_interval

    def find_limits(level: float) -> tuple[float, float]:
        interval = ask(roc, level=level)
        return interval.low, interval.high

    limits = request.omitted.attempt(
        "auc limits of the largest",
        model["name"],
        lambda: limit_chosen(find_limits, request.level, n_models, worse=worse),
    )
    return found | dict(zip(("low", "high"), limits or (None, None), strict=True))

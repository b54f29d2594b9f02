"""Counts of right and wrong calls at thresholds of a report, among them the recommended one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rocbands.core.pieces import bisect
from rocbands.core.roc import RocCurve
from rocbands.reporting.formatting import format_percent, list_thresholds, round_number
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.sections import CostStudy
from rocbands.reporting.words import say
from rocbands.subgroup.result import Subgroups

Section = Mapping[str, Any]


def build_confusion_section(
    request: ReportRequest,
    models: Sequence[Section],
    recommendation: Section | None,
    study: CostStudy | None,
) -> list[dict[str, Any]]:
    """Count calls by several rules for the threshold; the first rule is that of the findings.

    Each has `rule`, `rows` (which rows are counted) and for each of `models` the `threshold`, the
    counts `tp`, `fn`, `fp`, `tn`, and the rates `tpr`, `fpr`, which are weighted if the rows are.
    """
    if "folds" in request.extras:
        return []  # each fold has a model, and a threshold, of its own
    result = request.result
    if isinstance(result, Subgroups):
        cuts = dict.fromkeys(request.curves, result.threshold)
        return [_count_calls(request, say("confusion", "threshold", cut=result.threshold), cuts)]
    goal = "fpr" if recommendation is None else recommendation["goal"]
    found = [*_list_points(request, models)]
    start = 0
    w = request.preset.w
    if goal == "costs" and study is not None and w is not None:
        found.append(_judge_costs(request, study, w))
        start = len(found) - 1
    elif goal == "rate":
        found += _list_rates(request, models)
        start = len(found) - 1
    else:
        rule = _name_fpr(request.preset.fpr)
        start = next((i for i, part in enumerate(found) if part["rule"] == rule), 0)
    return [*found[start : start + 1], *found[:start], *found[start + 1 :]]


def _list_points(request: ReportRequest, models: Sequence[Section]) -> Iterator[dict[str, Any]]:
    """Thresholds of the operating points of each model."""
    rules: dict[str, dict[str, Any]] = {}
    for model in models:
        for point in model["points"] or ():
            best = "best" in point
            rule = say("confusion", "youden") if best else _name_fpr(point["fpr"])
            rules.setdefault(rule, {})[model["name"]] = point["threshold"]
    for rule, cuts in rules.items():
        yield _count_calls(request, rule, cuts)


def _name_fpr(fpr: float) -> str:
    return say("confusion", "fpr", fpr=format_percent(fpr))


def _list_rates(request: ReportRequest, models: Sequence[Section]) -> list[dict[str, Any]]:
    """Thresholds at which the capacity is used up."""
    capacity, cuts = request.preset.capacity, {}
    for model in models:
        rates = model["rates"]
        if rates and rates["threshold"]:
            at = min(range(len(rates["rate"])), key=lambda i: abs(rates["rate"][i] - capacity))
            cuts[model["name"]] = rates["threshold"][at]
    rule = say("confusion", "rate", rate=format_percent(capacity))
    return [_count_calls(request, rule, cuts)] if cuts else []


def _judge_costs(request: ReportRequest, study: CostStudy, w: float) -> dict[str, Any]:
    """Thresholds for the given costs, counted on the rows that did not choose them."""
    at = int(np.argmin(np.abs(study.w - w)))
    models = []
    for name, cuts in study.thresholds.items():
        judged = study.judged[name].roc
        counted = _count_at(judged, float(study.least[name][at]))
        models.append({"name": name, "threshold": list_thresholds(cuts)[at], **counted})
    preset = request.preset
    rule = say("confusion", "costs", c_fn=preset.c_fn, c_fp=preset.c_fp)
    rows = say("confusion", "judged", judged=study.judged.n)
    return {"rule": rule, "rows": rows, "models": models}


def _count_calls(request: ReportRequest, rule: str, cuts: Mapping[str, Any]) -> dict[str, Any]:
    models = [
        {"name": name, "threshold": cut, **_count_at(request.curves[name], float(cut))}
        for name, cut in cuts.items()
    ]
    return {"rule": rule, "rows": "", "models": models}


def _count_at(roc: RocCurve, cut: float) -> dict[str, Any]:
    """Count the rows at or above a threshold, and their shares of each class."""
    step = int(bisect(roc.thresholds.size, lambda at: roc.thresholds[at] >= cut, (1,))[0])
    tp, fp = (int(side[step - 1]) if step else 0 for side in (roc.tp, roc.fp))
    rates = {"tpr": tp / roc.n_pos, "fpr": fp / roc.n_neg}
    if "weights" in roc.design:
        rates = {"tpr": float(roc.tpr[step]), "fpr": float(roc.fpr[step])}
    return {
        "tp": tp,
        "fn": roc.n_pos - tp,
        "fp": fp,
        "tn": roc.n_neg - fp,
        **{name: round_number(rate) for name, rate in rates.items()},
    }

"""Counts of right and wrong calls at thresholds of a report, among them the recommended one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rocbands.core.columns import as_text
from rocbands.core.counting import bisect
from rocbands.core.roc import RocCurve
from rocbands.multiclass.result import ClassBands
from rocbands.overview.recommendation import Recommendation
from rocbands.points.choose import Rule
from rocbands.reporting.formatting import NO_CALL, format_percent, round_number
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.words import say
from rocbands.subgroup.result import Subgroups

Section = Mapping[str, Any]


def build_confusion_section(
    request: ReportRequest, models: Sequence[Section], recommendation: Recommendation | None
) -> list[dict[str, Any]]:
    """Count calls by several rules for the threshold; the first rule is that of the findings.

    Each has `rule`, `rows` (which rows are counted) and for each of `models` the `threshold` and
    its text, the counts `tp`, `fn`, `fp`, `tn`, and the rates `tpr`, `fpr`, which are weighted if
    the rows are.
    """
    if "folds" in request.extras:
        return []  # each fold has a model, and a threshold, of its own
    result = request.result
    if isinstance(result, ClassBands):
        return []  # classes have a matrix of their own
    if isinstance(result, Subgroups):
        cuts = dict.fromkeys(request.curves, (result.threshold, result.threshold_text))
        return [
            _count_calls(request, say("confusion", "threshold", cut=result.threshold_text), cuts)
        ]
    found = [*_list_points(request, models)]
    if recommendation is None or recommendation.point is None:
        first = _name_fpr(request.preset.fpr)
        start = next((i for i, part in enumerate(found) if part["rule"] == first), 0)
        return [*found[start : start + 1], *found[:start], *found[start + 1 :]]
    chosen: dict[str, Any] = {}
    for name in request.curves:
        point = recommendation.point_of(name)
        chosen[name] = "inf", NO_CALL
        if point is not None and point.threshold is not None:
            chosen[name] = point.threshold, point.text
    # Of several rules the one with the fewest alarms rules, which may differ between models.
    points = map(recommendation.point_of, request.curves)
    rules = dict.fromkeys(point.rule for point in points if point is not None)
    rule = "; ".join(map(_name_rule, rules))
    ruled = _count_calls(request, rule, chosen)
    return [ruled, *(part for part in found if part["rule"] != rule)]


def count_class_calls(request: ReportRequest) -> dict[str, Any] | None:
    """Rows of each class by the class of their largest score; None for models and groups."""
    result = request.result
    if not isinstance(result, ClassBands):
        return None
    sizes, counted = result.class_sizes, map(sum, result.confusion)
    return {
        "names": [as_text(label) for label in result.classes],
        "sizes": list(sizes),
        "counts": [list(row) for row in result.confusion],
        "tied": sum(sizes) - sum(counted),
    }


def _name_rule(rule: Rule) -> str:
    if rule.name == "costs":
        return say("confusion", "costs", c_fn=rule.at[0], c_fp=rule.at[1])
    if rule.name == "rate":
        return say("confusion", "rate", rate=format_percent(rule.at))
    return _name_fpr(rule.at)


def _list_points(request: ReportRequest, models: Sequence[Section]) -> Iterator[dict[str, Any]]:
    """Thresholds of the operating points of each model."""
    rules: dict[str, dict[str, Any]] = {}
    for model in models:
        for point in model["points"] or ():
            best = "best" in point
            rule = say("confusion", "youden") if best else _name_fpr(point["fpr"])
            rules.setdefault(rule, {})[model["name"]] = point["threshold"], point["threshold_text"]
    for rule, cuts in rules.items():
        yield _count_calls(request, rule, cuts)


def _name_fpr(fpr: float) -> str:
    return say("confusion", "fpr", fpr=format_percent(fpr))


def _count_calls(
    request: ReportRequest, rule: str, cuts: Mapping[str, tuple[Any, str]]
) -> dict[str, Any]:
    """Count the calls of each model at its threshold, which is given with its text."""
    models = [
        {
            "name": name,
            "threshold": cut,
            "threshold_text": text,
            **_count_at(request.curves[name], float(cut)),
        }
        for name, (cut, text) in cuts.items()
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

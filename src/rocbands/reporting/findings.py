"""The findings of a report: sentences that its reader acts on, and the statistics behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rocbands._math.chosen import limit_chosen
from rocbands.comparison.result import Comparisons
from rocbands.core.phrases import join_words, write_share
from rocbands.core.table import list_notes
from rocbands.overview.metrics import area_interval
from rocbands.overview.recommendation import UNTESTED, Recommendation, recommend
from rocbands.overview.result import describe_recommendation
from rocbands.overview.wording import arrange_points
from rocbands.reporting.formatting import count_things, format_percent, round_number
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.sentences import describe_ranges
from rocbands.reporting.words import say

Section = Mapping[str, Any]

# By the rule: why the recommended model need not be that of the largest AUC.
_OTHER = {"fpr": "other_fpr", "rate": "other_rate", "costs": "other_costs"}


def recommend_model(request: ReportRequest, compared: Comparisons | None) -> Recommendation | None:
    """Choose a model and a threshold; `compared`: the models' areas, if they were compared."""
    if request.kind != "model":
        return None
    preset, rows = request.preset, request.rows
    asked: dict[str, Any] = {
        "fpr": preset.fpr if "fpr" in preset.asked else None,
        "costs": (preset.c_fn, preset.c_fp) if "costs" in preset.asked else None,
        "rate": preset.capacity if "capacity" in preset.asked else None,
    }
    if asked["rate"] is None or asked["costs"] is not None:
        asked["prevalence"] = request.given_prevalence
    models = request.curves if rows is None else rows
    asked |= {"level": request.level, "rng": request.seed, "compared": compared}
    return request.omitted.attempt("recommendation", None, "", recommend, models, **asked)


def round_recommendation(found: Recommendation | None) -> dict[str, Any] | None:
    """Return its sentence, points and numbers as plain values; thresholds keep their digits."""
    if found is None:
        return None
    rounded: dict[str, Any] = _round_values(describe_recommendation(found))
    table = {name: list(column) for name, column in arrange_points(found).items()}
    return rounded | {"shown": list(found.shown), "table": table}


def _round_values(values: Any) -> Any:
    if isinstance(values, Mapping):
        exact = {"threshold", "at"}
        return {k: v if k in exact else _round_values(v) for k, v in values.items()}
    if isinstance(values, (list, tuple)):
        return [_round_values(value) for value in values]
    return round_number(values) if isinstance(values, float) else values


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
    """Return the section of the AUC with limits that allow for its rank, or without any."""
    found, name = dict(model["auc"]), model["name"]
    if n_models == 1 or found["low"] is None:
        return found

    def find_limits(level: float) -> tuple[float, float]:
        interval = area_interval(request.curves[name], level=level)
        return interval.low, interval.high

    ask, section = request.omitted.attempt, "auc limits of the largest"
    limits = ask(section, name, "", limit_chosen, find_limits, request.level, n_models, worse=worse)
    return found | dict(zip(("low", "high"), limits or (None, None), strict=True))


def write_headline(
    request: ReportRequest,
    found: Recommendation | None,
    reversed_: Sequence[str],
    comparison: Section | None,
) -> list[str]:
    """Write what to do, and what to beware of.

    `reversed_`: models that rank positives below negatives. `comparison`: where along the curve
    another model than the named one is better.
    """
    n_pos, n_neg = request.sizes
    sizes = {
        "rows": count_things(n_pos + n_neg, "row"),
        "positives": count_things(n_pos, "positive"),
        "negatives": count_things(n_neg, "negative"),
        "models": count_things(len(request.curves), "model"),
        "weighted": f", {request.weighted}" if request.weighted else "",
    }
    said = [] if found is None else [found.sentence]
    if found is not None and found.point is not None:
        said += _say_elsewhere(found.model, comparison)
    said += list_notes({name: roc.value_notes for name, roc in request.curves.items()})
    said.append(say("headline", "size", **sizes))
    if found is None or found.verdict != "reversed":
        said += ask_about_reversed(reversed_)
    notes = () if found is None else found.notes
    return [*said, *(n for n in notes if not n.startswith(UNTESTED)), *request.notes]


def _say_elsewhere(named: str, comparison: Section | None) -> list[str]:
    """Say at which false positive rates another model is shown to find more than the named one."""
    ranges = {}
    for pair in () if comparison is None else comparison["pairs"]:
        if named in (pair["first"], pair["second"]):
            other = pair["second"] if pair["first"] == named else pair["first"]
            ranges[other] = describe_ranges(pair["better"], other)
    said = [f"{other} finds more at {where}" for other, where in ranges.items() if where]
    return [f"{'; '.join(said)}."] if said else []


def write_statistics(
    request: ReportRequest,
    best: Section,
    models: Sequence[Section],
    comparison: Section | None,
    found: Recommendation | None,
) -> list[str]:
    """Write what the limits above are, the areas, and their difference with its p-value.

    `best`: the model with the largest area, with limits for that choice. `found`: what the
    findings say; they may name another model.
    """
    several = len(models) > 1
    level, count = format_percent(request.level), len(models)
    key = {1: "levels", 2: "levels_of_two"}.get(count, "levels_of_several")
    said = [say("headline", key, level=level, count=count)]
    choice = say("headline", "choice", count=count) if several else ""
    said.append(_describe_best(best, models, request.level, choice))
    if found is not None and found.given and found.point is not None:
        areas = {model["name"]: model["auc"]["estimate"] for model in models}
        if areas[found.model] < best["auc"]["estimate"]:
            said.append(say("headline", _OTHER[found.point.rule.name], model=found.model))
    if comparison is not None:
        said.append(_describe_rival(best["name"], models, comparison))
    elif several:
        said.append(say("headline", "not_compared"))
    return said


def _describe_best(best: Section, models: Sequence[Section], level: float, choice: str) -> str:
    """Name the model with the largest area."""
    auc = best["auc"]
    names = [m["name"] for m in models if m["auc"]["estimate"] == auc["estimate"]]
    limits = ""
    if auc["low"] is not None:
        low, high = map(write_share, (auc["low"], auc["high"]))
        ends = {"low": low, "high": high, "choice": choice}
        limits = say("headline", "limits", level=format_percent(level), **ends)
    key = "largest_of_several" if len(names) > 1 else "largest"
    key = "one_model" if len(models) == 1 else key
    return say(
        "headline", key, names=join_words(names), auc=write_share(auc["estimate"]), limits=limits
    )


def ask_about_reversed(names: Sequence[str]) -> list[str]:
    """Ask about models that significantly rank positives below negatives."""
    verb = "ranks" if len(names) == 1 else "rank"
    return [say("headline", "reversed", names=join_words(names), verb=verb)] if names else []


def _describe_rival(best: str, models: Sequence[Section], comparison: Section) -> str:
    """Say whether the runner-up differs significantly."""
    others = [model for model in models if model["name"] != best]
    second = max(others, key=lambda model: model["auc"]["estimate"])["name"]
    names = {best, second}
    pair = next(p for p in comparison["pairs"] if {p["first"], p["second"]} == names)
    sentence: str = pair["sentence"]
    return sentence

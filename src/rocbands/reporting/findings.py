"""The findings of a report: sentences that its reader acts on, and the statistics behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocbands.core.phrases import join_words
from rocbands.reporting.formatting import count_things, format_number, format_percent
from rocbands.reporting.request import FEW, ReportRequest
from rocbands.reporting.words import say

Section = Mapping[str, Any]


def write_headline(
    request: ReportRequest, best: Section, models: Sequence[Section], reversed_: Sequence[str]
) -> list[str]:
    """Write what to do, and what to beware of.

    `best`: the model with the largest area, with limits for that choice. `reversed_`: models that
    rank positives below negatives.
    """
    n_pos, n_neg = request.sizes
    sizes = {
        "rows": count_things(n_pos + n_neg, "row"),
        "positives": count_things(n_pos, "positive"),
        "negatives": count_things(n_neg, "negative"),
        "models": count_things(len(models), "model"),
    }
    sentences = [say("headline", "size", **sizes)]
    shown, choice = _find_shown(request, best, models)
    if "costs" in request.preset.asked:
        sentences += _describe_cost(request, shown, choice)
    sentences += _warn_of_guessing(best) + ask_about_reversed(reversed_)
    if min(n_pos, n_neg) < FEW:
        cases = sizes["positives" if n_pos <= n_neg else "negatives"]
        sentences.append(say("headline", "few", cases=cases))
    return [*sentences, *request.models.notes]


def write_statistics(
    request: ReportRequest, best: Section, models: Sequence[Section], comparison: Section | None
) -> list[str]:
    """Write the areas, their difference and the true positive rate, with limits and p-values."""
    choice = _name_choice(models)
    sentences = [_describe_best(best, models, request.level, choice)]
    if comparison is not None:
        sentences.append(_describe_rival(best["name"], models, comparison))
    elif len(models) > 1:
        sentences.append(say("headline", "not_compared"))
    return [*sentences, *_describe_point(request, *_find_shown(request, best, models))]


def _name_choice(models: Sequence[Section]) -> str:
    return say("headline", "choice", count=len(models)) if len(models) > 1 else ""


def _find_shown(
    request: ReportRequest, best: Section, models: Sequence[Section]
) -> tuple[Section, str]:
    """Return the model to describe: that of the user, or the best, with words on its choice."""
    if request.focus:
        return next(model for model in models if model["name"] == request.focus[0]), ""
    return best, _name_choice(models)


def _describe_point(request: ReportRequest, model: Section, choice: str) -> list[str]:
    """Say how many positives are found at the initial false positive rate."""
    fpr = request.preset.fpr
    point = next((p for p in model["points"] or () if p["fpr"] == fpr and "best" not in p), None)
    if point is None:
        return []
    rates = {k: format_percent(float(f"{point[k]:.3f}")) for k in ("tpr", "low", "high")}
    at = {"fpr": format_percent(fpr), "level": format_percent(request.level)}
    return [say("headline", "point", model=model["name"], choice=choice, **at, **rates)]


def _describe_cost(request: ReportRequest, model: Section, choice: str) -> list[str]:
    """Say what a model costs at the given costs, on rows that did not choose its threshold."""
    cost, preset = model["cost"], request.preset
    if not cost or not cost["lower"]:
        return []
    i = min(range(len(cost["w"])), key=lambda k: abs(cost["w"][k] - preset.w))
    unit = 1000.0 * (preset.prevalence * preset.c_fn + (1.0 - preset.prevalence) * preset.c_fp)
    columns = {"cost": "cost", "low": "lower", "high": "upper"}
    costs = {name: format_number(unit * cost[column][i]) for name, column in columns.items()}
    return [
        say(
            "headline",
            "cost",
            model=model["name"],
            c_fn=preset.c_fn,
            c_fp=preset.c_fp,
            prevalence=format_percent(preset.prevalence),
            threshold=format_number(cost["threshold"][i]),
            level=format_percent(request.level),
            choice=choice,
            **costs,
        )
    ]


def _describe_best(best: Section, models: Sequence[Section], level: float, choice: str) -> str:
    """Name the model with the largest area."""
    auc = best["auc"]
    names = [m["name"] for m in models if m["auc"]["estimate"] == auc["estimate"]]
    ends = {"low": auc["low"], "high": auc["high"], "choice": choice}
    known = auc["low"] is not None
    limits = say("headline", "limits", level=format_percent(level), **ends) if known else ""
    key = "largest_of_several" if len(names) > 1 else "largest"
    key = "one_model" if len(models) == 1 else key
    return say("headline", key, names=join_words(names), auc=auc["estimate"], limits=limits)


def _warn_of_guessing(best: Section) -> list[str]:
    """Say that even the largest area may be no better than chance."""
    low, high = best["auc"]["low"], best["auc"]["high"]
    guessing = low is not None and low <= 0.5 <= high
    return [say("headline", "guessing", name=best["name"])] if guessing else []


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

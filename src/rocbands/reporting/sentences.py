"""The sentences of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocbands.core.phrases import join_words
from rocbands.reporting.formatting import count_things, format_number, format_percent
from rocbands.reporting.request import FEW, ReportRequest
from rocbands.reporting.words import say

MOST = 3  # ranges that a sentence names


def _format_pvalue(pvalue: float, pairs: int) -> str:
    p = "p" if pairs == 1 else "adjusted p"
    return f"{p} = {pvalue:.2g}" if pvalue >= 1e-4 else f"{p} < 0.0001"


def describe_ranges(ranges: Sequence[Mapping[str, Any]], model: str) -> str:
    """Name the ranges of fpr in which a model is better; if there are many, their hull."""
    mine = [part for part in ranges if part["model"] == model]
    if len(mine) > MOST:
        return f"{mine[0]['from']:.3g} to {mine[-1]['to']:.3g}, with gaps"
    return ", ".join(f"{part['from']:.3g} to {part['to']:.3g}" for part in mine)


def describe_pair(
    first: str,
    second: str,
    numbers: Mapping[str, float],
    ranges: Sequence[Mapping[str, Any]],
    level: float,
    pairs: int = 1,
) -> str:
    """Summarise the comparison of two models, one of `pairs` pairs."""
    gap, low, high = (numbers[name] for name in ("difference", "low", "high"))
    names = {"first": first, "second": second}
    values: dict[str, Any] = {
        "p": _format_pvalue(numbers["adjusted_pvalue"], pairs),
        "level": format_percent(level),
    }
    above, below = (first, second) if gap > 0 else (second, first)
    ends = (low, high) if gap > 0 else (-high, -low)  # of the difference above minus below
    directed = {"above": above, "below": below, "gap": abs(gap), "low": ends[0], "high": ends[1]}
    if low == high == 0.0:
        words = say("pair", "alike", **names)
    elif ends[0] > 0.0:
        words = say("pair", "higher", **directed, **values)
    else:
        words = say("pair", "not_significant", gap=gap, low=low, high=high, **names, **values)
    where = [
        say("pair", "where", model=model, ranges=describe_ranges(ranges, model))
        for model in (first, second)
        if describe_ranges(ranges, model)
    ]
    return " ".join([words, *where])


def write_headline(
    request: ReportRequest,
    models: Sequence[Mapping[str, Any]],
    best: Mapping[str, Any],
    comparison: Mapping[str, Any] | None,
    focus: Sequence[str],
    reversed_: Sequence[str],
) -> list[str]:
    """Write the findings: two to eight sentences.

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
    choice = say("headline", "choice", count=len(models)) if len(models) > 1 else ""
    sentences = [
        say("headline", "size", **sizes),
        _describe_best(best, models, request.level, choice),
    ]
    if comparison is not None:
        sentences.append(_describe_rival(best["name"], models, comparison))
    elif len(models) > 1:
        sentences.append(say("headline", "not_compared"))
    shown = best
    if request.focus:  # chosen by the user, not by the data
        shown, choice = next(model for model in models if model["name"] == focus[0]), ""
    sentences += _describe_point(request, shown, choice)
    if "costs" in request.preset.asked:
        sentences += _describe_cost(request, shown, choice)
    sentences += _ask_about_reversed(reversed_)
    if min(n_pos, n_neg) < FEW:
        cases = sizes["positives" if n_pos <= n_neg else "negatives"]
        sentences.append(say("headline", "few", cases=cases))
    return [*sentences, *request.models.notes]


def _describe_point(request: ReportRequest, model: Mapping[str, Any], choice: str) -> list[str]:
    """Say how many positives are found at the initial false positive rate."""
    fpr = request.preset.fpr
    point = next((p for p in model["points"] or () if p["fpr"] == fpr and "best" not in p), None)
    if point is None:
        return []
    rates = {k: format_percent(float(f"{point[k]:.3f}")) for k in ("tpr", "low", "high")}
    at = {"fpr": format_percent(fpr), "level": format_percent(request.level)}
    return [say("headline", "point", model=model["name"], choice=choice, **at, **rates)]


def _describe_cost(request: ReportRequest, model: Mapping[str, Any], choice: str) -> list[str]:
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


def _describe_best(
    best: Mapping[str, Any], models: Sequence[Mapping[str, Any]], level: float, choice: str
) -> str:
    """Name the model with the largest area, and whether it may be no better than chance."""
    auc = best["auc"]
    names = [m["name"] for m in models if m["auc"]["estimate"] == auc["estimate"]]
    ends = {"low": auc["low"], "high": auc["high"], "choice": choice}
    known = auc["low"] is not None
    limits = say("headline", "limits", level=format_percent(level), **ends) if known else ""
    key = "largest_of_several" if len(names) > 1 else "largest"
    key = "one_model" if len(models) == 1 else key
    said = say("headline", key, names=join_words(names), auc=auc["estimate"], limits=limits)
    guessing = known and auc["low"] <= 0.5 <= auc["high"]
    return said + (say("headline", "guessing") if guessing else "")


def _ask_about_reversed(names: Sequence[str]) -> list[str]:
    """Ask about models that significantly rank positives below negatives."""
    verb = "ranks" if len(names) == 1 else "rank"
    return [say("headline", "reversed", names=join_words(names), verb=verb)] if names else []


def _describe_rival(
    best: str, models: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any]
) -> str:
    """Say whether the runner-up differs significantly."""
    others = [model for model in models if model["name"] != best]
    second = max(others, key=lambda model: model["auc"]["estimate"])["name"]
    names = {best, second}
    pair = next(p for p in comparison["pairs"] if {p["first"], p["second"]} == names)
    sentence: str = pair["sentence"]
    return sentence

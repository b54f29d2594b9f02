"""Sentences about two models; references of a report, from the attributes of the methods."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rocbands import auc, bands, comparison, cost, points, rates
from rocbands.auc.folds import FOLD_METHODS
from rocbands.comparison.compare_many import REFERENCES as MANY_REFERENCES
from rocbands.core.method import Method
from rocbands.cost.envelope import REFERENCES as COST_CURVE_REFERENCES
from rocbands.points.thresholds import REFERENCES as BEST_POINT_REFERENCES
from rocbands.reporting.formatting import format_percent
from rocbands.reporting.words import say


def _format_pvalue(pvalue: float, pairs: int) -> str:
    p = "p" if pairs == 1 else "adjusted p"
    return f"{p} = {pvalue:.2g}" if pvalue >= 1e-4 else f"{p} < 0.0001"


def describe_ranges(ranges: Sequence[Mapping[str, Any]], model: str) -> str:
    """Say at which false positive rates a model is better: in one range, or within their hull.

    Examples
    --------
    >>> parts = [{"from": 0.02, "to": 0.0387}, {"from": 0.0427, "to": 0.4414}]
    >>> describe_ranges([{**part, "model": "a"} for part in parts], "a")
    'most false positive rates from 0.02 to 0.44'
    >>> describe_ranges([{"from": 0.02, "to": 0.0387, "model": "a"}], "a")
    'false positive rates from 0.02 to 0.038'
    """
    mine = [part for part in ranges if part["model"] == model]
    if not mine:
        return ""
    low, high = mine[0]["from"], mine[-1]["to"]
    inside = sum(part["to"] - part["from"] for part in mine)
    share = "" if len(mine) == 1 else "most " if inside > (high - low) / 2.0 else "some "
    return f"{share}false positive rates from {_shorten_range(low, high)}"


def _shorten_range(low: float, high: float) -> str:
    """Write a range with two digits that lie inside it, or with three."""
    ends = [
        float(f"{round_to(value * 10.0**places):g}e{-places}")
        for value, round_to in ((low, math.ceil), (high, math.floor))
        for places in (1 - math.floor(math.log10(value)) if value > 0.0 else 0,)
    ]
    if ends[0] < ends[1] <= 1.0:
        return f"{ends[0]:g} to {ends[1]:g}"
    return f"{low:.3g} to {high:.3g}"


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
    """All sources of what is shown, each once, sorted."""
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
    if model["cost"] and model["cost"]["lower"]:
        yield cost.METHODS, cost.DEFAULT

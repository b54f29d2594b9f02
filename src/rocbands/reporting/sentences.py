"""Sentences about two models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

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

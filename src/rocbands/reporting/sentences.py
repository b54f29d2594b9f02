"""Sentences about two models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocbands.core.phrases import write_share
from rocbands.reporting.formatting import format_difference, format_percent
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
    directed = _direct(first, second, numbers)
    if low == high == 0.0:
        words = say("pair", "alike", **names)
    elif directed["low"] > 0.0:
        words = say("pair", "higher", **_write_shares(directed, 4), **values)
    else:
        shown = _write_shares({"gap": gap, "low": low, "high": high}, 4)
        words = say("pair", "not_significant", **shown, **names, **values)
    return " ".join([words, *_say_where(first, second, ranges)])


def say_pair(pair: Mapping[str, Any]) -> str:
    """Say which of two models is better, and where, without statistics.

    Examples
    --------
    >>> numbers = {"difference": 0.0102, "low": -0.0099, "high": 0.0311}
    >>> say_pair({"first": "a", "second": "b", "better": [], **numbers})
    'The AUCs of a and b differ by +0.010 (−0.010 to +0.031), which may be chance.'
    """
    first, second = names = pair["first"], pair["second"]
    directed = _direct(first, second, pair)
    if pair["low"] == pair["high"] == 0.0:
        words = say("pair", "alike", first=first, second=second)
    elif directed["low"] > 0.0:
        words = say("pair", "better", **_write_shares(directed, 3))
    else:
        keys = {"gap": "difference", "low": "low", "high": "high"}
        shown = {key: format_difference(pair[name], 3) for key, name in keys.items()}
        words = say("pair", "chance", first=first, second=second, **shown)
    return " ".join([words, *_say_where(*names, pair["better"])])


def _direct(first: str, second: str, numbers: Mapping[str, float]) -> dict[str, Any]:
    """Return the difference as the larger area minus the smaller one."""
    gap, low, high = (numbers[name] for name in ("difference", "low", "high"))
    if gap > 0:
        return {"above": first, "below": second, "gap": gap, "low": low, "high": high}
    return {"above": second, "below": first, "gap": -gap, "low": -high, "high": -low}


def _write_shares(values: Mapping[str, Any], digits: int) -> dict[str, str]:
    """Write numbers with so many decimals, or more where one would look like 0; keep names."""
    return {
        key: value if isinstance(value, str) else write_share(value, digits)
        for key, value in values.items()
    }


def _say_where(first: str, second: str, ranges: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        say("pair", "where", model=model, ranges=describe_ranges(ranges, model))
        for model in (first, second)
        if describe_ranges(ranges, model)
    ]

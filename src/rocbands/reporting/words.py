"""What a report says in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocbands.reporting.order import Order

__all__ = ["headline", "number", "of_pair", "percent", "ranges_of"]

MOST = 3  # ranges that a sentence can hold
FEW = 30  # cases of a class below which a report warns at its head


def number(count: int, what: str) -> str:
    """Say a number of things.

    Examples
    --------
    >>> number(1, "positive"), number(1200, "row")
    ('1 positive', '1,200 rows')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def percent(share: float) -> str:
    """Say a share.

    Examples
    --------
    >>> percent(0.95), percent(0.00123)
    ('95%', '0.123%')
    """
    return f"{100.0 * share:.4g}%"


def _probability(pvalue: float, pairs: int) -> str:
    p = "p" if pairs == 1 else "adjusted p"
    return f"{p} = {pvalue:.2g}" if pvalue >= 1e-4 else f"{p} < 0.0001"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def ranges_of(ranges: Sequence[Mapping[str, Any]], model: str) -> str:
    """Name the ranges of fpr in which a model is better; of many, where they begin and end."""
    mine = [part for part in ranges if part["model"] == model]
    if len(mine) > MOST:
        return f"{mine[0]['from']:.3g} to {mine[-1]['to']:.3g}, with gaps"
    return ", ".join(f"{part['from']:.3g} to {part['to']:.3g}" for part in mine)


def of_pair(
    first: str,
    second: str,
    numbers: Mapping[str, float],
    ranges: Sequence[Mapping[str, Any]],
    level: float,
    pairs: int = 1,
) -> str:
    """Say what was found about two models, one of so many pairs."""
    gap, low, high = (numbers[name] for name in ("difference", "low", "high"))
    how = _probability(numbers["adjusted_pvalue"], pairs)
    above, below = (first, second) if gap > 0 else (second, first)
    ends = (low, high) if gap > 0 else (-high, -low)
    if low == high == 0.0:
        words = f"{first} and {second} order all rows alike: these rows cannot tell them apart."
    elif numbers["adjusted_pvalue"] >= 1.0 - level:
        words = (
            f"These rows do not tell the AUCs of {first} and {second} apart: the difference is "
            f"{gap:.4f} ({percent(level)} interval {low:.4f} to {high:.4f}, {how})."
        )
    elif ends[0] > 0.0:
        words = (
            f"The AUC of {above} is higher than that of {below} by {abs(gap):.4f} "
            f"({percent(level)} interval {ends[0]:.4f} to {ends[1]:.4f}, {how})."
        )
    else:  # Holm's rule finds more than intervals that hold for all pairs at once
        words = (
            f"The AUC of {above} is higher than that of {below} by a test ({how}), but how much is "
            f"not settled: the difference is {abs(gap):.4f}, and its {percent(level)} interval for "
            f"all pairs at once, {ends[0]:.4f} to {ends[1]:.4f}, holds 0."
        )
    where = [
        f"{model} finds more positives at fpr {ranges_of(ranges, model)}."
        for model in (first, second)
        if ranges_of(ranges, model)
    ]
    return " ".join([words, *where])


def headline(
    order: Order, models: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any] | None
) -> list[str]:
    """Say in two to five sentences what a reader should take home."""
    n_pos, n_neg = order.sizes
    sentences = [
        f"{number(n_pos + n_neg, 'row')}: {number(n_pos, 'positive')} and "
        f"{number(n_neg, 'negative')}, scored by {number(len(models), 'model')}."
    ]
    best = max(models, key=lambda model: model["auc"]["estimate"])
    sentences.append(_best(best, models, order.level))
    if comparison is not None:
        sentences.append(_rival(best["name"], models, comparison))
    elif len(models) > 1:
        sentences.append("Whether the models really differ was not tested: see what is not here.")
    sentences += _reversed(models)
    small = min(n_pos, n_neg)
    if small < FEW:
        kind = "positive" if n_pos <= n_neg else "negative"
        sentences.append(
            f"Only {number(small, kind)}: little can be said for sure, and limits are wide."
        )
    return sentences


def _best(best: Mapping[str, Any], models: Sequence[Mapping[str, Any]], level: float) -> str:
    """Say which model has the largest area, and whether it may be chance."""
    auc = best["auc"]
    names = [m["name"] for m in models if m["auc"]["estimate"] == auc["estimate"]]
    limits = ""
    if auc["low"] is not None:
        limits = f" ({percent(level)} interval {auc['low']:.3f} to {auc['high']:.3f})"
    if len(models) == 1:
        start = f"{best['name']} has an AUC of"
    else:
        start = f"{_listed(names)} {'have' if len(names) > 1 else 'has'} the largest AUC,"
    said = f"{start} {auc['estimate']:.3f}{limits}."
    if auc["low"] is not None and auc["low"] <= 0.5 <= auc["high"]:
        said += " The interval holds 0.5: this may be no better than guessing."
    return said


def _reversed(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ask about models that surely rank the classes the wrong way round."""
    names = [m["name"] for m in models if m["auc"]["high"] is not None and m["auc"]["high"] < 0.5]
    if not names:
        return []
    verb = "ranks" if len(names) == 1 else "rank"
    return [
        f"{_listed(names)} {verb} positives below negatives, worse than guessing: do larger scores "
        "mean more positive, and is the right label the positive one?"
    ]


def _rival(best: str, models: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any]) -> str:
    """Say whether the runner-up is really different."""
    others = [model for model in models if model["name"] != best]
    second = max(others, key=lambda model: model["auc"]["estimate"])["name"]
    names = {best, second}
    pair = next(p for p in comparison["pairs"] if {p["first"], p["second"]} == names)
    sentence: str = pair["sentence"]
    return sentence

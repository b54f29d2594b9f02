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


def _probability(pvalue: float) -> str:
    return f"p = {pvalue:.2g}" if pvalue >= 1e-4 else "p < 0.0001"


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
) -> str:
    """Say what was found about two models."""
    gap, low, high = (numbers[name] for name in ("difference", "low", "high"))
    shown = numbers["adjusted_pvalue"] < 1.0 - level
    how = _probability(numbers["adjusted_pvalue"])
    if shown:
        above, below = (first, second) if gap > 0 else (second, first)
        ends = (low, high) if gap > 0 else (-high, -low)
        words = (
            f"The AUC of {above} is higher than that of {below} by {abs(gap):.4f} "
            f"({percent(level)} interval {ends[0]:.4f} to {ends[1]:.4f}, {how})."
        )
    else:
        words = (
            f"These rows do not tell the AUCs of {first} and {second} apart: the difference is "
            f"{gap:.4f} ({percent(level)} interval {low:.4f} to {high:.4f}, {how})."
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
    """Say in two to four sentences what a reader should take home."""
    n_pos, n_neg = order.sizes
    sentences = [
        f"{number(n_pos + n_neg, 'row')}: {number(n_pos, 'positive')} and "
        f"{number(n_neg, 'negative')}, scored by {number(len(models), 'model')}."
    ]
    best = max(models, key=lambda model: model["auc"]["estimate"])
    auc = best["auc"]
    limits = (
        ""
        if auc["low"] is None
        else f" ({percent(order.level)} interval {auc['low']:.3f} to {auc['high']:.3f})"
    )
    verb = "has the largest AUC" if len(models) > 1 else "has an AUC of"
    sentences.append(
        f"{best['name']} {verb}{',' if len(models) > 1 else ''} {auc['estimate']:.3f}{limits}."
    )
    if comparison is not None:
        sentences.append(_rival(best["name"], models, comparison))
    small = min(n_pos, n_neg)
    if small < FEW:
        kind = "positive" if n_pos <= n_neg else "negative"
        sentences.append(
            f"Only {number(small, kind)}: little can be said for sure, and limits are wide."
        )
    return sentences


def _rival(best: str, models: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any]) -> str:
    """Say whether the runner-up is really different."""
    others = [model for model in models if model["name"] != best]
    second = max(others, key=lambda model: model["auc"]["estimate"])["name"]
    names = {best, second}
    pair = next(p for p in comparison["pairs"] if {p["first"], p["second"]} == names)
    sentence: str = pair["sentence"]
    return sentence

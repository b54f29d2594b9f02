"""S12: sentences on groups of people name the differences that are shown.

Each check yields, for each statement that it reads, what contradicts it, or an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

import rocbands as rb
from tests.properties.statements import Answers, ask, join

_NEW = "new"
_ADDED = 20  # rows of a new group


def check_groups(answers: Answers) -> Iterator[str]:
    """S12: shown pairs come first, and a small group removes none of them."""
    if answers.groups is None:
        return
    yield from match_groups(answers.groups.sentence, answers.groups.gaps)
    more = add_group(answers)
    if more is not None:
        yield from match_groups(more.sentence, more.gaps)
        yield from match_added(answers.groups, more)


def list_shown(gaps: Any, quantity: str) -> list[tuple[str, str]]:
    """List the pairs that are shown to differ, largest first."""
    shown = [gap for gap in gaps if gap.quantity == quantity and gap.may_be_chance is False]
    return [gap.groups for gap in sorted(shown, key=lambda gap: -abs(gap.difference))]


def match_groups(sentence: str, gaps: Any) -> Iterator[str]:
    """Tell which shown pair the sentence does not begin with."""
    text = join(sentence)
    shown = list_shown(gaps, "tpr") or list_shown(gaps, "fpr")
    first = text.split("; the largest")[0]
    if "calls nobody" in text or "calls everybody" in text or "No threshold" in text:
        return
    if "may be chance" in text or "shown to differ" in first:
        yield f"{text!r}, but {shown} are shown" if shown else ""
        return
    if "more than chance" in text:
        before = text.split("more than chance")[0]
        named = bool(shown) and all(re.search(rf"among {name}\b", before) for name in shown[0])
        yield "" if named else f"{text!r} does not name {shown[:1]} first"


def add_group(answers: Answers) -> Any:
    """Compare the groups again with 20 rows of a new one; None where that is refused."""
    case = answers.case
    part = case.sample[case.sample.models[0]]
    if part.design:
        return None
    rng = np.random.default_rng(case.seed)
    ill = np.arange(_ADDED) < _ADDED // 2
    values = rng.choice(part.values, _ADDED)
    sample = rb.Sample(
        np.concatenate([part.is_positive, ill]), np.concatenate([part.values, values])
    )
    groups = np.concatenate([np.asarray(case.groups, dtype=object), [_NEW] * _ADDED]).astype(str)
    how = {"threshold": answers.groups.threshold, "n_resamples": 200}
    return ask(rb.subgroups, sample, by=groups, **how)


def match_added(before: Any, after: Any) -> Iterator[str]:
    """Tell which shown pair a new group has removed, although its limits still exclude 0."""
    text = join(after.sentence)
    for quantity in ("tpr", "fpr"):
        still = set(list_shown(after.gaps, quantity))
        for pair in list_shown(before.gaps, quantity)[:3]:
            named = all(re.search(rf"\b{name}\b", text) for name in pair)
            lost = pair in still and not named and "more:" not in text
            yield f"{pair} is not in {text!r} any more" if lost else ""

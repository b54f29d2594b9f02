"""Whether counts are parts of one whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands.scale.counts import ScoreCounts

__all__ = ["common_labels"]

Labels: TypeAlias = tuple[str | None, str | None]


def common_labels(parts: Sequence[ScoreCounts]) -> Labels:
    """Refuse parts that are no parts of one whole; return the labels they share."""
    first = parts[0]
    labels = first.labels
    for part in parts[1:]:
        if part.binned != first.binned:
            raise InputError(
                "Counts that are merged must all be in bins, or all be exact; found both. "
                "Count the parts alike."
            )
        if bool(part.groups) != bool(first.groups):
            raise InputError(
                "Counts that are merged must all be by group, or none; found both. "
                "Count the parts alike."
            )
        if part.models != first.models:
            raise InputError(
                "Counts that are merged must be of the same models; found "
                f"{', '.join(first.models)} and {', '.join(part.models)}. Count the parts alike."
            )
        labels = _agreed(labels, part.labels)
    return labels


def _agreed(one: Labels, two: Labels) -> Labels:
    positive, negative = (a if a is not None else b for a, b in zip(one, two, strict=True))
    known = {label for label in (*one, *two) if label is not None}
    fits = all(b in (None, a) for a, b in zip((positive, negative), two, strict=True))
    if fits and (None in (positive, negative) or len(known) == 2):
        return positive, negative
    raise InputError(
        "Counts that are merged must have the same positive and the same negative label; found "
        f"{_pair(one)} and {_pair(two)}. Count the parts with the same `positive`."
    )


def _pair(labels: Labels) -> str:
    return "/".join("unknown" if label is None else repr(label) for label in labels)

"""What is stored of a result or a refusal, and the comparison of two such records."""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import rocbands as rb
from tests.pins.names import TEXTS

SHORT = 24  # longer arrays are stored as size, sum and some entries
SHOWN = 16
LEFT_OUT = ("version", "made")  # what depends on the day and on the release
# What is stored of samples, which have no record.
OF_CLASSES = ("classes", "codes", "frame", "clusters", "weights", "strata", "kept", "part")
OF_SAMPLE = (
    *("models", "is_positive", "positive", "negative", "n_pos", "kept", "frame", "dropped", "part"),
    *("clusters", "weights", "strata", "folds", "fold_labels", "repeats"),
)


class Difference(NamedTuple):
    """A place where a record differs from the stored one."""

    kind: str  # number, text, notes, refusal, warning, shape
    place: str
    stored: object
    present: object
    size: float = math.inf  # of numbers: the smaller of absolute and relative difference


def record_call(call: Callable[[], Any]) -> dict[str, Any]:
    """Make a call and return its numbers, notes, first line and warnings, or its refusal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = describe(call())
        except Exception as problem:
            found = {"refusal": f"{type(problem).__name__}: {problem}"}
    if caught:
        found["warning"] = [f"{one.category.__name__}: {one.message}" for one in caught]
    return found


def describe(result: Any) -> dict[str, Any]:
    """Return what is stored of a result: its record, its notes and its first line."""
    record = to_plain(result)
    if not isinstance(record, dict):
        return {"number": record}
    notes = record.pop("notes", None)
    record.pop("sentence", None)  # it begins the text, or is a line of it
    found = {"number": record, "text": (getattr(result, "sentence", "") or str(result))}
    found["text"] = found["text"].split("\n")[0]
    return found | ({"notes": notes} if notes else {})


def to_plain(value: Any) -> Any:
    """Return a value as JSON has it; long arrays become their size, sum and some entries."""
    given = value
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif isinstance(value, rb.Sample):
        names = OF_CLASSES if value.classes else OF_SAMPLE
        own = dict(zip(value.models, value.list_scores(), strict=True))
        value = {name: getattr(value, name) for name in names}
        value |= {"scores by model": own, "shown": repr(given), "notes": given.notes}
    elif hasattr(value, "is_positive"):  # readings, which have no record
        kept = {name: part for name, part in vars(value).items() if not name.startswith("_")}
        value = kept | {"scores by model": {}, "shown": repr(value), "notes": value.notes}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    elif dataclasses.is_dataclass(value):
        value = {part.name: getattr(value, part.name) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items() if k not in LEFT_OUT}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return shorten(list(value))
    return value if isinstance(value, float | int | str | None) else repr(value)


def shorten(cells: list[Any]) -> Any:
    if len(cells) <= SHORT:
        return [to_plain(cell) for cell in cells]
    chosen = [cells[round(i * (len(cells) - 1) / (SHOWN - 1))] for i in range(SHOWN)]
    finite = [c for c in cells if isinstance(c, int | float) and math.isfinite(c)]
    return {"size": len(cells), "sum": math.fsum(finite), "some": [to_plain(c) for c in chosen]}


def compare(stored: Any, present: Any, tolerance: float) -> list[Difference]:
    """List the places where a record differs from the stored one."""
    return [
        d for kind in sorted({*stored, *present}) for d in _walk(kind, stored, present, tolerance)
    ]


def _walk(kind: str, stored: Any, present: Any, tolerance: float) -> Iterator[Difference]:
    for place, one, two in _pairs(kind, stored.get(kind, "-"), present.get(kind, "-")):
        numeric = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (one, two))
        if not numeric:
            if one != two or type(one) is not type(two):
                yield Difference("text" if kind == "number" else kind, place, one, two)
        elif one != two and not (math.isnan(one) and math.isnan(two)):
            gap = abs(one - two) if math.isfinite(one) and math.isfinite(two) else math.inf
            size = min(gap, gap / max(abs(one), abs(two))) if gap < math.inf else math.inf
            if size > tolerance:
                yield Difference(kind, place, one, two, size)


def _pairs(place: str, one: Any, two: Any) -> Iterator[tuple[str, Any, Any]]:
    """Go through two records in parallel and return their leaves."""
    if isinstance(one, dict) and isinstance(two, dict):
        renamed = {rename(name): value for name, value in one.items()}
        for name in sorted({*renamed, *two}):
            yield from _pairs(f"{place}.{name}", renamed.get(name, "-"), two.get(name, "-"))
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for i, (a, b) in enumerate(zip(one, two, strict=True)):
            yield from _pairs(f"{place}[{i}]", a, b)
    else:
        yield place, rename(one) if isinstance(one, str) else one, two


def rename(text: str) -> str:
    """Write a stored text in the words of the present version."""
    for old, new in TEXTS:
        text = re.sub(old, new, text)
    return text

"""Notes on scores that look wrong: one or two values, codes, or thresholds beyond all of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray
from rocbands.core.thresholds import repeat_threshold
from rocbands.errors import Message, arg

ONE_VALUE = Message(
    "All scores are equal, so they cannot tell positives from negatives. Is this the column of "
    "scores?"
)
TWO_VALUES = Message(
    "The scores have only two values. If they are predicted classes, pass the probabilities or "
    "scores behind them: a curve of two classes has one point."
)
FAR = Message(
    "far from all other scores: does it mean missing? If so, leave those cells empty, and pass {}.",
    arg("missing", "drop"),
)
_CODE = re.compile("9{2,}|8{3,}|7{3,}")  # numbers that often mean missing
_FAR_CODE, _FAR_OTHER = 3.0, 100.0  # ranges of all other scores between them and the value
_DISTINCT = 10  # other scores, where the value is not a code: fewer are steps, such as of a tree
_FEW_ROWS = 20  # of which one or two distinct scores are no surprise
_MOST = 3  # thresholds that have a note of their own


def note_values(scores: npt.NDArray[Any], count: Callable[[int], int]) -> tuple[str, ...]:
    """Note scores that look like labels or codes, in many rows.

    `scores`: the distinct ones, in descending order; ``count(k)``: rows with one of the first k.

    Examples
    --------
    >>> import numpy as np
    >>> note_values(np.arange(3), lambda k: 9 * k), len(note_values(np.arange(2), lambda k: 10 * k))
    ((), 1)
    >>> note_values(np.array([7, 5, 4, -999]), lambda k: 9 * k)[0][:28]
    '-999 stands in 9 of 36 rows,'
    """
    if count(scores.size) < _FEW_ROWS:
        return ()
    known = {1: (ONE_VALUE,), 2: (TWO_VALUES,)}
    return known[scores.size] if scores.size in known else _note_far(scores, count)


def note_scores(scores: npt.NDArray[Any]) -> tuple[str, ...]:
    """Do the same for scores that are not counted, which usually need not be sorted for it.

    Examples
    --------
    >>> import numpy as np
    >>> note_scores(np.array([0, 1, 1] * 9)) == (TWO_VALUES,)
    True
    """
    low, high = scores.min(), scores.max()
    others = scores.compress((scores != low) & (scores != high))
    if others.size:
        lowest, least, most, highest = map(float, (low, others.min(), others.max(), high))
        near = max(least - lowest, highest - most) <= _FAR_CODE * (most - least)
        if near and not lowest < 0.0 <= least and not most <= 0.0 < highest:
            return ()
    values, counts = np.unique(scores, return_counts=True)
    totals = np.append(0, np.cumsum(counts[::-1]))
    return note_values(values[::-1], totals.__getitem__)


def _note_far(scores: npt.NDArray[Any], count: Callable[[int], int]) -> tuple[str, ...]:
    """Note the lowest and the highest score if several rows have it, far from all others.

    Far is 100 times the range of all other finite scores, for values beyond 1 that fewer than
    half of the rows have; for codes such as 999 it is 3 times, or any distance from scores of the
    other sign. Such a code may also be the limit of a long tail: see :func:`_is_limit`.
    """
    rows, first, last = count(scores.size), 0, scores.size - 1
    first, last = first + (not np.isfinite(scores[0])), last - (not np.isfinite(scores[-1]))
    for apart in ((first, last), (first,), (last,)):
        rest = scores[first + (first in apart) : last + (last not in apart)]
        sizes = {place: int(count(place + 1) - count(place)) for place in apart}
        if rest.size > 1 and all(_is_far(scores[k], sizes[k], rows, rest) for k in apart):
            return tuple(
                Message("{:.15g} stands in {} of {} rows, {}", scores[k], sizes[k], rows, FAR)
                for k in apart
            )
    return ()


def _is_far(score: Any, count: int, rows: int, rest: npt.NDArray[Any]) -> bool:
    """Tell whether a score is far from the `rest`, in descending order."""
    if count < 2:
        return False
    code, high, low = float(score), float(rest[0]), float(rest[-1])
    middle = float(rest[(rest.size - 1) // 2])
    if code < low:
        code, high, low, middle = -code, -low, -high, -float(rest[rest.size // 2])
    distance = (code - high) / (high - low)
    if _CODE.fullmatch(f"{code:.15g}"):
        limit = low >= 0.0 and _is_limit(code, count, rows, high, middle)
        return high <= 0.0 or (distance > _FAR_CODE and not limit)
    usual = -1.0 <= code <= 1.0 or 2 * count >= rows or rest.size < _DISTINCT
    return not usual and distance > _FAR_OTHER


def _is_limit(code: float, count: int, rows: int, high: float, middle: float) -> bool:
    """Tell whether a code may be the largest value that is written of a long tail.

    If the tail is that of a power law from the middle score on, the chance that all rows with more
    than the highest other score have the code is exp(-7) or larger.
    """
    if middle <= 0.0:
        return False
    return count * math.log(code / high) * math.log(rows / 2) <= 7.0 * math.log(high / middle)


def note_repeats(positives: CountArray, negatives: CountArray) -> tuple[str, ...]:
    """Note that rows seem to be written several times; counts of each class at each score.

    Examples
    --------
    >>> import numpy as np
    >>> note_repeats(np.full(30, 4), np.full(30, 6))[0][:50]
    'Every score occurs 2 times, or a multiple of it, i'
    >>> note_repeats(np.full(30, 4), np.full(30, 5))
    ()
    """
    counts = np.concatenate((positives, negatives))
    counts = counts[counts > 0]
    times = int(np.gcd.reduce(counts))
    if times < 2 or counts.size < _FEW_ROWS:
        return ()
    rows = int(counts.sum())
    return (
        f"Every score occurs {times} times, or a multiple of it, in its class, as if "
        f"{rows // times:,} rows were written {times} times. Repeated rows are no further cases: "
        "write each once, or name the cases as clusters.",
    )


def note_outside(
    thresholds: Iterable[float], lowest: float, highest: float, of: str = ""
) -> tuple[str, ...]:
    """Note thresholds above or below all scores; `of`: the model, where there are several.

    Examples
    --------
    >>> note_outside([0.5, 2], 0.1, 0.9, of="a")
    ('Threshold 2 is above all scores of a (highest 0.9).',)
    """
    known = dict.fromkeys(thresholds)
    cuts = [cut for cut in known if isinstance(cut, int) or math.isfinite(cut)]
    above = f"above all scores{f' of {of}' if of else ''} (highest {highest:.4g})."
    below = f"below all scores{f' of {of}' if of else ''} (lowest {lowest:.4g})."
    notes: list[str] = []
    for where, beyond in (
        (above, [cut for cut in cuts if cut > highest]),
        (below, [cut for cut in cuts if cut < lowest]),
    ):
        if len(beyond) > _MOST:
            notes.append(f"{len(beyond)} of {len(cuts)} thresholds are {where}")
        else:
            notes += [f"Threshold {repeat_threshold(cut)} is {where}" for cut in beyond]
    return tuple(notes)

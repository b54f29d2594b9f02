"""Thresholds as text that can be typed back, and notes on scores that look wrong.

The text of a threshold is the shortest decimal that makes the same calls. A row is called positive
when its score >= threshold. So every number in the gap above the next lower score, up to the lowest
score that is called, makes the same calls. The text is the lowest score that is called, rounded
down to as few digits, at least two, as keep it in that gap.
"""

from __future__ import annotations

import math
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable
from decimal import ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray
from rocbands.errors import Message, arg

if TYPE_CHECKING:
    from rocbands.core.roc import RocCurve


_TYPED = 6  # digits of a threshold that a person may have typed


def write_cut(score: Any, below: Any = None) -> str:
    """Write the shortest decimal t, of two digits or more, with below < t <= score.

    `score`: lowest score that is called positive. `below`: next lower score of any row, if any.
    Single and half precision are kept apart both as they are and in double precision.

    Examples
    --------
    >>> write_cut(0.51407, 0.51372), write_cut(2 / 3, 0.6), write_cut(5, 4), write_cut(1234, 1200)
    ('0.514', '0.66', '5', '1230')
    >>> write_cut(0.1 + 0.2, 0.3), write_cut(-1.3049, -1.31), write_cut(np.inf, 3.2)
    ('0.30000000000000004', '-1.305', '7.4')
    """
    kind = np.asarray(score).dtype.type
    if kind is np.longdouble:
        score, below = float(score), None if below is None else float(below)
    score, below = (None if x is None else np.asarray(x).item() + 0 for x in (score, below))
    if score == math.inf and below is not None and below < sys.float_info.max:
        score = min(2.0 * abs(below) + 1.0, sys.float_info.max)  # above the finite scores
    if isinstance(score, float) and math.isinf(score):
        return str(score)

    def makes_same_calls(text: str) -> bool:
        seen = [float(text) if isinstance(score, float) else Decimal(text)]
        if kind in (np.float16, np.float32):
            seen.append(float(kind(text)))
        return all(t <= score and (below is None or t > below) for t in seen)

    exact = Decimal(repr(score))
    rounded = (Context(digits, ROUND_FLOOR).create_decimal(exact) for digits in range(2, 18))
    return next(filter(makes_same_calls, map(_write_plain, rounded)), _write_plain(exact))


def _write_plain(number: Decimal) -> str:
    """Write a number without trailing zeros, from 1e-5 to 1e18 without an exponent."""
    number = number.normalize()
    plain = number == 0 or -5 <= number.adjusted() < 19
    return f"{number:f}" if plain else f"{number:e}"


def write_threshold(roc: RocCurve, cut: Any) -> str:
    """Write a threshold with as few digits as make the same calls on the rows of a curve.

    A threshold of inf that calls nobody stays 'inf'. A bin has no score that is known to lie below
    its lower edge, so that the edge has all its digits, unless upper ends of bins are known.

    Examples
    --------
    >>> from rocbands import RocCurve
    >>> roc = RocCurve.from_counts([0.51408, 0.5137, 0.1], fp=[0, 1, 1], tp=[1, 1, 2])
    >>> write_threshold(roc, 0.51408), write_threshold(roc, 0.5137), write_threshold(roc, np.inf)
    ('0.514', '0.51', 'inf')
    """
    scores, last = roc.thresholds, roc.thresholds.size - 1

    def read(place: int) -> Any:
        """Return a score, counted from the lowest, as Python's own number."""
        return scores[last - place].item() + 0

    wanted = np.asarray(cut).item() + 0
    lower = bisect_left(range(last + 1), wanted, key=read)  # scores that are not called
    if lower > last and wanted == math.inf:
        return "inf"
    if lower == 0:
        return write_cut(_keep_type(cut, roc))
    if not roc.binned:
        return write_cut(_keep_type(cut, roc), scores[last - lower + 1])
    tops = roc.tops
    top = float(scores[last - lower]) if tops is None and lower <= last else wanted
    if tops is not None:
        top = float(tops[last - lower + 1])
    return write_cut(wanted, math.nextafter(top, -math.inf))


def write_upper_threshold(roc: RocCurve, cut: Any) -> str:
    """Write a threshold of rows with at most this score, in the same way.

    Examples
    --------
    >>> from rocbands import RocCurve
    >>> roc = RocCurve.from_counts([0.51408, 0.5137, 0.1], fp=[0, 1, 1], tp=[1, 1, 2])
    >>> write_upper_threshold(roc, 0.5137), write_upper_threshold(roc, 0.1)
    ('0.514', '0.1')
    """
    higher = roc.thresholds[roc.thresholds > cut]
    return repeat_threshold(
        -float(write_cut(-float(cut), -float(higher[-1]) if higher.size else None))
    )


def write_thresholds(roc: RocCurve, cuts: Iterable[Any]) -> list[str]:
    """Write several thresholds of a curve."""
    return [write_threshold(roc, cut) for cut in cuts]


def repeat_threshold(cut: Any) -> str:
    """Write a threshold that was given as it was typed: the shortest text of the same number.

    Examples
    --------
    >>> repeat_threshold(0.5), repeat_threshold(np.float32(0.3)), repeat_threshold(-2.0)
    ('0.5', '0.30000001192092896', '-2')
    """
    number = np.asarray(cut).item() + 0  # a truth value is 0 or 1
    finite = isinstance(number, int) or math.isfinite(number)
    return _write_plain(Decimal(str(number))) if finite else str(number)


def write_given(roc: RocCurve, cut: Any) -> str:
    """Write a threshold that was typed, or found on other rows: of many digits those that matter.

    Examples
    --------
    >>> from rocbands import RocCurve
    >>> roc = RocCurve.from_counts([0.51408, 0.5137, 0.1], fp=[0, 1, 1], tp=[1, 1, 2])
    >>> write_given(roc, 0.4375), write_given(roc, 0.43751234567)
    ('0.4375', '0.43')
    """
    text = repeat_threshold(cut)
    digits = text.lstrip("-0.").replace(".", "")
    return text if len(digits) <= _TYPED or math.isinf(float(text)) else write_threshold(roc, cut)


def _keep_type(cut: Any, roc: RocCurve) -> Any:
    """Return a threshold in the type of the scores, if it is one of their numbers."""
    own = roc.thresholds.dtype.type
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            kept = own(cut)
        except (OverflowError, ValueError):  # inf is no whole number
            return cut
    return kept if kept == cut else cut


# --------------------------------------------------------------------------- scores that look wrong


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

"""Thresholds as text that can be typed back: the shortest decimal that makes the same calls.

A row is called positive when its score >= threshold. So every number in the gap above the next
lower score, up to the lowest score that is called, makes the same calls. The text is the lowest
score that is called, rounded down to as few digits, at least two, as keep it in that gap.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

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

"""Words and tables that results about costs share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rocbands.cost.conditions import Sampling, write_ratio

ERRORS = "(missed positive : false alarm)"  # what a ratio of costs is
_MOST_DIGITS = 4  # decimals of a cost
_NOISE = 10  # decimals that rounding errors leave
_ROWS = 12  # of a table, on a screen


def explain_scale(sampling: Sampling, prevalence: float) -> str:
    """Say what cost and w are."""
    what = {
        "stratified": "Cost = w fnr + (1 - w) fpr: 1 if every row is wrong.",
        "full": "Cost = (c_fn fn + c_fp fp) / (n max(c_fn, c_fp)).",
        "varying": "Cost = (p c_fn fnr + (1 - p) c_fp fpr) / max(c_fn, c_fp).",
    }
    return (
        f"{what[sampling]} w = p c_fn / (p c_fn + (1 - p) c_fp); "
        f"with p = {prevalence:.3g} positives, w = 0.5 means that a missed positive "
        f"costs as much as {(1.0 - prevalence) / prevalence:.3g} false alarms."
    )


def say_ratio(w: float, prevalence: float) -> str:
    """Write a ratio of costs in a sentence."""
    return write_ratio(w, prevalence).replace(":", " : ")


def write_cost(value: float, digits: int) -> str:
    """Write a cost in any unit; one that is not 0 does not look so.

    Examples
    --------
    >>> write_cost(1234.56, 0), write_cost(0.03, 0), write_cost(-0.0, 1), write_cost(2e-7, 1)
    ('1,235', '0.03', '0.0', 'less than 0.0001')
    """
    if abs(value) >= 1e12:
        return f"{value:.3g}"
    value = round(value, _NOISE) + 0.0  # adding 0 turns -0.0 into 0.0
    while digits < _MOST_DIGITS and value and not round(value, digits):
        digits += 1
    if value and not round(value, digits):
        near = math.copysign(10.0**-digits, value)
        return f"{'less' if value < near else 'more'} than {near:.{digits}f}"
    return f"{round(value, digits):,.{digits}f}"


def number_of(count: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{count} {noun}{'s' * (count != 1)}"


def join_lines(sentences: Iterable[str], size: int) -> str:
    """Join sentences by line breaks, and say if a table of `size` rows is abridged."""
    few = (f"{_ROWS} of {size} rows are shown; CSV has all.",) if size > _ROWS else ()
    return "\n".join((*sentences, *few))


def select_rows(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Rows of a table that fit a screen, evenly spread, with the first and the last."""
    size = len(next(iter(columns.values())))
    rows = np.unique(np.linspace(0, size - 1, min(size, _ROWS)).round().astype(np.intp))
    return {name: column[rows] for name, column in columns.items()}

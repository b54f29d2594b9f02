"""Cumulative counts that somebody else has made, checked at the door."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands._adapt import score_column, to_column
from rocbands.core.checks import CountArray
from rocbands.errors import InputError

__all__ = ["checked_counts"]

_TOO_MANY = 2**62  # rows; sums of both classes still fit 64 bits


def checked_counts(
    thresholds: Any, fp: Any, tp: Any
) -> tuple[npt.NDArray[Any], CountArray, CountArray]:
    """Return thresholds and running totals of both classes as arrays, or refuse them."""
    columns = score_column(thresholds, "thresholds"), _counts(fp, "fp"), _counts(tp, "tp")
    sizes = [column.size for column in columns]
    if len(set(sizes)) > 1:
        raise InputError(
            "`thresholds`, `fp` and `tp` must be equally long; "
            f"they have {sizes[0]}, {sizes[1]} and {sizes[2]} values."
        )
    return _running_totals(*columns)


def _counts(values: Any, name: str) -> CountArray:
    column = to_column(values, name)
    whole = column.dtype.kind in "iu"
    if not whole and (column.dtype.kind != "f" or not np.array_equal(column, np.rint(column))):
        raise InputError(
            f"`{name}` must be whole numbers; its type is {column.dtype}. "
            "Pass cumulative counts, not rates."
        )
    if column.max() >= _TOO_MANY:
        row = int(np.argmax(column))
        raise InputError(
            f"`{name}` must be counts below 2**62; {name}[{row}] = {column[row]}. "
            "Check the step that made them."
        )
    return column.astype(np.int64)


def _running_totals(
    thresholds: npt.NDArray[Any], fp: CountArray, tp: CountArray
) -> tuple[npt.NDArray[Any], CountArray, CountArray]:
    rises = thresholds[1:] >= thresholds[:-1]
    if rises.any():
        row = int(np.argmax(rises)) + 1
        raise InputError(
            "`thresholds` must be distinct and descending; "
            f"thresholds[{row}] = {thresholds[row]} follows {thresholds[row - 1]}. "
            "Add up equal scores and sort from the highest down."
        )
    for name, counts in (("fp", fp), ("tp", tp)):
        falls = np.diff(counts, prepend=0) < 0
        if falls.any():
            row = int(np.argmax(falls))
            raise InputError(
                f"`{name}` must be cumulative counts, never falling; {name}[{row}] = {counts[row]} "
                "is below what stands before it. Pass running totals from the highest score down."
            )
        if counts[-1] == 0:
            kind = "negative" if name == "fp" else "positive"
            raise InputError(f"There must be at least one {kind}; `{name}` ends at 0.")
    return thresholds, fp, tp

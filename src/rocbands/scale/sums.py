"""Rows of counts that stand at the same place are added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, IndexArray
from rocbands.errors import InputError

__all__ = ["alphabetical", "of_one_type", "refuse_overflow", "summed"]

_MOST_ROWS = 2**62
_MOST_WHOLE = 2**53  # whole numbers up to here are floats without a change


def summed(
    places: tuple[npt.NDArray[Any], ...], counts: CountArray
) -> tuple[tuple[npt.NDArray[Any], ...], CountArray]:
    """Sort rows by their places and add up those with equal ones.

    Parameters
    ----------
    places : tuple of ndarrays of shape (n,)
        What rows are sorted by, the most important first.
    counts : ndarray of shape (c, n)
        What is added up.
    """
    if _in_order(places):
        return places, counts
    order = np.lexsort(places[::-1]) if len(places) > 1 else np.argsort(places[0], kind="stable")
    ordered = [place[order] for place in places]
    first = np.zeros(order.size, dtype=np.bool_)
    first[0] = True
    for place in ordered:
        first[1:] |= place[1:] != place[:-1]
    starts = np.flatnonzero(first)
    return tuple(place[starts] for place in ordered), np.add.reduceat(
        counts[:, order], starts, axis=1
    )


def _in_order(places: tuple[npt.NDArray[Any], ...]) -> bool:
    """Tell whether rows stand in order already, no two at the same place."""
    size = max(places[0].size - 1, 0)
    rises, level = np.zeros(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    for place in places:
        rises |= level & (place[:-1] < place[1:])
        level &= place[:-1] == place[1:]
    return bool(rises.all())


def of_one_type(values: Sequence[npt.NDArray[Any]]) -> Sequence[npt.NDArray[Any]]:
    """Return arrays of one type: whole numbers stay so only if all are."""
    if len({part.dtype.kind for part in values}) == 1:
        return values
    for part in values:
        whole = part.dtype.kind == "i" and part.size > 0
        if whole and max(-int(part.min()), int(part.max())) > _MOST_WHOLE:
            raise InputError(
                "Scores must all be whole numbers, or none may be above 2**53, where floats would "
                "round them; found both kinds. Count all parts from columns of one type."
            )
    return [part.astype(np.float64) for part in values]


def refuse_overflow(counts: Sequence[CountArray]) -> None:
    """Refuse counts whose sum does not fit 64 bits, before it turns negative."""
    if any(column.sum(dtype=np.float64) >= _MOST_ROWS for column in counts):
        raise InputError(
            "Counts must add up to numbers that fit 64 bits; found larger ones. "
            "Check the step that wrote them."
        )


def alphabetical(names: Sequence[str], codes: IndexArray) -> tuple[tuple[str, ...], IndexArray]:
    """Put names in order, equal ones together, and the codes with them."""
    ordered = sorted(set(names))
    if not ordered:
        return (), codes
    place = {name: code for code, name in enumerate(ordered)}
    return tuple(ordered), np.array([place[name] for name in names], dtype=np.intp)[codes]

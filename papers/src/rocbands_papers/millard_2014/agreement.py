"""How far our numbers are from the prototype's, for the noise of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from rocbands_papers.paper import Row

__all__ = ["agreement", "apart", "largest_gap"]

_NORMAL_95, _NORMAL_99 = 1.960, 2.576


def apart(row: Row, tests: int) -> bool:
    """Whether a number and its reference, from so many tests, differ by more than noise.

    Examples
    --------
    >>> from rocbands.study.results import Figure
    >>> ours = Figure(0.95, 0.94, 0.96, 300)
    >>> [apart(Row(where={}, ours=ours, reference=there), 300) for there in (0.96, 0.98)]
    [False, True]
    """
    if row.reference is None:
        return False
    own = (row.ours.high - row.ours.low) / (2.0 * _NORMAL_95)
    both = own * math.sqrt(1.0 + row.ours.n / tests)
    return abs(row.ours.value - row.reference) > _NORMAL_99 * both + 0.0005


def largest_gap(rows: Iterable[Row]) -> float:
    """Largest difference from a reference."""
    return max(abs(row.ours.value - row.reference) for row in rows if row.reference is not None)


def agreement(rows: Iterable[Row], tests: Callable[[Row], int]) -> str:
    """Say how many numbers differ from the prototype's by more than chance explains."""
    known = [row for row in rows if row.reference is not None]
    far = sum(apart(row, tests(row)) for row in known)
    return (
        f"Of {len(known)} numbers that the prototype has too, {far} differ by more than the "
        "noise of both (99% limits; 1 in 100 is chance)."
    )

"""Notes on scores that look wrong: one or two values, or thresholds beyond all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.thresholds import repeat_threshold
from rocbands.errors import Message

ONE_VALUE = Message(
    "All scores are equal, so they cannot tell positives from negatives. Is this the column of "
    "scores?"
)
TWO_VALUES = Message(
    "The scores have only two values. If they are predicted classes, pass the probabilities or "
    "scores behind them: a curve of two classes has one point."
)
_FEW_ROWS = 20  # of which one or two distinct scores are no surprise
_MOST = 3  # thresholds that have a note of their own


def note_values(count: int, rows: int) -> tuple[str, ...]:
    """Note that many rows have one or two distinct scores, as constants and predicted labels have.

    Examples
    --------
    >>> note_values(3, 100), len(note_values(2, 100)), note_values(2, 5)
    ((), 1, ())
    """
    if rows < _FEW_ROWS:
        return ()
    return {1: (ONE_VALUE,), 2: (TWO_VALUES,)}.get(count, ())


def note_scores(scores: npt.NDArray[Any]) -> tuple[str, ...]:
    """Do the same for scores that are not counted, without sorting them.

    Examples
    --------
    >>> import numpy as np
    >>> note_scores(np.array([0, 1, 1] * 9)) == note_values(2, 27)
    True
    """
    others = scores[scores != scores[0]]
    if others.size and (others != others[0]).any():
        return ()
    return note_values(1 + bool(others.size), scores.size)


def note_outside(
    thresholds: Iterable[float], lowest: float, highest: float, of: str = ""
) -> tuple[str, ...]:
    """Note thresholds above or below all scores; `of`: the model, where there are several.

    Examples
    --------
    >>> note_outside([0.5, 2], 0.1, 0.9, of="a")
    ('Threshold 2 is above all scores of a (highest 0.9).',)
    """
    cuts = [cut for cut in dict.fromkeys(thresholds) if np.isfinite(cut)]
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

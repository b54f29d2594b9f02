"""A column of labels, gathered in chunks: each label is kept once, each row as a small number."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["MOST_LABELS", "Labels", "is_missing"]

MOST_LABELS = 1000  # more of them are no classes but names or scores, and would fill the memory
_MISSING = {"", "nan", "na", "n/a", "null", "<na>"}
_TRUTH = {"true": True, "false": False}


def is_missing(label: object) -> bool:
    """Tell whether a label stands for no label at all."""
    if isinstance(label, str):
        return label.strip().casefold() in _MISSING
    return isinstance(label, float) and math.isnan(label)


class Labels:
    """The labels met so far."""

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self._rows: list[npt.NDArray[np.int32]] = []

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, values: list[Any]) -> object | None:
        """Add the next rows, unless a label is missing: then that label is returned, else None."""
        codes = self._codes
        for value in dict.fromkeys(values):
            if value not in codes:
                if is_missing(value):
                    return value  # type: ignore[no-any-return]
                codes[value] = len(codes)
        self._rows.append(np.fromiter(map(codes.__getitem__, values), np.int32, len(values)))
        return None

    def column(self) -> npt.NDArray[Any]:
        """Return one label for each row."""
        return _typed(list(self._codes))[np.concatenate(self._rows)]

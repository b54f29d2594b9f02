"""Numbers as a page needs them: plain, short, and never NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["exact", "listed", "short"]

DIGITS = 6  # significant ones, of every number but thresholds


def short(value: float) -> float:
    """Return a number with few digits; more of them would not be seen.

    Examples
    --------
    >>> short(1 / 3)
    0.333333
    """
    assert math.isfinite(value), "a report holds numbers only"
    return float(f"{value:.{DIGITS}g}")


def listed(values: npt.ArrayLike) -> list[float]:
    """Return a column with few digits as a plain list.

    Examples
    --------
    >>> listed([0, 2 / 3, 1.23456789e-5])
    [0.0, 0.666667, 1.23457e-05]
    """
    return [short(value) for value in np.asarray(values, dtype=np.float64).tolist()]


def exact(values: npt.NDArray[Any]) -> list[float | str]:
    """Return thresholds with all their digits, as rows are compared with them.

    Examples
    --------
    >>> import numpy as np
    >>> exact(np.array([np.inf, 0.1]))
    ['inf', 0.1]
    """
    column = (values.astype(np.int64) if values.dtype.kind == "b" else values).tolist()
    return [("inf" if v > 0 else "-inf") if math.isinf(v) else v for v in column]

"""Which lines across a curve to look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve

__all__ = ["lines_across"]


def lines_across(curves: Sequence[Curve], slope: float, count: int) -> FloatArray:
    """Values of c for lines y + slope x = c, close where the curves spend their length.

    Even steps in c would miss the rise of a curve whose classes are very unequal. The lines go
    through points at even distances along all curves.

    Parameters
    ----------
    curves : sequence of Curve
        What is going to be looked at along the lines.
    slope : float
        Positive.
    count : int
        About how many lines.
    """
    place = np.linspace(0.0, 2.0, count)
    through = [np.interp(place, curve.level(1.0), curve.level(slope)) for curve in curves]
    evenly = np.sort(np.concatenate(through))[:: len(through)]
    return np.unique(np.concatenate(([0.0], evenly, [1.0 + slope])))

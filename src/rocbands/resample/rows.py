"""Interpolation along the rows of matrices, in one call for all rows."""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.resample.curves import Rates

__all__ = ["along_rows", "largest_displacements"]


def along_rows(at: FloatArray, knots: FloatArray, values: FloatArray) -> FloatArray:
    """Interpolate row i of (`knots`, `values`) at row i of `at`; knots never fall.

    The rows are laid end to end, far enough apart, so that one call serves all.
    """
    far = float(knots[:, -1].max()) + 1.0
    shift = np.arange(knots.shape[0])[:, None] * far
    flat = np.interp((at + shift).ravel(), (knots + shift).ravel(), values.ravel())
    return flat.reshape(at.shape)


def largest_displacements(one: Rates, other: Rates, slope: float) -> FloatArray:
    """Largest displacement between row i of `one` and row i of `other` along (-1, slope).

    As `rocbands.core.curve.displacement`, for many pairs of curves at once.
    """
    c_one, c_other = (curve.y + slope * curve.x for curve in (one, other))
    at_one = np.abs(one.x - along_rows(c_one, c_other, other.x)).max(axis=1)
    at_other = np.abs(along_rows(c_other, c_one, one.x) - other.x).max(axis=1)
    largest: FloatArray = np.maximum(at_one, at_other) * np.hypot(1.0, slope)
    return largest

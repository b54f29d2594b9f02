"""Hanley and McNeil's variance of the area under the curve."""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import FloatArray

__all__ = ["hanley_mcneil"]


def hanley_mcneil(
    auc: float | FloatArray, n_pos: int | FloatArray, n_neg: int | FloatArray
) -> FloatArray:
    """Hanley and McNeil (1982): of the AUC and the class sizes alone, for exponential scores.

    Examples
    --------
    >>> print(hanley_mcneil(0.5, 1, 1))
    0.25
    """
    area = np.asarray(auc, dtype=np.float64)
    pos = (np.asarray(n_pos) - 1) * (area / (2.0 - area) - area**2)
    neg = (np.asarray(n_neg) - 1) * (2.0 * area**2 / (1.0 + area) - area**2)
    variance: FloatArray = np.maximum(area * (1.0 - area) + pos + neg, 0.0) / n_pos / n_neg
    return variance

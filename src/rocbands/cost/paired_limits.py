"""Limits for the difference of two classifiers' costs, in closed form."""

from __future__ import annotations

import numpy as np

from rocbands._math.tango import tango_limits
from rocbands.core.checks import FloatArray
from rocbands.cost.paired_moments import Contrast

__all__ = ["gaussian", "mover"]


def gaussian(contrast: Contrast, z: float) -> tuple[FloatArray, FloatArray]:
    """Difference plus and minus z standard errors; a point where nothing is discordant."""
    half = z * np.sqrt(contrast.variance)
    return contrast.mean - half, contrast.mean + half


def mover(contrast: Contrast, z: float) -> tuple[FloatArray, FloatArray]:
    """Tango's limits of each class, put together by the method of variance estimates recovery.

    Near w = 0 and 1 one class has few errors or none, and its variance is estimated as next to 0.
    The distances of score limits from the estimate say there what a variance cannot.
    """
    low, high = tango_limits(contrast.for_1, contrast.for_2, np.array(contrast.sizes)[:, None], z)
    below, above = (contrast.weight * np.abs(limit - contrast.share) for limit in (low, high))
    return contrast.mean - _together(below, contrast), contrast.mean + _together(above, contrast)


def _together(part: FloatArray, contrast: Contrast) -> FloatArray:
    square = (part**2).sum(axis=0) + 2.0 * contrast.correlation * part[0] * part[1]
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))

"""The fixed-width band, one resample after the other, to compare areas with."""

from __future__ import annotations

import math

import numpy as np

import rocbands as rb
from rocbands.core.curve import Curve, displacement
from rocbands.core.region import DisplacedRegion


def fixed_width_region(
    labels: np.ndarray, scores: np.ndarray, level: float, resamples: int, rng: np.random.Generator
) -> DisplacedRegion:
    """Unstratified bootstrap of untied scores, slope sqrt(n/m), one width for both sides."""
    order = np.argsort(-scores)
    is_pos = labels[order] == 1
    centre = rb.roc_curve(labels, scores).curve
    slope = math.sqrt((~is_pos).sum() / is_pos.sum())
    size, widths = len(labels), []
    while len(widths) < resamples:
        copies = np.bincount(rng.integers(0, size, size), minlength=size)
        tp, fp = np.cumsum(copies * is_pos), np.cumsum(copies * ~is_pos)
        if tp[-1] == 0 or fp[-1] == 0:
            continue
        curve = Curve(np.append(0, fp / fp[-1]), np.append(0, tp / tp[-1]))
        widths.append(displacement(centre, curve, slope).largest)
    width = sorted(widths)[math.ceil(level * resamples - 1e-9) - 1]
    return DisplacedRegion(centre, width / math.hypot(1, slope), slope)

"""The bootstrap law of a difference of costs, with no bootstrap: every resample counted.

Resampled cases take 1, 0 or -1 step on each class's lattice. The law of many independent steps is
the power of one step's characteristic function, turned back by one Fourier transform.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from rocbands._math.lattice import Lattice, LatticeSum, window
from rocbands.core.checks import FloatArray
from rocbands.cost.paired_moments import Contrast
from rocbands.errors import InputError

__all__ = ["exact"]

MOST_CELLS = 2**24  # of a table of both classes' steps: 128 MB


def exact(contrast: Contrast, level: float) -> tuple[FloatArray, FloatArray]:
    """Percentile limits of the bootstrap law at each condition."""
    law = _joint_law(contrast) if contrast.full else _separate_law(contrast)
    limits = [law(place).limits(level) for place in range(contrast.mean.size)]
    low, high = np.array(limits).reshape(-1, 2).T
    return low, high


def _separate_law(contrast: Contrast):
    @cache
    def steps(row: int, up: int, down: int) -> Lattice:
        size = contrast.sizes[row]
        return step_lattice(up, down, size)
    ...

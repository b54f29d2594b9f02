"""The bootstrap law of a difference of costs with no bootstrap: all resamples at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from rocbands._math.lattice import LatticeSum
from rocbands._math.steps import step_cells, step_law, two_step_law
from rocbands.core.checks import FloatArray
from rocbands.cost.paired_moments import Contrast
from rocbands.errors import InputError

__all__ = ["exact"]

MOST_CELLS = 2**24  # of the table of both classes' sums: 128 MB


def exact(contrast: Contrast, level: float) -> tuple[FloatArray, FloatArray]:
    """Percentile limits of the bootstrap law, one condition after the other."""
    counts = np.concatenate((contrast.for_1, contrast.for_2)).T.tolist()
    law = _one_sample(contrast) if contrast.full else _two_samples(contrast)
    limits = [
        law(*count, *unit).limits(level)
        for count, unit in zip(counts, contrast.unit.T.tolist(), strict=True)
    ]
    low, high = np.array(limits).T
    return low, high


Law = Callable[[int, int, int, int, float, float], LatticeSum]


def _two_samples(contrast: Contrast) -> Law:
    """Law at counts and costs of an error where class sizes are fixed."""
    steps = cache(step_law)

    def law(up_p: int, up_n: int, down_p: int, down_n: int, c_fn: float, c_fp: float) -> LatticeSum:
        pos = steps(up_p, down_p, contrast.n_pos)
        neg = steps(up_n, down_n, contrast.n_neg)
        return LatticeSum.independent(pos, neg, c_fn, c_fp)

    return law


def _one_sample(contrast: Contrast) -> Law:
    """Law at counts and costs of an error where class sizes are as random as the cases."""
    size = contrast.sizes[0]

    def law(up_p: int, up_n: int, down_p: int, down_n: int, c_fn: float, c_fp: float) -> LatticeSum:
        cells = step_cells(up_p, down_p, size) * step_cells(up_n, down_n, size)
        if cells > MOST_CELLS:
            raise InputError(
                f"The exact law of {size} cases with {up_p + up_n + down_p + down_n} decided "
                f"differently needs a table of {cells} cells. Use method='mover', which is near it "
                "with so many cases, or sampling='stratified'."
            )
        table, corner = two_step_law((up_p, down_p), (up_n, down_n), size)
        return LatticeSum.joint(table, corner, c_fn, c_fp)

    return law

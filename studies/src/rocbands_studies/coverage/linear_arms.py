"""Limits of the difference on two test sets that take both curves for straight lines.

For comparison only: the error of a height is that of its positives and the slope of the curve times
the error of the fpr. Where a curve bends within that error the limits are too narrow. Versions up to
1.0.0rc1 used them; the variance grows with the hypothetical difference as it did there.
"""

from __future__ import annotations

import numpy as np

from rocbands.comparison.difference_spread import FLOOR, UnpairedSpread, search_limits

TILT_POS, SEVERAL_NEG = 0.6, 1.0 / 6.0


def linear_limits(
    spread: UnpairedSpread, critical_value: float, *, several: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Limits at a critical value; `several`: of one of several simultaneous differences."""
    one, two = spread.curves
    x = one.fpr * (1.0 - one.fpr)
    tpr = np.stack([one.tpr, two.tpr])
    n_pos = np.array([[one.roc.n_pos], [two.roc.n_pos]])
    n_neg = np.array([[one.roc.n_neg], [two.roc.n_neg]])
    pos = [sums.pos for sums in spread.sums]
    share = (np.stack(pos) + FLOOR / (2.0 * n_pos**2)) / spread.variance
    if several:
        height = tpr.mean(axis=0)
        part = 1.0 / n_pos + height * (1.0 - height) / (x * n_neg)
        share = part / part.sum(axis=0)

    def compute_variance(deviation: np.ndarray) -> np.ndarray:
        way = np.array([[1.0], [-1.0]])
        rate = np.clip(tpr + way * deviation[..., None, :] * share, 0.0, 1.0)
        now, then = tpr * (1.0 - tpr), rate * (1.0 - rate)
        grown = (then - now) / n_pos
        if not several:
            return spread.variance + TILT_POS * np.maximum(grown.sum(axis=-2), 0.0)
        grown = grown + SEVERAL_NEG * (then**2 - now**2) / (x * n_neg)
        return spread.variance + np.maximum(grown.sum(axis=-2), 0.0)

    return search_limits(spread.difference, compute_variance, critical_value)

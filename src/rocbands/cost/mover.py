"""MOVER: limits of both classes' rates, combined by the method of variance estimates recovery.

For one classifier the rates are error rates with Wilson's limits; for the difference of two they
are differences of paired error rates with Tango's limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra, Resampling
from rocbands.core.references import WILSON, ZOU_DONNER
from rocbands.cost.conditions import Sampling
from rocbands.cost.counts import DiscordantCounts, WeightedCounts
from rocbands.cost.method import CostLimits, CostMethod

_HALVINGS = 54  # from a width of 2 to below the last digit


@dataclass(frozen=True)
class MoverCost(Resampling, CostMethod):
    """Wilson's (two models: Tango's) limits of each class, combined by MOVER.

    The default. Near w = 0 and 1 one class has few errors or none, and its estimated variance is
    close to 0; score limits do not degenerate there. So intervals are never a point, stay in range,
    and are valid where errors are few.

    Parameters
    ----------
    n_resamples : int, default 2000
        Random draws for simultaneous limits of two models; nothing else is random.

    Notes
    -----
    With l, u Wilson's limits of the rates p of both classes, weights w and 1 - w,

        lower = cost - sqrt(w^2 (p1 - l1)^2 + (1 - w)^2 (p2 - l2)^2),

    and the upper limit likewise: formulas (C4) and (C5) of docs/formulas.md. With fixed class sizes
    limits increase with every error: Wilson's do, and no distance shrinks by more than its rate
    grows. Measured coverage: docs/coverage-costs.md.
    """

    name: ClassVar[str] = "mover"
    guarantee: ClassVar[str] = (
        "approximate; measured .878 or more for .90, also where errors are few"
    )
    idea: ClassVar[str] = "score limits of both error rates, combined by MOVER"
    references: ClassVar[tuple[str, ...]] = (
        ZOU_DONNER,
        WILSON,
        "Tango (1998), Equivalence test and confidence interval for the difference in proportions "
        "for the paired-sample design, Statistics in Medicine 17, 891-908.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("bins", "full sampling", "paired", "simultaneous")
    monotone: ClassVar[tuple[Sampling, ...]] = ("stratified",)

    def find_limits(self, counts: WeightedCounts, level: float, critical: float) -> CostLimits:
        if isinstance(counts, DiscordantCounts):
            ends = find_tango_limits(counts.up, counts.down, counts.sizes, critical)
        else:
            ends = wilson_limits(counts.share, counts.sizes, level)
        below, above = (_combine_classes(counts, end) for end in ends)
        return CostLimits(counts.mean, counts.mean - below, counts.mean + above)


def _combine_classes(counts: WeightedCounts, end: FloatArray) -> FloatArray:
    positives, negatives = counts.weight * np.abs(end - counts.share)
    return combine_distances(positives, negatives, counts.correlation)


def combine_distances(
    one: FloatArray, other: FloatArray, correlation: FloatArray | float
) -> FloatArray:
    """Distance of the limit of a sum from the sum, given the distances of its two terms.

    Examples
    --------
    >>> print(combine_distances(np.array([3.0, 3.0]), np.array([4.0, 4.0]), np.array([0.0, -1.0])))
    [5. 1.]
    """
    # sqrt(a^2 + b^2 + 2 r a b), as a sum of squares that rounding cannot make negative.
    along = one + correlation * other
    return np.asarray(np.sqrt(along**2 + (1.0 - np.square(correlation)) * other**2))


def find_tango_limits(
    only_1: npt.ArrayLike, only_2: npt.ArrayLike, size: npt.ArrayLike, z: float
) -> tuple[FloatArray, FloatArray]:
    """Tango's (1998) limits for a difference of paired proportions, from the discordant rows.

    The limits are the differences d that the score test with variance at its own d does not
    reject. Where no row is discordant they are -+ z^2 / (size + z^2), not a point.

    `only_1`, `only_2`: numbers of discordant rows of either kind. `z`:
    normal quantile of the two-sided level.

    Examples
    --------
    >>> lower, upper = find_tango_limits(5, 9, 40, z=1.645)
    >>> print(lower.round(3), upper.round(3))
    -0.254 0.057
    """
    b, c, n = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (only_1, only_2, size)))
    # The lower limit is minus the upper limit with the two counts exchanged.
    lower, upper = _find_upper(np.stack((c, b)), np.stack((b, c)), n, z)
    return -lower, upper


def _find_upper(b: FloatArray, c: FloatArray, size: FloatArray, z: float) -> FloatArray:
    """Largest difference that is not rejected, by bisection between the estimate and 1."""
    # The accepted differences are an interval that contains the estimate.
    low, high = (b - c) / size, np.ones_like(b)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        kept = (b - c - size * middle) ** 2 <= z**2 * _tango_variance(middle, b, c, size)
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    # If every row is discordant in the same direction, nothing up to 1 is rejected.
    return np.where(b - c == size, 1.0, high)


def _tango_variance(d: FloatArray, b: FloatArray, c: FloatArray, size: FloatArray) -> FloatArray:
    """Variance N (2q + d (1 - d)) of b - c at the difference d, with q the MLE of c's share.

    q is the larger root of 2N q^2 + B q - c d (1 - d) = 0: formula (C5) of docs/formulas.md.
    """
    linear, last = -b - c + (2.0 * size - b + c) * d, c * d * (1.0 - d)
    root = np.sqrt(np.maximum(linear**2 + 8.0 * size * last, 0.0))
    # Two forms of the same root, to avoid cancellation.
    added = np.where(linear > 0.0, root + linear, 1.0)
    share = np.where(linear > 0.0, 2.0 * last / added, (root - linear) / (4.0 * size))
    return np.asarray(size * (2.0 * share + d * (1.0 - d)))

"""Limits of a difference of two estimates from limits of each, and the levels that limits reach."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr

from rocbands.core.tolerance import SAME

SHRINKAGE = 0.5  # of the correlation, divided by the number of cases of the rarer class
NARROW = 1e-14  # width of a bracket relative to its end
FARTHEST = 37.0  # normal quantile of the smallest p-value, about 1e-299


def limit_difference(
    one: Any, two: Any, correlation: Any = 0.0, common: float | None = None
) -> tuple[Any, Any]:
    """Combine limits by MOVER (Zou and Donner 2008, Statistics in Medicine 27, 1693-1702).

    With the distances x and y of the two limits concerned, a limit of the difference is the root of
    x^2 + y^2 - 2 r x y away. `common`: what replaces the product of a long and a short distance if
    r > 0; the square is then (1 - r) (x^2 + y^2) + r common^2.

    `one`, `two`: estimate, lower and upper limit of each, numbers or arrays. `correlation`: r.

    Examples
    --------
    >>> low, high = limit_difference((0.8, 0.7, 0.9), (0.6, 0.5, 0.7))
    >>> print(f"{low:.4f} {high:.4f}")
    0.0586 0.3414
    """
    (p, p_low, p_high), (q, q_low, q_high) = one, two

    def reach(x: Any, y: Any) -> Any:
        if common is not None and correlation > 0.0:
            return np.sqrt((1.0 - correlation) * (x * x + y * y) + correlation * common**2)
        # x^2 + y^2 - 2 r x y, without cancellation if r is near 1.
        return np.sqrt((x - y) ** 2 + 2.0 * (1.0 - correlation) * (x * y))

    return p - q - reach(p - p_low, q_high - q), p - q + reach(p_high - p, q - q_low)


def correlate(covariance: float, one: float, two: float, cases: float) -> float:
    """Correlation of two estimates with the variances `one` and `two`.

    `cases`: effective number of the rarest class. With few cases the estimated correlation is too
    large, and is multiplied by 1 - 1 / (2 k).
    """
    if min(one, two) <= SAME**2:  # rounding errors of 0
        return 0.0
    correlation = min(max(covariance / math.sqrt(one * two), -1.0), 1.0)
    return correlation * max(1.0 - SHRINKAGE / cases, 0.0)


def find_tails(
    limits: Callable[[float], tuple[float, float]], estimate: float, null: float
) -> tuple[float, float]:
    """One-sided p-values: tails at which the upper, and the lower, limit is `null`.

    `limits`: function of the probability beyond each limit.
    """
    side = math.copysign(1.0, estimate - null)

    def gap(z: float) -> float:
        """Distance from `null` to the limit on its side, which is nearly linear in z."""
        return side * (limits(float(ndtr(-z)))[0 if side > 0.0 else 1] - null)

    tail = float(ndtr(-find_zero(gap)))
    return (1.0 - tail, tail) if side > 0.0 else (tail, 1.0 - tail)


def find_zero(
    gap: Callable[[float], float], farthest: float = FARTHEST, exact: float = 0.0
) -> float:
    """Zero of a falling function from 0 to `farthest`; one of these if it has no zero between.

    Regula falsi, with a bisection after every step that does not halve the bracket. Where the
    function jumps, the bracket shrinks to the jump; NaN counts as below zero. `exact`: absolute
    value that counts as zero.
    """
    near, far, slow = 0.0, 2.0, False
    at_near, at_far = gap(near), gap(far)
    if at_near <= 0.0:
        return near
    while at_far > 0.0 and far < farthest:
        near, at_near, far = far, at_far, min(2.0 * far, farthest)
        at_far = gap(far)
    while not at_far > 0.0 and (width := far - near) > NARROW * far:
        # Not at an end, so that both ends approach the zero; 0.01 for NaN.
        share = 0.5 if slow else min(0.99, max(0.01, at_near / (at_near - at_far)))
        at = near + width * share
        found = gap(at)
        if abs(found) <= exact:
            return at
        if found > 0.0:
            near, at_near = at, found
        else:
            far, at_far = at, found
        slow = far - near > width / 2.0
    return far

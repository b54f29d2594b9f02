"""Score limits for the cost: all costs that a test at their likeliest rates does not reject."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.cost.limits import Limits, Observed

__all__ = ["score"]

_HALVINGS = 60
_TINY = 1e-290  # keeps 0 / p at 0 where p is 0


class _Class(NamedTuple):
    """Errors of one class at each condition, and the weight of its error rate."""

    weight: FloatArray
    wrong: FloatArray
    size: FloatArray

    def slope(self, p: FloatArray) -> FloatArray:
        """Return the derivative of the log-likelihood at p."""
        right = self.size - self.wrong
        return np.asarray(self.wrong / np.maximum(p, _TINY) - right / np.maximum(1.0 - p, _TINY))

    def variance(self, p: FloatArray) -> FloatArray:
        """Variance of the class's part in the cost."""
        return np.asarray(self.weight**2 * p * (1.0 - p) / self.size)


def score(seen: Observed, level: float) -> Limits:
    """Costs c with (cost - c)^2 <= z^2 V(c), V at the likeliest rates that cost c."""
    cost, (light, heavy) = seen.cost, _by_weight(seen)
    z = float(ndtri((1.0 + level) / 2.0))

    def holds(c: FloatArray) -> BoolArray:
        p, q = _likeliest(light, heavy, c)
        return np.asarray((cost - c) ** 2 <= z**2 * (light.variance(p) + heavy.variance(q)))

    ends = [_border(cost, np.full_like(cost, end), holds) for end in (0.0, 1.0)]
    # Where one class has no weight it is a single rate: Wilson's limits, without bisection.
    alone = wilson_limits(heavy.wrong / heavy.size, heavy.size, level)
    low, high = (np.where(light.weight > 0, end, one) for end, one in zip(ends, alone, strict=True))
    return Limits(cost, low, high)


def _by_weight(seen: Observed) -> tuple[_Class, _Class]:
    """Both classes, at each condition the one with the smaller weight first.

    The rate of the heavier one then follows from the other's without losing digits.
    """
    w, errors = seen.at.w, seen.errors
    first = w <= 0.5
    pairs = ((w, 1.0 - w), (errors.fn, errors.fp), (errors.n_pos, errors.n_neg))
    light = [np.where(first, one, two).astype(np.float64) for one, two in pairs]
    heavy = [np.where(first, two, one).astype(np.float64) for one, two in pairs]
    return _Class(*light), _Class(*heavy)


def _likeliest(light: _Class, heavy: _Class, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rates that cost c and make the observed errors most likely: bisection of the slope."""
    a, b = np.maximum(light.weight, _TINY), heavy.weight
    low, high = np.clip((c - b) / a, 0.0, 1.0), np.clip(c / a, 0.0, 1.0)
    for _ in range(_HALVINGS):
        p = (low + high) / 2.0
        rises = light.slope(p) > a / b * heavy.slope(np.clip((c - a * p) / b, 0.0, 1.0))
        low, high = np.where(rises, p, low), np.where(rises, high, p)
    p = (low + high) / 2.0
    return p, np.clip((c - a * p) / b, 0.0, 1.0)


def _border(
    inside: FloatArray, outside: FloatArray, holds: Callable[[FloatArray], BoolArray]
) -> FloatArray:
    """Where a condition that holds at `inside` stops to hold on the way to `outside`."""
    inside = np.where(holds(outside), outside, inside)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2.0
        good = holds(middle)
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    return inside

"""Score limits for the cost: all costs that a score test does not reject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.method import Extra
from rocbands.cost.counts import WeightedCounts
from rocbands.cost.method import CostLimits, CostMethod

_HALVINGS = 60
_TINY = 1e-290  # keeps 0 / p at 0 where p is 0


@dataclass(frozen=True)
class ScoreCost(CostMethod):
    """Costs c with (cost - c)^2 <= z^2 V(c), with V at the maximum likelihood rates of cost c.

    Formula (C6) of docs/formulas.md. Close to 'mover', and about fifty times slower; it serves as a
    check. One classifier only, with class sizes taken as fixed.
    """

    name: ClassVar[str] = "score"
    guarantee: ClassVar[str] = "approximate; measured within .04 of 'mover', mostly within .01"
    idea: ClassVar[str] = "all costs that a score test does not reject"
    references: ClassVar[tuple[str, ...]] = (
        "Miettinen and Nurminen (1985), Comparative analysis of two rates, Statistics in Medicine "
        "4, 213-226.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("bins",)

    def find_limits(self, counts: WeightedCounts, level: float, critical: float) -> CostLimits:
        cost, (light, heavy) = counts.mean, _order_by_weight(counts)

        def is_accepted(c: FloatArray) -> BoolArray:
            p, q = _find_most_likely(light, heavy, c)
            variance = light.find_variance(p) + heavy.find_variance(q)
            return np.asarray((cost - c) ** 2 <= critical**2 * variance)

        ends = [_find_border(cost, np.full_like(cost, end), is_accepted) for end in (0.0, 1.0)]
        # If one class has no weight, the cost is a single rate: Wilson's limits, without bisection.
        alone = wilson_limits(heavy.wrong / heavy.size, heavy.size, level)
        lower, upper = (
            np.where(light.weight > 0, end, one) for end, one in zip(ends, alone, strict=True)
        )
        return CostLimits(cost, lower, upper)


class _Class(NamedTuple):
    """Errors of one class at each condition, and the weight of its error rate."""

    weight: FloatArray
    wrong: FloatArray
    size: FloatArray

    def find_slope(self, p: FloatArray) -> FloatArray:
        """Return the derivative of the log-likelihood at p."""
        right = self.size - self.wrong
        return np.asarray(self.wrong / np.maximum(p, _TINY) - right / np.maximum(1.0 - p, _TINY))

    def find_variance(self, p: FloatArray) -> FloatArray:
        """Variance of the class's contribution to the cost."""
        return np.asarray(self.weight**2 * p * (1.0 - p) / self.size)


def _order_by_weight(counts: WeightedCounts) -> tuple[_Class, _Class]:
    """Both classes, at each condition the one with the smaller weight first.

    The rate of the heavier class then follows from the other without loss of digits.
    """
    first = counts.weight[0] <= counts.weight[1]
    sizes = np.broadcast_to(counts.sizes, counts.up.shape)
    pairs = (counts.weight, counts.up.astype(np.float64), sizes.astype(np.float64))
    light = [np.where(first, one, two) for one, two in pairs]
    heavy = [np.where(first, two, one) for one, two in pairs]
    return _Class(*light), _Class(*heavy)


def _find_most_likely(light: _Class, heavy: _Class, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rates that cost c and make the observed errors most likely: bisection of the slope.

    The likelihood is concave along a p + b q = c, and its slope there is l'(p) - a/b l'(q).
    """
    a, b = np.maximum(light.weight, _TINY), heavy.weight
    # Range of p for which q = (c - a p) / b lies in [0, 1].
    low, high = np.clip((c - b) / a, 0.0, 1.0), np.clip(c / a, 0.0, 1.0)
    for _ in range(_HALVINGS):
        p = (low + high) / 2.0
        q = np.clip((c - a * p) / b, 0.0, 1.0)
        rises = light.find_slope(p) > a / b * heavy.find_slope(q)
        low, high = np.where(rises, p, low), np.where(rises, high, p)
    p = (low + high) / 2.0
    return p, np.clip((c - a * p) / b, 0.0, 1.0)


def _find_border(
    inside: FloatArray, outside: FloatArray, is_accepted: Callable[[FloatArray], BoolArray]
) -> FloatArray:
    """Boundary of the accepted costs between `inside` and `outside`."""
    inside = np.where(is_accepted(outside), outside, inside)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2.0
        good = is_accepted(middle)
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    return inside

"""One class of cases on one axis: how far a rate lies from a count, as a log-likelihood ratio.

Formulas (E1), (E2), (E6) and (E13) of docs/likelihood.md. The slow version is `cost` in
tests/oracles/likelihood.py, compared in tests/likelihood/test_margin.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray

# Class sizes (positives, negatives) of a future set, where points are its rates.
Future: TypeAlias = tuple[int, int] | None

# Sides of a count on which a rate costs something.
LEFT, RIGHT = -1, 1

# Arrays without dimensions, with which NumPy is quicker than with floats.
_ZERO, _TINY = np.array(0.0), np.array(1e-100)
_LONGEST_DOWN, _LONGEST_UP = np.array(-4.0), np.array(4.0)


def log_rates(rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln(rate) and ln(1 - rate), very small but finite where a rate is 0 or 1."""
    return np.log(np.maximum(rate, 1e-300)), np.log(np.maximum(1.0 - rate, 1e-300))


def deviance(
    k: FloatArray, size: float | FloatArray, shift: FloatArray, most: float = 1.0
) -> FloatArray:
    """Log-likelihood ratio of `k` out of `size` against an expected `k + shift`, by (E6)."""
    # The `log1p` of the relative shift keeps all digits: the difference of two entropies, (E5),
    # would lose seven at ten million cases. No cell shrinks by more than the share `most`, but for
    # rounding, which must not take the logarithm of a negative number.
    rest = size - k
    # An empty cell contributes 0 ln 0 = 0: any finite logarithm will do.
    # ln 0 = -inf is meant: a rate of exactly 0 or 1 excludes the opposite outcome.
    with np.errstate(divide="ignore"):
        hit = k * np.log1p(np.maximum(shift / np.maximum(k, 1e-200), -most))
        miss = rest * np.log1p(np.maximum(-shift / np.maximum(rest, 1e-200), -most))
    return np.maximum(-hit - miss, 0.0)


def _log_odds_change(k: FloatArray, size: float, shift: FloatArray) -> FloatArray:
    """Return logit(k / size) - logit((k + shift) / size), for a k strictly inside (0, size)."""
    # The compared rate may be 0 or 1, where the infinite log odds are the right answer; rounding
    # must not take it any further.
    with np.errstate(divide="ignore"):
        up = np.log1p(np.maximum(-shift / (size - k), -1.0))
        change: FloatArray = up - np.log1p(np.maximum(shift / k, -1.0))
    return change


@dataclass(frozen=True, slots=True)
class Margin:
    """The cases of one class; with a future set the cost is that of equal rates, (E2)."""

    size: int  # number of cases observed
    # Number of cases of this class in a future set, or None when the rate that a count is compared
    # with is a true rate, known without error.
    future: int | None = None

    @property
    def weight(self) -> float:
        """Part of the variance of a difference of rates due to the observed count: rho of (E10)."""
        return 1.0 if self.future is None else self.future / (self.size + self.future)

    @property
    def effective(self) -> float:
        """Number of cases for which one rate has the variance of the difference of rates."""
        return self.size * self.weight

    def finite(self, rate: FloatArray) -> BoolArray:
        """Tell where the cost is finite whatever the count: not at a true rate of 0 or 1."""
        inside: BoolArray = (rate > 0) & (rate < 1)
        return inside if self.future is None else np.ones_like(inside)

    def cost(self, k: FloatArray, rate: FloatArray, side: int) -> FloatArray:
        """(E1) or (E2) of `rate` against the count `k`; zero unless it lies on `side` of it."""
        shift = self.size * rate - k
        shift = np.minimum(shift, 0.0) if side == LEFT else np.maximum(shift, 0.0)
        if self.future is None:
            return deviance(k, self.size, shift)
        # Both counts differ from their pooled expectation by the same amount, with opposite signs:
        # the one-sample shift times future / (size + future).
        shift = shift * self.weight
        own = deviance(k, self.size, shift, self.weight)
        other = self.size / (self.size + self.future)
        return own + deviance(self.future * rate, self.future, -shift, other)

    def slope(self, k: FloatArray, rate: FloatArray) -> FloatArray:
        """Differentiate the two-sided cost by `k`, strictly inside (0, size), as (E8) needs."""
        return _log_odds_change(k, self.size, self.weight * (self.size * rate - k))

    def curvature(self, k: FloatArray, rate: FloatArray) -> FloatArray:
        """Differentiate the cost twice by `k`, strictly inside (0, size), as (E8) needs."""
        own: FloatArray = 1.0 / k + 1.0 / (self.size - k)
        if self.future is None:
            return own
        pooled = k + self.future * rate
        # Summed so that nothing cancels: the rest is above 0 also among 1e9 cases.
        rest = (self.size - k) + self.future * (1.0 - rate)
        return own - 1.0 / pooled - 1.0 / rest

    def slope_in_log_odds(self, k: FloatArray, rate: FloatArray) -> FloatArray:
        """Differentiate the cost by the log odds of the rate: m v - j in (E11)."""
        shift = self.size * rate - k
        if self.future is None:
            return shift
        count = self.future * rate
        # Finite log odds; their product with v (1 - v) is 0 at the ends.
        inside = np.clip(count, 1e-300, self.future * (1.0 - 2.0**-53))
        scale: FloatArray = count * (1.0 - rate)
        return scale * _log_odds_change(inside, self.future, -self.weight * shift)


class Margins(NamedTuple):
    """The two axes: negatives along the false-positive rate, positives along the true one."""

    neg: Margin
    pos: Margin

    def cost(self, fp: FloatArray, tp: FloatArray, u: FloatArray, v: FloatArray) -> FloatArray:
        """Cost of the point (u, v) at the empirical point (fp, tp), the sum in (E3)."""
        return self.neg.cost(fp, u, LEFT) + self.pos.cost(tp, v, RIGHT)


def margins_of(n_pos: int, n_neg: int, future: Future) -> Margins:
    """Pair the class sizes with those of a future set `(n_pos, n_neg)`, if there is one."""
    later_pos, later_neg = (None, None) if future is None else future
    return Margins(Margin(n_neg, later_neg), Margin(n_pos, later_pos))


def parabola_step(gap: FloatArray, slope: FloatArray, curvature: FloatArray) -> FloatArray:
    """Step to where a parabola with this slope and curvature has risen by `gap`, (E13)."""
    # Costs are nearly parabolas in the log odds of the rate, and nearly straight toward 0 and 1:
    # the root is written so that it also holds without curvature. Steps are at most 4 long.
    # In place: with a few hundred numbers a new array costs as much as the arithmetic.
    slope = np.maximum(slope, _ZERO)
    step = gap + gap
    root = slope * slope
    root += curvature * step
    np.maximum(root, _TINY, out=root)
    np.sqrt(root, out=root)
    root += slope
    step /= root
    np.maximum(step, _LONGEST_DOWN, out=step)
    limited: FloatArray = np.minimum(step, _LONGEST_UP, out=step)
    return limited

"""The likelihood region of gains curves when the prevalence is estimated from the same rows.

Formulas (P6) to (P10) of docs/likelihood.md, "Profiles"; in the code x is the rate r, the share of
all rows called positive. The searches are in :mod:`rocbands.likelihood.profile`.

A reference implementation, which searches all prevalences and points, is
tests/oracles/profile.py, compared in tests/likelihood/test_profile.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.likelihood.margin import deviance
from rocbands.likelihood.profile import ROUNDS, SMALLEST, TINY, ProfileMinimum, ProfileRegion

_LARGEST_ODDS = 34.5  # log odds from which on a recall cannot be told from 1
_SMALLEST_COST = 1e-14  # instead of 0
_EMPTY = 1e-100  # instead of 0: share of an empty cell, and a rate
_BELOW_ONE = 1.0 - 1e-15  # largest mu x, which only a curve's end without true negatives comes to


@dataclass(frozen=True, eq=False)
class GainsProfile(ProfileRegion):
    """The region in the plane of the rate and recall, which half a rotation leaves as it is."""

    @staticmethod
    def _rotate(row: CountArray, x: FloatArray) -> FloatArray:
        # Strictly inside: at rates of 0 and 1 only one point is possible, and logarithms diverge.
        return np.clip(np.where(row > 0, 1.0 - x, x), _EMPTY, 1.0 - 1e-16)

    def _multiplier(self, k: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        """Multiplier mu >= 0 at the most likely prevalence, (P6); 0 if at least k are expected."""
        m, n = self.n_pos, self.n_neg
        miss, out = 1.0 - v, 1.0 - x  # complements of recall and rate
        # The smaller root of a2 p^2 - a1 p + a0, written without a difference that cancels.
        low, high = x * miss, out * v
        a1 = m * (low + high) + n * low + k * (high - low)
        a0 = m * (x * out)
        root = np.sqrt(np.maximum(a1 * a1 - (4.0 * (m + n) * v * miss) * a0, 0.0))
        p = 2.0 * a0 / np.maximum(a1 + root, TINY)
        # The larger of the two cells of the negatives tells mu: the other one may be empty.
        few = 2.0 * k < n
        cell = np.where(few, out - p * miss, x - p * v)
        ratio = np.where(few, n - k, k) / ((m + n) * np.maximum(cell, _EMPTY))
        mu = np.where(few, (1.0 - ratio) / x, (ratio - 1.0) / out)
        return np.asarray(np.minimum(np.maximum(mu, 0.0), _BELOW_ONE / x))

    def cost(self, row: CountArray, k: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return the log-likelihood ratio of the three cells, (P7).

        It is the maximum over mu: an error of mu enters squared, and no digits cancel.
        """
        mu = self._multiplier(k, x, v)
        # Where k is no more than expected mu is 0, and so is the cost.
        cost = self.n_pos * np.log1p(mu * (v - x)) + k * np.log1p(mu * (1.0 - x))
        cost += (self.n_neg - k) * np.log1p(-mu * x)
        return np.maximum(cost, 0.0)

    def _cost_slope(
        self, row: CountArray, k: FloatArray, x: FloatArray, v: FloatArray
    ) -> FloatArray:
        """Return ln(1 + mu (1 - x)) - ln(1 - mu x): mu may be held fixed, being the best one."""
        mu = self._multiplier(k, x, v)
        return np.asarray(np.log1p(mu * (1.0 - x)) - np.log1p(-mu * x))

    def limits(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest recall at each rate."""
        row, x = np.repeat([0, 1], x.size), np.concatenate((x, 1.0 - x))  # both sides at once
        v = np.clip(x, 0.0, 1.0)  # at rate 0 and 1 recall is 0 and 1 whatever the data
        inside = np.flatnonzero((x > 0.0) & (x < 1.0))
        v[inside] = self._largest_recalls(row[inside], x[inside])
        high, low = np.split(v, 2)
        return 1.0 - low, high

    def _largest_recalls(self, row: CountArray, x: FloatArray) -> FloatArray:
        curves, total, v = self._curves, self.n_pos + self.n_neg, np.ones(x.size)
        # Only a point with all positives allows recall 1, where the rate alone is compared.
        called = self.n_pos + curves.fp_end[curves.reaching(np.arange(2), np.ones(2))][row]
        one = deviance(called, total, np.minimum(total * x - called, 0.0)) <= self.critical_value
        todo = np.flatnonzero(~one)
        if not todo.size:
            return v
        row, x = row[todo], x[todo]
        inner, start = map(_log_odds, self._approximate_recalls(row, x))
        start, widest = np.maximum(start, inner), np.full(x.size, _LARGEST_ODDS)
        v[todo] = 1.0 / (1.0 + np.exp(-self._find_edges(row, x, start, inner, widest)))
        return v

    def _approximate_recalls(self, row: CountArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Recall of the curve at each rate, and about the largest one if it is straight, (P10)."""
        m, n, c, total = self.n_pos, self.n_neg, self.critical_value, self.n_pos + self.n_neg
        # Points of the curve at the rate, and on both sides where the rate alone costs c, by (E10).
        far = np.sqrt(2.0 * c * total * x * (1.0 - x)) + 2.0 / 3.0 * c + 1.0
        called = np.clip(total * x + np.outer((-1.0, 0.0, 1.0), far), 0.0, total)
        y = self._on_curve(np.tile(row, 3), called.ravel(), 1.0)[1].reshape(called.shape)
        k, curve = called - y, y[1] / m
        # Half a case keeps the slope and the variances positive and finite.
        slope = (y[2] - y[0] + 0.5) / (k[2] - k[0] + 0.5)
        k, y = np.clip(k[1], 0.5, n - 0.5), np.clip(y[1], 0.5, m - 0.5)
        v = y / m
        variance = m * (v - x) ** 2 + k * (1.0 - x) ** 2 + (n - k) * x**2
        ratio = 1.0 + slope**2 * variance / (y * (1.0 - v))
        angle = np.arcsin(np.sqrt(v)) + np.sqrt(0.5 * c / m * ratio) / (1.0 + slope)
        v = np.sin(np.minimum(angle, 0.5 * np.pi - 0.5 / np.sqrt(m))) ** 2
        # Recall is at most x / p, for p at the lower end of its own interval.
        largest = x * total / m * np.exp(np.sqrt(2.0 * c * n / (m * total)))
        return curve, np.minimum(v, largest)

    def rates(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Largest and smallest rate at each recall, quicker than recalls at rates; without ties."""
        assert not self.tied, "with ties the outermost root need not be at an end of a piece"
        row = np.repeat([0, 1], v.size)
        above, below = np.split(self._edges_at(row, np.concatenate((v, 1.0 - v))), 2)
        return 1.0 - below, above

    def _point(
        self, row: CountArray, fixed: FloatArray, t: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        return fixed, 1.0 / (1.0 + np.exp(-t))

    def _derivatives(
        self, row: CountArray, near: ProfileMinimum, fixed: FloatArray, t: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """By the log odds of v: m mu v (1 - v) / (1 + mu (v - x)), and m v - y for recall."""
        m, n, k, x, v = self.n_pos, self.n_neg, near.fp, fixed, 1.0 / (1.0 + np.exp(-t))
        mu, variance = self._multiplier(k, x, v), v * (1.0 - v)
        shift = np.maximum(m * v - near.tp, 0.0)
        a, b, c = 1.0 + mu * (v - x), 1.0 + mu * (1.0 - x), 1.0 - mu * x
        slope = m * mu * variance / a
        # Second derivatives: of the terms with mu fixed, and along the best mu.
        curvature = slope * (1.0 - 2.0 * v - slope / m) + m * variance * (shift > 0.0)
        spread = m * ((v - x) / a) ** 2 + k * ((1.0 - x) / b) ** 2 + (n - k) * (x / c) ** 2
        curvature += (m * variance / a**2) ** 2 / spread * (mu > 0.0)
        return slope + shift, np.where(curvature > 0.0, curvature, m * variance)

    def _approximate(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray
    ) -> FloatArray:
        """Approximate N x by the expected number of called rows and its normal variance."""
        called = k + self.n_pos * v
        noise = called * called
        noise *= -1.0 / (self.n_pos + self.n_neg)
        noise += called
        noise -= self.n_pos * v * (1.0 - v)
        noise *= 2.0 * budget
        np.sqrt(np.maximum(noise, 0.0, out=noise), out=noise)
        return np.subtract(called, noise, out=called)

    def _tangent(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Tangent at k of the cost at a nu a little below the one where it is the budget, (P8)."""
        m, total = self.n_pos, self.n_pos + self.n_neg
        called = m * v + k
        variance = m * v * v + k - called * called / total
        # For small nu the cost is about nu^2 / 2 times the variance.
        nu = np.minimum(np.sqrt(2.0 * budget / np.maximum(variance, TINY)), 1e6 / v)
        # 0.5% inside, so that rounded budgets exclude nothing; 3% off is close enough.
        nu = self._find_multiplier(k, 0.995 * budget, v, nu, 0.03)[0]
        # (P8) with h fixed is a line in k.
        h = m * v / (1.0 + nu * v) + k / (1.0 + nu)
        base = m * np.log1p(nu * v) + total * np.log1p(nu * h / -total)
        return base, np.log1p(nu), nu / np.sqrt(np.maximum(budget, _SMALLEST_COST))

    def _solve(
        self, row: CountArray, k: FloatArray, v: FloatArray, budget: FloatArray, start: FloatArray
    ) -> FloatArray:
        """Find the rate by (P8); `start` is nu divided by the root of its cost."""
        m, total = self.n_pos, self.n_pos + self.n_neg
        budget = np.maximum(budget, _SMALLEST_COST)
        # Without false positives the multiplier is in proportion to 1 / v.
        start = np.where(k > 0.0, start, np.sqrt(2.0 * total / (m * self.n_neg)) / v)
        nu, beyond = self._find_multiplier(k, budget, v, start * np.sqrt(budget))
        h = m * v / (1.0 + nu * v) + k / (1.0 + nu)
        x = h / (total - nu * h)
        return np.where(beyond, np.exp((m * np.log(v) - budget) / total), x) if beyond.any() else x

    def _find_multiplier(
        self, k: FloatArray, budget: FloatArray, v: FloatArray, nu: FloatArray, close: float = 5e-5
    ) -> tuple[FloatArray, BoolArray]:
        """Find nu where the cost (P8) is the budget, by Newton steps of its square root.

        Returns also where no nu is enough, (P9). `nu`: the start; `close`: size of the last step.
        """
        m, total, start = self.n_pos, self.n_pos + self.n_neg, nu
        beyond = k >= self.n_neg
        if beyond.any():
            # The cost at the rate of an infinite nu, where h nu = m + k.
            beyond &= budget > m * np.log(v) + total * np.log((m / v + k) / total)
            budget, nu = budget * ~beyond, nu * ~beyond
        # Both terms of h, and both of their factors, in one array: fewer calls, which take most of
        # the time at 1,000 rows.
        goal, seen = np.sqrt(2.0 * budget), np.array([m * v, k])
        for _ in range(ROUNDS):
            factors = np.array([nu * v, nu])
            logs = np.log1p(factors)
            factors += 1.0
            terms = seen / factors
            h = terms[0] + terms[1]
            called = nu * h
            cost = m * logs[0] + k * logs[1] + total * np.log1p(called / -total)
            root = np.sqrt(2.0 * np.maximum(cost, TINY))  # nearly straight in nu
            terms /= factors  # -dh/dnu = their sum
            slope = nu * (total * (terms[0] * v + terms[1]) - h * h)
            new = nu + (goal - root) * root * (total - called) / np.maximum(slope, TINY)
            new = np.minimum(np.maximum(new, 0.25 * nu), 8.0 * nu)  # stay positive
            step, nu = np.abs(new - nu), new
            if (step <= close * nu).all():
                break
        return np.where(beyond, start, nu), beyond


def _log_odds(v: FloatArray) -> FloatArray:
    v = np.clip(v, SMALLEST, 1.0 - SMALLEST)
    return np.log(v / (1.0 - v))

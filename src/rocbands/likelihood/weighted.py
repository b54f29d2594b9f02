"""Distances from a curve of weighted or dependent rows.

Formulas (E21) to (E24) of docs/likelihood.md: costs with effective sample sizes at each vertex
(:mod:`rocbands.design.effective_sizes`), their combination by the correlation of the two rates, and
running maxima that keep the edges monotone. The slow version is `Design` in
tests/oracles/weighted_band.py, compared in tests/likelihood/test_weighted.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
from scipy.special import expit, logit

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.design.effective_sizes import ClassSizes
from rocbands.likelihood.margin import deviance

_MOST_CORRELATION = 0.8  # up to which (E22) grows with both costs
_CHUNK = 1 << 17  # costs held at once
# Stands for the logarithm of 0: multiplied by 0 it is 0, by anything else it exceeds all costs.
_NEVER = -1e200
_ROUNDS_TO_ONE = 36.0  # log odds from which on a rate rounds to 1
_RUNS = 32  # into which a tested curve is cut at first
_LEAST = 1e-6  # critical value: below it, at levels near 0, a curve would be cut without end
_TINY = 1e-11  # pieces of a tested curve that are shorter, on both axes, are points


@dataclass(frozen=True, slots=True)
class _Margin:
    """One class along a curve: what its cost is made of at each vertex."""

    # (E21) is fixed - e ln u - (E - e) ln(1 - u) + E ln(1 - u + theta u), with one logarithm for
    # each vertex and rate, besides two for each rate.
    rate: FloatArray
    k: FloatArray  # e of (E21)
    rest: FloatArray  # E - e
    odds: FloatArray  # theta
    fixed: FloatArray  # the part that does not depend on the rate

    @classmethod
    def from_sizes(cls, one: ClassSizes) -> _Margin:
        k, rest = one.k, one.size - one.k
        logs = [np.log(np.maximum(part, 1e-300) / one.size) for part in (k, rest)]
        fixed = k * (logs[0] - np.log(one.odds)) + rest * logs[1]
        return cls(one.rate, k, rest, one.odds, fixed)

    def take(self, keep: IndexArray) -> _Margin:
        return _Margin(*(getattr(self, one.name)[keep] for one in fields(self)))

    def cost(self, item: IndexArray, u: FloatArray) -> FloatArray:
        """(E21) of true rates at some vertices, on both sides of the observed rate."""
        other = 1.0 - u
        with np.errstate(divide="ignore"):
            hit, miss = (np.maximum(np.log(part), _NEVER) for part in (u, other))
        k, rest = self.k[item], self.rest[item]
        cost: FloatArray = self.odds[item] * u
        cost += other
        np.log(cost, out=cost)
        cost *= k + rest
        cost -= k * hit
        cost -= rest * miss
        cost += self.fixed[item]
        return np.maximum(cost, 0.0, out=cost)


@dataclass(frozen=True, slots=True)
class Side:
    """The curve seen from above; turned by half a circle, from below."""

    neg: _Margin
    pos: _Margin
    correlation: FloatArray | None  # of the two rates at each vertex; None where all are 0

    @classmethod
    def from_sizes(cls, neg: ClassSizes, pos: ClassSizes, correlation: FloatArray) -> Side:
        rho = np.clip(correlation, 0.0, _MOST_CORRELATION)
        return cls(_Margin.from_sizes(neg), _Margin.from_sizes(pos), rho if rho.any() else None)

    def distance(self, u: FloatArray, v: FloatArray) -> FloatArray:
        """Measure how far each point lies above the curve, (E24): 0 at or below it."""
        first = np.searchsorted(self.neg.rate, u, "right") - 1
        last = np.minimum(np.searchsorted(self.pos.rate, v), self.pos.rate.size - 1)
        out = np.zeros(u.size)
        length = last - first + 1
        for part in _cluster_by_length(length):
            # One row for each point; shorter windows repeat their last vertex.
            item = first[part, None] + np.arange(int(length[part].max()))
            end = last[part, None]
            beyond, at_end = item > end, item >= end
            np.minimum(item, end, out=item)
            p = self.neg.cost(item, u[part, None])
            q = self.pos.cost(item, v[part, None])
            # Only the first vertex is at or left of the point, only the last one at its height,
            # if any is: middles of vertical pieces (E25) may end below a rate of 1.
            p[:, 0] = 0.0
            q[at_end & (self.pos.rate[end] >= v[part, None])] = 0.0
            # (E23): running maxima, of positives' costs from the right.
            np.maximum.accumulate(p, axis=1, out=p)
            q[:, ::-1] = np.maximum.accumulate(q[:, ::-1], axis=1)
            total = p + q
            if self.correlation is not None:  # (E22)
                product = np.sqrt(p) * np.sqrt(q)
                product *= 2.0 * self.correlation[item]
                both = product > 0.0
                # Divided before squared: costs that are infinite for all purposes do not overflow.
                np.divide(total, 1.0 - product / np.where(both, total, 1.0), out=total, where=both)
            total[beyond] = np.inf
            out[part] = total.min(axis=1)
        return out

    def heights(self, u: FloatArray, c: float) -> FloatArray:
        """Find where the distance reaches c above each `u`, (E9)."""
        top = np.ones(u.size)
        # A true rate of 1 agrees only with vertices that have all positives above them.
        full = min(int(np.searchsorted(self.pos.rate, 1.0)), self.pos.rate.size - 1)
        # Where that vertex alone costs too much, no long window need be looked at.
        todo = np.flatnonzero(
            self.neg.cost(np.full(u.size, full), u) * (u < self.neg.rate[full]) > c
        )
        rest = np.setdiff1d(np.arange(u.size), todo, assume_unique=True)
        todo = np.sort(np.append(todo, rest[self.distance(u[rest], top[rest]) > c]))
        if not todo.size:
            return top
        u = u[todo]
        here = np.searchsorted(self.neg.rate, u, "right") - 1
        start = self.pos.rate[here]
        # A first guess from every `stride`-th vertex, by recursion, or from angles, (E12).
        stride = int(np.sqrt(self.pos.rate.size) / 16.0)
        if stride > 1:
            keep = np.append(np.arange(0, self.pos.rate.size - 1, stride), self.pos.rate.size - 1)
            rho = None if self.correlation is None else self.correlation[keep]
            some = Side(self.neg.take(keep), self.pos.take(keep), rho)
            guess = np.maximum(some.heights(u, c), start)
        else:
            size = self.pos.k[here] + self.pos.rest[here]
            angle = np.arcsin(np.sqrt(start)) + np.sqrt(c / np.maximum(size, 1.0))
            guess = np.sin(np.minimum(angle, 1.5)) ** 2
        top[todo] = find_crossing(lambda at, v: self.distance(u[at], v), c, start, guess)
        return top

    def contains(self, x: FloatArray, y: FloatArray, limit: float) -> bool:
        """Tell whether no point of a monotone polyline is farther above than `limit`."""
        # Runs whose north-west corner is too far, (E18), are halved: first between points of the
        # polyline, then inside its straight pieces, in which places are not whole numbers.
        limit = max(limit, _LEAST)
        cut = np.unique(np.linspace(0, x.size - 1, min(x.size, _RUNS + 1)).astype(np.intp))
        ends = cut[:-1].astype(np.float64), cut[1:].astype(np.float64)
        if self.distance(x[cut], y[cut]).max() > limit:
            return False
        place = np.arange(x.size)
        while ends[0].size:
            a, b = ends
            corner = np.interp(a, place, x), np.interp(b, place, y)
            keep = self.distance(*corner) > limit
            a, b = a[keep], b[keep]
            middle = np.where(b - a > 1.0, np.floor((a + b) / 2.0), (a + b) / 2.0)
            if (self.distance(*(np.interp(middle, place, side) for side in (x, y))) > limit).any():
                return False
            # A piece that is as short as rounding is a point, and has been looked at.
            long = [
                np.interp(b, place, side) - np.interp(a, place, side) > _TINY for side in (x, y)
            ]
            cuts = (middle > a) & (middle < b) & (long[0] | long[1])
            a, b, middle = a[cuts], b[cuts], middle[cuts]
            ends = np.concatenate((a, middle)), np.concatenate((middle, b))
        return True


def find_crossing(
    distance: Callable[[IndexArray, FloatArray], FloatArray],
    c: float,
    start: FloatArray,
    guess: FloatArray,
) -> FloatArray:
    """Find the shares of segments, between 0 and 1, at which a distance that never falls reaches c.

    `distance`: of the segments with some numbers, at a share of each. `start`: shares at distance
    0.
    """
    # The root of the distance is nearly linear in the log odds: secant steps in a bracket, (E14).
    low, odds = (np.clip(logit(share), -_ROUNDS_TO_ONE, _ROUNDS_TO_ONE) for share in (start, guess))
    goal, found, open_ = np.sqrt(c), odds.copy(), np.arange(odds.size)
    odds = np.clip(odds, low, _ROUNDS_TO_ONE)
    high, last, at_last = np.full(odds.size, _ROUNDS_TO_ONE), low, np.full(odds.size, -goal)
    for trial in range(200):
        rate = expit(odds)
        value = np.sqrt(distance(open_, rate)) - goal
        inside = value <= 0.0
        low, high = np.where(inside, odds, low), np.where(inside, high, odds)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = value * (odds - last) / (value - at_last)
        known = np.isfinite(step) & (odds != last)
        step = np.where(known, np.clip(step, -4.0, 4.0), 4.0 * np.sign(value))
        new = odds - step
        # Steps that leave the bracket, or have not converged after a dozen trials, halve it.
        outside = (new < low) | (new > high) | (trial >= 12)
        new = np.where(outside, 0.5 * (low + high), new)
        found[open_] = np.where(value == 0.0, odds, new)
        # dv = v (1 - v) dt turns steps of log odds into steps of the rate.
        spread = np.maximum(rate * (1.0 - rate), 1e-16)
        done = (np.abs(new - odds) * spread < 1e-11) & (np.abs(value) < 1e-6 * goal) & ~outside
        done |= (value == 0.0) | ((high - low) * spread < 1e-13)
        if done.all():
            break
        go = ~done
        last, at_last = odds[go], value[go]
        open_, odds, low, high = open_[go], new[go], low[go], high[go]
    return np.asarray(expit(found))


def _cluster_by_length(length: IndexArray) -> Iterator[IndexArray]:
    """Windows of more than one vertex, in portions of about equal lengths that fit the cache."""
    order = np.argsort(length, kind="stable")
    order = order[np.searchsorted(length[order], 2) :]
    while order.size:
        longest = int(length[order[-1]])
        least = np.searchsorted(length[order], 0.7 * longest)
        start = max(int(least), order.size - max(_CHUNK // longest, 1))
        yield order[start:]
        order = order[:start]


def limit_shares(
    k: FloatArray, size: FloatArray, odds: FloatArray, bound: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Find the lowest and the highest rate with a cost (E21) of at most `bound` at single vertices.

    Examples
    --------
    >>> low, high = limit_shares(*np.array([[0.0], [10.0], [1.0], [2.0]]))
    >>> print(low, high.round(4), round(1 - np.exp(-0.2), 4))
    [0.] [0.1813] 0.1813
    """
    ends = []
    for edge in (0.0, 1.0):
        inner, outer = k / size, np.full(k.size, edge)
        for _ in range(60):
            middle = (inner + outer) / 2.0
            within = deviance(k, size, size * middle - k) <= bound
            inner, outer = np.where(within, middle, inner), np.where(within, outer, middle)
        # The end itself, where it is within the bound: all rows, or none. Then from P(u) to u.
        inner = np.where(deviance(k, size, size * edge - k) <= bound, edge, inner)
        ends.append(inner / (inner + odds * (1.0 - inner)))
    return ends[0], ends[1]

"""The likelihood region of the gains plane where the prevalence is estimated from the same rows.

At rate x and recall v the cells are p (positives), x - p v (false positives) and 1 - x - p (1 - v);
the most likely p is the smaller root of a quadratic equation (:mod:`rocbands.likelihood.profile`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.likelihood.curves import entropy
from rocbands.likelihood.margin import deviance, parabola_step
from rocbands.likelihood.nearest import last_least
from rocbands.likelihood.profile import MANY, LazyTable, Near, Pieces, ProfileRegion

_ROUNDS = 60
# Recalls closer to 0 or 1 cannot be told from them.
_EDGE = 1e-15
_ODDS = 34.5
_INNER = 1.0 - 1e-12  # of the widest range of a multiplier
_EXACT = 1e-7  # step of log odds that leaves nothing: steps square their error
_NOTHING = 1e-14  # cost that is as good as none
_SHORT = 2e-4  # likewise where steps cube it
_MOST_ENDS = 2048  # of a window; of longer ones some are looked at for a place to start from
_FEW_ROUNDS, _SOME_ENDS = 2, 64
_SLACK = 5e-3  # of costs that are taken for parabolas, as a share of the critical value


@dataclass(eq=False)
class _Search:
    """Columns of a search: rates, and the ends that may be nearest to the point sought above."""

    todo: CountArray  # number of the rate
    x: FloatArray
    odds: FloatArray  # log odds of the recall
    inner: FloatArray  # inner, outer: log odds known to be inside and outside
    outer: FloatArray
    tilt: FloatArray  # multiplier of the rate
    at_k: FloatArray  # about the false positives at the nearest end
    bend: FloatArray  # half the second derivative of their cost
    # Of all ends, one column for each rate: counts and the part of the cost that belongs to recall.
    k: FloatArray
    y: FloatArray
    fixed: FloatArray

    def take(self, go: CountArray) -> _Search:
        """Keep some of the rates."""
        return _Search(*(getattr(self, one.name)[..., go] for one in fields(self)))


@dataclass(frozen=True, eq=False)
class GainsProfile(ProfileRegion):
    """The region in the plane of the rate, the share of all cases called positive, and recall."""

    _outward: ClassVar[float] = 1.0

    def _cells(
        self, k: FloatArray, x: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Most likely shares of positives, false positives and true negatives."""
        m, n = self.n_pos, self.n_neg
        miss, out = 1.0 - v, 1.0 - x
        # The smaller root of a p^2 - b p + c, written without a difference that cancels.
        b = m * (x * miss + out * v) + n * (miss * x) + k * (v * out - miss * x)
        c = m * (x * out)
        root = np.sqrt(np.maximum(b * b - (4.0 * (m + n) * v * miss) * c, 0.0))
        p = 2.0 * c / np.maximum(b + root, 1e-300)
        return p, np.maximum(x - p * v, 0.0), np.maximum(out - p * miss, 0.0)

    def cost(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Log-likelihood ratio of positives, false positives and true negatives."""
        return self._cost(k, x, v, up, self._cells(k, x, v))

    def _cost(
        self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool, cells: tuple[FloatArray, ...]
    ) -> FloatArray:
        m, n = self.n_pos, self.n_neg
        expected = (m + n) * x - m * v
        total = np.zeros(np.broadcast_shapes(k.shape, x.shape))
        with np.errstate(divide="ignore"):
            for seen, share in zip((np.asarray(m), k, n - k), cells, strict=True):
                # An empty cell contributes 0 ln 0 = 0.
                ratio = np.where(seen > 0, np.maximum(seen, 1e-300) / ((m + n) * share), 1.0)
                total += seen * np.log(ratio)
        counts = k > expected if up else k < expected
        return np.where(counts, np.maximum(total, 0.0), 0.0)

    def slope(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Differentiate by k at the best prevalence, which may be held fixed there."""
        _, false, true = self._cells(k, x, v)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.log(k / false) - np.log((self.n_neg - k) / true)
        expected = (self.n_pos + self.n_neg) * x - self.n_pos * v
        counts = k > expected if up else k < expected
        return np.where(counts, slope, 0.0)

    def _entropy(self, fp: FloatArray) -> LazyTable:
        return LazyTable(entropy, fp, self.n_neg)

    def _rank(
        self, pieces: Pieces, item: CountArray, owner: CountArray, x: FloatArray, v: FloatArray,
        up: bool,
    ) -> FloatArray:  # fmt: skip
        k, m, n = pieces.fp_end[item], self.n_pos, self.n_neg
        shares = (np.log(np.maximum(share, 1e-300)) for share in self._cells(k, x[owner], v[owner]))
        positives, false, true = shares
        own = m * np.log(m / (m + n)) + n * np.log(n / (m + n))
        value = own + pieces.fp_entropy.take(item) - m * positives - k * false - (n - k) * true
        expected = ((m + n) * x - m * v)[owner]
        return np.where(k > expected if up else k < expected, value, 0.0)

    def _reach(self, near: Near, at: FloatArray, now: FloatArray, up: bool) -> FloatArray:
        """Find the recall at which the two costs together are the critical value."""
        m, n, way = self.n_pos, self.n_neg, 1.0 if up else -1.0
        c, end = self.critical_value, 1.0 if up else 0.0
        found = np.full(at.size, end)
        # Only a point with all positives, or none, leads to the end.
        last = near.tp == (m if up else 0)
        todo = np.flatnonzero(~(last & (self.cost(near.fp, at, found, up) <= c)))
        k, y, x = near.fp[todo], near.tp[todo], at[todo]
        odds = np.clip(now[todo], _EDGE, 1.0 - _EDGE)
        odds = np.log(odds / (1.0 - odds))
        inner = np.clip(k, 0.5, n - 0.5)
        spread = m * m / inner + m * m / (n - inner)
        # low, high: log odds known to be inside and outside, both in the direction of the search.
        low, high = np.full(todo.size, -_ODDS), np.full(todo.size, _ODDS)
        for trial in range(_ROUNDS):
            v = 1.0 / (1.0 + np.exp(-odds))
            cells = self._cells(k, x, v)
            p, false, true = cells
            shift = m * v - y
            shift = np.maximum(shift, 0.0) if up else np.minimum(shift, 0.0)
            cost = self._cost(k, x, v, up, cells)
            gap = c - cost - deviance(y, m, shift)
            var = v * (1.0 - v)
            # The derivative by v, p k / false - p (n - k) / true at the best prevalence, with that
            # prevalence's own equation put in: one of the two cells may be empty.
            pull = np.where(
                2.0 * k < n,
                (1.0 - v) * (m - p * (n - k) / np.maximum(true, 1e-300)),
                v * (p * k / np.maximum(false, 1e-300) - m),
            )
            pull = np.where(cost > 0.0, pull, 0.0) + shift
            step = parabola_step(gap, way * pull, var * (m + spread * var))
            inside = gap >= 0.0
            low, high = np.where(inside, way * odds, low), np.where(inside, high, way * odds)
            new = way * odds + step
            # Where an axis begins to cost the parabola breaks, and steps may go to and fro.
            good = (new > low) & (new < high) & (trial < 6 or trial % 2 == 0)
            new = np.where(good, new, 0.5 * (low + high))
            going = np.abs(new - way * odds) > _EXACT
            odds = way * new
            found[todo] = 1.0 / (1.0 + np.exp(-odds))
            if not going.any():
                break
            todo = todo[going]
            k, y, x, odds, spread, low, high = (
                side[going] for side in (k, y, x, odds, spread, low, high)
            )
        return found

    @staticmethod
    def _points(at: FloatArray, found: FloatArray) -> tuple[FloatArray, FloatArray]:
        return at, found

    def limits(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest recall at each rate."""
        # At rate 0 and 1 recall is 0 and 1 whatever the data.
        found = np.repeat(np.clip(x, 0.0, 1.0)[None], 2, axis=0)
        inside = np.flatnonzero((x > 0.0) & (x < 1.0))
        if inside.size:
            x = x[inside]
            recall, exact = self._from_ends(x)
            for up in (False, True):
                found[int(up), inside] = self._find_edge(x, recall[int(up)], exact[int(up)], up)
        return found[0], found[1]

    def rates(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Largest and smallest rate at each recall, quicker than recalls at rates; without ties."""
        assert not self.tied, "along tied segments ends do not lead farthest"
        # The largest is the complement of the smallest of the curve turned by half a circle.
        below, above = self._edges_at(v)
        return 1.0 - below, above

    def _roughly(self, k: FloatArray, left: FloatArray, v: FloatArray, q: int) -> FloatArray:
        """Return about N x, from a normal approximation."""
        called = k + self.n_pos * v
        noise = called * called
        noise *= -1.0 / (self.n_pos + self.n_neg)
        noise += called
        noise -= self.n_pos * v * (1.0 - v)
        noise *= 2.0 * left
        np.sqrt(np.maximum(noise, 0.0, out=noise), out=noise)
        return np.subtract(called, noise, out=called)

    def _tangent(
        self, k: FloatArray, left: FloatArray, v: FloatArray, low: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        m, total = self.n_pos, self.n_pos + self.n_neg
        called = m * v + k
        noise = m * v * v + k - called * called / total
        tilt = np.minimum(np.sqrt(2.0 * left / np.maximum(noise, 1e-300)), 1e6 / v)
        tilt = self._find_tilt(k, 0.995 * left, v, tilt, 0.03)[0]
        h = m * v / (1.0 + tilt * v) + k / (1.0 + tilt)
        base = m * np.log1p(tilt * v) + total * np.log1p(tilt * h / -total)
        return base, np.log1p(tilt), tilt / np.sqrt(np.maximum(left, _NOTHING))

    def _lead(
        self, k: FloatArray, left: FloatArray, v: FloatArray, low: BoolArray, now: FloatArray
    ) -> FloatArray:
        m, total = self.n_pos, self.n_pos + self.n_neg
        left = np.maximum(left, _NOTHING)
        # Without false positives it is in proportion to 1 / v.
        first = np.sqrt(2.0 * total / (m * self.n_neg)) / v
        tilt, full = self._find_tilt(k, left, v, np.where(k > 0.0, now, first) * np.sqrt(left))
        h = m * v / (1.0 + tilt * v) + k / (1.0 + tilt)
        x = h / (total - tilt * h)
        return np.where(full, np.exp((m * np.log(v) - left) / total), x) if full.any() else x

    def _find_tilt(
        self, k: FloatArray, left: FloatArray, v: FloatArray, tilt: FloatArray, close: float = 5e-5
    ) -> tuple[FloatArray, BoolArray]:
        """Find multipliers at which k false positives cost what is left, and where none is enough.

        With a multiplier s >= 0 the cells are in proportion to m / (1 + s v), k / (1 + s) and
        n - k. With h = m v / (1 + s v) + k / (1 + s) the rate is h / (N - s h), and the cost
        m ln(1 + s v) + k ln(1 + s) + N ln(1 - s h / N). Its square root is nearly straight in s.
        Without true negatives the cost is m ln(v) - N ln(x) beyond the rate of an infinite s.
        """
        m, total, start = self.n_pos, self.n_pos + self.n_neg, tilt
        full = k >= self.n_neg
        if full.any():
            full &= left > m * np.log(v) + total * np.log((m / v + k) / total)
            left, tilt = left * ~full, tilt * ~full
        goal, seen = np.sqrt(2.0 * left), np.array([m * v, k])
        for _ in range(_ROUNDS):
            turned = np.array([tilt * v, tilt])
            logs = np.log1p(turned)
            turned += 1.0
            part = seen / turned
            h = part[0] + part[1]
            called = tilt * h
            cost = m * logs[0] + k * logs[1] + total * np.log1p(called / -total)
            root = np.sqrt(2.0 * np.maximum(cost, 1e-300))
            part /= turned
            slope = tilt * (total * (part[0] * v + part[1]) - h * h)
            new = tilt + (goal - root) * root * (total - called) / np.maximum(slope, 1e-300)
            new = np.minimum(np.maximum(new, 0.25 * tilt), 8.0 * tilt)
            step, tilt = np.abs(new - tilt), new
            if (step <= close * tilt).all():
                break
        return np.where(full, start, tilt), full

    def _from_ends(self, x: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Find the smallest and largest recall from the ends of pieces within reach; where exactly.

        The lower limits are upper ones of the curve turned by half a circle. The cost of k false
        positives is the largest, over a multiplier t >= 0 of the rate (Owen's empirical
        likelihood), of m ln(1 + t (v - x)) + k ln(1 + t (1 - x)) + (n - k) ln(1 - t x): for each t
        a line in k that is nowhere above the cost. Newton's steps lead to where the nearest end
        does, in t and in the log odds of v together; the lines leave few ends that may be nearer.
        """
        ends, q, total = self._curves, x.size, self.n_pos + self.n_neg
        row, x = np.repeat([0, 1], q), np.concatenate((x, 1.0 - x))
        # Only a point with all positives leads to recall 1, where the rate alone is compared.
        called = self.n_pos + ends.fp_end[ends.reaching(np.arange(2), np.ones(2))][row]
        exact = deviance(called, total, np.minimum(total * x - called, 0.0)) <= self.critical_value
        odds, todo = np.full(2 * q, np.inf), np.flatnonzero(~exact)
        if todo.size:
            search, complete = self._lay_out(todo, x[todo], row[todo])
            complete &= ends.slanted is None
            for trial in range(_ROUNDS if complete else _FEW_ROUNDS):
                done = self._step(search, trial)
                odds[search.todo] = search.odds
                exact[search.todo] = done & complete
                go = np.flatnonzero(~done)
                if not go.size:
                    break
                if go.size < 0.6 * done.size:
                    search = search.take(go)
        odds[q:] *= -1.0
        found = 1.0 / (1.0 + np.exp(-odds))
        return found.reshape(2, q)[::-1], exact.reshape(2, q)[::-1]

    def _lay_out(self, todo: CountArray, x: FloatArray, row: CountArray) -> tuple[_Search, bool]:
        """Collect the ends within reach of each rate and where to start; tell whether all of them.

        A curve that is straight near the rate leads to where the noise of both axes does. Turned
        into angles counts have even noise.
        """
        m, n, c, ends = self.n_pos, self.n_neg, self.critical_value, self._curves
        total, key = m + n, ends.fp_end + ends.tp_end
        split = ends.half
        key[split:] += total + 2.0
        # The rate alone costs no more than the whole.
        far = np.sqrt(2.0 * c * total * x * (1.0 - x)) + 2.0 / 3.0 * c + 1.0
        called = np.array([total * x - far, total * x, total * x + far])
        first, last = np.searchsorted(key, called[::2] + row * (total + 2.0))
        start, stop = np.array([[0, split], [split, key.size]])[:, row] - [[0], [1]]
        first, last = np.maximum(first - 1, start), np.minimum(last, stop)
        longest = int((last - first).max())
        # Of more ends some will do: what they lead to is where to start from.
        stride = 1 if longest < _MOST_ENDS else 1 + longest // _SOME_ENDS
        piece = np.minimum(first + np.arange(0, longest + 1, stride)[:, None], last)
        place = np.minimum(np.maximum(called + row * (total + 2.0), key[start]), key[stop])
        fp = np.interp(place, key, ends.fp_end)
        tp = place - row * (total + 2.0) - fp
        rest = np.minimum(np.maximum(called, 0.0), total) - fp - tp
        k0, k, k1 = fp + np.maximum(rest, 0.0)
        y0, y, y1 = tp + np.minimum(rest, 0.0)
        slope = (y1 - y0 + 0.5) / (k1 - k0 + 0.5)  # in counts
        y, k = (np.minimum(np.maximum(a, 0.5), b - 0.5) for a, b in ((y, m), (k, n)))
        v = y / m
        spread = m * (v - x) ** 2 + k * (1.0 - x) ** 2 + (n - k) * x**2
        noise = y * (1.0 - v) + slope**2 * spread
        # Along the line of one rate a count more of one class is one less of the other.
        angle = np.sqrt(0.5 * c / m * noise / (y * (1.0 - v))) / (1.0 + slope)
        angle += np.arcsin(np.sqrt(v))
        tilt = slope * np.sqrt(2.0 * c / noise)
        odds = 2.0 * np.log(np.tan(np.minimum(angle, 0.5 * np.pi - 0.5 / np.sqrt(m))))
        wide = np.full(x.size, _ODDS)
        search = _Search(
            todo=todo, x=x, odds=odds, inner=-wide, outer=wide,
            tilt=np.minimum(tilt, 0.5 / x), at_k=k + tilt * spread, bend=0.5 / spread,
            k=ends.fp_end[piece], y=ends.tp_end[piece], fixed=ends.pos_entropy(piece),
        )  # fmt: skip
        return search, stride == 1

    def _choose(
        self, at: _Search, v: FloatArray, slack: float
    ) -> tuple[CountArray, CountArray, FloatArray, FloatArray]:
        """Choose ends that may be nearest: columns, rows, costs of recall, and what decides.

        With no slack the end that is nearest if costs are parabolas in k; else all ends whose lines
        are below what it costs then, and the slack.
        """
        m, n, x, each = self.n_pos, self.n_neg, at.x, np.arange(at.x.size)
        log_a, log_b, log_c = np.log1p(at.tilt * np.array([v - x, 1.0 - x, -x]))
        slope = log_b - log_c
        own = at.y * -at.odds
        own += at.fixed
        own += m * np.log1p(np.exp(at.odds))
        own *= at.y < m * v
        # Up to the expected number false positives cost nothing.
        more = np.maximum(at.k, (m + n) * x - m * v)
        more -= at.at_k
        line = more * slope
        line += m * log_a + at.at_k * slope + n * log_c
        more *= more
        more *= at.bend
        more += line
        more += own
        near = more.argmin(axis=0)
        most = more[near, each]
        if not slack:
            return each, near, own[near, each], most
        np.maximum(line, 0.0, out=line)
        line += own
        most = np.maximum(most, line[near, each]) + slack
        owner, near = np.nonzero((line <= most).T)
        return owner, near, own[near, owner], most

    def _step(self, at: _Search, trial: int) -> BoolArray:
        """Step to where the end leads that leads farthest, and tell where that is exact."""
        m, n, c, each = self.n_pos, self.n_neg, self.critical_value, np.arange(at.x.size)
        slack, v = _SLACK * c * 4.0**trial * (trial > 0), 1.0 / (1.0 + np.exp(-at.odds))
        owner, near, own, most = self._choose(at, v, slack)
        k, y, v, x = at.k[near, owner], at.y[near, owner], v[owner], at.x[owner]
        shift, var = np.maximum(m * v - y, 0.0), v * (1.0 - v)
        if m > MANY:
            own = deviance(y, m, shift)
        tilt, sides = self._tilt(k, x, v), np.array([v - x, 1.0 - x, -x])
        turned, seen = 1.0 + tilt * sides, np.array([np.full(k.size, float(m)), k, n - k])
        value = (seen * np.log1p(tilt * sides)).sum(axis=0) + own
        spread = (seen * (sides / turned) ** 2).sum(axis=0)
        # Derivatives by the log odds of v, along which t stays the best one.
        pull, cross = m * tilt * var / turned[0], m * var / turned[0] ** 2 * (tilt > 0.0)
        bend = pull * (1.0 - 2.0 * v - pull / m) + m * var * (shift > 0.0)
        bend += cross * cross / spread * (tilt < _INNER / x)
        pull += shift
        step = parabola_step(c - value, pull, bend)
        start = np.searchsorted(owner, each)
        pick, least = last_least(-step, owner, start), np.minimum.reduceat(value, start)
        step, tilt, k, y, x, v = (side[pick] for side in (step, tilt, k, y, x, v))
        var, pull, cross, spread = (side[pick] for side in (var, pull, cross, spread))
        turned, sure = turned[:, pick], (least <= most) & (trial > 0)
        # Where an axis begins to cost something, or few are counted, the parabola breaks.
        moved = np.abs(step) * (1.5 * m) * var
        few = turned[1] / np.maximum(k, 0.5) + turned[2] / np.maximum(n - k, 0.5)
        smooth = (np.abs(m * v - y) > moved) & (np.abs(k - (m + n) * x + m * v) > moved)
        smooth &= (k < n) & (few * moved < 3.0 * _SHORT)
        small = (np.abs(step) < np.where(smooth, _SHORT, _EXACT)) & sure
        small &= np.abs(step) * pull < 0.25 * slack
        at.inner = np.where(least <= c, at.odds, at.inner)
        at.outer = np.where((least > c) & sure, at.odds, at.outer)
        new = at.odds + step
        good = (new > at.inner) & (new < at.outer) | small
        new = np.where(good, new, 0.5 * (at.inner + at.outer))
        new = np.minimum(np.maximum(new, -_ODDS), _ODDS)
        tilt += cross / spread * (new - at.odds)
        at.tilt, at.odds, at.at_k = np.minimum(np.maximum(tilt, 0.0), _INNER / x), new, k
        at.bend = 0.5 / ((turned[1] * turned[2]) ** 2 * spread)
        return np.asarray(small)

    def _tilt(self, k: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        """Multiplier of the rate at the best prevalence; 0 where k are expected or more."""
        _, false, true = self._cells(k, x, v)
        few = 2.0 * k < self.n_neg
        ratio = np.where(few, self.n_neg - k, k) / np.maximum(np.where(few, true, false), 1e-300)
        ratio /= self.n_pos + self.n_neg
        tilt = np.where(few, (1.0 - ratio) / x, (ratio - 1.0) / (1.0 - x))
        return np.asarray(np.minimum(np.maximum(tilt, 0.0), _INNER / x))

    def _inside(self, at: FloatArray, up: bool) -> FloatArray:
        pieces, m = self._pieces[up], self.n_pos
        called, last = (m + self.n_neg) * at, pieces.fp_end.size - 1
        fp, tp = (pieces.fp_end, pieces.tp_end) if up else (pieces.fp_start, pieces.tp_start)
        fits = np.searchsorted(fp + tp, called, "right")
        ends = [
            (np.minimum if up else np.maximum)(tp[one], called - fp[one])
            for one in (np.maximum(fits - 1, 0), np.minimum(fits, last))
        ]
        best: FloatArray = (np.maximum if up else np.minimum)(*ends)
        # Start on the curve: from the far ends of a tied segment nothing seems nearer than they.
        piece = np.minimum(np.searchsorted(pieces.fp_end + pieces.tp_end, called, "left"), last)
        begin = pieces.fp_start[piece] + pieces.tp_start[piece]
        length = pieces.fp_end[piece] + pieces.tp_end[piece] - begin
        share = pieces.share_along(piece, called - begin, length, up)
        (k0, k1), (y0, y1) = (
            (start[piece], end[piece])
            for start, end in ((pieces.fp_start, pieces.fp_end), (pieces.tp_start, pieces.tp_end))
        )
        # Before its start and after its end no point of a segment has the rate.
        own = called - k0 - share * (k1 - k0)
        own = (np.minimum if up else np.maximum)(y0 + share * (y1 - y0), own)
        best = np.where((y1 > y0) & (k1 > k0), own, best)
        return np.clip(best / m, 0.0, 1.0)

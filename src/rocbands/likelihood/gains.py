"""The likelihood region of the gains plane where the prevalence is estimated from the same rows.

At rate x and recall v the cells are p (positives), x - p v (false positives) and 1 - x - p (1 - v);
the most likely p is the smaller root of a quadratic equation (:mod:`rocbands.likelihood.profile`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.likelihood.curves import entropy
from rocbands.likelihood.margin import deviance
from rocbands.likelihood.nearest import parabola_step
from rocbands.likelihood.profile import Near, Pieces, ProfileRegion

_ROUNDS = 60
# Recalls closer to 0 or 1 cannot be told from them.
_EDGE = 1e-15
_ODDS = 34.5
_INNER = 1.0 - 1e-12  # of the widest range of a multiplier
_EXACT = 1e-6  # step of log odds that leaves nothing: steps square their error
_NEAR = 1e-4  # likewise: share of the critical value that is left
_MOST_ENDS = 2048  # of a window; of longer ones some are looked at for a place to start from
_FEW_ROUNDS, _SOME_ENDS = 4, 64


@dataclass(eq=False)
class _Ends:
    """Rates that are still sought, below and above the curve, and the ends that may be nearest."""

    todo: CountArray  # number of the rate
    x: FloatArray
    way: FloatArray  # 1 above the curve, -1 below
    odds: FloatArray  # log odds of the recall
    low: FloatArray  # low, high: log odds known to be inside and outside, in the way's direction
    high: FloatArray
    tilt: FloatArray  # multiplier of the nearest end
    at_k: FloatArray  # at_k, at_y: counts at the nearest end
    at_y: FloatArray
    # Of all ends, one column for each rate: counts, the part of the cost that belongs to recall,
    # true positives in the way's direction, and memory to work in.
    k: FloatArray
    y: FloatArray
    fixed: FloatArray
    turned: FloatArray
    work: FloatArray

    @property
    def each(self) -> CountArray:
        """Number of each column."""
        return np.arange(self.x.size)

    def take(self, go: CountArray) -> _Ends:
        """Keep some of the rates."""
        kept: dict[str, Any] = {
            one.name: np.ascontiguousarray(getattr(self, one.name)[..., go])
            for one in fields(self)
            if one.name != "work"
        }
        return _Ends(**kept, work=np.empty((2, *kept["k"].shape)))


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

    def _either_cost(
        self, k: FloatArray, x: FloatArray, v: FloatArray, way: FloatArray, *cells: FloatArray
    ) -> FloatArray:
        """Return the cost on either side: `way` is 1 above the curve, -1 below."""
        m, total = self.n_pos, self.n_pos + self.n_neg
        p, false, true = cells or self._cells(k, x, v)
        rest = self.n_neg - k
        cost = k * np.log(np.maximum(k, 1e-300) / np.maximum(total * false, 1e-300))
        cost += rest * np.log(np.maximum(rest, 1e-300) / np.maximum(total * true, 1e-300))
        cost += m * np.log(m / (total * p))
        cost *= way * (k - (total * x - m * v)) > 0.0
        return np.maximum(cost, 0.0, out=cost)

    def _slopes(
        self, k: FloatArray, x: FloatArray, v: FloatArray, *cells: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Multiplier of the rate, and derivative of the cost by the log odds of v, where it counts.

        With the best prevalence's own equation put in: one of the two cells may be empty.
        """
        m, n = self.n_pos, self.n_neg
        p, false, true = cells
        few = 2.0 * k < n
        seen = np.where(few, n - k, k) / np.maximum(np.where(few, true, false), 1e-300)
        part, ratio = p * seen, seen / (m + n)
        tilt = np.where(few, (1.0 - ratio) / x, (ratio - 1.0) / (1.0 - x))
        tilt = np.minimum(np.maximum(tilt, -_INNER / (1.0 - x)), _INNER / x)
        return tilt, np.where(few, (1.0 - v) * (m - part), v * (part - m))

    def _line(
        self, x: FloatArray, v: FloatArray, tilt: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Height and slope of a line in k that is nowhere above the cost.

        The cost of k false positives is the largest, over a multiplier t of the rate (Owen's
        empirical likelihood), of m ln(1 + t (v - x)) + k ln(1 + t (1 - x)) + (n - k) ln(1 - t x).
        """
        hit, miss = np.log1p(tilt * (1.0 - x)), np.log1p(-tilt * x)
        base = self.n_pos * np.log(np.maximum(1.0 + tilt * (v - x), 1e-300)) + self.n_neg * miss
        return base, hit - miss

    def slope(self, k: FloatArray, x: FloatArray, v: FloatArray, up: bool) -> FloatArray:
        """Differentiate by k at the best prevalence, which may be held fixed there."""
        _, false, true = self._cells(k, x, v)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.log(k / false) - np.log((self.n_neg - k) / true)
        expected = (self.n_pos + self.n_neg) * x - self.n_pos * v
        counts = k > expected if up else k < expected
        return np.where(counts, slope, 0.0)

    def _entropy(self, fp: FloatArray) -> FloatArray:
        return entropy(fp, self.n_neg)

    def _rank(
        self, pieces: Pieces, item: CountArray, owner: CountArray, x: FloatArray, v: FloatArray,
        up: bool,
    ) -> FloatArray:  # fmt: skip
        k, m, n = pieces.fp_end[item], self.n_pos, self.n_neg
        shares = (np.log(np.maximum(share, 1e-300)) for share in self._cells(k, x[owner], v[owner]))
        positives, false, true = shares
        own = m * np.log(m / (m + n)) + n * np.log(n / (m + n))
        value = own + pieces.fp_entropy[item] - m * positives - k * false - (n - k) * true
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

    def _from_ends(self, x: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Find the smallest and largest recall from the ends of pieces within reach; where exactly.

        Rounds go from the nearest end to about the recall that it leads to. Lines (`_line`) with
        the multiplier of the end that was nearest before leave few ends that can be nearest.
        """
        # Only a point with all positives, or none, leads to the end of the axis.
        low, high = self._pieces
        none = low.fp_start[np.searchsorted(low.tp_start, 0.0, "right") - 1]
        full = high.fp_end[np.searchsorted(high.tp_end, self.n_pos)]
        found = np.repeat([0.0, 1.0], x.size)
        exact = np.concatenate(
            [
                self.cost(np.full(x.size, k), x, np.full(x.size, float(up)), up)
                <= self.critical_value
                for k, up in ((none, False), (full, True))
            ]
        )
        if exact.all():
            return found.reshape(2, x.size), exact.reshape(2, x.size)
        ends, complete = self._lay_out(x)
        ends = ends.take(np.flatnonzero(~exact)) if exact.any() else ends
        every = ~np.repeat([part.tied for part in self._pieces], x.size) & complete
        for trial in range(_ROUNDS if every.any() else _FEW_ROUNDS):
            v = 1.0 / (1.0 + np.exp(-ends.odds))
            if trial:
                self._choose_ends(ends, v)
            small = self._step(ends, v, bracket=trial > 0)
            found[ends.todo] = 1.0 / (1.0 + np.exp(-ends.odds))
            done = small & (trial > 0)
            exact[ends.todo[done]] = every[ends.todo[done]]
            go = np.flatnonzero(~done)
            if not go.size:
                break
            if go.size < 0.6 * done.size:
                ends = ends.take(go)
        return found.reshape(2, x.size), exact.reshape(2, x.size)

    def _lay_out(self, x: FloatArray) -> tuple[_Ends, bool]:
        """Collect the ends within reach of each rate, below and above; tell whether all of them."""
        m, c, total = self.n_pos, self.critical_value, self.n_pos + self.n_neg
        # The rate alone costs no more than the whole.
        far = np.sqrt(2.0 * c * total * x * (1.0 - x)) + 2.0 / 3.0 * c + 1.0
        sums = [part.fp_end + part.tp_end for part in self._pieces]
        first, here, last = (
            np.concatenate(
                [
                    begin
                    + np.minimum(
                        np.maximum(np.searchsorted(own, total * x + shift) + more, 0), own.size - 1
                    )
                    for begin, own in zip((0, sums[0].size), sums, strict=True)
                ]
            )
            for shift, more in ((-far, -1), (np.zeros(x.size), 0), (far, 0))
        )
        longest = int((last - first).max())
        # Of more ends some will do: what they lead to is where to start from.
        stride = 1 if longest < _MOST_ENDS else 1 + longest // _SOME_ENDS
        place = np.minimum(first + np.arange(0, longest + 1, stride)[:, None], last)
        k, y, fixed = (
            np.concatenate([getattr(part, side) for part in self._pieces])
            for side in ("fp_end", "tp_end", "tp_entropy")
        )
        v = np.concatenate([self._guess(x, up) for up in (False, True)])
        x, way = np.tile(x, 2), np.repeat([-1.0, 1.0], x.size)
        # At the ends of the axis recall is bounded by the rate over the prevalence.
        v = np.minimum(np.maximum(v, 1.0 - 2.0 * total * (1.0 - x) / m), 2.0 * total * x / m)
        # From too close to 0 or 1 the way back is long.
        v = np.minimum(np.maximum(v, 0.1 / m), 1.0 - 0.1 / m)
        ends = _Ends(
            todo=np.arange(x.size), x=x, way=way, odds=np.log(v / (1.0 - v)),
            low=np.full(x.size, -_ODDS), high=np.full(x.size, _ODDS),
            tilt=np.zeros(x.size), at_k=k[here], at_y=y[here],
            k=k[place], y=y[place], fixed=fixed[place], turned=way * y[place],
            work=np.empty((2, *place.shape)),
        )  # fmt: skip
        return ends, stride == 1

    def _choose_ends(self, ends: _Ends, v: FloatArray) -> None:
        """Find the nearest end for each rate."""
        m, (own, line) = self.n_pos, ends.work  # written to again: new memory is slow
        np.multiply(ends.y, -ends.odds, out=own)
        own += ends.fixed
        own += m * np.log1p(np.exp(ends.odds))
        own *= ends.turned < ends.way * (m * v)
        base, slope = self._line(ends.x, v, ends.tilt)
        np.multiply(ends.k, slope, out=line)
        line += base
        np.maximum(line, 0.0, out=line)
        line += own
        near = line.argmin(axis=0)
        least = self._either_cost(ends.k[near, ends.each], ends.x, v, ends.way)
        least += own[near, ends.each]
        # Where the line of another end is lower, its cost decides.
        row, at = np.nonzero(line < least)
        cost = self._either_cost(ends.k[row, at], ends.x[at], v[at], ends.way[at]) + own[row, at]
        np.minimum.at(least, at, cost)
        hit = cost <= least[at]
        near[at[hit]] = row[hit]
        ends.at_k, ends.at_y = ends.k[near, ends.each], ends.y[near, ends.each]

    def _step(self, ends: _Ends, v: FloatArray, bracket: bool) -> BoolArray:
        """Step to about where the nearest ends lead, and tell where that is exact.

        `bracket`: the ends are known to be nearest.
        """
        m, n, way = self.n_pos, self.n_neg, ends.way
        cells = self._cells(ends.at_k, ends.x, v)
        cost = self._either_cost(ends.at_k, ends.x, v, way, *cells)
        tilt, pull = self._slopes(ends.at_k, ends.x, v, *cells)
        ends.tilt, pull = tilt * (cost > 0.0), pull * (cost > 0.0)
        shift = way * np.maximum(way * (m * v - ends.at_y), 0.0)
        inner, var = np.minimum(np.maximum(ends.at_k, 0.5), n - 0.5), v * (1.0 - v)
        bend = var * (m + (m * m / inner + m * m / (n - inner)) * var)
        gap = self.critical_value - cost - deviance(ends.at_y, m, shift)
        now = way * ends.odds
        new = now + parabola_step(gap, way * (pull + shift), bend)
        if bracket:  # where an axis begins to cost something the parabola breaks
            ends.low = np.where(gap >= 0.0, now, ends.low)
            ends.high = np.where(gap >= 0.0, ends.high, now)
            new = np.where(
                (new >= ends.low) & (new <= ends.high), new, 0.5 * (ends.low + ends.high)
            )
        new = np.minimum(np.maximum(new, -_ODDS), _ODDS)
        ends.odds = way * new
        # Where the parabola is far too narrow, steps are short though the way is long.
        small = (np.abs(new - now) < _EXACT) & (np.abs(gap) < _NEAR * self.critical_value)
        return np.asarray(small)

    def _guess(self, x: FloatArray, up: bool) -> FloatArray:
        """Where the noise of both axes leads from a curve that is straight near the rate."""
        pieces, m, n = self._pieces[up], self.n_pos, self.n_neg
        fp, tp = (pieces.fp_end, pieces.tp_end) if up else (pieces.fp_start, pieces.tp_start)
        total, c = m + n, self.critical_value
        far = np.sqrt(2.0 * c * x * (1.0 - x) / total) + 1.0 / total
        places = (total * at for at in (x - far, x, x + far))
        (k0, y0), (k, y), (k1, y1) = (
            (np.interp(at, fp + tp, fp), np.interp(at, fp + tp, tp)) for at in places
        )
        slope = (y1 - y0 + 0.5) / (k1 - k0 + 0.5)  # in counts
        y, k = (np.minimum(np.maximum(a, 0.5), b - 0.5) for a, b in ((y, m), (k, n)))
        noise = y * (m - y) / m + slope**2 * k * (n - k) / n
        # Along the line of one rate a count more of one class is one less of the other.
        guess = y + (1.0 if up else -1.0) * 0.9 * np.sqrt(2.0 * c * noise) / (1.0 + slope)
        return np.clip(guess / m, 0.0, 1.0)

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

"""Likelihood band and AUC interval of weighted and dependent rows, straight from the definition.

Every sum is made anew at every vertex, from a table of which row lies above it and which cluster it
belongs to: no running sums, no sort by cluster, no windows chosen by search. Slow, for small sets.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

PSEUDO, TAIL, FEW = 1.0, 20, 5


def codes(labels):
    return np.unique(labels, return_inverse=True)[1]


class Design:
    """Sizes of both classes at all vertices; class 0 are the negatives, 1 the positives."""

    def __init__(self, y, s, weights=None, clusters=None, strata=None):
        y, s = np.asarray(y, int), np.asarray(s, float)
        n = y.size
        w = np.ones(n) if weights is None else np.asarray(weights, float)
        g = np.arange(n) if clusters is None else codes(clusters)
        h = np.zeros(n, int) if strata is None else codes(strata)
        self.uneven = any(np.ptp(w[y == k]) > 0 for k in (0, 1))
        alike = {}  # rows of one cluster, class and score are one row
        for i, key in enumerate(zip(g, y, s, strict=True)):
            alike.setdefault(key, []).append(i)
        keep = [rows[0] for rows in alike.values()]
        w = np.array([w[rows].sum() for rows in alike.values()])
        y, s, g, h = y[keep], s[keep], g[keep], h[keep]
        self.y, self.s, self.w = y, s, w
        self.member = np.eye(g.max() + 1)[g]  # rows x clusters
        self.layer = np.array([h[g == k][0] for k in range(g.max() + 1)])
        cuts = np.concatenate(([np.inf], np.unique(s)[::-1]))
        above = s[None, :] >= cuts[:, None]  # vertices x rows
        above[0] = False
        self.tables = [self.sums(above, y == k) for k in (0, 1)]
        shared = [(above * (w * (y == k))) @ self.member for k in (0, 1)]
        whole = [(w * (y == k)) @ self.member for k in (0, 1)]
        cross = {
            "both": (shared[0] * shared[1]).sum(1),
            "pos": shared[1] @ whole[0],
            "neg": shared[0] @ whole[1],
        }
        self.factor = self.class_factor()
        self.fill(cross, float(whole[0] @ whole[1]))
        self.sizes = [self.local(0, 1.0 / self.factor), self.local(1, self.factor)]

    def form(self, a, b):
        """Sum of products over clusters within strata."""
        total = len(self.layer)
        if self.layer.max() == 0:
            return float(a @ b)
        out = 0.0
        for k in range(self.layer.max() + 1):
            x, z = a[self.layer == k], b[self.layer == k]
            if x.size == 1:
                out += float(x @ z)
            else:
                scale = x.size / (x.size - 1) * (total - 1) / total
                out += scale * float(x @ z - x.sum() * z.sum() / x.size)
        return out

    def sums(self, above, own):
        w = self.w * own
        high, whole = (above * w) @ self.member, w @ self.member
        low = whole - high
        total = w.sum()
        table = {
            "rows": (above & own).sum(1).astype(float),
            "Wa": (above * w).sum(1),
            "Wb": (~above * w).sum(1),
            "Ia": (above * w**2).sum(1),
            "Ib": (~above * w**2).sum(1),
            "Ca": (high**2).sum(1),
            "Cb": (low**2).sum(1),
            # V is quadratic in x: its three coefficients, each by the form of the strata.
            "v0": np.array([self.form(row, row) for row in high]),
            "v1": np.array([self.form(row, whole) for row in high]),
            "t1": high @ whole,
        }
        table["whole"], table["W"], table["v2"] = whole, total, self.form(whole, whole)
        table["t2"] = float(whole @ whole)
        return table

    def class_factor(self):
        n = self.y.size
        slices = min(20, max(1, n // 10))
        # Tied rows fill a range of places together: each has a share in every slice of it.
        start = np.array([(self.s > s).sum() for s in self.s])
        stop = np.array([(self.s >= s).sum() for s in self.s])
        top = bottom = 0.0
        for b in range(slices):
            low, high = n * b / slices, n * (b + 1) / slices
            share = (np.minimum(stop, high) - np.maximum(start, low)) / (stop - start)
            pos, neg = (np.maximum(share, 0.0) * (self.y == k) for k in (1, 0))
            top += (pos @ self.w) * neg.sum() * slices / n
            bottom += (neg @ self.w) * pos.sum() * slices / n
        if top > 0 and bottom > 0:
            return top / bottom
        return self.w[self.y == 1].mean() / self.w[self.y == 0].mean()

    def fill(self, cross, shared):
        """Points inside tied steps, by interpolation of all sums; then the correlation."""
        neg, pos = self.tables
        at, part = [], []
        rows = neg["rows"] + pos["rows"]
        for i in range(rows.size - 1):
            tied = all(side["rows"][i + 1] > side["rows"][i] for side in (neg, pos))
            m = int(min(128, max(8, 8 * np.sqrt(rows[i + 1] - rows[i])))) if tied else 1
            at += [i] * m
            part += [j / m for j in range(m)]
        at, part = np.array([*at, rows.size - 1]), np.array([*part, 0.0])

        def mix(v):
            return (1 - part) * v[at] + part * v[np.minimum(at + 1, v.size - 1)]

        for side in (neg, pos):
            under = side["rows"][-1] - side["rows"]
            side["rows"], side["under"] = side["rows"][at], under[at + (part > 0)]
            for key in ("Wa", "Wb", "Ia", "Ib", "Ca", "Cb", "v0", "v1", "t1"):
                side[key] = mix(side[key])
            side["x"] = side["Wa"] / side["W"]
            x, scale = side["x"], side["W"] ** 2
            side["V"] = np.maximum(side["v0"] - 2 * x * side["v1"] + x**2 * side["v2"], 0) / scale
        plain = [
            np.maximum(side["Ca"] - 2 * side["x"] * side["t1"] + side["x"] ** 2 * side["t2"], 0)
            for side in (neg, pos)
        ]
        cov = mix(cross["both"]) - neg["x"] * mix(cross["pos"]) - pos["x"] * mix(cross["neg"])
        cov += neg["x"] * pos["x"] * shared
        self.rho = np.zeros(cov.size)
        for i in range(cov.size):
            inner = all(side["rows"][i] > 0 and side["under"][i] > 0 for side in (neg, pos))
            if inner and shared > 0 and plain[0][i] * plain[1][i] > 0:
                self.rho[i] = np.clip(cov[i] / np.sqrt(plain[0][i] * plain[1][i]), -1, 1)

    def local(self, k, factor):
        own, other = self.tables[k], self.tables[1 - k]
        both = {key: own[key] + other[key] for key in ("rows", "under")}
        last = own["rows"].size - 1
        kish, kish_rows = own["W"] ** 2 / own["t2"], own["W"] ** 2 / own["Ia"][-1]

        def few(m):
            return m / max(m - 1, 0.5)

        out = {key: np.zeros(last + 1) for key in ("k", "K", "theta", "number")}
        ends = {}  # weight of the next row at the highest and at the lowest score
        for i in range(last + 1):

            def tail(side, least=TAIL, i=i):
                rows, under = side["rows"], side["under"]
                least = min(least, rows[-1])
                a = next(j for j in range(last + 1) if j >= i and rows[j] >= least)
                return a, next(j for j in range(last, -1, -1) if j <= i and under[j] >= least)

            (a, b), (ca, cb) = tail(both), tail(own)
            unit_a = (own["Ia"][a] + factor**2 * other["Ia"][a]) / (
                own["Wa"][a] + factor * other["Wa"][a]
            )
            unit_b = (own["Ib"][b] + factor**2 * other["Ib"][b]) / (
                own["Wb"][b] + factor * other["Wb"][b]
            )
            for least in (TAIL, FEW):
                oa, ob = tail(own, least)
                unit_a = max(unit_a, own["Ia"][oa] / own["Wa"][oa])
                unit_b = max(unit_b, own["Ib"][ob] / own["Wb"][ob])
            ends["high" if i == 0 else "low"] = (unit_a if i == 0 else unit_b) / own["W"]
            unit_a, unit_b = (
                unit_a * own["Ca"][ca] / own["Ia"][ca],
                unit_b * own["Cb"][cb] / own["Ib"][cb],
            )
            om_a = (own["Ca"][i] + PSEUDO * unit_a**2) / (own["Wa"][i] + PSEUDO * unit_a)
            om_b = (own["Cb"][i] + PSEUDO * unit_b**2) / (own["Wb"][i] + PSEUDO * unit_b)
            x, scale = own["x"][i], own["W"] ** 2
            two = ((1 - x) ** 2 * own["Ca"][i] + x**2 * own["Cb"][i]) / scale
            one = ((1 - x) ** 2 * own["Ia"][i] + x**2 * own["Ib"][i]) / scale
            inside = own["Wa"][i] > 0 and own["Wb"][i] > 0
            phi = max(own["V"][i], one / 2) / two if inside else 1.0
            phi *= few(kish) / few(kish_rows) * (1 + max(0, -self.rho[i]))
            out["k"][i] = own["Wa"][i] / om_a / phi
            out["K"][i] = out["k"][i] + own["Wb"][i] / om_b / phi
            out["theta"][i] = om_b / om_a
            out["number"][i] = own["W"] / ((1 - x) * om_a + x * om_b) / phi
        return {**out, "x": own["x"], "kish": kish, "ends": ends}

    def costs(self, k, u):
        """Cost of a true rate at each vertex, whichever side it lies on."""
        one = self.sizes[k]
        p, theta = one["k"] / one["K"], one["theta"]
        rate = theta * u / (1 - u + theta * u)
        with np.errstate(divide="ignore", invalid="ignore"):
            hit = np.where(p > 0, p * np.log(p / rate), 0.0)
            miss = np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - rate)), 0.0)
        return np.maximum(one["K"] * (hit + miss), 0.0)

    def distance(self, u, v, above):
        """Distance above the curve, or below it: the definition with all vertices."""
        x, y = self.sizes[0]["x"], self.sizes[1]["x"]
        p = np.where(x > u if above else x < u, self.costs(0, u), 0.0)
        q = np.where(y < v if above else y > v, self.costs(1, v), 0.0)
        step = 1 if above else -1
        p = np.maximum.accumulate(p[::step])[::step]
        q = np.maximum.accumulate(q[::-step])[::-step]
        r, total = np.clip(self.rho, 0.0, 0.8), p + q
        both = (p > 0) & (q > 0) & np.isfinite(total)
        with np.errstate(invalid="ignore", divide="ignore"):
            joined = total**2 / (total - 2 * r * np.sqrt(p * q))
        return np.where(both, joined, total).min()

    def edges(self, u, c):
        ends = []
        for above in (False, True):
            low, high = 0.0, 1.0
            for _ in range(40):
                v = (low + high) / 2
                inside = self.distance(u, v, above) <= c
                low, high = (v, high) if inside == above else (low, v)
            ends.append(low if above else high)
        return ends

    @staticmethod
    def unseen(share, d, area, ends, worst, best):
        """Variance with half a row at either end, minus that of the rows."""
        spread, seen = (share * d**2).sum(), (share**2 * d**2).sum()
        rows = [(ends[worst], area), (ends[best], 1 - area)]
        above = seen + sum(w**2 * far**2 / 2 for w, far in rows)
        below = spread + sum(w * far**2 / 2 for w, far in rows)
        return max(spread * above / below - seen, 0.0)

    def case_numbers(self):
        """Independent positives and negatives: the least local number, at most Kish's."""
        numbers = []
        for k in (1, 0):
            one, rates = self.sizes[k], self.sizes[k]["x"]
            inner = [
                one["number"][i]
                for i in range(1, rates.size)
                if 0.05 + 1e-9 < rates[i] < 0.95 - 1e-9
            ]
            numbers.append(max(1.0, min([one["kish"], *inner])))
        return tuple(numbers)

    def unseen_variances(self):
        """Variance of the AUC that heavy rows which were not drawn may add, by class."""
        if not self.uneven:
            return 0.0, 0.0
        wins, wp, wn, area = self.placements()
        return (
            self.unseen(wp, wins @ wn - area, area, self.sizes[1]["ends"], "low", "high"),
            self.unseen(wn, wp @ wins - area, area, self.sizes[0]["ends"], "high", "low"),
        )

    def placements(self):
        """Wins of all pairs of rows, shares of positives and negatives, and the area."""
        y, s, w = self.y, self.s, self.w
        wins = (s[:, None] > s[None, :]) + 0.5 * (s[:, None] == s[None, :])
        wp, wn = w * (y == 1) / w[y == 1].sum(), w * (y == 0) / w[y == 0].sum()
        return wins, wp, wn, float(wp @ wins @ wn)

    def auc(self, level):
        wins, wp, wn, area = self.placements()
        zp, zn = (wp * (wins @ wn - area)) @ self.member, (wn * (wp @ wins - area)) @ self.member
        v_p, v_n, cross = self.form(zp, zp), self.form(zn, zn), 2 * self.form(zp, zn)
        more_p, more_n = self.unseen_variances()
        v_p, v_n = v_p + more_p, v_n + more_n
        m, n = self.case_numbers()
        t, total = area * (1 - area), len(self.layer)
        by_pos = (m * m * v_p + 0.3 * n / (m + n)) / ((m - 1) * t + 0.5) / m
        by_neg = (n * n * v_n + 0.3 * m / (m + n)) / ((n - 1) * t + 0.5) / n
        both = by_pos + by_neg
        unit = max(
            both + (cross / (t + 0.5 / (total - 1)) if total > 1 else 0), both / 10, 1 / (m * n)
        )
        z = -ndtri((1 - level) / 2)
        if t > 0:
            parts = by_pos**2 / (m - 1 + 0.5 / t) + by_neg**2 / (n - 1 + 0.5 / t)
            z = -stdtrit(both**2 / parts, (1 - level) / 2)
        k = unit * z * z
        half = np.sqrt(k * (t + k / 4))
        return area, (area + k / 2 - half) / (1 + k), (area + k / 2 + half) / (1 + k)

"""One recipe for all designs: shares, sums over clusters in strata, variances, effective numbers.

Written from the formulas, with loops over clusters and a table of which row belongs to which cluster;
nothing is shared with the package. Local effective sizes and the class factor are those of
:mod:`tests.oracles.weighted_band`. Slow, for small sets.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri, stdtrit

from tests.oracles.weighted_band import Design, codes

NEAREST = 20  # rows that say how heavy a unit is which was not seen
NORMAL = 1e7  # degrees of freedom from which on Student's t is normal


def few(units):
    """Factor that makes the divisor of a variance the number of units minus one."""
    return units / max(units - 1.0, 0.5)


def ranks(scores):
    return codes(scores).astype(float)


class Rows:
    """Rows with weights, clusters and strata; rows of weight 0 are left out first.

    `pos`, `neg`, `all`: share of each row among the positives, the negatives and all rows.
    """

    merged = False

    def __init__(self, y, weights=None, clusters=None, strata=None):
        y = np.asarray(y).astype(bool)
        w = np.ones(y.size) if weights is None else np.asarray(weights, float)
        self.kept = w > 0
        names = np.arange(y.size) if clusters is None else np.asarray(clusters)
        layers = np.zeros(y.size, int) if strata is None else np.asarray(strata)
        self.y, self.w, self.names = y[self.kept], w[self.kept], names[self.kept]
        self.n, self.code = self.y.size, codes(self.names)
        self.n_clusters = int(self.code.max()) + 1
        self.clustered = self.n_clusters < self.n
        each = codes(layers[self.kept])
        self.stratum = np.array([each[self.code == g][0] for g in range(self.n_clusters)])
        self.n_strata = int(self.stratum.max()) + 1
        self.pos, self.neg = (self.w * own / (self.w * own).sum() for own in (self.y, ~self.y))
        self.all = self.w / self.w.sum()
        self.prevalence = float((self.w * self.y).sum() / self.w.sum())
        self._known: dict[bytes, Design] = {}

    def pick(self, values):
        """Values of the rows that are kept."""
        return np.asarray(values, float)[self.kept]

    # ------------------------------------------------------------------ sums over clusters

    def add(self, values):
        """Sums over each cluster."""
        return np.array([values[self.code == g].sum(axis=0) for g in range(self.n_clusters)])

    def product(self, a, b):
        """<a, b>: sum of products over clusters within strata."""
        if self.n_strata == 1:
            return float(a @ b)
        total = 0.0
        for h in range(self.n_strata):
            x, z = a[self.stratum == h], b[self.stratum == h]
            size = x.size
            if size == 1:
                total += float(x @ z)
                continue
            scale = size / (size - 1) * (self.n_clusters - 1) / self.n_clusters
            total += scale * float(x @ z - x.sum() * z.sum() / size)
        return total

    def kish(self, share):
        """Kish's number of units, and of rows."""
        return 1.0 / float((self.add(share) ** 2).sum()), 1.0 / float((share**2).sum())

    def units(self, share):
        """Units k behind a variance: the geometric mean of Kish's number and that of squares."""
        square = self.add(share) ** 2
        k = 1.0 / float(square.sum())
        k2 = float(square.sum()) ** 2 / float((square**2).sum())
        return math.sqrt(k * min(k, k2))

    # ------------------------------------------------------------------ variances

    def influence(self, pos, neg, prevalence=None):
        """Parts of a statement: sums over clusters of what positives, negatives and shares add.

        `pos`, `neg`: values of all rows, of which each class's are used and centred. `prevalence`:
        derivative of the statement in the share of positives, if that is estimated.
        """
        parts = [
            self.add(share * (values - share @ values))
            for share, values in ((self.pos, pos), (self.neg, neg))
        ]
        if prevalence is not None:
            parts.append(self.add(prevalence * self.all * (self.y - self.prevalence)))
        return parts

    def covariance(self, one, two):
        """Covariance of two statements about these rows."""
        factors = [few(self.kish(share)[0]) for share in (self.pos, self.neg)] + [1.0]
        unlike = self.n_clusters / max(self.n_clusters - 1, 1)
        return sum(
            (factors[i] if i == j else unlike) * self.product(a, b)
            for i, a in enumerate(one)
            for j, b in enumerate(two)
        )

    def class_variances(self, parts):
        """v+ and v-: parts of the variance of the positives and of the negatives."""
        return tuple(
            few(self.kish(share)[0]) * self.product(z, z)
            for share, z in zip((self.pos, self.neg), parts[:2], strict=True)
        )

    def variance(self, parts):
        return max(self.covariance(parts, parts), 0.1 * sum(self.class_variances(parts)))

    # ------------------------------------------------------------------ degrees of freedom

    def spare(self, df):
        """Degrees of freedom that strata leave."""
        return max(df * (self.n_clusters - self.n_strata) / max(self.n_clusters - 1, 1), 1.0)

    def df(self, v_pos, v_neg, m, n):
        """Satterthwaite's degrees of freedom of two classes with m and n units."""
        doubt = v_pos**2 / max(m - 1, 1) + v_neg**2 / max(n - 1, 1)
        return math.inf if doubt <= 0 else self.spare((v_pos + v_neg) ** 2 / doubt)

    def stretch(self, tail, v_pos, v_neg):
        """Student's quantile of the design over that of as many independent rows, two classes."""
        if v_pos + v_neg <= 0:
            v_pos = v_neg = 1.0
        sizes = [max(int(own.sum()) - 1, 1) for own in (self.y, ~self.y)]
        rows = (v_pos + v_neg) ** 2 / (v_pos**2 / sizes[0] + v_neg**2 / sizes[1])
        df = self.df(v_pos, v_neg, self.units(self.pos), self.units(self.neg))
        return float(stdtrit(df, tail) / stdtrit(rows, tail))

    def stretched(self, share, tail):
        """Normal quantile of a statement about the rows with these shares, stretched."""
        df = self.spare(max(self.units(share) - 1, 1))
        rows = max(np.count_nonzero(share > 0) - 1, 1)
        return abs(float(ndtri(tail) * stdtrit(df, tail) / stdtrit(rows, tail)))

    # ------------------------------------------------------------------ effective numbers

    @property
    def independent(self):
        """Whether counts are enough: single rows, weights equal in each class, no strata."""
        even = all(np.ptp(self.w[own]) == 0 for own in (self.y, ~self.y))
        return even and not self.clustered and self.n_strata == 1

    def local(self, scores):
        """Local effective sizes along one model's curve."""
        key = np.asarray(scores, float).tobytes()
        if key not in self._known:
            strata = self.stratum[self.code]
            self._known[key] = Design(self.y, scores, self.w, self.code, strata)
        return self._known[key]

    def factor(self, scores):
        """Ratio of the classes' mean weights at equal scores, every row by itself.

        `merged`: tied rows of a cluster and class are one row, as in local effective sizes.
        """
        return (self.local(scores) if self.merged else Design(self.y, scores, self.w)).factor

    def cases(self, *models):
        """Effective numbers m of positives and n of negatives: the least of the models'."""
        if self.independent:
            return float(self.y.sum()), float((~self.y).sum())
        found = [self.local(scores).case_numbers() for scores in models]
        return tuple(min(side) for side in zip(*found, strict=True))

    def between(self, scores, start, stop):
        """Local effective negatives between two false positive rates, by interpolation."""
        one = self.local(scores).sizes[0]
        ends = []
        for u in (start, stop):
            last = max(i for i, x in enumerate(one["x"]) if x <= u)
            if last == one["x"].size - 1:
                ends.append(one["k"][-1])
                continue
            part = (u - one["x"][last]) / (one["x"][last + 1] - one["x"][last])
            ends.append((1 - part) * one["k"][last] + part * one["k"][last + 1])
        return ends[1] - ends[0]

    def next_unit(self, *near):
        """Weight u of a row near a threshold, as a share of positives, negatives and all rows.

        `near`: scores of each model, and the rank of its threshold among the distinct scores. The
        other class's weights are multiplied by the ratio of mean weights at equal scores.
        """
        if all(np.ptp(self.w[own]) == 0 for own in (self.y, ~self.y)):
            return self.pos.max(), self.neg.max(), float((self.all**2).sum())
        factors = [self.factor(scores) for scores, _ in near]
        f = math.prod(factors) ** (1.0 / len(near))
        off = np.min([np.abs(ranks(scores) - at) for scores, at in near], axis=0)
        close = off <= np.sort(off)[min(NEAREST, self.n) - 1]
        plain = self.w[close]
        own = np.where(self.y[close], plain, f * plain)
        unit = float((own**2).sum() / own.sum())
        every = float((plain**2).sum() / plain.sum())
        w_pos, w_neg = self.w[self.y].sum(), self.w[~self.y].sum()
        return unit / w_pos, unit / f / w_neg, every / self.w.sum()

    def find_pool(self, share, values, key, scale):
        """Rows of the rarer side, or those that come nearest to it."""
        often = float(share @ np.abs(values)) > 0.5 * scale
        rare = np.abs(values) < 0.5 * scale if often else np.abs(values) > 0
        pool = rare & (share > 0)
        if pool.sum() >= NEAREST:
            return pool
        pool = share > 0
        if key is None or pool.sum() <= NEAREST:
            return pool
        order = np.where(pool, -key if often else key, -np.inf)
        return order >= np.sort(order)[-NEAREST]

    def pseudo_unit(self, share, pool, unit=0.0):
        """Weight om of the pseudo unit: that of a row of the pool, times its clustering."""
        inside = share * pool
        clustered, single = float((self.add(inside) ** 2).sum()), float((inside**2).sum())
        return max(single / inside.sum(), unit) * clustered / single

    def effective(self, share, values, *, mean=None, key=None, pool=None, scale=1.0, unit=0.0):
        """Effective number of rows for the mean of values, and the sums over clusters."""
        mean = float(share @ values) if mean is None else mean
        off = values - mean
        z = self.add(share * off)
        spread, variance = float(share @ off**2), self.product(z, z)
        if self.clustered:
            variance = max(variance, float(share**2 @ off**2) / 2)
        if pool is None:
            pool = self.find_pool(share, values, key, scale)
        om = self.pseudo_unit(share, pool, unit)
        units, rows = self.kish(share)
        number = (spread + om * scale**2) / (variance + om**2 * scale**2)
        return number * few(rows) / few(units), z


def student(df, tail):
    """Quantile of Student's t beyond which the tail lies, positive."""
    return -float(ndtri(tail) if df > NORMAL else stdtrit(df, tail))


def common_covariance(one, two, rows_1, rows_2):
    """Covariance of statements about two test sets, by the clusters that are in both."""
    sums = []
    for parts, rows in ((one, rows_1), (two, rows_2)):
        names = {rows.code[i]: rows.names[i] for i in range(rows.n)}
        sums.append({names[g]: sum(part[g] for part in parts) for g in range(rows.n_clusters)})
    both, total = sums[0].keys() & sums[1].keys(), len(sums[0].keys() | sums[1].keys())
    return total / max(total - 1, 1) * sum(sums[0][name] * sums[1][name] for name in both)

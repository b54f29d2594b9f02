"""Reader studies by brute force: pairs of cases one by one, cases left out one by one.

Scores `x` have the shape (tests, readers, cases), NaN where a case was not read; `y` is True for
positive cases. A metric is a function of the scores and classes of one cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
from scipy import optimize, stats

# ----------------------------------------------------------------------------------- the metrics


def win(scores, y):
    """1, 1/2, 0 for each positive above, tied with, below each negative; NaN where not read."""
    pos, neg = scores[y], scores[~y]
    table = np.full((pos.size, neg.size), math.nan)
    for (i, p), (k, q) in product(enumerate(pos), enumerate(neg)):
        if not math.isnan(p) and not math.isnan(q):
            table[i, k] = 0.5 if p == q else float(p > q)
    return table


def auc(scores, y) -> float:
    return float(win(scores, y).mean())


def rate(threshold: float, of_positives: bool) -> Callable[..., float]:
    def share(scores, y) -> float:
        own = scores[y] if of_positives else scores[~y]
        return float(np.mean(own >= threshold if of_positives else own < threshold))

    return share


def partial(low: float, high: float, axis: str) -> Callable[..., float]:
    """Area under the curve between two false positive rates, or right of it between two tprs."""

    def area(scores, y) -> float:
        at = [math.inf, *sorted(set(scores.tolist()), reverse=True)]
        above = [(scores >= t) if k else np.zeros(y.size, bool) for k, t in enumerate(at)]
        fpr = np.array([one[~y].mean() for one in above])
        tpr = np.array([one[y].mean() for one in above])
        if axis == "fpr":
            return _integrate(fpr, tpr, low, high)
        return _integrate(tpr, 1.0 - fpr, low, high)

    return area


def _integrate(x, y, low, high) -> float:
    total = 0.0
    for x0, x1, y0, y1 in zip(x[:-1], x[1:], y[:-1], y[1:], strict=True):
        a, b = max(x0, low), min(x1, high)
        if b > a:
            ends = [y0 + (y1 - y0) * (at - x0) / (x1 - x0) for at in (a, b)]
            total += (b - a) * sum(ends) / 2.0
    return total


# ----------------------------------------------------------------- values and their covariances


def influence_delong(scores, y, kind):
    """Influence of each case by placements; `kind`: 'auc', 'sensitivity' or 'specificity'."""
    phi = np.zeros(y.size)
    read = ~np.isnan(scores)
    if kind == "auc":
        table = win(scores, y)
        for axis, own in ((1, y), (0, ~y)):
            rows = [line[~np.isnan(line)] for line in (table if axis else table.T)]
            means = np.array([line.mean() if line.size else math.nan for line in rows])
            m = np.count_nonzero(read & own)
            phi[own] = np.nan_to_num((means - np.nanmean(table)) / math.sqrt(m * (m - 1)))
        return phi
    raise ValueError(kind)


def influence_rate(scores, y, metric, of_positives):
    read = ~np.isnan(scores) & (y == of_positives)
    hit = np.array([metric(scores[[k]], y[[k]]) if read[k] else math.nan for k in range(y.size)])
    n = np.count_nonzero(read)
    return np.nan_to_num((hit - np.nanmean(hit)) / math.sqrt(n * (n - 1)))


def influence_jackknife(scores, y, metric):
    places = np.flatnonzero(~np.isnan(scores))
    n = places.size
    left = np.array([metric(scores[places[places != k]], y[places[places != k]]) for k in places])
    phi = np.zeros(y.size)
    phi[places] = math.sqrt((n - 1) / n) * (left - left.mean())
    return phi


def sum_clusters(phi, scores, clusters):
    """Sums over patients, times sqrt(G / (G - 1)) with the G patients that were read."""
    size = len(set(clusters[~np.isnan(scores)].tolist()))
    sums = [phi[clusters == g].sum() for g in range(clusters.max() + 1)]
    return np.array(sums) * math.sqrt(size / (size - 1))


def unbiased(one, two) -> float:
    """Product of areas minus the mean of products of wins that share no case."""
    m, n = one.shape
    apart = ~np.eye(m, dtype=bool)[:, None, :, None] & ~np.eye(n, dtype=bool)[None, :, None, :]
    products = (one[:, :, None, None] * two)[apart]  # NaN where one was not read
    return float(np.nanmean(one) * np.nanmean(two) - np.nanmean(products))


class Cells:
    """Values of all cells, influences by unit (case or patient), and covariances."""

    def __init__(
        self, x, y, metric=auc, kind="auc", estimator="delong", clusters=None, rate=None
    ) -> None:
        self.x, self.y = x, y
        self.where = [
            (i, j) for i, j in np.ndindex(x.shape[:2]) if not np.isnan(x[i, j]).all()
        ]  # tests, readers
        metrics = metric if isinstance(metric, list) else [metric] * x.shape[0]
        phis, self.value = {}, {}
        for i, j in self.where:
            scores = x[i, j]
            read = ~np.isnan(scores)
            self.value[i, j] = metrics[i](scores[read], y[read])
            if rate is not None:
                phi = influence_rate(scores, y, metrics[i], rate)
            elif estimator == "jackknife" or kind != "auc":
                phi = influence_jackknife(scores, y, metrics[i])
            else:
                phi = influence_delong(scores, y, kind)
            phis[i, j] = phi if clusters is None else sum_clusters(phi, scores, clusters)
        self.phi = phis
        labels = [y[[k]] for k in range(y.size)]
        seen = ~np.isnan(x)
        self.seen = {cell: seen[cell] for cell in self.where}
        if clusters is not None:
            labels = [y[clusters == g] for g in range(clusters.max() + 1)]
            self.seen = {
                cell: np.array([seen[cell][clusters == g].any() for g in range(clusters.max() + 1)])
                for cell in self.where
            }
        self.part = np.array([0 if one.all() else 1 if not one.any() else 2 for one in labels])
        self.cov = {(a, b): float(phis[a] @ phis[b]) for a in self.where for b in self.where}
        if estimator == "unbiased":
            wins = {cell: win(x[cell], y) for cell in self.where}
            self.cov = {(a, b): unbiased(wins[a], wins[b]) for a in self.where for b in self.where}


# ------------------------------------------------------------------------------------ contrasts


class Comparison:
    """One weighted sum of cells for each reader; blocks of readers are averaged each."""

    def __init__(self, cells: Cells, rows, blocks=None, sides=None) -> None:
        self.cells, self.rows, self.sides = cells, rows, sides
        self.blocks = blocks or [list(range(len(rows)))]
        self.d = np.array([sum(w * cells.value[c] for c, w in row.items()) for row in rows])
        k = len(rows)
        self.cov = np.array([[self._covary(rows[a], rows[b]) for b in range(k)] for a in range(k)])
        self.est = sum(self.d[block].mean() for block in self.blocks)
        self.s = [self.d[b].var(ddof=1) / len(b) if len(b) > 1 else 0.0 for b in self.blocks]
        self.c = 0.0
        for one, two in product(self.blocks, self.blocks):
            pairs = [self.cov[a, b] for a in one for b in two if a != b or one is not two]
            self.c += float(np.mean(pairs)) if pairs else 0.0
        weight = np.zeros(k)
        for block in self.blocks:
            weight[block] = 1.0 / len(block)
        self.fix = float(weight @ self.cov @ weight)
        total = sum(
            weight[a] * w * cells.phi[c] for a, row in enumerate(rows) for c, w in row.items()
        )
        used = [cells.seen[c] for row in rows for c in row]
        seen = np.logical_or.reduce(used)
        self.parts = [float((total[cells.part == p] ** 2).sum()) for p in (0, 1, 2)]
        self.units = [int(np.count_nonzero(seen & (cells.part == p))) for p in (0, 1, 2)]

    def _covary(self, one, two) -> float:
        pairs = product(one.items(), two.items())
        return sum(v * w * self.cells.cov[a, b] for (a, v), (b, w) in pairs)

    def variance(self, method: str, random: str) -> tuple[float, float]:
        """Variance and degrees of freedom."""
        s, r = sum(self.s), [len(block) for block in self.blocks]
        doubt = sum(one**2 / (k - 1) for one, k in zip(self.s, r, strict=True) if k > 1)
        if random == "cases":
            if method == "obuchowski-rockette":
                return self.fix, math.inf
            below = sum(
                f**2 / max(n - 1, 1) for f, n in zip(self.parts, self.units, strict=True) if f
            )
            return self.fix, sum(self.parts) ** 2 / below if below else math.inf
        if random == "readers":
            return s, s**2 / doubt if doubt else math.inf
        if method == "one-shot":
            total = s + self.c
            cases = sum(
                f**2 / (n - 1) for f, n in zip(self.parts, self.units, strict=True) if n > 1
            )
            least = min([k - 1 for k in r] + [n - 1 for n in self.units if n > 1])
            return total, max(total**2 / (doubt + cases) if doubt + cases else math.inf, least)
        total = s + max(self.c, 0.0)
        if method == "bounded":
            total = max(total, self.fix)
        return total, total**2 / doubt if doubt else math.inf


def one_test(cells: Cells, test: int, readers) -> Comparison:
    return Comparison(cells, [{(test, j): 1.0} for j in readers])


def two_tests(cells: Cells, one: int, two: int) -> Comparison:
    """Readers who read both; if nobody did, readers nested in tests."""
    has = [[j for i, j in cells.where if i == test] for test in (one, two)]
    both = [j for j in has[0] if j in has[1]]
    if both:
        sides = one_test(cells, one, both), one_test(cells, two, both)
        return Comparison(cells, [{(one, j): 1.0, (two, j): -1.0} for j in both], None, sides)
    rows = [{(one, j): 1.0} for j in has[0]] + [{(two, j): -1.0} for j in has[1]]
    k = len(has[0])
    blocks = [list(range(k)), list(range(k, len(rows)))]
    return Comparison(cells, rows, blocks, (one_test(cells, one, has[0]), one_test(cells, two, has[1])))  # fmt: skip


def algorithm_test(cells: Cells, machine: int, test: int, readers) -> Comparison:
    rows = [{(test, machine): 1.0, (test, j): -1.0} for j in readers]
    return Comparison(
        cells, rows, None, (one_test(cells, test, [machine]), one_test(cells, test, readers))
    )


# -------------------------------------------------------------------------------- limits and tests


def _logit_distances(one: Comparison, variance: float, q: float, tiny: float):
    b = min(max(one.est, tiny), 1.0 - tiny)
    middle, half = math.log(b / (1.0 - b)), q * math.sqrt(variance) / (b * (1.0 - b))
    low, high = (1.0 / (1.0 + math.exp(-(middle + side * half))) for side in (-1.0, 1.0))
    return max(one.est - low, 0.0), max(high - one.est, 0.0)


def judge(
    one: Comparison, method="bounded", random="both", level=0.95, alternative="two-sided",
    null=0.0, tiny=0.0, symmetric=False, variance=None,
):  # fmt: skip
    """Variance, df, limits and p-value; `null`: a constant, or minus the margin of a difference."""
    found, df = variance or one.variance(method, random)
    error = math.sqrt(found)
    law = stats.norm if df > 1e7 else stats.t(df)  # which is normal by then
    q = law.ppf((1.0 + level) / 2.0 if alternative == "two-sided" else level)
    t = (one.est - null) / error
    p = {"two-sided": 2 * law.sf(abs(t)), "greater": law.sf(t), "less": law.cdf(t)}[alternative]
    low = high = q * error
    logit = method == "bounded" and not symmetric
    if logit and one.sides is None:
        low, high = _logit_distances(one, found, q, tiny)
    elif logit:
        sides = one.sides
        kinds = ["cases" if len(s.rows) == 1 and random == "both" else random for s in sides]
        v1, v2 = (s.variance("bounded", kind)[0] for s, kind in zip(sides, kinds, strict=True))
        rho = 0.0
        if min(v1, v2) > 1e-20:
            rho = min(max((v1 + v2 - found) / (2 * math.sqrt(v1 * v2)), -1.0), 1.0)

        def far(quantile: float, below: bool) -> float:
            (l1, u1), (l2, u2) = (
                _logit_distances(s, v, quantile, tiny) for s, v in zip(sides, (v1, v2), strict=True)
            )
            a, b = (l1, u2) if below else (u1, l2)
            square = max(a * a - 2 * rho * a * b + b * b, 0.0)
            return max(quantile * error, math.sqrt(square))

        if null:
            low, high = far(q, True), far(q, False)
            if one.est > null:
                at = optimize.brentq(lambda z: one.est - far(z, True) - null, 0.0, 60.0, xtol=1e-13)
                p = law.sf(at)
        else:
            low = low if one.est > 1e-12 else far(q, True)
            high = high if one.est < -1e-12 else far(q, False)
    least = 0.0 if one.sides is None else -1.0
    ends = [max(one.est - low, least), min(one.est + high, 1.0)]
    if alternative == "greater":
        ends[1] = 1.0
    if alternative == "less":
        ends[0] = least
    return {"se": error, "df": df, "low": ends[0], "high": ends[1], "p": p, "estimate": one.est}


def anova(cells: Cells, t: int, r: int):
    """Mean squares and covariances of Obuchowski and Rockette."""
    a = np.array([[cells.value[i, j] for j in range(r)] for i in range(t)])
    kinds: dict[str, list[float]] = {"var": [], "cov1": [], "cov2": [], "cov3": []}
    for (i, j), (k, m) in product(cells.where, cells.where):
        name = {(1, 1): "var", (0, 1): "cov1", (1, 0): "cov2", (0, 0): "cov3"}[i == k, j == m]
        kinds[name].append(cells.cov[(i, j), (k, m)])
    found = {name: float(np.mean(values)) for name, values in kinds.items()}
    found["ms_t"] = r * a.mean(1).var(ddof=1)
    found["ms_r"] = t * a.mean(0).var(ddof=1)
    rest = sum(
        (a[i, j] - a[i].mean() - a[:, j].mean() + a.mean()) ** 2 for i, j in np.ndindex(t, r)
    )
    found["ms_tr"] = rest / ((t - 1) * (r - 1))
    return found


# ------------------------------------------------------------------------------- Gallas' moments


def moments(wins):
    """Moments 1 to 8 of complete win tables (r, m, n), and their coefficients in the variance.

    Moments of products of two wins: of the same reader (1 to 4) or of two (5 to 8); with the same
    positive and negative, the same positive, the same negative, and neither.
    """
    r, m, n = wins.shape
    found, coefficients = [], []
    for same in (True, False):
        pairs = [(a, b) for a, b in product(range(r), repeat=2) if (a == b) == same]
        both = sum((wins[a] * wins[b]).sum() for a, b in pairs)
        one_pos = sum((wins[a].sum(1) * wins[b].sum(1)).sum() for a, b in pairs)
        one_neg = sum((wins[a].sum(0) * wins[b].sum(0)).sum() for a, b in pairs)
        every = sum(wins[a].sum() * wins[b].sum() for a, b in pairs)
        sums = [both, one_pos - both, one_neg - both, every - one_pos - one_neg + both]
        sizes = [1, n - 1, m - 1, (m - 1) * (n - 1)]
        for total, size in zip(sums, sizes, strict=True):
            number = size * m * n * len(pairs)
            found.append(total / number)
            coefficients.append(number / (r * m * n) ** 2)
    coefficients[7] -= 1.0
    return np.array(found), np.array(coefficients)

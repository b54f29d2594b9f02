"""Difference of two learners' mean AUCs over folds, from matrices of all pairs; nothing is shared.

Written from docs/formulas.md, "Two learners on the same folds". Rows may have weights, clusters and
repetitions.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student


def few(k):
    return k / max(k - 1.0, 0.5)


def place(y, s, w):
    """Placement of each row of one fold: weighted share of the other class that it beats."""
    wins = (s[:, None] > s) + 0.5 * (s[:, None] == s)
    pos, neg = w * y / (w * y).sum(), w * ~y / (w * ~y).sum()
    return np.where(y, wins @ neg, 1.0 - wins @ pos), float(pos @ wins @ neg)


def add(groups, values):
    """Sums of values over groups."""
    return np.array([values[groups == g].sum() for g in np.unique(groups)])


def average_of_one(y, s, folds, w, groups, repeats):
    """Mean AUC, unit variance of (F1) with its degrees of freedom, and effective cases.

    Each fold has the share 1/K of the mean, whatever its size.
    """
    parts = [np.flatnonzero(folds == f) for f in np.unique(folds)]
    placed = [place(y[rows], s[rows], w[rows]) for rows in parts]
    mean = np.mean([auc for _, auc in placed])
    sums = {"by": [], "spread": [], "square": [], "kish": [], "rows": []}
    across, units = [], 0
    for rows, (values, _) in zip(parts, placed, strict=True):
        both = []
        for own in (y[rows], ~y[rows]):
            p = w[rows] * own / (w[rows] * own).sum()
            z = add(groups[rows], p * (values - mean))
            both.append(z)
            found = (
                1 / own.sum(),
                p @ (values - mean) ** 2,
                z @ z,
                1 / (add(groups[rows], p) ** 2).sum(),
                1 / (p @ p),
            )
            for name, value in zip(sums, found, strict=True):
                sums[name].append(value)
        clustered = np.unique(groups[rows]).size < rows.size
        across.append(both[0] @ both[1] if clustered else 0.0)
        units += np.unique(groups[rows]).size
    by, spread, square, kish, n_rows = (np.reshape(each, (len(parts), 2)) for each in sums.values())
    kish, n_rows = (len(parts) ** 2 / (1 / each).sum(axis=0) for each in (kish, n_rows))
    variance = square.sum(axis=0) / len(parts) ** 2
    extra = mean * (1 - mean) / kish
    number = ((by * spread).sum(axis=0) / by.sum(axis=0) + extra) / (variance + extra / kish)
    number *= [few(rows) / few(k) for rows, k in zip(n_rows, kish, strict=True)]
    cases, squares = number / repeats, number * variance
    linked = 2 * repeats * float(np.sum(across)) / len(parts) ** 2
    t, by = mean * (1 - mean), []
    for c in (0, 1):
        prior = 0.3 * cases[1 - c] / cases.sum()
        by.append((cases[c] * squares[c] + prior) / ((cases[c] - 1) * t + 0.5) / cases[c])
    unit = sum(by)
    if linked:
        unit = max(unit + linked / (t + 0.5 / (units // repeats - 1)), unit / 10)
    total = sum(by)
    doubt = sum((b / total) ** 2 / (n - 1 + 0.5 / t) for b, n in zip(by, cases, strict=True))
    k = len(parts) / repeats
    z2 = (mean - 0.5) ** 2 / (unit / 4)
    return mean, unit * (1 + k / (k - 1) / (1 + z2 / 10)), 1 / doubt, cases


def score_limits(mean, unit, q):
    """All A with (mean - A)^2 <= q^2 unit A (1 - A): ends by bisection."""
    ends = []
    for end in (0.0, 1.0):
        inside, outside = mean, end
        for _ in range(200):
            middle = (inside + outside) / 2
            kept = (mean - middle) ** 2 <= q**2 * unit * middle * (1 - middle)
            inside, outside = (middle, outside) if kept else (inside, middle)
        ends.append(inside)
    return ends


def compare_folds(y, one, two, folds, level, weights=None, clusters=None, repeats=1):
    """Difference, standard error, degrees of freedom, limits and p-value of 'score-delong'."""
    y = np.asarray(y, dtype=bool)
    w = np.ones(y.size) if weights is None else np.asarray(weights, dtype=float)
    groups = np.arange(y.size) if clusters is None else np.asarray(clusters)
    names, tail = np.unique(folds), (1 - level) / 2
    k = names.size / repeats
    each = [average_of_one(y, s, folds, w, groups, repeats) for s in (one, two)]
    gap = each[0][0] - each[1][0]
    cases = np.minimum(each[0][3], each[1][3])
    placements = np.empty((y.size, 2))
    share = np.zeros((y.size, 2))
    for name in names:
        rows = np.flatnonzero(folds == name)
        for j, s in enumerate((one, two)):
            placements[rows, j] = place(y[rows], s[rows], w[rows])[0]
        for c, own in enumerate((y[rows], ~y[rows])):
            share[rows, c] = w[rows] * own / (w[rows] * own).sum() / names.size
    columns = np.column_stack((placements, placements[:, 0] - placements[:, 1]))
    copies = repeats
    if clusters is not None:
        spans = {np.unique(folds[groups == g]).size for g in np.unique(groups)}
        copies = 1 if min(spans) == repeats else repeats
    factor = copies * (1 + k / (k - 1))
    z = [
        np.column_stack([add(groups, share[:, c] * (v - share[:, c] @ v)) for v in columns.T])
        for c in (0, 1)
    ]
    kish = [1 / (add(groups, share[:, c]) ** 2).sum() / copies for c in (0, 1)]
    parts = [factor * few(kish[c]) * z[c].T @ z[c] for c in (0, 1)]
    total = parts[0] + parts[1]
    size = np.unique(groups).size
    if size < y.size:
        total = total + factor * size / (size - 1) * (z[0].T @ z[1] + z[1].T @ z[0])
    v_pos, v_neg = parts[0][2, 2], parts[1][2, 2]
    df = (v_pos + v_neg) ** 2 / (v_pos**2 / (cases[0] - 1) + v_neg**2 / (cases[1] - 1))
    df = max(df, 1.0)
    error = np.sqrt(max(total[2, 2], (v_pos + v_neg) / 10))
    q = student.ppf(1 - tail, df)
    # Limits of either mean, joined by MOVER with the correlation of both.
    r = total[0, 1] / np.sqrt(total[0, 0] * total[1, 1]) * (1 - 0.5 / cases.min())
    limits = [score_limits(a, u, student.ppf(1 - tail, f)) for a, u, f, _ in each]
    spread = [np.sqrt(u * a * (1 - a)) for a, u, _, _ in each]
    (l1, u1), (l2, u2) = limits
    a1, a2 = each[0][0], each[1][0]

    def arm(x, y):
        if r > 0:
            return np.sqrt((1 - r) * (x**2 + y**2) + r * (q * (spread[0] - spread[1])) ** 2)
        return np.sqrt(x**2 + y**2 - 2 * r * x * y)

    below = max(arm(a1 - l1, u2 - a2), q * error)
    above = max(arm(u1 - a1, a2 - l2), q * error)
    # (M5): on the side of 0 the limit of the test.
    d, reach = abs(gap), q * error
    near = d - reach if d > reach else -(1 - d / reach) * (below if gap > 0 else above)
    low, high = (near, gap + above) if gap > 0 else (gap - below, -near)
    pvalue = 2 * student.sf(d / error, df)
    return gap, error, df, max(low, -1.0), min(high, 1.0), pvalue


def corrected_t(y, one, two, folds, level, repeats=1):
    """Nadeau and Bengio's limits and p-value from the AUC of each fold."""
    y = np.asarray(y, dtype=bool)
    ones = np.ones(y.size)
    gaps = []
    for name in np.unique(folds):
        rows = folds == name
        a, b = (place(y[rows], s[rows], ones[rows])[1] for s in (one, two))
        gaps.append(a - b)
    total = len(gaps)
    mean = sum(gaps) / total
    spread = np.sqrt(sum((g - mean) ** 2 for g in gaps) / (total - 1))
    error = spread * np.sqrt(1 / total + 1 / (total / repeats - 1))
    half = student.ppf((1 + level) / 2, total - 1) * error
    return mean, error, mean - half, mean + half, 2 * student.sf(abs(mean) / error, total - 1)

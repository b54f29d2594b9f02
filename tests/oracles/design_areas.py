"""Areas of weighted and dependent rows, their differences, and differences of curves.

Limits are (estimate, low, high). Nothing is shared with the package. With equal weights and clusters
of one row the results are those of independent rows, in their present form:

* AUC: with weights the limits allow for heavy rows that were not drawn. Those of partial areas, and
  the limits that are combined for a difference, do not.
* Differences, also of partial areas: the limits that agree with Student's test, `join`.
* Partial area: limits are extended to a full or an empty area that the rows do not exclude; the
  limits in a difference of partial areas are not.
* Strata reduce the degrees of freedom of all areas.

`cases` replaces the effective numbers of cases, for numbers made with other ones.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtr

from tests.oracles.design_recipe import common_covariance, ranks, student
from tests.oracles.difference_band import discordance

LEVEL = 0.95
TINY = 1e-12


def vertices(rows, scores):
    """Distinct scores from above, step of each row, and the weighted curve with its origin."""
    steps = np.unique(scores)[::-1]
    step = np.array([int(np.flatnonzero(steps == s)[0]) for s in scores])
    x, y = (
        np.concatenate(([0.0], np.cumsum([share[step == k].sum() for k in range(steps.size)])))
        for share in (rows.neg, rows.pos)
    )
    x[-1] = y[-1] = 1.0
    return steps, step, x, y


# ---------------------------------------------------------------------------------- areas


def whole_area(rows, scores):
    """AUC and its parts: weighted shares of the other class below or above, ties half."""
    wins = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    area = float(rows.pos @ wins @ rows.neg)
    return min(max(area, 0.0), 1.0), rows.influence(wins @ rows.neg, rows.pos @ wins)


def height(x, y, u):
    """Height of the curve, halfway up where it is vertical."""
    at = [y[i] for i in range(x.size) if abs(x[i] - u) <= TINY]
    return (min(at) + max(at)) / 2 if at else float(np.interp(u, x, y))


def mean_over(x0, x1, function, corners):
    """Mean of a piecewise linear function over x0 to x1; at a point, its value."""
    if x1 <= x0:
        return function(x0)
    at = sorted({x0, x1, *(c for c in corners if x0 < c < x1)})
    return sum((b - a) * function((a + b) / 2) for a, b in pairwise(at)) / (x1 - x0)


def part_area(rows, scores, part):
    """Area over a range as a share of its width, and its parts: truncated placements."""
    _, step, x, y = vertices(rows, scores)
    start, stop = part
    width, ends = stop - start, [height(x, y, u) for u in part]
    total, pos, neg = 0.0, [], []
    for k in range(x.size - 1):
        (x0, x1), (y0, y1) = x[k : k + 2], y[k : k + 2]

        def line(u, x0=x0, x1=x1, y0=y0, y1=y1):
            return y0 + (u - x0) / (x1 - x0) * (y1 - y0) if x1 > x0 else y0

        def near(u, line=line):
            return ends[0] if u < start else ends[1] if u > stop else line(u)

        low, high = min(max(x0, start), stop), min(max(x1, start), stop)
        total += (high - low) * line((low + high) / 2) if high > low else 0.0
        pos.append(mean_over(x0, x1, lambda u: stop - min(max(u, start), stop), part))
        neg.append(mean_over(x0, x1, near, part))
    parts = rows.influence(np.array(pos)[step], np.array(neg)[step])
    return min(max(total / width, 0.0), 1.0), [z / width for z in parts]


def area(rows, scores, part=None):
    return whole_area(rows, scores) if part is None else part_area(rows, scores, part)


def area_cases(rows, models, part=None):
    """Numbers of cases; of negatives in a range, the local effective ones between its ends."""
    m, n = rows.cases(*models)
    if part is None:
        return m, n
    width = part[1] - part[0]
    if rows.independent:
        return m, n * width
    return m, min(max(rows.between(scores, *part), n * width) for scores in models)


def unit_variance(rows, value, parts, cases, unseen=(0.0, 0.0)):
    """Variance over A (1 - A) with half a pseudo observation of each class, and its df."""
    m, n = cases
    t = value * (1 - value)
    v_pos, v_neg = (rows.product(z, z) + more for z, more in zip(parts, unseen, strict=True))
    by_pos = (m * m * v_pos + 0.3 * n / (m + n)) / ((m - 1) * t + 0.5) / m
    by_neg = (n * n * v_neg + 0.3 * m / (m + n)) / ((n - 1) * t + 0.5) / n
    both, unit = by_pos + by_neg, 1 / (m * n)
    if rows.clustered or rows.n_strata > 1:
        across = 2 * rows.product(*parts) / (t + 0.5 / (rows.n_clusters - 1))
        unit = max(both + across, 0.1 * both, unit)
    unit = max(unit, both) if not rows.clustered and rows.n_strata == 1 else unit
    if t <= 0:
        return unit, math.inf
    doubt = (by_pos / both) ** 2 / (m - 1 + 0.5 / t) + (by_neg / both) ** 2 / (n - 1 + 0.5 / t)
    return unit, rows.spare(1 / doubt) if rows.n_strata > 1 else 1 / doubt


def score_limits(value, unit, quantile):
    """Roots of |A - a| = q sqrt(u a (1 - a))."""
    w = unit * quantile**2
    half = math.sqrt(w * (value * (1 - value) + w / 4))
    low, high = ((value + w / 2 + side * half) / (1 + w) for side in (-1, 1))
    return min(max(low, 0.0), value), max(min(high, 1.0), value)


def unseen_of(rows, scores, part):
    """Variances that heavy rows which were not drawn may add: of whole areas, with weights."""
    if part is not None or rows.independent:
        return 0.0, 0.0
    return rows.local(scores).unseen_variances()


def area_interval(rows, scores, part=None, level=LEVEL, cases=None, extended=True):
    """AUC or partial AUC."""
    scores = rows.pick(scores)
    value, parts = area(rows, scores, part)
    unseen = unseen_of(rows, scores, part) if cases is None else (0.0, 0.0)
    cases = area_cases(rows, [scores], part) if cases is None else cases
    unit, df = unit_variance(rows, value, parts, cases, unseen)
    low, high = score_limits(value, unit, student(df, (1 - level) / 2))
    if part is None:
        return value, low, high
    width = part[1] - part[0]
    ends = low * width, high * width
    if extended:
        ends = extend(rows, scores, part, value * width, ends, level)
    return value * width, *ends


def extend(rows, scores, part, value, limits, level):
    """Reach a full or an empty area where Clopper and Pearson's limit does not exclude it."""
    (start, stop), n = part, rows.cases(scores)[1]
    _, _, x, y = vertices(rows, scores)
    full = 2 * value > stop - start
    if full:
        first = next(k for k in range(x.size) if y[k] > 1 - TINY)
        share, needed = 1 - x[first], 1 - start
        inside = share > 1 - stop
    else:
        last = max(k for k in range(x.size) if y[k] < TINY)
        share, needed = x[last], stop
        inside = share > start
    count = share * n
    high = betaincinv(count + 1, n - count, (1 + level) / 2) if count < n else 1.0
    if not inside or high < needed:
        return limits
    return (limits[0], stop - start) if full else (0.0, limits[1])


def relate(rows, one, two, cases):
    """Correlation of two areas, error of their difference and its degrees of freedom."""
    c11, c22, c12 = (rows.covariance(a, b) for a, b in ((one, one), (two, two), (one, two)))
    gap = [a - b for a, b in zip(one, two, strict=True)]
    r = 0.0
    if c11 * c22 > 0:
        r = min(max(c12 / math.sqrt(c11 * c22), -1), 1) * (1 - 0.5 / min(cases))
    return r, math.sqrt(max(rows.variance(gap), 0)), rows.df(*rows.class_variances(gap), *cases)


def combine(values, limits, r, common=0.0, shortest=0.0, product=False):
    """Limits of a difference from those of both, formulas (1) to (3) of the package's DeLong.

    `product`: MOVER's formula (3) for all correlations.
    """
    difference = values[0] - values[1]
    (low_1, high_1), (low_2, high_2) = limits

    def arm(x, z):
        if r >= 0 and not product:
            own = (1 - r) * (x * x + z * z) + r * common**2
        else:
            own = x * x + z * z - 2 * r * x * z
        return max(math.sqrt(max(own, 0.0)), shortest)

    low = difference - arm(values[0] - low_1, high_2 - values[1])
    return max(low, -1.0), min(difference + arm(high_1 - values[0], values[1] - low_2), 1.0)


def join(d, reach, limits):
    """Limits that exclude 0 exactly if |d| > reach."""
    below, above = max(d - limits[0], reach), max(limits[1] - d, reach)
    left = 1 - abs(d) / reach
    if d > 0:
        low, high = (-below * left if left > 0 else d - reach), d + above
    else:
        low, high = d - below, (above * left if left > 0 else d + reach)
    return max(low, -1.0), min(high, 1.0)


def area_difference(rows, one, two, part=None, level=LEVEL, cases=None, joined=True):
    """Difference of two areas on the same rows, with limits that agree with the test.

    Numbers are shares of the width of a range times the width. Degrees of freedom of the test are
    those of the difference, with m and n.
    """
    found = relate_areas(rows, one, two, part, cases)
    tail, width = (1 - level) / 2, 1.0 if part is None else part[1] - part[0]
    values, d = found["values"], found["values"][0] - found["values"][1]
    if found["alike"]:
        return 0.0, 0.0, 0.0
    q = student(found["df"], tail)
    limits = [
        score_limits(a, unit, student(df, tail))
        for a, (unit, df) in zip(values, found["units"], strict=True)
    ]
    errors = [
        math.sqrt(unit * a * (1 - a)) for a, (unit, _) in zip(values, found["units"], strict=True)
    ]
    reach = q * found["error"]
    ends = combine(values, limits, found["r"], q * (errors[0] - errors[1]), reach)
    if joined:
        ends = join(d, reach, ends)
    return d * width, ends[0] * width, ends[1] * width


def relate_areas(rows, one, two, part=None, cases=None):
    """Areas, their unit variances, correlation, and error and df of the difference."""
    one, two = rows.pick(one), rows.pick(two)
    (a1, p1), (a2, p2) = area(rows, one, part), area(rows, two, part)
    cases = area_cases(rows, (one, two), part) if cases is None else cases
    units = [unit_variance(rows, a, p, cases) for a, p in ((a1, p1), (a2, p2))]
    r, error, df = relate(rows, p1, p2, cases)
    alike = np.array_equal(ranks(one), ranks(two))
    if error <= 1e-12 and not alike:  # one more row of each class that favours the other model
        error = (1 + abs(a1 - a2)) * math.hypot(1 / (cases[0] + 1), 1 / (cases[1] + 1))
        df = math.inf
    names = ("values", "units", "r", "error", "df", "alike", "cases")
    return dict(zip(names, ((a1, a2), units, r, error, df, alike, cases), strict=True))


def area_test(rows, one, two):
    """Statistic and two-sided p-value of equal areas: Student's t."""
    found = relate_areas(rows, one, two)
    if found["alike"]:
        return 0.0, 1.0
    t = (found["values"][0] - found["values"][1]) / found["error"]
    return t, 2 * float(stdtr(min(found["df"], 1e9), -abs(t)))


def area_difference_two_sets(rows_1, one, rows_2, two, level=LEVEL, common=True):
    """Difference of areas on two test sets; `common`: clusters of the same name are the same."""
    sets, values, parts, units, cases = (rows_1, rows_2), [], [], [], []
    for rows, scores in zip(sets, (rows_1.pick(one), rows_2.pick(two)), strict=True):
        value, own = area(rows, scores)
        values.append(value)
        parts.append(own)
        cases += rows.cases(scores)
        units.append(unit_variance(rows, value, own, rows.cases(scores)))
    r, tail = 0.0, (1 - level) / 2
    if common:
        shared = common_covariance(*parts, *sets)
        scale = math.prod(math.sqrt(s.variance(p)) for s, p in zip(sets, parts, strict=True))
        r = min(max(shared / scale, -1), 1) * (1 - 0.5 / min(cases)) if scale > 0 else 0.0
    q = student(min(df for _, df in units), tail)
    limits = [
        score_limits(a, unit, student(df, tail))
        for a, (unit, df) in zip(values, units, strict=True)
    ]
    errors = [math.sqrt(unit * a * (1 - a)) for a, (unit, _) in zip(values, units, strict=True)]
    return values[0] - values[1], *combine(values, limits, r, q * (errors[0] - errors[1]))


# ---------------------------------------------------------------------------------- curves


def kernel_curve(x, y, m, n, points=161, many=60, fine=6):
    """Both classes smoothed on the scale of pooled normal scores; masses are m and n in all."""
    neg, pos = np.diff(x) * n, np.diff(y) * m
    above = np.concatenate(([0.0], np.cumsum(neg + pos)))[:-1]
    z = -ndtri((above + (neg + pos) / 2) / (m + n))
    widths = []
    for mass, size in ((neg, n), (pos, m)):
        mean = float(mass @ z) / size
        sd = math.sqrt(float(mass @ (z - mean) ** 2) / max(size - 1, 1))
        sd = 0.0 if sd < TINY else sd
        total = np.cumsum(mass)
        upper, lower = (z[np.flatnonzero(total >= q * size - 1e-9)[0]] for q in (0.25, 0.75))
        widths.append(0.9 * (min(sd, float(upper - lower) / 1.34) or sd or 1.0) * size**-0.2)
    reach, curve = 4.5 * max(widths), []
    at = np.linspace(z[0] + reach, z[-1] - reach, points)
    for mass, h in ((neg, widths[0]), (pos, widths[1])):
        own, weight = z[mass > 0], mass[mass > 0]
        if own.size > many:  # more scores are put into bins, each at its mean
            cell = np.rint(own / (h / fine)).astype(int)
            bins = np.unique(cell)
            total = np.array([weight[cell == b].sum() for b in bins])
            own = np.array([(weight * own)[cell == b].sum() for b in bins]) / total
            weight = total
        share = ndtr((own - at[:, None]) / h) @ (weight / weight.sum())
        share[0], share[-1] = 0.0, 1.0
        curve.append(share)
    return curve


def slope(rows, scores, u, cases):
    """Slope of the curve at u: the kernel's, and chords where ties leave few distinct scores."""
    m, n = cases
    _, step, x, y = vertices(rows, scores)
    kernel = kernel_curve(x, y, m, n)
    low, high = max(u - 0.01, 0.0), min(u + 0.01, 1.0)
    foot, top = np.interp((low, high), *kernel)
    smooth = float(top - foot) / (high - low)
    error = math.sqrt(u * (1 - u) / n)
    low, high = max(u - error, 0.0), min(u + error, 1.0)
    chord = (height(x, y, high) - height(x, y, low)) / (high - low)
    at = next(k for k in range(x.size - 1) if x[k + 1] > u + TINY)
    if np.sum(~rows.y & (step == at)) >= 2:
        far, near = min(u + 1.5 * error, 1.0), max(u - 1.5 * error, 0.0)
        middle = height(x, y, u)
        chord = max(
            (height(x, y, far) - middle) / (far - u), (middle - height(x, y, near)) / (u - near)
        )
    # Scores of negatives that the chord passes.
    passed = sum(x[k + 1] > x[k] and low + 1e-9 < x[k] < high - 1e-9 for k in range(x.size - 1))
    weight = 1 / (passed + 1)
    return weight * chord + (1 - weight) * smooth


def calls(rows, scores, u):
    """Calls of all rows at the fpr u, a share at a tied threshold, and the height there."""
    _, step, x, y = vertices(rows, scores)
    at = next(k for k in range(x.size - 1) if x[k + 1] > u + TINY)
    share = min(max((u - x[at]) / (x[at + 1] - x[at]), 0.0), 1.0)
    return np.where(step == at, share, step < at).astype(float), y[at] + share * (y[at + 1] - y[at])


def curve_difference(rows, one, two, fpr, level=LEVEL, cases=None, critical=None):
    """TPR of model 1 minus that of model 2 at each fpr: estimates, lower and upper limits.

    `critical`: critical value before it is stretched; by default the normal quantile.
    """
    one, two = rows.pick(one), rows.pick(two)
    cases = rows.cases(one, two) if cases is None else cases
    critical = -float(ndtri((1 - level) / 2)) if critical is None else critical
    found = [point_difference(rows, one, two, u, cases, critical) for u in np.atleast_1d(fpr)]
    return tuple(np.array(side) for side in zip(*found, strict=True))


def point_difference(rows, one, two, u, cases, critical):
    (c1, t1), (c2, t2) = calls(rows, one, u), calls(rows, two, u)
    r1, r2 = slope(rows, one, u, cases), slope(rows, two, u, cases)
    d, square = t1 - t2, (r1**2 + r2**2) / 2
    v = r1 * (c1 - u) - r2 * (c2 - u)
    parts = [rows.add(rows.pos * (c1 - c2 - d)), rows.add(-rows.neg * v)]
    v_pos, v_neg = (max(each, 0.0) for each in rows.class_variances(parts))
    highest = [
        max([rank for rank, c in zip(ranks(s), called, strict=True) if c < 0.5], default=-1.0)
        for s, called in ((one, c1), (two, c2))
    ]
    u_pos, u_neg, _ = rows.next_unit((one, highest[0] + 0.5), (two, highest[1] + 0.5))
    key = np.abs(ranks(one) - ranks(two))
    m, _ = rows.effective(rows.pos, c1 - c2, key=key, unit=u_pos)
    pool, scale = ((c1 + c2) > 0) & ~rows.y, max(math.sqrt(square), 1e-9)
    n, _ = rows.effective(rows.neg, v, mean=0.0, pool=pool, scale=scale, unit=u_neg)
    psi = min(float(rows.pos @ (c1 - c2) ** 2), 1.0)
    b, c = max(m * (psi + d) / 2, 0.0), max(m * (psi - d) / 2, 0.0)
    least_pos, least_neg = 0.5 / m**2, 0.5 * square / n**2
    base = max(rows.covariance(parts, parts), 0.1 * (v_pos + v_neg)) + least_pos + least_neg
    a_part, n_part, jump = v_pos + least_pos, v_neg + least_neg, math.sqrt(square) / n
    share = a_part / (a_part + n_part)

    def variance(h):
        moved = min(max(d + h * share, -1.0), 1.0)
        grown = (max(discordance(moved, b, c, m) - moved**2, 0.0) - ((b + c) / m - d**2)) / m
        by_neg = math.sqrt(n_part**2 / 4 + (h * (1 - share) * jump) ** 2) - n_part / 2
        return base + max(0.6 * grown + by_neg / 3, 0.0)

    quantile, ends = critical * rows.stretch(float(ndtr(-critical)), v_pos, v_neg), []
    for side in (-1, 1):
        low, high = 0.0, 1 - side * d
        for _ in range(50):
            h = (low + high) / 2
            short = h < quantile * math.sqrt(variance(side * h))
            low, high = (h, high) if short else (low, h)
        ends.append(min(max(d + side * high, -1.0), 1.0))
    return d, *ends

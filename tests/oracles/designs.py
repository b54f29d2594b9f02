"""Every statement about rows with weights, clusters and strata, from its influences and its pivot.

Rows are those of :mod:`tests.oracles.design_recipe`; areas and curves are in
:mod:`tests.oracles.design_areas` and can be had from here. Limits are (estimate, low, high). Nothing
is shared with the package. With equal weights and clusters of one row the results are those of
independent rows, in their present form. Average precision: the pseudo observation is larger where
positives outnumber negatives, and rests on m / lambda cases where a negative stands for lambda > 1
of them; limits of a difference follow the rule of areas.
"""

from __future__ import annotations

import math

import numpy as np

from tests.oracles.design_areas import (
    LEVEL,
    TINY,
    area_difference,
    area_difference_two_sets,
    area_interval,
    area_test,
    combine,
    curve_difference,
    relate_areas,
    score_limits,
    vertices,
)
from tests.oracles.design_recipe import Rows, few, ranks, student
from tests.oracles.difference_band import discordance

__all__ = [
    "Rows",
    "accuracy",
    "area_difference",
    "area_difference_two_sets",
    "area_interval",
    "area_test",
    "cost",
    "cost_difference",
    "curve_difference",
    "f1",
    "likelihood_ratios",
    "mcnemar",
    "net_benefit",
    "npv",
    "ppv",
    "precision_difference",
    "precision_interval",
    "recall",
    "recall_difference",
    "relate_areas",
]


# ---------------------------------------------------------------------------------- precision


def precision(rows, scores, prevalence=None, present=True):
    """Average precision, the same without half of each positive's own weight, and its parts.

    Those of a cluster at one step are one. Tied positives all have their mean weight, by weight,
    unless `present` is false.
    """
    _, step, x, y = vertices(rows, scores)
    pi = rows.prevalence if prevalence is None else prevalence
    lam, tp = (1 - pi) / pi, y[1:]
    fp, gain = lam * x[1:], np.diff(y)
    called = tp + fp
    value = min(float(gain @ (tp / called)), 1.0)
    half = 0.0
    for i in np.flatnonzero(rows.y):
        tied = rows.add(np.where(step == step[i], rows.pos, 0.0))
        unit = float(tied @ tied) / float(tied.sum()) if present else rows.pos[i]
        own = max(tp[step[i]] - unit / 2, 0.0)
        half += rows.pos[i] * own / (own + fp[step[i]]) if own > 0 else 0.0
    lost = [float((gain * fp / called**2)[k:].sum()) for k in range(tp.size)]
    taken = [lam * float((gain * tp / called**2)[k:].sum()) for k in range(tp.size)]
    slope = None
    if prevalence is None:
        slope = float(gain @ (tp * fp / called**2)) / (pi * (1 - pi))
    parts = rows.influence((tp / called + lost)[step], -np.array(taken)[step], slope)
    return value, min(half, 1.0), parts


class PrecisionPivot:
    """The score interval of an average precision.

    A negative stands for lambda of them: the odds of being negative where the prevalence holds over
    those of the rows by weight, times the weight of a negative over that of a positive at equal
    scores. The number m of cases is then m / max(lambda, 1); without weights and a given
    prevalence lambda is 1. `present`: false for the rules of the printed numbers.
    """

    def __init__(self, rows, scores, prevalence=None, cases=None, present=True):
        self.value, self.half, self.parts = precision(rows, scores, prevalence, present)
        m, n = rows.cases(scores) if cases is None else cases
        pi = rows.prevalence if prevalence is None else prevalence
        lam = (1 - pi) / pi * rows.prevalence / (1 - rows.prevalence) / rows.factor(scores)
        c, own_m = 1.0, m
        if present:
            own_m = m / max(lam, 1.0)
            c = 1 + (math.log(own_m) * (own_m - n) / (own_m + n) if own_m > n else 0.0)
        spread = self.half * (1 - self.half)
        self.variance = rows.variance(self.parts)
        self.unit = (own_m**2 * self.variance + c / 2) / (own_m * spread + 0.5) / own_m
        v_pos, v_neg = rows.class_variances(self.parts)
        self.df, self.spread = 1e7, spread
        if spread > 0 and v_pos + v_neg > 0:
            self.df = min(max(rows.df(v_pos, v_neg, m, n) + 0.5 / spread, 2.0), 1e7)

    def limits(self, tail):
        low, high = score_limits(self.half, self.unit, student(self.df, tail))
        return max(0.0, min(low, self.value)), min(1.0, max(high, self.value))


def precision_interval(rows, scores, prevalence=None, level=LEVEL, **options):
    pivot = PrecisionPivot(rows, rows.pick(scores), prevalence, **options)
    return pivot.value, *pivot.limits((1 - level) / 2)


def precision_difference(rows, one, two, prevalence=None, level=LEVEL, cases=None, present=True):
    """The rule of areas, at first plain MOVER; both have the smaller numbers of cases."""
    one, two = rows.pick(one), rows.pick(two)
    cases = rows.cases(one, two) if cases is None else cases
    first, second = (PrecisionPivot(rows, s, prevalence, cases, present) for s in (one, two))
    c11, c22, c12 = (
        rows.covariance(a.parts, b.parts)
        for a, b in ((first, first), (second, second), (first, second))
    )
    # A variance of 0 may come out as 1e-33.
    r = min(max(c12 / math.sqrt(c11 * c22), -1), 1) if min(c11, c22) > 1e-25 else 0.0
    tail, d = (1 - level) / 2, first.value - second.value
    halves, limits = (first.half, second.half), [p.limits(tail) for p in (first, second)]
    if present:
        gap = [a - b for a, b in zip(first.parts, second.parts, strict=True)]
        q = student(rows.df(*rows.class_variances(gap), *cases), tail)
        errors = [math.sqrt(p.unit * p.spread) for p in (first, second)]
        own = q * (errors[0] - errors[1]), q * math.sqrt(rows.variance(gap))
        low, high = combine(halves, limits, r * (1 - 0.5 / min(cases)), *own)
    else:
        low, high = combine(halves, limits, r, product=True)
    return d, min(low, d), max(high, d)


# ---------------------------------------------------------------------------------- shares


def wilson(p, n, quantile):
    g = quantile**2 / n
    half = math.sqrt(g * (p * (1 - p) + g / 4))
    low = 0.0 if p <= 0 else min(max((p + g / 2 - half) / (1 + g), 0.0), p)
    high = 1.0 if p >= 1 else max(min((p + g / 2 + half) / (1 + g), 1.0), p)
    return low, high


def correlate(rows, a, b):
    scale = rows.product(a, a) * rows.product(b, b)
    return min(max(rows.product(a, b) / math.sqrt(scale), -1), 1) if scale > 0 else 0.0


def add_shares(rows, cells, level=LEVEL):
    """Limits of sum c_k p_k by MOVER; a cell: c, values 0 or 1, shares, key of the pool, unit."""
    tail, terms = (1 - level) / 2, []
    for c, counted, share, key, unit in cells:
        values = np.asarray(counted, float)
        number, z = rows.effective(share, values, key=key, unit=unit)
        p = float(share @ values)
        terms.append((c, p, *wilson(p, number, rows.stretched(share, tail)), z))
    value, ends = sum(c * p for c, p, *_ in terms), []
    for side in (-1, 1):
        moved = [
            (math.copysign(1, c) * abs(c * ((high if side * c > 0 else low) - p)), z)
            for c, p, low, high, z in terms
        ]
        total = 0.0
        for i, (a, z_a) in enumerate(moved):
            for j, (b, z_b) in enumerate(moved):
                total += a * b * (1.0 if i == j else correlate(rows, z_a, z_b))
        ends.append(value + side * math.sqrt(max(total, 0.0)))
    return value, min(ends[0], value), max(ends[1], value)


def threshold_rank(scores, threshold):
    """Half a rank above the highest row that is not called."""
    return float(np.sum(np.unique(scores) < threshold)) - 0.5


def net_benefit(rows, one, threshold, two=None, prevalence=None, level=LEVEL):
    """Net benefit of one model, or the difference of two; shares of all rows, or of each class."""
    one = rows.pick(one)
    two = None if two is None else rows.pick(two)
    odds, called = threshold / (1 - threshold), one >= threshold
    near = [(s, threshold_rank(s, threshold)) for s in (one, two) if s is not None]
    u_pos, u_neg, u_all = rows.next_unit(*near)
    # Of each class: weight in the sum, shares, rows that may count, pseudo unit.
    if prevalence is None:
        classes = [(1.0, rows.all, rows.y, u_all), (-odds, rows.all, ~rows.y, u_all)]
    else:
        every = np.ones(rows.n, bool)
        classes = [
            (prevalence, rows.pos, every, u_pos),
            (-odds * (1 - prevalence), rows.neg, every, u_neg),
        ]
    cells = []
    if two is None:
        cells = [
            (c, called & own, share, one - 9.0 * ~own, unit) for c, share, own, unit in classes
        ]
    else:
        gap, other = ranks(one) - ranks(two), two >= threshold
        for sign, first, second in ((1, called, other), (-1, other, called)):
            cells += [
                (sign * c, first & ~second & own, share, sign * gap - 9.0 * rows.n * ~own, unit)
                for c, share, own, unit in classes
            ]
    return add_shares(rows, [cell for cell in cells if cell[0] != 0], level)


def ppv(rows, scores, threshold, level=LEVEL):
    scores = rows.pick(scores)
    mass = rows.w * (scores >= threshold)
    return add_shares(rows, [(1.0, rows.y, mass / mass.sum(), scores, 0.0)], level)


def npv(rows, scores, threshold, level=LEVEL):
    """The PPV of the other class: its rows are called below the threshold."""
    scores = rows.pick(scores)
    mass = rows.w * (scores < threshold)
    return add_shares(rows, [(1.0, ~rows.y, mass / mass.sum(), -scores, 0.0)], level)


def f1(rows, scores, threshold, level=LEVEL):
    """2 J / (1 + J) of Jaccard's index: true positives among rows positive or called."""
    scores = rows.pick(scores)
    called = scores >= threshold
    mass = rows.w * (rows.y | called)
    found = add_shares(rows, [(1.0, rows.y & called, mass / mass.sum(), scores, 0.0)], level)
    return tuple(2 * j / (1 + j) for j in found)


def accuracy(rows, scores, threshold, level=LEVEL):
    """Rows that come nearest to an error are positives with low and negatives with high scores."""
    scores = rows.pick(scores)
    key = np.where(rows.y, 1.0, -1.0) * (ranks(scores) - threshold_rank(scores, threshold))
    unit = rows.next_unit((scores, threshold_rank(scores, threshold)))[2]
    right = (scores >= threshold) == rows.y
    return add_shares(rows, [(1.0, right, rows.all, key, unit)], level)


def likelihood_ratios(rows, scores, threshold, level=LEVEL):
    """LR+ = TPR / FPR and LR- = FNR / TNR: MOVER on logarithms, with the correlation of the rates.

    All four rates must be above 0 and have limits above 0.
    """
    scores, tail = rows.pick(scores), (1 - level) / 2
    at = scores, threshold_rank(scores, threshold)
    called, found = (scores >= threshold).astype(float), []
    for (share, values, key), unit in zip(
        (
            (rows.pos, called, scores),
            (rows.neg, called, scores),
            (rows.pos, 1 - called, -scores),
            (rows.neg, 1 - called, -scores),
        ),
        2 * rows.next_unit(at)[:2],
        strict=True,
    ):
        number, z = rows.effective(share, values, key=key, unit=unit)
        p = float(share @ values)
        found.append((p, *wilson(p, number, rows.stretched(share, tail)), z))
    ratios = []
    for (p, low, high, z), (q, q_low, q_high, z_q) in (found[:2], found[2:]):
        r = correlate(rows, z, z_q)
        ends = []
        for a, b in ((math.log(p / low), math.log(q_high / q)),
                     (math.log(high / p), math.log(q / q_low))):  # fmt: skip
            ends.append(math.sqrt(max(a * a + b * b - 2 * r * a * b, 0.0)))
        ratios.append((p / q, p / q * math.exp(-ends[0]), p / q * math.exp(ends[1])))
    return ratios


# ---------------------------------------------------------------------------------- costs


def cost(rows, scores, threshold, w, level=LEVEL):
    """Normalised cost w FNR + (1 - w) FPR: Wilson's limits of each class, joined."""
    scores = rows.pick(scores)
    called = scores >= threshold
    u_pos, u_neg, _ = rows.next_unit((scores, threshold_rank(scores, threshold)))
    cells = [(w, ~called, rows.pos, -scores, u_pos), (1 - w, called, rows.neg, scores, u_neg)]
    return add_shares(rows, [cell for cell in cells if cell[0] > 0], level)


def tango(b, c, n, z):
    """Differences d with (b - c - n d)^2 <= z^2 n (discordance at d - d^2), by bisection."""
    centre, ends = (b - c) / n, []
    for edge in (-1.0, 1.0):
        inside, outside = centre, edge
        for _ in range(60):
            d = (inside + outside) / 2
            kept = (b - c - n * d) ** 2 <= z * z * n * max(discordance(d, b, c, n) - d * d, 0.0)
            inside, outside = (d, outside) if kept else (inside, d)
        ends.append(edge if abs(centre - edge) < TINY else inside)
    return ends


def paired_shares(rows, share, x, gap, unit, level):
    """Tango's limits of the mean of x = -1, 0, 1, and the sums over clusters of x - mean."""
    number, z = rows.effective(share, x, key=np.abs(gap), unit=unit)
    psi, d = float(share @ x**2), float(share @ x)
    counts = max(number * (psi + d) / 2, 0.0), max(number * (psi - d) / 2, 0.0)
    quantile = rows.stretched(share, (1 - level) / 2)
    return d, *tango(*counts, number, quantile), z


def cost_difference(rows, one, two, cuts, w, level=LEVEL):
    """Cost of model 1 minus that of model 2 on the same rows, each at its own threshold."""
    one, two = rows.pick(one), rows.pick(two)
    called_1, called_2 = ((s >= cut).astype(float) for s, cut in zip((one, two), cuts, strict=True))
    near = [(s, threshold_rank(s, cut)) for s, cut in zip((one, two), cuts, strict=True)]
    u_pos, u_neg, _ = rows.next_unit(*near)
    gap = ranks(one) - ranks(two)
    pos = paired_shares(rows, rows.pos, called_2 - called_1, gap, u_pos, level)
    neg = paired_shares(rows, rows.neg, called_1 - called_2, gap, u_neg, level)
    r = correlate(rows, pos[3], neg[3])
    value, ends = w * pos[0] + (1 - w) * neg[0], []
    for side in (1, 2):
        a, b = w * abs(pos[side] - pos[0]), (1 - w) * abs(neg[side] - neg[0])
        ends.append(math.sqrt(max(a * a + b * b + 2 * r * a * b, 0.0)))
    return value, value - ends[0], value + ends[1]


def mcnemar(rows, one, two, cuts, of="accuracy", level=LEVEL):
    """Difference of the shares that are right, Tango's limits; and the test of no difference.

    The statistic is Durkalski's: the sum of the clusters' uncentred sums over the root of the sum of
    their squares. Its p-value has the stretched quantile. In strata, whose means differ, squares
    are about each stratum's mean, and the mean of all clusters' sums, 0 if there is no difference,
    is not subtracted.
    """
    one, two = rows.pick(one), rows.pick(two)
    right_1, right_2 = (
        ((s >= cut) == rows.y).astype(float) for s, cut in zip((one, two), cuts, strict=True)
    )
    which = {"sensitivity": 0, "specificity": 1, "accuracy": 2}[of]
    share = (rows.pos, rows.neg, rows.all)[which]
    near = [(s, threshold_rank(s, cut)) for s, cut in zip((one, two), cuts, strict=True)]
    x, unit = right_1 - right_2, rows.next_unit(*near)[which]
    d, low, high, _ = paired_shares(rows, share, x, ranks(one) - ranks(two), unit, level)
    z = rows.add(share * x)
    square = rows.product(z, z) + (d * d / rows.n_clusters if rows.n_strata > 1 else 0.0)
    statistic = float(z.sum() / math.sqrt(square)) if (z != 0).any() else 0.0
    return d, low, high, statistic, find_pvalue(rows, share, statistic)


def find_pvalue(rows, share, statistic):
    """Twice the tail at which the stretched quantile is the statistic, by bisection."""
    low, high = 1e-100, 0.5
    if statistic == 0 or rows.stretched(share, low) < abs(statistic):
        return 1.0 if statistic == 0 else 0.0
    for _ in range(2000):
        middle = math.sqrt(low * high) if high < 1e-3 else (low + high) / 2
        inside = rows.stretched(share, middle) > abs(statistic)
        low, high = (middle, high) if inside else (low, middle)
        if high - low < 1e-15 * high:
            break
    return 2 * high


# ---------------------------------------------------------------------------------- rates


def called_at(rows, scores, rate):
    """Share of each row that is called when the rows with the highest scores are; ties share."""
    left, called = rate, np.zeros(rows.n)
    for score in np.unique(scores)[::-1]:
        tied = scores == score
        mass = float(rows.all[tied].sum())
        taken = min(max(left, 0.0), mass)
        called[tied] = taken / mass if taken > TINY else 0.0
        left -= mass
    return called


def observe_rate(rows, scores, rate):
    """Calls, recall, and positives and all of the rows near the threshold, in effective rows."""
    number = rows.kish(rows.all)[1]
    called = called_at(rows, scores, rate)
    reach = max(1.7 * math.sqrt(rate * (1 - rate) / number), 1 / number)
    low, high = max(rate - reach, 0.0), min(rate + reach, 1.0)
    inside = called_at(rows, scores, high) - called_at(rows, scores, low)
    width = (high - low) * number
    near = min(max(float((rows.all * rows.y) @ inside) * number, 0.0), width)
    return called, float(rows.pos @ called), near, width


def recall(rows, scores, rate, level=LEVEL):
    """Recall when a share of the rows is acted on: all v that the score test accepts."""
    scores = rows.pick(scores)
    called, found, near, width = observe_rate(rows, scores, rate)
    share = (near + 0.5) / (width + 1)
    values = rows.y * (called - found) - share * (called - rate)
    number, _ = rows.effective(rows.all, values, mean=0.0, pool=called > 0)
    quantile, own = rows.stretched(rows.all, (1 - level) / 2), rows.prevalence

    def accepts(v):
        pi = min(own, rate / max(v, 1e-300), (1 - rate) / max(1 - v, 1e-300))
        variance = max(pi * v * (1 - v) * (1 - 2 * share) + share**2 * rate * (1 - rate), 0.0)
        return (own * (found - v)) ** 2 <= quantile**2 * variance / number

    ends = []
    for edge in (0.0, 1.0):
        way = [found + (edge - found) * k / 4000 for k in range(4001)]
        last = max(k for k, v in enumerate(way) if k == 0 or accepts(v))
        inside, outside = way[last], way[min(last + 1, 4000)]
        for _ in range(60):
            v = (inside + outside) / 2
            inside, outside = (v, outside) if accepts(v) else (inside, v)
        ends.append(inside)
    return found, *ends


def recall_difference(rows, one, two, rate, level=LEVEL):
    """Difference of two models' recalls at the same rate: what was seen, and what was not."""
    one, two = rows.pick(one), rows.pick(two)
    own, values, sides, calls = rows.prevalence, [], [], []
    for scores in (one, two):
        called, found, near, width = observe_rate(rows, scores, rate)
        share = min(max(near / width, 0.0), 1.0)
        values.append((found, rows.y * (called - found) - share * (called - rate)))
        sides += [share**2, (1 - share) ** 2]
        calls.append(called)
    (v1, e1), (v2, e2) = values
    if np.array_equal(ranks(one), ranks(two)):
        return 0.0, 0.0, 0.0
    each = rows.all * (e1 - e2) / own
    z = rows.add(each)
    seen, (units, number) = rows.product(z, z), rows.kish(rows.all)
    if rows.clustered:
        seen = max(seen, float((each**2).sum()) / 2)
    # The pseudo unit is at least as heavy as a typical row of all.
    om = rows.pseudo_unit(rows.all, (calls[0] + calls[1]) > 0, 1 / number)
    unseen = sum(sides) / 2 * (om / own) ** 2
    error = math.sqrt(seen * few(units) / few(number) + unseen)
    quantile = rows.stretched(rows.all, (1 - level) / 2)
    half = max(quantile * error, -math.log(1 - level) * math.sqrt(unseen))
    # Limits end at the largest difference of two recalls, for the lowest share of positives.
    z = rows.add(rows.all * (rows.y - own))
    variance = rows.product(z, z) * few(units) / few(number)
    fewest = wilson(own, own * (1 - own) / variance, quantile)[0]
    room, most = ((min(rate, p) - max(0.0, rate - (1 - p))) / p for p in (own, fewest))
    d = min(max(v1 - v2, -room), room)
    return d, min(max(v1 - v2 - half, -most), d), max(min(v1 - v2 + half, most), d)

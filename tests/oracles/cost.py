"""Normalised cost from its definition: all thresholds, all resamples, exact fractions."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

from tests.oracles.averaging import Rows


def errors(rows: Rows, cut: float) -> tuple[int, int]:
    """False negatives and false positives when a row is called positive from `cut` on."""
    fn = sum(label == 1 and score < cut for label, score in rows)
    fp = sum(label == 0 and score >= cut for label, score in rows)
    return fn, fp


def sizes(rows: Rows) -> tuple[int, int]:
    n_pos = sum(label == 1 for label, _ in rows)
    return n_pos, len(rows) - n_pos


def lowest_cost(rows: Rows, w: Fraction) -> Fraction:
    """Smallest cost over all thresholds and over calling nobody positive."""
    m, k = sizes(rows)
    found = [errors(rows, cut) for cut in {score for _, score in rows}] + [(m, 0)]
    return min(w * Fraction(fn, m) + (1 - w) * Fraction(fp, k) for fn, fp in found)


Law = dict[Fraction, Fraction]


def stratified_law(fn: int, m: int, fp: int, k: int, w: Fraction) -> Law:
    """Law of the cost over all m^m k^k resamples that keep the class sizes."""
    pos, neg = [1] * fn + [0] * (m - fn), [1] * fp + [0] * (k - fp)
    missed = Counter(sum(draw) for draw in itertools.product(pos, repeat=m))
    false = Counter(sum(draw) for draw in itertools.product(neg, repeat=k))
    law: Counter[Fraction] = Counter()
    for (u, times), (v, others) in itertools.product(missed.items(), false.items()):
        law[w * Fraction(u, m) + (1 - w) * Fraction(v, k)] += times * others
    return {c: Fraction(times, m**m * k**k) for c, times in law.items()}


def full_law(fn: int, fp: int, n: int, c_fn: Fraction, c_fp: Fraction) -> Law:
    """Law of the cost, in units of the larger one, over all n^n resamples of all rows together."""
    losses = [c_fn] * fn + [c_fp] * fp + [Fraction(0)] * (n - fn - fp)
    law: Counter[Fraction] = Counter()
    for draw in itertools.product(losses, repeat=n):
        law[sum(draw) / (n * max(c_fn, c_fp))] += 1
    return {c: Fraction(times, n**n) for c, times in law.items()}


def mean_variance_skewness(law: Law) -> tuple[float, float, float]:
    mean = sum(c * p for c, p in law.items())
    variance = sum((c - mean) ** 2 * p for c, p in law.items())
    third = sum((c - mean) ** 3 * p for c, p in law.items())
    skewness = float(third) / float(variance) ** 1.5 if variance else 0.0
    return float(mean), float(variance), skewness


def percentiles(law: Law, level: Fraction) -> tuple[float, float]:
    """Smallest value with P(<=) above one tail, smallest with P(<=) at least 1 - the other."""
    tail, total, low, high = (1 - level) / 2, Fraction(0), None, None
    for c in sorted(law):
        total += law[c]
        if low is None and total > tail:
            low = float(c)
        if high is None and total >= 1 - tail:
            high = float(c)
    assert low is not None
    assert high is not None
    return low, high

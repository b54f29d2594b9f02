"""Differences of areas on resampled test sets: percentile and studentised intervals."""

from __future__ import annotations

import math

import numpy as np

from rocbands.comparison.copies import Sorted, over_copies
from rocbands.comparison.delong import ALIKE, Classes, delong
from rocbands.comparison.question import Answer, Pair, Question, same_order
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.delong import compute_placements
from rocbands.core.scores import Scores
from rocbands.errors import InputError

__all__ = ["area", "from_draws", "percentile", "studentised"]

STILL = (
    "No resample differs from any other, so the interval is a point: what these rows do not show, "
    "resampling cannot show either."
)


def percentile(
    pair: Pair, question: Question, n_resamples: int, rng: np.random.Generator
) -> Answer:
    """Percentile interval of the areas' difference, and the p-value that goes with it."""
    if pair.least < 2:
        raise _too_few()
    pair = pair.in_order()
    models = Sorted.of(pair.one), Sorted.of(pair.two)

    def measure(one: FloatArray, two: FloatArray) -> FloatArray:
        areas = []
        for scores, model, weights in zip((pair.one, pair.two), models, (one, two), strict=True):
            classes = weights[scores.is_positive], weights[~scores.is_positive]
            areas.append(model.areas(weights, *classes).auc)
        return (areas[0] - areas[1])[None]

    drawn = over_copies(pair, n_resamples, rng, measure)[0]
    if float(np.ptp(drawn)) <= 1e-12:
        # Resamples that never differ would make any difference certain.
        _enough(n_resamples, question)
        return delong(pair, question)._replace(interval="bootstrap percentile")
    estimate = area(pair.one) - area(pair.two)
    return from_draws(drawn, estimate, question, alike=same_order(pair))


def from_draws(drawn: FloatArray, estimate: float, question: Question, *, alike: bool) -> Answer:
    """Limits and p-value from resampled differences."""
    _enough(drawn.size, question)
    still = float(np.ptp(drawn)) <= 1e-12
    if alike:
        drawn, estimate = np.zeros_like(drawn), 0.0
    error = 0.0 if still else float(drawn.std(ddof=1))
    low, high = question.limits(*_quantiles(drawn, question.tail), estimate)
    gap = estimate - question.null
    statistic = gap / error if error > 0 else (math.copysign(math.inf, gap) if gap else 0.0)
    # A resampled difference and the null are equal up to rounding, or they are not.
    pvalue = _pvalue(drawn - question.null, question)
    notes = (ALIKE,) if alike else (STILL,) if still else ()
    return Answer(low, high, statistic, pvalue, error, None, "bootstrap percentile", notes)


def studentised(
    pair: Pair, question: Question, n_resamples: int, rng: np.random.Generator
) -> Answer:
    """Bootstrap-t interval: resampled differences in units of their own DeLong standard error."""
    if pair.least < 2:
        raise _too_few()
    _enough(n_resamples, question)
    pair = pair.in_order()
    observed = delong(pair, Question())
    error = observed.standard_error
    assert error is not None
    estimate = area(pair.one) - area(pair.two)
    if same_order(pair):
        return delong(pair, question)._replace(interval="bootstrap-t")
    models = Sorted.of(pair.one), Sorted.of(pair.two)
    classes = Classes.of(pair.one, pair.groups)

    def measure(one: FloatArray, two: FloatArray) -> FloatArray:
        return _difference_and_variance(pair, models, (one, two), classes)

    drawn, variance = over_copies(pair, n_resamples, rng, measure, least=2)
    gap, root = drawn - estimate, np.sqrt(np.maximum(variance, 0.0))
    flat = root <= 1e-12
    if flat.all():
        return delong(pair, question)._replace(interval="bootstrap-t")
    off = np.where(np.abs(gap) <= 1e-12, 0.0, np.copysign(np.inf, gap))
    t = np.where(flat, off, gap / np.where(flat, 1.0, root))
    below, above = _quantiles(t, question.tail)
    low, high = question.limits(estimate - above * error, estimate - below * error, estimate)
    statistic = (estimate - question.null) / error
    pvalue = _pvalue(statistic - t, question)
    return Answer(low, high, statistic, pvalue, error, None, "bootstrap-t", observed.notes)


def _difference_and_variance(
    pair: Pair,
    models: tuple[Sorted, Sorted],
    weights: tuple[FloatArray, FloatArray],
    classes: Classes | None,
) -> FloatArray:
    """Differences of areas and their DeLong variances, shape (2, k)."""
    split = [
        (w[s.is_positive], w[~s.is_positive])
        for w, s in zip(weights, (pair.one, pair.two), strict=True)
    ]
    areas = [model.areas(w, *s) for model, w, s in zip(models, weights, split, strict=True)]
    difference = areas[0].auc - areas[1].auc
    if not pair.paired:
        parts = [
            _variance(a.pos - a.auc, a.neg - a.auc, s) for a, s in zip(areas, split, strict=True)
        ]
        return np.stack((difference, parts[0] + parts[1]))
    pos, neg = (getattr(areas[0], c) - getattr(areas[1], c) - difference for c in ("pos", "neg"))
    if classes is None:
        return np.stack((difference, _variance(pos, neg, split[0])))
    return np.stack((difference, _grouped_variance(pos, neg, split[0], classes)))


def _variance(
    pos: FloatArray, neg: FloatArray, weights: tuple[FloatArray, FloatArray]
) -> FloatArray:
    total = np.zeros(pos.shape[1])
    for gap, copy in zip((pos, neg), weights, strict=True):
        size = copy.sum(axis=0)
        total += np.einsum("ik,ik,ik->k", copy, gap, gap) / (size * (size - 1))
    return total


def _grouped_variance(
    pos: FloatArray, neg: FloatArray, weights: tuple[FloatArray, FloatArray], classes: Classes
) -> FloatArray:
    """Obuchowski's variance of resampled groups; each copy of a group is a group of its own."""
    size = int(max(classes.pos.max(), classes.neg.max())) + 1
    total, sums = np.zeros(pos.shape[1]), []
    times = np.zeros((size, pos.shape[1]))
    for codes, copy in zip(classes, weights, strict=True):
        times[codes] = copy
    for gap, copy, codes in zip((pos, neg), weights, classes, strict=True):
        own = _by_group(gap / copy.sum(axis=0), codes, size)
        here = np.bincount(codes, minlength=size) > 0
        total += _ratio(times[here].sum(axis=0)) * (times * own**2).sum(axis=0)
        sums.append(own)
    total += 2.0 * _ratio(times.sum(axis=0)) * (times * sums[0] * sums[1]).sum(axis=0)
    return total


def _by_group(values: FloatArray, codes: CountArray, size: int) -> FloatArray:
    """Sum rows of one group, whose codes ascend."""
    out = np.zeros((size, values.shape[1]))
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    out[codes[first]] = np.add.reduceat(values, first, axis=0)
    return out


def _ratio(groups: FloatArray) -> FloatArray:
    return groups / np.maximum(groups - 1.0, 1.0)


def area(scores: Scores) -> float:
    """Area under the curve."""
    return compute_placements(scores.is_positive, scores.values).auc


def _quantiles(drawn: FloatArray, tail: float) -> tuple[float, float]:
    """Order statistics that cut off 1 - `tail` of the values at each end."""
    cut = math.floor(drawn.size * (1.0 - tail) + 1e-9)
    ordered = np.partition(drawn, (cut, drawn.size - 1 - cut))
    return float(ordered[cut]), float(ordered[drawn.size - 1 - cut])


def _pvalue(gap: FloatArray, question: Question) -> float:
    """Share of draws on the wrong side of null, the observed set counted as one of them."""
    below = (1 + np.count_nonzero(gap <= 1e-12)) / (1 + gap.size)
    above = (1 + np.count_nonzero(gap >= -1e-12)) / (1 + gap.size)
    pvalue = {"greater": below, "less": above, "two-sided": min(1.0, 2.0 * min(below, above))}
    return float(pvalue[question.alternative])


def _enough(n_resamples: int, question: Question) -> None:
    rare = 1.0 - question.tail
    if n_resamples * rare < 1.0 - 1e-9:
        raise InputError(
            f"{n_resamples} resamples cannot show what happens 1 time in {1.0 / rare:.0f}, which "
            f"level {question.level:g} asks for. Take at least {math.ceil(1.0 / rare - 1e-6)} "
            "resamples, better ten times as many, by `n_resamples`."
        )


def _too_few() -> InputError:
    return InputError(
        "Resampling needs at least 2 positives and 2 negatives; a class has only 1. Copies of one "
        "case cannot show how such cases vary; method='permutation' does not need to."
    )

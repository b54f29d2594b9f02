"""Costs of two classifiers on different rows, or of one in two groups of people.

Two costs that share no rows are independent: limits of each, by any method for one classifier, are
combined by MOVER (Zou and Donner 2008, Statistics in Medicine 27, 1693-1702),

    lower = (C_1 - C_2) - sqrt((C_1 - l_1)^2 + (u_2 - C_2)^2),

and the upper limit likewise. Simultaneous limits have a larger critical value (sup-t).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from rocbands.core.checks import FloatArray
from rocbands.core.method import refuse_with_design
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng
from rocbands.cost.conditions import Conditions
from rocbands.cost.counts import ErrorCounts, count_errors, weigh_errors
from rocbands.cost.method import CostLimits, CostMethod, note_design
from rocbands.cost.mover import combine_distances
from rocbands.cost.result import CostDifference
from rocbands.cost.thresholds import match_thresholds
from rocbands.design.called_sums import CalledSums
from rocbands.design.paired_sums import combine_sets
from rocbands.errors import InputError, Message, arg
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value


def compare_unpaired(
    method: CostMethod,
    pair: Pair,
    thresholds: tuple[Any, Any],
    conditions: tuple[Conditions, Conditions],
    *,
    level: float,
    simultaneous: bool,
    rng: Rng,
) -> CostDifference:
    """Limits for cost 1 minus cost 2 of two test sets, from `method`'s limits of each cost."""
    one, two = curves = pair.curves
    if conditions[0].sampling != "stratified" or one.binned or two.binned:
        raise InputError(
            Message(
                "Costs of two test sets are compared with fixed class sizes and single scores. Use "
                "{} and curves without bins.",
                arg("sampling", "stratified"),
            )
        )
    request = method.check_request(
        one, level=level, rng=rng, asked=tuple(extra for extra in pair.asked if extra != "unpaired")
    )
    cuts = match_thresholds(thresholds, conditions[0].w.size)
    own = [at.repeat(cuts[0].size) for at in conditions]
    refuse_with_design(arg("simultaneous", True), pair.design if simultaneous else ())
    pairs = [count_errors(roc, cut, at) for roc, cut, at in zip(curves, cuts, own, strict=True)]
    counts = [
        ends[0] if roc.independent and not pair.common_clusters else weigh_errors(ends)[0]
        for roc, ends in zip(curves, pairs, strict=True)
    ]

    def find_limits(critical: float) -> tuple[CostLimits, list[FloatArray]]:
        each = float(2.0 * ndtr(critical) - 1.0)
        first, second = (method.find_limits(part, each, critical) for part in counts)
        below = combine_distances(first.estimate - first.lower, second.upper - second.estimate, 0.0)
        above = combine_distances(first.upper - first.estimate, second.estimate - second.lower, 0.0)
        difference = first.estimate - second.estimate
        costs = [np.clip(side.estimate, 0.0, 1.0) for side in (first, second)]
        limits = CostLimits(difference, difference - below, difference + above)
        if pair.common_clusters is not None:
            limits = _combine_related(pair, counts, critical)
        return limits, costs

    return method.build_difference(
        pair,
        cuts,
        own[0],
        request,
        find_limits=find_limits,
        draw_critical=lambda draws: _find_critical_value(counts, request.level, draws, request.rng),
        simultaneous=simultaneous,
        design=tuple(
            dict.fromkeys(note for part in counts for note in note_design(part, own[0].w))
        ),
    )


def _combine_related(pair: Pair, counts: list[ErrorCounts], critical: float) -> CostLimits:
    """Combine Wilson's limits of the rates of two test sets that have clusters in common."""
    sums, terms = [], []
    for sign, part in zip((1.0, -1.0), counts, strict=True):
        assert isinstance(part.sums, CalledSums)
        sums.append(part.sums)
        terms.append([(sign * w, s) for w, s in zip(part.weight, part.shares, strict=True)])
    tail = float(ndtr(-critical))
    return CostLimits(*combine_sets(pair, (sums[0], sums[1]), terms, tail))


def _find_critical_value(
    counts: list[ErrorCounts], level: float, draws: int, rng: np.random.Generator
) -> CriticalValue:
    """Quantile of the largest of all standardised differences."""
    covariance = _find_covariance(counts[0]) + _find_covariance(counts[1])
    error = np.sqrt(np.diag(covariance))
    return find_gaussian_critical_value(covariance / np.outer(error, error), level, draws, rng)


def _find_covariance(counts: ErrorCounts) -> FloatArray:
    """Covariance of the costs of one test set between conditions.

    The errors of a class at two thresholds are nested. Half an error and half a correct decision
    are added, so that every condition has a variance.
    """
    total = np.zeros((counts.unit.shape[1],) * 2)
    for wrong, unit, size in zip(counts.up, counts.unit, counts.sizes.ravel(), strict=True):
        share = (wrong + 0.5) / (size + 1.0)
        total += (
            np.outer(unit, unit) * size * (np.minimum.outer(share, share) - np.outer(share, share))
        )
    return total

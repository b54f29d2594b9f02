"""DeLong's test of equal areas, for the same rows (with or without groups) or for different ones.

The variance of a difference of areas is that of the mean difference of the two models' placements
(:mod:`rocbands.core.delong`), so two models that place all rows alike differ by exactly nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rocbands.comparison.method import ComparisonMethod, ComparisonRequest, Outcome, compute_wald
from rocbands.comparison.pair import Pair
from rocbands.core.delong import ClassGroups, Placements, compute_covariance, compute_placements
from rocbands.core.method import Extra
from rocbands.core.scores import Scores
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, arg

__all__ = ["Contrast", "DeLongTest", "compare_areas", "contrast_areas", "place_rows"]

SAME_ORDER = (
    "Both models order all rows alike, so these rows cannot tell them apart; "
    "the interval is a point."
)
NO_SPREAD = (
    "The placements do not vary, which makes the usual standard error 0; it was found with one "
    "more row of each class that speaks for the other model as strongly as a row can."
)


@dataclass(frozen=True)
class DeLongTest(ComparisonMethod):
    """Test of equal areas: normal on the same rows, Welch's t on different ones."""

    name: ClassVar[str] = "delong"
    handles: ClassVar[tuple[Extra, ...]] = ("paired", "unpaired", "groups", "one-sided")
    guarantee: ClassVar[str] = "close to the level with many cases; no randomness"
    idea: ClassVar[str] = "difference of areas in standard errors, from the placements of the rows"
    references: ClassVar[tuple[str, ...]] = (
        "DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more "
        "correlated receiver operating characteristic curves: a nonparametric approach, "
        "Biometrics 44, 837-845.",
        "Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53, "
        "567-578.",
    )

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        return compare_areas(pair, request)


class Contrast(NamedTuple):
    """A difference of areas, its standard error, and what to know about it."""

    difference: float
    standard_error: float
    notes: tuple[str, ...] = ()


def compare_areas(pair: Pair, request: ComparisonRequest) -> Outcome:
    """Test of equal areas, and confidence limits for their difference."""
    one, two = place_rows(pair.one), place_rows(pair.two)
    if not pair.paired:
        return _compare_two_sets(pair, one, two, request)
    same = all(map(np.array_equal, one, two))
    # Models that order these rows alike are equal here; that they differ by less than a margin
    # everywhere is more than these rows can say.
    alike = same and pair.ranked_alike and request.null == 0
    found = contrast_areas(one, two, pair.class_groups, alike=alike)
    low, high, z, pvalue = compute_wald(found.difference, found.standard_error, request)
    return Outcome(
        low,
        high,
        z,
        pvalue,
        found.standard_error,
        interval_method="delong" if pair.groups is None else "delong, by groups",
        notes=found.notes,
        estimates=(one.auc, two.auc),
    )


def place_rows(scores: Scores) -> Placements:
    """Place the rows of a set that is large enough to show how placements vary."""
    if min(scores.n_pos, scores.n_neg) < 2:
        few = "positive" if scores.n_pos < 2 else "negative"
        raise InputError(
            "DeLong's variance needs at least 2 positives and 2 negatives",
            f"there is 1 {few}",
            "With one case nobody can see how such cases vary; "
            f"{arg('method', 'venkatraman')} does not need to.",
        )
    return compute_placements(scores.is_positive, scores.values)


def contrast_areas(
    one: Placements, two: Placements, groups: ClassGroups | None, *, alike: bool
) -> Contrast:
    """Difference of two areas on the same rows.

    Parameters
    ----------
    one, two : Placements
        Of the two models.
    groups : ClassGroups or None
        Groups of the rows, where they depend on each other.
    alike : bool
        Whether the models order all rows alike: then a variance of 0 is the truth.
    """
    if alike:
        return Contrast(0.0, 0.0, (SAME_ORDER,))
    gap = Placements(one.pos - two.pos, one.neg - two.neg)
    # One area minus the other, not the mean gap: the same number as the two that are reported.
    difference = one.auc - two.auc
    if not gap.pos.any() and not gap.neg.any():
        difference = 0.0
    error = math.sqrt(max(float(compute_covariance([gap], groups)[0, 0]), 0.0))
    if error <= SAME * max(1.0, abs(difference)):
        sizes = (
            (gap.pos.size, gap.neg.size)
            if groups is None
            else (np.unique(groups.pos).size, np.unique(groups.neg).size)
        )
        return Contrast(difference, _bound_error(1.0 + abs(difference), sizes), (NO_SPREAD,))
    return Contrast(difference, error)


def _compare_two_sets(
    pair: Pair, one: Placements, two: Placements, request: ComparisonRequest
) -> Outcome:
    """Welch's t: variances of both sets add up, with Satterthwaite's degrees of freedom.

    df = (V1 + V2)^2 / (V1^2 / (N1 - 1) + V2^2 / (N2 - 1)), N the number of rows of a set, as in
    pROC (Robin et al. 2011, BMC Bioinformatics 12, 77).
    """
    notes: tuple[str, ...] = ()
    variances = []
    for place in (one, two):
        variance = float(compute_covariance([place])[0, 0])
        if variance <= SAME**2:
            range_ = max(place.auc, 1.0 - place.auc)
            variance = _bound_error(range_, (place.pos.size, place.neg.size)) ** 2
            notes = (NO_SPREAD,)
        variances.append(variance)
    total = sum(variances)
    df = total**2 / sum(
        v**2 / (len(s) - 1) for v, s in zip(variances, (pair.one, pair.two), strict=True)
    )
    error = math.sqrt(total)
    low, high, t, pvalue = compute_wald(one.auc - two.auc, error, request, df)
    return Outcome(low, high, t, pvalue, error, df, "delong", notes, (one.auc, two.auc))


def _bound_error(distance: float, sizes: tuple[int, int]) -> float:
    """Return the standard error of equal values if one more of each class were `distance` away.

    Of n equal values and one that lies d away, the mean has the estimated variance
    d^2 n / (n + 1) / (n (n + 1)) = (d / (n + 1))^2.
    """
    return distance * math.hypot(1.0 / (sizes[0] + 1), 1.0 / (sizes[1] + 1))

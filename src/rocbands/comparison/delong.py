"""Variances of areas and of their differences, from placements, over rows or whole groups.

A placement says where a case stands among the other class. Everything here is a sum over cases of
the difference of two models' placements, so two models that place alike differ by exactly nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands.comparison.question import Answer, Pair, Question, same_order, wald
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.delong import Placements, compute_placements
from rocbands.core.scores import Scores
from rocbands.errors import InputError

__all__ = ["ALIKE", "Classes", "Contrast", "contrast", "covariance", "delong", "placed"]

ALIKE = (
    "Both models order all rows alike, so these rows cannot tell them apart; "
    "the interval is a point."
)
NO_SPREAD = (
    "The placements do not vary, which makes the usual standard error 0; it was found with one "
    "more row of each class that speaks for the other model as strongly as a row can."
)


class Classes(NamedTuple):
    """The group of every positive and of every negative, or None for independent rows."""

    pos: CountArray
    neg: CountArray

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of groups that hold positives, and that hold negatives."""
        return int(np.unique(self.pos).size), int(np.unique(self.neg).size)

    @classmethod
    def of(cls, scores: Scores, groups: CountArray | None) -> Classes | None:
        """Split the groups by class, in the order of the rows."""
        if groups is None:
            return None
        classes = cls(groups[scores.is_positive], groups[~scores.is_positive])
        for name, codes in (("positives", classes.pos), ("negatives", classes.neg)):
            if (codes == codes[0]).all():
                raise InputError(
                    f"The {name} must come from at least two groups; all are in one. "
                    "A variance between groups needs more of them."
                )
        return classes


class Contrast(NamedTuple):
    """A difference of areas, its standard error, and what to know about it."""

    difference: float
    standard_error: float
    notes: tuple[str, ...] = ()


def placed(scores: Scores) -> Placements:
    """Place the rows of a set that is large enough to show how placements vary."""
    if min(scores.n_pos, scores.n_neg) < 2:
        few = "positive" if scores.n_pos < 2 else "negative"
        raise InputError(
            f"DeLong's variance needs at least 2 positives and 2 negatives; there is 1 {few}. "
            "With one case nobody can see how such cases vary; method='permutation' does not need "
            "to."
        )
    return compute_placements(scores.is_positive, scores.values)


def covariance(places: list[Placements], classes: Classes | None = None) -> FloatArray:
    """Covariance matrix of the areas of several models on the same rows.

    With groups it is Obuchowski's (1997); with every row a group of its own that is DeLong's.
    """
    pos, neg = (np.stack([getattr(p, side) for p in places]) for side in ("pos", "neg"))
    area = pos.mean(axis=1, keepdims=True)
    pos, neg = (pos - area) / pos.shape[1], (neg - area) / neg.shape[1]
    if classes is None:
        parts = [(side @ side.T) * (side.shape[1] / (side.shape[1] - 1)) for side in (pos, neg)]
        total: FloatArray = parts[0] + parts[1]
        return total
    size = int(max(classes.pos.max(), classes.neg.max())) + 1
    sums = [
        np.stack([np.bincount(codes, weights=row, minlength=size) for row in side])
        for side, codes in ((pos, classes.pos), (neg, classes.neg))
    ]
    own = [
        _factor(np.unique(codes).size) * (s @ s.T) for s, codes in zip(sums, classes, strict=True)
    ]
    both = _factor(np.union1d(classes.pos, classes.neg).size) * (sums[0] @ sums[1].T)
    clustered: FloatArray = own[0] + own[1] + both + both.T
    return clustered


def contrast(one: Placements, two: Placements, classes: Classes | None, *, alike: bool) -> Contrast:
    """Difference of two areas on the same rows.

    Parameters
    ----------
    one, two : Placements
        Of the two models.
    classes : Classes or None
        Groups, where rows hang together.
    alike : bool
        Whether the models order all rows alike: then a variance of 0 is the truth.
    """
    gap = Placements(one.pos - two.pos, one.neg - two.neg)
    # One area minus the other, not the mean gap: the same number as the two that are reported.
    difference = one.auc - two.auc
    if not gap.pos.any() and not gap.neg.any():
        difference = 0.0
    error = math.sqrt(max(float(covariance([gap], classes)[0, 0]), 0.0))
    if alike:
        return Contrast(0.0, 0.0, (ALIKE,))
    if error <= 1e-12 * max(1.0, abs(difference)):
        sizes = (gap.pos.size, gap.neg.size) if classes is None else classes.sizes
        return Contrast(difference, _with_opponents(abs(difference), 1.0, sizes), (NO_SPREAD,))
    return Contrast(difference, error)


def delong(pair: Pair, question: Question) -> Answer:
    """Test of equal areas: normal on the same rows, Welch's t on different ones."""
    one, two = placed(pair.one), placed(pair.two)
    if not pair.paired:
        return _unpaired(pair, one, two, question)
    same = np.array_equal(one.pos, two.pos) and np.array_equal(one.neg, two.neg)
    # Models that order these rows alike are equal here; that they differ by less than a margin
    # everywhere is more than these rows can say.
    alike = bool(same) and same_order(pair) and question.null == 0
    found = contrast(one, two, Classes.of(pair.one, pair.groups), alike=alike)
    low, high, z, p = wald(found.difference, found.standard_error, question)
    name = "delong" if pair.groups is None else "delong, by groups"
    areas = (one.auc, two.auc)
    return Answer(low, high, z, p, found.standard_error, None, name, found.notes, areas)


def _unpaired(pair: Pair, one: Placements, two: Placements, question: Question) -> Answer:
    notes: tuple[str, ...] = ()
    variances = []
    for place in (one, two):
        variance = float(covariance([place])[0, 0])
        if variance <= 1e-24:
            sizes = place.pos.size, place.neg.size
            variance = _with_opponents(max(place.auc, 1.0 - place.auc), 0.0, sizes) ** 2
            notes = (NO_SPREAD,)
        variances.append(variance)
    total = sum(variances)
    df = total**2 / sum(
        v**2 / (len(s) - 1) for v, s in zip(variances, (pair.one, pair.two), strict=True)
    )
    error = math.sqrt(total)
    low, high, t, p = wald(one.auc - two.auc, error, question, df)
    return Answer(low, high, t, p, error, df, "delong", notes, (one.auc, two.auc))


def _with_opponents(value: float, opposite: float, sizes: tuple[int, int]) -> float:
    """Return the standard error of equal values, had one more case of each class -`opposite`."""
    reach = value + opposite
    return reach * math.hypot(1.0 / (sizes[0] + 1), 1.0 / (sizes[1] + 1))


def _factor(groups: int) -> float:
    return groups / (groups - 1)

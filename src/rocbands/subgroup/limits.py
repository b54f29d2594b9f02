"""Rates of groups at a common threshold, and differences between groups, with their limits.

At a threshold t all rates are proportions: the TPR of the positives, the FPR of the negatives, the
PPV of the rows called positive, the NPV of the others, the selection rate of all rows. Given its
denominator the count of each is binomial.

Groups have no rows in common. Limits l_j, u_j of both estimates p_j therefore combine by MOVER (Zou
and Donner 2008), as Newcombe (1998) does it for proportions,

    low = p_1 - p_2 - sqrt((p_1 - l_1)^2 + (u_2 - p_2)^2),

and the upper limit likewise. Newcombe takes Wilson's limits. At the high levels that several pairs
need, Wilson's leave out a small probability too often, so here the limits of a rate are mid-P.
Limits of areas are those of `compare` on two test sets.

Each of C differences of a quantity has the level to the power of 1 / C: for jointly normal
estimates the joint level is at least the product (Sidak 1967, JASA 62, 626-633), whatever rows
the differences share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits, mid_p_limits
from rocbands.comparison.areas import measure_set
from rocbands.comparison.delong import ScoreDifference, contrast_two_sets
from rocbands.comparison.group_differences import REST, Against
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.phrases import usual_fpr
from rocbands.core.roc import RocCurve, pool_curves
from rocbands.errors import InputError
from rocbands.subgroup.gaps import NAMES, RATES, GroupGap, GroupGaps, Quantity

REFERENCES = (
    "Newcombe (1998), Interval estimation for the difference between independent proportions: "
    "comparison of eleven methods, Statistics in Medicine 17, 873-890.",
)


def choose_threshold(curves: Mapping[str, RocCurve], fpr: float | None) -> tuple[float, float]:
    """Return the lowest threshold with at most an fpr over all rows, and that fpr."""
    roc = pool_curves(list(curves.values()))
    at = usual_fpr(roc.n_pos, roc.n_neg) if fpr is None else fpr
    return float(roc.threshold_at(at)), at


def count_shares(curves: Sequence[RocCurve], threshold: float) -> CountArray:
    """Count all rates at a threshold, with their denominators: shape (2, rates, curves).

    Examples
    --------
    >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4])
    >>> counts, sizes = count_shares([roc], 0.5)
    >>> counts[:, 0], sizes[:, 0]  # tpr, fpr, ppv, npv, selection_rate
    (array([4, 2, 4, 3, 6]), array([4, 5, 6, 3, 9]))
    """
    found = []
    for roc in curves:
        fewest, most = roc.counts_at(np.array([threshold]))
        if (fewest < most).any():
            raise InputError(
                "must be an edge of the bins in which scores were counted",
                f"{threshold:g} lies inside a bin",
                "Pass an edge, or count every score.",
                argument="threshold",
            )
        (fp, tp), n_pos, n_neg = fewest[:, 0], roc.n_pos, roc.n_neg
        called, rows = fp + tp, n_pos + n_neg
        found.append(
            ((tp, fp, tp, n_neg - fp, called), (n_pos, n_neg, called, rows - called, rows))
        )
    return np.moveaxis(np.array(found), 0, -1)


def limit_shares(
    curves: Sequence[RocCurve],
    threshold: float,
    level: float,
    limits: Callable[[Any, Any, float], tuple[FloatArray, FloatArray]],
) -> FloatArray:
    """All rates, their lower and their upper limits, of shape (3, rates, curves).

    NaN without a denominator. `limits`: function of counts, sizes and the level.
    """
    counts, sizes = count_shares(curves, threshold)
    found, known = np.full((3, *counts.shape), np.nan), sizes > 0
    count, size = counts[known], sizes[known]
    found[:, known] = (count / size, *limits(count, size, level))
    return found


def limit_rates(
    curves: Mapping[str, RocCurve], threshold: float, level: float
) -> dict[str, FloatArray]:
    """Rates of all groups at a threshold, with Clopper and Pearson's limits."""
    found = limit_shares(list(curves.values()), threshold, level, clopper_pearson_limits)
    ends = ("", "_lower", "_upper")
    return {
        f"{name}{end}": found[i, j] for j, name in enumerate(RATES) for i, end in enumerate(ends)
    }


def find_gaps(
    curves: Mapping[str, RocCurve],
    against: Against,
    *,
    threshold: float,
    at_fpr: float | None,
    level: float,
    **about: Any,
) -> GroupGaps:
    """Differences of areas, and of all rates at the threshold, between groups.

    `against`: each pair of groups, or each group against the pooled rows of all others. `about`:
    the model and its labels.
    """
    pairs = pair_groups(curves, against)
    each = level ** (1.0 / len(pairs))
    sides = [list(side) for side in zip(*pairs.values(), strict=True)]
    one, two = (limit_shares(side, threshold, each, mid_p_limits) for side in sides)
    low, high = limit_difference(one, two)
    gaps = [_compare_areas(names, *pair, each) for names, pair in pairs.items()]
    gaps += [
        _build_gap(name, names, one[0, j, k], two[0, j, k], low[j, k], high[j, k])
        for j, name in enumerate(RATES)
        for k, names in enumerate(pairs)
    ]
    empty = {
        (group, gap.quantity)
        for gap in gaps
        for group, estimate in zip(gap.groups, gap.estimates, strict=True)
        if estimate is None
    }
    return GroupGaps(
        gaps=tuple(gaps),
        level=level,
        against=against,
        threshold=threshold,
        at_fpr=at_fpr,
        notes=tuple(_note_empty(*one) for one in sorted(empty)),
        frame=next(iter(curves.values())).frame,
        **about,
    )


def pair_groups(
    curves: Mapping[str, RocCurve], against: Against
) -> dict[tuple[str, str], tuple[RocCurve, RocCurve]]:
    """Return the curves of each pair of groups, or of each group and all others."""
    if against == "pairs" or len(curves) == 2:
        return {(a, b): (curves[a], curves[b]) for a, b in combinations(curves, 2)}
    return {
        (name, REST): (roc, pool_curves([other for key, other in curves.items() if key != name]))
        for name, roc in curves.items()
    }


def limit_difference(one: FloatArray, two: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Limits of differences of independent estimates; arguments: estimates and their limits.

    Examples
    --------
    >>> one, two = (np.array([k / n, *mid_p_limits(k, n, 0.95)]) for k, n in ((56, 70), (48, 80)))
    >>> low, high = limit_difference(one, two)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0524 0.3369
    """
    (p, p_low, p_high), (q, q_low, q_high) = one, two
    return p - q - np.hypot(p - p_low, q_high - q), p - q + np.hypot(p_high - p, q - q_low)


def _compare_areas(names: tuple[str, str], one: RocCurve, two: RocCurve, level: float) -> GroupGap:
    sets = measure_set(one), measure_set(two)
    score = ScoreDifference.from_two_sets(*sets, contrast_two_sets(*sets))
    return _build_gap("auc", names, one.auc, two.auc, *score.limits((1.0 - level) / 2.0))


def _build_gap(
    quantity: Quantity, names: tuple[str, str], one: float, two: float, low: float, high: float
) -> GroupGap:
    first, second = (None if np.isnan(value) else float(value) for value in (one, two))
    if first is None or second is None:
        return GroupGap(quantity, names, (first, second), None, None, None, None)
    gap = first - second
    low, high = max(-1.0, min(float(low), gap)), min(1.0, max(float(high), gap))
    return GroupGap(quantity, names, (first, second), gap, low, high, low <= 0.0 <= high)


def _note_empty(group: str, quantity: Quantity) -> str:
    called = "positive" if quantity == "ppv" else "negative"
    return f"Nobody of {group} is called {called}: there is no {NAMES[quantity]}."

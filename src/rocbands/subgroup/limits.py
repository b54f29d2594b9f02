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

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits, mid_p_limits
from rocbands.comparison.delong import ScoreDifference, contrast_two_sets
from rocbands.comparison.group_differences import REST, Against
from rocbands.core.checks import FloatArray
from rocbands.core.phrases import usual_fpr
from rocbands.core.roc import RocCurve, pool_curves
from rocbands.errors import InputError
from rocbands.subgroup.gaps import NAMES, RATES, GroupGap, GroupGaps, Quantity

REFERENCES = (
    "Newcombe (1998), Interval estimation for the difference between independent proportions: "
    "comparison of eleven methods, Statistics in Medicine 17, 873-890.",
)


class Share(NamedTuple):
    """A count and its denominator."""

    count: int
    size: int

    @property
    def value(self) -> float:
        """The proportion; NaN without a denominator."""
        return self.count / self.size if self.size else np.nan


def count_shares(roc: RocCurve, threshold: float) -> dict[Quantity, Share]:
    """Count the rates of a curve at a threshold.

    Examples
    --------
    >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4])
    >>> count_shares(roc, 0.5)["ppv"]
    Share(count=4, size=6)
    """
    fewest, most = roc.counts_at(np.array([threshold]))
    if (fewest < most).any():
        raise InputError(
            "must be an edge of the bins in which scores were counted",
            f"{threshold:g} lies inside a bin",
            "Pass an edge, or count every score.",
            argument="threshold",
        )
    fp, tp = map(int, fewest[:, 0])
    n_pos, n_neg = roc.n_pos, roc.n_neg
    called, tn = fp + tp, n_neg - fp
    return {
        "tpr": Share(tp, n_pos),
        "fpr": Share(fp, n_neg),
        "ppv": Share(tp, called),
        "npv": Share(tn, n_pos + n_neg - called),
        "selection_rate": Share(called, n_pos + n_neg),
    }


def choose_threshold(curves: Mapping[str, RocCurve], fpr: float | None) -> tuple[float, float]:
    """Return the lowest threshold with at most an fpr over all rows, and that fpr."""
    roc = pool_curves(list(curves.values()))
    at = usual_fpr(roc.n_pos, roc.n_neg) if fpr is None else fpr
    return float(roc.threshold_at(at)), at


def limit_rates(
    curves: Mapping[str, RocCurve], threshold: float, level: float
) -> dict[str, FloatArray]:
    """Rates of all groups at a threshold, with Clopper and Pearson's limits; NaN if undefined."""
    shares = [count_shares(roc, threshold) for roc in curves.values()]
    columns: dict[str, FloatArray] = {}
    for name in RATES:
        rows = []
        for share in (of[name] for of in shares):
            low, high = np.nan, np.nan
            if share.size:
                low, high = map(float, clopper_pearson_limits(*share, level))
            rows.append((share.value, low, high))
        ends = np.array(rows).T
        columns |= {f"{name}{end}": ends[i] for i, end in enumerate(("", "_lower", "_upper"))}
    return columns


def find_gaps(
    curves: Mapping[str, RocCurve],
    against: Against,
    *,
    threshold: float,
    at_fpr: float | None,
    level: float,
) -> GroupGaps:
    """Differences of areas, and of all rates at the threshold, between groups.

    `against`: each pair of groups, or each group against the pooled rows of all others.
    """
    pairs = pair_groups(curves, against)
    each = level ** (1.0 / len(pairs))
    gaps = [_compare_areas(names, one, two, each) for names, (one, two) in pairs.items()]
    shares = {
        names: [count_shares(roc, threshold) for roc in pair] for names, pair in pairs.items()
    }
    for name in RATES:
        gaps += [
            _compare_shares(name, names, one[name], two[name], each)
            for names, (one, two) in shares.items()
        ]
    empty = {
        (gap.groups[i], gap.quantity)
        for gap in gaps
        for i, estimate in enumerate(gap.estimates)
        if estimate is None
    }
    return GroupGaps(
        gaps=tuple(gaps),
        level=level,
        against=against,
        threshold=threshold,
        at_fpr=at_fpr,
        notes=tuple(_note_empty(group, quantity) for group, quantity in sorted(empty)),
        frame=next(iter(curves.values())).frame,
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


def _compare_areas(names: tuple[str, str], one: RocCurve, two: RocCurve, level: float) -> GroupGap:
    score = ScoreDifference.from_two_sets(one, two, contrast_two_sets(one, two))
    low, high = score.limits((1.0 - level) / 2.0)
    return _build_gap("auc", names, (one.auc, two.auc), low, high)


def _compare_shares(
    quantity: Quantity, names: tuple[str, str], one: Share, two: Share, level: float
) -> GroupGap:
    if not one.size or not two.size:
        values = tuple(share.value if share.size else None for share in (one, two))
        return GroupGap(quantity, names, (values[0], values[1]), None, None, None, None)
    return _build_gap(quantity, names, (one.value, two.value), *limit_difference(one, two, level))


def limit_difference(one: Share, two: Share, level: float) -> tuple[float, float]:
    """Limits of the difference of two independent proportions.

    Examples
    --------
    >>> low, high = limit_difference(Share(56, 70), Share(48, 80), level=0.95)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0524 0.3369
    """
    (low_1, high_1), (low_2, high_2) = (mid_p_limits(*share, level) for share in (one, two))
    p, q = one.value, two.value
    below, above = np.hypot(p - low_1, high_2 - q), np.hypot(high_1 - p, q - low_2)
    return float(p - q - below), float(p - q + above)


def _build_gap(
    quantity: Quantity,
    names: tuple[str, str],
    estimates: tuple[float, float],
    low: float,
    high: float,
) -> GroupGap:
    difference = estimates[0] - estimates[1]
    low, high = max(-1.0, min(low, difference)), min(1.0, max(high, difference))
    return GroupGap(quantity, names, estimates, difference, low, high, low <= 0.0 <= high)


def _note_empty(group: str, quantity: Quantity) -> str:
    called = "positive" if quantity == "ppv" else "negative"
    return f"Nobody of {group} is called {called}: there is no {NAMES[quantity]}."

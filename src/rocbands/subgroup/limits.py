"""Rates of groups at a common threshold, and differences between groups, with their limits.

At a threshold t all rates are proportions: the TPR of the positives, the FPR of the negatives, the
PPV of the rows called positive, the NPV of the others, the selection rate of all rows. Given its
denominator the count of each is binomial. With weights or dependent rows the denominator is an
effective number of rows, and the level that of a stretched quantile
(:mod:`rocbands.design.called_sums`).

Groups have no rows in common. Limits l_j, u_j of both estimates p_j therefore combine by MOVER (Zou
and Donner 2008), as Newcombe (1998) does it for proportions,

    low = p_1 - p_2 - sqrt((p_1 - l_1)^2 + (u_2 - p_2)^2 - 2 r (p_1 - l_1) (u_2 - p_2)),

and the upper limit likewise. The correlation r is 0, unless dependent rows are in both groups, as
two eyes of a patient may be. Newcombe takes Wilson's limits. At the high levels that several pairs
need, Wilson's leave out a small probability too often, so here the limits of a rate are mid-P.
Limits of areas are those of `compare` on two test sets.

Each of C differences of a quantity has the level to the power of 1 / C: for jointly normal
estimates the joint level is at least the product (Sidak 1967, JASA 62, 626-633), whatever rows
the differences share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from rocbands._math.binomial import clopper_pearson_limits, mid_p_limits
from rocbands._math.mover import limit_difference
from rocbands.comparison.areas import measure_sets
from rocbands.comparison.delong import ScoreDifference, contrast_two_sets
from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.counts import inside_bins
from rocbands.core.pair import Pair
from rocbands.core.phrases import usual_fpr
from rocbands.core.roc import RocCurve
from rocbands.design import called_sums as of
from rocbands.design.called_sums import CalledSums, Share
from rocbands.design.row_design import correct_few, find_set_covariance
from rocbands.errors import InputError
from rocbands.subgroup.gaps import NAMES, QUANTITIES, RATES, GroupGap, GroupGaps, Quantity

REFERENCES = (
    "Newcombe (1998), Interval estimation for the difference between independent proportions: "
    "comparison of eleven methods, Statistics in Medicine 17, 873-890.",
)

COMMON = (
    "Rows that depend on each other are in several groups, which limits of differences include."
)


def choose_threshold(roc: RocCurve, fpr: float | None) -> tuple[float, float]:
    """Return the threshold with at most an fpr over all rows, and that fpr."""
    at = usual_fpr(roc.n_pos, roc.n_neg) if fpr is None else fpr
    return float(roc.threshold_at(at)), at


# Of each rate: the rows that it counts, those that it is a share of, and its place in NearWeights.
_SHARES = (
    (of.CALLED_POS, of.POSITIVES, 0),
    (of.CALLED_NEG, of.NEGATIVES, 1),
    (of.CALLED_POS, of.CALLED, -1),
    (of.SPARED_NEG, of.SPARED, -1),
    (of.CALLED, of.ALL, 2),
)


@dataclass(frozen=True, eq=False)
class GroupRates:
    """All rates of one group at a threshold."""

    roc: RocCurve
    threshold: float

    @cached_property
    def vertex(self) -> IndexArray:
        """Number of the curve's steps at or above the threshold, in an array."""
        whole, cut = inside_bins(self.roc.thresholds, self.roc.tops, np.array([self.threshold]))
        if self.roc.binned and cut.any():
            raise InputError(
                "must be an edge of the bins in which scores were counted",
                f"{self.threshold:g} lies inside a bin",
                "Pass an edge, or count every score.",
                argument="threshold",
            )
        return whole

    @cached_property
    def sums(self) -> CalledSums:
        """Sums over units of the rows that are called."""
        return CalledSums.of_curve(self.roc, self.vertex)

    @cached_property
    def shares(self) -> list[Share]:
        """The rates with their effective numbers of rows."""
        near = (*self.sums.near, 0.0)
        return [self.sums.find_share(part, base, near[at]) for part, base, at in _SHARES]

    def count(self, level: float) -> FloatArray:
        """Effective counts, their denominators, and levels of their limits: shape (3, rates).

        Examples
        --------
        >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4])
        >>> counts, sizes, _ = GroupRates(roc, 0.5).count(0.95)
        >>> print(counts, sizes)  # tpr, fpr, ppv, npv, selection_rate
        [4. 2. 4. 3. 6.] [4. 5. 6. 3. 9.]
        """
        found = []
        for share in self.shares:
            z = share.stretch.quantile((1.0 - level) / 2.0)
            found.append((share.number * share.value, share.number, 1.0 - 2.0 * ndtr(-z)))
        return np.concatenate(found, axis=1)

    @cached_property
    def errors(self) -> FloatArray:
        """Linearised error of each rate, by unit: shape (units, rates)."""
        design = self.sums.design
        assert design.step is not None
        z, kind = np.concatenate([share.z for share in self.shares]).T, 1 - design.is_positive
        called = (design.step < self.vertex)[:, None]
        return design.add_up(design.weight, z[kind] * called + z[2 + kind])


def limit_shares(
    groups: Sequence[GroupRates],
    level: float,
    limits: Callable[[Any, Any, Any], tuple[FloatArray, FloatArray]],
) -> FloatArray:
    """All rates, their lower and their upper limits, of shape (3, rates, groups).

    NaN without a denominator. `limits`: function of counts, sizes and levels.
    """
    counts, sizes, levels = np.stack([one.count(level) for one in groups], axis=-1)
    found, known = np.full((3, *counts.shape), np.nan), sizes > 0
    count, size = counts[known], sizes[known]
    share, (low, high) = count / size, limits(count, size, levels[known])
    found[:, known] = share, np.minimum(low, share), np.maximum(high, share)
    return found


def limit_rates(groups: Sequence[GroupRates], level: float) -> dict[str, FloatArray]:
    """Rates of all groups, with Clopper and Pearson's limits."""
    found = limit_shares(groups, level, clopper_pearson_limits)
    ends = ("", "_lower", "_upper")
    return {
        f"{name}{end}": found[i, j] for j, name in enumerate(RATES) for i, end in enumerate(ends)
    }


def find_gaps(
    pairs: Mapping[tuple[str, str], Pair],
    *,
    level: float,
    threshold: float,
    groups: Sequence[GroupRates] = (),
    **about: Any,
) -> GroupGaps:
    """Differences of areas, and of all rates at the threshold, between groups.

    `pairs`: from :func:`pair_groups`. `groups`: rates that are known. `about`: other attributes.
    """
    each, curves = level ** (1.0 / len(pairs)), [roc for p in pairs.values() for roc in p.curves]
    rates = {id(roc): GroupRates(roc, threshold) for roc in curves}
    rates |= {id(one.roc): one for one in groups}
    limits = np.moveaxis(limit_shares(list(rates.values()), each, mid_p_limits), -1, 0)
    found = dict(zip(rates, limits, strict=True))
    gaps = [_compare_areas(pair, each) for pair in pairs.values()]
    for pair in pairs.values():
        first, second = map(id, pair.curves)
        one, two = found[first], found[second]
        correlation = correlate_rates(pair, rates[first], rates[second])
        numbers = zip(RATES, one[0], two[0], *limit_difference(one, two, correlation), strict=True)
        gaps += [_build_gap(name, pair.names, *own) for name, *own in numbers]
    gaps.sort(key=lambda gap: QUANTITIES.index(gap.quantity))
    empty = {
        (group, gap.quantity)
        for gap in gaps
        for group, estimate in zip(gap.groups, gap.estimates, strict=True)
        if estimate is None
    }
    called: dict[Quantity, str] = {"ppv": "positive", "npv": "negative"}
    notes = [
        f"Nobody of {group} is called {called[name]}: there is no {NAMES[name]}."
        for group, name in sorted(empty)
    ]
    common = [COMMON] if any(pair.common_clusters for pair in pairs.values()) else []
    return GroupGaps(
        gaps=tuple(gaps),
        level=level,
        threshold=threshold,
        notes=(*notes, *common),
        frame=next(iter(pairs.values())).frame,
        **about,
    )


def correlate_rates(pair: Pair, one: GroupRates, two: GroupRates) -> FloatArray:
    """Correlation of each rate of two groups, by dependent rows that are in both; (rates,)."""
    if pair.common_clusters is None:
        return np.zeros(len(RATES))
    designs = one.sums.design, two.sums.design
    ratio = np.diag(find_set_covariance(pair, designs, (one.errors,), (two.errors,)))
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN or 0 / 0: no correlation
        for design, z in zip(designs, (one.errors, two.errors), strict=True):
            variance = correct_few(design.n_units) * np.diag(design.multiply(z, z))
            ratio = ratio / np.sqrt(variance)
    return np.asarray(np.clip(np.nan_to_num(ratio), -1.0, 1.0))


def _compare_areas(pair: Pair, level: float) -> GroupGap:
    (one, two), covariance = measure_sets(pair)
    found = contrast_two_sets(one, two, covariance)
    limits = ScoreDifference.from_two_sets(one, two, found, covariance).limits((1.0 - level) / 2.0)
    return _build_gap("auc", pair.names, one.area, two.area, *limits)


def _build_gap(
    quantity: Quantity, names: tuple[str, str], one: float, two: float, low: float, high: float
) -> GroupGap:
    first, second = (None if np.isnan(value) else float(value) for value in (one, two))
    if first is None or second is None:
        return GroupGap(quantity, names, (first, second), None, None, None, None)
    gap = first - second
    low, high = max(-1.0, min(float(low), gap)), min(1.0, max(float(high), gap))
    return GroupGap(quantity, names, (first, second), gap, low, high, low <= 0.0 <= high)

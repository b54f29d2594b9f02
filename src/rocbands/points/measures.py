"""Measures of a point at a prevalence: PPV, NPV, likelihood ratios, F1, and the share of alarms.

With o = (1 - prevalence) / prevalence, u the false and v the true positive rate,

    odds of PPV = v / (u o)          LR+ = v / u                  F1 = 2 / (1 + (1 + o u) / v)
    odds of NPV = o (1 - u) / (1 - v)     LR- = (1 - v) / (1 - u)
    rate = prevalence v + (1 - prevalence) u, the share of cases that are called positive

At a threshold fixed in advance, with the prevalence of the rows, TP of TP + FP, TN of TN + FN,
TP of TP + FP + FN and TP + FP of all rows are binomial given their denominators. So PPV, NPV, the
rate and, by F1 = 2 J / (1 + J), the F1 of the Jaccard index J have the limits of a proportion, with
effective numbers if rows are weighted or dependent. All others but the rate are products of factors
with limits of their own, combined by MOVER (Zou and Donner 2008) on the log scale: the root of the
sum of squared distances between estimates and limits, with the correlation of both rates that
clusters cause. The rate, a sum, is combined in the same way on its own scale. A fixed factor has
distance 0, so a single varying rate is transformed exactly. If an estimate is 0 or infinite the
distances are added, which is conservative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.design import called_sums as of
from rocbands.design.effective_sizes import limit_prevalence

# Rows and the rows that they are a share of; the Jaccard index in place of F1.
SHARES = {
    "ppv": (of.CALLED_POS, of.CALLED),
    "npv": (of.SPARED_NEG, of.SPARED),
    "f1": (of.CALLED_POS, (0.0, 1.0, 1.0, 0.0)),
    "rate": (of.CALLED, of.ALL),
}
MEASURES = ("ppv", "npv", "lr_pos", "lr_neg", "f1", "rate")
REFERENCES = (
    "Zou and Donner (2008), Construction of confidence limits about effect measures: a general "
    "approach, Statistics in Medicine 27, 1693-1702.",
)

# Denominators are 0 if no row is on that side of the threshold; `_multiply` replaces NaN.
_IGNORED = np.errstate(divide="ignore", invalid="ignore")


class Limited(NamedTuple):
    """Estimates, and limits that contain them."""

    value: FloatArray
    low: FloatArray
    high: FloatArray

    def flip(self) -> Limited:
        """Return one minus it."""
        return Limited(1.0 - self.value, 1.0 - self.high, 1.0 - self.low)

    def name_columns(self, name: str) -> dict[str, FloatArray]:
        """Name the columns of a result."""
        return {name: self.value, f"{name}_lower": self.low, f"{name}_upper": self.high}

    def map(self, rising: Callable[[FloatArray], FloatArray]) -> Limited:
        """Return a rising function of it."""
        return Limited(*(rising(one) for one in self))


def find_prevalence(roc: RocCurve, given: float | None, level: float) -> Limited:
    """Return the given prevalence, or the prevalence of the rows with limits."""
    share = np.array(roc.prevalence if given is None else given)
    if given is not None:
        return Limited(share, share, share)
    if counts_tell_prevalence(roc):
        return Limited(share, *wilson_limits(share, roc.n_pos + roc.n_neg, level))
    low, high = limit_prevalence(roc, level)
    return Limited(share, np.minimum(low, share), np.maximum(high, share))


def counts_tell_prevalence(roc: RocCurve) -> bool:
    """Tell whether rows are independent and unweighted, so that proportions are binomial."""
    return roc.has_equal_weights and roc.independent


@_IGNORED
def compute_measures(
    fpr: Limited, tpr: Limited, prevalence: Limited, *, linked: bool = False, correlation: Any = 0.0
) -> dict[str, FloatArray]:
    """Compute all measures from both rates and the prevalence, each with its own limits.

    `linked`: both rates are functions of one number (the equal error rate), so their ratio has its
    limits where both rates have theirs. `correlation`: of both rates, through clusters that have
    both classes.
    """
    odds = prevalence.flip().map(lambda share: share / (1.0 - share))
    one = np.ones_like(odds.value)
    r = -1.0 if linked else correlation
    ratio_pos = _divide(tpr, fpr, r)
    ratio_neg = _divide(fpr.flip(), tpr.flip(), r)  # 1 / LR-: it rises with NPV
    weight = _multiply(odds, fpr).map(lambda w: 1.0 + w)
    burden = _divide(weight, tpr, r)  # (TP + FN + FP) / TP
    return _flatten(
        {
            "ppv": _multiply(ratio_pos, _divide(Limited(one, one, one), odds)).map(_share),
            "npv": _multiply(ratio_neg, odds).map(_share),
            "lr_pos": ratio_pos,
            "lr_neg": _invert(ratio_neg),
            "f1": _invert(burden.map(lambda r: 0.5 * (1.0 + r))),
            "rate": _limit_rate(fpr, tpr, prevalence, linked=linked, correlation=correlation),
        }
    )


@_IGNORED
def compute_shares(
    few: of.CalledSums,
    many: of.CalledSums,
    limit: Callable[[of.Share], tuple[FloatArray, FloatArray]],
) -> dict[str, FloatArray]:
    """Compute PPV, NPV, F1 and rate of thresholds, with limits of a share of rows.

    `few`, `many`: the fewest and the most rows above each threshold, which differ inside bins.
    `limit`: limits of a share; without rows they are 0 and 1.
    """
    found: dict[str, Limited] = {}
    for name, (part, base) in SHARES.items():
        # The smallest and the largest share that bins allow.
        ends = [few, many] if many is not few else [few]
        if name != "rate" and many is not few:
            ends = [few.take_negatives(many), many.take_negatives(few)]
        shares = [
            sums.find_share(part, base, sums.near.all if name == "rate" else 0.0) for sums in ends
        ]
        limits = [limit(share) for share in shares]
        weights = sum(sums.weights for sums in ends)
        rows = sum(sums.counts for sums in ends) @ np.array(base)
        value = (weights @ np.array(part)) / (weights @ np.array(base))
        value = np.where(rows > 0.0, value, np.nan)
        low = np.where(np.isnan(shares[0].value), 0.0, limits[0][0])
        found[name] = Limited(value, low, np.where(np.isnan(shares[-1].value), 1.0, limits[-1][1]))
    found["f1"] = found["f1"].map(lambda share: 2.0 * share / (1.0 + share))
    return _flatten(found)


def correlate_rates(sums: of.CalledSums) -> FloatArray | float:
    """Correlation of both rates at each threshold, through clusters with both classes."""
    if not sums.design.clustered and sums.design.stratum is None:
        return 0.0
    tpr = sums.find_share(of.CALLED_POS, of.POSITIVES)
    return sums.correlate(tpr, sums.find_share(of.CALLED_NEG, of.NEGATIVES))


def _limit_rate(
    fpr: Limited, tpr: Limited, prevalence: Limited, *, linked: bool, correlation: Any
) -> Limited:
    """Limit the share of cases that are called positive, by its distance in each of its parts."""

    def share(p: FloatArray, u: FloatArray, v: FloatArray) -> FloatArray:
        return p * v + (1.0 - p) * u

    (u, u_low, u_high), (v, v_low, v_high), (p, p_low, p_high) = fpr, tpr, prevalence
    moved = [(share(p_low, u, v), share(p_high, u, v))]
    if linked:  # a low fpr comes with a high tpr
        moved += [(share(p, u_low, v_high), share(p, u_high, v_low))]
    else:
        moved += [
            (share(p, u_low, v), share(p, u_high, v)),
            (share(p, u, v_low), share(p, u, v_high)),
        ]
    value = share(p, u, v)
    down = [value - np.minimum(value, np.minimum(*pair)) for pair in moved]
    up = [np.maximum(value, np.maximum(*pair)) - value for pair in moved]
    below, above = (
        np.sqrt(sum(part**2 for part in side) + 2.0 * correlation * side[-2] * side[-1])
        for side in (down, up)
    )
    return Limited(value, np.maximum(value - below, 0.0), np.minimum(value + above, 1.0))


def _flatten(found: dict[str, Limited]) -> dict[str, FloatArray]:
    """Name all columns; measures without cases are NaN."""
    columns: dict[str, FloatArray] = {}
    for name, (value, low, high) in found.items():
        columns |= Limited(value, np.fmin(low, value), np.fmax(high, value)).name_columns(name)
    return columns


def _share(odds: FloatArray) -> FloatArray:
    """Turn odds into a proportion; infinite odds give 1."""
    return np.where(np.isposinf(odds), 1.0, odds / (1.0 + odds))


def _invert(one: Limited) -> Limited:
    return Limited(1.0 / one.value, 1.0 / one.high, 1.0 / one.low)


def _divide(above: Limited, below: Limited, correlation: Any = 0.0) -> Limited:
    return _multiply(above, _invert(below), -correlation)


def _multiply(one: Limited, two: Limited, correlation: Any = 0.0) -> Limited:
    """Multiply two factors from 0 to infinity, with their correlation: MOVER on their logarithms.

    With a correlation of 1 they attain their limits together, and distances are added.
    """
    value = one.value * two.value
    # 0 times infinity is undetermined: 0 or infinity is the limit.
    low, high = one.low * two.low, one.high * two.high
    low, high = np.where(np.isnan(low), 0.0, low), np.where(np.isnan(high), np.inf, high)
    # Distances on the log scale, combined like standard errors.
    a, b = ((np.log(part.value / part.low), np.log(part.high / part.value)) for part in (one, two))
    down, up = (
        np.sqrt(np.maximum(x * x + y * y + 2.0 * correlation * x * y, 0.0))
        for x, y in zip(a, b, strict=True)
    )
    near = value * np.exp(-down), value * np.exp(up)
    return Limited(
        value,
        np.where(np.isfinite(near[0]), near[0], low),
        np.where(np.isfinite(near[1]), near[1], high),
    )

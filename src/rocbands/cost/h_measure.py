"""The H measure: the least expected loss when the costs of errors are uncertain.

With c the cost of a false positive, 1 - c that of a false negative, and p the share of positives, a
threshold loses (1 - p) c fpr + p (1 - c) (1 - tpr). L is the loss of the best threshold for each c,
averaged over c ~ Beta(2, 1 + 1 / s), whose mode is the severity ratio c / (1 - c) = s; R is that of
calling all rows alike. H = 1 - L / R. A segment of the ROC hull with steps dx and dy is left where

    c = p dy / ((1 - p) dx + p dy),

so that L is a sum of incomplete beta functions. To first order L does not change with thresholds
that are best (the envelope theorem): it is a mean over positives of the costs at which they are
missed, plus a mean over negatives, and has the variance of these means.

The hull is optimistic. Test sets of the same (effective) sizes are drawn from a smooth curve with a
known H. On the scale arcsin(sqrt(H)) their errors have mean b and standard deviation s: the limits
are H less b, -/+ z sqrt(s^2 + b^2 / 4), the last term for the error of b.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv, ndtri

from rocbands.core.arguments import explain
from rocbands.core.checks import FloatArray, check_level, check_number, check_resamples, check_rng
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.method import Handling, Request
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import score_limits
from rocbands.core.tolerance import SAME
from rocbands.cost.envelope import cost_curve
from rocbands.design.effective_sizes import estimate_curve_variance
from rocbands.design.row_design import Parts, RowDesign
from rocbands.resample.curves import RowSource, measure_resamples
from rocbands.resample.population import MOST_SMOOTHED, Population, smooth_thresholds

HANDLING = Handling(
    "h_measure_interval",
    "cost",
    "Hand's H measure, corrected for the optimism of the convex hull",
    ("clusters", "weights", "class weights", "strata"),
)
REFERENCES = (
    "Hand (2009), Measuring classifier performance: a coherent alternative to the area under the "
    "ROC curve, Machine Learning 77, 103-123.",
    "Hand and Anagnostopoulos (2014), A better Beta for the H measure of classification "
    "performance, Pattern Recognition Letters 40, 41-46.",
)
LEAST = 1e-9  # severity ratios beyond this are refused
_CHANCE = "The AUC may be 0.5, so that the lower limit is 0."
_FEW_CASES = 25
_FEW = f"Fewer than {_FEW_CASES} cases of a class: measured coverage was 0.86 or more at 0.95."
_NODES = 48  # costs at which the losses of drawn curves are averaged


class _Severity(NamedTuple):
    """The share of positives, and the second parameter of the distribution of costs."""

    share: float
    b: float

    @property
    def mean(self) -> float:
        """Mean cost of a false positive."""
        return 2.0 / (2.0 + self.b)

    def price(self, c: Any) -> tuple[Any, Any]:
        """Return the losses of a negative that is called below cost c, and of a positive above."""
        alarmed = (1.0 - self.share) * self.mean * betainc(3.0, self.b, c)
        missed = self.share * (1.0 - self.mean) * (1.0 - betainc(2.0, self.b + 1.0, c))
        return alarmed, missed

    @property
    def reference(self) -> float:
        """Loss of calling all rows alike."""
        return float(sum(self.price(self.share)))

    def measure(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return H of the hulls of many curves, one in each row, by averages over some costs."""
        c = betaincinv(2.0, self.b, (np.arange(_NODES) + 0.5) / _NODES)
        alarm, miss = (1.0 - self.share) * c, self.share * (1.0 - c)
        best = [(one * x - two * y).min(axis=1) + two for one, two in zip(alarm, miss, strict=True)]
        return np.asarray(1.0 - np.mean(best, axis=0) / np.minimum(alarm, miss).mean())


@explain
def h_measure_interval(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    severity_ratio: float | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
) -> Interval:
    """Confidence interval for Hand's H measure: 0 for useless scores, 1 for perfect ones.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    severity_ratio : float, optional
        Most likely cost of a false positive relative to that of a false negative. By default the
        ratio of positives to negatives, as in the R package hmeasure: then errors of the rarer
        class are the more severe.
    level : float, default 0.95
        Confidence level.
    n_resamples : int, default 1000
        Resamples from which the optimism of the hull is estimated.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Interval
        The estimate is that of the R package, from the convex hull, and is optimistic. The limits
        correct this, and are for the shares of both classes in these rows: H depends on them.

    Notes
    -----
    The limits are approximate; docs/costs.md has their measured coverage. The lower limit is 0
    where the interval of the AUC of the same rows contains .5.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.h_measure_interval(rb.load_example()["logistic"])
    >>> print(f"{found.estimate:.3f} ({found.low:.2f} to {found.high:.2f})")
    0.528 (0.43 to 0.58)
    """
    level = check_level(level)
    check_resamples(n_resamples)
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    share = roc.prevalence
    ratio = min(max(share / (1.0 - share), LEAST), 1.0 / LEAST)
    if severity_ratio is not None:
        ratio = check_number(severity_ratio, "severity_ratio", above=LEAST, below=1.0 / LEAST)
    severity = _Severity(share, 1.0 + 1.0 / ratio)
    hull = cost_curve(roc)
    dx, dy = np.diff(hull.hull_fpr), np.diff(hull.hull_tpr)
    alarmed, missed = severity.price(share * dy / ((1.0 - share) * dx + share * dy))
    whole = severity.reference
    estimate = min(max(1.0 - float(dx @ alarmed + dy @ missed) / whole, 0.0), 1.0)
    # The segment of the hull that the rows of each score belong to.
    segment = np.searchsorted(hull.hull_fp[1:] + hull.hull_tp[1:], roc.fp + roc.tp)
    design = RowDesign.of_curve(roc)
    values = design.place(missed[segment], alarmed[segment]) / whole
    parts = design.split(values)
    variance, pos, neg = design.find_variance(parts), *design.find_variances(parts)
    request = Request(level, check_rng(rng))
    drawn, centre = _draw(roc, severity, _find_sizes(design, values, parts), n_resamples, request)
    errors = _bend(drawn) - _bend(centre)
    spread = float(errors.var()) * (variance / (pos + neg) if pos + neg > SAME**2 else 1.0)
    bias = float(errors.mean())
    half = -float(ndtri((1.0 - level) / 2.0)) * math.hypot(math.sqrt(spread), bias / 2.0)
    at = float(_bend(estimate)) - bias
    low, high = (float(np.sin(np.clip(at + end, 0.0, np.pi / 2.0)) ** 2) for end in (-half, half))
    hint = f"The convex hull is optimistic, here by about {float((drawn - centre).mean()):.2g}; "
    chance = _may_be_chance(roc, request.tail)
    return Interval(
        quantity="H measure",
        estimate=estimate,
        low=0.0 if chance else min(low, estimate),
        high=max(high, estimate),
        level=level,
        method="corrected hull",
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        parameters={"severity_ratio": ratio, "n_resamples": n_resamples},
        standard_error=math.sqrt(variance),
        target=f"true H measure at prevalence {share:.3g} and severity ratio {ratio:.3g}",
        notes=(
            f"{hint}the limits correct this, the estimate does not.",
            *((_CHANCE,) if chance else ()),
            *((_FEW,) if min(roc.n_pos, roc.n_neg) < _FEW_CASES else ()),
            *(() if roc.independent else design.describe_classes(values, parts)),
        ),
        frame=roc.frame,
        simulation=request.simulated(n_resamples, math.sqrt(spread / n_resamples)),
    )


def _may_be_chance(roc: RocCurve, tail: float) -> bool:
    """Tell whether the limits of the AUC, those of 'score-delong', contain 1/2."""
    low, high = score_limits(roc.auc, estimate_curve_variance(roc), tail)
    return bool(low <= 0.5 <= high)


def _draw(
    roc: RocCurve, severity: _Severity, sizes: tuple[int, int], n_resamples: int, request: Request
) -> tuple[FloatArray, float]:
    """Draw H of test sets from a smooth curve, of `sizes` (neg, pos); also return its own H."""
    smooth = smooth_thresholds(Population(roc.fpr * sizes[0], roc.tpr * sizes[1]))
    source, measure = RowSource(smooth, sizes=sizes), severity.measure
    drawn = measure_resamples(source, n_resamples, request.rng, lambda one: measure(one.x, one.y))
    return drawn, float(measure(smooth.neg[None], smooth.pos[None])[0])


def _find_sizes(design: RowDesign, values: FloatArray, parts: Parts) -> tuple[int, int]:
    """Numbers of independent negatives and positives with the variances of `parts`."""
    pos, neg = (
        min(max(round(round(number, 6)), 1), MOST_SMOOTHED)  # also 2.5 but for rounding errors is 2
        for number in design.count_rows(values, parts)
    )
    return neg, pos


def _bend(h: Any) -> Any:
    return np.arcsin(np.sqrt(np.clip(h, 0.0, 1.0)))

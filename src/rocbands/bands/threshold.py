"""Threshold averaging: an interval of the tpr, or a rectangle, at each of 100 thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from rocbands.bands._averaging import AveragingMethod, Knots, Rule
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray, IndexArray, check_choice, check_flag
from rocbands.core.curve import Curve
from rocbands.core.method import Request
from rocbands.core.references import MACSKASSY_2004
from rocbands.core.roc import RocCurve
from rocbands.resample.crossings import BinomialMixtures, resample_rates


@dataclass(frozen=True)
class ThresholdAverage(AveragingMethod):
    """Pointwise intervals of the true positive rate at 100 thresholds.

    At each threshold the tpr of many curves, resampled or of folds, gives an interval, drawn at
    their mean fpr. Straight lines join the limits, from (0, 0) to (1, 1). The error of the fpr is
    ignored, as in the paper's bands, so that even a single interval is too short for the height of
    the curve. This is not a band for the whole curve.

    Parameters
    ----------
    interval : {'auto', 'exact', 'empirical', 'normal', 'binomial'}, default 'auto'
        'exact': quantiles of the distribution of the tpr under stratified resampling, which is
        binomial. 'empirical': order statistics of resampled rates. 'normal': their mean -/+
        Student's t times their standard deviation. 'binomial': their mean -/+ z times the standard
        error of a proportion. 'auto': exact for one test set of independent rows; empirical over
        resampled clusters; normal over folds.
    n_resamples : int, default 1000
        Test sets drawn where the distribution is not exact and there are no folds.
    stratified : bool, default False
        Whether each class is resampled separately.
    n_points : int, default 100
        Number of thresholds of the sweep.
    spacing : {'ranks', 'scores'}, default 'ranks'
        Thresholds at equally spaced ranks of all rows' scores, or at equally spaced scores over the
        range of the finite ones: then the band depends on the scale of the scores.
    rectangles : bool, default False
        Also make an interval of the fpr, by the same rule and at the same level. The upper edge
        joins the northwest corners of the rectangles, the lower edge the southeast corners.

    Notes
    -----
    Measured coverage, one fpr at a time: studies/docs/coverage-bands.md.

    Over folds the thresholds come from the pooled scores, and each fold's rates at them are used.
    Scores must therefore be comparable between folds; for `VerticalAverage` they need not be.

    The binomial variance is divided by the number of positives; over folds, by their mean number in
    a fold. The paper prints the number of curves. Limits that decrease along the sweep are moved
    outwards until they are monotone.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> band = rb.roc_band(sample["logistic"], method="threshold")
    >>> print(band.coverage, band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    pointwise 0.63 0.75
    """

    name: ClassVar[str] = "threshold"
    guarantee: ClassVar[str] = "the tpr of each threshold alone; the whole curve hardly ever"
    idea: ClassVar[str] = "intervals of tpr at each threshold; fpr taken as known"
    references: ClassVar[tuple[str, ...]] = (
        MACSKASSY_2004,
        "Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27, 861-874.",
    )

    spacing: Literal["ranks", "scores"] = "ranks"
    rectangles: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.spacing, ("ranks", "scores"), "spacing")
        check_flag(self.rectangles, "rectangles")

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        rule = self.choose_rule(roc)
        choose = steps_by_rank if self.spacing == "ranks" else steps_by_score
        steps = choose(roc, self.n_points)
        across, knots = self._find_knots(roc, steps, rule, request)
        # Rounding can make means decrease, or fall below 1, in the last digit.
        mean = np.maximum.accumulate(np.minimum(across.mean, 1.0))
        left, right = (across.lower, across.upper) if self.rectangles else (mean, mean)
        places = zip((mean, right, left), knots[:3], strict=True)
        centre, lower, upper = (
            Curve(*(np.concatenate(([0.0], rate, [1.0])) for rate in place)) for place in places
        )
        sweep = (
            f"Knots are rectangles of fpr and tpr at {steps.size} thresholds; the whole curve is "
            "inside less often than the level says."
            if self.rectangles
            else f"Knots are intervals of tpr at {steps.size} thresholds, each drawn at the "
            "mean fpr there; the whole curve is inside far less often than the level says."
        )
        return self.make_band(roc, (lower, upper), centre, knots, rule, request, (sweep,))

    def _find_knots(
        self, roc: RocCurve, steps: IndexArray, rule: Rule, request: Request
    ) -> tuple[Knots, Knots]:
        """Mean and limits of the fpr and of the tpr at each threshold."""
        sizes = (roc.n_neg, roc.n_pos)
        if rule == "exact":
            # With classes resampled separately, both counts are binomial.
            ones, own = np.ones(steps.size), np.arange(steps.size)
            counts = (
                BinomialMixtures(size, ones, rate[steps], own)
                for size, rate in zip(sizes, (roc.fpr, roc.tpr), strict=True)
            )
            fpr, tpr = (Knots.from_distribution(one, request.level) for one in counts)
            return fpr._replace(mean=roc.fpr[steps]), tpr
        columns = self._find_rates(roc, steps, request)
        folds = max(1, len(roc.folds))
        fpr, tpr = (
            Knots.from_columns(
                rates, rule, request.level, self.binomial_size(size / folds, len(rates))
            )
            for rates, size in zip(columns, sizes, strict=True)
        )
        return fpr, tpr

    def _find_rates(
        self, roc: RocCurve, steps: IndexArray, request: Request
    ) -> tuple[FloatArray, FloatArray]:
        if not roc.folds:
            how = {"stratified": self.stratified}
            return resample_rates(roc, steps, self.n_resamples, request.rng, **how)
        at = roc.thresholds[steps - 1]
        own = [(fold, _count_reaching(fold.thresholds, at)) for fold in roc.folds]
        fpr, tpr = (
            np.array([getattr(f, rate)[step] for f, step in own]) for rate in ("fpr", "tpr")
        )
        return fpr, tpr


def steps_by_rank(roc: RocCurve, count: int = 100) -> IndexArray:
    """Return the steps that contain equally spaced ranks of all rows, the ends included."""
    rows = roc.fp + roc.tp
    ranks = np.rint(np.linspace(0, rows[-1] - 1, count))
    return np.unique(np.searchsorted(rows, ranks, side="right") + 1)


def steps_by_score(roc: RocCurve, count: int = 100) -> IndexArray:
    """Return the steps reached by equally spaced scores over the finite ones' range."""
    scores = roc.thresholds.astype(np.float64)
    finite = scores[np.isfinite(scores)]
    if not finite.size:
        return np.arange(1, scores.size + 1)
    share = np.linspace(0.0, 1.0, count)
    at = finite[0] * (1.0 - share) + finite[-1] * share  # a range may exceed the largest float
    return np.unique(_count_reaching(scores, at))


def _count_reaching(scores: npt.NDArray[Any], at: npt.NDArray[Any]) -> IndexArray:
    """Count the descending `scores` that reach each threshold."""
    return np.asarray(scores.size - np.searchsorted(scores[::-1], at), dtype=np.intp)

"""Vertical averaging: an interval of the tpr at each fpr, or of the fpr at each tpr."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rocbands.bands._averaging import AveragingMethod, Knots, Rule
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray, check_choice
from rocbands.core.curve import Curve
from rocbands.core.method import Request
from rocbands.core.references import MACSKASSY_2004
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.resample.crossings import height_distribution, resample_heights


@dataclass(frozen=True)
class VerticalAverage(AveragingMethod):
    """Pointwise intervals of the true positive rate at 100 false positive rates, or `n_points`.

    At each fpr 0, 0.01, ..., 0.99 the heights of many curves, resampled or of folds, give an
    interval; straight lines join the limits, up to (1, 1). Each interval has about the stated
    level, all of them together far less. This is not a band for the whole curve.

    Parameters
    ----------
    interval : {'auto', 'exact', 'empirical', 'normal', 'binomial'}, default 'auto'
        'exact': quantiles of the distribution of the height under stratified resampling, from a
        formula. 'empirical': order statistics of resampled heights. 'normal': their mean -/+
        Student's t times their standard deviation. 'binomial': their mean -/+ z times the standard
        error of a proportion. 'auto': exact where possible; normal over folds; empirical over
        resampled clusters and if classes share a score.
    n_resamples : int, default 1000
        Test sets drawn where the distribution is not exact and there are no folds.
    stratified : bool, default False
        Whether each class is resampled separately.
    n_points : int, default 100
        Number of equally spaced rates, including 0.
    fixed : {'fpr', 'tpr'}, default 'fpr'
        'tpr' averages horizontally: intervals of the fpr at tpr 1, 0.99, ..., 0.01, down to (0, 0).

    Notes
    -----
    Let k be the number of negatives and r = floor(k f). If no positive shares its score with a
    negative, the height at fpr f is the fraction of positives above the (r + 1)-th highest
    negative. In a resample, the probability that this is a given observed negative is a difference
    of incomplete beta functions; given it, the number of positives above is binomial. So the
    distribution is a finite mixture. If classes share a score, heights are weighted sums of two
    counts, and resampling is faster than their exact distribution: 'auto' resamples, 'exact' raises
    an error.

    Percentile intervals of resampled curves are too short at small rates: k f should be at least 2
    to 5. At fpr 0 resampled curves start above 0, unlike any smooth true curve. Measured coverage:
    studies/docs/coverage-bands.md.

    The binomial variance is divided by the number of cases: positives, or negatives if the tpr is
    fixed; over folds, their mean number in a fold. The paper prints the number of curves. Limits
    that decrease along the sweep are moved outwards until they are monotone.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> band = rb.roc_band(sample["logistic"], method="vertical")
    >>> print(band.coverage, band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    pointwise 0.6 0.76
    """

    name: ClassVar[str] = "vertical"
    guarantee: ClassVar[str] = "each fpr alone, about; the whole curve far less often (measured)"
    idea: ClassVar[str] = "intervals of tpr at each fpr, by exact or drawn resamples, or over folds"
    references: ClassVar[tuple[str, ...]] = (MACSKASSY_2004,)

    fixed: Literal["fpr", "tpr"] = "fpr"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.fixed, ("fpr", "tpr"), "fixed")

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        rule, sweep = self._choose_rule(roc), np.arange(self.n_points) / self.n_points
        seen = roc if self.fixed == "fpr" else roc.mirrored
        if rule == "exact":
            knots = Knots.from_distribution(height_distribution(seen, sweep), request.level)
        else:
            columns = self._find_heights(seen, sweep, request)
            size = self.binomial_size(seen.n_pos / max(1, len(seen.folds)), len(columns))
            knots = Knots.from_columns(columns, rule, request.level, size)
        x = np.append(sweep, 1.0)
        lower, upper = (Curve(x, np.append(y, 1.0)) for y in (knots.lower, knots.upper))
        centre = Curve(np.append(0.0, x), np.concatenate(([0.0], knots.mean, [1.0])))
        if self.fixed == "tpr":
            edges = (edge.mirrored for edge in (lower, upper))  # they end at tpr 1
            lower, upper = (Curve(np.append(e.x, 1.0), np.append(e.y, 1.0)) for e in edges)
            centre = centre.mirrored
        notes = (self._sweep_note(),)
        return self.make_band(roc, (lower, upper), centre, knots, rule, request, notes)

    def _choose_rule(self, roc: RocCurve) -> Rule:
        rule = self.choose_rule(roc)
        mixed = (np.diff(roc.fp, prepend=0) > 0) & (np.diff(roc.tp, prepend=0) > 0)
        if rule != "exact" or not mixed.any():
            return rule
        if self.interval == "exact":
            raise InputError(
                Message(
                    "{} needs scores that no positive shares with a negative",
                    arg("interval", "exact"),
                ),
                f"{np.count_nonzero(mixed)} scores are shared",
                Message("Use {}: it resamples.", arg("interval", "auto")),
            )
        return "empirical"

    def _find_heights(self, roc: RocCurve, sweep: FloatArray, request: Request) -> FloatArray:
        if roc.folds:
            return np.array([fold.curve.high(sweep) for fold in roc.folds])
        how = {"stratified": self.stratified}
        return resample_heights(roc, sweep, self.n_resamples, request.rng, **how)

    def _sweep_note(self) -> str:
        step = 1.0 / self.n_points
        moving, places = "tpr", f"0, {step:.3g}, ..., {1.0 - step:.3g}"
        if self.fixed == "tpr":
            moving, places = "fpr", f"1, {1.0 - step:.3g}, ..., {step:.3g}"
        return (
            f"Knots are pointwise intervals of {moving} at {self.fixed} {places}; "
            "the whole curve is inside far less often than the level says."
        )

"""Part of the area under the curve: over a range of false or of true positive rates."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from rocbands._math.binomial import clopper_pearson_limits
from rocbands.auc.bins import Range, bound_spread
from rocbands.auc.bootstrap import percentile_limits
from rocbands.core.arguments import explain_with
from rocbands.core.checks import as_range, check_flag, check_range, pick_one, spoken
from rocbands.core.columns import Column, Labels
from rocbands.core.counting import bisect
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative, Extra, Method, Request, Resampling, resolve_method
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import ScoreVariance, estimate_variance, score_limits
from rocbands.design.effective_sizes import count_cases_inside
from rocbands.errors import InputError, Message, arg
from rocbands.resample.areas import (
    FprRange,
    bound_components,
    compute_area,
    compute_components,
    cumulate,
    draw_areas,
)
from rocbands.resample.quantiles import interval_error

_FEW = 3  # positives, below which limits are widened
_RATHER_FEW = 15  # below which they are a little too narrow
_FEW_INSIDE = 20  # negatives inside the range, below which resampling fails


class PartialArea(NamedTuple):
    """An area with its limits."""

    # area, low, high: the area and its limits.
    area: float
    low: float
    high: float
    error: float | None  # its standard error
    notes: tuple[str, ...] = ()
    simulation: Simulation | None = None  # if the limits were simulated


@dataclass(frozen=True)
class PartialAucMethod(Method):
    """Base class of intervals for partial areas; subclasses define :meth:`compute_limits`."""

    question: ClassVar[str] = "auc"

    @abstractmethod
    def compute_limits(self, roc: RocCurve, part: FprRange, request: Request) -> PartialArea:
        """Compute the area over a range of false positive rates, and its limits."""

    def note_few(self, roc: RocCurve, part: FprRange, cases: tuple[str, str]) -> tuple[str, ...]:
        """Note few cases; `cases`: what a positive and a negative of `roc` are called."""
        return ()

    def __call__(
        self,
        roc: RocCurve,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        corrected: bool = False,
        level: float = 0.95,
        alternative: Alternative = "two-sided",
        rng: Rng = 0,
    ) -> Interval:
        """Compute the interval; arguments as for :func:`rocbands.partial_auc_interval`."""
        request = self.check_request(roc, level=level, alternative=alternative, rng=rng)
        check_flag(corrected, "corrected")
        if roc.clusters is not None:
            roc.clusters.check_classes()
        axis, ends = check_range(fpr, tpr)
        cases = ("positive", "negative")
        if axis == "fpr":
            seen, part = roc, FprRange(*ends)
        else:
            # The area right of the curve is the area under it with classes swapped and scores
            # negated.
            seen, part = roc.mirrored, FprRange(1.0 - ends[1], 1.0 - ends[0])
            cases = ("negative", "positive")
        found = self.compute_limits(seen, part, request)
        found = found._replace(
            low=0.0 if alternative == "less" else found.low,
            high=part.width if alternative == "greater" else found.high,
            notes=(*found.notes, *self.note_few(seen, part, cases)),
        )
        if corrected:
            found = _correct(found, part, axis)
        kind = "corrected partial AUC" if corrected else "partial AUC"
        return Interval(
            quantity=f"{kind} ({axis} {ends[0]:g} to {ends[1]:g})",
            estimate=found.area,
            low=found.low,
            high=found.high,
            standard_error=found.error,
            level=request.level,
            alternative=request.alternative,
            method=self.name,
            parameters=self.parameters,
            n_pos=roc.n_pos,
            n_neg=roc.n_neg,
            notes=found.notes,
            frame=roc.frame,
            simulation=found.simulation,
        )


def _correct(found: PartialArea, part: FprRange, axis: str) -> PartialArea:
    """Rescale an area so that the diagonal has .5 and a perfect curve 1: McClish (1989)."""
    least = part.width * (part.start + part.stop) / 2.0
    if found.area < least - 1e-12:
        raise InputError(
            "McClish's correction needs a curve above the diagonal",
            f"over this range of {axis} the area is {found.area:.4g} and the diagonal's "
            f"{least:.4g}",
            Message("Pass {}.", arg("corrected", False)),
        )
    scale = 2.0 * (part.width - least)
    area, low, high = (0.5 + (end - least) / scale for end in found[:3])
    notes = found.notes
    if low < 0.5:
        notes += (
            "The interval reaches below the diagonal, where nothing is corrected: cut at .5.",
        )
    error = None if found.error is None else found.error / scale
    drawn = found.simulation
    if drawn is not None and drawn.error is not None:
        drawn = replace(drawn, error=drawn.error / scale)
    return PartialArea(max(area, 0.5), max(low, 0.5), min(high, 1.0), error, notes, drawn)


@dataclass(frozen=True)
class Placement(PartialAucMethod):
    """Score limits with the variance of truncated placements, as 'score-delong' for the whole area.

    Notes
    -----
    The variances of both classes' truncated placements add up to the variance of the area
    (:mod:`rocbands.resample.areas`). Divided by the width b - a of the range, the
    area s lies between 0 and 1. The variance of each class is estimated relative to s (1 - s) with
    half a pseudo observation (:mod:`rocbands.core.score_variance`); n negatives count as n (b - a).
    So no interval shrinks to a point, and Student's quantile accounts for variances estimated from
    few cases. Of weighted or dependent negatives count the effective rows between the ends of the
    range, if these are more. The area is a mean over the positives of numbers between 0 and the
    width of the range; with one or two positives the limits contain Clopper and Pearson's for a
    mean of this many numbers that are 0 or 1. Measured coverage: docs/auc.md.
    """

    name: ClassVar[str] = "placement"
    guarantee: ClassVar[str] = "asymptotic; measured .91 to 1.00 at .95"
    idea: ClassVar[str] = "Wilson interval with the effective sample size of truncated placements"
    references: ClassVar[tuple[str, ...]] = (
        "McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9, 190-195.",
        "Dodd and Pepe (2003), Partial AUC estimation and regression, Biometrics 59, 614-623.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "weights", "strata", "bins", "one-sided")

    def compute_limits(self, roc: RocCurve, part: FprRange, request: Request) -> PartialArea:
        if roc.certificate > 0.0:
            return self._compute_binned_limits(roc, part, request.tail)
        return self._compute_limits(roc, part, request.tail)

    def note_few(self, roc: RocCurve, part: FprRange, cases: tuple[str, str]) -> tuple[str, ...]:
        case = cases[0]
        if roc.independent and roc.n_pos < _FEW:
            number, of = ("One", "1 case") if roc.n_pos == 1 else ("Two", "2 cases")
            return (
                f"{number} {case}{'s' * (roc.n_pos > 1)}: the limits are those of a share of {of}.",
            )
        if roc.n_pos < _RATHER_FEW:
            return (
                f"With 10 {case}s the measured coverage was 0.91 or more at 0.95; where a tenth "
                "of a class is far on the other side, 0.77 at 0.90.",
            )
        return ()

    def _compute_limits(self, roc: RocCurve, part: FprRange, tail: float) -> PartialArea:
        area, (whole, sizes) = compute_area(roc, part), count_cases_inside((roc,), part)
        found, scale = compute_components(roc, part, area), part.width**2
        design = found.design
        variance = estimate_variance(
            area / part.width,
            sizes.n_pos * found.pos / scale,
            sizes.n_neg * found.neg / scale,
            sizes,
            across=found.across / scale,
            n_clusters=design.n_units if design is not None and design.linked else 0,
        )
        if design is not None:
            variance = variance._replace(df=design.spare(variance.df))
        low, high = score_limits(area / part.width, variance, tail)
        ends = float(low) * part.width, float(high) * part.width
        ends = _extend_limits(ends, roc, part, area, tail, whole.n_neg)
        if roc.independent:
            ends = _widen_few(ends, roc.n_pos, part, (area, area), tail)
        return PartialArea(area, *ends, _find_error(found.variance, roc), found.notes)

    def _compute_binned_limits(self, roc: RocCurve, part: FprRange, tail: float) -> PartialArea:
        """Take the limits at the bounds of the area, with the upper bound of its variance.

        The limits widen as the unit variance grows and as the degrees of freedom fall. The unit
        variance grows with the variance of the placements and falls with s (1 - s).
        """
        low_curve, high_curve = roc.extremes
        if not roc.independent:  # weighted rows: the widest of three, as for the AUC
            whole, *ends = (self._compute_limits(one, part, tail) for one in (roc, *roc.extremes))
            low, high = min(whole.low, ends[0].low), max(whole.high, ends[1].high)
            return whole._replace(low=low, high=high, notes=(*whole.notes, *roc.bin_notes))
        least, area, most = (compute_area(curve, part) for curve in (low_curve, roc, high_curve))
        shares = min(least, area) / part.width, max(most, area) / part.width
        largest = bound_components(roc, part, area)
        sizes = count_cases_inside((roc,), part)[1]
        spread, scale = bound_spread(Range(*shares)), part.width**2
        pos = sizes.estimate_share(roc.n_pos * largest.pos / scale, spread.low)
        neg = sizes.swapped.estimate_share(sizes.n_neg * largest.neg / scale, spread.low)
        unit = max(pos / sizes.n_pos + neg / sizes.n_neg, sizes.least_unit)
        # A lower bound of the degrees of freedom, whatever the positives' part of the variance.
        fewest = math.inf
        if spread.high > 0.0:
            fewest = 1.0 / max(sizes.inverse_df(part_pos, spread.high) for part_pos in (0.0, 1.0))
        variance = ScoreVariance(unit, fewest)
        low = float(score_limits(shares[0], variance, tail)[0]) * part.width
        high = float(score_limits(shares[1], variance, tail)[1]) * part.width
        for curve, bound in zip(roc.extremes, (least, most), strict=True):
            low, high = _extend_limits((low, high), curve, part, bound, tail, roc.n_neg)
        low, high = _widen_few((low, high), roc.n_pos, part, (least, most), tail)
        note = f"Counts in bins: the area is known within {max(most - area, area - least):.2g}."
        return PartialArea(area, low, high, _find_error(largest.variance, roc), (note,))


def _widen_few(
    limits: tuple[float, float], n_pos: int, part: FprRange, areas: tuple[float, float], tail: float
) -> tuple[float, float]:
    """Widen the limits of fewer than three positives to Clopper and Pearson's of the mean share.

    `areas`: the least and the largest that the area can be, which differ with bins.
    """
    if n_pos >= _FEW:
        return limits
    seen = np.clip(np.array(areas) / part.width, 0.0, 1.0) * n_pos
    low, high = clopper_pearson_limits(seen, n_pos, 1.0 - 2.0 * tail)
    return min(limits[0], float(low[0]) * part.width), max(limits[1], float(high[1]) * part.width)


def _extend_limits(
    limits: tuple[float, float],
    roc: RocCurve,
    part: FprRange,
    area: float,
    tail: float,
    n_neg: float,
) -> tuple[float, float]:
    """Extend limits to a full or an empty area where the rows do not exclude it.

    The area is full if the curve is 1 from `start` on, that is if a share 1 - start of the
    negatives lies below all positives. If the curve of the rows is 1 from a later rate on, a score
    interval excludes a full area; but only a share that is too small for 1 - start, by Clopper and
    Pearson's limit, is evidence. Likewise an empty area, where the curve is 0 up to a rate before
    `stop`. Only the nearer end of the range of areas is considered. `n_neg`: independent negatives.
    """
    level, fp = 1.0 - 2.0 * tail, cumulate(roc)[0]
    full = 2.0 * area > part.width
    reached = bisect(roc.tp.size, lambda step: roc.tp[step] < (roc.n_pos if full else 1), (1,))[0]
    if full:
        share, needed = 1.0 - float(fp[reached] / fp[-1]), 1.0 - part.start
        inside = share > 1.0 - part.stop
    else:
        share = float(fp[reached - 1] / fp[-1]) if reached else 0.0
        needed, inside = part.stop, share > part.start
    if not inside or clopper_pearson_limits(share * n_neg, n_neg, level)[1] < needed:
        return limits
    return (limits[0], part.width) if full else (0.0, limits[1])


def _find_error(variance: float, roc: RocCurve) -> float | None:
    """Return the standard error; None if a class has a single case."""
    return None if min(roc.n_pos, roc.n_neg) == 1 else variance**0.5


@dataclass(frozen=True)
class PartialBootstrap(Resampling, PartialAucMethod):
    """Percentiles of the areas of resampled test sets.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of resamples, which keep the class sizes; with clusters, whole clusters are drawn.
    """

    name: ClassVar[str] = "bootstrap"
    guarantee: ClassVar[str] = "asymptotic; measured .68 to .94 at .95 over small ranges"
    idea: ClassVar[str] = "quantiles of resampled partial areas"
    references: ClassVar[tuple[str, ...]] = Placement.references
    handles: ClassVar[tuple[Extra, ...]] = ("clusters",)

    def note_few(self, roc: RocCurve, part: FprRange, cases: tuple[str, str]) -> tuple[str, ...]:
        if min(roc.n_neg * part.width, roc.n_pos) >= _FEW_INSIDE:
            return ()
        said = (
            f"Fewer than {_FEW_INSIDE} {cases[0]}s, or {cases[1]}s inside the range: measured "
            "coverage was 0.68 to 0.94 at 0.95, that of "
        )
        return (Message("{}{} 0.91 or more.", said, arg("method", "placement")),)

    def compute_limits(self, roc: RocCurve, part: FprRange, request: Request) -> PartialArea:
        area = compute_area(roc, part)
        drawn = draw_areas(roc, self.n_resamples, request.rng, part)
        low, high = percentile_limits(drawn, request.tail)
        rows = "rows of each class" if roc.clusters is None else "clusters"
        notes = [f"Limits are percentiles of {self.n_resamples} resamples of {rows}."]
        if low == high:
            notes.append(
                "All resampled areas are equal, so the width is 0; this is no sign of certainty."
            )
        return PartialArea(
            area,
            max(0.0, min(low, area)),
            min(part.width, max(high, area)),
            float(drawn.std(ddof=1)),
            tuple(notes),
            request.simulated(self.n_resamples, interval_error(drawn, request.level)),
        )


PARTIAL_METHODS: dict[str, type[PartialAucMethod]] = {
    "placement": Placement,
    "bootstrap": PartialBootstrap,
}


@explain_with(
    max_fpr="Pass the range: fpr=(0, {value!r}).", partial_auc="Pass the range: fpr=(0, 0.1)."
)
def partial_auc_interval(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    method: str | PartialAucMethod | None = None,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    corrected: bool = False,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Interval:
    """Confidence interval for part of the area under the ROC curve.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : {'placement', 'bootstrap'} or PartialAucMethod, default 'placement'
        'placement': Wilson's limits, with the effective sample size that the variance of truncated
        placements implies. 'bootstrap': percentiles of the areas of resampled test sets.
    fpr : (float, float), optional
        Area under the curve between two false positive rates.
    specificity : (float, float), optional
        The same between two specificities, which are 1 - fpr.
    tpr, sensitivity : (float, float), optional
        Area to the right of the curve between two true positive rates, which are sensitivities.
        Exactly one of these four must be given.
    corrected : bool, default False
        Rescale the area (McClish 1989) so that, for any range, the diagonal has .5 and a perfect
        curve 1. A curve that is below the diagonal on average raises an error.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    alternative : {'two-sided', 'greater', 'less'}
        'greater' gives a lower limit only, 'less' an upper one only; for 'placement'.
    n_resamples : int, optional
        Test sets drawn by 'bootstrap', 2000 by default.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Interval
        The estimate is the exact area under the polyline, with ties as slanted segments.

    References
    ----------
    McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9, 190-195.
    Dodd and Pepe (2003), Partial AUC estimation and regression, Biometrics 59, 614-623.

    Examples
    --------
    >>> import rocbands as rb
    >>> area = rb.partial_auc_interval(rb.load_example()["logistic"], fpr=(0, 0.1))
    >>> print(f"{area.estimate:.4f}, {area.low:.4f} to {area.high:.4f}")
    0.0504, 0.0407 to 0.0600
    """
    chosen = resolve_method(
        method, PARTIAL_METHODS, PartialAucMethod, "placement", n_resamples=n_resamples
    )
    asked, ends = pick_one(
        Message("Pass, for example, {}.", arg("fpr", (0, 0.1))),
        fpr=fpr,
        specificity=specificity,
        tpr=tpr,
        sensitivity=sensitivity,
    )
    side, part = as_range(asked, ends)
    roc = as_roc_curve(y_true, y_score, positive)
    with spoken(asked):
        how = {side: part, "level": level, "alternative": alternative}
        return chosen(roc, corrected=corrected, rng=rng, **how)

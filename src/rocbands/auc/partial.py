"""Part of the area under the curve: over a range of false or of true positive rates."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rocbands._math.binomial import wilson_limits
from rocbands.auc.binned_parts import by_binned_placements
from rocbands.auc.parts import Found, Part, area_of, areas, cases, variance_of
from rocbands.core.checks import (
    check_choice,
    check_level,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.interval import Interval
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.errors import InputError
from rocbands.resample.curves import RowSource, Source, over_resamples, source_of
from rocbands.resample.population import Population
from rocbands.resample.quantiles import empirical_interval

__all__ = ["METHODS", "asked_range", "partial_auc_interval"]

PartialMethod: TypeAlias = Literal["placement", "bootstrap"]
METHODS: tuple[str, ...] = get_args(PartialMethod)

_FAR = 10.0  # standard deviations: no resampled curve strays farther


def partial_auc_interval(
    y_true: Any,
    y_score: Any = None,
    *,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    corrected: bool = False,
    method: PartialMethod = "placement",
    level: float = 0.95,
    groups: Any = None,
    n_resamples: int = 2000,
    positive: object = None,
    rng: Any = None,
) -> Interval:
    """Confidence interval for part of the area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    fpr : (float, float), optional
        Area under the curve between two false positive rates.
    tpr : (float, float), optional
        Area to the right of the curve between two true positive rates. Exactly one of `fpr` and
        `tpr` must be given.
    corrected : bool, default False
        True rescales the area, as McClish did, so that guessing has .5 and perfection 1 whatever
        the range. A curve that runs below the diagonal on average has no such value: it is refused.
    method : {'placement', 'bootstrap'}, default 'placement'
        'placement': Wilson's limits, with as many cases as would give the area the variance that
        its truncated placements show. 'bootstrap': percentiles of the
        areas of resampled test sets.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    groups : array-like of shape (n,), optional
        Which rows belong together, for example the patient of each lesion.
    n_resamples : int, default 2000
        Test sets drawn by 'bootstrap'.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness of 'bootstrap'.

    Returns
    -------
    Interval
        The estimate is the area under the polyline itself, ties slanted: nothing is on a grid.

    Notes
    -----
    Write R(u) for the height of the curve and let the range be a to b. A positive case adds the
    length of what the range has to the right of its own false positive rate; a negative case with
    false positive rate v adds R(v), or R at the near end of the range if v lies outside. The
    variances of these truncated placements, divided by the class sizes, add up to the variance of
    the area, uncertainty about where the range begins and ends included.

    In small or nearly perfect samples placements vary too little. There the variance is drawn
    towards that of 4 / (1 / n_pos + 1 / (n_neg (b - a))) cases, which for whole and nearly perfect
    curves is what Newcombe's interval grants: with weight 5 against 4 s (1 - s) times the smaller
    of n_pos and n_neg (b - a), where s is the estimate as a share of b - a; it is never drawn
    down. So no interval shrinks to a point. Measured coverage: docs/coverage-points.md.

    References
    ----------
    McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9, 190-195.
    Dodd and Pepe (2003), Partial AUC estimation and regression, Biometrics 59, 614-623.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> area = rb.partial_auc_interval(y, models["logistic"], fpr=(0, 0.1), positive="malignant")
    >>> print(f"{area.estimate:.4f}, {area.low:.4f} to {area.high:.4f}")
    0.0504, 0.0411 to 0.0596
    """
    level = check_level(level)
    check_choice(method, METHODS, "method")
    check_resamples(n_resamples)
    axis, span = asked_range(fpr, tpr)
    roc = as_roc_curve(y_true, y_score, positive=positive, groups=groups, uses=("groups",))
    # The area right of the curve is the area under it when classes are swapped, scores negated.
    seen = roc if axis == "fpr" else roc.mirrored
    part = Part(*span) if axis == "fpr" else Part(1.0 - span[1], 1.0 - span[0])
    make = _by_placements if method == "placement" else _by_resamples
    found = make(seen, part, level, n_resamples, check_rng(rng))
    if corrected:
        found = _mcclish(found, part, axis)
    kind = "corrected partial AUC" if corrected else "partial AUC"
    return Interval(
        quantity=f"{kind} ({axis} {span[0]:g} to {span[1]:g})",
        estimate=found.area,
        low=found.low,
        high=found.high,
        standard_error=found.error,
        level=level,
        method=method,
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        notes=found.notes,
        frame=roc.frame,
    )


def asked_range(fpr: Any, tpr: Any) -> tuple[Literal["fpr", "tpr"], tuple[float, float]]:
    """Return which of the two ranges is given, and its ends."""
    if (fpr is None) == (tpr is None):
        found = "neither was given" if fpr is None else "both were given"
        raise InputError(
            f"Exactly one of `fpr` and `tpr` must be given; {found}. "
            "Pass a range, for example fpr=(0, 0.1) or tpr=(0.9, 1)."
        )
    axis: Literal["fpr", "tpr"] = "tpr" if fpr is None else "fpr"
    ends = check_unit_interval(tpr if fpr is None else fpr, axis).ravel()
    if ends.size != 2 or not ends[0] < ends[1]:
        raise InputError(
            f"`{axis}` must be two rates, the smaller first; got {tpr if fpr is None else fpr!r}. "
            f"Pass, for example, {axis}={'(0.9, 1)' if axis == 'tpr' else '(0, 0.1)'}."
        )
    return axis, (float(ends[0]), float(ends[1]))


def _by_placements(
    roc: RocCurve, part: Part, level: float, _draws: int, _rng: np.random.Generator
) -> Found:
    """Wilson's limits, with as many cases as give the variance of the placements."""
    if roc.certificate > 0.0:
        return by_binned_placements(roc, part, level)
    area, variance = area_of(roc, part), variance_of(roc, part)
    share = area / part.width
    ends = wilson_limits(share, cases(share, variance, roc, part), level)
    low, high = (float(end) * part.width for end in ends)
    # A single case does not show how much its class varies.
    alone = min(roc.n_pos, roc.n_neg) == 1
    return Found(area, low, high, None if alone else variance**0.5)


def _by_resamples(
    roc: RocCurve, part: Part, level: float, draws: int, rng: np.random.Generator
) -> Found:
    """Percentiles of the areas of resampled test sets."""
    if roc.certificate > 0.0:
        raise InputError(
            "method='bootstrap' needs counts of single scores; the curve has bins. "
            "Use method='placement', or count every score."
        )
    if draws * (1.0 - level) / 2.0 < 1.0 - 1e-9:
        raise InputError(
            f"{draws} resamples are too few for a level of {level:g}. "
            f"Pass n_resamples={int(np.ceil(20.0 / (1.0 - level) - 1e-6))} or more."
        )
    area = area_of(roc, part)
    drawn = over_resamples(_source(roc, part), draws, rng, lambda rates: areas(rates, part))
    low, high = (float(end[0]) for end in empirical_interval(drawn[:, None], level))
    rows = "rows of each class" if roc.groups is None else "groups"
    notes = [f"Limits are percentiles of {draws} resamples of {rows}."]
    if low == high:
        notes.append("All resampled areas are alike, so there is no width: no sign of certainty.")
    return Found(
        area,
        max(0.0, min(low, area)),
        min(part.width, max(high, area)),
        float(drawn.std(ddof=1)),
        tuple(notes),
    )


def _source(roc: RocCurve, part: Part) -> Source:
    """Return what to resample; steps that no resampled curve brings into the range are merged."""
    if roc.groups is not None:
        return source_of(roc)
    ends = np.array(part)
    far = _FAR * np.sqrt(ends * (1.0 - ends) / roc.n_neg) + _FAR / roc.n_neg
    rows = Population.of_rows(roc).merged()
    share = rows.neg / rows.neg[-1]
    keep = (share >= ends[0] - far[0]) & (share <= ends[1] + far[1])
    keep[[0, -1]] = True
    return RowSource(Population(rows.neg[keep], rows.pos[keep]), stratified=True)


def _mcclish(found: Found, part: Part, axis: str) -> Found:
    """Rescale an area so that the diagonal has .5 and perfection 1."""
    least = part.width * (part.start + part.stop) / 2.0
    if found.area < least - 1e-12:
        raise InputError(
            f"McClish's correction needs a curve above the diagonal; over this range of {axis} the "
            f"area is {found.area:.4g} and the diagonal's {least:.4g}. Pass corrected=False."
        )
    scale = 2.0 * (part.width - least)
    area, low, high = (0.5 + (end - least) / scale for end in found[:3])
    notes = found.notes
    if low < 0.5:
        notes += (
            "The interval reaches below the diagonal, where nothing is corrected: cut at .5.",
        )
    error = None if found.error is None else found.error / scale
    return Found(max(area, 0.5), max(low, 0.5), min(high, 1.0), error, notes)

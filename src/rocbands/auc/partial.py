"""Part of the area under the curve: over a range of false or of true positive rates."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rocbands._math.binomial import wilson_limits
from rocbands._math.intervals import empirical_interval
from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_fpr,
    check_level,
    check_resamples,
    check_rng,
)
from rocbands.core.interval import Interval
from rocbands.core.mirror import mirrored_roc
from rocbands.core.roc import RocCurve, roc_curve
from rocbands.errors import InputError
from rocbands.resample.curves import Rates, RowSource, Source, over_resamples, source_of
from rocbands.resample.population import Population

__all__ = ["METHODS", "asked_range", "partial_auc_interval"]

PartialMethod: TypeAlias = Literal["placement", "bootstrap"]
METHODS: tuple[str, ...] = get_args(PartialMethod)

_FAR = 10.0  # standard deviations: no resampled curve strays farther
_GUESS, _TELLING = 4.0, 5.0  # see Notes


def partial_auc_interval(
    y_true: Any,
    y_score: Any,
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
    y_true : array-like of shape (n,)
        Two labels of any kind.
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
    roc = roc_curve(y_true, y_score, positive=positive, groups=groups)
    # The area right of the curve is the area under it when classes are swapped, scores negated.
    seen = roc if axis == "fpr" else mirrored_roc(roc)
    part = Span(*span) if axis == "fpr" else Span(1.0 - span[1], 1.0 - span[0])
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


class Found(NamedTuple):
    """An area with its limits."""

    area: float
    low: float
    high: float
    error: float | None
    notes: tuple[str, ...] = ()


class Span(NamedTuple):
    """A range of false positive rates."""

    start: float
    stop: float

    @property
    def width(self) -> float:
        """Largest area that the range can hold."""
        return self.stop - self.start


def asked_range(fpr: Any, tpr: Any) -> tuple[Literal["fpr", "tpr"], tuple[float, float]]:
    """Return which of the two ranges is given, and its ends."""
    if (fpr is None) == (tpr is None):
        found = "neither was given" if fpr is None else "both were given"
        raise InputError(
            f"Exactly one of `fpr` and `tpr` must be given; {found}. "
            "Pass a range, for example fpr=(0, 0.1) or tpr=(0.9, 1)."
        )
    axis: Literal["fpr", "tpr"] = "tpr" if fpr is None else "fpr"
    ends = check_fpr(tpr if fpr is None else fpr, axis).ravel()
    if ends.size != 2 or not ends[0] < ends[1]:
        raise InputError(
            f"`{axis}` must be two rates, the smaller first; got {tpr if fpr is None else fpr!r}. "
            f"Pass, for example, {axis}={'(0.9, 1)' if axis == 'tpr' else '(0, 0.1)'}."
        )
    return axis, (float(ends[0]), float(ends[1]))


def _pieces(rates: Rates, part: Span) -> tuple[FloatArray, FloatArray]:
    """Width of each piece of a curve inside the range, and where along it that part is centred."""
    x0, x1 = rates.x[..., :-1], rates.x[..., 1:]
    c0, c1 = np.clip(x0, *part), np.clip(x1, *part)
    share = np.zeros_like(x0)
    np.divide((c0 + c1) / 2.0 - x0, x1 - x0, out=share, where=x1 > x0)
    return c1 - c0, np.clip(share, 0.0, 1.0)


def _areas(rates: Rates, part: Span) -> FloatArray:
    """Exact area under each curve over the range: pieces are straight, so their middles do."""
    width, share = _pieces(rates, part)
    y0, y1 = rates.y[..., :-1], rates.y[..., 1:]
    total: FloatArray = np.sum(width * (y0 + (y1 - y0) * share), axis=-1)
    return total


def _area(roc: RocCurve, part: Span) -> float:
    return float(np.clip(_areas(Rates(roc.fpr, roc.tpr), part), 0.0, part.width))


def truncated_placements(roc: RocCurve, part: Span) -> tuple[FloatArray, FloatArray]:
    """Return what a positive, and what a negative, at each step adds to the area."""
    rates = Rates(roc.fpr, roc.tpr)
    width, share = _pieces(rates, part)
    c1 = np.clip(rates.x[1:], *part)
    pos = part.stop - c1 + width * share
    at_start, at_stop = ((roc.curve.low([u]) + roc.curve.high([u]))[0] / 2.0 for u in part)
    inside = width * (rates.y[:-1] + np.diff(rates.y) * share)
    before = np.diff(np.minimum(rates.x, part.start))
    behind = np.diff(np.maximum(rates.x, part.stop))
    step = np.diff(rates.x)
    neg = np.zeros_like(step)
    np.divide(before * at_start + inside + behind * at_stop, step, out=neg, where=step > 0)
    return pos, neg


def _variance(roc: RocCurve, part: Span) -> float:
    """Variance of the area: of both classes' mean placements, or of the groups' shares in them."""
    placed = truncated_placements(roc, part)
    counts = (np.diff(side, prepend=0).astype(np.float64) for side in (roc.tp, roc.fp))
    pos, neg = (
        (values - np.dot(count, values) / count.sum(), count)
        for values, count in zip(placed, counts, strict=True)
    )
    if roc.groups is None:
        both = [np.dot(n, apart**2) / n.sum() / max(n.sum() - 1.0, 1.0) for apart, n in (pos, neg)]
        return float(sum(both))
    rows = roc.groups
    share = np.where(rows.is_positive, pos[0][rows.step] / roc.n_pos, neg[0][rows.step] / roc.n_neg)
    sums = np.bincount(rows.code, share, minlength=rows.size)
    return float(np.dot(sums, sums)) * rows.size / (rows.size - 1.0)


def _by_placements(
    roc: RocCurve, part: Span, level: float, _draws: int, _rng: np.random.Generator
) -> Found:
    """Wilson's limits, with as many cases as give the variance of the placements."""
    area, variance = _area(roc, part), _variance(roc, part)
    share = area / part.width
    ends = wilson_limits(share, _cases(share, variance, roc, part), level)
    low, high = (float(end) * part.width for end in ends)
    # A single case does not show how much its class varies.
    alone = min(roc.n_pos, roc.n_neg) == 1
    return Found(area, low, high, None if alone else variance**0.5)


def _cases(share: float, variance: float, roc: RocCurve, part: Span) -> float:
    """Count the cases that would give a share this variance, without trusting a few too far."""
    spread, reach = share * (1.0 - share), roc.n_neg * part.width
    guess = (1.0 / roc.n_pos + 1.0 / reach) / _GUESS
    if roc.groups is not None:
        guess *= max(1.0, (roc.n_pos + roc.n_neg) / roc.groups.size)
    seen = variance / part.width**2 / spread if spread > 1e-12 else 0.0
    if seen >= guess:
        return 1.0 / seen
    telling = 4.0 * spread * min(roc.n_pos, reach) / _TELLING if seen > 0.0 else 0.0
    return (1.0 + telling) / (guess + telling * seen)


def _by_resamples(
    roc: RocCurve, part: Span, level: float, draws: int, rng: np.random.Generator
) -> Found:
    """Percentiles of the areas of resampled test sets."""
    if draws * (1.0 - level) / 2.0 < 1.0 - 1e-9:
        raise InputError(
            f"{draws} resamples are too few for a level of {level:g}. "
            f"Pass n_resamples={int(np.ceil(20.0 / (1.0 - level) - 1e-6))} or more."
        )
    area = _area(roc, part)
    areas = over_resamples(_source(roc, part), draws, rng, lambda rates: _areas(rates, part))
    low, high = (float(end[0]) for end in empirical_interval(areas[:, None], level))
    rows = "rows of each class" if roc.groups is None else "groups"
    notes = [f"Limits are percentiles of {draws} resamples of {rows}."]
    if low == high:
        notes.append("All resampled areas are alike, so there is no width: no sign of certainty.")
    return Found(
        area,
        max(0.0, min(low, area)),
        min(part.width, max(high, area)),
        float(areas.std(ddof=1)),
        tuple(notes),
    )


def _source(roc: RocCurve, part: Span) -> Source:
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


def _mcclish(found: Found, part: Span, axis: str) -> Found:
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

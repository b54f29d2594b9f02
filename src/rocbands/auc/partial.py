"""Part of the area under the curve: over a range of false or of true positive rates."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from rocbands.auc.bins import Range, bound_spread
from rocbands.auc.bootstrap import (
    BLOCKS,
    MANY_ROWS,
    MOST_INSIDE,
    AreaBlocks,
    percentile_limits,
)
from rocbands.core.arguments import explain
from rocbands.core.checks import CountArray, FloatArray, IndexArray, check_flag, check_unit_interval
from rocbands.core.columns import Column, Labels
from rocbands.core.counts import Groups
from rocbands.core.curve import Curve
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.method import Extra, Method, Request, Resampling, resolve_method
from rocbands.core.pieces import bisect, walk_steps
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import (
    CaseNumbers,
    ScoreVariance,
    estimate_variance,
    score_limits,
)
from rocbands.core.tolerance import SAME, SLACK
from rocbands.core.words import as_range, pick_one, spoken
from rocbands.design.effective_sizes import count_independent_cases
from rocbands.errors import InputError, arg
from rocbands.resample.curves import Rates, RowSource, Source, build_source, measure_resamples
from rocbands.resample.population import Population
from rocbands.resample.quantiles import interval_error
from rocbands.resample.streams import run_chunks

_FAR = 10.0  # standard deviations: no resampled curve strays farther

_NARROWEST = 1e-9  # range of an area


class FprRange(NamedTuple):
    """A range of false positive rates."""

    start: float
    stop: float

    @property
    def width(self) -> float:
        """Largest possible area over the range."""
        return self.stop - self.start


class PartialArea(NamedTuple):
    """An area with its limits."""

    # area, low, high: the area and its limits.
    area: float
    low: float
    high: float
    error: float | None  # its standard error
    notes: tuple[str, ...] = ()  # what the reader should know about it
    simulation: Simulation | None = None  # how random numbers entered the limits


@dataclass(frozen=True)
class PartialAucMethod(Method):
    """Base of all intervals for partial areas; one of your own defines :meth:`compute_limits`."""

    question: ClassVar[str] = "auc"

    @abstractmethod
    def compute_limits(self, roc: RocCurve, part: FprRange, request: Request) -> PartialArea:
        """Compute the area over a range of false positive rates, and its limits."""

    def __call__(
        self,
        roc: RocCurve,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        corrected: bool = False,
        level: float = 0.95,
        rng: Rng = "data",
    ) -> Interval:
        """Compute the interval; arguments as for :func:`rocbands.partial_auc_interval`."""
        request = self.check_request(roc, level=level, rng=rng)
        check_flag(corrected, "corrected")
        axis, ends = check_range(fpr, tpr)
        if axis == "fpr":
            seen, part = roc, FprRange(*ends)
        else:
            # The area right of the curve is the area under it with classes swapped and scores
            # negated.
            seen, part = roc.mirrored, FprRange(1.0 - ends[1], 1.0 - ends[0])
        found = self.compute_limits(seen, part, request)
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
            method=self.name,
            parameters=self.parameters,
            n_pos=roc.n_pos,
            n_neg=roc.n_neg,
            notes=found.notes,
            frame=roc.frame,
            simulation=found.simulation,
        )


def check_range(fpr: Any, tpr: Any) -> tuple[Literal["fpr", "tpr"], tuple[float, float]]:
    """Return which of the two ranges is given, and its ends."""
    if (fpr is None) == (tpr is None):
        raise InputError(
            f"Exactly one of {arg('fpr')} and {arg('tpr')} must be given",
            "neither was given" if fpr is None else "both were given",
            f"Pass a range, for example {arg('fpr', (0, 0.1))} or {arg('tpr', (0.9, 1))}.",
        )
    axis: Literal["fpr", "tpr"] = "tpr" if fpr is None else "fpr"
    given = tpr if fpr is None else fpr
    ends = check_unit_interval(given, axis).ravel()
    if ends.size != 2 or not ends[0] < ends[1]:
        raise InputError(
            "must be two rates, the smaller first",
            f"got {given!r}",
            f"Pass, for example, {arg(axis, (0.9, 1) if axis == 'tpr' else (0, 0.1))}.",
            argument=axis,
        )
    if ends[1] - ends[0] < _NARROWEST:
        raise InputError(
            f"must be a range of at least {_NARROWEST:g}",
            f"it is {ends[1] - ends[0]:.3g} wide",
            "Areas over narrower ranges are lost in rounding.",
            argument=axis,
        )
    return axis, (float(ends[0]), float(ends[1]))


def _correct(found: PartialArea, part: FprRange, axis: str) -> PartialArea:
    """Rescale an area so that the diagonal has .5 and perfection 1: McClish (1989)."""
    least = part.width * (part.start + part.stop) / 2.0
    if found.area < least - 1e-12:
        raise InputError(
            "McClish's correction needs a curve above the diagonal",
            f"over this range of {axis} the area is {found.area:.4g} and the diagonal's "
            f"{least:.4g}",
            f"Pass {arg('corrected', False)}.",
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


# ------------------------------------------------------------------------- areas and placements


def _split_pieces(rates: Rates, part: FprRange) -> tuple[FloatArray, FloatArray]:
    """Width of each piece of a curve inside the range, and where along it that part is centred."""
    x0, x1 = rates.x[..., :-1], rates.x[..., 1:]
    c0, c1 = np.clip(x0, *part), np.clip(x1, *part)
    share = np.zeros_like(x0)
    np.divide((c0 + c1) / 2.0 - x0, x1 - x0, out=share, where=x1 > x0)
    return c1 - c0, np.clip(share, 0.0, 1.0)


def _compute_areas(rates: Rates, part: FprRange) -> FloatArray:
    """Exact area under each curve over the range: pieces are straight, so width times middle."""
    width, share = _split_pieces(rates, part)
    y0, y1 = rates.y[..., :-1], rates.y[..., 1:]
    total: FloatArray = np.sum(width * (y0 + (y1 - y0) * share), axis=-1)
    return total


def _compute_area(roc: RocCurve, part: FprRange) -> float:
    """Area under one curve over the range."""
    area = sum(float(_compute_areas(rates, part)) for rates, *_ in _walk_range(roc, part))
    return min(max(area, 0.0), part.width)


def _walk_range(roc: RocCurve, part: FprRange) -> Iterator[tuple[Rates, CountArray, CountArray]]:
    """Vertices of the steps that have to do with the range, piece by piece.

    Returned with the positives and the negatives at each step.
    """
    first, last = _find_steps(roc, np.array(part))
    for _, fp, tp in walk_steps(roc.fp, roc.tp, first, last + 1):
        yield Rates(fp / roc.n_neg, tp / roc.n_pos), np.diff(tp), np.diff(fp)


def _find_steps(roc: RocCurve, fpr: FloatArray) -> IndexArray:
    """Find the first steps whose false positive rates reach some values; the last one if none."""
    return np.minimum(_count_before(roc, fpr), roc.fp.size - 1)


def _count_before(roc: RocCurve, fpr: FloatArray) -> IndexArray:
    """Count the steps whose false positive rates are below some values."""
    return bisect(roc.fp.size, lambda step: roc.fp[step] / roc.n_neg < fpr, fpr.shape)


def _find_height(roc: RocCurve, fpr: float) -> float:
    """Height of the curve at an fpr; where it is vertical, the middle."""
    first, last = _find_steps(roc, np.array([fpr - 2.0 * SAME, fpr + 2.0 * SAME]))
    at = np.arange(max(first - 1, 0), last + 1)
    near = Curve(
        *(
            np.concatenate(([0.0] if first == 0 else [], side[at] / side[-1]))
            for side in (roc.fp, roc.tp)
        )
    )
    return float((near.low([fpr]) + near.high([fpr]))[0]) / 2.0


def compute_truncated_placements(roc: RocCurve, part: FprRange) -> tuple[FloatArray, FloatArray]:
    """Return what a positive, and what a negative, at each step adds to the area.

    A positive adds the length of the range to the right of its own false positive rate. A negative
    adds the height of the curve above it, or at the near end of the range if it lies outside. Cases
    of a slanted step, which is one of ties, add the mean along the step.
    """
    return _place_steps(Rates(roc.fpr, roc.tpr), part, [_find_height(roc, u) for u in part])


def _place_steps(
    rates: Rates, part: FprRange, heights: list[float]
) -> tuple[FloatArray, FloatArray]:
    """Place the cases of some steps; `heights`: of the curve at the ends of the range."""
    width, share = _split_pieces(rates, part)
    c1 = np.clip(rates.x[1:], *part)
    pos = part.stop - c1 + width * share
    inside = width * (rates.y[:-1] + np.diff(rates.y) * share)
    before = np.diff(np.minimum(rates.x, part.start))
    behind = np.diff(np.maximum(rates.x, part.stop))
    step = np.diff(rates.x)
    neg = np.zeros_like(step)
    np.divide(before * heights[0] + inside + behind * heights[1], step, out=neg, where=step > 0)
    return pos, neg


def compute_variance(roc: RocCurve, part: FprRange) -> float:
    """Variance of the area: of both classes' mean placements, or of what groups add to them."""
    if roc.groups is None:
        return _add_variances(_class_variances(roc, part), roc)
    pos, neg = _sum_groups(roc, part, roc.groups)
    return float(np.dot(pos + neg, pos + neg)) * roc.groups.size / (roc.groups.size - 1.0)


def _sum_groups(roc: RocCurve, part: FprRange, rows: Groups) -> tuple[FloatArray, FloatArray]:
    """Add up what the positives, and what the negatives, of each group add to the area."""
    pos, neg = (apart for apart, _ in _centre_placements(roc, part))
    sums = [
        np.bincount(rows.code[own], each[rows.step[own]] / size, rows.size).astype(np.float64)
        for own, each, size in (
            (rows.is_positive, pos, roc.n_pos),
            (~rows.is_positive, neg, roc.n_neg),
        )
    ]
    return sums[0], sums[1]


def _add_variances(within: tuple[float, float], roc: RocCurve) -> float:
    """Add up the variances of both classes' means, from those within each class."""
    sizes = (roc.n_pos, roc.n_neg)
    return sum(each / max(size - 1.0, 1.0) for each, size in zip(within, sizes, strict=True))


def _class_variances(roc: RocCurve, part: FprRange) -> tuple[float, float]:
    """Variances of the truncated placements of positives and of negatives."""
    heights = [_find_height(roc, u) for u in part]
    area = _compute_area(roc, part)
    mean_neg = part.start * heights[0] + area + (1.0 - part.stop) * heights[1]
    first, last = _find_steps(roc, np.array(part))
    # Before the range all positives add the same, and all negatives; behind it as well.
    pos = int(roc.tp[first - 1]) * (part.width - area) ** 2 if first else 0.0
    neg = int(roc.fp[first - 1]) * (heights[0] - mean_neg) ** 2 if first else 0.0
    pos += (roc.n_pos - int(roc.tp[last])) * area**2
    neg += (roc.n_neg - int(roc.fp[last])) * (heights[1] - mean_neg) ** 2
    for rates, n_pos, n_neg in _walk_range(roc, part):
        place_pos, place_neg = _place_steps(rates, part, heights)
        pos += float(np.dot(n_pos, (place_pos - area) ** 2))
        neg += float(np.dot(n_neg, (place_neg - mean_neg) ** 2))
    return pos / roc.n_pos, neg / roc.n_neg


def _centre_placements(roc: RocCurve, part: FprRange) -> list[tuple[FloatArray, FloatArray]]:
    """Return truncated placements of both classes minus their mean, and how many have each."""
    counts = (np.diff(side, prepend=0).astype(np.float64) for side in (roc.tp, roc.fp))
    return [
        (values - np.dot(count, values) / count.sum(), count)
        for values, count in zip(compute_truncated_placements(roc, part), counts, strict=True)
    ]


# ------------------------------------------------------------------------------------- placement


@dataclass(frozen=True)
class Placement(PartialAucMethod):
    """Score limits with the variance of truncated placements, as 'score-delong' for the whole area.

    Notes
    -----
    Write R(u) for the height of the curve and let the range be a to b. A positive case adds the
    length of what the range has to the right of its own false positive rate; a negative case with
    false positive rate v adds R(v), or R at the near end of the range if v lies outside. The
    variances of these truncated placements, divided by the class sizes, add up to the variance of
    the area, uncertainty about where the range begins and ends included.

    As a share of b - a the area lies between 0 and 1, and the variance of each class is estimated
    as a share of s (1 - s) with half a pseudo observation (:mod:`rocbands.core.score_variance`).
    Of n negatives n (b - a) count. So no interval shrinks to a point, and Student's quantile allows
    for variances that few cases show. Measured at nominal .95: .908 to 1 in 48 cells of 120 test
    sets, lowest with 10 positives (docs/auc.md).
    """

    name: ClassVar[str] = "placement"
    guarantee: ClassVar[str] = "asymptotic; measured .91 to 1.00 at .95"
    idea: ClassVar[str] = "Wilson's limits with the cases that truncated placements are worth"
    references: ClassVar[tuple[str, ...]] = (
        "McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9, 190-195.",
        "Dodd and Pepe (2003), Partial AUC estimation and regression, Biometrics 59, 614-623.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("groups", "bins")

    def compute_limits(self, roc: RocCurve, part: FprRange, request: Request) -> PartialArea:
        if roc.certificate > 0.0:
            return self._compute_binned_limits(roc, part, request.tail)
        area, variance = _compute_area(roc, part), compute_variance(roc, part)
        share = area / part.width
        low, high = score_limits(share, _estimate_share_variance(roc, part, share), request.tail)
        ends = float(low) * part.width, float(high) * part.width
        return PartialArea(area, *ends, _error(variance, roc))

    def _compute_binned_limits(self, roc: RocCurve, part: FprRange, tail: float) -> PartialArea:
        """Take limits at the ends of what the area can be, with the largest variance it can have.

        Limits depart from the area as its unit variance grows and as the degrees of freedom fall.
        The variance grows with what the placements vary by and falls with s (1 - s).
        """
        low_curve, high_curve = roc.extremes
        least, area, most = (_compute_area(curve, part) for curve in (low_curve, roc, high_curve))
        shares = min(least, area) / part.width, max(most, area) / part.width
        _, largest = _bound_class_variances(roc, part)
        sizes = _count_cases(roc, part)
        spread = bound_spread(Range(*shares))
        scaled = largest[0] / part.width**2, largest[1] * sizes.n_neg / roc.n_neg / part.width**2
        unit = max(
            sizes.estimate_share(scaled[0], spread.low) / sizes.n_pos
            + sizes.swapped.estimate_share(scaled[1], spread.low) / sizes.n_neg,
            sizes.least_unit,
        )
        # Whatever part of the variance positives have, the degrees of freedom are no fewer.
        fewest = math.inf
        if spread.high > 0.0:
            fewest = 1.0 / max(sizes.inverse_df(part_pos, spread.high) for part_pos in (0.0, 1.0))
        variance = ScoreVariance(unit, fewest)
        low = float(score_limits(shares[0], variance, tail)[0]) * part.width
        high = float(score_limits(shares[1], variance, tail)[1]) * part.width
        note = f"Counts in bins: the area is known within {max(most - area, area - least):.2g}."
        return PartialArea(area, low, high, _error(_add_variances(largest, roc), roc), (note,))


def _count_cases(roc: RocCurve, part: FprRange) -> CaseNumbers:
    """Count the independent cases: of negatives, as many as the range has on average."""
    sizes = count_independent_cases(roc)
    return CaseNumbers(sizes.n_pos, sizes.n_neg * part.width)


def _estimate_share_variance(roc: RocCurve, part: FprRange, share: float) -> ScoreVariance:
    """Estimate the unit variance of the area as a share of the range."""
    sizes, groups = _count_cases(roc, part), roc.groups
    if groups is None:
        pos, neg = _class_variances(roc, part)
        by_pos, by_neg, across, n_groups = pos / roc.n_pos, neg / roc.n_neg, 0.0, 0
    else:
        sums = _sum_groups(roc, part, groups)
        by_pos, by_neg = (float(np.dot(one, one)) for one in sums)
        across, n_groups = 2.0 * float(np.dot(*sums)), groups.size
    scale = part.width**2
    return estimate_variance(
        share,
        sizes.n_pos * by_pos / scale,
        sizes.n_neg * by_neg / scale,
        sizes,
        across=across / scale,
        n_groups=n_groups,
    )


def _error(variance: float, roc: RocCurve) -> float | None:
    """Return the standard error; a single case does not show how much its class varies."""
    return None if min(roc.n_pos, roc.n_neg) == 1 else variance**0.5


def _bound_class_variances(
    roc: RocCurve, part: FprRange
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Least and largest variances of both classes: standard deviations are norms of placements."""
    own = _class_variances(roc, part)
    off = _bound_placements(roc, part)
    least = [max(math.sqrt(each) - by, 0.0) ** 2 for each, by in zip(own, off, strict=True)]
    most = [(math.sqrt(each) + by) ** 2 for each, by in zip(own, off, strict=True)]
    return (least[0], least[1]), (most[0], most[1])


def _bound_placements(roc: RocCurve, part: FprRange) -> tuple[float, float]:
    """Root mean squares of what positives and negatives of each bin can add more or less.

    A positive adds what the range has to the right of it, and stands somewhere in its bin. What a
    negative adds lies between the heights of its bin's ends, or of the ends of the range, which the
    extreme curves bound.
    """
    x, y = roc.fpr, roc.tpr
    low, high = (extreme.curve for extreme in roc.extremes)
    floor, ceiling = low.low(list(part)), high.high(list(part))
    pos = np.diff(np.clip(x, *part))
    neg = np.clip(y[1:], *ceiling) - np.clip(y[:-1], *floor)
    return (
        math.sqrt(float(np.dot(np.diff(y), pos**2))),
        math.sqrt(float(np.dot(np.diff(x), neg**2))),
    )


# ------------------------------------------------------------------------------------- bootstrap


@dataclass(frozen=True)
class PartialBootstrap(Resampling, PartialAucMethod):
    """Percentiles of the areas of resampled test sets.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of test sets drawn, with the class sizes kept, or of whole groups.
    """

    name: ClassVar[str] = "bootstrap"
    guarantee: ClassVar[str] = "asymptotic; measured .68 to .94 at .95 over small ranges"
    idea: ClassVar[str] = "quantiles of resampled partial areas"
    references: ClassVar[tuple[str, ...]] = Placement.references
    handles: ClassVar[tuple[Extra, ...]] = ("groups",)

    def compute_limits(self, roc: RocCurve, part: FprRange, request: Request) -> PartialArea:
        area = _compute_area(roc, part)
        drawn = resample_areas(roc, part, self.n_resamples, request.rng)
        low, high = percentile_limits(drawn, request.tail)
        rows = "rows of each class" if roc.groups is None else "groups"
        notes = [f"Limits are percentiles of {self.n_resamples} resamples of {rows}."]
        if low == high:
            notes.append(
                "All resampled areas are alike, so there is no width: no sign of certainty."
            )
        return PartialArea(
            area,
            max(0.0, min(low, area)),
            min(part.width, max(high, area)),
            float(drawn.std(ddof=1)),
            tuple(notes),
            request.simulated(self.n_resamples, interval_error(drawn, request.level)),
        )


def resample_areas(
    roc: RocCurve, part: FprRange, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Areas over a range of test sets drawn from the rows, with class sizes kept, or of groups."""
    if roc.groups is None and roc.n_pos + roc.n_neg >= MANY_ROWS:
        blocks = PartialBlocks.cut(roc, part)
        if blocks is not None:
            return np.concatenate(run_chunks(blocks.areas, n_resamples, rng))
    source = _build_source(roc, part)
    return measure_resamples(source, n_resamples, rng, lambda rates: _compute_areas(rates, part))


def _build_source(roc: RocCurve, part: FprRange) -> Source:
    """Return what to resample; steps that no resampled curve brings into the range are merged."""
    if roc.groups is not None:
        return build_source(roc)
    rows = Population.from_runs(roc)
    share = rows.neg / rows.neg[-1]
    near = _find_neighbourhood(roc, part)
    keep = (share >= near.start) & (share <= near.stop)
    keep[[0, -1]] = True
    return RowSource(Population(rows.neg[keep], rows.pos[keep]), stratified=True)


def _find_neighbourhood(roc: RocCurve, part: FprRange) -> FprRange:
    """Return the rates that a resampled curve may have in the range."""
    ends = np.array(part)
    far = _FAR * np.sqrt(ends * (1.0 - ends) / roc.n_neg) + _FAR / roc.n_neg
    return FprRange(float(ends[0] - far[0]), float(ends[1] + far[1]))


@dataclass(frozen=True, eq=False)
class PartialBlocks:
    """Resamples of many rows, drawn as numbers of cases in blocks: :class:`AreaBlocks` for a range.

    Where the range begins and ends follows from the drawn numbers, exactly but for its place within
    a block. There the curve of the block is taken for t^(1/w - 1), whose area is the share w of the
    block's pairs that are won: an error of at most half of one block's pairs at each end. Pairs
    within blocks have their mean, and of the variance at most a share `MOST_INSIDE` is that of a
    normal variable in place of their own. The time does not depend on the number of rows.
    """

    whole: AreaBlocks
    part: FprRange

    @classmethod
    def cut(cls, roc: RocCurve, part: FprRange) -> PartialBlocks | None:
        """Cut finely where resampled curves may be in the range; None where it is not enough."""
        near = _find_neighbourhood(roc, part)
        # From the first step that reaches the neighbourhood to the last one within it.
        outer = np.array([near.start, np.nextafter(near.stop, np.inf)])
        first, behind = _count_before(roc, outer).tolist()
        last = behind - 1
        variance = compute_variance(roc, part)
        # Few steps are quickly drawn one by one, and of classes apart areas do not vary.
        if last - first < 8 * BLOCKS or variance <= (SLACK * part.width) ** 2:
            return None
        x, y = (side[[first, last]] / side[-1] for side in (roc.fp, roc.tp))

        def along(place: IndexArray) -> FloatArray:
            """Tell how far along both axes, each in units of what is there."""
            right = (roc.fp[first + place] / roc.n_neg - x[0]) / max(x[1] - x[0], _NARROWEST)
            up = (roc.tp[first + place] / roc.n_pos - y[0]) / max(y[1] - y[0], _NARROWEST)
            return np.asarray(right + up)

        size = last - first + 1
        total = float(along(np.array([size - 1]))[0])
        wanted = np.linspace(0.0, total, 4 * BLOCKS + 1)
        places = bisect(size, lambda place: along(place) < wanted, wanted.shape)
        ends = first + np.minimum(places, size - 1)
        fine = AreaBlocks.measure(roc, ends)
        # Places are found once; every fourth of them ends one of the larger blocks.
        for coarse in (ends[::4], ends):
            blocks = cls(fine.merge(np.searchsorted(np.unique(ends), coarse)), part)
            if blocks.expected_inside(near) <= MOST_INSIDE * variance:
                return blocks
        return None

    def expected_inside(self, near: FprRange) -> float:
        """Bound the variance that pairs within blocks of the range have, on average."""
        whole = self.whole
        start = np.cumsum(whole.neg) - whole.neg
        seen = (start >= near.start - SLACK) & (start + whole.neg <= near.stop + SLACK)
        inside = {name: getattr(whole, name)[..., seen] for name in ("pos", "neg", "won", "spread")}
        return replace(whole, **inside).expected_inside

    def areas(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Areas of one chunk."""
        whole = self.whole
        m, n = whole.sizes
        a, b = whole.draw(draws, rng)
        above, left = np.cumsum(a, axis=1) - a, np.cumsum(b, axis=1) - b
        # Shares of each block's negatives before the range begins, and before it ends.
        f0, f1 = (np.clip((end * n - left) / np.maximum(b, 1.0), 0.0, 1.0) for end in self.part)
        power = 1.0 / np.maximum(whole.won, SLACK)
        pairs = a * b
        mean = b * (f1 - f0) * above + pairs * whole.won * (f1**power - f0**power)
        spread = whole.spread
        variance = (b - 1.0) * spread[0] + (a - 1.0) * spread[1] + spread[2]
        variance = np.einsum("ik,ik->i", pairs * (f1 - f0), np.maximum(variance, 0.0))
        area: FloatArray = mean.sum(axis=1) + np.sqrt(variance) * rng.standard_normal(draws)
        return np.clip(area / (float(m) * n), 0.0, self.part.width)


PARTIAL_METHODS: dict[str, type[PartialAucMethod]] = {
    "placement": Placement,
    "bootstrap": PartialBootstrap,
}


@explain
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
    n_resamples: int | None = None,
    rng: Rng = "data",
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
        'placement': Wilson's limits, with as many cases as would give the area the variance that
        its truncated placements show. 'bootstrap': percentiles of the areas of resampled test
        sets.
    fpr : (float, float), optional
        Area under the curve between two false positive rates.
    specificity : (float, float), optional
        The same between two specificities, which are 1 - fpr.
    tpr, sensitivity : (float, float), optional
        Area to the right of the curve between two true positive rates, which are sensitivities.
        Exactly one of these four must be given.
    corrected : bool, default False
        True rescales the area, as McClish did, so that guessing has .5 and perfection 1 whatever
        the range. A curve that runs below the diagonal on average has no such value: it is refused.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    n_resamples : int, optional
        Test sets drawn by 'bootstrap', 2000 by default.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness. By default the seed is made from the data, so that a call repeated
        gives the same numbers; None draws afresh.

    Returns
    -------
    Interval
        The estimate is the area under the polyline itself, ties slanted: nothing is on a grid.

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
        f"Pass, for example, {arg('fpr', (0, 0.1))}.",
        fpr=fpr,
        specificity=specificity,
        tpr=tpr,
        sensitivity=sensitivity,
    )
    side, part = as_range(asked, ends)
    roc = as_roc_curve(y_true, y_score, positive)
    with spoken(asked):
        return chosen(roc, **{side: part}, corrected=corrected, level=level, rng=rng)

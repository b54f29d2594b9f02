"""Area over a range of false positive rates, and its variance from truncated placements.

Let R(u) be the height of the curve and a to b the range. A positive contributes the length of the
range to the right of its own false positive rate; a negative with false positive rate v
contributes R(v), or R at the nearer end of the range if v lies outside. The variances of the means
of these truncated placements add up to the variance of the area, including the uncertainty about
the thresholds at a and b (Dodd and Pepe 2003, Biometrics 59, 614-623).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.counting import bisect, walk_steps
from rocbands.core.curve import Curve
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.row_design import RowDesign
from rocbands.resample.areas import FprRange, measure_areas, split_pieces
from rocbands.resample.curves import Rates

Masses: TypeAlias = npt.NDArray[Any]  # numbers of rows, or shares of weight


class Components(NamedTuple):
    """Components of the variance of an area: mean squares, without n / (n - 1)."""

    pos: float  # variance of the positives' mean placement, and of the negatives'
    neg: float
    variance: float  # of the area, each component times n / (n - 1) for n cases
    across: float = 0.0  # twice their covariance, where clusters have both classes
    design: RowDesign | None = None  # of weighted or dependent rows
    notes: tuple[str, ...] = ()


def compute_area(roc: RocCurve, part: FprRange) -> float:
    """Area under one curve over the range."""
    area = sum(float(measure_areas(rates, part)) for rates, *_ in _walk_range(roc, part))
    return min(max(area, 0.0), part.width)


def compute_components(roc: RocCurve, part: FprRange, area: float) -> Components:
    """Mean squares of truncated placements, or of units' contributions to the area."""
    if not roc.independent:
        design = RowDesign.of_curve(roc)
        values = design.place(*compute_truncated_placements(roc, part))
        parts = design.split(values)
        pos, neg = (float(design.multiply(side, side)) for side in parts)
        return Components(
            pos,
            neg,
            design.find_variance(parts),
            2.0 * float(design.multiply(*parts)) if design.linked else 0.0,
            design,
            design.describe_classes(values, parts),
        )
    # Independent rows: only the steps inside the range, piece by piece.
    heights = _find_heights(roc, part)
    mean_neg = part.start * heights[0] + area + (1.0 - part.stop) * heights[1]
    first, last = _find_steps(roc, np.array(part))
    # All positives left of the range contribute the same, as do all negatives; likewise right.
    pos = int(roc.tp[first - 1]) * (part.width - area) ** 2 if first else 0.0
    neg = int(roc.fp[first - 1]) * (heights[0] - mean_neg) ** 2 if first else 0.0
    pos += (roc.n_pos - int(roc.tp[last])) * area**2
    neg += (roc.n_neg - int(roc.fp[last])) * (heights[1] - mean_neg) ** 2
    for rates, n_pos, n_neg in _walk_range(roc, part):
        place_pos, place_neg = _place_steps(rates, part, heights)
        pos += float(np.dot(n_pos, (place_pos - area) ** 2))
        neg += float(np.dot(n_neg, (place_neg - mean_neg) ** 2))
    return _add_up(roc, pos / roc.n_pos / roc.n_pos, neg / roc.n_neg / roc.n_neg)


def _add_up(roc: RocCurve, pos: float, neg: float) -> Components:
    """Add up the components of independent rows."""
    sides = (pos, roc.n_pos), (neg, roc.n_neg)
    return Components(pos, neg, sum(each * n / max(n - 1.0, 1.0) for each, n in sides))


def compute_variance(roc: RocCurve, part: FprRange) -> float:
    """Estimate the variance of the area over the range."""
    return compute_components(roc, part, compute_area(roc, part)).variance


def compute_truncated_placements(roc: RocCurve, part: FprRange) -> tuple[FloatArray, FloatArray]:
    """Contributions of a positive and of a negative at each step to the area."""
    return _place_steps(Rates(roc.fpr, roc.tpr), part, _find_heights(roc, part))


def bound_components(roc: RocCurve, part: FprRange, area: float) -> Components:
    """Upper bounds of the components over all orders of the scores inside the bins.

    A standard deviation is a norm: it grows at most by the root mean square error of the
    placements. A positive lies anywhere in its bin. A negative's contribution lies between the
    heights at the ends of its bin, or of the range, which the extreme curves bound.
    """
    x, y = roc.fpr, roc.tpr
    low, high = (extreme.curve for extreme in roc.extremes)
    floor, ceiling = low.low(list(part)), high.high(list(part))
    off_pos = np.diff(np.clip(x, *part))
    off_neg = np.clip(y[1:], *ceiling) - np.clip(y[:-1], *floor)
    own = compute_components(roc, part, area)
    most = [
        (math.sqrt(each * size) + math.sqrt(float(np.dot(share, off**2)))) ** 2 / size
        for each, size, share, off in (
            (own.pos, roc.n_pos, np.diff(y), off_pos),
            (own.neg, roc.n_neg, np.diff(x), off_neg),
        )
    ]
    return _add_up(roc, most[0], most[1])


def _walk_range(roc: RocCurve, part: FprRange) -> Iterator[tuple[Rates, Masses, Masses]]:
    """Vertices of the steps that overlap the range, piece by piece.

    Each comes with the positives and the negatives at each step.
    """
    first, last = _find_steps(roc, np.array(part))
    below, above = cumulate(roc)
    for _, fp, tp in walk_steps(below, above, first, last + 1):
        yield Rates(fp / below[-1], tp / above[-1]), np.diff(tp), np.diff(fp)


def cumulate(roc: RocCurve) -> tuple[Masses, Masses]:
    """Negatives and positives at or above each threshold: their counts, or shares of weight."""
    counted = roc.weights is None or roc.weights.equal
    return (roc.fp, roc.tp) if counted else (roc.fpr[1:], roc.tpr[1:])


def _find_steps(roc: RocCurve, fpr: FloatArray) -> IndexArray:
    """Find the first steps with false positive rates >= `fpr`; the last step if there is none."""
    fp = cumulate(roc)[0]
    before = bisect(fp.size, lambda step: fp[step] / fp[-1] < fpr, fpr.shape)
    return np.minimum(before, roc.fp.size - 1)


def _find_heights(roc: RocCurve, part: FprRange) -> list[float]:
    """Heights of the curve at the ends of the range; where it is vertical, the middle."""
    heights = []
    for fpr in part:
        # Only the neighbouring steps are needed.
        first, last = _find_steps(roc, np.array([fpr - 2.0 * SAME, fpr + 2.0 * SAME]))
        at = np.arange(max(first - 1, 0), last + 1)
        origin = [0.0] if first == 0 else []
        sides = (np.append(origin, side[at] / side[-1]) for side in cumulate(roc))
        near = Curve(*sides)
        heights.append(float((near.low([fpr]) + near.high([fpr]))[0]) / 2.0)
    return heights


def _place_steps(
    rates: Rates, part: FprRange, heights: list[float]
) -> tuple[FloatArray, FloatArray]:
    """Placements of the cases of some steps; tied cases have the mean along their segment."""
    width, share = split_pieces(rates, part)
    pos = part.stop - np.clip(rates.x[1:], *part) + width * share
    inside = width * (rates.y[:-1] + np.diff(rates.y) * share)
    before = np.diff(np.minimum(rates.x, part.start))
    behind = np.diff(np.maximum(rates.x, part.stop))
    step = np.diff(rates.x)
    neg = np.zeros_like(step)
    np.divide(before * heights[0] + inside + behind * heights[1], step, out=neg, where=step > 0)
    return pos, neg

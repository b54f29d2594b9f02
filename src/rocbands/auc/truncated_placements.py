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
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.counts import Groups
from rocbands.core.curve import Curve
from rocbands.core.pieces import bisect, walk_steps
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.resample.areas import FprRange, measure_areas, split_pieces
from rocbands.resample.curves import Rates


class Components(NamedTuple):
    """Components of the variance of an area: mean squares, without n / (n - 1)."""

    pos: float  # variance of the positives' mean placement, and of the negatives'
    neg: float
    across: float = 0.0  # twice their covariance, where groups have both classes
    n_groups: int = 0

    def add_up(self, roc: RocCurve) -> float:
        """Estimate the variance of the area: each part times n / (n - 1), n cases or groups."""
        if self.n_groups:
            return (self.pos + self.neg + self.across) * self.n_groups / (self.n_groups - 1.0)
        sides = (self.pos, roc.n_pos), (self.neg, roc.n_neg)
        return sum(each * size / max(size - 1.0, 1.0) for each, size in sides)


def compute_area(roc: RocCurve, part: FprRange) -> float:
    """Area under one curve over the range."""
    area = sum(float(measure_areas(rates, part)) for rates, *_ in _walk_range(roc, part))
    return min(max(area, 0.0), part.width)


def compute_components(roc: RocCurve, part: FprRange, area: float) -> Components:
    """Mean squares of truncated placements, or of the groups' contributions to the area."""
    if roc.groups is not None:
        return _compute_group_components(roc, part, roc.groups)
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
    return Components(pos / roc.n_pos / roc.n_pos, neg / roc.n_neg / roc.n_neg)


def compute_variance(roc: RocCurve, part: FprRange) -> float:
    """Estimate the variance of the area over the range."""
    return compute_components(roc, part, compute_area(roc, part)).add_up(roc)


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
    return Components(most[0], most[1])


def _walk_range(roc: RocCurve, part: FprRange) -> Iterator[tuple[Rates, CountArray, CountArray]]:
    """Vertices of the steps that overlap the range, piece by piece.

    Each comes with the positives and the negatives at each step.
    """
    first, last = _find_steps(roc, np.array(part))
    for _, fp, tp in walk_steps(roc.fp, roc.tp, first, last + 1):
        yield Rates(fp / roc.n_neg, tp / roc.n_pos), np.diff(tp), np.diff(fp)


def _find_steps(roc: RocCurve, fpr: FloatArray) -> IndexArray:
    """Find the first steps with false positive rates >= `fpr`; the last step if there is none."""
    before = bisect(roc.fp.size, lambda step: roc.fp[step] / roc.n_neg < fpr, fpr.shape)
    return np.minimum(before, roc.fp.size - 1)


def _find_heights(roc: RocCurve, part: FprRange) -> list[float]:
    """Heights of the curve at the ends of the range; where it is vertical, the middle."""
    heights = []
    for fpr in part:
        # Only the neighbouring steps are needed.
        first, last = _find_steps(roc, np.array([fpr - 2.0 * SAME, fpr + 2.0 * SAME]))
        at = np.arange(max(first - 1, 0), last + 1)
        origin = [0.0] if first == 0 else []
        sides = (np.append(origin, side[at] / side[-1]) for side in (roc.fp, roc.tp))
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


def _compute_group_components(roc: RocCurve, part: FprRange, rows: Groups) -> Components:
    """Mean squares of each group's contributions, from its positives and its negatives."""
    sums = []
    places = compute_truncated_placements(roc, part)
    for values, total, own in zip(
        places, (roc.tp, roc.fp), (rows.is_positive, ~rows.is_positive), strict=True
    ):
        count = np.diff(total, prepend=0).astype(np.float64)
        size = count.sum()
        apart = values - np.dot(count, values) / size
        sums.append(np.bincount(rows.code[own], apart[rows.step[own]] / size, rows.size))
    pos, neg = sums
    across = 2.0 * float(np.dot(pos, neg))
    return Components(float(np.dot(pos, pos)), float(np.dot(neg, neg)), across, rows.size)
